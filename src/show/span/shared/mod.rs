//! Results that several sections and rules share. Each is computed once per window, and the SQL of the sections then reads it
//! like a table.

mod outcomes;

use super::ahead::Statement;
use super::placeholders::{self, with_samples};
use super::samples::Samples;
use crate::error::Result;
use crate::pg::session::setting;
use crate::pg::sql::named::NamedRows;
use crate::pg::sql::spi;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::cell::RefCell;
use std::rc::Rc;

/// A result that is shared.
#[derive(Debug)]
pub struct Shared {
    /// Stands for it in the SQL of sections and rules.
    pub place: &'static str,
    /// Under which it is read.
    pub name: &'static str,
    /// Whose samples `{samples}` are; empty: it needs none.
    pub collector: &'static str,
    /// As that of a section ([`crate::show::section`]).
    pub sql: &'static str,
}

/// All of them.
pub static ALL: [Shared; 7] = [
    Shared {
        place: OUTCOMES,
        name: "pgperf_outcomes",
        collector: "",
        sql: include_str!("outcomes.sql"),
    },
    Shared {
        place: "{waits}",
        name: "pgperf_waits",
        collector: "",
        sql: include_str!("waits.sql"),
    },
    Shared {
        place: "{sessions}",
        name: "pgperf_sessions",
        collector: "sessions",
        sql: include_str!("sessions.sql"),
    },
    Shared {
        place: "{chains}",
        name: "pgperf_chains",
        collector: "",
        sql: include_str!("chains.sql"),
    },
    Shared {
        place: "{relations}",
        name: "pgperf_relations",
        collector: "tables",
        sql: include_str!("relations.sql"),
    },
    Shared {
        place: "{statements}",
        name: "pgperf_statements",
        collector: "",
        sql: include_str!("statements.sql"),
    },
    Shared {
        place: "{covered}",
        name: "pgperf_covered_indexes",
        collector: "",
        sql: include_str!("covered.sql"),
    },
];

/// Those of a window that have been read, and the rows of statements that were read ahead.
#[derive(Default)]
pub struct Known {
    shared: RefCell<Vec<(&'static str, Rc<NamedRows>)>>,
    ahead: RefCell<Vec<(Statement, Vec<Value>)>>,
}

impl Known {
    /// Keeps rows until they are asked for.
    pub fn keep(&self, statement: Statement, rows: Vec<Value>) {
        self.ahead.borrow_mut().push((statement, rows));
    }

    fn take(&self, sql: &str, collector: Option<&str>) -> Option<Vec<Value>> {
        let mut ahead = self.ahead.borrow_mut();
        let place = (ahead.iter()).position(|(statement, _)| {
            statement.sql == sql && statement.collector.as_deref() == collector
        })?;
        Some(ahead.swap_remove(place).1)
    }
}

/// What the samples of a window are found in.
pub const OUTCOMES: &str = "{outcomes}";

/// The places of those that a statement uses.
pub fn used(sql: &str) -> Vec<&'static str> {
    let places = ALL.iter().map(|shared| shared.place);
    places.filter(|place| sql.contains(place)).collect()
}

/// Whether a statement, or what it uses, needs the samples of its collector.
pub fn needs_samples(sql: &str) -> bool {
    let in_text = |sql: &str| {
        [placeholders::ALL, placeholders::FEW, "$4"]
            .iter()
            .any(|place| sql.contains(place))
    };
    let mut uses = ALL.iter().filter(|shared| sql.contains(shared.place));
    in_text(sql) || uses.any(|shared| shared.place == OUTCOMES || in_text(shared.sql))
}

/// A statement that reads them under their names.
pub fn by_name(sql: &str) -> String {
    (ALL.iter()).fold(sql.to_owned(), |sql, shared| {
        sql.replace(shared.place, shared.name)
    })
}

impl Samples {
    /// The rows of a statement of a section or a rule, as structs. `collector`: whose samples it reads; None: of none.
    pub fn select<T: DeserializeOwned>(
        &self,
        sql: &str,
        collector: Option<&str>,
    ) -> Result<Vec<T>> {
        if let Some(rows) = self.known.take(sql, collector) {
            let rows = rows.into_iter().map(serde_json::from_value);
            return Ok(rows.collect::<std::result::Result<_, _>>()?);
        }
        // Compiling a statement would take longer than running it.
        setting::with("jit", "off", || self.read(sql, collector))
    }

    fn read<T: DeserializeOwned>(&self, sql: &str, collector: Option<&str>) -> Result<Vec<T>> {
        let args = match collector {
            Some(collector) => self.arguments(collector, sql)?,
            None => self.span.key()?,
        };
        let mut named = Vec::new();
        for shared in ALL.iter().filter(|shared| sql.contains(shared.place)) {
            named.push(self.rows_of(shared)?);
        }
        let sql = by_name(&with_samples(sql, &self.span));
        spi::select_from(&named, &sql, &args)
    }

    fn rows_of(&self, shared: &Shared) -> Result<Rc<NamedRows>> {
        let known = self.known.shared.borrow();
        if let Some((_, rows)) = known.iter().find(|(name, _)| *name == shared.name) {
            return Ok(Rc::clone(rows));
        }
        drop(known);
        let args = self.arguments(shared.collector, shared.sql)?;
        let read = || NamedRows::read(shared.name, &with_samples(shared.sql, &self.span), &args);
        // A month is sorted and hashed in memory.
        let rows = Rc::new(setting::with("work_mem", "64MB", read)?);
        let mut known = self.known.shared.borrow_mut();
        known.push((shared.name, Rc::clone(&rows)));
        Ok(rows)
    }
}
