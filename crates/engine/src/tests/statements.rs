//! Statements in each query mode, results that become variables, and the way through a script.

use super::fake::*;
use crate::*;
use script::Value;

const SCRIPT: &str = "\\set i 5\n\\set d 1.5\nSELECT :i, :d, :t, :nothing;\n";

fn in_mode(script: &str, mode: QueryMode, transactions: u64) -> Run {
    Run::of(script, transactions).with(|spec| {
        spec.query_mode = mode;
        spec.variables.insert("t".to_owned(), "text".to_owned());
    })
}

#[test]
fn each_mode_has_its_way() {
    let cases = [
        (
            QueryMode::Simple,
            vec!["simple SELECT 5, 1.5, text, :nothing;"; 2],
        ),
        (
            QueryMode::Extended,
            vec!["unprepared SELECT $1, $2, $3, $4; [5, 1.5, text, NULL]"; 2],
        ),
        (
            QueryMode::Prepared,
            vec![
                "prepare SELECT $1, $2, $3, $4;",
                "execute SELECT $1, $2, $3, $4; [5, 1.5, text, NULL]",
                "execute SELECT $1, $2, $3, $4; [5, 1.5, text, NULL]",
            ],
        ),
    ];
    for (mode, expected) in cases {
        let run = in_mode(SCRIPT, mode, 2);
        run.runs(all_well);
        assert_eq!(run.sent(), expected, "{mode:?}");
    }
}

#[test]
fn what_cannot_be_prepared_before_is_at_its_first_use() {
    let run = in_mode("CREATE;\nSELECT 1;\n", QueryMode::Prepared, 2);
    run.runs(failing("prepare SELECT", "42P01", 1));
    assert_eq!(
        run.sent(),
        [
            "prepare CREATE;",
            "prepare SELECT 1;",
            "execute CREATE;",
            "prepare SELECT 1;",
            "execute SELECT 1;",
            "execute CREATE;",
            "execute SELECT 1;",
        ]
    );
    // The statements after it are prepared all the same.
    let run = in_mode("A;\nB;\n", QueryMode::Prepared, 1);
    run.runs(failing("prepare A", "42P01", 1));
    assert_eq!(
        run.sent(),
        [
            "prepare A;",
            "prepare B;",
            "prepare A;",
            "execute A;",
            "execute B;"
        ]
    );
    // There its error counts.
    let run = in_mode("CREATE;\nSELECT 1;\n", QueryMode::Prepared, 2);
    let error = run.ends(failing("prepare SELECT", "42P01", 2)).unwrap_err();
    assert_eq!((error.sqlstate.as_str(), error.command), ("42P01", Some(1)));
}

#[test]
fn a_cancel_ends_the_preparation() {
    let run = in_mode("A;\nB;\nC;\n", QueryMode::Prepared, 1);
    run.runs(failing("prepare A", "57014", 1));
    let sent = run.sent();
    assert_eq!(sent[..3], ["prepare A;", "prepare A;", "execute A;"]);
}

#[test]
fn only_prepared_mode_prepares() {
    for mode in [QueryMode::Simple, QueryMode::Extended] {
        let run = in_mode("A;\n", mode, 1);
        run.client(all_well).prepare().unwrap();
        assert_eq!(run.sent(), [] as [String; 0]);
    }
    let run = in_mode("", QueryMode::Prepared, 1).with(|spec| {
        spec.scripts = scripts(&[("A;\n\\set x 1\nB;", 1), ("C;", 1)]);
        spec.warmup = Some(Warmup {
            scripts: scripts(&[("W;", 1)]),
            scale: None,
        });
    });
    run.client(all_well).prepare().unwrap();
    assert_eq!(
        run.sent(),
        ["prepare A;", "prepare B;", "prepare C;", "prepare W;"]
    );
}

fn table(names: &[&'static str], rows: &[&[&'static str]]) -> Option<Table> {
    Some((
        names.to_vec(),
        rows.iter().map(|row| row.to_vec()).collect(),
    ))
}

/// The statements sent by a script whose first statement has these results.
fn after(script: &str, results: Vec<Option<Table>>) -> Result<Vec<String>, ClientError> {
    let run = Run::of(script, 1).with(|spec| spec.continue_on_error = true);
    let mut results = Some(results);
    run.ends(move |_, _| {
        Reply::answer(Answer {
            results: results.take().unwrap_or_default(),
            ..Answer::default()
        })
    })?;
    Ok(run.sent()[1..].to_vec())
}

#[test]
fn gset_takes_the_only_row() {
    let script = "SELECT 1 \\gset p_\nUSE :p_a :p_b :p_c;\n";
    let sent = after(
        script,
        vec![table(&["a", "other", "b"], &[&["1", "x", ""]])],
    );
    assert_eq!(sent.unwrap(), ["simple USE 1  :p_c;"]);
    // Of several queries the last one counts.
    let results = vec![
        table(&["a"], &[&["1"], &["2"]]),
        None,
        table(&["b"], &[&["3"]]),
    ];
    assert_eq!(after(script, results).unwrap(), ["simple USE :p_a 3 :p_c;"]);
}

#[test]
fn gset_takes_nothing_else() {
    let script = "SELECT 1 \\gset\nUSE :a;\n";
    let cases = [
        (vec![table(&["a"], &[])], 0),
        (vec![table(&["a"], &[&["1"], &["2"]])], 2),
        (vec![table(&["a"], &[&["1"]]), None], 0),
        (vec![], 0),
    ];
    for (results, rows) in cases {
        let error = after(script, results).unwrap_err();
        assert_eq!(error.sqlstate, "21000");
        assert_eq!(error.message, format!("expected one row, got {rows}"));
        assert_eq!(error.command, Some(0));
    }
}

#[test]
fn aset_takes_the_last_row_of_each() {
    let script = "\\set c 9\nSELECT 1 \\aset\nUSE :a :b :c;\n";
    let results = vec![
        table(&["a"], &[&["1"], &["2"]]),
        None,
        table(&["b"], &[&["3"]]),
        table(&["c"], &[]),
    ];
    assert_eq!(after(script, results).unwrap(), ["simple USE 2 3 9;"]);
    assert_eq!(after(script, vec![]).unwrap(), ["simple USE :a :b 9;"]);
    // Of a result without rows not even the names matter.
    let results = vec![table(&["?column?"], &[])];
    assert_eq!(after(script, results).unwrap(), ["simple USE :a :b 9;"]);
}

#[test]
fn a_column_needs_a_name_that_a_variable_can_have() {
    let error = after("SELECT 1 \\gset\n", vec![table(&["?column?"], &[&["1"]])]).unwrap_err();
    assert_eq!(error.sqlstate, "42602");
    assert_eq!(error.message, "error storing into variable ?column?");
    assert_eq!(
        error.detail.as_deref(),
        Some("invalid variable name: \"?column?\"")
    );
}

#[test]
fn columns_may_change_from_one_time_to_the_next() {
    let run = Run::of("SELECT 1 \\gset\nUSE :a :b;\n", 3);
    let mut number = 0;
    run.runs(move |_, text| {
        number += u32::from(text.starts_with("SELECT"));
        let results = match number {
            1 => vec![table(&["a", "b"], &[&["1", "2"]])],
            2 => vec![table(&["b", "a"], &[&["3", "4"]])],
            _ => vec![table(&["b"], &[&["5"]])],
        };
        Reply::answer(Answer {
            results,
            ..Answer::default()
        })
    });
    let mut sent = run.sent();
    sent.retain(|text| text.starts_with("simple USE"));
    assert_eq!(
        sent,
        ["simple USE 1 2;", "simple USE 4 3;", "simple USE 4 5;"]
    );
}

#[test]
fn a_statement_that_fails_stores_nothing() {
    let run = Run::of("SELECT 1 \\gset\nUSE :a;\n", 2).with(|spec| spec.continue_on_error = true);
    let mut number = 0;
    run.runs(move |_, _| {
        number += 1;
        if number == 1 {
            return Reply::error("22012");
        }
        Reply::answer(Answer {
            results: vec![table(&["a"], &[&["1"]])],
            ..Answer::default()
        })
    });
    assert_eq!(
        run.sent(),
        ["simple SELECT 1 ", "simple SELECT 1 ", "simple USE 1;"]
    );
}

#[test]
fn conditions_lead_through_a_script() {
    let script = "\\if :v = 1\nA;\n\\elif :v = 2\nB;\n\\else\nC;\n\\endif\nD;\n";
    for (value, branch) in [("1", "A"), ("2", "B"), ("3", "C")] {
        let run = Run::of(script, 1).with(|spec| {
            spec.variables.insert("v".to_owned(), value.to_owned());
        });
        run.runs(all_well);
        assert_eq!(
            run.sent(),
            [format!("simple {branch};"), "simple D;".to_owned()]
        );
    }
    let error = Run::of("\\if :v / 0\n\\endif\n", 1)
        .with(|spec| {
            spec.variables.insert("v".to_owned(), "1".to_owned());
        })
        .ends(all_well)
        .unwrap_err();
    assert_eq!((error.sqlstate.as_str(), error.command), ("22000", Some(0)));
}

#[test]
fn debug_reports_where_it_stands() {
    let run = Run::of("", 1).with(|spec| {
        spec.scripts = scripts(&[
            ("A;", 0),
            ("B;\n\\set x debug(3)\n\\if debug(false)\n\\endif\n", 1),
        ]);
    });
    run.runs(all_well);
    assert_eq!(
        *run.world.debugged.borrow(),
        [(1, 1, Value::Int(3)), (1, 2, Value::Bool(false))]
    );
}

#[test]
fn a_statement_whose_values_can_never_fit_ends_the_client_before_it_works() {
    let run = in_mode("A;\nSELECT ':t';\n", QueryMode::Prepared, 1);
    let mut client = run.client(failing("prepare SELECT", WRONG_VALUES, 1));
    let error = client.prepare().unwrap_err();
    assert_eq!(
        (error.sqlstate.as_str(), error.command),
        (WRONG_VALUES, Some(1))
    );
    assert_eq!(run.sent(), ["prepare A;", "prepare SELECT '$1';"]);
}

#[test]
fn a_pause_of_a_script_is_idle() {
    let run = in_mode(
        "\\sleep 1 ms\nBEGIN;\n\\sleep 1 ms\nEND;\n",
        QueryMode::Simple,
        1,
    );
    run.runs(all_well);
    assert_eq!(
        *run.world.reported.borrow(),
        ["idle", "idle in transaction"]
    );
}

#[test]
fn results_are_kept_in_their_order() {
    let mut kept = KeptResults::default();
    assert!(kept.last().is_none());
    kept.begin_query();
    kept.begin_result([c"a"].into_iter());
    kept.begin_row();
    kept.push(c"1");
    let last = kept.last().unwrap();
    assert_eq!((last.rows, last.names), (1, &b"a\0"[..]));
    kept.begin_query();
    assert!(kept.last().is_none());
}

/// The defaults of the trait, for a session that cannot tell more.
#[test]
fn a_transport_may_know_nothing_of_usage() {
    struct Plain(KeptResults);
    impl Transport for Plain {
        type Statement = ();
        fn prepare(&mut self, _: &str, _: usize) -> Result<(), SqlError> {
            Ok(())
        }
        fn forget(&mut self, (): ()) {}
        fn configure(&mut self, _: &[(String, String)]) -> Result<(), SqlError> {
            Ok(())
        }
        fn execute<'v>(
            &mut self,
            _: &(),
            _: impl Iterator<Item = Option<&'v Value>>,
        ) -> Result<Completion, SqlError> {
            Ok(Completion::default())
        }
        fn execute_unprepared<'v>(
            &mut self,
            _: &str,
            _: impl Iterator<Item = Option<&'v Value>>,
        ) -> Result<Completion, SqlError> {
            Ok(Completion::default())
        }
        fn execute_simple(&mut self, _: &str) -> Result<Completion, SqlError> {
            Ok(Completion::default())
        }
        fn keep_results(&mut self, _: bool) {}
        fn kept(&self) -> &KeptResults {
            &self.0
        }
        fn in_transaction_block(&self) -> bool {
            false
        }
        fn in_pipeline(&self) -> bool {
            false
        }
        fn begin_pipeline(&mut self) {}
        fn pipeline<'v>(
            &mut self,
            _: &(),
            _: impl Iterator<Item = Option<&'v Value>>,
        ) -> Completion {
            Completion::default()
        }
        fn pipeline_unprepared<'v>(
            &mut self,
            _: &str,
            _: impl Iterator<Item = Option<&'v Value>>,
        ) -> Completion {
            Completion::default()
        }
        fn sync_pipeline(&mut self) -> Completion {
            Completion::default()
        }
        fn end_pipeline(&mut self) -> Result<Completion, SqlError> {
            Ok(Completion::default())
        }
        fn abandon_pipeline(&mut self) {}
    }
    let plain = Plain(KeptResults::default());
    assert_eq!(plain.usage(), Usage::default());
    assert_eq!(plain.decode("ä".as_bytes()), "ä");
    assert_eq!(plain.decode(b"\xff"), "\u{fffd}");
}
