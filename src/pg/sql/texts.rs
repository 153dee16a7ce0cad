//! Rows as texts, each value as its type writes it: less work than documents, for what becomes a text anyway.

use super::spi::{own, plan, prepared};
use crate::error::Result;
use crate::pg::encoding;
use pgrx::datum::DatumWithOid;
use pgrx::pg_sys;
use std::ffi::CStr;

/// The rows of a query.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Texts {
    pub columns: Vec<String>,
    /// None: NULL.
    pub rows: Vec<Vec<Option<String>>>,
}

impl Texts {
    /// The place of a column.
    pub fn place(&self, column: &str) -> Option<usize> {
        self.columns.iter().position(|known| known == column)
    }
}

/// The rows of a query, as [`super::spi::select`] reads them.
pub fn select(sql: &str, args: &[DatumWithOid]) -> Result<Texts> {
    let encoded = prepared(args);
    let args = encoded.as_deref().unwrap_or(args);
    own(|client| {
        let plan = plan(client, sql, args)?;
        let _rows = client.select(plan, None, args)?;
        Ok(last())
    })
}

/// Those that the last statement of the current connection to SPI has left.
fn last() -> Texts {
    // SAFETY: within a connection to SPI, which keeps the rows of its last statement; errors of output functions are caught around.
    unsafe {
        let Some(table) = pg_sys::SPI_tuptable.as_ref() else {
            return Texts::default();
        };
        let columns = (1..=(*table.tupdesc).natts)
            .map(|number| text(pg_sys::SPI_fname(table.tupdesc, number)).unwrap_or_default());
        let row = |place: usize| {
            let tuple = *table.vals.add(place);
            let value = |number| text(pg_sys::SPI_getvalue(tuple, table.tupdesc, number));
            (1..=(*table.tupdesc).natts).map(value).collect()
        };
        Texts {
            columns: columns.collect(),
            rows: (0..table.numvals as usize).map(row).collect(),
        }
    }
}

/// A copy of a text of the server's; None: there is none.
///
/// # Safety
/// It is NULL or a C string.
unsafe fn text(value: *const std::ffi::c_char) -> Option<String> {
    // SAFETY: as the caller says.
    (!value.is_null()).then(|| encoding::from_c(unsafe { CStr::from_ptr(value) }))
}
