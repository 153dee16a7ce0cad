//! The documentation and the extension agree.

mod documented;
mod questions;
mod studies;
mod study;
