//! Figures over time, and whether they grow.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::fs;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::runs::{PATIENCE, Runs};
use super::wait_until;
use postgres::Client;

/// The values of a figure at some times, in seconds.
type Series = Vec<(f64, f64)>;

/// The lowest value.
pub fn floor(points: &[(f64, f64)]) -> f64 {
    points
        .iter()
        .map(|point| point.1)
        .fold(f64::INFINITY, f64::min)
}

/// The rise of a straight line through a figure from its first to its last point. The line is Theil's and Sen's (the
/// median of the slopes between all pairs of points), so that a few jumps there and back do not bend it.
pub fn rise(points: &[(f64, f64)]) -> f64 {
    let (Some(first), Some(last)) = (points.first(), points.last()) else {
        return 0.0;
    };
    let pairs = points
        .iter()
        .enumerate()
        .flat_map(|(i, a)| points.iter().skip(i + 1).map(move |b| (a, b)));
    let mut slopes: Vec<f64> = pairs
        .filter(|(a, b)| b.0 > a.0)
        .map(|(a, b)| (b.1 - a.1) / (b.0 - a.0))
        .collect();
    slopes.sort_by(f64::total_cmp);
    slopes.get(slopes.len() / 2).unwrap_or(&0.0) * (last.0 - first.0)
}

/// The figures of a test, by name and owner.
#[derive(Default)]
pub struct Figures(BTreeMap<(&'static str, String), Series>);

impl Figures {
    pub fn add(&mut self, figure: &'static str, of: impl Display, at: f64, value: f64) {
        let series = self.0.entry((figure, of.to_string())).or_default();
        series.push((at, value));
    }

    /// The owners of a figure that existed all the time from `from` to `to`, each with its points of that time.
    pub fn between<'a>(
        &'a self,
        figure: &'static str,
        from: f64,
        to: f64,
    ) -> impl Iterator<Item = (&'a str, &'a [(f64, f64)])> {
        let all = self.0.iter().filter(move |((name, _), _)| *name == figure);
        all.filter_map(move |((_, of), series)| {
            let lasted = series.first()?.0 <= from && series.last()?.0 >= to;
            let first = series.partition_point(|point| point.0 < from);
            let end = series.partition_point(|point| point.0 <= to);
            lasted.then_some((of.as_str(), series.get(first..end)?))
        })
    }
}

/// Kilobytes that a process has for itself; None if it has ended.
pub fn memory(pid: impl Display) -> Option<f64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let (_, rest) = status.split_once("RssAnon:")?;
    rest.split_whitespace().next()?.parse().ok()
}

/// The sampler is warm by then, and its memory has hardly risen in so many looks, two a second: for more than a minute.
const WARM: Duration = Duration::from_secs(300);
const STILL: usize = 130;
const STILL_KILOBYTES: f64 = 128.0;

/// Waits for a sampler that needs no more memory, and returns its pid. It looks at everything once a minute, so that it is
/// warm later than all other processes. One that leaks is never warm.
pub fn warm_sampler(session: &mut Client) -> i64 {
    let find = "SELECT pid FROM pg_catalog.pg_stat_activity WHERE backend_type = 'pgperf sampler'";
    wait_until("the sampler", PATIENCE, || !session.value(find).is_empty());
    let sampler = session.number(find);
    let mut points = Vec::new();
    let began = Instant::now();
    wait_until("a warm sampler", WARM, || {
        points.push((
            began.elapsed().as_secs_f64(),
            memory(sampler).expect("the sampler"),
        ));
        sleep(Duration::from_millis(500));
        points.len() > STILL && rise(&points[points.len() - STILL..]) < STILL_KILOBYTES
    });
    sampler
}
