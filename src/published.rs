//! What is published of the code: tables of pages, and schemas of documents. Tests compare them, and write them anew if told.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;
use std::path::PathBuf;

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// Fails unless all that follows the first heading of the third level of a page is `tables`. PGPERF_WRITE_DOCS=1 writes it anew.
/// `tests`: what to name to cargo for that.
pub fn expect_tables(page: &str, tables: &str, tests: &str) {
    expect_text(page, "PGPERF_WRITE_DOCS", tests, |text| {
        let head = &text[..text.find("\n### ").unwrap()];
        format!("{head}{tables}")
    });
}

/// Fails unless a file is `expected`, which may keep parts of it. `write`: the variable that has it written anew.
pub fn expect_text(name: &str, write: &str, tests: &str, expected: impl FnOnce(&str) -> String) {
    let text = std::fs::read_to_string(file(name)).unwrap();
    let expected = expected(&text);
    if std::env::var_os(write).is_some() {
        std::fs::write(file(name), expected).unwrap();
        return;
    }
    assert!(
        text == expected,
        "{name} is not that of the code: {write}=1 tools/cargo test --lib {tests}"
    );
}

/// Fails unless the schema is that of the model, with every struct described by its own comments; for what is written, so that
/// nothing is optional. PGPERF_WRITE_SCHEMA=1 writes it anew. `function`: what gives such a document.
pub fn expect_schema<Model: JsonSchema>(name: &str, function: &str) {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let generator = settings.into_generator();
    let mut generated = generator.into_root_schema_for::<Model>().to_value();
    generated["$id"] = format!("https://pgperf/{name}").into();
    generated["title"] = function.into();
    let file = file("docs").join(name);
    if std::env::var_os("PGPERF_WRITE_SCHEMA").is_some() {
        let text = serde_json::to_string_pretty(&generated).unwrap() + "\n";
        std::fs::write(&file, text).unwrap();
    }
    let published: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert!(
        published == generated,
        "docs/{name} is not that of the model: PGPERF_WRITE_SCHEMA=1 tools/cargo test --lib schema"
    );
    assert!(jsonschema::meta::is_valid(&published));
}
