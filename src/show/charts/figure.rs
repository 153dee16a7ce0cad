//! Common parts of all charts: the frame, the axes, the box with the values under the pointer, the table.

use super::key::Key;
use super::scale::Scale;
use crate::show::number::Unit;
use maud::{Markup, html};

/// The width of the stretched part: places across go from 0 to this.
pub const WIDTH: f64 = 1000.0;

/// A chart in its frame. `data`: heads and rows of its table.
pub struct ChartFrame<'a> {
    pub title: &'a str,
    /// One line under the title.
    pub note: Option<&'a str>,
    /// What the SVG shows, in a sentence.
    pub summary: String,
    /// Keys with what they stand for.
    pub legend: Vec<(Key, String)>,
    /// Pixels without the labels below.
    pub height: f64,
    pub heads: Vec<&'a str>,
    pub rows: Vec<Vec<String>>,
}

impl ChartFrame<'_> {
    /// The frame around the content of the SVG.
    pub fn around(&self, content: Markup) -> Markup {
        html! {
            figure class="chart" {
                figcaption {
                    h3 { (self.title) }
                    @if let Some(note) = self.note { p class="note" { (note) } }
                }
                @if !self.legend.is_empty() {
                    ul class="legend" {
                        @for (key, name) in &self.legend {
                            li { (key.render()) (name) }
                        }
                    }
                }
                div class="plot" {
                    svg role="img" width="100%" height=(self.height + 24.0) aria-label=(self.summary) {
                        (content)
                    }
                }
                (data_table(&self.heads, &self.rows))
            }
        }
    }
}

/// The figures of a chart, for readers who cannot see it or want to copy them.
pub fn data_table(heads: &[&str], rows: &[Vec<String>]) -> Markup {
    html! {
        details {
            summary { "Data table" }
            div class="scroll" {
                table {
                    thead { tr { @for head in heads { th scope="col" { (head) } } } }
                    tbody {
                        @for row in rows { tr { @for cell in row { td { (cell) } } } }
                    }
                }
            }
        }
    }
}

/// The grid lines of the values, with their labels left of the chart, and the unit above them.
pub fn value_axis(scale: &Scale, unit: Unit, height: f64) -> Markup {
    html! {
        g class="axis" {
            @for tick in &scale.ticks {
                @let y = short(height * (1.0 - scale.position(*tick)));
                line x2="100%" y1=(y) y2=(y) {}
                text x="-8" y=(y) dy="4" text-anchor="end" { (unit.tick(*tick)) }
            }
            @if !unit.title().is_empty() {
                text y="-10" class="unit" { (unit.title()) }
            }
        }
    }
}

/// Where a label below the chart stands at its place: behind the end there is no room for half of it.
pub fn anchor(share: f64) -> &'static str {
    if share > 0.98 { "end" } else { "middle" }
}

/// The labels of the time below the chart.
pub fn time_axis(ticks: &[(f64, String)], start_s: f64, end_s: f64, height: f64) -> Markup {
    let span = (end_s - start_s).max(f64::MIN_POSITIVE);
    html! {
        g class="axis" {
            @for (at, label) in ticks {
                @let share = (at - start_s) / span;
                @let x = percent(share);
                line class="tick" x1=(x) x2=(x) y1=(height) y2=(height + 5.0) {}
                text x=(x) y=(height + 19.0) text-anchor=(anchor(share)) { (label) }
            }
        }
    }
}

/// What is shown at each of these places across, from half way to its neighbour on the left to half way to that on the right; `told`:
/// the text at a place, by its number.
pub fn hovers(places: &[f64], height: f64, told: impl Fn(usize) -> Vec<String>) -> Markup {
    let edge = |left: Option<&f64>, right: Option<&f64>| match (left, right) {
        (Some(left), Some(right)) => (left + right) / 2.0,
        (None, _) => 0.0,
        (_, None) => 1.0,
    };
    html! {
        @for (number, at) in places.iter().enumerate() {
            @let left = number.checked_sub(1).and_then(|left| places.get(left));
            @let (from, to) = (edge(left, Some(at)), edge(Some(at), places.get(number + 1)));
            @if to > from { (hover(from, to, *at, height, &told(number))) }
        }
    }
}

/// Shown while the pointer is between two places: a line and a box of text.
pub fn hover(from: f64, to: f64, at: f64, height: f64, lines: &[String]) -> Markup {
    let longest = lines
        .iter()
        .map(|line| line.chars().count())
        .max()
        .unwrap_or(0);
    let width = longest as f64 * 6.9 + 18.0;
    // As far to the left as it is far to the right: never beyond the edges. Whole pixels, since a page has thousands of these boxes.
    let (width, left) = (width.ceil(), (-at * width).round());
    html! {
        g class="p" {
            rect x=(percent(from)) width=(percent(to - from)) height=(height) {}
            svg x=(percent(at)) {
                line y2=(height) {}
                rect x=(short(left)) y="2" width=(short(width)) height=(lines.len() * 16 + 10) rx="4" {}
                text y="5" {
                    @for line in lines { tspan x=(short(left + 9.0)) dy="16" { (line) } }
                }
            }
        }
    }
}

/// A share as a percentage of the width.
pub fn percent(share: f64) -> String {
    format!("{}%", short(share * 100.0))
}

/// At most two decimals, as few characters as that takes.
pub fn short(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" {
        "0".to_owned()
    } else {
        text.to_owned()
    }
}
