//! Large jsonb values that are passed on without being parsed: pgrx would convert them to Rust values.

use super::spi;
use crate::error::Result;
use pgrx::datum::DatumWithOid;
use pgrx::prelude::*;
use pgrx::spi::SpiClient;
use pgrx::{AnyElement, pg_sys};

/// A jsonb value in the memory of the current call.
pub struct Document(pg_sys::Datum);

impl Document {
    /// As the result of a function that is declared to return jsonb.
    pub fn into_element(self) -> Option<AnyElement> {
        // SAFETY: the datum is of that type and not NULL.
        unsafe { AnyElement::from_polymorphic_datum(self.0, false, pg_sys::JSONBOID) }
    }
}

impl FromDatum for Document {
    unsafe fn from_polymorphic_datum(
        datum: pg_sys::Datum,
        is_null: bool,
        _type_oid: pg_sys::Oid,
    ) -> Option<Document> {
        // SAFETY: a jsonb value is a varlena; the copy is made in the context that the caller chose.
        (!is_null).then(|| unsafe {
            Document(pg_sys::Datum::from(pg_sys::pg_detoast_datum_copy(
                datum.cast_mut_ptr(),
            )))
        })
    }
}

impl IntoDatum for Document {
    fn into_datum(self) -> Option<pg_sys::Datum> {
        Some(self.0)
    }

    fn type_oid() -> pg_sys::Oid {
        pg_sys::JSONBOID
    }
}

/// An argument that was declared as jsonb, for a statement.
pub fn argument(element: &AnyElement) -> DatumWithOid<'_> {
    // SAFETY: the datum is of that type, and lives as long as the call that it is an argument of.
    unsafe { DatumWithOid::new(element.datum(), element.oid()) }
}

/// The value that a query returns. Reads only: no transaction id is taken.
pub fn select<T: FromDatum + IntoDatum>(sql: &str, args: &[DatumWithOid]) -> Result<Option<T>> {
    let (sql, encoded) = (spi::c_string(sql)?, spi::prepared(args));
    let args = encoded.as_deref().unwrap_or(args);
    let read = |client: &SpiClient| {
        client
            .select(sql.as_c_str(), Some(1), args)?
            .first()
            .get_one::<T>()
    };
    Ok(spi::own(|client| read(client))?)
}

/// The value that a statement returns which writes.
pub fn execute<T: FromDatum + IntoDatum>(sql: &str, args: &[DatumWithOid]) -> Result<Option<T>> {
    spi::check_primary()?;
    let (sql, encoded) = (spi::c_string(sql)?, spi::prepared(args));
    let args = encoded.as_deref().unwrap_or(args);
    let run = |client: &mut SpiClient| {
        client
            .update(sql.as_c_str(), Some(1), args)?
            .first()
            .get_one::<T>()
    };
    Ok(spi::own(run)?)
}
