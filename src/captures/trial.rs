//! `pgperf.test_statements`: the statements of a capture, each with values that it had, under two configurations in turns.

mod sampling;
mod side;

use super::stored::{Stored, check_reads_all};
use crate::error::{Error, Result, hinted, invalid};
use crate::pg::sql::called::Called;
use crate::pg::sql::interval::{Seconds, in_range};
use crate::pg::sql::{arguments, rows};
use measure::statistics::{LEVEL, benjamini_hochberg, paired};
use pgrx::prelude::*;
use sampling::{Chosen, choose};
use script::without_literals;
use serde::{Deserialize, Serialize};
use side::{Figures, Side};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// The step of the times that EXPLAIN tells.
const RESOLUTION_MS: f64 = 0.001;

/// The arguments of `test_statements`.
#[derive(Deserialize)]
struct Arguments {
    capture: Option<String>,
    baseline: Option<BTreeMap<String, String>>,
    candidate: Option<BTreeMap<String, String>>,
    baseline_sql: Option<String>,
    candidate_sql: Option<String>,
    statements: Option<i32>,
    samples: Option<i32>,
    repetitions: Option<i32>,
    writes: Option<bool>,
    budget: Option<Seconds>,
}

/// A statement with what it did on both sides.
#[derive(Default, Serialize)]
struct Tested {
    statement: String,
    calls: i64,
    captured_ms: f64,
    tested: i32,
    baseline_ms: Option<f64>,
    candidate_ms: Option<f64>,
    change_percent: Option<f64>,
    ci_low_percent: Option<f64>,
    ci_high_percent: Option<f64>,
    verdict: Option<&'static str>,
    #[serde(skip)]
    p: Option<f64>,
    baseline_blocks: Option<f64>,
    candidate_blocks: Option<f64>,
    plan_changed: Option<bool>,
    error: Option<String>,
}

/// `pgperf.test_statements`.
#[pg_extern(sql = false)]
fn test_statements(fcinfo: pg_sys::FunctionCallInfo) -> Called<()> {
    let tested = test(arguments::read(arguments::by_name(fcinfo)?)?)?;
    Ok(rows::give(fcinfo, tested)?)
}

fn test(given: Arguments) -> Result<Vec<Tested>> {
    let at_least =
        |name: &str, value: Option<i32>, default: i32, least: i32| match value.unwrap_or(default) {
            value if value < least => Err(invalid(format!(
                "{name} must be at least {least}, not {value}"
            ))),
            value => Ok(value as usize),
        };
    let count = at_least("statements", given.statements, 20, 1)?;
    let samples = at_least("samples", given.samples, 20, 2)?;
    let repetitions = at_least("repetitions", given.repetitions, 3, 1)?;
    let budget = in_range("budget", given.budget, 1.0)?.unwrap_or(60.0);
    let name = given.capture.ok_or_else(|| {
        hinted(
            "capture must not be NULL",
            "It is the name of a capture: test_statements('monday').",
        )
    })?;
    let sides = [
        Side::new(given.baseline, given.baseline_sql, given.writes),
        Side::new(given.candidate, given.candidate_sql, given.writes),
    ];
    if sides[0] == sides[1] {
        return Err(hinted(
            "baseline and candidate are the same",
            "Give settings, as in candidate => '{\"work_mem\": \"64MB\"}', or SQL, as in candidate_sql => 'CREATE INDEX …'.",
        ));
    }
    let stored = Stored::named(&name)?;
    stored.check_control()?;
    check_reads_all("read a capture")?;
    // What cannot be configured is an error before anything runs.
    for side in &sides {
        side.within(|| ())?;
    }
    let capture = stored.read()?;
    let chosen = choose(&capture, count, samples, given.writes == Some(true));
    let ends = Instant::now() + Duration::from_secs_f64(budget);
    let mut figures: Vec<Vec<[Vec<Figures>; 2]>> = chosen
        .iter()
        .map(|it| vec![Default::default(); it.samples.len()])
        .collect();
    let mut errors: Vec<Option<String>> = vec![None; chosen.len()];
    // The first round finds what is not in memory yet, and does not count.
    for round in 0..=repetitions {
        if Instant::now() >= ends {
            break;
        }
        // Which side comes first changes from round to round.
        for turn in 0..2 {
            let at = (round + turn) % 2;
            sides[at].within(|| {
                for (statement, (figures, error)) in
                    chosen.iter().zip(figures.iter_mut().zip(&mut errors))
                {
                    if error.is_some() {
                        continue;
                    }
                    *error = run(statement, &sides[at], ends, |sample, done| {
                        if round > 0 {
                            figures[sample][at].push(done);
                        }
                    })?;
                }
                Ok::<(), Error>(())
            })??;
        }
    }
    let tested = chosen.iter().zip(figures.iter().zip(errors));
    let mut tested: Vec<Tested> = tested
        .map(|(statement, (figures, error))| statement.tested(figures, error))
        .collect();
    judge(&mut tested);
    Ok(tested)
}

/// Of many statements, some seem to differ by chance: at most one of twenty that are called so does.
fn judge(tested: &mut [Tested]) {
    let judged: Vec<&mut Tested> = tested.iter_mut().filter(|it| it.p.is_some()).collect();
    let p: Vec<f64> = judged.iter().filter_map(|it| it.p).collect();
    for (tested, p) in judged.into_iter().zip(benjamini_hochberg(&p)) {
        tested.verdict = Some(match tested.change_percent {
            Some(change) if p < LEVEL && change > 0.0 => "slower",
            Some(change) if p < LEVEL && change < 0.0 => "faster",
            _ => "not clear",
        });
    }
}

/// Runs each sample of a statement once, until the budget is over. The error of the first that has one.
fn run(
    statement: &Chosen,
    side: &Side,
    ends: Instant,
    mut done: impl FnMut(usize, Figures),
) -> Result<Option<String>> {
    let in_time = |_: &_| Instant::now() < ends;
    for (number, sample) in statement.samples.iter().enumerate().take_while(in_time) {
        match side.run(&statement.text, sample)? {
            Ok(figures) => done(number, figures),
            Err(message) => return Ok(Some(message)),
        }
    }
    Ok(None)
}

impl Chosen<'_> {
    fn tested(&self, figures: &[[Vec<Figures>; 2]], error: Option<String>) -> Tested {
        let tested = Tested {
            statement: without_literals(&self.text),
            calls: self.calls,
            captured_ms: self.took_ms / self.calls as f64,
            error,
            ..Tested::default()
        };
        // Samples that ran on both sides.
        let both: Vec<&[Vec<Figures>; 2]> = figures
            .iter()
            .filter(|it| it.iter().all(|side| !side.is_empty()))
            .collect();
        if both.is_empty() {
            let late = || Some("the budget was over before it was tested".to_owned());
            return Tested {
                error: tested.error.or_else(late),
                ..tested
            };
        }
        let of = |at: usize, figure: fn(&Figures) -> f64| -> Vec<f64> {
            both.iter()
                .map(|sides| median(sides[at].iter().map(figure).collect()))
                .collect()
        };
        let (baseline, candidate) = (of(0, |it| it.ms), of(1, |it| it.ms));
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        // Times are told in thousandths of a millisecond.
        let change = paired(&baseline, &candidate, RESOLUTION_MS);
        let interval = change.and_then(|it| it.interval);
        let percent = |share: f64| 100.0 * share;
        let plans = |at: usize| -> Vec<&String> {
            both.iter()
                .filter_map(|sides| sides[at].first())
                .map(|it| &it.plan)
                .collect()
        };
        Tested {
            tested: both.len() as i32,
            baseline_ms: Some(mean(&baseline)),
            candidate_ms: Some(mean(&candidate)),
            change_percent: change.and_then(|it| it.change).map(percent),
            ci_low_percent: interval.map(|(low, _)| percent(low)),
            ci_high_percent: interval.map(|(_, high)| percent(high)),
            p: change.map(|it| it.p),
            baseline_blocks: Some(mean(&of(0, |it| it.blocks))),
            candidate_blocks: Some(mean(&of(1, |it| it.blocks))),
            plan_changed: Some(plans(0) != plans(1)),
            ..tested
        }
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() % 2 {
        0 => f64::midpoint(values[middle - 1], values[middle]),
        _ => values[middle],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), 2.5);
    }

    #[test]
    fn what_is_twice_as_slow_in_each_sample_is_slower() {
        let figures = |ms: f64, blocks: f64, plan: &str| Figures {
            ms,
            blocks,
            plan: plan.to_owned(),
        };
        let chosen = Chosen {
            text: "SELECT 1".to_owned(),
            calls: 4,
            took_ms: 8.0,
            samples: Vec::new(),
        };
        let samples: Vec<[Vec<Figures>; 2]> = (1..=10)
            .map(|no| {
                [
                    vec![figures(f64::from(no), 1.0, "a")],
                    vec![figures(f64::from(2 * no), 3.0, "b")],
                ]
            })
            .collect();
        let mut tested = [chosen.tested(&samples, None)];
        judge(&mut tested);
        let [tested] = tested;
        let change = tested.change_percent.unwrap_or_default();
        assert!((change - 100.0).abs() < 1e-9, "{change}");
        assert_eq!(
            (tested.verdict, tested.plan_changed, tested.tested),
            (Some("slower"), Some(true), 10)
        );
        assert_eq!(
            (
                tested.captured_ms,
                tested.baseline_blocks,
                tested.candidate_blocks
            ),
            (2.0, Some(1.0), Some(3.0))
        );
        let none = chosen.tested(&[Default::default()], None);
        assert!(none.p.is_none() && none.error.is_some());
    }
}
