//! The first part of a run's report: the lines that pgbench prints, in its words and formats and
//! under its conditions (pgbench.c, printResults), so that what reads pgbench's output reads this.
//!
//! Two differences in what stands behind the words: each client is a worker process of its own, so the
//! "threads" are as many as the clients; and latency is always measured, never derived from the run's time.

use crate::report::facts::{Facts, Run, Statement};
use crate::report::format::percent;

pub fn lines(facts: &Facts) -> Vec<String> {
    let run = &facts.run;
    let mut lines = parameters(run);
    let Some(transactions) = run.transactions else {
        lines.push("no transaction was measured".to_owned());
        return lines;
    };
    lines.extend(counts(run, transactions));
    // As pgbench: what follows makes no sense if no transaction was executed.
    if transactions + run.skipped.unwrap_or(0) > 0 {
        lines.extend(figures(run, transactions));
        lines.extend(statement_latencies(&facts.statements));
    }
    lines
}

fn parameters(run: &Run) -> Vec<String> {
    let transaction_type = run.spec.transaction_type.as_ref().unwrap_or(&run.workload);
    let mut lines = vec![format!("transaction type: {transaction_type}")];
    lines.extend(run.scale.map(|scale| format!("scaling factor: {scale}")));
    lines.push(format!("query mode: {}", run.query_mode));
    lines.push(format!("number of clients: {}", run.clients));
    lines.push(format!("number of threads: {}", run.clients));
    let max_tries = run.spec.max_tries.filter(|tries| *tries != 0);
    lines.extend(max_tries.map(|tries| format!("maximum number of tries: {tries}")));
    if let Some(wanted) = run.spec.transactions_per_client {
        lines.push(format!("number of transactions per client: {wanted}"));
    } else if let Some(duration) = run.spec.duration_s {
        lines.push(format!("duration: {duration} s"));
    }
    lines
}

fn counts(run: &Run, transactions: i64) -> Vec<String> {
    let failed = run.failed.unwrap_or(0);
    let all = attempts(run, transactions);
    let of_wanted = run
        .spec
        .transactions_per_client
        .map_or_else(String::new, |wanted| {
            format!("/{}", wanted.saturating_mul(run.clients))
        });
    let mut lines = vec![
        format!("number of transactions actually processed: {transactions}{of_wanted}"),
        format!(
            "number of failed transactions: {failed} ({:.3}%)",
            percent(failed, all)
        ),
    ];
    if run.spec.max_tries.is_some_and(|tries| tries != 1) {
        let retried = run.retried.unwrap_or(0);
        lines.push(format!(
            "number of transactions retried: {retried} ({:.3}%)",
            percent(retried, all)
        ));
        lines.push(format!(
            "total number of retries: {}",
            run.retries.unwrap_or(0)
        ));
    }
    lines
}

fn figures(run: &Run, transactions: i64) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(limit) = run.spec.latency_limit_ms {
        if run.spec.rate.is_some() {
            let skipped = run.skipped.unwrap_or(0);
            lines.push(format!(
                "number of transactions skipped: {skipped} ({:.3}%)",
                percent(skipped, attempts(run, transactions))
            ));
        }
        let late = run.late.unwrap_or(0);
        lines.push(format!(
            "number of transactions above the {limit:.1} ms latency limit: {late}/{transactions} ({:.3}%)",
            percent(late, transactions)
        ));
    }
    lines.extend(
        run.latency_avg_ms
            .map(|ms| format!("latency average = {ms:.3} ms")),
    );
    lines.extend(
        run.latency_stddev_ms
            .map(|ms| format!("latency stddev = {ms:.3} ms")),
    );
    if let (Some(_), Some(avg), Some(max)) = (run.spec.rate, run.lag_avg_ms, run.lag_max_ms) {
        lines.push(format!(
            "rate limit schedule lag: avg {avg:.3} (max {max:.3}) ms"
        ));
    }
    lines.extend(
        run.connect_ms
            .map(|ms| format!("initial connection time = {ms:.3} ms")),
    );
    lines.extend(
        run.tps
            .map(|tps| format!("tps = {tps:.6} (without initial connection time)")),
    );
    lines
}

/// As `pgbench -r`, meta-commands too.
fn statement_latencies(statements: &[Statement]) -> Vec<String> {
    const HEAD: &str = "statement latencies in milliseconds and failures:";
    let several = statements.first().map(|s| s.script_no) != statements.last().map(|s| s.script_no);
    let mut lines = Vec::new();
    for (number, script) in statements
        .chunk_by(|a, b| a.script_no == b.script_no)
        .enumerate()
    {
        if several {
            lines.push(format!("SQL script {}: {}", number + 1, script[0].script));
            lines.push(format!(" - {HEAD}"));
        } else {
            lines.push(HEAD.to_owned());
        }
        lines.extend(script.iter().map(|command| {
            format!(
                "   {:11.3}  {:10}  {}",
                command.latency_avg_ms.unwrap_or(0.0),
                command.failed,
                command.statement.lines().next().unwrap_or_default()
            )
        }));
    }
    lines
}

/// Transactions that were due, however they went.
fn attempts(run: &Run, transactions: i64) -> i64 {
    transactions + run.skipped.unwrap_or(0) + run.failed.unwrap_or(0)
}
