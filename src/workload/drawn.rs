//! The statements of a script with the values of its variables, without executing it. Values that `\set` computes are known.
//! Variables that statements would set are not, and their names stay in the text.

use super::scale::Scale;
use crate::error::{Result, failure};
use pgrx::pg_sys::errcodes::PgSqlErrorCode::ERRCODE_SYNTAX_ERROR;
use script::{Prng, Symbols, Variables, walk};
use std::ops::ControlFlow;

/// Equal scripts draw equal values.
const SEED: u64 = 1;

/// `scale`: the value of `:scale`.
///
/// # Errors
/// The script cannot be parsed, or a value cannot be computed.
pub fn statements(name: &str, text: &str, scale: Scale) -> Result<Vec<String>> {
    let mut symbols = Symbols::new();
    let of_scale = symbols.intern("scale");
    let script = script::parse(name, text, &mut symbols)
        .map_err(|error| failure(ERRCODE_SYNTAX_ERROR, error.to_string()))?;
    let (mut variables, mut prng) = (Variables::new(&symbols), Prng::new(SEED));
    variables.set(of_scale, scale.into());
    let mut statements = Vec::new();
    let walked = walk(
        &script,
        &mut variables,
        &mut prng,
        |_, _| (),
        |_, sql, variables| {
            let mut text = String::new();
            sql.interpolate(variables, &mut text);
            statements.push(text.trim_end().trim_end_matches(';').to_owned());
            ControlFlow::Continue(())
        },
    );
    match walked {
        Ok(_) => Ok(statements),
        Err(error) => Err(failure(ERRCODE_SYNTAX_ERROR, format!("{name}: {error}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_that_set_computes() {
        let drawn = |text: &str| statements("s", text, Scale::from(3));
        let script = "\\set a 1 + 1\n\\set b :a * :scale\nSELECT :a, :'b', :c;\nSELECT 'x:a';\n";
        assert_eq!(drawn(script).unwrap(), ["SELECT 2, '6', :c", "SELECT 'x2'"]);
        let random = "\\set a random(1, 1000000000)\nSELECT :a;";
        assert_eq!(drawn(random).unwrap(), drawn(random).unwrap());
        assert!(drawn("\\set a 1 / 0\nSELECT :a;").is_err());
    }
}
