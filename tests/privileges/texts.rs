//! Texts that are SQL, formats or markup, given wherever a text is taken: they stay texts. docs/security.md names these tests.

use crate::common::runs::Runs;
use crate::common::{Cluster, old_strings};
use postgres::Client;

/// A text that would show if any part of it were interpreted. No comma and no @: names of workloads have none.
const HOSTILE: &str = r#"a'; DROP TABLE victim; -- "; DROP TABLE victim; \'; %s %n %1$I $$ $1 {} ${x} :x ]]> </script><img src=x onerror=alert(1)> &amp;"#;

/// A literal of it, whatever standard_conforming_strings is.
fn quoted(text: &str) -> String {
    format!("$pgperf${text}$pgperf$")
}

fn laboratory() -> (Cluster, Client) {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    session.value("CREATE TABLE victim ()");
    (cluster, session)
}

fn done(session: &mut Client, call: &str) {
    session
        .batch_execute(call)
        .unwrap_or_else(|error| panic!("{call}\n{error:?}"));
}

#[test]
fn what_is_said_about_a_run_stays_a_text() {
    let (cluster, mut session) = laboratory();
    let text = quoted(HOSTILE);
    // In a script :x would be a variable, in quotes too, as in pgbench.
    let said = HOSTILE.replace(":x", "");
    let script = quoted(&format!(
        "\\set x 1\nSELECT $q${said}$q$, 'it''s %s' AS \"<b>\";\n"
    ));
    done(
        &mut session,
        &format!(
            "SELECT pgperf.create_workload({text}, script => {script}, description => {text})"
        ),
    );
    let mut runs = Vec::new();
    for mode in ["simple", "extended", "prepared"] {
        runs.push(session.finish_run(&format!(
            "{text}, transactions_per_client => 2, label => {text}, query_mode => '{mode}', sample_interval => '0.1 s', \
             settings => jsonb_build_object('my.setting', {text}), expect => '{{\"failed\": \"= 0\"}}'"
        )));
    }
    let (run, other) = (runs[0], runs[1]);
    assert_eq!(
        session.value(&format!(
            "SELECT label = {text} AND workload = {text} FROM pgperf.runs WHERE run_id = {run}"
        )),
        "t"
    );
    done(
        &mut session,
        &format!("SELECT pgperf.set_baseline({text} || 'b', {run})"),
    );
    for call in [
        format!("SELECT pgperf.report({text})"),
        format!("SELECT * FROM pgperf.compare({text}, {text} || 'b')"),
        format!("SELECT pgperf.compare_report({text}, {text} || 'b')"),
        format!("SELECT pgperf.version_table({text}, {text} || 'b')"),
        format!("SELECT pgperf.gate({text}, {text} || 'b', '10000%')"),
        format!("SELECT * FROM pgperf.steady_state({text})"),
        format!("SELECT pgperf_internal.print_report({run})"),
        format!("CALL pgperf.run({text}, transactions_per_client => 1, label => {text})"),
        format!("SELECT pgperf.import_run(pgperf.export_run({run}), {text})"),
        format!("SELECT pgperf.drop_baseline({text} || 'b')"),
        format!("SELECT pgperf.drop_workload({text})"),
    ] {
        done(&mut session, &call);
    }
    // The page and the XML show it; neither lets it do anything.
    for call in [
        format!("SELECT pgperf.report_html({run})"),
        format!("SELECT pgperf.compare_html({run}, {other})"),
        format!("SELECT pgperf.compare_markdown({run}, {other})"),
    ] {
        let page = session.value(&call);
        assert!(
            page.contains("DROP TABLE victim") || page.contains("&lt;"),
            "{call}"
        );
        for markup in ["<img src=x", "</script><img"] {
            assert!(!page.contains(markup), "{markup} in {call}");
        }
    }
    let xml = session.value(&format!("SELECT pgperf.report_junit({run})"));
    let parsed = roxmltree::Document::parse(&xml).expect("well-formed XML");
    let told = parsed
        .descendants()
        .find(|node| node.has_tag_name("property") && node.attribute("name") == Some("label"))
        .and_then(|label| label.attribute("value"));
    assert!(
        told.is_some_and(|label| label.contains("DROP TABLE victim")),
        "{xml}"
    );
    // The call that a report ends with makes the same run again.
    let call = session.value(&format!(
        "SELECT string_agg(l, E'\\n' ORDER BY n) FROM pgperf.report({run}) WITH ORDINALITY r (l, n) \
         WHERE n > (SELECT max(m) FROM pgperf.report({run}) WITH ORDINALITY t (k, m) WHERE k = 'to reproduce:')"
    ));
    done(
        &mut session,
        &format!("SELECT pgperf.create_workload({text}, script => {script})"),
    );
    for strings in ["", old_strings()] {
        session.batch_execute(strings).expect("strings");
        let mut session = cluster.connect();
        let again = session.number(&call);
        session.wait_for_status(again, "finished");
        assert_eq!(
            session.value(&format!(
                "SELECT label = {text} FROM pgperf.runs WHERE run_id = {again}"
            )),
            "t"
        );
    }
    assert_eq!(session.number("SELECT count(*) FROM victim"), 0);
}

#[test]
fn names_of_schemas_roles_and_tables_stay_names() {
    let (cluster, mut session) = laboratory();
    let name = r#"it's "%s" \ ; DROP TABLE victim; --"#;
    let ident = format!("\"{}\"", name.replace('"', "\"\""));
    let text = quoted(name);
    done(
        &mut session,
        &format!(
            "CREATE ROLE {ident} LOGIN;
             CREATE SCHEMA {ident} AUTHORIZATION {ident};
             CREATE TABLE {ident}.{ident} AS SELECT 1 AS {ident} FROM generate_series(1, 1000);
             ALTER TABLE {ident}.{ident} OWNER TO {ident};
             CREATE INDEX ON {ident}.{ident} ({ident});
             ALTER ROLE {ident} SET work_mem = '5MB';
             GRANT EXECUTE ON FUNCTION pgperf.start_run, pgperf.start_load, pgperf.create_workload TO {ident}"
        ),
    );
    let mut theirs = cluster.connect_as(name);
    let load = theirs.number(&format!("SELECT pgperf.start_load(schema => {text})"));
    session.wait_for_status(load, "finished");
    for steps in ["g", "G", "v", "d", "dtGvpf"] {
        let load = theirs.number(&format!(
            "SELECT pgperf.start_load(schema => {text}, steps => '{steps}', partitions => 0)"
        ));
        session.wait_for_status(load, "finished");
        if steps == "d" {
            assert_eq!(
                session.number(&format!(
                    "SELECT count(*) FROM pg_tables WHERE schemaname = {text}"
                )),
                1
            );
        }
    }
    assert_eq!(
        theirs.value(&format!(
            "SELECT bool_and(passed) FROM pgperf.\"check\"(schema => {text})"
        )),
        "t"
    );
    let run = theirs.start_run(&format!(
        "'tpcb-like', schema => {text}, transactions_per_client => 5, vacuum => 'all', collectors => '{{bloat,tables,statements}}', \
         before_sql => {}",
        quoted(&format!("INSERT INTO {ident}.{ident} SELECT 1 FROM generate_series(1, 100)"))
    ));
    session.wait_for_status(run, "finished");
    // Its own run, found by a role's name that has to be quoted.
    theirs.value(&format!("SELECT pgperf.report({run})"));
    assert_eq!(theirs.value(&format!("SELECT pgperf.pin_run({run})")), "t");
    for call in [
        "SELECT * FROM pgperf.snapshot()".to_owned(),
        "CALL pgperf.take_snapshot()".to_owned(),
        format!(
            "SELECT pgperf.snapshot_bloat(ARRAY[{}::regclass], 'exact')",
            quoted(&format!("{ident}.{ident}"))
        ),
        "SELECT pgperf.snapshot_bloat(method => 'approx')".to_owned(),
        "SELECT * FROM pgperf.working_set()".to_owned(),
        "SELECT * FROM pgperf.doctor()".to_owned(),
        "SELECT * FROM pgperf.relation_rates".to_owned(),
        format!("SELECT pgperf.report_html({run})"),
        format!("SELECT pgperf.export_run({run})"),
    ] {
        done(&mut session, &call);
    }
    for table in ["bloat_history", "relation_history"] {
        let seen = format!(
            "SELECT count(*) > 0 FROM pgperf.{table} WHERE schema_name = {text} AND relation_name = {text}"
        );
        assert_eq!(session.value(&seen), "t", "{table}");
    }
    assert_eq!(
        theirs.value(&format!("SELECT pgperf.delete_run({run})")),
        "t"
    );
    assert_eq!(session.number("SELECT count(*) FROM victim"), 0);
}

#[test]
fn arguments_that_are_not_what_they_should_be_are_refused() {
    let (_cluster, mut session) = laboratory();
    let run = session.finish_run("script => 'SELECT 1;', transactions_per_client => 1");
    let text = quoted(HOSTILE);
    for call in [
        format!("pgperf.start_run({text})"),
        format!("pgperf.start_run(script => {text})"),
        format!("pgperf.start_run(script => 'SELECT 1;', query_mode => {text})"),
        format!("pgperf.start_run(script => 'SELECT 1;', result_mode => {text})"),
        format!("pgperf.start_run(script => 'SELECT 1;', vacuum => {text})"),
        format!("pgperf.start_run(script => 'SELECT 1;', collectors => ARRAY[{text}])"),
        format!("pgperf.start_run(script => 'SELECT 1;', before_sql => {text})"),
        format!(
            "pgperf.start_run(script => 'SELECT 1;', variables => jsonb_build_object({text}, 1))"
        ),
        format!(
            "pgperf.start_run(script => 'SELECT 1;', settings => jsonb_build_object({text}, 1))"
        ),
        format!(
            "pgperf.start_run(script => 'SELECT 1;', settings => jsonb_build_object('work_mem', {text}))"
        ),
        format!(
            "pgperf.start_run(script => 'SELECT 1;', limits => jsonb_build_object('wal', {text}))"
        ),
        format!(
            "pgperf.start_run(script => 'SELECT 1;', expect => jsonb_build_object({text}, '= 0'))"
        ),
        format!(
            "pgperf.start_run(script => 'SELECT 1;', expect => jsonb_build_object('failed', {text}))"
        ),
        format!("pgperf.start_run('tpcb-like', schema => {text})"),
        format!("pgperf.start_load(workload => {text})"),
        format!("pgperf.start_load(schema => {text})"),
        format!("pgperf.start_load(steps => {text})"),
        format!("pgperf.start_load(tablespace => {text})"),
        format!("pgperf.start_load(partitions => 2, partition_method => {text})"),
        format!("pgperf.snapshot(ARRAY[{text}])"),
        format!("pgperf.snapshot_bloat(method => {text})"),
        format!("pgperf.report({text})"),
        format!("pgperf.compare({text}, {text})"),
        format!("pgperf.gate({run}, {run}, {text})"),
        format!("pgperf.gate({run}, {run}, '5%', ARRAY[{text}])"),
        format!("pgperf.compare(ARRAY[{run}], ARRAY[{run}], {text})"),
        format!("pgperf.import_run(to_jsonb({text}))"),
        format!("pgperf.\"check\"({text})"),
        format!("pgperf.\"check\"(schema => {text})"),
        format!("pgperf.start_sweep(workload => {text}, clients => '{{1}}')"),
        format!(
            "pgperf.start_sweep(script => 'SELECT 1;', clients => '{{1}}', run_order => {text})"
        ),
        format!(
            "pgperf.start_sweep(script => 'SELECT 1;', clients => '{{1}}', settings_grid => jsonb_build_object({text}, '[1]'::jsonb))"
        ),
    ] {
        let error = session
            .simple_query(&format!("SELECT {call}"))
            .expect_err(&call);
        let error = error
            .as_db_error()
            .unwrap_or_else(|| panic!("{call}\n{error:?}"));
        // An error that states the problem, not one from pgperf's own statements.
        assert!(!error.code().code().starts_with("XX"), "{call}: {error}");
    }
    assert_eq!(session.number("SELECT count(*) FROM victim"), 0);
    assert_eq!(session.number("SELECT count(*) FROM pgperf.runs"), 1);
}
