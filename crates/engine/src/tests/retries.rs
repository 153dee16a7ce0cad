//! The reaction to failed transactions.

use super::fake::*;
use crate::FailureKind::{Deadlock, Other, Serialization};
use crate::*;
use std::cell::Cell;

const SCRIPT: &str = "\\set x random(1, 1000000)\nBEGIN;\nUPDATE :x;\nEND;\n";

fn updates(run: &Run) -> Vec<String> {
    let mut sent = run.sent();
    sent.retain(|text| text.starts_with("simple UPDATE"));
    sent
}

#[test]
fn a_retry_draws_the_same_values() {
    let run = Run::of(SCRIPT, 2).with(|spec| spec.max_tries = 3);
    run.runs(failing("UPDATE", "40001", 2));
    let updates = updates(&run);
    assert_eq!(updates.len(), 4);
    assert!(updates[..3].iter().all(|text| *text == updates[0]));
    assert_ne!(updates[3], updates[0]);
    let sent = run.sent();
    assert_eq!(
        sent[..4],
        [
            "simple BEGIN;",
            &updates[0],
            "simple ROLLBACK",
            "simple BEGIN;"
        ]
    );
    let counted = run.counted.borrow();
    assert_eq!((&counted.retried[..], counted.failed.len()), (&[2][..], 0));
    // The latency has the tries before in it: BEGIN, UPDATE and ROLLBACK each.
    assert_eq!(counted.latencies, [9 * STATEMENT_NS, 3 * STATEMENT_NS]);
    assert_eq!(counted.retry_times, [6 * STATEMENT_NS]);
    // Of a try that failed, BEGIN succeeded.
    let lost: Vec<u64> = counted.lost.iter().map(|spent| spent.total_ns).collect();
    assert_eq!(lost, [STATEMENT_NS; 2]);
    drop(counted);
    assert_eq!(run.command(2), (2, 0, 2));
}

#[test]
fn a_transaction_is_tried_up_to_max_tries() {
    let run = Run::of(SCRIPT, 2).with(|spec| spec.max_tries = 3);
    run.runs(failing("UPDATE", "40001", 3));
    let counted = run.counted.borrow();
    assert_eq!(counted.failed, [Serialization]);
    assert_eq!(
        (&counted.retried[..], counted.latencies.len()),
        (&[2][..], 1)
    );
    // What was tried in vain is no part of a transaction that is done.
    assert!(counted.retry_times.is_empty());
    assert_eq!(counted.lost.len(), 3);
    assert_eq!(counted.errors.len(), 1);
    let error = &counted.errors[0];
    assert_eq!((error.sqlstate.as_str(), error.command), ("40001", Some(2)));
    assert_eq!(error.at, -((START + 9 * STATEMENT_NS) as i64));
    drop(counted);
    assert_eq!(run.command(2), (1, 1, 2));
    assert_eq!(run.passed(), 12 * STATEMENT_NS);
}

#[test]
fn commands_are_counted_across_scripts() {
    let run = Run::of("", 1).with(|spec| {
        spec.scripts = scripts(&[
            ("SELECT 1;\nSELECT 2;\n", 0),
            ("BEGIN;\nUPDATE;\nEND;\n", 1),
        ]);
        spec.max_tries = 2;
    });
    run.runs(failing("UPDATE", "40001", 1));
    // The second script's UPDATE is the fourth command.
    assert_eq!(run.command(3), (1, 0, 1));
}

#[test]
fn without_retries_the_next_transaction_comes() {
    let run = Run::of(SCRIPT, 2);
    run.runs(failing("UPDATE", "40001", 1));
    let updates = updates(&run);
    assert_eq!(updates.len(), 2);
    assert_ne!(updates[0], updates[1]);
    let counted = run.counted.borrow();
    assert_eq!(counted.failed, [Serialization]);
    assert!(counted.retried.is_empty());
}

#[test]
fn zero_tries_are_as_many_as_it_takes() {
    let run = Run::of(SCRIPT, 1).with(|spec| spec.max_tries = 0);
    run.runs(failing("UPDATE", "40001", 1000));
    let counted = run.counted.borrow();
    assert_eq!(
        (&counted.retried[..], counted.latencies.len()),
        (&[1000][..], 1)
    );
}

#[test]
fn after_a_deadlock_the_other_one_goes_first() {
    let run = Run::of(SCRIPT, 1).with(|spec| spec.max_tries = 2);
    run.runs(failing("UPDATE", "40P01", 1));
    assert_eq!(*run.world.pauses.borrow(), [1_000_000]);
    let counted = run.counted.borrow();
    assert_eq!(counted.retry_times, [3 * STATEMENT_NS + 1_000_000]);
    assert_eq!(counted.latencies, [6 * STATEMENT_NS + 1_000_000]);
    drop(counted);
    let run = Run::of(SCRIPT, 1);
    run.runs(failing("UPDATE", "40P01", 1));
    assert_eq!(run.counted.borrow().failed, [Deadlock]);
    assert!(
        run.world.pauses.borrow().is_empty(),
        "no other try, no pause"
    );
}

#[test]
fn the_latency_limit_ends_the_tries() {
    // A try takes three statements.
    for (limit, tries) in [(3 * STATEMENT_NS, 2), (3 * STATEMENT_NS - 1, 1)] {
        let run = Run::of(SCRIPT, 1).with(|spec| {
            spec.max_tries = 0;
            spec.latency_limit_ms = Some(limit as f64 / 1e6);
        });
        run.runs(failing("UPDATE", "40001", 100));
        assert_eq!(updates(&run).len(), tries);
        let counted = run.counted.borrow();
        assert_eq!(counted.failed, [Serialization]);
        assert_eq!(counted.late, 0, "what failed is not late");
    }
}

#[test]
fn any_other_error_ends_the_client() {
    let run = Run::of(SCRIPT, 5).with(|spec| spec.max_tries = 0);
    let error = run.ends(failing("UPDATE", "23505", 1)).unwrap_err();
    assert_eq!(
        (error.sqlstate.as_str(), error.message.as_str()),
        ("23505", "error 23505")
    );
    assert_eq!(error.command, Some(2));
    assert_eq!(error.at, -((START + 3 * STATEMENT_NS) as i64));
    assert_eq!(run.sent().last().unwrap(), "simple ROLLBACK");
    let counted = run.counted.borrow();
    assert_eq!((counted.failed.len(), counted.latencies.len()), (0, 0));
    drop(counted);
    // It has counted the error all the same.
    assert_eq!(run.command(2), (0, 1, 0));
}

#[test]
fn with_continue_on_error_it_fails_the_transaction() {
    let run = Run::of(SCRIPT, 3).with(|spec| {
        spec.continue_on_error = true;
        spec.max_tries = 0;
    });
    run.runs(failing("UPDATE", "23505", 1));
    let counted = run.counted.borrow();
    assert_eq!(
        (&counted.failed[..], counted.latencies.len()),
        (&[Other][..], 2)
    );
    assert!(
        counted.retried.is_empty(),
        "another try would fail just as well"
    );
    drop(counted);
    assert_eq!(
        *run.world.logged.borrow(),
        ["the client: transaction failed with 23505: error 23505 (1 so far)"]
    );
}

#[test]
fn nothing_survives_the_loss_of_the_session() {
    for (sqlstate, ends) in [(TERMINATED, true), ("23505", false)] {
        let run = Run::of(SCRIPT, 3).with(|spec| spec.continue_on_error = true);
        let result = run.ends(failing("UPDATE", sqlstate, 1));
        assert_eq!(result.is_err_and(|error| error.sqlstate == sqlstate), ends);
        assert_eq!(run.counted.borrow().failed.len(), usize::from(!ends));
    }
}

#[test]
fn the_log_has_a_failure_now_and_then() {
    let run = Run::of("UPDATE;", 5).with(|spec| spec.continue_on_error = true);
    let number = Cell::new(0);
    run.runs(move |_, _| {
        number.set(number.get() + 1);
        let (sqlstate, takes_ns) = match number.get() {
            1 => ("23505", STATEMENT_NS),
            // Ten seconds after the first, then more.
            2 => ("23505", 10_000_000_000),
            3 => ("23505", 1),
            // A new kind at once.
            4 => ("23503", 1),
            _ => ("40001", 20_000_000_000),
        };
        Reply {
            takes_ns,
            ..Reply::error(sqlstate)
        }
    });
    let logged = run.world.logged.borrow();
    assert_eq!(logged.len(), 3, "{logged:?}");
    assert!(logged[0].ends_with("23505 (1 so far)"));
    assert!(logged[1].ends_with("23505 (3 so far)"));
    assert!(logged[2].ends_with("23503 (1 so far)"));
}

#[test]
fn an_error_when_the_time_is_over_counts_as_nothing() {
    // BEGIN and UPDATE take 2000 ns, ROLLBACK a third thousand.
    for (deadline, counts) in [(3 * STATEMENT_NS, false), (3 * STATEMENT_NS + 1, true)] {
        for sqlstate in ["40001", "23505"] {
            let run = Run::of(SCRIPT, 10).with(|spec| {
                spec.continue_on_error = true;
                spec.max_tries = 1;
            });
            run.world.deadline.set(START + deadline);
            run.runs(failing("UPDATE", sqlstate, 1));
            let counted = run.counted.borrow();
            assert_eq!(counted.failed.len(), usize::from(counts), "{deadline}");
            assert_eq!(counted.errors.len(), usize::from(counts));
            assert!(counted.retried.is_empty());
        }
    }
}

#[test]
fn no_other_try_when_the_time_is_over() {
    for (deadline, tries) in [(3 * STATEMENT_NS, 1), (3 * STATEMENT_NS + 1, 2)] {
        let run = Run::of(SCRIPT, 10).with(|spec| spec.max_tries = 0);
        run.world.deadline.set(START + deadline);
        run.runs(failing("UPDATE", "40001", 100));
        assert_eq!(updates(&run).len(), tries);
        let counted = run.counted.borrow();
        assert_eq!((counted.failed.len(), counted.latencies.len()), (0, 0));
    }
}

#[test]
fn an_error_when_the_run_is_stopped_counts_as_nothing() {
    let run = Run::of(SCRIPT, 10).with(|spec| spec.max_tries = 0);
    run.world.stopped_from.set(START + 2 * STATEMENT_NS);
    run.runs(failing("UPDATE", "40001", 100));
    assert_eq!(updates(&run).len(), 1);
    assert!(run.counted.borrow().failed.is_empty());
    // A statement that is cancelled then does not end the client, whatever the options.
    let run = Run::of(SCRIPT, 10);
    run.world.stopped_from.set(START + 2 * STATEMENT_NS);
    run.runs(failing("UPDATE", "57014", 100));
    let counted = run.counted.borrow();
    assert_eq!((counted.failed.len(), counted.errors.len()), (0, 0));
    assert!(counted.latencies.is_empty());
}

#[test]
fn other_errors_end_the_client_even_when_the_run_is_stopped() {
    let run = Run::of(SCRIPT, 10);
    run.world.stopped_from.set(START + 2 * STATEMENT_NS);
    let error = run.ends(failing("UPDATE", "42P01", 100)).unwrap_err();
    assert_eq!(error.sqlstate, "42P01");
}

#[test]
fn a_cancelled_statement_is_an_error_like_any_other_while_the_run_goes_on() {
    let error = Run::of(SCRIPT, 10)
        .ends(failing("UPDATE", "57014", 1))
        .unwrap_err();
    assert_eq!(error.sqlstate, "57014");
    let run = Run::of(SCRIPT, 3).with(|spec| spec.continue_on_error = true);
    run.runs(failing("UPDATE", "57014", 1));
    assert_eq!(run.counted.borrow().failed, [Other]);
}

#[test]
fn an_error_of_a_meta_command_always_ends_the_client() {
    let run =
        Run::of("BEGIN;\n\\set x 1 / 0\nEND;\n", 5).with(|spec| spec.continue_on_error = true);
    let error = run.ends(all_well).unwrap_err();
    assert_eq!(
        (
            error.sqlstate.as_str(),
            error.message.as_str(),
            error.command
        ),
        ("22000", "division by zero", Some(1))
    );
    assert_eq!(run.sent(), ["simple BEGIN;", "simple ROLLBACK"]);
    assert_eq!(run.command(1), (0, 1, 0));
}

#[test]
fn where_enough_has_failed_a_client_waits_for_the_end() {
    let run = Run::of("UPDATE;", 2).with(|spec| spec.continue_on_error = true);
    run.world.enough.set(2);
    run.runs(failing("UPDATE", "23505", 1));
    assert_eq!(run.world.woken.get(), 2);
    assert_eq!(run.passed(), 2_000_000_000 + 2 * STATEMENT_NS);
    // Nobody asks after a transaction that succeeded.
    let run = Run::of("UPDATE;", 2);
    run.world.enough.set(2);
    run.runs(all_well);
    assert_eq!((run.world.woken.get(), run.world.enough.get()), (0, 2));
}

#[test]
fn it_does_not_wait_when_the_run_is_stopped() {
    let run = Run::of("UPDATE;", 2).with(|spec| spec.continue_on_error = true);
    run.world.enough.set(1000);
    run.world.stopped_from.set(START + 2_500_000_000);
    run.world.longest_pause.set(100_000_000);
    run.runs(failing("UPDATE", "23505", 1));
    assert_eq!(run.world.woken.get(), 3);
    assert!(run.passed() < 2_700_000_000);
    assert_eq!(run.sent(), ["simple UPDATE;"]);
}

#[test]
fn each_sqlstate_has_its_kind() {
    assert_eq!(FailureKind::of("40001"), Serialization);
    assert_eq!(FailureKind::of("40P01"), Deadlock);
    assert_eq!(FailureKind::of("40002"), Other);
    assert!(Serialization.is_retryable() && Deadlock.is_retryable() && !Other.is_retryable());
}
