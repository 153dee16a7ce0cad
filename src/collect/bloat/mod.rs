//! Live, dead, free and wasted space of relations.
//!
//! * [`relations`]: which relations, in which order, and what cannot be measured;
//! * [`measure`]: one relation's row, by one of the methods;
//! * [`reading`]: all pages of it or a sample: [`sampling`] draws blocks and knows the margin of error,
//!   [`packing`] how many pages a rewrite would need, [`blocks`] adds up what pages hold;
//! * [`figures`]: the measured columns, and what pgstattuple tells;
//! * [`budget`], [`left_out`]: what a call may cost, and what it therefore did not do.

mod blocks;
mod budget;
mod figures;
mod left_out;
mod measure;
mod packing;
mod reading;
mod relations;
mod sampling;

use super::collector::{Collector, Cost, Reading, Scope};
use crate::error::{Error, Result, sqlstate_code};
use crate::pg::subxact::subtransaction;
use budget::Budget;
use left_out::LeftOut;
use pgrx::pg_sys;
use relations::Relation;
use serde_json::Value;
use std::time::Duration;

/// See the module.
pub const COLLECTOR: Collector = Collector {
    name: "bloat",
    cost: Cost::Heavy,
    every_interval: false,
    needs: None,
    history_tables: &["bloat_history"],
    description: "live, dead, free and wasted space of tables, TOAST tables and B-trees, from a sample of their pages; those not measured for longest first, for 2 s",
    read: |scope| Selection::stalest().read(scope),
};

/// How long a sample looks at relations that nobody named: its SELECT holds the server's xmin.
const DEFAULT_BUDGET: Duration = Duration::from_secs(2);

/// No SELECT measures more relations than this of those that nobody named; it bounds the memory of a sample.
const MAX_RELATIONS: i32 = 5_000;

/// So many relations are looked up in the catalog at once.
const LOOKED_UP: usize = 200;

/// How relations are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// `Exact` for small ones, `Sampled` for others.
    Auto,
    /// Every page.
    Exact,
    /// Pages that are all visible are taken from the free space map.
    Approx,
    /// Pages at random.
    Sampled,
}

impl Method {
    /// # Errors
    /// An unknown name: 22023 with the list in the hint.
    pub fn by_name(name: &str) -> Result<Self> {
        match name {
            "auto" => Ok(Method::Auto),
            "exact" => Ok(Method::Exact),
            "approx" => Ok(Method::Approx),
            "sampled" => Ok(Method::Sampled),
            _ => Err(Error::InvalidArgument {
                message: format!("unknown bloat method: \"{name}\""),
                hint: Some("The methods are: auto, exact, approx, sampled.".to_owned()),
            }),
        }
    }
}

/// What to measure, how, and at what cost.
#[derive(Debug, Clone)]
pub struct Selection {
    /// None: every user table, materialized view, TOAST table and B-tree of this database.
    relations: Option<Vec<Relation>>,
    method: Method,
    time: Option<Duration>,
    pages: Option<u64>,
}

impl Selection {
    /// What is due, by the method that suits it, within the time of one SELECT.
    pub fn stalest() -> Self {
        Selection {
            relations: None,
            method: Method::Auto,
            time: Some(DEFAULT_BUDGET),
            pages: None,
        }
    }

    /// Checks the arguments of `snapshot_bloat`. Named relations are all measured unless a budget is given.
    ///
    /// # Errors
    /// An unknown method; no relation, one that does not exist or that cannot be measured so.
    pub fn new(
        named: Option<Vec<Option<pg_sys::Oid>>>,
        method: &str,
        time: Option<Duration>,
        pages: Option<u64>,
    ) -> Result<Self> {
        let method = Method::by_name(method)?;
        let relations = match named {
            Some(oids) => Some(relations::named(&oids, method)?),
            None => None,
        };
        let time = match (&relations, time) {
            (None, None) => Some(DEFAULT_BUDGET),
            (_, time) => time,
        };
        Ok(Selection {
            relations,
            method,
            time,
            pages,
        })
    }

    /// Measures one relation after the other.
    pub fn read(self, scope: &Scope) -> Result<Reading> {
        let (relations, oids, total) = match self.relations {
            Some(named) => {
                let total = named.len() as i64;
                (named, Vec::new(), total)
            }
            None => {
                let (oids, total) =
                    relations::stalest(&scope.node_id, self.method, Some(MAX_RELATIONS))?;
                (Vec::new(), oids, total)
            }
        };
        // From here on: a budget that choosing uses up would never let anything be measured.
        let mut round = Round::new(self.method, self.time, self.pages, total);
        let mut rows = Vec::new();
        for relation in &relations {
            rows.extend(round.measure(relation)?);
        }
        for chunk in oids.chunks(LOOKED_UP) {
            if round.is_over() {
                break;
            }
            for relation in &round.look_up(chunk)? {
                rows.extend(round.measure(relation)?);
            }
        }
        if rows.is_empty()
            && let Some((sqlstate, reason)) = round.left_out.first()
        {
            return Err(Error::Collector {
                collector: COLLECTOR.name,
                sqlstate: *sqlstate,
                reason: reason.clone(),
            });
        }
        Ok(Reading {
            note: round.left_out.note(),
            ..Reading::of("bloat_history", rows)
        })
    }
}

/// One call's way through its relations.
struct Round {
    method: Method,
    budget: Budget,
    left_out: LeftOut,
}

impl Round {
    fn new(method: Method, time: Option<Duration>, pages: Option<u64>, total: i64) -> Self {
        let words: Vec<_> = time
            .map(|time| format!("{} s", time.as_secs_f64()))
            .into_iter()
            .chain(pages.map(|pages| format!("{pages} pages")))
            .collect();
        Round {
            method,
            budget: Budget::new(time, pages),
            left_out: LeftOut::new(total, (!words.is_empty()).then(|| words.join(", "))),
        }
    }

    fn is_over(&mut self) -> bool {
        self.left_out.used_up |= self.budget.is_used_up();
        self.left_out.used_up
    }

    /// What the catalog says of the next relations. One that is gone meanwhile does not count.
    fn look_up(&mut self, oids: &[pg_sys::Oid]) -> Result<Vec<Relation>> {
        let found = relations::describe(oids)?;
        self.left_out.total -= (oids.len() - found.len()) as i64;
        Ok(found)
    }

    /// Measures a relation in its own subtransaction: one that is locked, damaged or gone is left out and
    /// noted, as is one for which the budget does not reach.
    fn measure(&mut self, relation: &Relation) -> Result<Option<Value>> {
        if self.is_over() {
            return Ok(None);
        }
        let (method, budget) = (self.method, &mut self.budget);
        let (sqlstate, reason) = match subtransaction(|| measure::measure(relation, method, budget))
        {
            Ok(Ok(Some(row))) => {
                self.left_out.measured += 1;
                return Ok(Some(serde_json::to_value(row)?));
            }
            Ok(Ok(None)) => {
                self.left_out.too_large += 1;
                return Ok(None);
            }
            Ok(Err(error)) => (error.sqlstate(), error.to_string()),
            Err(caught) => (sqlstate_code(&caught.sqlstate), caught.message),
        };
        self.left_out
            .skip(&relation.qualified_name(), sqlstate, &reason);
        Ok(None)
    }
}
