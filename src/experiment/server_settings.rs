//! Settings of the server in `settings_grid`: those that no session can change, but a reload or a restart.

use super::error::SweepError;
use super::grid::{self, Axis, Part};
use crate::error::{Error, Result, sqlstate_code};
use crate::pg::catalog::role;
use crate::pg::process::{clock, latch, lock};
use crate::pg::server::{self, alter_system};
use crate::pg::session::setting;
use crate::pg::sql::spi;
use crate::pg::sql::subxact::subtransaction;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// How long to wait for somebody who is just putting settings back.
const PUTTING_BACK_NS: u64 = 1_000_000_000;

/// The values that a sweep gives to each of them.
pub type ServerSettings = BTreeMap<String, Vec<String>>;

/// The restarts of the server that a sweep needs.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Restarts {
    /// The settings that need them.
    pub settings: BTreeSet<String>,
    /// How many runs there are from one restart to the next.
    pub runs: i32,
}

impl Restarts {
    /// None: no axis needs one.
    pub fn of(axes: &[Axis], repetitions: usize) -> Option<Restarts> {
        let (with, without): (Vec<&Axis>, Vec<&Axis>) = axes
            .iter()
            .partition(|axis| axis.dimension.part == Part::Restart);
        let points: usize = without.iter().map(|axis| axis.values.len()).product();
        (!with.is_empty()).then(|| Restarts {
            settings: (with.iter().map(|axis| axis.dimension.name.clone())).collect(),
            runs: (points * repetitions) as i32,
        })
    }
}

#[derive(Deserialize)]
struct Known {
    context: String,
    source: String,
    vartype: String,
}

fn known(name: &str) -> Result<Option<Known>> {
    spi::select_one(
        "SELECT s.context, s.source, s.vartype FROM pg_catalog.pg_settings s WHERE pg_catalog.lower(s.name) = $1",
        &[name.into()],
    )
}

/// What a setting belongs to.
pub fn part_of(name: &str) -> Result<Part> {
    let known = known(name)?;
    Ok(match known.as_ref().map(|known| known.context.as_str()) {
        Some("sighup") => Part::Server,
        Some("postmaster") => Part::Restart,
        _ => Part::Setting,
    })
}

/// Those of a grid, checked: a caller who may change them, and values that the server takes.
pub fn of(axes: &[Axis]) -> Result<ServerSettings> {
    let of_server = axes
        .iter()
        .filter(|axis| matches!(axis.dimension.part, Part::Server | Part::Restart));
    let settings: ServerSettings = of_server
        .map(|axis| {
            let values = axis.values.iter().map(grid::text).collect();
            (axis.dimension.name.clone(), values)
        })
        .collect();
    if let Some(name) = settings.keys().next() {
        check_roles(name)?;
        check_nobody_else()?;
    }
    for (name, values) in &settings {
        check(name, values)?;
    }
    Ok(settings)
}

fn check_roles(name: &str) -> Result<()> {
    let refused = |message: String, hint: &str| -> Result<()> {
        Err(SweepError::NoServerSettings {
            message,
            hint: hint.to_owned(),
        }
        .into())
    };
    if !server::is_superuser(server::current_role()) {
        return refused(
            format!("must be superuser to sweep \"{name}\", a setting of the whole server"),
            "settings_grid takes any setting that SET can change in a session of your own.",
        );
    }
    if !server::is_superuser(role::extension_owner()) {
        return refused(
            format!("the owner of the extension must be a superuser to sweep \"{name}\""),
            "After a crash it is the owner who puts the setting back.",
        );
    }
    Ok(())
}

/// Two sweeps would put back what the other has set. Those of other databases count, too.
fn check_nobody_else() -> Result<()> {
    let deadline = clock::now() + PUTTING_BACK_NS;
    while lock::server_settings_are_held() {
        if clock::now() > deadline {
            return Err(SweepError::ServerSettingsBusy.into());
        }
        latch::wait(Duration::from_millis(10));
    }
    Ok(())
}

fn check(name: &str, values: &[String]) -> Result<()> {
    let refused = |sqlstate: &str, reason: String| -> Error {
        SweepError::ServerSetting {
            name: name.to_owned(),
            sqlstate: sqlstate_code(sqlstate),
            reason,
        }
        .into()
    };
    let impossible = |reason: &str| Err(refused("0A000", reason.to_owned()));
    if setting::text("allow_alter_system").is_some() && !setting::is_on("allow_alter_system") {
        return impossible("allow_alter_system is off");
    }
    let known = known(name)?;
    let with_restart = (known.as_ref()).is_some_and(|known| known.context == "postmaster");
    if known.is_some_and(|known| known.source == "command line") {
        return impossible("the command line of the server has set it");
    }
    if with_restart && waits_for_a_restart(name)? {
        return Err(refused(
            "55000",
            "a change of it already waits for a restart".to_owned(),
        ));
    }
    if !alter_system::takes(name) {
        return impossible("a sweep cannot set it by ALTER SYSTEM");
    }
    for value in values {
        if value.contains('\n') {
            return impossible("ALTER SYSTEM takes no value of several lines");
        }
        subtransaction(|| match with_restart {
            true => setting::check_for_start(name, value),
            false => drop(setting::canonical_after_reload(name, value)),
        })
        .map_err(|error| refused(&error.sqlstate, error.message))?;
    }
    Ok(())
}

/// Whether its value in the server's configuration is not the one in force.
fn waits_for_a_restart(name: &str) -> Result<bool> {
    role::as_owner(|| {
        spi::holds(
            "EXISTS (SELECT FROM pg_catalog.pg_file_settings f \
                      WHERE pg_catalog.lower(f.name) = $1 AND f.error IS NOT NULL)",
            &[name.into()],
        )
    })
}

/// A value that means the same however it is spelled, of a setting that needs a restart.
pub fn meaning(name: &str, value: &str) -> Result<Option<String>> {
    let vartype = known(name)?.map(|known| known.vartype);
    Ok(vartype.and_then(|vartype| setting::parsed(name, &vartype, value)))
}

/// Whether the server has this value, which it needs a restart for, and has it from ALTER SYSTEM. It is the server's own code that
/// compares.
pub fn is_in_force(name: &str, value: &str) -> Result<bool> {
    role::as_owner(|| {
        spi::holds(
            "EXISTS (SELECT FROM pg_catalog.pg_file_settings f \
                       JOIN pg_catalog.pg_settings s ON pg_catalog.lower(s.name) = pg_catalog.lower(f.name) \
                      WHERE pg_catalog.lower(f.name) = $1 AND f.setting = $2 AND f.applied \
                        AND f.sourcefile LIKE '%postgresql.auto.conf' AND s.source <> 'command line')",
            &[name.into(), value.into()],
        )
    })
}

/// A setting with the value that it has to have, as the server would show it.
pub struct Expected {
    name: String,
    value: Option<String>,
}

/// Gives settings their values by ALTER SYSTEM, as the current user, and what the server shows once it has read them. In
/// a transaction.
pub fn set(settings: &[(String, String)]) -> Vec<Expected> {
    let expected = |(name, value): &(String, String)| Expected {
        name: name.clone(),
        value: setting::canonical_after_reload(name, value),
    };
    let expected = settings.iter().map(expected).collect();
    write(settings);
    expected
}

/// Gives settings their values by ALTER SYSTEM, as the current user. In a transaction.
pub fn write(settings: &[(String, String)]) {
    let mut changed = false;
    for (name, value) in settings {
        if alter_system::line(name).as_ref() != Some(value) {
            alter_system::set(name, Some(value));
            changed = true;
        }
    }
    if changed {
        alter_system::reload();
    }
}

/// The first of them that this process does not have yet. Where it has all, the server has read its configuration, and
/// processes that it starts have them too.
pub fn missing(expected: &[Expected]) -> Option<&str> {
    expected
        .iter()
        .find(|expected| setting::text(&expected.name) != expected.value)
        .map(|expected| expected.name.as_str())
}
