//! A process of the server: workers, latches, locks, shared memory, the clock.

pub mod clock;
pub mod detached;
pub mod dsm;
pub mod export;
pub mod helper;
pub mod latch;
pub mod lock;
pub mod random;
pub mod socket;
pub mod usage;
pub mod worker;
