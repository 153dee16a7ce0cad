//! Rules about counts: each transaction is counted once, in all places, and those of the warm-up in none.

use super::case::{CONFLICT, WARMING};
use super::evidence::values_in;
use super::rules::{Given, Rule, between, equal, holds, spread};
use std::collections::BTreeMap;

pub const RULES: &[(&str, Rule)] = &[
    ("end", all_are_counted),
    ("transactions_per_client", as_many_as_asked),
    ("warmup", the_warm_up_is_apart),
    ("max_tries", conflicts),
    ("continue_on_error", errors),
    ("scripts", by_script),
    ("statements", by_statement),
    ("sample_interval", intervals_add_up),
    ("histograms", histograms),
    ("transaction_log", log),
    ("result_mode", results),
    ("latency_limit", limit),
];

/// The rows that were committed are the transactions of the run.
fn all_are_counted(given: &Given) -> Result<(), String> {
    let (seen, summary) = (given.seen, &given.seen.summary);
    let lost = if given.whole() { 0 } else { i64::MAX };
    between(
        "committed but not counted",
        seen.committed() - summary.transactions,
        (0, lost),
    )?;
    equal(
        "failures of all kinds",
        summary.serialization_failures + summary.deadlock_failures + summary.other_failures,
        summary.failed,
    )?;
    holds(
        "no transaction",
        summary.transactions > 0 || summary.skipped > 0,
    )
}

fn as_many_as_asked(given: &Given) -> Result<(), String> {
    let (case, seen, summary) = (given.case, given.seen, &given.seen.summary);
    let Some(count) = case.transactions() else {
        return Ok(());
    };
    equal(
        "transactions of all clients",
        summary.transactions + summary.failed + summary.skipped,
        count * case.clients(),
    )?;
    if given.whole() && summary.failed + summary.skipped == 0 {
        for client in 0..case.clients() {
            let own = seen.measured().filter(|row| row.client == client);
            equal(&format!("of client {client}"), own.count() as i64, count)?;
        }
    }
    Ok(())
}

fn the_warm_up_is_apart(given: &Given) -> Result<(), String> {
    let (case, seen) = (given.case, given.seen);
    let counted = seen.summary.warmup_transactions;
    let (committed, tried) = (seen.warming().count() as i64, seen.tried(1));
    holds(
        "a script of the warm-up was measured",
        seen.measured().all(|row| row.script != WARMING),
    )?;
    match case.level("warmup") {
        "none" => equal("of the warm-up", counted + committed + tried, 0),
        "own" => {
            holds(
                "its own scripts",
                seen.warming().all(|row| row.script != WARMING),
            )?;
            holds("nothing in the warm-up", committed > 0)?;
            // What was tried again is one transaction; of an interrupted run the last ones are not known.
            let again = if case.is("conflicts", "retried") {
                tried / CONFLICT
            } else {
                0
            };
            let least = if given.whole() { tried - again } else { 0 };
            between("of the warm-up", counted, (least, tried))
        }
        _ => {
            equal("its own scripts", tried, 0)?;
            holds("nothing in the warm-up", committed > 0)?;
            holds(
                "another script",
                seen.warming().all(|row| row.script == WARMING),
            )?;
            let least = if given.whole() { committed } else { 0 };
            between("of the warm-up", counted, (least, committed))
        }
    }
}

fn conflicts(given: &Given) -> Result<(), String> {
    let (case, summary) = (given.case, &given.seen.summary);
    let raised = given.conflicts();
    let found = summary.serialization_failures + summary.retries;
    let least = if given.whole() {
        raised - given.unfinished()
    } else {
        0
    };
    between("conflicts", found, (least, raised))?;
    if !case.is("conflicts", "retried") {
        equal("retries", summary.retries + summary.retried, 0)?;
    }
    // With three tries each is tried twice more at most.
    between(
        "retried",
        summary.retried,
        ((summary.retries + 1) / 2, summary.retries),
    )?;
    equal("deadlocks", summary.deadlock_failures, 0)
}

fn errors(given: &Given) -> Result<(), String> {
    let (case, seen, summary) = (given.case, given.seen, &given.seen.summary);
    let raised = seen.tried(0) - seen.committed() - given.conflicts();
    let least = if given.whole() {
        raised - given.unfinished()
    } else {
        0
    };
    let most = if case.has("errors") { raised } else { 0 };
    between("errors", summary.other_failures, (least.min(most), most))?;
    if given.whole() {
        let of = |sqlstate: &str| seen.errors.get(sqlstate).copied().unwrap_or(0);
        equal("errors by SQLSTATE", of("22012"), summary.other_failures)?;
        equal(
            "conflicts by SQLSTATE",
            of("40001"),
            summary.serialization_failures,
        )?;
    }
    let known = ["22012", "40001"];
    holds(
        "other errors",
        seen.errors.keys().all(|it| known.contains(&it.as_str())),
    )
}

fn by_script(given: &Given) -> Result<(), String> {
    let (case, seen, summary) = (given.case, given.seen, &given.seen.summary);
    equal("scripts", seen.scripts.len(), case.scripts())?;
    if !given.whole() {
        return Ok(());
    }
    for script in &seen.scripts {
        let committed = seen.measured().filter(|row| row.script == script.script_no);
        let what = format!("of script {}", script.script_no);
        equal(&what, script.transactions, committed.count() as i64)?;
    }
    let sum = |of: fn(&super::evidence::Script) -> i64| seen.scripts.iter().map(of).sum::<i64>();
    equal("failed", sum(|s| s.failed), summary.failed)?;
    equal("retries", sum(|s| s.retries), summary.retries)?;
    equal("skipped", sum(|s| s.skipped), summary.skipped)?;
    equal("late", sum(|s| s.late), summary.late)?;
    if case.is("scripts", "two") && !case.is("alternate", "script") {
        let all = (summary.transactions + summary.failed) as f64;
        let first = seen.scripts[0].transactions + seen.scripts[0].failed;
        let (mean, room) = (all / 4.0, spread(all * 3.0 / 16.0));
        between("of weight 1 of 4", first as f64, (mean - room, mean + room))?;
    }
    Ok(())
}

fn by_statement(given: &Given) -> Result<(), String> {
    let (case, seen) = (given.case, given.seen);
    let of_scripts = seen.statements.iter().filter(|it| it.is_sql).count();
    equal("statements", of_scripts, 4 * case.scripts())?;
    if !given.whole() {
        return Ok(());
    }
    for script in 0..case.scripts() as i64 {
        let named = |text: &str| {
            let mut found = seen.statements.iter();
            found
                .find(|it| it.script_no == script && it.statement.starts_with(text))
                .ok_or_else(|| format!("no {text} in script {script}"))
        };
        let committed = seen.measured().filter(|row| row.script == script).count() as i64;
        equal("calls of END", named("END")?.calls, committed)?;
        let select = named("SELECT")?;
        let tried = seen.tried_by(script);
        let room = (tried - given.unfinished(), tried);
        between(
            "calls of SELECT, with those that failed",
            select.calls + select.failed + select.retries,
            room,
        )?;
        equal("calls of SELECT", select.calls, committed)?;
        for text in ["BEGIN", "INSERT"] {
            equal(&format!("calls of {text}"), named(text)?.calls, tried)?;
        }
    }
    Ok(())
}

fn intervals_add_up(given: &Given) -> Result<(), String> {
    let (case, seen, summary) = (given.case, given.seen, &given.seen.summary);
    let all = &seen.intervals;
    for (number, interval) in all.iter().enumerate() {
        equal("number", interval.interval_no, number as i64)?;
    }
    type Count = fn(&super::evidence::Interval) -> i64;
    let sums: [(&str, Count, i64); 8] = [
        ("transactions", |i| i.transactions, summary.transactions),
        ("failed", |i| i.failed, summary.failed),
        ("retried", |i| i.retried, summary.retried),
        ("retries", |i| i.retries, summary.retries),
        ("skipped", |i| i.skipped, summary.skipped),
        ("late", |i| i.late, summary.late),
        (
            "hits",
            |i| i.shared_blks_hit.unwrap_or(0),
            summary.shared_blks_hit.unwrap_or(0),
        ),
        (
            "reads",
            |i| i.shared_blks_read.unwrap_or(0),
            summary.shared_blks_read.unwrap_or(0),
        ),
    ];
    for (what, count, total) in sums {
        equal(
            &format!("{what} of all intervals"),
            all.iter().map(count).sum(),
            total,
        )?;
    }
    let seconds: f64 = all.iter().map(|i| i.seconds).sum();
    let room = (summary.duration_s - 0.002, summary.duration_s + 0.002);
    between("seconds of all intervals", seconds, room)?;
    if !given.whole() || case.has("alternate") {
        return Ok(());
    }
    // No interval ends before its time; a late leader makes it longer, never more of them.
    let mut elapsed = 0.0;
    for (number, interval) in all.iter().enumerate() {
        elapsed += interval.seconds;
        let due = (number + 1) as f64 * case.interval_s();
        let is_last = number + 1 == all.len();
        holds(
            &format!("interval {number} ends after {elapsed} s, before {due} s"),
            is_last || elapsed > due - 1e-6,
        )?;
    }
    let many = summary.duration_s > 3.0 * case.interval_s();
    holds("one interval", all.len() > 1 || !many)
}

fn histograms(given: &Given) -> Result<(), String> {
    let (seen, total) = (given.seen, given.seen.summary.transactions);
    equal("of the run", values_in(&seen.histogram), total)?;
    let of_intervals = seen.intervals.iter().map(|i| values_in(&i.histogram));
    equal("of the intervals", of_intervals.sum(), total)?;
    for script in seen.scripts.iter().filter(|_| given.whole()) {
        equal(
            "of a script",
            values_in(&script.histogram),
            script.transactions,
        )?;
    }
    Ok(())
}

fn log(given: &Given) -> Result<(), String> {
    let (case, seen, summary) = (given.case, given.seen, &given.seen.summary);
    let ended = summary.transactions + summary.failed + summary.skipped;
    match case.level("log") {
        "none" => return equal("rows", seen.log.len(), 0),
        "half" => {
            let (mean, room) = (ended as f64 / 2.0, spread(ended as f64 / 4.0));
            let low = if given.whole() { mean - room } else { 0.0 };
            return between("half of all", seen.log.len() as f64, (low, mean + room));
        }
        _ => {}
    }
    let mut outcomes: BTreeMap<&str, i64> = BTreeMap::new();
    for row in &seen.log {
        *outcomes.entry(&row.outcome).or_default() += 1;
    }
    let of = |outcome: &str| outcomes.get(outcome).copied().unwrap_or(0);
    // Of a client that was interrupted the last ones may be missing, and none is logged twice.
    let exact = |what: &str, found: i64, total: i64| match given.whole() {
        true => equal(what, found, total),
        false => between(what, found, (0, total)),
    };
    exact("done", of("done"), summary.transactions)?;
    exact("skipped", of("skipped"), summary.skipped)?;
    exact(
        "conflicts",
        of("serialization"),
        summary.serialization_failures,
    )?;
    exact("errors", of("other"), summary.other_failures)?;
    if !given.whole() {
        return Ok(());
    }
    for client in 0..case.clients() {
        let own = seen.log.iter().filter(|row| row.client_id == client);
        let numbers = own.map(|row| row.transaction_no);
        holds(
            &format!("numbers of client {client}"),
            numbers.zip(1..).all(|(found, expected)| found == expected),
        )?;
    }
    for script in &seen.scripts {
        let own = seen
            .log
            .iter()
            .filter(|row| row.script_no == script.script_no);
        let own = own.filter(|row| row.outcome == "done");
        equal("done of a script", own.count() as i64, script.transactions)?;
    }
    if let Some(limit) = case.limit_ms() {
        let late = seen.log.iter().filter_map(|row| row.latency_ms);
        equal(
            "late",
            late.filter(|ms| *ms > limit).count() as i64,
            summary.late,
        )?;
    }
    let longest = seen
        .log
        .iter()
        .filter_map(|row| row.latency_ms)
        .fold(0.0, f64::max);
    let known = summary.latency_max_ms.unwrap_or(0.0);
    between("longest latency", longest, (known - 1e-3, known + 1e-3))
}

/// Each attempt that succeeds returns a row of ten bytes, in a message of the protocol: type, length, count of columns, length.
fn results(given: &Given) -> Result<(), String> {
    let (case, summary) = (given.case, &given.seen.summary);
    let rows = summary.rows_returned;
    equal("rows", rows, summary.transactions)?;
    let bytes = if case.is("results", "format") {
        rows * (1 + 4 + 2 + 4 + 10)
    } else {
        0
    };
    equal("bytes", summary.bytes_returned, bytes)
}

fn limit(given: &Given) -> Result<(), String> {
    let (case, summary) = (given.case, &given.seen.summary);
    if !case.has("rate") || !case.has("limit") {
        equal("skipped", summary.skipped, 0)?;
    }
    let longest = summary.latency_max_ms.unwrap_or(0.0);
    let Some(limit) = case.limit_ms() else {
        return equal("late", summary.late, 0);
    };
    let is_late = longest > limit;
    holds(
        &format!("{} late, but the longest took {longest} ms", summary.late),
        (summary.late > 0) == is_late || (longest - limit).abs() < 1e-3,
    )?;
    between("late", summary.late, (0, summary.transactions))
}
