//! The grid of a sweep: what its arrays span, and the order in which its points run. Pure.

use script::Prng;
use serde_json::Value;

/// What an axis varies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dimension {
    Workload,
    Scale,
    Partitions,
    Fillfactor,
    QueryMode,
    Setting(String),
    Clients,
}

/// A dimension with its values.
#[derive(Debug, Clone)]
pub struct Axis {
    pub dimension: Dimension,
    pub values: Vec<Value>,
}

/// A value of each dimension, the axes' order.
pub type Point<'a> = Vec<(&'a Dimension, &'a Value)>;

impl Dimension {
    /// The argument of `start_run` or `start_load`, or the setting.
    pub fn name(&self) -> &str {
        match self {
            Dimension::Workload => "workload",
            Dimension::Scale => "scale",
            Dimension::Partitions => "partitions",
            Dimension::Fillfactor => "fillfactor",
            Dimension::QueryMode => "query_mode",
            Dimension::Setting(name) => name,
            Dimension::Clients => "clients",
        }
    }
}

/// How many points the axes span; None: more than can be counted.
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

/// What distinguishes points beside their clients, as `name=value, ...`: the dimensions that vary.
pub fn combination(axes: &[Axis], point: &Point) -> String {
    let varies = |dimension: &Dimension| {
        *dimension != Dimension::Clients
            && axes
                .iter()
                .any(|axis| axis.dimension == *dimension && axis.values.len() > 1)
    };
    let parts: Vec<String> = point
        .iter()
        .filter(|(dimension, _)| varies(dimension))
        .map(|(dimension, value)| format!("{}={}", dimension.name(), text(value)))
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
/// In random order each repetition is a block that has every point once: so what drifts while the sweep goes on (a
/// disk that fills, a machine that warms up) meets all points alike. In the given order all repetitions of a point come
/// one after another, which takes the fewest loads.
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
                Dimension::Setting("work_mem".to_owned()),
                &[json!("4MB"), json!("64MB")],
            ),
            axis(Dimension::QueryMode, &[json!("simple")]),
            axis(Dimension::Clients, &[json!(1), json!(2), json!(4)]),
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
        // What does not vary distinguishes nothing.
        assert_eq!(combination(&axes, &points[5]), "work_mem=64MB");
        assert_eq!(combination(&axes[1..], &points[0][1..].to_vec()), "");
        let huge = vec![axis(Dimension::Scale, &vec![json!(1); 1 << 16]); 4];
        assert_eq!(count(&huge), None);
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
