//! Runs that go on after an interruption, in a further segment.
//!
//! One mechanism: a run's figures are the sum over its segments. While it runs its leader stores what they come to so
//! far, with each interval ([`keep`]); the leader of a further segment begins with that ([`carried`]) and adds its own.
//! What came after the last stored interval is lost, and counts as not done.
//!
//! | module | what it does |
//! |---|---|
//! | [`carried`] | what earlier segments have come to |
//! | [`keep`] | storing that, and the segments |
//! | [`start`] | `resume_run`: the checks, the next leader; and giving it up |
//! | [`worker`] | looks for interrupted runs in each database when the server has started |

pub mod carried;
pub mod keep;
pub mod start;
pub mod worker;
