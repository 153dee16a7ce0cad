//! The fitness of loaded data sets for runs: filled, analyzed, vacuumed, and so large that clients rarely change the same
//! rows.

use super::finding::{Finding, Status};
use super::settings::Settings;
use crate::error::Result;
use crate::facts::environment::machine;
use crate::pg::sql::quote::quote_ident;
use crate::pg::sql::spi;
use crate::workload::families;
use serde::Deserialize;

const CHECK: &str = "data_sets";
/// So many dead rows, and more than a fifth of the live ones, are more than autovacuum leaves for long.
const MANY_DEAD: i64 = 10_000;

#[derive(Debug, Deserialize)]
struct DataSet {
    schema_name: String,
    data_set: String,
    /// 0: not completely loaded.
    scale: f64,
    /// Tables with rows that nobody has analyzed.
    unknown: Option<Vec<String>>,
    /// Tables with many dead rows.
    dead: Option<Vec<String>>,
}

pub fn check(_: &Settings) -> Result<Vec<Finding>> {
    #[derive(Deserialize)]
    struct Visibility {
        sees: bool,
    }
    let seen: Option<Visibility> = spi::select_one(
        "SELECT pg_catalog.has_table_privilege('pgperf.data_sets', 'SELECT') AS sees",
        &[],
    )?;
    if !seen.is_some_and(|seen| seen.sees) {
        let hidden = "data sets are shown to members of pg_monitor only";
        return Ok(vec![Finding::unknown(CHECK, hidden)]);
    }
    // A partitioned table has its rows in its partitions.
    let sets: Vec<DataSet> = spi::select(
        "SELECT d.schema_name, d.data_set, d.scale, \
                pg_catalog.array_agg(t.name ORDER BY t.name) FILTER (WHERE t.is_unknown) AS unknown, \
                pg_catalog.array_agg(t.name ORDER BY t.name) FILTER (WHERE t.is_dead) AS dead \
           FROM pgperf.data_sets d LEFT JOIN LATERAL ( \
                SELECT pg_catalog.format('%I.%I', n.nspname, c.relname) AS name, \
                       c.reltuples = -1 AND pg_catalog.pg_relation_size(c.oid) > 0 AS is_unknown, \
                       s.n_dead_tup > $1 + s.n_live_tup / 5 AS is_dead \
                  FROM pg_catalog.unnest(d.relations) r (oid) \
                 CROSS JOIN LATERAL (SELECT r.oid UNION \
                        SELECT t.relid FROM pg_catalog.pg_partition_tree(r.oid::pg_catalog.regclass) t) p (relid) \
                  JOIN pg_catalog.pg_class c ON c.oid = p.relid AND c.relkind = 'r' \
                  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
                  LEFT JOIN pg_catalog.pg_stat_all_tables s ON s.relid = c.oid) t ON true \
          WHERE d.node_id = pgperf.local_node() \
            AND EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.oid = ANY (d.relations)) \
          GROUP BY d.schema_name, d.data_set, d.scale ORDER BY d.schema_name, d.data_set",
        &[MANY_DEAD.into()],
    )?;
    let clients = 4.0 * machine::cpus() as f64;
    let found: Vec<Finding> = sets.iter().flat_map(|set| judge(set, clients)).collect();
    Ok(match found.is_empty() {
        true => vec![Finding::ok(
            CHECK,
            format!("{} data sets loaded", sets.len()),
        )],
        false => found,
    })
}

/// `clients`: those that saturate the machine.
fn judge(set: &DataSet, clients: f64) -> Vec<Finding> {
    let name = format!(
        "{} in schema {}",
        set.data_set,
        quote_ident(&set.schema_name)
    );
    let warning = |detail: &str| Finding::new(CHECK, Status::Warning, format!("{name}: {detail}"));
    let mut findings = Vec::new();
    if set.scale <= 0.0 {
        findings.push(warning(
            "not completely loaded: runs are refused until it is loaded again",
        ));
    }
    let vacuum = |tables: &[String]| Some(format!("VACUUM (ANALYZE) {}", tables.join(", ")));
    for (tables, state) in [
        (&set.unknown, "never analyzed, so plans rest on guesses"),
        (&set.dead, "many dead rows"),
    ] {
        if let Some(tables) = tables {
            let detail = format!("{state}: {}", tables.join(", "));
            findings.push(warning(&detail).mended_by(vacuum(tables)));
        }
    }
    let mut known = families().iter();
    let family = known.find(|family| family.name() == set.data_set);
    let rows = family.and_then(|family| family.contended_rows());
    if let Some(rows) = rows.filter(|_| 0.0 < set.scale && set.scale < clients) {
        findings.push(warning(&format!(
            "more clients than {rows} ({}) wait for each other, and this machine has CPUs for about {clients}; load it at a larger scale, \
             unless the waiting is to be measured",
            set.scale
        )));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(data_set: &str, scale: f64) -> DataSet {
        DataSet {
            schema_name: "My data".to_owned(),
            data_set: data_set.to_owned(),
            scale,
            unknown: None,
            dead: None,
        }
    }

    fn details(set: &DataSet) -> Vec<String> {
        let findings = judge(set, 8.0).into_iter();
        findings.map(|finding| finding.detail).collect()
    }

    #[test]
    fn few_rows_that_all_change_are_too_few_for_many_clients() {
        for (data_set, scale, rows) in [
            ("tpcc-like", 7.0, Some("warehouses (7)")),
            ("pgbench", 1.0, Some("branches (1)")),
            ("tpcc-like", 8.0, None),
            ("tatp", 1.0, None),
            ("somebody's own", 1.0, None),
        ] {
            let found = details(&set(data_set, scale));
            assert_eq!(found.len(), usize::from(rows.is_some()), "{found:?}");
            if let Some(rows) = rows {
                let start =
                    format!("{data_set} in schema \"My data\": more clients than {rows} wait");
                assert!(found[0].starts_with(&start), "{found:?}");
            }
        }
    }

    #[test]
    fn a_half_loaded_set_is_reported_once() {
        let found = details(&set("tpcc-like", 0.0));
        assert_eq!(found.len(), 1);
        assert!(found[0].contains("not completely loaded"), "{found:?}");
    }

    #[test]
    fn tables_are_vacuumed_in_one_statement() {
        let tables = vec!["s.a".to_owned(), "s.\"B\"".to_owned()];
        let found = judge(
            &DataSet {
                unknown: Some(tables.clone()),
                dead: Some(tables),
                ..set("tatp", 1.0)
            },
            8.0,
        );
        assert_eq!(found.len(), 2);
        for finding in found {
            assert_eq!(finding.fix.unwrap(), "VACUUM (ANALYZE) s.a, s.\"B\"");
            assert_eq!(finding.status, Status::Warning);
        }
    }
}
