//! Room for clients, and other sessions.

use super::finding::{Finding, Status};
use super::settings::Settings;
use crate::collect::of_target::Dialect;
use crate::error::Result;
use crate::facts::environment::machine;
use crate::pg::process::worker;
use crate::pg::sql::spi;
use crate::subject::wraparound::horizon_holders;
use serde::Deserialize;

pub fn workers(settings: &Settings) -> Result<Vec<Finding>> {
    let (free, limit) = (worker::free_slots(), worker::slots());
    Ok(vec![worker_slots(settings, free, limit, machine::cpus())])
}

/// With four clients per CPU a server is saturated; one more slot is the leader's, and parallel query has its own.
fn worker_slots(settings: &Settings, free: i32, limit: i32, cpus: usize) -> Finding {
    const CHECK: &str = "worker_slots";
    let parallel = settings.number("max_parallel_workers").max(0.0) as i32;
    let wanted = 4 * i32::try_from(cpus).unwrap_or(1);
    let clients = (free - 1).max(0);
    let detail = format!("room for {clients} clients ({free} of {limit} worker slots are free)");
    if clients >= wanted {
        return Finding::ok(CHECK, detail);
    }
    let status = match clients {
        0 => Status::Problem,
        _ => Status::Warning,
    };
    let needed = (limit - free) + 1 + wanted + parallel;
    Finding::new(
        CHECK,
        status,
        format!("{detail}; {cpus} CPUs are saturated by about {wanted} (takes a restart)"),
    )
    .mended_by(settings.fix("max_worker_processes", &needed.to_string()))
}

pub fn check(_: &Settings) -> Result<Vec<Finding>> {
    #[derive(Deserialize)]
    struct SessionCounts {
        sees_all: bool,
        sessions: i64,
        active: i64,
        names: Option<String>,
    }
    let seen: Option<SessionCounts> = spi::select_one(
        "SELECT pg_catalog.pg_has_role('pg_read_all_stats', 'USAGE') AS sees_all, \
                pg_catalog.count(*) AS sessions, \
                pg_catalog.count(*) FILTER (WHERE a.state <> 'idle') AS active, \
                pg_catalog.string_agg(DISTINCT NULLIF(a.application_name, ''), ', ') \
                    FILTER (WHERE a.state <> 'idle') AS names \
         FROM pg_catalog.pg_stat_activity a \
         WHERE a.backend_type IN ('client backend', 'pgperf client') AND a.pid <> pg_catalog.pg_backend_pid()",
        &[],
    )?;
    let Some(seen) = seen.filter(|seen| seen.sees_all) else {
        let checks = ["other_sessions", "horizon"];
        return Ok(checks.map(|check| Finding::unknown(check, HIDDEN)).into());
    };
    let detail = format!(
        "{} other sessions, {} of them active",
        seen.sessions, seen.active
    );
    let sessions = match (seen.active, seen.names) {
        (0, _) => Finding::ok("other_sessions", detail),
        (_, names) => {
            let names = names.map(|names| format!(": {names}")).unwrap_or_default();
            let detail = format!("{detail}{names}");
            Finding::new("other_sessions", Status::Warning, detail)
        }
    };
    Ok(vec![sessions, horizon()?])
}

const HIDDEN: &str = "other sessions are shown to members of pg_read_all_stats only";

#[derive(Deserialize)]
struct Holder {
    kind: String,
    name: Option<String>,
    pid: Option<i64>,
    /// Seconds.
    since: Option<f64>,
    age: i64,
}

/// No statement is offered to end it: it is somebody's work.
fn horizon() -> Result<Finding> {
    let holder = spi::select_one(
        &format!(
            "{} SELECT h.kind, h.name, h.pid, \
                EXTRACT(epoch FROM pg_catalog.clock_timestamp() - h.since) AS since, h.age \
             FROM holders h WHERE NOT h.catalogs_only ORDER BY h.age DESC, h.since LIMIT 1",
            horizon_holders(&Dialect::HERE)
        ),
        &[],
    )?;
    Ok(of_holder(holder))
}

/// From this many seconds, or transactions, on it keeps dead rows for a run that would otherwise be removed.
const LONG_S: f64 = 30.0;
const MANY_XIDS: i64 = 10_000;

fn of_holder(holder: Option<Holder>) -> Finding {
    const CHECK: &str = "horizon";
    let lasting = |holder: &Holder| {
        holder.kind != "backend"
            || holder.since.is_some_and(|s| s > LONG_S)
            || holder.age > MANY_XIDS
    };
    let Some(holder) = holder.filter(lasting) else {
        return Finding::ok(CHECK, "nothing holds back vacuum".to_owned());
    };
    let Holder {
        kind,
        name,
        pid,
        since,
        age,
    } = holder;
    let pid = pid
        .map(|pid| format!(" of process {pid}"))
        .unwrap_or_default();
    let name = name.map(|name| format!(" \"{name}\"")).unwrap_or_default();
    let since = since.map(|s| format!(" for {s:.0} s")).unwrap_or_default();
    let detail = format!(
        "{kind}{name}{pid} holds back vacuum{since}, {age} transactions: updates get slower and slower"
    );
    Finding::new(CHECK, Status::Problem, detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_slots_are_raised_for_the_machine() {
        let settings = Settings::of(&[
            ("max_worker_processes", "8", "default"),
            ("max_parallel_workers", "8", "default"),
        ]);
        let of = |free| worker_slots(&settings, free, 8, 2);
        let few = of(7);
        assert_eq!(few.status, Status::Warning);
        assert_eq!(
            few.fix.unwrap(),
            "ALTER SYSTEM SET max_worker_processes = 18"
        );
        assert_eq!(of(1).status, Status::Problem);
        assert_eq!(worker_slots(&settings, 30, 32, 2).status, Status::Ok);
    }

    #[test]
    fn only_what_lasts_holds_back() {
        let holder = |kind: &str, since, age| {
            Some(Holder {
                kind: kind.to_owned(),
                name: Some("app".to_owned()),
                pid: Some(7),
                since: Some(since),
                age,
            })
        };
        assert_eq!(of_holder(None).status, Status::Ok);
        assert_eq!(of_holder(holder("backend", 1.0, 5)).status, Status::Ok);
        assert_eq!(
            of_holder(holder("backend", 60.0, 5)).status,
            Status::Problem
        );
        assert_eq!(
            of_holder(holder("backend", 1.0, 20_000)).status,
            Status::Problem
        );
        let prepared = of_holder(holder("prepared transaction", 1.0, 1));
        assert!(
            prepared.detail.contains("\"app\" of process 7"),
            "{}",
            prepared.detail
        );
    }
}
