//! The options of loads and runs.

use crate::error::Result;
use crate::workload::distribution;
use crate::workload::option::{self, Definition, Given, Kind, When, bad_value};
use crate::workload::params::Params;
use script::random::{MAX_ZIPFIAN_PARAMETER, MIN_ZIPFIAN_PARAMETER};
use serde::Deserialize;
use serde_json::Value;

pub(super) const MAX_WAREHOUSES: i32 = 100_000;
const MAX_TERMINALS: i32 = 10 * MAX_WAREHOUSES;

pub(super) static DEFINITIONS: [Definition; 9] = [
    Definition {
        name: "scale",
        kind: Kind::integer(1, MAX_WAREHOUSES),
        default: Given::Number(1.0),
        when: When::Load,
        doc: "warehouses",
    },
    Definition {
        name: "fillfactor",
        kind: Kind::integer(10, 100),
        default: Given::Number(100.0),
        when: When::Load,
        doc: "percent of each page to fill, in tables whose rows are updated",
    },
    Definition {
        name: "foreign_keys",
        kind: Kind::Boolean,
        default: Given::Boolean(false),
        when: When::Load,
        doc: "create foreign keys",
    },
    distribution::OPTION,
    Definition {
        name: "warehouses",
        kind: Kind::Span {
            min: 1,
            max: MAX_WAREHOUSES as i64,
        },
        default: Given::Nothing,
        when: When::Run,
        doc: "those that transactions use; all if not given",
    },
    Definition {
        name: "home",
        kind: Kind::Choice(&[ANY, FIXED, ZIPFIAN]),
        default: Given::Text(ANY),
        when: When::Run,
        doc: "the warehouse of a transaction. any: each is drawn as often as the others; fixed: each client keeps one; \
              zipfian: the first is drawn most often",
    },
    Definition {
        name: "zipfian",
        kind: Kind::Number {
            min: MIN_ZIPFIAN_PARAMETER,
            max: MAX_ZIPFIAN_PARAMETER,
            is_whole: false,
        },
        default: Given::Number(1.1),
        when: When::Run,
        doc: "parameter of home zipfian: the n-th warehouse has a weight of n to the power of minus this",
    },
    Definition {
        name: "terminals",
        kind: Kind::integer(1, MAX_TERMINALS),
        default: Given::Nothing,
        when: When::Run,
        doc: "users with keying and think times, at least one for each client; none if not given: clients run one \
              transaction after the other",
    },
    Definition {
        name: "waits",
        kind: Kind::Number {
            min: 0.0,
            max: 100.0,
            is_whole: false,
        },
        default: Given::Number(1.0),
        when: When::Run,
        doc: "factor of the keying and think times of terminals",
    },
];

const ANY: &str = "any";
const FIXED: &str = "fixed";
const ZIPFIAN: &str = "zipfian";

/// The options of a load.
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
pub(super) struct LoadOptions {
    pub fillfactor: i32,
    pub foreign_keys: bool,
    pub distribute: bool,
}

impl Default for LoadOptions {
    fn default() -> LoadOptions {
        LoadOptions {
            fillfactor: 100,
            foreign_keys: false,
            distribute: false,
        }
    }
}

/// The options of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct RunOptions {
    /// The first and the last of the warehouses; None: all.
    pub warehouses: Option<(i64, i64)>,
    pub home: Home,
    pub terminals: Option<Terminals>,
}

/// The users of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Terminals {
    pub count: u32,
    /// Factor of keying and think times.
    pub waits: f64,
}

/// How a transaction gets its warehouse.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum Home {
    #[default]
    Any,
    Fixed,
    /// With this parameter.
    Zipfian(f64),
}

impl RunOptions {
    /// Those of a run, which have been checked; the defaults where there is no run.
    pub fn of(params: &Params) -> RunOptions {
        let value = |name: &str| params.options.get(name);
        let text = |name: &str| value(name).and_then(Value::as_str);
        RunOptions {
            warehouses: text("warehouses").and_then(option::span),
            home: match text("home") {
                Some(FIXED) => Home::Fixed,
                Some(ZIPFIAN) => {
                    Home::Zipfian(value("zipfian").and_then(Value::as_f64).unwrap_or(1.1))
                }
                _ => Home::Any,
            },
            terminals: value("terminals")
                .and_then(Value::as_u64)
                .map(|count| Terminals {
                    count: count as u32,
                    waits: value("waits").and_then(Value::as_f64).unwrap_or(1.0),
                }),
        }
    }
}

/// # Errors
/// The warehouses of a run are not all there.
pub(super) fn check_run(params: &Params) -> Result<()> {
    let there = i64::from(params.scale.rounded());
    match RunOptions::of(params).warehouses {
        Some((_, last)) if last > there => Err(bad_value(
            "warehouses",
            &format!("some of the warehouses 1-{there}"),
            &params.options["warehouses"],
            "The scale of the tables is the number of warehouses.",
        )),
        _ => Ok(()),
    }
}
