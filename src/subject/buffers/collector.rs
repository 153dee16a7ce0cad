//! The contents of shared_buffers: buffers by relation, fork and usage count, and the counters of their use.

use crate::collect::collector::{
    Collector, Cost, InRuns, InVisits, Read, Reading, SERVER_MAJOR, Scope,
};
use crate::collect::on_demand::complete;
use crate::collect::sample::history::{Column, Rows};
use crate::collect::sample::parts::{Pace, Parts};
use crate::error::Result;
use crate::pg::catalog::names;
use crate::pg::pages::buffers::{self, Census, Count, Usage};
use crate::pg::server;
use crate::pg::sql::spi;
use pgrx::pg_sys;
use std::cmp::Reverse;
use std::collections::HashMap;

/// See the module.
pub const COLLECTOR: Collector = Collector {
    name: "buffers",
    cost: Cost::Medium,
    sample_interval_s: 60,
    keeps_interval: false,
    in_runs: InRuns::Ends,
    in_visits: InVisits::WhenDue,
    since_major: None,
    needs: None,
    watches_clients: false,
    report: None,
    history_tables: &["buffer_usage_history", "buffer_counter_history"],
    description: "buffers by relation, fork, usage count, dirty and pinned; hits, reads, writes, evictions",
    of_target: None,
    read: Read::InParts(read),
};

/// `pgperf.snapshot_buffers`.
#[pgrx::pg_extern(sql = false)]
fn snapshot_buffers() -> std::result::Result<i64, pgrx::pg_sys::panic::ErrorReport> {
    complete(&COLLECTOR)
}

/// The files that have rows of their own, so that neither the history nor the time to name them grows with the number of relations: those with
/// the most buffers.
struct OwnRows {
    /// At most so many.
    files: usize,
    /// With at least this part of shared_buffers. Nearly all files of a server, above all catalogs, have less: they would be most of the history,
    /// and most of a sample's time, and mean nothing.
    smallest_share: u64,
    /// So many with an eighth of that: where all are small, these are what fills the buffers.
    at_least: usize,
}

/// In a sample that somebody asks for: every file below 256 MB, files of 4 buffers or more at 1 GB.
const ASKED: OwnRows = OwnRows {
    files: 2_000,
    smallest_share: 32_768,
    at_least: 0,
};
/// In a sample of the sampler: files of 64 kB at 256 MB, 4 MB at 16 GB.
const SAMPLED: OwnRows = OwnRows {
    files: 500,
    smallest_share: 4_096,
    at_least: 50,
};

/// The sampler tells files apart in every so many samples. The others have the sums by usage count.
const TOLD_APART_EVERY: f64 = 10.0;

fn read(scope: &Scope, parts: &mut dyn Parts) -> Result<Reading> {
    let mut census = parts.apart(|| Ok(buffers::census()))?;
    let told_apart = parts.part(|| are_told_apart(scope))?;
    if !told_apart {
        join_files(&mut census);
    }
    (census.forks).sort_by_cached_key(|(_, usage)| Reverse(buffers(usage)));
    let own_rows = match scope.sampler_cadence_s {
        None => ASKED,
        Some(_) => SAMPLED,
    };
    let large = if told_apart {
        own_rows.large(&census)
    } else {
        0
    };
    let left_out = large.saturating_sub(own_rows.files);
    let counters = parts.part(|| {
        let since = scope.counting_since.as_str();
        spi::select(&counters_sql(SERVER_MAJOR), &[since.into()])
    })?;
    let named = name_parts(&census, large.min(own_rows.files), parts)?;
    Ok(Reading {
        tables: vec![
            ("buffer_usage_history", rows(&census, &named)),
            ("buffer_counter_history", counters.into()),
        ],
        note: (left_out > 0 && scope.sampler_cadence_s.is_none()).then(|| {
            format!("{left_out} files with fewer buffers than others are summed by database")
        }),
    })
}

/// Whether this sample has rows of single files.
fn are_told_apart(scope: &Scope) -> Result<bool> {
    let Some(cadence) = scope.sampler_cadence_s else {
        return Ok(true);
    };
    // Half an interval less: samples are early and late.
    let lately = (TOLD_APART_EVERY - 0.5) * cadence;
    let args = [scope.node_id.as_str().into(), lately.into()];
    Ok(!spi::holds(TOLD_APART_LATELY, &args)?)
}

/// $1: the node; $2: in how many seconds.
const TOLD_APART_LATELY: &str = "EXISTS (SELECT FROM pgperf.buffer_usage_history h \
     WHERE h.node_id = $1::pg_catalog.uuid AND h.run_id IS NULL AND h.relation_name IS NOT NULL \
       AND h.taken_at > pg_catalog.clock_timestamp() - pg_catalog.make_interval(secs => $2))";

/// All files as one whose relation is not told.
fn join_files(census: &mut Census) {
    for (_, usage) in std::mem::take(&mut census.forks) {
        add(&mut census.unknown, &usage);
    }
}

fn buffers(usage: &Usage) -> u64 {
    usage.iter().map(|count| count.buffers).sum()
}

impl OwnRows {
    /// The number of files, in the order of their buffers, that have enough.
    fn large(&self, census: &Census) -> usize {
        let held = census.forks.iter().map(|(_, usage)| usage);
        let all = held.chain([&census.unknown]).map(buffers).sum::<u64>() + census.unused;
        let with_share = |share: u64| {
            let has = |(_, usage): &(_, Usage)| buffers(usage) * share >= all;
            census.forks.partition_point(has)
        };
        let small = with_share(8 * self.smallest_share).min(self.at_least);
        with_share(self.smallest_share).max(small)
    }
}

/// The owner of a row's buffers. Files of other databases cannot be named from here.
#[derive(PartialEq, Eq, Hash, Clone, Copy)]
enum Owner {
    /// Of this database, or shared by all (database 0).
    Relation {
        database: u32,
        relation: pg_sys::Oid,
    },
    /// Another database's, or of this one's but dropped, not committed yet, or of few buffers.
    Database(u32),
    Unknown,
}

/// The common columns of the rows of one owner and fork, and its buffers.
struct OwnerBuffers {
    database: Option<String>,
    relation: Option<names::RelationName>,
    fork: i32,
    usage: Usage,
}

/// Each file is looked up once; the buffers of a relation or database in several files are summed.
fn name_parts(census: &Census, named: usize, parts: &mut dyn Parts) -> Result<Vec<OwnerBuffers>> {
    let here = u32::from(server::database());
    let mut usages: HashMap<(Owner, i32), Usage> = HashMap::new();
    let (own, other) = census.forks.split_at(named.min(census.forks.len()));
    let mut pace = Pace::new();
    let mut own = own.iter();
    while !own.as_slice().is_empty() {
        let some = own.by_ref().take(pace.size() as usize);
        pace.part(parts, || {
            for (fork, usage) in some {
                let owner = match fork.database {
                    database if database == here || database == 0 => {
                        names::relation_of_file(fork.tablespace, fork.file).map_or(
                            Owner::Database(database),
                            |relation| Owner::Relation { database, relation },
                        )
                    }
                    other => Owner::Database(other),
                };
                add(usages.entry((owner, fork.fork)).or_default(), usage);
            }
            Ok(())
        })?;
    }
    for (fork, usage) in other {
        let owner = Owner::Database(fork.database);
        add(usages.entry((owner, fork.fork)).or_default(), usage);
    }
    usages.insert((Owner::Unknown, -1), census.unknown);

    let mut databases: HashMap<u32, Option<String>> = HashMap::new();
    let mut found = Vec::new();
    let mut usages = usages.into_iter().peekable();
    while usages.peek().is_some() {
        let some = usages.by_ref().take(pace.size() as usize);
        pace.part(parts, || {
            found.extend(some.map(|((owner, fork), usage)| {
                let (database, relation) = match owner {
                    Owner::Relation { database, relation } => {
                        (database, names::relation_name(relation))
                    }
                    Owner::Database(database) => (database, None),
                    Owner::Unknown => (0, None),
                };
                let database = (databases.entry(database))
                    .or_insert_with(|| names::database_name(database))
                    .clone();
                OwnerBuffers {
                    database,
                    relation,
                    fork,
                    usage,
                }
            }));
            Ok(())
        })?;
    }
    Ok(found)
}

/// The rows of buffer_usage_history: one for each usage count of each part that has buffers of it, and one for all that hold
/// no page.
fn rows(census: &Census, parts: &[OwnerBuffers]) -> Rows {
    let unused = Count {
        buffers: census.unused,
        ..Count::default()
    };
    let counts: Vec<(Option<&OwnerBuffers>, Option<usize>, &Count)> = (parts.iter())
        .flat_map(|part| {
            let counts = part.usage.iter().enumerate();
            counts.map(move |(usage_count, count)| (Some(part), Some(usage_count), count))
        })
        .chain([(None, None, &unused)])
        .filter(|(_, _, count)| count.buffers > 0)
        .collect();
    let texts = |text: fn(&OwnerBuffers) -> Option<&str>| {
        let texts = counts.iter().map(|(part, ..)| part.and_then(text));
        Column::Texts(texts.map(|text| text.map(str::to_owned)).collect())
    };
    let numbers = |number: fn(&Count) -> u64| {
        let numbers = counts.iter().map(|(.., count)| Some(number(count) as i64));
        Column::Numbers(numbers.collect())
    };
    let usage_counts = (counts.iter()).map(|(_, usage_count, _)| usage_count.map(|n| n as i64));
    Rows::Columns(vec![
        ("database_name", texts(|part| part.database.as_deref())),
        (
            "schema_name",
            texts(|part| Some(part.relation.as_ref()?.schema.as_str())),
        ),
        (
            "relation_name",
            texts(|part| Some(part.relation.as_ref()?.relation.as_str())),
        ),
        (
            "relation_kind",
            texts(|part| kind_name(part.relation.as_ref()?.kind)),
        ),
        ("fork", texts(|part| fork_name(part.fork))),
        ("usage_count", Column::Numbers(usage_counts.collect())),
        ("buffers", numbers(|count| count.buffers)),
        ("dirty", numbers(|count| count.dirty)),
        ("pinned", numbers(|count| count.pinned)),
    ])
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

/// As [`crate::collect::collector::KIND_NAME`] does in SQL.
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
/// 17 took the backends' writes out of pg_stat_bgwriter: from then on they are those of pg_stat_io for all but the
/// checkpointer and the background writer, extensions of files included, as before.
/// $1: since when this database's counters count.
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
                          CASE WHEN datname = pg_catalog.current_database() THEN NULLIF($1, '') \
                               ELSE EXTRACT(epoch FROM stats_reset)::pg_catalog.text END), ',' ORDER BY datid), 0) AS databases_mark \
               FROM pg_catalog.pg_stat_database) d \
         CROSS JOIN {writers} CROSS JOIN ({io}) io"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pg::pages::buffers::Fork;

    #[test]
    fn files_with_hardly_a_buffer_have_no_rows_of_their_own() {
        let file = |file, buffers| {
            let fork = Fork {
                database: 1,
                tablespace: 2,
                file,
                fork: 0,
            };
            let mut usage = Usage::default();
            usage[1].buffers = buffers;
            (fork, usage)
        };
        let mut census = Census {
            forks: vec![file(1, 1000), file(2, 4), file(3, 1)],
            unknown: Usage::default(),
            unused: 262_144 - 1005,
        };
        assert_eq!(ASKED.large(&census), 1, "2 GB");
        census.unused = 131_072 - 1005;
        assert_eq!(ASKED.large(&census), 2, "1 GB");
        census.unused = 32_768 - 1005;
        assert_eq!(ASKED.large(&census), 3, "256 MB");
        census.forks = (0..100).map(|number| file(number, 8)).collect();
        census.unused = 32_768 - 800;
        assert_eq!(SAMPLED.large(&census), 100, "64 kB each");
        census.forks = (0..100).map(|number| file(number, 7)).collect();
        assert_eq!(SAMPLED.large(&census), 50, "less");
    }

    #[test]
    fn files_that_are_not_told_apart_add_up() {
        let file = |file, buffers| {
            let fork = Fork {
                database: 1,
                tablespace: 1663,
                file,
                fork: 0,
            };
            let mut usage = Usage::default();
            usage[5].buffers = buffers;
            usage[5].dirty = 1;
            (fork, usage)
        };
        let mut census = Census {
            forks: vec![file(10, 3), file(11, 4)],
            unused: 5,
            ..Census::default()
        };
        census.unknown[5].buffers = 2;
        join_files(&mut census);
        assert!(census.forks.is_empty() && census.unused == 5);
        assert_eq!((census.unknown[5].buffers, census.unknown[5].dirty), (9, 2));
    }

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
