//! The warm-up does not change the measured part.

use super::fake::*;
use crate::*;
use script::{Streams, Value, choose_script, poisson};

const MIX: [(&str, u32); 2] = [
    ("\\set n :n + 1\n\\set x random(1, 1000000)\nA :n :x;", 2),
    ("\\set x random(1, 1000000)\nB :x;", 3),
];

/// A mix with a warm-up of 20 transactions, and 30 measured ones.
fn warmed(warmup: Option<Warmup>) -> Run {
    let lasts = if warmup.is_some() {
        20 * STATEMENT_NS
    } else {
        0
    };
    let run = Run::of("", 30).with(|spec| {
        spec.scripts = scripts(&MIX);
        spec.variables.insert("n".to_owned(), "0".to_owned());
        spec.warmup = warmup;
    });
    run.world.measured_from.set(START + lasts);
    run
}

#[test]
fn the_measured_part_is_the_same_with_and_without_it() {
    let without = warmed(None);
    without.runs(all_well);
    let measured = without.sent();
    assert_eq!(measured.len(), 30);
    let own = || scripts(&[("\\set n 99\nW;", 1), ("\\set x random(1, 9)\nV :x;", 1)]);
    for scripts in [Vec::new(), own()] {
        let scale = Some(Value::Int(3));
        let run = warmed(Some(Warmup { scripts, scale }));
        run.runs(all_well);
        let sent = run.sent();
        assert_eq!(sent.len(), 50);
        assert_eq!(sent[20..], measured);
        assert_ne!(sent[..20], measured[..20]);
        let counted = run.counted.borrow();
        assert_eq!((counted.warmup, counted.latencies.len()), (20, 30));
    }
}

#[test]
fn its_draws_are_those_of_another_seed() {
    let run = warmed(Some(Warmup::default()));
    run.runs(all_well);
    let mut streams = Streams::derive(!42, 1, 1, None);
    let choice = &mut streams.threads[0].choice;
    let expected: Vec<_> = (0..20)
        .map(|_| ["simple A", "simple B"][choose_script(choice, &[2, 3])])
        .collect();
    let sent: Vec<_> = run.sent()[..20]
        .iter()
        .map(|text| text[..8].to_owned())
        .collect();
    assert_eq!(sent, expected);
    // default_seed decides which rows are the frequent ones: it stays.
    let run = Run::of("SELECT :default_seed, :random_seed;", 1)
        .with(|spec| spec.warmup = Some(Warmup::default()));
    run.world.measured_from.set(START + STATEMENT_NS);
    run.runs(all_well);
    let sent = run.sent();
    assert_eq!((sent.len(), &sent[0]), (2, &sent[1]));
}

#[test]
fn the_parts_of_a_run_have_numbers_and_variables_of_their_own() {
    let script = "\\if NOT :{?n}\n\\set n 0\n\\endif\n\\set n :n + 1\nA :pgperf_part :n;";
    let of_segment = |segment, given: Option<&str>| {
        let run = Run::of(script, 2).with(|spec| {
            spec.warmup = Some(Warmup::default());
            spec.segment = segment;
            if let Some(given) = given {
                spec.variables
                    .insert("pgperf_part".to_owned(), given.to_owned());
            }
        });
        run.world.measured_from.set(START + 2 * STATEMENT_NS);
        let texts = run.runs(all_well).sent();
        texts
            .iter()
            .map(|text| text.replace("simple ", ""))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        of_segment(0, None),
        ["A 1 1;", "A 1 2;", "A 0 1;", "A 0 2;"]
    );
    assert_eq!(
        of_segment(2, None),
        ["A 5 1;", "A 5 2;", "A 4 1;", "A 4 2;"]
    );
    assert_eq!(of_segment(0, Some("7"))[1..3], ["A 7 2;", "A 7 1;"]);
}

#[test]
fn its_own_scripts_have_their_weights_and_scale() {
    let own = scripts(&[("W :scale;", 0), ("V :scale;", 1)]);
    let warmup = |scale: Option<i64>| Warmup {
        scripts: own.clone(),
        scale: scale.map(Value::Int),
    };
    for (scale, given, expected) in [
        (Some(7), None, "simple V 7;"),
        (None, None, "simple V 1;"),
        (Some(7), Some("5"), "simple V 5;"),
    ] {
        let run = Run::of("M :scale;", 1).with(|spec| {
            spec.warmup = Some(warmup(scale));
            if let Some(given) = given {
                spec.variables.insert("scale".to_owned(), given.to_owned());
            }
        });
        run.world.measured_from.set(START + 3 * STATEMENT_NS);
        run.runs(all_well);
        let sent = run.sent();
        assert_eq!(sent[..3], [expected; 3]);
        assert_eq!(sent[3], format!("simple M {};", given.unwrap_or("1")));
        assert_eq!(sent.len(), 4);
        // Its commands are no part of the run's statistics.
        assert_eq!(
            run.counted.borrow().commands.keys().collect::<Vec<_>>(),
            [&0]
        );
        assert_eq!(run.command(0), (1, 0, 0));
    }
    // The run's own scripts have the run's scale in the warm-up, too.
    let run = Run::of("M :scale;", 1).with(|spec| {
        spec.warmup = Some(Warmup {
            scripts: Vec::new(),
            scale: Some(Value::Int(7)),
        });
    });
    run.world.measured_from.set(START + STATEMENT_NS);
    assert_eq!(run.runs(all_well).sent(), ["simple M 1;"; 2]);
}

#[test]
fn nothing_of_it_is_counted() {
    let run = warmed(Some(Warmup::default())).with(|spec| {
        spec.transactions_per_client = Some(0);
        spec.continue_on_error = true;
        spec.max_tries = 3;
        spec.sampling_rate = Some(1.0);
        spec.rate = Some(Rate::from(1e6));
        spec.latency_limit_ms = Some(5.0 * STATEMENT_NS as f64 / 1e6);
    });
    run.world.measured_from.set(START + 200 * STATEMENT_NS);
    let mut number = 0;
    run.runs(move |_, _| {
        number += 1;
        match number % 5 {
            1 => Reply::error("40001"),
            2 => Reply::error("23505"),
            3 => Reply::after(20 * STATEMENT_NS),
            _ => Reply::answer(Answer {
                processed: 1,
                rows: 1,
                bytes: 1,
                usage: Usage {
                    wal_bytes: 1,
                    ..Usage::default()
                },
                ..Answer::default()
            }),
        }
    });
    let counted = run.counted.borrow();
    assert!(counted.warmup > 2);
    assert_eq!(
        (
            counted.latencies.len(),
            counted.failed.len(),
            counted.errors.len()
        ),
        (0, 0, 0)
    );
    assert_eq!(
        (
            counted.retried.len(),
            counted.retry_times.len(),
            counted.lost.len()
        ),
        (0, 0, 0)
    );
    assert_eq!(
        (counted.skipped, counted.late, counted.lags.len()),
        (0, 0, 0)
    );
    assert_eq!((counted.received, counted.used), ((0, 0), Usage::default()));
    assert!(counted.entries.is_empty());
    for stats in counted.commands.values() {
        assert_eq!(
            (stats.latencies.moments.count, stats.failed, stats.retries),
            (0, 0, 0)
        );
        assert_eq!(
            (stats.rows, stats.usage, stats.parts),
            (0, Usage::default(), Parts::default())
        );
    }
    assert_eq!(*run.world.logged.borrow(), [] as [String; 0]);
}

#[test]
fn an_error_in_it_ends_the_client() {
    let run = warmed(Some(Warmup::default()));
    let error = run.ends(|_, _| Reply::error("42P01")).unwrap_err();
    assert_eq!(error.sqlstate, "42P01");
    assert!(
        run.counted
            .borrow()
            .commands
            .values()
            .all(|stats| stats.failed == 0)
    );
}

#[test]
fn its_backlog_does_not_burden_the_measured_part() {
    let began = START + 100_000_000;
    let run = Run::of("SELECT 1;", 20).with(|spec| {
        spec.rate = Some(Rate::from(1000.0));
        spec.warmup = Some(Warmup::default());
    });
    run.world.measured_from.set(began);
    // Until the measured part begins statements take so long that the schedule runs away.
    run.runs(move |world, _| {
        Reply::after(if world.now.get() < began {
            30_000_000
        } else {
            1
        })
    });
    let mut prng = Streams::derive(42, 1, 1, None).threads[0].throttle;
    let sent_at = run.world.sent_at.borrow();
    let (warmup, measured) = sent_at.split_at(sent_at.len() - 20);
    let (mut due, mut now) = (began, warmup[warmup.len() - 1] + 30_000_000);
    for &sent_at in measured {
        due += poisson(&mut prng, 1000.0) as u64 * 1000;
        now = now.max(due);
        assert_eq!(sent_at, now);
        now += 1;
    }
    assert!(warmup.iter().all(|&at| at < began));
    assert_eq!(run.counted.borrow().latencies.len(), 20);
}

#[test]
fn what_was_due_in_it_does_not_come_in_the_measured_part() {
    let began = START + 10_000;
    let run = Run::of("SELECT 1;", 1).with(|spec| {
        spec.rate = Some(Rate::from(0.001));
        spec.warmup = Some(Warmup::default());
    });
    run.world.measured_from.set(began);
    run.world.longest_pause.set(1_000);
    // The first gaps are longer than the warm-up by far; without a look at the phase the run would last for hours.
    run.world.stopped_from.set(began + 5_000);
    run.runs(all_well);
    let counted = run.counted.borrow();
    assert_eq!(run.sent(), [] as [String; 0]);
    // The transaction that did not come is none.
    assert_eq!((counted.warmup, counted.latencies.len()), (0, 0));
}

#[test]
fn skipping_in_it_ends_with_it() {
    let began = START + 100_000_000;
    let run = Run::of("SELECT 1;", 5).with(|spec| {
        spec.rate = Some(Rate::from(1000.0));
        spec.latency_limit_ms = Some(1e-6);
        spec.warmup = Some(Warmup::default());
    });
    run.world.measured_from.set(began);
    let mut first = true;
    run.runs(move |_, _| {
        // The first takes all of the warm-up and more.
        Reply::after(if std::mem::take(&mut first) {
            150_000_000
        } else {
            1
        })
    });
    let counted = run.counted.borrow();
    assert_eq!(counted.warmup, 1);
    assert_eq!(counted.skipped + counted.latencies.len() as u64, 5);
}
