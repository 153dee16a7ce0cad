//! The rate, and pauses.

use super::fake::*;
use crate::*;
use script::{Streams, poisson};

const MILLISECOND: u64 = 1_000_000;

/// `clients` share a rate of 1000 a second from the start; this one does so many transactions.
fn rated(clients: usize, transactions: u64) -> Run {
    let run = Run::of("SELECT 1;", transactions).with(|spec| {
        spec.rate = Some(Rate::from(1000.0));
        spec.clients = clients;
    });
    run.world.measured_from.set(START);
    run
}

/// When its transactions are due by pgbench's process.
fn due(clients: usize, client: usize, count: usize) -> Vec<u64> {
    let mut prng = Streams::derive(42, clients, clients, None).threads[client].throttle;
    let mut at = START;
    (0..count)
        .map(|_| {
            at += poisson(&mut prng, 1000.0 * clients as f64) as u64 * 1000;
            at
        })
        .collect()
}

#[test]
fn transactions_begin_when_pgbench_would_begin_them() {
    for (clients, client) in [(1, 0), (3, 0), (3, 2)] {
        let mut run = rated(clients, 100);
        run.number = client;
        // So quick that none waits for the one before.
        run.runs(|_, _| Reply::after(1));
        assert_eq!(*run.world.sent_at.borrow(), due(clients, client, 100));
        let counted = run.counted.borrow();
        assert_eq!(counted.latencies, vec![1; 100]);
        assert_eq!(counted.lags, vec![0; 100]);
    }
    let mean = (due(3, 2, 10_000)[9_999] - START) as f64 / 10_000.0;
    assert!((2.9e6..3.1e6).contains(&mean), "{mean}");
}

#[test]
fn a_transaction_that_begins_late_has_the_lag_in_its_latency() {
    let takes = 5 * MILLISECOND;
    let run = rated(1, 200);
    run.runs(move |_, _| Reply::after(takes));
    let (mut now, mut latencies, mut lags) = (START, Vec::new(), Vec::new());
    for due in due(1, 0, 200) {
        let begun = now.max(due);
        now = begun + takes;
        lags.push(begun - due);
        latencies.push(now - due);
    }
    let counted = run.counted.borrow();
    assert_eq!(counted.lags, lags);
    assert_eq!(counted.latencies, latencies);
    assert!(lags[199] > 500 * MILLISECOND && counted.skipped == 0);
}

#[test]
fn what_is_too_late_already_is_skipped() {
    let (takes, limit) = (5 * MILLISECOND, 20 * MILLISECOND);
    let run = rated(1, 200).with(|spec| {
        spec.latency_limit_ms = Some(limit as f64 / 1e6);
        spec.sampling_rate = Some(1.0);
    });
    run.runs(move |_, _| Reply::after(takes));
    let (mut now, mut begun, mut skipped, mut late) = (START, Vec::new(), Vec::new(), 0);
    for (number, due) in (1..).zip(due(1, 0, 200)) {
        if due + limit < now {
            skipped.push((number, now));
            continue;
        }
        now = now.max(due);
        begun.push(now);
        now += takes;
        late += u64::from(now - due > limit);
    }
    assert!(skipped.len() > 100 && late > 10, "{} {late}", skipped.len());
    assert_eq!(*run.world.sent_at.borrow(), begun);
    let counted = run.counted.borrow();
    assert_eq!(
        (counted.skipped, counted.late),
        (skipped.len() as u64, late)
    );
    assert!(counted.lags.iter().all(|&lag| lag <= limit));
    // The log has them, with the moment at which they were left out.
    let logged = counted
        .entries
        .iter()
        .filter(|entry| entry.outcome == LoggedOutcome::Skipped);
    let logged: Vec<_> = logged.collect();
    assert!(
        logged
            .iter()
            .all(|entry| (entry.latency_ns, entry.lag_ns, entry.retries) == (0, 0, 0))
    );
    let logged: Vec<_> = logged
        .iter()
        .map(|entry| (entry.transaction_no, entry.ended_at))
        .collect();
    assert_eq!(logged, skipped);
    assert_eq!(counted.entries.len(), 200);
}

#[test]
fn skipped_transactions_belong_to_their_script() {
    let run = rated(1, 300).with(|spec| {
        spec.latency_limit_ms = Some(1e-3);
        spec.scripts = scripts(&[("S0;", 1), ("S1;", 1)]);
    });
    run.runs(|_, _| Reply::after(5 * MILLISECOND));
    let counted = run.counted.borrow();
    let skipped: Vec<u64> = (0..2)
        .map(|script| counted.scripts[&script].outcomes.skipped)
        .collect();
    assert_eq!(skipped[0] + skipped[1], counted.skipped);
    assert!(skipped[0] > 50 && skipped[1] > 50, "{skipped:?}");
    assert_eq!(counted.skipped + counted.latencies.len() as u64, 300);
}

#[test]
fn nothing_begins_that_is_due_after_the_end() {
    let dues = due(1, 0, 3);
    for (deadline, transactions) in [(dues[2], 2), (dues[2] + 1, 3)] {
        let run = rated(1, 1000);
        run.world.deadline.set(deadline);
        run.runs(|_, _| Reply::after(1));
        assert_eq!(run.sent().len(), transactions);
        // It does not even wait for the end.
        assert_eq!(run.world.now.get(), dues[transactions - 1] + 1);
    }
}

#[test]
fn a_client_that_skips_sees_the_end() {
    // The log has each transaction that is skipped, and lets the client wait.
    for (deadline, skipped) in [(120, 2), (121, 3)] {
        let run = rated(1, 1000).with(|spec| {
            spec.latency_limit_ms = Some(1e-6);
            spec.sampling_rate = Some(1.0);
        });
        run.counted.borrow_mut().log_waits_ns = 20 * MILLISECOND;
        let began = due(1, 0, 1)[0];
        run.world.deadline.set(began + deadline * MILLISECOND);
        run.runs(|_, _| Reply::after(60 * MILLISECOND));
        // The first ends after 60 ms, is logged for 20, and what is skipped for 20 each.
        assert_eq!(run.sent().len(), 1);
        assert_eq!(run.counted.borrow().skipped, skipped);
    }
}

#[test]
fn a_client_that_skips_sees_a_stop() {
    for (stop, skipped) in [(120, 2), (121, 3)] {
        let run = rated(1, 1000).with(|spec| {
            spec.latency_limit_ms = Some(1e-6);
            spec.sampling_rate = Some(1.0);
        });
        run.counted.borrow_mut().log_waits_ns = 20 * MILLISECOND;
        let began = due(1, 0, 1)[0];
        run.world.stopped_from.set(began + stop * MILLISECOND);
        run.runs(|_, _| Reply::after(60 * MILLISECOND));
        assert_eq!(run.sent().len(), 1);
        assert_eq!(run.counted.borrow().skipped, skipped);
    }
}

#[test]
fn waiting_ends_when_the_run_is_stopped() {
    let run = rated(1, 1000).with(|spec| spec.rate = Some(Rate::from(0.001)));
    run.world.stopped_from.set(START + 10 * MILLISECOND);
    run.world.longest_pause.set(MILLISECOND);
    run.runs(all_well);
    assert_eq!(run.sent(), [] as [String; 0]);
    assert_eq!(run.passed(), 10 * MILLISECOND);
    assert_eq!(run.world.reported.borrow()[0], "idle");
    assert!(run.counted.borrow().latencies.is_empty());
}

#[test]
fn a_schedule_in_the_past_is_not_waited_for() {
    let run = rated(1, 3);
    run.world.now.set(START + 1_000 * MILLISECOND);
    run.runs(all_well);
    assert!(run.world.pauses.borrow().is_empty());
    let counted = run.counted.borrow();
    assert_eq!(
        counted.lags[0],
        START + 1_000 * MILLISECOND - due(1, 0, 1)[0]
    );
}

#[test]
fn a_client_thinks_between_transactions() {
    let run = Run::of("SELECT 1;", 4).with(|spec| spec.think_time_s = 5e-3);
    run.runs(all_well);
    // Not after the last one.
    assert_eq!(*run.world.pauses.borrow(), [5 * MILLISECOND; 3]);
    let counted = run.counted.borrow();
    assert_eq!(counted.latencies, [STATEMENT_NS; 4]);
    assert_eq!(run.passed(), 4 * STATEMENT_NS + 15 * MILLISECOND);
    assert_eq!(*run.world.reported.borrow(), ["idle"; 3]);
}

#[test]
fn it_does_not_think_beyond_the_end() {
    let run = Run::new(RunSpec {
        think_time_s: 5e-3,
        ..spec("SELECT 1;")
    });
    run.world.deadline.set(START + 7 * MILLISECOND);
    run.runs(all_well);
    assert_eq!(run.passed(), 7 * MILLISECOND);
    assert_eq!(run.sent().len(), 2);
    // A transaction that ends at the end: nothing is left to think about.
    let run = Run::new(run.spec.clone());
    run.world.deadline.set(START + STATEMENT_NS);
    run.runs(all_well);
    assert!(run.world.pauses.borrow().is_empty());
}

#[test]
fn thinking_ends_when_the_run_is_stopped() {
    let run = Run::new(RunSpec {
        think_time_s: 3600.0,
        ..spec("SELECT 1;")
    });
    run.world.stopped_from.set(START + 10 * MILLISECOND);
    run.world.longest_pause.set(MILLISECOND);
    run.runs(all_well);
    assert!(run.passed() < 12 * MILLISECOND);
    assert_eq!(run.counted.borrow().latencies.len(), 1);
}

fn altered(revision: u64, rate: Option<f64>, at: u64) -> Altered {
    Altered { revision, rate, at }
}

/// So many moments of a schedule that begins at `at`, by what a client's stream draws after `drawn` others.
fn due_from(at: u64, mean_us: f64, drawn: usize, count: usize) -> Vec<u64> {
    let mut prng = Streams::derive(42, 1, 1, None).threads[0].throttle;
    for _ in 0..drawn {
        poisson(&mut prng, 1.0);
    }
    let mut at = at;
    (0..count)
        .map(|_| {
            at += poisson(&mut prng, mean_us) as u64 * 1000;
            at
        })
        .collect()
}

#[test]
fn a_client_that_waits_follows_an_altered_rate_at_once() {
    let run = rated(1, 50).with(|spec| spec.rate = Some(Rate::from(0.001)));
    let at = START + 10 * MILLISECOND;
    *run.world.alterations.borrow_mut() = vec![altered(1, Some(2000.0), at)];
    run.world.longest_pause.set(MILLISECOND);
    run.runs(|_, _| Reply::after(1));
    assert_eq!(*run.world.sent_at.borrow(), due_from(at, 500.0, 1, 50));
    assert_eq!(run.counted.borrow().lags, vec![0; 50]);
}

#[test]
fn a_backlog_is_not_made_up_for_at_another_rate() {
    // Five times as much as it can do; then half of it.
    let takes = 5 * MILLISECOND;
    let run = rated(1, 300);
    let at = START + 1000 * MILLISECOND;
    *run.world.alterations.borrow_mut() = vec![altered(1, Some(10.0), at)];
    run.runs(move |_, _| Reply::after(takes));
    let counted = run.counted.borrow();
    let behind = counted.lags.iter().filter(|&&lag| lag > 100 * MILLISECOND);
    assert!((150..201).contains(&behind.count()));
    assert!(
        counted.lags[210..]
            .iter()
            .all(|&lag| lag < 100 * MILLISECOND)
    );
}

#[test]
fn a_run_without_a_rate_gets_one_and_loses_it_again() {
    let run = Run::of("SELECT 1;", 10_000);
    run.world.measured_from.set(START);
    let (on, off) = (START + MILLISECOND, START + 101 * MILLISECOND);
    *run.world.alterations.borrow_mut() = vec![altered(1, Some(1000.0), on), altered(2, None, off)];
    run.world.longest_pause.set(MILLISECOND);
    run.runs(all_well);
    let sent = run.world.sent_at.borrow();
    let during = sent.iter().filter(|at| (on..off).contains(at)).count();
    assert_eq!(sent.iter().filter(|&&at| at < on).count(), 1000);
    assert!((70..130).contains(&during), "{during}");
    assert_eq!(sent.len(), 10_000);
}

#[test]
fn a_rate_in_steps_goes_by_the_time_of_the_measured_part() {
    let steps = vec![
        RateStep {
            at_s: 0.0,
            rate: Some(Level::Constant(100.0)),
        },
        RateStep {
            at_s: 2.0,
            rate: Some(Level::Constant(1000.0)),
        },
    ];
    // The first part of it came in a segment before.
    for (elapsed_s, quick_from) in [(0.0, 2000), (1.5, 500), (9.0, 0)] {
        let run = rated(1, 1000).with(|spec| {
            spec.rate = Some(Rate::Steps(steps.clone()));
            spec.elapsed_s = elapsed_s;
        });
        // So that 9 seconds of the past can be told from the beginning of the clock.
        run.world.now.set(10_000 * MILLISECOND);
        run.world.measured_from.set(10_000 * MILLISECOND);
        run.runs(|_, _| Reply::after(1));
        let sent = run.world.sent_at.borrow();
        let quick = sent
            .iter()
            .filter(|&&at| at >= (10_000 + quick_from) * MILLISECOND)
            .count();
        let slow = 1000 - quick;
        let expected = quick_from as usize / 10;
        assert!(slow.abs_diff(expected) <= 40, "{slow} of {expected}");
    }
}
