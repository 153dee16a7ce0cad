//! Results of other programs as facts: pure Rust, no server.
//!
//! [`read`] takes what a program printed, or its log, and gives one [`Run`] for each run in it. A figure that the
//! text does not have is `None`, and lines that were not understood are counted in [`Reading::unread`]. Memory does not
//! grow with the length of a log.
//!
//! * [`pgbench`]: the output of pgbench 9.5 and later, and its logs;
//! * [`sysbench`]: the output of sysbench 0.4 to 1.1;
//! * [`hammerdb`]: the output of HammerDB;
//! * [`statements`]: dumps of pg_stat_statements;
//! * [`figures`]: the figures of a server before and after a run, with the output of the program that ran;
//! * [`facts`]: what is known of a run.

pub mod facts;
pub mod figures;
pub mod hammerdb;
mod latencies;
mod numbers;
pub mod pgbench;
pub mod statements;
pub mod sysbench;
mod timeline;
mod unread;

pub use facts::Run;
pub use unread::Unread;

use thiserror::Error;

/// So many lines are read between two pauses.
const LINES_BETWEEN_PAUSES: u64 = 4_096;

/// A program whose results can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Output and logs of pgbench.
    Pgbench,
    /// Output of sysbench.
    Sysbench,
    /// Output of HammerDB.
    Hammerdb,
    /// CSV of pg_stat_statements.
    PgStatStatements,
    /// What psql prints of docs/figures.sql, before and after a run.
    Psql,
}

impl Format {
    /// All of them.
    ///
    /// Figures come first: results of another program stand between them.
    pub const ALL: [Format; 5] = [
        Format::Psql,
        Format::Pgbench,
        Format::Sysbench,
        Format::Hammerdb,
        Format::PgStatStatements,
    ];

    /// Its name in calls.
    pub fn name(self) -> &'static str {
        match self {
            Format::Pgbench => "pgbench",
            Format::Sysbench => "sysbench",
            Format::Hammerdb => "hammerdb",
            Format::PgStatStatements => "pg_stat_statements",
            Format::Psql => "psql",
        }
    }

    /// What a reader calls the program.
    pub fn title(self) -> &'static str {
        match self {
            Format::Hammerdb => "HammerDB",
            _ => self.name(),
        }
    }

    /// The format of that name.
    pub fn named(name: &str) -> Option<Format> {
        Format::ALL.into_iter().find(|format| format.name() == name)
    }

    /// None: it is not made of lines.
    fn reader(self) -> Option<Box<dyn Reader>> {
        Some(match self {
            Format::Pgbench => Box::new(pgbench::Output::default()),
            Format::Sysbench => Box::new(sysbench::Output::default()),
            Format::Hammerdb => Box::new(hammerdb::Output::default()),
            Format::Psql => Box::new(figures::Output::default()),
            Format::PgStatStatements => return None,
        })
    }

    /// Whether a line can only be of this format.
    fn claims(self, line: &str) -> bool {
        match self {
            Format::Pgbench => pgbench::claims(line),
            Format::Sysbench => sysbench::claims(line),
            Format::Hammerdb => hammerdb::claims(line),
            Format::PgStatStatements => statements::claims(line),
            Format::Psql => figures::claims(line),
        }
    }
}

/// What was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// At least one.
    pub runs: Vec<Run>,
    pub unread: Unread,
    /// What else the reader should know, as sentences without a full stop.
    pub notes: Vec<String>,
}

/// Why a text has no result.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ReadError {
    #[error("no known program prints such a text")]
    Unknown,
    #[error("the text has no result of {}", .0.title())]
    Nothing(Format),
    #[error("the text has the log of one run, but the results of {0} runs")]
    LogOfWhich(usize),
    #[error("the text does not have the figures of a server both before and after a run")]
    FiguresOnce,
    #[error(
        "the text has the figures of a server before and after one run, but the results of {0} runs"
    )]
    FiguresOfWhich(usize),
}

/// Reads a text line by line.
trait Reader {
    /// Takes a line without its end; whether it was understood.
    fn line(&mut self, line: &str) -> bool;
    /// The runs, and notes on them.
    fn finish(self: Box<Self>) -> Result<(Vec<Run>, Vec<String>), ReadError>;
}

/// Reads a text. `format`: None: recognised by the first line that only one format has. `pause` is called now and then.
///
/// # Errors
/// The text has no result.
pub fn read(
    text: &str,
    format: Option<Format>,
    pause: &mut dyn FnMut(),
) -> Result<Reading, ReadError> {
    let format = match format {
        Some(format) => format,
        None => recognise(text, pause).ok_or(ReadError::Unknown)?,
    };
    let Some(mut reader) = format.reader() else {
        return statements::read(text, pause);
    };
    let mut unread = Unread::default();
    for (number, line) in (1..).zip(text.lines()) {
        if number % LINES_BETWEEN_PAUSES == 0 {
            pause();
        }
        if !reader.line(line) {
            unread.add(number, line);
        }
    }
    let (runs, notes) = reader.finish()?;
    if runs.is_empty() {
        return Err(ReadError::Nothing(format));
    }
    Ok(Reading {
        runs,
        unread,
        notes,
    })
}

fn recognise(text: &str, pause: &mut dyn FnMut()) -> Option<Format> {
    (1_u64..).zip(text.lines()).find_map(|(number, line)| {
        if number % LINES_BETWEEN_PAUSES == 0 {
            pause();
        }
        Format::ALL
            .into_iter()
            .find(|format| format.claims(line.trim()))
    })
}

#[cfg(test)]
mod described;
#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod pauses;
