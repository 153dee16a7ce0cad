//! Each file of the rules tells its number of conditions to a table: one more, and the table has to have a row for it.

use super::FOLDERS;
use super::table::{self, Subject};
use crate::common::{checkout, document};
use std::collections::BTreeMap;
use std::fs;

/// Words that begin a condition, or choose.
const WORDS: [&str; 13] = [
    "WHERE", "AND", "OR", "NOT", "HAVING", "WHEN", "FILTER", "LEAST", "GREATEST", "COALESCE",
    "EXISTS", "LIMIT", "JOIN",
];

fn subjects() -> Vec<Subject> {
    FOLDERS
        .iter()
        .flat_map(|folder| table::of_folder(folder))
        .collect()
}

/// The conditions of a statement: comments and texts have none.
fn conditions(sql: &str) -> usize {
    let lines = sql
        .lines()
        .map(|line| line.split("--").next().unwrap_or_default());
    let sql = lines.collect::<Vec<_>>().join("\n");
    let outside = sql.split('\'').step_by(2).collect::<Vec<_>>().join(" ");
    let words = outside.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|word| WORDS.contains(word)).count()
}

#[test]
fn a_condition_more_asks_for_a_row() {
    let mut told: BTreeMap<String, usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for subject in subjects() {
        for (file, number) in subject.conditions {
            let found = conditions(&document(&format!("src/history/findings/{file}")));
            if found != number {
                wrong.push(format!(
                    "{}: {file} has {found} conditions, not {number}: what became of its rows?",
                    subject.file
                ));
            }
            told.insert(file, number);
        }
    }
    for folder in FOLDERS {
        for entry in fs::read_dir(checkout().join("src/history/findings").join(folder)).unwrap() {
            let file = format!("{folder}/{}", entry.unwrap().file_name().display());
            if file.ends_with(".sql") && !told.contains_key(&file) {
                wrong.push(format!("{file}: no table counts its conditions"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_rule_has_a_table() {
    // The documentation has all of them, which a unit test compares with the code.
    let page = document("docs/findings.md");
    let rules = page.lines().filter_map(|line| {
        let (name, rest) = line.strip_prefix("| `")?.split_once("` | ")?;
        let severities = ["note |", "warning |", "critical |"];
        severities
            .iter()
            .any(|severity| rest.starts_with(severity))
            .then_some(name)
    });
    let subjects = subjects();
    let rules: Vec<&str> = rules.collect();
    assert!(rules.len() > 30, "{rules:?}");
    for rule in rules {
        assert!(
            subjects.iter().any(|subject| subject.rule == rule),
            "{rule}"
        );
    }
}

#[test]
fn conditions_are_counted_outside_of_texts_and_comments() {
    assert_eq!(
        conditions("SELECT 1 WHERE a = 'x AND y' AND b -- OR c\n OR COALESCE(c, d)"),
        4
    );
    assert_eq!(conditions("SELECT 'WHERE'"), 0);
}
