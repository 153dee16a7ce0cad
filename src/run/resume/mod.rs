//! Runs that go on after an interruption, in a further segment.
//!
//! One mechanism: a run's figures are the sum over its segments. While it runs its leader stores what they come to so
//! far, with each interval ([`points`]); the leader of a further segment begins with that ([`state`]) and adds its own.
//! What came after the last stored interval is lost, and counts as not done.
//!
//! | module | what it does |
//! |---|---|
//! | [`state`] | what earlier segments have come to |
//! | [`points`] | storing that, and the segments |
//! | [`start`] | `resume_run`: the checks, the next leader; and giving it up |
//! | [`worker`] | looks for interrupted runs in each database when the server has started |

pub mod points;
pub mod start;
pub mod state;
pub mod worker;
