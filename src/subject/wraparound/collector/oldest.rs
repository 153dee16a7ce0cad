//! The relations with the oldest relfrozenxid and those with the oldest relminmxid (often the same), among all relations and
//! among user tables. Catalogs are rarely vacuumed by hand, so they are often older. A relation whose access method uses
//! neither (0) has no age.
//!
//! All of pg_class is read, in parts. So this is not done at every tick.

use super::{Expected, Next};
use crate::collect::of_target::Dialect;
use crate::collect::sample::parts::Parts;
use crate::collect::walk::{SLICE, walk};
use crate::error::Result;
use crate::pg::catalog::names;
use crate::pg::server;
use serde::Deserialize;
use serde_json::{Value, json};
use std::cmp::Reverse;

/// The number stored of each order.
const OLDEST: usize = 10;

/// The result of a part: the oldest of its relations, by each of the orders.
#[derive(Deserialize)]
struct OldestOfPart {
    oldest: Vec<AgedRelation>,
}

#[derive(Debug, Clone, Deserialize)]
struct AgedRelation {
    oid: u32,
    schema_name: String,
    relation_name: String,
    xid_age: Option<i64>,
    mxid_age: Option<i64>,
    /// Neither of the server nor of pgperf, nor a TOAST table.
    is_users: bool,
}

/// Rows of `wraparound_history`, for a sample taken when these ids came next.
pub fn relations(next: Next, parts: &mut dyn Parts) -> Result<Vec<Value>> {
    let mut found = Vec::new();
    walk(
        parts,
        &sql(SLICE, &Dialect::HERE),
        Vec::new,
        |part: OldestOfPart| {
            found.extend(part.oldest);
            found = oldest(std::mem::take(&mut found));
        },
    )?;
    let database = parts.part(|| Ok(names::database_name(u32::from(server::database()))))?;
    let row = |relation: &AgedRelation| {
        json!({
            "database_name": database,
            "schema_name": relation.schema_name,
            "relation_name": relation.relation_name,
            "next_xid": next.xid.to_string(),
            "frozen_xid_age": relation.xid_age,
            "next_multixid": next.multixid,
            "multixact_age": relation.mxid_age,
        })
    };
    Ok(found.iter().map(row).collect())
}

/// Those that are among the oldest by one of the orders.
fn oldest(mut relations: Vec<AgedRelation>) -> Vec<AgedRelation> {
    let mut kept: Vec<AgedRelation> = Vec::new();
    for users_only in [false, true] {
        for by_xid in [true, false] {
            let age = |relation: &AgedRelation| match by_xid {
                true => (relation.xid_age, relation.mxid_age),
                false => (relation.mxid_age, relation.xid_age),
            };
            relations.sort_by_key(|relation| (Reverse(age(relation)), relation.oid));
            let such = |relation: &&AgedRelation| {
                age(relation).0.is_some() && (relation.is_users || !users_only)
            };
            for relation in relations.iter().filter(such).take(OLDEST) {
                if kept.iter().all(|known| known.oid != relation.oid) {
                    kept.push(relation.clone());
                }
            }
        }
    }
    kept
}

/// The same of a target, in one statement: as rows of `wraparound_history`.
pub fn of_target(server: &Dialect, expected: &Expected) -> String {
    let Expected { xid, multixid, .. } = expected;
    // Before 12 an oid is in no list of all columns.
    let slice = "SELECT s.oid, s.relname, s.relnamespace, s.relkind, s.relfrozenxid, s.relminmxid FROM pg_catalog.pg_class s";
    let all = sql(slice, server);
    format!(
        "SELECT pg_catalog.current_database() AS database_name, a.schema_name, a.relation_name, {xid} AS next_xid, a.xid_age AS frozen_xid_age, \
                {multixid} AS next_multixid, a.mxid_age AS multixact_age \
         FROM ({all}) f, pg_catalog.jsonb_to_recordset(f.oldest) AS a(schema_name pg_catalog.text, relation_name pg_catalog.text, \
              xid_age pg_catalog.int8, mxid_age pg_catalog.int8)"
    )
}

/// Of the relations that `slice` selects.
fn sql(slice: &str, server: &Dialect) -> String {
    let such = |which: &str, first: &str, second: &str| {
        format!(
            "(SELECT a.oid FROM aged a WHERE {which} AND a.{first} IS NOT NULL \
              ORDER BY a.{first} DESC, a.{second} DESC NULLS LAST, a.oid LIMIT {OLDEST})"
        )
    };
    let picked = [
        such("true", "xid_age", "mxid_age"),
        such("true", "mxid_age", "xid_age"),
        such("a.is_users", "xid_age", "mxid_age"),
        such("a.is_users", "mxid_age", "xid_age"),
    ]
    .join(" UNION ");
    let materialized = server.since(12, "MATERIALIZED", "");
    format!(
        "WITH slice AS {materialized} ({slice}), \
         aged AS {materialized} (\
            SELECT r.oid, n.nspname AS schema_name, r.relname AS relation_name, \
                   pg_catalog.age(NULLIF(r.relfrozenxid, '0')) AS xid_age, \
                   pg_catalog.mxid_age(NULLIF(r.relminmxid, '0')) AS mxid_age, \
                   r.relkind <> 't' AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pgperf', 'pgperf_internal') AS is_users \
            FROM slice r JOIN pg_catalog.pg_namespace n ON n.oid = r.relnamespace \
            WHERE r.relkind IN ('r', 't', 'm')) \
         SELECT (SELECT pg_catalog.max(s.oid)::pg_catalog.int8 FROM slice s) AS last, \
                (SELECT COALESCE(pg_catalog.jsonb_agg(a), '[]') FROM \
                    (SELECT a.oid::pg_catalog.int8, a.schema_name, a.relation_name, a.xid_age, a.mxid_age, a.is_users \
                     FROM aged a WHERE a.oid IN ({picked})) a) AS oldest"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_of_each_order_are_kept() {
        let relation = |oid: u32, xid_age, mxid_age, is_users| AgedRelation {
            oid,
            schema_name: String::new(),
            relation_name: String::new(),
            xid_age,
            mxid_age,
            is_users,
        };
        // Catalogs are older than all of the user's; two have no age of one kind, one of none.
        let mut all: Vec<_> = (1..=30)
            .map(|n| relation(n, Some(1000 + i64::from(n)), Some(0), false))
            .collect();
        all.extend((31..=50).map(|n| relation(n, Some(i64::from(n)), Some(0), true)));
        all.push(relation(60, None, Some(7), true));
        all.push(relation(61, Some(5), None, true));
        all.push(relation(62, None, None, true));
        let mut kept: Vec<u32> = oldest(all).iter().map(|relation| relation.oid).collect();
        kept.sort_unstable();
        // By multixact age 60 comes first, then the catalogs again; of the user's 60 and those that are oldest by xid.
        let expected: Vec<u32> = (21..=30).chain(41..=50).chain([60]).collect();
        assert_eq!(kept, expected);
    }
}
