//! Errors of the tables that a workload runs on.

use crate::error::{Error, failure};
use crate::workload::given::Given;
use pgrx::pg_sys::errcodes::PgSqlErrorCode::{
    ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, ERRCODE_UNDEFINED_TABLE,
};
use serde_json::Value;

/// A table is not there, or empty. `options`: those of the run that are also options of the load.
pub fn missing(
    server: Option<&str>,
    relation: &str,
    workload: &str,
    schema: Option<&str>,
    options: &Given,
) -> Error {
    let message =
        format!("relation \"{relation}\" of workload \"{workload}\" does not exist or is empty");
    failure(ERRCODE_UNDEFINED_TABLE, message).hinting(creation(server, workload, schema, options))
}

/// There are no tables whose names are known: no load has created any.
pub fn not_loaded(server: Option<&str>, workload: &str, schema: Option<&str>) -> Error {
    let message = format!("the data set of workload \"{workload}\" is not loaded");
    failure(ERRCODE_UNDEFINED_TABLE, message).hinting(creation(
        server,
        workload,
        schema,
        &Given::new(),
    ))
}

/// A load of them has not ended, or has failed.
pub fn incomplete(server: Option<&str>, workload: &str, schema: &str) -> Error {
    let message = format!("the tables of workload \"{workload}\" are not completely loaded");
    failure(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, message).hinting(format!(
        "Load them: CALL pgperf.init('{workload}', scale => 1, schema => '{schema}'{})",
        argument("server", server)
    ))
}

/// The call that creates a workload's tables.
fn creation(server: Option<&str>, workload: &str, schema: Option<&str>, options: &Given) -> String {
    let options = (!options.is_empty()).then(|| Value::Object(options.clone()).to_string());
    let arguments = [
        argument("schema", schema),
        argument("options", options.as_deref()),
        argument("server", server),
    ];
    let workload = workload.replace('\'', "''");
    let arguments = arguments.concat();
    let call = format!("CALL pgperf.init('{workload}', scale => 1{arguments})");
    match schema {
        Some(_) => format!("Create it: {call}"),
        None => format!("Create it: {call}, or name its schema: schema => '...'"),
    }
}

/// One more argument of a call, if it is given.
fn argument(name: &str, value: Option<&str>) -> String {
    value.map_or_else(String::new, |value| {
        format!(", {name} => '{}'", value.replace('\'', "''"))
    })
}
