//! The figures of a run's scripts where it has several, such as the types of its transactions.

use super::compared_run::{Columns, Facts};
use super::figures::{Figure, figure, numbers, text};
use serde_json::Value;

const CATEGORY: &str = "scripts";
const RATE: &str = "tps";
const FAILED: &str = "failed_percent";

/// Rates, latencies and failures of each.
pub fn of(facts: &Facts) -> impl Iterator<Item = Figure> {
    let scripts = if facts.scripts.len() > 1 {
        facts.scripts.as_slice()
    } else {
        &[]
    };
    scripts.iter().flat_map(script)
}

fn script(columns: &Columns) -> Vec<Figure> {
    let name = text(columns, "script");
    let is_figure = |name: &str| name == RATE || name.ends_with("_ms");
    let mut figures: Vec<Figure> = numbers(columns)
        .filter(|(name, _)| is_figure(name))
        .chain(failed_percent(columns))
        .map(|(metric, value)| figure(CATEGORY, Some(name.to_owned()), metric, value))
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
        // What an only script did is what the run did.
        let only = facts(json!([rows[0]]));
        assert_eq!(of(&only).count(), 0);
    }
}
