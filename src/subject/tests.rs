//! What holds of every section.

use super::sections;
use std::collections::HashSet;

#[test]
fn names_are_unique_and_every_column_is_in_its_sql() {
    let names: HashSet<_> = sections().iter().map(|section| section.name).collect();
    assert_eq!(names.len(), sections().len());
    for section in sections() {
        let mut parts = HashSet::new();
        for table in section.tables {
            assert!(
                parts.insert(table.name),
                "{}: two of {}",
                section.name,
                table.name
            );
            let keys = table.keys.iter().map(|key| key.name);
            let keys = keys.chain([table.each]);
            for name in keys.chain(table.columns.iter().map(|column| column.name)) {
                assert!(
                    table.sql.contains(name),
                    "{}/{}: {name}",
                    section.name,
                    table.name
                );
            }
        }
        for chart in section.charts {
            assert!(
                parts.insert(chart.name),
                "{}: two of {}",
                section.name,
                chart.name
            );
            let lines = chart.lines.iter().map(|line| line.column);
            for name in lines.chain(["at_s", "seconds", chart.each]) {
                assert!(
                    chart.sql.contains(name),
                    "{}/{}: {name}",
                    section.name,
                    chart.name
                );
            }
        }
    }
}

#[test]
fn sentences_are_sentences_and_reasons_are_none() {
    for section in sections() {
        assert!(section.reading.ends_with('.'), "{}", section.name);
        assert!(section.call.starts_with("SELECT "), "{}", section.name);
        assert!(
            !section.nothing.ends_with('.') && !section.nothing.is_empty(),
            "{}",
            section.name
        );
    }
}

#[test]
fn an_sql_text_ends_with_its_order_and_names_schemas() {
    for section in sections() {
        let texts = (section.tables.iter().map(|table| table.sql))
            .chain(section.charts.iter().map(|chart| chart.sql));
        for sql in texts {
            let place = |what: &str| panic!("{}: {what}: {sql}", section.name);
            if !sql.contains("ORDER BY") && !sql.contains("HAVING") {
                place("no order");
            }
            if sql.trim_end().ends_with(';') {
                place("ends with a semicolon");
            }
        }
    }
}

/// What a run shows beyond its own samples: the WAL's contents, which each sample reads from where the one before it ended, whoever took that.
const OF_ALL: [&str; 2] = ["managers", "totals"];

#[test]
fn what_a_run_shows_is_of_its_own_samples() {
    for section in sections() {
        for name in section.of_runs.iter().chain(section.of_monitors) {
            let (sql, _) = section.source_of(name).expect(name);
            let reads_times = sql.contains("taken_at <= $3");
            let is_known = section.name == "wal" && OF_ALL.contains(name);
            assert!(
                !reads_times || sql.contains("{of_run}") || is_known,
                "{}/{name}",
                section.name
            );
        }
    }
}

/// What PostgreSQL shows of the sessions and statements of other roles to members of pg_monitor alone.
const OF_OTHERS: [&str; 4] = [
    "{waits}",
    "{statements}",
    "pgperf.horizon_history",
    "pgperf.settings_history",
];

#[test]
fn a_run_shows_its_role_nothing_of_the_sessions_of_others() {
    for section in sections() {
        for name in section.of_runs {
            let (sql, _) = section.source_of(name).expect(name);
            for source in OF_OTHERS {
                assert!(!sql.contains(source), "{}/{name}: {source}", section.name);
            }
        }
        for name in section.of_monitors {
            assert!(section.source_of(name).is_some(), "{}/{name}", section.name);
        }
    }
}
