//! Wait events of sessions: one observation of all sessions of the server, and many of a run's clients.

use crate::collect::collector::{Collector, Cost, InRuns, InVisits, Read, Reading, Scope};
use crate::collect::of_target::{Dialect, TargetSource, source::only};
use crate::collect::rows;
use crate::error::Result;

/// See the module.
pub const COLLECTOR: Collector = Collector {
    name: "waits",
    cost: Cost::Light,
    sample_interval_s: 10,
    keeps_interval: true,
    in_runs: InRuns::EveryInterval,
    in_visits: InVisits::Never,
    since_major: None,
    needs: None,
    watches_clients: true,
    report: None,
    history_tables: &["wait_history"],
    description: "sessions by kind of process, state and wait event; a run's clients every 10 ms",
    of_target: Some(TargetSource {
        since_major: None,
        queries: |asking| Ok(vec![activity(&asking.dialect())]),
        reading: |_, answers| Ok(Reading::of("wait_history", rows::values(only(answers)))),
    }),
    read: Read::AtOnce(read),
};

/// One look at all sessions but this one. Processes that wait for work are left out.
fn activity(server: &Dialect) -> String {
    let backend_type = server.since(10, "a.backend_type", "NULL::pg_catalog.text");
    format!(
        "SELECT 'activity' AS source, {backend_type} AS backend_type, a.state, a.wait_event_type, a.wait_event, \
                1 AS looks, pg_catalog.count(*) AS seen \
         FROM pg_catalog.pg_stat_activity a \
         WHERE a.pid <> pg_catalog.pg_backend_pid() AND a.wait_event_type IS DISTINCT FROM 'Activity' \
         GROUP BY 2, 3, 4, 5"
    )
}

fn read(scope: &Scope) -> Result<Reading> {
    let mut all = rows::select(&activity(&Dialect::HERE), &[])?;
    all.extend(scope.watched.clients.rows());
    Ok(Reading::of("wait_history", rows::values(all)))
}
