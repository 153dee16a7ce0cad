//! The call that reproduces a run, from the arguments that were given.

use super::stored_run::Run;
use crate::format::WIDTH;
use serde_json::{Map, Value};

/// The order of the arguments in DESIGN's signatures; jsonb does not keep the one they were written in.
const ORDER: [&str; 45] = [
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
    "jobs",
    "fillfactor",
    "partitions",
    "partition_method",
    "foreign_keys",
    "unlogged",
    "tablespace",
    "index_tablespace",
    "limits",
    "schema",
    "label",
    "expect",
    "resume",
    "replace",
];

/// `SELECT pgperf.start_run(...);`, for a load `CALL pgperf.init(...);`, in lines that fit a terminal unless a value is longer.
/// A run whose seed was drawn gets it as an argument, since without it another run would not be the same.
pub fn statement(run: &Run) -> String {
    let mut given = run.spec.call.clone();
    let drawn = run.random_seed.filter(|_| run.work().has_transactions);
    if let (Some(seed), None | Some(Value::Null)) = (drawn, given.get("random_seed")) {
        given.insert("random_seed".to_owned(), seed.into());
    }
    call(run.work().call, &given)
}

fn call(function: &str, given: &Map<String, Value>) -> String {
    const INDENT: &str = "    ";
    let width = |text: &str| text.chars().count();
    let mut text = String::new();
    let mut column = 0;
    for piece in enclosed(&format!("{function}("), arguments(given), ");") {
        let first = piece.lines().next().map_or(0, width);
        if column > 0 && column + 1 + first <= WIDTH {
            text.push(' ');
            column += 1;
        } else if column > 0 {
            text.push('\n');
            text.push_str(INDENT);
            column = INDENT.len();
        }
        column = match piece.rsplit_once('\n') {
            Some((_, last)) => width(last),
            None => column + width(&piece),
        };
        text.push_str(&piece);
    }
    text
}

/// The workload first and by position, as people write it; the rest by name. Between pieces a line may end.
fn arguments(given: &Map<String, Value>) -> Vec<String> {
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
    let arguments = names
        .into_iter()
        .filter(|name| !given[*name].is_null())
        .map(|name| {
            let value = expression(&given[name]);
            if name == "workload" {
                value
            } else {
                enclosed(&format!("{name} => "), value, "")
            }
        })
        .collect();
    listed(arguments)
}

/// A JSON value as an SQL expression of the argument's type.
fn expression(value: &Value) -> Vec<String> {
    let whole = |text: String| vec![text];
    match value {
        Value::Null => whole("NULL".to_owned()),
        Value::Bool(value) => whole(value.to_string()),
        Value::Number(value) => whole(value.to_string()),
        Value::String(text) => whole(literal(text)),
        Value::Array(items) if items.is_empty() => whole("'{}'".to_owned()),
        Value::Array(items) => {
            let items = items.iter().map(expression).collect();
            enclosed("ARRAY[", listed(items), "]")
        }
        Value::Object(members) => {
            let text = value.to_string();
            if members.is_empty() || text.contains('\\') {
                return whole(format!("{}::jsonb", literal(&text)));
            }
            // Between members there may be white space, within quotes, too.
            let members = members.iter().map(|(name, value)| {
                let text = format!("{}:{value}", Value::from(name.as_str()));
                whole(text.replace('\'', "''"))
            });
            enclosed("'{", listed(members.collect()), "}'::jsonb")
        }
    }
}

/// All pieces, with a comma after each list's last.
fn listed(lists: Vec<Vec<String>>) -> Vec<String> {
    let count = lists.len();
    let lists = lists.into_iter().enumerate();
    let comma = |(number, list)| enclosed("", list, if number + 1 < count { "," } else { "" });
    lists.flat_map(comma).collect()
}

fn enclosed(before: &str, mut pieces: Vec<String>, after: &str) -> Vec<String> {
    if pieces.is_empty() {
        pieces.push(String::new());
    }
    if let Some(first) = pieces.first_mut() {
        first.insert_str(0, before);
    }
    if let Some(last) = pieces.last_mut() {
        last.push_str(after);
    }
    pieces
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
            Value::Object(given) => arguments(&given).join(" "),
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
    fn lines_end_between_values_and_never_within_one() {
        let given = json!({
            "workload": "tpcb-like", "label": "a label of fifty characters, which is rather a lot",
            "settings": {"work_mem": "64MB", "search_path": "a, b, c", "x": "it's"},
            "collectors": ["wal", "wraparound", "database", "checkpoints", "waits", "host", "replication"],
            "script": "a script's first line\nand one that is longer than a terminal is wide, but that is left as it is by all means"
        });
        let Value::Object(given) = given else {
            panic!();
        };
        let text = super::call("SELECT pgperf.start_run", &given);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines,
            [
                "SELECT pgperf.start_run('tpcb-like', script => $text$a script's first line",
                "and one that is longer than a terminal is wide, but that is left as it is by all means$text$,",
                "    settings => '{\"search_path\":\"a, b, c\", \"work_mem\":\"64MB\",",
                "    \"x\":\"it''s\"}'::jsonb, collectors => ARRAY['wal', 'wraparound', 'database',",
                "    'checkpoints', 'waits', 'host', 'replication'],",
                "    label => 'a label of fifty characters, which is rather a lot');",
            ]
        );
    }

    /// Arguments as src/schema declares them.
    fn declared(function: &str) -> Vec<&'static str> {
        let sql = include_str!("../schema/25_run_calls.sql");
        let (_, rest) = sql
            .split_once(&format!("CREATE FUNCTION pgperf.{function}(\n"))
            .unwrap();
        let (arguments, _) = rest.split_once("\n)").unwrap();
        (arguments.lines())
            .map(|line| line.split_whitespace().next().unwrap())
            .collect()
    }

    #[test]
    fn every_argument_of_a_run_and_a_load_has_its_place() {
        let [run, load] = ["start_run", "start_load"].map(declared);
        assert!(run.contains(&"limits") && load.contains(&"index_tablespace"));
        for name in run.iter().chain(&load) {
            assert!(ORDER.contains(name), "{name}");
        }
        for name in ORDER {
            assert!(run.contains(&name) || load.contains(&name), "{name}");
        }
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
