//! The values of a comparison's rows as short text.

use super::judge::CONSTANT;
use super::row::Row;
use crate::show::number::bytes;

/// A value in at most 9 characters; `-` where there is none.
pub fn cell(row: &Row, value: Option<f64>) -> String {
    let Some(value) = value else {
        return "-".to_owned();
    };
    if row.unit.as_deref() == Some("bytes") {
        return bytes(value.round()).replace(" bytes", " B");
    }
    match value.abs() {
        magnitude if magnitude >= 1e8 => format!("{value:.3e}"),
        magnitude if value.fract() == 0.0 || magnitude >= 1e5 => format!("{value:.0}"),
        magnitude if magnitude >= 100.0 => format!("{value:.1}"),
        magnitude if magnitude >= 0.1 => format!("{value:.3}"),
        _ => format!("{value:.6}"),
    }
}

/// The p that decides the row's verdict: corrected for the number of metrics tested. None for values that are the
/// same in all runs.
pub fn deciding_p(row: &Row) -> Option<String> {
    row.delta.p().filter(|_| row.method != Some(CONSTANT))
}
