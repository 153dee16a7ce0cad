//! Tables that Citus distributes: this server has a shell of each, empty or with its earlier rows, and the rows are
//! in shards, most of them on other servers. Counters here say nothing about them.

use crate::error::Result;
use crate::pg::sql::spi;
use serde::{Deserialize, Serialize};

/// Why a figure of such a table is NULL.
pub const REASON: &str = "distributed by Citus: its rows are in shards, also on other servers";

/// Why figures of a run are NULL where there are such tables.
pub const REASON_OF_RUN: &str = "tables distributed by Citus: WAL, buffers, growth and what happened to these tables are on \
     other servers too, and unknown here";

/// The same where all of these nodes have told what they know.
pub fn reason_of_nodes(nodes: usize) -> String {
    let of = match nodes {
        1 => "of the only node".to_owned(),
        nodes => format!("of {nodes} nodes together"),
    };
    format!(
        "tables distributed by Citus: WAL, buffers and growth are those {of}, of all sessions; of intervals, statements and these \
         tables they are unknown"
    )
}

/// Whether this database has Citus.
pub fn is_possible() -> Result<bool> {
    let catalog: Option<Catalog> = spi::select_one(CATALOG, &[])?;
    Ok(catalog.is_some_and(|catalog| catalog.is_there))
}

/// The answer of [`CATALOG`].
#[derive(Deserialize)]
pub struct Catalog {
    pub is_there: bool,
}

/// Whether a database has Citus.
pub const CATALOG: &str =
    "SELECT pg_catalog.to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL AS is_there";

/// Where the rows of a table are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Placement {
    pub relation: String,
    pub kind: PlacementKind,
    /// Of [`PlacementKind::Hash`].
    pub column: Option<String>,
    pub shards: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlacementKind {
    /// In shards, by the hash of a column.
    Hash,
    /// All of them on each node: a reference table.
    Reference,
    /// In a single shard.
    Single,
    /// On the coordinator: a local table that the other nodes know.
    Managed,
    /// In shards of ranges, or as they came.
    Other,
}

/// The query for [`Placement`]s: `schema` and `tables`, a list of names, are SQL. Tables that a foreign key has made known to other nodes are
/// left out: it will do so again.
pub fn placements_sql(schema: &str, tables: &str) -> String {
    format!(
        "SELECT c.relname AS relation, \
                CASE WHEN p.partmethod OPERATOR(pg_catalog.=) 'h' THEN 'hash' \
                     WHEN p.partmethod OPERATOR(pg_catalog.<>) 'n' THEN 'other' \
                     WHEN p.repmodel OPERATOR(pg_catalog.=) 't' THEN 'reference' \
                     WHEN p.colocationid OPERATOR(pg_catalog.<>) 0 THEN 'single' ELSE 'managed' END AS kind, \
                CASE WHEN p.partmethod OPERATOR(pg_catalog.=) 'h' \
                     THEN pg_catalog.column_to_column_name(p.logicalrelid, p.partkey) END AS column, \
                (SELECT pg_catalog.count(*) FROM pg_catalog.pg_dist_shard s \
                  WHERE s.logicalrelid OPERATOR(pg_catalog.=) p.logicalrelid) AS shards \
           FROM pg_catalog.pg_dist_partition p \
           JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) p.logicalrelid \
           JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace \
          WHERE n.nspname OPERATOR(pg_catalog.=) {schema}::pg_catalog.name \
            AND c.relname OPERATOR(pg_catalog.=) ANY ({tables}::pg_catalog.name[]) \
            AND NOT c.relispartition AND NOT p.autoconverted \
          ORDER BY c.relname"
    )
}

/// Those of these tables of a schema.
pub fn placements(tables: &[String], schema: &str) -> Result<Vec<Placement>> {
    if !is_possible()? {
        return Ok(Vec::new());
    }
    spi::select(
        &placements_sql("$1", "$2"),
        &[schema.into(), tables.to_vec().into()],
    )
}

/// The first of these tables of a schema that is one of [`tables`].
pub fn first_of(tables: &[String], schema: &str) -> Result<Option<String>> {
    #[derive(Deserialize)]
    struct DistributedTable {
        relation: String,
    }
    let distributed = self::tables()?;
    if distributed.is_empty() {
        return Ok(None);
    }
    let found: Option<DistributedTable> = spi::select_one(
        "SELECT c.relname AS relation FROM pg_catalog.pg_class c \
           JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace \
          WHERE n.nspname OPERATOR(pg_catalog.=) $1::pg_catalog.name \
            AND c.relname OPERATOR(pg_catalog.=) ANY ($2::pg_catalog.name[]) \
            AND c.oid::pg_catalog.int8 OPERATOR(pg_catalog.=) ANY ($3) \
          ORDER BY c.relname",
        &[schema.into(), tables.to_vec().into(), distributed.into()],
    )?;
    Ok(found.map(|found| found.relation))
}

/// The distributed, reference and managed local tables of this database, by oid. Citus's catalog is the proof: nobody but a
/// superuser who changes system tables can make a table in pg_catalog.
pub fn tables() -> Result<Vec<i64>> {
    #[derive(Deserialize)]
    struct DistributedTable {
        oid: i64,
    }
    if !is_possible()? {
        return Ok(Vec::new());
    }
    let tables: Vec<DistributedTable> = spi::select(
        "SELECT p.logicalrelid::pg_catalog.oid::pg_catalog.int8 AS oid FROM pg_catalog.pg_dist_partition p",
        &[],
    )?;
    Ok(tables.into_iter().map(|table| table.oid).collect())
}

/// In SQL, what Citus makes of relations: for a row `c` of pg_class, and the row `t` of the table that an index or TOAST table belongs to.
pub struct Marks {
    /// Whether it is a shell of a distributed table, or belongs to one.
    pub is_shell: &'static str,
    /// The name of the distributed table of which it is a shard; NULL: of none.
    pub table_of_shard: &'static str,
}

impl Marks {
    /// Where there is no Citus.
    pub const NONE: Marks = Marks {
        is_shell: "false",
        table_of_shard: "NULL::pg_catalog.name",
    };

    /// Those of this database. A shard has the name of its table, or the beginning of a long one, and its number, which no other shard has.
    pub fn of_database() -> Result<Marks> {
        Ok(match is_possible()? {
            false => Marks::NONE,
            true => Marks {
                is_shell: "EXISTS (SELECT FROM pg_catalog.pg_dist_partition dp \
                     WHERE dp.logicalrelid OPERATOR(pg_catalog.=) COALESCE(t.oid, c.oid))",
                table_of_shard: "CASE WHEN c.relkind IN ('r', 'p') THEN (SELECT dl.relname FROM pg_catalog.pg_dist_shard ds \
                     JOIN pg_catalog.pg_class dl ON dl.oid OPERATOR(pg_catalog.=) ds.logicalrelid \
                     WHERE ds.shardid OPERATOR(pg_catalog.=) pg_catalog.substring(c.relname::pg_catalog.text, '_([0-9]{1,18})$')::pg_catalog.int8 \
                       AND dl.relnamespace OPERATOR(pg_catalog.=) c.relnamespace \
                       AND (c.relname OPERATOR(pg_catalog.=) pg_catalog.format('%s_%s', dl.relname, ds.shardid) \
                            OR pg_catalog.octet_length(c.relname::pg_catalog.text) OPERATOR(pg_catalog.=) 63)) END",
            },
        })
    }
}
