//! Keys that do not exist yet, for statements that insert them.

use super::facts::{ColumnFact, Facts, Key};
use super::uses::{Command, Use, Uses};
use std::collections::BTreeSet;

/// The columns of an INSERT that get new numbers, since it gives all columns of a unique index: of each such index the integer
/// with the most values, which most likely tells its rows apart. One that refers to another table does not: the row must be there.
///
/// # Errors
/// There is no such integer.
pub fn new_keys(uses: &Uses, facts: &Facts) -> Result<BTreeSet<i16>, String> {
    let mut new = BTreeSet::new();
    let table = uses.target.and_then(|oid| facts.relations.get(&oid));
    let Some(table) = table.filter(|_| uses.command == Command::Insert && !uses.resolves_conflicts)
    else {
        return Ok(new);
    };
    let is_written = |number: i16| {
        uses.parameters
            .values()
            .any(|found| matches!(found, Use::Written(column) if column.number == number))
    };
    let values = |column: &ColumnFact| match column.distinct {
        Some(part) if part < 0.0 => -part * table.rows.unwrap_or_default(),
        other => other.unwrap_or_default(),
    };
    let is_given =
        |column: &i16| uses.given.contains(column) || uses.from_parameters.contains(column);
    // Of an expression, something that it is computed from.
    let given = |key: &&Key| {
        let mut columns = key.columns.iter().filter(|column| **column != 0);
        let has_expression = key.columns.contains(&0);
        key.relation == table.oid
            && columns.all(is_given)
            && (!has_expression || key.reads.iter().any(is_given))
    };
    for key in facts.keys.iter().filter(given) {
        if key.columns.iter().any(|it| new.contains(it)) {
            continue;
        }
        let columns = key.columns.iter();
        let numbers = columns
            .filter(|number| is_written(**number))
            .filter_map(|number| facts.columns.get(&(table.oid, *number)))
            .filter(|column| column.is_wide && !column.refers);
        let Some(column) = numbers.max_by(|a, b| values(a).total_cmp(&values(b))) else {
            return Err(format!(
                "it would insert keys that exist (\"{}\"): none of its columns can have new numbers",
                key.name
            ));
        };
        new.insert(column.number);
    }
    Ok(new)
}

#[cfg(test)]
mod tests {
    use super::super::facts::Relation;
    use super::super::uses::Column;
    use super::*;

    /// A table with a key of two columns, the second of which has more values, and an INSERT of both.
    fn facts(refers: bool) -> (Uses, Facts) {
        let column = |number: i16, distinct: f64| ColumnFact {
            relation: 100,
            number,
            is_wide: true,
            distinct: Some(distinct),
            refers,
            ..ColumnFact::default()
        };
        let table = Relation {
            oid: 100,
            rows: Some(500.0),
            ..Relation::default()
        };
        let key = Key {
            relation: 100,
            name: "t_pkey".to_owned(),
            columns: vec![1, 2],
            reads: Vec::new(),
            is_of_part: false,
        };
        let facts = Facts {
            relations: [(100, table)].into(),
            columns: [((100, 1), column(1, 10.0)), ((100, 2), column(2, -0.5))].into(),
            keys: vec![key],
            ..Facts::default()
        };
        let written = |number: i16| {
            let (place, relation) = (0, 100);
            Use::Written(Column {
                place,
                relation,
                number,
            })
        };
        let uses = Uses {
            command: Command::Insert,
            writes: true,
            target: Some(100),
            given: [1, 2].into(),
            parameters: [(1, written(1)), (2, written(2))].into(),
            ..Uses::default()
        };
        (uses, facts)
    }

    #[test]
    fn the_column_with_the_most_values_gets_new_ones() {
        let (mut uses, facts) = facts(false);
        assert_eq!(new_keys(&uses, &facts), Ok([2].into()));
        // The key is not given, or one that exists is no error.
        uses.given = [2].into();
        assert_eq!(new_keys(&uses, &facts), Ok(BTreeSet::new()));
        uses.given = [1, 2].into();
        uses.resolves_conflicts = true;
        assert_eq!(new_keys(&uses, &facts), Ok(BTreeSet::new()));
    }

    #[test]
    fn a_key_without_such_a_column_is_named() {
        let (mut uses, mut known) = facts(true);
        let names_it = |uses: &Uses, facts: &Facts| {
            new_keys(uses, facts).is_err_and(|reason| reason.contains("\"t_pkey\""))
        };
        assert!(names_it(&uses, &known));
        known = facts(false).1;
        assert!(!names_it(&uses, &known));
        uses.parameters.clear();
        assert!(names_it(&uses, &known));
    }
}
