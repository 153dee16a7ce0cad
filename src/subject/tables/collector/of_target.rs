//! Relations of a target: those with most activity come over the connection; which of them get rows is decided here, as for this server.

use super::{Before, MAX_ROWS, sql};
use crate::collect::collector::{Reading, Scope};
use crate::collect::of_target::Asking;
use crate::collect::rows::{self, Row};
use crate::error::Result;
use crate::pg::sql::spi;
use pgrx::datum::DatumWithOid;
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashMap;

pub fn queries(asking: &Asking) -> Result<Vec<String>> {
    Ok(vec![
        sql::whole_of_target(&asking.dialect(), MAX_ROWS),
        sql::sums_of_target(),
    ])
}

/// What the history says of them.
#[derive(Deserialize)]
struct Due {
    oid: Vec<i64>,
    sample_id: Vec<Option<i64>>,
    last_oid: Option<i64>,
    relations_mark: Option<i64>,
    remaining_mark: Option<i64>,
}

pub fn reading(scope: &Scope, answers: Vec<Vec<Row>>) -> Result<Reading> {
    let mut answers = answers.into_iter();
    let relations = answers.next().unwrap_or_default();
    let mut together = answers.next().unwrap_or_default();
    let known: Vec<(i64, Row)> = relations.into_iter().filter_map(with_oid).collect();
    let before = Before::read(&scope.node_id)?;
    let oids: Vec<i64> = known.iter().map(|(oid, _)| *oid).collect();
    let activities: Vec<Option<i64>> = known.iter().map(|(_, row)| activity(row)).collect();
    let mut arguments: Vec<DatumWithOid> = vec![oids.into(), activities.into()];
    arguments.extend(before.arguments(scope));
    let due: Option<Due> = spi::select_one(&sql::due_of_target(), &arguments)?;
    let Some(due) = due else {
        return Ok(Reading::default());
    };
    let count = known.len();
    for row in &mut together {
        let all = row.get("relations").and_then(Value::as_u64).unwrap_or(0);
        let unknown = (all as usize).saturating_sub(count);
        row.insert("relation_oid".to_owned(), 0.into());
        row.insert("left_out".to_owned(), unknown.into());
        row.insert("last_oid".to_owned(), due.last_oid.into());
        // The set is known where all of it has come.
        if unknown == 0 {
            row.insert("relations_mark".to_owned(), due.relations_mark.into());
            row.insert("remaining_mark".to_owned(), due.remaining_mark.into());
        }
    }
    let last: HashMap<i64, Option<i64>> = due.oid.into_iter().zip(due.sample_id).collect();
    let changed = known.into_iter().filter_map(|(oid, mut row)| {
        row.insert("before_sample_id".to_owned(), (*last.get(&oid)?).into());
        Some(row)
    });
    let mut rows: Vec<Row> = changed.collect();
    rows.append(&mut together);
    Ok(Reading::of("relation_history", rows::values(rows)))
}

/// An oid may be written as a text.
fn with_oid(row: Row) -> Option<(i64, Row)> {
    let oid = match row.get("relation_oid")? {
        Value::String(text) => text.parse().ok()?,
        other => other.as_i64()?,
    };
    Some((oid, row))
}

/// As the last rows have it.
fn activity(row: &Row) -> Option<i64> {
    let number = |name: &str| row.get(name).and_then(Value::as_i64);
    let scans = match row.get("relation_kind").and_then(Value::as_str) {
        Some("index") => "idx_scan",
        _ => "seq_scan",
    };
    let counters = [
        scans,
        "blks_read",
        "blks_hit",
        "n_tup_ins",
        "n_tup_upd",
        "n_tup_del",
        "vacuum_count",
        "autovacuum_count",
        "analyze_count",
        "autoanalyze_count",
    ];
    counters.into_iter().map(number).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_activity_of_an_index_is_that_of_its_own_scans() {
        let row = |kind: &str| -> Row {
            let row = json!({
                "relation_oid": "16384", "relation_kind": kind, "seq_scan": 1, "idx_scan": 10, "blks_read": 100, "blks_hit": 1000,
                "n_tup_ins": 0, "n_tup_upd": 0, "n_tup_del": 0, "vacuum_count": 0, "autovacuum_count": 0, "analyze_count": 0,
                "autoanalyze_count": 0
            });
            serde_json::from_value(row).unwrap()
        };
        assert_eq!(activity(&row("index")), Some(1110));
        assert_eq!(activity(&row("table")), Some(1101));
        assert_eq!(activity(&Row::new()), None);
        assert_eq!(with_oid(row("table")).map(|(oid, _)| oid), Some(16384));
    }
}
