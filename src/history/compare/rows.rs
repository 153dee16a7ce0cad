//! Rows of a table in two windows.

use super::identity::{Identity, Presence, Read, Side, list, object};
use super::usual::{Range, Values};
use crate::show::section::{Column, Kind, Table};
use measure::metrics::Better;
use serde::Serialize;

/// A row of both windows, or of one.
#[derive(Debug, Serialize)]
pub struct ComparedRow {
    /// What it is about: the texts of its key columns.
    pub names: Vec<String>,
    /// `both`, `new` in window b, or `gone`; null: nobody knows, since the other window has more rows than were read, or no samples.
    /// Of both windows, one may have it in another list of the table only: then figures of that one are null.
    pub presence: Option<Presence>,
    pub figures: Vec<FigureChange>,
    /// Which object it was: the devices, where they are matched by what they hold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<Remark>,
    /// Plans that differ.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub plans: Vec<PlanChange>,
}

/// A plan in both windows.
#[derive(Debug, PartialEq, Serialize)]
pub struct PlanChange {
    pub name: &'static str,
    pub a: String,
    pub b: String,
}

/// A text of both windows that is beside the name.
#[derive(Debug, PartialEq, Serialize)]
pub struct Remark {
    pub name: &'static str,
    pub a: Option<String>,
    pub b: Option<String>,
}

/// A figure of a row.
#[derive(Debug, Serialize)]
pub struct FigureChange {
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
    !matches!(column.kind, Kind::Text | Kind::Moment | Kind::Plan)
}

/// Whether it holds plans of one window against each other: that says nothing of any other window.
pub fn is_of_changes(table: &Table) -> bool {
    let plans = table.columns.iter();
    plans.filter(|column| column.kind == Kind::Plan).count() > 1
}

/// The lists that hold a window against the one before it: they say nothing of any other window.
const OF_ONE_WINDOW: [&str; 2] = ["New: ", "Vanished: "];

/// The rows of both windows: those of b first, in its order, then those that only a has. Of objects only those that a report
/// shows of either window are kept.
pub fn paired(table: &'static Table, a: &Side, b: &Side, usual: &Values) -> Vec<ComparedRow> {
    let (old, new) = (a.by_identity(), b.by_identity());
    let is_kept = |identity: &Identity, row: &Read| {
        let list = list(table, row);
        let of_one = OF_ONE_WINDOW.iter().any(|name| list.starts_with(name));
        !of_one && (a.shown.contains(identity) || b.shown.contains(identity))
    };
    let mut paired = Vec::new();
    for (identity, row) in &b.rows {
        if is_kept(identity, row) {
            let before = old.get(identity).copied();
            let presence = match before {
                Some(_) => Some(Presence::Both),
                None => a.presence(&object(table, identity, row), Presence::New),
            };
            paired.push(made(table, identity, presence, (before, Some(row)), usual));
        }
    }
    for (identity, row) in &a.rows {
        if is_kept(identity, row) && !new.contains_key(identity) {
            let presence = b.presence(&object(table, identity, row), Presence::Gone);
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
) -> ComparedRow {
    let figures = table.columns.iter().filter(|column| is_figure(column));
    let figures = figures.filter_map(|column| {
        let value = |row: Option<&Read>| row?.get(column.name)?.as_f64();
        let (a, b) = (value(a), value(b));
        if a.is_none() && b.is_none() {
            return None;
        }
        let usual = usual.range(identity, column.name);
        let distance = b.zip(usual).map_or(0.0, |(b, usual)| usual.distance(b));
        Some(FigureChange {
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
    ComparedRow {
        names: identity.0.clone(),
        presence,
        figures: figures.collect(),
        remarks: remarks(table, (a, b)),
        plans: a.zip(b).map_or_else(Vec::new, |rows| plans(table, rows)),
    }
}

fn remarks(table: &'static Table, (a, b): (Option<&Read>, Option<&Read>)) -> Vec<Remark> {
    let columns = table.columns.iter().filter(|column| column.is_remark);
    let remark = |column: &Column| {
        let text = |row: Option<&Read>| Some(row?.get(column.name)?.as_str()?.to_owned());
        Remark {
            name: column.name,
            a: text(a),
            b: text(b),
        }
    };
    columns.map(remark).collect()
}

fn plans(table: &'static Table, (a, b): (&Read, &Read)) -> Vec<PlanChange> {
    let columns = table.columns.iter();
    let columns = columns.filter(|column| column.kind == Kind::Plan);
    let changes = columns.filter_map(|column| {
        let text = |row: &Read| Some(row.get(column.name)?.as_str()?.to_owned());
        let (a, b) = (text(a)?, text(b)?);
        let name = column.name;
        (a != b).then_some(PlanChange { name, a, b })
    });
    changes.collect()
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
    use crate::show::section::{column, key};
    use serde_json::{Value, json};

    const TABLE: Table = Table {
        name: "things",
        title: "Things",
        collector: "",
        sql: "",
        keys: &[key("thing", "thing")],
        columns: &[
            column("ms", "time", Kind::Milliseconds).lower(),
            column("share", "share", Kind::Percent),
            column("word", "word", Kind::Text),
        ],
        limit: 2,
        ..Table::EMPTY
    };

    fn side(value: &Value, is_whole: bool) -> Side {
        let rows = serde_json::from_value(value.clone()).unwrap();
        Side::of(&TABLE, rows, None, if is_whole { 500 } else { 0 })
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
        let paired = paired(&TABLE, &side(&a, true), &side(&b, true), &usual);
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
            let new = super::paired(&TABLE, &side(&none, is_whole), &side(&a, true), &usual);
            assert_eq!(new[0].presence, presence);
        }
        for (is_whole, presence) in [(true, Some(Presence::Gone)), (false, None)] {
            let gone = super::paired(&TABLE, &side(&a, true), &side(&none, is_whole), &usual);
            assert_eq!(gone[0].presence, presence);
        }
    }

    #[test]
    fn the_same_names_twice_are_two_rows() {
        let twice = json!([{"thing": "x", "ms": 1}, {"thing": "x", "ms": 2}]);
        let paired = paired(
            &TABLE,
            &side(&twice, true),
            &side(&twice, true),
            &Values::default(),
        );
        let changes: Vec<_> = paired.iter().map(|row| row.figures[0].change).collect();
        assert_eq!(changes, [Some(0.0), Some(0.0)]);
    }

    #[test]
    fn what_another_list_has_is_in_both_windows() {
        const LISTS: Table = Table {
            each: "list",
            limit: 60,
            ..TABLE
        };
        let read = |value: Value| -> Vec<Read> { serde_json::from_value(value).unwrap() };
        let side = |rows: Value, shown: Value, most: usize| {
            Side::of(&LISTS, read(rows), Some(read(shown)), most)
        };
        let row = |list: &str, thing: &str| json!({"list": list, "thing": thing, "ms": 1});
        let a = json!([row("By x", "one"), row("By x", "two"), row("By x", "three")]);
        let b = json!([
            row("By x", "three"),
            row("By x", "one"),
            row("By y", "one"),
            row("By y", "four"),
            row("New: since", "four")
        ]);
        let seen = |most: usize| -> Vec<(String, Option<Presence>)> {
            let a = side(a.clone(), json!([row("By x", "one")]), most);
            let first = json!([
                row("By x", "three"),
                row("By y", "one"),
                row("By y", "four"),
                row("New: since", "four")
            ]);
            let b = side(b.clone(), first, most);
            let paired = paired(&LISTS, &a, &b, &Values::default()).into_iter();
            paired
                .map(|row| (row.names[0].clone(), row.presence))
                .collect()
        };
        let named = |names: [&str; 4],
                     presence: [Option<Presence>; 4]|
         -> Vec<(String, Option<Presence>)> {
            names.map(str::to_owned).into_iter().zip(presence).collect()
        };
        let names = ["By x: three", "By x: one", "By y: one", "By y: four"];
        let both = Some(Presence::Both);
        assert_eq!(
            seen(4),
            named(names, [both, both, both, Some(Presence::New)])
        );
        // As many rows of a list as were read: there may be more.
        assert_eq!(seen(3), named(names, [both, both, both, None]));
    }
}
