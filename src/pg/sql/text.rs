//! Texts and documents as arguments and results of pgperf's functions and of its SQL. The server has them in the encoding of
//! the database, Rust in UTF-8 (see [`crate::pg::encoding`]). pgrx's `&str`, `String` and `JsonB` assume that the server's
//! bytes are UTF-8.

use crate::error::Error;
use crate::pg::encoding;
use pgrx::callconv::{Arg, ArgAbi, BoxRet, FcInfo};
use pgrx::datum::{Datum, DatumWithOid, UnboxDatum};
use pgrx::nullable::Nullable;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::pgrx_sql_entity_graph::metadata::{
    ArgumentError, ReturnsError, ReturnsRef, SqlMappingRef, SqlTranslatable, TypeOrigin,
};
use pgrx::{Array, FromDatum, IntoDatum, PgLogLevel, pg_sys};
use serde_json::Value;
use std::ffi::CStr;
use std::ops::Deref;

/// A text of SQL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text(pub String);

/// A jsonb value of SQL.
pub struct Json(pub Value);

impl<T: Into<String>> From<T> for Text {
    fn from(text: T) -> Text {
        Text(text.into())
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

/// An array of texts.
pub fn strings(texts: Vec<Option<Text>>) -> Vec<Option<String>> {
    (texts.into_iter())
        .map(|text| text.map(|Text(text)| text))
        .collect()
}

/// The bytes of a text, which may be compressed or elsewhere.
///
/// # Safety
/// The datum is a varlena that is not NULL; the bytes live as long as the memory context.
unsafe fn bytes<'a>(datum: pg_sys::Datum) -> &'a [u8] {
    // SAFETY: as the caller promises; as `bytea` it is the bytes as they are.
    unsafe { <&[u8]>::from_datum(datum, false) }.unwrap_or_default()
}

fn datum(bytes: &[u8]) -> Option<pg_sys::Datum> {
    // A text and a bytea are laid out alike.
    bytes.into_datum()
}

impl FromDatum for Text {
    unsafe fn from_polymorphic_datum(
        datum: pg_sys::Datum,
        is_null: bool,
        _type_oid: pg_sys::Oid,
    ) -> Option<Text> {
        // SAFETY: a text that is not NULL, copied at once.
        (!is_null).then(|| Text(encoding::decode(unsafe { bytes(datum) }).into_owned()))
    }
}

// SAFETY: the text is a copy, which borrows nothing of the datum.
unsafe impl UnboxDatum for Text {
    type As<'src> = Text;

    unsafe fn unbox<'src>(datum: Datum<'src>) -> Text
    where
        Self: 'src,
    {
        // SAFETY: as the trait demands: a text that is not NULL.
        Text(encoding::decode(unsafe { bytes(datum.sans_lifetime()) }).into_owned())
    }
}

impl IntoDatum for Text {
    fn into_datum(self) -> Option<pg_sys::Datum> {
        datum(&encoding::encode(&self.0))
    }

    fn type_oid() -> pg_sys::Oid {
        pg_sys::TEXTOID
    }
}

impl FromDatum for Json {
    unsafe fn from_polymorphic_datum(
        datum: pg_sys::Datum,
        is_null: bool,
        _type_oid: pg_sys::Oid,
    ) -> Option<Json> {
        if is_null {
            return None;
        }
        // SAFETY: a jsonb value that is not NULL; its text is the call's own, read and freed at once.
        unsafe {
            let text =
                pgrx::fcinfo::direct_function_call::<&CStr>(pg_sys::jsonb_out, &[Some(datum)])?;
            let value = serde_json::from_str(&encoding::decode(text.to_bytes()));
            pg_sys::pfree(text.as_ptr().cast_mut().cast());
            match value {
                Ok(value) => Some(Json(value)),
                Err(error) => {
                    ErrorReport::from(Error::Json(error)).report(PgLogLevel::ERROR);
                    None
                }
            }
        }
    }
}

impl IntoDatum for Json {
    fn into_datum(self) -> Option<pg_sys::Datum> {
        // JSON has no NUL: it writes one as an escape, which the server then refuses.
        let text = encoding::c_string(&self.0.to_string()).ok()?;
        // SAFETY: the input function of jsonb, which makes a value of its own of the text.
        unsafe {
            pgrx::fcinfo::direct_function_call_as_datum(
                pg_sys::jsonb_in,
                &[Some(pg_sys::Datum::from(text.as_ptr()))],
            )
        }
    }

    fn type_oid() -> pg_sys::Oid {
        pg_sys::JSONBOID
    }
}

/// An argument of a SQL function; Option makes it one that may be NULL.
macro_rules! argument {
    ($type:ty) => {
        // SAFETY: made of the datum by FromDatum, whose type is that of the declaration.
        unsafe impl<'fcx> ArgAbi<'fcx> for $type {
            unsafe fn unbox_arg_unchecked(arg: Arg<'_, 'fcx>) -> Self {
                let index = arg.index();
                // SAFETY: as the trait demands.
                match unsafe { arg.unbox_arg_using_from_datum() } {
                    Some(value) => value,
                    None => panic!("argument {index} must not be null"),
                }
            }

            unsafe fn unbox_nullable_arg(arg: Arg<'_, 'fcx>) -> Nullable<Self> {
                // SAFETY: as the trait demands.
                unsafe { arg.unbox_arg_using_from_datum().into() }
            }
        }
    };
}

/// A result of a SQL function, or a column of one.
macro_rules! result {
    ($type:ty) => {
        // SAFETY: the datum is of the type that is declared.
        unsafe impl BoxRet for $type {
            unsafe fn box_into<'fcx>(self, fcinfo: &mut FcInfo<'fcx>) -> Datum<'fcx> {
                match self.into_datum() {
                    // SAFETY: as above.
                    Some(datum) => unsafe { fcinfo.return_raw_datum(datum) },
                    None => fcinfo.return_null(),
                }
            }
        }
    };
}

/// What SQL calls the type.
macro_rules! named {
    ($type:ty, $sql:literal) => {
        // SAFETY: the name of the type that the datum is of.
        unsafe impl SqlTranslatable for $type {
            const TYPE_IDENT: &'static str = pgrx::pgrx_resolved_type!($type);
            const TYPE_ORIGIN: TypeOrigin = TypeOrigin::External;
            const ARGUMENT_SQL: Result<SqlMappingRef, ArgumentError> =
                Ok(SqlMappingRef::literal($sql));
            const RETURN_SQL: Result<ReturnsRef, ReturnsError> =
                Ok(ReturnsRef::One(SqlMappingRef::literal($sql)));
        }
    };
}

pub(super) use {argument, named};

argument!(Text);
result!(Text);
named!(Text, "text");
result!(Json);
named!(Json, "jsonb");

/// The arguments of a statement of pgperf's own with Rust's texts in the encoding of the database; None: they are
/// already, as always in a UTF-8 database.
pub fn encoded<'a>(args: &[DatumWithOid<'a>]) -> Option<Vec<DatumWithOid<'a>>> {
    let is_text = |arg: &DatumWithOid| matches!(arg.oid(), pg_sys::TEXTOID | pg_sys::TEXTARRAYOID);
    if encoding::is_utf8() || !args.iter().any(is_text) {
        return None;
    }
    let encoded = args.iter().map(|arg| match (arg.oid(), arg.datum()) {
        // SAFETY: a text that is not NULL.
        (pg_sys::TEXTOID, Some(text)) => own(unsafe { bytes(text.sans_lifetime()) }).into(),
        (pg_sys::TEXTARRAYOID, Some(texts)) => {
            // SAFETY: an array of texts that is not NULL; as `bytea` its elements are the bytes as they are.
            let texts = unsafe { Array::<&[u8]>::from_datum(texts.sans_lifetime(), false) };
            let texts = texts.iter().flat_map(Array::iter).map(|text| text.map(own));
            texts.collect::<Vec<_>>().into()
        }
        // SAFETY: the datum and type that it had.
        (oid, datum) => unsafe { DatumWithOid::new_from_datum(datum, oid) },
    });
    Some(encoded.collect())
}

/// A Rust text that pgrx made a datum of unchanged.
fn own(bytes: &[u8]) -> Text {
    Text(String::from_utf8_lossy(bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    /// Each function that SQL calls, from its attribute to its body.
    fn signatures(folder: &Path, each: &mut impl FnMut(&Path, &str)) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                signatures(&path, each);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let source = std::fs::read_to_string(&path).unwrap();
                for part in source.split("\n#[pg_extern").skip(1) {
                    each(&path, part.split(" {\n").next().unwrap());
                }
            }
        }
    }

    #[test]
    fn no_function_of_sql_takes_or_gives_texts_of_pgrx() {
        let mut seen = 0;
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        signatures(&source, &mut |path, signature| {
            seen += 1;
            let words = || signature.split(|c: char| !c.is_alphanumeric() && c != '_');
            let wrong = words().find(|word| ["String", "str", "JsonB"].contains(word));
            assert_eq!(wrong, None, "{}: {signature}", path.display());
        });
        assert!(seen > 50, "{seen}");
    }
}
