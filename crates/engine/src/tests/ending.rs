//! The end of a client, and its periodic work.

use super::fake::*;

const SECOND: u64 = 1_000_000_000;

#[test]
fn no_transaction_begins_at_the_end_or_later() {
    for (deadline, transactions) in [(1, 1), (2_000, 2), (2_001, 3)] {
        let run = Run::new(spec("SELECT 1;"));
        run.world.deadline.set(START + deadline);
        run.runs(all_well);
        // The last one comes to its end, and counts.
        assert_eq!(run.counted.borrow().latencies.len(), transactions);
    }
    let run = Run::new(spec("SELECT 1;"));
    run.world.deadline.set(START);
    assert_eq!(run.runs(all_well).sent(), [] as [String; 0]);
}

#[test]
fn a_client_does_its_number_of_transactions() {
    let mut run = Run::of("SELECT 1;", 5).with(|spec| spec.sampling_rate = Some(1.0));
    run.ended = 3;
    run.runs(all_well);
    let counted = run.counted.borrow();
    assert_eq!(counted.latencies.len(), 2);
    let numbers: Vec<u64> = counted
        .entries
        .iter()
        .map(|entry| entry.transaction_no)
        .collect();
    assert_eq!(numbers, [4, 5]);
    drop(counted);
    let mut run = Run::of("SELECT 1;", 5);
    run.ended = 5;
    assert_eq!(run.runs(all_well).sent(), [] as [String; 0]);
}

#[test]
fn failed_transactions_are_among_them() {
    let run = Run::of("SELECT 1;", 5);
    run.runs(failing("SELECT", "40001", 3));
    let counted = run.counted.borrow();
    assert_eq!((counted.failed.len(), counted.latencies.len()), (3, 2));
}

#[test]
fn a_stopped_run_ends_after_the_transaction() {
    let run = Run::new(spec("BEGIN;\nSELECT 1;\nEND;\n"));
    run.world.stopped_from.set(START + STATEMENT_NS / 2);
    run.runs(all_well);
    assert_eq!(
        run.sent(),
        ["simple BEGIN;", "simple SELECT 1;", "simple END;"]
    );
    assert_eq!(run.counted.borrow().latencies, [3 * STATEMENT_NS]);
}

#[test]
fn a_sleep_is_as_long_as_it_says() {
    let run = Run::of("\\sleep 3 ms\nSELECT 1;\n", 1);
    run.world.longest_pause.set(1_000_000);
    run.runs(all_well);
    assert_eq!(*run.world.pauses.borrow(), [1_000_000; 3]);
    assert_eq!(run.counted.borrow().latencies, [3_000_000 + STATEMENT_NS]);
    assert_eq!(run.command(0), (1, 0, 0));
}

#[test]
fn a_sleep_ends_when_the_run_is_stopped() {
    let run = Run::of("\\sleep 3600 s\nSELECT 1;\n", 9);
    run.world.longest_pause.set(1_000);
    run.world.stopped_from.set(START + 10_000);
    run.runs(all_well);
    // The transaction that slept still comes to its end.
    assert_eq!(run.counted.borrow().latencies, [10_000 + STATEMENT_NS]);
}

#[test]
fn a_sleep_needs_a_time() {
    let error = Run::of("\\sleep :nothing\n", 1).ends(all_well).unwrap_err();
    assert_eq!(error.message, "sleep: undefined variable \"nothing\"");
}

#[test]
fn statistics_go_out_about_once_a_second() {
    // After two transactions no whole second has passed, nor exactly one more.
    let run = Run::of("SELECT 1;", 9);
    run.runs(|_, _| Reply::after(SECOND / 2));
    assert_eq!(*run.world.reported.borrow(), ["statistics"; 2]);
    assert_eq!(
        run.counted.borrow().reports,
        1,
        "the counts at the end alone"
    );
    let run = Run::of("SELECT 1;", 9);
    run.runs(|_, _| Reply::after(1));
    assert!(run.world.reported.borrow().is_empty());
}

#[test]
fn a_run_that_can_be_resumed_reports_often() {
    let run = Run::of("", 9).with(|spec| {
        spec.scripts = scripts(&[("S0;", 1), ("S1;", 1)]);
        spec.resume = true;
    });
    run.runs(|_, _| Reply::after(SECOND / 2));
    let counted = run.counted.borrow();
    assert_eq!(counted.reports, 3);
    // No figure comes twice, none is lost.
    let calls = |index| counted.commands[&index].latencies.moments.count;
    let transactions = |script| counted.scripts[&script].latencies.moments.count;
    assert_eq!(calls(0) + calls(1), 9);
    assert_eq!((transactions(0), transactions(1)), (calls(0), calls(1)));
}

#[test]
fn a_run_of_one_script_does_not_count_it_apart() {
    let run = Run::of("SELECT 1;", 2);
    run.runs(all_well);
    assert!(run.counted.borrow().scripts.is_empty());
}

#[test]
fn the_session_is_looked_after_before_each_transaction() {
    let run = Run::of("SELECT 1;\nSELECT 2;\n", 3);
    run.runs(all_well);
    // And once more before the end.
    assert_eq!(run.world.idle_checks.get(), 4);
}

#[test]
fn a_transaction_left_open_ends_the_client() {
    let run = Run::of("BEGIN;\nSELECT 1;\n", 5).with(|spec| spec.continue_on_error = true);
    let error = run.ends(all_well).unwrap_err();
    assert_eq!(error.sqlstate, "25001");
    assert_eq!(
        error.message,
        "end of script reached without completing the last transaction"
    );
    assert_eq!(error.command, None);
    assert_eq!(run.sent().last().unwrap(), "simple ROLLBACK");
    assert!(run.counted.borrow().latencies.is_empty());
}

#[test]
fn a_client_that_fails_still_reports_what_it_did() {
    let run = Run::of("SELECT 1;", 9);
    let mut left = 3;
    let error = run.ends(move |_, _| {
        left -= 1;
        if left == 0 {
            Reply::error("42P01")
        } else {
            Reply::done()
        }
    });
    assert_eq!(error.unwrap_err().sqlstate, "42P01");
    assert_eq!(run.command(0), (2, 1, 0));
}

#[test]
fn an_error_that_belongs_to_the_script_fails_its_transaction() {
    let run = Run::of("INSERT;", 3).with(|spec| {
        spec.scripts[0].survives = vec!["23505".to_owned()];
        spec.max_tries = 5;
    });
    // It is not tried again: the same values would meet the same key.
    run.runs(failing("INSERT", "23505", 2));
    assert_eq!(run.sent().len(), 3);
    assert_eq!(run.command(0), (1, 2, 0));
    // Another error ends the client.
    let run = Run::new(run.spec.clone());
    let ended = run.ends(failing("INSERT", "23503", 1)).unwrap_err();
    assert_eq!(ended.sqlstate, "23503");
}
