//! Activity of the server during a run.

use super::checkpoints::Checkpoints;
use super::hit_curve;
use super::machine::{devices, host};
use super::receivers;
use super::relations::{over_time, qualified, sizes};
use super::series::{points, series};
use crate::report::model::tables::{Table, TableRow};
use crate::report::model::{Buffers, Report, TransactionIds, Waits, Wal};
use crate::show::charts::{Part, Series, Shape, TimeChart};
use crate::show::number::{Unit, bytes, duration, integer, number};
use crate::show::page::Chapter;
use crate::show::page::table::{Cell, table};
use maud::{Markup, html};

/// How a part of a report is shown.
fn part<T>(
    id: &'static str,
    title: &'static str,
    data: Option<&T>,
    show: impl FnOnce(&T) -> Markup,
) -> Chapter {
    match data {
        Some(data) => Chapter::new(id, title, show(data)),
        None => Chapter::missing(id, title, NO_SAMPLES),
    }
}

const NO_SAMPLES: &str = "fewer than two samples of their collectors belong to this run: these were not among its collectors,     could not run here, or their history has been dropped since";

pub fn sections(report: &Report, checkpoints: &Checkpoints) -> Vec<Chapter> {
    let relations = Some(report).filter(|r| !r.relations.is_empty() || !r.bloat.is_empty());
    let all_devices = Some(&report.devices).filter(|d| !d.is_empty());
    let mut sections = vec![
        part("waits", "Waits", report.waits.as_ref(), waits),
        part("wal", "WAL", report.wal.as_ref(), |data| {
            wal(data, checkpoints)
        }),
        part(
            "buffers",
            "Shared buffers",
            report.buffers.as_ref(),
            |data| buffers(data, checkpoints),
        ),
        part("relations", "Size and bloat", relations, |report| {
            html! {
                (sizes(&report.relations))
                (over_time(report, checkpoints))
            }
        }),
        part(
            "xids",
            "Transaction ids",
            report.transaction_ids.as_ref(),
            |data| transaction_ids(data, checkpoints),
        ),
        part("host", "CPU and memory", report.host.as_ref(), |data| {
            host(data, checkpoints)
        }),
        part("devices", "Devices", all_devices, |data| {
            devices(data, checkpoints)
        }),
    ];
    sections.splice(3..3, hit_curve::section(&report.hit_curve));
    sections.splice(2..2, receivers::section(&report.receivers));
    let tables = report.tables.iter();
    sections
        .extend(tables.map(|table| Chapter::new(&table.collector, &table.title, counts(table))));
    sections
}

/// What a collector counted.
fn counts(data: &Table) -> Markup {
    let row = |row: &TableRow| {
        let counts = row.counts.iter();
        std::iter::once(Cell::text(&row.object))
            .chain(counts.map(|count| Cell::number(count.map(integer))))
            .collect()
    };
    let rows: Vec<Vec<Cell>> = data.rows.iter().map(row).collect();
    let heads: Vec<&str> = std::iter::once(&data.object)
        .chain(&data.counters)
        .map(String::as_str)
        .collect();
    html! {
        (table(&heads, &rows))
        p class="note" { "From the first sample of the run to the last, by all sessions of the server." }
    }
}

fn waits(waits: &Waits) -> Markup {
    let all: f64 = waits
        .events
        .iter()
        .map(|event| event.average_sessions)
        .sum();
    let least = 0.001 * all;
    let rows: Vec<Vec<Cell>> = waits
        .events
        .iter()
        .filter(|event| event.average_sessions >= least)
        .take(20)
        .map(|event| {
            let (kind, name) = match (&event.wait_event_type, &event.wait_event) {
                (Some(kind), Some(name)) => (kind.clone(), name.clone()),
                _ => ("CPU".to_owned(), "running, or waiting for a CPU".to_owned()),
            };
            let share = if all > 0.0 {
                event.average_sessions / all
            } else {
                0.0
            };
            let color = match kind.as_str() {
                "CPU" => 3,
                "Lock" => 2,
                "LWLock" => 6,
                "IO" => 1,
                _ => 7,
            };
            let text = format!("{}: {}", name, Unit::Percent.write(100.0 * share));
            vec![
                Cell::text(kind),
                Cell::text(name),
                Cell::Bar(vec![Part { share, color, text }]),
                Cell::Number(format!("{:.1} %", 100.0 * share)),
                Cell::Number(number(event.average_sessions)),
            ]
        })
        .collect();
    html! {
        (table(&["type", "wait event", "share", "", "mean number of sessions"], &rows))
        p class="note" {
            @if waits.source == "run clients" { "The run's own clients" } @else { "All active sessions" }
            ", seen in " (integer(waits.looks)) " looks"
            @if waits.share_of_samples < 1.0 { " in " (number(100.0 * waits.share_of_samples)) " % of the samples" }
            ". What had less than 0.1 % is left out."
        }
    }
}

fn wal(wal: &Wal, checkpoints: &Checkpoints) -> Markup {
    let (rates, counts) = (&wal.rates, &wal.counts);
    let written = TimeChart::new(
        "WAL written by the server",
        Unit::BytesPerSecond,
        points(rates, |row| (row.between.at_s, row.between.seconds)),
        vec![series(rates, "WAL", 1, Shape::Line, |row| row.bytes_per_s)],
    );
    let mut counted = TimeChart::new(
        "WAL records and full-page images",
        Unit::Count("per second"),
        points(counts, |row| (row.between.at_s, row.between.seconds)),
        vec![
            series(counts, "records", 3, Shape::Line, |row| row.records_per_s),
            series(counts, "full-page images", 2, Shape::Line, |row| {
                row.full_page_images_per_s
            }),
        ],
    );
    counted.note = Some("over 10 s or more".to_owned());
    html! {
        div class="pair" { (checkpoints.in_chart(written).render()) (checkpoints.in_chart(counted).render()) }
        @if counts.is_empty() {
            p class="note" {
                "Records and full-page images are counted in the totals only: sessions tell the server about them once a second at most, "
                "too seldom for rates over time of so short a run."
            }
        }
        p class="note" { "Of the whole server, pgperf's own included." }
        (resource_managers(wal))
    }
}

fn resource_managers(wal: &Wal) -> Markup {
    if wal.resource_managers.is_empty() {
        return html! { p class="why" { "What the WAL consisted of is not known: the extension pg_walinspect is not installed in this database, or nothing of it could be read." } };
    }
    let all: f64 = wal
        .resource_managers
        .iter()
        .map(|manager| (manager.record_bytes + manager.fpi_bytes) as f64)
        .sum();
    let rows: Vec<Vec<Cell>> = wal
        .resource_managers
        .iter()
        .map(|manager| {
            let part = |size: i64, color, name: &str| Part {
                share: size as f64 / all.max(1.0),
                color,
                text: format!(
                    "{} {name}: {}",
                    manager.resource_manager,
                    bytes(size as f64)
                ),
            };
            vec![
                Cell::text(&manager.resource_manager),
                Cell::Bar(vec![
                    part(manager.record_bytes, 1, "records"),
                    part(manager.fpi_bytes, 6, "full-page images"),
                ]),
                Cell::Number(format!("{:.1} %", manager.bytes_percent)),
                Cell::Number(integer(manager.records)),
                Cell::Number(bytes(manager.record_bytes as f64)),
                Cell::Number(bytes(manager.fpi_bytes as f64)),
            ]
        })
        .collect();
    html! {
        h3 { "By resource manager" }
        ul class="legend" {
            li { i class="key area c1" {} "records" }
            li { i class="key area c6" {} "full-page images" }
        }
        (table(&["resource manager", "share", "", "records", "record bytes", "full-page images"], &rows))
        @if let Some(percent) = wal.sampled_percent.filter(|percent| *percent < 99.95) {
            p class="note" { "Read from " (number(percent)) " % of the WAL; counts and sizes are estimated from that part." }
        }
    }
}

fn buffers(buffers: &Buffers, checkpoints: &Checkpoints) -> Markup {
    let size = buffers.block_size as f64;
    let samples = &buffers.samples;
    let at = points(samples, |sample| (sample.at_s, 0.0));
    let mut counts: Vec<Series> = (0..=5)
        .map(|count: usize| {
            // Colours 10 to 15 are shades of one, for what has an order.
            let color = 10 + count as u8;
            series(
                samples,
                &format!("usage count {count}"),
                color,
                Shape::Stacked,
                |sample| {
                    sample
                        .by_usage_count
                        .get(count)
                        .map(|buffers| *buffers as f64 * size)
                },
            )
        })
        .collect();
    counts.push(series(samples, "dirty", 8, Shape::Dotted, |sample| {
        Some(sample.dirty as f64 * size)
    }));
    let chart = TimeChart::new("Buffers by usage count", Unit::Bytes, at, counts);
    let mut chart = checkpoints.in_chart(chart);
    chart.height = 220.0;
    let rows: Vec<Vec<Cell>> = buffers
        .relations
        .iter()
        .map(|relation| {
            let all: i64 = samples
                .last()
                .map_or(0, |s| s.unused + s.by_usage_count.iter().sum::<i64>());
            let share = relation.buffers as f64 / all.max(1) as f64;
            vec![
                Cell::text(match &relation.relation_name {
                    Some(name) => qualified(relation.schema_name.as_deref(), name),
                    None => "other databases, and what cannot be told".to_owned(),
                }),
                Cell::Bar(vec![Part {
                    share,
                    color: 1,
                    text: format!("{} of shared_buffers", Unit::Percent.write(100.0 * share)),
                }]),
                Cell::Number(format!("{:.1} %", 100.0 * share)),
                Cell::Number(bytes(relation.buffers as f64 * size)),
                Cell::Number(bytes(relation.dirty as f64 * size)),
                Cell::Number(format!("{:.1}", relation.usage_count)),
            ]
        })
        .collect();
    html! {
        (chart.render())
        @if !rows.is_empty() {
            h3 { "At the end, by relation" }
            (table(&["relation", "share", "", "size", "dirty", "mean usage count"], &rows))
        }
    }
}

fn transaction_ids(ids: &TransactionIds, checkpoints: &Checkpoints) -> Markup {
    let chart = TimeChart::new(
        "Age of the oldest transaction id",
        Unit::Count("transactions"),
        points(&ids.ages, |age| (age.at_s, 0.0)),
        vec![series(&ids.ages, "age", 1, Shape::Line, |age| {
            Some(age.frozen_xid_age as f64)
        })],
    );
    let last = ids.ages.last().map_or(0, |age| age.frozen_xid_age);
    let rows: Vec<Vec<Cell>> = ids
        .limits
        .iter()
        .map(|limit| {
            let used = (last as f64 / limit.age.max(1) as f64).min(1.0);
            vec![
                Cell::text(match limit.limit {
                    "autovacuum" => "autovacuum freezes in any case",
                    "failsafe" => "vacuum leaves out all but freezing",
                    _ => "the server assigns no more ids",
                }),
                Cell::Number(integer(limit.age)),
                Cell::Number(format!("{:.1} %", 100.0 * used)),
                Cell::Number(integer(limit.ids_left)),
                match (limit.seconds_left, ids.per_s) {
                    (None, Some(_)) => Cell::text("not reached"),
                    (seconds, _) => Cell::number(seconds.map(far)),
                },
            ]
        })
        .collect();
    html! {
        div class="pair" {
            (checkpoints.in_chart(chart).render())
            div {
                h3 { "Forecast" }
                (table(&["limit", "at age", "used", "ids left", "reached in"], &rows))
                p class="note" {
                    "Of database " (ids.database_name)
                    @if let Some(rate) = ids.per_s {
                        ", if nothing is frozen meanwhile and ids go on to be used as fast as over this run ("
                        (number(rate)) " per second, without pgperf's own)."
                    } @else {
                        "; the run was too short, or has no totals, to tell how fast ids are used."
                    }
                }
            }
        }
    }
}

/// A time that may be years off.
fn far(seconds: f64) -> String {
    const YEAR: f64 = 365.25 * 86_400.0;
    match seconds / YEAR {
        years if years > 1_000.0 => "more than 1,000 years".to_owned(),
        years if years > 2.0 => format!("{} years", number(years)),
        _ => duration(seconds),
    }
}

#[cfg(test)]
mod tests {
    use super::far;

    #[test]
    fn a_forecast_says_years_where_days_mean_nothing() {
        assert_eq!(far(3_600.0), "1 h");
        assert_eq!(far(86_400.0 * 365.25 * 12.0), "12 years");
        assert_eq!(far(1e15), "more than 1,000 years");
    }
}
