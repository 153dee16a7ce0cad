//! All metrics, each source with its SQL: those of the samples and runs themselves, and those of the subjects. `docs/openmetrics.md`
//! has the same table.
//!
//! The columns of a source's SQL are its labels and its families, under these names; sources with the same SQL share one reading. A source
//! with a limit has a column `left_out`, the number of rows that it left out, and `limited` where each kind of rows has its own limit.
//!
//! `$1` is the node as text, `$4` whether it is this one, `$5` the collectors of which there may be samples. All of them read the newest sample
//! of the last day: older ones are no state. `{part h}` stands for the rows of a table `h` in a part of that day: today, and only where that
//! has no row, what is before. `{day h}` are those of all of the day, `{25 hours h}` of an hour more, for what a part does not tell.

use crate::show::metric::{Source, gauge};
use crate::subject;

/// It is also looked for before the last day.
pub const NEWEST: &str = include_str!("sql/newest.sql");

/// It is read only where a run is alive.
pub const LIVE_RUNS: &str = include_str!("sql/runs.sql");

const SOURCES: &[Source] = &[
    Source {
        topic: "The node",
        sql: include_str!("sql/node.sql"),
        labels: &["node_id", "name", "database", "host"],
        families: &[gauge("node", "The node whose history this is; always 1")],
    },
    Source {
        topic: "The node",
        sql: include_str!("sql/node.sql"),
        labels: &[],
        families: &[gauge(
            "max_connections",
            "The setting max_connections of this server; missing for another node",
        )],
    },
    Source {
        topic: "Samples",
        sql: NEWEST,
        labels: &[],
        families: &[gauge(
            "newest_sample_age_seconds",
            "Time since the newest sample of any collector began, however old it is",
        )],
    },
    Source {
        topic: "Samples",
        sql: include_str!("sql/collectors.sql"),
        labels: &["collector"],
        families: &[
            gauge(
                "collector_sample_age_seconds",
                "Time since the newest good sample of the collector began; missing if there was none for a day",
            ),
            gauge(
                "collector_interval_seconds",
                "Interval at which the continuous sampler of this database takes the collector; missing if it does not",
            ),
            gauge(
                "collector_elapsed_seconds",
                "Time that the newest sample of the collector took",
            ),
            gauge(
                "collector_rows",
                "Rows that the newest sample of the collector stored",
            ),
        ],
    },
    Source {
        topic: "Samples",
        sql: include_str!("sql/collectors.sql"),
        labels: &["collector", "status"],
        families: &[gauge(
            "collector_status",
            "The outcome of the collector in its newest sample: ok, skipped (it cannot run here), failed, or incomplete (it goes on, or was broken off); always 1",
        )],
    },
    Source {
        topic: "Live runs",
        sql: LIVE_RUNS,
        labels: &["run_id", "label", "workload", "status"],
        families: &[
            gauge("run_clients", "Clients"),
            gauge("run_elapsed_seconds", "Measured time so far"),
            gauge("run_progress_ratio", "Share of the run that is done"),
            gauge("run_transactions", "Transactions so far"),
            gauge(
                "run_transactions_per_second",
                "Rate of transactions in the newest interval",
            ),
            gauge("run_latency_seconds", "Mean latency in the newest interval"),
            gauge(
                "run_lag_seconds",
                "Mean lag behind the schedule in the newest interval, of a run with a rate",
            ),
            gauge("run_failed", "Failed transactions in the newest interval"),
        ],
    },
];

/// What stands out, on request.
pub const FINDINGS: Source = Source {
    topic: "Findings",
    sql: "",
    labels: &["severity"],
    families: &[gauge(
        "findings",
        "Findings of the last hour; only with findings => true",
    )],
};

/// What the limits of the other sources leave out.
pub const LEFT_OUT: Source = Source {
    topic: "What is left out",
    sql: "",
    labels: &["family"],
    families: &[gauge(
        "metrics_left_out",
        "Objects beyond the limit of this metric, which has no sample of them; only of metrics that a limit has cut",
    )],
};

/// All sources with SQL, in the order of the text.
pub fn sources() -> impl Iterator<Item = &'static Source> {
    SOURCES.iter().chain(subject::metrics())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::published::expect_tables;
    use std::collections::HashSet;
    use std::fmt::Write;

    fn all() -> impl Iterator<Item = &'static Source> {
        sources().chain([&FINDINGS, &LEFT_OUT])
    }

    #[test]
    fn names_are_those_that_openmetrics_allows_and_unique() {
        let mut seen = HashSet::new();
        for source in all() {
            for family in source.families {
                let name = family.name;
                assert!(seen.insert(name), "{name} comes twice");
                let letters = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
                assert!(name.chars().all(letters), "{name}");
                // Endings with a meaning of their own.
                for ending in ["_total", "_info", "_created", "_count", "_sum", "_bucket"] {
                    assert!(!name.ends_with(ending), "{name}");
                }
                for other in ["_ms", "_percent", "_kb", "_mb", "_minutes", "_hours"] {
                    assert!(!name.ends_with(other), "{name} is not in a base unit");
                }
                let help = family.help;
                assert!(!help.contains(['\\', '"', '\n', '|']), "{help}");
                assert!(
                    source.sql.is_empty() || source.sql.contains(name),
                    "the SQL of {name} has no such column"
                );
            }
            for label in source.labels {
                assert!(
                    source.sql.is_empty() || source.sql.contains(label),
                    "the SQL has no column {label} for {}",
                    source.topic
                );
            }
        }
    }

    #[test]
    fn no_source_shows_a_text_of_a_statement() {
        for source in sources() {
            let sql = source.sql.to_lowercase();
            assert!(!source.labels.contains(&"query"));
            assert!(!sql.contains("from pgperf.statement_texts"));
        }
    }

    #[test]
    fn what_a_limit_leaves_out_is_counted() {
        for source in sources() {
            let sql = source.sql.trim_end();
            let limited = sql
                .rsplit("LIMIT ")
                .next()
                .is_some_and(|last| last.len() <= 3 && last != "1");
            assert!(!limited || sql.contains(" AS left_out"), "{sql}");
        }
    }

    /// The tables of the page, as Markdown.
    fn tables() -> String {
        let mut text = String::new();
        let mut topic = "";
        for source in all() {
            if source.topic != topic {
                topic = source.topic;
                let _ = write!(
                    text,
                    "\n### {topic}\n\n| metric | kind | labels | what it is |\n|---|---|---|---|\n"
                );
            }
            for family in source.families {
                let labels: Vec<String> =
                    (source.labels.iter()).map(|l| format!("`{l}`")).collect();
                let kind = format!("{:?}", family.kind).to_lowercase();
                let suffix = family.kind.suffix();
                let _ = writeln!(
                    text,
                    "| `pgperf_{}{suffix}` | {kind} | {} | {} |",
                    family.name,
                    labels.join(", "),
                    family.help
                );
            }
        }
        text
    }

    #[test]
    fn the_page_has_the_same_metrics() {
        expect_tables("docs/openmetrics.md", &tables(), "metrics");
    }
}
