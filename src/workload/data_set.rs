//! How the load of a data set is described: as steps of SQL statements and of rows to write in bulk.

use super::own::sql::{AuthorSql, Values};
use crate::pg::bulk::{Column, Rows, Sizes, Typed, pages_bytes, width, width_at_most};
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// One step of a load.
#[derive(Clone, Debug)]
pub struct Step {
    /// Its name in reports, such as `drop tables`.
    pub title: &'static str,
    pub effect: Effect,
    /// Its parts, in their order.
    pub actions: Vec<Action>,
    /// Whether they run in one transaction. If not, each runs by itself, outside a transaction block.
    pub in_transaction: bool,
}

impl Step {
    /// A step of statements and rows. A table truncated in the same transaction is filled without WAL where wal_level allows.
    pub(super) fn new(title: &'static str, effect: Effect, actions: Vec<Action>) -> Step {
        Step {
            title,
            effect,
            actions,
            in_transaction: effect == Effect::Fills,
        }
    }

    /// A step of statements that change no rows.
    pub(super) fn keep(title: &'static str, statements: Vec<String>) -> Step {
        Step::new(title, Effect::Keeps, Action::utilities(statements))
    }

    /// The same, of statements that all workers may run at the same time.
    pub(super) fn keep_each(title: &'static str, statements: Vec<String>) -> Step {
        if statements.len() <= 1 {
            return Step::keep(title, statements);
        }
        Step::new(title, Effect::Keeps, vec![Action::Each(statements)])
    }

    /// How many rows the whole step inserts.
    pub fn rows(&self) -> u64 {
        self.actions.iter().map(Action::rows).sum()
    }

    /// About how many bytes of tables it fills, as far as that is known before: indexes and statements' rows are not counted.
    pub fn bytes(&self) -> u64 {
        self.fills().map(Fill::bytes).sum()
    }

    /// The same if all values were as long as their types allow; None: there are types without such a length.
    pub fn bytes_at_most(&self) -> Option<u64> {
        self.fills().map(Fill::bytes_at_most).sum()
    }

    pub fn fills(&self) -> impl Iterator<Item = &Fill> {
        self.actions.iter().filter_map(|action| match action {
            Action::Fill(fill) => Some(fill),
            _ => None,
        })
    }
}

/// The state in which a step leaves all tables of the data set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// They no longer exist.
    Drops,
    /// They exist and are empty.
    Creates,
    /// They hold the rows of the scale.
    Fills,
    /// They hold the same rows as before.
    Keeps,
}

/// A part of a step.
#[derive(Clone, Debug)]
pub enum Action {
    Execute(LoadStatement),
    /// Fills a table that the step has truncated.
    Fill(Fill),
    /// Statements of a workload's author. The relations that they create in the data set's schema are the data set.
    Create(Vec<String>),
    /// Statements of a workload's author, for each part.
    Parts(Parts),
    /// Statements that insert nothing, take about as long as each other, and do not block each other, such as an index for each of
    /// some tables alike: all workers run them, each outside a transaction block.
    Each(Vec<String>),
    /// Vacuums the tables that the load has created.
    Vacuum,
}

/// Statements that run once for each part of a data set, in as many processes as there are parts, each part in a transaction
/// of its own.
#[derive(Clone, Debug)]
pub struct Parts {
    pub count: u64,
    pub values: Values,
    pub sql: AuthorSql,
}

impl Parts {
    /// The statements of part number `part`, counted from 1.
    pub fn statements(&self, part: u64) -> Vec<String> {
        let mut values = self.values.clone();
        for (name, number) in [("part", part), ("parts", self.count)] {
            values.insert(name.to_owned(), script::Value::Int(number as i64));
        }
        self.sql.statements(&values)
    }
}

impl Action {
    /// A statement that inserts nothing.
    pub(super) fn utility(sql: String) -> Self {
        Action::Execute(LoadStatement { sql, rows: 0 })
    }

    /// Statements that insert nothing.
    pub(super) fn utilities(statements: Vec<String>) -> Vec<Action> {
        statements.into_iter().map(Action::utility).collect()
    }

    fn rows(&self) -> u64 {
        match self {
            Action::Execute(statement) => statement.rows,
            Action::Fill(fill) => fill.rows,
            // Their number is not known before.
            Action::Create(_) | Action::Parts(_) | Action::Each(_) | Action::Vacuum => 0,
        }
    }
}

/// The statements of [`super::family::Family::vacuum`] for tables whose names are qualified.
pub(super) fn vacuum(names: impl IntoIterator<Item = String>, all: bool) -> Vec<String> {
    let command = if all { "VACUUM (ANALYZE)" } else { "VACUUM" };
    let statement = |name| format!("{command} {name}");
    names.into_iter().map(statement).collect()
}

/// One statement of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadStatement {
    /// Its text, with all names qualified.
    pub sql: String,
    /// How many rows it inserts, for the progress; 0 for a statement that inserts none.
    pub rows: u64,
}

/// Rows that can be written without the executor.
#[derive(Clone, Debug)]
pub struct Fill {
    /// Its name, without the schema.
    pub table: String,
    pub contents: Contents,
    /// How many rows it gets. An expected number is enough where a source makes them: it is for the progress.
    pub rows: u64,
}

/// So many units are made to see how long their rows are, unless they take longer than this.
const TRIED_UNITS: u64 = 16;
const LONGEST_TRIAL: Duration = Duration::from_millis(20);

impl Fill {
    /// About how many bytes its pages have. Rows of a source are as long as some of them.
    pub fn bytes(&self) -> u64 {
        let width = match &self.contents {
            Contents::Alike { columns, .. } => Some(width(columns, self.rows) as f64),
            Contents::Made {
                columns,
                units,
                sources,
                ..
            } => {
                let mut sizes = Sizes::default();
                let mut rows = Rows::new(columns, &mut sizes);
                let mut source = sources.begin();
                let began = Instant::now();
                for number in 0..TRIED_UNITS.min(*units) {
                    source((1 + number * (units - 1) / TRIED_UNITS) as i64, &mut rows);
                    if began.elapsed() > LONGEST_TRIAL {
                        break;
                    }
                }
                sizes.mean()
            }
        };
        width.map_or(0, |width| pages_bytes(self.rows, width))
    }

    fn bytes_at_most(&self) -> Option<u64> {
        let width = match &self.contents {
            Contents::Alike { columns, .. } => width(columns, self.rows),
            Contents::Made { columns, .. } => width_at_most(columns)?,
        };
        Some(pages_bytes(self.rows, width as f64))
    }
}

/// The columns of a table as the data set's own step creates it, with their values.
#[derive(Clone, Debug)]
pub enum Contents {
    /// The same in every row, except for key and unit, which count from 1. This is the fastest kind.
    Alike {
        columns: &'static [Column<'static>],
        /// How many rows belong to a unit of scale.
        rows_per_unit: i32,
        /// Empty if the table is not partitioned.
        partitions: Vec<Partition>,
        /// Statements that insert the same rows, for a table that is no longer as the data set's own step created it.
        instead: Vec<LoadStatement>,
    },
    /// Made by a source, for families whose rows are not as simple as pgbench's. See [`Contents::made`].
    Made {
        columns: &'static [Typed],
        /// How many units of rows there are; they count from 1.
        units: u64,
        sources: Sources,
        /// None: the table is not partitioned.
        partitioned: Option<Partitioned>,
    },
}

/// The partitions of a table whose source gives each row with the number of its partition, in this order.
#[derive(Clone, Debug)]
pub struct Partitioned {
    /// The column.
    pub by: &'static str,
    pub partitions: Vec<Partition>,
}

/// Makes the rows of unit n: none, one, or several, such as an order with all of its lines. They depend on n alone, not on the
/// process that makes them, nor when, nor on the units before.
pub type Source = Box<dyn FnMut(i64, &mut Rows)>;

/// Gives each process that fills a table a source of its own.
#[derive(Clone)]
pub struct Sources(Arc<dyn Fn() -> Source + Send + Sync>);

impl Sources {
    pub fn begin(&self) -> Source {
        (self.0)()
    }
}

impl fmt::Debug for Sources {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("Sources")
    }
}

impl Contents {
    /// Rows made by sources: `begin` is called once by each process that fills the table. It knows what it captures: the
    /// options, the number of the table.
    pub fn made<S: FnMut(i64, &mut Rows) + 'static>(
        columns: &'static [Typed],
        units: u64,
        begin: impl Fn() -> S + Send + Sync + 'static,
    ) -> Contents {
        Contents::Made {
            columns,
            units,
            sources: Sources(Arc::new(move || -> Source { Box::new(begin()) })),
            partitioned: None,
        }
    }
}

/// A partition and the keys it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    pub table: String,
    /// As the server shows it, quotes aside: `FOR VALUES FROM (MINVALUE) TO (34)`.
    pub bound: String,
    pub keys: Keys,
}

/// The keys of a partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Keys {
    /// From the first to the last of the data set's keys in it.
    Range { first: i64, last: i64 },
    /// Those whose hash value has this remainder.
    Hash { modulus: u64, remainder: u64 },
    /// A range, for which the source of the rows gives them.
    OfSource,
}
