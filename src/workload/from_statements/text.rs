//! A statement's text around its parameters.

/// A part of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part<'t> {
    Text(&'t str),
    /// `$1` is 1.
    Parameter(usize),
}

/// Finds the parameters, but not within quotes and comments.
pub fn parts(text: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let (mut copied, mut at) = (0, 0);
    while let Some(byte) = text.as_bytes().get(at) {
        let rest = &text[at..];
        let skipped = match byte {
            b'\'' | b'"' => quoted(rest, char::from(*byte)),
            b'-' if rest.starts_with("--") => rest.find('\n').unwrap_or(rest.len()),
            b'/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            b'$' => {
                let digits = rest[1..].bytes().take_while(u8::is_ascii_digit).count();
                let number = rest[1..=digits].parse();
                match (number, dollar_quoted(rest)) {
                    (Ok(number), _) => {
                        parts.push(Part::Text(&text[copied..at]));
                        parts.push(Part::Parameter(number));
                        copied = at + 1 + digits;
                        1 + digits
                    }
                    (Err(_), length) => length,
                }
            }
            // A word may have a $ in it.
            byte if byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii() => {
                let belongs =
                    |c: char| c.is_alphanumeric() || c == '_' || c == '$' || !c.is_ascii();
                rest.find(|c| !belongs(c)).unwrap_or(rest.len())
            }
            _ => 1,
        };
        at += skipped.max(1);
    }
    parts.push(Part::Text(&text[copied..]));
    parts
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

/// The text with something else for each parameter.
pub fn replaced(text: &str, mut with: impl FnMut(usize) -> String) -> String {
    let mut result = String::new();
    for part in parts(text) {
        match part {
            Part::Text(text) => result.push_str(text),
            Part::Parameter(number) => result.push_str(&with(number)),
        }
    }
    result
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
                Part::Parameter(_),
                Part::Text(sign),
                Part::Parameter(number),
            ] if is_arithmetic(sign) => Some(*number),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
