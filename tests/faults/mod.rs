//! Faults during a run, a load, a sampler or a sweep: everything ends, and stored data stays.

mod errors;
mod launcher;
mod nothing_lost;
mod objects;
mod promotion;
mod resources;
mod session_cycle;
mod settings;
mod signals;
mod standby;
mod taken_away;
mod terminations;
