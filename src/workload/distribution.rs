//! How a load distributes its tables over the nodes of Citus.

use super::data_set::Action;
use super::option::{Definition, Given, Kind, When};
use super::params::Params;
use crate::pg::sql::quote::quote_literal;
use serde_json::Value;

const NAME: &str = "distribute";

/// The option of the families that know how.
pub const OPTION: Definition = Definition {
    name: NAME,
    kind: Kind::Boolean,
    default: Given::Boolean(false),
    when: When::Load,
    doc: "distribute the tables over the nodes of Citus",
};

/// Where the rows of a table are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In shards, by the hash of this column. Tables whose columns are of one type have the rows of one value on one node.
    By(&'static str),
    /// All of them on each node: a reference table.
    Everywhere,
}

/// Whether a load with these options distributes its tables.
pub fn is_wanted(params: &Params) -> bool {
    params.options.get(NAME).and_then(Value::as_bool) == Some(true)
}

/// What distributes these empty tables, whose names are qualified.
pub(super) fn actions(tables: impl IntoIterator<Item = (String, Place)>) -> Vec<Action> {
    let statement = |(table, place): (String, Place)| {
        let table = quote_literal(&table);
        match place {
            Place::By(column) => {
                let column = quote_literal(column);
                format!("SELECT pg_catalog.create_distributed_table({table}, {column})")
            }
            Place::Everywhere => format!("SELECT pg_catalog.create_reference_table({table})"),
        }
    };
    Action::utilities(tables.into_iter().map(statement).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted() {
        let tables = [
            ("\"it's\".t".to_owned(), Place::By("id")),
            ("s.u".to_owned(), Place::Everywhere),
        ];
        let sql: Vec<String> = actions(tables)
            .into_iter()
            .map(|action| match action {
                Action::Execute(statement) => statement.sql,
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(
            sql,
            [
                "SELECT pg_catalog.create_distributed_table('\"it''s\".t', 'id')",
                "SELECT pg_catalog.create_reference_table('s.u')",
            ]
        );
    }
}
