//! The time between checkpoints, compared with the length of runs: a run with one more checkpoint than another is slower.

use super::finding::{Finding, Status, size};
use super::settings::Settings;
use crate::collect::SERVER_MAJOR;
use crate::error::Result;
use crate::pg::sql::spi;
use crate::pg::sql::subxact::subtransaction;
use serde::Deserialize;

pub fn check(settings: &Settings) -> Result<Vec<Finding>> {
    let limits = Limits {
        timeout_s: settings.number("checkpoint_timeout") / 1000.0,
        max_wal_size: settings.number("max_wal_size"),
        completion_target: settings.number("checkpoint_completion_target"),
    };
    let newest = newest_run();
    Ok(vec![
        requested(settings, &counters()?, newest.as_ref(), &limits),
        spacing(settings, newest.as_ref(), &limits),
    ])
}

struct Limits {
    timeout_s: f64,
    max_wal_size: f64,
    completion_target: f64,
}

impl Limits {
    /// The amount of WAL after which a checkpoint is requested (xlog.c CalculateCheckpointSegments).
    fn wal_between(&self) -> f64 {
        self.max_wal_size / (1.0 + self.completion_target)
    }

    /// The max_wal_size, in whole GB, with which checkpoints are timed at this many bytes per second.
    fn enough_for(&self, bytes_per_s: f64) -> String {
        let bytes = bytes_per_s * self.timeout_s * (1.0 + self.completion_target);
        format!("'{:.0}GB'", (1.2 * bytes / 1_073_741_824.0).ceil().max(2.0))
    }
}

#[derive(Deserialize)]
struct Counters {
    timed: f64,
    requested: f64,
    /// Bytes of WAL in the time of these checkpoints; None: the statistics of WAL are younger, or it is written elsewhere.
    wal_bytes: Option<f64>,
    /// Bytes of WAL per second since its statistics began.
    wal_per_s: Option<f64>,
}

fn counters() -> Result<Counters> {
    let checkpoints = if SERVER_MAJOR >= 17 {
        "SELECT num_timed AS timed, num_requested AS requested, stats_reset FROM pg_catalog.pg_stat_checkpointer"
    } else {
        "SELECT checkpoints_timed AS timed, checkpoints_req AS requested, stats_reset FROM pg_catalog.pg_stat_bgwriter"
    };
    let counters = spi::select_one(
        &format!(
            "SELECT c.timed, c.requested, \
                    CASE WHEN w.stats_reset < c.stats_reset + '1 minute'::pg_catalog.interval \
                           AND NOT pg_catalog.pg_is_in_recovery() THEN w.wal_bytes END AS wal_bytes, \
                    w.wal_bytes / NULLIF(EXTRACT(epoch FROM pg_catalog.clock_timestamp() - w.stats_reset), 0) AS wal_per_s \
             FROM ({checkpoints}) c CROSS JOIN pg_catalog.pg_stat_wal w"
        ),
        &[],
    )?;
    Ok(counters.unwrap_or(Counters {
        timed: 0.0,
        requested: 0.0,
        wal_bytes: None,
        wal_per_s: None,
    }))
}

/// Fewer than this say nothing: loads and backups request some.
const SOME_CHECKPOINTS: f64 = 5.0;

fn requested(
    settings: &Settings,
    counters: &Counters,
    run: Option<&NewestRun>,
    limits: &Limits,
) -> Finding {
    const CHECK: &str = "checkpoints_requested";
    let (timed, requested) = (counters.timed, counters.requested);
    let detail = format!(
        "{requested:.0} of {:.0} were requested, not timed",
        timed + requested
    );
    // A command requests one, too: as many are the WAL's as there is WAL for.
    let by_wal = (counters.wal_bytes).map_or(requested, |bytes| {
        (bytes / limits.wal_between()).floor().min(requested)
    });
    if by_wal >= SOME_CHECKPOINTS && by_wal > timed {
        let detail = format!("{detail}: max_wal_size is small for the amount of WAL");
        // The run's is the higher one where the server was idle for most of the time.
        let of_run = run.map_or(0.0, NewestRun::wal_per_s);
        let enough = limits.enough_for(counters.wal_per_s.unwrap_or(0.0).max(of_run));
        return Finding::new(CHECK, Status::Warning, detail)
            .mended_by(settings.fix("max_wal_size", &enough));
    }
    let detail = match requested > timed {
        true => format!("{detail}, about {by_wal:.0} of them because of the WAL"),
        false => detail,
    };
    Finding::ok(CHECK, detail)
}

/// The newest run that the caller may read.
#[derive(Deserialize)]
struct NewestRun {
    seconds: f64,
    wal_bytes: f64,
}

impl NewestRun {
    fn wal_per_s(&self) -> f64 {
        self.wal_bytes / self.seconds
    }
}

fn newest_run() -> Option<NewestRun> {
    let newest = || {
        spi::select_one(
            "SELECT EXTRACT(epoch FROM r.ended_at - r.measured_at) AS seconds, r.end_lsn - r.start_lsn AS wal_bytes \
             FROM pgperf_internal.stored_runs r \
             WHERE r.kind = 'run' AND r.end_lsn > r.start_lsn AND r.ended_at > r.measured_at \
               AND r.origin_node_id IS NULL AND r.resumed_at IS NULL \
             ORDER BY r.run_id DESC LIMIT 1",
            &[],
        )
    };
    subtransaction(newest).ok()?.ok()?
}

/// A run with this many cycles averages over them.
const ENOUGH_CYCLES: f64 = 3.0;
/// The server's default of max_wal_size: with less, a load of any size is one checkpoint after the other.
const USUAL_WAL_SIZE: f64 = 1_073_741_824.0;
/// A run shorter than this part of a cycle rarely has a checkpoint.
const RARE: f64 = 0.05;

fn spacing(settings: &Settings, run: Option<&NewestRun>, limits: &Limits) -> Finding {
    const CHECK: &str = "checkpoint_spacing";
    let by_timeout = limits.timeout_s;
    let by_size = size(limits.wal_between());
    let Some(run) = run else {
        let detail = format!("a checkpoint every {by_timeout:.0} s, or after {by_size} of WAL");
        if limits.max_wal_size < USUAL_WAL_SIZE {
            let detail = format!("{detail}: a busy run has one after the other");
            return Finding::new(CHECK, Status::Warning, detail)
                .mended_by(settings.fix("max_wal_size", &limits.enough_for(0.0)));
        }
        let detail = format!("{detail}; there is no run to compare with that the caller may read");
        return Finding::unknown(CHECK, detail);
    };
    let wal_per_s = run.wal_per_s();
    let by_wal = limits.wal_between() / wal_per_s;
    let every = by_wal.min(by_timeout);
    let detail = format!(
        "at the newest run's {} of WAL per second, a checkpoint comes every {every:.0} s (the run: {:.0} s)",
        size(wal_per_s),
        run.seconds
    );
    if run.seconds >= ENOUGH_CYCLES * every || run.seconds <= RARE * every {
        return Finding::ok(CHECK, detail);
    }
    let detail = format!(
        "{detail}: chance decides whether one falls into a run; CHECKPOINT before each run, or run for at least {:.0} s",
        ENOUGH_CYCLES * every
    );
    let fix = (by_wal < by_timeout)
        .then(|| settings.fix("max_wal_size", &limits.enough_for(wal_per_s)))
        .flatten();
    Finding::new(CHECK, Status::Warning, detail).mended_by(fix)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits {
        timeout_s: 300.0,
        max_wal_size: 1_073_741_824.0,
        completion_target: 0.9,
    };

    fn settings() -> Settings {
        Settings::of(&[("max_wal_size", "1024", "default")])
    }

    #[test]
    fn the_size_follows_from_the_rate() {
        // 10 MB/s for 300 s and nine tenths of that again, and a fifth more.
        assert_eq!(LIMITS.enough_for(10.0 * 1_048_576.0), "'7GB'");
        assert_eq!(LIMITS.enough_for(0.0), "'2GB'");
    }

    #[test]
    fn a_run_of_one_cycle_is_chance() {
        let of = |seconds: f64, mb_per_s: f64| {
            let run = NewestRun {
                seconds,
                wal_bytes: seconds * mb_per_s * 1_048_576.0,
            };
            spacing(&settings(), Some(&run), &LIMITS)
        };
        let short = of(60.0, 10.0);
        assert_eq!(short.status, Status::Warning);
        assert_eq!(short.fix.unwrap(), "ALTER SYSTEM SET max_wal_size = '7GB'");
        assert_eq!(of(10.0, 0.1).status, Status::Ok, "rarely");
        assert!(of(60.0, 0.1).fix.is_none(), "those come by the clock");
        assert_eq!(of(3600.0, 10.0).status, Status::Ok);
        assert_eq!(spacing(&settings(), None, &LIMITS).status, Status::Unknown);
        let small = Limits {
            max_wal_size: 3e7,
            ..LIMITS
        };
        let small = spacing(&settings(), None, &small);
        assert_eq!(small.fix.unwrap(), "ALTER SYSTEM SET max_wal_size = '2GB'");
    }

    #[test]
    fn many_requested_checkpoints_are_told() {
        let finding = |timed, counted, by_wal: f64| {
            let counters = Counters {
                timed,
                requested: counted,
                wal_bytes: Some(by_wal * LIMITS.wal_between()),
                wal_per_s: Some(1e7),
            };
            requested(&settings(), &counters, None, &LIMITS)
        };
        let status = |timed, counted| finding(timed, counted, counted).status;
        assert_eq!(status(0.0, 2.0), Status::Ok);
        assert_eq!(status(3.0, 20.0), Status::Warning);
        assert_eq!(status(30.0, 20.0), Status::Ok);
        // CHECKPOINT, twenty times.
        let commands = finding(3.0, 20.0, 2.5);
        assert_eq!(commands.status, Status::Ok);
        assert!(commands.fix.is_none());
        assert_eq!(
            commands.detail,
            "20 of 23 were requested, not timed, about 2 of them because of the WAL"
        );
    }

    #[test]
    fn both_findings_ask_for_the_same_size() {
        let counters = Counters {
            timed: 3.0,
            requested: 20.0,
            wal_bytes: Some(20.0 * LIMITS.wal_between()),
            wal_per_s: Some(1e3),
        };
        let run = NewestRun {
            seconds: 60.0,
            wal_bytes: 60.0 * 10.0 * 1_048_576.0,
        };
        let requested = requested(&settings(), &counters, Some(&run), &LIMITS);
        assert_eq!(requested.fix, spacing(&settings(), Some(&run), &LIMITS).fix);
    }
}
