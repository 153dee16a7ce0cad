//! The catalog queries of filling: the partitions of a table, and its rules.

use crate::error::Result;
use crate::pg::sql::{spi, xact};
use crate::workload::{Keys, Partition};
use serde::Deserialize;

/// Whether the table has exactly these partitions by the column `by`, and an insert does nothing but add rows to them.
pub(super) fn has_these_partitions(
    schema: &str,
    table: &str,
    by: &str,
    partitions: &[Partition],
) -> Result<bool> {
    #[derive(Deserialize)]
    struct AttachedPartition {
        key: String,
        is_plain: bool,
        name: String,
        bound: String,
    }
    let rows: Vec<AttachedPartition> =
        xact::with_latest_snapshot(|| spi::select(PARTITIONS, &[schema.into(), table.into()]))?;
    let method = |keys: &Keys| match keys {
        Keys::Range { .. } | Keys::OfSource => format!("RANGE ({by})"),
        Keys::Hash { .. } => format!("HASH ({by})"),
    };
    Ok(rows.len() == partitions.len()
        && partitions.iter().all(|partition| {
            rows.iter().any(|row| {
                row.is_plain
                    && row.key == method(&partition.keys)
                    && row.name == partition.table
                    // A bigint that is larger than an int is shown in quotes.
                    && row.bound.replace('\'', "") == partition.bound.replace('\'', "")
            })
        }))
}

/// The names of the table's rules that rewrite an INSERT in this session.
pub(super) fn insert_rules(schema: &str, table: &str) -> Result<Vec<String>> {
    #[derive(Deserialize)]
    struct RewriteRule {
        name: String,
    }
    let rows: Vec<RewriteRule> =
        xact::with_latest_snapshot(|| spi::select(INSERT_RULES, &[schema.into(), table.into()]))?;
    Ok(rows.into_iter().map(|row| row.name).collect())
}

/// Of table $2 of schema $1. Those of a partition are not asked for: rows reach it through its parent.
const INSERT_RULES: &str = "SELECT r.rulename AS name \
   FROM pg_catalog.pg_rewrite r \
   JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) r.ev_class \
   JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace \
  WHERE n.nspname OPERATOR(pg_catalog.=) $1 AND c.relname OPERATOR(pg_catalog.=) $2 \
    AND r.ev_type OPERATOR(pg_catalog.=) '3' \
    AND (r.ev_enabled OPERATOR(pg_catalog.=) 'A' \
         OR r.ev_enabled OPERATOR(pg_catalog.=) CASE pg_catalog.current_setting('session_replication_role') \
                WHEN 'replica' THEN 'R'::pg_catalog.\"char\" ELSE 'O'::pg_catalog.\"char\" END) \
  ORDER BY 1";

/// The partitions of table $2 of schema $1.
const PARTITIONS: &str = "SELECT pg_catalog.pg_get_partkeydef(p.oid) AS key, \
        NOT p.relhastriggers AND NOT p.relrowsecurity AND NOT p.relispartition \
            AND NOT EXISTS (SELECT FROM pg_catalog.pg_attribute a WHERE a.attrelid OPERATOR(pg_catalog.=) p.oid \
                               AND a.attidentity OPERATOR(pg_catalog.<>) '') \
            AND pg_catalog.has_table_privilege(p.oid, 'INSERT') AS is_plain, \
        c.relname AS name, coalesce(pg_catalog.pg_get_expr(c.relpartbound, c.oid), '') AS bound \
   FROM pg_catalog.pg_class p \
   JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) p.relnamespace \
   JOIN pg_catalog.pg_inherits i ON i.inhparent OPERATOR(pg_catalog.=) p.oid \
   JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) i.inhrelid \
  WHERE n.nspname OPERATOR(pg_catalog.=) $1 AND p.relname OPERATOR(pg_catalog.=) $2 \
    AND p.relkind OPERATOR(pg_catalog.=) 'p'";
