//! What reports show, and what they say they leave out.

use super::*;
use std::collections::BTreeSet;

const STATEMENT: &str =
    "UPDATE pgbench_accounts SET abalance = abalance + :delta WHERE aid = :aid AND true;";

fn metric(name: &str, value: f64, unit: &str, category: &str) -> Figure {
    Figure {
        metric: name.to_owned(),
        value: Some(value),
        unit: unit.to_owned(),
        direction: None,
        category: category.to_owned(),
    }
}

/// A run with something in every category; `factor` is what it has more than another.
fn everything(id: i64, factor: f64, version: &str) -> Facts {
    let mut facts = with_intervals(run(id, 1000.0 / factor), 1000.0 / factor);
    facts.run.server_version = version.to_owned();
    facts.summary.insert("hit_percent".to_owned(), json!(99.5));
    facts.statements = vec![
        columns(
            json!({"script_no": 1, "command_no": 1, "calls": 5, "latency_avg_ms": 0.01, "statement": "BEGIN;"}),
        ),
        columns(
            json!({"script_no": 1, "command_no": 2, "calls": 5, "latency_avg_ms": 4.5 * factor,
            "latency_stddev_ms": 1.5, "wal_bytes": 500, "rows": 5, "statement": STATEMENT}),
        ),
    ];
    facts.metrics = vec![
        metric("database_growth_bytes", 1e6 * factor, "bytes", "size"),
        metric("wal_bytes", 9e6 * factor, "bytes", "wal"),
        metric("wal_bytes.Heap", 5e6, "bytes", "wal"),
        metric("wal_bytes.Btree", 3e6, "bytes", "wal"),
        metric("wal_syncs", 12.0, "syncs", "wal"),
        metric("autovacuum_count", 2.0, "times", "vacuum"),
        metric("cpu_user_percent", 50.0, "percent", "host"),
    ];
    let relation = |name: &str, kind: &str, pages: f64| {
        columns(
            json!({"schema_name": "public", "relation_name": name, "relation_kind": kind, "table_name": "t",
            "start_size_bytes": 8192, "end_size_bytes": 8192.0 * pages, "end_tuple_percent": 87.5, "seq_scan": 3}),
        )
    };
    facts.relations = vec![
        relation("t", "table", 100.0),
        relation("t_pkey", "index", 10.0),
    ];
    facts
}

fn comparison() -> Comparison {
    let mut slow = everything(2, 1.1, "17.2");
    slow.run.label =
        Some("a label as long as some people make them, with the commit_and_the_date".to_owned());
    slow.run.clients = Some(16);
    let mut fast = everything(1, 1.0, "15.18 (Debian 15.18-1)");
    let configure = |flags: &str| crate::compare::compared_run::Circumstance {
        category: "server".to_owned(),
        name: "configure".to_owned(),
        value: Some(format!(
            "--with-a --with-b --with-c --with-d --with-e --with-f CFLAGS={flags}"
        )),
        unit: None,
    };
    slow.environment = vec![configure("-O3")];
    fast.environment = vec![configure("-O2")];
    compare(vec![fast], vec![slow], None).unwrap()
}

#[test]
fn the_report_fits_eighty_columns() {
    let lines = report(&comparison(), &Conditions::default(), None).lines();
    for line in &lines {
        assert!(line.chars().count() <= 80, "{line}");
    }
    let text = lines.join(" ");
    for part in ["tps: 1,000 -> 909 per second", "p <0.001:   worse"] {
        assert!(text.contains(part), "{text}");
    }
    let clients = lines.iter().find(|line| line.starts_with("  run.clients "));
    let words: Vec<&str> = clients.unwrap().split_whitespace().collect();
    assert_eq!(words, ["run.clients", "4", "16"]);
}

/// Growth, WAL by resource manager, sizes, live tuples, autovacuums, standard deviations; and how many rows are not there.
#[test]
fn the_report_has_each_category_and_says_what_it_leaves_out() {
    let comparison = comparison();
    let lines = report(&comparison, &Conditions::default(), None).lines();
    let has = |start: &str| {
        lines
            .iter()
            .any(|line| line.trim_start().starts_with(start))
    };
    for shown in [
        "Summary",
        "tps",
        "Statements",
        "latency_stddev_ms",
        "Size",
        "database_growth_bytes",
        "WAL",
        "Heap",
        "Btree",
        "Sizes",
        "public.t",
        "indexes_size_bytes",
        "total_size_bytes",
        "Bloat",
        "tuple_percent",
        "Vacuum",
        "autovacuum_count",
    ] {
        assert!(has(shown), "{shown}\n{}", lines.join("\n"));
    }
    assert!(!has("wal_syncs") && has("Host: 1 more in compare()"));
    let metrics = comparison
        .rows
        .iter()
        .filter(|row| row.baseline_text.is_none())
        .count();
    let names: BTreeSet<&str> = (comparison.rows.iter())
        .map(|row| row.metric.as_str())
        .collect();
    let is_row = |line: &&String| {
        let first = line.split_whitespace().next().unwrap_or_default();
        line.starts_with("  ") && names.contains(first)
    };
    let shown = lines.iter().filter(is_row).count();
    let more: usize = lines
        .iter()
        .filter_map(|line| line.split_once(" more in compare()"))
        .filter_map(|(before, _)| before.rsplit([' ', '(']).next()?.parse::<usize>().ok())
        .sum();
    assert_eq!(shown + more, metrics, "{}", lines.join("\n"));
}

#[test]
fn long_texts_show_where_they_differ() {
    let lines = report(&comparison(), &Conditions::default(), None).lines();
    let line = lines
        .iter()
        .find(|line| line.starts_with("  server.configure "));
    let words: Vec<&str> = line.unwrap().split_whitespace().collect();
    assert_eq!(words[2], "CFLAGS=-O2", "{lines:?}");
    assert_eq!(words[words.len() - 1], "CFLAGS=-O3", "{lines:?}");
}

#[test]
fn a_setting_differs_however_little_and_has_its_unit() {
    let set = |id, value: &str| {
        let mut facts = run(id, 1000.0);
        facts.settings = vec![Setting {
            name: "shared_buffers".to_owned(),
            setting: Some(value.to_owned()),
            unit: Some("8kB".to_owned()),
            source: "configuration file".to_owned(),
            default_setting: None,
        }];
        vec![facts]
    };
    let comparison = compare(set(1, "32768"), set(2, "33280"), None).unwrap();
    let row = row(&comparison, "shared_buffers");
    assert_eq!(row.baseline_text.as_deref(), Some("256MB"));
    assert_eq!(row.candidate_text.as_deref(), Some("260MB"));
}

#[test]
fn a_comment_has_the_same_sections() {
    let comparison = comparison();
    let comment = report(&comparison, &Conditions::default(), None).comment();
    for line in [
        "tps: 1,000 -\\&gt; 909 per second",
        "| of | metric | baseline | candidate | change |",
        "<details><summary>WAL</summary>",
        "| `Heap` | wal\\_bytes |",
        "<details><summary>What else differs</summary>",
        "| server.configure | `...-f CFLAGS=-O2` |",
        "1 more in compare\\(\\)",
    ] {
        let line = line.replace("\\&", "&");
        assert!(comment.contains(&line), "{line}\n{comment}");
    }
    // Whatever users write means nothing to Markdown.
    assert!(
        comment.contains("the\\_date") && !comment.contains("the_date"),
        "{comment}"
    );
}

#[test]
fn the_table_of_two_versions_has_its_rows() {
    let comparison = comparison();
    let lines = versions::report(&comparison, None).unwrap().lines();
    for line in &lines {
        assert!(line.chars().count() <= 80, "{line}");
    }
    let words = |name: &str| -> Vec<String> {
        let line = lines
            .iter()
            .find_map(|line| line.strip_prefix("  ")?.strip_prefix(name));
        let line = line.unwrap_or_else(|| panic!("{name}\n{}", lines.join("\n")));
        line.split_whitespace().map(str::to_owned).collect()
    };
    assert_eq!(words("                       ")[..2], ["15.18", "17.2"]);
    assert_eq!(
        words("mean statement time, ms"),
        ["4.5", "4.95", "+10.0", "%"]
    );
    assert_eq!(
        words("growth of the database")[..4],
        ["977", "kB", "1.05", "MB"]
    );
    assert_eq!(words("WAL")[4..6], ["+10.0", "%"]);
    assert_eq!(words("hit ratio, %")[..2], ["99.5", "99.5"]);
    assert_eq!(words("live tuples, %")[..2], ["87.5", "87.5"]);
    assert_eq!(words("autovacuums")[..2], ["2", "2"]);
    assert_eq!(words("size of tables")[..4], ["800", "kB", "800", "kB"]);
    assert_eq!(words("size of indexes")[..4], ["80", "kB", "80", "kB"]);
    let statement = lines.iter().find(|line| line.starts_with("  1.2 UPDATE"));
    let statement = statement.unwrap();
    assert!(
        statement.contains("...") && statement.ends_with("+10.0 %  +0.0 %"),
        "{lines:?}"
    );

    let comment = versions::report(&comparison, None).unwrap().comment();
    for line in [
        "\n|  | 15.18 | 17.2 | change |\n",
        "\n| autovacuums | 2 | 2 | +0.0 % |\n",
        "\n| `1.2 UPDATE pgbench_accounts SET",
    ] {
        assert!(comment.contains(line), "{comment}");
    }

    let bare = compare(runs(1, &[1000.0]), runs(2, &[900.0]), None).unwrap();
    let comment = versions::report(&bare, None).unwrap().comment();
    assert!(
        comment.contains("size of indexes: neither side has stored it\n"),
        "{comment}"
    );
    // Of the same version the columns are told apart otherwise; other statements are counted, and what cannot be compared has no change.
    let head = |change: fn(&mut Facts)| {
        let mut sides = [everything(1, 1.0, "15.20"), everything(2, 1.1, "15.20")];
        sides.iter_mut().for_each(change);
        let [one, other] = sides;
        let comparison = compare(vec![one], vec![other], None).unwrap();
        let comment = versions::report(&comparison, None).unwrap().comment();
        let head = comment.lines().find(|line| line.starts_with('|'));
        (head.unwrap().to_owned(), comment)
    };
    let starts =
        |(head, _): (String, String), names: &str| assert!(head.starts_with(names), "{head}");
    starts(head(|_| ()), "|  | run 1 | run 2 |");
    let named = |facts: &mut Facts| facts.run.label = Some(format!("label {}", facts.run.run_id));
    starts(head(named), "|  | label 1 | label 2 |");
    let on = |facts: &mut Facts| {
        facts.run.label = Some("same".to_owned());
        facts.run.node_name = Some(format!("host {}", facts.run.run_id));
    };
    starts(head(on), "|  | host 1 | host 2 |");
    let (_, other) = head(|facts| {
        let statement = format!("SELECT {}", facts.run.run_id);
        facts.statements[1].insert("statement".to_owned(), json!(statement));
    });
    assert!(!other.contains("`1.2 SELECT"), "{other}");
    assert!(
        other.contains("1 of 2 statements are not the same on both sides"),
        "{other}"
    );
    let (_, scale) = head(|facts| facts.run.scale = Some(facts.run.run_id));
    assert!(
        scale.contains("different scale") && !scale.contains("+10.0 %"),
        "{scale}"
    );
    assert!(versions::is_comment(Some("html")).is_err());
    assert!(!versions::is_comment(None).unwrap());
}
