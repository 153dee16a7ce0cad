//! What a load into a target refuses before it starts, and whose rights it has.

use super::{around, load, of_this_major};
use crate::common::Cluster;
use crate::common::runs::{Runs, error_of};
use crate::common::targets::cluster_of;

#[test]
fn tables_of_others_stay() {
    let (_target, _cluster, mut session, mut there) = of_this_major();
    there.value("CREATE TABLE pgbench_tellers (mine int)");
    let call = "SELECT pgperf.start_load('tpcb-like', server => 'target')";
    let (code, message, hint) = error_of(&mut session, call);
    assert_eq!(
        (code.as_str(), message.as_str()),
        (
            "42P07",
            "relation \"pgbench_tellers\" already exists and was not created by pgperf"
        )
    );
    assert!(hint.contains("replace => true"), "{hint}");
    assert_eq!(there.value("SELECT count(mine) FROM pgbench_tellers"), "0");
    load(
        &mut session,
        "'tpcb-like', replace => true, server => 'target'",
    );
    assert_eq!(there.number("SELECT count(*) FROM pgbench_tellers"), 10);
    // Of another data set.
    load(&mut session, "'bulk_insert', server => 'target'");
    let call = "SELECT pgperf.start_load('oltp_read_only', server => 'target')";
    let (code, message, _) = error_of(&mut session, call);
    assert_eq!(
        (code.as_str(), message.as_str()),
        (
            "42P07",
            "relation \"sbtest1\" already exists and belongs to the data set \"bulk_insert\""
        )
    );
    // The same tables here are others.
    session.value(
        "CALL pgperf.init('oltp_read_only', options => '{\"tables\": 1, \"table_size\": 10}')",
    );
}

#[test]
fn what_the_target_lacks_is_an_error_before_the_load() {
    let (_target, _cluster, mut session, mut there) = of_this_major();
    let mut refused = |arguments: &str| {
        let call = format!("SELECT pgperf.start_load({arguments}, server => 'target')");
        let (code, message, _) = error_of(&mut session, &call);
        format!("{code} {message}")
    };
    assert_eq!(
        refused("schema => 'nowhere'"),
        "3F000 schema \"nowhere\" does not exist"
    );
    assert_eq!(
        refused("tablespace => 'nowhere'"),
        "42704 tablespace \"nowhere\" does not exist"
    );
    there.value("ALTER DATABASE postgres SET search_path = ''");
    assert_eq!(
        refused("'tpcb-like'"),
        "22023 no schema to create the tables in"
    );
    let runs = "SELECT count(*) FROM pgperf.runs";
    assert_eq!(session.number(runs), 0);
}

#[test]
fn options_that_its_major_does_not_have_are_refused() {
    for (major, options) in [
        (
            "9.6",
            &[
                (
                    "'tpcb-like', partitions => 2, steps => 'dtg'",
                    "partitions needs PostgreSQL 10, and server \"target\" has 9.6",
                ),
                (
                    "'tpcb-like', partitions => 2",
                    "partitions with primary keys needs PostgreSQL 11, and server \"target\" has 9.6",
                ),
                (
                    "'tpch-like', scale => 0.01, options => '{\"partitions\": \"month\"}'",
                    "partitions => month with indexes needs PostgreSQL 11, and server \"target\" has 9.6",
                ),
            ][..],
        ),
        (
            "10",
            &[(
                "'tpcb-like', partitions => 2, partition_method => 'hash', steps => 'dtg'",
                "partition_method => 'hash' needs PostgreSQL 11, and server \"target\" has 10",
            )],
        ),
    ] {
        let Some(target) = cluster_of(major) else {
            continue;
        };
        let (_cluster, mut session, mut there) = around(&target);
        for (arguments, expected) in options {
            let call = format!("SELECT pgperf.start_load({arguments}, server => 'target')");
            let (code, message, _) = error_of(&mut session, &call);
            assert_eq!((code.as_str(), message.as_str()), ("0A000", *expected));
        }
        if major == "10" {
            // Ranges without keys it has.
            load(
                &mut session,
                "'tpcb-like', partitions => 2, steps => 'dtg', jobs => 2, server => 'target'",
            );
            assert_eq!(
                there.number("SELECT count(*) FROM pgbench_accounts_2"),
                50_000
            );
        }
    }
}

#[test]
fn a_role_loads_with_its_password_and_its_rights_there() {
    let target = Cluster::new(&[]);
    target.run_sql("CREATE ROLE bench LOGIN PASSWORD 'correct horse'");
    target.run_sql("CREATE SCHEMA bench AUTHORIZATION bench");
    target.run_sql("CREATE SCHEMA other");
    target.ask_for_passwords();
    let cluster = Cluster::for_scripts(&[]);
    cluster.add_target("target", &target);
    let mut superuser = cluster.connect();
    superuser.value("CREATE ROLE tester LOGIN");
    superuser.value("GRANT EXECUTE ON FUNCTION pgperf.start_load TO tester");
    superuser.value("GRANT EXECUTE ON PROCEDURE pgperf.init TO tester");
    superuser.value(
        "CREATE USER MAPPING FOR tester SERVER target OPTIONS (user 'bench', password 'correct horse')",
    );
    let mut tester = cluster.connect_as("tester");
    let call = |schema| {
        format!("SELECT pgperf.start_load('tpcb-like', schema => '{schema}', server => 'target')")
    };
    let (code, message, _) = error_of(&mut tester, &call("other"));
    assert_eq!(
        (code.as_str(), message.as_str()),
        (
            "42501",
            "permission denied to create tables in schema \"other\""
        )
    );
    let run = tester
        .number("CALL pgperf.init('tpcb-like', jobs => 2, schema => 'bench', server => 'target')");
    assert_eq!(superuser.status(run), "finished");
    let mut there = target.connect();
    assert_eq!(
        there.value("SELECT tableowner || ' ' || (SELECT count(*) FROM bench.pgbench_accounts) FROM pg_tables WHERE tablename = 'pgbench_accounts'"),
        "bench 100000"
    );
    superuser.value("ALTER USER MAPPING FOR tester SERVER target OPTIONS (SET password 'wrong')");
    let (code, message, _) = error_of(&mut tester, &call("bench"));
    assert_eq!(
        (code.as_str(), message.as_str()),
        ("08001", "could not connect to server \"target\"")
    );
    superuser.value("DROP USER MAPPING FOR tester SERVER target");
    let (code, _, _) = error_of(&mut tester, &call("bench"));
    assert_eq!(code, "42704");
    let secret =
        superuser.number("SELECT count(*) FROM pgperf.runs r WHERE r::text LIKE '%correct horse%'");
    assert_eq!(secret, 0);
}
