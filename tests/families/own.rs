//! Workloads that users store, with data sets of their own: loaded in parallel, checked, measured, replaced.

use crate::common::history::copy;
use crate::common::runs::{PATIENCE, Runs, error_of};
use crate::common::{Cluster, document, wait_until};
use postgres::Client;

/// The SQL blocks of the page's section about it.
fn shown() -> Vec<String> {
    let page = document("docs/workloads.md");
    let (_, after) = page
        .split_once("## A workload of your own\n")
        .expect("the section");
    let section = after.split("\n## ").next().unwrap_or_default();
    let blocks = section.split("```sql\n").skip(1);
    blocks
        .filter_map(|block| block.split("```").next())
        .map(|block| block.trim_end().to_owned())
        .collect()
}

/// The report in one line: where it breaks its lines depends on the figures.
fn report_of(session: &mut Client, run: i64) -> String {
    session.value(&format!(
        "SELECT regexp_replace(string_agg(line, ' '), '\\s+', ' ', 'g') FROM pgperf.report({run}) AS r (line)"
    ))
}

fn data_sets(session: &mut Client) -> String {
    session.value(
        "SELECT string_agg(concat_ws(' ', schema_name, data_set, scale, relation_names, options), '; ' ORDER BY schema_name, data_set) \
           FROM pgperf.data_sets",
    )
}

/// A workload whose parts say which worker has filled them; `before`: a statement before each part's rows.
fn create_mine(session: &mut Client, before: &str) {
    session.value(&format!(
        "SELECT pgperf.create_workload('mine', replace => true, options => '{{\"rows\": 100, \"note\": \"it''s\"}}', \
           setup_sql => $$CREATE TABLE one (id int, part int, pid int, note text); CREATE TABLE two (n numeric); \
                          CREATE VIEW both_of AS SELECT * FROM one, two; CREATE SEQUENCE s; \
                          INSERT INTO two VALUES (:scale)$$, \
           load_sql => $${before}; \
                         INSERT INTO one SELECT i, :part, pg_backend_pid(), :'note' \
                         FROM generate_series(:part, :rows * :scale, :parts) AS i$$, \
           script => $$\\set id random(1, :rows * :scale)\nUPDATE one SET note = '' WHERE id = :id;$$, \
           check_sql => $$SELECT 'rows', count(*) = :rows * :scale, count(*) || ' rows' FROM one; $$, \
           metrics_sql => $$SELECT 'changed_percent', 100.0 * count(*) FILTER (WHERE note = '') / count(*), '%', 'higher' FROM one \
                            UNION ALL SELECT 'per_transaction.all', :transactions / (:transactions * :scale * 1.0), '', NULL \
                            UNION ALL SELECT 'took', :seconds, 's', 'lower'$$)"
    ));
}

/// Takes long enough that all workers take a part.
const SLOW: &str = "SELECT pg_sleep(0.7)";
/// Takes as long as nobody ends it, in the second part.
const ENDLESS_PART: &str =
    "INSERT INTO one SELECT 0, 0, 0, ''; SELECT pg_sleep(CASE WHEN :part = 2 THEN 600 ELSE 0 END)";

#[test]
fn the_page_builds_one_from_an_empty_file() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    let blocks = shown();
    let [create, calls, ..] = blocks.as_slice() else {
        panic!("{blocks:?}");
    };
    assert_eq!(create.lines().count(), 10, "{create}");
    session.value(create);
    let calls: Vec<&str> = calls.split(";\n").collect();
    assert!(calls.len() >= 3, "{calls:?}");
    for call in &calls {
        session.value(
            &call
                .replace("1 min", "1 s")
                .replace("clients => 8", "clients => 2"),
        );
    }
    let failed =
        "SELECT count(*) FILTER (WHERE passed) || ' ' || count(*) FROM pgperf.\"check\"('shop')";
    assert_eq!(session.value(failed), "1 1");
    let run = session.number("SELECT max(run_id) FROM pgperf.runs");
    let report = report_of(&mut session, run);
    assert!(report.contains("sold_out_percent: 0.00 %"), "{report}");
}

#[test]
fn one_is_loaded_in_parallel_run_checked_and_measured() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    session.value("CREATE SCHEMA data");
    create_mine(&mut session, SLOW);
    let (sqlstate, message, hint) = error_of(&mut session, "SELECT pgperf.start_run('mine')");
    assert_eq!(
        (sqlstate.as_str(), message.as_str()),
        ("42P01", "the data set of workload \"mine\" is not loaded")
    );
    assert!(
        hint.contains("CALL pgperf.init('mine', scale => 1)"),
        "{hint}"
    );

    let load = session.number(
        "CALL pgperf.init('mine', scale => 10, jobs => 3, schema => 'data', options => '{\"rows\": 30}')",
    );
    assert_eq!(session.status(load), "finished");
    assert_eq!(
        session.value("SELECT count(*) || ' ' || count(DISTINCT id) || ' ' || count(DISTINCT part) || ' ' || count(DISTINCT pid) || ' ' || min(note) FROM data.one"),
        "300 300 3 3 it's"
    );
    assert_eq!(
        data_sets(&mut session),
        "data mine 10 {one,two} {\"note\": \"it's\", \"rows\": 30}"
    );
    // Both tables, the view and the sequence; rows of the parts alone count as loaded.
    assert_eq!(
        session.number("SELECT cardinality(relations) FROM pgperf.data_sets"),
        4
    );
    let report = report_of(&mut session, load);
    assert!(report.contains("rows loaded: 300"), "{report}");
    for step in ["drop tables", "set up", "load", "vacuum"] {
        assert!(report.contains(&format!("{step} ")), "{step}: {report}");
    }
    assert!(
        report.contains("CALL pgperf.init('mine', scale => 10, jobs => 3, schema => 'data', options => '{\"rows\":30}'::jsonb);"),
        "{report}"
    );
    assert_eq!(
        session.number("SELECT reltuples FROM pg_class WHERE oid = 'data.one'::regclass"),
        300
    );

    // The run takes the option from the load; its ids are within the rows.
    session.value("SET search_path = data, public");
    let run = session.finish_run("'mine', clients => 2, transactions_per_client => 200");
    let changed = session.number("SELECT count(*) FROM one WHERE note = ''");
    assert!((200..300).contains(&changed), "{changed}");
    let metric = |session: &mut Client, name: &str| {
        session.value(&format!(
            "SELECT concat_ws('|', round(value::numeric, 2), unit, direction, category) FROM pgperf.run_metrics \
              WHERE run_id = {run} AND metric = '{name}'"
        ))
    };
    let percent = format!("{:.2}", changed as f64 / 3.0);
    assert_eq!(
        metric(&mut session, "changed_percent"),
        format!("{percent}|%|higher|workload")
    );
    assert_eq!(
        metric(&mut session, "per_transaction.all"),
        "0.10||workload"
    );
    let seconds = session.value(&format!(
        "SELECT round(duration_s::numeric, 2) FROM pgperf.run_summary WHERE run_id = {run}"
    ));
    assert_eq!(
        metric(&mut session, "took"),
        format!("{seconds}|s|lower|workload")
    );
    // In all reports, in comparisons, and as expectations.
    let report = report_of(&mut session, run);
    assert!(
        report.contains(&format!("changed_percent: {percent} %")),
        "{report}"
    );
    assert!(
        session
            .value(&format!("SELECT pgperf.report_html({run})"))
            .contains("changed percent")
    );
    let json = session.value(&format!("SELECT jsonb_path_query(pgperf.report_json({run}), '$.metrics[*] ? (@.metric == \"changed_percent\").direction')"));
    assert_eq!(json, "\"higher\"");
    let more = session.finish_run("'mine', clients => 2, transactions_per_client => 2000, expect => '{\"changed_percent\": \">= 50\"}'");
    session.value(&format!("SELECT pgperf.require_expectations({more})"));
    let compared = session.value(&format!(
        "SELECT concat_ws('|', category, unit, direction, change_percent > 0, verdict) FROM pgperf.compare({run}, {more}) WHERE metric = 'changed_percent'"
    ));
    assert_eq!(compared, "workload|%|higher|t|single observation");

    // A gate takes it, too, of runs of any length.
    let mut lasting = |seconds: i32| {
        session.finish_run(&format!("'mine', clients => 2, duration => '{seconds} s'"))
    };
    let (before, after) = (lasting(1), lasting(2));
    session.value(&format!(
        "SELECT pgperf.gate({after}, {before}, metrics => '{{changed_percent}}')"
    ));

    // The call of a report has the scripts and their variables, not the name.
    let call = session.value(&format!("SELECT pgperf.report_json({run}) ->> 'call'"));
    assert!(
        call.contains("\"rows\":\"30\"") && !call.contains("mine"),
        "{call}"
    );

    let check = "SELECT concat_ws('|', check_name, passed, detail) FROM pgperf.\"check\"('mine')";
    assert_eq!(session.value(check), "rows|t|300 rows");
    session.value("DELETE FROM one WHERE id = 1");
    assert_eq!(session.value(check), "rows|f|299 rows");
    session.value("DROP TABLE two CASCADE");
    let (sqlstate, message, _) = error_of(&mut session, "SELECT pgperf.start_run('mine')");
    assert_eq!(
        (sqlstate.as_str(), message.as_str()),
        (
            "42P01",
            "relation \"two\" of workload \"mine\" does not exist or is empty"
        )
    );
}

#[test]
fn a_load_replaces_only_its_own() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    session.value("CREATE SCHEMA other; CREATE TABLE bystander (); CREATE TABLE other.one ()");
    create_mine(&mut session, "SELECT 1");
    session.value("CALL pgperf.init('tpcb-like')");
    session.value("CALL pgperf.init('mine', scale => 2)");
    session.value("ALTER TABLE two RENAME TO kept; DROP VIEW both_of");
    // Another definition, which creates something else.
    session.value(
        "SELECT pgperf.create_workload('mine', replace => true, script => 'SELECT 1;', \
           setup_sql => 'CREATE TABLE three AS SELECT i FROM generate_series(1, :scale) i')",
    );
    session.value("CALL pgperf.init('mine', scale => 3)");
    assert_eq!(
        session.value("SELECT string_agg(relname, ' ' ORDER BY relname) FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'v', 'S') AND relname !~ '^pg_'"),
        "bystander kept pgbench_accounts pgbench_branches pgbench_history pgbench_tellers three"
    );
    assert_eq!(session.number("SELECT count(*) FROM three"), 3);
    let sets = data_sets(&mut session);
    assert!(
        sets.starts_with("public mine 3 {three} {}; public pgbench 1 {pgbench_"),
        "{sets}"
    );
    // Somebody else's table of the same name: its author's statement fails, and changes nothing.
    create_mine(&mut session, "SELECT 1");
    let load = session.number("SELECT pgperf.start_load('mine', schema => 'other')");
    session.wait_for_status(load, "failed");
    assert_eq!(
        session.value(&format!(
            "SELECT sqlstate || ' ' || error FROM pgperf.runs WHERE run_id = {load}"
        )),
        "42P07 step \"set up\": relation \"one\" already exists"
    );
    assert_eq!(
        session.number("SELECT count(*) FROM pg_class WHERE relnamespace = 'other'::regnamespace"),
        1
    );
    // What a concurrent session creates meanwhile is not the data set's.
    session.value("DROP TABLE other.one");
    session.value("SELECT pgperf.create_workload('slow', script => 'SELECT 1;', setup_sql => 'CREATE TABLE five (); SELECT pg_sleep(1.5)')");
    let load = session.number("SELECT pgperf.start_load('slow', schema => 'other')");
    wait_until("the setup", PATIENCE, || {
        session.number("SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(1.5)%' AND pid <> pg_backend_pid()") == 1
    });
    session.value("CREATE TABLE other.theirs ()");
    session.wait_for_status(load, "finished");
    assert!(
        data_sets(&mut session).starts_with("other slow 1 {five}"),
        "{}",
        data_sets(&mut session)
    );
}

#[test]
fn a_load_that_ends_early_leaves_a_data_set_that_no_run_takes() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    create_mine(&mut session, ENDLESS_PART);
    let start = "SELECT pgperf.start_load('mine', jobs => 2)";
    let load = session.number(start);
    let waits = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'";
    // The first part is there, the second one waits.
    wait_until("the second part", PATIENCE, || session.number(waits) == 1);
    wait_until("the first part", PATIENCE, || {
        session.number("SELECT count(*) FROM one") == 51
    });
    assert_eq!(
        session.value(&format!("SELECT pgperf.stop_run({load})")),
        "t"
    );
    session.wait_for_status(load, "stopped");
    session.expect_no_workers("stopping the load");
    let (sqlstate, message, hint) = error_of(&mut session, "SELECT pgperf.start_run('mine')");
    assert_eq!(
        (sqlstate.as_str(), message.as_str()),
        (
            "55000",
            "the tables of workload \"mine\" are not completely loaded"
        )
    );
    assert!(hint.contains("CALL pgperf.init('mine'"), "{hint}");
    // A part that fails ends the others, which would take long, and the first error is the load's.
    create_mine(&mut session, "SELECT 1 / (:part - 1), pg_sleep(600)");
    let load = session.number("SELECT pgperf.start_load('mine', jobs => 3)");
    session.wait_for_status(load, "failed");
    assert_eq!(
        session.value(&format!(
            "SELECT sqlstate || ' ' || error FROM pgperf.runs WHERE run_id = {load}"
        )),
        "22012 step \"load\": division by zero"
    );
    session.expect_no_workers("a part that fails");
    // And a worker that goes away.
    create_mine(&mut session, ENDLESS_PART);
    let load = session.number(start);
    wait_until("the second part", PATIENCE, || session.number(waits) == 1);
    session.value(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'",
    );
    session.wait_for_status(load, "failed");
    session.expect_no_workers("terminating a worker");
    // The next load replaces all of it.
    create_mine(&mut session, "SELECT 1");
    session.value("CALL pgperf.init('mine', jobs => 2)");
    session.finish_run("'mine', transactions_per_client => 10");
    assert_eq!(
        session.number("SELECT count(*) FROM pgperf.\"check\"('mine') WHERE NOT passed"),
        0
    );
}

#[test]
fn its_sql_has_the_rights_of_the_caller() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut superuser = cluster.connect();
    superuser
        .batch_execute(
            "CREATE ROLE author LOGIN; CREATE ROLE tester LOGIN; CREATE SCHEMA AUTHORIZATION tester; CREATE TABLE secret AS SELECT 4711 AS n; \
             GRANT EXECUTE ON FUNCTION pgperf.create_workload TO author; \
             GRANT EXECUTE ON FUNCTION pgperf.start_run, pgperf.start_load, pgperf.\"check\" TO tester; \
             GRANT EXECUTE ON PROCEDURE pgperf.init TO tester",
        )
        .expect("roles");
    let mut author = cluster.connect_as("author");
    author.value(
        "SELECT pgperf.create_workload('theirs', script => 'SELECT count(*) FROM seen;', options => '{\"spy\": 0}', \
           setup_sql => $$CREATE TABLE seen (who name); INSERT INTO seen VALUES (current_user)$$, \
           load_sql => $$INSERT INTO seen SELECT CASE WHEN :spy = 1 THEN (SELECT n::text FROM public.secret) ELSE current_user::text END$$, \
           check_sql => $$SELECT 'all are ' || current_user, bool_and(who = current_user), count(*)::text FROM seen$$, \
           metrics_sql => $$SELECT 'spied', n FROM public.secret$$)",
    );
    // Who only stores workloads cannot load.
    assert_eq!(
        error_of(&mut author, "SELECT pgperf.start_load('theirs')").0,
        "42501"
    );
    let mut tester = cluster.connect_as("tester");
    tester.value("CALL pgperf.init('theirs', jobs => 2)");
    assert_eq!(
        tester.value(
            "SELECT concat_ws('|', check_name, passed, detail) FROM pgperf.\"check\"('theirs')"
        ),
        "all are tester|t|3"
    );
    assert_eq!(
        superuser.value("SELECT tableowner FROM pg_tables WHERE tablename = 'seen'"),
        "tester"
    );
    // The query for metrics must not read what the run's role must not; the run stays as it is.
    let run = tester.number("SELECT pgperf.start_run('theirs', transactions_per_client => 5)");
    superuser.wait_for_status(run, "finished");
    let noted = "SELECT concat_ws('|', client_id, script, command_no, sqlstate, message) FROM pgperf.run_errors WHERE run_id = ";
    assert_eq!(
        superuser.value(&format!("{noted}{run}")),
        "metrics_sql|0|42501|permission denied for table secret"
    );
    assert_eq!(
        superuser.number(&format!(
            "SELECT count(*) FROM pgperf.run_metrics WHERE run_id = {run} AND metric = 'spied'"
        )),
        0
    );
    let load = tester.number("SELECT pgperf.start_load('theirs', options => '{\"spy\": 1}')");
    superuser.wait_for_status(load, "failed");
    assert_eq!(
        superuser.value(&format!(
            "SELECT sqlstate || ' ' || error FROM pgperf.runs WHERE run_id = {load}"
        )),
        "42501 step \"load\": permission denied for table secret"
    );
    // A schema that is not the caller's.
    assert_eq!(
        error_of(
            &mut tester,
            "SELECT pgperf.start_load('theirs', schema => 'public')"
        )
        .0,
        "42501"
    );
    // Checks and metrics change nothing, whatever the functions are that they call.
    superuser
        .batch_execute(
            "CREATE FUNCTION write() RETURNS boolean LANGUAGE sql VOLATILE AS 'DELETE FROM public.secret RETURNING true'; \
             SELECT pgperf.create_workload('writes', script => 'SELECT 1;', check_sql => 'SELECT ''writes'', public.write()', \
                                           metrics_sql => 'SELECT ''writes'', public.write()::int')",
        )
        .expect("a function that writes");
    assert_eq!(
        error_of(&mut superuser, "SELECT * FROM pgperf.\"check\"('writes')").0,
        "25006"
    );
    // Afterwards the caller may write again.
    superuser.value("UPDATE secret SET n = 4712");
    let run = superuser.finish_run("'writes', transactions_per_client => 1");
    assert_eq!(
        superuser.value(&format!("{noted}{run}")),
        "metrics_sql|0|25006|cannot execute DELETE in a read-only transaction"
    );
    assert_eq!(superuser.value("SELECT n FROM secret"), "4712");
}

#[test]
fn wrong_metrics_are_noted_and_the_others_stay() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    for (metrics, message) in [
        ("SELECT 'tps', 1", "every run has a metric \"tps\" already"),
        (
            "SELECT 'one'",
            "metrics_sql must return 2 to 4 columns, not 1",
        ),
        (
            "SELECT 'a', 1 UNION ALL SELECT 'a', 2",
            "metrics_sql has several rows for metric \"a\"",
        ),
        (
            "SELECT 'a', 'NaN'::float8",
            "the value of metric \"a\" must be a finite number, not \"NaN\"",
        ),
        ("SELECT 'a', 1 / 0", "division by zero"),
    ] {
        session.value(&format!(
            "SELECT pgperf.create_workload('wrong', replace => true, script => 'SELECT 1;', metrics_sql => $${metrics}$$)"
        ));
        let run = session.finish_run("'wrong', transactions_per_client => 3");
        let noted = session.value(&format!(
            "SELECT message FROM pgperf.run_errors WHERE run_id = {run} AND script = 'metrics_sql'"
        ));
        assert_eq!(noted, message);
        assert_eq!(session.total(run, "transactions"), 3);
        let report = report_of(&mut session, run);
        assert!(report.contains(message), "{report}");
    }
    // In a mix each workload has its own; after_sql comes last.
    session.value("SELECT pgperf.create_workload('good', script => 'SELECT 1;', metrics_sql => $$SELECT 'left', count(*) FROM things$$)");
    session.value("CREATE TABLE things AS SELECT 1");
    let run = session.finish_run(
        "'good, wrong', transactions_per_client => 3, after_sql => 'DROP TABLE things'",
    );
    assert_eq!(
        session.value(&format!("SELECT string_agg(metric || ' ' || value, ',') FROM pgperf.run_metrics WHERE run_id = {run} AND metric = 'left'")),
        "left 1"
    );
    assert_eq!(session.value("SELECT to_regclass('things')"), "");
}

#[test]
fn a_sweep_loads_it_and_a_restored_copy_still_has_it() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    create_mine(&mut session, "SELECT 1");
    let sweep = session.number(
        "SELECT pgperf.start_sweep('mine', scales => '{1, 2}', clients => '{1}', repetitions => 1, transactions_per_client => 10, \
         collectors => '{}', options => '{\"rows\": 7}')",
    );
    session.value(&format!("CALL pgperf.wait_sweep({sweep})"));
    assert_eq!(
        session.value(&format!(
            "SELECT status FROM pgperf.sweeps WHERE sweep_id = {sweep}"
        )),
        "finished"
    );
    let loaded = session.value(
        "SELECT string_agg(concat_ws(' ', kind, scale, coalesce(spec -> 'variables' ->> 'rows', spec #>> '{load,options,rows}')), ', ' ORDER BY kind, scale) FROM pgperf.runs",
    );
    assert_eq!(loaded, "load 1 7, load 2 7, run 1 7, run 2 7");
    let definition = "SELECT md5(w::text) FROM pgperf_internal.stored_workloads w";
    let before = session.value(definition);
    copy(&cluster, &cluster, "copy", "custom");
    let mut copied = cluster.connect_to("copy");
    assert_eq!(copied.value(definition), before);
    // The tables of the original are not the copy's.
    let (_, message, _) = error_of(&mut copied, "SELECT pgperf.start_run('mine')");
    assert_eq!(message, "the data set of workload \"mine\" is not loaded");
    copied.value("DROP TABLE one, two CASCADE; DROP SEQUENCE s");
    copied.value("CALL pgperf.init('mine')");
    copied.finish_run("'mine', transactions_per_client => 3");
}
