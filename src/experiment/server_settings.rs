//! Settings of the server in `settings_grid`: those that a reload changes, and no session.

use super::error::SweepError;
use super::grid::{self, Axis, Part};
use crate::error::{Error, Result, sqlstate_code};
use crate::pg::catalog::role;
use crate::pg::process::{clock, latch, lock};
use crate::pg::server::{self, alter_system};
use crate::pg::session::setting;
use crate::pg::sql::spi;
use crate::pg::sql::subxact::subtransaction;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::time::Duration;

/// How long to wait for somebody who is just putting settings back.
const PUTTING_BACK_NS: u64 = 1_000_000_000;

/// The values that a sweep gives to each of them.
pub type ServerSettings = BTreeMap<String, Vec<String>>;

#[derive(Deserialize)]
struct Known {
    context: String,
    source: String,
}

fn known(name: &str) -> Result<Option<Known>> {
    spi::select_one(
        "SELECT s.context, s.source FROM pg_catalog.pg_settings s WHERE pg_catalog.lower(s.name) = $1",
        &[name.into()],
    )
}

/// What a setting belongs to.
pub fn part_of(name: &str) -> Result<Part> {
    let of_server = known(name)?.is_some_and(|known| known.context == "sighup");
    Ok(match of_server {
        true => Part::Server,
        false => Part::Setting,
    })
}

/// Those of a grid, checked: a caller who may change them, and values that the server takes.
pub fn of(axes: &[Axis]) -> Result<ServerSettings> {
    let of_server = axes
        .iter()
        .filter(|axis| axis.dimension.part == Part::Server);
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
    if known(name)?.is_some_and(|known| known.source == "command line") {
        return impossible("the command line of the server has set it");
    }
    if !alter_system::takes(name) {
        return impossible("a sweep cannot set it by ALTER SYSTEM");
    }
    for value in values {
        if value.contains('\n') {
            return impossible("ALTER SYSTEM takes no value of several lines");
        }
        subtransaction(|| setting::canonical_after_reload(name, value))
            .map_err(|error| refused(&error.sqlstate, error.message))?;
    }
    Ok(())
}

/// A setting with the value that it has to have, as the server would show it.
pub struct Expected {
    name: String,
    value: Option<String>,
}

/// Gives settings their values by ALTER SYSTEM, as the current user. In a transaction.
pub fn set(settings: &[(String, String)]) -> Vec<Expected> {
    let mut changed = false;
    let mut expected = Vec::new();
    for (name, value) in settings {
        expected.push(Expected {
            name: name.clone(),
            value: setting::canonical_after_reload(name, value),
        });
        if alter_system::line(name).as_ref() != Some(value) {
            alter_system::set(name, Some(value));
            changed = true;
        }
    }
    if changed {
        alter_system::reload();
    }
    expected
}

/// The first of them that this process does not have yet. Where it has all, the server has read its configuration, and
/// processes that it starts have them too.
pub fn missing(expected: &[Expected]) -> Option<&str> {
    expected
        .iter()
        .find(|expected| setting::text(&expected.name) != expected.value)
        .map(|expected| expected.name.as_str())
}
