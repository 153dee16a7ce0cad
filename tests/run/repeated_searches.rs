//! `find_rate` five times over: what it finds is the rate that somebody outside measures, and the intervals overlap.

use crate::common::Cluster;
use crate::common::runs::{PATIENCE, Runs};
use crate::common::wait_until;
use postgres::Client;
use std::time::Instant;

/// What is found may be off by this share.
const SHARE: f64 = 0.05;

/// Five searches with these arguments: each within the share of the rate that is known, and with an interval in common.
fn expect_found(session: &mut Client, arguments: &str, criterion: &str, known: f64) {
    let (mut low, mut high) = (0.0_f64, f64::INFINITY);
    let mut wrong = Vec::new();
    for _ in 0..5 {
        let run = session.number(&format!("CALL pgperf.find_rate({arguments})"));
        let search = format!("FROM pgperf.rate_searches WHERE run_id = {run}");
        let found = session.value(&format!(
            "SELECT concat_ws(' ', status, criterion, rate, rate_low, rate_high) {search}"
        ));
        println!("{found}; known: {known:.1}");
        let rate = session.float(&format!("SELECT rate {search}"));
        low = low.max(session.float(&format!("SELECT rate_low {search}")));
        high = high.min(session.float(&format!("SELECT rate_high {search}")));
        let expected = format!("found {criterion} ");
        if !found.starts_with(&expected) || (rate / known - 1.0).abs() > SHARE {
            wrong.push(found);
        }
    }
    assert_eq!(wrong, Vec::<String>::new(), "known: {known:.1}");
    assert!(low <= high, "no common interval: {low} to {high}");
}

#[test]
fn a_script_of_known_latency() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    let script = r"script => E'SELECT 1;\n\\sleep 20 ms', clients => 4";
    let run = session.finish_long_run(&format!("{script}, duration => '20 s'"));
    let free = session.float(&format!(
        "SELECT tps FROM pgperf.run_summary WHERE run_id = {run}"
    ));
    expect_found(
        &mut session,
        &format!("{script}, start_rate => 60"),
        "schedule_lag_ms",
        free,
    );
}

#[test]
fn a_subscriber_that_applies_a_known_rate() {
    let publisher = Cluster::with_pgperf(&["wal_level = logical", "max_wal_senders = 8"]);
    let subscriber = Cluster::with_pgperf(&[]);
    let (mut session, mut theirs) = (publisher.connect(), subscriber.connect());
    for side in [&mut session, &mut theirs] {
        side.value("CREATE TABLE slow (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at timestamptz DEFAULT now())");
    }
    theirs.value(
        "CREATE FUNCTION sleeps() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.005); RETURN NEW; END'",
    );
    theirs.value(
        "CREATE TRIGGER sleeps BEFORE INSERT ON slow FOR EACH ROW EXECUTE FUNCTION sleeps()",
    );
    theirs.value("ALTER TABLE slow ENABLE ALWAYS TRIGGER sleeps");
    session.value("CREATE PUBLICATION slow FOR TABLE slow");
    theirs.value(&format!(
        "CREATE SUBSCRIPTION slow CONNECTION 'host={} port={} user=postgres dbname=postgres' PUBLICATION slow",
        publisher.socket_dir().display(),
        publisher.port()
    ));
    let mut applied = move || theirs.number("SELECT count(*) FROM slow");
    let script = "script => 'INSERT INTO slow DEFAULT VALUES;', clients => 4";
    // What it applies of a backlog, measured outside.
    let rows = 4000;
    session.finish_run(&format!(
        "{script}, transactions_per_client => {}",
        rows / 4
    ));
    wait_until("the first rows", PATIENCE, || applied() > rows / 4);
    let (from, began) = (applied(), Instant::now());
    wait_until("the last row", PATIENCE, || applied() == rows);
    let known = (rows - from) as f64 / began.elapsed().as_secs_f64();
    expect_found(
        &mut session,
        &format!("{script}, start_rate => 50, criteria => '{{\"replication_lag\": \"steady\"}}'"),
        "replication_lag",
        known,
    );
}
