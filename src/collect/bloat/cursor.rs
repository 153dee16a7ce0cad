//! Where the next call goes on: the relations that a call could not come to, in their order.
//!
//! Deciding what is due means to look at the whole catalog, a second for 80,000 relations. So it is done once a
//! round, and the calls of the round share the list.

use super::{MAX_RELATIONS, Method, relations};
use crate::error::Result;
use crate::pg::spi;
use pgrx::pg_sys;
use serde::Deserialize;

/// The relations that are due in this call.
pub struct Cursor {
    node_id: String,
    tables_only: bool,
    /// The whole round if this call begins it, else what this call may come to.
    due: Vec<pg_sys::Oid>,
    /// How many were left when the call began.
    left: usize,
    resumed: bool,
}

impl Cursor {
    /// Goes on with the round, or begins one.
    pub fn resume(node_id: &str, method: Method) -> Result<Cursor> {
        #[derive(Deserialize)]
        struct Stored {
            due: Vec<u32>,
            remaining: usize,
        }
        let tables_only = method == Method::Approx;
        let stored: Option<Stored> = spi::select_one(
            "SELECT relations[next + 1 : next + $3]::pg_catalog.int8[] AS due, \
                    pg_catalog.cardinality(relations) - next AS remaining \
             FROM pgperf.bloat_cursor \
             WHERE node_id = $1::pg_catalog.uuid AND tables_only = $2",
            &[node_id.into(), tables_only.into(), MAX_RELATIONS.into()],
        )?;
        let resumed = stored.is_some();
        let (due, left) = match stored {
            Some(stored) => (
                stored.due.into_iter().map(pg_sys::Oid::from).collect(),
                stored.remaining,
            ),
            None => {
                let all = relations::stalest(node_id, method)?;
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

    /// What this call may come to.
    pub fn due(&self) -> &[pg_sys::Oid] {
        let most = self.due.len().min(MAX_RELATIONS as usize);
        self.due.get(..most).unwrap_or_default()
    }

    pub fn left(&self) -> usize {
        self.left
    }

    /// Stores that the first `visited` are done. If another session does the same at this moment, one of
    /// the two prevails, and some relations are measured twice.
    pub fn advance(self, visited: usize) -> Result<()> {
        let key = [self.node_id.as_str().into(), self.tables_only.into()];
        if visited >= self.left {
            if self.resumed {
                spi::execute(
                    "DELETE FROM pgperf.bloat_cursor WHERE ctid = (SELECT ctid FROM pgperf.bloat_cursor \
                     WHERE node_id = $1::pg_catalog.uuid AND tables_only = $2 FOR UPDATE SKIP LOCKED)",
                    &key,
                )?;
            }
            return Ok(());
        }
        let visited = i32::try_from(visited).unwrap_or(i32::MAX);
        let [node_id, tables_only] = key;
        if self.resumed {
            spi::execute(
                "UPDATE pgperf.bloat_cursor SET next = next + $3 \
                 WHERE ctid = (SELECT ctid FROM pgperf.bloat_cursor \
                 WHERE node_id = $1::pg_catalog.uuid AND tables_only = $2 FOR UPDATE SKIP LOCKED)",
                &[node_id, tables_only, visited.into()],
            )?;
        } else {
            spi::execute(
                "INSERT INTO pgperf.bloat_cursor (node_id, tables_only, relations, next) \
                 VALUES ($1::pg_catalog.uuid, $2, $4, $3) ON CONFLICT DO NOTHING",
                &[node_id, tables_only, visited.into(), self.due.into()],
            )?;
        }
        Ok(())
    }
}
