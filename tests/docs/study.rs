//! What `tools/study` leaves: the output, the pages and what other means have measured.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::common::browser::Browser;
use crate::common::pages::looked_at;
use crate::common::{bindir, checkout};

/// What a study has left.
pub struct Study {
    _kept: tempfile::TempDir,
    name: String,
    folder: PathBuf,
    output: String,
    /// What the tool says besides.
    pub notes: String,
}

/// Rows of a table of a report: the cells of each.
pub type Rows = Vec<Vec<String>>;

impl Study {
    pub fn run(name: &str) -> Study {
        let kept = tempfile::tempdir().expect("a temporary folder");
        let output = Command::new(checkout().join("tools/study"))
            .args([name, &kept.path().to_string_lossy(), "--check"])
            .env("PG_CONFIG", bindir().join("pg_config"))
            .output()
            .expect("tools/study");
        let notes = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{name}\n{notes}");
        let folder = kept.path().join(name);
        let output = fs::read_to_string(folder.join("output.txt")).expect("the output");
        Study {
            _kept: kept,
            name: name.to_owned(),
            folder,
            output,
            notes,
        }
    }

    /// A file that it has left.
    pub fn file(&self, name: &str) -> String {
        fs::read_to_string(self.folder.join(name)).expect(name)
    }

    pub fn expect(&self, parts: &[&str]) {
        for part in parts {
            assert!(self.output.contains(part), "{part}\n{}", self.output);
        }
    }

    pub fn expect_in(&self, file: &str, parts: &[&str]) {
        let text = self.file(file);
        for part in parts {
            assert!(text.contains(part), "{file}: {part}");
        }
    }

    /// The output in one line.
    pub fn in_one_line(&self) -> String {
        let words: Vec<&str> = self.output.split_whitespace().collect();
        words.join(" ")
    }

    /// The tables whose heads contain these, in the order of the output; each with its heads as the first row.
    pub fn tables(&self, heads: &[&str]) -> Vec<Rows> {
        tables(self.output.lines(), heads)
    }

    /// Those behind a line.
    pub fn tables_behind(&self, line: &str, heads: &[&str]) -> Vec<Rows> {
        tables(self.output.lines().skip_while(|it| *it != line), heads)
    }

    /// The tables below lines with this title; each with its heads as the first row.
    pub fn tables_below(&self, title: &str) -> Vec<Rows> {
        let mut lines = self.output.lines();
        let mut tables = Vec::new();
        while lines.any(|line| line == title) {
            let rows = lines.by_ref().take_while(|line| !line.trim().is_empty());
            tables.push(rows.map(cells).collect());
        }
        tables
    }

    /// The page in a browser that has checked it in every view and taken pictures.
    pub fn page(&self, name: &str) -> Browser {
        looked_at(
            &self.folder.join(name).with_extension("html"),
            &format!("study-{}-{name}", self.name),
        )
    }
}

fn tables<'a>(mut lines: impl Iterator<Item = &'a str>, heads: &[&str]) -> Vec<Rows> {
    let mut tables = Vec::new();
    while let Some(line) = lines.next() {
        let cells = cells(line);
        if heads
            .iter()
            .all(|head| cells.iter().any(|cell| cell == head))
        {
            let rows = lines.by_ref().take_while(|line| !line.trim().is_empty());
            let rows = rows.map(self::cells);
            tables.push([cells].into_iter().chain(rows).collect());
        }
    }
    assert!(!tables.is_empty(), "no table with {heads:?}");
    tables
}

/// The cells of a line of a report, which are two spaces apart.
fn cells(line: &str) -> Vec<String> {
    let cells = line.split("  ").map(str::trim);
    let cells = cells.filter(|cell| !cell.is_empty());
    cells.map(str::to_owned).collect()
}

/// Rows of a table that is too wide for a line: the first cell of each stands above the others.
pub fn beside_their_names(rows: &Rows) -> Rows {
    let mut all = rows.iter();
    let mut joined = Rows::new();
    while let Some(row) = all.next() {
        let others = (row.len() == 1).then(|| all.next()).flatten();
        joined.push(
            row.iter()
                .chain(others.into_iter().flatten())
                .cloned()
                .collect(),
        );
    }
    joined
}

/// A cell of the row that begins with this one.
pub fn cell<'a>(rows: &'a Rows, name: &str, column: usize) -> &'a str {
    let row = rows.iter().find(|row| row[0] == name);
    let row = row.unwrap_or_else(|| panic!("no row {name}: {rows:#?}"));
    &row[column]
}

/// A figure with or without a unit, such as `1.24 MB`, `136,180` or `-2.5 %`.
pub fn amount(text: &str) -> f64 {
    let (number, unit) = text.split_once(' ').unwrap_or((text, ""));
    let number = number.trim_end_matches('%').replace(',', "");
    let number: f64 = number
        .parse()
        .unwrap_or_else(|_| panic!("no figure: {text}"));
    let factor = match unit.split_whitespace().next().unwrap_or_default() {
        "kB" => 1024.0,
        "MB" => 1024.0_f64.powi(2),
        "GB" => 1024.0_f64.powi(3),
        _ => 1.0,
    };
    number * factor
}

/// The first number behind a text.
pub fn number_behind(text: &str, mark: &str) -> f64 {
    let behind = text.split_once(mark);
    let (_, behind) = behind.unwrap_or_else(|| panic!("no {mark}: {text}"));
    let end = |c: char| !(c.is_ascii_digit() || c == '.');
    let number = behind.trim_start().split(end).next().unwrap_or_default();
    number
        .parse()
        .unwrap_or_else(|_| panic!("no number behind {mark}: {text}"))
}

/// The statements of a report in pgbench's style with their latencies, ms: those of `-r`, which have a number of failures from 15 on.
pub fn latencies(report: &str) -> BTreeMap<String, f64> {
    let lines = report.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        let latency: f64 = words.next()?.parse().ok()?;
        let statement = words.filter(|word| word.parse::<f64>().is_err());
        let statement: Vec<&str> = statement.take(2).collect();
        Some((statement.join(" "), latency))
    });
    lines
        .filter(|(statement, _)| statement.contains(' '))
        .collect()
}

/// What docs/figures.sql has printed, before and after.
pub fn figures(text: &str) -> [Value; 2] {
    let lines = text
        .lines()
        .filter_map(|line| line.strip_prefix("pgperf figures "));
    let both: Vec<Value> = lines
        .map(|line| serde_json::from_str(line).expect("figures"))
        .collect();
    both.try_into()
        .unwrap_or_else(|both| panic!("not twice: {both:?}"))
}
