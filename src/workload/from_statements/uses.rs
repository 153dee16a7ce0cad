//! What a statement does with each of its parameters, found in its tree.

use super::tree::Node;
use std::collections::{BTreeMap, BTreeSet};

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
    /// Written to a column.
    Written(Column),
    /// Added to a column, or the like, which is then written.
    Added(Column),
    /// How many rows are wanted.
    Limit,
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
    /// Of an INSERT: the columns whose values are parameters or constants.
    pub given: BTreeSet<i16>,
    /// Of an INSERT: the other columns that get a value.
    pub computed: BTreeSet<i16>,
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
        let mut walk = Walk {
            uses: &mut uses,
            scopes: Vec::new(),
            places: Vec::new(),
        };
        walk.query(tree);
        uses
    }

    fn collect(&mut self, node: &Node) {
        for (name, value) in node.fields() {
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
            Use::Compared { .. } | Use::Listed { .. } => 0,
            Use::Written(_) => 1,
            Use::Added(_) | Use::Limit => 2,
            Use::Unknown(_) => 3,
            Use::Output => 4,
        };
        let known = self.parameters.get(&parameter);
        if known.is_none_or(|known| rank(&found) < rank(known)) {
            self.parameters.insert(parameter, found);
        }
    }
}

struct Walk<'n, 'u> {
    uses: &'u mut Uses,
    /// The queries around, the innermost last.
    scopes: Vec<&'n Node>,
    /// The range table entries that have been met, by their place in memory.
    places: Vec<*const Node>,
}

impl<'n> Walk<'n, '_> {
    fn query(&mut self, query: &'n Node) {
        self.scopes.push(query);
        let target = query.number("resultRelation");
        let written = query.list("rtable").get((target - 1).max(0) as usize);
        let target = written.filter(|_| target > 0);
        let relation = target.map_or(0, |entry| entry.number("relid") as u32);
        if self.scopes.len() == 1 {
            self.uses.target = target.map(|_| relation);
        }
        for entry in query.list("targetList") {
            self.target_entry(query, relation, entry);
        }
        for name in ["limitCount", "limitOffset"] {
            match (name, parameter(query.field(name))) {
                ("limitCount", Some(number)) => self.uses.add(number, Use::Limit),
                (_, Some(number)) => self.unknown(number, "is an OFFSET"),
                (_, None) => self.visit(query.field(name)),
            }
        }
        for (name, value) in query.fields() {
            if !["targetList", "limitCount", "limitOffset"].contains(&name.as_str()) {
                self.visit(value);
            }
        }
        self.scopes.pop();
    }

    fn target_entry(&mut self, query: &'n Node, relation: u32, entry: &'n Node) {
        let expression = entry.field("expr");
        let column = Column {
            place: 0,
            relation,
            number: entry.number("resno") as i16,
        };
        let is_top = self.scopes.len() == 1;
        match query.number("commandType") {
            3 if relation > 0 => {
                let values = self.values_of(query, expression);
                for value in &values {
                    match parameter(value) {
                        Some(number) => self.uses.add(number, Use::Written(column)),
                        None => self.visit(value),
                    }
                    if is_top && (parameter(value).is_some() || strip(value).is("CONST")) {
                        self.uses.given.insert(column.number);
                    } else if is_top {
                        self.uses.computed.insert(column.number);
                    }
                }
            }
            2 if relation > 0 => match parameter(expression) {
                Some(number) => self.uses.add(number, Use::Written(column)),
                None => self.arithmetic(expression, column),
            },
            _ => self.output(expression),
        }
    }

    /// A column of a result. One that is given in place of NULL counts as well.
    fn output(&mut self, expression: &'n Node) {
        if let Some(number) = parameter(expression) {
            return self.uses.add(number, Use::Output);
        }
        match strip(expression) {
            inner if inner.tag().starts_with("COALESCE") => {
                for argument in inner.list("args") {
                    self.output(argument);
                }
            }
            _ => self.visit(expression),
        }
    }

    /// The values of a column of an INSERT: one, or those of all rows of VALUES.
    fn values_of(&self, query: &'n Node, expression: &'n Node) -> Vec<&'n Node> {
        let variable = strip(expression);
        if variable.is("VAR") {
            let entries = query.list("rtable");
            let entry = entries.get((variable.number("varno") - 1).max(0) as usize);
            let entry = entry.filter(|entry| entry.number("rtekind") == 5);
            let column = (variable.number("varattno") - 1).max(0) as usize;
            if let Some(entry) = entry {
                let rows = entry.list("values_lists").iter();
                return rows.filter_map(|row| row.elements().get(column)).collect();
            }
        }
        vec![expression]
    }

    /// What an UPDATE computes: a parameter beside a column is added to it.
    fn arithmetic(&mut self, expression: &'n Node, target: Column) {
        let inner = strip(expression);
        let [left, right] = inner.list("args") else {
            return self.visit(expression);
        };
        let found = match (parameter(left), parameter(right)) {
            (None, Some(number)) if inner.is("OPEXPR") && self.column(left).is_some() => number,
            (Some(number), None) if inner.is("OPEXPR") && self.column(right).is_some() => number,
            _ => return self.visit(expression),
        };
        self.uses.add(found, Use::Added(target));
    }

    /// Any part of a tree.
    fn visit(&mut self, node: &'n Node) {
        match node.tag() {
            "QUERY" => return self.query(node),
            "PARAM" => {
                if let Some(number) = parameter(node) {
                    self.unknown(number, "is not compared with a column");
                }
                return;
            }
            "OPEXPR" if node.number("opresulttype") == BOOLEAN => {
                if let [left, right] = node.list("args") {
                    let operator = node.number("opno") as u32;
                    if self.compared(left, right, operator, false)
                        || self.compared(right, left, operator, true)
                    {
                        return;
                    }
                }
            }
            "SCALARARRAYOPEXPR" if self.listed(node) => return,
            _ => {}
        }
        node.children().for_each(|child| self.visit(child));
    }

    /// A comparison of a column with a parameter, perhaps one to which something constant is added.
    fn compared(
        &mut self,
        side: &'n Node,
        other: &'n Node,
        operator: u32,
        column_is_right: bool,
    ) -> bool {
        let Some(column) = self.column(side) else {
            return false;
        };
        let other = strip(other);
        let number = match (parameter(other), other.list("args")) {
            (Some(number), _) => Some(number),
            (None, [value, offset]) if other.is("OPEXPR") && strip(offset).is("CONST") => {
                parameter(value)
            }
            _ => None,
        };
        if let Some(number) = number {
            let found = Use::Compared {
                column,
                operator,
                column_is_right,
            };
            self.uses.add(number, found);
        }
        number.is_some()
    }

    fn listed(&mut self, node: &'n Node) -> bool {
        let [side, list] = node.list("args") else {
            return false;
        };
        let Some(column) = self.column(side) else {
            return false;
        };
        let operator = node.number("opno") as u32;
        let list = strip(list);
        if let Some(number) = parameter(list) {
            self.unknown(number, "is an array of unknown length");
            return true;
        }
        for element in list.list("elements") {
            match parameter(element) {
                Some(number) => self.uses.add(number, Use::Listed { column, operator }),
                None => self.visit(element),
            }
        }
        list.is("ARRAYEXPR")
    }

    fn unknown(&mut self, parameter: usize, reason: &str) {
        let reason = format!("parameter ${parameter} {reason}");
        self.uses.add(parameter, Use::Unknown(reason));
    }

    /// The column of a table that an expression is, perhaps with a cast.
    fn column(&mut self, expression: &'n Node) -> Option<Column> {
        let depth = self.scopes.len();
        self.resolve(expression, depth)
    }

    fn resolve(&mut self, expression: &'n Node, depth: usize) -> Option<Column> {
        let variable = strip(expression);
        if !variable.is("VAR") {
            return None;
        }
        let depth = depth.checked_sub(variable.number("varlevelsup").max(0) as usize)?;
        let query = *self.scopes.get(depth.checked_sub(1)?)?;
        let at = |number: i64| usize::try_from(number - 1).ok();
        let entry = query.list("rtable").get(at(variable.number("varno"))?)?;
        let column = variable.number("varattno");
        match entry.number("rtekind") {
            RELATION if column > 0 => Some(Column {
                place: self.place(entry),
                relation: entry.number("relid") as u32,
                number: column as i16,
            }),
            SUBQUERY => {
                let inner = entry.field("subquery");
                let target = inner.list("targetList").get(at(column)?)?;
                let around = self.scopes.clone();
                self.scopes.truncate(depth);
                self.scopes.push(inner);
                let found = self.resolve(target.field("expr"), depth + 1);
                self.scopes = around;
                found
            }
            JOIN => self.resolve(entry.list("joinaliasvars").get(at(column)?)?, depth),
            GROUP => self.resolve(entry.list("groupexprs").get(at(column)?)?, depth),
            _ => None,
        }
    }

    /// The number of a range table entry, from 1.
    fn place(&mut self, entry: &'n Node) -> usize {
        let pointer: *const Node = entry;
        let known = self.places.iter().position(|place| *place == pointer);
        1 + known.unwrap_or_else(|| {
            self.places.push(pointer);
            self.places.len() - 1
        })
    }
}

/// `RTEKind` of the server.
const RELATION: i64 = 0;
const SUBQUERY: i64 = 1;
const JOIN: i64 = 2;
const GROUP: i64 = 9;
/// The oid of the type.
const BOOLEAN: i64 = 16;

/// An expression without casts.
fn strip(node: &Node) -> &Node {
    match node.tag() {
        "RELABELTYPE" | "COERCEVIAIO" | "COLLATEEXPR" | "COLLATE" | "COERCETODOMAIN" => {
            strip(node.field("arg"))
        }
        // 1: an explicit cast, 2: an implicit one. The others of its arguments are the length and the like.
        "FUNCEXPR" if matches!(node.number("funcformat"), 1 | 2) => match node.list("args") {
            [first, ..] => strip(first),
            [] => node,
        },
        _ => node,
    }
}

/// The number of the parameter that an expression is, perhaps with a cast.
fn parameter(node: &Node) -> Option<usize> {
    let node = strip(node);
    let is_parameter = node.is("PARAM") && node.number("paramkind") == 0;
    is_parameter.then(|| node.number("paramid").max(0) as usize)
}

#[cfg(test)]
mod tests;
