//! Names with weights, as people write them: `name`, or `name@weight`.

use crate::error::{Result, hinted, invalid};
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

/// The names and weights of an argument such as `servers`. `what`: what each is.
///
/// # Errors
/// There is none; a name is missing or there twice, or a weight is none.
pub fn list(argument: &str, what: &str, texts: &[Option<String>]) -> Result<Vec<(String, u32)>> {
    let mut named: Vec<(String, u32)> = Vec::new();
    for text in texts {
        let (name, weight) = parse(text.as_deref().unwrap_or_default(), what, 1)?;
        if name.is_empty() {
            return Err(invalid(format!("{argument} must not have an empty name")));
        }
        if named.iter().any(|(known, _)| known == name) {
            return Err(hinted(
                format!("{what} \"{name}\" is in {argument} twice"),
                &format!("Name it once, with a weight: '{name}@2'."),
            ));
        }
        named.push((name.to_owned(), weight));
    }
    match named.is_empty() {
        true => Err(invalid(format!("{argument} must not be empty"))),
        false => Ok(named),
    }
}

/// # Errors
/// There are fewer clients than places for them.
pub fn check_clients(what: &str, places: usize, clients: usize) -> Result<()> {
    match places {
        places if places > clients => Err(hinted(
            format!("clients must be at least the number of {what}s, {places}, not {clients}"),
            &format!("Each {what} has one client or more."),
        )),
        _ => Ok(()),
    }
}

/// The place of each of so many clients, where places have weights; empty: there is none.
///
/// It follows from the number of a client alone: each place gets a client first, then always the one that has fewest for its weight. So
/// any number of clients are spread by weight.
pub fn spread(weights: &[u32], clients: usize) -> Vec<usize> {
    let mut counts = vec![0_u64; weights.len()];
    let of_client = |client| {
        let place = match client < counts.len() {
            true => client,
            false => neediest(weights, &counts),
        };
        *counts.get_mut(place)? += 1;
        Some(place)
    };
    (0..clients).map_while(of_client).collect()
}

/// By the method of Sainte-Laguë: whose weight is greatest beside twice its clients and one; of equal ones the first.
fn neediest(weights: &[u32], counts: &[u64]) -> usize {
    let need = |place: usize| {
        (
            u128::from(weights[place]),
            u128::from(2 * counts[place] + 1),
        )
    };
    (1..counts.len()).fold(0, |neediest, place| {
        let ((weight, places), (greatest, fewest)) = (need(place), need(neediest));
        match weight * fewest > greatest * places {
            true => place,
            false => neediest,
        }
    })
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
