//! The continuous sampler: one background worker a database takes samples by the clock.
//!
//! * [`worker`]: the sampler; [`launcher`]: starts those of the setting `pgperf.sampler_databases`;
//! * [`timetable`]: when which collector is due, and how far it is pushed back when it costs too much;
//! * [`control`]: the SQL functions.
//!
//! Who has a sampler is known by a lock that it holds for life, so that nobody has to remember anything: two cannot
//! be, and one that is gone, however it went, is missed.

mod control;
pub mod launcher;
mod timetable;
pub mod worker;
