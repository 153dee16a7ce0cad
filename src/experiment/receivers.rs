//! The rates that the receivers of a sweep's runs can sustain, by number of clients.

use super::metrics::{Metric, at};
use super::report::Point;
use crate::show::number::decimals;
use crate::show::text::{count, narrow_columns, one_line};
use std::collections::BTreeSet;

/// What the metrics of single receivers begin with.
pub const OF_RECEIVER: &str = "sustainable_tps.";
/// So many receivers fit beside each other.
const MOST: usize = 5;
const NAME_WIDTH: usize = 18;

/// A table of clients and receivers, and the peak of each; nothing where the runs waited for none.
pub fn lines(points: &[Point], metrics: &[Metric]) -> Vec<String> {
    let here = |metric: &&Metric| points.iter().any(|point| point.point_no == metric.point_no);
    let names: BTreeSet<&str> = (metrics.iter().filter(here))
        .map(|metric| metric.metric.as_str())
        .filter(|name| name.starts_with(OF_RECEIVER))
        .collect();
    if names.is_empty() {
        return Vec::new();
    }
    let names: Vec<&str> = names.into_iter().collect();
    let mut lines = vec![
        String::new(),
        "  sustainable tps, until each receiver has caught up:".to_owned(),
    ];
    for some in names.chunks(MOST) {
        let shown = some.iter().map(|name| one_line(label(name), NAME_WIDTH));
        let heads: Vec<String> = (["clients", "tps"].map(str::to_owned).into_iter())
            .chain(shown)
            .chain([String::new()])
            .collect();
        let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
        let rows: Vec<Vec<String>> = points
            .iter()
            .map(|point| {
                let rates = some.iter().map(|name| {
                    decimals(at(metrics, name, point.point_no).and_then(|it| it.mean), 0)
                });
                ([point.clients.to_string(), decimals(point.tps, 0)].into_iter())
                    .chain(rates)
                    .chain([String::new()])
                    .collect()
            })
            .collect();
        let table = narrow_columns(&heads, &rows);
        lines.extend(table.into_iter().map(|line| line.trim_end().to_owned()));
    }
    for name in names {
        let rates = points.iter().filter_map(|point| {
            let mean = at(metrics, name, point.point_no)?.mean?;
            Some((point.clients, mean))
        });
        let peak = rates.max_by(|a, b| a.1.total_cmp(&b.1));
        lines.extend(peak.map(|(clients, rate)| {
            format!(
                "  peak of {}: {rate:.0} tps at {}",
                one_line(label(name), 40),
                count(clients, "client")
            )
        }));
    }
    lines
}

fn label(name: &str) -> &str {
    name.strip_prefix(OF_RECEIVER).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn each_receiver_is_a_column_and_has_a_peak() {
        let points: Vec<Point> = [(0, 1, 900.0), (1, 4, 2_000.0)]
            .map(|(number, clients, tps): (i64, i64, f64)| {
                json!({"point_no": number, "combination": "", "workload": "w", "clients": clients, "n": 3, "tps": tps,
                    "failed_runs": 0})
            })
            .map(|point: Value| serde_json::from_value(point).unwrap())
            .into();
        let metric = |point_no, name: &str, mean| Metric {
            point_no,
            metric: name.to_owned(),
            unit: "per second".to_owned(),
            mean: Some(mean),
            ci_high: None,
        };
        let metrics = [
            metric(0, "sustainable_tps.slot sub", 800.0),
            metric(1, "sustainable_tps.slot sub", 700.0),
            metric(1, "sustainable_tps.standby s1", 1_500.0),
            metric(1, "nopm", 1.0),
        ];
        let lines = lines(&points, &metrics);
        let cells = |line: &str| -> Vec<String> {
            line.split_ascii_whitespace().map(str::to_owned).collect()
        };
        assert_eq!(
            cells(&lines[2]).join(" "),
            "clients tps slot sub standby s1"
        );
        assert_eq!(cells(&lines[3]), ["1", "900", "800", "-"]);
        assert_eq!(cells(&lines[4]), ["4", "2000", "700", "1500"]);
        assert_eq!(lines[5], "  peak of slot sub: 800 tps at 1 client");
        assert_eq!(lines[6], "  peak of standby s1: 1500 tps at 4 clients");
        assert!(super::lines(&points, &metrics[3..]).is_empty());
    }
}
