//! Orders and lines in partitions by month: the same rows, answers and refreshes as without partitions.

use super::shares::failed_checks;
use super::tpch::statement;
use crate::common::Cluster;
use crate::common::runs::Runs;
use postgres::{Client, SimpleQueryMessage};

const BY_MONTH: &str = "\"partitions\": \"month\", \"refresh_orders\": true";

fn load(session: &mut Client, schema: &str, options: &str) {
    let load = session.number(&format!(
        "CALL pgperf.init('tpch-like', scale => 0.01, schema => '{schema}', jobs => 2, options => '{{{options}}}')"
    ));
    assert_eq!(session.status(load), "finished");
}

/// How many rows the tables of a schema have, and their sums.
fn contents(session: &mut Client, schema: &str) -> Vec<String> {
    let tables = ["orders", "lineitem", "refresh_orders", "refresh_lineitem"];
    let sums = tables.map(|table| {
        session.value(&format!(
            "SELECT count(*) || ' ' || sum(hashtextextended(t::text, 0)::numeric) FROM {schema}.{table} AS t"
        ))
    });
    sums.into()
}

/// The partitions with rows, and what is wrong with them: a row that belongs elsewhere, a page that is not frozen.
fn partitions(session: &mut Client, schema: &str) -> (i64, String) {
    let find = format!(
        "SELECT c.relname::text, pg_get_partition_constraintdef(c.oid), \
                (SELECT all_frozen = pg_relation_size(c.oid) / current_setting('block_size')::int FROM pg_visibility_map_summary(c.oid)) \
           FROM pg_class c WHERE c.relnamespace = '{schema}'::regnamespace AND c.relkind = 'r' AND c.relispartition ORDER BY 1"
    );
    let (mut filled, mut wrong) = (0, Vec::new());
    for row in session.query(&find, &[]).unwrap() {
        let (name, bound, is_frozen): (String, String, bool) = (row.get(0), row.get(1), row.get(2));
        let rows = session.number(&format!("SELECT count(*) FROM {schema}.{name}"));
        let here = session.number(&format!(
            "SELECT count(*) FROM {schema}.{name} WHERE {bound}"
        ));
        filled += i64::from(rows > 0);
        if rows != here || !is_frozen {
            wrong.push(name);
        }
    }
    (filled, wrong.join(" "))
}

/// The rows of a query, in their order.
fn answer(session: &mut Client, schema: &str, sql: &str) -> Vec<String> {
    session.value(&format!("SET search_path = {schema}"));
    let messages = session.simple_query(sql).unwrap();
    session.value("RESET search_path");
    let rows = messages.iter().filter_map(|message| match message {
        SimpleQueryMessage::Row(row) => Some(row),
        _ => None,
    });
    let columns = |row: &postgres::SimpleQueryRow| -> String {
        let columns = (0..row.len()).map(|i| row.get(i).unwrap_or(""));
        columns.collect::<Vec<_>>().join("|")
    };
    rows.map(columns).collect()
}

#[test]
fn partitions_have_the_same_rows_and_answers() {
    let cluster = Cluster::with_pgperf(&[
        "max_wal_size = 4GB",
        "shared_buffers = 256MB",
        "autovacuum = off",
    ]);
    let mut session = cluster.connect();
    session.value("CREATE EXTENSION pg_visibility");
    session.value("CREATE SCHEMA plain");
    session.value("CREATE SCHEMA months");
    load(&mut session, "plain", "\"refresh_orders\": true");
    // Bounds are shown in the style of the session.
    session.value("ALTER ROLE CURRENT_USER SET datestyle = 'SQL, DMY'");
    let foreign = format!("{BY_MONTH}, \"foreign_keys\": true");
    load(&mut session, "months", &foreign);
    session.value("ALTER ROLE CURRENT_USER RESET datestyle");
    let expected = contents(&mut session, "plain");
    assert_eq!(contents(&mut session, "months"), expected);
    // The last orders are of August 1998; of so few lines, none leaves as late as in December.
    assert_eq!(partitions(&mut session, "months"), (80 + 83, String::new()));
    assert_eq!(
        session.value(
            "SELECT string_agg(conname || ' ' || pg_get_constraintdef(oid), ', ' ORDER BY conname) FROM pg_constraint \
              WHERE contype = 'p' AND conrelid IN ('months.orders'::regclass, 'months.lineitem'::regclass)"
        ),
        "lineitem_pkey PRIMARY KEY (l_orderkey, l_linenumber, l_shipdate), orders_pkey PRIMARY KEY (o_orderkey, o_orderdate)"
    );

    let run = session.finish_run(
        "'tpch-like', schema => 'months', vacuum => 'standard', options => '{\"validation\": true, \"refresh\": true}'",
    );
    assert_eq!(contents(&mut session, "months"), expected);
    assert_eq!(
        session.number(&format!(
            "SELECT sum(transactions) FROM pgperf.run_scripts WHERE run_id = {run}"
        )),
        24
    );
    let scripts = format!(
        "SELECT s ->> 'name', s ->> 'text' FROM pgperf.runs, jsonb_array_elements(spec -> 'scripts') AS s \
          WHERE run_id = {run} AND s ->> 'name' ~ '^q'"
    );
    let scripts = session.query(&scripts, &[]).unwrap();
    assert_eq!(scripts.len(), 22);
    let mut rows = 0;
    for row in scripts {
        let name: String = row.get(0);
        let sql = statement(&name, row.get(1));
        let found = answer(&mut session, "months", &sql);
        assert_eq!(found, answer(&mut session, "plain", &sql), "{name}");
        rows += found.len();
    }
    assert!(rows > 100, "{rows}");
    assert_eq!(
        session.value(
            "SELECT coalesce(string_agg(check_name, ', '), '') FROM pgperf.\"check\"('tpch-like', schema => 'months') \
              WHERE passed IS NOT TRUE"
        ),
        ""
    );

    // Tables without partitions take their place.
    load(&mut session, "months", "");
    assert_eq!(partitions(&mut session, "months"), (0, String::new()));
}

/// Where logical decoding has to see them, the server takes each row to its partition.
#[test]
fn partitions_may_be_filled_by_statements() {
    let cluster = Cluster::with_pgperf(&["max_wal_size = 4GB", "wal_level = logical"]);
    let mut session = cluster.connect();
    session.value("CREATE SCHEMA plain");
    load(&mut session, "plain", "\"refresh_orders\": true");
    load(&mut session, "public", BY_MONTH);
    let expected = contents(&mut session, "plain");
    assert_eq!(contents(&mut session, "public"), expected);
    assert_eq!(failed_checks(&mut session, "tpch-like"), "");
}
