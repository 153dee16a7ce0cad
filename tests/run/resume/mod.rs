//! Runs with `resume => true` after interruptions of every kind.

mod interruptions;
mod permission;
mod remainder;

use crate::common::runs::{PATIENCE, Runs};
use crate::common::wait_until;
use postgres::Client;

const PRELOADED: &str = "shared_preload_libraries = 'pg_stat_statements, pgperf'";

/// Lasts as long as nobody ends it.
const LONG: &str =
    "'tpcb-like', clients => 2, duration => '1 h', sample_interval => '0.2 s', resume => true";

fn history_rows(session: &mut Client) -> i64 {
    session.number("SELECT count(*) FROM pgbench_history")
}

fn segments(session: &mut Client, run: i64) -> i64 {
    session.number(&format!(
        "SELECT count(*) FROM pgperf.run_segments WHERE run_id = {run}"
    ))
}

/// A column of the run's row of `pgperf.runs`.
fn of_run(session: &mut Client, run: i64, column: &str) -> String {
    session.value(&format!(
        "SELECT {column} FROM pgperf.runs WHERE run_id = {run}"
    ))
}

/// Waits until a run has a segment of that number that stores intervals.
fn wait_for_segment(session: &mut Client, run: i64, number: i64) {
    wait_until("a further segment", PATIENCE, || {
        session.number(&format!(
            "SELECT count(*) FROM pgperf.run_segments WHERE run_id = {run} AND segment_no = {number} AND seconds > 0"
        )) == 1
    });
}

/// Properties of a run's figures, however many segments it has.
fn expect_sums(session: &mut Client, run: i64) {
    let wrong = session.value(&format!(
        "WITH i AS (SELECT sum(transactions) AS transactions, sum(seconds) AS seconds, sum(wal_bytes) AS wal_bytes, \
                       sum(failed) AS failed, count(*) AS count, max(interval_no) AS last, min(interval_no) AS first \
                    FROM pgperf.run_intervals WHERE run_id = {run}), \
              s AS (SELECT sum(transactions) AS transactions, sum(seconds) AS seconds, count(*) AS count, \
                       max(segment_no) AS last, sum(gap_s) AS gap_s, count(*) FILTER (WHERE gap_s > 0) AS gaps \
                    FROM pgperf.run_segments WHERE run_id = {run}), \
              t AS (SELECT * FROM pgperf_internal.run_totals WHERE run_id = {run}) \
         SELECT concat_ws(', ', \
            CASE WHEN (i.first, i.last + 1) IS DISTINCT FROM (0, i.count) THEN 'numbers of intervals' END, \
            CASE WHEN i.transactions IS DISTINCT FROM t.transactions THEN format('%s in intervals, %s in totals', i.transactions, t.transactions) END, \
            CASE WHEN i.failed IS DISTINCT FROM t.failed THEN 'failed' END, \
            CASE WHEN i.wal_bytes IS DISTINCT FROM t.wal_bytes THEN 'WAL' END, \
            CASE WHEN abs(i.seconds - t.seconds) < 1e-3 IS NOT TRUE THEN format('%s s in intervals, %s s in totals', i.seconds, t.seconds) END, \
            CASE WHEN s.transactions IS DISTINCT FROM t.transactions THEN 'transactions of segments' END, \
            CASE WHEN abs(s.seconds - t.seconds) < 1e-3 IS NOT TRUE THEN 'seconds of segments' END, \
            CASE WHEN (s.last + 1, s.gaps + 1) IS DISTINCT FROM (s.count, s.count) THEN 'numbers of segments' END, \
            (SELECT 'histogram' FROM pgperf.histogram_buckets(t.histogram) b HAVING abs(sum(b.count) - t.transactions) > 100), \
            (SELECT 'scripts' FROM pgperf.run_scripts c WHERE c.run_id = {run} HAVING sum(c.transactions) > t.transactions), \
            (SELECT 'statements' FROM pgperf.run_statements c WHERE c.run_id = {run} AND calls > t.transactions LIMIT 1)) \
         FROM i, s, t",
    ));
    assert_eq!(wrong, "");
    assert_eq!(
        session.number("SELECT count(*) FROM pgperf_internal.resume_points"),
        0,
        "a run that has ended needs none"
    );
    assert_eq!(
        session.number("SELECT count(*) FROM pgperf.\"check\"() WHERE NOT passed"),
        0
    );
}
