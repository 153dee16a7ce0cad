//! A file has rows of the history that make a rule speak, and a table of what changes that.
//!
//! ```sql
//! -- standby_lag of standby {n}
//! -- conditions: replication/standby_lag.sql 9
//! -- bytes: 1073741824
//! INSERT INTO pgperf.replication_history ... SELECT ..., 'standby {n}', {bytes} FROM tick WHERE m BETWEEN 1 AND 3;
//!
//! -- rows
//! -- at least 1 GB | 10m 1h 1d | => warning, 1024 MB behind | bytes = 1073741823 => silent
//! ```
//!
//! The head names the rule and its object, the files of the rule with the number of their conditions ([`super::counted`]), other rules that may
//! speak of these rows (`also`), what the rule is about (see `is_about_all` and `counts`), and values that stand for themselves in the SQL, in braces. Samples are those of the table `tick`: m from -120 to 60,
//! of which m = 1 to 60 lie in the window, each a sixtieth of it.
//!
//! A row: what it is about, the lengths of windows (empty: an hour), then sides: what differs from the head, and what is found of the object:
//! `silent`, or its severity with texts of the finding, separated by " & ". All sides of a window are planted together, each with an object of its own, `{n}`,
//! unless the window's column says `alone` or the rule has but one object. `{ms}`: the milliseconds of a sixtieth.
//! SQL after a line `-- once` is not repeated for each object, up to `-- each`.

use std::fs;
use std::path::PathBuf;

use crate::common::checkout;

/// Of one rule.
pub struct Subject {
    pub file: String,
    pub rule: String,
    pub object: String,
    /// Other rules that may speak.
    pub also: Vec<String>,
    /// Files of the rule, each with the number of its conditions.
    pub conditions: Vec<(String, usize)>,
    /// Whether what comes after the window changes the findings.
    pub is_about_all: bool,
    /// Whether it is about cumulative counters, so that a sample between two of which nothing is new changes nothing.
    pub counts: bool,
    pub values: Values,
    once: String,
    each: String,
    pub rows: Vec<Row>,
}

pub struct Row {
    pub about: String,
    pub windows: Vec<String>,
    pub is_alone: bool,
    pub sides: Vec<Side>,
}

pub struct Side {
    pub values: Values,
    /// None: nothing is found.
    pub severity: Option<String>,
    pub texts: Vec<String>,
}

pub type Values = Vec<(String, String)>;

/// The folder of the tables.
pub fn folder() -> PathBuf {
    checkout().join("tests/history/findings/conditions")
}

/// The tables of a folder.
pub fn of_folder(name: &str) -> Vec<Subject> {
    let folder = folder().join(name);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        Subject::read(
            &format!("{name}/{}", path.file_name().unwrap().display()),
            &text,
        )
    };
    paths.into_iter().map(read).collect()
}

impl Subject {
    fn read(file: &str, text: &str) -> Subject {
        let (text, rows) = text.split_once("\n-- rows\n").expect("rows");
        let is_head =
            |line: &&str| line.starts_with("-- ") && !["-- once", "-- each"].contains(line);
        let mut head = text.lines().take_while(is_head).map(|line| &line[3..]);
        let (rule, object) = head.next().unwrap().split_once(" of ").expect("its object");
        let mut subject = Subject {
            file: file.to_owned(),
            rule: rule.to_owned(),
            object: object.to_owned(),
            also: Vec::new(),
            conditions: Vec::new(),
            is_about_all: false,
            counts: false,
            values: Vec::new(),
            once: String::new(),
            each: String::new(),
            rows: rows.lines().map(|line| Row::read(file, line)).collect(),
        };
        for line in head {
            let is_name = |name: &str| name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
            // Otherwise it is a comment.
            let Some((name, value)) = line.split_once(':').filter(|(name, _)| is_name(name)) else {
                continue;
            };
            let value = value.trim();
            match name {
                "also" => subject.also = words(value),
                "conditions" => subject.conditions = value.split(", ").map(counted).collect(),
                "about" => match value {
                    "all of the history" => subject.is_about_all = true,
                    "counters" => subject.counts = true,
                    _ => panic!("{file}: {line}"),
                },
                _ => subject.values.push((name.to_owned(), value.to_owned())),
            }
        }
        let mut is_once = false;
        for line in text.lines().skip_while(is_head) {
            match line {
                "-- once" => is_once = true,
                "-- each" => is_once = false,
                line => {
                    let part = if is_once {
                        &mut subject.once
                    } else {
                        &mut subject.each
                    };
                    part.push_str(line);
                    part.push('\n');
                }
            }
        }
        subject
    }

    /// Whether several of its objects can be told apart.
    pub fn has_objects(&self) -> bool {
        self.object.contains("{n}")
    }

    /// What is planted for one side.
    pub fn plant(&self, n: usize, ms: u64, side: &Side) -> String {
        self.filled(&self.each, n, ms, side)
    }

    /// What is planted before the first.
    pub fn plant_once(&self, ms: u64, side: &Side) -> String {
        self.filled(&self.once, 1, ms, side)
    }

    pub fn object(&self, n: usize, side: &Side) -> String {
        self.filled(&self.object, n, 0, side)
    }

    fn filled(&self, text: &str, n: usize, ms: u64, side: &Side) -> String {
        let is_known = |name: &String| self.values.iter().any(|(known, _)| known == name);
        if let Some((name, _)) = side.values.iter().find(|(name, _)| !is_known(name)) {
            panic!("{}: {name} is not in the head", self.file);
        }
        let mut text = text.to_owned();
        // Values may name others.
        for _ in 0..2 {
            for (name, value) in side.values.iter().chain(&self.values) {
                text = text.replace(&format!("{{{name}}}"), value);
            }
        }
        text.replace("{n}", &n.to_string())
            .replace("{ms}", &ms.to_string())
    }
}

impl Row {
    fn read(file: &str, line: &str) -> Row {
        let parts: Vec<&str> = line
            .trim_start_matches("-- ")
            .split(" |")
            .map(str::trim)
            .collect();
        let [about, windows, sides @ ..] = &parts[..] else {
            panic!("{file}: {line}");
        };
        let mut windows = words(windows);
        let is_alone = windows.iter().any(|word| word == "alone");
        windows.retain(|word| word != "alone");
        if windows.is_empty() {
            windows.push("1h".to_owned());
        }
        assert!(!sides.is_empty(), "{file}: {about} has no side");
        Row {
            about: (*about).to_owned(),
            windows,
            is_alone,
            sides: sides.iter().map(|side| Side::read(file, side)).collect(),
        }
    }
}

impl Side {
    fn read(file: &str, side: &str) -> Side {
        let (values, expected) = side
            .rsplit_once("=>")
            .unwrap_or_else(|| panic!("{file}: {side}"));
        let value = |part: &str| {
            let (name, value) = part
                .split_once(" = ")
                .unwrap_or_else(|| panic!("{file}: {part}"));
            (name.trim().to_owned(), value.trim().to_owned())
        };
        let values = values.split("; ").filter(|part| !part.trim().is_empty());
        let (severity, texts) = expected
            .trim()
            .split_once(", ")
            .unwrap_or((expected.trim(), ""));
        assert!(
            ["silent", "note", "warning", "critical"].contains(&severity),
            "{file}: {side}"
        );
        let texts = texts.split(" & ").filter(|text| !text.is_empty());
        Side {
            values: values.map(value).collect(),
            severity: (severity != "silent").then(|| severity.to_owned()),
            texts: texts.map(str::to_owned).collect(),
        }
    }
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

fn counted(text: &str) -> (String, usize) {
    let (file, number) = text.split_once(' ').expect("a file and a number");
    (file.to_owned(), number.parse().expect("a number"))
}
