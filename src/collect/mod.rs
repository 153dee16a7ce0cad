//! Snapshots of the server's state into history tables.
//!
//! * [`collector`]: what a collector is, and the table of them; one module each: [`bloat`],
//!   [`buffers`], [`wal`], [`wraparound`];
//! * [`sample`]: one sample: every collector in its own subtransaction, what it read stored, its
//!   outcome remembered;
//! * [`stepwise`]: the same in many transactions, for as long as it takes;
//! * [`calls`]: the SQL functions.
//!
//! A collector reads first and returns its rows; only [`sample`] writes. So a collector that fails
//! has written nothing, and one that does not read through SQL fits in just as well.

mod bloat;
mod buffers;
mod calls;
mod collector;
mod sample;
mod stepwise;
mod wal;
mod wraparound;

pub use collector::ALL;
pub use sample::{delete_run_samples, take_sample, take_tick};
