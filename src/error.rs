//! The errors that pgperf raises itself. [`failure`] makes one, with what the user's program and the user see of it. One that code
//! tells apart from others is a type of its own, in its feature's folder: a [`Problem`].

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

/// An error that no code tells apart from others; see [`failure`].
#[derive(Debug)]
pub struct Failure {
    sqlstate: PgSqlErrorCode,
    message: String,
    hint: Option<String>,
    detail: Option<String>,
}

/// An error: a failure, a feature's own problem, or one that any of them may have.
#[derive(Debug, Error)]
pub enum Error {
    /// See [`failure`].
    #[error("{}", .0.message)]
    Failure(Failure),

    /// Of a feature; see [`Error::downcast_ref`].
    #[error("{0}")]
    Of(AnyProblem),

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

/// An error with this SQLSTATE and message. [`Error::hinting`] and [`Error::detailed`] say more.
pub fn failure(sqlstate: PgSqlErrorCode, message: impl Into<String>) -> Error {
    Error::Failure(Failure {
        sqlstate,
        message: message.into(),
        hint: None,
        detail: None,
    })
}

/// An argument outside its range or in a wrong form; the message names it.
pub fn invalid(message: impl Into<String>) -> Error {
    failure(PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE, message)
}

/// The same with what the user can do about it.
pub fn hinted(message: impl Into<String>, hint: &str) -> Error {
    invalid(message).hinting(hint)
}

/// A feature that this server, or an extension of it, does not offer.
pub fn unsupported(message: impl Into<String>) -> Error {
    failure(PgSqlErrorCode::ERRCODE_FEATURE_NOT_SUPPORTED, message)
}

/// Nothing can be written here: a standby, or a read-only transaction.
pub fn read_only(message: impl Into<String>) -> Error {
    failure(PgSqlErrorCode::ERRCODE_READ_ONLY_SQL_TRANSACTION, message)
}

impl Error {
    /// The same with what the user can do about it.
    pub fn hinting(mut self, hint: impl Into<String>) -> Error {
        if let Error::Failure(failure) = &mut self {
            failure.hint = Some(hint.into());
        }
        self
    }

    /// The same with further facts, for the DETAIL line.
    pub fn detailed(mut self, detail: impl Into<String>) -> Error {
        if let Error::Failure(failure) = &mut self {
            failure.detail = Some(detail.into());
        }
        self
    }

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
            Error::Failure(failure) => failure.sqlstate,
            Error::Spi(_) | Error::Json(_) => ERRCODE_INTERNAL_ERROR,
            Error::OtherVersion { .. } => ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
            Error::NotInstalled => ERRCODE_UNDEFINED_OBJECT,
        }
    }

    /// What the user can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Error::Of(AnyProblem(problem)) => problem.hint(),
            Error::Failure(failure) => failure.hint.clone(),
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
            Error::Failure(failure) => failure.detail.clone(),
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
    fn a_failure_has_what_is_said_of_it() {
        let error = failure(PgSqlErrorCode::ERRCODE_OBJECT_IN_USE, "the kettle is taken");
        assert!(error.hint().is_none() && error.detail().is_none());
        let error = error.hinting("Wait.").detailed("It boils.");
        assert_eq!(error.to_string(), "the kettle is taken");
        assert_eq!(error.sqlstate(), PgSqlErrorCode::ERRCODE_OBJECT_IN_USE);
        assert_eq!(error.hint().as_deref(), Some("Wait."));
        assert_eq!(error.detail().as_deref(), Some("It boils."));
        assert_eq!(invalid("x").sqlstate(), hinted("x", "y").sqlstate());
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
