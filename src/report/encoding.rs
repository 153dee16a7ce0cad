//! What the session's client can show.

use crate::pg::spi;
use serde::Deserialize;

/// Whether text of this database goes to the client as UTF-8, so that it can show any character.
pub fn is_unicode() -> bool {
    #[derive(Deserialize)]
    struct Encodings {
        unicode: bool,
    }
    let encodings = spi::select_one::<Encodings>(
        "SELECT pg_catalog.pg_client_encoding() = 'UTF8' AND pg_catalog.getdatabaseencoding() = 'UTF8' AS unicode",
        &[],
    );
    matches!(encodings, Ok(Some(Encodings { unicode: true })))
}
