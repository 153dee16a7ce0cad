//! Families of workloads beside pgbench: what is true of each.

mod own;
mod sysbench;
mod toy;
mod toy_options;
mod tpcc;
mod tpcc_referee;
mod tpcc_terminals;
