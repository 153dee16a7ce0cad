//! A run's shared memory, which crate `memory` lays out, and what a client's process leaves for the leader in a segment of its own.

pub mod first_client;

pub use memory::{
    Counts, Layout, Phase, Published, Shared, board, errors, pack, rate, reading, slot, unpack,
};
