//! Findings name what was planted in a production hour, each with its object and time, and nothing else.

mod conditions;
mod hour;
mod incident;

use crate::common::runs::Runs;
use crate::common::{Cluster, cases};
use hour::{Cause, FROM, HELD, HOLDER, Holder, Hour, TO};
use serde_json::Value;

/// A finding as the extension gives it.
struct Finding {
    rule: String,
    object: String,
    evidence: String,
    figures: Value,
    /// Minutes of the hour.
    at: f64,
    since: f64,
    /// Of a finding that is another cause's.
    is_part: bool,
}

fn findings(cluster: &Cluster) -> Vec<Finding> {
    let mut session = cluster.connect();
    let rows = session.value(&format!(
        "SELECT coalesce(jsonb_agg(jsonb_build_object('rule', rule, 'object', coalesce(schema_name || '.', '') || coalesce(object_name, ''), \
                'evidence', evidence, 'figures', figures, 'at', extract(epoch FROM at - '{FROM}') / 60, \
                'since', extract(epoch FROM since - '{FROM}') / 60, 'is_part', part_of IS NOT NULL)), '[]') \
         FROM pgperf.findings('{FROM}', '{TO}')"
    ));
    let rows: Vec<Value> = serde_json::from_str(&rows).expect("findings");
    let text = |row: &Value, name: &str| row[name].as_str().unwrap_or_default().to_owned();
    let minutes = |row: &Value, name: &str| row[name].as_f64().unwrap_or(f64::NAN);
    let finding = |row: &Value| Finding {
        rule: text(row, "rule"),
        object: text(row, "object"),
        evidence: text(row, "evidence"),
        figures: row["figures"].clone(),
        at: minutes(row, "at"),
        since: minutes(row, "since"),
        is_part: row["is_part"] == true,
    };
    rows.iter().map(finding).collect()
}

/// Whether a finding names this cause, with its object and its time: samples of tables are five minutes apart, those of settings ten.
fn names(finding: &Finding, cause: &Cause) -> bool {
    let Finding {
        rule,
        object,
        figures,
        at,
        since,
        ..
    } = finding;
    let within = |from: i64, minutes: i64| *at >= from as f64 && *at <= (from + minutes) as f64;
    let query = figures["query"].as_str().unwrap_or_default();
    match cause {
        Cause::UnusedIndex { table } => {
            rule == "unused_index" && *object == format!("public.{table}_unused_idx")
        }
        Cause::Bloat { table, from } => {
            rule == "table_bloat" && *object == format!("public.{table}") && *at > *from as f64
        }
        Cause::HeldSnapshot { by, from } => {
            let kind = if *by == Holder::Prepared {
                "prepared transaction"
            } else {
                "backend"
            };
            rule == "horizon_held"
                && object == HOLDER
                && figures["holder"] == kind
                && (since - *from as f64).abs() <= 1.0
                && (at - (from + HELD) as f64).abs() <= 1.0
        }
        Cause::BulkDelete { table, at, .. } => {
            rule == "bulk_delete" && *object == format!("public.{table}") && within(*at, 5)
        }
        Cause::Reindex { table, at } => {
            rule == "wal_jump" && *object == format!("{table}_label_idx") && within(*at, 1)
        }
        Cause::Setting { name, value, at } => {
            rule == "setting_changed"
                && object == name
                && figures["to"] == *value
                && within(*at, 10)
        }
        Cause::SlowStatement { table, from } => {
            rule == "new_statement"
                && query.contains(&format!("FROM {table} WHERE"))
                && within(*from, 1)
        }
    }
}

/// Whether a finding follows from a cause: true, but not what was planted.
fn follows(finding: &Finding, cause: &Cause) -> bool {
    let rule = finding.rule.as_str();
    let about = |table: &str| finding.object.starts_with(&format!("public.{table}"));
    let by = |table: &str| {
        let query = finding.figures["query"].as_str().unwrap_or_default();
        query.contains(&format!(" {table} ")) || query.contains(&format!(" {table}_"))
    };
    match cause {
        Cause::Bloat { table, .. } => {
            ["autovacuum_behind", "index_bloat", "few_hot_updates"].contains(&rule) && about(table)
                || ["new_statement", "wal_jump"].contains(&rule) && by(table)
        }
        Cause::BulkDelete { table, .. } => {
            ["autovacuum_behind", "table_bloat", "index_bloat"].contains(&rule) && about(table)
                || ["new_statement", "wal_jump"].contains(&rule) && by(table)
        }
        Cause::Reindex { table, .. } => rule == "new_statement" && by(table),
        Cause::SlowStatement { table, .. } => rule == "sequential_scans" && about(table),
        Cause::UnusedIndex { .. } | Cause::HeldSnapshot { .. } | Cause::Setting { .. } => false,
    }
}

/// Plays an hour; its causes are found, and nothing else.
fn expect_found(number: usize, hour: &Hour) {
    let cluster = hour.play();
    let found = findings(&cluster);
    for finding in &found {
        println!(
            "hour {number}: {} {} at {}: {}",
            finding.rule, finding.object, finding.at, finding.evidence
        );
    }
    for cause in &hour.causes {
        let count = found.iter().filter(|finding| names(finding, cause)).count();
        assert_eq!(count, 1, "hour {number}: {cause:?}");
    }
    for finding in &found {
        let true_of = |cause: &Cause| names(finding, cause) || follows(finding, cause);
        assert!(
            finding.is_part || hour.causes.iter().any(true_of),
            "hour {number}, nobody did this: {} {}: {}",
            finding.rule,
            finding.object,
            finding.evidence
        );
    }
}

const TABLES: [&str; 5] = ["orders", "events", "audit", "documents", "readings"];

/// Hour `n` of the ten: other tables, times, sizes; in the first all causes, in each other one two or three are left out.
fn variation(n: usize) -> Hour {
    let table = |part: usize| tables(n)[part].0;
    let shift = (n as i64 * 7) % 10;
    let holder = [Holder::Idle, Holder::Query, Holder::Prepared][n % 3];
    let (name, value) = [
        ("work_mem", "8192"),
        ("random_page_cost", "1.1"),
        ("effective_io_concurrency", "8"),
        ("default_statistics_target", "200"),
    ][n % 4];
    let all = vec![
        Cause::UnusedIndex { table: table(0) },
        Cause::Bloat {
            table: table(1),
            from: 4 + shift,
        },
        Cause::HeldSnapshot {
            by: holder,
            from: 10 + 2 * shift,
        },
        Cause::BulkDelete {
            table: table(2),
            percent: 40 + 4 * shift,
            at: 18 + shift,
        },
        Cause::Reindex {
            table: table(3),
            at: 52 - 2 * shift,
        },
        Cause::Setting {
            name,
            value,
            at: 31 + shift,
        },
        Cause::SlowStatement {
            table: table(4),
            from: 25 + shift,
        },
    ];
    // A third or so of them, another one in each hour.
    let left_out = |i: usize| n > 0 && (i + n) % 7 < 1 + n % 3;
    let kept = all.into_iter().enumerate().filter(|(i, _)| !left_out(*i));
    Hour {
        tables: tables(n),
        causes: kept.map(|(_, cause)| cause).collect(),
    }
}

/// Which table plays which part in hour `n`, and how many rows it has for that.
fn tables(n: usize) -> [(&'static str, i64); 5] {
    let more = 100 + 2 * n as i64;
    let rows = [4_200, 600, 1_200, 4_500, 2_000].map(|rows| rows * more);
    std::array::from_fn(|part| (TABLES[(part + n) % TABLES.len()], rows[part]))
}

#[test]
fn every_planted_cause_is_named_and_nothing_else() {
    for n in 0..cases(1, 10) {
        expect_found(n, &variation(n));
    }
}

#[test]
fn a_quiet_hour_has_no_findings() {
    let quiet = Hour {
        tables: tables(0),
        causes: Vec::new(),
    };
    expect_found(0, &quiet);
}
