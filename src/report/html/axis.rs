//! The time axis of a run's charts: with its checkpoints and disturbances.

use crate::report::model::{Interval, Report};
use crate::report::stored_run::Statement;
use crate::report::topics::disturbances;
use crate::show::charts::{Bands, Mark, MarkKind, Span};
use crate::show::section::page::Axis;

/// Checkpoints are known from the run's intervals.
pub fn of(report: &Report) -> Axis {
    let intervals = report.timeline.iter().flat_map(|t| &t.intervals);
    let intervals: Vec<&Interval> = intervals.collect();
    let are_known = intervals.iter().any(|i| i.in_checkpoint.is_some());
    Axis {
        checkpoints: are_known.then(|| Bands::new("checkpoint", spans(&intervals))),
        marks: disturbances::marks(&report.facts.disturbances)
            .into_iter()
            .chain(steps(&report.facts.statements))
            .collect(),
        ..Axis::default()
    }
}

/// Where the steps of a load began.
fn steps(statements: &[Statement]) -> impl Iterator<Item = Mark> {
    statements.iter().filter_map(|step| {
        Some(Mark {
            // The first one begins with the load, but for the unevenness of clocks.
            at_s: step.at_s?.max(0.0),
            kind: MarkKind::Step,
            text: step.statement.clone(),
        })
    })
}

/// Stretches in a row in which there was a checkpoint are one span.
fn spans(intervals: &[&Interval]) -> Vec<Span> {
    let of_checkpoints = intervals.iter().filter(|i| i.in_checkpoint == Some(true));
    Span::joined(of_checkpoints.map(|interval| interval.point()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn interval(at_s: f64, in_checkpoint: Option<bool>) -> Interval {
        serde_json::from_value(json!({"at_s": at_s, "seconds": 1.0, "transactions": 1, "tps": 1.0, "tps_min": 1.0, "tps_max": 1.0,
            "latency_avg_ms": null, "latency_max_ms": null, "failed": 0, "retried": 0, "skipped": 0, "in_checkpoint": in_checkpoint}))
        .unwrap()
    }

    #[test]
    fn steps_that_began_are_marked() {
        let step = |name: &str, at_s: Option<f64>| -> Statement {
            serde_json::from_value(
                json!({"script_no": 0, "statement": name, "is_sql": true, "at_s": at_s}),
            )
            .unwrap()
        };
        let all = [
            step("drop tables", Some(-0.001)),
            step("vacuum", Some(3.5)),
            step("primary keys", None),
        ];
        let marks: Vec<(f64, String)> = steps(&all).map(|mark| (mark.at_s, mark.text)).collect();
        assert_eq!(
            marks,
            [(0.0, "drop tables".to_owned()), (3.5, "vacuum".to_owned())]
        );
    }

    #[test]
    fn intervals_in_a_row_are_one_band() {
        let yes = Some(true);
        let intervals = [
            interval(0.0, yes),
            interval(1.000_001, yes),
            interval(2.0, Some(false)),
            interval(3.0, None),
            interval(4.0, yes),
            // The server was away in between.
            interval(60.0, yes),
        ];
        let found = spans(&intervals.iter().collect::<Vec<_>>());
        let ends: Vec<(f64, f64)> = found.iter().map(|span| (span.from_s, span.to_s)).collect();
        assert_eq!(ends, [(0.0, 2.000_001), (4.0, 5.0), (60.0, 61.0)]);
    }
}
