//! A connection to a server. Whatever it waits for, its [`Wait`] can end at any moment.

mod copy;

use crate::clock::now;
use crate::connecting::{cancelled, connect, wait_in_time};
use crate::conninfo::Conninfo;
use crate::ffi::{Answer, Conn, CopyOut, Flushed, ResultSet, Texts, TransactionStatus};
use crate::threads;
use crate::wait::{Interest, Wait, Woken};
use engine::SqlError;
use std::ffi::CString;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long a server may take to answer after its statement was cancelled. Then the connection is given up.
const CANCEL_PATIENCE: Duration = Duration::from_secs(2);
/// How long the delivery of a cancel may take, before the next statement or when the connection is given up.
const DELIVERY_PATIENCE: Duration = Duration::from_secs(1);
/// The stack of a thread that cancels.
const STACK: usize = 256 * 1024;

/// A connection with one session.
pub struct Connection<W> {
    raw: Conn,
    pub(crate) wait: W,
    /// How long an answer may take.
    patience: Option<Duration>,
    /// When the statement that runs has to have ended.
    until: Option<Instant>,
    /// Whether the statement that runs was cancelled.
    cancelled: bool,
    /// Whether a cancel is on its way.
    cancelling: Arc<AtomicBool>,
    /// Whether some bytes still wait to be sent.
    unsent: bool,
    /// Whether the server waits for the rows of a COPY.
    copying: bool,
    /// When the first byte of an answer came to what was sent last; 0: none has.
    first_byte_at: u64,
    given_up: bool,
}

/// In the words of postgres_fdw.
fn not_asked() -> SqlError {
    SqlError {
        detail: Some(
            "Non-superuser cannot connect if the server does not request a password.".to_owned(),
        ),
        ..SqlError::new("2F003", "password is required")
    }
}

fn no_result() -> SqlError {
    SqlError::new("08006", "the server sent no result")
}

pub(crate) fn no_copy() -> SqlError {
    SqlError::new("0A000", "COPY to or from the client is not supported")
}

fn c_text(text: &str) -> Result<CString, SqlError> {
    CString::new(text).map_err(|_| SqlError::new("22021", "a statement has a NUL byte in it"))
}

impl<W: Wait> Connection<W> {
    /// Connects within this time; to each of several hosts, as libpq counts it.
    ///
    /// # Errors
    /// 08001 with what libpq or the server says; 57014 if it is given up before; 2F003 if a password is needed and the server has not asked
    /// for it.
    pub fn open(info: &Conninfo, wait: W, within: Duration) -> Result<Connection<W>, SqlError> {
        let raw = connect(info, &wait, within)?;
        if info.needs_password() && !raw.used_password() {
            return Err(not_asked());
        }
        Ok(Connection {
            raw,
            wait,
            patience: None,
            until: None,
            cancelled: false,
            cancelling: Arc::default(),
            unsent: false,
            copying: false,
            first_byte_at: 0,
            given_up: false,
        })
    }

    /// The same with a name and settings for its session.
    ///
    /// # Errors
    /// The same, or the server does not take a setting.
    pub fn open_session(
        info: &Conninfo,
        name: &str,
        settings: &[(String, String)],
        wait: W,
        within: Duration,
    ) -> Result<Connection<W>, SqlError> {
        // A server takes what comes with the first message as it is, in an encoding that is not known here.
        let is_early = |(name, value): &(String, String)| name.is_ascii() && value.is_ascii();
        let early = settings.iter().filter(|setting| is_early(setting));
        let mut connection = Connection::open(&info.for_session(name, early), wait, within)?;
        connection.configure(settings.iter().filter(|setting| !is_early(setting)))?;
        Ok(connection)
    }

    /// Gives its session settings.
    pub(crate) fn configure<'s>(
        &mut self,
        settings: impl IntoIterator<Item = &'s (String, String)>,
    ) -> Result<(), SqlError> {
        for (name, value) in settings {
            self.query(
                "SELECT pg_catalog.set_config($1, $2, false)",
                &[Some(name), Some(value)],
            )?;
        }
        Ok(())
    }

    /// From now on a statement that takes longer is cancelled; None: it may take as long as it wants.
    pub fn set_patience(&mut self, patience: Option<Duration>) {
        self.patience = patience;
    }

    /// Runs a statement with values, None being NULL, and returns its rows.
    ///
    /// # Errors
    /// The server's, or that of the connection.
    pub fn query(&mut self, text: &str, values: &[Option<&str>]) -> Result<ResultSet, SqlError> {
        let mut texts = Texts::default();
        for value in values {
            match value {
                None => texts.push_null(),
                Some(value) => texts.push(|bytes| bytes.extend_from_slice(value.as_bytes())),
            }
        }
        let text = c_text(text)?;
        self.send(|raw| raw.send_query_params(&text, &[], &texts))?;
        let mut last = None;
        self.collect(|result| last = Some(result))?;
        last.ok_or_else(no_result)
    }

    /// Runs a text of one or several statements by the simple protocol, the only one that a connection for replication takes, and returns the
    /// rows of the last one.
    ///
    /// # Errors
    /// The server's, or that of the connection.
    pub fn simple(&mut self, text: &str) -> Result<ResultSet, SqlError> {
        let text = c_text(text)?;
        self.send(|raw| raw.send_query(&text))?;
        let mut last = None;
        self.collect(|result| last = Some(result))?;
        last.ok_or_else(no_result)
    }

    /// Runs a text of one or several statements for what they do; how many rows the last one has processed.
    ///
    /// # Errors
    /// The server's, or that of the connection.
    pub fn execute(&mut self, text: &str) -> Result<u64, SqlError> {
        let text = c_text(text)?;
        self.send(|raw| raw.send_query(&text))?;
        let mut processed = 0;
        self.collect(|result| processed = result.processed())?;
        Ok(processed)
    }

    /// Where the session is in a transaction.
    pub fn transaction_status(&self) -> TransactionStatus {
        match self.given_up {
            true => TransactionStatus::Unknown,
            false => self.raw.transaction_status(),
        }
    }

    /// Whether it can still be used.
    pub fn is_usable(&self) -> bool {
        !self.given_up && !self.raw.is_bad()
    }

    /// Never uses it again.
    pub(crate) fn abandon(&mut self) {
        self.given_up = true;
    }

    /// Fails if somebody wants its statement to be cancelled, or has given it up: for a loop that sends none.
    pub(crate) fn check(&mut self) -> Result<(), SqlError> {
        match self.wait.requested() {
            None => Ok(()),
            Some(_) => Err(cancelled("canceling statement due to user request")),
        }
    }

    /// Has the statement cancelled that runs, if there is one, without waiting for its end. For a connection of which nobody will take results.
    pub fn leave_statement(&mut self) {
        if self.is_usable() && self.raw.transaction_status() == TransactionStatus::Active {
            self.cancel();
        }
    }

    /// The process of the session on the server.
    pub fn backend_pid(&self) -> i32 {
        self.raw.backend_pid()
    }

    /// The server's version, as 150004.
    pub fn server_version(&self) -> i32 {
        self.raw.server_version()
    }

    /// Whether the server has asked for a password and got one.
    pub fn used_password(&self) -> bool {
        self.raw.used_password()
    }

    /// When the first byte of the answer to the last statement came, on the monotonic clock in ns; 0: not known.
    #[inline]
    pub(crate) fn first_byte_at(&self) -> u64 {
        self.first_byte_at
    }

    /// Begins a statement.
    pub(crate) fn send(&mut self, send: impl FnOnce(&mut Conn) -> bool) -> Result<(), SqlError> {
        // It could reach this one.
        if self.cancelling.load(Ordering::Acquire) {
            self.await_delivery();
        }
        self.wait.begin_statement();
        self.until = self.patience.map(|patience| Instant::now() + patience);
        self.cancelled = false;
        self.first_byte_at = 0;
        self.queue(send)?;
        self.unsent = true;
        self.flush()
    }

    /// Queues a message, of which some bytes may still wait to be sent.
    pub(crate) fn queue(&mut self, send: impl FnOnce(&mut Conn) -> bool) -> Result<(), SqlError> {
        if self.given_up {
            return Err(SqlError::new("08003", "the connection was given up"));
        }
        match send(&mut self.raw) {
            true => Ok(()),
            false if self.raw.is_bad() => Err(self.last_words()),
            false => Err(self.failure()),
        }
    }

    /// Sends what the socket takes.
    pub(crate) fn flush(&mut self) -> Result<(), SqlError> {
        match self.raw.flush() {
            Flushed::All => self.unsent = false,
            Flushed::Some => self.unsent = true,
            // What the server has said before it went away tells more.
            Flushed::Failed => return Err(self.last_words()),
        }
        Ok(())
    }

    /// Takes all results of a statement; the first error is the statement's.
    pub(crate) fn collect(&mut self, mut take: impl FnMut(ResultSet)) -> Result<(), SqlError> {
        let mut error = None;
        loop {
            let result = match self.next() {
                Ok(Some(result)) => result,
                Ok(None) => break,
                // An error that ends the session has come before.
                Err(lost) => return Err(error.unwrap_or(lost)),
            };
            match result.answer() {
                Answer::Error => {
                    error.get_or_insert_with(|| result.error());
                }
                Answer::CopyIn | Answer::CopyOut => {
                    error.get_or_insert_with(no_copy);
                    self.refuse_copy(result.answer())?;
                }
                _ => take(result),
            }
        }
        error.map_or(Ok(()), Err)
    }

    /// The next result; None after the last one of a statement, or of one of a pipeline.
    pub(crate) fn next(&mut self) -> Result<Option<ResultSet>, SqlError> {
        while self.raw.is_busy() {
            self.advance()?;
        }
        Ok(self.raw.result())
    }

    /// Waits for more, and takes it in.
    fn advance(&mut self) -> Result<(), SqlError> {
        let interest = match self.unsent {
            true => Interest::Both,
            false => Interest::Read,
        };
        let Some(socket) = self.raw.socket() else {
            return Err(self.last_words());
        };
        match wait_in_time(&self.wait, socket, interest, self.until) {
            Woken::Ready => {
                if self.unsent {
                    self.flush()?;
                    // The answer to what is sent now is waited for anew, so that it is known when it begins.
                    if !self.unsent {
                        return Ok(());
                    }
                } else if self.first_byte_at == 0 {
                    self.first_byte_at = now();
                }
                match self.raw.consume() {
                    true => Ok(()),
                    false => Err(self.last_words()),
                }
            }
            Woken::Cancel => {
                self.cancel();
                Ok(())
            }
            Woken::TimedOut if self.cancelled => self.give_up(),
            Woken::TimedOut => {
                self.cancel();
                Ok(())
            }
            Woken::GiveUp => {
                self.cancel();
                self.await_delivery();
                self.give_up()
            }
        }
    }

    /// Cancels the statement that runs, without waiting for the delivery. From then on its server has a short time to answer.
    fn cancel(&mut self) {
        if !self.cancelled {
            self.cancelled = true;
            self.until = Some(Instant::now() + CANCEL_PATIENCE);
        }
        if self.cancelling.swap(true, Ordering::AcqRel) {
            return;
        }
        let canceller = self.raw.canceller();
        let cancelling = Arc::clone(&self.cancelling);
        let deliver = move || {
            if let Some(canceller) = canceller {
                canceller.cancel();
            }
            cancelling.store(false, Ordering::Release);
        };
        if threads::spawn("cancel", STACK, deliver).is_err() {
            self.cancelling.store(false, Ordering::Release);
        }
    }

    /// Waits a moment for the cancel to be delivered. A server may not notice that its client has gone as long as the statement runs.
    fn await_delivery(&self) {
        let until = Instant::now() + DELIVERY_PATIENCE;
        while self.cancelling.load(Ordering::Acquire) && Instant::now() < until {
            self.wait.sleep(Duration::from_millis(1));
        }
    }

    fn give_up(&mut self) -> Result<(), SqlError> {
        self.given_up = true;
        Err(cancelled(
            "the connection was given up: its server did not react to a cancel in time",
        ))
    }

    /// Ends a COPY that a statement has begun.
    fn refuse_copy(&mut self, answer: Answer) -> Result<(), SqlError> {
        if answer == Answer::CopyIn {
            self.queue(|raw| raw.refuse_copy(c"not supported"))?;
            return self.flush();
        }
        loop {
            match self.raw.skip_copied_row() {
                CopyOut::Row => {}
                CopyOut::Later => self.advance()?,
                CopyOut::Over => return Ok(()),
            }
        }
    }

    /// Why the connection is broken. What the server has said before it went away tells more than that it did.
    fn last_words(&mut self) -> SqlError {
        self.given_up = true;
        // As long as libpq has rows to send, it reads nothing of what the server says.
        if std::mem::take(&mut self.copying) {
            self.raw.refuse_copy(c"the connection is lost");
        }
        while let Some(result) = self.raw.result() {
            match result.answer() {
                // Without a SQLSTATE it is libpq's, which knows less.
                Answer::Error if self.raw.farewell().is_none() => return result.error(),
                Answer::CopyIn | Answer::CopyOut => break,
                _ => {}
            }
        }
        self.failure()
    }

    fn failure(&self) -> SqlError {
        if let Some(farewell) = self.raw.farewell() {
            return farewell;
        }
        let sqlstate = match self.raw.is_bad() {
            true => "08006",
            false => "08000",
        };
        SqlError::new(sqlstate, &self.raw.message())
    }
}

#[cfg(test)]
mod tests;
