//! The way through the tree of a statement, on which its parameters are met.

use super::super::tree::Node;
use super::{Column, Use, Uses};

/// See the module.
pub struct Walk<'n, 'u> {
    uses: &'u mut Uses,
    /// Whether a comparison here chooses rows.
    chooses_rows: bool,
    /// The queries around, the innermost last.
    scopes: Vec<&'n Node>,
    /// The range table entries that have been met, by their place in memory.
    places: Vec<*const Node>,
}

impl<'n, 'u> Walk<'n, 'u> {
    /// Adds the uses in the tree of a statement.
    pub fn through(tree: &'n Node, uses: &'u mut Uses) {
        let mut walk = Walk {
            uses,
            chooses_rows: true,
            scopes: Vec::new(),
            places: Vec::new(),
        };
        walk.query(tree);
    }

    fn query(&mut self, query: &'n Node) {
        let chose_rows = std::mem::replace(&mut self.chooses_rows, false);
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
        self.chooses_rows = true;
        let (count, offset) = (query.field("limitCount"), query.field("limitOffset"));
        match parameter(count) {
            Some(number) => {
                let limit = self.limit();
                self.uses.add(number, limit);
            }
            None => self.visit(count),
        }
        match parameter(offset) {
            Some(number) => self.uses.add(number, Use::Skip),
            None => self.visit(offset),
        }
        for (name, value) in query.fields() {
            if !["targetList", "limitCount", "limitOffset"].contains(&name.as_str()) {
                self.visit(value);
            }
        }
        self.scopes.pop();
        self.chooses_rows = chose_rows;
    }

    /// The LIMIT of the innermost query.
    fn limit(&self) -> Use {
        let around = self.scopes.split_last().map_or(&[][..], |(_, rest)| rest);
        let is_summed = |query: &&Node| {
            query.holds("hasAggs")
                || query.field("groupClause") != &Node::Nothing
                || query.field("distinctClause") != &Node::Nothing
        };
        match around.iter().any(is_summed) {
            true => Use::InnerLimit,
            false => Use::Limit,
        }
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
            2 if relation > 0 => self.arithmetic(expression, column),
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

    /// What an UPDATE computes: a parameter beside a column is added to it, one that a CASE chooses is written.
    fn arithmetic(&mut self, expression: &'n Node, target: Column) {
        let inner = strip(expression);
        if let Some(number) = parameter(inner) {
            return self.uses.add(number, Use::Written(target));
        }
        // 15 has shorter names.
        if matches!(inner.tag(), "CASE" | "CASEEXPR") {
            self.visit(inner.field("arg"));
            for arm in inner.list("args") {
                self.visit(arm.field("expr"));
                self.arithmetic(arm.field("result"), target);
            }
            return self.arithmetic(inner.field("defresult"), target);
        }
        match inner.list("args") {
            [left, right] if inner.is("OPEXPR") && (has_column(left) || has_column(right)) => {
                for side in [left, right] {
                    match parameter(side) {
                        Some(number) => self.uses.add(number, Use::Added(target)),
                        None => self.arithmetic(side, target),
                    }
                }
            }
            _ => self.visit(expression),
        }
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
            (None, [value, offset]) if other.is("OPEXPR") && is_number(strip(offset)) => {
                let operator = other.number("opno") as u32;
                let added = parameter(offset).filter(|_| parameter(value).is_some());
                if let Some(added) = added {
                    self.uses.add(added, Use::Offset { operator });
                }
                added.and(parameter(value))
            }
            _ => None,
        };
        if let Some(number) = number {
            let found = match self.chooses_rows {
                true => Use::Compared {
                    column,
                    operator,
                    column_is_right,
                },
                false => Use::Chosen(column),
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
            match self.chooses_rows {
                true => self.uses.add(number, Use::Array { column, operator }),
                false => self.unknown(number, "is an array in a result"),
            }
            return true;
        }
        for element in list.list("elements") {
            match parameter(element) {
                Some(number) if !self.chooses_rows => self.uses.add(number, Use::Chosen(column)),
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
/// Those of int2, int4, int8, float4, float8 and numeric.
const NUMBERS: [i64; 6] = [21, 23, 20, 700, 701, 1700];

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

/// Whether a column is part of an expression, apart from subqueries.
fn has_column(node: &Node) -> bool {
    node.is("VAR") || !node.is("QUERY") && node.children().any(has_column)
}

/// A parameter whose type is a number, so that 0 added to it changes nothing.
fn is_number(node: &Node) -> bool {
    node.is("PARAM") && NUMBERS.contains(&node.number("paramtype"))
}
