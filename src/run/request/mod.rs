//! Requests for runs: the arguments ([`options`], [`mix`], [`targets`], [`rate`], [`alternate`], [`precise`], [`limits`], [`expectation`]) become a
//! [`spec`], which includes the run's work; [`preconditions`] are checked before [`start`] or [`start_load`] stores anything.

pub mod alternate;
pub mod expectation;
pub mod limits;
pub mod mix;
pub mod nodes;
pub mod of_this_server;
pub mod options;
pub mod places;
pub mod precise;
pub mod preconditions;
pub mod rate;
mod room;
pub mod spec;
pub mod start;
pub mod start_at;
pub mod start_load;
mod tables_in_use;
pub mod targets;
pub mod transport;
mod weighted;
mod work;
