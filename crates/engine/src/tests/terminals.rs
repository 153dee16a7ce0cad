//! Terminals: users with keying and think times on few clients.

use super::fake::*;
use crate::*;

const MILLISECOND: u64 = 1_000_000;

/// Scripts that say their number and the terminal, with keying and think times in ms.
fn paced(paces: &[(f64, f64)]) -> Vec<ScriptSpec> {
    let script = |(number, &(keying_ms, think_ms)): (usize, &(f64, f64))| ScriptSpec {
        pace: Some(Pace {
            keying_ms,
            think_ms,
        }),
        ..ScriptSpec::new("", &format!("{number} :pgperf_terminal;"), 1)
    };
    paces.iter().enumerate().map(script).collect()
}

/// One of two clients, which serve so many terminals until the deadline.
fn served(terminals: u32, paces: &[(f64, f64)], lasts: u64) -> Run {
    let run = Run::new(spec("")).with(|spec| {
        spec.scripts = paced(paces);
        spec.terminals = Some(terminals);
        spec.clients = 2;
    });
    run.world.measured_from.set(START);
    run.world.deadline.set(START + lasts);
    run
}

/// What was sent: when, which script, by which terminal.
fn turns(run: &Run) -> Vec<(u64, u32, u32)> {
    let sent = run.sent();
    let at = run.world.sent_at.borrow();
    let turn = |(at, text): (&u64, &String)| {
        let mut words = text.split_whitespace().skip(1);
        let mut number = || words.next().unwrap().trim_end_matches(';').parse().unwrap();
        (*at, number(), number())
    };
    at.iter().zip(&sent).map(turn).collect()
}

#[test]
fn each_terminal_of_a_client_has_its_turn_once_in_a_cycle() {
    let mut run = served(21, &[(100.0, 0.0)], 1000 * MILLISECOND);
    run.number = 1;
    run.runs(|_, _| Reply::after(1));
    let turns = turns(&run);
    // Ten terminals with odd numbers, ten times a second.
    assert_eq!(turns.len(), 100);
    for (number, &(at, _, terminal)) in turns.iter().enumerate() {
        assert_eq!(terminal % 2, 1);
        assert!(terminal < 21);
        let first = turns[number % 10];
        assert_eq!(terminal, first.2);
        let cycles = (number / 10) as u64;
        assert!(at - first.0 >= cycles * 100 * MILLISECOND);
        // Each transaction takes a nanosecond.
        assert!(at - first.0 <= cycles * (100 * MILLISECOND + 10));
    }
    let counted = run.counted.borrow();
    assert_eq!(counted.latencies.len(), 100);
    assert_eq!(counted.lags.len(), 100);
}

#[test]
fn terminals_hold_the_rate_of_their_mean_cycle() {
    // 500 of 1000 terminals; a cycle takes 1 s keying, 0.5 s thinking.
    let run = served(
        1000,
        &[(1500.0, 500.0), (500.0, 500.0)],
        30_000 * MILLISECOND,
    );
    run.runs(|_, _| Reply::after(1));
    let turns = turns(&run);
    let (expected, done) = (500.0 * 30.0 / 1.5, turns.len() as f64);
    assert!((done / expected - 1.0).abs() < 0.02, "{done}");
    // From the beginning on.
    let first = turns
        .iter()
        .filter(|turn| turn.0 < START + 1_500 * MILLISECOND);
    let first = first.count();
    assert!((450..550).contains(&first), "{first}");
    // Both scripts, as often as their weights say.
    let zeros = turns.iter().filter(|turn| turn.1 == 0).count() as f64;
    assert!((zeros / done - 0.5).abs() < 0.02, "{zeros}");
}

#[test]
fn latency_counts_from_when_a_transaction_was_due() {
    let takes = 30 * MILLISECOND;
    let run = served(20, &[(200.0, 0.0)], 2000 * MILLISECOND);
    run.runs(move |_, _| Reply::after(takes));
    let counted = run.counted.borrow();
    // The client is busy all the time: ten terminals would need 300 ms of each 200.
    assert!((66..=67).contains(&counted.latencies.len()));
    for (latency, lag) in counted.latencies.iter().zip(&counted.lags) {
        assert_eq!(*latency, lag + takes);
    }
    assert!(counted.lags.iter().any(|&lag| lag > 50 * MILLISECOND));
}

#[test]
fn a_user_thinks_about_the_last_transaction_and_keys_in_the_next() {
    let run = served(1, &[(10.0, 0.0), (70.0, 0.0)], 3000 * MILLISECOND);
    run.runs(|_, _| Reply::after(1));
    let turns = turns(&run);
    assert!(turns.len() > 40);
    for pair in turns.windows(2) {
        let keying = [10, 70][pair[1].1 as usize] * MILLISECOND;
        assert_eq!(pair[1].0 - pair[0].0, keying + 1);
    }
    let run = served(1, &[(0.0, 10.0), (0.0, 70.0)], 20_000 * MILLISECOND);
    run.runs(|_, _| Reply::after(1));
    let turns = self::turns(&run);
    let thought = |script: u32| {
        let gaps = turns.windows(2).filter(|pair| pair[0].1 == script);
        let gaps: Vec<u64> = gaps.map(|pair| pair[1].0 - pair[0].0).collect();
        gaps.iter().sum::<u64>() as f64 / gaps.len() as f64 / MILLISECOND as f64
    };
    assert!((8.0..12.0).contains(&thought(0)), "{}", thought(0));
    assert!((56.0..84.0).contains(&thought(1)), "{}", thought(1));
}

#[test]
fn the_measured_part_is_the_same_with_and_without_a_warm_up() {
    let measured_of = |warmup: Option<Warmup>, lasts: u64| {
        let run = served(
            40,
            &[(100.0, 50.0), (20.0, 70.0)],
            800 * MILLISECOND + lasts,
        );
        let run = run.with(|spec| spec.warmup = warmup);
        run.world.measured_from.set(START + lasts);
        // Where the phase changes, pauses end early.
        run.world.longest_pause.set(MILLISECOND / 50);
        run.runs(|_, _| Reply::after(1));
        let turns = turns(&run).into_iter();
        let measured = turns.filter(|turn| turn.0 >= START + lasts);
        (
            measured
                .map(|(at, script, terminal)| (at - lasts, script, terminal))
                .collect::<Vec<_>>(),
            run.counted.borrow().warmup,
        )
    };
    let (without, none) = measured_of(None, 0);
    assert!(none == 0 && without.len() > 100);
    let own = Warmup {
        scripts: paced(&[(5.0, 5.0)]),
        scale: None,
    };
    for warmup in [Warmup::default(), own] {
        let (with, warmed) = measured_of(Some(warmup), 300 * MILLISECOND);
        assert!(warmed > 20, "{warmed}");
        assert_eq!(with, without);
    }
}
