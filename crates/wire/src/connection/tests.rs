use super::*;
use crate::fake::{Server, complete, ready, row};
use crate::wait::Waker;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::BorrowedFd;
use std::os::unix::net::UnixListener;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, mpsc};
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

/// Each host has its own time, also one that lets a client wait.
#[test]
fn a_host_that_does_not_answer_is_left() {
    let silent = tempfile::tempdir().unwrap();
    let _listener = listen(&silent);
    let server = Server::new(Vec::new());
    let of = |info: &Conninfo| info.get("host").unwrap().to_owned();
    let hosts = [silent.path().to_str().unwrap(), &of(&server.info())].join(",");
    let info = server.info().with("host", &hosts);
    let within = Duration::from_millis(100);
    open(&info, &waker(), within).unwrap();
    // With a name among them in a thread of its own.
    let server = Server::new(Vec::new());
    let hosts = ["localhost", &hosts, &of(&server.info())].join(",");
    let info = server
        .info()
        .with("host", &hosts)
        .with("port", "1,5432,5432,5432");
    open(&info, &waker(), within).unwrap();
    let info = info.with("host", silent.path().to_str().unwrap());
    let error = open(&info.with("port", "5432"), &waker(), within).unwrap_err();
    assert!(error.message.contains("in time"), "{}", error.message);
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

/// As over a connection for replication, which takes nothing else.
#[test]
fn the_simple_protocol_gives_the_rows_of_the_last_statement() {
    let answer = [
        row(&["a"], &[Some("1")]),
        complete("SELECT 1"),
        row(&["b"], &[Some("2")]),
        complete("SELECT 1"),
        ready(b'I'),
    ]
    .concat();
    let server = Server::new(vec![answer]);
    let mut connection = Connection::open(&server.info(), waker(), LONG).unwrap();
    let rows = connection.simple("SELECT 1 AS a; SELECT 2 AS b").unwrap();
    assert_eq!(rows.text(0, 0), Some("2"));
    drop(connection);
    assert!(server.asked()[0].contains("SELECT 1 AS a; SELECT 2 AS b"));
}
