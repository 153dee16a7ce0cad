//! The checks of scripts and of the settings they run with, before anything is stored.

use super::script_limits::{check_bytes, check_commands};
use super::script_parameters;
use super::scripts::{ScriptSpec, parse};
use crate::error::{Result, failure, hinted, invalid, sqlstate_code};
use crate::pg::encoding;
use crate::pg::session::refusal::{self, StatementKind};
use crate::pg::session::{QueryMode, setting};
use crate::pg::sql::subxact::subtransaction;
use script::{CommandKind, Script, SqlCommand, Symbols, is_valid_variable_name};
use std::collections::BTreeMap;

/// Decides whether a backslash in a string protects what follows it.
const CONFORMING_STRINGS: &str = "standard_conforming_strings";

/// Parses the scripts, and their SQL as far as that is possible without looking at tables. The settings of the clients' sessions have been
/// checked.
pub fn check_scripts(
    scripts: &[ScriptSpec],
    variables: &BTreeMap<String, String>,
    settings: &BTreeMap<String, String>,
    query_mode: QueryMode,
) -> Result<()> {
    for name in variables.keys() {
        if !is_valid_variable_name(name) {
            return Err(invalid(format!("invalid variable name: \"{name}\"")));
        }
    }
    check_bytes(scripts)?;
    let parsed = parse(scripts, &mut Symbols::new())?;
    check_commands(&parsed)?;
    let check = || {
        for (script, given) in parsed.iter().zip(scripts) {
            let simple = given.query_mode(query_mode) == QueryMode::Simple;
            check_statements(script, simple)?;
        }
        Ok(())
    };
    match settings.get(CONFORMING_STRINGS) {
        Some(value) => {
            let settings = [
                (CONFORMING_STRINGS, value.as_str()),
                // That is for the clients' sessions to say; since 19 there is nothing to say.
                #[cfg(not(feature = "since19"))]
                ("escape_string_warning", "off"),
            ];
            setting::with_all(&settings, check)
        }
        None => check(),
    }
}

fn check_statements(script: &Script, simple: bool) -> Result<()> {
    if !simple {
        script.check_parameters()?;
    }
    for command in &script.commands {
        // One with variables in its names is not known yet.
        match &command.kind {
            CommandKind::Sql(sql) => {
                if !sql.has_names() {
                    check_command(&script.name, command.line, sql, simple)?;
                }
                if !simple {
                    script_parameters::check(&script.name, command, sql)?;
                }
            }
            // Its query is always sent with parameters.
            CommandKind::Pool { query, .. } => {
                if !query.has_names() {
                    check_command(&script.name, command.line, query, false)?;
                    check_query(&script.name, command.line, query)?;
                }
                script_parameters::check(&script.name, command, query)?;
            }
            _ => {}
        }
    }
    Ok(())
}

fn check_command(script: &str, line: u32, sql: &SqlCommand, simple: bool) -> Result<()> {
    let text = encoding::c_string(sql.prepared.as_str())
        .map_err(|_| invalid("a script must not contain a NUL byte".to_owned()))?;
    let (error, hint) = match subtransaction(|| refusal::check_command(&text, !simple)) {
        Ok(Ok(())) => return Ok(()),
        // In simple mode a variable may stand for any part of a statement, which then cannot be parsed before it runs.
        Err(_) if simple => return Ok(()),
        Ok(Err(refused)) => refused,
        Err(syntax_error) => (syntax_error, None),
    };
    let message = format!("script \"{script}\", line {line}: {}", error.message);
    let error = failure(sqlstate_code(&error.sqlstate), message);
    Err(match hint {
        Some(hint) => error.hinting(hint),
        None => error,
    })
}

/// What a pool is read with changes nothing.
fn check_query(script: &str, line: u32, sql: &SqlCommand) -> Result<()> {
    let kind = encoding::c_string(sql.prepared.as_str())
        .map(|text| subtransaction(|| refusal::kind_of(&text)));
    if let Ok(Ok(Some(StatementKind::Query))) = kind {
        return Ok(());
    }
    Err(hinted(
        format!("script \"{script}\", line {line}: \\pool takes a query"),
        "A query begins with SELECT, VALUES, TABLE or WITH.",
    ))
}

/// Tries settings that the clients' sessions will have, which this argument gives.
pub fn check_settings(argument: &'static str, settings: &BTreeMap<String, String>) -> Result<()> {
    for (name, value) in settings {
        subtransaction(|| setting::check(name, value)).map_err(|error| {
            let message = format!(
                "setting \"{name}\" cannot be set for a run: {}",
                error.message
            );
            failure(sqlstate_code(&error.sqlstate), message).hinting(format!(
                "{argument} accepts only parameters that SET can change in a session of the run's role."
            ))
        })?;
    }
    Ok(())
}
