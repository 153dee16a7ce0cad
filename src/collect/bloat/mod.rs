//! Live, dead, free and wasted space of relations, through pgstattuple.
//!
//! * [`relations`]: which relations, what is known of them, what cannot be measured;
//! * [`figures`]: what the numbers mean, in particular bloat; pure arithmetic.

mod figures;
mod relations;

use super::collector::{Collector, Cost, Reading, Scope, extension_schema};
use crate::error::{Error, Result, sqlstate_code};
use crate::pg::spi;
use crate::pg::subxact::subtransaction;
use figures::{Figures, Heap, Tree};
use pgrx::pg_sys;
use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use relations::Relation;
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// See the module.
pub const COLLECTOR: Collector = Collector {
    name: "bloat",
    cost: Cost::Heavy,
    every_interval: false,
    needs: Some("pgstattuple"),
    history_tables: &["bloat_history"],
    description: "live, dead, free and wasted space of tables, TOAST tables and B-trees; those not measured for longest first, for 2 s",
    read: |scope| {
        let selection = Selection {
            relations: None,
            method: Method::Auto,
            budget: None,
        };
        selection.read(scope)
    },
};

/// How long a sample looks at relations that nobody named: its SELECT holds the server's xmin.
const DEFAULT_BUDGET: Duration = Duration::from_secs(2);

/// What a disk gives at least, by which it is judged whether a relation still fits into the budget:
/// 200 MB/s. (A scan cannot be stopped half-way and keep its figures.)
const PAGES_PER_SECOND: f64 = 25_600.0;

/// With `auto`, tables up to this size are read whole: 64 MB, some 50 ms from memory.
const EXACT_PAGES: i64 = (64 << 20) / figures::PAGE_BYTES;

/// How tables are read. B-trees are always read whole: there is no other way yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// `Exact` for small tables, `Approx` for others.
    Auto,
    /// Every page.
    Exact,
    /// Pages that are all visible are taken from the free space map.
    Approx,
}

impl Method {
    /// # Errors
    /// An unknown name: 22023 with the list in the hint.
    pub fn by_name(name: &str) -> Result<Self> {
        match name {
            "auto" => Ok(Method::Auto),
            "exact" => Ok(Method::Exact),
            "approx" => Ok(Method::Approx),
            _ => Err(Error::InvalidArgument {
                message: format!("unknown bloat method: \"{name}\""),
                hint: Some("The methods are: auto, exact, approx.".to_owned()),
            }),
        }
    }
}

/// What to measure, and how.
#[derive(Debug, Clone)]
pub struct Selection {
    /// None: every user table, materialized view, TOAST table and B-tree of this database.
    relations: Option<Vec<Relation>>,
    method: Method,
    budget: Option<Duration>,
}

impl Selection {
    /// Checks the arguments of `snapshot_bloat`.
    ///
    /// # Errors
    /// An unknown method; no relation, one that does not exist or that cannot be measured so.
    pub fn new(
        named: Option<Vec<Option<pg_sys::Oid>>>,
        method: &str,
        budget: Option<Duration>,
    ) -> Result<Self> {
        let method = Method::by_name(method)?;
        let relations = match named {
            Some(oids) => Some(relations::named(&oids, method)?),
            None => None,
        };
        Ok(Selection {
            relations,
            method,
            budget,
        })
    }

    /// Measures one relation after the other, each in its own subtransaction: one that is locked or
    /// gone is left out and noted. Named ones are all measured unless a budget is given.
    pub fn read(self, scope: &Scope) -> Result<Reading> {
        let schema = extension_schema("pgstattuple")?;
        let budget = match (&self.relations, self.budget) {
            (None, None) => Some(DEFAULT_BUDGET),
            (_, budget) => budget,
        };
        let (relations, total) = match self.relations {
            Some(named) => {
                let total = named.len() as i64;
                (named, total)
            }
            None => relations::stalest(&scope.node_id, self.method)?,
        };
        // From here on: a budget that choosing uses up would never let anything be measured.
        let started = Instant::now();
        let mut left_out = LeftOut {
            budget,
            total,
            ..LeftOut::default()
        };
        let mut rows = Vec::new();
        for relation in &relations {
            let remaining = budget.map(|budget| budget.saturating_sub(started.elapsed()));
            if remaining == Some(Duration::ZERO) {
                left_out.out_of_time = true;
                break;
            }
            match subtransaction(|| measure(relation, self.method, &schema, remaining)) {
                Ok(Ok(Some(row))) => rows.push(serde_json::to_value(row)?),
                Ok(Ok(None)) => left_out.too_large += 1,
                Ok(Err(error)) => left_out.skip(relation, error.sqlstate(), error.to_string()),
                Err(caught) => {
                    left_out.skip(relation, sqlstate_code(&caught.sqlstate), caught.message);
                }
            }
        }
        left_out.measured = rows.len() as i64;
        if rows.is_empty()
            && let Some((sqlstate, reason)) = left_out.skipped.first()
        {
            return Err(Error::Collector {
                collector: COLLECTOR.name,
                sqlstate: *sqlstate,
                reason: reason.clone(),
            });
        }
        Ok(Reading {
            note: left_out.note(),
            ..Reading::of("bloat_history", rows)
        })
    }
}

/// What a sample could not measure, for its reason.
#[derive(Debug, Default)]
struct LeftOut {
    budget: Option<Duration>,
    total: i64,
    measured: i64,
    out_of_time: bool,
    /// Would take longer than what was left of the budget.
    too_large: i64,
    /// SQLSTATE and reason of each that could not be read.
    skipped: Vec<(PgSqlErrorCode, String)>,
}

impl LeftOut {
    fn skip(&mut self, relation: &Relation, sqlstate: PgSqlErrorCode, reason: String) {
        self.skipped
            .push((sqlstate, format!("{}: {reason}", relation.qualified_name())));
    }

    fn note(&self) -> Option<String> {
        const SHOWN: usize = 3;
        let mut parts = Vec::new();
        let left = self.total - self.measured - self.skipped.len() as i64;
        if let Some(budget) = self.budget.map(|budget| budget.as_secs_f64())
            && left > 0
        {
            let cause = if self.out_of_time {
                format!("budget of {budget} s used up")
            } else if left > self.too_large {
                format!("limit of {} relations reached", relations::MAX_RELATIONS)
            } else {
                format!("budget of {budget} s is too small")
            };
            parts.push(format!("{cause}: {left} of {} relations left", self.total));
            if self.too_large > 0 {
                parts.push(format!(
                    "{} of them too large for the budget",
                    self.too_large
                ));
            }
        }
        if !self.skipped.is_empty() {
            let first: Vec<_> = self
                .skipped
                .iter()
                .take(SHOWN)
                .map(|(_, reason)| reason.as_str())
                .collect();
            let more = if self.skipped.len() > SHOWN {
                "; …"
            } else {
                ""
            };
            parts.push(format!(
                "{} skipped: {}{more}",
                self.skipped.len(),
                first.join("; ")
            ));
        }
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}

/// A row of `bloat_history`, as far as it is the collector's.
#[derive(Serialize)]
struct Row<'a> {
    schema_name: &'a str,
    relation_name: &'a str,
    relation_kind: &'a str,
    table_schema: Option<&'a str>,
    table_name: Option<&'a str>,
    method: &'static str,
    #[serde(flatten)]
    figures: Figures,
}

/// One relation's row, or None if reading it would take longer than what remains.
fn measure<'a>(
    relation: &'a Relation,
    method: Method,
    schema: &str,
    remaining: Option<Duration>,
) -> Result<Option<Row<'a>>> {
    #[derive(Deserialize)]
    struct Size {
        bytes: Option<i64>,
    }
    let oid = pg_sys::Oid::from(relation.oid);
    let size: Option<Size> = spi::select_one(
        "SELECT pg_catalog.pg_relation_size($1) AS bytes",
        &[oid.into()],
    )?;
    let Some(bytes) = size.and_then(|size| size.bytes) else {
        return Err(Error::UndefinedRelation { oid: relation.oid });
    };
    let pages = bytes / figures::PAGE_BYTES;
    let approx = relation.is_heap()
        && (method == Method::Approx || method == Method::Auto && pages > EXACT_PAGES);
    let to_read = if approx {
        pages as f64 * relation.share_to_read()
    } else {
        pages as f64
    };
    if remaining.is_some_and(|left| to_read / PAGES_PER_SECOND > left.as_secs_f64()) {
        return Ok(None);
    }
    let figures = if relation.is_btree() {
        select::<Tree>(
            &format!("SELECT * FROM {schema}.pgstatindex($1::pg_catalog.regclass)"),
            oid,
        )?
        .figures(relation.fillfactor)
    } else if approx {
        select::<Heap>(
            &format!("SELECT {APPROX} FROM {schema}.pgstattuple_approx($1::pg_catalog.regclass)"),
            oid,
        )?
        .figures(relation.fillfactor)
    } else {
        let heap: Heap = select(
            &format!("SELECT {EXACT} FROM {schema}.pgstattuple($1::pg_catalog.regclass)"),
            oid,
        )?;
        if relation.is_heap() {
            heap.figures(relation.fillfactor)
        } else {
            heap.index_figures()
        }
    };
    Ok(Some(Row {
        schema_name: &relation.schema_name,
        relation_name: &relation.relation_name,
        relation_kind: &relation.relation_kind,
        table_schema: relation.table_schema.as_deref(),
        table_name: relation.table_name.as_deref(),
        method: if approx { "approx" } else { "exact" },
        figures,
    }))
}

/// The one row of a pgstattuple function.
fn select<T: serde::de::DeserializeOwned>(sql: &str, oid: pg_sys::Oid) -> Result<T> {
    spi::select_one(sql, &[oid.into()])?
        .ok_or_else(|| Error::UndefinedRelation { oid: oid.to_u32() })
}

/// [`Heap`] from pgstattuple's columns.
const EXACT: &str = "table_len AS size_bytes, 100.0 AS scanned_percent, tuple_count AS live_tuples, \
    tuple_len AS live_bytes, dead_tuple_count AS dead_tuples, dead_tuple_len AS dead_bytes, \
    free_space AS free_bytes, false AS approx";

/// [`Heap`] from pgstattuple_approx's columns.
const APPROX: &str = "table_len AS size_bytes, scanned_percent, approx_tuple_count AS live_tuples, \
    approx_tuple_len AS live_bytes, dead_tuple_count AS dead_tuples, dead_tuple_len AS dead_bytes, \
    approx_free_space AS free_bytes, true AS approx";
