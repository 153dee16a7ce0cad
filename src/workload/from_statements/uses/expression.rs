//! What an expression is, as far as parameters are concerned.

use super::super::tree::Node;

/// The oids of int2, int4, int8, float4, float8 and numeric.
const NUMBERS: [i64; 6] = [21, 23, 20, 700, 701, 1700];
/// The oids of text, varchar and bpchar.
const TEXTS: [i64; 3] = [25, 1043, 1042];
/// The oids of date, timestamp and timestamptz.
const TIMES: [i64; 3] = [1082, 1114, 1184];
/// The oid of the type.
const INTERVAL: i64 = 1186;

/// An expression without casts.
pub fn strip(node: &Node) -> &Node {
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
pub fn parameter(node: &Node) -> Option<usize> {
    let node = strip(node);
    let is_parameter = node.is("PARAM") && node.number("paramkind") == 0;
    is_parameter.then(|| node.number("paramid").max(0) as usize)
}

/// Whether a column is part of an expression, apart from subqueries.
pub fn has_column(node: &Node) -> bool {
    node.is("VAR") || !node.is("QUERY") && node.children().any(has_column)
}

/// Whether a parameter is part of an expression.
pub fn has_parameter(node: &Node) -> bool {
    parameter(node).is_some() || node.children().any(has_parameter)
}

/// Whether values of a column can be those of a parameter beside it; also where its type is not told.
pub fn are_of_one_type(column: &Node, parameter: &Node) -> bool {
    let (column, parameter) = (type_of(column), type_of(parameter));
    let are_both = |types: &[i64]| types.contains(&column) && types.contains(&parameter);
    column == 0 || column == parameter || [&NUMBERS[..], &TEXTS, &TIMES].into_iter().any(are_both)
}

/// The oid of the type of a column, a parameter, or a cast of one.
fn type_of(node: &Node) -> i64 {
    let fields = ["vartype", "paramtype", "resulttype", "funcresulttype"];
    let types = fields.map(|name| node.number(name));
    types.into_iter().find(|oid| *oid > 0).unwrap_or_default()
}

/// A parameter whose type is a number, so that 0 added to it changes nothing.
pub fn is_number(node: &Node) -> bool {
    node.is("PARAM") && NUMBERS.contains(&node.number("paramtype"))
}

/// A parameter whose type is a length of time.
pub fn is_interval(node: &Node) -> bool {
    node.is("PARAM") && node.number("paramtype") == INTERVAL
}

/// A parameter whose type is a text.
pub fn is_text(node: &Node) -> bool {
    node.is("PARAM") && TEXTS.contains(&node.number("paramtype"))
}

/// The values of a column of an INSERT: one, or those of all rows of VALUES.
pub fn values_of<'n>(query: &'n Node, expression: &'n Node) -> Vec<&'n Node> {
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
