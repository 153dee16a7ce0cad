//! The documents for programs keep what release 1.2.0 published of them, for as long as their number is the same: `schemas` has its schemas.

use std::fs;

use serde_json::Value;

use super::folder;

/// The schema of a file in `shown`, if it has one. Those of other programs' results lack their node, as does a line of windows.
fn schema_of(file: &str) -> Option<&'static str> {
    let name = file.strip_suffix(".json")?;
    match name {
        "window" => Some("history"),
        "windows" | "search.search" => None,
        _ if name.starts_with("other_") => None,
        _ if name.starts_with("sweep") => Some("sweep-report"),
        _ => Some("report"),
    }
}

#[test]
fn are_as_a_release_has_published_them() {
    let mut validated = 0;
    for entry in fs::read_dir(folder("shown")).expect("the folder") {
        let path = entry.expect("a file").path();
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let Some(schema) = schema_of(&file) else {
            continue;
        };
        let read = |path| -> Value {
            serde_json::from_str(&fs::read_to_string(path).expect("a file")).expect("JSON")
        };
        let schema = read(folder("schemas").join(format!("{schema}.schema.json")));
        let validator = jsonschema::validator_for(&schema).expect("a schema");
        let errors: Vec<String> = validator
            .iter_errors(&read(path.clone()))
            .map(|error| format!("{}: {error}", error.instance_path()))
            .filter(|error| !error.contains("\"node_id\""))
            .collect();
        assert!(errors.is_empty(), "{file}:\n{}", errors.join("\n"));
        validated += 1;
    }
    assert!(validated >= 25, "{validated}");
}
