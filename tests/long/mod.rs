//! What only shows in the long run: nothing grows. make soak and make test-thousand-runs take longer.

mod many_runs;
mod soak;
