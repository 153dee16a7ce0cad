//! The rates that the receivers of a sweep's runs can sustain, by number of clients: of one sweep, or of several beside each other.

use super::metrics::{Metric, OF_RECEIVER, at, half_percent};
use super::report::facts::{Point, ShortRuns};
use super::report::points::{By, THROUGHPUT, half, plus_minus, with_charts};
use crate::show::blocks::{Block, Listing, figure};
use crate::show::charts::{Curve, Measured};
use crate::show::number::{Unit, number};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// A receiver with its rates.
pub struct Receiver<'a> {
    name: String,
    rates: Vec<(&'a Point, Measured)>,
}

/// The receivers of these points; empty: the runs waited for none.
pub fn of<'a>(points: &[&'a Point], metrics: &[Metric]) -> Vec<Receiver<'a>> {
    let here = |metric: &&Metric| points.iter().any(|point| point.point_no == metric.point_no);
    let names: BTreeSet<&str> = (metrics.iter().filter(here))
        .map(|metric| metric.metric.as_str())
        .filter(|name| name.starts_with(OF_RECEIVER))
        .collect();
    let rate = |point: &'a Point, name: &str| {
        let metric = at(metrics, name, point.point_no)?;
        let mean = metric.mean?;
        let high = metric.ci_high;
        let measured = Measured {
            clients: point.clients,
            mean,
            interval: high.map(|high| ((2.0 * mean - high).max(0.0), high)),
            values: Vec::new(),
        };
        Some((point, measured))
    };
    names
        .into_iter()
        .map(|name| Receiver {
            name: label(name).to_owned(),
            rates: points
                .iter()
                .filter_map(|point| rate(point, name))
                .collect(),
        })
        .collect()
}

/// Those of a sweep among several, as [`of`] has them. The only receiver has the sweep's name; a sweep without any has the rate of its clients.
pub fn beside<'a>(
    side: &str,
    points: &[&'a Point],
    mut receivers: Vec<Receiver<'a>>,
) -> Vec<Receiver<'a>> {
    match receivers.as_mut_slice() {
        [] => {
            // As of receivers, without the rates of single runs.
            let rates = points.iter().filter_map(|point| {
                let measured = Measured {
                    values: Vec::new(),
                    ..THROUGHPUT.measured(point)?
                };
                Some((*point, measured))
            });
            receivers.push(Receiver {
                name: format!("{side}, no receiver"),
                rates: rates.collect(),
            });
        }
        several => {
            let count = several.len();
            for receiver in several {
                receiver.name = name_beside(side, &receiver.name, count);
            }
        }
    }
    receivers
}

/// How a receiver of a sweep is called among those of several sweeps; `count`: the receivers of its sweep.
pub fn name_beside(side: &str, receiver: &str, count: usize) -> String {
    match count {
        1 => side.to_owned(),
        _ => format!("{side}, {receiver}"),
    }
}

/// Their rates as a table and, over clients, as curves, and the peak of each; nothing without receivers. `cpus`: those of the machine.
pub fn blocks(receivers: &[Receiver], by: &By, cpus: Option<i64>) -> Vec<Block> {
    if receivers.is_empty() {
        return Vec::new();
    }
    let mut seen = HashSet::new();
    let all = receivers.iter().flat_map(|it| &it.rates);
    let mut rows: Vec<&Point> = all
        .map(|(point, _)| *point)
        .filter(|point| seen.insert(by.short(point)))
        .collect();
    rows.sort_by_key(|point| point.clients);
    let mut columns = vec![by.column()];
    columns.extend(receivers.iter().map(|receiver| {
        let rates = receiver.rates.iter();
        let rates: HashMap<String, &Measured> =
            rates.map(|(point, rate)| (by.short(point), rate)).collect();
        figure(&receiver.name, move |row: &Point| {
            let rate = rates.get(&by.short(row))?;
            let high = rate.interval.map(|(_, high)| high);
            let half = plus_minus(half(half_percent(Some(rate.mean), high)));
            Some(number(rate.mean) + &half)
        })
    }));
    let heading = "sustainable tps, until each receiver has caught up".to_owned();
    let mut blocks = vec![Block::Heading(heading)];
    if matches!(by, By::Clients) {
        let curves = receivers.iter().map(|receiver| Curve {
            name: receiver.name.clone(),
            color: 0,
            points: receiver
                .rates
                .iter()
                .map(|(_, rate)| rate.clone())
                .collect(),
            law: None,
        });
        let unit = Unit::Count("tps");
        blocks.push(with_charts("Sustained rate", unit, "mean", curves, cpus));
    }
    blocks.push(Block::Table(Listing::of(rows, columns)));
    blocks.extend(receivers.iter().filter_map(|receiver| {
        let rates = receiver.rates.iter();
        let (point, peak) = rates.max_by(|a, b| a.1.mean.total_cmp(&b.1.mean))?;
        let (name, rate, at) = (&receiver.name, number(peak.mean), by.name(point));
        Some(Block::Remark(format!("peak of {name}: {rate} tps at {at}")))
    }));
    blocks
}

/// The receivers for which runs were too short, with their points. `name`: how they are called there.
pub fn too_short(
    points: &[&Point],
    short: &[ShortRuns],
    by: &By,
    name: impl Fn(&str) -> String,
) -> Vec<Block> {
    let mut of_receivers: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for runs in short {
        let mut points = points.iter();
        if let Some(point) = points.find(|point| point.point_no == runs.point_no) {
            let share = format!("{:.0} % of a run at {}", runs.percent, by.name(point));
            of_receivers.entry(&runs.receiver).or_default().push(share);
        }
    }
    let remarks = of_receivers.into_iter().map(|(receiver, shares)| {
        format!(
            "{}: too short to tell the delay of its confirmation from a lag, it caught up after {}",
            name(receiver),
            shares.join(", ")
        )
    });
    remarks.map(Block::Remark).collect()
}

fn label(name: &str) -> &str {
    name.strip_prefix(OF_RECEIVER).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use maud::Render;
    use serde_json::{Value, json};

    fn points() -> [Point; 2] {
        [(0, 1, 900.0), (1, 4, 2_000.0)]
            .map(|(number, clients, tps): (i64, i64, f64)| {
                json!({"point_no": number, "combination": "", "workload": "w", "clients": clients, "n": 3, "tps": tps,
                    "failed_runs": 0})
            })
            .map(|point: Value| serde_json::from_value(point).unwrap())
    }

    fn metric(point_no: i64, name: &str, mean: f64) -> Metric {
        Metric {
            point_no,
            metric: name.to_owned(),
            unit: "per second".to_owned(),
            mean: Some(mean),
            ci_high: Some(mean * 1.1),
        }
    }

    fn shown(receivers: &[Receiver]) -> Vec<String> {
        let blocks = blocks(receivers, &By::Clients, None);
        let pages = blocks.iter().map(|block| block.render().into_string());
        pages.collect()
    }

    #[test]
    fn each_receiver_is_a_column_and_has_a_peak() {
        let points = points();
        let points: Vec<&Point> = points.iter().collect();
        let metrics = [
            metric(0, "sustainable_tps.slot sub", 800.0),
            metric(1, "sustainable_tps.slot sub", 700.0),
            metric(1, "sustainable_tps.standby s1", 1_500.0),
            metric(1, "nopm", 1.0),
        ];
        let shown = shown(&of(&points, &metrics));
        assert!(shown[1].contains("Sustained rate"), "{}", shown[1]);
        for part in [
            "slot sub</th>",
            "standby s1</th>",
            "800 ± 10.0%</td><td class=\"number\">\u{2013}</td>",
            "700 ± 10.0%</td><td class=\"number\">1,500 ± 10.0%</td>",
        ] {
            assert!(shown[2].contains(part), "{part} in {}", shown[2]);
        }
        assert!(shown[3].contains("peak of slot sub: 800 tps at 1 client"));
        assert!(shown[4].contains("peak of standby s1: 1,500 tps at 4 clients"));
        assert!(of(&points, &metrics[3..]).is_empty());
        assert!(super::blocks(&[], &By::Clients, None).is_empty());
    }

    #[test]
    fn sweeps_with_a_receiver_each_are_named_by_sweep() {
        let points = points();
        let points: Vec<&Point> = points.iter().collect();
        let slony = [metric(0, "sustainable_tps.drain_sql", 300.0)];
        let two = [
            metric(0, "sustainable_tps.slot sub", 800.0),
            metric(1, "sustainable_tps.standby s1", 700.0),
        ];
        let receivers: Vec<Receiver> = [("none", &[][..]), ("slony", &slony), ("both", &two)]
            .into_iter()
            .flat_map(|(side, metrics)| beside(side, &points, of(&points, metrics)))
            .collect();
        let names: Vec<&str> = receivers.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "none, no receiver",
                "slony",
                "both, slot sub",
                "both, standby s1"
            ]
        );
        let shown = shown(&receivers);
        assert!(
            shown[3].contains("peak of none, no receiver: 2,000 tps at 4 clients"),
            "{}",
            shown[3]
        );
    }

    #[test]
    fn points_with_short_runs_are_named() {
        let points = points();
        let points: Vec<&Point> = points.iter().collect();
        let short = [(0, 8.0), (1, 12.4)].map(|(point_no, percent)| ShortRuns {
            point_no,
            receiver: "slot sub".to_owned(),
            percent,
        });
        let named = |name: &dyn Fn(&str) -> String| {
            let blocks = too_short(&points, &short, &By::Clients, name);
            match blocks.as_slice() {
                [Block::Remark(remark)] => remark.clone(),
                _ => panic!("one remark"),
            }
        };
        assert_eq!(
            named(&str::to_owned),
            "slot sub: too short to tell the delay of its confirmation from a lag, it caught up after 8 % of a run at 1 client, \
             12 % of a run at 4 clients"
        );
        let beside = |count: usize| named(&|receiver| name_beside("logical", receiver, count));
        assert!(beside(1).starts_with("logical: too short"));
        assert!(beside(2).starts_with("logical, slot sub: too short"));
    }
}
