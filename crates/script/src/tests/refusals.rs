//! Scripts that are refused, in pgbench's words.

use super::super::*;
use super::fails;

/// Expressions that cannot be parsed, pgbench's words, and the number of blanks it puts before the
/// caret.
const SYNTAX_ERRORS: &[(&str, &str, usize)] = &[
    ("1 +", "syntax error", 10),
    (
        "noSuchFunction()",
        "unexpected function name (noSuchFunction)",
        20,
    ),
    ("abs", "syntax error", 10),
    ("foo", "unexpected function name (foo)", 9),
    ("abs(1, 2)", "unexpected number of arguments (abs)", 15),
    ("hash()", "unexpected number of arguments (hash)", 12),
    ("hash(1,2,3)", "unexpected number of arguments (hash)", 17),
    ("permute(1)", "unexpected number of arguments (permute)", 16),
    ("least()", "at least one argument expected (least)", 13),
    (
        "GREATEST()",
        "at least one argument expected (greatest)",
        16,
    ),
    ("pi(1)", "unexpected number of arguments (pi)", 11),
    ("ln(1.0, 2.0))", "unexpected number of arguments (ln)", 18),
    ("CASE TRUE THEN 1 ELSE 0 END", "syntax error", 15),
    ("CASE END", "syntax error", 14),
    ("CASE WHEN 1 THEN 2 ELSE 3", "syntax error", 32),
    ("1 = 2 = 3", "syntax error", 13),
    ("1 < 2 > 3", "syntax error", 13),
    ("1 IS 2", "syntax error", 12),
    ("IS NULL", "syntax error", 8),
    ("(1", "syntax error", 9),
    ("1)", "syntax error", 8),
    ("1 2", "syntax error", 9),
    (
        "100000000000000000000",
        "bigint constant overflow (100000000000000000000)",
        27,
    ),
    ("9223372036854775808", "syntax error", 25),
    ("5 - 9223372036854775808", "syntax error", 29),
    ("1.0E309", "double constant overflow (1.0E309)", 13),
    (".1E310", "double constant overflow (.1E310)", 12),
    (";", "unexpected character (;)", 7),
    ("1 + ;", "unexpected character (;)", 11),
    ("!", "unexpected character (!)", 7),
    ("1 ! 2", "unexpected character (!)", 9),
    (":", "unexpected character (:)", 7),
    ("1 + * 2", "syntax error", 11),
    ("random(1 2)", "syntax error", 16),
    ("mod(1)", "unexpected number of arguments (mod)", 12),
    ("NOT", "syntax error", 10),
];

#[test]
fn syntax_errors_are_worded_and_placed_as_by_pgbench() {
    for (expression, message, blanks) in SYNTAX_ERRORS.iter().chain(OWN_SYNTAX_ERRORS) {
        let line = format!("\\set x {expression}");
        let error = fails(&format!("SELECT 1;\n{line}\nSELECT 2;"));
        assert_eq!(
            error.to_string(),
            format!("x.sql:2: {message} in command \"set\"")
        );
        let detail = format!("{line}\n{:blanks$}^ error found here", "");
        assert_eq!(error.caret_detail(), Some(detail));
        assert_eq!((error.script.as_str(), error.line), ("x.sql", 2));
    }
}

/// The same for what pgbench has not.
const OWN_SYNTAX_ERRORS: &[(&str, &str, usize)] = &[
    ("'", "unterminated quoted string", 7),
    ("concat('a', 'b)", "unterminated quoted string", 19),
    ("'a' 'b'", "syntax error", 13),
    ("concat()", "at least one argument expected (concat)", 14),
    ("choose()", "at least two arguments expected (choose)", 14),
    ("Choose(1)", "at least two arguments expected (choose)", 15),
    (
        "choose(1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17)",
        "too many function arguments, maximum is 16",
        55,
    ),
    (
        "random_string()",
        "unexpected number of arguments (random_string)",
        21,
    ),
];

#[test]
fn commands_are_refused_as_by_pgbench() {
    let message = |text: &str| fails(text).to_string();
    assert_eq!(
        message("\\nosuch"),
        "x.sql:1: invalid command in command \"nosuch\""
    );
    assert_eq!(
        message("\\set"),
        "x.sql:1: missing argument in command \"set\""
    );
    assert_eq!(
        message("\\set\nSELECT 1;"),
        "x.sql:1: missing argument in command \"set\""
    );
    assert_eq!(
        message("\\set i"),
        "x.sql:1: syntax error in command \"set\""
    );
    assert_eq!(
        message("\\set . 1"),
        "x.sql:1: invalid variable name (.) in command \"set\""
    );
    assert_eq!(
        message("\\sleep"),
        "x.sql:1: missing argument in command \"sleep\""
    );
    assert_eq!(
        message("\\sleep 1 ms x"),
        "x.sql:1: too many arguments in command \"sleep\""
    );
    assert_eq!(
        message("\n\\sleep 1 week"),
        "x.sql:2: unrecognized time unit, must be us, ms or s (week) in command \"sleep\""
    );
    for time in ["x", "1ms us", "1.5", "-"] {
        let result = parse("x.sql", &format!("\\sleep {time} s"), &mut Symbols::new());
        match time {
            "-" => assert!(result.is_ok(), "a lone sign is 0"),
            _ => assert!(result.is_err(), "{time}"),
        }
    }
    assert_eq!(
        message("\\sleep 1ms us"),
        "x.sql:1: invalid sleep time, must be an integer (1ms) in command \"sleep\""
    );
    assert_eq!(
        message("\\if\n\\endif"),
        "x.sql:1: syntax error in command \"if\""
    );
    assert_eq!(
        message("\\if 0\n\\elif +\n"),
        "x.sql:2: syntax error in command \"elif\""
    );
    assert_eq!(
        message("\\if 0\n\\else BAD\n\\endif"),
        "x.sql:2: unexpected argument in command \"else\""
    );
    assert_eq!(
        message("\\if 0\n\\endif BAD"),
        "x.sql:2: unexpected argument in command \"endif\""
    );
    for empty in ["", " \n-- nothing", "\\"] {
        assert_eq!(message(empty), "empty command list for script \"x.sql\"");
    }
}

#[test]
fn conditionals_must_match() {
    let message = |text: &str| {
        let message = fails(text).to_string();
        message
            .strip_prefix("condition error in script \"x.sql\" command ")
            .unwrap()
            .to_owned()
    };
    assert_eq!(message("\\if 1"), "2: \\if without matching \\endif");
    assert_eq!(message("\\elif 1"), "1: \\elif without matching \\if");
    assert_eq!(
        message("SELECT 1;\\else"),
        "2: \\else without matching \\if"
    );
    assert_eq!(message("\\endif"), "1: \\endif without matching \\if");
    assert_eq!(
        message("\\if 1\n\\else\n\\elif 0\n\\endif"),
        "3: \\elif after \\else"
    );
    assert_eq!(
        message("\\if 1\n\\else\n\\else\n\\endif"),
        "3: \\else after \\else"
    );
}

#[test]
fn running_programs_is_refused() {
    for command in ["shell", "setshell"] {
        let error = fails(&format!("SELECT 1;\n\\{command} x y"));
        assert_eq!(
            error.to_string(),
            format!(
                "x.sql:2: running programs is not supported inside the server in command \"{command}\""
            )
        );
        assert_eq!(error.source_line, Some(format!("\\{command} x y")));
        assert!(error.unsupported.is_some());
    }
    assert_eq!(fails("\\nosuch").unsupported, None);
}

#[test]
fn results_are_captured_from_statements_only() {
    let message = |text: &str| fails(text).to_string();
    assert_eq!(
        message("\\gset"),
        "x.sql:1: \\gset must follow an SQL command"
    );
    assert_eq!(
        message("SELECT 1;\n\\set i +1\n\\aset"),
        "x.sql:3: \\gset must follow an SQL command (\\set i +1)"
    );
    assert_eq!(
        message("SELECT 1 AS i \\gset\n\\gset"),
        "x.sql:2: \\gset must follow an SQL command"
    );
    assert_eq!(
        message("SELECT 1 AS i; \\aset a_\n-- again\n\\gset"),
        "x.sql:3: \\gset must follow an SQL command"
    );
    assert_eq!(
        message("SELECT 1 \\gset a b"),
        "x.sql:1: too many arguments in command \"gset\""
    );
    for command in ["startpipeline", "syncpipeline", "endpipeline"] {
        assert_eq!(
            message(&format!("\\{command} x")),
            format!("x.sql:1: unexpected argument in command \"{command}\"")
        );
    }
}

/// The line of an error and the column of its caret.
fn place(text: &str) -> (String, Option<usize>) {
    let error = fails(text);
    (error.source_line.unwrap_or_default(), error.column)
}

#[test]
fn an_error_shows_its_command_and_no_more() {
    for text in [
        "\\sleep",
        "\\set i 1 + ; x y",
        "\\set i",
        "\\set i 1 )",
        "\\nosuch a b",
        "\\else x y",
    ] {
        let (line, _) = place(&format!("{text}\nSELECT 2;"));
        assert_eq!(line, text);
    }
}

#[test]
fn the_caret_of_a_sleep_is_at_the_wrong_word() {
    assert_eq!(place("\\sleep 1 ms x").1, Some(13));
    assert_eq!(place("\\sleep 10week").1, Some(10));
    assert_eq!(place("\\sleep 10 week").1, Some(11));
    assert_eq!(place("\\sleep x").1, Some(8));
}

#[test]
fn a_command_has_at_most_256_words() {
    // Its name is one of them. The third of a sleep is wrong by itself.
    let sleep = |words: usize| place(&format!("\\sleep{}", " 1".repeat(words)));
    assert_eq!(sleep(255).1, Some(12));
    assert_eq!(sleep(256).1, None);
}
