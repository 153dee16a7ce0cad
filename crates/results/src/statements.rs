//! A dump of pg_stat_statements as CSV with a header, as psql's `\copy (SELECT * FROM pg_stat_statements) TO … CSV HEADER` writes
//! it; all versions of its columns.
//!
//! Rows of the same text (of several users or databases, at the top level or in functions, or that the server does not let its
//! reader see) become one. How long the counters had counted is not in the dump, so there is no rate.

use crate::facts::{Run, Statement};
use crate::numbers::{count, decimal};
use crate::{Format, ReadError, Reading, Unread};
use csv::StringRecord;
use std::collections::HashMap;

/// So many rows are read between two pauses.
const ROWS_BETWEEN_PAUSES: usize = 256;
/// Columns that have a place; those before 1.8 and 1.11 had other names.
const KNOWN: [(&str, &[&str]); 20] = [
    ("query", &["query"]),
    ("queryid", &["queryid"]),
    ("calls", &["calls"]),
    ("total", &["total_exec_time", "total_time"]),
    ("max", &["max_exec_time", "max_time"]),
    ("mean", &["mean_exec_time", "mean_time"]),
    ("stddev", &["stddev_exec_time", "stddev_time"]),
    ("plans", &["plans"]),
    ("plan_total", &["total_plan_time"]),
    ("rows", &["rows"]),
    ("hit", &["shared_blks_hit"]),
    ("read", &["shared_blks_read"]),
    ("dirtied", &["shared_blks_dirtied"]),
    ("written", &["shared_blks_written"]),
    ("wal_records", &["wal_records"]),
    ("wal_fpi", &["wal_fpi"]),
    ("wal_bytes", &["wal_bytes"]),
    // What tells rows of the same statement apart.
    ("user", &["userid"]),
    ("database", &["dbid"]),
    ("toplevel", &["toplevel"]),
];

/// Whether it is the header of such a dump.
pub(crate) fn claims(line: &str) -> bool {
    let has = |name: &str| {
        line.split(',')
            .any(|column| column.trim_matches('"') == name)
    };
    has("query") && has("calls")
}

/// Sums of the rows of a statement.
#[derive(Default)]
struct Sums {
    text: String,
    calls: u64,
    total_ms: f64,
    /// Σ calls × (deviation² + mean²): what deviations are pooled from.
    squares: f64,
    has_deviation: bool,
    max_ms: Option<f64>,
    plans: Option<u64>,
    plan_ms: Option<f64>,
    counts: [Option<u64>; 8],
}

/// The counts, in the order of [`Sums::counts`].
const COUNTS: [&str; 8] = [
    "rows",
    "hit",
    "read",
    "dirtied",
    "written",
    "wal_records",
    "wal_fpi",
    "wal_bytes",
];

/// Reads a dump, from its header on.
///
/// # Errors
/// It has no row.
pub(crate) fn read(text: &str, pause: &mut dyn FnMut()) -> Result<Reading, ReadError> {
    let nothing = || ReadError::Nothing(Format::PgStatStatements);
    let mut reader = csv::ReaderBuilder::new()
        .flexible(true)
        .from_reader(text.as_bytes());
    let headers = reader.headers().map_err(|_| nothing())?.clone();
    let columns = Columns::of(&headers);
    let mut unread = Unread::default();
    let mut statements: Vec<Sums> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    let mut rows: usize = 0;
    for record in reader.records() {
        rows += 1;
        if rows.is_multiple_of(ROWS_BETWEEN_PAUSES) {
            pause();
        }
        let row = record.ok().and_then(|record| {
            let line = record.position().map_or(0, csv::Position::line);
            match columns.row(&record) {
                Some(row) => Some(row),
                None => {
                    unread.add(line, &record.iter().collect::<Vec<_>>().join(","));
                    None
                }
            }
        });
        let Some(row) = row else {
            continue;
        };
        let number = *known.entry(row.text.clone()).or_insert(statements.len());
        match statements.get_mut(number) {
            Some(sums) => sums.add(&row),
            None => statements.push(row),
        }
    }
    if statements.is_empty() {
        return Err(nothing());
    }
    statements.sort_by(|a, b| b.total_ms.total_cmp(&a.total_ms));
    let mut notes = Vec::new();
    if !columns.others.is_empty() {
        let others = columns.others.join(", ");
        notes.push(format!(
            "columns without a place in a run were left out: {others}"
        ));
    }
    Ok(Reading {
        runs: vec![run(statements)],
        unread,
        notes,
    })
}

fn run(statements: Vec<Sums>) -> Run {
    let mut run = Run::new(Format::PgStatStatements);
    run.complete = true;
    let calls: u64 = statements
        .iter()
        .map(|sums| sums.calls)
        .fold(0, u64::saturating_add);
    let total_ms: f64 = statements.iter().map(|sums| sums.total_ms).sum();
    run.figure("statement_calls", calls as f64, "count");
    run.figure("statement_time_ms", total_ms, "ms");
    run.statements = statements.into_iter().map(Sums::statement).collect();
    run
}

/// The places of the known columns, and the names of the others.
struct Columns {
    places: HashMap<&'static str, usize>,
    others: Vec<String>,
}

impl Columns {
    fn of(headers: &StringRecord) -> Columns {
        let mut columns = Columns {
            places: HashMap::new(),
            others: Vec::new(),
        };
        for (place, header) in headers.iter().enumerate() {
            match KNOWN
                .iter()
                .find(|(_, names)| names.contains(&header.trim()))
            {
                Some((name, _)) => {
                    columns.places.insert(name, place);
                }
                None => columns
                    .others
                    .push(header.trim().chars().take(64).collect()),
            }
        }
        columns
    }

    /// A row. None: it lacks a number, or has a wrong one.
    fn row(&self, record: &StringRecord) -> Option<Sums> {
        let field = |name: &str| {
            record
                .get(*self.places.get(name)?)
                .filter(|f| !f.is_empty())
        };
        let number = |name: &str| match field(name) {
            None => Some(None),
            Some(field) => decimal(field).filter(|number| *number < 1e15).map(Some),
        };
        let counted = |name: &str| match field(name) {
            None => Some(None),
            Some(field) => count(field).map(Some),
        };
        let calls = counted("calls")??;
        let mean = number("mean")?;
        let total_ms = match (number("total")?, mean) {
            (Some(total), _) => total,
            (None, Some(mean)) => mean * calls as f64,
            (None, None) => return None,
        };
        let mean_ms = if calls > 0 {
            total_ms / calls as f64
        } else {
            0.0
        };
        let deviation = number("stddev")?;
        // The server may have lost the texts.
        let text = match field("query") {
            Some(text) => text.to_owned(),
            None => format!("queryid {}", field("queryid").unwrap_or_default()),
        };
        let mut counts = [None; 8];
        for (place, name) in counts.iter_mut().zip(COUNTS) {
            *place = counted(name)?;
        }
        Some(Sums {
            text,
            calls,
            total_ms,
            squares: calls as f64 * (deviation.unwrap_or(0.0).powi(2) + mean_ms.powi(2)),
            has_deviation: deviation.is_some(),
            max_ms: number("max")?,
            plans: counted("plans")?,
            plan_ms: number("plan_total")?,
            counts,
        })
    }
}

impl Sums {
    fn add(&mut self, other: &Sums) {
        fn sum(own: &mut Option<u64>, other: Option<u64>) {
            *own = own.zip(other).map(|(own, other)| own.saturating_add(other));
        }
        self.calls = self.calls.saturating_add(other.calls);
        self.total_ms += other.total_ms;
        self.squares += other.squares;
        self.has_deviation &= other.has_deviation;
        self.max_ms = self
            .max_ms
            .zip(other.max_ms)
            .map(|(own, other)| own.max(other));
        self.plan_ms = self
            .plan_ms
            .zip(other.plan_ms)
            .map(|(own, other)| own + other);
        sum(&mut self.plans, other.plans);
        for (own, other) in self.counts.iter_mut().zip(other.counts) {
            sum(own, other);
        }
    }

    fn statement(self) -> Statement {
        let calls = self.calls as f64;
        let per = |sum: f64, number: f64| (number > 0.0).then(|| sum / number);
        let mean = per(self.total_ms, calls);
        let deviation = per(self.squares, calls).zip(mean);
        // Rounding can leave equal times with a variance just below 0.
        let deviation = deviation.map(|(square, mean)| (square - mean * mean).max(0.0).sqrt());
        let [
            rows,
            hit,
            read,
            dirtied,
            written,
            wal_records,
            wal_fpi,
            wal_bytes,
        ] = self.counts;
        let mut statement = Statement {
            text: self.text,
            calls: Some(self.calls),
            // Without track_planning nothing was planned, as far as is known.
            plan_ms: self
                .plan_ms
                .zip(self.plans)
                .and_then(|(sum, plans)| per(sum, plans as f64)),
            rows,
            shared_blks_hit: hit,
            shared_blks_read: read,
            shared_blks_dirtied: dirtied,
            shared_blks_written: written,
            wal_records,
            wal_fpi,
            wal_bytes,
            ..Statement::default()
        };
        statement.latency.latency_avg_ms = mean;
        statement.latency.latency_stddev_ms = deviation.filter(|_| self.has_deviation);
        statement.latency.latency_max_ms = self.max_ms;
        statement
    }
}

#[cfg(test)]
mod tests;
