//! History by the clock: the real pg_cron takes snapshots.

use std::time::Duration;

use crate::common::runs::Runs;
use crate::common::{Cluster, wait_until};

/// pg_cron starts its jobs at full minutes.
const NEXT_MINUTE: Duration = Duration::from_secs(75);

#[test]
fn pg_cron_takes_snapshots() {
    let cluster = Cluster::with_pgperf(&[
        "shared_preload_libraries = 'pg_cron, pg_stat_statements'",
        "cron.database_name = 'postgres'",
        // Jobs as workers: as clients they would need a password or trust on a TCP port.
        "cron.use_background_workers = on",
    ]);
    let mut session = cluster.connect();
    session.value("CREATE EXTENSION pg_cron");
    let doctor =
        "SELECT status || ': ' || detail FROM pgperf.doctor() WHERE check_name = 'scheduled_jobs'";
    assert_eq!(
        session.value(doctor),
        "ok: pg_cron has no active job to be seen"
    );
    session.value("SELECT cron.schedule('pgperf', '* * * * *', 'SELECT pgperf.snapshot()')");
    assert_eq!(
        session.value(doctor),
        "warning: 1 active job of pg_cron may run beside a measurement: pgperf (* * * * *)"
    );
    wait_until("a sample", NEXT_MINUTE, || {
        session.number("SELECT count(*) FROM pgperf.samples") > 0
    });
    wait_until("the end of the job", Duration::from_secs(10), || {
        session.value("SELECT status FROM cron.job_run_details") == "succeeded"
    });
    // Of every collector rows or the reason why there are none; nothing of a run.
    assert_eq!(
        session.value(
            "SELECT string_agg(collector || ' ' || status, ', ' ORDER BY collector) \
             FROM pgperf.sample_outcomes \
             WHERE collector IN ('bloat', 'buffers', 'wal', 'wraparound')"
        ),
        "bloat ok, buffers ok, wal ok, wraparound ok"
    );
    for table in [
        "wal_history",
        "buffer_usage_history",
        "wraparound_history",
        "bloat_history",
    ] {
        let rows = session.number(&format!(
            "SELECT count(*) FROM pgperf.{table} JOIN pgperf.samples USING (node_id, sample_id, taken_at) \
             WHERE {table}.run_id IS NULL"
        ));
        assert!(rows > 0, "{table}");
    }
}
