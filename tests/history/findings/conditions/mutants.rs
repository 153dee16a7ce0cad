//! Whether the tables notice: each condition of the rules is changed or left out, one at a time, and a row has to differ then.

use super::ONE_PARTITION;
use super::judge::{Found, mistakes, noises, plant, plantings, read};
use super::statement::{self, Rule};
use super::table;
use crate::common::Cluster;
use crate::common::runs::Runs;
use postgres::Transaction;
use std::ops::Range;

/// A file with a change.
struct Mutant {
    file: String,
    /// Its line, and what became of it.
    change: String,
    text: String,
    /// Nothing differed so far.
    is_alive: bool,
    /// Without an error.
    was_tried: bool,
}

/// Outside of comments and texts, and of what only writes a sentence.
fn code_of(sql: &str) -> Vec<bool> {
    let mut code = vec![true; sql.len()];
    let bytes = sql.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &sql[at..];
        let length = if rest.starts_with("--") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(text) = rest.strip_prefix('\'') {
            2 + text.find('\'').expect("the end of a text")
        } else {
            at += 1;
            continue;
        };
        code[at..at + length].fill(false);
        at += length;
    }
    for name in ["format(", "jsonb_build_object(", "to_char(", "round("] {
        for (start, _) in sql.match_indices(name) {
            if code[start] {
                let end = closing(sql, &code, start + name.len());
                code[start..end].fill(false);
            }
        }
    }
    code
}

/// Where the parenthesis that is open at this place closes.
fn closing(sql: &str, code: &[bool], from: usize) -> usize {
    let mut depth = 1;
    for (i, byte) in sql.bytes().enumerate().skip(from) {
        match byte {
            b'(' if code[i] => depth += 1,
            b')' if code[i] => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return i;
        }
    }
    sql.len()
}

/// Words with their places.
fn words<'a>(sql: &'a str, code: &'a [bool]) -> impl Iterator<Item = (usize, &'a str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$' || c == '.';
        at += sql[at..].find(is_word)?;
        let length = sql[at..].find(|c| !is_word(c)).unwrap_or(sql.len() - at);
        let word = (at, &sql[at..at + length]);
        at += length;
        Some(word)
    })
    .filter(|(at, _)| code[*at])
}

/// The condition that begins behind a word.
fn condition(sql: &str, code: &[bool], from: usize) -> Range<usize> {
    const ENDS: [&str; 18] = [
        "AND", "OR", "GROUP", "ORDER", "WINDOW", "LIMIT", "HAVING", "UNION", "THEN", "LEFT",
        "CROSS", "JOIN", "WHERE", "OFFSET", "WHEN", "ELSE", "END", "AS",
    ];
    let mut depth = 0i32;
    let mut is_between = false;
    let mut cases = 0;
    let mut word = String::new();
    for (i, c) in sql
        .char_indices()
        .skip_while(|(i, _)| *i < from)
        .chain([(sql.len(), ' ')])
    {
        if i < sql.len() && !code[i] {
            continue;
        }
        if c.is_ascii_alphanumeric() || c == '_' {
            word.push(c);
            continue;
        }
        if depth == 0 {
            match word.as_str() {
                "BETWEEN" => is_between = true,
                "AND" if is_between => is_between = false,
                "CASE" => cases += 1,
                "END" if cases > 0 => cases -= 1,
                word_ if cases == 0 && ENDS.contains(&word_) => return from..i - word.len(),
                _ => {}
            }
        }
        word.clear();
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 && cases == 0 => return from..i,
            _ => {}
        }
        if depth < 0 {
            return from..i;
        }
    }
    from..sql.len()
}

/// All changes of a file: a place, and what stands there instead.
fn changes(sql: &str) -> Vec<(Range<usize>, String)> {
    let code = code_of(sql);
    let mut changes: Vec<(Range<usize>, String)> = Vec::new();
    for (old, new) in [
        (" >= ", " > "),
        (" <= ", " < "),
        (" > ", " >= "),
        (" < ", " <= "),
        (" <> ", " = "),
        (" DESC", ""),
    ] {
        let places = sql.match_indices(old).filter(|(at, _)| code[*at]);
        changes.extend(places.map(|(at, _)| (at..at + old.len(), new.to_owned())));
    }
    let mut before = "";
    for (at, word) in words(sql, &code) {
        let place = at..at + word.len();
        let other = match word {
            "LEAST" => "GREATEST",
            "GREATEST" => "LEAST",
            "min" => "max",
            "max" => "min",
            "NOT" if before != "IS" && before != "AS" => "",
            _ => word,
        };
        if other != word {
            changes.push((place.clone(), other.to_owned()));
        }
        // A weight above 99 is one of 99.
        let number = word.parse::<f64>().ok().filter(|number| *number != 99.0);
        if let Some(number) = number {
            let step = if word.contains('.') || number >= 100.0 {
                number / 100.0
            } else {
                1.0
            };
            for changed in [number + step, number - step] {
                let changed = if word.contains('.') {
                    changed
                } else {
                    changed.round()
                };
                changes.push((place.clone(), format!("{changed}")));
            }
        }
        let instead = match word {
            "AND" if before != "BETWEEN" => "true",
            "WHERE" | "HAVING" => "true",
            "OR" | "WHEN" => "false",
            _ => "",
        };
        if !instead.is_empty() {
            changes.push((
                condition(sql, &code, at + word.len()),
                format!(" {instead} "),
            ));
        }
        // BETWEEN a AND b: the word before AND is a.
        before = if before == "BETWEEN" && word != "AND" {
            "BETWEEN"
        } else {
            word
        };
    }
    for (at, _) in sql.match_indices("interval '").filter(|(at, _)| code[*at]) {
        let number = at + "interval '".len();
        let length = sql[number..]
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(0);
        if let Ok(value) = sql[number..number + length].parse::<i64>() {
            let changed =
                [value + 1, value - 1].map(|value| (number..number + length, value.to_string()));
            changes.extend(changed);
        }
    }
    changes
}

fn mutants(file: &str) -> Vec<Mutant> {
    let sql = statement::text_of(file);
    let mutant = |(place, instead): (Range<usize>, String)| {
        let line = 1 + sql[..place.start].matches('\n').count();
        let old = sql[place.clone()]
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        let near: String = sql[place.start..].chars().take(70).collect();
        let near = near.split_whitespace().collect::<Vec<_>>().join(" ");
        Mutant {
            file: file.to_owned(),
            change: format!("{file}:{line}: {old} -> {} ({near})", instead.trim()),
            text: format!("{}{instead}{}", &sql[..place.start], &sql[place.end..]),
            is_alive: true,
            was_tried: false,
        }
    };
    changes(&sql).into_iter().map(mutant).collect()
}

/// The findings of a rule of whose files one is changed, if a text is given.
fn found(
    transaction: &mut Transaction,
    rule: &Rule,
    changed: Option<&Mutant>,
    fixed: &([String; 3], String),
) -> Result<Vec<Found>, String> {
    let text = |file: &String| match changed {
        Some(mutant) if mutant.file == *file => mutant.text.clone(),
        _ => statement::text_of(file),
    };
    let texts: Vec<String> = rule.files.iter().map(text).collect();
    let sql = rule.statement(&texts, &fixed.0, &fixed.1);
    let mut savepoint = transaction
        .transaction()
        .map_err(|error| error.to_string())?;
    let found = read(&mut savepoint, &sql);
    savepoint.rollback().map_err(|error| error.to_string())?;
    found
}

/// Node and window, and the samples of each collector.
fn window_of(transaction: &mut Transaction) -> ([String; 3], String) {
    let row = transaction
        .query_one(
            "SELECT min(node_id::text), (min(taken_at) FILTER (WHERE m = 0))::text, (min(taken_at) FILTER (WHERE m = 60))::text, \
                 (SELECT jsonb_object_agg(c, (SELECT jsonb_agg(to_jsonb(s)) FROM ( \
                      SELECT sample_id, taken_at, lag(sample_id) OVER w AS before_id, at_s, GREATEST(0, lag(at_s) OVER w) AS since_s, sign(m)::int8 AS samples \
                      FROM (SELECT t.*, extract(epoch FROM taken_at - min(taken_at) FILTER (WHERE m = 0) OVER ()) AS at_s FROM tick t) t \
                      JOIN pgperf.samples s USING (node_id, sample_id, taken_at) WHERE m >= 0 AND s.outcomes ? c WINDOW w AS (ORDER BY sample_id)) s))::text \
                  FROM unnest('{tables,sessions}'::text[]) c) \
             FROM tick",
            &[],
        )
        .unwrap();
    ([row.get(0), row.get(1), row.get(2)], row.get(3))
}

/// Tries the rules of a folder. Some changes change nothing: a limit between two figures that do not occur, a filter that another one implies.
fn expect_noticed(folder: &str, percent: usize) {
    let cluster = Cluster::with_pgperf(&["fsync = off", "statement_timeout = 20s"]);
    let mut session = cluster.connect();
    session.value(ONE_PARTITION);
    session.value("SET max_parallel_workers_per_gather = 0");
    session.value("SET jit = off");
    let rules = statement::rules();
    let only = std::env::var("PGPERF_RULE").ok();
    let is_wanted = |name: &str| only.as_deref().is_none_or(|only| name.contains(only));
    let mut files: Vec<String> = rules
        .iter()
        .filter(|rule| is_wanted(&rule.name))
        .flat_map(|rule| rule.files.clone())
        .collect();
    files.sort();
    files.dedup();
    let mut mutants: Vec<Mutant> = files.iter().flat_map(|file| mutants(file)).collect();
    let mut wrong = Vec::new();
    for subject in table::of_folder(folder) {
        let rule = rules.iter().find(|rule| rule.name == subject.rule).unwrap();
        let first = (&subject.rows[0], &subject.rows[0].sides[0]);
        let with_noise = noises(&subject)
            .into_iter()
            .map(|(_, noise)| ("1h", vec![first], noise));
        let plantings = plantings(&subject)
            .into_iter()
            .map(|(window, sides)| (window, sides, String::new()));
        for (window, sides, noise) in plantings.chain(with_noise) {
            let mut transaction = session.transaction().unwrap();
            plant(&mut transaction, &subject, window, &sides).unwrap();
            transaction.batch_execute(&noise).unwrap();
            let fixed = window_of(&mut transaction);
            let unchanged = match found(&mut transaction, rule, None, &fixed) {
                Ok(found) => found,
                Err(error) => panic!("{}: {error}", subject.file),
            };
            // The files of the checkout themselves.
            wrong.extend(mistakes(&subject, window, &sides, unchanged.clone()));
            let alive = mutants
                .iter_mut()
                .filter(|mutant| mutant.is_alive && rule.files.contains(&mutant.file));
            for mutant in alive {
                match found(&mut transaction, rule, Some(mutant), &fixed) {
                    Ok(found) => {
                        mutant.was_tried = true;
                        let is_same = noise.is_empty() || found == unchanged;
                        mutant.is_alive =
                            is_same && mistakes(&subject, window, &sides, found).is_empty();
                    }
                    Err(_) => mutant.is_alive = false,
                }
            }
            transaction.rollback().unwrap();
        }
    }
    // One that raises an error wherever it is tried is no change of a condition.
    mutants.retain(|mutant| mutant.was_tried);
    let alive: Vec<&str> = mutants
        .iter()
        .filter(|mutant| mutant.is_alive)
        .map(|mutant| mutant.change.as_str())
        .collect();
    println!(
        "{folder}: {} changes, not noticed: {}\n{}",
        mutants.len(),
        alive.len(),
        alive.join("\n")
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let noticed = 100 * (mutants.len() - alive.len()) / mutants.len();
    assert!(
        noticed >= percent,
        "{folder}: {noticed} % of the changes were noticed"
    );
}

macro_rules! folders {
    ($($folder:ident: $percent:literal,)*) => {
        $(
            #[test]
            fn $folder() {
                expect_noticed(stringify!($folder), $percent);
            }
        )*
    };
}

// At least so many of a hundred changes are noticed. A new condition without a row lowers the share.
folders! {
    statements: 65,
    tables: 65,
    vacuum: 85,
    server: 75,
    replication: 90,
    storage: 85,
    machine: 75,
    record: 70,
}
