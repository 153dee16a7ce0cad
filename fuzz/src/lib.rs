//! Fuzz targets of the script language, which is plain Rust: its sources are used as they are, without the
//! server.
//!
//! `cargo install cargo-fuzz`, then in the main folder
//! `RUSTC_BOOTSTRAP=1 cargo fuzz run scripts fuzz/corpus/scripts fuzz/seeds -- -max_total_time=300`
//! and the same with `expressions`.
#![allow(dead_code)] // what only the extension uses
#![allow(unused_imports)]

#[path = "../../src/script/mod.rs"]
mod script;

#[path = "../../src/script/tests/exercise.rs"]
mod exercise;

pub use exercise::{exercise_expression, exercise_script};
