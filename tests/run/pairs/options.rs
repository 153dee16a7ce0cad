//! The options of runs with the values that meet, the pairs that are refused, and the options that have their tests elsewhere.

use super::covering::Choice;

/// What varies from run to run: an option, or several that belong together.
pub struct Factor {
    pub name: &'static str,
    /// The options of `start_run` that it gives.
    pub options: &'static [&'static str],
    /// The names of its levels; the first one fits every other factor.
    pub levels: &'static [&'static str],
}

const fn factor(
    name: &'static str,
    options: &'static [&'static str],
    levels: &'static [&'static str],
) -> Factor {
    Factor {
        name,
        options,
        levels,
    }
}

pub const FACTORS: &[Factor] = &[
    factor(
        "end",
        &["duration", "transactions_per_client"],
        &["time", "count"],
    ),
    factor(
        "warmup",
        &["warmup", "warmup_workload"],
        &["none", "own", "other"],
    ),
    factor("rate", &["rate"], &["none", "constant", "steps"]),
    factor("limit", &["latency_limit"], &["none", "wide", "tight"]),
    factor("mode", &["query_mode"], &["prepared", "extended", "simple"]),
    factor("resume", &["resume"], &["off", "on", "interrupted"]),
    factor("caches", &["caches"], &["kept", "warm", "cold"]),
    factor(
        "alternate",
        &["alternate", "alternate_every", "settle"],
        &["none", "setting", "script"],
    ),
    factor("conflicts", &["max_tries"], &["none", "failed", "retried"]),
    factor("interval", &["sample_interval"], &["short", "odd", "long"]),
    factor(
        "log",
        &["transaction_log", "sampling_rate"],
        &["none", "all", "half"],
    ),
    factor("collectors", &["collectors"], &["none", "one", "three"]),
    factor("precise", &["until_precise"], &["off", "on"]),
    factor("clients", &["clients"], &["one", "three"]),
    factor("results", &["result_mode"], &["format", "discard"]),
    factor("errors", &["continue_on_error"], &["off", "on"]),
    factor(
        "scripts",
        &["script", "scripts", "weights"],
        &["one", "two"],
    ),
    factor("disturbances", &["disturbances"], &["none", "some"]),
    factor("hit curve", &["hit_curve"], &["off", "on"]),
    factor("plans", &["plans"], &["off", "on"]),
    factor("think", &["think_time"], &["none", "some"]),
    factor("round trip", &["round_trip"], &["none", "some"]),
    factor("reconnect", &["reconnect"], &["never", "often"]),
    factor("seed", &["random_seed"], &["drawn", "given"]),
    factor("settings", &["settings"], &["none", "some"]),
    factor("name", &["application_name"], &["own", "given"]),
    factor("variables", &["variables"], &["none", "some"]),
    factor("beside", &["before_sql", "after_sql"], &["none", "both"]),
    factor("drain", &["drain_sql"], &["none", "sql"]),
    factor("limits", &["limits"], &["default", "far"]),
    factor("abort", &["exit_on_abort"], &["off", "on"]),
    factor("expect", &["expect"], &["nothing", "met"]),
    factor("transport", &["transport", "workers"], &["inside", "wire"]),
];

/// Options that do not meet the others here.
pub const ELSEWHERE: &[(&str, &str)] = &[
    ("workload", "built-in scripts: families, run::clients"),
    ("options", "options of built-in workloads: families"),
    ("scale", "a number of the tables: families, run::clients"),
    ("schema", "where tables are: families, load"),
    ("vacuum", "of tables of pgperf alone: run::before_and_after"),
    ("drain", "standbys and slots: replication"),
    ("drain_timeout", "how long that may take: replication"),
    ("label", "each run here has one"),
    ("connect_each_transaction", "of connections: wire"),
    ("reconnect_on_loss", "of connections: targets::losses"),
    ("server", "to another server: targets"),
    ("servers", "to several: targets"),
    ("start_at", "at a moment: run::start_at"),
    ("nodes", "on several servers with pgperf: targets::nodes"),
];

/// Levels of two factors that exclude each other, and what the refusal says.
type Excluded = (
    &'static str,
    &'static [&'static str],
    &'static str,
    &'static [&'static str],
    &'static str,
);

const EXCLUDED: &[Excluded] = &[
    (
        "precise",
        &["on"],
        "end",
        &["count"],
        "until_precise and transactions_per_client exclude each other",
    ),
    (
        "precise",
        &["on"],
        "rate",
        &["constant", "steps"],
        "until_precise and rate exclude each other",
    ),
    (
        "precise",
        &["on"],
        "alternate",
        &["setting", "script"],
        "until_precise and alternate exclude each other",
    ),
    (
        "precise",
        &["on"],
        "disturbances",
        &["some"],
        "until_precise and disturbances exclude each other",
    ),
    (
        "precise",
        &["on"],
        "resume",
        &["on", "interrupted"],
        "until_precise and resume exclude each other",
    ),
    (
        "precise",
        &["on"],
        "interval",
        &["long"],
        "until_precise needs a duration of at least 108000 s",
    ),
    (
        "caches",
        &["cold"],
        "warmup",
        &["own", "other"],
        "caches => 'cold' and warmup exclude each other",
    ),
    (
        "alternate",
        &["setting", "script"],
        "resume",
        &["on", "interrupted"],
        "alternate and resume exclude each other",
    ),
    (
        "alternate",
        &["script"],
        "scripts",
        &["one"],
        "alternate: the run has no script",
    ),
    (
        "transport",
        &["wire"],
        "results",
        &["discard"],
        "result_mode => 'discard' is not possible over the wire",
    ),
    (
        "transport",
        &["wire"],
        "hit curve",
        &["on"],
        "hit_curve is not possible over the wire",
    ),
];

/// What the refusal of a pair says; None: it is not refused.
pub fn refusal(a: Choice, b: Choice) -> Option<&'static str> {
    let is = |choice: Choice, factor: &str, levels: &[&str]| {
        let of = &FACTORS[choice.0];
        of.name == factor && levels.contains(&of.levels[choice.1])
    };
    let found = EXCLUDED.iter().find(|(one, ones, other, others, _)| {
        is(a, one, ones) && is(b, other, others) || is(b, one, ones) && is(a, other, others)
    });
    found.map(|(.., said)| *said)
}
