//! The load of pgbench's tables: what `pgbench -i` leaves behind, row for row, made in the server.

use super::partitions::{self, partition_of};
use super::{ACCOUNTS, BRANCHES, HISTORY, TABLES, TELLERS, Table};
use crate::workload::quote::{qualified, quote_ident};
use crate::workload::{Action, Error, Fill, InitOptions, LoadStatement, Result, Step};

/// All steps there are, by letter.
const STEPS: &str = "dtgGvpf";
/// From this scale on account numbers are bigint (pgbench.c SCALE_32BIT_THRESHOLD).
const BIGINT_FROM_SCALE: i32 = 20_000;
/// Teller numbers are int at any scale.
const MAX_SCALE: i32 = i32::MAX / TELLERS.rows;
/// The plan of a load names each partition, and has to fit into memory.
const MAX_PARTITIONS: i32 = 10_000;
/// At most so many statements insert the accounts: up to this scale one for each branch, which is a
/// tenth of a second, often enough to show progress. A plan must fit into memory at any scale.
const MAX_CHUNKS: i32 = 10_000;

/// The load as steps.
pub(super) fn plan(options: &InitOptions) -> Result<Vec<Step>> {
    in_range("scale", options.scale, 1, MAX_SCALE)?;
    in_range("fillfactor", options.fillfactor, 10, 100)?;
    in_range("partitions", options.partitions, 0, MAX_PARTITIONS)?;
    in_range("jobs", options.jobs, 1, i32::MAX)?;
    if options.partitions == 0 && options.partition_method.is_some() {
        return Err(Error::MethodWithoutPartitions);
    }
    let mut codes: Vec<char> = options.steps.chars().filter(|&code| code != ' ').collect();
    if codes.is_empty() {
        return Err(Error::NoSteps);
    }
    if options.foreign_keys && !codes.contains(&'f') {
        codes.push('f');
    }
    codes.into_iter().map(|code| step(code, options)).collect()
}

fn in_range(option: &'static str, value: i32, min: i32, max: i32) -> Result<()> {
    if (min..=max).contains(&value) {
        return Ok(());
    }
    Err(Error::OutOfRange {
        option,
        value,
        min,
        max,
    })
}

fn step(code: char, options: &InitOptions) -> Result<Step> {
    let (description, title, actions) = match code {
        'd' => (
            "dropping old tables...",
            "drop tables",
            drop_tables(options),
        ),
        't' => (
            "creating tables...",
            "create tables",
            create_tables(options),
        ),
        // There is no client here that could generate the data: what is as fast as it gets.
        'g' => (
            "generating data (in bulk)...",
            "bulk generate",
            fill(options),
        ),
        'G' => (
            "generating data (server-side)...",
            "server-side generate",
            generate(options),
        ),
        'v' => ("vacuuming...", "vacuum", vacuum(options)),
        'p' => (
            "creating primary keys...",
            "primary keys",
            primary_keys(options),
        ),
        'f' => (
            "creating foreign keys...",
            "foreign keys",
            foreign_keys(options),
        ),
        step => {
            return Err(Error::UnknownStep {
                step,
                allowed: STEPS,
            });
        }
    };
    Ok(Step {
        code,
        description,
        title,
        actions,
        // A table truncated in the same transaction is filled without WAL where wal_level allows.
        in_transaction: matches!(code, 'g' | 'G'),
    })
}

/// The table's qualified name.
fn name(options: &InitOptions, table: &Table) -> String {
    qualified(&options.schema, table.name)
}

/// All tables, as one list: in one command foreign keys between them do not matter.
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
            // History is only appended to; a table of partitions has no pages.
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
        .collect()
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

/// Fills the tables in the order that foreign keys would ask for. Accounts get a blank-padded empty
/// filler, the others none.
fn generate(options: &InitOptions) -> Vec<Action> {
    let mut actions = vec![truncate(options)];
    for rows in [branches(options), tellers(options), accounts(options)] {
        actions.extend(rows.into_iter().map(Action::Execute));
    }
    actions
}

/// The same rows, described.
fn fill(options: &InitOptions) -> Vec<Action> {
    let fill = |table: &Table, values, partitions, instead| {
        Action::Fill(Fill {
            table: table.name,
            values,
            rows_per_unit: table.rows,
            rows: rows(table, options.scale) as u64,
            partitions,
            instead,
        })
    };
    let no_filler: &[_] = &[Some("0"), Some("0"), None];
    let no_filler_of_unit: &[_] = &[Some("0"), Some("0"), Some("0"), None];
    let blank_filler: &[_] = &[Some("0"), Some("0"), Some("0"), Some("")];
    let parts = (1..=options.partitions).map(|number| partition_of(options, number));
    vec![
        truncate(options),
        fill(&BRANCHES, no_filler, Vec::new(), branches(options)),
        fill(&TELLERS, no_filler_of_unit, Vec::new(), tellers(options)),
        fill(&ACCOUNTS, blank_filler, parts.collect(), accounts(options)),
    ]
}

fn truncate(options: &InitOptions) -> Action {
    Action::utility(format!("TRUNCATE TABLE {}", all_names(options)))
}

fn rows(table: &Table, scale: i32) -> i64 {
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
fn unit_of_row(table: &Table) -> String {
    format!(
        "(n OPERATOR(pg_catalog.-) 1) OPERATOR(pg_catalog./) {} OPERATOR(pg_catalog.+) 1",
        table.rows
    )
}

/// Inserts the rows of some units of scale; in `values`, `n` is the number of the row. The series is
/// not in FROM, where it would first be stored as a whole.
fn insert(
    options: &InitOptions,
    table: &Table,
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
    TABLES
        .iter()
        .map(|table| Action::utility(format!("VACUUM (ANALYZE) {}", name(options, table))))
        .collect()
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
mod tests {
    use super::*;
    use crate::workload::PartitionMethod;

    fn sql(options: &InitOptions) -> Vec<String> {
        let steps = plan(options).unwrap();
        let actions = steps.into_iter().flat_map(|step| step.actions);
        actions
            .flat_map(|action| match action {
                Action::Execute(statement) => vec![statement],
                Action::Fill(fill) => fill.instead,
            })
            .map(|statement| statement.sql)
            .collect()
    }

    fn with_steps(steps: &str) -> InitOptions {
        InitOptions {
            steps: steps.to_owned(),
            ..InitOptions::default()
        }
    }

    #[test]
    fn the_default_load() {
        let steps = plan(&InitOptions::default()).unwrap();
        let summary: Vec<_> = steps
            .iter()
            .map(|step| {
                (
                    step.code,
                    step.description,
                    step.actions.len(),
                    step.rows(),
                    step.in_transaction,
                )
            })
            .collect();
        assert_eq!(
            summary,
            [
                ('d', "dropping old tables...", 1, 0, false),
                ('t', "creating tables...", 4, 0, false),
                ('g', "generating data (in bulk)...", 4, 100_011, true),
                ('v', "vacuuming...", 4, 0, false),
                ('p', "creating primary keys...", 3, 0, false),
            ]
        );
    }

    #[test]
    fn every_name_is_qualified_and_quoted() {
        let options = InitOptions {
            schema: "My \"set\"".to_owned(),
            ..with_steps("dtgvpf")
        };
        for statement in sql(&options) {
            let tables = statement.matches("pgbench_").count() - statement.matches("_fkey").count();
            assert_eq!(
                statement.matches("\"My \"\"set\"\"\".\"pgbench_").count(),
                tables,
                "{statement}"
            );
        }
    }

    #[test]
    fn options_show_in_the_statements() {
        let options = InitOptions {
            fillfactor: 70,
            unlogged: true,
            tablespace: Some("fast disk".to_owned()),
            index_tablespace: Some("ix".to_owned()),
            ..with_steps("tp")
        };
        assert_eq!(
            sql(&options)[2..],
            [
                "CREATE UNLOGGED TABLE \"public\".\"pgbench_accounts\" (aid int NOT NULL, bid int, abalance int, filler char(84)) WITH (fillfactor = 70) TABLESPACE \"fast disk\"",
                "CREATE UNLOGGED TABLE \"public\".\"pgbench_history\" (tid int, bid int, aid int, delta int, mtime timestamp, filler char(22)) TABLESPACE \"fast disk\"",
                "ALTER TABLE \"public\".\"pgbench_branches\" ADD PRIMARY KEY (bid) USING INDEX TABLESPACE \"ix\"",
                "ALTER TABLE \"public\".\"pgbench_tellers\" ADD PRIMARY KEY (tid) USING INDEX TABLESPACE \"ix\"",
                "ALTER TABLE \"public\".\"pgbench_accounts\" ADD PRIMARY KEY (aid) USING INDEX TABLESPACE \"ix\"",
            ]
        );
    }

    #[test]
    fn account_numbers_are_bigint_from_scale_20000() {
        let of_scale = |scale| {
            sql(&InitOptions {
                scale,
                ..with_steps("t")
            })
            .join("\n")
        };
        assert_eq!(of_scale(19_999).matches("bigint").count(), 0);
        assert_eq!(of_scale(20_000).matches("aid bigint").count(), 2);
        assert_eq!(of_scale(20_000).matches("bigint").count(), 2);
    }

    #[test]
    fn chunks_cover_all_accounts_once() {
        for scale in [1, 2, 10, 10_000, 10_001, 25_000, MAX_SCALE] {
            let steps = plan(&InitOptions {
                scale,
                ..with_steps("g")
            })
            .unwrap();
            let Some(Action::Fill(Fill {
                rows,
                instead: accounts,
                ..
            })) = steps[0].actions.last()
            else {
                panic!("no accounts")
            };
            assert_eq!(*rows, scale as u64 * 100_000);
            assert!(accounts.len() <= MAX_CHUNKS as usize);
            assert_eq!(
                accounts.iter().map(|statement| statement.rows).sum::<u64>(),
                scale as u64 * 100_000
            );
            let mut next = 1_u64;
            for statement in accounts {
                let end = next + statement.rows - 1;
                assert!(
                    statement
                        .sql
                        .contains(&format!("generate_series({next}, {end})"))
                );
                next = end + 1;
            }
        }
    }

    #[test]
    fn in_bulk_the_same_rows_as_by_statements() {
        let sql = |steps| sql(&with_steps(steps));
        assert_eq!(sql("g"), sql("G"));
    }

    #[test]
    fn foreign_keys_are_a_step_or_an_option() {
        let codes = |steps: &str| -> String {
            let options = InitOptions {
                foreign_keys: true,
                ..with_steps(steps)
            };
            plan(&options)
                .unwrap()
                .iter()
                .map(|step| step.code)
                .collect()
        };
        assert_eq!(codes("dtgvp"), "dtgvpf");
        assert_eq!(codes("d t G p f v"), "dtGpfv");
        assert_eq!(
            sql(&with_steps("f"))[4],
            "ALTER TABLE \"public\".\"pgbench_history\" ADD CONSTRAINT pgbench_history_aid_fkey FOREIGN KEY (aid) REFERENCES \"public\".\"pgbench_accounts\""
        );
    }

    #[test]
    fn wrong_options_are_refused() {
        let message = |options: &InitOptions| plan(options).unwrap_err().to_string();
        assert_eq!(
            message(&with_steps("")),
            "no initialization steps specified"
        );
        assert_eq!(
            message(&with_steps("  ")),
            "no initialization steps specified"
        );
        let unknown = plan(&with_steps("dtX")).unwrap_err();
        assert_eq!(
            unknown.to_string(),
            "unrecognized initialization step \"X\""
        );
        assert_eq!(
            unknown.hint().as_deref(),
            Some("Allowed step characters are: \"dtgGvpf\".")
        );
        for scale in [i32::MIN, 0, MAX_SCALE + 1] {
            let options = InitOptions {
                scale,
                ..InitOptions::default()
            };
            assert_eq!(
                message(&options),
                format!("scale must be between 1 and 214748364, not {scale}")
            );
        }
        let options = InitOptions {
            partition_method: Some(PartitionMethod::Hash),
            ..InitOptions::default()
        };
        assert_eq!(
            message(&options),
            "partition_method requires partitions greater than zero"
        );
        for fillfactor in [9, 101] {
            let options = InitOptions {
                fillfactor,
                ..InitOptions::default()
            };
            assert_eq!(
                message(&options),
                format!("fillfactor must be between 10 and 100, not {fillfactor}")
            );
        }
    }
}
