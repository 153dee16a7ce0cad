//! The errors that pgperf raises itself. Each feature owns an enum of its own, in its folder; [`Problem`] is their
//! common trait, and [`Error`] holds any of them, beside the errors that every feature may have.

use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use std::error::Error as StdError;
use std::fmt::{Debug, Formatter};
use thiserror::Error;

/// An error in terms of the user's call; its Display form is the message.
pub trait Problem: StdError {
    /// The SQLSTATE that the user's program sees.
    fn sqlstate(&self) -> PgSqlErrorCode;

    /// What the user can do about it.
    fn hint(&self) -> Option<String> {
        None
    }

    /// Further facts, for the DETAIL line.
    fn detail(&self) -> Option<String> {
        None
    }
}

/// An error: a feature's own problem, or one that any of them may have.
#[derive(Debug, Error)]
pub enum Error {
    /// Of a feature; see [`Error::downcast_ref`].
    #[error("{0}")]
    Of(AnyProblem),

    /// An argument has a value outside its range or in a wrong form.
    #[error("{message}")]
    InvalidArgument {
        message: String,
        hint: Option<String>,
    },

    /// Nothing can be written here: a standby, or a read-only transaction.
    #[error("{message}")]
    ReadOnly { message: String, hint: String },

    /// A feature that this server, or an extension of it, does not offer.
    #[error("{message}")]
    Unsupported {
        message: String,
        hint: Option<String>,
    },

    /// Reading or writing pgperf's own tables failed inside SPI.
    #[error("could not access pgperf's tables: {0}")]
    Spi(#[from] pgrx::spi::Error),

    /// A stored document does not have the shape this version writes.
    #[error("a stored value of pgperf has an unexpected form: {0}")]
    Json(#[from] serde_json::Error),

    /// The SQL objects belong to another release than the library.
    #[error(
        "the extension \"pgperf\" in this database has version {extension}, but its library has version {library}"
    )]
    OtherVersion {
        library: &'static str,
        extension: String,
        extension_is_older: bool,
    },

    /// The extension is being dropped or is gone.
    #[error("extension \"pgperf\" is not installed in this database")]
    NotInstalled,
}

/// A feature's problem, whichever it is.
pub struct AnyProblem(Box<dyn Problem>);

impl Debug for AnyProblem {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        Debug::fmt(&self.0, f)
    }
}

impl std::fmt::Display for AnyProblem {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(&self.0, f)
    }
}

/// The result of everything that can fail with pgperf's own error.
pub type Result<T> = std::result::Result<T, Error>;

impl<P: Problem + 'static> From<P> for Error {
    fn from(problem: P) -> Error {
        Error::Of(AnyProblem(Box::new(problem)))
    }
}

/// An argument outside its range or in a wrong form; the message names it.
pub fn invalid(message: String) -> Error {
    Error::InvalidArgument {
        message,
        hint: None,
    }
}

/// The same with what the user can do about it.
pub fn hinted(message: String, hint: &str) -> Error {
    Error::InvalidArgument {
        message,
        hint: Some(hint.to_owned()),
    }
}

impl Error {
    /// The feature's problem, if it is one of that kind.
    pub fn downcast_ref<P: Problem + 'static>(&self) -> Option<&P> {
        match self {
            Error::Of(AnyProblem(problem)) => {
                let problem: &(dyn StdError + 'static) = problem.as_ref();
                problem.downcast_ref()
            }
            _ => None,
        }
    }

    /// The SQLSTATE that the user's program sees.
    pub fn sqlstate(&self) -> PgSqlErrorCode {
        use PgSqlErrorCode::*;
        match self {
            Error::Of(AnyProblem(problem)) => problem.sqlstate(),
            Error::InvalidArgument { .. } => ERRCODE_INVALID_PARAMETER_VALUE,
            Error::ReadOnly { .. } => ERRCODE_READ_ONLY_SQL_TRANSACTION,
            Error::Unsupported { .. } => ERRCODE_FEATURE_NOT_SUPPORTED,
            Error::Spi(_) | Error::Json(_) => ERRCODE_INTERNAL_ERROR,
            Error::OtherVersion { .. } => ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
            Error::NotInstalled => ERRCODE_UNDEFINED_OBJECT,
        }
    }

    /// What the user can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Error::Of(AnyProblem(problem)) => problem.hint(),
            Error::InvalidArgument { hint, .. } | Error::Unsupported { hint, .. } => hint.clone(),
            Error::ReadOnly { hint, .. } => Some(hint.clone()),
            Error::OtherVersion { extension_is_older: true, .. } => {
                Some("Update it: ALTER EXTENSION pgperf UPDATE".to_owned())
            }
            Error::OtherVersion { .. } => Some(
                "Reconnect, so that the session loads the matching library. A server with pgperf in \
                 shared_preload_libraries has to be restarted."
                    .to_owned(),
            ),
            Error::Spi(_) | Error::Json(_) | Error::NotInstalled => None,
        }
    }

    /// Further facts, for the DETAIL line.
    pub fn detail(&self) -> Option<String> {
        match self {
            Error::Of(AnyProblem(problem)) => problem.detail(),
            _ => None,
        }
    }
}

/// A SQLSTATE from its five characters (the server's MAKE_SQLSTATE: six bits per character); one that the server does
/// not know is an internal error.
pub fn sqlstate_code(text: &str) -> PgSqlErrorCode {
    let packed = text.bytes().rev().fold(0, |code, byte| {
        (code << 6) | i32::from(byte.wrapping_sub(b'0') & 0x3f)
    });
    PgSqlErrorCode::from(packed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Error)]
    #[error("the kettle is empty")]
    struct Empty;

    impl Problem for Empty {
        fn sqlstate(&self) -> PgSqlErrorCode {
            PgSqlErrorCode::ERRCODE_OUT_OF_MEMORY
        }

        fn hint(&self) -> Option<String> {
            Some("Fill it.".to_owned())
        }
    }

    #[test]
    fn a_problem_is_raised_and_found_again() {
        let raise = || -> Result<()> { Err(Empty)? };
        let error = raise().unwrap_err();
        assert_eq!(error.to_string(), "the kettle is empty");
        assert_eq!(error.sqlstate(), PgSqlErrorCode::ERRCODE_OUT_OF_MEMORY);
        assert_eq!(error.hint().as_deref(), Some("Fill it."));
        assert!(error.detail().is_none() && error.downcast_ref::<Empty>().is_some());
        assert!(Error::NotInstalled.downcast_ref::<Empty>().is_none());
    }

    #[test]
    fn sqlstates_are_packed_as_the_server_packs_them() {
        let code = PgSqlErrorCode::ERRCODE_CONFIGURATION_LIMIT_EXCEEDED;
        assert_eq!(sqlstate_code("53400"), code);
        assert_eq!(
            sqlstate_code("QQQQQ"),
            PgSqlErrorCode::ERRCODE_INTERNAL_ERROR
        );
    }
}
