//! The operations as scripts.

use super::data_set::FIELD_LENGTH;
use super::keys::{chosen, key_expression};
use super::options::{Distribution, YcsbOptions};
use crate::workload::params::Params;
use crate::workload::scripts::ScriptSpec;

/// What a transaction does.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operation {
    Read,
    Update,
    Insert,
    Scan,
    ReadModifyWrite,
}

impl Operation {
    fn name(self) -> &'static str {
        match self {
            Operation::Read => "read",
            Operation::Update => "update",
            Operation::Insert => "insert",
            Operation::Scan => "scan",
            Operation::ReadModifyWrite => "read-modify-write",
        }
    }

    /// Words in braces stand for expressions and what the options say.
    fn text(self) -> &'static str {
        match self {
            Operation::Read => include_str!("scripts/read.sql"),
            Operation::Update => include_str!("scripts/update.sql"),
            Operation::Insert => include_str!("scripts/insert.sql"),
            Operation::Scan => include_str!("scripts/scan.sql"),
            Operation::ReadModifyWrite => include_str!("scripts/read_modify_write.sql"),
        }
    }
}

/// The scripts of a workload. `own`: how it chooses records, unless the options say otherwise.
pub(super) fn scripts(
    params: &Params,
    own: Distribution,
    operations: &[(Operation, u32)],
) -> Vec<ScriptSpec> {
    // Options were checked before; those of a later version's data set cannot be read.
    let Ok(options) = YcsbOptions::of(params) else {
        return Vec::new();
    };
    let distribution = options.requestdistribution.unwrap_or(own);
    let newest = match distribution {
        Distribution::Latest => include_str!("scripts/newest.sql"),
        Distribution::Zipfian | Distribution::Uniform => "",
    };
    let number = chosen(distribution, &options, ":newest");
    let values = [
        ("{choose}", format!("{newest}\\set keynum {number}")),
        ("{key}", key_expression(options.insertorder, ":keynum")),
        (
            "{value}",
            format!("random_string('{}')", "@".repeat(FIELD_LENGTH)),
        ),
        ("{maxscanlength}", options.maxscanlength.to_string()),
    ];
    operations
        .iter()
        .map(|(operation, share)| {
            let text = operation.text().to_owned();
            let text = values
                .iter()
                .fold(text, |text, (word, value)| text.replace(word, value));
            ScriptSpec::new(operation.name(), &text, *share)
        })
        .collect()
}
