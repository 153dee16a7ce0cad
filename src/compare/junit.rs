//! `pgperf.report_junit`: a run's checks in the XML that CI systems read.

use super::gate::{self, Check};
use super::{expect, names, of_named};
use crate::catalog::error::UnknownRun;
use crate::catalog::runs::{ExistingRun, by_id, named};
use crate::error::Result;
use crate::pg::catalog::role::as_owner;
use crate::pg::encoding::ascii::with_references;
use crate::pg::sql::called::Called;
use crate::pg::sql::spi;
use crate::pg::sql::text::Text;
use pgrx::prelude::*;
use serde::Deserialize;

/// The suite's properties of the run.
#[derive(Deserialize)]
struct Summary {
    workload: String,
    label: Option<String>,
    duration_s: Option<f64>,
    tps: Option<f64>,
}

/// As the SQL declaration has it.
const DEFAULT_REGRESSION: &str = "5%";

/// `pgperf.report_junit(run_id bigint, …)`.
#[pg_extern(sql = false)]
fn report_junit(
    run_id: Option<i64>,
    baseline: Option<Text>,
    max_regression: Option<Text>,
) -> Called<Text> {
    Ok(of_visible(&by_id(run_id)?, baseline, max_regression)?)
}

/// `pgperf.report_junit(run text, …)`.
#[pg_extern(sql = false)]
fn report_junit_by_name(
    run: Option<Text>,
    baseline: Option<Text>,
    max_regression: Option<Text>,
) -> Called<Text> {
    Ok(of_visible(
        &named(run.as_deref())?,
        baseline,
        max_regression,
    )?)
}

fn of_visible(
    run: &ExistingRun,
    baseline: Option<Text>,
    max_regression: Option<Text>,
) -> Result<Text> {
    run.check_visible()?;
    let document = of_run(
        run,
        baseline.as_deref(),
        max_regression.as_deref().unwrap_or(DEFAULT_REGRESSION),
    )?;
    // The same document in whatever encoding a client receives it.
    Ok(with_references(&document).into())
}

fn of_run(run: &ExistingRun, baseline: Option<&str>, max_regression: &str) -> Result<String> {
    let summary: Option<Summary> = as_owner(|| {
        spi::select_one(
            "SELECT s.workload, s.label, s.duration_s, s.tps FROM pgperf.run_summary s \
             WHERE s.node_id = $1::uuid AND s.run_id = $2",
            &[run.node_id.as_str().into(), run.run_id.into()],
        )
    })?;
    let summary = summary.ok_or_else(|| UnknownRun {
        run: Some(run.run_id.to_string()),
    })?;
    let mut checks = expect::checks(run)?;
    if let Some(baseline) = baseline {
        let limit = gate::limit(max_regression)?;
        let comparison = of_named(
            &[Some(baseline.to_owned())],
            &[names::of_id(Some(run.run_id))],
            None,
        )?;
        super::warn(&comparison);
        checks.extend(
            gate::checks(&comparison, limit, None)?
                .into_iter()
                .map(|check| Check {
                    name: format!("{} against {baseline}", check.name),
                    ..check
                }),
        );
    }
    Ok(document(run.run_id, &summary, &checks))
}

fn document(run_id: i64, summary: &Summary, checks: &[Check]) -> String {
    let suite = format!("pgperf.{}", escaped(&summary.workload));
    let failures = checks.iter().filter(|check| !check.passed).count();
    let seconds = summary.duration_s.unwrap_or(0.0);
    let mut xml = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <testsuite name=\"{suite}\" tests=\"{}\" failures=\"{failures}\" errors=\"0\" skipped=\"0\" time=\"{seconds:.3}\">\n\
         \x20 <properties>\n\
         \x20   <property name=\"run_id\" value=\"{run_id}\"/>\n",
        checks.len()
    );
    let mut property = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            xml += &format!(
                "    <property name=\"{name}\" value=\"{}\"/>\n",
                escaped(&value)
            );
        }
    };
    property("label", summary.label.clone());
    property("tps", summary.tps.map(|tps| format!("{tps:.3}")));
    xml += "  </properties>\n";
    for check in checks {
        let case = format!(
            "  <testcase classname=\"{suite}\" name=\"{}\" time=\"{seconds:.3}\"",
            escaped(&check.name)
        );
        let message = escaped(&check.message);
        xml += &if check.passed {
            format!("{case}/>\n")
        } else {
            format!(
                "{case}>\n    <failure message=\"{message}\">{message}</failure>\n  </testcase>\n"
            )
        };
    }
    xml + "</testsuite>\n"
}

/// Text for XML 1.0, which cannot represent most control characters at all.
fn escaped(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '&' => "&amp;".to_owned(),
            '<' => "&lt;".to_owned(),
            '>' => "&gt;".to_owned(),
            '"' => "&quot;".to_owned(),
            '\n' | '\t' | '\r' => " ".to_owned(),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => "\u{fffd}".to_owned(),
            c => c.to_string(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_and_markup_are_written_down() {
        let check = |name: &str, passed| Check {
            name: name.to_owned(),
            passed,
            message: "p99 is 7, expected <= 5".to_owned(),
        };
        let summary = Summary {
            workload: "a<b".to_owned(),
            label: Some("\"x\" & \u{1}".to_owned()),
            duration_s: Some(1.5),
            tps: None,
        };
        let xml = document(
            7,
            &summary,
            &[check("finished", true), check("p99 <= 5", false)],
        );
        assert!(xml.contains("tests=\"2\" failures=\"1\""));
        assert!(xml.contains("<failure message=\"p99 is 7, expected &lt;= 5\">"));
        assert!(xml.contains("value=\"&quot;x&quot; &amp; \u{fffd}\""));
        assert!(xml.contains("pgperf.a&lt;b"));
        assert_eq!(xml.matches("<testcase").count(), 2);
    }
}
