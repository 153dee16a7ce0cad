//! From rows of the model to the points and series of a chart.

use crate::show::charts::{Point, Series, Shape};

/// Time of each row: seconds since the measured part began, and its length.
pub fn points<T>(rows: &[T], between: impl Fn(&T) -> (f64, f64)) -> Vec<Point> {
    rows.iter()
        .map(|row| {
            let (at_s, seconds) = between(row);
            Point { at_s, seconds }
        })
        .collect()
}

/// One value of each row.
pub fn series<T>(
    rows: &[T],
    name: &str,
    color: u8,
    shape: Shape,
    value: impl Fn(&T) -> Option<f64>,
) -> Series {
    Series {
        name: name.to_owned(),
        color,
        shape,
        values: rows.iter().map(value).collect(),
    }
}
