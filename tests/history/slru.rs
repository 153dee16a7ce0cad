//! What transactions do to the SLRU caches, in the reports of the run that they belong to.

use crate::common::Cluster;
use crate::common::runs::Runs;

/// Each subtransaction is entered into one of these caches, with more than 64 of them snapshots overflow; a row that two
/// transactions share needs a multixact.
#[test]
fn a_run_s_reports_show_subtransactions_and_multixacts() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    session.value("CREATE TABLE shared AS SELECT 1 AS id");
    session.value("CREATE TABLE rows (id integer)");
    let mut other = cluster.connect();
    other
        .batch_execute("BEGIN; SELECT * FROM shared FOR KEY SHARE")
        .expect("a shared row");
    let run = session.finish_run(
        "script => $$BEGIN;
SELECT id FROM shared FOR KEY SHARE;
DO $x$ BEGIN
    FOR i IN 1..100 LOOP
        BEGIN INSERT INTO rows VALUES (i); EXCEPTION WHEN division_by_zero THEN NULL; END;
    END LOOP;
END $x$;
SELECT count(*) FROM rows;
END;$$, clients => 2, transactions_per_client => 20, collectors => '{slru}'",
    );
    let hits = |name: &str| {
        format!(
            "SELECT coalesce(sum((r -> 'counts' ->> 0)::int8), 0) \
             FROM jsonb_path_query(pgperf.report_json({run}), '$.tables[*] ? (@.collector == \"slru\").rows[*]') r \
             WHERE r ->> 'object' ILIKE '{name}'"
        )
    };
    // 40 transactions of 100 subtransactions.
    assert!(session.number(&hits("subtrans%")) >= 4000);
    assert!(session.number(&hits("multixact%offset")) > 0);
    let section = format!(
        "SELECT string_agg(l, E'\\n') FROM pgperf.report({run}) l \
         WHERE l ~* 'SLRU|subtrans|multixact' AND length(l) <= 80"
    );
    let section = session.value(&section);
    assert!(section.starts_with("SLRU caches"), "{section}");
    let heads = ["hits", "read", "written", "SLRU", "ubtrans", "ulti"];
    assert!(heads.iter().all(|head| section.contains(head)), "{section}");
    let page = session.value(&format!("SELECT pgperf.report_html({run})"));
    assert!(page.contains("id=\"slru\""));

    // A run that takes another collector has no such section.
    let without = session
        .finish_run("script => 'SELECT 1;', transactions_per_client => 1, collectors => '{wal}'");
    let has = format!("SELECT bool_or(l ~ 'SLRU') FROM pgperf.report({without}) l");
    assert_eq!(session.value(&has), "f");
}
