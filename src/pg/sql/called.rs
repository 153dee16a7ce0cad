//! What functions that SQL calls give.

use super::text::{Json, Text};
use crate::error::Error;
use pgrx::iter::SetOfIterator;
use pgrx::pg_sys::panic::ErrorReport;
use serde::Serialize;

/// A result, or the error that ends the call.
pub type Called<T> = Result<T, ErrorReport>;
/// A text, each line a row.
pub type Lines = SetOfIterator<'static, Text>;

/// A text as rows.
pub fn lines(lines: Vec<String>) -> Lines {
    SetOfIterator::new(lines.into_iter().map(Text))
}

/// A document as jsonb.
pub fn document(document: &impl Serialize) -> Called<Json> {
    Ok(Json(serde_json::to_value(document).map_err(Error::from)?))
}
