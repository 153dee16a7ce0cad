//! Families of workloads beside pgbench: what is true of each.

mod bulk_insert;
mod conclusions;
mod exact_rows;
mod observed_statements;
mod own;
mod own_load;
mod shares;
mod smallbank;
pub mod sysbench;
mod tatp;
mod toy;
mod tpcc;
mod tpcc_referee;
mod tpcc_terminals;
mod tpch;
mod tpch_months;
mod tpch_refresh;
mod ycsb;
