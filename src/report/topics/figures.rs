//! The figures that are looked at first: cards of a page, rows of a comment.

use crate::report::model::Report;
use crate::report::stored_run::{Facts, Run};
use crate::report::text::load::Loaded;
use crate::show::blocks::{Block, Listing, Topic, figure, name};
use crate::show::number::{Unit, bytes, duration, integer, number, percent};
use crate::show::sparkline::sparkline;

/// So many metrics of workloads are among them.
const OWN: usize = 8;
/// Characters of the rate over time.
const OVER_TIME: usize = 60;

/// A figure with its unit, and what belongs to it.
pub struct KeyFigure {
    pub name: String,
    pub value: String,
    pub more: String,
}

/// None where the value is not known.
fn known(name: &str, value: Option<String>, more: Option<String>) -> Option<KeyFigure> {
    value.map(|value| KeyFigure {
        name: name.to_owned(),
        value,
        more: more.unwrap_or_default(),
    })
}

/// All that are known of a run.
pub fn all(report: &Report) -> Vec<KeyFigure> {
    let own = report.of_the_workload().take(OWN).map(|(figure, value)| {
        let value = format!("{} {}", number(value), figure.unit);
        known(&figure.metric, Some(value.trim_end().to_owned()), None)
    });
    let run = &report.facts.run;
    let grown = run.database_growth_bytes.map(size);
    let without = Some("without pgperf's own".to_owned());
    let figures = own.chain((run.work().figures)(&report.facts)).chain([known(
        "Database growth",
        grown,
        without,
    )]);
    figures.flatten().collect()
}

/// As a table, with the rate over time. `unicode`: whether its reader can show more than ASCII.
pub fn topic(report: &Report, unicode: bool) -> Topic {
    let columns = vec![
        name("", |figure: &KeyFigure| figure.name.clone()),
        figure("", |figure: &KeyFigure| Some(figure.value.clone())),
        name("", |figure: &KeyFigure| figure.more.clone()),
    ];
    let timeline = report.timeline.iter();
    let intervals = timeline.flat_map(|timeline| &timeline.intervals);
    let rates: Vec<f64> = intervals.map(|interval| interval.tps).collect();
    let rates = over_time(&report.facts.run, &rates, OVER_TIME, unicode);
    let table = Block::Table(Listing::of(&all(report), columns));
    let blocks = std::iter::once(table).chain(rates.map(Block::Remark));
    Topic::new("figures", "Figures", blocks.collect())
}

/// The rate from the beginning to the end, from 0 up.
pub fn over_time(run: &Run, rates: &[f64], width: usize, unicode: bool) -> Option<String> {
    let (_, unit) = run.work().rate;
    let line = || sparkline(rates, width, unicode);
    (rates.len() > 1).then(|| format!("{unit} over time: {}", line()))
}

/// Of a load.
pub fn of_load(facts: &Facts) -> Vec<Option<KeyFigure>> {
    let loaded = Loaded::of(facts);
    let rate = loaded.rate().map(|rate| Unit::Count("rows/s").write(rate));
    vec![
        known("Rows loaded", loaded.rows.map(integer), None),
        known("Rate", rate, None),
        known("Time", loaded.seconds.map(duration), None),
        known("WAL", facts.run.wal_bytes.map(size), None),
    ]
}

/// Of a run of scripts.
pub fn of_transactions(facts: &Facts) -> Vec<Option<KeyFigure>> {
    let run = &facts.run;
    let done = run.transactions.unwrap_or(0);
    let ms = |ms: Option<f64>| ms.map(|ms| Unit::Milliseconds.write(ms));
    let with = |what: &str, figure: Option<String>| figure.map(|it| format!("{what} {it}"));
    let of = |figure: Option<String>, what: &str| figure.map(|it| format!("{it} {what}"));
    let outcome = |failed| match (failed, run.outcomes.retried.unwrap_or(0)) {
        (0, 0) => "none failed".to_owned(),
        (0, retried) => format!("none failed, {} retried", integer(retried)),
        (failed, _) => format!("{} of all", share(failed, done + failed)),
    };
    let failed = run.outcomes.failed;
    let tps = run.tps.map(|tps| Unit::Count("tps").write(tps));
    let counted = of(run.transactions.map(integer), "transactions");
    let deviation = with("standard deviation", ms(run.latency_stddev_ms));
    let median = with("p50", ms(run.latency_p50_ms));
    let longest = with("longest", ms(run.latency_max_ms));
    let wal = of(run.wal_bytes.map(size), "in all");
    let hits = run.hit_percent.map(|percent| format!("{percent:.2} %"));
    let read = of(run.shared_blks_read.map(integer), "blocks read");
    let [skipped, late, lag] = of_the_schedule(run);
    vec![
        known("Throughput", tps, counted),
        known("Latency, mean", ms(run.latency_avg_ms), deviation),
        // One that is not known leaves its place to what would be beside it.
        known("Latency, p95", ms(run.latency_p95_ms), median)
            .or_else(|| known("Latency, p50", ms(run.latency_p50_ms), None)),
        known("Latency, p99", ms(run.latency_p99_ms), longest)
            .or_else(|| known("Latency, longest", ms(run.latency_max_ms), None)),
        known("Failures", failed.map(integer), failed.map(outcome)),
        skipped,
        late,
        lag,
        known("WAL per transaction", run.wal_bytes_per_tx.map(bytes), wal),
        known("Buffer hits", hits, read),
    ]
}

/// Transactions that were too late to be tried, and that took too long, and their delays.
fn of_the_schedule(run: &Run) -> [Option<KeyFigure>; 3] {
    let done = run.transactions.unwrap_or(0);
    let limit = run.spec.latency_limit_ms;
    let limit = limit.map(|limit| Unit::Milliseconds.write(limit));
    let may_skip = run.spec.rate.is_some() || run.spec.results.is_some();
    let skipped = run.outcomes.skipped.filter(|_| may_skip).zip(limit.clone());
    let skipped = skipped.and_then(|(count, limit)| {
        let due = done + count + run.outcomes.failed.unwrap_or(0);
        let of = format!("{} of {}", share(count, due), integer(due));
        let more = Some(format!("{of}, more than {limit} behind schedule"));
        known("Skipped", Some(integer(count)), more)
    });
    let late = run.late.zip(limit).and_then(|(count, limit)| {
        let of = format!("{} of {}", share(count, done), integer(done));
        let more = Some(format!("{of}, longer than {limit}"));
        known("Above the latency limit", Some(integer(count)), more)
    });
    let lag = run.lag_avg_ms.zip(run.lag_max_ms).and_then(|(avg, max)| {
        let [avg, max] = [avg, max].map(|ms| Unit::Milliseconds.write(ms));
        known(
            "Schedule lag, mean",
            Some(avg),
            Some(format!("longest {max}")),
        )
    });
    [skipped, late, lag]
}

/// The lasting effects of measuring, which are in no figure of the run.
pub fn of_pgperf(run: &Run) -> Option<String> {
    let own = [
        run.own_history_bytes
            .map(|history| format!("{} of history", size(history))),
        run.own_wal_bytes.map(|wal| format!("{} of WAL", size(wal))),
        run.own_xids
            .map(|count| format!("{} transaction ids", integer(count))),
    ];
    let own: Vec<String> = own.into_iter().flatten().collect();
    (!own.is_empty()).then(|| own.join(", "))
}

fn size(size: i64) -> String {
    bytes(size as f64)
}

fn share(part: i64, whole: i64) -> String {
    Unit::Percent.write(percent(part, whole))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::text::tests::run;
    use serde_json::json;

    #[test]
    fn what_became_of_the_schedule_is_told_where_there_is_one() {
        let told = |changes| -> Vec<(String, String, String)> {
            let figures = of_the_schedule(&run(changes)).into_iter().flatten();
            figures.map(|f| (f.name, f.value, f.more)).collect()
        };
        let figure = |name: &str, value: &str, more: &str| {
            (name.to_owned(), value.to_owned(), more.to_owned())
        };
        assert!(told(json!({})).is_empty());
        assert_eq!(
            told(json!({
                "skipped": 250, "late": 10, "lag_avg_ms": 1.5, "lag_max_ms": 8.0,
                "spec": {"rate": 100.0, "latency_limit_ms": 5.0}
            })),
            [
                figure(
                    "Skipped",
                    "250",
                    "20 % of 1,250, more than 5 ms behind schedule"
                ),
                figure(
                    "Above the latency limit",
                    "10",
                    "1 % of 1,000, longer than 5 ms"
                ),
                figure("Schedule lag, mean", "1.5 ms", "longest 8 ms"),
            ]
        );
        let only_limit = told(json!({"late": 10, "spec": {"latency_limit_ms": 5.0}}));
        assert_eq!(only_limit.len(), 1);
    }
}
