//! go-tpc beside the load derived from TPC-C: each program checks the tables of the other. PGPERF_GO_TPC names the program.

use super::tpcc::{expect_each_check_to_fail, failed_checks};
use crate::common::runs::{PATIENCE, Runs};
use crate::common::{Cluster, cases, run, wait_until};
use postgres::Client;
use std::process::Command;

const WAREHOUSES: u32 = 2;
const CLIENTS: u64 = 8;

fn cluster() -> (Cluster, Client) {
    // go-tpc knows no sockets.
    let cluster = Cluster::with_pgperf(&[
        "max_wal_size = 4GB",
        "shared_buffers = 256MB",
        "listen_addresses = '127.0.0.1'",
    ]);
    let session = cluster.connect();
    (cluster, session)
}

/// What go-tpc says.
fn go_tpc(cluster: &Cluster, arguments: &[&str]) -> String {
    let program = std::env::var("PGPERF_GO_TPC").expect("PGPERF_GO_TPC: the path of go-tpc");
    let mut command = Command::new(program);
    command
        .args(["tpcc"])
        .args(arguments)
        .args(["-d", "postgres", "-U", "postgres", "-D", "postgres"])
        .args(["--warehouses", &WAREHOUSES.to_string()])
        .args(["--conn-params", "sslmode=disable"])
        .args(["-H", "127.0.0.1"])
        .args(["-P", &cluster.port().to_string()]);
    let output = run(&mut command);
    let text = [output.stdout, output.stderr].concat();
    String::from_utf8_lossy(&text).into_owned()
}

fn expect_go_tpc_to_pass(cluster: &Cluster, session: &mut Client) {
    // It looks for each customer's payments, for which TPC-C's tables have no index.
    session.value("CREATE INDEX IF NOT EXISTS by_customer ON history (h_c_w_id, h_c_d_id, h_c_id)");
    session.value("ANALYZE");
    let said = go_tpc(cluster, &["check", "-T", "1"]);
    assert!(!said.contains("failed"), "{said}");
    // Of the twelve it has all but the one that only a fresh load meets.
    let checked = said.matches("begin to check warehouse").count();
    assert_eq!(checked, 11 * WAREHOUSES as usize, "{said}");
}

#[test]
#[ignore = "takes go-tpc: make test-go-tpc"]
fn its_checks_pass_after_a_load_and_after_runs_with_kills() {
    let (cluster, mut session) = cluster();
    session.value(&format!(
        "CALL pgperf.init('tpcc-like', scale => {WAREHOUSES}, jobs => 2)"
    ));
    expect_go_tpc_to_pass(&cluster, &mut session);
    let each = cases(20_000, 100_000) as u64 / CLIENTS / 2;
    for workload in ["tpcc-like", "tpcc-like-sql"] {
        for client in [1, 4, 6] {
            let killed = session.start_busy_run(&format!(
                "'{workload}', clients => {CLIENTS}, duration => '1 h', max_tries => 100, sample_interval => '0.2 s'"
            ));
            let pid = session.client(killed, client);
            session.value(&format!(
                "SELECT pg_terminate_backend({pid}), pgperf.stop_run({killed})"
            ));
            wait_until("the end", PATIENCE, || {
                ["stopped", "failed"].contains(&session.status(killed).as_str())
            });
        }
        session.finish_long_run(&format!(
            "'{workload}', clients => {CLIENTS}, transactions_per_client => {each}, max_tries => 100"
        ));
    }
    assert_eq!(failed_checks(&mut session), "");
    expect_go_tpc_to_pass(&cluster, &mut session);
    // It does see what is wrong.
    session.value("UPDATE warehouse SET w_ytd = w_ytd + 1 WHERE w_id = 2");
    let said = go_tpc(&cluster, &["check", "-T", "1"]);
    // Two conditions are broken; it stops at the first that it comes to, in any order.
    let failed = said
        .lines()
        .any(|line| line.contains("check warehouse 2 at condition") && line.contains("failed"));
    assert!(failed, "{said}");
}

#[test]
#[ignore = "takes go-tpc: make test-go-tpc"]
fn checks_pass_on_its_tables_until_they_are_broken() {
    let (cluster, mut session) = cluster();
    let said = go_tpc(&cluster, &["prepare", "-T", "2", "--no-check"]);
    assert!(said.contains("Finished"), "{said}");
    session.value("VACUUM ANALYZE");
    assert_eq!(failed_checks(&mut session), "");
    expect_each_check_to_fail(&mut session);
    // Runs of either on them.
    session.finish_long_run(
        "'tpcc-like-sql', clients => 4, transactions_per_client => 500, max_tries => 100",
    );
    let said = go_tpc(&cluster, &["run", "-T", "4", "--time", "5s"]);
    assert!(said.contains("tpmC: "), "{said}");
    assert_eq!(failed_checks(&mut session), "");
    expect_go_tpc_to_pass(&cluster, &mut session);
}
