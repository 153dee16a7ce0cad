//! Whole scripts of random expressions and statements, good and damaged ones.

use super::{Generator, Kind, NAMES};

impl Generator {
    /// A script with branches, and statements over its variables.
    pub fn script(&mut self, query_mode: &str) -> String {
        let mut script = String::new();
        let mut number = 0;
        self.block(query_mode, 3, &mut number, &mut script);
        script
    }

    fn block(&mut self, query_mode: &str, depth: u32, number: &mut usize, script: &mut String) {
        for _ in 0..2 + self.below(4) {
            *number += 1;
            match self.below(if depth > 0 { 10 } else { 7 }) {
                0..3 => self.assignment(*number, script),
                3..5 => {
                    let (kind, name) = self.any_known(*number, script);
                    self.statement(query_mode, kind, &name, *number, script);
                }
                5 => self.result(query_mode, *number, script),
                6 => *script += self.pick(&["\\sleep 1 us\n", ";\n", "-- :nothing\n", "\n"]),
                _ => self.branches(query_mode, depth - 1, number, script),
            }
        }
    }

    fn assignment(&mut self, number: usize, script: &mut String) {
        let (kind, expression) = self.expression();
        let name = self.name(kind, number);
        *script += &format!("\\set {name} debug({expression})\n");
        self.defined(kind, &name);
    }

    fn any_known(&mut self, number: usize, script: &mut String) -> (Kind, String) {
        if self.known.is_empty() {
            self.assignment(number, script);
        }
        let index = self.below(self.known.len() as u64) as usize;
        self.known[index].clone()
    }

    /// Inserts a value: as text, through its own type where the value surely has one.
    fn statement(
        &mut self,
        query_mode: &str,
        kind: Kind,
        name: &str,
        number: usize,
        script: &mut String,
    ) {
        let text = match query_mode {
            "simple" => format!("':{name}'"),
            _ => format!(":{name}"),
        };
        let value = match (self.below(3), kind) {
            (0, Kind::Int) => {
                format!("CASE {text}::text WHEN 'NULL' THEN 'none' ELSE {text}::text END")
            }
            (1, Kind::Int) => format!("length({text}::text)"),
            _ => text,
        };
        *script += &match self.below(4) {
            0 => format!(
                "BEGIN;\nINSERT INTO results VALUES (:client_id, {number}, {value}); -- ;\nEND;\n"
            ),
            1 => format!(
                "INSERT INTO results\n  SELECT :client_id::int /* ; :* */, {number}, {value}\n  \
                 WHERE '::x;' <> $$;$$;\n"
            ),
            _ => format!("INSERT INTO results VALUES (:client_id, {number}, {value});\n"),
        };
    }

    /// A statement whose columns become variables.
    fn result(&mut self, query_mode: &str, number: usize, script: &mut String) {
        let (prefix, name) = (self.pick(&["", "p_"]), format!("g{}", number % NAMES));
        let value = self.pick(&["42", "'-7'", "1.50", "NULL::int", "true", "' 12'", "'x'"]);
        let meta = self.pick(&["\\gset", "\\aset"]);
        *script += &format!("SELECT {value} AS {name}, :client_id AS c {meta} {prefix}\n");
        let name = format!("{prefix}{name}");
        self.statement(query_mode, Kind::Any, &name, number, script);
        if !matches!(value, "'x'" | "NULL::int") {
            self.defined(Kind::Any, &name);
        }
    }

    fn branches(&mut self, query_mode: &str, depth: u32, number: &mut usize, script: &mut String) {
        let known = self.known.len();
        let condition = self.of(Kind::Bool, 2);
        *script += &format!("\\if {condition}\n");
        for _ in 0..1 + self.below(3) {
            self.block(query_mode, depth, number, script);
            // What only this branch defines is not used outside, but for now and then.
            if !self.once_in(20) {
                self.known.truncate(known);
            }
            if self.once_in(2) {
                let condition = self.of(Kind::Any, 2);
                *script += &format!("\\elif {condition}\n");
            }
        }
        if self.once_in(2) {
            *script += "\\else\n";
            self.block(query_mode, depth, number, script);
            self.known.truncate(known);
        }
        *script += "\\endif\n";
    }

    /// A script without its last `\endif`, of pieces of SQL that may hide each other.
    pub fn open_script(&mut self) -> String {
        const PIECES: &[&str] = &[
            "SELECT 1",
            "a",
            "é",
            ":x",
            "::",
            "'",
            "'",
            "''",
            "\"",
            "E'",
            "e'",
            "U&'",
            "u&\"",
            "b'",
            "N'",
            "\\'",
            "$$",
            "$$",
            "$a$",
            "$1",
            "$",
            "/*",
            "*/",
            "--",
            "\n",
            "\n",
            "\r\n",
            "\t",
            " ",
            "(",
            ")",
            ";",
            ";",
            ";",
            ";",
            "\\;",
            "\\:",
            "1.5e",
            "1e+",
            "..",
            "1",
            ".",
            "begin ",
            "end ",
            "case ",
            "create function ",
            "CREATE OR REPLACE PROCEDURE ",
            "or ",
            "replace ",
            "function ",
            "#",
            "!",
            "\n\\set x 1\n",
            "\n\\sleep 0\n",
            "\\if 1\n",
            "\\endif\n",
            "\\elif 0\n",
            "\\\n",
            "\\gset\n",
            "\\aset p\n",
            "\x0B",
            "\x0C",
            "ë",
        ];
        let mut script = "\\if 1\n".to_owned();
        for _ in 0..1 + self.below(25) {
            script += self.pick(PIECES);
        }
        script
    }

    /// A script that most probably cannot be read: a few of its characters are wrong.
    pub fn damaged_script(&mut self) -> String {
        self.forget();
        let (_, expression) = self.expression();
        let condition = self.of(Kind::Bool, 2);
        let script = match self.below(4) {
            0 => format!("\\set x {expression}\n"),
            1 => format!("SELECT 1;\n\\set x {expression}\nSELECT :x;\n"),
            2 => format!("\\if {condition}\nSELECT 1;\n\\elif {condition}\n\\else\n\\endif\n"),
            _ => format!("-- waits\n\\sleep 10 us\n\\set y {expression}\n\\sleep 1ms\n"),
        };
        let mut script: Vec<char> = script.chars().collect();
        for _ in 0..1 + self.below(3) {
            let at = self.below(script.len() as u64) as usize;
            match self.below(4) {
                0 => {
                    script.remove(at);
                }
                1 => {
                    // But for a quote, which begins a text here.
                    let other: Vec<char> = "()+-*/%=<>!&|#~,.:;\"0129eExt_ \t\n\\$?@[{"
                        .chars()
                        .collect();
                    let character = self.pick(&other);
                    script.insert(at, character);
                }
                2 => {
                    let end = (at + 1 + self.below(6) as usize).min(script.len());
                    let copy: Vec<char> = script[at..end].to_vec();
                    script.splice(at..at, copy);
                }
                _ => {
                    let end = (at + 1 + self.below(4) as usize).min(script.len());
                    script.drain(at..end);
                }
            }
            if script.is_empty() {
                script.push('\n');
            }
        }
        script.into_iter().collect()
    }
}
