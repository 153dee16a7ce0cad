//! `CALL find_rate`: the highest rate at which nothing piles up, searched within one run whose rate is altered.
//!
//! * [`criteria`]: what a rate has to keep; [`judge`]: whether it does; [`bracket`]: which rate comes next;
//! * [`start`]: the arguments, and the run; [`drive`]: the session that waits, looks and alters;
//! * [`observe`]: what it looks at; [`record`]: the rows of the search; [`report`]: its result.

mod bracket;
mod criteria;
mod drive;
mod judge;
mod observe;
mod record;
mod report;
mod start;
