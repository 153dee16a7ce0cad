//! A statement of a script, and its text in the three query modes.

use super::scanner::continues_identifier;
use super::value::Value;
use super::variables::{Symbols, VarId, Variables, continues_name, starts_name};
use std::ops::Range;

/// How many parameters a statement may have, as in pgbench.
pub const MAX_PARAMETERS: usize = 255;

/// A statement, or several joined by `\;`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SqlCommand {
    /// The text as the script has it, its semicolon included.
    pub text: String,
    /// The text of the extended and prepared modes: each `:name` is replaced by `$1`, `$2`, ... Those that are a part
    /// of a name are still there: [`SqlCommand::fill_names`].
    pub prepared: String,
    /// The variable of each `$n`. One that is mentioned twice is two parameters.
    pub params: Vec<VarId>,
    /// The use of its results, if `\gset` or `\aset` follows it.
    pub capture: Option<Capture>,
    /// Where in `text` the variables are.
    slots: Vec<Slot>,
    /// Where in `prepared` those are that are a part of a name.
    names: Vec<Slot>,
    /// Where in `prepared` the `$n` are.
    marks: Vec<usize>,
}

/// Where a statement has a parameter: offsets in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// The variable in [`SqlCommand::text`], colon included.
    pub variable: Range<usize>,
    /// Its `$n` in [`SqlCommand::prepared`].
    pub mark: usize,
}

/// A `\gset` or `\aset`: the columns of a result become variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capture {
    /// Which rows.
    pub rows: CapturedRows,
    /// What stands before a column's name in the variable's; may be empty.
    pub prefix: String,
}

/// Which rows of a statement's results become variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CapturedRows {
    /// `\gset`: the only row of the last query; more or less than one is an error.
    Only,
    /// `\aset`: the last row of each query; a query without rows changes nothing.
    LastOfEach,
}

/// What a variable stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// `:name`: a value, as text or as a parameter.
    Value,
    /// `:'name'`: a value, as a literal or as a parameter.
    Literal,
    /// `word:name`: a part of a name, always as text.
    Name,
}

/// One variable in a text, colon included.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Slot {
    start: usize,
    end: usize,
    variable: VarId,
    role: Role,
}

impl SqlCommand {
    /// Finds the variables of a statement. As in pgbench, quotes and comments hide none: `':x'`
    /// has a variable, and `::x` has not. `literals` are the places of each `:'name'`.
    pub(super) fn new(text: String, literals: &[usize], symbols: &mut Symbols) -> Self {
        let slots = find_variables(&text, literals, symbols);
        let mut prepared = String::with_capacity(text.len());
        let mut params = Vec::new();
        let mut names = Vec::new();
        let mut marks = Vec::new();
        let mut copied = 0;
        for slot in &slots {
            prepared.push_str(&text[copied..slot.start]);
            copied = slot.end;
            if slot.role == Role::Name {
                let start = prepared.len();
                prepared.push_str(&text[slot.start..slot.end]);
                names.push(Slot {
                    start,
                    end: prepared.len(),
                    ..slot.clone()
                });
                continue;
            }
            params.push(slot.variable);
            marks.push(prepared.len());
            prepared.push_str(&format!("${}", params.len()));
            // A literal ends with its quote, a parameter only where no digit or letter follows.
            let next = text.as_bytes().get(slot.end).copied();
            if slot.role == Role::Literal && next.is_some_and(continues_identifier) {
                prepared.push(' ');
            }
        }
        prepared.push_str(&text[copied..]);
        SqlCommand {
            text,
            prepared,
            params,
            capture: None,
            slots,
            names,
            marks,
        }
    }

    /// Where the parameters are, in order.
    pub fn parameters(&self) -> impl Iterator<Item = Parameter> {
        let values = self.slots.iter().filter(|slot| slot.role != Role::Name);
        values.zip(&self.marks).map(|(slot, &mark)| Parameter {
            variable: slot.start..slot.end,
            mark,
        })
    }

    /// The text of the extended and prepared modes with a part of a word for each variable that is a part of a name: a text that can be
    /// parsed without the variables' values, in which everything has its place.
    pub fn parsable(&self) -> String {
        let mut text = self.prepared.clone();
        for name in &self.names {
            text.replace_range(name.start..name.start + 1, "_");
        }
        text
    }

    /// Appends the text of the simple mode: variables replaced by their values, undefined ones
    /// left as they are.
    pub fn interpolate(&self, variables: &Variables, out: &mut String) {
        replace(&self.text, &self.slots, variables, out);
    }

    /// Whether variables are a part of its names: then it is another statement for each of their values.
    #[inline]
    pub fn has_names(&self) -> bool {
        !self.names.is_empty()
    }

    /// Appends the text of the extended and prepared modes with its names; undefined variables are left as they are.
    pub fn fill_names(&self, variables: &Variables, out: &mut String) {
        replace(&self.prepared, &self.names, variables, out);
    }

    /// Appends what tells two results of [`SqlCommand::fill_names`] apart.
    pub fn name_key(&self, variables: &Variables, out: &mut String) {
        for name in &self.names {
            match variables.get(name.variable) {
                Some(value) => value.write_text(out),
                None => out.push_str(&self.prepared[name.start..name.end]),
            }
            out.push('\0');
        }
    }

    /// The values of the parameters in order. pgbench sends their text; `None`, an undefined
    /// variable, is sent as NULL, while a variable that is NULL is sent as the word.
    pub fn arguments<'a>(
        &'a self,
        variables: &'a Variables,
    ) -> impl ExactSizeIterator<Item = Option<&'a Value>> {
        self.params.iter().map(|&param| variables.get(param))
    }
}

/// Appends a text with its variables replaced by their values.
fn replace(text: &str, slots: &[Slot], variables: &Variables, out: &mut String) {
    let mut copied = 0;
    for slot in slots {
        if let Some(value) = variables.get(slot.variable) {
            out.push_str(&text[copied..slot.start]);
            match slot.role {
                Role::Literal => value.write_literal(out),
                Role::Value | Role::Name => value.write_text(out),
            }
            copied = slot.end;
        }
    }
    out.push_str(&text[copied..]);
}

fn find_variables(text: &str, literals: &[usize], symbols: &mut Symbols) -> Vec<Slot> {
    let bytes = text.as_bytes();
    let mut slots: Vec<Slot> = Vec::new();
    let mut at = 0;
    while let Some(offset) = text[at..].find(':') {
        let start = at + offset;
        let quote = usize::from(literals.contains(&start));
        let name = start + 1 + quote;
        if bytes.get(name).copied().is_some_and(starts_name) {
            let length = bytes[name..]
                .iter()
                .take_while(|&&byte| continues_name(byte))
                .count();
            at = name + length + quote;
            let role = match quote {
                1 => Role::Literal,
                _ if follows_word(bytes, start, slots.last()) => Role::Name,
                _ => Role::Value,
            };
            slots.push(Slot {
                start,
                end: at,
                variable: symbols.intern(&text[name..name + length]),
                role,
            });
        } else {
            // A run of colons is skipped whole, so that a cast is not taken for a variable.
            at = start
                + bytes[start..]
                    .iter()
                    .take_while(|&&byte| byte == b':')
                    .count();
        }
    }
    slots
}

/// Whether a word ends just before `end`: it begins with a letter or an underscore, or with a variable that is a part
/// of a name itself.
fn follows_word(text: &[u8], end: usize, previous: Option<&Slot>) -> bool {
    let after = previous.map_or(0, |slot| slot.end);
    let length = text[after..end]
        .iter()
        .rev()
        .take_while(|&&byte| continues_identifier(byte))
        .count();
    let start = end - length;
    match previous {
        Some(slot) if slot.end == start && slot.role != Role::Literal => slot.role == Role::Name,
        _ => length > 0 && starts_name(text[start]),
    }
}

#[cfg(test)]
mod tests {
    use super::super::scanner::Scanner;
    use super::*;

    fn parse(text: &str) -> (SqlCommand, Symbols) {
        let mut symbols = Symbols::new();
        let (_, statement) = Scanner::new(text).statement();
        let command = SqlCommand::new(statement.text, &statement.literals, &mut symbols);
        (command, symbols)
    }

    fn params(text: &str) -> (String, Vec<String>) {
        let (command, symbols) = parse(text);
        let names = command
            .params
            .iter()
            .map(|&id| symbols.name(id).to_owned())
            .collect();
        (command.prepared, names)
    }

    #[test]
    fn each_mention_is_a_parameter() {
        assert_eq!(
            params("SELECT :a + :b_2, :a;"),
            (
                "SELECT $1 + $2, $3;".into(),
                vec!["a".into(), "b_2".into(), "a".into()]
            )
        );
    }

    #[test]
    fn quotes_do_not_hide_variables_and_casts_are_none() {
        assert_eq!(params("SELECT ':a', \":b\"").0, "SELECT '$1', \"$2\"");
        assert_eq!(
            params("SELECT 1::int, '12:30:00', x:::y").0,
            "SELECT 1::int, '12:30:00', x:::y"
        );
        assert_eq!(params(":a:b :9 :").0, "$1$2 :9 :");
        assert_eq!(params("SELECT :größe").1, ["größe"]);
        assert_eq!(params(":x::int").0, "$1::int");
    }

    #[test]
    fn simple_mode_leaves_undefined_variables() {
        let (command, symbols) = parse("SELECT :a, ':b', :c;");
        let mut variables = Variables::new(&symbols);
        variables.set(command.params[0], Value::Double(0.5));
        variables.set(command.params[2], Value::Text(":a".into()));
        let mut out = String::new();
        command.interpolate(&variables, &mut out);
        assert_eq!(out, "SELECT 0.5, ':b', :a;");
        let arguments: Vec<bool> = command.arguments(&variables).map(|v| v.is_some()).collect();
        assert_eq!(arguments, [true, false, true]);
    }

    /// The text of the simple mode and that of the others, with the variables a, b and n.
    fn filled(text: &str, a: Value) -> (String, String) {
        let (command, mut symbols) = parse(text);
        let mut variables = Variables::new(&symbols);
        variables.set(symbols.intern("a"), a);
        variables.set(symbols.intern("b"), Value::Text("x".into()));
        variables.set(symbols.intern("n"), Value::Null);
        let (mut simple, mut prepared) = (String::new(), String::new());
        command.interpolate(&variables, &mut simple);
        command.fill_names(&variables, &mut prepared);
        (simple, prepared)
    }

    #[test]
    fn a_quoted_variable_is_a_literal() {
        let literal = |a: &str| filled("SELECT :'a'", Value::Text(a.into())).0;
        assert_eq!(literal("it"), "SELECT 'it'");
        assert_eq!(literal(""), "SELECT ''");
        assert_eq!(literal("it's"), "SELECT 'it''s'");
        assert_eq!(literal("a\\b'"), "SELECT E'a\\\\b'''");
        assert_eq!(filled(":'a'", Value::Int(-5)).0, "'-5'");
        // As for a parameter: NULL is the word. An undefined variable is left.
        assert_eq!(
            filled("SELECT :'n', :'c'", Value::Null).0,
            "SELECT 'NULL', :'c'"
        );
        assert_eq!(
            filled("SELECT :'a'||:'b', (:'a')::text", Value::Int(1)).0,
            "SELECT '1'||'x', ('1')::text"
        );
    }

    #[test]
    fn a_quoted_variable_is_a_parameter() {
        assert_eq!(
            params("SELECT :a, :'b', :'b'::text AND :'c'and 1"),
            (
                "SELECT $1, $2, $3::text AND $4 and 1".into(),
                vec!["a".into(), "b".into(), "b".into(), "c".into()]
            )
        );
        assert_eq!(params("SELECT :'a'\n'b'").0, "SELECT $1\n'b'");
        assert_eq!(params("-- (x)\n:'b'").1.len(), 1);
        assert_eq!(params("SELECT -- (x)\n:'b'").1.len(), 1);
    }

    #[test]
    fn quotes_behind_a_colon_may_be_those_of_a_literal() {
        for text in [
            "SELECT 'a:'like'b'",
            "SELECT $$ :'a' $$, \"x :'a'\", E'\\' :'a'",
            "SELECT 1 -- :'a'",
            "SELECT 1 /* :'a' */",
            "SELECT JSON_OBJECT('k':'a', k:'a', (k):'a', \"k\":'a', k[1]:'a')",
            "SELECT JSON_OBJECT('k' :'a', (k)\t:'a', k[1] :'a')",
            "SELECT ::'a', x::'a', :'1', :'a b', :'a''b', :'', :'a",
        ] {
            assert_eq!(params(text), (text.to_owned(), vec![]), "{text}");
            assert_eq!(filled(text, Value::Int(1)).0, text, "{text}");
        }
    }

    #[test]
    fn a_variable_behind_a_word_is_a_part_of_its_name() {
        for (text, expected, count) in [
            (
                "FROM sbtest:a WHERE id = :a",
                "FROM sbtest7 WHERE id = $1",
                1,
            ),
            ("s_dist_:a, _:a, é:a, t$1:a", "s_dist_7, _7, é7, t$17", 0),
            ("\"sbtest:a\", s.t:a, 's:a'", "\"sbtest7\", s.t7, 's7'", 0),
            ("t:a:b:c", "t7x:c", 0),
            ("t:a$:b", "t7$x", 0),
            ("x::int:a", "x::int7", 0),
            // Behind anything else it is a value.
            (
                "1:a, 1e5:a, 1a:a, $1:a, $x$:a",
                "1$1, 1e5$2, 1a$3, $1$4, $x$$5",
                5,
            ),
            ("):a 'a':a \"t\":a ]:a +:a", ")$1 'a'$2 \"t\"$3 ]$4 +$5", 5),
            (":a:b, :a$:b :'a':b", "$1$2, $3$$4 $5$6", 6),
            // An undefined one is left.
            ("a[i:j], t:c, :c", "a[i:j], t:c, $1", 1),
        ] {
            assert_eq!(filled(text, Value::Int(7)).1, expected, "{text}");
            assert_eq!(params(text).1.len(), count, "{text}");
        }
        assert_eq!(filled("t:a :a t:c", Value::Int(7)).0, "t7 7 t:c");
    }

    #[test]
    fn each_parameter_has_its_places() {
        let (command, _) = parse("SELECT ':a', t:b, :c::int, :'d'and é:e;");
        assert_eq!(command.prepared, "SELECT '$1', t:b, $2::int, $3 and é:e;");
        assert_eq!(command.parsable(), "SELECT '$1', t_b, $2::int, $3 and é_e;");
        let found: Vec<(&str, &str)> = command
            .parameters()
            .map(|it| {
                (
                    &command.text[it.variable],
                    &command.prepared[it.mark..it.mark + 2],
                )
            })
            .collect();
        assert_eq!(found, [(":a", "$1"), (":c", "$2"), (":'d'", "$3")]);
    }

    #[test]
    fn names_have_a_key() {
        let key = |a: Option<Value>, b: &str| {
            let (command, symbols) = parse("t:a u:b :a");
            assert!(command.has_names());
            let mut variables = Variables::new(&symbols);
            if let Some(a) = a {
                variables.set(symbols.lookup("a").unwrap(), a);
            }
            variables.set(symbols.lookup("b").unwrap(), Value::Text(b.into()));
            let mut out = String::new();
            command.name_key(&variables, &mut out);
            out
        };
        assert_eq!(key(Some(Value::Int(12)), "3"), "12\u{0}3\u{0}");
        assert_ne!(
            key(Some(Value::Int(1)), "23"),
            key(Some(Value::Int(12)), "3")
        );
        assert_eq!(key(None, ""), ":a\u{0}\u{0}");
        assert!(!parse("t :a").0.has_names());
    }
}
