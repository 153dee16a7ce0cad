//! Sections, the parts of a report, as data: one mechanism reads and shows all of them.
//!
//! The SQL of a section reads only the history, schema-qualified. $1 is the node (uuid), $2 the start and $3 the end of the
//! window (timestamptz); `{of_run}` keeps the rows of the history table `h` to those of a run, where the span is that of one, as `{is_run}` says. `{samples}` stands for the samples of its collector ([`super::span::samples`]), a record `p` with
//! sample_id, taken_at, before_id, before_at, at_s, since_s, seconds and samples, `{few_samples}` for fewer, which charts of objects have; `{points}` stands for the number of
//! stretches of time, `{stretch}` for the stretch of the row `h`, `{sixtieth}` for its sixtieth of the window. `{first}`
//! stands for the number of rows in a list of a table ([`Table::each`]). The names in [`super::span::shared`] stand for
//! results that several sections and rules share.

pub mod cell;
pub mod page;
pub mod part;
pub mod read;
pub mod text;

use super::charts::Shape;
use super::number::Unit;
use super::span::Span;
use crate::collect::Collector;
use measure::metrics::Better;

/// A part of a report.
#[derive(Debug)]
pub struct Section {
    /// Of its place in a page and a document; lower case.
    pub name: &'static str,
    pub title: &'static str,
    /// How to read it: one sentence.
    pub reading: &'static str,
    /// What somebody can run to see more.
    pub call: &'static str,
    pub sources: &'static [Source],
    pub tables: &'static [Table],
    pub charts: &'static [Chart],
    /// The tables and charts that the page of a run has: what they read is the run's alone, or known to everybody.
    pub of_runs: &'static [&'static str],
    /// What it has besides for members of pg_monitor: what they read tells of the sessions of other roles.
    pub of_monitors: &'static [&'static str],
    /// What the page of a run on a target has besides, of samples that the run has taken with the rights of its role there.
    pub of_targets: &'static [&'static str],
    /// Why there is nothing although its collectors have samples: half a sentence.
    pub nothing: &'static str,
}

impl Section {
    /// What most sections have not.
    pub const EMPTY: Section = Section {
        name: "",
        title: "",
        reading: "",
        call: "",
        sources: &[],
        tables: &[],
        charts: &[],
        of_runs: &[],
        of_monitors: &[],
        of_targets: &[],
        nothing: "",
    };

    /// Whether it shows a table or chart of this name in this span.
    pub fn shows(&self, name: &str, span: &Span) -> bool {
        span.run.is_none_or(|run| {
            self.of_runs.contains(&name)
                || ((run.for_monitors || run.on_target) && self.of_monitors.contains(&name))
                || (run.on_target && self.of_targets.contains(&name))
        })
    }

    /// Whether it is a part of this span's page.
    pub fn is_in(&self, span: &Span) -> bool {
        span.run.is_none_or(|run| {
            !self.of_runs.is_empty() || (run.on_target && !self.of_targets.is_empty())
        })
    }
}

/// Why a section of a run has no data.
pub const NO_SAMPLES: &str = "fewer than two samples of their collectors belong to this run: these were not among its collectors, \
    could not run here, or their history has been dropped since";

/// Where the figures of a section come from.
#[derive(Debug, Clone, Copy)]
pub enum Source {
    Collector(&'static Collector),
    /// A setting without which a part of the figures is unknown.
    Setting {
        name: &'static str,
        /// The parts that need it, in the plural.
        figures: &'static str,
        /// The table that has them.
        of: &'static str,
    },
    /// An extension without which a part of the figures is unknown.
    Extension {
        name: &'static str,
        figures: &'static str,
        /// The table that has them.
        of: &'static str,
    },
    /// The major version of the server that brought a part of the figures.
    Server {
        major: u32,
        figures: &'static str,
        /// The table that has them.
        of: &'static str,
    },
}

impl Source {
    /// The table of the figures that need it; None: all of them do.
    pub fn of(&self) -> Option<&'static str> {
        match self {
            Source::Collector(_) => None,
            Source::Setting { of, .. }
            | Source::Extension { of, .. }
            | Source::Server { of, .. } => Some(of),
        }
    }
}

/// How a table lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// A row for each object.
    Objects,
    /// A line for each figure, and a column for each of few objects.
    Figures,
}

/// Rows of a section.
#[derive(Debug)]
pub struct Table {
    /// Of its place in a document; lower case.
    pub name: &'static str,
    pub title: &'static str,
    /// Whose samples `{samples}` are.
    pub collector: &'static str,
    /// Its columns are those of `keys` and `columns`, its rows in order.
    pub sql: &'static str,
    pub layout: Layout,
    /// A column that cuts the rows into tables, the lists, each with its value for a title; empty: one table.
    pub each: &'static str,
    /// What a row is about.
    pub keys: &'static [Key],
    pub columns: &'static [Column],
    /// So many rows are shown, of all tables that `each` makes.
    pub limit: u32,
    /// A remark under it; empty: none.
    pub note: &'static str,
}

/// So many rows of each list of a table are shown.
pub const FIRST: usize = 10;

impl Table {
    /// What most tables have not, or have alike.
    pub const EMPTY: Table = Table {
        name: "",
        title: "",
        collector: "",
        sql: "",
        layout: Layout::Objects,
        each: "",
        keys: &[],
        columns: &[],
        limit: 1,
        note: "",
    };

    /// Whether it shows a column of its SQL.
    pub fn has(&self, column: &str) -> bool {
        let keys = self.keys.iter().map(|key| key.name);
        let columns = self.columns.iter().map(|column| column.name);
        (keys.chain(columns)).any(|known| known == column) || self.each == column
    }

    /// Whether objects are matched by what they hold.
    pub fn is_of_contents(&self) -> bool {
        self.each == HOLDS || self.keys.iter().any(|key| key.name == HOLDS)
    }

    /// Its SQL with so many rows of each list.
    pub fn sql_of(&self, first: usize) -> String {
        self.sql.replace("{first}", &first.to_string())
    }
}

impl Section {
    /// The SQL of one of its tables or charts, and the collector whose samples it reads.
    pub fn source_of(&self, name: &str) -> Option<(&'static str, &'static str)> {
        let tables = self.tables.iter().map(|t| (t.name, t.sql, t.collector));
        let charts = self.charts.iter().map(|c| (c.name, c.sql, c.collector));
        let (_, sql, collector) = tables.chain(charts).find(|(known, ..)| *known == name)?;
        Some((sql, collector))
    }
}

/// A column that says what a row is about.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    pub name: &'static str,
    pub head: &'static str,
    /// Whether it is SQL.
    pub code: bool,
}

/// A list or key of this name says what the row's object holds, such as a device the data directory and the WAL: a comparison matches
/// objects by that ([`super::contents`]).
pub const HOLDS: &str = "holds";

/// A figure of the rows.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    pub name: &'static str,
    pub head: &'static str,
    pub kind: Kind,
    /// None: neither more nor less is better by itself.
    pub better: Option<Better>,
    /// Whether it has room in a text of 80 columns.
    pub in_text: bool,
    /// Of a percentage that a page also shows as a bar, the number of its colour.
    pub bar: Option<u8>,
    /// Whether a comparison has it, a text, beside the name of the row.
    pub is_remark: bool,
}

/// What a value of a column is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Count,
    /// Of something, with decimals.
    Number,
    Bytes,
    Milliseconds,
    Seconds,
    Percent,
    Text,
    /// timestamptz.
    Moment,
    /// Of a statement: a text of several lines.
    Plan,
}

impl Kind {
    /// As a document names it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Count => "count",
            Kind::Number => "number",
            Kind::Bytes => "bytes",
            Kind::Milliseconds => "milliseconds",
            Kind::Seconds => "seconds",
            Kind::Percent => "percent",
            Kind::Text => "text",
            Kind::Moment => "time",
            Kind::Plan => "plan",
        }
    }
}

/// Values over the time of the window.
#[derive(Debug)]
pub struct Chart {
    pub name: &'static str,
    pub title: &'static str,
    pub collector: &'static str,
    /// Its columns are `at_s`, seconds since the window began, `seconds`, the length of the stretch (0: a moment), the columns of
    /// `lines`, and that of `each`.
    pub sql: &'static str,
    pub unit: Unit,
    pub lines: &'static [Line],
    /// A column with the name of an object that has a chart of its own; empty: none.
    pub each: &'static str,
    /// A remark under its title; empty: none.
    pub note: &'static str,
}

impl Chart {
    /// What most charts have not.
    pub const EMPTY: Chart = Chart {
        name: "",
        title: "",
        collector: "",
        sql: "",
        unit: Unit::Count(""),
        lines: &[],
        each: "",
        note: "",
    };
}

/// A series of a chart.
#[derive(Debug, Clone, Copy)]
pub struct Line {
    pub column: &'static str,
    pub name: &'static str,
    /// Number of a colour of the page.
    pub color: u8,
    pub shape: Shape,
}

/// A name.
pub const fn key(name: &'static str, head: &'static str) -> Key {
    Key {
        name,
        head,
        code: false,
    }
}

/// The text of a statement.
pub const fn code(name: &'static str, head: &'static str) -> Key {
    Key {
        name,
        head,
        code: true,
    }
}

/// A figure of which neither more nor less is better.
pub const fn column(name: &'static str, head: &'static str, kind: Kind) -> Column {
    Column {
        name,
        head,
        kind,
        better: None,
        in_text: true,
        bar: None,
        is_remark: false,
    }
}

/// A line of a chart.
pub const fn line(column: &'static str, name: &'static str, color: u8) -> Line {
    Line {
        column,
        name,
        color,
        shape: Shape::Line,
    }
}

/// An area of a chart, on top of the one before it.
pub const fn area(column: &'static str, name: &'static str, color: u8) -> Line {
    Line {
        shape: Shape::Stacked,
        ..line(column, name, color)
    }
}

/// A line beside others that it is not to be compared with.
pub const fn dotted(column: &'static str, name: &'static str, color: u8) -> Line {
    Line {
        shape: Shape::Dotted,
        ..line(column, name, color)
    }
}

impl Column {
    pub const fn higher(mut self) -> Column {
        self.better = Some(Better::Higher);
        self
    }

    pub const fn lower(mut self) -> Column {
        self.better = Some(Better::Lower);
        self
    }

    /// With a bar in a page.
    pub const fn bar(mut self, color: u8) -> Column {
        self.bar = Some(color);
        self
    }

    /// That says in a comparison which object it was.
    pub const fn remark(mut self) -> Column {
        self.is_remark = true;
        self
    }

    /// Where a text has no room for it.
    pub const fn wide(mut self) -> Column {
        self.in_text = false;
        self
    }
}
