//! Does with a text all that may be done with a script. The unit tests and the fuzz targets share it.

use crate::{CommandKind, Context, Prng, Symbols, Value, Variables, parse};

/// Variables of every type and text of every look, some with the names that the seeds use.
const VARIABLES: [(&str, &str); 9] = [
    ("x", "3"),
    ("i", "-9223372036854775808"),
    ("d", "-2.5e-3"),
    ("b", "off"),
    ("n", "null"),
    ("hex", "0x1.8p3"),
    ("text", "é'\\:x"),
    ("sign", "-"),
    ("default_seed", "5432"),
];

/// Reads a script and does what each of its commands says, in order and without branching or going back, so that this
/// ends.
pub fn exercise_script(text: &str) {
    let mut symbols = Symbols::new();
    let script = match parse("fuzz", text, &mut symbols) {
        Ok(script) => script,
        Err(error) => {
            assert!(!error.to_string().is_empty() && error.line > 0);
            let _ = error.caret_detail();
            return;
        }
    };
    let end = script.commands.len();
    let mut variables = Variables::new(&symbols);
    for (name, value) in VARIABLES {
        variables.set(symbols.intern(name), Value::Text(value.into()));
    }
    let _ = script.check_parameters();
    let mut prng = Prng::new(1);
    for command in &script.commands {
        assert!(command.next <= end);
        match &command.kind {
            CommandKind::Sql(sql) => {
                let mut text = String::new();
                sql.interpolate(&variables, &mut text);
                sql.fill_names(&variables, &mut text);
                sql.name_key(&variables, &mut text);
                assert!(sql.arguments(&variables).len() == sql.params.len());
            }
            CommandKind::Set { variable, expr } => {
                let result = Context {
                    variables: &variables,
                    prng: &mut prng,
                    debug: &mut |value| drop(value.describe()),
                }
                .eval(expr);
                match result {
                    Ok(value) => variables.set(*variable, value),
                    Err(error) => assert!(!error.to_string().is_empty()),
                }
            }
            CommandKind::If {
                condition,
                otherwise,
            }
            | CommandKind::While {
                condition,
                otherwise,
            } => {
                assert!(*otherwise <= end);
                let _ = Context {
                    variables: &variables,
                    prng: &mut prng,
                    debug: &mut |_| (),
                }
                .holds(condition);
            }
            CommandKind::Sleep(sleep) => {
                let _ = sleep.duration(&variables);
            }
            _ => {}
        }
    }
}

/// The same with the text as an expression, whose value then is a variable's and a statement's.
pub fn exercise_expression(text: &str) {
    exercise_script(&format!("\\set x {text}\n\\set y :x\nSELECT :x, :y;"));
}
