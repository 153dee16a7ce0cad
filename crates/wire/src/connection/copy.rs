//! Rows for a table: COPY from the client.

use super::{Connection, c_text, cancelled};
use crate::ffi::Answer;
use crate::wait::Wait;
use engine::SqlError;

impl<W: Wait> Connection<W> {
    /// Begins a `COPY … FROM STDIN`. Then come its bytes, and [`Connection::end_copy`] or [`Connection::abort_copy`].
    ///
    /// # Errors
    /// The server's, or that of the connection; the statement is no such COPY.
    pub fn begin_copy(&mut self, statement: &str) -> Result<(), SqlError> {
        let text = c_text(statement)?;
        self.send(|raw| raw.send_query(&text))?;
        let first = self.next()?;
        let answer = first.as_ref().map(|first| first.answer());
        if answer == Some(Answer::CopyIn) {
            self.copying = true;
            return Ok(());
        }
        let error = first.filter(|_| answer == Some(Answer::Error));
        let others = self.collect(drop);
        match error {
            Some(first) => Err(first.error()),
            None => others.and(Err(SqlError::new("0A000", "the statement takes no rows"))),
        }
    }

    /// Sends bytes, and waits until the socket has taken them. An error of the server comes with the end of the COPY.
    ///
    /// # Errors
    /// Somebody wants the COPY to be cancelled, which has ended it; that of the connection.
    pub fn copy(&mut self, bytes: &[u8]) -> Result<(), SqlError> {
        self.queue(|raw| raw.copy(bytes))?;
        self.flush()?;
        while self.unsent && !self.cancelled {
            self.advance()?;
        }
        if self.cancelled {
            // A server that waits for rows notices no cancel.
            return Err(self.abort_copy());
        }
        Ok(())
    }

    /// Ends the COPY; how many rows the server has taken.
    ///
    /// # Errors
    /// The server's, or that of the connection.
    pub fn end_copy(&mut self) -> Result<u64, SqlError> {
        self.queue(|raw| raw.end_copy())?;
        self.copying = false;
        self.unsent = true;
        self.flush()?;
        let mut rows = 0;
        self.collect(|result| rows = result.processed())?;
        Ok(rows)
    }

    /// Gives the COPY up. The error by which it has ended: the server may have had one of its own before.
    pub fn abort_copy(&mut self) -> SqlError {
        let ended = self.queue(|raw| raw.refuse_copy(c"canceled"));
        self.copying = false;
        self.unsent = true;
        let ended = ended.and_then(|()| self.flush());
        let ended = ended.and_then(|()| self.collect(drop));
        ended
            .err()
            .unwrap_or_else(|| cancelled("the COPY was canceled"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::{Server, complete, copy_in, error, ready};
    use crate::wait::Waker;
    use std::io::{Read, Write};
    use std::os::unix::net::UnixListener;
    use std::sync::Arc;
    use std::time::Duration;

    const LONG: Duration = Duration::from_secs(3600);

    fn open(server: &Server) -> Connection<Arc<Waker>> {
        let waker = Arc::new(Waker::new().unwrap());
        Connection::open(&server.info(), waker, LONG).unwrap()
    }

    #[test]
    fn rows_are_sent_and_counted() {
        let done = [complete("COPY 2"), ready(b'I')].concat();
        let selected = [complete("SELECT 1"), ready(b'I')].concat();
        let server = Server::new(vec![copy_in(), done, selected]);
        let mut connection = open(&server);
        connection.begin_copy("COPY t FROM STDIN").unwrap();
        connection.copy(b"one\n").unwrap();
        connection.copy(b"two\n").unwrap();
        assert_eq!(connection.end_copy(), Ok(2));
        assert_eq!(connection.execute("SELECT 1"), Ok(1));
        drop(connection);
        let asked = server.asked();
        assert!(asked[0].contains("COPY t FROM STDIN"));
        assert!(asked[1].contains("one\n") && asked[1].contains("two\n"));
    }

    /// Before the first row, instead of a COPY, and while rows are sent.
    #[test]
    fn the_error_is_that_of_the_server() {
        let failed = |sqlstate| [error(sqlstate), ready(b'I')].concat();
        let server = Server::new(vec![
            failed("42P01"),
            [complete("SELECT 1"), ready(b'I')].concat(),
            [copy_in(), failed("53100")].concat(),
            Vec::new(),
            [copy_in(), failed("22P04")].concat(),
            Vec::new(),
        ]);
        let mut connection = open(&server);
        let begun = connection.begin_copy("COPY t FROM STDIN");
        assert_eq!(begun.unwrap_err().sqlstate, "42P01");
        let begun = connection.begin_copy("SELECT 1");
        assert_eq!(begun.unwrap_err().sqlstate, "0A000");
        connection.begin_copy("COPY t FROM STDIN").unwrap();
        connection.copy(b"one\n").unwrap();
        assert_eq!(connection.end_copy().unwrap_err().sqlstate, "53100");
        connection.begin_copy("COPY t FROM STDIN").unwrap();
        assert_eq!(connection.abort_copy().sqlstate, "22P04");
        assert!(connection.is_usable());
    }

    /// A server that reads no rows, and may say something before it goes away.
    fn stuck(
        says: Option<&'static [u8]>,
    ) -> (tempfile::TempDir, Connection<Arc<Waker>>, Arc<Waker>) {
        let folder = tempfile::tempdir().unwrap();
        let listener = UnixListener::bind(folder.path().join(".s.PGSQL.5432")).unwrap();
        std::thread::spawn(move || {
            let (mut socket, _) = listener.accept().unwrap();
            let _ = socket.read(&mut [0; 1024]).unwrap();
            let welcome = b"R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I";
            socket.write_all(welcome).unwrap();
            let _ = socket.read(&mut [0; 1024]).unwrap();
            socket.write_all(&copy_in()).unwrap();
            match says {
                Some(fields) => {
                    let length = (fields.len() as u32 + 4).to_be_bytes();
                    let farewell = [b"E", &length[..], fields].concat();
                    socket.write_all(&farewell).unwrap();
                }
                // Until the client has gone.
                None => while listener.accept().is_ok() {},
            }
        });
        let waker = Arc::new(Waker::new().unwrap());
        let info = crate::Conninfo::new()
            .with("host", folder.path().to_str().unwrap())
            .with("port", "5432");
        let mut connection = Connection::open(&info, Arc::clone(&waker), LONG).unwrap();
        connection.begin_copy("COPY t FROM STDIN").unwrap();
        (folder, connection, waker)
    }

    /// Sends until that fails.
    fn flood(connection: &mut Connection<Arc<Waker>>) -> SqlError {
        let rows = [b'x'; 65_536];
        for _ in 0..1_000 {
            if let Err(error) = connection.copy(&rows) {
                return error;
            }
        }
        connection.end_copy().unwrap_err()
    }

    #[test]
    fn a_server_that_takes_no_rows_is_given_up_after_a_cancel() {
        let (_folder, mut connection, waker) = stuck(None);
        let later = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(50));
            waker.cancel();
        });
        let error = flood(&mut connection);
        later.join().unwrap();
        assert_eq!(error.sqlstate, "57014");
        assert!(error.message.contains("did not react"), "{}", error.message);
        assert!(!connection.is_usable());
    }

    #[test]
    fn what_the_server_says_before_it_goes_away_is_the_error() {
        let farewell = b"SFATAL\0VFATAL\0C57P01\0Mterminated\0\0";
        let (_folder, mut connection, _waker) = stuck(Some(farewell));
        let error = flood(&mut connection);
        assert_eq!(
            (error.sqlstate.as_str(), error.message.as_str()),
            ("57P01", "terminated")
        );
        assert!(!connection.is_usable());
    }
}
