//! pgbench: its output (pgbench.c, printResults and printProgressReport), and its logs (doLog).
//!
//! The output has a block of figures a run, before it lines of progress, behind it scripts and statements. Texts of 9.5
//! and later are read:
//!
//! * 9.5 writes `latency average: 1.0 ms`; 9.6 to 13 print two rates, of which the one without connecting is that of 14
//!   and later;
//! * 15 adds failures and retries; 18 counts in a script's transactions also those that failed, and prints the others on a
//!   line of their own.

mod chatter;
mod log;
mod progress;
mod statements;

use crate::facts::{Outcomes, Run, Script};
use crate::numbers::{count, decimal, leading_count, small};
use crate::{Format, ReadError, Reader};
use log::Log;

const MODES: [&str; 3] = ["simple", "extended", "prepared"];

/// Whether only pgbench prints such a line.
pub(crate) fn claims(line: &str) -> bool {
    const BEGINNINGS: [&str; 6] = [
        "pgbench (",
        "progress: ",
        "transaction type: ",
        "number of transactions actually processed: ",
        "tps = ",
        "latency average",
    ];
    BEGINNINGS.iter().any(|start| line.starts_with(start)) || log::is_line(line)
}

/// Where in the block of a run the next line stands.
#[derive(Debug, Default)]
enum BlockPart {
    #[default]
    Run,
    /// In the last script.
    Script,
    /// Among statements with so many figures each.
    Statements(usize),
}

/// A run that is being read.
#[derive(Debug)]
struct Block {
    run: Run,
    part: BlockPart,
    progress: progress::Progress,
    /// The rate was printed: whatever belongs to the beginning of a run begins another one.
    finished: bool,
    /// Errors besides the first.
    further_errors: u64,
}

impl Default for Block {
    fn default() -> Self {
        Block {
            run: Run::new(Format::Pgbench),
            part: BlockPart::default(),
            progress: progress::Progress::default(),
            finished: false,
            further_errors: 0,
        }
    }
}

/// Reads pgbench's output and logs.
#[derive(Debug, Default)]
pub(crate) struct Output {
    done: Vec<Run>,
    block: Block,
    without_result: usize,
    log: Log,
}

impl Reader for Output {
    fn line(&mut self, line: &str) -> bool {
        let line = line.trim();
        if line.is_empty() {
            return true;
        }
        if line.starts_with(|c: char| c.is_ascii_digit()) {
            return self.statement(line) || self.log.line(line);
        }
        // Items of a script, and of whoever has made a list of the lines.
        let item = line.strip_prefix("- ").unwrap_or(line).trim_start();
        self.beginning(item)
            || self.figure(item)
            || self.script(item)
            || self.rest(item)
            || chatter::is_chatter(item)
    }

    fn finish(mut self: Box<Self>) -> Result<(Vec<Run>, Vec<String>), ReadError> {
        self.end_block();
        let mut notes = Vec::new();
        if self.without_result > 0 && !self.done.is_empty() {
            let runs = self.without_result;
            notes.push(format!("{runs} more began, without a result"));
        }
        if !self.log.is_empty() {
            match self.done.as_mut_slice() {
                [] => {
                    let mut run = Run::new(Format::Pgbench);
                    self.log.into_run(&mut run, &mut notes);
                    self.done.push(run);
                }
                [run] => self.log.into_run(run, &mut notes),
                runs => return Err(ReadError::LogOfWhich(runs.len())),
            }
        }
        Ok((self.done, notes))
    }
}

impl Output {
    fn end_block(&mut self) {
        let mut block = std::mem::take(&mut self.block);
        let intervals = block.progress.finish(&mut block.run);
        let run = &mut block.run;
        run.intervals = intervals;
        if let Some(error) = &mut run.error
            && block.further_errors > 0
        {
            *error += &format!(" (and {} more)", block.further_errors);
        }
        let begun = run.workload.is_some() || run.clients.is_some() || run.error.is_some();
        if run.complete || !run.intervals.is_empty() {
            self.done.push(block.run);
        } else if begun {
            self.without_result += 1;
        }
    }

    /// The block that a line of the beginning of a run belongs to.
    fn begin(&mut self) -> &mut Block {
        if self.block.finished {
            self.end_block();
        }
        &mut self.block
    }

    /// Lines before the figures of a run.
    fn beginning(&mut self, line: &str) -> bool {
        if let Some(report) = line.strip_prefix("progress: ") {
            return self.begin().progress.line(report);
        }
        if let Some(versions) = line.strip_prefix("pgbench (") {
            let versions = versions.strip_suffix(')').unwrap_or(versions);
            let run = &mut self.begin().run;
            let (own, server) = match versions.split_once(", server ") {
                Some((own, server)) => (own, server),
                // Printed only where it differs, but packagers add words of their own.
                None => (versions, number_of(versions)),
            };
            run.program_version = Some(own.to_owned());
            run.server_version = Some(server.to_owned());
            return true;
        }
        if line.starts_with("starting vacuum") {
            self.begin();
            return true;
        }
        let Some((name, value)) = line.split_once(": ") else {
            return false;
        };
        let value = value.trim();
        let text = || Some(value.to_owned());
        match name {
            "transaction type" => self.begin().run.workload = text(),
            "query mode" if MODES.contains(&value) => self.begin().run.query_mode = text(),
            "scaling factor" => return set(&mut self.begin().run.scale, small(value)),
            "number of clients" => return set(&mut self.begin().run.clients, small(value)),
            "number of threads" => return set(&mut self.begin().run.threads, small(value)),
            "maximum number of tries" => {
                return set(&mut self.begin().run.max_tries, count(value));
            }
            "number of transactions per client" => {
                return set(&mut self.begin().run.transactions_per_client, count(value));
            }
            "duration" => {
                let seconds = value.strip_suffix(" s").and_then(count);
                let seconds = seconds.map(|seconds| seconds as f64);
                return set(&mut self.begin().run.duration_s, seconds);
            }
            "partition method" | "partitions" => {
                let name = name.replace(' ', "_");
                let parameter = (name, value.to_owned());
                self.begin().run.parameters.push(parameter);
            }
            _ => return false,
        }
        true
    }

    fn in_script(&self) -> bool {
        !matches!(self.block.part, BlockPart::Run) && !self.block.run.scripts.is_empty()
    }

    /// Figures that a run and a script have alike: what did not go as planned, and latencies.
    fn figure(&mut self, line: &str) -> bool {
        let in_script = self.in_script();
        let run = &mut self.block.run;
        // Of the time of all transactions: it is no mean of those that succeeded.
        if let Some(value) = line.strip_suffix(" (including failures)")
            && let Some(value) = value.strip_prefix("latency average = ")
        {
            return run.figure_if_any("latency_avg_with_failures_ms", milliseconds(value), "ms");
        }
        let (outcomes, latency) = match run.scripts.last_mut() {
            Some(script) if in_script => (&mut script.outcomes, &mut script.latency),
            _ => (&mut run.totals.outcomes, &mut run.totals.latency),
        };
        if let Some((name, value)) = line.split_once(": ")
            && let Some(place) = outcome(outcomes, name)
        {
            // 10 repeats that of the run for its only script, where it may be 0 (-nan%).
            return place.is_some() || set(place, leading_count(value));
        }
        if let Some(rest) = line.strip_prefix("number of transactions above the ") {
            let Some((limit, value)) = rest.split_once(" ms latency limit: ") else {
                return false;
            };
            run.latency_limit_ms = decimal(limit);
            return set(&mut outcomes.late, leading_count(value));
        }
        for (name, place) in [
            ("latency average", &mut latency.latency_avg_ms),
            ("latency stddev", &mut latency.latency_stddev_ms),
        ] {
            let rest = line.strip_prefix(name).map(str::trim_start);
            let value = rest.and_then(|rest| rest.strip_prefix(['=', ':']));
            if let Some(value) = value {
                let known = milliseconds(value);
                // 9.5 computes the average from the duration, which a number of transactions has not.
                let is_unknown = known == Some(0.0) && name == "latency average";
                return is_unknown || set(place, known);
            }
        }
        false
    }

    /// A script's name and its own figures.
    fn script(&mut self, line: &str) -> bool {
        let block = &mut self.block;
        if let Some(rest) = line.strip_prefix("SQL script ") {
            let Some((_number, name)) = rest.split_once(": ") else {
                return false;
            };
            block.run.scripts.push(Script {
                name: name.to_owned(),
                ..Script::default()
            });
            block.part = BlockPart::Script;
            return true;
        }
        let Some(script) = block.run.scripts.last_mut() else {
            return false;
        };
        if let Some(weight) = line.strip_prefix("weight: ") {
            let weight = leading_count(weight).filter(|weight| i32::try_from(*weight).is_ok());
            return set(&mut script.weight, weight);
        }
        if let Some(rest) = line.strip_prefix("number of transactions actually processed: ")
            && matches!(block.part, BlockPart::Script)
        {
            script.tps = rate(rest);
            return set(&mut script.transactions, leading_count(rest));
        }
        if let Some((number, rest)) = line.split_once(' ')
            && rest.starts_with("transactions (")
        {
            script.tps = rate(rest);
            return set(&mut script.transactions, count(number));
        }
        false
    }

    /// What only a run has.
    fn rest(&mut self, line: &str) -> bool {
        let block = &mut self.block;
        let run = &mut block.run;
        let totals = &mut run.totals;
        if let Some(value) = line.strip_prefix("number of transactions actually processed: ") {
            totals.transactions = leading_count(value);
            run.complete = totals.transactions.is_some();
            return run.complete;
        }
        if let Some(value) = line.strip_prefix("tps = ") {
            return block.rate(value);
        }
        if let Some(value) = line.strip_prefix("initial connection time = ") {
            return set(&mut totals.connect_ms, milliseconds(value));
        }
        if let Some(value) = line.strip_prefix("average connection time = ") {
            run.reconnects_each_time = true;
            return set(&mut totals.reconnect_avg_ms, milliseconds(value));
        }
        if let Some(value) = line.strip_prefix("rate limit schedule lag: avg ") {
            let Some((average, max)) = value.split_once(" (max ") else {
                return false;
            };
            totals.lag_max_ms = max.split_once(')').and_then(|(max, _)| decimal(max));
            return set(&mut totals.lag_avg_ms, decimal(average));
        }
        if let Some(columns) = line.strip_prefix("statement latencies in milliseconds") {
            let columns = columns.trim_end_matches(':');
            let file = columns
                .strip_prefix(", ")
                .filter(|it| it.starts_with("file "));
            // 9.5 numbers the scripts, and has no more of them.
            run.scripts.extend(file.map(|file| Script {
                name: file.to_owned(),
                ..Script::default()
            }));
            block.part = BlockPart::Statements(match columns {
                "" => 1,
                _ if file.is_some() => 1,
                " and failures" => 2,
                _ => 3,
            });
            return true;
        }
        let error = ["pgbench: error: ", "pgbench: fatal: "]
            .iter()
            .find_map(|prefix| line.strip_prefix(prefix))
            .or_else(|| line.starts_with("Run was aborted").then_some(line));
        if let Some(error) = error {
            // This one ends the run; all others come while it runs.
            let is_end = error.starts_with("Run was aborted");
            let block = if is_end { block } else { self.begin() };
            match &block.run.error {
                None => block.run.error = Some(error.to_owned()),
                Some(_) if is_end => {}
                Some(_) => block.further_errors += 1,
            }
            return true;
        }
        if let Some(seed) = line.split("setting random seed to ").nth(1) {
            let parameter = ("random_seed".to_owned(), seed.to_owned());
            self.begin().run.parameters.push(parameter);
            return true;
        }
        false
    }

    fn statement(&mut self, line: &str) -> bool {
        let BlockPart::Statements(columns) = self.block.part else {
            return false;
        };
        let run = &mut self.block.run;
        let Some(mut statement) = statements::read(line, columns) else {
            return false;
        };
        statement.script_no = run.scripts.len().saturating_sub(1);
        statement.script = run.scripts.last().map(|script| script.name.clone());
        run.statements.push(statement);
        true
    }
}

impl Block {
    /// `… (including connections establishing)`, and more such words.
    fn rate(&mut self, value: &str) -> bool {
        let Some(tps) = leading_decimal(value) else {
            return false;
        };
        let run = &mut self.run;
        self.finished = true;
        if value.contains("including connections establishing") {
            run.figure("tps_including_connections", tps, "per second");
            if run.totals.seconds.is_some() {
                return true;
            }
        }
        run.complete = true;
        let transactions = run.totals.transactions.map(|count| count as f64);
        // The elapsed time itself is not printed.
        run.totals.seconds = match transactions {
            Some(transactions) if tps > 0.0 => Some(transactions / tps),
            Some(_) => run.duration_s,
            // A part of the output: the rate is all that is known.
            None => {
                run.figure("tps_printed", tps, "per second");
                None
            }
        };
        true
    }
}

/// Whether there is a value, which then has its place.
fn set<T>(place: &mut Option<T>, value: Option<T>) -> bool {
    *place = value;
    place.is_some()
}

/// The place of a count with that name.
fn outcome<'a>(outcomes: &'a mut Outcomes, name: &str) -> Option<&'a mut Option<u64>> {
    Some(match name {
        "number of failed transactions" => &mut outcomes.failed,
        "number of serialization failures" => &mut outcomes.serialization_failures,
        "number of deadlock failures" => &mut outcomes.deadlock_failures,
        "number of other failures" => &mut outcomes.other_failures,
        "number of transactions retried" => &mut outcomes.retried,
        "total number of retries" => &mut outcomes.retries,
        "number of transactions skipped" => &mut outcomes.skipped,
        _ => return None,
    })
}

/// `0.613 ms`, with or without words behind it.
fn milliseconds(value: &str) -> Option<f64> {
    let (number, rest) = value.trim().split_once(' ')?;
    rest.starts_with("ms").then(|| decimal(number)).flatten()
}

fn leading_decimal(value: &str) -> Option<f64> {
    decimal(value.split_whitespace().next()?)
}

/// `… tps = 34.609800)`.
fn rate(rest: &str) -> Option<f64> {
    let (_, value) = rest.split_once("tps = ")?;
    decimal(value.trim_end_matches(')'))
}

/// A version without what packagers write behind it: "15.20 (Debian 15.20-0)".
fn number_of(version: &str) -> &str {
    version.split_whitespace().next().unwrap_or(version)
}

#[cfg(test)]
mod tests;
