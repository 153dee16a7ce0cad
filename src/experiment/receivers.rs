//! The rates that the receivers of a sweep's runs can sustain, by number of clients.

use super::metrics::{Metric, OF_RECEIVER, at};
use super::report::facts::Point;
use super::report::points::By;
use crate::show::blocks::{Block, Listing, figure};
use crate::show::number::number;
use std::collections::BTreeSet;

/// A table of clients and receivers, and the peak of each; nothing where the runs waited for none.
pub fn blocks(points: &[&Point], metrics: &[Metric], by: &By) -> Vec<Block> {
    let here = |metric: &&Metric| points.iter().any(|point| point.point_no == metric.point_no);
    let names: BTreeSet<&str> = (metrics.iter().filter(here))
        .map(|metric| metric.metric.as_str())
        .filter(|name| name.starts_with(OF_RECEIVER))
        .collect();
    if names.is_empty() {
        return Vec::new();
    }
    let rate = |point: &Point, name: &str| at(metrics, name, point.point_no)?.mean;
    let mut columns = vec![
        by.column(),
        figure("tps", |point: &Point| point.tps.map(number)),
    ];
    columns.extend(names.iter().map(|&name| {
        figure(label(name), move |point: &Point| {
            rate(point, name).map(number)
        })
    }));
    let heading = "sustainable tps, until each receiver has caught up".to_owned();
    let mut blocks = vec![
        Block::Heading(heading),
        Block::Table(Listing::of(points.iter().copied(), columns)),
    ];
    blocks.extend(names.iter().filter_map(|name| {
        let rates = points
            .iter()
            .filter_map(|point| Some((point, rate(point, name)?)));
        let (point, rate) = rates.max_by(|a, b| a.1.total_cmp(&b.1))?;
        let (name, rate, at) = (label(name), number(rate), by.name(point));
        Some(Block::Remark(format!("peak of {name}: {rate} tps at {at}")))
    }));
    blocks
}

fn label(name: &str) -> &str {
    name.strip_prefix(OF_RECEIVER).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use maud::Render;
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
        let points: Vec<&Point> = points.iter().collect();
        let blocks = blocks(&points, &metrics, &By::Clients);
        let shown: Vec<String> = blocks
            .iter()
            .map(|block| block.render().into_string())
            .collect();
        for part in [
            "slot sub</th>",
            "standby s1</th>",
            "900</td><td class=\"number\">800</td><td class=\"number\">\u{2013}</td>",
            "2,000</td><td class=\"number\">700</td><td class=\"number\">1,500</td>",
        ] {
            assert!(shown[1].contains(part), "{part} in {}", shown[1]);
        }
        assert!(shown[2].contains("peak of slot sub: 800 tps at 1 client"));
        assert!(shown[3].contains("peak of standby s1: 1,500 tps at 4 clients"));
        assert!(super::blocks(&points, &metrics[3..], &By::Clients).is_empty());
    }
}
