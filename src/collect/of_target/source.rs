//! How a collector reads a target.

use super::dialect::Dialect;
use crate::collect::collector::{Depth, Reading, Scope};
use crate::error::{Result, unsupported};
use crate::target::inquiry::Row;
use crate::target::standing::Standing;

/// What the queries of a sample depend on.
#[derive(Clone, Copy)]
pub struct Asking<'a> {
    pub standing: &'a Standing,
    pub depth: Depth,
    /// See [`Scope::counting_since`]: that of the sample before; None: it is the first one.
    pub counting_since: Option<&'a str>,
}

impl Asking<'_> {
    pub fn dialect(&self) -> Dialect {
        self.standing.into()
    }
}

/// The queries of a collector for a target, and what their answers are in the history.
#[derive(Clone, Copy)]
pub struct TargetSource {
    /// The first major that has it, as 14; None: all from 9.6 on.
    pub since_major: Option<u32>,
    /// The queries. Each sees names of pg_catalog alone.
    ///
    /// # Errors
    /// Why there is nothing to ask: 0A000.
    pub queries: fn(&Asking) -> Result<Vec<String>>,
    /// Makes rows of the history of theirs.
    pub reading: fn(&Scope, Vec<Vec<Row>>) -> Result<Reading>,
}

impl TargetSource {
    /// The queries, if the target's version has what they read.
    pub fn queries(&self, asking: &Asking) -> Result<Vec<String>> {
        if let Some(major) = self.since_major
            && !asking.dialect().has(major)
        {
            return Err(unsupported(format!(
                "PostgreSQL {} does not count it",
                asking.standing.major()
            ))
            .hinting(format!("It came with PostgreSQL {major}.")));
        }
        (self.queries)(asking)
    }
}

/// The rows of the only query.
pub fn only(answers: Vec<Vec<Row>>) -> Vec<Row> {
    answers.into_iter().next().unwrap_or_default()
}
