//! The published JSON schema says what the model is.

use super::History;
use schemars::generate::SchemaSettings;
use serde_json::Value;
use std::path::Path;

/// With every struct described by its own comments; for what is written, so that nothing is optional.
fn generated() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let generator = settings.into_generator();
    let mut schema = generator.into_root_schema_for::<History>().to_value();
    schema["$id"] = "https://pgperf/history.schema.json".into();
    schema["title"] = "pgperf.history_json".into();
    schema
}

/// PGPERF_WRITE_SCHEMA=1 writes it anew.
#[test]
fn the_published_schema_is_the_model_s() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/history.schema.json");
    let generated = generated();
    if std::env::var_os("PGPERF_WRITE_SCHEMA").is_some() {
        let text = serde_json::to_string_pretty(&generated).unwrap() + "\n";
        std::fs::write(&file, text).unwrap();
    }
    let published: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert!(
        published == generated,
        "docs/history.schema.json is not that of the model: PGPERF_WRITE_SCHEMA=1 tools/cargo test --lib schema"
    );
    assert!(jsonschema::meta::is_valid(&published));
}
