//! Values that are text.

use super::super::*;
use super::eval;
use super::fails;
use super::runs::run;

/// The value of an expression, or the error; variable v is a text.
fn compute(expression: &str, v: &str) -> String {
    let mut symbols = Symbols::new();
    let text = format!("\\set x {expression}");
    let script = parse("x.sql", &text, &mut symbols).unwrap();
    let CommandKind::Set { expr, .. } = &script.commands[0].kind else {
        panic!("not a \\set");
    };
    let mut variables = Variables::new(&symbols);
    variables.set(symbols.intern("v"), Value::Text(v.into()));
    match eval(expr, &variables, &mut Prng::new(1)) {
        Ok(value) => value.describe(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn literals_are_text() {
    for (expression, value) in [
        ("'a b'", "text a b"),
        ("''", "text "),
        ("'it''s'", "text it's"),
        ("''''", "text '"),
        ("'7'", "text 7"),
        ("('é')", "text é"),
        ("'NULL' IS NULL", "boolean false"),
        ("CASE WHEN 1 < 2 THEN 'a' ELSE 'b' END", "text a"),
    ] {
        assert_eq!(compute(expression, ""), value, "{expression}");
    }
}

#[test]
fn text_is_no_number_and_no_condition() {
    for (expression, message) in [
        ("'1' + 1", "cannot coerce text to int"),
        ("1.5 * 'x'", "cannot coerce text to double"),
        ("'a' = 'a'", "cannot coerce text to int"),
        ("'a' < 1.0", "cannot coerce text to double"),
        ("'1' % 2", "cannot coerce text to int"),
        ("-'1'", "cannot coerce text to int"),
        ("abs('1')", "cannot coerce text to double"),
        ("int('1')", "cannot coerce text to int"),
        ("greatest(1, '2')", "cannot coerce text to int"),
        ("random('1', 2)", "cannot coerce text to int"),
        ("NOT 'true'", "cannot coerce text to boolean"),
        ("'true' AND TRUE", "cannot coerce text to boolean"),
        (
            "CASE WHEN 'true' THEN 1 END",
            "cannot coerce text to boolean",
        ),
    ] {
        assert_eq!(compute(expression, ""), message, "{expression}");
    }
}

#[test]
fn a_variable_with_text_is_read_as_what_it_looks_like() {
    assert_eq!(compute(":v + 1", "7"), "int 8");
    for expression in ["choose(1, :v)", "CASE WHEN true THEN :v END", "-:v"] {
        assert_eq!(
            compute(expression, "abc"),
            "malformed variable \"v\" value: \"abc\""
        );
    }
}

#[test]
fn concat_takes_the_text_of_a_variable_as_it_is() {
    for (text, value) in [
        ("007", "text x007"),
        ("abc", "text xabc"),
        ("", "text x"),
        ("null", "text xnull"),
    ] {
        assert_eq!(compute("concat('x', :v)", text), value);
    }
    // What is more than a variable is computed.
    assert_eq!(compute("concat('x', :v + 0)", "007"), "text x7");
}

#[test]
fn concat_joins_what_would_be_substituted() {
    for (expression, value) in [
        ("concat('a')", "text a"),
        ("concat('a', 'b', '')", "text ab"),
        ("concat(1, '-', 2.50, true, 1e20)", "text 1-2.5true1e+20"),
        ("CONCAT('a', NULL)", "null"),
        ("concat(concat('a', 1), 'b')", "text a1b"),
    ] {
        assert_eq!(compute(expression, ""), value, "{expression}");
    }
    let sixteen = format!("concat({}'b')", "'a', ".repeat(15));
    assert_eq!(compute(&sixteen, ""), format!("text {}b", "a".repeat(15)));
}

#[test]
fn choose_counts_from_one() {
    for (expression, value) in [
        ("choose(1, 'a', 2, 3.5)", "text a"),
        ("choose(2, 'a', 2, 3.5)", "int 2"),
        ("choose(3, 'a', 2, 3.5)", "double 3.5"),
        ("choose(1.6, 'a', 'b')", "text b"),
        ("choose(2, 'a', NULL)", "null"),
        ("choose(1, 'a', NULL)", "text a"),
        ("choose(NULL, 'a')", "null"),
        (
            "choose(0, 'a', 'b')",
            "choose index must be in range [1, 2] (not 0)",
        ),
        (
            "choose(2, 'a')",
            "choose index must be in range [1, 1] (not 2)",
        ),
        (
            "choose(-9223372036854775808, 1)",
            "choose index must be in range [1, 1] (not -9223372036854775808)",
        ),
        ("choose('a', 1)", "cannot coerce text to int"),
    ] {
        assert_eq!(compute(expression, ""), value, "{expression}");
    }
}

#[test]
fn random_strings_keep_to_their_pattern() {
    for fixed in ["", "a-Z 9", "é"] {
        assert_eq!(
            compute(&format!("random_string('{fixed}')"), ""),
            format!("text {fixed}")
        );
    }
    assert_eq!(compute("random_string(NULL)", ""), "null");
    assert_eq!(
        compute("random_string(12)", ""),
        "cannot coerce int to text"
    );
    let value = compute("random_string('##-@@@-é')", "");
    let characters: Vec<char> = value.strip_prefix("text ").unwrap().chars().collect();
    assert_eq!(characters.len(), 8, "{value}");
    assert!(characters[..2].iter().all(char::is_ascii_digit), "{value}");
    assert!(
        characters[3..6].iter().all(char::is_ascii_lowercase),
        "{value}"
    );
    assert_eq!(
        (characters[2], characters[6], characters[7]),
        ('-', '-', 'é')
    );
}

#[test]
fn a_series_has_the_pattern_for_each_number() {
    for (expression, value) in [
        ("series('(#,#)', 1, 3)", "text (1,1),(2,2),(3,3)"),
        ("series('#', -1, 1)", "text -1,0,1"),
        ("series('x', 5, 6)", "text x,x"),
        ("series('é#', 7, 7)", "text é7"),
        ("series('#', 1, NULL)", "null"),
        (
            "series('#', 2, 1)",
            "series length must be in range [1, 1000000] (not 0)",
        ),
        (
            "series('#', -9223372036854775808, 9223372036854775807)",
            "series length must be in range [1, 1000000] (not 9223372036854775807)",
        ),
        ("series(1, 1, 1)", "cannot coerce int to text"),
        ("series('#', '1', 1)", "cannot coerce text to int"),
    ] {
        assert_eq!(compute(expression, ""), value, "{expression}");
    }
    let last = "9223372036854775807";
    assert_eq!(
        compute(&format!("series('#', {last}, {last})"), ""),
        format!("text {last}")
    );
    let long = compute("series('#', 1, 1000000)", "");
    assert!(long.ends_with(",999999,1000000"));
}

#[test]
fn a_variable_is_asked_whether_it_has_a_value() {
    for (expression, value) in [
        (":{?v}", "boolean true"),
        (":{?w}", "boolean false"),
        ("NOT :{?w}", "boolean true"),
        ("CASE WHEN :{?w} THEN :w ELSE 7 END", "int 7"),
    ] {
        assert_eq!(compute(expression, "x"), value, "{expression}");
    }
    for wrong in [":{?}", ":{v}", ":{?9}", ":{?v", ":{ ?v}", ":{?v }"] {
        let message = fails(&format!("\\set x {wrong}")).to_string();
        assert!(message.contains("unexpected character"), "{message}");
    }
    // The first time only: variables keep their values.
    let script =
        "\\if NOT :{?n}\n\\set n 4\n\\endif\n\\if NOT :{?n}\nSELECT 0;\n\\endif\nSELECT :n;";
    assert_eq!(run(script, &[]).0, ["SELECT 4;"]);
}

#[test]
fn random_strings_have_all_characters() {
    let count = |sign: &str, first: char, kinds: usize| {
        let value = compute(&format!("random_string('{}')", sign.repeat(26_000)), "");
        let mut counts = vec![0; kinds];
        for character in value.strip_prefix("text ").unwrap().chars() {
            counts[character as usize - first as usize] += 1;
        }
        counts
    };
    for count in count("#", '0', 10) {
        assert!((2300..2900).contains(&count), "{count}");
    }
    for count in count("@", 'a', 26) {
        assert!((850..1150).contains(&count), "{count}");
    }
}

#[test]
fn a_text_is_substituted_as_it_is() {
    let script = "\\set t concat('it''s ', 1 + 1)\nSELECT $$:t$$, :t;";
    let (simple, extended) = run(script, &[]);
    assert_eq!(simple, ["SELECT $$it's 2$$, it's 2;"]);
    assert_eq!(extended, ["SELECT $$$1$$, $2;"]);
}
