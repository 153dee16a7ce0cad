//! The definition of an index, read without waiting for locks.

use crate::pg::sql::text::Text;
use pgrx::fcinfo::direct_function_call;
use pgrx::{IntoDatum, pg_sys};

/// A column or expression of an index, counted from 1, as pg_get_indexdef shows it. That opens the table, so that it waits for whoever has
/// locked it, such as an ALTER TABLE that stays open. None: somebody has, or there is no such column.
pub fn column(index: pg_sys::Oid, number: i32) -> Option<String> {
    let mode = pg_sys::AccessShareLock as pg_sys::LOCKMODE;
    // SAFETY: inside a transaction. The lock is not waited for, and given back here or, after an ERROR, by the transaction's end. The
    // function takes an oid, an integer and a truth value, and returns a text or NULL.
    unsafe {
        let table = pg_sys::IndexGetRelation(index, true);
        if table == pg_sys::InvalidOid || !pg_sys::ConditionalLockRelationOid(table, mode) {
            return None;
        }
        let arguments = [index.into_datum(), number.into_datum(), true.into_datum()];
        let text: Option<Text> = direct_function_call(pg_sys::pg_get_indexdef_ext, &arguments);
        pg_sys::UnlockRelationOid(table, mode);
        text.map(|Text(text)| text).filter(|text| !text.is_empty())
    }
}
