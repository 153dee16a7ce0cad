//! The arguments of `find_rate`, and the start of its run.

use super::criteria::{self, Criterion};
use super::record::{self, SearchSpec};
use crate::catalog::runs::by_id;
use crate::error::{Result, failure, hinted, invalid};
use crate::pg::catalog::role;
use crate::pg::server;
use crate::pg::sql::called::Called;
use crate::pg::sql::interval::Seconds;
use crate::pg::sql::options::{Options as _, unknown, wrong_type};
use crate::pg::sql::{arguments, object, spi};
use crate::run::request::options::{NOT_OF_SWEEPS, Options};
use crate::run::request::start;
use crate::service::preconditions::{check_starter, may_call};
use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use pgrx::prelude::*;
use serde::Deserialize;
use serde_json::{Map, Value};

/// How many times its shortest length a step lasts at most, unless the call says it.
const LONGEST_STEP: f64 = 6.0;
/// Added to the duration of the run, so that the search ends first.
const SLACK_S: f64 = 60.0;
const OPTIONS_HINT: &str = "Such as '{\"query_mode\": \"simple\", \"warmup\": \"10 s\"}'.";

#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Arguments {
    workload: Option<String>,
    criteria: Option<Value>,
    clients: i32,
    script: Option<String>,
    start_rate: f64,
    max_rate: Option<f64>,
    precision_percent: f64,
    step: Option<Seconds>,
    max_step: Option<Seconds>,
    settle: Seconds,
    max_time: Seconds,
    label: Option<String>,
    run_options: Option<Value>,
}

impl Default for Arguments {
    fn default() -> Arguments {
        Arguments {
            workload: None,
            criteria: None,
            clients: 1,
            script: None,
            start_rate: 100.0,
            max_rate: None,
            precision_percent: 5.0,
            step: None,
            max_step: None,
            settle: Seconds(2.0),
            max_time: Seconds(3600.0),
            label: None,
            run_options: None,
        }
    }
}

/// `pgperf_internal.start_rate_search`: checks everything and starts the run when the transaction commits.
#[pg_extern(sql = false)]
fn start_rate_search(fcinfo: pg_sys::FunctionCallInfo) -> Called<i64> {
    Ok(begin(arguments::by_name(fcinfo)?)?)
}

fn begin(given: Map<String, Value>) -> Result<i64> {
    check_starter()?;
    check_right()?;
    let arguments: Arguments = arguments::read(given)?;
    let criteria = criteria::parse(arguments.criteria.as_ref())?;
    let spec = arguments.spec(&criteria)?;
    let run_id = start::run(arguments.options(&spec)?)?;
    let run = by_id(Some(run_id))?;
    role::as_owner(|| record::begin(&run.node_id, run_id, &spec))?;
    Ok(run_id)
}

/// # Errors
/// The role may not call `find_rate`, which calls this function.
fn check_right() -> Result<()> {
    match may_call(server::current_role(), "find_rate")? {
        true => Ok(()),
        false => Err(failure(
            PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE,
            "permission denied for pgperf.find_rate",
        )
        .hinting("It needs EXECUTE on pgperf.find_rate.")),
    }
}

impl Arguments {
    fn spec(&self, criteria: &[Criterion]) -> Result<SearchSpec> {
        let positive = |name: &str, value: f64| match value > 0.0 && value.is_finite() {
            true => Ok(()),
            false => Err(invalid(format!("{name} must be positive, not {value}"))),
        };
        positive("start_rate", self.start_rate)?;
        positive("max_rate", self.max_rate.unwrap_or(1.0))?;
        if !(1.0..=50.0).contains(&self.precision_percent) {
            return Err(hinted(
                format!(
                    "precision_percent must be from 1 to 50, not {}",
                    self.precision_percent
                ),
                "It is the distance between the highest rate that holds and the lowest that fails.",
            ));
        }
        let naptime_s = naptime_s()?;
        let shortest = criteria
            .iter()
            .map(|it| it.subject.shortest_step_s(naptime_s))
            .fold(10.0, f64::max);
        let step_s = self.step.map_or(shortest, |Seconds(seconds)| seconds);
        let max_step_s = (self.max_step).map_or(step_s * LONGEST_STEP, |Seconds(seconds)| seconds);
        let (Seconds(settle_s), Seconds(max_time_s)) = (self.settle, self.max_time);
        if step_s < 5.0 {
            return Err(invalid(format!(
                "step must be at least 5 seconds, not {step_s}"
            )));
        }
        if max_step_s < step_s {
            return Err(invalid("max_step must not be shorter than step".to_owned()));
        }
        if !(0.0..=600.0).contains(&settle_s) {
            return Err(invalid(format!(
                "settle must be from 0 to 600 seconds, not {settle_s}"
            )));
        }
        if max_time_s < max_step_s {
            return Err(invalid(
                "max_time must not be shorter than max_step".to_owned(),
            ));
        }
        Ok(SearchSpec {
            criteria: self.criteria.clone(),
            start_rate: self.start_rate,
            max_rate: self.max_rate,
            precision_percent: self.precision_percent,
            step_s,
            max_step_s,
            settle_s,
            max_time_s,
        })
    }

    /// Those of the run.
    fn options(&self, spec: &SearchSpec) -> Result<Options> {
        let own = [
            "workload",
            "clients",
            "script",
            "label",
            "rate",
            "duration",
            "transactions_per_client",
            "latency_limit",
            "sample_interval",
        ];
        let own = [&own[..], &NOT_OF_SWEEPS].concat();
        let why = "find_rate decides on rate, duration and intervals itself; workload, clients, script and label are arguments of its own.";
        let given = self.run_options.as_ref();
        let mut options =
            object::arguments("run_options", "start_run", given, &own, [OPTIONS_HINT, why])?;
        let rate = spec
            .max_rate
            .map_or(spec.start_rate, |max| max.min(spec.start_rate));
        options.insert("rate".to_owned(), rate.into());
        options.insert("clients".to_owned(), self.clients.into());
        let duration = format!("{} s", spec.max_time_s + SLACK_S);
        options.insert("duration".to_owned(), duration.into());
        for (name, value) in [
            ("workload", &self.workload),
            ("script", &self.script),
            ("label", &self.label),
        ] {
            if let Some(value) = value {
                options.insert(name.to_owned(), value.as_str().into());
            }
        }
        let unknown = unknown("start_run", &options, |name| Options::NAMES.contains(&name));
        if let Some(reason) = unknown.or_else(|| wrong_type::<Options>(&options)) {
            return Err(hinted(format!("run_options: {reason}"), OPTIONS_HINT));
        }
        arguments::read(options)
    }
}

fn naptime_s() -> Result<f64> {
    #[derive(Deserialize)]
    struct Naptime {
        seconds: f64,
    }
    let naptime: Option<Naptime> = spi::select_one(
        "SELECT EXTRACT(epoch FROM pg_catalog.current_setting('autovacuum_naptime')::pg_catalog.interval)::pg_catalog.float8 AS seconds",
        &[],
    )?;
    Ok(naptime.map_or(60.0, |naptime| naptime.seconds))
}
