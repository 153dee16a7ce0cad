//! The extension in the catalog: its owner and the version of its SQL objects.
//!
//! The library may be newer, until `ALTER EXTENSION pgperf UPDATE` is run, or older, in a process that loaded it before the
//! update. Then pgperf does not use its tables: the objects it needs may not exist.

use crate::error::{Error, Result};
use crate::pg::sql::text::Text;
use pgrx::{FromDatum, pg_sys};

/// The extension's entry in the catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    pub oid: pg_sys::Oid,
    pub owner: pg_sys::Oid,
    /// As `pg_extension.extversion`.
    pub version: String,
}

/// The version of this library, to which the install script of the same release belongs.
const LIBRARY_VERSION: &str = env!("CARGO_PKG_VERSION");

impl Installed {
    /// Whether the SQL objects are those that this library knows.
    ///
    /// # Errors
    /// They belong to another release, and are not being created at this moment.
    pub fn check_version(&self) -> Result<()> {
        // SAFETY: state of this process: whether it runs an install or upgrade script.
        let being_made = unsafe { pg_sys::creating_extension };
        if being_made || release(&self.version) == release(LIBRARY_VERSION) {
            return Ok(());
        }
        Err(Error::OtherVersion {
            library: LIBRARY_VERSION,
            extension: self.version.clone(),
            extension_is_older: release(&self.version) < release(LIBRARY_VERSION),
        })
    }
}

/// The part of a version that changes when SQL objects do: the first two numbers. None, for a version that is not
/// ours, counts as older.
fn release(version: &str) -> Option<(u32, u32)> {
    let mut numbers = version.split('.');
    let mut number = || numbers.next()?.parse().ok();
    Some((number()?, number()?))
}

/// The extension in this database. Inside a transaction, which sees what has committed.
pub fn find() -> Option<Installed> {
    // SAFETY: a catalog scan by the server's own functions inside the current transaction; what is of interest is
    // copied out of the tuple before the scan ends.
    unsafe {
        let lock = pg_sys::AccessShareLock as pg_sys::LOCKMODE;
        let relation = pg_sys::table_open(pg_sys::ExtensionRelationId, lock);
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
        let installed = (!tuple.is_null()).then(|| {
            let row = &*(pg_sys::GETSTRUCT(tuple) as pg_sys::Form_pg_extension);
            let mut is_null = false;
            let version = pg_sys::heap_getattr(
                tuple,
                pg_sys::Anum_pg_extension_extversion as i32,
                (*relation).rd_att,
                &mut is_null,
            );
            Installed {
                oid: row.oid,
                owner: row.extowner,
                version: Text::from_datum(version, is_null)
                    .map_or_else(String::new, |Text(text)| text),
            }
        });
        pg_sys::systable_endscan(scan);
        pg_sys::table_close(relation, lock);
        installed
    }
}

#[cfg(test)]
mod tests {
    use super::release;

    #[test]
    fn patches_are_of_one_release() {
        assert_eq!(release("1.0.0"), release("1.0.17"));
        assert_eq!(release("1.0"), release("1.0.0"));
        assert!(release("1.2.0") < release("1.10.0"));
        assert!(release("1.10.0") < release("2.0.0"));
        assert!(release("unpackaged") < release("1.0.0"));
    }
}
