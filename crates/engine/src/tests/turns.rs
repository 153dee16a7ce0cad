//! Settings and scripts that alternate.

use super::fake::*;
use crate::*;

const SECOND: u64 = 1_000_000_000;

/// A run of a statement that takes 300 ms, with turns of a second.
fn in_turns(transactions: u64) -> Run {
    let run = Run::of("SELECT 1;", transactions).with(|spec| {
        let side = |value: &str| vec![("work_mem".to_owned(), value.to_owned())];
        spec.sides = Some(Sides {
            a: side("4MB"),
            b: side("64MB"),
            weights: None,
            seed: 1,
        });
        spec.query_mode = QueryMode::Prepared;
    });
    run.world.turn_ns.set(SECOND);
    run
}

fn slow(_: &World, _: &str) -> Reply {
    Reply::after(300_000_000)
}

#[test]
fn the_session_changes_between_transactions() {
    let run = in_turns(10);
    run.runs(slow);
    let switch = |value| {
        [
            "forget SELECT 1;".to_owned(),
            format!("set work_mem = {value}"),
            "prepare SELECT 1;".to_owned(),
        ]
    };
    let work = |count| vec!["execute SELECT 1;".to_owned(); count];
    let mut sent = vec!["prepare SELECT 1;".to_owned()];
    // The fourth ends at 1.2 s, the seventh at 2.1 s: B goes on, and its turn begins like any other.
    for (value, count) in [("64MB", 4), ("64MB", 3), ("4MB", 3)] {
        sent.extend(work(count));
        sent.extend(switch(value));
    }
    sent.truncate(sent.len() - 3);
    assert_eq!(run.sent(), sent);
    assert_eq!(run.counted.borrow().followed, [1, 2]);
    // What a switch takes belongs to no transaction.
    assert_eq!(run.counted.borrow().latencies, vec![300_000_000; 10]);
}

#[test]
fn a_client_that_waits_says_that_it_has_no_transaction() {
    let run = in_turns(2).with(|spec| spec.think_time_s = 3.0);
    run.world.longest_pause.set(SECOND / 2);
    run.runs(slow);
    let counted = run.counted.borrow();
    assert_eq!(counted.followed.last(), Some(&3), "{:?}", counted.followed);
    // It waited through turns 1 and 2.
    assert!(counted.followed.contains(&2));
    assert_eq!(
        run.sent()
            .iter()
            .filter(|sent| sent.starts_with("set"))
            .count(),
        1
    );
}

#[test]
fn a_turn_that_begins_during_a_wait_has_its_settings() {
    let run = in_turns(20).with(|spec| spec.rate = Some(Rate::from(2.0)));
    run.world.measured_from.set(START);
    let seen = std::rc::Rc::new(std::cell::RefCell::new(Vec::new()));
    let turns = seen.clone();
    run.runs(move |world, text| {
        if text.starts_with("execute") || text.starts_with("SELECT") {
            turns.borrow_mut().push((world.now.get() - START) / SECOND);
        }
        Reply::after(1_000)
    });
    // Each transaction of another turn than the one before comes after a switch.
    let mut value = "4MB".to_owned();
    let mut turns = seen.borrow().clone().into_iter();
    let sides = run.spec.sides.clone().unwrap();
    for sent in run.sent() {
        if let Some(set) = sent.strip_prefix("set work_mem = ") {
            value = set.to_owned();
        } else if sent.starts_with("execute") {
            assert_eq!(sides.settings(turns.next().unwrap())[0].1, value);
        }
    }
    assert_eq!(turns.next(), None);
}

#[test]
fn a_setting_that_the_server_refuses_ends_the_client() {
    let run = in_turns(10);
    let ended = run.ends(|world, text| match text.starts_with("set") {
        true => Reply::error("22023"),
        false => slow(world, text),
    });
    assert_eq!(ended.unwrap_err().sqlstate, "22023");
    assert_eq!(run.counted.borrow().latencies.len(), 4);
}

#[test]
fn without_turns_nothing_is_prepared_anew() {
    let run = in_turns(10);
    run.world.turn_ns.set(0);
    run.runs(slow);
    assert_eq!(run.sent().len(), 11);
    assert!(run.counted.borrow().followed.is_empty());
}

/// A run of two scripts that take turns of a second; each transaction takes 300 ms.
fn scripts_in_turns() -> Run {
    in_turns(10).with(|spec| {
        spec.scripts = ["SELECT 'a';", "SELECT 'b';"]
            .map(|text| ScriptSpec::new(text, text, 1))
            .to_vec();
        spec.sides = Some(Sides {
            weights: Some([vec![1, 0], vec![0, 1]]),
            seed: 1,
            ..Sides::default()
        });
    })
}

#[test]
fn scripts_are_those_of_the_side() {
    let run = scripts_in_turns();
    run.runs(slow);
    let sent = run.sent();
    let ran: Vec<&str> = sent
        .iter()
        .filter_map(|sent| sent.strip_prefix("execute SELECT '"))
        .map(|rest| &rest[..1])
        .collect();
    // A B B, as the settings above.
    assert_eq!(ran.concat(), "aaaabbbbbb");
}

#[test]
fn a_script_is_chosen_anew_where_its_turn_ended_during_the_wait() {
    let run = scripts_in_turns().with(|spec| spec.rate = Some(Rate::from(2.0)));
    run.world.measured_from.set(START);
    let seen = std::rc::Rc::new(std::cell::RefCell::new(Vec::new()));
    let ran = seen.clone();
    run.runs(move |world, text| {
        if let Some(rest) = text.strip_prefix("SELECT '") {
            let turn = (world.now.get() - START) / SECOND;
            ran.borrow_mut().push((turn, rest[..1].to_owned()));
        }
        Reply::after(1_000)
    });
    let sides = run.spec.sides.clone().unwrap();
    assert_eq!(seen.borrow().len(), 10);
    for (turn, script) in seen.borrow().iter() {
        let expected = match sides.weights(*turn) {
            Some([1, 0]) => "a",
            _ => "b",
        };
        assert_eq!(script, expected, "turn {turn}");
    }
}

#[test]
fn a_warm_up_with_scripts_of_its_own_keeps_them() {
    let run = scripts_in_turns().with(|spec| {
        spec.warmup = Some(Warmup {
            scripts: vec![ScriptSpec::new("w", "SELECT 'w';", 1)],
            scale: None,
        });
    });
    run.world.measured_from.set(START + SECOND);
    run.runs(slow);
    let sent = run.sent();
    let mut ran: Vec<char> = sent
        .iter()
        .filter_map(|sent| sent.strip_prefix("execute SELECT '")?.chars().next())
        .collect();
    let measured = ran.split_off(ran.iter().take_while(|&&it| it == 'w').count());
    assert!(!ran.is_empty() && !measured.is_empty() && !measured.contains(&'w'));
}
