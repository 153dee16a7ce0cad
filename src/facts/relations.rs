//! The activity of each relation during a run: `pgperf.run_relations`, from the rows of `pgperf.relation_history` and
//! `pgperf.bloat_history` at its start and end.

use super::Span;
use crate::catalog::distributed;
use crate::collect::KIND_NAME;
use crate::error::Result;
use crate::pg::session::setting;
use crate::pg::sql::spi;
use serde::Deserialize;

/// Relations stored in one transaction.
pub const AT_ONCE: usize = 125;

/// The oids of the user's relations that changed; none if the run did not sample them.
///
/// A TOAST table, or its index, is the user's if the table on which it depends is; those of catalogs depend on
/// nothing. (pg_class.reltoastrelid would show it, too, but has no index.)
pub fn changed(span: &Span) -> Result<Vec<u32>> {
    #[derive(Deserialize)]
    struct Changed {
        oids: Vec<u32>,
    }
    let changed: Option<Changed> = spi::select_one(
        "SELECT COALESCE(pg_catalog.array_agg(a.relation_oid::pg_catalog.int8 ORDER BY a.relation_oid), '{}') AS oids \
         FROM (SELECT h.relation_oid, pg_catalog.bool_or(h.schema_name = 'pg_toast') AS is_toast \
               FROM pgperf.relation_history h \
               WHERE h.node_id = $1::pg_catalog.uuid AND h.relation_oid <> 0 AND h.sample_id > $2 AND h.sample_id <= $4 \
                 AND h.taken_at BETWEEN $3::pg_catalog.timestamptz AND $5::pg_catalog.timestamptz \
                 AND h.schema_name NOT IN ('pg_catalog', 'information_schema', 'pgperf', 'pgperf_internal') \
               GROUP BY h.relation_oid) a \
         WHERE NOT a.is_toast OR EXISTS (\
            SELECT FROM pg_catalog.pg_depend d \
            JOIN pg_catalog.pg_class t ON t.oid = d.refobjid \
            JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace \
            WHERE d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.objsubid = 0 AND d.deptype = 'i' \
              AND d.objid = COALESCE((SELECT i.indrelid FROM pg_catalog.pg_index i WHERE i.indexrelid = a.relation_oid), \
                                     a.relation_oid) \
              AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass \
              AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pgperf', 'pgperf_internal'))",
        &[
            span.node_id.into(),
            span.start.sample_id.into(),
            span.start.taken_at.as_str().into(),
            span.end.sample_id.into(),
            span.end.taken_at.as_str().into(),
        ],
    )?;
    Ok(changed.map_or(Vec::new(), |changed| changed.oids))
}

/// Stores some of them.
pub fn store(span: &Span, oids: &[u32]) -> Result<()> {
    // The history's partitions were never analyzed: a join that looks through all rows of one side for each of the other
    // seems cheap to the planner.
    setting::for_transaction("enable_nestloop", "off");
    let oids: Vec<i64> = oids.iter().copied().map(i64::from).collect();
    let mut args = Vec::from(span.parameters());
    args.push(oids.into());
    spi::execute(&sql(span.counters_went_on()), &args)?;
    Ok(())
}

/// The local part of a distributed table changes little or not at all, whatever the run does. Those that changed here
/// all the same, and those named by a script of the run, get rows without figures, with a note.
pub fn forget_shells(span: &Span) -> Result<()> {
    let distributed = distributed::tables()?;
    if distributed.is_empty() {
        return Ok(());
    }
    let key = || [span.node_id.into(), span.run_id.into()];
    let [node_id, run_id] = key();
    let tables = || distributed.clone().into();
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
                SELECT FROM pgperf_internal.stored_runs r, pg_catalog.jsonb_array_elements(r.spec -> 'scripts') s (script) \
                WHERE r.node_id = $1::pg_catalog.uuid AND r.run_id = $2 \
                  AND pg_catalog.strpos(pg_catalog.lower(s.script ->> 'text'), pg_catalog.lower(c.relname)) > 0)"
        ),
        &[node_id, run_id, tables(), distributed::REASON.into()],
    )?;
    Ok(())
}

/// The history has a row for a relation only when it changed. So its state at the start is its newest row until then,
/// unless that sample left relations out. A relation without such a row did not exist.
///
/// A counter is known if none began again in between: not the server's (`went_on`), nor this one. $7: the relations.
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
        WHERE h.node_id = $1::pg_catalog.uuid AND h.relation_oid = ANY ($7::pg_catalog.oid[]) \
          AND h.sample_id > $3 AND h.sample_id <= $5 \
          AND h.taken_at BETWEEN $4::pg_catalog.timestamptz AND $6::pg_catalog.timestamptz \
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
