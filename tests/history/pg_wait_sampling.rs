//! Waits as pg_wait_sampling counts them, against its own profile by hand and against what a session did.

use crate::common::runs::Runs;
use crate::common::{Cluster, wait_until};
use postgres::Client;
use std::time::{Duration, Instant};

const PRELOADED: &str = "shared_preload_libraries = 'pg_stat_statements, pg_wait_sampling'";
/// In a schema whose name has to be quoted.
const INSTALLED: &str =
    "CREATE SCHEMA \"Odd one\"; CREATE EXTENSION pg_wait_sampling SCHEMA \"Odd one\"";
/// How often somebody was seen sleeping in a statement.
const SLEPT: &str = "SELECT coalesce(sum(count), 0)::bigint FROM \"Odd one\".pg_wait_sampling_profile WHERE event = 'PgSleep'";

fn snapshot(session: &mut Client) -> i64 {
    session
        .number("SELECT max(sample_id) FROM pgperf.snapshot('{wait_profile}') WHERE status = 'ok'")
}

/// A figure of sleeping in the section of waits: of a minute, a third of a second of which is a point.
fn shown(session: &mut Client, figure: &str) -> String {
    session.value(&format!(
        "SELECT coalesce(max(r ->> '{figure}'), 'none') FROM pgperf.history_json(now() - interval '1 min', clock_timestamp()) d, \
              jsonb_array_elements(d -> 'sections') s, jsonb_array_elements(s -> 'tables') t, jsonb_array_elements(t -> 'rows') r \
         WHERE s ->> 'name' = 'waits' AND t ->> 'name' = 'profile' AND r ->> 'event' = 'PgSleep'"
    ))
}

fn slept_since(session: &mut Client, sample: i64) -> String {
    session.value(&format!(
        "SELECT concat_ws('|', samples, period_ms, in_statement) FROM pgperf.wait_profile_deltas WHERE sample_id = {sample} AND wait_event = 'PgSleep'"
    ))
}

#[test]
fn waits_are_those_of_its_profile_and_of_the_clock() {
    let cluster = Cluster::with_pgperf(&[PRELOADED]);
    let (mut session, mut sleeper) = (cluster.connect(), cluster.connect());
    session.batch_execute(INSTALLED).expect("the extension");
    sleeper.value("SELECT pg_sleep(0.2)");
    snapshot(&mut session);
    let (before, started) = (session.number(SLEPT), Instant::now());
    sleeper.value("SELECT pg_sleep(2)");
    let (after, elapsed_s) = (session.number(SLEPT), started.elapsed().as_secs_f64());
    let sample = snapshot(&mut session);
    assert_eq!(
        slept_since(&mut session, sample),
        format!("{}|10|t", after - before)
    );
    // It looks less often than it should where the machine is busy.
    let seconds: f64 = shown(&mut session, "seconds").parse().expect("a time");
    assert!((seconds - (after - before) as f64 / 100.0).abs() < 1e-9);
    assert!(
        seconds > 1.0 && seconds <= elapsed_s + 0.02,
        "{seconds} s of {elapsed_s} s"
    );
    let share: f64 = shown(&mut session, "percent").parse().expect("a share");
    assert!(share > 50.0 && share <= 100.0, "{share}");
    // What waits for work, or for its client, is no wait of the section.
    let idle = session.value(
        "SELECT count(*) FILTER (WHERE wait_event_type = 'Activity') || '|' || bool_or(wait_event = 'ClientRead' AND NOT in_statement) FROM pgperf.wait_profile_history",
    );
    assert_eq!(idle, "0|true");
    // A reset, which is not ours to do: what fell has no difference.
    session.value("SELECT \"Odd one\".pg_wait_sampling_reset_profile()");
    sleeper.value("SELECT pg_sleep(1)");
    let sample = snapshot(&mut session);
    assert_eq!(slept_since(&mut session, sample), "10|t");
    assert_eq!(shown(&mut session, "seconds").parse().ok(), Some(seconds));
    // Nor is known how long the looks between two periods stand for.
    session.value("ALTER SYSTEM SET pg_wait_sampling.profile_period = 20");
    session.value("SELECT pg_reload_conf()");
    sleeper.value("SELECT pg_sleep(1)");
    let sample = snapshot(&mut session);
    assert!(slept_since(&mut session, sample).ends_with("|20|t"));
    assert_eq!(shown(&mut session, "seconds").parse().ok(), Some(seconds));
}

#[test]
fn without_it_there_are_no_rows_and_nothing_else_is_missing() {
    const DOCTOR: &str = "SELECT status || ': ' || split_part(detail, ';', 1) || coalesce(': ' || fix_sql, '') FROM pgperf.doctor() WHERE check_name = 'pg_wait_sampling'";
    const OUTCOME: &str = "SELECT status || ' ' || rows || coalesce(': ' || reason, '') FROM pgperf.snapshot('{wait_profile}')";
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    assert_eq!(session.value(DOCTOR), "ok: not preloaded, and not required");
    assert_eq!(session.value(OUTCOME), "ok 0");
    session.batch_execute(INSTALLED).expect("the extension");
    let outcome = session.value(OUTCOME);
    let reason = outcome.strip_prefix("ok 0: ").expect(&outcome);
    assert!(reason.starts_with("pg_wait_sampling: "), "{reason}");
    assert_eq!(
        session.value(DOCTOR),
        format!("warning: nothing can be read, as in the history: {reason}")
    );
    let cluster = Cluster::with_pgperf(&[PRELOADED]);
    let mut session = cluster.connect();
    assert_eq!(
        session.value(DOCTOR),
        "warning: preloaded, but not in this database: CREATE EXTENSION pg_wait_sampling"
    );
    session.batch_execute(INSTALLED).expect("the extension");
    let read = "in the history: waits as it samples them, a hundred times a second by default";
    let fix = "ALTER SYSTEM SET pg_wait_sampling.profile_pid = off";
    assert_eq!(session.value(DOCTOR), format!("warning: {read}: {fix}"));
    session.batch_execute(fix).expect("the fix");
    session.value("SELECT pg_reload_conf()");
    let is_ok = || session.value(DOCTOR) == format!("ok: {read}");
    wait_until("the reload", Duration::from_secs(10), is_ok);
}
