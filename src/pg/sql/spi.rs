//! pgperf's internal SQL: rows become serde structs, so that a table's columns are named in one place.
//!
//! A statement is parsed and planned once per session: for statements that a sample runs every second, planning took several
//! times as long as execution. Their number is small, since all texts are pgperf's.
//!
//! Every statement runs on a connection of [`own`], whose search_path does not depend on the caller: objects that a user has
//! planted in a schema of the caller's search_path are not found. Only [`cells_of_author`] and [`count_rows`], which run a
//! user's query, use the caller's search_path. Names given by a user are looked up by [`crate::pg::catalog::names`].

use super::named::NamedRows;
use super::text::{self, Json};
use crate::error::{Result, invalid, read_only};
use crate::pg::session::setting::{with_exact_numbers, with_own_sql};
use crate::pg::{encoding, error, server};
use pgrx::datum::DatumWithOid;
use pgrx::pg_sys::{self, Oid, PgOid};
use pgrx::spi::{OwnedPreparedStatement, Spi, SpiClient, SpiTupleTable};
use pgrx::{FromDatum, IntoDatum, PgMemoryContexts};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::CString;
use std::rc::Rc;

/// A connection to SPI for pgperf's own SQL.
pub(super) fn own<T>(body: impl FnOnce(&mut SpiClient) -> T) -> T {
    with_own_sql(|| of_session(body))
}

/// One that leaves the session's settings in force. clippy.toml lets nobody else connect.
#[allow(clippy::disallowed_methods)]
pub(super) fn of_session<T>(body: impl FnOnce(&mut SpiClient) -> T) -> T {
    Spi::connect_mut(body)
}

/// Rows of a query as structs: the columns' names are the fields' names.
///
/// Reads only: no transaction id is taken. `sql` must be schema-qualified.
pub fn select<T: DeserializeOwned>(sql: &str, args: &[DatumWithOid]) -> Result<Vec<T>> {
    structs(|take| each_document(sql, args, take))
}

fn structs<T: DeserializeOwned>(read: impl FnOnce(Take) -> Result<()>) -> Result<Vec<T>> {
    let mut structs = Vec::new();
    read(&mut |document| {
        structs.push(serde_json::from_value(document)?);
        Ok(())
    })?;
    Ok(structs)
}

/// What is done with a row.
type Take<'a> = &'a mut dyn FnMut(Value) -> Result<()>;

/// The rows of a query, one by one. The part of [`select`] that is the same for all structs is compiled once.
fn each_document(sql: &str, args: &[DatumWithOid], take: Take) -> Result<()> {
    let wrapped = wrapped(sql);
    let encoded = prepared(args);
    let args = encoded.as_deref().unwrap_or(args);
    own(|client| {
        let plan = plan(client, &wrapped, args)?;
        each_row(client.select(plan, None, args)?, take)
    })
}

/// The same of a query that reads much, and may read these rows under their names. It is planned for these arguments and in this call
/// alone, also for parallel workers.
pub fn select_from<T: DeserializeOwned>(
    named: &[Rc<NamedRows>],
    sql: &str,
    args: &[DatumWithOid],
) -> Result<Vec<T>> {
    structs(|take| each_document_from(named, sql, args, take))
}

fn each_document_from(
    named: &[Rc<NamedRows>],
    sql: &str,
    args: &[DatumWithOid],
    take: Take,
) -> Result<()> {
    let encoded = prepared(args);
    let args = encoded.as_deref().unwrap_or(args);
    own(|client| {
        for rows in named {
            rows.register()?;
        }
        let wrapped = c_string(&wrapped(sql))?;
        each_row(client.select(wrapped.as_c_str(), None, args)?, take)
    })
}

fn wrapped(sql: &str) -> String {
    format!("SELECT pg_catalog.to_jsonb(q) FROM ({sql}) q")
}

fn each_row(rows: SpiTupleTable, take: Take) -> Result<()> {
    for row in rows {
        if let Some(Json(document)) = row.get::<Json>(1)? {
            take(document)?;
        }
    }
    Ok(())
}

/// The rows of a query as texts, cell by cell, whatever columns it has. Its plan is not kept.
pub fn select_cells(sql: &str) -> Result<Vec<Vec<Option<String>>>> {
    own(|client| cells(client, sql))
}

/// A row of a query, as texts.
pub type Cells = Vec<Option<String>>;

/// The same of somebody else's query, one that the server has parsed by itself. It runs under the search_path of the session, so what
/// is around it has no operator and no name without a schema.
pub fn cells_of_author(sql: &str) -> Result<Vec<Cells>> {
    with_exact_numbers(|| of_session(|client| cells(client, sql)))
}

fn cells(client: &SpiClient, sql: &str) -> Result<Vec<Vec<Option<String>>>> {
    // A column may have any name, also that of a row.
    let wrapped = format!(
        "SELECT pg_catalog.to_jsonb(ARRAY(SELECT e.value FROM pg_catalog.json_each_text(pg_catalog.row_to_json(\
             pgperf_row.*)) AS e)) FROM (\n{sql}\n) AS pgperf_row"
    );
    prepared(&[]);
    let mut rows = Vec::new();
    for row in client.select(c_string(&wrapped)?.as_c_str(), None, &[])? {
        if let Some(Json(value)) = row.get::<Json>(1)? {
            rows.push(serde_json::from_value(value)?);
        }
    }
    Ok(rows)
}

/// How many rows somebody else's query has, at most `most`. Its values are written by their output functions, as for a client,
/// and not as JSON, for which the owner of a type may have made a cast. `planned` is called before the first row. The
/// search_path is the session's, as for [`cells_of_author`].
pub fn count_rows(sql: &str, most: i64, planned: impl FnOnce()) -> Result<usize> {
    let wrapped =
        format!("SELECT pg_catalog.format('%s', pgperf_row.*) FROM (\n{sql}\n) AS pgperf_row");
    prepared(&[]);
    let wrapped = c_string(&wrapped)?;
    of_session(|_| {
        // SAFETY: within a connection to SPI, whose memory all of this has. The plan has no parameters, and is one as of a query that
        // is run at once: a cursor alone would never have parallel workers in it. Errors are caught around.
        unsafe {
            let options = pg_sys::CURSOR_OPT_PARALLEL_OK as i32;
            let plan =
                pg_sys::SPI_prepare_cursor(wrapped.as_ptr(), 0, std::ptr::null_mut(), options);
            if plan.is_null() {
                return Err(invalid("a statement cannot be prepared".to_owned()));
            }
            let nothing = std::ptr::null_mut();
            let portal =
                pg_sys::SPI_cursor_open(std::ptr::null(), plan, nothing, nothing.cast(), true);
            planned();
            pg_sys::SPI_cursor_fetch(portal, true, most as _);
            let rows = pg_sys::SPI_processed as usize;
            pg_sys::SPI_freetuptable(pg_sys::SPI_tuptable);
            pg_sys::SPI_cursor_close(portal);
            pg_sys::SPI_freeplan(plan);
            Ok(rows)
        }
    })
}

/// The first row of a query, if it has one.
pub fn select_one<T: DeserializeOwned>(sql: &str, args: &[DatumWithOid]) -> Result<Option<T>> {
    Ok(select(sql, args)?.into_iter().next())
}

/// Whether a condition holds.
pub fn holds(condition: &str, args: &[DatumWithOid]) -> Result<bool> {
    #[derive(Deserialize)]
    struct Condition {
        holds: bool,
    }
    let sql = format!("SELECT ({condition}) IS TRUE AS holds");
    let answer: Option<Condition> = select_one(&sql, args)?;
    Ok(answer.is_some_and(|answer| answer.holds))
}

/// Hands each row of a query of two columns to `each`, some at a time: what the server allocates for them is
/// freed in between, however many there are. Rows with a NULL are passed over.
pub fn stream<A: FromDatum + IntoDatum>(
    sql: &str,
    args: &[DatumWithOid],
    each: impl FnMut(A, &[u8]) -> Result<()>,
) -> Result<()> {
    with_own_sql(|| stream_rows(sql, args, each))
}

fn stream_rows<A: FromDatum + IntoDatum>(
    sql: &str,
    args: &[DatumWithOid],
    mut each: impl FnMut(A, &[u8]) -> Result<()>,
) -> Result<()> {
    const ROWS: i64 = 1_000;
    let encoded = prepared(args);
    let args = encoded.as_deref().unwrap_or(args);
    let sql = c_string(sql)?;
    let name = of_session(|client| -> Result<String> {
        Ok(client
            .try_open_cursor(sql.as_c_str(), args)?
            .detach_into_name())
    })?;
    loop {
        let more = of_session(|client| -> Result<bool> {
            let mut cursor = client.find_cursor(&name)?;
            let rows = cursor.fetch(ROWS)?;
            let more = !rows.is_empty();
            for row in rows {
                if let (Some(first), Some(second)) = (row.get(1)?, row.get::<&[u8]>(2)?) {
                    each(first, second)?;
                }
            }
            if more {
                cursor.detach_into_name();
            }
            Ok(more)
        })?;
        if !more {
            return Ok(());
        }
    }
}

/// Before a statement that writes.
///
/// # Errors
/// On a standby, where pgrx's request for a transaction id would be an internal error.
pub(super) fn check_primary() -> Result<()> {
    if server::in_recovery() {
        return Err(read_only("cannot change pgperf's data on a standby")
            .hinting("Call it on the primary."));
    }
    Ok(())
}

/// Runs a statement that writes; the number of rows it processed.
///
/// # Errors
/// On a standby.
pub fn execute(sql: &str, args: &[DatumWithOid]) -> Result<u64> {
    check_primary()?;
    let encoded = prepared(args);
    let args = encoded.as_deref().unwrap_or(args);
    own(|client| {
        let plan = plan(client, sql, args)?;
        Ok(client.update(plan, None, args)?.len() as u64)
    })
}

/// The same of a text that is not kept for the session: it has names or a secret of a user in it, or is used once.
///
/// # Errors
/// On a standby.
pub fn execute_once(sql: &str) -> Result<()> {
    check_primary()?;
    let sql = c_string(sql)?;
    own(|client| client.update(sql.as_c_str(), None, &[]).map(drop))?;
    Ok(())
}

/// Runs somebody else's SQL under the search_path of the session, for what it changes.
pub fn run_of_author(sql: &str) -> Result<()> {
    check_primary()?;
    prepared(&[]);
    let sql = c_string(sql)?;
    of_session(|client| client.update(sql.as_c_str(), None, &[]).map(drop))?;
    Ok(())
}

/// Runs `body` in memory that is freed at its end, as of each batch of many; its result has none of it.
pub fn in_own_memory<T>(body: impl FnOnce() -> T) -> T {
    let mut memory = PgMemoryContexts::new("pgperf batch");
    // SAFETY: what the server allocates for the body is of no use after it.
    unsafe { memory.switch_to(|_| body()) }
}

/// Inserts one row: the struct's fields are the columns, columns without a field take their default.
///
/// `table` is a name in pgperf's own source, schema-qualified.
pub fn insert<T: Serialize>(table: &'static str, row: &T) -> Result<()> {
    insert_all(table, std::slice::from_ref(row))
}

/// The same for rows whose fields are alike, in one statement.
pub fn insert_all<T: Serialize>(table: &'static str, rows: &[T]) -> Result<()> {
    insert_documents(table, serde_json::to_value(rows)?)
}

fn insert_documents(table: &'static str, values: Value) -> Result<()> {
    let Some(first) = values.get(0) else {
        return Ok(());
    };
    let columns = match first {
        Value::Object(fields) => fields
            .keys()
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join(", "),
        _ => String::new(),
    };
    let sql = format!(
        "INSERT INTO {table} ({columns}) SELECT {columns} \
         FROM pg_catalog.jsonb_populate_recordset(NULL::{table}, $1)"
    );
    execute(&sql, &[Json(values).into()])?;
    Ok(())
}

/// The text of a statement as the server takes it.
pub(super) fn c_string(sql: &str) -> Result<CString> {
    encoding::c_string(sql).map_err(|_| invalid("a text must not contain a NUL byte"))
}

/// Before a statement: its arguments in the encoding of the database, None if they are already; from now on errors
/// are read in that encoding.
pub(super) fn prepared<'a>(args: &[DatumWithOid<'a>]) -> Option<Vec<DatumWithOid<'a>>> {
    error::watch_texts();
    text::encoded(args)
}

/// A statement as the session keeps it, for arguments of these types.
struct Kept {
    types: Vec<Oid>,
    plan: &'static OwnedPreparedStatement,
}

thread_local! {
    static KEPT: RefCell<HashMap<String, Vec<Kept>>> = RefCell::default();
}

/// The kept plan of a statement. The server itself notices changes that invalidate it (an extension created again,
/// one more partition).
pub(super) fn plan(
    client: &SpiClient,
    sql: &str,
    args: &[DatumWithOid],
) -> Result<&'static OwnedPreparedStatement> {
    let types = || args.iter().map(DatumWithOid::oid);
    let is_such = |kept: &&Kept| kept.types.iter().copied().eq(types());
    let known = KEPT.with_borrow(|all| Some(all.get(sql)?.iter().find(is_such)?.plan));
    if let Some(plan) = known {
        return Ok(plan);
    }
    // Never freed: when the process ends, the server is in no state to do that any more.
    let plan: &'static _ = Box::leak(Box::new(new_plan(client, sql, args)?));
    let types = types().collect();
    KEPT.with_borrow_mut(|all| {
        let kept = all.entry(sql.to_owned()).or_default();
        kept.push(Kept { types, plan });
    });
    Ok(plan)
}

/// A plan of a statement, for arguments of these types.
pub(super) fn new_plan(
    client: &SpiClient,
    sql: &str,
    args: &[DatumWithOid],
) -> Result<OwnedPreparedStatement> {
    let types: Vec<PgOid> = (args.iter()).map(|arg| PgOid::from(arg.oid())).collect();
    Ok(client.prepare(c_string(sql)?.as_c_str(), &types)?.keep())
}
