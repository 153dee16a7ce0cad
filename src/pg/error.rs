//! An ERROR of the server, caught.

use pgrx::pg_sys::panic::CaughtError;

/// An ERROR of the server (or a panic of ours) as text: what a client would have received.
#[derive(Debug, Clone)]
pub struct SqlError {
    /// The five characters.
    pub sqlstate: String,
    pub message: String,
    pub detail: Option<String>,
}

impl SqlError {
    /// An error in the server's form that pgperf raises in its place.
    pub fn new(sqlstate: &str, message: &str) -> Self {
        SqlError {
            sqlstate: sqlstate.to_owned(),
            message: message.to_owned(),
            detail: None,
        }
    }

    pub fn caught(error: &CaughtError) -> Self {
        let report = match error {
            CaughtError::PostgresError(report) | CaughtError::ErrorReport(report) => report,
            CaughtError::RustPanic { ereport, .. } => ereport,
        };
        SqlError {
            sqlstate: sqlstate_text(report.sql_error_code() as i32),
            message: report.message().to_owned(),
            detail: report.detail().map(str::to_owned),
        }
    }
}

/// The five characters of a packed SQLSTATE (the server's MAKE_SQLSTATE: six bits a character).
fn sqlstate_text(code: i32) -> String {
    (0..5)
        .map(|i| char::from(((code >> (6 * i)) & 0x3f) as u8 + b'0'))
        .collect()
}
