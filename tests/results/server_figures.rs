//! Figures of a server that others measured there: a dump of pg_stat_statements, and what docs/figures.sql prints. The judges are the
//! server's own functions and views.

use super::others_results::{import, lines, pgbench};
use crate::common::Cluster;
use crate::common::runs::{Runs, error_of};

#[test]
fn a_dump_of_pg_stat_statements_has_the_figures_of_the_view() {
    let cluster = Cluster::with_data(&["shared_preload_libraries = 'pg_stat_statements'"]);
    let mut session = cluster.connect();
    pgbench(&cluster, &["-n", "-t", "50", "-M", "prepared"]);
    let psql = cluster
        .program("psql")
        .args([
            "-XqAtc",
            "\\copy (SELECT * FROM pg_stat_statements) TO STDOUT CSV HEADER",
            "postgres",
        ])
        .output()
        .expect("psql");
    let dump = String::from_utf8(psql.stdout).expect("UTF-8");
    let run = import(&mut session, &dump, "dump")[0];
    let differences = session.number(&format!(
        "SELECT count(*) FROM (SELECT query, sum(calls)::bigint, sum(rows)::bigint, sum(shared_blks_hit)::bigint, sum(wal_bytes)::bigint \
             FROM pg_stat_statements WHERE query LIKE '%pgbench_%' GROUP BY query \
           EXCEPT SELECT statement, calls, rows, shared_blks_hit, wal_bytes FROM pgperf.run_statements WHERE run_id = {run}) d"
    ));
    assert_eq!(differences, 0);
    let statements = "SELECT count(*) > 4 FROM pgperf.run_statements WHERE statement LIKE '%pgbench_%' AND calls = 50";
    assert_eq!(session.value(statements), "t");
}

/// What docs/figures.sql prints.
fn figures(cluster: &Cluster) -> String {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/figures.sql");
    let psql = cluster
        .program("psql")
        .args(["-X", "-f", script, "postgres"])
        .output();
    let psql = psql.expect("psql");
    let errors = String::from_utf8_lossy(&psql.stderr);
    assert!(psql.status.success() && errors.is_empty(), "{errors}");
    String::from_utf8(psql.stdout).expect("UTF-8")
}

/// The figures around a run are those that the server's functions and views have, and pgperf's own of a run alike.
#[test]
fn figures_of_a_server_belong_to_the_run_between_them() {
    let cluster = Cluster::with_data(&["autovacuum = off"]);
    let mut session = cluster.connect();
    session.value("CREATE EXTENSION IF NOT EXISTS pgstattuple");
    let sizes = "SELECT format('%s %s %s', pg_database_size(current_database()), pg_relation_size('pgbench_accounts'), \
                        pg_indexes_size('pgbench_accounts'))";
    let position = "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint";
    let before = figures(&cluster);
    let (sizes_before, wal_before) = (session.value(sizes), session.number(position));
    let output = pgbench(&cluster, &["-n", "-t", "500", "-c", "2"]);
    let wal = session.number(position) - wal_before;
    let after = figures(&cluster);
    let sizes_after = session.value(sizes);
    let run = import(&mut session, &format!("{before}{output}{after}"), "around")[0];
    assert_eq!(
        session.value(&format!(
            "SELECT clients || ' ' || transactions FROM pgperf.run_summary WHERE run_id = {run}"
        )),
        "2 1000"
    );
    let metric = |name: &str| {
        format!(
            "SELECT value::bigint FROM pgperf.run_metrics WHERE run_id = {run} AND metric = '{name}'"
        )
    };
    let numbers =
        |text: &str| -> Vec<i64> { text.split(' ').map(|it| it.parse().expect(text)).collect() };
    let (first, last) = (numbers(&sizes_before), numbers(&sizes_after));
    assert_eq!(
        session.number(&metric("database_growth_bytes")),
        last[0] - first[0]
    );
    let stored = session.number(&metric("wal_bytes"));
    // The import of figures takes some WAL of hint bits and catalogs.
    assert!(stored >= wal && stored < wal + 500_000, "{stored}, {wal}");
    let accounts = session.value(&format!(
        "SELECT concat_ws(' ', start_size_bytes, end_size_bytes, n_tup_upd, n_tup_ins, autovacuum_count, end_tuple_percent BETWEEN 1 AND 100) \
           FROM pgperf.run_relations WHERE run_id = {run} AND relation_name = 'pgbench_accounts'"
    ));
    assert_eq!(accounts, format!("{} {} 1000 0 0 t", first[1], last[1]));
    assert_eq!(
        session.value(&format!(
            "SELECT concat_ws(' ', relation_kind, table_name, end_size_bytes, idx_scan) FROM pgperf.run_relations \
              WHERE run_id = {run} AND relation_name = 'pgbench_accounts_pkey'"
        )),
        format!("index pgbench_accounts {} 2000", last[2])
    );
    let hit = session.value(&format!(
        "SELECT round(hit_percent) BETWEEN 50 AND 100 FROM pgperf.run_summary WHERE run_id = {run}"
    ));
    assert_eq!(hit, "t");
    // Beside a run of pgperf itself, in the table of two versions.
    let own = session.finish_run("'tpcb-like', clients => 2, transactions_per_client => 500, collectors => '{tables,bloat,wal,database}'");
    session.value("SET pgperf.compare_programs = on");
    let table = lines(
        &mut session,
        &format!(
            "SELECT * FROM pgperf.version_table({run}, {own}, relation => 'pgbench_accounts')"
        ),
    );
    for row in [
        "growth of the database",
        "WAL",
        "hit ratio",
        "pgbench_accounts: size",
        "pgbench_accounts: live tuples",
    ] {
        let line = table.iter().find(|line| line.trim_start().starts_with(row));
        let figures = line.map(|line| line.matches(|c: char| c.is_ascii_digit()).count());
        assert!(
            figures.is_some_and(|digits| digits > 1),
            "{row}\n{table:#?}"
        );
    }
    let (state, message, _) = error_of(
        &mut session,
        &format!("SELECT * FROM pgperf.version_table({run}, {own}, relation => 'nowhere')"),
    );
    assert_eq!(
        (state.as_str(), message.as_str()),
        ("22023", "no run has stored the size of a table \"nowhere\"")
    );
}
