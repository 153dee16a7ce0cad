//! Safe wrappers over the server: the only place of `unsafe` code in pgperf.
//!
//! Each module wraps one concern of the server and keeps its rules (locks, snapshots, memory,
//! interrupts) to itself, so that the code above reads like what it does.
#![allow(unsafe_code)]

pub mod activity;
pub mod aggregate;
pub mod arguments;
pub mod btree_page;
pub mod buffers;
pub mod bulk;
pub mod checkpoint;
pub mod clock;
#[cfg(test)]
mod damaged_pages;
pub mod document;
pub mod dsm;
pub mod encoding;
mod entry;
pub mod error;
mod error_texts;
pub mod extension;
pub mod heap_page;
pub mod index_page;
pub mod json;
pub mod kept;
pub mod laps;
pub mod latch;
pub mod lock;
pub mod multixact;
pub mod names;
pub mod page;
pub mod params;
mod pipeline;
pub mod procedure;
pub mod progress;
pub mod random;
mod raw;
pub mod receiver;
pub mod refusal;
pub mod relation;
pub mod role;
pub mod server;
pub mod session;
pub mod setting;
mod simple_query;
pub mod spi;
mod statement;
pub mod subxact;
pub mod text;
pub mod undecoded;
pub mod usage;
pub mod waits;
pub mod wal;
pub mod worker;
pub mod xact;
pub mod xfs;
