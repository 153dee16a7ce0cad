//! Runs that continue after an interruption, in a further segment.
//!
//! The figures of a run are sums over its segments. With each interval its leader stores the sums so far ([`points`]). The
//! leader of the next segment reads them ([`state`]) and adds its own. Work after the last stored interval is not counted.
//!
//! | module | what it does |
//! |---|---|
//! | [`state`] | the sums of earlier segments |
//! | [`points`] | storage of these sums, and the segments |
//! | [`start`] | `resume_run`: the checks, and the next leader; and the end of a run that is not resumed |
//! | [`worker`] | the worker that finds interrupted runs in a database after the server's start |

pub mod points;
pub mod start;
pub mod state;
pub mod worker;
