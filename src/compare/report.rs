//! The report of a comparison: the answer first, then both sides over time and the changes at a glance, then everything else.

mod over_time;
pub mod sides;

use super::differences::{self, cut_to_difference};
use super::row::{Comparison, Row, Verdict};
use super::sections::{Section, is_significant, reasons, sections};
use super::{Side, conditions as differing};
use crate::report::conditions::Conditions;
use crate::report::html::circumstances::{heading, with_unit};
use crate::show::blocks::{Block, Column, Listing, Report, Topic, code, column, figure, name};
use crate::show::number::{bytes, number};
use crate::show::page::card::card;
use crate::show::page::table::Cell;
use crate::show::text::{count, one_line, plural};
use maud::{Markup, html};
use sides::Sides;

/// Metrics with a card, and their names there.
const CARDS: [(&str, &str); 6] = [
    ("tps", "Throughput"),
    ("latency_avg_ms", "Latency, mean"),
    ("latency_p95_ms", "Latency, p95"),
    ("latency_p99_ms", "Latency, p99"),
    ("wal_bytes_per_tx", "WAL per transaction"),
    ("hit_percent", "Buffer hits"),
];
/// Metrics of the summary whose change is shown at a glance.
const AT_A_GLANCE: [&str; 11] = [
    "tps",
    "duration_s",
    "latency_avg_ms",
    "latency_stddev_ms",
    "latency_p50_ms",
    "latency_p95_ms",
    "latency_p99_ms",
    "latency_max_ms",
    "failed_percent",
    "wal_bytes_per_tx",
    "hit_percent",
];
/// Characters of a text that differs, such as a server's configure options; a page has the whole at its end.
const LONG: usize = 40;
/// Characters of a title, which may have the numbers of many runs.
const TITLE: usize = 200;
/// Further rows of a category in a page, at most.
const FURTHER: usize = 300;
const READING: [&str; 2] = [
    "change: in percent of the baseline; p: how likely such a change is by chance, corrected for how many metrics were tested, but the \
     headline, which is a question by itself",
    "The verdict is given where p is below 0.05. Where there is no p, nothing tells how much of a change is noise.",
];

/// The report. `conditions`: those of both sides; `sides`: the runs over time, for a page.
pub fn report(comparison: &Comparison, conditions: &Conditions, sides: Option<&Sides>) -> Report {
    let title = title(comparison);
    let (shown, alike): (Vec<Section>, Vec<Section>) = sections(&comparison.rows)
        .into_iter()
        .partition(|section| !section.shown.is_empty());
    let mut topics = vec![over_time::topic(comparison, sides)];
    topics.extend(at_a_glance(&comparison.rows));
    topics.extend(what_differs(&comparison.rows));
    topics.extend(shown.iter().map(|section| of_category(comparison, section)));
    if !alike.is_empty() {
        let folded = alike.iter().flat_map(|section| further(section, true));
        topics.push(Topic::new(
            "alike",
            "Without a significant difference",
            folded.collect(),
        ));
    }
    topics.push(Topic::new("runs", "Runs", vec![Block::Table(runs(comparison))]).folded());
    topics.extend(conditions.topic(&["baseline", "candidate"]));
    topics.extend(long_texts(&comparison.rows));
    let reading = READING.map(|text| Block::Remark(text.to_owned()));
    topics.push(Topic::new("reading", "How to read it", reading.into()));
    Report {
        header: header(comparison, conditions, &title),
        name: title.clone(),
        title,
        summary: summary(comparison)
            .into_iter()
            .chain(conditions.line())
            .collect(),
        topics,
    }
}

/// What is compared.
pub fn title(comparison: &Comparison) -> String {
    let [baseline, candidate] = [&comparison.baseline, &comparison.candidate].map(|it| named(it));
    one_line(&format!("{candidate} against {baseline}"), TITLE)
}

/// A label that all runs of a side have, or their numbers.
fn named(side: &[Side]) -> String {
    let first = side.first().and_then(|run| run.label.as_ref());
    match first {
        Some(label) if side.iter().all(|run| run.label.as_ref() == Some(label)) => label.clone(),
        _ => {
            let numbers: Vec<String> = side.iter().map(|run| run.run_id.to_string()).collect();
            let runs = plural(side.len() as i64, "run");
            format!("{runs} {}", numbers.join(", "))
        }
    }
}

/// What has to be known before all else, the answer, and how it was found.
fn summary(comparison: &Comparison) -> Vec<String> {
    let answer = (comparison.headline()).map(|row| format!("{}: {}", answer(row), row.verdict));
    let caution = comparison.caution.iter().cloned();
    caution
        .chain(comparison.rates().map(self::answer))
        .chain(answer)
        .chain(method(comparison))
        .collect()
}

/// Notes on the method, each a part of a sentence.
pub fn method(comparison: &Comparison) -> impl Iterator<Item = String> {
    let paired = comparison.pair_by;
    let paired = paired.map(|by| format!("paired by {}", by.name()));
    comparison.notes.iter().cloned().chain(paired)
}

/// The answer in a sentence, without the verdict.
fn answer(row: &Row) -> String {
    let change = row.delta.change().map(|change| format!(", {change}"));
    let interval = row.delta.interval();
    let interval = interval.map(|ends| format!(" (95 % interval {ends})"));
    let p = row.p().map(|p| format!(", p {p}"));
    let parts = [change, interval, p].into_iter().flatten();
    format!(
        "{}: {}{}",
        row.metric,
        from_to(row),
        parts.collect::<String>()
    )
}

/// Both sides' means, with one unit where both have the same.
fn from_to(row: &Row) -> String {
    let unit = row.unit.as_deref().unwrap_or_default();
    let value = |value: Option<f64>| value.map_or("-".to_owned(), |value| with_unit(value, unit));
    let (from, to) = (value(row.baseline), value(row.candidate));
    match (from.split_once(' '), to.split_once(' ')) {
        (Some((from, unit)), Some((to, same))) if unit == same => format!("{from} -> {to} {unit}"),
        _ => format!("{from} -> {to}"),
    }
}

fn header(comparison: &Comparison, conditions: &Conditions, title: &str) -> Markup {
    html! {
        p class="kind" { "pgperf comparison" }
        h1 { (title) }
        @if let Some(caution) = &comparison.caution { p class="note" { strong { (caution) } } }
        @if let Some(row) = comparison.headline() {
            p class="answer" { strong class={ "verdict " (row.verdict.name()) } { (row.verdict) } " \u{2013} " (answer(row)) }
        }
        @for note in method(comparison) { p class="note" { (note) } }
        @if let Some(conditions) = conditions.line() { p class="where" { (conditions) } }
        ul class="cards" {
            @for row in comparison.rates() { (of_row(&row.metric, row)) }
            @for (metric, name) in CARDS {
                @if let Some(row) = comparison.rows.iter().find(|row| row.category == "summary" && row.metric == metric) {
                    (of_row(name, row))
                }
            }
        }
    }
}

fn of_row(name: &str, row: &Row) -> Markup {
    let change = row.delta.change();
    let more = html! {
        span class="more" { (from_to(row)) }
        span class={ "more verdict " (row.verdict.name()) } { (row.verdict.name()) }
    };
    card(name, change.as_deref().unwrap_or("\u{2013}"), "", more)
}

/// The main metrics' changes with their intervals, one below the other.
fn at_a_glance(rows: &[Row]) -> Option<Topic> {
    let is_shown = |row: &&Row| match row.category.as_str() {
        "summary" => AT_A_GLANCE.contains(&row.metric.as_str()),
        "workload" => row.object.is_none(),
        _ => false,
    };
    let rows: Vec<&Row> = (rows.iter().filter(is_shown))
        .filter(|row| row.delta.change_percent.is_some())
        .collect();
    let columns = vec![
        name("metric", |row: &&Row| row.metric.clone()),
        drawn(&rows),
        figure("change", |row: &&Row| row.delta.change()),
        figure("95 % interval", |row: &&Row| row.delta.interval()),
        verdict(|row: &&Row| Some(row)),
    ];
    let table = Listing::of(&rows, columns);
    let body = Block::Page(html! { div class="glance" { (table) } });
    (!rows.is_empty()).then(|| Topic::new("changes", "Changes", vec![body]))
}

/// The rows of a category that a report shows, why some cannot be compared, and the others.
fn of_category(comparison: &Comparison, section: &Section) -> Topic {
    let of_all = comparison.headline().and_then(|row| row.verdict.obstacle());
    let rows = section.shown.iter();
    let reasons =
        reasons(rows.filter_map(|row| Some((row.metric.as_str(), row.verdict.obstacle()?))));
    let reasons = (reasons.into_iter())
        .filter(|(reason, _)| Some(*reason) != of_all)
        .map(|(reason, metrics)| Block::Remark(format!("{}: {reason}", metrics.join(", "))));
    let blocks = std::iter::once(Block::Table(table(&section.shown)))
        .chain(reasons)
        .chain(further(section, false));
    let topic = Topic::new(
        section.category,
        heading(section.category),
        blocks.collect(),
    );
    match section.category {
        "summary" => topic,
        _ => topic.folded(),
    }
}

/// The rows that a report leaves to `pgperf.compare`, and to those who unfold them in a page.
fn further(section: &Section, is_named: bool) -> Vec<Block> {
    if section.rest.is_empty() {
        return Vec::new();
    }
    let category = is_named.then(|| heading(section.category) + ": ");
    let more = format!(
        "{}{} more in compare()",
        category.unwrap_or_default(),
        section.rest.len()
    );
    let rows = section.rest.get(..FURTHER).unwrap_or(&section.rest);
    let cut = (rows.len() < section.rest.len()).then(|| {
        Block::Page(html! { p class="note" { "The first " (FURTHER) " of them are here." } })
    });
    std::iter::once(Block::Folded(more, table(rows)))
        .chain(cut)
        .collect()
}

fn table(rows: &[&Row]) -> Listing {
    let columns = vec![
        name("metric", |row: &&Row| row.metric.clone()),
        figure("baseline", |row: &&Row| value(row, row.baseline)),
        figure("candidate", |row: &&Row| value(row, row.candidate)),
        figure("change", |row: &&Row| row.delta.change()),
        drawn(rows),
        figure("95 % interval", |row: &&Row| row.delta.interval()),
        figure("p", |row: &&Row| row.p()),
        verdict(|row: &&Row| Some(row)),
    ];
    Listing::of(rows, columns).grouped(rows.iter().map(|row| row.object.clone()))
}

/// A figure of a table, where the metric's name has its unit.
pub fn value(row: &Row, value: Option<f64>) -> Option<String> {
    let is_size = row.unit.as_deref() == Some("bytes");
    value.map(if is_size { bytes } else { number })
}

/// The column of the verdicts that a test has found.
pub fn verdict<'a, T>(of: fn(&T) -> Option<&Row>) -> Column<'a, T>
where
    T: 'a,
{
    column("verdict", move |row| {
        let found = of(row).filter(|row| is_significant(row));
        Cell::Verdict(found.map_or("", |row| row.verdict.name()).to_owned())
    })
}

/// The changes with their intervals, on a scale that nine of ten ends lie on.
fn drawn<'a>(rows: &[&Row]) -> Column<'a, &'a Row> {
    let deltas = rows.iter().map(|row| &row.delta);
    let ends = deltas.flat_map(|it| [it.change_percent, it.ci_low_percent, it.ci_high_percent]);
    let mut reaches: Vec<f64> = (ends.flatten().map(f64::abs))
        .filter(|it| it.is_finite())
        .collect();
    reaches.sort_by(f64::total_cmp);
    let wanted = reaches.get(reaches.len() * 9 / 10).copied().unwrap_or(0.0);
    let edges = [2.0, 5.0, 10.0, 20.0, 50.0];
    let reach = edges
        .into_iter()
        .find(|edge| *edge >= wanted)
        .unwrap_or(100.0);
    column("", move |row: &&Row| Cell::Change {
        percent: row.delta.change_percent,
        ends: row.delta.ends(),
        reach,
        color: match row.verdict {
            Verdict::Better => 3,
            Verdict::Worse => 2,
            Verdict::Differs => 1,
            _ => 7,
        },
    })
}

/// Settings and circumstances; a long text from the place on where it differs. Facts that one side alone has do not hide the others.
fn what_differs(rows: &[Row]) -> Option<Topic> {
    type Texts = (String, (String, String));
    let (of_one, of_both): (Vec<&Row>, Vec<&Row>) =
        rows.iter().partition(|row| differing::is_of_one_side(row));
    let listing = |rows: &[&Row]| {
        let rows = rows.iter().filter_map(|row| {
            let (before, after) = row.texts()?;
            Some((
                differences::name(row),
                cut_to_difference(before, after, LONG),
            ))
        });
        let rows: Vec<Texts> = rows.collect();
        let columns = vec![
            name("", |(name, _): &Texts| name.clone()),
            code("baseline", |(_, (before, _)): &Texts| before.clone()),
            code("candidate", |(_, (_, after)): &Texts| after.clone()),
        ];
        (!rows.is_empty()).then(|| Listing::of(&rows, columns))
    };
    let remark = format!(
        "{} of one side alone in compare()",
        count(of_one.len() as i64, "fact")
    );
    let blocks = (listing(&of_both).map(Block::Table).into_iter())
        .chain(listing(&of_one).map(|rows| Block::Folded(remark, rows)));
    let blocks: Vec<Block> = blocks.collect();
    (!blocks.is_empty()).then(|| Topic::new("differs", "What else differs", blocks).folded())
}

/// Those of which a page has the whole at its end.
fn long_texts(rows: &[Row]) -> Option<Topic> {
    let is_long = |row: &&Row| {
        let texts = row
            .texts()
            .map(|(before, after)| before.chars().count().max(after.chars().count()));
        texts.is_some_and(|length| length > LONG)
    };
    let rows: Vec<&Row> = rows.iter().filter(is_long).collect();
    let columns = vec![
        code("name", |row: &&Row| differences::name(row)),
        name("baseline", |row: &&Row| {
            row.baseline_text.clone().unwrap_or_default()
        }),
        name("candidate", |row: &&Row| {
            row.candidate_text.clone().unwrap_or_default()
        }),
    ];
    let table = Block::Table(Listing::of(&rows, columns));
    let body = Block::Page(html! { div class="texts" { (table) } });
    (!rows.is_empty()).then(|| Topic::new("long", "Long texts that differ", vec![body]))
}

fn runs(comparison: &Comparison) -> Listing {
    type Row<'a> = (&'static str, &'a Side);
    let baseline = comparison.baseline.iter().map(|run| ("baseline", run));
    let candidate = comparison.candidate.iter().map(|run| ("candidate", run));
    let rows: Vec<Row> = baseline.chain(candidate).collect();
    let count = |count: Option<i64>| count.map(|count| count.to_string());
    let columns = vec![
        name("side", |(side, _): &Row| (*side).to_owned()),
        figure("run", |(_, run): &Row| Some(run.run_id.to_string())),
        name("label", |(_, run): &Row| {
            run.label.clone().unwrap_or_default()
        }),
        name("node", |(_, run): &Row| {
            run.node_name.clone().unwrap_or_default()
        }),
        name("workload", |(_, run): &Row| run.workload.clone()),
        figure("clients", |(_, run): &Row| count(run.clients)),
        figure("scale", |(_, run): &Row| count(run.scale)),
        name("PostgreSQL", |(_, run): &Row| run.server_version.clone()),
        name("status", |(_, run): &Row| run.status.clone()),
    ];
    Listing::of(&rows, columns)
}
