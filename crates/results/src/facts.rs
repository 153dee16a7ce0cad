//! What a program says of a run. A figure that it does not give is `None`.

use crate::Format;
use measure::{Histogram, Latency};

/// One run.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// The format it was read from.
    pub format: Format,
    /// Version of the program.
    pub program_version: Option<String>,
    /// Version of the server, where the program prints it.
    pub server_version: Option<String>,
    /// What ran, in the program's words.
    pub workload: Option<String>,
    pub clients: Option<u64>,
    pub threads: Option<u64>,
    pub scale: Option<u64>,
    /// `simple`, `extended` or `prepared`.
    pub query_mode: Option<String>,
    /// The duration that was asked for.
    pub duration_s: Option<f64>,
    pub transactions_per_client: Option<u64>,
    /// Transactions per second that were asked for.
    pub rate: Option<f64>,
    pub latency_limit_ms: Option<f64>,
    /// 0: no limit.
    pub max_tries: Option<u64>,
    /// It connected for each transaction.
    pub reconnects_each_time: bool,
    /// Other parameters that the program printed: name and value.
    pub parameters: Vec<(String, String)>,
    /// Why the run is incomplete.
    pub error: Option<String>,
    /// Whether it came to its end: it has totals, or is not made of transactions.
    pub complete: bool,
    /// When it began, in seconds since 1970.
    pub started_s: Option<f64>,
    pub totals: Totals,
    pub intervals: Vec<Interval>,
    pub scripts: Vec<Script>,
    pub statements: Vec<Statement>,
    pub figures: Vec<ExtraFigure>,
    /// What changed in the server meanwhile.
    pub server: Option<Server>,
}

impl Run {
    /// A run of which nothing is known yet.
    pub fn new(format: Format) -> Run {
        Run {
            format,
            program_version: None,
            server_version: None,
            workload: None,
            clients: None,
            threads: None,
            scale: None,
            query_mode: None,
            duration_s: None,
            transactions_per_client: None,
            rate: None,
            latency_limit_ms: None,
            max_tries: None,
            reconnects_each_time: false,
            parameters: Vec::new(),
            error: None,
            complete: false,
            started_s: None,
            totals: Totals::default(),
            intervals: Vec::new(),
            scripts: Vec::new(),
            statements: Vec::new(),
            figures: Vec::new(),
            server: None,
        }
    }

    /// Adds a figure that has no place of its own, or takes it in place of an earlier one.
    pub fn figure(&mut self, name: impl Into<String>, value: f64, unit: &'static str) {
        let name = name.into();
        self.figures.retain(|figure| figure.name != name);
        self.figures.push(ExtraFigure { name, value, unit });
    }

    /// The same if there is a value; returns whether there is.
    pub fn figure_if_any(
        &mut self,
        name: impl Into<String>,
        value: Option<f64>,
        unit: &'static str,
    ) -> bool {
        if let Some(value) = value {
            self.figure(name, value, unit);
        }
        value.is_some()
    }
}

/// Transactions that did not go as planned.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Outcomes {
    pub failed: Option<u64>,
    pub serialization_failures: Option<u64>,
    pub deadlock_failures: Option<u64>,
    pub other_failures: Option<u64>,
    pub retried: Option<u64>,
    pub retries: Option<u64>,
    pub skipped: Option<u64>,
    /// Above the latency limit.
    pub late: Option<u64>,
}

/// The figures of the whole run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Totals {
    /// The time that `transactions` took, so that their quotient is the printed rate.
    pub seconds: Option<f64>,
    pub transactions: Option<u64>,
    pub outcomes: Outcomes,
    pub latency: Latency,
    pub lag_avg_ms: Option<f64>,
    pub lag_max_ms: Option<f64>,
    /// How long connecting took before the run.
    pub connect_ms: Option<f64>,
    pub reconnects: Option<u64>,
    pub reconnect_avg_ms: Option<f64>,
    pub histogram: Option<Histogram>,
}

/// A part of the run's time.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Interval {
    /// Seconds since the run began.
    pub start_s: f64,
    pub seconds: f64,
    pub transactions: u64,
    /// As printed; otherwise the quotient.
    pub tps: f64,
    pub latency: Latency,
    pub outcomes: Outcomes,
    pub lag_avg_ms: Option<f64>,
    pub lag_max_ms: Option<f64>,
    pub histogram: Option<Histogram>,
}

/// One of the scripts of a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Script {
    pub name: String,
    pub weight: Option<u64>,
    pub transactions: Option<u64>,
    pub tps: Option<f64>,
    pub outcomes: Outcomes,
    pub latency: Latency,
    pub histogram: Option<Histogram>,
}

/// A statement or meta-command.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Statement {
    /// The number of its script, from 0.
    pub script_no: usize,
    /// None: the run's only script.
    pub script: Option<String>,
    pub text: String,
    pub calls: Option<u64>,
    pub failed: Option<u64>,
    pub retries: Option<u64>,
    pub latency: Latency,
    pub plan_ms: Option<f64>,
    pub rows: Option<u64>,
    pub shared_blks_hit: Option<u64>,
    pub shared_blks_read: Option<u64>,
    pub shared_blks_dirtied: Option<u64>,
    pub shared_blks_written: Option<u64>,
    pub wal_records: Option<u64>,
    pub wal_fpi: Option<u64>,
    pub wal_bytes: Option<u64>,
}

/// What changed in a server during a run, whoever changed it.
#[derive(Debug, Clone, PartialEq)]
pub struct Server {
    pub shared_blks_hit: Option<u64>,
    pub shared_blks_read: Option<u64>,
    pub figures: Vec<ServerFigure>,
    /// Those that changed.
    pub relations: Vec<Relation>,
    /// Those that were called, as the server counts them.
    pub statements: Vec<Statement>,
}

/// A figure of a server as a whole, or of its database.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerFigure {
    /// `size`, `wal`, `database` or `vacuum`.
    pub category: &'static str,
    pub name: String,
    pub value: f64,
    pub unit: &'static str,
}

/// A table, its indexes and its TOAST table are a relation each.
#[derive(Debug, Clone, PartialEq)]
pub struct Relation {
    pub oid: u32,
    pub schema: String,
    pub name: String,
    /// `table`, `index`, `TOAST table` or `materialized view`.
    pub kind: String,
    /// Of an index or a TOAST table.
    pub table: Option<String>,
    /// None: it did not exist.
    pub start_size_bytes: Option<i64>,
    pub end_size_bytes: i64,
    pub start_live_tuples: Option<i64>,
    pub end_live_tuples: Option<i64>,
    pub start_dead_tuples: Option<i64>,
    pub end_dead_tuples: Option<i64>,
    pub start_tuple_percent: Option<f64>,
    pub end_tuple_percent: Option<f64>,
    /// The increases of its counters, by name; None: it has none of that name, or they began again.
    pub counters: Vec<(&'static str, Option<i64>)>,
}

impl Relation {
    /// The increase of a counter.
    pub fn counter(&self, name: &str) -> Option<i64> {
        let mut counters = self.counters.iter();
        counters.find(|(other, _)| *other == name)?.1
    }

    /// Whether anything of it is not as it was.
    pub fn has_changed(&self) -> bool {
        self.start_size_bytes != Some(self.end_size_bytes)
            || self
                .counters
                .iter()
                .any(|(_, increase)| increase.is_some_and(|it| it != 0))
    }
}

/// A figure that has no place of its own.
#[derive(Debug, Clone, PartialEq)]
pub struct ExtraFigure {
    pub name: String,
    pub value: f64,
    pub unit: &'static str,
}
