//! Words and tokens of meta-commands. A meta-command ends with its line, unless a backslash is the
//! last thing in it (pgbench's exprscan.l).

use super::number::parse_double;
use super::variables::{continues_name, is_valid_variable_name, starts_name};

/// A position in a script's text.
#[derive(Clone, Debug)]
pub(super) struct Cursor<'a> {
    pub text: &'a str,
    pub pos: usize,
}

/// A blank-separated word and where it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Word<'a> {
    pub text: &'a str,
    pub start: usize,
}

/// A token of an expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Token<'a> {
    /// The end of the command.
    End,
    /// An operator or a punctuation mark.
    Symbol(&'static str),
    /// A keyword, in lower case.
    Keyword(&'static str),
    /// `:name`
    Variable(&'a str),
    /// `:{?name}`
    Defined(&'a str),
    /// Any other name: a function's.
    Name(&'a str),
    Int(i64),
    /// 2^63, which only a minus sign in front makes a number.
    MinIntMagnitude,
    Double(f64),
    /// What stands between single quotes, where two of them still stand for one.
    Text(&'a str),
}

/// What is wrong with an expression, noticed at the cursor's position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SyntaxError {
    pub message: &'static str,
    /// What it is about.
    pub subject: Option<String>,
}

impl SyntaxError {
    pub fn new(message: &'static str) -> Self {
        SyntaxError {
            message,
            subject: None,
        }
    }

    pub fn about(message: &'static str, subject: &str) -> Self {
        SyntaxError {
            message,
            subject: Some(subject.to_owned()),
        }
    }
}

/// Longer symbols come before those they start with.
const SYMBOLS: [&str; 21] = [
    "<>", "!=", "<=", ">=", "<<", ">>", "+", "-", "*", "/", "%", "=", "<", ">", "|", "&", "#", "~",
    "(", ")", ",",
];

const KEYWORDS: [&str; 14] = [
    "and", "or", "not", "is", "isnull", "notnull", "case", "when", "then", "else", "end", "null",
    "true", "false",
];

impl<'a> Cursor<'a> {
    pub fn peek_byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.pos).copied()
    }

    /// How many bytes from `from` on belong together.
    fn run(&self, from: usize, belongs: impl Fn(u8) -> bool) -> usize {
        let bytes = self.text.as_bytes().get(from..).unwrap_or_default();
        bytes.iter().take_while(|&&byte| belongs(byte)).count()
    }

    /// The length of a backslash and a line end at `at`, or 0.
    fn continuation(&self, at: usize) -> usize {
        let rest = self.text.as_bytes().get(at..).unwrap_or_default();
        if rest.starts_with(b"\\\n") {
            2
        } else if rest.starts_with(b"\\\r\n") {
            3
        } else {
            0
        }
    }

    fn skip_blanks(&mut self) {
        loop {
            self.pos += self.run(self.pos, is_blank);
            match self.continuation(self.pos) {
                0 => return,
                length => self.pos += length,
            }
        }
    }

    /// Takes the line end that ends a command, if the cursor is at one.
    fn at_end(&mut self) -> bool {
        match self.peek_byte() {
            None => true,
            Some(b'\n') => {
                self.pos += 1;
                true
            }
            Some(_) => false,
        }
    }

    /// The next word of the command, or `None` at its end.
    pub fn word(&mut self) -> Option<Word<'a>> {
        self.skip_blanks();
        if self.at_end() {
            return None;
        }
        let start = self.pos;
        let mut length = self.run(start, |byte| !is_blank(byte) && byte != b'\n');
        self.pos = start + length;
        let last = self.pos - 1;
        let continuation = self.continuation(last);
        if continuation > 0 {
            length -= 1;
            self.pos = last + continuation;
        }
        Some(Word {
            text: &self.text[start..start + length],
            start,
        })
    }

    /// The rest of the line, which ends the command, without blanks around it.
    pub fn rest_of_line(&mut self) -> &'a str {
        self.skip_blanks();
        let start = self.pos;
        self.pos = start + self.run(start, |byte| byte != b'\n');
        let rest = &self.text[start..self.pos];
        self.at_end();
        rest.trim_end()
    }

    /// Skips the rest of a command with an error.
    pub fn skip_command(&mut self) {
        let read = self.text.as_bytes().get(..self.pos);
        if read.is_some_and(|read| read.ends_with(b"\n")) {
            return;
        }
        while self.word().is_some() {}
    }

    /// The next token of an expression.
    pub fn token(&mut self) -> Result<Token<'a>, SyntaxError> {
        self.skip_blanks();
        if self.at_end() {
            return Ok(Token::End);
        }
        let start = self.pos;
        let rest = &self.text[start..];
        let byte = self.peek_byte().unwrap_or_default();
        if byte == b':' {
            let length = self.run(start + 1, continues_name);
            if length > 0 {
                self.pos = start + 1 + length;
                return Ok(Token::Variable(&self.text[start + 1..self.pos]));
            }
            if let Some(name) = self.questioned(rest) {
                self.pos += ":{?}".len() + name.len();
                return Ok(Token::Defined(name));
            }
        }
        if byte == b'\'' {
            return self.text_literal();
        }
        if let Some(symbol) = SYMBOLS.into_iter().find(|symbol| rest.starts_with(symbol)) {
            self.pos += symbol.len();
            return Ok(Token::Symbol(symbol));
        }
        if starts_name(byte) {
            self.pos += self.run(start, continues_name);
            let name = &self.text[start..self.pos];
            let keyword = KEYWORDS
                .into_iter()
                .find(|keyword| name.eq_ignore_ascii_case(keyword));
            return Ok(keyword.map_or(Token::Name(name), Token::Keyword));
        }
        let number = self.number_length(start);
        if number > 0 {
            self.pos += number;
            return number_token(&self.text[start..self.pos]);
        }
        // Whatever is left is ASCII, since names take everything else.
        self.pos += 1;
        Err(SyntaxError::about(
            "unexpected character",
            &self.text[start..self.pos],
        ))
    }

    /// The name in the `:{?name}` that a text begins with.
    fn questioned(&self, text: &'a str) -> Option<&'a str> {
        let (name, _) = text.strip_prefix(":{?")?.split_once('}')?;
        is_valid_variable_name(name).then_some(name)
    }

    /// The text whose opening quote is at the cursor. It ends in its line.
    fn text_literal(&mut self) -> Result<Token<'a>, SyntaxError> {
        let start = self.pos + 1;
        let mut end = start;
        loop {
            end += self.run(end, |byte| byte != b'\'' && byte != b'\n');
            match self.text.as_bytes().get(end..) {
                Some([b'\'', b'\'', ..]) => end += 2,
                Some([b'\'', ..]) => break,
                _ => {
                    // The error is about the quote.
                    self.pos = start;
                    return Err(SyntaxError::new("unterminated quoted string"));
                }
            }
        }
        self.pos = end + 1;
        Ok(Token::Text(&self.text[start..end]))
    }

    /// The length of the number at `start`: digits with a point in, before or after them, and an
    /// exponent.
    fn number_length(&self, start: usize) -> usize {
        let digits = |from| self.run(from, |byte| byte.is_ascii_digit());
        let at = |position: usize| self.text.as_bytes().get(position).copied();

        let whole = digits(start);
        let mut end = start + whole;
        if at(end) == Some(b'.') {
            let fraction = digits(end + 1);
            if whole + fraction == 0 {
                return 0;
            }
            end += 1 + fraction;
        } else if whole == 0 {
            return 0;
        }
        if matches!(at(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(at(end + 1), Some(b'+' | b'-')));
            let exponent = digits(end + 1 + sign);
            if exponent > 0 {
                end += 1 + sign + exponent;
            }
        }
        end - start
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\x0B' | b'\x0C')
}

fn number_token(text: &str) -> Result<Token<'_>, SyntaxError> {
    if text == "9223372036854775808" {
        return Ok(Token::MinIntMagnitude);
    }
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return match text.parse() {
            Ok(int) => Ok(Token::Int(int)),
            Err(_) => Err(SyntaxError::about("bigint constant overflow", text)),
        };
    }
    match parse_double(text) {
        Some(double) => Ok(Token::Double(double)),
        None => Err(SyntaxError::about("double constant overflow", text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> (Vec<&str>, usize) {
        let mut cursor = Cursor { text, pos: 0 };
        let mut words = Vec::new();
        while let Some(word) = cursor.word() {
            words.push(word.text);
        }
        (words, cursor.pos)
    }

    fn tokens(text: &str) -> Result<Vec<Token<'_>>, SyntaxError> {
        let mut cursor = Cursor { text, pos: 0 };
        let mut tokens = Vec::new();
        loop {
            match cursor.token()? {
                Token::End => return Ok(tokens),
                token => tokens.push(token),
            }
        }
    }

    #[test]
    fn words_end_with_the_line_unless_it_is_continued() {
        assert_eq!(words("a  b\nc"), (vec!["a", "b"], 5));
        assert_eq!(words("a\\\nb \\\r\n c\\\r\n\nd"), (vec!["a", "b", "c"], 14));
        assert_eq!(words("a\\b \\ c"), (vec!["a\\b", "\\", "c"], 7));
        assert_eq!(words(""), (vec![], 0));
        assert_eq!(words("x\\\\\ny"), (vec!["x\\", "y"], 5));
    }

    #[test]
    fn numbers() {
        use Token::*;
        assert_eq!(
            tokens("1 2. .5 1e3 1.5E-1 1.e+1 1e 9223372036854775808").unwrap(),
            [
                Int(1),
                Double(2.0),
                Double(0.5),
                Double(1000.0),
                Double(0.15),
                Double(10.0),
                Int(1),
                Name("e"),
                MinIntMagnitude
            ]
        );
        let overflow = |text| tokens(text).unwrap_err().message;
        assert_eq!(
            overflow("100000000000000000000"),
            "bigint constant overflow"
        );
        assert_eq!(overflow("1.0E309"), "double constant overflow");
        assert_eq!(overflow(".1E310"), "double constant overflow");
        assert_eq!(overflow("1e-400"), "double constant overflow");
        assert_eq!(tokens("0e-400 0.0").unwrap(), [Double(0.0), Double(0.0)]);
    }

    #[test]
    fn names_and_symbols() {
        use Token::*;
        assert_eq!(
            tokens("Case :1x<>:y notnull Null nullx <<=").unwrap(),
            [
                Keyword("case"),
                Variable("1x"),
                Symbol("<>"),
                Variable("y"),
                Keyword("notnull"),
                Keyword("null"),
                Name("nullx"),
                Symbol("<<"),
                Symbol("="),
            ]
        );
        for bad in [";", ":", "!", ".", "\\", "\"", ": x", "\u{1}"] {
            let error = tokens(bad).unwrap_err();
            assert_eq!(error.message, "unexpected character");
            assert_eq!(error.subject.as_deref(), bad.get(..1));
        }
    }

    #[test]
    fn texts() {
        use Token::*;
        assert_eq!(
            tokens("'a b' '' 'it''s' '''' 'a'||'é\\\t' ':x'").unwrap(),
            [
                Text("a b"),
                Text(""),
                Text("it''s"),
                Text("''"),
                Text("a"),
                Symbol("|"),
                Symbol("|"),
                Text("é\\\t"),
                Text(":x"),
            ]
        );
        for (bad, at) in [
            ("'", 1),
            ("1 'a", 3),
            ("'a''", 1),
            ("'a\nb'", 1),
            ("'a\\\nb'", 1),
        ] {
            let mut cursor = Cursor { text: bad, pos: 0 };
            let error = loop {
                match cursor.token() {
                    Ok(token) => assert_ne!(token, End, "{bad}"),
                    Err(error) => break error,
                }
            };
            assert_eq!(error, SyntaxError::new("unterminated quoted string"));
            assert_eq!(cursor.pos, at, "{bad}");
        }
    }
}
