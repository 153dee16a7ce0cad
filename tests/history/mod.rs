//! Samples and collectors, and the life of the history: retention, roll-ups, differences.

mod ahead;
mod archiver;
mod bloat;
mod bloat_budget;
mod buffers;
mod collectors;
mod compare;
mod counter_resets;
mod dashboards;
mod deltas;
mod findings;
mod first_samples;
mod hit_curve;
mod horizon;
mod interrupted_samples;
mod long_windows;
mod maintain;
mod many_tables;
mod openmetrics;
mod pg_cron;
mod retention;
mod run_retention;
mod sampler;
mod shared_relations;
mod slru;
mod windows;
