//! All metrics, each source with its SQL. `docs/openmetrics.md` has the same table.
//!
//! The columns of a source's SQL are its labels and its families, under these names. `$1` is the node as text. All of them read
//! the newest sample of the last day: older ones are no state, and few partitions have to be looked at.

mod activity;
mod machine;
mod storage;

/// How a family is read. There is no `info`: readers of Prometheus's older text format, such as node_exporter, refuse that kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It only grows, and begins again at 0 when the server's statistics do.
    Counter,
    Gauge,
}

/// Samples of one name.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// Without the prefix `pgperf_`; a unit is the last part.
    pub name: &'static str,
    pub kind: Kind,
    /// What it is: a phrase, of one source for the first family with its limits.
    pub help: &'static str,
}

impl Family {
    /// The base unit: that of the name. OpenMetrics wants both to agree.
    pub fn unit(&self) -> Option<&'static str> {
        ["seconds", "bytes", "ratio"]
            .into_iter()
            .find(|unit| self.name.rsplit('_').next() == Some(*unit))
    }
}

/// Families with the same labels, read by one statement.
#[derive(Clone, Copy, Debug)]
pub struct Source {
    /// The heading under which the page has them, which a test writes.
    #[cfg_attr(not(test), expect(dead_code))]
    pub topic: &'static str,
    pub sql: &'static str,
    pub labels: &'static [&'static str],
    pub families: &'static [Family],
}

pub const fn counter(name: &'static str, help: &'static str) -> Family {
    let kind = Kind::Counter;
    Family { name, kind, help }
}

pub const fn gauge(name: &'static str, help: &'static str) -> Family {
    let kind = Kind::Gauge;
    Family { name, kind, help }
}

/// All sources, in the order of the text.
pub fn sources() -> impl Iterator<Item = &'static Source> {
    [activity::SOURCES, storage::SOURCES, machine::SOURCES]
        .into_iter()
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::published::expect_tables;
    use std::collections::HashSet;
    use std::fmt::Write;

    #[test]
    fn names_are_those_that_openmetrics_allows_and_unique() {
        let mut seen = HashSet::new();
        for source in sources() {
            for family in source.families {
                let name = family.name;
                assert!(seen.insert(name), "{name} comes twice");
                let letters = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
                assert!(name.chars().all(letters), "{name}");
                // Endings with a meaning of their own.
                for ending in ["_total", "_info", "_created", "_count", "_sum", "_bucket"] {
                    assert!(!name.ends_with(ending), "{name}");
                }
                for other in ["_ms", "_percent", "_kb", "_mb", "_minutes", "_hours"] {
                    assert!(!name.ends_with(other), "{name} is not in a base unit");
                }
                let help = family.help;
                assert!(!help.contains(['\\', '"', '\n', '|']), "{help}");
                assert!(
                    source.sql.contains(name),
                    "the SQL of {name} has no such column"
                );
            }
            for label in source.labels {
                assert!(
                    source.sql.contains(label),
                    "the SQL has no column {label} for {}",
                    source.topic
                );
            }
        }
    }

    #[test]
    fn no_source_shows_a_text_of_a_statement() {
        for source in sources() {
            let sql = source.sql.to_lowercase();
            assert!(!source.labels.contains(&"query"));
            assert!(!sql.contains("from pgperf.statement_texts"));
        }
    }

    /// The tables of the page, as Markdown.
    fn tables() -> String {
        let mut text = String::new();
        let mut topic = "";
        for source in sources() {
            if source.topic != topic {
                topic = source.topic;
                let _ = write!(
                    text,
                    "\n### {topic}\n\n| metric | kind | labels | what it is |\n|---|---|---|---|\n"
                );
            }
            for family in source.families {
                let labels: Vec<String> =
                    (source.labels.iter()).map(|l| format!("`{l}`")).collect();
                let kind = format!("{:?}", family.kind).to_lowercase();
                let suffix = family.kind.suffix();
                let _ = writeln!(
                    text,
                    "| `pgperf_{}{suffix}` | {kind} | {} | {} |",
                    family.name,
                    labels.join(", "),
                    family.help
                );
            }
        }
        text
    }

    #[test]
    fn the_page_has_the_same_metrics() {
        expect_tables("docs/openmetrics.md", &tables(), "metrics");
    }
}
