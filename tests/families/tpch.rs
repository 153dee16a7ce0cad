//! The workload derived from TPC-H on a server: its rows are those of the generator, its answers the published ones, and a run has
//! the metrics of its queries.

use super::shares::{expect_failures, expect_the_same_rows, failed_checks, transactions};
use crate::common::Cluster;
use crate::common::runs::{Runs, error_of};
use postgres::{Client, SimpleQueryMessage};
use script::{CommandKind, Context, Prng, Symbols, Value, Variables};
use std::fmt::Display;
use tpchgen::generators::{
    CustomerGenerator, LineItemGenerator, NationGenerator, OrderGenerator, PartGenerator,
    PartSuppGenerator, RegionGenerator, SupplierGenerator,
};
use tpchgen::q_and_a::QueryAndAnswer;

/// The tables with their columns as texts; those of `char(n)` without the blanks that fill them up.
const TABLES: [(&str, &str); 8] = [
    ("region", "r_regionkey, r_name::text, r_comment"),
    (
        "nation",
        "n_nationkey, n_name::text, n_regionkey, n_comment",
    ),
    (
        "supplier",
        "s_suppkey, s_name::text, s_address, s_nationkey, s_phone::text, s_acctbal, s_comment",
    ),
    (
        "part",
        "p_partkey, p_name, p_mfgr::text, p_brand::text, p_type, p_size, p_container::text, p_retailprice, p_comment",
    ),
    (
        "partsupp",
        "ps_partkey, ps_suppkey, ps_availqty, ps_supplycost, ps_comment",
    ),
    (
        "customer",
        "c_custkey, c_name, c_address, c_nationkey, c_phone::text, c_acctbal, c_mktsegment::text, c_comment",
    ),
    (
        "orders",
        "o_orderkey, o_custkey, o_orderstatus::text, o_totalprice, o_orderdate, o_orderpriority::text, o_clerk::text, \
         o_shippriority, o_comment",
    ),
    (
        "lineitem",
        "l_orderkey, l_partkey, l_suppkey, l_linenumber, l_quantity::int, l_extendedprice, l_discount, l_tax, \
         l_returnflag::text, l_linestatus::text, l_shipdate, l_commitdate, l_receiptdate, l_shipinstruct::text, \
         l_shipmode::text, l_comment",
    ),
];

/// The lines of a table as the generator's own program writes them.
fn generated(table: &str, scale: f64) -> Vec<String> {
    fn lines(rows: impl Iterator<Item: Display>) -> Vec<String> {
        rows.map(|row| row.to_string()).collect()
    }
    match table {
        "region" => lines(RegionGenerator::new(scale, 1, 1).iter()),
        "nation" => lines(NationGenerator::new(scale, 1, 1).iter()),
        "supplier" => lines(SupplierGenerator::new(scale, 1, 1).iter()),
        "part" => lines(PartGenerator::new(scale, 1, 1).iter()),
        "partsupp" => lines(PartSuppGenerator::new(scale, 1, 1).iter()),
        "customer" => lines(CustomerGenerator::new(scale, 1, 1).iter()),
        "orders" => lines(OrderGenerator::new(scale, 1, 1).iter()),
        _ => lines(LineItemGenerator::new(scale, 1, 1).iter()),
    }
}

/// Fails if a table has other rows than the generator makes.
fn expect_generated_rows(session: &mut Client, scale: f64) {
    for (table, columns) in TABLES {
        let sql = format!("SELECT concat_ws('|', {columns}) || '|' FROM {table}");
        let rows = session.query(&sql, &[]).unwrap().into_iter();
        let mut found: Vec<String> = rows.map(|row| row.get(0)).collect();
        let mut expected = generated(table, scale);
        found.sort_unstable();
        expected.sort_unstable();
        let different = found.iter().zip(&expected).find(|(a, b)| a != b);
        assert_eq!(different, None, "{table}");
        assert_eq!(found.len(), expected.len(), "{table}");
    }
}

fn load(arguments: &str) -> (Cluster, Client) {
    let cluster = Cluster::with_pgperf(&["max_wal_size = 4GB", "shared_buffers = 256MB"]);
    let mut session = cluster.connect();
    let load = session.number(&format!("CALL pgperf.init('tpch-like', {arguments})"));
    assert_eq!(session.status(load), "finished");
    (cluster, session)
}

#[test]
fn rows_are_those_of_the_generator_and_meet_the_conditions() {
    let (_cluster, mut session) =
        load("scale => 0.01, jobs => 2, options => '{\"foreign_keys\": true}'");
    expect_generated_rows(&mut session, 0.01);
    assert_eq!(
        session.value(
            "SELECT count(*) FILTER (WHERE contype = 'p') || ' ' || count(*) FILTER (WHERE contype = 'f') || ' ' || \
                    (SELECT count(*) FROM pg_indexes WHERE schemaname = 'public') \
               FROM pg_constraint WHERE connamespace = 'public'::regnamespace"
        ),
        "8 8 16"
    );
    // The scale has a fraction, which its column cannot hold.
    assert_eq!(
        session.value(
            "SELECT data_set || ' ' || scale || ' ' || (options ->> 'scale') FROM pgperf.data_sets"
        ),
        "tpch-like 1 0.01"
    );
    expect_failures(
        &mut session,
        "tpch-like",
        &[
            ("1 8", "DELETE FROM region WHERE r_regionkey = 4"),
            (
                "8",
                "UPDATE nation SET n_regionkey = 5 WHERE n_nationkey = 7",
            ),
            (
                "9",
                "UPDATE supplier SET s_nationkey = 25 WHERE s_suppkey = 7",
            ),
            (
                "10",
                "UPDATE customer SET c_nationkey = 25 WHERE c_custkey = 7",
            ),
            ("5 11 15", "DELETE FROM partsupp WHERE ps_partkey = 7"),
            ("4 12", "DELETE FROM part WHERE p_partkey = 7"),
            ("13", "UPDATE orders SET o_custkey = 0 WHERE o_orderkey = 7"),
            (
                "14",
                "INSERT INTO lineitem SELECT 8, l_partkey, l_suppkey, 1, l_quantity, l_extendedprice, l_discount, l_tax, 'N', 'O', \
                           l_shipdate, l_commitdate, l_receiptdate, 'NONE', 'AIR', '' FROM lineitem WHERE l_orderkey = 7 AND l_linenumber = 1",
            ),
            (
                "16 18",
                "DELETE FROM lineitem WHERE l_orderkey = 7 AND l_linenumber = 1",
            ),
            (
                "17",
                "UPDATE orders SET o_orderstatus = 'P' WHERE o_orderkey = 7",
            ),
            (
                "19",
                "UPDATE lineitem SET l_quantity = l_quantity + 1 WHERE l_orderkey = 7 AND l_linenumber = 1",
            ),
            (
                "18",
                "UPDATE orders SET o_totalprice = o_totalprice + 1 WHERE o_orderkey = 7",
            ),
        ],
    );
}

/// A run with these arguments that has ended.
fn finish(session: &mut Client, arguments: &str) -> i64 {
    let run = session.start_run(arguments);
    session.value(&format!("CALL pgperf.wait_run({run}, timeout => '5 min')"));
    assert_eq!(session.status(run), "finished", "{arguments}");
    run
}

fn metric(session: &mut Client, run: i64, name: &str) -> String {
    session.value(&format!(
        "SELECT coalesce(value::text, 'NULL') FROM pgperf.run_metrics WHERE run_id = {run} AND metric = '{name}'"
    ))
}

/// The order in which a client ran its queries.
fn order(session: &mut Client, run: i64, client: i32) -> String {
    session.value(&format!(
        "SELECT string_agg(ltrim(script, 'q0'), ' ' ORDER BY transaction_no) \
           FROM pgperf.run_transactions t JOIN pgperf.run_scripts s USING (node_id, run_id, script_no) \
          WHERE run_id = {run} AND client_id = {client}"
    ))
}

#[test]
fn clients_run_the_queries_of_their_streams_and_have_the_metrics() {
    let (cluster, mut session) = load("scale => 0.01");
    let run = finish(
        &mut session,
        "'tpch-like', random_seed => 5, transaction_log => true",
    );
    assert_eq!(
        order(&mut session, run, 0),
        "14 2 9 20 6 17 18 8 21 13 3 22 16 4 11 15 1 10 19 5 7 12"
    );
    // The scale of the run is that of the tables; its column has integers.
    assert_eq!(
        session.value(&format!(
            "SELECT spec ->> 'scale' FROM pgperf.runs WHERE run_id = {run}"
        )),
        "0.01"
    );
    let is_near = |session: &mut Client, name: &str, expected: &str| {
        let sql = format!(
            "SELECT abs(m.value / ({expected}) - 1) < 1e-6 \
               FROM pgperf.run_metrics m, (SELECT exp(avg(ln(latency_avg_ms))) / 1000 AS geometric, sum(latency_avg_ms) / 1000 AS total, \
                           exp(avg(ln(greatest(latency_avg_ms, slowest_ms / 1000)))) / 1000 AS power, max(latency_avg_ms) / 1000 AS slowest \
                      FROM (SELECT latency_avg_ms, max(latency_avg_ms) OVER () AS slowest_ms \
                              FROM pgperf.run_scripts WHERE run_id = {run}) AS q) AS s, \
                    pgperf.run_summary r \
              WHERE m.run_id = {run} AND r.run_id = {run} AND m.metric = '{name}'"
        );
        assert_eq!(session.value(&sql), "t", "{name}");
    };
    is_near(&mut session, "geometric_mean_s", "s.geometric");
    is_near(&mut session, "query_times_s", "s.total");
    is_near(&mut session, "slowest_query_s", "s.slowest");
    is_near(&mut session, "power_at_size", "3600 * 0.01 / s.power");
    is_near(
        &mut session,
        "throughput_at_size",
        "22 * 3600 * 0.01 / r.duration_s",
    );
    is_near(
        &mut session,
        "queries_per_hour_at_size",
        "sqrt(3600 * 0.01 / s.power * 22 * 3600 * 0.01 / r.duration_s)",
    );
    assert_eq!(metric(&mut session, run, "queries_without_time"), "0");
    // The call that repeats it says nothing of how long it takes.
    assert_eq!(
        session.value(&format!("SELECT pgperf.report_json({run}) ->> 'call'")),
        "SELECT pgperf.start_run('tpch-like', random_seed => 5, transaction_log => true);"
    );

    let run = finish(
        &mut session,
        "'tpch-like', clients => 2, transaction_log => true",
    );
    assert_eq!(
        order(&mut session, run, 0),
        "21 3 18 5 11 7 6 20 17 12 16 15 13 10 2 8 14 19 9 22 1 4"
    );
    assert_eq!(
        order(&mut session, run, 1),
        "6 17 14 16 19 10 9 2 15 8 5 22 12 7 13 18 1 4 20 3 11 21"
    );
    assert_eq!(transactions(&mut session, run, "q22"), 2);
    assert_eq!(metric(&mut session, run, "power_at_size"), "");
    assert_ne!(metric(&mut session, run, "throughput_at_size"), "NULL");

    // A query that fails has no time; nor have all of them together.
    session.value("ALTER TABLE supplier RENAME s_comment TO s_remark");
    let run = finish(&mut session, "'tpch-like', continue_on_error => true");
    session.value("ALTER TABLE supplier RENAME s_remark TO s_comment");
    assert_eq!(metric(&mut session, run, "queries_without_time"), "2");
    for name in [
        "geometric_mean_s",
        "power_at_size",
        "throughput_at_size",
        "queries_per_hour_at_size",
    ] {
        assert_eq!(metric(&mut session, run, name), "NULL", "{name}");
    }
    expect_that_streams_survive_timeouts(&cluster, &mut session);
    let (code, message, _) = error_of(
        &mut session,
        "CALL pgperf.init('tpch-like', scale => 0.012)",
    );
    assert!(
        code == "22023" && message.contains("four suppliers"),
        "{message}"
    );
    assert_eq!(failed_checks(&mut session, "tpch-like"), "");
}

/// A query that a timeout cancels fails, and its client goes on.
fn expect_that_streams_survive_timeouts(cluster: &Cluster, session: &mut Client) {
    let mut other = cluster.connect();
    other.value("BEGIN");
    other.value("LOCK TABLE region");
    let run = finish(
        session,
        "'tpch-like', settings => '{\"statement_timeout\": \"200 ms\"}'",
    );
    other.value("ROLLBACK");
    let mut of_scripts = |figure: &str, condition: &str| {
        session.number(&format!(
            "SELECT sum({figure}) FROM pgperf.run_scripts WHERE run_id = {run} AND {condition}"
        ))
    };
    let needs_region = "script IN ('q02', 'q05', 'q08')";
    assert_eq!(of_scripts("failed", needs_region), 3);
    assert_eq!(of_scripts("transactions + failed", "true"), 22);
}

/// A statement of a stored run's script, with the values that its commands set.
pub fn statement(name: &str, text: &str) -> String {
    let mut symbols = Symbols::new();
    let scale = symbols.intern("scale");
    let script = script::parse(name, text, &mut symbols).unwrap();
    let mut variables = Variables::new(&symbols);
    variables.set(scale, Value::Int(1));
    let mut statement = String::new();
    for command in &script.commands {
        match &command.kind {
            CommandKind::Set { variable, expr } => {
                let mut context = Context {
                    variables: &variables,
                    prng: &mut Prng::new(1),
                    debug: &mut |_| (),
                };
                let value = context.eval(expr).unwrap();
                variables.set(*variable, value);
            }
            CommandKind::Sql(sql) => sql.interpolate(&variables, &mut statement),
            _ => panic!("{name}"),
        }
    }
    statement
}

/// Whether a value of a query is the published one, which has two places behind the point.
fn is_answer(query: &str, found: &str, expected: &str) -> bool {
    // The published answer of this query, a sum divided by seven, is 348406.02; exact arithmetic and other databases find 348406.05.
    let tolerance = if query == "q17" { 0.05 } else { 0.005_1 };
    let number = |text: &str| text.parse::<f64>().ok();
    match (number(found), number(expected)) {
        (Some(found), Some(expected)) => (found - expected).abs() <= tolerance,
        _ => found.trim() == expected.trim(),
    }
}

/// The answers of the 22 queries, with the parameters of the validation.
fn answers(session: &mut Client) -> Vec<(String, Vec<Vec<String>>)> {
    let run = finish(session, "'tpch-like', options => '{\"validation\": true}'");
    let scripts = format!(
        "SELECT s ->> 'name', s ->> 'text' FROM pgperf.runs, jsonb_array_elements(spec -> 'scripts') AS s WHERE run_id = {run}"
    );
    let scripts = session.query(&scripts, &[]).unwrap().into_iter();
    let answer = |row: postgres::Row| {
        let (name, text): (String, String) = (row.get(0), row.get(1));
        let messages = session.simple_query(&statement(&name, &text)).unwrap();
        let rows = messages.iter().filter_map(|message| match message {
            SimpleQueryMessage::Row(row) => Some(row),
            _ => None,
        });
        let value = |row: &postgres::SimpleQueryRow, i| row.get(i).unwrap_or("").to_owned();
        let rows = rows.map(|row| (0..row.len()).map(|i| value(row, i)).collect());
        (name, rows.collect())
    };
    scripts.map(answer).collect()
}

/// The answers at scale 0.01: rows, and a sum of their texts. They were found with the queries whose answers at scale 1 are the
/// published ones (below).
const SMALL_ANSWERS: &str = "\
q01 4 8e2086f1
q02 4 8091fdc5
q03 10 d2963b44
q04 5 917a6a92
q05 5 7651087f
q06 1 836f7c70
q07 4 29fe220d
q08 2 6140b31e
q09 173 08d727f8
q10 20 877e5363
q11 359 25d784f2
q12 2 9e2e65f0
q13 33 b96a2315
q14 1 538773ee
q15 1 010db844
q16 296 a42a25f1
q17 1 d41d8cd9
q18 2 25bafa7a
q19 1 784c72e9
q20 1 3c9b4649
q21 1 0df81338
q22 7 98e11b52
";

#[test]
fn answers_are_those_of_the_queries_that_were_validated() {
    let (_cluster, mut session) = load("scale => 0.01");
    let mut found = String::new();
    for (name, rows) in answers(&mut session) {
        let text: Vec<String> = rows.iter().map(|row| row.join("|")).collect();
        let sum = session.value(&format!(
            "SELECT left(md5($text${}$text$), 8)",
            text.join("\n")
        ));
        found += &format!("{name} {} {sum}\n", rows.len());
    }
    assert_eq!(found, SMALL_ANSWERS);
}

/// All 22 answers at scale 1, closer than clause 2.1.3.5 asks, of plain tables and of partitions.
#[test]
fn answers_are_the_published_ones() {
    for partitions in ["none", "month"] {
        println!("partitions: {partitions}");
        answers_are_published(partitions);
    }
}

fn answers_are_published(partitions: &str) {
    let (_cluster, mut session) = load(&format!(
        "scale => 1, jobs => 2, options => '{{\"partitions\": \"{partitions}\"}}'"
    ));
    assert_eq!(failed_checks(&mut session, "tpch-like"), "");
    for (i, (name, found)) in answers(&mut session).into_iter().enumerate() {
        let published = QueryAndAnswer::new(i as i32 + 1, 1.0).unwrap();
        let lines = published.answer().lines().map(str::trim_end);
        let lines = lines.filter(|line| !line.is_empty()).skip(1);
        let expected: Vec<Vec<&str>> = lines.map(|line| line.split('|').collect()).collect();
        assert_eq!(found.len(), expected.len(), "{name}");
        for (found, expected) in found.iter().zip(&expected) {
            let mut found = found.clone();
            // Of these keys, the crate's copy of the answers lacks the last two digits.
            if name == "q11" {
                let length = found[0].len() - 2;
                found[0].truncate(length);
            }
            let same = found
                .iter()
                .zip(expected)
                .all(|(a, b)| is_answer(&name, a, b.trim()));
            assert!(
                same && found.len() == expected.len(),
                "{name}: {found:?} {expected:?}"
            );
        }
    }
}

#[test]
fn rows_are_the_same_however_they_are_written() {
    expect_the_same_rows(
        "CALL pgperf.init('tpch-like', scale => 0.01)",
        &TABLES.map(|(table, _)| table),
        "66cb6c9d86f169f8223479a06ed3b0cd",
    );
}

#[test]
fn rows_of_a_larger_scale_are_those_of_the_generator() {
    let (_cluster, mut session) = load("scale => 0.1, jobs => 3");
    expect_generated_rows(&mut session, 0.1);
    assert_eq!(failed_checks(&mut session, "tpch-like"), "");
}
