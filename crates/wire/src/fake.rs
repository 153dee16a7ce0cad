//! A server that answers as the test says, and one that answers anybody.

use crate::conninfo::Conninfo;
use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::thread::JoinHandle;
use tempfile::TempDir;

/// A server, until its script is over or its client has gone.
pub struct Server {
    /// Its socket.
    folder: TempDir,
    thread: JoinHandle<Vec<String>>,
}

impl Server {
    /// Answers what a client sends with these messages, one after the other.
    pub fn new(answers: Vec<Vec<u8>>) -> Server {
        let folder = tempfile::tempdir().unwrap();
        let listener = UnixListener::bind(folder.path().join(".s.PGSQL.5432")).unwrap();
        let thread = std::thread::spawn(move || {
            let (mut socket, _) = listener.accept().unwrap();
            let_in(&mut socket).unwrap();
            let mut asked = Vec::new();
            for answer in answers {
                asked.push(question(&mut socket).unwrap());
                socket.write_all(&answer).unwrap();
            }
            // Its end, or another message.
            let _ = socket.read(&mut [0; 65_536]);
            asked
        });
        Server { folder, thread }
    }

    /// How to connect.
    pub fn info(&self) -> Conninfo {
        info(&self.folder)
    }

    /// What it was asked, once the client has gone.
    pub fn asked(self) -> Vec<String> {
        self.thread.join().unwrap()
    }
}

/// A server for any number of clients, as long as the test runs.
pub struct Crowd {
    folder: TempDir,
}

impl Crowd {
    /// Answers whatever is asked with this.
    pub fn new(answer: Vec<u8>) -> Crowd {
        let folder = tempfile::tempdir().unwrap();
        let listener = UnixListener::bind(folder.path().join(".s.PGSQL.5432")).unwrap();
        std::thread::spawn(move || {
            for mut socket in listener.incoming().flatten() {
                let answer = answer.clone();
                std::thread::spawn(move || -> std::io::Result<()> {
                    let_in(&mut socket)?;
                    loop {
                        question(&mut socket)?;
                        socket.write_all(&answer)?;
                    }
                });
            }
        });
        Crowd { folder }
    }

    /// How to connect.
    pub fn info(&self) -> Conninfo {
        info(&self.folder)
    }
}

fn info(folder: &TempDir) -> Conninfo {
    Conninfo::new()
        .with("host", folder.path().to_str().unwrap())
        .with("port", "5432")
        .with("user", "somebody")
        .with("dbname", "somewhere")
}

fn let_in(socket: &mut UnixStream) -> std::io::Result<()> {
    let _ = socket.read(&mut [0; 65_536])?;
    socket.write_all(&[message(b'R', &[0; 4]), ready(b'I')].concat())
}

/// Messages up to one that is to be answered: a query, a sync, the end of a COPY.
fn question(socket: &mut UnixStream) -> std::io::Result<String> {
    let mut question = Vec::new();
    loop {
        let mut header = [0; 5];
        socket.read_exact(&mut header)?;
        let [tag, length @ ..] = header;
        let mut body = vec![0; u32::from_be_bytes(length) as usize - 4];
        socket.read_exact(&mut body)?;
        question.extend_from_slice(&header);
        question.extend_from_slice(&body);
        if b"QScf".contains(&tag) {
            return Ok(String::from_utf8_lossy(&question).into_owned());
        }
    }
}

fn message(tag: u8, body: &[u8]) -> Vec<u8> {
    let length = (body.len() as u32 + 4).to_be_bytes();
    [&[tag], &length[..], body].concat()
}

/// The server waits for a statement: idle, within a block, within a failed one.
pub fn ready(status: u8) -> Vec<u8> {
    message(b'Z', &[status])
}

/// Columns of texts, and the only row.
pub fn row(names: &[&str], values: &[Option<&str>]) -> Vec<u8> {
    let mut columns = (names.len() as u16).to_be_bytes().to_vec();
    for name in names {
        columns.extend_from_slice(name.as_bytes());
        columns.push(0);
        // Of no table, of type text, as text.
        columns.extend_from_slice(&[
            0, 0, 0, 0, 0, 0, 0, 0, 0, 25, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
        ]);
        columns.extend_from_slice(&[0, 0]);
    }
    let mut row = (values.len() as u16).to_be_bytes().to_vec();
    for value in values {
        match value {
            None => row.extend_from_slice(&(-1_i32).to_be_bytes()),
            Some(value) => {
                row.extend_from_slice(&(value.len() as u32).to_be_bytes());
                row.extend_from_slice(value.as_bytes());
            }
        }
    }
    [message(b'T', &columns), message(b'D', &row)].concat()
}

/// A statement has ended.
pub fn complete(tag: &str) -> Vec<u8> {
    message(b'C', format!("{tag}\0").as_bytes())
}

/// A statement was parsed; its values were taken; its rows have no columns.
pub fn parsed() -> Vec<u8> {
    message(b'1', &[])
}

pub fn bound() -> Vec<u8> {
    message(b'2', &[])
}

pub fn no_rows() -> Vec<u8> {
    message(b'n', &[])
}

/// An error with this SQLSTATE.
pub fn error(sqlstate: &str) -> Vec<u8> {
    let fields = format!("SERROR\0VERROR\0C{sqlstate}\0Mwrong\0Dmore\0\0");
    message(b'E', fields.as_bytes())
}

/// The server asks for the rows of a COPY, or sends one.
pub fn copy_in() -> Vec<u8> {
    message(b'G', &[0, 0, 0])
}

pub fn copy_out() -> Vec<u8> {
    let done = message(b'c', &[]);
    [message(b'H', &[0, 0, 0]), message(b'd', b"1\n"), done].concat()
}
