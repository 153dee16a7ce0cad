//! What several sections and rules make of the history in the same way: it is read once for a window, and their SQL then reads the
//! result, as if it were a table.

use super::samples::{Samples, with_samples};
use super::window::Window;
use crate::error::Result;
use crate::pg::session::setting;
use crate::pg::sql::named::NamedRows;
use crate::pg::sql::spi;
use serde::de::DeserializeOwned;
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
    /// As that of a section ([`super::section`]).
    pub sql: &'static str,
}

/// All of them.
pub static ALL: [Shared; 4] = [
    Shared {
        place: "{outcomes}",
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
];

/// Those of a window that have been read.
#[derive(Default)]
pub struct Known(RefCell<Vec<(&'static str, Rc<NamedRows>)>>);

/// A statement that reads them under their names.
pub fn by_name(sql: &str) -> String {
    (ALL.iter()).fold(sql.to_owned(), |sql, shared| {
        sql.replace(shared.place, shared.name)
    })
}

/// The rows of a statement of a section or a rule, as structs.
pub fn select<T: DeserializeOwned>(
    sql: &str,
    collector: Option<&str>,
    window: &Window,
    samples: &Samples,
) -> Result<Vec<T>> {
    let mut sql = with_samples(sql);
    let mut named = Vec::new();
    for shared in ALL.iter().filter(|shared| sql.contains(shared.place)) {
        named.push(rows_of(shared, window, samples)?);
    }
    sql = by_name(&sql);
    let args = match collector {
        Some(collector) => samples.arguments(window, collector)?,
        None => window.key()?,
    };
    spi::select_from(&named, &sql, &args)
}

fn rows_of(shared: &Shared, window: &Window, samples: &Samples) -> Result<Rc<NamedRows>> {
    let known = samples.known.0.borrow();
    if let Some((_, rows)) = known.iter().find(|(name, _)| *name == shared.name) {
        return Ok(Rc::clone(rows));
    }
    drop(known);
    let args = samples.arguments(window, shared.collector)?;
    // Compiling the statement would take longer than running it; a month is sorted and hashed in memory.
    let read = || NamedRows::read(shared.name, &with_samples(shared.sql), &args);
    let rows = setting::with("jit", "off", || setting::with("work_mem", "64MB", read))?;
    let rows = Rc::new(rows);
    let mut known = samples.known.0.borrow_mut();
    known.push((shared.name, Rc::clone(&rows)));
    Ok(rows)
}
