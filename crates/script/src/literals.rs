//! The text of a statement without its constants, which may be anybody's data: numbers and strings become `?`. Names, parameters and
//! comments stay. The text may be cut off anywhere, as that of pg_stat_activity is.

use super::variables::{continues_name, starts_name};

/// The statement with `?` in place of each number and string.
pub fn without_literals(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let (length, is_literal) = part(rest);
        let length = end_of_character(rest, length);
        shown.push_str(if is_literal { "?" } else { &rest[..length] });
        at += length;
    }
    shown
}

/// The first part of a text: its length in bytes, and whether it is a constant.
fn part(text: &str) -> (usize, bool) {
    let bytes = text.as_bytes();
    let second = bytes.get(1).copied();
    match bytes[0] {
        b'\'' => (quoted(bytes, 0, b'\'', false), true),
        b'"' => (quoted(bytes, 0, b'"', false), false),
        b'-' if second == Some(b'-') => (line(bytes), false),
        b'/' if second == Some(b'*') => (comment(bytes), false),
        b'$' => dollar(text),
        b'0'..=b'9' => (number(bytes), true),
        b'.' if second.is_some_and(|byte| byte.is_ascii_digit()) => (number(bytes), true),
        byte if starts_name(byte) => word(bytes),
        _ => (1, false),
    }
}

/// Up to the end of the quotation from `start` on, or of the text. A doubled quotation mark belongs to it.
fn quoted(bytes: &[u8], start: usize, mark: u8, escapes: bool) -> usize {
    let mut at = start + 1;
    while let Some(&byte) = bytes.get(at) {
        if byte == b'\\' && escapes {
            at += 1;
        } else if byte == mark {
            if bytes.get(at + 1) != Some(&mark) {
                return at + 1;
            }
            at += 1;
        }
        at += 1;
    }
    bytes.len()
}

fn line(bytes: &[u8]) -> usize {
    let end = bytes.iter().position(|&byte| byte == b'\n');
    end.unwrap_or(bytes.len())
}

/// Comments of this kind may be nested.
fn comment(bytes: &[u8]) -> usize {
    let (mut at, mut depth) = (0, 0_usize);
    while at < bytes.len() {
        match bytes.get(at..at + 2) {
            Some(b"/*") => (at, depth) = (at + 2, depth + 1),
            Some(b"*/") => {
                (at, depth) = (at + 2, depth - 1);
                if depth == 0 {
                    return at;
                }
            }
            _ => at += 1,
        }
    }
    bytes.len()
}

/// A parameter, or a string between `$tag$` and `$tag$`.
fn dollar(text: &str) -> (usize, bool) {
    let after = &text[1..];
    let digits = after.bytes().take_while(u8::is_ascii_digit).count();
    if digits > 0 {
        return (1 + digits, false);
    }
    let tag = (after.bytes()).take_while(|&byte| byte != b'$' && continues_name(byte));
    let tag = tag.count();
    if after.as_bytes().get(tag) != Some(&b'$') {
        return (1, false);
    }
    let mark = &text[..tag + 2];
    let body = &text[mark.len()..];
    match body.find(mark) {
        Some(end) => (end + 2 * mark.len(), true),
        None => (text.len(), true),
    }
}

fn number(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let is_sign = matches!(byte, b'+' | b'-')
            && matches!(bytes[at - 1], b'e' | b'E')
            && !bytes.starts_with(b"0x");
        if !(byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.' || is_sign) {
            break;
        }
        at += 1;
    }
    at
}

/// A name or keyword, or a string with a letter before it.
fn word(bytes: &[u8]) -> (usize, bool) {
    let length = bytes
        .iter()
        .take_while(|&&byte| continues_name(byte))
        .count();
    let follows = |place: usize| bytes.get(place) == Some(&b'\'');
    match (bytes[0].to_ascii_lowercase(), length) {
        (b'e', 1) if follows(1) => (quoted(bytes, 1, b'\'', true), true),
        (b'b' | b'x' | b'n', 1) if follows(1) => (quoted(bytes, 1, b'\'', false), true),
        (b'u', 1) if bytes.get(1) == Some(&b'&') && follows(2) => {
            (quoted(bytes, 2, b'\'', false), true)
        }
        _ => (length, false),
    }
}

/// The end of the character at which a part ends.
fn end_of_character(text: &str, length: usize) -> usize {
    (length..=text.len())
        .find(|&end| text.is_char_boundary(end))
        .unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::without_literals;

    #[test]
    fn constants_become_question_marks_and_everything_else_stays() {
        for (text, shown) in [
            ("SELECT 1", "SELECT ?"),
            (
                "UPDATE t1 SET a_2 = a_2 - 10.5e-3 WHERE id=$1",
                "UPDATE t1 SET a_2 = a_2 - ? WHERE id=$1",
            ),
            (
                "SELECT 'it''s', E'a\\'b', B'01', n'x', U&'\\0041' FROM t",
                "SELECT ?, ?, ?, ?, ? FROM t",
            ),
            (
                "SELECT \"a 1's\", e, x FROM \"T\"\"7\"",
                "SELECT \"a 1's\", e, x FROM \"T\"\"7\"",
            ),
            ("DO $x$ BEGIN; $$ 1 END $x$; SELECT $$a$$", "DO ?; SELECT ?"),
            ("SELECT 0xFF+1_000, .5, 1.-2", "SELECT ?+?, ?, ?-?"),
            (
                "-- shop 7's\nSELECT /* a /* 1 */ 'b */ 2",
                "-- shop 7's\nSELECT /* a /* 1 */ 'b */ ?",
            ),
            ("ALTER ROLE a PASSWORD 'geheim", "ALTER ROLE a PASSWORD ?"),
            (
                "SELECT 'ä' || ü FROM größe WHERE x = 'ß",
                "SELECT ? || ü FROM größe WHERE x = ?",
            ),
            ("SELECT a[1:2], t.3, $a", "SELECT a[?:?], t?, $a"),
            ("COPY t FROM $$", "COPY t FROM ?"),
            ("/* cut off", "/* cut off"),
            ("", ""),
        ] {
            assert_eq!(without_literals(text), shown, "{text}");
        }
    }

    #[test]
    fn any_text_cut_off_anywhere_is_read() {
        let text = "SELECT E'a\\'', $q$ö$q$, \"ü\"\"\", 1e-5 /* ä */ -- é\n, U&'x' € FROM t";
        for (end, _) in text.char_indices() {
            assert!(!without_literals(&text[..end]).contains('5'));
        }
    }
}
