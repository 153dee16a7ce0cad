//! The plans of a run's statements, and how a comparison shows that they have changed.

use crate::common::Cluster;
use crate::common::runs::Runs;

const SCRIPT: &str = r#"script => E'\\set id random(1, 100)\nBEGIN;\nSELECT * FROM planned WHERE id = :id;\nSELECT * FROM missing;\nEND;',
    continue_on_error => true, duration => '0.3 s', plans => true"#;

fn with_planned(cluster: &Cluster) -> postgres::Client {
    let mut session = cluster.connect();
    session
        .batch_execute(
            "CREATE TABLE planned AS SELECT g AS id FROM generate_series(1, 100000) g; \
             CREATE INDEX planned_idx ON planned (id)",
        )
        .expect("a table");
    session
        .batch_execute("VACUUM ANALYZE planned")
        .expect("statistics");
    session
}

#[test]
fn a_comparison_names_a_plan_that_changed() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = with_planned(&cluster);
    let by_index = session.finish_run(SCRIPT);
    let shapes = format!(
        "SELECT string_agg(concat_ws(' ', command_no, shape, reason, plan #>> '{{0,Plan,Node Type}}'), '; ' ORDER BY command_no) \
         FROM pgperf.run_plans WHERE run_id = {by_index}"
    );
    assert_eq!(
        session.value(&shapes),
        "2 Index Only Scan using planned_idx on planned Index Only Scan; 3 relation \"missing\" does not exist"
    );
    let scanned = session.finish_run(&format!(
        r#"{SCRIPT}, settings => '{{"enable_indexonlyscan": "off", "enable_indexscan": "off", "enable_bitmapscan": "off"}}'"#
    ));
    let changed = |session: &mut postgres::Client, a: i64, b: i64| {
        session.value(&format!(
            "SELECT string_agg(concat_ws(' | ', object, metric, baseline_text, candidate_text, verdict), '; ') \
             FROM pgperf.compare({a}, {b}) WHERE category = 'plans'"
        ))
    };
    assert_eq!(
        changed(&mut session, by_index, scanned),
        "script | plan 1 | Index Only Scan using planned_idx on planned | Seq Scan on planned | differs"
    );
    let page = session.value(&format!(
        "SELECT pgperf.compare_html({by_index}, {scanned})"
    ));
    assert!(page.contains("Seq Scan on planned"));
    // Other values are no other plan, and a run without plans says nothing.
    let again = session.finish_run(&format!("{SCRIPT}, random_seed => 5"));
    assert_eq!(changed(&mut session, by_index, again), "");
    let without = session.finish_run(&SCRIPT.replace("plans => true", "plans => false"));
    assert_eq!(changed(&mut session, by_index, without), "");
    // They go where the run goes, and with it.
    let document = session.value(&format!("SELECT pgperf.export_run({by_index})"));
    let elsewhere = Cluster::for_scripts(&[]);
    let mut other = elsewhere.connect();
    other
        .execute("SELECT pgperf.import_run($1::text::jsonb)", &[&document])
        .expect("an import");
    assert_eq!(other.value(&shapes), session.value(&shapes));
    session.value(&format!("SELECT pgperf.delete_run({by_index})"));
    assert_eq!(session.value(&shapes), "");
}

#[test]
fn the_plans_are_those_of_the_role_and_the_schema() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = with_planned(&cluster);
    session
        .batch_execute(
            "CREATE ROLE reader LOGIN; GRANT EXECUTE ON FUNCTION pgperf.start_run TO reader; \
             CREATE TABLE hidden AS SELECT 1 AS id; GRANT SELECT ON planned TO reader",
        )
        .expect("a role");
    session.batch_execute("SET ROLE reader").expect("the role");
    let run = session.start_run(
        r"script => 'SELECT * FROM planned WHERE id = 1; SELECT 1 \; SELECT 2; SELECT * FROM hidden;', query_mode => 'simple',
         continue_on_error => true, duration => '0.2 s', plans => true",
    );
    session.batch_execute("RESET ROLE").expect("the owner");
    session.wait_for_status(run, "finished");
    let reasons = session.value(&format!(
        "SELECT string_agg(coalesce(reason, 'planned'), '; ' ORDER BY command_no) FROM pgperf.run_plans WHERE run_id = {run}"
    ));
    assert_eq!(
        reasons,
        "planned; cannot insert multiple commands into a prepared statement; permission denied for table hidden"
    );
}

#[test]
fn asking_for_plans_is_no_rollback() {
    let cluster = Cluster::for_scripts(&["autovacuum = off"]);
    let mut session = with_planned(&cluster);
    let run = session.finish_run(
        "script => E'SELECT * FROM planned WHERE id = 1;\nUPDATE planned SET id = 1 WHERE id = 1;', duration => '0.3 s', plans => true",
    );
    let plans =
        format!("SELECT count(*) FROM pgperf.run_plans WHERE run_id = {run} AND plan IS NOT NULL");
    assert_eq!(session.number(&plans), 2);
    let rollbacks = format!(
        "SELECT string_agg(metric || ' ' || value, ', ' ORDER BY metric) FROM pgperf.run_metrics WHERE run_id = {run} AND metric LIKE 'rollback%'"
    );
    assert_eq!(session.value(&rollbacks), "rollback_percent 0, rollbacks 0");
}
