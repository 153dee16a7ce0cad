//! Pipelines and their transactions.

use super::{EXTENDED, NOTED, Pair, RENEW, SIMPLE, case};
use crate::common::pair::{execute, rows};

#[test]
fn a_pipeline_is_one_transaction_up_to_its_sync() {
    Pair::new().check(&[
        case(
            EXTENDED,
            "\\startpipeline\nINSERT INTO noted (what) VALUES ('a');\n\\set i 7\n\
             INSERT INTO noted (what) VALUES ((:i)::text);\n\\endpipeline\n\
             INSERT INTO noted (what) VALUES ('c');",
            &["1:a", "1:7", "2:c", "3:a", "3:7", "4:c"],
        )
        .times(2),
        case(EXTENDED, "\\startpipeline\n\\endpipeline\nSELECT 1;", &[]).times(3),
        // All that an error leaves is nothing, and nothing after it is run.
        case(
            EXTENDED,
            "\\startpipeline\nINSERT INTO noted (what) VALUES ('a');\nSELECT 1 / 0;\n\
             INSERT INTO noted (what) VALUES ('b');\n\\endpipeline",
            &[],
        )
        .fails("division by zero"),
        // An error is noticed at the end, and so after what the client itself finds wrong.
        case(
            EXTENDED,
            "\\startpipeline\nSELECT 1 / 0;\n\\set i :nosuch\n\\endpipeline",
            &[],
        )
        .fails("undefined variable \"nosuch\""),
        // BEGIN makes one block of all since the start, COMMIT ends it.
        case(
            EXTENDED,
            "\\startpipeline\nINSERT INTO noted (what) VALUES ('a');\nBEGIN;\n\
             INSERT INTO noted (what) VALUES ('b');\nCOMMIT;\n\
             INSERT INTO noted (what) VALUES ('c');\n\\endpipeline",
            &["1:a", "1:b", "2:c"],
        ),
        case(
            EXTENDED,
            "\\startpipeline\nINSERT INTO noted (what) VALUES ('a');\nCOMMIT;\n\
             INSERT INTO noted (what) VALUES ('b');\nSELECT 1 / 0;\n\\endpipeline",
            &["1:a"],
        )
        .fails("division by zero"),
        // A block may go on behind the pipeline.
        case(
            EXTENDED,
            "\\startpipeline\nBEGIN;\nINSERT INTO noted (what) VALUES ('a');\n\\endpipeline\n\
             INSERT INTO noted (what) VALUES ('b');\nCOMMIT;",
            &["1:a", "1:b"],
        ),
        case(
            EXTENDED,
            "BEGIN;\n\\startpipeline\nINSERT INTO noted (what) VALUES ('a');\nSELECT 1 / 0;\n\
             \\endpipeline\nCOMMIT;",
            &[],
        )
        .fails("division by zero"),
        // Nothing before it has taken a snapshot.
        case(
            EXTENDED,
            "\\startpipeline\nBEGIN ISOLATION LEVEL SERIALIZABLE;\n\
             INSERT INTO noted (what) VALUES (current_setting('transaction_isolation'));\nEND;\n\
             \\endpipeline",
            &["1:serializable", "2:serializable"],
        )
        .times(2),
        // The commit of the sync may fail too.
        case(
            EXTENDED,
            "\\startpipeline\nINSERT INTO noted (what) VALUES ('a');\n\
             INSERT INTO once VALUES (1), (1);\n\\endpipeline",
            &[],
        )
        .fails("duplicate key value violates unique constraint \"once_n_key\""),
        // An error that allows it starts the script again, whose earlier pipelines stay.
        case(
            EXTENDED,
            "\\startpipeline\nINSERT INTO noted (what) VALUES ('a');\n\\endpipeline\n\
             \\startpipeline\nINSERT INTO noted (what) VALUES ('b');\n\
             INSERT INTO noted (what) VALUES (second_try()::text);\n\\endpipeline",
            &["1:a", "2:a", "3:b", "3:2"],
        ),
        // What cannot be rolled back is committed at once.
        case(
            EXTENDED,
            "\\startpipeline\nALTER SYSTEM RESET work_mem;\nALTER SYSTEM RESET work_mem;\n\
             INSERT INTO noted (what) VALUES ('a');\n\\endpipeline",
            &["1:a"],
        ),
        // So it comes first or not at all.
        case(
            EXTENDED,
            "\\startpipeline\nVACUUM noted;\nINSERT INTO noted (what) VALUES ('a');\n\\endpipeline",
            &["1:a"],
        ),
        case(
            EXTENDED,
            "\\startpipeline\nINSERT INTO noted (what) VALUES ('a');\nVACUUM noted;\n\\endpipeline",
            &[],
        )
        .fails("VACUUM cannot "),
        case(
            EXTENDED,
            "\\startpipeline\nINSERT INTO noted (what) VALUES ('a');\n\\syncpipeline\n\
             INSERT INTO noted (what) VALUES ('b');\nINSERT INTO noted (what) VALUES ('c');\n\
             \\syncpipeline\n\\syncpipeline\nINSERT INTO noted (what) VALUES ('d');\n\\endpipeline",
            &["1:a", "2:b", "2:c", "3:d"],
        ),
    ]);
}

/// As when all has been sent before the first error is read. Not beside pgbench, which leaves while its server
/// may still be at it.
#[test]
fn after_an_error_a_pipeline_goes_on_behind_the_next_sync() {
    let mut pair = Pair::new();
    let case = case(
        EXTENDED,
        "\\startpipeline\nINSERT INTO noted (what) VALUES ('a');\nSELECT 1 / 0;\n\
         INSERT INTO noted (what) VALUES ('b');\n\\syncpipeline\n\
         INSERT INTO noted (what) VALUES ('c');\n\\endpipeline",
        &["1:c"],
    )
    .fails("division by zero");
    for mode in case.modes {
        pair.check_ours(&case, mode);
    }
}

/// The commit at a sync is work of the server like a statement's.
#[test]
fn what_a_sync_commits_is_accounted_for() {
    let mut pair = Pair::new();
    let script = "\\startpipeline\nINSERT INTO noted (what) VALUES ('a');\n\\syncpipeline\n\
                  INSERT INTO noted (what) VALUES ('b');\n\\endpipeline";
    let (status, errors) = pair.run(script, "prepared", 5);
    assert_eq!(status, "finished", "{errors:?}");
    assert_eq!(
        rows(
            &mut pair.ours,
            "SELECT statement, calls, is_sql, rows, wal_records >= calls \
             FROM pgperf.run_statements ORDER BY command_no"
        ),
        [
            "\\startpipeline|5|f||",
            "INSERT INTO noted (what) VALUES ('a');|5|t|5|t",
            "\\syncpipeline|5|t|0|t",
            "INSERT INTO noted (what) VALUES ('b');|5|t|5|t",
            "\\endpipeline|5|t|0|t",
        ]
    );
}

#[test]
fn pipelines_are_refused_where_pgbench_refuses_them() {
    Pair::new().check(&[
        case(SIMPLE, "\\startpipeline\nSELECT 1;\n\\endpipeline", &[])
            .fails("cannot use pipeline mode with the simple query protocol"),
        case(EXTENDED, "\\startpipeline\n\\startpipeline", &[]).fails("already in pipeline mode"),
        case(EXTENDED, "\\endpipeline", &[]).fails("not in pipeline mode"),
        case(EXTENDED, "\\syncpipeline", &[]).fails("not in pipeline mode"),
        case(
            EXTENDED,
            "\\startpipeline\nINSERT INTO noted (what) VALUES ('a');\nSELECT 1 AS i \\gset f\n\
             \\endpipeline",
            &[],
        )
        .fails("\\gset is not allowed in pipeline mode"),
        case(
            EXTENDED,
            "\\startpipeline\nSELECT 1 AS i \\aset\n\\endpipeline",
            &[],
        )
        .fails("\\aset is not allowed in pipeline mode"),
        case(
            EXTENDED,
            "\\startpipeline\nINSERT INTO noted (what) VALUES ('a');",
            &[],
        )
        .fails("end of script reached with pipeline open"),
        case(EXTENDED, "\\startpipeline", &[])
            .times(2)
            .fails("end of script reached with pipeline open"),
    ]);
}

/// The only difference from pgbench in a pipeline: there, what could not be prepared at its start fails.
#[test]
fn a_pipeline_sees_the_tables_that_it_makes() {
    let mut pair = Pair::new();
    let script = "\\startpipeline\nCREATE TABLE made (n int);\nINSERT INTO made VALUES (1);\n\
                  INSERT INTO noted (what) SELECT n FROM made;\nDROP TABLE made;\n\\endpipeline";
    for mode in EXTENDED {
        execute(&mut pair.ours, RENEW);
        assert_eq!(
            pair.run(script, mode, 2),
            ("finished".to_owned(), vec![]),
            "{mode}"
        );
        assert_eq!(rows(&mut pair.ours, NOTED), ["1:1", "2:1"], "{mode}");
    }
}
