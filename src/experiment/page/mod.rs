//! The page of a sweep: throughput by number of clients, the peak, the law.

pub mod model;

use super::metrics;
use super::race::{self, standing::Standings};
use super::sweeps;
use crate::pg::catalog::role::as_owner;
use crate::pg::sql::text::Text;
use crate::show::charts::{ClientsChart, Curve, Measured};
use crate::show::number::{Unit, duration, integer, number};
use crate::show::page::table::{Cell, table};
use crate::show::page::{Chapter, page};
use crate::show::text::plural;
use maud::{Markup, html};
use model::{Facts, Law, Peak, Point, Sweep};
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

/// The maximum number of curves in one chart.
pub const CURVES: usize = 6;

/// A chart's title, its unit, and the meaning of its line.
pub type Shown = (&'static str, Unit, &'static str);
pub const THROUGHPUT: Shown = ("Throughput", Unit::Count("tps"), "mean");
pub const LATENCY: Shown = ("Latency, p95", Unit::Milliseconds, "all runs together");

/// The colour of a curve.
pub fn color(number: usize) -> u8 {
    [1, 2, 3, 4, 6, 8][number % CURVES]
}

/// The page.
pub fn sweep(facts: &Facts) -> String {
    let title = match &facts.sweep.label {
        Some(label) => format!("{label} \u{2013} pgperf sweep {}", facts.sweep.sweep_id),
        None => format!("pgperf sweep {}", facts.sweep.sweep_id),
    };
    let race = facts.race.as_ref();
    let race =
        race.map(|race| Chapter::new("race", "Race", standings(race, facts.sweep.elapsed_s)));
    let sections = [
        Chapter::new("throughput", "Throughput", charts(facts, THROUGHPUT, rates)),
        Chapter::new("latency", "Latency", charts(facts, LATENCY, latencies)),
        Chapter::new("peaks", "Peaks", peaks(facts)),
        Chapter::new("points", "Points", points(facts)),
    ];
    let sections: Vec<Chapter> = race.into_iter().chain(sections).collect();
    let footer = html! { p { "Written by pgperf " (env!("CARGO_PKG_VERSION")) "." } };
    page(&title, header(facts), &sections, footer)
}

fn header(facts: &Facts) -> Markup {
    let sweep = &facts.sweep;
    let best = facts.peaks.iter().max_by(|a, b| a.tps.total_cmp(&b.tps));
    html! {
        p class="kind" { "pgperf sweep" }
        h1 {
            @if let Some(label) = &sweep.label { (label) } @else { "Sweep " (sweep.sweep_id) }
            span class={ "status " (sweep.status) } { (sweep.status) }
        }
        p class="what" { (how(sweep)) }
        @if let Some(error) = &sweep.error { p class="warning" { (error) } }
        ul class="cards" {
            @if let Some(peak) = best {
                li {
                    span class="name" { "Peak" }
                    span class="value" { (number(peak.tps)) " " small { "tps" } }
                    span class="more" { "with " (integer(peak.clients)) " " (plural(peak.clients, "client")) @if !peak.combination.is_empty() { ", " (peak.combination) } }
                }
            }
            li {
                span class="name" { "Runs" }
                span class="value" { (integer(sweep.finished)) " " small { "of " (sweep.until.runs(sweep.runs, integer)) } }
                span class="more" { @if sweep.failed > 0 { (integer(sweep.failed)) " failed" } @else { "none failed" } }
            }
            li {
                span class="name" { "Time" }
                span class="value" { (duration(sweep.elapsed_s)) }
                span class="more" { @if let Some(left) = sweep.eta_s { (duration(left)) " left" } }
            }
        }
    }
}

fn how(sweep: &Sweep) -> String {
    let repetitions = sweep.until.repetitions(sweep.repetitions);
    let mut parts = vec![repetitions.trim_end_matches(',').to_owned()];
    parts.push(match sweep.run_order.as_str() {
        "random" => format!("in random order (seed {})", sweep.random_seed),
        _ => "in the given order".to_owned(),
    });
    parts.extend(
        (sweep.init == "change").then(|| "tables loaded anew where they differ".to_owned()),
    );
    parts.extend((sweep.init == "each").then(|| "tables loaded anew before each run".to_owned()));
    parts.extend(
        sweep
            .checkpoint
            .then(|| "a checkpoint before each run".to_owned()),
    );
    parts.join(" \u{b7} ")
}

/// Who is the best of a race, who left it when, and what it cost.
fn standings(race: &Standings, elapsed_s: f64) -> Markup {
    let rows: Vec<Vec<Cell>> = (race::report::cells(race).into_iter())
        .map(|[runs, mean, change, worst, verdict, name]| {
            let number = |text: String| Cell::number(Some(text));
            vec![
                Cell::text(name),
                Cell::text(verdict),
                number(runs),
                number(mean),
                number(change),
                number(worst),
            ]
        })
        .collect();
    html! {
        p { (race::report::winner(race)) }
        (table(&["point", "", "runs", "mean", "change", "at worst"], &rows))
        p class="why" { (race::report::cost(race, elapsed_s)) "." }
    }
}

pub fn rates(point: &Point) -> Option<Measured> {
    Some(Measured {
        clients: point.clients,
        mean: point.tps?,
        interval: point.tps_ci_low.zip(point.tps_ci_high),
        values: point.tps_values.clone().unwrap_or_default(),
    })
}

pub fn latencies(point: &Point) -> Option<Measured> {
    Some(Measured {
        clients: point.clients,
        mean: point.latency_p95_ms?,
        interval: None,
        values: point.latency_p95_values.clone().unwrap_or_default(),
    })
}

/// One curve for each combination, several to a chart.
fn charts(facts: &Facts, (title, unit, line): Shown, of: fn(&Point) -> Option<Measured>) -> Markup {
    let curves: Vec<Curve> = facts
        .points
        .chunk_by(|a, b| a.combination == b.combination)
        .enumerate()
        .filter_map(|(number, points)| {
            let combination = &points.first()?.combination;
            let law = facts
                .laws
                .iter()
                .find(|law| law.combination == *combination);
            Some(Curve {
                name: combination.clone(),
                color: color(number),
                points: points.iter().filter_map(of).collect(),
                law: law
                    .and_then(parameters)
                    .filter(|_| unit == Unit::Count("tps")),
            })
        })
        .filter(|curve| !curve.points.is_empty())
        .collect();
    if curves.is_empty() {
        return html! { p class="why" { "No run has finished yet." } };
    }
    html! {
        @for curves in curves.chunks(CURVES) {
            (ClientsChart { title, unit, line, curves: curves.to_vec(), height: 300.0 }.render())
        }
    }
}

fn parameters(law: &Law) -> Option<[f64; 3]> {
    Some([law.lambda?, law.sigma?, law.kappa?])
}

fn peaks(facts: &Facts) -> Markup {
    let rows: Vec<Vec<Cell>> = facts
        .peaks
        .iter()
        .map(|peak| {
            let law = facts
                .laws
                .iter()
                .find(|law| law.combination == peak.combination);
            let of_law =
                |value: fn(&Law) -> Option<f64>| Cell::number(law.and_then(value).map(number));
            vec![
                Cell::text(&peak.combination),
                Cell::Number(number(peak.tps)),
                Cell::Number(integer(peak.clients)),
                Cell::text(as_good(peak)),
                of_law(|law| law.sigma),
                of_law(|law| law.kappa),
                of_law(|law| law.r_squared),
                of_law(|law| law.peak_clients),
                of_law(|law| law.peak_tps),
            ]
        })
        .collect();
    let heads = [
        "combination",
        "peak tps",
        "clients",
        "as good",
        "contention",
        "coherency",
        "R\u{b2}",
        "peak by the law, clients",
        "tps",
    ];
    html! {
        (table(&heads, &rows))
        p class="note" { "The Universal Scalability Law: with contention 0 and coherency 0 the rate would grow with the clients for ever." }
    }
}

fn as_good(peak: &Peak) -> String {
    let Some(clients) = &peak.as_good_clients else {
        return "one run at the peak is too few".to_owned();
    };
    let others = clients.iter().filter(|clients| **clients != peak.clients);
    let others = list(others).unwrap_or_else(|| "none".to_owned());
    let mut parts = vec![format!(
        "within {} %: {others}",
        number(peak.margin_percent)
    )];
    for (what, clients) in [
        ("undecided", &peak.undecided_clients),
        ("untested", &peak.untested_clients),
    ] {
        parts.extend(list(clients.iter().flatten()).map(|clients| format!("{what}: {clients}")));
    }
    parts.join("; ")
}

/// None if there are no clients.
fn list<'a>(clients: impl Iterator<Item = &'a i64>) -> Option<String> {
    let clients: Vec<String> = clients.map(|clients| integer(*clients)).collect();
    (!clients.is_empty()).then(|| clients.join(", "))
}

/// The figures of a point, in a table with these heads.
pub const FIGURES: [&str; 8] = [
    "clients",
    "runs",
    "mean tps",
    "95 % interval",
    "mean ms",
    "p95 ms",
    "p99 ms",
    "failed runs",
];

pub fn figures(point: &Point) -> [Cell; FIGURES.len()] {
    let interval = point.tps_ci_low.zip(point.tps_ci_high);
    let interval = interval.map(|(low, high)| format!("{} to {}", number(low), number(high)));
    [
        Cell::Number(integer(point.clients)),
        Cell::Number(integer(point.n)),
        Cell::number(point.tps.map(number)),
        Cell::number(interval),
        Cell::number(point.latency_avg_ms.map(number)),
        Cell::number(point.latency_p95_ms.map(number)),
        Cell::number(point.latency_p99_ms.map(number)),
        Cell::Number(integer(point.failed_runs)),
    ]
}

fn points(facts: &Facts) -> Markup {
    let all = || facts.points.iter();
    let names = metrics::names(&facts.metrics, all().map(|point| point.point_no));
    let wanted = facts.sweep.until.wanted();
    let has_caches = all().any(|point| point.caches.is_some());
    let rows: Vec<Vec<Cell>> = all()
        .map(|point| {
            let mut row = vec![Cell::text(&point.combination)];
            row.extend(figures(point));
            if wanted.is_some() {
                row.push(Cell::number(
                    point
                        .precision_percent
                        .map(|percent| format!("{percent:.1} %")),
                ));
                row.push(Cell::text(match point.precise {
                    Some(true) => "yes",
                    _ => "no",
                }));
            }
            if has_caches {
                row.push(Cell::text(point.caches.as_deref().unwrap_or("")));
            }
            row.extend(names.iter().map(|name| {
                let metric = metrics::at(&facts.metrics, name, point.point_no);
                Cell::number(metric.and_then(|metric| Some(number(metric.mean?))))
            }));
            row
        })
        .collect();
    let mut heads = vec!["combination"];
    heads.extend(FIGURES);
    let within = wanted.map(|wanted| format!("within {wanted}"));
    if let Some(within) = &within {
        heads.extend(["\u{b1} 98 %", within]);
    }
    if has_caches {
        heads.push("caches");
    }
    heads.extend(&names);
    table(&heads, &rows)
}

/// `pgperf.sweep_html(sweep_id bigint)`; NULL: the newest.
#[pg_extern(sql = false)]
fn sweep_html(sweep_id: Option<i64>) -> std::result::Result<Text, ErrorReport> {
    let found = sweeps::by_id(sweep_id)?;
    found.check_visible()?;
    let facts = as_owner(|| model::load(&found.node_id, found.sweep_id))?;
    Ok(sweep(&facts).into())
}
