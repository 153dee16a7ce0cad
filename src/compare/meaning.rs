//! The meaning of a metric: its unit, direction and rank.

use measure::metrics::{self, Better, Shown, Source};

/// A metric's unit and direction.
#[derive(Clone, Debug, PartialEq)]
pub struct Meaning {
    pub unit: Option<String>,
    /// None: neither more nor less is better by itself.
    pub direction: Option<Better>,
    /// Whether it grows with the length of the run.
    pub total: bool,
    /// Its place in a list.
    pub rank: usize,
}

impl Meaning {
    /// Of a column of a run's totals, its statements or relations.
    pub fn of(metric: &str) -> Meaning {
        Meaning::known(metric, metrics::named(Source::Columns, metric))
    }

    /// Of a row of `run_metrics`, which has a unit of its own. A metric that a stored workload defines is compared as it is:
    /// whoever wants a rate divides by `:seconds`. Others that the table does not have, as those of a later version, may grow
    /// with the length of the run.
    pub fn of_fact(metric: &str, unit: &str, direction: Option<Better>, category: &str) -> Meaning {
        let known = metrics::named(Source::Facts, metric);
        Meaning {
            unit: Some(unit.to_owned()),
            direction,
            total: known.map_or(category != metrics::OF_WORKLOAD, |known| known.total),
            ..Meaning::known(metric, known)
        }
    }

    fn known(metric: &str, known: Option<&metrics::Metric>) -> Meaning {
        let first = || metrics::shown(Shown::First);
        Meaning {
            unit: Some(known.map_or("count", |known| known.unit).to_owned()),
            direction: known.and_then(|known| known.better),
            total: known.is_none_or(|known| known.total),
            rank: first()
                .position(|first| first.name == metric)
                .unwrap_or_else(|| first().count()),
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
            (unit("per second"), Some(Better::Higher), false)
        );
        assert_eq!(
            told("latency_p99_ms"),
            (unit("ms"), Some(Better::Lower), false)
        );
        assert_eq!(told("wal_bytes"), (unit("bytes"), None, true));
        assert_eq!(
            told("wal_bytes_per_tx"),
            (unit("bytes"), Some(Better::Lower), false)
        );
        assert_eq!(told("rows_per_call"), (unit("count"), None, false));
        assert_eq!(told("failed"), (unit("count"), Some(Better::Lower), true));
        assert_eq!(
            told("hit_percent"),
            (unit("%"), Some(Better::Higher), false)
        );
        assert_eq!(told("autovacuum_count"), (unit("count"), None, true));
    }

    #[test]
    fn a_metric_of_an_author_does_not_grow_with_the_run() {
        let of = |metric, category| Meaning::of_fact(metric, "orders", None, category);
        let own = of("open_orders", "workload");
        assert!(!own.total);
        assert_eq!(own.unit.as_deref(), Some("orders"));
        assert!(of("open_orders", "wal").total);
        assert!(of("client_time_avg_s", "workload").total);
        assert!(!of("nopm", "workload").total);
    }
}
