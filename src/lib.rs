//! pgperf turns a PostgreSQL database into its own performance laboratory.
//!
//! From low to high; nothing imports upward (`tools/lint-imports`):
//!
//! * [`error`]: what can go wrong, [`pg`]: the server, safely, and the only unsafe code; [`guc`]: the settings;
//! * [`catalog`]: nodes, runs, and who may see or control them;
//! * [`target`]: other servers, on which runs can work;
//! * [`service`]: the common work of all workers: launch, wait for the transaction that starts it, store;
//! * [`workload`]: the built-in workloads with their scripts, tables and checks, and the stored ones;
//! * [`collect`]: the taking of samples, which go into history tables;
//! * [`histogram`]: SQL functions over the latency histograms that runs store;
//! * [`show`]: how anything is shown: figures, pages, charts, sections of a report and the span of time of which they are read;
//! * [`subject`]: the subjects of a server, such as WAL, waits, buffers, tables, bloat: collectors, sections of reports, metrics;
//! * [`facts`]: the server and machine of a run, and its effects besides its speed;
//! * [`run`]: a leader and client workers run transaction loops inside the server;
//! * [`report`]: the results of a run in words, numbers and charts;
//! * [`compare`]: whether runs differ, and how certain that is;
//! * [`experiment`]: sweeps: a grid of runs, one after the other;
//! * [`history`]: the history for people and for monitoring: windows of it, metrics;
//! * [`sampler`]: regular samples, taken by a background worker;
//! * [`captures`]: the transactions of the server's sessions, recorded;
//! * [`doctor`]: conditions that would spoil a measurement; [`exchange`]: runs as documents, from one server to another;
//!   [`repository`]: the history of other servers;
//! * [`entry`]: the main functions of the workers; [`call_options`]: the calls that take options;
//!   [`schema`]: the SQL objects.
//!
//! Crates `script`, `measure` and `engine`: pgbench's script language; histograms and statistics; what a client does, over
//! any way to a server. Pure Rust, no server. `memory`: the shared memory of a run. `wire`:
//! connections by libpq. `capture`: what a capture has, its shared memory and its files.

#[cfg(feature = "pg19")]
extern crate pgrx19 as pgrx;

mod call_options;
mod captures;
mod catalog;
mod collect;
mod compare;
mod doctor;
mod entry;
mod error;
mod exchange;
mod experiment;
mod facts;
mod guc;
mod histogram;
mod history;
mod pg;
#[cfg(test)]
mod published;
mod report;
mod repository;
mod run;
mod sampler;
mod schema;
mod service;
#[cfg(feature = "bench")]
#[path = "../bench/session_loop.rs"]
mod session_loop;
mod show;
mod subject;
mod target;
mod workload;

#[cfg(not(panic = "unwind"))]
compile_error!("a panic has to unwind, so that it becomes an ERROR and not the end of the server");

::pgrx::pg_module_magic!(name, version);
