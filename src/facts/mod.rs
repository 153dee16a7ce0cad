//! The facts of a run besides its speed, so that a comparison can name the differences.
//!
//! * [`settings`]: the settings of its clients' sessions; [`plans`]: the plans of their statements;
//! * [`environment`]: the server and the machine on which it ran;
//! * [`metrics`]: the activity of both between its start and its end; [`relations`]: the same for each relation;
//! * [`target`]: all of that of another server, over a connection; [`nodes`]: the servers of a cluster together.

pub mod environment;
pub mod metrics;
pub mod nodes;
pub mod plans;
pub mod relations;
pub mod settings;
pub mod target;

use crate::collect::Sample;
use crate::error::Result;
use crate::pg::process::usage::Usage;
use crate::pg::sql::spi;
use crate::subject::wal::collector::counts::Counts;
use metrics::Counted;
use pgrx::datum::DatumWithOid;
use serde::{Deserialize, Serialize};

/// Stores rows that belong to a run.
pub fn store_rows<T: Serialize>(
    table: &'static str,
    node_id: &str,
    run_id: i64,
    rows: Vec<T>,
) -> Result<()> {
    #[derive(Serialize)]
    struct RunRow<'a, T> {
        node_id: &'a str,
        run_id: i64,
        #[serde(flatten)]
        row: T,
    }
    let of_run = |row| RunRow {
        node_id,
        run_id,
        row,
    };
    let rows: Vec<_> = rows.into_iter().map(of_run).collect();
    spi::insert_all(table, &rows)
}

/// Resources that pgperf itself has used.
#[derive(Debug, Clone, Copy, Default)]
pub struct Footprint {
    pub usage: Usage,
    /// Transaction ids.
    pub xids: u64,
    /// Those of the whole server, at the same moment.
    pub server_xids: u64,
    /// The position of the whole server's WAL, at the same moment.
    pub server_position: u64,
}

impl Footprint {
    pub fn since(&self, earlier: &Footprint) -> Footprint {
        Footprint {
            usage: self.usage.since(&earlier.usage),
            xids: self.xids - earlier.xids,
            server_xids: self.server_xids - earlier.server_xids,
            server_position: self.server_position - earlier.server_position,
        }
    }
}

/// A run between the samples at its start and its end.
pub struct Span<'a> {
    pub node_id: &'a str,
    pub run_id: i64,
    pub start: &'a Sample,
    /// The counters at that moment.
    pub counted: &'a Counted,
    pub end: &'a Sample,
    /// Resources that pgperf itself used in between, and the server.
    pub own: Footprint,
    /// All that was written in between; Err: why that is not known.
    pub counts: std::result::Result<Counts, String>,
}

impl Span<'_> {
    /// For SQL: node, run, then number and time of the first sample and of the last.
    fn parameters(&self) -> [DatumWithOid<'_>; 6] {
        [
            self.node_id.into(),
            self.run_id.into(),
            self.start.sample_id.into(),
            self.start.taken_at.as_str().into(),
            self.end.sample_id.into(),
            self.end.taken_at.as_str().into(),
        ]
    }

    /// Whether no statistics of the server began again in between.
    fn counters_went_on(&self) -> bool {
        self.start.epoch == self.end.epoch
    }
}

/// Sizes in bytes.
#[derive(Debug, Clone, Copy, Deserialize)]
pub struct Sizes {
    pub database: i64,
    /// The part of pgperf itself.
    pub pgperf: i64,
}

impl Sizes {
    /// `database`: measured before, since that may take long.
    pub fn now(database: u64) -> Result<Option<Sizes>> {
        let database = i64::try_from(database).unwrap_or(i64::MAX);
        spi::select_one(
            "SELECT $1 AS database, \
                    (SELECT coalesce(pg_catalog.sum(pg_catalog.pg_total_relation_size(c.oid)), 0)::pg_catalog.int8 \
                       FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
                      WHERE n.nspname IN ('pgperf', 'pgperf_internal') AND c.relkind = 'r') AS pgperf",
            &[database.into()],
        )
    }
}
