//! The devices of the compared runs, matched by what they hold: their names differ from machine to machine.
//!
//! Where all runs have the data directory and the WAL on one device, it is one object, `data, wal`; where some have two, each of the contents
//! is an object. The environment names the devices themselves.

use super::compared_run::{Circumstance, Columns, Facts};
use super::figures::{Figure, figure};
use super::step;
use crate::error::Result;
use crate::pg::sql::spi;
use crate::report::model::Key;
use crate::report::model::circumstances::Figure as Metric;
use crate::show::contents::Together;
use crate::show::section::HOLDS;
use crate::show::span::Span;
use crate::show::span::samples::Samples;
use crate::subject;
use crate::subject::devices::by_contents::{Placed, names};
use serde::Deserialize;

/// The category of what iostat shows of the devices.
pub const CATEGORY: &str = "iostat";
/// The category of metrics and facts of devices.
const DEVICE: &str = "device";

/// A device at checkpoints, or between them: a row of the section's table.
#[derive(Debug, Clone, Deserialize)]
pub struct Phase {
    /// Its contents, a list.
    holds: String,
    phase: String,
    #[serde(flatten)]
    columns: Columns,
}

/// What the samples of a run tell of its devices; nothing without them. The current user must be able to read pgperf's tables.
pub fn load(run: &Key) -> Result<Vec<Phase>> {
    #[derive(Deserialize)]
    struct Begin {
        first: Option<String>,
    }
    let begin: Option<Begin> = spi::select_one(
        "SELECT pg_catalog.min(s.taken_at) AS first FROM pgperf.samples s \
         WHERE s.node_id = $1::pg_catalog.uuid AND s.run_id = $2",
        &[run.node_id.into(), run.run_id.into()],
    )?;
    let Some(first) = begin.and_then(|begin| begin.first) else {
        return Ok(Vec::new());
    };
    let span = Span::of_run(run.node_id, run.run_id, &first, false)?;
    let source = subject::devices::SECTION.source_of("phases");
    match span.zip(source) {
        Some((span, (sql, _))) => Samples::unread(span).select(sql, None),
        None => Ok(Vec::new()),
    }
}

/// The figures of iostat, each a column of the section's table; it has sizes in kB of 1024 bytes.
const FIGURES: [(&str, &str, f64); 12] = [
    ("r_s", "reads_per_s", 1.0),
    ("rkb_s", "read_bytes_per_s", KB),
    ("r_await", "read_wait_ms", 1.0),
    ("rareq_sz", "read_size_bytes", KB),
    ("w_s", "writes_per_s", 1.0),
    ("wkb_s", "write_bytes_per_s", KB),
    ("w_await", "write_wait_ms", 1.0),
    ("wareq_sz", "write_size_bytes", KB),
    ("f_s", "flushes_per_s", 1.0),
    ("f_await", "flush_wait_ms", 1.0),
    ("aqu_sz", "queue", 1.0),
    ("util", "busy_percent", 1.0),
];
const KB: f64 = 1.0 / 1024.0;

/// What iostat shows of the devices.
pub fn figures(facts: &Facts) -> impl Iterator<Item = Figure> {
    facts.devices.iter().flat_map(|phase| {
        let object = match phase.phase.as_str() {
            "" => phase.holds.clone(),
            when => format!("{}, {when}", phase.holds),
        };
        FIGURES.iter().filter_map(move |(metric, column, factor)| {
            let value = phase.columns.get(*column)?.as_f64()? * factor;
            Some(Figure {
                step: step::of_own(metric, value),
                ..figure(CATEGORY, Some(object.clone()), metric, value)
            })
        })
    })
}

/// Makes an object of each part of the contents that is a device of its own in one of the runs.
pub fn split(baseline: &mut [Facts], candidate: &mut [Facts]) {
    let runs = || baseline.iter().chain(candidate.iter());
    let lists: Vec<Vec<String>> = runs()
        .map(|facts| {
            facts
                .devices
                .iter()
                .map(|phase| phase.holds.clone())
                .collect()
        })
        .collect();
    let lists: Vec<Vec<&str>> = (lists.iter())
        .map(|lists| lists.iter().map(String::as_str).collect())
        // Of a run without samples nothing is known.
        .filter(|lists: &Vec<&str>| !lists.is_empty())
        .collect();
    let together = Together::of(&lists);
    for facts in baseline.iter_mut().chain(candidate) {
        let parts = |phase: &Phase| {
            let parts = together.parts(&phase.holds).into_iter();
            let of_part = |holds| Phase {
                holds,
                ..phase.clone()
            };
            parts.map(of_part).collect::<Vec<_>>()
        };
        facts.devices = facts.devices.iter().flat_map(parts).collect();
    }
}

/// Gives metrics and facts of devices the names of what these hold. Runs of this version have their metrics under both names.
pub fn name_by_contents(facts: &mut Facts) {
    let is_of_device = |fact: &Circumstance| fact.category == DEVICE;
    let (of_devices, others) = facts.environment.drain(..).partition(is_of_device);
    facts.environment = others;
    let names = Names::of(&of_devices);
    for fact in &of_devices {
        facts.environment.extend(renamed(fact, &names));
    }
    let mut metrics: Vec<Metric> = Vec::new();
    for metric in facts.metrics.drain(..) {
        let part = metric.metric.split_once('.');
        let part = part.filter(|_| metric.category == DEVICE);
        let names = part.and_then(|(name, device)| Some((name, names.of_device(device)?)));
        let Some((name, names)) = names else {
            add(&mut metrics, metric);
            continue;
        };
        for of in names {
            let metric = Metric {
                metric: format!("{name}.{of}"),
                ..metric.clone()
            };
            add(&mut metrics, metric);
        }
    }
    facts.metrics = metrics;
}

fn add(metrics: &mut Vec<Metric>, metric: Metric) {
    if metrics.iter().all(|known| known.metric != metric.metric) {
        metrics.push(metric);
    }
}

/// A fact of a device, for each name of it.
fn renamed(fact: &Circumstance, names: &Names) -> Vec<Circumstance> {
    let parts = fact.name.rsplit_once('.');
    let of_names = parts.and_then(|(device, name)| Some((device, name, names.of_device(device)?)));
    let Some((device, name, names)) = of_names else {
        return vec![fact.clone()];
    };
    let (name, value) = match name {
        // The names tell it.
        "level" => return Vec::new(),
        HOLDS => ("name", Some(device.to_owned())),
        name => (name, fact.value.clone()),
    };
    let of = |of: &String| Circumstance {
        name: format!("{of}.{name}"),
        value: value.clone(),
        ..fact.clone()
    };
    names.iter().map(of).collect()
}

/// The names of the devices of a run by what they hold.
struct Names<'a> {
    names: Vec<(&'a str, Vec<String>)>,
}

impl<'a> Names<'a> {
    fn of(facts: &'a [Circumstance]) -> Names<'a> {
        let value = |device: &str, name: &str| {
            let fact = facts.iter().find(|fact| {
                let own = fact.name.strip_prefix(device);
                own.and_then(|rest| rest.strip_prefix('.')) == Some(name)
            });
            fact?.value.as_deref()
        };
        let placed = |fact: &'a Circumstance| {
            let device = fact.name.strip_suffix(HOLDS)?.strip_suffix('.')?;
            Some(Placed {
                device,
                holds: fact.value.as_deref()?,
                level: value(device, "level")?.parse().ok()?,
            })
        };
        let placed: Vec<Placed> = facts.iter().filter_map(placed).collect();
        let devices = placed.iter().map(|placed| placed.device);
        Names {
            names: devices.zip(names(&placed)).collect(),
        }
    }

    fn of_device(&self, device: &str) -> Option<&[String]> {
        let found = self.names.iter().find(|(known, _)| *known == device);
        found.map(|(_, names)| names.as_slice())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn fact(name: &str, value: &str) -> Circumstance {
        Circumstance {
            category: DEVICE.to_owned(),
            name: name.to_owned(),
            value: Some(value.to_owned()),
            unit: None,
        }
    }

    fn phase(holds: &str, r_s: f64) -> Phase {
        serde_json::from_value(
            json!({"holds": holds, "phase": "during checkpoints", "device": "sda", "reads_per_s": r_s, "seconds": 9, "busy_percent": null}),
        )
        .unwrap()
    }

    fn of_devices(devices: Vec<Phase>) -> Facts {
        Facts {
            devices,
            ..Facts::default()
        }
    }

    #[test]
    fn facts_and_metrics_of_an_older_run_have_the_names_of_the_contents() {
        let metric = |name: &str, category: &str| Metric {
            metric: name.to_owned(),
            value: Some(1.0),
            unit: String::new(),
            direction: None,
            category: category.to_owned(),
        };
        let mut facts = Facts {
            environment: vec![
                fact("sda1.holds", "data, wal"),
                fact("sda1.level", "0"),
                fact("sda.holds", "data, wal"),
                fact("sda.level", "1"),
                fact("sda.scheduler", "none"),
                fact("of nothing", "x"),
            ],
            metrics: vec![
                metric("device_reads.sda1", DEVICE),
                metric("device_reads.data", DEVICE),
                metric("wal_bytes.sda1", "wal"),
            ],
            ..Facts::default()
        };
        name_by_contents(&mut facts);
        let found: Vec<String> = (facts.environment.iter())
            .map(|fact| format!("{} = {}", fact.name, fact.value.as_deref().unwrap_or("-")))
            .collect();
        assert_eq!(
            found,
            [
                "data.name = sda1",
                "wal.name = sda1",
                "beneath data.name = sda",
                "beneath wal.name = sda",
                "beneath data.scheduler = none",
                "beneath wal.scheduler = none",
                "of nothing = x"
            ]
        );
        let found: Vec<&str> = facts.metrics.iter().map(|m| m.metric.as_str()).collect();
        assert_eq!(
            found,
            ["device_reads.data", "device_reads.wal", "wal_bytes.sda1"]
        );
    }

    #[test]
    fn one_device_meets_two() {
        let mut one = [of_devices(vec![phase("data, wal", 5.0)])];
        let mut two = [of_devices(vec![phase("data", 2.0), phase("wal", 3.0)])];
        split(&mut one, &mut two);
        let found = |facts: &Facts| -> Vec<String> {
            let shown = |f: Figure| {
                let object = f.key.object.unwrap_or_default();
                format!("{object}: {} {}", f.key.metric, f.value)
            };
            figures(facts).map(shown).collect()
        };
        assert_eq!(
            found(&one[0]),
            [
                "data, during checkpoints: r_s 5",
                "wal, during checkpoints: r_s 5"
            ]
        );
        assert_eq!(
            found(&two[0]),
            [
                "data, during checkpoints: r_s 2",
                "wal, during checkpoints: r_s 3"
            ]
        );
        // A run without samples does not take apart what the others have together.
        let mut alike = [of_devices(vec![phase("data, wal", 5.0)])];
        let mut without = [Facts::default()];
        split(&mut alike, &mut without);
        assert_eq!(found(&alike[0]), ["data, wal, during checkpoints: r_s 5"]);
    }
}
