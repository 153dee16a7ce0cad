//! The latencies of a run's transactions, and of what they consist.

use crate::report::stored_run::Run;
use crate::show::blocks::{Block, Listing, Topic, figure};
use crate::show::number::number;

/// A column, and its figure of a run.
type OfRun = (&'static str, fn(&Run) -> Option<f64>);

const PERCENTILES: [OfRun; 7] = [
    ("p50", |run| run.latency_p50_ms),
    ("p90", |run| run.latency_p90_ms),
    ("p95", |run| run.latency_p95_ms),
    ("p99", |run| run.latency_p99_ms),
    ("p99.9", |run| run.latency_p999_ms),
    ("p99.99", |run| run.latency_p9999_ms),
    ("max", |run| run.latency_max_ms),
];

const PARTS: [OfRun; 8] = [
    ("parse", |run| run.parse_ms),
    ("plan", |run| run.plan_ms),
    ("execute", |run| run.execute_ms),
    ("commit", |run| run.commit_ms),
    ("first byte", |run| run.first_byte_ms),
    ("receive", |run| run.receive_ms),
    ("lag", |run| run.lag_avg_ms),
    ("retries", |run| run.retry_ms),
];

/// Those of which something is known.
pub fn topics(run: &Run) -> impl Iterator<Item = Topic> {
    let is_known = PERCENTILES.iter().any(|(_, ms)| ms(run).is_some());
    let percentiles = || topic(run, "Latency percentiles in milliseconds", &PERCENTILES);
    let parts = |_| topic(run, "Milliseconds of the average transaction", &PARTS);
    let percentiles = is_known.then(percentiles);
    let is_split = run.execute_ms.or(run.first_byte_ms);
    percentiles.into_iter().chain(is_split.map(parts))
}

fn topic(run: &Run, title: &str, columns: &[OfRun]) -> Topic {
    let columns = columns.iter();
    let columns = columns.map(|(head, ms)| figure(head, |run: &Run| ms(run).map(number)));
    let listing = Listing::of([run], columns.collect());
    Topic::new("", title, vec![Block::Table(listing)])
}
