//! Runs in their drain, beside somebody outside who looks when the receiver has caught up.

use crate::common::runs::{PATIENCE, Runs};
use crate::common::wait_for;
use postgres::Client;
use std::thread::sleep;
use std::time::Duration;

/// A column of a run's only receiver.
pub fn receiver(session: &mut Client, run: i64, column: &str) -> String {
    session.value(&format!(
        "SELECT {column} FROM pgperf.run_receivers WHERE run_id = {run}"
    ))
}

pub fn seconds(session: &mut Client, run: i64, column: &str) -> f64 {
    receiver(session, run, column).parse().expect("a number")
}

/// Waits until the run waits for its receivers.
pub fn await_drain(session: &mut Client, run: i64) {
    session.wait_for_status(run, "draining");
    wait_for("the receiver", "waiting", PATIENCE, || {
        receiver(session, run, "status")
    });
}

/// Lets a receiver go on after a while, and measures outside until when it is behind. What the run has measured differs from that by `tolerance` seconds at most.
pub fn expect_catch_up(
    session: &mut Client,
    run: i64,
    go_on: impl FnOnce(),
    mut behind: impl FnMut(&mut Client) -> bool,
    tolerance: f64,
) {
    await_drain(session, run);
    sleep(Duration::from_millis(800));
    go_on();
    while behind(session) {
        sleep(Duration::from_millis(5));
    }
    let now = session.value("SELECT clock_timestamp()");
    session.wait_for_status(run, "finished");
    assert_eq!(receiver(session, run, "status"), "caught up");
    let outside = format!(
        "SELECT extract(epoch FROM '{now}' - measured_at) - duration_s FROM pgperf.runs JOIN pgperf.run_summary s USING (node_id, run_id, measured_at) \
         WHERE run_id = {run}"
    );
    let outside: f64 = session.value(&outside).parse().expect("seconds");
    let measured = seconds(session, run, "catch_up_s");
    println!("caught up after {measured} s, outside {outside} s");
    assert!(
        (measured - outside).abs() < tolerance,
        "{measured} s, outside {outside} s"
    );
}
