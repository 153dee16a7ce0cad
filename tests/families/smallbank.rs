//! SmallBank on a server: what its transactions leave in the accounts, and who is in the hot spot.

use super::shares::{
    expect_failures, expect_the_same_rows, failed_checks, finish_run, of_statements, transactions,
};
use crate::common::Cluster;
use crate::common::runs::{Runs, error_of};
use postgres::Client;

const SHARES: [(&str, i64); 6] = [
    ("amalgamate", 15),
    ("balance", 15),
    ("deposit checking", 15),
    ("send payment", 25),
    ("transact savings", 15),
    ("write check", 15),
];

fn loaded() -> (Cluster, Client) {
    // Transactions of two customers meet in both orders.
    let cluster = Cluster::with_pgperf(&["deadlock_timeout = 10ms"]);
    let mut session = cluster.connect();
    let load = session.number("CALL pgperf.init('smallbank', jobs => 2)");
    assert_eq!(session.status(load), "finished");
    (cluster, session)
}

/// All money of the bank, in cents.
fn money(session: &mut Client) -> i64 {
    session.number(
        "SELECT (100 * ((SELECT sum(bal) FROM savings) + (SELECT sum(bal) FROM checking)))::bigint",
    )
}

#[test]
fn rows_are_the_same_however_they_are_written() {
    expect_the_same_rows(
        "CALL pgperf.init('smallbank')",
        &["accounts", "savings", "checking"],
        "d3f6be3593100a26382100fc09a997d6",
    );
}

#[test]
fn each_check_fails_if_its_condition_is_broken() {
    let (_cluster, mut session) = loaded();
    let breaks = [
        ("1", "DELETE FROM accounts WHERE custid = 7"),
        ("2", "DELETE FROM savings WHERE custid = 7"),
        ("3", "DELETE FROM checking WHERE custid = 7"),
        ("4", "UPDATE savings SET bal = -0.01 WHERE custid = 7"),
        ("", "UPDATE checking SET bal = -0.01 WHERE custid = 7"),
    ];
    expect_failures(&mut session, "smallbank", &breaks);
    session.value("UPDATE savings SET bal = -bal WHERE custid <= 2");
    assert_eq!(
        session.value("SELECT count(*) FROM pgperf.\"check\"('smallbank') WHERE detail LIKE '2 negative, the least is -%'"),
        "1"
    );
}

#[test]
fn runs_have_the_shares_and_keep_the_conditions() {
    let (_cluster, mut session) = loaded();
    for query_mode in ["prepared", "extended", "simple"] {
        finish_run(
            &mut session,
            &format!(
                "'smallbank', clients => 4, transactions_per_client => 1000, max_tries => 1000, random_seed => 3, \
                 query_mode => '{query_mode}'"
            ),
            &SHARES,
        );
        assert_eq!(failed_checks(&mut session, "smallbank"), "");
    }
    let serializable = r#"{"default_transaction_isolation": "serializable"}"#;
    finish_run(
        &mut session,
        &format!(
            "'smallbank', clients => 4, transactions_per_client => 300, max_tries => 1000, random_seed => 3, \
             settings => '{serializable}'"
        ),
        &SHARES,
    );
    assert_eq!(failed_checks(&mut session, "smallbank"), "");
}

/// One client, so that each statement counts once: the bank has as much more as was deposited and not withdrawn.
#[test]
fn the_money_changes_by_the_amounts_of_the_transactions() {
    let (_cluster, mut session) = loaded();
    let before = money(&mut session);
    let run = finish_run(
        &mut session,
        "'smallbank', transactions_per_client => 3000, random_seed => 5",
        &SHARES,
    );
    let change = money(&mut session) - before;
    let mut calls =
        |script: &str, start: &str| of_statements(&mut session, run, "calls", script, start);
    let deposits = calls("deposit checking", "UPDATE");
    let checks = calls("write check", "UPDATE checking SET bal = bal - 5.00");
    let overdrafts = calls("write check", "UPDATE checking SET bal = bal - 6.00");
    let savings = calls("transact savings", "UPDATE");
    assert_eq!(
        deposits,
        transactions(&mut session, run, "deposit checking")
    );
    assert_eq!(
        checks + overdrafts,
        transactions(&mut session, run, "write check")
    );
    let of_savings = change - 130 * deposits + 500 * checks + 600 * overdrafts;
    // Deposits less withdrawals, each of 20.20.
    assert_eq!(of_savings % 2020, 0, "{of_savings}");
    let difference = of_savings / 2020;
    assert!(difference.abs() < savings && (difference - savings) % 2 == 0);
}

/// Payments and amalgamations move money, also where clients meet: each reads balances before it writes them, so the isolation
/// level has to refuse what another one has changed since.
#[test]
fn no_money_is_lost_between_accounts() {
    let (_cluster, mut session) = loaded();
    let before = money(&mut session);
    let run = finish_run(
        &mut session,
        "scripts => (SELECT array_agg(s ->> 'text') FROM pgperf.workloads, jsonb_array_elements(scripts) AS s \
                      WHERE workloads.name = 'smallbank' AND s ->> 'name' IN ('amalgamate', 'send payment')), \
         clients => 4, transactions_per_client => 500, max_tries => 1000, \
         settings => '{\"default_transaction_isolation\": \"repeatable read\"}'",
        &[],
    );
    assert!(session.total(run, "retries") > 0);
    assert_eq!(money(&mut session), before);
}

#[test]
fn customers_without_money_are_refused_without_a_failure() {
    let (_cluster, mut session) = loaded();
    session.value("UPDATE savings SET bal = 1");
    session.value("UPDATE checking SET bal = 1");
    let run = finish_run(
        &mut session,
        "'smallbank', clients => 4, transactions_per_client => 500, max_tries => 1000, random_seed => 3, \
         options => '{\"hotspot_customers\": 20}'",
        &SHARES,
    );
    for (script, start) in [
        ("send payment", "ROLLBACK"),
        ("send payment", "COMMIT"),
        ("transact savings", "ROLLBACK"),
        ("transact savings", "COMMIT"),
        ("write check", "UPDATE checking SET bal = bal - 6.00"),
    ] {
        let calls = of_statements(&mut session, run, "calls", script, start);
        assert!(calls > 0, "{script}: {start}");
    }
    assert_eq!(failed_checks(&mut session, "smallbank"), "");
    assert!(session.number("SELECT count(*) FROM checking WHERE bal < 0") > 0);
}

#[test]
fn the_hot_spot_is_that_of_the_options() {
    let (_cluster, mut session) = loaded();
    let changed = |session: &mut Client, condition: &str| {
        session.number(&format!(
            "SELECT count(*) FROM before JOIN checking USING (custid) JOIN savings USING (custid) \
              WHERE (before.checking, before.savings) <> (checking.bal, savings.bal) AND {condition}"
        ))
    };
    let mut run = |options: &str| {
        session.value("DROP TABLE IF EXISTS before");
        session.value(
            "CREATE TABLE before AS SELECT custid, c.bal AS checking, s.bal AS savings \
               FROM checking AS c JOIN savings AS s USING (custid)",
        );
        let of = 1_000;
        session.finish_run(&format!(
            "'smallbank', transactions_per_client => {of}, random_seed => 9, options => '{options}'"
        ));
        (
            changed(&mut session, "custid <= 100"),
            changed(&mut session, "custid > 100"),
        )
    };
    let (hot, others) = run(r#"{"hotspot_customers": 10, "hotspot_percent": 100}"#);
    assert_eq!((hot, others), (10, 0));
    let (hot, others) = run("{}");
    assert!(hot > 90 && (50..250).contains(&others), "{hot} {others}");
    let (hot, others) = run(r#"{"hotspot_percent": 0}"#);
    assert!(hot < 15 && others > 700, "{hot} {others}");
    for (options, message) in [
        (
            r#"{"hotspot_customers": 100001}"#,
            "hotspot_customers must be at most the 100000 customers of the tables, not 100001",
        ),
        (
            r#"{"hotspot_customers": 1}"#,
            "hotspot_customers must be an integer from 2 to 2147483647 (default 100), not 1",
        ),
    ] {
        let (sqlstate, found, _) = error_of(
            &mut session,
            &format!("SELECT pgperf.start_run('smallbank', options => '{options}')"),
        );
        assert_eq!((sqlstate.as_str(), found.as_str()), ("22023", message));
    }
}
