//! A comparison as lines that fit 80 columns.

use super::cells::{cell, deciding_p};
use super::compared_run::Run;
use super::differences::{cut_to_difference, name};
use super::row::{Comparison, Row, Verdict};
use super::sections::sections;
use crate::show::delta::{percent, short_percent};
use crate::show::text::{WIDTH, one_line, wrap};

/// The rest of it, for a metric's name.
const NAME_WIDTH: usize = 22;
const LEGEND: [&str; 4] = [
    "~ no significant difference; ? single observation: nothing tells what is noise;",
    "- not comparable; change: in % of the baseline; p: how likely such a change is",
    "by chance, corrected for how many metrics were tested, but the headline, which",
    "is a question by itself: below 0.05 it is significant",
];

/// The whole comparison.
pub fn lines(comparison: &Comparison) -> Vec<String> {
    let mut lines = caution(comparison);
    lines.extend([
        side("baseline: ", &comparison.baseline),
        side("candidate:", &comparison.candidate),
    ]);
    lines.extend(headline(comparison));
    let notes = comparison.notes.iter();
    lines.extend(notes.flat_map(|note| wrap(&format!("({note})"), WIDTH)));
    if let Some(by) = comparison.pair_by {
        lines.push(format!("(paired by {})", by.name()));
    }
    lines.extend(conditions(&comparison.rows));
    for section in sections(&comparison.rows) {
        let rest = section.rest();
        if section.shown.is_empty() {
            // Without a table one line is enough, below others of that kind.
            if !lines
                .last()
                .is_some_and(|line| line.ends_with("in compare()"))
            {
                lines.push(String::new());
            }
            lines.extend(rest.map(|rest| format!("{}: {rest}", section.category)));
            continue;
        }
        lines.push(String::new());
        lines.push(heading(section.category));
        lines.extend(metrics(&section.shown));
        lines.extend(rest.map(|rest| format!("  ({rest})")));
    }
    lines.push(String::new());
    lines.extend(LEGEND.map(str::to_owned));
    lines
}

/// What stands above all else.
pub fn caution(comparison: &Comparison) -> Vec<String> {
    let caution = comparison.caution.iter();
    caution.flat_map(|caution| wrap(caution, WIDTH)).collect()
}

/// The runs of a side, those of one label and node together.
fn side(name: &str, runs: &[Run]) -> String {
    one_line(&format!("{name} run {}", runs_of(runs)), WIDTH)
}

/// The runs of a side by their numbers, labels and nodes.
pub fn runs_of(runs: &[Run]) -> String {
    let mut groups: Vec<(&Run, Vec<String>)> = Vec::new();
    for run in runs {
        match groups.last_mut() {
            Some((first, ids)) if first.label == run.label && first.node_id == run.node_id => {
                ids.push(run.run_id.to_string());
            }
            _ => groups.push((run, vec![run.run_id.to_string()])),
        }
    }
    let groups: Vec<String> = groups
        .into_iter()
        .map(|(first, ids)| {
            let label = first.label.as_ref().map(|label| format!(" \"{label}\""));
            let node = first.node_name.as_ref().map(|node| format!(" on {node}"));
            let ids = ids.join(", ");
            format!(
                "{ids}{}{}",
                label.unwrap_or_default(),
                node.unwrap_or_default()
            )
        })
        .collect();
    groups.join(", ")
}

/// The answer in a sentence, without the verdict.
pub fn answer(row: &Row) -> String {
    let mut line = format!(
        "{}: {} -> {}",
        row.metric,
        cell(row, row.baseline),
        cell(row, row.candidate)
    );
    if let Some(change) = row.delta.change_percent {
        line += &format!(", {}", percent(change));
        if let Some((low, high)) = row.delta.ends() {
            line += &format!(" ({} to {})", percent(low), percent(high));
        }
    }
    if let Some(p) = deciding_p(row) {
        line += &format!(", p {p}");
    }
    line
}

fn headline(comparison: &Comparison) -> Vec<String> {
    let Some(row) = comparison.headline() else {
        return Vec::new();
    };
    let verdict = one_line(&format!("=> {}", row.verdict), WIDTH);
    let rates = comparison.rates().map(answer);
    rates.chain([answer(row), verdict]).collect()
}

/// On one line if they fit, otherwise each side on a line of its own.
fn conditions(rows: &[Row]) -> Vec<String> {
    let mut lines = Vec::new();
    for row in rows {
        let (Some(before), Some(after)) = (&row.baseline_text, &row.candidate_text) else {
            continue;
        };
        if lines.is_empty() {
            lines.push(String::new());
            lines.push("what else differs".to_owned());
        }
        let name = name(row);
        let whole = format!(
            "  {name}: {} -> {}",
            one_line(before, WIDTH),
            one_line(after, WIDTH)
        );
        if whole.chars().count() <= WIDTH {
            lines.push(whole);
            continue;
        }
        let heads = ["    baseline:  ", "    candidate: "];
        let (before, after) = cut_to_difference(before, after, WIDTH - heads[0].len());
        lines.push(format!("  {}", one_line(&name, WIDTH - 2)));
        lines.push(format!("{}{before}", heads[0]));
        lines.push(format!("{}{after}", heads[1]));
    }
    lines
}

fn heading(category: &str) -> String {
    format!(
        "{category:<NAME_WIDTH$} {:>9} {:>9}{:>7}{:>15}{:>8}",
        "baseline", "candidate", "change", "95 % interval", "p"
    )
}

/// The object of metrics stands in a line of its own before them.
fn metrics(rows: &[&Row]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut object = None;
    for row in rows {
        if row.object.is_some() && row.object != object {
            let name = row.object.as_deref().unwrap_or_default();
            lines.push(format!("  {}", one_line(name, WIDTH - 2)));
        }
        object.clone_from(&row.object);
        lines.extend(metric(row));
    }
    lines
}

/// A name that is too long for its column has a line of its own, too.
fn metric(row: &Row) -> Vec<String> {
    let indent = if row.object.is_some() { 4 } else { 2 };
    let name = format!("{:indent$}{}", "", one_line(&row.metric, WIDTH - indent));
    let change = row
        .delta
        .change_percent
        .map_or_else(|| "-".to_owned(), short_percent);
    let verdict = mark(row);
    let values = format!(
        " {:>9} {:>9}{change:>7}{:>15}{:>8} {verdict}",
        cell(row, row.baseline),
        cell(row, row.candidate),
        row.delta.interval().unwrap_or_default(),
        deciding_p(row).unwrap_or_default(),
    );
    if name.chars().count() > NAME_WIDTH {
        return vec![name, format!("{:NAME_WIDTH$}{values}", "")];
    }
    vec![format!("{name:<NAME_WIDTH$}{values}")]
}

/// The verdict, as the legend explains it.
pub fn mark(row: &Row) -> String {
    match &row.verdict {
        Verdict::NoDifference => "~".to_owned(),
        Verdict::SingleObservation => "?".to_owned(),
        Verdict::NotComparable(_) => "-".to_owned(),
        verdict => verdict.to_string(),
    }
}
