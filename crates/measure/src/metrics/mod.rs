//! The metrics: their names, units and meanings, which way is better, and where they are shown. Comparisons, gates, the facts
//! of a run and `docs/metrics.md` follow from this table.

mod table;

pub use table::METRICS;

use serde::Serialize;

/// The category of the metrics that workloads define.
pub const OF_WORKLOAD: &str = "workload";
/// How well the mean is known, of runs that end when it is known well enough.
pub const TPS_PRECISION: &str = "tps_precision_percent";

/// Which way is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Better {
    Higher,
    Lower,
}

impl Better {
    /// `higher` or `lower`.
    pub fn name(self) -> &'static str {
        match self {
            Better::Higher => "higher",
            Better::Lower => "lower",
        }
    }

    /// The one of this name.
    pub fn named(name: &str) -> Option<Better> {
        [Better::Higher, Better::Lower]
            .into_iter()
            .find(|better| better.name() == name)
    }
}

/// Where the values come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A column of `run_summary`, `run_statements` or `run_relations`, or made of one.
    Columns,
    /// A row of `run_metrics`.
    Facts,
}

/// Where a metric is shown besides `pgperf.compare`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// Before the others, in this order.
    First,
    /// Checked by `pgperf.gate` unless the caller names others.
    Gated,
    /// In the report of a comparison, whatever became of it; all others where they differ.
    Always,
}

/// A metric.
#[derive(Clone, Copy, Debug)]
pub struct Metric {
    /// Without the part that it may be of, which is behind a dot.
    pub name: &'static str,
    pub source: Source,
    pub category: &'static str,
    pub unit: &'static str,
    /// None: neither more nor less is better by itself.
    pub better: Option<Better>,
    /// Whether it grows with the length of the run.
    pub total: bool,
    pub shown: &'static [Shown],
    /// What it is: half a sentence.
    pub about: &'static str,
}

impl Metric {
    pub fn is_shown(&self, place: Shown) -> bool {
        self.shown.contains(&place)
    }
}

/// The metric of this source, category and name, which may have a part behind a dot.
pub fn find(source: Source, category: &str, name: &str) -> Option<&'static Metric> {
    let name = name.split_once('.').map_or(name, |(name, _part)| name);
    METRICS.iter().find(|metric| {
        metric.source == source && metric.category == category && metric.name == name
    })
}

/// The first metric of this name, whatever its category.
pub fn named(source: Source, name: &str) -> Option<&'static Metric> {
    METRICS
        .iter()
        .find(|metric| metric.source == source && metric.name == name)
}

/// Those that are shown at a place, in their order there.
pub fn shown(place: Shown) -> impl Iterator<Item = &'static Metric> {
    METRICS.iter().filter(move |metric| metric.is_shown(place))
}

/// The rates that the users of a workload speak of, such as nopm: what its runs show first.
pub fn rates() -> impl Iterator<Item = &'static Metric> {
    shown(Shown::First)
        .filter(|metric| metric.source == Source::Facts && metric.category == OF_WORKLOAD)
}

/// Whether a metric of a workload is one that its runs show first: such a rate, or one that the workload's author has defined.
pub fn is_headline(name: &str) -> bool {
    rates().any(|rate| rate.name == name) || find(Source::Facts, OF_WORKLOAD, name).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write;
    use std::path::Path;

    #[test]
    fn runs_show_the_rates_of_their_workload_first() {
        let names: Vec<_> = rates().map(|rate| rate.name).collect();
        assert!(names.contains(&"nopm"), "{names:?}");
        assert!(!names.contains(&"tps"), "{names:?}");
        for (name, expected) in [
            ("nopm", true),
            ("remote_lines_percent", false),
            ("of my own", true),
        ] {
            assert_eq!(is_headline(name), expected, "{name}");
        }
    }

    #[test]
    fn each_metric_has_a_name_of_its_own_in_its_category() {
        for (place, metric) in METRICS.iter().enumerate() {
            let same = |other: &&Metric| {
                (other.source, other.category, other.name)
                    == (metric.source, metric.category, metric.name)
            };
            assert_eq!(METRICS.iter().position(|m| same(&m)), Some(place));
            let found = find(metric.source, metric.category, metric.name);
            assert!(found.as_ref().is_some_and(same), "{}", metric.name);
            let of_part = format!("{}.part", metric.name);
            let found = find(metric.source, metric.category, &of_part);
            assert!(found.as_ref().is_some_and(same), "{of_part}");
            // Rows of run_metrics have their name as their key.
            if metric.source == Source::Facts {
                let found = named(Source::Facts, metric.name);
                assert_eq!(found.map(|found| found.category), Some(metric.category));
            }
        }
        assert!(METRICS.len() > 100);
    }

    #[test]
    fn a_direction_is_found_by_its_name() {
        for better in [Better::Higher, Better::Lower] {
            assert_eq!(Better::named(better.name()), Some(better));
        }
        assert_eq!(Better::named("best"), None);
    }

    #[test]
    fn what_is_gated_has_a_better_way() {
        let mut gated = shown(Shown::Gated);
        assert!(gated.all(|metric| metric.better.is_some()));
    }

    /// The tables of the page: one for each category.
    fn tables() -> String {
        let mut text = String::new();
        for group in METRICS.chunk_by(|a, b| (a.source, a.category) == (b.source, b.category)) {
            let Metric {
                category, source, ..
            } = group[0];
            let of = match source {
                Source::Columns => "of columns",
                Source::Facts => "of `run_metrics`",
            };
            write!(text, "\n### `{category}`, {of}\n\n").unwrap();
            text += "| metric | unit | better | meaning |\n|---|---|---|---|\n";
            for metric in group {
                let better = metric.better.map_or("", Better::name);
                let Metric {
                    name, unit, about, ..
                } = metric;
                writeln!(text, "| `{name}` | {unit} | {better} | {about} |").unwrap();
            }
        }
        text
    }

    /// PGPERF_WRITE_DOCS=1 writes the tables anew.
    #[test]
    fn the_page_has_the_same_metrics() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/metrics.md");
        let page = std::fs::read_to_string(&file).unwrap();
        let (head, documented) = page.split_at(page.find("\n### ").unwrap());
        if std::env::var_os("PGPERF_WRITE_DOCS").is_some() {
            std::fs::write(&file, format!("{head}{}", tables())).unwrap();
            return;
        }
        assert!(
            documented == tables(),
            "docs/metrics.md is not that of the table: PGPERF_WRITE_DOCS=1 tools/cargo test -p pgperf-measure metrics"
        );
    }

    #[test]
    fn a_metric_is_shown_where_its_line_says() {
        let names = |place| shown(place).map(|metric| metric.name).collect::<Vec<_>>();
        assert!(names(Shown::First).contains(&"tps"));
        assert!(names(Shown::Gated).contains(&"latency_p99_ms"));
        assert!(!names(Shown::Gated).contains(&"latency_max_ms"));
        assert!(names(Shown::Always).contains(&"autovacuum_count"));
        assert!(!names(Shown::Always).contains(&"retries"));
    }
}
