//! The second part of a run's report: the figures that pgbench does not print.

use super::scripts;
use crate::report::model::tables::Table;
use crate::report::precision;
use crate::report::stored_run::{CacheFact, Facts, Metric, Run, Segment, Statement};
use crate::report::topics::{alternation, disturbances, hit_curve, rate_search, receivers};
use crate::show::blocks::Topic;
use crate::show::number::{bytes, decimals, milliseconds, per_call};
use crate::show::sparkline::sparkline;
use crate::show::text::{WIDTH, moment, narrow_columns, narrow_table, one_line, wrap};
use measure::metrics::{self, Shown, Source, TPS_PRECISION};

const INDENT: &str = "  ";

/// `unicode`: whether the report's reader can show more than ASCII.
pub fn lines(facts: &Facts, unicode: bool) -> Vec<String> {
    let run = &facts.run;
    let mut lines = Vec::new();
    if let Some(origin) = super::results(run) {
        lines.extend([String::new(), origin]);
    }
    let transactions = run.transactions.unwrap_or(0);
    if transactions > 0 || run.spec.results.is_some() {
        if run.spec.results.is_none() {
            lines.extend([
                String::new(),
                "This rate is in-database: the clients are background workers, with no client"
                    .to_owned(),
                "program and no network in between. It is not comparable with the tps of pgbench."
                    .to_owned(),
            ]);
        }
        lines.extend(topic(facts.rate_search.as_ref().map(rate_search::topic)));
        lines.extend(over_time(&facts.rates, unicode));
        lines.extend(interruptions(&facts.segments));
        lines.extend(warmup(run));
        lines.extend(caches(&facts.caches));
        lines.extend(precision(facts));
        lines.extend(percentiles(run));
        lines.extend(scripts::lines(&facts.scripts));
        lines.extend(time_split(run));
        lines.extend(per_statement(facts));
        let written: Vec<String> = wal(run, transactions)
            .into_iter()
            .chain(blocks(run))
            .collect();
        lines.extend((run.spec.results.is_none() || !written.is_empty()).then(String::new));
        lines.extend(written);
        lines.extend(topic(hit_curve::topic(&facts.hit_curve)));
        lines.extend(topic(receivers::topic(&facts.receivers)));
        lines.extend(topic(facts.alternation.as_ref().map(alternation::topic)));
        lines.extend(topic(disturbances::topic(&facts.disturbances)));
    }
    if let Some(sentence) = cut_off(run, &facts.statements) {
        lines.push(String::new());
        lines.extend(wrap(&sentence, WIDTH));
    }
    lines.extend(footprint(run));
    lines.extend(facts.metrics.iter().filter(is_own).map(|metric| {
        let value = decimals(metric.value, 2);
        let line = format!("{}: {value} {}", metric.metric, metric.unit);
        line.trim_end().to_owned()
    }));
    lines.extend(facts.tables.iter().flat_map(counts));
    lines
}

/// With an empty line before it and after it.
fn topic(topic: Option<Topic>) -> Vec<String> {
    let apart = |topic: Topic| [vec![String::new()], topic.lines(), vec![String::new()]].concat();
    topic.map(apart).unwrap_or_default()
}

/// Whether a metric is the workload's own, and not one of those that every run has.
fn is_own(metric: &&Metric) -> bool {
    metrics::find(Source::Facts, "workload", &metric.metric)
        .is_none_or(|known| known.is_shown(Shown::Always) && !metric.is_rate())
}

/// What a collector counted over the run.
fn counts(table: &Table) -> Vec<String> {
    let rows: Vec<Vec<String>> = (table.rows.iter())
        .map(|row| {
            let counts = row.counts.iter();
            counts
                .map(|count| count.map_or_else(|| "-".to_owned(), |count| count.to_string()))
                .chain([row.object.clone()])
                .collect()
        })
        .collect();
    let heads: Vec<&str> = (table.counters.iter())
        .chain([&table.object])
        .map(String::as_str)
        .collect();
    let mut lines = vec![String::new(), format!("{}:", table.title)];
    lines.extend(narrow_columns(&heads, &rows));
    lines
}

/// The rate from the beginning to the end, from 0 up.
fn over_time(rates: &[f64], unicode: bool) -> Option<String> {
    let name = "tps over time: ";
    let line = sparkline(rates, WIDTH - name.len(), unicode);
    (rates.len() > 1).then(|| format!("{name}{line}"))
}

/// One sentence about a run that was interrupted.
pub fn interruption(segments: &[Segment]) -> Option<String> {
    let times = match segments.len() {
        0 | 1 => return None,
        2 => "once".to_owned(),
        count => format!("{} times", count - 1),
    };
    let gaps: f64 = segments.iter().filter_map(|segment| segment.gap_s).sum();
    Some(format!(
        "The run was interrupted {times}; the {gaps:.1} s between are not in the figures."
    ))
}

fn interruptions(segments: &[Segment]) -> Vec<String> {
    let Some(sentence) = interruption(segments) else {
        return Vec::new();
    };
    let rows: Vec<_> = segments
        .iter()
        .map(|segment| {
            [
                segment.segment_no.to_string(),
                decimals(segment.gap_s, 1),
                decimals(Some(segment.seconds), 1),
                segment.transactions.to_string(),
                moment(&segment.started_at),
            ]
        })
        .collect();
    let heads = ["segment", "gap s", "seconds", "transactions", "began"];
    let mut lines = vec![sentence];
    lines.extend(narrow_table(heads, &rows));
    lines
}

fn warmup(run: &Run) -> Option<String> {
    let transactions = run.warmup_transactions.filter(|count| *count > 0)?;
    Some(format!(
        "The {transactions} transactions of the warm-up are not in the figures."
    ))
}

/// The retries of transactions that had not succeeded when the run's time was over.
pub fn cut_off(run: &Run, statements: &[Statement]) -> Option<String> {
    let is_complete = run.has_totals && run.spec.results.is_none();
    let counted = run.retries.filter(|_| is_complete)?;
    let retries = statements.iter().filter_map(|command| command.retries);
    let cut_off = retries.sum::<i64>() - counted;
    (cut_off > 0).then(|| {
        format!(
            "Retries of transactions that had not succeeded when the run ended: {cut_off}. As in pgbench, these transactions count as nothing."
        )
    })
}

/// How well the mean is known, where the run was to end with that.
fn precision(facts: &Facts) -> Vec<String> {
    let metrics = &mut facts.metrics.iter();
    let known = metrics.find(|metric| metric.metric == TPS_PRECISION);
    let sentence = precision::sentence(&facts.run, known.and_then(|metric| metric.value));
    sentence.map_or_else(Vec::new, |sentence| wrap(&sentence, WIDTH))
}

/// What became of the caches before the run, where it asked for that.
fn caches(facts: &[CacheFact]) -> Vec<String> {
    let fact = |name: &str| facts.iter().find(|fact| fact.name == name);
    let bytes_of = |name: &str| fact(name)?.value.as_ref()?.parse::<i64>().ok();
    let Some(mode) = fact("caches") else {
        return Vec::new();
    };
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
    wrap(&format!("{text}."), WIDTH)
}

fn percentiles(run: &Run) -> Vec<String> {
    let values = [
        run.latency_p50_ms,
        run.latency_p90_ms,
        run.latency_p95_ms,
        run.latency_p99_ms,
        run.latency_p999_ms,
        run.latency_p9999_ms,
        run.latency_max_ms,
    ];
    if values.iter().all(Option::is_none) {
        return Vec::new();
    }
    let heads = ["p50", "p90", "p95", "p99", "p99.9", "p99.99", "max"];
    let mut lines = vec![
        String::new(),
        "latency percentiles in milliseconds:".to_owned(),
    ];
    lines.extend(narrow_table(heads, &[values.map(milliseconds)]));
    lines
}

/// Where the time of the average transaction went; `-` where there was nothing of the kind, such as a schedule.
fn time_split(run: &Run) -> Vec<String> {
    if run.execute_ms.is_none() {
        return Vec::new();
    }
    let heads = ["parse", "plan", "execute", "commit", "lag", "retries"];
    let values = [
        run.parse_ms,
        run.plan_ms,
        run.execute_ms,
        run.commit_ms,
        run.lag_avg_ms,
        run.retry_ms,
    ];
    let mut lines = vec![
        String::new(),
        "milliseconds of the average transaction:".to_owned(),
    ];
    lines.extend(narrow_table(heads, &[values.map(milliseconds)]));
    lines
}

/// SQL statements only: meta-commands touch neither blocks nor WAL. Each above its figures; otherwise the lines would
/// be too long.
fn per_statement(facts: &Facts) -> Vec<String> {
    // Of pgbench's output no more is known of them than is above.
    let is_known = |command: &&Statement| command.is_sql && command.calls.is_some();
    let statements = || facts.statements.iter().filter(is_known);
    let rows: Vec<_> = statements()
        .map(|s| {
            let by_call = |total, places| per_call(total, s.calls.unwrap_or(0), places);
            [
                s.calls
                    .map_or_else(|| "-".to_owned(), |calls| calls.to_string()),
                milliseconds(s.latency_avg_ms),
                milliseconds(s.latency_p95_ms),
                milliseconds(s.latency_p99_ms),
                by_call(s.rows, 2),
                by_call(s.shared_blks_hit, 2),
                by_call(s.shared_blks_read, 3),
                by_call(s.shared_blks_dirtied, 3),
                by_call(s.wal_bytes, 1),
                // The last column is aligned to the left.
                String::new(),
            ]
        })
        .collect();
    if rows.is_empty() {
        return Vec::new();
    }
    let heads = [
        "calls",
        "avg ms",
        "p95 ms",
        "p99 ms",
        "rows",
        "hit",
        "read",
        "dirtied",
        "WAL bytes",
        "",
    ];
    let mut figures = narrow_table(heads, &rows).into_iter();
    let mut lines = vec![
        String::new(),
        "statements (rows, blocks hit, read and dirtied, and WAL bytes are per call):".to_owned(),
    ];
    lines.extend(figures.next().map(|heads| heads.trim_end().to_owned()));
    for (statement, figures) in statements().zip(figures) {
        let text = one_line(&statement.statement, WIDTH - INDENT.len());
        lines.push(format!("{INDENT}{text}"));
        lines.push(figures.trim_end().to_owned());
    }
    lines
}

fn wal(run: &Run, transactions: i64) -> Vec<String> {
    let Some(total) = run.wal_bytes else {
        return Vec::new();
    };
    let mut line = format!(
        "WAL per transaction: {} bytes",
        decimals(run.wal_bytes_per_tx, 1)
    );
    if run.wal_records.is_some() {
        line += &format!(", {} records", per_call(run.wal_records, transactions, 2));
    }
    if run.wal_fpi.is_some() {
        line += &format!(
            ", {} full-page images",
            per_call(run.wal_fpi, transactions, 3)
        );
    }
    vec![line, format!("WAL in total: {}", bytes(total as f64))]
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
pub fn footprint(run: &Run) -> Vec<String> {
    let own: Vec<String> = [
        run.own_history_bytes
            .map(|size| format!("{} of history", bytes(size as f64))),
        run.own_wal_bytes
            .map(|size| format!("{} of WAL", bytes(size as f64))),
        run.own_xids.map(|count| format!("{count} transaction ids")),
    ]
    .into_iter()
    .flatten()
    .collect();
    let mut lines = Vec::new();
    if let Some(growth) = run.database_growth_bytes {
        lines.push(format!(
            "database growth: {} (without pgperf's own)",
            bytes(growth as f64)
        ));
    }
    if let Some(reason) = &run.unknown_because {
        lines.push(reason.clone());
    }
    if !own.is_empty() {
        lines.push(format!(
            "pgperf's own footprint, not in these figures: {}",
            own.join(", ")
        ));
    }
    lines
}
