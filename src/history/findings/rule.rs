//! A rule, as data.

use super::settings::Thresholds;
use crate::subject::plans;
use serde::Serialize;

/// How urgent a finding is, in ascending order. The type `pgperf.severity` has the same names in the same order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// It costs time or space, or soon will.
    Warning,
    /// Data or the service are in danger.
    Critical,
}

impl Severity {
    pub const ALL: [Severity; 3] = [Severity::Note, Severity::Warning, Severity::Critical];

    /// As in SQL.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Critical => "critical",
        }
    }

    /// The colour of its marks: its number on the page.
    pub fn color(self) -> u8 {
        match self {
            Severity::Note => 7,
            Severity::Warning => 2,
            Severity::Critical => 4,
        }
    }

    /// The severity of that name.
    pub fn of(name: &str) -> Option<Severity> {
        Severity::ALL
            .into_iter()
            .find(|severity| severity.name() == name)
    }
}

/// A rule: a statement that finds something, and what to do about it.
pub struct Rule {
    pub name: &'static str,
    /// Where it begins to speak, if that is one number.
    pub threshold: Option<Threshold>,
    /// That of its findings, unless the statement gives a higher one.
    pub severity: Severity,
    /// Its findings in a few words.
    pub title: &'static str,
    /// What to do.
    pub advice: &'static str,
    /// One row for each finding, with the columns of [`COLUMNS`]. $1: the node, $2 and $3: the window; `{threshold name}` stands for the
    /// threshold of a rule, `{index candidates}` for the indexes that plans lack. The text begins with comments: when the rule speaks, and the reasons for its limits; the documentation has them from there.
    pub sql: &'static str,
}

/// A limit that a user may change.
#[derive(Debug, Clone, Copy)]
pub struct Threshold {
    pub default: f64,
    pub unit: &'static str,
}

/// A threshold at its default.
pub const fn at(default: f64, unit: &'static str) -> Threshold {
    Threshold { default, unit }
}

impl Rule {
    /// When it speaks, for the documentation: the comment at the beginning of its statement.
    #[cfg(test)]
    pub fn when(&self) -> String {
        let comment = self.sql.lines().map_while(|line| line.strip_prefix("-- "));
        comment.collect::<Vec<_>>().join(" ")
    }
}

/// The columns of a rule's statement, with their types. `severity` is NULL for the rule's own; `impact` is 0 to 99: the order
/// among findings of one severity. The figure `time_percent`, if there is one, is the share of database time.
pub const COLUMNS: [(&str, &str); 11] = [
    ("severity", "text"),
    ("impact", "float8"),
    ("object_kind", "text"),
    ("schema_name", "text"),
    ("object_name", "text"),
    ("at", "timestamptz"),
    ("since", "timestamptz"),
    ("until", "timestamptz"),
    ("evidence", "text"),
    ("figures", "jsonb"),
    ("fix_sql", "text"),
];

/// Rules that read the same part of the history: it is read once for all of them.
pub struct Subject {
    /// For the documentation.
    #[cfg(test)]
    pub title: &'static str,
    /// What the statements of the rules read: members of a WITH clause, which may name what is shared with sections
    /// (its module `shared`); empty: none.
    pub source: &'static str,
    pub rules: &'static [Rule],
}

impl Subject {
    /// One statement for some of its rules.
    pub fn statement<'a>(
        &self,
        rules: impl IntoIterator<Item = &'a Rule>,
        thresholds: &Thresholds,
    ) -> String {
        let names = COLUMNS.map(|(name, _)| name).join(", ");
        let values = COLUMNS
            .map(|(name, kind)| format!("r.{name}::{kind}"))
            .join(", ");
        let parts: Vec<String> = (rules.into_iter())
            .map(|Rule { name, sql, .. }| {
                format!("SELECT '{name}' AS rule, {values} FROM (\n{sql}\n) r({names})")
            })
            .collect();
        let with = if self.source.is_empty() { "" } else { "WITH " };
        let sql = format!("{with}{}\n{}", self.source, parts.join("\nUNION ALL\n"));
        let (place, candidates) = plans::INDEX_CANDIDATES;
        thresholds.fill(&sql.replace(place, candidates))
    }
}
