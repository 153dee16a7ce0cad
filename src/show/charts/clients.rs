//! Means with their 95 % intervals over the number of clients.

use super::figure::{ChartFrame, WIDTH, hovers, percent, short, value_axis};
use super::key::{Key, aside, line_class};
use super::scale::Scale;
use crate::show::number::{Unit, integer};
use crate::show::text::{count, plural};
use maud::{Markup, html};
use std::fmt::Write;

/// The measurements with a number of clients.
#[derive(Debug, Clone)]
pub struct Measured {
    pub clients: i64,
    pub mean: f64,
    /// None: one value gives no error.
    pub interval: Option<(f64, f64)>,
    /// All values behind the mean.
    pub values: Vec<f64>,
}

/// One line of a chart.
#[derive(Debug, Clone)]
pub struct Curve {
    pub name: String,
    pub color: u8,
    pub points: Vec<Measured>,
    /// The prediction of a law: the value at any number of clients.
    pub law: Option<[f64; 3]>,
}

/// A value over the number of clients, whose axis is logarithmic.
#[derive(Debug, Clone)]
pub struct ClientsChart {
    pub title: &'static str,
    pub unit: Unit,
    /// The meaning of the line: the mean of the runs, or all together.
    pub line: &'static str,
    pub curves: Vec<Curve>,
    /// CPUs of the machine, which a line marks; None: not known.
    pub cpus: Option<i64>,
    /// Pixels.
    pub height: f64,
}

/// The Universal Scalability Law.
fn law([lambda, sigma, kappa]: [f64; 3], clients: f64) -> f64 {
    lambda * clients / (1.0 + sigma * (clients - 1.0) + kappa * clients * (clients - 1.0))
}

impl ClientsChart {
    /// The chart; nothing without values.
    pub fn render(&self) -> Markup {
        let top = |point: &Measured| {
            let values = point.values.iter().copied();
            values.fold(
                point.interval.map_or(point.mean, |(_, high)| high),
                f64::max,
            )
        };
        let tops = self.points().map(top);
        let Some(highest) = tops.reduce(f64::max) else {
            return html! {};
        };
        let mut clients: Vec<i64> = self.points().map(|point| point.clients).collect();
        clients.sort_unstable();
        clients.dedup();
        let scale = Scale::linear(0.0, highest, self.unit);
        let y = |value: f64| self.height * (1.0 - scale.position(value));
        let axis = Axis::of(&clients);
        let places = clients.iter().map(|count| axis.place(*count as f64));
        let places: Vec<f64> = places.collect();
        let note = self.note();
        let frame = ChartFrame {
            title: self.title,
            note: Some(&note),
            summary: self.summary(),
            legend: match self.curves.as_slice() {
                [_] => Vec::new(),
                curves => curves
                    .iter()
                    .enumerate()
                    .map(|(place, c)| (Key::Line(line_class(c.color, place)), c.name.clone()))
                    .collect(),
            },
            height: self.height,
            heads: vec!["", "clients", self.line, "95 % interval", "runs"],
            rows: self.rows(),
        };
        frame.around(html! {
            (value_axis(&scale, self.unit, self.height))
            @for (place, curve) in self.curves.iter().enumerate() {
                @let aside = aside(place, self.curves.len());
                svg x=(aside) viewBox={ "0 0 " (WIDTH) " " (self.height) } preserveAspectRatio="none" width="100%" height=(self.height) {
                    path class=(line_class(curve.color, place)) d=(line(curve.points.iter().map(|p| (axis.place(p.clients as f64), y(p.mean))))) {}
                    @if let Some(parameters) = curve.law {
                        path class={ "line dotted c" (curve.color) }
                            d=(line(axis.steps().map(|n| (axis.place(n), y(law(parameters, n)))))) {}
                    }
                }
                g class={ "c" (curve.color) } transform={ "translate(" (aside) ")" } {
                    @for point in &curve.points {
                        @let x = percent(axis.place(point.clients as f64));
                        @if let Some((low, high)) = point.interval {
                            line class="whisker" x1=(x) x2=(x) y1=(short(y(low))) y2=(short(y(high))) {}
                        }
                        @for value in &point.values { circle class="single" r="2" cx=(x) cy=(short(y(*value))) {} }
                        circle r="3.5" cx=(x) cy=(short(y(point.mean))) {}
                    }
                }
            }
            @if let Some(cpus) = self.cpus.filter(|cpus| axis.holds(*cpus as f64)) {
                @let x = percent(axis.place(cpus as f64));
                g class="reference" {
                    line x1=(x) x2=(x) y2=(self.height) {}
                    text x=(x) dx="5" y="12" text-anchor="start" { (count(cpus, "CPU")) }
                }
            }
            g class="axis" {
                text x="-8" y=(self.height + 19.0) text-anchor="end" { "clients" }
                @for (count, place) in clients.iter().zip(&places) {
                    @let x = percent(*place);
                    line class="tick" x1=(x) x2=(x) y1=(self.height) y2=(self.height + 5.0) {}
                    text x=(x) y=(self.height + 19.0) text-anchor="middle" { (count) }
                }
            }
            (hovers(&places, self.height, |number| clients.get(number).map(|count| self.told(*count)).unwrap_or_default()))
        })
    }

    fn points(&self) -> impl Iterator<Item = &Measured> {
        self.curves.iter().flat_map(|curve| &curve.points)
    }

    /// What is drawn.
    fn note(&self) -> String {
        let has_values = self.points().any(|point| !point.values.is_empty());
        let has_intervals = self.points().any(|point| point.interval.is_some());
        let has_laws = self.curves.iter().any(|curve| curve.law.is_some());
        let parts = [
            has_values.then_some("dots: single runs"),
            has_intervals.then_some("bars: 95 % interval of the mean"),
            has_laws.then_some("dotted: the scalability law fitted to the runs"),
        ];
        let parts = parts.into_iter().flatten().map(|part| format!("; {part}"));
        format!("line: {}{}", self.line, parts.collect::<String>())
    }

    fn told(&self, clients: i64) -> Vec<String> {
        let head = format!("{} {}", integer(clients), plural(clients, "client"));
        let of_curve = |curve: &Curve| {
            let mut points = curve.points.iter();
            let point = points.find(|point| point.clients == clients)?;
            let value = self.unit.write(point.mean) + &margin(point);
            Some(match curve.name.as_str() {
                "" => value,
                name => format!("{name}: {value}"),
            })
        };
        let values = self.curves.iter().filter_map(of_curve);
        std::iter::once(head).chain(values).collect()
    }

    fn summary(&self) -> String {
        let best = self.curves.iter().filter_map(|curve| {
            let best = curve
                .points
                .iter()
                .max_by(|a, b| a.mean.total_cmp(&b.mean))?;
            let (with, value) = (count(best.clients, "client"), self.unit.write(best.mean));
            Some(format!(". {} highest with {with}: {value}", curve.name))
        });
        format!(
            "{} by number of clients{}",
            self.title,
            best.collect::<String>()
        )
    }

    fn rows(&self) -> Vec<Vec<String>> {
        let row = |curve: &Curve, point: &Measured| {
            vec![
                curve.name.clone(),
                integer(point.clients),
                self.unit.write(point.mean),
                point.interval.map_or_else(
                    || "-".to_owned(),
                    |(low, high)| format!("{} to {}", self.unit.write(low), self.unit.write(high)),
                ),
                integer(point.values.len() as i64),
            ]
        };
        let curves = self.curves.iter();
        curves
            .flat_map(|curve| curve.points.iter().map(move |point| row(curve, point)))
            .collect()
    }
}

/// ` ± 3 %`, or nothing from one value.
fn margin(point: &Measured) -> String {
    let interval = point.interval.filter(|_| point.mean > 0.0);
    // The lower end may have been cut at 0.
    let half = interval.map(|(_, high)| 100.0 * (high - point.mean) / point.mean);
    half.map_or_else(String::new, |half| format!(" \u{b1} {half:.1} %"))
}

fn line(points: impl Iterator<Item = (f64, f64)>) -> String {
    let mut path = String::new();
    for (number, (x, y)) in points.enumerate() {
        let pen = if number == 0 { 'M' } else { 'L' };
        // Writing to a String cannot fail.
        let _ = write!(path, "{pen}{} {}", short(x * WIDTH), short(y));
    }
    path
}

/// Numbers of clients from left to right, with a margin.
struct Axis {
    low: f64,
    high: f64,
}

impl Axis {
    fn of(clients: &[i64]) -> Axis {
        let end = |count: Option<&i64>| (*count.unwrap_or(&1)).max(1) as f64;
        Axis {
            low: end(clients.first()),
            high: end(clients.last()),
        }
    }

    fn place(&self, clients: f64) -> f64 {
        if self.high <= self.low {
            return 0.5;
        }
        0.04 + 0.92 * (clients / self.low).ln() / (self.high / self.low).ln()
    }

    fn holds(&self, clients: f64) -> bool {
        (self.low..=self.high).contains(&clients)
    }

    /// Numbers between the ends, close together.
    fn steps(&self) -> impl Iterator<Item = f64> {
        let factor = self.high / self.low;
        let low = self.low;
        (0..=60).map(move |step| low * factor.powf(f64::from(step) / 60.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart() -> ClientsChart {
        let point = |clients, mean: f64| Measured {
            clients,
            mean,
            interval: Some((mean * 0.9, mean * 1.1)),
            values: vec![mean * 0.95, mean * 1.05],
        };
        ClientsChart {
            title: "Throughput",
            unit: Unit::Count("tps"),
            line: "mean",
            curves: vec![Curve {
                name: "work_mem=\"4MB\"".to_owned(),
                color: 1,
                points: vec![point(1, 1000.0), point(2, 1900.0), point(4, 2500.0)],
                law: Some([1000.0, 0.05, 0.001]),
            }],
            cpus: Some(3),
            height: 100.0,
        }
    }

    #[test]
    fn the_cpus_have_a_mark_where_the_axis_holds_them() {
        let page = |cpus| ClientsChart { cpus, ..chart() }.render().into_string();
        assert!(page(Some(3)).contains(">3 CPUs</text>"));
        for elsewhere in [None, Some(64)] {
            assert!(!page(elsewhere).contains("CPU"));
        }
    }

    #[test]
    fn each_number_of_clients_has_its_mean_and_interval() {
        let page = chart().render().into_string();
        assert_eq!(page.matches("class=\"p\"").count(), 3);
        assert!(page.contains("1,900 tps \u{b1} 10.0 %"), "{page}");
        assert!(page.contains("<td>2,250 tps to 2,750 tps</td>"));
        assert!(page.contains("highest with 4 clients: 2,500 tps"));
        assert!(!page.contains("\"4MB\""));
    }

    #[test]
    fn it_says_only_what_is_drawn() {
        let page = chart().render().into_string();
        assert!(page.contains("line: mean; dots: single runs; bars: 95 % interval of the mean; dotted: the scalability law fitted to the runs"));
        assert!(page.contains(">clients</text>"));
        let mut latency = chart();
        latency.line = "all runs together";
        for curve in &mut latency.curves {
            curve.law = None;
            curve
                .points
                .iter_mut()
                .for_each(|point| point.interval = None);
        }
        let page = latency.render().into_string();
        assert!(page.contains("<p class=\"note\">line: all runs together; dots: single runs</p>"));
        assert_eq!(page.matches("<td>2</td></tr>").count(), 3, "{page}");
    }

    #[test]
    fn the_law_is_that_of_universal_scalability() {
        assert_eq!(law([1000.0, 0.0, 0.0], 8.0), 8000.0);
        assert!((law([1000.0, 0.1, 0.0], 1e9) - 10_000.0).abs() < 1.0);
    }
}
