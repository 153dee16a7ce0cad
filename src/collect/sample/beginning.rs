//! The beginning of a sample: its number, its time, the epoch of the counters, and settings of its own.

use crate::collect::collector::SERVER_MAJOR;
use crate::error::{Error, Result};
use crate::pg::server;
use crate::pg::session::setting;
use crate::pg::sql::spi;
use crate::pg::sql::subxact::subtransaction;
use crate::pg::sql::text::Json;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Settings during a sample.
///
/// A collector hardly waits for a lock: nobody should queue behind it. The queries are short: compiling them took
/// several times as long as running them, and the compiler's memory stays with the session. They are planned once,
/// not for each of the first samples.
pub const SETTINGS: [(&str, &str); 3] = [
    ("lock_timeout", LOCK_TIMEOUT),
    ("jit", "off"),
    ("plan_cache_mode", "force_generic_plan"),
];

/// How long a sample waits for a lock, whoever takes it.
pub const LOCK_TIMEOUT: &str = "100ms";

/// Runs `body`, which takes a sample, without waiting longer than [`LOCK_TIMEOUT`] for any lock: set before the first look
/// at a catalog.
pub fn hardly_waiting<T>(body: impl FnOnce() -> T) -> T {
    setting::with("lock_timeout", LOCK_TIMEOUT, body)
}

/// Values of [`SETTINGS`] by name: a sample's own, or its caller's.
#[derive(Serialize, Deserialize)]
pub struct Settings(BTreeMap<String, String>);

impl Settings {
    pub fn of_samples() -> Settings {
        Settings(
            SETTINGS
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .into(),
        )
    }

    /// For the rest of the transaction.
    pub fn set(&self) -> Result<()> {
        spi::select::<Value>(
            "SELECT pg_catalog.set_config(s.key, s.value, true) AS value \
             FROM pg_catalog.jsonb_each_text($1) s",
            &[Json(serde_json::to_value(self)?).into()],
        )?;
        Ok(())
    }
}

/// The columns with which every row of the sample begins.
#[derive(Serialize)]
pub struct Header {
    pub node_id: String,
    pub sample_id: i64,
    pub taken_at: String,
    pub run_id: Option<i64>,
    #[serde(skip)]
    pub epoch: i64,
    /// The day's partitions were missing when it began: another session may just be creating them, too.
    #[serde(skip)]
    pub partitions_were_missing: bool,
}

/// Begins a sample: creates its partitions and applies its settings. Returns the caller's, too.
///
/// # Errors
/// The extension is not (or no longer) installed.
pub fn begin(run_id: Option<i64>) -> Result<(Header, Settings)> {
    #[derive(Deserialize)]
    struct Begin {
        sample_id: i64,
        taken_at: String,
        epoch: i64,
        partitions_missing: bool,
        callers: Settings,
    }
    let node_id = crate::catalog::node::local_node()?;
    let begin: Begin =
        spi::select_one(&begin_sql(), &[server::database().into()])?.ok_or(Error::NotInstalled)?;
    if begin.partitions_missing {
        make_partitions();
    }
    let header = Header {
        node_id,
        sample_id: begin.sample_id,
        taken_at: begin.taken_at,
        run_id,
        epoch: begin.epoch,
        partitions_were_missing: begin.partitions_missing,
    };
    Ok((header, begin.callers))
}

/// Creates the history's partitions of today and tomorrow. Where that fails (because of a lock, say), the rows go to
/// the default partition, until the next sample or `pgperf.maintain` moves them.
fn make_partitions() {
    let _ = subtransaction(|| {
        spi::execute(
            "SELECT pg_catalog.count(*) FROM pgperf_internal.make_partitions(1)",
            &[],
        )
    });
}

/// Everything a sample begins with, in one read. Statistics that the transaction has read before are dropped first: a
/// sample shows the present.
///
/// The epoch: a crash sets the reset times of all statistics that are kept once for the server, a reset
/// those or the database's, a restart the server's start. No single one of them shows all three. $1: the database;
/// its row in pg_database is not read, so that a lock on that catalog affects only the collectors that read it.
fn begin_sql() -> String {
    let io_reset = match SERVER_MAJOR {
        ..=15 => "NULL",
        _ => "(SELECT pg_catalog.max(stats_reset) FROM pg_catalog.pg_stat_io)",
    };
    let checkpointer_reset = match SERVER_MAJOR {
        ..=16 => "NULL",
        _ => "(SELECT stats_reset FROM pg_catalog.pg_stat_checkpointer)",
    };
    let seconds = |time: &str| {
        format!("COALESCE(EXTRACT(epoch FROM {time}::pg_catalog.timestamptz)::pg_catalog.text, '')")
    };
    let parts = [
        "pg_catalog.pg_postmaster_start_time()",
        "(SELECT stats_reset FROM pg_catalog.pg_stat_wal)",
        "(SELECT stats_reset FROM pg_catalog.pg_stat_bgwriter)",
        "pg_catalog.pg_stat_get_db_stat_reset_time($1)",
        checkpointer_reset,
        io_reset,
    ]
    .map(seconds)
    .join(", ");
    let callers =
        SETTINGS.map(|(name, _)| format!("'{name}', pg_catalog.current_setting('{name}')"));
    let own = SETTINGS
        .map(|(name, value)| format!("pg_catalog.set_config('{name}', '{value}', true) AS {name}"));
    let (callers, own) = (callers.join(", "), own.join(", "));
    format!(
        "SELECT pg_catalog.pg_stat_clear_snapshot()::pg_catalog.text AS cleared, \
                pg_catalog.nextval('pgperf_internal.sample_id_seq'::pg_catalog.regclass) AS sample_id, \
                pg_catalog.clock_timestamp() AS taken_at, \
                pg_catalog.to_regclass('pgperf_internal.samples_' || pg_catalog.to_char(\
                    pg_catalog.clock_timestamp() AT TIME ZONE 'UTC', 'YYYYMMDD')) IS NULL AS partitions_missing, \
                pg_catalog.hashtextextended(pg_catalog.concat_ws(' ', {parts}), 0) AS epoch, \
                pg_catalog.jsonb_build_object({callers}) AS callers, {own}"
    )
}
