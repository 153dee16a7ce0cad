//! A fleet as a report: a table of the nodes, then each with its findings, its figures over time and the call of its own report.

use super::{Fleet, NodeState, Seen};
use crate::history::findings::Finding;
use crate::history::findings::shown::{in_words, one_line_of};
use crate::history::glance::{self, cards};
use crate::pg::sql::quote::quote_literal;
use crate::show::blocks::{Block, Column, Listing, Report, Topic, figure, name};
use crate::show::charts::Clock;
use crate::show::number::{Unit, duration};
use crate::show::section::page::Axis;
use crate::show::span::Span;
use crate::show::text::{count, moment};
use maud::html;

/// The findings of a node that are named.
const NAMED: usize = 3;

/// The report.
pub fn report(fleet: &Fleet) -> Report {
    let title = match &fleet.group_name {
        Some(group_name) => format!("Fleet, group {group_name}"),
        None => "Fleet".to_owned(),
    };
    let span = &fleet.window.span;
    let times = format!(
        "{} to {} ({}), {}",
        moment(&span.from),
        moment(&span.to),
        duration(span.seconds),
        count(fleet.nodes.len() as i64, "node")
    );
    let notes = notes(fleet);
    let mut topics = vec![Topic::new(
        "nodes",
        "Nodes",
        vec![Block::Table(Listing::of(&fleet.nodes, columns(fleet)))],
    )];
    topics.extend(
        (1..)
            .zip(&fleet.nodes)
            .map(|(no, node)| topic(no, node, span)),
    );
    Report {
        header: html! {
            p class="kind" { "Window of the history" }
            h1 { (title) }
            p class="what" { (times) }
            @for note in &notes { p class="warning" { (note) } }
        },
        name: format!("{title}, {}", moment(&span.from)),
        title,
        summary: std::iter::once(times).chain(notes).collect(),
        topics,
    }
}

fn notes(fleet: &Fleet) -> Vec<String> {
    let mut notes = Vec::new();
    if fleet.nodes.is_empty() {
        notes.push("No node has samples in this window.".to_owned());
    }
    let former =
        (fleet.former.iter()).map(|(name, last_at)| format!("{name} ({})", moment(last_at)));
    let former: Vec<String> = former.collect();
    if !former.is_empty() {
        notes.push(format!(
            "Without samples since long before the window: {}.",
            former.join(", ")
        ));
    }
    notes
}

fn columns(fleet: &Fleet) -> Vec<Column<'static, NodeState>> {
    let of =
        |head: &str, name: &'static str| seen(head, move |seen| Some(seen.figure(name)?.short()));
    let mut columns = vec![name("node", |node: &NodeState| node.name.clone())];
    if fleet.group_name.is_none() {
        let group = |node: &NodeState| node.group_name.clone().unwrap_or_default();
        columns.push(name("group", group).of_pages());
    }
    columns.extend([
        name("findings", |node: &NodeState| match &node.seen {
            Ok(seen) => counts(seen),
            Err(_) => "no samples".to_owned(),
        }),
        of("active", glance::LOAD),
        of("commits/s", "transactions").of_pages(),
        of("growth", glance::GROWTH),
        seen("bloat", |seen| Some(Unit::Bytes.write(seen.bloat_bytes?))),
        of("WAL", "wal").of_pages(),
        of("oldest xid", "horizon"),
        seen("ids last", |seen| Some(duration(seen.ids_left_s?))),
        of("lag", "replication_lag"),
    ]);
    columns
}

/// A column of figures of nodes that have samples.
fn seen(
    head: &str,
    value: impl Fn(&Seen) -> Option<String> + 'static,
) -> Column<'static, NodeState> {
    figure(head, move |node: &NodeState| {
        value(node.seen.as_ref().ok()?)
    })
}

/// How many findings there are, in a few words.
fn counts(seen: &Seen) -> String {
    in_words(&seen.findings).unwrap_or_else(|| "none".to_owned())
}

fn topic(no: usize, node: &NodeState, span: &Span) -> Topic {
    let id = format!("node-{no}");
    let blocks = match &node.seen {
        Err(last_at) => vec![Block::Remark(format!(
            "No samples in this window; the last one was taken at {}.",
            moment(last_at)
        ))],
        Ok(seen) => blocks(node, seen, span),
    };
    Topic::new(id, node.name.clone(), blocks)
}

fn blocks(node: &NodeState, seen: &Seen, span: &Span) -> Vec<Block> {
    let axis = Axis {
        clock: Clock::at(&span.from),
        at_least: Some((0.0, span.seconds)),
        ..Axis::default()
    };
    let wholes: Vec<&Finding> = Finding::wholes(&seen.findings).collect();
    let mut blocks: Vec<Block> = (wholes.iter().take(NAMED))
        .map(|finding| Block::Remark(one_line_of(finding)))
        .collect();
    if let Some(more) = wholes.len().checked_sub(NAMED).filter(|more| *more > 0) {
        blocks.push(Block::Remark(format!(
            "and {}",
            count(more as i64, "more finding")
        )));
    }
    blocks.push(Block::Page(cards(&seen.glance, &axis)));
    blocks.push(Block::Code(format!(
        "SELECT pgperf.history_html('{}',\n                           '{}',\n                           node => {});",
        moment(&span.from),
        moment(&span.to),
        quote_literal(&node.name)
    )));
    blocks
}
