//! The statements that were observed: the counters of pg_stat_statements as they are, or the history's over a window. The
//! caller sees only what these show to the caller's role.

use crate::catalog::node;
use crate::error::{Result, hinted};
use crate::pg::catalog::role;
use crate::pg::session::setting;
use crate::pg::sql::spi;
use serde::{Deserialize, Serialize};

/// A statement, and what it did.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Observed {
    /// None: hidden from the caller, as its text is.
    pub queryid: Option<i64>,
    pub query: Option<String>,
    pub calls: f64,
    pub total_ms: f64,
    pub rows: f64,
    pub hit: f64,
    pub read: f64,
    /// When it was first seen, in seconds since 1970; only from PostgreSQL 17 on.
    pub since: Option<f64>,
}

impl Observed {
    /// Of a call.
    pub fn rows_per_call(&self) -> f64 {
        self.rows / self.calls.max(1.0)
    }

    /// Of a call: shared blocks that were found in the cache or read.
    pub fn blocks_per_call(&self) -> f64 {
        (self.hit + self.read) / self.calls.max(1.0)
    }
}

/// What was observed in a window.
#[derive(Debug, Default)]
pub struct Window {
    pub seconds: Option<f64>,
    /// The statements of this database that were called, without pgperf's own and those within functions.
    pub statements: Vec<Observed>,
}

/// Reads the window from `from` to `to` from the history, or, without them, the counters as they are.
pub fn read(from: Option<&str>, to: Option<&str>) -> Result<Window> {
    role::with_settings(|| match (from, to) {
        (None, None) => current(),
        (Some(from), to) => history(from, to),
        (None, Some(_)) => Err(hinted(
            "to_time needs from_time".to_owned(),
            "Give both ends of the window, or neither for the counters of pg_stat_statements as they are.",
        )),
    })
}

#[derive(Deserialize)]
struct Seconds {
    seconds: Option<f64>,
}

fn current() -> Result<Window> {
    let schema = extension_schema()?;
    let statements = spi::select(&current_sql(&schema), &[])?;
    let seconds: Option<Seconds> = spi::select_one(
        &format!(
            "SELECT EXTRACT(epoch FROM pg_catalog.clock_timestamp() - COALESCE(\
                    (SELECT pg_catalog.min((pg_catalog.to_jsonb(n) ->> 'stats_since')::pg_catalog.timestamptz) \
                       FROM {schema}.pg_stat_statements(false) n \
                      WHERE n.dbid = (SELECT d.oid FROM pg_catalog.pg_database d \
                                       WHERE d.datname = pg_catalog.current_database())), \
                    i.stats_reset))::pg_catalog.float8 AS seconds \
           FROM {schema}.pg_stat_statements_info i"
        ),
        &[],
    )?;
    Ok(Window {
        seconds: seconds.and_then(|it| it.seconds),
        statements,
    })
}

/// # Errors
/// An end that is infinite, a window without a length, or one of the future.
fn check_window(from: &str, to: &str) -> Result<()> {
    #[derive(Deserialize)]
    struct Ends {
        finite: bool,
        ordered: bool,
        begun: bool,
    }
    let ends: Option<Ends> = spi::select_one(
        "SELECT pg_catalog.isfinite(w.begins) AND w.ends > '-infinity' AS finite, w.begins < w.ends AS ordered, \
                w.begins < pg_catalog.clock_timestamp() AS begun \
           FROM (SELECT $1::pg_catalog.timestamptz AS begins, $2::pg_catalog.timestamptz AS ends) w",
        &[from.into(), to.into()],
    )?;
    let (wrong, hint) = match ends {
        Some(ends) if !ends.finite => ("from_time and to_time must be finite", WITHOUT),
        Some(ends) if !ends.ordered => ("from_time must be before to_time", WITHOUT),
        Some(ends) if !ends.begun => (
            "the window begins in the future",
            "Samples are of the past: choose an earlier from_time.",
        ),
        _ => return Ok(()),
    };
    Err(hinted(wrong.to_owned(), hint))
}

/// What calls without a window mean.
const WITHOUT: &str = "Without to_time the window ends now; without both the counters of pg_stat_statements are taken as they are.";

fn history(from: &str, to: Option<&str>) -> Result<Window> {
    let to = to.unwrap_or("infinity");
    check_window(from, to)?;
    let node = node::known()?.unwrap_or_default();
    let arguments = || [node.as_str().into(), from.into(), to.into()];
    let seconds: Option<Seconds> = spi::select_one(WINDOW, &arguments())?;
    let seconds = seconds.and_then(|it| it.seconds);
    if seconds.is_none() {
        return Err(hinted(
            "the history has fewer than two samples of statements in this window".to_owned(),
            "pgperf.start_sampler() takes one every minute. Without from_time the counters of pg_stat_statements are taken as they are.",
        ));
    }
    Ok(Window {
        seconds,
        statements: spi::select(
            &format!("{HISTORY} AND (t.query IS NULL OR t.query !~ {OWN})"),
            &arguments(),
        )?,
    })
}

fn extension_schema() -> Result<String> {
    #[derive(Deserialize)]
    struct InstalledExtension {
        schema: String,
    }
    let place: Option<InstalledExtension> = spi::select_one(
        "SELECT pg_catalog.quote_ident(n.nspname) AS schema FROM pg_catalog.pg_extension e \
         JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'pg_stat_statements'",
        &[],
    )?;
    let place = place.ok_or_else(|| {
        hinted(
            "extension \"pg_stat_statements\" is not installed in this database".to_owned(),
            "CREATE EXTENSION pg_stat_statements;",
        )
    })?;
    // Only a preloaded library has its settings.
    match setting::text("pg_stat_statements.max") {
        Some(_) => Ok(place.schema),
        None => Err(hinted(
            "pg_stat_statements has counted nothing: it is not preloaded".to_owned(),
            "Add it to shared_preload_libraries, and restart the server; SELECT * FROM pgperf.doctor() shows the statement.",
        )),
    }
}

/// pgperf's own statements name its schema or the extension, or are made by its readers of rows and of pools.
const OWN: &str = r"'(?i)\m(pgperf|pgperf_internal)\.|\mextension\M.*\mpgperf\M|^SELECT pg_catalog\.to_jsonb\(q\) FROM \(|\mpgperf_rows?\M'";

fn current_sql(schema: &str) -> String {
    format!(
        "SELECT n.queryid, CASE WHEN n.queryid IS NOT NULL THEN n.query END AS query, \
                pg_catalog.sum(n.calls)::pg_catalog.float8 AS calls, pg_catalog.sum(n.total_exec_time) AS total_ms, \
                pg_catalog.sum(n.rows)::pg_catalog.float8 AS rows, \
                pg_catalog.sum(n.shared_blks_hit)::pg_catalog.float8 AS hit, \
                pg_catalog.sum(n.shared_blks_read)::pg_catalog.float8 AS read, \
                pg_catalog.min(EXTRACT(epoch FROM (pg_catalog.to_jsonb(n) ->> 'stats_since')::pg_catalog.timestamptz))\
                    ::pg_catalog.float8 AS since \
           FROM {schema}.pg_stat_statements(true) n \
          WHERE n.dbid = (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = pg_catalog.current_database()) \
            AND n.toplevel AND n.calls > 0 AND (n.query IS NULL OR n.query !~ {OWN}) \
          GROUP BY 1, 2"
    )
}

/// The seconds between the first and the last sample of a window.
const WINDOW: &str = "SELECT EXTRACT(epoch FROM pg_catalog.max(h.taken_at) - COALESCE(\
            (SELECT pg_catalog.max(b.taken_at) FROM pgperf.statement_history b \
              WHERE b.node_id = $1::pg_catalog.uuid AND b.queryid = 0 AND b.taken_at <= $2::pg_catalog.timestamptz), \
            CASE WHEN pg_catalog.count(*) > 1 THEN pg_catalog.min(h.taken_at) END))::pg_catalog.float8 AS seconds \
       FROM pgperf.statement_history h \
      WHERE h.node_id = $1::pg_catalog.uuid AND h.queryid = 0 AND h.taken_at > $2::pg_catalog.timestamptz \
        AND h.taken_at <= $3::pg_catalog.timestamptz";

/// Each row less the one before it, unless the counters began again in between. Of a statement's first row all counts, but
/// for the first sample of all, which is no more than a beginning.
const HISTORY: &str = r"WITH f AS MATERIALIZED (
    SELECT pg_catalog.min(x.sample_id) AS sample_id FROM pgperf.statement_history x
     WHERE x.node_id = $1::pg_catalog.uuid AND x.queryid = 0
), d AS (
    SELECT h.queryid, h.dbid, h.calls, h.total_exec_time, h.rows, h.shared_blks_hit, h.shared_blks_read, h.stats_since,
           h.before_sample_id IS NULL AND h.sample_id = f.sample_id AS is_beginning,
           CASE WHEN p.calls <= h.calls AND h.stats_since IS NOT DISTINCT FROM p.stats_since THEN p.calls END AS p_calls,
           p.total_exec_time AS p_time, p.rows AS p_rows, p.shared_blks_hit AS p_hit, p.shared_blks_read AS p_read
      FROM pgperf.statement_history h
      CROSS JOIN f
      LEFT JOIN pgperf.statement_history p
        ON p.node_id = h.node_id AND p.sample_id = h.before_sample_id AND p.queryid = h.queryid AND p.userid = h.userid
       AND p.dbid = h.dbid AND p.toplevel = h.toplevel
     WHERE h.node_id = $1::pg_catalog.uuid AND h.queryid <> 0 AND h.toplevel
       AND h.dbid = (SELECT b.oid FROM pg_catalog.pg_database b WHERE b.datname = pg_catalog.current_database())
       AND h.taken_at > $2::pg_catalog.timestamptz AND h.taken_at <= $3::pg_catalog.timestamptz
), s AS (
    SELECT d.queryid, d.dbid,
           pg_catalog.sum(d.calls - COALESCE(d.p_calls, 0))::pg_catalog.float8 AS calls,
           pg_catalog.sum(d.total_exec_time - CASE WHEN d.p_calls IS NULL THEN 0 ELSE d.p_time END) AS total_ms,
           pg_catalog.sum(d.rows - CASE WHEN d.p_calls IS NULL THEN 0 ELSE d.p_rows END)::pg_catalog.float8 AS rows,
           pg_catalog.sum(d.shared_blks_hit - CASE WHEN d.p_calls IS NULL THEN 0 ELSE d.p_hit END)::pg_catalog.float8 AS hit,
           pg_catalog.sum(d.shared_blks_read - CASE WHEN d.p_calls IS NULL THEN 0 ELSE d.p_read END)::pg_catalog.float8 AS read,
           pg_catalog.min(EXTRACT(epoch FROM d.stats_since))::pg_catalog.float8 AS since
      FROM d WHERE NOT d.is_beginning GROUP BY 1, 2
)
SELECT s.queryid, t.query, s.calls, s.total_ms, s.rows, s.hit, s.read, s.since
  FROM s LEFT JOIN LATERAL (SELECT x.query FROM pgperf.statement_texts x
                             WHERE x.node_id = $1::pg_catalog.uuid AND x.queryid = s.queryid AND x.dbid = s.dbid LIMIT 1) t ON true
 WHERE s.calls > 0";
