//! The values of a comparison's rows as short text.

use super::judge::CONSTANT;
use super::row::Row;
use crate::format::bytes;

/// A value in at most 9 characters; `-` where there is none.
pub fn cell(row: &Row, value: Option<f64>) -> String {
    let Some(value) = value else {
        return "-".to_owned();
    };
    if row.unit.as_deref() == Some("bytes") {
        return bytes(value.round() as i64).replace(" bytes", " B");
    }
    match value.abs() {
        magnitude if magnitude >= 1e8 => format!("{value:.3e}"),
        magnitude if value.fract() == 0.0 || magnitude >= 1e5 => format!("{value:.0}"),
        magnitude if magnitude >= 100.0 => format!("{value:.1}"),
        magnitude if magnitude >= 0.1 => format!("{value:.3}"),
        _ => format!("{value:.6}"),
    }
}

/// With its unit.
pub fn percent(value: f64) -> String {
    format!("{} %", short_percent(value))
}

/// In at most 6 characters.
pub fn short_percent(value: f64) -> String {
    // No "-0.0".
    let value = if value.abs() < 0.05 { 0.0 } else { value };
    if value.abs() >= 999.5 {
        format!("{value:+.0e}")
    } else if value.abs() >= 99.95 {
        format!("{value:+.0}")
    } else {
        format!("{value:+.1}")
    }
}

/// The change's 95 % interval in percent.
pub fn interval(row: &Row) -> Option<String> {
    let (low, high) = row.ci_low_percent.zip(row.ci_high_percent)?;
    Some(format!("{} to {}", short_percent(low), short_percent(high)))
}

/// The p that decides the row's verdict: corrected for the number of metrics tested. None for values that are the
/// same in all runs.
pub fn deciding_p(row: &Row) -> Option<String> {
    let p = row
        .p_adjusted
        .or(row.p_value)
        .filter(|_| row.method != Some(CONSTANT))?;
    Some(if p < 0.001 {
        "<0.001".to_owned()
    } else {
        // Never shown as 0.050 if it lies above or below that.
        match format!("{p:.3}").as_str() {
            "0.050" => format!("{p:.5}"),
            text => text.to_owned(),
        }
    })
}
