//! What a run is to wait for, checked against the server before anything starts.

use super::request::{DEFAULT_TIMEOUT_S, Drain, Given, Names, Receiver, ReceiverKind, Until};
use crate::error::{Result, failure, hinted};
use crate::pg::catalog::role;
use crate::pg::encoding;
use crate::pg::session::setting;
use crate::pg::sql::analysis::{Columns, columns};
use crate::pg::sql::spi;
use crate::pg::sql::subxact::subtransaction;
use crate::run::error::refused_statement;
use crate::run::side_sql::statements;
use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use serde::Deserialize;
use serde_json::Value;

/// The arguments as a spec stores them: `all` has become names, so that a receiver that goes away is missed. `search_path`: that of
/// the run's sessions. None: the run waits for nobody.
///
/// # Errors
/// A value of another form, a receiver that is not there, or `drain_sql` that is no query of a boolean.
pub fn drain(
    given: Option<&Value>,
    sql: Option<&str>,
    timeout_s: Option<f64>,
    search_path: &str,
) -> Result<Option<Drain>> {
    let given = given.map(Given::parse).transpose()?;
    if given.is_none() && sql.is_none() {
        return match timeout_s {
            None => Ok(None),
            Some(_) => Err(hinted(
                "drain_timeout needs drain or drain_sql".to_owned(),
                "Say what to wait for: drain => '{\"standbys\": \"all\"}'.",
            )),
        };
    }
    let sql = sql.map(|sql| query(sql, search_path)).transpose()?;
    let mut receivers = Vec::new();
    if let Some(given) = &given {
        receivers.extend(standbys(given.standbys.as_ref())?);
        receivers.extend(slots(given.slots.as_ref())?);
    }
    Ok(Some(Drain {
        receivers,
        until: given.map_or(Until::Replay, |given| given.until),
        sql,
        timeout_s: timeout_s.unwrap_or(DEFAULT_TIMEOUT_S),
    }))
}

#[derive(Deserialize)]
struct ReceiverName {
    name: String,
}

/// The standbys that are connected now.
fn standbys(names: Option<&Names>) -> Result<Vec<Receiver>> {
    let Some(names) = names else {
        return Ok(Vec::new());
    };
    // The server shows the names and positions of standbys to these roles only.
    #[derive(Deserialize)]
    struct Allowed {
        caller: bool,
        owner: bool,
    }
    let allowed: Option<Allowed> = spi::select_one(
        "SELECT pg_catalog.pg_has_role('pg_read_all_stats', 'USAGE') AS caller, \
                pg_catalog.pg_has_role(e.extowner, 'pg_read_all_stats', 'USAGE') AS owner \
         FROM pg_catalog.pg_extension e WHERE e.extname = 'pgperf'",
        &[],
    )?;
    let denied = match allowed {
        Some(Allowed { caller: false, .. }) => Some(("standbys in drain", "your role")),
        Some(Allowed { owner: false, .. }) => {
            Some(("the owner of the extension, for standbys in drain,", "it"))
        }
        _ => None,
    };
    if let Some((who, to)) = denied {
        return Err(failure(
            PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE,
            format!("{who} need the privileges of pg_read_all_stats"),
        )
        .hinting(format!(
            "GRANT pg_monitor to {to}; the server shows standbys to no other role."
        )));
    }
    let connected: Vec<ReceiverName> = role::as_owner(|| {
        spi::select(
            // Who archives WAL, such as pg_receivewal, tells no position of replay, and has to be named. A standby that has just
            // connected has told nothing yet.
            "SELECT DISTINCT r.application_name AS name FROM pg_catalog.pg_stat_replication r \
             WHERE r.state <> 'backup' AND (r.replay_lsn IS NOT NULL OR r.reply_time IS NULL OR NOT $1) \
               AND NOT EXISTS (SELECT FROM pg_catalog.pg_replication_slots s \
                 WHERE s.active_pid = r.pid AND s.slot_type = 'logical') ORDER BY 1",
            &[matches!(names, Names::All).into()],
        )
    })?;
    choose(
        ReceiverKind::Standby,
        names,
        connected,
        "no standby is connected",
        "A standby has the application_name of its primary_conninfo, or its cluster_name; pg_stat_replication shows it.",
    )
}

/// The logical slots that the server has, whose WAL is still there.
fn slots(names: Option<&Names>) -> Result<Vec<Receiver>> {
    let Some(names) = names else {
        return Ok(Vec::new());
    };
    let there: Vec<ReceiverName> = spi::select(
        "SELECT s.slot_name AS name FROM pg_catalog.pg_replication_slots s \
         WHERE s.slot_type = 'logical' AND NOT s.temporary AND s.wal_status IS DISTINCT FROM 'lost' ORDER BY 1",
        &[],
    )?;
    choose(
        ReceiverKind::Slot,
        names,
        there,
        "there is no logical replication slot",
        "A subscription has a slot of its name; for physical slots name the standbys. pg_replication_slots shows them.",
    )
}

fn choose(
    kind: ReceiverKind,
    names: &Names,
    there: Vec<ReceiverName>,
    none: &str,
    hint: &str,
) -> Result<Vec<Receiver>> {
    let refused = |message: String, hint: String| {
        failure(PgSqlErrorCode::ERRCODE_UNDEFINED_OBJECT, message).hinting(hint)
    };
    let there: Vec<String> = there.into_iter().map(|named| named.name).collect();
    let chosen = match names {
        Names::All if there.is_empty() => {
            return Err(refused(format!("drain: {none}"), hint.to_owned()));
        }
        Names::All => there,
        Names::These(names) => {
            if let Some(name) = names.iter().find(|name| !there.contains(name)) {
                let known = match there.is_empty() {
                    true => format!(" Now {none}."),
                    false => format!(" Now there are: {}.", there.join(", ")),
                };
                let what = match kind {
                    ReceiverKind::Standby => "standby is connected as",
                    _ => "logical replication slot is called",
                };
                let message = format!("drain: no {what} \"{name}\"");
                return Err(refused(message, format!("{hint}{known}")));
            }
            names.clone()
        }
    };
    let receivers = chosen.into_iter();
    Ok(receivers.map(|name| Receiver { kind, name }).collect())
}

/// `drain_sql` without what follows its statement.
fn query(sql: &str, search_path: &str) -> Result<String> {
    const ARGUMENT: &str = "drain_sql";
    const HINT: &str = "It is repeated until it returns true, for example: \
        SELECT max(st_lag_num_events) = 0 FROM _replication.sl_status.";
    let statements = statements(ARGUMENT, Some(sql))?;
    let [statement] = statements.as_slice() else {
        return Err(hinted(format!("{ARGUMENT} must be one query"), HINT));
    };
    let refused = |sqlstate: &str, message: &str| refused_statement(ARGUMENT, sqlstate, message);
    let text =
        encoding::c_string(statement).map_err(|error| refused("22021", &error.to_string()))?;
    let found = subtransaction(|| setting::with("search_path", search_path, || columns(&text)))
        .map_err(|error| refused(&error.sqlstate, &error.message))?;
    match found {
        Columns::Of(types) if types == [u32::from(pgrx::pg_sys::BOOLOID)] => Ok(statement.clone()),
        Columns::Of(_) => Err(hinted(
            format!("{ARGUMENT} must return one column of type boolean"),
            HINT,
        )),
        Columns::NoQuery => Err(hinted(format!("{ARGUMENT} must be one query"), HINT)),
    }
}
