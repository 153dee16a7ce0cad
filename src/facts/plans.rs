//! The plans that the statements of a run's scripts had: `pgperf.run_plans`.
//!
//! The first client asks the server for them before it is ready, with the role and the settings of the run, and hands them to the
//! leader, which stores them.

use super::store_rows;
use crate::show::plan::shape;
use engine::Explained;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A row of `pgperf.run_plans`, without the run.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    script_no: usize,
    script: String,
    command_no: usize,
    statement: String,
    /// As `EXPLAIN (FORMAT JSON)` has it.
    plan: Option<Value>,
    /// What tells it from another plan.
    shape: Option<String>,
    /// Why there is no plan.
    reason: Option<String>,
}

impl Plan {
    /// The plan of a command with this text, in a script with this name.
    pub fn new(explained: Explained, script: String, statement: String) -> Plan {
        let read =
            |text: String| serde_json::from_str::<Value>(&text).map_err(|error| error.to_string());
        let (plan, reason) = match explained.plan.and_then(read) {
            Ok(plan) => (Some(plan), None),
            Err(reason) => (None, Some(reason)),
        };
        Plan {
            script_no: explained.script,
            script,
            command_no: explained.command,
            statement,
            shape: plan.as_ref().map(shape),
            plan,
            reason,
        }
    }
}

/// Stores what the first client has found.
pub fn store(node_id: &str, run_id: i64, plans: &[Plan]) -> crate::error::Result<()> {
    store_rows("pgperf.run_plans", node_id, run_id, plans.iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_plan_has_a_reason() {
        let plan = |plan: Result<&str, &str>| {
            let plan = plan.map(str::to_owned).map_err(str::to_owned);
            let explained = Explained {
                script: 0,
                command: 1,
                plan,
            };
            let plan = Plan::new(explained, "q1".to_owned(), "SELECT 1;".to_owned());
            (plan.shape, plan.reason)
        };
        let known = plan(Ok(r#"[{"Plan": {"Node Type": "Result"}}]"#));
        assert_eq!(known, (Some("Result".to_owned()), None));
        let unknown = plan(Err("no such table"));
        assert_eq!(unknown, (None, Some("no such table".to_owned())));
        assert!(plan(Ok("")).1.is_some());
    }
}
