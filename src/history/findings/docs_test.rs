//! `docs/findings.md` has the rules of the code.

use super::subjects::SUBJECTS;
use crate::published::expect_tables;
use std::fmt::Write;

/// A table for each subject.
fn tables() -> String {
    let mut text = String::new();
    for subject in SUBJECTS {
        write!(text, "\n### {}\n\n", subject.title).unwrap();
        text += "| rule | severity | threshold | what it says | when | what to do |\n|---|---|---|---|---|---|\n";
        for rule in subject.rules {
            writeln!(
                text,
                "| `{}` | {} | {} | {} | {} | {} |",
                rule.name,
                rule.severity.name(),
                rule.threshold
                    .map_or_else(String::new, |at| format!("{} {}", at.default, at.unit)),
                rule.title,
                rule.when(),
                rule.advice
            )
            .unwrap();
        }
    }
    text
}

#[test]
fn the_page_has_the_same_rules() {
    expect_tables("docs/findings.md", &tables(), "findings");
}
