//! Runs over the wire, to the server that they are started in.

mod calibrate;
mod ends;
mod on_the_wire;
mod same_rows;
mod sessions;
mod who_may;

use crate::common::Cluster;
use crate::common::aftermath::Aftermath;
use crate::common::runs::{PATIENCE, Runs};
use crate::common::wait_until;
use postgres::Client;

/// A cluster in which remains can be found; it starts as a session's user whom the socket knows.
fn cluster() -> Cluster {
    Cluster::for_faults(&["max_connections = 400"])
}

/// Expects that neither workers nor sessions of a run are left, now or very soon.
fn expect_nothing_left(session: &mut Client, after: &str) {
    wait_until(&format!("no session left after {after}"), PATIENCE, || {
        session.number(
            "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'pgperf run%'",
        ) == 0
    });
    session.expect_nothing_left(after);
}
