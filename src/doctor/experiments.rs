//! Conditions that would falsify an experiment: other runs and sweeps, jobs of pg_cron; a server on which nothing resumes a
//! sweep after a restart, or that cannot empty its caches; turns about as long as the time between two checkpoints or
//! vacuums.

use super::finding::{Finding, Status};
use super::settings::Settings;
use crate::error::Result;
use crate::guc::split_names;
use crate::pg::sql::spi;
use crate::pg::sql::subxact::subtransaction;
use crate::run::caches::eviction;
use crate::show::text::count;
use measure::turns::BLOCK;
use serde::Deserialize;

/// Runs and sweeps of all databases.
pub fn under_way(_: &Settings) -> Result<Vec<Finding>> {
    const CHECK: &str = "runs_under_way";
    #[derive(Deserialize)]
    struct RunningWork {
        sees_all: bool,
        names: Option<String>,
    }
    let seen: Option<RunningWork> = spi::select_one(
        "SELECT pg_catalog.pg_has_role('pg_read_all_stats', 'USAGE') AS sees_all, \
                pg_catalog.string_agg(pg_catalog.format('%s in database %s', a.application_name, a.datname), ', ' ORDER BY a.pid) AS names \
           FROM pg_catalog.pg_stat_activity a WHERE a.backend_type IN ('pgperf leader', 'pgperf sweep')",
        &[],
    )?;
    let finding = match seen.filter(|seen| seen.sees_all) {
        None => Finding::unknown(
            CHECK,
            "other sessions are shown to members of pg_read_all_stats only",
        ),
        Some(RunningWork {
            names: Some(names), ..
        }) => {
            let detail = format!("a measurement now would disturb others, and they it: {names}");
            Finding::new(CHECK, Status::Warning, detail)
        }
        Some(_) => Finding::ok(CHECK, "neither a run nor a sweep is under way".to_owned()),
    };
    Ok(vec![finding])
}

/// Jobs that pg_cron starts by the clock.
pub fn jobs(settings: &Settings) -> Result<Vec<Finding>> {
    const CHECK: &str = "scheduled_jobs";
    #[derive(Deserialize)]
    struct Jobs {
        active: i64,
        names: Option<String>,
    }
    let is_here = spi::holds(
        "EXISTS (SELECT FROM pg_catalog.pg_extension e WHERE e.extname = 'pg_cron')",
        &[],
    )?;
    if !is_here {
        let finding = match settings.text("cron.database_name") {
            "" => Finding::ok(CHECK, "the server has no pg_cron".to_owned()),
            database => Finding::unknown(
                CHECK,
                format!("the jobs of pg_cron are shown in database {database} only"),
            ),
        };
        return Ok(vec![finding]);
    }
    let jobs: Option<Jobs> = spi::select_one(
        "SELECT pg_catalog.count(*) AS active, \
                pg_catalog.string_agg(pg_catalog.format('%s (%s)', coalesce(j.jobname::pg_catalog.text, j.jobid::pg_catalog.text), j.schedule), ', ' ORDER BY j.jobid) AS names \
           FROM cron.job j WHERE j.active",
        &[],
    )?;
    Ok(vec![match jobs {
        Some(Jobs {
            active,
            names: Some(names),
        }) => Finding::new(
            CHECK,
            Status::Warning,
            format!(
                "{} of pg_cron may run beside a measurement: {names}",
                count(active, "active job")
            ),
        ),
        _ => Finding::ok(CHECK, "pg_cron has no active job to be seen".to_owned()),
    }])
}

/// The newest run that the caller may read.
#[derive(Debug, Default, Deserialize)]
struct Newest {
    caches: Option<String>,
    /// The length of its turns in seconds.
    every_s: Option<f64>,
}

fn newest() -> Newest {
    let newest = || {
        spi::select_one(
            "SELECT r.spec ->> 'caches' AS caches, (r.spec #>> '{alternate,every_s}')::pg_catalog.float8 AS every_s \
               FROM pgperf_internal.stored_runs r WHERE r.kind = 'run' AND r.origin_node_id IS NULL \
              ORDER BY r.run_id DESC LIMIT 1",
            &[],
        )
    };
    let newest = subtransaction(newest).ok().and_then(Result::ok).flatten();
    newest.unwrap_or_default()
}

/// What sweeps and runs ask of the server.
pub fn needs(settings: &Settings) -> Result<Vec<Finding>> {
    let newest = newest();
    let waits = || {
        spi::holds(
            "EXISTS (SELECT FROM pgperf.sweeps w WHERE w.status = 'needs restart')",
            &[],
        )
    };
    let waits = subtransaction(waits).is_ok_and(|waits| waits.unwrap_or(false));
    Ok(vec![
        restarts(settings, waits),
        cold_caches(&newest, eviction()?.err()),
        turn_length(settings, &newest),
    ])
}

/// `waits`: whether a sweep waits for a restart.
fn restarts(settings: &Settings, waits: bool) -> Finding {
    const CHECK: &str = "after_restart";
    const LIBRARIES: &str = "shared_preload_libraries";
    if settings.get(LIBRARIES).is_none() {
        return Finding::unknown(
            CHECK,
            "shared_preload_libraries is shown to members of pg_read_all_settings only",
        );
    }
    let names = split_names(settings.text(LIBRARIES));
    if names.iter().any(|name| name == "pgperf") {
        let detail = "preloaded: sweeps and runs that can be resumed go on after a restart";
        return Finding::ok(CHECK, detail.to_owned());
    }
    let detail = "pgperf is not in shared_preload_libraries: nobody makes sweeps go on after a restart, or puts back settings after a crash";
    if !waits && settings.text("pgperf.restart_command").is_empty() {
        return Finding::ok(CHECK, detail.to_owned());
    }
    Finding::new(
        CHECK,
        Status::Warning,
        format!("{detail} (takes a restart)"),
    )
    // The same list as that of another finding, which a later statement would override.
    .mended_by(settings.preload(&["pg_stat_statements", "pgperf"]))
}

/// `why_not`: why shared_buffers cannot be emptied.
fn cold_caches(newest: &Newest, why_not: Option<String>) -> Finding {
    const CHECK: &str = "cold_caches";
    match why_not {
        None => Finding::ok(CHECK, "caches => 'cold' empties shared_buffers".to_owned()),
        Some(why) if newest.caches.as_deref() == Some("cold") => Finding::new(
            CHECK,
            Status::Warning,
            format!("the newest run wanted cold caches, but {why}"),
        ),
        Some(why) => Finding::ok(CHECK, format!("with caches => 'cold', {why}")),
    }
}

fn turn_length(settings: &Settings, newest: &Newest) -> Finding {
    const CHECK: &str = "turn_length";
    let Some(every_s) = newest.every_s else {
        return Finding::ok(CHECK, "the newest run had no turns".to_owned());
    };
    let vacuums = settings.is_on("autovacuum").then_some("autovacuum_naptime");
    let settings = [Some("checkpoint_timeout"), vacuums]
        .into_iter()
        .flatten()
        .map(|name| (name, settings.number(name) / 1000.0));
    // In a shorter time each turn has its share, and in a longer one hardly any block has one.
    let near = |period: f64| period >= every_s / 2.0 && period <= every_s * BLOCK as f64;
    let near: Vec<String> = settings
        .filter(|(_, period)| near(*period))
        .map(|(name, period)| format!("{name} ({period:.0} s)"))
        .collect();
    if near.is_empty() {
        let detail = format!(
            "turns of {every_s} s, as those of the newest run, are far from checkpoint_timeout and autovacuum_naptime"
        );
        return Finding::ok(CHECK, detail);
    }
    let detail = format!(
        "turns of {every_s} s, as those of the newest run, are about as long as {}: some have what happens then, others do not; take much shorter ones",
        near.join(" and ")
    );
    Finding::new(CHECK, Status::Warning, detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "configuration file";

    #[test]
    fn a_server_that_is_restarted_by_itself_has_to_go_on_by_itself() {
        let with = |libraries, command| {
            Settings::of(&[
                ("shared_preload_libraries", libraries, FILE),
                ("pgperf.restart_command", command, FILE),
            ])
        };
        assert_eq!(restarts(&with("", ""), false).status, Status::Ok);
        assert_eq!(restarts(&with("pgperf", "x"), true).status, Status::Ok);
        assert_eq!(restarts(&with("", ""), true).status, Status::Warning);
        let mended = restarts(&with("\"odd,name\"", "pg_ctl restart"), false);
        assert_eq!(mended.status, Status::Warning);
        assert_eq!(
            mended.fix.unwrap(),
            "ALTER SYSTEM SET shared_preload_libraries = 'odd,name', 'pg_stat_statements', 'pgperf'"
        );
        assert_eq!(restarts(&Settings::of(&[]), true).status, Status::Unknown);
    }

    #[test]
    fn caches_that_stay_warm_are_told_where_they_should_be_cold() {
        let of = |caches: Option<&str>, why: Option<&str>| {
            let newest = Newest {
                caches: caches.map(str::to_owned),
                every_s: None,
            };
            cold_caches(&newest, why.map(str::to_owned)).status
        };
        assert_eq!(of(Some("cold"), Some("they stay")), Status::Warning);
        assert_eq!(of(Some("cold"), None), Status::Ok);
        assert_eq!(of(Some("warm"), Some("they stay")), Status::Ok);
        assert_eq!(of(None, Some("they stay")), Status::Ok);
    }

    #[test]
    fn turns_as_long_as_the_time_between_checkpoints_are_told() {
        let settings = |autovacuum| {
            Settings::of(&[
                ("checkpoint_timeout", "300000", "default"),
                ("autovacuum", autovacuum, "default"),
                ("autovacuum_naptime", "60000", "default"),
            ])
        };
        let of = |autovacuum, every_s| {
            let newest = Newest {
                caches: None,
                every_s,
            };
            turn_length(&settings(autovacuum), &newest)
        };
        assert_eq!(of("on", None).status, Status::Ok);
        assert_eq!(of("on", Some(5.0)).status, Status::Ok, "a block of 20 s");
        let minute = of("on", Some(60.0));
        assert_eq!(minute.status, Status::Warning);
        assert!(
            minute.detail.contains("autovacuum_naptime (60 s)") && !minute.detail.contains("300 s"),
            "{}",
            minute.detail
        );
        assert_eq!(of("off", Some(60.0)).status, Status::Ok);
        assert_eq!(of("off", Some(100.0)).status, Status::Warning);
        assert_eq!(of("off", Some(3600.0)).status, Status::Ok);
    }
}
