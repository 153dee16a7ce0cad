//! libpq, safely: the only unsafe code of this crate.
//!
//! A connection belongs to one thread at a time, which `&mut` sees to; libpq asks for no more. Texts that libpq returns live as long as
//! the connection or result that they are borrowed from.

#![allow(unsafe_code)]

use crate::conninfo::{Conninfo, Place};
use engine::SqlError;
use pq_sys as pq;
use std::cell::RefCell;
use std::ffi::{CStr, CString, NulError, c_char, c_int, c_void};
use std::mem::ManuallyDrop;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::ptr::{NonNull, null};

/// What a connection that is being made waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Polling {
    Reading,
    Writing,
    Done,
    Failed,
}

/// Where a session is in a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransactionStatus {
    Idle,
    /// A statement runs.
    Active,
    InBlock,
    InFailedBlock,
    /// The connection is broken.
    Unknown,
}

/// What a result is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// Of a statement that returns rows.
    Rows,
    /// Of one that does not.
    Command,
    Empty,
    Error,
    CopyIn,
    CopyOut,
    /// The end of a part of a pipeline.
    Sync,
    /// A statement of a pipeline that was skipped after an error.
    Skipped,
    Other,
}

/// What has become of the bytes to send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flushed {
    All,
    /// The socket takes no more at the moment.
    Some,
    Failed,
}

/// What there is of rows that the server sends by COPY.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyOut {
    Row,
    Later,
    Over,
}

/// A connection of libpq.
pub struct Conn {
    raw: NonNull<pq::PGconn>,
    /// Why the server ends the session, if it has said so between two statements. At an address of its own, which libpq knows.
    farewell: Box<RefCell<Option<SqlError>>>,
}

// SAFETY: libpq lets any thread use a connection, as long as no two do so at once; `Conn` is not Sync.
unsafe impl Send for Conn {}

/// Drops a notice, which libpq would write to the server's log. An error that ends the session is kept.
unsafe extern "C" fn take_notice(farewell: *mut c_void, notice: *const pq::PGresult) {
    // SAFETY: the pointer is that of the connection's own cell, which lives as long as it; libpq calls this within a call of its thread.
    let farewell = unsafe { &*farewell.cast::<RefCell<Option<SqlError>>>() };
    let (Some(raw), Ok(mut farewell)) =
        (NonNull::new(notice.cast_mut()), farewell.try_borrow_mut())
    else {
        return;
    };
    // The result stays libpq's.
    let notice = ManuallyDrop::new(ResultSet { raw });
    if matches!(notice.field(b'V').as_deref(), Some("FATAL" | "PANIC")) {
        *farewell = Some(notice.error());
    }
}

fn text(pointer: *const c_char) -> String {
    if pointer.is_null() {
        return String::new();
    }
    // SAFETY: libpq's texts end with a NUL byte, and this one is copied before the next call.
    let text = unsafe { CStr::from_ptr(pointer) };
    text.to_string_lossy().trim_end().to_owned()
}

/// A message of libpq's own without its explanations, which are indented.
fn in_one_line(message: &str) -> String {
    let lines = message.lines().filter(|line| !line.starts_with('\t'));
    lines.collect::<Vec<_>>().join("; ")
}

impl Conn {
    /// Begins to connect. Looks up names of hosts, which may take long.
    pub fn start(info: &Conninfo) -> Result<Conn, SqlError> {
        let pairs: Result<Vec<_>, NulError> = info
            .pairs()
            .map(|(keyword, value)| Ok((CString::new(keyword)?, CString::new(value)?)))
            .collect();
        let pairs = pairs.map_err(|_| {
            SqlError::new("08001", "an option of the connection has a NUL byte in it")
        })?;
        let mut keywords: Vec<_> = pairs.iter().map(|(keyword, _)| keyword.as_ptr()).collect();
        let mut values: Vec<_> = pairs.iter().map(|(_, value)| value.as_ptr()).collect();
        keywords.push(null());
        values.push(null());
        // SAFETY: both arrays end with a null pointer and outlive the call, as do the texts that they point to.
        let raw = unsafe { pq::PQconnectStartParams(keywords.as_ptr(), values.as_ptr(), 0) };
        let Some(raw) = NonNull::new(raw) else {
            return Err(SqlError::new("53200", "out of memory for a connection"));
        };
        let farewell: Box<RefCell<Option<SqlError>>> = Box::default();
        let cell = (&raw const *farewell).cast_mut().cast();
        // SAFETY: the connection is valid, and ends before the cell does.
        unsafe {
            pq::PQsetNoticeReceiver(raw.as_ptr(), Some(take_notice), cell);
        }
        Ok(Conn { raw, farewell })
    }

    /// Goes on with connecting.
    pub fn poll(&mut self) -> Polling {
        use pq::PostgresPollingStatusType as Status;
        // SAFETY: the connection is valid.
        match unsafe { pq::PQconnectPoll(self.raw.as_ptr()) } {
            Status::PGRES_POLLING_READING => Polling::Reading,
            Status::PGRES_POLLING_WRITING => Polling::Writing,
            Status::PGRES_POLLING_OK => Polling::Done,
            _ => Polling::Failed,
        }
    }

    /// Whether it cannot be used any more.
    pub fn is_bad(&self) -> bool {
        // SAFETY: the connection is valid.
        unsafe { pq::PQstatus(self.raw.as_ptr()) == pq::ConnStatusType::CONNECTION_BAD }
    }

    /// Its socket, as long as it has one. It may be another one after the next call of [`Conn::poll`].
    pub fn socket(&self) -> Option<BorrowedFd<'_>> {
        // SAFETY: the connection is valid.
        let socket = unsafe { pq::PQsocket(self.raw.as_ptr()) };
        // SAFETY: libpq closes the socket only in a call that needs `&mut self`, or when it is dropped.
        (socket >= 0).then(|| unsafe { BorrowedFd::borrow_raw(socket) })
    }

    /// Where it connects to at the moment.
    pub fn place(&self) -> Place {
        let of = |call: unsafe extern "C" fn(*const pq::PGconn) -> *mut c_char| {
            // SAFETY: the connection is valid.
            text(unsafe { call(self.raw.as_ptr()) })
        };
        Place {
            host: of(pq::PQhost),
            address: of(pq::PQhostaddr),
            port: of(pq::PQport),
        }
    }

    /// Why the server has ended the session, if it has said so between two statements.
    pub fn farewell(&self) -> Option<SqlError> {
        self.farewell.borrow().clone()
    }

    /// What went wrong last.
    pub fn message(&self) -> String {
        // SAFETY: the connection is valid.
        in_one_line(&text(unsafe { pq::PQerrorMessage(self.raw.as_ptr()) }))
    }

    /// From now on what cannot be sent at once waits for [`Conn::flush`].
    pub fn set_nonblocking(&mut self) -> bool {
        // SAFETY: the connection is valid.
        unsafe { pq::PQsetnonblocking(self.raw.as_ptr(), 1) == 0 }
    }

    /// Sends a text of one or several statements.
    pub fn send_query(&mut self, query: &CStr) -> bool {
        // SAFETY: the connection is valid, and the text is copied.
        unsafe { pq::PQsendQuery(self.raw.as_ptr(), query.as_ptr()) == 1 }
    }

    /// Sends a statement with parameters, texts or null pointers. `types`: as many, 0 where the server finds the type; or none.
    pub fn send_query_params(&mut self, query: &CStr, types: &[u32], values: &Texts) -> bool {
        values.with_pointers(|count, pointers| {
            let types = match usize::try_from(count) == Ok(types.len()) {
                true => types.as_ptr(),
                false => null(),
            };
            // SAFETY: the connection is valid; there are as many pointers, and types or none, as is said, and all is copied.
            let sent = unsafe {
                pq::PQsendQueryParams(
                    self.raw.as_ptr(),
                    query.as_ptr(),
                    count,
                    types,
                    pointers,
                    null(),
                    null(),
                    0,
                )
            };
            sent == 1
        })
    }

    /// Has a statement prepared under a name. `types`: of its first parameters, 0 where the server finds the type.
    pub fn send_prepare(&mut self, name: &CStr, query: &CStr, types: &[u32]) -> bool {
        let count = types.len() as c_int;
        let (raw, types) = (self.raw.as_ptr(), types.as_ptr());
        // SAFETY: the connection is valid, there are as many types as is said, and all is copied.
        unsafe { pq::PQsendPrepare(raw, name.as_ptr(), query.as_ptr(), count, types) == 1 }
    }

    /// Runs a prepared statement.
    pub fn send_prepared(&mut self, name: &CStr, values: &Texts) -> bool {
        values.with_pointers(|count, pointers| {
            // SAFETY: the connection is valid; there are as many pointers as is said, and all is copied.
            let sent = unsafe {
                pq::PQsendQueryPrepared(
                    self.raw.as_ptr(),
                    name.as_ptr(),
                    count,
                    pointers,
                    null(),
                    null(),
                    0,
                )
            };
            sent == 1
        })
    }

    /// Sends what waits to be sent.
    pub fn flush(&mut self) -> Flushed {
        // SAFETY: the connection is valid.
        match unsafe { pq::PQflush(self.raw.as_ptr()) } {
            0 => Flushed::All,
            1 => Flushed::Some,
            _ => Flushed::Failed,
        }
    }

    /// Takes in what has arrived.
    pub fn consume(&mut self) -> bool {
        // SAFETY: the connection is valid.
        unsafe { pq::PQconsumeInput(self.raw.as_ptr()) == 1 }
    }

    /// Whether [`Conn::result`] would have to wait.
    pub fn is_busy(&mut self) -> bool {
        // SAFETY: the connection is valid.
        unsafe { pq::PQisBusy(self.raw.as_ptr()) == 1 }
    }

    /// The next result; None after the last one of a statement.
    pub fn result(&mut self) -> Option<ResultSet> {
        // SAFETY: the connection is valid.
        let raw = unsafe { pq::PQgetResult(self.raw.as_ptr()) };
        NonNull::new(raw).map(|raw| ResultSet { raw })
    }

    /// Where the session is in a transaction.
    pub fn transaction_status(&self) -> TransactionStatus {
        use pq::PGTransactionStatusType as Status;
        // SAFETY: the connection is valid.
        match unsafe { pq::PQtransactionStatus(self.raw.as_ptr()) } {
            Status::PQTRANS_IDLE => TransactionStatus::Idle,
            Status::PQTRANS_ACTIVE => TransactionStatus::Active,
            Status::PQTRANS_INTRANS => TransactionStatus::InBlock,
            Status::PQTRANS_INERROR => TransactionStatus::InFailedBlock,
            _ => TransactionStatus::Unknown,
        }
    }

    /// Begins a pipeline; no statement may run.
    pub fn enter_pipeline(&mut self) -> bool {
        // SAFETY: the connection is valid.
        unsafe { pq::PQenterPipelineMode(self.raw.as_ptr()) == 1 }
    }

    /// Ends a pipeline all of whose results were taken.
    pub fn exit_pipeline(&mut self) -> bool {
        // SAFETY: the connection is valid.
        unsafe { pq::PQexitPipelineMode(self.raw.as_ptr()) == 1 }
    }

    /// Sends the end of a part of a pipeline.
    pub fn sync(&mut self) -> bool {
        // SAFETY: the connection is valid.
        unsafe { pq::PQpipelineSync(self.raw.as_ptr()) == 1 }
    }

    /// Sends bytes of a COPY to the server.
    pub fn copy(&mut self, bytes: &[u8]) -> bool {
        let Ok(size) = c_int::try_from(bytes.len()) else {
            return false;
        };
        // SAFETY: the connection is valid; there are as many bytes as is said, and they are copied.
        unsafe { pq::PQputCopyData(self.raw.as_ptr(), bytes.as_ptr().cast(), size) == 1 }
    }

    /// Ends a COPY to the server.
    pub fn end_copy(&mut self) -> bool {
        // SAFETY: the connection is valid.
        unsafe { pq::PQputCopyEnd(self.raw.as_ptr(), null()) == 1 }
    }

    /// Ends a COPY to the server with an error.
    pub fn refuse_copy(&mut self, reason: &CStr) -> bool {
        // SAFETY: the connection is valid, and the text is copied.
        unsafe { pq::PQputCopyEnd(self.raw.as_ptr(), reason.as_ptr()) == 1 }
    }

    /// Takes a row of a COPY from the server, and drops it.
    pub fn skip_copied_row(&mut self) -> CopyOut {
        let mut row: *mut c_char = std::ptr::null_mut();
        // SAFETY: the connection is valid, and `row` is for its answer.
        let size = unsafe { pq::PQgetCopyData(self.raw.as_ptr(), &raw mut row, 1) };
        if !row.is_null() {
            // SAFETY: the row is the caller's to free.
            unsafe { pq::PQfreemem(row.cast()) };
        }
        match size {
            0 => CopyOut::Later,
            1.. => CopyOut::Row,
            _ => CopyOut::Over,
        }
    }

    /// What cancels its statements.
    pub fn canceller(&self) -> Option<Canceller> {
        // SAFETY: the connection is valid.
        let raw = unsafe { pq::PQgetCancel(self.raw.as_ptr()) };
        NonNull::new(raw).map(|raw| Canceller { raw })
    }

    /// The process of the session on the server; behind a pooler it may be none.
    pub fn backend_pid(&self) -> i32 {
        // SAFETY: the connection is valid.
        unsafe { pq::PQbackendPID(self.raw.as_ptr()) }
    }

    /// The server's version, as 150004.
    pub fn server_version(&self) -> i32 {
        // SAFETY: the connection is valid.
        unsafe { pq::PQserverVersion(self.raw.as_ptr()) }
    }

    /// Whether the server has asked for a password and got one.
    pub fn used_password(&self) -> bool {
        // SAFETY: the connection is valid.
        unsafe { pq::PQconnectionUsedPassword(self.raw.as_ptr()) == 1 }
    }
}

impl Drop for Conn {
    fn drop(&mut self) {
        // SAFETY: the connection is valid, and nobody uses it after this.
        unsafe { pq::PQfinish(self.raw.as_ptr()) }
    }
}

/// Texts for libpq, each with a NUL byte at its end. The buffers are reused.
#[derive(Default)]
pub struct Texts {
    bytes: Vec<u8>,
    /// Where each begins; None: NULL.
    offsets: Vec<Option<usize>>,
}

/// Parameters for which no memory is taken.
const FEW: usize = 16;

impl Texts {
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.offsets.clear();
    }

    pub fn push_null(&mut self) {
        self.offsets.push(None);
    }

    /// Adds a text, which a NUL byte ends early.
    pub fn push(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        self.offsets.push(Some(self.bytes.len()));
        write(&mut self.bytes);
        self.bytes.push(0);
    }

    fn with_pointers<R>(&self, call: impl FnOnce(c_int, *const *const c_char) -> R) -> R {
        let pointer = |offset: &Option<usize>| {
            let text = offset.and_then(|offset| self.bytes.get(offset..));
            text.map_or(null(), |text| text.as_ptr().cast::<c_char>())
        };
        let count = self.offsets.len();
        if count <= FEW {
            let mut few = [null(); FEW];
            for (place, offset) in few.iter_mut().zip(&self.offsets) {
                *place = pointer(offset);
            }
            return call(count as c_int, few.as_ptr());
        }
        let many: Vec<_> = self.offsets.iter().map(pointer).collect();
        call(count as c_int, many.as_ptr())
    }
}

/// A result of a statement.
pub struct ResultSet {
    raw: NonNull<pq::PGresult>,
}

impl ResultSet {
    /// What it is.
    pub fn answer(&self) -> Answer {
        use pq::ExecStatusType as Status;
        // SAFETY: the result is valid.
        match unsafe { pq::PQresultStatus(self.raw.as_ptr()) } {
            Status::PGRES_TUPLES_OK => Answer::Rows,
            Status::PGRES_COMMAND_OK => Answer::Command,
            Status::PGRES_EMPTY_QUERY => Answer::Empty,
            Status::PGRES_COPY_IN => Answer::CopyIn,
            Status::PGRES_COPY_OUT => Answer::CopyOut,
            Status::PGRES_PIPELINE_SYNC => Answer::Sync,
            Status::PGRES_PIPELINE_ABORTED => Answer::Skipped,
            Status::PGRES_FATAL_ERROR | Status::PGRES_BAD_RESPONSE => Answer::Error,
            _ => Answer::Other,
        }
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        // SAFETY: the result is valid.
        unsafe { pq::PQntuples(self.raw.as_ptr()) as usize }
    }

    /// How many columns there are.
    pub fn columns(&self) -> usize {
        // SAFETY: the result is valid.
        unsafe { pq::PQnfields(self.raw.as_ptr()) as usize }
    }

    /// The name of a column.
    pub fn name(&self, column: usize) -> &CStr {
        // SAFETY: the result is valid; for a column that is not there the answer is null.
        let name = unsafe { pq::PQfname(self.raw.as_ptr(), column as c_int) };
        if name.is_null() {
            return c"";
        }
        // SAFETY: the name ends with a NUL byte, and lives as long as the result.
        unsafe { CStr::from_ptr(name) }
    }

    /// A value as text; None: it is NULL, or there is none.
    pub fn value(&self, row: usize, column: usize) -> Option<&CStr> {
        if row >= self.rows() || column >= self.columns() {
            return None;
        }
        let (row, column) = (row as c_int, column as c_int);
        // SAFETY: the result is valid and has the value, which ends with a NUL byte and lives as long as the result.
        unsafe {
            if pq::PQgetisnull(self.raw.as_ptr(), row, column) == 1 {
                return None;
            }
            Some(CStr::from_ptr(pq::PQgetvalue(
                self.raw.as_ptr(),
                row,
                column,
            )))
        }
    }

    /// A value as text that a program reads; None: it is NULL, or there is none.
    pub fn text(&self, row: usize, column: usize) -> Option<&str> {
        self.value(row, column)?.to_str().ok()
    }

    /// The bytes of all values.
    pub fn value_bytes(&self) -> u64 {
        let (rows, columns) = (self.rows() as c_int, self.columns() as c_int);
        let mut bytes = 0;
        for row in 0..rows {
            for column in 0..columns {
                // SAFETY: the result is valid and has the value.
                bytes += unsafe { pq::PQgetlength(self.raw.as_ptr(), row, column) } as u64;
            }
        }
        bytes
    }

    /// Rows processed, as in the command tag.
    pub fn processed(&self) -> u64 {
        // SAFETY: the result is valid; the text ends with a NUL byte and is read at once.
        let count = unsafe { CStr::from_ptr(pq::PQcmdTuples(self.raw.as_ptr())) };
        let digits = count.to_bytes().iter();
        digits.fold(0, |sum: u64, digit| {
            sum.wrapping_mul(10) + u64::from(digit.wrapping_sub(b'0'))
        })
    }

    fn field(&self, code: u8) -> Option<String> {
        // SAFETY: the result is valid.
        let field = unsafe { pq::PQresultErrorField(self.raw.as_ptr(), c_int::from(code)) };
        (!field.is_null()).then(|| text(field))
    }

    /// The error that it is. Without a SQLSTATE it is libpq's own, of a connection that failed.
    pub fn error(&self) -> SqlError {
        let Some(sqlstate) = self.field(b'C') else {
            // SAFETY: the result is valid.
            let message = text(unsafe { pq::PQresultErrorMessage(self.raw.as_ptr()) });
            return SqlError::new("08006", &in_one_line(&message));
        };
        SqlError {
            sqlstate,
            message: self.field(b'M').unwrap_or_default(),
            detail: self.field(b'D'),
        }
    }
}

impl Drop for ResultSet {
    fn drop(&mut self) {
        // SAFETY: the result is valid, and nobody uses it after this.
        unsafe { pq::PQclear(self.raw.as_ptr()) }
    }
}

/// What cancels the statements of a connection, from any thread.
pub struct Canceller {
    raw: NonNull<pq::PGcancel>,
}

// SAFETY: libpq lets any thread use it, also beside the connection.
unsafe impl Send for Canceller {}

impl Canceller {
    /// Cancels the statement that runs. It waits until the server has got it, which may take long.
    pub fn cancel(&self) {
        let mut message = [0 as c_char; 256];
        // SAFETY: it is valid, and the buffer has the size that is said.
        unsafe {
            pq::PQcancel(
                self.raw.as_ptr(),
                message.as_mut_ptr(),
                message.len() as c_int,
            );
        }
    }
}

impl Drop for Canceller {
    fn drop(&mut self) {
        // SAFETY: it is valid, and nobody uses it after this.
        unsafe { pq::PQfreeCancel(self.raw.as_ptr()) }
    }
}

/// A keyword of connections that this libpq knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keyword {
    pub name: String,
    /// The variable of the environment that is its default.
    pub variable: Option<String>,
    /// Whether its value must not be shown.
    pub is_secret: bool,
    /// Whether it is for debugging, or of no use any more.
    pub is_hidden: bool,
}

/// Variables of the environment that a session begins with as settings, whatever its keywords.
const SETTINGS: [&str; 3] = ["PGTZ", "PGDATESTYLE", "PGGEQO"];

/// All variables of the environment that say how libpq connects.
pub fn variables() -> Vec<String> {
    let of_keywords = keywords()
        .into_iter()
        .filter_map(|keyword| keyword.variable);
    of_keywords.chain(SETTINGS.map(str::to_owned)).collect()
}

/// All keywords of libpq; none if there is no memory for them.
pub fn keywords() -> Vec<Keyword> {
    // SAFETY: the answer is null or an array that ends with an entry without a keyword.
    let first = unsafe { pq::PQconndefaults() };
    let mut keywords = Vec::new();
    let mut option = first;
    // SAFETY: each entry up to that one is valid, and its texts are copied.
    while let Some(entry) = unsafe { option.as_ref() }.filter(|entry| !entry.keyword.is_null()) {
        let marks = text(entry.dispchar);
        keywords.push(Keyword {
            name: text(entry.keyword),
            variable: (!entry.envvar.is_null()).then(|| text(entry.envvar)),
            is_secret: marks.contains('*'),
            is_hidden: marks.contains('D'),
        });
        option = option.wrapping_add(1);
    }
    // SAFETY: the array is the caller's to free.
    unsafe { pq::PQconninfoFree(first) };
    keywords
}

/// Takes a file out of a set of files that are waited for. Nothing happens if it is not in it.
pub fn unwatch(set: &OwnedFd, file: RawFd) {
    // SAFETY: the set is open, and nothing but the set is changed, whatever file the number is of.
    unsafe {
        libc::epoll_ctl(
            set.as_raw_fd(),
            libc::EPOLL_CTL_DEL,
            file,
            std::ptr::null_mut(),
        )
    };
}

/// Calls with all signals blocked.
pub fn without_signals<R>(call: impl FnOnce() -> R) -> R {
    struct Restore(libc::sigset_t);
    impl Drop for Restore {
        fn drop(&mut self) {
            // SAFETY: the set was filled by the call that blocked them.
            unsafe {
                libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.0, std::ptr::null_mut())
            };
        }
    }
    // SAFETY: both sets are filled before they are read.
    let _restore = unsafe {
        let mut all = std::mem::zeroed();
        let mut before = std::mem::zeroed();
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before);
        Restore(before)
    };
    call()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libpq_tells_its_keywords() {
        let keywords = keywords();
        let of = |name: &str| {
            let keyword = keywords.iter().find(|keyword| keyword.name == name);
            keyword.map(|keyword| (keyword.is_secret, keyword.is_hidden))
        };
        assert_eq!(of("host"), Some((false, false)));
        assert_eq!(of("password"), Some((true, false)));
        assert_eq!(of("replication"), Some((false, true)));
        assert_eq!(of("nonsense"), None);
    }

    #[test]
    fn libpq_reads_variables() {
        let variables = variables();
        let has = |name: &str| variables.iter().any(|variable| variable == name);
        assert!(["PGHOSTADDR", "PGSERVICE", "PGSSLMODE", "PGTZ"].map(has) == [true; 4]);
        assert!(!has("PGDATA"));
    }

    #[test]
    fn explanations_are_left_out() {
        let message = "a failed\n\tThis probably means\n\tsomething.\nb failed";
        assert_eq!(in_one_line(message), "a failed; b failed");
    }
}
