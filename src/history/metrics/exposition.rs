//! The OpenMetrics text format, version 1.0: families with their type, unit and help, then their samples.

use crate::show::metric::{Family, Kind, Source};
use serde_json::{Map, Value};
use std::collections::HashSet;
use std::fmt::Write;

/// A text in the making.
#[derive(Default)]
pub struct Exposition {
    text: String,
}

impl Exposition {
    /// Adds the families of a source that have a value in any of its rows. A NULL is no sample; of rows with the same labels
    /// the first one counts, since a series has one value.
    pub fn add(&mut self, source: &Source, rows: &[Map<String, Value>]) {
        for family in source.families {
            let mut seen = HashSet::new();
            let mut samples = String::new();
            for row in rows {
                let Some(value) = row.get(family.name).and_then(number) else {
                    continue;
                };
                let labels = labels(source.labels, row);
                if seen.insert(labels.clone()) {
                    let _ = writeln!(
                        samples,
                        "pgperf_{}{}{labels} {value}",
                        family.name,
                        family.kind.suffix()
                    );
                }
            }
            if !samples.is_empty() {
                self.text.push_str(&head(family));
                self.text.push_str(&samples);
            }
        }
    }

    /// The whole text. Its last line has no line feed: the format allows one at most, which psql and others add.
    pub fn finish(mut self) -> String {
        self.text.push_str("# EOF");
        self.text
    }
}

fn head(family: &Family) -> String {
    let Family { name, kind, help } = family;
    let mut head = format!("# TYPE pgperf_{name} {}\n", kind.name());
    if let Some(unit) = family.unit() {
        let _ = writeln!(head, "# UNIT pgperf_{name} {unit}");
    }
    let _ = writeln!(head, "# HELP pgperf_{name} {help}");
    head
}

/// A JSON number as it stands, since large counters must keep all their digits.
fn number(value: &Value) -> Option<String> {
    match value {
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// A NULL is an empty label, which means the same as none: some readers want the same labels on all samples of a family.
fn labels(names: &[&str], row: &Map<String, Value>) -> String {
    let pairs: Vec<String> = (names.iter())
        .map(|name| {
            let value = match row.get(*name) {
                Some(Value::String(text)) => escaped(text),
                Some(Value::Number(number)) => number.to_string(),
                _ => String::new(),
            };
            format!("{name}=\"{value}\"")
        })
        .collect();
    if pairs.is_empty() {
        String::new()
    } else {
        format!("{{{}}}", pairs.join(","))
    }
}

/// Names of relations and labels of runs may hold anything.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' => escaped.push_str("\\\\"),
            '"' => escaped.push_str("\\\""),
            '\n' => escaped.push_str("\\n"),
            c => escaped.push(c),
        }
    }
    escaped
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
        }
    }

    /// What the name of a sample has behind that of its family.
    pub fn suffix(self) -> &'static str {
        match self {
            Kind::Counter => "_total",
            Kind::Gauge => "",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::show::metric::{counter, gauge};
    use serde_json::json;

    const SOURCE: Source = Source {
        topic: "test",
        sql: "",
        labels: &["schema", "relation"],
        families: &[
            counter("relation_written_bytes", "Bytes written"),
            gauge("relation_rows", "Rows"),
            gauge("relation_unknown", "Never known"),
        ],
    };

    fn exposed(rows: &Value) -> String {
        let rows: Vec<Map<String, Value>> = serde_json::from_value(rows.clone()).unwrap();
        let mut text = Exposition::default();
        text.add(&SOURCE, &rows);
        text.finish()
    }

    #[test]
    fn a_family_has_its_head_and_its_samples() {
        let rows = json!([
            {"schema": "public", "relation": "a", "relation_written_bytes": 9_223_372_036_854_775_807_i64, "relation_rows": 0.5},
            {"schema": "public", "relation": "b", "relation_written_bytes": 0, "relation_rows": null, "relation_unknown": null},
        ]);
        let expected = "\
# TYPE pgperf_relation_written_bytes counter
# UNIT pgperf_relation_written_bytes bytes
# HELP pgperf_relation_written_bytes Bytes written
pgperf_relation_written_bytes_total{schema=\"public\",relation=\"a\"} 9223372036854775807
pgperf_relation_written_bytes_total{schema=\"public\",relation=\"b\"} 0
# TYPE pgperf_relation_rows gauge
# HELP pgperf_relation_rows Rows
pgperf_relation_rows{schema=\"public\",relation=\"a\"} 0.5
# EOF";
        assert_eq!(exposed(&rows), expected);
        assert_eq!(exposed(&json!([])), "# EOF");
    }

    #[test]
    fn names_are_escaped_and_series_are_unique() {
        let rows = json!([
            {"schema": "a\"b\\c\nd}", "relation": "", "relation_rows": 1},
            {"schema": "a\"b\\c\nd}", "relation": null, "relation_rows": 2},
            {"relation_rows": 3},
        ]);
        let text = exposed(&rows);
        let samples: Vec<&str> = text
            .lines()
            .filter(|line| line.starts_with("pgperf_"))
            .collect();
        assert_eq!(
            samples,
            [
                r#"pgperf_relation_rows{schema="a\"b\\c\nd}",relation=""} 1"#,
                r#"pgperf_relation_rows{schema="",relation=""} 3"#
            ]
        );
    }
}
