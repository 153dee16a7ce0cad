//! Named row sets: rows that are read once, and that several statements then use like a table, as triggers use transition
//! tables. Nothing is written, so it also works on a standby.

use super::spi::{c_string, own, prepared};
use crate::error::{Result, invalid};
use pgrx::datum::DatumWithOid;
use pgrx::pg_sys;
use pgrx::spi::Spi;
use std::ffi::CString;

/// The rows of a statement, under a name. They belong to the transaction, not to a subtransaction in which they were read; beyond
/// `work_mem` they lie in a temporary file.
pub struct NamedRows {
    relation: *mut pg_sys::EphemeralNamedRelationData,
    context: pg_sys::MemoryContext,
}

impl NamedRows {
    /// Runs a statement that reads and keeps its rows until the value is dropped, which must be in the same transaction.
    ///
    /// `sql` must be schema-qualified, and each of its columns has a name.
    pub fn read(name: &str, sql: &str, args: &[DatumWithOid]) -> Result<NamedRows> {
        let encoded = prepared(args);
        let args = encoded.as_deref().unwrap_or(args);
        let (name, sql) = (c_string(name)?, c_string(sql)?);
        // The connection is left on any way out.
        own(|_| kept(&name, &sql, args))
    }

    /// Makes the rows visible to the statements of the current connection to SPI.
    pub(super) fn register(&self) -> Result<()> {
        // SAFETY: the relation lives as long as `self`; the connection ends before, and forgets it then.
        let code = unsafe { pg_sys::SPI_register_relation(self.relation) };
        check(code == pg_sys::SPI_OK_REL_REGISTER as i32, code)
    }
}

fn kept(name: &CString, sql: &CString, args: &[DatumWithOid]) -> Result<NamedRows> {
    let mut types: Vec<pg_sys::Oid> = args.iter().map(DatumWithOid::oid).collect();
    let nulls: Vec<i8> = (args.iter())
        .map(|arg| if arg.datum().is_some() { b' ' } else { b'n' } as i8)
        .collect();
    let mut values: Vec<pg_sys::Datum> = (args.iter())
        .map(|arg| {
            arg.datum()
                .map_or(pg_sys::Datum::null(), |datum| datum.sans_lifetime())
        })
        .collect();
    // SAFETY: within a connection to SPI; all pointers are valid during the call, which copies what it keeps.
    let code = unsafe {
        pg_sys::SPI_execute_with_args(
            sql.as_ptr(),
            args.len() as i32,
            types.as_mut_ptr(),
            values.as_mut_ptr(),
            nulls.as_ptr().cast(),
            true,
            0,
        )
    };
    check(code == pg_sys::SPI_OK_SELECT as i32, code)?;
    // SAFETY: a SELECT leaves its rows in SPI_tuptable. The store, the description of its rows and the relation are made in a
    // context of their own under the transaction's, with its owner of files; both outlive the connection. The store copies the rows.
    unsafe {
        let table = pg_sys::SPI_tuptable;
        let context = pg_sys::AllocSetContextCreateExtended(
            pg_sys::TopTransactionContext,
            c"pgperf named rows".as_ptr(),
            pg_sys::ALLOCSET_DEFAULT_MINSIZE as usize,
            pg_sys::ALLOCSET_DEFAULT_INITSIZE as usize,
            pg_sys::ALLOCSET_DEFAULT_MAXSIZE as usize,
        );
        let before = pg_sys::MemoryContextSwitchTo(context);
        let owner = pg_sys::CurrentResourceOwner;
        pg_sys::CurrentResourceOwner = pg_sys::TopTransactionResourceOwner;
        let store = pg_sys::tuplestore_begin_heap(true, false, pg_sys::work_mem);
        for row in 0..(*table).numvals as usize {
            pg_sys::tuplestore_puttuple(store, *(*table).vals.add(row));
        }
        let relation = pg_sys::palloc0(size_of::<pg_sys::EphemeralNamedRelationData>())
            .cast::<pg_sys::EphemeralNamedRelationData>();
        (*relation).md.name = pg_sys::pstrdup(name.as_ptr());
        (*relation).md.reliddesc = pg_sys::InvalidOid;
        (*relation).md.tupdesc = pg_sys::CreateTupleDescCopy((*table).tupdesc);
        (*relation).md.enrtype = pg_sys::EphemeralNameRelationType::ENR_NAMED_TUPLESTORE;
        (*relation).md.enrtuples = (*table).numvals as f64;
        (*relation).reldata = store.cast();
        pg_sys::CurrentResourceOwner = owner;
        pg_sys::MemoryContextSwitchTo(before);
        pg_sys::SPI_freetuptable(table);
        Ok(NamedRows { relation, context })
    }
}

fn check(done: bool, code: i32) -> Result<()> {
    if done {
        return Ok(());
    }
    Spi::check_status(code)?;
    Err(invalid("a statement that reads does not return rows"))
}

impl Drop for NamedRows {
    fn drop(&mut self) {
        // SAFETY: made in `kept` and dropped once. No statement reads it any more: each ended with its connection.
        unsafe {
            pg_sys::tuplestore_end((*self.relation).reldata.cast());
            pg_sys::MemoryContextDelete(self.context);
        }
    }
}
