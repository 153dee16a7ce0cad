//! The caches of transaction status and the like (SLRUs), which shared_buffers does not hold: pg_stat_slru.

use crate::collect::collector::{
    Collector, Cost, InRuns, InVisits, Read, Reading, ReportTable, Scope,
};
use crate::collect::of_target::{TargetSource, source::only};
use crate::collect::rows;
use crate::error::Result;
use crate::show::metric::{self, counter};
use crate::show::section::{Kind, Section, Source, Table, column, key};

/// See the module.
pub const SECTION: Section = Section {
    name: "slru",
    title: "SLRU caches",
    reading: "Reads mean that a cache is too small for the load: old transactions (Subtrans), long snapshots, many row locks (MultiXact).",
    call: "SELECT * FROM pgperf.slru_deltas WHERE node_id = pgperf.local_node() ORDER BY sample_id DESC",
    sources: &[Source::Collector(&COLLECTOR)],
    tables: &[Table {
        name: "counts",
        title: "By the whole server",
        collector: "slru",
        sql: include_str!("counts.sql"),
        keys: &[key("name", "SLRU")],
        columns: &[
            column("hits", "hits", Kind::Count),
            column("reads", "reads", Kind::Count).lower(),
            column("hit_percent", "hit share", Kind::Percent).higher(),
            column("written", "written", Kind::Count),
            column("zeroed", "zeroed", Kind::Count),
            column("looked_up", "looked up", Kind::Count).wide(),
            column("truncates", "truncates", Kind::Count).wide(),
        ],
        limit: 20,
        ..Table::EMPTY
    }],
    charts: &[],
    of_runs: &["counts"],
    nothing: "none was used",
    ..Section::EMPTY
};

/// What it samples.
pub const COLLECTOR: Collector = Collector {
    name: "slru",
    cost: Cost::Light,
    sample_interval_s: 60,
    keeps_interval: false,
    in_runs: InRuns::Ends,
    in_visits: InVisits::Never,
    since_major: None,
    needs: None,
    watches_clients: false,
    report: Some(ReportTable {
        title: "SLRU caches",
        history_table: "slru_history",
        object: ("name", "SLRU"),
        counters: &[
            ("blks_hit", "hits"),
            ("blks_read", "read"),
            ("blks_written", "written"),
            ("blks_zeroed", "zeroed"),
            ("blks_exists", "looked up"),
            ("truncates", "truncates"),
        ],
    }),
    history_tables: &["slru_history"],
    description: "hits, reads and writes of the caches of transaction status, subtransactions, multixacts and notifications",
    of_target: Some(TargetSource {
        since_major: Some(13),
        queries: |_| Ok(vec![SLRUS.to_owned()]),
        reading: |_, answers| Ok(Reading::of("slru_history", rows::values(only(answers)))),
    }),
    read: Read::AtOnce(read),
};

const SLRUS: &str = "SELECT s.name, s.blks_zeroed, s.blks_hit, s.blks_read, s.blks_written, s.blks_exists, s.flushes, s.truncates, \
            s.stats_reset \
     FROM pg_catalog.pg_stat_slru s";

fn read(_: &Scope) -> Result<Reading> {
    let slrus = rows::select(SLRUS, &[])?;
    Ok(Reading::of("slru_history", rows::values(slrus)))
}

/// Its metrics.
pub const METRICS: &[metric::Source] = &[metric::Source {
    topic: "SLRU caches",
    sql: include_str!("metrics.sql"),
    labels: &["slru"],
    families: &[
        counter("slru_blocks_hit", "Blocks found in the cache"),
        counter("slru_blocks_read", "Blocks read"),
        counter("slru_blocks_written", "Blocks written"),
        counter("slru_flushes", "Flushes"),
    ],
}];
