//! Rules about how a run is made: its time, its schedule, and its sessions.

use super::case::{EVERY_S, LOOK, RECONNECT, ROUND_TRIP_S, SLEEP_S, THINK_S, WARMUP_S};
use super::rules::{Given, Rule, between, equal, holds, spread};
use std::collections::{BTreeMap, BTreeSet};

pub const RULES: &[(&str, Rule)] = &[
    ("duration", duration),
    ("clients", clients),
    ("warmup", the_warm_up_comes_first),
    ("history of the run", window),
    ("rate", rate),
    ("think_time, round_trip", pauses),
    ("query_mode", query_mode),
    ("transport", transport),
    ("reconnect", reconnect),
    ("random_seed", seed),
    ("settings", settings),
    ("application_name", name),
    ("variables", variables),
    ("alternate", turns),
    ("until_precise", precision),
    ("resume", segments),
];

fn duration(given: &Given) -> Result<(), String> {
    let (case, seen) = (given.case, given.seen);
    let found = seen.summary.duration_s;
    equal("status", seen.run.status.as_str(), "finished")?;
    equal("error", seen.run.error.as_deref().unwrap_or(""), "")?;
    let lost = seen.run.history_error.as_deref().unwrap_or("");
    equal("what its history lacks", lost, "")?;
    let of_rows = seen.measured().map(|row| row.at);
    let (first, last) = of_rows.fold((f64::MAX, 0.0), |(a, b): (f64, f64), at| {
        (a.min(at), b.max(at))
    });
    if case.transactions().is_some() || case.has("precise") {
        // What the rows span was measured.
        return holds(
            "shorter than its rows",
            !given.whole() || found >= last - first,
        );
    }
    let asked = case.duration_s();
    let slowest = seen.summary.latency_max_ms.unwrap_or(0.0) / 1000.0;
    // With a schedule a client leaves when nothing more is due, and without a session when there is no time for a new one.
    let leaves = case.has("rate") || case.has("reconnect");
    let asked_at_least = match (leaves, given.whole()) {
        (false, _) => asked,
        (true, true) => last - first,
        (true, false) => 0.0,
    };
    // A transaction that failed has no latency.
    between(
        "seconds",
        found,
        (asked_at_least - 1e-6, asked + slowest + 2.0),
    )
}

fn clients(given: &Given) -> Result<(), String> {
    let (case, seen) = (given.case, given.seen);
    equal("clients", seen.run.clients, case.clients())?;
    let found: BTreeSet<i64> = seen.done.iter().map(|row| row.client).collect();
    let all = found
        .iter()
        .all(|client| (0..case.clients()).contains(client));
    holds(&format!("numbers of clients: {found:?}"), all)
}

fn the_warm_up_comes_first(given: &Given) -> Result<(), String> {
    let (case, seen) = (given.case, given.seen);
    let began = seen.run.measured;
    let early = seen.measured().filter(|row| row.at < began).count();
    equal("measured before the measured part", early, 0)?;
    match case.has("warmup") {
        false => equal("seconds of a warm-up", began - seen.run.started, 0.0),
        true => {
            let first = seen.warming().map(|row| row.at).fold(f64::MAX, f64::min);
            holds("the warm-up came later", first < began)?;
            holds("a short warm-up", began - seen.run.started >= WARMUP_S)
        }
    }
}

/// The window of the history is the measured part, and the rows of the warm-up come before it.
fn window(given: &Given) -> Result<(), String> {
    let Some((from, to)) = given.window else {
        return Ok(());
    };
    let seen = given.seen;
    holds(
        "rows before the window",
        seen.measured().all(|row| row.at >= from),
    )?;
    holds(
        "rows after the window",
        seen.measured().all(|row| row.at <= to),
    )?;
    let mut warming = seen.warming();
    holds(
        "a warm-up in the window",
        warming.next().is_none_or(|row| row.at < from),
    )?;
    holds("longer than the run", to <= seen.run.ended + 1e-3)
}

fn rate(given: &Given) -> Result<(), String> {
    let (case, summary) = (given.case, &given.seen.summary);
    let Some(mean) = case.due(summary.duration_s) else {
        return holds("a lag without a schedule", summary.lag_avg_ms.is_none());
    };
    let begun = (summary.transactions + summary.failed + summary.skipped) as f64;
    holds(
        "no lag",
        summary.lag_avg_ms.is_some() || summary.transactions == 0,
    )?;
    // A schedule that begins anew, in steps, has the rate of its time.
    holds(
        &format!("{begun} begun, but {mean} were due"),
        begun <= mean + spread(mean),
    )?;
    // What was due shortly before the end may not have begun.
    let lag = summary.lag_max_ms.unwrap_or(f64::MAX) / 1000.0;
    if given.whole() && case.transactions().is_none() && lag < 0.1 && summary.skipped == 0 {
        let due = case.due(case.duration_s() - 0.1 - lag).unwrap_or(0.0);
        holds(
            &format!("{begun} begun, but {due} were due"),
            begun + case.clients() as f64 >= due - spread(due),
        )?;
    }
    Ok(())
}

/// Pauses take their time on any machine: what is done in some seconds has an upper bound.
fn pauses(given: &Given) -> Result<(), String> {
    let (case, seen, summary) = (given.case, given.seen, &given.seen.summary);
    let think = if case.has("think") { THINK_S } else { 0.0 };
    let trips = if case.has("round trip") {
        3.0 * ROUND_TRIP_S
    } else {
        0.0
    };
    let least_ms = 1000.0 * (SLEEP_S + trips);
    let latency = summary.latency_avg_ms.unwrap_or(f64::MAX);
    holds(&format!("latency of {latency} ms"), latency >= least_ms)?;
    if !given.whole() {
        return Ok(());
    }
    for client in 0..case.clients() {
        let own = seen.measured().filter(|row| row.client == client).count() as f64;
        let least = own * (SLEEP_S + trips) + (own - 1.0) * think;
        holds(
            &format!(
                "client {client} did {own} transactions in {} s",
                summary.duration_s
            ),
            least <= summary.duration_s,
        )?;
    }
    if !case.has("rate") {
        // Outside of the latency.
        let busy = latency / 1000.0 * summary.transactions as f64;
        let thinking = (summary.transactions - case.clients()) as f64 * think;
        let room = 1.001 * case.clients() as f64 * summary.duration_s;
        holds(
            &format!("{busy} s busy, {thinking} s thinking"),
            busy + thinking <= room,
        )?;
    }
    Ok(())
}

/// What only the server knows is known inside it alone, and what only a connection shows over the wire alone.
fn transport(given: &Given) -> Result<(), String> {
    let (case, seen) = (given.case, given.seen);
    let inside = !case.has("transport");
    let blocks = seen.intervals.iter().map(|it| it.shared_blks_hit);
    let blocks = blocks.chain([seen.summary.shared_blks_hit]);
    let known = blocks.filter(Option::is_some).count();
    let expected = if inside { seen.intervals.len() + 1 } else { 0 };
    equal("known blocks", known, expected)?;
    for it in seen
        .statements
        .iter()
        .filter(|it| it.is_sql && it.calls > 0)
    {
        equal("known parsing", it.parse_ms.is_some(), inside)?;
        let on_the_wire = it.first_byte_ms.zip(it.receive_ms);
        equal("known answers", on_the_wire.is_some(), !inside)?;
        let Some((first, rest)) = on_the_wire else {
            continue;
        };
        let mean = it.latency_avg_ms.unwrap_or(-1.0);
        between("parts", first + rest, (mean - 1e-6, mean + 1e-6))?;
    }
    Ok(())
}

/// Only what is not prepared is parsed each time.
fn query_mode(given: &Given) -> Result<(), String> {
    let (case, seen) = (given.case, given.seen);
    equal("mode", seen.run.query_mode.as_str(), case.level("mode"))?;
    if case.has("transport") {
        return Ok(());
    }
    let sent = seen.statements.iter();
    for it in sent.filter(|it| it.calls > 0 && it.statement.starts_with("INSERT")) {
        let parsed = it.parse_ms.is_some_and(|ms| ms > 0.0);
        equal("parsed", parsed, !case.is("mode", "prepared"))?;
    }
    Ok(())
}

fn reconnect(given: &Given) -> Result<(), String> {
    let (case, seen) = (given.case, given.seen);
    let (found, clients) = (seen.summary.reconnects, case.clients());
    let mut of_session: BTreeMap<(i64, i64), i64> = BTreeMap::new();
    for row in &seen.done {
        *of_session.entry((row.client, row.pid)).or_default() += 1;
    }
    let sessions = of_session.len() as i64;
    if !case.has("reconnect") {
        equal("reconnects", found, 0)?;
        let segments = if given.interrupted { 2 } else { 1 };
        return between("sessions", sessions, (1, segments * clients));
    }
    let most = of_session.values().max().copied().unwrap_or(0);
    between("transactions of a session", most, (1, RECONNECT))?;
    if !given.whole() {
        return Ok(());
    }
    // A session whose transactions all failed has left no row.
    between("sessions", sessions, (1, found + clients))?;
    let ended = seen.summary.transactions + seen.summary.failed + seen.summary.skipped;
    let ended = ended + seen.summary.warmup_transactions + given.unfinished();
    between("reconnects", found, (0, ended / RECONNECT))?;
    if case.transactions().is_some() && !case.has("warmup") && seen.summary.skipped == 0 {
        let each = (case.transactions().unwrap_or(0) - 1) / RECONNECT;
        equal("reconnects", found, each * clients)?;
    }
    Ok(())
}

/// With the seed the values are pgbench's, whatever else the run does.
fn seed(given: &Given) -> Result<(), String> {
    let (case, seen) = (given.case, given.seen);
    let values = |client: i64, part: i64| -> Vec<i64> {
        let own = seen.done.iter();
        let own = own.filter(|row| row.client == client && row.part == part);
        own.filter_map(|row| row.value).collect()
    };
    if !case.has("seed") {
        let first = values(0, 0).first().copied();
        return holds(
            "drawn as with the seed",
            first.is_none() || first != given.drawn[0].first().copied(),
        );
    }
    equal("seed", seen.run.random_seed, 7)?;
    for client in 0..case.clients() {
        let drawn = &given.drawn[client as usize];
        let survives = |value: &i64| !case.has("errors") || value % super::case::ERROR != 0;
        let mut expected = drawn.iter().filter(|value| survives(value));
        let found = values(client, 0);
        // A conflict may have taken one out; nothing came twice, or in another order.
        let is_right = match case.has("conflicts") {
            false => found.iter().zip(&mut expected).all(|(a, b)| a == b),
            true => found.iter().all(|value| expected.any(|it| it == value)),
        };
        holds(&format!("values of client {client}: {found:?}"), is_right)?;
        let warmed = values(client, 1);
        holds(
            "a warm-up draws what is measured",
            warmed.iter().all(|it| !drawn.contains(it)),
        )?;
    }
    Ok(())
}

fn settings(given: &Given) -> Result<(), String> {
    let (case, seen) = (given.case, given.seen);
    let (setting, memory) = match case.has("settings") {
        true => (Some("given"), "3MB"),
        false => (None, "4MB"),
    };
    let of_clients =
        |row: &&super::evidence::Done| row.setting.as_deref() == setting && row.memory == memory;
    equal(
        "rows with them",
        seen.done.iter().filter(of_clients).count(),
        seen.done.len(),
    )?;
    let of_others = seen
        .beside
        .iter()
        .filter(|row| row.setting.as_deref() == setting);
    equal(
        "rows of disturbances with them",
        of_others.count(),
        seen.beside.len(),
    )
}

fn name(given: &Given) -> Result<(), String> {
    let (case, seen, run) = (given.case, given.seen, given.run);
    let expected = |client: i64| match case.has("name") {
        true => "shop".to_owned(),
        false => format!("pgperf run {run} client {client}"),
    };
    let right = seen
        .done
        .iter()
        .filter(|row| row.name == expected(row.client));
    equal("rows of this name", right.count(), seen.done.len())?;
    let beside = format!("pgperf run {run} disturbance beside");
    holds(
        "another name beside",
        seen.beside.iter().all(|row| row.name == beside),
    )
}

fn variables(given: &Given) -> Result<(), String> {
    let expected = if given.case.has("variables") { 42 } else { 0 };
    let mut drawn = given.seen.done.iter().filter(|row| row.value.is_some());
    holds(
        "another value",
        drawn.all(|row| row.extra == Some(expected)),
    )
}

fn turns(given: &Given) -> Result<(), String> {
    let (case, seen) = (given.case, given.seen);
    if !case.has("alternate") {
        let turns = seen
            .intervals
            .iter()
            .filter(|i| i.turn_no.is_some() || i.side.is_some());
        equal("intervals with turns", turns.count(), 0)?;
        return holds(
            "a side without turns",
            seen.done.iter().all(|row| row.side.is_none()),
        );
    }
    let mut last = 0;
    for interval in &seen.intervals {
        let turn = interval.turn_no.ok_or("no turn")?;
        holds("back to an earlier turn", turn >= last)?;
        last = turn;
        let side = ["A", "B", "B", "A"].get(turn as usize);
        let is_right =
            side.is_none_or(|side| interval.side.as_deref().is_none_or(|it| it == *side));
        holds("the first block is A B B A", is_right)?;
    }
    let began = seen.intervals.first().map_or(0.0, |i| i.at);
    let side_of = |row: &super::evidence::Done| match case.is("alternate", "setting") {
        true => row.side.clone().unwrap_or_default(),
        false => ["A", "B"][row.script as usize % 2].to_owned(),
    };
    // The clock that is shown is not the one that counts.
    let of_first = seen
        .measured()
        .filter(|row| row.at < began + EVERY_S - 0.02);
    let mut of_first = of_first.chain(seen.warming().filter(|row| row.value.is_some()));
    holds(
        "another side before the second turn",
        of_first.all(|row| side_of(row) == "A"),
    )?;
    let sides: BTreeSet<String> = seen.measured().map(side_of).collect();
    let known = sides.iter().all(|side| ["A", "B"].contains(&side.as_str()));
    holds(&format!("sides {sides:?}"), known)?;
    // A block is over after eight tenths of a second.
    holds(
        "one side",
        sides.len() == 2 || case.transactions().is_some(),
    )
}

/// The promise holds where the run says that it has been reached; the figure is the one that its intervals give.
fn precision(given: &Given) -> Result<(), String> {
    let (case, seen) = (given.case, given.seen);
    if !case.has("precise") {
        return holds("a precision", seen.precision.is_none());
    }
    let found = seen.precision.ok_or("no precision")?;
    let is_one = seen
        .precisions
        .iter()
        .flatten()
        .any(|it| (it - found).abs() < 1e-9 * found);
    holds(
        &format!("{found} %, not one of {:?}", seen.precisions),
        is_one,
    )?;
    if seen.summary.duration_s < case.duration_s() - 0.3 {
        holds(&format!("ended within {found} %"), found <= 50.0)?;
        holds(
            "ended before the first look",
            seen.intervals.len() as f64 >= LOOK,
        )?;
    }
    Ok(())
}

fn segments(given: &Given) -> Result<(), String> {
    let (case, seen) = (given.case, given.seen);
    if !case.has("resume") {
        return equal("segments", seen.segments.len(), 0);
    }
    let expected = if given.interrupted { 2 } else { 1 };
    equal("segments", seen.segments.len(), expected)?;
    let transactions = seen.segments.iter().map(|it| it.transactions).sum();
    equal(
        "transactions of all",
        transactions,
        seen.summary.transactions,
    )?;
    let seconds: f64 = seen.segments.iter().map(|it| it.seconds).sum();
    let known = seen.summary.duration_s;
    between("seconds of all", seconds, (known - 0.002, known + 0.002))?;
    let ends: Vec<&str> = seen
        .segments
        .iter()
        .filter_map(|it| it.ended_by.as_deref())
        .collect();
    let ends = ends.join(", ");
    let known = ["interrupted, finished", "finished"][usize::from(expected == 1)];
    equal("ends", ends.as_str(), known)
}
