//! The distribution of a run's latencies.

use super::figure::{ChartFrame, anchor, hover, percent, short, value_axis};
use super::heat::across;
use super::scale::Scale;
use crate::show::number::{Unit, integer, number};
use maud::{Markup, html};

/// Columns of a logarithmic axis of latency.
#[derive(Debug, Clone)]
pub struct Distribution<'a> {
    /// Where the columns begin, and where the last one ends, ms.
    pub edges_ms: &'a [f64],
    /// How many transactions in each.
    pub counts: &'a [u64],
    /// Names and latencies that are marked, ms, in ascending order.
    pub marks: Vec<(&'static str, f64)>,
    /// Pixels.
    pub height: f64,
}

impl Distribution<'_> {
    /// The chart; nothing if nothing was counted.
    pub fn render(&self) -> Markup {
        let all = self.counts.iter().sum::<u64>() as f64;
        let (Some(low), Some(high), true) =
            (self.edges_ms.first(), self.edges_ms.last(), all > 0.0)
        else {
            return html! {};
        };
        let share = |count: u64| 100.0 * count as f64 / all;
        let most = share(self.counts.iter().copied().max().unwrap_or(0));
        let scale = Scale::linear(0.0, most, Unit::Percent);
        let cumulated: Vec<f64> = self
            .counts
            .iter()
            .scan(0, |sum, count| {
                *sum += count;
                Some(share(*sum))
            })
            .collect();
        let told: Vec<String> = self
            .marks
            .iter()
            .map(|(name, ms)| format!("{name} {}", Unit::Milliseconds.write(*ms)))
            .collect();
        let columns = || self.edges_ms.windows(2).zip(self.counts).zip(&cumulated);
        let cells = |edges: &[f64], count: u64, cumulated: f64| {
            let [low, high] = [edges.first(), edges.last()].map(|ms| number(*ms.unwrap_or(&0.0)));
            [
                format!("{low} to {high} ms"),
                integer(count as i64),
                format!("{} %", number(share(count))),
                format!("{} %", number(cumulated)),
            ]
        };
        ChartFrame {
            title: "Latency distribution",
            note: Some("share of all transactions by their latency, on a logarithmic axis"),
            summary: format!(
                "Distribution of latency from {} to {}: {}",
                Unit::Milliseconds.write(*low),
                Unit::Milliseconds.write(*high),
                told.join(", ")
            ),
            legend: Vec::new(),
            height: self.height,
            heads: vec!["latency", "transactions", "share", "up to here"],
            rows: columns()
                .filter(|((_, count), _)| **count > 0)
                .map(|((edges, count), cumulated)| cells(edges, *count, *cumulated).to_vec())
                .collect(),
        }
        .around(html! {
            (value_axis(&scale, Unit::Percent, self.height))
            @for ((edges, count), _) in columns() {
                @let (from, to) = span(self.edges_ms, edges);
                @let height = self.height * scale.position(share(*count));
                @if height > 0.0 {
                    rect class="column c1" x=(percent(from)) width=(percent(to - from)) y=(short(self.height - height)) height=(short(height)) {}
                }
            }
            g class="axis" {
                @for tick in Scale::logarithmic(*low, *high).ticks.into_iter().filter(|ms| ms >= low && ms <= high) {
                    @let share = across(self.edges_ms, tick);
                    @let x = percent(share);
                    line class="tick" x1=(x) x2=(x) y1=(self.height) y2=(self.height + 5.0) {}
                    text x=(x) y=(self.height + 19.0) text-anchor=(anchor(share)) { (number(tick)) " ms" }
                }
            }
            @for (row, (name, ms)) in self.marks.iter().enumerate() {
                @let at = across(self.edges_ms, *ms);
                g class="reference" {
                    line x1=(percent(at)) x2=(percent(at)) y2=(self.height) {}
                    // Those on the right write to the left, and each a line lower.
                    @let (dx, anchor) = if at > 0.7 { ("-5", "end") } else { ("5", "start") };
                    text x=(percent(at)) dx=(dx) y=(12 + row * 14) text-anchor=(anchor) { (name) " " (Unit::Milliseconds.write(*ms)) }
                }
            }
            @for ((edges, count), cumulated) in columns() {
                @let (from, to) = span(self.edges_ms, edges);
                @let [latency, count, share, cumulated] = cells(edges, *count, *cumulated);
                @let lines = [latency, format!("{count} transactions, {share}"), format!("{cumulated} up to here")];
                (hover(from, to, (from + to) / 2.0, self.height, &lines))
            }
        })
    }
}

fn span(all: &[f64], edges: &[f64]) -> (f64, f64) {
    let place = |edge: Option<&f64>| edge.map_or(0.0, |ms| across(all, *ms));
    (place(edges.first()), place(edges.last()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_shares_of_all() {
        let chart = Distribution {
            edges_ms: &[1.0, 10.0, 100.0],
            counts: &[75, 25],
            marks: vec![("p50", 5.0), ("p99", 90.0)],
            height: 100.0,
        };
        let page = chart.render().into_string();
        assert!(
            page.contains("<td>75 %</td>") && page.contains("<td>100 %</td>"),
            "{page}"
        );
        assert!(page.contains("p50 5 ms") && page.contains("p99 90 ms"));
        assert!(page.contains("x=\"50%\" width=\"50%\""));
        // There is no room behind the end.
        assert!(
            page.contains("text-anchor=\"end\">100 ms<")
                && page.contains("text-anchor=\"middle\">10 ms<")
        );
        let nothing = Distribution {
            counts: &[0, 0],
            ..chart
        };
        assert!(nothing.render().into_string().is_empty());
    }
}
