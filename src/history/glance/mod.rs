//! A window at a glance: eight figures, each with its values over time. What sections show already is taken from them.

mod shown;

use crate::show::number::Unit;
use crate::show::section::part::{Drawing, Part, Row};
use crate::show::section::{Chart, Line, Section, dotted, line};
use crate::subject::{load, tables, wal, wraparound};
use serde::Serialize;
use serde_json::Value;
pub use shown::{cards, lines, over_each_other};

/// A figure of the window.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct GlanceFigure {
    pub name: &'static str,
    pub title: &'static str,
    /// The statement that it is about; null: it is about no single one.
    pub object: Option<String>,
    /// What has the largest part of it, with its part: of the growth a relation; null: it is not known.
    pub most: Option<String>,
    /// What the value is of those in the window: mean, total, latest or highest.
    pub of_window: &'static str,
    pub value: f64,
    pub unit: String,
    /// Seconds since the window began: where each point of its chart begins.
    pub at_s: Vec<f64>,
    /// The length of each point; 0: a moment.
    pub seconds: Vec<f64>,
    /// One for each point.
    pub values: Vec<Option<f64>>,
    #[serde(skip)]
    kind: &'static FigureKind,
}

/// A figure that a window may have.
#[derive(Debug)]
struct FigureKind {
    name: &'static str,
    title: &'static str,
    unit: Unit,
    number: Number,
    /// Section and chart, the first of which has its values over time, and their column.
    curves: &'static [(&'static str, &'static str)],
    column: &'static str,
    beside: Extreme,
}

/// Where a figure's value is.
#[derive(Debug, Clone, Copy)]
enum Number {
    /// The mean over the window: the column `whole` of its chart.
    Whole,
    /// The mean, or the total, in the table `totals` of a section: the section, and the column.
    Mean(&'static str, &'static str),
    Total(&'static str, &'static str),
    /// Of the values of its chart.
    Latest,
    Highest,
}

impl Number {
    fn name(self) -> &'static str {
        match self {
            Number::Whole | Number::Mean(..) => "mean",
            Number::Total(..) => "total",
            Number::Latest => "latest",
            Number::Highest => "highest",
        }
    }
}

/// Which of the values of its chart a figure is to be read against.
#[derive(Debug, Clone, Copy)]
enum Extreme {
    Lowest,
    Highest,
    Latest,
}

pub const GROWTH: &str = "growth";
pub const LOAD: &str = "active_sessions";

static KINDS: [FigureKind; 8] = [
    FigureKind {
        name: LOAD,
        title: "Database time",
        unit: Unit::Count("active sessions"),
        number: Number::Whole,
        // The one is seen every second, the other in every sample.
        curves: &[("glance", "sessions"), ("glance", "waits")],
        column: "value",
        beside: Extreme::Highest,
    },
    FigureKind {
        name: "transactions",
        title: "Transactions committed",
        unit: Unit::Count("per second"),
        number: Number::Mean("load", "tps"),
        curves: &[("load", "transactions")],
        column: "commits",
        beside: Extreme::Lowest,
    },
    FigureKind {
        name: "statement",
        title: "Statement with most time",
        unit: Unit::Milliseconds,
        number: Number::Whole,
        curves: &[("glance", "statement")],
        column: "value",
        beside: Extreme::Latest,
    },
    FigureKind {
        name: "wal",
        title: "WAL",
        unit: Unit::BytesPerSecond,
        number: Number::Mean("wal", "bytes_per_s"),
        curves: &[("wal", "volume")],
        column: "bytes_per_s",
        beside: Extreme::Highest,
    },
    FigureKind {
        name: GROWTH,
        title: "Growth of the database",
        unit: Unit::Bytes,
        number: Number::Total("load", "growth_bytes"),
        curves: &[("glance", "growth")],
        column: "value",
        beside: Extreme::Highest,
    },
    FigureKind {
        name: "hit_ratio",
        title: "Buffer hits",
        unit: Unit::Percent,
        number: Number::Mean("load", "hit_percent"),
        curves: &[("glance", "hits")],
        column: "value",
        beside: Extreme::Lowest,
    },
    FigureKind {
        name: "horizon",
        title: "Age of oldest transaction",
        unit: Unit::Count("transactions"),
        number: Number::Latest,
        curves: &[("wraparound", "ages")],
        column: "horizon_age",
        beside: Extreme::Highest,
    },
    FigureKind {
        name: "replication_lag",
        title: "Replication lag, at most",
        unit: Unit::Bytes,
        number: Number::Highest,
        curves: &[("glance", "lag")],
        column: "value",
        beside: Extreme::Latest,
    },
];

const VALUE: Line = line("value", "value", 1);
const WHOLE: Line = dotted("whole", "window", 7);

/// The sections that all figures are in.
pub static SOURCES: [&Section; 4] = [
    &load::SECTION,
    &wal::SECTION,
    &wraparound::SECTION,
    &SECTION,
];

/// What no other section reads; it is read with them.
pub static SECTION: Section = Section {
    name: "glance",
    title: "At a glance",
    charts: &[
        Chart {
            name: "sessions",
            collector: "sessions",
            sql: include_str!("sessions.sql"),
            lines: &[VALUE, WHOLE],
            ..PLAIN
        },
        Chart {
            name: "waits",
            collector: "waits",
            sql: include_str!("waits.sql"),
            lines: &[VALUE, WHOLE],
            ..PLAIN
        },
        Chart {
            name: "statement",
            collector: "statements",
            sql: include_str!("statement.sql"),
            lines: &[VALUE, WHOLE],
            each: "statement",
            ..PLAIN
        },
        Chart {
            name: "growth",
            collector: "database",
            sql: include_str!("growth.sql"),
            ..PLAIN
        },
        Chart {
            name: "hits",
            collector: "database",
            sql: include_str!("hits.sql"),
            ..PLAIN
        },
        Chart {
            name: "lag",
            collector: "replication",
            sql: include_str!("lag.sql"),
            ..PLAIN
        },
    ],
    ..Section::EMPTY
};

const PLAIN: Chart = Chart {
    lines: &[VALUE],
    ..Chart::EMPTY
};

/// The same figure of two windows; one of them may be unknown.
#[derive(Debug, Clone, Serialize)]
pub struct Beside {
    pub a: Option<GlanceFigure>,
    pub b: Option<GlanceFigure>,
}

/// The figures of two windows.
pub fn beside(a: Vec<GlanceFigure>, b: Vec<GlanceFigure>) -> Vec<Beside> {
    let of = |figures: &[GlanceFigure], kind: &FigureKind| {
        let found = figures.iter().find(|figure| figure.name == kind.name);
        found.cloned()
    };
    let pairs = KINDS.iter().map(|kind| Beside {
        a: of(&a, kind),
        b: of(&b, kind),
    });
    pairs
        .filter(|pair| pair.a.is_some() || pair.b.is_some())
        .collect()
}

/// The figures that are known, of the sections of a window, [`SOURCES`] among them.
pub fn figures(sections: &[Part]) -> Vec<GlanceFigure> {
    KINDS
        .iter()
        .filter_map(|kind| figure(kind, sections))
        .collect()
}

fn figure(kind: &'static FigureKind, sections: &[Part]) -> Option<GlanceFigure> {
    let chart = (kind.curves.iter()).find_map(|(section, chart)| {
        let charts = &find(sections, section)?.charts;
        charts.iter().find(|drawing| drawing.name == *chart)
    });
    let values = chart.and_then(|chart| column(chart, kind.column));
    let values = values.unwrap_or_default();
    let mut known = values.iter().flatten().copied();
    let value = match kind.number {
        Number::Whole => column(chart?, WHOLE.column)?.into_iter().flatten().next(),
        Number::Mean(section, column) | Number::Total(section, column) => {
            total(sections, section, column)
        }
        Number::Latest => known.next_back(),
        Number::Highest => known.reduce(f64::max),
    }?;
    let object = chart.and_then(|chart| chart.object.clone());
    let most = (kind.name == GROWTH).then(|| grown(sections)).flatten();
    let chart = chart.filter(|_| values.iter().any(Option::is_some));
    Some(GlanceFigure {
        name: kind.name,
        title: kind.title,
        object,
        most,
        of_window: kind.number.name(),
        value,
        unit: kind.unit.name().to_owned(),
        at_s: chart.map_or_else(Vec::new, |chart| chart.at_s.clone()),
        seconds: chart.map_or_else(Vec::new, |chart| chart.seconds.clone()),
        values: if chart.is_some() { values } else { Vec::new() },
        kind,
    })
}

fn find<'a>(sections: &'a [Part], name: &str) -> Option<&'a Part> {
    sections.iter().find(|part| part.name == name)
}

/// The relation that grew most, and by how much.
fn grown(sections: &[Part]) -> Option<String> {
    let mut lists = find(sections, tables::SECTION.name)?.tables.iter();
    let list = lists.find(|list| list.title == tables::GROWTH)?;
    list.rows.iter().find_map(|row| {
        let bytes = row.get("growth_bytes")?.as_f64()?;
        let relation = row.get("relation")?.as_str()?;
        (bytes > 0.0).then(|| format!("{relation} {}", Unit::Bytes.write(bytes)))
    })
}

/// The values of a column of a chart.
fn column(drawing: &Drawing, column: &str) -> Option<Vec<Option<f64>>> {
    let lines = drawing.chart.lines.iter();
    let place = lines.clone().position(|line| line.column == column)?;
    Some(drawing.lines.get(place)?.values.clone())
}

/// A total of the server, or of this database.
fn total(sections: &[Part], section: &str, column: &str) -> Option<f64> {
    let tables = find(sections, section)?.tables.iter();
    let mut rows = tables
        .filter(|table| table.name == "totals")
        .flat_map(|table| &table.rows);
    let of_all = |row: &&Row| row.get("database").and_then(Value::as_str) == Some("all databases");
    rows.find(|row| !of_all(row))?.get(column)?.as_f64()
}
