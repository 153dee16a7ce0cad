//! One cause, one finding: what tells of the same thing is part of the most urgent finding about it.

use super::judge::Finding;

/// Whether a finding of the first rule and one of the second tell of the same thing.
struct Tie {
    rules: (&'static str, &'static str),
    holds: fn(&Finding, &Finding) -> bool,
}

const fn tie(
    first: &'static str,
    second: &'static str,
    holds: fn(&Finding, &Finding) -> bool,
) -> Tie {
    Tie {
        rules: (first, second),
        holds,
    }
}

/// All that are known.
const TIES: [Tie; 26] = [
    // A statement, the table that it reads or changes, and what that costs.
    tie("slower_statement", "sequential_scans", names),
    tie("new_statement", "sequential_scans", names),
    tie("new_statement", "bulk_delete", names),
    tie("new_statement", "bulk_load", names),
    tie("wal_jump", "bulk_delete", names),
    tie("wal_jump", "bulk_load", names),
    tie("wal_jump", "new_statement", same_statement),
    tie("wal_jump", "slower_statement", same_statement),
    tie("temp_files", "new_statement", same_statement),
    tie("temp_files", "slower_statement", same_statement),
    tie("unindexed_foreign_key", "sequential_scans", same_object),
    // A table that is not cleaned up.
    tie("bulk_delete", "autovacuum_behind", same_object),
    tie("bulk_delete", "table_bloat", same_object),
    tie("bulk_delete", "index_bloat", of_table),
    tie("autovacuum_behind", "table_bloat", same_object),
    tie("autovacuum_behind", "index_bloat", of_table),
    tie("table_bloat", "index_bloat", of_table),
    // A session, by what it held.
    tie("blocking", "idle_in_transaction", same_session),
    tie("blocking", "horizon_held", same_session),
    tie("blocking", "connections", while_it_lasted),
    // A setting and what follows from it.
    tie("setting_changed", "requested_checkpoints", same_object),
    tie("setting_changed", "connections", same_object),
    tie("requested_checkpoints", "page_images", always),
    // All databases share their transaction ids: the oldest one counts.
    tie("wraparound", "wraparound", always),
    // Who keeps the WAL that fills the disk.
    tie("slot_holds_wal", "file_system_full", holds_wal),
    tie("archive_failures", "file_system_full", holds_wal),
];

/// Makes findings part of others. They come with the weightiest first.
pub fn find(findings: &mut [Finding]) {
    for place in 1..findings.len() {
        let (before, rest) = findings.split_at_mut(place);
        let tied = before.iter().find(|before| are_tied(before, &rest[0]));
        rest[0].part_of = tied.map(|it| it.part_of.clone().unwrap_or_else(|| it.name()));
    }
}

fn are_tied(one: &Finding, other: &Finding) -> bool {
    TIES.iter().any(|Tie { rules, holds }| {
        *rules == (one.rule, other.rule) && holds(one, other)
            || *rules == (other.rule, one.rule) && holds(other, one)
    })
}

fn always(_: &Finding, _: &Finding) -> bool {
    true
}

fn same_object(one: &Finding, other: &Finding) -> bool {
    one.object_name.is_some()
        && (&one.schema_name, &one.object_name) == (&other.schema_name, &other.object_name)
}

fn same_figure(name: &str, one: &Finding, other: &Finding) -> bool {
    let figure = |finding: &Finding| {
        finding
            .figures
            .get(name)
            .filter(|it| !it.is_null())
            .cloned()
    };
    figure(one).is_some_and(|it| Some(it) == figure(other))
}

fn same_statement(one: &Finding, other: &Finding) -> bool {
    same_figure("queryid", one, other)
}

fn same_session(one: &Finding, other: &Finding) -> bool {
    same_figure("pid", one, other)
}

/// Whether an index is one of a table.
fn of_table(table: &Finding, index: &Finding) -> bool {
    let of = index.figures.get("table").and_then(|it| it.as_str());
    of.is_some() && of == table.object_name.as_deref() && table.schema_name == index.schema_name
}

/// Whether a statement's text has a table's name as a word.
fn names(statement: &Finding, table: &Finding) -> bool {
    let text = statement.figures.get("query").and_then(|it| it.as_str());
    let (Some(text), Some(name)) = (text, table.object_name.as_deref()) else {
        return false;
    };
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let is_whole = |(at, name): (usize, &str)| {
        !text[..at].ends_with(is_word) && !text[at + name.len()..].starts_with(is_word)
    };
    !name.is_empty() && text.match_indices(name).any(is_whole)
}

/// Whether something was seen while another finding lasted.
fn while_it_lasted(lasting: &Finding, seen: &Finding) -> bool {
    match (&lasting.since, &lasting.until, &seen.at) {
        // As the server writes moments of one time zone, their texts have their order, but at the hour that a summer's end repeats.
        (Some(since), Some(until), Some(at)) => since <= at && at <= until,
        _ => false,
    }
}

fn holds_wal(_: &Finding, file_system: &Finding) -> bool {
    let holds = file_system.object_name.as_deref().unwrap_or_default();
    holds.split(", ").any(|name| name == "pg_wal")
}

#[cfg(test)]
mod tests {
    use super::super::subjects::SUBJECTS;
    use super::*;
    use serde_json::{Value, json};

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
    fn every_tie_is_of_rules_that_exist() {
        let exists = |name: &str| {
            let rules = SUBJECTS.iter().flat_map(|subject| subject.rules);
            rules.into_iter().any(|rule| rule.name == name)
        };
        for Tie {
            rules: (one, other),
            ..
        } in &TIES
        {
            assert!(exists(one) && exists(other), "{one}, {other}");
        }
    }

    #[test]
    fn a_statement_and_its_table_are_one() {
        let statement = |query: &str| {
            let figures = json!({"queryid": 7, "query": query});
            finding("slower_statement", "7", figures)
        };
        let scans = || finding("sequential_scans", "orders", Value::Null);
        let of = |query| parts(vec![statement(query), scans()]).remove(1);
        let whole = Some("slower_statement public.7".to_owned());
        assert_eq!(of("SELECT n FROM orders WHERE x = $1"), whole);
        assert_eq!(of("SELECT n FROM shop.\"orders\""), whole);
        for other in ["SELECT n FROM orders_old", "SELECT reorders", "VACUUM"] {
            assert_eq!(of(other), None, "{other}");
        }
        // Whichever is more urgent.
        assert_eq!(
            parts(vec![scans(), statement("TABLE orders")]),
            [None, Some("sequential_scans public.orders".to_owned())]
        );
    }

    #[test]
    fn a_part_has_no_parts() {
        let index = finding("index_bloat", "orders_pkey", json!({"table": "orders"}));
        let found = parts(vec![
            finding("wal_jump", "7", json!({"query": "DELETE FROM orders"})),
            finding("bulk_delete", "orders", Value::Null),
            index,
            finding("table_bloat", "events", Value::Null),
        ]);
        let whole = Some("wal_jump public.7".to_owned());
        assert_eq!(found, [None, whole.clone(), whole, None]);
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
    fn wal_fills_its_own_file_system_alone() {
        let slot = || finding("slot_holds_wal", "old", Value::Null);
        let full = |holds: &str| finding("file_system_full", holds, Value::Null);
        assert!(parts(vec![full("pg_default, pg_wal"), slot()])[1].is_some());
        assert!(parts(vec![full("archive of pg_wal"), slot()])[1].is_none());
    }
}
