//! Runs: their clients and scripts, their beginning and end, their stored data; and sweeps, which are series of runs.

mod accounting;
mod altered_rate;
mod before_and_after;
mod beyond_pgbench;
mod blocked_clients;
mod caches;
mod clients;
mod disturbances;
mod facts;
mod failing_scripts;
mod find_rate;
mod limits;
mod loops;
mod pacing;
mod plans;
mod reconnect;
mod repeated_searches;
mod resume;
mod script_results;
mod start_and_end;
mod sweeps;
mod time_split;
mod transaction_log;
mod turns;
mod until_precise;
mod waiting;
