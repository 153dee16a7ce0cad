//! The load of pgbench's tables: the same rows that `pgbench -i` creates, made in the server.

use super::options::InitOptions;
use super::partitions::{self, partition_of};
use super::{ACCOUNTS, BRANCHES, HISTORY, PgbenchTable, TABLES, TELLERS};
use crate::error::{Result, hinted, invalid};
use crate::pg::bulk::{Column, Content};
use crate::pg::sql::quote::{qualified, quote_ident};
use crate::workload::data_set::{self, Action, Contents, Effect, Fill, LoadStatement, Step};
use crate::workload::distribution::{self, Place};

/// The letters of all steps.
const STEPS: &str = "dtgGvpf";
/// From this scale on, account numbers are bigint (pgbench.c SCALE_32BIT_THRESHOLD).
const BIGINT_FROM_SCALE: i32 = 20_000;
/// The maximum number of statements that insert the accounts. Up to this scale there is one for each
/// branch, which takes a tenth of a second: often enough to show progress. A plan must fit into memory
/// at any scale.
const MAX_CHUNKS: i32 = 10_000;

/// The load as steps.
pub(super) fn plan(options: &InitOptions) -> Result<Vec<Step>> {
    if options.partitions == 0 && options.partition_method.is_some() {
        return Err(invalid(
            "partition_method requires partitions greater than zero",
        ));
    }
    let mut codes: Vec<char> = options.steps.chars().filter(|&code| code != ' ').collect();
    if codes.is_empty() {
        return Err(invalid("no initialization steps specified"));
    }
    if options.foreign_keys && !codes.contains(&'f') {
        codes.push('f');
    }
    codes.into_iter().map(|code| step(code, options)).collect()
}

fn step(code: char, options: &InitOptions) -> Result<Step> {
    use Effect::{Creates, Drops, Fills, Keeps};
    let (title, effect, actions) = match code {
        'd' => ("drop tables", Drops, drop_tables(options)),
        't' => ("create tables", Creates, create_tables(options)),
        // pgbench generates the data in the client here. There is no client, so this is the fastest way instead.
        'g' => ("bulk generate", Fills, fill(options)),
        'G' => ("server-side generate", Fills, generate(options)),
        'v' => ("vacuum", Keeps, vacuum(options)),
        'p' => ("primary keys", Keeps, primary_keys(options)),
        'f' => ("foreign keys", Keeps, foreign_keys(options)),
        step => {
            return Err(hinted(
                format!("unrecognized initialization step \"{step}\""),
                &format!("Allowed step characters are: \"{STEPS}\"."),
            ));
        }
    };
    Ok(Step::new(title, effect, actions))
}

/// The table's qualified name.
fn name(options: &InitOptions, table: &PgbenchTable) -> String {
    qualified(&options.schema, table.name)
}

/// All tables, as one list: within one command, foreign keys between them do not matter.
fn all_names(options: &InitOptions) -> String {
    TABLES.map(|table| name(options, table)).join(", ")
}

fn drop_tables(options: &InitOptions) -> Vec<Action> {
    let sql = format!("DROP TABLE IF EXISTS {}", all_names(options));
    vec![Action::utility(sql)]
}

fn create_tables(options: &InitOptions) -> Vec<Action> {
    let tablespace = in_tablespace(" TABLESPACE", &options.tablespace);
    TABLES
        .iter()
        .map(|table| {
            let mut columns = table.columns.to_owned();
            if options.scale >= BIGINT_FROM_SCALE {
                columns = columns.replace("aid int", "aid bigint");
            }
            let is_parent = options.partitions > 0 && table.name == ACCOUNTS.name;
            let unlogged = partitions::unlogged(options, false);
            // History is only appended to; a partitioned table has no pages.
            let storage = match table.key {
                Some(_) if is_parent => partitions::by(options).to_owned(),
                Some(_) => fillfactor(options),
                None => String::new(),
            };
            Action::utility(format!(
                "CREATE {unlogged}TABLE {} ({columns}){storage}{tablespace}",
                name(options, table)
            ))
        })
        .chain(partitions::create(options))
        .chain(distribute(options))
        .collect()
}

/// Accounts and their history lie together, the others are everywhere.
fn distribute(options: &InitOptions) -> Vec<Action> {
    let place = |table: &PgbenchTable| match table.name {
        name if name == ACCOUNTS.name || name == HISTORY.name => Place::By("aid"),
        _ => Place::Everywhere,
    };
    let tables = options.distribute.then_some(TABLES).into_iter().flatten();
    distribution::actions(tables.map(|table| (name(options, table), place(table))))
}

pub(super) fn fillfactor(options: &InitOptions) -> String {
    format!(" WITH (fillfactor = {})", options.fillfactor)
}

/// `keyword` and the tablespace, or nothing.
fn in_tablespace(keyword: &str, tablespace: &Option<String>) -> String {
    tablespace
        .as_deref()
        .map(|tablespace| format!("{keyword} {}", quote_ident(tablespace)))
        .unwrap_or_default()
}

/// Fills the tables in the order that foreign keys would require. Accounts get a blank-padded empty
/// filler, the other tables get NULL.
fn generate(options: &InitOptions) -> Vec<Action> {
    let mut actions = vec![truncate(options)];
    for rows in [branches(options), tellers(options), accounts(options)] {
        actions.extend(rows.into_iter().map(Action::Execute));
    }
    actions
}

const BRANCH_ROWS: [Column; 3] = [
    column("bid", Content::Key),
    column("bbalance", Content::Int(0)),
    column("filler", chars(88, None)),
];
const TELLER_ROWS: [Column; 4] = [
    column("tid", Content::Key),
    column("bid", Content::Unit),
    column("tbalance", Content::Int(0)),
    column("filler", chars(84, None)),
];
const ACCOUNT_ROWS: [Column; 4] = [
    column("aid", Content::Key),
    column("bid", Content::Unit),
    column("abalance", Content::Int(0)),
    column("filler", chars(84, Some(""))),
];

const fn column(name: &'static str, content: Content<'static>) -> Column<'static> {
    Column { name, content }
}

const fn chars(length: u16, value: Option<&'static str>) -> Content<'static> {
    Content::Char { length, value }
}

/// The same rows, described for the bulk writer.
fn fill(options: &InitOptions) -> Vec<Action> {
    let fill = |table: &PgbenchTable, columns, partitions, instead| {
        Action::Fill(Fill {
            table: table.name.to_owned(),
            contents: Contents::Alike {
                columns,
                rows_per_unit: table.rows,
                partitions,
                instead,
            },
            rows: rows(table, options.scale) as u64,
        })
    };
    let parts = (1..=options.partitions).map(|number| partition_of(options, number));
    vec![
        truncate(options),
        fill(&BRANCHES, &BRANCH_ROWS, Vec::new(), branches(options)),
        fill(&TELLERS, &TELLER_ROWS, Vec::new(), tellers(options)),
        fill(&ACCOUNTS, &ACCOUNT_ROWS, parts.collect(), accounts(options)),
    ]
}

fn truncate(options: &InitOptions) -> Action {
    Action::utility(format!("TRUNCATE TABLE {}", all_names(options)))
}

fn rows(table: &PgbenchTable, scale: i32) -> i64 {
    i64::from(table.rows) * i64::from(scale)
}

fn branches(options: &InitOptions) -> Vec<LoadStatement> {
    let all = 0..options.scale;
    vec![insert(options, &BRANCHES, "bid, bbalance", "n, 0", all)]
}

fn tellers(options: &InitOptions) -> Vec<LoadStatement> {
    let values = format!("n, {}, 0", unit_of_row(&TELLERS));
    let all = 0..options.scale;
    vec![insert(
        options,
        &TELLERS,
        "tid, bid, tbalance",
        &values,
        all,
    )]
}

fn accounts(options: &InitOptions) -> Vec<LoadStatement> {
    let scale = options.scale;
    let values = format!("n, {}, 0, ''", unit_of_row(&ACCOUNTS));
    let columns = "aid, bid, abalance, filler";
    let chunk = (scale - 1) / MAX_CHUNKS + 1;
    (0..scale)
        .step_by(chunk as usize)
        .map(|from| {
            let units = from..from.saturating_add(chunk).min(scale);
            insert(options, &ACCOUNTS, columns, &values, units)
        })
        .collect()
}

/// The branch of row n of a table, as SQL.
fn unit_of_row(table: &PgbenchTable) -> String {
    format!(
        "(n OPERATOR(pg_catalog.-) 1) OPERATOR(pg_catalog./) {} OPERATOR(pg_catalog.+) 1",
        table.rows
    )
}

/// Inserts the rows of some units of scale; in `values`, `n` is the number of the row. The function
/// generate_series is not called in FROM, which would first store the whole series.
fn insert(
    options: &InitOptions,
    table: &PgbenchTable,
    columns: &str,
    values: &str,
    units: std::ops::Range<i32>,
) -> LoadStatement {
    let first = rows(table, units.start) + 1;
    let last = rows(table, units.end);
    LoadStatement {
        sql: format!(
            "INSERT INTO {} ({columns}) SELECT {values} FROM (SELECT pg_catalog.generate_series({first}, {last}) AS n) AS series",
            name(options, table)
        ),
        rows: last.abs_diff(first) + 1,
    }
}

fn vacuum(options: &InitOptions) -> Vec<Action> {
    let names = TABLES.iter().map(|table| name(options, table));
    Action::utilities(data_set::vacuum(names, true))
}

fn primary_keys(options: &InitOptions) -> Vec<Action> {
    let tablespace = in_tablespace(" USING INDEX TABLESPACE", &options.index_tablespace);
    TABLES
        .iter()
        .filter_map(|table| {
            let key = table.key?;
            Some(Action::utility(format!(
                "ALTER TABLE {} ADD PRIMARY KEY ({key}){tablespace}",
                name(options, table)
            )))
        })
        .collect()
}

fn foreign_keys(options: &InitOptions) -> Vec<Action> {
    [
        (&TELLERS, "bid", &BRANCHES),
        (&ACCOUNTS, "bid", &BRANCHES),
        (&HISTORY, "bid", &BRANCHES),
        (&HISTORY, "tid", &TELLERS),
        (&HISTORY, "aid", &ACCOUNTS),
    ]
    .map(|(table, key, referenced)| {
        Action::utility(format!(
            "ALTER TABLE {} ADD CONSTRAINT {}_{key}_fkey FOREIGN KEY ({key}) REFERENCES {}",
            name(options, table),
            table.name,
            name(options, referenced)
        ))
    })
    .into()
}

#[cfg(test)]
mod tests;
