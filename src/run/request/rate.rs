//! The argument `rate`: a number, a wave, or steps by the time of the run, `'{"0 s": 100, "10 min": 800}'`.

use crate::error::{Result, hinted, invalid};
use crate::pg::sql::interval::{self, MAX_SECONDS};
use crate::pg::sql::object::Object;
use crate::pg::sql::options::SqlValue;
use engine::{Level, Rate, RateStep, Wave};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The highest rate of a wave.
const MAX_TPS: f64 = 1e9;
/// The shortest period.
const MIN_PERIOD_S: f64 = 0.1;
/// The steps of a rate.
const MAX_STEPS: usize = 1000;

const EXAMPLES: &str = "A rate is a number (100), steps by the time of the run ('{\"0 s\": 100, \"10 min\": 800}', null: as fast as \
     they go), or a wave ('{\"low\": 100, \"high\": 800, \"period\": \"1 day\"}').";

/// The argument as it was given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RateArgument(Value);

impl SqlValue for RateArgument {
    const SQL_TYPE: &'static str = "pgperf.rate";

    fn text(&self) -> Option<String> {
        Some(self.0.to_string())
    }
}

impl RateArgument {
    /// A share of it, of whatever form it is: all of its numbers are transactions per second.
    pub fn scaled(&self, share: f64) -> RateArgument {
        RateArgument(scaled(&self.0, share))
    }

    /// # Errors
    /// It is no rate, or not a possible one.
    pub fn rate(&self) -> Result<Rate> {
        parse(&self.0, &interval::read)
    }
}

fn scaled(value: &Value, share: f64) -> Value {
    match value {
        Value::Number(number) => (number.as_f64()).map_or(Value::Null, |it| (it * share).into()),
        Value::Object(members) => {
            let members = members.iter();
            let members = members.map(|(name, value)| (name.clone(), scaled(value, share)));
            Value::Object(members.collect())
        }
        other => other.clone(),
    }
}

fn malformed(reason: &str) -> crate::error::Error {
    hinted(format!("rate: {reason}"), EXAMPLES)
}

fn parse(value: &Value, interval: &impl Fn(&str) -> Result<f64>) -> Result<Rate> {
    let Value::Object(members) = value else {
        return level(value, interval).map(Rate::Level);
    };
    if members.contains_key("low") || members.contains_key("high") {
        return level(value, interval).map(Rate::Level);
    }
    let mut steps = members
        .iter()
        .map(|(at, value)| {
            let at_s = interval(at).map_err(|error| malformed(&error.to_string()))?;
            if !(0.0..=MAX_SECONDS).contains(&at_s) {
                return Err(malformed(&format!("\"{at}\" is no time of a run")));
            }
            let rate = match value {
                Value::Null => None,
                value => Some(level(value, interval)?),
            };
            Ok(RateStep { at_s, rate })
        })
        .collect::<Result<Vec<_>>>()?;
    steps.sort_by(|a, b| a.at_s.total_cmp(&b.at_s));
    match steps.first() {
        None => return Err(malformed("there is no step")),
        Some(first) if first.at_s > 0.0 => {
            return Err(malformed("the first step must begin at \"0 s\""));
        }
        _ if steps.len() > MAX_STEPS => {
            return Err(malformed(&format!("more than {MAX_STEPS} steps")));
        }
        _ => {}
    }
    if let Some(pair) = steps.windows(2).find(|pair| pair[0].at_s == pair[1].at_s) {
        return Err(malformed(&format!("two steps begin at {} s", pair[0].at_s)));
    }
    match steps.as_slice() {
        [
            RateStep {
                rate: Some(only), ..
            },
        ] => Ok(Rate::Level(*only)),
        _ => Ok(Rate::Steps(steps)),
    }
}

fn level(value: &Value, interval: &impl Fn(&str) -> Result<f64>) -> Result<Level> {
    match value {
        Value::Number(number) => match number.as_f64() {
            Some(rate) if rate > 0.0 && rate.is_finite() => Ok(Level::Constant(rate)),
            _ => Err(invalid(format!(
                "rate must be a positive number of transactions per second, not {number}"
            ))),
        },
        Value::Object(members) => wave(members, interval).map(Level::Wave),
        other => Err(malformed(&format!(
            "{other} is neither a number nor an object"
        ))),
    }
}

fn wave(members: &Map<String, Value>, interval: &impl Fn(&str) -> Result<f64>) -> Result<Wave> {
    let wave = Object::named("rate", members, EXAMPLES);
    wave.only(
        &["low", "high", "period", "shift"],
        "Keys of a wave are: low, high, period, shift.",
    )?;
    let number = |key| wave.needed(key, wave.number(key, 0.0..=MAX_TPS)?);
    let (low, high) = (number("low")?, number("high")?);
    if high < low || high == 0.0 {
        return Err(malformed("\"high\" must be positive and not below \"low\""));
    }
    let period_s = wave.interval("period", MIN_PERIOD_S, interval)?;
    Ok(Wave {
        low,
        high,
        period_s: wave.needed("period", period_s)?,
        shift_s: wave.interval("shift", 0.0, interval)?.unwrap_or(0.0),
    })
}

/// The argument that asks for a rate.
pub fn as_argument(rate: &Rate) -> Value {
    match rate {
        Rate::Level(level) => level_argument(*level),
        Rate::Steps(steps) => {
            let step = |step: &RateStep| {
                let value = step.rate.map_or(Value::Null, level_argument);
                (format!("{} s", step.at_s), value)
            };
            Value::Object(steps.iter().map(step).collect())
        }
    }
}

fn level_argument(level: Level) -> Value {
    match level {
        Level::Constant(rate) => json!(rate),
        Level::Wave(wave) => {
            let mut argument = json!({
                "low": wave.low, "high": wave.high, "period": format!("{} s", wave.period_s),
            });
            if wave.shift_s > 0.0 {
                argument["shift"] = format!("{} s", wave.shift_s).into();
            }
            argument
        }
    }
}

/// A rate in words: `100 tps`, `100 tps, from 600 s 800 tps`.
pub fn describe(rate: &Rate) -> String {
    match rate {
        Rate::Level(level) => describe_level(*level),
        Rate::Steps(steps) => {
            let step = |step: &RateStep| {
                let words = step.rate.map_or("no limit".to_owned(), describe_level);
                match step.at_s {
                    0.0 => words,
                    at_s => format!("from {at_s} s {words}"),
                }
            };
            let shown = steps.iter().take(10).map(step);
            let mut words = shown.collect::<Vec<_>>().join(", ");
            if steps.len() > 10 {
                words += &format!(", and {} further steps", steps.len() - 10);
            }
            words
        }
    }
}

fn describe_level(level: Level) -> String {
    match level {
        Level::Constant(rate) => format!("{} tps", (rate * 1e3).round() / 1e3),
        Level::Wave(wave) => format!(
            "{} to {} tps every {} s",
            wave.low, wave.high, wave.period_s
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(text: &str) -> Result<f64> {
        let number = text
            .strip_suffix(" s")
            .and_then(|number| number.parse().ok());
        number.ok_or_else(|| malformed("no interval"))
    }

    fn read(value: Value) -> std::result::Result<Rate, String> {
        parse(&value, &seconds).map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_read_is_written() {
        for value in [
            json!(12.5),
            json!({"0 s": 100.0, "600 s": 800.0, "700.5 s": null}),
            json!({"low": 1.0, "high": 2.0, "period": "86400 s"}),
            json!({"0 s": null, "10 s": {"low": 0.0, "high": 2.0, "period": "5 s", "shift": "2 s"}}),
        ] {
            assert_eq!(as_argument(&read(value.clone()).unwrap()), value);
        }
        assert_eq!(read(json!({"0 s": 5})), Ok(Rate::from(5.0)));
    }

    #[test]
    fn what_is_no_rate_is_refused() {
        for (value, reason) in [
            (json!(0), "positive"),
            (json!(-3), "positive"),
            (json!("5"), "neither"),
            (json!(true), "neither"),
            (json!({}), "no step"),
            (json!({"5 s": 1}), "first step"),
            (json!({"x": 1}), "no interval"),
            (json!({"0 s": 1, "0.0 s": 2}), "two steps"),
            (json!({"0 s": 1, "-1 s": 2}), "no time"),
            (json!({"0 s": "1"}), "neither"),
            (json!({"low": 1}), "\"high\""),
            (json!({"low": 3, "high": 1, "period": "9 s"}), "below"),
            (
                json!({"low": -1, "high": 1, "period": "9 s"}),
                "number from 0",
            ),
            (json!({"low": 0, "high": 0, "period": "9 s"}), "positive"),
            (json!({"low": 1, "high": 2}), "period"),
            (json!({"low": 1, "high": 2, "period": 5}), "interval"),
            (json!({"low": 1, "high": 2, "period": "0 s"}), "period"),
            (
                json!({"low": 1, "high": 2, "period": "1 s", "phase": 0}),
                "unknown key \"phase\"",
            ),
        ] {
            let error = read(value.clone()).unwrap_err();
            assert!(error.contains(reason), "{value}: {error}");
        }
    }

    #[test]
    fn rates_in_words() {
        let words = |value| describe(&read(value).unwrap());
        assert_eq!(words(json!(100)), "100 tps");
        assert_eq!(
            words(
                json!({"0 s": 100, "60 s": null, "90 s": {"low": 1, "high": 2, "period": "5 s"}})
            ),
            "100 tps, from 60 s no limit, from 90 s 1 to 2 tps every 5 s"
        );
    }
}
