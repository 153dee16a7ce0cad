//! Rules about what goes on before, beside and after a run: caches, plans, samples, statements, receivers, disturbances.

use super::case::OFTEN_S;
use super::rules::{Given, Rule, between, equal, holds};
use std::collections::BTreeSet;

pub const RULES: &[(&str, Rule)] = &[
    ("call", call),
    ("caches", caches),
    ("hit_curve", hit_curve),
    ("plans", plans),
    ("collectors", collectors),
    ("before_sql, after_sql", beside),
    ("drain_sql", drain),
    ("disturbances", disturbances),
];

/// The call that reproduces the run has every argument that is not as by default, and no other.
fn call(given: &Given) -> Result<(), String> {
    let names = |text: &str| -> BTreeSet<String> {
        let before = text.split(" => ").map(|part| {
            let name = part
                .rsplit(|c: char| !c.is_alphanumeric() && c != '_')
                .next();
            name.unwrap_or_default().to_owned()
        });
        let all: Vec<String> = before.collect();
        all[..all.len() - 1].iter().cloned().collect()
    };
    let mut expected = names(&given.case.arguments());
    for (name, factor, default) in [
        ("clients", "clients", "one"),
        ("query_mode", "mode", "prepared"),
        ("result_mode", "results", "format"),
    ] {
        if given.case.is(factor, default) {
            expected.remove(name);
        }
    }
    // What was drawn as well.
    expected.insert("random_seed".to_owned());
    let found = names(&given.seen.call);
    let wrong: Vec<&String> = found.symmetric_difference(&expected).collect();
    holds(
        &format!("{wrong:?} in {}", given.seen.call),
        wrong.is_empty(),
    )
}

fn caches(given: &Given) -> Result<(), String> {
    let (case, seen) = (given.case, given.seen);
    let fact = |name: &str| seen.caches.get(name).cloned().flatten();
    match case.level("caches") {
        "kept" => equal("facts", seen.caches.len(), 0)?,
        level => {
            equal("caches", fact("caches").unwrap_or_default().as_str(), level)?;
            holds("the files", fact("caches.files").is_some())?;
            equal(
                "bytes that were read",
                fact("caches.read").is_some(),
                level == "warm",
            )?;
        }
    }
    // Before the first segment alone; in between, the tables have grown.
    let before = given.caches_before;
    let now = serde_json::to_string(&seen.caches).expect("JSON");
    before.map_or(Ok(()), |before| {
        equal("before the interruption", before, now.as_str())
    })
}

fn hit_curve(given: &Given) -> Result<(), String> {
    let (case, seen, summary) = (given.case, given.seen, &given.seen.summary);
    if !case.has("hit curve") {
        return equal("points", seen.curve.len(), 0);
    }
    let first = seen.curve.first().ok_or("no curve")?;
    equal("the first size", first.bytes, seen.shared_buffers)?;
    let last = seen.curve.last().ok_or("no curve")?;
    equal("the last size", last.bytes, 4 * seen.shared_buffers)?;
    if !given.whole() {
        return Ok(());
    }
    equal("hits", first.hits, summary.shared_blks_hit.unwrap_or(-1))?;
    equal("reads", first.reads, summary.shared_blks_read.unwrap_or(-1))?;
    let (found, counted) = (
        first.hit_percent.unwrap_or(-1.0),
        summary.hit_percent.unwrap_or(-1.0),
    );
    between("hit ratio", found, (counted - 1e-6, counted + 1e-6))?;
    // Without the warm-up; a busy leader begins later than the clients.
    let most = seen.run.ended - seen.run.measured;
    between(
        "seconds",
        first.seconds,
        (summary.duration_s / 2.0, most + 0.01),
    )
}

fn plans(given: &Given) -> Result<(), String> {
    let case = given.case;
    // The INSERT and the SELECT of each script.
    let expected = if case.has("plans") {
        2 * case.scripts()
    } else {
        0
    };
    let plans = &given.seen.plans;
    equal("plans", plans.len(), expected)?;
    holds(
        &format!("reasons: {plans:?}"),
        plans.iter().all(Option::is_none),
    )
}

fn collectors(given: &Given) -> Result<(), String> {
    let (case, seen) = (given.case, given.seen);
    let expected = match case.level("collectors") {
        "none" => "",
        "one" => "wal",
        _ => "database, settings, wal",
    };
    equal("collectors", seen.collectors.join(", ").as_str(), expected)?;
    if expected.is_empty() {
        return equal("samples", seen.samples.len(), 0);
    }
    let (first, last) = (
        seen.samples.first().ok_or("none")?,
        seen.samples.last().ok_or("none")?,
    );
    holds("none before the measured part", *first <= seen.run.measured)?;
    let row = seen.measured().map(|row| row.at).fold(0.0, f64::max);
    holds("none after the last transaction", *last >= row)
}

fn beside(given: &Given) -> Result<(), String> {
    let (case, seen) = (given.case, given.seen);
    let marks: Vec<&str> = seen.marks.iter().map(|it| it.mark.as_str()).collect();
    if !case.has("beside") {
        return equal("marks", marks.len(), 0);
    }
    let marks = marks.join(" ");
    holds(&format!("marks: {marks}"), marks == "before after")?;
    let rows = || seen.done.iter().map(|row| row.at);
    let (before, after) = (seen.marks[0].at, seen.marks[seen.marks.len() - 1].at);
    holds("rows before before_sql", rows().all(|at| at > before))?;
    holds("rows after after_sql", rows().all(|at| at < after))
}

fn drain(given: &Given) -> Result<(), String> {
    let (case, seen, summary) = (given.case, given.seen, &given.seen.summary);
    equal(
        "receivers",
        seen.receivers.len(),
        usize::from(case.has("drain")),
    )?;
    for it in &seen.receivers {
        equal(
            "end",
            format!("{} {}", it.kind, it.status),
            "sql caught up".to_owned(),
        )?;
        equal("transactions", it.transactions, summary.transactions)?;
        between(
            "seconds",
            it.run_s,
            (summary.duration_s - 1e-6, summary.duration_s + 1e-6),
        )?;
        let tps = it.transactions as f64 / (it.run_s + it.catch_up_s);
        between(
            "tps",
            it.sustainable_tps,
            (tps * (1.0 - 1e-9), tps * (1.0 + 1e-9)),
        )?;
        holds("a negative time", it.catch_up_s >= 0.0)?;
    }
    Ok(())
}

/// Each occurrence has the sessions that were asked for; none begins before its time, or twice.
fn disturbances(given: &Given) -> Result<(), String> {
    let (case, seen) = (given.case, given.seen);
    if !case.has("disturbances") {
        return equal(
            "occurrences",
            seen.disturbances.len() + seen.beside.len(),
            0,
        );
    }
    holds("none occurred", !seen.disturbances.is_empty())?;
    let mut numbers = BTreeSet::new();
    for it in &seen.disturbances {
        holds("twice", numbers.insert(it.occurrence_no))?;
        equal("sessions", it.sessions, 2)?;
        let due = it.occurrence_no as f64 * OFTEN_S;
        between("begins", it.at_s, (due - 1e-6, due + OFTEN_S + 1e-6))?;
        let known = ["done", "cut off", "going on"];
        holds(&it.status, known.contains(&it.status.as_str()))?;
        holds(&it.status, it.status != "going on" || given.interrupted)?;
    }
    let done = seen
        .disturbances
        .iter()
        .filter(|it| it.status == "done")
        .count() as i64;
    // Those of the last moments before an interruption may have no row.
    let all = if given.whole() {
        seen.disturbances.len() as i64
    } else {
        i64::MAX / 2
    };
    between("rows", seen.beside.len() as i64, (2 * done, 2 * all))?;
    let first = seen
        .beside
        .iter()
        .map(|row| row.at)
        .fold(f64::MAX, f64::min);
    holds("before the measured part", first >= seen.run.measured)
}
