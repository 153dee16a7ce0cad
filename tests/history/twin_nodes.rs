//! History of another node with the same numbers of samples, runs and statements: nothing of it is in the figures of this one.

use crate::common::Cluster;
use crate::common::history::Copies;
use crate::common::runs::Runs;
use postgres::Client;
use std::collections::BTreeMap;

/// Rows of each relation or function, as texts.
type Shown = BTreeMap<String, Vec<String>>;

/// What can be asked about this node: every view but that of the tables' sizes, every function of the history that needs no argument, and those by time or by run.
fn asked(session: &mut Client, from: &str, to: &str, run: i64) -> BTreeMap<String, String> {
    let views = session
        .query(
            "SELECT c.relname::text, bool_or(a.attname = 'node_id') FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 \
              WHERE c.relkind = 'v' AND c.relnamespace = 'pgperf'::regnamespace AND c.relname NOT IN ('nodes', 'history_size') GROUP BY 1",
            &[],
        )
        .expect("views");
    let of_view = views.iter().map(|row| {
        let (name, of_node): (String, bool) = (row.get(0), row.get(1));
        let own = if of_node {
            "WHERE v.node_id = pgperf.local_node()"
        } else {
            ""
        };
        let sql = format!("SELECT v::text FROM pgperf.{name} v {own}");
        (name, sql)
    });
    let mut all: BTreeMap<String, String> = of_view.collect();
    let functions = session
        .query(
            "SELECT DISTINCT p.proname::text FROM pg_proc p WHERE p.pronamespace = 'pgperf'::regnamespace AND p.prokind = 'f' \
                AND p.provolatile <> 'v' AND p.proretset AND p.pronargs = p.pronargdefaults",
            &[],
        )
        .expect("functions");
    for row in &functions {
        let name: String = row.get(0);
        all.insert(
            format!("{name}()"),
            format!("SELECT f::text FROM pgperf.{name}() f"),
        );
    }
    let window = format!("'{from}', '{to}'");
    for (name, rows) in [
        (
            "metrics",
            "string_to_table(pgperf.metrics(), E'\\n') v".to_owned(),
        ),
        (
            "history_report",
            format!("pgperf.history_report({window}) v"),
        ),
        ("findings", format!("pgperf.findings({window}) v")),
        (
            "history_compare",
            format!("pgperf.history_compare({window}, back => '1 minute') v"),
        ),
        ("report", format!("pgperf.report({run}) v")),
        ("compare", format!("pgperf.compare({run}, {run}) v")),
        (
            "history of the run",
            format!("pgperf.history_report('{run}') v"),
        ),
        (
            "history_json",
            format!(
                "(SELECT s ->> 'name' AS section, t ->> 'name' AS tables, c.key, CASE jsonb_typeof(c.value) WHEN 'number' \
                 THEN to_char((c.value #>> '{{}}')::float8, '9.9999999EEEE') ELSE c.value #>> '{{}}' END AS value \
              FROM jsonb_array_elements(pgperf.history_json({window}) -> 'sections') s, jsonb_array_elements(s -> 'tables') t, \
                   jsonb_array_elements(t -> 'rows') r, jsonb_each(r) c) v"
            ),
        ),
    ] {
        all.insert(name.to_owned(), format!("SELECT v::text FROM {rows}"));
    }
    all
}

fn shown(session: &mut Client, asked: &BTreeMap<String, String>) -> Shown {
    let answer = |(name, sql): (&String, &String)| {
        // A refusal is an answer, too.
        let mut rows: Vec<String> = match session.query(sql, &[]) {
            Ok(rows) => (rows.iter())
                .map(|row| row.get::<_, Option<String>>(0).unwrap_or_default())
                .collect(),
            Err(error) => {
                let refused = error
                    .as_db_error()
                    .unwrap_or_else(|| panic!("{sql}\n{error:?}"));
                assert_eq!(refused.code().code(), "22023", "{sql}\n{refused}");
                vec![refused.message().to_owned()]
            }
        };
        rows.sort();
        (name.clone(), rows)
    };
    asked.iter().map(answer).collect()
}

#[test]
fn the_history_of_another_node_changes_nothing() {
    let cluster = Cluster::with_data(&["autovacuum = off"]);
    let mut session = cluster.connect();
    session.value("CREATE EXTENSION IF NOT EXISTS pg_walinspect");
    let from = session.value("SELECT clock_timestamp()");
    let mut run = 0;
    for _ in 0..2 {
        session.value("SELECT count(*) FROM pgperf.snapshot()");
        run = session.finish_run(
            "'tpcb-like', clients => 2, transactions_per_client => 100, sample_interval => '0.2 s', transaction_log => true, hit_curve => true, collectors => '{wal, tables}', \
             disturbances => '[{\"sql\": \"SELECT 1\", \"at\": \"0 s\"}]'",
        );
    }
    session.value("SELECT count(*) FROM pgperf.snapshot()");
    let to = session.value("SELECT clock_timestamp()");
    let asked = asked(&mut session, &from, &to, run);
    // Sums of fractions are not exact: a figure has eight digits. What depends on the moment differs from one answer to the next.
    let first = shown(&mut session, &asked);
    let mut stable = shown(&mut session, &asked);
    let mut rows = 0;
    for (name, answer) in &mut stable {
        answer.retain(|row| first[name].contains(row));
        rows += answer.len();
    }
    session.copy_node("another", "1 second");
    for counted in [
        "pgperf.samples",
        "pgperf.wal_history",
        "pgperf.statement_history",
        "pgperf_internal.stored_runs",
    ] {
        let both = format!(
            "SELECT count(DISTINCT n) FROM (SELECT node_id, count(*) AS n FROM {counted} GROUP BY 1) c"
        );
        assert_eq!(session.number(&both), 1, "{counted}");
        let nodes = format!("SELECT count(DISTINCT node_id) FROM {counted}");
        assert_eq!(session.number(&nodes), 2, "{counted}");
    }
    let after = shown(&mut session, &asked);
    let mut wrong = Vec::new();
    for (name, answer) in &stable {
        let lost = answer.iter().filter(|row| !after[name].contains(row));
        wrong.extend(lost.take(3).map(|row| format!("{name} without: {row}")));
        if after[name].len() != first[name].len() {
            wrong.push(format!(
                "{name}: {} rows, before {}",
                after[name].len(),
                first[name].len()
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(rows > 1000, "{rows} rows were compared");
}
