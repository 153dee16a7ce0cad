//! What can be wrong with a script: when it is read, and when it runs. The words are pgbench's.

use std::error::Error;
use std::fmt;

/// A script that cannot be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The script's name.
    pub script: String,
    /// The line the command starts in, from 1.
    pub line: u32,
    /// Where in `source_line` the error was noticed: characters from 1.
    pub column: Option<usize>,
    /// What is wrong, complete with the place, in pgbench's words.
    pub message: String,
    /// The command as written, from its backslash on; several lines if it is continued.
    pub source_line: Option<String>,
    /// Set if the command is known but has no meaning inside the server: what to do about it.
    pub unsupported: Option<&'static str>,
}

impl ParseError {
    /// The offending line and, below it, a caret under the place: text for an error's DETAIL.
    pub fn caret_detail(&self) -> Option<String> {
        let source = self.source_line.as_deref()?;
        let Some(column) = self.column else {
            return Some(source.to_owned());
        };
        let mut before = column.saturating_sub(1);
        for line in source.split_inclusive('\n') {
            let length = line.chars().count();
            if before < length || !line.ends_with('\n') {
                let line = line.trim_end_matches(['\n', '\r']);
                return Some(format!("{line}\n{:before$}^ error found here", ""));
            }
            before -= length;
        }
        Some(source.to_owned())
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for ParseError {}

/// A command that failed while the script ran.
#[derive(Clone, Debug, PartialEq)]
pub enum EvalError {
    /// An expression uses a variable that has no value.
    UndefinedVariable(String),
    /// `\sleep` uses a variable that has no value.
    UndefinedSleepVariable(String),
    /// `\sleep` uses a variable whose value does not start with a number.
    InvalidSleepTime {
        /// The variable's name.
        variable: String,
        /// Its text.
        value: String,
    },
    /// A variable's text is of no known type.
    MalformedVariable {
        /// The variable's name.
        variable: String,
        /// Its text.
        value: String,
    },
    /// A variable's text is an integer of more than 64 bits.
    IntegerOutOfRange(String),
    /// A variable's text could be an integer, but has no digit.
    NotAnInteger(String),
    /// An integer operation (`add`, `sub`, `mul`, `div`) overflowed.
    BigintOutOfRange(&'static str),
    /// The right side of an integer division is zero.
    DivisionByZero,
    /// A value has a type the operation does not take.
    Coercion {
        /// Its type.
        from: &'static str,
        /// The type needed.
        to: &'static str,
    },
    /// A double has no 64-bit integer near it.
    DoubleToInt(f64),
    /// The lower bound of a random function is above the upper one.
    EmptyRandomRange,
    /// The bounds of a random function span more than 63 bits.
    RandomRangeTooLarge,
    /// The parameter of random_gaussian is too small.
    GaussianParameter(f64),
    /// The parameter of random_exponential is not positive.
    ExponentialParameter(f64),
    /// The parameter of random_zipfian is out of range.
    ZipfianParameter(f64),
    /// The size given to permute is not positive.
    PermuteSize,
    /// No `\pool` of this name has been read.
    UnknownPool(String),
    /// An argument is out of its range.
    Argument {
        /// The function and its argument, for instance `choose index`.
        name: &'static str,
        /// Its range, for instance `in range [1, 3]`.
        range: String,
        /// The argument that was given.
        given: String,
    },
}

impl EvalError {
    /// An integer that is out of its range, both ends of which belong to it.
    pub(super) fn int_argument(name: &'static str, first: i64, last: i64, given: i64) -> EvalError {
        EvalError::Argument {
            name,
            range: format!("in range [{first}, {last}]"),
            given: given.to_string(),
        }
    }

    /// A double that is out of its range, given in words.
    pub(super) fn double_argument(name: &'static str, range: String, given: f64) -> EvalError {
        EvalError::Argument {
            name,
            range,
            given: Fixed(given).to_string(),
        }
    }
}

impl fmt::Display for EvalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EvalError::UndefinedVariable(name) => write!(f, "undefined variable \"{name}\""),
            EvalError::UndefinedSleepVariable(name) => {
                write!(f, "sleep: undefined variable \"{name}\"")
            }
            EvalError::InvalidSleepTime { variable, value } => {
                write!(
                    f,
                    "sleep: invalid sleep time \"{value}\" for variable \"{variable}\""
                )
            }
            EvalError::MalformedVariable { variable, value } => {
                write!(f, "malformed variable \"{variable}\" value: \"{value}\"")
            }
            EvalError::IntegerOutOfRange(text) => {
                write!(f, "value \"{text}\" is out of range for type bigint")
            }
            EvalError::NotAnInteger(text) => {
                write!(f, "invalid input syntax for type bigint: \"{text}\"")
            }
            EvalError::BigintOutOfRange(operation) => write!(f, "bigint {operation} out of range"),
            EvalError::DivisionByZero => f.write_str("division by zero"),
            EvalError::Coercion { from, to } => write!(f, "cannot coerce {from} to {to}"),
            EvalError::DoubleToInt(double) => {
                write!(f, "double to int overflow for {}", Fixed(*double))
            }
            EvalError::EmptyRandomRange => f.write_str("empty range given to random"),
            EvalError::RandomRangeTooLarge => f.write_str("random range is too large"),
            EvalError::GaussianParameter(given) => {
                let minimum = Fixed(super::random::MIN_GAUSSIAN_PARAMETER);
                write!(
                    f,
                    "gaussian parameter must be at least {minimum} (not {})",
                    Fixed(*given)
                )
            }
            EvalError::ExponentialParameter(given) => write!(
                f,
                "exponential parameter must be greater than zero (not {})",
                Fixed(*given)
            ),
            EvalError::ZipfianParameter(given) => write!(
                f,
                "zipfian parameter must be in range [{:.3}, {:.0}] (not {})",
                super::random::MIN_ZIPFIAN_PARAMETER,
                super::random::MAX_ZIPFIAN_PARAMETER,
                Fixed(*given)
            ),
            EvalError::PermuteSize => {
                f.write_str("permute size parameter must be greater than zero")
            }
            EvalError::UnknownPool(name) => write!(f, "no pool \"{name}\""),
            EvalError::Argument { name, range, given } => {
                write!(f, "{name} must be {range} (not {given})")
            }
        }
    }
}

impl Error for EvalError {}

/// A double as C's `%f` prints it in PostgreSQL.
struct Fixed(f64);

impl fmt::Display for Fixed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            f64::INFINITY => f.write_str("Infinity"),
            f64::NEG_INFINITY => f.write_str("-Infinity"),
            other => write!(f, "{other:.6}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(source: &str, column: Option<usize>) -> ParseError {
        ParseError {
            script: "s".into(),
            line: 1,
            column,
            message: "m".into(),
            source_line: Some(source.into()),
            unsupported: None,
        }
    }

    #[test]
    fn the_caret_is_under_the_place() {
        assert_eq!(
            error("\\set i 1 +", Some(11)).caret_detail().unwrap(),
            "\\set i 1 +\n          ^ error found here"
        );
        assert_eq!(
            error("\\set i 1 \\\n  + ;", Some(16))
                .caret_detail()
                .unwrap(),
            "  + ;\n    ^ error found here"
        );
        // The first place after a line break is in the next line.
        assert_eq!(
            error("ab\ncd", Some(4)).caret_detail().unwrap(),
            "cd\n^ error found here"
        );
        assert_eq!(error("\\foo", None).caret_detail().unwrap(), "\\foo");
    }

    #[test]
    fn doubles_are_worded_as_in_c() {
        assert_eq!(
            EvalError::DoubleToInt(1e32).to_string(),
            "double to int overflow for 100000000000000005366162204393472.000000"
        );
        assert_eq!(
            EvalError::ZipfianParameter(1.0).to_string(),
            "zipfian parameter must be in range [1.001, 1000] (not 1.000000)"
        );
        assert_eq!(
            EvalError::GaussianParameter(f64::NAN).to_string(),
            "gaussian parameter must be at least 2.000000 (not NaN)"
        );
    }
}
