//! The WAL's position and counters, and what it consists of by resource manager.

use super::collector::{Collector, Cost, Depth, Reading, SERVER_MAJOR, Scope, extension_schema};
use crate::error::Result;
use crate::pg::spi;
use crate::pg::subxact::subtransaction;
use serde::Deserialize;
use serde_json::Value;

/// See the module.
pub const COLLECTOR: Collector = Collector {
    name: "wal",
    cost: Cost::Light,
    every_interval: true,
    needs: None,
    history_tables: &["wal_history", "wal_rmgr_history"],
    description: "WAL position and counters; by resource manager where pg_walinspect is installed",
    read,
};

/// At most this much WAL is read again for the resource managers: some 30 ms.
const MAX_WINDOW_BYTES: i64 = 64 << 20;

fn read(scope: &Scope) -> Result<Reading> {
    let mut reading = Reading::of(
        "wal_history",
        spi::select(&counters_sql(SERVER_MAJOR), &[])?,
    );
    if scope.depth == Depth::Full {
        match resource_managers(scope) {
            Ok(Breakdown::Rows(rows)) => reading.tables.push(("wal_rmgr_history", rows)),
            Ok(Breakdown::None(reason)) => reading.note = Some(reason),
            Err(error) => reading.note = Some(format!("no resource managers: {error}")),
        }
    }
    Ok(reading)
}

/// pg_stat_wal in the shape of that major version. 18 moved writes and syncs to pg_stat_io.
///
/// A time of 0 means that nothing was timed where track_wal_io_timing is off.
fn counters_sql(major: u32) -> String {
    let timed = |column: &str| {
        format!(
            "CASE WHEN {column} > 0 OR pg_catalog.current_setting('track_wal_io_timing') = 'on' \
             THEN {column} END"
        )
    };
    let (write_time, sync_time) = (timed("io.write_time"), timed("io.sync_time"));
    let io = if major >= 18 {
        "(SELECT pg_catalog.sum(writes) AS writes, pg_catalog.sum(fsyncs) AS syncs, \
                 pg_catalog.sum(write_time) AS write_time, pg_catalog.sum(fsync_time) AS sync_time \
          FROM pg_catalog.pg_stat_io \
          WHERE object = 'wal' AND context = 'normal' AND backend_type <> 'walreceiver')"
    } else {
        "(SELECT wal_write AS writes, wal_sync AS syncs, wal_write_time AS write_time, \
                 wal_sync_time AS sync_time FROM pg_catalog.pg_stat_wal)"
    };
    format!(
        "SELECT pg_catalog.pg_current_wal_insert_lsn() AS insert_lsn, \
                pg_catalog.pg_current_wal_flush_lsn() AS flush_lsn, \
                w.wal_records, w.wal_fpi, w.wal_bytes, w.wal_buffers_full, \
                io.writes AS wal_write, io.syncs AS wal_sync, \
                {write_time} AS wal_write_time_ms, {sync_time} AS wal_sync_time_ms \
         FROM pg_catalog.pg_stat_wal w CROSS JOIN {io} io"
    )
}

/// What the WAL since the sample before consisted of.
enum Breakdown {
    Rows(Vec<Value>),
    /// Nothing could be read, and why.
    None(String),
}

/// Reads the WAL between the node's sample before and now, or its last [`MAX_WINDOW_BYTES`].
fn resource_managers(scope: &Scope) -> Result<Breakdown> {
    #[derive(Deserialize)]
    struct Window {
        start_lsn: Option<String>,
        end_lsn: String,
        sampled_percent: Option<f64>,
    }
    let none = |reason: &str| Ok(Breakdown::None(format!("no resource managers: {reason}")));
    let Ok(schema) = extension_schema("pg_walinspect") else {
        return none("extension \"pg_walinspect\" is not installed");
    };
    let window: Option<Window> = spi::select_one(
        WINDOW,
        &[scope.node_id.as_str().into(), MAX_WINDOW_BYTES.into()],
    )?;
    let Some(Window {
        start_lsn: Some(start_lsn),
        end_lsn,
        sampled_percent,
    }) = window
    else {
        return none("no sample before to start from");
    };
    let Some(sampled_percent) = sampled_percent else {
        return none("no WAL was flushed since the sample before");
    };
    // The name of the first column has a slash in it, so columns are named here by position.
    let sql = format!(
        "SELECT $1 AS start_lsn, $2 AS end_lsn, \
                pg_catalog.split_part(name, '/', 1) AS resource_manager, \
                pg_catalog.substr(name, pg_catalog.strpos(name, '/') + 1) AS record_type, \
                records, record_bytes, fpi_bytes, $3 AS sampled_percent \
         FROM {schema}.pg_get_wal_stats($1::pg_catalog.pg_lsn, $2::pg_catalog.pg_lsn, true) \
              s(name, records, records_percent, record_bytes, record_percent, fpi_bytes, fpi_percent, \
                bytes, bytes_percent) \
         WHERE records > 0"
    );
    // A segment that is gone already must not cost the counters.
    let rows = subtransaction(|| {
        let (start, end) = (start_lsn.as_str(), end_lsn.as_str());
        spi::select(&sql, &[start.into(), end.into(), sampled_percent.into()])
    });
    match rows {
        Ok(rows) => Ok(Breakdown::Rows(rows?)),
        Err(caught) => none(&caught.message),
    }
}

/// From where the node's last breakdown, or else its last sample, ended; NULL if there is none. The share
/// is NULL if nothing was flushed since (or the server was put back to an earlier time).
const WINDOW: &str = "SELECT (CASE WHEN w.stop - w.start > $2 THEN w.stop - $2 ELSE w.start END)::pg_catalog.text AS start_lsn, \
            w.stop::pg_catalog.text AS end_lsn, \
            CASE WHEN w.start < w.stop \
                 THEN LEAST(100, 100 * $2::pg_catalog.float8 / (w.stop - w.start)::pg_catalog.float8) \
            END AS sampled_percent \
     FROM (SELECT pg_catalog.pg_current_wal_flush_lsn() AS stop, \
                  COALESCE((SELECT end_lsn FROM pgperf.wal_rmgr_history WHERE node_id = $1::pg_catalog.uuid \
                            ORDER BY sample_id DESC LIMIT 1), \
                           (SELECT flush_lsn FROM pgperf.wal_history WHERE node_id = $1::pg_catalog.uuid \
                            ORDER BY sample_id DESC LIMIT 1)) AS start) w";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn from_18_on_writes_come_from_pg_stat_io() {
        assert!(!counters_sql(17).contains("pg_stat_io"));
        assert!(counters_sql(18).contains("pg_stat_io"));
        assert!(!counters_sql(18).contains("wal_write_time,"));
    }
}
