//! Statements that have variables in their names, and scripts whose statements go in simple mode.

use super::fake::*;
use crate::*;

/// Table 1, 2 and 1 again.
const SCRIPT: &str =
    "\\set n :n + 1\n\\set t 2 - :n % 2\nS FROM t:t, u_:client_id WHERE id = :n;\n";

fn in_mode(script: &str, mode: QueryMode, transactions: u64) -> Run {
    Run::of(script, transactions).with(|spec| {
        spec.query_mode = mode;
        spec.variables.insert("n".to_owned(), "0".to_owned());
    })
}

#[test]
fn each_mode_fills_the_names() {
    let cases = [
        (
            QueryMode::Simple,
            vec![
                "simple S FROM t1, u_0 WHERE id = 1;",
                "simple S FROM t2, u_0 WHERE id = 2;",
                "simple S FROM t1, u_0 WHERE id = 3;",
            ],
        ),
        (
            QueryMode::Extended,
            vec![
                "unprepared S FROM t1, u_0 WHERE id = $1; [1]",
                "unprepared S FROM t2, u_0 WHERE id = $1; [2]",
                "unprepared S FROM t1, u_0 WHERE id = $1; [3]",
            ],
        ),
        (
            QueryMode::Prepared,
            vec![
                "prepare S FROM t1, u_0 WHERE id = $1;",
                "execute S FROM t1, u_0 WHERE id = $1; [1]",
                "prepare S FROM t2, u_0 WHERE id = $1;",
                "execute S FROM t2, u_0 WHERE id = $1; [2]",
                "execute S FROM t1, u_0 WHERE id = $1; [3]",
            ],
        ),
    ];
    for (mode, expected) in cases {
        let run = in_mode(SCRIPT, mode, 3);
        run.runs(all_well);
        assert_eq!(run.sent(), expected, "{mode:?}");
    }
}

#[test]
fn they_are_not_prepared_before_the_run() {
    let run = in_mode("A;\nB t:n;\nC;\n", QueryMode::Prepared, 1);
    run.client(all_well).prepare().unwrap();
    assert_eq!(run.sent(), ["prepare A;", "prepare C;"]);
}

#[test]
fn a_statement_that_cannot_be_prepared_is_an_error_each_time() {
    let run = in_mode("B t:client_id;\n", QueryMode::Prepared, 2)
        .with(|spec| spec.continue_on_error = true);
    run.runs(failing("prepare B", "42P01", 1));
    assert_eq!(
        run.sent(),
        ["prepare B t0;", "prepare B t0;", "execute B t0;"]
    );
    assert_eq!(run.command(0), (1, 1, 0));
}

#[test]
fn names_without_a_value_are_left() {
    for mode in [QueryMode::Simple, QueryMode::Extended] {
        let run = in_mode("B a[i:j];\n", mode, 1);
        run.runs(all_well);
        assert!(run.sent()[0].ends_with(" B a[i:j];"), "{:?}", run.sent());
    }
    let run = in_mode("B a[i:j];\n", QueryMode::Prepared, 2);
    run.runs(all_well);
    assert_eq!(
        run.sent(),
        [
            "prepare B a[i:j];",
            "execute B a[i:j];",
            "execute B a[i:j];"
        ]
    );
}

#[test]
fn their_results_become_variables() {
    let run = in_mode("B t:client_id \\gset\nC :v;\n", QueryMode::Extended, 1);
    run.runs(|_, _| {
        Reply::answer(Answer {
            results: vec![Some((vec!["v"], vec![vec!["5"]]))],
            ..Answer::default()
        })
    });
    assert_eq!(run.sent(), ["unprepared B t0 ", "unprepared C $1; [5]"]);
}

#[test]
fn in_a_pipeline_they_are_parsed_when_they_are_reached() {
    let script = "\\startpipeline\nA t:client_id, :n;\nB;\n\\endpipeline\n";
    for (mode, expected) in [
        (
            QueryMode::Extended,
            &["pipelined A t0, $1; [0]", "pipelined B;"][..],
        ),
        (
            QueryMode::Prepared,
            &["pipelined A t0, $1; [0]", "pipelined prepared B;"],
        ),
    ] {
        let run = in_mode(script, mode, 1);
        let mut client = run.client(all_well);
        client.run().unwrap();
        let mut sent = run.sent();
        sent.retain(|text| text.starts_with("pipelined"));
        assert_eq!(sent, expected);
        assert!(!run.sent().iter().any(|text| text.starts_with("prepare A")));
    }
}

#[test]
fn names_that_are_always_new_are_not_all_kept() {
    let script = "\\set n :n + 1\nB t:n;\n";
    let run = in_mode(script, QueryMode::Prepared, 1002);
    run.runs(all_well);
    let count = |kind: &str| {
        let sent = run.sent();
        sent.iter().filter(|text| text.starts_with(kind)).count()
    };
    assert_eq!(count("prepare "), 1000);
    assert_eq!(count("execute "), 1000);
    assert_eq!(count("unprepared "), 2);
    assert_eq!(run.sent().last().unwrap(), "unprepared B t1002;");
}

#[test]
fn a_script_may_be_in_simple_mode_whatever_the_run_is() {
    let script = "A :client_id;\nB t:client_id \\; C;\n";
    for mode in [QueryMode::Extended, QueryMode::Prepared] {
        let run = in_mode("", mode, 2).with(|spec| {
            spec.scripts = scripts(&[(script, 1), ("D :client_id;", 0)]);
            spec.scripts[0].simple = true;
            spec.warmup = Some(Warmup {
                scripts: scripts(&[("W :client_id;", 1)]),
                scale: None,
            });
        });
        run.world.measured_from.set(START + 1);
        run.runs(all_well);
        let mut sent = run.sent();
        sent.retain(|text| !text.starts_with("prepare"));
        let warmup = match mode {
            QueryMode::Prepared => "execute W $1; [0]",
            _ => "unprepared W $1; [0]",
        };
        let simple = ["simple A 0;", "simple B t0 ; C;"];
        assert_eq!(sent, [&[warmup], &simple[..], &simple[..]].concat());
        // Only what goes prepared is.
        let prepared = match mode {
            QueryMode::Prepared => vec!["prepare D $1;", "prepare W $1;"],
            _ => vec![],
        };
        assert_eq!(run.sent()[..prepared.len()], prepared);
        assert_eq!(run.sent().len(), prepared.len() + 5);
    }
}

#[test]
fn a_warmup_may_be_in_simple_mode() {
    let run = in_mode("A :client_id;", QueryMode::Extended, 1).with(|spec| {
        let mut own = scripts(&[("W :client_id;", 1)]);
        own[0].simple = true;
        spec.warmup = Some(Warmup {
            scripts: own,
            scale: None,
        });
    });
    run.world.measured_from.set(START + 1);
    run.runs(all_well);
    assert_eq!(run.sent(), ["simple W 0;", "unprepared A $1; [0]"]);
}

#[test]
fn a_script_in_simple_mode_has_no_pipelines() {
    let run = in_mode("\\startpipeline\n\\endpipeline\n", QueryMode::Prepared, 1)
        .with(|spec| spec.scripts[0].simple = true);
    let error = run.ends(all_well).unwrap_err();
    assert_eq!(
        error.message,
        "cannot use pipeline mode with the simple query protocol"
    );
}
