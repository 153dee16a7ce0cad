//! A sweep's results as text, readable in 80 columns.

use super::metrics::{self, Metric};
use super::page::model::LAWS;
use super::precise::{self, Until};
use super::race::{self, standing::Standings};
use super::receivers;
use super::sweeps::{self, Found};
use crate::error::Result;
use crate::pg::catalog::role;
use crate::pg::sql::spi;
use crate::pg::sql::text::Text;
use crate::show::number::decimals;
use crate::show::number::number;
use crate::show::text::{count, one_line, table, wrap, wrap_names};
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use serde::Deserialize;

/// `pgperf.sweep_report`.
#[pg_extern(sql = false)]
fn sweep_report(
    sweep_id: Option<i64>,
) -> std::result::Result<SetOfIterator<'static, Text>, ErrorReport> {
    Ok(SetOfIterator::new(
        lines(&load(&sweeps::by_id(sweep_id)?)?)
            .into_iter()
            .map(Text),
    ))
}

/// The facts that a report of a sweep shows.
///
/// # Errors
/// The current user may not see it.
pub fn load(sweep: &Found) -> Result<Facts> {
    sweep.check_visible()?;
    let key = || [sweep.node_id.as_str().into(), sweep.sweep_id.into()];
    role::as_owner(|| {
        Ok(Facts {
            sweep: spi::select_one(SWEEP, &key())?,
            points: spi::select(POINTS, &key())?,
            metrics: metrics::load(&sweep.node_id, sweep.sweep_id)?,
            peaks: spi::select(PEAKS, &key())?,
            laws: spi::select(LAWS, &key())?,
            race: race::report::of(&sweep.node_id, sweep.sweep_id)?,
        })
    })
}

/// A sweep as its reports need it.
pub struct Facts {
    pub sweep: Option<Sweep>,
    pub points: Vec<Point>,
    pub metrics: Vec<Metric>,
    pub peaks: Vec<Peak>,
    pub laws: Vec<Law>,
    /// None: the points do not race.
    pub race: Option<Standings>,
}

/// A row of `pgperf.sweeps`.
#[derive(Deserialize)]
pub struct Sweep {
    pub sweep_id: i64,
    pub label: Option<String>,
    pub status: String,
    pub runs: i64,
    pub finished: i64,
    pub failed: i64,
    pub repetitions: i64,
    #[serde(flatten)]
    pub until: Until,
    pub run_order: String,
    pub init: String,
    pub checkpoint: bool,
    pub random_seed: i64,
    pub elapsed: String,
    pub elapsed_s: f64,
    pub remaining: Option<String>,
    pub error: Option<String>,
    /// Why the server has to be restarted.
    pub restart: Option<String>,
}

/// A row of `pgperf.sweep_points`.
#[derive(Deserialize)]
pub struct Point {
    pub point_no: i64,
    pub combination: String,
    pub workload: String,
    pub clients: i64,
    pub n: i64,
    pub tps: Option<f64>,
    pub tps_ci_high: Option<f64>,
    pub latency_avg_ms: Option<f64>,
    pub latency_p95_ms: Option<f64>,
    pub latency_p99_ms: Option<f64>,
    pub failed_runs: i64,
    /// How far the mean tps may be off; None: not of interest, or not known.
    pub precision_percent: Option<f64>,
    /// Whether that is as little as the sweep wants; None: it does not say.
    pub precise: Option<bool>,
    /// What the caches were before its runs; None: they were left as they were.
    pub caches: Option<String>,
}

/// A row of `pgperf.sweep_peak`.
#[derive(Deserialize)]
pub struct Peak {
    pub combination: String,
    pub clients: i64,
    pub tps: f64,
    pub as_good_clients: Option<Vec<i64>>,
    pub untested_clients: Option<Vec<i64>>,
    pub undecided_clients: Option<Vec<i64>>,
    pub margin_percent: f64,
}

/// A row of `pgperf.sweep_scalability`.
#[derive(Deserialize)]
pub struct Law {
    pub combination: String,
    pub lambda: Option<f64>,
    pub sigma: Option<f64>,
    pub kappa: Option<f64>,
    pub sigma_error: Option<f64>,
    pub kappa_error: Option<f64>,
    pub r_squared: Option<f64>,
    pub peak_clients: Option<f64>,
    pub peak_tps: Option<f64>,
    pub limit_tps: Option<f64>,
    pub reason: Option<String>,
}

const SWEEP: &str = "SELECT sweep_id, label, status, runs, finished, failed, repetitions, random_seed, error, restart, \
        (spec #>> '{precision,wanted}')::pg_catalog.float8 * 100 AS wanted_percent, \
        (spec #>> '{precision,most}')::pg_catalog.int4 AS max_repetitions, further_runs, \
        spec #>> '{race,metric}' AS race_metric, elapsed_s, \
        spec ->> 'run_order' AS run_order, spec ->> 'init' AS init, (spec ->> 'checkpoint')::pg_catalog.bool AS checkpoint, \
        pg_catalog.to_char(elapsed_s * '1 s'::pg_catalog.interval, 'HH24:MI:SS') AS elapsed, \
        pg_catalog.to_char(eta_s * '1 s'::pg_catalog.interval, 'HH24:MI:SS') AS remaining \
   FROM pgperf.sweeps WHERE node_id = $1::pg_catalog.uuid AND sweep_id = $2";
const POINTS: &str = "SELECT point_no, combination, workload, clients, n, tps, tps_ci_high, latency_avg_ms, latency_p95_ms, latency_p99_ms, failed_runs, \
        precision_percent, precise, caches \
   FROM pgperf.sweep_points WHERE node_id = $1::pg_catalog.uuid AND sweep_id = $2 ORDER BY point_no";
const PEAKS: &str = "SELECT combination, clients, tps, as_good_clients, untested_clients, undecided_clients, margin_percent \
   FROM pgperf.sweep_peak WHERE node_id = $1::pg_catalog.uuid AND sweep_id = $2";

const WIDTH: usize = 80;
const BAR_WIDTH: f64 = 20.0;

/// The report.
pub fn lines(facts: &Facts) -> Vec<String> {
    let mut lines = facts.sweep.as_ref().map(head).unwrap_or_default();
    if let Some((race, sweep)) = facts.race.as_ref().zip(facts.sweep.as_ref()) {
        lines.extend(race::report::lines(race, sweep.elapsed_s, WIDTH));
    }
    let highest = facts.points.iter().filter_map(|point| point.tps);
    let highest = highest.fold(0.0, f64::max);
    let mut rest = facts.points.as_slice();
    while let Some(first) = rest.first() {
        let same = |point: &&Point| point.combination == first.combination;
        let length = rest.iter().take_while(same).count();
        let (points, others) = rest.split_at(length);
        lines.push(String::new());
        lines.push(one_line(&title(first), WIDTH));
        lines.extend(points_table(points, highest));
        lines.extend(metrics_tables(points, &facts.metrics));
        lines.extend(receivers::lines(points, &facts.metrics));
        let wanted = facts.sweep.as_ref().and_then(|sweep| sweep.until.wanted());
        let about_precision = wanted.map(|wanted| precise::line(&wanted, points));
        let of = |combination: &str| combination == first.combination;
        let peaks = facts.peaks.iter().filter(|peak| of(&peak.combination));
        let about_peaks = peaks.flat_map(|peak| peak_lines(peak, length));
        let laws = facts.laws.iter().filter(|law| of(&law.combination));
        lines.extend(
            cache_lines(points)
                .iter()
                .flat_map(|line| wrap(line, WIDTH - 2))
                .map(|line| format!("  {line}")),
        );
        let about = about_precision
            .into_iter()
            .chain(about_peaks)
            .chain(laws.flat_map(law_lines));
        lines.extend(about.map(|line| format!("  {}", one_line(&line, WIDTH - 2))));
        rest = others;
    }
    lines
}

/// The values that vary, and the workload.
pub fn title(point: &Point) -> String {
    match point.combination.as_str() {
        "" => format!("workload: {}", point.workload),
        combination => format!("{combination} (workload: {})", point.workload),
    }
}

/// The level in percent of the interval that reports show: one that decides on further runs is wider, for the looks
/// in between.
pub fn level(point: &Point) -> u8 {
    if point.precise.is_some() { 98 } else { 95 }
}

/// Half of that interval, in percent of the mean.
pub fn half_percent(point: &Point) -> Option<f64> {
    match point.precise {
        Some(_) => point.precision_percent,
        None => metrics::half_percent(point.tps, point.tps_ci_high),
    }
}

/// The points whose runs did not all have the caches that they asked for.
pub fn cache_lines(points: &[Point]) -> Vec<String> {
    let of_point = |point: &Point| {
        let caches = point.caches.as_deref()?;
        let clients = count(point.clients, "client");
        (!["cold", "warm"].contains(&caches)).then(|| format!("{clients}: {caches}"))
    };
    points.iter().filter_map(of_point).collect()
}

/// The sweep's name, its progress, and how it is made.
pub fn head(sweep: &Sweep) -> Vec<String> {
    let label = sweep.label.as_deref().map(|label| format!(" \"{label}\""));
    let failed = (sweep.failed > 0).then(|| format!(", {} failed", sweep.failed));
    let remaining = sweep
        .remaining
        .as_ref()
        .map(|time| format!(", {time} left"));
    let order = match sweep.run_order.as_str() {
        "random" => format!("in random order (seed {})", sweep.random_seed),
        _ => "in the given order".to_owned(),
    };
    let before = [
        (sweep.init == "change").then_some("tables loaded anew where they differ"),
        (sweep.init == "each").then_some("tables loaded anew before each"),
        sweep.checkpoint.then_some("a checkpoint before each"),
    ];
    let mut lines = vec![
        one_line(
            &format!(
                "sweep {}{}: {}, {} of {} runs{}, {}{}",
                sweep.sweep_id,
                label.unwrap_or_default(),
                sweep.status,
                sweep.finished,
                sweep.until.runs(sweep.runs, |runs| runs.to_string()),
                failed.unwrap_or_default(),
                sweep.elapsed,
                remaining.unwrap_or_default()
            ),
            WIDTH,
        ),
        one_line(
            &std::iter::once(format!(
                "{} {order}",
                sweep.until.repetitions(sweep.repetitions)
            ))
            .chain(before.into_iter().flatten().map(str::to_owned))
            .collect::<Vec<_>>()
            .join(", "),
            WIDTH,
        ),
    ];
    let error = sweep.error.as_ref();
    lines.extend(
        error
            .into_iter()
            .flat_map(|error| wrap_names(&format!("error: {error}"), WIDTH)),
    );
    let restart = sweep.restart.as_deref();
    lines.extend(restart.into_iter().flat_map(|restart| wrap(restart, WIDTH)));
    lines
}

fn points_table(points: &[Point], highest: f64) -> Vec<String> {
    let rows: Vec<_> = points
        .iter()
        .map(|point| {
            let half = half_percent(point);
            let runs = match point.failed_runs {
                0 => point.n.to_string(),
                failed => format!("{}+{failed}!", point.n),
            };
            let milliseconds = |value: Option<f64>| {
                decimals(
                    value,
                    if value.is_some_and(|value| value >= 100.0) {
                        1
                    } else {
                        3
                    },
                )
            };
            [
                point.clients.to_string(),
                runs,
                decimals(point.tps, if highest < 100.0 { 2 } else { 0 }),
                half.map_or_else(|| "-".to_owned(), |half| format!("{half:.1}%")),
                milliseconds(point.latency_avg_ms),
                milliseconds(point.latency_p95_ms),
                milliseconds(point.latency_p99_ms),
                bar(point.tps, highest),
            ]
        })
        .collect();
    let interval = points.first().map(|point| format!("±{}%", level(point)));
    let interval = interval.unwrap_or_default();
    let heads = [
        "clients", "n", "tps", &interval, "avg ms", "p95 ms", "p99 ms", "",
    ];
    let lines = table(heads, &rows);
    lines
        .into_iter()
        .map(|line| line.trim_end().to_owned())
        .collect()
}

/// For each metric of the workload that one looks at first, a table by number of clients.
fn metrics_tables(points: &[Point], metrics: &[Metric]) -> Vec<String> {
    let mut lines = Vec::new();
    for name in metrics::names(metrics, points.iter().map(|point| point.point_no)) {
        let mut rows = Vec::new();
        for point in points {
            if let Some(metric) = metrics::at(metrics, name, point.point_no) {
                let half = metric.half_percent();
                rows.push([
                    point.clients.to_string(),
                    metric.mean.map_or_else(|| "-".to_owned(), number),
                    half.map_or_else(|| "-".to_owned(), |half| format!("{half:.1}%")),
                    metric.unit.clone(),
                ]);
            }
        }
        let head = one_line(name, 30);
        let heads = ["clients", &head, "±95%", ""];
        lines.push(String::new());
        let table = table(heads, &rows).into_iter();
        lines.extend(table.map(|line| line.trim_end().to_owned()));
    }
    lines
}

/// A bar whose length is in proportion to the tps, in eighths of a character.
fn bar(tps: Option<f64>, highest: f64) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let share = tps
        .filter(|_| highest > 0.0)
        .map_or(0.0, |tps| tps / highest);
    let eighths = (share.clamp(0.0, 1.0) * BAR_WIDTH * 8.0).round() as usize;
    let rest = EIGHTHS.get(eighths % 8).copied().unwrap_or_default();
    format!("{}{rest}", "█".repeat(eighths / 8))
}

/// `points`: how many numbers of clients there are, including the peak's.
pub fn peak_lines(peak: &Peak, points: usize) -> Vec<String> {
    let untested = peak.untested_clients.as_deref().unwrap_or_default();
    let undecided = peak.undecided_clients.as_deref().unwrap_or_default();
    let alone = untested.len() + 1 >= points;
    let margin = peak.margin_percent;
    let as_good = match &peak.as_good_clients {
        None => "; one run is too few to say how certain that is".to_owned(),
        Some(clients) if clients.len() > 1 => {
            let others = clients.iter().filter(|clients| **clients != peak.clients);
            format!("; as good within {margin} %: {}", list(others))
        }
        Some(_) if alone => String::new(),
        Some(_) if !undecided.is_empty() => format!("; none is as good within {margin} % for sure"),
        Some(_) if untested.is_empty() => "; every other number is worse".to_owned(),
        Some(_) => "; every other one tested is worse".to_owned(),
    };
    let mut lines = vec![format!(
        "peak: {:.0} tps at {}{as_good}",
        peak.tps,
        count(peak.clients, "client")
    )];
    if peak.as_good_clients.is_some() {
        if !undecided.is_empty() {
            let undecided = list(undecided.iter());
            lines.push(format!(
                "undecided, neither as good nor worse for sure: {undecided}"
            ));
        }
        if !untested.is_empty() {
            let untested = list(untested.iter());
            lines.push(format!("untested, fewer than two runs: {untested}"));
        }
    }
    lines
}

fn list<'a>(clients: impl Iterator<Item = &'a i64>) -> String {
    clients.map(i64::to_string).collect::<Vec<_>>().join(", ")
}

/// The scalability law, or why there is none.
pub fn law_lines(law: &Law) -> Vec<String> {
    let (Some(lambda), Some(sigma), Some(kappa)) = (law.lambda, law.sigma, law.kappa) else {
        let reason = law.reason.as_deref().unwrap_or("there is no fit");
        return vec![format!("scalability law: {reason}")];
    };
    let error =
        |error: Option<f64>| error.map_or_else(String::new, |error| format!(" ± {error:.2e}"));
    let end = match (law.peak_clients, law.peak_tps, law.limit_tps) {
        (Some(clients), Some(tps), _) => format!("peak: {tps:.0} tps at {clients:.1} clients"),
        (_, _, Some(limit)) => format!("no peak: tps approaches {limit:.0}"),
        _ => "no peak: it grows with the clients".to_owned(),
    };
    vec![
        format!(
            "scalability law: {lambda:.0} tps a client, contention {sigma:.4}{},",
            error(law.sigma_error)
        ),
        format!(
            "  coherency {}{}, R² {}; {end}",
            if kappa > 0.0 {
                format!("{kappa:.2e}")
            } else {
                "0".to_owned()
            },
            error(law.kappa_error),
            decimals(law.r_squared, 4)
        ),
    ]
}

#[cfg(test)]
mod tests;
