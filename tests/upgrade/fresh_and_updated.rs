//! `ALTER EXTENSION pgperf UPDATE`: from the first release on, an updated extension equals a fresh one.

use crate::common::Cluster;
use crate::common::releases::{EARLIER, UPDATE, old_database, place, tables, this, version};
use crate::common::runs::Runs;
use postgres::Client;
use std::collections::{BTreeMap, BTreeSet};

/// C functions that read their arguments by name, so that more may come at any time.
const READ_BY_NAME: &[&str] = &[
    "create_workload_wrapper",
    "start_load_wrapper",
    "start_run_wrapper",
    "start_sweep_wrapper",
];

/// All that the extension consists of: the definition of each aspect of each object, and the rows it comes with.
fn definitions(session: &mut Client) -> BTreeMap<String, String> {
    let sql = include_str!("definitions.sql");
    let mut all: BTreeMap<String, String> = session
        .query(sql, &[])
        .expect("the definitions")
        .iter()
        .map(|row| {
            let definition: Option<String> = row.get(2);
            let key = format!("{}: {}", row.get::<_, &str>(0), row.get::<_, &str>(1));
            (key, definition.unwrap_or_default())
        })
        .collect();
    for table in tables(session) {
        let place = place(session, &table);
        let rows = session.value(&format!(
            "SELECT string_agg(t::text, E'\\n' ORDER BY t::text) FROM {place} t"
        ));
        all.insert(format!("rows of {table}"), rows);
    }
    all
}

/// The differences, for the author of the upgrade script.
fn differences(
    fresh: &BTreeMap<String, String>,
    updated: &BTreeMap<String, String>,
) -> Vec<String> {
    let keys: BTreeSet<&String> = fresh.keys().chain(updated.keys()).collect();
    keys.into_iter()
        .filter_map(|key| match (fresh.get(key), updated.get(key)) {
            (Some(fresh), None) => Some(format!("MISSING {key}\n{fresh}\n")),
            (None, Some(updated)) => Some(format!("LEFT OVER {key}\n{updated}\n")),
            (Some(fresh), Some(updated)) if fresh != updated => Some(format!(
                "DIFFERENT {key}\nfresh: {fresh}\nupdated: {updated}\n"
            )),
            _ => None,
        })
        .collect()
}

#[test]
fn an_updated_extension_is_as_a_fresh_one() {
    let cluster = Cluster::with_pgperf(&[]);
    let fresh = definitions(&mut cluster.connect());
    assert!(fresh.len() > 1000, "{}", fresh.len());
    let unknown: Vec<_> = fresh
        .iter()
        .filter(|(_, text)| text.starts_with("unknown"))
        .collect();
    assert!(
        unknown.is_empty(),
        "tests/upgrade/definitions.sql: {unknown:?}"
    );
    // The newest first: where it differs, so do the others.
    for (number, release) in EARLIER.iter().enumerate().rev() {
        let mut session = old_database(&cluster, &format!("old_{number}"), release);
        session.value(UPDATE);
        assert_eq!(version(&mut session), this());
        let differences = differences(&fresh, &definitions(&mut session));
        if differences.is_empty() {
            continue;
        }
        panic!(
            "The update from {release} leaves {} differences to the install script, which can either be derived \
             (tests/upgrade/script.rs) or belong into sql/updates:\n\n{}",
            differences.len(),
            differences.join("\n"),
        );
    }
}

#[test]
fn whatever_differs_is_seen() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    let fresh = definitions(&mut session);
    for change in [
        "ALTER TABLE pgperf_internal.stored_runs ADD COLUMN more integer",
        "ALTER TABLE pgperf_internal.stored_runs ALTER COLUMN label SET NOT NULL",
        "ALTER TABLE pgperf_internal.stored_runs ALTER COLUMN clients SET DEFAULT 1",
        "ALTER TABLE pgperf_internal.stored_runs SET (fillfactor = 50)",
        "ALTER TABLE pgperf_internal.stored_runs ADD CHECK (clients > 0)",
        "ALTER TABLE pgperf_internal.stored_runs ENABLE ROW LEVEL SECURITY",
        "CREATE INDEX ON pgperf_internal.stored_runs (label)",
        "COMMENT ON COLUMN pgperf_internal.stored_runs.label IS 'something else'",
        "COMMENT ON FUNCTION pgperf.start_sampler() IS 'something else'",
        "GRANT SELECT ON pgperf_internal.stored_runs TO PUBLIC",
        "GRANT SELECT (label) ON pgperf_internal.stored_runs TO PUBLIC",
        "GRANT EXECUTE ON FUNCTION pgperf.start_sampler() TO PUBLIC",
        "REVOKE USAGE ON SCHEMA pgperf FROM PUBLIC",
        "GRANT CREATE ON SCHEMA pgperf_internal TO PUBLIC",
        "ALTER TABLE pgperf_internal.pinned_runs SET SCHEMA pgperf",
        "ALTER FUNCTION pgperf.start_sampler() SET search_path = pg_catalog",
        "ALTER FUNCTION pgperf.start_sampler() COST 7",
        "ALTER SEQUENCE pgperf_internal.run_id_seq INCREMENT 2",
        "ALTER VIEW pgperf.runs SET (security_barrier)",
        "ALTER EXTENSION pgperf DROP VIEW pgperf.sampler_gaps",
        "UPDATE pg_extension SET extcondition[1] = 'WHERE true' WHERE extname = 'pgperf'",
        "DELETE FROM pg_init_privs WHERE objoid = 'pgperf_internal.stored_runs'::regclass",
        "DELETE FROM pgperf_internal.history_tables WHERE table_name = 'samples'",
        "DROP TRIGGER collectors_update ON pgperf.collectors",
    ] {
        session.value("BEGIN");
        session.value(change);
        let differences = differences(&fresh, &definitions(&mut session));
        session.value("ROLLBACK");
        assert!(!differences.is_empty(), "not seen: {change}");
    }
    assert_eq!(definitions(&mut session), fresh);
}

/// With fewer arguments than the library expects, an old function would read what is not there.
#[test]
fn a_c_function_keeps_its_arguments_or_changes_its_name() {
    let cluster = Cluster::with_pgperf(&[]);
    let sql = "SELECT p.prosrc, string_agg(replace(p.oid::regprocedure::text, 'pgperf_internal.', 'pgperf.') || ' ' || p.proisstrict || ' ' || p.prorettype::regtype, '; ' ORDER BY p.oid::regprocedure::text) \
               FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang \
               WHERE p.pronamespace::regnamespace::text IN ('pgperf', 'pgperf_internal') AND l.lanname = 'c' GROUP BY 1";
    let declared = |session: &mut Client| -> BTreeMap<String, String> {
        let rows = session.query(sql, &[]).expect("the C functions");
        rows.iter().map(|row| (row.get(0), row.get(1))).collect()
    };
    let now = declared(&mut cluster.connect());
    for name in READ_BY_NAME {
        assert!(now.contains_key(*name), "{name}");
    }
    for (number, release) in EARLIER.iter().enumerate() {
        let before = declared(&mut old_database(
            &cluster,
            &format!("old_{number}"),
            release,
        ));
        assert!(before.len() > 50, "{}", before.len());
        for (symbol, old) in before {
            let is_fixed = !READ_BY_NAME.contains(&symbol.as_str());
            if let (true, Some(new)) = (is_fixed, now.get(&symbol)) {
                // What takes NULL now does not get it from the old one.
                let with_null = old.replace(" true ", " false ");
                assert!(
                    *new == old || *new == with_null,
                    "{symbol} serves functions of {release} and {}: {old}, {new}",
                    this()
                );
            }
        }
    }
}
