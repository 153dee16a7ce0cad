//! The server around pgperf: its installation, encodings, clock, and Citus.

mod citus;
mod encodings;
mod installation;
mod wall_clock;
