//! A client with several sessions does what it would have done in one.

use super::fake::*;
use crate::*;
use script::Value;

const MIX: [(&str, u32); 2] = [
    ("\\set n :n + 1\n\\set x random(1, 1000000)\nA :n :x;", 2),
    ("\\set n :n + 1\nB :n;", 1),
];

fn mixed(reconnect: Option<u64>) -> Run {
    let run = Run::of("", 20).with(|spec| {
        spec.scripts = scripts(&MIX);
        spec.variables.insert("n".to_owned(), "0".to_owned());
        spec.rate = Some(Rate::from(10_000.0));
        spec.sampling_rate = Some(0.5);
        spec.reconnect = reconnect;
    });
    run.world.measured_from.set(START);
    run
}

fn answer(_: &World, _: &str) -> Reply {
    Reply::answer(Answer {
        rows: 2,
        bytes: 30,
        ..Answer::default()
    })
}

/// Runs all sessions, and returns how many there were.
fn all_sessions(run: &Run, between: u64) -> usize {
    let mut client = run.client(answer);
    let mut sessions = 1;
    while client.run() == Ok(SessionEnd::Reconnect) {
        let state = client.state();
        assert_eq!(state.left_at, run.world.now.get());
        // As it would go through shared memory: the next session has nothing but the state.
        client = run.client(answer);
        run.world.pass(between);
        client.resume(state);
        sessions += 1;
    }
    sessions
}

#[test]
fn several_sessions_do_the_work_of_one() {
    let one = mixed(None);
    assert_eq!(all_sessions(&one, 0), 1);
    let several = mixed(Some(3));
    // After the 20th transaction there is nothing left to do.
    assert_eq!(all_sessions(&several, 0), 7);
    assert_eq!(several.sent(), one.sent());
    assert_eq!(*several.world.sent_at.borrow(), *one.world.sent_at.borrow());
    let (one, several) = (one.counted.borrow(), several.counted.borrow());
    assert_eq!(several.latencies, one.latencies);
    assert_eq!(several.entries, one.entries);
    assert!((5..15).contains(&one.entries.len()));
    assert_eq!((several.received, one.received), ((40, 600), (40, 600)));
    assert_eq!(several.reconnected, [0; 6]);
    assert!(one.reconnected.is_empty());
}

#[test]
fn a_session_goes_on_where_the_last_one_ended() {
    let run = mixed(Some(4));
    let mut client = run.client(answer);
    assert_eq!(client.run(), Ok(SessionEnd::Reconnect));
    assert_eq!(run.sent().len(), 4);
    let (left, handed_over) = (client.state(), client.state());
    run.world.pass(5_000);
    let mut next = run.client(answer);
    next.resume(handed_over);
    let taken = next.state();
    assert_eq!(taken.left_at, left.left_at + 5_000);
    assert_eq!(
        taken,
        Handover {
            left_at: taken.left_at,
            ..left
        }
    );
    assert_eq!(
        (taken.ended, taken.measuring, taken.received),
        (4, true, (8, 120))
    );
    assert_eq!(run.counted.borrow().reconnected, [5_000]);
    // Nothing else is counted by that.
    assert_eq!(run.counted.borrow().latencies.len(), 4);
    let fresh = run.client(answer).state();
    assert_ne!(fresh.scripts, taken.scripts);
    assert_ne!(fresh.throttle, taken.throttle);
    assert_ne!(fresh.sampling, taken.sampling);
}

#[test]
fn it_may_leave_in_the_warm_up() {
    let run = |reconnect| {
        let run = Run::of("", 10).with(|spec| {
            spec.scripts = scripts(&MIX);
            spec.variables.insert("n".to_owned(), "0".to_owned());
            spec.warmup = Some(Warmup::default());
            spec.reconnect = reconnect;
        });
        run.world.measured_from.set(START + 10 * STATEMENT_NS);
        run
    };
    let (one, several) = (run(None), run(Some(3)));
    all_sessions(&one, 0);
    assert_eq!(all_sessions(&several, 0), 7);
    assert_eq!(several.sent(), one.sent());
    let counted = several.counted.borrow();
    assert_eq!((counted.warmup, counted.latencies.len()), (10, 10));
}

/// A client whose transactions all fail says so in the log as often as in one session.
#[test]
fn the_log_has_a_failure_now_and_then() {
    let logged = |reconnect| {
        let run = Run::of("UPDATE;", 20).with(|spec| {
            spec.continue_on_error = true;
            spec.reconnect = reconnect;
        });
        let mut client = run.client(|_, _| Reply::error("23505"));
        // So late that the last time would seem to be long ago, if it was not known.
        run.world.pass(60_000_000_000);
        while client.run() == Ok(SessionEnd::Reconnect) {
            let state = client.state();
            client = run.client(|_, _| Reply::error("23505"));
            client.resume(state);
        }
        assert_eq!(run.counted.borrow().failed.len(), 20);
        run.world.logged.borrow().len()
    };
    assert_eq!(logged(None), 1);
    assert_eq!(logged(Some(1)), 1);
}

#[test]
fn after_one_transaction_each() {
    let run = Run::of("SELECT 1;", 3).with(|spec| spec.reconnect = Some(1));
    assert_eq!(all_sessions(&run, 7), 3);
    assert_eq!(run.counted.borrow().reconnected, [7; 2]);
}

#[test]
fn a_value_comes_back_exact_to_the_bit() {
    for value in [
        Value::Null,
        Value::Bool(true),
        Value::Bool(false),
        Value::Int(i64::MIN),
        Value::Double(-0.0),
        Value::Double(0.1),
        Value::Double(f64::INFINITY),
        Value::Text("ä\0".into()),
    ] {
        let carried = CarriedValue::from(&value);
        let back = Value::from(carried.clone());
        assert_eq!(back, value);
        assert_eq!(CarriedValue::from(&back), carried, "also the sign of zero");
    }
}
