//! Writes of a worker that stores history, a run's leader or the sampler: short transactions that never block DROP
//! EXTENSION.

use crate::error::{Error, Result, failure, sqlstate_code};
use crate::pg::catalog::role;
use crate::pg::error::{SqlError, raise};
use crate::pg::process::latch;
use crate::pg::process::lock::{Extension, try_lock_extension};
use crate::pg::session::setting;
use crate::pg::sql::xact;
use pgrx::pg_sys::Oid;

/// The SQLSTATE of a lock timeout.
pub const LOCK_NOT_AVAILABLE: &str = "55P03";

/// The settings of a worker that stores history, whatever ALTER DATABASE and ALTER ROLE have made of them: an error ends a
/// statement alone, names resolve to the catalog and may be those of views, nothing of its own times out, and a commit waits
/// neither for the disk nor for a standby. A server passes over those that it lacks.
const SETTINGS: [(&str, &str); 13] = [
    ("exit_on_error", "off"),
    setting::CATALOG_NAMES,
    setting::ALL_RELATIONS,
    ("restrict_nonsystem_relation_kind", ""),
    ("statement_timeout", "0"),
    ("lock_timeout", "0"),
    ("idle_in_transaction_session_timeout", "0"),
    ("transaction_timeout", "0"),
    ("default_transaction_read_only", "off"),
    ("default_transaction_isolation", "read committed"),
    ("synchronous_commit", "off"),
    // Compiling such statements takes longer than running them.
    ("jit", "off"),
    ("client_min_messages", "warning"),
];

/// Gives a worker its [`SETTINGS`].
pub fn configure(application_name: &str) {
    set_all(&SETTINGS);
    set_all(&[("application_name", application_name)]);
}

/// The same for a worker that is a session of the extension's owner: the owner of the database may have set
/// [`role::SETTINGS`] for it, too. Those that are as they should be keep their source, which samples and runs store.
pub fn configure_owner(application_name: &str) {
    configure(application_name);
    let unlike: Vec<_> = role::unlike_settings().collect();
    set_all(&unlike);
}

/// Sets those that there are, also against later changes of the configuration. A failure leaves the server's or the role's value;
/// resulting errors are reported where they occur.
fn set_all(settings: &[(&str, &str)]) {
    let _ = xact::bare_transaction(|| {
        for (name, value) in settings {
            if setting::text(name).is_some() {
                setting::set(name, value);
            }
        }
    });
}

/// From now on this worker hardly waits for a lock: data that somebody's lock keeps it from storing is [`Unstored::Busy`].
pub fn wait_for_no_lock() {
    let _ = xact::bare_transaction(|| setting::set("lock_timeout", "500ms"));
}

/// Why something was not stored.
#[derive(Debug)]
pub enum Unstored {
    /// The extension is locked by somebody who drops or alters it, or one of its tables is: try again later.
    Busy,
    /// The extension is gone: there is nowhere left to store.
    Gone,
    Failed(SqlError),
}

impl From<Unstored> for Error {
    fn from(unstored: Unstored) -> Error {
        let (sqlstate, reason) = match unstored {
            Unstored::Busy => (
                LOCK_NOT_AVAILABLE.to_owned(),
                "the extension or one of its tables is locked by another session".to_owned(),
            ),
            Unstored::Gone => return Error::NotInstalled,
            Unstored::Failed(error) => (error.sqlstate, error.message),
        };
        failure(sqlstate_code(&sqlstate), reason)
    }
}

/// Runs `body` in a transaction of its own, after locking the extension as DROP EXTENSION does first, so
/// that the two cannot deadlock. Anything but success leaves nothing stored.
pub fn store<T>(
    extension: Oid,
    body: impl FnOnce() -> Result<T>,
) -> std::result::Result<T, Unstored> {
    let result = xact::transaction(|| match try_lock_extension(extension) {
        // A worker that notices an update ends; the update leaves room for its last data.
        Extension::Present | Extension::Updated => Ok(body().unwrap_or_else(|error| raise(error))),
        Extension::Busy => Err(Unstored::Busy),
        Extension::Gone => Err(Unstored::Gone),
    });
    latch::report_statistics(false);
    latch::report_idle();
    match result {
        Ok(result) => result,
        Err(error) if error.sqlstate == LOCK_NOT_AVAILABLE => Err(Unstored::Busy),
        Err(error) => Err(Unstored::Failed(error)),
    }
}
