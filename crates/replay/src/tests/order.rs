//! The order of commits.

use super::capture::{Row, capture, text};
use super::world::{World, play};
use crate::{Options, Order, Plan};
use std::rc::Rc;

fn begun(order: Order, sessions: &[(i64, Vec<Row>)]) -> (Rc<World>, u64) {
    let options = Options {
        order,
        ..Options::default()
    };
    let (world, score) = play(Plan::new(capture(sessions), options), |_, _| Ok(0));
    let totals = score.totals;
    let transactions = Plan::new(capture(sessions), Options::default()).transactions();
    assert_eq!((totals.alike, totals.diverged), (transactions, 0));
    (world, totals.broken_waits)
}

/// A slow transaction, and a quick one of another session that saw it.
fn slow_and_quick() -> Vec<(i64, Vec<Row>)> {
    vec![
        (
            0,
            vec![
                text("BEGIN"),
                text("INSERT slowly"),
                text("COMMIT"),
                Row::Commit(Some(1)),
                Row::Closed(100),
            ],
        ),
        (
            0,
            vec![
                text("BEGIN"),
                text("SELECT 1").after(1),
                text("COMMIT").after(1),
                Row::Commit(None),
                Row::Closed(100),
            ],
        ),
    ]
}

#[test]
fn a_statement_comes_after_the_commits_that_it_saw() {
    let (world, broken) = begun(Order::Commit, &slow_and_quick());
    let expected = [
        "0: BEGIN",
        "1: BEGIN",
        "0: INSERT slowly",
        "0: COMMIT",
        "1: SELECT 1",
        "1: COMMIT",
    ];
    // However long that takes: it waits for no lock.
    assert_eq!(world.all_sent(), expected);
    assert_eq!(broken, 0);
}

#[test]
fn without_that_order_each_session_is_free() {
    let (world, broken) = begun(Order::Session, &slow_and_quick());
    let expected = [
        "0: BEGIN",
        "1: BEGIN",
        "0: INSERT slowly",
        "1: SELECT 1",
        "1: COMMIT",
        "0: COMMIT",
    ];
    assert_eq!(world.all_sent(), expected);
    assert_eq!(broken, 0);
}

#[test]
fn those_that_are_not_played_are_not_waited_for() {
    let mut captured = capture(&slow_and_quick());
    captured.sessions[0].start.role = "other".to_owned();
    let options = Options {
        roles: Some(vec!["app".to_owned()]),
        ..Options::default()
    };
    let (world, score) = play(Plan::new(captured, options), |_, _| Ok(0));
    let expected = ["BEGIN", "SELECT 1", "COMMIT"];
    assert_eq!(world.sent_by(0), expected);
    assert_eq!(score.totals.broken_waits, 0);
}

#[test]
fn a_commit_that_fails_or_whose_session_is_lost_is_not_waited_for() {
    for sqlstate in ["23503", "57P01"] {
        let plan = Plan::new(capture(&slow_and_quick()), Options::default());
        let (world, score) = play(plan, move |client, text| match (client, text) {
            (0, "INSERT slowly") => Err(sqlstate),
            _ => Ok(0),
        });
        assert_eq!(world.sent_by(1).len(), 3, "{sqlstate}");
        let totals = score.totals;
        assert_eq!((totals.diverged, totals.broken_waits), (1, 0), "{sqlstate}");
    }
}

#[test]
fn a_capture_that_is_a_circle_itself_ends_nevertheless() {
    let own = vec![
        text("SELECT 1").after(2),
        Row::Commit(Some(1)),
        text("SELECT 2"),
        Row::Commit(Some(2)),
    ];
    let (world, broken) = begun(Order::Commit, &[(0, own)]);
    assert_eq!(world.sent_by(0), ["SELECT 1", "SELECT 2"]);
    assert_eq!(broken, 1);
}

#[test]
fn a_circle_with_a_lock_is_broken_and_counted() {
    // In the capture the first one had the lock first, which no snapshot shows.
    let (world, broken) = begun(
        Order::Commit,
        &[
            (
                0,
                vec![
                    text("BEGIN"),
                    text("SELECT 1"),
                    text("SELECT 2"),
                    text("UPDATE a"),
                    text("COMMIT"),
                    Row::Commit(Some(1)),
                ],
            ),
            (
                0,
                vec![
                    text("BEGIN"),
                    text("UPDATE a"),
                    text("SELECT 3").after(1),
                    text("COMMIT").after(1),
                    Row::Commit(Some(2)),
                ],
            ),
            (0, vec![text("SELECT 4").after(2), Row::Commit(None)]),
        ],
    );
    assert_eq!(broken, 1);
    let all = world.all_sent();
    let at = |text: &str| all.iter().position(|it| it == text).unwrap();
    assert!(at("1: COMMIT") < at("0: COMMIT"));
    // The order of all others is kept.
    assert_eq!(all.last().map(String::as_str), Some("2: SELECT 4"));
}
