//! Functions that the server calls by name: the main functions of the workers, and the library's initialization.
//! Above everything else, so that nothing below has to import upward.

use crate::pg::capture;
use crate::pg::process::{export, worker};
use crate::{captures, experiment, guc, run, sampler, show};
use pgrx::prelude::*;

export::worker_mains! {
    pgperf_leader_main => lead;
    pgperf_client_main => run::client::main;
    pgperf_wire_main => run::client::wire::main;
    pgperf_side_main => run::side_sql::main;
    pgperf_target_side_main => run::side_sql::main_on_target;
    pgperf_disturbance_main => run::disturbance::session::main;
    pgperf_resumer_main => resume;
    pgperf_sweep_main => experiment::worker::main;
    pgperf_sampler_main => sampler::worker::main;
    pgperf_launcher_main => sampler::launcher::main;
    pgperf_capture_main => captures::writer::main;
    // A yardstick of `bench/run`, not part of the extension.
    #[cfg(feature = "bench")]
    pgperf_session_loop_main => crate::session_loop::main;
}

export::helper_mains! {
    pgperf_history_reader_main => show::span::ahead::main;
}

/// A run, whether it has clients or nodes.
fn lead() {
    run::leader::main(run::nodes::conductor::conduct);
}

/// What was interrupted by the server's end.
fn resume() {
    run::resume::worker::main(experiment::resume_restarted);
}

/// When the library is loaded: with the server, or at a session's first call.
#[pg_guard]
pub extern "C-unwind" fn _PG_init() {
    guc::define();
    if worker::server_is_loading_libraries() && !worker::in_binary_upgrade() {
        sampler::launcher::register();
        capture::install();
    }
}
