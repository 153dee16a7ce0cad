//! The arguments `drain`, `drain_sql` and `drain_timeout`.

use crate::error::{Result, hinted};
use crate::pg::sql::object::Object;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;

/// How long receivers may take if the call does not say it.
pub const DEFAULT_TIMEOUT_S: f64 = 600.0;

/// What a run waits for after its clients have ended, as its spec stores it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Drain {
    /// Without `drain_sql`.
    pub receivers: Vec<Receiver>,
    /// What standbys must have done with the WAL.
    pub until: Until,
    /// A query of the caller that returns whether its receiver has caught up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sql: Option<String>,
    pub timeout_s: f64,
}

/// A receiver by its name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receiver {
    pub kind: ReceiverKind,
    pub name: String,
}

/// What kind of receiver it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReceiverKind {
    /// A standby, by its application_name.
    Standby,
    /// The consumer of a logical slot.
    Slot,
    /// Whatever `drain_sql` asks for.
    Sql,
}

/// What a standby must have done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Until {
    Flush,
    Replay,
}

impl ReceiverKind {
    pub fn name(self) -> &'static str {
        match self {
            ReceiverKind::Standby => "standby",
            ReceiverKind::Slot => "slot",
            ReceiverKind::Sql => "sql",
        }
    }
}

impl Until {
    pub fn name(self) -> &'static str {
        match self {
            Until::Flush => "flush",
            Until::Replay => "replay",
        }
    }
}

/// The name of the receiver that `drain_sql` asks for.
pub const SQL_RECEIVER: &str = "drain_sql";

impl fmt::Display for Receiver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            ReceiverKind::Sql => f.write_str(SQL_RECEIVER),
            kind => write!(f, "{} {}", kind.name(), self.name),
        }
    }
}

impl Drain {
    /// All receivers, that of `drain_sql` last.
    pub fn all(&self) -> Vec<Receiver> {
        let sql = self.sql.as_ref().map(|_| Receiver {
            kind: ReceiverKind::Sql,
            name: SQL_RECEIVER.to_owned(),
        });
        self.receivers.iter().cloned().chain(sql).collect()
    }
}

/// Receivers of a kind, as the argument `drain` names them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Names {
    All,
    These(Vec<String>),
}

/// The argument `drain`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Given {
    pub standbys: Option<Names>,
    pub slots: Option<Names>,
    pub until: Until,
}

const HINT: &str = "Write for example drain => '{\"standbys\": \"all\", \"until\": \"replay\"}' or '{\"slots\": [\"sub1\"]}'. \
    until is flush or replay.";

impl Given {
    /// # Errors
    /// 22023: it has another form.
    pub fn parse(drain: &Value) -> Result<Given> {
        let refused = |message: String| hinted(message, HINT);
        let given = Object::of("drain", "", drain, HINT)?;
        given.only(&["standbys", "slots", "until"], HINT)?;
        let (standbys, slots) = (names(&given, "standbys")?, names(&given, "slots")?);
        if standbys.is_none() && slots.is_none() {
            return Err(refused("drain names neither standbys nor slots".to_owned()));
        }
        let until = match given.get("until") {
            None => Until::Replay,
            Some(_) if standbys.is_none() => {
                return Err(refused("until needs standbys in drain".to_owned()));
            }
            Some(Value::String(until)) if until == "replay" => Until::Replay,
            Some(Value::String(until)) if until == "flush" => Until::Flush,
            Some(other) => {
                return Err(refused(format!(
                    "until in drain must be flush or replay, not {other}"
                )));
            }
        };
        Ok(Given {
            standbys,
            slots,
            until,
        })
    }
}

fn names(given: &Object, key: &str) -> Result<Option<Names>> {
    let refused = || {
        hinted(
            format!("{key} in drain must be \"all\" or an array of names"),
            HINT,
        )
    };
    match given.get(key) {
        None => Ok(None),
        Some(Value::String(all)) if all == "all" => Ok(Some(Names::All)),
        Some(Value::Array(names)) if !names.is_empty() => {
            let mut texts: Vec<String> = Vec::new();
            for name in names {
                let name = name.as_str().ok_or_else(refused)?;
                if !texts.iter().any(|known| known == name) {
                    texts.push(name.to_owned());
                }
            }
            Ok(Some(Names::These(texts)))
        }
        Some(_) => Err(refused()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn receivers_are_all_of_a_kind_or_named() {
        let given = Given::parse(&json!({"standbys": "all"})).unwrap();
        assert_eq!(given.standbys, Some(Names::All));
        assert_eq!((given.slots, given.until), (None, Until::Replay));
        let both = json!({"standbys": ["a", "b", "a"], "slots": ["s"], "until": "flush"});
        let given = Given::parse(&both).unwrap();
        let these = |names: &[&str]| {
            Some(Names::These(
                names.iter().map(|&name| name.to_owned()).collect(),
            ))
        };
        assert_eq!(given.standbys, these(&["a", "b"]));
        assert_eq!(given.slots, these(&["s"]));
        assert_eq!(given.until, Until::Flush);
    }

    #[test]
    fn other_forms_are_refused() {
        for (drain, said) in [
            (json!("all"), "drain must be a JSON object"),
            (json!({}), "drain names neither standbys nor slots"),
            (
                json!({"standby": "all"}),
                "drain has an unknown key \"standby\"",
            ),
            (
                json!({"slots": []}),
                "slots in drain must be \"all\" or an array of names",
            ),
            (
                json!({"slots": [7]}),
                "slots in drain must be \"all\" or an array of names",
            ),
            (
                json!({"slots": "all", "until": "flush"}),
                "until needs standbys in drain",
            ),
            (
                json!({"standbys": "all", "until": "write"}),
                "until in drain must be flush or replay, not \"write\"",
            ),
        ] {
            assert_eq!(Given::parse(&drain).unwrap_err().to_string(), said);
        }
    }
}
