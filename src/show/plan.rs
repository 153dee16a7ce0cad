//! Plans of statements, as texts that tell one from another: made of what `EXPLAIN (FORMAT JSON)` has.

use super::text::WIDTH;
use serde_json::Value;
use std::fmt::Write;

/// What a node does with which rows, with the columns and parameters, in the order of EXPLAIN.
const CONDITIONS: [&str; 16] = [
    "Index Cond",
    "Recheck Cond",
    "TID Cond",
    "Order By",
    "Hash Cond",
    "Merge Cond",
    "Join Filter",
    "Filter",
    "One-Time Filter",
    "Run Condition",
    "Sort Key",
    "Presorted Key",
    "Group Key",
    "Cache Key",
    "Conflict Resolution",
    "Conflict Arbiter Indexes",
];

/// Characters of one of two plans beside each other.
const HALF: usize = (WIDTH - 5) / 2;

/// The nodes of a plan, a line each, indented by their depth: what they are and what they read, without costs, conditions and
/// values. Two plans with the same shape do the same.
pub fn shape(explained: &Value) -> String {
    written(explained, false)
}

/// The same with a line for each condition below its node, with `?` in place of constants.
pub fn with_conditions(explained: &Value) -> String {
    written(explained, true)
}

/// The relations that a plan reads or writes, with their schemas, once each.
pub fn relations(explained: &Value) -> Vec<(String, String)> {
    fn of_node(plan: &Value, found: &mut Vec<(String, String)>) {
        let field = |name: &str| plan.get(name).and_then(Value::as_str).map(str::to_owned);
        let relation = field("Schema").zip(field("Relation Name"));
        if let Some(relation) = relation.filter(|relation| !found.contains(relation)) {
            found.push(relation);
        }
        let below = plan.get("Plans").and_then(Value::as_array);
        for below in below.into_iter().flatten() {
            of_node(below, found);
        }
    }
    let mut found = Vec::new();
    let plans = explained.as_array().into_iter().flatten();
    for plan in plans.filter_map(|it| it.get("Plan")) {
        of_node(plan, &mut found);
    }
    found
}

/// The cost of a plan, and the number of rows that it expects.
pub fn estimates(explained: &Value) -> (Option<f64>, Option<f64>) {
    let root = |name: &str| explained.get(0)?.get("Plan")?.get(name)?.as_f64();
    (root("Total Cost"), root("Plan Rows"))
}

/// Two plans with their heads, in columns of half the width of a text each: lines that are longer go on below, a step deeper.
pub fn side_by_side(left: (&str, &str), right: (&str, &str)) -> Vec<String> {
    let column = |(head, plan): (&str, &str)| -> Vec<String> {
        let lines = plan.lines().flat_map(folded);
        std::iter::once(head.to_owned()).chain(lines).collect()
    };
    let (left, right) = (column(left), column(right));
    let line = |place: usize| {
        let text = |side: &[String]| side.get(place).cloned().unwrap_or_default();
        format!("  {:HALF$} | {}", text(&left), text(&right))
    };
    let lines = (0..left.len().max(right.len())).map(line);
    lines.map(|line| line.trim_end().to_owned()).collect()
}

/// A line in parts that fit a column: cut between words, or where a word is longer than a column.
fn folded(line: &str) -> Vec<String> {
    let text = line.trim_start();
    let indent = (line.len() - text.len()).min(HALF / 2);
    let mut rest: Vec<char> = text.chars().collect();
    let (mut parts, mut indent, step) = (Vec::new(), indent, 2);
    while rest.len() > HALF - indent {
        let room = HALF - indent;
        let space = rest[..=room].iter().rposition(|&it| it == ' ');
        let end = space.filter(|&place| place > 0).unwrap_or(room);
        let part: String = rest.drain(..end).collect();
        rest.drain(..usize::from(space.is_some_and(|place| place > 0)));
        parts.push(format!("{:indent$}{part}", ""));
        indent += if parts.len() == 1 { step } else { 0 };
    }
    let part: String = rest.into_iter().collect();
    parts.push(format!("{:indent$}{part}", ""));
    parts
}

/// A number for a plan's text, the same on any server: FNV-1a.
pub fn hash(text: &str) -> i64 {
    let one = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, one).cast_signed()
}

fn written(explained: &Value, conditions: bool) -> String {
    let mut text = String::new();
    let plans = explained.as_array().into_iter().flatten();
    for plan in plans.filter_map(|it| it.get("Plan")) {
        node(plan, 0, conditions, &mut text);
    }
    text.trim_end().to_owned()
}

fn node(plan: &Value, depth: usize, conditions: bool, out: &mut String) {
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
        let schema = field("Schema").map_or_else(String::new, |schema| format!("{schema}."));
        words.push(format!("on {schema}{name}"));
        let alias = field("Alias").filter(|&alias| alias != name);
        words.extend(alias.map(str::to_owned));
    }
    if let Some(workers) = plan.get("Workers Planned").and_then(Value::as_i64) {
        words.push(format!("with {workers} workers"));
    }
    line(depth, &words.join(" "), out);
    if conditions {
        for name in CONDITIONS {
            if let Some(condition) = plan.get(name).and_then(condition) {
                line(depth + 2, &format!("{name}: {condition}"), out);
            }
        }
    }
    let below = plan.get("Plans").and_then(Value::as_array);
    for below in below.into_iter().flatten() {
        node(below, depth + 1, conditions, out);
    }
}

fn line(depth: usize, text: &str, out: &mut String) {
    // Writing to a text does not fail.
    let _ = writeln!(out, "{:depth$}{text}", "", depth = 2 * depth);
}

/// A text, or several. Constants of a statement are parameters already; those of views, policies and indexes are not.
fn condition(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let parts: Vec<&str> = parts.iter().filter_map(Value::as_str).collect();
            parts.join(", ")
        }
        _ => return None,
    };
    Some(script::without_literals(&text))
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
    fn conditions_are_below_their_node_and_have_no_constants() {
        let plan = |constant: &str, cost: f64| {
            json!([{"Plan": {"Node Type": "Sort", "Total Cost": cost, "Plan Rows": 7, "Sort Key": ["t.b", "t.a DESC"], "Plans": [
                {"Node Type": "Index Scan", "Index Name": "t_a_idx", "Relation Name": "t", "Alias": "t",
                 "Index Cond": "(a = $1)", "Filter": format!("((tenant = '{constant}'::text) AND (b1 > 5))")}]}}])
        };
        let text = with_conditions(&plan("a secret", 1.5));
        assert_eq!(
            text,
            "Sort\n    Sort Key: t.b, t.a DESC\n  Index Scan using t_a_idx on t\n      Index Cond: (a = $1)\n      \
             Filter: ((tenant = ?::text) AND (b1 > ?))"
        );
        assert_eq!(text, with_conditions(&plan("another", 2.5)));
        assert_eq!(estimates(&plan("", 1.5)), (Some(1.5), Some(7.0)));
        assert_eq!(estimates(&json!([])), (None, None));
    }

    #[test]
    fn two_plans_stand_side_by_side_and_long_lines_go_on_below() {
        let long = format!("  Filter: {}", "x".repeat(40));
        let lines = side_by_side(
            ("a", "Seq Scan on t"),
            ("b", &format!("Index Scan\n{long}")),
        );
        let left = |text: &str| format!("  {text:37} |");
        assert_eq!(
            lines,
            [
                left("a") + " b",
                left("Seq Scan on t") + " Index Scan",
                left("") + "   Filter:",
                left("") + "     " + &"x".repeat(33),
                left("") + "     " + &"x".repeat(7),
            ]
        );
        assert!(lines.iter().all(|line| line.chars().count() <= WIDTH));
    }

    #[test]
    fn a_hash_is_that_of_the_definition() {
        assert_eq!(hash("").cast_unsigned(), 0xcbf2_9ce4_8422_2325);
        assert_eq!(hash("a").cast_unsigned(), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(hash("foobar").cast_unsigned(), 0x8594_4171_f739_67e8);
    }
}
