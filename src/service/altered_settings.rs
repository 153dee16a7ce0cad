//! Settings of the server that a worker changes for a time by ALTER SYSTEM, and how they are put back.
//!
//! What ALTER SYSTEM had before is stored first, durably: in a table, and in a file that outlives the extension ([`journal`]). The worker
//! puts it back before its run or sweep is over, and tries until it is: a disk may be full. If the worker ends in another way, it tries
//! once. After a crash they are restored by the server's start (if preloaded), the next run or sweep, `stop_run`, `stop_sweep` and the like. A
//! setting to which somebody else has given another value meanwhile stays. So do those of a sweep that waits for a restart of the
//! server, which needs them.

mod journal;
mod left;
mod lost;

use crate::catalog::node;
use crate::error::Result;
use crate::pg::catalog::role;
use crate::pg::error::raise;
use crate::pg::process::{lock, worker};
use crate::pg::server::{self, alter_system};
use crate::pg::session::setting;
use crate::pg::sql::subxact::subtransaction;
use crate::pg::sql::{spi, xact};
use crate::service::guards::{self, Owner};
use journal::{Entry, Journal};
pub use left::{Left, Pause};
pub use lost::{lost, put_back_lost};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Who changes settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Changer {
    Sweep(i64),
    Run(i64),
}

impl Changer {
    fn sweep_id(self) -> Option<i64> {
        match self {
            Changer::Sweep(id) => Some(id),
            Changer::Run(_) => None,
        }
    }

    fn run_id(self) -> Option<i64> {
        match self {
            Changer::Sweep(_) => None,
            Changer::Run(id) => Some(id),
        }
    }

    fn lives(self) -> bool {
        match self {
            Changer::Sweep(id) => lock::sweep_lives(id),
            Changer::Run(id) => lock::leader_lives(id),
        }
    }
}

impl fmt::Display for Changer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Changer::Sweep(id) => write!(f, "sweep {id}"),
            Changer::Run(id) => write!(f, "run {id}"),
        }
    }
}

/// A setting that a sweep or run changes. The table has columns with these names.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Altered {
    node_id: String,
    sweep_id: Option<i64>,
    run_id: Option<i64>,
    pub name: String,
    /// What ALTER SYSTEM had before; None: nothing.
    before_value: Option<String>,
    /// The values that it is given.
    given_values: Vec<String>,
    /// What the server had before, of a setting that needs a restart.
    in_force: Option<String>,
}

/// Why the server has to be restarted after a sweep.
pub const LAST_RESTART: &str = "the settings that the sweep changed are as before in the server's configuration, but in force only after a restart";

thread_local! {
    /// Those that this worker changes.
    static OWN: RefCell<Vec<Altered>> = const { RefCell::new(Vec::new()) };
}

/// Stores what ALTER SYSTEM has now of the settings that are given these values. In a transaction; once that has committed, they may be
/// changed. `restart`: those of them that need a restart.
pub fn remember(
    node_id: &str,
    changer: Changer,
    settings: &BTreeMap<String, Vec<String>>,
    restart: &BTreeSet<String>,
) -> Result<Vec<Altered>> {
    let before = role::as_owner(|| before_restart(node_id))?;
    let in_force = |name: &String| before.get(name).cloned().or_else(|| setting::text(name));
    let altered: Vec<Altered> = settings
        .iter()
        .map(|(name, values)| Altered {
            node_id: node_id.to_owned(),
            sweep_id: changer.sweep_id(),
            run_id: changer.run_id(),
            name: name.clone(),
            before_value: alter_system::line(name),
            given_values: values.clone(),
            in_force: (restart.contains(name)).then(|| in_force(name)).flatten(),
        })
        .collect();
    Journal::read()?.remember(&altered)?;
    // The file outlives a crash, so this has to as well.
    setting::for_transaction("synchronous_commit", "local");
    role::as_owner(|| spi::insert_all("pgperf_internal.altered_settings", &altered))?;
    Ok(altered)
}

/// What the server is to have again after a restart that has not been yet: a sweep that begins or goes on before it finds values of sweeps in
/// force.
fn before_restart(node_id: &str) -> Result<BTreeMap<String, String>> {
    #[derive(Deserialize)]
    struct Before {
        name: String,
        value: String,
    }
    let before: Vec<Before> = spi::select(
        "SELECT b.key AS name, b.value FROM pgperf_internal.sweep_restarts w, pg_catalog.jsonb_each_text(w.in_force) b \
          WHERE w.node_id = $1::pg_catalog.uuid AND w.server_started_at = pg_catalog.pg_postmaster_start_time()",
        &[node_id.into()],
    )?;
    let before = before.into_iter().map(|it| (it.name, it.value));
    Ok(before.collect())
}

/// From now on the end of this worker puts them back.
pub fn put_back_at_exit(altered: Vec<Altered>) {
    OWN.with_borrow_mut(|own| *own = altered);
    worker::before_exit(|| {
        let own = OWN.take();
        if !own.is_empty() {
            xact::last_transaction(|| put_back_last(&own));
        }
    });
}

/// The same of a sweep that goes for good, with the database or the extension, also where it waits for a restart.
pub fn put_back_at_exit_for_good(changer: Changer) {
    match Journal::read() {
        Ok(journal) => put_back_at_exit(journal.of(changer)),
        Err(error) => server::log(&format!("pgperf {changer}: {error}")),
    }
}

/// The rows stay: whoever comes next finds that nothing is left to be done.
fn put_back_last(own: &[Altered]) {
    let left = put_back_each(own, |altered| Ok(altered.put_back()));
    let is_own = |entry: &Entry| own.iter().any(|altered| entry.stands_for(altered));
    // Else the guards try again, or whoever comes next.
    if left.is_empty() && Journal::read().is_ok_and(|mut it| it.forget(is_own).is_ok()) {
        // A server that was killed still needs them.
        let sweep = own.first().and_then(|altered| altered.sweep_id);
        if let Some(sweep_id) = sweep.filter(|_| worker::postmaster_lives()) {
            guards::end(Owner::of(sweep_id));
        }
    }
}

/// Whether this worker has changed any.
pub fn any() -> bool {
    OWN.with_borrow(|own| !own.is_empty())
}

/// Puts them back in postgresql.auto.conf, and remembers them still. In a transaction.
pub fn put_back_lines(altered: &[Altered]) {
    // Not `any`: all of them.
    let changed = altered.iter().filter(|altered| altered.put_back()).count();
    reload_after(changed);
}

/// Does that with each; those that fail are left, and logged.
fn put_back_each(altered: &[Altered], put_back: impl Fn(&Altered) -> Result<bool>) -> Left {
    let mut left = Left::default();
    let mut changed = 0;
    for altered in altered {
        let done = subtransaction(|| put_back(altered).unwrap_or_else(|error| raise(error)));
        match done {
            Ok(done) => changed += usize::from(done),
            Err(error) => {
                altered.log(&format!(
                    "cannot put back \"{}\": {}",
                    altered.name, error.message
                ));
                left.0.push((altered.clone(), error));
            }
        }
    }
    reload_after(changed);
    left
}

/// From now on it does not: they stay as they are.
pub fn leave() {
    OWN.take();
}

/// Those that a sweep or run has remembered.
pub fn of(node_id: &str, changer: Changer) -> Result<Vec<Altered>> {
    let mut altered = role::as_owner(|| of_node(node_id, "true"))?;
    altered.retain(|altered| altered.changer() == Some(changer));
    Ok(altered)
}

/// Puts back the settings that sweeps and runs of this database have changed, except those of sweeps that wait for a restart, unless somebody is
/// changing settings now; and those of which only the journal knows. In a transaction.
pub fn put_back() -> Result<Left> {
    if server::in_recovery() {
        return Ok(Left::default());
    }
    let altered = role::as_owner(|| of_this_node("w.settings IS NULL"))?;
    let database = u32::from(server::database());
    let concerns = |entry: &Entry| entry.database == database || lost::is_lost(entry);
    let nothing = altered.is_empty() && !Journal::read()?.entries().iter().any(concerns);
    if nothing || !lock::try_lock_server_settings() {
        return Ok(Left::default());
    }
    // One that is impossible keeps its row.
    let left = put_back_each(&altered, |altered| {
        role::as_owner(|| altered.put_back_and_forget())
    });
    let rows = role::as_owner(|| of_this_node("true"))?;
    let has_row = |entry: &Entry| rows.iter().any(|row| entry.stands_for(row));
    role::as_owner(|| lost::put_back_entries(|entry| concerns(entry) && !has_row(entry)))?;
    if left.is_empty() {
        OWN.take();
    }
    Ok(left)
}

/// The settings that were left changed, with the caller's rights.
pub fn left_behind() -> Result<Vec<Altered>> {
    // One whose sweep waits is not left behind.
    let mut altered = of_this_node(
        "(w.settings IS NULL OR w.server_started_at <> pg_catalog.pg_postmaster_start_time())",
    )?;
    altered.retain(|altered| altered.is_changed() && altered.is_left());
    Ok(altered)
}

/// Puts back, and forgets, what sweeps and runs that live no more have left. In a transaction.
pub fn put_back_left_behind() -> Result<Left> {
    let altered = role::as_owner(|| of_this_node("w.settings IS NULL"))?;
    match altered.iter().any(Altered::is_left)
        || Journal::read()?.entries().iter().any(lost::is_lost)
    {
        true => put_back(),
        false => Ok(Left::default()),
    }
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
            "SELECT a.node_id, a.sweep_id, a.run_id, a.name, a.before_value, a.given_values, a.in_force \
               FROM pgperf_internal.altered_settings a LEFT JOIN pgperf_internal.sweep_restarts w USING (node_id, sweep_id) \
              WHERE a.node_id = $1::pg_catalog.uuid AND {condition} ORDER BY a.run_id DESC NULLS LAST, a.sweep_id DESC, a.name"
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
    /// Who has changed it; None: a row that is neither's.
    pub fn changer(&self) -> Option<Changer> {
        let run = || self.run_id.map(Changer::Run);
        self.sweep_id.map(Changer::Sweep).or_else(run)
    }

    /// Whether nobody who has changed it lives.
    fn is_left(&self) -> bool {
        !self.changer().is_some_and(Changer::lives)
    }

    fn log(&self, message: &str) {
        if let Some(changer) = self.changer() {
            server::log(&format!("pgperf {changer}: {message}"));
        }
    }

    /// Whether it is the same setting of the same sweep or run.
    fn has_key_of(&self, other: &Altered) -> bool {
        self.node_id == other.node_id
            && self.changer() == other.changer()
            && self.name == other.name
    }

    fn has_given(&self, line: Option<&String>) -> bool {
        line.is_some_and(|value| self.given_values.contains(value))
    }

    /// Whether ALTER SYSTEM has a value that it was given.
    fn is_changed(&self) -> bool {
        let now = alter_system::line(&self.name);
        now != self.before_value && self.has_given(now.as_ref())
    }

    /// Says so where a value that was given is still in force, and nothing else can say it.
    fn log_restart(&self) {
        let now = setting::text(&self.name);
        if self.in_force.is_some() && now != self.in_force {
            let now = now.unwrap_or_default();
            self.log(&format!(
                "\"{}\" is {now} until the server is restarted",
                self.name
            ));
        }
    }

    /// The lines of postgresql.auto.conf that the sweep may write, each with the one that it replaces.
    pub fn file_lines(&self) -> Vec<(Vec<u8>, Vec<u8>)> {
        let line = |value: &String| alter_system::file_line(&self.name, value);
        let before = self.before_value.as_ref().map(line).unwrap_or_default();
        let given = self.given_values.iter().map(line);
        given.map(|given| (given, before.clone())).collect()
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
            self.log(&format!(
                "put back \"{}\", which had {before} by ALTER SYSTEM",
                self.name
            ));
        }
        changed
    }

    /// Stores that the server has to be restarted, if it does not have the value from before, and nobody has given it another one since.
    fn demand_restart(&self) -> Result<()> {
        let Some(before) = &self.in_force else {
            return Ok(());
        };
        if setting::text(&self.name).as_ref() == Some(before)
            || alter_system::line(&self.name) != self.before_value
        {
            return Ok(());
        }
        // No setting is NULL: nothing waits for it but the server itself.
        spi::execute(
            "INSERT INTO pgperf_internal.sweep_restarts AS w (node_id, sweep_id, reason, in_force) \
             VALUES ($1::pg_catalog.uuid, $2, $3, pg_catalog.jsonb_build_object($4, $5)) \
             ON CONFLICT (node_id, sweep_id) DO UPDATE \
                SET server_started_at = DEFAULT, settings = NULL, reason = excluded.reason, \
                    in_force = CASE w.server_started_at WHEN excluded.server_started_at THEN COALESCE(w.in_force, '{}') ELSE '{}' END \
                               OPERATOR(pg_catalog.||) excluded.in_force",
            &[
                self.node_id.as_str().into(),
                self.sweep_id.into(),
                LAST_RESTART.into(),
                self.name.as_str().into(),
                before.as_str().into(),
            ],
        )?;
        Ok(())
    }

    fn put_back_and_forget(&self) -> Result<bool> {
        let changed = self.put_back();
        self.demand_restart()?;
        Journal::read()?.forget(|entry| entry.stands_for(self))?;
        spi::execute(
            "DELETE FROM pgperf_internal.altered_settings \
              WHERE node_id = $1::pg_catalog.uuid AND sweep_id IS NOT DISTINCT FROM $2 AND run_id IS NOT DISTINCT FROM $3 AND name = $4",
            &[
                self.node_id.as_str().into(),
                self.sweep_id.into(),
                self.run_id.into(),
                self.name.as_str().into(),
            ],
        )?;
        Ok(changed)
    }
}
