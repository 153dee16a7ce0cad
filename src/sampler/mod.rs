//! The continuous sampler: background workers that take samples at regular times.
//!
//! * [`launcher`]: the process that starts them for the setting `pgperf.sampler_databases`; [`visits`]: what it starts and when;
//!   [`rounds`]: the databases of the setting, one of which is the server's home;
//! * [`worker`]: a sampler; [`assignment`]: what it is there for; [`begin`]: its start and its end; [`permanent`]: one that stays;
//!   [`visit`]: one that takes what is due and ends; [`page`]: the memory in which it leaves what the next one has to know;
//! * [`timetable`]: the schedule of collectors, and longer intervals for those that cost too much; [`upkeep`]: that of maintenance;
//! * [`buffers`], [`sessions`]: what a sampler follows between its samples; [`control`]: the SQL functions;
//! * [`targets`]: the sampler of other servers, to which it connects.
//!
//! A sampler that stays holds a lock as long as it lives, which shows that its database has one. So no state has to be stored: there
//! cannot be two samplers, and a missing one is noticed, for whatever reason it ended.

mod assignment;
mod begin;
mod buffers;
mod control;
pub mod launcher;
mod page;
mod permanent;
mod rounds;
mod sessions;
mod targets;
mod timetable;
mod upkeep;
mod visit;
mod visits;
pub mod worker;
