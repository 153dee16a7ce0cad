//! The report as lines of text.

pub mod details;
pub mod load;
pub mod pgbench;
pub mod sysbench;
#[cfg(test)]
pub mod tests;

use super::call;
use super::stored_run::Facts;
use super::topics::{errors, identity};
use crate::show::text::{WIDTH, wrap, wrap_names};
use std::fmt::Display;

/// The whole report: pure formatting, no server. `unicode`: whether its reader can show more than ASCII.
///
/// pgbench's lines stay as pgbench would write them, and the call as it was made; the rest fits a terminal.
pub fn lines(facts: &Facts, unicode: bool) -> Vec<String> {
    let run = &facts.run;
    let mut paragraphs = (run.work().paragraphs)(facts, unicode);
    paragraphs.extend(errors::topic(&facts.errors).map(|topic| topic.lines()));
    let mut end = identity::cautions(facts);
    end.push(
        [vec![identity::title(run)], identity::server(run)]
            .concat()
            .join(", "),
    );
    let mut end = wrapped(end);
    let machine = facts.conditions.machine();
    end.extend(
        machine
            .iter()
            .flat_map(|machine| wrap_names(machine, WIDTH)),
    );
    let call = call::statement(run);
    end.extend(call.as_ref().map(|_| "to reproduce:".to_owned()));
    // Not indented: a script inside is to stay as it is.
    let calls = call::loads(run).chain(call);
    end.extend(calls.flat_map(|call| call.lines().map(str::to_owned).collect::<Vec<_>>()));
    paragraphs.push(end);
    paragraphs.retain(|lines| !lines.is_empty());
    paragraphs.join(&String::new())
}

/// A line with the name of a value; None: it is not known.
fn told(name: &str, value: Option<impl Display>) -> Option<String> {
    value.map(|value| format!("{name}: {value}"))
}

/// Sentences as lines of a terminal.
fn wrapped(sentences: impl IntoIterator<Item = String>) -> Vec<String> {
    let sentences = sentences.into_iter();
    sentences
        .flat_map(|sentence| wrap(&sentence, WIDTH))
        .collect()
}
