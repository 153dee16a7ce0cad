//! How a load distributes its tables over the nodes of Citus.

use super::data_set::{Action, Effect, Step};
use super::option::{Definition, Given, Kind, When};
use super::params::Params;
use crate::catalog::distributed::{Placement, PlacementKind};
use crate::pg::sql::quote::{qualified, quote_literal};
use serde_json::{Map, Value};

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

/// Whether a load is told to distribute its tables, or not to; None: each stays as it is.
pub fn told(given: &Map<String, Value>) -> Option<bool> {
    given.get(NAME).and_then(Value::as_bool)
}

/// Whether a load with these parameters distributes tables.
pub fn is_in(params: &Params) -> bool {
    told(&params.options) == Some(true) || !params.distributed.is_empty()
}

/// The steps of a load, with what distributes the tables again that were distributed before.
pub fn keeping(mut steps: Vec<Step>, params: &Params) -> Vec<Step> {
    let again = params.distributed.iter();
    let again: Vec<String> = again
        .filter_map(|placement| distribute_again(placement, &params.schema))
        .collect();
    let creating = steps
        .iter_mut()
        .filter(|step| step.effect == Effect::Creates);
    for step in creating {
        step.actions.extend(Action::utilities(again.clone()));
    }
    steps
}

/// Unless the step has done it, or has not created this table.
fn distribute_again(placement: &Placement, schema: &str) -> Option<String> {
    let table = quote_literal(&qualified(schema, &placement.relation));
    let table = format!("pg_catalog.to_regclass({table})");
    let call = match (placement.kind, &placement.column) {
        (PlacementKind::Hash, Some(column)) => format!(
            "create_distributed_table({table}, {}, shard_count => {})",
            quote_literal(column),
            placement.shards
        ),
        (PlacementKind::Reference, _) => format!("create_reference_table({table})"),
        (PlacementKind::Single, _) => format!("create_distributed_table({table}, NULL)"),
        (PlacementKind::Managed, _) => format!("citus_add_local_table_to_metadata({table})"),
        (PlacementKind::Hash | PlacementKind::Other, _) => return None,
    };
    Some(format!(
        "SELECT pg_catalog.{call} WHERE {table} IS NOT NULL AND NOT EXISTS (\
            SELECT FROM pg_catalog.pg_dist_partition p WHERE p.logicalrelid OPERATOR(pg_catalog.=) {table})"
    ))
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

    #[test]
    fn tables_are_distributed_again_when_they_are_created() {
        let placement = |relation: &str, kind, column: Option<&str>| Placement {
            relation: relation.to_owned(),
            kind,
            column: column.map(str::to_owned),
            shards: 8,
        };
        let params = Params {
            schema: "my schema".to_owned(),
            distributed: vec![
                placement("t", PlacementKind::Hash, Some("it's")),
                placement("u", PlacementKind::Reference, None),
                placement("v", PlacementKind::Other, None),
            ],
            ..Params::default()
        };
        let step = |effect| Step::new("", effect, Vec::new());
        let steps = [Effect::Drops, Effect::Creates, Effect::Fills].map(step);
        let steps = keeping(steps.to_vec(), &params);
        let counts: Vec<usize> = steps.iter().map(|step| step.actions.len()).collect();
        assert_eq!(counts, [0, 2, 0]);
        let Action::Execute(statement) = &steps[1].actions[0] else {
            panic!("{:?}", steps[1].actions)
        };
        let table = "pg_catalog.to_regclass('\"my schema\".\"t\"')";
        let call = format!(
            "SELECT pg_catalog.create_distributed_table({table}, 'it''s', shard_count => 8) WHERE {table} IS NOT NULL"
        );
        assert!(statement.sql.starts_with(&call), "{}", statement.sql);
    }
}
