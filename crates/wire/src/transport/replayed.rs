//! A connection as a session of a replay.

use super::{Prepared, Wire};
use crate::wait::Wait;
use engine::{Completion, SqlError};
use replay::Connected;
use script::Value;

/// Whether the session is among those for which a process waits, or for which one of these waits, and so on.
const BLOCKS: &str = "WITH RECURSIVE blocking(pid) AS (\
        SELECT pid FROM pg_catalog.unnest(pg_catalog.pg_blocking_pids($1::pg_catalog.int4)) pid \
         UNION SELECT further FROM blocking b, pg_catalog.unnest(pg_catalog.pg_blocking_pids(b.pid)) further) \
    SELECT 1 FROM blocking b WHERE b.pid OPERATOR(pg_catalog.=) pg_catalog.pg_backend_pid()";

impl<W: Wait> Connected for Wire<W> {
    fn pid(&self) -> i32 {
        self.connection.backend_pid()
    }

    fn blocks(&mut self, pid: i32) -> bool {
        let found = self.connection.query(BLOCKS, &[Some(&pid.to_string())]);
        found.is_ok_and(|rows| rows.rows() > 0)
    }

    fn prepare_typed(&mut self, text: &str, types: &[u32]) -> Result<Prepared, SqlError> {
        self.prepare_as(text, types)
    }

    fn execute_typed<'v>(
        &mut self,
        text: &str,
        types: &[u32],
        values: impl Iterator<Item = Option<&'v Value>>,
    ) -> Result<Completion, SqlError> {
        self.execute_as(text, types, values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connection::Connection;
    use crate::fake::{Server, bound, complete, error, no_rows, parsed, ready, row};
    use crate::wait::Waker;
    use std::sync::Arc;
    use std::time::Duration;

    #[test]
    fn types_are_sent_and_the_server_knows_who_waits() {
        let done = || [bound(), no_rows(), complete("SELECT 1")].concat();
        let rows =
            |rows: Vec<u8>| [parsed(), bound(), rows, complete("SELECT 1"), ready(b'I')].concat();
        let server = Server::new(vec![
            [parsed(), ready(b'I')].concat(),
            [parsed(), done(), ready(b'I')].concat(),
            rows(row(&["?column?"], &[Some("1")])),
            [
                parsed(),
                bound(),
                no_rows(),
                complete("SELECT 0"),
                ready(b'I'),
            ]
            .concat(),
            [error("42883"), ready(b'I')].concat(),
        ]);
        let waker = Arc::new(Waker::new().unwrap());
        let within = Duration::from_secs(3600);
        let connection = Connection::open(&server.info(), waker, within).unwrap();
        let mut wire = Wire::new(connection);
        wire.prepare_typed("SELECT $1, $2", &[23, 0]).unwrap();
        let value = Value::Int(7);
        let done = wire.execute_typed("SELECT $1", &[20], [Some(&value)].into_iter());
        assert_eq!(done.unwrap().processed, 1);
        assert!(wire.blocks(4711));
        assert!(!wire.blocks(4712));
        // A server that does not know.
        assert!(!wire.blocks(4713));
        drop(wire);
        let asked = server.asked();
        assert!(asked[0].contains("SELECT $1, $2\0\0\u{2}\0\0\0\u{17}\0\0\0\0"));
        assert!(asked[1].contains("SELECT $1\0\0\u{1}\0\0\0\u{14}"));
        assert!(asked[2].contains("pg_blocking_pids") && asked[2].contains("4711"));
    }
}
