//! The way through the tree of a statement, on which its parameters are met.

use super::super::tree::Node;
use super::expression::{
    are_of_one_type, has_column, has_parameter, is_interval, is_number, is_text, parameter, strip,
    values_of,
};
use super::{Column, Use, Uses};

/// See the module.
pub struct Walk<'n, 'u> {
    uses: &'u mut Uses,
    /// Whether a comparison here chooses rows.
    chooses_rows: bool,
    /// The queries around, the innermost last.
    scopes: Vec<&'n Node>,
    /// The column that what is computed here is written to.
    written: Option<Column>,
    /// What the CASEs around compare, the innermost last.
    cases: Vec<&'n Node>,
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
            written: None,
            cases: Vec::new(),
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
        for entry in query.list("returningList") {
            self.output(entry.field("expr"));
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
            let visited = ["targetList", "returningList", "limitCount", "limitOffset"];
            if !visited.contains(&name.as_str()) {
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
        let command = query.number("commandType");
        let is_written = relation > 0 && matches!(command, 2 | 3);
        let around = std::mem::replace(&mut self.written, is_written.then_some(column));
        let values = values_of(query, expression);
        if is_written && is_top && values.iter().any(|value| has_parameter(value)) {
            self.uses.from_parameters.insert(column.number);
        }
        match command {
            3 if relation > 0 => {
                for value in &values {
                    match parameter(value) {
                        Some(number) => self.uses.add(number, Use::Written(column)),
                        None => self.output(value),
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
        self.written = around;
    }

    /// A column of a result, or a part of what is written. What is given in place of NULL, what a CASE chooses, and what is
    /// computed or joined count as well.
    fn output(&mut self, expression: &'n Node) {
        let inner = strip(expression);
        if let Some(number) = parameter(expression) {
            // Of other types nothing but NULL is known, which a column may refuse.
            return match self.written.is_some() && !is_number(inner) && !is_text(inner) {
                true => self.unknown(number, "is a part of what is written"),
                false => self.uses.add(number, Use::Output),
            };
        }
        let is_top = self.scopes.len() == 1;
        let arguments = inner.list("args");
        match inner.tag() {
            "CASE" | "CASEEXPR" => self.case(inner, &mut |walk, result| walk.output(result)),
            tag if tag.starts_with("COALESCE") => {
                arguments.iter().for_each(|argument| self.output(argument));
            }
            "OPEXPR" if inner.number("opresulttype") != BOOLEAN => {
                let operator = inner.number("opno") as u32;
                for argument in arguments {
                    match operand(argument) {
                        Some((number, is_interval)) if is_top => {
                            let found = Use::Offset {
                                operator,
                                is_interval,
                            };
                            self.uses.add(number, found);
                        }
                        // The queries around may choose rows by it.
                        Some((number, is_interval)) => self.uses.add(number, computed(is_interval)),
                        None => self.output(argument),
                    }
                }
            }
            // The number of rows may depend on a set.
            "FUNCEXPR" if is_top && !inner.holds("funcretset") => {
                let joins = JOINING.contains(&inner.number("funcid"));
                for argument in arguments {
                    match parameter(argument) {
                        Some(number) if is_number(strip(argument)) => {
                            let function = inner.number("funcid") as u32;
                            let written = self.written;
                            self.uses.add(number, Use::Argument { function, written });
                        }
                        // Of other functions, a text may choose what they do.
                        Some(number) if !joins => {
                            self.unknown(number, "is an argument of a function")
                        }
                        _ => self.output(argument),
                    }
                }
            }
            _ => self.visit(expression),
        }
    }

    /// A CASE; `result`: what to do with what it chooses.
    fn case(&mut self, case: &'n Node, result: &mut dyn FnMut(&mut Self, &'n Node)) {
        let compared = case.field("arg");
        self.visit(compared);
        self.cases.push(compared);
        for arm in case.list("args") {
            self.visit(arm.field("expr"));
            result(self, arm.field("result"));
        }
        self.cases.pop();
        result(self, case.field("defresult"));
    }

    /// What an UPDATE computes: a parameter beside a column is added to it, one that a CASE chooses is written.
    fn arithmetic(&mut self, expression: &'n Node, target: Column) {
        let inner = strip(expression);
        if let Some(number) = parameter(inner) {
            return self.uses.add(number, Use::Written(target));
        }
        // 15 has shorter names.
        if matches!(inner.tag(), "CASE" | "CASEEXPR") {
            return self.case(inner, &mut |walk, result| walk.arithmetic(result, target));
        }
        match inner.list("args") {
            [left, right] if inner.is("OPEXPR") && (has_column(left) || has_column(right)) => {
                let operator = inner.number("opno") as u32;
                for side in [left, right] {
                    match parameter(side) {
                        Some(number) => self.uses.add(number, Use::Added { target, operator }),
                        None => self.arithmetic(side, target),
                    }
                }
            }
            _ => self.output(expression),
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
                    if self.chooses_rows && self.scopes.len() == 1 {
                        self.operands(left);
                        self.operands(right);
                    }
                }
            }
            "CASE" | "CASEEXPR" => return self.case(node, &mut |walk, result| walk.visit(result)),
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
            (None, [value, offset]) if other.is("OPEXPR") => {
                let operator = other.number("opno") as u32;
                let added = operand(offset).filter(|_| parameter(value).is_some());
                added.and_then(|(added, is_interval)| {
                    let found = Use::Offset {
                        operator,
                        is_interval,
                    };
                    self.uses.add(added, found);
                    parameter(value)
                })
            }
            _ => None,
        };
        if let Some(number) = number {
            match self.chooses_rows {
                true => {
                    let found = Use::Compared {
                        column,
                        operator,
                        column_is_right,
                    };
                    self.uses.add(number, found);
                }
                // A value of the column may be none of another type: a document is no path in it.
                false if !are_of_one_type(side, parameter_of(other)) => {
                    self.unknown(number, "is of another type than the column beside it");
                }
                false => self.uses.add(number, Use::Chosen(column)),
            }
        }
        number.is_some()
    }

    /// The numbers and lengths of time that are computed with on a side of a comparison.
    fn operands(&mut self, side: &'n Node) {
        let side = strip(side);
        if side.is("OPEXPR") && side.number("opresulttype") != BOOLEAN {
            for argument in side.list("args") {
                match operand(argument) {
                    Some((number, is_interval)) => self.uses.add(number, computed(is_interval)),
                    None => self.operands(argument),
                }
            }
        }
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
        let variable = match strip(expression) {
            tested if tested.is("CASETESTEXPR") => strip(self.cases.last()?),
            other => other,
        };
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

/// Where something is added to a parameter, the parameter.
fn parameter_of(node: &Node) -> &Node {
    match (parameter(node), node.list("args")) {
        (None, [first, ..]) => first,
        _ => node,
    }
}

/// A parameter that is a number or a length of time, and whether it is the latter.
fn operand(node: &Node) -> Option<(usize, bool)> {
    let is_interval = is_interval(strip(node));
    let is_operand = is_interval || is_number(strip(node));
    Some((parameter(node).filter(|_| is_operand)?, is_interval))
}

/// What is computed with such a parameter decides about the rows.
fn computed(is_interval: bool) -> Use {
    match is_interval {
        true => Use::Period,
        false => Use::Operand,
    }
}

/// `RTEKind` of the server.
const RELATION: i64 = 0;
const SUBQUERY: i64 = 1;
const JOIN: i64 = 2;
const GROUP: i64 = 9;
/// The oid of the type.
const BOOLEAN: i64 = 16;
/// Those of the functions concat and concat_ws.
const JOINING: [i64; 2] = [3058, 3059];
