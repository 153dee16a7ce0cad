//! Tables and indexes: what was read and written, vacuumed and analyzed, and how large they are.
//!
//! A catalog may hold many thousands. A relation gets a row when its counters differ from its last one, or when
//! that is a day old; a sample stores [`MAX_ROWS`] at most, so that neither memory nor history depend on the
//! number of relations. No lock is taken: sizes are those of the files.
//!
//! The statistics know when a table was vacuumed last, not when before. So at the intervals of a run it is watched which
//! tables autovacuum has been at since; these get their rows then. Looking takes some microseconds a table, and no
//! more than a hundredth of the time: of 20,000 tables, it is done every five to ten seconds.

use super::collector::{Collector, Cost, Depth, InRuns, KIND_NAME, Reading, SERVER_MAJOR, Scope};
use super::rows::{self, Row};
use crate::error::Result;
use crate::pg::server;
use serde_json::Value;
use std::cell::Cell;
use std::fs;
use std::time::{Duration, Instant};

/// See the module.
pub const COLLECTOR: Collector = Collector {
    name: "tables",
    cost: Cost::Medium,
    sample_interval_s: 300,
    in_runs: InRuns::Watched,
    since_major: None,
    needs: None,
    history_tables: &["relation_history"],
    description: "tables and indexes that changed: rows, scans, dead rows, vacuum and analyze, blocks, size",
    read,
};

/// The most that one sample stores.
const MAX_ROWS: i64 = 2000;

/// Of the time that passes, looking for vacuums takes at most one part in so many.
const WATCH_SHARE: u32 = 100;
/// A vacuum reads the clock a little before the statistics show it: so far looks overlap, in microseconds.
const OVERLAP_US: i64 = 100_000;

thread_local! {
    /// Since when vacuums have not been seen, as the server counts time; 0: from whenever.
    static SEEN_UNTIL: Cell<i64> = const { Cell::new(0) };
    static NEXT_WATCH: Cell<Option<Instant>> = const { Cell::new(None) };
}

fn read(scope: &Scope) -> Result<Reading> {
    let now = server::timestamp_now();
    if scope.depth == Depth::Full {
        SEEN_UNTIL.set(now);
        return relations(&sql(SERVER_MAJOR, Which::Changed), scope, None);
    }
    let started = Instant::now();
    if NEXT_WATCH.get().is_some_and(|next| started < next) {
        return Ok(Reading::default());
    }
    let since = SEEN_UNTIL.replace(now).saturating_sub(OVERLAP_US);
    let found = relations(&sql(SERVER_MAJOR, Which::Vacuumed), scope, Some(since));
    NEXT_WATCH.set(started.checked_add(rest_after(started.elapsed())));
    found
}

/// How long after a look of that length the next one may begin.
fn rest_after(took: Duration) -> Duration {
    took.saturating_mul(WATCH_SHARE)
}

/// `since`: the third argument, if the statement has one.
fn relations(sql: &str, scope: &Scope, since: Option<i64>) -> Result<Reading> {
    let mut args = vec![scope.node_id.as_str().into(), MAX_ROWS.into()];
    args.extend(since.map(|since| server::timestamp_text(since).into()));
    let rows = rows::select(sql, &args)?;
    let mut note = None;
    let rows = rows
        .into_iter()
        .filter_map(|row| match row.into_iter().next() {
            Some((_, Value::Object(relation))) => Some(relation),
            _ => None,
        })
        .map(|mut relation: Row| {
            if let Some(Value::String(path)) = relation.remove("path") {
                relation.insert("size_bytes".to_owned(), main_fork_bytes(&path).into());
            }
            let left_out = relation.get("left_out").and_then(Value::as_i64);
            if let Some(left_out @ 1..) = left_out {
                note = Some(format!(
                    "{left_out} relations that changed are left to the next samples"
                ));
            }
            relation
        })
        .collect();
    Ok(Reading {
        tables: vec![("relation_history", rows::values(rows).into())],
        note,
    })
}

/// The bytes in the files of a relation's main fork: `path`, `path.1`, … under the data directory, where every
/// process of the server works. None if there is no file (any more).
fn main_fork_bytes(path: &str) -> Option<u64> {
    let first = fs::metadata(path).ok()?.len();
    let further = (1..).map_while(|segment| fs::metadata(format!("{path}.{segment}")).ok());
    Some(further.fold(first, |sum, file| sum + file.len()))
}

/// Of which relations there are to be rows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Which {
    /// Of those whose counters changed, and of all together.
    Changed,
    /// Of the tables that autovacuum was at since $3, without the catalogs, TOAST tables and pgperf's own.
    Vacuumed,
}

/// One row a relation, as one JSON column: the relations that are to be stored and, with oid 0, all together.
///
/// Its last row is looked for in the week before the sample before: older ones are only kept by the hour.
///
/// $1: the node; $2: [`MAX_ROWS`]. The statistics are asked for by function, not through the views: these
/// look at all relations in full.
fn sql(major: u32, which: Which) -> String {
    let since = |version: u32, columns: &'static str| if major >= version { columns } else { "" };
    let of_16 = since(
        16,
        ", CASE WHEN c.relkind <> 'i' THEN pg_catalog.pg_stat_get_lastscan(c.oid) END AS last_seq_scan, \
           CASE WHEN c.relkind = 'i' THEN pg_catalog.pg_stat_get_lastscan(c.oid) END AS last_idx_scan, \
           pg_catalog.pg_stat_get_tuples_newpage_updated(c.oid) AS n_tup_newpage_upd",
    );
    let of_18 = since(
        18,
        ", pg_catalog.pg_stat_get_total_vacuum_time(c.oid) AS total_vacuum_time, \
           pg_catalog.pg_stat_get_total_autovacuum_time(c.oid) AS total_autovacuum_time, \
           pg_catalog.pg_stat_get_total_analyze_time(c.oid) AS total_analyze_time, \
           pg_catalog.pg_stat_get_total_autoanalyze_time(c.oid) AS total_autoanalyze_time",
    );
    let (vacuumed, and_together) = match which {
        Which::Changed => (
            "",
            "UNION ALL SELECT pg_catalog.to_jsonb(t) FROM together t",
        ),
        Which::Vacuumed => (
            "AND c.relkind IN ('r', 'm') AND c.relnamespace NOT IN (\
                SELECT x.oid FROM pg_catalog.pg_namespace x \
                WHERE x.nspname IN ('pg_catalog', 'information_schema', 'pgperf')) \
             AND (pg_catalog.pg_stat_get_last_autovacuum_time(c.oid) > $3::pg_catalog.timestamptz \
                  OR pg_catalog.pg_stat_get_last_autoanalyze_time(c.oid) > $3::pg_catalog.timestamptz)",
            "",
        ),
    };
    format!(
        "WITH counted AS MATERIALIZED (\
            SELECT c.oid, c.relkind, \
                   pg_catalog.pg_stat_get_numscans(c.oid) AS scans, \
                   pg_catalog.pg_stat_get_tuples_inserted(c.oid) AS n_tup_ins, \
                   pg_catalog.pg_stat_get_tuples_updated(c.oid) AS n_tup_upd, \
                   pg_catalog.pg_stat_get_tuples_deleted(c.oid) AS n_tup_del, \
                   pg_catalog.pg_stat_get_blocks_fetched(c.oid) AS fetched, \
                   pg_catalog.pg_stat_get_blocks_hit(c.oid) AS hit, \
                   pg_catalog.pg_stat_get_vacuum_count(c.oid) AS vacuum_count, \
                   pg_catalog.pg_stat_get_autovacuum_count(c.oid) AS autovacuum_count, \
                   pg_catalog.pg_stat_get_analyze_count(c.oid) AS analyze_count, \
                   pg_catalog.pg_stat_get_autoanalyze_count(c.oid) AS autoanalyze_count \
            FROM pg_catalog.pg_class c \
            WHERE c.relkind IN ('r', 'm', 't', 'i') AND c.relpersistence <> 't' {vacuumed}), \
         due AS (\
            SELECT n.oid, n.activity, l.activity AS last_activity, l.taken_at, l.sample_id, \
                   l.activity IS DISTINCT FROM n.activity AS changed \
            FROM (SELECT oid, scans + n_tup_ins + n_tup_upd + n_tup_del + fetched + vacuum_count \
                         + autovacuum_count + analyze_count + autoanalyze_count AS activity FROM counted) n \
            LEFT JOIN LATERAL (\
                SELECT h.taken_at, h.sample_id, CASE h.relation_kind WHEN 'index' THEN h.idx_scan ELSE h.seq_scan END \
                       + h.n_tup_ins + h.n_tup_upd + h.n_tup_del + h.blks_read + h.blks_hit + h.vacuum_count \
                       + h.autovacuum_count + h.analyze_count + h.autoanalyze_count AS activity \
                FROM pgperf.relation_history h \
                WHERE h.node_id = $1::pg_catalog.uuid AND h.relation_oid = n.oid \
                  AND h.taken_at > (SELECT z.taken_at - '8 days'::pg_catalog.interval FROM pgperf.relation_history z \
                                    WHERE z.node_id = $1::pg_catalog.uuid AND z.relation_oid = 0 \
                                    ORDER BY z.sample_id DESC LIMIT 1) \
                ORDER BY h.sample_id DESC LIMIT 1) l ON true \
            WHERE l.activity IS DISTINCT FROM n.activity \
               OR l.taken_at < pg_catalog.clock_timestamp() - '1 day'::pg_catalog.interval), \
         picked AS MATERIALIZED (\
            SELECT oid, changed, sample_id AS before_sample_id FROM due \
            ORDER BY changed DESC, pg_catalog.abs(activity - COALESCE(last_activity, 0)) DESC, taken_at LIMIT $2), \
         relations AS (\
            SELECT c.oid AS relation_oid, p.before_sample_id, s.nspname AS schema_name, c.relname AS relation_name, \
                   {KIND_NAME} AS relation_kind, COALESCE(t.relname, o.relname) AS table_name, \
                   pg_catalog.pg_relation_filepath(c.oid) AS path, c.relpages, c.reltuples, \
                   pg_catalog.pg_stat_get_live_tuples(c.oid) AS n_live_tup, \
                   pg_catalog.pg_stat_get_dead_tuples(c.oid) AS n_dead_tup, \
                   pg_catalog.pg_stat_get_mod_since_analyze(c.oid) AS n_mod_since_analyze, \
                   pg_catalog.pg_stat_get_ins_since_vacuum(c.oid) AS n_ins_since_vacuum, \
                   pg_catalog.pg_stat_get_last_vacuum_time(c.oid) AS last_vacuum, \
                   pg_catalog.pg_stat_get_last_autovacuum_time(c.oid) AS last_autovacuum, \
                   pg_catalog.pg_stat_get_last_analyze_time(c.oid) AS last_analyze, \
                   pg_catalog.pg_stat_get_last_autoanalyze_time(c.oid) AS last_autoanalyze, \
                   CASE WHEN c.relkind <> 'i' THEN n.scans END AS seq_scan, \
                   CASE WHEN c.relkind <> 'i' THEN pg_catalog.pg_stat_get_tuples_returned(c.oid) END AS seq_tup_read, \
                   CASE WHEN c.relkind = 'i' THEN n.scans ELSE x.scans END AS idx_scan, \
                   CASE WHEN c.relkind = 'i' THEN pg_catalog.pg_stat_get_tuples_returned(c.oid) END AS idx_tup_read, \
                   pg_catalog.pg_stat_get_tuples_fetched(c.oid) + COALESCE(x.fetched, 0) AS idx_tup_fetch, \
                   n.n_tup_ins, n.n_tup_upd, n.n_tup_del, \
                   pg_catalog.pg_stat_get_tuples_hot_updated(c.oid) AS n_tup_hot_upd, \
                   n.vacuum_count, n.autovacuum_count, n.analyze_count, n.autoanalyze_count, \
                   n.fetched - n.hit AS blks_read, n.hit AS blks_hit{of_16}{of_18} \
            FROM picked p JOIN counted n ON n.oid = p.oid JOIN pg_catalog.pg_class c ON c.oid = p.oid \
            JOIN pg_catalog.pg_namespace s ON s.oid = c.relnamespace \
            LEFT JOIN pg_catalog.pg_index i ON i.indexrelid = c.oid \
            LEFT JOIN pg_catalog.pg_class t ON t.oid = i.indrelid \
            LEFT JOIN pg_catalog.pg_class o ON c.relkind = 't' AND o.reltoastrelid = c.oid \
            LEFT JOIN LATERAL (\
                SELECT pg_catalog.sum(pg_catalog.pg_stat_get_numscans(x.indexrelid))::pg_catalog.int8 AS scans, \
                       pg_catalog.sum(pg_catalog.pg_stat_get_tuples_fetched(x.indexrelid))::pg_catalog.int8 AS fetched \
                FROM pg_catalog.pg_index x WHERE x.indrelid = c.oid) x ON true), \
         together AS (\
            SELECT 0 AS relation_oid, (SELECT pg_catalog.count(*) FROM counted) AS relations, \
                   (SELECT pg_catalog.count(*) FROM due WHERE changed) \
                       - (SELECT pg_catalog.count(*) FROM picked WHERE changed) AS left_out, \
                   pg_catalog.sum(n.scans) FILTER (WHERE n.relkind <> 'i') AS seq_scan, \
                   pg_catalog.sum(n.scans) FILTER (WHERE n.relkind = 'i') AS idx_scan, \
                   pg_catalog.sum(n.n_tup_ins) AS n_tup_ins, pg_catalog.sum(n.n_tup_upd) AS n_tup_upd, \
                   pg_catalog.sum(n.n_tup_del) AS n_tup_del, pg_catalog.sum(n.vacuum_count) AS vacuum_count, \
                   pg_catalog.sum(n.autovacuum_count) AS autovacuum_count, \
                   pg_catalog.sum(n.analyze_count) AS analyze_count, \
                   pg_catalog.sum(n.autoanalyze_count) AS autoanalyze_count, \
                   pg_catalog.sum(n.fetched - n.hit) AS blks_read, pg_catalog.sum(n.hit) AS blks_hit, \
                   pg_catalog.max(n.oid) AS last_oid, \
                   pg_catalog.bit_xor(pg_catalog.hashoidextended(n.oid, 0)) AS relations_mark, \
                   pg_catalog.bit_xor(pg_catalog.hashoidextended(n.oid, 0)) FILTER (WHERE n.oid <= (\
                       SELECT z.last_oid FROM pgperf.relation_history z \
                       WHERE z.node_id = $1::pg_catalog.uuid AND z.relation_oid = 0 \
                       ORDER BY z.sample_id DESC LIMIT 1)) AS remaining_mark \
            FROM counted n) \
         SELECT pg_catalog.to_jsonb(r) AS relation FROM relations r {and_together}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_later_versions_are_read_there_only() {
        let sql = |major| sql(major, Which::Changed);
        assert!(!sql(15).contains("lastscan") && sql(16).contains("lastscan"));
        assert!(!sql(17).contains("total_vacuum") && sql(18).contains("total_vacuum"));
    }

    #[test]
    fn watching_takes_a_hundredth_of_the_time() {
        assert_eq!(
            rest_after(Duration::from_millis(50)),
            Duration::from_secs(5)
        );
    }

    #[test]
    fn a_size_is_that_of_all_segments() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("16384");
        let path = path.to_str().unwrap();
        assert_eq!(main_fork_bytes(path), None);
        fs::write(path, [0; 10]).unwrap();
        fs::write(format!("{path}.1"), [0; 5]).unwrap();
        fs::write(format!("{path}.3"), [0; 5]).unwrap();
        assert_eq!(main_fork_bytes(path), Some(15));
    }
}
