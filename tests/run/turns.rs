//! Settings and scripts that take turns within a run.

use crate::common::runs::{PATIENCE, Runs};
use crate::common::{Cluster, wait_until};
use postgres::Client;

/// Two clients that say which side they are on, with turns of half a second.
const SAYING: &str = r#"script => 'INSERT INTO said VALUES (current_setting(''turns.side'')); SELECT pg_sleep(0.002);',
    clients => 2, sample_interval => '0.2 s', alternate => '{"turns.side": ["A", "B"]}', alternate_every => '0.5 s',
    settle => '0.1 s'"#;

fn with_said(session: &mut Client) {
    session
        .value("CREATE UNLOGGED TABLE said (side text, at timestamptz DEFAULT clock_timestamp())");
}

/// Waits for an interval of a side in this turn or a later one.
pub fn await_turn(session: &mut Client, run: i64, turn: i64) {
    wait_until(&format!("turn {turn}"), PATIENCE, || {
        session.number(&format!(
            "SELECT count(*) FROM pgperf.run_intervals WHERE run_id = {run} AND turn_no >= {turn} AND side IS NOT NULL"
        )) > 0
    });
}

pub fn stop(session: &mut Client, run: i64) {
    session.value(&format!("SELECT pgperf.stop_run({run})"));
    session.wait_for_status(run, "stopped");
}

/// Expects what holds of the intervals of any run with turns of this length.
pub fn expect_order(session: &mut Client, run: i64, every_s: f64) {
    let none = |session: &mut Client, what: &str, condition: &str| {
        let found = session.value(&format!(
            "SELECT string_agg(format('%s: %s %s', interval_no, turn_no, side), ', ') FROM (SELECT i.*, \
                 lag(i.turn_no) OVER w AS previous, \
                 EXTRACT(epoch FROM i.started_at - min(i.started_at) OVER ())::float8 AS at_s \
               FROM pgperf.run_intervals i WHERE run_id = {run} WINDOW w AS (ORDER BY i.interval_no)) i WHERE {condition}"
        ));
        assert_eq!(found, "", "{what}");
    };
    none(session, "no turn", "turn_no IS NULL");
    none(session, "back to an earlier turn", "turn_no < previous");
    // The clock that is shown is not the one that counts.
    none(
        session,
        "before its turn",
        &format!("at_s < turn_no * {every_s} - 0.05"),
    );
    none(
        session,
        "the first block is A B B A",
        "turn_no < 4 AND side <> (ARRAY['A', 'B', 'B', 'A'])[turn_no + 1]",
    );
    none(
        session,
        "a turn begins with its settle time",
        "turn_no IS DISTINCT FROM previous AND side IS NOT NULL",
    );
    let sides = session.number(&format!(
        "SELECT count(*) FROM (SELECT turn_no FROM pgperf.run_intervals WHERE run_id = {run} GROUP BY turn_no \
         HAVING count(DISTINCT side) > 1) t"
    ));
    assert_eq!(sides, 0, "turns of both sides");
}

/// Expects that both sides have said something, and only in their own turns.
pub fn expect_no_strays(session: &mut Client, run: i64) {
    let of_both = session.number("SELECT count(DISTINCT side) FROM said WHERE side IN ('A', 'B')");
    assert_eq!(of_both, 2);
    // Where an interval ends is known to a few milliseconds by this clock.
    let strays = session.value(&format!(
        "SELECT count(*) FROM pgperf.run_intervals i JOIN said s \
            ON s.at > i.started_at + interval '50 ms' \
           AND s.at < i.started_at + i.seconds * interval '1 s' - interval '50 ms' \
         WHERE i.run_id = {run} AND s.side <> i.side"
    ));
    assert_eq!(strays, "0");
}

#[test]
fn every_transaction_of_an_interval_is_of_its_side() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    with_said(&mut session);
    let run = session.start_run(&format!("{SAYING}, duration => '1 h'"));
    await_turn(&mut session, run, 6);
    stop(&mut session, run);
    expect_order(&mut session, run, 0.5);
    expect_no_strays(&mut session, run);
    let settings = session.value(&format!(
        "SELECT spec -> 'alternate' -> 'settings' FROM pgperf.runs WHERE run_id = {run}"
    ));
    assert_eq!(settings, r#"{"turns.side": ["A", "B"]}"#);
}

/// A client that is held in a statement when a turn begins follows when that ends: until then the interval is nobody's.
#[test]
fn an_interval_has_a_side_once_all_clients_have_followed() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    session
        .batch_execute(
            "CREATE UNLOGGED TABLE held (side text, began timestamptz, ended timestamptz); \
             CREATE FUNCTION hold(seconds float8) RETURNS void LANGUAGE plpgsql AS $$ \
             DECLARE began timestamptz := clock_timestamp(); BEGIN PERFORM pg_sleep(seconds); \
             INSERT INTO held VALUES (current_setting('turns.side'), began, clock_timestamp()); END $$",
        )
        .expect("a function");
    let run = session.start_run(
        r#"script => E'\\set held CASE WHEN :client_id = 0 THEN 0.45 ELSE 0.01 END\nSELECT hold(:held);', clients => 2, duration => '1 h',
           sample_interval => '0.1 s', alternate => '{"turns.side": ["A", "B"]}', alternate_every => '0.8 s', settle => '0.05 s'"#,
    );
    await_turn(&mut session, run, 4);
    stop(&mut session, run);
    expect_order(&mut session, run, 0.8);
    let both = format!(
        "SELECT count(DISTINCT side) FROM pgperf.run_intervals WHERE run_id = {run} AND side IS NOT NULL"
    );
    assert_eq!(session.number(&both), 2);
    // Where an interval begins is known to a few milliseconds by this clock.
    let begins = format!(
        "(SELECT turn_no, min(started_at) AS at FROM pgperf.run_intervals WHERE run_id = {run} AND turn_no > 0 GROUP BY turn_no)"
    );
    let held = format!(
        "SELECT count(*) FROM held h JOIN {begins} t ON h.began < t.at AND h.ended > t.at + interval '0.15 s'"
    );
    assert!(session.number(&held) > 0, "no client was held");
    let strays = session.value(&format!(
        "SELECT string_agg(format('%s %s: %s until %s', i.turn_no, i.side, h.side, h.ended - i.started_at), ', ') \
         FROM pgperf.run_intervals i JOIN held h \
            ON h.began < i.started_at + i.seconds * interval '1 s' - interval '30 ms' AND h.ended > i.started_at + interval '30 ms' \
         WHERE i.run_id = {run} AND h.side <> i.side"
    ));
    assert_eq!(strays, "");
}

#[test]
fn clients_that_wait_or_get_new_sessions_follow() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    with_said(&mut session);
    for more in ["rate => 4", "reconnect => 20", "think_time => '1 s'"] {
        let run = session.start_run(&format!("{SAYING}, {more}, duration => '1 h'"));
        await_turn(&mut session, run, 3);
        stop(&mut session, run);
        expect_order(&mut session, run, 0.5);
    }
}

#[test]
fn each_side_has_plans_of_its_own() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    session
        .batch_execute(
            "CREATE TABLE planned AS SELECT g AS id FROM generate_series(1, 10000) g; \
             CREATE INDEX planned_idx ON planned (id); ANALYZE planned",
        )
        .expect("a table");
    let run = session.start_run(
        r#"script => 'SELECT * FROM planned WHERE id = 7;', sample_interval => '0.2 s', duration => '1 h',
           alternate => '{"enable_indexscan": [true, false], "enable_indexonlyscan": ["on", "off"], "enable_bitmapscan": ["on", "off"]}',
           alternate_every => '0.5 s', settle => '0.1 s'"#,
    );
    // A client reports its statistics about once a second.
    wait_until("scans of both kinds", PATIENCE, || {
        session.value(
            "SELECT idx_scan > 100 AND seq_scan > 100 FROM pg_stat_user_tables WHERE relname = 'planned'",
        ) == "t"
    });
    stop(&mut session, run);
}

/// One that never runs need not be on a side.
#[test]
fn scripts_take_turns() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    with_said(&mut session);
    let script = |side| format!("'INSERT INTO said VALUES (''{side}''); SELECT pg_sleep(0.002);'");
    let run = session.start_run(&format!(
        r#"scripts => ARRAY[{}, {}, 'SELECT 1 / 0'], weights => '{{1,9,0}}', clients => 2, sample_interval => '0.2 s', duration => '1 h',
           alternate => '{{"script": ["script 1", "script 2"]}}', alternate_every => '0.5 s', settle => '0.1 s'"#,
        script("A"),
        script("B"),
    ));
    await_turn(&mut session, run, 6);
    stop(&mut session, run);
    expect_order(&mut session, run, 0.5);
    expect_no_strays(&mut session, run);
    let text = session.value(&format!(
        "SELECT string_agg(line, ' ') FROM pgperf.report({run}) line WHERE line ~ '^  [AB]: '"
    ));
    assert_eq!(text, "  A: script = script 1   B: script = script 2");
}

/// A side sleeps three times as long as the other.
const DELAYED: &str = r#"script => 'SELECT pg_sleep(current_setting(''turns.delay'')::float8);', clients => 4,
    sample_interval => '0.1 s'"#;

#[test]
fn a_known_delay_is_on_its_side_also_in_a_copy() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    let run = session.start_run(&format!(
        r#"{DELAYED}, duration => '1 h', label => 'delayed', alternate => '{{"turns.delay": [0.01, 0.03]}}',
           alternate_every => '1 s', settle => '0.25 s'"#
    ));
    // However busy the machine is, some block will have all of its turns.
    wait_until("a block", PATIENCE, || {
        session.number("SELECT max(blocks) FROM pgperf.alternation('delayed')") > 0
    });
    stop(&mut session, run);
    let found = "SELECT a > b, direction FROM pgperf.alternation('delayed') WHERE metric = 'tps'";
    assert_eq!(session.value(found), "t");
    let latency = format!(
        "SELECT a < b AND blocks > 0 AND direction = 'lower' FROM pgperf.alternation({run}) WHERE metric = 'latency_avg_ms'"
    );
    assert_eq!(session.value(&latency), "t");
    // All other forms of a report have it, too.
    let text = session.value(&format!(
        "SELECT string_agg(line, ' ') FROM pgperf.report({run}) line WHERE line ~ '^  [AB]: '"
    ));
    assert_eq!(text, "  A: turns.delay = 0.01   B: turns.delay = 0.03");
    let json = session.value(&format!(
        "SELECT pgperf.report_json({run}) #>> '{{alternation,settings,turns.delay,1}}'"
    ));
    assert_eq!(json, "0.03");
    let page = session.value(&format!("SELECT pgperf.report_html({run})"));
    assert!(page.contains(r##"href="#alternation""##));
    // A copy on another server says the same.
    let all =
        "SELECT md5(string_agg(a::text, ';' ORDER BY metric)) FROM pgperf.alternation('delayed') a";
    let here = session.value(all);
    let document = session.value(&format!("SELECT pgperf.export_run({run})"));
    let elsewhere = Cluster::for_scripts(&[]);
    let mut session = elsewhere.connect();
    session
        .execute("SELECT pgperf.import_run($1::text::jsonb)", &[&document])
        .expect("an import");
    assert_eq!(session.value(all), here);
}

/// Measured: by `tests/turns` not in every run of the tests.
#[test]
fn a_known_delay_is_judged_right_and_none_is_no_difference() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    let verdict = |session: &mut Client, b: &str| {
        let run = session.finish_run(&format!(
            r#"{DELAYED}, duration => '20 s', alternate => '{{"turns.delay": ["0.010", "{b}"]}}',
               alternate_every => '0.5 s', settle => '0.1 s'"#
        ));
        let found = format!(
            "SELECT concat_ws(' ', blocks >= 8, verdict, p_value >= 0.0005, ci_low_percent < change_percent \
                AND change_percent < ci_high_percent, change_percent BETWEEN -40 AND -25) \
             FROM pgperf.alternation({run}) WHERE metric = 'tps'"
        );
        session.value(&found)
    };
    // A third of the rate is lost.
    assert_eq!(verdict(&mut session, "0.015"), "t worse f t t");
    let same = verdict(&mut session, "0.010");
    assert!(same.starts_with("t ") && same.contains(" t t f"), "{same}");
}
