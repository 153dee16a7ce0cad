//! A comparison as a comment of a pull request: GitHub's Markdown, which GitLab reads as well.

use super::cells::{cell, deciding_p};
use super::differences::{cut_to_difference, name};
use super::row::{Comparison, Row};
use super::sections::{Section, sections};
use super::text::{answer, runs_of};
use crate::show::blocks::{Listing, code as code_column, figure, name as name_column};
use crate::show::markdown::{code, escape, table};
use crate::show::text::one_line;

/// Characters of a condition's value.
const LONGEST: usize = 100;

/// The answer first, then the summary; everything else is folded.
pub fn comment(comparison: &Comparison) -> String {
    let side = |runs| escape(&one_line(&runs_of(runs), 2 * LONGEST));
    let mut lines = vec![
        format!(
            "### pgperf: run {} against run {}",
            side(&comparison.candidate),
            side(&comparison.baseline)
        ),
        String::new(),
    ];
    if let Some(caution) = &comparison.caution {
        lines.push(format!("> {}", escape(caution)));
        lines.push(String::new());
    }
    for row in comparison.rates() {
        lines.push(format!("**{}**", escape(&answer(row))));
        lines.push(String::new());
    }
    if let Some(row) = comparison.headline() {
        let verdict = row.verdict.to_string();
        lines.push(format!(
            "**{}: {}**",
            escape(&answer(row)),
            escape(&verdict)
        ));
        lines.push(String::new());
    }
    let paired = comparison
        .pair_by
        .map(|by| format!("paired by {}", by.name()));
    let notes = comparison.notes.iter().chain(&paired);
    lines.extend(notes.map(|note| format!("* {}", escape(note))));
    for section in sections(&comparison.rows) {
        lines.push(String::new());
        lines.extend(if section.category == "summary" {
            rows(&section)
        } else {
            folded(&escape(section.category), rows(&section))
        });
    }
    let conditions = conditions(&comparison.rows);
    if !conditions.is_empty() {
        lines.push(String::new());
        let heads = ["", "baseline", "candidate"];
        lines.extend(folded("what else differs", table(&heads, &conditions)));
    }
    lines.push(String::new());
    lines.push(
        "p: how likely such a change is by chance, corrected for how many metrics were tested."
            .to_owned(),
    );
    lines.join("\n") + "\n"
}

fn folded(title: &str, content: Vec<String>) -> Vec<String> {
    let mut lines = vec![format!("<details><summary>{title}</summary>\n")];
    lines.extend(content);
    lines.push("\n</details>".to_owned());
    lines
}

fn rows(section: &Section) -> Vec<String> {
    let columns = vec![
        code_column("of", |row: &&Row| row.object.clone().unwrap_or_default()),
        name_column("metric", |row: &&Row| row.metric.clone()),
        figure("baseline", |row: &&Row| Some(cell(row, row.baseline))),
        figure("candidate", |row: &&Row| Some(cell(row, row.candidate))),
        figure("change", |row: &&Row| row.delta.change()),
        figure("95 % interval", |row: &&Row| row.delta.interval()),
        figure("p", |row: &&Row| deciding_p(row)),
        name_column("verdict", |row: &&Row| row.verdict.to_string()),
    ];
    let listing = Listing::of(&section.shown, columns);
    let rest = section.rest().map(|rest| format!("\n{}", escape(&rest)));
    listing.comment().into_iter().chain(rest).collect()
}

fn conditions(rows: &[Row]) -> Vec<Vec<String>> {
    rows.iter()
        .filter_map(|row| {
            let (before, after) = (row.baseline_text.as_ref()?, row.candidate_text.as_ref()?);
            let (before, after) = cut_to_difference(before, after, LONGEST);
            Some(vec![escape(&name(row)), code(&before), code(&after)])
        })
        .collect()
}
