//! The continuous sampler: one background worker per database takes samples at regular times.
//!
//! * [`worker`]: the sampler; [`begin`]: how it begins, and when it leaves; [`launcher`]: starts those of the setting `pgperf.sampler_databases`;
//! * [`timetable`]: when each collector is due, and how it is slowed down when it costs too much;
//! * [`buffers`]: the buffers that it follows between its samples; [`control`]: the SQL functions.
//!
//! A lock that a sampler holds all its life shows that a database has one, so no state has to be kept: there cannot
//! be two, and a missing one is noticed however it ended.

mod begin;
mod buffers;
mod control;
pub mod launcher;
mod timetable;
pub mod worker;
