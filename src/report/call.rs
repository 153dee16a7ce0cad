//! The call that reproduces a run, from the arguments that were given.

use crate::report::facts::Run;
use serde_json::{Map, Value};

/// The order of the arguments in DESIGN's signatures; jsonb does not keep the one they were written in.
const ORDER: [&str; 38] = [
    "workload",
    "scale",
    "steps",
    "clients",
    "duration",
    "transactions_per_client",
    "script",
    "scripts",
    "weights",
    "query_mode",
    "result_mode",
    "rate",
    "latency_limit",
    "max_tries",
    "continue_on_error",
    "exit_on_abort",
    "think_time",
    "round_trip",
    "reconnect",
    "random_seed",
    "variables",
    "settings",
    "vacuum",
    "before_sql",
    "after_sql",
    "warmup",
    "warmup_workload",
    "sample_interval",
    "transaction_log",
    "sampling_rate",
    "collectors",
    "label",
    "resume",
    "jobs",
    "fillfactor",
    "partitions",
    "partition_method",
    "replace",
];

/// `SELECT pgperf.start_run(...);`, for a load `CALL pgperf.init(...);`. A run whose seed was drawn
/// gets it as an argument, since without it another run would not be the same.
pub fn statement(run: &Run) -> String {
    let mut given = run.spec.call.clone();
    if run.kind == "load" {
        return format!("CALL pgperf.init({});", arguments(&given));
    }
    if let (Some(seed), None | Some(Value::Null)) = (run.random_seed, given.get("random_seed")) {
        given.insert("random_seed".to_owned(), seed.into());
    }
    format!("SELECT pgperf.start_run({});", arguments(&given))
}

/// The workload first and by position, as people write it; the rest by name.
fn arguments(given: &Map<String, Value>) -> String {
    let mut names: Vec<&String> = given.keys().collect();
    names.sort_by_key(|name| {
        (
            ORDER
                .iter()
                .position(|known| known == name)
                .unwrap_or(ORDER.len()),
            *name,
        )
    });
    let arguments: Vec<String> = names
        .into_iter()
        .filter(|name| !given[*name].is_null())
        .map(|name| {
            let value = expression(&given[name]);
            if name == "workload" {
                value
            } else {
                format!("{name} => {value}")
            }
        })
        .collect();
    arguments.join(", ")
}

/// A JSON value as an SQL expression of the argument's type.
fn expression(value: &Value) -> String {
    match value {
        Value::Null => "NULL".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(value) => value.to_string(),
        Value::String(text) => literal(text),
        Value::Array(items) if items.is_empty() => "'{}'".to_owned(),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(expression).collect();
            format!("ARRAY[{}]", items.join(", "))
        }
        Value::Object(_) => format!("{}::jsonb", literal(&value.to_string())),
    }
}

/// Plain quotes where they read the same whatever standard_conforming_strings says, otherwise (scripts
/// with backslashes and line ends) dollar quotes, which leave the text as it is.
fn literal(text: &str) -> String {
    if !text.contains(['\\', '\n']) {
        return format!("'{}'", text.replace('\'', "''"));
    }
    let mut tag = "$text".to_owned();
    while text.contains(&tag) {
        tag.push('_');
    }
    format!("{tag}${text}{tag}$")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn call(given: Value) -> String {
        match given {
            Value::Object(given) => arguments(&given),
            _ => String::new(),
        }
    }

    #[test]
    fn the_workload_is_positional_and_the_rest_named() {
        let given = json!({"clients": 4, "duration": "00:00:20", "random_seed": 42, "workload": "tpcb-like"});
        assert_eq!(
            call(given),
            "'tpcb-like', clients => 4, duration => '00:00:20', random_seed => 42"
        );
    }

    #[test]
    fn values_of_every_kind_are_quoted() {
        let given = json!({
            "label": "it's", "settings": {"work_mem": "4MB"}, "collectors": ["bloat@1h", "wal"],
            "replace": true, "rate": 12.5, "scale": null
        });
        assert_eq!(
            call(given),
            "rate => 12.5, settings => '{\"work_mem\":\"4MB\"}'::jsonb, \
             collectors => ARRAY['bloat@1h', 'wal'], label => 'it''s', replace => true"
        );
    }

    #[test]
    fn a_script_keeps_its_lines_and_backslashes() {
        let given = json!({"script": "\\set a 1\nSELECT $text$x$text$;"});
        assert_eq!(
            call(given),
            "script => $text_$\\set a 1\nSELECT $text$x$text$;$text_$"
        );
    }

    #[test]
    fn an_unknown_argument_comes_last() {
        assert_eq!(
            call(json!({"zzz": 1, "clients": 2})),
            "clients => 2, zzz => 1"
        );
        assert_eq!(call(json!({"collectors": []})), "collectors => '{}'");
    }
}
