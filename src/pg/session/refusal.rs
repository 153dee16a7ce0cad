//! Statements that a session refuses to run.

use crate::pg::error::SqlError;
use engine::WRONG_VALUES;
use pgrx::pg_sys;
use std::ffi::CStr;

/// Why a statement was not run; a plain value, since it is made below the session's guard.
#[derive(Debug, Clone, Copy)]
pub(super) enum Refusal {
    /// In a failed block everything but its end is refused: the main loop's rule, which the functions
    /// below it do not know.
    BlockAborted,
    /// COPY to or from the client would use the server's own standard input or log.
    CopyWithClient,
    /// Nobody would receive a notification.
    Listen,
    /// More than one statement in a prepared string.
    SeveralStatements,
    /// As many values as a Bind message would have do not fit the statement.
    Values { supplied: usize, required: usize },
}

impl From<Refusal> for SqlError {
    fn from(refusal: Refusal) -> SqlError {
        let (sqlstate, message) = match refusal {
            Refusal::BlockAborted => (
                "25P02",
                "current transaction is aborted, commands ignored until end of transaction block",
            ),
            Refusal::CopyWithClient => (
                "0A000",
                "COPY to or from the client is not supported in a pgperf script",
            ),
            Refusal::Listen => (
                "0A000",
                "LISTEN and UNLISTEN are not supported in a pgperf script",
            ),
            Refusal::SeveralStatements => (
                "42601",
                "cannot insert multiple commands into a prepared statement",
            ),
            Refusal::Values { supplied, required } => {
                let message = format!(
                    "bind message supplies {supplied} parameters, but prepared statement \"\" requires {required}"
                );
                return SqlError::new(WRONG_VALUES, &message);
            }
        };
        SqlError::new(sqlstate, message)
    }
}

impl Refusal {
    /// What the user can do about it.
    fn hint(self) -> Option<&'static str> {
        match self {
            Refusal::BlockAborted | Refusal::Values { .. } => None,
            Refusal::CopyWithClient => Some(
                "A script runs inside the server and has no client: use INSERT and SELECT, or COPY \
                 with a file of the server.",
            ),
            Refusal::Listen => Some(
                "A script runs inside the server and has no client that would be notified; NOTIFY works.",
            ),
            Refusal::SeveralStatements => {
                Some("Statements combined by \\; need query_mode => 'simple', as in pgbench.")
            }
        }
    }
}

/// Refuses what needs a client.
///
/// # Safety
/// `tree` is a valid raw statement.
#[inline]
pub(super) unsafe fn refuse_without_client(tree: *mut pg_sys::RawStmt) -> Result<(), Refusal> {
    // SAFETY: see above; the tag identifies the node's type.
    unsafe {
        let node = (*tree).stmt;
        match (*node).type_ {
            pg_sys::NodeTag::T_CopyStmt
                if (*node.cast::<pg_sys::CopyStmt>()).filename.is_null() =>
            {
                Err(Refusal::CopyWithClient)
            }
            pg_sys::NodeTag::T_ListenStmt | pg_sys::NodeTag::T_UnlistenStmt => Err(Refusal::Listen),
            _ => Ok(()),
        }
    }
}

/// Parses a command without looking at any catalog; raises the server's own syntax error. What parses
/// but could not be run is refused, with a hint: `one` says whether several statements are too many.
pub fn check_command(sql: &CStr, one: bool) -> Result<(), (SqlError, Option<&'static str>)> {
    // SAFETY: the raw parser only allocates in the current memory context; its list holds raw statements.
    let refused = unsafe {
        let list = pg_sys::pg_parse_query(sql.as_ptr());
        let count = if list.is_null() {
            0
        } else {
            (*list).length as usize
        };
        if one && count > 1 {
            Err(Refusal::SeveralStatements)
        } else {
            (0..count).try_for_each(|i| {
                let cell = (*list).elements.add(i);
                refuse_without_client((*cell).ptr_value.cast::<pg_sys::RawStmt>())
            })
        }
    };
    refused.map_err(|refusal| (refusal.into(), refusal.hint()))
}

/// Whether the server analyzes the only statement of a text when it is parsed, and finds its parameters then. Other statements have none
/// of their own.
pub fn is_analyzed(sql: &CStr) -> bool {
    // SAFETY: the raw parser only allocates in the current memory context; its list holds raw statements.
    unsafe {
        let list = pg_sys::pg_parse_query(sql.as_ptr());
        if list.is_null() || (*list).length == 0 {
            return false;
        }
        let tree = (*(*list).elements).ptr_value.cast::<pg_sys::RawStmt>();
        // The latter is missing in the first minor versions of 15.
        pg_sys::analyze_requires_snapshot(tree)
            || (*(*tree).stmt).type_ == pg_sys::NodeTag::T_CallStmt
    }
}

/// What kind of statement a text is, where its author may write only some kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatementKind {
    /// SELECT, VALUES, TABLE, WITH ... SELECT.
    Query,
    /// BEGIN, COMMIT, SAVEPOINT and the like.
    TransactionControl,
    Other,
}

/// The kind of the only statement of a text that [`check_command`] accepts; None if it is empty. Raises the server's own
/// syntax error.
pub fn kind_of(sql: &CStr) -> Option<StatementKind> {
    // SAFETY: the raw parser only allocates in the current memory context; its list holds raw statements.
    unsafe {
        let list = pg_sys::pg_parse_query(sql.as_ptr());
        if list.is_null() || (*list).length == 0 {
            return None;
        }
        let tree = (*(*list).elements).ptr_value.cast::<pg_sys::RawStmt>();
        Some(match (*(*tree).stmt).type_ {
            pg_sys::NodeTag::T_SelectStmt => StatementKind::Query,
            pg_sys::NodeTag::T_TransactionStmt => StatementKind::TransactionControl,
            _ => StatementKind::Other,
        })
    }
}
