//! TATP on a server: shares and successes of its transactions, and the conditions.

use super::shares::{
    expect_failures, expect_share, expect_the_same_rows, failed_checks, finish_run, of_statements,
    transactions,
};
use crate::common::Cluster;
use crate::common::runs::Runs;
use postgres::Client;

const SHARES: [(&str, i64); 7] = [
    ("get subscriber data", 35),
    ("get new destination", 10),
    ("get access data", 35),
    ("update subscriber data", 2),
    ("update location", 14),
    ("insert call forwarding", 2),
    ("delete call forwarding", 2),
];

fn loaded() -> (Cluster, Client) {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    let load = session.number("CALL pgperf.init('tatp', jobs => 2)");
    assert_eq!(session.status(load), "finished");
    (cluster, session)
}

#[test]
fn rows_are_the_same_however_they_are_written() {
    expect_the_same_rows(
        "CALL pgperf.init('tatp')",
        &[
            "subscriber",
            "access_info",
            "special_facility",
            "call_forwarding",
        ],
        "e7db2eb92a796c83ac984a1a4af5a3b3",
    );
}

#[test]
fn each_check_fails_if_its_condition_is_broken() {
    let (_cluster, mut session) = loaded();
    let breaks = [
        ("1", "DELETE FROM subscriber WHERE s_id = 7"),
        ("2", "UPDATE subscriber SET sub_nbr = '7' WHERE s_id = 7"),
        ("3", "DELETE FROM access_info WHERE s_id = 7"),
        (
            "3",
            "INSERT INTO access_info VALUES (7, 5, 0, 0, 'AAA', 'AAAAA')",
        ),
        ("4", "DELETE FROM special_facility WHERE s_id = 7"),
        (
            "4",
            "INSERT INTO special_facility VALUES (7, 0, 0, 0, 0, 'AAAAA')",
        ),
        ("5", "INSERT INTO call_forwarding VALUES (7, 1, 4, 5, '1')"),
        (
            "5",
            "UPDATE call_forwarding SET end_time = 25 WHERE s_id = 8",
        ),
    ];
    session.value("INSERT INTO call_forwarding SELECT s_id, sf_type, 0, 1, '1' FROM special_facility WHERE s_id = 8 ON CONFLICT DO NOTHING");
    expect_failures(&mut session, "tatp", &breaks);
}

#[test]
fn runs_have_the_shares_and_keep_the_conditions() {
    let (_cluster, mut session) = loaded();
    for query_mode in ["prepared", "extended", "simple"] {
        let forwardings = "SELECT count(*) FROM call_forwarding";
        let before = session.number(forwardings);
        let run = finish_run(
            &mut session,
            &format!(
                "'tatp', clients => 4, transactions_per_client => 2000, max_tries => 100, random_seed => 3, \
                 query_mode => '{query_mode}'"
            ),
            &SHARES,
        );
        assert_eq!(failed_checks(&mut session, "tatp"), "");
        let inserted = of_statements(
            &mut session,
            run,
            "rows",
            "insert call forwarding",
            "INSERT",
        );
        let deleted = of_statements(
            &mut session,
            run,
            "rows",
            "delete call forwarding",
            "DELETE",
        );
        assert!(inserted > 0 && deleted > 0);
        assert_eq!(session.number(forwardings) - before, inserted - deleted);
    }
    let serializable = r#"{"default_transaction_isolation": "serializable"}"#;
    finish_run(
        &mut session,
        &format!(
            "'tatp', clients => 4, transactions_per_client => 500, max_tries => 1000, random_seed => 3, \
             settings => '{serializable}'"
        ),
        &SHARES,
    );
    assert_eq!(failed_checks(&mut session, "tatp"), "");
}

/// As many transactions find their rows as the specification says, if subscribers are drawn evenly.
#[test]
fn transactions_succeed_as_often_as_specified() {
    let (_cluster, mut session) = loaded();
    let bits =
        "SELECT sum(bit_1) || ' ' || (SELECT sum(data_a) FROM special_facility) FROM subscriber";
    let before = session.value(bits);
    let run = finish_run(
        &mut session,
        "'tatp', clients => 4, transactions_per_client => 4000, max_tries => 100, random_seed => 7, \
         options => '{\"uniform\": true}'",
        &SHARES,
    );
    assert_ne!(session.value(bits), before);
    for (script, column, start, expected) in [
        ("get access data", "rows", "SELECT", 0.625),
        ("update subscriber data", "calls", "COMMIT", 0.625),
        ("insert call forwarding", "rows", "INSERT", 0.3125),
        ("delete call forwarding", "rows", "DELETE", 0.3125),
    ] {
        let found = of_statements(&mut session, run, column, script, start);
        let of = transactions(&mut session, run, script);
        expect_share(script, found, of, expected);
    }
    for (script, start) in [
        ("get subscriber data", "SELECT"),
        ("update location", "UPDATE"),
    ] {
        let found = of_statements(&mut session, run, "rows", script, start);
        assert_eq!(found, transactions(&mut session, run, script), "{script}");
    }
    // What an update that finds no facility has changed before is undone.
    assert_eq!(
        of_statements(
            &mut session,
            run,
            "rows",
            "update subscriber data",
            "UPDATE special"
        ),
        of_statements(
            &mut session,
            run,
            "calls",
            "update subscriber data",
            "COMMIT"
        )
    );
    // Five of eight subscribers have the facility, 85 of 100 are active, and on average 0.368 of its times suit the drawn ones.
    let found = of_statements(&mut session, run, "rows", "get new destination", "SELECT");
    let of = transactions(&mut session, run, "get new destination");
    expect_share("get new destination", found, of, 0.1955);
}
