//! Several sweeps as text, readable in 80 columns.

use super::panels::{Curve, Panel, Tested, panels};
use super::{Side, calls};
use crate::experiment::metrics::half_percent;
use crate::experiment::page::model::Peak;
use crate::show::change::{interval, probability, short_percent};
use crate::show::number::decimals;
use crate::show::text::{WIDTH, columns, count, one_line, table, wrap_names};

/// So many sides have room beside each other.
const ABREAST: usize = 4;

pub fn lines(sides: &[Side]) -> Vec<String> {
    let mut lines = vec![format!(
        "{} side by side",
        count(sides.len() as i64, "sweep")
    )];
    for side in sides {
        lines.push(String::new());
        lines.extend(about(side));
    }
    for panel in panels(sides) {
        lines.push(String::new());
        lines.push(one_line(&panel.title, WIDTH));
        lines.extend(peaks(sides, &panel));
        for first in (0..sides.len()).step_by(ABREAST) {
            let last = sides.len().min(first + ABREAST);
            lines.push(String::new());
            lines.extend(points(sides, &panel, first..last));
        }
    }
    for (name, call) in calls(sides) {
        lines.push(String::new());
        lines.push(match name {
            None => "the call of each:".to_owned(),
            Some(name) => format!("the call of {name}:"),
        });
        lines.extend(call.lines().map(str::to_owned));
    }
    lines
}

/// What a side is.
fn about(side: &Side) -> Vec<String> {
    let sweep = &side.facts.sweep;
    let label = sweep.label.as_ref().map(|label| format!(" \"{label}\""));
    let failed = (sweep.failed > 0).then(|| format!(", {} failed", sweep.failed));
    let head = format!(
        "{}: sweep {}{}, {}, {} of {} runs{}",
        side.name,
        sweep.sweep_id,
        label.unwrap_or_default(),
        sweep.status,
        sweep.finished,
        sweep.runs,
        failed.unwrap_or_default()
    );
    let place = &side.place;
    let server = format!(
        "PostgreSQL {}, node {}",
        place.server_version,
        place.whereabouts()
    );
    let mut lines = vec![one_line(&head, WIDTH)];
    let details = [server, place.dates()];
    let details = details.iter().flat_map(|text| wrap_names(text, WIDTH - 2));
    lines.extend(details.map(|line| format!("  {line}")));
    lines
}

/// A row for each side's peak.
fn peaks(sides: &[Side], panel: &Panel) -> Vec<String> {
    let rows: Vec<[String; 7]> = (sides.iter().zip(&panel.curves))
        .map(|(side, curve)| {
            let [tps, half, clients, others] = peak_cells(curve);
            let [change, p] = change_cells(curve.change.as_ref());
            [side.name.clone(), tps, half, clients, change, p, others]
        })
        .collect();
    let heads = [
        "server", "peak tps", "±95%", "clients", "change %", "p", "as good",
    ];
    trimmed(table(heads, &rows))
}

/// The peak's tps, how well it is known, its number of clients, and the others that are as good.
pub fn peak_cells(curve: &Curve) -> [String; 4] {
    let Some(peak) = curve.peak else {
        return ["-", "-", "-", ""].map(str::to_owned);
    };
    let half = curve
        .at(peak.clients)
        .and_then(|point| half_percent(point.tps, point.tps_ci_high));
    [
        decimals(Some(peak.tps), if peak.tps < 100.0 { 2 } else { 0 }),
        half.map_or_else(|| "-".to_owned(), |half| format!("{half:.1}%")),
        peak.clients.to_string(),
        as_good(peak),
    ]
}

/// The other numbers of clients that are as good as the peak's.
fn as_good(peak: &Peak) -> String {
    let clients = peak.as_good_clients.iter().flatten();
    let others = clients.filter(|clients| **clients != peak.clients);
    others.map(i64::to_string).collect::<Vec<_>>().join(", ")
}

/// The change with its interval, and the probability of it by chance.
pub fn change_cells(change: Option<&Tested>) -> [String; 2] {
    let Some(change) = change else {
        return ["", ""].map(str::to_owned);
    };
    let ends = change
        .interval
        .map(|(low, high)| format!(" ({})", interval(low, high)));
    [
        short_percent(change.percent) + &ends.unwrap_or_default(),
        probability(change.p_adjusted),
    ]
}

/// A row for each number of clients: the tps of these sides.
fn points(sides: &[Side], panel: &Panel, shown: std::ops::Range<usize>) -> Vec<String> {
    let names = sides.get(shown.clone()).unwrap_or_default();
    let mut heads = vec!["clients"];
    for side in names {
        heads.extend([side.name.as_str(), "±95%"]);
    }
    heads.push("");
    let rows: Vec<Vec<String>> = panel
        .clients()
        .into_iter()
        .map(|clients| {
            let mut row = vec![clients.to_string()];
            for curve in panel.curves.get(shown.clone()).unwrap_or_default() {
                row.extend(point_cells(curve, clients));
            }
            row.push(String::new());
            row
        })
        .collect();
    trimmed(columns(&heads, &rows))
}

/// The mean tps and how well it is known.
pub fn point_cells(curve: &Curve, clients: i64) -> [String; 2] {
    let point = curve.at(clients);
    let tps = point.and_then(|point| point.tps);
    let half = point.and_then(|point| half_percent(point.tps, point.tps_ci_high));
    [
        decimals(
            tps,
            if tps.is_some_and(|tps| tps < 100.0) {
                2
            } else {
                0
            },
        ),
        half.map_or_else(|| "-".to_owned(), |half| format!("{half:.1}%")),
    ]
}

fn trimmed(lines: Vec<String>) -> Vec<String> {
    lines
        .into_iter()
        .map(|line| line.trim_end().to_owned())
        .collect()
}
