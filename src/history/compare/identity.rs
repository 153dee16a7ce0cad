//! What tells the rows of a table apart, and which of two windows belong together.

use crate::show::contents::Together;
use crate::show::section::{HOLDS, Layout, Table};
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};

/// As they are read: an object with the columns' names.
pub type Read = Map<String, Value>;

/// Which windows have a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Presence {
    Both,
    New,
    Gone,
}

/// The rows of one window.
pub struct Side {
    pub rows: Vec<(Identity, Read)>,
    /// Those that a report shows.
    pub shown: HashSet<Identity>,
    /// What the rows are about, in whichever list.
    objects: HashSet<Identity>,
    /// Whether these are all: it was sampled, and there are no more rows than were read.
    is_whole: bool,
}

impl Side {
    /// `shown`: the rows that a report shows; None: the first ones. `read`: so many rows were asked for, of each list if the table has
    /// some; 0: it was not sampled.
    pub fn of(table: &Table, rows: Vec<Read>, shown: Option<Vec<Read>>, read: usize) -> Side {
        let mut in_list: HashMap<&str, usize> = HashMap::new();
        for row in &rows {
            *in_list.entry(list(table, row)).or_default() += 1;
        }
        let is_whole = in_list.values().all(|count| *count < read) && read > 0;
        let limit = match table.layout {
            Layout::Figures => usize::MAX,
            Layout::Objects => table.limit as usize,
        };
        let rows = identified(table, rows);
        let first = |rows: &[(Identity, Read)]| -> HashSet<Identity> {
            let first = rows.iter().take(limit);
            first.map(|(identity, _)| identity.clone()).collect()
        };
        let shown = match shown {
            Some(shown) => first(&identified(table, shown)),
            None => first(&rows),
        };
        let objects = rows.iter();
        let objects = objects.map(|(identity, row)| object(table, identity, row));
        Side {
            objects: objects.collect(),
            rows,
            shown,
            is_whole,
        }
    }

    /// The presence of a row that only the other window has.
    pub fn presence(&self, object: &Identity, missing: Presence) -> Option<Presence> {
        if self.objects.contains(object) {
            return Some(Presence::Both);
        }
        self.is_whole.then_some(missing)
    }

    pub fn by_identity(&self) -> HashMap<&Identity, &Read> {
        let rows = self.rows.iter();
        rows.map(|(identity, row)| (identity, row)).collect()
    }
}

/// What the rows of these windows hold; None: their objects are matched by name.
pub fn together<'r>(table: &Table, windows: [&'r [Read]; 2]) -> Option<Together<'r>> {
    let lists = windows.map(|rows| {
        rows.iter()
            .filter_map(|row| row.get(HOLDS)?.as_str())
            .collect()
    });
    table.is_of_contents().then(|| Together::of(&lists))
}

/// The rows, each for the parts of what it holds that are matched by themselves.
pub fn of_parts(rows: Vec<Read>, together: Option<&Together>) -> Vec<Read> {
    let Some(together) = together else {
        return rows;
    };
    let parts = |row: Read| {
        let held = row.get(HOLDS).and_then(Value::as_str);
        let parts = held.map_or_else(Vec::new, |held| together.parts(held));
        parts.into_iter().map(move |part| {
            let mut row = row.clone();
            row.insert(HOLDS.to_owned(), part.into());
            row
        })
    };
    rows.into_iter().flat_map(parts).collect()
}

/// The texts that say what a row is about, and its number among rows with the same ones.
pub type Identity = (Vec<String>, usize);

/// The list of its table that a row is in.
pub fn list<'r>(table: &Table, row: &'r Read) -> &'r str {
    let list = row.get(table.each).and_then(Value::as_str);
    list.unwrap_or_default()
}

fn names(table: &Table, row: &Read) -> Vec<String> {
    let names = table.keys.iter().map(|key| match row.get(key.name) {
        Some(Value::String(text)) => text.clone(),
        None | Some(Value::Null) => String::new(),
        Some(other) => other.to_string(),
    });
    names.collect()
}

/// What a row is about, in whichever list it is.
pub fn object(table: &Table, identity: &Identity, row: &Read) -> Identity {
    (names(table, row), identity.1)
}

/// Rows with their identities, in order.
pub fn identified(table: &Table, rows: Vec<Read>) -> Vec<(Identity, Read)> {
    let mut same: HashMap<Vec<String>, usize> = HashMap::new();
    let mut identified = Vec::with_capacity(rows.len());
    for row in rows {
        let mut names = names(table, &row);
        // An object may be in several lists of a table.
        if let (Some(_), Some(name)) = (row.get(table.each), names.first_mut()) {
            *name = format!("{}: {name}", list(table, &row));
        }
        let count = same.entry(names.clone()).or_default();
        let identity = (names, *count);
        *count += 1;
        identified.push((identity, row));
    }
    identified
}
