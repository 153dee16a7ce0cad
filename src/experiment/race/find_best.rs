//! `find_best`: the arguments of a race, as a sweep.

use super::RaceSpec;
use crate::error::{Result, hinted, invalid};
use crate::experiment::options::SweepOptions;
use crate::experiment::start;
use crate::pg::sql::called::Called;
use crate::pg::sql::options::{Options as _, unknown, wrong_type};
use crate::pg::sql::{arguments, object, spi};
use crate::run::request::options::{NOT_OF_SWEEPS, Options};
use crate::run::request::precise::percentage;
use measure::metrics::{self, Better, Source};
use measure::statistics::Race;
use pgrx::prelude::*;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// Fewer rounds decide nothing.
const FEWEST_ROUNDS: i32 = 3;
const OPTIONS_HINT: &str =
    "Such as '{\"warmup\": \"5 s\", \"scales\": [10, 100], \"checkpoint\": true}'.";

#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Arguments {
    settings_grid: Option<Value>,
    metric: String,
    margin: String,
    workload: Option<String>,
    clients: Vec<i32>,
    repetitions: i32,
    duration: Option<String>,
    script: Option<String>,
    label: Option<String>,
    sweep_options: Option<Value>,
}

impl Default for Arguments {
    fn default() -> Arguments {
        Arguments {
            settings_grid: None,
            metric: "tps".to_owned(),
            margin: "1%".to_owned(),
            workload: None,
            clients: vec![1],
            repetitions: 10,
            duration: None,
            script: None,
            label: None,
            sweep_options: None,
        }
    }
}

/// `pgperf.find_best`.
#[pg_extern(sql = false)]
fn find_best(fcinfo: pg_sys::FunctionCallInfo) -> Called<i64> {
    Ok(begin(arguments::by_name(fcinfo)?)?)
}

fn begin(given: Map<String, Value>) -> Result<i64> {
    let arguments: Arguments = arguments::read(given)?;
    let race = arguments.race()?;
    let options = arguments.of_sweep()?;
    check(&options)?;
    start::race(options, race)
}

/// Checks names and types of arguments of `start_sweep` that came as JSON.
fn check(options: &Map<String, Value>) -> Result<()> {
    let wrong = |reason: String| hinted(format!("sweep_options: {reason}"), OPTIONS_HINT);
    let known = |name: &str| {
        !NOT_OF_SWEEPS.contains(&name)
            && (SweepOptions::NAMES.contains(&name) || Options::NAMES.contains(&name))
    };
    let unknown = unknown("start_sweep", options, known);
    if let Some(reason) = unknown.or_else(|| wrong_type::<SweepOptions>(options)) {
        return Err(wrong(reason));
    }
    let read: SweepOptions = arguments::read(options.clone())?;
    wrong_type::<Options>(&read.run).map_or(Ok(()), |reason| Err(wrong(reason)))
}

impl Arguments {
    fn race(&self) -> Result<RaceSpec> {
        if self.repetitions < FEWEST_ROUNDS {
            return Err(hinted(
                format!(
                    "repetitions must be at least {FEWEST_ROUNDS}, not {}",
                    self.repetitions
                ),
                "That is how often the best points are run at most. With fewer runs no two points can be told apart.",
            ));
        }
        Ok(RaceSpec {
            metric: self.metric.clone(),
            rules: Race {
                rounds: self.repetitions as usize,
                more_is_better: direction(&self.metric)? == Better::Higher,
                margin: margin(&self.margin)?,
            },
        })
    }

    /// The arguments of `start_sweep`.
    fn of_sweep(&self) -> Result<Map<String, Value>> {
        let mut options = object::arguments(
            "sweep_options",
            "start_sweep",
            self.sweep_options.as_ref(),
            &["until_precise", "max_repetitions", "run_order"],
            [
                OPTIONS_HINT,
                "In a race, points run in rounds of random order, and differences decide on further runs.",
            ],
        )?;
        let own = [
            ("settings_grid", self.settings_grid.clone()),
            ("workload", self.workload.clone().map(Value::from)),
            ("clients", Some(json!(self.clients))),
            ("repetitions", Some(json!(self.repetitions))),
            ("duration", self.duration.clone().map(Value::from)),
            ("script", self.script.clone().map(Value::from)),
            ("label", self.label.clone().map(Value::from)),
        ];
        for (name, value) in own {
            if options.contains_key(name) {
                return Err(hinted(
                    format!("sweep_options must not have \"{name}\""),
                    "It is an argument of find_best.",
                ));
            }
            if let Some(value) = value {
                options.insert(name.to_owned(), value);
            }
        }
        Ok(options)
    }
}

/// Which way is better of a metric that runs have.
fn direction(name: &str) -> Result<Better> {
    let known = [Source::Columns, Source::Facts]
        .into_iter()
        .find_map(|source| {
            metrics::METRICS
                .iter()
                .find(|it| it.source == source && it.name == name)
        });
    let unknown = || {
        hinted(
            format!("unknown metric \"{name}\""),
            "It is a column of pgperf.run_summary, such as tps or latency_p95_ms, or a metric of pgperf.run_metrics; docs/metrics.md has all.",
        )
    };
    let metric = known.ok_or_else(unknown)?;
    if metric.source == Source::Columns && !is_column(name)? {
        return Err(unknown());
    }
    metric.better.ok_or_else(|| {
        hinted(
            format!("metric \"{name}\" has no better direction"),
            "Give one of which more, or less, is better: tps, latency_avg_ms, latency_p99_ms, wal_bytes_per_tx.",
        )
    })
}

fn is_column(name: &str) -> Result<bool> {
    spi::holds(
        "EXISTS (SELECT FROM pg_catalog.pg_attribute a \
                  WHERE a.attrelid = 'pgperf.run_summary'::pg_catalog.regclass AND a.attname = $1 AND a.attnum > 0)",
        &[name.into()],
    )
}

/// `'1%'` as a share.
fn margin(text: &str) -> Result<f64> {
    match percentage(text) {
        Some(percent) if (0.0..=50.0).contains(&percent) => Ok(percent / 100.0),
        _ => Err(invalid(format!(
            "margin must be a percentage from 0 to 50, such as '1%', not \"{text}\""
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_margin_is_a_percentage() {
        assert_eq!(margin("1%").unwrap(), 0.01);
        assert_eq!(margin(" 0 %").unwrap(), 0.0);
        for bad in ["1", "", "%", "51%", "-1%", "NaN%", "one%"] {
            assert!(margin(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn options_of_the_sweep_are_passed_on() {
        let with = |options: Value| Arguments {
            sweep_options: Some(options),
            ..Arguments::default()
        };
        let given = with(json!({"warmup": "1 s"})).of_sweep().unwrap();
        assert_eq!(given["warmup"], "1 s");
        assert_eq!(given["repetitions"], 10);
        for bad in [
            json!([]),
            json!({"run_order": "given"}),
            json!({"until_precise": "2%"}),
            json!({"repetitions": 5}),
        ] {
            assert!(with(bad.clone()).of_sweep().is_err(), "{bad}");
        }
    }

    #[test]
    fn few_rounds_are_refused() {
        let two = Arguments {
            repetitions: 2,
            ..Arguments::default()
        };
        assert!(two.race().is_err());
    }
}
