//! The published JSON schema says what the model is.

use super::History;
use crate::published::expect_schema;

#[test]
fn the_published_schema_is_the_model_s() {
    expect_schema::<History>("history.schema.json", "pgperf.history_json");
}
