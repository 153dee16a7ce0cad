//! Errors of the tables that a workload runs on, or that a load would create.

use crate::error::Problem;
use crate::pg::sql::quote::quote_ident;
use crate::workload::given::Given;
use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use serde_json::Value;
use thiserror::Error;

/// A workload's tables do not exist, or a load must not create them.
#[derive(Debug, Error)]
pub enum TableError {
    #[error("relation \"{relation}\" of workload \"{workload}\" does not exist or is empty")]
    Missing {
        relation: String,
        workload: String,
        schema: Option<String>,
        /// The options of the run that are also options of the load.
        options: Given,
    },

    /// The tables are there, but not a function that the workload's own load creates.
    #[error(
        "function \"{function}\" of workload \"{workload}\" does not exist in schema \"{schema}\""
    )]
    MissingFunction {
        function: &'static str,
        workload: String,
        schema: String,
        /// A workload of the family that calls no function.
        other: Option<&'static str>,
    },

    /// There are no tables whose names are known: no load has created any.
    #[error("the data set of workload \"{workload}\" is not loaded")]
    NotLoaded {
        workload: String,
        schema: Option<String>,
    },

    /// A load of them has not ended, or has failed.
    #[error("the tables of workload \"{workload}\" are not completely loaded")]
    Incomplete { workload: String, schema: String },

    /// `init` would drop or truncate a table that pgperf did not create for this data set.
    #[error("relation \"{relation}\" already exists and {}", match data_set {
        None => "was not created by pgperf".to_owned(),
        Some(data_set) => format!("belongs to the data set \"{data_set}\""),
    })]
    Foreign {
        relation: String,
        /// The data set for which pgperf has created it; None: somebody else did.
        data_set: Option<String>,
    },

    /// `init` would replace a table that Citus distributes with a local one.
    #[error(
        "relation \"{relation}\" is distributed by Citus, and cannot be replaced by a local table"
    )]
    Distributed { relation: String },

    #[error("schema \"{schema}\" does not exist")]
    MissingSchema { schema: String },

    #[error("{}", if *exists {
        format!("permission denied for tablespace {tablespace}")
    } else {
        format!("tablespace \"{tablespace}\" does not exist")
    })]
    TablespaceUnusable { tablespace: String, exists: bool },

    #[error("permission denied to create tables in schema \"{schema}\"")]
    NoCreatePrivilege { schema: String },
}

impl Problem for TableError {
    fn sqlstate(&self) -> PgSqlErrorCode {
        use PgSqlErrorCode::*;
        match self {
            TableError::Missing { .. } | TableError::NotLoaded { .. } => ERRCODE_UNDEFINED_TABLE,
            TableError::MissingFunction { .. } => ERRCODE_UNDEFINED_FUNCTION,
            TableError::Incomplete { .. } => ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
            TableError::Foreign { .. } => ERRCODE_DUPLICATE_TABLE,
            TableError::Distributed { .. } => ERRCODE_FEATURE_NOT_SUPPORTED,
            TableError::MissingSchema { .. } => ERRCODE_INVALID_SCHEMA_NAME,
            TableError::TablespaceUnusable { exists: false, .. } => ERRCODE_UNDEFINED_OBJECT,
            TableError::TablespaceUnusable { .. } | TableError::NoCreatePrivilege { .. } => {
                ERRCODE_INSUFFICIENT_PRIVILEGE
            }
        }
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            TableError::Missing { workload, schema, options, .. } => creation(workload, schema, options),
            TableError::MissingFunction { workload, schema, other, .. } => {
                let load = format!("CALL pgperf.init('{workload}', schema => '{}')", schema.replace('\'', "''"));
                match other {
                    Some(other) => format!("The tables are of another program: run {other}, or load tables with the functions: {load}"),
                    None => format!("Load the tables with the functions: {load}"),
                }
            }
            TableError::NotLoaded { workload, schema } => creation(workload, schema, &Given::new()),
            TableError::Incomplete { workload, schema } => {
                format!("Load them: CALL pgperf.init('{workload}', scale => 1, schema => '{schema}')")
            }
            TableError::Foreign { .. } => {
                "Use another schema => '...', drop the table, or let the load drop it: replace => true.".to_owned()
            }
            TableError::Distributed { .. } => {
                "Use another schema => '...', or drop the table, or make it local with undistribute_table().".to_owned()
            }
            TableError::MissingSchema { schema } => format!("CREATE SCHEMA {}", quote_ident(schema)),
            TableError::TablespaceUnusable { .. } | TableError::NoCreatePrivilege { .. } => return None,
        };
        Some(hint)
    }
}

/// The call that creates a workload's tables.
fn creation(workload: &str, schema: &Option<String>, options: &Given) -> String {
    let options = match options.is_empty() {
        true => String::new(),
        false => {
            let text = Value::Object(options.clone()).to_string();
            format!(", options => '{}'", text.replace('\'', "''"))
        }
    };
    let quoted = |text: &str| text.replace('\'', "''");
    let workload = quoted(workload);
    match schema.as_deref().map(quoted) {
        Some(schema) => format!(
            "Create it: CALL pgperf.init('{workload}', scale => 1, schema => '{schema}'{options})"
        ),
        None => format!(
            "Create it: CALL pgperf.init('{workload}', scale => 1{options}), or name its schema: schema => '...'"
        ),
    }
}
