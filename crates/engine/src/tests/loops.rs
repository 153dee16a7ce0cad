//! Loops, those that never end among them.

use super::fake::*;
use crate::*;

const ENDLESS: &str = "BEGIN;\n\\while 1\n\\endwhile\nEND;\n";

#[test]
fn a_loop_sends_its_statements_each_time() {
    let run = Run::of(
        "\\set i 0\n\\while :i < 3\nA :i;\n\\set i :i + 1\n\\endwhile\nB;\n",
        1,
    );
    run.runs(all_well);
    assert_eq!(
        run.sent(),
        ["simple A 0;", "simple A 1;", "simple A 2;", "simple B;"]
    );
    // The condition is looked at once more than it holds.
    assert_eq!(run.command(1), (4, 0, 0));
    assert_eq!(run.command(2), (3, 0, 0));
    assert_eq!(run.command(4), (3, 0, 0));
    assert_eq!(run.counted.borrow().latencies.len(), 1);
}

#[test]
fn a_loop_lets_the_session_be_reached() {
    let run = Run::of("\\set i 0\n\\while :i < 3\n\\set i :i + 1\n\\endwhile\n", 2);
    run.runs(all_well);
    assert_eq!(run.world.interrupts.get(), 6);
}

#[test]
fn a_condition_that_fails_ends_the_client() {
    for (condition, message) in [
        ("1 / 0", "division by zero"),
        (":nothing", "undefined variable \"nothing\""),
    ] {
        let error = Run::of(&format!("A;\n\\while {condition}\n\\endwhile\n"), 1)
            .with(|spec| spec.continue_on_error = true)
            .ends(all_well)
            .unwrap_err();
        assert_eq!(
            (error.sqlstate.as_str(), error.message.as_str()),
            ("22000", message)
        );
        assert_eq!(error.command, Some(1));
    }
}

#[test]
fn an_endless_loop_ends_when_a_stopped_run_cancels_it() {
    let run = Run::new(spec(ENDLESS));
    run.world.stopped_from.set(START + 1);
    run.world.cancel_at.set(100);
    run.runs(all_well);
    assert_eq!(run.sent(), ["simple BEGIN;", "simple ROLLBACK"]);
    assert_eq!(run.world.interrupts.get(), 100);
    // It counts as nothing.
    let counted = run.counted.borrow();
    assert_eq!((counted.latencies.len(), counted.failed.len()), (0, 0));
}

#[test]
fn a_cancel_from_elsewhere_is_the_error_of_a_statement() {
    let run = Run::new(spec(ENDLESS));
    run.world.cancel_at.set(7);
    let error = run.ends(all_well).unwrap_err();
    assert_eq!((error.sqlstate.as_str(), error.command), ("57014", Some(2)));
    assert_eq!(run.sent().last().unwrap(), "simple ROLLBACK");
    // With continue_on_error only its transaction fails.
    let script = "\\set i 0\n\\while :i < 5\n\\set i :i + 1\n\\endwhile\n";
    let run = Run::of(script, 2).with(|spec| spec.continue_on_error = true);
    run.world.cancel_at.set(3);
    run.runs(all_well);
    assert_eq!(run.counted.borrow().failed, [FailureKind::Other]);
    assert_eq!(run.command(3), (2 + 5, 1, 0));
}
