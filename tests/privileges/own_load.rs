//! Workloads made of the statements that others have run: their tables are read and their queries tried, but nothing of theirs is called.

use super::traps::{caught, planted};
use crate::common::runs::Runs;

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
