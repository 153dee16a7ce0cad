//! Errors of the tables that a workload runs on.

use crate::error::{Error, failure};
use crate::workload::given::Given;
use pgrx::pg_sys::errcodes::PgSqlErrorCode::{
    ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, ERRCODE_UNDEFINED_TABLE,
};
use serde_json::Value;

/// A table is not there, or empty. `options`: those of the run that are also options of the load.
pub fn missing(relation: &str, workload: &str, schema: Option<&str>, options: &Given) -> Error {
    let message =
        format!("relation \"{relation}\" of workload \"{workload}\" does not exist or is empty");
    failure(ERRCODE_UNDEFINED_TABLE, message).hinting(creation(workload, schema, options))
}

/// There are no tables whose names are known: no load has created any.
pub fn not_loaded(workload: &str, schema: Option<&str>) -> Error {
    let message = format!("the data set of workload \"{workload}\" is not loaded");
    failure(ERRCODE_UNDEFINED_TABLE, message).hinting(creation(workload, schema, &Given::new()))
}

/// A load of them has not ended, or has failed.
pub fn incomplete(workload: &str, schema: &str) -> Error {
    let message = format!("the tables of workload \"{workload}\" are not completely loaded");
    failure(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, message).hinting(format!(
        "Load them: CALL pgperf.init('{workload}', scale => 1, schema => '{schema}')"
    ))
}

/// The call that creates a workload's tables.
fn creation(workload: &str, schema: Option<&str>, options: &Given) -> String {
    let options = match options.is_empty() {
        true => String::new(),
        false => {
            let text = Value::Object(options.clone()).to_string();
            format!(", options => '{}'", text.replace('\'', "''"))
        }
    };
    let quoted = |text: &str| text.replace('\'', "''");
    let workload = quoted(workload);
    match schema.map(quoted) {
        Some(schema) => format!(
            "Create it: CALL pgperf.init('{workload}', scale => 1, schema => '{schema}'{options})"
        ),
        None => format!(
            "Create it: CALL pgperf.init('{workload}', scale => 1{options}), or name its schema: schema => '...'"
        ),
    }
}
