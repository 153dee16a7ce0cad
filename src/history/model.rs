//! What was read of a window: the contents of its page, text and document. `docs/history.schema.json` describes it; a unit test
//! keeps the two together.

#[cfg(test)]
mod schema_test;

use super::findings::{self, Finding, Thresholds, judge};
use super::glance::{self, GlanceFigure};
use super::timeline::{self, Occurrence};
use super::window::Window;
use crate::error::Result;
use crate::pg::sql::spi;
use crate::show::section::part::Part;
use crate::show::section::{Section, read};
use crate::show::span::Span;
use crate::show::span::ahead::Statement;
use crate::show::span::samples::Samples;
use crate::subject;
use serde::{Deserialize, Serialize};

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
    /// The server at the window's end; null: it has been started since, or is another one.
    pub server: Option<Server>,
    /// What has to be known before the figures: each a sentence.
    pub notes: Vec<String>,
    /// What stands out, the most urgent first.
    pub findings: Vec<Finding>,
    /// How many more there are of rules and objects that are switched off or muted in `pgperf.finding_rules`.
    pub muted_findings: usize,
    /// The figures to begin with; one that is unknown is not there.
    pub glance: Vec<GlanceFigure>,
    /// What happened, in the order of time.
    pub timeline: Vec<Occurrence>,
    pub sections: Vec<Part>,
    /// Whether the same window a day before can be compared with it.
    #[serde(skip)]
    pub has_day_before: bool,
}

/// The server at the end of a window.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Server {
    pub version: String,
    /// For how long it had been running, in seconds.
    pub uptime_s: f64,
}

/// $1: the window's end. Another start would have been another server, perhaps of another version.
const SERVER: &str = "SELECT pg_catalog.current_setting('server_version') AS version, \
        EXTRACT(epoch FROM $1::pg_catalog.timestamptz - pg_catalog.pg_postmaster_start_time())::pg_catalog.float8 AS uptime_s \
    WHERE pg_catalog.pg_postmaster_start_time() <= $1::pg_catalog.timestamptz";

/// The server of a window's end, as far as it is this one.
fn server(span: &Span) -> Result<Option<Server>> {
    match span.local {
        true => spi::select_one(SERVER, &[span.to.as_str().into()]),
        false => Ok(None),
    }
}

/// $1 to $3: the window.
const DAY_BEFORE: &str = "EXISTS (SELECT FROM pgperf.samples s WHERE s.node_id = $1 \
    AND s.taken_at > $2 - '1 day'::pg_catalog.interval AND s.taken_at <= $3 - '1 day'::pg_catalog.interval)";

/// Of a window that is no run's; a longer one has the day before in it.
fn has_day_before(window: &Window) -> Result<bool> {
    let span = &window.span;
    let is_such = span.local && window.name.is_none() && span.seconds <= 86_400.0;
    Ok(is_such && spi::holds(DAY_BEFORE, &span.key()?)?)
}

/// All sections that are read, those of the glance last.
fn sections() -> Vec<&'static Section> {
    [subject::sections(), &[&glance::SECTION]].concat()
}

/// Reads a window; the current user must be able to read pgperf's tables.
pub fn load(window: Window, samples: &Samples, thresholds: &Thresholds) -> Result<History> {
    let found = judge(samples, thresholds)?;
    let mut sections = read::parts(&sections(), samples)?;
    let glance = glance::figures(&sections);
    sections.truncate(subject::sections().len());
    Ok(History {
        format_version: FORMAT_VERSION,
        pgperf_version: env!("CARGO_PKG_VERSION"),
        notes: window.notes(),
        timeline: timeline::load(samples, &found.findings)?,
        findings: found.findings,
        muted_findings: found.muted,
        server: server(&window.span)?,
        has_day_before: has_day_before(&window)?,
        glance,
        sections,
        window,
    })
}

/// What [`load`] reads of the samples.
pub fn statements(thresholds: &Thresholds) -> Vec<Statement> {
    let mut statements = findings::statements(thresholds);
    statements.extend(read::statements(&sections()));
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
