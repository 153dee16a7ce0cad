//! Clients over a made-up session: its answers are scripted, and its clock moves only when something takes time.

mod draws;
mod ending;
mod explain;
mod fake;
mod log;
mod loops;
mod names;
mod pipelines;
mod pools;
mod reconnect;
mod retries;
mod schedule;
mod sequences;
mod statements;
mod statistics;
mod terminals;
mod turns;
mod warmup;
