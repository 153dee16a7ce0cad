//! Runs whose clients connect to a target.

use crate::common::pair::{pgbench, pgbench_init};
use crate::common::runs::{PATIENCE, Runs, at_once, error_of};
use crate::common::targets::{cluster_of, with_extensions};
use crate::common::{Cluster, StopMode, wait_until};
use postgres::Client;

/// A cluster with pgperf whose superuser has this target, with pgbench's tables at scale 1 there.
fn around(target: &Cluster) -> (Cluster, Client, Client) {
    let cluster = Cluster::for_runs(&[]);
    cluster.add_target("target", target);
    let mut session = cluster.connect();
    session.value("CREATE USER MAPPING FOR postgres SERVER target OPTIONS (user 'postgres')");
    load(&cluster, target, "postgres");
    (cluster, session, target.connect())
}

/// Has the pgbench of this machine load its tables into another server.
fn load(cluster: &Cluster, target: &Cluster, database: &str) {
    let (place, port) = (target.socket_dir(), target.port().to_string());
    let place = place.display().to_string();
    pgbench(cluster, &["-i", "-q", "-h", &place, "-p", &port, database]);
}

fn here() -> (Cluster, Cluster, Client, Client) {
    let target = Cluster::new(&[]);
    with_extensions(&target);
    let (cluster, session, there) = around(&target);
    (target, cluster, session, there)
}

fn expect_a_run(target: &Cluster) {
    let (_cluster, mut session, mut there) = around(target);
    let version = there.value("SHOW server_version");
    let version = version.split(' ').next().expect("a version").to_owned();
    let run = session.finish_run(
        "'tpcb-like', server => 'target', clients => 2, transactions_per_client => 50, random_seed => 7, \
         before_sql => 'CREATE TABLE noted AS SELECT 1 AS i', after_sql => 'INSERT INTO noted VALUES (2)'",
    );
    // What it did, as the target itself has it.
    assert_eq!(there.number("SELECT count(*) FROM pgbench_history"), 100);
    assert_eq!(there.number("SELECT sum(i) FROM noted"), 3);
    let sums = "SELECT (SELECT sum(abalance) FROM pgbench_accounts) = (SELECT sum(delta) FROM pgbench_history)";
    assert_eq!(there.value(sums), "t");
    let failed = session.value(
        "SELECT concat_ws(' ', count(*) > 3, string_agg(check_name, ', ') FILTER (WHERE NOT passed)) FROM pgperf.check('tpcb-like', server => 'target')",
    );
    assert_eq!(failed, "t");
    there.value("UPDATE pgbench_branches SET bbalance = bbalance + 1");
    let failed = "SELECT string_agg(check_name || coalesce(': ' || detail, ''), ', ') FROM pgperf.check('tpcb-like', server => 'target') WHERE NOT passed";
    let failed = session.value(failed);
    assert!(failed.contains("balance"), "{failed}");
    // Nothing was done here.
    let tables = "SELECT count(*) FROM pg_class WHERE relname = 'noted'";
    assert_eq!(session.number(tables), 0);
    assert_eq!(session.number("SELECT count(*) FROM pgbench_history"), 0);
    // What this server knows of itself is no figure of the run.
    let known = session.value(&format!(
        "SELECT concat_ws(' ', server, server_version, r.scale, transactions, start_lsn IS NULL, end_lsn IS NULL, start_full_xid IS NULL) \
           FROM pgperf.runs r JOIN pgperf.run_summary USING (node_id, run_id) WHERE run_id = {run}"
    ));
    assert_eq!(known, format!("target {version} 1 100 t t t"));
    let samples = format!(
        "SELECT string_agg(DISTINCT n.name, ' ') FROM pgperf.samples JOIN pgperf.nodes n USING (node_id) WHERE run_id = {run}"
    );
    assert_eq!(session.value(&samples), "target");
    // What the target tells.
    let relation = session.value(&format!(
        "SELECT n_tup_ins FROM pgperf.run_relations WHERE run_id = {run} AND relation_name = 'pgbench_history'"
    ));
    assert_eq!(relation, "100");
    let metrics = session.value(&format!(
        "SELECT bool_and(value > 0) FROM pgperf.run_metrics WHERE run_id = {run} AND metric IN ('wal_bytes', 'xids')"
    ));
    assert_eq!(metrics, "t");
    let environment = session.value(&format!(
        "SELECT string_agg(value, ' ' ORDER BY name) FROM pgperf.run_environment WHERE run_id = {run} AND name IN ('version_number', 'system_identifier')"
    ));
    let expected = there.value("SELECT concat_ws(' ', (SELECT system_identifier FROM pg_control_system()), current_setting('server_version_num'))");
    assert_eq!(environment, expected);
    let report = session.value(&format!(
        "SELECT string_agg(line, E'\\n') FROM pgperf.report({run}) line"
    ));
    assert!(report.contains("target"), "{report}");
    session.expect_no_workers("the run");
}

fn expect_a_run_on(major: &str) {
    if let Some(target) = cluster_of(major) {
        expect_a_run(&target);
    }
}

#[test]
fn on_9_6() {
    expect_a_run_on("9.6");
}

#[test]
fn on_10() {
    expect_a_run_on("10");
}

#[test]
fn on_13() {
    expect_a_run_on("13");
}

#[test]
fn on_18() {
    expect_a_run_on("18");
}

#[test]
fn on_the_servers_own() {
    let target = Cluster::new(&[]);
    with_extensions(&target);
    expect_a_run(&target);
}

#[test]
fn the_same_seed_leaves_the_same_rows_as_here() {
    let (_target, cluster, mut session, mut there) = here();
    pgbench_init(&cluster, "postgres", 1);
    let run = "'tpcb-like', clients => 3, transactions_per_client => 40, random_seed => 11";
    session.finish_run(run);
    session.finish_run(&format!(
        "{run}, server => 'target', query_mode => 'extended'"
    ));
    let rows = "SELECT md5(string_agg(concat_ws(' ', tid, bid, aid, delta), ',' ORDER BY tid, bid, aid, delta)) FROM pgbench_history";
    assert_eq!(session.value(rows), there.value(rows));
}

#[test]
fn what_is_about_this_server_is_refused() {
    const RUNS: &str = "SELECT count(*) FROM pgperf.runs";
    let (_target, _cluster, mut session, _there) = here();
    let before = session.number(RUNS);
    for (arguments, code, part) in [
        (
            "collectors => '{wal}'",
            "22023",
            "collectors and server exclude each other",
        ),
        ("caches => 'cold'", "22023", "caches and server"),
        ("resume => true", "22023", "resume and server"),
        (
            "drain_sql => 'SELECT true'",
            "22023",
            "drain_sql and server",
        ),
        (
            r#"disturbances => '[{"kind": "checkpoint", "at": "1 s"}]'"#,
            "22023",
            "disturbances and server",
        ),
        (
            "hit_curve => true",
            "22023",
            "hit_curve is not possible over the wire",
        ),
        (
            r#"settings => '{"nonsense": "1"}'"#,
            "42704",
            "setting \"nonsense\" cannot be set for a run",
        ),
        (
            r#"settings => '{"work_mem": "many"}'"#,
            "22023",
            "setting \"work_mem\" cannot be set for a run",
        ),
        (
            r#"settings => '{"shared_buffers": "1GB"}'"#,
            "55P02",
            "setting \"shared_buffers\" cannot be set for a run",
        ),
        (
            "schema => 'elsewhere'",
            "42P01",
            "relation \"pgbench_branches\" of workload \"tpcb-like\" does not exist",
        ),
        ("vacuum => 'standard'", "22023", "pgperf did not create it"),
    ] {
        let sql = format!("SELECT pgperf.start_run(server => 'target', {arguments})");
        let (found, message, _) = error_of(&mut session, &sql);
        assert_eq!(found, code, "{arguments}: {message}");
        assert!(message.contains(part), "{arguments}: {message}");
    }
    let (code, message, _) = error_of(&mut session, "SELECT pgperf.start_run(server => 'nobody')");
    assert_eq!(
        (code.as_str(), message.as_str()),
        ("42704", "server \"nobody\" does not exist")
    );
    let (_, _, hint) = error_of(
        &mut session,
        "SELECT pgperf.start_run('tpcc-like', server => 'target')",
    );
    assert_eq!(
        hint,
        "Create it: CALL pgperf.init('tpcc-like', scale => 1, server => 'target'), or name its schema: schema => '...'"
    );
    assert_eq!(session.number(RUNS), before);
}

#[test]
fn settings_and_schemas_are_those_of_the_target() {
    let (_target, _cluster, mut session, mut there) = here();
    there
        .batch_execute("CREATE SCHEMA bench; CREATE TABLE bench.noted (path text, own text, mem text); CREATE TABLE public.noted (LIKE bench.noted)")
        .expect("tables");
    session.value("SET search_path = nowhere");
    let script = "script => 'INSERT INTO noted VALUES (current_setting(''search_path''), current_setting(''my.text''), current_setting(''work_mem''));'";
    let run = |more: &str| {
        format!(
            "{script}, transactions_per_client => 2, server => 'target', settings => '{{\"my.text\": \"a b\"}}'{more}"
        )
    };
    session.finish_run(&run(""));
    let noted = |table: &str| {
        format!("SELECT string_agg(DISTINCT concat_ws('|', path, own), ' ') FROM {table}")
    };
    assert_eq!(there.value(&noted("public.noted")), "\"$user\", public|a b");
    session.finish_run(&run(", schema => 'bench'"));
    assert_eq!(
        there.value(&noted("bench.noted")),
        "\"bench\", \"$user\", public|a b"
    );
    // Settings that take turns are the sessions' own.
    let turns = session.finish_run(
        "script => 'INSERT INTO noted VALUES ('''', '''', current_setting(''work_mem''));', duration => '4 s', server => 'target', rate => 200, \
         alternate => '{\"work_mem\": [\"71kB\", \"72kB\"]}', alternate_every => '0.5 s'",
    );
    let sides = there.value("SELECT string_agg(DISTINCT mem, ' ') FROM noted WHERE path = ''");
    assert_eq!(sides, "71kB 72kB", "run {turns}");
}

#[test]
fn a_role_runs_as_its_mapping_says() {
    let (target, cluster, mut superuser, mut there) = here();
    there.value("CREATE ROLE bench LOGIN PASSWORD 'secret'");
    there
        .batch_execute("CREATE TABLE who (name text, db text); GRANT INSERT ON who TO bench")
        .expect("a table");
    target.ask_for_passwords();
    superuser.value("CREATE ROLE tester LOGIN IN ROLE pg_monitor");
    superuser
        .batch_execute("GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA pgperf TO tester")
        .expect("rights");
    let mut tester = cluster.connect_as("tester");
    let run = "script => 'INSERT INTO who VALUES (current_user, current_database());', transactions_per_client => 1, server => 'target'";
    let (code, ..) = error_of(&mut tester, &format!("SELECT pgperf.start_run({run})"));
    assert_eq!(code, "42704");
    superuser.value(
        "CREATE USER MAPPING FOR tester SERVER target OPTIONS (user 'bench', password 'secret')",
    );
    let id = tester.finish_run(&format!(
        "{run}, before_sql => 'INSERT INTO who VALUES (''before'', current_user)'"
    ));
    let who =
        there.value("SELECT string_agg(concat_ws(' ', name, db), ', ' ORDER BY name) FROM who");
    assert_eq!(who, "before bench, bench postgres");
    for table in ["stored_runs", "run_totals"] {
        let told = superuser.number(&format!(
            "SELECT count(*) FROM pgperf_internal.{table} t WHERE run_id = {id} AND t::text LIKE '%secret%'"
        ));
        assert_eq!(told, 0, "{table}");
    }
    let log = cluster.log();
    let told = log.lines().filter(|line| line.contains("secret"));
    let told: Vec<&str> = told
        .filter(|line| !line.contains("CREATE USER MAPPING"))
        .collect();
    assert!(told.is_empty(), "{told:?}");
}

#[test]
fn a_stop_cancels_the_statements_there() {
    let (_target, _cluster, mut session, mut there) = here();
    for (arguments, status) in [
        (
            "before_sql => 'SELECT pg_sleep(600)', clients => 1",
            "preparing",
        ),
        ("script => 'SELECT pg_sleep(600);', clients => 2", "running"),
    ] {
        let run = session.start_run(&format!("{arguments}, server => 'target'"));
        session.wait_for_status(run, status);
        let sleeping = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(600)%' AND state = 'active' AND pid <> pg_backend_pid()";
        wait_until("the statement", PATIENCE, || there.number(sleeping) > 0);
        session.value(&format!("SELECT pgperf.stop_run({run})"));
        session.wait_for_status(run, "draining");
        at_once("a second stop", || {
            session.value(&format!("SELECT pgperf.stop_run({run})"));
            session.wait_for_status(run, "stopped");
            wait_until("its end there", PATIENCE, || there.number(sleeping) == 0);
        });
    }
    session.expect_no_workers("the stops");
}

#[test]
fn a_target_that_goes_away_fails_the_run_and_what_was_measured_is_kept() {
    let (target, _cluster, mut session, _there) = here();
    let run = session.start_busy_run("'select-only', server => 'target', clients => 2, duration => '10 min', sample_interval => '0.2 s'");
    session.await_intervals(run, 3);
    target.stop(StopMode::Immediate);
    session.wait_for_status(run, "failed");
    let kept = session.value(&format!(
        "SELECT concat_ws(' ', transactions > 0, sqlstate ~ '^(57P|08)') FROM pgperf.run_summary JOIN pgperf.runs USING (node_id, run_id) WHERE run_id = {run}"
    ));
    assert_eq!(kept, "t t");
    session.expect_no_workers("the failed run");
}

/// Somebody's data may take long to check.
#[test]
fn a_cancel_of_a_check_is_one_there() {
    let (_target, cluster, mut session, mut there) = here();
    there
        .batch_execute(
            "CREATE ROLE bench LOGIN; GRANT ALL ON ALL TABLES IN SCHEMA public TO bench; \
             ALTER TABLE pgbench_tellers ENABLE ROW LEVEL SECURITY; \
             CREATE POLICY slow ON pgbench_tellers USING (pg_sleep(600) IS NOT NULL)",
        )
        .expect("a policy");
    session.value("ALTER USER MAPPING FOR postgres SERVER target OPTIONS (SET user 'bench')");
    let mut other = cluster.connect();
    let cancel = session.cancel_token();
    let check = std::thread::spawn(move || {
        let checked =
            session.simple_query("SELECT * FROM pgperf.check('tpcb-like', server => 'target')");
        checked
            .map(drop)
            .map_err(|error| error.code().map(|code| code.code().to_owned()))
    });
    let running =
        "SELECT count(*) FROM pg_stat_activity WHERE usename = 'bench' AND wait_event = 'PgSleep'";
    wait_until("the check", PATIENCE, || there.number(running) == 1);
    at_once("a cancel", || {
        cancel.cancel_query(postgres::NoTls).expect("a cancel");
        let ended = check.join().expect("the check");
        assert_eq!(ended, Err(Some("57014".to_owned())));
        wait_until("its end there", PATIENCE, || there.number(running) == 0);
    });
    assert_eq!(other.value("SELECT 1"), "1");
}
