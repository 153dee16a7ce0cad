//! `CALL find_rate`: the highest rate without a growing backlog, searched within one run whose rate is altered.
//!
//! * [`criteria`]: the criteria that a rate has to meet; [`judge`]: whether it meets them; [`bracket`]: the choice of the
//!   next rate;
//! * [`start`]: the arguments, and the run; [`drive`]: the session that waits, polls and alters;
//! * [`observe`]: the values that it polls; [`record`]: the rows of the search; [`report`]: its result.

mod bracket;
mod criteria;
mod drive;
mod judge;
mod observe;
mod record;
mod report;
mod start;
