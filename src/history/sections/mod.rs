//! The sections of a report, in order. Each is a file, with its SQL in a folder of its name.

mod buffers;
mod checkpoints;
mod devices;
mod gaps;
mod host;
mod indexes;
mod io;
mod load;
mod observer;
mod replication;
mod settings;
mod slru;
mod statements;
mod tables;
mod tablespaces;
#[cfg(test)]
mod tests;
mod waits;
mod wal;
mod wraparound;

use crate::show::section::Section;

/// All of them.
pub fn all() -> &'static [&'static Section] {
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
