//! Every rule speaks at its limit, and is silent just short of it.

use crate::common::runs::Runs;
use crate::common::{Cluster, document};
use postgres::Client;

/// See its head.
const CASES: &str = include_str!("rules.sql");

/// A rule's rows, and two values in them.
struct Case {
    rule: String,
    speaks_at: String,
    silent_at: String,
    /// Its length.
    window: String,
    sql: String,
}

fn cases() -> Vec<Case> {
    let blocks = CASES.split("\n\n").skip(1);
    let case = |block: &str| {
        let (head, sql) = block.split_once('\n').expect("a case");
        let (rule, values) = head
            .trim_start_matches("-- ")
            .split_once(": ")
            .expect("a rule");
        let (speaks_at, silent_at) = values.split_once(" | ").expect("two values");
        let (silent_at, window) = silent_at
            .split_once(" in ")
            .unwrap_or((silent_at, "1 hour"));
        Case {
            rule: rule.to_owned(),
            speaks_at: speaks_at.to_owned(),
            silent_at: silent_at.to_owned(),
            window: window.to_owned(),
            sql: sql.to_owned(),
        }
    };
    blocks.map(case).collect()
}

/// The rules of the documentation, which a unit test compares with the code.
fn rules() -> Vec<String> {
    let page = document("docs/findings.md");
    let names = page.lines().filter_map(|line| {
        let (name, rest) = line.strip_prefix("| `")?.split_once("` | ")?;
        let is_rule = ["note |", "warning |", "critical |"]
            .iter()
            .any(|severity| rest.starts_with(severity));
        is_rule.then(|| name.to_owned())
    });
    names.collect()
}

/// Samples, sixty in a window of this length and sixty before it.
fn ticks(window: &str) -> String {
    format!(
        "CREATE TEMP TABLE tick ON COMMIT DROP AS \
         SELECT pgperf.local_node() AS node_id, 1000 + m AS sample_id, date_trunc('hour', now()) + (m - 60) * interval '{window}' / 60 AS taken_at, m \
         FROM generate_series(-60::bigint, 60) m; \
         INSERT INTO pgperf.samples (node_id, sample_id, taken_at, epoch, cadence, elapsed_ms, cpu_ms, rows, pages, wal_bytes, outcomes, complete) \
         SELECT node_id, sample_id, taken_at, 1, interval '{window}' / 60, 1, 1, 1, 1, 0, \
             CASE WHEN m % 5 = 0 THEN '{{\"tables\": {{\"status\": \"ok\"}}}}' ELSE '{{}}' END::jsonb, true FROM tick; "
    )
}

/// Findings of the window over these rows, which are gone afterwards.
fn found(session: &mut Client, window: &str, sql: &str) -> String {
    let mut transaction = session.transaction().expect("a transaction");
    transaction
        .batch_execute(&(ticks(window) + sql))
        .unwrap_or_else(|error| panic!("{error:?} in {sql}"));
    let found = transaction
        .query_one(
            "SELECT coalesce(string_agg(f.rule || ': ' || f.evidence, E'\\n'), '') \
             FROM pgperf.findings((SELECT taken_at FROM tick WHERE m = 0), (SELECT taken_at FROM tick WHERE m = 60)) f",
            &[],
        )
        .expect("the findings");
    let found = found.get(0);
    transaction.rollback().expect("the end");
    found
}

#[test]
fn every_rule_speaks_at_its_limit_and_is_silent_short_of_it() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    session.value("SELECT count(*) FROM pgperf_internal.make_partitions(1, NULL, -8)");
    let cases = cases();
    for rule in rules() {
        let of_rule = |case: &&Case| case.rule == rule;
        assert!(
            cases.iter().any(|case| of_rule(&case)),
            "{rule} has no case"
        );
    }
    let mut wrong = Vec::new();
    for case in &cases {
        let at = |value: &str| case.sql.replace("{x}", value);
        let spoken = found(&mut session, &case.window, &at(&case.speaks_at));
        if !spoken.starts_with(&format!("{}: ", case.rule)) || spoken.contains('\n') {
            wrong.push(format!(
                "{} at {} in {}: {spoken}",
                case.rule, case.speaks_at, case.window
            ));
        }
        if spoken.contains("  ") || spoken.contains("%%") {
            wrong.push(format!(
                "{} at {} is no sentence: {spoken}",
                case.rule, case.speaks_at
            ));
        }
        let silent = found(&mut session, &case.window, &at(&case.silent_at));
        if !silent.is_empty() {
            wrong.push(format!(
                "{} at {} in {}: {silent}",
                case.rule, case.silent_at, case.window
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
