//! Whatever expression comes: a value or an error, in bounded time.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| pgperf_fuzz::exercise_expression(text));
