//! The transaction log.

use super::fake::*;
use crate::*;
use script::Streams;

#[test]
fn an_entry_describes_its_transaction() {
    let run = Run::of("", 4).with(|spec| {
        spec.scripts = scripts(&[("\\set x 1\n", 0), ("UPDATE;", 1)]);
        spec.sampling_rate = Some(1.0);
        spec.continue_on_error = true;
        spec.max_tries = 2;
    });
    let mut number = 0;
    run.runs(move |_, text| {
        number += u32::from(text.starts_with("UPDATE"));
        match number {
            2 | 4 | 5 => Reply::error("40P01"),
            6 => Reply::error("23505"),
            _ => Reply::done(),
        }
    });
    let entry = |transaction_no, outcome, ended_at, latency_ns, retries| Entry {
        transaction_no,
        script_no: 1,
        outcome,
        ended_at: START + ended_at,
        latency_ns,
        lag_ns: 0,
        retries,
    };
    use LoggedOutcome::{Done, Failed};
    assert_eq!(
        run.counted.borrow().entries,
        [
            entry(1, Done, 1_000, 1_000, 0),
            // Twice tried, with the pause after a deadlock.
            entry(2, Done, 1_003_000, 1_002_000, 1),
            entry(3, Failed(FailureKind::Deadlock), 2_005_000, 1_002_000, 1),
            entry(4, Failed(FailureKind::Other), 2_006_000, 1_000, 0),
        ]
    );
}

#[test]
fn a_part_of_the_transactions_is_logged_as_by_pgbench() {
    for rate in [0.25, 0.5] {
        let run = Run::of("SELECT 1;", 400).with(|spec| spec.sampling_rate = Some(rate));
        run.runs(all_well);
        let mut prng = Streams::derive(42, 1, 1, None).threads[0].sampling;
        let taken: Vec<u64> = (1..=400).filter(|_| prng.next_double() <= rate).collect();
        let logged = |entry: &Entry| entry.transaction_no;
        assert_eq!(
            run.counted
                .borrow()
                .entries
                .iter()
                .map(logged)
                .collect::<Vec<_>>(),
            taken
        );
        assert!(taken.len() > 60);
    }
}

#[test]
fn a_log_of_all_draws_nothing() {
    let run = Run::of("SELECT 1;", 5).with(|spec| spec.sampling_rate = Some(1.0));
    let mut client = run.client(all_well);
    client.run().unwrap();
    assert_eq!(
        client.state().sampling,
        Some(Streams::derive(42, 1, 1, None).threads[0].sampling)
    );
    assert_eq!(run.counted.borrow().entries.len(), 5);
}

#[test]
fn without_a_rate_there_is_no_log() {
    let run = Run::of("SELECT 1;", 5);
    run.runs(failing("SELECT", "40001", 2));
    assert!(run.counted.borrow().entries.is_empty());
}

#[test]
fn waiting_for_the_log_is_part_of_no_transaction() {
    let run = Run::of("SELECT 1;", 3).with(|spec| spec.sampling_rate = Some(1.0));
    run.counted.borrow_mut().log_waits_ns = 50_000;
    run.runs(all_well);
    assert_eq!(run.counted.borrow().latencies, [STATEMENT_NS; 3]);
    assert_eq!(run.passed(), 3 * (STATEMENT_NS + 50_000));
}

#[test]
fn a_log_that_does_not_wait_reads_no_clock() {
    let clock_reads = |sampling_rate| {
        let run = Run::of("SELECT 1;", 3).with(|spec| spec.sampling_rate = sampling_rate);
        run.runs(all_well).world.clock_reads.get()
    };
    assert_eq!(clock_reads(Some(1.0)), clock_reads(None));
}
