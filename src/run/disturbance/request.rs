//! The argument `disturbances`: an array of objects, one for each disturbance.

use super::times::Times;
use super::work::{KINDS, Kind, SQL, Work};
use crate::error::{Error, Result, hinted};
use crate::pg::sql::object::Object;
use serde_json::{Map, Value};

/// A disturbance as the argument gives it: its table is a name as it was written, its statements are one text.
#[derive(Debug, Clone, PartialEq)]
pub struct Given {
    pub name: String,
    pub work: Work,
    pub times: Times,
    pub sessions: usize,
}

/// Disturbances of a run.
const MOST: usize = 50;
/// Sessions of a disturbance.
const MOST_SESSIONS: u64 = 100;
/// The longest name; the sessions are called after it.
const LONGEST_NAME: usize = 40;
/// The shortest period and duration.
const SHORTEST_S: f64 = 0.1;
const DEFAULT_MB_PER_S: f64 = 16.0;
const DEFAULT_MB: f64 = 256.0;
const DEFAULT_PER_S: f64 = 50.0;
const DEFAULT_BACKUP_MB_PER_S: f64 = 32.0;

const HINT: &str = "Write for example disturbances => \
    '[{\"kind\": \"snapshot_holder\", \"at\": \"10 s\", \"for\": \"20 s\"}, \
    {\"name\": \"job\", \"sql\": \"SELECT refresh()\", \"at\": \"5 s\", \"every\": \"30 s\"}]'.";

/// The argument's disturbances in their order. `interval` reads an interval in seconds; `duration_s`: how long the run lasts, where
/// that is known.
///
/// # Errors
/// 22023: it has another form, or a time that is not within the run.
pub fn parse(
    argument: &Value,
    duration_s: Option<f64>,
    interval: &impl Fn(&str) -> Result<f64>,
) -> Result<Vec<Given>> {
    let Value::Array(items) = argument else {
        return Err(hinted(
            "disturbances must be a JSON array of objects".to_owned(),
            HINT,
        ));
    };
    if items.is_empty() || items.len() > MOST {
        return Err(hinted(
            format!(
                "disturbances must have from 1 to {MOST} members, not {}",
                items.len()
            ),
            HINT,
        ));
    }
    let mut all: Vec<Given> = Vec::with_capacity(items.len());
    for item in items {
        let given = one(item, interval)?;
        if all.iter().any(|other| other.name == given.name) {
            return Err(hinted(
                format!("two disturbances are called \"{}\"", given.name),
                "Give each a \"name\" of its own.",
            ));
        }
        within(&given, duration_s)?;
        all.push(given);
    }
    Ok(all)
}

fn of(name: &str, message: &str) -> Error {
    hinted(format!("disturbance \"{name}\": {message}"), HINT)
}

fn one(item: &Value, interval: &impl Fn(&str) -> Result<f64>) -> Result<Given> {
    let Value::Object(members) = item else {
        return Err(hinted(
            format!("a disturbance must be a JSON object, not {item}"),
            HINT,
        ));
    };
    let kind = kind(members)?;
    let name = name(members, kind)?;
    let members = Object::named(&format!("disturbance \"{name}\""), members, HINT);
    let own = kind.keys.iter().chain(kind.many.then_some(&"sessions"));
    let known = ["name", "kind", "at", "every", "for"].iter().chain(own);
    let known: Vec<&str> = known.copied().collect();
    let known_keys = format!("Keys of {} are: {}.", kind.name, known.join(", "));
    members.only(&known, &known_keys)?;
    let at_s = members.needed("at", members.interval("at", 0.0, interval)?)?;
    let every_s = members.interval("every", SHORTEST_S, interval)?;
    let for_s = (members.interval("for", SHORTEST_S, interval)?).or(kind.for_s);
    if let (Some(every_s), Some(for_s)) = (every_s, for_s)
        && for_s >= every_s
    {
        return Err(members.refused("\"for\" must be shorter than \"every\""));
    }
    let sessions = members.count("sessions", 1..=MOST_SESSIONS)?;
    Ok(Given {
        work: work(&members, kind)?,
        times: Times {
            at_s,
            every_s,
            for_s,
        },
        sessions: sessions.map_or(kind.sessions, |count| count as usize),
        name,
    })
}

fn kind(members: &Map<String, Value>) -> Result<&'static Kind> {
    let names = || {
        let names: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
        format!("Kinds are: {}. Or give \"sql\".", names.join(", "))
    };
    match (members.get("kind"), members.contains_key("sql")) {
        (None, true) => Ok(&SQL),
        (Some(Value::String(name)), false) => KINDS
            .iter()
            .find(|kind| kind.name == name)
            .ok_or_else(|| hinted(format!("unknown kind of disturbance \"{name}\""), &names())),
        _ => Err(hinted(
            "a disturbance must have either \"kind\" or \"sql\"".to_owned(),
            &names(),
        )),
    }
}

fn name(members: &Map<String, Value>, kind: &Kind) -> Result<String> {
    match members.get("name") {
        None | Some(Value::Null) => Ok(kind.name.to_owned()),
        Some(Value::String(name))
            if !name.trim().is_empty()
                && name.len() <= LONGEST_NAME
                && !name.contains(char::is_control) =>
        {
            Ok(name.clone())
        }
        Some(other) => Err(hinted(
            format!(
                "the \"name\" of a disturbance must be a string of at most {LONGEST_NAME} bytes on one line, not {other}"
            ),
            HINT,
        )),
    }
}

fn work(members: &Object, kind: &Kind) -> Result<Work> {
    let text = |key| Ok::<_, Error>(members.needed(key, members.text(key)?)?.to_owned());
    let number = |key, default| Ok::<_, Error>(members.number(key, 0.01..=1e6)?.unwrap_or(default));
    Ok(match kind.name {
        "snapshot_holder" => Work::SnapshotHolder,
        "idle_in_transaction" => Work::IdleInTransaction,
        "lock_queue" => Work::LockQueue {
            table: text("table")?,
        },
        "table_scan" => Work::TableScan {
            table: text("table")?,
        },
        "vacuum_full" => Work::VacuumFull {
            table: text("table")?,
        },
        "reindex" => Work::Reindex {
            table: text("table")?,
        },
        "checkpoint" => Work::Checkpoint,
        "wal_flood" => Work::WalFlood {
            mb_per_s: number("mb_per_s", DEFAULT_MB_PER_S)?,
        },
        "temp_files" => Work::TempFiles {
            mb: number("mb", DEFAULT_MB)?,
        },
        "connection_storm" => Work::ConnectionStorm {
            per_s: number("per_s", DEFAULT_PER_S)?,
        },
        "base_backup" => Work::BaseBackup {
            mb_per_s: number("mb_per_s", DEFAULT_BACKUP_MB_PER_S)?,
        },
        _ => Work::Sql {
            statements: vec![text("sql")?],
        },
    })
}

/// # Errors
/// It would begin, or end, after the run.
fn within(given: &Given, duration_s: Option<f64>) -> Result<()> {
    let Some(duration_s) = duration_s else {
        return Ok(());
    };
    let Times { at_s, for_s, .. } = given.times;
    if at_s >= duration_s {
        return Err(of(
            &given.name,
            &format!("it begins after {at_s} s, but the run lasts {duration_s} s"),
        ));
    }
    match for_s {
        Some(for_s) if at_s + for_s > duration_s => Err(of(
            &given.name,
            &format!(
                "it lasts until {} s, but the run only {duration_s} s",
                at_s + for_s
            ),
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn interval(text: &str) -> Result<f64> {
        let number = text.strip_suffix(" s").and_then(|text| text.parse().ok());
        number.ok_or_else(|| hinted(format!("no interval: {text}"), ""))
    }

    fn parsed(argument: &Value) -> Result<Vec<Given>> {
        parse(argument, Some(60.0), &interval)
    }

    #[test]
    fn a_disturbance_is_a_kind_or_sql() {
        let all = parsed(&json!([
            {"kind": "lock_queue", "table": "t", "at": "10 s"},
            {"name": "job", "sql": "SELECT 1; SELECT 2", "at": "0 s", "every": "5 s", "sessions": 3},
            {"kind": "wal_flood", "at": "1 s", "for": "2.5 s", "mb_per_s": 4},
        ]))
        .unwrap();
        assert_eq!((all[0].name.as_str(), all[0].sessions), ("lock_queue", 2));
        assert_eq!(all[0].times.for_s, Some(10.0));
        assert_eq!((all[1].name.as_str(), all[1].sessions), ("job", 3));
        assert_eq!(
            (all[1].times.every_s, all[1].times.for_s),
            (Some(5.0), None)
        );
        assert_eq!(all[2].work, Work::WalFlood { mb_per_s: 4.0 });
    }

    #[test]
    fn other_forms_are_refused() {
        for (argument, said) in [
            (json!({}), "disturbances must be a JSON array of objects"),
            (
                json!([]),
                "disturbances must have from 1 to 50 members, not 0",
            ),
            (json!([1]), "a disturbance must be a JSON object, not 1"),
            (
                json!([{"at": "1 s"}]),
                "a disturbance must have either \"kind\" or \"sql\"",
            ),
            (
                json!([{"kind": "checkpoint", "sql": "SELECT 1"}]),
                "a disturbance must have either \"kind\" or \"sql\"",
            ),
            (
                json!([{"kind": "flood"}]),
                "unknown kind of disturbance \"flood\"",
            ),
            (
                json!([{"kind": "checkpoint"}]),
                "disturbance \"checkpoint\": \"at\" is missing",
            ),
            (
                json!([{"kind": "checkpoint", "at": "1 s", "table": "t"}]),
                "disturbance \"checkpoint\" has an unknown key \"table\"",
            ),
            (
                json!([{"kind": "checkpoint", "at": "1 s", "sessions": 2}]),
                "disturbance \"checkpoint\" has an unknown key \"sessions\"",
            ),
            (
                json!([{"kind": "reindex", "at": "1 s"}]),
                "disturbance \"reindex\": \"table\" is missing",
            ),
            (
                json!([{"name": "x", "sql": "SELECT 1", "at": 5}]),
                "disturbance \"x\": \"at\" must be an interval such as \"10 s\", not 5",
            ),
            (
                json!([{"kind": "checkpoint", "at": "soon"}]),
                "disturbance \"checkpoint\": \"at\": no interval: soon",
            ),
            (
                json!([{"kind": "checkpoint", "at": "-1 s"}]),
                "disturbance \"checkpoint\": \"at\" must be at least 0 s, not \"-1 s\"",
            ),
            (
                json!([{"kind": "checkpoint", "at": "60 s"}]),
                "disturbance \"checkpoint\": it begins after 60 s, but the run lasts 60 s",
            ),
            (
                json!([{"kind": "wal_flood", "at": "55 s"}]),
                "disturbance \"wal_flood\": it lasts until 65 s, but the run only 60 s",
            ),
            (
                json!([{"kind": "wal_flood", "at": "5 s", "every": "10 s"}]),
                "disturbance \"wal_flood\": \"for\" must be shorter than \"every\"",
            ),
            (
                json!([{"kind": "temp_files", "at": "5 s", "mb": 0}]),
                "disturbance \"temp_files\": \"mb\" must be a number from 0.01 to 1000000, not 0",
            ),
            (
                json!([{"sql": "SELECT 1", "at": "5 s", "sessions": 0}]),
                "disturbance \"sql\": \"sessions\" must be a whole number from 1 to 100, not 0",
            ),
            (
                json!([{"kind": "checkpoint", "at": "1 s"}, {"kind": "checkpoint", "at": "2 s"}]),
                "two disturbances are called \"checkpoint\"",
            ),
        ] {
            assert_eq!(parsed(&argument).unwrap_err().to_string(), said);
        }
        let name = json!([{"name": "", "kind": "checkpoint", "at": "1 s"}]);
        assert!(parsed(&name).is_err());
    }

    #[test]
    fn a_run_by_transactions_has_no_known_end() {
        let late = json!([{"kind": "checkpoint", "at": "600 s"}]);
        assert!(parse(&late, None, &interval).is_ok());
    }
}
