//! The choice of tables that can be filled page by page: those whose columns are exactly the ones the rows were made for.
//! Other tables are filled by the executor, which finds columns by name and does all that they require.

use super::attribute;
use super::row::{Type, Typed};
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

    /// Whether a column of this type takes its values in their binary form.
    pub fn has_form_of(&self, type_oid: pg_sys::Oid, last_key: u64) -> bool {
        match self {
            Content::Char { length, .. } => self.is_of(type_oid, char_modifier(*length), last_key),
            _ => self.is_of(type_oid, -1, last_key),
        }
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

impl Typed {
    /// Whether a column of this type takes its values in their binary form.
    pub fn has_form_of(&self, type_oid: pg_sys::Oid) -> bool {
        declared(self.kind).0 == type_oid
    }
}

/// What the rows of a table are.
pub enum Shape<'a> {
    /// All alike but for key and unit.
    Repeated {
        columns: &'a [Column<'a>],
        last_key: u64,
    },
    /// Whatever is packed.
    Packed(&'a [Typed]),
}

impl Shape<'_> {
    fn len(&self) -> usize {
        match self {
            Shape::Repeated { columns, .. } => columns.len(),
            Shape::Packed(columns) => columns.len(),
        }
    }

    /// Whether column number `i` is what its rows were made for.
    fn fits(&self, i: usize, name: &[u8], column: &pg_sys::FormData_pg_attribute) -> bool {
        match self {
            Shape::Repeated { columns, last_key } => {
                let expected = &columns[i];
                let content = &expected.content;
                name == expected.name.as_bytes()
                    && content.is_of(column.atttypid, column.atttypmod, *last_key)
                    && !(column.attnotnull && content.is_null())
            }
            Shape::Packed(columns) => {
                let (type_oid, modifier) = declared(columns[i].kind);
                // Of a plain value the header always is the long one.
                let is_packable = column.attlen != -1 || column.attstorage as u8 != b'p';
                name == columns[i].name.as_bytes()
                    && (column.atttypid, column.atttypmod) == (type_oid, modifier)
                    && is_packable
                    && !(column.attnotnull && columns[i].is_nullable)
            }
        }
    }
}

/// Type and type modifier as the catalog has them.
fn declared(kind: Type) -> (pg_sys::Oid, i32) {
    let header = pg_sys::VARHDRSZ as i32;
    match kind {
        Type::Bool => (pg_sys::BOOLOID, -1),
        Type::Int2 => (pg_sys::INT2OID, -1),
        Type::Int4 => (pg_sys::INT4OID, -1),
        Type::Int8 => (pg_sys::INT8OID, -1),
        Type::Float8 => (pg_sys::FLOAT8OID, -1),
        Type::Date => (pg_sys::DATEOID, -1),
        Type::Timestamp => (pg_sys::TIMESTAMPOID, -1),
        Type::Timestamptz => (pg_sys::TIMESTAMPTZOID, -1),
        Type::Text => (pg_sys::TEXTOID, -1),
        Type::Varchar(length) => (pg_sys::VARCHAROID, i32::from(length) + header),
        Type::Char(length) => (pg_sys::BPCHAROID, char_modifier(length)),
        Type::Numeric { precision, scale } => (
            pg_sys::NUMERICOID,
            (i32::from(precision) << 16 | i32::from(scale)) + header,
        ),
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
    shape: &Shape,
    is_partition: bool,
) -> bool {
    // SAFETY: the entry is valid while the relation is open.
    unsafe {
        let class = &*(*relation).rd_rel;
        let descriptor = (*relation).rd_att;
        #[cfg(not(feature = "since16"))]
        let file_since = (*relation).rd_newRelfilenodeSubid;
        #[cfg(feature = "since16")]
        let file_since = (*relation).rd_newRelfilelocatorSubid;
        let is_fresh = file_since == pg_sys::GetCurrentSubTransactionId();
        let is_permanent = class.relpersistence as u8 == pg_sys::RELPERSISTENCE_PERMANENT;
        let is_logical = pg_sys::wal_level >= pg_sys::WalLevel::WAL_LEVEL_LOGICAL as i32;
        // From 19 on a slot may ask for it without that setting.
        #[cfg(feature = "since19")]
        let is_logical = is_logical || pg_sys::XLogLogicalInfo;
        let is_decoded = is_permanent && is_logical;
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
            && !computes((*descriptor).constr, shape)
            && !class.relrowsecurity
            && (*relation).trigdesc.is_null()
            && pg_sys::RelationGetIndexList(relation).is_null()
            && class.relispartition == is_partition
            && columns_fit(descriptor, shape)
    }
}

/// Whether columns are computed or checked. Rows that have a value for each column take no default.
///
/// # Safety
/// Of a valid descriptor.
unsafe fn computes(constraints: *const pg_sys::TupleConstr, shape: &Shape) -> bool {
    // SAFETY: see above.
    let Some(constraints) = (unsafe { constraints.as_ref() }) else {
        return false;
    };
    #[cfg(feature = "since18")]
    let is_virtual = constraints.has_generated_virtual;
    #[cfg(not(feature = "since18"))]
    let is_virtual = false;
    constraints.num_check > 0
        || constraints.num_defval > 0 && matches!(shape, Shape::Repeated { .. })
        || constraints.has_generated_stored
        || is_virtual
}

/// Whether these are the table's columns, all of them and in this order.
///
/// # Safety
/// A valid descriptor.
unsafe fn columns_fit(descriptor: pg_sys::TupleDesc, shape: &Shape) -> bool {
    let is_writable = match shape {
        Shape::Repeated { columns, .. } => is_writable(columns),
        Shape::Packed(_) => true,
    };
    // SAFETY: see above.
    if unsafe { (*descriptor).natts as usize } != shape.len() || !is_writable {
        return false;
    }
    (0..shape.len()).all(|i| {
        // SAFETY: as many columns as it says.
        let there = unsafe { &*attribute(descriptor, i) };
        // SAFETY: a name ends with a zero byte.
        let name = unsafe { CStr::from_ptr(there.attname.data.as_ptr()) };
        shape.fits(i, name.to_bytes(), there)
            && there.attidentity == 0
            && there.attgenerated == 0
            && !there.attisdropped
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
