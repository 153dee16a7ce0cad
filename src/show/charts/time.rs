//! Values over the time of a run.

mod few;
mod mark;
mod path;
mod span;
#[cfg(test)]
mod tests;
mod words;

pub use few::figures as figures_of;
pub use mark::{Mark, MarkKind};
pub use span::{Bands, Span, bands as span_bands};

use super::clock::Clock;
use super::figure::{WIDTH, hovers, percent, time_axis, value_axis};
use super::key::line_class;
use super::scale::{Scale, time_ticks};
use crate::show::number::{Unit, duration};
use maud::{Markup, html};
use path::Paths;

/// Points up to which each has a dot: more would only make the line thicker.
const DOTS: usize = 100;
/// The same of several lines, whose strokes have to be seen between the dots.
const DOTS_OF_SEVERAL: usize = 20;
/// Points from which on dots are small.
const MANY: usize = 40;

/// A moment, or a stretch of time, that has values; seconds since the measured part began.
#[derive(Debug, Clone, Copy)]
pub struct Point {
    pub at_s: f64,
    /// 0: a moment.
    pub seconds: f64,
}

impl Point {
    pub fn moment(at_s: f64) -> Point {
        Point { at_s, seconds: 0.0 }
    }

    /// Those that begin at these times and are so long.
    pub fn along(at_s: &[f64], seconds: &[f64]) -> Vec<Point> {
        let points = at_s.iter().zip(seconds);
        points
            .map(|(&at_s, &seconds)| Point { at_s, seconds })
            .collect()
    }

    /// Where its values are drawn, in seconds.
    fn middle(&self) -> f64 {
        self.at_s + self.seconds / 2.0
    }
}

/// How the values of a series are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    Line,
    /// A line that should not stand out.
    Dotted,
    /// Areas on top of each other, in the order of the series.
    Stacked,
    /// Together with the next series: the range between them.
    RangeFrom,
    RangeTo,
}

/// One value for each point; None: there is none.
#[derive(Debug, Clone)]
pub struct Series {
    pub name: String,
    /// Number of a colour of the page, 1 to 8.
    pub color: u8,
    pub shape: Shape,
    pub values: Vec<Option<f64>>,
}

impl Series {
    pub fn new(
        name: impl Into<String>,
        color: u8,
        shape: Shape,
        values: impl IntoIterator<Item = Option<f64>>,
    ) -> Series {
        Series {
            name: name.into(),
            color,
            shape,
            values: values.into_iter().collect(),
        }
    }
}

/// A chart of series with common points.
#[derive(Debug, Clone)]
pub struct TimeChart {
    pub title: String,
    pub note: Option<String>,
    pub unit: Unit,
    pub logarithmic: bool,
    pub points: Vec<Point>,
    pub series: Vec<Series>,
    /// Stretches that are marked, such as the checkpoints; a kind of which there is none is told.
    pub bands: Vec<Bands>,
    pub marks: Vec<Mark>,
    /// The time of day at 0; None: times are since the beginning.
    pub clock: Option<Clock>,
    /// The minimum range of time that it shows, seconds.
    pub at_least: Option<(f64, f64)>,
    /// Pixels.
    pub height: f64,
}

impl TimeChart {
    /// A chart without spans and marks, of the time that its points cover.
    pub fn new(title: &str, unit: Unit, points: Vec<Point>, series: Vec<Series>) -> TimeChart {
        TimeChart {
            title: title.to_owned(),
            note: None,
            unit,
            logarithmic: false,
            points,
            series,
            bands: Vec::new(),
            marks: Vec::new(),
            clock: None,
            at_least: None,
            height: 200.0,
        }
    }

    pub fn with_height(self, height: f64) -> TimeChart {
        TimeChart { height, ..self }
    }

    pub fn with_note(self, note: Option<String>) -> TimeChart {
        TimeChart { note, ..self }
    }

    /// The chart, or its figures where it has too few points; nothing if no series has a value.
    pub fn render(&self) -> Markup {
        if self.has_few_points() {
            return few::figures(std::slice::from_ref(self));
        }
        let Some(scale) = self.scale() else {
            return html! {};
        };
        let (start, end) = self.extent();
        let across = |at: f64| (at - start) / (end - start);
        let y = |value: f64| self.height * (1.0 - scale.position(value));
        let middles = self.points.iter().map(|point| across(point.middle()));
        let middles: Vec<f64> = middles.collect();
        let tops = self.tops();
        let paths = Paths::new(&self.points, (start, end));
        self.frame().around(html! {
            (value_axis(&scale, self.unit, self.height))
            (span_bands(&self.bands, (start, end), self.height))
            svg viewBox={ "0 0 " (WIDTH) " " (self.height) } preserveAspectRatio="none" width="100%" height=(self.height) {
                @for (number, series) in self.series.iter().enumerate() {
                    @match series.shape {
                        Shape::Line | Shape::Dotted => {
                            path class=(self.line_class(number, series)) d=(paths.line(&series.values, &y)) {}
                            (self.dots(series, &paths, &y))
                        }
                        Shape::Stacked => {
                            @let below = number.checked_sub(1).and_then(|number| tops.get(number));
                            path class={ "area c" (series.color) } d=(paths.area(tops.get(number), below, self.height, &y)) {}
                        }
                        Shape::RangeFrom => {
                            @let to = self.series.get(number + 1).map(|to| &to.values);
                            path class={ "range c" (series.color) } d=(paths.area(to, Some(&series.values), self.height, &y)) {}
                        }
                        Shape::RangeTo => {}
                    }
                }
            }
            (time_axis(&self.ticks(start, end), start, end, self.height))
            (hovers(&middles, self.height, |number| self.values_at(number)))
            @for mark in self.marks.iter().filter(|mark| (0.0..=1.0).contains(&across(mark.at_s))) {
                @let look = mark.kind.look();
                svg class={ "mark c" (look.color) } x=(percent(across(mark.at_s))) y=(self.height) {
                    title { (mark.text) " at " (duration(mark.at_s)) }
                    path d=(look.path) {}
                }
            }
        })
    }

    /// Its lines alone, for a place that has room for nothing else; nothing if no series has a value.
    pub fn small(&self) -> Markup {
        let Some(scale) = self.scale() else {
            return html! {};
        };
        let y = |value: f64| self.height * (1.0 - scale.position(value));
        let paths = Paths::new(&self.points, self.extent());
        html! {
            svg class="small" role="img" aria-label=(self.frame().summary) viewBox={ "0 0 " (WIDTH) " " (self.height) }
                preserveAspectRatio="none" width="100%" height=(self.height) {
                @for (number, series) in self.series.iter().enumerate() {
                    path class=(self.line_class(number, series)) d=(paths.line(&series.values, &y)) {}
                    @let alone = paths.dots(&series.values, &y, true);
                    @if series.shape == Shape::Line && !alone.is_empty() { path class={ "dots small c" (series.color) } d=(alone) {} }
                }
            }
        }
    }

    /// The values of each series as they are drawn: those of areas on top of what lies below.
    fn tops(&self) -> Vec<Vec<Option<f64>>> {
        let mut sums = vec![0.0; self.points.len()];
        let mut tops = Vec::with_capacity(self.series.len());
        for series in &self.series {
            if series.shape != Shape::Stacked {
                tops.push(series.values.clone());
                continue;
            }
            tops.push(
                series
                    .values
                    .iter()
                    .zip(&mut sums)
                    .map(|(value, sum)| {
                        let value = (*value)?;
                        *sum += value;
                        Some(*sum)
                    })
                    .collect(),
            );
        }
        tops
    }

    fn scale(&self) -> Option<Scale> {
        let drawn = self.tops();
        let values = drawn.iter().flatten().flatten().copied();
        let lowest = if self.logarithmic {
            values.clone().filter(|value| *value > 0.0).reduce(f64::min)
        } else {
            values.clone().reduce(f64::min)
        };
        let highest = values.reduce(f64::max)?;
        Some(if self.logarithmic {
            Scale::logarithmic(lowest.unwrap_or(0.0), highest)
        } else {
            Scale::linear(lowest.unwrap_or(0.0), highest, self.unit)
        })
    }

    /// The range of time that it shows.
    fn extent(&self) -> (f64, f64) {
        let starts = self.points.iter().map(|point| point.at_s);
        let ends = self.points.iter().map(|point| point.at_s + point.seconds);
        let (from, to) = self.at_least.unwrap_or((f64::INFINITY, f64::NEG_INFINITY));
        let (start, end) = (starts.fold(from, f64::min), ends.fold(to, f64::max));
        // The measured part begins at 0, but for a little unevenness of the clock.
        let start = if start > 0.0 && start < 0.05 * end {
            0.0
        } else {
            start
        };
        (start, if end > start { end } else { start + 1.0 })
    }

    /// The classes of the line of a series, which has this number.
    fn line_class(&self, number: usize, series: &Series) -> String {
        if series.shape == Shape::Dotted {
            return format!("line dotted c{}", series.color);
        }
        let before = self.series.iter().take(number);
        let place = before.filter(|it| it.shape == Shape::Line).count();
        line_class(series.color, place)
    }

    /// Where the values are: each of them, or of many those that no line shows.
    fn dots(&self, series: &Series, paths: &Paths, y: &impl Fn(f64) -> f64) -> Markup {
        let lines = self.series.iter().filter(|it| it.shape == Shape::Line);
        let most = match lines.count() {
            0 | 1 => DOTS,
            _ => DOTS_OF_SEVERAL,
        };
        let alone = series.shape != Shape::Line || self.points.len() > most;
        let path = paths.dots(&series.values, y, alone);
        let class = if self.points.len() > MANY {
            "dots small"
        } else {
            "dots"
        };
        html! { @if !path.is_empty() { path class={ (class) " c" (series.color) } d=(path) {} } }
    }

    fn ticks(&self, start_s: f64, end_s: f64) -> Vec<(f64, String)> {
        match self.clock {
            Some(clock) => clock.ticks(start_s, end_s),
            None => time_ticks(start_s, end_s),
        }
    }
}
