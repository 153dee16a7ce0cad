//! The plans that the statements of a run's scripts had: `pgperf.run_plans`.
//!
//! The first client asks the server for them before it is ready, with the role and the settings of the run, and hands them to the
//! leader, which stores them.

use super::store_rows;
use engine::Explained;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt::Write;

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

/// The nodes of a plan, a line each, indented by their depth: what they are and what they read, without costs, conditions and
/// values. Two plans with the same shape do the same.
fn shape(explained: &Value) -> String {
    let mut text = String::new();
    let plans = explained.as_array().into_iter().flatten();
    for plan in plans.filter_map(|it| it.get("Plan")) {
        node(plan, 0, &mut text);
    }
    text.trim_end().to_owned()
}

fn node(plan: &Value, depth: usize, out: &mut String) {
    let field = |name: &str| plan.get(name).and_then(Value::as_str);
    let mut words: Vec<String> = Vec::new();
    if let Some(name) = field("Subplan Name") {
        words.push(format!("{name}:"));
    }
    if plan.get("Parallel Aware") == Some(&Value::Bool(true)) {
        words.push("Parallel".to_owned());
    }
    for (name, usual) in [("Partial Mode", "Simple"), ("Strategy", "Plain")] {
        words.extend(field(name).filter(|&it| it != usual).map(str::to_owned));
    }
    words.extend(
        field("Operation")
            .or_else(|| field("Command"))
            .map(str::to_owned),
    );
    words.push(field("Node Type").unwrap_or("?").to_owned());
    if let Some(join) = field("Join Type").filter(|&join| join != "Inner") {
        words.push(format!("({join})"));
    }
    if field("Scan Direction") == Some("Backward") {
        words.push("backward".to_owned());
    }
    words.extend(field("Index Name").map(|index| format!("using {index}")));
    let read = ["Relation Name", "CTE Name", "Function Name"];
    if let Some(name) = read.into_iter().find_map(field) {
        words.push(format!("on {name}"));
        let alias = field("Alias").filter(|&alias| alias != name);
        words.extend(alias.map(str::to_owned));
    }
    if let Some(workers) = plan.get("Workers Planned").and_then(Value::as_i64) {
        words.push(format!("with {workers} workers"));
    }
    // Writing to a text does not fail.
    let _ = writeln!(out, "{:depth$}{}", "", words.join(" "), depth = 2 * depth);
    let below = plan.get("Plans").and_then(Value::as_array);
    for below in below.into_iter().flatten() {
        node(below, depth + 1, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_shape_has_what_makes_a_plan_another_one() {
        let plan = |rows: i64, filter: &str| {
            json!([{"Plan": {"Node Type": "Aggregate", "Strategy": "Sorted", "Partial Mode": "Finalize", "Plan Rows": rows,
                "Plans": [{"Node Type": "Gather Merge", "Workers Planned": 2, "Parallel Aware": false, "Plans": [
                    {"Node Type": "Hash Join", "Join Type": "Left", "Parallel Aware": true, "Plans": [
                        {"Node Type": "Seq Scan", "Parallel Aware": true, "Relation Name": "lineitem", "Alias": "l", "Filter": filter},
                        {"Node Type": "Index Scan", "Scan Direction": "Backward", "Index Name": "orders_pkey",
                         "Relation Name": "orders", "Alias": "orders", "Subplan Name": "SubPlan 1"}]}]}]},
                "JIT": {"Functions": rows}}])
        };
        let expected = "Finalize Sorted Aggregate\n  Gather Merge with 2 workers\n    Parallel Hash Join (Left)\n      \
            Parallel Seq Scan on lineitem l\n      SubPlan 1: Index Scan backward using orders_pkey on orders";
        assert_eq!(shape(&plan(1, "a < 5")), expected);
        assert_eq!(shape(&plan(1000, "a < 7")), expected);
        assert_eq!(shape(&json!(null)), "");
    }

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
