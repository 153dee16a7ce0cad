//! Switching to the extension's owner for pgperf's own reads and writes, and only for those.

use super::setting;
use pgrx::pg_sys;
use std::ffi::CString;

/// What pgperf's own statements must not take from whoever calls it, nor from what the owner of the database has set for
/// it: how names and literals are read, and where and how tables are made.
pub const SETTINGS: [(&str, &str); 4] = [
    ("search_path", "pg_catalog, pg_temp"),
    ("standard_conforming_strings", "on"),
    ("default_tablespace", ""),
    ("default_table_access_method", "heap"),
];

/// Those of [`SETTINGS`] that this session has otherwise. The others keep their source, which samples and runs tell.
pub fn unlike_settings() -> impl Iterator<Item = (&'static str, &'static str)> {
    SETTINGS
        .into_iter()
        .filter(|(name, value)| setting::text(name).as_deref() != Some(*value))
}

/// Runs `body` as the extension's owner with [`SETTINGS`], so that nothing a caller put in the way of a name is met;
/// restores user and settings afterwards.
///
/// On an ERROR the server itself restores both when it aborts the (sub)transaction.
pub fn as_owner<T>(body: impl FnOnce() -> T) -> T {
    let mut user = pg_sys::InvalidOid;
    let mut context = 0;
    // SAFETY: both out-pointers are valid; these functions keep the current user and a nesting level
    // of settings, which (sub)transaction abort unwinds if `body` raises an ERROR.
    let nest_level = unsafe {
        pg_sys::GetUserIdAndSecContext(&mut user, &mut context);
        pg_sys::SetUserIdAndSecContext(
            extension_owner(),
            context | pg_sys::SECURITY_LOCAL_USERID_CHANGE as i32,
        );
        pg_sys::NewGUCNestLevel()
    };
    unlike_settings().for_each(|(name, value)| save(name, value));
    let result = body();
    // SAFETY: undoes exactly what was done above, in reverse order.
    unsafe {
        pg_sys::AtEOXact_GUC(true, nest_level);
        pg_sys::SetUserIdAndSecContext(user, context);
    }
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
    // SAFETY: a catalog scan by the server's own functions inside the current transaction; the tuple
    // is copied out before the scan ends.
    unsafe {
        let relation = pg_sys::table_open(
            pg_sys::ExtensionRelationId,
            pg_sys::AccessShareLock as pg_sys::LOCKMODE,
        );
        let mut key = pg_sys::ScanKeyData::default();
        pg_sys::ScanKeyInit(
            &mut key,
            pg_sys::Anum_pg_extension_extname as pg_sys::AttrNumber,
            pg_sys::BTEqualStrategyNumber as pg_sys::StrategyNumber,
            pg_sys::Oid::from(pg_sys::F_NAMEEQ),
            pg_sys::Datum::from(c"pgperf".as_ptr()),
        );
        let scan = pg_sys::systable_beginscan(
            relation,
            pg_sys::Oid::from(pg_sys::ExtensionNameIndexId),
            true,
            std::ptr::null_mut(),
            1,
            &mut key,
        );
        let tuple = pg_sys::systable_getnext(scan);
        let owner = if tuple.is_null() {
            pg_sys::Oid::from(pg_sys::BOOTSTRAP_SUPERUSERID)
        } else {
            (*(pg_sys::GETSTRUCT(tuple) as pg_sys::Form_pg_extension)).extowner
        };
        pg_sys::systable_endscan(scan);
        pg_sys::table_close(relation, pg_sys::AccessShareLock as pg_sys::LOCKMODE);
        owner
    }
}
