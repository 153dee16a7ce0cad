//! Samples, and names from other databases.

use super::{EUC_JP, LATIN1, Place, SQL_ASCII, column, create, create_in, make_objects, text};
use crate::common::Cluster;
use crate::common::runs::Runs;

fn snapshots(place: &Place) {
    let (cluster, mut session) = create(place);
    let word = place.word;
    // The same collectors go as in a UTF-8 database of this server, which has the names of all databases.
    cluster.run_sql("CREATE EXTENSION pgperf CASCADE");
    let outcomes = "SELECT format('%s %s %s', collector, status, reason) FROM pgperf.snapshot()";
    let expected = column(&mut cluster.connect(), outcomes);
    make_objects(&mut session, word);
    assert_eq!(column(&mut session, outcomes), expected);
    for (table, name) in [
        ("bloat_history", word.to_owned()),
        ("bloat_history", format!("index_{word}")),
        ("relation_history", word.to_owned()),
        ("buffer_usage_history", word.to_owned()),
    ] {
        let found = format!(
            "SELECT count(*) FROM pgperf.{table} \
             WHERE relation_name = '{name}' AND schema_name = 'schema_{word}'"
        );
        assert_ne!(session.number(&found), 0, "{table}: {name}");
    }
    let texts = format!(
        "SELECT count(*) FROM pgperf.statement_history JOIN pgperf.statement_texts USING (node_id, queryid) \
         WHERE query LIKE '%LIKE%' AND query LIKE '%schema_{word}%'"
    );
    assert_ne!(session.number(&texts), 0, "statements");

    // A notice that names it.
    let mut other = cluster.connect_to("other");
    let mut transaction = other.transaction().expect("a transaction");
    transaction
        .batch_execute(&format!("LOCK TABLE \"schema_{word}\".\"{word}\""))
        .expect("the lock");
    let reason = text(
        &mut session,
        "SELECT reason FROM pgperf.snapshot('{bloat}')",
    );
    assert!(reason.contains(word), "{reason}");
    let output = crate::common::output(
        cluster
            .program("psql")
            .args(["-X", "-d", "other", "-c"])
            .arg("CALL pgperf.take_snapshot('{bloat}')")
            .env("PGCLIENTENCODING", "UTF8"),
    );
    let notice = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(notice.contains(word), "{notice}");
}

#[test]
fn snapshots_in_latin1() {
    snapshots(&LATIN1);
}

#[test]
fn snapshots_in_euc_jp() {
    snapshots(&EUC_JP);
}

#[test]
fn snapshots_in_sql_ascii() {
    snapshots(&SQL_ASCII);
}

/// pg_stat_statements converts the texts of all databases into the encoding of the one that asks, or fails.
#[test]
fn statements_of_a_database_with_other_characters() {
    let (cluster, mut session) = create(&LATIN1);
    cluster.run_sql("SELECT '本' AS \"→\"");
    let texts = session.query("SELECT query FROM pg_stat_statements", &[]);
    assert!(texts.is_err(), "no longer so?");
    let outcome = session
        .value("SELECT format('%s: %s', status, reason) FROM pgperf.snapshot('{statements}')");
    assert!(outcome.contains(": no texts of statements: "), "{outcome}");
    assert_ne!(
        session.number("SELECT count(*) FROM pgperf.statement_history"),
        0
    );
}

/// The name of a database belongs to all of them, in whatever encoding it was given.
#[test]
fn names_of_databases_in_another_encoding() {
    let cluster = Cluster::with_pgperf(&[]);
    create_in(&cluster, "LATIN1");
    let mut other = cluster.connect_to("other");
    other.value("CREATE DATABASE \"tä\" TEMPLATE template0");
    other.value("CREATE ROLE \"rä\"");
    let mut session = cluster.connect();
    let failed = "SELECT string_agg(format('%s: %s', collector, reason), ', ') FROM pgperf.snapshot() \
                  WHERE status = 'failed'";
    assert_eq!(session.value(failed), "");
    session.value("SELECT count(*) FROM pgperf.doctor()");
}
