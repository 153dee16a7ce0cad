//! As many values as a statement has parameters: pgbench's client is aborted by the server's answer to its Bind message, while pgperf refuses
//! the script before the run, with the place.

use super::referee::{Outcome, Referee, Trial};
use crate::common::major;
use crate::common::pair::{THEIRS, execute};

const SETUP: &str = "CREATE PROCEDURE keeps(x int) LANGUAGE plpgsql AS 'BEGIN NULL; END'";

/// Values and parameters are as many.
const FITTING: &[&str] = &[
    "SELECT 'a' || :x, $q$b$q$ || :x, E'it\\'s ' || :x, \"a:\" FROM (SELECT 1 AS \"a:\") q;",
    "SELECT $1, :x;",
    "SELECT '$1', $$ $1 $$, E'\\'$1', \"$1\" /* $1 */ FROM (SELECT 1 AS \"$1\") q -- $1\n;",
    "PREPARE p(int) AS SELECT $1;\nEXECUTE p(1);\nDEALLOCATE p;",
    "DO $$ BEGIN EXECUTE 'SELECT $1' USING 1; END $$;",
    "CREATE OR REPLACE FUNCTION pg_temp.f(int) RETURNS int LANGUAGE sql RETURN $1;",
    "CALL keeps(:x);",
    "EXPLAIN SELECT :x::int;",
    "BEGIN;\nDECLARE c CURSOR FOR SELECT :x::int;\nEND;",
    "CREATE TEMP TABLE IF NOT EXISTS t AS SELECT :x::int;",
    "\\startpipeline\nSELECT :x;\nSELECT 'a' || :x;\n\\endpipeline",
];

/// They are not; what is wrong, and the line of it.
const OTHERS: &[(&str, &str, &str)] = &[
    ("SELECT ':x';", ":x", "SELECT ':x';"),
    (
        "SELECT 1\n WHERE 'a' LIKE ':x%';",
        ":x",
        " WHERE 'a' LIKE ':x%';",
    ),
    (
        "SELECT '{\"a\":\":x\"}'::json;",
        ":x",
        "SELECT '{\"a\":\":x\"}'::json;",
    ),
    ("SELECT '{\"é\":true}';", ":true", "SELECT '{\"é\":true}';"),
    ("SELECT $q$ :x $q$;", ":x", "SELECT $q$ :x $q$;"),
    (
        "DO $$ BEGIN PERFORM :x; END $$;",
        ":x",
        "DO $$ BEGIN PERFORM :x; END $$;",
    ),
    ("SELECT E'\\':x';", ":x", "SELECT E'\\':x';"),
    ("SELECT U&':x';", ":x", "SELECT U&':x';"),
    (
        "SELECT \":x\" FROM (SELECT 1 AS \"$1\") q;",
        ":x",
        "SELECT \":x\" FROM (SELECT 1 AS \"$1\") q;",
    ),
    ("SELECT 1 /* :x */;", ":x", "SELECT 1 /* :x */;"),
    ("SELECT 1 -- :x\n;", ":x", "SELECT 1 -- :x"),
    (
        "PREPARE p(int) AS SELECT $1;\nEXECUTE p(:x);",
        ":x",
        "EXECUTE p(:x);",
    ),
    ("SELECT $1;", "$1", "SELECT $1;"),
    ("SELECT :x::int +\n  $2::int;", "$2", "  $2::int;"),
    (
        "\\startpipeline\nSELECT ':x';\n\\endpipeline",
        ":x",
        "SELECT ':x';",
    ),
];

fn trial(script: &str) -> Trial<'_> {
    Trial {
        script,
        query_mode: "extended",
        ..Trial::default()
    }
}

#[test]
fn values_that_fit() {
    let mut referee = Referee::new(SETUP);
    for script in FITTING {
        let script = format!("\\set x 1\n{script}\n");
        let theirs = referee.by_pgbench(&trial(&script));
        for query_mode in ["extended", "prepared"] {
            let ours = referee.by_pgperf(&Trial {
                query_mode,
                ..trial(&script)
            });
            assert_eq!(ours, theirs, "{query_mode}: {script}");
        }
        assert!(
            matches!(theirs, Outcome::Ran { aborts, .. } if aborts.is_empty()),
            "{script}"
        );
    }
}

#[test]
fn values_that_do_not_fit() {
    let mut referee = Referee::new(SETUP);
    for (script, fault, line) in OTHERS {
        let script = format!("\\set x 1\n{script}\n");
        let theirs = referee.by_pgbench(&trial(&script));
        let Outcome::Ran { aborts, .. } = theirs else {
            panic!("{script}: {theirs:?}");
        };
        assert!(
            aborts.len() == 1 && aborts[0].message.contains("bind message supplies"),
            "{script}: {aborts:?}"
        );
        for query_mode in ["extended", "prepared"] {
            let ours = referee.by_pgperf(&Trial {
                query_mode,
                ..trial(&script)
            });
            let Outcome::Refused(refusal) = ours else {
                panic!("{script}: {ours:?}");
            };
            let before = line.split(fault).next().unwrap_or_default();
            let column = before.chars().count();
            assert_eq!(
                refusal.source,
                format!("{line}\n{:column$}^ error found here", ""),
                "{script}"
            );
            assert!(!refusal.hint.is_empty());
        }
        // In simple mode the text is the server's alone.
        let simple = Trial {
            query_mode: "simple",
            ..trial(&script)
        };
        let theirs = referee.by_pgbench(&simple);
        assert_eq!(referee.by_pgperf(&simple), theirs, "{script}");
    }
}

/// What only the sessions of the clients know is found when they prepare. Since PostgreSQL 19 they know nothing else about strings.
#[test]
fn values_that_do_not_fit_in_the_clients_sessions() {
    if major() >= 19 {
        return;
    }
    let mut referee = Referee::new("");
    for database in [THEIRS, crate::common::pair::OURS] {
        execute(
            &mut referee.theirs,
            &format!("ALTER DATABASE {database} SET standard_conforming_strings = off"),
        );
    }
    let script = "\\set x 1\nSELECT '\\' || :x || ' AS a --';\n";
    let theirs = referee.by_pgbench(&trial(script));
    let ours = referee.by_pgperf(&trial(script));
    assert_eq!(ours, theirs);
    let Outcome::Ran { aborts, .. } = ours else {
        panic!("{ours:?}");
    };
    assert_eq!(
        aborts[0].message,
        "bind message supplies 1 parameters, but prepared statement \"\" requires 0"
    );
    // In prepared mode no transaction begins.
    let script = format!(
        "SELECT nextval('begun');\n{}",
        "SELECT '\\' || :client_id || ' AS a --';\n"
    );
    execute(&mut referee.ours, "CREATE SEQUENCE begun");
    let Outcome::Ran { aborts, .. } = referee.by_pgperf(&Trial {
        query_mode: "prepared",
        ..trial(&script)
    }) else {
        panic!("{script}");
    };
    assert_eq!(aborts[0].command, Some(1));
    assert_eq!(
        crate::common::pair::row(&mut referee.ours, "SELECT is_called FROM begun"),
        "f"
    );
}
