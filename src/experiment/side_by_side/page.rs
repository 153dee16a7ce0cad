//! The page of several sweeps: a panel for each workload, a curve for each sweep.

use super::panels::{Panel, panels};
use super::text::{change_cells, peak_cells};
use super::{Side, calls};
use crate::experiment::page::model::Point;
use crate::experiment::page::{
    CURVES, FIGURES, LATENCY, Shown, THROUGHPUT, color, figures, latencies, rates,
};
use crate::show::charts::{ClientsChart, Curve, Measured};
use crate::show::number::{integer, number};
use crate::show::page::table::{Cell, table};
use crate::show::page::{Chapter, page};
use crate::show::text::count;
use maud::{Markup, html};

pub fn sweeps(sides: &[Side]) -> String {
    let what = format!("{} side by side", count(sides.len() as i64, "sweep"));
    let mut sections = vec![Chapter::new("servers", "Servers", servers(sides))];
    for (number, panel) in panels(sides).iter().enumerate() {
        let id = format!("panel-{number}");
        sections.push(Chapter::new(id, panel.title.clone(), shown(sides, panel)));
    }
    sections.push(Chapter::new("calls", "Calls", made_by(sides)));
    let header = html! {
        p class="kind" { "pgperf sweeps" }
        h1 { (what) }
        p class="what" { (names(sides)) }
    };
    let footer = html! { p { "Written by pgperf " (env!("CARGO_PKG_VERSION")) "." } };
    page(&format!("pgperf: {what}"), header, &sections, footer)
}

fn names(sides: &[Side]) -> String {
    let names: Vec<&str> = sides.iter().map(|side| side.name.as_str()).collect();
    names.join(" \u{b7} ")
}

fn servers(sides: &[Side]) -> Markup {
    let rows: Vec<Vec<Cell>> = sides
        .iter()
        .map(|side| {
            let (sweep, place) = (&side.facts.sweep, &side.place);
            vec![
                Cell::text(&side.name),
                Cell::text(&place.server_version),
                Cell::text(&place.node),
                Cell::text(place.host.as_deref().unwrap_or("\u{2013}")),
                Cell::text(place.dates()),
                Cell::text(&sweep.status),
                Cell::Number(format!(
                    "{} of {}",
                    integer(sweep.finished),
                    integer(sweep.runs)
                )),
                Cell::Number(integer(sweep.sweep_id)),
                Cell::text(sweep.label.as_deref().unwrap_or_default()),
            ]
        })
        .collect();
    let heads = [
        "server",
        "PostgreSQL",
        "node",
        "host",
        "date",
        "status",
        "runs",
        "sweep",
        "label",
    ];
    table(&heads, &rows)
}

fn shown(sides: &[Side], panel: &Panel) -> Markup {
    html! {
        (charts(sides, panel, THROUGHPUT, rates))
        (peaks(sides, panel))
        (charts(sides, panel, LATENCY, latencies))
        (points(sides, panel))
    }
}

/// One curve for each side, several to a chart.
fn charts(
    sides: &[Side],
    panel: &Panel,
    (title, unit, line): Shown,
    of: fn(&Point) -> Option<Measured>,
) -> Markup {
    let curves: Vec<Curve> = (sides.iter().zip(&panel.curves).enumerate())
        .map(|(number, (side, curve))| Curve {
            name: side.name.clone(),
            color: color(number),
            points: curve.points.iter().filter_map(|point| of(point)).collect(),
            law: None,
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

fn peaks(sides: &[Side], panel: &Panel) -> Markup {
    let rows: Vec<Vec<Cell>> = (sides.iter().zip(&panel.curves))
        .map(|(side, curve)| {
            let [_, half, clients, others] = peak_cells(curve);
            let [change, p] = change_cells(curve.change.as_ref());
            vec![
                Cell::text(&side.name),
                Cell::number(curve.peak.map(|peak| number(peak.tps))),
                Cell::Number(half),
                Cell::Number(clients),
                Cell::text(others),
                Cell::Number(change),
                Cell::Number(p),
            ]
        })
        .collect();
    let heads = [
        "server",
        "peak tps",
        "\u{b1} 95 %",
        "clients",
        "as good",
        "change, %",
        "p",
    ];
    html! {
        (table(&heads, &rows))
        p class="note" { "The change is that of the peak from the first server's, with its 95 % interval; p is corrected for the number of servers." }
    }
}

fn points(sides: &[Side], panel: &Panel) -> Markup {
    let rows: Vec<Vec<Cell>> = (sides.iter().zip(&panel.curves))
        .flat_map(|(side, curve)| {
            curve.points.iter().map(|point| {
                let mut row = vec![Cell::text(&side.name)];
                row.extend(figures(point));
                row
            })
        })
        .collect();
    let mut heads = vec!["server"];
    heads.extend(FIGURES);
    table(&heads, &rows)
}

fn made_by(sides: &[Side]) -> Markup {
    html! {
        @for (name, call) in calls(sides) {
            @if let Some(name) = name { h3 { (name) } }
            pre { (call) }
        }
    }
}
