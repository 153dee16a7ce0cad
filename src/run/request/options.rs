//! The arguments of `start_run`, checked one by one, as a [`Spec`].

use super::alternate::Alternation;
use super::limits::Limits;
use super::mix::{Mix, variables, with_defaults};
use super::precise;
use super::rate::RateArgument;
use super::spec::{Spec, Vacuum, Work};
use crate::collect::{Choice, parse_choices};
use crate::error::{Result, hinted, invalid};
use crate::pg::session::QueryMode;
use crate::pg::session::receiver::ResultMode;
use crate::pg::sql::arguments::{self, settings_map, text_map};
use crate::pg::sql::options::{SqlValue, options};
use crate::pg::sql::spi;
use crate::pg::sql::subxact::subtransaction;
use crate::run::caches::Caches;
use crate::run::drain::{self, request::Drain};
use crate::run::side_sql::statements;
use crate::workload::Scale;
use crate::workload::given::known_to;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

options! {
    /// The options of `start_run`. Each is declared here and in `schema/25_run_calls.sql`.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    pub struct Options {
        pub workload: Option<String> = None,
        pub clients: i32 = 1,
        pub duration: Option<Seconds> = None,
        pub transactions_per_client: Option<i64> = None,
        pub script: Option<String> = None,
        pub scripts: Option<Vec<Option<String>>> = None,
        pub weights: Option<Vec<Option<i32>>> = None,
        pub scale: Option<i32> = None,
        pub query_mode: String = "prepared".to_owned(),
        pub result_mode: String = "format".to_owned(),
        pub rate: Option<RateArgument> = None,
        pub latency_limit: Option<Seconds> = None,
        pub max_tries: i32 = 1,
        pub continue_on_error: bool = false,
        pub exit_on_abort: bool = false,
        pub think_time: Option<Seconds> = None,
        pub round_trip: Option<Seconds> = None,
        pub reconnect: Option<i64> = None,
        pub random_seed: Option<i64> = None,
        pub variables: Option<Value> = None,
        pub settings: Option<Value> = None,
        pub vacuum: String = "none".to_owned(),
        pub before_sql: Option<String> = None,
        pub after_sql: Option<String> = None,
        pub warmup: Seconds = Seconds(0.0),
        pub warmup_workload: Option<String> = None,
        pub sample_interval: Seconds = Seconds(1.0),
        pub collectors: Option<Vec<Option<String>>> = None,
        pub transaction_log: bool = false,
        pub sampling_rate: Option<f64> = None,
        pub limits: Option<Value> = None,
        pub schema: Option<String> = None,
        pub label: Option<String> = None,
        pub expect: Option<Value> = None,
        pub resume: bool = false,
        pub application_name: Option<String> = None,
        pub options: Option<Value> = None,
        pub hit_curve: bool = false,
        pub drain: Option<Value> = None,
        pub drain_sql: Option<String> = None,
        pub drain_timeout: Option<Seconds> = None,
        pub alternate: Option<Value> = None,
        pub alternate_every: Option<Seconds> = None,
        pub settle: Option<Seconds> = None,
        pub disturbances: Option<Value> = None,
        pub caches: Option<String> = None,
        pub plans: Option<bool> = None,
        pub until_precise: Option<String> = None,
    }
}

/// Whether runs with different values of the option with this name are made differently, and their other columns do not
/// show it.
pub fn is_condition(name: &str) -> bool {
    ![
        "workload",
        "label",
        "clients",
        "scale",
        "query_mode",
        "expect",
        "application_name",
        "plans",
    ]
    .contains(&name)
}

/// The setting that is also an argument, with the same name.
const APPLICATION_NAME: &str = "application_name";
const NAMEDATALEN: usize = pgrx::pg_sys::NAMEDATALEN as usize;
/// The duration of a run that is given neither a duration nor a number of transactions.
const DEFAULT_DURATION_S: f64 = 60.0;
/// The longest run or interval: ten years, far from any overflow in nanoseconds.
const MAX_SECONDS: f64 = 315_360_000.0;
/// The shortest sample interval: with a shorter one, a run would measure its own samples.
const MIN_SAMPLE_INTERVAL_S: f64 = 0.1;

impl Options {
    /// The arguments of a call, by name.
    pub fn new(given: Map<String, Value>) -> Result<Options> {
        Ok(serde_json::from_value(Value::Object(given))?)
    }

    /// What the run waits for after its clients have ended, checked against the server.
    pub fn drain(&self, search_path: &str) -> Result<Option<Drain>> {
        let timeout_s = in_range("drain_timeout", self.drain_timeout, 0.001)?;
        let (receivers, sql) = (self.drain.as_ref(), self.drain_sql.as_deref());
        drain::check::drain(receivers, sql, timeout_s, search_path)
    }

    /// The variables that the call itself gives.
    pub fn given_variables(&self) -> Result<BTreeMap<String, String>> {
        text_map("variables", self.variables.as_ref())
    }

    /// Checks each value by itself; the caller checks whatever depends on the database.
    pub fn into_spec(self, seed: i64, mix: &Mix, warmup: &Mix) -> Result<Spec> {
        let variables = variables(self.given_variables()?, mix, warmup)?;
        let settings = settings_map(self.settings.as_ref())?;
        let both = self.application_name.is_some() && settings.contains_key(APPLICATION_NAME);
        if both {
            return Err(hinted(
                "application_name is both an argument and in settings".to_owned(),
                "Give it once.",
            ));
        }
        let fixed = settings.clone();
        let stored = [mix.stored(), warmup.stored()].concat();
        let stored = stored.iter().map(|d| (d.own.name.as_str(), &d.settings));
        let mut settings = with_defaults("settings", settings, stored)?;
        if let Some(name) = &self.application_name {
            check_application_name(name)?;
            // The argument comes before the setting of a stored workload.
            settings.remove(APPLICATION_NAME);
        }
        let call = self.call(mix, warmup, &variables, &settings)?;
        if self.clients < 1 {
            return Err(invalid(format!(
                "number of clients must be at least 1, not {}",
                self.clients
            )));
        }
        let duration_s = in_range("duration", self.duration, 0.001)?;
        if duration_s.is_some() && self.transactions_per_client.is_some() {
            return Err(hinted(
                "duration and transactions_per_client exclude each other".to_owned(),
                "A run ends after a time or after a number of transactions: give one of the two.",
            ));
        }
        at_least_one("transactions_per_client", self.transactions_per_client)?;
        at_least_one("reconnect", self.reconnect)?;
        let rate = self.rate.as_ref().map(RateArgument::rate).transpose()?;
        if self.max_tries < 0 {
            return Err(invalid(format!(
                "max_tries must not be negative, but is {}",
                self.max_tries
            )));
        }
        if self.max_tries == 0 && self.latency_limit.is_none() && duration_s.is_none() {
            return Err(hinted(
                "max_tries => 0 (without limit) needs latency_limit or duration".to_owned(),
                "Otherwise a transaction that always fails would be tried for ever.",
            ));
        }
        if self.warmup_workload.is_some() && self.warmup == Seconds(0.0) {
            return Err(hinted(
                "warmup_workload needs warmup".to_owned(),
                "Say how long to warm up: warmup => '10 s'.",
            ));
        }
        if let Some(scale) = self.scale.filter(|&scale| scale < 1) {
            return Err(invalid(format!("scale must be at least 1, not {scale}")));
        }
        let sequences = mix.sequences(self.clients as usize);
        // Clients that run their scripts in an order end with its last one, if nothing is said.
        let (duration_s, transactions) = match (duration_s, self.transactions_per_client) {
            (None, None) => match sequences.first() {
                Some(sequence) => (None, Some(sequence.len() as i64)),
                None if self.until_precise.is_some() => (Some(precise::LONGEST_S), None),
                None => (Some(DEFAULT_DURATION_S), None),
            },
            given => given,
        };
        let clients = sequences.len().max(self.clients as usize);
        let alternate = Alternation::new(&self, &fixed, duration_s)?;
        let until_precise = precise::wanted(&self, duration_s)?;
        Ok(Spec {
            transaction_type: mix.transaction_type(),
            scripts: mix.scripts.clone(),
            transactions: all_transactions(clients, &sequences, transactions),
            sequences,
            undo_sql: Vec::new(),
            families: mix.family_names(),
            data: Vec::new(),
            clients,
            duration_s,
            transactions_per_client: transactions.map(|limit| limit as u64),
            warmup_s: in_range("warmup", Some(self.warmup), 0.0)?.unwrap_or(0.0),
            warmup_scripts: warmup.scripts.clone(),
            warmup_scale: None,
            sample_interval_s: in_range(
                "sample_interval",
                Some(self.sample_interval),
                MIN_SAMPLE_INTERVAL_S,
            )?
            .unwrap_or(1.0),
            collectors: self.collectors.as_deref().map(collectors).transpose()?,
            query_mode: query_mode(&self.query_mode)?,
            result_mode: result_mode(&self.result_mode)?,
            rate,
            terminals: None,
            latency_limit_ms: in_range("latency_limit", self.latency_limit, 1e-6)?
                .map(|seconds| seconds * 1e3),
            max_tries: self.max_tries as u32,
            continue_on_error: self.continue_on_error,
            exit_on_abort: self.exit_on_abort,
            think_time_s: in_range("think_time", self.think_time, 0.0)?.unwrap_or(0.0),
            round_trip_s: in_range("round_trip", self.round_trip, 0.0)?.unwrap_or(0.0),
            reconnect: self.reconnect.map(|count| count as u64),
            random_seed: seed,
            scale: self.scale.map(Scale::from),
            variables,
            settings,
            alternate,
            until_precise,
            vacuum: vacuum(&self.vacuum)?,
            vacuum_sql: Vec::new(),
            before_sql: statements("before_sql", self.before_sql.as_deref())?,
            after_sql: statements("after_sql", self.after_sql.as_deref())?,
            metrics_sql: mix.metrics_sql(),
            sampling_rate: sampling_rate(self.transaction_log, self.sampling_rate)?,
            limits: limits(self.limits.as_ref())?,
            resume: self.resume,
            hit_curve: self.hit_curve,
            plans: self.plans.unwrap_or_else(|| mix.has_plans_of_interest()),
            drain: None,
            disturbances: Vec::new(),
            caches: Caches::parse(self.caches.as_deref(), self.warmup != Seconds(0.0))?,
            segment: 0,
            elapsed_s: 0.0,
            search_path: String::new(),
            application_name: self.application_name.clone(),
            work: Work::Scripts,
            call,
        })
    }

    /// The arguments that differ from their defaults, by name, for the call that reproduces the run. A stored
    /// workload is spelled out, since its name may stand for a different one by then.
    fn call(
        &self,
        mix: &Mix,
        warmup: &Mix,
        variables: &BTreeMap<String, String>,
        settings: &BTreeMap<String, String>,
    ) -> Result<Map<String, Value>> {
        let (given, default) = (
            serde_json::to_value(self)?,
            serde_json::to_value(Options::default())?,
        );
        let Value::Object(mut given) = given else {
            return Ok(Map::new());
        };
        given.retain(|name, value| default.get(name.as_str()) != Some(&*value));
        if !mix.stored().is_empty() {
            given.remove("workload");
            given.extend(
                mix.spelled_out()
                    .map(|(name, value)| (name.to_owned(), value)),
            );
            // Options that are parts of the scripts now, or variables.
            if let Some(Value::Object(options)) = given.remove("options") {
                let options = known_to(&warmup.families(), options);
                if !options.is_empty() {
                    given.insert("options".to_owned(), options.into());
                }
            }
            for (name, values) in [("variables", variables), ("settings", settings)] {
                if !values.is_empty() {
                    given.insert(name.to_owned(), serde_json::to_value(values)?);
                }
            }
        }
        Ok(given)
    }
}

/// An interval argument, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Seconds(pub f64);

impl Serialize for Seconds {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{} s", self.0))
    }
}

impl<'de> Deserialize<'de> for Seconds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        arguments::seconds(&text)
            .map(Seconds)
            .ok_or_else(|| de::Error::custom(format_args!("not a number of seconds: {text}")))
    }
}

impl SqlValue for Seconds {
    const SQL_TYPE: &'static str = "interval";

    fn text(&self) -> Option<String> {
        Some(format!("{} s", self.0))
    }
}

/// Seconds of an interval argument, at least `least`.
pub fn in_range(name: &str, interval: Option<Seconds>, least: f64) -> Result<Option<f64>> {
    let Some(Seconds(seconds)) = interval else {
        return Ok(None);
    };
    if seconds < least || seconds > MAX_SECONDS {
        return Err(invalid(format!(
            "{name} must be from {least} to {MAX_SECONDS} seconds, but is {seconds}"
        )));
    }
    Ok(Some(seconds))
}

fn at_least_one(name: &str, value: Option<i64>) -> Result<()> {
    match value {
        Some(value) if value < 1 => Err(invalid(format!("{name} must be at least 1, not {value}"))),
        _ => Ok(()),
    }
}

/// Checks that the server shows a name as it is given: the server cuts longer names, and replaces characters that are
/// not printable ASCII.
fn check_application_name(name: &str) -> Result<()> {
    let reason = match name {
        "" => "must not be empty".to_owned(),
        _ if name.len() >= NAMEDATALEN => format!(
            "must have at most {} bytes, but has {}",
            NAMEDATALEN - 1,
            name.len()
        ),
        _ if name.bytes().any(|byte| !(b' '..=b'~').contains(&byte)) => {
            "must contain only printable ASCII characters".to_owned()
        }
        _ => return Ok(()),
    };
    Err(hinted(
        format!("application_name {reason}"),
        "pg_stat_activity shows it as it is given. Without it clients are called \"pgperf run N client M\".",
    ))
}

/// The collectors of a run. Their intervals are read as the server reads an interval, with its own errors.
fn collectors(items: &[Option<String>]) -> Result<Vec<Choice>> {
    #[derive(Deserialize)]
    struct Interval {
        seconds: f64,
    }
    parse_choices(items, |text| {
        let interval: Option<Interval> = spi::select_one(
            "SELECT EXTRACT(epoch FROM $1::pg_catalog.interval)::pg_catalog.float8 AS seconds",
            &[text.into()],
        )?;
        Ok(interval.map_or(0.0, |interval| interval.seconds))
    })
}

/// The argument `limits`; sizes are read as the server reads them.
pub fn limits(given: Option<&Value>) -> Result<Limits> {
    #[derive(Deserialize)]
    struct Size {
        bytes: i64,
    }
    Limits::new(given, |text| {
        let sql = "SELECT pg_catalog.pg_size_bytes($1) AS bytes";
        let read = subtransaction(|| spi::select_one::<Size>(sql, &[text.into()]));
        let size = read.map_err(|error| invalid(error.message))??;
        Ok(size.map_or(0, |size| size.bytes))
    })
}

/// How many transactions all clients do; None: so many each, or no number ends them.
fn all_transactions(
    clients: usize,
    sequences: &[Vec<usize>],
    per_client: Option<i64>,
) -> Option<u64> {
    let per_client = per_client? as u64;
    let of = |client| engine::transactions_of(client, sequences, per_client);
    let is_equal = (1..clients).all(|client| of(client) == per_client);
    let sum = || (0..clients).map(of).fold(0, u64::saturating_add);
    (!is_equal).then(sum)
}

/// The share of the transactions that is logged; None if there is no log.
fn sampling_rate(transaction_log: bool, given: Option<f64>) -> Result<Option<f64>> {
    match given {
        Some(_) if !transaction_log => Err(hinted(
            "sampling_rate needs transaction_log => true".to_owned(),
            "It is the part of the transactions that are written to pgperf.run_transactions.",
        )),
        Some(rate) if !(rate > 0.0 && rate <= 1.0) => Err(invalid(format!(
            "sampling_rate must be above 0 and at most 1, not {rate}"
        ))),
        _ => Ok(transaction_log.then_some(given.unwrap_or(1.0))),
    }
}

fn vacuum(name: &str) -> Result<Vacuum> {
    match name {
        "none" => Ok(Vacuum::None),
        "standard" => Ok(Vacuum::Standard),
        "all" => Ok(Vacuum::All),
        _ => Err(hinted(
            format!("unknown vacuum \"{name}\""),
            "Allowed values are: none, standard (as pgbench does), all (as pgbench -v does).",
        )),
    }
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
