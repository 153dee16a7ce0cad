//! Changes in percent with their p-values, as short text.

/// With its unit.
pub fn percent(value: f64) -> String {
    format!("{} %", short_percent(value))
}

/// In at most 6 characters.
pub fn short_percent(value: f64) -> String {
    // No "-0.0".
    let value = if value.abs() < 0.05 { 0.0 } else { value };
    if value.abs() >= 99_999.5 {
        format!("{value:+.0e}")
    } else if value.abs() >= 99.95 {
        format!("{value:+.0}")
    } else {
        format!("{value:+.1}")
    }
}

/// The ends of an interval in percent, without a unit.
pub fn interval(low: f64, high: f64) -> String {
    format!("{} to {}", short_percent(low), short_percent(high))
}

/// The probability of such a change by chance.
pub fn probability(p: f64) -> String {
    if p < 0.001 {
        return "<0.001".to_owned();
    }
    // Never shown as 0.050 if it lies above or below that.
    match format!("{p:.3}").as_str() {
        "0.050" => format!("{p:.5}"),
        text => text.to_owned(),
    }
}
