//! A hot standby refuses calls that write, shows the primary's data, and can do everything once it is promoted.

use crate::common::aftermath::{Aftermath, Victim};
use crate::common::runs::{PATIENCE, Runs, error_of, expect_next_run};
use crate::common::{Cluster, StopMode, wait_until};

const PRELOADED: &str = "shared_preload_libraries = 'pg_stat_statements, pgperf'";
const READS: &[&str] = &[
    "SELECT pgperf.report($1)",
    "SELECT pgperf.report_html($1)",
    "SELECT pgperf.report_json($1)",
    "SELECT pgperf.report_markdown($1)",
    "SELECT pgperf.export_run($1)",
    "SELECT pgperf.compare_report($1, $1)",
    "SELECT pgperf.compare_markdown($1, $1)",
    "SELECT pgperf.version_table($1, $1)",
    "SELECT pgperf.run_status($1)",
    "SELECT pgperf.histogram_log($1)",
    "SELECT pgperf.transaction_log($1)",
    "SELECT pgperf.doctor()",
    "SELECT pgperf.wraparound_forecast()",
    "SELECT pgperf.working_set()",
    "SELECT pgperf.metrics()",
    "SELECT pgperf.history_compare()",
    "SELECT * FROM pgperf.progress",
    "SELECT * FROM pgperf.history_size",
    "SELECT * FROM pgperf.sampler_gaps",
    "SELECT * FROM pgperf.\"check\"()",
];

#[test]
fn a_standby_shows_a_run_and_takes_over_by_promotion() {
    let cluster = Cluster::for_faults(&[
        PRELOADED,
        "pgperf.sampler_databases = ''",
        "hot_standby_feedback = on",
    ]);
    let mut primary = cluster.connect();
    primary.value("SELECT pg_create_physical_replication_slot('copy', true)");
    let standby = cluster.standby("copy");
    standby.reconfigure(&["pgperf.sampler_databases = 'postgres'"]);
    let ended = primary.finish_run("'tpcb-like', transactions_per_client => 100");
    let met = Victim::busy(&mut primary);
    let mut session = standby.connect();
    wait_until("the run", PATIENCE, || session.intervals(met.run) > 3);
    assert_eq!(session.status(met.run), "running");
    assert!(session.total(met.run, "transactions") > 0);
    // Calls that only read work, which also shows that they take no transaction id.
    for call in READS {
        let call = call.replace("$1", &ended.to_string());
        session
            .simple_query(&call)
            .unwrap_or_else(|error| panic!("{call}: {error:?}"));
    }
    for call in [
        "SELECT pgperf.start_run()",
        "SELECT pgperf.start_load()",
        "CALL pgperf.init()",
        "CALL pgperf.run()",
        "CALL pgperf.quickstart()",
        "SELECT pgperf.start_sweep()",
        "SELECT pgperf.start_sampler()",
        "SELECT pgperf.snapshot()",
        "CALL pgperf.take_snapshot()",
        "SELECT pgperf.snapshot_wal()",
        "SELECT pgperf.delete_run($1)",
        "SELECT pgperf.start_run(resume => true)",
        "SELECT pgperf.resume_run($1)",
        "SELECT pgperf.stop_run($busy)",
        "SELECT pgperf.stop_all()",
        "CALL pgperf.wait_run($busy)",
        "SELECT pgperf.pin_run($1)",
        "SELECT pgperf.create_workload('x', 'SELECT 1;')",
        "SELECT pgperf.set_baseline('x', $1)",
        "SELECT pgperf.import_run('{}')",
        "SELECT pgperf.import_sweep('{}')",
        "SELECT pgperf.import_run(pgperf.export_run($1))",
        "SELECT pgperf.new_node()",
        "SELECT pgperf.maintain()",
        "SELECT pgperf.snapshot_bloat()",
        "SELECT pgperf.snapshot_buffers()",
        "SELECT pgperf.snapshot_wraparound()",
    ] {
        let call = (call.replace("$1", &ended.to_string())).replace("$busy", &met.run.to_string());
        let (sqlstate, message, hint) = error_of(&mut session, &call);
        assert_eq!(sqlstate, "25006", "{call}: {message}");
        let says_why = ["standby", "in recovery"]
            .iter()
            .any(|place| message.contains(place));
        assert!(
            says_why && hint.contains("primary"),
            "{call}: {message}, {hint}"
        );
    }
    // What has ended there has ended here.
    assert_eq!(
        session.value(&format!("SELECT pgperf.stop_run({ended})")),
        "f"
    );
    assert_eq!(
        session.value(&format!("CALL pgperf.wait_run({ended})")),
        "finished"
    );
    assert_eq!(
        session
            .number("SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'pgperf sampler'"),
        0
    );

    // The primary dies with the run; the standby takes its place.
    drop(primary);
    cluster.stop(StopMode::Immediate);
    session.value("SELECT pg_promote(true, 30)");
    wait_until("the promotion", PATIENCE, || {
        session.value("SELECT pg_is_in_recovery()") == "f"
    });
    met.expect_status(&mut session, "interrupted", "");
    // What waited for that begins.
    wait_until("a sampler", PATIENCE, || {
        session
            .number("SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'pgperf sampler'")
            == 1
    });
    standby.reconfigure(&["pgperf.sampler_databases = ''"]);
    session.expect_nothing_left("the promotion");
    expect_next_run(&mut session);
    session.value("SELECT count(*) FROM pgperf.snapshot('{wal,database}')");
    // The old primary has its own story.
    cluster.start();
    let mut primary = cluster.connect();
    met.expect_end(&mut primary, "interrupted", "");
    standby.expect_no_crash();
}

/// Replay on the standby stops a query there, never the other way round.
#[test]
fn a_standby_that_goes_away_does_a_run_no_harm() {
    let cluster = Cluster::for_faults(&["wal_sender_timeout = 1s"]);
    let mut primary = cluster.connect();
    primary.value("SELECT pg_create_physical_replication_slot('copy', true)");
    let standby = cluster.standby("copy");
    let met = Victim::busy(&mut primary);
    let mut session = standby.connect();
    wait_until("the run", PATIENCE, || session.intervals(met.run) > 2);
    standby.stop(StopMode::Immediate);
    let stored = primary.intervals(met.run);
    wait_until("further intervals", PATIENCE, || {
        primary.intervals(met.run) >= stored + 3
    });
    standby.start();
    let mut session = standby.reconnect();
    wait_until("what it has missed", PATIENCE, || {
        session.intervals(met.run) > stored
    });
    primary.value("SELECT pgperf.stop_all()");
    drop(session);
    standby.stop(StopMode::Fast);
    primary.value("SELECT pg_drop_replication_slot('copy')");
    met.expect_end(&mut primary, "stopped", "");
    cluster.expect_no_crash();
}
