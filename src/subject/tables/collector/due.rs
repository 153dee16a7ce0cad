//! The relations that get rows in a sample, and the sums of all, from the results for each part of the catalog.

use crate::collect::rows::Row;
use serde::Deserialize;
use serde_json::Value;
use std::cmp::Reverse;

/// The result of a part: one value per relation in each list.
#[derive(Deserialize)]
pub struct DuePart {
    /// The number of rows of pg_class that it read.
    pub looked_at: u32,
    /// Sums over all its relations, including those that are not due.
    sums: Row,
    oid: Vec<u32>,
    changed: Vec<bool>,
    is_own: Vec<bool>,
    may_wait: Vec<bool>,
    activity: Vec<i64>,
    taken_at: Vec<Option<f64>>,
    sample_id: Vec<Option<i64>>,
}

/// A relation that is due for a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Due {
    pub oid: u32,
    /// The sample of its last row.
    pub before: Option<i64>,
    /// Since that; otherwise it is an old one that is due.
    changed: bool,
    /// One of pgperf's own, whose row is postponed.
    is_own: bool,
    /// Its row is postponed if it hardly did anything.
    may_wait: bool,
    activity: i64,
    /// When its last row was taken, as seconds.
    taken_at: Option<f64>,
}

/// What all parts found.
#[derive(Default)]
pub struct DueRelations {
    due: Vec<Due>,
    sums: Row,
}

impl DueRelations {
    pub fn add(&mut self, part: DuePart) {
        let values = (part.oid.into_iter().zip(part.sample_id))
            .zip(part.changed.into_iter().zip(part.activity))
            .zip((part.taken_at.into_iter()).zip(part.is_own.into_iter().zip(part.may_wait)));
        self.due.extend(values.map(
            |(((oid, before), (changed, activity)), (taken_at, (is_own, may_wait)))| Due {
                oid,
                before,
                changed,
                is_own,
                may_wait,
                activity,
                taken_at,
            },
        ));
        for (column, value) in part.sums {
            let sum = match (self.sums.get(&column), &value) {
                (Some(Value::Number(sum)), Value::Number(more)) => {
                    let [sum, more] = [sum, more].map(|number| number.as_i64().unwrap_or_default());
                    merged(&column, sum, more).into()
                }
                (Some(sum @ Value::Number(_)), _) => sum.clone(),
                _ => value,
            };
            self.sums.insert(column, sum);
        }
    }

    /// Drops pgperf's own, and those that may wait and did less than a [`PARTS`]th of what all relations did since the sample before, whose
    /// activity until then is `before`. Returns whether there were any.
    pub fn postpone(&mut self, before: Option<i64>) -> bool {
        let sum = |column: &str| self.sums.get(column).and_then(Value::as_i64);
        let together = ACTIVITY
            .iter()
            .map(|column| sum(column))
            .sum::<Option<i64>>();
        let since = together.zip(before).map(|(now, before)| now - before);
        // Where they began again, nothing waits.
        let Some(since @ 0..) = since else {
            return false;
        };
        let all = self.due.len();
        let least = since / PARTS;
        let waits = |due: &Due| due.is_own || due.may_wait && due.activity < least;
        self.due.retain(|due| !(due.changed && waits(due)));
        self.due.len() < all
    }

    /// Those that changed most, then those whose last row is oldest; and the row of all together.
    pub fn pick(mut self, most: usize) -> (Vec<Due>, Row) {
        let changed = |due: &[Due]| due.iter().filter(|due| due.changed).count();
        let all = changed(&self.due);
        self.due.sort_by(|a, b| {
            let first = |due: &Due| Reverse((due.changed, due.activity));
            let last = |due: &Due| due.taken_at.unwrap_or(f64::INFINITY);
            (first(a).cmp(&first(b))).then(last(a).total_cmp(&last(b)))
        });
        self.due.truncate(most);
        let left_out = all - changed(&self.due);
        self.sums.insert("relation_oid".to_owned(), 0.into());
        self.sums.insert("left_out".to_owned(), left_out.into());
        (self.due, self.sums)
    }
}

/// A relation that did so small a part of everything may wait.
const PARTS: i64 = 50;

/// What the activity of all relations together adds up from.
const ACTIVITY: [&str; 11] = [
    "seq_scan",
    "idx_scan",
    "n_tup_ins",
    "n_tup_upd",
    "n_tup_del",
    "blks_read",
    "blks_hit",
    "vacuum_count",
    "autovacuum_count",
    "analyze_count",
    "autoanalyze_count",
];

/// The mark of a set combines the marks of its members, each of which is in it once.
fn merged(column: &str, sum: i64, more: i64) -> i64 {
    match column {
        "relations_mark" | "remaining_mark" => sum ^ more,
        "last_oid" => sum.max(more),
        _ => sum.saturating_add(more),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn part(sums: Value, due: &[(u32, bool, i64, Option<f64>)]) -> DuePart {
        serde_json::from_value(json!({
            "looked_at": 10, "sums": sums,
            "oid": due.iter().map(|due| due.0).collect::<Vec<_>>(),
            "changed": due.iter().map(|due| due.1).collect::<Vec<_>>(),
            "is_own": due.iter().map(|due| due.0 == 6).collect::<Vec<_>>(),
            "may_wait": due.iter().map(|due| due.0 >= 3).collect::<Vec<_>>(),
            "activity": due.iter().map(|due| due.2).collect::<Vec<_>>(),
            "taken_at": due.iter().map(|due| due.3).collect::<Vec<_>>(),
            "sample_id": due.iter().map(|due| due.3.map(|_| i64::from(due.0) + 100)).collect::<Vec<_>>(),
        }))
        .unwrap()
    }

    #[test]
    fn parts_add_up_and_what_changed_most_comes_first() {
        let mut found = DueRelations::default();
        let sums = json!({"relations": 3, "n_tup_ins": 5, "seq_scan": null, "last_oid": 7, "relations_mark": 6});
        found.add(part(
            sums,
            &[
                (1, true, 50, None),
                (2, false, 0, Some(9.0)),
                (3, true, 900, Some(5.0)),
            ],
        ));
        let sums = json!({"relations": 2, "n_tup_ins": 8, "seq_scan": 4, "last_oid": 9, "relations_mark": 5});
        found.add(part(
            sums,
            &[(8, false, 0, Some(4.0)), (9, true, 60, Some(1.0))],
        ));
        let none = json!({"relations": 0, "n_tup_ins": null, "seq_scan": null, "last_oid": null, "relations_mark": null});
        found.add(part(none, &[]));
        let oids = |due: &[Due]| due.iter().map(|due| due.oid).collect::<Vec<_>>();
        let copy = DueRelations {
            due: found.due.clone(),
            sums: found.sums.clone(),
        };
        let (all, together) = copy.pick(10);
        assert_eq!(oids(&all), [3, 9, 1, 8, 2]);
        assert_eq!((all[0].before, all[2].before), (Some(103), None));
        assert_eq!(
            Value::Object(together),
            json!({"relations": 5, "n_tup_ins": 13, "seq_scan": 4, "last_oid": 9, "relations_mark": 3,
                   "relation_oid": 0, "left_out": 0})
        );
        let (some, together) = found.pick(2);
        assert_eq!(oids(&some), [3, 9]);
        assert_eq!(together["left_out"], 1);
    }

    #[test]
    fn what_may_wait_does_so_unless_it_did_much() {
        let mut sums: Row = ACTIVITY
            .map(|column| (column.to_owned(), 0.into()))
            .into_iter()
            .collect();
        sums.insert("blks_hit".to_owned(), 30_000.into());
        let due = [
            (1, true, 5, Some(1.0)),
            (3, true, 5, Some(1.0)),
            (4, true, 600, Some(1.0)),
            (5, false, 0, Some(1.0)),
            (6, true, 600, Some(1.0)),
        ];
        let postponed = |before| {
            let mut found = DueRelations::default();
            found.add(part(Value::Object(sums.clone()), &due));
            let any = found.postpone(before);
            let oids: Vec<u32> = found.due.iter().map(|due| due.oid).collect();
            (any, oids)
        };
        assert_eq!(postponed(Some(10_000)), (true, vec![1, 4, 5]));
        assert_eq!(
            postponed(None),
            (false, vec![1, 3, 4, 5, 6]),
            "nothing is known before"
        );
        assert_eq!(
            postponed(Some(40_000)),
            (false, vec![1, 3, 4, 5, 6]),
            "they began again"
        );
    }
}
