//! What other extensions know: read where they are installed, never required.

use super::collector::extension_schema;
use crate::error::Result;
use crate::pg::sql::subxact::subtransaction;

/// The outcome of reading from an extension.
#[derive(Debug, Default)]
pub enum Optional<T> {
    /// It is not installed in this database.
    #[default]
    Missing,
    /// It is, but why nothing can be read: it is not preloaded, is too old, or its function may not be called.
    Unreadable(String),
    Read(T),
}

impl<T> Optional<T> {
    /// What was read, and why it could not be.
    pub fn split(self) -> (Option<T>, Option<String>) {
        match self {
            Optional::Missing => (None, None),
            Optional::Unreadable(reason) => (None, Some(reason)),
            Optional::Read(value) => (Some(value), None),
        }
    }
}

/// Reads from an extension, whose schema `read` is given. An ERROR is a reason: nothing else fails for it.
pub fn read<T>(extension: &str, read: impl FnOnce(&str) -> Result<T>) -> Result<Optional<T>> {
    let Ok(schema) = extension_schema(extension) else {
        return Ok(Optional::Missing);
    };
    Ok(match subtransaction(|| read(&schema)) {
        Ok(value) => Optional::Read(value?),
        Err(error) => Optional::Unreadable(format!("{extension}: {}", error.message)),
    })
}
