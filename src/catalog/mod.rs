//! What the history is filed under, for whoever reads or writes it: the [`node`]s, the [`runs`] and who may see or control
//! them, and whether what a worker leads is [`alive`]. [`distributed`]: the tables that Citus distributes.

pub mod alive;
pub mod distributed;
pub mod error;
mod functions;
pub mod node;
pub mod runs;
