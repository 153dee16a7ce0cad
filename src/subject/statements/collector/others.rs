//! What other extensions know of statements, where they are installed: CPU time and what the kernel read and wrote for them, from
//! pg_stat_kcache, and how long they waited, from pg_wait_sampling.
//!
//! Columns are read by name, since they differ by version. Each of them counts, is reset and forgets for itself.

use super::{Counted, KEYS, arguments};
use crate::collect::optional;
use crate::collect::rows::{self, Row};
use crate::collect::sample::parts::Parts;
use crate::error::Result;
use serde_json::Value;
use std::collections::HashMap;

pub const KERNEL: &str = "pg_stat_kcache";
pub const WAITS: &str = "pg_wait_sampling";

/// An extension with columns for the history of statements.
struct Other {
    extension: &'static str,
    /// It tells statements apart by their queryid alone.
    by_queryid: bool,
    /// The statements of [`arguments`], each with its `place`, and one row without: all statements together.
    sql: fn(&str) -> String,
}

const OTHERS: [Other; 2] = [
    Other {
        extension: KERNEL,
        by_queryid: false,
        sql: usage_sql,
    },
    Other {
        extension: WAITS,
        by_queryid: true,
        sql: waits_sql,
    },
];

/// Columns by statement.
#[derive(Default)]
pub struct Known {
    by_place: HashMap<usize, Row>,
    together: Row,
    /// Why something cannot be read although its extension is installed.
    pub note: Option<String>,
}

impl Known {
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

/// What is known of the statements at some places.
pub fn read(
    node: &str,
    counted: &Counted,
    places: &[usize],
    parts: &mut dyn Parts,
) -> Result<Known> {
    let mut known = Known::default();
    let mut reasons = Vec::new();
    for other in &OTHERS {
        let places = match other.by_queryid {
            true => unambiguous(counted, places),
            false => places.to_vec(),
        };
        let read = parts.part(|| {
            optional::read(other.extension, |schema| {
                rows::select(&(other.sql)(schema), &arguments(node, counted, &places))
            })
        })?;
        let (rows, reason) = read.split();
        for mut row in rows.into_iter().flatten() {
            let place = row.remove("place").as_ref().and_then(Value::as_u64);
            match place {
                Some(place) => known.by_place.entry(place as usize).or_default(),
                None => &mut known.together,
            }
            .extend(row);
        }
        reasons.extend(reason);
    }
    known.note = (!reasons.is_empty()).then(|| reasons.join("; "));
    Ok(known)
}

/// The places of those statements whose queryid no other has, of another role or database.
fn unambiguous(counted: &Counted, places: &[usize]) -> Vec<usize> {
    let mut counts: HashMap<i64, usize> = HashMap::new();
    for &queryid in &counted.queryid {
        *counts.entry(queryid).or_default() += 1;
    }
    let is_one = |place: &usize| {
        let queryid = counted.queryid.get(*place);
        queryid.and_then(|queryid| counts.get(queryid)) == Some(&1)
    };
    places.iter().copied().filter(is_one).collect()
}

/// One pass over all that pg_stat_kcache has; times in milliseconds, as all of the history of statements. What nested statements use,
/// those that call them use as well: that of all together is of top-level ones. Utility statements have none.
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

/// A statement that the profile of pg_wait_sampling does not have never waited.
fn waits_sql(schema: &str) -> String {
    format!(
        "WITH w AS MATERIALIZED (\
             SELECT p.queryid, pg_catalog.sum(p.count) * pg_catalog.current_setting('pg_wait_sampling.profile_period')::pg_catalog.float8 AS wait_time \
             FROM {schema}.pg_wait_sampling_get_profile() p WHERE p.event_type IS NOT NULL AND p.queryid <> 0 GROUP BY p.queryid) \
         SELECT k.place, COALESCE(w.wait_time, 0) AS wait_time FROM {KEYS} LEFT JOIN w ON w.queryid = k.queryid \
         UNION ALL SELECT NULL, pg_catalog.sum(w.wait_time) FROM w"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queryid_of_two_roles_says_nothing_of_either() {
        let counted = Counted {
            queryid: vec![7, 8, 7, 9],
            ..Counted::default()
        };
        assert_eq!(unambiguous(&counted, &[0, 1, 3]), [1, 3]);
    }
}
