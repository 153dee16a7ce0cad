//! Sizes as numbers of bytes.

use super::spi;
use super::subxact::subtransaction;
use crate::error::{Result, invalid};
use serde::Deserialize;

/// The bytes of a size such as `1 GB`, as the server reads its text.
///
/// # Errors
/// The server's message, where it is none.
pub fn read(text: &str) -> Result<i64> {
    #[derive(Deserialize)]
    struct Read {
        bytes: i64,
    }
    let sql = "SELECT pg_catalog.pg_size_bytes($1) AS bytes";
    let read = subtransaction(|| spi::select_one::<Read>(sql, &[text.into()]));
    let read = read.map_err(|error| invalid(error.message))??;
    Ok(read.map_or(0, |it| it.bytes))
}
