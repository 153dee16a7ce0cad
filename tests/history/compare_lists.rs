//! Two windows of the history side by side: objects that are among the first of a list in one window only.

use crate::common::Cluster;
use crate::common::runs::Runs;
use postgres::Client;
use serde_json::Value;

const TABLES: usize = 14;

fn now(session: &mut Client) -> String {
    session.value("SELECT clock_timestamp()")
}

/// A window in which each table is read and written less often than the one before; the last one this often.
fn window(session: &mut Client, last: usize) -> String {
    const SAMPLE: &str = "SELECT count(*) FROM pgperf.snapshot('{statements,tables}')";
    let from = now(session);
    session.value(SAMPLE);
    for table in 1..=TABLES {
        let times = if table == TABLES { last } else { 60 - table };
        for _ in 0..times {
            session.value(&format!("SELECT count(*) FROM tt{table:02}"));
        }
        session.value(&format!(
            "INSERT INTO tt{table:02} SELECT generate_series(1, 300 * {times})"
        ));
    }
    session.value("SELECT pg_stat_force_next_flush()");
    session.value(SAMPLE);
    let to = now(session);
    format!("'{from}', '{to}'")
}

fn compared(session: &mut Client, a: &str, b: &str) -> Value {
    let document = session.value(&format!("SELECT pgperf.history_compare_json({a}, {b})"));
    serde_json::from_str(&document).expect("a document")
}

/// The first name and the presence of each row of a table.
fn presences(document: &Value, section: &str, table: &str) -> Vec<(String, String)> {
    let named = |list: &Value, name: &str| -> Value {
        let mut list = list.as_array().expect("a list").iter();
        let found = list.find(|one| one["name"] == name);
        found.unwrap_or_else(|| panic!("no {name}")).clone()
    };
    let table = named(&named(&document["sections"], section)["tables"], table);
    let rows = table["rows"].as_array().expect("rows").iter();
    rows.map(|row| {
        let name = row["names"][0].as_str().expect("a name").to_owned();
        (
            name,
            row["presence"].as_str().unwrap_or("unknown").to_owned(),
        )
    })
    .collect()
}

#[test]
fn what_only_one_window_has_among_its_first_is_in_both() {
    let cluster = Cluster::with_pgperf(&["autovacuum = off"]);
    let mut session = cluster.connect();
    for table in 1..=TABLES {
        session.value(&format!("CREATE TABLE tt{table:02} (id integer)"));
    }
    let a = window(&mut session, 46);
    let b = window(&mut session, 80);
    let document = compared(&mut session, &a, &b);
    let statements = presences(&document, "statements", "top");
    let tables = presences(&document, "tables", "activity");
    let expected = |rows: &[(String, String)], name: &str| {
        let found = rows.iter().find(|(of, _)| of == name);
        let presence = found.map(|(_, presence)| presence.as_str());
        assert_eq!(presence, Some("both"), "{name}: {rows:?}");
    };
    // The tenth of a is no longer among the first ten of b, whose first one was the last of a.
    for table in ["tt10", "tt14"] {
        let read = format!("By calls: SELECT count(*) FROM {table}");
        expected(&statements, &read);
        expected(&tables, &format!("Rows written: public.{table}"));
    }
    for (name, presence) in statements.iter().chain(&tables) {
        let is_known = !name.contains(" tt") && !name.contains(".tt");
        assert!(is_known || presence == "both", "{name} {presence}");
        // They are those of one window and the one before it.
        assert!(
            !name.starts_with("New: ") && !name.starts_with("Vanished: "),
            "{name}"
        );
    }

    // What no window before had.
    session.value("CREATE TABLE tt00 (id integer)");
    let from = now(&mut session);
    session.value("SELECT count(*) FROM pgperf.snapshot('{statements}')");
    for _ in 0..100 {
        session.value("SELECT count(*) FROM tt00");
    }
    session.value("SELECT count(*) FROM pgperf.snapshot('{statements}')");
    let to = now(&mut session);
    let document = compared(&mut session, &b, &format!("'{from}', '{to}'"));
    let statements = presences(&document, "statements", "top");
    for (name, presence) in [("tt00", "new"), ("tt14", "gone")] {
        let name = format!("By calls: SELECT count(*) FROM {name}");
        let row = (name, presence.to_owned());
        assert!(statements.contains(&row), "{row:?}: {statements:?}");
    }
}
