//! Rows of a table in two windows.

use super::usual::{Range, Values};
use crate::history::section::{Column, Kind, Layout, Table};
use measure::metrics::Better;
use serde::Serialize;
use serde_json::{Map, Value};

/// As they are read: an object with the columns' names.
pub type Read = Map<String, Value>;

/// A row of both windows, or of one.
#[derive(Debug, Serialize)]
pub struct Row {
    /// What it is about: the texts of its key columns.
    pub names: Vec<String>,
    /// `both`, `new` in window b, or `gone`; null: nobody knows, since the other window has more rows than were read, or no samples.
    pub presence: Option<Presence>,
    pub figures: Vec<Figure>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Presence {
    Both,
    New,
    Gone,
}

/// A figure of a row.
#[derive(Debug, Serialize)]
pub struct Figure {
    pub name: &'static str,
    pub head: &'static str,
    /// What it is: count, number, bytes, milliseconds, seconds, percent.
    pub unit: &'static str,
    pub a: Option<f64>,
    pub b: Option<f64>,
    /// From a to b, in percent of a; of a percentage in points. null: unknown, or a is 0.
    pub change: Option<f64>,
    /// On earlier days.
    pub usual: Option<Range>,
    /// Of a figure of window b beyond the usual; null: it is not, or nobody knows.
    pub verdict: Option<Verdict>,
    /// How far beyond, in halves of the usual range.
    #[serde(skip)]
    pub distance: f64,
    #[serde(skip)]
    pub kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    Better,
    Worse,
    /// Neither more nor less is better by itself.
    Different,
}

impl Verdict {
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Better => "better",
            Verdict::Worse => "worse",
            Verdict::Different => "different",
        }
    }
}

/// Whether a column has numbers that can be compared.
pub fn is_figure(column: &Column) -> bool {
    !matches!(column.kind, Kind::Text | Kind::Moment)
}

/// The rows of one window.
pub struct Side {
    pub rows: Vec<Read>,
    /// Whether these are all: it was sampled, and there are no more rows than were read.
    pub is_whole: bool,
}

/// The texts that say what a row is about, and its number among rows with the same ones.
pub type Identity = (Vec<String>, usize);

/// Rows with their identities, in order.
pub fn identified(table: &Table, rows: Vec<Read>) -> Vec<(Identity, Read)> {
    let mut identified: Vec<(Identity, Read)> = Vec::with_capacity(rows.len());
    for row in rows {
        let mut names: Vec<String> = (table.keys.iter())
            .map(|key| match row.get(key.name) {
                Some(Value::String(text)) => text.clone(),
                None | Some(Value::Null) => String::new(),
                Some(other) => other.to_string(),
            })
            .collect();
        // An object may be in several lists of a table.
        if let (Some(list), Some(name)) = (row.get(table.each), names.first_mut()) {
            *name = format!("{}: {name}", list.as_str().unwrap_or_default());
        }
        let same = identified.iter().filter(|((known, _), _)| *known == names);
        let number = same.count();
        let identity = (names, number);
        identified.push((identity, row));
    }
    identified
}

/// The rows of both windows: those of b first, in its order, then those that only a has. Of objects only those that are among
/// the first in either window are kept.
pub fn paired(table: &'static Table, a: Side, b: Side, usual: &Values) -> Vec<Row> {
    let limit = match table.layout {
        Layout::Figures => usize::MAX,
        Layout::Objects => table.limit as usize,
    };
    let (whole_a, whole_b) = (a.is_whole, b.is_whole);
    let (a, b) = (identified(table, a.rows), identified(table, b.rows));
    let place = |rows: &[(Identity, Read)], identity: &Identity| {
        rows.iter().position(|(known, _)| known == identity)
    };
    let mut paired = Vec::new();
    for (at, (identity, row)) in b.iter().enumerate() {
        let before = place(&a, identity);
        if at < limit || before.is_some_and(|before| before < limit) {
            let presence = match before {
                Some(_) => Some(Presence::Both),
                None => whole_a.then_some(Presence::New),
            };
            let old = before.and_then(|before| a.get(before)).map(|(_, row)| row);
            paired.push(made(table, identity, presence, (old, Some(row)), usual));
        }
    }
    for (identity, row) in a.iter().take(limit) {
        if place(&b, identity).is_none() {
            let presence = whole_b.then_some(Presence::Gone);
            paired.push(made(table, identity, presence, (Some(row), None), usual));
        }
    }
    paired
}

fn made(
    table: &'static Table,
    identity: &Identity,
    presence: Option<Presence>,
    (a, b): (Option<&Read>, Option<&Read>),
    usual: &Values,
) -> Row {
    let figures = table.columns.iter().filter(|column| is_figure(column));
    let figures = figures.filter_map(|column| {
        let value = |row: Option<&Read>| row?.get(column.name)?.as_f64();
        let (a, b) = (value(a), value(b));
        if a.is_none() && b.is_none() {
            return None;
        }
        let usual = usual.range(identity, column.name);
        let distance = b.zip(usual).map_or(0.0, |(b, usual)| usual.distance(b));
        Some(Figure {
            name: column.name,
            head: column.head,
            unit: column.kind.name(),
            a,
            b,
            change: change(column.kind, a, b),
            usual,
            verdict: (distance > 1.0)
                .then(|| b.zip(usual))
                .flatten()
                .map(|(b, usual)| verdict(column, b > usual.median)),
            distance,
            kind: column.kind,
        })
    });
    Row {
        names: identity.0.clone(),
        presence,
        figures: figures.collect(),
    }
}

fn change(kind: Kind, a: Option<f64>, b: Option<f64>) -> Option<f64> {
    let (a, b) = (a?, b?);
    match kind {
        Kind::Percent => Some(b - a),
        _ if a == 0.0 => (b == 0.0).then_some(0.0),
        _ => Some(100.0 * (b - a) / a.abs()),
    }
}

fn verdict(column: &Column, more: bool) -> Verdict {
    match column.better {
        None => Verdict::Different,
        Some(better) if (better == Better::Higher) == more => Verdict::Better,
        Some(_) => Verdict::Worse,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::section::{column, key};
    use serde_json::json;

    const TABLE: Table = Table {
        name: "things",
        title: "Things",
        collector: "",
        sql: "",
        layout: Layout::Objects,
        each: "",
        keys: &[key("thing", "thing")],
        columns: &[
            column("ms", "time", Kind::Milliseconds).lower(),
            column("share", "share", Kind::Percent),
            column("word", "word", Kind::Text),
        ],
        limit: 2,
        note: "",
    };

    fn side(value: &Value, is_whole: bool) -> Side {
        let rows = serde_json::from_value(value.clone()).unwrap();
        Side { rows, is_whole }
    }

    #[test]
    fn rows_that_belong_together_are_found_by_their_names() {
        let a = json!([
            {"thing": "x", "ms": 10, "share": 50, "word": "no"},
            {"thing": "gone", "ms": 8},
            {"thing": "y", "ms": 0},
            {"thing": "not among the first", "ms": 0},
        ]);
        let b = json!([
            {"thing": "y", "ms": 30},
            {"thing": "x", "ms": 15, "share": 40},
            {"thing": "new, but not among the first", "ms": 1},
        ]);
        let usual = Values::default();
        let paired = paired(&TABLE, side(&a, true), side(&b, true), &usual);
        let seen: Vec<_> = (paired.iter())
            .map(|row| (row.names[0].as_str(), row.presence))
            .collect();
        let expected = [
            ("y", Some(Presence::Both)),
            ("x", Some(Presence::Both)),
            ("gone", Some(Presence::Gone)),
        ];
        assert_eq!(seen, expected);
        let figure = |row: usize, name: &str| paired[row].figures.iter().find(|f| f.name == name);
        assert_eq!(figure(1, "ms").unwrap().change, Some(50.0));
        assert_eq!(figure(1, "share").unwrap().change, Some(-10.0));
        assert_eq!(figure(0, "ms").unwrap().change, None, "from 0");
        assert!(figure(1, "word").is_none());

        // The other window may have it among the rows that were not read, or was not sampled.
        let none = json!([]);
        for (is_whole, presence) in [(true, Some(Presence::New)), (false, None)] {
            let new = super::paired(&TABLE, side(&none, is_whole), side(&a, true), &usual);
            assert_eq!(new[0].presence, presence);
        }
        for (is_whole, presence) in [(true, Some(Presence::Gone)), (false, None)] {
            let gone = super::paired(&TABLE, side(&a, true), side(&none, is_whole), &usual);
            assert_eq!(gone[0].presence, presence);
        }
    }

    #[test]
    fn the_same_names_twice_are_two_rows() {
        let twice = json!([{"thing": "x", "ms": 1}, {"thing": "x", "ms": 2}]);
        let paired = paired(
            &TABLE,
            side(&twice, true),
            side(&twice, true),
            &Values::default(),
        );
        let changes: Vec<_> = paired.iter().map(|row| row.figures[0].change).collect();
        assert_eq!(changes, [Some(0.0), Some(0.0)]);
    }
}
