//! The smallest family that has everything a family can have: the example in CONTRIBUTING.md, which tests load, run and
//! check, too. Compiled only for unit tests and with the feature `toy`.

use super::data_set::{Action, Contents, Effect, Fill, Step};
use super::family::{Check, Family, Workload};
use super::option::{Definition, Given, Kind, When};
use super::params::Params;
use super::scale::Scale;
use super::scripts::ScriptSpec;
use crate::error::Result;
use crate::pg::bulk::{Row, Rows, Type, Typed};
use crate::pg::sql::quote::qualified;
use serde::Deserialize;

/// Items, whose number never changes, logs of the amounts added to their totals, and tables of their parts.
#[derive(Debug)]
pub(super) struct Toy;

const ITEMS: &str = "toy_items";
const LOG: &str = "toy_log";
const ITEMS_PER_UNIT: i32 = 1_000;

static OPTIONS: [Definition; 7] = [
    Definition {
        name: "scale",
        kind: Kind::Number {
            min: 0.01,
            max: 10_000.0,
            is_whole: false,
        },
        default: Given::Number(1.0),
        when: When::Load,
        doc: "1,000 items for each unit",
    },
    Definition {
        name: "fillfactor",
        kind: Kind::integer(10, 100),
        default: Given::Number(100.0),
        when: When::Load,
        doc: "percent of each page of items to fill",
    },
    Definition {
        name: "logs",
        kind: Kind::Boolean,
        default: Given::Boolean(true),
        when: When::Load,
        doc: "whether the logs have an index",
    },
    Definition {
        name: "log_tables",
        kind: Kind::integer(1, 8),
        default: Given::Number(1.0),
        when: When::Both,
        doc: "number of logs; each has a script",
    },
    Definition {
        name: "reads",
        kind: Kind::integer(0, 100),
        default: Given::Number(3.0),
        when: When::Run,
        doc: "how often items are read for each time that they are written",
    },
    Definition {
        name: "parts",
        kind: Kind::integer(0, 500),
        default: Given::Number(0.0),
        when: When::Load,
        doc: "number of tables of parts of the items",
    },
    Definition {
        name: "create",
        kind: Kind::Boolean,
        default: Given::Boolean(true),
        when: When::Load,
        doc: "whether to create tables and indexes; otherwise the existing tables are filled",
    },
];

#[derive(Deserialize)]
#[serde(default)]
struct ToyOptions {
    fillfactor: i32,
    logs: bool,
    parts: i32,
    create: bool,
    log_tables: u32,
    reads: u32,
}

impl Default for ToyOptions {
    fn default() -> ToyOptions {
        ToyOptions {
            fillfactor: 100,
            logs: true,
            parts: 0,
            create: true,
            log_tables: 1,
            reads: 3,
        }
    }
}

/// The names of the tables of parts.
fn part_tables(params: &Params) -> Result<impl Iterator<Item = (i32, String)> + use<>> {
    let own: ToyOptions = params.options()?;
    Ok((1..=own.parts).map(|table| (table, format!("toy_parts{table}"))))
}

static WORKLOADS: [Workload; 2] = [
    Workload {
        name: "toy",
        description: "toy: three of four read, one writes",
        family: &Toy,
        scripts,
        relations: tables,
        checks,
    },
    Workload {
        name: "toy-read",
        description: "toy: reads",
        family: &Toy,
        scripts: |_| vec![ScriptSpec::new("toy-read", include_str!("read.sql"), 1)],
        relations: |_| vec![ITEMS.to_owned()],
        checks: |params| vec![row_count(params)],
    },
];

/// The options were checked before: they cannot be unreadable now.
fn options(params: &Params) -> ToyOptions {
    params.options().unwrap_or_default()
}

/// `toy_log`, `toy_log2` and so on.
fn logs(params: &Params) -> Vec<String> {
    let numbered = (2..=options(params).log_tables).map(|number| format!("{LOG}{number}"));
    std::iter::once(LOG.to_owned()).chain(numbered).collect()
}

fn tables(params: &Params) -> Vec<String> {
    [vec![ITEMS.to_owned()], logs(params)].concat()
}

/// One script reads. For each log another one writes, all equally often.
fn scripts(params: &Params) -> Vec<ScriptSpec> {
    let logs = logs(params);
    let reads = options(params).reads * logs.len() as u32;
    let write = |log: &String| {
        let text = include_str!("write.sql").replace(LOG, log);
        ScriptSpec::new(&log.replace(LOG, "toy write"), &text, 1)
    };
    let mut scripts = vec![ScriptSpec::new("toy read", include_str!("read.sql"), reads)];
    scripts.extend(logs.iter().map(write));
    scripts
}

impl Family for Toy {
    fn name(&self) -> &'static str {
        "toy"
    }

    fn options(&self) -> &'static [Definition] {
        &OPTIONS
    }

    fn workloads(&self) -> &'static [Workload] {
        &WORKLOADS
    }

    fn tables(&self, params: &Params) -> Vec<String> {
        let parts = part_tables(params).into_iter().flatten();
        let parts = parts.map(|(_, name)| name).collect();
        [tables(params), parts].concat()
    }

    fn data_set(&self, params: &Params) -> Result<Vec<Step>> {
        let own: ToyOptions = params.options()?;
        let items = qualified(&params.schema, ITEMS);
        let logs = qualified_logs(params);
        let parts: Vec<_> = part_tables(params)?.collect();
        let qualified_parts: Vec<_> = parts
            .iter()
            .map(|(_, name)| qualified(&params.schema, name))
            .collect();
        let all = [&[items.clone()][..], &logs, &qualified_parts].concat();
        let all = all.join(", ");
        let drop = format!("DROP TABLE IF EXISTS {all}");
        let mut creates = vec![format!(
            "CREATE TABLE {items} ({ITEM_DEFINITION}) WITH (fillfactor = {})",
            own.fillfactor
        )];
        creates.extend((logs.iter()).map(|log| format!("CREATE TABLE {log} (id int, added int)")));
        let names = qualified_parts.iter();
        creates.extend(names.map(|name| format!("CREATE TABLE {name} ({PART_DEFINITION})")));
        let mut fills = vec![Action::utility(format!("TRUNCATE {all}"))];
        fills.push(fill_items(params.scale));
        fills.extend((parts.iter()).map(|(table, name)| fill_parts(params.scale, *table, name)));
        let mut indexes = vec![format!("ALTER TABLE {items} ADD PRIMARY KEY (id)")];
        let of_logs = logs.iter().filter(|_| own.logs);
        indexes.extend(of_logs.map(|log| format!("CREATE INDEX ON {log} (id)")));
        let names = qualified_parts.iter();
        indexes
            .extend(names.map(|name| format!("ALTER TABLE {name} ADD PRIMARY KEY (item, part)")));
        let mut steps = vec![
            Step::new("drop", Effect::Drops, vec![Action::utility(drop)]),
            Step::new("create", Effect::Creates, Action::utilities(creates)),
            Step::new("fill", Effect::Fills, fills),
            Step::keep("index", indexes),
        ];
        if !own.create {
            steps.retain(|step| step.effect == Effect::Fills);
        }
        Ok(steps)
    }

    /// The least that anybody else would load.
    fn foreign_scale(&self) -> Option<Scale> {
        Some(1.into())
    }

    fn vacuum(&self, params: &Params, all: bool) -> Vec<String> {
        let mut statements = vec![format!("TRUNCATE {}", qualified_logs(params).join(", "))];
        if all {
            statements.push(format!("VACUUM {}", qualified(&params.schema, ITEMS)));
        }
        statements
    }
}

fn qualified_logs(params: &Params) -> Vec<String> {
    let logs = logs(params);
    let logs = logs.iter().map(|log| qualified(&params.schema, log));
    logs.collect()
}

fn rows(scale: Scale) -> i64 {
    (scale.value() * f64::from(ITEMS_PER_UNIT)) as i64
}

/// Columns of most types that can be packed, with NULLs.
static ITEM_COLUMNS: [Typed; 12] = [
    Typed::new("id", Type::Int4),
    Typed::new("total", Type::Int4).nullable(),
    Typed::new("flag", Type::Bool).nullable(),
    Typed::new("big", Type::Int8).nullable(),
    Typed::new("ratio", Type::Float8).nullable(),
    Typed::new("day", Type::Date).nullable(),
    Typed::new("at", Type::Timestamp).nullable(),
    Typed::new("name", Type::Varchar(20)).nullable(),
    Typed::new("code", Type::Char(10)).nullable(),
    Typed::new("note", Type::Text).nullable(),
    Typed::new(
        "price",
        Type::Numeric {
            precision: 12,
            scale: 2,
        },
    )
    .nullable(),
    Typed::new("filler", Type::Char(130)).nullable(),
];

/// The same columns, in SQL.
const ITEM_DEFINITION: &str = "id int NOT NULL, total int, flag bool, big bigint, ratio float8, day date, at timestamp, \
     name varchar(20), code char(10), note text, price numeric(12, 2), filler char(130)";

/// Item n.
fn item(n: i64, row: &mut Row) {
    row.int4(n as i32);
    row.int4(0);
    row.bool(n % 2 == 0);
    row.int8(n * 10_000_000_000);
    row.float8(n as f64 / 8.0);
    row.date((n % 1_000) as i32);
    row.timestamp(n * 1_000_000);
    row.text(format!("item {n}"));
    row.text(format!("c{}", n % 100));
    match n % 3 {
        0 => row.null(),
        _ => row.text("x".repeat((n % 200) as usize)),
    }
    match n % 5 {
        0 => row.null(),
        _ => row.numeric((n * 7_919) % 1_000_000 - 500_000),
    }
    match n % 7 {
        0 => row.text("filler"),
        _ => row.null(),
    }
}

fn fill_items(scale: Scale) -> Action {
    let items = rows(scale) as u64;
    Action::Fill(Fill {
        table: ITEMS.to_owned(),
        contents: Contents::made(&ITEM_COLUMNS, items, || {
            |n, rows: &mut Rows| rows.push(|row| item(n, row))
        }),
        rows: items,
    })
}

/// The parts of an item, which are a unit.
static PART_COLUMNS: [Typed; 4] = [
    Typed::new("item", Type::Int4),
    Typed::new("part", Type::Int2),
    Typed::new("name", Type::Text),
    Typed::new("made", Type::Timestamptz),
];

/// The same columns, in SQL.
const PART_DEFINITION: &str =
    "item int NOT NULL, part smallint NOT NULL, name text NOT NULL, made timestamptz NOT NULL";

/// Item n has none to three parts; their names have the number of the table.
fn fill_parts(scale: Scale, table: i32, name: &str) -> Action {
    let items = rows(scale) as u64;
    let source = move || {
        move |n: i64, rows: &mut Rows| {
            for part in 1..=(n % 4) as i16 {
                rows.push(|row| {
                    row.int4(n as i32);
                    row.int2(part);
                    row.text(format!("part {part} of item {n} in table {table}"));
                    row.timestamptz(n * 3_600_000_000 + i64::from(part));
                });
            }
        }
    };
    Action::Fill(Fill {
        table: name.to_owned(),
        contents: Contents::made(&PART_COLUMNS, items, source),
        // About as many.
        rows: items * 3 / 2,
    })
}

fn checks(params: &Params) -> Vec<Check> {
    let items = qualified(&params.schema, ITEMS);
    let logs = qualified_logs(params).into_iter();
    let logs: Vec<_> = logs.map(|log| format!("SELECT added FROM {log}")).collect();
    let logs = logs.join(" UNION ALL ");
    let sums = Check {
        name: "totals of items and the log agree".to_owned(),
        sql: format!(
            "SELECT s.items OPERATOR(pg_catalog.=) s.log AS passed, \
             pg_catalog.format('%s in items, %s in the log', s.items, s.log) AS detail \
             FROM (SELECT (SELECT pg_catalog.sum(total) FROM {items}) AS items, \
             (SELECT COALESCE(pg_catalog.sum(l.added), 0) FROM ({logs}) AS l) AS log) AS s"
        ),
    };
    vec![row_count(params), sums]
}

fn row_count(params: &Params) -> Check {
    let expected = rows(params.scale);
    Check {
        name: format!("{ITEMS} has {expected} rows at scale {}", params.scale),
        sql: format!(
            "SELECT pg_catalog.count(*) OPERATOR(pg_catalog.=) {expected} AS passed, \
             pg_catalog.format('%s rows', pg_catalog.count(*)) AS detail FROM {}",
            qualified(&params.schema, ITEMS)
        ),
    }
}

#[cfg(test)]
mod tests;
