//! What a single run is expected to reach: `expect => '{"latency_p99_ms": "<= 5", "failed": "= 0"}'`.

use super::facts::Columns;
use super::gate::{Check, require};
use crate::error::{Error, Result};
use crate::pg::role::as_owner;
use crate::pg::spi;
use crate::report::find::{Found, by_id};
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use serde::Deserialize;
use serde_json::Value;

/// A condition on one metric.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    pub metric: String,
    comparison: Operator,
    bound: f64,
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

/// The longer ones first, as they begin like the shorter ones.
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
            Error::InvalidArgument {
            message: format!("expect: condition {condition} of \"{metric}\" is not a comparison with a number"),
            hint: Some("Conditions are <, <=, =, <>, >= or > and a number: '{\"latency_p99_ms\": \"<= 5\"}'.".to_owned()),
        }
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

    fn holds(&self, value: f64) -> bool {
        match self.comparison {
            Operator::Less => value < self.bound,
            Operator::AtMost => value <= self.bound,
            Operator::Greater => value > self.bound,
            Operator::AtLeast => value >= self.bound,
            Operator::Equal => value == self.bound,
            Operator::NotEqual => value != self.bound,
        }
    }

    /// Whether the run's value meets it; one that is not known does not.
    fn check(&self, value: Option<f64>) -> Check {
        let seen = value.map_or_else(|| "not known".to_owned(), |value| value.to_string());
        let sign = OPERATORS
            .iter()
            .find(|(_, operator)| *operator == self.comparison)
            .map_or("", |(sign, _)| sign);
        let name = format!("{} {sign} {}", self.metric, self.bound);
        Check {
            passed: value.is_some_and(|value| self.holds(value)),
            message: format!("{} is {seen}, expected {sign} {}", self.metric, self.bound),
            name,
        }
    }
}

/// The conditions of the argument `expect`, in their form alone.
///
/// # Errors
/// It is no object of conditions.
fn parse(expect: &Value) -> Result<Vec<Expectation>> {
    match expect {
        Value::Object(conditions) if !conditions.is_empty() => conditions
            .iter()
            .map(|(metric, condition)| Expectation::parse(metric, condition))
            .collect(),
        _ => Err(Error::InvalidArgument {
            message: "expect must be a JSON object of metrics with their conditions".to_owned(),
            hint: Some("Such as '{\"latency_p99_ms\": \"<= 5\", \"failed\": \"= 0\"}'.".to_owned()),
        }),
    }
}

/// Checks the argument `expect` before anything starts: form, and that there are such metrics.
///
/// # Errors
/// See above; the hint names the metrics.
pub fn check_argument(expect: Option<&Value>) -> Result<()> {
    #[derive(Deserialize)]
    struct Known {
        name: String,
    }
    let Some(expect) = expect else {
        return Ok(());
    };
    let expectations = parse(expect)?;
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
    let unknown = expectations
        .iter()
        .find(|expected| !known.iter().any(|known| known.name == expected.metric));
    match unknown {
        None => Ok(()),
        Some(Expectation { metric, .. }) => Err(Error::InvalidArgument {
            message: format!("expect: there is no metric \"{metric}\""),
            hint: Some(
                "Metrics are the columns of pgperf.run_summary and what pgperf.run_metrics holds: \
                 tps, latency_p99_ms, failed, wal_bytes_per_tx ..."
                    .to_owned(),
            ),
        }),
    }
}

/// What became of a run, and what was expected of it.
#[derive(Deserialize)]
struct Reached {
    status: String,
    sqlstate: Option<String>,
    error: Option<String>,
    expect: Option<Value>,
    values: Columns,
}

impl Reached {
    fn of(run: &Found) -> Result<Reached> {
        let reached: Option<Reached> = as_owner(|| {
            spi::select_one(
                "SELECT s.status, r.sqlstate, r.error, NULLIF(r.spec #> '{call,expect}', 'null') AS expect, \
                        COALESCE((SELECT pg_catalog.jsonb_object_agg(m.metric, m.value) FROM pgperf.run_metrics m \
                                  WHERE m.node_id = s.node_id AND m.run_id = s.run_id), '{}') \
                            || pg_catalog.to_jsonb(s) AS values \
                 FROM pgperf.run_summary s JOIN pgperf_internal.stored_runs r USING (node_id, run_id) \
                 WHERE s.node_id = $1::uuid AND s.run_id = $2",
                &[run.node_id.as_str().into(), run.run_id.into()],
            )
        })?;
        reached.ok_or_else(|| Error::UnknownRun {
            run: Some(run.run_id.to_string()),
        })
    }

    /// That it has finished, and all that was expected.
    fn checks(&self) -> Result<Vec<Check>> {
        let reason = [self.sqlstate.as_deref(), self.error.as_deref()];
        let reason: String = reason
            .iter()
            .flatten()
            .map(|part| format!(": {part}"))
            .collect();
        let mut checks = vec![Check {
            name: "finished".to_owned(),
            passed: self.status == "finished",
            message: format!("the run is {}{reason}", self.status),
        }];
        let value = |metric: &str| self.values.get(metric).and_then(Value::as_f64);
        if let Some(expect) = &self.expect {
            checks.extend(
                parse(expect)?
                    .iter()
                    .map(|expected| expected.check(value(&expected.metric))),
            );
        }
        Ok(checks)
    }
}

/// That a run has finished, and what was expected of it, checked.
pub fn checks(run: &Found) -> Result<Vec<Check>> {
    Reached::of(run)?.checks()
}

/// `pgperf.require_expectations`: for CALL pgperf.run, after the report. A run of which nothing was expected must not fail.
#[pg_extern(sql = false)]
fn require_expectations(run_id: Option<i64>) -> std::result::Result<(), ErrorReport> {
    let run = by_id(run_id)?;
    run.check_visible()?;
    let reached = Reached::of(&run)?;
    if reached.expect.is_some() {
        require(format!("run {}", run.run_id), &reached.checks()?)?;
    } else if reached.status == "failed" {
        return Err(Error::RunDidNotFinish {
            run_id: run.run_id,
            status: reached.status,
            sqlstate: reached.sqlstate,
            reason: reached.error,
        }
        .into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn conditions_are_operators_and_numbers() {
        let expected = parse(&json!({"failed": "= 0", "latency_p99_ms": "<=5.5"})).unwrap();
        assert!(expected[0].check(Some(0.0)).passed && !expected[0].check(Some(1.0)).passed);
        assert!(expected[1].check(Some(5.5)).passed && !expected[1].check(Some(5.6)).passed);
        assert!(!expected[1].check(None).passed);
        assert_eq!(
            expected[1].check(Some(7.0)).message,
            "latency_p99_ms is 7, expected <= 5.5"
        );
        for (sign, holds) in [
            ("<", false),
            ("<=", true),
            ("=", true),
            ("!=", false),
            ("<>", false),
            (">=", true),
            (">", false),
        ] {
            let expected = parse(&json!({"tps": format!("{sign} 100")})).unwrap();
            assert_eq!(expected[0].check(Some(100.0)).passed, holds, "{sign}");
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for bad in [
            json!({"tps": "fast"}),
            json!({"tps": "=> 5"}),
            json!({"tps": "< 5 ms"}),
            json!({"tps": 5}),
            json!({"tps": "< inf"}),
            json!({}),
            json!("tps > 5"),
        ] {
            assert!(parse(&bad).is_err(), "{bad}");
        }
    }
}
