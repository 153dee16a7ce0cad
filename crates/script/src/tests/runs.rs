//! Tests of whole scripts; what is expected was taken from runs of pgbench 15.

use super::super::*;
use super::eval;

/// A script and what pgbench does with it, given `-D b=007`.
struct Case {
    script: &'static str,
    /// The statements it sends in extended mode, until the first one that fails.
    extended: &'static [&'static str],
    /// The same in simple mode.
    simple: &'static [&'static str],
    /// What `-r` calls the commands.
    labels: &'static [&'static str],
}

const CASES: &[Case] = &[
    Case {
        script: "-- a comment\n\\set a 5\n  SELECT :a::int4 + :b; -- after\nSELECT ':a', '::a'; SELECT 1",
        extended: &["SELECT $1::int4 + $2;", "SELECT '$1', '::a';"],
        simple: &["SELECT 5::int4 + 007;", "SELECT '5', '::a';", "SELECT 1"],
        labels: &[
            "\\set a 5",
            "SELECT :a::int4 + :b;",
            "SELECT ':a', '::a';",
            "SELECT 1",
        ],
    },
    Case {
        script: "\\set a 1.5\nSELECT $$;:a$$ || E'\\';' /* ; /* ; */ */ ;\n\n-- only a comment\n",
        extended: &["SELECT $$;$1$$ || E'\\';' /* ; /* ; */ */ ;"],
        simple: &["SELECT $$;1.5$$ || E'\\';' /* ; /* ; */ */ ;"],
        labels: &["\\set a 1.5", "SELECT $$;:a$$ || E'\\';' /* ; /* ; */ */ ;"],
    },
    Case {
        script: "SELECT 1 \\; SELECT 2;\nSELECT 3\n  -- trailing\n",
        extended: &["SELECT 1 ; SELECT 2;"],
        simple: &["SELECT 1 ; SELECT 2;", "SELECT 3\n  -- trailing"],
        labels: &["SELECT 1 ; SELECT 2;", "SELECT 3"],
    },
    Case {
        script: "/* leading */ SELECT 1; ;\n;SELECT 2",
        extended: &["/* leading */ SELECT 1;", ";", ";", "SELECT 2"],
        simple: &["/* leading */ SELECT 1;", ";", ";", "SELECT 2"],
        labels: &["/* leading */ SELECT 1;", ";", ";", "SELECT 2"],
    },
    Case {
        script: "SELECT 'a\nb;'\n  AS x\n;\n\\set x 1\n\\\nSELECT\n:x\n;",
        extended: &["SELECT 'a\nb;'\n  AS x\n;", "SELECT\n$1\n;"],
        simple: &["SELECT 'a\nb;'\n  AS x\n;", "SELECT\n1\n;"],
        labels: &["SELECT 'a", "\\set x 1", "SELECT"],
    },
    Case {
        script: "SELECT (1\n\\set y 1\nSELECT 2;",
        extended: &["SELECT (1"],
        simple: &["SELECT (1"],
        labels: &["SELECT (1", "\\set y 1", "SELECT 2;"],
    },
    Case {
        script: "\\set n NULL\n\\set t 1 = 1\n\\set d 1.0/3\n\\set i -7\nSELECT ':n', ':t', ':d', ':i';",
        extended: &["SELECT '$1', '$2', '$3', '$4';"],
        simple: &["SELECT 'NULL', 'true', '0.333333333333333', '-7';"],
        labels: &[
            "\\set n NULL",
            "\\set t 1 = 1",
            "\\set d 1.0/3",
            "\\set i -7",
            "SELECT ':n', ':t', ':d', ':i';",
        ],
    },
    Case {
        script: "\\if true\nSELECT 1;\n\\elif true\nSELECT 2;\n\\else\nSELECT 3;\n\\endif\nSELECT 4;",
        extended: &["SELECT 1;", "SELECT 4;"],
        simple: &["SELECT 1;", "SELECT 4;"],
        labels: &[
            "\\if true",
            "SELECT 1;",
            "\\elif true",
            "SELECT 2;",
            "\\else",
            "SELECT 3;",
            "\\endif",
            "SELECT 4;",
        ],
    },
    Case {
        script: "SELECT '12:30:00'::time, 'é :é';\n\\set é 1 \\\n + 2\nSELECT :é;",
        extended: &["SELECT '12:30:00'::time, 'é $1';"],
        simple: &["SELECT '12:30:00'::time, 'é :é';", "SELECT 3;"],
        labels: &[
            "SELECT '12:30:00'::time, 'é :é';",
            "\\set é 1 \\\n + 2",
            "SELECT :é;",
        ],
    },
    Case {
        script: "SELECT 'ä' AS \"a long column name that goes on and on and on and on and on, xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\", 2;",
        extended: &[
            "SELECT 'ä' AS \"a long column name that goes on and on and on and on and on, xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\", 2;",
        ],
        simple: &[
            "SELECT 'ä' AS \"a long column name that goes on and on and on and on and on, xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\", 2;",
        ],
        labels: &[
            "SELECT 'ä' AS \"a long column name that goes on and on and on and on and on, xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        ],
    },
    Case {
        script: "\x0B-- odd blank\nSELECT 1;",
        extended: &["SELECT 1;"],
        simple: &["SELECT 1;"],
        labels: &["SELECT 1;"],
    },
    Case {
        script: "\\sleep 1 us\n\\SLEEP 0\n\\sleep 1us\nSELECT E'a'\n 'b\\';' -- x\n;SELECT 2;",
        extended: &["SELECT E'a'\n 'b\\';' -- x\n;", "SELECT 2;"],
        simple: &["SELECT E'a'\n 'b\\';' -- x\n;", "SELECT 2;"],
        labels: &[
            "\\sleep 1 us",
            "\\SLEEP 0",
            "\\sleep 1us",
            "SELECT E'a'",
            "SELECT 2;",
        ],
    },
    Case {
        script: "SELECT 1;\r\n\\set a 1\r\nSELECT :a\r\n;\r\n",
        extended: &["SELECT 1;", "SELECT $1\r\n;"],
        simple: &["SELECT 1;", "SELECT 1\r\n;"],
        labels: &["SELECT 1;", "\\set a 1", "SELECT :a"],
    },
    Case {
        script: "SELECT 1\\:\\:int;",
        extended: &["SELECT 1::int;"],
        simple: &["SELECT 1::int;"],
        labels: &["SELECT 1::int;"],
    },
];

/// Runs a script: yields the statements of the simple and of the extended mode.
pub fn run(text: &str, variables: &[(&str, &str)]) -> (Vec<String>, Vec<String>) {
    let mut symbols = Symbols::new();
    let script = parse("x.sql", text, &mut symbols).unwrap();
    let mut values = Variables::new(&symbols);
    for &(name, value) in variables {
        values.set(symbols.intern(name), Value::Text(value.into()));
    }
    let mut prng = Prng::new(1);
    let (mut simple, mut extended) = (Vec::new(), Vec::new());
    let mut index = 0;
    while let Some(command) = script.commands.get(index) {
        index = command.next;
        match &command.kind {
            CommandKind::Sql(sql) => {
                let mut out = String::new();
                sql.interpolate(&values, &mut out);
                simple.push(out);
                extended.push(sql.prepared.clone());
            }
            CommandKind::Set { variable, expr } => {
                let value = eval(expr, &values, &mut prng).unwrap();
                values.set(*variable, value);
            }
            CommandKind::If {
                condition,
                otherwise,
            }
            | CommandKind::While {
                condition,
                otherwise,
            } => {
                let mut context = Context {
                    variables: &values,
                    prng: &mut prng,
                    debug: &mut |_| (),
                };
                if !context.holds(condition).unwrap() {
                    index = *otherwise;
                }
            }
            CommandKind::Sleep(_)
            | CommandKind::Pool { .. }
            | CommandKind::Else
            | CommandKind::EndIf
            | CommandKind::EndWhile
            | CommandKind::StartPipeline
            | CommandKind::SyncPipeline
            | CommandKind::EndPipeline => {}
        }
    }
    (simple, extended)
}

#[test]
fn the_server_sees_what_pgbench_would_send() {
    // pgbench's log, where this comes from, drops a line end at the end.
    let matches = |ours: &[String], theirs: &[&str]| {
        let ours = ours
            .iter()
            .map(|text| text.strip_suffix('\n').unwrap_or(text));
        ours.take(theirs.len()).eq(theirs.iter().copied())
    };
    for case in CASES {
        let (simple, extended) = run(case.script, &[("b", "007")]);
        assert!(matches(&simple, case.simple), "{simple:?}");
        assert!(matches(&extended, case.extended), "{extended:?}");
        let script = parse("x.sql", case.script, &mut Symbols::new()).unwrap();
        let labels: Vec<&str> = script.commands.iter().map(|c| c.text.as_str()).collect();
        assert_eq!(labels, case.labels);
    }
}

#[test]
fn blanks_after_the_last_statement_are_sent() {
    // Seen by the server in pg_stat_activity.query.
    assert_eq!(
        run("SELECT 3\n  -- trailing\n", &[]).0,
        ["SELECT 3\n  -- trailing\n"]
    );
}

#[test]
fn results_belong_to_the_statement_before_them() {
    let text = "SELECT 1 AS a \\; SELECT 2 AS b \\gset x_\nSELECT 3 AS c; -- then\n\\aset\nSELECT 4\n\\startpipeline\n\\GSET";
    // A \\gset is no command, so that it never hides what stands between it and its statement.
    let error = parse("x.sql", text, &mut Symbols::new()).unwrap_err();
    assert_eq!(error.line, 6);
    let text = text.trim_end_matches("\n\\GSET");
    let script = parse("x.sql", text, &mut Symbols::new()).unwrap();
    let captures: Vec<_> = script
        .commands
        .iter()
        .map(|command| {
            let capture = match &command.kind {
                CommandKind::Sql(sql) => sql.capture.as_ref(),
                _ => None,
            };
            let capture = capture.map(|capture| (capture.rows, capture.prefix.as_str()));
            (command.text.as_str(), command.line, capture)
        })
        .collect();
    assert_eq!(
        captures,
        [
            (
                "SELECT 1 AS a ; SELECT 2 AS b ",
                1,
                Some((CapturedRows::Only, "x_"))
            ),
            ("SELECT 3 AS c;", 2, Some((CapturedRows::LastOfEach, ""))),
            ("SELECT 4", 4, None),
            ("\\startpipeline", 5, None),
        ]
    );
}

#[test]
fn branches_nest() {
    let script = "\\if :a
        SELECT 1;
        \\if :b
            SELECT 2;
        \\elif :c
        \\else
            SELECT 3;
        \\endif
    \\elif :b
        \\if :c
            SELECT 4;
        \\endif
    \\elif :c
        SELECT 5;
    \\else
        SELECT 6;
    \\endif
    SELECT 7;";
    let taken = |a, b, c| {
        let (simple, _) = run(script, &[("a", a), ("b", b), ("c", c)]);
        simple
            .iter()
            .map(|sql| sql.trim_matches(|c: char| !c.is_ascii_digit()).to_owned())
            .collect()
    };
    let expect = |a, b, c, digits: &str| {
        let taken: String = taken(a, b, c);
        assert_eq!(taken, digits, "{a} {b} {c}");
    };
    expect("1", "1", "undefined", "127");
    expect("1", "0", "1", "17");
    expect("1", "0", "0", "137");
    expect("0", "1", "1", "47");
    expect("0", "1", "0", "7");
    expect("0", "0", "1", "57");
    expect("0", "0", "0", "67");
}
