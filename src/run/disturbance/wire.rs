//! A session over the server's Unix socket, for tasks that need a real connection: connecting itself, and the replication
//! protocol. The server's answers are discarded.

use crate::pg::encoding::encode;
use crate::pg::error::SqlError;
use crate::pg::session::setting;
use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::Duration;

/// How long a read may take before the caller is asked whether to go on.
const LOOK: Duration = Duration::from_millis(50);
/// Version 3.0 of the protocol.
const PROTOCOL: i32 = 196_608;
/// Of the messages that are looked at, no part is longer.
const LONGEST: usize = 1 << 16;

/// Who connects.
#[derive(Debug, Clone)]
pub struct Identity {
    pub role: String,
    pub database: String,
    pub application_name: String,
}

/// A session that is ready for a command.
pub struct Connection {
    stream: UnixStream,
    /// The process of the server that serves it.
    pub pid: i32,
}

/// Why a connection or a command ended.
#[derive(Debug)]
pub enum WireError {
    /// The caller did not go on.
    Stopped,
    Failed(SqlError),
}

impl From<SqlError> for WireError {
    fn from(error: SqlError) -> WireError {
        WireError::Failed(error)
    }
}

type Result<T> = std::result::Result<T, WireError>;

impl Connection {
    /// Connects. `replication`: as a backup program does. `goes_on` is asked while it waits.
    ///
    /// # Errors
    /// There is no socket, the server refuses, or it asks for a password.
    pub fn open(
        identity: &Identity,
        replication: bool,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<Connection> {
        let stream = UnixStream::connect(socket()?).map_err(|error| lost(&error))?;
        stream
            .set_read_timeout(Some(LOOK))
            .map_err(|error| lost(&error))?;
        let mut connection = Connection { stream, pid: 0 };
        let [role, name, database] = [
            &identity.role,
            &identity.application_name,
            &identity.database,
        ]
        .map(|text| encode(text));
        let mut options: Vec<(&str, &[u8])> = vec![("user", &role), ("application_name", &name)];
        match replication {
            true => options.push(("replication", b"true")),
            false => options.push(("database", &database)),
        }
        connection.send(&startup(&options))?;
        loop {
            let (kind, body) = connection.message(goes_on)?;
            match kind {
                b'R' if number(&body) != Some(0) => {
                    return Err(SqlError::new(
                        "28000",
                        "the server asks for a password: pg_hba.conf must let the role connect through the Unix socket without one",
                    )
                    .into());
                }
                b'E' => return Err(refusal(&body).into()),
                b'K' => connection.pid = number(&body).unwrap_or(0),
                b'Z' => return Ok(connection),
                _ => {}
            }
        }
    }

    /// Runs a command to its end.
    ///
    /// # Errors
    /// Its own, or the caller did not go on.
    pub fn run(&mut self, command: &str, goes_on: &mut dyn FnMut() -> bool) -> Result<()> {
        let mut body = command.as_bytes().to_vec();
        body.push(0);
        self.send(&framed(b'Q', &body))?;
        let mut failure = None;
        loop {
            let (kind, body) = self.message(goes_on)?;
            match kind {
                b'E' => failure = Some(refusal(&body)),
                b'Z' => break,
                _ => {}
            }
        }
        failure.map_or(Ok(()), |error| Err(error.into()))
    }

    /// Says good-bye.
    pub fn close(mut self) {
        let _ = self.send(&framed(b'X', &[]));
    }

    fn send(&mut self, bytes: &[u8]) -> Result<()> {
        Ok(self.stream.write_all(bytes).map_err(|error| lost(&error))?)
    }

    /// The next message: its type, and what it begins with.
    fn message(&mut self, goes_on: &mut dyn FnMut() -> bool) -> Result<(u8, Vec<u8>)> {
        let mut head = [0; 5];
        self.fill(&mut head, goes_on)?;
        let [kind, length @ ..] = head;
        let mut left = (i32::from_be_bytes(length) as usize).saturating_sub(4);
        let mut body = vec![0; left.min(LONGEST)];
        self.fill(&mut body, goes_on)?;
        left -= body.len();
        let mut rest = vec![0; left.min(LONGEST)];
        while left > 0 {
            let part = left.min(rest.len());
            if let Some(part) = rest.get_mut(..part) {
                self.fill(part, goes_on)?;
            }
            left -= part;
        }
        Ok((kind, body))
    }

    fn fill(&mut self, mut buffer: &mut [u8], goes_on: &mut dyn FnMut() -> bool) -> Result<()> {
        while !buffer.is_empty() {
            match self.stream.read(buffer) {
                Ok(0) => {
                    let gone = SqlError::new("08006", "the server closed the connection");
                    return Err(gone.into());
                }
                Ok(count) => buffer = buffer.get_mut(count..).unwrap_or_default(),
                Err(error)
                    if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) =>
                {
                    if !goes_on() {
                        return Err(WireError::Stopped);
                    }
                }
                Err(error) => return Err(lost(&error).into()),
            }
        }
        Ok(())
    }
}

/// The server's own socket.
fn socket() -> Result<PathBuf> {
    let directories = setting::text("unix_socket_directories").unwrap_or_default();
    let directory = directories
        .split(',')
        .map(|name| name.trim().trim_matches('"'));
    let directory = directory
        .into_iter()
        .find(|name| !name.is_empty() && !name.starts_with('@'))
        .ok_or_else(|| {
            SqlError::new(
                "08001",
                "the server has no Unix socket in a folder (unix_socket_directories)",
            )
        })?;
    let port = setting::text("port").unwrap_or_default();
    Ok(PathBuf::from(directory).join(format!(".s.PGSQL.{port}")))
}

fn lost(error: &std::io::Error) -> SqlError {
    SqlError::new("08006", &format!("the server's socket: {error}"))
}

/// The first message of a session.
fn startup(options: &[(&str, &[u8])]) -> Vec<u8> {
    let mut body = PROTOCOL.to_be_bytes().to_vec();
    for (name, value) in options {
        for text in [name.as_bytes(), value] {
            body.extend(text);
            body.push(0);
        }
    }
    body.push(0);
    let mut message = (body.len() as i32 + 4).to_be_bytes().to_vec();
    message.extend(body);
    message
}

/// A message of a type.
fn framed(kind: u8, body: &[u8]) -> Vec<u8> {
    let mut message = vec![kind];
    message.extend((body.len() as i32 + 4).to_be_bytes());
    message.extend(body);
    message
}

fn number(body: &[u8]) -> Option<i32> {
    let bytes = body.get(..4)?.try_into().ok()?;
    Some(i32::from_be_bytes(bytes))
}

/// SQLSTATE and message of an ErrorResponse.
fn refusal(body: &[u8]) -> SqlError {
    let field = |kind: u8| {
        let mut fields = body.split(|&byte| byte == 0);
        let found = fields.find_map(|field| field.strip_prefix(&[kind]));
        String::from_utf8_lossy(found.unwrap_or_default()).into_owned()
    };
    SqlError::new(&field(b'C'), &field(b'M'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_have_their_length() {
        assert_eq!(framed(b'X', &[]), [b'X', 0, 0, 0, 4]);
        let message = startup(&[("user", b"a")]);
        assert_eq!(message.len(), 4 + 4 + 5 + 2 + 1);
        assert_eq!(number(&message), Some(message.len() as i32));
    }

    #[test]
    fn an_error_has_its_sqlstate() {
        let error = refusal(b"SFATAL\0VFATAL\0C53300\0Mtoo many clients\0\0");
        assert_eq!(
            (error.sqlstate.as_str(), error.message.as_str()),
            ("53300", "too many clients")
        );
    }
}
