//! A jsonb value that is read in place: converting it to text would be too slow for an aggregate over many rows.

use super::text::{argument, named};
use crate::pg::{numeric, raw};
use pgrx::callconv::{Arg, ArgAbi};
use pgrx::nullable::Nullable;
use pgrx::pgrx_sql_entity_graph::metadata::{
    ArgumentError, ReturnsError, ReturnsRef, SqlMappingRef, SqlTranslatable, TypeOrigin,
};
use pgrx::{FromDatum, fcinfo, pg_sys};
use std::mem::MaybeUninit;

/// As many as an object has mostly.
const PARTS: usize = 64;

/// A jsonb argument.
pub struct Jsonb(*mut pg_sys::Jsonb);

/// A part of an object of objects. Names and texts are in the encoding of the database.
pub enum JsonbItem<'a> {
    /// What follows is an object of this name, or another value of which nothing follows.
    Object(&'a [u8]),
    /// A field of that object.
    Field(&'a [u8], Scalar<'a>),
}

/// A value of a field; `Other` is a truth value, a null, an array or an object.
#[derive(Clone, Copy)]
pub enum Scalar<'a> {
    Text(&'a [u8]),
    Number(Number<'a>),
    Other,
}

/// A number as it is stored, with its length before it.
#[derive(Clone, Copy)]
pub struct Number<'a>(&'a [u8]);

/// The length before it, in bytes.
const LENGTH: usize = size_of::<pg_sys::int32>();

impl Number<'_> {
    /// The nearest double.
    pub fn value(self) -> f64 {
        let converted = || {
            let number = pg_sys::Datum::from(self.0.as_ptr());
            // SAFETY: a whole numeric that is not NULL.
            unsafe {
                fcinfo::direct_function_call(pg_sys::numeric_float8_no_overflow, &[Some(number)])
            }
        };
        numeric::value(&self.0[LENGTH..])
            .or_else(converted)
            .unwrap_or(f64::NAN)
    }
}

impl Jsonb {
    /// The objects of this object, with their fields, in the order in which they are stored. A value that is no object has none.
    pub fn objects(&self) -> Vec<JsonbItem<'_>> {
        let mut parts = Vec::with_capacity(PARTS);
        // SAFETY: a whole value (see `from_polymorphic_datum`), which the iterator does not change. On an ERROR, which can
        // only be one of memory, the guard is left by a jump from one of the two calls; `parts` is outside of it.
        unsafe {
            pg_sys::ffi::pg_guard_ffi_boundary(|| collect(&raw mut (*self.0).root, &mut parts));
        }
        parts
    }
}

/// # Safety
/// Within a guard; the container is that of a value that outlives the parts.
unsafe fn collect<'a>(container: *mut pg_sys::JsonbContainer, parts: &mut Vec<JsonbItem<'a>>) {
    use pg_sys::JsonbIteratorToken::{
        WJB_BEGIN_ARRAY, WJB_BEGIN_OBJECT, WJB_DONE, WJB_END_ARRAY, WJB_END_OBJECT, WJB_KEY,
        WJB_VALUE,
    };
    // SAFETY: as the caller promises. The server fills the value for the tokens that have one.
    unsafe {
        let mut iterator = raw::JsonbIteratorInit(container);
        let mut value = MaybeUninit::<pg_sys::JsonbValue>::zeroed();
        let (mut depth, mut name): (_, &[u8]) = (0, &[]);
        loop {
            // What is within a field is one value.
            let token = raw::JsonbIteratorNext(&mut iterator, value.as_mut_ptr(), depth == 2);
            let value = value.assume_init_ref();
            match token {
                WJB_DONE => return,
                WJB_BEGIN_ARRAY if depth == 0 => return,
                WJB_BEGIN_OBJECT | WJB_BEGIN_ARRAY => depth += 1,
                WJB_END_OBJECT | WJB_END_ARRAY => depth -= 1,
                WJB_KEY if depth == 1 => parts.push(JsonbItem::Object(text(value))),
                WJB_KEY => name = text(value),
                WJB_VALUE if depth == 2 => parts.push(JsonbItem::Field(name, scalar(value))),
                _ => {}
            }
        }
    }
}

/// # Safety
/// A string.
unsafe fn text<'a>(value: &pg_sys::JsonbValue) -> &'a [u8] {
    // SAFETY: as the caller promises; it points into the whole value.
    unsafe {
        let string = value.val.string;
        std::slice::from_raw_parts(string.val.cast(), string.len as usize)
    }
}

/// # Safety
/// A value that the iterator has filled.
unsafe fn scalar<'a>(value: &pg_sys::JsonbValue) -> Scalar<'a> {
    // SAFETY: the type tells which member of the union is there. A number is a whole varlena within the value.
    unsafe {
        match value.type_ {
            pg_sys::jbvType::jbvString => Scalar::Text(text(value)),
            pg_sys::jbvType::jbvNumeric => {
                let number = value.val.numeric;
                let length = pgrx::varsize_any(number.cast());
                Scalar::Number(Number(std::slice::from_raw_parts(number.cast(), length)))
            }
            _ => Scalar::Other,
        }
    }
}

impl FromDatum for Jsonb {
    unsafe fn from_polymorphic_datum(
        datum: pg_sys::Datum,
        is_null: bool,
        _type_oid: pg_sys::Oid,
    ) -> Option<Jsonb> {
        // SAFETY: a jsonb value that is not NULL; here whole, and where the server wants it to begin.
        (!is_null).then(|| Jsonb(unsafe { pg_sys::pg_detoast_datum(datum.cast_mut_ptr()) }.cast()))
    }
}

argument!(Jsonb);
named!(Jsonb, "jsonb");
