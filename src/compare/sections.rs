//! Which rows of a comparison a report shows, and which it leaves to `pgperf.compare`.

use super::devices;
use super::parts;
use super::row::{Row, Verdict};
use super::totals::{ALL_INDEXES, ALL_TABLES};
use measure::metrics::{self, Shown};
use std::collections::BTreeSet;

/// Of so many objects of a category, the largest ones; of all statements.
const OBJECTS: usize = 6;

/// The rows of one category.
pub struct Section<'a> {
    pub category: &'a str,
    pub shown: Vec<&'a Row>,
    pub rest: Vec<&'a Row>,
}

/// All categories in their order, without settings and environment.
pub fn sections(rows: &[Row]) -> Vec<Section<'_>> {
    let metrics: Vec<&Row> = rows
        .iter()
        .filter(|row| row.baseline_text.is_none())
        .collect();
    metrics
        .chunk_by(|a, b| a.category == b.category)
        .map(|of_category| section(of_category, &metrics))
        .collect()
}

fn section<'a>(rows: &[&'a Row], all: &[&Row]) -> Section<'a> {
    let category = rows.first().map_or("", |row| row.category.as_str());
    let whole = matches!(category, "summary" | "workload" | devices::CATEGORY);
    // Of the summary and what the workload defines it is everything; of other metrics what differs, and these.
    let always = |metric: &str| {
        metrics::shown(Shown::Always).any(|m| m.category == category && m.name == metric)
    };
    let largest = largest(rows, all);
    let (shown, rest) = rows.iter().copied().partition(|row| {
        let of_interest = whole || always(&row.metric);
        let object = row.object.as_deref();
        let large = matches!(category, "statements" | devices::CATEGORY)
            || parts::are(category)
            || object.is_none_or(|o| largest.contains(o));
        let happened = row.baseline != Some(0.0) || row.candidate != Some(0.0);
        is_significant(row) || (of_interest && large && (happened || row.metric == "failed"))
    });
    Section {
        category,
        shown,
        rest,
    }
}

/// Each reason with the names of those it is true of, each once.
pub fn reasons<'a>(
    of_names: impl Iterator<Item = (&'a str, &'a str)>,
) -> Vec<(&'a str, Vec<&'a str>)> {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for (name, reason) in of_names {
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, names)) if names.contains(&name) => {}
            Some((_, names)) => names.push(name),
            None => reasons.push((reason, vec![name])),
        }
    }
    reasons
}

pub fn is_significant(row: &Row) -> bool {
    matches!(
        row.verdict,
        Verdict::Better | Verdict::Worse | Verdict::Differs
    )
}

/// The objects of a category with the most bytes to their name; sums over all relations besides.
fn largest<'a>(rows: &[&'a Row], all: &[&Row]) -> BTreeSet<&'a str> {
    let size = |object: &str| {
        let rows = all.iter().filter(|row| {
            row.unit.as_deref() == Some("bytes") && row.object.as_deref() == Some(object)
        });
        let values = rows.flat_map(|row| [row.baseline, row.candidate]);
        values.flatten().fold(0.0, f64::max)
    };
    let objects: BTreeSet<&str> = rows
        .iter()
        .filter_map(|row| row.object.as_deref())
        .collect();
    let (sums, single): (Vec<&str>, Vec<&str>) = objects
        .into_iter()
        .partition(|object| [ALL_TABLES, ALL_INDEXES].contains(object));
    let mut by_size: Vec<(f64, &str)> = single.into_iter().map(|o| (size(o), o)).collect();
    by_size.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    let largest = by_size.into_iter().take(OBJECTS).map(|(_, object)| object);
    largest.chain(sums).collect()
}
