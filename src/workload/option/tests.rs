use super::*;
use serde_json::json;

const PERCENT: Definition = Definition {
    name: "percent",
    kind: Kind::integer(10, 100),
    default: Given::Number(90.0),
    when: When::Load,
    doc: "how much",
};
const WORD: Definition = Definition {
    name: "rand_type",
    kind: Kind::Choice(&["uniform", "pareto"]),
    default: Given::Text("pareto"),
    when: When::Run,
    doc: "distribution of the keys",
};

fn message(option: &Definition, value: Value) -> String {
    match option.read(&value, crate::workload::families()[0], When::Load) {
        Ok(value) => format!("{value}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn values_are_checked_by_type_and_range() {
    assert_eq!(message(&PERCENT, json!(10)), "10");
    assert_eq!(message(&PERCENT, json!(100.0)), "100");
    for value in [
        json!(9),
        json!(101),
        json!(10.5),
        json!("x"),
        json!(true),
        json!([10]),
    ] {
        let expected =
            format!("percent must be an integer from 10 to 100 (default 90), not {value}");
        assert_eq!(message(&PERCENT, value), expected);
    }
    let text = Definition {
        kind: Kind::Text,
        default: Given::Nothing,
        ..PERCENT
    };
    assert_eq!(message(&text, json!("x")), "\"x\"");
    assert_eq!(message(&text, json!(1)), "percent must be a text, not 1");
}

#[test]
fn a_span_has_a_first_and_a_last_number() {
    let option = Definition {
        name: "rows",
        kind: Kind::Span { min: 1, max: 9 },
        default: Given::Nothing,
        ..PERCENT
    };
    for (text, numbers) in [("1-9", (1, 9)), (" 3 - 7", (3, 7)), ("5", (5, 5))] {
        assert_eq!(message(&option, json!(text)), format!("{text:?}"));
        assert_eq!(span(text), Some(numbers));
    }
    for value in [
        json!("0-3"),
        json!("1-10"),
        json!("7-3"),
        json!("-3"),
        json!("3-"),
        json!("+3"),
        json!("1-2-3"),
        json!(""),
        json!(5),
    ] {
        let expected = format!("rows must be a text 'first-last' from 1 to 9, not {value}");
        assert_eq!(message(&option, value), expected);
    }
}

#[test]
fn a_choice_is_one_of_its_words() {
    assert_eq!(message(&WORD, json!("uniform")), "\"uniform\"");
    for value in [json!("Uniform"), json!(1), json!("uniform, pareto")] {
        let expected =
            format!("rand_type must be one of uniform, pareto (default pareto), not {value}");
        assert_eq!(message(&WORD, value), expected);
    }
}

#[test]
fn an_option_describes_itself() {
    assert_eq!(
        PERCENT.describe(),
        "percent (integer from 10 to 100, default 90): how much"
    );
    assert_eq!(
        WORD.describe(),
        "rand_type (one of uniform, pareto, default pareto): distribution of the keys"
    );
}

#[test]
fn some_options_apply_to_loads_and_some_to_runs() {
    let both = Definition {
        when: When::Both,
        ..PERCENT
    };
    assert!(PERCENT.applies(When::Load) && !PERCENT.applies(When::Run));
    assert!(WORD.applies(When::Run) && !WORD.applies(When::Load));
    assert!(both.applies(When::Run) && both.applies(When::Load));
}
