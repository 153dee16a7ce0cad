//! The scripts of a run side by side, such as the types of its transactions.

use crate::report::stored_run::Script;
use crate::show::number::{decimals, milliseconds, percent};
use crate::show::text::{narrow_columns, one_line};

/// The heads of [`rows`].
pub const HEADS: [&str; 7] = [
    "share %", "tps", "failed", "avg ms", "p95 ms", "p99 ms", "script",
];

/// A row for each of several scripts; none for an only one, which did what the run did.
pub fn rows(scripts: &[Script]) -> Vec<[String; 7]> {
    if scripts.len() < 2 {
        return Vec::new();
    }
    let all: i64 = scripts
        .iter()
        .filter_map(|script| script.transactions)
        .sum();
    let row = |script: &Script| {
        [
            decimals(script.transactions.map(|count| percent(count, all)), 1),
            decimals(script.tps, 2),
            script
                .failed
                .map_or_else(|| "-".to_owned(), |failed| failed.to_string()),
            milliseconds(script.latency_avg_ms),
            milliseconds(script.latency_p95_ms),
            milliseconds(script.latency_p99_ms),
            script.script.clone(),
        ]
    };
    scripts.iter().map(row).collect()
}

/// So much of a name fits beside the figures. Above, pgbench's lines have it whole.
const LONGEST_NAME: usize = 26;

/// The table of the text report.
pub fn lines(scripts: &[Script]) -> Vec<String> {
    let rows = rows(scripts).into_iter().map(|[figures @ .., name]| {
        let name = one_line(&name, LONGEST_NAME);
        [figures.as_slice(), &[name]].concat()
    });
    let rows: Vec<Vec<String>> = rows.collect();
    if rows.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![String::new(), "scripts:".to_owned()];
    lines.extend(narrow_columns(&HEADS, &rows));
    lines
}
