//! The smallest family that has everything a family can have: the example in CONTRIBUTING.md, which tests load, run and
//! check, too. Compiled only for unit tests and with the feature `toy`.

use super::option::{Definition, Given, Kind};
use super::scripts::ScriptSpec;
use super::{
    Action, Check, Contents, Effect, Family, Fill, LoadStatement, Params, Result, Scale, Step,
    Workload,
};
use crate::pg::bulk::{Row, Type, Typed};
use crate::pg::sql::quote::qualified;
use serde::Deserialize;

/// Items, whose number never changes, and a log of the amounts added to their totals.
#[derive(Debug)]
pub(super) struct Toy;

const ITEMS: &str = "toy_items";
const LOG: &str = "toy_log";
const ITEMS_PER_UNIT: i32 = 1_000;

static OPTIONS: [Definition; 3] = [
    Definition {
        name: "scale",
        kind: Kind::Number {
            min: 0.01,
            max: 10_000.0,
            is_whole: false,
        },
        default: Given::Number(1.0),
        doc: "1,000 items for each unit",
    },
    Definition {
        name: "fillfactor",
        kind: Kind::integer(10, 100),
        default: Given::Number(100.0),
        doc: "percent of each page of items to fill",
    },
    Definition {
        name: "logs",
        kind: Kind::Boolean,
        default: Given::Boolean(true),
        doc: "whether the log has an index",
    },
];

#[derive(Deserialize)]
#[serde(default)]
struct Options {
    fillfactor: i32,
    logs: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            fillfactor: 100,
            logs: true,
        }
    }
}

static WORKLOADS: [Workload; 2] = [
    Workload {
        name: "toy",
        description: "toy: three of four read, one writes",
        family: &Toy,
        scripts: |_| {
            vec![
                ScriptSpec::new("toy read", include_str!("read.sql"), 3),
                ScriptSpec::new("toy write", include_str!("write.sql"), 1),
            ]
        },
        relations: |_| vec![ITEMS.to_owned(), LOG.to_owned()],
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

    fn tables(&self, _params: &Params) -> Vec<String> {
        vec![ITEMS.to_owned(), LOG.to_owned()]
    }

    fn data_set(&self, params: &Params) -> Result<Vec<Step>> {
        let own: Options = params.options()?;
        let step = |title, effect, actions| Step {
            title,
            effect,
            actions,
            in_transaction: effect == Effect::Fills,
        };
        let (items, log) = (
            qualified(&params.schema, ITEMS),
            qualified(&params.schema, LOG),
        );
        let utilities = |texts: Vec<String>| texts.into_iter().map(Action::utility).collect();
        let mut indexes = vec![format!("ALTER TABLE {items} ADD PRIMARY KEY (id)")];
        if own.logs {
            indexes.push(format!("CREATE INDEX ON {log} (id)"));
        }
        Ok(vec![
            step(
                "drop",
                Effect::Drops,
                utilities(vec![format!("DROP TABLE IF EXISTS {items}, {log}")]),
            ),
            step(
                "create",
                Effect::Creates,
                utilities(vec![
                    format!(
                        "CREATE TABLE {items} ({ITEM_DEFINITION}) WITH (fillfactor = {})",
                        own.fillfactor
                    ),
                    format!("CREATE TABLE {log} (id int, added int)"),
                ]),
            ),
            step("fill", Effect::Fills, fill(params.scale, &items)),
            step("index", Effect::Keeps, utilities(indexes)),
        ])
    }

    fn vacuum(&self, params: &Params, all: bool) -> Vec<String> {
        let mut statements = vec![format!("TRUNCATE {}", qualified(&params.schema, LOG))];
        if all {
            statements.push(format!("VACUUM {}", qualified(&params.schema, ITEMS)));
        }
        statements
    }
}

fn rows(scale: Scale) -> i64 {
    (scale.value() * f64::from(ITEMS_PER_UNIT)) as i64
}

/// Columns of all types that can be packed, with NULLs.
static ITEM_COLUMNS: [Typed; 12] = [
    Typed {
        is_nullable: false,
        ..column("id", Type::Int4)
    },
    column("total", Type::Int4),
    column("flag", Type::Bool),
    column("big", Type::Int8),
    column("ratio", Type::Float8),
    column("day", Type::Date),
    column("at", Type::Timestamp),
    column("name", Type::Varchar(20)),
    column("code", Type::Char(10)),
    column("note", Type::Text),
    column(
        "price",
        Type::Numeric {
            precision: 12,
            scale: 2,
        },
    ),
    column("filler", Type::Char(130)),
];

const fn column(name: &'static str, kind: Type) -> Typed {
    Typed {
        name,
        kind,
        is_nullable: true,
    }
}

/// The same columns, in SQL.
const ITEM_DEFINITION: &str = "id int NOT NULL, total int, flag bool, big bigint, ratio float8, day date, at timestamp, \
     name varchar(20), code char(10), note text, price numeric(12, 2), filler char(130)";

/// Item n, with the same values as [`ITEM_VALUES`].
fn item(n: i64, row: &mut Row) {
    row.int4(n as i32);
    row.int4(0);
    row.bool(n % 2 == 0);
    row.int8(n * 10_000_000_000);
    row.float8(n as f64 / 8.0);
    row.date((n % 1_000) as i32);
    row.timestamp(n * 1_000_000);
    row.text(&format!("item {n}"));
    row.text(&format!("c{}", n % 100));
    match n % 3 {
        0 => row.null(),
        _ => row.text(&"x".repeat((n % 200) as usize)),
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

/// The values of item n, in SQL.
const ITEM_VALUES: &str = "n, 0, n % 2 = 0, n * 10000000000, n / 8.0::float8, DATE '2000-01-01' + n % 1000, \
     TIMESTAMP '2000-01-01' + n * INTERVAL '1 s', 'item ' || n, 'c' || n % 100, \
     CASE WHEN n % 3 <> 0 THEN pg_catalog.repeat('x', n % 200) END, \
     CASE WHEN n % 5 <> 0 THEN ((n * 7919::bigint) % 1000000 - 500000)::numeric / 100 END, \
     CASE WHEN n % 7 = 0 THEN 'filler' END";

fn fill(scale: Scale, items: &str) -> Vec<Action> {
    let rows = rows(scale);
    vec![
        Action::utility(format!("TRUNCATE {items}")),
        Action::Fill(Fill {
            table: ITEMS,
            contents: Contents::Made {
                columns: &ITEM_COLUMNS,
                source: |_| Box::new(item),
            },
            rows: rows as u64,
            partitions: Vec::new(),
            instead: vec![LoadStatement {
                sql: format!(
                    "INSERT INTO {items} SELECT {ITEM_VALUES} FROM pg_catalog.generate_series(1, {rows}) AS n"
                ),
                rows: rows as u64,
            }],
        }),
    ]
}

fn checks(params: &Params) -> Vec<Check> {
    let (items, log) = (
        qualified(&params.schema, ITEMS),
        qualified(&params.schema, LOG),
    );
    let sums = Check {
        name: "totals of items and the log agree".to_owned(),
        sql: format!(
            "SELECT s.items OPERATOR(pg_catalog.=) s.log AS passed, \
             pg_catalog.format('%s in items, %s in the log', s.items, s.log) AS detail \
             FROM (SELECT (SELECT pg_catalog.sum(total) FROM {items}) AS items, \
             (SELECT COALESCE(pg_catalog.sum(added), 0) FROM {log}) AS log) AS s"
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
mod tests {
    use crate::error::Problem;
    use crate::workload::{Params, Result, Step, find, load_steps};
    use serde_json::{Value, json};

    fn params(scale: f64, given: Value) -> Result<Params> {
        let family = find("toy")?.family;
        let scale = crate::workload::Scale::new(scale);
        let given = given.as_object().cloned().unwrap_or_default();
        Params::of_load(family, "s".to_owned(), scale, 2, &given)
    }

    #[test]
    fn a_scale_may_have_a_fraction() {
        let loads = |scale| -> u64 {
            let steps = load_steps("toy-read", &params(scale, json!({})).unwrap()).unwrap();
            steps.iter().map(Step::rows).sum()
        };
        assert_eq!((loads(0.5), loads(3.0)), (500, 3_000));
        let checks = (find("toy-read").unwrap().checks)(&params(0.5, json!({})).unwrap());
        assert_eq!(checks[0].name, "toy_items has 500 rows at scale 0.5");
    }

    #[test]
    fn options_are_its_own() {
        let with = |given| params(1.0, given).map(|params| params.options);
        let defaults = with(json!({})).unwrap();
        assert_eq!(
            Value::Object(defaults.clone()),
            json!({"fillfactor": 100, "logs": true})
        );
        // Options of another family with their SQL defaults count as not given.
        assert_eq!(
            with(json!({"steps": "dtgvp", "partitions": 0})),
            Ok(defaults)
        );
        let error = with(json!({"partitions": 3})).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the tables of \"toy\" have no option partitions"
        );
        assert!(error.hint().unwrap().contains(
            "fillfactor (integer from 10 to 100, default 100): percent of each page of items to fill; logs"
        ));
        for given in [json!({"fillfactor": 5}), json!({"logs": 1})] {
            with(given).unwrap_err();
        }
    }

    #[test]
    fn a_workload_may_have_several_scripts() {
        let workload = find("toy").unwrap();
        let params = Params::of_tables(workload.family, "", 1.into());
        let weights: Vec<_> = (workload.scripts)(&params)
            .into_iter()
            .map(|script| (script.name, script.weight))
            .collect();
        assert_eq!(
            weights,
            [("toy read".to_owned(), 3), ("toy write".to_owned(), 1)]
        );
    }
}
