//! A value of a table as text.

use super::Kind;
use crate::show::number::{bytes, duration, integer, number};
use crate::show::text::moment;
use serde_json::Value;

/// The value as a reader sees it; None: it is unknown.
pub fn shown(value: &Value, kind: Kind) -> Option<String> {
    let text = match value {
        Value::Null => return None,
        Value::String(text) if kind == Kind::Moment => moment(text),
        Value::String(text) => text.clone(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::Number(value) => figure(value.as_f64()?, kind),
        // Nothing else is read.
        other => other.to_string(),
    };
    Some(text)
}

/// The value with its unit, which then is not in a head.
pub fn with_unit(value: &Value, kind: Kind) -> Option<String> {
    let shown = shown(value, kind)?;
    Some(match unit(kind) {
        Some(unit) => format!("{shown} {unit}"),
        None => shown,
    })
}

fn figure(value: f64, kind: Kind) -> String {
    match kind {
        Kind::Bytes => bytes(value),
        Kind::Seconds => duration(value),
        Kind::Count => integer(value.round() as i64),
        Kind::Percent => format!("{value:.1}"),
        Kind::Number | Kind::Milliseconds | Kind::Text | Kind::Moment | Kind::Plan => number(value),
    }
}

/// The unit for a column's head, where the values do not carry it themselves.
pub fn unit(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::Milliseconds => Some("ms"),
        Kind::Percent => Some("%"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_unit_follows_its_value() {
        let shown = |value, kind| with_unit(&value, kind).unwrap();
        assert_eq!(shown(json!(5343), Kind::Milliseconds), "5,343 ms");
        assert_eq!(shown(json!(12.34), Kind::Percent), "12.3 %");
        assert_eq!(shown(json!(1536), Kind::Bytes), "1.5 kB");
        assert_eq!(with_unit(&json!(null), Kind::Percent), None);
    }

    #[test]
    fn values_are_shown_in_their_unit_and_what_is_unknown_is_not() {
        for (value, kind, expected) in [
            (json!(1536), Kind::Bytes, Some("1.5 kB")),
            (json!(1234567), Kind::Count, Some("1,234,567")),
            (json!(90.0), Kind::Seconds, Some("1 min 30 s")),
            (json!(99.95), Kind::Percent, Some("100.0")),
            (json!(0.1234), Kind::Milliseconds, Some("0.123")),
            (
                json!("2026-01-01T12:00:00.5+00:00"),
                Kind::Moment,
                Some("2026-01-01 12:00:00+00:00"),
            ),
            (json!(false), Kind::Text, Some("no")),
            (json!(null), Kind::Count, None),
        ] {
            assert_eq!(shown(&value, kind).as_deref(), expected);
        }
    }
}
