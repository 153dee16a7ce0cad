//! Functions of text, which pgbench has none of.

use super::error::EvalError;
use super::eval::Context;
use super::functions::{first, pair, third};
use super::random::{Prng, uniform};
use super::value::Value;

/// concat(): the arguments, each as it would be substituted, one after the other.
///
/// # Errors
/// None.
pub(super) fn concat(_: &mut Context<'_>, arguments: &[Value]) -> Result<Value, EvalError> {
    let mut text = String::new();
    for argument in arguments {
        argument.write_text(&mut text);
    }
    Ok(Value::Text(text.into()))
}

/// choose(): the value at a place, from 1; NULL if the place is.
///
/// # Errors
/// There is no such place.
pub(super) fn choose(_: &mut Context<'_>, arguments: &[Value]) -> Result<Value, EvalError> {
    let Some((place, values)) = arguments.split_first() else {
        return Ok(Value::Null);
    };
    if *place == Value::Null {
        return Ok(Value::Null);
    }
    let place = place.to_int()?;
    let value = place
        .checked_sub(1)
        .and_then(|index| values.get(usize::try_from(index).ok()?));
    value
        .cloned()
        .ok_or_else(|| EvalError::int_argument("choose index", 1, values.len() as i64, place))
}

/// random_string(): the pattern with a digit for each `#` and a letter from a to z for each `@`, drawn one after
/// the other.
///
/// # Errors
/// The pattern is no text.
pub(super) fn random_string(
    context: &mut Context<'_>,
    arguments: &[Value],
) -> Result<Value, EvalError> {
    let pattern = first(arguments).to_text()?;
    let mut text = String::with_capacity(pattern.len());
    for character in pattern.chars() {
        text.push(match character {
            '#' => drawn(context.prng, b'0', 10),
            '@' => drawn(context.prng, b'a', 26),
            other => other,
        });
    }
    Ok(Value::Text(text.into()))
}

/// How many numbers series() takes at most.
const LONGEST_SERIES: i64 = 1_000_000;

/// series(): the pattern for each number from the first to the last, with the number for each `#`, joined by commas.
///
/// # Errors
/// The pattern is no text; there are none, or too many, of the numbers.
pub(super) fn series(_: &mut Context<'_>, arguments: &[Value]) -> Result<Value, EvalError> {
    let pattern = first(arguments).to_text()?;
    let (from, to) = (pair(arguments)[1].to_int()?, third(arguments).to_int()?);
    let length = to.saturating_sub(from).saturating_add(1);
    if !(1..=LONGEST_SERIES).contains(&length) {
        return Err(EvalError::int_argument(
            "series length",
            1,
            LONGEST_SERIES,
            length,
        ));
    }
    let parts: Vec<&str> = pattern.split('#').collect();
    let mut text = String::new();
    for number in from..=to {
        let number = number.to_string();
        if !text.is_empty() {
            text.push(',');
        }
        for (place, part) in parts.iter().enumerate() {
            if place > 0 {
                text.push_str(&number);
            }
            text.push_str(part);
        }
    }
    Ok(Value::Text(text.into()))
}

/// One of so many ASCII characters.
fn drawn(prng: &mut Prng, first: u8, count: u8) -> char {
    let offset = uniform(prng, 0, i64::from(count) - 1);
    char::from(first + offset as u8)
}
