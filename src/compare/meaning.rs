//! What the name of a metric says about it.

use serde::Serialize;

/// Which way is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    Higher,
    Lower,
}

impl Direction {
    pub fn name(self) -> &'static str {
        match self {
            Direction::Higher => "higher",
            Direction::Lower => "lower",
        }
    }

    pub fn named(name: &str) -> Option<Direction> {
        match name {
            "higher" => Some(Direction::Higher),
            "lower" => Some(Direction::Lower),
            _ => None,
        }
    }
}

/// A metric's unit and direction.
#[derive(Clone, Debug, PartialEq)]
pub struct Meaning {
    pub unit: Option<String>,
    /// None: neither more nor less is better by itself.
    pub direction: Option<Direction>,
    /// Whether it grows with the length of the run.
    pub total: bool,
    /// Its place in a list.
    pub rank: usize,
}

/// The metrics that come first, in their order.
const FIRST: [&str; 17] = [
    "tps",
    "duration_s",
    "transactions",
    "latency_avg_ms",
    "latency_stddev_ms",
    "latency_p50_ms",
    "latency_p90_ms",
    "latency_p95_ms",
    "latency_p99_ms",
    "latency_p999_ms",
    "latency_p9999_ms",
    "latency_max_ms",
    "failed",
    "failed_percent",
    "wal_bytes",
    "wal_bytes_per_tx",
    "hit_percent",
];
const HIGHER: [&str; 4] = ["tps", "transactions", "hit_percent", "tuple_percent"];
/// Besides every time, and everything by transaction or call.
const LOWER: [&str; 13] = [
    "duration_s",
    "failed",
    "failed_percent",
    "retried",
    "retries",
    "skipped",
    "late",
    "serialization_failures",
    "deadlock_failures",
    "other_failures",
    "bloat_percent",
    "dead_percent",
    "dead_tuples",
];

impl Meaning {
    pub fn of(metric: &str) -> Meaning {
        let per_call = metric.ends_with("_per_call") || metric.ends_with("_per_tx");
        let unit = match metric {
            "tps" => "per second",
            _ if metric.ends_with("_ms") => "ms",
            _ if metric.ends_with("_s") => "s",
            _ if metric.ends_with("_percent") => "%",
            _ if metric.contains("_bytes") || metric.starts_with("bytes_") => "bytes",
            _ => "count",
        };
        // Rows are the work itself.
        let cost = metric.ends_with("_ms") || (per_call && metric != "rows_per_call");
        let direction = if HIGHER.contains(&metric) {
            Some(Direction::Higher)
        } else if cost || LOWER.contains(&metric) {
            Some(Direction::Lower)
        } else {
            None
        };
        Meaning {
            unit: Some(unit.to_owned()),
            direction,
            total: !per_call
                && matches!(unit, "count" | "bytes")
                && !metric.ends_with("size_bytes"),
            rank: FIRST
                .iter()
                .position(|first| *first == metric)
                .unwrap_or(FIRST.len()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_unit_and_direction() {
        let told = |metric: &str| {
            let meaning = Meaning::of(metric);
            (
                meaning.unit.unwrap_or_default(),
                meaning.direction,
                meaning.total,
            )
        };
        let unit = str::to_owned;
        assert_eq!(
            told("tps"),
            (unit("per second"), Some(Direction::Higher), false)
        );
        assert_eq!(
            told("latency_p99_ms"),
            (unit("ms"), Some(Direction::Lower), false)
        );
        assert_eq!(told("wal_bytes"), (unit("bytes"), None, true));
        assert_eq!(
            told("wal_bytes_per_tx"),
            (unit("bytes"), Some(Direction::Lower), false)
        );
        assert_eq!(told("rows_per_call"), (unit("count"), None, false));
        assert_eq!(
            told("failed"),
            (unit("count"), Some(Direction::Lower), true)
        );
        assert_eq!(
            told("hit_percent"),
            (unit("%"), Some(Direction::Higher), false)
        );
        assert_eq!(told("autovacuum_count"), (unit("count"), None, true));
    }
}
