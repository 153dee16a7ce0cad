//! The scripts that a run draws from, and how often it draws each.

use super::options::Options;
use crate::error::{Result, hinted, invalid};
use crate::workload::scripts::{MAX_WEIGHT, ScriptSpec, check_count, check_weights, given_scripts};
use crate::workload::stored::{self, Definition};
use crate::workload::{self, Params, Scale, Workload};
use std::collections::BTreeMap;

/// The scripts of a run with their weights.
#[derive(Debug, Clone, Default)]
pub struct Mix {
    pub scripts: Vec<ScriptSpec>,
    /// The built-in workloads in the mix.
    pub workloads: Vec<&'static Workload>,
    /// The stored ones.
    pub stored: Vec<Definition>,
    /// The name of the workload, as stored with the run.
    pub name: String,
}

/// One name of a mix.
enum Member {
    BuiltIn(&'static Workload),
    Stored(Definition),
}

impl Mix {
    /// No scripts, as for a load.
    pub fn none() -> Mix {
        Mix::default()
    }

    /// The scripts that the arguments ask for.
    pub fn of(options: &Options) -> Result<Mix> {
        let given = [
            ("workload", options.workload.is_some()),
            ("script", options.script.is_some()),
            ("scripts", options.scripts.is_some()),
        ];
        let given: Vec<&str> = given
            .iter()
            .filter(|(_, is)| *is)
            .map(|(n, _)| *n)
            .collect();
        if let [first, second, ..] = given.as_slice() {
            return Err(hinted(
                format!("{second} and {first} exclude each other"),
                "Give the name of a workload, the text of a script, or several scripts.",
            ));
        }
        match given_scripts(
            options.script.as_deref(),
            options.scripts.as_deref(),
            options.weights.as_deref(),
            "script",
        )? {
            Some(scripts) => Ok(Mix {
                name: joined(
                    scripts
                        .iter()
                        .map(|script| (script.name.as_str(), script.weight)),
                ),
                scripts,
                ..Mix::default()
            }),
            None => Mix::parse(
                options
                    .workload
                    .as_deref()
                    .unwrap_or(workload::default().name),
            ),
        }
    }

    /// The mix that the warm-up runs in place of the run's own scripts. If it has no scripts, the warm-up runs those.
    pub fn of_warmup(options: &Options) -> Result<Mix> {
        match &options.warmup_workload {
            Some(text) => Mix::parse(text),
            None => Ok(Mix::none()),
        }
    }

    /// `'tpcb-like'`, or several with their weights: `'tpcb-like@1, select-only@9'`.
    pub fn parse(text: &str) -> Result<Mix> {
        let mut mix = Mix::default();
        let mut parts = Vec::new();
        let mut names = Vec::new();
        for part in text.split(',').map(str::trim) {
            let (name, weight) = match part.rsplit_once('@') {
                Some((name, weight)) => (name.trim(), weight.trim().parse::<u32>().ok()),
                None => (part, Some(1)),
            };
            let weight = weight
                .filter(|&weight| weight <= MAX_WEIGHT)
                .ok_or_else(|| {
                    invalid(format!(
                        "weight of workload \"{name}\" must be an integer from 0 to {MAX_WEIGHT}"
                    ))
                })?;
            match member(name)? {
                Member::BuiltIn(workload) => {
                    mix.workloads.push(workload);
                    names.push((workload.name.to_owned(), weight));
                    let params = Params::of_tables(workload.family, "", Scale::NONE);
                    parts.push((weight, (workload.scripts)(&params)));
                }
                Member::Stored(definition) => {
                    names.push((definition.name.clone(), weight));
                    parts.push((weight, definition.scripts.clone()));
                    mix.stored.push(definition);
                }
            }
        }
        check_weights(parts.iter().map(|(weight, _)| *weight))?;
        mix.scripts = spread(&parts)?;
        check_count(mix.scripts.len())?;
        mix.name = joined(names.iter().map(|(name, weight)| (name.as_str(), *weight)));
        Ok(mix)
    }

    /// The transaction type that the report shows, in pgbench's words.
    pub fn transaction_type(&self) -> String {
        match (self.scripts.as_slice(), self.workloads.as_slice()) {
            (_, [workload]) if self.stored.is_empty() => workload.description.to_owned(),
            ([_], []) => self.name.clone(),
            _ => "multiple scripts".to_owned(),
        }
    }
}

/// The call's own values, and those of the stored workloads for names that the call does not give.
pub fn with_defaults(
    argument: &str,
    given: BTreeMap<String, String>,
    stored: &[&Definition],
    of: fn(&Definition) -> &BTreeMap<String, String>,
) -> Result<BTreeMap<String, String>> {
    let mut defaults: BTreeMap<&str, (&str, &str)> = BTreeMap::new();
    for definition in stored {
        for (name, value) in of(definition) {
            let before = defaults.insert(name, (value, &definition.name));
            if let Some((_, other)) = before.filter(|(before, _)| before != value)
                && !given.contains_key(name)
            {
                return Err(hinted(
                    format!(
                        "workloads \"{other}\" and \"{}\" have different {argument} \"{name}\"",
                        definition.name
                    ),
                    &format!("Say which value to use: {argument} => '{{\"{name}\": ...}}'."),
                ));
            }
        }
    }
    let mut all: BTreeMap<String, String> = defaults
        .into_iter()
        .map(|(name, (value, _))| (name.to_owned(), value.to_owned()))
        .collect();
    all.extend(given);
    Ok(all)
}

/// A built-in workload by its name or, if no stored one has just that name, by the beginning of its name.
fn member(name: &str) -> Result<Member> {
    if let Some(workload) = workload::all().find(|built_in| built_in.name == name) {
        return Ok(Member::BuiltIn(workload));
    }
    if let Some(definition) = stored::find(name)? {
        return Ok(Member::Stored(definition));
    }
    match workload::find(name) {
        Err(workload::WorkloadError::UnknownWorkload { name, .. }) => {
            let stored = stored::names()?;
            Err(workload::WorkloadError::UnknownWorkload { name, stored }.into())
        }
        found => Ok(Member::BuiltIn(found?)),
    }
}

/// `name`, or `name@weight, name@weight`.
fn joined<'a>(names: impl Iterator<Item = (&'a str, u32)>) -> String {
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

/// The scripts of several workloads: each workload's weight is shared by its scripts in their own
/// proportions, as whole numbers. One workload alone keeps the weights that its scripts have.
fn spread(parts: &[(u32, Vec<ScriptSpec>)]) -> Result<Vec<ScriptSpec>> {
    if let [(_, scripts)] = parts {
        return Ok(scripts.clone());
    }
    let shares: Vec<Vec<u64>> = parts
        .iter()
        .map(|(_, scripts)| in_lowest_terms(scripts))
        .collect();
    let sums: Vec<u64> = shares.iter().map(|shares| shares.iter().sum()).collect();
    let scaled = || -> Option<Vec<ScriptSpec>> {
        let unit = sums
            .iter()
            .try_fold(1u64, |unit, &sum| (unit / gcd(unit, sum)).checked_mul(sum))?;
        let mut result = Vec::new();
        for (((weight, scripts), shares), sum) in parts.iter().zip(&shares).zip(&sums) {
            let factor = (unit / sum).checked_mul(u64::from(*weight))?;
            for (script, share) in scripts.iter().zip(shares) {
                let weight = u32::try_from(factor.checked_mul(*share)?).ok()?;
                let script = ScriptSpec::new(&script.name, &script.text, weight);
                result.push(Some(script).filter(|_| weight <= MAX_WEIGHT)?);
            }
        }
        Some(result)
    };
    scaled().ok_or_else(|| {
        hinted(
            format!("the weights of this mix need numbers above {MAX_WEIGHT}"),
            "Use smaller weights, in the mix or in the stored workloads.",
        )
    })
}

/// The weights of a workload's scripts, divided by their greatest common divisor.
fn in_lowest_terms(scripts: &[ScriptSpec]) -> Vec<u64> {
    let weights = scripts.iter().map(|script| u64::from(script.weight));
    let divisor = weights.clone().fold(0, gcd).max(1);
    weights.map(|weight| weight / divisor).collect()
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(weight: u32, weights: &[u32]) -> (u32, Vec<ScriptSpec>) {
        let scripts = weights
            .iter()
            .map(|&w| ScriptSpec::new("s", "SELECT 1;", w));
        (weight, scripts.collect())
    }

    fn weights(parts: &[(u32, Vec<ScriptSpec>)]) -> Option<Vec<u32>> {
        let scripts = spread(parts).ok()?;
        Some(scripts.iter().map(|script| script.weight).collect())
    }

    #[test]
    fn one_workload_keeps_its_weights() {
        assert_eq!(weights(&[part(7, &[2, 18])]), Some(vec![2, 18]));
    }

    #[test]
    fn scripts_share_the_weight_of_their_workload() {
        let spread = |parts: &[_]| weights(parts).unwrap();
        assert_eq!(spread(&[part(1, &[1]), part(9, &[1])]), [1, 9]);
        assert_eq!(spread(&[part(1, &[1]), part(1, &[2, 18])]), [10, 1, 9]);
        assert_eq!(
            spread(&[part(3, &[5]), part(1, &[1, 1]), part(1, &[1, 2])]),
            [18, 3, 3, 2, 4]
        );
        assert_eq!(spread(&[part(0, &[1, 2]), part(1, &[0, 4])]), [0, 0, 0, 3]);
    }

    #[test]
    fn weights_that_do_not_fit_are_refused() {
        assert_eq!(weights(&[part(MAX_WEIGHT, &[1]), part(1, &[1, 1])]), None);
        let primes: Vec<_> = [1_000_003, 1_000_033, 1_000_037, 1_000_039]
            .iter()
            .map(|&prime| part(1, &[1, prime - 1]))
            .collect();
        assert_eq!(weights(&primes), None);
    }
}
