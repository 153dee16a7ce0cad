//! sysbench 0.4 to 1.1: lines of `--report-interval`, `--histogram`, and the figures at the end.
//!
//! A thread is a client, and an event a transaction. An error that sysbench ignores (0.4: a deadlock) is a transaction that failed,
//! which it does again.

mod line;
mod value;

use crate::facts::Run;
use crate::numbers::{count, decimal, leading_count, small, with_unit};
use crate::{Format, ReadError, Reader};
use line::Line;
use measure::{COUNTERS, Histogram, Latency, index_of};
use value::{counted, is_chatter, milliseconds, pair, per_second, percent, percentile, rate};

/// Whether only sysbench prints such a line.
pub(crate) fn claims(line: &str) -> bool {
    const LINES: [&str; 6] = [
        "OLTP test statistics:",
        "SQL statistics:",
        "General statistics:",
        "Test execution summary:",
        "Threads fairness:",
        "Latency (ms):",
    ];
    LINES.contains(&line) || line.starts_with("sysbench ") || Line::read(line).is_some()
}

/// Reads sysbench's output.
#[derive(Default)]
pub(crate) struct Output {
    done: Vec<Run>,
    block: Block,
    without_result: usize,
}

struct Block {
    run: Run,
    events: Option<u64>,
    /// As printed, of the transactions.
    tps: Option<f64>,
    total_s: Option<f64>,
    lines: Vec<Line>,
    histogram: Option<Histogram>,
    /// With a rate: the longest queue of events that wait, and the most that were at work.
    queue: Option<(u64, u64)>,
    /// The last figures were printed.
    finished: bool,
}

impl Default for Block {
    fn default() -> Block {
        Block {
            run: Run::new(Format::Sysbench),
            events: None,
            tps: None,
            total_s: None,
            lines: Vec::new(),
            histogram: None,
            queue: None,
            finished: false,
        }
    }
}

impl Reader for Output {
    fn line(&mut self, line: &str) -> bool {
        let line = line.trim();
        if line.is_empty() {
            return true;
        }
        if let Some(read) = Line::read(line) {
            let block = self.begin();
            let is_later = block
                .lines
                .last()
                .is_none_or(|last| last.end_s < read.end_s);
            if is_later && block.lines.len() < MOST_LINES {
                block.lines.push(read);
                return true;
            }
            return false;
        }
        self.block.queue(line)
            || self.parameter(line)
            || self.block.figure(line)
            || is_chatter(line)
    }

    fn finish(mut self: Box<Self>) -> Result<(Vec<Run>, Vec<String>), ReadError> {
        self.end_block();
        let mut notes = Vec::new();
        if self.without_result > 0 && !self.done.is_empty() {
            let runs = self.without_result;
            notes.push(format!("{runs} more began, without a result"));
        }
        Ok((self.done, notes))
    }
}

/// The most intervals that are kept.
const MOST_LINES: usize = 1_000_000;

impl Output {
    fn begin(&mut self) -> &mut Block {
        if self.block.finished {
            self.end_block();
        }
        &mut self.block
    }

    fn end_block(&mut self) {
        let mut block = std::mem::take(&mut self.block);
        let began = block.run.program_version.is_some() || block.run.clients.is_some();
        if block.events.is_some()
            || block.run.totals.transactions.is_some()
            || !block.lines.is_empty()
        {
            block.complete();
            self.done.push(block.run);
        } else if began {
            self.without_result += 1;
        }
    }

    /// What stands before a run.
    fn parameter(&mut self, line: &str) -> bool {
        if let Some(version) = line.strip_prefix("sysbench ") {
            let word = version.split_whitespace().next().unwrap_or_default();
            let version = word.trim_end_matches(':').to_owned();
            let is_version = version.starts_with(|c: char| c.is_ascii_digit());
            if is_version {
                self.begin().run.program_version = Some(version);
            }
            // Otherwise it is the call, with its options.
            return is_version;
        }
        if let Some(threads) = line.strip_prefix("Number of threads: ") {
            let threads = small(threads);
            let run = &mut self.begin().run;
            (run.clients, run.threads) = (threads, threads);
            return threads.is_some();
        }
        if let Some(rate) = line.strip_prefix("Target transaction rate: ") {
            let rate = rate.strip_suffix("/sec").and_then(decimal);
            self.begin().run.rate = rate;
            return rate.is_some();
        }
        // 0.4 names its mixes; the workloads of later versions are in the call alone.
        if let Some(test) = line.strip_prefix("Running ")
            && let Some(test) = test.strip_suffix(" OLTP test")
        {
            self.begin().run.workload = Some(format!("{test} OLTP"));
            return true;
        }
        if let Some(test) = line.strip_prefix("Doing ")
            && let Some(test) = test.trim_end_matches('.').strip_suffix(" test")
        {
            let run = &mut self.begin().run;
            if test != "OLTP" {
                let before = run.workload.as_ref();
                let before = before.map_or_else(String::new, |before| format!("{before}, "));
                run.workload = Some(format!("{before}{test}"));
            }
            return true;
        }
        false
    }
}

impl Block {
    /// `[ 1s ] queue length: 0, concurrency: 0`, beside the line of the interval.
    fn queue(&mut self, line: &str) -> bool {
        let Some((_, rest)) = line.split_once("queue length: ") else {
            return false;
        };
        let numbers = rest.split_once(", concurrency: ");
        let numbers = numbers.and_then(|(queue, work)| Some((count(queue)?, count(work)?)));
        let Some((queue, work)) = numbers else {
            return false;
        };
        let longest = self.queue.unwrap_or_default();
        self.queue = Some((queue.max(longest.0), work.max(longest.1)));
        true
    }

    /// `name:   value`, and the bars of a histogram.
    fn figure(&mut self, line: &str) -> bool {
        if let Some((value, bar)) = line.split_once('|') {
            return self.bar(value, bar);
        }
        let Some((name, value)) = line.split_once(':') else {
            return false;
        };
        let value = value.trim();
        let run = &mut self.run;
        let totals = &mut run.totals;
        let outcomes = &mut totals.outcomes;
        match name {
            "read" => counted(run, "queries_read", value),
            "write" => counted(run, "queries_write", value),
            "other" => counted(run, "queries_other", value),
            "total" => counted(run, "queries", value),
            "transactions" => {
                totals.transactions = leading_count(value);
                self.tps = rate(value);
                totals.transactions.is_some()
            }
            // The same counts again, as rates.
            "queries" => per_second(run, "queries_per_second", value),
            "read/write requests" => per_second(run, "read_write_requests_per_second", value),
            "other operations" => per_second(run, "other_operations_per_second", value),
            "ignored errors" => {
                outcomes.failed = leading_count(value);
                outcomes.failed.is_some()
            }
            "deadlocks" => {
                outcomes.failed = leading_count(value);
                outcomes.deadlock_failures = outcomes.failed;
                outcomes.failed.is_some()
            }
            "reconnects" => {
                totals.reconnects = leading_count(value);
                totals.reconnects.is_some()
            }
            "events/s (eps)" => {
                self.tps = decimal(value);
                self.tps.is_some()
            }
            "total time" | "time elapsed" => {
                self.total_s = with_unit(value, "s");
                self.total_s.is_some()
            }
            "total number of events" => {
                self.events = count(value);
                self.events.is_some()
            }
            "total time taken by event execution" => {
                let seconds = with_unit(value, "s").or_else(|| decimal(value));
                run.figure_if_any("latency_sum_ms", seconds.map(|s| s * 1e3), "ms")
            }
            "sum" => run.figure_if_any("latency_sum_ms", decimal(value), "ms"),
            "min" => run.figure_if_any("latency_min_ms", milliseconds(value), "ms"),
            "avg" => {
                totals.latency.latency_avg_ms = milliseconds(value);
                totals.latency.latency_avg_ms.is_some()
            }
            "max" => {
                totals.latency.latency_max_ms = milliseconds(value);
                totals.latency.latency_max_ms.is_some()
            }
            "events (avg/stddev)" => pair(
                run,
                ["client_transactions_avg", "client_transactions_stddev"],
                value,
                "count",
            ),
            "execution time (avg/stddev)" => {
                self.finished = true;
                pair(
                    run,
                    ["client_time_avg_s", "client_time_stddev_s"],
                    value,
                    "s",
                )
            }
            _ => match percent(name).zip(milliseconds(value)) {
                Some((percent, ms)) => {
                    let asked = ("percentile".to_owned(), percent.to_string());
                    run.parameters.push(asked);
                    match percentile(&mut totals.latency, percent) {
                        Some(place) => *place = Some(ms),
                        None => run.figure(format!("latency_p{percent}_ms"), ms, "ms"),
                    }
                    true
                }
                None => false,
            },
        }
    }

    /// `0.296 |****      19`: a latency in ms, and how many had it.
    fn bar(&mut self, value: &str, bar: &str) -> bool {
        let number = bar.split_whitespace().last();
        let (Some(ms), Some(number)) = (decimal(value), number.and_then(count)) else {
            return false;
        };
        let index = index_of((ms * 1e6) as u64);
        let counts = (0..COUNTERS).map(|at| if at == index { number } else { 0 });
        let histogram = self.histogram.get_or_insert_default();
        if histogram.count().saturating_add(number) > 1 << 50 {
            return false;
        }
        histogram.add_counts(counts);
        true
    }

    /// Joins what was printed in several places.
    fn complete(&mut self) {
        let run = &mut self.run;
        let totals = &mut run.totals;
        run.complete = self.events.is_some();
        if totals.transactions.is_none() {
            totals.transactions = self.events;
        } else if let Some(events) = self
            .events
            .filter(|events| Some(*events) != totals.transactions)
        {
            run.figure("events", events as f64, "count");
        }
        let totals = &mut run.totals;
        totals.seconds = seconds(totals.transactions, self.tps, self.total_s);
        if let Some(total_s) = self
            .total_s
            .filter(|total_s| Some(*total_s) != totals.seconds)
        {
            run.figure("total_time_s", total_s, "s");
        }
        let totals = &mut run.totals;
        if let Some(histogram) = self.histogram.take() {
            from_histogram(&mut totals.latency, &histogram);
            totals.histogram = Some(histogram);
        }
        if let Some((queue, work)) = self.queue {
            run.figure("queue_length_max", queue as f64, "count");
            run.figure("concurrency_max", work as f64, "count");
        }
        let mut begin = 0.0;
        for line in self.lines.drain(..) {
            let end = line.end_s;
            run.intervals.push(line.interval(begin));
            begin = end;
        }
        run.intervals.retain(|interval| interval.seconds > 0.0);
    }
}

/// The time of which the printed rate is the quotient: sysbench divides by one that it does not print.
fn seconds(transactions: Option<u64>, tps: Option<f64>, total_s: Option<f64>) -> Option<f64> {
    /// Half of the last digit.
    const ROUNDED: f64 = 0.005;
    let (Some(transactions), Some(tps)) = (transactions.map(|count| count as f64), tps) else {
        return total_s;
    };
    let is_quotient =
        total_s.is_some_and(|total_s| (transactions / total_s - tps).abs() <= ROUNDED);
    if is_quotient || tps == 0.0 {
        total_s
    } else {
        Some(transactions / tps)
    }
}

/// Percentiles that were not printed, as exactly as the bars are wide (2 %).
fn from_histogram(latency: &mut Latency, histogram: &Histogram) {
    let max_ms = latency.latency_max_ms;
    let quantile = |q| {
        let ms = histogram.quantile(q)? as f64 / 1e6;
        Some(max_ms.map_or(ms, |max| ms.min(max)))
    };
    for (place, q) in [
        (&mut latency.latency_p50_ms, 0.5),
        (&mut latency.latency_p90_ms, 0.9),
        (&mut latency.latency_p95_ms, 0.95),
        (&mut latency.latency_p99_ms, 0.99),
        (&mut latency.latency_p999_ms, 0.999),
        (&mut latency.latency_p9999_ms, 0.9999),
    ] {
        *place = place.or_else(|| quantile(q));
    }
}

#[cfg(test)]
mod tests;
