//! Where a statement ends: quotes, comments, parentheses and function bodies may hide a semicolon
//! (psqlscan.l, with standard_conforming_strings on).

use super::variables::{continues_name, starts_name};

/// Why the scanner stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// After a semicolon that ends the statement.
    Semicolon,
    /// After the backslash of a meta-command.
    Backslash,
    /// At the end of the script.
    End,
}

/// Scans a script's SQL. Open parentheses stay open across meta-commands.
#[derive(Clone, Debug)]
pub(super) struct Scanner<'a> {
    text: &'a str,
    /// Where to continue; the caller moves it past a meta-command.
    pub pos: usize,
    /// The statement so far.
    buffer: String,
    /// Where the first character of `buffer` came from.
    start: usize,
    /// Where in `buffer` a `:'name'` begins.
    literals: Vec<usize>,
    parentheses: usize,
    body: FunctionBody,
}

/// A statement as the script has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Statement {
    /// Its text, without the blanks and comments before it; possibly nothing.
    pub text: String,
    /// Where it starts in the script.
    pub start: usize,
    /// Where in the text a variable stands for a literal, as `:'name'`: neither within quotes or a comment nor behind
    /// a value, as in `JSON_OBJECT('key':'value')`.
    pub literals: Vec<usize>,
}

/// Recognises `CREATE [OR REPLACE] {FUNCTION|PROCEDURE} ... BEGIN ... END`, by the initials of the
/// statement's first identifiers that are such words.
#[derive(Clone, Debug, Default)]
struct FunctionBody {
    initials: [u8; 4],
    identifiers: usize,
    depth: usize,
}

impl FunctionBody {
    fn identifier(&mut self, word: &str, parentheses: usize) {
        const FIRST_WORDS: [&str; 5] = ["create", "function", "procedure", "or", "replace"];
        let is = |keyword: &&str| word.eq_ignore_ascii_case(keyword);

        if self.identifiers == 0 {
            self.initials = [0; 4];
        }
        if let Some(keyword) = FIRST_WORDS.iter().copied().find(is)
            && let Some(initial) = self.initials.get_mut(self.identifiers)
        {
            *initial = keyword.as_bytes()[0];
        }
        self.identifiers += 1;

        let creates_routine = matches!(
            self.initials,
            [b'c', b'f' | b'p', ..] | [b'c', b'o', b'r', b'f' | b'p']
        );
        if !creates_routine || parentheses > 0 {
            return;
        }
        if is(&"begin") || (is(&"case") && self.depth > 0) {
            self.depth += 1;
        } else if is(&"end") {
            self.depth = self.depth.saturating_sub(1);
        }
    }
}

/// Whether a backslash in a string protects what follows it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Escapes {
    None,
    Backslash,
}

impl<'a> Scanner<'a> {
    pub fn new(text: &'a str) -> Self {
        Scanner {
            text,
            pos: 0,
            buffer: String::new(),
            start: 0,
            literals: Vec::new(),
            parentheses: 0,
            body: FunctionBody::default(),
        }
    }

    /// Scans on to the end of a statement. Yields why it ended there, and the statement.
    pub fn statement(&mut self) -> (Stop, Statement) {
        self.start = self.pos;
        let stop = loop {
            if let Some(stop) = self.step() {
                break stop;
            }
        };
        let statement = Statement {
            text: std::mem::take(&mut self.buffer),
            start: self.start,
            literals: std::mem::take(&mut self.literals),
        };
        (stop, statement)
    }

    fn bytes(&self) -> &'a [u8] {
        self.text.as_bytes()
    }

    fn rest(&self) -> &'a [u8] {
        self.bytes().get(self.pos..).unwrap_or_default()
    }

    /// The position after the bytes from `from` on that belong together.
    fn skip(&self, from: usize, belongs: impl Fn(u8) -> bool) -> usize {
        let bytes = self.bytes().get(from..).unwrap_or_default();
        from + bytes.iter().take_while(|&&byte| belongs(byte)).count()
    }

    /// Adds the text up to `end`, which is next to an ASCII character, to the statement.
    fn take(&mut self, end: usize) {
        if self.buffer.is_empty() {
            self.start = self.pos;
        }
        self.buffer.push_str(&self.text[self.pos..end]);
        self.pos = end;
    }

    /// Handles one token.
    fn step(&mut self) -> Option<Stop> {
        let rest = self.rest();
        let Some(&first) = rest.first() else {
            return Some(Stop::End);
        };
        let second = rest.get(1).copied().unwrap_or_default();
        match (first, second) {
            (b' ' | b'\t' | b'\n' | b'\r' | b'\x0C', _) => {
                self.blank(self.pos + 1);
            }
            (b'-', b'-') => {
                self.blank(self.skip(self.pos, |byte| byte != b'\n' && byte != b'\r'));
            }
            (b'/', b'*') => self.take(self.comment_end()),
            (b'\'', _) => self.string(1, Escapes::None),
            (b'e' | b'E', b'\'') => self.string(2, Escapes::Backslash),
            (b'b' | b'B' | b'x' | b'X' | b'n' | b'N', b'\'') => self.string(2, Escapes::None),
            (b'u' | b'U', b'&') => match rest.get(2) {
                Some(b'\'') => self.string(3, Escapes::None),
                // The quotation mark starts a quoted identifier like any other.
                Some(b'"') => self.take(self.pos + 2),
                _ => self.identifier(),
            },
            (b'"', _) => self.take(self.quote_end(self.pos + 1, b'"')),
            (b'$', _) => self.dollar(),
            (b'(', _) => {
                self.parentheses += 1;
                self.take(self.pos + 1);
            }
            (b')', _) => {
                self.parentheses = self.parentheses.saturating_sub(1);
                self.take(self.pos + 1);
            }
            (b';', _) => {
                self.take(self.pos + 1);
                if self.parentheses == 0 && self.body.depth == 0 {
                    self.body.identifiers = 0;
                    return Some(Stop::Semicolon);
                }
            }
            (b'\\', b';' | b':') => {
                self.pos += 1;
                self.take(self.pos + 1);
                if second == b';' {
                    self.body.identifiers = 0;
                }
            }
            (b'\\', _) => {
                self.pos += 1;
                return Some(Stop::Backslash);
            }
            (b':', b':') => self.take(self.pos + 2),
            (b':', b'\'') => {
                if self.stands_for_literal() {
                    self.literals.push(self.buffer.len());
                }
                self.take(self.pos + 1);
            }
            // A name after a colon is no keyword and no prefix of a string.
            (b':', _) => self.take(self.skip(self.pos + 1, continues_name)),
            (b'.', b'.') => self.take(self.pos + 2),
            (b'0'..=b'9', _) | (b'.', b'0'..=b'9') => self.take(self.number_end(self.pos)),
            _ if continues_name(first) => self.identifier(),
            _ => self.take(self.pos + 1),
        }
        None
    }

    /// Blanks and line comments before a statement are not part of it.
    fn blank(&mut self, end: usize) {
        if self.buffer.is_empty() {
            self.pos = end;
        } else {
            self.take(end);
        }
    }

    fn identifier(&mut self) {
        let end = self.skip(self.pos, continues_identifier);
        let word = &self.text[self.pos..end];
        self.body.identifier(word, self.parentheses);
        self.take(end);
    }

    /// The end of a comment, which may have others in it.
    fn comment_end(&self) -> usize {
        let bytes = self.bytes();
        let mut at = self.pos + 2;
        let mut depth = 1;
        while depth > 0 {
            match bytes.get(at..) {
                Some([b'*', b'/', ..]) => {
                    depth -= 1;
                    at += 2;
                }
                Some([b'/', b'*', ..]) => {
                    depth += 1;
                    at += 2;
                }
                Some([_, ..]) => at += 1,
                _ => return bytes.len(),
            }
        }
        at
    }

    /// A string literal whose opening quote ends the first `prefix` bytes, and its continuations on
    /// following lines.
    fn string(&mut self, prefix: usize, escapes: Escapes) {
        let mut end = self.pos + prefix;
        match escapes {
            Escapes::None => end = self.quote_end(end, b'\''),
            Escapes::Backslash => loop {
                end = self.escaped_end(end);
                match self.continued_quote(end) {
                    Some(inside) => end = inside,
                    None => break,
                }
            },
        }
        self.take(end);
    }

    /// The position after the closing `quote`. Two of them, which stand for one, end a string and begin the next.
    fn quote_end(&self, from: usize, quote: u8) -> usize {
        let end = self.skip(from, |byte| byte != quote);
        self.bytes().len().min(end + 1)
    }

    /// As `quote_end` for strings with backslashes.
    fn escaped_end(&self, from: usize) -> usize {
        let bytes = self.bytes();
        let mut at = from;
        loop {
            match bytes.get(at..) {
                Some([b'\'', b'\'', ..] | [b'\\', _, ..]) => at += 2,
                Some([b'\'', ..]) => return at + 1,
                Some([_, ..]) => at += 1,
                _ => return bytes.len(),
            }
        }
    }

    /// The position inside the next part of a literal that ended at `from`: the parts have nothing
    /// but blanks and comments between them, and a line end first of all but horizontal ones.
    fn continued_quote(&self, from: usize) -> Option<usize> {
        let bytes = self.bytes();
        let mut at = from;
        let mut line_ended = false;
        loop {
            match bytes.get(at..)? {
                [b'\n' | b'\r', ..] => {
                    line_ended = true;
                    at += 1;
                }
                [b' ' | b'\t' | b'\x0C', ..] => at += 1,
                [b'-', b'-', ..] => at = self.skip(at, |byte| byte != b'\n' && byte != b'\r'),
                [b'\'', ..] if line_ended => return Some(at + 1),
                _ => return None,
            }
        }
    }

    /// Whether the colon here begins a `:'name'`.
    fn stands_for_literal(&self) -> bool {
        let last = |text: &str| text.bytes().next_back().unwrap_or_default();
        let before = last(&self.buffer);
        let behind_value = continues_identifier(before)
            || before == b'"'
            || matches!(
                last(self.buffer.trim_end_matches([' ', '\t'])),
                b'\'' | b')' | b']'
            );
        let name = self.pos + 2;
        let end = self.skip(name, continues_name);
        let at = |position: usize| self.bytes().get(position).copied();
        !behind_value
            && at(name).is_some_and(starts_name)
            && at(end) == Some(b'\'')
            && at(end + 1) != Some(b'\'')
    }

    /// A dollar sign: of a quoted string, of a parameter, or alone.
    fn dollar(&mut self) {
        let bytes = self.bytes();
        let tag = self.pos + 1;
        if bytes.get(tag).is_some_and(u8::is_ascii_digit) {
            let digits_end = self.skip(tag, |byte| byte.is_ascii_digit());
            return self.take(self.junk_end(digits_end));
        }
        let tag_end = self.skip(tag, continues_name);
        if bytes.get(tag_end) != Some(&b'$') {
            return self.take(tag);
        }
        let delimiter = &self.text[self.pos..=tag_end];
        let body = tag_end + 1;
        let end = self.text[body..].find(delimiter);
        self.take(end.map_or(self.text.len(), |length| body + length + delimiter.len()));
    }

    /// The end of a number, with any letters that stick to it: those start no string.
    fn number_end(&self, start: usize) -> usize {
        let bytes = self.bytes();
        let digits_end = |from| self.skip(from, |byte| byte.is_ascii_digit());
        let mut end = digits_end(start);
        if bytes.get(end) == Some(&b'.') && (end == start || bytes.get(end + 1) != Some(&b'.')) {
            end = digits_end(end + 1);
        }
        if let Some([b'e' | b'E', b'+' | b'-', rest @ ..]) = bytes.get(end..) {
            end += 2;
            if !rest.first().is_some_and(u8::is_ascii_digit) {
                return end;
            }
            end = digits_end(end);
        }
        self.junk_end(end)
    }

    fn junk_end(&self, from: usize) -> usize {
        match self.bytes().get(from) {
            Some(&byte) if continues_name(byte) => self.skip(from, continues_identifier),
            _ => from,
        }
    }
}

/// Whether an identifier of SQL may continue with this byte.
pub(super) fn continues_identifier(byte: u8) -> bool {
    continues_name(byte) || byte == b'$'
}
