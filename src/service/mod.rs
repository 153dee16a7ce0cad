//! The common work of all workers: the leader of a run, the worker of a sweep, a sampler and the resumer.
//!
//! * [`preconditions`], [`start`]: the checks before a worker is registered, and the start itself;
//! * [`launch`], [`as_owner`]: a worker's arguments; the second for those that work in a database as the extension's owner;
//! * [`starting`]: between a start and its commit;
//! * [`store`]: short transactions that never block DROP EXTENSION;
//! * [`server_settings`], [`altered_settings`]: settings of the server that are changed for a time, and put back;
//! * [`durable_file`]: files that outlive a crash of the machine;
//! * [`guards`]: processes outside the server that restart it for a sweep;
//! * [`permission`]: whether the server allows load;
//! * [`waiting`]: how a procedure waits for a worker.

pub mod altered_settings;
pub mod as_owner;
mod durable_file;
pub mod guards;
pub mod launch;
pub mod permission;
pub mod preconditions;
pub mod server_settings;
pub mod start;
pub mod starting;
pub mod store;
pub mod waiting;
