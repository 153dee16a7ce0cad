//! The limits of a run: the argument `limits`, its defaults, and whether a limit is near.

use crate::error::{Result, hinted};
use crate::pg::sql::object::members;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The limits that a run must not exceed; None: no limit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// WAL that the server writes while the run lasts, in bytes.
    pub wal: Option<u64>,
    /// Space that must stay free on each file system of the server.
    pub free_disk: Option<FreeDisk>,
    /// Age of the oldest database's datfrozenxid, in transactions.
    pub xid_age: Option<u64>,
    /// How far a standby may lag behind, in bytes.
    pub replication_lag: Option<u64>,
    /// Transactions that failed.
    pub errors: Option<u64>,
}

/// A part of a file system.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FreeDisk {
    /// A twentieth, but no more than [`ENOUGH`]: a server's need does not grow with its disks.
    Default,
    Percent(f64),
    Bytes(u64),
}

/// A server whose disk is full stops, and one that has used up its transaction ids refuses to write: no benchmark is
/// worth that. Autovacuum fights wraparound from 200 million on, and the failsafe sets in at 1.6 billion.
impl Default for Limits {
    fn default() -> Self {
        Limits {
            wal: None,
            free_disk: Some(FreeDisk::Default),
            xid_age: Some(1_500_000_000),
            replication_lag: None,
            errors: None,
        }
    }
}

/// Free space that is enough on any file system, in bytes.
const ENOUGH: u64 = 10_000_000_000;
/// The server refuses to write at 2^31 minus three million.
const MAX_XID_AGE: u64 = (1 << 31) - 3_000_000;
const EXAMPLE: &str = "Write for example limits => '{\"wal\": \"200GB\", \"free_disk\": \"10%\"}'.";
const NAMES: &str = "Limits are: wal, free_disk, xid_age, replication_lag, errors; null lifts one.";

impl Limits {
    /// The defaults, changed as the argument says. `bytes` reads a size as the server does, with its own errors.
    pub fn new(given: Option<&Value>, bytes: impl Fn(&str) -> Result<i64>) -> Result<Limits> {
        let mut limits = Limits::default();
        for (name, value) in &members("limits", "", given, EXAMPLE)? {
            match name.as_str() {
                "wal" => limits.wal = optional(name, value, |text| size(name, text, &bytes))?,
                "free_disk" => {
                    limits.free_disk = optional(name, value, |text| free_disk(name, text, &bytes))?;
                }
                "xid_age" => limits.xid_age = optional(name, value, |text| xid_age(name, text))?,
                "replication_lag" => {
                    limits.replication_lag =
                        optional(name, value, |text| size(name, text, &bytes))?;
                }
                "errors" => limits.errors = optional(name, value, |text| count(name, text))?,
                _ => return Err(hinted(format!("unknown limit \"{name}\""), NAMES)),
            }
        }
        Ok(limits)
    }
}

impl FreeDisk {
    /// In bytes, of a file system of `total` bytes.
    pub fn bytes(self, total: u64) -> u64 {
        match self {
            FreeDisk::Default => (total / 20).min(ENOUGH),
            FreeDisk::Percent(percent) => (total as f64 * percent / 100.0) as u64,
            FreeDisk::Bytes(bytes) => bytes,
        }
    }
}

fn optional<T>(name: &str, value: &Value, read: impl Fn(&str) -> Result<T>) -> Result<Option<T>> {
    match value {
        Value::Null => Ok(None),
        Value::String(text) => read(text.trim()).map(Some),
        Value::Number(number) => read(&number.to_string()).map(Some),
        _ => Err(hinted(
            format!("limit \"{name}\" must be a number or a text, not {value}"),
            NAMES,
        )),
    }
}

fn size(name: &str, text: &str, bytes: impl Fn(&str) -> Result<i64>) -> Result<u64> {
    let refused = |reason: String| {
        hinted(
            format!("limit \"{name}\" must be a positive size, not {text}{reason}"),
            "Write it as the server writes sizes, for example \"200GB\".",
        )
    };
    let bytes = bytes(text).map_err(|error| refused(format!(": {error}")))?;
    (u64::try_from(bytes).ok())
        .filter(|&bytes| bytes > 0)
        .ok_or_else(|| refused(String::new()))
}

fn free_disk(name: &str, text: &str, bytes: impl Fn(&str) -> Result<i64>) -> Result<FreeDisk> {
    let Some(percent) = text.strip_suffix('%') else {
        return size(name, text, bytes).map(FreeDisk::Bytes);
    };
    percent
        .trim()
        .parse()
        .ok()
        .filter(|percent| (0.0..100.0).contains(percent))
        .map(FreeDisk::Percent)
        .ok_or_else(|| {
            hinted(
                format!("limit \"{name}\" must be from 0% to less than 100%, not {text}"),
                "It is the space that must stay free on each file system of the server: \"5%\" or \"20GB\".",
            )
        })
}

fn xid_age(name: &str, text: &str) -> Result<u64> {
    let age = count(name, text)?;
    if age > MAX_XID_AGE {
        return Err(hinted(
            format!("limit \"{name}\" must be at most {MAX_XID_AGE}, not {age}"),
            "At that age the server itself refuses to write.",
        ));
    }
    Ok(age)
}

fn count(name: &str, text: &str) -> Result<u64> {
    text.parse().ok().filter(|&count| count > 0).ok_or_else(|| {
        hinted(
            format!("limit \"{name}\" must be a positive whole number, not {text}"),
            NAMES,
        )
    })
}

/// A figure that moves towards its limit, and its pace.
#[derive(Debug, Default)]
pub struct Approach {
    /// A moment not long ago (monotonic ns), and the figure then.
    reference: Option<(u64, f64)>,
    per_ns: f64,
}

/// How far ahead a limit is noticed: clients need this time to end their transactions, and the leader to store the
/// rest.
const AHEAD_NS: f64 = 1e9;
/// The time over which the pace is measured, so that a single burst does not count as a pace.
const PACE_NS: u64 = 1_000_000_000;

impl Approach {
    /// Whether the figure, at its pace, passes the limit within the next second.
    pub fn is_near(&mut self, now: u64, figure: f64, limit: f64) -> bool {
        self.was_near(now, figure, now, limit)
    }

    /// The same for a figure that was taken at `at`, not now: since then it has moved on at its pace.
    pub fn was_near(&mut self, at: u64, figure: f64, now: u64, limit: f64) -> bool {
        match self.reference {
            None => self.reference = Some((at, figure)),
            Some((since, was)) if at >= since + PACE_NS => {
                self.per_ns = ((figure - was) / (at - since) as f64).max(0.0);
                self.reference = Some((at, figure));
            }
            Some(_) => {}
        }
        figure + self.per_ns * (now.saturating_sub(at) as f64 + AHEAD_NS) >= limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(given: Value) -> Result<Limits> {
        Limits::new(Some(&given), |text| Ok(text.parse().unwrap_or(-1)))
    }

    #[test]
    fn what_is_not_given_is_as_by_default() {
        let limits = read(json!({"wal": 1000, "xid_age": null})).unwrap();
        let expected = Limits {
            wal: Some(1000),
            xid_age: None,
            ..Limits::default()
        };
        assert_eq!(limits, expected);
        assert_eq!(read(json!({})).unwrap(), Limits::default());
    }

    #[test]
    fn free_disk_is_a_share_or_a_size() {
        let of = |text: &str| read(json!({"free_disk": text})).map(|limits| limits.free_disk);
        assert_eq!(of("12.5 %").unwrap(), Some(FreeDisk::Percent(12.5)));
        assert_eq!(of("4096").unwrap(), Some(FreeDisk::Bytes(4096)));
        assert_eq!(FreeDisk::Percent(12.5).bytes(8000), 1000);
        assert_eq!(FreeDisk::Default.bytes(8000), 400);
        assert_eq!(FreeDisk::Default.bytes(u64::MAX), ENOUGH);
        for wrong in ["100%", "-1%", "%", "nan%", "-5", "0"] {
            assert!(of(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for wrong in [
            json!([]),
            json!("5%"),
            json!({"disk": 5}),
            json!({"wal": true}),
            json!({"wal": -1}),
            json!({"errors": 0}),
            json!({"errors": 1.5}),
            json!({"xid_age": 2_147_483_647u32}),
        ] {
            assert!(read(wrong.clone()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_limit_is_seen_a_second_ahead() {
        let second = 1_000_000_000;
        let mut approach = Approach::default();
        assert!(!approach.is_near(0, 0.0, 100.0));
        assert!(!approach.is_near(second, 30.0, 100.0));
        assert!(!approach.is_near(2 * second, 60.0, 100.0), "90 in a second");
        assert!(approach.is_near(2 * second + second / 2, 75.0, 100.0));
        assert!(
            Approach::default().is_near(0, 100.0, 100.0),
            "passed already"
        );
    }

    #[test]
    fn a_figure_goes_on_while_nobody_takes_it() {
        let second = 1_000_000_000;
        let mut approach = Approach::default();
        assert!(!approach.was_near(0, 0.0, second / 2, 100.0), "no pace yet");
        assert!(!approach.was_near(second, 30.0, second, 100.0));
        assert!(!approach.was_near(second, 30.0, 2 * second, 100.0), "90");
        assert!(approach.was_near(second, 30.0, 3 * second, 100.0), "120");
    }

    #[test]
    fn what_moves_away_is_not_near() {
        let mut approach = Approach::default();
        approach.is_near(0, 90.0, 100.0);
        assert!(!approach.is_near(2_000_000_000, 10.0, 100.0));
    }
}
