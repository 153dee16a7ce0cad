//! Pipelines.

use super::fake::*;
use crate::*;

const SCRIPT: &str = "\\startpipeline\nA 1;\nB :client_id;\n\\endpipeline\nC;\n";

fn pipeline(script: &str, mode: QueryMode, transactions: u64) -> Run {
    Run::of(script, transactions).with(|spec| spec.query_mode = mode)
}

#[test]
fn statements_share_a_pipeline() {
    let run = pipeline(SCRIPT, QueryMode::Extended, 1);
    run.runs(all_well);
    assert_eq!(
        run.sent(),
        [
            "begin pipeline",
            "pipelined A 1;",
            "pipelined B $1; [0]",
            "end pipeline",
            "unprepared C;"
        ]
    );
    for command in 0..5 {
        assert_eq!(run.command(command), (1, 0, 0));
    }
}

#[test]
fn in_prepared_mode_they_are_prepared_before() {
    let run = pipeline(SCRIPT, QueryMode::Prepared, 2);
    // Not yet before the run: the pipeline prepares its statements, and no other.
    let mut client = run.client(all_well);
    client.run().unwrap();
    let once = [
        "begin pipeline",
        "pipelined prepared A 1;",
        "pipelined prepared B $1; [0]",
        "end pipeline",
    ];
    let sent = run.sent();
    assert_eq!(sent[..2], ["prepare A 1;", "prepare B $1;"]);
    assert_eq!(sent[2..6], once);
    assert_eq!(sent[6..8], ["prepare C;", "execute C;"]);
    assert_eq!(sent[8..12], once);
    assert_eq!(sent[12..], ["execute C;"]);
}

#[test]
fn what_cannot_be_prepared_is_parsed_when_it_is_reached() {
    let run = pipeline(SCRIPT, QueryMode::Prepared, 1);
    let mut client = run.client(failing("prepare B $", "42P01", 9));
    client.run().unwrap();
    assert!(run.sent().contains(&"pipelined B $1; [0]".to_owned()));
    assert_eq!(run.counted.borrow().latencies.len(), 1);
}

#[test]
fn inside_a_block_that_is_the_clients_error() {
    let script = format!("BEGIN;\n{SCRIPT}END;\n");
    let run = pipeline(&script, QueryMode::Prepared, 1);
    let error = run
        .client(failing("prepare B $", "42P01", 9))
        .run()
        .unwrap_err();
    assert_eq!((error.sqlstate.as_str(), error.command), ("42P01", Some(1)));
    assert_eq!(run.sent().last().unwrap(), "simple ROLLBACK");
    assert!(!run.sent().contains(&"begin pipeline".to_owned()));
}

#[test]
fn a_cancelled_prepare_is_an_error() {
    let run = pipeline(SCRIPT, QueryMode::Prepared, 1);
    let error = run
        .client(failing("prepare B $", "57014", 9))
        .run()
        .unwrap_err();
    assert_eq!((error.sqlstate.as_str(), error.command), ("57014", Some(0)));
}

#[test]
fn a_failure_is_raised_at_the_end() {
    let run = pipeline(SCRIPT, QueryMode::Extended, 2).with(|spec| spec.continue_on_error = true);
    run.runs(failing("A", "23505", 1));
    let sent = run.sent();
    assert_eq!(
        sent[1..4],
        ["pipelined A 1;", "skipped B $1; [0]", "end pipeline"]
    );
    // The rest of the script is not run; the next transaction is.
    assert_eq!(sent[4], "begin pipeline");
    assert_eq!(run.counted.borrow().failed, [FailureKind::Other]);
    assert_eq!(run.counted.borrow().errors[0].command, Some(3));
    assert_eq!((run.command(1), run.command(3)), ((2, 0, 0), (1, 1, 0)));
}

#[test]
fn a_failed_pipeline_is_tried_again() {
    let run = pipeline(SCRIPT, QueryMode::Extended, 1).with(|spec| spec.max_tries = 2);
    run.runs(failing("A", "40001", 1));
    assert_eq!(run.counted.borrow().retried, [1]);
    assert_eq!(run.command(3), (1, 0, 1));
}

#[test]
fn a_sync_begins_anew() {
    let script = "\\startpipeline\nA;\nB;\n\\syncpipeline\nC;\n\\endpipeline\n";
    let run = pipeline(script, QueryMode::Extended, 1);
    let error = run.ends(failing("A", "23505", 1)).unwrap_err();
    assert_eq!((error.sqlstate.as_str(), error.command), ("23505", Some(5)));
    assert_eq!(
        run.sent()[1..],
        [
            "pipelined A;",
            "skipped B;",
            "sync pipeline",
            "pipelined C;",
            "end pipeline"
        ]
    );
    assert_eq!(run.command(3), (1, 0, 0));
}

#[test]
fn a_sync_takes_the_time_of_its_commit() {
    let script = "\\startpipeline\nA;\n\\syncpipeline\nC;\n\\endpipeline\n";
    let run = pipeline(script, QueryMode::Extended, 2);
    run.world.sync_ns.set(70);
    run.runs(all_well);
    let counted = run.counted.borrow();
    let commits = [1, 2, 3, 4].map(|command| counted.commands[&command].parts.commit_ns);
    assert_eq!(commits, [0, 140, 0, 140]);
}

#[test]
fn a_failure_in_a_block_rolls_back() {
    let script = "\\startpipeline\nBEGIN;\nA;\nEND;\n\\endpipeline\n";
    let run = pipeline(script, QueryMode::Extended, 2).with(|spec| spec.continue_on_error = true);
    run.runs(failing("A", "23505", 1));
    let sent = run.sent();
    assert_eq!(
        sent[3..6],
        ["skipped END;", "end pipeline", "simple ROLLBACK"]
    );
    assert_eq!(sent[6], "begin pipeline");
}

#[test]
fn commands_out_of_place_end_the_client() {
    let cases = [
        (
            "\\startpipeline\n\\startpipeline\n",
            1,
            "already in pipeline mode",
        ),
        ("\\endpipeline\n", 0, "not in pipeline mode"),
        ("\\syncpipeline\n", 0, "not in pipeline mode"),
        (
            "\\startpipeline\nSELECT 1 \\gset\n",
            1,
            "\\gset is not allowed in pipeline mode",
        ),
        (
            "\\startpipeline\nSELECT 1 \\aset\n",
            1,
            "\\aset is not allowed in pipeline mode",
        ),
    ];
    for (script, command, message) in cases {
        let run =
            pipeline(script, QueryMode::Extended, 5).with(|spec| spec.continue_on_error = true);
        let error = run.ends(all_well).unwrap_err();
        assert_eq!(
            (error.sqlstate.as_str(), error.message.as_str()),
            ("55000", message)
        );
        assert_eq!(error.command, Some(command), "{script}");
        // What was open is left.
        let opened = run.sent().contains(&"begin pipeline".to_owned());
        assert_eq!(
            run.sent().contains(&"abandon pipeline".to_owned()),
            opened,
            "{script}"
        );
    }
    let error = pipeline(SCRIPT, QueryMode::Simple, 1)
        .ends(all_well)
        .unwrap_err();
    assert_eq!(
        error.message,
        "cannot use pipeline mode with the simple query protocol"
    );
}

#[test]
fn a_pipeline_left_open_ends_the_client() {
    let run = pipeline("\\startpipeline\nA;\n", QueryMode::Extended, 5)
        .with(|spec| spec.continue_on_error = true);
    let error = run.ends(all_well).unwrap_err();
    assert_eq!(
        (
            error.sqlstate.as_str(),
            error.message.as_str(),
            error.command
        ),
        ("25001", "end of script reached with pipeline open", None)
    );
    assert_eq!(run.sent().last().unwrap(), "abandon pipeline");
}
