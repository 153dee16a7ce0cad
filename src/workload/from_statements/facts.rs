//! Catalog data about the tables, columns, operators and functions of statements.

mod sql;

use super::ranges::Measure;
use super::uses::Uses;
use crate::error::Result;
use crate::pg::catalog::role;
use crate::pg::sql::spi;
use pgrx::datum::DatumWithOid;
use serde::Deserialize;
use std::collections::{BTreeSet, HashMap};

/// A table or view.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Relation {
    pub oid: u32,
    /// With its schema, quoted.
    pub qualified: String,
    pub name: String,
    pub schema: String,
    /// `relkind`
    pub kind: String,
    pub is_temporary: bool,
    /// Rows at the last ANALYZE, unless there was none.
    pub rows: Option<f64>,
    pub pages: f64,
    /// How many rows UPDATE has changed since the statistics began, and how many of them within their page (HOT).
    pub updated: f64,
    pub updated_in_place: f64,
    /// A function of another role that reading it may call: of a policy, or of an index and the like, whose constant parts are computed
    /// whenever a query is planned.
    pub foreign_code: Option<String>,
}

/// On fewer pages, changes meet whatever their order.
pub const FEWEST_PAGES: f64 = 50.0;
/// Changes of neighbours leave so many pages of those that changes anywhere leave, or fewer: those of the lines of the oldest orders 0.46, of
/// these orders from 0.55 to 0.67. But changes of rows of which some are more popular leave 0.63 (the stock of a TPC-C-derived load) to 0.75.
const CLEARLY_FEWER: f64 = 0.6;
const FEWER: f64 = 0.75;
/// Fewer changes say nothing.
pub const FEWEST_CHANGES: f64 = 100.0;

impl Relation {
    /// A change finds room in a full page once an earlier one has left it: of changes anywhere, all but the first of each page do. Of
    /// neighbours that are changed one after the other, fewer leave their page.
    pub fn changed(&self) -> Changed {
        let (pages, updated) = (self.pages, self.updated);
        let first_of_a_page = pages * (1.0 - (-updated / pages.max(1.0)).exp());
        let left = (updated - self.updated_in_place) / first_of_a_page.max(1.0);
        match left {
            _ if self.kind != "r" || pages < FEWEST_PAGES || updated < FEWEST_CHANGES => {
                Changed::Anywhere
            }
            ..CLEARLY_FEWER => Changed::Neighbours,
            ..FEWER => Changed::PerhapsNeighbours,
            _ => Changed::Anywhere,
        }
    }
}

/// Which rows were changed one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Changed {
    Anywhere,
    /// They are, if another table's are that the same transaction changes.
    PerhapsNeighbours,
    Neighbours,
}

/// A column.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct ColumnFact {
    pub relation: u32,
    pub number: i16,
    pub name: String,
    pub quoted: String,
    /// Its type, as SQL names it.
    pub type_name: String,
    /// What the length of a range of its values is measured in, if it has one.
    pub measure: Option<Measure>,
    /// It is an integer that has room for new numbers.
    pub is_wide: bool,
    /// How many different values it has at the last ANALYZE; below 0: in parts of the rows.
    pub distinct: Option<f64>,
    /// How many bytes a value has on average at the last ANALYZE, or characters at most.
    pub width: Option<i64>,
    /// It is a part of a foreign key.
    pub refers: bool,
    /// There is a unique index on it alone, whole.
    pub is_key: bool,
    /// Its type is not one of numbers, texts and times: a script reads its values as texts.
    pub is_read_as_text: bool,
    /// Whether the caller may read it.
    pub is_readable: bool,
}

impl ColumnFact {
    pub fn is_integer(&self) -> bool {
        self.measure == Some(Measure::Whole)
    }
}

/// A function that may do more than compute.
#[derive(Debug, Clone, Deserialize)]
pub struct Function {
    pub oid: u32,
    pub name: String,
    /// It takes a number from a sequence.
    pub is_nextval: bool,
    pub is_volatile: bool,
    /// It is neither the caller's nor a superuser's.
    pub is_foreign: bool,
}

/// An operator that compares.
#[derive(Debug, Clone, Deserialize)]
pub struct Operator {
    oid: u32,
    name: String,
    /// In a B-tree: 1 is less, 2 less or equal, 3 equal, 4 greater or equal, 5 greater.
    strategy: Option<i16>,
}

/// A unique index.
#[derive(Debug, Clone, Deserialize)]
pub struct Key {
    pub relation: u32,
    pub name: String,
    /// Its columns; 0 is an expression.
    pub columns: Vec<i16>,
    /// The columns in its expressions and its condition, if it has such.
    #[serde(default)]
    pub reads: Vec<i16>,
    /// It is of a partition.
    #[serde(default)]
    pub is_of_part: bool,
}

impl Key {
    /// Whether what a row has in this column decides about its place in the index.
    pub fn depends_on(&self, column: i16) -> bool {
        self.columns.contains(&column) || self.reads.contains(&column)
    }
}

/// See the module.
#[derive(Debug, Default)]
pub struct Facts {
    pub relations: HashMap<u32, Relation>,
    pub columns: HashMap<(u32, i16), ColumnFact>,
    /// Those that are volatile and not harmless, or foreign.
    pub functions: HashMap<u32, Function>,
    pub operators: HashMap<u32, Operator>,
    pub keys: Vec<Key>,
    pub types: HashMap<u32, Type>,
}

/// The type of a parameter, or of something else.
#[derive(Debug, Clone, Deserialize)]
pub struct Type {
    oid: u32,
    pub name: String,
    /// 0 is a value of it.
    pub takes_zero: bool,
    /// It is a domain, or has parts of one, whose values are checked by code of another role.
    pub is_checked_by_others: bool,
    /// One of these checks calls a volatile function.
    pub has_volatile_checks: bool,
    /// It is a domain of single values.
    is_plain_domain: bool,
}

/// What is to be looked up, by oid.
#[derive(Debug, Default)]
pub struct Wanted {
    pub relations: BTreeSet<i64>,
    pub operators: BTreeSet<i64>,
    pub functions: BTreeSet<i64>,
    pub types: BTreeSet<i64>,
}

impl Facts {
    /// Looks them up, as the caller.
    pub fn find(wanted: &Wanted) -> Result<Facts> {
        let list = |oids: &BTreeSet<i64>| -> DatumWithOid<'static> {
            oids.iter().copied().collect::<Vec<i64>>().into()
        };
        role::with_settings(|| {
            let found: Vec<Relation> = spi::select(sql::RELATIONS, &[list(&wanted.relations)])?;
            let columns: Vec<ColumnFact> = spi::select(sql::COLUMNS, &[list(&wanted.relations)])?;
            let volatile: Vec<Function> = spi::select(sql::FUNCTIONS, &[list(&wanted.functions)])?;
            let signs: Vec<Operator> = spi::select(sql::OPERATORS, &[list(&wanted.operators)])?;
            let types: Vec<Type> = spi::select(sql::TYPES, &[list(&wanted.types)])?;
            Ok(Facts {
                relations: found.into_iter().map(|it| (it.oid, it)).collect(),
                columns: columns
                    .into_iter()
                    .map(|it| ((it.relation, it.number), it))
                    .collect(),
                functions: volatile.into_iter().map(|it| (it.oid, it)).collect(),
                operators: signs.into_iter().map(|it| (it.oid, it)).collect(),
                types: types.into_iter().map(|it| (it.oid, it)).collect(),
                keys: spi::select(sql::KEYS, &[list(&wanted.relations)])?,
            })
        })
    }

    /// What code of other roles a statement would run: that of functions, and of types. A column with values of a domain has been checked.
    pub fn foreign(&self, uses: &Uses, parameters: &[u32]) -> Option<String> {
        let functions = uses.functions.iter();
        let mut functions = functions.filter_map(|oid| self.functions.get(oid));
        if let Some(function) = functions.find(|it| it.is_foreign) {
            return Some(format!("the function {}", function.name));
        }
        let checked = |oid: &u32| self.types.get(oid).filter(|it| it.is_checked_by_others);
        let computed = uses.types.iter().chain(parameters).filter_map(checked);
        let columns = uses.column_types.iter().filter_map(checked);
        let columns = columns.filter(|it| !it.is_plain_domain);
        let checked = computed.chain(columns).next();
        checked.map(|it| format!("the checks of type {}", it.name))
    }

    /// The same of reading the tables.
    pub fn foreign_of_tables(&self, uses: &Uses) -> Option<String> {
        let mut relations = uses.relations.iter();
        relations.find_map(|oid| {
            let relation = self.relations.get(oid)?;
            let name = relation.foreign_code.as_ref()?;
            Some(format!(
                "reading {} may run {name}, which is another role's",
                relation.qualified
            ))
        })
    }

    /// The name of an operator.
    pub fn operator(&self, operator: u32) -> &str {
        let known = self.operators.get(&operator);
        known.map_or("", |operator| operator.name.as_str())
    }

    /// Whether a row has values of these columns that no other one has.
    pub fn has_key(&self, relation: u32, columns: &[i16]) -> bool {
        let of_all = |key: &&Key| key.relation == relation && !key.is_of_part;
        let mut keys = self.keys.iter().filter(of_all);
        keys.any(|key| key.columns.iter().all(|column| columns.contains(column)))
    }

    /// How a column is compared: its strategy in a B-tree as seen from the column, or the name of another operator.
    pub fn comparison(
        &self,
        operator: u32,
        column_is_right: bool,
    ) -> std::result::Result<i16, String> {
        let known = self.operators.get(&operator);
        match known.and_then(|operator| operator.strategy) {
            Some(strategy) if column_is_right => Ok(6 - strategy),
            Some(strategy) => Ok(strategy),
            None => Err(known.map_or_else(String::new, |operator| operator.name.clone())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(pages: f64, updated: f64, updated_in_place: f64) -> Changed {
        let relation = Relation {
            kind: "r".to_owned(),
            pages,
            updated,
            updated_in_place,
            ..Relation::default()
        };
        relation.changed()
    }

    #[test]
    fn changes_of_neighbours_mostly_stay_within_their_page() {
        use Changed::{Anywhere, Neighbours, PerhapsNeighbours};
        // Anywhere, 1,000 changes meet 632 of 1,000 pages, and each page's first one leaves it.
        assert_eq!(changed(1_000.0, 1_000.0, 368.0), Anywhere);
        assert_eq!(changed(1_000.0, 1_000.0, 900.0), Neighbours);
        // Seen of a TPC-C-derived load: the lines of the oldest orders, these orders (of more of them, too), stock of which some is popular.
        assert_eq!(changed(6_994.0, 12_775.0, 10_075.0), Neighbours);
        assert_eq!(changed(484.0, 1_280.0, 1_030.0), Neighbours);
        assert_eq!(changed(484.0, 1_520.0, 1_216.0), PerhapsNeighbours);
        assert_eq!(changed(8_696.0, 13_340.0, 8_912.0), PerhapsNeighbours);
        // Those of an indexed column all leave their page, in any order.
        assert_eq!(changed(1_000.0, 1_000.0, 0.0), Anywhere);
        // Too little is known.
        assert_eq!(changed(1_000.0, 10.0, 10.0), Anywhere);
        assert_eq!(changed(1_000.0, 0.0, 0.0), Anywhere);
        assert_eq!(changed(10.0, 1_000.0, 1_000.0), Anywhere);
    }
}
