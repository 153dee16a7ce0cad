//! The call that reproduces a run, from the arguments that were given.

use super::stored_run::Run;
use crate::show::text::WIDTH;
use crate::workload::RunData;
use serde_json::{Map, Value};

/// `SELECT pgperf.start_run(...);`, for a load `CALL pgperf.init(...);`, in lines that fit a terminal unless a value is longer.
/// A run whose seed was drawn gets it as an argument, since without it another run would not be the same. None: results of
/// another program.
pub fn statement(run: &Run) -> Option<String> {
    if run.spec.results.is_some() {
        return None;
    }
    let mut given = run.spec.call.clone();
    let drawn = run.random_seed.filter(|_| run.work().has_transactions);
    if let (Some(seed), None | Some(Value::Null)) = (drawn, given.get("random_seed")) {
        given.insert("random_seed".to_owned(), seed.into());
    }
    Some(call(run.work().call, &(run.work().arguments)(), &given))
}

/// The loads that make tables like those of a run, where these have options of their own.
pub fn loads(run: &Run) -> impl Iterator<Item = String> {
    run.spec.data.iter().filter_map(load)
}

/// The load of such tables; None: all of its options have their defaults, or pgperf did not load them.
fn load(data: &RunData) -> Option<String> {
    let (scale, options) = data.of_load()?;
    let mut given = Map::new();
    given.insert("workload".to_owned(), data.workload.as_str().into());
    given.insert("scale".to_owned(), serde_json::to_value(scale).ok()?);
    given.insert("options".to_owned(), options.into());
    given.insert("schema".to_owned(), data.schema.as_str().into());
    let order = ["workload", "scale", "options", "schema"];
    Some(call("CALL pgperf.init", &order, &given))
}

/// A call with the arguments given. `order`: the names of the arguments as they are declared; jsonb does not keep the order they were written in.
pub fn call(function: &str, order: &[&str], given: &Map<String, Value>) -> String {
    const INDENT: &str = "    ";
    let width = |text: &str| text.chars().count();
    let mut text = String::new();
    let mut column = 0;
    for piece in enclosed(&format!("{function}("), arguments(order, given), ");") {
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
fn arguments(order: &[&str], given: &Map<String, Value>) -> Vec<String> {
    let mut names: Vec<&String> = given.keys().collect();
    names.sort_by_key(|name| {
        (
            order
                .iter()
                .position(|known| known == name)
                .unwrap_or(order.len()),
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
        Value::Array(items) if items.iter().any(Value::is_object) => {
            let text = value.to_string();
            if text.contains('\\') {
                return whole(format!("{}::jsonb", literal(&text)));
            }
            let items = items
                .iter()
                .map(|item| whole(item.to_string().replace('\'', "''")));
            enclosed("'[", listed(items.collect()), "]'::jsonb")
        }
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
    use crate::pg::sql::options::Options as _;
    use crate::run::request::options::Options;
    use crate::run::request::start_load;
    use serde_json::json;

    fn call(given: Value) -> String {
        match given {
            Value::Object(given) => arguments(Options::NAMES, &given).join(" "),
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
            "resume": true, "rate": 12.5, "scale": null
        });
        assert_eq!(
            call(given),
            "rate => 12.5, settings => '{\"work_mem\":\"4MB\"}'::jsonb, \
             collectors => ARRAY['bloat@1h', 'wal'], label => 'it''s', resume => true"
        );
    }

    #[test]
    fn an_array_of_objects_is_a_document() {
        let given = json!({"disturbances": [{"kind": "checkpoint"}, {"sql": "SELECT 'x'"}]});
        assert_eq!(
            call(given),
            "disturbances => '[{\"kind\":\"checkpoint\"}, {\"sql\":\"SELECT ''x''\"}]'::jsonb"
        );
        let given = json!({"disturbances": [{"sql": "SELECT E'\\n'"}]});
        assert!(call(given).ends_with("::jsonb"));
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
        let text = super::call("SELECT pgperf.start_run", Options::NAMES, &given);
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

    #[test]
    fn a_load_has_an_order_of_its_own() {
        let given = json!({"label": "x", "jobs": 2, "scale": 10, "unlogged": true, "workload": "tpcb-like"});
        let Value::Object(given) = given else {
            panic!();
        };
        let arguments = start_load::arguments();
        let order: Vec<&str> = arguments.iter().map(|argument| argument.name).collect();
        assert_eq!(
            super::call("CALL pgperf.init", &order, &given),
            "CALL pgperf.init('tpcb-like', scale => 10, unlogged => true, jobs => 2,\n    label => 'x');"
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
