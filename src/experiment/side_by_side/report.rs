//! The report of several sweeps: for each workload their peaks, their curves and their points beside each other.

use super::panels::{Curve, Panel, panels};
use super::{Side, calls};
use crate::experiment::receivers::{self, Receiver};
use crate::experiment::report::points::{
    self, By, LATENCY, Named, THROUGHPUT, half_of_95, plus_minus,
};
use crate::report::conditions::Conditions;
use crate::show::blocks::{Block, Listing, Report, Topic, figure, name};
use crate::show::delta::Delta;
use crate::show::number::{integer, number};
use crate::show::text::count;
use maud::html;

pub fn report(sides: &[Side]) -> Report {
    let title = format!("{} side by side", count(sides.len() as i64, "sweep"));
    let names: Vec<&str> = sides.iter().map(|side| side.name.as_str()).collect();
    let mut topics = vec![Topic::new("servers", "Servers", vec![servers(sides)])];
    let panels = panels(sides);
    let conditions = Conditions::beside(sides.iter().map(|side| &side.facts.conditions));
    topics.extend(
        panels
            .iter()
            .zip(0..)
            .map(|(panel, place)| of_panel(sides, panel, place, conditions.cpus())),
    );
    topics.extend(conditions.topic(&names));
    let calls = calls(sides).into_iter().flat_map(|(name, call)| {
        let name = name.map(|name| Block::Heading(name.to_owned()));
        name.into_iter().chain([Block::Code(call)])
    });
    topics.push(Topic::new("calls", "Calls", calls.collect()));
    Report {
        name: format!("pgperf: {title}"),
        header: html! {
            p class="kind" { "pgperf sweeps" }
            h1 { (title) }
            p class="what" { (names.join(" \u{b7} ")) }
            @if let Some(conditions) = conditions.line() { p class="where" { (conditions) } }
        },
        title,
        summary: conditions.line().into_iter().collect(),
        topics,
    }
}

fn servers(sides: &[Side]) -> Block {
    let columns = vec![
        name("server", |it: &Side| it.name.clone()),
        name("PostgreSQL", |it: &Side| {
            it.facts.origin.server_version.clone()
        }),
        name("node", |it: &Side| it.facts.origin.whereabouts()),
        name("date", |it: &Side| it.facts.origin.dates()),
        name("status", |it: &Side| it.facts.sweep.status.clone()),
        figure("runs", |it: &Side| {
            let (finished, runs) = (it.facts.sweep.finished, it.facts.sweep.runs);
            Some(format!("{} of {}", integer(finished), integer(runs)))
        }),
        figure("failed", |it: &Side| {
            let failed = it.facts.sweep.failed;
            (failed > 0).then(|| integer(failed))
        }),
        figure("sweep", |it: &Side| Some(integer(it.facts.sweep.sweep_id))),
        name("label", |it: &Side| {
            it.facts.sweep.label.clone().unwrap_or_default()
        }),
    ];
    Block::Table(Listing::of(sides, columns))
}

fn of_panel(sides: &[Side], panel: &Panel, place: usize, cpus: Option<i64>) -> Topic {
    let curves = || {
        let curves = panel.curves.iter();
        curves.map(|curve| -> Named { (curve.name, curve.points.clone(), None) })
    };
    let remark = "The change is that of the peak from the first server's; p is corrected for the number of servers.";
    let mut blocks = vec![
        THROUGHPUT.of(curves(), cpus),
        peaks(panel),
        Block::Remark(remark.to_owned()),
        LATENCY.of(curves(), cpus),
        rates(panel),
        points(panel),
    ];
    blocks.extend(sustained(sides, panel, cpus));
    Topic::new(format!("panel-{place}"), panel.title.clone(), blocks)
}

/// The rates that the receivers of all sweeps sustain; nothing where no sweep has receivers.
fn sustained(sides: &[Side], panel: &Panel, cpus: Option<i64>) -> Vec<Block> {
    let of_sides = || sides.iter().zip(&panel.curves);
    let all: Vec<Vec<Receiver>> = of_sides()
        .map(|(side, curve)| receivers::of(&curve.points, &side.facts.metrics))
        .collect();
    if all.iter().all(Vec::is_empty) {
        return Vec::new();
    }
    let counts: Vec<usize> = all.iter().map(Vec::len).collect();
    let all = panel.curves.iter().zip(all);
    let all: Vec<Receiver> = all
        .flat_map(|(curve, receivers)| receivers::beside(curve.name, &curve.points, receivers))
        .collect();
    let short = of_sides().zip(counts).flat_map(|((side, curve), count)| {
        let name = |receiver: &str| receivers::name_beside(curve.name, receiver, count);
        receivers::too_short(&curve.points, &side.facts.short, &By::Clients, name)
    });
    receivers::blocks(&all, &By::Clients, cpus)
        .into_iter()
        .chain(short)
        .collect()
}

/// A row for each sweep's peak.
fn peaks(panel: &Panel) -> Block {
    let mut columns = vec![
        name("server", |it: &Curve| it.name.to_owned()),
        figure("peak tps", |it: &Curve| {
            it.peak.map(|peak| number(peak.tps))
        }),
        figure("±95%", |it: &Curve| half_of_95(it.peak_point()?)),
        figure("clients", |it: &Curve| {
            it.peak.map(|peak| integer(peak.clients))
        }),
    ];
    columns.extend(Delta::columns(|it: &Curve| &it.change));
    columns.push(name("as good", |it: &Curve| {
        let others = it.peak.map(|peak| peak.others()).unwrap_or_default();
        let others: Vec<String> = others.iter().map(i64::to_string).collect();
        others.join(", ")
    }));
    Block::Table(Listing::of(&panel.curves, columns))
}

/// A row for each number of clients, with the rate of each sweep.
fn rates(panel: &Panel) -> Block {
    let mut columns = vec![figure("clients", |clients: &i64| Some(integer(*clients)))];
    columns.extend(panel.curves.iter().map(|curve| {
        figure(curve.name, |clients: &i64| {
            let point = curve.at(*clients)?;
            let half = plus_minus(half_of_95(point));
            Some(number(point.tps?) + &half)
        })
    }));
    Block::Table(Listing::of(&panel.clients(), columns))
}

/// All figures of the points, sweep by sweep.
fn points(panel: &Panel) -> Block {
    Block::Page(html! {
        @for curve in &panel.curves {
            (Block::Heading(curve.name.to_owned()))
            (Block::Table(points::table(&curve.points, &[], &By::Clients)))
        }
    })
}
