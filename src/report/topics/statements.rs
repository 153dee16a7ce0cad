//! The commands of a run's scripts, or the steps of a load.

use super::meta_commands::{self, time};
use crate::report::stored_run::{Facts, Statement};
use crate::show::blocks::{Block, Column, Listing, Topic, bar, code, count, name, percent, plain};
use crate::show::text::count as count_of;

const NOTE: &str = "Rows, blocks hit, read and dirtied, and bytes of WAL are per call; a commit's WAL belongs to END or COMMIT.";

/// What a page shows: the meta-commands, too, which are a line that opens.
pub fn all(facts: &Facts) -> Option<Topic> {
    if !facts.run.work().has_transactions {
        return topic(facts, facts.statements.iter().collect());
    }
    let folded = meta_commands::folded(&facts.statements);
    let mut topic = topic(facts, folded.iter().collect())?;
    let hidden = meta_commands::hidden(&facts.statements);
    if !hidden.is_empty() {
        let title = count_of(hidden.len() as i64, "meta-command");
        let folded = Block::Folded(title, listing(facts, &hidden));
        topic.blocks.push(folded);
    }
    Some(topic)
}

/// What a comment shows: SQL statements.
pub fn of_sql(facts: &Facts) -> Option<Topic> {
    let commands = facts.statements.iter();
    topic(facts, commands.filter(|command| command.is_sql).collect())
}

/// What a text shows: those that were counted. Of pgbench's output no more is known of the others than is above.
pub fn counted(facts: &Facts) -> Option<Topic> {
    let commands = facts.statements.iter();
    let is_shown = |command: &&Statement| command.is_sql && command.calls.is_some();
    topic(facts, commands.filter(is_shown).collect())
}

fn topic(facts: &Facts, commands: Vec<&Statement>) -> Option<Topic> {
    let is_counted = commands.iter().any(|it| it.shared_blks_hit.is_some());
    let note = is_counted.then(|| Block::Remark(NOTE.to_owned()));
    let table = listing(facts, &commands);
    Topic::of_rows("statements", facts.run.work().commands, table, note)
}

fn listing(facts: &Facts, commands: &[&Statement]) -> Listing {
    let all: f64 = facts.statements.iter().map(time).sum();
    let share = |command: &Statement| (all > 0.0).then(|| 100.0 * time(command) / all);
    let several = facts.scripts.len() > 1;
    let any_failed = commands.iter().any(|it| it.failed > Some(0));
    let script = |command: &Statement| match several {
        true => command.script.clone(),
        false => String::new(),
    };
    let columns = vec![
        code("command", |command: &Statement| command.statement.clone()),
        name("script", script).of_pages(),
        percent("of all time", share).of_pages(),
        bar(share),
        count("calls", |command: &Statement| command.calls),
        plain("mean ms", |command: &Statement| command.latency_avg_ms),
        plain("p95 ms", |command: &Statement| command.latency_p95_ms),
        plain("p99 ms", |command: &Statement| command.latency_p99_ms),
        plain("max ms", |command: &Statement| command.latency_max_ms).of_pages(),
        plain("first byte ms", |command: &Statement| command.first_byte_ms),
        plain("receive ms", |command: &Statement| command.receive_ms),
        per_call("rows", |command| command.rows),
        per_call("hit", |command| command.shared_blks_hit),
        per_call("read", |command| command.shared_blks_read),
        per_call("dirtied", |command| command.shared_blks_dirtied),
        per_call("WAL bytes", |command| command.wal_bytes),
        count("failed", |it: &Statement| it.failed.filter(|_| any_failed)).of_pages(),
    ];
    Listing::of(commands.iter().copied(), columns)
}

fn per_call(head: &str, total: fn(&Statement) -> Option<i64>) -> Column<'_, Statement> {
    plain(head, move |command: &Statement| {
        let calls = command.calls.filter(|calls| *calls > 0)?;
        Some(total(command)? as f64 / calls as f64)
    })
}
