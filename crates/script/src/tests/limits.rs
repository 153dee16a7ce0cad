//! Size, depth and garbage: nothing a user writes may harm the server.

use super::super::*;
use super::eval;
use super::exercise::exercise_script;
use super::fails;
use crate::sql::MAX_PARAMETERS;

#[test]
fn parameters_are_limited_outside_simple_mode() {
    let script = |count: usize| {
        let text = format!("SELECT 1;\nSELECT LEAST({}0)", ":i, ".repeat(count));
        parse("x.sql", &text, &mut Symbols::new()).unwrap()
    };
    assert!(script(MAX_PARAMETERS).check_parameters().is_ok());
    let error = script(MAX_PARAMETERS + 1).check_parameters().unwrap_err();
    let message = error.to_string();
    assert!(
        message.starts_with("statement has too many arguments (maximum is 255): SELECT LEAST(")
    );
    assert_eq!(error.line, 2);
}

#[test]
fn arguments_are_limited() {
    let too_many = vec!["1"; functions::MAX_ARGUMENTS + 1].join(",");
    let message = fails(&format!("\\set i least({too_many})")).to_string();
    let words = format!(
        "too many function arguments, maximum is {}",
        functions::MAX_ARGUMENTS
    );
    assert!(message.contains(&words), "{message}");
    let message = fails(&format!("\\sleep {}", "x ".repeat(256))).to_string();
    assert!(message.contains("too many arguments"), "{message}");
}

#[test]
fn deep_expressions_are_refused() {
    let depth = parser::MAX_DEPTH;
    let accepted = |expression: &str| {
        let text = format!("\\set i {expression}");
        let mut symbols = Symbols::new();
        match parse("x.sql", &text, &mut symbols) {
            Err(error) => {
                assert!(
                    error.message.contains("expression is nested too deeply"),
                    "{error}"
                );
                false
            }
            Ok(script) => {
                let CommandKind::Set { expr, .. } = &script.commands[0].kind else {
                    panic!("not a \\set");
                };
                // Whatever the value, computing it must not run out of stack.
                let _ = eval(expr, &Variables::new(&symbols), &mut Prng::new(1));
                true
            }
        }
    };
    for (open, close, most) in [
        ("(", ")", depth - 1),
        ("-", "", depth - 1),
        ("not ", "", depth - 1),
        ("1+", "", depth - 1),
        ("abs(", ")", depth - 1),
        ("least(1,2,3,4,", ")", depth - 1),
        ("case when true then ", " end", depth - 1),
        ("1 = (", ")", depth / 2 - 1),
    ] {
        let nest = |times: usize| {
            let inner = if open == "not " { "true" } else { "1" };
            format!("{}{inner}{}", open.repeat(times), close.repeat(times))
        };
        assert!(!accepted(&nest(depth + 1)), "{open}");
        let deepest = (1..=depth).rev().find(|&times| accepted(&nest(times)));
        assert_eq!(deepest, Some(most), "{open}");
        assert!(!accepted(&nest(100_000)), "{open}");
    }
}

/// Pieces of scripts put together at random must give a script or an error, never a panic.
#[test]
fn garbage_does_no_harm() {
    const PIECES: &[&str] = &[
        "\\set ",
        "\\if ",
        "\\elif ",
        "\\else",
        "\\endif",
        "\\while ",
        "\\endwhile",
        "\\sleep ",
        "\\gset",
        "\\",
        "\\;",
        "\\:",
        "\n",
        "\r\n",
        "\\\n",
        " ",
        "\t",
        "x",
        ":x",
        ":'x'",
        ":é",
        "é",
        "::",
        ":",
        "1",
        "2.5",
        "1e9",
        ".",
        "'",
        "''",
        "\"",
        "E'",
        "$$",
        "$a$",
        "$1",
        "/*",
        "*/",
        "--",
        "(",
        ")",
        ",",
        ";",
        "+",
        "-",
        "*",
        "/",
        "%",
        "<",
        "=",
        "!",
        "~",
        "#",
        "<<",
        " and ",
        " or ",
        " not ",
        " is ",
        " null ",
        " case ",
        " when ",
        " then ",
        " end ",
        "random(",
        "hash(",
        "permute(",
        "choose(",
        "random_string(",
        "sysbench_zipfian(",
        "least(",
        "debug(",
        "ms",
        "us",
        "\\gset ",
        "\\aset",
        "\\startpipeline",
        "\\endpipeline",
        "SELECT ",
        "CREATE FUNCTION ",
        "BEGIN ",
        "END ",
        "9223372036854775808",
        "\u{0}",
        "\u{b}",
        "𝄞",
    ];
    let mut prng = Prng::new(20);
    for _ in 0..20_000 {
        let length = random::uniform(&mut prng, 1, 24);
        let text: String = (0..length)
            .map(|_| PIECES[random::uniform(&mut prng, 0, PIECES.len() as i64 - 1) as usize])
            .collect();
        exercise_script(&text);
    }
}
