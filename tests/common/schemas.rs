//! Documents for programs beside the schemas that describe them.

use serde_json::Value;

use super::document;

/// Where a document is not as the schema in this file of the checkout says.
pub fn schema_errors(schema: &str, found: &Value) -> Vec<String> {
    let schema: Value = serde_json::from_str(&document(schema)).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    validator
        .iter_errors(found)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect()
}
