//! The first part of a run's report: the lines that pgbench prints, in its words and formats and
//! under its conditions (pgbench.c, printResults), so that programs that read pgbench's output can read this.
//!
//! Two meanings differ. Each client is a separate worker process, so the number of "threads" is that of the clients. And
//! latency is always measured, never derived from the run's duration.

use super::told;
use crate::report::stored_run::{Facts, Outcomes, Run, Script, Statement};
use crate::report::topics::meta_commands;
use crate::run::request::nodes;
use crate::show::number::percent;
use crate::show::text::count;
use crate::workload::{self, run_data};

pub fn lines(facts: &Facts) -> Vec<String> {
    let run = &facts.run;
    let mut lines = parameters(run);
    let Some(transactions) = run.transactions else {
        if run.spec.results.is_none() {
            lines.push("no transaction was measured".to_owned());
        }
        lines.extend(rates(facts));
        return lines;
    };
    lines.extend(counts(run, transactions));
    // As pgbench: what follows makes no sense if no transaction was executed.
    if transactions + run.outcomes.skipped.unwrap_or(0) > 0 {
        lines.extend(figures(run, transactions));
        lines.extend(rates(facts));
        lines.extend(scripts(facts, transactions));
    }
    lines
}

fn parameters(run: &Run) -> Vec<String> {
    let spec = &run.spec;
    // Of results of another program it may be unknown.
    let workload = Some(&run.workload).filter(|_| spec.results.is_none());
    let threads = match &spec.results {
        None => run.clients,
        Some(results) => results.threads,
    };
    let transport = spec.transport.as_ref().zip(spec.workers);
    let transport =
        transport.map(|(name, workers)| format!("{name} ({})", count(workers, "worker")));
    let servers = match spec.targets.are_several() {
        true => "servers",
        false => "server",
    };
    let per_client = spec.transactions_per_client;
    let seconds = spec.duration_s.filter(|_| per_client.is_none());
    let lines = [
        told(
            "transaction type",
            spec.transaction_type.as_ref().or(workload),
        ),
        told("scaling factor", run.exact_scale()),
        told("options", run_data::describe(&spec.data)),
        told("query mode", run.query_mode.as_ref()),
        told("number of clients", run.clients),
        told("number of threads", threads),
        told("transport", transport),
        told(servers, spec.targets.text()),
        told("nodes", nodes::text(&spec.nodes)),
        told(
            "maximum number of tries",
            spec.max_tries.filter(|tries| *tries != 0),
        ),
        told("number of transactions per client", per_client),
        told("duration", seconds.map(|seconds| format!("{seconds} s"))),
    ];
    lines.into_iter().flatten().collect()
}

fn counts(run: &Run, transactions: i64) -> Vec<String> {
    let per_client = run.spec.transactions_per_client.zip(run.clients);
    let of_all = per_client.map(|(wanted, clients)| wanted.saturating_mul(clients));
    let wanted = run.spec.transactions.or(of_all);
    let of_wanted = wanted.map_or_else(String::new, |wanted| format!("/{wanted}"));
    let mut lines = vec![format!(
        "number of transactions actually processed: {transactions}{of_wanted}"
    )];
    lines.extend(run.outcomes.lines(run, transactions));
    lines
}

impl Outcomes {
    /// Transactions that were due, however they went.
    fn all(&self, transactions: i64) -> i64 {
        transactions + self.skipped.unwrap_or(0) + self.failed.unwrap_or(0)
    }

    /// A line for some of them; None: their number is not known.
    fn of_all(&self, what: &str, count: Option<i64>, transactions: i64) -> Option<String> {
        let count = count?;
        let percent = percent(count, self.all(transactions));
        Some(format!("number of {what}: {count} ({percent:.3}%)"))
    }

    /// The lines of `--failures-detailed` only where there are failures; whether there are any is seen above.
    fn lines(&self, run: &Run, transactions: i64) -> Vec<String> {
        let of_all = |what, count| self.of_all(what, count, transactions);
        let mut lines = Vec::new();
        lines.extend(of_all("failed transactions", self.failed));
        // Of a run that was interrupted the kinds are not known. pgbench may have printed them although none is above 0.
        let kinds = [
            self.serialization_failures,
            self.deadlock_failures,
            self.other_failures,
        ];
        let of_kinds: i64 = kinds.into_iter().flatten().sum();
        let has_failures = self.failed.is_some_and(|failed| failed > 0);
        let is_printed = run.spec.results.is_some() && self.serialization_failures.is_some();
        if has_failures && self.failed == Some(of_kinds) || is_printed {
            lines.extend(of_all(
                "serialization failures",
                self.serialization_failures,
            ));
            lines.extend(of_all("deadlock failures", self.deadlock_failures));
            let others = self.other_failures.is_some_and(|other| other > 0);
            if run.spec.continue_on_error || is_printed || others {
                lines.extend(of_all("other failures", self.other_failures));
            }
        }
        if run.spec.max_tries.is_some_and(|tries| tries != 1) {
            lines.extend(of_all("transactions retried", self.retried));
            lines.extend(told("total number of retries", self.retries));
        }
        lines
    }

    /// Transactions can be skipped only where both a rate and a limit are given; a rate is not in pgbench's output.
    fn skipped(&self, run: &Run, transactions: i64) -> Option<String> {
        let has_rate = run.spec.rate.is_some() || run.spec.results.is_some();
        (has_rate && run.spec.latency_limit_ms.is_some())
            .then(|| self.of_all("transactions skipped", self.skipped, transactions))
            .flatten()
    }
}

fn figures(run: &Run, transactions: i64) -> Vec<String> {
    let mut lines = Vec::new();
    lines.extend(run.outcomes.skipped(run, transactions));
    if let (Some(limit), Some(late)) = (run.spec.latency_limit_ms, run.late) {
        lines.push(format!(
            "number of transactions above the {limit:.1} ms latency limit: {late}/{transactions} ({:.3}%)",
            percent(late, transactions)
        ));
    }
    lines.extend(latency(run.latency_avg_ms, run.latency_stddev_ms));
    if let (Some(avg), Some(max)) = (run.lag_avg_ms, run.lag_max_ms) {
        let schedule = match run.spec.terminals {
            None => "rate limit schedule".to_owned(),
            Some(terminals) => format!("schedule of {terminals} terminals:"),
        };
        lines.push(format!("{schedule} lag: avg {avg:.3} (max {max:.3}) ms"));
    }
    let (connection, tps) = if run.spec.reconnect.is_some() {
        let average = run
            .reconnect_avg_ms
            .map(|ms| format!("average connection time = {ms:.3} ms"));
        (average, "including reconnection times")
    } else {
        let initial = run
            .connect_ms
            .map(|ms| format!("initial connection time = {ms:.3} ms"));
        (initial, "without initial connection time")
    };
    lines.extend(connection);
    lines.extend(run.tps.map(|value| format!("tps = {value:.6} ({tps})")));
    lines
}

/// The rates that the users of a workload speak of.
fn rates(facts: &Facts) -> impl Iterator<Item = String> {
    let rates = facts.metrics.iter().filter(|metric| metric.is_rate());
    rates.filter_map(|metric| {
        let value = metric.value?;
        Some(format!("{} = {value:.6} ({})", metric.metric, metric.unit))
    })
}

fn latency(avg_ms: Option<f64>, stddev_ms: Option<f64>) -> impl Iterator<Item = String> {
    let avg = avg_ms.map(|ms| format!("latency average = {ms:.3} ms"));
    let stddev = stddev_ms.map(|ms| format!("latency stddev = {ms:.3} ms"));
    avg.into_iter().chain(stddev)
}

/// Each script's figures, as pgbench prints them of several, and its statements as with `-r`.
fn scripts(facts: &Facts, transactions: i64) -> Vec<String> {
    if facts.scripts.len() < 2 {
        return statement_latencies(&facts.run, &facts.statements);
    }
    let weights = facts.scripts.iter().filter_map(|script| script.weight);
    let total_weight: i64 = weights.sum();
    let mut lines = Vec::new();
    for (number, script) in facts.scripts.iter().enumerate() {
        lines.push(format!("SQL script {}: {}", number + 1, title(script)));
        let mut items = Vec::new();
        items.extend(script.weight.map(|weight| {
            let percent = percent(weight, total_weight);
            format!("weight: {weight} (targets {percent:.1}% of total)")
        }));
        items.extend(script.transactions.map(|of_script| {
            let percent = percent(of_script, transactions);
            let tps = script.tps.map(|tps| format!(", tps = {tps:.6}"));
            let tps = tps.unwrap_or_default();
            format!("{of_script} transactions ({percent:.1}% of total{tps})")
        }));
        let (outcomes, done) = (&script.outcomes, script.transactions.unwrap_or(0));
        items.extend(outcomes.lines(&facts.run, done));
        let skipped = outcomes.skipped(&facts.run, done);
        items.extend(skipped.filter(|_| outcomes.all(done) > 0));
        items.extend(latency(script.latency_avg_ms, script.latency_stddev_ms));
        let mut statements = facts
            .statements
            .chunk_by(|a, b| a.script_no == b.script_no)
            .filter(|statements| statements.first().map(|s| s.script_no) == Some(script.script_no))
            .flat_map(|statements| statement_latencies(&facts.run, statements));
        items.extend(statements.next());
        lines.extend(items.into_iter().map(|item| format!(" - {item}")));
        lines.extend(statements);
    }
    lines
}

/// pgbench's name for a script, which for a built-in one is not its name here.
fn title(script: &Script) -> &str {
    workload::all()
        .find(|workload| workload.name == script.script)
        .map_or(&script.script, |workload| workload.description)
}

/// As `pgbench -r`, meta-commands too; of the generated scripts that pgbench does not have they are one line.
fn statement_latencies(run: &Run, statements: &[Statement]) -> Vec<String> {
    if statements.is_empty() {
        return Vec::new();
    }
    let folded;
    let statements = match is_generated(run) {
        true => {
            folded = meta_commands::folded(statements);
            folded.as_slice()
        }
        false => statements,
    };
    let with_retries = run.spec.max_tries.is_some_and(|tries| tries != 1);
    // Of results of another program failures may be unknown.
    let has_failures = statements.iter().all(|command| command.failed.is_some());
    let columns = match (has_failures, with_retries) {
        (false, _) => "",
        (true, true) => ", failures and retries",
        (true, false) => " and failures",
    };
    let mut lines = vec![format!("statement latencies in milliseconds{columns}:")];
    lines.extend(statements.iter().map(|command| {
        let mut line = format!("   {:11.3}", command.latency_avg_ms.unwrap_or(0.0));
        if has_failures {
            line += &format!("  {:10}", command.failed.unwrap_or(0));
            if with_retries {
                line += &format!("  {:10}", command.retries.unwrap_or(0));
            }
        }
        let text = command.statement.lines().next().unwrap_or_default();
        let share = meta_commands::share(command, statements).filter(|_| !command.is_sql);
        match share.filter(|_| is_generated(run)) {
            Some(share) => format!("{line}  {text}, {share:.1} % of the time"),
            None => format!("{line}  {text}"),
        }
    }));
    lines
}

/// Whether its scripts are those of a family other than pgbench's.
fn is_generated(run: &Run) -> bool {
    let of_pgbench = workload::default().family.name();
    let mut families = run.spec.data.iter().map(|data| data.family.as_str());
    !run.spec.data.is_empty() && families.all(|family| family != of_pgbench)
}
