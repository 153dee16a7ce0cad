//! A statement of a script, and its text in the three query modes.

use super::value::Value;
use super::variables::{Symbols, VarId, Variables, continues_name, starts_name};

/// How many parameters a statement may have, as in pgbench.
pub const MAX_PARAMETERS: usize = 255;

/// A statement, or several joined by `\;`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SqlCommand {
    /// The text as the script has it, its semicolon included.
    pub text: String,
    /// The text of the extended and prepared modes: each `:name` is replaced by `$1`, `$2`, ...
    pub prepared: String,
    /// The variable of each `$n`. One that is mentioned twice is two parameters.
    pub params: Vec<VarId>,
    /// The use of its results, if `\gset` or `\aset` follows it.
    pub capture: Option<Capture>,
    /// Where in `text` the variables are.
    slots: Vec<Slot>,
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

/// One `:name` in a text, colon included.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Slot {
    start: usize,
    end: usize,
    variable: VarId,
}

impl SqlCommand {
    /// Finds the variables of a statement. As in pgbench, quotes and comments hide none: `':x'`
    /// has a variable, and `::x` has not.
    pub(super) fn new(text: String, symbols: &mut Symbols) -> Self {
        let slots = find_variables(&text, symbols);
        let mut prepared = String::with_capacity(text.len());
        let mut copied = 0;
        for (i, slot) in slots.iter().enumerate() {
            prepared.push_str(&text[copied..slot.start]);
            prepared.push_str(&format!("${}", i + 1));
            copied = slot.end;
        }
        prepared.push_str(&text[copied..]);
        let params = slots.iter().map(|slot| slot.variable).collect();
        SqlCommand {
            text,
            prepared,
            params,
            capture: None,
            slots,
        }
    }

    /// Appends the text of the simple mode: variables replaced by their values, undefined ones
    /// left as they are.
    pub fn interpolate(&self, variables: &Variables, out: &mut String) {
        let mut copied = 0;
        for slot in &self.slots {
            if let Some(value) = variables.get(slot.variable) {
                out.push_str(&self.text[copied..slot.start]);
                value.write_text(out);
                copied = slot.end;
            }
        }
        out.push_str(&self.text[copied..]);
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

fn find_variables(text: &str, symbols: &mut Symbols) -> Vec<Slot> {
    let bytes = text.as_bytes();
    let mut slots = Vec::new();
    let mut at = 0;
    while let Some(offset) = text[at..].find(':') {
        let start = at + offset;
        let name = start + 1;
        if bytes.get(name).copied().is_some_and(starts_name) {
            let length = bytes[name..]
                .iter()
                .take_while(|&&byte| continues_name(byte))
                .count();
            at = name + length;
            slots.push(Slot {
                start,
                end: at,
                variable: symbols.intern(&text[name..at]),
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

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> (SqlCommand, Symbols) {
        let mut symbols = Symbols::new();
        let command = SqlCommand::new(text.to_owned(), &mut symbols);
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
}
