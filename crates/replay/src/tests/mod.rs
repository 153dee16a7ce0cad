//! Replays of made-up captures, with a made-up server.

pub mod capture;
mod divergences;
mod order;
mod times;
mod world;
