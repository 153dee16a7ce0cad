//! The times of a replay.

use super::capture::{Row, capture, text};
use super::world::{STATEMENT_NS, play, play_until};
use crate::{Options, Plan, Speed};

fn sessions() -> Vec<(i64, Vec<Row>)> {
    vec![
        (
            1_000,
            vec![
                text("SELECT 1").at(10, 5),
                Row::Commit(None),
                text("SELECT 2").at(40, 5),
                Row::Commit(None),
                Row::Closed(50),
            ],
        ),
        (
            1_100,
            vec![
                text("SELECT 3").at(10, 5),
                Row::Commit(None),
                Row::Closed(20),
            ],
        ),
    ]
}

fn plan(speed: Speed) -> Plan {
    let options = Options {
        speed,
        ..Options::default()
    };
    Plan::new(capture(&sessions()), options)
}

#[test]
fn pauses_are_kept_and_scaled() {
    for (speed, moments) in [
        // A statement takes 1 µs, not 5: the pause after it stays.
        (Speed::Times(1.0), [10_000, 36_000, 110_000]),
        (Speed::Times(2.0), [5_000, 18_500, 55_000]),
        (Speed::Times(0.5), [20_000, 71_000, 220_000]),
        (Speed::Max, [0, STATEMENT_NS, 2 * STATEMENT_NS]),
    ] {
        let (world, score) = play(plan(speed), |_, _| Ok(0));
        assert_eq!(world.moments(), moments, "{speed:?}");
        assert_eq!(score.totals.latest_ns, 0);
        assert_eq!(world.transactions.borrow()[..], [STATEMENT_NS; 3]);
    }
}

#[test]
fn what_begins_later_than_in_the_capture_is_late() {
    let slow = [
        (0, vec![text("SELECT slowly").at(0, 5), Row::Commit(None)]),
        (
            6,
            vec![text("SELECT 2").at(0, 5), Row::Commit(None), Row::Closed(9)],
        ),
    ];
    let options = Options {
        speed: Speed::Times(1.0),
        ..Options::default()
    };
    let (world, score) = play(Plan::new(capture(&slow), options), |_, _| Ok(0));
    // The same client plays both.
    let late = 1_000_000_000 - 6_000;
    assert_eq!(world.lags.borrow()[..], [late]);
    assert_eq!((score.totals.late_ns, score.totals.latest_ns), (late, late));
}

#[test]
fn a_session_that_is_behind_leaves_out_pauses_until_it_has_caught_up() {
    let millisecond = 1_000;
    let slow = [(
        0,
        vec![
            text("SELECT slowly").at(0, 5),
            text("SELECT 1").at(600 * millisecond, 5),
            text("SELECT 2").at(1_100 * millisecond, 5),
            Row::Commit(None),
        ],
    )];
    let options = Options {
        speed: Speed::Times(1.0),
        ..Options::default()
    };
    let (world, _) = play(Plan::new(capture(&slow), options), |_, _| Ok(0));
    // The one before it took a second; in the capture the pause was 600 ms, and the next statement came at 1.1 s.
    let moments = world.moments();
    let statements: Vec<u64> = moments[1..4].to_vec();
    assert_eq!(statements[1] - statements[0], 1_000_000_000);
    assert_eq!(statements[2], 1_100_000_000);
}

#[test]
fn a_run_that_is_stopped_ends_where_it_is() {
    let (world, score) = play_until(plan(Speed::Times(1.0)), 20_000, |_, _| Ok(0));
    assert_eq!(world.sent_by(0), ["SELECT 1"]);
    assert_eq!((score.totals.alike, score.totals.diverged), (1, 0));
    assert_eq!(score.statements.len(), 1);
    assert_eq!(score.statements[0].diverged, [0; 5]);
}
