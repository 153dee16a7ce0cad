//! What the server calls by name: the main functions of the workers, and the library's beginning.

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

#[pg_guard]
#[unsafe(no_mangle)]
pub extern "C-unwind" fn pgperf_sweep_main(_argument: pg_sys::Datum) {
    crate::sweep::worker::main();
}

#[pg_guard]
#[unsafe(no_mangle)]
pub extern "C-unwind" fn pgperf_sampler_main(_argument: pg_sys::Datum) {
    crate::sampler::worker::main();
}

#[pg_guard]
#[unsafe(no_mangle)]
pub extern "C-unwind" fn pgperf_launcher_main(_argument: pg_sys::Datum) {
    crate::sampler::launcher::main();
}

#[pg_guard]
#[unsafe(no_mangle)]
pub extern "C-unwind" fn pgperf_resumer_main(_argument: pg_sys::Datum) {
    crate::run::resume::worker::main();
}

/// When the library is loaded: with the server, or at a session's first call.
#[pg_guard]
pub extern "C-unwind" fn _PG_init() {
    crate::guc::define();
    if super::worker::server_is_loading_libraries() && !super::worker::in_binary_upgrade() {
        crate::sampler::launcher::register();
    }
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
