//! The top of a run's page: its description and the most important figures.

use crate::report::call;
use crate::report::model::Report;
use crate::report::precision;
use crate::report::stored_run::Run;
use crate::report::text;
use crate::report::text::details::{cut_off, interruption};
use crate::run::request::rate::describe;
use crate::show::number::percent;
use crate::show::number::{Unit, bytes, duration, integer, number};
use crate::show::text::{moment, plural};
use crate::workload::run_data;
use maud::{Markup, html};
use measure::metrics::TPS_PRECISION;

/// The name of the run.
pub fn title(run: &Run) -> String {
    match &run.label {
        Some(label) => format!("{label} \u{2013} pgperf run {}", run.run_id),
        None => format!("pgperf run {}", run.run_id),
    }
}

pub fn header(report: &Report) -> Markup {
    let run = &report.run;
    html! {
        p class="kind" {
            @match &run.spec.results {
                None => (run.work().name),
                Some(results) => { "results of " (results.program) },
            }
        }
        h1 {
            @if let Some(label) = &run.label { (label) } @else { "Run " (run.run_id) }
            span class={ "status " (run.status.replace(' ', "-")) } { (run.status) }
        }
        p class="what" { (what(run)) }
        p class="where" { (place(run)) }
        @if let Some(status) = text::status(run) { p class="warning" { (status) } }
        @if let Some(missing) = text::missing(run) { p class="warning" { (missing) } }
        @if let Some(gaps) = interruption(&report.segments) { p class="warning" { (gaps) } }
        @if let Some(reason) = &run.unknown_because { p class="warning" { (reason) } }
        @if let Some(retries) = cut_off(run, &report.statements) { p class="warning" { (retries) } }
        @if let Some(precision) = precision(report) { p class="why" { (precision) } }
        ul class="cards" {
            @for card in cards(report) {
                li {
                    span class="name" { (card.name) }
                    span class="value" { (card.value) @if !card.unit.is_empty() { " " small { (card.unit) } } }
                    span class="more" { (card.more) }
                }
            }
        }
        @if let Some(origin) = text::results(run) {
            p class="why" { (origin) }
        } @else if run.work().has_transactions {
            p class="why" {
                "The rate is in-database: the clients are background workers, with no client program and no network in between. \
                 It is not comparable with the tps of pgbench."
            }
        }
    }
}

/// How well the mean is known, where the run was to end with that.
fn precision(report: &Report) -> Option<String> {
    let mut metrics = report.metrics.iter();
    let known = metrics.find(|figure| figure.metric == TPS_PRECISION);
    precision::sentence(&report.run, known.and_then(|figure| figure.value))
}

fn what(run: &Run) -> String {
    let mut parts = vec![run.workload.clone()];
    parts.extend(run.scale.map(|scale| format!("scale {}", integer(scale))));
    parts.extend(run_data::describe(&run.spec.data));
    parts.extend(run.clients.map(|clients| {
        let workers = plural(clients, run.work().worker);
        format!("{} {workers}", integer(clients))
    }));
    let mode = run.query_mode.as_ref();
    let mode = mode.filter(|_| run.work().has_transactions);
    parts.extend(mode.map(|mode| format!("query mode {mode}")));
    if let Some(rate) = &run.spec.rate {
        parts.push(format!("rate limit {}", describe(rate)));
    }
    if let Some(terminals) = run.spec.terminals {
        parts.push(format!("{} terminals", integer(terminals)));
    }
    parts.extend(
        run.duration_s
            .map(|seconds| format!("measured for {}", duration(seconds))),
    );
    parts.join(" \u{b7} ")
}

fn place(run: &Run) -> String {
    let version = run.server_version.as_ref();
    let mut parts: Vec<String> = version
        .map(|version| format!("PostgreSQL {version}"))
        .into_iter()
        .collect();
    let node = run
        .node_name
        .as_ref()
        .filter(|_| run.origin_run_id.is_none());
    parts.extend(node.map(|node| format!("node {node}")));
    parts.extend(
        run.database_name
            .as_ref()
            .map(|name| format!("database {name}")),
    );
    parts.extend(run.role.as_ref().map(|role| format!("role {role}")));
    let began = run.measured_at.as_ref().or(run.started_at.as_ref());
    parts.extend(began.map(|at| moment(at)));
    parts.push(format!("run {}", run.run_id));
    parts.extend(text::imported(run));
    parts.join(" \u{b7} ")
}

/// So many metrics of workloads have cards.
const OWN_CARDS: usize = 8;

/// A figure that one looks at first.
pub struct Card {
    name: String,
    value: String,
    unit: String,
    more: String,
}

fn cards(report: &Report) -> Vec<Card> {
    let run = &report.run;
    let own = report.of_the_workload().map(|(figure, value)| Card {
        name: figure.metric.clone(),
        value: number(value),
        unit: figure.unit.clone(),
        more: String::new(),
    });
    let mut cards: Vec<_> = own.take(OWN_CARDS).collect();
    if let Some(transactions) = run.transactions {
        cards.extend((run.work().cards)(report, transactions));
    }
    cards.extend(card(
        "Database growth",
        run.database_growth_bytes.map(|size| bytes(size as f64)),
        "",
        "without pgperf's own".to_owned(),
    ));
    cards
}

/// None where the figure is not known.
fn card(
    name: &'static str,
    value: Option<String>,
    unit: &'static str,
    more: String,
) -> Option<Card> {
    value.map(|value| Card {
        name: name.to_owned(),
        value,
        unit: unit.to_owned(),
        more,
    })
}

/// Of a load.
pub fn load_cards(report: &Report) -> Vec<Card> {
    let run = &report.run;
    let mut cards = Vec::new();
    let mut card = |name, value, unit, more| cards.extend(self::card(name, value, unit, more));
    let rows: i64 = report.statements.iter().filter_map(|step| step.rows).sum();
    let seconds = run.duration_s.filter(|seconds| *seconds > 0.0);
    card("Rows loaded", Some(integer(rows)), "", String::new());
    card(
        "Rate",
        seconds.map(|s| number(rows as f64 / s)),
        "rows/s",
        String::new(),
    );
    card("Time", seconds.map(duration), "", String::new());
    cards
}

/// Of a run of scripts.
pub fn transaction_cards(report: &Report, transactions: i64) -> Vec<Card> {
    let run = &report.run;
    let mut cards = Vec::new();
    let mut card = |name, value, unit, more| cards.extend(self::card(name, value, unit, more));
    let outcome = |failed| match (failed, run.retried.unwrap_or(0)) {
        (0, 0) => "none failed".to_owned(),
        (0, retried) => format!("none failed, {} retried", integer(retried)),
        (failed, _) => format!(
            "{} failed ({} %)",
            integer(failed),
            number(percent(failed, transactions + failed))
        ),
    };
    card(
        "Throughput",
        run.tps.map(number),
        "tps",
        format!("{} transactions", integer(transactions)),
    );
    card(
        "Latency, mean",
        run.latency_avg_ms.map(number),
        "ms",
        run.latency_stddev_ms.map_or_else(String::new, |ms| {
            format!("standard deviation {}", number(ms))
        }),
    );
    card(
        "Latency, p95",
        run.latency_p95_ms.map(number),
        "ms",
        run.latency_p50_ms.map_or_else(String::new, |ms| {
            format!("p50 {}", Unit::Milliseconds.write(ms))
        }),
    );
    card(
        "Latency, p99",
        run.latency_p99_ms.map(number),
        "ms",
        run.latency_max_ms.map_or_else(String::new, |ms| {
            format!("longest {}", Unit::Milliseconds.write(ms))
        }),
    );
    let failures = run.failed.map_or_else(String::new, outcome);
    card("Failures", run.failed.map(integer), "", failures);
    for figure in text::of_the_schedule(run) {
        card(figure.name, Some(figure.value), figure.unit, figure.more);
    }
    card(
        "WAL",
        run.wal_bytes_per_tx.map(number),
        "bytes/transaction",
        run.wal_bytes
            .map_or_else(String::new, |wal| format!("{} in all", bytes(wal as f64))),
    );
    card(
        "Buffer hits",
        run.hit_percent.map(|percent| format!("{percent:.2}")),
        "%",
        run.shared_blks_read
            .map_or_else(String::new, |read| format!("{} blocks read", integer(read))),
    );
    cards
}

pub fn footer(report: &Report) -> Markup {
    html! {
        @if let Some(call) = &report.call {
            h2 { "To reproduce" }
            pre class="scroll" { code { @for load in call::loads(&report.run) { (load) "\n" } (call) } }
        }
        p { "Written by pgperf " (report.pgperf_version) "." }
    }
}
