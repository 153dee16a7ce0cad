//! The values of sysbench's lines, as it writes them.

use crate::facts::Run;
use crate::numbers::{count, decimal, leading_count, with_unit};
use measure::Latency;

pub(super) fn counted(run: &mut Run, name: &str, value: &str) -> bool {
    let count = leading_count(value).map(|count| count as f64);
    run.figure_if_any(name, count, "count")
}

/// `134578 (26882.71 per sec.)`, of which the count is known.
pub(super) fn per_second(run: &mut Run, name: &str, value: &str) -> bool {
    run.figure_if_any(name, rate(value), "per second")
}

pub(super) fn rate(value: &str) -> Option<f64> {
    let (_, rate) = value.split_once('(')?;
    decimal(rate.strip_suffix("per sec.)")?)
}

/// `3356.0000/232.00`.
pub(super) fn pair(run: &mut Run, names: [&str; 2], value: &str, unit: &'static str) -> bool {
    let Some((average, deviation)) = value.split_once('/') else {
        return false;
    };
    let (Some(average), Some(deviation)) = (decimal(average), decimal(deviation)) else {
        return false;
    };
    for (name, value) in names.into_iter().zip([average, deviation]) {
        run.figure(name, value, unit);
    }
    true
}

/// With or without its unit.
pub(super) fn milliseconds(value: &str) -> Option<f64> {
    with_unit(value, "ms").or_else(|| decimal(value))
}

/// `95th percentile`, `approx.  95 percentile`.
pub(super) fn percent(name: &str) -> Option<u64> {
    let name = name.strip_suffix(" percentile")?;
    let name = name.strip_prefix("approx.").unwrap_or(name);
    let digits = name
        .trim()
        .trim_end_matches(|c: char| c.is_ascii_alphabetic());
    count(digits).filter(|percent| *percent <= 100)
}

/// The place of a percentile, if it has one.
pub(super) fn percentile(latency: &mut Latency, percent: u64) -> Option<&mut Option<f64>> {
    Some(match percent {
        50 => &mut latency.latency_p50_ms,
        90 => &mut latency.latency_p90_ms,
        95 => &mut latency.latency_p95_ms,
        99 => &mut latency.latency_p99_ms,
        _ => return None,
    })
}

/// Lines without a figure.
pub(super) fn is_chatter(line: &str) -> bool {
    const CHATTER: [&str; 26] = [
        "Running the test with following options",
        "Report intermediate results every",
        "Initializing",
        "Threads started!",
        "Time limit exceeded, exiting",
        "(last message repeated",
        "Done.",
        "No DB drivers specified",
        "Using ",
        "Skipping BEGIN/COMMIT",
        "Random number generator seed",
        "Additional request validation",
        "Maximum number of requests",
        "OLTP test statistics:",
        "SQL statistics:",
        "queries performed:",
        "General statistics:",
        "Test execution summary:",
        "Throughput:",
        "Latency (ms):",
        "Latency histogram",
        "value  ---",
        "response time:",
        "per-request statistics:",
        "Threads fairness:",
        "Prefixing",
    ];
    CHATTER.iter().any(|start| line.starts_with(start))
}
