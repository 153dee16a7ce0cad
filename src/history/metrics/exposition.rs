//! The text formats: OpenMetrics 1.0, and the one before it, version 0.0.4. Families with their type, unit and help, then their samples.

use super::table::LEFT_OUT;
use crate::error::{Result, invalid};
use crate::pg::sql::texts::Texts;
use crate::show::metric::{Family, Kind, Source};
use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;

/// The column that tells the nodes of one text apart, by a label.
pub const NODE: &str = "of_node";

/// How the text is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Families of counters lack the `_total` of their samples, units have a line, and the end is marked.
    #[default]
    OpenMetrics,
    /// A family has the name of its samples.
    Prometheus,
}

impl Format {
    /// The format of that name.
    ///
    /// # Errors
    /// There is none: 22023.
    pub fn named(name: &str) -> Result<Format> {
        match name {
            "openmetrics" => Ok(Format::OpenMetrics),
            "prometheus" => Ok(Format::Prometheus),
            _ => Err(invalid(format!("there is no format \"{name}\"")).hinting(
                "\"openmetrics\" is what Prometheus asks for, \"prometheus\" the older format, for node_exporter's textfile collector.",
            )),
        }
    }
}

/// A text in the making.
#[derive(Default)]
pub struct Exposition {
    format: Format,
    text: String,
    /// Families, and the number of their objects.
    left_out: Vec<Vec<Option<String>>>,
}

impl Exposition {
    pub fn new(format: Format) -> Exposition {
        Exposition {
            format,
            ..Exposition::default()
        }
    }

    /// Adds the families of a source that have a value in any of its rows. A NULL is no sample; of rows with the same labels
    /// the first one counts, since a series has one value.
    pub fn add(&mut self, source: &Source, rows: &Texts) {
        let labels = Labels::of(source.labels, rows);
        let labelled: Vec<_> = (rows.rows.iter())
            .map(|row| (labels.written(row), row))
            .collect();
        let mut different = HashSet::new();
        let are_alike = !(labelled.iter()).all(|(labels, _)| different.insert(labels));
        let (limited, left_out_by) = (rows.place("limited"), rows.place("left_out"));
        for family in source.families {
            let Some(place) = rows.place(family.name) else {
                continue;
            };
            let name = format!("pgperf_{}{}", family.name, family.kind.suffix());
            let mut seen = HashSet::new();
            let mut samples = String::new();
            let mut left_out = BTreeMap::new();
            for (labels, row) in &labelled {
                let Some(value) = cell(row, Some(place)).filter(|value| is_number(value)) else {
                    continue;
                };
                if !are_alike || seen.insert(labels) {
                    let _ = writeln!(samples, "{name}{labels} {value}");
                }
                let count = cell(row, left_out_by).and_then(|count| count.parse::<i64>().ok());
                if let Some(count) = count.filter(|count| *count > 0) {
                    left_out.insert(cell(row, limited), count);
                }
            }
            if !samples.is_empty() {
                self.text.push_str(&self.head(family, &name));
                self.text.push_str(&samples);
            }
            let count: i64 = left_out.values().sum();
            if count > 0 {
                self.left_out
                    .push(vec![Some(name), Some(count.to_string())]);
            }
        }
    }

    /// The whole text. The last line of OpenMetrics has no line feed: that format allows one at most, which psql and others add. The
    /// older one demands it, and allows empty lines.
    pub fn finish(mut self) -> String {
        let left_out = Texts {
            columns: vec!["family".to_owned(), "metrics_left_out".to_owned()],
            rows: std::mem::take(&mut self.left_out),
        };
        self.add(&LEFT_OUT, &left_out);
        if self.format == Format::OpenMetrics {
            self.text.push_str("# EOF");
        }
        self.text
    }

    /// The lines before the samples of a family, whose name is given as well.
    fn head(&self, family: &Family, samples: &str) -> String {
        let Family { name, kind, help } = family;
        let kind = kind.name();
        match self.format {
            Format::OpenMetrics => {
                let mut head = format!("# TYPE pgperf_{name} {kind}\n");
                if let Some(unit) = family.unit() {
                    let _ = writeln!(head, "# UNIT pgperf_{name} {unit}");
                }
                let _ = writeln!(head, "# HELP pgperf_{name} {help}");
                head
            }
            Format::Prometheus => format!("# HELP {samples} {help}\n# TYPE {samples} {kind}\n"),
        }
    }
}

type Row = [Option<String>];

fn cell(row: &Row, place: Option<usize>) -> Option<&str> {
    row.get(place?)?.as_deref()
}

/// Infinity and NaN are no values of pgperf's.
fn is_number(value: &str) -> bool {
    value.parse().is_ok_and(f64::is_finite)
}

/// The labels of a source, and the places of their columns.
struct Labels<'a>(Vec<(&'a str, Option<usize>)>);

impl<'a> Labels<'a> {
    fn of(names: &[&'a str], rows: &Texts) -> Labels<'a> {
        let node = rows.place(NODE).map(|place| ("node", Some(place)));
        let own = names.iter().map(|name| (*name, rows.place(name)));
        Labels(node.into_iter().chain(own).collect())
    }

    /// Those of a row. A NULL is an empty label, which means the same as none: some readers want the same labels on all samples of a family.
    fn written(&self, row: &Row) -> String {
        if self.0.is_empty() {
            return String::new();
        }
        let pairs = (self.0.iter()).map(|(name, place)| {
            format!(
                "{name}=\"{}\"",
                escaped(cell(row, *place).unwrap_or_default())
            )
        });
        format!("{{{}}}", pairs.collect::<Vec<_>>().join(","))
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
    use serde_json::{Value, json};

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
        exposed_as(Format::OpenMetrics, rows)
    }

    fn exposed_as(format: Format, rows: &Value) -> String {
        let columns = [
            "schema",
            "relation",
            "limited",
            "left_out",
            "relation_written_bytes",
            "relation_rows",
            "relation_unknown",
        ];
        let cell = |value: &Value| match value {
            Value::Null => None,
            Value::String(text) => Some(text.clone()),
            value => Some(value.to_string()),
        };
        let row = |row: &Value| columns.map(|column| cell(&row[column])).to_vec();
        let rows = Texts {
            columns: columns.map(str::to_owned).to_vec(),
            rows: rows.as_array().unwrap().iter().map(row).collect(),
        };
        let mut text = Exposition::new(format);
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

    #[test]
    fn in_the_older_format_a_family_has_the_name_of_its_samples() {
        let rows = json!([{"schema": "a\"\n", "relation": "\\", "relation_written_bytes": 7, "relation_rows": 0.5}]);
        let expected = "\
# HELP pgperf_relation_written_bytes_total Bytes written
# TYPE pgperf_relation_written_bytes_total counter
pgperf_relation_written_bytes_total{schema=\"a\\\"\\n\",relation=\"\\\\\"} 7
# HELP pgperf_relation_rows Rows
# TYPE pgperf_relation_rows gauge
pgperf_relation_rows{schema=\"a\\\"\\n\",relation=\"\\\\\"} 0.5
";
        assert_eq!(exposed_as(Format::Prometheus, &rows), expected);
        assert_eq!(exposed_as(Format::Prometheus, &json!([])), "");
        assert!(Format::named("Prometheus").is_err());
    }

    #[test]
    fn each_limit_counts_once_in_each_family_that_has_values() {
        let rows = json!([
            {"relation": "a", "limited": "tables", "left_out": 3, "relation_written_bytes": 1, "relation_rows": 1},
            {"relation": "b", "limited": "tables", "left_out": 3, "relation_written_bytes": 1, "relation_rows": 1},
            {"relation": "i", "limited": "indexes", "left_out": 4, "relation_written_bytes": 1},
        ]);
        let text = exposed(&rows);
        let expected = "\
# TYPE pgperf_metrics_left_out gauge
# HELP pgperf_metrics_left_out Objects beyond the limit of this metric, which has no sample of them; only of metrics that a limit has cut
pgperf_metrics_left_out{family=\"pgperf_relation_written_bytes_total\"} 7
pgperf_metrics_left_out{family=\"pgperf_relation_rows\"} 3
# EOF";
        assert!(text.ends_with(expected), "{text}");
    }
}
