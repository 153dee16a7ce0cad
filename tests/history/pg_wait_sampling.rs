//! Waits as pg_wait_sampling counts them, against its own profile by hand and against what a session did.

use crate::common::Cluster;
use crate::common::runs::Runs;
use postgres::Client;
use std::time::Instant;

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
    let metric = session.value(
        "SELECT count(*) FROM regexp_matches(pgperf.metrics(), 'pgperf_waited_seconds_total{wait_event_type=\"Timeout\",wait_event=\"PgSleep\",in_statement=\"true\"} [0-9.]+')",
    );
    assert_eq!(metric, "1");
    // A reset, which is not ours to do: what fell has no difference.
    session.value("SELECT \"Odd one\".pg_wait_sampling_reset_profile()");
    sleeper.value("SELECT pg_sleep(1)");
    let sample = snapshot(&mut session);
    assert_eq!(slept_since(&mut session, sample), "10|t");
    assert_eq!(shown(&mut session, "seconds").parse().ok(), Some(seconds));
}

#[test]
fn a_statement_has_the_time_that_it_waited() {
    const SLEEPS: &str = "SELECT pg_sleep(1) AS sleeper";
    let cluster = Cluster::with_pgperf(&[PRELOADED]);
    let mut session = cluster.connect();
    session.batch_execute(INSTALLED).expect("the extension");
    let taken = |session: &mut Client| {
        session.value(
            "SELECT max(sample_id) FROM pgperf.snapshot('{statements}') WHERE status = 'ok'",
        );
    };
    let waited = |session: &mut Client, relation: &str| {
        session.value(&format!(
            "SELECT coalesce(h.wait_time::text, 'unknown') FROM pgperf.{relation} h JOIN pgperf.statement_texts t USING (node_id, queryid, dbid) \
             WHERE t.query LIKE 'SELECT pg_sleep(%) AS sleeper' ORDER BY h.sample_id DESC LIMIT 1"
        ))
    };
    let by_hand = "SELECT 10 * sum(p.count) FROM \"Odd one\".pg_wait_sampling_profile p JOIN pg_stat_statements s USING (queryid) WHERE s.query LIKE 'SELECT pg_sleep(%) AS sleeper'";
    session.value(SLEEPS);
    taken(&mut session);
    let before = session.number(by_hand);
    session.value(SLEEPS);
    let after = session.number(by_hand);
    taken(&mut session);
    assert!(before > 300 && after > before + 300, "{before} {after}");
    assert_eq!(waited(&mut session, "statement_history"), after.to_string());
    assert_eq!(
        waited(&mut session, "statement_rates"),
        (after - before).to_string()
    );
    let listed = session.value(
        "SELECT r ->> 'wait_s' FROM pgperf.history_json(now() - interval '1 min', clock_timestamp()) d, jsonb_array_elements(d -> 'sections') s, \
              jsonb_array_elements(s -> 'tables') t, jsonb_array_elements(t -> 'rows') r \
         WHERE s ->> 'name' = 'statements' AND t ->> 'name' = 'top' AND r ->> 'list' = 'By time' AND r ->> 'query' LIKE 'SELECT pg_sleep(%) AS sleeper'",
    );
    assert_eq!(listed.parse().ok(), Some((after - before) as f64 / 1000.0));
    // Of two roles that run it, the profile does not say which one waited.
    session
        .batch_execute("CREATE ROLE other; SET ROLE other")
        .expect("another role");
    session.value(SLEEPS);
    session.batch_execute("RESET ROLE").expect("the role");
    taken(&mut session);
    assert_eq!(waited(&mut session, "statement_history"), "unknown");
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
    assert_eq!(
        session.value(DOCTOR),
        "ok: in the history: waits as it samples them, a hundred times a second by default"
    );
}
