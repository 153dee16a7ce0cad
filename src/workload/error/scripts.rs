//! Errors of scripts: those that do not parse, and those that cannot be run here.

use crate::error::{Problem, sqlstate_code};
use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use thiserror::Error;

/// A script that does not parse.
impl Problem for script::ParseError {
    fn sqlstate(&self) -> PgSqlErrorCode {
        match self.unsupported {
            Some(_) => PgSqlErrorCode::ERRCODE_FEATURE_NOT_SUPPORTED,
            None => PgSqlErrorCode::ERRCODE_SYNTAX_ERROR,
        }
    }

    fn hint(&self) -> Option<String> {
        self.unsupported.map(str::to_owned)
    }

    fn detail(&self) -> Option<String> {
        let caret = self.caret_detail()?;
        Some(match self.column {
            Some(column) => format!("at column {column}:\n{caret}"),
            None => caret,
        })
    }
}

/// A script that parses, but cannot be run here.
#[derive(Debug, Error)]
pub enum ScriptError {
    /// A statement that the server does not accept.
    #[error("script \"{script}\", line {line}: {message}")]
    Statement {
        script: String,
        line: u32,
        sqlstate: String,
        message: String,
        hint: Option<&'static str>,
    },

    /// A variable or a `$1` that is not the parameter that it should be.
    #[error("script \"{script}\", line {line}: {message}")]
    Parameter {
        script: String,
        line: u32,
        message: String,
        /// Its place.
        detail: String,
        hint: &'static str,
    },

    /// A statement of a data set that the server does not accept.
    #[error("{argument}, line {line}: {message}")]
    Author {
        argument: &'static str,
        line: u32,
        sqlstate: String,
        message: String,
        hint: Option<String>,
    },

    /// A setting that a client's session cannot have.
    #[error("setting \"{name}\" cannot be set for a run: {reason}")]
    Setting {
        argument: &'static str,
        name: String,
        sqlstate: String,
        reason: String,
    },

    /// Scripts that are too large.
    #[error("{message}")]
    TooLarge { message: String, hint: String },
}

impl Problem for ScriptError {
    fn sqlstate(&self) -> PgSqlErrorCode {
        match self {
            ScriptError::Statement { sqlstate, .. }
            | ScriptError::Author { sqlstate, .. }
            | ScriptError::Setting { sqlstate, .. } => sqlstate_code(sqlstate),
            ScriptError::Parameter { .. } => PgSqlErrorCode::ERRCODE_UNDEFINED_PARAMETER,
            ScriptError::TooLarge { .. } => PgSqlErrorCode::ERRCODE_PROGRAM_LIMIT_EXCEEDED,
        }
    }

    fn detail(&self) -> Option<String> {
        match self {
            ScriptError::Parameter { detail, .. } => Some(detail.clone()),
            _ => None,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            ScriptError::Statement { hint, .. } => hint.map(str::to_owned),
            ScriptError::Parameter { hint, .. } => Some((*hint).to_owned()),
            ScriptError::Author { hint, .. } => hint.clone(),
            ScriptError::Setting { argument, .. } => Some(format!(
                "{argument} accepts only parameters that SET can change in a session of the run's role."
            )),
            ScriptError::TooLarge { hint, .. } => Some(hint.clone()),
        }
    }
}
