//! What goes wrong under a run, a load, a sampler or a sweep: everything ends, and what was stored stays.

mod errors;
mod launcher;
mod nothing_lost;
mod objects;
mod resources;
mod settings;
mod signals;
mod standby;
mod taken_away;
