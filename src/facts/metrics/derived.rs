//! Metrics that are made of several counters, or from which pgperf's own part is taken.

use super::super::Span;
use super::Metric;
use super::ends::Ends;
use crate::collect::rows::Row;
use crate::subject::devices::by_contents::{Placed, names};
use crate::subject::wal::collector::counts::Counts;

/// What is made of several counters, or from which pgperf's own part is taken.
pub fn derived(table: &str, ends: &Ends, span: &Span) -> Vec<Metric> {
    match table {
        "wal_history" => wal(ends, span),
        "database_history" => hit_percent(ends, span)
            .into_iter()
            .chain(rollback_percent(ends))
            .collect(),
        "host_history" => cpu_percents(ends),
        _ => Vec::new(),
    }
}

/// Bytes are those of the position, which is exact; records and images are counted in the WAL itself, or are those that the server has
/// been told of.
fn wal(ends: &Ends, span: &Span) -> Vec<Metric> {
    let own = &span.own.usage;
    let count = |column: &str, counted: fn(&Counts) -> u64, own: u64| {
        let all = match &span.counts {
            Ok(counts) => Some(counted(counts) as f64),
            Err(_) => ends.difference(column)?,
        };
        Some(all.map(|all| (all - own as f64).max(0.0)))
    };
    let written = span.own.server_position.saturating_sub(own.wal_bytes);
    let xids = span.own.server_xids.saturating_sub(span.own.xids);
    [
        ("wal_bytes", Some(Some(written as f64))),
        (
            "wal_records",
            count("wal_records", |counts| counts.records, own.wal_records),
        ),
        (
            "wal_fpi",
            count("wal_fpi", |counts| counts.images, own.wal_fpi),
        ),
        ("xids", Some(Some(xids as f64))),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some(Metric::new(name, value?)))
    .collect()
}

/// The share of a part, beside the rest. None: one of them is not known, or there is nothing.
fn percent(part: Option<f64>, rest: Option<f64>) -> Option<f64> {
    let (part, rest) = part.zip(rest)?;
    (part + rest > 0.0).then(|| 100.0 * part / (part + rest))
}

fn hit_percent(ends: &Ends, span: &Span) -> Option<Metric> {
    let own = &span.own.usage;
    let (hit, read) = (ends.difference("blks_hit")?, ends.difference("blks_read")?);
    let less = |blocks: Option<f64>, own: u64| blocks.map(|blocks| (blocks - own as f64).max(0.0));
    let percent = percent(
        less(hit, own.shared_blks_hit),
        less(read, own.shared_blks_read),
    );
    Some(Metric::new("database_hit_percent", percent))
}

/// None of no transactions at all.
fn rollback_percent(ends: &Ends) -> Option<Metric> {
    let (rolled_back, committed) = (
        ends.difference("xact_rollback")?,
        ends.difference("xact_commit")?,
    );
    let percent = percent(rolled_back, committed);
    Some(Metric::new("rollback_percent", percent))
}

/// Guests' time is part of the user's.
fn cpu_percents(ends: &Ends) -> Vec<Metric> {
    const ALL: [&str; 8] = [
        "cpu_user_ms",
        "cpu_nice_ms",
        "cpu_system_ms",
        "cpu_idle_ms",
        "cpu_iowait_ms",
        "cpu_irq_ms",
        "cpu_softirq_ms",
        "cpu_steal_ms",
    ];
    let parts: [(_, &[&str]); 5] = [
        ("cpu_user_percent", &["cpu_user_ms", "cpu_nice_ms"]),
        (
            "cpu_system_percent",
            &["cpu_system_ms", "cpu_irq_ms", "cpu_softirq_ms"],
        ),
        ("cpu_idle_percent", &["cpu_idle_ms"]),
        ("cpu_iowait_percent", &["cpu_iowait_ms"]),
        ("cpu_steal_percent", &["cpu_steal_ms"]),
    ];
    let all = ends.sum(&ALL);
    parts
        .into_iter()
        .filter(|(_, columns)| {
            columns
                .iter()
                .any(|column| ends.difference(column).is_some())
        })
        .map(|(name, columns)| {
            let percent = (all > 0.0).then(|| 100.0 * ends.sum(columns) / all);
            Metric::new(name, percent)
        })
        .collect()
}

/// The figures of each device: under its name, and under those of what it holds, since the kernel may name it otherwise tomorrow, as
/// other machines do.
pub fn of_devices<'a>(
    before: impl Iterator<Item = &'a Row>,
    after: impl Iterator<Item = &'a Row>,
) -> Vec<Metric> {
    let before: Vec<&Row> = before.collect();
    let (rows, placed): (Vec<&Row>, Vec<Placed>) =
        after.filter_map(|row| Some((row, placed(row)?))).unzip();
    const SECTOR: f64 = 512.0;
    let metrics = |(after, names): (&Row, Vec<String>)| {
        let is_same = |row: &&&Row| row.get("device") == after.get("device");
        let ends = Ends {
            before: (*before.iter().find(is_same)?).clone(),
            after: after.clone(),
            went_on: true,
        };
        let metric = |metric: &str, of: &str, (column, factor): (&str, f64)| {
            let value = ends.difference(column)?.map(|value| value * factor);
            Some(Metric::new(&format!("{metric}.{of}"), value))
        };
        let columns = [
            ("device_read_bytes", ("read_sectors", SECTOR)),
            ("device_write_bytes", ("write_sectors", SECTOR)),
            ("device_reads", ("read_ios", 1.0)),
            ("device_writes", ("write_ios", 1.0)),
            ("device_flushes", ("flush_ios", 1.0)),
        ];
        let of_name = |name: String| columns.map(|(known, column)| metric(known, &name, column));
        let device = after.get("device")?.as_str()?.to_owned();
        let names = std::iter::once(device).chain(names);
        Some(names.flat_map(of_name).flatten().collect::<Vec<_>>())
    };
    let named = rows.into_iter().zip(names(&placed));
    named.filter_map(metrics).flatten().collect()
}

fn placed(row: &Row) -> Option<Placed<'_>> {
    Some(Placed {
        device: row.get("device")?.as_str()?,
        holds: row.get("holds")?.as_str()?,
        level: row.get("level")?.as_i64()?,
    })
}

#[cfg(test)]
mod tests {
    use super::super::ends::tests::{ends_of, row};
    use super::*;
    use serde_json::json;

    #[test]
    fn cpu_times_become_shares() {
        let ends = ends_of(
            json!({"cpu_user_ms": 0, "cpu_nice_ms": 0, "cpu_system_ms": 10, "cpu_idle_ms": 0, "cpu_iowait_ms": null}),
            json!({"cpu_user_ms": 50, "cpu_nice_ms": 10, "cpu_system_ms": 30, "cpu_idle_ms": 20, "cpu_iowait_ms": null}),
        );
        let shares: Vec<_> = cpu_percents(&ends)
            .into_iter()
            .map(|metric| (metric.name, metric.value))
            .collect();
        let share = |name: &str, percent| (name.to_owned(), Some(percent));
        assert_eq!(
            shares,
            [
                share("cpu_user_percent", 60.0),
                share("cpu_system_percent", 20.0),
                share("cpu_idle_percent", 20.0)
            ]
        );
    }

    #[test]
    fn rollbacks_are_a_share_of_all_transactions() {
        let percent = |before, after| rollback_percent(&ends_of(before, after)).map(|m| m.value);
        let start = json!({"xact_commit": 100, "xact_rollback": 10});
        let end = |commits, rollbacks| json!({"xact_commit": commits, "xact_rollback": rollbacks});
        assert_eq!(percent(start.clone(), end(130, 20)), Some(Some(25.0)));
        assert_eq!(percent(start.clone(), end(100, 10)), Some(None));
        assert_eq!(percent(start, end(130, 5)), Some(None), "a reset");
        assert_eq!(percent(json!({}), json!({})), None);
    }

    #[test]
    fn devices_have_their_names_and_those_of_what_they_hold() {
        let device = |name: &str, holds: &str, sectors: u64| {
            row(
                json!({"device": name, "holds": holds, "level": 0, "read_sectors": sectors, "boot_id": "b"}),
            )
        };
        let metrics = of_devices(
            [device("sda", "data", 10), device("sdb", "wal", 1)].iter(),
            [
                device("sdb", "wal, tablespace fast", 3),
                device("sdc", "data", 1),
            ]
            .iter(),
        );
        let found: Vec<_> = metrics.iter().map(|m| (m.name.as_str(), m.value)).collect();
        assert_eq!(
            found,
            [
                ("device_read_bytes.sdb", Some(1024.0)),
                ("device_read_bytes.wal", Some(1024.0)),
                ("device_read_bytes.tablespace fast", Some(1024.0))
            ]
        );
    }
}
