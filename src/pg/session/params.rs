//! A statement's parameters, on their way from the script's values to the server's datums.

use crate::pg::encoding;
use pgrx::pg_sys;
use script::Value;
use std::io::Write;

/// The values for one execution; the buffers are reused, so that binding allocates nothing.
#[derive(Default)]
pub struct Params {
    values: Vec<Param>,
    /// NUL-terminated texts of the parameters that go through their type's input function.
    text: Vec<u8>,
    /// The value that is being written.
    written: String,
    bound: Vec<Bound>,
}

#[derive(Clone, Copy)]
enum Param {
    Null,
    Int(i64),
    /// Offset of the text.
    Text(usize),
}

/// A parameter as the server takes it.
#[derive(Clone, Copy)]
pub(super) struct Bound {
    pub type_oid: pg_sys::Oid,
    pub value: BoundValue,
}

#[derive(Clone, Copy)]
pub(super) enum BoundValue {
    Null,
    /// Needs no input function.
    Datum(pg_sys::Datum),
    /// Offset of the text for the type's input function.
    Text(usize),
}

impl Params {
    /// Forgets the values of the last execution.
    #[inline]
    pub fn clear(&mut self) {
        self.values.clear();
        self.text.clear();
    }

    /// Takes the values of the next execution; `None` is NULL.
    #[inline]
    pub fn set<'v>(&mut self, values: impl Iterator<Item = Option<&'v Value>>) {
        self.clear();
        for value in values {
            match value {
                None => self.push_null(),
                Some(Value::Int(value)) => self.push_int(*value),
                // In the form that a client would send. A NUL byte ends it, as it would there.
                Some(value) => {
                    self.written.clear();
                    value.write_text(&mut self.written);
                    self.values.push(Param::Text(self.text.len()));
                    self.text
                        .extend_from_slice(&encoding::encode(&self.written));
                    self.text.push(0);
                }
            }
        }
    }

    /// How many values there are.
    pub(super) fn count(&self) -> usize {
        self.values.len()
    }

    fn push_null(&mut self) {
        self.values.push(Param::Null);
    }

    #[inline]
    pub fn push_int(&mut self, value: i64) {
        self.values.push(Param::Int(value));
    }

    /// Matches the values with the statement's parameter types; also the base of the texts' offsets.
    ///
    /// An integer in the range of an integer type becomes a datum at once; any other value keeps its text for
    /// the input function, which also raises the error for a value that does not fit.
    pub(super) fn bind(&mut self, types: &[pg_sys::Oid]) -> (&[Bound], *mut std::ffi::c_char) {
        self.bound.clear();
        for (i, &type_oid) in types.iter().enumerate() {
            let value = match self.values.get(i).copied().unwrap_or(Param::Null) {
                Param::Null => BoundValue::Null,
                Param::Text(offset) => BoundValue::Text(offset),
                Param::Int(value) => match integer_datum(value, type_oid) {
                    Some(datum) => BoundValue::Datum(datum),
                    None => {
                        let offset = self.text.len();
                        // Writing to a Vec cannot fail.
                        let _ = write!(self.text, "{value}\0");
                        BoundValue::Text(offset)
                    }
                },
            };
            self.bound.push(Bound { type_oid, value });
        }
        (&self.bound, self.text.as_mut_ptr().cast())
    }
}

/// The datum of an integer type, if the value is in its range.
#[inline]
fn integer_datum(value: i64, type_oid: pg_sys::Oid) -> Option<pg_sys::Datum> {
    match type_oid {
        pg_sys::INT4OID => i32::try_from(value).ok().map(pg_sys::Datum::from),
        pg_sys::INT8OID => Some(pg_sys::Datum::from(value)),
        pg_sys::INT2OID => i16::try_from(value).ok().map(pg_sys::Datum::from),
        _ => None,
    }
}
