//! HammerDB's output: TPROC-C with the time profile of procedures (`xtprof`, and `etprof` of version 3) and its transaction
//! counter, and TPROC-H.
//!
//! NOPM and TPM are what TPROC-C prints: transactions are not counted one by one. The clients are the virtual users that
//! work, without the one that monitors.

mod counted;

use crate::facts::{Run, Script, Statement};
use crate::numbers::{count, decimal, leading_count, small, with_unit};
use crate::{Format, ReadError, Reader};
use measure::Latency;

/// Whether only HammerDB prints such a line.
pub(crate) fn claims(line: &str) -> bool {
    line.starts_with("HammerDB CLI")
        || line.starts_with(PROCEDURE)
        || line.contains("TEST RESULT : System achieved ")
        || line.starts_with("Vuser ") && line.contains(':')
}

const PROCEDURE: &str = ">>>>> PROC: ";
/// What HammerDB calls the figures below it.
const OF_ALL: [&str; 2] = [">>>>> SUMMARY OF ", ">>>>> COMBINED METRICS"];

/// Reads HammerDB's output.
#[derive(Default)]
pub(crate) struct Output {
    done: Vec<Run>,
    block: ResultBlock,
    has_parts: bool,
}

struct ResultBlock {
    run: Run,
    /// Whether procedures are those of all users; only one user's, if there is no summary.
    of_all: bool,
    /// A procedure's second line is to come.
    in_procedure: bool,
    /// What the transaction counter showed, transactions per minute, and whether that is of the time that is measured.
    counted: Vec<f64>,
    counts: bool,
    /// Whether times of procedures over parts of the run were left out.
    has_parts: bool,
    /// Of TPROC-H, of each user: the geometric mean of his queries, s.
    means: Vec<f64>,
    sets_s: Vec<f64>,
}

impl Default for ResultBlock {
    fn default() -> ResultBlock {
        ResultBlock {
            run: Run::new(Format::Hammerdb),
            of_all: false,
            in_procedure: false,
            counted: Vec::new(),
            counts: true,
            has_parts: false,
            means: Vec::new(),
            sets_s: Vec::new(),
        }
    }
}

impl ResultBlock {
    fn forget_procedures(&mut self) {
        self.run.scripts.clear();
        self.run
            .figures
            .retain(|figure| !figure.name.starts_with("procedure_"));
    }

    fn has_result(&self) -> bool {
        self.run.complete
    }

    fn end(mut self) -> Run {
        let run = &mut self.run;
        if !self.means.is_empty() {
            let logarithms: f64 = self.means.iter().map(|mean| mean.ln()).sum();
            let mean = (logarithms / self.means.len() as f64).exp();
            run.figure("geometric_mean_s", mean, "s");
            run.clients = run.clients.or(u64::try_from(self.means.len()).ok());
        }
        let lowest = self.counted.iter().copied().reduce(f64::min);
        let highest = self.counted.iter().copied().reduce(f64::max);
        if let (Some(lowest), Some(highest)) = (lowest, highest) {
            let mean = self.counted.iter().sum::<f64>() / self.counted.len() as f64;
            for (name, value) in [("lowest", lowest), ("highest", highest), ("mean", mean)] {
                run.figure(format!("tpm_{name}"), value, "per minute");
            }
        }
        if let Some(longest) = self.sets_s.iter().copied().reduce(f64::max) {
            run.figure("query_sets_s", longest, "s");
        }
        self.run
    }
}

impl Reader for Output {
    fn line(&mut self, line: &str) -> bool {
        let line = line.trim();
        if line.is_empty() {
            return true;
        }
        let (user, text) = of_user(line);
        self.beginning(text)
            || self.result(text)
            || self.block.counter(text)
            || self.block.profile(text)
            || self.block.table(text)
            || self.block.query(user, text)
            || is_chatter(text)
    }

    fn finish(mut self: Box<Self>) -> Result<(Vec<Run>, Vec<String>), ReadError> {
        self.end_block();
        let note = "the times of procedures over parts of a run are left out".to_owned();
        Ok((
            self.done,
            self.has_parts.then_some(note).into_iter().collect(),
        ))
    }
}

impl Output {
    fn end_block(&mut self) {
        let block = std::mem::take(&mut self.block);
        if block.has_result() {
            self.has_parts |= block.has_parts;
            self.done.push(block.end());
        }
    }

    fn begin(&mut self) -> &mut ResultBlock {
        if self.block.has_result() {
            self.end_block();
        }
        &mut self.block
    }

    fn beginning(&mut self, line: &str) -> bool {
        if let Some(version) = line.strip_prefix("HammerDB CLI v") {
            self.begin().run.program_version = Some(version.to_owned());
            return true;
        }
        if let Some(rest) = line.strip_prefix("Beginning rampup time of ") {
            let minutes = leading_count(rest);
            let parameters = &mut self.begin().run.parameters;
            parameters.extend(minutes.map(|m| ("rampup".to_owned(), format!("{m} min"))));
            return minutes.is_some();
        }
        if let Some(rest) = line.strip_prefix("Timing test period of ") {
            let minutes = leading_count(rest).filter(|minutes| *minutes < 1_000_000);
            let block = self.begin();
            block.run.duration_s = minutes.map(|minutes| minutes as f64 * 60.0);
            // Before that it counted while the caches filled.
            block.counted.clear();
            block.counts = true;
            return minutes.is_some();
        }
        if let Some(version) = line.strip_prefix("DBVersion:") {
            // Since 6.0; NULL: the server was not asked.
            let version = version.split_whitespace().next();
            let known = version.filter(|version| version.starts_with(|c: char| c.is_ascii_digit()));
            self.begin().run.server_version = known.map(str::to_owned);
            return version.is_some();
        }
        if let Some((number, _)) = line.split_once(" Active Virtual Users configured") {
            self.begin().run.clients = small(number);
            return self.block.run.clients.is_some();
        }
        false
    }

    /// `System achieved 1785 NOPM from 4109 PostgreSQL TPM`; before 4.0 `… 4109 PostgreSQL TPM at 1785 NOPM`.
    fn result(&mut self, line: &str) -> bool {
        let Some((_, rest)) = line.split_once("System achieved ") else {
            return false;
        };
        let words: Vec<&str> = rest.split_whitespace().collect();
        let before = |word: &str, back: usize| {
            let place = words.iter().position(|other| *other == word)?;
            count(words.get(place.checked_sub(back)?)?)
        };
        let nopm = before("NOPM", 1);
        // The name of the database, of one word or two, stands between.
        let tpm = (2..=3)
            .find_map(|back| before("TPM", back))
            .or(before("TPM", 1));
        let (Some(nopm), Some(tpm)) = (nopm, tpm) else {
            return false;
        };
        if self.block.has_result() {
            let users = self.block.run.clients;
            self.end_block();
            self.block.run.clients = users;
        }
        let run = &mut self.block.run;
        run.figure("nopm", nopm as f64, "per minute");
        run.figure("tpm", tpm as f64, "per minute");
        run.workload = Some("TPROC-C".to_owned());
        run.complete = true;
        true
    }
}

impl ResultBlock {
    /// The times of procedures.
    fn profile(&mut self, line: &str) -> bool {
        if OF_ALL.iter().any(|start| line.starts_with(start)) {
            // Those before were of one user each.
            self.forget_procedures();
            self.of_all = true;
            return true;
        }
        if line.starts_with(">>>>> VIRTUAL USER ") {
            if !self.of_all {
                self.forget_procedures();
            }
            self.in_procedure = false;
            return true;
        }
        if let Some(name) = line.strip_prefix(PROCEDURE) {
            self.in_procedure = true;
            self.run.scripts.push(Script {
                name: name.trim().to_owned(),
                ..Script::default()
            });
            return true;
        }
        if line.starts_with("+-+-") {
            self.in_procedure = false;
            return true;
        }
        let is_profile = line.starts_with("CALLS: ") || line.starts_with("P99: ");
        let script = self.run.scripts.last_mut().filter(|_| self.in_procedure);
        let Some(script) = script.filter(|_| is_profile) else {
            return false;
        };
        let mut extra = Vec::new();
        let words: Vec<&str> = line.split_whitespace().collect();
        let is_read = words.chunks(2).all(|pair| match pair {
            [name, value] => procedure_figure(script, name, value, &mut extra),
            _ => false,
        });
        let name = script.name.clone();
        for (metric, value, unit) in extra {
            self.run.figure(format!("{metric}.{name}"), value, unit);
        }
        is_read
    }

    /// TPROC-H.
    fn query(&mut self, user: usize, line: &str) -> bool {
        if let Some(rest) = line.strip_prefix("query ")
            && let Some((number, rest)) = rest.split_once(" completed in ")
        {
            let seconds = rest.strip_suffix(" seconds").and_then(decimal);
            let (Some(number), Some(seconds)) = (count(number), seconds) else {
                return false;
            };
            let mut statement = Statement {
                script_no: user,
                script: Some(format!("virtual user {user}")),
                text: format!("query {number}"),
                calls: Some(1),
                ..Statement::default()
            };
            statement.latency.latency_avg_ms = Some(seconds * 1e3);
            self.run.statements.push(statement);
            return true;
        }
        if let Some(rest) = line.strip_prefix("Completed ")
            && let Some((sets, rest)) = rest.split_once(" query set(s) in ")
        {
            let seconds = rest.strip_suffix(" seconds").and_then(decimal);
            self.sets_s.extend(seconds);
            return count(sets).is_some() && seconds.is_some();
        }
        if let Some(rest) = line.strip_prefix("Geometric mean of query times returning rows (") {
            let mean = rest.split_once(") is ").and_then(|(_, mean)| decimal(mean));
            let Some(mean) = mean.filter(|mean| *mean > 0.0) else {
                return false;
            };
            self.means.push(mean);
            self.run.workload = Some("TPROC-H".to_owned());
            self.run.complete = true;
            return true;
        }
        false
    }
}

/// `CALLS:` and `34794`, and so on.
fn procedure_figure(
    script: &mut Script,
    name: &str,
    value: &str,
    extra: &mut Vec<(&'static str, f64, &'static str)>,
) -> bool {
    let ms = with_unit(value, "ms");
    let Latency {
        latency_avg_ms,
        latency_stddev_ms,
        latency_p50_ms,
        latency_p95_ms,
        latency_p99_ms,
        latency_max_ms,
        ..
    } = &mut script.latency;
    let place = match name {
        "CALLS:" => {
            script.transactions = count(value);
            return script.transactions.is_some();
        }
        "RATIO:" => {
            let percent = with_unit(value, "%");
            extra.extend(percent.map(|percent| ("procedure_time_percent", percent, "%")));
            return percent.is_some();
        }
        // Until 4 without a unit, in µs.
        "SD:" => {
            *latency_stddev_ms = ms.or_else(|| Some(decimal(value)? / 1e3));
            return latency_stddev_ms.is_some();
        }
        "MIN:" | "TOTAL:" | "P25:" | "P75:" => {
            let metric = match name {
                "MIN:" => "procedure_min_ms",
                "TOTAL:" => "procedure_total_ms",
                "P25:" => "procedure_p25_ms",
                _ => "procedure_p75_ms",
            };
            extra.extend(ms.map(|ms| (metric, ms, "ms")));
            return ms.is_some();
        }
        "AVG:" => latency_avg_ms,
        "MAX:" => latency_max_ms,
        "P50:" => latency_p50_ms,
        "P95:" => latency_p95_ms,
        "P99:" => latency_p99_ms,
        _ => return false,
    };
    *place = ms;
    ms.is_some()
}

/// `Vuser 1:` before a line: which user, and what he says.
fn of_user(line: &str) -> (usize, &str) {
    let of = |line: &'_ str| -> Option<(usize, usize)> {
        let (number, _) = line.strip_prefix("Vuser ")?.split_once(':')?;
        let user = number.parse().ok().filter(|user| *user < 100_000)?;
        Some((user, "Vuser :".len() + number.len()))
    };
    match of(line) {
        Some((user, at)) => (user, line.get(at..).unwrap_or_default().trim()),
        None => (0, line),
    }
}

/// Lines without a figure.
fn is_chatter(line: &str) -> bool {
    const STARTS: [&str; 51] = [
        "RUNNING",
        "FINISHED SUCCESS",
        "Rampup",
        "Test complete",
        "Calling ",
        "Processing ",
        "Gathering timing data",
        "Calculating timings",
        "Writing timing data",
        "Executing Query",
        "New Sales refresh",
        "Old Sales refresh",
        "Completed ",
        "Timer: ",
        "Copyright (C)",
        "Type \"help\"",
        "Initialized ",
        "The xml is well-formed",
        "Database set to",
        "Benchmark set to",
        "Clearing Script",
        "Script cleared",
        "Script loaded",
        "Changed ",
        "Value ",
        "Setting ",
        "SETTING CONFIGURATION",
        "SEQUENCE STARTED",
        "Logging activated",
        "to ",
        "Hammerdb Log",
        "HammerDB Log",
        "Unique ",
        "Virtual Users ",
        "Vuser ",
        "ALL VIRTUAL USERS COMPLETE",
        "vudestroy success",
        "runtimer returned",
        "PostgreSQL TPROC-C: ",
        "Checkpoint and Vacuum",
        "Start Snapshot ",
        "End Snapshot ",
        "Verifying the scale factor",
        "Long Running Queries ",
        "TPROC-C Driver Script",
        "TPROC-H Driver Script",
        "Benchmark Run jobid",
        "Transaction Counter ",
        "Stopping Transaction Counter",
        "Hammerdb Transaction Counter Log",
        "HammerDB Transaction Counter Log",
    ];
    const ENDS: [&str; 4] = [
        "...,",
        "Virtual Users Created",
        "with Monitor VU",
        "VU TEST",
    ];
    STARTS.iter().any(|start| line.starts_with(start))
        || ENDS.iter().any(|end| line.ends_with(end))
        || line.starts_with(['+', '-', '=', '*']) && !line.contains(' ')
}

#[cfg(test)]
mod tests;
