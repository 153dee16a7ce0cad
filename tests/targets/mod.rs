//! Other servers as targets: foreign servers of pgperf_target, and what they tell. docs/targets.md and docs/security.md name these tests.

mod between;
mod comparing;
mod hanging;
mod loads;
mod losses;
mod majors;
mod nodes;
mod options;
mod runs;
mod sampler;
mod samples;
mod security;
mod several;
mod standing;
