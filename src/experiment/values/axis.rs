//! What varies in a sweep besides the clients, as axes of charts. Pure.

use crate::show::number::{Measure, amount};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A point of the grid, as it is stored.
#[derive(Debug, Clone, Deserialize)]
pub struct GridPoint {
    pub point_no: i64,
    pub workload: String,
    pub clients: i64,
    pub combination: String,
    /// Its values in all dimensions but the clients, by name; None: it has none.
    pub dimensions: BTreeMap<String, Option<String>>,
}

/// A dimension that varies.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Axis {
    pub name: String,
    /// Those with sizes, times or numbers in ascending order, others as given.
    pub values: Vec<AxisValue>,
    /// The place, from 0, of the value that the others are compared with: the one before the sweep, or the first that was given.
    pub baseline: usize,
}

/// A value of a dimension.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AxisValue {
    pub value: String,
    /// How much it is: bytes, microseconds or a number; null: the values of this dimension are not of one of these kinds.
    pub amount: Option<f64>,
    /// Whether the setting had it before the sweep.
    pub is_current: bool,
}

/// The name of the dimension that is only an axis if nothing else is: figures of different workloads are not compared.
pub const WORKLOAD: &str = "workload";

/// The axes, in the order of the grid. `points`: by number. `current`: the values before the sweep, by name.
pub fn axes(points: &[GridPoint], current: &BTreeMap<String, String>) -> Vec<Axis> {
    let names: BTreeSet<&str> = (points.iter())
        .flat_map(|point| point.dimensions.keys().map(String::as_str))
        .collect();
    let mut placed: Vec<(usize, &str)> = (names.into_iter())
        .filter_map(|name| Some((place_in(&points.first()?.combination, name)?, name)))
        .collect();
    placed.sort_unstable();
    if placed.len() > 1 {
        placed.retain(|(_, name)| *name != WORKLOAD);
    }
    let axis = |(_, name): (usize, &str)| {
        let mut values: Vec<String> = Vec::new();
        for value in points.iter().filter_map(|point| point.value(name)) {
            if !values.contains(&value) {
                values.push(value);
            }
        }
        Axis::of(name, &values, current.get(name).map(String::as_str))
    };
    placed.into_iter().map(axis).collect()
}

/// Where a combination, `name=value, ...`, names a dimension.
fn place_in(combination: &str, name: &str) -> Option<usize> {
    let first = combination
        .strip_prefix(name)
        .is_some_and(|rest| rest.starts_with('='));
    match first {
        true => Some(0),
        false => combination.find(&format!(", {name}=")),
    }
}

impl GridPoint {
    /// Its value in a dimension.
    pub fn value(&self, name: &str) -> Option<String> {
        self.dimensions.get(name).cloned().flatten()
    }
}

impl Axis {
    /// `given`: in their order.
    fn of(name: &str, given: &[String], current: Option<&str>) -> Axis {
        let amounts = amounts(given);
        let mut values: Vec<AxisValue> = (given.iter().enumerate())
            .map(|(place, value)| AxisValue {
                value: value.clone(),
                amount: (amounts.as_ref()).and_then(|amounts| amounts.get(place).copied()),
                is_current: current == Some(value),
            })
            .collect();
        // Values without an amount are all equal here, and stay where they are.
        let by = |value: &AxisValue| value.amount.unwrap_or(0.0);
        values.sort_by(|a, b| by(a).total_cmp(&by(b)));
        let place = |of: &dyn Fn(&AxisValue) -> bool| values.iter().position(of);
        let baseline = place(&|value| value.is_current)
            .or_else(|| place(&|value| Some(&value.value) == given.first()))
            .unwrap_or(0);
        Axis {
            name: name.to_owned(),
            values,
            baseline,
        }
    }

    /// Its value that the others are compared with.
    pub fn compared_with(&self) -> Option<&AxisValue> {
        self.values.get(self.baseline)
    }

    pub fn names(&self) -> Vec<&str> {
        self.values.iter().map(|it| it.value.as_str()).collect()
    }

    /// All amounts; None: the values have none.
    pub fn amounts(&self) -> Option<Vec<f64>> {
        self.values.iter().map(|value| value.amount).collect()
    }
}

/// How much each value is, if all are of one kind. 0 and negative numbers without a unit are words of any kind.
fn amounts(values: &[String]) -> Option<Vec<f64>> {
    let found: Vec<(Measure, f64)> = values
        .iter()
        .map(|value| amount(value))
        .collect::<Option<_>>()?;
    let is_word =
        |(measure, amount): &&(Measure, f64)| *measure == Measure::Number && *amount <= 0.0;
    let mut kinds = found.iter().filter(|it| !is_word(it)).map(|(kind, _)| kind);
    let first = kinds.next();
    let alike = kinds.all(|kind| Some(kind) == first);
    alike.then(|| found.iter().map(|(_, amount)| *amount).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(given: &[&str], current: Option<&str>) -> Axis {
        let given: Vec<String> = given.iter().map(|value| (*value).to_owned()).collect();
        Axis::of("setting", &given, current)
    }

    #[test]
    fn sizes_and_numbers_have_an_order_other_values_that_of_the_call() {
        for (given, shown) in [
            (
                &["1GB", "128MB", "64MB", "2GB"][..],
                &["64MB", "128MB", "1GB", "2GB"][..],
            ),
            (&["10", "9", "1.1", "-1"], &["-1", "1.1", "9", "10"]),
            (&["5min", "30s", "0"], &["0", "30s", "5min"]),
            (&["on", "off", "local"], &["on", "off", "local"]),
            // 16384 may be of any unit.
            (&["1GB", "16384"], &["1GB", "16384"]),
            (&["30s", "8kB"], &["30s", "8kB"]),
            (&["zstd", "off", "1"], &["zstd", "off", "1"]),
        ] {
            assert_eq!(axis(given, None).names(), shown, "{given:?}");
        }
    }

    #[test]
    fn the_value_before_the_sweep_is_the_baseline_or_the_first_of_the_call() {
        let compared_with = |given, current| {
            let axis = axis(given, current);
            axis.compared_with().unwrap().value.clone()
        };
        let sizes = &["1GB", "128MB", "2GB"];
        assert_eq!(compared_with(sizes, Some("128MB")), "128MB");
        assert_eq!(compared_with(sizes, None), "1GB");
        assert_eq!(compared_with(&["on", "off"], Some("off")), "off");
    }

    #[test]
    fn axes_are_what_combinations_name() {
        let dimensions = |of: &[(&str, Option<&str>)]| {
            let of = of.iter();
            of.map(|(name, value)| ((*name).to_owned(), value.map(str::to_owned)))
                .collect()
        };
        let point = |number: i64, workload: &str, size: &str, cost: &str| GridPoint {
            point_no: number,
            workload: workload.to_owned(),
            clients: 4,
            combination: format!("shared_buffers={size}, random_page_cost={cost}"),
            dimensions: dimensions(&[
                ("shared_buffers", Some(size)),
                ("random_page_cost", Some(cost)),
                ("scale", Some("10")),
                ("partitions", None),
            ]),
        };
        let mut points = vec![
            point(1, "w", "1GB", "4.0"),
            point(2, "w", "1GB", "1.1"),
            point(3, "w", "128MB", "4.0"),
            point(4, "w", "128MB", "1.1"),
        ];
        let names = |points: &[GridPoint]| -> Vec<(String, Vec<String>)> {
            let of = |axis: Axis| {
                (
                    axis.name.clone(),
                    axis.names().into_iter().map(str::to_owned).collect(),
                )
            };
            axes(points, &BTreeMap::new()).into_iter().map(of).collect()
        };
        let expected = [
            (
                "shared_buffers".to_owned(),
                vec!["128MB".to_owned(), "1GB".to_owned()],
            ),
            (
                "random_page_cost".to_owned(),
                vec!["1.1".to_owned(), "4.0".to_owned()],
            ),
        ];
        assert_eq!(names(&points), expected);
        // Workloads are an axis where nothing else is.
        for point in &mut points {
            point.combination = "workload=w".to_owned();
            let name = format!("w{}", point.point_no);
            point.dimensions = dimensions(&[("workload", Some(&name))]);
        }
        assert_eq!(names(&points)[0].1, ["w1", "w2", "w3", "w4"]);
        for point in &mut points {
            point.combination = String::new();
        }
        assert_eq!(names(&points), []);
    }
}
