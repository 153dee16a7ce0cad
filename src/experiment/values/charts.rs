//! The charts of a sweep by values: bars of one setting, heat maps of several, usage counts of buffers.

use super::buffers::Held;
use super::report::{after_mean, title, written};
use super::{Axis, Figure, Group, Spread};
use crate::show::charts::{Bars, Grid, GridCell, ValueBar};
use crate::show::number::{Unit, bytes, decimals};
use maud::{Markup, html};

/// The colours of the baseline, and of the others.
const BASELINE: u8 = 7;
const OTHERS: u8 = 1;
/// Those of usage counts: shades of one, since they have an order.
const COUNTS: [u8; 6] = [10, 11, 12, 13, 14, 15];

/// A figure at all values; nothing without any.
pub fn of_figure(group: &Group, figure: &Figure) -> Markup {
    match group.axes.as_slice() {
        [axis] => bars(group, axis, figure),
        _ => maps(group, figure),
    }
}

fn bars(group: &Group, axis: &Axis, figure: &Figure) -> Markup {
    let unit = unit(figure);
    let of_value = |place: usize, name: &str| {
        let spread = group
            .at(&[place])
            .and_then(|point| figure.values.get(point))?;
        let color = if place == axis.baseline {
            BASELINE
        } else {
            OTHERS
        };
        let change = spread
            .change
            .change()
            .map(|change| format!("{change} from the grey bar"));
        let mean = format!("{}{}", unit.write(spread.mean?), after_mean(spread));
        let head = format!("{}={name}", axis.name);
        let bar = ValueBar {
            name: name.to_owned(),
            parts: vec![(color, spread.mean?)],
            interval: interval(spread),
            told: [head, mean].into_iter().chain(change).collect(),
        };
        Some((place, bar, row(name, spread, unit)))
    };
    let values = axis.names().into_iter().enumerate();
    let shown: Vec<(usize, ValueBar, Vec<String>)> = values
        .filter_map(|(place, name)| of_value(place, name))
        .collect();
    let numbers = axis.amounts().map(|amounts| {
        let places = shown.iter().filter_map(|(place, ..)| amounts.get(*place));
        places.copied().collect()
    });
    let title = format!("{} by {}", title(figure), axis.name);
    let has_intervals = shown.iter().any(|(_, bar, _)| bar.interval.is_some());
    let note = match has_intervals {
        true => {
            "bars: mean of the runs; lines: its 95 % interval; grey: what the others are compared with"
        }
        false => "bars: one run each; grey: what the others are compared with",
    };
    let told = |(_, bar, _): &(usize, ValueBar, _)| bar.told.join(" ");
    Bars {
        title: &title,
        note,
        summary: format!(
            "{title}: {}",
            shown.iter().map(told).collect::<Vec<_>>().join("; ")
        ),
        unit,
        legend: Vec::new(),
        heads: [
            axis.name.as_str(),
            "mean",
            "95 % interval",
            "change",
            "runs",
        ]
        .map(str::to_owned)
        .to_vec(),
        rows: shown.iter().map(|(.., row)| row.clone()).collect(),
        bars: shown.into_iter().map(|(_, bar, _)| bar).collect(),
        numbers,
        height: 220.0,
    }
    .render()
}

fn row(name: &str, spread: &Spread, unit: Unit) -> Vec<String> {
    let dash = || "-".to_owned();
    vec![
        name.to_owned(),
        spread.mean.map_or_else(dash, |mean| unit.write(mean)),
        interval(spread).map_or_else(dash, |(low, high)| {
            format!("{} to {}", unit.write(low), unit.write(high))
        }),
        spread.change.change().unwrap_or_else(dash),
        spread.of_runs.len().to_string(),
    ]
}

fn interval(spread: &Spread) -> Option<(f64, f64)> {
    spread.ci_low.zip(spread.ci_high)
}

/// A map of the last two axes for each combination of the others, all with the same shades.
fn maps(group: &Group, figure: &Figure) -> Markup {
    let Some((_, [down, across])) = group.axes.split_last_chunk::<2>() else {
        return html! {};
    };
    let means = || figure.values.iter().filter_map(|spread| spread.mean);
    let (Some(low), Some(high)) = (means().reduce(f64::min), means().reduce(f64::max)) else {
        return html! {};
    };
    let goodness = |mean: f64| {
        let share = if high > low {
            (mean - low) / (high - low)
        } else {
            1.0
        };
        if figure.better == Some("lower") {
            1.0 - share
        } else {
            share
        }
    };
    let cell = |places: &[usize]| {
        let spread = group
            .at(places)
            .and_then(|point| figure.values.get(point))?;
        Some(GridCell {
            share: goodness(spread.mean?),
            text: written(figure, spread.mean?),
            more: spread.change.change().unwrap_or_default(),
        })
    };
    let others = group.axes.len() - 2;
    let mut outer: Vec<Vec<usize>> = group
        .points
        .iter()
        .filter_map(|point| Some(point.places.get(..others)?.to_vec()))
        .collect();
    outer.dedup();
    html! {
        div class="columns" {
            @for outer in outer {
                @let names: Vec<String> = group.axes.iter().zip(&outer).filter_map(|(axis, place)| {
                    Some(format!("{}={}", axis.name, axis.names().get(*place)?))
                }).collect();
                @let title = std::iter::once(title(figure)).chain(names).collect::<Vec<_>>().join(", ");
                (Grid {
                    title: &title,
                    note: "mean of the runs, change from the baseline; the stronger the colour, the better",
                    dimensions: [&down.name, &across.name],
                    columns: across.names(),
                    rows: (down.names().into_iter().enumerate()).map(|(row, name)| {
                        let of_row = (0..across.values.len()).map(|column| cell(&[&outer[..], &[row, column]].concat()));
                        (name, of_row.collect())
                    }).collect(),
                }.render())
            }
        }
    }
}

fn unit(figure: &Figure) -> Unit {
    match figure.unit {
        "ms" => Unit::Milliseconds,
        "%" => Unit::Percent,
        "bytes" => Unit::Bytes,
        _ if figure.metric == "tps" => Unit::Count("tps"),
        unit => Unit::Count(unit),
    }
}

/// What `shared_buffers` held at each value, by usage count: of all, and of each of the largest relations.
pub fn of_buffers(group: &Group) -> Markup {
    let all = chart_of(group, "All pages", 220.0, |held| Some(held.by_usage_count));
    let relations = group.buffers.first().map(|held| held.relations.as_slice());
    let relations = relations.unwrap_or_default().iter().enumerate();
    html! {
        (all)
        div class="small-charts" {
            @for (place, relation) in relations {
                (chart_of(group, &relation.relation, 120.0, |held| {
                    held.relations.get(place).map(|it| it.by_usage_count)
                }))
            }
        }
    }
}

fn chart_of(
    group: &Group,
    title: &str,
    height: f64,
    counts: impl Fn(&Held) -> Option<[f64; 6]>,
) -> Markup {
    let bar = |held: &Held| {
        let counts = counts(held)?;
        let share = |bytes: f64| 100.0 * bytes / held.bytes.max(1.0);
        let part = |(count, size): (usize, f64)| {
            format!(
                "{count}: {} ({} %)",
                bytes(size),
                decimals(Some(share(size)), 1)
            )
        };
        let name = group.name_of(held.point_no);
        let mut told = vec![name.clone()];
        told.extend(counts.into_iter().enumerate().rev().map(part));
        Some(ValueBar {
            name,
            parts: COUNTS.into_iter().zip(counts.map(share)).collect(),
            interval: None,
            told,
        })
    };
    let bars: Vec<ValueBar> = group.held().filter_map(bar).collect();
    let numbers = match group.axes.as_slice() {
        [axis] if bars.len() == axis.values.len() => axis.amounts(),
        _ => None,
    };
    let mut heads = vec![String::new()];
    heads.extend(
        (0..COUNTS.len())
            .rev()
            .map(|count| format!("usage count {count}")),
    );
    let legend = COUNTS
        .into_iter()
        .enumerate()
        .map(|(count, color)| (color, format!("usage count {count}")));
    Bars {
        title,
        note: if height > 150.0 {
            "percent of shared_buffers"
        } else {
            ""
        },
        summary: format!(
            "{title}: percent of shared_buffers by usage count; the figures are in the table"
        ),
        unit: Unit::Percent,
        legend: if height > 150.0 {
            legend.collect()
        } else {
            Vec::new()
        },
        heads,
        rows: bars.iter().map(|bar| bar.told.clone()).collect(),
        bars,
        numbers,
        height,
    }
    .render()
}
