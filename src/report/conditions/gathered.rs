//! What the runs of a side have in common, and what not: each condition with all of its values.

use crate::error::Result;
use crate::pg::sql::spi;
use crate::report::model::Key;
use crate::show::number::{bytes, number};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Values that are listed one by one, at most.
const LISTED: usize = 6;

/// The values of each condition, by category and name.
#[derive(Debug, Clone, Default)]
pub struct Gathered(BTreeMap<(String, String), Values>);

#[derive(Debug, Clone, Default)]
struct Values {
    all: Vec<String>,
    unit: Option<String>,
}

impl Gathered {
    /// Those of these runs. The current user must be able to read pgperf's tables.
    pub fn load(runs: &[Key]) -> Result<Gathered> {
        #[derive(Deserialize)]
        struct Stored {
            category: String,
            name: String,
            values: Vec<Option<String>>,
            unit: Option<String>,
        }
        let node_ids: Vec<&str> = runs.iter().map(|run| run.node_id).collect();
        let run_ids: Vec<i64> = runs.iter().map(|run| run.run_id).collect();
        let stored: Vec<Stored> = spi::select(
            include_str!("gathered.sql"),
            &[node_ids.into(), run_ids.into()],
        )?;
        let stored = stored.into_iter().map(|it| {
            let values = Values {
                all: it.values.into_iter().flatten().collect(),
                unit: it.unit,
            };
            ((it.category, it.name), values)
        });
        Ok(Gathered(stored.collect()))
    }

    /// The values of all sides.
    pub fn together(sides: &[Gathered]) -> Gathered {
        let mut together: BTreeMap<(String, String), Values> = BTreeMap::new();
        for (name, values) in sides.iter().flat_map(|side| &side.0) {
            let all = together.entry(name.clone()).or_default();
            all.all.extend(values.all.iter().cloned());
            all.all.sort();
            all.all.dedup();
            all.unit = all.unit.take().or_else(|| values.unit.clone());
        }
        Gathered(together)
    }

    /// The values of a condition, numbers in ascending order; empty: not known.
    pub fn all(&self, category: &str, name: &str) -> Vec<&str> {
        let values = self.0.get(&(category.to_owned(), name.to_owned()));
        let mut all: Vec<&str> = values
            .into_iter()
            .flat_map(|values| values.all.iter().map(String::as_str))
            .collect();
        if let Some(mut numbers) = numbers(&all) {
            numbers.sort_by(|a, b| a.0.total_cmp(&b.0));
            all = numbers.into_iter().map(|(_, text)| text).collect();
        }
        all.dedup();
        all
    }

    /// The same, for whoever keeps them.
    pub fn owned(&self, category: &str, name: &str) -> Vec<String> {
        let all = self.all(category, name).into_iter();
        all.map(str::to_owned).collect()
    }

    /// The one value that all runs have.
    pub fn one(&self, category: &str, name: &str) -> Option<&str> {
        match self.all(category, name).as_slice() {
            [one] => Some(one),
            _ => None,
        }
    }

    /// The names of a category's conditions with their units.
    pub fn names(&self, category: &str) -> impl Iterator<Item = (&str, Option<&str>)> {
        let of_category = self.0.iter().filter(move |((it, _), _)| it == category);
        of_category.map(|((_, name), values)| (name.as_str(), values.unit.as_deref()))
    }

    /// A size, or the range of several.
    pub fn bytes(&self, category: &str, name: &str) -> Option<String> {
        let all = self.all(category, name);
        let all: Vec<f64> = all.iter().filter_map(|it| it.parse().ok()).collect();
        let (least, most) = (bytes(*all.first()?), bytes(*all.last()?));
        Some(match least == most {
            true => least,
            false => format!("{least} to {most}"),
        })
    }
}

/// Several values in few words: each of few, the range of many numbers, the number of many others.
pub fn listed(all: &[&str]) -> Option<String> {
    let (first, last) = (all.first()?, all.last()?);
    Some(match numbers(all) {
        _ if all.len() <= LISTED => all.join(", "),
        Some(_) => format!("{first} to {last}"),
        None => format!("{} different", number(all.len() as f64)),
    })
}

/// The values as numbers; None: not all are.
fn numbers<'a>(all: &[&'a str]) -> Option<Vec<(f64, &'a str)>> {
    let number = |text: &&'a str| Some((text.parse().ok()?, *text));
    all.iter().map(number).collect()
}

#[cfg(test)]
impl Gathered {
    /// Of these values.
    pub fn of(values: &[(&str, &str, &[&str])]) -> Gathered {
        let values = values.iter().map(|(category, name, all)| {
            let all = all.iter().map(|it| (*it).to_owned()).collect();
            let unit = None;
            (
                ((*category).to_owned(), (*name).to_owned()),
                Values { all, unit },
            )
        });
        Gathered(values.collect())
    }
}
