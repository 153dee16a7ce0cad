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
mod tests;
