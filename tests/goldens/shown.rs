//! Everything that is shown of the documents, and of a month of history that is made up.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use postgres::Client;

use super::folder;
use crate::common::releases::this;
use crate::common::runs::Runs;
use crate::common::{Cluster, document, major, text_of};

/// The major on which it is written: plans, and with them the order of equal rows, may differ on another.
const WRITTEN_ON: u32 = 15;

/// What is shown of each run: the suffix of the file and the query of one text, of the run `$`.
const OF_A_RUN: [(&str, &str); 5] = [
    (
        "txt",
        "SELECT string_agg(l, E'\\n') FROM pgperf.report($) l",
    ),
    (
        "sysbench.txt",
        "SELECT string_agg(l, E'\\n') FROM pgperf.report($, style => 'sysbench') l",
    ),
    ("html", "SELECT pgperf.report_html($)"),
    ("md", "SELECT pgperf.report_markdown($)"),
    ("json", "SELECT jsonb_pretty(pgperf.report_json($))"),
];

/// What only some runs have.
const OF_SOME_RUNS: [(&str, &str); 8] = [
    ("tpcb.junit.xml", "SELECT pgperf.report_junit($)"),
    (
        "tpcb.history.txt",
        "SELECT string_agg(l, E'\\n') FROM pgperf.history_report($::text) l",
    ),
    ("tpcb.history.html", "SELECT pgperf.history_html($::text)"),
    (
        "turns.alternation.txt",
        "SELECT string_agg(a::text, E'\\n') FROM pgperf.alternation($) a",
    ),
    (
        "disturbed.impact.txt",
        "SELECT string_agg(i::text, E'\\n') FROM pgperf.disturbance_impact($) i",
    ),
    (
        "search.search.txt",
        "SELECT string_agg(l, E'\\n') FROM pgperf.rate_search_report($) l",
    ),
    (
        "search.search.json",
        "SELECT jsonb_pretty(pgperf.rate_search_json($))",
    ),
    (
        "hit_curve.curve.txt",
        "SELECT string_agg(c::text, E'\\n') FROM pgperf.hit_curve($) c",
    ),
];

const OF_A_SWEEP: [(&str, &str); 4] = [
    (
        "txt",
        "SELECT string_agg(l, E'\\n') FROM pgperf.sweep_report($) l",
    ),
    ("html", "SELECT pgperf.sweep_html($)"),
    ("md", "SELECT pgperf.sweep_markdown($)"),
    ("json", "SELECT jsonb_pretty(pgperf.sweep_json($))"),
];

/// Of two runs or sweeps, by their labels.
const OF_TWO: [(&str, &str); 9] = [
    (
        "compared.txt",
        "SELECT string_agg(l, E'\\n') FROM pgperf.compare_report('tpcb', 'sysbench') l",
    ),
    (
        "compared.md",
        "SELECT pgperf.compare_markdown('tpcb', 'sysbench')",
    ),
    (
        "compared.html",
        "SELECT pgperf.compare_html('tpcb', 'sysbench')",
    ),
    (
        "versions.txt",
        "SELECT string_agg(l, E'\\n') FROM pgperf.version_table('tpcb', 'sysbench') l",
    ),
    (
        "repetitions.txt",
        "SELECT string_agg(l, E'\\n') FROM pgperf.compare_report('{1,2,3,4}'::bigint[], '{5,6,7,8}'::bigint[]) l",
    ),
    (
        "sweeps.txt",
        "SELECT string_agg(l, E'\\n') FROM pgperf.sweep_report('{clients,again}'::text[]) l",
    ),
    (
        "sweeps.html",
        "SELECT pgperf.sweep_html('{clients,again}'::text[])",
    ),
    (
        "sweeps.md",
        "SELECT pgperf.sweep_markdown('{clients,again}'::text[])",
    ),
    (
        "sweeps.json",
        "SELECT jsonb_pretty(pgperf.sweep_json('{clients,again}'::text[]))",
    ),
];

/// Of the month.
const OF_A_WINDOW: [(&str, &str); 7] = [
    (
        "window.txt",
        "SELECT string_agg(l, E'\\n') FROM pgperf.history_report('$'::timestamptz - interval '2 hours', '$') l",
    ),
    (
        "window.html",
        "SELECT pgperf.history_html('$'::timestamptz - interval '2 hours', '$')",
    ),
    (
        "window.json",
        "SELECT jsonb_pretty(pgperf.history_json('$'::timestamptz - interval '2 hours', '$'))",
    ),
    (
        "windows.txt",
        "SELECT string_agg(l, E'\\n') FROM pgperf.history_compare('$'::timestamptz - interval '1 hour', '$', '3 hours') l",
    ),
    (
        "windows.html",
        "SELECT pgperf.history_compare_html('$'::timestamptz - interval '1 hour', '$', '3 hours')",
    ),
    (
        "windows.json",
        "SELECT jsonb_pretty(pgperf.history_compare_json('$'::timestamptz - interval '1 hour', '$', '3 hours'))",
    ),
    (
        "findings.txt",
        "SELECT string_agg(f::text, E'\\n') FROM pgperf.findings('$'::timestamptz - interval '4 hours', '$') f",
    ),
];

/// The end of the month, which has five hours here.
const MOMENT: &str = "2026-06-16 12:00:00+00";

/// Results of other programs, as they came with the package of their reader.
const OTHERS: [&str; 4] = [
    "pgbench-15-progress",
    "pgbench-17-errors",
    "sysbench-1.0",
    "hammerdb-4-tproc-c",
];

#[test]
fn is_as_before() {
    if major() != WRITTEN_ON {
        println!("only where PostgreSQL {WRITTEN_ON} is tested");
        return;
    }
    let shown = shown();
    if std::env::var_os("PGPERF_WRITE_GOLDENS").is_some() {
        fs::remove_dir_all(folder("shown")).expect("the folder");
        fs::create_dir(folder("shown")).expect("the folder");
        for (name, text) in &shown {
            fs::write(folder("shown").join(name), text).expect(name);
        }
    }
    let different: Vec<_> = shown
        .iter()
        .filter_map(|(name, text)| difference(name, text))
        .collect();
    assert!(
        different.is_empty(),
        "{}\nPGPERF_WRITE_GOLDENS=1 tools/integration goldens::shown:: writes what is shown now",
        different.join("\n")
    );
    let files = fs::read_dir(folder("shown")).expect("the folder").count();
    assert_eq!(files, shown.len(), "files of what is shown no more");
}

/// The first line that is not as in the file.
fn difference(name: &str, text: &str) -> Option<String> {
    let before = fs::read_to_string(folder("shown").join(name)).unwrap_or_default();
    let mut pairs = before.lines().zip(text.lines());
    match pairs.find(|(before, now)| before != now) {
        Some((before, now)) => Some(format!("{name}:\n  before: {before}\n  now:    {now}")),
        None if before != text => Some(format!("{name}: another length")),
        None => None,
    }
}

/// The names and contents of all files.
fn shown() -> Vec<(String, String)> {
    // Equal rows come in the order of a plan, which statistics that come meanwhile would change.
    let cluster = Cluster::with_pgperf(&["autovacuum = off"]);
    let mut session = cluster.connect();
    session.value("SET TimeZone = 'UTC'");
    let this = this();
    let mut shown = Vec::new();
    let mut show = |session: &mut Client, name: String, query: &str| {
        let text = rounded(&session.value(query).replace(&this, "VERSION"));
        assert!(!text.is_empty(), "{name}");
        let (text, style) = without_style(&text);
        if let Some(style) = style.map(|style| style + "\n") {
            match shown.iter().find(|(name, _)| name == STYLE) {
                Some((_, first)) => assert_eq!(*first, style, "{name}"),
                None => shown.push((STYLE.to_owned(), style)),
            }
        }
        shown.push((name, text + "\n"));
    };
    for (kind, path) in documents() {
        let text = text_of(Command::new("gzip").arg("-dc").arg(&path));
        let (function, of_it) = if kind.starts_with("sweep_") {
            ("import_sweep", &OF_A_SWEEP[..])
        } else {
            ("import_run", &OF_A_RUN[..])
        };
        let id = import(&mut session, function, &text);
        for (suffix, query) in of_it {
            show(
                &mut session,
                format!("{kind}.{suffix}"),
                &query.replace('$', &id.to_string()),
            );
        }
        for (name, query) in OF_SOME_RUNS {
            if name.starts_with(&format!("{kind}.")) {
                show(
                    &mut session,
                    name.to_owned(),
                    &query.replace('$', &id.to_string()),
                );
            }
        }
    }
    for (name, query) in OF_TWO {
        show(&mut session, name.to_owned(), query);
    }
    for name in OTHERS {
        let text = document(&format!("crates/results/fixtures/{name}.txt"));
        let id = import(&mut session, "import_results", &text);
        for (suffix, query) in OF_A_RUN {
            let query = query.replace('$', &id.to_string());
            show(
                &mut session,
                format!("other_{name}.{suffix}"),
                &without_node(&query),
            );
        }
    }
    // In a database without runs.
    cluster.run_sql("CREATE DATABASE month");
    let mut session = cluster.connect_to("month");
    session.value("CREATE EXTENSION pgperf CASCADE");
    session.value("SET TimeZone = 'UTC'");
    session.batch_execute(&month()).expect("the month");
    session.value("UPDATE pgperf.nodes SET name = 'laboratory'");
    for (name, query) in OF_A_WINDOW {
        let query = query.replace('$', MOMENT);
        show(&mut session, name.to_owned(), &without_node(&query));
    }
    shown
}

/// The style sheet that all pages have.
const STYLE: &str = "style.css";

/// A page without its style sheet, and this.
fn without_style(text: &str) -> (String, Option<String>) {
    let ends = text.find("<style>").zip(text.find("</style>"));
    match ends {
        Some((start, end)) => {
            let start = start + "<style>".len();
            let page = format!("{}{}", &text[..start], &text[end..]);
            (page, Some(text[start..end].to_owned()))
        }
        None => (text.to_owned(), None),
    }
}

/// With twelve digits of each fraction: a sum of floats depends on the order in which a plan adds them.
fn rounded(text: &str) -> String {
    let is_part = |c: char| c.is_ascii_digit() || c == '.';
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(is_part) {
        let end = rest[start..].find(|c| !is_part(c));
        let end = end.map_or(rest.len(), |length| start + length);
        let number = &rest[start..end];
        shown.push_str(&rest[..start]);
        match number.parse::<f64>() {
            Ok(value) if number.contains('.') && number.len() > 14 => {
                let short: f64 = format!("{value:.11e}").parse().expect("a number");
                shown.push_str(&short.to_string());
            }
            _ => shown.push_str(number),
        }
        rest = &rest[end..];
    }
    shown + rest
}

/// The text of a query without the lines about a node of this database and the time at which it came.
fn without_node(query: &str) -> String {
    format!(
        "SELECT string_agg(l, E'\\n') FROM string_to_table(({query}), E'\\n') l WHERE l !~ '\"(node_id|started_at)\": '"
    )
}

/// Five hours of `tests/history/month.sql`, at a moment that stays.
fn month() -> String {
    document("tests/history/month.sql")
        .replace("{tables}", "20")
        // The oids of no table here.
        .replace("20000 + r", "2000000000 + r")
        .replace("'31 days'", "'5 hours'")
        .replace("'7 days'", "'5 hours'")
        .replace("'3 days'", "'1 hour'")
        .replace("now()", &format!("'{MOMENT}'::timestamptz"))
        .replace("random()", "0.5")
}

/// The names and paths of the documents, in the order in which they are imported: sweeps come last.
fn documents() -> Vec<(String, PathBuf)> {
    let files = fs::read_dir(folder("documents")).expect("the documents");
    let mut all: Vec<_> = files
        .map(|file| file.expect("a file").path())
        .filter_map(|path| {
            let name = path.file_name()?.to_str()?.strip_suffix(".json.gz")?;
            Some((name.to_owned(), path))
        })
        .collect();
    all.sort_by_key(|(name, _)| (name.starts_with("sweep_"), name.clone()));
    assert!(all.len() > 20, "{}", all.len());
    all
}

fn import(session: &mut Client, function: &str, content: &str) -> i64 {
    let kind = if function == "import_results" {
        ""
    } else {
        "::text::jsonb"
    };
    let rows = session.query(&format!("SELECT pgperf.{function}($1{kind})"), &[&content]);
    rows.expect(function)[0].get(0)
}

#[test]
fn only_long_fractions_are_rounded() {
    assert_eq!(rounded("a 99.96023990457577, b"), "a 99.9602399046, b");
    assert_eq!(
        rounded("1.25 12345678901234567 1.2.3"),
        "1.25 12345678901234567 1.2.3"
    );
}
