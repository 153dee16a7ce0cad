//! The WAL's position and counters, and its contents by resource manager.
//!
//! * [`windows`]: the parts of the WAL that are read for its contents;
//! * [`breakdown`]: their sums; [`contents`]: those of the WAL between two samples;
//! * [`counts`]: all records and images of a range, one by one.

mod breakdown;
pub mod contents;
pub mod counts;
mod windows;

use crate::collect::collector::{
    Collector, Cost, Depth, InRuns, InVisits, Read, Reading, Scope, extension_schema,
};
use crate::collect::of_target::{CURRENT_DATABASE, Dialect, TargetSource, source::only};
use crate::collect::on_demand::complete;
use crate::collect::rows;
use crate::collect::sample::parts::Parts;
use crate::error::Result;
use crate::pg::server;
use crate::pg::server::wal::{flush_lsn, lsn_text};
use crate::pg::sql::spi;
use crate::pg::sql::subxact::subtransaction;
use breakdown::{Breakdown, Line};
use script::Prng;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::time::Instant;
use windows::{Effort, windows};

/// See the module.
pub const COLLECTOR: Collector = Collector {
    name: "wal",
    cost: Cost::Light,
    sample_interval_s: 10,
    keeps_interval: false,
    in_runs: InRuns::EveryInterval,
    in_visits: InVisits::Never,
    since_major: None,
    needs: None,
    watches_clients: false,
    report: None,
    history_tables: &["wal_history", "wal_rmgr_history"],
    description: "WAL position and counters; by resource manager where pg_walinspect is installed",
    of_target: Some(TargetSource {
        since_major: None,
        queries: |asking| Ok(vec![counters_of_target(&asking.dialect())]),
        reading: |_, answers| Ok(Reading::of("wal_history", rows::values(only(answers)))),
    }),
    read: Read::InParts(read),
};

/// `pgperf.snapshot_wal`.
#[pgrx::pg_extern(sql = false)]
fn snapshot_wal() -> std::result::Result<i64, pgrx::pg_sys::panic::ErrorReport> {
    complete(&COLLECTOR)
}

fn read(scope: &Scope, parts: &mut dyn Parts) -> Result<Reading> {
    let counters = || {
        spi::select_one(
            &counters_sql(&Dialect::HERE, "$1"),
            &[server::database().into()],
        )
    };
    let mut counters: Map<String, Value> = parts.part(counters)?.unwrap_or_default();
    counters.insert("next_xid".to_owned(), server::next_full_xid().into());
    if scope.depth == Depth::Tick {
        return Ok(Reading::of("wal_history", vec![Value::from(counters)]));
    }
    let found = resource_managers(scope, parts)?;
    if let Some(range) = found.range
        && let Value::Object(range) = serde_json::to_value(range)?
    {
        counters.extend(range);
    }
    Ok(Reading {
        tables: vec![
            ("wal_history", vec![counters.into()].into()),
            ("wal_rmgr_history", found.rows.into()),
        ],
        note: found.note,
    })
}

/// pg_stat_wal in the shape of that major version, where the WAL is, and the last checkpoint. 18 moved
/// writes and syncs to pg_stat_io, 19 counts the bytes of full-page images.
///
/// A time of 0 means that nothing was timed where track_wal_io_timing is off. `database`: its oid.
fn counters_sql(server: &Dialect, database: &str) -> String {
    let timed = |column: &str| {
        format!(
            "CASE WHEN {column} > 0 OR pg_catalog.current_setting('track_wal_io_timing', true) = 'on' \
             THEN {column} END"
        )
    };
    let (write_time, sync_time) = (timed("io.write_time"), timed("io.sync_time"));
    let io = if server.has(18) {
        "(SELECT pg_catalog.sum(writes) AS writes, pg_catalog.sum(fsyncs) AS syncs, \
                 pg_catalog.sum(write_time) AS write_time, pg_catalog.sum(fsync_time) AS sync_time \
          FROM pg_catalog.pg_stat_io \
          WHERE object = 'wal' AND context = 'normal' AND backend_type <> 'walreceiver')"
    } else if server.has(14) {
        "(SELECT wal_write AS writes, wal_sync AS syncs, wal_write_time AS write_time, \
                 wal_sync_time AS sync_time FROM pg_catalog.pg_stat_wal)"
    } else {
        "(SELECT NULL::pg_catalog.int8 AS writes, NULL::pg_catalog.int8 AS syncs, NULL::pg_catalog.float8 AS write_time, \
                 NULL::pg_catalog.float8 AS sync_time)"
    };
    let fpi_bytes = server.since(19, "w.wal_fpi_bytes", "NULL");
    let counters = server.since(
        14,
        "pg_catalog.pg_stat_wal",
        "(SELECT NULL::pg_catalog.int8 AS wal_records, NULL::pg_catalog.int8 AS wal_fpi, NULL::pg_catalog.numeric AS wal_bytes, \
                 NULL::pg_catalog.int8 AS wal_buffers_full)",
    );
    let (insert_lsn, flush_lsn) = (server.insert_lsn(), server.flush_lsn());
    let checkpoint = server.checkpoint();
    format!(
        "SELECT {insert_lsn} AS insert_lsn, {flush_lsn} AS flush_lsn, \
                w.wal_records, w.wal_fpi, w.wal_bytes, {fpi_bytes} AS wal_fpi_bytes, w.wal_buffers_full, \
                io.writes AS wal_write, io.syncs AS wal_sync, \
                {write_time} AS wal_write_time_ms, {sync_time} AS wal_sync_time_ms, \
                pg_catalog.pg_stat_get_db_xact_commit({database}) AS xact_commit, \
                c.redo_lsn, c.checkpoint_time AS checkpoint_began_at \
         FROM {counters} w CROSS JOIN {io} io CROSS JOIN {checkpoint} c"
    )
}

/// The same with the next transaction id, which a process of the server reads itself.
fn counters_of_target(server: &Dialect) -> String {
    let (counters, next_xid) = (counters_sql(server, CURRENT_DATABASE), server.next_xid());
    format!("SELECT n.*, {next_xid} AS next_xid FROM ({counters}) n")
}

/// The contents of the WAL since the previous sample.
#[derive(Default)]
struct WalContents {
    rows: Vec<Value>,
    /// None: nothing was looked for.
    range: Option<Range>,
    /// What is missing, and why.
    note: Option<String>,
}

impl WalContents {
    fn nothing(reason: &str) -> Self {
        WalContents {
            note: Some(format!("no resource managers: {reason}")),
            ..WalContents::default()
        }
    }
}

/// The columns of wal_history that say how much of the WAL was read.
#[derive(Serialize)]
struct Range {
    rmgr_start_lsn: String,
    rmgr_end_lsn: String,
    rmgr_sampled_percent: f64,
    rmgr_lost_percent: f64,
}

/// Reads windows of the WAL between the node's previous sample and now.
fn resource_managers(scope: &Scope, parts: &mut dyn Parts) -> Result<WalContents> {
    let (schema, before) = parts.part(|| {
        let schema = extension_schema(WALINSPECT).ok();
        let before = match schema {
            Some(_) => end_of_the_one_before(&scope.node_id)?,
            None => None,
        };
        Ok((schema, before))
    })?;
    let Some(schema) = schema else {
        return Ok(WalContents::nothing(
            "extension \"pg_walinspect\" is not installed",
        ));
    };
    let Some(Before {
        lsn: Some(start),
        run_id,
    }) = before
    else {
        return Ok(WalContents::nothing("no previous sample to start from"));
    };
    let effort = match run_id {
        Some(_) if run_id == scope.run_id => Effort::RUN,
        _ => Effort::SAMPLE,
    };
    let end = flush_lsn();
    if start >= end {
        return Ok(WalContents::nothing(
            "no WAL was flushed since the previous sample",
        ));
    }
    // The name of the first column has a slash in it, so columns are named here by position.
    let sql = format!(
        "SELECT pg_catalog.split_part(name, '/', 1) AS resource_manager, \
                pg_catalog.substr(name, pg_catalog.strpos(name, '/') + 1) AS record_type, \
                records, record_bytes, fpi_bytes \
         FROM {schema}.pg_get_wal_stats($1::pg_catalog.pg_lsn, $2::pg_catalog.pg_lsn, true) \
              s(name, records, records_percent, record_bytes, record_percent, fpi_bytes, fpi_percent, \
                bytes, bytes_percent) \
         WHERE records > 0"
    );
    let (mut breakdown, mut reads) = (Breakdown::default(), Reads::default());
    let started = Instant::now();
    let mut random = Prng::new(start);
    for (from, to) in windows(start, end, &effort, || random.next_double()) {
        reads.planned += 1;
        if started.elapsed() > effort.time {
            continue;
        }
        let (from_text, to_text) = (lsn_text(from), lsn_text(to));
        // A window that cannot be read must not cost the counters or the other windows.
        let window = parts.part(|| {
            let lines = subtransaction(|| {
                spi::select::<Line>(&sql, &[from_text.as_str().into(), to_text.as_str().into()])
            });
            Ok(match lines {
                Ok(lines) => Window::Read(lines?),
                Err(error) if error.sqlstate == REMOVED => Window::Lost,
                Err(error) => Window::Unreadable(error.message),
            })
        })?;
        match window {
            Window::Read(lines) => {
                breakdown.add(lines);
                reads.read += 1;
                reads.bytes += to - from;
            }
            Window::Lost => reads.lost += 1,
            Window::Unreadable(message) => reads.error = Some(message),
        }
    }
    let sampled_percent = 100.0 * reads.bytes as f64 / (end - start) as f64;
    let (start_lsn, end_lsn) = (lsn_text(start), lsn_text(end));
    Ok(WalContents {
        rows: breakdown.rows(&start_lsn, &end_lsn, sampled_percent)?,
        note: reads.note(),
        range: Some(Range {
            rmgr_start_lsn: start_lsn,
            rmgr_end_lsn: end_lsn,
            rmgr_sampled_percent: sampled_percent,
            rmgr_lost_percent: reads.lost_percent(),
        }),
    })
}

/// The extension that reads WAL.
const WALINSPECT: &str = "pg_walinspect";

/// The SQLSTATE of a file that does not exist: the WAL of that place has been removed.
const REMOVED: &str = "58P01";

/// The outcome of one window.
#[derive(Default)]
enum Window {
    Read(Vec<Line>),
    #[default]
    Lost,
    Unreadable(String),
}

/// The outcomes of the windows.
#[derive(Default)]
struct Reads {
    planned: usize,
    read: usize,
    /// Whose WAL was removed already.
    lost: usize,
    bytes: u64,
    /// The last error of another kind.
    error: Option<String>,
}

impl Reads {
    /// The share of the WAL that was already removed, among the windows tried.
    fn lost_percent(&self) -> f64 {
        match self.read + self.lost {
            0 => 0.0,
            tried => 100.0 * self.lost as f64 / tried as f64,
        }
    }

    fn note(&self) -> Option<String> {
        let Reads {
            planned,
            read,
            lost,
            ..
        } = *self;
        if read == planned {
            return None;
        }
        let mut note = format!("resource managers: {read} of {planned} windows of the WAL read");
        if lost > 0 {
            note += &format!(", {lost} lost (the WAL was removed before it was read)");
        }
        if let Some(error) = &self.error {
            note += &format!(", unreadable: {error}");
        }
        Some(note)
    }
}

/// Where a breakdown begins.
#[derive(Deserialize)]
struct Before {
    lsn: Option<u64>,
    /// The run of the sample that ended there.
    run_id: Option<i64>,
}

/// Where the node's last breakdown ended, or its last sample if there is none; None without either.
fn end_of_the_one_before(node_id: &str) -> Result<Option<Before>> {
    spi::select_one(
        "SELECT (COALESCE(h.rmgr_end_lsn, h.flush_lsn) - '0/0'::pg_catalog.pg_lsn)::pg_catalog.int8 AS lsn, h.run_id \
         FROM ((SELECT 1 AS choice, * FROM pgperf.wal_history \
                 WHERE node_id = $1::pg_catalog.uuid AND rmgr_end_lsn IS NOT NULL ORDER BY sample_id DESC LIMIT 1) \
               UNION ALL \
               (SELECT 2, * FROM pgperf.wal_history WHERE node_id = $1::pg_catalog.uuid ORDER BY sample_id DESC LIMIT 1)) h \
         ORDER BY h.choice LIMIT 1",
        &[node_id.into()],
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_version_is_asked_for_what_it_has() {
        let of = |major: u32| {
            let server = Dialect {
                version: 10_000 * major,
                ..Dialect::HERE
            };
            counters_sql(&server, "$1")
        };
        assert!(!of(13).contains("pg_stat_wal"));
        assert!(of(14).contains("pg_stat_wal") && !of(17).contains("pg_stat_io"));
        assert!(of(18).contains("pg_stat_io"));
        assert!(!of(18).contains("wal_write_time,"));
        assert!(of(18).contains("NULL AS wal_fpi_bytes"));
        assert!(of(19).contains("w.wal_fpi_bytes AS wal_fpi_bytes"));
    }

    #[test]
    fn what_was_not_read_is_told() {
        let mut reads = Reads {
            planned: 4,
            read: 4,
            ..Reads::default()
        };
        assert_eq!(reads.note(), None);
        assert_eq!(reads.lost_percent(), 0.0);
        (reads.read, reads.lost) = (1, 3);
        assert_eq!(reads.lost_percent(), 75.0);
        assert_eq!(
            reads.note().unwrap(),
            "resource managers: 1 of 4 windows of the WAL read, 3 lost (the WAL was removed before it was read)"
        );
    }
}
