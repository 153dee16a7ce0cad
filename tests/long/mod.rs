//! Checks over a long time: nothing grows. make soak and make test-thousand-runs take longer.

mod many_runs;
mod soak;
