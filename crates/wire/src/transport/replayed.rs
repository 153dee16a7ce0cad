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
