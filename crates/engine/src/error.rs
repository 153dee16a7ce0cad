//! Errors of statements and scripts, as a client reports them.

/// The error that a cancelled statement raises.
pub const QUERY_CANCELED: &str = "57014";

/// The error of a statement that takes more or fewer values than its script has for it.
pub const WRONG_VALUES: &str = "08P01";

/// An error of the server, or one that a client raises in its place: what a program over a connection would have received.
#[derive(Debug, Clone, PartialEq)]
pub struct SqlError {
    /// The five characters.
    pub sqlstate: String,
    /// What is wrong.
    pub message: String,
    /// More about it.
    pub detail: Option<String>,
}

impl SqlError {
    /// An error without a detail.
    pub fn new(sqlstate: &str, message: &str) -> Self {
        SqlError {
            sqlstate: sqlstate.to_owned(),
            message: message.to_owned(),
            detail: None,
        }
    }
}

/// An error of a client: of one of its transactions, or the one that ended it.
#[derive(Debug, Clone, PartialEq)]
pub struct ClientError {
    /// The five characters.
    pub sqlstate: String,
    /// What is wrong.
    pub message: String,
    /// More about it.
    pub detail: Option<String>,
    /// Index of the command over all scripts of the run; None: outside any command.
    pub command: Option<usize>,
    /// Microseconds since 2000-01-01, the server's timestamp.
    pub at: i64,
}

impl ClientError {
    /// An error of a command, at a moment of the server's clock.
    pub fn new(error: SqlError, command: Option<usize>, at: i64) -> ClientError {
        ClientError {
            sqlstate: error.sqlstate,
            message: error.message,
            detail: error.detail,
            command,
            at,
        }
    }
}
