//! What a caller may choose, as a JSON object: `{"speed": "max", "order": "commit", "roles": ["app"], "application_names": ["shop"]}`.

use capture::Session;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use thiserror::Error;

/// What is chosen.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Options {
    pub speed: Speed,
    pub order: Order,
    /// The roles whose sessions are played; None: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub roles: Option<Vec<String>>,
    /// The same by `application_name`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub application_names: Option<Vec<String>>,
    /// Settings that the run gives all sessions, in place of what they had.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub given_settings: Vec<String>,
}

/// How the times of the capture are kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub enum Speed {
    /// Pauses are those of the capture, divided by this.
    Times(f64),
    /// There are none.
    #[default]
    Max,
}

/// Which order is kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Order {
    /// That of each session, and a statement comes after the commits that it could see in the capture.
    #[default]
    Commit,
    /// That of each session.
    Session,
}

/// An option that cannot be.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum BadOption {
    #[error("a replay has no option \"{0}\"")]
    Unknown(String),
    #[error("speed must be a positive number or \"max\", not {0}")]
    Speed(String),
    #[error("order must be \"commit\" or \"session\", not {0}")]
    Order(String),
    #[error("{0} must be an array of names")]
    Names(&'static str),
}

impl Options {
    /// Reads the options of a call.
    ///
    /// # Errors
    /// An option or a value that a replay does not have.
    pub fn read(given: &Map<String, Value>) -> Result<Options, BadOption> {
        let mut options = Options::default();
        for (name, value) in given {
            match name.as_str() {
                "speed" => options.speed = speed(value)?,
                "order" => options.order = order(value)?,
                "roles" => options.roles = Some(names("roles", value)?),
                "application_names" => {
                    options.application_names = Some(names("application_names", value)?);
                }
                _ => return Err(BadOption::Unknown(name.clone())),
            }
        }
        Ok(options)
    }

    /// Whether the run gives this setting itself.
    pub(crate) fn gives(&self, setting: &str) -> bool {
        let mut given = self.given_settings.iter();
        given.any(|name| name.eq_ignore_ascii_case(setting))
    }

    /// Whether a session is played.
    pub(crate) fn takes(&self, session: &Session) -> bool {
        let has = |names: &Option<Vec<String>>, name: &String| {
            names.as_ref().is_none_or(|names| names.contains(name))
        };
        has(&self.roles, &session.start.role)
            && has(&self.application_names, &session.start.application)
    }
}

fn speed(value: &Value) -> Result<Speed, BadOption> {
    let times = value.as_f64().filter(|&times| times > 0.0);
    match (times, value.as_str()) {
        (Some(times), _) => Ok(Speed::Times(times)),
        (_, Some("max")) => Ok(Speed::Max),
        _ => Err(BadOption::Speed(value.to_string())),
    }
}

fn order(value: &Value) -> Result<Order, BadOption> {
    match value.as_str() {
        Some("commit") => Ok(Order::Commit),
        Some("session") => Ok(Order::Session),
        _ => Err(BadOption::Order(value.to_string())),
    }
}

fn names(option: &'static str, value: &Value) -> Result<Vec<String>, BadOption> {
    let names = value.as_array().ok_or(BadOption::Names(option))?.iter();
    let names = names.map(|name| Some(name.as_str()?.to_owned()));
    names.collect::<Option<_>>().ok_or(BadOption::Names(option))
}

impl Speed {
    /// A time of the capture, µs, in the replay, ns; None: there is none.
    pub(crate) fn scaled(self, us: i64) -> Option<u64> {
        match self {
            Speed::Times(times) => Some((us.max(0) as f64 * 1e3 / times) as u64),
            Speed::Max => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(given: &Value) -> Result<Options, BadOption> {
        Options::read(given.as_object().unwrap())
    }

    #[test]
    fn options_are_read_or_refused() {
        assert_eq!(read(&json!({})), Ok(Options::default()));
        let all =
            json!({"speed": 0.5, "order": "session", "roles": ["a"], "application_names": []});
        let options = Options {
            speed: Speed::Times(0.5),
            order: Order::Session,
            roles: Some(vec!["a".to_owned()]),
            application_names: Some(Vec::new()),
            given_settings: Vec::new(),
        };
        assert_eq!(read(&all), Ok(options));
        for (given, error) in [
            (json!({"sped": 1}), "a replay has no option \"sped\""),
            (
                json!({"speed": 0}),
                "speed must be a positive number or \"max\", not 0",
            ),
            (
                json!({"speed": "1"}),
                "speed must be a positive number or \"max\", not \"1\"",
            ),
            (
                json!({"order": "none"}),
                "order must be \"commit\" or \"session\", not \"none\"",
            ),
            (json!({"roles": "a"}), "roles must be an array of names"),
            (
                json!({"application_names": [1]}),
                "application_names must be an array of names",
            ),
        ] {
            assert_eq!(read(&given).unwrap_err().to_string(), error);
        }
    }

    #[test]
    fn times_are_scaled() {
        assert_eq!(Speed::Times(2.0).scaled(10), Some(5_000));
        assert_eq!(Speed::Times(0.5).scaled(10), Some(20_000));
        assert_eq!(Speed::Times(1.0).scaled(-10), Some(0));
        assert_eq!(Speed::Max.scaled(10), None);
    }
}
