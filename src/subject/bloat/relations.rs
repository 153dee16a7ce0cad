//! The relations to measure: those that the caller names, or the stalest of the database.

use super::Method;
use super::blocks::Shape;
use crate::catalog::distributed::{self, Marks};
use crate::collect::collector::KIND_NAME;
use crate::collect::sample::parts::Parts;
use crate::collect::walk::{SLICE, walk};
use crate::error::{Error, Result, failure, invalid, unsupported};
use crate::pg::pages::relation;
use crate::pg::sql::spi;
use pgrx::pg_sys;
use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use serde::Deserialize;

/// A relation's catalog entries that matter for measuring it.
#[derive(Debug, Clone, Deserialize)]
pub struct Relation {
    /// In the list by which it was looked up, from 1.
    pub place: usize,
    pub oid: u32,
    pub schema_name: String,
    pub relation_name: String,
    pub relation_kind: String,
    pub table_schema: Option<String>,
    pub table_name: Option<String>,
    pub fillfactor: i32,
    /// Rows changed since the statistics began.
    pub changes: Option<i64>,
    relkind: String,
    access_method: Option<String>,
    relpages: i32,
    relallvisible: i32,
    is_valid: bool,
    is_other_temp: bool,
    is_distributed: bool,
}

impl Relation {
    /// As a user would write it, without quotes.
    pub fn qualified_name(&self) -> String {
        format!("{}.{}", self.schema_name, self.relation_name)
    }

    /// A table, TOAST table or materialized view.
    pub fn is_heap(&self) -> bool {
        matches!(self.relkind.as_str(), "r" | "t" | "m")
    }

    /// The kind of its pages.
    pub fn shape(&self) -> Shape {
        match self.access_method.as_deref() {
            _ if self.is_heap() => Shape::Heap,
            Some("btree") => Shape::BTree,
            _ => Shape::OtherIndex,
        }
    }

    /// An index whose entries pgstattuple can count.
    pub fn is_known_to_pgstattuple(&self) -> bool {
        matches!(self.access_method.as_deref(), Some("hash" | "gist"))
    }

    /// The share of its pages that pgstattuple_approx has to read, as of the last vacuum.
    pub fn share_to_read(&self) -> f64 {
        if self.relpages > 0 {
            1.0 - f64::from(self.relallvisible) / f64::from(self.relpages)
        } else {
            1.0
        }
    }

    /// Why it cannot be measured with that method: SQLSTATE class, reason and hint.
    pub fn refusal(&self, method: Method) -> Option<Error> {
        let name = self.qualified_name();
        let wrong_kind = |what: &str, hint: &str| {
            let message = format!("cannot measure the bloat of {what} \"{name}\"");
            Some(failure(PgSqlErrorCode::ERRCODE_WRONG_OBJECT_TYPE, message).hinting(hint))
        };
        let unsupported =
            |message: String, hint: &str| Some(unsupported(message).hinting(hint.to_owned()));
        const PARTS: &str = "It has no storage of its own: name its partitions.";
        const KINDS: &str = "Name tables, materialized views, TOAST tables or indexes.";
        match (self.relkind.as_str(), self.access_method.as_deref()) {
            ("p", _) => return wrong_kind("partitioned table", PARTS),
            ("I", _) => return wrong_kind("partitioned index", PARTS),
            ("v", _) => return wrong_kind("view", KINDS),
            ("f", _) => return wrong_kind("foreign table", KINDS),
            ("S", _) => return wrong_kind("sequence", KINDS),
            ("c", _) => return wrong_kind("composite type", KINDS),
            ("i", Some("btree" | "hash" | "gist" | "spgist" | "gin" | "brin"))
            | ("r" | "t" | "m", Some("heap")) => {}
            (_, method) => {
                return unsupported(
                    format!(
                        "cannot measure the bloat of \"{name}\": access method \"{}\" is not supported",
                        method.unwrap_or("none")
                    ),
                    "Supported are heap tables and the server's own kinds of index.",
                );
            }
        }
        if self.is_distributed {
            return unsupported(
                format!(
                    "cannot measure the bloat of \"{name}\": {}",
                    distributed::REASON
                ),
                "Install pgperf on the servers that have the shards, and measure those there.",
            );
        }
        if self.is_other_temp {
            return unsupported(
                format!("cannot access temporary table \"{name}\" of another session"),
                KINDS,
            );
        }
        if !self.is_valid {
            return unsupported(
                format!("index \"{name}\" is not valid"),
                "A concurrent build failed or is not finished: REINDEX it.",
            );
        }
        if method == Method::Approx && !self.is_heap() {
            return unsupported(
                format!("method \"approx\" cannot measure index \"{name}\""),
                "Use method \"exact\", \"sampled\" or \"auto\" for indexes.",
            );
        }
        None
    }
}

/// The relations of these oids.
///
/// # Errors
/// None named, NULL (22023); one that does not exist (42P01), has the wrong kind (42809), or cannot be measured with
/// that method (0A000).
pub fn named(oids: &[Option<pg_sys::Oid>], method: Method) -> Result<Vec<Relation>> {
    let invalid = |message: &str| {
        invalid(message.to_owned())
            .hinting("Leave the argument out, or give NULL, for all relations of the database.")
    };
    if oids.is_empty() {
        return Err(invalid("relations must not be empty"));
    }
    let mut wanted = oids
        .iter()
        .copied()
        .collect::<Option<Vec<_>>>()
        .ok_or_else(|| invalid("relations must not contain null"))?;
    wanted.sort_unstable_by_key(|oid| oid.to_u32());
    wanted.dedup();
    let found = describe(&wanted)?;
    let known = |oid: &&pg_sys::Oid| found.iter().any(|relation| relation.oid == oid.to_u32());
    if let Some(missing) = wanted.iter().find(|oid| !known(oid)) {
        return Err(relation::undefined(*missing));
    }
    match found.iter().find_map(|relation| relation.refusal(method)) {
        Some(error) => Err(error),
        None => Ok(found),
    }
}

/// A relation whose rows have all changed since it was measured ages this many times faster than an unchanged one.
const CHANGE_WEIGHT: i32 = 10;

/// Relations that can be measured, one value per relation in each list.
#[derive(Deserialize)]
struct Candidates {
    oid: Vec<u32>,
    /// None: it was never measured.
    staleness: Vec<Option<f64>>,
    pages: Vec<i64>,
}

/// The user's relations of this database that this method can measure. Those never measured come first, larger before
/// smaller; then those measured longest ago, where changes since count as age. Nothing starves: unchanged relations
/// grow older, too.
///
/// Sizes are those of the catalog: no file is visited, no lock waited for.
pub fn stalest(node_id: &str, method: Method, parts: &mut dyn Parts) -> Result<Vec<pg_sys::Oid>> {
    let mut all = Vec::new();
    walk(
        parts,
        &candidates_sql(method),
        || vec![node_id.into()],
        |found: Candidates| {
            let order = found.staleness.into_iter().zip(found.pages);
            all.extend(found.oid.into_iter().zip(order));
        },
    )?;
    all.sort_by(|(oid, (staleness, pages)), (other, (others, more_pages))| {
        let never = (others.is_none()).cmp(&staleness.is_none());
        let age = |staleness: &Option<f64>| staleness.unwrap_or_default();
        (never.then(age(others).total_cmp(&age(staleness))))
            .then(more_pages.cmp(pages))
            .then(oid.cmp(other))
    });
    let oid = |(oid, _): (u32, _)| pg_sys::Oid::from(oid);
    Ok(all.into_iter().map(oid).collect())
}

/// $3: the node. (Names have collation C, the history's index the default one: without COLLATE it would not serve.)
fn candidates_sql(method: Method) -> String {
    let kinds = match method {
        Method::Approx => "'r', 't', 'm'",
        _ => "'r', 't', 'm', 'i'",
    };
    format!(
        "WITH slice AS MATERIALIZED ({SLICE}), \
         found AS (\
            SELECT c.oid, c.relpages, EXTRACT(epoch FROM pg_catalog.clock_timestamp() - h.taken_at) \
                       * (1 + {CHANGE_WEIGHT} * LEAST(1, GREATEST({CHANGES} - h.changes, 0) \
                                                         / GREATEST(c.reltuples, 1000))) AS staleness \
            FROM slice c \
            JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
            JOIN pg_catalog.pg_am am ON am.oid = c.relam \
            LEFT JOIN pg_catalog.pg_index x ON x.indexrelid = c.oid \
            {TOAST_OWNER} \
            LEFT JOIN pg_catalog.pg_class t ON t.oid = d.refobjid \
            LEFT JOIN LATERAL (SELECT b.taken_at, b.changes FROM pgperf.bloat_history b \
                WHERE b.node_id = $3::pg_catalog.uuid \
                  AND b.schema_name = n.nspname::pg_catalog.text COLLATE pg_catalog.\"default\" \
                  AND b.relation_name = c.relname::pg_catalog.text COLLATE pg_catalog.\"default\" \
                ORDER BY b.taken_at DESC LIMIT 1) h ON true \
            WHERE c.relkind IN ({kinds}) AND c.relpersistence <> 't' \
              AND am.amname IN ('heap', 'btree', 'hash', 'gist', 'spgist', 'gin', 'brin') AND x.indisvalid IS NOT FALSE \
              AND (n.nspname <> 'pg_toast' OR t.oid IS NOT NULL) \
              AND COALESCE(t.relnamespace, c.relnamespace) NOT IN ( \
                  SELECT s.oid FROM pg_catalog.pg_namespace s \
                  WHERE s.nspname IN ('pg_catalog', 'information_schema', 'pgperf', 'pgperf_internal'))) \
         SELECT (SELECT pg_catalog.max(s.oid)::pg_catalog.int8 FROM slice s) AS last, \
                COALESCE(pg_catalog.array_agg(f.oid::pg_catalog.int8), '{{}}') AS oid, \
                COALESCE(pg_catalog.array_agg(f.staleness::pg_catalog.float8), '{{}}') AS staleness, \
                COALESCE(pg_catalog.array_agg(f.relpages::pg_catalog.int8), '{{}}') AS pages \
         FROM found f"
    )
}

/// The dependency `d` of a TOAST table on its table, for `c` or what it is the index `x` of. The server's own catalogs have
/// none: these TOAST tables were made with them. (pg_class.reltoastrelid has no index.)
const TOAST_OWNER: &str = "LEFT JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass \
         AND d.objid = COALESCE(x.indrelid, c.oid) AND d.objsubid = 0 AND d.deptype = 'i' \
         AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass \
         AND (SELECT b.relkind FROM pg_catalog.pg_class b WHERE b.oid = d.objid) = 't'";

/// Catalog entries of these relations, in order; dropped ones are missing.
pub fn describe(oids: &[pg_sys::Oid]) -> Result<Vec<Relation>> {
    spi::select(
        &format!(
            "{} JOIN ROWS FROM (pg_catalog.unnest($1)) WITH ORDINALITY AS w (oid, place) ON w.oid = c.oid \
             ORDER BY w.place",
            description(&Marks::of_database()?)
        ),
        &[oids.to_vec().into(), distributed::tables()?.into()],
    )
}

/// Rows of `c`, or of the table whose index it is, that were inserted, updated and deleted since the statistics
/// began.
pub const CHANGES: &str = "(pg_catalog.pg_stat_get_tuples_inserted(COALESCE(x.indrelid, c.oid)) \
    + pg_catalog.pg_stat_get_tuples_updated(COALESCE(x.indrelid, c.oid)) \
    + pg_catalog.pg_stat_get_tuples_deleted(COALESCE(x.indrelid, c.oid)))";

/// Reads a [`Relation`] of each row of pg_class `c` that the list `w` names. A TOAST table's index belongs to the table that
/// the TOAST table belongs to, a shard to its distributed table.
fn description(marks: &Marks) -> String {
    let table_of_shard = marks.table_of_shard;
    format!(
        "SELECT w.place, c.oid::pg_catalog.int8 AS oid, n.nspname AS schema_name, c.relname AS relation_name, \
                COALESCE({KIND_NAME}, 'other') AS relation_kind, \
                COALESCE(tn.nspname, CASE WHEN {table_of_shard} IS NOT NULL THEN n.nspname END) AS table_schema, COALESCE(t.relname, {table_of_shard}) AS table_name, \
                COALESCE((SELECT o.option_value::pg_catalog.int4 \
                          FROM pg_catalog.pg_options_to_table(c.reloptions) o \
                          WHERE o.option_name = 'fillfactor'), \
                         CASE c.relkind WHEN 'i' THEN 90 ELSE 100 END) AS fillfactor, \
                {CHANGES} AS changes, c.relkind, a.amname AS access_method, c.relpages, c.relallvisible, \
                x.indisvalid IS NOT FALSE AS is_valid, \
                c.relpersistence = 't' AND pg_catalog.pg_is_other_temp_schema(c.relnamespace) AS is_other_temp, \
                COALESCE(d.refobjid, x.indrelid, c.oid)::pg_catalog.int8 = ANY ($2) AS is_distributed \
         FROM pg_catalog.pg_class c \
         JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
         LEFT JOIN pg_catalog.pg_am a ON a.oid = c.relam \
         LEFT JOIN pg_catalog.pg_index x ON x.indexrelid = c.oid \
         {TOAST_OWNER} \
         LEFT JOIN pg_catalog.pg_class t ON t.oid = COALESCE(d.refobjid, x.indrelid) \
         LEFT JOIN pg_catalog.pg_namespace tn ON tn.oid = t.relnamespace"
    )
}
