//! What the kernel counted for statements, from pg_stat_kcache where it is installed: CPU time, and what was read and written for them.
//!
//! Columns are read by name, since they differ by version. It counts, is reset and forgets for itself.

use super::{Counted, KEYS, arguments};
use crate::collect::optional;
use crate::collect::rows::{self, Row};
use crate::collect::sample::parts::Parts;
use crate::error::Result;
use serde_json::Value;
use std::collections::HashMap;

pub const KERNEL: &str = "pg_stat_kcache";

/// Columns by statement.
#[derive(Default)]
pub struct Usage {
    by_place: HashMap<usize, Row>,
    together: Row,
    /// Why it cannot be read although the extension is installed.
    pub note: Option<String>,
}

impl Usage {
    /// Adds the columns of the statement at that place.
    pub fn add_to(&mut self, place: usize, row: &mut Row) {
        row.extend(self.by_place.remove(&place).unwrap_or_default());
    }

    /// Adds those of all statements.
    pub fn add_together(&mut self, rows: &mut [Row]) {
        for row in rows {
            row.extend(std::mem::take(&mut self.together));
        }
    }
}

/// That of the statements at some places.
pub fn read(
    node: &str,
    counted: &Counted,
    places: &[usize],
    parts: &mut dyn Parts,
) -> Result<Usage> {
    let read = parts.part(|| {
        optional::read(KERNEL, |schema| {
            rows::select(&usage_sql(schema), &arguments(node, counted, places))
        })
    })?;
    let (rows, note) = read.split();
    let mut usage = Usage {
        note,
        ..Usage::default()
    };
    for mut row in rows.into_iter().flatten() {
        match row.remove("place").as_ref().and_then(Value::as_u64) {
            Some(place) => usage.by_place.entry(place as usize).or_default(),
            None => &mut usage.together,
        }
        .extend(row);
    }
    Ok(usage)
}

/// The statements of [`arguments`], each with its `place`, and one row without: all statements together. One pass over all that
/// pg_stat_kcache has; times in milliseconds, as all of the history of statements. What nested statements use, those that call them use
/// as well: that of all together is of top-level ones. Utility statements have none.
fn usage_sql(schema: &str) -> String {
    format!(
        "WITH u AS MATERIALIZED ({}) \
         SELECT k.place, u.exec_user_time, u.exec_system_time, u.exec_reads, u.exec_writes FROM {KEYS} \
         JOIN u ON u.queryid = k.queryid AND u.userid = k.userid::pg_catalog.oid AND u.dbid = k.dbid::pg_catalog.oid AND u.top = k.toplevel \
         UNION ALL SELECT NULL, pg_catalog.sum(u.exec_user_time), pg_catalog.sum(u.exec_system_time), pg_catalog.sum(u.exec_reads), \
             pg_catalog.sum(u.exec_writes) FROM u WHERE u.top",
        kernel_sql(schema),
    )
}

fn kernel_sql(schema: &str) -> String {
    format!(
        "SELECT n.queryid, n.userid, n.dbid, n.top, 1000 * n.exec_user_time AS exec_user_time, 1000 * n.exec_system_time AS exec_system_time, \
                n.exec_reads, n.exec_writes FROM {schema}.pg_stat_kcache() n"
    )
}

/// A row of pg_stat_kcache, which says whether it can be read.
pub fn probe_sql(schema: &str) -> String {
    format!("{} LIMIT 1", kernel_sql(schema))
}
