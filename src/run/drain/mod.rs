//! The catch-up of a run's receivers after its clients have ended: `drain` and `drain_sql`. Receivers are standbys and
//! consumers of logical slots.
//!
//! | module | contents |
//! |---|---|
//! | [`request`] | the arguments: the receivers to wait for |
//! | [`check`] | the check that the server has these receivers, before the run starts |
//! | [`history`] | the times at which the WAL reached a position: lag in seconds |
//! | [`receivers`] | the positions of the receivers, their lag, and when each has caught up |
//! | [`rows`] | the stored rows, and the metrics |
//! | [`until_true`] | the session that repeats `drain_sql` |

pub mod check;
mod history;
pub mod receivers;
pub mod request;
pub mod rows;
pub mod until_true;
