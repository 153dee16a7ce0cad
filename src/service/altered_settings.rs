//! Settings of the server that a worker changes for a time by ALTER SYSTEM, and how they are put back.
//!
//! What ALTER SYSTEM had before is stored first, durably. The worker puts it back when it ends, whatever ends it, short of a
//! crash; after that, whoever comes next does. A setting to which somebody else has given another value meanwhile stays. So do those of
//! a sweep that waits for a restart of the server, which needs them.

use crate::catalog::node;
use crate::error::Result;
use crate::pg::catalog::role;
use crate::pg::process::{lock, worker};
use crate::pg::server::{self, alter_system};
use crate::pg::session::setting;
use crate::pg::sql::subxact::subtransaction;
use crate::pg::sql::{spi, xact};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// A setting that a sweep changes. The table has columns with these names.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Altered {
    node_id: String,
    pub sweep_id: i64,
    pub name: String,
    /// What ALTER SYSTEM had before; None: nothing.
    before_value: Option<String>,
    /// The values that the sweep gives it.
    given_values: Vec<String>,
    /// What the server had before, of a setting that needs a restart.
    in_force: Option<String>,
}

/// Why the server has to be restarted after a sweep.
const LAST_RESTART: &str = "the settings that the sweep changed are as before in the server's configuration, but in force only after a restart";

thread_local! {
    /// Those that this worker changes.
    static OWN: RefCell<Vec<Altered>> = const { RefCell::new(Vec::new()) };
}

/// Stores what ALTER SYSTEM has now of the settings that a sweep gives these values. In a transaction; once that has committed, they may be
/// changed. `restart`: those of them that need a restart.
pub fn remember(
    node_id: &str,
    sweep_id: i64,
    settings: &BTreeMap<String, Vec<String>>,
    restart: &BTreeSet<String>,
) -> Result<Vec<Altered>> {
    let altered: Vec<Altered> = settings
        .iter()
        .map(|(name, values)| Altered {
            node_id: node_id.to_owned(),
            sweep_id,
            name: name.clone(),
            before_value: alter_system::line(name),
            given_values: values.clone(),
            in_force: (restart.contains(name))
                .then(|| setting::text(name))
                .flatten(),
        })
        .collect();
    // The file outlives a crash, so this has to as well.
    setting::for_transaction("synchronous_commit", "local");
    role::as_owner(|| spi::insert_all("pgperf_internal.altered_settings", &altered))?;
    Ok(altered)
}

/// From now on the end of this worker puts them back.
pub fn put_back_at_exit(altered: Vec<Altered>) {
    OWN.with_borrow_mut(|own| *own = altered);
    worker::before_exit(|| {
        let own = OWN.take();
        if !own.is_empty() {
            xact::last_transaction(|| {
                // Not `any`: all of them.
                let changed = own.iter().filter(|altered| altered.put_back()).count();
                reload_after(changed);
            });
        }
    });
}

/// From now on it does not: they stay as they are.
pub fn leave() {
    OWN.take();
}

/// Those that a sweep has remembered.
pub fn of_sweep(node_id: &str, sweep_id: i64) -> Result<Vec<Altered>> {
    let mut altered = role::as_owner(|| of_node(node_id, "true"))?;
    altered.retain(|altered| altered.sweep_id == sweep_id);
    Ok(altered)
}

/// Puts back the settings of this database's sweeps, except those that wait for a restart, unless somebody is changing settings now. In a transaction.
pub fn put_back() -> Result<()> {
    if server::in_recovery() {
        return Ok(());
    }
    let altered = role::as_owner(|| of_this_node("w.settings IS NULL"))?;
    if altered.is_empty() || !lock::try_lock_server_settings() {
        return Ok(());
    }
    let mut changed = 0;
    for altered in altered {
        // One that is impossible keeps its row.
        match subtransaction(|| role::as_owner(|| altered.put_back_and_forget())) {
            Ok(done) => changed += usize::from(done?),
            Err(error) => {
                let Altered { sweep_id, name, .. } = &altered;
                server::log(&format!(
                    "pgperf sweep {sweep_id}: cannot put back \"{name}\": {}",
                    error.message
                ));
            }
        }
    }
    reload_after(changed);
    OWN.take();
    Ok(())
}

/// The settings that were left changed, with the caller's rights.
pub fn left_behind() -> Result<Vec<Altered>> {
    // One whose sweep waits is not left behind.
    let mut altered = of_this_node(
        "(w.settings IS NULL OR w.server_started_at <> pg_catalog.pg_postmaster_start_time())",
    )?;
    altered.retain(|altered| altered.is_changed() && !lock::sweep_lives(altered.sweep_id));
    Ok(altered)
}

fn of_this_node(condition: &str) -> Result<Vec<Altered>> {
    // A server without a node has no rows of its own.
    match node::known()? {
        Some(node) => of_node(&node, condition),
        None => Ok(Vec::new()),
    }
}

/// `condition`: of their sweep's row in `sweep_restarts`, w.
fn of_node(node_id: &str, condition: &str) -> Result<Vec<Altered>> {
    spi::select(
        &format!(
            "SELECT a.node_id, a.sweep_id, a.name, a.before_value, a.given_values, a.in_force \
               FROM pgperf_internal.altered_settings a LEFT JOIN pgperf_internal.sweep_restarts w USING (node_id, sweep_id) \
              WHERE a.node_id = $1::pg_catalog.uuid AND {condition} ORDER BY a.sweep_id DESC, a.name"
        ),
        &[node_id.into()],
    )
}

fn reload_after(changed: usize) {
    if changed > 0 {
        alter_system::reload();
    }
}

impl Altered {
    /// Whether ALTER SYSTEM has a value of the sweep.
    fn is_changed(&self) -> bool {
        let now = alter_system::line(&self.name);
        now != self.before_value && now.is_some_and(|value| self.given_values.contains(&value))
    }

    /// Whether there was something to change.
    fn put_back(&self) -> bool {
        let changed = self.is_changed();
        if changed {
            alter_system::set(&self.name, self.before_value.as_deref());
            let before = match &self.before_value {
                Some(value) => format!("'{value}'"),
                None => "no value".to_owned(),
            };
            server::log(&format!(
                "pgperf sweep {}: put back \"{}\", which had {before} by ALTER SYSTEM",
                self.sweep_id, self.name
            ));
        }
        changed
    }

    fn put_back_and_forget(&self) -> Result<bool> {
        let changed = self.put_back();
        if self.in_force.is_some() && setting::text(&self.name) != self.in_force {
            // No setting is NULL: nothing waits for it but the server itself.
            spi::execute(
                "INSERT INTO pgperf_internal.sweep_restarts (node_id, sweep_id, reason) VALUES ($1::pg_catalog.uuid, $2, $3) \
                 ON CONFLICT (node_id, sweep_id) DO UPDATE SET server_started_at = DEFAULT, settings = NULL, reason = excluded.reason",
                &[
                    self.node_id.as_str().into(),
                    self.sweep_id.into(),
                    LAST_RESTART.into(),
                ],
            )?;
        }
        spi::execute(
            "DELETE FROM pgperf_internal.altered_settings \
              WHERE node_id = $1::pg_catalog.uuid AND sweep_id = $2 AND name = $3",
            &[
                self.node_id.as_str().into(),
                self.sweep_id.into(),
                self.name.as_str().into(),
            ],
        )?;
        Ok(changed)
    }
}
