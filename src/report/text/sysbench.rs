//! A run in the words and formats of sysbench 1.0.20, so that programs that read sysbench's output can read this.
//!
//! Statements are counted as sysbench counts queries: a statement that returns rows is a read, one that has changed rows is a
//! write, and any other is neither. A statement of sysbench changes at most one row. So the number of writes is the number of
//! changed rows.
//!
//! An event is a transaction. If the run has the metric `events`, a transaction has several events, and all but one of them
//! take no time.

use crate::report::stored_run::{Facts, Run, Statement};

/// The column where the figures of latencies end.
const LATENCY_END: usize = 53;
/// The column where counts begin.
const COUNT_START: usize = 41;

/// The lines; of a run of other scripts too.
pub fn lines(facts: &Facts) -> Vec<String> {
    let run = &facts.run;
    let seconds = run.duration_s.unwrap_or(0.0);
    let queries = Queries::printed(facts).unwrap_or_else(|| Queries::of(&facts.statements));
    let transactions = run.transactions.unwrap_or(0);
    let events = facts
        .metric("events")
        .map_or(transactions, |events| events as i64);
    let mut lines = vec![
        "SQL statistics:".to_owned(),
        "    queries performed:".to_owned(),
    ];
    for (name, count) in [
        ("read", queries.read),
        ("write", queries.write),
        ("other", queries.other),
        ("total", queries.total()),
    ] {
        lines.push(counted(&format!("        {name}:"), &count.to_string()));
    }
    for (name, count) in [
        ("transactions", events),
        ("queries", queries.total()),
        ("ignored errors", run.outcomes.failed.unwrap_or(0)),
        // What sysbench means by it is a lost connection, not one of `reconnect`.
        (
            "reconnects",
            run.reconnects
                .filter(|_| run.spec.results.is_some())
                .unwrap_or(0),
        ),
    ] {
        let printed = facts.metric(&format!("{name}_per_second"));
        let rate = match printed {
            Some(rate) => rate,
            None if seconds > 0.0 => count as f64 / seconds,
            None => 0.0,
        };
        lines.push(counted(
            &format!("    {name}:"),
            &format!("{count:<6} ({rate:.2} per sec.)"),
        ));
    }
    lines.push(String::new());
    lines.push("General statistics:".to_owned());
    let total = facts.metric("total_time_s").unwrap_or(seconds);
    lines.push(counted("    total time:", &format!("{total:.4}s")));
    lines.push(counted("    total number of events:", &events.to_string()));
    lines.push(String::new());
    lines.extend(latencies(facts, events));
    lines.push(String::new());
    lines.extend(fairness(facts, events));
    lines
}

/// The executions of statements, as sysbench sorts them.
#[derive(Default)]
struct Queries {
    read: i64,
    write: i64,
    other: i64,
}

impl Queries {
    /// As sysbench has printed them, where its results were imported.
    fn printed(facts: &Facts) -> Option<Queries> {
        let count = |name| facts.metric(name).map(|count| count as i64);
        Some(Queries {
            read: count("queries_read")?,
            write: count("queries_write")?,
            other: count("queries_other")?,
        })
    }

    fn of(statements: &[Statement]) -> Queries {
        let mut queries = Queries::default();
        for statement in statements.iter().filter(|statement| statement.is_sql) {
            let calls = statement.calls.unwrap_or(0);
            if is_select(&statement.statement) {
                queries.read += calls;
            } else {
                let write = statement.rows.unwrap_or(0).min(calls);
                queries.write += write;
                queries.other += calls - write;
            }
        }
        queries
    }

    fn total(&self) -> i64 {
        self.read + self.write + self.other
    }
}

fn is_select(statement: &str) -> bool {
    let word = statement.split_whitespace().next().unwrap_or_default();
    ["select", "with", "values", "table"]
        .iter()
        .any(|reading| word.eq_ignore_ascii_case(reading))
}

fn counted(name: &str, value: &str) -> String {
    format!("{name:<COUNT_START$}{value}")
}

fn latencies(facts: &Facts, events: i64) -> Vec<String> {
    let run: &Run = &facts.run;
    let transactions = run.transactions.unwrap_or(0);
    let sum = run
        .latency_avg_ms
        .map(|average| average * transactions as f64);
    let average = sum.map(|sum| sum / events.max(1) as f64);
    let is_rare = |share: f64| (transactions as f64) < share * events as f64;
    let of_most = |share: f64, value| if is_rare(share) { Some(0.0) } else { value };
    let sum = facts.metric("latency_sum_ms").or(sum);
    // Its output has one percentile, the one that was asked for.
    let percentiles = [
        ("95th percentile", run.latency_p95_ms),
        ("99th percentile", run.latency_p99_ms),
        ("90th percentile", run.latency_p90_ms),
        ("50th percentile", run.latency_p50_ms),
    ];
    let asked = run.spec.results.as_ref();
    let asked = asked.and_then(|results| results.parameters.get("percentile")?.as_str());
    let is_asked = |name: &str| asked.is_none_or(|asked| name.starts_with(asked));
    let known = (percentiles.into_iter()).find(|(name, value)| is_asked(name) && value.is_some());
    let (name, percentile) = known.unwrap_or(("95th percentile", None));
    let mut lines = vec!["Latency (ms):".to_owned()];
    for (name, value) in [
        ("min", of_most(1.0, facts.metric("latency_min_ms"))),
        ("avg", average),
        ("max", run.latency_max_ms),
        (name, of_most(0.05, percentile)),
        ("sum", sum),
    ] {
        let name = format!("         {name}:");
        let value = format!("{:.2}", value.unwrap_or(0.0));
        let width = LATENCY_END.saturating_sub(name.len());
        lines.push(format!("{name}{value:>width$}"));
    }
    lines
}

fn fairness(facts: &Facts, events: i64) -> Vec<String> {
    let known = |name| facts.metric(name).unwrap_or(0.0);
    let mean = events as f64 / facts.run.clients.unwrap_or(1).max(1) as f64;
    let of_transaction = events as f64 / facts.run.transactions.unwrap_or(0).max(1) as f64;
    vec![
        "Threads fairness:".to_owned(),
        format!(
            "    events (avg/stddev):           {mean:.4}/{:.2}",
            known("client_transactions_stddev") * of_transaction
        ),
        format!(
            "    execution time (avg/stddev):   {:.4}/{:.2}",
            known("client_time_avg_s"),
            known("client_time_stddev_s")
        ),
    ]
}
