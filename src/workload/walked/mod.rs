//! Simulated transactions of built-in workloads without a server, for tests. Scripts are executed so often that their draws
//! and branches can be compared with the exact shares of the clauses. The results of their statements are made up.

mod branches;
mod ends;
mod keys;
mod ranges;

use super::find;
use super::params::Params;
use super::scripts::parse;
use script::{CommandKind, Context, Prng, Script, Symbols, Value, Variables};
use serde_json::{Value as Json, json};

/// The results of statements: one that contains the text sets these variables.
type Answers<'a> = &'a [(&'a str, &'a [(&'a str, Value)])];

const NONE: Answers = &[];

/// The values of variables where a transaction is.
struct VariableValues<'a> {
    symbols: &'a Symbols,
    variables: &'a Variables,
}

impl VariableValues<'_> {
    fn get(&self, name: &str) -> Option<&Value> {
        self.variables.get(self.symbols.lookup(name)?)
    }

    fn int(&self, name: &str) -> i64 {
        match self.get(name) {
            Some(Value::Int(value)) => *value,
            Some(Value::Bool(value)) => (*value).into(),
            other => panic!("{name}: {other:?}"),
        }
    }

    fn number(&self, name: &str) -> f64 {
        match self.get(name) {
            Some(Value::Double(value)) => *value,
            _ => self.int(name) as f64,
        }
    }

    /// The elements of a list such as `{1,2}`.
    fn list(&self, name: &str) -> Vec<i64> {
        let Some(Value::Text(text)) = self.get(name) else {
            panic!("{name}");
        };
        let elements = text.trim_matches(['{', '}']).split(',');
        elements.map(|element| element.parse().unwrap()).collect()
    }
}

/// A script of a workload, ready to be walked.
struct Walker {
    script: Script,
    symbols: Symbols,
    prng: Prng,
}

/// The scale of the tables.
const SCALE: i64 = 10;

impl Walker {
    fn new(workload: &str, script: &str, options: &Json) -> Walker {
        let workload = find(workload).unwrap();
        let mut params = Params::of_tables(workload.family, "s", (SCALE as i32).into());
        params.options.extend(options.as_object().unwrap().clone());
        let specs = (workload.scripts)(&params);
        let spec = specs.iter().find(|spec| spec.name == script);
        let spec = spec.unwrap_or_else(|| panic!("{script}"));
        let mut symbols = Symbols::new();
        let mut scripts = parse(std::slice::from_ref(spec), &mut symbols).unwrap();
        Walker {
            script: scripts.remove(0),
            symbols,
            prng: Prng::new(5),
        }
    }

    /// Shows each statement that is sent.
    fn walk(&mut self, answers: Answers, mut visit: impl FnMut(&str, &VariableValues)) {
        let results = answers.iter().flat_map(|(_, values)| *values);
        let given = [("scale", Value::Int(SCALE)), ("client_id", Value::Int(0))];
        for (name, _) in results.chain(&given) {
            self.symbols.intern(name);
        }
        let symbols = &self.symbols;
        let mut variables = Variables::new(symbols);
        let set = |variables: &mut Variables, values: &[(&str, Value)]| {
            for (name, value) in values {
                variables.set(symbols.lookup(name).unwrap(), value.clone());
            }
        };
        set(&mut variables, &given);
        let mut index = 0;
        while let Some(command) = self.script.commands.get(index) {
            index = command.next;
            let mut context = Context {
                variables: &variables,
                prng: &mut self.prng,
                debug: &mut |_| (),
            };
            match &command.kind {
                CommandKind::Set { variable, expr } => {
                    let value = context.eval(expr).unwrap();
                    variables.set(*variable, value);
                }
                CommandKind::If {
                    condition,
                    otherwise,
                }
                | CommandKind::While {
                    condition,
                    otherwise,
                } if !context.holds(condition).unwrap() => {
                    index = *otherwise;
                }
                CommandKind::Sql(sql) => {
                    let here = VariableValues {
                        symbols,
                        variables: &variables,
                    };
                    visit(sql.text.trim(), &here);
                    for (_, values) in answers.iter().filter(|(part, _)| sql.text.contains(part)) {
                        set(&mut variables, values);
                    }
                }
                _ => {}
            }
        }
    }

    /// The beginnings of the statements of one transaction.
    fn way(&mut self, answers: Answers) -> Vec<String> {
        let mut way = Vec::new();
        self.walk(answers, |text, _| {
            let words: Vec<_> = text.trim_end_matches(';').split_whitespace().collect();
            way.push(words[..words.len().min(2)].join(" "));
        });
        way
    }
}

/// Draws of each case; seeds are fixed, so that no test fails now and then.
const DRAWS: usize = 200_000;

/// Fails if these counts are too far from their shares: by more than four deviations of chi square.
#[track_caller]
fn expect_shares(what: &str, counts: &[usize], shares: &[f64]) {
    let draws = counts.iter().sum::<usize>() as f64;
    let all: f64 = shares.iter().sum();
    assert!((all - 1.0).abs() < 1e-9, "{what}: {all}");
    let cells = counts.iter().zip(shares);
    let distance: f64 = cells
        .map(|(&count, share)| (count as f64 - draws * share).powi(2) / (draws * share))
        .sum();
    let freedom = counts.len() as f64 - 1.0;
    let most = freedom + 4.0 * (2.0 * freedom).sqrt() + 8.0;
    assert!(distance < most, "{what}: {distance} > {most}, {counts:?}");
}

#[track_caller]
fn expect_share(what: &str, found: usize, of: usize, share: f64) {
    expect_shares(what, &[found, of - found], &[share, 1.0 - share]);
}

/// Fails unless these are all values from the first to the last in these steps, each as often as the others.
#[track_caller]
fn expect_uniform(what: &str, values: &[i64], (first, last, step): (i64, i64, i64)) {
    let number = (last - first) / step + 1;
    let cells = number.min(40);
    let mut counts = vec![0; cells as usize];
    let mut sizes = vec![0; cells as usize];
    let cell = |place: i64| (i128::from(place) * i128::from(cells) / i128::from(number)) as usize;
    for value in values {
        let place = (value - first) / step;
        assert!(
            (first..=last).contains(value) && (value - first) % step == 0,
            "{what}: {value}"
        );
        counts[cell(place)] += 1;
    }
    for place in 0..cells {
        // The first places of this cell and of the next.
        let begin = |cell: i64| (cell * number + cells - 1) / cells;
        sizes[place as usize] = begin(place + 1) - begin(place);
    }
    let shares: Vec<_> = sizes
        .iter()
        .map(|&size| size as f64 / number as f64)
        .collect();
    expect_shares(what, &counts, &shares);
}

/// What the runs of these tests are given.
fn options(workload: &str) -> Json {
    match workload {
        "tatp" => json!({"uniform": true}),
        oltp if oltp.starts_with("oltp_") => {
            json!({"tables": 8, "table_size": 10_000, "rand_type": "uniform"})
        }
        _ => json!({}),
    }
}
