//! The catch-up of a run's receivers, standbys and consumers of logical slots, after its clients have ended: `drain` and `drain_sql`.
//!
//! | module | contents |
//! |---|---|
//! | [`request`] | the arguments, and what is to be waited for |
//! | [`check`] | whether the server has those receivers, before anything starts |
//! | [`history`] | when the WAL reached a position: lag in seconds |
//! | [`receivers`] | where they are, how far that is behind, and when each has caught up |
//! | [`rows`] | the rows that are stored, and the metrics |
//! | [`until_true`] | the session that repeats `drain_sql` |

pub mod check;
mod history;
pub mod receivers;
pub mod request;
pub mod rows;
pub mod until_true;
