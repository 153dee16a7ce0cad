//! All that is known of a run, as lines: tests compare them, so that they miss no figure.

use crate::facts::{Interval, Outcomes, Run, Script, Statement};
use crate::{Format, Reading, read};
use measure::Latency;
use std::fmt::Debug;

/// Reads a fixture, of which every line has to be understood.
pub fn fixture(text: &str, format: Format) -> Reading {
    let reading = read(text, None, &mut || {}).unwrap();
    assert_eq!(reading.unread, crate::Unread::default());
    assert_eq!(read(text, Some(format), &mut || {}).unwrap(), reading);
    reading
}

#[derive(Default)]
struct Known(Vec<String>);

impl Known {
    fn ms(&mut self, name: &str, value: Option<f64>) {
        self.add(name, value.map(|ms| (ms * 1e6).round() / 1e6));
    }

    fn add<T: Debug>(&mut self, name: &str, value: Option<T>) {
        self.0
            .extend(value.map(|value| format!("{name} {value:?}")));
    }

    fn outcomes(&mut self, outcomes: &Outcomes) {
        self.add("failed", outcomes.failed);
        self.add("serialization", outcomes.serialization_failures);
        self.add("deadlock", outcomes.deadlock_failures);
        self.add("other", outcomes.other_failures);
        self.add("retried", outcomes.retried);
        self.add("retries", outcomes.retries);
        self.add("skipped", outcomes.skipped);
        self.add("late", outcomes.late);
    }

    fn latency(&mut self, latency: &Latency) {
        self.ms("avg", latency.latency_avg_ms);
        self.ms("stddev", latency.latency_stddev_ms);
        self.ms("p50", latency.latency_p50_ms);
        self.ms("p90", latency.latency_p90_ms);
        self.ms("p95", latency.latency_p95_ms);
        self.ms("p99", latency.latency_p99_ms);
        self.ms("p999", latency.latency_p999_ms);
        self.ms("p9999", latency.latency_p9999_ms);
        self.ms("max", latency.latency_max_ms);
    }
}

/// The run itself and its totals.
pub fn run(run: &Run) -> String {
    let mut known = Known::default();
    known.add("program", run.program_version.as_ref());
    known.add("server", run.server_version.as_ref());
    known.add("workload", run.workload.as_ref());
    known.add("clients", run.clients);
    known.add("threads", run.threads);
    known.add("scale", run.scale);
    known.add("query_mode", run.query_mode.as_ref());
    known.add("duration", run.duration_s);
    known.add("per_client", run.transactions_per_client);
    known.add("rate", run.rate);
    known.add("limit", run.latency_limit_ms);
    known.add("max_tries", run.max_tries);
    known.add("reconnects", run.reconnects_each_time.then_some(true));
    known.add("incomplete", (!run.complete).then_some(true));
    known.add("error", run.error.as_ref());
    known.ms("started", run.started_s);
    for (name, value) in &run.parameters {
        known.add(name, Some(value));
    }
    let totals = &run.totals;
    known.add("seconds", totals.seconds.map(|s| (s * 1e4).round() / 1e4));
    known.add("transactions", totals.transactions);
    known.outcomes(&totals.outcomes);
    known.latency(&totals.latency);
    known.ms("lag_avg", totals.lag_avg_ms);
    known.ms("lag_max", totals.lag_max_ms);
    known.add("connect", totals.connect_ms);
    known.add("reconnects", totals.reconnects);
    known.add("reconnect_avg", totals.reconnect_avg_ms);
    known.add("histogram", totals.histogram.as_ref().map(|h| h.count()));
    for figure in &run.figures {
        known.add(
            &figure.name,
            Some(((figure.value * 1e6).round() / 1e6, figure.unit)),
        );
    }
    known.0.join("\n")
}

/// An interval.
pub fn interval(interval: &Interval) -> String {
    let mut known = Known::default();
    known.add("at", Some((interval.start_s * 1e6).round() / 1e6));
    known.add("for", Some((interval.seconds * 1e6).round() / 1e6));
    known.add("n", Some(interval.transactions));
    known.add("tps", Some((interval.tps * 1e3).round() / 1e3));
    known.latency(&interval.latency);
    known.outcomes(&interval.outcomes);
    known.ms("lag_avg", interval.lag_avg_ms);
    known.ms("lag_max", interval.lag_max_ms);
    known.add("histogram", interval.histogram.as_ref().map(|h| h.count()));
    known.0.join(", ")
}

/// A script.
pub fn script(script: &Script) -> String {
    let mut known = Known::default();
    known.add("name", Some(&script.name));
    known.add("weight", script.weight);
    known.add("n", script.transactions);
    known.ms("tps", script.tps);
    known.outcomes(&script.outcomes);
    known.latency(&script.latency);
    known.add("histogram", script.histogram.as_ref().map(|h| h.count()));
    known.0.join(", ")
}

/// A statement.
pub fn statement(statement: &Statement) -> String {
    let mut known = Known::default();
    known.add("in", Some(statement.script_no));
    known.add("script", statement.script.as_ref());
    known.add("text", Some(&statement.text));
    known.add("calls", statement.calls);
    known.add("failed", statement.failed);
    known.add("retries", statement.retries);
    known.latency(&statement.latency);
    known.ms("plan", statement.plan_ms);
    known.add("rows", statement.rows);
    known.add("hit", statement.shared_blks_hit);
    known.add("read", statement.shared_blks_read);
    known.add("dirtied", statement.shared_blks_dirtied);
    known.add("written", statement.shared_blks_written);
    known.add("wal_records", statement.wal_records);
    known.add("wal_fpi", statement.wal_fpi);
    known.add("wal_bytes", statement.wal_bytes);
    known.0.join(", ")
}

/// A run with all of its parts, a line each.
pub fn all(of: &Run) -> String {
    let mut lines = vec![run(of)];
    lines.extend(
        of.intervals
            .iter()
            .map(|part| format!("i: {}", interval(part))),
    );
    lines.extend(of.scripts.iter().map(|part| format!("s: {}", script(part))));
    lines.extend(
        of.statements
            .iter()
            .map(|part| format!("c: {}", statement(part))),
    );
    lines.join("\n")
}

/// Compares all that is known of a fixture with the file beside it, which `PGPERF_WRITE_FACTS=1` writes: read it then, figure
/// by figure.
pub fn compare(name: &str, format: Format) {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let text = std::fs::read_to_string(folder.join(format!("{name}.txt"))).unwrap();
    let reading = fixture(&text, format);
    let mut facts: Vec<String> = reading.notes.iter().map(|n| format!("note: {n}")).collect();
    facts.extend(reading.runs.iter().map(all));
    let facts = facts.join("\n\n") + "\n";
    let path = folder.join(format!("{name}.facts"));
    if std::env::var_os("PGPERF_WRITE_FACTS").is_some() {
        std::fs::write(path, facts).unwrap();
    } else {
        assert_eq!(std::fs::read_to_string(path).unwrap(), facts, "{name}");
    }
}
