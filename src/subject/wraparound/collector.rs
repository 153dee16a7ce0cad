//! Distance of the databases and their [`oldest`] relations from wraparound, and what holds them back.

mod oldest;

use crate::collect::collector::{Collector, Cost, Depth, InRuns, InVisits, Read, Reading, Scope};
use crate::collect::of_target::{Asking, Dialect, TargetSource};
use crate::collect::on_demand::complete;
use crate::collect::rows::{self, Row};
use crate::collect::sample::parts::Parts;
use crate::error::Result;
use crate::pg::server::{self, multixact};
use crate::pg::sql::spi;
use serde_json::Value;

/// See the module.
pub const COLLECTOR: Collector = Collector {
    name: "wraparound",
    cost: Cost::Light,
    sample_interval_s: 60,
    keeps_interval: false,
    in_runs: InRuns::EveryInterval,
    in_visits: InVisits::WhenDue,
    since_major: None,
    needs: None,
    watches_clients: false,
    report: None,
    history_tables: &["wraparound_history", "horizon_history"],
    description: "transaction id and multixact ages, and the holders of vacuum's horizon",
    of_target: Some(TargetSource {
        since_major: None,
        queries,
        reading: reading_of_target,
    }),
    read: Read::InParts(read),
};

/// `pgperf.snapshot_wraparound`.
#[pgrx::pg_extern(sql = false)]
fn snapshot_wraparound() -> std::result::Result<i64, pgrx::pg_sys::panic::ErrorReport> {
    complete(&COLLECTOR)
}

fn read(scope: &Scope, parts: &mut dyn Parts) -> Result<Reading> {
    if scope.depth == Depth::Tick {
        return Ok(Reading::of(
            "wraparound_history",
            parts.part(|| ages(LOCAL_OR_OLDEST, Next::now(), None))?,
        ));
    }
    // One for all rows of the sample.
    let next = Next::now();
    let (mut rows, holders) = parts.part(|| {
        let holders = spi::select(&oldest_holders(&Dialect::HERE), &[])?;
        Ok((ages("", next, members_kept())?, holders))
    })?;
    rows.extend(oldest::relations(next, parts)?);
    let mut reading = Reading::of("wraparound_history", rows);
    reading.tables.push(("horizon_history", holders.into()));
    Ok(reading)
}

/// The ids that are given out next.
#[derive(Clone, Copy)]
struct Next {
    xid: u64,
    multixid: i64,
}

impl Next {
    fn now() -> Next {
        Next {
            xid: server::next_xid(),
            multixid: i64::from(multixact::next_multixact()),
        }
    }
}

/// For a target.
fn queries(asking: &Asking) -> Result<Vec<String>> {
    let server = asking.dialect();
    let expected = Expected::of_target(&server);
    if asking.depth == Depth::Tick {
        return Ok(vec![ages_sql(&server, &expected, LOCAL_OR_OLDEST)]);
    }
    Ok(vec![
        ages_sql(&server, &expected, ""),
        oldest::of_target(&server, &expected),
        oldest_holders(&server),
    ])
}

fn reading_of_target(_: &Scope, answers: Vec<Vec<Row>>) -> Result<Reading> {
    let mut answers = answers.into_iter().map(rows::values);
    let mut rows = answers.next().unwrap_or_default();
    rows.extend(answers.next().unwrap_or_default());
    let mut reading = Reading::of("wraparound_history", rows);
    let holders = answers.next().unwrap_or_default();
    reading.tables.push(("horizon_history", holders.into()));
    Ok(reading)
}

/// Expressions for the ids that are given out next, and what is known of multixacts.
struct Expected {
    xid: &'static str,
    multixid: &'static str,
    /// At which age of multixacts autovacuum comes.
    freeze_max_age: &'static str,
    members: &'static str,
}

impl Expected {
    /// Arguments of a statement, in this order.
    const HERE: Expected = Expected {
        xid: "$1",
        multixid: "$2",
        freeze_max_age: "$3",
        members: "$4",
    };

    /// The age of a database tells which multixact is next, for both have 32 bits. With many members autovacuum comes earlier, and only a
    /// process of the server sees that.
    fn of_target(server: &Dialect) -> Expected {
        Expected {
            xid: server.next_xid(),
            multixid: "(SELECT pg_catalog.mod(b.datminmxid::pg_catalog.text::pg_catalog.int8 + pg_catalog.mxid_age(b.datminmxid), 4294967296) \
                          FROM pg_catalog.pg_database b WHERE b.datname = pg_catalog.current_database())",
            freeze_max_age: "pg_catalog.current_setting('autovacuum_multixact_freeze_max_age')::pg_catalog.int8",
            members: "NULL::pg_catalog.int8",
        }
    }
}

/// The databases with their own oldest holder; `rest` restricts them.
fn ages(rest: &str, next: Next, members: Option<i64>) -> Result<Vec<Value>> {
    spi::select(
        &ages_sql(&Dialect::HERE, &Expected::HERE, rest),
        &[
            next.xid.to_string().into(),
            next.multixid.into(),
            i64::from(multixact::freeze_max_age()).into(),
            members.into(),
        ],
    )
}

/// Stored members of multixacts, counted by their files; None if the folder cannot be read. Before 19 the server does
/// not report them; a file is 32 pages of 8 kB with 1,636 members each.
fn members_kept() -> Option<i64> {
    const MEMBERS_A_FILE: i64 = 32 * 1636;
    // A server's processes live in its data folder.
    let files = std::fs::read_dir("pg_multixact/members").ok()?;
    Some(files.flatten().count() as i64 * MEMBERS_A_FILE)
}

/// Everything except this session that may hold a horizon back.
///
/// Among equally old ones, the first is one that holds back all tables, then the oldest.
/// Lazy vacuums show an xmin that nobody heeds, and so do slots whose WAL is lost. What began after the look holds nothing older back: ages count
/// from the look, and its own is negative. database is NULL for what holds back all of them.
pub fn holders(server: &Dialect) -> String {
    // A walsender is one without a database.
    let is_walsender = server.since(10, "a.backend_type = 'walsender'", "true");
    let is_lost = server.since(13, "s.wal_status IS NOT DISTINCT FROM 'lost'", "false");
    format!(
        "WITH seen AS (\
        SELECT CASE WHEN {is_walsender} AND a.datid IS NULL \
                    THEN 'standby feedback' ELSE 'backend' END AS kind, \
               a.datid AS database, a.pid, a.application_name AS name, a.usename AS role_name, a.state, \
               a.xact_start AS since, false AS catalogs_only, \
               GREATEST(pg_catalog.age(a.backend_xmin), pg_catalog.age(a.backend_xid)) AS age \
        FROM pg_catalog.pg_stat_activity a \
        WHERE (a.backend_xmin IS NOT NULL OR a.backend_xid IS NOT NULL) \
          AND a.pid <> pg_catalog.pg_backend_pid() \
          AND a.pid NOT IN (SELECT v.pid FROM pg_catalog.pg_stat_progress_vacuum v) \
        UNION ALL \
        SELECT 'prepared transaction', o.oid, NULL, p.gid, p.owner, NULL, p.prepared, false, \
               pg_catalog.age(p.transaction) \
        FROM pg_catalog.pg_prepared_xacts p JOIN pg_catalog.pg_database o ON o.datname = p.database \
        UNION ALL \
        SELECT 'replication slot', NULL, s.active_pid, s.slot_name, NULL, \
               CASE WHEN s.active THEN 'active' ELSE 'inactive' END, \
               (pg_catalog.to_jsonb(s) ->> 'inactive_since')::pg_catalog.timestamptz, \
               COALESCE(pg_catalog.age(s.xmin) < pg_catalog.age(s.catalog_xmin), s.xmin IS NULL), \
               GREATEST(pg_catalog.age(s.xmin), pg_catalog.age(s.catalog_xmin)) \
        FROM pg_catalog.pg_replication_slots s \
        WHERE (s.xmin IS NOT NULL OR s.catalog_xmin IS NOT NULL) AND NOT {is_lost}), \
        holders AS (SELECT * FROM seen WHERE age >= 0)"
    )
}

/// Vacuum takes its failsafe at no less than 1.05 times the age at which autovacuum comes (vacuum.c
/// vacuum_xid_failsafe_check); before 14 it has none.
fn ages_sql(server: &Dialect, expected: &Expected, rest: &str) -> String {
    let Expected {
        xid,
        multixid,
        freeze_max_age,
        members,
    } = expected;
    let setting = |name: &str| match server.has(14) {
        true => format!("pg_catalog.current_setting('{name}')::pg_catalog.int8"),
        false => "NULL::pg_catalog.int8".to_owned(),
    };
    let (failsafe, mxid_failsafe) = (
        setting("vacuum_failsafe_age"),
        setting("vacuum_multixact_failsafe_age"),
    );
    let failsafe_of = |failsafe: &str, freeze: &str| match server.has(14) {
        true => format!("GREATEST(l.{failsafe}, 1.05 * l.{freeze})::pg_catalog.int8"),
        false => "NULL::pg_catalog.int8".to_owned(),
    };
    let (failsafe_age, mxid_failsafe_age) = (
        failsafe_of("failsafe_age", "freeze_max_age"),
        failsafe_of("mxid_failsafe_age", "mxid_freeze_max_age"),
    );
    format!(
        "{} SELECT d.datname AS database_name, NULL AS schema_name, NULL AS relation_name, \
            {xid} AS next_xid, d.xid_age AS frozen_xid_age, {multixid} AS next_multixid, d.mxid_age AS multixact_age, \
            h.kind || CASE h.kind WHEN 'backend' THEN ' pid ' || h.pid ELSE ' ' || h.name END AS horizon_holder, \
            h.age AS horizon_age, h.since AS horizon_since, \
            l.freeze_max_age, {failsafe_age} AS failsafe_age, \
            {freeze_max_age} AS multixact_freeze_max_age, \
            {mxid_failsafe_age} AS multixact_failsafe_age, \
            {members} AS multixact_members \
     FROM (SELECT b.oid, b.datname, pg_catalog.age(b.datfrozenxid) AS xid_age, \
                  pg_catalog.mxid_age(b.datminmxid) AS mxid_age, \
                  b.datname = pg_catalog.current_database() AS is_local, \
                  pg_catalog.row_number() OVER (ORDER BY pg_catalog.age(b.datfrozenxid) DESC, \
                      b.datname = pg_catalog.current_database() DESC) = 1 AS is_oldest \
           FROM pg_catalog.pg_database b) d \
     CROSS JOIN (SELECT pg_catalog.current_setting('autovacuum_freeze_max_age')::pg_catalog.int8 AS freeze_max_age, \
                        {failsafe} AS failsafe_age, \
                        pg_catalog.current_setting('autovacuum_multixact_freeze_max_age')::pg_catalog.int8 \
                            AS mxid_freeze_max_age, \
                        {mxid_failsafe} AS mxid_failsafe_age) l \
     LEFT JOIN LATERAL (SELECT o.* FROM holders o \
                        WHERE o.database IS NULL OR o.database = d.oid \
                        ORDER BY o.age DESC, o.catalogs_only, o.since LIMIT 1) h ON true {rest}",
        holders(server)
    )
}

/// The reduced content of a run's interval samples.
const LOCAL_OR_OLDEST: &str = "WHERE d.is_local OR d.is_oldest";

/// The holders themselves, so that a session that has to be ended can be found.
fn oldest_holders(server: &Dialect) -> String {
    format!(
        "{} SELECT h.kind AS holder_kind, d.datname AS database_name, h.pid, h.name, h.role_name, \
            h.state, h.since, h.age, h.catalogs_only \
     FROM holders h LEFT JOIN pg_catalog.pg_database d ON d.oid = h.database \
     ORDER BY h.age DESC, h.catalogs_only, h.since LIMIT 20",
        holders(server)
    )
}
