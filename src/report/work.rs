//! The kinds of work of runs (`pgperf.runs.kind`), and how reports show each. There is one entry for each kind, so that no
//! page, text or comparison has to test for the kind.

use super::stored_run::{Facts, Run};
use super::text;
use super::topics::figures::{self, KeyFigure};
use crate::pg::sql::options::Options as _;
use crate::run::request::options::Options;
use crate::run::request::start_load;

/// A kind of work in words, and how its figures are shown.
pub struct Work {
    /// Above the title of a page.
    pub name: &'static str,
    /// What does it, of which a run has several.
    pub worker: &'static str,
    /// The title of a chart of the rate, and its unit.
    pub rate: (&'static str, &'static str),
    /// What its commands are called.
    pub commands: &'static str,
    /// The call that starts it.
    pub call: &'static str,
    /// The names of that call's arguments, in their order.
    pub arguments: fn() -> Vec<&'static str>,
    /// What a comparison judges by.
    pub headline: &'static str,
    /// It does the work that there is, however long that takes.
    pub is_of_fixed_size: bool,
    /// It consists of transactions, whose latencies, query mode and random seed are of interest.
    pub has_transactions: bool,
    /// It consists of steps, one after the other.
    pub has_steps: bool,
    /// The report's paragraphs: first pgbench's, then the others. `unicode`: as for [`text::lines`].
    pub paragraphs: fn(&Facts, unicode: bool) -> Vec<Vec<String>>,
    /// The figures that are looked at first.
    pub figures: fn(&Facts) -> Vec<Option<KeyFigure>>,
}

static SCRIPTS: Work = Work {
    name: "pgperf run",
    worker: "client",
    rate: ("Transactions per second", "tps"),
    commands: "Statements",
    call: "SELECT pgperf.start_run",
    arguments: || Options::NAMES.to_vec(),
    headline: "tps",
    is_of_fixed_size: false,
    has_transactions: true,
    has_steps: false,
    paragraphs: text::details::paragraphs,
    figures: figures::of_transactions,
};

static LOAD: Work = Work {
    name: "pgperf load",
    worker: "loading worker",
    rate: ("Rows per second", "rows/s"),
    commands: "Steps",
    call: "CALL pgperf.init",
    arguments: || {
        start_load::arguments()
            .iter()
            .map(|argument| argument.name)
            .collect()
    },
    headline: "duration_s",
    is_of_fixed_size: true,
    has_transactions: false,
    has_steps: true,
    paragraphs: text::load::paragraphs,
    figures: figures::of_load,
};

impl Work {
    /// Of a kind as it is stored.
    pub fn of(kind: &str) -> &'static Work {
        match kind {
            "load" => &LOAD,
            _ => &SCRIPTS,
        }
    }
}

impl Run {
    /// What it did.
    pub fn work(&self) -> &'static Work {
        Work::of(&self.kind)
    }
}
