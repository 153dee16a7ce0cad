//! The conditions that a single run is expected to meet: `expect => '{"latency_p99_ms": "<= 5", "failed": "= 0"}'`.

use crate::error::{Result, invalid};
use crate::pg::catalog::role::as_owner;
use crate::pg::sql::object::some_members;
use crate::pg::sql::spi;
use measure::metrics::{Source, named};
use serde::Deserialize;
use serde_json::Value;

/// A condition on one metric.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    pub metric: String,
    comparison: Operator,
    pub bound: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Less,
    AtMost,
    Greater,
    AtLeast,
    Equal,
    NotEqual,
}

/// The longer ones come first, since they begin like the shorter ones.
const OPERATORS: [(&str, Operator); 7] = [
    ("<=", Operator::AtMost),
    (">=", Operator::AtLeast),
    ("<>", Operator::NotEqual),
    ("!=", Operator::NotEqual),
    ("<", Operator::Less),
    (">", Operator::Greater),
    ("=", Operator::Equal),
];

impl Expectation {
    fn parse(metric: &str, condition: &Value) -> Result<Expectation> {
        let malformed = || {
            invalid(format!("expect: condition {condition} of \"{metric}\" is not a comparison with a number")).hinting("Conditions are <, <=, =, <>, >= or > and a number: '{\"latency_p99_ms\": \"<= 5\"}'.")
        };
        let text = condition.as_str().ok_or_else(malformed)?.trim();
        let (rest, comparison) = OPERATORS
            .iter()
            .find_map(|(sign, operator)| Some((text.strip_prefix(sign)?, *operator)))
            .ok_or_else(malformed)?;
        let bound: f64 = rest.trim().parse().map_err(|_| malformed())?;
        if !bound.is_finite() {
            return Err(malformed());
        }
        Ok(Expectation {
            metric: metric.to_owned(),
            comparison,
            bound,
        })
    }

    /// Whether a value meets the condition.
    pub fn holds(&self, value: f64) -> bool {
        match self.comparison {
            Operator::Less => value < self.bound,
            Operator::AtMost => value <= self.bound,
            Operator::Greater => value > self.bound,
            Operator::AtLeast => value >= self.bound,
            Operator::Equal => value == self.bound,
            Operator::NotEqual => value != self.bound,
        }
    }

    /// The operator as it was written: `<=`.
    pub fn sign(&self) -> &'static str {
        OPERATORS
            .iter()
            .find(|(_, operator)| *operator == self.comparison)
            .map_or("", |(sign, _)| sign)
    }
}

/// The conditions of the argument `expect`; only their form is checked.
///
/// # Errors
/// It is not an object of conditions.
pub fn parse(expect: &Value) -> Result<Vec<Expectation>> {
    some_members(
        "expect",
        "of metrics with their conditions",
        expect,
        "Such as '{\"latency_p99_ms\": \"<= 5\", \"failed\": \"= 0\"}'.",
    )?
    .iter()
    .map(|(metric, condition)| Expectation::parse(metric, condition))
    .collect()
}

/// Checks the argument `expect` before anything starts: its form, and that the metrics exist. `has_own`: the workload defines
/// metrics of its own.
///
/// # Errors
/// The form is wrong, or a metric does not exist; the hint names the metrics.
pub fn check_argument(expect: Option<&Value>, has_own: bool) -> Result<()> {
    #[derive(Deserialize)]
    struct Known {
        name: String,
    }
    let Some(expect) = expect else {
        return Ok(());
    };
    let expectations = parse(expect)?;
    if has_own {
        return Ok(());
    }
    let known: Vec<Known> = as_owner(|| {
        spi::select(
            "SELECT a.attname AS name FROM pg_catalog.pg_attribute a \
             WHERE a.attrelid = 'pgperf.run_summary'::pg_catalog.regclass AND a.attnum > 0 \
             AND a.atttypid IN ('int4'::pg_catalog.regtype, 'int8'::pg_catalog.regtype, \
                                'float8'::pg_catalog.regtype, 'numeric'::pg_catalog.regtype) \
             AND a.attname NOT IN ('run_id', 'clients', 'scale') \
             UNION SELECT m.metric FROM pgperf.run_metrics m",
            &[],
        )
    })?;
    // This includes metrics that no run has stored yet.
    let is_known = |metric: &str| {
        known.iter().any(|known| known.name == metric) || named(Source::Facts, metric).is_some()
    };
    let unknown = expectations
        .iter()
        .find(|expected| !is_known(&expected.metric));
    match unknown {
        None => Ok(()),
        Some(Expectation { metric, .. }) => Err(invalid(format!(
            "expect: there is no metric \"{metric}\""
        ))
        .hinting(
            "Metrics are the columns of pgperf.run_summary and the metrics in pgperf.run_metrics: \
                 tps, latency_p99_ms, failed, wal_bytes_per_tx ...",
        )),
    }
}
