//! The tables that autovacuum would take next, and why: pg_stat_autovacuum_scores.

use crate::collect::collector::{Collector, Cost, InRuns, InVisits, Read, Reading, Scope};
use crate::collect::rows;
use crate::error::Result;

/// See the module.
pub const COLLECTOR: Collector = Collector {
    name: "autovacuum",
    cost: Cost::Medium,
    sample_interval_s: 60,
    keeps_interval: false,
    in_runs: InRuns::Ends,
    in_visits: InVisits::WhenDue,
    since_major: Some(19),
    needs: None,
    watches_clients: false,
    report: None,
    history_tables: &["autovacuum_history"],
    description: "the tables that autovacuum would take next, and the parts of their scores",
    of_target: None,
    read: Read::AtOnce(read),
};

/// A score of 1 is a threshold that is reached, if no setting weighs it otherwise; those on their way there are stored from half of it on.
const SCORES: &str = "SELECT s.schemaname AS schema_name, s.relname AS relation_name, s.relid AS relation_oid, \
            s.score, s.xid_score, s.mxid_score, s.vacuum_score, s.vacuum_insert_score, s.analyze_score, \
            s.do_vacuum, s.do_analyze, s.for_wraparound \
     FROM pg_catalog.pg_stat_autovacuum_scores s \
     WHERE (s.score >= 0.5 OR s.do_vacuum OR s.do_analyze) AND s.schemaname NOT IN ('pgperf', 'pgperf_internal', 'pg_toast') \
     ORDER BY s.do_vacuum OR s.do_analyze DESC, s.score DESC, s.relid LIMIT 100";

fn read(_: &Scope) -> Result<Reading> {
    let scores = rows::select(SCORES, &[])?;
    Ok(Reading::of("autovacuum_history", rows::values(scores)))
}
