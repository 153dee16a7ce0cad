//! The errors of a run, as rows and as the run's own error.

use super::rows::ErrorRow;
use super::run_row::{End, StoredRun};
use crate::pg::server;
use crate::pg::sql::spi;
use crate::run::request::spec::CommandName;
use crate::run::shared::Shared;
use crate::run::shared::errors::ErrorKind;
use crate::run::shared::slot::Counter;
use crate::run::side_sql::SideError;

/// The errors of a run.
pub struct Errors {
    pub rows: Vec<ErrorRow>,
    /// The error that ended a client first.
    fatal: Option<ErrorRow>,
}

/// The clients' errors, one row for each client and kind, those that ended a client first.
pub fn errors(shared: &Shared, run: &StoredRun, commands: &[CommandName]) -> Errors {
    let mut rows = Vec::new();
    for (client, slot) in shared.slots().enumerate() {
        let ended_by = (slot.get(Counter::EndedBy) as usize).checked_sub(1);
        for (number, kind) in slot.errors().kinds().into_iter().enumerate() {
            let fatal = ended_by == Some(number);
            rows.push((!fatal, kind.last.at, error_row(run, client, kind, commands)));
        }
    }
    rows.sort_by_key(|(survived, at, row)| (*survived, *at, row.client_id));
    let fatal = rows
        .first()
        .filter(|(survived, ..)| !survived)
        .map(|(.., row)| row.clone());
    let rows = rows.into_iter().map(|(.., row)| row).collect();
    let mut rows = with_earlier(rows, &run.details.errors);
    for (i, row) in rows.iter_mut().enumerate() {
        row.error_no = i as i32;
    }
    Errors { rows, fatal }
}

/// Adds the errors of earlier segments; the result, too, has one row for each client and kind.
fn with_earlier(mut rows: Vec<ErrorRow>, earlier: &[ErrorRow]) -> Vec<ErrorRow> {
    for before in earlier {
        let alike = |row: &&mut ErrorRow| {
            (row.client_id, &row.sqlstate) == (before.client_id, &before.sqlstate)
        };
        match rows.iter_mut().find(alike) {
            Some(row) => {
                row.occurrences += before.occurrences;
                row.first_occurred_at.clone_from(&before.first_occurred_at);
            }
            None => rows.push(before.clone()),
        }
    }
    rows
}

fn error_row(
    run: &StoredRun,
    client: usize,
    kind: ErrorKind,
    commands: &[CommandName],
) -> ErrorRow {
    let error = kind.last;
    let command = error.command.and_then(|index| commands.get(index));
    ErrorRow {
        node_id: run.node_id.clone(),
        run_id: run.run_id,
        error_no: 0,
        occurred_at: server::timestamp_text(error.at),
        first_occurred_at: server::timestamp_text(kind.first_at),
        client_id: Some(client as i32),
        script: command.map(|command| command.script.clone()),
        command_no: command.map(|command| command.command_no),
        sqlstate: error.sqlstate,
        message: error.message,
        detail: error.detail,
        occurrences: kind.occurrences,
    }
}

/// Stores the errors before and after the clients, which belong to no client; `stored` errors are stored already.
pub fn store_side_errors(run: &mut StoredRun, stored: usize, errors: &[SideError]) {
    if errors.is_empty() {
        return;
    }
    run.store(|run| {
        for (
            i,
            SideError {
                statement, error, ..
            },
        ) in errors.iter().enumerate()
        {
            let at = server::timestamp_text(error.at);
            let row = ErrorRow {
                node_id: run.node_id.clone(),
                run_id: run.run_id,
                error_no: (stored + i) as i32,
                occurred_at: at.clone(),
                first_occurred_at: at,
                client_id: None,
                script: statement.as_ref().map(|s| s.argument.clone()),
                command_no: statement.as_ref().map(|s| s.number),
                sqlstate: error.sqlstate.clone(),
                message: error.message.clone(),
                detail: error.detail.clone(),
                occurrences: 1,
            };
            spi::insert("pgperf.run_errors", &row)?;
        }
        Ok(())
    });
}

/// A run in which a client was ended by an error has failed, with the first such error.
pub fn aborted(errors: &Errors, commands: &[CommandName]) -> Option<End> {
    let error = errors.fatal.as_ref()?;
    let client = error.client_id.unwrap_or_default();
    let place = match (&error.script, error.command_no) {
        (Some(script), Some(number)) => {
            let step = commands
                .iter()
                .find(|c| c.is_step && c.command_no == number);
            match step {
                Some(step) => format!("step \"{}\"", step.text),
                None => {
                    format!("client {client} aborted in command {number} of script \"{script}\"")
                }
            }
        }
        _ => format!("client {client} aborted"),
    };
    let detail = error.detail.as_deref().map(|detail| format!(" ({detail})"));
    Some(End::Failed {
        sqlstate: error.sqlstate.clone(),
        message: format!("{place}: {}{}", error.message, detail.unwrap_or_default()),
    })
}
