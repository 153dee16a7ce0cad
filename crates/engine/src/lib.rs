//! A client of a run, without a server. It chooses scripts, draws values, sends statements through a [`Transport`], follows
//! its schedule, retries failed transactions as pgbench does, and counts.
//!
//! | module | what it does |
//! |---|---|
//! | `spec` | what the clients of a run do |
//! | `client` | one transaction after the other: schedule, retries, pauses, counts |
//! | `script_runner`, `script_list` | one script: its commands, and the time of each |
//! | `executor`, `named`, `capture` | statements on their way to the transport, and results that become variables |
//! | `explain` | the plans of statements, before the run |
//! | `pool` | values that are read before the run |
//! | `choice` | the script of the next transaction: drawn by weight, or the next one of an order |
//! | `script_start`, `throttle`, `sampling` | random streams, as pgbench gives them to its clients |
//! | `rate` | the rate over the time of a run, and the start times of transactions |
//! | `terminals` | users with keying and think times, many on a client |
//! | `handover` | the state that a client passes to its next session |
//! | `command`, `per_script`, `latencies`, `usage`, `laps` | statistics |
//! | `error`, `failure` | errors, and whether a transaction survives them |
//!
//! Three traits connect a client to its environment: [`Transport`] (the session), [`Surroundings`] (clock, waiting, the phase
//! of the run) and [`Sink`] (the destination of the counts). A [`Client`] is generic over them, so that none costs a dynamic
//! call.

mod capture;
mod choice;
mod client;
mod command;
mod error;
mod executor;
mod explain;
mod failure;
mod handover;
mod laps;
mod latencies;
mod named;
mod outcomes;
mod per_script;
mod pool;
mod rate;
mod results;
mod sampling;
mod script_list;
mod script_runner;
mod script_start;
mod sink;
mod spec;
mod surroundings;
mod terminals;
mod throttle;
mod transport;
mod usage;

#[cfg(test)]
mod tests;

pub use client::{Client, ClientStart, SessionEnd};
pub use command::{Answers, CommandStats, Parts, Spent};
pub use error::{ClientError, QUERY_CANCELED, SqlError, WRONG_VALUES};
pub use explain::Explained;
pub use failure::FailureKind;
pub use handover::{CarriedValue, Handover, ScriptState, ThrottleState};
pub use laps::Laps;
pub use latencies::Latencies;
pub use outcomes::Outcomes;
pub use per_script::ScriptStats;
pub use rate::{Level, Rate, RateStep, Wave};
pub use results::{KeptResult, KeptResults};
pub use sampling::{Entry, LoggedOutcome};
pub use script_start::BUILT_IN;
pub use sink::Sink;
pub use spec::{Pace, RunSpec, ScriptSpec, Share, Sides, Warmup, parse_scripts, transactions_of};
pub use surroundings::{Altered, Phase, Surroundings};
pub use transport::{Completion, QueryMode, Transport};
pub use usage::Usage;
