//! One cause, one finding: what follows from something that is a finding itself is part of that one.

use super::judge::Finding;
use crate::show::charts::Clock;
use serde_json::Value;
use std::collections::HashSet;

/// A rule whose findings have those of another one as parts.
struct Tie {
    whole: &'static str,
    part: &'static str,
    /// Whether a finding of the first rule and one of the second tell of the same thing.
    holds: fn(&Finding, &Finding) -> bool,
}

const fn tie(
    whole: &'static str,
    part: &'static str,
    holds: fn(&Finding, &Finding) -> bool,
) -> Tie {
    Tie { whole, part, holds }
}

/// All that are known. Of several wholes of a part the first one has it.
const TIES: [Tie; 35] = [
    // What was done to a table, the statement that did it, and what that cost.
    tie("bulk_delete", "new_statement", named_by),
    tie("bulk_load", "new_statement", named_by),
    tie("bulk_delete", "wal_jump", named_by),
    tie("bulk_load", "wal_jump", named_by),
    tie("new_statement", "wal_jump", same_statement),
    tie("slower_statement", "wal_jump", same_statement),
    tie("new_statement", "temp_files", same_statement),
    tie("slower_statement", "temp_files", same_statement),
    tie("unindexed_foreign_key", "sequential_scans", same_object),
    tie("slower_statement", "sequential_scans", names),
    tie("new_statement", "sequential_scans", names),
    // An index that is missing, and what does without it.
    tie("slower_statement", "missing_index", same_statement),
    tie("new_statement", "missing_index", same_statement),
    tie("unindexed_foreign_key", "missing_index", same_columns),
    tie("missing_index", "sequential_scans", same_object),
    // A table that is not cleaned up.
    tie("bulk_delete", "autovacuum_behind", same_object),
    tie("bulk_delete", "table_bloat", same_object),
    tie("bulk_delete", "index_bloat", of_table),
    tie("autovacuum_behind", "table_bloat", same_object),
    tie("autovacuum_behind", "index_bloat", of_table),
    tie("horizon_held", "table_bloat", kept_rows),
    tie("table_bloat", "index_bloat", of_table),
    tie("horizon_held", "index_bloat", kept_rows),
    // A session, by what it held.
    tie("blocking", "lock_waits", waited_for),
    tie("blocking", "horizon_held", same_session),
    tie("blocking", "idle_in_transaction", same_session),
    tie("horizon_held", "idle_in_transaction", same_session),
    tie("blocking", "connections", while_it_lasted),
    // A setting, and what follows from it.
    tie("setting_changed", "requested_checkpoints", same_object),
    tie("setting_changed", "connections", same_object),
    tie("requested_checkpoints", "page_images", always),
    // All databases share their transaction ids: the oldest one counts.
    tie("wraparound", "wraparound", always),
    // Who keeps the WAL that fills the disk.
    tie("slot_holds_wal", "file_system_full", holds_wal),
    tie("archive_failures", "file_system_full", holds_wal),
    tie("archive_behind", "file_system_full", holds_wal),
];

/// Makes findings part of others. A whole is as urgent as the most urgent of its parts, and what helps both is said once. They come with
/// the most urgent first, and stay so.
pub fn find(findings: &mut [Finding]) {
    let whole_of: Vec<Option<usize>> = (0..findings.len())
        .map(|part| whole_of(findings, part))
        .collect();
    for part in 0..findings.len() {
        let mut whole = part;
        while let Some(next) = whole_of[whole] {
            whole = next;
        }
        if whole != part {
            findings[part].part_of = Some(findings[whole].name());
            let Finding {
                severity,
                weight,
                time_percent,
                ..
            } = findings[part];
            let whole = &mut findings[whole];
            whole.severity = whole.severity.max(severity);
            whole.weight = whole.weight.max(weight);
            // A share that is not known is below all others.
            if time_percent > whole.time_percent {
                whole.time_percent = time_percent;
            }
        }
    }
    Finding::sort(findings);
    // What a part has in common with another finding is said there.
    let (parts, wholes): (Vec<&mut Finding>, Vec<&mut Finding>) = findings
        .iter_mut()
        .partition(|found| found.part_of.is_some());
    let mut said: HashSet<String> = (wholes.iter())
        .filter_map(|whole| whole.fix_sql.clone())
        .collect();
    for part in parts {
        part.fix_sql = part.fix_sql.take().filter(|sql| said.insert(sql.clone()));
    }
}

/// The place of the finding that has this one as a part.
fn whole_of(findings: &[Finding], part: usize) -> Option<usize> {
    let found = &findings[part];
    let ties = TIES.iter().filter(|tie| tie.part == found.rule);
    ties.filter_map(|tie| {
        // Of one rule, the most urgent is the whole.
        let until = if tie.whole == tie.part {
            part
        } else {
            findings.len()
        };
        findings[..until]
            .iter()
            .position(|whole| whole.rule == tie.whole && (tie.holds)(whole, found))
    })
    .next()
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

/// Whether both want the same index.
fn same_columns(one: &Finding, other: &Finding) -> bool {
    same_object(one, other) && same_figure("columns", one, other)
}

/// Whether a relation bloated because vacuum had to leave its rows.
fn kept_rows(holder: &Finding, bloat: &Finding) -> bool {
    let of_catalogs = holder.figures.get("catalogs_only");
    of_catalogs.and_then(|it| it.as_bool()) != Some(true) && for_the_most_part(holder, bloat)
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

fn named_by(table: &Finding, statement: &Finding) -> bool {
    names(statement, table)
}

/// Whether something was seen while another finding lasted.
fn while_it_lasted(lasting: &Finding, seen: &Finding) -> bool {
    match (&lasting.since, &lasting.until, &seen.at) {
        // As the server writes moments of one time zone, their texts have their order, but at the hour that a summer's end repeats.
        (Some(since), Some(until), Some(at)) => since <= at && at <= until,
        _ => false,
    }
}

/// Whether at least half of what sessions waited for locks is known with who was waited for.
fn waited_for(_: &Finding, waits: &Finding) -> bool {
    let share = |name: &str| waits.figures.get(name).and_then(Value::as_f64);
    let shares = share("blocking_percent").zip(share("time_percent"));
    shares.is_some_and(|(known, all)| known >= 0.5 * all)
}

/// Whether something lasted at least half of the time of another finding.
fn for_the_most_part(lasting: &Finding, seen: &Finding) -> bool {
    let seconds = |from: &Option<String>, to: &Option<String>| {
        Clock::elapsed(from.as_deref()?, to.as_deref()?)
    };
    let common = || {
        let ahead = seconds(&lasting.since, &seen.since)?.max(0.0);
        let behind = seconds(&seen.until, &lasting.until)?.max(0.0);
        let common = seconds(&lasting.since, &lasting.until)? - ahead - behind;
        Some(common >= 0.5 * seconds(&seen.since, &seen.until)?)
    };
    common().unwrap_or(false)
}

fn holds_wal(_: &Finding, file_system: &Finding) -> bool {
    let holds = file_system.object_name.as_deref().unwrap_or_default();
    holds.split(", ").any(|name| name == "pg_wal")
}

#[cfg(test)]
mod tests {
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
}
