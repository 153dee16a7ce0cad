//! The replay of a capture: first whether it may be believed, then the statements that differ, then all with their times.

use crate::report::model::replay::{Replay, ReplayedStatement};
use crate::show::blocks::{Block, Column, Listing, Topic, code, count, figure, name, plain};
use crate::show::number::{Unit, integer};
use crate::show::text::count as count_of;

const NOTE: &str = "Positions are session/statement in the capture, from 1. Times of the capture are those within the server, times of the replay \
    have the way there and back.";

/// The shares, the order, the lateness, and the statements.
pub fn topic(replay: &Replay) -> Topic {
    let mut blocks: Vec<Block> = sentences(replay).into_iter().map(Block::Remark).collect();
    let differing = replay.of_statements.iter().filter(|it| it.diverged() > 0);
    let differing: Vec<&ReplayedStatement> = differing.collect();
    if !differing.is_empty() {
        blocks.push(Block::Heading("Statements that differ".to_owned()));
        blocks.push(Block::Table(Listing::of(differing, kinds())));
    }
    if !replay.of_statements.is_empty() {
        blocks.push(Block::Heading("Captured and replayed".to_owned()));
        blocks.push(Block::Table(Listing::of(&replay.of_statements, times())));
        blocks.push(Block::Remark(NOTE.to_owned()));
    }
    Topic::new("replay", "Replay", blocks)
}

fn kinds<'a>() -> Vec<Column<'a, ReplayedStatement>> {
    let any = |number: i64| (number > 0).then_some(number);
    vec![
        code("statement", |it: &ReplayedStatement| it.statement.clone()),
        count("alike", |it: &ReplayedStatement| Some(it.alike)),
        count("new error", move |it: &ReplayedStatement| any(it.error_new)),
        count("error gone", move |it: &ReplayedStatement| {
            any(it.error_gone)
        }),
        count("other error", move |it: &ReplayedStatement| {
            any(it.error_other)
        }),
        count("other rows", move |it: &ReplayedStatement| {
            any(it.rows_other)
        }),
        count("not reached", move |it: &ReplayedStatement| {
            any(it.not_reached)
        }),
        name("first at", first_at),
    ]
}

fn times<'a>() -> Vec<Column<'a, ReplayedStatement>> {
    let times = |it: &ReplayedStatement| {
        let captured = it.captured_avg_ms.filter(|ms| *ms > 0.0)?;
        Some(format!("{:.2}", it.latency_avg_ms? / captured))
    };
    vec![
        code("statement", |it: &ReplayedStatement| it.statement.clone()),
        plain("captured mean ms", |it: &ReplayedStatement| {
            it.captured_avg_ms
        }),
        plain("replayed mean ms", |it: &ReplayedStatement| {
            it.latency_avg_ms
        }),
        figure("times", times),
        plain("captured p95 ms", |it: &ReplayedStatement| {
            it.captured_p95_ms
        }),
        plain("replayed p95 ms", |it: &ReplayedStatement| {
            it.latency_p95_ms
        }),
    ]
}

/// The first place of all kinds.
fn first_at(statement: &ReplayedStatement) -> String {
    let kinds = statement.positions.as_object().into_iter().flatten();
    let places = kinds.filter_map(|(_, places)| {
        let first = places.get(0)?;
        let number = |name: &str| first.get(name)?.as_u64();
        Some((number("session")?, number("statement")?))
    });
    let first = places.min();
    first.map_or_else(String::new, |(session, number)| {
        format!("{session}/{number}")
    })
}

fn sentences(replay: &Replay) -> Vec<String> {
    let ended = replay.transactions_alike + replay.transactions_diverged;
    let counted = replay.statements_alike + replay.statements_diverged;
    let speed = match replay.speed {
        Some(1.0) => "at its speed".to_owned(),
        Some(speed) => format!("at {speed} times its speed"),
        None => "without its pauses".to_owned(),
    };
    let mut lines = vec![
        format!(
            "capture {}, {speed}: {} of {} transactions were played, {}",
            replay.capture,
            integer(ended),
            integer(replay.transactions),
            share(ended, replay.transactions)
        ),
        format!(
            "{} of {} statements ended as in the capture, {}",
            integer(replay.statements_alike),
            integer(counted),
            share(replay.statements_alike, counted)
        ),
        order(replay),
    ];
    if let (Some(mean), Some(most)) = (replay.late_avg_ms, replay.late_max_ms) {
        lines.push(format!(
            "behind the timetable of the capture: {} on average, {} at most",
            Unit::Milliseconds.write(mean),
            Unit::Milliseconds.write(most)
        ));
    }
    let besides = [
        (
            replay.statements_left_out,
            "statement",
            "cannot be run again and left out",
        ),
        (
            replay.transactions_dropped,
            "transaction",
            "the capture itself does not have",
        ),
        (
            replay.lost_sessions,
            "session",
            "could not connect, or lost",
        ),
        (
            replay.refused_settings,
            "role or setting",
            "the server did not take",
        ),
    ];
    for (number, noun, what) in besides.into_iter().filter(|(number, ..)| *number > 0) {
        lines.push(format!("{what}: {}", count_of(number, noun)));
    }
    lines
}

fn order(replay: &Replay) -> String {
    match (replay.commit_order, replay.broken_waits) {
        (false, _) => "order: that of each session alone".to_owned(),
        (true, 0) => "order: that of the commits, kept".to_owned(),
        (true, broken) => format!(
            "order: that of the commits, but for {} where a lock was waited for the other way round",
            count_of(broken, "wait")
        ),
    }
}

/// Never 100 % unless it is all.
fn share(part: i64, whole: i64) -> String {
    if whole == 0 {
        return "none".to_owned();
    }
    let percent = 100.0 * part as f64 / whole as f64;
    match part == whole {
        true => "100 %".to_owned(),
        false => format!("{:.2} %", (100.0 * percent).floor() / 100.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn replay(changes: &Value) -> Replay {
        let mut all = json!({
            "capture": "monday", "speed": null, "commit_order": true, "sessions": 2, "transactions": 1000, "statements": 5000,
            "transactions_alike": 1000, "transactions_diverged": 0, "statements_alike": 5000, "statements_diverged": 0,
            "statements_left_out": 0, "transactions_dropped": 0, "broken_waits": 0, "late_avg_ms": null, "late_max_ms": null,
            "lost_sessions": 0, "refused_settings": 0, "of_statements": [{
                "command_no": 0, "statement": "SELECT ?", "alike": 9, "error_new": 0, "error_gone": 0, "error_other": 0,
                "rows_other": 0, "not_reached": 0, "positions": {}, "captured_avg_ms": 0.5, "captured_p95_ms": 1.0,
                "latency_avg_ms": 0.75, "latency_p95_ms": 1.25}]
        });
        for (name, value) in changes.as_object().unwrap() {
            all[name] = value.clone();
        }
        serde_json::from_value(all).unwrap()
    }

    #[test]
    fn a_replay_like_its_capture_says_so_first() {
        let lines = sentences(&replay(&json!({})));
        assert_eq!(
            lines,
            [
                "capture monday, without its pauses: 1,000 of 1,000 transactions were played, 100 %",
                "5,000 of 5,000 statements ended as in the capture, 100 %",
                "order: that of the commits, kept",
            ]
        );
        let text = topic(&replay(&json!({}))).lines().join("\n");
        assert!(!text.contains("differ"), "{text}");
        assert!(text.contains("1.50"), "{text}");
    }

    #[test]
    fn what_differs_is_told() {
        let replay = replay(&json!({
            "speed": 2.0, "broken_waits": 1, "statements_alike": 4999, "statements_diverged": 1, "late_avg_ms": 0.5,
            "late_max_ms": 2000.0, "statements_left_out": 3, "lost_sessions": 1, "of_statements": [{
                "command_no": 0, "statement": "SELECT ?", "alike": 9, "error_new": 0, "error_gone": 0, "error_other": 0,
                "rows_other": 1, "not_reached": 0, "positions": {"rows_other": [{"session": 3, "statement": 14}]},
                "captured_avg_ms": null, "captured_p95_ms": null, "latency_avg_ms": null, "latency_p95_ms": null}]
        }));
        let lines = sentences(&replay);
        assert_eq!(
            lines[1],
            "4,999 of 5,000 statements ended as in the capture, 99.98 %"
        );
        assert_eq!(
            lines[2],
            "order: that of the commits, but for 1 wait where a lock was waited for the other way round"
        );
        assert_eq!(
            lines[4..],
            [
                "cannot be run again and left out: 3 statements",
                "could not connect, or lost: 1 session"
            ]
        );
        let text = topic(&replay).lines().join("\n");
        assert!(text.contains("3/14"), "{text}");
    }

    #[test]
    fn nearly_all_is_not_all() {
        assert_eq!(share(999_999, 1_000_000), "99.99 %");
        assert_eq!(share(0, 0), "none");
        assert_eq!(share(3, 3), "100 %");
    }
}
