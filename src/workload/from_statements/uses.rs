//! What a statement does with each of its parameters, found in its tree.

mod expression;
mod walk;

use super::tree::Node;
use std::collections::{BTreeMap, BTreeSet};
use walk::Walk;

/// A column of a table in a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Column {
    /// Which of the tables of the statement, since one may be there twice; 0 is the one that is written.
    pub place: usize,
    pub relation: u32,
    pub number: i16,
}

/// The use of a parameter.
#[derive(Debug, Clone, PartialEq)]
pub enum Use {
    /// Compared with a column. Of `value < column`, the column is on the right.
    Compared {
        column: Column,
        operator: u32,
        column_is_right: bool,
    },
    /// An element of a list that a column is compared with.
    Listed { column: Column, operator: u32 },
    /// An array that a column is compared with, of any length.
    Array { column: Column, operator: u32 },
    /// Compared with a column, but it chooses no rows: a CASE in a result or in what an UPDATE computes.
    Chosen(Column),
    /// Added to a parameter that a column is compared with, or to anything in a result, or the like.
    Offset { operator: u32, is_interval: bool },
    /// A number in what is compared with something computed: which one decides about the rows.
    Operand,
    /// A length of time in it.
    Period,
    /// A number that a function in a result or in what is written takes.
    Argument {
        function: u32,
        written: Option<Column>,
    },
    /// Written to a column.
    Written(Column),
    /// Added to a column, or the like, which is then written.
    Added { target: Column, operator: u32 },
    /// How many rows are wanted.
    Limit,
    /// How many rows are skipped.
    Skip,
    /// A LIMIT of a subquery whose rows are counted or the like, so that a call does not tell.
    InnerLimit,
    /// A column of the result.
    Output,
    /// Nothing that a value follows from: why.
    Unknown(String),
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Command {
    #[default]
    Select,
    Insert,
    Update,
    Delete,
    Merge,
}

/// What is known of a statement.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Uses {
    pub command: Command,
    /// It writes, or locks rows as if it would.
    pub writes: bool,
    /// By number.
    pub parameters: BTreeMap<usize, Use>,
    /// The tables and views.
    pub relations: BTreeSet<u32>,
    /// The functions, those of operators and aggregates too.
    pub functions: BTreeSet<u32>,
    /// The types that are not built in, of what is computed and of columns.
    pub types: BTreeSet<u32>,
    pub column_types: BTreeSet<u32>,
    /// Of an INSERT: the columns whose values are parameters or constants.
    pub given: BTreeSet<i16>,
    /// Of an INSERT: the other columns that get a value.
    pub computed: BTreeSet<i16>,
    /// The columns that get a value with a parameter in it.
    pub from_parameters: BTreeSet<i16>,
    /// The table that is written.
    pub target: Option<u32>,
    /// A key that is there is no error.
    pub resolves_conflicts: bool,
    /// Each row of its only table that fits is a row of the result.
    pub returns_rows_as_they_are: bool,
}

impl Uses {
    /// Of the tree of a statement after rewriting.
    pub fn of(tree: &Node) -> Uses {
        let mut uses = Uses::default();
        uses.collect(tree);
        uses.command = match tree.number("commandType") {
            2 => Command::Update,
            3 => Command::Insert,
            4 => Command::Delete,
            5 => Command::Merge,
            _ => Command::Select,
        };
        uses.writes |= uses.command != Command::Select;
        uses.resolves_conflicts = tree.field("onConflict") != &Node::Nothing;
        let fields = [
            "groupClause",
            "distinctClause",
            "limitCount",
            "setOperations",
        ];
        uses.returns_rows_as_they_are =
            fields.iter().all(|name| tree.field(name) == &Node::Nothing)
                && !tree.holds("hasAggs")
                && !tree.holds("hasTargetSRFs")
                && tree.field("jointree").list("fromlist").len() == 1
                && tree.field("jointree").list("fromlist")[0].is("RANGETBLREF");
        Walk::through(tree, &mut uses);
        uses
    }

    fn collect(&mut self, node: &Node) {
        let is_column = node.is("VAR") && node.number("varattno") != 0;
        for (name, value) in node.fields() {
            let name_of_type = name.to_ascii_lowercase();
            if name_of_type.contains("typ") && !name_of_type.ends_with("typmod") {
                let types = match is_column {
                    true => &mut self.column_types,
                    false => &mut self.types,
                };
                types.extend(own_types(value));
            }
            let Node::Atom(value) = value else { continue };
            let oid: u32 = value.parse().unwrap_or_default();
            match name.as_str() {
                "funcid" | "opfuncid" | "aggfnoid" | "winfnoid" if oid > 0 => {
                    self.functions.insert(oid);
                }
                "relid" if oid > 0 => {
                    self.relations.insert(oid);
                }
                "hasForUpdate" | "hasModifyingCTE" => self.writes |= value == "true",
                _ => {}
            }
        }
        node.children().for_each(|child| self.collect(child));
    }

    /// The first use that says most counts.
    fn add(&mut self, parameter: usize, found: Use) {
        let rank = |it: &Use| match it {
            Use::Compared { .. } | Use::Listed { .. } | Use::Array { .. } => 0,
            Use::Written(_) | Use::Chosen(_) => 1,
            Use::Added { .. }
            | Use::Offset { .. }
            | Use::Operand
            | Use::Period
            | Use::Argument { .. }
            | Use::Limit
            | Use::InnerLimit
            | Use::Skip => 2,
            Use::Unknown(_) => 3,
            Use::Output => 4,
        };
        let known = self.parameters.get(&parameter);
        if known.is_none_or(|known| rank(&found) < rank(known)) {
            self.parameters.insert(parameter, found);
        }
    }
}

/// Those of a field, which has one or a list of them.
fn own_types(field: &Node) -> impl Iterator<Item = u32> {
    let one = std::slice::from_ref(field);
    let all = match field {
        Node::List(elements) => elements,
        _ => one,
    };
    let oids = all.iter().filter_map(|node| match node {
        Node::Atom(text) => text.parse().ok(),
        _ => None,
    });
    oids.filter(|oid| *oid >= FIRST_OWN_OID)
}

/// `FirstNormalObjectId`
const FIRST_OWN_OID: u32 = 16_384;

#[cfg(test)]
mod tests;
