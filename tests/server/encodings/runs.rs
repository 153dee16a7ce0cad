//! Scripts, reports and documents of runs.

use super::{EUC_JP, LATIN1, Place, SQL_ASCII, column, create, create_in, make_objects, text};
use crate::common::Cluster;
use crate::common::runs::Runs;
use postgres::Client;

/// A script whose names, variables, values and errors have such letters.
fn script(word: &str) -> String {
    format!(
        "\\set {word}_7 7\n\
         INSERT INTO \"schema_{word}\".\"{word}\" VALUES (:{word}_7, '{word}') RETURNING \"{word}\" AS kept \\gset\n\
         INSERT INTO \"schema_{word}\".\"copy_{word}\" VALUES (:{word}_7, :kept);"
    )
}

fn runs(place: &Place) {
    let (cluster, mut session) = create(place);
    let word = place.word;
    make_objects(&mut session, word);
    session
        .batch_execute(&format!(
            "CREATE TABLE \"schema_{word}\".\"copy_{word}\" (id int, v text)"
        ))
        .expect("a table");
    session.value(&format!(
        "CALL pgperf.init('tpcb-like', scale => 1, schema => 'schema_{word}')"
    ));
    for mode in ["simple", "extended", "prepared"] {
        let mut script = script(word);
        if mode == "simple" {
            // There, the value stands in the text as it is.
            let quoted = format!("quote_literal(\"{word}\") AS kept");
            script = script.replace(&format!("\"{word}\" AS kept"), &quoted);
        }
        let run = session.finish_run(&format!(
            "script => $s${script}$s$, transactions_per_client => 3, clients => 2, label => '{mode} {word}', \
             query_mode => '{mode}', collectors => '{{wal}}'"
        ));
        let copies = format!(
            "SELECT count(*) FROM \"schema_{word}\".\"copy_{word}\" WHERE v = '{word}' AND id = 7"
        );
        assert_eq!(session.number(&copies), 6, "{mode}");
        session.value(&format!("TRUNCATE \"schema_{word}\".\"copy_{word}\""));
        let statements = format!(
            "SELECT count(*) FROM pgperf.run_statements WHERE run_id = {run} AND statement LIKE '%\"copy_{word}\"%'"
        );
        assert_eq!(session.number(&statements), 1, "{mode}");
    }
    let workload = format!(
        "SELECT pgperf.create_workload('w_{word}', script => 'SELECT $${word}$$ AS a;', description => '{word}')"
    );
    session.value(&workload);
    let run = session.finish_run(&format!(
        "'w_{word}@1, tpcb-like@2', schema => 'schema_{word}', clients => 2, duration => '2 s', \
         sample_interval => '0.5 s', label => 'A {word}', collectors => '{{tables,bloat,buffers,statements}}'"
    ));
    let other = session.finish_run(&format!(
        "'w_{word}@1, tpcb-like@2', schema => 'schema_{word}', clients => 2, duration => '2 s', \
         sample_interval => '0.5 s', label => 'B {word}'"
    ));
    reports(&mut session, place, run, other);
    documents(&cluster, &mut session, word, run);
    // What cannot be seen here cannot be seen in a UTF-8 database of this server either.
    let unseen = "SELECT check_name FROM pgperf.doctor() WHERE status = 'unknown'";
    let there = column(&mut cluster.connect(), unseen);
    for check in column(&mut session, unseen) {
        assert!(there.contains(&check), "{check}");
    }
}

fn reports(session: &mut Client, place: &Place, run: i64, other: i64) {
    let word = place.word;
    let lines = text(session, &format!("SELECT pgperf.report({run})"));
    assert!(lines.contains(&format!("w_{word}")), "{lines}");
    assert!(lines.contains(&format!("A {word}")), "{lines}");
    let by_label = text(session, &format!("SELECT pgperf.report('A {word}')"));
    assert_eq!(by_label, lines);
    let markdown = text(session, &format!("SELECT pgperf.report_markdown({run})"));
    assert!(markdown.contains(word), "{markdown}");
    let label = format!("SELECT pgperf.report_json('A {word}')->'run'->>'label'");
    assert_eq!(session.value(&label), format!("A {word}"));

    // The same page in every encoding of a client.
    let reference = |word: &str| -> String {
        let form = |c: char| {
            if c.is_ascii() {
                c.to_string()
            } else {
                format!("&#{};", c as u32)
            }
        };
        word.chars().map(form).collect()
    };
    for page in [
        format!("pgperf.report_html({run})"),
        format!("pgperf.compare_html({run}, {other})"),
        format!("pgperf.report_junit({run})"),
    ] {
        let page = text(session, &format!("SELECT {page}"));
        assert!(page.is_ascii());
        assert!(page.contains(&reference(word)), "{page}");
        assert!(!page.contains("&#65533;"));
    }
    let rows = format!("SELECT pgperf.compare_report('A {word}', 'B {word}')");
    assert!(text(session, &rows).contains(word));
    session.value(&format!(
        "SELECT pgperf.set_baseline('base {word}', ARRAY['A {word}'])"
    ));
    let gate = format!("SELECT pgperf.compare_report('base {word}', 'B {word}')");
    assert!(text(session, &gate).contains(word));
}

/// To the same database, and to one in UTF-8.
fn documents(cluster: &Cluster, session: &mut Client, word: &str, run: i64) {
    let document = session.value(&format!("SELECT pgperf.export_run({run}, true)"));
    assert!(document.contains(word));
    let mut utf8 = {
        cluster.run_sql("CREATE EXTENSION pgperf CASCADE");
        cluster.connect()
    };
    let imported = utf8.number(&format!(
        "SELECT pgperf.import_run($d${document}$d$::jsonb, label => 'from afar {word}')"
    ));
    // As pgbench has it; what follows shows more where any character can be shown.
    let report = |session: &mut Client, run| {
        let lines = column(session, &format!("SELECT pgperf.report({run})"));
        let of_pgbench = |line: &String| !line.starts_with("This rate is in-database");
        lines.into_iter().take_while(of_pgbench).collect::<Vec<_>>()
    };
    assert_eq!(report(&mut utf8, imported), report(session, run));
    let document = utf8.value(&format!("SELECT pgperf.export_run({imported}, true)"));
    utf8.value(&format!("SELECT pgperf.delete_run({imported})"));
    // As a document of another server: one of its own is refused.
    let node = session.value("SELECT pgperf.local_node()");
    let document = document.replace(&node, "00000000-0000-4000-8000-000000000001");
    let back = session.number(&format!(
        "SELECT pgperf.import_run($d${document}$d$::jsonb, label => 'back {word}')"
    ));
    let label = format!("SELECT label FROM pgperf.runs WHERE run_id = {back}");
    assert_eq!(session.value(&label), format!("back {word}"));
}

#[test]
fn runs_in_latin1() {
    runs(&LATIN1);
}

#[test]
fn runs_in_euc_jp() {
    runs(&EUC_JP);
}

#[test]
fn runs_in_sql_ascii() {
    runs(&SQL_ASCII);
}

/// Names of the role and the schema, which the server compares before it knows the encoding of a connection.
#[test]
fn connections_of_runs_have_the_names_of_the_database() {
    for place in [LATIN1, EUC_JP, SQL_ASCII] {
        let (_cluster, mut session) = create(&place);
        let word = place.word;
        session
            .batch_execute(&format!(
                "CREATE SCHEMA \"schema_{word}\"; CREATE ROLE \"role_{word}\" SUPERUSER LOGIN; \
                 SET SESSION AUTHORIZATION \"role_{word}\"; SET search_path = \"schema_{word}\"; \
                 CREATE TABLE seen (role text, setting text, word text)"
            ))
            .expect("objects");
        let run = session.finish_run(&format!(
            "script => $s$INSERT INTO seen VALUES (current_user, current_setting('my.setting'), '{word}');$s$, clients => 2, \
             transactions_per_client => 3, settings => '{{\"my.setting\": \"a {word}\"}}', transport => 'wire', reconnect => 2"
        ));
        assert_eq!(session.total(run, "reconnects"), 2);
        let rows = format!(
            "SELECT count(*) FROM seen WHERE (role, setting, word) = ('role_{word}', 'a {word}', '{word}')"
        );
        assert_eq!(session.number(&rows), 6, "{}", place.encoding);
    }
}

/// psql in the encoding of the database: what it prints are the bytes of the server.
fn raw(cluster: &Cluster, sql: &[u8]) -> Vec<u8> {
    let mut psql = cluster.program("psql");
    psql.args([
        "-X",
        "-q",
        "-A",
        "-t",
        "-v",
        "ON_ERROR_STOP=1",
        "-d",
        "other",
    ])
    .env("PGCLIENTENCODING", "SQL_ASCII");
    let output = crate::common::output_with(&mut psql, sql);
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{complaint}");
    output.stdout
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

/// Bytes that are no valid UTF-8, alone and beside some that are.
#[test]
fn bytes_of_sql_ascii_are_kept() {
    let cluster = Cluster::new(&[]);
    create_in(&cluster, "SQL_ASCII");
    raw(&cluster, b"CREATE TABLE \"t\xe4\" (v text); INSERT INTO \"t\xe4\" SELECT repeat('\xe4', 100) FROM generate_series(1, 1000)");
    raw(
        &cluster,
        b"CALL pgperf.run(script => $s$INSERT INTO \"t\xe4\" VALUES ('\xff\xc3\xa4\xc3'); -- \xf4\x8f\xbf\xa4\n$s$, \
          transactions_per_client => 3, label => 'l\xe4', variables => '{\"v\": \"\xe4\"}')",
    );
    assert_eq!(
        raw(&cluster, b"SELECT DISTINCT count(*), convert_to(v, 'SQL_ASCII') FROM \"t\xe4\" WHERE length(v) < 50 GROUP BY 2"),
        b"3|\\xffc3a4c3\n"
    );
    let report = raw(&cluster, b"SELECT pgperf.report('l\xe4')");
    assert!(contains(
        &report,
        b"INSERT INTO \"t\xe4\" VALUES ('\xff\xc3\xa4\xc3')"
    ));
    assert!(
        contains(&report, b"label => 'l\xe4'"),
        "{}",
        String::from_utf8_lossy(&report)
    );
    let page = raw(&cluster, b"SELECT pgperf.report_html('l\xe4')");
    assert!(page.is_ascii() && contains(&page, b"l&#65533;"));
    let json = raw(
        &cluster,
        b"SELECT pgperf.report_json('l\xe4')->'run'->>'label'",
    );
    assert_eq!(json, b"l\xe4\n");
    let seen = raw(
        &cluster,
        b"SELECT DISTINCT status FROM pgperf.snapshot('{bloat,buffers,tables,statements}')",
    );
    assert_eq!(seen, b"ok\n");
    assert_eq!(
        raw(&cluster, b"SELECT DISTINCT relation_name FROM pgperf.bloat_history WHERE relation_name = 't\xe4'"),
        b"t\xe4\n"
    );
    let mut psql = cluster.program("psql");
    psql.args(["-X", "-d", "other"])
        .env("PGCLIENTENCODING", "SQL_ASCII");
    let output = crate::common::output_with(&mut psql, b"SELECT pgperf.report('no \xe4')");
    assert!(contains(&output.stderr, b"run \"no \xe4\" does not exist"));
}

/// What pgperf itself writes with characters that the encoding lacks.
#[test]
fn a_sweep_in_latin1_has_forms_for_what_latin1_lacks() {
    let (_cluster, mut session) = create(&LATIN1);
    let sweep = session.number(
        "SELECT pgperf.start_sweep(script => 'SELECT 1;', clients => '{1,2}', repetitions => 2, \
         duration => '0.3 s', label => 'tä')",
    );
    session.value(&format!("CALL pgperf.wait_sweep({sweep})"));
    let lines = text(
        &mut session,
        &format!("SELECT pgperf.sweep_report({sweep})"),
    );
    // Latin 1 has that one, and no block: the bar of the best point is made of #.
    assert!(lines.contains("±95%"), "{lines}");
    assert!(lines.contains("####") && !lines.contains('█'), "{lines}");
    assert!(lines.contains("tä"), "{lines}");
    let page = text(&mut session, &format!("SELECT pgperf.sweep_html({sweep})"));
    assert!(page.is_ascii() && page.contains("t&#228;"));
}
