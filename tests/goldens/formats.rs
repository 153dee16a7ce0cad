//! The documents for programs keep what release 1.2.0 published of them, for as long as their number is the same: `schemas` has its schemas.

use std::fs;

use super::folder;
use crate::common::schemas::schema_errors;

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
        let text = fs::read_to_string(&path).expect("a file");
        let document = serde_json::from_str(&text).expect("JSON");
        let schema = format!("tests/goldens/schemas/{schema}.schema.json");
        let mut errors = schema_errors(&schema, &document);
        errors.retain(|error| !error.contains("\"node_id\""));
        assert!(errors.is_empty(), "{file}:\n{}", errors.join("\n"));
        validated += 1;
    }
    assert!(validated >= 25, "{validated}");
}
