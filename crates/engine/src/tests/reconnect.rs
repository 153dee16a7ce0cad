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

/// A run of 20 transactions of which one loses its session, the third one of the whole run.
fn loses_a_session(on_loss: bool) -> Run {
    mixed(None).with(|spec| {
        spec.reconnect_on_loss = on_loss;
        spec.rate = None;
    })
}

fn is_lost_at_third(world: &World, text: &str) -> Reply {
    match world.sent.borrow().len() {
        3 => Reply::error(TERMINATED),
        _ => answer(world, text),
    }
}

#[test]
fn a_lost_session_costs_its_transaction_and_nothing_else() {
    let whole = loses_a_session(false);
    assert_eq!(whole.client(answer).run(), Ok(SessionEnd::Done));
    let run = loses_a_session(true);
    let mut client = run.client(is_lost_at_third);
    assert_eq!(client.run(), Ok(SessionEnd::Reconnect));
    let state = client.state();
    assert!(state.lost && state.ended == 3);
    let mut next = run.client(is_lost_at_third);
    run.world.pass(5_000);
    next.resume(state);
    assert_eq!(next.run(), Ok(SessionEnd::Done));
    assert!(!next.state().lost);
    // The values of all others are those of a run without the loss.
    assert_eq!(run.sent(), whole.sent());
    let counted = run.counted.borrow();
    assert_eq!(counted.failed, [FailureKind::Other]);
    assert_eq!(counted.latencies.len(), 19);
    // Time without a session is no break of a run that reconnects.
    assert!(counted.reconnected.is_empty());
}

#[test]
fn without_the_option_a_lost_session_ends_its_client() {
    let run = loses_a_session(false);
    let ended = run.client(is_lost_at_third).run();
    assert_eq!(ended.unwrap_err().sqlstate, TERMINATED);
}

/// A standby that replays what a statement reads may end the session with the SQLSTATE of a serialization failure.
#[test]
fn a_lost_session_is_not_tried_again() {
    let run = loses_a_session(true).with(|spec| spec.max_tries = 5);
    let mut client = run.client(is_lost_at_third);
    assert_eq!(client.run(), Ok(SessionEnd::Reconnect));
    assert_eq!(run.sent().len(), 3);
    assert_eq!(run.counted.borrow().failed, [FailureKind::Other]);
}

#[test]
fn terminals_go_on_where_they_were() {
    let run = Run::of("SELECT 1;", 20).with(|spec| {
        spec.terminals = Some(5);
        spec.scripts[0].pace = Some(Pace {
            think_ms: 10.0,
            keying_ms: 1.0,
        });
        spec.reconnect_on_loss = true;
    });
    run.world.measured_from.set(START);
    let mut client = run.client(is_lost_at_third);
    assert_eq!(client.run(), Ok(SessionEnd::Reconnect));
    let state = client.state();
    let mut next = run.client(answer);
    let terminals = state.terminals.clone();
    next.resume(state);
    assert!(terminals.is_some());
    assert_eq!(next.state().terminals, terminals);
    assert_eq!(next.run(), Ok(SessionEnd::Done));
    assert_eq!(run.sent().len(), 20);
}
