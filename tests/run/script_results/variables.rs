//! `\gset` and `\aset`: results that become variables.

use super::{EXTENDED, NOTED, Pair, SIMPLE, case};
use crate::common::pair::{QUERY_MODES, number, row, rows};

#[test]
fn gset_feeds_the_next_statement() {
    const ALL: &[&str] = &QUERY_MODES;
    Pair::new().check(&[
        case(
            ALL,
            "SELECT 40 AS i, 2 AS j \\gset\n\\set k :i + :j\nINSERT INTO noted (what) VALUES ((:i)::text), ((:k)::text);",
            &["1:40", "1:42"],
        ),
        // A prefix; a value that is read as a double.
        case(
            ALL,
            "SELECT 0.5 AS \"é\" \\gset _p\n\\set d :_pé * 3\nINSERT INTO noted (what) VALUES ((:d)::text);",
            &["1:1.5"],
        ),
        // The last column of a name wins; no column is no error.
        case(
            ALL,
            "SELECT 0 AS i, 4 AS i \\gset\nSELECT \\gset\nINSERT INTO noted (what) VALUES ((:i)::text);",
            &["1:4"],
        ),
        // What is no SELECT but has a result.
        case(
            ALL,
            "INSERT INTO noted (what) VALUES ('a') RETURNING 7 AS i;\n\\gset\n\
             SHOW server_version_num \\gset\n\
             INSERT INTO noted (what) VALUES ((:i + sign((:server_version_num)::int))::text);",
            &["1:a", "2:8"],
        ),
        // NULL is an empty text, as is what quotes and blanks stay.
        case(
            EXTENDED,
            "SELECT NULL AS n, ' it''s ' AS t \\gset\n\
             INSERT INTO noted (what) VALUES (:n || '-' || :t);",
            &["1:- it's "],
        ),
        // Set anew each time, and every row anew.
        case(
            ALL,
            "SELECT (:k)::int + 1 AS k \\gset\nINSERT INTO noted (what) VALUES ((:k)::text);",
            &["1:1", "2:2", "3:3"],
        )
        .times(3),
        // The columns of a statement may change from one time to the next.
        case(
            SIMPLE,
            "\\set k :k + 1\nSELECT 10 * :k AS v:k \\gset\n\\if :k = 3\n\
             INSERT INTO noted (what) VALUES (:v1 + :v2 + :v3);\n\\endif",
            &["1:60"],
        )
        .times(3),
        // The last query of a combined command.
        case(
            SIMPLE,
            "\\; \\; SELECT 0 AS i \\; SELECT 5 AS i \\; \\; \\gset\n\
             INSERT INTO noted (what) VALUES (:i);",
            &["1:5"],
        ),
    ]);
}

#[test]
fn gset_wants_one_row() {
    const ALL: &[&str] = &QUERY_MODES;
    Pair::new().check(&[
        case(ALL, "SELECT 1 AS i WHERE false \\gset", &[]).fails("expected one row, got 0"),
        case(ALL, "SELECT generate_series(1, 3) AS i \\gset", &[])
            .fails("expected one row, got 3"),
        // What the statement did is done.
        case(
            ALL,
            "INSERT INTO noted (what) VALUES ('a'), ('b') RETURNING what \\gset",
            &["1:a", "1:b"],
        )
        .fails("expected one row, got 2"),
        case(ALL, "INSERT INTO noted (what) VALUES ('a') \\gset", &["1:a"])
            .fails("expected one row, got 0"),
        case(ALL, "DROP TABLE IF EXISTS no_such_table \\gset", &[])
            .fails("expected one row, got 0"),
        case(
            SIMPLE,
            "SELECT 1 AS i \\; INSERT INTO noted (what) VALUES ('a') \\gset",
            &["1:a"],
        )
        .fails("expected one row, got 0"),
        // But not if it was in a block.
        case(
            ALL,
            "BEGIN;\nINSERT INTO noted (what) VALUES ('a');\nSELECT 1 AS i WHERE false \\gset\nEND;",
            &[],
        )
        .fails("expected one row, got 0"),
        case(ALL, "SELECT 1 \\gset", &[]).fails("error storing into variable ?column?"),
        case(ALL, "SELECT 1 AS \"bad name!\" \\gset", &[])
            .fails("error storing into variable bad name!"),
        case(ALL, "SELECT 1 AS i \\gset 1", &[]).fails("error storing into variable 1i"),
        // A transaction may be tried again.
        case(
            ALL,
            "BEGIN;\nSELECT id AS old FROM noted \\aset\nINSERT INTO noted (what) VALUES ('a');\n\
             SELECT second_try() AS i \\gset\nINSERT INTO noted (what) VALUES ((:i)::text);\nEND;",
            &["1:a", "1:2"],
        ),
        // The server's own errors come first.
        case(ALL, "SELECT 1 / 0 AS i \\gset", &[]).fails("division by zero"),
    ]);
}

#[test]
fn aset_takes_the_last_row_of_each_query() {
    const ALL: &[&str] = &QUERY_MODES;
    Pair::new().check(&[
        case(
            ALL,
            "SELECT 8 AS i UNION SELECT 9 ORDER BY 1 DESC \\aset\n\
             SELECT 3 AS i WHERE false \\aset\n\
             INSERT INTO noted (what) VALUES ('a') \\aset\n\
             INSERT INTO noted (what) VALUES ((:i)::text);",
            &["1:a", "2:8"],
        ),
        case(
            SIMPLE,
            "\\; SELECT 6 AS i \\; SELECT 7 AS j, 8 AS i WHERE false \\; \
             INSERT INTO noted (what) VALUES ('a'), ('b') RETURNING id - id + 1 AS j \\; \
             SELECT 9 AS l \\; UPDATE noted SET what = what || 'x' \\aset p_\n\
             INSERT INTO noted (what) VALUES (:p_i), (:p_j), (:p_l);",
            &["1:ax", "1:bx", "2:6", "2:1", "2:9"],
        ),
        case(ALL, "SELECT 1 AS i WHERE false \\aset\n\\set i :i", &[])
            .fails("undefined variable \"i\""),
        case(ALL, "SELECT 1 \\aset", &[]).fails("error storing into variable ?column?"),
    ]);
}

#[test]
fn results_are_kept_in_every_result_mode() {
    let mut pair = Pair::new();
    let run = number(
        &mut pair.ours,
        r"SELECT pgperf.start_run(result_mode => 'discard', transactions_per_client => 2, script => E'SELECT 41 AS i, 2 AS unused \\gset\nSELECT 1;\nINSERT INTO noted (what) VALUES (:i + 1);')",
    );
    assert_eq!(
        row(&mut pair.ours, &format!("CALL pgperf.wait_run({run})")),
        "finished"
    );
    assert_eq!(rows(&mut pair.ours, NOTED), ["1:42", "2:42"]);
    // A statement with its \gset is one command.
    assert_eq!(
        rows(
            &mut pair.ours,
            &format!(
                "SELECT statement, calls, rows FROM pgperf.run_statements \
                 WHERE run_id = {run} ORDER BY command_no"
            )
        ),
        [
            "SELECT 41 AS i, 2 AS unused |2|2",
            "SELECT 1;|2|2",
            "INSERT INTO noted (what) VALUES (:i + 1);|2|2"
        ]
    );
}
