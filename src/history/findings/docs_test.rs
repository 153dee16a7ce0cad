//! `docs/findings.md` has the rules of the code.

use super::subjects::SUBJECTS;
use std::fmt::Write;
use std::path::Path;

/// A table for each subject.
fn tables() -> String {
    let mut text = String::new();
    for subject in SUBJECTS {
        write!(text, "\n### {}\n\n", subject.title).unwrap();
        text += "| rule | severity | what it says | when | what to do |\n|---|---|---|---|---|\n";
        for rule in subject.rules {
            writeln!(
                text,
                "| `{}` | {} | {} | {} | {} |",
                rule.name,
                rule.severity.name(),
                rule.title,
                rule.when(),
                rule.advice
            )
            .unwrap();
        }
    }
    text
}

/// PGPERF_WRITE_DOCS=1 writes the tables anew.
#[test]
fn the_page_has_the_same_rules() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/findings.md");
    let page = std::fs::read_to_string(&file).unwrap();
    let (head, documented) = page.split_at(page.find("\n### ").unwrap());
    if std::env::var_os("PGPERF_WRITE_DOCS").is_some() {
        std::fs::write(&file, format!("{head}{}", tables())).unwrap();
        return;
    }
    assert!(
        documented == tables(),
        "docs/findings.md is not that of the rules: PGPERF_WRITE_DOCS=1 tools/cargo test --lib findings"
    );
}
