//! The main functions of the workers, by the names under which the postmaster finds them.

use pgrx::pg_sys;
use pgrx::prelude::*;

#[pg_guard]
#[unsafe(no_mangle)]
pub extern "C-unwind" fn pgperf_leader_main(_argument: pg_sys::Datum) {
    crate::run::leader::main();
}

#[pg_guard]
#[unsafe(no_mangle)]
pub extern "C-unwind" fn pgperf_client_main(_argument: pg_sys::Datum) {
    crate::run::client::main();
}

/// A yardstick of `bench/run`, not part of the extension.
#[cfg(feature = "bench")]
#[pg_guard]
#[unsafe(no_mangle)]
pub extern "C-unwind" fn pgperf_session_loop_main(_argument: pg_sys::Datum) {
    crate::session_loop::main();
}

#[pg_guard]
#[unsafe(no_mangle)]
pub extern "C-unwind" fn pgperf_side_main(_argument: pg_sys::Datum) {
    crate::run::side_sql::main();
}
