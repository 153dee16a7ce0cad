//! The work of a run: its clients run scripts, or they load a data set. All differences between the two are decided
//! here.

use super::spec::Spec;
use crate::error::Result;
use crate::run::replay::spec::ReplaySpec;
use crate::workload::own::Own;
use crate::workload::scripts::parse;
use crate::workload::{self, Family, Params, Step, distribution};
use script::{Script, Symbols};
use serde::{Deserialize, Serialize};

/// The kinds of work. A stored specification has `load`, which is null if the clients run scripts.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(from = "StoredWork", into = "StoredWork")]
pub enum Work {
    Scripts,
    Load(LoadSpec),
    /// Its clients play a capture again.
    Replay(Box<ReplaySpec>),
}

/// The data set that a load creates.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LoadSpec {
    pub workload: String,
    pub options: Params,
    /// Rows that will be inserted, if that is known.
    pub rows: u64,
    /// The data set of a stored workload, as it was when the load was started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own: Option<Box<Own>>,
}

/// A command of a run: one of a script, or a step of a load.
pub struct CommandName {
    pub script_no: usize,
    pub script: String,
    pub command_no: usize,
    pub text: String,
    pub is_sql: bool,
    /// A step of a load.
    pub is_step: bool,
}

#[derive(Serialize, Deserialize)]
struct StoredWork {
    load: Option<LoadSpec>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    replay: Option<Box<ReplaySpec>>,
}

impl From<StoredWork> for Work {
    fn from(stored: StoredWork) -> Work {
        match (stored.load, stored.replay) {
            (Some(load), _) => Work::Load(load),
            (None, Some(replay)) => Work::Replay(replay),
            (None, None) => Work::Scripts,
        }
    }
}

impl From<Work> for StoredWork {
    fn from(work: Work) -> StoredWork {
        let (load, replay) = match work {
            Work::Scripts => (None, None),
            Work::Load(load) => (Some(load), None),
            Work::Replay(replay) => (None, Some(replay)),
        };
        StoredWork { load, replay }
    }
}

impl LoadSpec {
    /// The family whose data set it loads.
    ///
    /// # Errors
    /// The library no longer has it.
    pub fn family(&self) -> Result<&dyn Family> {
        match &self.own {
            Some(own) => Ok(own.as_ref()),
            None => Ok(workload::find(&self.workload)?.family),
        }
    }

    /// Its steps. Its options were checked before it was stored: there are none only if the library has changed.
    fn steps(&self) -> Vec<Step> {
        let steps = self
            .family()
            .and_then(|family| family.data_set(&self.options));
        steps.unwrap_or_default()
    }
}

impl Work {
    /// Its name in `pgperf.runs`.
    pub fn kind(&self) -> &'static str {
        match self {
            Work::Scripts | Work::Replay(_) => "run",
            Work::Load(_) => "load",
        }
    }

    /// Whether it puts tables onto other nodes.
    pub fn distributes(&self) -> bool {
        match self {
            Work::Scripts | Work::Replay(_) => false,
            Work::Load(load) => distribution::is_in(&load.options),
        }
    }

    /// Whether it draws random numbers.
    pub fn draws(&self) -> bool {
        matches!(self, Work::Scripts)
    }

    /// Whether all of its statements reach the server in the same way. Those of a replay do so as they did in the capture.
    pub fn has_query_mode(&self) -> bool {
        !matches!(self, Work::Replay(_))
    }

    /// Whether its clients have transactions that they can finish soon, when the run is stopped.
    pub fn finishes_soon(&self) -> bool {
        !matches!(self, Work::Load(_))
    }

    /// Whether the wait events of its clients are of interest: those of a load write, and wait for the disk.
    pub fn has_waits(&self) -> bool {
        !matches!(self, Work::Load(_))
    }

    /// How much it has done, in its own unit: transactions, or rows inserted.
    pub fn done(&self, transactions: u64, rows: u64) -> u64 {
        match self {
            Work::Scripts | Work::Replay(_) => transactions,
            Work::Load(_) => rows,
        }
    }

    /// The titles of its steps, if its first client makes each of them once, one after the other.
    pub fn steps(&self) -> Option<Vec<&'static str>> {
        match self {
            Work::Scripts | Work::Replay(_) => None,
            Work::Load(load) => Some(load.steps().iter().map(|step| step.title).collect()),
        }
    }

    /// How many commands it has; `scripts`: those of the run.
    pub fn command_count(&self, scripts: &[Script]) -> usize {
        match self {
            Work::Scripts => scripts.iter().map(|script| script.commands.len()).sum(),
            Work::Load(load) => load.steps().len(),
            Work::Replay(replay) => replay.statements.len(),
        }
    }
}

impl Spec {
    /// All commands of a run, in the order in which they are numbered over all scripts.
    pub fn commands(&self) -> Vec<CommandName> {
        match &self.work {
            Work::Scripts => script_commands(self),
            Work::Load(load) => load_commands(load),
            Work::Replay(replay) => replayed_commands(replay),
        }
    }
}

fn load_commands(load: &LoadSpec) -> Vec<CommandName> {
    let steps = load.steps().into_iter().enumerate();
    steps
        .map(|(command_no, step)| CommandName {
            script_no: 0,
            script: load.workload.clone(),
            command_no,
            text: step.title.to_owned(),
            is_sql: true,
            is_step: true,
        })
        .collect()
}

fn replayed_commands(replay: &ReplaySpec) -> Vec<CommandName> {
    let statements = replay.statements.iter().enumerate();
    statements
        .map(|(command_no, text)| CommandName {
            script_no: 0,
            script: replay.capture.clone(),
            command_no,
            text: text.clone(),
            is_sql: true,
            is_step: false,
        })
        .collect()
}

/// The leader has parsed the scripts before; they cannot fail now. The warm-up's commands come last; its errors refer
/// to them.
fn script_commands(spec: &Spec) -> Vec<CommandName> {
    let mut symbols = Symbols::new();
    let scripts: Vec<Script> = [&spec.scripts, &spec.warmup_scripts]
        .into_iter()
        .flat_map(|scripts| parse(scripts, &mut symbols).unwrap_or_default())
        .collect();
    let mut commands = Vec::new();
    for (script_no, script) in scripts.iter().enumerate() {
        for (command_no, command) in script.commands.iter().enumerate() {
            commands.push(CommandName {
                script_no,
                script: script.name.clone(),
                command_no,
                text: command.text.clone(),
                is_sql: command.kind.runs_on_server(),
                is_step: false,
            });
        }
    }
    commands
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// As 1.0.0 and 1.1.0 stored them.
    #[test]
    fn stored_specifications_stay_readable() {
        let scripts: Work = serde_json::from_value(json!({"load": null})).unwrap();
        assert_eq!((scripts.kind(), scripts.steps()), ("run", None));
        assert_eq!(
            serde_json::to_value(&scripts).unwrap(),
            json!({"load": null})
        );
        let stored = json!({"load": {"workload": "tpcb-like", "rows": 100011, "options": {
            "schema": "public", "scale": 1, "fillfactor": 100, "steps": "dtgvp", "foreign_keys": false, "unlogged": false,
            "tablespace": null, "index_tablespace": null, "partitions": 0, "partition_method": null, "jobs": 2}}});
        let load: Work = serde_json::from_value(stored.clone()).unwrap();
        assert_eq!(load.kind(), "load");
        let steps = [
            "drop tables",
            "create tables",
            "bulk generate",
            "vacuum",
            "primary keys",
        ];
        assert_eq!(load.steps(), Some(steps.to_vec()));
        assert_eq!(load.command_count(&[]), 5);
        assert_eq!(serde_json::to_value(&load).unwrap(), stored);
    }
}
