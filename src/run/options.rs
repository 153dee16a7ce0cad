//! The arguments of `start_run`, checked one by one, as a [`Spec`].

use super::spec::{ScriptSpec, Spec};
use crate::error::{Error, Result};
use crate::pg::receiver::ResultMode;
use crate::pg::session::QueryMode;
use crate::workload::{self, Workload};
use pgrx::JsonB;
use pgrx::datum::Interval;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// What was given; None: the default.
#[derive(Default)]
pub struct Options<'a> {
    pub workload: Option<&'a str>,
    pub clients: Option<i32>,
    pub duration: Option<Interval>,
    pub transactions_per_client: Option<i64>,
    pub script: Option<&'a str>,
    pub scale: Option<i32>,
    pub query_mode: Option<&'a str>,
    pub result_mode: Option<&'a str>,
    pub rate: Option<f64>,
    pub latency_limit: Option<Interval>,
    pub max_tries: Option<i32>,
    pub random_seed: Option<i64>,
    pub variables: Option<JsonB>,
    pub settings: Option<JsonB>,
    pub warmup: Option<Interval>,
    pub sample_interval: Option<Interval>,
    pub schema: Option<&'a str>,
    pub label: Option<&'a str>,
}

/// How long a run takes that says neither how long nor how much.
const DEFAULT_DURATION_S: f64 = 60.0;
const DEFAULT_WORKLOAD: &str = "tpcb-like";
/// As pgbench's limit on scripts.
const MAX_SCRIPTS: usize = 128;
/// The longest run or interval: ten years, far from any overflow in nanoseconds.
const MAX_SECONDS: f64 = 315_360_000.0;
/// The shortest sample interval: below it the samples are what is measured.
const MIN_SAMPLE_INTERVAL_S: f64 = 0.1;

impl Options<'_> {
    /// Checks every value by itself; what depends on the database is checked by the caller. Also returns
    /// the built-in workloads that take part, and the run's name for its workload.
    pub fn into_spec(self, seed: i64) -> Result<(Spec, Vec<&'static Workload>, String)> {
        let call = self.call();
        let (scripts, workloads, name) = self.scripts()?;
        let clients = self.clients.unwrap_or(1);
        if clients < 1 {
            return Err(invalid(format!(
                "number of clients must be at least 1, not {clients}"
            )));
        }
        let duration_s = seconds("duration", self.duration.as_ref(), 0.001)?;
        if duration_s.is_some() && self.transactions_per_client.is_some() {
            return Err(hinted(
                "duration and transactions_per_client exclude each other".to_owned(),
                "A run ends after a time or after a number of transactions: give one of the two.",
            ));
        }
        if let Some(limit) = self.transactions_per_client.filter(|&limit| limit < 1) {
            return Err(invalid(format!(
                "transactions_per_client must be at least 1, not {limit}"
            )));
        }
        if let Some(rate) = self.rate.filter(|rate| !(rate.is_finite() && *rate > 0.0)) {
            return Err(invalid(format!(
                "rate must be a positive number of transactions per second, not {rate}"
            )));
        }
        let max_tries = self.max_tries.unwrap_or(1);
        if max_tries < 0 {
            return Err(invalid(format!(
                "max_tries must not be negative, but is {max_tries}"
            )));
        }
        if max_tries == 0 && self.latency_limit.is_none() && duration_s.is_none() {
            return Err(hinted(
                "max_tries => 0 (without limit) needs latency_limit or duration".to_owned(),
                "Otherwise a transaction that always fails would be tried for ever.",
            ));
        }
        if let Some(scale) = self.scale.filter(|&scale| scale < 1) {
            return Err(invalid(format!("scale must be at least 1, not {scale}")));
        }
        let duration_s = match self.transactions_per_client {
            Some(_) => None,
            None => Some(duration_s.unwrap_or(DEFAULT_DURATION_S)),
        };
        let descriptions: Vec<&str> = workloads
            .iter()
            .map(|workload| workload.description)
            .collect();
        let transaction_type = match (scripts.len(), descriptions.first()) {
            (1, Some(description)) => (*description).to_owned(),
            (1, None) => name.clone(),
            _ => "multiple scripts".to_owned(),
        };
        let spec = Spec {
            transaction_type,
            scripts,
            clients: clients as usize,
            duration_s,
            transactions_per_client: self.transactions_per_client.map(|limit| limit as u64),
            warmup_s: seconds("warmup", self.warmup.as_ref(), 0.0)?.unwrap_or(0.0),
            sample_interval_s: seconds(
                "sample_interval",
                self.sample_interval.as_ref(),
                MIN_SAMPLE_INTERVAL_S,
            )?
            .unwrap_or(1.0),
            query_mode: query_mode(self.query_mode.unwrap_or("prepared"))?,
            result_mode: result_mode(self.result_mode.unwrap_or("format"))?,
            rate: self.rate,
            latency_limit_ms: seconds("latency_limit", self.latency_limit.as_ref(), 1e-6)?
                .map(|seconds| seconds * 1e3),
            max_tries: max_tries as u32,
            random_seed: seed,
            scale: self.scale,
            variables: text_map("variables", self.variables.as_ref())?,
            settings: text_map("settings", self.settings.as_ref())?,
            search_path: String::new(),
            load: None,
            call,
        };
        Ok((spec, workloads, name))
    }

    /// The scripts to run, the built-in ones among them, and what the run calls its workload.
    fn scripts(&self) -> Result<(Vec<ScriptSpec>, Vec<&'static Workload>, String)> {
        match (self.workload, self.script) {
            (Some(_), Some(_)) => Err(hinted(
                "script and workload exclude each other".to_owned(),
                "Give the name of a workload or the text of a script, not both.",
            )),
            (None, Some(text)) => {
                let script = ScriptSpec {
                    name: "script".to_owned(),
                    text: text.to_owned(),
                    weight: 1,
                };
                Ok((vec![script], Vec::new(), "script".to_owned()))
            }
            (workload, None) => mix(workload.unwrap_or(DEFAULT_WORKLOAD)),
        }
    }

    /// The arguments that were given, by name, for the call that reproduces the run.
    fn call(&self) -> Map<String, Value> {
        let interval = |value: &Interval| json!(format!("{} s", value.as_micros() as f64 / 1e6));
        let given = [
            ("workload", self.workload.map(|value| json!(value))),
            (
                "clients",
                self.clients
                    .filter(|&clients| clients != 1)
                    .map(|value| json!(value)),
            ),
            ("duration", self.duration.as_ref().map(interval)),
            (
                "transactions_per_client",
                self.transactions_per_client.map(|value| json!(value)),
            ),
            ("script", self.script.map(|value| json!(value))),
            ("scale", self.scale.map(|value| json!(value))),
            (
                "query_mode",
                self.query_mode
                    .filter(|&mode| mode != "prepared")
                    .map(|v| json!(v)),
            ),
            (
                "result_mode",
                self.result_mode
                    .filter(|&mode| mode != "format")
                    .map(|v| json!(v)),
            ),
            ("rate", self.rate.map(|value| json!(value))),
            ("latency_limit", self.latency_limit.as_ref().map(interval)),
            (
                "max_tries",
                self.max_tries
                    .filter(|&tries| tries != 1)
                    .map(|value| json!(value)),
            ),
            ("random_seed", self.random_seed.map(|value| json!(value))),
            (
                "variables",
                self.variables.as_ref().map(|value| value.0.clone()),
            ),
            (
                "settings",
                self.settings.as_ref().map(|value| value.0.clone()),
            ),
            (
                "warmup",
                self.warmup
                    .as_ref()
                    .filter(|w| w.as_micros() != 0)
                    .map(interval),
            ),
            (
                "sample_interval",
                self.sample_interval
                    .as_ref()
                    .filter(|s| s.as_micros() != 1_000_000)
                    .map(interval),
            ),
            ("schema", self.schema.map(|value| json!(value))),
            ("label", self.label.map(|value| json!(value))),
        ];
        given
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), value?)))
            .collect()
    }
}

/// `'tpcb-like'`, or several with their weights: `'tpcb-like@1, select-only@9'`.
fn mix(text: &str) -> Result<(Vec<ScriptSpec>, Vec<&'static Workload>, String)> {
    let mut scripts = Vec::new();
    let mut workloads = Vec::new();
    for part in text.split(',').map(str::trim) {
        let (name, weight) = match part.rsplit_once('@') {
            Some((name, weight)) => (name.trim(), weight.trim().parse::<u32>().ok()),
            None => (part, Some(1)),
        };
        let weight = weight
            .filter(|&weight| weight <= i32::MAX as u32)
            .ok_or_else(|| {
                invalid(format!(
                    "weight of workload \"{name}\" must be an integer from 0 to {}",
                    i32::MAX
                ))
            })?;
        let workload = workload::find(name)?;
        scripts.push(ScriptSpec {
            name: workload.name.to_owned(),
            text: workload.script.to_owned(),
            weight,
        });
        workloads.push(workload);
    }
    if scripts.len() > MAX_SCRIPTS {
        return Err(invalid(format!(
            "at most {MAX_SCRIPTS} scripts are allowed in a mix"
        )));
    }
    if scripts.iter().all(|script| script.weight == 0) {
        return Err(invalid(
            "the total weight of a mix must not be zero".to_owned(),
        ));
    }
    let name = match scripts.as_slice() {
        [only] => only.name.clone(),
        several => several
            .iter()
            .map(|script| format!("{}@{}", script.name, script.weight))
            .collect::<Vec<_>>()
            .join(", "),
    };
    Ok((scripts, workloads, name))
}

/// Seconds of an interval argument, at least `least`.
fn seconds(name: &str, interval: Option<&Interval>, least: f64) -> Result<Option<f64>> {
    let Some(interval) = interval else {
        return Ok(None);
    };
    let seconds = interval.as_micros() as f64 / 1e6;
    if seconds < least || seconds > MAX_SECONDS {
        return Err(invalid(format!(
            "{name} must be from {least} to {MAX_SECONDS} seconds, but is {seconds}"
        )));
    }
    Ok(Some(seconds))
}

fn query_mode(name: &str) -> Result<QueryMode> {
    match name {
        "simple" => Ok(QueryMode::Simple),
        "extended" => Ok(QueryMode::Extended),
        "prepared" => Ok(QueryMode::Prepared),
        _ => Err(hinted(
            format!("unknown query_mode \"{name}\""),
            "Query modes are: simple, extended, prepared.",
        )),
    }
}

fn result_mode(name: &str) -> Result<ResultMode> {
    match name {
        "format" => Ok(ResultMode::Format),
        "discard" => Ok(ResultMode::Discard),
        _ => Err(hinted(
            format!("unknown result_mode \"{name}\""),
            "Result modes are: format, discard.",
        )),
    }
}

/// A JSON object as names and texts.
fn text_map(argument: &str, value: Option<&JsonB>) -> Result<BTreeMap<String, String>> {
    let Some(JsonB(value)) = value else {
        return Ok(BTreeMap::new());
    };
    let Value::Object(fields) = value else {
        return Err(hinted(
            format!("{argument} must be a JSON object"),
            "For example: '{\"name\": \"value\"}'.",
        ));
    };
    fields
        .iter()
        .map(|(name, value)| {
            let text = match value {
                Value::String(text) => text.clone(),
                Value::Number(number) => number.to_string(),
                Value::Bool(value) => value.to_string(),
                _ => {
                    return Err(invalid(format!(
                        "{argument}: the value of \"{name}\" must be a string, number or boolean"
                    )));
                }
            };
            Ok((name.clone(), text))
        })
        .collect()
}

pub fn invalid(message: String) -> Error {
    Error::InvalidArgument {
        message,
        hint: None,
    }
}

pub fn hinted(message: String, hint: &str) -> Error {
    Error::InvalidArgument {
        message,
        hint: Some(hint.to_owned()),
    }
}
