//! What the session's client can show.

use pgrx::spi::Spi;

/// Whether text of this database goes to the client as UTF-8, so that it can show any character.
pub fn is_unicode() -> bool {
    let encodings: Result<Option<bool>, _> = Spi::get_one(
        "SELECT pg_catalog.pg_client_encoding() = 'UTF8' AND pg_catalog.getdatabaseencoding() = 'UTF8'",
    );
    matches!(encodings, Ok(Some(true)))
}
