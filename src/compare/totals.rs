//! Sums over a run's relations: all tables and all indexes, a table's indexes, and a table with all that belongs to it.
//!
//! Only relations whose statistics changed during a run are stored. So a sum names its parts ([`Figure::made_of`]), and sums
//! over different parts are not compared.

use super::compared_run::Columns;
use super::figures::{Figure, figure, text};
use super::step;
use serde_json::Value;

pub const ALL_TABLES: &str = "all tables";
pub const ALL_INDEXES: &str = "all indexes";
const TOAST_SCHEMA: &str = "pg_toast";

/// A row of `run_relations`, with the table that it belongs to.
struct StoredRelation<'a> {
    columns: &'a Columns,
    /// The server's name, or for a TOAST table and its index that of their table, since their own names are numbers.
    name: String,
    is_index: bool,
    /// The place of its table among the rows; a table's own. None: the table is not stored, or there are several of that name.
    table: Option<usize>,
}

/// Sums over all tables and over all indexes; TOAST tables are tables.
pub fn all(relations: &[Columns]) -> Vec<Figure> {
    let relations = with_tables(relations);
    let (indexes, tables): (Vec<&StoredRelation>, Vec<&StoredRelation>) =
        relations.iter().partition(|relation| relation.is_index);
    let mut figures = Vec::new();
    for (object, parts) in [(ALL_TABLES, &tables), (ALL_INDEXES, &indexes)] {
        figures.extend(sum("sizes", object, "size_bytes", parts, size));
    }
    figures.extend(live_percent(&tables));
    figures
}

/// For each table with indexes or a TOAST table: its sum with these, and its indexes alone, as in
/// pg_total_relation_size and pg_indexes_size (but for the main forks).
pub fn by_table(relations: &[Columns]) -> Vec<Vec<Figure>> {
    let relations = with_tables(relations);
    let places = 0..relations.len();
    places
        .map(|place| of_table(&relations, place).unwrap_or_default())
        .collect()
}

fn of_table(relations: &[StoredRelation], place: usize) -> Option<Vec<Figure>> {
    let table = relations.get(place)?;
    let parts: Vec<&StoredRelation> = relations
        .iter()
        .filter(|relation| relation.table == Some(place))
        .collect();
    if parts.len() < 2 {
        return None;
    }
    // The index of a TOAST table is not one of the table.
    let own = |relation: &&&StoredRelation| {
        relation.is_index && text(relation.columns, "schema_name") != TOAST_SCHEMA
    };
    let indexes: Vec<&StoredRelation> = parts.iter().filter(own).copied().collect();
    let sum = |metric: &str, parts: &[&StoredRelation], of: fn(&Columns) -> Option<f64>| {
        sum("sizes", &table.name, metric, parts, of)
    };
    let sums = [
        sum("total_size_bytes", &parts, size),
        sum("total_growth_bytes", &parts, growth),
        sum("indexes_size_bytes", &indexes, size),
        sum("indexes_growth_bytes", &indexes, growth),
    ];
    Some(sums.into_iter().flatten().collect())
}

fn with_tables(relations: &[Columns]) -> Vec<StoredRelation<'_>> {
    let named = |schema: Option<&str>, name: &str, is_toast: bool| {
        let mut found = relations.iter().enumerate().filter(|(_, other)| {
            let kind = text(other, "relation_kind");
            schema.is_none_or(|schema| text(other, "schema_name") == schema)
                && text(other, "relation_name") == name
                && kind != "index"
                && (kind == "TOAST table") == is_toast
        });
        found
            .next()
            .filter(|_| found.next().is_none())
            .map(|(i, _)| i)
    };
    // A TOAST table is known by its table's name alone.
    let of_toast = |toast: &Columns| named(None, text(toast, "table_name"), false);
    relations
        .iter()
        .enumerate()
        .map(|(place, columns)| {
            let (schema, table) = (text(columns, "schema_name"), text(columns, "table_name"));
            let is_index = text(columns, "relation_kind") == "index";
            let is_toast = schema == TOAST_SCHEMA;
            let owner = match (is_toast, is_index) {
                (false, false) => Some(place),
                (false, true) => named(Some(schema), table, false),
                (true, false) => of_toast(columns),
                (true, true) => {
                    named(Some(schema), table, true).and_then(|toast| of_toast(&relations[toast]))
                }
            };
            let name = match owner.map(|owner| &relations[owner]) {
                Some(owner) if is_toast => {
                    let what = if is_index {
                        "TOAST index"
                    } else {
                        "TOAST table"
                    };
                    format!("{what} of {}", qualified(owner))
                }
                _ => qualified(columns),
            };
            StoredRelation {
                columns,
                name,
                is_index,
                table: owner,
            }
        })
        .collect()
}

fn qualified(columns: &Columns) -> String {
    let (schema, name) = (text(columns, "schema_name"), text(columns, "relation_name"));
    format!("{schema}.{name}")
}

/// None if there are none, or if one of them is not known.
fn sum(
    category: &str,
    object: &str,
    metric: &str,
    parts: &[&StoredRelation],
    of: fn(&Columns) -> Option<f64>,
) -> Option<Figure> {
    let values: Option<Vec<f64>> = parts.iter().map(|part| of(part.columns)).collect();
    let values = values.filter(|values| !values.is_empty())?;
    Some(Figure {
        made_of: names(parts),
        ..figure(
            category,
            Some(object.to_owned()),
            metric,
            values.iter().sum(),
        )
    })
}

/// The live rows' share of all tables whose share is known, by their sizes.
fn live_percent(tables: &[&StoredRelation]) -> Option<Figure> {
    let live = |columns: &Columns| {
        let percent = number(columns, "end_tuple_percent")?;
        Some((size(columns)?, percent))
    };
    let measured: Vec<&StoredRelation> = tables
        .iter()
        .filter(|table| live(table.columns).is_some_and(|(size, _)| size > 0.0))
        .copied()
        .collect();
    let parts = || measured.iter().filter_map(|table| live(table.columns));
    let size: f64 = parts().map(|(size, _)| size).sum();
    if size <= 0.0 {
        return None;
    }
    let metric = "tuple_percent";
    let value = parts().map(|(size, percent)| size * percent).sum::<f64>() / size;
    Some(Figure {
        made_of: names(&measured),
        step: step::of_ratio(metric, value, size / step::PAGE),
        ..figure("bloat", Some(ALL_TABLES.to_owned()), metric, value)
    })
}

fn names(parts: &[&StoredRelation]) -> Vec<String> {
    let mut names: Vec<String> = parts.iter().map(|part| part.name.clone()).collect();
    names.sort();
    names
}

fn number(columns: &Columns, name: &str) -> Option<f64> {
    columns.get(name).and_then(Value::as_f64)
}

fn size(columns: &Columns) -> Option<f64> {
    number(columns, "end_size_bytes")
}

fn growth(columns: &Columns) -> Option<f64> {
    Some(size(columns)? - number(columns, "start_size_bytes")?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn relation(
        schema: &str,
        name: &str,
        kind: &str,
        table: Option<&str>,
        pages: (Option<i64>, i64),
        live: Option<f64>,
    ) -> Columns {
        let row = json!({"schema_name": schema, "relation_name": name, "relation_kind": kind, "table_name": table,
            "start_size_bytes": pages.0.map(|pages| pages * 8192), "end_size_bytes": pages.1 * 8192,
            "end_tuple_percent": live});
        row.as_object().cloned().unwrap_or_default()
    }

    fn relations() -> Vec<Columns> {
        vec![
            relation("public", "t", "table", None, (Some(10), 30), Some(80.0)),
            relation("public", "t_pkey", "index", Some("t"), (Some(2), 5), None),
            relation("public", "t_b_idx", "index", Some("t"), (Some(1), 2), None),
            relation(
                "pg_toast",
                "pg_toast_1",
                "TOAST table",
                Some("t"),
                (Some(0), 10),
                Some(40.0),
            ),
            relation(
                "pg_toast",
                "pg_toast_1_index",
                "index",
                Some("pg_toast_1"),
                (Some(1), 1),
                None,
            ),
            relation("public", "new", "table", None, (None, 1), None),
            relation("public", "new_pkey", "index", Some("new"), (None, 1), None),
            relation("public", "alone", "table", None, (Some(4), 4), None),
        ]
    }

    fn value(figures: &[Figure], object: &str, metric: &str) -> Option<f64> {
        let is_it = |f: &&Figure| f.key.object.as_deref() == Some(object) && f.key.metric == metric;
        figures.iter().find(is_it).map(|figure| figure.value)
    }

    #[test]
    fn a_table_has_its_indexes_and_its_toast() {
        let figures = by_table(&relations()).concat();
        let pages = |metric: &str| Some(value(&figures, "public.t", metric)? / 8192.0);
        assert_eq!(pages("total_size_bytes"), Some(48.0));
        assert_eq!(pages("total_growth_bytes"), Some(34.0));
        assert_eq!(pages("indexes_size_bytes"), Some(7.0));
        assert_eq!(pages("indexes_growth_bytes"), Some(4.0));
        let total = &figures[0];
        assert_eq!(
            total.made_of,
            [
                "TOAST index of public.t",
                "TOAST table of public.t",
                "public.t",
                "public.t_b_idx",
                "public.t_pkey"
            ]
        );
        // A relation not seen at the start has no growth; one without parts is its own total.
        assert!(value(&figures, "public.new", "total_size_bytes").is_some());
        assert!(value(&figures, "public.new", "total_growth_bytes").is_none());
        assert!(value(&figures, "public.alone", "total_size_bytes").is_none());
    }

    #[test]
    fn all_tables_and_all_indexes_are_summed_and_live_shares_weighed() {
        let figures = all(&relations());
        let pages = |object: &str| value(&figures, object, "size_bytes").map(|size| size / 8192.0);
        assert_eq!(
            (pages(ALL_TABLES), pages(ALL_INDEXES)),
            (Some(45.0), Some(9.0))
        );
        assert_eq!(value(&figures, ALL_TABLES, "tuple_percent"), Some(70.0));
        assert!(all(&[]).is_empty());
    }

    /// A TOAST table is stored with the name of its table, but without that one's schema.
    #[test]
    fn of_two_tables_of_one_name_nobody_knows_whose_toast_it_is() {
        let mut relations = relations();
        relations.push(relation("other", "t", "table", None, (Some(1), 1), None));
        let figures = by_table(&relations).concat();
        assert_eq!(
            value(&figures, "public.t", "total_size_bytes"),
            Some(37.0 * 8192.0)
        );
        assert!(value(&figures, "other.t", "total_size_bytes").is_none());
    }
}
