//! `pgperf.metrics`: an independent parser reads it, its figures are those of the history, and it stays small.

use crate::common::Cluster;
use crate::common::runs::{Runs, error_of};
use openmetrics_parser::openmetrics::parse_openmetrics;
use openmetrics_parser::prometheus::parse_prometheus;
use openmetrics_parser::{MetricsExposition, OpenMetricsType, OpenMetricsValue};
use postgres::Client;
use std::collections::BTreeMap;

/// Names as nobody has them, with all that the format escapes.
const HOSTILE: &str = "a\"b\\c\nd},{é=";

type Labels = BTreeMap<String, String>;

/// The samples of each family, whose names are without `_total`.
struct Metrics {
    exposition: MetricsExposition<OpenMetricsType, OpenMetricsValue>,
}

impl Metrics {
    fn read(session: &mut Client) -> Metrics {
        let text = session.value("SELECT pgperf.metrics()");
        let exposition = parse_openmetrics(&text).unwrap_or_else(|error| panic!("{error}"));
        Metrics { exposition }
    }

    fn samples(&self, family: &str) -> Vec<(Labels, f64)> {
        let Some(family) = self.exposition.families.get(family) else {
            return Vec::new();
        };
        let samples = family.iter_samples().map(|sample| {
            let labels = sample.get_labelset().expect("labels");
            let labels = labels
                .iter()
                .map(|(name, value)| (name.clone(), value.clone()));
            let value = match &sample.value {
                OpenMetricsValue::Gauge(value) => value.as_f64(),
                OpenMetricsValue::Counter(counter) => counter.value.as_f64(),
                other => panic!("{other:?}"),
            };
            (labels.collect(), value)
        });
        samples.collect()
    }

    /// The only sample of a family with these labels.
    fn value(&self, family: &str, labels: &[(&str, &str)]) -> f64 {
        let samples = self.samples(family);
        let fits = |of: &Labels| {
            labels
                .iter()
                .all(|(name, value)| of.get(*name).is_some_and(|v| v == value))
        };
        let found: Vec<f64> = samples
            .iter()
            .filter(|(of, _)| fits(of))
            .map(|(_, value)| *value)
            .collect();
        assert_eq!(found.len(), 1, "{family} {labels:?}: {samples:?}");
        found[0]
    }
}

fn identifier(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// The newest value of a column of a history, in the metric's unit.
fn newest(session: &mut Client, expression: &str, history: &str) -> f64 {
    let value = session.value(&format!(
        "SELECT {expression} FROM pgperf.{history} ORDER BY sample_id DESC LIMIT 1"
    ));
    value
        .parse()
        .unwrap_or_else(|_| panic!("{expression}: \"{value}\""))
}

#[test]
fn a_parser_reads_the_figures_of_the_newest_samples() {
    let cluster = Cluster::with_data(&["pg_stat_statements.track_planning = on"]);
    let mut session = cluster.connect();
    let name = identifier(HOSTILE);
    session.value(&format!(
        "CREATE SCHEMA {name}; CREATE TABLE {name}.{name} AS SELECT generate_series(1, 300000) AS id; \
         DELETE FROM {name}.{name} WHERE id <= 1000; CREATE INDEX hostile_index ON {name}.{name} (id); SELECT pg_stat_force_next_flush()"
    ));
    session.value("SELECT 1 AS \"a marker of this text\"");
    session.value("SELECT count(*) FROM pgperf.snapshot()");
    session.value("SELECT count(*) FROM pgperf.snapshot()");
    // A run that takes no samples, so that those before stay the newest.
    let label = HOSTILE.replace('\n', " ");
    let run = session.start_busy_run(&format!(
        "'select-only', clients => 2, rate => 100, duration => '1 h', sample_interval => '0.2 s', collectors => '{{}}', \
         label => $l${label}$l$"
    ));

    let mut watcher = {
        session.value("CREATE ROLE watcher LOGIN IN ROLE pg_monitor");
        cluster.connect_as("watcher")
    };
    let metrics = Metrics::read(&mut watcher);
    for (family, expression, history) in [
        ("pgperf_wal_bytes", "wal_bytes", "wal_history"),
        (
            "pgperf_wal_position_bytes",
            "insert_lsn - '0/0'",
            "wal_history",
        ),
        ("pgperf_transaction_ids", "next_xid", "wal_history"),
        (
            "pgperf_checkpoints_timed",
            "num_timed",
            "checkpoint_history",
        ),
        (
            "pgperf_checkpoint_write_seconds",
            "write_time / 1000",
            "checkpoint_history",
        ),
        (
            "pgperf_database_commits",
            "xact_commit",
            "database_history WHERE database_name = 'postgres'",
        ),
        (
            "pgperf_database_size_bytes",
            "size_bytes",
            "database_history WHERE database_name = 'postgres'",
        ),
        (
            "pgperf_server_commits",
            "xact_commit",
            "database_history WHERE database_name IS NULL",
        ),
        (
            "pgperf_statements_calls",
            "calls",
            "statement_history WHERE queryid = 0",
        ),
        (
            "pgperf_host_memory_total_bytes",
            "memory_total_bytes",
            "host_history",
        ),
    ] {
        let expected = newest(&mut session, expression, history);
        assert!(
            (metrics.value(family, &[]) - expected).abs() < 1e-6 * expected.abs() + 1e-9,
            "{family}: {expected}"
        );
    }
    let of_table = [
        ("schema", HOSTILE),
        ("relation", HOSTILE),
        ("kind", "table"),
    ];
    let of_history = "relation_history WHERE relation_name LIKE 'a%' AND relation_kind = 'table' AND schema_name LIKE 'a%'";
    for (family, expression) in [
        ("pgperf_relation_size_bytes", "size_bytes"),
        ("pgperf_relation_rows_deleted", "n_tup_del"),
        ("pgperf_relation_dead_rows", "n_dead_tup"),
    ] {
        let expected = newest(&mut session, expression, of_history);
        assert!(expected >= 1000.0 || family == "pgperf_relation_dead_rows");
        assert!(
            (metrics.value(family, &of_table) - expected).abs() < 0.5,
            "{family}: {expected}"
        );
    }
    // The server counts these of tables only.
    let kinds = |family: &str| -> Vec<String> {
        let samples = metrics.samples(family);
        samples.iter().map(|(of, _)| of["kind"].clone()).collect()
    };
    let index = "index".to_owned();
    for figure in [
        "live_rows",
        "dead_rows",
        "sequential_scans",
        "rows_inserted",
        "rows_updated",
        "rows_hot_updated",
        "rows_deleted",
        "vacuums",
        "autovacuums",
    ] {
        let kinds = kinds(&format!("pgperf_relation_{figure}"));
        assert!(!kinds.is_empty() && !kinds.contains(&index), "{figure}");
    }
    assert!(kinds("pgperf_relation_size_bytes").contains(&index));
    assert!(kinds("pgperf_relation_index_scans").contains(&index));
    assert!(metrics.value("pgperf_relation_bloat_ratio", &of_table) >= 0.0);
    assert!(metrics.value("pgperf_relation_cached_bytes", &of_table) > 0.0);
    let live = [
        ("label", label.as_str()),
        ("workload", "select-only"),
        ("status", "running"),
    ];
    assert!((metrics.value("pgperf_run_clients", &live) - 2.0).abs() < 0.1);
    assert!(metrics.value("pgperf_run_transactions", &live) > 0.0);
    // All of shared_buffers, whatever the usage count.
    let buffers: f64 = metrics
        .samples("pgperf_shared_buffers_bytes")
        .iter()
        .map(|(_, bytes)| bytes)
        .sum();
    assert!((buffers - 64.0 * 1024.0 * 1024.0).abs() < 1.0, "{buffers}");
    let statements = metrics.samples("pgperf_statement_calls");
    assert!(
        !statements.is_empty() && statements.len() <= 20,
        "{statements:?}"
    );
    for (labels, calls) in &statements {
        let expected = newest(
            &mut session,
            "calls",
            &format!(
                "statement_history WHERE queryid = {} AND toplevel = {} AND role_name = '{}'",
                labels["queryid"], labels["toplevel"], labels["role"]
            ),
        );
        assert!((calls - expected).abs() < 0.5, "{labels:?}");
    }
    let good = [("collector", "wal"), ("status", "ok")];
    assert!((metrics.value("pgperf_collector_status", &good) - 1.0).abs() < 1e-9);
    let text = session.value("SELECT pgperf.metrics()");
    assert!(!text.contains("a marker of this text"), "{text}");
    session.value(&format!("SELECT pgperf.stop_run({run})"));
    session.wait_for_status(run, "stopped");
    assert!(
        Metrics::read(&mut session)
            .samples("pgperf_run_clients")
            .is_empty()
    );
}

#[test]
fn the_hit_curve_is_that_of_the_newest_sample_of_all_sessions() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    // An older curve, the newest one, and one of a run. At the largest size nothing can be said.
    session.value(
        "INSERT INTO pgperf.hit_curve_history (node_id, sample_id, taken_at, run_id, shared_buffers_bytes, times, hit_percent, low, high) \
         SELECT pgperf.local_node(), v.* FROM (VALUES \
             (1, now() - interval '5 min', NULL::bigint, 134217728, 1, 50::float8, NULL::float8, NULL::float8), \
             (2, now(), NULL, 134217728, 1, 80, NULL, NULL), (2, now(), NULL, 201326592, 1.5, 90, 88, 92), \
             (2, now(), NULL, 268435456, 2, NULL, NULL, NULL), (3, now(), 1, 134217728, 1, 10, NULL, NULL)) v",
    );
    let metrics = Metrics::read(&mut session);
    let present = [("shared_buffers_bytes", "134217728"), ("times", "1")];
    let larger = [("shared_buffers_bytes", "201326592"), ("times", "1.5")];
    for (family, labels, expected) in [
        ("pgperf_hit_curve_ratio", present, 0.8),
        ("pgperf_hit_curve_ratio", larger, 0.9),
        ("pgperf_hit_curve_low_ratio", larger, 0.88),
        ("pgperf_hit_curve_high_ratio", larger, 0.92),
    ] {
        let value = metrics.value(family, &labels);
        assert!((value - expected).abs() < 1e-9, "{family}: {value}");
    }
    assert_eq!(metrics.samples("pgperf_hit_curve_ratio").len(), 2);
    assert_eq!(metrics.samples("pgperf_hit_curve_low_ratio").len(), 1);
}

#[test]
fn old_samples_show_their_age_and_then_vanish() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    let empty = session.value("SELECT pgperf.metrics()");
    // psql and others add the line feed that the format allows.
    assert_eq!(empty, "# EOF", "before the first sample");
    session.value("SELECT count(*) FROM pgperf.snapshot()");
    session.age_history("2 hours");
    let metrics = Metrics::read(&mut session);
    for (family, labels) in [
        ("pgperf_newest_sample_age_seconds", &[][..]),
        (
            "pgperf_collector_sample_age_seconds",
            &[("collector", "database")][..],
        ),
    ] {
        let age = metrics.value(family, labels);
        assert!((7200.0..7800.0).contains(&age), "{family}: {age}");
    }
    assert!(!metrics.samples("pgperf_wal_bytes").is_empty());

    session.age_history("2 days");
    let metrics = Metrics::read(&mut session);
    let mut families: Vec<&str> = metrics
        .exposition
        .families
        .keys()
        .map(String::as_str)
        .collect();
    families.sort_unstable();
    let expected = [
        "pgperf_collector_interval_seconds",
        "pgperf_max_connections",
        "pgperf_newest_sample_age_seconds",
        "pgperf_node",
    ];
    assert_eq!(families, expected);
    assert!(metrics.value("pgperf_newest_sample_age_seconds", &[]) > 180_000.0);
}

#[test]
fn the_number_of_series_is_bounded_and_dropped_tables_are_gone() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    // Larger than any catalog: a row of 1 kB, seven on a page. Each by more than the 64 pages by which a table may grow at once.
    session.value(
        "DO $$ BEGIN FOR n IN 1..24 LOOP \
         EXECUTE format('CREATE UNLOGGED TABLE public.t%s AS \
             SELECT repeat(''x'', 1000) FROM generate_series(1, 4000 + 500 * %s)', n, n); END LOOP; END $$",
    );
    session.value("SELECT pg_stat_force_next_flush()");
    session.value("SELECT count(*) FROM pgperf.snapshot('{tables}')");
    let tables = |session: &mut Client| -> Vec<String> {
        let samples = Metrics::read(session).samples("pgperf_relation_size_bytes");
        let tables = samples
            .into_iter()
            .filter(|(labels, _)| labels["kind"] != "index");
        let mut names: Vec<String> = tables
            .map(|(labels, _)| labels["relation"].clone())
            .collect();
        names.sort();
        names
    };
    // All other tables that are there, and all other indexes.
    for (kind, condition) in [
        ("live_rows", "h.relation_kind <> 'index'"),
        ("size_bytes", "true"),
    ] {
        let count: f64 = session
            .value(&format!(
                "SELECT count(*) FROM (SELECT DISTINCT h.relation_oid FROM pgperf.relation_history h JOIN pg_class c ON c.oid = h.relation_oid \
                 WHERE h.relation_oid <> 0 AND {condition}) r"
            ))
            .parse()
            .expect("a number");
        let metrics = Metrics::read(&mut session);
        let family = format!("pgperf_relation_{kind}");
        let left_out = metrics.value("pgperf_metrics_left_out", &[("family", &family)]);
        let shown = metrics.samples(&family).len() as f64;
        assert!(
            (shown + left_out - count).abs() < 0.1,
            "{family}: {shown} and {left_out} of {count}"
        );
    }
    let mut largest: Vec<String> = (5..=24).map(|n| format!("t{n}")).collect();
    largest.sort();
    assert_eq!(tables(&mut session), largest);
    session.value("DROP TABLE public.t24");
    largest.retain(|name| name != "t24");
    largest.push("t4".to_owned());
    largest.sort();
    assert_eq!(tables(&mut session), largest);
}

/// A family in the older format: its kind, and its samples' lines.
fn families_of_the_older_format(text: &str) -> BTreeMap<&str, (&str, Vec<&str>)> {
    let mut families: BTreeMap<&str, (&str, Vec<&str>)> = BTreeMap::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let help = line
            .strip_prefix("# HELP ")
            .unwrap_or_else(|| panic!("{line}"));
        let (name, help) = help.split_once(' ').expect("a text");
        assert!(!help.is_empty());
        let line = lines.next().expect("a type");
        let kind = line.strip_prefix(&format!("# TYPE {name} "));
        let kind = kind.unwrap_or_else(|| panic!("{line}"));
        let mut samples = Vec::new();
        while let Some(sample) = lines.next_if(|line| !line.starts_with('#')) {
            let rest = sample
                .strip_prefix(name)
                .unwrap_or_else(|| panic!("{name}: {sample}"));
            assert!(rest.starts_with([' ', '{']), "{name}: {sample}");
            samples.push(sample);
        }
        assert!(!samples.is_empty(), "{name}");
        assert!(
            families.insert(name, (kind, samples)).is_none(),
            "{name} comes twice"
        );
    }
    families
}

#[test]
fn the_older_format_has_the_same_samples() {
    let cluster = Cluster::with_data(&[]);
    let mut session = cluster.connect();
    let name = identifier(HOSTILE);
    session.value(&format!(
        "CREATE SCHEMA {name}; CREATE TABLE {name}.{name} AS SELECT generate_series(1, 300000) AS id"
    ));
    session.value("SELECT count(*) FROM pgperf.snapshot()");
    let older = session.value("SELECT pgperf.metrics(format => 'prometheus')");
    let newer = session.value("SELECT pgperf.metrics(NULL, 'openmetrics', false)");
    assert!(older.ends_with('\n') && newer.ends_with("# EOF"));
    parse_prometheus(&older).unwrap_or_else(|error| panic!("{error}"));
    let families = families_of_the_older_format(&older);
    for (name, (kind, _)) in &families {
        assert_eq!(
            *kind == "counter",
            name.ends_with("_total"),
            "{name} {kind}"
        );
    }
    assert_eq!(families["pgperf_wal_bytes_total"].0, "counter");
    assert_eq!(families["pgperf_node"].0, "gauge");
    // Ages grow from call to call.
    let samples = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let lines = lines.map(|line| match line.rsplit_once(' ') {
            Some((series, _)) if series.contains("_age_seconds") => series.to_owned(),
            _ => line.to_owned(),
        });
        lines.collect()
    };
    assert_eq!(samples(&older), samples(&newer));
    assert!(older.contains(r#"relation="a\"b\\c\nd},{é=""#), "{older}");
    // Nothing is looked up for a format that does not exist.
    let (sqlstate, message, hint) = error_of(
        &mut session,
        "SELECT pgperf.metrics('00000000-0000-0000-0000-000000000001', 'xml')",
    );
    assert_eq!(sqlstate, "22023");
    assert!(
        message.contains("xml") && hint.contains("prometheus"),
        "{message} {hint}"
    );
}

#[test]
fn findings_are_counted_by_severity_on_request() {
    let cluster = Cluster::with_data(&[]);
    let mut session = cluster.connect();
    session.value("SELECT count(*) FROM pgperf.snapshot()");
    session.value("SELECT count(*) FROM pgperf.snapshot()");
    let plain = session.value("SELECT pgperf.metrics()");
    assert!(!plain.contains("pgperf_findings"), "{plain}");
    for format in ["openmetrics", "prometheus"] {
        let text = session.value(&format!(
            "SELECT pgperf.metrics(format => '{format}', findings => true)"
        ));
        let found: Vec<&str> = text
            .lines()
            .filter(|line| line.starts_with("pgperf_findings{"))
            .collect();
        let expected = session.value(
            "SELECT string_agg(format('pgperf_findings{severity=\"%s\"} %s', s, (SELECT count(*) FROM pgperf.findings() f WHERE f.severity = s)), E'\\n' ORDER BY s) \
             FROM unnest(enum_range(NULL::pgperf.severity)) s",
        );
        assert_eq!(found.join("\n"), expected);
        assert_eq!(found.len(), 3);
    }
}

#[test]
fn a_node_that_does_not_exist_is_an_error() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    let nobody = "SELECT pgperf.metrics('00000000-0000-0000-0000-000000000001')";
    let (sqlstate, message, hint) = error_of(&mut session, nobody);
    assert_eq!(sqlstate, "22023");
    assert!(
        message.contains("00000000-0000-0000-0000-000000000001"),
        "{message}"
    );
    assert!(hint.contains("pgperf.nodes"), "{hint}");
    // Another node's history, which is here: its newest sample, and no run or relation of this server.
    session.value(
        "INSERT INTO pgperf.nodes (node_id, name, system_identifier, database_oid, database_name) \
         VALUES ('00000000-0000-0000-0000-000000000001', 'elsewhere', 1, 1, 'theirs')",
    );
    session.value("SELECT count(*) FROM pgperf.snapshot('{wal}')");
    session.value(
        "UPDATE pgperf.wal_history SET node_id = '00000000-0000-0000-0000-000000000001', wal_records = 4711",
    );
    let text = session.value(nobody);
    assert!(
        text.contains("name=\"elsewhere\"") && text.contains("pgperf_wal_records_total 4711\n"),
        "{text}"
    );
    let (sqlstate, _, hint) = error_of(
        &mut session,
        "SELECT pgperf.metrics('00000000-0000-0000-0000-000000000001', findings => true)",
    );
    assert_eq!(sqlstate, "22023");
    assert!(hint.contains("without findings"), "{hint}");
    session.value("CREATE ROLE stranger LOGIN");
    let (sqlstate, ..) = error_of(
        &mut cluster.connect_as("stranger"),
        "SELECT pgperf.metrics()",
    );
    assert_eq!(sqlstate, "42501");
}
