//! Tests of the statement scanner.

use super::super::scanner::{Scanner, Stop};

/// The statements of a script without meta-commands.
fn statements(text: &str) -> Vec<String> {
    let mut scanner = Scanner::new(text);
    let mut statements = Vec::new();
    loop {
        let (stop, statement) = scanner.statement();
        assert!(statement.start <= scanner.pos);
        if !statement.text.is_empty() {
            statements.push(statement.text);
        }
        if stop == Stop::End {
            return statements;
        }
    }
}

/// Asserts that a text followed by a semicolon and another statement is one statement.
#[track_caller]
fn one(text: &str) {
    assert_eq!(
        statements(&format!("{text};SELECT 2;")),
        [format!("{text};"), "SELECT 2;".into()]
    );
}

/// Asserts that a text hides what follows it to the end.
#[track_caller]
fn open(text: &str) {
    let whole = format!("{text};SELECT 2;");
    assert_eq!(statements(&whole), [whole]);
}

#[test]
fn blanks_and_comments_before_a_statement_are_dropped() {
    assert_eq!(
        statements("-- one\n  SELECT 1 -- two;\n ; -- three\n\n/* four */ SELECT 2 \n-- five"),
        ["SELECT 1 -- two;\n ;", "/* four */ SELECT 2 \n-- five"]
    );
    assert_eq!(statements(";;"), [";", ";"]);
}

#[test]
fn quotes_hide_semicolons() {
    one("SELECT 'a;''b;'");
    one("SELECT \"a;\"\"b;\"");
    one("SELECT E'a\\';b'");
    one("SELECT E'a\\\\' ");
    one("SELECT 'a\\' ");
    one("SELECT e'a'\n  -- comment\n 'b\\';'");
    one("SELECT b';' || x';' || n';' || U&';' || U&\";\"");
    open("SELECT 'a");
    open("SELECT E'a\\'");
    open("SELECT \"a");
}

#[test]
fn escapes_need_a_line_end_to_go_on_in_the_next_literal() {
    // Without the line end the second literal is a plain one, which the backslash does not keep
    // open.
    one("SELECT e'a' 'b\\'");
    open("SELECT e'a'\n'b\\'");
}

#[test]
fn dollar_quotes_hide_semicolons() {
    one("SELECT $$a;'b$$");
    one("SELECT $tag$a;$$;$other$;$tag$");
    one("SELECT $a$ ; $b$a$");
    open("SELECT $$$a$");
    one("SELECT $1, a$b");
    one("SELECT $1$$;$$");
    one("SELECT a$b$, c$b$");
    open("SELECT $é$ ");
    one("SELECT $ a");
}

#[test]
fn comments_nest() {
    one("SELECT /* ; /* ; */ ; */ 1");
    one("SELECT 1 /**/");
    one("SELECT 1 */*;*/ 2");
    one("SELECT 1 +--;\n 2");
    open("SELECT /* /* */");
}

#[test]
fn parentheses_hide_semicolons() {
    one("CREATE RULE r AS ON INSERT TO t DO (SELECT 1; SELECT (2))");
    assert_eq!(
        statements("SELECT 1); SELECT 2;"),
        ["SELECT 1);", "SELECT 2;"]
    );
    open("SELECT (1");
}

#[test]
fn function_bodies_hide_semicolons() {
    one("CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT CASE WHEN true THEN 1 END; END");
    one("create or replace procedure p() begin atomic select 1; end");
    assert_eq!(
        statements("CREATE TABLE begin (); BEGIN; END;"),
        ["CREATE TABLE begin ();", "BEGIN;", "END;"]
    );
    assert_eq!(
        statements("SELECT :create; CREATE FUNCTION f() RETURN 1; BEGIN;"),
        ["SELECT :create;", "CREATE FUNCTION f() RETURN 1;", "BEGIN;"]
    );
}

/// psql counts only words: neither strings with a prefix nor parenthesised words.
#[test]
fn only_words_of_their_own_begin_a_function_body() {
    for prefixed in ["b''", "X''", "n''", "U&''", "u&\"\""] {
        open(&format!("CREATE {prefixed} FUNCTION f BEGIN"));
    }
    one("CREATE FUNCTION f (begin int) RETURN 1");
    one("CREATE FUNCTION f () RETURN case");
    // A combined statement begins anew.
    assert_eq!(
        statements("CREATE \\; FUNCTION f BEGIN; SELECT 2;").len(),
        2
    );
    assert_eq!(
        statements("CREATE \\: FUNCTION f BEGIN; SELECT 2;").len(),
        1
    );
}

#[test]
fn a_backslash_before_a_semicolon_or_a_colon_is_dropped() {
    assert_eq!(
        statements("SELECT 1 \\; SELECT 2 \\:x; SELECT 3"),
        ["SELECT 1 ; SELECT 2 :x;", "SELECT 3"]
    );
}

#[test]
fn letters_at_numbers_and_colons_start_no_escape_string() {
    one("SELECT 1e'\\'");
    one("SELECT 1.5e'\\'");
    one("SELECT .5e'\\'");
    one("SELECT 1e+5e'\\'");
    one("SELECT 1e+'\\'");
    one("SELECT :e'\\'");
    one("SELECT se'\\'");
    one("SELECT $1e'\\'");
    one("SELECT 1.e'\\'");
    one("SELECT 1..5.e'\\'");
    open("SELECT 1..e'\\'");
    open("SELECT 1e+e'\\'");
    open("SELECT 1+e'\\'");
    open("SELECT ::e'\\'");
    open("SELECT .e'\\'");
}

#[test]
fn a_meta_command_interrupts_a_statement() {
    let mut scanner = Scanner::new("SELECT (1 \\set");
    let (stop, statement) = scanner.statement();
    assert_eq!((stop, statement.start), (Stop::Backslash, 0));
    assert_eq!(statement.text, "SELECT (1 ");
    assert_eq!(scanner.pos, 11);
    scanner.pos = 14;
    let (stop, statement) = scanner.statement();
    assert_eq!((stop, statement.start), (Stop::End, 14));
    assert_eq!(statement.text, "");
}
