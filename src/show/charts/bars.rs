//! Bars of values beside each other: means with their 95 % intervals, or parts on top of each other.

use super::figure::{ChartFrame, hovers, percent, short, value_axis};
use super::key::Key;
use super::scale::Scale;
use crate::show::number::Unit;
use crate::show::text::one_line;
use maud::{Markup, html};

/// The bar of one value.
#[derive(Debug, Clone)]
pub struct ValueBar {
    /// Below it.
    pub name: String,
    /// From the bottom up: colours and heights.
    pub parts: Vec<(u8, f64)>,
    /// Ends of a line over the bar.
    pub interval: Option<(f64, f64)>,
    /// Where the pointer is.
    pub told: Vec<String>,
}

/// Bars from left to right.
#[derive(Debug, Clone)]
pub struct Bars<'a> {
    pub title: &'a str,
    pub note: &'a str,
    /// What the chart shows, in a sentence.
    pub summary: String,
    pub unit: Unit,
    /// Colours and what they stand for.
    pub legend: Vec<(u8, String)>,
    pub bars: Vec<ValueBar>,
    /// Where the bars belong on an axis of numbers; None: side by side.
    pub numbers: Option<Vec<f64>>,
    pub heads: Vec<String>,
    pub rows: Vec<Vec<String>>,
    /// Pixels.
    pub height: f64,
}

/// Characters that a phone has room for below a chart.
const ROOM: usize = 42;
/// Pixels of a line of labels.
const LINE: f64 = 14.0;
/// The widest bar, as a share of the chart.
const WIDEST: f64 = 0.14;

impl Bars<'_> {
    /// The chart; nothing without bars.
    pub fn render(&self) -> Markup {
        let tops = self.bars.iter().map(|bar| {
            let whole = bar.parts.iter().map(|(_, part)| part).sum::<f64>();
            bar.interval.map_or(whole, |(_, high)| high.max(whole))
        });
        let Some(highest) = tops.reduce(f64::max) else {
            return html! {};
        };
        let scale = Scale::linear(0.0, highest, self.unit);
        let y = |value: f64| self.height * (1.0 - scale.position(value));
        let columns = Columns::of(self.numbers.as_deref(), self.bars.len());
        let labels = labels(self.bars.iter().map(|bar| bar.name.as_str()));
        let lines = labels
            .iter()
            .flatten()
            .map(|(line, _)| *line)
            .max()
            .unwrap_or(0);
        let axis =
            (columns.is_logarithmic && !self.note.is_empty()).then_some("; logarithmic axis");
        let note = format!("{}{}", self.note, axis.unwrap_or_default());
        let frame = ChartFrame {
            title: self.title,
            note: (!note.is_empty()).then_some(note.as_str()),
            summary: self.summary.clone(),
            legend: (self.legend.iter())
                .map(|(color, name)| (Key::shape("area", *color), name.clone()))
                .collect(),
            height: self.height + f64::from(lines) * LINE,
            heads: self.heads.iter().map(String::as_str).collect(),
            rows: self.rows.clone(),
        };
        frame.around(html! {
            (value_axis(&scale, self.unit, self.height))
            g class="bars" {
                @for (bar, at) in self.bars.iter().zip(&columns.places) {
                    @let left = percent(at - columns.width / 2.0);
                    @for (color, from, to) in stacked(&bar.parts) {
                        @let (top, bottom) = (y(to), y(from));
                        @if bottom > top {
                            rect class={ "column c" (color) } x=(left) width=(percent(columns.width)) y=(short(top)) height=(short(bottom - top)) {}
                        }
                    }
                    @if let Some((low, high)) = bar.interval {
                        line class="whisker" x1=(percent(*at)) x2=(percent(*at)) y1=(short(y(low))) y2=(short(y(high))) {}
                    }
                }
            }
            g class="axis" {
                line class="tick" x2="100%" y1=(self.height) y2=(self.height) {}
                @for (label, at) in labels.iter().zip(&columns.places) {
                    @if let Some((line, label)) = label {
                        text x=(percent(*at)) y=(self.height + 19.0 + f64::from(*line) * LINE) text-anchor="middle" { (label) }
                    }
                }
            }
            (hovers(&columns.places, self.height, |place| self.bars.get(place).map(|bar| bar.told.clone()).unwrap_or_default()))
        })
    }
}

/// Each part with where it begins and ends.
fn stacked(parts: &[(u8, f64)]) -> Vec<(u8, f64, f64)> {
    let mut from = 0.0;
    let part = |(color, height): &(u8, f64)| {
        let begins = from;
        from += height;
        (*color, begins, from)
    };
    parts.iter().map(part).collect()
}

/// Where bars stand, as shares of the width.
#[derive(Debug, PartialEq)]
struct Columns {
    /// Their middles.
    places: Vec<f64>,
    width: f64,
    /// Whether they are the logarithms of their numbers.
    is_logarithmic: bool,
}

impl Columns {
    /// On a linear or a logarithmic axis of the numbers, whichever keeps neighbours further apart, or evenly where they would be too close.
    fn of(numbers: Option<&[f64]>, count: usize) -> Columns {
        let even = 1.0 / count.max(1) as f64;
        let axes = numbers.into_iter().flat_map(|numbers| {
            let is_above_0 = numbers.iter().all(|number| *number > 0.0);
            let logarithms =
                is_above_0.then(|| (true, numbers.iter().map(|number| number.ln()).collect()));
            // Of equals the last is taken.
            logarithms.into_iter().chain([(false, numbers.to_vec())])
        });
        let placed = axes.filter_map(|(is_logarithmic, numbers): (bool, Vec<f64>)| {
            Some((is_logarithmic, shares(&numbers)?))
        });
        let placed = placed.max_by(|(_, a), (_, b)| gap(a).total_cmp(&gap(b)));
        // Half of what equal steps would have.
        let placed = placed.filter(|(_, shares)| gap(shares) * (count as f64 - 1.0) >= 0.5);
        match placed {
            Some((is_logarithmic, shares)) => Columns {
                is_logarithmic,
                width: (0.7 * gap(&shares) * (1.0 - even)).min(WIDEST),
                places: shares
                    .iter()
                    .map(|share| even / 2.0 + share * (1.0 - even))
                    .collect(),
            },
            None => Columns {
                is_logarithmic: false,
                places: (0..count)
                    .map(|place| (place as f64 + 0.5) * even)
                    .collect(),
                width: (0.7 * even).min(WIDEST),
            },
        }
    }
}

/// Numbers in ascending order as shares of the way from the first to the last; None: there is no way.
fn shares(numbers: &[f64]) -> Option<Vec<f64>> {
    let (low, high) = (numbers.first()?, numbers.last()?);
    (high > low).then(|| {
        numbers
            .iter()
            .map(|number| (number - low) / (high - low))
            .collect()
    })
}

/// The shortest distance of neighbours.
fn gap(shares: &[f64]) -> f64 {
    let gaps = shares.windows(2).map(|pair| match pair {
        [a, b] => b - a,
        _ => 1.0,
    });
    gaps.fold(1.0, f64::min)
}

/// The labels with their lines, from 0: two where one has no room for all, and of many only some.
fn labels<'a>(names: impl Iterator<Item = &'a str>) -> Vec<Option<(u8, String)>> {
    let names: Vec<&str> = names.collect();
    let count = names.len().max(1);
    let cut = (2 * ROOM / count).max(8);
    let names: Vec<String> = names.iter().map(|name| one_line(name, cut)).collect();
    let longest = names.iter().map(|name| name.chars().count() + 1).max();
    let needed = longest.unwrap_or(0) * count;
    let lines = if needed > ROOM { 2 } else { 1 };
    let every = needed.div_ceil(lines * ROOM).max(1);
    let label = |(place, name)| {
        let line = (place / every) % lines;
        (place % every == 0).then_some((line as u8, name))
    };
    names.into_iter().enumerate().map(label).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(name: &str, parts: &[(u8, f64)]) -> ValueBar {
        ValueBar {
            name: name.to_owned(),
            parts: parts.to_vec(),
            interval: Some((5.0, 15.0)),
            told: vec![format!("about {name}")],
        }
    }

    #[test]
    fn a_value_is_a_bar_with_its_interval() {
        let chart = Bars {
            title: "Throughput",
            note: "",
            summary: "two bars".to_owned(),
            unit: Unit::Count("tps"),
            legend: Vec::new(),
            bars: vec![
                bar("128MB", &[(1, 10.0)]),
                bar("<1GB>", &[(1, 4.0), (2, 16.0)]),
            ],
            numbers: None,
            heads: Vec::new(),
            rows: Vec::new(),
            height: 100.0,
        };
        let page = chart.render().into_string();
        assert!(
            page.contains("x=\"18%\" width=\"14%\" y=\"50\" height=\"50\""),
            "{page}"
        );
        // The second part stands on the first.
        assert!(
            page.contains("c2\" x=\"68%\" width=\"14%\" y=\"0\" height=\"80\""),
            "{page}"
        );
        assert_eq!(page.matches("class=\"whisker\"").count(), 2);
        assert!(page.contains("about 128MB") && page.contains("&lt;1GB&gt;"));
        let none = Bars {
            bars: Vec::new(),
            ..chart
        };
        assert!(none.render().into_string().is_empty());
    }

    #[test]
    fn bars_stand_where_their_numbers_are() {
        let places = |numbers: &[f64]| {
            let columns = Columns::of(Some(numbers), numbers.len());
            let rounded = columns
                .places
                .iter()
                .map(|place| (place * 1000.0).round() as i64);
            rounded.collect::<Vec<_>>()
        };
        assert_eq!(
            places(&[64.0, 128.0, 192.0, 256.0]),
            [125, 375, 625, 875],
            "linear"
        );
        assert_eq!(
            places(&[1.0, 2.0, 4.0, 8.0]),
            [125, 375, 625, 875],
            "logarithmic"
        );
        assert_eq!(places(&[1.0, 8.0, 32.0]), [167, 567, 833], "with a gap");
        assert_eq!(
            places(&[0.0, 1.0, 2.0]),
            [167, 500, 833],
            "zero has no logarithm"
        );
        assert_eq!(
            places(&[-1.0, 4096.0, 4097.0, 4098.0]),
            [125, 375, 625, 875],
            "too close"
        );
        assert_eq!(places(&[1.0]), [500]);
        let is_logarithmic =
            |numbers: &[f64]| Columns::of(Some(numbers), numbers.len()).is_logarithmic;
        assert!(is_logarithmic(&[1.0, 2.0, 4.0]) && !is_logarithmic(&[1.0, 2.0, 3.0]));
        assert!(!is_logarithmic(&[1.0, 2.0]), "two are as far apart on both");
    }

    #[test]
    fn labels_have_room() {
        let lines = |names: &[&str]| -> Vec<Option<u8>> {
            let labels = labels(names.iter().copied());
            labels
                .iter()
                .map(|label| label.as_ref().map(|(line, _)| *line))
                .collect()
        };
        assert_eq!(lines(&["on", "off"]), [Some(0), Some(0)]);
        assert_eq!(
            lines(&["a rather long name"; 3]),
            [Some(0), Some(1), Some(0)]
        );
        assert_eq!(lines(&["1024MB"; 20]).iter().flatten().count(), 10);
        assert_eq!(labels(["x".repeat(99).as_str()].into_iter()).len(), 1);
    }
}
