//! The server's own conversion functions between the encoding of the database and UTF-8.

use super::super::raw;
use super::server_encoding;
use pgrx::pg_sys;
use std::cell::OnceCell;
use std::ffi::{CStr, c_char};

/// Both directions, looked up once per session: a text may have to be converted where the catalog cannot be read,
/// such as outside a transaction.
pub struct Conversions {
    encoding: i32,
    to_utf8: pg_sys::FmgrInfo,
    from_utf8: pg_sys::FmgrInfo,
}

const UTF8: i32 = pg_sys::pg_enc::PG_UTF8 as i32;

/// The most bytes that one byte becomes (the server's MAX_CONVERSION_GROWTH).
const GROWTH: usize = 4;
/// Bytes of UTF-8 converted at a time: a character that the encoding lacks ends the conversion, and the rest starts
/// afresh.
const PIECE: usize = 16 * 1024;

thread_local! {
    static KEPT: OnceCell<Option<&'static Conversions>> = const { OnceCell::new() };
}

/// Those of this session's database; None: there are none (SQL_ASCII, MULE_INTERNAL, no database).
pub fn of_database() -> Option<&'static Conversions> {
    let encoding = server_encoding();
    if encoding == pg_sys::pg_enc::PG_SQL_ASCII as i32 {
        return None;
    }
    KEPT.with(|kept| {
        if let Some(known) = kept.get() {
            return *known;
        }
        // SAFETY: state of this process.
        if !unsafe { pg_sys::IsTransactionState() } {
            return None;
        }
        *kept.get_or_init(|| look_up(encoding).map(|found| &*Box::leak(Box::new(found))))
    })
}

/// The server's own, whatever the search_path has.
fn look_up(encoding: i32) -> Option<Conversions> {
    let function = |from, to| {
        // SAFETY: the guard takes what the catalog's lookup may raise.
        let function = unsafe {
            pg_sys::ffi::pg_guard_ffi_boundary(|| {
                raw::FindDefaultConversion(pg_sys::PG_CATALOG_NAMESPACE.into(), from, to)
            })
        };
        if function == pg_sys::InvalidOid {
            return None;
        }
        let mut info = pg_sys::FmgrInfo::default();
        // SAFETY: a function in the catalog; what it needs lives as long as the session.
        unsafe { pg_sys::fmgr_info_cxt(function, &mut info, pg_sys::TopMemoryContext) };
        Some(info)
    };
    Some(Conversions {
        encoding,
        to_utf8: function(encoding, UTF8)?,
        from_utf8: function(UTF8, encoding)?,
    })
}

impl Conversions {
    /// Converts up to the first character without a counterpart: the bytes read, and what they became.
    pub fn to_utf8(&self, bytes: &[u8]) -> (usize, Vec<u8>) {
        convert(&self.to_utf8, self.encoding, UTF8, bytes)
    }

    /// The same in the other direction, for a first part of the text; `true`: it ended at such a character.
    pub fn to_server(&self, text: &str) -> (usize, Vec<u8>, bool) {
        let piece = &text[..text.floor_char_boundary(PIECE)];
        let (read, converted) = convert(&self.from_utf8, UTF8, self.encoding, piece.as_bytes());
        (read, converted, read < piece.len())
    }

    /// The number of bytes of the first character, valid or not; 0 if there is none.
    pub fn character_length(&self, bytes: &[u8]) -> usize {
        if bytes.len() < 2 {
            return bytes.len();
        }
        // SAFETY: looks at the first two bytes at most.
        let length = unsafe { pg_sys::pg_encoding_mblen(self.encoding, bytes.as_ptr().cast()) };
        usize::try_from(length).unwrap_or(1).clamp(1, bytes.len())
    }

    /// Puts a question mark in the place of each byte that is not valid in the encoding.
    pub fn replace_invalid(&self, bytes: &mut [u8]) {
        let mut from = 0;
        while from < bytes.len() {
            let rest = &mut bytes[from..];
            // SAFETY: reads no more than the given number of bytes.
            let valid = unsafe {
                pg_sys::pg_encoding_verifymbstr(
                    self.encoding,
                    rest.as_ptr().cast(),
                    rest.len() as i32,
                )
            };
            let Some(invalid) = rest.get_mut(usize::try_from(valid).unwrap_or(0)) else {
                return;
            };
            *invalid = b'?';
            from += valid as usize + 1;
        }
    }
}

/// Converts up to the first character that cannot be.
fn convert(function: &pg_sys::FmgrInfo, from: i32, to: i32, bytes: &[u8]) -> (usize, Vec<u8>) {
    let mut converted = vec![0_u8; bytes.len() * GROWTH + 1];
    // SAFETY: a conversion function of the server: it reads as many bytes as it is told, writes at most as many as the
    // growth allows and a NUL, allocates nothing, and raises no error when told so. It does not change its description.
    let read = unsafe {
        let read = pg_sys::FunctionCall6Coll(
            (&raw const *function).cast_mut(),
            pg_sys::InvalidOid,
            from.into(),
            to.into(),
            pg_sys::Datum::from(bytes.as_ptr()),
            pg_sys::Datum::from(converted.as_mut_ptr().cast::<c_char>()),
            (bytes.len() as i32).into(),
            true.into(),
        );
        read.value() as i32
    };
    let length = CStr::from_bytes_until_nul(&converted).map_or(0, CStr::count_bytes);
    converted.truncate(length);
    (
        usize::try_from(read).unwrap_or(0).min(bytes.len()),
        converted,
    )
}
