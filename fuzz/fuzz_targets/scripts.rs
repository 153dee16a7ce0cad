//! Whatever text comes: a script or an error, and no command of the script does harm.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| pgperf_fuzz::exercise_script(text));
