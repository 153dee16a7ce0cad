//! The statements. Statistics are read by function, not through the views, which read all relations in full.

use crate::catalog::distributed::Marks;
use crate::collect::collector::KIND_NAME;
use crate::collect::of_target::Dialect;
use crate::collect::walk::SLICE;

/// The relations that get rows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// Those whose counters changed.
    Changed,
    /// The tables that autovacuum has processed since $7, without the catalogs, TOAST tables and pgperf's own.
    Vacuumed,
}

/// Where the previous sample stopped. $1: the node.
pub const BEFORE: &str = "SELECT z.taken_at - '8 days'::pg_catalog.interval AS since, z.last_oid::pg_catalog.int8 AS last_oid, \
        z.seq_scan + z.idx_scan + z.n_tup_ins + z.n_tup_upd + z.n_tup_del + z.blks_read + z.blks_hit + z.vacuum_count \
            + z.autovacuum_count + z.analyze_count + z.autoanalyze_count AS activity \
     FROM pgperf.relation_history z WHERE z.node_id = $1::pg_catalog.uuid AND z.relation_oid = 0 \
     ORDER BY z.sample_id DESC LIMIT 1";

/// The counters of relations `c`, of which those have some.
const COUNTED: &str = "SELECT c.oid, c.relkind, c.relnamespace, \
        pg_catalog.pg_stat_get_numscans(c.oid) AS scans, \
        pg_catalog.pg_stat_get_tuples_inserted(c.oid) AS n_tup_ins, \
        pg_catalog.pg_stat_get_tuples_updated(c.oid) AS n_tup_upd, \
        pg_catalog.pg_stat_get_tuples_deleted(c.oid) AS n_tup_del, \
        pg_catalog.pg_stat_get_blocks_fetched(c.oid) AS fetched, \
        pg_catalog.pg_stat_get_blocks_hit(c.oid) AS hit, \
        pg_catalog.pg_stat_get_vacuum_count(c.oid) AS vacuum_count, \
        pg_catalog.pg_stat_get_autovacuum_count(c.oid) AS autovacuum_count, \
        pg_catalog.pg_stat_get_analyze_count(c.oid) AS analyze_count, \
        pg_catalog.pg_stat_get_autoanalyze_count(c.oid) AS autoanalyze_count";
const COUNTS: &str = "c.relkind IN ('r', 'm', 't', 'i') AND c.relpersistence <> 't'";

/// The sums of counted relations `n`.
const SUMS: &str = "pg_catalog.count(*) AS relations, \
        pg_catalog.sum(n.scans) FILTER (WHERE n.relkind <> 'i') AS seq_scan, \
        pg_catalog.sum(n.scans) FILTER (WHERE n.relkind = 'i') AS idx_scan, \
        pg_catalog.sum(n.n_tup_ins) AS n_tup_ins, pg_catalog.sum(n.n_tup_upd) AS n_tup_upd, \
        pg_catalog.sum(n.n_tup_del) AS n_tup_del, pg_catalog.sum(n.vacuum_count) AS vacuum_count, \
        pg_catalog.sum(n.autovacuum_count) AS autovacuum_count, \
        pg_catalog.sum(n.analyze_count) AS analyze_count, \
        pg_catalog.sum(n.autoanalyze_count) AS autoanalyze_count, \
        pg_catalog.sum(n.fetched - n.hit) AS blks_read, pg_catalog.sum(n.hit) AS blks_hit";

/// The last rows `l` of relations `n`, of those that are due.
const LAST_ROW: &str = "LEFT JOIN LATERAL (\
        SELECT h.taken_at, h.sample_id, w.written, CASE h.relation_kind WHEN 'index' THEN h.idx_scan ELSE h.seq_scan END \
               + h.blks_read + h.blks_hit + w.written AS activity \
        FROM pgperf.relation_history h \
        CROSS JOIN LATERAL (SELECT h.n_tup_ins + h.n_tup_upd + h.n_tup_del + h.vacuum_count + h.autovacuum_count \
                                   + h.analyze_count + h.autoanalyze_count AS written) w \
        WHERE h.node_id = $3::pg_catalog.uuid AND h.relation_oid = n.oid \
          AND h.taken_at > $4::pg_catalog.timestamptz \
        ORDER BY h.sample_id DESC LIMIT 1) l ON true \
    CROSS JOIN (SELECT pg_catalog.to_timestamp(NULLIF($6, '')::pg_catalog.float8) AS reset_at) r \
    WHERE l.activity IS DISTINCT FROM n.activity OR l.taken_at < r.reset_at \
       OR l.taken_at < pg_catalog.clock_timestamp() - '1 day'::pg_catalog.interval";

/// Of the relations of a target with the oids $1 and so much activity $2 those that are due, and what marks all of them. $3 to $6 as for
/// [`due`].
pub fn due_of_target() -> String {
    format!(
        "WITH n AS MATERIALIZED (SELECT k.oid::pg_catalog.oid AS oid, k.activity \
                                 FROM ROWS FROM (pg_catalog.unnest($1), pg_catalog.unnest($2)) AS k (oid, activity)), \
              due AS (SELECT n.oid, l.sample_id FROM n {LAST_ROW}) \
         SELECT ARRAY(SELECT d.oid::pg_catalog.int8 FROM due d ORDER BY d.oid) AS oid, \
                ARRAY(SELECT d.sample_id FROM due d ORDER BY d.oid) AS sample_id, \
                pg_catalog.max(n.oid)::pg_catalog.int8 AS last_oid, \
                pg_catalog.bit_xor(pg_catalog.hashoidextended(n.oid, 0)) AS relations_mark, \
                pg_catalog.bit_xor(pg_catalog.hashoidextended(n.oid, 0)) FILTER (WHERE n.oid <= $5::pg_catalog.oid) AS remaining_mark \
         FROM n"
    )
}

/// All relations of a target as one row.
pub fn sums_of_target() -> String {
    format!("SELECT {SUMS} FROM ({COUNTED} FROM pg_catalog.pg_class c WHERE {COUNTS}) n")
}

/// The whole rows of the relations of a target with most activity, at most so many. No lock is waited for longer than a second.
pub fn whole_of_target(server: &Dialect, most: usize) -> String {
    let picked = format!(
        "(SELECT n.oid, NULL::pg_catalog.int8 AS before_sample_id FROM ({COUNTED} FROM pg_catalog.pg_class c WHERE {COUNTS}) n \
          ORDER BY n.scans + n.fetched + n.n_tup_ins + n.n_tup_upd + n.n_tup_del DESC LIMIT {most}) AS p"
    );
    let size = "pg_catalog.pg_relation_size(c.oid) AS size_bytes";
    whole(server, &Marks::NONE, &picked, server.next_xid(), size)
}

/// The due relations of a slice, one value per relation in each list, and the sums of the whole slice.
///
/// A relation's last row is looked for from $4 on, in the week before the previous sample: older ones are only kept
/// by the hour. $3: the node; $5: the highest oid of the previous sample; $6: since when counters count, in seconds: with as many as
/// before a reset, a relation has changed. $7 of those that changed: for how many seconds a row is postponed at most; NULL: not at all.
/// Pgperf's own wait, and catalogs that were only read may wait. $7 of the others: the time of vacuums.
pub fn due(which: Which) -> String {
    let (vacuumed, is_young) = match which {
        Which::Changed => (
            "",
            "COALESCE(l.taken_at > pg_catalog.clock_timestamp() - pg_catalog.make_interval(secs => $7), false)",
        ),
        Which::Vacuumed => (
            "AND c.relkind IN ('r', 'm') AND c.relnamespace NOT IN (\
                SELECT x.oid FROM pg_catalog.pg_namespace x \
                WHERE x.nspname IN ('pg_catalog', 'information_schema', 'pgperf', 'pgperf_internal')) \
             AND (pg_catalog.pg_stat_get_last_autovacuum_time(c.oid) > $7::pg_catalog.timestamptz \
                  OR pg_catalog.pg_stat_get_last_autoanalyze_time(c.oid) > $7::pg_catalog.timestamptz)",
            "false",
        ),
    };
    format!(
        "WITH slice AS MATERIALIZED ({SLICE}), \
         counted AS MATERIALIZED ({COUNTED} FROM slice c WHERE {COUNTS} {vacuumed}), \
         due AS (\
            SELECT n.oid, n.activity, l.activity AS last_activity, l.taken_at, l.sample_id, \
                   l.activity IS DISTINCT FROM n.activity OR (l.taken_at < r.reset_at) IS TRUE AS changed, \
                   {is_young} AND n.relnamespace IN (SELECT x.oid FROM pg_catalog.pg_namespace x \
                       WHERE x.nspname IN ('pgperf', 'pgperf_internal')) AS is_own, \
                   {is_young} AND n.oid < 16384 AND (l.written = n.written) IS TRUE AS may_wait \
            FROM (SELECT c.oid, c.relnamespace, w.written, c.scans + c.fetched + w.written AS activity \
                  FROM counted c CROSS JOIN LATERAL (SELECT c.n_tup_ins + c.n_tup_upd + c.n_tup_del + c.vacuum_count \
                         + c.autovacuum_count + c.analyze_count + c.autoanalyze_count AS written) w) n \
            {LAST_ROW}) \
         SELECT (SELECT pg_catalog.max(s.oid)::pg_catalog.int8 FROM slice s) AS last, \
                (SELECT pg_catalog.count(*) FROM slice) AS looked_at, \
                (SELECT pg_catalog.to_jsonb(t) FROM (\
                    SELECT {SUMS}, pg_catalog.max(n.oid)::pg_catalog.int8 AS last_oid, \
                           pg_catalog.bit_xor(pg_catalog.hashoidextended(n.oid, 0)) AS relations_mark, \
                           pg_catalog.bit_xor(pg_catalog.hashoidextended(n.oid, 0)) \
                               FILTER (WHERE n.oid <= $5::pg_catalog.oid) AS remaining_mark \
                    FROM counted n) t) AS sums, \
                d.* \
         FROM (SELECT COALESCE(pg_catalog.array_agg(d.oid::pg_catalog.int8), '{{}}') AS oid, \
                      COALESCE(pg_catalog.array_agg(d.changed), '{{}}') AS changed, \
                      COALESCE(pg_catalog.array_agg(d.is_own), '{{}}') AS is_own, \
                      COALESCE(pg_catalog.array_agg(d.may_wait), '{{}}') AS may_wait, \
                      COALESCE(pg_catalog.array_agg(pg_catalog.abs(d.activity - COALESCE(d.last_activity, 0))), '{{}}') \
                          AS activity, \
                      COALESCE(pg_catalog.array_agg(EXTRACT(epoch FROM d.taken_at)::pg_catalog.float8), '{{}}') AS taken_at, \
                      COALESCE(pg_catalog.array_agg(d.sample_id), '{{}}') AS sample_id \
               FROM due d) d"
    )
}

/// The rows of the relations with the oids $1, whose last rows are of the samples $2. $3: the next transaction id with its epoch.
pub fn whole_here(marks: &Marks) -> String {
    let picked =
        "ROWS FROM (pg_catalog.unnest($1), pg_catalog.unnest($2)) AS p (oid, before_sample_id)";
    let path = "pg_catalog.pg_relation_filepath(c.oid) AS path";
    whole(&Dialect::HERE, marks, picked, "$3", path)
}

/// The rows of `picked` relations `p`. Besides, `is_shell` tells of which this server has only a shell. `next_xid`: with its epoch, below which relfrozenxid is. `size`: a column that tells how large each
/// is. (The owner of a TOAST table is known from its dependency: pg_class.reltoastrelid has no index.)
fn whole(server: &Dialect, marks: &Marks, picked: &str, next_xid: &str, size: &str) -> String {
    let since = |version, columns| server.since(version, columns, "");
    let of_13 = since(
        13,
        "pg_catalog.pg_stat_get_ins_since_vacuum(c.oid) AS n_ins_since_vacuum, ",
    );
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
    let of_19 = since(
        19,
        ", pg_catalog.pg_stat_get_stat_reset_time(c.oid) AS stats_reset",
    );
    let Marks {
        is_shell,
        table_of_shard,
    } = marks;
    format!(
        "SELECT c.oid AS relation_oid, p.before_sample_id, s.nspname AS schema_name, c.relname AS relation_name, {is_shell} AS is_shell, \
                {KIND_NAME} AS relation_kind, COALESCE(t.relname, {table_of_shard}) AS table_name, \
                {size}, c.relpages, c.reltuples, {of_13}\
                pg_catalog.pg_stat_get_live_tuples(c.oid) AS n_live_tup, \
                pg_catalog.pg_stat_get_dead_tuples(c.oid) AS n_dead_tup, \
                pg_catalog.pg_stat_get_mod_since_analyze(c.oid) AS n_mod_since_analyze, \
                pg_catalog.pg_stat_get_last_vacuum_time(c.oid) AS last_vacuum, \
                pg_catalog.pg_stat_get_last_autovacuum_time(c.oid) AS last_autovacuum, \
                pg_catalog.pg_stat_get_last_analyze_time(c.oid) AS last_analyze, \
                pg_catalog.pg_stat_get_last_autoanalyze_time(c.oid) AS last_autoanalyze, \
                CASE WHEN c.relkind <> 'i' THEN pg_catalog.pg_stat_get_numscans(c.oid) END AS seq_scan, \
                CASE WHEN c.relkind <> 'i' THEN pg_catalog.pg_stat_get_tuples_returned(c.oid) END AS seq_tup_read, \
                CASE WHEN c.relkind = 'i' THEN pg_catalog.pg_stat_get_numscans(c.oid) ELSE x.scans END AS idx_scan, \
                CASE WHEN c.relkind = 'i' THEN pg_catalog.pg_stat_get_tuples_returned(c.oid) END AS idx_tup_read, \
                pg_catalog.pg_stat_get_tuples_fetched(c.oid) + COALESCE(x.fetched, 0) AS idx_tup_fetch, \
                pg_catalog.pg_stat_get_tuples_inserted(c.oid) AS n_tup_ins, \
                pg_catalog.pg_stat_get_tuples_updated(c.oid) AS n_tup_upd, \
                pg_catalog.pg_stat_get_tuples_deleted(c.oid) AS n_tup_del, \
                pg_catalog.pg_stat_get_tuples_hot_updated(c.oid) AS n_tup_hot_upd, \
                pg_catalog.pg_stat_get_vacuum_count(c.oid) AS vacuum_count, \
                pg_catalog.pg_stat_get_autovacuum_count(c.oid) AS autovacuum_count, \
                pg_catalog.pg_stat_get_analyze_count(c.oid) AS analyze_count, \
                pg_catalog.pg_stat_get_autoanalyze_count(c.oid) AS autoanalyze_count, \
                pg_catalog.pg_stat_get_blocks_fetched(c.oid) - pg_catalog.pg_stat_get_blocks_hit(c.oid) AS blks_read, \
                pg_catalog.pg_stat_get_blocks_hit(c.oid) AS blks_hit, \
                CASE WHEN c.relfrozenxid::pg_catalog.text::pg_catalog.int8 > 2 \
                     THEN ({next_xid} - pg_catalog.mod({next_xid} - c.relfrozenxid::pg_catalog.text::pg_catalog.int8, 4294967296))::pg_catalog.text END AS frozen_xid\
                {of_16}{of_18}{of_19} \
         FROM {picked} \
         JOIN pg_catalog.pg_class c ON c.oid = p.oid::pg_catalog.oid \
         JOIN pg_catalog.pg_namespace s ON s.oid = c.relnamespace \
         LEFT JOIN pg_catalog.pg_index i ON i.indexrelid = c.oid \
         LEFT JOIN pg_catalog.pg_depend d ON c.relkind = 't' AND d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass \
              AND d.objid = c.oid AND d.objsubid = 0 AND d.deptype = 'i' \
              AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass \
         LEFT JOIN pg_catalog.pg_class t ON t.oid = COALESCE(i.indrelid, d.refobjid) \
         LEFT JOIN LATERAL (\
            SELECT pg_catalog.sum(pg_catalog.pg_stat_get_numscans(x.indexrelid))::pg_catalog.int8 AS scans, \
                   pg_catalog.sum(pg_catalog.pg_stat_get_tuples_fetched(x.indexrelid))::pg_catalog.int8 AS fetched \
            FROM pg_catalog.pg_index x WHERE x.indrelid = c.oid) x ON true"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_later_versions_are_read_there_only() {
        let of = |major: u32| {
            let server = Dialect {
                version: major * 10_000,
                ..Dialect::HERE
            };
            whole_of_target(&server, 10)
        };
        assert!(!of(12).contains("ins_since") && of(13).contains("ins_since"));
        assert!(!of(15).contains("lastscan") && of(16).contains("lastscan"));
        assert!(!of(17).contains("total_vacuum") && of(18).contains("total_vacuum"));
    }
}
