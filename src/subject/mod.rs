//! What is known of a server, subject by subject: each folder has a subject's collector, which takes its part of a sample, the tables
//! of the history, and a section of a report. A window of the history shows all sections, the page of a run those that say so.
//!
//! [`registry`]: collectors by their names; [`schedule`]: those of a run; [`snapshot`]: the calls that take them.

mod bloat;
mod blocking;
pub mod buffers;
mod checkpoints;
pub mod devices;
mod gaps;
pub mod hit_curve;
pub mod host;
mod indexes;
mod io;
pub mod load;
pub mod observer;
pub mod plans;
mod registry;
pub mod replication;
mod schedule;
mod sequences;
pub mod sessions;
pub mod settings;
pub mod slru;
mod snapshot;
pub mod statements;
pub mod tables;
mod tablespaces;
#[cfg(test)]
mod tests;
pub mod waits;
pub mod wal;
pub mod wraparound;

use crate::collect::Collector;
use crate::show::metric::Source;
use crate::show::section::Section;
pub use schedule::{Choice, Schedule, of_load, parse as parse_choices, reads_relations};

/// Every collector, in the order in which a sample takes them.
pub static ALL: [&Collector; 23] = [
    &wal::COLLECTOR,
    &wraparound::COLLECTOR,
    &load::COLLECTOR,
    &checkpoints::COLLECTOR,
    &io::COLLECTOR,
    &waits::COLLECTOR,
    &waits::PROFILE,
    &sessions::COLLECTOR,
    &host::COLLECTOR,
    &replication::COLLECTOR,
    &wal::ARCHIVER,
    &slru::COLLECTOR,
    &waits::LOCKS,
    &tables::AUTOVACUUM,
    &settings::COLLECTOR,
    &statements::COLLECTOR,
    &plans::COLLECTOR,
    &tables::COLLECTOR,
    &tablespaces::COLLECTOR,
    &sequences::COLLECTOR,
    &buffers::COLLECTOR,
    &bloat::COLLECTOR,
    &hit_curve::COLLECTOR,
];

/// All sections, in the order of a report.
pub fn sections() -> &'static [&'static Section] {
    &[
        &load::SECTION,
        &sessions::SECTION,
        &blocking::SECTION,
        &statements::SECTION,
        &plans::SECTION,
        &waits::SECTION,
        &tables::SECTION,
        &indexes::SECTION,
        &sequences::SECTION,
        &buffers::SECTION,
        &wal::SECTION,
        &checkpoints::SECTION,
        &wraparound::SECTION,
        &replication::SECTION,
        &slru::SECTION,
        &io::SECTION,
        &tablespaces::SECTION,
        &host::SECTION,
        &devices::SECTION,
        &settings::SECTION,
        &gaps::SECTION,
        &observer::SECTION,
    ]
}

/// The sources of all metrics, in the order of the page for Prometheus.
pub fn metrics() -> impl Iterator<Item = &'static Source> {
    let sources = [
        load::METRICS,
        waits::METRICS,
        sessions::METRICS,
        statements::METRICS,
        tables::METRICS,
        sequences::METRICS,
        bloat::METRICS,
        buffers::METRICS,
        hit_curve::METRICS,
        wal::METRICS,
        tablespaces::METRICS,
        checkpoints::METRICS,
        wraparound::METRICS,
        replication::METRICS,
        slru::METRICS,
        waits::LOCK_METRICS,
        io::METRICS,
        host::METRICS,
        devices::METRICS,
    ];
    sources.into_iter().flatten()
}
