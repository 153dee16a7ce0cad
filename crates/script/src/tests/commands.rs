//! Commands beside statements and `\set`.

use super::super::*;
use std::time::Duration;

/// The time of a `\sleep` while variable v has a text.
fn sleep(arguments: &str, v: &str) -> Result<Duration, String> {
    let mut symbols = Symbols::new();
    let script = parse("s.sql", &format!("\\sleep {arguments}"), &mut symbols).unwrap();
    let mut variables = Variables::new(&symbols);
    variables.set(symbols.intern("v"), Value::Text(v.into()));
    let CommandKind::Sleep(sleep) = &script.commands[0].kind else {
        panic!("not a \\sleep");
    };
    sleep
        .duration(&variables)
        .map_err(|error| error.to_string())
}

#[test]
fn sleep_has_a_unit() {
    for (arguments, expected) in [
        ("2", Duration::from_secs(2)),
        ("2 s", Duration::from_secs(2)),
        ("2 ms", Duration::from_millis(2)),
        ("2 us", Duration::from_micros(2)),
        ("0 s", Duration::ZERO),
    ] {
        assert_eq!(sleep(arguments, ""), Ok(expected), "{arguments}");
    }
}

#[test]
fn sleep_takes_the_number_that_a_text_starts_with() {
    for (text, expected) in [
        ("5", Some(5)),
        ("5.9", Some(5)),
        ("+5", Some(5)),
        (" 5", Some(5)),
        ("0", Some(0)),
        ("-5", Some(0)),
        ("", None),
        ("x", None),
        ("+", None),
    ] {
        let expected = expected.map(Duration::from_millis);
        assert_eq!(sleep(":v ms", text).ok(), expected, "\"{text}\"");
    }
}

#[test]
fn the_server_works_for_statements_and_the_ends_of_pipelines() {
    let text = "\\set a 1\nSELECT 1;\n\\sleep 1 ms\n\\startpipeline\n\\syncpipeline\n\\endpipeline\n\
        \\if 1\n\\else\n\\endif\n";
    let script = parse("s.sql", text, &mut Symbols::new()).unwrap();
    let of_server: Vec<bool> = (script.commands.iter())
        .map(|command| command.kind.runs_on_server())
        .collect();
    assert_eq!(
        of_server,
        [false, true, false, false, true, true, false, false, false]
    );
}
