//! Scripts with their weights, given by a call or stored as a workload.

use crate::error::{Result, hinted, invalid};
pub use engine::{Pace, ScriptSpec, parse_scripts as parse};

/// The same as pgbench's limit on scripts.
const MAX_SCRIPTS: usize = 128;

/// The same as pgbench's limit on a weight.
pub const MAX_WEIGHT: u32 = i32::MAX as u32;

/// The scripts of a call that gives their texts; None if it gives none. Several scripts are numbered.
pub fn given_scripts(
    script: Option<&str>,
    scripts: Option<&[Option<String>]>,
    weights: Option<&[Option<i32>]>,
    name: &str,
) -> Result<Option<Vec<ScriptSpec>>> {
    let Some(scripts) = scripts else {
        if weights.is_some() {
            return Err(hinted(
                "weights needs scripts".to_owned(),
                "The weights of a workload are part of its name: 'tpcb-like@1, select-only@9'.",
            ));
        }
        return Ok(script.map(|text| vec![ScriptSpec::new(name, text, 1)]));
    };
    if scripts.is_empty() {
        return Err(invalid("scripts must not be empty".to_owned()));
    }
    check_count(scripts.len())?;
    if let Some(weights) = weights.filter(|weights| weights.len() != scripts.len()) {
        return Err(invalid(format!(
            "scripts and weights must have the same number of elements, not {} and {}",
            scripts.len(),
            weights.len()
        )));
    }
    let mut result = Vec::new();
    for (i, script) in scripts.iter().enumerate() {
        let number = i + 1;
        let text = script
            .as_deref()
            .ok_or_else(|| invalid(format!("script {number} must not be NULL")))?;
        let weight = match weights.map(|weights| weights.get(i).copied().flatten()) {
            None => 1,
            Some(weight) => weight
                .and_then(|weight| u32::try_from(weight).ok())
                .ok_or_else(|| {
                    invalid(format!(
                        "weight of script {number} must be an integer from 0 to {MAX_WEIGHT}"
                    ))
                })?,
        };
        result.push(ScriptSpec::new(&format!("{name} {number}"), text, weight));
    }
    check_weights(result.iter().map(|script| script.weight))?;
    Ok(Some(result))
}

pub fn check_count(scripts: usize) -> Result<()> {
    if scripts > MAX_SCRIPTS {
        return Err(invalid(format!(
            "at most {MAX_SCRIPTS} scripts are allowed in a mix, not {scripts}"
        )));
    }
    Ok(())
}

pub fn check_weights(mut weights: impl Iterator<Item = u32>) -> Result<()> {
    if weights.all(|weight| weight == 0) {
        return Err(invalid(
            "the total weight of a mix must not be zero".to_owned(),
        ));
    }
    Ok(())
}
