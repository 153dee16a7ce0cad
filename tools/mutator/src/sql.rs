//! Mistakes in SQL files: comparisons, conditions, constants, aggregates, joins, lines of a condition left out.
//!
//! A mistake is as long as what it replaces, so that it can be put into a library that holds the text.

use crate::found::{Found, neighbour};

/// A word or sign of SQL, outside comments, texts and quoted names.
#[derive(Clone, Copy)]
struct Token<'a> {
    text: &'a str,
    start: usize,
}

/// What a word or sign is likely to be mistaken for. No longer than itself, but for the space after it.
const SWAPPED: &[(&str, &str, &str)] = &[
    ("comparison", "<", "<="),
    ("comparison", "<=", "<"),
    ("comparison", ">", ">="),
    ("comparison", ">=", ">"),
    ("comparison", "<>", "="),
    ("comparison", "=", "<>"),
    ("arithmetic", "+", "-"),
    ("arithmetic", "-", "+"),
    ("arithmetic", "*", "/"),
    ("arithmetic", "/", "*"),
    ("condition", "AND", "OR"),
    ("aggregate", "sum", "max"),
    ("aggregate", "max", "min"),
    ("aggregate", "min", "max"),
    ("aggregate", "avg", "max"),
    ("aggregate", "GREATEST", "LEAST"),
    ("order", "DESC", "ASC"),
    ("order", "first_value", "last_value"),
];

/// The mistakes that can be made in a file.
pub fn find(text: &str) -> Vec<Found> {
    let tokens = tokens(text);
    let mut found = Vec::new();
    // Within SET of an UPDATE, and within BETWEEN.
    let (mut setting, mut between) = (false, false);
    // A definition of a table, a grant, a comment: nothing of it is computed.
    let mut computed = true;
    for (n, token) in tokens.iter().enumerate() {
        let before = n.checked_sub(1).and_then(|n| tokens.get(n));
        match token.text {
            "SET" => setting = true,
            "WHERE" | "FROM" | "SELECT" => setting = false,
            ";" => (setting, computed) = (false, true),
            "GRANT" | "REVOKE" | "COMMENT" | "TABLE" | "INDEX" | "TYPE" => computed = false,
            "BETWEEN" => between = true,
            "AS" if !computed => computed = true,
            _ => {}
        }
        if !computed {
            continue;
        }
        if token.text == "AND" {
            if between {
                between = false;
                continue;
            }
            if let Some(line) = condition_line(text, token.start) {
                let spaces = " ".repeat(line.len());
                found.push(Found::new("left out", line, spaces));
            }
        }
        if token.text == "LEFT" && tokens.get(n + 1).is_some_and(|next| next.text == "JOIN") {
            push(&mut found, "join", token, "    ");
        }
        if token.text == "=" && setting {
            continue;
        }
        // `sum.total`, `count(*)`, `x.*`, and names such as max(…) need what stands beside them.
        let after = tokens.get(n + 1).map_or("", |next| next.text);
        let called = after == "(";
        let is_name = token.text.starts_with(char::is_alphabetic);
        for (kind, is, by) in SWAPPED {
            if token.text != *is || *kind == "aggregate" && !called {
                continue;
            }
            let operand = |text: &str| {
                text.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '"')
                    || text == ")"
            };
            if !is_name && !before.is_some_and(|before| operand(before.text))
                || *is == "*" && after == ")"
            {
                continue;
            }
            if let Some(by) = as_long(text, token, by) {
                found.push(by_kind(kind, token.start, by));
            }
        }
        if token.text.bytes().all(|c| c.is_ascii_digit())
            && let Some(by) = neighbour(token.text)
        {
            push(&mut found, "constant", token, &by);
        }
    }
    found
}

fn by_kind(kind: &'static str, start: usize, mistake: String) -> Found {
    Found::new(kind, start..start + mistake.len(), mistake)
}

fn push(found: &mut Vec<Found>, kind: &'static str, token: &Token, by: &str) {
    found.push(by_kind(kind, token.start, by.to_owned()));
}

/// A replacement of a token with spaces to its length; one that is longer by a character takes the space after the token.
fn as_long(text: &str, token: &Token, by: &str) -> Option<String> {
    if by.len() > token.text.len() {
        let end = token.start + by.len();
        let taken = text.get(token.start + token.text.len()..end)?;
        return taken.bytes().all(|c| c == b' ').then(|| by.to_owned());
    }
    Some(format!("{by:width$}", width = token.text.len()))
}

/// The bytes of a condition that has a line of its own: `AND …`, with balanced parentheses.
fn condition_line(text: &str, start: usize) -> Option<std::ops::Range<usize>> {
    let line_start = text.get(..start)?.rfind('\n').map_or(0, |at| at + 1);
    if !text.get(line_start..start)?.trim().is_empty() {
        return None;
    }
    let line = text.get(start..)?.lines().next()?.trim_end();
    let mut depth = 0;
    for c in line.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ';' | '\'' => return None,
            _ => {}
        }
        if depth < 0 {
            return None;
        }
    }
    (depth == 0 && !line.contains("--")).then(|| start..start + line.len())
}

/// The words, numbers and signs of a text. The bodies of functions, in dollar quotes, are SQL, too.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let bytes = text.as_bytes();
    let at = |n: usize| bytes.get(n).copied().unwrap_or(0);
    let mut tokens = Vec::new();
    let mut n = 0;
    while n < bytes.len() {
        let start = n;
        let c = at(n);
        if c.is_ascii_whitespace() || !c.is_ascii() {
            n += 1;
            continue;
        }
        if c == b'-' && at(n + 1) == b'-' {
            while n < bytes.len() && at(n) != b'\n' {
                n += 1;
            }
            continue;
        }
        if c == b'\'' || c == b'"' {
            n += 1;
            while n < bytes.len() && at(n) != c {
                n += 1;
            }
            n += 1;
            continue;
        }
        if c == b'$' || c == b':' && at(n + 1) == b':' {
            // A parameter, a dollar quote, or a cast with its type.
            n += 1;
            while at(n).is_ascii_alphanumeric() || matches!(at(n), b'$' | b':' | b'_' | b'.') {
                n += 1;
            }
            continue;
        }
        let word = |c: u8| c.is_ascii_alphanumeric() || c == b'_' || c == b'.';
        let sign = |c: u8| b"<>=!+-*/%|&#@~^".contains(&c);
        n += 1;
        if word(c) {
            while word(at(n)) {
                n += 1;
            }
        } else if sign(c) {
            while sign(at(n)) {
                n += 1;
            }
        }
        if let Some(text) = text.get(start..n) {
            tokens.push(Token { text, start });
        }
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mistakes(text: &str) -> Vec<String> {
        find(text)
            .iter()
            .map(|found| {
                assert_eq!(found.bytes.len(), found.mistake.len());
                let was = &text[found.bytes.clone()];
                format!("{}: {was} -> {}", found.kind, found.mistake)
            })
            .collect()
    }

    #[test]
    fn as_long_as_what_they_replace() {
        assert_eq!(
            mistakes(
                "SELECT sum(a) FROM t LEFT JOIN u USING (b) WHERE c < 9 AND d = 'x < 1' -- 5 < 4"
            ),
            [
                "aggregate: sum -> max",
                "join: LEFT ->     ",
                "comparison: <  -> <=",
                "constant: 9 -> 8",
                "condition: AND -> OR ",
                "comparison: =  -> <>",
            ]
        );
    }

    #[test]
    fn conditions_that_have_a_line() {
        assert_eq!(
            mistakes("WHERE a\n  AND b.x\n  AND c BETWEEN d AND e"),
            [
                "left out: AND b.x -> ".to_owned() + &" ".repeat(7),
                "condition: AND -> OR ".to_owned(),
                "left out: AND c BETWEEN d AND e -> ".to_owned() + &" ".repeat(21),
                "condition: AND -> OR ".to_owned(),
            ]
        );
    }

    #[test]
    fn nothing_of_definitions_and_assignments() {
        assert_eq!(
            mistakes(
                "CREATE TABLE t (a numeric(10, 2)); UPDATE t SET a = $1; f(a => b::numeric(5)); count(*)"
            ),
            ["constant: 5 -> 6"]
        );
    }
}
