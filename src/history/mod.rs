//! The history for people: what it says, in the forms in which people and programs read it.
//!
//! * [`metrics`]: the newest samples for Prometheus.

mod metrics;
