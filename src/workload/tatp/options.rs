//! The options of loads and runs.

use crate::error::Result;
use crate::workload::option::{Definition, Given, Kind, When};
use crate::workload::params::Params;
use serde::Deserialize;

/// Subscribers of a unit of scale.
const SUBSCRIBERS: i64 = 100_000;
/// Numbers of subscribers are of type integer.
const MAX_SCALE: i32 = 20_000;

pub(super) static DEFINITIONS: [Definition; 3] = [
    Definition {
        name: "scale",
        kind: Kind::integer(1, MAX_SCALE),
        default: Given::Number(1.0),
        when: When::Load,
        doc: "100,000 subscribers for each unit",
    },
    Definition {
        name: "fillfactor",
        kind: Kind::integer(10, 100),
        default: Given::Number(100.0),
        when: When::Load,
        doc: "percent of each page to fill, in tables whose rows are updated",
    },
    Definition {
        name: "uniform",
        kind: Kind::Boolean,
        default: Given::Boolean(false),
        when: When::Run,
        doc: "whether all subscribers are drawn equally often, not some of them more often",
    },
];

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct TatpOptions {
    pub fillfactor: i32,
    pub uniform: bool,
}

impl Default for TatpOptions {
    fn default() -> TatpOptions {
        TatpOptions {
            fillfactor: 100,
            uniform: false,
        }
    }
}

impl TatpOptions {
    /// # Errors
    /// The options cannot be read.
    pub fn of(params: &Params) -> Result<TatpOptions> {
        params.options()
    }
}

/// How many subscribers there are; those of scale 1 where there are no tables yet.
pub(super) fn subscribers(params: &Params) -> i64 {
    i64::from(params.scale.rounded().max(1)) * SUBSCRIBERS
}
