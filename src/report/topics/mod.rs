//! What only some runs have, each a topic that the text of a report and its page show alike.

pub mod alternation;
pub mod disturbances;
pub mod hit_curve;
pub mod rate_search;
pub mod receivers;
