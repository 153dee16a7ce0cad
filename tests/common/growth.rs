//! Figures over time, and whether they grow.

use std::collections::BTreeMap;
use std::fmt::Display;

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
