//! How a transaction can fail without ending its client, in pgbench's kinds (pgbench.c getSQLErrorStatus).

/// Why a transaction failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// SQLSTATE 40001.
    Serialization,
    /// SQLSTATE 40P01.
    Deadlock,
    /// Any other error of a statement; fails a transaction alone with `continue_on_error`, or if it belongs to the script.
    Other,
}

impl FailureKind {
    /// The kind of an error with this SQLSTATE.
    pub fn of(sqlstate: &str) -> FailureKind {
        match sqlstate {
            "40001" => FailureKind::Serialization,
            "40P01" => FailureKind::Deadlock,
            _ => FailureKind::Other,
        }
    }

    /// Whether another try with the same values may succeed.
    pub fn is_retryable(self) -> bool {
        self != FailureKind::Other
    }
}
