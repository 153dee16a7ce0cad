//! The call that started a sweep.

use super::facts::SweepOrigin;
use crate::experiment::grid;
use crate::experiment::options::SweepOptions;
use crate::pg::sql::options::Options;
use crate::report::call;
use crate::run::request::options::Options as RunOptions;
use serde::Serializer;
use serde_json::{Map, Value};

/// The arguments of a call, as they are stored.
type Stored = Option<Map<String, Value>>;

/// The call of a sweep.
pub fn of(origin: &SweepOrigin) -> String {
    written(given(&origin.call))
}

/// The same in a document.
pub fn serialize<S: Serializer>(call: &Stored, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&written(given(call)))
}

/// Its arguments.
pub fn given(call: &Stored) -> Map<String, Value> {
    call.clone().unwrap_or_default()
}

/// A call with these arguments.
pub fn written(mut given: Map<String, Value>) -> String {
    // The workload first, as in the call.
    let order = [&["workload"], SweepOptions::NAMES, RunOptions::NAMES].concat();
    let defaults = SweepOptions::arguments();
    let is_default = |name: &str, value: &Value| {
        let argument = defaults.iter().find(|argument| argument.name == name);
        argument.and_then(|argument| argument.default.as_deref()) == Some(&*grid::text(value))
    };
    given.retain(|name, value| !is_default(name, value));
    call::call("SELECT pgperf.start_sweep", &order, &given)
}
