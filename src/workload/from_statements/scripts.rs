//! The scripts of the workload: pools, draws, and the statements with their own text.

use super::pools::Pool;
use super::rows::{Choice, PoolKey, Row};
use super::text::{renumbered, replaced};
use super::transactions::Group;
use super::values::{Draw, Plan};
use script::{CommandKind, Symbols};
use std::collections::{BTreeMap, BTreeSet};

/// A statement that becomes part of the workload.
#[derive(Debug, Clone)]
pub struct IncludedStatement {
    pub text: String,
    pub plan: Plan,
    /// As many rows a call returned.
    pub rows: i64,
    /// The table of which it changes or deletes rows.
    pub changes: Option<u32>,
    /// A query of rows that its own transaction had changed before, as its blocks show.
    pub finds_changes: bool,
    /// Whether 0 is a value of the type of each parameter.
    pub take_zero: Vec<bool>,
}

impl IncludedStatement {
    /// The literal that a parameter is in the script.
    pub fn literal(&self, parameter: usize) -> Option<String> {
        self.plan.draws.get(&parameter)?.literal()
    }

    /// As many commands as it may take, those that read its pools and those around it among them: a row and a value for each parameter.
    pub fn most_commands(&self) -> usize {
        2 * self.plan.draws.len() + self.plan.pools().len() + 6
    }
}

/// Pools with their names in scripts.
pub type Pools = BTreeMap<PoolKey, (String, Pool)>;

/// A statement that cannot be told from a meta-command, or has variables of its own, as far as a script can tell.
///
/// # Errors
/// Why it is none.
pub fn check(part: &IncludedStatement, pools: &Pools) -> Result<(), String> {
    // What follows a line break would be no part of the command `\pool`.
    let drawn = part.plan.pools();
    let mut queries = (drawn.iter())
        .filter_map(|key| pools.get(key))
        .map(|(_, pool)| &pool.query);
    if queries.any(|query| query.contains(['\n', '\r'])) {
        return Err("a name of its tables has a line break".to_owned());
    }
    let group = Group {
        members: vec![(0, 1)],
        calls: 1.0,
        rounds: 1,
        is_transaction: false,
    };
    let text = script(&group, std::slice::from_ref(part), pools);
    let parsed = script::parse("x", &text, &mut Symbols::new()).map_err(|error| error.message)?;
    let sent: Vec<&str> = (parsed.commands.iter())
        .filter_map(|command| match &command.kind {
            CommandKind::Sql(sql) if sql.capture.is_none() && !sql.has_names() => {
                Some(sql.prepared.as_str())
            }
            _ => None,
        })
        .collect();
    match sent.as_slice() {
        [sent] if bare(sent) == bare(&renumbered(&part.text, |it| part.literal(it))) => Ok(()),
        _ => Err("a script cannot have its text".to_owned()),
    }
}

fn bare(text: &str) -> &str {
    text.trim().trim_end_matches(';').trim_end()
}

/// The places of the statements among the commands of a script, in their order.
pub fn places(text: &str) -> Vec<usize> {
    let parsed = script::parse("x", text, &mut Symbols::new());
    let commands = parsed.map(|script| script.commands).unwrap_or_default();
    let is_statement = |kind: &CommandKind| match kind {
        CommandKind::Sql(sql) => ![BEGIN, END].contains(&sql.text.trim()),
        _ => false,
    };
    let each = commands.iter().enumerate();
    each.filter(|(_, command)| is_statement(&command.kind))
        .map(|(place, _)| place)
        .collect()
}

/// A variable that is undefined, which is NULL for the server.
const NOTHING: &str = ":pgperf_nothing";
const BEGIN: &str = "BEGIN;";
const END: &str = "END;";

/// The text of a script.
pub fn script(group: &Group, parts: &[IncludedStatement], pools: &Pools) -> String {
    let members = group.members.iter();
    let plans = members.filter_map(|(number, _)| parts.get(*number).map(|part| &part.plan));
    let mut writer = Writer {
        pools,
        choices: choices(&plans.collect::<Vec<_>>()),
        read: BTreeSet::new(),
        lines: Vec::new(),
        taken: ["i", "client_id", "scale", "random_seed", "default_seed"]
            .map(str::to_owned)
            .into(),
        names: BTreeMap::new(),
        changed: BTreeSet::new(),
    };
    if group.rounds > 1 {
        writer.begin_loop(group.rounds);
    }
    for (number, times) in &group.members {
        if let Some(part) = parts.get(*number) {
            writer.statement(*number, part, *times);
        }
    }
    if group.rounds > 1 {
        writer.end_loop();
    }
    let (begin, end) = match group.is_transaction {
        true => (Some(BEGIN), Some(END)),
        false => (None, None),
    };
    let read = writer.read.iter().filter_map(|key| pools.get(key));
    let read: Vec<String> = read
        .map(|(name, pool)| format!("\\pool {name} {}", pool.query))
        .collect();
    let mut text = String::new();
    for line in read.iter().map(String::as_str).chain(begin) {
        text += &format!("{line}\n");
    }
    for line in writer.lines.iter().map(String::as_str).chain(end) {
        text += &format!("{line}\n");
    }
    text
}

/// The ways in which a script of these plans chooses rows: one after the other, if a table was changed so for sure.
fn choices<'p>(plans: &[&'p Plan]) -> BTreeMap<&'p PoolKey, Choice> {
    let popular = plans.iter().flat_map(|plan| &plan.popular);
    let popular = popular.map(|(pool, by)| (pool, Choice::Popular(by.clone())));
    let is_in_order = plans.iter().any(|plan| plan.is_in_order);
    let in_order = plans.iter().filter(|_| is_in_order);
    let in_order = in_order.flat_map(|plan| &plan.in_order);
    let in_order = in_order.map(|pool| (pool, Choice::Neighbours));
    popular.chain(in_order).collect()
}

/// What a variable is for. Statements that run once in the script share rows; one that is repeated, or that changes rows of a table of which
/// another one does, draws its own.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Slot {
    Row(Option<usize>, Row),
    Value(Option<usize>, Row, usize),
    /// Of a parameter of a statement.
    Own(usize, usize),
}

struct Writer<'p> {
    pools: &'p Pools,
    /// Pools of which this script chooses rows in a way of its own.
    choices: BTreeMap<&'p PoolKey, Choice>,
    read: BTreeSet<PoolKey>,
    lines: Vec<String>,
    taken: BTreeSet<String>,
    names: BTreeMap<Slot, String>,
    /// Tables of which statements so far change rows.
    changed: BTreeSet<u32>,
}

impl Writer<'_> {
    fn statement(&mut self, number: usize, part: &IncludedStatement, times: u32) {
        // What is changed of one row is mostly changed by one statement.
        let is_another = part.changes.is_some_and(|it| !self.changed.insert(it));
        let own = (times > 1 || is_another).then_some(number);
        if times > 1 {
            self.begin_loop(times);
        }
        let mut variables: BTreeMap<usize, String> = BTreeMap::new();
        // The upper end of a range is named after the lower one.
        let mut draws: Vec<(&usize, &Draw)> = part.plan.draws.iter().collect();
        draws.sort_by_key(|(_, draw)| matches!(draw, Draw::Above { .. }));
        for (parameter, draw) in draws {
            let variable = self.draw(number, own, part, *parameter, draw, &variables);
            variables.insert(*parameter, variable);
        }
        let text = replaced(&part.text, |parameter| {
            variables.get(&parameter).cloned().unwrap_or_default()
        });
        // A comment would hide the semicolon.
        let end = if text.contains("--") { "\n;" } else { ";" };
        self.lines.push(format!("{}{end}", bare(&text)));
        if times > 1 {
            self.end_loop();
        }
    }

    fn begin_loop(&mut self, times: u32) {
        self.lines.push("\\set i 1".to_owned());
        self.lines.push(format!("\\while :i <= {times}"));
    }

    fn end_loop(&mut self) {
        self.lines.push("\\set i :i + 1".to_owned());
        self.lines.push("\\endwhile".to_owned());
    }

    /// Draws a value; returns how a statement refers to it.
    fn draw(
        &mut self,
        number: usize,
        own: Option<usize>,
        part: &IncludedStatement,
        parameter: usize,
        draw: &Draw,
        known: &BTreeMap<usize, String>,
    ) -> String {
        if let Some(literal) = draw.literal() {
            return literal;
        }
        let slot = Slot::Own(number, parameter);
        match draw {
            Draw::Value { row, column } => self.value(own, row, *column),
            // Until its length is known: what any statement is like with it.
            Draw::List { .. } => NOTHING.to_owned(),
            Draw::Above { step, .. } if !step.is_whole() => NOTHING.to_owned(),
            Draw::Above {
                parameter: low, by, ..
            } => {
                let low = known.get(low).cloned().unwrap_or_default();
                let hint = format!("{}_to", low.trim_start_matches(':'));
                self.set(slot, &hint, &format!("{low} + {}", by.unwrap_or_default()))
            }
            Draw::Small => self.set(slot, "added", "random(-100, 100)"),
            Draw::New { pool } => self.new_number(slot, pool),
            Draw::Rows => self.set(slot, "rows", &part.rows.max(1).to_string()),
            Draw::Skip { by } => self.set(slot, "skipped", &by.unwrap_or_default().to_string()),
            Draw::Any if part.take_zero.get(parameter - 1) == Some(&true) => {
                self.set(slot, "zero", "0")
            }
            Draw::Any | Draw::Constant(_) | Draw::Period { .. } | Draw::NoTime => {
                NOTHING.to_owned()
            }
        }
    }

    fn value(&mut self, own: Option<usize>, row: &Row, column: usize) -> String {
        let mut row = row.clone();
        if let Some(choice) = self.choices.get(&row.pool) {
            row.pool = row.pool.choosing(choice.clone());
        }
        let Some((pool, made)) = self.pools.get(&row.pool) else {
            return String::new();
        };
        self.read.insert(row.pool.clone());
        let is_integer = made.are_integers.get(column) == Some(&true);
        let hint = made.names.get(column).cloned().unwrap_or_default();
        let slot = Slot::Value(own, row.clone(), column);
        let expression = if made.is_range {
            format!("random(pool('{pool}', 1, 1), pool('{pool}', 1, 2))")
        } else {
            let slot = Slot::Row(own, row.clone());
            let drawn = match row.pool.choice {
                Choice::Neighbours => self.next_row(&slot, pool),
                _ => format!("random(1, pool_rows('{pool}'))"),
            };
            let row = self.set(slot, &format!("{pool}_row"), &drawn);
            format!("pool('{pool}', {row}, {})", column + 1)
        };
        let name = self.set(slot, &hint, &expression);
        match is_integer {
            true => name,
            // In simple mode, too, it is a value.
            false => format!(":'{}'", &name[1..]),
        }
    }

    /// The row after the last one that this client had, whichever script it was for; the first one after the last.
    fn next_row(&mut self, slot: &Slot, pool: &str) -> String {
        let last = format!("pgperf_{pool}");
        if !self.names.contains_key(slot) {
            self.lines.push(format!(
                "\\set {last} CASE WHEN :{{?{last}}} THEN :{last} % pool_rows('{pool}') + 1 ELSE 1 END"
            ));
        }
        format!(":{last}")
    }

    /// A number above the largest one that the session has found, and of this client alone, whichever that was: clients differ in the
    /// remainder, and a warm-up and what is measured. The next one follows from the last, which a new session of the client still knows.
    fn new_number(&mut self, slot: Slot, key: &PoolKey) -> String {
        let Some((pool, made)) = self.pools.get(key) else {
            return String::new();
        };
        self.read.insert(key.clone());
        let last = format!("pgperf_{pool}");
        let step = "2 * :pgperf_clients";
        self.lines.push(format!(
            "\\set {last} {step} + CASE WHEN :{{?{last}}} THEN :{last} \
             ELSE pool('{pool}', 1, 1) / ({step}) * {step} + 2 * :client_id + :pgperf_part % 2 END"
        ));
        let hint = made.names.first().cloned().unwrap_or_default();
        self.set(slot, &hint, &format!(":{last}"))
    }

    /// Gives the variable of a slot its value, unless it has one.
    fn set(&mut self, slot: Slot, hint: &str, expression: &str) -> String {
        if let Some(name) = self.names.get(&slot) {
            return format!(":{name}");
        }
        let name = fresh(hint, &mut self.taken);
        self.lines.push(format!("\\set {name} {expression}"));
        self.names.insert(slot, name.clone());
        format!(":{name}")
    }
}

/// A name that no other thing has: letters, digits and underscores of the one that is asked for.
pub fn fresh(hint: &str, taken: &mut BTreeSet<String>) -> String {
    let letters = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let mut base: String = hint.chars().map(letters).collect();
    if !base.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        base.insert(0, 'v');
    }
    let numbered = (2..).map(|number| format!("{base}_{number}"));
    let mut all = std::iter::once(base.clone()).chain(numbered);
    let name = all.find(|name| !taken.contains(name)).unwrap_or(base);
    taken.insert(name.clone());
    name
}

#[cfg(test)]
mod tests;
