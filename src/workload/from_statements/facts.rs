//! What the catalog knows of the tables, columns, operators and functions of statements.

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
const FEWEST_PAGES: f64 = 50.0;
/// Changes of neighbours leave so many pages of those that changes anywhere leave, or fewer: those of the lines of the oldest orders 0.46, of
/// these orders from 0.55 to 0.65. But changes of rows of which some are more popular leave 0.63 (the stock of a TPC-C-derived load) to 0.75.
const CLEARLY_FEWER: f64 = 0.6;
const FEWER: f64 = 2.0 / 3.0;
/// Fewer changes say nothing.
const FEWEST_CHANGES: f64 = 100.0;

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
            let found: Vec<Relation> = spi::select(RELATIONS, &[list(&wanted.relations)])?;
            let columns: Vec<ColumnFact> = spi::select(COLUMNS, &[list(&wanted.relations)])?;
            let volatile: Vec<Function> = spi::select(FUNCTIONS, &[list(&wanted.functions)])?;
            let signs: Vec<Operator> = spi::select(OPERATORS, &[list(&wanted.operators)])?;
            let types: Vec<Type> = spi::select(TYPES, &[list(&wanted.types)])?;
            Ok(Facts {
                relations: found.into_iter().map(|it| (it.oid, it)).collect(),
                columns: columns
                    .into_iter()
                    .map(|it| ((it.relation, it.number), it))
                    .collect(),
                functions: volatile.into_iter().map(|it| (it.oid, it)).collect(),
                operators: signs.into_iter().map(|it| (it.oid, it)).collect(),
                types: types.into_iter().map(|it| (it.oid, it)).collect(),
                keys: spi::select(KEYS, &[list(&wanted.relations)])?,
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

const RELATIONS: &str = "SELECT c.oid::pg_catalog.int8 AS oid, \
        pg_catalog.format('%I.%I', n.nspname, c.relname) AS qualified, c.relname AS name, n.nspname AS schema, \
        c.relkind AS kind, c.relpersistence = 't' AS is_temporary, \
        s.rows, s.pages, \
        pg_catalog.pg_stat_get_tuples_updated(c.oid)::pg_catalog.float8 AS updated, \
        pg_catalog.pg_stat_get_tuples_hot_updated(c.oid)::pg_catalog.float8 AS updated_in_place, \
        f.name AS foreign_code \
   FROM pg_catalog.pg_class c \
   CROSS JOIN LATERAL (SELECT CASE WHEN pg_catalog.min(l.reltuples) >= 0 THEN pg_catalog.sum(l.reltuples)::pg_catalog.float8 END AS rows, \
                              COALESCE(pg_catalog.sum(l.relpages), 0)::pg_catalog.float8 AS pages \
                         FROM pg_catalog.pg_class l \
                        WHERE l.oid = c.oid AND c.relkind <> 'p' \
                           OR c.relkind = 'p' AND l.oid IN (SELECT t.relid FROM pg_catalog.pg_partition_tree(c.oid) t WHERE t.isleaf)) s \
   JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
   LEFT JOIN LATERAL (\
        WITH RECURSIVE tables (oid) AS (\
            SELECT c.oid UNION SELECT i.inhrelid FROM tables t JOIN pg_catalog.pg_inherits i ON i.inhparent = t.oid), \
        parts (classid, objid) AS (\
            SELECT 'pg_catalog.pg_class'::pg_catalog.regclass, t.oid FROM tables t \
            UNION ALL SELECT 'pg_catalog.pg_class'::pg_catalog.regclass, i.indexrelid FROM tables t JOIN pg_catalog.pg_index i ON i.indrelid = t.oid \
            UNION ALL SELECT 'pg_catalog.pg_constraint'::pg_catalog.regclass, k.oid FROM tables t JOIN pg_catalog.pg_constraint k ON k.conrelid = t.oid \
            UNION ALL SELECT 'pg_catalog.pg_statistic_ext'::pg_catalog.regclass, s.oid FROM tables t JOIN pg_catalog.pg_statistic_ext s ON s.stxrelid = t.oid \
            UNION ALL SELECT 'pg_catalog.pg_policy'::pg_catalog.regclass, y.oid FROM pg_catalog.pg_policy y \
                       WHERE y.polrelid = c.oid AND pg_catalog.row_security_active(c.oid)), \
        code (name, owner) AS (\
            SELECT p.proname, p.proowner FROM parts JOIN pg_catalog.pg_depend d USING (classid, objid) \
              LEFT JOIN pg_catalog.pg_operator o ON d.refclassid = 'pg_catalog.pg_operator'::pg_catalog.regclass AND o.oid = d.refobjid \
              JOIN pg_catalog.pg_proc p ON p.oid = COALESCE(o.oprcode::pg_catalog.oid, d.refobjid) \
             WHERE d.refclassid IN ('pg_catalog.pg_proc'::pg_catalog.regclass, 'pg_catalog.pg_operator'::pg_catalog.regclass) \
            UNION ALL SELECT v.relname, v.relowner FROM parts JOIN pg_catalog.pg_depend d USING (classid, objid) \
              JOIN pg_catalog.pg_class v ON v.oid = d.refobjid AND v.relkind = 'v' \
             WHERE d.classid = 'pg_catalog.pg_policy'::pg_catalog.regclass AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass) \
        SELECT pg_catalog.min(x.name::pg_catalog.text) AS name FROM code x JOIN pg_catalog.pg_roles r ON r.oid = x.owner \
         WHERE NOT r.rolsuper AND r.rolname <> current_user) f ON true \
  WHERE c.oid IN (SELECT x::pg_catalog.oid FROM pg_catalog.unnest($1) AS x)";

const COLUMNS: &str = "SELECT a.attrelid::pg_catalog.int8 AS relation, a.attnum AS number, a.attname AS name, \
        pg_catalog.quote_ident(a.attname) AS quoted, pg_catalog.format_type(a.atttypid, NULL) AS type_name, \
        CASE WHEN a.atttypid IN ('pg_catalog.int2'::pg_catalog.regtype, 'pg_catalog.int4'::pg_catalog.regtype, \
                                 'pg_catalog.int8'::pg_catalog.regtype) THEN 'whole' \
             WHEN a.atttypid = 'pg_catalog.date'::pg_catalog.regtype THEN 'days' \
             WHEN a.atttypid IN ('pg_catalog.timestamp'::pg_catalog.regtype, 'pg_catalog.timestamptz'::pg_catalog.regtype) THEN 'seconds' \
             WHEN a.atttypid IN ('pg_catalog.numeric'::pg_catalog.regtype, 'pg_catalog.float4'::pg_catalog.regtype, \
                                 'pg_catalog.float8'::pg_catalog.regtype) THEN 'decimal' END AS measure, \
        a.atttypid IN ('pg_catalog.int4'::pg_catalog.regtype, 'pg_catalog.int8'::pg_catalog.regtype) AS is_wide, \
        s.n_distinct::pg_catalog.float8 AS distinct, \
        LEAST(s.avg_width, NULLIF(a.atttypmod, -1))::pg_catalog.int8 - 4 AS width, \
        EXISTS (SELECT FROM pg_catalog.pg_constraint f WHERE f.conrelid = a.attrelid AND f.contype = 'f' \
                   AND a.attnum = ANY (f.conkey)) AS refers, \
        EXISTS (SELECT FROM pg_catalog.pg_index i WHERE i.indrelid = a.attrelid AND i.indisunique AND i.indisvalid \
                   AND i.indnkeyatts = 1 AND i.indpred IS NULL AND i.indkey[0] = a.attnum) AS is_key, \
        a.atttypid >= 16384 OR y.typcategory NOT IN ('N', 'B', 'S', 'D', 'T') AS is_read_as_text, \
        pg_catalog.has_column_privilege(a.attrelid, a.attnum, 'SELECT') AS is_readable \
   FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type y ON y.oid = a.atttypid \
   LEFT JOIN LATERAL (SELECT p.n_distinct, p.avg_width FROM pg_catalog.pg_stats p \
                        JOIN pg_catalog.pg_class c ON c.oid = a.attrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
                       WHERE p.schemaname = n.nspname AND p.tablename = c.relname AND p.attname = a.attname \
                       ORDER BY p.inherited DESC LIMIT 1) s ON true \
  WHERE a.attrelid IN (SELECT x::pg_catalog.oid FROM pg_catalog.unnest($1) AS x) AND a.attnum > 0 AND NOT a.attisdropped";

/// Volatile functions, without those whose calls leave nothing behind and whose results differ by nature; and those of other roles.
/// An aggregate does what its functions do.
const FUNCTIONS: &str = "SELECT f.oid, f.name, f.is_nextval, f.is_volatile, f.is_foreign \
   FROM (SELECT p.oid::pg_catalog.int8 AS oid, p.proname AS name, \
                p.pronamespace = 'pg_catalog'::pg_catalog.regnamespace AND p.proname = 'nextval' AS is_nextval, \
                pg_catalog.bool_or(d.provolatile = 'v' AND NOT (d.pronamespace = 'pg_catalog'::pg_catalog.regnamespace \
                    AND d.proname IN ('random', 'clock_timestamp', 'timeofday', 'gen_random_uuid', 'uuidv4', 'uuidv7'))) AS is_volatile, \
                pg_catalog.bool_or(NOT r.rolsuper AND r.rolname <> current_user) AS is_foreign \
           FROM pg_catalog.pg_proc p \
           LEFT JOIN pg_catalog.pg_aggregate a ON a.aggfnoid = p.oid \
           JOIN pg_catalog.pg_proc d ON d.oid IN (p.oid, a.aggtransfn, a.aggfinalfn, a.aggcombinefn, a.aggmtransfn, a.aggminvtransfn, a.aggmfinalfn) \
           JOIN pg_catalog.pg_roles r ON r.oid = d.proowner \
          WHERE p.oid IN (SELECT x::pg_catalog.oid FROM pg_catalog.unnest($1) AS x) \
          GROUP BY p.oid, p.proname, p.pronamespace) f \
  WHERE f.is_volatile OR f.is_foreign";

const OPERATORS: &str = "SELECT o.oid::pg_catalog.int8 AS oid, o.oprname AS name, \
        (SELECT pg_catalog.min(a.amopstrategy) FROM pg_catalog.pg_amop a JOIN pg_catalog.pg_am m ON m.oid = a.amopmethod \
          WHERE a.amopopr = o.oid AND m.amname = 'btree' AND a.amoppurpose = 's') AS strategy \
   FROM pg_catalog.pg_operator o WHERE o.oid IN (SELECT x::pg_catalog.oid FROM pg_catalog.unnest($1) AS x)";

/// Unique indexes, those of partitions among them, with the numbers that the columns have in the table itself.
const KEYS: &str = "WITH RECURSIVE tables (asked, oid) AS (\
        SELECT x::pg_catalog.oid, x::pg_catalog.oid FROM pg_catalog.unnest($1) AS x \
        UNION SELECT t.asked, h.inhrelid FROM tables t JOIN pg_catalog.pg_inherits h ON h.inhparent = t.oid \
                JOIN pg_catalog.pg_class p ON p.oid = h.inhparent AND p.relkind = 'p') \
    SELECT t.asked::pg_catalog.int8 AS relation, c.relname AS name, t.oid <> t.asked AS is_of_part, \
        ARRAY(SELECT COALESCE(m.attnum, 0) FROM pg_catalog.unnest(i.indkey::pg_catalog.int2[]) WITH ORDINALITY AS k (number, place) \
                LEFT JOIN pg_catalog.pg_attribute o ON o.attrelid = t.oid AND o.attnum = k.number AND k.number > 0 \
                LEFT JOIN pg_catalog.pg_attribute m ON m.attrelid = t.asked AND m.attname = o.attname \
               WHERE k.place <= i.indnkeyatts ORDER BY k.place) AS columns, \
        ARRAY(SELECT DISTINCT m.attnum FROM pg_catalog.pg_depend d \
                JOIN pg_catalog.pg_attribute o ON o.attrelid = t.oid AND o.attnum = d.refobjsubid \
                JOIN pg_catalog.pg_attribute m ON m.attrelid = t.asked AND m.attname = o.attname \
               WHERE (i.indexprs IS NOT NULL OR i.indpred IS NOT NULL) \
                 AND d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.objid = i.indexrelid \
                 AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.refobjid = t.oid AND d.refobjsubid > 0) AS reads \
   FROM tables t JOIN pg_catalog.pg_index i ON i.indrelid = t.oid JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid \
  WHERE i.indisunique";

const TYPES: &str = "SELECT t.oid::pg_catalog.int8 AS oid, pg_catalog.format_type(t.oid, NULL) AS name, \
        t.typcategory IN ('N', 'S') AS takes_zero, \
        t.typtype = 'd' AND t.typcategory <> 'C' AS is_plain_domain, \
        COALESCE(c.is_checked_by_others, false) AS is_checked_by_others, COALESCE(c.has_volatile_checks, false) AS has_volatile_checks \
   FROM pg_catalog.pg_type t \
   LEFT JOIN LATERAL (\
        WITH RECURSIVE parts (oid) AS (\
            SELECT t.oid UNION SELECT x.oid FROM parts p CROSS JOIN LATERAL (\
                SELECT y.typelem FROM pg_catalog.pg_type y WHERE y.oid = p.oid \
                UNION ALL SELECT y.typbasetype FROM pg_catalog.pg_type y WHERE y.oid = p.oid \
                UNION ALL SELECT a.atttypid FROM pg_catalog.pg_type y JOIN pg_catalog.pg_attribute a ON a.attrelid = y.typrelid \
                           WHERE y.oid = p.oid AND a.attnum > 0 AND NOT a.attisdropped \
                UNION ALL SELECT g.rngsubtype FROM pg_catalog.pg_range g WHERE p.oid IN (g.rngtypid, g.rngmultitypid)) x (oid) \
             WHERE x.oid <> 0), \
        code (owner, is_volatile) AS (\
            SELECT y.typowner, false FROM parts p JOIN pg_catalog.pg_type y ON y.oid = p.oid \
             WHERE EXISTS (SELECT FROM pg_catalog.pg_constraint k WHERE k.contypid = p.oid) \
            UNION ALL SELECT f.proowner, f.provolatile = 'v' FROM parts p JOIN pg_catalog.pg_constraint k ON k.contypid = p.oid \
              JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_constraint'::pg_catalog.regclass AND d.objid = k.oid \
              LEFT JOIN pg_catalog.pg_operator o ON d.refclassid = 'pg_catalog.pg_operator'::pg_catalog.regclass AND o.oid = d.refobjid \
              JOIN pg_catalog.pg_proc f ON f.oid = COALESCE(o.oprcode::pg_catalog.oid, d.refobjid) \
             WHERE d.refclassid IN ('pg_catalog.pg_proc'::pg_catalog.regclass, 'pg_catalog.pg_operator'::pg_catalog.regclass)) \
        SELECT pg_catalog.bool_or(NOT r.rolsuper AND r.rolname <> current_user) AS is_checked_by_others, \
               pg_catalog.bool_or(code.is_volatile) AS has_volatile_checks \
          FROM code JOIN pg_catalog.pg_roles r ON r.oid = code.owner) c ON true \
  WHERE t.oid IN (SELECT x::pg_catalog.oid FROM pg_catalog.unnest($1) AS x) AND t.typtype <> 'p'";

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
