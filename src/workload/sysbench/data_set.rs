//! The tables: columns, keys and indexes as `sysbench prepare` makes them, and rows of the same form.

use super::draws::{Filler, draw};
use super::options::SysbenchOptions;
use crate::error::Result;
use crate::pg::bulk::{Rows, Type, Typed};
use crate::pg::sql::quote::{qualified, quote_literal};
use crate::workload::data_set::{Action, Contents, Effect, Fill, Step, vacuum};
use crate::workload::distribution::{self, Place};
use crate::workload::params::bad_options;
use script::Expression;

static COLUMNS: [Typed; 4] = [
    Typed::new("id", Type::Int4),
    Typed::new("k", Type::Int4),
    Typed::new("c", Type::Char(120)),
    Typed::new("pad", Type::Char(60)),
];

/// sysbench has the primary key before the rows; here it is built afterwards, like the index on k.
///
/// # Errors
/// The distribution cannot be drawn from.
pub(super) fn steps(options: &SysbenchOptions) -> Result<Vec<Step>> {
    let each = |statement: fn(&SysbenchOptions, i32) -> String| {
        let statements = (1..=options.tables).map(|number| statement(options, number));
        statements.collect()
    };
    let mut create = Action::utilities(each(create_table));
    if options.distribute {
        let tables = (1..=options.tables).map(|number| (name(options, number), Place::By("id")));
        create.extend(distribution::actions(tables));
    }
    let mut steps = vec![
        Step::new("drop tables", Effect::Drops, vec![drop_tables(options)]),
        Step::new("create tables", Effect::Creates, create),
        Step::new("fill", Effect::Fills, fill(options)?),
        Step::keep_each("primary keys", each(primary_key)),
    ];
    if options.create_secondary {
        steps.push(Step::keep_each("secondary indexes", each(secondary)));
    }
    let names = (1..=options.tables).map(|number| name(options, number));
    steps.push(Step::keep_each("vacuum", vacuum(names, true)));
    Ok(steps)
}

fn name(options: &SysbenchOptions, number: i32) -> String {
    qualified(&options.schema, &table_name(number))
}

pub(super) fn table_name(number: i32) -> String {
    format!("sbtest{number}")
}

fn all_names(options: &SysbenchOptions) -> String {
    let names: Vec<String> = (1..=options.tables)
        .map(|number| name(options, number))
        .collect();
    names.join(", ")
}

fn drop_tables(options: &SysbenchOptions) -> Action {
    Action::utility(format!("DROP TABLE IF EXISTS {}", all_names(options)))
}

fn create_table(options: &SysbenchOptions, number: i32) -> String {
    let unlogged = if options.unlogged { "UNLOGGED " } else { "" };
    let id = if options.auto_inc {
        "SERIAL"
    } else {
        "INTEGER NOT NULL"
    };
    // As sysbench's tables have none.
    let fillfactor = match options.fillfactor {
        100 => String::new(),
        other => format!(" WITH (fillfactor = {other})"),
    };
    format!(
        "CREATE {unlogged}TABLE {} (id {id}, k INTEGER DEFAULT '0' NOT NULL, c CHAR(120) DEFAULT '' NOT NULL, \
         pad CHAR(60) DEFAULT '' NOT NULL){fillfactor}",
        name(options, number)
    )
}

fn fill(options: &SysbenchOptions) -> Result<Vec<Action>> {
    let draw = draw(&options.distribution, "1", &options.rows.to_string());
    let k = Expression::parse(&draw).map_err(|error| bad_options(&error.message))?;
    let truncate = Action::utility(format!("TRUNCATE TABLE {}", all_names(options)));
    let mut actions = vec![truncate];
    for number in 1..=options.tables {
        actions.push(Action::Fill(Fill {
            table: table_name(number),
            rows: options.rows as u64,
            contents: rows(options, number, &k),
        }));
        if options.auto_inc {
            actions.push(Action::utility(set_sequence(options, number)));
        }
    }
    Ok(actions)
}

fn rows(options: &SysbenchOptions, number: i32, k: &Expression) -> Contents {
    let k = k.clone();
    Contents::made(&COLUMNS, options.rows as u64, move || {
        let mut filler = Filler::new(k.clone(), number);
        move |id: i64, rows: &mut Rows| {
            let values = filler.row(id);
            rows.push(|row| {
                row.int4(id as i32);
                row.int4(values.k);
                row.text(values.c);
                row.text(values.pad);
            });
        }
    })
}

/// The sequence goes on after the last row, as if it had numbered all of them.
fn set_sequence(options: &SysbenchOptions, number: i32) -> String {
    format!(
        "SELECT pg_catalog.setval(pg_catalog.pg_get_serial_sequence({}, 'id')::pg_catalog.regclass, {})",
        quote_literal(&name(options, number)),
        options.rows
    )
}

fn primary_key(options: &SysbenchOptions, number: i32) -> String {
    format!("ALTER TABLE {} ADD PRIMARY KEY (id)", name(options, number))
}

fn secondary(options: &SysbenchOptions, number: i32) -> String {
    format!("CREATE INDEX k_{number} ON {} (k)", name(options, number))
}
