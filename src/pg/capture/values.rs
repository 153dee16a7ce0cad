//! Parameters as a capture has them: whole numbers as such, everything else as its type's output function writes it, dates and times in
//! ISO's form whatever the session has set.

use crate::pg::process::latch;
use crate::pg::sql::xact;
use capture::record::{write_count, write_integer, write_null, write_value};
use capture::recorder::LONGEST;
use pgrx::{FromDatum, pg_sys};
use std::ffi::{CStr, c_int};

/// A value is too long to be recorded.
pub struct TooLong;

/// Appends all parameters of an execution.
///
/// # Safety
/// Null, or the parameters of a statement that is about to be executed.
///
/// # Errors
/// They are too long to be recorded.
pub unsafe fn write(bytes: &mut Vec<u8>, params: pg_sys::ParamListInfo) -> Result<(), TooLong> {
    // SAFETY: see above.
    let params = unsafe {
        match params.as_ref() {
            // Those of PL/pgSQL are fetched one by one; no client sends such.
            Some(list) if list.paramFetch.is_none() => list
                .params
                .as_slice(usize::try_from(list.numParams).unwrap_or(0)),
            _ => &[],
        }
    };
    write_count(bytes, params.len());
    for param in params {
        let type_oid = u32::from(param.ptype);
        if param.isnull || type_oid == 0 {
            write_null(bytes, type_oid);
            continue;
        }
        // SAFETY: a value of its type.
        if unsafe { is_too_long(param) } || bytes.len() > LONGEST {
            return Err(TooLong);
        }
        let value = param.value.value();
        match param.ptype {
            pg_sys::INT2OID => write_integer(bytes, type_oid, i64::from(value as i16)),
            pg_sys::INT4OID => write_integer(bytes, type_oid, i64::from(value as i32)),
            pg_sys::INT8OID => write_integer(bytes, type_oid, value as i64),
            // SAFETY: a value of its type.
            pg_sys::TEXTOID | pg_sys::VARCHAROID => unsafe {
                write_text(bytes, type_oid, param.value)
            },
            // SAFETY: as above.
            _ => unsafe { write_other(bytes, param.ptype, param.value) },
        }
    }
    Ok(())
}

/// Of a type of any length it is in memory as a whole; written as text it is at most a few times as long.
///
/// # Safety
/// A value of its type that is not NULL.
unsafe fn is_too_long(param: &pg_sys::ParamExternData) -> bool {
    const FEW: usize = 4;
    // SAFETY: see above; such a value begins with its length.
    unsafe {
        let is_varlena = !matches!(
            param.ptype,
            pg_sys::INT2OID | pg_sys::INT4OID | pg_sys::INT8OID
        ) && pg_sys::get_typlen(param.ptype) == -1;
        is_varlena && pg_sys::toast_raw_datum_size(param.value) > LONGEST / FEW
    }
}

/// # Safety
/// A value of a type that is text.
unsafe fn write_text(bytes: &mut Vec<u8>, type_oid: u32, value: pg_sys::Datum) {
    // SAFETY: see above. A parameter came with its message, and is whole in memory.
    match unsafe { <&[u8]>::from_datum(value, false) } {
        Some(text) => write_value(bytes, type_oid, text),
        None => write_null(bytes, type_oid),
    }
}

/// The settings of this process that decide how values are written.
struct Style {
    dates: c_int,
    intervals: c_int,
    digits: c_int,
}

impl Style {
    fn replace(self) -> Style {
        // SAFETY: variables of a process with one thread.
        unsafe {
            let before = Style {
                dates: pg_sys::DateStyle,
                intervals: pg_sys::IntervalStyle,
                digits: pg_sys::extra_float_digits,
            };
            pg_sys::DateStyle = self.dates;
            pg_sys::IntervalStyle = self.intervals;
            pg_sys::extra_float_digits = self.digits;
            before
        }
    }
}

/// # Safety
/// A value of this type.
unsafe fn write_other(bytes: &mut Vec<u8>, type_oid: pg_sys::Oid, value: pg_sys::Datum) {
    let plain = Style {
        dates: pg_sys::USE_ISO_DATES as c_int,
        intervals: pg_sys::INTSTYLE_POSTGRES as c_int,
        digits: 1,
    };
    let before = plain.replace();
    // A type that cannot write its value is no reason for the statement to fail.
    let write = || {
        let (mut output, mut is_varlena) = (pg_sys::InvalidOid, false);
        // SAFETY: see above; both pointers are valid.
        unsafe {
            pg_sys::getTypeOutputInfo(type_oid, &mut output, &mut is_varlena);
            pg_sys::OidOutputFunctionCall(output, value)
        }
    };
    // A cancel is the statement's.
    let text = latch::holding_cancel(|| xact::catch(write));
    before.replace();
    let number = u32::from(type_oid);
    match text {
        Ok(text) => {
            // SAFETY: a text that the function has allocated.
            unsafe {
                write_value(bytes, number, CStr::from_ptr(text).to_bytes());
                pg_sys::pfree(text.cast());
            }
        }
        Err(_) => write_null(bytes, number),
    }
}
