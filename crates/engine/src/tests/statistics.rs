//! What is counted of commands and transactions.

use super::fake::*;
use crate::*;

fn used(amount: u64) -> Usage {
    Usage {
        shared_blks_hit: amount,
        wal_bytes: 100 * amount,
        ..Usage::default()
    }
}

/// SELECTs and UPDATEs that use something, each in its own way.
fn busy(_: &World, text: &str) -> Reply {
    let number = match text.get(..6) {
        Some("SELECT") => 1,
        Some("UPDATE") => 2,
        _ => return Reply::done(),
    };
    Reply {
        takes_ns: number * 10_000,
        result: Ok(Answer {
            processed: 3 * number,
            rows: 4 * number,
            bytes: 50 * number,
            usage: used(6 * number),
            parse_ns: 700 * number,
            plan_ns: 800 * number,
            commit_ns: 900 * number,
            ..Answer::default()
        }),
    }
}

#[test]
fn each_command_has_its_own_figures() {
    let run = Run::of("\\set x 1\nSELECT 1;\nUPDATE;\n", 3);
    run.runs(busy);
    let counted = run.counted.borrow();
    for (command, number) in [(1, 1), (2, 2)] {
        let stats = &counted.commands[&command];
        let moments = &stats.latencies.moments;
        assert_eq!(
            (moments.count, moments.sum_ns, moments.max_ns),
            (3, 30_000 * number, Some(10_000 * number))
        );
        assert_eq!(stats.latencies.histogram.count(), 3);
        assert_eq!(
            stats.latencies.columns().latency_avg_ms,
            Some(0.01 * number as f64)
        );
        assert_eq!((stats.rows, stats.usage), (9 * number, used(18 * number)));
        let parts = Parts {
            parse_ns: 2_100 * number,
            plan_ns: 2_400 * number,
            commit_ns: 2_700 * number,
            ..Parts::default()
        };
        assert_eq!(stats.parts, parts);
    }
    let set = &counted.commands[&0];
    assert_eq!(
        (set.latencies.moments.count, set.latencies.moments.sum_ns),
        (3, 0)
    );
    assert_eq!((set.rows, set.usage), (0, Usage::default()));
    // Of transactions: 3 times one SELECT and one UPDATE.
    assert_eq!(counted.received, (3 * 12, 3 * 150));
    assert_eq!(counted.used, used(3 * 18));
    assert_eq!(counted.latencies, [30_000; 3]);
    assert!(counted.lost.is_empty());
    assert!(counted.retry_times.is_empty());
}

#[test]
fn what_a_failed_transaction_used_counts_too() {
    let run = Run::of("BEGIN;\nSELECT 1;\nFAIL;\nEND;\n", 2).with(|spec| spec.max_tries = 2);
    let mut left = 3;
    run.runs(move |world, text| {
        if text == "FAIL;" && left > 0 {
            left -= 1;
            return Reply::error("40001");
        }
        busy(world, text)
    });
    let counted = run.counted.borrow();
    assert_eq!(counted.failed.len(), 1);
    assert_eq!(counted.latencies.len(), 1);
    // Four tries in all.
    assert_eq!(counted.used, used(4 * 6));
    assert_eq!(counted.received, (16, 200));
    let lost = Spent {
        total_ns: 10_000 + STATEMENT_NS,
        parts: Parts {
            parse_ns: 700,
            plan_ns: 800,
            commit_ns: 900,
            ..Parts::default()
        },
    };
    assert_eq!(counted.lost, [lost; 3]);
    // Of the transaction that was done in its second try.
    assert_eq!(counted.retry_times, [10_000 + 3 * STATEMENT_NS]);
    assert_eq!(counted.retried, [1, 1]);
}

/// Statements over a connection, of which some fail.
#[test]
fn answers_have_a_beginning_and_a_rest() {
    let run =
        Run::of("BEGIN;\nSELECT 1;\nFAIL;\n\\set x 1\nEND;\n", 2).with(|spec| spec.max_tries = 2);
    let mut left = 1;
    run.runs(move |_, text| match text {
        "FAIL;" if left > 0 => {
            left -= 1;
            Reply::error("40001")
        }
        _ => Reply {
            takes_ns: 10_000,
            result: Ok(Answer {
                first_byte_ns: 9_000,
                ..Answer::default()
            }),
        },
    });
    let counted = run.counted.borrow();
    let answers = |count: u64| Answers {
        count,
        first_byte_ns: 9_000 * count,
        receive_ns: 1_000 * count,
    };
    let of = |command: usize| counted.commands[&command].parts.answers;
    let found = [0, 1, 2, 3, 4].map(of);
    assert_eq!(found, [3, 3, 2, 0, 2].map(answers));
    // BEGIN and SELECT of the try that came to nothing.
    let lost: Vec<Answers> = counted.lost.iter().map(|it| it.parts.answers).collect();
    assert_eq!(lost, [answers(2)]);
}

#[test]
fn preparation_is_charged_to_no_statement() {
    let run = Run::of("SELECT 1;\n", 2).with(|spec| spec.query_mode = QueryMode::Prepared);
    run.runs(|_, text| {
        let amount = if text.starts_with("prepare") { 1000 } else { 1 };
        Reply::answer(Answer {
            usage: used(amount),
            ..Answer::default()
        })
    });
    let counted = run.counted.borrow();
    assert_eq!(
        (counted.commands[&0].usage, counted.used),
        (used(2), used(2))
    );
}

#[test]
fn the_clock_and_the_usage_are_read_once_a_statement() {
    let reads = |transactions| {
        let run = Run::of("\\set x 1\nBEGIN;\nSELECT 1;\nEND;\n", transactions);
        run.runs(all_well);
        (run.world.clock_reads.get(), run.world.usage_reads.get())
    };
    let (few, many) = (reads(10), reads(110));
    // Of four commands, three of which are statements.
    assert_eq!((many.0 - few.0, many.1 - few.1), (400, 300));
}

#[test]
fn a_round_trip_follows_statements_inside_a_block() {
    let trip = 500_000;
    let run = Run::of("SELECT 1;\nBEGIN;\n\\set x 1\nSELECT 2;\nEND;\n", 1)
        .with(|spec| spec.round_trip_s = trip as f64 / 1e9);
    run.runs(all_well);
    // After BEGIN and the second SELECT.
    assert_eq!(*run.world.pauses.borrow(), [trip; 2]);
    assert_eq!(*run.world.reported.borrow(), ["idle in transaction"; 2]);
    let counted = run.counted.borrow();
    // It is part of the transaction, and of no statement, nor of the command after it.
    assert_eq!(counted.latencies, [4 * STATEMENT_NS + 2 * trip]);
    for (command, sum) in [
        (0, STATEMENT_NS),
        (1, STATEMENT_NS),
        (2, 0),
        (3, STATEMENT_NS),
        (4, STATEMENT_NS),
    ] {
        assert_eq!(counted.commands[&command].latencies.moments.sum_ns, sum);
    }
}

#[test]
fn a_round_trip_ends_when_the_run_is_stopped() {
    let run = Run::of("BEGIN;\nEND;\n", 1).with(|spec| spec.round_trip_s = 3600.0);
    run.world.longest_pause.set(1_000);
    run.world.stopped_from.set(START + 10_000);
    run.runs(all_well);
    assert_eq!(run.passed(), 10_000 + STATEMENT_NS);
}

#[test]
fn within_a_pipeline_nobody_waits_for_the_network() {
    let script = "\\startpipeline\nBEGIN;\nSELECT 1;\nEND;\n\\endpipeline\n";
    let run = Run::of(script, 1).with(|spec| {
        spec.query_mode = QueryMode::Extended;
        spec.round_trip_s = 1.0;
    });
    run.runs(all_well);
    assert!(run.world.pauses.borrow().is_empty());
    // Without one there is nothing to wait for at all.
    let run = Run::of("BEGIN;\nEND;\n", 1);
    run.runs(all_well);
    assert!(run.world.reported.borrow().is_empty());
}

#[test]
fn only_what_is_slower_than_the_limit_is_late() {
    let run = Run::of("", 3).with(|spec| {
        spec.latency_limit_ms = Some(2e-3);
        spec.scripts = scripts(&[("A;", 1), ("B;", 0)]);
    });
    let mut takes = [2_000, 2_001, 1_999].into_iter();
    run.runs(move |_, _| Reply::after(takes.next().unwrap()));
    let counted = run.counted.borrow();
    assert_eq!((counted.late, counted.latencies.len()), (1, 3));
    assert_eq!(counted.scripts[&0].outcomes.late, 1);
    assert_eq!(counted.scripts[&1].outcomes, Outcomes::default());
}

#[test]
fn each_script_of_a_mix_has_its_outcomes() {
    let run = Run::of("", 60).with(|spec| {
        spec.scripts = scripts(&[("A;", 1), ("B;", 1)]);
        spec.max_tries = 3;
        spec.continue_on_error = true;
        spec.rate = Some(Rate::from(100.0));
    });
    // Of each script's transactions: one that fails at last, one that is done at its third try, then other errors.
    let mut seen = [0, 0];
    run.runs(move |_, text| {
        let number = usize::from(text.starts_with('B'));
        seen[number] += 1;
        match (seen[number], number) {
            (1..=5, 0) => Reply::error("40001"),
            (1..=5, 1) => Reply::error("40P01"),
            (7, _) => Reply::error("23505"),
            _ => Reply::done(),
        }
    });
    let counted = run.counted.borrow();
    let outcomes = |serialization_failures, deadlock_failures| Outcomes {
        serialization_failures,
        deadlock_failures,
        other_failures: 1,
        retried: 2,
        retries: 4,
        skipped: 0,
        late: 0,
    };
    assert_eq!(counted.scripts[&0].outcomes, outcomes(1, 0));
    assert_eq!(counted.scripts[&1].outcomes, outcomes(0, 1));
    assert_eq!(counted.scripts[&0].outcomes.failed(), 2);
    let done = |script| counted.scripts[&script].latencies.moments.count;
    assert_eq!(done(0) + done(1) + 4, 60);
    assert_eq!(counted.latencies.len() as u64, done(0) + done(1));
    let sum = |script| counted.scripts[&script].latencies.moments.sum_ns;
    assert_eq!(sum(0) + sum(1), counted.latencies.iter().sum::<u64>());
    assert_eq!(counted.retried, vec![2; 4]);
}
