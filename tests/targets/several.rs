//! Runs whose clients are spread over several targets.

use crate::common::pair::pgbench;
use crate::common::runs::{PATIENCE, Runs, error_of};
use crate::common::targets::{cluster_of, with_extensions};
use crate::common::{Cluster, StopMode, wait_until};
use postgres::Client;

/// A target with the extensions that runs ask there.
fn target() -> Cluster {
    let target = Cluster::new(&[]);
    with_extensions(&target);
    target
}

/// A cluster with pgperf whose superuser has these targets.
fn around(targets: &[(&str, &Cluster)]) -> (Cluster, Client) {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    for (name, target) in targets {
        cluster.add_target(name, target);
        session.value(&format!(
            "CREATE USER MAPPING FOR postgres SERVER {name} OPTIONS (user 'postgres')"
        ));
    }
    (cluster, session)
}

/// Has the pgbench of this machine load its tables into another server.
fn load(cluster: &Cluster, target: &Cluster, scale: u32) {
    let place = target.socket_dir().display().to_string();
    let (port, scale) = (target.port().to_string(), scale.to_string());
    pgbench(
        cluster,
        &[
            "-i", "-q", "-s", &scale, "-h", &place, "-p", &port, "postgres",
        ],
    );
}

/// Columns of the servers of a run, in their order.
fn servers(session: &mut Client, run: i64, columns: &str) -> String {
    session.value(&format!(
        "SELECT string_agg(concat_ws(' ', {columns}), ', ' ORDER BY server_no) FROM pgperf.run_servers WHERE run_id = {run}"
    ))
}

/// The report of a run as one line.
fn report(session: &mut Client, run: i64) -> String {
    session.value(&format!(
        "SELECT regexp_replace(string_agg(line, ' '), '\\s+', ' ', 'g') FROM pgperf.report({run}) line"
    ))
}

/// What the servers of a run have done is all that the run has done.
pub fn expect_sums(session: &mut Client, run: i64) {
    let wrong = session.value(&format!(
        "SELECT concat_ws(', ', CASE WHEN t.transactions <> s.transactions THEN 'transactions' END, \
                CASE WHEN abs(t.tps - s.tps) > 1e-6 * t.tps THEN 'tps' END, \
                CASE WHEN t.failed <> s.failed OR t.retries <> s.retries THEN 'failures' END, \
                CASE WHEN abs(t.latency_avg_ms - s.mean) > 1e-6 * t.latency_avg_ms THEN 'mean' END, \
                CASE WHEN t.latency_max_ms <> s.longest THEN 'longest' END, \
                CASE WHEN pgperf.histogram_quantiles(ARRAY[t.histogram], '{{0.5,0.95}}') <> s.quantiles THEN 'quantiles' END, \
                CASE WHEN i.transactions <> s.transactions OR i.failed <> s.failed THEN 'intervals' END, \
                CASE WHEN i.missing > 0 THEN 'missing intervals' END) \
           FROM (SELECT x.tps, y.* FROM pgperf.run_summary x JOIN pgperf_internal.run_totals y USING (node_id, run_id) WHERE run_id = {run}) t, \
                (SELECT sum(transactions) AS transactions, sum(tps) AS tps, sum(failed) AS failed, sum(retries) AS retries, \
                        sum(transactions * latency_avg_ms) / sum(transactions) AS mean, max(latency_max_ms) AS longest, \
                        pgperf.histogram_quantiles(array_agg(histogram), '{{0.5,0.95}}') AS quantiles \
                   FROM pgperf.run_servers WHERE run_id = {run}) s, \
                (SELECT sum(x.transactions) AS transactions, sum(x.failed) AS failed, \
                        count(*) FILTER (WHERE x.of_servers IS DISTINCT FROM x.of_run) AS missing \
                   FROM (SELECT interval_no, sum(s.transactions) AS transactions, sum(s.failed) AS failed, \
                                sum(s.transactions) AS of_servers, i.transactions AS of_run \
                           FROM pgperf.run_intervals i LEFT JOIN pgperf.run_server_intervals s USING (node_id, run_id, interval_no) \
                          WHERE run_id = {run} GROUP BY interval_no, i.transactions) x) i"
    ));
    assert_eq!(wrong, "", "run {run}");
}

#[test]
fn clients_are_spread_by_weight_and_each_server_has_its_figures() {
    let (one, other) = (target(), target());
    let (cluster, mut session) = around(&[("one", &one), ("other", &other)]);
    load(&cluster, &one, 1);
    load(&cluster, &other, 1);
    let run = session.finish_run(
        "'select-only', servers => '{one@3, other}', clients => 8, workers => 2, transactions_per_client => 50, sample_interval => '0.1 s', \
         before_sql => 'CREATE TABLE noted (i int)', after_sql => 'INSERT INTO noted VALUES (1)'",
    );
    let known = servers(
        &mut session,
        run,
        "server, weight, clients, aborted, transactions, in_recovery",
    );
    assert_eq!(known, "one 3 6 0 300 f, other 1 2 0 100 f");
    expect_sums(&mut session, run);
    // As each of them has it.
    for (server, calls) in [(&one, 300), (&other, 100)] {
        let counted =
            "SELECT sum(calls) FROM pg_stat_statements WHERE query LIKE 'SELECT abalance%'";
        assert_eq!(server.connect().number(counted), calls);
        let version = server.run_sql("SHOW server_version");
        assert_eq!(
            session.value(&format!(
                "SELECT DISTINCT server_version FROM pgperf.run_servers WHERE run_id = {run}"
            )),
            version
        );
    }
    // Each is sampled, with its own counters.
    let sampled = session.value(&format!(
        "SELECT string_agg(concat_ws(' ', name, samples > 1), ', ' ORDER BY name) \
           FROM (SELECT n.name, count(*) AS samples FROM pgperf.samples JOIN pgperf.nodes n USING (node_id) \
                  WHERE run_id = {run} GROUP BY n.node_id, n.name) q"
    ));
    assert_eq!(sampled, "one t, other t");
    // Statements beside the run are executed on the first one.
    assert_eq!(one.connect().number("SELECT sum(i) FROM noted"), 1);
    let none = "SELECT count(*) FROM pg_class WHERE relname = 'noted'";
    assert_eq!(other.connect().number(none), 0);
    let named = format!("SELECT server FROM pgperf.runs WHERE run_id = {run}");
    assert_eq!(session.value(&named), "one@3, other@1");
    let text = report(&mut session, run);
    for part in [
        "servers: one@3, other@1",
        " 75.0 ",
        " on one",
        "relations are those of one.",
        "servers => ARRAY['one@3', 'other']",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let document = session.value(&format!(
        "SELECT concat_ws(' ', j -> 'servers' -> 0 ->> 'clients', jsonb_array_length(j -> 'servers' -> 1 -> 'intervals') > 0, \
                (SELECT sum((i ->> 'transactions')::int) FROM jsonb_array_elements(j -> 'servers' -> 1 -> 'intervals') i), \
                j -> 'run' -> 'spec' -> 'servers' -> 0 ->> 'weight') \
           FROM pgperf.report_json({run}) j"
    ));
    assert_eq!(document, "6 t 100 3");
    let page = session.page(&format!("pgperf.report_html({run})"));
    for part in ["Transactions of each server", "Mean latency on each server"] {
        assert!(page.contains(part), "{part}");
    }
    session.expect_no_workers("the run");
    expect_a_copy(&mut session, run);
    expect_a_comparison(&mut session, run);
    expect_the_same_server_after_each_connection(&mut session, [&one, &other]);
    expect_vacuums_on_each(&mut session, [&one, &other]);
    expect_refusals(&cluster, &mut session, &other);
}

/// Another server that reads the run's document has the same of it.
fn expect_a_copy(session: &mut Client, run: i64) {
    let document = session.value(&format!("SELECT pgperf.export_run({run})"));
    let elsewhere = Cluster::for_scripts(&[]);
    let mut reader = elsewhere.connect();
    let row = reader
        .query_one("SELECT pgperf.import_run($1::text::jsonb)", &[&document])
        .expect("an import");
    let copy: i64 = row.get(0);
    let of_run = |run: i64| {
        format!(
            "SELECT md5(string_agg(s::text, ' ' ORDER BY s)) FROM (\
                SELECT to_jsonb(s) - '{{node_id,run_id}}'::text[] FROM pgperf.run_servers s WHERE run_id = {run} UNION ALL \
                SELECT to_jsonb(s) - '{{node_id,run_id}}'::text[] FROM pgperf.run_server_intervals s WHERE run_id = {run}) s (s)"
        )
    };
    assert_eq!(reader.value(&of_run(copy)), session.value(&of_run(run)));
    reader.value(&format!("SELECT pgperf.delete_run({copy})"));
    let left = "SELECT (SELECT count(*) FROM pgperf.run_servers) + (SELECT count(*) FROM pgperf.run_server_intervals)";
    assert_eq!(reader.number(left), 0);
}

/// Servers of the same name are compared, and other weights are a condition.
fn expect_a_comparison(session: &mut Client, run: i64) {
    let other = session.finish_run(
        "'select-only', servers => '{one, other}', clients => 8, workers => 2, transactions_per_client => 50",
    );
    let compared = session.value(&format!(
        "SELECT string_agg(concat_ws(' ', object, baseline > 0, candidate > 0), ', ' ORDER BY object) \
           FROM pgperf.compare({run}, {other}) WHERE category = 'servers' AND metric = 'latency_avg_ms'"
    ));
    assert_eq!(compared, "one t t, other t t");
    let condition = session.value(&format!(
        "SELECT concat_ws(' ', baseline_text, candidate_text) FROM pgperf.compare({run}, {other}) WHERE category = 'settings' AND metric = 'servers'"
    ));
    assert_eq!(condition, "[\"one@3\",\"other\"] [\"one\",\"other\"]");
}

fn expect_the_same_server_after_each_connection(session: &mut Client, both: [&Cluster; 2]) {
    for server in both {
        server.run_sql("CREATE TABLE who (client int, path text); CREATE SCHEMA lab; ALTER DATABASE postgres SET search_path = public, pg_catalog");
    }
    both[1].run_sql("ALTER DATABASE postgres SET search_path = public, lab");
    let run = session.finish_run(
        "script => 'INSERT INTO who VALUES (:client_id, current_setting(''search_path''));', servers => '{other, one@2}', clients => 5, \
         transactions_per_client => 4, connect_each_transaction => true, schema => 'lab'",
    );
    let known = servers(session, run, "server, clients, transactions");
    assert_eq!(known, "other 2 8, one 3 12");
    for (server, expected) in [
        (
            both[1],
            "0 4 \"lab\", public, lab; 4 4 \"lab\", public, lab",
        ),
        (
            both[0],
            "1 4 \"lab\", public, pg_catalog; 2 4 \"lab\", public, pg_catalog; 3 4 \"lab\", public, pg_catalog",
        ),
    ] {
        let seen = server.run_sql(
            "SELECT string_agg(concat_ws(' ', client, n, path), '; ' ORDER BY client) FROM (SELECT client, path, count(*) AS n FROM public.who GROUP BY 1, 2) w",
        );
        assert_eq!(seen, expected);
    }
}

fn expect_vacuums_on_each(session: &mut Client, both: [&Cluster; 2]) {
    for server in ["one", "other"] {
        session.value(&format!(
            "CALL pgperf.init('tpcb-like', server => '{server}', schema => 'lab')"
        ));
    }
    for server in both {
        server.run_sql("INSERT INTO lab.pgbench_history VALUES (1, 1, 1, 1)");
    }
    session.finish_run(
        "'select-only', servers => '{one, other}', clients => 2, transactions_per_client => 1, vacuum => 'standard', schema => 'lab'",
    );
    for server in both {
        let left = server.run_sql("SELECT count(*) FROM lab.pgbench_history");
        assert_eq!(left, "0");
    }
}

fn expect_refusals(cluster: &Cluster, session: &mut Client, other: &Cluster) {
    const RUNS: &str = "SELECT count(*) FROM pgperf.runs";
    let before = session.number(RUNS);
    load(cluster, other, 2);
    for (arguments, code, part) in [
        (
            "servers => '{one, other}', clients => 2",
            "22023",
            "the tables of workload \"tpcb-like\" have scale 1 on server \"one\" and 2 on server \"other\"",
        ),
        (
            "servers => '{one, other}'",
            "22023",
            "clients must be at least the number of servers, 2, not 1",
        ),
        (
            "servers => '{one, one@2}', clients => 2",
            "22023",
            "server \"one\" is in servers twice",
        ),
        (
            "servers => '{one, other@0}', clients => 2",
            "22023",
            "weight of server \"other\" must be an integer from 1",
        ),
        ("servers => '{}'", "22023", "servers must not be empty"),
        (
            "servers => '{one, NULL}', clients => 2",
            "22023",
            "empty name",
        ),
        (
            "servers => '{one}', server => 'one'",
            "22023",
            "server and servers exclude each other",
        ),
        (
            "servers => '{one}', resume => true",
            "22023",
            "resume and servers exclude each other",
        ),
        (
            "servers => '{one, nobody}', clients => 2",
            "42704",
            "server \"nobody\" does not exist",
        ),
        (
            "script => 'SELECT 1;', servers => '{one, other}', clients => 2, settings => '{\"nonsense\": \"1\"}'",
            "42704",
            "setting \"nonsense\" cannot be set for a run",
        ),
    ] {
        let sql = format!("SELECT pgperf.start_run({arguments})");
        let (found, message, _) = error_of(session, &sql);
        assert_eq!(found, code, "{arguments}: {message}");
        assert!(message.contains(part), "{arguments}: {message}");
    }
    other.run_sql("DROP TABLE public.pgbench_accounts, public.pgbench_branches, public.pgbench_tellers, public.pgbench_history");
    let (_, message, _) = error_of(
        session,
        "SELECT pgperf.start_run('select-only', servers => '{one, other}', clients => 2)",
    );
    assert_eq!(
        message,
        "the tables of workload \"select-only\" are in schema public on server \"one\" and lab on server \"other\""
    );
    // Who has no table is named.
    other.run_sql("DROP TABLE lab.pgbench_accounts");
    let call = "SELECT pgperf.start_run('select-only', servers => '{one, other}', clients => 2)";
    let (code, _, hint) = error_of(session, call);
    assert_eq!(code, "42P01");
    assert!(hint.contains("server => 'other'"), "{hint}");
    // USAGE is asked for on each.
    session.value("CREATE ROLE tester LOGIN");
    session
        .batch_execute("GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA pgperf TO tester; REVOKE USAGE ON FOREIGN SERVER other FROM PUBLIC")
        .expect("rights");
    for server in ["one", "other"] {
        session.value(&format!(
            "CREATE USER MAPPING FOR tester SERVER {server} OPTIONS (user 'postgres', password_required 'false')"
        ));
    }
    let mut tester = cluster.connect_as("tester");
    let call =
        "SELECT pgperf.start_run(script => 'SELECT 1;', servers => '{one, other}', clients => 2)";
    let (code, message, _) = error_of(&mut tester, call);
    assert_eq!(
        (code.as_str(), message.as_str()),
        ("42501", "permission denied for foreign server other")
    );
    assert_eq!(session.number(RUNS), before);
}

#[test]
fn a_primary_and_its_standby() {
    let primary = Cluster::new(&[
        "wal_level = replica",
        "max_wal_senders = 4",
        "hot_standby = on",
    ]);
    with_extensions(&primary);
    let (cluster, mut session) = around(&[("primary_server", &primary)]);
    load(&cluster, &primary, 1);
    primary.run_sql("SELECT pg_create_physical_replication_slot('standby')");
    let standby = primary.standby("standby");
    let position = primary.run_sql("SELECT pg_current_wal_lsn()");
    wait_until("the replay", PATIENCE, || {
        standby.run_sql(&format!("SELECT pg_last_wal_replay_lsn() >= '{position}'")) == "t"
    });
    cluster.add_target("replica", &standby);
    session.value("CREATE USER MAPPING FOR postgres SERVER replica OPTIONS (user 'postgres')");
    let run = session.finish_run(
        "'select-only', servers => '{primary_server, replica@2}', clients => 6, transactions_per_client => 20",
    );
    let known = servers(
        &mut session,
        run,
        "server, clients, transactions, in_recovery",
    );
    assert_eq!(known, "primary_server 2 40 f, replica 4 80 t");
    expect_sums(&mut session, run);
    let text = report(&mut session, run);
    assert!(
        text.contains("15") && text.contains(", a standby."),
        "{text}"
    );
    // What writes ends the clients of the standby, and the others go on.
    let run = session.start_run(
        "'tpcb-like', servers => '{primary_server, replica}', clients => 4, transactions_per_client => 20",
    );
    session.wait_for_status(run, "failed");
    let known = servers(&mut session, run, "server, clients, aborted, transactions");
    assert_eq!(known, "primary_server 2 0 40, replica 2 2 0");
    expect_sums(&mut session, run);
    let error = format!(
        "SELECT string_agg(DISTINCT sqlstate, ' ') FROM pgperf.run_errors WHERE run_id = {run}"
    );
    assert_eq!(session.value(&error), "25006");
}

#[test]
fn two_majors() {
    let (one, Some(other)) = (target(), cluster_of("18")) else {
        return;
    };
    let (cluster, mut session) = around(&[("one", &one), ("other", &other)]);
    load(&cluster, &one, 1);
    load(&cluster, &other, 1);
    let run = session.finish_run(
        "'tpcb-like', servers => '{one, other}', clients => 4, transactions_per_client => 25, random_seed => 3",
    );
    for (server, name) in [(&one, "one"), (&other, "other")] {
        let history = "SELECT count(*) FROM pgbench_history";
        assert_eq!(server.connect().number(history), 50);
        let version = session.value(&format!(
            "SELECT server_version FROM pgperf.run_servers WHERE run_id = {run} AND server = '{name}'"
        ));
        assert_eq!(version, server.connect().value("SHOW server_version"));
    }
    expect_sums(&mut session, run);
}

#[test]
fn the_others_go_on_when_one_goes_away() {
    let (one, other) = (target(), target());
    let (_cluster, mut session) = around(&[("one", &one), ("other", &other)]);
    let run = session.start_busy_run(
        "script => 'SELECT 1;', servers => '{one, other}', clients => 4, duration => '1 h', sample_interval => '0.2 s', rate => 200",
    );
    other.stop(StopMode::Immediate);
    let of_other = |condition: &str| {
        format!(
            "SELECT count(*) FROM pgperf.run_server_intervals WHERE run_id = {run} AND server_no = 1 AND {condition}"
        )
    };
    wait_until("intervals without the other", PATIENCE, || {
        session.number(&of_other("transactions = 0")) >= 2
    });
    assert_eq!(session.status(run), "running");
    session.await_intervals(run, 2);
    // What is known so far.
    let so_far = session.value(&format!(
        "SELECT string_agg(concat_ws(' ', s ->> 'server', s ->> 'clients', (s ->> 'transactions')::int > 0, s ->> 'aborted' IS NULL), ', ') \
           FROM jsonb_array_elements(pgperf.report_json({run}) -> 'servers') s"
    ));
    assert_eq!(so_far, "one 2 t t, other 2 t t");
    session.value(&format!("SELECT pgperf.stop_run({run})"));
    session.value(&format!("CALL pgperf.wait_run({run})"));
    let known = servers(
        &mut session,
        run,
        "server, clients, aborted, transactions > 0, seconds < (SELECT max(seconds) FROM pgperf.run_servers)",
    );
    assert_eq!(known, "one 2 0 t f, other 2 2 t t");
    expect_sums(&mut session, run);
    let last = session.value(&format!(
        "SELECT string_agg(concat_ws(' ', server_no, transactions > 0), ', ' ORDER BY server_no) FROM pgperf.run_server_intervals \
          WHERE run_id = {run} AND interval_no = (SELECT max(interval_no) - 1 FROM pgperf.run_intervals WHERE run_id = {run})"
    ));
    assert_eq!(last, "0 t, 1 f");
    let text = report(&mut session, run);
    assert!(
        text.contains("other: errors ended all of its 2 clients, the last after"),
        "{text}"
    );
    session.expect_no_workers("the run");
}
