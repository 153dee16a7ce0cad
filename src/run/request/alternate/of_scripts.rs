//! Scripts of a run that take turns.

use super::{ARGUMENT, Alternation};
use crate::error::{Error, Result, hinted, invalid};
use crate::run::request::mix::Mix;
use measure::turns::Side;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// What the names of the sides are names of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Script,
    Workload,
}

/// The scripts of two sides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ScriptSides {
    pub kind: Kind,
    /// The names on sides A and B.
    pub names: [Vec<String>; 2],
    /// The weights of all scripts of the run on both sides; 0: not on that side.
    pub weights: [Vec<u32>; 2],
}

impl Kind {
    /// Its name in the argument.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Script => "script",
            Kind::Workload => "workload",
        }
    }
}

/// Takes the names of scripts or workloads out of the fields of the argument; the others are settings.
pub fn take(fields: &mut Map<String, Value>) -> Result<Option<ScriptSides>> {
    let mut found = None;
    for kind in [Kind::Script, Kind::Workload] {
        let Some(values) = fields.remove(kind.name()) else {
            continue;
        };
        let names = names(&values).ok_or_else(|| wrong(kind))?;
        let sides = ScriptSides {
            kind,
            names,
            weights: Default::default(),
        };
        if found.replace(sides).is_some() {
            return Err(hinted(
                format!("script and workload in {ARGUMENT} exclude each other"),
                "The sides are either scripts or workloads of the run.",
            ));
        }
    }
    Ok(found)
}

/// A name for each side, or several.
fn names(values: &Value) -> Option<[Vec<String>; 2]> {
    let side = |value: &Value| match value {
        Value::String(name) => Some(vec![name.clone()]),
        Value::Array(names) => names
            .iter()
            .map(|name| Some(name.as_str()?.to_owned()))
            .collect(),
        _ => None,
    };
    match values.as_array()?.as_slice() {
        [a, b] => Some([side(a)?, side(b)?]),
        _ => None,
    }
}

fn wrong(kind: Kind) -> Error {
    let kind = kind.name();
    hinted(
        format!(
            "\"{kind}\" in {ARGUMENT} must be an array of two names, or of two arrays of names"
        ),
        "For example: '{\"workload\": [\"tpcb-like\", \"simple-update\"]}'.",
    )
}

impl ScriptSides {
    /// The same sides where the scripts of the run are given by their texts.
    pub fn spelled_out(&self) -> Value {
        let side = |weights: &Vec<u32>| -> Vec<String> {
            let numbered = (1..).zip(weights).filter(|(_, weight)| **weight > 0);
            numbered
                .map(|(number, _)| format!("script {number}"))
                .collect()
        };
        self.weights.each_ref().map(side).as_slice().into()
    }

    /// What a side has: `workload = tpcb-like`.
    pub fn of_side(&self, side: Side) -> String {
        let [a, b] = &self.names;
        let names = match side {
            Side::A => a,
            Side::B => b,
        };
        format!("{} = {}", self.kind.name(), names.join(" + "))
    }

    /// Finds the scripts of both sides in the mix of the run.
    pub(super) fn find(&mut self, mix: &Mix) -> Result<()> {
        let there = mix.names(self.kind);
        for (names, weights) in self.names.iter().zip(&mut self.weights) {
            if let Some(name) = names.iter().find(|name| !there.contains(&name.as_str())) {
                return Err(not_there(self.kind, name, &there));
            }
            let scripts = mix.scripts.iter().zip(&there);
            *weights = scripts
                .map(|(script, name)| match names.iter().any(|it| it == name) {
                    true => script.weight,
                    false => 0,
                })
                .collect();
            if weights.iter().all(|&weight| weight == 0) {
                return Err(invalid(format!(
                    "a side of {ARGUMENT} has no {} with a weight above 0",
                    self.kind.name()
                )));
            }
        }
        let [a, b] = &self.weights;
        let mut each = mix.scripts.iter().zip(a.iter().zip(b));
        match each.find(|(script, (a, b))| script.weight > 0 && **a + **b == 0) {
            Some((script, _)) => Err(invalid(format!(
                "script \"{}\" of the run is on neither side of {ARGUMENT}",
                script.name
            ))),
            None => Ok(()),
        }
    }
}

fn not_there(kind: Kind, name: &str, there: &[&str]) -> Error {
    let names: BTreeSet<&str> = there.iter().copied().collect();
    let names: Vec<&str> = names.into_iter().collect();
    let hint = match names.as_slice() {
        [] => "The run has scripts, but no workloads: alternate => '{\"script\": [\"script 1\", \"script 2\"]}'.".to_owned(),
        names => format!("It has: {}.", names.join(", ")),
    };
    let kind = kind.name();
    hinted(
        format!("{ARGUMENT}: the run has no {kind} \"{name}\""),
        &hint,
    )
}

impl Alternation {
    /// # Errors
    /// The order of the scripts is given, or known before their turn begins, so that no side can choose.
    pub fn check_order(&self, ordered: bool) -> Result<()> {
        match &self.scripts {
            Some(_) if ordered => Err(invalid(format!(
                "scripts that terminals or streams of queries choose cannot take turns ({ARGUMENT})"
            ))),
            _ => Ok(()),
        }
    }
}
