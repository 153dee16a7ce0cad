//! The archive of the WAL, from a command that fails to one that succeeds: what waits, what the report and the findings say of it.

use crate::common::Cluster;
use crate::common::runs::{PATIENCE, Runs};
use crate::common::wait_until;
use postgres::Client;

fn fails(session: &mut Client) -> bool {
    session.value("SELECT failed_count > 0 FROM pg_stat_archiver") == "t"
}

#[test]
fn an_archive_that_fails_is_found_and_one_that_works_again_as_well() {
    let cluster = Cluster::with_pgperf(&["archive_mode = on", "archive_command = 'false'"]);
    let mut session = cluster.connect();
    let from = session.value("SELECT clock_timestamp()");
    session.value("SELECT pgperf.snapshot('{archiver}')");
    session.value("CREATE TABLE written AS SELECT 1 AS i");
    session.value("SELECT pg_switch_wal()");
    wait_until("a failure", PATIENCE, || fails(&mut session));
    session.value("SELECT pgperf.snapshot('{archiver}')");
    let newest = "FROM pgperf.archiver_history ORDER BY sample_id DESC LIMIT 1";
    let waiting = format!(
        "SELECT archive_mode = 'on' AND ready_files >= 1 AND oldest_ready_s >= 0 AND failed_count > 0 AND archived_count = 0 {newest}"
    );
    assert_eq!(session.value(&waiting), "t");
    let finding = format!(
        "SELECT string_agg(f.severity || ' ' || f.object_name || ': ' || f.evidence, ', ') \
         FROM pgperf.findings('{from}', clock_timestamp()) f WHERE f.rule LIKE 'archive%'"
    );
    let found = session.value(&finding);
    assert!(
        found.starts_with("critical archive_command: archiving of 0000")
            && found.contains("none has succeeded since"),
        "{found}"
    );

    session.value("ALTER SYSTEM SET archive_command = 'true'");
    session.value("SELECT pg_reload_conf()");
    wait_until("the archive", PATIENCE, || {
        session.value("SELECT archived_count > 0 FROM pg_stat_archiver") == "t"
    });
    session.value("SELECT pgperf.snapshot('{archiver, wal}')");
    session.value("SELECT pgperf.snapshot('{archiver, wal}')");
    let archived = format!(
        "SELECT archived_count > 0 AND behind_bytes BETWEEN 0 AND 3 * pg_size_bytes(current_setting('wal_segment_size')) {newest}"
    );
    assert_eq!(session.value(&archived), "t");
    let report = session.value(&format!(
        "SELECT string_agg(l, E'\\n') FROM pgperf.history_report('{from}', clock_timestamp()) l"
    ));
    for line in [
        "The archive",
        "files archived",
        "failed attempts",
        "archived last",
    ] {
        assert!(report.contains(line), "{line}: {report}");
    }
    let found = session.value(&finding);
    assert!(
        found.starts_with("warning archive_command") && found.contains("the last success was at"),
        "{found}"
    );
}
