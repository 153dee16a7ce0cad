//! The plan of a sweep: the grid that its arrays span. All points run equally often, in an order that is determined
//! beforehand. Pure.

use super::plan::{Next, Plan, State};
use script::Prng;
use serde_json::Value;

/// Every repetition of every point.
pub struct Grid {
    /// How often a run is tried if it does not finish.
    pub run_tries: i32,
    /// How many runs there are from one restart of the server to the next; all, without restarts.
    pub runs_per_restart: i32,
}

impl Plan for Grid {
    /// The first run in the order among those that were tried least, all runs of a restart before the next one.
    fn next(&self, state: &State) -> Option<Next> {
        let missing = |tries: i32, done: bool| !done && tries < self.run_tries;
        let restart = |position: i32| (position - 1) / self.runs_per_restart.max(1);
        let runs = state.runs.iter();
        runs.filter(|run| missing(run.tries, run.done))
            .min_by_key(|run| (restart(run.position), run.tries, run.position))
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
    /// An argument of `start_run` for the way to the server, of which the points have no column.
    Way,
    /// An argument of `start_load`: the tables have to be loaded for it.
    Load,
    /// A setting of the clients' sessions.
    Setting,
    /// A setting of the server, which a reload changes.
    Server,
    /// A setting of the server, which needs a restart.
    Restart,
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
///
/// A restart of the server takes long, and empties its caches: all repetitions of the points between two `restarts`, which
/// follow each other, come one after another; in random order the restarts are in an order of their own.
pub fn order(
    points: usize,
    restarts: usize,
    repetitions: usize,
    random: bool,
    seed: u64,
) -> Vec<i32> {
    let numbers: Vec<i32> = (1..=points as i32).collect();
    if !random {
        return numbers
            .into_iter()
            .flat_map(|point| std::iter::repeat_n(point, repetitions))
            .collect();
    }
    let mut prng = Prng::new(seed);
    let mut parts: Vec<&[i32]> = numbers.chunks((points / restarts.max(1)).max(1)).collect();
    shuffle(&mut parts, &mut prng);
    let mut order = Vec::new();
    for part in parts {
        let mut block = part.to_vec();
        for _ in 0..repetitions {
            shuffle(&mut block, &mut prng);
            order.extend_from_slice(&block);
        }
    }
    order
}

/// Fisher and Yates.
fn shuffle<T>(items: &mut [T], prng: &mut Prng) {
    for last in (1..items.len()).rev() {
        let chosen = (prng.next_double() * (last + 1) as f64) as usize;
        items.swap(last, chosen);
    }
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
        let next_of = |runs_per_restart: i32, runs: &[PlannedRun]| {
            let grid = Grid {
                run_tries: 2,
                runs_per_restart,
            };
            let runs = runs.to_vec();
            let next = grid.next(&State { runs });
            next.map(|next| (next.position, next.point_no, next.attempt))
        };
        let next = |runs: &[PlannedRun]| next_of(i32::MAX, runs);
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
        // What is missing before a restart comes before it.
        let runs = [run(1, 0, true), run(2, 1, false), run(3, 0, false)];
        assert_eq!(next_of(2, &runs), Some((2, 12, 3)));
        assert_eq!(next_of(1, &runs[2..]), Some((3, 13, 2)));
    }

    #[test]
    fn the_given_order_repeats_each_point() {
        assert_eq!(order(3, 1, 2, false, 7), [1, 1, 2, 2, 3, 3]);
        assert_eq!(order(4, 2, 2, false, 7), [1, 1, 2, 2, 3, 3, 4, 4]);
    }

    #[test]
    fn each_block_of_a_random_order_has_every_point_once() {
        let shuffled = order(9, 1, 5, true, 42);
        assert_eq!(shuffled.len(), 45);
        let mut blocks: Vec<&[i32]> = shuffled.chunks(9).collect();
        for block in &blocks {
            let mut sorted = block.to_vec();
            sorted.sort_unstable();
            assert_eq!(sorted, (1..=9).collect::<Vec<_>>());
        }
        blocks.dedup();
        assert!(blocks.len() > 1, "every block in the same order");
        assert_eq!(shuffled, order(9, 1, 5, true, 42));
        assert_ne!(shuffled, order(9, 1, 5, true, 43));
        assert_eq!(order(1, 1, 3, true, 1), [1, 1, 1]);
    }

    #[test]
    fn all_runs_between_two_restarts_follow_each_other() {
        let mut first = [0; 3];
        for seed in 0..300 {
            let order = order(6, 3, 4, true, seed);
            let of_restart = |point: i32| (point - 1) / 2;
            let restarts: Vec<i32> = order.iter().map(|&point| of_restart(point)).collect();
            let mut seen = restarts.clone();
            seen.dedup();
            assert_eq!((order.len(), seen.len()), (24, 3));
            for block in order.chunks(2) {
                assert_eq!(of_restart(block[0]), of_restart(block[1]));
                assert_ne!(block[0], block[1]);
            }
            first[seen[0] as usize] += 1;
        }
        // Six standard deviations.
        assert!(first.iter().all(|n| (51..149).contains(n)), "{first:?}");
    }

    #[test]
    fn every_order_is_equally_likely() {
        let mut first = [0; 4];
        for seed in 0..4000 {
            first[order(4, 1, 1, true, seed)[0] as usize - 1] += 1;
        }
        // Six standard deviations.
        assert!(
            first.iter().all(|count| (836..1164).contains(count)),
            "{first:?}"
        );
    }
}
