//! What shared_buffers holds: buffers by relation, fork and usage count, and the counters of their use.

use super::collector::{Collector, Cost, Reading, SERVER_MAJOR, Scope};
use crate::error::Result;
use crate::pg::buffers::{self, Census, Usage};
use crate::pg::{names, server, spi};
use pgrx::pg_sys;
use serde::Serialize;
use serde_json::Value;
use std::cmp::Reverse;
use std::collections::HashMap;

/// See the module.
pub const COLLECTOR: Collector = Collector {
    name: "buffers",
    cost: Cost::Medium,
    sample_interval_s: 60,
    every_interval: false,
    since_major: None,
    needs: None,
    history_tables: &["buffer_usage_history", "buffer_counter_history"],
    description: "buffers by relation, fork, usage count, dirty and pinned; hits, reads, writes, evictions",
    read,
};

/// So many files, those with the most buffers, have rows of their own, so that the history does not grow with the number of
/// relations: neither does the time that naming them takes.
const MAX_FILES: usize = 2_000;

fn read(_: &Scope) -> Result<Reading> {
    let mut census = buffers::census();
    let buffers = |usage: &Usage| usage.iter().map(|count| count.buffers).sum::<u64>();
    (census.forks).sort_by_cached_key(|(_, usage)| Reverse(buffers(usage)));
    let left_out = census.forks.len().saturating_sub(MAX_FILES);
    Ok(Reading {
        tables: vec![
            ("buffer_usage_history", rows(&census)?),
            (
                "buffer_counter_history",
                spi::select(&counters_sql(SERVER_MAJOR), &[])?,
            ),
        ],
        note: (left_out > 0).then(|| {
            format!("{left_out} files with fewer buffers than others are added up by database")
        }),
    })
}

/// What a row's buffers belong to. Files of other databases cannot be told apart from here.
#[derive(PartialEq, Eq, Hash, Clone, Copy)]
enum Owner {
    /// Of this database, or shared by all (database 0).
    Relation {
        database: u32,
        relation: pg_sys::Oid,
    },
    /// Another database's, or of this one's but dropped, not committed yet, or one of too many.
    Database(u32),
    Unknown,
}

/// A row of buffer_usage_history.
#[derive(Serialize)]
struct Row<'a> {
    database_name: Option<&'a str>,
    schema_name: Option<&'a str>,
    relation_name: Option<&'a str>,
    relation_kind: Option<&'static str>,
    fork: Option<&'static str>,
    usage_count: Option<usize>,
    buffers: u64,
    dirty: u64,
    pinned: u64,
}

/// Each file is looked up once: what a relation or database has in several files is added up.
fn rows(census: &Census) -> Result<Vec<Value>> {
    let here = u32::from(server::database());
    let mut usages: HashMap<(Owner, i32), Usage> = HashMap::new();
    for (place, (fork, usage)) in census.forks.iter().enumerate() {
        let owner = match fork.database {
            database if place < MAX_FILES && (database == here || database == 0) => {
                names::relation_of_file(fork.tablespace, fork.file).map_or(
                    Owner::Database(database),
                    |relation| Owner::Relation { database, relation },
                )
            }
            other => Owner::Database(other),
        };
        add(usages.entry((owner, fork.fork)).or_default(), usage);
    }
    let unknown = (Owner::Unknown, -1);
    usages.insert(unknown, census.unknown);

    let mut databases: HashMap<u32, Option<String>> = HashMap::new();
    let mut rows = Vec::new();
    for ((owner, fork), usage) in &usages {
        let (database, relation) = match *owner {
            Owner::Relation { database, relation } => (database, names::relation_name(relation)),
            Owner::Database(database) => (database, None),
            Owner::Unknown => (0, None),
        };
        let database = databases
            .entry(database)
            .or_insert_with(|| names::database_name(database));
        for (usage_count, count) in usage
            .iter()
            .enumerate()
            .filter(|(_, count)| count.buffers > 0)
        {
            rows.push(serde_json::to_value(Row {
                database_name: database.as_deref(),
                schema_name: relation.as_ref().map(|name| name.schema.as_str()),
                relation_name: relation.as_ref().map(|name| name.relation.as_str()),
                relation_kind: relation.as_ref().and_then(|name| kind_name(name.kind)),
                fork: fork_name(*fork),
                usage_count: Some(usage_count),
                buffers: count.buffers,
                dirty: count.dirty,
                pinned: count.pinned,
            })?);
        }
    }
    if census.unused > 0 {
        rows.push(serde_json::to_value(Row {
            database_name: None,
            schema_name: None,
            relation_name: None,
            relation_kind: None,
            fork: None,
            usage_count: None,
            buffers: census.unused,
            dirty: 0,
            pinned: 0,
        })?);
    }
    Ok(rows)
}

fn add(sum: &mut Usage, usage: &Usage) {
    for (sum, count) in sum.iter_mut().zip(usage) {
        sum.add(count);
    }
}

fn fork_name(fork: i32) -> Option<&'static str> {
    match fork {
        0 => Some("main"),
        1 => Some("fsm"),
        2 => Some("vm"),
        3 => Some("init"),
        _ => None,
    }
}

/// As [`super::collector::KIND_NAME`] does in SQL.
fn kind_name(relkind: char) -> Option<&'static str> {
    match relkind {
        'r' => Some("table"),
        'i' => Some("index"),
        't' => Some("TOAST table"),
        'm' => Some("materialized view"),
        'S' => Some("sequence"),
        _ => None,
    }
}

/// The cumulative counters in the shape of that major version.
///
/// 17 took the backends' writes out of pg_stat_bgwriter: from then on they are what pg_stat_io has for all but
/// the checkpointer and the background writer, extensions of files included, as before.
fn counters_sql(major: u32) -> String {
    let io = match major {
        ..=15 => {
            "SELECT NULL::pg_catalog.int8 AS evictions, NULL::pg_catalog.int8 AS written".to_owned()
        }
        major => {
            let written = match major {
                ..=17 => "writes + COALESCE(extends, 0)",
                _ => {
                    "(write_bytes + COALESCE(extend_bytes, 0)) \
                     / pg_catalog.current_setting('block_size')::pg_catalog.int8"
                }
            };
            format!(
                "SELECT pg_catalog.sum(evictions) AS evictions, \
                        (pg_catalog.sum({written}) FILTER \
                            (WHERE backend_type NOT IN ('checkpointer', 'background writer')))::pg_catalog.int8 AS written \
                 FROM pg_catalog.pg_stat_io WHERE object = 'relation'"
            )
        }
    };
    let (writers, checkpoint, backend) = match major {
        ..=16 => (
            "pg_catalog.pg_stat_bgwriter b",
            "b.buffers_checkpoint",
            "b.buffers_backend",
        ),
        _ => (
            "pg_catalog.pg_stat_bgwriter b CROSS JOIN pg_catalog.pg_stat_checkpointer c",
            "c.buffers_written",
            "io.written",
        ),
    };
    format!(
        "SELECT d.blks_hit, d.blks_read, {checkpoint} AS buffers_checkpoint, b.buffers_clean, \
                b.maxwritten_clean, {backend} AS buffers_backend, b.buffers_alloc, io.evictions, \
                d.databases_mark \
         FROM (SELECT pg_catalog.sum(blks_hit) AS blks_hit, pg_catalog.sum(blks_read) AS blks_read, \
                      pg_catalog.hashtextextended(pg_catalog.string_agg(pg_catalog.concat_ws(' ', datid, \
                          EXTRACT(epoch FROM stats_reset)), ',' ORDER BY datid), 0) AS databases_mark \
               FROM pg_catalog.pg_stat_database) d \
         CROSS JOIN {writers} CROSS JOIN ({io}) io"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_version_is_asked_for_what_it_has() {
        assert!(!counters_sql(15).contains("pg_stat_io"));
        assert!(
            counters_sql(16).contains("pg_stat_io")
                && counters_sql(16).contains("b.buffers_backend")
        );
        assert!(
            counters_sql(17).contains("pg_stat_checkpointer")
                && !counters_sql(17).contains("write_bytes")
        );
        assert!(counters_sql(18).contains("write_bytes"));
    }
}
