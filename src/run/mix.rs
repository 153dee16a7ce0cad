//! Which scripts a run draws from, and how often each.

use super::options::{Options, hinted, invalid};
use super::spec::ScriptSpec;
use crate::error::Result;
use crate::workload::{self, Workload};

const DEFAULT_WORKLOAD: &str = "tpcb-like";
/// As pgbench's limit on scripts.
const MAX_SCRIPTS: usize = 128;

/// The scripts of a run with their weights.
pub struct Mix {
    pub scripts: Vec<ScriptSpec>,
    /// The built-in workloads that take part.
    pub workloads: Vec<&'static Workload>,
    /// What the run calls its workload.
    pub name: String,
}

impl Mix {
    /// No scripts: what a load has.
    pub fn none() -> Mix {
        Mix {
            scripts: Vec::new(),
            workloads: Vec::new(),
            name: String::new(),
        }
    }

    /// The scripts that the arguments ask for.
    pub fn of(options: &Options) -> Result<Mix> {
        match (&options.workload, &options.script) {
            (Some(_), Some(_)) => Err(hinted(
                "script and workload exclude each other".to_owned(),
                "Give the name of a workload or the text of a script, not both.",
            )),
            (None, Some(text)) => Ok(Mix {
                scripts: vec![ScriptSpec {
                    name: "script".to_owned(),
                    text: text.clone(),
                    weight: 1,
                }],
                workloads: Vec::new(),
                name: "script".to_owned(),
            }),
            (workload, None) => Mix::parse(workload.as_deref().unwrap_or(DEFAULT_WORKLOAD)),
        }
    }

    /// What the report calls the transaction type, in pgbench's words.
    pub fn transaction_type(&self) -> String {
        match (self.scripts.as_slice(), self.workloads.first()) {
            ([_], Some(workload)) => workload.description.to_owned(),
            ([_], None) => self.name.clone(),
            _ => "multiple scripts".to_owned(),
        }
    }

    /// `'tpcb-like'`, or several with their weights: `'tpcb-like@1, select-only@9'`.
    pub fn parse(text: &str) -> Result<Mix> {
        let mut scripts = Vec::new();
        let mut workloads = Vec::new();
        for part in text.split(',').map(str::trim) {
            let (name, weight) = match part.rsplit_once('@') {
                Some((name, weight)) => (name.trim(), weight.trim().parse::<u32>().ok()),
                None => (part, Some(1)),
            };
            let weight = weight
                .filter(|&weight| weight <= i32::MAX as u32)
                .ok_or_else(|| {
                    invalid(format!(
                        "weight of workload \"{name}\" must be an integer from 0 to {}",
                        i32::MAX
                    ))
                })?;
            let workload = workload::find(name)?;
            scripts.push(ScriptSpec {
                name: workload.name.to_owned(),
                text: workload.script.to_owned(),
                weight,
            });
            workloads.push(workload);
        }
        if scripts.len() > MAX_SCRIPTS {
            return Err(invalid(format!(
                "at most {MAX_SCRIPTS} scripts are allowed in a mix"
            )));
        }
        if scripts.iter().all(|script| script.weight == 0) {
            return Err(invalid(
                "the total weight of a mix must not be zero".to_owned(),
            ));
        }
        let name = match scripts.as_slice() {
            [only] => only.name.clone(),
            several => several
                .iter()
                .map(|script| format!("{}@{}", script.name, script.weight))
                .collect::<Vec<_>>()
                .join(", "),
        };
        Ok(Mix {
            scripts,
            workloads,
            name,
        })
    }
}
