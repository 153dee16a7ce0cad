//! Errors of scripts that do not parse.

use crate::error::Problem;
use pgrx::pg_sys::errcodes::PgSqlErrorCode;

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
