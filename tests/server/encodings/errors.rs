//! Messages of the server and of pgperf.

use super::{EUC_JP, LATIN1, Place, SQL_ASCII, create, make_objects, text};
use crate::common::runs::{Runs, error_of};

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
             GRANT EXECUTE ON FUNCTION pgperf.check(text, text, boolean, text) TO reader; GRANT USAGE ON SCHEMA pgperf TO reader; \
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
