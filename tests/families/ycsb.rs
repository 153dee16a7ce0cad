//! The core workloads of YCSB on a server: shares, keys and the conditions.

use super::shares::{
    expect_failures, expect_share, expect_the_same_rows, failed_checks, finish_run, of_statements,
    transactions,
};
use crate::common::Cluster;
use crate::common::runs::{Runs, error_of};
use postgres::Client;

const RECORDS: i64 = 6_000;

const WORKLOADS: [(&str, &[(&str, i64)]); 6] = [
    ("ycsb-a", &[("read", 50), ("update", 50)]),
    ("ycsb-b", &[("read", 95), ("update", 5)]),
    ("ycsb-c", &[("read", 100)]),
    ("ycsb-d", &[("read", 95), ("insert", 5)]),
    ("ycsb-e", &[("scan", 95), ("insert", 5)]),
    ("ycsb-f", &[("read", 50), ("read-modify-write", 50)]),
];

fn loaded(insertorder: &str) -> (Cluster, Client) {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    let load = session.number(&format!(
        "CALL pgperf.init('ycsb-a', scale => 3, jobs => 2, \
                          options => '{{\"recordcount\": 2000, \"insertorder\": \"{insertorder}\"}}')"
    ));
    assert_eq!(session.status(load), "finished");
    (cluster, session)
}

fn records(session: &mut Client) -> i64 {
    session.number("SELECT count(*) FROM usertable")
}

#[test]
fn rows_are_the_same_however_they_are_written() {
    expect_the_same_rows(
        "CALL pgperf.init('ycsb-a', scale => 20)",
        &["usertable"],
        "97486dc1f6a42ac2e3ddea6446145875",
    );
}

#[test]
fn each_check_fails_if_its_condition_is_broken() {
    let (_cluster, mut session) = loaded("hashed");
    assert_eq!(
        session.value("SELECT ycsb_key FROM usertable WHERE ycsb_key = 'user6284781860667377211'"),
        "user6284781860667377211"
    );
    let breaks = [
        ("1", "DELETE FROM usertable WHERE ctid = '(0,1)'"),
        (
            "1",
            "INSERT INTO usertable SELECT ycsb_key || '0', field0, field1, field2, field3, field4, field5, field6, field7, field8, \
             field9 FROM usertable LIMIT 1",
        ),
        (
            "2",
            "UPDATE usertable SET ycsb_key = 'user' WHERE ctid = '(0,1)'",
        ),
        (
            "3",
            "UPDATE usertable SET field0 = left(field0, 99) WHERE ctid = '(0,1)'",
        ),
        (
            "3",
            "UPDATE usertable SET field9 = NULL WHERE ctid = '(0,1)'",
        ),
    ];
    for (workload, _) in WORKLOADS {
        expect_failures(&mut session, workload, &breaks);
    }
}

#[test]
fn runs_have_the_shares_and_keep_the_conditions() {
    let (_cluster, mut session) = loaded("hashed");
    for (workload, shares) in WORKLOADS {
        for query_mode in ["prepared", "simple"] {
            expect_run(&mut session, workload, query_mode, shares);
        }
    }
    assert!(records(&mut session) > RECORDS + 300);
}

#[test]
fn keys_may_be_in_the_order_of_their_numbers() {
    let (_cluster, mut session) = loaded("ordered");
    for (workload, shares) in [WORKLOADS[3], WORKLOADS[4]] {
        expect_run(&mut session, workload, "extended", shares);
    }
    let last = session.number("SELECT last_value FROM usertable_keynum");
    assert_eq!(records(&mut session), last + 1);
    assert_eq!(
        session.number("SELECT max(substr(ycsb_key, 5)::int) FROM usertable"),
        last
    );
}

fn expect_run(session: &mut Client, workload: &str, query_mode: &str, shares: &[(&str, i64)]) {
    let before = records(session);
    let run = finish_run(
        session,
        &format!(
            "'{workload}', clients => 4, transactions_per_client => 500, max_tries => 10, random_seed => 3, \
             query_mode => '{query_mode}'"
        ),
        shares,
    );
    for (other, _) in WORKLOADS {
        assert_eq!(
            failed_checks(session, other),
            "",
            "{other} after {workload}"
        );
    }
    let mut inserts = 0;
    for (script, _) in shares {
        let of = transactions(session, run, script);
        let mut rows = |start: &str| of_statements(session, run, "rows", script, start);
        match *script {
            "insert" => inserts = of,
            // Of the latest records some are not committed yet.
            "read" if workload == "ycsb-d" => {
                let read = rows("SELECT *");
                assert!(read <= of && read > of * 3 / 4, "{read} of {of}");
            }
            "read" => assert_eq!(rows("SELECT *"), of),
            "update" => assert_eq!(rows("UPDATE"), of),
            // From 1 to 100 records, but for scans that reach the last key.
            "scan" => {
                let average = rows("SELECT *") as f64 / of as f64;
                assert!((46.0..54.0).contains(&average), "{average}");
            }
            "read-modify-write" => {
                assert_eq!((rows("SELECT *"), rows("UPDATE")), (of, of));
            }
            other => panic!("{other}"),
        }
    }
    assert_eq!(records(session) - before, inserts);
}

/// Workload D reads what was inserted last, which the other distributions of the same operations do not.
#[test]
fn the_latest_records_are_read_most_often() {
    let (_cluster, mut session) = loaded("ordered");
    // The records of the load are moved away: what is read is new.
    session.value("CREATE TABLE loaded AS SELECT * FROM usertable");
    session.finish_run("'ycsb-d', clients => 2, transactions_per_client => 1000, random_seed => 3");
    session.value("DELETE FROM usertable WHERE ycsb_key IN (SELECT ycsb_key FROM loaded)");
    let mut share = |distribution: &str| {
        let run = session.finish_run(&format!(
            "'ycsb-d', transactions_per_client => 1000, random_seed => 3, \
             options => '{{\"requestdistribution\": \"{distribution}\"}}'"
        ));
        let read = of_statements(&mut session, run, "rows", "read", "SELECT *");
        read as f64 / transactions(&mut session, run, "read") as f64
    };
    let latest = share("latest");
    // About 125 of 6,125 records: (ln 125 + 0.58) / (ln 6125 + 0.58), a little less for the constant of 0.99.
    assert!((0.48..0.68).contains(&latest), "{latest}");
    for distribution in ["zipfian", "uniform"] {
        assert_eq!(share(distribution), 0.0, "{distribution}");
    }
}

#[test]
fn options_decide_on_lengths_and_keys() {
    let (_cluster, mut session) = loaded("hashed");
    let run = session.finish_run(
        "'ycsb-e', transactions_per_client => 500, random_seed => 3, options => '{\"maxscanlength\": 3}'",
    );
    let rows = of_statements(&mut session, run, "rows", "scan", "SELECT *");
    let scans = transactions(&mut session, run, "scan");
    // Each length from 1 to 3 equally often: as many rows as scans, and twice a half of them.
    expect_share("rows beyond the first", rows - scans, 2 * scans, 0.5);
    for (options, message) in [
        (
            r#"{"requestdistribution": "hotspot"}"#,
            "requestdistribution must be one of zipfian, latest, uniform, not \"hotspot\"",
        ),
        (
            r#"{"recordcount": 5}"#,
            "option recordcount applies only to loads",
        ),
    ] {
        let (sqlstate, found, _) = error_of(
            &mut session,
            &format!("SELECT pgperf.start_run('ycsb-e', options => '{options}')"),
        );
        assert_eq!(sqlstate, "22023");
        assert_eq!(found, message);
    }
    // Whoever made another table, its newest record is not known.
    session.value("CREATE SCHEMA other");
    session.value("CREATE TABLE other.usertable (LIKE usertable)");
    let (sqlstate, message, _) = error_of(
        &mut session,
        "SELECT pgperf.start_run('ycsb-c', schema => 'other')",
    );
    assert_eq!(sqlstate, "42P01", "{message}");
}
