//! The SQL objects: the files of `src/schema`, with their order. Those of a collector are beside its module in `src/collect`.

use pgrx::prelude::*;

extension_sql_file!("schema/00_schema.sql", name = "schema", bootstrap);
extension_sql_file!("schema/10_nodes.sql", name = "nodes", requires = ["schema"]);
extension_sql_file!("schema/20_runs.sql", name = "runs", requires = ["nodes"]);
extension_sql_file!(
    "schema/22_workloads.sql",
    name = "workloads",
    requires = ["schema"]
);
extension_sql_file!(
    "schema/24_sweep_tables.sql",
    name = "sweep_tables",
    requires = ["runs"]
);
extension_sql_file!(
    "schema/25_run_calls.sql",
    name = "run_calls",
    requires = ["runs"]
);
extension_sql_file!("schema/26_facts.sql", name = "facts", requires = ["runs"]);
extension_sql_file!(
    "schema/29_history.sql",
    name = "history",
    requires = ["nodes", "runs"]
);
extension_sql_file!(
    "schema/30_samples.sql",
    name = "samples",
    requires = ["history"]
);
extension_sql_file!(
    "schema/35_deltas.sql",
    name = "deltas",
    requires = ["samples"]
);
extension_sql_file!(
    "schema/40_views.sql",
    name = "views",
    requires = ["run_calls", "facts", "sweep_tables"]
);
extension_sql_file!(
    "schema/46_sampler.sql",
    name = "sampler",
    requires = ["samples"]
);
extension_sql_file!(
    "schema/47_retention.sql",
    name = "retention",
    requires = ["settings", "statements"]
);
extension_sql_file!(
    "schema/50_report.sql",
    name = "report",
    requires = ["views"]
);
extension_sql_file!(
    "schema/51_histograms.sql",
    name = "histograms",
    requires = ["views"]
);
extension_sql_file!(
    "schema/55_doctor.sql",
    name = "doctor",
    requires = ["schema"]
);
extension_sql_file!(
    "schema/60_compare.sql",
    name = "compare",
    requires = ["histograms", "facts"]
);
extension_sql_file!("schema/61_gate.sql", name = "gate", requires = ["compare"]);
extension_sql_file!(
    "schema/62_sweeps.sql",
    name = "sweeps",
    requires = ["views"]
);
extension_sql_file!(
    "schema/62_sweep_points.sql",
    name = "sweep_points",
    requires = ["sweeps", "histograms"]
);
extension_sql_file!(
    "schema/67_rate_search.sql",
    name = "rate_search",
    requires = ["views"]
);
extension_sql_file!(
    "schema/63_export.sql",
    name = "export",
    requires = ["histograms", "retention", "statements"]
);
extension_sql_file!(
    "schema/68_sweep_export.sql",
    name = "sweep_export",
    requires = ["export"]
);
extension_sql_file!(
    "schema/69_sweeps_together.sql",
    name = "sweeps_together",
    requires = ["compare", "sweep_points", "pages"]
);
extension_sql_file!(
    "schema/66_results.sql",
    name = "results",
    requires = ["export"]
);
extension_sql_file!(
    "schema/64_pages.sql",
    name = "pages",
    requires = ["report", "compare", "sweep_points"]
);
extension_sql_file!(
    "schema/65_run_retention.sql",
    name = "run_retention",
    requires = ["retention", "compare"]
);
// Comments on columns come after all tables and views; the comments that views take over from tables come last.
extension_sql_file!(
    "schema/comments/10_runs.sql",
    name = "comments_runs",
    requires = [
        "workloads",
        "bloat",
        "buffers",
        "wal",
        "wraparound",
        "database",
        "checkpoints",
        "relations",
        "io",
        "waits",
        "host",
        "replication",
        "sampler",
        "doctor",
        "gate",
        "export",
        "results",
        "pages",
        "run_retention",
        "rate_search"
    ]
);
extension_sql_file!(
    "schema/comments/20_history.sql",
    name = "comments_history",
    requires = ["comments_runs"]
);
extension_sql_file!(
    "schema/comments/30_statements.sql",
    name = "comments_statements",
    requires = ["comments_history"]
);
extension_sql_file!(
    "schema/comments/40_upkeep.sql",
    name = "comments_upkeep",
    requires = ["comments_statements"]
);
extension_sql_file!(
    "schema/comments/50_sweeps.sql",
    name = "comments_sweeps",
    requires = ["comments_upkeep"]
);
extension_sql_file!(
    "schema/comments/90_derived.sql",
    name = "comments_derived",
    finalize
);
