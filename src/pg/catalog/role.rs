//! Switching to the extension's owner for pgperf's own reads and writes, and only for those.

use super::extension::{self, Installed};
use crate::pg::session::setting;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{PgLogLevel, pg_sys};
use std::ffi::CString;

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
    let installed = extension::find();
    if let Some(Err(error)) = installed.as_ref().map(Installed::check_version) {
        ErrorReport::from(error).report(PgLogLevel::ERROR);
    }
    let owner = owner_of(installed.as_ref());
    let mut user = pg_sys::InvalidOid;
    let mut context = 0;
    // SAFETY: both out-pointers are valid; these functions keep the current user, which (sub)transaction abort restores
    // if `body` raises an ERROR.
    unsafe {
        pg_sys::GetUserIdAndSecContext(&mut user, &mut context);
        pg_sys::SetUserIdAndSecContext(
            owner,
            context | pg_sys::SECURITY_LOCAL_USERID_CHANGE as i32,
        );
    }
    let result = with_settings(body);
    // SAFETY: undoes exactly what was done above.
    unsafe { pg_sys::SetUserIdAndSecContext(user, context) };
    result
}

/// Runs `body` with [`SETTINGS`] and the caller's own rights; restores the settings afterwards. On an ERROR the server
/// restores them when it aborts the (sub)transaction.
pub fn with_settings<T>(body: impl FnOnce() -> T) -> T {
    // SAFETY: opens a nesting level of settings, which (sub)transaction abort unwinds if `body` raises an ERROR.
    let nest_level = unsafe { pg_sys::NewGUCNestLevel() };
    unlike_settings().for_each(|(name, value)| save(name, value));
    let result = body();
    // SAFETY: closes the level that was opened above.
    unsafe { pg_sys::AtEOXact_GUC(true, nest_level) };
    result
}

/// Sets a setting until the current nesting level ends.
fn save(name: &str, value: &str) {
    let (Ok(name), Ok(value)) = (CString::new(name), CString::new(value)) else {
        return;
    };
    // SAFETY: valid strings that the server copies.
    unsafe {
        pg_sys::set_config_option(
            name.as_ptr(),
            value.as_ptr(),
            pg_sys::GucContext::PGC_USERSET,
            pg_sys::GucSource::PGC_S_SESSION,
            pg_sys::GucAction::GUC_ACTION_SAVE,
            true,
            0,
            false,
        );
    }
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
