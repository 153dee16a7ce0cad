//! The figures of a run's parts where it has several: its scripts, such as the types of its transactions, and its servers.

use super::compared_run::{Columns, Facts};
use super::figures::{Figure, figure, numbers, text};
use serde_json::Value;

const SCRIPTS: &str = "scripts";
const SERVERS: &str = "servers";
const RATE: &str = "tps";
const FAILED: &str = "failed_percent";

/// Rates, latencies and failures of each.
pub fn of(facts: &Facts) -> impl Iterator<Item = Figure> {
    let parts = [
        (SCRIPTS, "script", &facts.scripts),
        (SERVERS, "server", &facts.servers),
    ];
    // What an only script or server did is what the run did.
    let several = parts.into_iter().filter(|(.., parts)| parts.len() > 1);
    several.flat_map(|(category, name, parts)| {
        let parts = parts.iter();
        parts.flat_map(move |columns| part(category, name, columns))
    })
}

/// Whether the objects of a category are such parts.
pub fn are(category: &str) -> bool {
    [SCRIPTS, SERVERS].contains(&category)
}

fn part(category: &str, name: &str, columns: &Columns) -> Vec<Figure> {
    let name = text(columns, name);
    let is_figure = |name: &str| name == RATE || name.ends_with("_ms");
    let mut figures: Vec<Figure> = numbers(columns)
        .filter(|(name, _)| is_figure(name))
        .chain(failed_percent(columns))
        .map(|(metric, value)| figure(category, Some(name.to_owned()), metric, value))
        .collect();
    figures.sort_by_key(|figure| (figure.meaning.rank, figure.key.metric.clone()));
    figures
}

/// The share of its transactions that failed.
fn failed_percent(columns: &Columns) -> Option<(&'static str, f64)> {
    let number = |name: &str| columns.get(name).and_then(Value::as_f64);
    let (done, failed) = (number("transactions")?, number("failed")?);
    let all = done + failed;
    (all > 0.0).then(|| (FAILED, 100.0 * failed / all))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn facts(scripts: Value) -> Facts {
        let rows = scripts.as_array().cloned().unwrap_or_default();
        Facts {
            scripts: rows
                .iter()
                .filter_map(|row| row.as_object().cloned())
                .collect(),
            ..Facts::default()
        }
    }

    #[test]
    fn each_of_several_scripts_has_its_figures() {
        let rows = json!([
            {"script_no": 0, "script": "payment", "weight": 43, "transactions": 90, "failed": 10, "tps": 9.0,
             "latency_p95_ms": 4.0, "latency_avg_ms": 2.0, "retried": 3},
            {"script_no": 1, "script": "delivery", "transactions": 0, "failed": 0, "tps": 0.0, "latency_avg_ms": null},
        ]);
        let figures: Vec<_> = of(&facts(rows.clone()))
            .map(|figure| (figure.key.object.unwrap(), figure.key.metric, figure.value))
            .collect();
        let of_script =
            |script: &str, metric: &str, value| (script.to_owned(), metric.to_owned(), value);
        assert_eq!(
            figures,
            [
                of_script("payment", "tps", 9.0),
                of_script("payment", "latency_avg_ms", 2.0),
                of_script("payment", "latency_p95_ms", 4.0),
                of_script("payment", "failed_percent", 10.0),
                of_script("delivery", "tps", 0.0),
            ]
        );
        let only = facts(json!([rows[0]]));
        assert_eq!(of(&only).count(), 0);
    }

    #[test]
    fn each_of_several_servers_has_its_figures() {
        let row = |server: &str, tps: f64| {
            let row = json!({"server_no": 0, "server": server, "weight": 1, "clients": 2, "seconds": 9.0, "transactions": 4, "failed": 0,
                "tps": tps, "latency_avg_ms": 2.0});
            row.as_object().cloned().unwrap_or_default()
        };
        let facts = Facts {
            servers: vec![row("one", 3.0), row("other", 1.0)],
            ..Facts::default()
        };
        let figures: Vec<_> = of(&facts)
            .map(|it| {
                (
                    it.key.category,
                    it.key.object.unwrap(),
                    it.key.metric,
                    it.value,
                )
            })
            .filter(|(_, _, metric, _)| metric == "tps")
            .collect();
        let rate = |server: &str, tps| {
            let [category, metric] = ["servers", "tps"].map(str::to_owned);
            (category, server.to_owned(), metric, tps)
        };
        assert_eq!(figures, [rate("one", 3.0), rate("other", 1.0)]);
    }
}
