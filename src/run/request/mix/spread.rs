//! The scripts of several workloads as one list, with integer weights and distinct names.

use crate::error::{Result, hinted};
use crate::workload::{
    self,
    scripts::{MAX_WEIGHT, ScriptSpec},
};
use std::collections::{BTreeMap, BTreeSet};

/// The scripts of several workloads: each workload's weight is shared by its scripts in their own
/// proportions, as whole numbers. One workload alone keeps the weights that its scripts have.
pub fn spread(parts: &[(u32, Vec<ScriptSpec>)]) -> Result<Vec<ScriptSpec>> {
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
                let script = ScriptSpec {
                    weight,
                    ..script.clone()
                };
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

/// Puts the workload's name before names of scripts that several workloads have.
pub fn tell_apart(workloads: &[&str], parts: &mut [(u32, Vec<ScriptSpec>)]) {
    let mut owners: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for (workload, (_, scripts)) in workloads.iter().zip(parts.iter()) {
        for script in scripts {
            owners
                .entry(script.name.clone())
                .or_default()
                .insert(workload);
        }
    }
    for (workload, (_, scripts)) in workloads.iter().zip(parts) {
        for script in scripts {
            if owners
                .get(&script.name)
                .is_some_and(|owners| owners.len() > 1)
            {
                script.name = workload::script_name(workload, &script.name);
            }
        }
    }
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
    fn scripts_keep_all_but_their_weight() {
        let simple = ScriptSpec {
            simple: true,
            ..ScriptSpec::new("simple", "SELECT 2;", 1)
        };
        let parts = [part(1, &[1]), (2, vec![simple.clone()])];
        let [_, spread] = spread(&parts).unwrap().try_into().unwrap();
        assert_eq!(
            spread,
            ScriptSpec {
                weight: 2,
                ..simple
            }
        );
    }

    #[test]
    fn scripts_of_the_same_name_are_told_apart_by_their_workload() {
        let script = |name: &str| ScriptSpec::new(name, "SELECT 1;", 1);
        let mut parts = [
            (1, vec![script("payment"), script("one"), script("one")]),
            (1, vec![script("payment"), script("two")]),
        ];
        tell_apart(&["plain", "stored"], &mut parts);
        let scripts = parts.iter().flat_map(|(_, scripts)| scripts);
        let names: Vec<&str> = scripts.map(|script| script.name.as_str()).collect();
        assert_eq!(
            names,
            ["plain: payment", "one", "one", "stored: payment", "two"]
        );
        assert_eq!(workload::name_in_workload("tpcc-like: payment"), "payment");
        assert_eq!(
            workload::name_in_workload("plain: payment"),
            "plain: payment"
        );
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
