//! The second yardstick for pgperf's own loop, built with the feature `bench` only: a worker that sends a
//! workload's statements through the same session as a client of a run ([`crate::pg::session`]), with neither
//! the script language nor clock, counters or histograms around them.
//!
//! `session_loop(script text, seconds integer, scale integer)` returns the worker's pid; the worker writes
//! `session_loop <pid>: <rate> tps` to the server's log. What a run is slower by is what its language and its
//! measuring cost.

use crate::error::Result;
use crate::pg::error::SqlError;
use crate::pg::process::worker::{self, Extra, OnCancel, WorkerStatus};
use crate::pg::process::{clock, latch};
use crate::pg::server;
use crate::pg::session::params::Params;
use crate::pg::session::receiver::ResultMode;
use crate::pg::session::{Session, Statement};
use crate::service::start::did_not_start;
use pgrx::pg_sys::Oid;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use script::Prng;
use script::random::uniform;
use std::time::Duration;

/// The values that a transaction draws; a statement's parameters are some of them.
const AID: usize = 0;
const BID: usize = 1;
const TID: usize = 2;
const DELTA: usize = 3;

type Step = (&'static str, &'static [usize]);

const SELECT_ONLY: &[Step] = &[(
    "SELECT abalance FROM pgbench_accounts WHERE aid = $1;",
    &[AID],
)];

const TPCB_LIKE: &[Step] = &[
    ("BEGIN;", &[]),
    (
        "UPDATE pgbench_accounts SET abalance = abalance + $1 WHERE aid = $2;",
        &[DELTA, AID],
    ),
    (
        "SELECT abalance FROM pgbench_accounts WHERE aid = $1;",
        &[AID],
    ),
    (
        "UPDATE pgbench_tellers SET tbalance = tbalance + $1 WHERE tid = $2;",
        &[DELTA, TID],
    ),
    (
        "UPDATE pgbench_branches SET bbalance = bbalance + $1 WHERE bid = $2;",
        &[DELTA, BID],
    ),
    (
        "INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) VALUES ($1, $2, $3, $4, CURRENT_TIMESTAMP);",
        &[TID, BID, AID, DELTA],
    ),
    ("END;", &[]),
];

/// Starts the worker.
#[pg_extern(sql = false)]
fn session_loop(script: &str, seconds: i32, scale: i32) -> std::result::Result<i32, ErrorReport> {
    Ok(start(script, seconds, scale)?)
}

fn start(script: &str, seconds: i32, scale: i32) -> Result<i32> {
    let mut order = Extra::default();
    order[0] = u64::from(u32::from(server::database()));
    order[1] = u64::from(u32::from(server::current_role()));
    order[2] = u64::from(script == "tpcb-like");
    order[3] = seconds.unsigned_abs().into();
    order[4] = scale.unsigned_abs().into();
    let worker = worker::register(
        "session_loop",
        "session_loop",
        "pgperf_session_loop_main",
        &order,
    )
    .ok_or_else(|| did_not_start("session loop"))?;
    loop {
        match worker.status() {
            WorkerStatus::Running(pid) => return Ok(pid),
            WorkerStatus::NotYetStarted => {
                latch::wait(Duration::from_millis(2));
            }
            WorkerStatus::Stopped | WorkerStatus::PostmasterDied => {
                return Err(did_not_start("session loop"));
            }
        }
    }
}

/// The main function of the worker.
pub fn main() {
    let order = worker::extra();
    worker::start(
        Oid::from(order[0] as u32),
        Oid::from(order[1] as u32),
        OnCancel::CancelStatement,
    );
    let steps = if order[2] == 1 {
        TPCB_LIKE
    } else {
        SELECT_ONLY
    };
    let pid = std::process::id();
    let end = match run(steps, order[3] * 1_000_000_000, order[4] as i64) {
        Ok(tps) => format!("session_loop {pid}: {tps:.1} tps"),
        Err(error) => format!("session_loop {pid} failed: {}", error.message),
    };
    server::log(&end);
    latch::report_statistics(true);
}

fn run(steps: &[Step], duration_ns: u64, scale: i64) -> std::result::Result<f64, SqlError> {
    let mut session = Session::new(ResultMode::Discard);
    let statements: Vec<(Statement, &[usize])> = steps
        .iter()
        .map(|(sql, params)| Ok((session.prepare(sql, params.len())?, *params)))
        .collect::<std::result::Result<_, SqlError>>()?;
    let tpcb = steps.len() > 1;
    let mut prng = Prng::new(u64::from(std::process::id()));
    let mut params = Params::default();
    let mut transactions = 0u64;
    let began = clock::now();
    let (mut now, mut reported_at) = (began, began);
    while now < began + duration_ns {
        // The clock is read now and then, so that it costs nothing.
        for _ in 0..64 {
            let mut values = [0; 4];
            values[AID] = uniform(&mut prng, 1, 100_000 * scale);
            if tpcb {
                values[BID] = uniform(&mut prng, 1, scale);
                values[TID] = uniform(&mut prng, 1, 10 * scale);
                values[DELTA] = uniform(&mut prng, -5000, 5000);
            }
            for (statement, drawn) in &statements {
                params.clear();
                for &value in *drawn {
                    params.push_int(values[value]);
                }
                session.execute(statement, &mut params)?;
            }
            transactions += 1;
            session.idle_checks();
        }
        now = clock::now();
        if now > reported_at + 1_000_000_000 {
            latch::report_statistics(false);
            reported_at = now;
        }
    }
    Ok(transactions as f64 * 1e9 / (now - began) as f64)
}
