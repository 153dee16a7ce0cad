//! The published JSON schema describes the model, and documents conform to it.

use super::Report;
use crate::published::expect_schema;

#[test]
fn the_published_schema_is_the_model_s() {
    expect_schema::<Report>("report.schema.json", "pgperf.report_json");
}
