//! One relation's row of `bloat_history`.

use super::Method;
use super::budget::Budget;
use super::figures::{Figures, Heap};
use super::reading::{Reader, WHOLE_PAGES};
use super::relations::Relation;
use crate::collect::collector::extension_schema;
use crate::error::Result;
use crate::pg::pages::relation::{OpenRelation, open_without_waiting, undefined};
use crate::pg::sql::spi;
use pgrx::pg_sys;
use serde::Serialize;

/// The collector's columns of a row.
#[derive(Serialize)]
pub struct MeasuredBloat<'a> {
    schema_name: &'a str,
    relation_name: &'a str,
    relation_kind: &'a str,
    table_schema: Option<&'a str>,
    table_name: Option<&'a str>,
    method: &'static str,
    changes: Option<i64>,
    #[serde(flatten)]
    figures: Figures,
}

/// Measures the relation; None: the budget does not suffice. Without a snapshot unless [`needs_sql`].
///
/// # Errors
/// It is locked, gone, or a page does not make sense. (A page that the server refuses is its ERROR.)
pub fn measure<'a>(
    relation: &'a Relation,
    method: Method,
    budget: &mut Budget,
) -> Result<Option<MeasuredBloat<'a>>> {
    let oid = pg_sys::Oid::from(relation.oid);
    let measured = open_without_waiting(oid, |open| {
        if needs_sql(relation, method) {
            return through_pgstattuple(relation, open, method, budget);
        }
        let reader = Reader::new(open, relation.shape(), relation.fillfactor);
        let small = open.blocks() <= WHOLE_PAGES;
        Ok(match method {
            Method::Exact => reader.whole(budget)?.map(|figures| ("exact", figures)),
            Method::Auto if small => reader.whole(budget)?.map(|figures| ("exact", figures)),
            _ => reader.sample(budget)?.map(|figures| ("sampled", figures)),
        })
    })?;
    Ok(measured.map(|(method, figures)| MeasuredBloat {
        schema_name: &relation.schema_name,
        relation_name: &relation.relation_name,
        relation_kind: &relation.relation_kind,
        table_schema: relation.table_schema.as_deref(),
        table_name: relation.table_name.as_deref(),
        method,
        changes: relation.changes,
        figures,
    }))
}

/// Whether a function of pgstattuple has to read it, which takes a snapshot: `approx` goes by the visibility
/// and free space maps, and the entries of hash and GiST indexes are of a form that only it knows.
pub fn needs_sql(relation: &Relation, method: Method) -> bool {
    method == Method::Approx || method == Method::Exact && relation.is_known_to_pgstattuple()
}

/// The relation is open, so that the function will not wait for its lock.
fn through_pgstattuple(
    relation: &Relation,
    open: &OpenRelation,
    method: Method,
    budget: &mut Budget,
) -> Result<Option<(&'static str, Figures)>> {
    let approx = method == Method::Approx;
    let share = if approx {
        relation.share_to_read()
    } else {
        1.0
    };
    let pages = (f64::from(open.blocks()) * share) as u64;
    if !budget.has_room_for(pages) {
        return Ok(None);
    }
    let schema = extension_schema("pgstattuple")?;
    let (function, columns) = if approx {
        ("pgstattuple_approx", APPROX)
    } else {
        ("pgstattuple", EXACT)
    };
    let heap: Heap = spi::select_one(
        &format!("SELECT {columns} FROM {schema}.{function}($1::pg_catalog.regclass)"),
        &[pg_sys::Oid::from(relation.oid).into()],
    )?
    .ok_or_else(|| undefined(relation.oid.into()))?;
    budget.take(pages);
    Ok(Some(if approx {
        ("approx", heap.figures(relation.fillfactor))
    } else {
        ("exact", heap.index_figures())
    }))
}

/// [`Heap`] from pgstattuple's columns.
const EXACT: &str = "table_len AS size_bytes, 100.0 AS scanned_percent, tuple_count AS live_tuples, \
    tuple_len AS live_bytes, dead_tuple_count AS dead_tuples, dead_tuple_len AS dead_bytes, \
    free_space AS free_bytes, false AS approx";

/// [`Heap`] from pgstattuple_approx's columns.
const APPROX: &str = "table_len AS size_bytes, scanned_percent, approx_tuple_count AS live_tuples, \
    approx_tuple_len AS live_bytes, dead_tuple_count AS dead_tuples, dead_tuple_len AS dead_bytes, \
    approx_free_space AS free_bytes, true AS approx";
