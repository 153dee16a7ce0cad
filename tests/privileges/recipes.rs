//! The GRANTs in the recipes of docs/security.md do what that page says, and no more.

use crate::common::runs::{Runs, error_of};
use crate::common::{Cluster, document};

/// The SQL blocks under the heading Recipes.
fn recipes() -> Vec<&'static str> {
    let text: &'static str = document("docs/security.md").leak();
    let (_, after) = text.split_once("## Recipes\n").expect("recipes");
    let (section, _) = after.split_once("\n## ").expect("a next heading");
    section
        .split("```sql\n")
        .skip(1)
        .filter_map(|block| block.split("```").next())
        .collect()
}

#[test]
fn the_recipes_are_enough_and_not_too_much() {
    let cluster = Cluster::for_scripts(&[]);
    let mut superuser = cluster.connect();
    let recipes = recipes();
    assert_eq!(recipes.len(), 3);
    for recipe in recipes {
        superuser
            .batch_execute(recipe)
            .unwrap_or_else(|error| panic!("{recipe}\n{error:?}"));
    }

    let mut tester = cluster.connect_as("load_tester");
    for call in [
        "CALL pgperf.init()",
        "CALL pgperf.run(clients => 2, transactions_per_client => 10, label => 'own')",
        "SELECT pgperf.report('own')",
        "SELECT pgperf.create_workload('own', script => 'SELECT 1;')",
        "CALL pgperf.run('own', transactions_per_client => 1)",
        "SELECT pgperf.drop_workload('own')",
        "SELECT pgperf.set_baseline('own', 2), pgperf.drop_baseline('own')",
        "SELECT pgperf.import_run(pgperf.export_run(2))",
        "SELECT pgperf.import_sweep('{}') WHERE false",
        "SELECT pgperf.start_sweep(script => 'SELECT 1;', transactions_per_client => 1, clients => '{1}', repetitions => 1)",
        "CALL pgperf.wait_sweep()",
        "SELECT pgperf.resume_sweep()",
        "SELECT pgperf.delete_run(3)",
    ] {
        tester
            .batch_execute(call)
            .unwrap_or_else(|error| panic!("{call}\n{error:?}"));
    }
    for call in [
        "SELECT * FROM pgperf.runs",
        "SELECT pgperf.snapshot()",
        "SELECT * FROM pgperf.maintain()",
        "SELECT pgperf.new_node()",
        "SELECT pgperf.set_node_name('x')",
        "SELECT pgperf.set_node_group('x')",
        "CALL pgperf.quickstart()",
    ] {
        assert_eq!(error_of(&mut tester, call).0, "42501", "{call}");
    }

    let mut sampling = cluster.connect_as("sampling");
    for call in [
        "CALL pgperf.take_snapshot()",
        "SELECT * FROM pgperf.maintain()",
        "SELECT pgperf.start_sampler()",
        "SELECT pgperf.stop_sampler()",
        "SELECT pgperf.report('own')",
        "SELECT * FROM pgperf.run_summary",
    ] {
        sampling
            .batch_execute(call)
            .unwrap_or_else(|error| panic!("{call}\n{error:?}"));
    }
    let views = "SELECT string_agg(format('SELECT * FROM pgperf.%I LIMIT 1', relname), ';') FROM pg_class \
                 WHERE relnamespace = 'pgperf'::regnamespace AND relkind IN ('r', 'p', 'v') AND NOT relispartition";
    let views = superuser.value(views);
    let mut reader = cluster.connect_as("reader");
    reader.batch_execute(&views).expect("all tables and views");
    for session in [&mut sampling, &mut reader] {
        for call in [
            "SELECT pgperf.start_run(script => 'SELECT 1;')",
            "SELECT pgperf.delete_run(2)",
            "UPDATE pgperf.collectors SET enabled = false",
        ] {
            assert_eq!(error_of(session, call).0, "42501", "{call}");
        }
    }
    for call in [
        "SELECT pgperf.snapshot()",
        "SELECT * FROM pgperf.maintain()",
        "SELECT pgperf.report('own')",
    ] {
        assert_eq!(error_of(&mut reader, call).0, "42501", "{call}");
    }
}
