//! Conversion between the encoding of the database and Rust's strings, which are UTF-8. Every text from the server passes
//! [`decode`], every text to the server passes [`encode`].
//!
//! * In a UTF-8 database nothing is converted: the server's texts are valid.
//! * In a database of another encoding the server's conversion functions are used. Bytes without a character become
//!   [escapes](escape) in Rust, which come back as the same bytes. A character that the encoding lacks becomes an
//!   [ASCII form](ascii), never an error.
//! * SQL_ASCII (and MULE_INTERNAL, for which the server has no conversion): valid UTF-8 is read as such, all other bytes
//!   become escapes. Texts from the server are returned byte for byte; pgperf's texts are sent as UTF-8.

pub mod ascii;
mod conversion;
mod escape;
pub mod line;

use super::raw;
use conversion::Conversions;
use pgrx::pg_sys;
use std::borrow::Cow;
use std::ffi::{CStr, CString, NulError};

/// Whether texts of this database are UTF-8 already. A process without a database has SQL_ASCII.
#[inline]
pub fn is_utf8() -> bool {
    server_encoding() == pg_sys::pg_enc::PG_UTF8 as i32
}

#[inline]
fn server_encoding() -> i32 {
    // SAFETY: reads state of this process and cannot fail.
    unsafe { raw::GetDatabaseEncoding() }
}

/// A text of the server as a Rust text.
///
/// In a UTF-8 database an invalid byte becomes U+FFFD: such bytes come from names shared by all databases, such as
/// the names of other databases.
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
    if is_utf8() {
        return String::from_utf8_lossy(bytes);
    }
    match str::from_utf8(bytes) {
        Ok(text) if bytes.is_ascii() => Cow::Borrowed(text),
        _ => match conversion::of_database() {
            Some(conversions) => Cow::Owned(decode_with(bytes, conversions)),
            None => escape::decode(bytes),
        },
    }
}

/// A Rust text for the server: in the encoding of the database, and valid there.
pub fn encode(text: &str) -> Cow<'_, [u8]> {
    if is_utf8() || text.is_ascii() {
        return Cow::Borrowed(text.as_bytes());
    }
    match conversion::of_database() {
        Some(conversions) => Cow::Owned(encode_with(text, conversions)),
        None => escape::encode(text),
    }
}

/// As [`encode`], for functions of the server that take a C string.
pub fn c_string(text: &str) -> Result<CString, NulError> {
    CString::new(encode(text).into_owned())
}

/// As [`decode`], for a C string of the server, which is copied.
pub fn from_c(text: &CStr) -> String {
    decode(text.to_bytes()).into_owned()
}

/// Looks up the conversions while that is possible, in a worker that has just connected to its database.
pub fn prepare() {
    if !is_utf8() {
        // SAFETY: a worker outside a transaction.
        unsafe { pg_sys::StartTransactionCommand() };
        conversion::of_database();
        // SAFETY: ends what began above.
        unsafe { pg_sys::CommitTransactionCommand() };
    }
}

fn decode_with(mut bytes: &[u8], conversions: &Conversions) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    while !bytes.is_empty() {
        let (known, converted) = conversions.to_utf8(bytes);
        text.push_str(&String::from_utf8_lossy(&converted));
        bytes = &bytes[known..];
        let (unknown, rest) = bytes.split_at(conversions.character_length(bytes));
        text.extend(unknown.iter().map(|&byte| escape::of_byte(byte)));
        bytes = rest;
    }
    text
}

fn encode_with(mut text: &str, conversions: &Conversions) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut escaped = false;
    while !text.is_empty() {
        let (known, converted, stopped) = conversions.to_server(text);
        bytes.extend_from_slice(&converted);
        text = &text[known..];
        if !stopped {
            continue;
        }
        let mut rest = text.chars();
        match rest
            .next()
            .map(|unknown| (unknown, escape::byte_of(unknown)))
        {
            Some((_, Some(byte))) => {
                escaped = true;
                bytes.push(byte);
            }
            // A NUL, at which the server's functions end.
            Some((unknown, None)) if unknown.is_ascii() => bytes.push(unknown as u8),
            Some((unknown, None)) => bytes.extend_from_slice(ascii::form(unknown).as_bytes()),
            None => {}
        }
        text = rest.as_str();
    }
    // Escapes between which a text was cut are no longer characters.
    if escaped {
        conversions.replace_invalid(&mut bytes);
    }
    bytes
}
