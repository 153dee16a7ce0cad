//! The keys of the history: the [`node`]s, the [`runs`] and who may see or control them, and whether a run or sweep
//! is [`alive`]. [`target_node`]: the nodes of targets; `timeline`: what becomes of a node by a promotion; [`distributed`]: the tables that
//! Citus distributes.

pub mod alive;
pub mod distributed;
pub mod error;
mod functions;
pub mod node;
pub mod runs;
pub mod target_node;
mod timeline;
