//! The SQL objects: files in the order in which the install script has them. Those of a subject are beside its module.

use pgrx::prelude::*;

/// Each file requires the one before it: pgrx would put files that are independent of each other in an order of chance, and two builds
/// would differ.
macro_rules! in_order {
    ($before:literal) => {};
    ($before:literal, $name:literal => $file:literal $(, $names:literal => $files:literal)*) => {
        extension_sql_file!($file, name = $name, requires = [$before]);
        in_order!($name $(, $names => $files)*);
    };
}

extension_sql_file!("schema/00_schema.sql", name = "schema", bootstrap);
in_order!(
    "schema",
    "nodes" => "schema/10_nodes.sql",
    "runs" => "schema/20_runs.sql",
    "workloads" => "schema/22_workloads.sql",
    "sweep_tables" => "schema/24_sweep_tables.sql",
    "run_calls" => "schema/25_run_calls.sql",
    "facts" => "schema/26_facts.sql",
    "sources" => "repository/tables.sql",
    "history" => "schema/29_history.sql",
    "samples" => "schema/30_samples.sql",
    "deltas" => "schema/35_deltas.sql",
    "archiver" => "subject/wal/archiver_schema.sql",
    "autovacuum" => "subject/tables/autovacuum_schema.sql",
    "bloat" => "subject/bloat/schema.sql",
    "buffers" => "subject/buffers/schema.sql",
    "checkpoints" => "subject/checkpoints/schema.sql",
    "database" => "subject/load/schema.sql",
    "hit_curve" => "subject/hit_curve/schema.sql",
    "host" => "subject/host/schema.sql",
    "devices" => "subject/devices/schema.sql",
    "io" => "subject/io/schema.sql",
    "locks" => "subject/waits/locks_schema.sql",
    "relations" => "subject/tables/schema.sql",
    "replication" => "subject/replication/schema.sql",
    "settings" => "subject/settings/schema.sql",
    "sequences" => "subject/sequences/schema.sql",
    "sessions" => "subject/sessions/schema.sql",
    "slru" => "subject/slru/schema.sql",
    "statements" => "subject/statements/schema.sql",
    "plans" => "subject/plans/schema.sql",
    "tablespaces" => "subject/tablespaces/schema.sql",
    "waits" => "subject/waits/schema.sql",
    "wait_profile" => "subject/waits/profile_schema.sql",
    "wal" => "subject/wal/schema.sql",
    "wraparound" => "subject/wraparound/schema.sql",
    "views" => "schema/40_views.sql",
    "target_sampler" => "schema/45_target_sampler.sql",
    "sampler" => "schema/46_sampler.sql",
    "retention" => "schema/47_retention.sql",
    "report" => "schema/50_report.sql",
    "histograms" => "schema/51_histograms.sql",
    "doctor" => "schema/55_doctor.sql",
    "targets" => "schema/56_targets.sql",
    "nodes_in_runs" => "schema/57_nodes.sql",
    "compare" => "schema/60_compare.sql",
    "gate" => "schema/61_gate.sql",
    "sweeps" => "schema/62_sweeps.sql",
    "sweep_points" => "schema/62_sweep_points.sql",
    "sweep_values" => "schema/62_sweep_values.sql",
    "export" => "schema/63_export.sql",
    "pages" => "schema/64_pages.sql",
    "run_retention" => "schema/65_run_retention.sql",
    "results" => "schema/66_results.sql",
    "rate_search" => "schema/67_rate_search.sql",
    "sweep_export" => "schema/68_sweep_export.sql",
    "sweeps_together" => "schema/69_sweeps_together.sql",
    "notes" => "history/timeline/notes.sql",
    "publish" => "repository/publish.sql",
    "subscribe" => "repository/subscribe.sql",
    "history_report" => "history/history.sql",
    "metrics" => "history/metrics/metrics.sql",
    "findings" => "history/findings/findings.sql",
    "finding_rules" => "history/findings/rules.sql",
    "history_compare" => "history/compare/compare.sql",
    "fleet" => "history/fleet/fleet.sql",
    "captures" => "captures/captures.sql",
    // Comments on columns come after all tables and views.
    "comments_runs" => "schema/comments/10_runs.sql",
    "comments_history" => "schema/comments/20_history.sql",
    "comments_statements" => "schema/comments/30_statements.sql",
    "comments_upkeep" => "schema/comments/40_upkeep.sql",
    "comments_sweeps" => "schema/comments/50_sweeps.sql"
);
// The comments that views take over from tables.
extension_sql_file!(
    "schema/comments/90_derived.sql",
    name = "comments_derived",
    finalize
);
