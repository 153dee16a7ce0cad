//! Points in the reports of sweeps: their figures, and their curves over the number of clients.

use super::facts::{Law, Point};
use crate::experiment::metrics::{self, Metric};
use crate::show::blocks::{Block, Listing, figure, name};
use crate::show::charts::{ClientsChart, Curve, Measured};
use crate::show::number::{Unit, integer, number};
use maud::html;

/// A figure of points that has a chart.
pub struct Charted {
    title: &'static str,
    unit: Unit,
    /// The meaning of its line.
    line: &'static str,
    of: fn(&Point) -> Option<Measured>,
}

pub const THROUGHPUT: Charted = Charted {
    title: "Throughput",
    unit: Unit::Count("tps"),
    line: "mean",
    of: |point| {
        Some(Measured {
            clients: point.clients,
            mean: point.tps?,
            interval: point.tps_ci_low.zip(point.tps_ci_high),
            values: point.tps_values.clone().unwrap_or_default(),
        })
    },
};
pub const LATENCY: Charted = Charted {
    title: "Latency, p95",
    unit: Unit::Milliseconds,
    line: "all runs together",
    of: |point| {
        Some(Measured {
            clients: point.clients,
            mean: point.latency_p95_ms?,
            interval: None,
            values: point.latency_p95_values.clone().unwrap_or_default(),
        })
    },
};

/// Points with the name of their curve, and the law fitted to them.
pub type Named<'a> = (&'a str, Vec<&'a Point>, Option<&'a Law>);

impl Charted {
    /// The charts of these curves, several to a chart.
    ///
    /// `cpus`: those of the machine, which the charts mark.
    pub fn of<'a>(&self, curves: impl Iterator<Item = Named<'a>>, cpus: Option<i64>) -> Block {
        let parameters = |law: &Law| Some([law.lambda?, law.sigma?, law.kappa?]);
        let curves = curves.map(|(name, points, law)| Curve {
            name: name.to_owned(),
            color: 0,
            points: points.into_iter().filter_map(self.of).collect(),
            law: law.and_then(parameters),
        });
        let Charted {
            title, unit, line, ..
        } = *self;
        with_charts(title, unit, line, curves, cpus)
    }
}

/// Charts of curves over the number of clients, several to a chart, each in a color of its own. `line`: the meaning of a line;
/// `cpus`: those of the machine.
pub fn with_charts(
    title: &'static str,
    unit: Unit,
    line: &'static str,
    curves: impl Iterator<Item = Curve>,
    cpus: Option<i64>,
) -> Block {
    const COLORS: [u8; 6] = [1, 2, 3, 4, 6, 8];
    let curves: Vec<Curve> = curves
        .zip(COLORS.into_iter().cycle())
        .map(|(curve, color)| Curve { color, ..curve })
        .filter(|curve| !curve.points.is_empty())
        .collect();
    Block::Page(html! {
        @if curves.is_empty() { p class="why" { "No run has finished yet." } }
        @for curves in curves.chunks(COLORS.len()) {
            (ClientsChart { title, unit, line, curves: curves.to_vec(), cpus, height: 300.0 }.render())
        }
    })
}

/// Half of an interval in percent of its mean.
pub fn half(percent: Option<f64>) -> Option<String> {
    percent.map(|percent| format!("{percent:.1}%"))
}

/// That of the 95 % interval of a point.
pub fn half_of_95(point: &Point) -> Option<String> {
    half(metrics::half_percent(point.tps, point.tps_ci_high))
}

/// That of the interval of a point that its own sweep shows. One that decides on further runs is wider, for the looks in between.
fn half_of(point: &Point) -> Option<String> {
    match point.precise {
        Some(_) => half(point.precision_percent),
        None => half_of_95(point),
    }
}

/// What stands behind a mean.
pub fn plus_minus(half: Option<String>) -> String {
    half.map_or_else(String::new, |half| format!(" ± {half}"))
}

/// Their table.
pub fn table(points: &[&Point], metrics: &[Metric]) -> Listing {
    let any_failed = points.iter().any(|point| point.failed_runs > 0);
    let decides = points.iter().any(|point| point.precise.is_some());
    let mut columns = vec![
        figure("clients", |it: &Point| Some(integer(it.clients))),
        figure("runs", |it: &Point| Some(integer(it.n))),
        figure("failed", |it: &Point| {
            any_failed.then(|| integer(it.failed_runs))
        }),
        figure("tps", |it: &Point| it.tps.map(number)),
        figure(if decides { "±98%" } else { "±95%" }, half_of),
        figure("mean ms", |it: &Point| it.latency_avg_ms.map(number)),
        figure("p95 ms", |it: &Point| it.latency_p95_ms.map(number)),
        figure("p99 ms", |it: &Point| it.latency_p99_ms.map(number)),
        name("caches", |it: &Point| match it.caches.as_deref() {
            None => String::new(),
            Some(caches) if is_alike(caches) => caches.to_owned(),
            Some(_) => "mixed".to_owned(),
        }),
    ];
    let names = metrics::names(metrics, points.iter().map(|point| point.point_no));
    columns.extend(names.into_iter().map(|name| {
        figure(name, move |point: &Point| {
            let metric = metrics::at(metrics, name, point.point_no)?;
            let half = plus_minus(half(metric.half_percent()));
            let text = format!("{}{half} {}", number(metric.mean?), metric.unit);
            Some(text.trim_end().to_owned())
        })
    }));
    Listing::of(points.iter().copied(), columns)
}

/// Whether all runs had the same caches.
pub fn is_alike(caches: &str) -> bool {
    ["cold", "warm"].contains(&caches)
}
