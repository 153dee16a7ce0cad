//! Errors in the choice of a workload and in its options; below, in its scripts and in its tables.

mod scripts;
mod tables;

pub use scripts::ScriptError;
pub use tables::TableError;

use super::option::When;
use crate::error::Problem;
use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use thiserror::Error;

/// The result of checks that need no server.
pub type Result<T> = std::result::Result<T, WorkloadError>;

/// A wrong argument.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum WorkloadError {
    /// No workload has a name like this.
    #[error("unknown workload \"{name}\"")]
    UnknownWorkload {
        name: String,
        /// The names of all built-in workloads.
        built_in: String,
        /// The names of the stored workloads, where one of those would be accepted.
        stored: Vec<String>,
    },

    /// Several built-in workloads have names that start with this.
    #[error("workload name \"{name}\" is ambiguous")]
    AmbiguousWorkload {
        name: String,
        /// The names of all built-in workloads.
        built_in: String,
    },

    /// A stored workload of that name already exists.
    #[error("workload \"{0}\" already exists")]
    Exists(String),

    /// Only members of the workload's role may replace or drop it.
    #[error("must be a member of role \"{role}\" to replace or drop workload \"{name}\"")]
    NotControllable { name: String, role: String },

    /// The statements of other roles may be in a workload that was made of observed ones.
    #[error("must be a member of role \"{role}\" or of pg_monitor to use workload \"{name}\"")]
    NotVisible { name: String, role: String },

    /// A load without processes.
    #[error("jobs must be between 1 and {max}, not {0}", max = i32::MAX)]
    NoJobs(i32),

    /// An option has a value of another type, or one outside its range.
    #[error("{option} must be {expected}, not {value}")]
    BadValue {
        option: &'static str,
        /// Type, range and default.
        expected: String,
        value: String,
        /// The options of its family.
        known: String,
    },

    /// An option of another family's load.
    #[error("the tables of \"{family}\" have no option {option}")]
    ForeignOption {
        option: String,
        family: String,
        /// The options that they have.
        known: String,
    },

    /// An option that no workload of a run has.
    #[error("no workload of the run has an option {option}")]
    NoSuchOption {
        option: String,
        /// The options that they have.
        known: String,
    },

    /// An option of loads in a run, or of runs in a load.
    #[error("option {option} applies only to {}", match when { When::Run => "runs", _ => "loads" })]
    OtherTime { option: &'static str, when: When },

    /// An option that is given as an argument and in `options`.
    #[error("{0} is both an argument and in options")]
    GivenTwice(String),

    /// An argument of `init` for the option of a family that has no arguments.
    #[error("{option} is not an argument for the tables of \"{family}\"")]
    NoArgument {
        option: &'static str,
        family: String,
        value: String,
    },

    /// Tables for fewer clients.
    #[error("clients must be at most {most}, not {clients}")]
    TooManyClients {
        clients: usize,
        most: usize,
        /// What decides on the number.
        hint: String,
    },

    /// The scale has an argument of its own.
    #[error("options must not have scale")]
    ScaleAsOption,

    /// Options of a run whose workloads have none.
    #[error("options needs a workload that has options")]
    OptionsWithoutFamily,

    /// A load of a workload that only has scripts.
    #[error("workload \"{0}\" has no data set to load")]
    NoDataSet(String),

    /// Nothing to check.
    #[error("workload \"{0}\" has no conditions to check")]
    NoConditions(String),

    /// SQL of a stored workload that is no list of statements.
    #[error("{0}")]
    BadSql(String),

    /// A meta-command in the SQL of a stored workload.
    #[error("{argument}, line {line}: meta-commands are for scripts: {command}")]
    MetaCommand {
        argument: &'static str,
        line: u32,
        command: String,
    },

    /// Several statements where a query is needed.
    #[error("{0} must be a single query")]
    NoQuery(&'static str),

    /// Options that the family of a stored load does not read.
    #[error("the options of the load cannot be read: {0}")]
    BadOptions(String),

    /// A partition method that does not exist.
    #[error("invalid partition method, expecting \"range\" or \"hash\", got: \"{0}\"")]
    UnknownPartitionMethod(String),

    /// A partition method without partitions.
    #[error("partition_method requires partitions greater than zero")]
    MethodWithoutPartitions,

    /// The load has nothing to do.
    #[error("no initialization steps specified")]
    NoSteps,

    /// The load has a step that does not exist.
    #[error("unrecognized initialization step \"{step}\"")]
    UnknownStep { step: char, allowed: &'static str },
}

impl Problem for WorkloadError {
    fn sqlstate(&self) -> PgSqlErrorCode {
        use PgSqlErrorCode::*;
        match self {
            WorkloadError::UnknownWorkload { .. } | WorkloadError::AmbiguousWorkload { .. } => {
                ERRCODE_UNDEFINED_OBJECT
            }
            WorkloadError::Exists(_) => ERRCODE_DUPLICATE_OBJECT,
            WorkloadError::NotControllable { .. } | WorkloadError::NotVisible { .. } => {
                ERRCODE_INSUFFICIENT_PRIVILEGE
            }
            WorkloadError::BadSql(_) | WorkloadError::MetaCommand { .. } => ERRCODE_SYNTAX_ERROR,
            WorkloadError::NoJobs(_)
            | WorkloadError::BadValue { .. }
            | WorkloadError::ForeignOption { .. }
            | WorkloadError::NoSuchOption { .. }
            | WorkloadError::OtherTime { .. }
            | WorkloadError::GivenTwice(_)
            | WorkloadError::NoArgument { .. }
            | WorkloadError::TooManyClients { .. }
            | WorkloadError::ScaleAsOption
            | WorkloadError::OptionsWithoutFamily
            | WorkloadError::NoDataSet(_)
            | WorkloadError::NoConditions(_)
            | WorkloadError::NoQuery(_)
            | WorkloadError::BadOptions(_)
            | WorkloadError::UnknownPartitionMethod(_)
            | WorkloadError::MethodWithoutPartitions
            | WorkloadError::NoSteps
            | WorkloadError::UnknownStep { .. } => ERRCODE_INVALID_PARAMETER_VALUE,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            WorkloadError::UnknownWorkload {
                built_in, stored, ..
            } if !stored.is_empty() => Some(format!(
                "Built-in workloads are: {built_in}. Stored workloads are: {}.",
                stored.join(", ")
            )),
            WorkloadError::UnknownWorkload { built_in, .. }
            | WorkloadError::AmbiguousWorkload { built_in, .. } => {
                Some(format!("Built-in workloads are: {built_in}."))
            }
            WorkloadError::Exists(_) => Some("Use replace => true to replace it.".to_owned()),
            WorkloadError::UnknownStep { allowed, .. } => {
                Some(format!("Allowed step characters are: \"{allowed}\"."))
            }
            WorkloadError::BadValue { known, .. }
            | WorkloadError::ForeignOption { known, .. }
            | WorkloadError::NoSuchOption { known, .. } => Some(known.clone()),
            WorkloadError::OtherTime {
                when: When::Run, ..
            } => Some("Give it to pgperf.run, pgperf.start_run or pgperf.start_sweep.".to_owned()),
            WorkloadError::OtherTime { .. } => {
                Some("Give it to pgperf.init when the tables are loaded.".to_owned())
            }
            WorkloadError::GivenTwice(_) => Some("Give it once.".to_owned()),
            WorkloadError::NoArgument { option, value, .. } => Some(format!(
                "Give it in options => '{{\"{option}\": {value}}}'."
            )),
            WorkloadError::TooManyClients { hint, .. } => Some(hint.clone()),
            WorkloadError::ScaleAsOption => {
                Some("It is an argument of its own: scale => 10.".to_owned())
            }
            WorkloadError::OptionsWithoutFamily => Some(
                "Scripts, and stored workloads without options, have variables instead.".to_owned(),
            ),
            WorkloadError::NoDataSet(_) => {
                Some("Give setup_sql to pgperf.create_workload.".to_owned())
            }
            WorkloadError::NoConditions(_) => {
                Some("Give check_sql to pgperf.create_workload.".to_owned())
            }
            WorkloadError::MetaCommand { .. } => {
                Some("The SQL of a data set has statements and variables only.".to_owned())
            }
            WorkloadError::NotControllable { .. }
            | WorkloadError::NotVisible { .. }
            | WorkloadError::BadSql(_)
            | WorkloadError::NoQuery(_)
            | WorkloadError::NoJobs(_)
            | WorkloadError::BadOptions(_)
            | WorkloadError::UnknownPartitionMethod(_)
            | WorkloadError::MethodWithoutPartitions
            | WorkloadError::NoSteps => None,
        }
    }
}
