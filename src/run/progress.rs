//! Progress lines: those of intervals, in pgbench's words and more, and those of a drain, with the lag of the receivers.

use crate::error::Result;
use crate::pg::sql::spi;
use crate::show::number::milliseconds;
use measure::statistics::{last_look, series_width};
use pgrx::prelude::*;
use serde::Deserialize;

/// The figures shown for an interval.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct ProgressInterval {
    /// Seconds since the measured part began.
    pub at_s: f64,
    /// The rows inserted since then; only for loads.
    pub done: f64,
    pub total: Option<f64>,
    /// How much of the load's work is done; only for loads, where that is known.
    pub done_percent: Option<f64>,
    /// The current step; only for loads.
    pub step: Option<String>,
    pub tps: f64,
    pub latency_avg_ms: Option<f64>,
    pub latency_stddev_ms: Option<f64>,
    pub latency_p95_ms: Option<f64>,
    pub failed: i64,
    pub retried: i64,
    pub skipped: i64,
    pub lag_avg_ms: Option<f64>,
    /// See [`Spec::until_precise`](crate::run::request::spec::Spec); only for runs that have it.
    pub wanted: Option<f64>,
    /// Whether it is not the rest before the end.
    pub is_whole: bool,
    /// How long the run lasts at most.
    pub duration_s: Option<f64>,
}

/// One line for each interval from number `from` on. Runs as the extension's owner.
pub fn lines(node_id: &str, run_id: i64, from: i32) -> Result<Vec<String>> {
    let intervals: Vec<ProgressInterval> = spi::select(
        "SELECT i.* FROM (SELECT interval_no, \
                pg_catalog.sum(seconds) OVER w AS at_s, \
                pg_catalog.sum(transactions) OVER w AS done, \
                (r.spec #>> '{load,rows}')::pg_catalog.float8 AS total, \
                step, done_percent, tps, latency_avg_ms, latency_stddev_ms, latency_p95_ms, \
                failed, retried, skipped, lag_avg_ms, \
                seconds > 0.5 * (r.spec ->> 'sample_interval_s')::pg_catalog.float8 AS is_whole, \
                (r.spec ->> 'until_precise')::pg_catalog.float8 AS wanted, \
                (r.spec ->> 'duration_s')::pg_catalog.float8 AS duration_s \
           FROM pgperf.run_intervals JOIN pgperf_internal.stored_runs r USING (node_id, run_id) \
          WHERE node_id = $1::pg_catalog.uuid AND run_id = $2 \
         WINDOW w AS (ORDER BY interval_no)) i \
         WHERE i.interval_no >= $3 ORDER BY i.interval_no",
        &[node_id.into(), run_id.into(), from.into()],
    )?;
    let mut lines: Vec<String> = intervals.iter().map(line).collect();
    // How well the mean is known now, and not at every interval since the last time, or in a sliver at the end.
    if let (Some(last), Some(line)) = (intervals.last(), lines.last_mut())
        && let Some(wanted) = last.wanted.filter(|_| last.is_whole)
    {
        *line += &precision(last, wanted, &rates(node_id, run_id)?);
    }
    Ok(lines)
}

/// The rates of all intervals so far.
fn rates(node_id: &str, run_id: i64) -> Result<Vec<f64>> {
    #[derive(Deserialize)]
    struct Rate {
        tps: f64,
    }
    let rates: Vec<Rate> = spi::select(
        "SELECT tps FROM pgperf.run_intervals \
          WHERE node_id = $1::pg_catalog.uuid AND run_id = $2 ORDER BY interval_no",
        &[node_id.into(), run_id.into()],
    )?;
    Ok(rates.into_iter().map(|rate| rate.tps).collect())
}

/// How well the mean is known, and how long it takes until it is known as well as wanted, if the rates vary as so far.
fn precision(last: &ProgressInterval, wanted: f64, rates: &[f64]) -> String {
    let Some(width) = series_width(rates) else {
        return String::new();
    };
    let mut text = format!(", mean within {:.1} %", 100.0 * width);
    let ends_s = last_look(rates, wanted).map(|count| {
        let needed = last.at_s * count as f64 / rates.len() as f64;
        last.duration_s.map_or(needed, |most| most.min(needed))
    });
    if let Some(left) = ends_s
        .map(|ends| ends - last.at_s)
        .filter(|&left| left > 0.0)
    {
        text += &format!(", about {left:.0} s left");
    }
    text
}

/// `pgperf_internal.series_precision`.
#[pg_extern(sql = false)]
#[allow(clippy::type_complexity)] // the columns
fn series_precision(
    tps: Vec<Option<f64>>,
    wanted: f64,
) -> TableIterator<
    'static,
    (
        name!(precision_percent, Option<f64>),
        name!(last_interval, Option<i32>),
    ),
> {
    let tps: Vec<f64> = tps.into_iter().flatten().collect();
    let last = last_look(&tps, wanted).and_then(|count| i32::try_from(count).ok());
    TableIterator::once((series_width(&tps).map(|width| 100.0 * width), last))
}

/// A look at the receivers of a run whose clients have ended.
#[derive(Debug, Clone, Deserialize)]
pub struct DrainLook {
    /// When: the next ones come after it.
    pub taken_at: String,
    at_s: f64,
    receivers: String,
}

impl DrainLook {
    /// Its progress line.
    pub fn line(&self) -> String {
        format!("progress: {:.1} s, draining, {}", self.at_s, self.receivers)
    }
}

/// The looks of the drain after one. Runs as the extension's owner.
pub fn drain_looks(node_id: &str, run_id: i64, after: Option<&str>) -> Result<Vec<DrainLook>> {
    spi::select(
        "SELECT l.taken_at::pg_catalog.text AS taken_at, l.at_s, \
                pg_catalog.string_agg(pg_catalog.concat_ws(' ', r.kind, r.name, \
                    CASE WHEN NOT l.active THEN 'not connected' ELSE l.lag_bytes || ' bytes behind' END), ', ' ORDER BY l.receiver_no) AS receivers \
           FROM pgperf.run_receiver_lag l JOIN pgperf.run_receivers r USING (node_id, run_id, receiver_no) \
          WHERE l.node_id = $1::pg_catalog.uuid AND l.run_id = $2 AND l.phase = 'drain' \
            AND l.taken_at > COALESCE($3::pg_catalog.timestamptz, '-infinity') \
          GROUP BY l.taken_at, l.at_s ORDER BY l.taken_at",
        &[node_id.into(), run_id.into(), after.into()],
    )
}

fn line(interval: &ProgressInterval) -> String {
    let ProgressInterval { at_s, tps, .. } = interval;
    if let Some(total) = interval.total {
        return load_line(interval, total);
    }
    let mut line = format!("progress: {at_s:.1} s, {tps:.1} tps");
    if interval.latency_avg_ms.is_some() {
        let average = milliseconds(interval.latency_avg_ms);
        line += &format!(
            ", lat {average} ms stddev {}",
            milliseconds(interval.latency_stddev_ms)
        );
    }
    line += &format!(", {} failed", interval.failed);
    if let Some(lag) = interval.lag_avg_ms {
        line += &format!(", lag {lag:.3} ms");
    }
    if interval.skipped > 0 {
        line += &format!(", {} skipped", interval.skipped);
    }
    if interval.retried > 0 {
        line += &format!(", {} retried", interval.retried);
    }
    if interval.latency_p95_ms.is_some() {
        line += &format!(", p95 {} ms", milliseconds(interval.latency_p95_ms));
    }
    line
}

/// With the words of `pgbench -i`. What remains is the whole load: its indexes and its vacuum, too.
fn load_line(interval: &ProgressInterval, total: f64) -> String {
    let ProgressInterval { at_s, done, .. } = interval;
    let mut line = format!("progress: {at_s:.1} s");
    if let Some(step) = &interval.step {
        line += &format!(", {step}");
    }
    if *done > 0.0 && *done < total {
        let percent = 100.0 * done / total;
        line += &format!(", {done:.0} of {total:.0} rows ({percent:.0}%) done");
    } else if total > 0.0 {
        line += &format!(", {done:.0} of {total:.0} rows done");
    }
    let known = interval.done_percent;
    if let Some(percent) = known.filter(|percent| *percent > 0.0 && *percent < 100.0) {
        let remaining = at_s * (100.0 - percent) / percent;
        line += &format!(" (elapsed {at_s:.2} s, remaining {remaining:.2} s)");
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_in_pgbench_words() {
        let interval = ProgressInterval {
            at_s: 1.0,
            tps: 2000.04,
            latency_avg_ms: Some(0.5),
            latency_stddev_ms: Some(0.1234),
            latency_p95_ms: Some(0.9),
            ..ProgressInterval::default()
        };
        assert_eq!(
            line(&interval),
            "progress: 1.0 s, 2000.0 tps, lat 0.500 ms stddev 0.123, 0 failed, p95 0.900 ms"
        );
    }

    #[test]
    fn a_run_that_ends_when_its_mean_is_known() {
        let rates: Vec<f64> = (0..20).map(|i| f64::from(90 + i * i * 7 % 11)).collect();
        let last = ProgressInterval {
            at_s: 20.0,
            duration_s: Some(600.0),
            ..ProgressInterval::default()
        };
        assert_eq!(precision(&last, 0.01, &rates[..5]), "");
        let text = precision(&last, 0.5, &rates);
        assert!(
            text.starts_with(", mean within ") && text.ends_with(" s left"),
            "{text}"
        );
        let at_most = ProgressInterval {
            duration_s: Some(24.0),
            ..last
        };
        let text = precision(&at_most, 0.001, &rates);
        assert!(text.ends_with(", about 4 s left"), "{text}");
    }

    #[test]
    fn a_drain_in_bytes() {
        let look = DrainLook {
            taken_at: String::new(),
            at_s: 12.04,
            receivers: "standby s1 512 bytes behind".to_owned(),
        };
        assert_eq!(
            look.line(),
            "progress: 12.0 s, draining, standby s1 512 bytes behind"
        );
    }

    #[test]
    fn a_load_in_rows() {
        let loading = ProgressInterval {
            at_s: 2.0,
            done: 250.0,
            total: Some(1000.0),
            step: Some("bulk generate".to_owned()),
            done_percent: Some(5.0),
            ..ProgressInterval::default()
        };
        assert_eq!(
            line(&loading),
            "progress: 2.0 s, bulk generate, 250 of 1000 rows (25%) done (elapsed 2.00 s, remaining 38.00 s)"
        );
        let loaded = ProgressInterval {
            done: 1000.0,
            step: Some("primary keys, 45% scanned".to_owned()),
            done_percent: Some(40.0),
            ..loading
        };
        assert_eq!(
            line(&loaded),
            "progress: 2.0 s, primary keys, 45% scanned, 1000 of 1000 rows done (elapsed 2.00 s, remaining 3.00 s)"
        );
        // Of the statements of a workload's author nobody knows what they take.
        let unknown = ProgressInterval {
            done_percent: None,
            ..loaded
        };
        assert_eq!(
            line(&unknown),
            "progress: 2.0 s, primary keys, 45% scanned, 1000 of 1000 rows done"
        );
    }
}
