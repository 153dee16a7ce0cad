//! The arguments of `start_run`, checked one by one, as a [`Spec`].

mod table;
mod values;

pub use self::table::Options;
pub use self::values::limits;
use self::values::{
    all_transactions, at_least_one, collectors, query_mode, result_mode, sampling_rate,
};
use super::alternate::Alternation;
use super::mix::{Mix, variables, with_defaults};
use super::precise;
use super::rate::RateArgument;
use super::spec::{Spec, Targets, Transport, Vacuum, Work};
use super::start_at;
use crate::error::{Result, hinted, invalid};
use crate::pg::sql::arguments;
use crate::pg::sql::interval::{Seconds, in_range};
use crate::pg::sql::object;
use crate::run::caches::Caches;
use crate::run::drain::{self, request::Drain};
use crate::run::side_sql::statements;
use crate::workload::Scale;
use crate::workload::given::known_to;
use engine::RunSpec;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

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
        START_AT,
    ]
    .contains(&name)
}

const NAMEDATALEN: usize = pgrx::pg_sys::NAMEDATALEN as usize;
/// The setting that is also an argument, with the same name.
const APPLICATION_NAME: &str = "application_name";
/// The argument that is about one moment: another run begins at another.
const START_AT: &str = "start_at";
/// The options that sweeps do not have for their runs.
pub const NOT_OF_SWEEPS: [&str; 3] = ["resume", START_AT, "nodes"];
/// The duration of a run that is given neither a duration nor a number of transactions.
const DEFAULT_DURATION_S: f64 = 60.0;
/// The shortest sample interval: with a shorter one, a run would measure its own samples.
const MIN_SAMPLE_INTERVAL_S: f64 = 0.1;

impl Options {
    /// The arguments of a call, by name.
    pub fn new(given: Map<String, Value>) -> Result<Options> {
        arguments::read(given)
    }

    /// What the run waits for after its clients have ended, checked against the server.
    pub fn drain(&self, search_path: &str) -> Result<Option<Drain>> {
        let timeout_s = in_range("drain_timeout", self.drain_timeout, 0.001)?;
        let (receivers, sql) = (self.drain.as_ref(), self.drain_sql.as_deref());
        drain::check::drain(receivers, sql, timeout_s, search_path)
    }

    /// The targets to which its clients connect.
    pub fn targets(&self) -> Result<Targets> {
        Targets::new(self.server.as_deref(), self.servers.as_deref())
    }

    /// The variables that the call itself gives.
    pub fn given_variables(&self) -> Result<BTreeMap<String, String>> {
        object::texts("variables", self.variables.as_ref())
    }

    /// Checks each value by itself; the caller checks whatever depends on the database.
    pub fn into_spec(self, seed: i64, mix: &Mix, warmup: &Mix) -> Result<Spec> {
        let variables = variables(self.given_variables()?, mix, warmup)?;
        let settings = object::settings(self.settings.as_ref())?;
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
        let transport = Transport::new(&self, clients)?;
        let targets = self.targets()?;
        targets.check_clients(clients)?;
        let run = RunSpec {
            scripts: mix.scripts.clone(),
            sequences,
            clients,
            share: None,
            transactions_per_client: transactions.map(|limit| limit as u64),
            query_mode: query_mode(&self.query_mode)?,
            rate,
            terminals: None,
            max_tries: self.max_tries as u32,
            continue_on_error: self.continue_on_error,
            think_time_s: in_range("think_time", self.think_time, 0.0)?.unwrap_or(0.0),
            round_trip_s: in_range("round_trip", self.round_trip, 0.0)?.unwrap_or(0.0),
            reconnect: match self.connect_each_transaction {
                true => Some(1),
                false => self.reconnect.map(|count| count as u64),
            },
            reconnect_on_loss: self.reconnect_on_loss,
            random_seed: seed,
            variables,
            sampling_rate: sampling_rate(self.transaction_log, self.sampling_rate)?,
            resume: self.resume,
            segment: 0,
            elapsed_s: 0.0,
            latency_limit_ms: in_range("latency_limit", self.latency_limit, 1e-6)?
                .map(|seconds| seconds * 1e3),
            // What follows from the rest of the specification.
            warmup: None,
            script_scale: script::Value::Null,
            sides: None,
        };
        Ok(Spec {
            transaction_type: mix.transaction_type(),
            transactions: all_transactions(clients, &run.sequences, transactions),
            run,
            undo_sql: Vec::new(),
            families: mix.family_names(),
            data: Vec::new(),
            duration_s,
            warmup_s: in_range("warmup", Some(self.warmup), 0.0)?.unwrap_or(0.0),
            warmup_scripts: warmup.scripts.clone(),
            warmup_scale: None,
            sample_interval_s: in_range(
                "sample_interval",
                Some(self.sample_interval),
                MIN_SAMPLE_INTERVAL_S,
            )?
            .unwrap_or(1.0),
            collectors: match targets.is_here() {
                true => self.collectors.as_deref().map(collectors).transpose()?,
                // Samples of this server say nothing of a target.
                false => Some(Vec::new()),
            },
            result_mode: result_mode(&self.result_mode)?,
            exit_on_abort: self.exit_on_abort,
            scale: self.scale.map(Scale::from),
            settings,
            alternate,
            until_precise,
            vacuum: Vacuum::named(&self.vacuum)?,
            vacuum_sql: Vec::new(),
            before_sql: statements("before_sql", self.before_sql.as_deref())?,
            after_sql: statements("after_sql", self.after_sql.as_deref())?,
            metrics_sql: mix.metrics_sql(),
            limits: limits(self.limits.as_ref())?,
            hit_curve: self.hit_curve,
            plans: self.plans.unwrap_or_else(|| mix.has_plans_of_interest()),
            drain: None,
            disturbances: Vec::new(),
            caches: Caches::parse(self.caches.as_deref(), self.warmup != Seconds(0.0))?,
            search_path: String::new(),
            application_name: self.application_name.clone(),
            nodes: Vec::new(),
            group_id: None,
            start_at: self.start_at.as_ref().map(start_at::check).transpose()?,
            transport,
            targets,
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
        given.remove(START_AT);
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
