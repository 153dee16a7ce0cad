//! Replication: the lag of standbys and subscriptions, and the WAL and rows that slots hold back.

use crate::collect::collector::{Collector, Cost, InRuns, InVisits, Read, Reading, Scope};
use crate::collect::rows;
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
    let tables = [STANDBYS, SLOTS, SUBSCRIPTIONS]
        .into_iter()
        .map(|sql| {
            Ok((
                "replication_history",
                rows::values(rows::select(sql, &[])?).into(),
            ))
        })
        .collect::<Result<_>>()?;
    Ok(Reading { tables, note: None })
}

/// The columns of the views mostly keep their names; columns that a version lacks stay NULL.
const STANDBYS: &str = "SELECT 'standby' AS kind, r.application_name AS name, \
            pg_catalog.host(r.client_addr) AS client, \
            pg_catalog.row_number() OVER (PARTITION BY r.application_name, r.client_addr ORDER BY r.backend_start, r.pid) AS instance, r.state, r.sync_state, true AS active, \
            pg_catalog.pg_wal_lsn_diff(now.lsn, r.sent_lsn) AS sent_lag_bytes, \
            pg_catalog.pg_wal_lsn_diff(now.lsn, r.write_lsn) AS write_lag_bytes, \
            pg_catalog.pg_wal_lsn_diff(now.lsn, r.flush_lsn) AS flush_lag_bytes, \
            pg_catalog.pg_wal_lsn_diff(now.lsn, r.replay_lsn) AS replay_lag_bytes, \
            1000 * EXTRACT(epoch FROM r.write_lag) AS write_lag_ms, \
            1000 * EXTRACT(epoch FROM r.flush_lag) AS flush_lag_ms, \
            1000 * EXTRACT(epoch FROM r.replay_lag) AS replay_lag_ms \
     FROM pg_catalog.pg_stat_replication r, \
          (SELECT pg_catalog.pg_current_wal_lsn() AS lsn) now";

/// Counters of decoding are those of logical slots.
const SLOTS: &str = "SELECT t.*, s.*, 'slot' AS kind, s.slot_name AS name, s.database AS database_name, \
            pg_catalog.pg_wal_lsn_diff(now.lsn, s.restart_lsn) AS retained_bytes, \
            pg_catalog.pg_wal_lsn_diff(now.lsn, s.confirmed_flush_lsn) AS flush_lag_bytes, \
            pg_catalog.age(s.xmin) AS xmin_age, pg_catalog.age(s.catalog_xmin) AS catalog_xmin_age \
     FROM pg_catalog.pg_replication_slots s \
     LEFT JOIN pg_catalog.pg_stat_replication_slots t ON t.slot_name = s.slot_name \
     CROSS JOIN (SELECT pg_catalog.pg_current_wal_lsn() AS lsn) now";

/// This database's, with the worker that applies: not those that copy tables, nor (16) those that help it. Since 19 errors while
/// tables and sequences are copied are counted apart.
const SUBSCRIPTIONS: &str = "SELECT e.*, COALESCE((pg_catalog.to_jsonb(e) ->> 'sync_error_count')::pg_catalog.int8, \
                (pg_catalog.to_jsonb(e) ->> 'sync_table_error_count')::pg_catalog.int8 \
                    + (pg_catalog.to_jsonb(e) ->> 'sync_seq_error_count')::pg_catalog.int8) AS sync_error_count, 'subscription' AS kind, s.subname AS name, \
            pg_catalog.current_database() AS database_name, w.pid IS NOT NULL AS active, \
            pg_catalog.pg_wal_lsn_diff(w.received_lsn, w.latest_end_lsn) AS flush_lag_bytes, \
            1000 * EXTRACT(epoch FROM pg_catalog.clock_timestamp() - w.last_msg_receipt_time) AS silent_ms, \
            1000 * EXTRACT(epoch FROM w.last_msg_receipt_time - w.last_msg_send_time) AS write_lag_ms \
     FROM pg_catalog.pg_subscription s \
     JOIN pg_catalog.pg_database d ON d.oid = s.subdbid AND d.datname = pg_catalog.current_database() \
     LEFT JOIN pg_catalog.pg_stat_subscription w ON w.subid = s.oid AND w.relid IS NULL \
                                             AND pg_catalog.to_jsonb(w) ->> 'leader_pid' IS NULL \
     LEFT JOIN pg_catalog.pg_stat_subscription_stats e ON e.subid = s.oid";
