//! Switching to the extension's owner, only for pgperf's internal reads and writes.

use super::extension::{self, Installed};
use crate::pg::session::setting;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{PgLogLevel, pg_sys};
use std::ffi::c_int;

/// Settings that pgperf's own statements must not inherit from the caller or from the database: how names and
/// literals are read, and where and how tables are created.
pub const SETTINGS: [(&str, &str); 4] = [
    setting::CATALOG_NAMES,
    setting::PLAIN_LITERALS,
    ("default_tablespace", ""),
    ("default_table_access_method", "heap"),
];

/// Those of [`SETTINGS`] that differ in this session. The others keep their source, which samples and runs store.
pub fn unlike_settings() -> impl Iterator<Item = (&'static str, &'static str)> {
    SETTINGS
        .into_iter()
        .filter(|(name, value)| setting::text(name).as_deref() != Some(*value))
}

/// Runs `body` as the extension's owner with [`SETTINGS`], so that objects planted by a caller are never found;
/// restores user and settings afterwards.
///
/// On an ERROR the server itself restores both when it aborts the (sub)transaction. It raises one itself if the
/// extension has another version than this library: then its tables are left alone.
pub fn as_owner<T>(body: impl FnOnce() -> T) -> T {
    let before = become_owner();
    let result = with_settings(body);
    before.restore();
    result
}

/// A user and its security context.
struct User {
    user: pg_sys::Oid,
    context: c_int,
}

impl User {
    fn restore(self) {
        // SAFETY: undoes what `become_owner` has done.
        unsafe { pg_sys::SetUserIdAndSecContext(self.user, self.context) };
    }
}

/// Makes the owner of the extension the current user; returns who was it. A (sub)transaction's abort makes that one the current
/// user again, too.
fn become_owner() -> User {
    let installed = extension::find();
    if let Some(Err(error)) = installed.as_ref().map(Installed::check_version) {
        ErrorReport::from(error).report(PgLogLevel::ERROR);
    }
    let owner = owner_of(installed.as_ref());
    let mut before = User {
        user: pg_sys::InvalidOid,
        context: 0,
    };
    // SAFETY: both out-pointers are valid.
    unsafe {
        pg_sys::GetUserIdAndSecContext(&mut before.user, &mut before.context);
        pg_sys::SetUserIdAndSecContext(
            owner,
            before.context | pg_sys::SECURITY_LOCAL_USERID_CHANGE as i32,
        );
    }
    before
}

/// Runs `body` with [`SETTINGS`] and the caller's own rights; restores the settings afterwards. On an ERROR the server
/// restores them when it aborts the (sub)transaction.
pub fn with_settings<T>(body: impl FnOnce() -> T) -> T {
    let unlike: Vec<_> = unlike_settings().collect();
    setting::with_all(&unlike, body)
}

/// The role that owns the extension, or the bootstrap superuser while the extension is being made.
pub fn extension_owner() -> pg_sys::Oid {
    owner_of(extension::find().as_ref())
}

fn owner_of(installed: Option<&Installed>) -> pg_sys::Oid {
    installed.map_or(
        pg_sys::Oid::from(pg_sys::BOOTSTRAP_SUPERUSERID),
        |installed| installed.owner,
    )
}
