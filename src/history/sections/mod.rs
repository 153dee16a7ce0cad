//! The sections of a report, in order. Each is a file, with its SQL in a folder of its name.

mod load;
mod settings;
mod waits;
mod wal;

use super::section::Section;

/// All of them.
pub fn all() -> &'static [&'static Section] {
    &[
        &load::SECTION,
        &waits::SECTION,
        &wal::SECTION,
        &settings::SECTION,
    ]
}

#[cfg(test)]
mod tests;
