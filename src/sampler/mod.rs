//! The continuous sampler: one background worker per database takes samples at regular times.
//!
//! * [`worker`]: the sampler; [`begin`]: its start and its end; [`launcher`]: starts those of the setting
//!   `pgperf.sampler_databases`;
//! * [`timetable`]: the schedule of collectors, and longer intervals for those that cost too much;
//! * [`buffers`], [`sessions`]: what it follows between its samples; [`control`]: the SQL functions.
//!
//! A sampler holds a lock as long as it lives, which shows that its database has one. So no state has to be stored: there
//! cannot be two samplers, and a missing one is noticed, for whatever reason it ended.

mod begin;
mod buffers;
mod control;
pub mod launcher;
mod sessions;
mod timetable;
pub mod worker;
