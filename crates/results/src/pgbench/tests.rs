use crate::described::{all, compare};
use crate::{Format, ReadError, read};

#[test]
fn every_figure_of_published_and_own_outputs() {
    for name in [
        "9.5",
        "9.6",
        "10-13",
        "14",
        "15-connect",
        "15-progress",
        "15-retries",
        "17-errors",
        "15-scripts",
        "15-rate",
        "16-scripts",
        "17",
        "18-scripts",
        "18-aborted",
        "15-log",
        "12-log",
        "12-intervals",
        "15-intervals",
    ] {
        compare(&format!("pgbench-{name}"), Format::Pgbench);
    }
}

#[test]
fn every_figure_of_releases_before_15() {
    for release in ["9.5", "10", "12", "13", "14"] {
        for run in ["rate", "scripts", "connect", "run-log", "run-intervals"] {
            compare(&format!("pgbench-{release}-{run}"), Format::Pgbench);
        }
    }
}

fn with(text: &str, more: &str) -> Result<crate::Reading, ReadError> {
    read(&format!("{text}{more}"), None, &mut || {})
}

const OUTPUT: &str = "number of clients: 2\nmaximum number of tries: 3\nduration: 4 s\n\
    number of transactions actually processed: 2\nlatency average = 9.000 ms\n\
    tps = 0.500000 (without initial connection time)\n";
const LOG: &str = "0 1 1000 0 1700000000 500000 1\n1 1 3000 0 1700000002 0 2\n";

#[test]
fn a_log_completes_the_output_of_its_run() {
    let reading = with(OUTPUT, LOG).unwrap();
    let run = &reading.runs[0];
    assert_eq!((reading.runs.len(), reading.notes.len()), (1, 0));
    assert_eq!(run.totals.latency.latency_avg_ms, Some(9.0));
    assert_eq!(run.totals.latency.latency_max_ms, Some(3.0));
    assert_eq!(run.totals.seconds, Some(4.0));
    let counts: Vec<u64> = run.intervals.iter().map(|i| i.transactions).collect();
    assert_eq!(counts, [1, 1]);
    // With tries and without a rate, the last field is the retries.
    assert_eq!(run.intervals[0].outcomes.retries, Some(1));
    assert_eq!(run.intervals[0].lag_avg_ms, None);
    // In either order.
    assert_eq!(with(LOG, OUTPUT).unwrap().runs, reading.runs);
}

#[test]
fn the_last_field_of_a_log_alone_may_be_unknown() {
    let reading = with(LOG, "").unwrap();
    assert!(reading.notes[0].contains("lag or a number of retries"));
    let run = &reading.runs[0];
    assert_eq!(run.totals.outcomes.retries, None);
    assert_eq!(run.totals.lag_avg_ms, None);
    let both = with("0 1 1000 0 1700000000 500000 300 1\n", "").unwrap();
    let run = &both.runs[0];
    assert_eq!(run.totals.outcomes.retries, Some(1));
    assert_eq!(run.totals.lag_avg_ms, Some(0.3));
}

#[test]
fn a_log_of_a_part_gives_a_distribution_but_no_intervals() {
    let reading = with(&OUTPUT.replace("processed: 2", "processed: 200"), LOG).unwrap();
    assert!(
        reading.notes[0].contains("2 of 200 transactions"),
        "{:?}",
        reading.notes
    );
    let run = &reading.runs[0];
    assert!(run.intervals.is_empty());
    assert_eq!(run.totals.transactions, Some(200));
    assert!(run.totals.histogram.is_some());
}

#[test]
fn a_log_beside_two_outputs_is_of_which() {
    let two = OUTPUT.repeat(2);
    assert_eq!(with(&two, "").unwrap().runs.len(), 2);
    assert_eq!(with(&two, LOG), Err(ReadError::LogOfWhich(2)));
}

#[test]
fn a_long_log_stays_small() {
    let mut text = String::new();
    for second in 0..200_000 {
        text += &format!("0 {second} 1000 0 {} 0\n", 1_700_000_000 + second);
    }
    let mut pauses = 0;
    let reading = read(&text, None, &mut || pauses += 1).unwrap();
    assert!(pauses > 40);
    let run = &reading.runs[0];
    assert_eq!(run.totals.transactions, Some(200_000));
    assert!(run.intervals.len() <= 1_000);
    let sum: u64 = run.intervals.iter().map(|i| i.transactions).sum();
    assert_eq!(sum, 200_000);
}

#[test]
fn progress_alone_is_a_run_that_did_not_end() {
    let text = "progress: 1700000001.5 s, 10.0 tps, lat 1.000 ms stddev 0.100\n\
        progress: 1700000002.5 s, 0.0 tps, lat -nan ms stddev -nan\n";
    let reading = with(text, "").unwrap();
    let run = &reading.runs[0];
    assert!(!run.complete);
    assert_eq!(run.started_s, Some(1_700_000_000.5));
    assert_eq!(run.intervals.len(), 2);
    assert_eq!(run.intervals[1].latency.latency_avg_ms, None);
    assert!(all(run).contains("incomplete true"));
}

#[test]
fn what_has_no_result_is_an_error() {
    assert_eq!(with("", ""), Err(ReadError::Unknown));
    assert_eq!(with("hello\n1 2 3\n", ""), Err(ReadError::Unknown));
    assert_eq!(
        with("pgbench (15.1)\n", ""),
        Err(ReadError::Nothing(Format::Pgbench))
    );
    assert_eq!(
        read("", Some(Format::Pgbench), &mut || {}),
        Err(ReadError::Nothing(Format::Pgbench))
    );
}

#[test]
fn lines_of_others_are_counted() {
    let reading = with("make: entering\n", OUTPUT).unwrap();
    assert_eq!(reading.unread.first, Some((1, "make: entering".to_owned())));
    assert_eq!(reading.unread.lines, 1);
}
