//! Whether a single run has reached what was expected of it.

use super::compared_run::Columns;
use super::gate::{Check, require};
use crate::catalog::error::UnknownRun;
use crate::catalog::runs::{ExistingRun, by_id, named};
use crate::error::Result;
use crate::pg::catalog::role::as_owner;
use crate::pg::sql::called::Called;
use crate::pg::sql::spi;
use crate::pg::sql::text::Text;
use crate::run::error::did_not_finish;
use crate::run::request::expectation::{Expectation, parse};
use pgrx::prelude::*;
use serde::Deserialize;
use serde_json::Value;

/// Whether a run's value meets what was expected; one that is not known does not.
fn checked(expected: &Expectation, value: Option<f64>) -> Check {
    let seen = value.map_or_else(|| "not known".to_owned(), |value| value.to_string());
    let (metric, sign, bound) = (&expected.metric, expected.sign(), expected.bound);
    Check {
        name: format!("{metric} {sign} {bound}"),
        passed: value.is_some_and(|value| expected.holds(value)),
        message: format!("{metric} is {seen}, expected {sign} {bound}"),
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
    fn of(run: &ExistingRun) -> Result<Reached> {
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
        reached.ok_or_else(|| {
            UnknownRun {
                run: Some(run.run_id.to_string()),
            }
            .into()
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
                    .map(|expected| checked(expected, value(&expected.metric))),
            );
        }
        Ok(checks)
    }
}

/// That a run has finished, and what was expected of it, checked.
pub fn checks(run: &ExistingRun) -> Result<Vec<Check>> {
    Reached::of(run)?.checks()
}

/// `pgperf.require_expectations(run_id bigint)`.
#[pg_extern(sql = false)]
fn require_expectations(run_id: Option<i64>) -> Called<()> {
    Ok(require_reached(&by_id(run_id)?)?)
}

/// `pgperf.require_expectations(run text)`.
#[pg_extern(sql = false)]
fn require_expectations_by_name(run: Option<Text>) -> Called<()> {
    Ok(require_reached(&named(run.as_deref())?)?)
}

/// For CALL pgperf.run, after the report. A run of which nothing was expected must neither fail nor be interrupted.
fn require_reached(run: &ExistingRun) -> Result<()> {
    run.check_visible()?;
    let reached = Reached::of(run)?;
    if reached.expect.is_some() {
        require(format!("run {}", run.run_id), &reached.checks()?)?;
    } else if ["failed", "interrupted"].contains(&reached.status.as_str()) {
        let (sqlstate, reason) = (reached.sqlstate.as_deref(), reached.error.as_deref());
        return Err(did_not_finish(
            run.run_id,
            &reached.status,
            sqlstate,
            reason,
        ));
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
        assert!(
            checked(&expected[0], Some(0.0)).passed && !checked(&expected[0], Some(1.0)).passed
        );
        assert!(
            checked(&expected[1], Some(5.5)).passed && !checked(&expected[1], Some(5.6)).passed
        );
        assert!(!checked(&expected[1], None).passed);
        assert_eq!(
            checked(&expected[1], Some(7.0)).message,
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
            assert_eq!(checked(&expected[0], Some(100.0)).passed, holds, "{sign}");
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
