//! A statement's text around its parameters.

/// A part of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextPart<'t> {
    Text(&'t str),
    /// `$1` is 1.
    Parameter(usize),
    /// A constant that follows the name of its type, as no parameter can: `interval $1 day`.
    Typed {
        number: usize,
        type_name: &'t str,
        /// `day`, `day to second`
        fields: &'t str,
    },
}

/// Types whose constants mostly follow their names.
const TYPES: [&str; 12] = [
    "interval",
    "date",
    "timestamp",
    "timestamptz",
    "time",
    "timetz",
    "uuid",
    "inet",
    "cidr",
    "json",
    "jsonb",
    "bytea",
];
/// What may follow the constant of an interval.
const FIELDS: [&str; 6] = ["year", "month", "day", "hour", "minute", "second"];

/// What a text begins with.
enum Token {
    Comment,
    /// `$1` is 1.
    Parameter(usize),
    /// It may have a $ in it.
    Word,
    Space,
    /// Anything else, among it what is in quotes.
    Other,
}

/// With its length; None: the text is empty.
fn token(text: &str) -> Option<(Token, usize)> {
    let first = text.chars().next()?;
    Some(match first {
        _ if text.starts_with("--") || text.starts_with("/*") => (Token::Comment, comment(text)),
        '\'' | '"' => (Token::Other, quoted(text, first)),
        '$' => {
            let digits = text[1..].bytes().take_while(u8::is_ascii_digit).count();
            match text[1..=digits].parse() {
                Ok(number) => (Token::Parameter(number), 1 + digits),
                Err(_) => (Token::Other, dollar_quoted(text)),
            }
        }
        first if first.is_ascii_alphanumeric() || first == '_' || !first.is_ascii() => {
            (Token::Word, word_length(text))
        }
        first if first.is_ascii_whitespace() => (Token::Space, 1),
        _ => (Token::Other, 1),
    })
}

/// Finds the parameters, but not within quotes and comments.
pub fn parts(text: &str) -> Vec<TextPart<'_>> {
    let mut parts = Vec::new();
    let (mut copied, mut at) = (0, 0);
    // Where the last word begins, if only space has come since.
    let mut word = None;
    while let Some((token, mut length)) = token(&text[at..]) {
        let before = word.take();
        match token {
            Token::Parameter(number) => {
                let after = &text[at + length..];
                let typed = before.and_then(|word| Some((word, typed(&text[word..at], after)?)));
                let (begin, part) = match typed {
                    None => (at, TextPart::Parameter(number)),
                    Some((word, (type_name, fields, more))) => {
                        length += more;
                        let part = TextPart::Typed {
                            number,
                            type_name,
                            fields,
                        };
                        (word, part)
                    }
                };
                parts.push(TextPart::Text(&text[copied..begin]));
                parts.push(part);
                copied = at + length;
            }
            Token::Word => word = Some(at),
            Token::Space => word = before,
            Token::Comment | Token::Other => {}
        }
        at += length;
    }
    parts.push(TextPart::Text(&text[copied..]));
    parts
}

/// The length of the word that a text begins with.
fn word_length(text: &str) -> usize {
    let belongs = |c: char| c.is_alphanumeric() || c == '_' || c == '$' || !c.is_ascii();
    text.find(|c| !belongs(c)).unwrap_or(text.len())
}

/// If a word is the name of a type, that name, the fields of an interval that follow its constant, and the length of what they take.
fn typed<'t>(word: &'t str, after: &'t str) -> Option<(&'t str, &'t str, usize)> {
    let type_name = word.trim_ascii_end();
    let is_one = |names: &[&str], word: &str| names.iter().any(|it| it.eq_ignore_ascii_case(word));
    if !is_one(&TYPES, type_name) {
        return None;
    }
    // A word, and where it ends.
    let next = |from: usize| {
        let rest = &after[from..];
        let begin = from + rest.len() - rest.trim_ascii_start().len();
        let end = begin + word_length(&after[begin..]);
        (&after[begin..end], end)
    };
    let (first, first_end) = next(0);
    if !type_name.eq_ignore_ascii_case("interval") || !is_one(&FIELDS, first) {
        return Some((type_name, "", 0));
    }
    let (to, to_end) = next(first_end);
    let (last, last_end) = next(to_end);
    let end = match to.eq_ignore_ascii_case("to") && is_one(&FIELDS, last) {
        true => last_end,
        false => first_end,
    };
    Some((type_name, after[..end].trim_ascii_start(), end))
}

/// The length of the comment that a text begins with.
fn comment(text: &str) -> usize {
    if text.starts_with("--") {
        return text.find(['\n', '\r']).unwrap_or(text.len());
    }
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        let rest = &text.as_bytes()[at..];
        let (step, change) = match rest {
            [b'/', b'*', ..] => (2, 1),
            [b'*', b'/', ..] => (2, -1),
            _ => (1, 0),
        };
        at += step;
        depth += change;
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

/// The text without its comments, which may have anything in them, but with those that are hints for the planner.
pub fn uncommented(text: &str) -> String {
    let (mut result, mut copied, mut at) = (String::new(), 0, 0);
    while let Some((token, length)) = token(&text[at..]) {
        if matches!(token, Token::Comment) && !text[at..].starts_with("/*+") {
            result += &text[copied..at];
            result.push(' ');
            copied = at + length;
        }
        at += length;
    }
    result += &text[copied..];
    result.trim().to_owned()
}

/// The length of what is in quotes. A doubled quote ends one and begins another.
fn quoted(text: &str, quote: char) -> usize {
    text[1..].find(quote).map_or(text.len(), |end| end + 2)
}

/// The length of what is in dollar quotes; 1 if it is none.
fn dollar_quoted(text: &str) -> usize {
    let is_tag = |c: char| c.is_alphanumeric() || c == '_';
    let Some(length) = text[1..]
        .find(|c| !is_tag(c))
        .filter(|at| text[1 + at..].starts_with('$'))
    else {
        return 1;
    };
    let tag = &text[..length + 2];
    text[tag.len()..]
        .find(tag)
        .map_or(text.len(), |end| end + 2 * tag.len())
}

/// The text with something else for each parameter. A constant after the name of its type gets a cast.
pub fn replaced(text: &str, mut with: impl FnMut(usize) -> String) -> String {
    let mut result = String::new();
    for part in parts(text) {
        match part {
            TextPart::Text(text) => result.push_str(text),
            TextPart::Parameter(number) => {
                // A negative number must not become a part of the operator, or the two a comment.
                if result.ends_with(|c| "-~!@#%^&|`?".contains(c)) {
                    result.push(' ');
                }
                result.push_str(&with(number));
            }
            TextPart::Typed {
                number,
                type_name,
                fields,
            } => {
                // One that is a cast already has its type, of which fields would take a part away.
                match with(number) {
                    cast if cast.starts_with("CAST(") => result += &cast,
                    value => {
                        let target = format!("{type_name} {fields}");
                        result += &format!("CAST({value} AS {})", target.trim_end());
                    }
                }
            }
        }
    }
    result
}

/// The text as the server can analyze it.
pub fn analyzable(text: &str) -> String {
    replaced(text, |number| format!("${number}"))
}

/// The text with parameters numbered in their order, as scripts number them, but for those that are literals there.
pub fn renumbered(text: &str, literal: impl Fn(usize) -> Option<String>) -> String {
    let mut count = 0;
    replaced(text, |number| {
        literal(number).unwrap_or_else(|| {
            count += 1;
            format!("${count}")
        })
    })
}

/// The parameters that are added to another parameter, or the like: what the server cannot know the type of.
pub fn added(text: &str) -> Vec<usize> {
    let is_arithmetic = |text: &str| ["+", "-", "*", "/", "%"].contains(&text.trim());
    let parts = parts(text);
    let three = parts.windows(3);
    three
        .filter_map(|three| match three {
            [
                TextPart::Parameter(_),
                TextPart::Text(sign),
                TextPart::Parameter(number),
            ] if is_arithmetic(sign) => Some(*number),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_no_part_of_a_text() {
        for (text, expected) in [
            ("/*route='/x/:id'*/ SELECT 1 -- :y", "SELECT 1"),
            ("SELECT 1 -- a\n+ 2", "SELECT 1  \n+ 2"),
            ("SELECT 1 -- a\r+ 2", "SELECT 1  \r+ 2"),
            ("SELECT /* a /* b */ c */ 1", "SELECT   1"),
            ("/*+ SeqScan(t) */ SELECT 1", "/*+ SeqScan(t) */ SELECT 1"),
            (
                "SELECT '-- a', \"/* b\", $$--$$, $a$ /* $a$, 1",
                "SELECT '-- a', \"/* b\", $$--$$, $a$ /* $a$, 1",
            ),
            ("SELECT a$1--2", "SELECT a$1"),
        ] {
            assert_eq!(uncommented(text), expected, "{text}");
        }
    }

    #[test]
    fn a_negative_number_is_no_part_of_an_operator() {
        let negative = |_| "-1".to_owned();
        assert_eq!(replaced("x-$1", negative), "x- -1");
        assert_eq!(replaced("x%$1=$2", negative), "x% -1=-1");
    }

    #[test]
    fn constants_after_the_name_of_their_type_get_a_cast() {
        for (text, wanted) in [
            ("now() - interval $1", "now() - CAST($1 AS interval)"),
            (
                "a<INTERVAL\n$2 Day  to second AND",
                "a<CAST($2 AS INTERVAL Day  to second) AND",
            ),
            (
                "interval $1 month to days",
                "CAST($1 AS interval month) to days",
            ),
            (
                "d >= date $3 AND t < timestamp$4",
                "d >= CAST($3 AS date) AND t < timestamp$4",
            ),
            ("uuid $1 day", "CAST($1 AS uuid) day"),
            ("update $1", "update $1"),
            ("date, $1, date -- \n$2", "date, $1, date -- \n$2"),
            ("\"date\" $1 interval", "\"date\" $1 interval"),
        ] {
            assert_eq!(analyzable(text), wanted);
        }
    }

    #[test]
    fn parameters_are_found_outside_of_quotes() {
        let text = "SELECT $1, '$2', \"$3\", a$4, $q$ $5 $q$, $$ $6 $$ -- $7\n, $12::int /* $8 */";
        assert_eq!(
            replaced(text, |number| format!("<{number}>")),
            "SELECT <1>, '$2', \"$3\", a$4, $q$ $5 $q$, $$ $6 $$ -- $7\n, <12>::int /* $8 */"
        );
        assert_eq!(
            renumbered("a = $2 OR b = $1 OR c = $2", |_| None),
            "a = $1 OR b = $2 OR c = $3"
        );
        let literal = |number| (number == 2).then(|| "0".to_owned());
        assert_eq!(renumbered("a = $1 - $2 + $3", literal), "a = $1 - 0 + $2");
        assert_eq!(added("a >= $1 - $2 AND a < $3*$4 AND b + $5 = $6"), [2, 4]);
        for text in ["", "'", "$", "$$", "--", "/*", "ä$1", "$ä$"] {
            assert_eq!(replaced(text, |_| "x".to_owned()), text);
        }
    }
}
