//! Points in the reports of sweeps: their figures, and their curves over the number of clients.

use super::facts::{Facts, Law, Point};
use crate::experiment::metrics::{self, Metric};
use crate::experiment::receivers;
use crate::experiment::values::Group;
use crate::show::blocks::{Block, Column, Listing, figure, name};
use crate::show::charts::{Bars, ClientsChart, Curve, Measured, ValueBar};
use crate::show::number::{Unit, integer, number};
use crate::show::text::count;
use maud::{Markup, html};
use std::collections::BTreeSet;

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

/// A curve has at least so many points.
const FEWEST: usize = 3;

/// What tells the points of a table apart.
pub enum By<'a> {
    Clients,
    /// What varies besides, with one number of clients.
    Values(&'a Group),
}

impl By<'_> {
    /// The column that tells it.
    pub fn column(&self) -> Column<'_, Point> {
        match self {
            By::Clients => figure("clients", |point: &Point| Some(integer(point.clients))),
            By::Values(group) => group.column(|point: &Point| point.point_no),
        }
    }

    /// A point in a sentence.
    pub fn name(&self, point: &Point) -> String {
        match self {
            By::Clients => count(point.clients, "client"),
            By::Values(_) => self.short(point),
        }
    }

    /// A point in a list.
    pub fn short(&self, point: &Point) -> String {
        match self {
            By::Clients => point.clients.to_string(),
            By::Values(group) => group.name_of(point.point_no),
        }
    }
}

/// Points with the name of their curve, and the law fitted to them.
pub type Named<'a> = (&'a str, Vec<&'a Point>, Option<&'a Law>);

impl Charted {
    /// What is known of it at a point.
    pub fn measured(&self, point: &Point) -> Option<Measured> {
        (self.of)(point)
    }

    /// The charts of these curves, see [`with_charts`].
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

/// Charts of curves over the number of clients, several to a chart, each in a color of its own; with one or two numbers of clients there are
/// no curves, but a bar for each point. `line`: the meaning of a line; `cpus`: those of the machine, which the charts mark.
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
    let points = curves.iter().flat_map(|curve| &curve.points);
    let clients: BTreeSet<i64> = points.map(|point| point.clients).collect();
    if (1..FEWEST).contains(&clients.len()) {
        return Block::Page(beside(title, unit, line, &curves, &clients));
    }
    Block::Page(html! {
        @if curves.is_empty() { p class="why" { "No run has finished yet." } }
        @for curves in curves.chunks(COLORS.len()) {
            (ClientsChart { title, unit, line, curves: curves.to_vec(), cpus, height: 300.0 }.render())
        }
    })
}

/// A bar for each point of curves over so few numbers of clients; nothing for one of them.
fn beside(
    title: &'static str,
    unit: Unit,
    line: &'static str,
    curves: &[Curve],
    clients: &BTreeSet<i64>,
) -> Markup {
    let name = |curve: &Curve, point: &Measured| match (clients.len(), curves.len()) {
        (1, _) => curve.name.clone(),
        (_, 1) => count(point.clients, "client"),
        _ => format!("{}, {}", curve.name, count(point.clients, "client")),
    };
    let bar = |curve: &Curve, point: &Measured| ValueBar {
        name: name(curve, point),
        parts: vec![(curve.color, point.mean)],
        interval: point.interval,
        told: vec![name(curve, point), unit.write(point.mean)],
    };
    let bars = curves
        .iter()
        .flat_map(|curve| curve.points.iter().map(move |point| bar(curve, point)));
    let bars: Vec<ValueBar> = bars.collect();
    if bars.len() < 2 {
        return html! {};
    }
    Bars {
        title,
        note: line,
        summary: format!("{title}, a bar for each"),
        unit,
        legend: Vec::new(),
        rows: bars.iter().map(|bar| bar.told.clone()).collect(),
        heads: vec![String::new(), title.to_owned()],
        bars,
        numbers: None,
        height: 220.0,
    }
    .render()
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
pub fn table(points: &[&Point], metrics: &[Metric], by: &By) -> Listing {
    let any_failed = points.iter().any(|point| point.failed_runs > 0);
    let decides = points.iter().any(|point| point.precise.is_some());
    let mut columns = vec![
        by.column(),
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

/// Their table with what is to say about them; `more`: further remarks.
pub fn blocks(
    facts: &Facts,
    points: &[&Point],
    by: &By,
    table: Listing,
    more: impl IntoIterator<Item = String>,
) -> Vec<Block> {
    let wanted = facts.sweep.until.wanted();
    let remarks = (caches(points, by).into_iter())
        .chain(wanted.map(|wanted| precision(&wanted, points, by)))
        .chain(more);
    let sustained = receivers::of(points, &facts.metrics);
    std::iter::once(Block::Table(table))
        .chain(remarks.map(Block::Remark))
        .chain(receivers::blocks(&sustained, by, facts.conditions.cpus()))
        .chain(receivers::too_short(
            points,
            &facts.short,
            by,
            str::to_owned,
        ))
        .collect()
}

/// Which points are not known as well as wanted.
fn precision(wanted: &str, points: &[&Point], by: &By) -> String {
    let open = points.iter().filter(|point| point.precise != Some(true));
    let open: Vec<String> = open.map(|point| by.short(point)).collect();
    match open.as_slice() {
        [] => format!("each mean is known within {wanted}"),
        open => format!("not known within {wanted}: {}", open.join(", ")),
    }
}

/// The points whose runs did not all have the caches that they asked for.
fn caches(points: &[&Point], by: &By) -> Vec<String> {
    let of_point = |point: &&Point| {
        let caches = point.caches.as_deref();
        let caches = caches.filter(|caches| !is_alike(caches))?;
        Some(format!("{}: {caches}", by.name(point)))
    };
    points.iter().filter_map(of_point).collect()
}

/// Whether all runs had the same caches.
pub fn is_alike(caches: &str) -> bool {
    ["cold", "warm"].contains(&caches)
}
