//! Loading a data set.

mod bulk;
mod how_loads_end;
mod memory;
mod progress;
mod rules;
mod statements;
