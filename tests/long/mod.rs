//! Checks over a long time: nothing grows. make soak and make test-thousand-runs take longer.

mod full_day;
mod history_size;
mod many_runs;
mod soak;
