//! Clients that run their scripts in an order, in place of drawing them.

use super::fake::*;
use crate::*;

const SCRIPTS: [(&str, u32); 4] = [("A;", 1), ("B;", 1), ("C;", 0), ("D;", 9)];

/// What client `number` sends in a run of so many transactions.
fn ordered(number: usize, transactions: u64) -> Run {
    let mut run = Run::of("", transactions).with(|spec| {
        spec.scripts = scripts(&SCRIPTS);
        spec.clients = 3;
        spec.sequences = vec![vec![2, 0, 1], vec![1, 0]];
    });
    run.number = number;
    run
}

fn statements(run: &Run) -> String {
    let sent = run.sent();
    let of_each = sent.iter().map(|text| text.trim_start_matches("simple "));
    of_each.map(|text| text.trim_end_matches(';')).collect()
}

#[test]
fn each_client_repeats_its_own_order() {
    for (number, expected) in [(0, "CABCABC"), (1, "BABAB"), (2, "CABCABC")] {
        let run = ordered(number, 7);
        run.runs(all_well);
        assert_eq!(statements(&run), expected);
    }
}

#[test]
fn clients_with_orders_of_other_lengths_end_with_theirs() {
    let orders = [vec![2, 0, 1], vec![1, 0]];
    let of = |client, per_client| transactions_of(client, &orders, per_client);
    assert_eq!([of(0, 6), of(1, 6), of(2, 6)], [6, 4, 6]);
    // A part of an order counts as one more transaction.
    assert_eq!([of(1, 1), of(1, 2), of(1, 3)], [1, 2, 2]);
    assert_eq!(of(1, u64::MAX), 12_297_829_382_473_034_410);
    assert_eq!(
        transactions_of(1, &[vec![0], vec![1, 2]], u64::MAX),
        u64::MAX
    );
    assert_eq!(transactions_of(1, &[], 7), 7);
}

#[test]
fn a_failure_is_not_repeated() {
    let mut run = ordered(0, 4);
    run.spec.continue_on_error = true;
    run.runs(failing("A", "57014", 1));
    assert_eq!(statements(&run), "CABC");
    let counted = run.counted.borrow();
    assert_eq!(counted.scripts[&0].outcomes.failed(), 1);
    assert_eq!(counted.scripts[&2].latencies.moments.count, 2);
}

#[test]
fn the_measured_part_begins_with_the_first_script() {
    let mut run = ordered(0, 3);
    run.spec.warmup = Some(Warmup::default());
    run.world.measured_from.set(START + 2 * STATEMENT_NS);
    run.runs(all_well);
    assert_eq!(statements(&run), "CACAB");
}

#[test]
fn scripts_of_a_warmup_of_its_own_are_drawn() {
    let mut run = ordered(0, 3);
    run.spec.warmup = Some(Warmup {
        scripts: scripts(&[("W;", 1)]),
        scale: None,
    });
    run.world.measured_from.set(START + 2 * STATEMENT_NS);
    run.runs(all_well);
    assert_eq!(statements(&run), "WWCAB");
}

#[test]
fn further_sessions_and_segments_go_on_in_the_order() {
    let mut run = ordered(0, 7);
    run.spec.reconnect = Some(2);
    let mut client = run.client(all_well);
    while client.run() == Ok(SessionEnd::Reconnect) {
        let state = client.state();
        client = run.client(all_well);
        client.resume(state);
    }
    assert_eq!(statements(&run), "CABCABC");
    let mut segment = ordered(0, 6);
    segment.spec.segment = 1;
    segment.ended = 4;
    segment.runs(all_well);
    assert_eq!(statements(&segment), "AB");
}
