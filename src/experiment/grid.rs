//! The plan of a sweep: the grid that its arrays span. All points run equally often, in an order that is determined
//! beforehand. Pure.

use super::plan::{Next, Plan, State};
use script::Prng;
use serde_json::Value;

/// Every repetition of every point.
pub struct Grid {
    /// How often a run is tried if it does not finish.
    pub run_tries: i32,
}

impl Plan for Grid {
    /// The first run in the order among those that were tried least.
    fn next(&self, state: &State) -> Option<Next> {
        let missing = |tries: i32, done: bool| !done && tries < self.run_tries;
        let runs = state.runs.iter();
        runs.filter(|run| missing(run.tries, run.done))
            .min_by_key(|run| (run.tries, run.position))
            .map(|run| run.next())
    }
}

/// The argument or setting that an axis varies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dimension {
    pub name: String,
    pub part: Part,
}

/// What a dimension belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// An argument of `start_run`.
    Run,
    /// An argument of `start_load`: the tables have to be loaded for it.
    Load,
    /// A setting of the clients' sessions.
    Setting,
    /// A setting of the server, which a reload changes.
    Server,
}

impl Dimension {
    pub fn new(part: Part, name: &str) -> Dimension {
        Dimension {
            name: name.to_owned(),
            part,
        }
    }
}

/// The dimension along which curves are drawn. It is not part of a combination.
pub const CLIENTS: &str = "clients";

/// A dimension with its values.
#[derive(Debug, Clone)]
pub struct Axis {
    pub dimension: Dimension,
    pub values: Vec<Value>,
}

/// A value for each dimension, in the order of the axes.
pub type Point<'a> = Vec<(&'a Dimension, &'a Value)>;

/// How many points the axes span; None if there are too many to count.
pub fn count(axes: &[Axis]) -> Option<usize> {
    axes.iter()
        .try_fold(1usize, |count, axis| count.checked_mul(axis.values.len()))
}

/// All points, the last axis varying fastest.
pub fn points(axes: &[Axis]) -> Vec<Point<'_>> {
    let mut points = vec![Point::new()];
    for axis in axes {
        let mut next = Vec::new();
        for point in &points {
            for value in &axis.values {
                let mut point = point.clone();
                point.push((&axis.dimension, value));
                next.push(point);
            }
        }
        points = next;
    }
    points
}

/// The values of a point in the dimensions that vary, except for its clients, as `name=value, ...`.
pub fn combination(axes: &[Axis], point: &Point) -> String {
    let varies = |dimension: &Dimension| {
        dimension.name != CLIENTS
            && axes
                .iter()
                .any(|axis| axis.dimension == *dimension && axis.values.len() > 1)
    };
    let parts: Vec<String> = point
        .iter()
        .filter(|(dimension, _)| varies(dimension))
        .map(|(dimension, value)| format!("{}={}", dimension.name, text(value)))
        .collect();
    parts.join(", ")
}

/// A value without a JSON string's quotes.
pub fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

/// The points' numbers, from 1, in the order in which they run.
///
/// In random order each repetition is a block that has every point once, so that a drift during the sweep (a disk that
/// fills, a machine that warms up) affects all points alike. In the given order all repetitions of a point come one
/// after another, which takes the fewest loads.
pub fn order(points: usize, repetitions: usize, random: bool, seed: u64) -> Vec<i32> {
    let numbers = 1..=points as i32;
    if !random {
        return numbers
            .flat_map(|point| std::iter::repeat_n(point, repetitions))
            .collect();
    }
    let mut prng = Prng::new(seed);
    let mut block: Vec<i32> = numbers.collect();
    (0..repetitions)
        .flat_map(|_| {
            // Fisher and Yates.
            for last in (1..block.len()).rev() {
                let chosen = (prng.next_double() * (last + 1) as f64) as usize;
                block.swap(last, chosen);
            }
            block.clone()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::plan::PlannedRun;
    use serde_json::json;

    fn axis(dimension: Dimension, values: &[Value]) -> Axis {
        Axis {
            dimension,
            values: values.to_vec(),
        }
    }

    #[test]
    fn the_last_axis_varies_fastest() {
        let axes = [
            axis(
                Dimension::new(Part::Setting, "work_mem"),
                &[json!("4MB"), json!("64MB")],
            ),
            axis(Dimension::new(Part::Run, "query_mode"), &[json!("simple")]),
            axis(
                Dimension::new(Part::Run, CLIENTS),
                &[json!(1), json!(2), json!(4)],
            ),
        ];
        assert_eq!(count(&axes), Some(6));
        let points = points(&axes);
        let described: Vec<String> = points
            .iter()
            .map(|point| {
                let parts: Vec<String> = point.iter().map(|(_, value)| text(value)).collect();
                parts.join(" ")
            })
            .collect();
        assert_eq!(
            described,
            [
                "4MB simple 1",
                "4MB simple 2",
                "4MB simple 4",
                "64MB simple 1",
                "64MB simple 2",
                "64MB simple 4"
            ]
        );
        // A dimension that does not vary is left out.
        assert_eq!(combination(&axes, &points[5]), "work_mem=64MB");
        assert_eq!(combination(&axes[1..], &points[0][1..].to_vec()), "");
        let huge = vec![
            axis(
                Dimension::new(Part::Load, "scale"),
                &vec![json!(1); 1 << 16]
            );
            4
        ];
        assert_eq!(count(&huge), None);
    }

    #[test]
    fn the_next_run_is_the_one_that_was_tried_least() {
        let run = |position, tries, done| PlannedRun {
            position,
            point_no: 10 + position,
            repetition: 1,
            // One was stopped, which does not count.
            attempts: tries + 1,
            tries,
            done,
        };
        let next = |runs: &[PlannedRun]| {
            let grid = Grid { run_tries: 2 };
            let runs = runs.to_vec();
            let next = grid.next(&State { runs });
            next.map(|next| (next.position, next.point_no, next.attempt))
        };
        assert_eq!(next(&[]), None);
        assert_eq!(
            next(&[run(1, 0, true), run(2, 1, false), run(3, 0, false)]),
            Some((3, 13, 2))
        );
        assert_eq!(
            next(&[run(1, 0, true), run(2, 1, false), run(3, 1, true)]),
            Some((2, 12, 3))
        );
        assert_eq!(next(&[run(1, 0, true), run(2, 2, false)]), None);
    }

    #[test]
    fn the_given_order_repeats_each_point() {
        assert_eq!(order(3, 2, false, 7), [1, 1, 2, 2, 3, 3]);
    }

    #[test]
    fn each_block_of_a_random_order_has_every_point_once() {
        let shuffled = order(9, 5, true, 42);
        assert_eq!(shuffled.len(), 45);
        let mut blocks: Vec<&[i32]> = shuffled.chunks(9).collect();
        for block in &blocks {
            let mut sorted = block.to_vec();
            sorted.sort_unstable();
            assert_eq!(sorted, (1..=9).collect::<Vec<_>>());
        }
        blocks.dedup();
        assert!(blocks.len() > 1, "every block in the same order");
        assert_eq!(shuffled, order(9, 5, true, 42));
        assert_ne!(shuffled, order(9, 5, true, 43));
        assert_eq!(order(1, 3, true, 1), [1, 1, 1]);
    }

    #[test]
    fn every_order_is_equally_likely() {
        let mut first = [0; 4];
        for seed in 0..4000 {
            first[order(4, 1, true, seed)[0] as usize - 1] += 1;
        }
        // Six standard deviations.
        assert!(
            first.iter().all(|count| (836..1164).contains(count)),
            "{first:?}"
        );
    }
}
