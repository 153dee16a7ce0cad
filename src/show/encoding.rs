//! The characters that the session's client can show.

use crate::pg::session::setting;

/// Whether text of this database goes to the client as UTF-8, so that it can show any character.
pub fn is_unicode() -> bool {
    ["client_encoding", "server_encoding"]
        .into_iter()
        .all(|name| setting::text(name).as_deref() == Some("UTF8"))
}
