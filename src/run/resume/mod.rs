//! Runs that continue after an interruption, in a further segment.
//!
//! One mechanism: a run's figures are the sums over its segments. While it runs, its leader stores the sums so far
//! with each interval ([`points`]); the leader of a further segment begins with them ([`state`]) and adds its own.
//! Work after the last stored interval is lost, and counts as not done.
//!
//! | module | what it does |
//! |---|---|
//! | [`state`] | the sums of earlier segments |
//! | [`points`] | storing these, and the segments |
//! | [`start`] | `resume_run`: the checks, the next leader; and giving it up |
//! | [`worker`] | looks for interrupted runs in each database when the server has started |

pub mod points;
pub mod start;
pub mod state;
pub mod worker;
