//! Damaged texts: an error or a run, whatever they are; and no run that cannot be stored.

use crate::facts::{Outcomes, Run};
use crate::{Format, read};
use measure::Latency;

/// splitmix64: enough for test values.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

fn fixtures() -> Vec<(String, String)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures");
    let texts = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let texts = texts.filter(|path| path.extension().is_some_and(|e| e == "txt"));
    let read = |path: std::path::PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        (name, std::fs::read_to_string(path).unwrap())
    };
    texts.map(read).collect()
}

/// Reads it in every format.
fn try_all(name: &str, text: &str) {
    let formats = Format::ALL.into_iter().map(Some).chain([None]);
    for format in formats {
        if let Ok(reading) = read(text, format, &mut || {}) {
            assert!(!reading.runs.is_empty(), "{name}");
            reading.runs.iter().for_each(|run| check(name, run));
        }
    }
}

fn check(name: &str, run: &Run) {
    let fits =
        |count: Option<u64>| assert!(count.is_none_or(|c| i64::try_from(c).is_ok()), "{name}");
    let finite =
        |number: Option<f64>| assert!(number.is_none_or(|n| n.is_finite() && n >= 0.0), "{name}");
    let outcomes = |o: &Outcomes| {
        [
            o.failed,
            o.serialization_failures,
            o.deadlock_failures,
            o.other_failures,
        ]
        .into_iter()
        .for_each(fits);
        [o.retried, o.retries, o.skipped, o.late]
            .into_iter()
            .for_each(fits);
    };
    let latency = |l: &Latency| {
        [
            l.latency_avg_ms,
            l.latency_stddev_ms,
            l.latency_p50_ms,
            l.latency_p99_ms,
            l.latency_max_ms,
        ]
        .into_iter()
        .for_each(finite);
    };
    if let Some(server) = &run.server {
        fits(server.shared_blks_hit);
        fits(server.shared_blks_read);
        let all_finite = server.figures.iter().all(|figure| figure.value.is_finite());
        assert!(all_finite, "{name}");
    }
    let totals = &run.totals;
    [totals.transactions, totals.reconnects]
        .into_iter()
        .for_each(fits);
    [
        totals.seconds,
        totals.lag_avg_ms,
        totals.lag_max_ms,
        totals.connect_ms,
    ]
    .into_iter()
    .for_each(finite);
    [
        run.started_s,
        run.duration_s,
        run.rate,
        run.latency_limit_ms,
    ]
    .into_iter()
    .for_each(finite);
    for small in [run.clients, run.scale, run.threads] {
        assert!(
            small.is_none_or(|n| n > 0 && i32::try_from(n).is_ok()),
            "{name}"
        );
    }
    outcomes(&totals.outcomes);
    latency(&totals.latency);
    for interval in &run.intervals {
        finite(Some(interval.start_s));
        assert!(
            interval.seconds > 0.0 && interval.seconds.is_finite(),
            "{name}: {interval:?}"
        );
        finite(Some(interval.tps));
        outcomes(&interval.outcomes);
        latency(&interval.latency);
    }
    let all = run
        .intervals
        .iter()
        .map(|interval| i128::from(interval.transactions));
    assert!(all.sum::<i128>() < i128::from(i64::MAX), "{name}");
    for script in &run.scripts {
        outcomes(&script.outcomes);
        latency(&script.latency);
        finite(script.tps);
    }
    for statement in &run.statements {
        latency(&statement.latency);
        finite(statement.plan_ms);
        [
            statement.calls,
            statement.rows,
            statement.wal_bytes,
            statement.failed,
        ]
        .into_iter()
        .for_each(fits);
    }
    run.figures
        .iter()
        .for_each(|figure| finite(Some(figure.value)));
}

#[test]
fn any_beginning_and_any_end_of_a_text() {
    for (name, text) in fixtures() {
        let ends = text.char_indices().map(|(at, _)| at);
        for at in ends.step_by(1 + text.len() / 400) {
            try_all(&name, &text[..at]);
            try_all(&name, &text[at..]);
        }
    }
}

#[test]
fn any_damage_to_a_text() {
    let pieces = [
        "",
        "0",
        "9",
        "-",
        ".",
        " ",
        "\n",
        "\"",
        ",",
        ": ",
        "99999999999999999999",
        "1e308",
        "nan",
        "\u{fffd}",
        "0.0",
        "1700000000",
        "[ 1s ]",
        "|",
        "tps = ",
        "4294967296",
    ];
    let mut state = 1;
    for (name, text) in fixtures() {
        let chars: Vec<char> = text.chars().collect();
        for _ in 0..150 {
            let mut damaged = chars.clone();
            for _ in 0..=next(&mut state) % 4 {
                let at = next(&mut state) as usize % (damaged.len() + 1);
                let to = (at + next(&mut state) as usize % 6).min(damaged.len());
                let piece = pieces[next(&mut state) as usize % pieces.len()];
                damaged.splice(at..to, piece.chars());
            }
            let damaged: String = damaged.into_iter().collect();
            try_all(&name, &damaged);
        }
    }
}

#[test]
fn texts_of_several_programs() {
    let fixtures = fixtures();
    for (name, text) in &fixtures {
        for (other, more) in &fixtures {
            try_all(&format!("{name} and {other}"), &format!("{text}{more}"));
        }
    }
}
