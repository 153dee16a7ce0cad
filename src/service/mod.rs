//! What every worker does, be it the leader of a run, the worker of a sweep, a sampler or the resumer.
//!
//! * [`preconditions`], [`start`]: what is checked before a worker is registered, and the start itself;
//! * [`launch`], [`as_owner`]: what a worker is told; the second for those that work in a database as the extension's owner;
//! * [`starting`]: between a start and its commit;
//! * [`store`]: short transactions that never stand in the way of DROP EXTENSION;
//! * [`permission`]: whether the server lets pgperf make load;
//! * [`waiting`]: how a procedure waits for what a worker does.

pub mod as_owner;
pub mod error;
pub mod launch;
pub mod permission;
pub mod preconditions;
pub mod start;
pub mod starting;
pub mod store;
pub mod waiting;
