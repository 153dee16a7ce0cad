//! What was read of a window: the contents of its page, text and document. `docs/history.schema.json` describes it; a unit test
//! keeps the two together.

#[cfg(test)]
mod schema_test;

use super::findings::{self, Finding, Thresholds, judge};
use super::window::Window;
use crate::error::Result;
use crate::show::section::part::Part;
use crate::show::section::read;
use crate::show::span::ahead::Statement;
use crate::show::span::samples::Samples;
use crate::subject;
use serde::Serialize;

/// Changes when a reader of an older document would misread a newer one.
const FORMAT_VERSION: u32 = 1;

/// A window of the history. Absent values are null.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct History {
    /// Changes when a reader of an older document would misread a newer one.
    pub format_version: u32,
    /// The version of pgperf that wrote the document.
    pub pgperf_version: &'static str,
    pub window: Window,
    /// What has to be known before the figures: each a sentence.
    pub notes: Vec<String>,
    /// What stands out, the weightiest first.
    pub findings: Vec<Finding>,
    /// How many more there are of rules and objects that are switched off or muted in `pgperf.finding_rules`.
    pub muted_findings: usize,
    pub sections: Vec<Part>,
}

/// Reads a window; the current user must be able to read pgperf's tables.
pub fn load(window: Window, samples: &Samples) -> Result<History> {
    let found = judge(samples)?;
    Ok(History {
        format_version: FORMAT_VERSION,
        pgperf_version: env!("CARGO_PKG_VERSION"),
        notes: window.notes(),
        findings: found.findings,
        muted_findings: found.muted,
        sections: read::parts(subject::sections(), samples)?,
        window,
    })
}

/// What [`load`] reads of the samples.
pub fn statements(thresholds: &Thresholds) -> Vec<Statement> {
    let mut statements = findings::statements(thresholds);
    statements.extend(read::statements(subject::sections()));
    statements
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::show::span::ahead;

    #[test]
    fn a_page_has_work_for_all_readers() {
        let statements = statements(&Thresholds::defaults());
        let count = statements.len();
        let [early, late, own] = ahead::shares(statements);
        assert_eq!(early + late + own, count);
        assert!(early > 5 && late > 20, "{early} and {late}");
    }
}
