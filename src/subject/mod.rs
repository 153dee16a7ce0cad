//! What is known of a server, subject by subject: a section of a report each, in a file, with its SQL in a folder of its name.
//! A window of the history shows all of them, the page of a run those that say so.

pub mod buffers;
mod checkpoints;
pub mod devices;
mod gaps;
pub mod host;
mod indexes;
mod io;
mod load;
pub mod observer;
mod replication;
mod settings;
pub mod slru;
mod statements;
pub mod tables;
mod tablespaces;
#[cfg(test)]
mod tests;
pub mod waits;
pub mod wal;
pub mod wraparound;

use crate::show::section::Section;

/// All of them, in the order of a report.
pub fn sections() -> &'static [&'static Section] {
    &[
        &load::SECTION,
        &statements::SECTION,
        &waits::SECTION,
        &tables::SECTION,
        &indexes::SECTION,
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
