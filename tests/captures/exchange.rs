//! A capture goes to another server, as a value or as a file.

use super::{files, folder, preloaded, refusal, start, stop};
use crate::common::Cluster;
use crate::common::pair::pgbench;
use crate::common::runs::Runs;

#[test]
fn a_capture_is_the_same_on_another_server() {
    let here = preloaded(&[]);
    let mut session = here.connect();
    pgbench(&here, &["-i", "-q", "postgres"]);
    start(&mut session, "monday", "");
    pgbench(
        &here,
        &["-n", "-c", "2", "-t", "50", "-M", "prepared", "postgres"],
    );
    let refused = refusal(&mut session, "pgperf.export_capture('monday')");
    assert!(refused.contains("under way"), "{refused}");
    let capture = stop(&here, &mut session, "monday");
    let shown =
        |capture: &capture::Capture| format!("{:?} {:?}", capture.sessions, capture.commits);

    let there = Cluster::with_pgperf(&[]);
    let mut other = there.connect();
    let document: Vec<u8> = session
        .query_one("SELECT pgperf.export_capture('monday')", &[])
        .expect("a document")
        .get(0);
    other
        .query_one("SELECT pgperf.import_capture(document => $1)", &[&document])
        .expect("imported");
    assert_eq!(shown(&files(&there, &mut other, "monday")), shown(&capture));

    let file = here.data_dir().join("monday.capture");
    let path = file.display();
    let bytes = session.number(&format!("SELECT pgperf.export_capture('monday', '{path}')"));
    assert_eq!(bytes, document.len() as i64);
    assert_eq!(std::fs::read(&file).expect("the file"), document);
    let refused = refusal(
        &mut session,
        &format!("pgperf.export_capture('monday', '{path}')"),
    );
    assert!(refused.contains("could not write"), "{refused}");
    other.value(&format!(
        "SELECT pgperf.import_capture('{path}', name => 'tuesday')"
    ));
    assert_eq!(
        shown(&files(&there, &mut other, "tuesday")),
        shown(&capture)
    );
    let columns = "concat_ws(' ', status, sessions, transactions, statements, bytes, imported_from IS NOT NULL)";
    let of = |name: &str| format!("SELECT {columns} FROM pgperf.captures WHERE name = '{name}'");
    let row = other.value(&of("tuesday"));
    assert_eq!(
        row,
        session
            .value(&of("monday"))
            .replace("stopped", "finished")
            .replace(" f", " t")
    );
    let report = "SELECT string_agg(line, '|') FROM pgperf.capture_report('monday') line";
    assert_eq!(other.value(report), session.value(report));

    // Refused, and nothing is left of it.
    let left = |cluster: &Cluster| {
        cluster
            .data_dir()
            .join("pgsql_tmp_pgperf_captures")
            .read_dir()
            .expect("folders")
            .count()
    };
    assert_eq!(left(&there), 2);
    for (call, part) in [
        (format!("pgperf.import_capture('{path}')"), "already"),
        (
            "pgperf.import_capture('monday.capture')".to_owned(),
            "absolute",
        ),
        (
            "pgperf.import_capture('/nowhere/at.all')".to_owned(),
            "could not read",
        ),
        ("pgperf.import_capture(document => NULL)".to_owned(), "NULL"),
        (
            "pgperf.import_capture(document => '')".to_owned(),
            "no whole capture",
        ),
        (
            "pgperf.import_capture(document => 'something else, and long enough')".to_owned(),
            "no capture",
        ),
    ] {
        let refused = refusal(&mut other, &call);
        assert!(refused.contains(part), "{call}: {refused}");
    }
    let mut damaged = document.clone();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    let error = other.query_one(
        "SELECT pgperf.import_capture(document => $1, name => 'x')",
        &[&damaged],
    );
    let message = error
        .expect_err("damaged")
        .as_db_error()
        .expect("an error")
        .message()
        .to_owned();
    assert!(message.contains("checksum"), "{message}");
    other
        .batch_execute(&format!("BEGIN; SAVEPOINT s; SELECT pgperf.import_capture('{path}', 'wednesday'); ROLLBACK TO s; COMMIT"))
        .expect("rolled back");
    assert_eq!(left(&there), 2);
    let kept = folder(&there, &mut other, "tuesday");
    other.value("SELECT pgperf.drop_capture('tuesday')");
    assert!(!kept.exists());
}

#[test]
fn files_of_the_server_need_its_rights() {
    let cluster = preloaded(&[]);
    let mut session = cluster.connect();
    start(&mut session, "a", "");
    stop(&cluster, &mut session, "a");
    session
        .batch_execute(
            "CREATE ROLE keeper LOGIN IN ROLE pg_read_all_data; GRANT USAGE ON SCHEMA pgperf TO keeper;
             GRANT EXECUTE ON FUNCTION pgperf.export_capture(text), pgperf.export_capture(text, text), pgperf.import_capture(text, text) TO keeper",
        )
        .expect("a role");
    let mut keeper = cluster.connect_as("keeper");
    for (call, part) in [
        (
            "pgperf.export_capture('a', '/tmp/a')",
            "permission denied for files",
        ),
        (
            "pgperf.import_capture('/etc/passwd')",
            "permission denied for files",
        ),
        ("pgperf.export_capture('a')", "belongs to role"),
    ] {
        let refused = refusal(&mut keeper, call);
        assert!(refused.contains(part), "{call}: {refused}");
    }
}
