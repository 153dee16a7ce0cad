//! The state that a client passes to its next session, if a run reconnects: the random streams, the schedule, the counts and
//! the variables. So the work continues as if there had been no break.

use crate::terminals::TerminalsState;
use script::{Prng, Value};
use serde::{Deserialize, Serialize};

/// The state of a client between two sessions.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct Handover {
    /// When the session ended, on the monotonic clock in ns.
    pub left_at: u64,
    /// Whether it was lost.
    #[serde(default)]
    pub lost: bool,
    /// Measured transactions that have ended.
    pub ended: u64,
    pub measuring: bool,
    /// Rows and bytes received in the measured part.
    pub received: (u64, u64),
    pub throttle: ThrottleState,
    pub sampling: Option<Prng>,
    /// When a failed transaction was last logged; 0: never.
    #[serde(default)]
    pub logged_at: u64,
    #[serde(default)]
    pub terminals: Option<TerminalsState>,
    pub scripts: ScriptState,
}

/// Where the schedule is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ThrottleState {
    pub prng: Prng,
    pub due: u64,
    /// When the measured part began, less the segments before; 0: it has not begun.
    pub origin: u64,
    /// How often the rate had been altered.
    pub revision: u64,
}

/// Where the scripts are.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct ScriptState {
    pub choice: Prng,
    /// How many scripts of an order came before.
    #[serde(default)]
    pub chosen: usize,
    pub prng: Prng,
    /// By number; None: not set.
    pub variables: Vec<Option<CarriedValue>>,
}

/// A value, exact to the bit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum CarriedValue {
    Null,
    Bool(bool),
    Int(i64),
    Double(u64),
    Text(String),
}

impl From<&Value> for CarriedValue {
    fn from(value: &Value) -> CarriedValue {
        match value {
            Value::Null => CarriedValue::Null,
            Value::Bool(value) => CarriedValue::Bool(*value),
            Value::Int(value) => CarriedValue::Int(*value),
            Value::Double(value) => CarriedValue::Double(value.to_bits()),
            Value::Text(text) => CarriedValue::Text(text.to_string()),
        }
    }
}

impl From<CarriedValue> for Value {
    fn from(value: CarriedValue) -> Value {
        match value {
            CarriedValue::Null => Value::Null,
            CarriedValue::Bool(value) => Value::Bool(value),
            CarriedValue::Int(value) => Value::Int(value),
            CarriedValue::Double(bits) => Value::Double(f64::from_bits(bits)),
            CarriedValue::Text(text) => Value::Text(text.into()),
        }
    }
}
