//! `\pool`: read before the run, kept over the end of a warm-up, and an error where the script comes to it.

use super::fake::*;
use crate::*;

const SCRIPT: &str = "\\pool p SELECT v FROM t\n\\set v pool('p', pool_rows('p'), 1)\nUSE :v;\n";

/// Whatever is asked for is a pool of the rows 5, 6 and 7.
fn rows(_: &World, text: &str) -> Reply {
    let results = match text.contains("SELECT v FROM t") {
        true => vec![Some((
            vec!["json_agg"],
            vec![vec![r#"[["5"],["6"],["7"]]"#]],
        ))],
        false => Vec::new(),
    };
    Reply::answer(Answer {
        results,
        ..Answer::default()
    })
}

fn reads(run: &Run) -> usize {
    let sent = run.sent();
    sent.iter().filter(|it| it.contains("FROM t")).count()
}

#[test]
fn a_pool_is_read_once_before_the_run() {
    let run = Run::of(SCRIPT, 3);
    let mut client = run.client(rows);
    client.prepare().unwrap();
    assert_eq!(reads(&run), 1);
    client.run().unwrap();
    assert_eq!(reads(&run), 1);
    assert_eq!(run.sent()[1..], ["simple USE 7;"; 3]);
}

#[test]
fn scripts_may_read_different_pools_under_one_name() {
    let script = |query: &str| {
        format!("\\pool p SELECT v FROM t{query}\n\\set v pool('p', pool_rows('p'), 1)\nUSE :v;\n")
    };
    let texts = [script(""), script(" WHERE true")];
    let run = Run::of("", 5).with(|spec| {
        spec.scripts = scripts(&[(&texts[0], 1), (&texts[1], 1)]);
        spec.sequences = vec![vec![0, 1]];
    });
    let mut client = run.client(|world, text| match text.contains("WHERE") {
        true => Reply::answer(Answer {
            results: vec![Some((vec!["json_agg"], vec![vec![r#"[["8"]]"#]]))],
            ..Answer::default()
        }),
        false => rows(world, text),
    });
    client.prepare().unwrap();
    client.run().unwrap();
    assert_eq!(reads(&run), 2);
    let used: Vec<String> = run.sent().split_off(2);
    assert_eq!(used, [7, 8, 7, 8, 7].map(|v| format!("simple USE {v};")));
}

#[test]
fn a_warm_up_leaves_its_pools() {
    let run = Run::of(SCRIPT, 2).with(|spec| spec.warmup = Some(Warmup::default()));
    run.world.measured_from.set(START + 3 * STATEMENT_NS);
    let mut client = run.client(rows);
    client.prepare().unwrap();
    client.run().unwrap();
    assert_eq!(reads(&run), 1);
    assert!(run.sent().len() > 3);
}

#[test]
fn one_that_cannot_be_read_is_an_error_of_its_command() {
    let run = Run::of(SCRIPT, 1);
    let mut client = run.client(|_, _| Reply::error("42P01"));
    client.prepare().unwrap();
    let error = client.run().unwrap_err();
    assert_eq!((error.sqlstate.as_str(), error.command), ("42P01", Some(0)));
    assert_eq!(reads(&run), 2);
}

#[test]
fn a_pool_without_rows_is_an_error() {
    let run = Run::of(SCRIPT, 1);
    let error = run.client(all_well).run().unwrap_err();
    assert_eq!(error.message, "the query of \\pool returned no rows");
    assert_eq!((error.sqlstate.as_str(), error.command), ("21000", Some(0)));
}

#[test]
fn none_is_read_in_a_pipeline() {
    let script = format!("\\startpipeline\n{SCRIPT}\\endpipeline\n");
    let run = Run::of(&script, 1).with(|spec| spec.query_mode = QueryMode::Extended);
    let error = run.client(rows).run().unwrap_err();
    assert_eq!(error.message, "\\pool is not allowed in pipeline mode");
}
