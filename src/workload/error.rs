//! What can be wrong with the choice of a workload or the options of its load.

use thiserror::Error;

/// The result of everything here that can fail.
pub type Result<T> = std::result::Result<T, Error>;

/// A wrong argument.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Error {
    /// No workload has a name like this.
    #[error("unknown workload \"{name}\"")]
    UnknownWorkload {
        name: String,
        /// The names of the stored workloads, where one of those would do.
        stored: Vec<String>,
    },

    /// Several built-in workloads have a name that starts like this.
    #[error("workload name \"{0}\" is ambiguous")]
    AmbiguousWorkload(String),

    /// An option of the load has a value outside its range.
    #[error("{option} must be between {min} and {max}, not {value}")]
    OutOfRange {
        option: &'static str,
        value: i32,
        min: i32,
        max: i32,
    },

    /// A method without partitions.
    #[error("partition_method requires partitions greater than zero")]
    MethodWithoutPartitions,

    /// The load has nothing to do.
    #[error("no initialization steps specified")]
    NoSteps,

    /// The load has a step that does not exist.
    #[error("unrecognized initialization step \"{step}\"")]
    UnknownStep { step: char, allowed: &'static str },
}

impl Error {
    /// What the user can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Error::UnknownWorkload { stored, .. } if !stored.is_empty() => Some(format!(
                "{} Stored workloads are: {}.",
                built_in(),
                stored.join(", ")
            )),
            Error::UnknownWorkload { .. } | Error::AmbiguousWorkload(_) => Some(built_in()),
            Error::UnknownStep { allowed, .. } => {
                Some(format!("Allowed step characters are: \"{allowed}\"."))
            }
            Error::OutOfRange { .. } | Error::MethodWithoutPartitions | Error::NoSteps => None,
        }
    }
}

fn built_in() -> String {
    let names: Vec<_> = super::all().iter().map(|workload| workload.name).collect();
    format!("Built-in workloads are: {}.", names.join(", "))
}
