//! The 22 queries (TPC-H 2.4) as scripts: each draws its parameters, then has one statement. Query 15 is the variant with a
//! common table expression. Queries of which only the first rows are required have a LIMIT.
//!
//! They are sent with their values as literals, in any query mode of the run: a plan for other values would measure something
//! else.

use super::parameters::{PARAMETERS, Parameter};
use crate::workload::scripts::ScriptSpec;

/// A query that a timeout cancels fails; its stream goes on.
pub(super) const CANCELED: &str = "57014";

const TEXTS: [&str; 22] = [
    include_str!("queries/q01.sql"),
    include_str!("queries/q02.sql"),
    include_str!("queries/q03.sql"),
    include_str!("queries/q04.sql"),
    include_str!("queries/q05.sql"),
    include_str!("queries/q06.sql"),
    include_str!("queries/q07.sql"),
    include_str!("queries/q08.sql"),
    include_str!("queries/q09.sql"),
    include_str!("queries/q10.sql"),
    include_str!("queries/q11.sql"),
    include_str!("queries/q12.sql"),
    include_str!("queries/q13.sql"),
    include_str!("queries/q14.sql"),
    include_str!("queries/q15.sql"),
    include_str!("queries/q16.sql"),
    include_str!("queries/q17.sql"),
    include_str!("queries/q18.sql"),
    include_str!("queries/q19.sql"),
    include_str!("queries/q20.sql"),
    include_str!("queries/q21.sql"),
    include_str!("queries/q22.sql"),
];

/// How many queries there are.
pub(super) const QUERIES: usize = TEXTS.len();

/// The scripts in the order of their numbers; `validation`: with the parameters for which there are published answers.
pub(super) fn scripts(validation: bool) -> Vec<ScriptSpec> {
    let set = |parameter: &Parameter| {
        let value = match validation {
            true => parameter.validation.to_owned(),
            false => parameter.drawn(),
        };
        format!("\\set {} {value}\n", parameter.name)
    };
    let script = |(i, text): (usize, &&str)| {
        let draws: String = PARAMETERS[i].iter().map(set).collect();
        ScriptSpec {
            simple: true,
            survives: vec![CANCELED.to_owned()],
            ..ScriptSpec::new(&name(i + 1), &format!("{draws}{text}"), 1)
        }
    };
    TEXTS.iter().enumerate().map(script).collect()
}

/// The name of a query's script.
pub(super) fn name(number: usize) -> String {
    format!("q{number:02}")
}
