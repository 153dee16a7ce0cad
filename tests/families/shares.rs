//! What tests of several families ask: the shares of a run's scripts, checks, and the rows of tables.

use crate::common::Cluster;
use crate::common::runs::Runs;
use postgres::Client;

/// Fails if a share is outside of the interval that has it in 999 of 1,000 cases. Seeds are fixed, so that it does not fail now
/// and then.
pub fn expect_share(what: &str, found: i64, of: i64, expected: f64) {
    expect_share_within(3.29, what, found, of, expected);
}

/// Fails if a share is further away from what is expected than so many standard deviations.
pub fn expect_share_within(deviations: f64, what: &str, found: i64, of: i64, expected: f64) {
    let (found, of) = (found as f64, of as f64);
    let deviation = (of * expected * (1.0 - expected)).sqrt();
    println!("{what}: {found} of {of}, {} expected", of * expected);
    assert!(
        (found - of * expected).abs() <= deviations * deviation,
        "{what}: {found} of {of}, {} expected",
        of * expected
    );
}

/// How many transactions of a script a run has counted.
pub fn transactions(session: &mut Client, run: i64, script: &str) -> i64 {
    session.number(&format!(
        "SELECT transactions FROM pgperf.run_scripts WHERE run_id = {run} AND script = '{script}'"
    ))
}

/// The calls, or the rows, of a script's statements that begin like this.
pub fn of_statements(
    session: &mut Client,
    run: i64,
    column: &str,
    script: &str,
    start: &str,
) -> i64 {
    session.number(&format!(
        "SELECT sum({column}) FROM pgperf.run_statements \
          WHERE run_id = {run} AND script = '{script}' AND starts_with(statement, '{start}')"
    ))
}

/// Runs that end well: no transaction failed, and each script has its share, in percent.
pub fn finish_run(session: &mut Client, arguments: &str, shares: &[(&str, i64)]) -> i64 {
    let run = session.finish_run(arguments);
    assert_eq!(session.total(run, "failed"), 0, "{arguments}");
    let of = session.total(run, "transactions");
    for (script, percent) in shares {
        let found = transactions(session, run, script);
        expect_share(script, found, of, *percent as f64 / 100.0);
    }
    run
}

/// The numbers of the checks that fail.
pub fn failed_checks(session: &mut Client, workload: &str) -> String {
    session.value(&format!(
        "SELECT coalesce(string_agg(n::text, ' '), '') \
           FROM pgperf.\"check\"('{workload}') WITH ORDINALITY AS c (name, passed, detail, n) WHERE passed IS NOT TRUE"
    ))
}

/// Each of these statements makes the checks with these numbers fail, and no other one.
pub fn expect_failures(session: &mut Client, workload: &str, breaks: &[(&str, &str)]) {
    assert_eq!(failed_checks(session, workload), "");
    // What foreign keys refuse is done, too.
    session.value("SET session_replication_role = replica");
    for (failing, sql) in breaks {
        session.value("BEGIN");
        session.value(sql);
        assert_eq!(failed_checks(session, workload), *failing, "{sql}");
        session.value("ROLLBACK");
    }
    session.value("RESET session_replication_role");
}

/// The rows of tables as sums, after a load, and one for all of them.
fn contents(settings: &[&str], init: &str, tables: &[&str], is_bulk: bool) -> String {
    let settings = [settings, &["autovacuum = off"]].concat();
    let cluster = Cluster::with_pgperf(&settings);
    let mut session = cluster.connect();
    session.value("CREATE EXTENSION pg_visibility");
    session.value(init);
    let sums = tables.iter().map(|table| {
        // Pages that the loader has written are frozen.
        let frozen = session.value(&format!(
            "SELECT all_frozen = pg_relation_size('{table}') / current_setting('block_size')::int \
               FROM pg_visibility_map_summary('{table}')"
        ));
        assert_eq!(frozen, if is_bulk { "t" } else { "f" }, "{table}");
        session.value(&format!(
            "SELECT count(*) || ' ' || sum(('x' || left(md5(t::text), 15))::bit(60)::int8) FROM {table} AS t"
        ))
    });
    let sums = sums.collect::<Vec<_>>().join("\n");
    let of_all = session.value(&format!("SELECT md5('{sums}')"));
    format!("{sums}\n{of_all}")
}

/// The load writes pages where it can. Where logical decoding has to see them, rows are inserted: the same ones. And they are those of
/// every release: results of one are compared with those of another.
pub fn expect_the_same_rows(init: &str, tables: &[&str], of_every_release: &str) {
    let in_bulk = contents(&[], init, tables, true);
    let inserted = contents(&["wal_level = logical"], init, tables, false);
    assert_eq!(in_bulk, inserted);
    assert!(in_bulk.ends_with(of_every_release), "{init}: {in_bulk}");
}
