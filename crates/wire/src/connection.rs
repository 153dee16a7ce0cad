//! A connection to a server. Whatever it waits for, its [`Wait`] can end at any moment.

use crate::conninfo::Conninfo;
use crate::ffi::{Answer, Conn, CopyOut, Flushed, Polling, ResultSet, Texts, TransactionStatus};
use crate::threads;
use crate::wait::{Interest, Wait, Waker, Woken};
use engine::SqlError;
use std::ffi::CString;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// How long a server may take to answer after its statement was cancelled. Then the connection is given up.
const CANCEL_PATIENCE: Duration = Duration::from_secs(2);
/// How long the delivery of a cancel may take, before the next statement or when the connection is given up.
const DELIVERY_PATIENCE: Duration = Duration::from_secs(1);
/// The stack of a thread that connects or cancels.
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
    given_up: bool,
}

fn connection_error(message: &str) -> SqlError {
    SqlError::new("08001", message)
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

fn cancelled(message: &str) -> SqlError {
    SqlError::new(engine::QUERY_CANCELED, message)
}

pub(crate) fn no_copy() -> SqlError {
    SqlError::new("0A000", "COPY to or from the client is not supported")
}

fn c_text(text: &str) -> Result<CString, SqlError> {
    CString::new(text).map_err(|_| SqlError::new("22021", "a statement has a NUL byte in it"))
}

impl<W: Wait> Connection<W> {
    /// Connects within this time.
    ///
    /// # Errors
    /// 08001 with what libpq or the server says; 57014 if it is given up before; 2F003 if a password is needed and the server has not asked
    /// for it.
    pub fn open(info: &Conninfo, wait: W, within: Duration) -> Result<Connection<W>, SqlError> {
        let until = Instant::now() + within;
        let raw = match info.has_names() {
            true => establish_aside(info, &wait, until)?,
            false => establish(info, &wait, until)?,
        };
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
            given_up: false,
        })
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
        self.send(|raw| raw.send_query_params(&text, &texts))?;
        let mut last = None;
        self.collect(|result| last = Some(result))?;
        last.ok_or_else(|| SqlError::new("08006", "the server sent no result"))
    }

    /// Runs a text of one or several statements for what they do.
    ///
    /// # Errors
    /// The server's, or that of the connection.
    pub fn execute(&mut self, text: &str) -> Result<(), SqlError> {
        let text = c_text(text)?;
        self.send(|raw| raw.send_query(&text))?;
        self.collect(drop)
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

    /// Begins a statement.
    pub(crate) fn send(&mut self, send: impl FnOnce(&mut Conn) -> bool) -> Result<(), SqlError> {
        // It could reach this one.
        if self.cancelling.load(Ordering::Acquire) {
            self.await_delivery();
        }
        self.wait.begin_statement();
        self.until = self.patience.map(|patience| Instant::now() + patience);
        self.cancelled = false;
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
                    self.end_copy(result.answer())?;
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
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn give_up(&mut self) -> Result<(), SqlError> {
        self.given_up = true;
        Err(cancelled(
            "the connection was given up: its server did not react to a cancel in time",
        ))
    }

    /// Ends a COPY that a statement has begun.
    fn end_copy(&mut self, answer: Answer) -> Result<(), SqlError> {
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

/// As [`Wait::wait`], and ends in time also where the socket is ready again and again: a server may never stop sending.
fn wait_in_time(
    wait: &impl Wait,
    socket: BorrowedFd<'_>,
    interest: Interest,
    until: Option<Instant>,
) -> Woken {
    match until {
        Some(until) if until <= Instant::now() => Woken::TimedOut,
        _ => wait.wait(socket, interest, until),
    }
}

/// Connects, by waits that can be ended. It may also wait for a name server.
fn establish(info: &Conninfo, wait: &impl Wait, until: Instant) -> Result<Conn, SqlError> {
    let mut raw = Conn::start(info)?;
    if raw.is_bad() {
        return Err(connection_error(&raw.message()));
    }
    let mut interest = Interest::Write;
    loop {
        let Some(socket) = raw.socket() else {
            return Err(connection_error(&raw.message()));
        };
        wait_to_connect(wait, socket, interest, until)?;
        interest = match raw.poll() {
            Polling::Reading => Interest::Read,
            Polling::Writing => Interest::Write,
            Polling::Done => break,
            Polling::Failed => return Err(connection_error(&raw.message())),
        };
    }
    match raw.set_nonblocking() {
        true => Ok(raw),
        false => Err(connection_error(&raw.message())),
    }
}

/// Gives up a thread's waits when nobody waits for it any more: a wait may also end by a panic.
struct GiveUp(Arc<Waker>);

impl Drop for GiveUp {
    fn drop(&mut self) {
        self.0.give_up();
    }
}

/// As above in a thread of its own, for which nobody waits longer than until it is woken.
fn establish_aside(info: &Conninfo, wait: &impl Wait, until: Instant) -> Result<Conn, SqlError> {
    let out_of = |error: std::io::Error| connection_error(&error.to_string());
    let ends = Arc::new(Waker::new().map_err(out_of)?);
    let done = Arc::new(Waker::new().map_err(out_of)?);
    let (sender, receiver) = mpsc::channel();
    let work = {
        let (info, ends, done) = (info.clone(), Arc::clone(&ends), Arc::clone(&done));
        move || {
            // Where nobody wants it any more, the connection ends here.
            let _ = sender.send(establish(&info, &ends, until));
            done.wake();
        }
    };
    threads::spawn("connect", STACK, work).map_err(out_of)?;
    {
        let _ends = GiveUp(ends);
        wait_to_connect(wait, done.as_fd(), Interest::Read, until)?;
    }
    receiver
        .recv()
        .unwrap_or_else(|_| Err(connection_error("the connection could not be made")))
}

fn wait_to_connect(
    wait: &impl Wait,
    socket: BorrowedFd<'_>,
    interest: Interest,
    until: Instant,
) -> Result<(), SqlError> {
    match wait_in_time(wait, socket, interest, Some(until)) {
        Woken::Ready => Ok(()),
        Woken::TimedOut => Err(connection_error("could not connect to the server in time")),
        Woken::Cancel | Woken::GiveUp => Err(cancelled("the attempt to connect was canceled")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};
    use std::os::unix::net::UnixListener;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Mutex;
    use tempfile::TempDir;

    const LONG: Duration = Duration::from_secs(3600);

    /// A folder for a socket, and how to connect to that.
    fn place() -> (TempDir, Conninfo) {
        let folder = tempfile::tempdir().unwrap();
        let info = Conninfo::new()
            .with("host", folder.path().to_str().unwrap())
            .with("port", "5432")
            .with("user", "somebody")
            .with("password", "secret")
            .with("dbname", "somewhere");
        (folder, info)
    }

    fn listen(folder: &TempDir) -> UnixListener {
        UnixListener::bind(folder.path().join(".s.PGSQL.5432")).unwrap()
    }

    fn open(info: &Conninfo, waker: &Arc<Waker>, within: Duration) -> Result<(), SqlError> {
        Connection::open(info, Arc::clone(waker), within).map(drop)
    }

    fn waker() -> Arc<Waker> {
        Arc::new(Waker::new().unwrap())
    }

    #[test]
    fn nobody_listens() {
        let (_folder, info) = place();
        let error = open(&info, &waker(), LONG).unwrap_err();
        assert_eq!(error.sqlstate, "08001");
        assert!(!error.message.contains("secret"), "{}", error.message);
    }

    #[test]
    fn a_server_that_does_not_answer_is_given_up_in_time() {
        let (folder, info) = place();
        let _listener = listen(&folder);
        let error = open(&info, &waker(), Duration::from_millis(20)).unwrap_err();
        assert_eq!(error.sqlstate, "08001");
        assert!(error.message.contains("in time"), "{}", error.message);
    }

    #[test]
    fn an_attempt_to_connect_can_be_ended() {
        let (folder, info) = place();
        let _listener = listen(&folder);
        for give_up in [false, true] {
            let waker = waker();
            match give_up {
                false => waker.cancel(),
                true => waker.give_up(),
            }
            let error = open(&info, &waker, LONG).unwrap_err();
            assert_eq!(error.sqlstate, "57014");
        }
    }

    #[test]
    fn names_of_hosts_are_looked_up_aside() {
        let (_folder, info) = place();
        let info = info.with("host", "localhost").with("port", "1");
        let error = open(&info, &waker(), LONG).unwrap_err();
        assert_eq!(error.sqlstate, "08001");
        let waker = waker();
        waker.give_up();
        assert_eq!(open(&info, &waker, LONG).unwrap_err().sqlstate, "57014");
    }

    #[test]
    fn options_that_do_not_exist_are_an_error() {
        let (_folder, info) = place();
        let error = open(&info.clone().with("nonsense", "1"), &waker(), LONG).unwrap_err();
        assert!(error.message.contains("nonsense"), "{}", error.message);
        let error = open(&info.with("dbname", "a\0b"), &waker(), LONG).unwrap_err();
        assert!(error.message.contains("NUL"), "{}", error.message);
    }

    #[test]
    fn the_server_itself_says_why() {
        let (folder, info) = place();
        let listener = listen(&folder);
        let server = std::thread::spawn(move || {
            let (mut socket, _) = listener.accept().unwrap();
            let _ = socket.read(&mut [0; 1024]).unwrap();
            let fields = b"SFATAL\0C53300\0Mtoo many clients\0\0";
            let length = (fields.len() as u32 + 4).to_be_bytes();
            socket
                .write_all(&[b"E", &length[..], fields].concat())
                .unwrap();
        });
        let error = open(&info, &waker(), LONG).unwrap_err();
        server.join().unwrap();
        assert!(error.message.contains("too many"), "{}", error.message);
    }

    /// A server that lets anybody in, and then answers nothing.
    fn silent(listener: UnixListener) -> std::thread::JoinHandle<()> {
        std::thread::spawn(move || {
            let (mut socket, _) = listener.accept().unwrap();
            let _ = socket.read(&mut [0; 1024]).unwrap();
            // AuthenticationOk, ReadyForQuery.
            socket
                .write_all(b"R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I")
                .unwrap();
            let mut rest = Vec::new();
            let _ = socket.read_to_end(&mut rest);
        })
    }

    #[test]
    fn a_server_that_does_not_react_to_a_cancel_is_given_up() {
        let (folder, info) = place();
        let server = silent(listen(&folder));
        let waker = waker();
        let mut connection = Connection::open(&info, Arc::clone(&waker), LONG).unwrap();
        assert_eq!(connection.transaction_status(), TransactionStatus::Idle);
        // One that came before is not for it.
        waker.cancel();
        connection.set_patience(Some(Duration::from_millis(10)));
        let began = Instant::now();
        let error = connection.execute("SELECT 1").unwrap_err();
        assert_eq!(error.sqlstate, "57014");
        assert!(error.message.contains("did not react"), "{}", error.message);
        assert!(began.elapsed() >= CANCEL_PATIENCE);
        assert!(!connection.is_usable());
        assert_eq!(connection.transaction_status(), TransactionStatus::Unknown);
        assert_eq!(
            connection.execute("SELECT 1").unwrap_err().sqlstate,
            "08003"
        );
        drop(connection);
        server.join().unwrap();
    }

    #[test]
    fn a_server_that_never_stops_sending_is_given_up() {
        let (folder, info) = place();
        let listener = listen(&folder);
        let server = std::thread::spawn(move || {
            let (mut socket, _) = listener.accept().unwrap();
            let _ = socket.read(&mut [0; 1024]).unwrap();
            socket
                .write_all(b"R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I")
                .unwrap();
            // Notices, until nobody takes them.
            while socket.write_all(b"N\0\0\0\x05\0").is_ok() {}
        });
        let mut connection = Connection::open(&info, waker(), LONG).unwrap();
        connection.set_patience(Some(Duration::from_millis(10)));
        let error = connection.execute("SELECT 1").unwrap_err();
        assert!(error.message.contains("did not react"), "{}", error.message);
        drop(connection);
        server.join().unwrap();
    }

    #[test]
    fn a_statement_waits_for_a_cancel_that_is_on_its_way() {
        let (folder, info) = place();
        let server = silent(listen(&folder));
        let mut connection = Connection::open(&info, waker(), LONG).unwrap();
        let cancelling = Arc::clone(&connection.cancelling);
        cancelling.store(true, Ordering::Release);
        let delivery = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(20));
            cancelling.store(false, Ordering::Release);
        });
        let query = c"SELECT 1";
        connection.send(|raw| raw.send_query(query)).unwrap();
        assert!(!connection.cancelling.load(Ordering::Acquire));
        delivery.join().unwrap();
        drop(connection);
        server.join().unwrap();
    }

    /// Waits until it is connected, and then panics, as a wait does when the server's process is to end.
    struct Raises(TcpListener, Mutex<Option<TcpStream>>);

    impl Wait for Raises {
        fn wait(&self, _: BorrowedFd<'_>, _: Interest, _: Option<Instant>) -> Woken {
            *self.1.lock().unwrap() = Some(self.0.accept().unwrap().0);
            std::panic::resume_unwind(Box::new("raised"));
        }
    }

    #[test]
    fn no_thread_goes_on_connecting_after_a_panic() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port().to_string();
        let wait = Arc::new(Raises(listener, Mutex::default()));
        let info = Conninfo::new()
            .with("host", "localhost")
            .with("port", &port)
            .with("user", "somebody");
        let open = || Connection::open(&info, Arc::clone(&wait), LONG).map(drop);
        assert!(catch_unwind(AssertUnwindSafe(open)).is_err());
        let mut socket = wait.1.lock().unwrap().take().unwrap();
        socket
            .set_read_timeout(Some(Duration::from_secs(10)))
            .unwrap();
        // Its end, after what was sent before.
        socket.read_to_end(&mut Vec::new()).unwrap();
    }

    /// Between two statements, and within one.
    #[test]
    fn what_the_server_says_before_it_goes_away_is_the_error() {
        for reads in [false, true] {
            says_before_it_goes_away(reads);
        }
    }

    fn says_before_it_goes_away(reads: bool) {
        let (folder, info) = place();
        let listener = listen(&folder);
        let (gone, is_gone) = mpsc::channel();
        let server = std::thread::spawn(move || {
            let (mut socket, _) = listener.accept().unwrap();
            let _ = socket.read(&mut [0; 1024]).unwrap();
            socket
                .write_all(b"R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I")
                .unwrap();
            if reads {
                let _ = socket.read(&mut [0; 1024]).unwrap();
            }
            let fields = b"SFATAL\0VFATAL\0C57P01\0Mterminated\0\0";
            let length = (fields.len() as u32 + 4).to_be_bytes();
            socket
                .write_all(&[b"E", &length[..], fields].concat())
                .unwrap();
            drop(socket);
            let _ = gone.send(());
        });
        let mut connection = Connection::open(&info, waker(), LONG).unwrap();
        if !reads {
            is_gone.recv().unwrap();
        }
        let error = connection.execute("SELECT 1").unwrap_err();
        server.join().unwrap();
        assert_eq!(
            (error.sqlstate.as_str(), error.message.as_str()),
            ("57P01", "terminated")
        );
        assert!(!connection.is_usable());
    }

    #[test]
    fn a_connection_is_given_up_at_once_if_somebody_wants_that() {
        let (folder, info) = place();
        let server = silent(listen(&folder));
        let waker = waker();
        let mut connection = Connection::open(&info, Arc::clone(&waker), LONG).unwrap();
        waker.give_up();
        let error = connection.query("SELECT $1", &[Some("1")]).map(drop);
        assert_eq!(error.unwrap_err().sqlstate, "57014");
        drop(connection);
        server.join().unwrap();
    }

    #[test]
    fn a_server_that_asks_for_no_password_is_refused_where_one_is_needed() {
        let (folder, mut info) = place();
        let server = silent(listen(&folder));
        info.require_password();
        let error = open(&info, &waker(), LONG).unwrap_err();
        assert_eq!(
            (error.sqlstate.as_str(), error.message.as_str()),
            ("2F003", "password is required")
        );
        server.join().unwrap();
    }
}
