//! Disturbances whose sessions or occurrences overlap: an occurrence lasts as long as its last session, and one that is due while the one
//! before goes on does not come later.

use crate::common::Cluster;
use crate::common::aftermath::Aftermath;
use crate::common::runs::{PATIENCE, Runs};
use crate::common::wait_until;

/// An occurrence takes half as long again as the time between two. Of two sessions one has ended at once, the other takes longer than
/// the time between two.
const OVERLAPPING: &str = r#"[
    {"name": "long", "sql": "SELECT pg_sleep(1.2)", "at": "0 s", "every": "0.8 s"},
    {"name": "unequal", "sql": "INSERT INTO began VALUES (pg_backend_pid()); SELECT pg_sleep(CASE WHEN nextval('sessions') % 2 = 0 THEN 0 ELSE 0.7 END); INSERT INTO ended VALUES (pg_backend_pid())",
     "at": "0 s", "every": "0.5 s", "sessions": 2}]"#;

#[test]
fn an_occurrence_lasts_as_long_as_its_last_session() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    session
        .batch_execute(
            "CREATE SEQUENCE sessions; CREATE TABLE began (pid int, at timestamptz DEFAULT clock_timestamp()); \
             CREATE TABLE ended (pid int, at timestamptz DEFAULT clock_timestamp())",
        )
        .expect("tables");
    let run = session.start_run(&format!(
        "script => 'SELECT pg_sleep(0.01);', duration => '1 h', sample_interval => '0.2 s', disturbances => '{}'",
        OVERLAPPING.replace('\'', "''")
    ));
    let ended = format!(
        "SELECT min(n) FROM (SELECT count(d.status) AS n FROM (VALUES ('long'), ('unequal')) v(name) LEFT JOIN pgperf.run_disturbances d \
            ON d.run_id = {run} AND d.name = v.name AND d.status = 'done' GROUP BY v.name) c"
    );
    wait_until("two occurrences of each", PATIENCE, || {
        session.number(&ended) >= 2
    });
    session.value(&format!("SELECT pgperf.stop_run({run})"));
    session.wait_for_status(run, "stopped");

    // One that is due while another goes on has no row, and none begins late instead: each begins in its own time, which had not
    // come when the one before had ended, but for a moment of the leader.
    let wrong = session.value(&format!(
        "SELECT string_agg(format('%s %s: due at %s s, began at %s s, the one before ended at %s s', name, occurrence_no, due, at_s, before), '; ') \
         FROM (SELECT d.*, v.every * occurrence_no AS due, v.every, lag(at_s + duration_s) OVER (PARTITION BY d.name ORDER BY occurrence_no) AS before \
               FROM pgperf.run_disturbances d JOIN (VALUES ('long', 0.8), ('unequal', 0.5)) v(name, every) USING (name) WHERE run_id = {run}) d \
         WHERE at_s < due - 1e-6 OR at_s > due + every OR before > due + 0.2 * every"
    ));
    assert_eq!(wrong, "");
    let short = session.value(&format!(
        "SELECT string_agg(concat_ws(' ', name, occurrence_no, duration_s), '; ') FROM pgperf.run_disturbances \
          WHERE run_id = {run} AND status = 'done' AND duration_s < CASE name WHEN 'long' THEN 1.2 ELSE 0.7 END"
    ));
    assert_eq!(short, "", "ended before its last session");

    // As the sessions themselves have it: never more than two at a time, and each occurrence has ended when both of its own had.
    let at_once = session.number(
        "SELECT max(n) FROM (SELECT (SELECT count(*) FROM began o LEFT JOIN ended e USING (pid) \
                                      WHERE o.at <= b.at AND coalesce(e.at, 'infinity') > b.at) AS n FROM began b) c",
    );
    assert_eq!(at_once, 2, "sessions of two occurrences at once");
    let early = session.number(&format!(
        "SELECT count(*) FROM pgperf.run_disturbances d WHERE run_id = {run} AND name = 'unequal' AND status = 'done' \
            AND 2 <> (SELECT count(*) FROM ended e WHERE e.at BETWEEN d.began_at AND d.ended_at)"
    ));
    assert_eq!(early, 0, "occurrences without the ends of both sessions");
    session.expect_nothing_left("the run");
}
