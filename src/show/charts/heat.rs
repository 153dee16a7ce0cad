//! The distribution of latencies in each stretch of a run.

use super::figure::{ChartFrame, WIDTH, hover, short, time_axis, value_axis};
use super::scale::{Scale, time_ticks};
use super::time::{Bands, Point, span_bands};
use crate::show::number::{Unit, number};
use maud::{Markup, html};
use std::fmt::Write;

/// From which share of a stretch's transactions on a cell has each of its shades, the faintest first.
const SHADES: [f64; 7] = [0.0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3];

/// Columns are stretches of time, rows are latencies.
#[derive(Debug, Clone)]
pub struct HeatMap<'a> {
    pub points: Vec<Point>,
    /// Where the rows begin, and where the last one ends, ms.
    pub edges_ms: &'a [f64],
    /// How many transactions in each row of each column.
    pub columns: Vec<&'a [u64]>,
    /// Marked behind the cells.
    pub bands: &'a [Bands],
    /// The figures of each column, which show under the pointer, too.
    pub heads: Vec<&'a str>,
    pub rows: Vec<Vec<String>>,
    /// Pixels.
    pub height: f64,
}

impl HeatMap<'_> {
    /// The map; nothing if there is no row.
    pub fn render(&self) -> Markup {
        let (Some(lowest), Some(highest), Some(end)) = (
            self.edges_ms.first(),
            self.edges_ms.last(),
            self.points.last(),
        ) else {
            return html! {};
        };
        let end = (end.at_s + end.seconds).max(f64::MIN_POSITIVE);
        let scale = Scale::logarithmic(*lowest, *highest);
        let frame = ChartFrame {
            title: "Latency heat map",
            note: Some(
                "the stronger the colour, the larger the share of a moment's transactions that had this latency",
            ),
            summary: format!(
                "Heat map of latency over time: {} stretches, latencies from {} to {}; the figures are in the table",
                self.points.len(),
                Unit::Milliseconds.write(*lowest),
                Unit::Milliseconds.write(*highest)
            ),
            legend: Vec::new(),
            height: self.height,
            heads: self.heads.clone(),
            rows: self.rows.clone(),
        };
        html! { div {
            (frame.around(html! {
                (value_axis(&scale, Unit::Milliseconds, self.height))
                (span_bands(self.bands, (0.0, end), self.height))
                svg viewBox={ "0 0 " (WIDTH) " " (self.height) } preserveAspectRatio="none" width="100%" height=(self.height) {
                    @for (shade, path) in self.cells(&scale, end).iter().enumerate() {
                        @if !path.is_empty() { path class={ "h" (shade + 1) } d=(path) {} }
                    }
                }
                (time_axis(&time_ticks(0.0, end), 0.0, end, self.height))
                @for (point, row) in self.points.iter().zip(&self.rows) {
                    @let lines: Vec<String> = self.heads.iter().zip(row).map(|(head, cell)| format!("{head} {cell}")).collect();
                    @let (from, to) = (point.at_s / end, (point.at_s + point.seconds) / end);
                    (hover(from, to, (from + to) / 2.0, self.height, &lines))
                }
            }))
            p class="shades" {
                "from a share of: "
                @for (shade, from) in SHADES.iter().enumerate() {
                    span { i class={ "key h" (shade + 1) } {} @if *from == 0.0 { "any" } @else { (number(from * 100.0)) " %" } }
                }
            }
        } }
    }

    /// One path for all cells of a shade.
    fn cells(&self, scale: &Scale, end: f64) -> [String; SHADES.len()] {
        let mut paths = [const { String::new() }; SHADES.len()];
        let y = |ms: f64| self.height * (1.0 - scale.position(ms));
        for (point, counts) in self.points.iter().zip(&self.columns) {
            let all = counts.iter().sum::<u64>() as f64;
            let x = point.at_s / end * WIDTH;
            let width = point.seconds / end * WIDTH;
            for (edges, count) in self.edges_ms.windows(2).zip(counts.iter()) {
                let (&[low, high], true) = (edges, *count > 0) else {
                    continue;
                };
                let share = *count as f64 / all;
                let shade = SHADES.iter().rposition(|from| share >= *from).unwrap_or(0);
                if let Some(path) = paths.get_mut(shade) {
                    let (top, bottom) = (y(high), y(low));
                    let width = short(width);
                    // Writing to a String cannot fail.
                    let _ = write!(
                        path,
                        "M{} {}h{width}v{}h-{width}z",
                        short(x),
                        short(top),
                        short(bottom - top)
                    );
                }
            }
        }
        paths
    }
}

/// Where on a logarithmic axis of latency ticks are, as shares of its width.
pub fn across(edges_ms: &[f64], ms: f64) -> f64 {
    match (edges_ms.first(), edges_ms.last()) {
        (Some(low), Some(high)) if high > low && ms > 0.0 => {
            ((ms / low).ln() / (high / low).ln()).clamp(0.0, 1.0)
        }
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::show::charts::Span;

    #[test]
    fn a_cell_is_as_dark_as_its_share() {
        let map = HeatMap {
            points: vec![
                Point {
                    at_s: 0.0,
                    seconds: 1.0,
                },
                Point {
                    at_s: 1.0,
                    seconds: 1.0,
                },
            ],
            edges_ms: &[1.0, 10.0, 100.0],
            columns: vec![&[999, 1], &[0, 5]],
            bands: &[Bands::new(
                "checkpoint",
                vec![Span {
                    from_s: 1.0,
                    to_s: 2.0,
                }],
            )],
            heads: vec!["until"],
            rows: vec![vec!["first".to_owned()], vec!["second".to_owned()]],
            height: 100.0,
        };
        let paths = map.cells(&Scale::logarithmic(1.0, 100.0), 2.0);
        assert_eq!(paths[6], "M0 50h500v50h-500zM500 0h500v50h-500z");
        assert_eq!(paths[1], "M0 0h500v50h-500z");
        let page = map.render().into_string();
        assert!(page.contains("until first") && page.contains("until second"));
        assert!(
            page.contains("class=\"span\" x=\"50%\" width=\"50%\""),
            "{page}"
        );
    }
}
