//! Live, dead, free and wasted space of relations.
//!
//! * [`relations`]: the relations to measure, their order, and those that cannot be measured;
//! * [`measure`]: one relation's row, by one of the methods;
//! * [`reading`]: reads all pages of a relation or a sample: [`sampling`] draws blocks and computes the margin of error,
//!   [`packing`] counts the pages that a rewrite would need, [`blocks`] adds up the contents of pages;
//! * [`figures`]: the measured columns, and the figures of pgstattuple;
//! * [`budget`], [`left_out`], [`cursor`]: the cost limit of a call, the relations left out because of it, and the position
//!   where the next call continues;
//! * [`unchanged`]: the relations whose last row still holds, which the sampler does not measure again;
//! * [`snapshot`]: the SQL function.

mod blocks;
mod budget;
mod cursor;
mod figures;
mod left_out;
mod measure;
mod metrics;
mod packing;
mod reading;
mod relations;
mod sampling;
mod snapshot;
mod unchanged;

use crate::collect::collector::{Collector, Cost, InRuns, InVisits, Read, Reading, Scope, Store};
use crate::collect::error::CollectorFailed;
use crate::collect::sample::parts::Parts;
use crate::error::{Result, invalid, sqlstate_code};
use crate::pg::sql::subxact::subtransaction;
use budget::Budget;
use cursor::Cursor;
use left_out::LeftOut;
pub use metrics::METRICS;
use pgrx::pg_sys;
use relations::Relation;
use serde_json::Value;
use std::time::{Duration, Instant};

/// See the module.
pub const COLLECTOR: Collector = Collector {
    name: "bloat",
    cost: Cost::Heavy,
    sample_interval_s: 600,
    keeps_interval: false,
    in_runs: InRuns::Ends,
    in_visits: InVisits::WhenDue,
    since_major: None,
    needs: None,
    watches_clients: false,
    report: None,
    history_tables: &[TABLE],
    description: "live, dead, free and wasted space of tables, TOAST tables and B-trees, free space of other indexes, from a sample of their pages; least recently measured first, for 2 s",
    of_target: None,
    read: Read::InTurn {
        budget: DEFAULT_BUDGET,
        at_once: |scope, parts| Selection::stalest(scope.began).read(scope, parts),
        step_by_step,
    },
};

const TABLE: &str = "bloat_history";

/// Time limit of a sample of relations that nobody named: its SELECT holds the server's xmin.
const DEFAULT_BUDGET: Duration = Duration::from_secs(2);

/// Minimum time for measuring relations, whatever the earlier collectors took.
const LEAST_BUDGET: Duration = Duration::from_millis(500);

/// No SELECT measures more relations than this of those that nobody named; it bounds the memory of a sample.
const MAX_RELATIONS: i32 = 5_000;

/// Time to store a row, which comes after the measuring.
const TIME_TO_STORE: Duration = Duration::from_micros(100);

/// Relations that are looked up in the catalog, and whose rows are stored, at once.
const LOOKED_UP: usize = 100;

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
            _ => Err(invalid(format!("unknown bloat method: \"{name}\""))
                .hinting("The methods are: auto, exact, approx, sampled.")),
        }
    }
}

/// What to measure, how, and at what cost.
#[derive(Debug, Clone)]
pub struct Selection {
    /// None: every user table, materialized view, TOAST table and index of this database.
    relations: Option<Vec<Relation>>,
    method: Method,
    time: Option<Duration>,
    /// Of that time, before this.
    spent: Duration,
    pages: Option<u64>,
}

impl Selection {
    /// The relations that are due, by the suitable method, within the time of one SELECT, which began then.
    pub fn stalest(began: Instant) -> Self {
        Selection {
            relations: None,
            method: Method::Auto,
            time: Some(DEFAULT_BUDGET),
            spent: began.elapsed().min(DEFAULT_BUDGET - LEAST_BUDGET),
            pages: None,
        }
    }

    /// Checks the arguments of `snapshot_bloat`. Named relations are all measured unless a budget is given.
    ///
    /// # Errors
    /// An unknown method; no relation, one that does not exist or cannot be measured by that method.
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
            spent: Duration::ZERO,
            pages,
        })
    }

    /// Measures one relation after the other.
    pub fn read(self, scope: &Scope, parts: &mut dyn Parts) -> Result<Reading> {
        // Choosing what to measure counts: the call begins with it.
        let left = self.time.map(|time| time.saturating_sub(self.spent));
        let budget = Budget::new(left, self.pages);
        let words = self.budget_in_words();
        let mut rows = Vec::new();
        let round = match &self.relations {
            Some(named) => {
                let mut round = Round::new(self.method, budget, words, named.len());
                for relation in named {
                    rows.extend(round.measure(relation)?);
                }
                round
            }
            None => {
                let cursor = Cursor::resume(&scope.node_id, self.method, parts)?;
                let mut round = Round::new(self.method, budget, words, cursor.left());
                for chunk in cursor.due().chunks(LOOKED_UP) {
                    if round.is_over() {
                        break;
                    }
                    for relation in &round.look_up(chunk)? {
                        rows.extend(round.measure(relation)?);
                    }
                    round.end_chunk(chunk.len());
                }
                cursor.advance(round.visited)?;
                round
            }
        };
        Ok(Reading {
            note: round.note()?,
            ..Reading::of(TABLE, rows)
        })
    }

    fn budget_in_words(&self) -> Option<String> {
        let time = self.time.map(|time| format!("{} s", time.as_secs_f64()));
        let pages = self.pages.map(|pages| format!("{pages} pages"));
        match (time, pages) {
            (Some(time), Some(pages)) => Some(format!("{time}, {pages}")),
            (time, pages) => time.or(pages),
        }
    }
}

/// Measures the relations that are due, each in its turn, and holds neither snapshot nor transaction id while it
/// reads pages: as many as fit into the time, or every relation of the database. `store` writes rows.
/// Returns a remark on relations left out.
///
/// # Errors
/// As of reading the catalog and writing the history; that nothing could be measured.
fn step_by_step(
    scope: &Scope,
    parts: &mut dyn Parts,
    limit: Option<Duration>,
    store: Store,
) -> Result<Option<String>> {
    let node_id = scope.node_id.as_str();
    let budget = Budget::new(limit, None);
    let cursor = match limit {
        Some(_) => Some(Cursor::resume(node_id, Method::Auto, parts)?),
        None => None,
    };
    let (oids, left) = match &cursor {
        Some(cursor) => (cursor.due().to_vec(), cursor.left()),
        None => {
            let all = relations::stalest(node_id, Method::Auto, parts)?;
            let left = all.len();
            (all, left)
        }
    };
    let words = limit.map(|time| format!("{} s", time.as_secs_f64()));
    let mut round = Round::new(Method::Auto, budget, words, left);
    for chunk in oids.chunks(LOOKED_UP) {
        if round.is_over() {
            break;
        }
        let relations = parts.part(|| {
            let relations = round.look_up(chunk)?;
            match scope.sampler_cadence_s {
                // Runs, and whoever asks for a sample, get everything.
                Some(_) => round.leave_unchanged(relations, node_id),
                None => Ok(relations),
            }
        })?;
        let mut rows = Vec::new();
        for relation in &relations {
            rows.extend(parts.apart(|| round.measure(relation))?);
        }
        parts.part(|| store(TABLE, rows))?;
    }
    if let Some(cursor) = cursor {
        parts.part(|| cursor.advance(round.visited))?;
    }
    round.note()
}

/// One call's way through its relations.
struct Round {
    method: Method,
    budget: Budget,
    /// Start, in the list, of the relations that were looked up last.
    chunk: usize,
    /// The number of relations at the start of the list that are done for this round.
    visited: usize,
    left_out: LeftOut,
}

impl Round {
    fn new(method: Method, budget: Budget, words: Option<String>, total: usize) -> Self {
        Round {
            method,
            budget,
            chunk: 0,
            visited: 0,
            left_out: LeftOut::new(total as i64, words),
        }
    }

    /// What was left out; that nothing could be read is an error.
    fn note(&self) -> Result<Option<String>> {
        match self.left_out.first() {
            Some((sqlstate, reason)) if self.left_out.measured == 0 => Err(CollectorFailed {
                collector: COLLECTOR.name,
                sqlstate: *sqlstate,
                reason: reason.clone(),
            }
            .into()),
            _ => Ok(self.left_out.note()),
        }
    }

    fn is_over(&mut self) -> bool {
        self.left_out.used_up |= self.budget.is_used_up();
        self.left_out.used_up
    }

    /// Catalog entries of the next relations. One dropped meanwhile does not count.
    fn look_up(&mut self, oids: &[pg_sys::Oid]) -> Result<Vec<Relation>> {
        let found = relations::describe(oids)?;
        let gone = oids.len() - found.len();
        self.left_out.total -= gone as i64;
        Ok(found)
    }

    /// Without those whose last row still holds. They do not count either.
    fn leave_unchanged(
        &mut self,
        mut relations: Vec<Relation>,
        node_id: &str,
    ) -> Result<Vec<Relation>> {
        let unchanged = unchanged::among(&relations, node_id)?;
        relations.retain(|relation| !unchanged.contains(&relation.oid));
        self.left_out.total -= unchanged.len() as i64;
        Ok(relations)
    }

    /// Continues after that many relations, dropped ones included, unless the budget ended among them.
    fn end_chunk(&mut self, length: usize) {
        if !self.left_out.used_up {
            self.chunk += length;
            self.visited = self.chunk;
        }
    }

    /// Measures a relation in its own subtransaction: one that is locked, damaged or gone is left out and
    /// noted. If the rest of the budget does not suffice, the next call begins with it; if the whole budget would
    /// not, it is left out too.
    fn measure(&mut self, relation: &Relation) -> Result<Option<Value>> {
        if self.is_over() {
            return Ok(None);
        }
        let place = self.chunk + relation.place;
        let (method, budget) = (self.method, &mut self.budget);
        // A round may last for days: the oid may belong to another object now.
        let read = || match relation.refusal(method) {
            None => measure::measure(relation, method, budget),
            Some(error) => Err(error),
        };
        let (sqlstate, reason) = match subtransaction(read) {
            Ok(Ok(Some(row))) => {
                self.visited = place;
                self.left_out.measured += 1;
                self.budget.set_aside(TIME_TO_STORE);
                return Ok(Some(serde_json::to_value(row)?));
            }
            Ok(Ok(None)) if self.left_out.measured > 0 => {
                self.left_out.used_up = true;
                return Ok(None);
            }
            Ok(Ok(None)) => {
                self.visited = place;
                self.left_out.too_large += 1;
                return Ok(None);
            }
            Ok(Err(error)) => (error.sqlstate(), error.to_string()),
            Err(caught) => (sqlstate_code(&caught.sqlstate), caught.message),
        };
        self.visited = place;
        self.left_out
            .skip(&relation.qualified_name(), sqlstate, &reason);
        Ok(None)
    }
}
