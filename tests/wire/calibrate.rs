//! `calibrate`, and what sweeps say of the times of statements: judged by hand-written SQL over the rows of their runs.

use super::{cluster, expect_nothing_left};
use crate::common::runs::{PATIENCE, Runs, error_of};
use crate::common::wait_until;

/// Of the runs of a sweep, by hand: what a statement has beyond its time inside, in ms and as a share.
const BY_HAND: &str = "WITH means AS (
        SELECT r.spec ->> 'transport' IS NOT NULL AS wire, s.command_no, avg(s.latency_avg_ms) AS mean
        FROM pgperf.runs r JOIN pgperf.run_statements s USING (node_id, run_id)
        WHERE r.sweep_id = 1 AND s.is_sql GROUP BY 1, 2)
    SELECT string_agg(format('%s %s %s', w.command_no, round((1000 * (w.mean - i.mean))::numeric), round((100 * (w.mean - i.mean) / w.mean)::numeric)), ', ' ORDER BY 1)
    FROM means w JOIN means i USING (command_no) WHERE w.wire AND NOT i.wire";
const ROWS: &str = "SELECT string_agg(format('%s %s %s', command_no, round((1000 * beyond_ms)::numeric), round((100 * beyond_ms / mean_ms)::numeric)), ', ' ORDER BY command_no)
    FROM pgperf.sweep_statements(1) WHERE value = 'wire' AND command_no IS NOT NULL";

#[test]
fn the_share_of_the_way_is_that_of_each_statement() {
    let cluster = cluster();
    let mut session = cluster.connect();
    let script = "SELECT pg_sleep(0.02);\nSELECT 1;";
    session.batch_execute(&format!(
        "CALL pgperf.calibrate(script => '{script}', clients => '{{2}}', repetitions => 3, duration => '1 s')"
    ))
    .expect("a calibration");
    assert_eq!(
        session.value("SELECT concat_ws(' ', status, points, runs, finished) FROM pgperf.sweeps"),
        "finished 2 6 6"
    );
    assert_eq!(session.value(ROWS), session.value(BY_HAND));
    // Most of the way's share is in the statement that does nothing; inside the one that sleeps it is hardly anything.
    let shares = "SELECT string_agg(CASE WHEN share_percent > 50 THEN 'most' WHEN share_percent < 25 THEN 'little' ELSE share_percent::text END, ' ' \
                  ORDER BY command_no) FROM pgperf.sweep_statements() WHERE NOT is_baseline AND command_no IS NOT NULL";
    assert_eq!(session.value(shares), "little most");
    // Shares and changes, intervals too, are two forms of the same.
    let forms = "SELECT bool_and(abs(share_percent - 100 * (1 - 1 / (1 + change_percent / 100))) < 1e-6 AND share_low_percent <= share_percent \
                 AND share_percent <= share_high_percent) AND count(*) = 3 AND bool_and(n = 3) FROM pgperf.sweep_statements() WHERE NOT is_baseline";
    assert_eq!(session.value(forms), "t");
    let report = session.value("SELECT string_agg(line, E'\\n') FROM pgperf.sweep_report() line");
    assert!(report.contains("more ms"), "{report}");
    assert!(report.contains("SELECT pg_sleep(0.02)"), "{report}");
    let page = session.value("SELECT pgperf.sweep_html(sweep_id) FROM pgperf.sweeps");
    assert!(page.contains("more ms"));
    expect_nothing_left(&mut session, "a calibration");
}

#[test]
fn curves_over_clients_have_the_statements_of_each_number() {
    let cluster = cluster();
    let mut session = cluster.connect();
    session.batch_execute(
        "CALL pgperf.calibrate(script => 'SELECT 1;', clients => '{1,2}', repetitions => 2, duration => '1 s', round_trips => '{0,1 ms}')",
    )
    .expect("a calibration");
    let points = "SELECT string_agg(DISTINCT value, ', ') FROM pgperf.sweep_statements()";
    assert_eq!(
        session.value(points),
        "inside / 0 s, inside / 0.001 s, wire / 0 s, wire / 0.001 s"
    );
    let report = session.value("SELECT string_agg(line, E'\\n') FROM pgperf.sweep_report() line");
    for title in ["statements at 1 client", "statements at 2 clients"] {
        assert!(report.contains(title), "{report}");
    }
}

#[test]
fn a_cancelled_calibration_stops() {
    let cluster = cluster();
    let mut session = cluster.connect();
    let mut caller = cluster.connect();
    let token = caller.cancel_token();
    let call = std::thread::spawn(move || {
        let call = "CALL pgperf.calibrate(script => 'SELECT 1;', duration => '1 h')";
        caller.simple_query(call).map(drop)
    });
    wait_until("the first run", PATIENCE, || {
        session.number("SELECT count(*) FROM pgperf.runs WHERE status = 'running'") == 1
    });
    token.cancel_query(postgres::NoTls).expect("a cancel");
    let _ = call.join().expect("the call");
    let status = "SELECT status FROM pgperf.sweeps";
    wait_until("its end", PATIENCE, || session.value(status) == "stopped");
    expect_nothing_left(&mut session, "a cancelled calibration");
}

#[test]
fn ways_that_do_not_go_together_are_refused() {
    let cluster = cluster();
    let mut session = cluster.connect();
    for (arguments, message) in [
        ("transports => '{inside,pigeon}'", "unknown transport"),
        (
            "transports => '{inside,wire}', transport => 'wire'",
            "transports and transport exclude each other",
        ),
        (
            "transports => '{inside,inside}'",
            "transports holds inside twice",
        ),
        (
            "round_trips => '{1 ms,1000 us}'",
            "round_trips holds 0.001 s twice",
        ),
        ("round_trips => '{}'", "round_trips must not be empty"),
        ("round_trips => '{-1 s}'", "round_trip must be from 0"),
    ] {
        let call = format!("SELECT pgperf.start_sweep(script => 'SELECT 1;', {arguments})");
        let (_, found, _) = error_of(&mut session, &call);
        assert!(found.contains(message), "{arguments}: {found}");
    }
    cluster.run_sql("CREATE ROLE plain LOGIN; GRANT USAGE ON SCHEMA pgperf TO plain");
    let mut plain = cluster.connect_as("plain");
    let (sqlstate, _, _) = error_of(&mut plain, "CALL pgperf.calibrate(script => 'SELECT 1;')");
    assert_eq!(sqlstate, "42501");
}
