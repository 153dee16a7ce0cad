//! Decides which tables can be filled page by page: those whose columns are exactly the ones the rows were made for.
//! Any other table is left to the executor, which finds columns by name and handles whatever they require.

use super::attribute;
use pgrx::pg_sys;
use std::ffi::{CStr, CString};

/// A column and its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its type and its values.
    pub content: Content<'a>,
}

/// The type of a column, and its values. The key is the first column, the unit the second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content<'a> {
    /// An int or bigint that numbers the rows.
    Key,
    /// An int that the key decides.
    Unit,
    /// An int, the same in every row.
    Int(i32),
    /// A `char(length)`, the same in every row; None: NULL.
    Char { length: u16, value: Option<&'a str> },
}

impl Content<'_> {
    fn is_null(&self) -> bool {
        matches!(self, Content::Char { value: None, .. })
    }

    /// Whether a column is of just this type. Type modifiers hold a char's length; a domain is a type of its own,
    /// whatever its base type.
    fn is_of(&self, type_oid: pg_sys::Oid, modifier: i32, last_key: u64) -> bool {
        match self {
            Content::Key if type_oid == pg_sys::INT4OID => last_key <= i32::MAX as u64,
            Content::Key => type_oid == pg_sys::INT8OID,
            Content::Unit | Content::Int(_) => type_oid == pg_sys::INT4OID,
            Content::Char { length, .. } => {
                type_oid == pg_sys::BPCHAROID && modifier == char_modifier(*length)
            }
        }
    }
}

/// What the catalog has for `char(length)`: the length with its header.
fn char_modifier(length: u16) -> i32 {
    i32::from(length) + pg_sys::VARHDRSZ as i32
}

pub(super) fn has_unit(columns: &[Column]) -> bool {
    columns.iter().any(|column| column.content == Content::Unit)
}

/// Key and unit are where a page's writer expects them.
fn is_writable(columns: &[Column]) -> bool {
    columns.iter().enumerate().all(|(i, column)| {
        (i == 0) == (column.content == Content::Key) && (i == 1 || column.content != Content::Unit)
    })
}

/// Whether the relation is a heap of these columns whose rows need no further work.
///
/// # Safety
/// An open relation.
pub(super) unsafe fn is_plain(
    relation: pg_sys::Relation,
    columns: &[Column],
    last_key: u64,
    is_partition: bool,
) -> bool {
    // SAFETY: the entry is valid while the relation is open.
    unsafe {
        let class = &*(*relation).rd_rel;
        let descriptor = (*relation).rd_att;
        #[cfg(feature = "pg15")]
        let file_since = (*relation).rd_newRelfilenodeSubid;
        #[cfg(not(feature = "pg15"))]
        let file_since = (*relation).rd_newRelfilelocatorSubid;
        let is_fresh = file_since == pg_sys::GetCurrentSubTransactionId();
        let is_permanent = class.relpersistence as u8 == pg_sys::RELPERSISTENCE_PERMANENT;
        let is_decoded =
            is_permanent && pg_sys::wal_level >= pg_sys::WalLevel::WAL_LEVEL_LOGICAL as i32;
        let may_insert = pg_sys::pg_class_aclcheck(
            (*relation).rd_id,
            pg_sys::GetUserId(),
            pg_sys::ACL_INSERT as pg_sys::AclMode,
        ) == pg_sys::AclResult::ACLCHECK_OK;
        class.relkind as u8 == pg_sys::RELKIND_RELATION
            && class.relpersistence as u8 != pg_sys::RELPERSISTENCE_TEMP
            && class.relam == pg_sys::HEAP_TABLE_AM_OID
            && is_fresh
            && may_insert
            && !is_decoded
            && !computes((*descriptor).constr)
            && !class.relhasrules
            && !class.relrowsecurity
            && (*relation).trigdesc.is_null()
            && pg_sys::RelationGetIndexList(relation).is_null()
            && class.relispartition == is_partition
            && columns_fit(descriptor, columns, last_key)
    }
}

/// Whether columns are computed or checked.
///
/// # Safety
/// Of a valid descriptor.
unsafe fn computes(constraints: *const pg_sys::TupleConstr) -> bool {
    // SAFETY: see above.
    let Some(constraints) = (unsafe { constraints.as_ref() }) else {
        return false;
    };
    #[cfg(feature = "pg18")]
    let is_virtual = constraints.has_generated_virtual;
    #[cfg(not(feature = "pg18"))]
    let is_virtual = false;
    constraints.num_check > 0
        || constraints.num_defval > 0
        || constraints.has_generated_stored
        || is_virtual
}

/// Whether these are the table's columns, all of them and in this order.
///
/// # Safety
/// A valid descriptor.
unsafe fn columns_fit(descriptor: pg_sys::TupleDesc, columns: &[Column], last_key: u64) -> bool {
    // SAFETY: see above.
    if unsafe { (*descriptor).natts as usize } != columns.len() || !is_writable(columns) {
        return false;
    }
    columns.iter().enumerate().all(|(i, column)| {
        // SAFETY: as many columns as it says.
        let there = unsafe { &*attribute(descriptor, i) };
        // SAFETY: a name ends with a zero byte.
        let name = unsafe { CStr::from_ptr(there.attname.data.as_ptr()) };
        name.to_bytes() == column.name.as_bytes()
            && column
                .content
                .is_of(there.atttypid, there.atttypmod, last_key)
            && there.attidentity == 0
            && there.attgenerated == 0
            && !there.attisdropped
            && !(there.attnotnull && column.content.is_null())
    })
}

/// A row as the server's heap_form_tuple takes it: values, and which of them are NULL; key and unit are 0.
pub(super) fn values(columns: &[Column]) -> Option<(Vec<pg_sys::Datum>, Vec<bool>)> {
    let values: Option<_> = columns
        .iter()
        .map(|column| match column.content {
            Content::Key | Content::Unit => Some(pg_sys::Datum::from(0)),
            Content::Int(value) => Some(pg_sys::Datum::from(value)),
            Content::Char { value: None, .. } => Some(pg_sys::Datum::from(0)),
            Content::Char {
                length,
                value: Some(text),
            } => Some(char_value(&CString::new(text).ok()?, length)),
        })
        .collect();
    let nulls = columns.iter().map(|column| column.content.is_null());
    Some((values?, nulls.collect()))
}

/// The text as a `char(length)`, in the current memory context.
fn char_value(text: &CStr, length: u16) -> pg_sys::Datum {
    let (mut function, mut parameter) = (pg_sys::InvalidOid, pg_sys::InvalidOid);
    // SAFETY: the server's own type; its input function makes a copy of the text.
    unsafe {
        pg_sys::getTypeInputInfo(pg_sys::BPCHAROID, &mut function, &mut parameter);
        pg_sys::OidInputFunctionCall(
            function,
            text.as_ptr().cast_mut(),
            parameter,
            char_modifier(length),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAST_INT: u64 = i32::MAX as u64;

    #[test]
    fn types_are_compared_exactly() {
        let filler = Content::Char {
            length: 84,
            value: None,
        };
        assert!(filler.is_of(pg_sys::BPCHAROID, 88, 1));
        assert!(!filler.is_of(pg_sys::BPCHAROID, 84, 1));
        assert!(!filler.is_of(pg_sys::BPCHAROID, -1, 1));
        assert!(!filler.is_of(pg_sys::VARCHAROID, 88, 1));
        assert!(Content::Int(0).is_of(pg_sys::INT4OID, -1, 1));
        assert!(!Content::Int(0).is_of(pg_sys::INT8OID, -1, 1));
        assert!(!Content::Unit.is_of(pg_sys::INT8OID, -1, 1));
        assert!(Content::Key.is_of(pg_sys::INT4OID, -1, LAST_INT));
        assert!(!Content::Key.is_of(pg_sys::INT4OID, -1, LAST_INT + 1));
        assert!(Content::Key.is_of(pg_sys::INT8OID, -1, LAST_INT + 1));
        assert!(!Content::Key.is_of(pg_sys::INT2OID, -1, 1));
    }

    #[test]
    fn key_and_unit_have_their_places() {
        let columns = |contents: &[Content<'static>]| -> Vec<Column<'static>> {
            let column = |&content| Column { name: "c", content };
            contents.iter().map(column).collect()
        };
        use Content::{Int, Key, Unit};
        for (contents, writable) in [
            (&[Key, Unit, Int(0)][..], true),
            (&[Key, Int(0)], true),
            (&[Unit, Key], false),
            (&[Key, Int(0), Unit], false),
            (&[Key, Key], false),
            (&[Int(0), Unit], false),
        ] {
            assert_eq!(is_writable(&columns(contents)), writable, "{contents:?}");
        }
    }
}
