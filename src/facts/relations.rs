//! What became of each relation during a run: `pgperf.run_relations`, from the rows of `pgperf.relation_history` and
//! `pgperf.bloat_history` at its start and end.

use super::Span;
use crate::collect::{KIND_NAME, distributed};
use crate::error::Result;
use crate::pg::spi;

/// Stores the relations that changed; nothing if the run did not sample them.
pub fn store(span: &Span) -> Result<()> {
    spi::execute(&sql(span.counters_went_on()), &span.parameters())?;
    let distributed = distributed::tables()?;
    if !distributed.is_empty() {
        forget_shells(span, &distributed)?;
    }
    Ok(())
}

/// Of distributed tables, what is here changed little or not at all, whatever the run did. Those that changed here all the
/// same, and those that a script of the run names, are there without figures, which says so.
fn forget_shells(span: &Span, distributed: &[i64]) -> Result<()> {
    let key = || [span.node_id.into(), span.run_id.into()];
    let [node_id, run_id] = key();
    let tables = || distributed.to_vec().into();
    spi::execute(
        "DELETE FROM pgperf.run_relations r \
         WHERE r.node_id = $1::pg_catalog.uuid AND r.run_id = $2 AND r.relation_oid::pg_catalog.int8 IN (\
            WITH parts AS (SELECT s.oid, t.reltoastrelid \
                           FROM pg_catalog.unnest($3) AS s (oid) JOIN pg_catalog.pg_class t ON t.oid = s.oid), \
                 heaps AS (SELECT p.oid FROM parts p UNION ALL SELECT p.reltoastrelid::pg_catalog.int8 FROM parts p) \
            SELECT h.oid FROM heaps h \
            UNION ALL SELECT i.indexrelid::pg_catalog.int8 FROM pg_catalog.pg_index i JOIN heaps h ON h.oid = i.indrelid)",
        &[node_id, run_id, tables()],
    )?;
    let [node_id, run_id] = key();
    spi::execute(
        &format!(
            "INSERT INTO pgperf.run_relations \
                (node_id, run_id, relation_oid, schema_name, relation_name, relation_kind, note) \
             SELECT $1::pg_catalog.uuid, $2, c.oid, n.nspname, c.relname, COALESCE({KIND_NAME}, 'partitioned table'), $4 \
             FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
             WHERE c.oid::pg_catalog.int8 = ANY ($3) AND EXISTS (\
                SELECT FROM pgperf.stored_runs r, pg_catalog.jsonb_array_elements(r.spec -> 'scripts') s (script) \
                WHERE r.node_id = $1::pg_catalog.uuid AND r.run_id = $2 \
                  AND pg_catalog.strpos(pg_catalog.lower(s.script ->> 'text'), pg_catalog.lower(c.relname)) > 0)"
        ),
        &[node_id, run_id, tables(), distributed::REASON.into()],
    )?;
    Ok(())
}

/// The history has a row of a relation only where it changed. So what it was at the start is its newest row until
/// then; which of them are missing is not known if that sample left some out. One without such a row was not there.
///
/// A counter is known if none began again in between: not the server's (`went_on`), nor this one.
fn sql(went_on: bool) -> String {
    // An index has none of its own; the statistics say 0.
    let of_tables =
        |value: String| format!("CASE WHEN a.relation_kind <> 'index' THEN {value} END");
    let difference = |column: &&str| {
        let begin = format!(
            "CASE WHEN b.relation_oid IS NOT NULL THEN b.{column} WHEN s.is_complete THEN 0 END"
        );
        let difference =
            format!("CASE WHEN {went_on} AND a.{column} >= {begin} THEN a.{column} - {begin} END");
        if column.starts_with("n_tup") {
            of_tables(difference)
        } else {
            difference
        }
    };
    let estimates = [
        "b.n_live_tup",
        "a.n_live_tup",
        "b.n_dead_tup",
        "a.n_dead_tup",
    ]
    .map(|column| of_tables(column.to_owned()))
    .join(", ");
    let counters = COUNTERS
        .iter()
        .map(difference)
        .collect::<Vec<_>>()
        .join(", ");
    format!(
        "WITH started AS (\
        SELECT h.left_out = 0 AS is_complete FROM pgperf.relation_history h \
        WHERE h.node_id = $1::pg_catalog.uuid AND h.sample_id = $3 AND h.taken_at = $4::pg_catalog.timestamptz \
          AND h.relation_oid = 0), \
     after AS (\
        SELECT DISTINCT ON (h.relation_oid) h.* FROM pgperf.relation_history h \
        WHERE h.node_id = $1::pg_catalog.uuid AND h.relation_oid <> 0 AND h.sample_id > $3 AND h.sample_id <= $5 \
          AND h.taken_at BETWEEN $4::pg_catalog.timestamptz AND $6::pg_catalog.timestamptz \
          AND h.schema_name NOT IN ('pg_catalog', 'information_schema', 'pgperf') \
          AND (h.schema_name <> 'pg_toast' OR EXISTS (\
                SELECT FROM pg_catalog.pg_class t JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace \
                WHERE t.reltoastrelid IN (h.relation_oid, (SELECT i.indrelid FROM pg_catalog.pg_index i \
                                                           WHERE i.indexrelid = h.relation_oid)) \
                  AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pgperf'))) \
        ORDER BY h.relation_oid, h.sample_id DESC) \
     INSERT INTO pgperf.run_relations \
     SELECT $1::pg_catalog.uuid, $2, a.relation_oid, a.schema_name, a.relation_name, a.relation_kind, a.table_name, \
            b.size_bytes, a.size_bytes, {estimates}, \
            m.live_percent, e.live_percent, m.bloat_percent, e.bloat_percent, \
            {counters} \
     FROM after a \
     CROSS JOIN started s \
     LEFT JOIN LATERAL (\
        SELECT h.* FROM pgperf.relation_history h \
        WHERE h.node_id = $1::pg_catalog.uuid AND h.relation_oid = a.relation_oid AND h.sample_id <= $3 \
          AND h.taken_at > $4::pg_catalog.timestamptz - '2 days'::pg_catalog.interval \
          AND (s.is_complete OR h.sample_id = $3) \
        ORDER BY h.sample_id DESC LIMIT 1) b ON true \
     LEFT JOIN pgperf.bloat_history m ON m.node_id = $1::pg_catalog.uuid AND m.sample_id = $3 \
          AND m.taken_at = $4::pg_catalog.timestamptz \
          AND m.schema_name = a.schema_name AND m.relation_name = a.relation_name \
     LEFT JOIN pgperf.bloat_history e ON e.node_id = $1::pg_catalog.uuid AND e.sample_id = $5 \
          AND e.taken_at = $6::pg_catalog.timestamptz \
          AND e.schema_name = a.schema_name AND e.relation_name = a.relation_name"
    )
}

/// In the order of the table's columns.
const COUNTERS: [&str; 12] = [
    "seq_scan",
    "idx_scan",
    "n_tup_ins",
    "n_tup_upd",
    "n_tup_hot_upd",
    "n_tup_del",
    "vacuum_count",
    "autovacuum_count",
    "analyze_count",
    "autoanalyze_count",
    "blks_read",
    "blks_hit",
];
