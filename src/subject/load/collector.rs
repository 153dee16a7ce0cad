//! Activity of this database, and of all databases together.

use crate::catalog::node;
use crate::collect::collector::{Collector, Cost, Depth, InRuns, InVisits, Read, Reading, Scope};
use crate::collect::database_size::database_size;
use crate::collect::of_target::{Asking, Dialect, TargetSource};
use crate::collect::rows::{self, Row};
use crate::collect::sample::parts::Parts;
use crate::error::Result;
use crate::pg::sql::quote::quote_literal;

/// See the module.
pub const COLLECTOR: Collector = Collector {
    name: "database",
    cost: Cost::Light,
    sample_interval_s: 10,
    keeps_interval: true,
    in_runs: InRuns::EveryInterval,
    in_visits: InVisits::Along,
    since_major: None,
    needs: None,
    watches_clients: false,
    report: None,
    history_tables: &["database_history"],
    description: "transactions, blocks, tuples, temporary files, deadlocks, sessions and conflicts of this database and of all",
    of_target: Some(TargetSource {
        since_major: None,
        queries,
        reading: reading_of_target,
    }),
    read: Read::InParts(read),
};

/// Both views have the same rows. `since`: since when this database's counters count. The row of shared catalogs, which belong to no
/// database, has no name.
fn databases(server: &Dialect, since: &str) -> String {
    let member = format!(
        "pg_catalog.concat_ws(' ', s.datid, \
            CASE WHEN s.datname = pg_catalog.current_database() THEN NULLIF({since}, '') \
                 ELSE EXTRACT(epoch FROM s.stats_reset)::pg_catalog.text END)"
    );
    format!(
        "SELECT s.datname AS database_name, s.*, c.*, \
                s.datname = pg_catalog.current_database() AS is_local, \
                CASE WHEN s.datname = pg_catalog.current_database() THEN pg_catalog.to_timestamp(NULLIF({since}, '')::pg_catalog.float8) \
                     ELSE s.stats_reset END AS stats_reset, \
                {} AS databases_mark \
         FROM (SELECT a.* FROM pg_catalog.pg_stat_database a ORDER BY a.datid) s \
         LEFT JOIN pg_catalog.pg_stat_database_conflicts c ON c.datid = s.datid",
        server.mark(&member)
    )
}

fn read(scope: &Scope, parts: &mut dyn Parts) -> Result<Reading> {
    // The files are looked at one by one, so not at every tick; unknown where that fails.
    let size = match scope.depth {
        Depth::Full => parts.apart(|| Ok(database_size().ok()))?,
        Depth::Tick => None,
    };
    let databases = parts.part(|| {
        let sql = databases(&Dialect::HERE, "$1");
        rows::select(&sql, &[scope.counting_since.as_str().into()])
    })?;
    // Here, where pg_database is read anyway: who locks it holds up no other collector.
    if scope.depth == Depth::Full {
        parts.part(|| node::note_database_name(&scope.node_id))?;
    }
    Ok(reading(scope, databases, size))
}

/// Since when the counters of database `s` count, as far as the server itself tells.
const RESET: &str = "COALESCE(EXTRACT(epoch FROM s.stats_reset)::pg_catalog.text, '')";

/// For a target.
fn queries(asking: &Asking) -> Result<Vec<String>> {
    let since = match asking.counting_since {
        Some(since) => quote_literal(since),
        None => RESET.to_owned(),
    };
    let mut queries = vec![databases(&asking.dialect(), &since)];
    if asking.depth == Depth::Full {
        let size = "SELECT pg_catalog.pg_database_size(pg_catalog.current_database()) AS bytes";
        queries.push(size.to_owned());
    }
    Ok(queries)
}

fn reading_of_target(scope: &Scope, answers: Vec<Vec<Row>>) -> Result<Reading> {
    let mut answers = answers.into_iter();
    let databases = answers.next().unwrap_or_default();
    let size = answers.next().into_iter().flatten();
    let bytes = size.filter_map(|row| row.get("bytes")?.as_u64()).next();
    Ok(reading(scope, databases, bytes))
}

/// `size`: that of this database, in bytes.
fn reading(scope: &Scope, mut databases: Vec<Row>, size: Option<u64>) -> Reading {
    let timed = ["blk_read_time", "blk_write_time"];
    rows::forget_untimed(&mut databases, scope.timing.io, &timed);
    // It is the same in each row except the sum's.
    let mark = |row: &mut Row| row.remove("databases_mark");
    let mark = databases
        .iter_mut()
        .filter_map(mark)
        .reduce(|first, _| first);
    let mut all = rows::total(&databases);
    all.remove("database_name");
    all.extend(mark.map(|mark| ("databases_mark".to_owned(), mark)));
    let is_local = |row: &Row| row.get("is_local").and_then(|local| local.as_bool()) == Some(true);
    let mut local = databases.into_iter().find(is_local).unwrap_or_default();
    local.extend(size.map(|bytes| ("size_bytes".to_owned(), bytes.into())));
    Reading::of("database_history", rows::values(vec![local, all]))
}
