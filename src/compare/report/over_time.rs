//! Rates and latencies of both sides over time.

use super::named;
use super::sides::{Sides, StepFigures};
use crate::compare::compared_run::common_work;
use crate::compare::{Comparison, Side};
use crate::show::blocks::{Block, Topic};
use crate::show::charts::{Bands, Point, Series, Shape, Span, TimeChart};
use crate::show::number::Unit;
use crate::show::text::one_line;
use maud::{Markup, html};

const PLACES: [&str; 2] = ["baseline", "candidate"];
/// Colours of baseline and candidate.
const COLORS: [u8; 2] = [7, 1];
/// Characters of a side's name in a legend, at most.
const NAME: usize = 40;

/// The charts, for a page.
pub fn topic(comparison: &Comparison, sides: Option<&Sides>) -> Topic {
    let body = match sides {
        Some(sides) => charts(comparison, sides),
        None => html! { p class="note" { "No interval was stored of any of these runs." } },
    };
    Topic::new("time", "Over time", vec![Block::Page(body)])
}

fn charts(comparison: &Comparison, sides: &Sides) -> Markup {
    let names = names(comparison);
    let work = common_work(comparison.baseline.iter());
    let (title, unit) = work.rate;
    let unit = Unit::Count(unit);
    let mut rates = TimeChart::new(title, unit, points(sides), rates(comparison, sides, &names))
        .with_note(note(comparison))
        .with_height(240.0);
    rates.bands = checkpoints(sides).collect();
    let latency = |title, value: fn(&StepFigures) -> Option<f64>| {
        let lines = lines(sides, &names, value);
        let chart = TimeChart::new(title, Unit::Milliseconds, points(sides), lines);
        chart.with_height(140.0).render()
    };
    html! {
        (rates.render())
        @if work.has_transactions {
            div class="small-charts" {
                (latency("Latency, mean", |step| step.latency_avg_ms))
                (latency("Latency, p95", |step| step.latency_p95_ms))
                (latency("Latency, p99", |step| step.latency_p99_ms))
            }
        }
    }
}

/// The checkpoints of both sides, those of the baseline above, of the candidate below; of a side of which they are not known, none.
fn checkpoints(sides: &Sides) -> impl Iterator<Item = Bands> {
    let each = sides.steps.iter().zip(PLACES).zip(COLORS);
    each.filter_map(|((steps, place), color)| {
        let of_checkpoints = steps.iter().filter(|step| step.in_checkpoint == Some(true));
        let are_known = steps.iter().any(|step| step.in_checkpoint.is_some());
        are_known.then(|| Bands {
            name: format!("{place} checkpoint"),
            color: Some(color),
            spans: Span::joined(of_checkpoints.map(|step| point(sides, step.step))),
        })
    })
}

fn point(sides: &Sides, step: i64) -> Point {
    Point {
        at_s: step as f64 * sides.step_s,
        seconds: sides.step_s,
    }
}

/// The meaning of the lines, where there is more than one run.
fn note(comparison: &Comparison) -> Option<String> {
    let several = comparison.baseline.len() > 1 || comparison.candidate.len() > 1;
    several.then(|| {
        "lines: mean of the side's runs; bands: from its lowest to its highest run".to_owned()
    })
}

/// The names of both sides, short, with their place.
fn names(comparison: &Comparison) -> [String; 2] {
    let of = |side: &str, runs: &[Side]| format!("{side}: {}", one_line(&named(runs), NAME));
    let [baseline, candidate] = PLACES;
    [
        of(baseline, &comparison.baseline),
        of(candidate, &comparison.candidate),
    ]
}

/// All steps from the first to the last.
fn points(sides: &Sides) -> Vec<Point> {
    let last = sides.steps.iter().flatten().map(|step| step.step).max();
    (0..=last.unwrap_or(0))
        .map(|step| point(sides, step))
        .collect()
}

/// One value for each point; None where the side has none.
fn values(
    sides: &Sides,
    steps: &[StepFigures],
    value: impl Fn(&StepFigures) -> Option<f64>,
) -> Vec<Option<f64>> {
    let mut values = vec![None; points(sides).len()];
    for step in steps {
        let place = usize::try_from(step.step).ok();
        if let Some(slot) = place.and_then(|place| values.get_mut(place)) {
            *slot = value(step);
        }
    }
    values
}

fn lines(
    sides: &Sides,
    names: &[String; 2],
    value: fn(&StepFigures) -> Option<f64>,
) -> Vec<Series> {
    let each = sides.steps.iter().zip(names).zip(COLORS);
    each.map(|((steps, name), color)| {
        Series::new(name, color, Shape::Line, values(sides, steps, value))
    })
    .collect()
}

/// Bands below the lines, of sides that have several runs.
fn rates(comparison: &Comparison, sides: &Sides, names: &[String; 2]) -> Vec<Series> {
    let runs = [comparison.baseline.len(), comparison.candidate.len()];
    let mut all = Vec::new();
    for (((steps, runs), place), color) in sides.steps.iter().zip(runs).zip(PLACES).zip(COLORS) {
        let mut band = |what: &str, shape, value: fn(&StepFigures) -> Option<f64>| {
            let name = format!("{place}, {what} run");
            all.push(Series::new(name, color, shape, values(sides, steps, value)));
        };
        if runs > 1 {
            band("lowest", Shape::RangeFrom, |step| Some(step.tps_min));
            band("highest", Shape::RangeTo, |step| Some(step.tps_max));
        }
    }
    all.extend(lines(sides, names, |step| Some(step.tps)));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checkpoints_are_bands_of_the_side_that_knows_them() {
        let step = |step, in_checkpoint| StepFigures {
            step,
            tps: 1.0,
            tps_min: 1.0,
            tps_max: 1.0,
            latency_avg_ms: None,
            in_checkpoint,
            latency_p95_ms: None,
            latency_p99_ms: None,
        };
        let sides = Sides {
            step_s: 2.0,
            steps: [
                vec![
                    step(0, Some(false)),
                    step(1, Some(true)),
                    step(2, Some(true)),
                ],
                vec![step(0, None)],
            ],
        };
        let bands: Vec<Bands> = checkpoints(&sides).collect();
        let span = Span {
            from_s: 2.0,
            to_s: 6.0,
        };
        assert_eq!(bands.len(), 1);
        assert_eq!(
            (bands[0].name.as_str(), bands[0].spans.as_slice()),
            ("baseline checkpoint", [span].as_slice())
        );
    }
}
