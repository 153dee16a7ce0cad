//! What the library reads as options is what the SQL declares and the reference describes: PGPERF_WRITE_OPTIONS=1 writes both.

use super::calls;
use crate::pg::sql::options::{Argument, Options};
use crate::published::expect_text;
use crate::run::request::options::{NOT_OF_SWEEPS, Options as RunOptions};

const DECLARATIONS: &str = "src/schema/25_run_calls.sql";
const PAGE: &str = "docs/reference/start_run.md";
const WIDTH: usize = 130;
const WRITE: &str = "PGPERF_WRITE_OPTIONS";

/// A text with another part between these two.
fn with_part(
    text: &str,
    (before, after): (&str, &str),
    part: impl FnOnce(&str) -> String,
) -> String {
    let start = text.find(before).unwrap_or_else(|| panic!("{before}")) + before.len();
    let end = start
        + text[start..]
            .find(after)
            .unwrap_or_else(|| panic!("{after}"));
    format!(
        "{}{}{}",
        &text[..start],
        part(&text[start..end]),
        &text[end..]
    )
}

fn is_bare(sql_type: &str) -> bool {
    ["integer", "bigint", "boolean", "double precision"].contains(&sql_type)
}

/// An argument as SQL declares it.
fn declaration(argument: &Argument) -> String {
    let default = match &argument.default {
        None => "NULL".to_owned(),
        Some(text) if is_bare(argument.sql_type) => text.clone(),
        Some(text) => format!("'{text}'"),
    };
    format!(
        "    {} {} DEFAULT {default}",
        argument.name, argument.sql_type
    )
}

fn declared(arguments: &[Argument]) -> String {
    written(arguments.iter().map(declaration).collect())
}

/// Those of a procedure. What it gives back stays where it is: whoever calls it by position goes on doing so.
fn declared_with_run(arguments: &[Argument], before: &str) -> String {
    const RUN: &str = "    INOUT run_id bigint DEFAULT NULL";
    let mut all: Vec<String> = arguments.iter().map(declaration).collect();
    let mut lines = before.lines().filter(|line| !line.is_empty());
    let place = lines.position(|line| line.trim_end_matches(',') == RUN);
    all.insert(place.unwrap_or(all.len()).min(all.len()), RUN.to_owned());
    written(all)
}

fn written(declarations: Vec<String>) -> String {
    format!("\n{}\n", declarations.join(",\n"))
}

/// Arguments by name, as a procedure passes them on.
fn passed_on(arguments: &[Argument]) -> String {
    let mut lines = vec![String::new()];
    for (number, argument) in arguments.iter().enumerate() {
        let comma = if number + 1 < arguments.len() {
            ","
        } else {
            ""
        };
        let one = format!("{0} => {0}{comma}", argument.name);
        match lines.last_mut() {
            Some(line) if !line.is_empty() && line.len() + 1 + one.len() <= WIDTH => {
                line.push(' ');
                line.push_str(&one);
            }
            _ => lines.push(format!("        {one}")),
        }
    }
    lines.join("\n")
}

/// A sweep takes those of a run, too: which come where is as it was, new ones come last.
fn of_sweep(declared: &str) -> Vec<Argument> {
    let before = declared.lines();
    let before: Vec<&str> = before
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    let mut arguments = of("start_sweep");
    for argument in of("start_run") {
        let is_known = arguments.iter().any(|known| known.name == argument.name);
        if !is_known && !NOT_OF_SWEEPS.contains(&argument.name) {
            arguments.push(Argument {
                default: None,
                ..argument
            });
        }
    }
    let place = |name| before.iter().position(|known| *known == name);
    arguments.sort_by_key(|argument| place(argument.name).unwrap_or(before.len()));
    arguments
}

/// The own options of a call.
fn of(wanted: &str) -> Vec<Argument> {
    let found = calls().into_iter().find(|(call, _)| *call == wanted);
    found.unwrap().1
}

#[test]
fn the_declarations_are_those_of_the_options() {
    expect_text(DECLARATIONS, WRITE, "declared", |text| {
        let mut text = text.to_owned();
        for (call, procedure) in [("start_run", "run"), ("start_load", "init")] {
            let arguments = of(call);
            let function = format!("CREATE FUNCTION pgperf.{call}(");
            text = with_part(&text, (&function, ") RETURNS"), |_| declared(&arguments));
            let head = format!("CREATE PROCEDURE pgperf.{procedure}(");
            text = with_part(&text, (&head, ") LANGUAGE"), |before| {
                declared_with_run(&arguments, before)
            });
            let begun = format!("    run_id := pgperf.{call}(");
            text = with_part(&text, (&begun, ");\n"), |_| passed_on(&arguments));
        }
        let sweep = ("CREATE FUNCTION pgperf.start_sweep(", ") RETURNS");
        with_part(&text, sweep, |before| declared(&of_sweep(before)))
    });
}

#[test]
fn the_reference_has_a_row_for_each_option() {
    let row = |(argument, meaning): (Argument, &str)| {
        assert!(!meaning.is_empty(), "{} is not described", argument.name);
        let default = match &argument.default {
            None => String::new(),
            Some(text) if argument.sql_type == "text" => format!(", `{text}`"),
            Some(text) => format!(", {text}"),
        };
        let Argument { name, sql_type, .. } = argument;
        format!("| `{name}` | {sql_type}{default} | {} |", meaning.trim())
    };
    expect_text(PAGE, WRITE, "declared", |text| {
        let table = (
            "| argument | type, default | meaning |\n|---|---|---|\n",
            "\n\n",
        );
        let rows = RunOptions::arguments()
            .into_iter()
            .zip(RunOptions::meanings());
        with_part(text, table, |_| {
            rows.map(row).collect::<Vec<_>>().join("\n")
        })
    });
}
