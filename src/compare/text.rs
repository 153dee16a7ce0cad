//! A comparison as lines that fit 80 columns.

use super::facts::Run;
use super::row::{Comparison, Row, Verdict};
use crate::report::format::{bytes, one_line};

const WIDTH: usize = 80;
/// What is left of it for a metric's name.
const NAME_WIDTH: usize = 26;

/// The whole comparison.
pub fn lines(comparison: &Comparison) -> Vec<String> {
    let mut lines = vec![
        side("baseline: ", &comparison.baseline),
        side("candidate:", &comparison.candidate),
    ];
    lines.extend(headline(comparison));
    lines.extend(comparison.notes.iter().map(|note| format!("({note})")));
    if let Some(by) = comparison.pair_by {
        lines.push(format!("(paired by {})", by.name()));
    }
    lines.extend(conditions(&comparison.rows));
    for (category, shown) in sections(&comparison.rows) {
        lines.push(String::new());
        lines.push(heading(category));
        lines.extend(shown.into_iter().flat_map(metric));
    }
    lines.push(String::new());
    lines.push(
        "~ no significant difference; ? single observation: nothing tells what is noise;"
            .to_owned(),
    );
    lines.push("- not comparable; the change is in % of the baseline".to_owned());
    lines
}

/// The runs of a side, those of one label and node together.
fn side(name: &str, runs: &[Run]) -> String {
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
    one_line(&format!("{name} run {}", groups.join(", ")), WIDTH)
}

/// The answer in a sentence.
fn headline(comparison: &Comparison) -> Vec<String> {
    let Some(row) = comparison.headline() else {
        return Vec::new();
    };
    let mut line = format!(
        "{}: {} -> {}",
        row.metric,
        cell(row, row.baseline),
        cell(row, row.candidate)
    );
    if let Some(change) = row.change_percent {
        line += &format!(", {}", percent(change));
        if let Some((low, high)) = row.ci_low_percent.zip(row.ci_high_percent) {
            line += &format!(" ({} to {})", percent(low), percent(high));
        }
    }
    vec![line, one_line(&format!("=> {}", row.verdict), WIDTH)]
}

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
        let name = match &row.object {
            Some(object) => format!("{object}.{}", row.metric),
            None => row.metric.clone(),
        };
        let value = |text: &str| one_line(text, 24);
        let line = format!("{name}: {} -> {}", value(before), value(after));
        lines.push(format!("  {}", one_line(&line, WIDTH - 2)));
    }
    lines
}

/// What is shown of each category: all of the summary; the latency of each statement; of everything else what
/// differs.
fn sections(rows: &[Row]) -> Vec<(&str, Vec<&Row>)> {
    let mut sections: Vec<(&str, Vec<&Row>)> = Vec::new();
    let significant = |row: &Row| {
        matches!(
            row.verdict,
            Verdict::Better | Verdict::Worse | Verdict::Differs
        )
    };
    for row in rows.iter().filter(|row| row.baseline_text.is_none()) {
        // What never happened on either side needs no line.
        let nothing = row.baseline == Some(0.0) && row.candidate == Some(0.0);
        let shown = match row.category.as_str() {
            "summary" | "workload" => !nothing || row.metric == "failed",
            "statements" => row.metric == "latency_avg_ms" || significant(row),
            _ => significant(row),
        };
        if !shown {
            continue;
        }
        match sections.last_mut() {
            Some((category, shown)) if *category == row.category => shown.push(row),
            _ => sections.push((&row.category, vec![row])),
        }
    }
    sections
}

fn heading(category: &str) -> String {
    format!(
        "{category:<NAME_WIDTH$}{:>11}{:>11}{:>8}{:>16}",
        "baseline", "candidate", "change", "95 % interval"
    )
}

/// What a metric is of stands in a line of its own.
fn metric(row: &Row) -> Vec<String> {
    let mut lines = Vec::new();
    let indent = if row.object.is_some() { 4 } else { 2 };
    if let Some(object) = &row.object {
        lines.push(format!("  {}", one_line(object, WIDTH - 2)));
    }
    let name = one_line(&row.metric, NAME_WIDTH - 1 - indent);
    let name = format!("{:indent$}{name}", "");
    let change = row
        .change_percent
        .map_or_else(|| "-".to_owned(), short_percent);
    let interval = match row.ci_low_percent.zip(row.ci_high_percent) {
        Some((low, high)) => format!("{} to {}", short_percent(low), short_percent(high)),
        None => String::new(),
    };
    let verdict = match &row.verdict {
        Verdict::NoDifference => "~".to_owned(),
        Verdict::SingleObservation => "?".to_owned(),
        Verdict::NotComparable(_) => "-".to_owned(),
        verdict => verdict.to_string(),
    };
    lines.push(format!(
        "{name:<NAME_WIDTH$}{:>11}{:>11}{change:>8}{interval:>16} {verdict}",
        cell(row, row.baseline),
        cell(row, row.candidate),
    ));
    lines
}

/// A value in at most 10 characters.
fn cell(row: &Row, value: Option<f64>) -> String {
    let Some(value) = value else {
        return "-".to_owned();
    };
    if row.unit.as_deref() == Some("bytes") {
        return bytes(value.round() as i64);
    }
    match value.abs() {
        magnitude if magnitude >= 1e9 => format!("{value:.3e}"),
        magnitude if value.fract() == 0.0 || magnitude >= 1e5 => format!("{value:.0}"),
        magnitude if magnitude >= 100.0 => format!("{value:.1}"),
        magnitude if magnitude >= 0.1 => format!("{value:.3}"),
        _ => format!("{value:.6}"),
    }
}

fn percent(value: f64) -> String {
    format!("{} %", short_percent(value))
}

fn short_percent(value: f64) -> String {
    // No "-0.0".
    let value = if value.abs() < 0.05 { 0.0 } else { value };
    if value.abs() >= 999.5 {
        format!("{value:+.0e}")
    } else if value.abs() >= 99.95 {
        format!("{value:+.0}")
    } else {
        format!("{value:+.1}")
    }
}
