//! The relative effort of the steps of a load, estimated beforehand. The overall progress of a load is computed from it. The
//! unit is the time in which a byte of a table is written in bulk; the figures are from loads of all data sets.

use super::data_set::{Action, Fill, LoadStatement, Step};
use std::collections::BTreeMap;

/// A row that a statement inserts, per byte.
const INSERT: f64 = 6.0;
/// Going through a table that was filled, per byte of it.
const VACUUM: f64 = 0.5;
const INDEX: f64 = 2.0;
const FOREIGN_KEY: f64 = 2.0;
/// About the length of a row of pgbench's, whose statements tell only how many they insert.
const ROW_BYTES: u64 = 128;

/// The efforts of a load: its tables with their sizes.
#[derive(Debug, Default)]
pub struct Efforts {
    bytes: BTreeMap<String, u64>,
    fills: u64,
    others: u64,
}

impl Efforts {
    pub fn of(steps: &[Step]) -> Efforts {
        let mut efforts = Efforts::default();
        let actions = || steps.iter().flat_map(|step| &step.actions);
        for action in actions() {
            efforts.fills += match action {
                Action::Fill(fill) => efforts.add(&fill.table, fill.bytes()),
                Action::Execute(LoadStatement { sql, rows }) if *rows > 0 => {
                    let table = table_of(sql).unwrap_or_default();
                    inserted(efforts.add(table, rows * ROW_BYTES))
                }
                _ => 0,
            };
        }
        // All tables are known now.
        let others = actions().map(|action| match action {
            Action::Execute(statement) => efforts.of_statement(&statement.sql),
            Action::Each(statements) => statements.iter().map(|it| efforts.of_statement(it)).sum(),
            _ => 0,
        });
        efforts.others = others.sum();
        efforts
    }

    /// Of filling all tables: in bulk those that are described for that, the others by statements.
    pub fn of_fills(&self) -> u64 {
        self.fills
    }

    /// Of everything else.
    pub fn of_others(&self) -> u64 {
        self.others
    }

    /// What a table takes more that has to be filled by statements.
    pub fn of_inserting(&self, fill: &Fill) -> u64 {
        let bytes = self.bytes.get(&fill.table).copied().unwrap_or(0);
        inserted(bytes) - bytes
    }

    /// Of a statement that goes through a table that was filled; 0 for any other.
    pub fn of_statement(&self, sql: &str) -> u64 {
        let per_byte = match sql {
            sql if sql.starts_with("VACUUM") => VACUUM,
            sql if sql.contains(" FOREIGN KEY ") => FOREIGN_KEY,
            sql if sql.contains(" PRIMARY KEY ") && sql.starts_with("ALTER") => INDEX,
            sql if sql.starts_with("CREATE") && sql.contains("INDEX ") => INDEX,
            _ => return 0,
        };
        let bytes = table_of(sql).and_then(|table| self.bytes.get(table));
        (per_byte * bytes.copied().unwrap_or(0) as f64) as u64
    }

    fn add(&mut self, table: &str, bytes: u64) -> u64 {
        *self.bytes.entry(table.to_owned()).or_default() += bytes;
        bytes
    }
}

fn inserted(bytes: u64) -> u64 {
    (INSERT * bytes as f64) as u64
}

/// The first table that a data set's own statement names: all of them are qualified and quoted.
fn table_of(sql: &str) -> Option<&str> {
    sql.split_once("\".\"")?.1.split('"').next()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::{Params, families};

    fn efforts(name: &str) -> (Vec<Step>, Efforts) {
        let family = families().iter().find(|family| family.name() == name);
        let params = Params::of_tables(*family.unwrap(), "s", 3.into());
        let steps = family.unwrap().data_set(&params).unwrap();
        let efforts = Efforts::of(&steps);
        (steps, efforts)
    }

    #[test]
    fn every_step_behind_the_rows_has_its_share() {
        for family in families() {
            let (steps, efforts) = efforts(family.name());
            let of = |step: &Step| -> u64 {
                let actions = step.actions.iter();
                let of_action = |action: &Action| match action {
                    Action::Execute(statement) => efforts.of_statement(&statement.sql),
                    Action::Each(all) => all.iter().map(|it| efforts.of_statement(it)).sum(),
                    _ => 0,
                };
                actions.map(of_action).sum()
            };
            let rows: u64 = steps.iter().map(Step::rows).sum();
            assert_eq!(efforts.of_fills() > 0, rows > 0, "{family:?}");
            assert_eq!(efforts.of_others(), steps.iter().map(of).sum::<u64>());
            let behind = steps.iter().skip_while(|step| step.rows() == 0).skip(1);
            for step in behind.filter(|step| step.title != "functions") {
                assert!(of(step) > 0, "{family:?}: {}", step.title);
            }
        }
    }

    #[test]
    fn the_largest_table_takes_most() {
        let (_, efforts) = efforts("pgbench");
        let of = |sql: &str| efforts.of_statement(sql);
        let accounts = of("VACUUM (ANALYZE) \"s\".\"pgbench_accounts\"");
        assert!(accounts > 1000 * of("VACUUM (ANALYZE) \"s\".\"pgbench_tellers\""));
        assert_eq!(of("VACUUM (ANALYZE) \"s\".\"pgbench_history\""), 0);
        // A foreign key goes through the table that has it.
        let reference = of(
            "ALTER TABLE \"s\".\"pgbench_accounts\" ADD FOREIGN KEY (bid) REFERENCES \"s\".\"pgbench_branches\"",
        );
        assert!(reference > accounts);
        assert_eq!(of("TRUNCATE \"s\".\"pgbench_accounts\""), 0);
        assert_eq!(of("SET LOCAL datestyle = 'ISO'"), 0);
    }

    #[test]
    fn statements_take_longer_than_filling_in_bulk() {
        let (steps, efforts) = efforts("pgbench");
        let mut fills = steps.iter().flat_map(|step| &step.actions);
        let accounts = fills.find_map(|action| match action {
            Action::Fill(fill) if fill.table == "pgbench_accounts" => Some(fill),
            _ => None,
        });
        let more = efforts.of_inserting(accounts.unwrap());
        assert!(more > efforts.of_fills(), "{more}");
    }
}
