//! docs/studies: `tools/study --check` runs each page in its small form, and what it leaves has the figures that the page names, as other
//! means have measured them. Each page lists the tests of further figures under "By other means".

use std::collections::BTreeMap;

use serde_json::Value;

use super::study::{
    Rows, Study, amount, beside_their_names, cell, figures, latencies, number_behind,
};
use crate::common::{document, expect_near};

#[test]
fn two_majors() {
    let study = Study::run("1-two-majors");
    // Both sides did the same work, as the page's sizes say.
    let size = |name: &str| {
        number_behind(
            &document("docs/studies/small.sql"),
            &format!("\\set {name} '"),
        )
    };
    let all = size("transactions") * size("clients");
    study.expect(&[&format!(
        "number of transactions actually processed: {all}/{all}"
    )]);
    let is_one_major = study.notes.contains("No other major");
    if !is_one_major {
        study.expect(&[" | PostgreSQL "]);
    }
    let report = study.in_one_line();
    let footprints = report.split("own footprint, not in these figures:").skip(1);
    let footprints = footprints.map(|text| {
        ["", " of history,"].map(|mark| {
            let text = text.split_once(mark).expect("a footprint").1;
            let words: Vec<&str> = text.split_whitespace().take(2).collect();
            amount(&words.join(" "))
        })
    });
    let tables = study.tables_below("Figures");
    let statements = &study.tables_below("Mean latency of statements, ms")[0];
    for ((server, column), own) in [("old", 1), ("new", 2)].into_iter().zip(footprints) {
        figures_are_the_servers_own(
            &tables[0],
            column,
            &study.file(&format!("by-hand-{server}.txt")),
            own,
        );
        let by_hand = study.file(&format!("statements-{server}.txt"));
        statements_take_what_the_executor_takes(statements, column, &by_hand, all);
    }
    for name in ["old", "new", "compared"] {
        study.page(name);
    }
    for page in ["old.html", "new.html"] {
        study.expect_in(page, &["Ages of tables", "pgbench_accounts", "Buffers"]);
    }
    study.expect_in(
        "compared.html",
        &["Conditions", "tps", "wal_bytes", ">Heap<"],
    );

    if study.notes.contains("No old server") {
        return;
    }
    for (server, column) in [("old", 1), ("new", 2)] {
        let text = study.file(&format!("pgbench-{server}.txt"));
        assert!(text.contains(&format!("actually processed: {all}/{all}")));
        figures_are_the_servers_own(&tables[1], column, &text, [0.0, 0.0]);
    }
}

/// The rows of a version table beside what docs/figures.sql has printed before and after the run. `own`: pgperf's own history and WAL.
fn figures_are_the_servers_own(table: &Rows, column: usize, text: &str, own: [f64; 2]) {
    let [before, after] = figures(text);
    let shown = |row: &str| amount(cell(table, row, column));
    let number = |figures: &Value, name: &str| figures[name].as_f64().expect("a figure");
    let grown = |name: &str| number(&after, name) - number(&before, name);
    let near = |row: &str, by_hand: f64, part: f64, more: f64| {
        let shown = shown(row);
        println!("{row}: {shown}, {by_hand} by hand");
        assert!(
            (shown - by_hand).abs() <= part * by_hand.abs() + more,
            "{row}: {shown}, {by_hand} by hand"
        );
    };
    let [history, wal] = own;
    near(
        "growth of the database",
        grown("database_size") - history,
        0.1,
        5e5,
    );
    near("WAL", grown("wal") - wal, 0.1, 5e5);
    let (hit, read) = (grown("hit"), grown("read"));
    near("hit ratio, %", 100.0 * hit / (hit + read), 0.0, 3.0);
    let relations = after["relations"].as_array().expect("relations");
    let of_kind = |kind: &str| -> Vec<&Value> {
        let all = relations.iter();
        all.filter(|it| it["kind"] == kind && it["schema"] == "public")
            .collect()
    };
    let sum =
        |all: &[&Value], name: &str| -> f64 { all.iter().filter_map(|it| it[name].as_f64()).sum() };
    let (tables, indexes) = (of_kind("table"), of_kind("index"));
    near("size of tables", sum(&tables, "size"), 0.01, 0.0);
    near("size of indexes", sum(&indexes, "size"), 0.01, 0.0);
    let accounts = |all: &[&Value], name: &str, of: &str| -> f64 {
        let is_it = |it: &&&Value| it[of] == "pgbench_accounts";
        let found: Vec<&Value> = all.iter().filter(is_it).copied().collect();
        sum(&found, name)
    };
    near(
        "pgbench_accounts: size",
        accounts(&tables, "size", "name"),
        0.01,
        0.0,
    );
    near(
        "pgbench_accounts: size of its indexes",
        accounts(&indexes, "size", "table"),
        0.01,
        0.0,
    );
    // Where the extension is there.
    if tables.iter().all(|it| it["tuple_percent"].is_number()) {
        let live: f64 = tables
            .iter()
            .filter_map(|it| Some(it["tuple_percent"].as_f64()? * it["size"].as_f64()?))
            .sum();
        near("live tuples, %", live / sum(&tables, "size"), 0.0, 3.0);
        near(
            "pgbench_accounts: live tuples, %",
            accounts(&tables, "tuple_percent", "name"),
            0.0,
            3.0,
        );
    }
    // One may end after the run.
    let earlier = before["relations"].as_array().expect("relations");
    let earlier: Vec<&Value> = earlier
        .iter()
        .filter(|it| it["schema"] == "public")
        .collect();
    let autovacuums = sum(&tables, "autovacuum_count") - sum(&earlier, "autovacuum_count");
    near("autovacuums", autovacuums, 0.0, 1.0);
}

/// Mean latencies beside those of pg_stat_statements, which counts neither parsing nor binding nor the output of rows.
fn statements_take_what_the_executor_takes(table: &Rows, column: usize, by_hand: &str, all: f64) {
    let by_hand: Vec<Value> = serde_json::from_str(by_hand).expect("pg_stat_statements");
    for beginning in [
        "UPDATE pgbench_accounts",
        "SELECT abalance",
        "UPDATE pgbench_tellers",
        "UPDATE pgbench_branches",
        "INSERT INTO pgbench_history",
    ] {
        let is_it = |it: &&Value| {
            it["query"]
                .as_str()
                .is_some_and(|text| text.starts_with(beginning))
        };
        let theirs = by_hand.iter().find(is_it).expect(beginning);
        assert_eq!(theirs["calls"].as_f64(), Some(all), "{beginning}");
        let theirs = theirs["mean_exec_time"].as_f64().expect("a mean");
        let row = table.iter().find(|row| row[0].contains(beginning));
        let ours = amount(&row.expect(beginning)[column]);
        println!("{beginning}: {ours} ms, {theirs} of the executor");
        assert!(
            ours > 0.8 * theirs - 0.01 && ours < 1.5 * theirs + 0.15,
            "{beginning}: {ours} ms, {theirs} of the executor"
        );
    }
}

#[test]
fn file_system() {
    let study = Study::run("2-file-system");
    study.expect(&[
        "latency_avg_ms",
        "latency_stddev_ms",
        "UPDATE pgbench_accounts",
        "between checkpoints",
        "during checkpoints",
    ]);
    for name in ["before", "after", "compared"] {
        study.page(name);
    }
    study.expect_in("compared.html", &["tps", "Conditions"]);
    study.expect_in("before.html", &["Devices"]);

    let [inside, outside] = ["rate-inside.txt", "rate-outside.txt"].map(|name| study.file(name));
    let [ours, theirs] = [&inside, &outside].map(|text| number_behind(text, "tps ="));
    expect_near("rate", ours, theirs, 0.25);
    // Client, number, microseconds.
    let log = study.file("transactions.txt");
    let each = log.lines().filter_map(|line| line.split(' ').nth(2));
    let each: Vec<f64> = each
        .map(|text| text.parse::<f64>().expect("a latency") / 1e3)
        .collect();
    let n = each.len() as f64;
    let mean = each.iter().sum::<f64>() / n;
    let squares: f64 = each.iter().map(|ms| (ms - mean).powi(2)).sum();
    expect_near(
        "mean",
        number_behind(&inside, "latency average ="),
        mean,
        0.01,
    );
    let deviation = number_behind(&inside, "latency stddev =");
    expect_near("deviation", deviation, (squares / n).sqrt(), 0.01);
    let statements = latencies(&outside);
    assert!(statements.len() > 5, "{outside}");
    let ours = latencies(&inside);
    for (statement, theirs) in statements {
        let ours = ours.get(&statement).copied();
        let ours = ours.unwrap_or_else(|| panic!("no {statement}: {inside}"));
        println!("{statement}: {ours} ms, of pgbench {theirs}");
        // A commit waits for the device.
        let is_commit = statement.starts_with("END");
        assert!(
            is_commit || (theirs - ours > -0.5 && theirs - ours < 1.0),
            "{statement}: {ours} ms, of pgbench {theirs}"
        );
    }
}

#[test]
fn shared_buffers() {
    let study = Study::run("3-shared-buffers");
    study.expect(&["cold", "tpm"]);
    let values = study.tables(&["±95%", "change", "p"]);
    for headline in ["tps", "nopm", "tpm", "geometric_mean_s"] {
        let has_it = |rows: &Rows| rows[0].iter().any(|head| head == headline);
        assert!(values.iter().any(has_it), "{headline}: {values:#?}");
    }
    for rows in &values {
        let rows = beside_their_names(&rows[1..].to_vec());
        let rows: Vec<&Vec<String>> = rows.iter().take(3).collect();
        let sizes: Vec<&str> = rows.iter().map(|row| row[0].as_str()).collect();
        assert_eq!(sizes, ["16MB", "64MB", "256MB"]);
        let baseline = rows.iter().find(|row| row[3] == "-").expect("a baseline");
        for row in rows.iter().filter(|row| row[3] != "-") {
            let [figure, before] = [&row[1], &baseline[1]].map(|text| amount(text));
            let change = amount(&row[3]);
            let by_hand = 100.0 * (figure - before) / before;
            // Figures have three digits.
            assert!(
                (change - by_hand).abs() < 1.0 + 0.005 * by_hand.abs(),
                "{row:?}: {by_hand} %"
            );
        }
    }
    for rows in study.tables(&["shared_buffers", "size", "unused", "5"]) {
        for row in rows.iter().skip(1).take(3) {
            let sum: f64 = row.iter().skip(2).map(|text| amount(text)).sum();
            assert!((sum - 100.0).abs() < 0.6, "{row:?}");
        }
    }
    for name in ["pgbench", "tpcc", "tpch"] {
        let mut browser = study.page(name);
        // A bar for each value, with its interval.
        let bars = browser.evaluate(
            "[...document.querySelectorAll('#values-0 figure')].map(f => [f.querySelectorAll('.bars rect').length, f.querySelectorAll('.bars .whisker').length])",
        );
        let bars = bars.as_array().expect("figures");
        assert!(!bars.is_empty());
        for figure in bars {
            assert_eq!(*figure, serde_json::json!([3, 3]), "{name}");
        }
    }
}

/// The quantile of the distribution of t for an interval of 95 %, by the number of runs.
const QUANTILES: [(usize, f64); 4] = [(2, 12.7062), (3, 4.30265), (4, 3.18245), (5, 2.77645)];

#[test]
fn majors_over_clients() {
    let study = Study::run("4-majors-over-clients");
    study.expect(&["2 sweeps side by side", "Conditions"]);
    let runs: Vec<Value> = serde_json::from_str(&study.file("runs.txt")).expect("runs");
    let mut rates: BTreeMap<(String, String, String), Vec<f64>> = BTreeMap::new();
    for run in &runs {
        let text = |name: &str| {
            run[name]
                .as_str()
                .map_or_else(|| run[name].to_string(), str::to_owned)
        };
        let key = (text("workload"), text("server"), text("clients"));
        let rate = run["tps"].as_f64().expect("a rate");
        rates.entry(key).or_default().push(rate);
    }
    let peaks = study.tables(&["server", "peak tps", "clients"]);
    // Servers of different majors have their versions as names.
    let [old, new] = [1, 2].map(|place| peaks[0][place][0].clone());
    let curves = study.tables(&["clients", &old, &new]);
    for (place, workload) in ["select-only", "tpcb-like"].into_iter().enumerate() {
        for (column, server) in [(1, "old"), (2, "new")] {
            let of_curve = curves[place].iter().skip(1);
            let of_curve = of_curve.filter(|row| row.len() > 2 && row[0].parse::<i64>().is_ok());
            let mut highest: (f64, &str) = (0.0, "");
            for row in of_curve {
                let key = (workload.to_owned(), server.to_owned(), row[0].clone());
                let [mean, half] = by_hand(&rates[&key]);
                let (shown, margin) = row[column].split_once(" ± ").expect("an interval");
                expect_near("mean", amount(shown), mean, 0.005);
                expect_interval(amount(margin), half);
                if mean > highest.0 {
                    highest = (mean, row[0].as_str());
                }
            }
            let peak = &peaks[place][column];
            expect_near("peak", amount(&peak[1]), highest.0, 0.005);
            assert_eq!(peak[3], highest.1, "{peak:?}");
        }
    }
    let mut browser = study.page("majors");
    let marks = browser.evaluate("document.querySelectorAll('.reference').length");
    assert_eq!(marks, 4, "the CPUs in each chart over clients");
    study.expect_in("majors.html", &["95 % interval", "Throughput"]);
}

/// Half of an interval in percent, of which one decimal is shown.
fn expect_interval(shown: f64, half: f64) {
    assert!((shown - half).abs() < 0.051, "{shown}, {half} expected");
}

/// Mean of the runs, and half of its 95 % interval in percent.
fn by_hand(values: &[f64]) -> [f64; 2] {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let (_, quantile) = QUANTILES
        .into_iter()
        .find(|(runs, _)| *runs == values.len())
        .expect("few runs");
    let error = (squares / (n - 1.0) / n).sqrt();
    [mean, 100.0 * quantile * error / mean]
}

#[test]
fn replication() {
    let study = Study::run("5-replication");
    let parts: Vec<Value> = serde_json::from_str(&study.file("receivers.txt")).expect("parts");
    let mut rates: BTreeMap<(String, String), Vec<f64>> = BTreeMap::new();
    for part in &parts {
        let number = |name: &str| part[name].as_f64().expect("a number");
        let label = part["label"].as_str().expect("a label").to_owned();
        let key = (label, part["clients"].to_string());
        let rate = number("transactions") / number("seconds");
        rates.entry(key).or_default().push(rate);
    }
    // A wide table has several parts.
    let mut shown = 0;
    let heading = "sustainable tps, until each receiver has caught up";
    for rows in study.tables_behind(heading, &["clients"]) {
        for (column, receiver) in rows[0].iter().enumerate() {
            let of_receiver = rows.iter().skip(1).filter(|row| row.len() == rows[0].len());
            for row in of_receiver {
                let Some(values) = rates.get(&(receiver.clone(), row[0].clone())) else {
                    continue;
                };
                if let Some((mean, half)) = row[column].split_once(" ± ") {
                    let [by_formula, interval] = by_hand(values);
                    expect_near(receiver, amount(mean), by_formula, 0.005);
                    expect_interval(amount(half), interval);
                    shown += 1;
                }
            }
        }
    }
    assert_eq!(
        shown,
        rates.len(),
        "each receiver at each number of clients"
    );
    for receiver in ["streaming", "logical", "pglogical", "slony", "londiste"] {
        study.expect(&[&format!("peak of {receiver}: ")]);
        assert!(rates.keys().any(|(label, _)| label == receiver));
    }
    study.expect(&["peak of none, no receiver: "]);
    study.page("replication");
    study.expect_in("replication.html", &["Sustained rate"]);
}

#[test]
fn critics() {
    let study = Study::run("6-critics");
    study.expect(&[
        "as published",
        "no secondary index",
        "LATIN1",
        "cold and uniform",
        "joins",
        "strings",
    ]);
    study.page("critics");
    study.expect_in("critics.html", &["Throughput"]);

    let [ours, theirs] = ["rate-inside.txt", "rate-outside.txt"].map(|name| study.file(name));
    let each = |text: &str| number_behind(text, "queries:") / number_behind(text, "transactions:");
    expect_near("queries of a transaction", each(&ours), each(&theirs), 0.02);
    let [count, of_sysbench] = [&ours, &theirs].map(|text| number_behind(text, "transactions:"));
    expect_near("transactions", count, of_sysbench, 0.3);
    let [ours, theirs] = [&ours, &theirs].map(|text| number_behind(text, "avg:"));
    println!("{ours} ms, of sysbench {theirs}");
    // A millisecond for each of its queries.
    assert!(theirs - ours > -10.0 && theirs - ours < 20.0);
}
