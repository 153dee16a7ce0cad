//! Rows as texts, each value as its type writes it: less work than documents, for what becomes a text anyway.

use super::spi::{new_plan, own, prepared};
use crate::error::Result;
use crate::pg::encoding;
use pgrx::datum::DatumWithOid;
use pgrx::pg_sys;
use pgrx::spi::{OwnedPreparedStatement, SpiClient};
use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::CStr;
use std::mem::ManuallyDrop;
use std::rc::Rc;

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

/// The rows of a query in whose text are values that change from time to time, such as the day. Its plan is kept until `era`, a name for
/// these values, is another one; a query has the same types of arguments each time.
pub fn select(era: &str, sql: &str, args: &[DatumWithOid]) -> Result<Texts> {
    let encoded = prepared(args);
    let args = encoded.as_deref().unwrap_or(args);
    own(|client| {
        let plan = KEPT.with_borrow_mut(|kept| kept.plan(client, era, sql, args))?;
        let _rows = client.select(&*plan, None, args)?;
        Ok(last())
    })
}

/// Plans of the current era. Those of the one before are freed; when the process ends, the server is in no state to do that any more.
#[derive(Default)]
struct Kept {
    era: String,
    plans: HashMap<String, ManuallyDrop<Rc<OwnedPreparedStatement>>>,
}

thread_local! {
    static KEPT: RefCell<Kept> = RefCell::default();
}

impl Kept {
    fn plan(
        &mut self,
        client: &SpiClient,
        era: &str,
        sql: &str,
        args: &[DatumWithOid],
    ) -> Result<Rc<OwnedPreparedStatement>> {
        if self.era != era {
            for plan in std::mem::take(&mut self.plans).into_values() {
                drop(ManuallyDrop::into_inner(plan));
            }
            self.era = era.to_owned();
        }
        if let Some(plan) = self.plans.get(sql) {
            return Ok(Rc::clone(plan));
        }
        let plan = Rc::new(new_plan(client, sql, args)?);
        let kept = ManuallyDrop::new(Rc::clone(&plan));
        self.plans.insert(sql.to_owned(), kept);
        Ok(plan)
    }
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
