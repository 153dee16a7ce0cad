//! The position where the next call continues: the relations that a call did not reach, in order.
//!
//! To decide which relations are due, the whole catalog has to be read, which takes a second for 80,000 relations. So it is
//! done once per round, and the calls of the round share the list.

use super::{COLLECTOR, MAX_RELATIONS, Method, relations};
use crate::collect::error::CollectorFailed;
use crate::collect::sample::parts::Parts;
use crate::error::{Result, sqlstate_code};
use crate::pg::process::lock::try_lock_bloat_cursor;
use crate::pg::sql::spi;
use crate::pg::sql::subxact::subtransaction;
use pgrx::pg_sys;
use serde::Deserialize;

/// The relations that are due in this call.
pub struct Cursor {
    node_id: String,
    tables_only: bool,
    /// The whole round if this call begins it, otherwise the relations that this call may reach.
    due: Vec<pg_sys::Oid>,
    /// How many were left when the call began.
    left: usize,
    /// None: this call begins the round.
    resumed: Option<Position>,
}

/// Position of a stored round when the call began: if another session moved it meanwhile, that session's position stands.
#[derive(Clone, Copy)]
struct Position {
    next: i32,
    length: i32,
}

impl Cursor {
    /// Continues the round, or begins one.
    pub fn resume(node_id: &str, method: Method, parts: &mut dyn Parts) -> Result<Cursor> {
        #[derive(Deserialize)]
        struct StoredCursor {
            due: Vec<u32>,
            next: i32,
            length: i32,
            remaining: usize,
        }
        let tables_only = method == Method::Approx;
        const STORED: &str = "SELECT relations[next + 1 : next + $3]::pg_catalog.int8[] AS due, \
                    next, pg_catalog.cardinality(relations) AS length, \
                    GREATEST(pg_catalog.cardinality(relations) - next, 0) AS remaining \
             FROM pgperf_internal.bloat_cursor \
             WHERE node_id = $1::pg_catalog.uuid AND tables_only = $2";
        let stored: Option<StoredCursor> = parts.part(|| {
            spi::select_one(
                STORED,
                &[node_id.into(), tables_only.into(), MAX_RELATIONS.into()],
            )
        })?;
        let resumed = stored.as_ref().map(|stored| Position {
            next: stored.next,
            length: stored.length,
        });
        let (due, left) = match stored {
            Some(stored) => (
                stored.due.into_iter().map(pg_sys::Oid::from).collect(),
                stored.remaining,
            ),
            None => {
                let all = relations::stalest(node_id, method, parts)?;
                let left = all.len();
                (all, left)
            }
        };
        Ok(Cursor {
            node_id: node_id.to_owned(),
            tables_only,
            due,
            left,
            resumed,
        })
    }

    /// The relations that this call may reach.
    pub fn due(&self) -> &[pg_sys::Oid] {
        let most = self.due.len().min(MAX_RELATIONS as usize);
        self.due.get(..most).unwrap_or_default()
    }

    pub fn left(&self) -> usize {
        self.left
    }

    /// Stores that the first `visited` are done, in a subtransaction of its own: measurements are kept even if
    /// another session does the same at this moment. Then one of the two prevails, and some relations are measured
    /// twice.
    pub fn advance(self, visited: usize) -> Result<()> {
        match subtransaction(|| self.store(visited)) {
            Ok(result) => result,
            Err(caught) if matches!(caught.sqlstate.as_str(), "55P03" | "40001") => Ok(()),
            Err(caught) => Err(CollectorFailed {
                collector: COLLECTOR.name,
                sqlstate: sqlstate_code(&caught.sqlstate),
                reason: caught.message,
            }
            .into()),
        }
    }

    fn store(self, visited: usize) -> Result<()> {
        // The session that is moving it may take hours to commit.
        if !try_lock_bloat_cursor(self.tables_only) {
            return Ok(());
        }
        let done = visited >= self.left;
        let visited = i32::try_from(visited).unwrap_or(i32::MAX);
        let [node_id, tables_only] = [self.node_id.as_str().into(), self.tables_only.into()];
        match self.resumed {
            Some(Position { next, length }) if done => spi::execute(
                &format!("DELETE FROM pgperf_internal.bloat_cursor WHERE {UNMOVED}"),
                &[node_id, tables_only, next.into(), length.into()],
            ),
            Some(Position { next, length }) => spi::execute(
                &format!(
                    "UPDATE pgperf_internal.bloat_cursor SET next = next + $5 WHERE {UNMOVED}"
                ),
                &[
                    node_id,
                    tables_only,
                    next.into(),
                    length.into(),
                    visited.into(),
                ],
            ),
            None if done => return Ok(()),
            None => spi::execute(
                "INSERT INTO pgperf_internal.bloat_cursor (node_id, tables_only, relations, next) \
                 VALUES ($1::pg_catalog.uuid, $2, $4, $3) ON CONFLICT DO NOTHING",
                &[node_id, tables_only, visited.into(), self.due.into()],
            ),
        }?;
        Ok(())
    }
}

/// The stored round, if it is where it was ($3 of $4).
const UNMOVED: &str = "node_id = $1::pg_catalog.uuid AND tables_only = $2 \
     AND next = $3 AND pg_catalog.cardinality(relations) = $4";
