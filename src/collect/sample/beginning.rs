//! The beginning of a sample: its number, its time, the epoch of the counters, and settings of its own.

use crate::catalog::node;
use crate::collect::of_target::Dialect;
use crate::error::{Error, Result, failure};
use crate::pg::process::lock;
use crate::pg::server;
use crate::pg::session::setting;
use crate::pg::sql::spi;
use crate::pg::sql::subxact::subtransaction;
use crate::pg::sql::text::Json;
use crate::pg::sql::xact;
use crate::service::store::LOCK_NOT_AVAILABLE;
use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;
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

/// [`SETTINGS`], and that a sample sees all relations.
fn settings() -> Vec<(&'static str, &'static str)> {
    let (name, _) = setting::ALL_RELATIONS;
    let hides = setting::text(name).map(|_| setting::ALL_RELATIONS);
    SETTINGS.into_iter().chain(hides).collect()
}

/// How long a sample waits for a lock, whoever takes it.
pub const LOCK_TIMEOUT: &str = "100ms";

/// Runs `body`, which takes a sample, without waiting longer than [`LOCK_TIMEOUT`] for any lock: set before the first look
/// at a catalog. The server's own error would say what was canceled, not why.
pub fn hardly_waiting<T>(body: impl FnOnce() -> T) -> T {
    xact::with_error_for(
        LOCK_NOT_AVAILABLE,
        || {
            failure(
                PgSqlErrorCode::ERRCODE_LOCK_NOT_AVAILABLE,
                "no sample: another session has locked a table of the history",
            )
            .hinting(
                "Take it again when that transaction has ended: one that has called pgperf.maintain() or taken the first sample of a day, for example, \
                 or a backup. pg_locks shows who it is.",
            )
        },
        || setting::with("lock_timeout", LOCK_TIMEOUT, body),
    )
}

/// Values of [`settings`] by name: a sample's own, or its caller's.
#[derive(Serialize, Deserialize)]
pub struct Settings(BTreeMap<String, String>);

impl Settings {
    pub fn of_samples() -> Settings {
        let settings = settings().into_iter();
        let settings = settings.map(|(name, value)| (name.to_owned(), value.to_owned()));
        Settings(settings.collect())
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
    /// What the epoch is made of, and what the next sample needs to find its own; see [`begin_sql`].
    #[serde(skip)]
    pub counting: Value,
    /// The day's partitions were missing when it began: another session may just be creating them, too.
    #[serde(skip)]
    pub partitions_were_missing: bool,
}

impl Header {
    /// Since when the counters of this database count: seconds since 1970, as text; empty: since ever.
    pub fn counting_since(&self) -> String {
        let since = self.counting.get("database").and_then(Value::as_str);
        since.unwrap_or_default().to_owned()
    }
}

/// The first answer: see [`begin_sql`].
#[derive(Deserialize)]
struct Begin {
    sample_id: i64,
    taken_at: String,
    epoch: i64,
    counting: Value,
    partitions_missing: bool,
    callers: Settings,
}

/// Begins a sample: creates its partitions and applies its settings. Returns the caller's, too.
///
/// # Errors
/// The extension is not (or no longer) installed.
pub fn begin(run_id: Option<i64>) -> Result<(Header, Settings)> {
    // The leader of a run has no time for that: it watches clients.
    if run_id.is_none() {
        await_others()?;
    }
    let node_id = node::local_node()?;
    let args = [node_id.as_str().into(), server::database().into()];
    let begin: Begin = spi::select_one(&begin_sql(&here()), &args)?.ok_or(Error::NotInstalled)?;
    Ok(begun(node_id, run_id, begin))
}

/// The same of a target, that was asked at this moment and told this.
///
/// # Errors
/// The same.
pub fn begin_of_target(
    node_id: String,
    run_id: Option<i64>,
    taken_at: &str,
    counting: Value,
) -> Result<(Header, Settings)> {
    let args = [
        node_id.as_str().into(),
        Json(counting).into(),
        taken_at.into(),
    ];
    let begin: Begin = spi::select_one(&begin_sql(&THERE), &args)?.ok_or(Error::NotInstalled)?;
    Ok(begun(node_id, run_id, begin))
}

fn begun(node_id: String, run_id: Option<i64>, begin: Begin) -> (Header, Settings) {
    if begin.partitions_missing {
        make_partitions();
    }
    let header = Header {
        node_id,
        sample_id: begin.sample_id,
        taken_at: begin.taken_at,
        run_id,
        epoch: begin.epoch,
        counting: begin.counting,
        partitions_were_missing: begin.partitions_missing,
    };
    (header, begin.callers)
}

/// Waits while another session takes the very first sample, makes the day's partitions or changes older ones: it has locked what this sample
/// needs. First of all, since the sample has the time at which it then begins.
fn await_others() -> Result<()> {
    let has_node = node::known()?.is_some();
    match has_node && !spi::holds(PARTITIONS_MISSING, &[])? {
        true => lock::await_free_partitions(),
        // It may have to make them itself.
        false => lock::claim_partitions(),
    };
    Ok(())
}

const PARTITIONS_MISSING: &str = "pg_catalog.to_regclass('pgperf_internal.samples_' || pg_catalog.to_char(\
    pg_catalog.clock_timestamp() AT TIME ZONE 'UTC', 'YYYYMMDD')) IS NULL";

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

/// Where the time of a sample and what its epoch is made of come from.
struct Origin {
    taken_at: &'static str,
    /// Columns, among them those of [`counting_columns`], and what they are selected from.
    counting: Cow<'static, str>,
    from: &'static str,
}

/// This server: $2 is the database. Its row in pg_database is not read, so that a lock on that catalog affects only the collectors that read
/// it. Statistics that the transaction has read before are dropped first: a sample shows the present.
fn here() -> Origin {
    let columns = counting_columns(&Dialect::HERE, "$2");
    Origin {
        taken_at: "pg_catalog.clock_timestamp()",
        counting: format!(
            "pg_catalog.pg_stat_clear_snapshot()::pg_catalog.text AS cleared, {columns}"
        )
        .into(),
        from: "",
    }
}

/// A target: $2 is what it has told, $3 when.
const THERE: Origin = Origin {
    taken_at: "$3::pg_catalog.timestamptz",
    counting: Cow::Borrowed("r.*"),
    from: "FROM pg_catalog.jsonb_to_record($2) AS r(server pg_catalog.text, wal pg_catalog.text, background_writer pg_catalog.text, \
           reset pg_catalog.text, checkpointer pg_catalog.text, io pg_catalog.text, transactions pg_catalog.int8, blocks pg_catalog.int8)",
};

/// What an epoch is made of: a crash sets the reset times of all statistics that are kept once for the server, a reset
/// those or the database's, a restart the server's start. No single one of them shows all three. `database`: its oid.
pub fn counting_columns(server: &Dialect, database: &str) -> String {
    let reset_of = |major, sql| if server.has(major) { sql } else { "NULL" };
    let reset = format!("pg_catalog.pg_stat_get_db_stat_reset_time({database})");
    let times = [
        ("server", "pg_catalog.pg_postmaster_start_time()"),
        (
            "wal",
            reset_of(14, "(SELECT stats_reset FROM pg_catalog.pg_stat_wal)"),
        ),
        (
            "background_writer",
            "(SELECT stats_reset FROM pg_catalog.pg_stat_bgwriter)",
        ),
        ("reset", reset.as_str()),
        (
            "checkpointer",
            reset_of(17, "(SELECT stats_reset FROM pg_catalog.pg_stat_checkpointer)"),
        ),
        (
            "io",
            reset_of(16, "(SELECT pg_catalog.max(stats_reset) FROM pg_catalog.pg_stat_io)"),
        ),
    ]
    .map(|(name, time)| {
        format!("COALESCE(EXTRACT(epoch FROM {time}::pg_catalog.timestamptz)::pg_catalog.text, '') AS {name}")
    })
    .join(", ");
    format!(
        "{times}, \
         pg_catalog.pg_stat_get_db_xact_commit({database}) + pg_catalog.pg_stat_get_db_xact_rollback({database}) AS transactions, \
         pg_catalog.pg_stat_get_db_blocks_fetched({database}) AS blocks"
    )
}

/// Everything a sample begins with, in one read. $1: the node.
///
/// The server sets the database's reset time also where a single table or function is reset, and all others count on. So it is
/// that of the sample before, as long as the database's own counters have not fallen since. They would not have either if all had begun
/// again and come as far again, which takes about as long as before: then the time is the new one. `counting` has these times and counters.
fn begin_sql(origin: &Origin) -> String {
    let settings = settings();
    let callers = settings
        .iter()
        .map(|(name, _)| format!("'{name}', pg_catalog.current_setting('{name}')"))
        .collect::<Vec<_>>()
        .join(", ");
    let own = settings
        .iter()
        .map(|(name, value)| {
            format!("pg_catalog.set_config('{name}', '{value}', true) AS \"{name}\"")
        })
        .collect::<Vec<_>>()
        .join(", ");
    let Origin {
        taken_at,
        counting,
        from,
    } = origin;
    format!(
        "SELECT b.sample_id, b.taken_at, b.partitions_missing, b.callers, \
                pg_catalog.hashtextextended(pg_catalog.concat_ws(' ', \
                    b.server, b.wal, b.background_writer, d.database, b.checkpointer, b.io), 0) AS epoch, \
                pg_catalog.jsonb_build_object('server', b.server, 'wal', b.wal, 'background_writer', b.background_writer, \
                    'database', d.database, 'reset', b.reset, 'checkpointer', b.checkpointer, 'io', b.io, \
                    'transactions', b.transactions, 'blocks', b.blocks) AS counting \
         FROM (SELECT {counting}, \
                      pgperf_internal.next_number('pgperf_internal.sample_id_seq') AS sample_id, \
                      {taken_at} AS taken_at, \
                      {PARTITIONS_MISSING} AS partitions_missing, \
                      pg_catalog.jsonb_build_object({callers}) AS callers, {own} \
               {from} OFFSET 0) b \
         LEFT JOIN LATERAL (\
             SELECT s.taken_at, s.counting FROM pgperf.samples s \
             WHERE s.node_id = $1::pg_catalog.uuid AND s.taken_at > b.taken_at - '1 day'::pg_catalog.interval \
               AND s.taken_at <= b.taken_at \
             ORDER BY s.sample_id DESC LIMIT 1) l ON true \
         CROSS JOIN LATERAL (\
             SELECT CASE WHEN b.transactions >= (l.counting OPERATOR(pg_catalog.->>) 'transactions')::pg_catalog.int8 \
                          AND b.blocks >= (l.counting OPERATOR(pg_catalog.->>) 'blocks')::pg_catalog.int8 \
                          AND (l.counting OPERATOR(pg_catalog.->>) 'database' = '' \
                               OR EXTRACT(epoch FROM b.taken_at) - NULLIF(b.reset, '')::pg_catalog.numeric \
                                  <= EXTRACT(epoch FROM l.taken_at) - NULLIF(l.counting OPERATOR(pg_catalog.->>) 'database', '')::pg_catalog.numeric) \
                         THEN l.counting OPERATOR(pg_catalog.->>) 'database' ELSE b.reset END AS database) d"
    )
}
