//! Collectors by their names.

use super::ALL;
use crate::collect::Collector;
use crate::error::{Result, invalid};

/// The collectors of these names, once each and in the order of [`ALL`].
///
/// # Errors
/// A name that is none, NULL, or an empty list: 22023 with the list in the hint.
pub fn by_name(names: &[Option<String>]) -> Result<Vec<&'static Collector>> {
    let known = ALL.map(|collector| collector.name).join(", ");
    let refuse =
        |message: String| Err(invalid(message).hinting(format!("The collectors are: {known}.")));
    if names.is_empty() {
        return refuse("no collector is named".to_owned());
    }
    for name in names {
        match name {
            None => return refuse("a collector's name is null".to_owned()),
            Some(name) if ALL.iter().all(|collector| collector.name != name) => {
                return refuse(format!("unknown collector: \"{name}\""));
            }
            Some(_) => {}
        }
    }
    let named = |collector: &&Collector| names.iter().flatten().any(|name| name == collector.name);
    Ok(ALL.into_iter().filter(named).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collect::InRuns;

    #[test]
    fn names_are_checked_and_put_in_order() {
        let names = |list: &[&str]| {
            by_name(
                &list
                    .iter()
                    .map(|name| Some((*name).to_owned()))
                    .collect::<Vec<_>>(),
            )
            .map(|found| {
                found
                    .iter()
                    .map(|collector| collector.name)
                    .collect::<Vec<_>>()
            })
        };
        assert_eq!(names(&["bloat", "wal", "bloat"]).unwrap(), ["wal", "bloat"]);
        assert!(
            names(&["wall"])
                .unwrap_err()
                .to_string()
                .contains("\"wall\"")
        );
        assert!(names(&[]).is_err());
        assert!(by_name(&[None]).is_err());
    }

    #[test]
    fn the_cheap_ones_are_taken_at_every_interval_of_a_run() {
        let marked = ALL
            .iter()
            .filter(|collector| collector.in_runs == InRuns::EveryInterval);
        assert_eq!(
            marked.map(|c| c.name).collect::<Vec<_>>(),
            [
                "wal",
                "wraparound",
                "database",
                "checkpoints",
                "io",
                "waits",
                "host"
            ]
        );
    }
}
