//! Names with weights, as people write them: `name`, or `name@weight`.

use crate::error::{Result, invalid};
use crate::workload::scripts::MAX_WEIGHT;

/// A name and its weight, 1 if none is written. `what`: what the name is of. `least`: the smallest weight.
///
/// # Errors
/// The weight is no such number.
pub fn parse<'t>(text: &'t str, what: &str, least: u32) -> Result<(&'t str, u32)> {
    let text = text.trim();
    let (name, weight) = match text.rsplit_once('@') {
        Some((name, weight)) => (name.trim(), weight.trim().parse().ok()),
        None => (text, Some(1)),
    };
    let weight = weight.filter(|weight| (least..=MAX_WEIGHT).contains(weight));
    let weight = weight.ok_or_else(|| {
        invalid(format!(
            "weight of {what} \"{name}\" must be an integer from {least} to {MAX_WEIGHT}"
        ))
    })?;
    Ok((name, weight))
}

/// `name`, or `name@weight, name@weight`.
pub fn joined<'a>(names: impl Iterator<Item = (&'a str, u32)>) -> String {
    let names: Vec<_> = names.collect();
    match names.as_slice() {
        [(only, _)] => (*only).to_owned(),
        several => several
            .iter()
            .map(|(name, weight)| format!("{name}@{weight}"))
            .collect::<Vec<_>>()
            .join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_joined_is_read_back() {
        let read = |text| parse(text, "workload", 0).map_err(|error| error.to_string());
        assert_eq!(read(" a "), Ok(("a", 1)));
        assert_eq!(read("a @ 3"), Ok(("a", 3)));
        assert_eq!(read("a@b@0"), Ok(("a@b", 0)));
        let refused = "weight of workload \"a\" must be an integer from 0 to 2147483647";
        for text in ["a@", "a@b", "a@-1", "a@2147483648"] {
            assert_eq!(read(text), Err(refused.to_owned()), "{text}");
        }
        assert!(parse("a@0", "server", 1).is_err());
        assert_eq!(joined([("a", 3)].into_iter()), "a");
        assert_eq!(joined([("a", 3), ("b", 1)].into_iter()), "a@3, b@1");
    }
}
