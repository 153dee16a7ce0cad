//! Settings of the whole server that a run or a sweep changes by ALTER SYSTEM: who may do that, the values that the server takes, and how it
//! gets them. How they are put back: [`super::altered_settings`].

use crate::error::{Error, Result, failure, sqlstate_code};
use crate::pg::catalog::role;
use crate::pg::process::{clock, latch, lock};
use crate::pg::server::{self, alter_system};
use crate::pg::session::setting;
use crate::pg::sql::spi;
use crate::pg::sql::subxact::subtransaction;
use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use serde::Deserialize;
use std::time::Duration;

/// How long a reload may take; it takes milliseconds.
pub const RELOAD_NS: u64 = 30_000_000_000;
/// How long to wait for somebody who is just putting settings back.
const PUTTING_BACK_NS: u64 = 1_000_000_000;

/// What it takes to change a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// A session can; or nobody knows it.
    Session,
    /// A session gets it when it begins.
    NewSession,
    /// The server reads it again while it runs.
    Reload,
    Restart,
    /// It cannot be changed.
    Fixed,
}

/// A setting as the caller sees it.
#[derive(Deserialize)]
pub struct Known {
    context: String,
    source: String,
    pub vartype: String,
}

/// None: there is no such setting, or the caller may not see it.
pub fn known(name: &str) -> Result<Option<Known>> {
    spi::select_one(
        "SELECT s.context, s.source, s.vartype FROM pg_catalog.pg_settings s WHERE pg_catalog.lower(s.name) = $1",
        &[name.into()],
    )
}

pub fn scope(name: &str) -> Result<Scope> {
    Ok(known(name)?.map_or(Scope::Session, |known| known.scope()))
}

impl Known {
    fn scope(&self) -> Scope {
        match self.context.as_str() {
            "internal" => Scope::Fixed,
            "postmaster" => Scope::Restart,
            "sighup" => Scope::Reload,
            "backend" | "superuser-backend" => Scope::NewSession,
            _ => Scope::Session,
        }
    }
}

/// Checks that settings of the server, of which this is one, may be changed now by the caller. `argument`: what names them.
///
/// # Errors
/// The caller or the owner of the extension lacks the right, or somebody else changes some.
pub fn check_caller(argument: &'static str, name: &str) -> Result<()> {
    let refused = |message: String, hint: &str| -> Result<()> {
        Err(failure(PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE, message).hinting(hint))
    };
    if !server::is_superuser(server::current_role()) {
        return refused(
            format!("must be superuser to change \"{name}\", a setting of the whole server"),
            &format!("{argument} takes any setting that SET can change in a session of your own."),
        );
    }
    if !server::is_superuser(role::extension_owner()) {
        return refused(
            format!("the owner of the extension must be a superuser to change \"{name}\""),
            "After a crash it is the owner who puts the setting back.",
        );
    }
    check_nobody_else()
}

/// Two would put back what the other has set. Those of other databases count, too.
fn check_nobody_else() -> Result<()> {
    let deadline = clock::now() + PUTTING_BACK_NS;
    while lock::server_settings_are_held() {
        if clock::now() > deadline {
            return Err(failure(
                PgSqlErrorCode::ERRCODE_OBJECT_IN_USE,
                "a sweep or run changes settings of this server",
            )
            .hinting(
                "It may be in another database: its worker is in pg_stat_activity as pgperf sweep or pgperf leader. Wait until it has ended.",
            ));
        }
        latch::wait(Duration::from_millis(10));
    }
    Ok(())
}

/// Checks that the server takes these values of a setting.
///
/// # Errors
/// The first one that it does not take, or why nothing can be changed.
pub fn check(argument: &'static str, name: &str, values: &[String]) -> Result<()> {
    let refused = |sqlstate: &str, reason: String| -> Error {
        failure(
            sqlstate_code(sqlstate),
            format!("setting \"{name}\" cannot be set for the server: {reason}"),
        )
        .hinting(format!(
            "{argument} accepts parameters of a session and those of the server that ALTER SYSTEM can set."
        ))
    };
    let impossible = |reason: &str| Err(refused("0A000", reason.to_owned()));
    if setting::text("allow_alter_system").is_some() && !setting::is_on("allow_alter_system") {
        return impossible("allow_alter_system is off");
    }
    let known = known(name)?;
    let with_restart = (known.as_ref()).is_some_and(|known| known.scope() == Scope::Restart);
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
        return impossible("ALTER SYSTEM cannot set it");
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

/// A setting with the value that it has to have, as the server would show it.
#[derive(Debug, Clone)]
pub struct Expected {
    name: String,
    value: Option<String>,
}

/// What the server shows once it has read these settings. In a transaction.
pub fn expected(settings: &[(String, String)]) -> Vec<Expected> {
    let expected = |(name, value): &(String, String)| Expected {
        name: name.clone(),
        value: setting::canonical_after_reload(name, value),
    };
    settings.iter().map(expected).collect()
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

/// What happened where one is missing for too long.
pub fn not_taken(name: &str) -> String {
    format!("the server has not taken \"{name}\" from its configuration: its log may say why")
}
