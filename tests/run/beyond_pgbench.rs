//! What scripts have beyond pgbench's language: texts, literals, variables within names.

use crate::common::Cluster;
use crate::common::runs::{Runs, error_of};

const MODES: [&str; 3] = ["simple", "extended", "prepared"];

const TABLES: &str = "CREATE TABLE noted1 (id serial, n int, what text); \
                      CREATE TABLE noted2 (LIKE noted1 INCLUDING ALL)";

const NOTED: &str = "SELECT (SELECT string_agg(n || what, ',' ORDER BY id) FROM noted1) || ' / ' \
                         || (SELECT string_agg(n || what, ',' ORDER BY id) FROM noted2)";

#[test]
fn names_and_literals_are_filled_in_every_mode() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    session.value(TABLES);
    for mode in MODES {
        session.value("TRUNCATE noted1, noted2");
        let run = session.finish_run(&format!(
            "script => $s$
\\set i 0
\\while :i < 4
\\set i :i + 1
\\set t :i % 2 + 1
\\set v concat(' it''s \\ ', choose(:t, 'one', 'two'), '$1')
INSERT INTO noted:t (n, what) VALUES (:i, :'v');
\\endwhile
SELECT count(*) AS c FROM \"noted:t\" WHERE what = :'v' AND n = :i \\gset
\\if :c <> 1
SELECT 1 / 0;
\\endif
$s$, transactions_per_client => 1, query_mode => '{mode}'"
        ));
        assert_eq!(
            session.value(NOTED),
            "2 it's \\ one$1,4 it's \\ one$1 / 1 it's \\ two$1,3 it's \\ two$1",
            "{mode}"
        );
        // One command, whichever table it is about.
        assert_eq!(
            session.value(&format!(
                "SELECT concat_ws(' ', calls, statement) FROM pgperf.run_statements \
                  WHERE run_id = {run} AND statement LIKE 'INSERT%'"
            )),
            "4 INSERT INTO noted:t (n, what) VALUES (:i, :'v');",
            "{mode}"
        );
    }
}

#[test]
fn names_are_filled_in_pipelines() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    session.value(TABLES);
    for mode in &MODES[1..] {
        session.value("TRUNCATE noted1, noted2");
        session.finish_run(&format!(
            "script => $s$
\\set t 2
\\startpipeline
INSERT INTO noted1 (n, what) VALUES (:t, 'x');
INSERT INTO noted:t (n, what) VALUES (:t, 'y');
\\endpipeline
$s$, transactions_per_client => 1, query_mode => '{mode}'"
        ));
        assert_eq!(session.value(NOTED), "2x / 2y", "{mode}");
    }
}

#[test]
fn a_statement_with_names_is_not_checked_before_it_is_known() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    let broken = |statement: &str| {
        format!(
            "script => $s$\\set t 1\n{statement}$s$, transactions_per_client => 1, query_mode => 'extended'"
        )
    };
    let refused = broken("SELECT FROM WHERE :t;");
    let (sqlstate, ..) = error_of(&mut session, &format!("SELECT pgperf.start_run({refused})"));
    assert_eq!(sqlstate, "42601");
    for (statement, sqlstate) in [
        ("SELECT FROM WHERE t:t;", "42601"),
        ("SELECT FROM nosuch:t;", "42P01"),
        ("COPY t:t TO STDOUT;", "0A000"),
    ] {
        let run = session.start_run(&broken(statement));
        session.wait_for_status(run, "failed");
        assert_eq!(
            session.value(&format!(
                "SELECT sqlstate FROM pgperf.run_errors WHERE run_id = {run}"
            )),
            sqlstate,
            "{statement}"
        );
    }
}
