//! `bulk_insert` of sysbench 1.0.20: each client fills a table of its own with statements of many rows. Its tables are not those of
//! sysbench's other scripts, though their names are the same.

mod options;
#[cfg(test)]
mod tests;

use super::data_set::{Action, Effect, Step, vacuum};
use super::family::{Check, Family, Measured, Workload};
use super::option::Definition;
use super::params::Params;
use super::scale::Scale;
use super::scripts::ScriptSpec;
use crate::error::{Result, hinted};
use crate::pg::sql::quote::qualified;
use options::BulkInsertOptions;

const NAME: &str = "bulk_insert";

/// sysbench's tables for bulk inserts, and the workload.
#[derive(Debug)]
pub(super) struct BulkInsert;

static WORKLOADS: [Workload; 1] = [Workload {
    name: NAME,
    description: "sysbench bulk_insert: inserts of many rows, each client into a table of its own",
    family: &BulkInsert,
    scripts: |params| vec![script(&BulkInsertOptions::of(params))],
    relations: tables,
    checks,
}];

impl Family for BulkInsert {
    fn name(&self) -> &'static str {
        NAME
    }

    fn options(&self) -> &'static [Definition] {
        &options::DEFINITIONS
    }

    fn workloads(&self) -> &'static [Workload] {
        &WORKLOADS
    }

    fn tables(&self, params: &Params) -> Vec<String> {
        tables(params)
    }

    fn data_set(&self, params: &Params) -> Result<Vec<Step>> {
        Ok(steps(params))
    }

    /// Tables that sysbench has made: they are as good as these.
    fn foreign_scale(&self) -> Option<Scale> {
        Some(Scale::from(1))
    }

    /// # Errors
    /// There are fewer tables.
    fn check_clients(&self, params: &Params, clients: usize) -> Result<()> {
        let tables = BulkInsertOptions::of(params).tables;
        if clients <= tables as usize {
            return Ok(());
        }
        Err(hinted(
            format!("clients must be at most {tables}, not {clients}"),
            &format!(
                "Each client of {NAME} has a table of its own: CALL pgperf.init('{NAME}', options => '{{\"tables\": {clients}}}'). A run on \
                 tables of sysbench needs the option, too."
            ),
        ))
    }

    /// As in sysbench, a row is an event.
    fn metrics(&self, measured: &Measured) -> Vec<(&'static str, Option<f64>)> {
        let (own, others): (Vec<_>, Vec<_>) = measured
            .scripts
            .iter()
            .partition(|script| script.name == NAME);
        let inserts = own.iter().flat_map(|script| &script.commands);
        let rows: u64 = inserts
            .filter(|command| command.text.starts_with("INSERT"))
            .map(|command| command.rows)
            .sum();
        let others: u64 = others.iter().map(|script| script.transactions).sum();
        vec![
            ("rows_per_second", Some(rows as f64 / measured.seconds)),
            ("events", Some((rows + others) as f64)),
        ]
    }

    fn vacuum(&self, params: &Params, all: bool) -> Vec<String> {
        vacuum(names(params), all)
    }
}

/// Ids go on after those that are there. After an error, the next transaction goes on after those that it has not inserted.
fn script(options: &BulkInsertOptions) -> ScriptSpec {
    let rows = options.rows;
    let text = format!(
        "\\set bulk_table :client_id + 1\n\
         \\if NOT :{{?bulk_last}}\n\
         SELECT coalesce(max(id), 0) AS bulk_last FROM sbtest:bulk_table \\gset\n\
         \\endif\n\
         \\set bulk_first :bulk_last + 1\n\
         \\set bulk_last :bulk_last + {rows}\n\
         \\set bulk_rows series('(#,#)', :bulk_first, :bulk_last)\n\
         INSERT INTO sbtest:bulk_table VALUES :bulk_rows;\n"
    );
    ScriptSpec {
        simple: true,
        // A key that exists, as in the other scripts of sysbench.
        survives: vec!["23505".to_owned()],
        ..ScriptSpec::new(NAME, &text, 1)
    }
}

fn tables(params: &Params) -> Vec<String> {
    let tables = BulkInsertOptions::of(params).tables;
    (1..=tables)
        .map(|number| format!("sbtest{number}"))
        .collect()
}

fn names(params: &Params) -> Vec<String> {
    let tables = tables(params).into_iter();
    tables
        .map(|table| qualified(&params.schema, &table))
        .collect()
}

/// The tables of a load are empty: with their keys it is complete.
fn steps(params: &Params) -> Vec<Step> {
    let names = names(params);
    let step = |title, effect, statements: Vec<String>| Step {
        title,
        effect,
        actions: statements.into_iter().map(Action::utility).collect(),
        in_transaction: false,
    };
    let each = |statement: fn(&str) -> String| names.iter().map(|name| statement(name)).collect();
    let drop = format!("DROP TABLE IF EXISTS {}", names.join(", "));
    vec![
        step("drop tables", Effect::Drops, vec![drop]),
        step(
            "create tables",
            Effect::Creates,
            each(|name| {
                format!("CREATE TABLE {name} (id INTEGER NOT NULL, k INTEGER DEFAULT '0' NOT NULL)")
            }),
        ),
        step(
            "primary keys",
            Effect::Fills,
            each(|name| format!("ALTER TABLE {name} ADD PRIMARY KEY (id)")),
        ),
    ]
}

/// They read the whole table.
fn checks(params: &Params) -> Vec<Check> {
    let tables = tables(params).into_iter();
    tables
        .map(|table| Check {
            name: format!("{table} has rows from 1 on, each with its id in k"),
            sql: format!(
                "SELECT r.others OPERATOR(pg_catalog.=) 0 AS passed, \
                        pg_catalog.format('%s rows, %s others', r.rows, r.others) AS detail \
                   FROM (SELECT pg_catalog.count(*) AS rows, \
                                pg_catalog.count(*) FILTER (WHERE id OPERATOR(pg_catalog.<) 1 OR k OPERATOR(pg_catalog.<>) id) AS others \
                           FROM {}) AS r",
                qualified(&params.schema, &table)
            ),
        })
        .collect()
}
