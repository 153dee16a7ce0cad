//! Lines, areas and dots through the points of a chart.
//!
//! Values between two distant samples are unknown, so no line joins the two. An isolated stretch is drawn at its full length,
//! since its value is the mean over it.

use super::{Point, WIDTH};
use crate::show::charts::figure::short;
use std::fmt::Write;

/// How many usual distances two points that are joined may be apart.
const FAR: f64 = 2.5;
/// Half the width of an area at a moment that stands alone, of [`WIDTH`].
const BAR: f64 = 5.0;

/// The points of a chart and where they lie.
pub struct Paths<'a> {
    points: &'a [Point],
    /// Seconds at the left and at the right edge.
    extent: (f64, f64),
    /// Seconds from one point to the next, usually.
    usual_s: f64,
}

/// A place across, and the values there.
type Corner = (f64, f64, f64);

impl<'a> Paths<'a> {
    pub fn new(points: &'a [Point], extent: (f64, f64)) -> Paths<'a> {
        Paths {
            points,
            extent,
            usual_s: usual(points),
        }
    }

    /// A line through the values, with heights from `y`.
    pub fn line(&self, values: &[Option<f64>], y: &impl Fn(f64) -> f64) -> String {
        let mut path = String::new();
        for group in self.groups(|at| values.get(at).copied().flatten()) {
            let mut pen = 'M';
            for (x, value) in self.ends(&group) {
                push(&mut path, pen, x, y(value));
                pen = 'L';
            }
        }
        path
    }

    /// A dot at each value; `alone`: only where no line leads.
    pub fn dots(&self, values: &[Option<f64>], y: &impl Fn(f64) -> f64, alone: bool) -> String {
        let mut path = String::new();
        for group in self.groups(|at| values.get(at).copied().flatten()) {
            let has_line = self.ends(&group).len() > 1;
            for (point, value) in group.iter().filter(|_| !(alone && has_line)) {
                push(&mut path, 'M', self.across(point.middle()), y(*value));
                path.push_str("h.01");
            }
        }
        path
    }

    /// Between two series, or a series and the bottom at `height`; a gap where the upper one has no value.
    pub fn area(
        &self,
        upper: Option<&Vec<Option<f64>>>,
        lower: Option<&Vec<Option<f64>>>,
        height: f64,
        y: &impl Fn(f64) -> f64,
    ) -> String {
        let value = |values: Option<&Vec<Option<f64>>>, at: usize| *values?.get(at)?;
        let groups = self.groups(|at| {
            let bottom = value(lower, at).map_or(height, y);
            Some((y(value(upper, at)?), bottom))
        });
        let mut path = String::new();
        for group in groups {
            let mut corners: Vec<Corner> = self
                .ends(&group)
                .into_iter()
                .map(|(x, (top, bottom))| (x, top, bottom))
                .collect();
            if let [(x, top, bottom)] = corners.as_slice() {
                let place = |x: f64| x.clamp(0.0, WIDTH);
                corners = vec![
                    (place(x - BAR), *top, *bottom),
                    (place(x + BAR), *top, *bottom),
                ];
            }
            let mut pen = 'M';
            for (x, top, _) in &corners {
                push(&mut path, pen, *x, *top);
                pen = 'L';
            }
            for (x, _, bottom) in corners.iter().rev() {
                push(&mut path, 'L', *x, *bottom);
            }
            path.push('Z');
        }
        path
    }

    fn across(&self, at_s: f64) -> f64 {
        let (start, end) = self.extent;
        (at_s - start) / (end - start) * WIDTH
    }

    /// Points that have a value and are joined with their neighbours, with these values.
    fn groups<T>(&self, value: impl Fn(usize) -> Option<T>) -> Vec<Vec<(Point, T)>> {
        let mut groups: Vec<Vec<(Point, T)>> = Vec::new();
        let mut last: Option<&Point> = None;
        for (at, point) in self.points.iter().enumerate() {
            let Some(value) = value(at) else {
                last = None;
                continue;
            };
            let joined = last.is_some_and(|last| apart(last, point) <= FAR * self.usual_s);
            match groups.last_mut().filter(|_| joined) {
                Some(group) => group.push((*point, value)),
                None => groups.push(vec![(*point, value)]),
            }
            last = Some(point);
        }
        groups
    }

    /// The places of a group; a stretch that stands alone has two.
    fn ends<T: Copy>(&self, group: &[(Point, T)]) -> Vec<(f64, T)> {
        match group {
            [(point, value)] if point.seconds > 0.0 => [point.at_s, point.at_s + point.seconds]
                .map(|at_s| (self.across(at_s), *value))
                .to_vec(),
            group => group
                .iter()
                .map(|(point, value)| (self.across(point.middle()), *value))
                .collect(),
        }
    }
}

/// Seconds between the middles of two points.
fn apart(before: &Point, after: &Point) -> f64 {
    after.middle() - before.middle()
}

/// The median distance of neighbours, the lower one of two. Two points alone give no usual distance: they are joined
/// only if one stretch follows the other.
fn usual(points: &[Point]) -> f64 {
    if let [before, after] = points {
        return (before.seconds + after.seconds) / 2.0;
    }
    let mut distances: Vec<f64> = points
        .iter()
        .zip(points.iter().skip(1))
        .map(|(before, after)| apart(before, after))
        .collect();
    distances.sort_by(f64::total_cmp);
    let middle = distances.len().saturating_sub(1) / 2;
    distances.get(middle).copied().unwrap_or(0.0)
}

fn push(path: &mut String, pen: char, x: f64, y: f64) {
    // Writing to a String cannot fail.
    let _ = write!(
        path,
        "{pen}{} {}",
        short((x * 10.0).round() / 10.0),
        short((y * 10.0).round() / 10.0)
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moments(at: &[f64]) -> Vec<Point> {
        at.iter()
            .map(|at_s| Point {
                at_s: *at_s,
                seconds: 0.0,
            })
            .collect()
    }

    fn ones(points: &[Point]) -> Vec<Option<f64>> {
        vec![Some(1.0); points.len()]
    }

    #[test]
    fn a_gap_between_samples_breaks_a_line() {
        let points = moments(&[0.0, 1.0, 2.0, 8.0, 9.0, 10.0]);
        let paths = Paths::new(&points, (0.0, 10.0));
        let values = ones(&points);
        assert_eq!(
            paths.line(&values, &|y| y),
            "M0 1L100 1L200 1M800 1L900 1L1000 1"
        );
        // One sample that failed is no gap, three are.
        let points = moments(&[0.0, 1.0, 3.0, 4.0, 8.0]);
        let paths = Paths::new(&points, (0.0, 10.0));
        assert_eq!(
            paths.line(&ones(&points), &|y| y),
            "M0 1L100 1L300 1L400 1M800 1"
        );
        assert_eq!(paths.dots(&ones(&points), &|y| y, true), "M800 1h.01");
        assert_eq!(
            paths
                .dots(&ones(&points), &|y| y, false)
                .matches('h')
                .count(),
            5
        );
    }

    #[test]
    fn two_samples_alone_are_not_joined() {
        let points = moments(&[0.0, 10.0]);
        let paths = Paths::new(&points, (0.0, 10.0));
        assert_eq!(paths.line(&ones(&points), &|y| y), "M0 1M1000 1");
        let top = ones(&points);
        assert_eq!(
            paths.area(Some(&top), None, 9.0, &|y| y),
            "M0 1L5 1L5 9L0 9ZM995 1L1000 1L1000 9L995 9Z"
        );
    }

    #[test]
    fn a_stretch_that_stands_alone_is_as_long_as_it_lasted() {
        // A second each, but for the six over which nothing was sampled.
        let points: Vec<Point> = [(0.0, 1.0), (1.0, 1.0), (2.0, 6.0), (8.0, 1.0), (9.0, 1.0)]
            .map(|(at_s, seconds)| Point { at_s, seconds })
            .to_vec();
        let paths = Paths::new(&points, (0.0, 10.0));
        let values = ones(&points);
        assert_eq!(
            paths.line(&values, &|y| y),
            "M50 1L150 1M200 1L800 1M850 1L950 1"
        );
        assert_eq!(
            paths.area(Some(&values), None, 9.0, &|y| y),
            "M50 1L150 1L150 9L50 9ZM200 1L800 1L800 9L200 9ZM850 1L950 1L950 9L850 9Z"
        );
    }

    #[test]
    fn stretches_that_follow_each_other_are_joined() {
        let points: Vec<Point> = [(0.0, 5.0), (5.0, 5.0)]
            .map(|(at_s, seconds)| Point { at_s, seconds })
            .to_vec();
        let paths = Paths::new(&points, (0.0, 10.0));
        assert_eq!(paths.line(&ones(&points), &|y| y), "M250 1L750 1");
        let none = Paths::new(&[], (0.0, 1.0));
        assert_eq!(none.line(&[], &|y| y), "");
    }
}
