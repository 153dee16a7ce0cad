//! What differs from the capture.

use super::capture::{Row, capture, text};
use super::world::{Reply, World, play};
use crate::{Options, Plan, Position, Score};
use ::capture::{Protocol, Value};
use engine::FailureKind;
use std::rc::Rc;

fn replay(rows: Vec<Row>, respond: impl Fn(&str) -> Reply + 'static) -> (Rc<World>, Score) {
    let plan = Plan::new(capture(&[(0, rows)]), Options::default());
    let (world, score) = play(plan, move |_, text| respond(text));
    (world, score)
}

/// By kind, over all statements.
fn diverged(score: &Score) -> [u64; 5] {
    let mut sum = [0; 5];
    for statement in &score.statements {
        for (sum, count) in sum.iter_mut().zip(statement.diverged) {
            *sum += count;
        }
    }
    sum
}

fn block(update: Row) -> Vec<Row> {
    let is_error =
        matches!(&update, Row::Statement { step, .. } if step.outcome.sqlstate.is_some());
    match is_error {
        true => vec![text("BEGIN"), update, Row::Abort, text("COMMIT")],
        false => vec![
            text("BEGIN"),
            update,
            text("INSERT a").rows(1),
            text("COMMIT"),
            Row::Commit(Some(1)),
        ],
    }
}

fn rows(text: &str) -> Reply {
    Ok(u64::from(text.starts_with("INSERT")))
}

#[test]
fn a_replay_like_the_capture_has_none() {
    let (world, score) = replay(block(text("UPDATE t")), rows);
    assert_eq!(
        world.sent_by(0),
        ["BEGIN", "UPDATE t", "INSERT a", "COMMIT"]
    );
    assert_eq!((score.totals.alike, diverged(&score)), (1, [0; 5]));
    assert_eq!(world.transactions.borrow()[..], [4_000]);
    assert_eq!((world.received.get(), world.commands.get()), ((1, 10), 4));
    let (_, score) = replay(block(text("UPDATE t").error(b"40001")), |text| match text {
        "UPDATE t" => Err("40001"),
        _ => Ok(0),
    });
    assert_eq!((score.totals.alike, diverged(&score)), (1, [0; 5]));
}

#[test]
fn a_new_error_ends_its_transaction_for_the_replay_too() {
    let (world, score) = replay(block(text("UPDATE t")), |text| match text {
        "UPDATE t" => Err("40001"),
        text => rows(text),
    });
    // The INSERT was not reached.
    assert_eq!(diverged(&score), [1, 0, 0, 0, 1]);
    assert_eq!((score.totals.alike, score.totals.diverged), (0, 1));
    assert_eq!(world.failed.borrow()[..], [FailureKind::Serialization]);
    let errors = world.errors.borrow();
    assert_eq!((errors.len(), errors[0].sqlstate.as_str()), (1, "40001"));
    assert!(!errors[0].message.contains("secret"));
    let shown = score.statements.iter();
    let places: Vec<Position> = shown
        .flat_map(|it| it.positions.iter().flatten().copied())
        .collect();
    let position = |statement| Position {
        session: 1,
        statement,
    };
    assert!(places.contains(&position(2)) && places.contains(&position(3)));
}

#[test]
fn what_an_error_had_aborted_is_not_committed() {
    let (world, score) = replay(block(text("UPDATE t").error(b"40001")), |_| Ok(0));
    assert_eq!(world.sent_by(0), ["BEGIN", "UPDATE t", "ROLLBACK"]);
    assert_eq!(diverged(&score), [0, 1, 0, 0, 0]);
    // Also without a block.
    let alone = vec![text("UPDATE t").error(b"40001"), Row::Abort];
    let (world, _) = replay(alone, |_| Ok(0));
    assert_eq!(world.sent_by(0), ["BEGIN", "UPDATE t", "ROLLBACK"]);
    // Also where the capture does not have the end of the block.
    let rows = vec![
        text("BEGIN"),
        text("UPDATE t").error(b"40001"),
        Row::Abort,
        text("SELECT 1"),
        Row::Commit(None),
    ];
    let (world, _) = replay(rows, |_| Ok(0));
    assert_eq!(
        world.sent_by(0),
        ["BEGIN", "UPDATE t", "ROLLBACK", "SELECT 1"]
    );
}

#[test]
fn other_errors_and_other_rows_are_told_apart() {
    let (_, score) = replay(block(text("UPDATE t").error(b"40001")), |text| match text {
        "UPDATE t" => Err("23505"),
        _ => Ok(0),
    });
    assert_eq!(diverged(&score), [0, 0, 1, 0, 0]);
    let (world, score) = replay(block(text("UPDATE t").rows(3)), rows);
    assert_eq!(diverged(&score), [0, 0, 0, 1, 0]);
    // It has done its work.
    assert_eq!(
        (score.totals.diverged, world.transactions.borrow().len()),
        (1, 1)
    );
}

#[test]
fn statements_of_one_message_share_a_transaction() {
    let message = vec![text("INSERT a"), text("INSERT b"), Row::Commit(Some(1))];
    let (world, score) = replay(message.clone(), |_| Ok(0));
    assert_eq!(
        world.sent_by(0),
        ["BEGIN", "INSERT a", "INSERT b", "COMMIT"]
    );
    assert_eq!(score.totals.alike, 1);
    let (world, score) = replay(message, |text| match text {
        "COMMIT" => Err("23503"),
        _ => Ok(0),
    });
    assert_eq!(diverged(&score), [1, 0, 0, 0, 0]);
    assert_eq!(world.failed.borrow()[..], [FailureKind::Other]);
    // An error of one aborts all.
    let failed = vec![
        text("INSERT a"),
        text("INSERT b").error(b"23505"),
        Row::Abort,
    ];
    let (world, score) = replay(failed, |text| match text {
        "INSERT b" => Err("23505"),
        _ => Ok(0),
    });
    assert_eq!(
        world.sent_by(0),
        ["BEGIN", "INSERT a", "INSERT b", "ROLLBACK"]
    );
    assert_eq!(score.totals.alike, 1);
}

#[test]
fn what_a_lost_session_had_before_it_is_not_reached() {
    let mut all = block(text("UPDATE t"));
    all.extend([text("SELECT 1"), Row::Commit(None)]);
    let (world, score) = replay(all, |text| match text {
        "UPDATE t" => Err("57P01"),
        _ => Ok(0),
    });
    assert_eq!(world.sent_by(0), ["BEGIN", "UPDATE t"]);
    assert_eq!(diverged(&score), [1, 0, 0, 0, 3]);
    assert_eq!((score.totals.diverged, score.totals.lost_sessions), (2, 1));
    assert_eq!(world.failed.borrow().len(), 2);
}

#[test]
fn statements_go_the_way_they_came() {
    let value = [(23, Value::Integer(7))];
    let prepared = || {
        text("SELECT $1")
            .protocol(Protocol::Prepared)
            .values(&value)
    };
    let rows = vec![
        prepared(),
        Row::Commit(None),
        prepared(),
        Row::Commit(None),
        text("DISCARD ALL"),
        Row::Commit(None),
        prepared(),
        Row::Commit(None),
        text("SELECT $1, 2")
            .protocol(Protocol::Extended)
            .values(&[(16_384, Value::Null)]),
        Row::Commit(None),
    ];
    let (world, _) = replay(rows, |_| Ok(0));
    assert_eq!(
        world.sent_by(0),
        [
            "prepare SELECT $1 [23]",
            "execute SELECT $1 [7]",
            "execute SELECT $1 [7]",
            "DISCARD ALL",
            "prepare SELECT $1 [23]",
            "execute SELECT $1 [7]",
            "typed SELECT $1, 2 [0] [NULL]",
        ]
    );
}

#[test]
fn a_session_has_its_role_and_its_settings_as_far_as_it_may() {
    let mut captured = capture(&[(0, vec![text("SELECT 1"), Row::Commit(None)])]);
    let setting = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let settings = [setting("work_mem", "refused"), setting("TimeZone", "UTC")];
    let not_kept = [
        setting("client_encoding", "LATIN1"),
        setting("role", "none"),
        setting("jit", "on"),
    ];
    captured.sessions[0].start.settings = [&settings[..], &not_kept].concat();
    let options = Options {
        given_settings: vec!["JIT".to_owned()],
        ..Options::default()
    };
    let (world, score) = play(Plan::new(captured, options), |_, _| Ok(0));
    let [first, second] = settings;
    assert_eq!(
        world.settings.borrow()[..],
        [setting("role", "app"), first, second]
    );
    assert_eq!(score.totals.refused_settings, 1);
    assert_eq!(score.totals.alike, 1);
}
