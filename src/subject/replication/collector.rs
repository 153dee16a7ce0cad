//! Replication: the lag of standbys and subscriptions, and the WAL and rows that slots hold back.

use crate::collect::collector::{Collector, Cost, InRuns, InVisits, Read, Reading, Scope};
use crate::collect::of_target::{Dialect, TargetSource};
use crate::collect::rows::{self, Row};
use crate::error::Result;
use crate::pg::sql::spi;

/// See the module.
pub const COLLECTOR: Collector = Collector {
    name: "replication",
    cost: Cost::Light,
    sample_interval_s: 10,
    keeps_interval: false,
    in_runs: InRuns::WithReceivers,
    in_visits: InVisits::Never,
    since_major: None,
    needs: None,
    watches_clients: false,
    report: None,
    history_tables: &["replication_history"],
    description: "standbys and subscriptions with their lag, replication slots with the WAL they retain",
    of_target: Some(TargetSource {
        since_major: None,
        queries: |asking| Ok(queries(&asking.dialect())),
        reading: |_, answers| Ok(reading(answers)),
    }),
    read: Read::AtOnce(read),
};

/// Whether the server has standbys, or slots for some; in the current transaction.
pub fn has_receivers() -> Result<bool> {
    spi::holds(
        "EXISTS (SELECT FROM pg_catalog.pg_stat_replication) \
             OR EXISTS (SELECT FROM pg_catalog.pg_replication_slots)",
        &[],
    )
}

fn read(_: &Scope) -> Result<Reading> {
    let queries = queries(&Dialect::HERE);
    let answers: Result<_> = queries.iter().map(|sql| rows::select(sql, &[])).collect();
    Ok(reading(answers?))
}

fn reading(answers: Vec<Vec<Row>>) -> Reading {
    let of = |rows| ("replication_history", rows::values(rows).into());
    Reading {
        tables: answers.into_iter().map(of).collect(),
        note: None,
    }
}

fn queries(server: &Dialect) -> Vec<String> {
    let mut queries = vec![standbys(server), slots(server)];
    if server.has(10) {
        queries.push(subscriptions(server));
    }
    if server.in_recovery {
        queries.push(itself(server));
    }
    queries
}

/// The columns of the views mostly keep their names; columns that a version lacks stay NULL.
fn standbys(server: &Dialect) -> String {
    let (lsn, distance) = (server.current_lsn(), server.lsn_diff());
    let lsn_of = server.since(10, "lsn", "location");
    let lag = |name: &str| match server.has(10) {
        true => format!("1000 * EXTRACT(epoch FROM r.{name}_lag)"),
        false => "NULL::pg_catalog.float8".to_owned(),
    };
    let (write_lag, flush_lag, replay_lag) = (lag("write"), lag("flush"), lag("replay"));
    format!(
        "SELECT 'standby' AS kind, r.application_name AS name, \
            pg_catalog.host(r.client_addr) AS client, \
            pg_catalog.row_number() OVER (PARTITION BY r.application_name, r.client_addr ORDER BY r.backend_start, r.pid) AS instance, r.state, r.sync_state, true AS active, \
            {distance}(now.lsn, r.sent_{lsn_of}) AS sent_lag_bytes, \
            {distance}(now.lsn, r.write_{lsn_of}) AS write_lag_bytes, \
            {distance}(now.lsn, r.flush_{lsn_of}) AS flush_lag_bytes, \
            {distance}(now.lsn, r.replay_{lsn_of}) AS replay_lag_bytes, \
            {write_lag} AS write_lag_ms, {flush_lag} AS flush_lag_ms, {replay_lag} AS replay_lag_ms \
         FROM pg_catalog.pg_stat_replication r, (SELECT {lsn} AS lsn) now"
    )
}

/// Counters of decoding are those of logical slots.
fn slots(server: &Dialect) -> String {
    let (lsn, distance) = (server.current_lsn(), server.lsn_diff());
    let (columns, counters) = match server.has(14) {
        true => (
            "t.*, ",
            "LEFT JOIN pg_catalog.pg_stat_replication_slots t ON t.slot_name = s.slot_name",
        ),
        false => ("", ""),
    };
    format!(
        "SELECT {columns}s.*, 'slot' AS kind, s.slot_name AS name, s.database AS database_name, \
            {distance}(now.lsn, s.restart_lsn) AS retained_bytes, \
            {distance}(now.lsn, s.confirmed_flush_lsn) AS flush_lag_bytes, \
            pg_catalog.age(s.xmin) AS xmin_age, pg_catalog.age(s.catalog_xmin) AS catalog_xmin_age \
         FROM pg_catalog.pg_replication_slots s {counters} CROSS JOIN (SELECT {lsn} AS lsn) now"
    )
}

/// This database's, with the worker that applies: not those that copy tables, nor (16) those that help it. Since 19 errors while
/// tables and sequences are copied are counted apart.
fn subscriptions(server: &Dialect) -> String {
    let (columns, errors) = match server.has(15) {
        true => (
            "e.*, COALESCE((pg_catalog.to_jsonb(e) ->> 'sync_error_count')::pg_catalog.int8, \
                (pg_catalog.to_jsonb(e) ->> 'sync_table_error_count')::pg_catalog.int8 \
                    + (pg_catalog.to_jsonb(e) ->> 'sync_seq_error_count')::pg_catalog.int8) AS sync_error_count, ",
            "LEFT JOIN pg_catalog.pg_stat_subscription_stats e ON e.subid = s.oid",
        ),
        false => ("", ""),
    };
    format!(
        "SELECT {columns}'subscription' AS kind, s.subname AS name, \
            pg_catalog.current_database() AS database_name, w.pid IS NOT NULL AS active, \
            pg_catalog.pg_wal_lsn_diff(w.received_lsn, w.latest_end_lsn) AS flush_lag_bytes, \
            1000 * EXTRACT(epoch FROM pg_catalog.clock_timestamp() - w.last_msg_receipt_time) AS silent_ms, \
            1000 * EXTRACT(epoch FROM w.last_msg_receipt_time - w.last_msg_send_time) AS write_lag_ms \
         FROM pg_catalog.pg_subscription s \
         JOIN pg_catalog.pg_database d ON d.oid = s.subdbid AND d.datname = pg_catalog.current_database() \
         LEFT JOIN pg_catalog.pg_stat_subscription w ON w.subid = s.oid AND w.relid IS NULL \
                                                 AND pg_catalog.to_jsonb(w) ->> 'leader_pid' IS NULL \
         {errors}"
    )
}

/// A standby itself: what it has received and not replayed, and how old the last transaction is that it has replayed, unless it has
/// replayed all.
fn itself(server: &Dialect) -> String {
    let (received, replayed, distance) =
        (server.flush_lsn(), server.insert_lsn(), server.lsn_diff());
    format!(
        "SELECT 'replay' AS kind, 'this server' AS name, n.behind AS replay_lag_bytes, \
            CASE WHEN n.behind = 0 OR n.age < '0' THEN 0 ELSE 1000 * EXTRACT(epoch FROM n.age) END AS replay_lag_ms \
         FROM (SELECT {distance}({received}, {replayed}) AS behind, \
                      pg_catalog.clock_timestamp() - pg_catalog.pg_last_xact_replay_timestamp() AS age) n"
    )
}
