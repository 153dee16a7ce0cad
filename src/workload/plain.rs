//! Data sets of plain tables, whose names do not depend on options. What a table is, and the load of all of them as steps, which a
//! family puts together.

use super::data_set::{Action, Contents, Effect, Fill, Partition, Partitioned, Step, vacuum};
use super::family::Check;
use super::params::Params;
use crate::pg::bulk::{Row, Rows, Type, Typed};
use crate::pg::sql::quote::qualified;

/// A table of a data set.
#[derive(Debug)]
pub struct Table {
    pub name: &'static str,
    pub columns: &'static [Typed],
    /// The columns of its primary key.
    pub key: Option<&'static str>,
    /// Whether transactions update its rows: then the option fillfactor is for its pages.
    pub is_updated: bool,
}

/// The tables of a data set, and what is built once they are filled.
#[derive(Debug)]
pub struct Plain {
    /// A table comes before those that refer to it.
    pub tables: &'static [&'static Table],
    /// Those beside the primary keys.
    pub indexes: &'static [Index],
    pub foreign_keys: &'static [ForeignKey],
    /// The tables that the standard vacuum of a run takes.
    pub busy: &'static [&'static Table],
    pub divided: &'static [Divided],
}

/// A table with partitions, of which the source of its rows gives each row's.
#[derive(Debug)]
pub struct Divided {
    pub table: &'static Table,
    /// The column, which primary keys have, too: the server demands that. Foreign keys refer to no such table.
    pub by: &'static str,
    /// In the order of their bounds.
    pub partitions: fn(&Table) -> Vec<Partition>,
}

#[derive(Debug)]
pub struct Index {
    table: &'static Table,
    columns: &'static str,
    is_unique: bool,
}

/// The columns of a table that are the primary key of another one.
#[derive(Debug)]
pub struct ForeignKey {
    table: &'static Table,
    columns: &'static str,
    referenced: &'static Table,
}

impl Index {
    pub const fn on(table: &'static Table, columns: &'static str) -> Index {
        Index {
            table,
            columns,
            is_unique: false,
        }
    }

    pub const fn unique(self) -> Index {
        Index {
            is_unique: true,
            ..self
        }
    }
}

impl ForeignKey {
    pub const fn new(
        table: &'static Table,
        columns: &'static str,
        referenced: &'static Table,
    ) -> ForeignKey {
        ForeignKey {
            table,
            columns,
            referenced,
        }
    }
}

impl Table {
    pub fn qualified(&self, schema: &str) -> String {
        qualified(schema, self.name)
    }

    /// Its columns as CREATE TABLE has them.
    pub fn definition(&self) -> String {
        let column = |column: &Typed| {
            let not_null = if column.is_nullable { "" } else { " NOT NULL" };
            format!("{} {}{not_null}", column.name, sql_type(column.kind))
        };
        let columns: Vec<_> = self.columns.iter().map(column).collect();
        columns.join(", ")
    }

    /// Fills it with rows, each of which `write` makes of its number.
    pub fn fill(&self, rows: i64, write: fn(i64, &mut Row)) -> Action {
        let source = move |n, rows: &mut Rows| rows.push(|row| write(n, row));
        self.fill_units(rows, rows as u64, source)
    }

    fn is(&self, other: &Table) -> bool {
        self.name == other.name
    }

    /// Fills it with units of rows, as in [`Contents::made`]; `rows` are expected.
    pub fn fill_units(
        &self,
        units: i64,
        rows: u64,
        source: impl FnMut(i64, &mut Rows) + Clone + Send + Sync + 'static,
    ) -> Action {
        Action::Fill(Fill {
            table: self.name.to_owned(),
            contents: Contents::made(self.columns, units as u64, move || source.clone()),
            rows,
        })
    }

    /// The condition that it has so many rows.
    pub fn row_count(&self, params: &Params, rows: i64) -> Check {
        Check {
            name: format!("{} has {rows} rows at scale {}", self.name, params.scale),
            sql: format!(
                "SELECT actual.n = {rows} AS passed, pg_catalog.format('%s rows', actual.n) AS detail \
                   FROM (SELECT pg_catalog.count(*) AS n FROM {}) AS actual",
                self.qualified(&params.schema)
            ),
        }
    }
}

impl Plain {
    pub fn names(&self) -> Vec<String> {
        let names = self.tables.iter().map(|table| table.name.to_owned());
        names.collect()
    }

    /// As one list: within one command, foreign keys between them do not matter.
    fn all_names(&self, schema: &str) -> String {
        let names: Vec<_> = self.tables.iter().map(|it| it.qualified(schema)).collect();
        names.join(", ")
    }

    pub fn drop_tables(&self, schema: &str) -> Step {
        let drop = format!("DROP TABLE IF EXISTS {}", self.all_names(schema));
        Step::new("drop tables", Effect::Drops, vec![Action::utility(drop)])
    }

    fn divided(&self, table: &Table) -> Option<&Divided> {
        self.divided.iter().find(|divided| divided.table.is(table))
    }

    pub fn create_tables(&self, schema: &str, fillfactor: i32) -> Step {
        let create = |table: &&Table| {
            let (name, columns) = (table.qualified(schema), table.definition());
            let behind = match (self.divided(table), table.is_updated) {
                (Some(divided), _) => format!(" PARTITION BY RANGE ({})", divided.by),
                (None, true) => format!(" WITH (fillfactor = {fillfactor})"),
                (None, false) => String::new(),
            };
            let mut statements = vec![format!("CREATE TABLE {name} ({columns}){behind}")];
            if let Some(divided) = self.divided(table) {
                let partitions = (divided.partitions)(table).into_iter();
                statements.extend(partitions.map(|Partition { table, bound, .. }| {
                    let partition = qualified(schema, &table);
                    format!("CREATE TABLE {partition} PARTITION OF {name} {bound}")
                }));
            }
            statements
        };
        let statements = self.tables.iter().flat_map(create).collect();
        Step::new(
            "create tables",
            Effect::Creates,
            Action::utilities(statements),
        )
    }

    pub fn fill(&self, schema: &str, rows: impl IntoIterator<Item = Action>) -> Step {
        let mut actions = vec![Action::utility(format!(
            "TRUNCATE {}",
            self.all_names(schema)
        ))];
        if !self.divided.is_empty() {
            // The bounds of partitions are compared as texts.
            actions.push(Action::utility("SET LOCAL datestyle = 'ISO'".to_owned()));
        }
        actions.extend(rows.into_iter().map(|action| self.divide(action)));
        Step::new("bulk generate", Effect::Fills, actions)
    }

    /// Has a fill write the partitions of its table, if that has some.
    fn divide(&self, mut action: Action) -> Action {
        if let Action::Fill(fill) = &mut action
            && let Contents::Made { partitioned, .. } = &mut fill.contents
        {
            let mut divided = self.divided.iter();
            let divided = divided.find(|divided| divided.table.name == fill.table);
            *partitioned = divided.map(|divided| Partitioned {
                by: divided.by,
                partitions: (divided.partitions)(divided.table),
            });
        }
        action
    }

    /// One after the other, each with the server's parallel workers: the largest table takes most of the time.
    pub fn primary_keys(&self, schema: &str) -> Step {
        let primary_key = |table: &&Table| {
            let (name, key) = (table.qualified(schema), table.key?);
            let by = self.divided(table).map(|divided| divided.by);
            let columns: Vec<_> = std::iter::once(key).chain(by).collect();
            let columns = columns.join(", ");
            Some(format!("ALTER TABLE {name} ADD PRIMARY KEY ({columns})"))
        };
        let keys = self.tables.iter().filter_map(primary_key).collect();
        Step::keep("primary keys", keys)
    }

    pub fn indexes(&self, schema: &str) -> Step {
        let index = |index: &Index| {
            let unique = if index.is_unique { "UNIQUE " } else { "" };
            let name = index.table.qualified(schema);
            format!("CREATE {unique}INDEX ON {name} ({})", index.columns)
        };
        Step::keep("indexes", self.indexes.iter().map(index).collect())
    }

    pub fn foreign_keys(&self, schema: &str) -> Step {
        let foreign_key = |key: &ForeignKey| {
            format!(
                "ALTER TABLE {} ADD FOREIGN KEY ({}) REFERENCES {}",
                key.table.qualified(schema),
                key.columns,
                key.referenced.qualified(schema)
            )
        };
        let keys = self.foreign_keys.iter();
        let keys = keys.filter(|key| self.divided(key.referenced).is_none());
        Step::keep("foreign keys", keys.map(foreign_key).collect())
    }

    /// The last step, which vacuums all tables.
    pub fn vacuum_all(&self, schema: &str) -> Step {
        Step::keep_each("vacuum", self.vacuum(schema, true))
    }

    /// The vacuum of a run: of all tables, or the standard one.
    pub fn vacuum(&self, schema: &str, all: bool) -> Vec<String> {
        let tables = if all { self.tables } else { self.busy };
        vacuum(tables.iter().map(|table| table.qualified(schema)), all)
    }
}

fn sql_type(kind: Type) -> String {
    match kind {
        Type::Bool => "boolean".to_owned(),
        Type::Int2 => "smallint".to_owned(),
        Type::Int4 => "integer".to_owned(),
        Type::Int8 => "bigint".to_owned(),
        Type::Float8 => "double precision".to_owned(),
        Type::Date => "date".to_owned(),
        Type::Timestamp => "timestamp".to_owned(),
        Type::Timestamptz => "timestamptz".to_owned(),
        Type::Text => "text".to_owned(),
        Type::Varchar(length) => format!("varchar({length})"),
        Type::Char(length) => format!("char({length})"),
        Type::Numeric { precision, scale } => format!("numeric({precision}, {scale})"),
    }
}

#[cfg(test)]
pub mod tests;
