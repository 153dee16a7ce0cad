//! The criteria that a rate has to meet: `'{"latency_p99_ms": "<= 10", "replication_lag": "steady"}'`.

use crate::error::{Result, hinted};
use crate::pg::sql::object::some_members;
use serde_json::Value;

/// A condition on something that is observed at a rate.
#[derive(Debug, Clone, PartialEq)]
pub struct Criterion {
    pub subject: Subject,
    pub condition: Condition,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Condition {
    /// It does not grow.
    Steady,
    AtMost(f64),
}

/// What is observed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    ScheduleLag,
    LatencyAvg,
    LatencyP50,
    LatencyP95,
    LatencyP99,
    LatencyP999,
    LatencyMax,
    ReplicationLag,
    DeadRows,
    WalKept,
    OldestXid,
}

use Subject::{
    DeadRows, LatencyAvg, LatencyMax, LatencyP50, LatencyP95, LatencyP99, LatencyP999, OldestXid,
    ReplicationLag, ScheduleLag, WalKept,
};

const SUBJECTS: [(Subject, &str); 11] = [
    (ScheduleLag, "schedule_lag_ms"),
    (LatencyAvg, "latency_avg_ms"),
    (LatencyP50, "latency_p50_ms"),
    (LatencyP95, "latency_p95_ms"),
    (LatencyP99, "latency_p99_ms"),
    (LatencyP999, "latency_p999_ms"),
    (LatencyMax, "latency_max_ms"),
    (ReplicationLag, "replication_lag"),
    (DeadRows, "dead_rows"),
    (WalKept, "wal_kept"),
    (OldestXid, "oldest_xid"),
];

impl Subject {
    pub fn name(self) -> &'static str {
        let known = SUBJECTS.iter().find(|(subject, _)| *subject == self);
        known.map_or("", |(_, name)| name)
    }

    /// Whether it is read from the server, not from the run's intervals.
    pub fn is_backlog(self) -> bool {
        matches!(self, ReplicationLag | DeadRows | WalKept | OldestXid)
    }

    /// How long a step has to last at least, in seconds: backlogs that the server works off now and then rise and fall like the
    /// teeth of a saw, and a step has to have several of them. `naptime_s` is that of autovacuum.
    pub fn shortest_step_s(self, naptime_s: f64) -> f64 {
        match self {
            DeadRows => 3.0 * naptime_s,
            // Of a logical slot they move with the records of running transactions, every 15 seconds.
            WalKept | OldestXid => 60.0,
            _ => 10.0,
        }
    }

    /// Whether a growth of much is believed before a step has its shortest length.
    pub fn is_quick(self) -> bool {
        matches!(self, ScheduleLag | ReplicationLag)
    }
}

const HINT: &str = "Such as '{\"latency_p99_ms\": \"<= 10\", \"replication_lag\": \"steady\"}'. Subjects are schedule_lag_ms, latency_avg_ms, \
     latency_p50_ms, latency_p95_ms, latency_p99_ms, latency_p999_ms, latency_max_ms, replication_lag, dead_rows, wal_kept, oldest_xid.";

/// The criteria of a call. That the clients keep up with their schedule is always one: without it a rate is not reached.
///
/// # Errors
/// It is no object of known subjects with conditions.
pub fn parse(given: Option<&Value>) -> Result<Vec<Criterion>> {
    let mut criteria = match given {
        None => vec![Criterion {
            subject: ReplicationLag,
            condition: Condition::Steady,
        }],
        Some(given) => some_members("criteria", "of subjects with their conditions", given, HINT)?
            .iter()
            .map(|(name, condition)| criterion(name, condition))
            .collect::<Result<Vec<_>>>()?,
    };
    let steady = Criterion {
        subject: ScheduleLag,
        condition: Condition::Steady,
    };
    if !criteria.contains(&steady) {
        criteria.insert(0, steady);
    }
    Ok(criteria)
}

fn criterion(name: &str, condition: &Value) -> Result<Criterion> {
    let Some((subject, _)) = SUBJECTS.iter().find(|(_, known)| *known == name) else {
        return Err(hinted(
            format!("criteria: unknown subject \"{name}\""),
            HINT,
        ));
    };
    let malformed = || {
        hinted(
            format!(
                "criteria: condition {condition} of \"{name}\" is neither \"steady\" nor \"<=\" with a number"
            ),
            HINT,
        )
    };
    let text = condition.as_str().ok_or_else(malformed)?.trim();
    let condition = match text.strip_prefix("<=") {
        _ if text == "steady" => Condition::Steady,
        Some(bound) => {
            let bound: f64 = bound.trim().parse().map_err(|_| malformed())?;
            if !(bound.is_finite() && bound >= 0.0) {
                return Err(malformed());
            }
            Condition::AtMost(bound)
        }
        None => return Err(malformed()),
    };
    Ok(Criterion {
        subject: *subject,
        condition,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn criteria_are_read() {
        let read = parse(Some(
            &json!({"latency_p99_ms": "<= 10", "dead_rows": "steady"}),
        ))
        .unwrap();
        let names: Vec<_> = read
            .iter()
            .map(|it| (it.subject.name(), it.condition))
            .collect();
        assert_eq!(
            names,
            [
                ("schedule_lag_ms", Condition::Steady),
                ("dead_rows", Condition::Steady),
                ("latency_p99_ms", Condition::AtMost(10.0)),
            ]
        );
        assert_eq!(parse(None).unwrap()[1].subject, ReplicationLag);
    }

    #[test]
    fn what_is_no_criterion_is_refused() {
        for (given, reason) in [
            (json!([]), "object"),
            (json!({}), "object"),
            (json!({"tps": "steady"}), "unknown subject"),
            (json!({"dead_rows": 5}), "neither"),
            (json!({"dead_rows": ">= 5"}), "neither"),
            (json!({"dead_rows": "<= x"}), "neither"),
            (json!({"dead_rows": "<= inf"}), "neither"),
            (json!({"dead_rows": "<= -1"}), "neither"),
        ] {
            let error = parse(Some(&given)).unwrap_err().to_string();
            assert!(error.contains(reason), "{given}: {error}");
        }
    }
}
