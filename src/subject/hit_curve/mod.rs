//! The hit ratio that larger shared_buffers would have, from many observations of the buffers between two samples.

mod looks;
mod metrics;

use crate::collect::collector::{
    Collector, Cost, InRuns, InVisits, Read, Reading, SERVER_MAJOR, Scope,
};
use crate::collect::rows::{Row, values};
use crate::collect::watched::Followed;
use crate::error::{Error, Result, unsupported};
use crate::pg::sql::spi;
pub use looks::Looks;
use measure::hit_curve::{Accesses, Remark};
pub use metrics::METRICS;
use serde::Deserialize;
use serde_json::json;

/// See the module.
pub const COLLECTOR: Collector = Collector {
    name: "hit_curve",
    cost: Cost::Medium,
    sample_interval_s: 300,
    keeps_interval: false,
    in_runs: InRuns::IfAsked,
    in_visits: InVisits::Never,
    since_major: None,
    needs: None,
    watches_clients: false,
    report: None,
    history_tables: &["hit_curve_history"],
    description: "the hit ratio that larger shared_buffers would have, up to four times the present ones",
    of_target: None,
    read: Read::AtOnce(read),
};

fn read(scope: &Scope) -> Result<Reading> {
    let followed = scope.watched.hit_curve.as_ref();
    let followed = followed.ok_or_else(|| {
        unsupported("nothing has followed the buffers since the previous sample")
            .hinting("The continuous sampler follows them, and runs with hit_curve => true.")
    })?;
    Ok(Reading::of("hit_curve_history", values(rows(followed))))
}

fn rows(followed: &Followed) -> Vec<Row> {
    let Followed {
        window, accesses, ..
    } = followed;
    let curve = window.curve(accesses);
    let note = curve.remark.as_ref().map(describe);
    let size = f64::from(window.buffers) * f64::from(pgrx::pg_sys::BLCKSZ);
    let row = |point: &measure::hit_curve::Point| {
        Row::from_iter([
            (
                "shared_buffers_bytes".to_owned(),
                json!((size * point.times) as i64),
            ),
            ("times".to_owned(), json!(point.times)),
            ("hit_percent".to_owned(), json!(point.hit_percent)),
            ("low".to_owned(), json!(point.low)),
            ("high".to_owned(), json!(point.high)),
            ("seconds".to_owned(), json!(followed.seconds)),
            ("blks_hit".to_owned(), json!(accesses.hits)),
            ("blks_read".to_owned(), json!(accesses.reads)),
            ("followed".to_owned(), json!(window.followed)),
            ("arrivals".to_owned(), json!(window.arrivals)),
            ("looks".to_owned(), json!(window.looks)),
            ("looks_ms".to_owned(), json!(followed.looks_ms)),
            ("note".to_owned(), json!(note)),
        ])
    };
    curve.points.iter().map(row).collect()
}

/// A remark in words.
fn describe(remark: &Remark) -> String {
    match remark {
        Remark::EverythingFits => {
            "nothing had to leave shared_buffers: a larger one has no more hits".to_owned()
        }
        Remark::FewArrivals(arrivals) => {
            format!("too few reads to tell: {arrivals} of the followed pages")
        }
        Remark::FewLooks(looks) => format!(
            "too few looks to tell: {looks:.2} while all buffers were considered for replacement once"
        ),
        Remark::Unseen(percent) => format!(
            "{percent:.0} % of the reads were of pages that left before they were seen, as those of large scans do: \
             misses at any size, but for the upper bound"
        ),
    }
}

/// The database's accesses since its statistics were reset.
pub fn database_accesses() -> Result<Accesses> {
    #[derive(Deserialize)]
    struct Counters {
        hits: u64,
        reads: u64,
    }
    let counters: Option<Counters> = spi::select_one(
        "SELECT d.blks_hit AS hits, d.blks_read AS reads FROM pg_catalog.pg_stat_database d \
         WHERE d.datname OPERATOR(pg_catalog.=) pg_catalog.current_database()",
        &[],
    )?;
    let Counters { hits, reads } = counters.ok_or(Error::NotInstalled)?;
    Ok(Accesses {
        hits,
        reads,
        reads_have_extensions: SERVER_MAJOR < 16,
    })
}

/// The accesses after those; None if the counters began anew.
pub fn accesses_since(before: &Accesses, now: &Accesses) -> Option<Accesses> {
    Some(Accesses {
        hits: now.hits.checked_sub(before.hits)?,
        reads: now.reads.checked_sub(before.reads)?,
        ..*now
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use measure::hit_curve::Follower;

    #[test]
    fn a_curve_has_a_row_for_each_size_and_says_why_it_is_flat() {
        let mut follower = Follower::new(1_000, 0);
        follower.look(7, 500, &[]);
        follower.look(7, 500, &[]);
        let followed = Followed {
            window: follower.window().clone(),
            accesses: Accesses {
                hits: 900,
                reads: 100,
                reads_have_extensions: false,
            },
            seconds: 2.0,
            looks_ms: 0.1,
        };
        let rows = rows(&followed);
        assert_eq!(rows[0]["times"], 1.0);
        assert_eq!(rows[6]["shared_buffers_bytes"], 4 * 8_192_000);
        assert!(
            rows.iter()
                .all(|row| row["hit_percent"] == 90.0 && row["low"].is_null())
        );
        assert!(
            rows[6]["note"]
                .as_str()
                .unwrap()
                .starts_with("nothing had to leave")
        );
    }

    #[test]
    fn counters_that_began_anew_have_no_difference() {
        let at = |hits, reads| Accesses {
            hits,
            reads,
            reads_have_extensions: true,
        };
        assert_eq!(accesses_since(&at(1, 2), &at(4, 8)), Some(at(3, 6)));
        assert_eq!(accesses_since(&at(10, 2), &at(4, 8)), None);
    }
}
