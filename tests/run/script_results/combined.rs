//! Statements combined by `\;`, and statements that need a client program.

use super::{EXTENDED, Pair, SIMPLE, case};
use crate::common::pair::number;
use crate::common::runs::error_of;

#[test]
fn combined_statements_share_an_implicit_block() {
    Pair::new().check(&[
        case(
            SIMPLE,
            "INSERT INTO noted (what) VALUES ('a') \\; INSERT INTO noted (what) VALUES ('b');\n\
             INSERT INTO noted (what) VALUES ('c');",
            &["1:a", "1:b", "2:c"],
        ),
        case(
            SIMPLE,
            "INSERT INTO noted (what) VALUES ('a') \\; SELECT 1 / 0 \\; \
             INSERT INTO noted (what) VALUES ('b');",
            &[],
        )
        .fails("division by zero"),
        // COMMIT ends the block, and another begins.
        case(
            SIMPLE,
            "INSERT INTO noted (what) VALUES ('a') \\; COMMIT \\; \
             INSERT INTO noted (what) VALUES ('b') \\; SELECT 1 / 0;",
            &["1:a"],
        )
        .fails("division by zero"),
        // BEGIN makes it an explicit one.
        case(
            SIMPLE,
            "INSERT INTO noted (what) VALUES ('a') \\; BEGIN \\; \
             INSERT INTO noted (what) VALUES ('b') \\; COMMIT \\; \
             INSERT INTO noted (what) VALUES ('c');",
            &["1:a", "1:b", "2:c"],
        ),
        // Which outlasts the command.
        case(
            SIMPLE,
            "BEGIN \\; INSERT INTO noted (what) VALUES ('a');\n\
             INSERT INTO noted (what) VALUES ('b') \\; COMMIT;",
            &["1:a", "1:b"],
        ),
        case(
            SIMPLE,
            "BEGIN \\; INSERT INTO noted (what) VALUES ('a') \\; ROLLBACK \\; \
             INSERT INTO noted (what) VALUES ('b');",
            &["1:b"],
        ),
        case(
            SIMPLE,
            "INSERT INTO noted (what) VALUES ('a') \\; VACUUM noted;",
            &[],
        )
        .fails("VACUUM cannot run inside a transaction block"),
        case(
            SIMPLE,
            "SAVEPOINT s \\; INSERT INTO noted (what) VALUES ('a');",
            &[],
        )
        .fails("SAVEPOINT can only be used in transaction blocks"),
    ]);
}

/// What a variable hides from the check at the start ends the client.
#[test]
fn what_needs_a_client_is_refused_when_it_shows() {
    let mut pair = Pair::new();
    for (script, error) in [
        (
            "SELECT 'LISTEN' AS command \\gset\n:command channel;",
            "0A000|LISTEN and UNLISTEN are not supported in a pgperf script",
        ),
        (
            "SELECT 'UNLISTEN' AS command \\gset\nSELECT 1 \\; :command *;",
            "0A000|LISTEN and UNLISTEN are not supported in a pgperf script",
        ),
        (
            "SELECT 'COPY' AS command \\gset\n:command noted TO STDOUT;",
            "0A000|COPY to or from the client is not supported in a pgperf script",
        ),
        (
            "SELECT 'STDIN' AS place \\gset\nCOPY noted FROM :place;",
            "0A000|COPY to or from the client is not supported in a pgperf script",
        ),
        (
            "DO $$BEGIN EXECUTE 'LISTEN channel'; END$$;",
            "0A000|cannot execute LISTEN within a background process",
        ),
    ] {
        let (status, errors) = pair.run(script, "simple", 1);
        assert_eq!(
            (status.as_str(), errors.as_slice()),
            ("failed", &[error.to_owned()][..]),
            "{script}"
        );
    }
}

/// Refused at the start, so that nothing is stored.
#[test]
fn combined_statements_cannot_be_prepared() {
    let mut pair = Pair::new();
    let message = "cannot insert multiple commands into a prepared statement";
    for mode in EXTENDED {
        let (sqlstate, refused, hint) = error_of(
            &mut pair.ours,
            &format!(
                r"SELECT pgperf.start_run(query_mode => '{mode}', script => E'SELECT 1;\nSELECT 1 \\; SELECT 2;')"
            ),
        );
        assert_eq!(sqlstate, "42601");
        assert_eq!(refused, format!("script \"script\", line 2: {message}"));
        assert!(hint.contains("query_mode => 'simple'"), "{hint}");
        let (status, output) = pair.pgbench("SELECT 1;\nSELECT 1 \\; SELECT 2;", mode, 1);
        assert_eq!(status, Some(2));
        assert!(output.contains(message), "{output}");
    }
    assert_eq!(
        number(&mut pair.ours, "SELECT count(*) FROM pgperf.runs"),
        0
    );
}
