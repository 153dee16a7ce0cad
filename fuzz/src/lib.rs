//! Fuzz targets of the script language.
//!
//! `cargo install cargo-fuzz`, then in the main folder
//! `RUSTC_BOOTSTRAP=1 cargo fuzz run scripts fuzz/corpus/scripts fuzz/seeds -- -max_total_time=300`
//! and the same with `expressions`.

// What the unit tests do with a text.
#[path = "../../crates/script/src/tests/exercise.rs"]
mod exercise;

pub use exercise::{exercise_expression, exercise_script};
use pgperf_script::*;
