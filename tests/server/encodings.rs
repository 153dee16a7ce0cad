//! Databases in encodings other than UTF-8: the same objects, scripts, reports and errors as in UTF-8.

use crate::common::Cluster;
use crate::common::runs::{Runs, error_of};
use postgres::Client;

/// An encoding, and a word in its letters that every name and text of the test has.
struct Place {
    encoding: &'static str,
    word: &'static str,
}

const LATIN1: Place = Place {
    encoding: "LATIN1",
    word: "tä",
};
const EUC_JP: Place = Place {
    encoding: "EUC_JP",
    word: "表",
};
/// Bytes that happen to be UTF-8, as in most such databases.
const SQL_ASCII: Place = Place {
    encoding: "SQL_ASCII",
    word: "tä",
};

/// A server with a database of that encoding that has pgperf.
fn create(place: &Place) -> (Cluster, Client) {
    let cluster = Cluster::new(&["max_worker_processes = 24"]);
    create_in(&cluster, place.encoding);
    let session = cluster.connect_to("other");
    (cluster, session)
}

fn create_in(cluster: &Cluster, encoding: &str) {
    cluster.run_sql(&format!(
        "CREATE DATABASE other ENCODING '{encoding}' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'"
    ));
    cluster
        .connect_to("other")
        .batch_execute("CREATE EXTENSION pgperf CASCADE")
        .expect("CREATE EXTENSION");
}

/// The rows of a query's first column.
fn column(session: &mut Client, sql: &str) -> Vec<String> {
    let rows = session.query(sql, &[]).expect(sql);
    rows.iter().map(|row| row.get(0)).collect()
}

fn text(session: &mut Client, sql: &str) -> String {
    column(session, sql).join("\n")
}

/// Objects with such names, some pages each, in a schema with such a name.
fn make_objects(session: &mut Client, word: &str) {
    session
        .batch_execute(&format!(
            "CREATE SCHEMA \"schema_{word}\"; \
             CREATE TABLE \"schema_{word}\".\"{word}\" (id int, \"{word}\" text); \
             INSERT INTO \"schema_{word}\".\"{word}\" SELECT g, repeat('{word}', 20) FROM generate_series(1, 2000) g; \
             CREATE INDEX \"index_{word}\" ON \"schema_{word}\".\"{word}\" (\"{word}\"); \
             ANALYZE \"schema_{word}\".\"{word}\"; \
             SELECT count(*) FROM \"schema_{word}\".\"{word}\" WHERE \"{word}\" LIKE '{word}%'"
        ))
        .expect("objects");
}

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
             query_mode => '{mode}'"
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

fn errors(place: &Place) {
    let (cluster, mut session) = create(place);
    let word = place.word;
    make_objects(&mut session, word);
    // Of pgperf, with message, detail and hint.
    for (call, part) in [
        (
            format!("pgperf.report('no {word}')"),
            format!("\"no {word}\""),
        ),
        (
            format!("pgperf.start_run(script => 'SELECT $${word} {word}$$ AS;')"),
            "syntax error".to_owned(),
        ),
        (
            format!("pgperf.start_run(script => E'\\\\set x {word}(1)\\nSELECT 1;')"),
            format!("\\set x {word}(1)"),
        ),
        (
            format!("pgperf.start_run('nothing {word}')"),
            format!("nothing {word}"),
        ),
        // Of the server, caught and reported as one of pgperf.
        (
            format!(
                "pgperf.start_run(script => 'SELECT 1;', settings => '{{\"{word}.{word}\": \"1\", \"work_mem\": \"{word}\"}}')"
            ),
            word.to_owned(),
        ),
    ] {
        let error = session
            .query(&format!("SELECT {call}"), &[])
            .expect_err(&call);
        let error = error.as_db_error().expect("of the server");
        let all = format!(
            "{} {:?} {:?}",
            error.message(),
            error.detail(),
            error.hint()
        );
        assert!(
            all.contains(&part) || all.contains(&part.replace('\\', "\\\\")),
            "{call}: {all}"
        );
        assert!(!all.contains('\u{fffd}'), "{call}: {all}");
    }
    // Of the server, on its way through pgperf.
    session.value(&format!(
        "CALL pgperf.init('tpcb-like', scale => 1, schema => 'schema_{word}')"
    ));
    session
        .batch_execute(
            "CREATE ROLE reader; \
             GRANT EXECUTE ON FUNCTION pgperf.check(text, text) TO reader; GRANT USAGE ON SCHEMA pgperf TO reader; \
             SET ROLE reader"
        )
        .expect("a role");
    let (_, error, _) = error_of(
        &mut session,
        &format!("SELECT pgperf.check('tpcb-like', 'schema_{word}')"),
    );
    assert!(error.contains(&format!("schema_{word}")), "{error}");
    session.value("RESET ROLE");
    // In the middle of a transaction, after which everything continues; and caught by the caller.
    let caught = format!(
        "DO $do$ BEGIN PERFORM pgperf.report('no {word}'); \
         EXCEPTION WHEN others THEN CREATE TABLE caught AS SELECT SQLERRM AS message; END $do$"
    );
    session.value(&caught);
    let message = session.value("SELECT message FROM caught");
    assert_eq!(message, format!("run \"no {word}\" does not exist"));

    // Of a client, in its row, the report and the server's log.
    let run = session.start_run(&format!(
        "script => $s$SELECT 1 FROM \"missing_{word}\";$s$, transactions_per_client => 1, label => '{word}'"
    ));
    session.wait_for_status(run, "failed");
    let row = session.value(&format!(
        "SELECT message FROM pgperf.run_errors WHERE run_id = {run}"
    ));
    assert_eq!(row, format!("relation \"missing_{word}\" does not exist"));
    let lines = text(&mut session, &format!("SELECT pgperf.report({run})"));
    assert!(lines.contains(&row), "{lines}");
    let raised = format!(
        "script => $s$DO $x$ BEGIN RAISE EXCEPTION '{word} went wrong' USING ERRCODE = 'AB001', DETAIL = 'the {word}'; \
         END $x$;$s$, transactions_per_client => 1"
    );
    let run = session.start_run(&raised);
    session.wait_for_status(run, "failed");
    let row = session.value(&format!(
        "SELECT concat_ws('|', sqlstate, message, detail) FROM pgperf.run_errors WHERE run_id = {run}"
    ));
    assert_eq!(row, format!("AB001|{word} went wrong|the {word}"));
    assert!(cluster.is_running());
}

#[test]
fn errors_in_latin1() {
    errors(&LATIN1);
}

#[test]
fn errors_in_euc_jp() {
    errors(&EUC_JP);
}

#[test]
fn errors_in_sql_ascii() {
    errors(&SQL_ASCII);
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
        "SELECT pgperf.start_sweep(script => 'SELECT 1;', clients => '{1,2}', repetitions => 1, \
         duration => '0.5 s', label => 'tä')",
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
