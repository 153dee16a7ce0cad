//! Runs on several nodes: each has a run of its own, a part of the whole, in its own workers. The run of the whole has a conductor where others
//! have a leader.
//!
//! * [`begin`]: the call, and what is checked on each node before anything starts;
//! * [`on_node`]: what a node is asked: whether it can, to start, how far it is;
//! * [`conductor`]: the worker that starts the parts, follows them, and stores what they have done together; a [`member`] is one of them;
//! * [`intervals`], [`whole`], [`commands`]: the rows of the whole, made of those of the parts; [`figures`]: the figures of several runs as
//!   those of one.

mod begin;
mod commands;
pub mod conductor;
mod figures;
mod intervals;
mod member;
mod on_node;
mod whole;
