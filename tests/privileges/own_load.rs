//! Workloads made of the statements that others have run: their tables are read and their queries tried, but nothing of theirs is called.

use std::thread;

use super::traps::{caught, planted};
use crate::common::runs::{PATIENCE, Runs};
use crate::common::wait_until;

/// Statements that call a function of their author in ways that no function call in their text shows.
const BAIT: &str = "
SET search_path = pg_catalog;
CREATE FUNCTION evil.check(i int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$BEGIN PERFORM evil.trap('a check'); RETURN i; END $$;
CREATE DOMAIN evil.odd AS int CHECK (evil.check(VALUE) OPERATOR(pg_catalog.=) VALUE);
CREATE TYPE evil.pair AS (a int, b evil.odd);
CREATE TABLE evil.skewed AS SELECT g % 10 * (g % 7) AS i, g AS n FROM generate_series(1, 3000) g;
CREATE TABLE evil.indexed AS SELECT * FROM evil.skewed;
CREATE INDEX ON evil.indexed (i) WHERE evil.check(7) OPERATOR(pg_catalog.=) 7;
CREATE TABLE evil.checked AS SELECT * FROM evil.skewed;
ALTER TABLE evil.checked ADD CHECK (evil.check(7) OPERATOR(pg_catalog.=) 7);
CREATE TABLE evil.secured AS SELECT * FROM evil.skewed;
ALTER TABLE evil.secured ENABLE ROW LEVEL SECURITY;
CREATE POLICY policy ON evil.secured USING (evil.check(i) OPERATOR(pg_catalog.=) i);
GRANT SELECT ON ALL TABLES IN SCHEMA evil TO watcher;
ANALYZE evil.skewed, evil.indexed, evil.checked, evil.secured;";

/// Those of others that are harmless.
const HARMLESS: [&str; 2] = [
    "SELECT count(*) FROM evil.skewed WHERE n = {}",
    "SELECT count(*) FROM evil.skewed WHERE n > {} AND n <= 50",
];
const STATEMENTS: [&str; 7] = [
    "SELECT count(*) FROM evil.skewed WHERE i = {}::evil.odd",
    "SELECT count(*) FROM evil.skewed WHERE n BETWEEN {}::evil.odd AND 40",
    "SELECT jsonb_populate_record(NULL::evil.pair, '{\"b\": 3}') FROM evil.skewed WHERE i = {}",
    "SELECT x.* FROM evil.skewed, json_to_record('{\"b\": 3}') AS x (b evil.odd) WHERE i = {}",
    "SELECT count(*) FROM evil.indexed WHERE i = {}",
    "SELECT count(*) FROM evil.checked WHERE i = {}",
    "SELECT count(*) FROM evil.secured WHERE i = {}",
];

#[test]
fn a_workload_is_made_of_others_statements_without_their_code() {
    let (cluster, mut superuser) = planted();
    superuser.value("GRANT EXECUTE ON FUNCTION pgperf.create_workload_from_statements TO watcher");
    let mut mallory = cluster.connect_as("mallory");
    mallory.batch_execute(BAIT).expect("the bait");
    for number in 1..=40 {
        for statement in STATEMENTS.into_iter().chain(HARMLESS) {
            let statement = statement.replace("{}", &(number % 9).to_string());
            mallory.batch_execute(&statement).expect(&statement);
        }
    }
    let mut session = cluster.connect();
    let mut watcher = cluster.connect_as("watcher");
    for session in [&mut session, &mut watcher] {
        session.value("SET search_path = pg_catalog; SET constraint_exclusion = on");
    }
    // Who runs them himself is caught.
    let all_caught = || caught(&cluster, &["postgres", "watcher"]).len();
    for statement in STATEMENTS {
        let before = all_caught();
        let statement = statement.replace("{}", "3");
        watcher.batch_execute(&statement).expect(&statement);
        assert!(all_caught() > before, "{statement}");
    }
    let before = all_caught();
    for (name, session) in [("one", &mut session), ("another", &mut watcher)] {
        let outcomes = session.value(&format!(
            "SELECT string_agg(concat_ws(' | ', left(statement, 90), outcome), E'\\n') \
               FROM pgperf.create_workload_from_statements('{name}', top => 100, writes => true) \
              WHERE statement ~ '^SELECT .* FROM evil'"
        ));
        println!("{outcomes}\n");
        let outcome_of = |part: &str| {
            let mut lines = outcomes.lines().filter(|line| line.contains(part));
            let line = lines
                .next()
                .unwrap_or_else(|| panic!("{part} in {outcomes}"));
            line.split(" | ").nth(1).unwrap_or_default().to_owned()
        };
        let theirs = "which calls the checks of type evil.odd of another role";
        for (part, expected) in [
            ("n BETWEEN", theirs),
            (
                "evil.indexed",
                "reading evil.indexed may run check, which is another role's",
            ),
            (
                "evil.checked",
                "reading evil.checked may run check, which is another role's",
            ),
            ("i = $1::evil.odd", "included"),
            // What is harmless is not taken for something else.
            ("WHERE n = ", "included"),
            ("WHERE n > ", "included"),
        ] {
            let outcome = outcome_of(part);
            assert!(outcome.ends_with(expected), "{part}: {outcome}");
        }
        let secured = outcome_of("evil.secured");
        let expected = match name {
            "one" => "included",
            _ => "reading evil.secured may run check, which is another role's",
        };
        assert_eq!(secured, expected);
    }
    assert_eq!(all_caught(), before);
}

/// A statement of others that stops where the test wants, and another one, of a table with code of its owner that comes later.
const RACED: &str = "
SET search_path = pg_catalog;
CREATE FUNCTION evil.check(i int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$BEGIN PERFORM evil.trap('a check'); RETURN i; END $$;
CREATE FUNCTION evil.set(i int) RETURNS int LANGUAGE plpgsql IMMUTABLE SET work_mem = '1MB' AS $$BEGIN PERFORM evil.trap('settings'); RETURN i; END $$;
CREATE FUNCTION evil.sql(i int) RETURNS int LANGUAGE sql IMMUTABLE AS $$SELECT evil.check($1)$$;
CREATE TABLE evil.raced AS SELECT g % 10 * (g % 7) AS i, g AS n FROM generate_series(1, 3000) g;
ANALYZE evil.raced;";
const STOPPING: &str = "SELECT count(*) FROM evil.raced WHERE i = {} AND public.stop()";
const OTHER: &str = "SELECT count(*) FROM evil.raced WHERE n > {} AND n <= 50";
/// What the owner adds, while readers have the table, and how it is taken away.
const ADDED: [(&str, &str); 4] = [
    (
        "CREATE INDEX late ON evil.raced ((evil.check(7) OPERATOR(pg_catalog.+) n))",
        "DROP INDEX evil.late",
    ),
    (
        "CREATE INDEX late ON evil.raced ((evil.set(7) OPERATOR(pg_catalog.+) n))",
        "DROP INDEX evil.late",
    ),
    (
        "CREATE INDEX late ON evil.raced (n) WHERE evil.sql(7) OPERATOR(pg_catalog.=) 7",
        "DROP INDEX evil.late",
    ),
    (
        "CREATE STATISTICS evil.late ON (evil.check(7) OPERATOR(pg_catalog.+) n), i FROM evil.raced",
        "DROP STATISTICS evil.late",
    ),
];

#[test]
fn code_that_comes_while_a_workload_is_made_is_not_called() {
    let (cluster, mut superuser) = planted();
    superuser
        .batch_execute(
            "CREATE FUNCTION public.stop() RETURNS bool LANGUAGE plpgsql STABLE AS $$ \
             BEGIN PERFORM pg_catalog.pg_advisory_xact_lock_shared(1); RETURN true; END $$",
        )
        .expect("the stop");
    let mut mallory = cluster.connect_as("mallory");
    mallory.batch_execute(RACED).expect("the bait");
    for number in 1..=40 {
        // What takes more time is tried first.
        for statement in [STOPPING, STOPPING, STOPPING, OTHER] {
            let statement = statement.replace("{}", &(number % 9).to_string());
            mallory.batch_execute(&statement).expect(&statement);
        }
    }
    let mut session = cluster.connect();
    session.value("SET search_path = pg_catalog");
    for (number, (add, remove)) in ADDED.into_iter().enumerate() {
        superuser.value("SELECT pg_advisory_lock(1)");
        let before = caught(&cluster, &["postgres"]).len();
        let outcomes = thread::scope(|scope| {
            let session = &mut session;
            let making = scope.spawn(move || {
                session.value(&format!(
                    "SELECT string_agg(outcome, E'\\n') \
                       FROM pgperf.create_workload_from_statements('raced {number}', top => 100) WHERE statement ~ 'evil.raced'"
                ))
            });
            wait_until("the trial", PATIENCE, || {
                superuser.number(
                    "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted",
                ) > 0
            });
            mallory.batch_execute(add).expect(add);
            superuser.value("SELECT pg_advisory_unlock(1)");
            making.join().expect("the workload, or none")
        });
        println!("{add}\n{outcomes}\n");
        assert_eq!(caught(&cluster, &["postgres"]).len(), before, "{add}");
        assert!(
            outcomes.contains("it calls the function") && outcomes.contains("of another role"),
            "{add}: {outcomes}"
        );
        // Who runs the statement himself is caught.
        superuser.value(&OTHER.replace("{}", "3"));
        assert!(caught(&cluster, &["postgres"]).len() > before, "{add}");
        mallory.batch_execute(remove).expect(remove);
    }
}

/// Whose entry was removed between planning and the end is stored by pg_stat_statements with its constants. Analysis alone reads them.
#[test]
fn constants_in_a_text_are_not_checked_by_code_of_its_author() {
    let (cluster, mut superuser) = planted();
    let mut mallory = cluster.connect_as("mallory");
    mallory.batch_execute(BAIT).expect("the bait");
    let baited = mallory
        .prepare("SELECT count(*) FROM evil.skewed WHERE i = $1 AND '(1,3)'::evil.pair IS NOT NULL")
        .expect("a statement");
    superuser.value("SELECT public.pg_stat_statements_reset()");
    for number in 1..=40 {
        mallory.query(&baited, &[&(number % 9)]).expect("a call");
        mallory.value(&HARMLESS[0].replace("{}", &(number % 9).to_string()));
    }
    let kept = "SELECT count(*) FROM public.pg_stat_statements s WHERE s.query ~ '3.*::evil.pair'";
    assert_eq!(superuser.number(kept), 1);
    let before = caught(&cluster, &["postgres"]).len();
    let outcome = superuser.value(
        "SELECT outcome FROM pgperf.create_workload_from_statements('baited', top => 100) WHERE statement ~ 'evil.pair'",
    );
    assert_eq!(outcome, "it calls the function check of another role");
    assert_eq!(caught(&cluster, &["postgres"]).len(), before);
}
