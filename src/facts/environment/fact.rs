//! One fact of the environment, and how facts are read from small files of the kernel.

use serde::Serialize;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// A row of `pgperf.run_environment`, without the run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Fact {
    pub category: &'static str,
    pub name: String,
    /// None: it could not be read.
    pub value: Option<String>,
    pub unit: Option<&'static str>,
    /// Why not, or what the value implies.
    pub note: Option<String>,
}

/// Facts of one category in the making.
pub struct CategoryFacts {
    category: &'static str,
    facts: Vec<Fact>,
}

impl CategoryFacts {
    pub fn new(category: &'static str) -> CategoryFacts {
        CategoryFacts {
            category,
            facts: Vec::new(),
        }
    }

    pub fn add(&mut self, name: impl Into<String>, value: impl ToString) {
        self.push(name.into(), Some(value.to_string()), None, None);
    }

    pub fn add_with_unit(
        &mut self,
        name: impl Into<String>,
        value: impl ToString,
        unit: &'static str,
    ) {
        self.push(name.into(), Some(value.to_string()), Some(unit), None);
    }

    pub fn add_with_note(&mut self, name: impl Into<String>, value: impl ToString, note: &str) {
        self.push(
            name.into(),
            Some(value.to_string()),
            None,
            Some(note.to_owned()),
        );
    }

    /// A fact that may be missing: it gets no row then.
    pub fn add_known(&mut self, name: impl Into<String>, value: Option<impl ToString>) {
        if let Some(value) = value {
            self.add(name, value);
        }
    }

    /// A fact that everybody wants to know, but that cannot be read here.
    pub fn add_unknown(&mut self, name: impl Into<String>, why: impl ToString) {
        self.push(name.into(), None, None, Some(why.to_string()));
    }

    pub fn add_or_why(&mut self, name: impl Into<String>, value: Option<String>, why: &str) {
        match value {
            Some(value) => self.add(name, value),
            None => self.add_unknown(name, why),
        }
    }

    fn push(
        &mut self,
        name: String,
        value: Option<String>,
        unit: Option<&'static str>,
        note: Option<String>,
    ) {
        self.facts.push(Fact {
            category: self.category,
            name,
            value,
            unit,
            note,
        });
    }

    pub fn into_vec(self) -> Vec<Fact> {
        self.facts
    }
}

/// A value of a column as text; None: it is NULL.
pub fn text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

/// The contents of a small file of the kernel, without the white space around it; None if it is missing or empty.
pub fn line(path: impl AsRef<Path>) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// The choice in brackets of a file that lists all of them: `always [madvise] never`.
pub fn chosen(path: impl AsRef<Path>) -> Option<String> {
    let text = line(path)?;
    let chosen = text
        .split_once('[')
        .and_then(|(_, rest)| rest.split_once(']'));
    Some(
        chosen
            .map_or(text.as_str(), |(chosen, _)| chosen)
            .to_owned(),
    )
}

/// All different values once, in their order.
pub fn distinct(values: impl Iterator<Item = String>) -> Option<String> {
    let mut values: Vec<String> = values.collect();
    values.sort();
    values.dedup();
    (!values.is_empty()).then(|| values.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_stand_in_brackets() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("enabled");
        fs::write(&file, "always [madvise] never\n").unwrap();
        assert_eq!(chosen(&file).unwrap(), "madvise");
        fs::write(&file, "none\n").unwrap();
        assert_eq!(chosen(&file).unwrap(), "none");
        fs::write(&file, " \n").unwrap();
        assert_eq!(line(&file), None);
        assert_eq!(line(dir.path().join("absent")), None);
    }

    #[test]
    fn different_values_are_told_once() {
        let of = |values: &[&str]| distinct(values.iter().map(|value| (*value).to_owned()));
        assert_eq!(of(&["b", "a", "b"]).unwrap(), "a, b");
        assert_eq!(of(&[]), None);
    }
}
