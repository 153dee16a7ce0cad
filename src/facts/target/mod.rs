//! What another server tells of itself over a [control connection](crate::target::control), by SQL that fits its major (9.6 and later) and
//! the rights of its role there. Nothing has to be installed there. What a server lacks, or may not be read, is NULL.
//!
//! * [`environment`]: the server's build, and its extensions;
//! * [`settings`]: settings that are not at their defaults; [`moment`]: sizes and counters at a moment;
//! * [`changes`]: what has changed over a run, as rows of it; [`observer`]: both over a run; [`identity`]: what tells several apart;
//! * [`function`]: `pgperf.target_facts` and `pgperf.target_figures`.

pub mod changes;
pub mod environment;
mod function;
pub mod identity;
pub mod moment;
pub mod observer;
pub mod settings;
