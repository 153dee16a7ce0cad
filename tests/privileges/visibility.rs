//! Access to runs: a role has its own, pg_monitor reads all, superusers may do everything. docs/security.md names these
//! tests.

use crate::common::runs::{PATIENCE, Runs, error_of};
use crate::common::{Cluster, major, old_strings, wait_until};
use postgres::Client;

const GRANTS: &str = "
CREATE ROLE alice LOGIN; CREATE ROLE bob LOGIN; CREATE ROLE stranger LOGIN;
CREATE ROLE watcher LOGIN IN ROLE pg_monitor; CREATE ROLE deputy LOGIN IN ROLE alice;
GRANT EXECUTE ON FUNCTION pgperf.start_run, pgperf.start_load, pgperf.start_sweep, pgperf.resume_sweep, pgperf.create_workload,
    pgperf.drop_workload, pgperf.set_baseline(text, bigint), pgperf.set_baseline(text, bigint[]),
    pgperf.set_baseline(text, text), pgperf.set_baseline(text, text[]), pgperf.drop_baseline, pgperf.import_run TO alice, bob;
GRANT EXECUTE ON PROCEDURE pgperf.run TO alice, bob;
";

/// A cluster where alice has made a run with the label hers, a baseline of that name, a workload and a sweep.
fn with_runs(conf: &[&str]) -> (Cluster, Client, i64, i64) {
    let cluster = Cluster::for_scripts(conf);
    let mut superuser = cluster.connect();
    superuser.batch_execute(GRANTS).expect("roles");
    let mut alice = cluster.connect_as("alice");
    let run = alice.start_run(
        "script => 'SELECT 4711 AS her_secret;', transactions_per_client => 3, label => 'hers', \
         expect => '{\"failed\": \"= 0\"}', collectors => '{statements,settings,replication,wraparound}'",
    );
    superuser.wait_for_status(run, "finished");
    alice.value(&format!(
        "SELECT pgperf.set_baseline('her baseline', {run})"
    ));
    alice.value(
        "SELECT pgperf.create_workload('her workload', script => 'SELECT 4711 AS her_secret;')",
    );
    let sweep = alice.number(
        "SELECT pgperf.start_sweep(script => 'SELECT 4711 AS her_secret;', transactions_per_client => 2, clients => '{1}', \
         repetitions => 1, collectors => '{}', label => 'her sweep')",
    );
    wait_until("the sweep", PATIENCE, || {
        superuser.value(&format!(
            "SELECT status FROM pgperf.sweeps WHERE sweep_id = {sweep}"
        )) == "finished"
    });
    (cluster, superuser, run, sweep)
}

/// Every call that shows a run, a sweep or parts of them.
fn reading(run: i64, sweep: i64) -> Vec<String> {
    let named = ["'hers'".to_owned(), format!("'{run}'"), format!("'#{run}'")];
    let mut calls = vec![
        format!("SELECT pgperf.run_status({run})"),
        format!("CALL pgperf.wait_run({run})"),
        format!("CALL pgperf_internal.await_run({run}, NULL, true, false)"),
        format!("SELECT pgperf_internal.print_report({run})"),
        format!("SELECT pgperf_internal.require_finished({run})"),
        format!("SELECT pgperf.require_expectations({run})"),
        format!("SELECT pgperf.export_run({run})"),
        format!("SELECT pgperf.export_run({run}, true)"),
        format!("SELECT pgperf.report_junit({run})"),
        format!("SELECT * FROM pgperf.steady_state({run})"),
        format!("SELECT * FROM pgperf.compare({run}, {run})"),
        format!("SELECT * FROM pgperf.compare(ARRAY[{run}], ARRAY[{run}])"),
        format!("SELECT pgperf.compare_report({run}, {run})"),
        format!("SELECT pgperf.compare_html({run}, {run})"),
        format!("SELECT pgperf.compare_markdown({run}, {run})"),
        format!("SELECT pgperf.version_table({run}, {run})"),
        format!("SELECT pgperf.gate({run}, {run})"),
        "SELECT * FROM pgperf.compare('her baseline', 'her baseline')".to_owned(),
        format!("SELECT pgperf.sweep_status({sweep})"),
        format!("SELECT pgperf.sweep_report({sweep})"),
        format!("SELECT pgperf.sweep_html({sweep})"),
        format!("SELECT pgperf.sweep_markdown({sweep})"),
        format!("SELECT pgperf.export_sweep({sweep})"),
        format!("SELECT pgperf.sweep_report(ARRAY[{sweep}])"),
        format!("SELECT pgperf.sweep_html(ARRAY[{sweep}])"),
        format!("SELECT pgperf.sweep_markdown(ARRAY[{sweep}])"),
        "SELECT pgperf.sweep_report('her sweep')".to_owned(),
        "SELECT pgperf.sweep_report(ARRAY['her sweep'])".to_owned(),
        "SELECT pgperf.sweep_html('her sweep')".to_owned(),
        "SELECT pgperf.sweep_html(ARRAY['her sweep'])".to_owned(),
        "SELECT pgperf.sweep_markdown('her sweep')".to_owned(),
        "SELECT pgperf.sweep_markdown(ARRAY['her sweep'])".to_owned(),
        format!("SELECT pgperf.sweep_json({sweep})"),
        format!("SELECT pgperf.sweep_json(ARRAY[{sweep}])"),
        "SELECT pgperf.sweep_json('her sweep')".to_owned(),
        "SELECT pgperf.sweep_json(ARRAY['her sweep'])".to_owned(),
        format!("SELECT * FROM pgperf.compare_sweeps({sweep}, {sweep})"),
        "SELECT * FROM pgperf.compare_sweeps('her sweep', 'her sweep')".to_owned(),
        format!("CALL pgperf.wait_sweep({sweep})"),
        format!("CALL pgperf_internal.await_sweep({sweep}, NULL, true)"),
    ];
    for report in ["report", "report_html", "report_json", "report_markdown"] {
        calls.push(format!("SELECT pgperf.{report}({run})"));
        calls.push(format!("SELECT pgperf.{report}('hers')"));
    }
    for name in named {
        calls.push(format!(
            "SELECT * FROM pgperf_internal.compare_runs(ARRAY[{name}], ARRAY[{name}], NULL)"
        ));
        calls.push(format!(
            "SELECT pgperf_internal.compare_lines(ARRAY[{name}], ARRAY[{name}], NULL)"
        ));
        calls.push(format!(
            "SELECT pgperf_internal.compare_page(ARRAY[{name}], ARRAY[{name}], NULL)"
        ));
        calls.push(format!(
            "SELECT pgperf_internal.compare_comment(ARRAY[{name}], ARRAY[{name}], NULL)"
        ));
        calls.push(format!(
            "SELECT pgperf_internal.version_rows(ARRAY[{name}], ARRAY[{name}], NULL, 'text', NULL)"
        ));
        calls.push(format!(
            "SELECT pgperf_internal.gate_runs(ARRAY[{name}], ARRAY[{name}], '5%', NULL)"
        ));
        calls.push(format!(
            "SELECT * FROM pgperf_internal.steady_state_of({name})"
        ));
    }
    calls
}

/// Every call that changes a run, a sweep or what refers to them.
fn changing(run: i64, sweep: i64) -> Vec<String> {
    vec![
        format!("SELECT pgperf.stop_run({run})"),
        format!("CALL pgperf_internal.await_run({run}, NULL, false, true)"),
        format!("SELECT pgperf.pin_run({run})"),
        format!("SELECT pgperf.delete_run({run})"),
        format!("SELECT pgperf.stop_sweep({sweep})"),
        format!("SELECT pgperf.resume_sweep({sweep})"),
        format!("SELECT pgperf.delete_sweep({sweep}, runs => true)"),
        "SELECT pgperf.drop_baseline('her baseline')".to_owned(),
        "SELECT pgperf.drop_workload('her workload')".to_owned(),
        "SELECT pgperf.create_workload('her workload', script => 'SELECT 1;', replace => true)"
            .to_owned(),
    ]
}

#[test]
fn others_neither_see_nor_touch_a_roles_runs() {
    let (cluster, mut superuser, run, sweep) = with_runs(&[]);
    let mut bob = cluster.connect_as("bob");
    let mut stranger = cluster.connect_as("stranger");
    let mut his = bob.start_run("script => 'SELECT 1;', transactions_per_client => 1");
    superuser.wait_for_status(his, "finished");
    for call in reading(run, sweep).into_iter().chain(changing(run, sweep)) {
        for session in [&mut bob, &mut stranger] {
            let (state, message, hint) = error_of(session, &call);
            assert_eq!(state, "42501", "{call}: {message}");
            assert!(!format!("{message}{hint}").contains("4711"), "{call}");
        }
    }
    // Nor beside a run of one's own.
    for call in [
        format!("SELECT * FROM pgperf.compare({his}, {run})"),
        format!("SELECT * FROM pgperf.compare({run}, {his})"),
        format!("SELECT pgperf.gate({his}, 'hers')"),
        format!("SELECT pgperf.report_junit({his}, 'hers')"),
        format!("SELECT pgperf.report_junit({his}, 'her baseline')"),
        format!("SELECT pgperf.set_baseline('x', {run})"),
        format!("SELECT pgperf.set_baseline('x', ARRAY[{his}, {run}])"),
        "SELECT pgperf.set_baseline('x', ARRAY['hers'])".to_owned(),
        format!("SELECT pgperf.set_baseline('her baseline', {his})"),
    ] {
        assert_eq!(error_of(&mut bob, &call).0, "42501", "{call}");
    }
    // stop_all stops one's own.
    let busy = cluster
        .connect_as("alice")
        .start_run("script => 'SELECT pg_sleep(0.01);', duration => '1 h'");
    superuser.wait_for_status(busy, "running");
    assert_eq!(bob.value("SELECT pgperf.stop_all()"), "0");
    assert_eq!(
        error_of(&mut bob, &format!("SELECT pgperf.stop_run({busy})")).0,
        "42501"
    );
    // What its clients do, only the role and pg_read_all_stats are shown.
    let seen = format!(
        "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'pgperf run {busy} client %' AND query LIKE '%pg_sleep%'"
    );
    let mut watcher = cluster.connect_as("watcher");
    assert_eq!((bob.number(&seen), watcher.number(&seen)), (0, 1));
    // Members of the role do what it does.
    let mut deputy = cluster.connect_as("deputy");
    assert_eq!(
        deputy.value(&format!("SELECT pgperf.stop_run({busy})")),
        "t"
    );
    superuser.wait_for_status(busy, "stopped");
    for call in reading(run, sweep) {
        deputy
            .batch_execute(&call)
            .unwrap_or_else(|error| panic!("{call}\n{error:?}"));
    }
    assert_eq!(
        deputy.value(&format!("SELECT pgperf.delete_run({busy})")),
        "t"
    );
    his += 0;
    assert_eq!(superuser.status(his), "finished");
}

#[test]
fn members_of_pg_monitor_see_everything_and_change_nothing() {
    let (cluster, mut superuser, run, sweep) = with_runs(&[]);
    let mut watcher = cluster.connect_as("watcher");
    for call in reading(run, sweep) {
        watcher
            .batch_execute(&call)
            .unwrap_or_else(|error| panic!("{call}\n{error:?}"));
    }
    for call in changing(run, sweep) {
        assert_eq!(error_of(&mut watcher, &call).0, "42501", "{call}");
    }
    let script = format!(
        "SELECT spec::text LIKE '%4711%' FROM pgperf_internal.stored_runs WHERE run_id = {run}"
    );
    assert_eq!(watcher.value(&script), "t");
    // Ctrl-C in the procedure that stops a run on it: that takes more than seeing the run.
    let busy = cluster
        .connect_as("alice")
        .start_run("script => 'SELECT pg_sleep(0.01);', duration => '1 h'");
    superuser.wait_for_status(busy, "running");
    watcher.value("SET statement_timeout = '1s'");
    let (state, ..) = error_of(
        &mut watcher,
        &format!("CALL pgperf_internal.await_run({busy}, NULL, false, true)"),
    );
    assert_eq!(state, "42501");
    let (state, ..) = error_of(&mut watcher, &format!("CALL pgperf.wait_run({busy})"));
    assert_eq!(state, "57014");
    assert_eq!(watcher.value("SELECT pgperf.stop_all()"), "0");
    assert_eq!(superuser.status(busy), "running");
    superuser.value("SELECT pgperf.stop_all()");
    superuser.wait_for_status(busy, "stopped");
}

/// What PostgreSQL shows a role only as a member of pg_monitor, no report or document of its runs shows it either.
#[test]
fn a_run_tells_its_role_nothing_that_the_server_hides_from_it() {
    let (cluster, mut superuser, ..) = with_runs(&[
        "primary_conninfo = 'host=nowhere user=x password=Xyzzy1'",
        "log_directory = '/tmp/pgperf-hidden-folder'",
    ]);
    superuser.value("ALTER ROLE bob SET work_mem = '5MB'");
    superuser.value("SELECT 'his secret statement' AS his_secret_column");
    superuser.batch_execute(old_strings()).expect("strings");
    let hidden = [
        "Xyzzy1",
        "nowhere",
        "pgperf-hidden-folder",
        "his_secret_column",
        "pg_stat_statements,",
    ];
    let mut alice = cluster.connect_as("alice");
    let strings = if major() >= 19 { "on" } else { "off" };
    let run = alice.start_run(&format!(
        "script => 'SELECT 1;', transactions_per_client => 3, settings => '{{\"standard_conforming_strings\": \"{strings}\"}}'",
    ));
    superuser.wait_for_status(run, "finished");
    for call in [
        format!("SELECT pgperf.export_run({run}, true)::text"),
        format!("SELECT pgperf.report_json({run})::text"),
        format!("SELECT pgperf.report_html({run})"),
        format!("SELECT pgperf.report_markdown({run})"),
        format!("SELECT string_agg(l, ' ') FROM pgperf.report({run}) l"),
        format!("SELECT string_agg(c::text, ' ') FROM pgperf.compare(1, {run}) c"),
    ] {
        let text = alice.value(&call);
        assert!(text.len() > 20, "{call}");
        for secret in hidden {
            assert!(!text.contains(secret), "{secret} in {call}");
        }
    }
    let tables =
        "SELECT string_agg(t, ' ') FROM jsonb_object_keys(pgperf.export_run({run}) -> 'tables') t";
    let tables = tables.replace("{run}", &run.to_string());
    assert!(!alice.value(&tables).contains("history"));
    // pg_monitor gets all of it, but for the password.
    let mut watcher = cluster.connect_as("watcher");
    assert!(watcher.value(&tables).contains("statement_texts"));
    let text = watcher.value(&format!("SELECT pgperf.export_run({run})::text"));
    assert!(text.contains("his_secret_column"));
    let history = watcher.value("SELECT string_agg(h::text, ' ') FROM pgperf.settings_history h");
    assert!(history.contains("nowhere") && !history.contains("Xyzzy1"));
    // Whose role may see them, whose runs tell them. What a run does not tell makes no difference in a comparison.
    superuser.value("GRANT pg_read_all_settings TO bob");
    let his = cluster
        .connect_as("bob")
        .start_run("script => 'SELECT 1;', transactions_per_client => 3");
    superuser.wait_for_status(his, "finished");
    let told = |run| {
        format!(
            "SELECT count(setting) || ' of ' || count(*) FROM pgperf.run_settings \
         WHERE run_id = {run} AND name IN ('primary_conninfo', 'log_directory', 'shared_preload_libraries')"
        )
    };
    assert_eq!(superuser.value(&told(run)), "0 of 3");
    assert_eq!(superuser.value(&told(his)), "3 of 3");
    let differs = format!(
        "SELECT count(*) FROM pgperf.compare({run}, {his}) WHERE metric IN ('primary_conninfo', 'log_directory', 'shared_preload_libraries')"
    );
    assert_eq!(superuser.number(&differs), 0);
    let masked = format!(
        "SELECT setting FROM pgperf.run_settings WHERE run_id = {his} AND name = 'primary_conninfo'"
    );
    assert_eq!(
        superuser.value(&masked),
        "host=nowhere user=x password=********"
    );
}

/// The waits of other roles' sessions are pg_monitor's to see.
#[test]
fn the_page_of_a_run_shows_its_role_its_own_clients_alone() {
    let (cluster, mut superuser, ..) = with_runs(&[]);
    let mut alice = cluster.connect_as("alice");
    let run = alice.start_run(
        "script => 'SELECT pg_sleep(0.01);', duration => '3 s', collectors => '{waits@1s,wal,buffers}'",
    );
    superuser.wait_for_status(run, "finished");
    let page = format!("pgperf.report_html({run})");
    let (hers, all) = (alice.page(&page), cluster.connect_as("watcher").page(&page));
    for shown in [
        "Clients of runs",
        "By the whole server",
        "Buffers by usage count",
    ] {
        assert!(hers.contains(shown) && all.contains(shown), "{shown}");
    }
    for of_all in ["Database time", "Active sessions by what they waited for"] {
        assert!(!hers.contains(of_all) && all.contains(of_all), "{of_all}");
    }
}

/// Why a collector could not run, of others' samples of the same time, is not told in place of a run's own reason.
#[test]
fn the_page_of_a_run_has_no_reasons_of_others_samples() {
    let (cluster, mut superuser, ..) = with_runs(&[]);
    let mut alice = cluster.connect_as("alice");
    let run = alice
        .start_run("script => 'SELECT pg_sleep(0.01);', duration => '3 s', collectors => '{wal}', sample_interval => '0.2 s'");
    superuser.wait_for_status(run, "running");
    superuser.value("SELECT count(*) FROM pgperf.snapshot('{buffers}')");
    superuser.wait_for_status(run, "finished");
    superuser.value(
        "UPDATE pgperf.samples SET outcomes = '{\"buffers\": {\"status\": \"failed\", \"reason\": \"his secret table\"}}' \
         WHERE run_id IS NULL AND outcomes ? 'buffers'",
    );
    for session in [&mut alice, &mut superuser] {
        let page = session.page(&format!("pgperf.report_html({run})"));
        assert!(page.contains("WAL written"));
        assert!(!page.contains("his secret table"));
    }
}

#[test]
fn a_label_that_others_use_too_is_still_ones_own() {
    let (cluster, mut superuser, run, _) = with_runs(&[]);
    let mut bob = cluster.connect_as("bob");
    let his = bob.start_run("script => 'SELECT 2;', transactions_per_client => 1, label => 'hers'");
    superuser.wait_for_status(his, "finished");
    let reported = |session: &mut Client| {
        session
            .value("SELECT l FROM pgperf.report('hers') l WHERE l LIKE 'run %'")
            .split(' ')
            .nth(1)
            .map(str::to_owned)
    };
    assert_eq!(
        reported(&mut cluster.connect_as("alice")),
        Some(run.to_string())
    );
    assert_eq!(reported(&mut bob), Some(his.to_string()));
    assert_eq!(reported(&mut superuser), Some(his.to_string()));
}
