//! What a collector is. Each is defined once, with its subject; [`crate::subject`] lists them.

use super::of_target::TargetSource;
use super::sample::history::Rows;
use super::sample::parts::{OneTransaction, Parts};
use super::watched::Watched;
use crate::error::{Result, unsupported};
use crate::pg::session::setting;
use pgrx::pg_sys;
use serde::Deserialize;
use serde_json::Value;
use std::fmt;
use std::time::{Duration, Instant};

/// The server's major version: a library is built for one, and the server refuses it otherwise.
pub const SERVER_MAJOR: u32 = pg_sys::PG_VERSION_NUM / 10_000;

/// What reading something costs the server.
#[derive(Debug, Clone, Copy)]
pub enum Cost {
    /// Shared memory and a few catalog rows: below a millisecond.
    Light,
    /// Grows with shared_buffers, or with the number of files.
    Medium,
    /// Reads relations, within a budget.
    Heavy,
}

impl Cost {
    /// As `pgperf.collectors.cost` shows it.
    pub fn name(self) -> &'static str {
        match self {
            Cost::Light => "light",
            Cost::Medium => "medium",
            Cost::Heavy => "heavy",
        }
    }
}

/// When a run takes a collector besides its start and end, unless somebody says how often.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InRuns {
    Ends,
    /// At every sample interval.
    EveryInterval,
    /// At every sample interval it looks for what would be over at the end; only the start and end have all of it.
    Watched,
    /// At every sample interval where the server has standbys or replication slots.
    WithReceivers,
    /// Not at all, unless the run names it.
    IfNamed,
    /// At the end of runs that ask for it.
    IfAsked,
}

impl InRuns {
    /// As `pgperf.collectors.in_runs` shows it.
    pub fn name(self) -> &'static str {
        match self {
            InRuns::Ends => "start and end",
            InRuns::EveryInterval => "start, end and every sample interval",
            InRuns::Watched => "start and end; watched in between",
            InRuns::WithReceivers => "start, end; intervals if replicated",
            InRuns::IfNamed => "if named, every sample interval",
            InRuns::IfAsked => "end, with an option of the run",
        }
    }
}

/// Whether the sampler takes a collector in a database that it visits ([`crate::sampler`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InVisits {
    /// It reads what is the server's, or has to be there all the time: the home has it.
    Never,
    /// It reads what is the database's: there is a visit whenever it is due.
    WhenDue,
    /// It has figures of the database, and is due too often for a visit each time: visits that others are due for take it, too.
    Along,
}

impl InVisits {
    /// As `pgperf.collectors.in_visits` shows it.
    pub fn name(self) -> &'static str {
        match self {
            InVisits::Never => "never",
            InVisits::WhenDue => "when due",
            InVisits::Along => "with others",
        }
    }
}

/// How much a sample looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// One of many in a run: as few rows and as little time as possible.
    Tick,
    /// On demand, and at a run's start and end: everything.
    Full,
}

/// What a collector may need to know of the sample it reads for.
#[derive(Clone)]
pub struct Scope {
    /// As text.
    pub node_id: String,
    /// None: it belongs to no run.
    pub run_id: Option<i64>,
    /// When the sample began.
    pub began: Instant,
    pub depth: Depth,
    /// The seconds between two samples of the sampler: it leaves out what hardly changed since the one before. None: somebody asked
    /// for this sample, or it belongs to a run, and it holds everything.
    pub sampler_cadence_s: Option<f64>,
    /// Since the sample before.
    pub watched: Watched,
    /// Since when the counters of this database count ([`super::sample`]): resets of a single table do not matter. Seconds, as text.
    pub counting_since: String,
    pub timing: Timing,
}

/// What the server times.
#[derive(Debug, Clone, Copy, Deserialize)]
pub struct Timing {
    /// track_io_timing.
    #[serde(rename = "times_io")]
    pub io: bool,
    /// track_wal_io_timing.
    #[serde(rename = "times_wal")]
    pub wal: bool,
}

impl Timing {
    pub fn here() -> Timing {
        Timing {
            io: setting::is_on("track_io_timing"),
            wal: setting::is_on("track_wal_io_timing"),
        }
    }
}

/// What a collector read.
#[derive(Default)]
pub struct Reading {
    /// Rows for each history table; the sample adds its own columns.
    pub tables: Vec<(&'static str, Rows)>,
    /// What was left out, and why.
    pub note: Option<String>,
}

impl Reading {
    /// Rows for one table and nothing to remark.
    pub fn of(table: &'static str, rows: impl Into<Rows>) -> Self {
        Reading {
            tables: vec![(table, rows.into())],
            note: None,
        }
    }
}

/// So many rows are stored in one transaction, where a sample has several.
const STORED_AT_ONCE: usize = 400;

impl Reading {
    /// Rows to be stored before the others, since they are many. A table's last rows, such as the sums of all, stay: what
    /// is broken off must not look whole.
    pub fn take_some(&mut self) -> Option<(&'static str, Rows)> {
        let mut tables = self.tables.iter_mut();
        tables.find_map(|(table, rows)| Some((*table, rows.take_first(STORED_AT_ONCE)?)))
    }
}

/// Writes rows of a table of the history while the reading goes on, in a transaction of its own.
pub type Store<'a> = &'a dyn Fn(&'static str, Vec<Value>) -> Result<()>;

/// How a collector reads in turn: the sample that it reads for, the transactions, until when, and how rows are stored. Returns a remark on
/// what was left out.
pub type InTurn = fn(&Scope, &mut dyn Parts, Option<Duration>, Store) -> Result<Option<String>>;

/// How a collector reads.
#[derive(Clone, Copy)]
pub enum Read {
    /// In one transaction: some milliseconds, whatever the server holds.
    AtOnce(fn(&Scope) -> Result<Reading>),
    /// In parts, since what it looks at may be much.
    InParts(fn(&Scope, &mut dyn Parts) -> Result<Reading>),
    /// As much as fits into a budget, what is next in line first: it may look at relations for minutes.
    InTurn {
        /// How long a sample may take that nobody asked to be whole.
        budget: Duration,
        /// Within one SELECT.
        at_once: fn(&Scope, &mut dyn Parts) -> Result<Reading>,
        /// In many transactions, which store the rows: until the time is over, or with None all there is. Returns what was
        /// left out, and why.
        step_by_step: InTurn,
    },
}

/// Cumulative counters of a history table: what they came to over a run is a table of its report, where they say anything.
#[derive(Debug, Clone, Copy)]
pub struct ReportTable {
    pub title: &'static str,
    pub history_table: &'static str,
    /// The column with the name of what is counted, and its head.
    pub object: (&'static str, &'static str),
    /// The columns of the counters, with their heads: six at most, or lines would be wider than a terminal.
    pub counters: &'static [(&'static str, &'static str)],
}

/// One source of history.
pub struct Collector {
    pub name: &'static str,
    pub cost: Cost,
    /// How often the continuous sampler takes it unless somebody says otherwise: light ones often enough to see a spike,
    /// those that write many rows or read relations as seldom as their subject changes.
    pub sample_interval_s: u32,
    /// Whether the sampler takes it at its interval whatever it costs.
    pub keeps_interval: bool,
    pub in_runs: InRuns,
    pub in_visits: InVisits,
    /// The server's major version that brought its source; None: all that are supported have it.
    pub since_major: Option<u32>,
    /// The extension it reads through.
    pub needs: Option<&'static str>,
    /// Whether it wants to know what a run's clients wait for: then these are looked at many times between two samples.
    pub watches_clients: bool,
    /// A table of what it counted, for the reports of runs.
    pub report: Option<ReportTable>,
    /// The tables it fills, without schema.
    pub history_tables: &'static [&'static str],
    pub description: &'static str,
    /// Reads, as the extension's owner and inside a subtransaction.
    pub read: Read,
    /// How it reads a target; None: it reads what only a process of the server sees.
    pub of_target: Option<TargetSource>,
}

impl fmt::Debug for Collector {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl Collector {
    /// Reads all of it in the transaction that goes on.
    pub fn read_here(&self, scope: &Scope) -> Result<Reading> {
        match self.read {
            Read::AtOnce(read) => read(scope),
            Read::InParts(read) | Read::InTurn { at_once: read, .. } => {
                read(scope, &mut OneTransaction)
            }
        }
    }

    /// Whether a server of this version has its source at all. One that it cannot have is not tried by the clock.
    pub fn exists_here(&self) -> bool {
        self.since_major.is_none_or(|major| SERVER_MAJOR >= major)
    }
}

/// Where an extension's objects are: its schema, quoted.
///
/// # Errors
/// The extension is not installed in this database: 0A000.
pub fn extension_schema(extension: &str) -> Result<String> {
    #[derive(Deserialize)]
    struct InstalledExtension {
        schema: String,
    }
    let place: Option<InstalledExtension> = crate::pg::sql::spi::select_one(
        "SELECT pg_catalog.quote_ident(n.nspname) AS schema \
         FROM pg_catalog.pg_extension e \
         JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) e.extnamespace \
         WHERE e.extname OPERATOR(pg_catalog.=) $1",
        &[extension.into()],
    )?;
    place.map(|place| place.schema).ok_or_else(|| {
        unsupported(format!(
            "extension \"{extension}\" is not installed in this database"
        ))
        .hinting(format!("CREATE EXTENSION {extension};"))
    })
}

/// How `relation_kind` names a `pg_class.relkind` that has storage.
pub const KIND_NAME: &str = "CASE c.relkind WHEN 'r' THEN 'table' WHEN 'i' THEN 'index' \
    WHEN 't' THEN 'TOAST table' WHEN 'm' THEN 'materialized view' WHEN 'S' THEN 'sequence' END";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_rows_are_stored_in_parts_and_the_last_ones_last() {
        let rows = |count| -> Vec<serde_json::Value> { (0..count).map(Into::into).collect() };
        let mut reading = Reading::of("few", rows(STORED_AT_ONCE));
        reading
            .tables
            .push(("many", rows(2 * STORED_AT_ONCE + 1).into()));
        let mut parts = Vec::new();
        while let Some((table, Rows::Objects(rows))) = reading.take_some() {
            parts.push((table, rows[0].as_u64(), rows.len()));
        }
        let second = Some(STORED_AT_ONCE as u64);
        assert_eq!(
            parts,
            [
                ("many", Some(0), STORED_AT_ONCE),
                ("many", second, STORED_AT_ONCE)
            ]
        );
        let left: Vec<usize> = (reading.tables.iter())
            .map(|(_, rows)| match rows {
                Rows::Objects(rows) => rows.len(),
                Rows::Columns(_) => 0,
            })
            .collect();
        assert_eq!(left, [STORED_AT_ONCE, 1]);
    }
}
