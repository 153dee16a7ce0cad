//! `\while`: where a loop leads, and what is refused.

use super::super::*;
use super::fails;
use super::runs::run;

/// The numbers in the statements that a script sends, given variables.
fn sent(script: &str, variables: &[(&str, &str)]) -> String {
    let (simple, _) = run(script, variables);
    simple
        .iter()
        .flat_map(|sql| sql.chars().filter(char::is_ascii_digit))
        .collect()
}

#[test]
fn a_loop_runs_while_its_condition_holds() {
    let script = "\\set i 1\n\\while :i <= :n\nSELECT :i;\n\\set i :i + 1\n\\endwhile\nSELECT 9;";
    assert_eq!(sent(script, &[("n", "3")]), "1239");
    assert_eq!(sent(script, &[("n", "0")]), "9");
    // At the end of the script, and with nothing in it.
    let script = "SELECT 1;\n\\while false\n\\endwhile";
    assert_eq!(sent(script, &[]), "1");
    assert_eq!(sent("\\WHILE NULL\n\\EndWhile\nSELECT 1;", &[]), "1");
}

#[test]
fn the_jump_is_the_next_of_the_end() {
    let text = "SELECT 1;\n\\while true\nSELECT 2;\n\\endwhile\nSELECT 3;";
    let script = parse("x.sql", text, &mut Symbols::new()).unwrap();
    let next: Vec<usize> = script.commands.iter().map(|c| c.next).collect();
    assert_eq!(next, [1, 2, 3, 1, 5]);
    let CommandKind::While { otherwise, .. } = script.commands[1].kind else {
        panic!("not a \\while");
    };
    assert_eq!(otherwise, 4);
    assert_eq!(script.commands[1].text, "\\while true");
    assert!(!script.commands[1].kind.runs_on_server());
    assert!(!script.commands[3].kind.runs_on_server());
}

#[test]
fn loops_nest() {
    let script = "\\set i 1
        \\while :i <= 2
            \\set j 1
            \\while :j <= :i
                SELECT :i, :j;
                \\set j :j + 1
            \\endwhile
            \\set i :i + 1
        \\endwhile";
    assert_eq!(sent(script, &[]), "112122");
}

#[test]
fn a_loop_may_be_the_last_of_a_branch() {
    let script = "\\set i 0
        \\if :a
            \\while :i < 2
                SELECT 1;
                \\set i :i + 1
            \\endwhile
        \\elif :b
            SELECT 2;
            \\while :i < 3
                \\if :i = 1
                    SELECT 3;
                \\else
                    SELECT 4;
                \\endif
                \\set i :i + 1
            \\endwhile
        \\else
            \\while false
            \\endwhile
        \\endif
        SELECT 5;";
    let taken = |a, b| sent(script, &[("a", a), ("b", b)]);
    assert_eq!(taken("1", "1"), "115");
    assert_eq!(taken("0", "1"), "24345");
    assert_eq!(taken("0", "0"), "5");
}

#[test]
fn loops_must_match() {
    let message = |text: &str| {
        let message = fails(text).to_string();
        message
            .strip_prefix("condition error in script \"x.sql\" command ")
            .map(str::to_owned)
            .unwrap_or(message)
    };
    assert_eq!(
        message("\\while 1"),
        "2: \\while without matching \\endwhile"
    );
    assert_eq!(
        message("SELECT 1;\\endwhile"),
        "2: \\endwhile without matching \\while"
    );
    assert_eq!(
        message("\\if 1\n\\endwhile\n\\endif"),
        "2: \\endwhile without matching \\while"
    );
    assert_eq!(
        message("\\while 1\n\\endif\n\\endwhile"),
        "2: \\endif without matching \\if"
    );
    // The innermost one is named.
    assert_eq!(
        message("\\if 1\n\\while 1\n"),
        "3: \\while without matching \\endwhile"
    );
    assert_eq!(
        message("\\while 1\n\\if 1\n"),
        "3: \\if without matching \\endif"
    );
    // A branch does not belong to an \if around the loop.
    assert_eq!(
        message("\\if 1\n\\while 1\n\\else\n\\endwhile\n\\endif"),
        "3: \\else without matching \\if"
    );
    assert_eq!(
        message("\\while 1\n\\elif 1\n\\endwhile"),
        "2: \\elif without matching \\if"
    );
    assert_eq!(
        message("\\while\n\\endwhile"),
        "x.sql:1: syntax error in command \"while\""
    );
    assert_eq!(
        message("\\while 1\n\\endwhile x"),
        "x.sql:2: unexpected argument in command \"endwhile\""
    );
}
