//! Ties of made-up findings.

use super::super::rule::Severity;
use super::super::subjects::SUBJECTS;
use super::*;
use serde_json::json;

fn finding(rule: &'static str, object: &str, figures: Value) -> Finding {
    Finding {
        schema_name: Some("public".to_owned()),
        object_name: Some(object.to_owned()),
        figures,
        ..Finding::of(rule)
    }
}

/// What each is part of.
fn parts(mut findings: Vec<Finding>) -> Vec<Option<String>> {
    find(&mut findings);
    findings.into_iter().map(|found| found.part_of).collect()
}

#[test]
fn every_tie_is_of_rules_that_exist_and_no_whole_is_part_of_its_part() {
    let place = |name: &str| {
        let rules = SUBJECTS.iter().flat_map(|subject| subject.rules);
        rules.into_iter().position(|rule| rule.name == name)
    };
    let mut wholes: Vec<&str> = Vec::new();
    for Tie { whole, part, .. } in &TIES {
        assert!(
            place(whole).is_some() && place(part).is_some(),
            "{whole}, {part}"
        );
        wholes.push(whole);
    }
    // From each rule upwards the way ends.
    for Tie { part, .. } in &TIES {
        let mut rules = vec![*part];
        for _ in 0..TIES.len() {
            let above = TIES
                .iter()
                .filter(|tie| rules.contains(&tie.part) && tie.whole != tie.part);
            rules = above.map(|tie| tie.whole).collect();
        }
        assert!(rules.is_empty(), "{part}: {rules:?}");
    }
}

#[test]
fn a_statement_and_its_table_are_one() {
    let statement = |query: &str| {
        let figures = json!({"queryid": 7, "query": query});
        finding("slower_statement", "7", figures)
    };
    let scans = || finding("sequential_scans", "orders", Value::Null);
    let of = |query| parts(vec![scans(), statement(query)])[0].clone();
    let whole = Some("slower_statement public.7".to_owned());
    assert_eq!(of("SELECT n FROM orders WHERE x = $1"), whole);
    assert_eq!(of("SELECT n FROM shop.\"orders\""), whole);
    for other in ["SELECT n FROM orders_old", "SELECT reorders", "VACUUM"] {
        assert_eq!(of(other), None, "{other}");
    }
}

#[test]
fn an_index_that_two_ask_for_is_proposed_once() {
    let asks = |rule, columns: &str, figures: Value| Finding {
        fix_sql: Some(format!("CREATE INDEX ON orders ({columns})")),
        ..finding(rule, "orders", figures)
    };
    let key = || {
        asks(
            "unindexed_foreign_key",
            "customer",
            json!({"columns": "customer"}),
        )
    };
    let missing = |columns: &str| {
        asks(
            "missing_index",
            columns,
            json!({"columns": columns, "queryid": 7}),
        )
    };
    let scans = || finding("sequential_scans", "orders", Value::Null);
    let mut both = vec![key(), missing("customer")];
    find(&mut both);
    let fixes = both.iter().filter(|one| one.fix_sql.is_some());
    assert_eq!((fixes.count(), both[1].part_of.is_some()), (1, true));
    // Also where it is part of something else.
    let slower = || finding("slower_statement", "7", json!({"queryid": 7}));
    let mut all = vec![slower(), key(), missing("customer")];
    find(&mut all);
    let fixes = all.iter().filter(|one| one.fix_sql.is_some());
    let rules: Vec<&str> = fixes.map(|one| one.rule).collect();
    assert_eq!(rules, ["unindexed_foreign_key"]);
    let whole = Some("missing_index public.orders".to_owned());
    assert_eq!(
        parts(vec![missing("kind"), key()]),
        [None, None],
        "other columns"
    );
    assert_eq!(parts(vec![missing("kind"), scans()]), [None, whole]);
    // All that follows from a statement is part of it.
    let whole = Some("slower_statement public.7".to_owned());
    assert_eq!(
        parts(vec![slower(), missing("kind"), scans()]),
        [None, whole.clone(), whole]
    );
}

#[test]
fn a_whole_has_the_largest_share_of_database_time() {
    let with = |rule, time_percent| Finding {
        time_percent,
        ..finding(rule, "orders", json!({"queryid": 7}))
    };
    let share = |whole, part| {
        let mut found = vec![with("new_statement", whole), with("temp_files", part)];
        find(&mut found);
        let whole = found.iter().find(|it| it.part_of.is_none());
        whole.and_then(|whole| whole.time_percent)
    };
    assert_eq!(share(Some(5.0), Some(9.0)), Some(9.0));
    assert_eq!(share(Some(9.0), Some(5.0)), Some(9.0));
    assert_eq!(share(None, Some(5.0)), Some(5.0));
    assert_eq!(share(Some(5.0), None), Some(5.0));
}

#[test]
fn bloat_belongs_to_who_held_vacuum_back_for_the_most_part_of_its_growth() {
    let minutes = |from: u32, to: u32| {
        [from, to].map(|minute| Some(format!("2026-11-20T12:{minute:02}:00+00:00")))
    };
    let lasting = |rule, [since, until]: [Option<String>; 2], figures| Finding {
        since,
        until,
        ..finding(rule, "orders", figures)
    };
    let is_part = |catalogs_only: bool, to| {
        let held = json!({ "catalogs_only": catalogs_only });
        let holder = lasting("horizon_held", minutes(10, 30), held);
        let bloat = lasting("table_bloat", minutes(20, to), Value::Null);
        parts(vec![holder, bloat])[1].is_some()
    };
    assert!(is_part(false, 40) && !is_part(false, 41) && !is_part(true, 40));
}

#[test]
fn a_part_of_a_part_belongs_to_the_whole_which_is_as_urgent() {
    let index = finding("index_bloat", "orders_pkey", json!({"table": "orders"}));
    let urgent = Finding {
        severity: Severity::Critical,
        weight: 250.0,
        ..finding("table_bloat", "orders", Value::Null)
    };
    let mut found = vec![
        urgent,
        finding("table_bloat", "events", Value::Null),
        index,
        finding("bulk_delete", "orders", Value::Null),
    ];
    find(&mut found);
    let whole = Some("bulk_delete public.orders".to_owned());
    let told: Vec<_> = (found.into_iter())
        .map(|it| (it.rule, it.severity, it.part_of))
        .collect();
    assert_eq!(
        told,
        [
            ("table_bloat", Severity::Critical, whole.clone()),
            ("bulk_delete", Severity::Critical, None),
            ("table_bloat", Severity::Note, None),
            ("index_bloat", Severity::Note, whole),
        ]
    );
}

#[test]
fn of_several_databases_the_oldest_is_the_whole() {
    let database = |name| finding("wraparound", name, Value::Null);
    let found = parts(["old", "younger", "young"].map(database).into());
    let whole = Some("wraparound public.old".to_owned());
    assert_eq!(found, [None, whole.clone(), whole]);
}

#[test]
fn sessions_are_one_by_their_pid_and_peaks_by_their_time() {
    let blocking = || Finding {
        since: Some("2026-11-20T12:00:00+00:00".to_owned()),
        until: Some("2026-11-20T12:10:00+00:00".to_owned()),
        ..finding("blocking", "orders", json!({"pid": 4711}))
    };
    let idle = |pid: Value| finding("idle_in_transaction", "app", json!({ "pid": pid }));
    let peak = |at: &str| Finding {
        at: Some(at.to_owned()),
        ..finding("connections", "max_connections", Value::Null)
    };
    let is_part = |other| parts(vec![blocking(), other])[1].is_some();
    assert!(is_part(idle(json!(4711))));
    assert!(!is_part(idle(json!(4712))) && !is_part(idle(Value::Null)));
    assert!(is_part(peak("2026-11-20T12:10:00+00:00")));
    assert!(!is_part(peak("2026-11-20T12:10:01+00:00")));
}

#[test]
fn waits_belong_to_queues_that_account_for_half_of_their_time() {
    let is_part = |blocking: Value| {
        let shares = json!({"time_percent": 8.0, "blocking_percent": blocking});
        let waits = finding("lock_waits", "relation", shares);
        let queues = ["orders", "events"].map(|of| finding("blocking", of, Value::Null));
        let found = parts([vec![waits], queues.into()].concat());
        assert_eq!(found[1..], [None, None]);
        found[0].is_some()
    };
    assert!(is_part(json!(4.0)) && is_part(json!(9.1)));
    assert!(!is_part(json!(3.9)) && !is_part(Value::Null));
    let waits = finding(
        "lock_waits",
        "relation",
        json!({"time_percent": 8.0, "blocking_percent": 8.0}),
    );
    assert_eq!(
        parts(vec![waits]),
        [None],
        "a queue that nobody wants to see"
    );
}

#[test]
fn wal_fills_its_own_file_system_alone() {
    let slot = || finding("slot_holds_wal", "old", Value::Null);
    let full = |holds: &str| finding("file_system_full", holds, Value::Null);
    assert!(parts(vec![full("pg_default, pg_wal"), slot()])[0].is_some());
    assert!(parts(vec![full("archive of pg_wal"), slot()])[0].is_none());
}
