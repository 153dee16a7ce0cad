//! Plans of the statements of a run's scripts.

use super::fake::*;
use crate::*;

/// Answers what is explained; a statement about `gone` fails.
fn plans(_: &World, text: &str) -> Reply {
    if text.contains("gone") {
        return Reply::error("42P01");
    }
    let results = match text.strip_prefix("EXPLAIN (FORMAT JSON) ") {
        Some(_) => vec![Some((vec!["QUERY PLAN"], vec![vec!["[{}]"]]))],
        None => Vec::new(),
    };
    Reply::answer(Answer {
        results,
        ..Answer::default()
    })
}

fn explain(script: &str) -> (Vec<Explained>, Vec<String>) {
    let run = Run::of(script, 1);
    let mut client = run.client(plans);
    let explained = client.explain();
    let sent = run.sent();
    let asked = sent
        .iter()
        .filter_map(|sent| sent.strip_prefix("unprepared EXPLAIN (FORMAT JSON) "));
    (explained, asked.map(str::to_owned).collect())
}

#[test]
fn each_statement_is_explained_once_with_values() {
    let (explained, asked) = explain(
        "\\set a 1 + 2\nBEGIN;\n\\set i 0\n\\while :i < 3\nSELECT :a;\n\\set i :i + 1\n\\endwhile\n\
         \\if :i = 3\nSELECT 'then';\n\\else\nSELECT 'else';\n\\endif\nSELECT * FROM gone;\nSELECT :b;\nEND;\n",
    );
    assert_eq!(
        asked,
        [
            "SELECT 3;",
            "SELECT 'then';",
            "SELECT * FROM gone;",
            "SELECT :b;"
        ]
    );
    let plans: Vec<bool> = explained.iter().map(|it| it.plan.is_ok()).collect();
    assert_eq!(plans, [true, true, false, true]);
    assert_eq!(explained[0].plan.as_deref(), Ok("[{}]"));
    assert!(explained.iter().all(|it| it.script == 0));
}

#[test]
fn draws_are_those_of_the_run_and_not_taken_from_it() {
    let script = "\\set r random(1, 1000000)\nSELECT :r;\n";
    let (_, asked) = explain(script);
    let run = Run::of(script, 1);
    let mut client = run.client(plans);
    client.explain();
    client.prepare().unwrap();
    client.run().unwrap();
    assert_eq!(run.sent().last().unwrap(), &format!("simple {}", asked[0]));
}

#[test]
fn a_run_does_not_wait_for_a_lock() {
    let run = Run::of("SELECT 1;\nSELECT 2;\nSELECT 3;\n", 1);
    let mut client = run.client(|world, text| match text.contains("SELECT 2") {
        true => Reply::error("55P03"),
        false => plans(world, text),
    });
    let explained = client.explain();
    let known: Vec<bool> = explained.iter().map(|it| it.plan.is_ok()).collect();
    assert_eq!(known, [true, false]);
    assert_eq!(run.sent().last().unwrap(), "simple COMMIT");
}

#[test]
fn no_transaction_stays_open_for_the_run() {
    for failing in ["SET LOCAL", "COMMIT"] {
        let run = Run::of("SELECT 1;\n", 1);
        let mut client = run.client(move |world, text| match text.starts_with(failing) {
            true => Reply::error("57014"),
            false => plans(world, text),
        });
        assert_eq!(client.explain(), []);
        assert_eq!(run.sent().last().unwrap(), "simple ROLLBACK");
    }
}

#[test]
fn a_loop_without_an_end_is_left() {
    let (explained, _) = explain("\\while 1 = 1\n\\set a 1\n\\endwhile\nSELECT 1;\n");
    assert!(explained.is_empty());
    // What cannot be computed before a statement has run ends the script, too.
    let (explained, _) = explain("SELECT 1 AS x \\gset\n\\set y :x + 1\nSELECT :y;\n");
    assert_eq!(explained.len(), 1);
}
