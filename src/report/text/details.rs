//! The second part of a run's report: the figures that pgbench does not print.

use super::{pgbench, wrapped};
use crate::report::precision;
use crate::report::stored_run::{CacheFact, Facts, Metric, Run};
use crate::report::topics::{self, counted, figures, identity, latency, statements};
use crate::show::number::{bytes, decimals, per_call};
use crate::show::text::WIDTH;
use measure::metrics::{self, Shown, Source};

/// After pgbench's lines. `unicode`: whether the report's reader can show more than ASCII.
pub fn paragraphs(facts: &Facts, unicode: bool) -> Vec<Vec<String>> {
    let run = &facts.run;
    let mut paragraphs = vec![pgbench::lines(facts)];
    let is_measured = run.transactions.is_some_and(|count| count > 0);
    if is_measured || run.spec.results.is_some() {
        paragraphs.push(wrapped(circumstances(facts, unicode)));
        let topics = latency::topics(run)
            .chain(topics::besides(facts, None))
            .chain(statements::counted(facts));
        paragraphs.extend(topics.map(|topic| topic.lines()));
    }
    let totals = wal(run)
        .into_iter()
        .chain(blocks(run))
        .filter(|_| is_measured);
    let own = facts.metrics.iter().filter(is_own).map(|metric| {
        let value = decimals(metric.value, 2);
        let line = format!("{}: {value} {}", metric.metric, metric.unit);
        line.trim_end().to_owned()
    });
    paragraphs.push(wrapped(totals.chain(footprint(run)).chain(own)));
    let counted = facts.tables.iter().map(counted::topic);
    paragraphs.extend(counted.map(|topic| topic.lines()));
    paragraphs
}

/// What the figures stand for, and the rate over time.
fn circumstances(facts: &Facts, unicode: bool) -> impl Iterator<Item = String> {
    const OVER_TIME: usize = WIDTH - "tps over time: ".len();
    let run = &facts.run;
    let warmup = run.warmup_transactions.filter(|count| *count > 0);
    let sentences = [
        identity::origin(run),
        figures::over_time(run, &facts.rates, OVER_TIME, unicode),
        warmup.map(|count| {
            format!("The {count} transactions of the warm-up are not in the figures.")
        }),
        caches(&facts.caches),
        precision::sentence(facts),
    ];
    sentences.into_iter().flatten()
}

/// Whether a metric is the workload's own, and not one of those that every run has.
fn is_own(metric: &&Metric) -> bool {
    metrics::find(Source::Facts, "workload", &metric.metric)
        .is_none_or(|known| known.is_shown(Shown::Always) && !metric.is_rate())
}

/// What became of the caches before the run, where it asked for that.
fn caches(facts: &[CacheFact]) -> Option<String> {
    let fact = |name: &str| facts.iter().find(|fact| fact.name == name);
    let bytes_of = |name: &str| fact(name)?.value.as_ref()?.parse::<i64>().ok();
    let mode = fact("caches")?;
    let mut text = format!(
        "The caches were {} before the run",
        mode.value.as_deref().unwrap_or("?")
    );
    if let Some(read) = bytes_of("caches.read") {
        text += &format!(": {} were read", bytes(read as f64));
    }
    if let (Some(resident), Some(all @ 1..)) =
        (bytes_of("caches.files_in_memory"), bytes_of("caches.files"))
    {
        text += &format!(
            "; {:.1} % of the database's {} were in the memory of the operating system",
            100.0 * resident as f64 / all as f64,
            bytes(all as f64)
        );
    }
    if let Some(note) = &mode.note {
        text += &format!("; {note}");
    }
    Some(format!("{text}."))
}

fn wal(run: &Run) -> Vec<String> {
    let Some(total) = run.wal_bytes else {
        return Vec::new();
    };
    let per_call = |total, places| per_call(total, run.transactions.unwrap_or(0), places);
    let parts = [
        Some(format!("{} bytes", decimals(run.wal_bytes_per_tx, 1))),
        (run.wal_records).map(|all| format!("{} records", per_call(Some(all), 2))),
        (run.wal_fpi).map(|all| format!("{} full-page images", per_call(Some(all), 3))),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    vec![
        format!("WAL per transaction: {}", parts.join(", ")),
        format!("WAL in total: {}", bytes(total as f64)),
    ]
}

fn blocks(run: &Run) -> Option<String> {
    let (percent, hit, read) = (
        run.hit_percent?,
        run.shared_blks_hit?,
        run.shared_blks_read?,
    );
    Some(format!(
        "buffer hit ratio: {percent:.3} % ({hit} blocks hit, {read} read)"
    ))
}

/// The run's lasting effects: the database's growth and, separately, pgperf's own writes.
pub fn footprint(run: &Run) -> impl Iterator<Item = String> {
    let growth = run.database_growth_bytes.map(|growth| {
        let growth = bytes(growth as f64);
        format!("database growth: {growth} (without pgperf's own)")
    });
    let own = figures::of_pgperf(run);
    let own = own.map(|own| format!("pgperf's own footprint, not in these figures: {own}"));
    growth.into_iter().chain(own)
}
