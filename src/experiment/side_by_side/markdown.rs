//! Several sweeps as a comment of a pull request.

use super::panels::{Panel, panels};
use super::text::{change_cells, peak_cells, point_cells};
use super::{Side, calls};
use crate::report::markdown::{escape, table};
use crate::show::text::count;

pub fn comment(sides: &[Side]) -> String {
    let mut lines = vec![
        format!(
            "### pgperf: {} side by side",
            count(sides.len() as i64, "sweep")
        ),
        String::new(),
    ];
    let heads = ["server", "PostgreSQL", "node", "date", "runs", "sweep"];
    let rows: Vec<Vec<String>> = sides.iter().map(about).collect();
    lines.extend(table(&heads, &rows));
    for panel in panels(sides) {
        lines.push(format!("\n**{}**\n", escape(&panel.title)));
        lines.extend(peaks(sides, &panel));
        lines.push(String::new());
        lines.extend(points(sides, &panel));
    }
    for (name, call) in calls(sides) {
        let whose = name.map_or_else(|| "each".to_owned(), escape);
        // Longer than any row of backticks in the call.
        let fence = "`".repeat(3.max(1 + longest_row_of_backticks(&call)));
        lines.push(format!(
            "\nThe call of {whose}:\n\n{fence}sql\n{call}\n{fence}"
        ));
    }
    lines.join("\n") + "\n"
}

fn longest_row_of_backticks(text: &str) -> usize {
    let rows = text.split(|character| character != '`').map(str::len);
    rows.max().unwrap_or(0)
}

fn about(side: &Side) -> Vec<String> {
    let (sweep, place) = (&side.facts.sweep, &side.place);
    let label = sweep.label.as_ref().map(|label| format!(" \"{label}\""));
    let cells = [
        side.name.clone(),
        place.server_version.clone(),
        place.whereabouts(),
        place.dates(),
        format!("{} of {}", sweep.finished, sweep.runs),
        format!("{}{}", sweep.sweep_id, label.unwrap_or_default()),
    ];
    cells.iter().map(|cell| escape(cell)).collect()
}

fn peaks(sides: &[Side], panel: &Panel) -> Vec<String> {
    let rows: Vec<Vec<String>> = (sides.iter().zip(&panel.curves))
        .map(|(side, curve)| {
            let [tps, half, clients, others] = peak_cells(curve);
            let [change, p] = change_cells(curve.change.as_ref());
            vec![escape(&side.name), tps, half, clients, others, change, p]
        })
        .collect();
    let heads = [
        "server",
        "peak tps",
        "\u{b1} 95 %",
        "clients",
        "as good",
        "change %",
        "p",
    ];
    table(&heads, &rows)
}

fn points(sides: &[Side], panel: &Panel) -> Vec<String> {
    let mut heads = vec!["clients".to_owned()];
    heads.extend(sides.iter().map(|side| escape(&side.name)));
    let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
    let rows: Vec<Vec<String>> = panel
        .clients()
        .into_iter()
        .map(|clients| {
            let cells = panel.curves.iter().map(|curve| {
                let [tps, half] = point_cells(curve, clients);
                match half.as_str() {
                    "-" => tps,
                    half => format!("{tps} \u{b1} {half}"),
                }
            });
            std::iter::once(clients.to_string()).chain(cells).collect()
        })
        .collect();
    table(&heads, &rows)
}
