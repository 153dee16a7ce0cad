//! Expressions: values, operators, functions and CASE.

use super::{Generator, Kind};

impl Generator {
    /// An expression of this kind that nests no deeper.
    pub(super) fn of(&mut self, kind: Kind, depth: u32) -> String {
        if self.once_in(300) {
            // Of another type, or worse.
            let other = self.pick(&[":t_bad", ":t_big", ":t_sign", ":t_min", ":nosuch", "", ""]);
            if !other.is_empty() {
                return other.to_owned();
            }
            let kind = self.pick(&[Kind::Int, Kind::Double, Kind::Bool, Kind::Any]);
            let other = self.of(kind, depth.saturating_sub(1));
            return format!("({other})");
        }
        if depth == 0 || self.once_in(8) {
            return self.leaf(kind);
        }
        match kind {
            Kind::Int => self.int(depth - 1),
            Kind::Double => self.double(depth - 1),
            Kind::Bool => self.boolean(depth - 1),
            Kind::Any => {
                let kind = self.pick(&[Kind::Int, Kind::Double, Kind::Bool]);
                self.of(kind, depth)
            }
        }
    }

    fn leaf(&mut self, kind: Kind) -> String {
        let named: Vec<String> = self
            .known
            .iter()
            .filter(|(known, _)| *known == kind)
            .map(|(_, name)| format!(":{name}"))
            .collect();
        if !named.is_empty() && self.below(5) < 3 {
            return named[self.below(named.len() as u64) as usize].clone();
        }
        match kind {
            Kind::Int => match self.below(12) {
                0..7 => self.below(20).to_string(),
                7 => self.below(1_000_000_000).to_string(),
                8 => self
                    .pick(&[
                        "9223372036854775807",
                        "-9223372036854775808",
                        "4611686018427387904",
                    ])
                    .to_owned(),
                _ => self
                    .pick(&[
                        ":client_id",
                        ":scale",
                        ":random_seed % 100",
                        ":default_seed % 100",
                        ":t_int",
                        ":t_pad",
                        ":t_zeros",
                    ])
                    .to_owned(),
            },
            Kind::Double => self
                .pick(&[
                    "0.5",
                    ".25",
                    "2.",
                    "1.5",
                    "3.",
                    "1e3",
                    "1.5E-3",
                    "7.25e+2",
                    "1e-5",
                    "0.0",
                    "0.1",
                    "12345678901234.5678",
                    "1e15",
                    "1e300",
                    ":t_dbl",
                    ":t_neg",
                    ":t_hex",
                    ":t_inf",
                ])
                .to_owned(),
            Kind::Bool => match self.below(4) {
                0 => ":t_yes".to_owned(),
                1 => ":t_off".to_owned(),
                2 => self.word("true"),
                _ => self.word("false"),
            },
            Kind::Any => match self.below(3) {
                0 => self.word("null"),
                1 => ":t_null".to_owned(),
                _ => self.leaf(Kind::Int),
            },
        }
    }

    /// `left op right`, with parentheses now and then.
    fn infix(&mut self, left: String, op: &str, right: String) -> String {
        let (left_gap, right_gap) = (self.gap(), self.gap());
        let (left, right) = (self.maybe_nested(left), self.maybe_nested(right));
        format!("{left}{left_gap}{op}{right_gap}{right}")
    }

    fn maybe_nested(&mut self, text: String) -> String {
        if self.below(3) > 0 {
            return text;
        }
        let (before, after) = (self.gap(), self.gap());
        format!("({before}{text}{after})")
    }

    fn call(&mut self, function: &str, arguments: &[String]) -> String {
        let function = self.word(function);
        let (gap, comma) = (self.gap(), self.pick(&[",", ", ", " , "]));
        format!("{function}{gap}({})", arguments.join(comma))
    }

    fn number(&mut self, depth: u32) -> String {
        let kind = self.pick(&[Kind::Int, Kind::Int, Kind::Double]);
        self.of(kind, depth)
    }

    fn numbers(&mut self, kind: Kind, depth: u32) -> Vec<String> {
        (0..1 + self.below(4))
            .map(|_| self.of(kind, depth))
            .collect()
    }

    /// What can be divided by.
    fn divisor(&mut self, depth: u32) -> String {
        match self.below(12) {
            0 => self.of(Kind::Int, depth),
            1 => "-1".to_owned(),
            _ => (1 + self.below(30)).to_string(),
        }
    }

    fn int(&mut self, depth: u32) -> String {
        let a = self.of(Kind::Int, depth);
        match self.below(24) {
            0..5 => {
                let op = self.pick(&["+", "+", "-", "-", "*"]);
                let b = self.of(Kind::Int, depth);
                self.infix(a, op, b)
            }
            5 | 6 => {
                let op = self.pick(&["/", "%"]);
                let b = self.divisor(depth);
                self.infix(a, op, b)
            }
            7 | 8 => {
                let op = self.pick(&["&", "|", "#"]);
                let b = self.of(Kind::Int, depth);
                self.infix(a, op, b)
            }
            9 => {
                let op = self.pick(&["<<", ">>"]);
                let b = self.below(70).to_string();
                self.infix(a, op, b)
            }
            10 => {
                let op = self.pick(&["~", "~ ", "-", "- ", "+", "-~", "~-", "- -"]);
                format!("{op}{a}")
            }
            11 => format!("abs(0 - ({a}))"),
            12 => {
                let a = self.of(Kind::Double, depth);
                self.call("int", &[a])
            }
            13 => {
                let b = self.divisor(depth);
                self.call("mod", &[a, b])
            }
            14 => {
                let function = self.pick(&["hash", "hash_fnv1a", "hash_murmur2"]);
                let arguments = match self.below(2) {
                    0 => vec![a],
                    _ => vec![a, self.of(Kind::Int, 0)],
                };
                let call = self.call(function, &arguments);
                match self.below(4) {
                    0 => call,
                    _ => format!("{call} % 1000"),
                }
            }
            15 => {
                let size = match self.below(20) {
                    0 => self.pick(&["0", "-5"]).to_owned(),
                    1 => "9223372036854775797".to_owned(),
                    2..8 => (1 + self.below(10)).to_string(),
                    _ => (1 + self.below(100_000_000)).to_string(),
                };
                let mut arguments = vec![a, size];
                if self.once_in(2) {
                    arguments.push(self.of(Kind::Int, depth));
                }
                self.call("permute", &arguments)
            }
            16..20 => self.draw(),
            20 => {
                let function = self.pick(&["least", "greatest"]);
                let arguments = self.numbers(Kind::Int, depth);
                self.call(function, &arguments)
            }
            21 => self.case(Kind::Int, depth),
            22 => self.call("debug", &[a]),
            _ => format!("({a})"),
        }
    }

    /// A random function; once in a while with a range or a parameter that it does not take.
    fn draw(&mut self) -> String {
        let low = self.below(2000).cast_signed() - 1000;
        let width = match self.below(40) {
            0 => -1,
            1 => 1 << 60,
            2 => 0,
            _ => self.below(100_000).cast_signed(),
        };
        let mut arguments = vec![low.to_string(), (low + width).to_string()];
        let (function, parameters, wrong): (_, &[&str], &[&str]) = match self.below(4) {
            0 => return self.call("random", &arguments),
            1 => (
                "random_exponential",
                &["0.0001", "0.5", "1", "10.0", "50", "1e3"],
                &["0", "-1.5"],
            ),
            2 => (
                "random_gaussian",
                &["2", "2.0", "2.5", "5", "30", "1e6"],
                &["1.999", "-3"],
            ),
            _ => (
                "random_zipfian",
                &["1.001", "1.01", "1.5", "2", "3.3", "1000"],
                &["1", "1.0001", "1000.1"],
            ),
        };
        let parameter = match self.once_in(60) {
            true => self.pick(wrong),
            false => self.pick(parameters),
        };
        arguments.push(parameter.to_owned());
        self.call(function, &arguments)
    }

    fn double(&mut self, depth: u32) -> String {
        let a = self.of(Kind::Double, depth);
        match self.below(12) {
            0..4 => {
                let op = self.pick(&["+", "-", "*", "/"]);
                let b = self.number(depth);
                let (left, right) = match self.below(2) {
                    0 => (a, b),
                    _ => (b, a),
                };
                self.infix(left, op, right)
            }
            4 => {
                let function = self.pick(&["sqrt", "ln", "exp", "double"]);
                let a = self.number(depth);
                self.call(function, &[a])
            }
            5 => {
                let function = self.pick(&["pow", "power"]);
                let (a, b) = (self.number(depth), self.number(depth));
                self.call(function, &[a, b])
            }
            6 => "pi ( )".to_owned(),
            7 => format!("abs(double({a}))"),
            8 => {
                let function = self.pick(&["least", "greatest"]);
                let mut arguments = self.numbers(Kind::Int, depth);
                arguments.push(a);
                self.call(function, &arguments)
            }
            9 => self.case(Kind::Double, depth),
            10 => format!("-{a}"),
            _ => format!("({a})"),
        }
    }

    fn boolean(&mut self, depth: u32) -> String {
        match self.below(12) {
            0..4 => {
                let op = self.pick(&["=", "<>", "!=", "<", "<=", ">", ">="]);
                let (a, b) = (self.number(depth), self.number(depth));
                self.infix(a, op, b)
            }
            4..6 => {
                let (a, b) = (self.of(Kind::Bool, depth), self.of(Kind::Bool, depth));
                let word = self.pick(&["and", "or"]);
                let (before, word, after) = (self.blank(), self.word(word), self.blank());
                format!("{a}{before}{word}{after}{b}")
            }
            6 | 7 => {
                let (word, blank) = (self.word("not"), self.blank());
                format!("{word}{blank}{}", self.of(Kind::Bool, depth))
            }
            8 | 9 => {
                let kind = self.pick(&[Kind::Bool, Kind::Any, Kind::Int]);
                let a = self.of(kind, depth);
                let test = self.pick(&[
                    "is null",
                    "is not null",
                    "is true",
                    "is not true",
                    "is false",
                    "is not false",
                    "isnull",
                    "notnull",
                ]);
                let test: Vec<String> = test.split(' ').map(|word| self.word(word)).collect();
                let blank = self.blank();
                format!("{a}{blank}{}", test.join(blank))
            }
            10 => self.case(Kind::Bool, depth),
            _ => format!("({})", self.of(Kind::Bool, depth)),
        }
    }

    fn case(&mut self, kind: Kind, depth: u32) -> String {
        let mut text = self.word("case");
        for _ in 0..1 + self.below(2) {
            let condition = match self.below(4) {
                0 => self.of(Kind::Any, depth),
                _ => self.of(Kind::Bool, depth),
            };
            let result = self.of(kind, depth);
            for part in [self.word("when"), condition, self.word("then"), result] {
                text = text + self.blank() + &part;
            }
        }
        if self.below(4) > 0 {
            for part in [self.word("else"), self.of(kind, depth)] {
                text = text + self.blank() + &part;
            }
        }
        text + self.blank() + &self.word("end")
    }
}
