//! Samples of a target beside a run: what is in the history is what the target's own views say, and its standbys, rights and majors.

use crate::common::pair::{pgbench, pgbench_init};
use crate::common::runs::{PATIENCE, Runs};
use crate::common::targets::{cluster_of, with_extensions};
use crate::common::{Cluster, wait_until};
use postgres::Client;

/// Nothing but the run's clients writes there.
const QUIET: [&str; 3] = [
    "autovacuum = off",
    "checkpoint_timeout = '1h'",
    "track_io_timing = on",
];

fn quiet(target: &Cluster) {
    let mut there = target.connect();
    for setting in QUIET {
        there
            .batch_execute(&format!("ALTER SYSTEM SET {setting}"))
            .expect("a setting");
    }
    there.value("SELECT pg_reload_conf()");
    load(target);
    there.batch_execute("CHECKPOINT").expect("a checkpoint");
}

/// The pgbench of this machine loads its tables there.
fn load(target: &Cluster) {
    let (place, port) = (
        target.socket_dir().display().to_string(),
        target.port().to_string(),
    );
    let own = Cluster::new(&[]);
    pgbench(&own, &["-i", "-q", "-h", &place, "-p", &port, "postgres"]);
}

fn sampled_by(target: &Cluster, name: &str) -> (Cluster, Client) {
    let cluster = Cluster::for_scripts(&[]);
    cluster.add_target(name, target);
    let mut session = cluster.connect();
    session.value(&format!(
        "CREATE USER MAPPING FOR postgres SERVER {name} OPTIONS (user 'postgres')"
    ));
    (cluster, session)
}

/// The sum of the differences of a counter over the samples of a run.
fn summed(session: &mut Client, view: &str, column: &str, run: i64, of: &str) -> i64 {
    // The first sample counts from a sample before the run, or from none.
    session.number(&format!(
        "SELECT sum(d.{column})::int8 FROM pgperf.{view} d JOIN pgperf.nodes n USING (node_id) \
          WHERE n.name = 'target' AND d.run_id = {run} AND ({of}) \
            AND d.sample_id > (SELECT min(s.sample_id) FROM pgperf.samples s WHERE s.node_id = d.node_id AND s.run_id = {run})"
    ))
}

/// What a query says after a run less what it said before.
struct Judge {
    there: Client,
    queries: Vec<(&'static str, String)>,
    before: Vec<i64>,
}

impl Judge {
    fn new(mut there: Client, queries: Vec<(&'static str, String)>) -> Judge {
        let before = queries.iter().map(|(_, sql)| there.number(sql)).collect();
        Judge {
            there,
            queries,
            before,
        }
    }

    fn at(&self, name: &str) -> usize {
        let at = self.queries.iter().position(|(known, _)| *known == name);
        at.expect("a query of that name")
    }

    fn before(&self, name: &str) -> i64 {
        self.before[self.at(name)]
    }

    fn difference(&mut self, name: &str) -> i64 {
        let at = self.at(name);
        self.there.number(&self.queries[at].1) - self.before[at]
    }
}

fn queries(version: i64) -> Vec<(&'static str, String)> {
    let of_database = |column: &str| {
        format!("SELECT {column} FROM pg_stat_database WHERE datname = current_database()")
    };
    let lsn = "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::int8";
    let checkpoints = match version {
        170_000.. => "SELECT num_requested FROM pg_stat_checkpointer",
        _ => "SELECT checkpoints_req FROM pg_stat_bgwriter",
    };
    let mut queries = vec![
        ("inserted", of_database("tup_inserted")),
        ("updated", of_database("tup_updated")),
        ("wal", lsn.to_owned()),
        ("checkpoints", checkpoints.to_owned()),
        (
            "xids",
            "SELECT txid_snapshot_xmax(txid_current_snapshot())".to_owned(),
        ),
    ];
    if version >= 140_000 {
        queries.push(("records", "SELECT wal_records FROM pg_stat_wal".to_owned()));
    }
    if version >= 180_000 {
        let syncs = "SELECT sum(fsyncs)::int8 FROM pg_stat_io WHERE object = 'wal' AND backend_type = 'client backend'";
        queries.push(("syncs", syncs.to_owned()));
    }
    queries
}

fn expect_what_the_views_say(target: &Cluster) {
    quiet(target);
    let (cluster, mut session) = sampled_by(target, "target");
    let mut there = target.connect();
    let version = there.number("SHOW server_version_num");
    let mut judge = Judge::new(target.connect(), queries(version));
    let run = session.start_busy_run(
        "'tpcb-like', server => 'target', clients => 2, rate => 100, transactions_per_client => 100, sample_interval => '250 ms'",
    );
    there.batch_execute("CHECKPOINT").expect("a checkpoint");
    session.wait_for_status(run, "finished");
    let lost = format!("SELECT history_error FROM pgperf.runs WHERE run_id = {run}");
    assert_eq!(session.value(&lost), "");

    // At the start, in between and at the end.
    let samples = session.value(&format!(
        "SELECT concat_ws(' ', count(*) > 4, count(*) FILTER (WHERE cadence IS NULL), count(DISTINCT node_id), count(DISTINCT epoch)) \
           FROM pgperf.samples WHERE run_id = {run}"
    ));
    assert_eq!(samples, "t 2 1 1");
    let mut sum = |view: &str, column: &str, of: &str| summed(&mut session, view, column, run, of);
    let of_database = "d.database_name = 'postgres'";
    assert_eq!(sum("database_deltas", "tup_inserted", of_database), 200);
    assert_eq!(judge.difference("inserted"), 200);
    assert_eq!(
        sum("database_deltas", "tup_updated", of_database),
        judge.difference("updated")
    );
    let near = |ours: i64, theirs: i64, by: i64| {
        assert!((ours - theirs).abs() <= by, "{ours} beside {theirs}");
    };
    let sampled = sum("wal_deltas", "lsn_bytes", "true");
    near(
        sum("wal_deltas", "xids", "true"),
        judge.difference("xids"),
        2,
    );
    assert_eq!(sum("checkpoint_deltas", "num_requested", "true"), 1);
    assert_eq!(judge.difference("checkpoints"), 1);
    if version >= 140_000 {
        near(
            sum("wal_deltas", "wal_records", "true"),
            judge.difference("records"),
            20,
        );
    }
    let io = "d.object = 'wal' AND d.backend_type = 'client backend'";
    if version >= 180_000 {
        assert_eq!(sum("io_deltas", "fsyncs", io), judge.difference("syncs"));
    }
    // What is written while the run prepares is none of its samples.
    let first = session.number(&format!(
        "SELECT min(insert_lsn - '0/0')::int8 FROM pgperf.wal_history WHERE run_id = {run}"
    ));
    let preparing = first - judge.before("wal");
    assert!(preparing >= 0, "{preparing}");
    near(sampled + preparing, judge.difference("wal"), 8_192);
    expect_states(&mut session, &mut there, run, version);
    expect_its_node(&cluster, &mut session, target, run);
}

/// What is no counter.
fn expect_states(session: &mut Client, there: &mut Client, run: i64, version: i64) {
    let age = "SELECT age(datfrozenxid) FROM pg_database WHERE datname = current_database()";
    let sampled = format!(
        "SELECT frozen_xid_age FROM pgperf.wraparound_history WHERE run_id = {run} AND database_name = 'postgres' AND relation_name IS NULL \
          ORDER BY sample_id DESC LIMIT 1"
    );
    assert_eq!(session.number(&sampled), there.number(age));
    let relations = format!(
        "SELECT count(*) FILTER (WHERE relation_name = 'pgbench_accounts') = 2 FROM pgperf.wraparound_history WHERE run_id = {run}"
    );
    assert_eq!(session.value(&relations), "t");
    let sessions = session.value(&format!(
        "SELECT bool_or({}) FROM pgperf.wait_history WHERE run_id = {run} AND source = 'activity'",
        match version {
            100_000.. => "backend_type = 'client backend'",
            _ => "backend_type IS NULL",
        }
    ));
    assert_eq!(sessions, "t");
    let sized = session.value(&format!(
        "SELECT string_agg((size_bytes > 1000000)::text, ' ') FROM pgperf.database_history WHERE run_id = {run} AND size_bytes IS NOT NULL"
    ));
    assert_eq!(sized, "true true");
    // What the major lacks is said at the ends.
    let lacks = session.value(&format!(
        "SELECT string_agg(DISTINCT collector || ': ' || reason, '; ') FROM pgperf.sample_outcomes WHERE run_id = {run} AND status <> 'ok'"
    ));
    let (io, slru) = (version < 160_000, version < 130_000);
    assert_eq!(
        (lacks.contains("io: PostgreSQL "), lacks.contains("slru: ")),
        (io, slru),
        "{lacks}"
    );
    assert!(lacks.split("; ").count() <= 2, "{lacks}");
}

/// The target has a node, and reports of it.
fn expect_its_node(cluster: &Cluster, session: &mut Client, target: &Cluster, run: i64) {
    let identifier = target
        .connect()
        .value("SELECT system_identifier FROM pg_control_system()");
    let node = "SELECT concat_ws(' ', system_identifier, database_name, sampled_by = pgperf.local_node(), node_id <> pgperf.local_node(), host IS NOT NULL) \
                  FROM pgperf.nodes WHERE name = 'target'";
    assert_eq!(session.value(node), format!("{identifier} postgres t t t"));
    // By another name it may be a standby or a copy, which have the same identifier.
    cluster.add_target("again", target);
    session.value("CREATE USER MAPPING FOR postgres SERVER again OPTIONS (user 'postgres')");
    let other = session
        .finish_run("script => 'SELECT 1;', server => 'again', transactions_per_client => 1");
    let nodes = session.value(&format!(
        "SELECT string_agg(DISTINCT n.name, ' ' ORDER BY n.name) FROM pgperf.samples s JOIN pgperf.nodes n USING (node_id) WHERE s.run_id IN ({run}, {other})"
    ));
    assert_eq!(nodes, "again target");

    let document = session.value(&format!(
        "SELECT concat_ws(' ', d #> '{{wal,intervals}}' IS NOT NULL OR d -> 'wal' <> 'null', d #>> '{{transaction_ids,database_name}}') \
           FROM pgperf.report_json({run}) d"
    ));
    assert_eq!(document, "t postgres");
    let page = session.page(&format!("pgperf.report_html({run})"));
    for part in [
        "commits per second",
        "Dirty pages written",
        "Requested checkpoints",
    ] {
        assert!(page.contains(part), "{part}");
    }
    let window = session
        .value("SELECT string_agg(line, E'\\n') FROM pgperf.history_report(node => 'target') line");
    assert!(window.contains("commits per second"), "{window}");
    // It goes with the run, and this server's own history stays as it is.
    assert_eq!(
        session.value(&format!("SELECT pgperf.delete_run({run})")),
        "t"
    );
    let left = session.value(&format!(
        "SELECT concat_ws(' ', (SELECT count(*) FROM pgperf.samples WHERE run_id = {run}), (SELECT count(*) FROM pgperf.wal_history WHERE run_id = {run}), \
                (SELECT count(*) > 0 FROM pgperf.samples WHERE run_id = {other}))"
    ));
    assert_eq!(left, "0 0 t");
}

fn expect_on(major: &str) {
    if let Some(target) = cluster_of(major) {
        expect_what_the_views_say(&target);
    }
}

#[test]
fn they_add_up_to_what_the_views_of_10_say() {
    expect_on("10");
}

#[test]
fn they_add_up_to_what_the_views_of_18_say() {
    expect_on("18");
}

#[test]
fn they_add_up_to_what_the_views_of_the_servers_own_major_say() {
    let target = Cluster::new(&[]);
    with_extensions(&target);
    expect_what_the_views_say(&target);
}

#[test]
fn other_majors_tell_all_that_they_have() {
    for major in ["9.6", "13", "17"] {
        let Some(target) = cluster_of(major) else {
            continue;
        };
        let (_cluster, mut session) = sampled_by(&target, "target");
        let run = session
            .finish_run("script => 'SELECT 1;', server => 'target', transactions_per_client => 1");
        let lacks = session.value(&format!(
            "SELECT string_agg(DISTINCT collector || ': ' || reason, '; ' ORDER BY collector || ': ' || reason) \
               FROM pgperf.sample_outcomes WHERE run_id = {run} AND status <> 'ok'"
        ));
        let without =
            |collector: &str| format!("{collector}: PostgreSQL {major} does not count it");
        let expected = match major {
            "9.6" => [without("io"), without("slru")].join("; "),
            "13" => without("io"),
            _ => String::new(),
        };
        assert_eq!(lacks, expected, "{major}");
    }
}

/// The target that is this very server has a node of its own, so nothing is taken for its own samples.
#[test]
fn this_server_as_a_target_has_another_node() {
    let cluster = Cluster::for_scripts(&[]);
    cluster.add_target("itself", &cluster);
    let mut session = cluster.connect();
    session.value("CREATE USER MAPPING FOR postgres SERVER itself OPTIONS (user 'postgres')");
    let before = session.value("SELECT pgperf.local_node()");
    session.finish_run("script => 'SELECT 1;', server => 'itself', transactions_per_client => 1");
    assert_eq!(session.value("SELECT pgperf.local_node()"), before);
    let nodes = "SELECT string_agg(name, ' ') FROM pgperf.nodes WHERE node_id IN (SELECT node_id FROM pgperf.samples)";
    assert_eq!(session.value(nodes), "itself");
}

#[test]
fn a_role_that_may_not_read_the_control_file_has_a_node_by_the_name_of_the_server() {
    let target = Cluster::new(&[]);
    with_extensions(&target);
    target
        .connect()
        .batch_execute(
            "CREATE ROLE somebody LOGIN PASSWORD 'hunter2'; REVOKE EXECUTE ON FUNCTION pg_control_system(), pg_control_checkpoint() FROM PUBLIC",
        )
        .expect("a role");
    target.ask_for_passwords();
    let cluster = Cluster::for_scripts(&[]);
    cluster.add_target("hidden", &target);
    let mut session = cluster.connect();
    session.value("CREATE USER MAPPING FOR postgres SERVER hidden OPTIONS (user 'somebody', password 'hunter2')");
    let run = session
        .finish_run("script => 'SELECT 1;', server => 'hidden', transactions_per_client => 1");
    let node = "SELECT concat_ws(' ', name, system_identifier IS NULL, first_of LIKE '%/unknown/%/hidden') FROM pgperf.nodes WHERE sampled_by IS NOT NULL";
    assert_eq!(session.value(node), "hidden t t");
    let known = session.value(&format!(
        "SELECT concat_ws(' ', bool_and(insert_lsn IS NOT NULL), bool_and(redo_lsn IS NULL)) FROM pgperf.wal_history WHERE run_id = {run}"
    ));
    assert_eq!(known, "t t");
    // Nowhere is the password.
    let secret = "SELECT count(*) FROM pgperf.nodes n WHERE n::text LIKE '%hunter2%'";
    assert_eq!(session.number(secret), 0);
}

#[test]
fn a_standby_tells_how_far_it_is_behind() {
    let primary = Cluster::new(&[
        "wal_level = replica",
        "max_wal_senders = 4",
        "hot_standby = on",
    ]);
    with_extensions(&primary);
    pgbench_init(&primary, "postgres", 1);
    primary.run_sql("SELECT pg_create_physical_replication_slot('standby')");
    let standby = primary.standby("standby");
    let (_cluster, mut session) = sampled_by(&standby, "target");
    let run = session.start_busy_run(
        "'select-only', server => 'target', rate => 50, duration => '1 h', sample_interval => '250 ms'",
    );
    let lag = |which: &str| {
        format!(
            "SELECT {which} FROM pgperf.replication_history WHERE run_id = {run} AND kind = 'replay' ORDER BY sample_id DESC LIMIT 1"
        )
    };
    wait_until("nothing to replay", PATIENCE, || {
        session.value(&lag("replay_lag_bytes = 0 AND replay_lag_ms = 0")) == "t"
    });
    let mut there = standby.connect();
    primary.run_sql("CREATE TABLE noted AS SELECT 1 AS i");
    wait_until("a transaction", PATIENCE, || {
        there.value("SELECT pg_last_xact_replay_timestamp() IS NOT NULL") == "t"
    });
    // It receives, and replays nothing.
    there.value("SELECT pg_wal_replay_pause()");
    wait_until("the pause", PATIENCE, || {
        there.value("SELECT pg_get_wal_replay_pause_state()") == "paused"
    });
    primary.run_sql("CREATE TABLE filled AS SELECT generate_series(1, 20000)");
    let received =
        "SELECT pg_wal_lsn_diff(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn())::int8";
    wait_until("WAL to replay", PATIENCE, || {
        there.number(received) > 500_000
    });
    wait_until("a lag", PATIENCE, || {
        session.value(&lag("replay_lag_bytes > 500000 AND replay_lag_ms > 100")) == "t"
    });
    let behind = there.number(received);
    wait_until("the same lag", PATIENCE, || {
        session.value(&lag(&format!("replay_lag_bytes = {behind}"))) == "t"
    });
    session.value(&format!("SELECT pgperf.stop_run({run})"));
    session.wait_for_status(run, "stopped");
    let page = session.page(&format!("pgperf.report_html({run})"));
    assert!(page.contains("this server"));
    there.value("SELECT pg_wal_replay_resume()");
}
