//! Samples of targets: what another server tells over a connection goes into the same tables of the history, under a node of its own.
//!
//! * [`source`]: how a collector reads a target; [`dialect`]: what differs between servers in the SQL that collectors share;
//! * [`sampler`]: the conversation with a target, one sample after the other; [`super::sample::of_target`]: the storing of one.

pub mod dialect;
pub mod sampler;
pub mod source;

pub use dialect::{CURRENT_DATABASE, Dialect};
pub use sampler::TargetSampler;
pub use source::{Asking, TargetSource};
