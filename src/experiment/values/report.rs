//! A sweep by values in reports: of each figure a chart, a table and the best value; of the buffers their usage counts.

use super::axis::WORKLOAD;
use super::buffers::Held;
use super::charts;
use super::statements::{Beyond, Statement};
use super::{Axis, BESIDE, Figure, Group, MARGIN, Spread};
use crate::experiment::metrics::{Metric, half_percent};
use crate::experiment::report::facts::{Facts, Point};
use crate::experiment::report::points::{self, By};
use crate::experiment::report::{heading, judged};
use crate::show::blocks::{Block, Column, Listing, Topic, code, figure, name, plain};
use crate::show::delta::Delta;
use crate::show::number::{Unit, bytes, decimals, number};
use crate::show::page::card::card;
use crate::show::text::{count, listed};
use maud::{Markup, html};

/// Those of all groups, each followed by its points.
pub fn topics(facts: &Facts) -> Vec<Topic> {
    let groups = facts.values.iter().zip(0..);
    groups
        .flat_map(|(group, place)| of_group(facts, group, place))
        .collect()
}

/// The best value of each group, as cards of a page.
pub fn cards(facts: &Facts) -> Markup {
    let best = |group: &Group| {
        let headline = group.figures.first()?;
        let mut values = headline.values.iter();
        let best = values.find(|spread| spread.verdict == Some("best"))?;
        let value = group.name_of(best.point_no);
        Some((label(headline), written(headline, best.mean?), value))
    };
    html! {
        @for (figure, mean, value) in facts.values.iter().filter_map(best) {
            (card("Best", &mean, figure, html! { span class="more" { "with " (value) } }))
        }
    }
}

fn of_group(facts: &Facts, group: &Group, place: usize) -> Vec<Topic> {
    let axes: Vec<&str> = group.axes.iter().map(|axis| axis.name.as_str()).collect();
    let by = format!("{} at {}", listed(&axes), count(group.clients, "client"));
    let mut blocks: Vec<Block> = (group.figures.iter())
        .flat_map(|figure| of_figure(group, figure))
        .collect();
    blocks.extend(compared_with(group).map(Block::Remark));
    blocks.extend(of_statements(facts, group));
    let title = match axes.as_slice() {
        [WORKLOAD] => by,
        _ => heading(&group.workload, &by),
    };
    // Of one group it is clear.
    let part = |name: &str| match facts.values.len() {
        1 => name.to_owned(),
        _ => format!("{name}: {title}"),
    };
    let [buffers, runs] = [part("Buffers by usage count"), part("Runs")];
    let mut topics = vec![Topic::new(format!("values-{place}"), title, blocks)];
    // Nobody sees the buffers of a target.
    if !facts.is_on_targets() {
        topics.push(Topic::new(
            format!("buffers-{place}"),
            buffers,
            of_buffers(group),
        ));
    }
    topics.push(Topic::new(
        format!("points-{place}"),
        runs,
        of_points(facts, group),
    ));
    topics
}

/// Its name in charts.
pub fn title(figure: &Figure) -> String {
    match figure.metric {
        "tps" => "Throughput".to_owned(),
        "latency_p95_ms" => "Latency, p95 of the runs".to_owned(),
        "hit_percent" => "Hit ratio of shared_buffers".to_owned(),
        other => other.to_owned(),
    }
}

/// Its name in a table.
fn label(figure: &Figure) -> &'static str {
    match figure.metric {
        "latency_p95_ms" => "p95 ms",
        "hit_percent" => "hit ratio",
        other => other,
    }
}

/// A value of it in a table.
pub fn written(figure: &Figure, value: f64) -> String {
    match figure.unit {
        "%" => format!("{} %", decimals(Some(value), 2)),
        "bytes" => bytes(value),
        _ => number(value),
    }
}

/// Half of the interval in percent of the mean.
fn half(spread: &Spread) -> Option<String> {
    points::half(half_percent(spread.mean, spread.ci_high))
}

/// What stands behind a mean.
pub fn after_mean(spread: &Spread) -> String {
    points::plus_minus(half(spread))
}

fn of_figure(group: &Group, it: &Figure) -> Vec<Block> {
    let means = it.values.iter().map(|spread| spread.mean.unwrap_or(0.0));
    let highest = means.clone().fold(f64::MIN_POSITIVE, f64::max);
    let bars: Vec<f64> = means.map(|mean| mean / highest).collect();
    let mean = |spread: &Spread| spread.mean.map(|mean| written(it, mean));
    let mut columns = vec![
        group.column(|spread: &Spread| spread.point_no),
        figure(label(it), mean),
        figure("±95%", half),
    ];
    columns.extend(Delta::columns(|spread: &Spread| &spread.change));
    let listing = Listing::of(&it.values, columns);
    let mut blocks = vec![
        Block::Page(charts::of_figure(group, it)),
        Block::Table(listing.with_bars(bars)),
    ];
    blocks.extend(about_best(group, it).into_iter().map(Block::Remark));
    blocks
}

/// The best value, and which others are as good.
fn about_best(group: &Group, it: &Figure) -> Vec<String> {
    let of_verdict = |wanted: Option<&str>| -> Vec<String> {
        let found = it.values.iter().filter(|spread| spread.verdict == wanted);
        found.map(|spread| group.name_of(spread.point_no)).collect()
    };
    let mut values = it.values.iter();
    let best = values.find(|spread| spread.verdict == Some("best"));
    let Some((mean, best)) = best.and_then(|best| Some((best.mean?, best))) else {
        return Vec::new();
    };
    let value = group.name_of(best.point_no);
    let is_known = best.of_runs.len() > 1;
    judged(
        format!("best {}: {} with {value}", label(it), written(it, mean)),
        "value",
        is_known.then(|| of_verdict(Some("as good"))),
        &of_verdict(Some("undecided")),
        &of_verdict(None),
        it.values.len(),
        100.0 * MARGIN,
    )
}

/// What the changes are from.
fn compared_with(group: &Group) -> Option<String> {
    let baseline = group.points.get(group.baseline?)?;
    let axes = group.axes.iter().filter_map(|axis| axis.compared_with());
    let why = match axes.filter(|value| value.is_current).count() {
        0 => "the first value",
        current if current == group.axes.len() => "the value before the sweep",
        _ => "the values before the sweep, or the first ones",
    };
    Some(format!(
        "change: from {}, {why}; p is corrected for the number of values",
        baseline.name()
    ))
}

fn of_buffers(group: &Group) -> Vec<Block> {
    if group.buffers.is_empty() {
        let why = "No run has a sample of collector buffers, which runs take at their start and end unless collectors says otherwise.";
        return vec![Block::Remark(why.to_owned())];
    }
    let held: Vec<&Held> = group.held().collect();
    let percent = |part: f64, held: &Held| decimals(Some(100.0 * part / held.bytes.max(1.0)), 1);
    let mut columns = vec![
        group.column(|held: &Held| held.point_no),
        figure("size", |held: &Held| Some(Unit::Bytes.write(held.bytes))),
        figure("unused", |held: &Held| {
            Some(percent(held.unused_bytes, held))
        }),
    ];
    columns.extend((0..super::buffers::COUNTS).map(|count| {
        figure(&count.to_string(), move |held: &Held| {
            Some(percent(*held.by_usage_count.get(count)?, held))
        })
    }));
    let mut blocks = vec![
        Block::Page(charts::of_buffers(group)),
        Block::Table(Listing::of(held.iter().copied(), columns)),
        Block::Remark(
            "percent of shared_buffers by usage count, at the end of the last run of each value"
                .to_owned(),
        ),
    ];
    let names: Vec<&str> = (held.first().into_iter().flat_map(|held| &held.relations))
        .map(|it| it.relation.as_str())
        .collect();
    if !names.is_empty() {
        blocks.push(Block::Table(of_relations(group, &held, &names)));
        let how =
            "percent of shared_buffers with pages of the relation, and their mean usage count";
        blocks.push(Block::Remark(how.to_owned()));
    }
    blocks
}

/// A row for each relation, a column for each value.
fn of_relations(group: &Group, held: &[&Held], names: &[&str]) -> Listing {
    type Named<'a> = (usize, &'a str);
    let names: Vec<Named> = names.iter().copied().enumerate().collect();
    let mut columns = vec![name("relation", |(_, name): &Named| (*name).to_owned())];
    columns.extend(held.iter().map(|held| {
        figure(&group.name_of(held.point_no), move |(place, _): &Named| {
            let relation = held.relations.get(*place)?;
            let mean = relation.mean_count()?;
            let percent = 100.0 * relation.bytes() / held.bytes.max(1.0);
            Some(format!("{percent:.1} ({mean:.1})"))
        })
    }));
    Listing::of(&names, columns)
}

/// What the points have besides.
fn of_points(facts: &Facts, group: &Group) -> Vec<Block> {
    let of_group = group.points.iter();
    let points = of_group.filter_map(|place| {
        let mut all = facts.points.iter();
        all.find(|point| point.point_no == place.point_no)
    });
    let points: Vec<&Point> = points.collect();
    let by = By::Values(group);
    // The figures have tables of their own.
    let is_shown = |metric: &&Metric| group.figures.iter().any(|it| it.metric == metric.metric);
    let others = facts.metrics.iter().filter(|metric| !is_shown(metric));
    let others: Vec<Metric> = others.cloned().collect();
    let table = points::table(&points, &others, &by);
    points::blocks(facts, &points, &by, table, [])
}

/// Of each number of clients, where curves over them have no place for it.
pub fn statements(facts: &Facts) -> Vec<Topic> {
    let shown = facts
        .values
        .iter()
        .filter(|group| group.axes.iter().any(is_way) && !group.statements.is_empty());
    let topic = |(group, place): (&Group, usize)| {
        let by = format!("statements at {}", count(group.clients, "client"));
        let title = heading(&group.workload, &by);
        Topic::new(
            format!("statements-{place}"),
            title,
            of_statements(facts, group),
        )
    };
    shown.zip(0..).map(topic).collect()
}

/// The table of a group: open where the way to the server varies, which is what it is for; else for pages, folded.
fn of_statements(facts: &Facts, group: &Group) -> Vec<Block> {
    if group.statements.is_empty() {
        return Vec::new();
    }
    let way = group.axes.iter().any(is_way);
    let listing = times(group, way);
    match way {
        false => {
            let id = facts.sweep.sweep_id;
            let title = format!("times of statements: pgperf.sweep_statements({id})");
            vec![Block::Folded(title, listing)]
        }
        true => vec![Block::Table(listing), Block::Remark(SHARE.to_owned())],
    }
}

const SHARE: &str = "share: what a mean has beyond that of the first line of its statement, in percent of itself, with its 95 % interval: the share of \
     client, protocol and network";

/// Whether it is one of the way to the server.
fn is_way(axis: &Axis) -> bool {
    ["transport", "round_trip"].contains(&axis.name.as_str())
}

/// A statement at a value.
struct Line<'a> {
    statement: &'a Statement,
    spread: &'a Spread,
}

fn times(group: &Group, way: bool) -> Listing {
    let lines = group.statements.iter().flat_map(|statement| {
        let values = statement.values.iter();
        values.map(move |spread| Line { statement, spread })
    });
    let axes: Vec<&str> = group.axes.iter().map(|axis| axis.name.as_str()).collect();
    let value = |line: &Line| Some(group.name_of(line.spread.point_no));
    let mut columns: Vec<Column<Line>> = vec![
        code("statement", |line: &Line| line.statement.of.name()),
        figure(&axes.join(BESIDE), value),
        plain("mean ms", |line: &Line| line.spread.mean),
    ];
    if !way {
        columns.extend(Delta::columns(|line: &Line| &line.spread.change));
    } else {
        columns.push(figure("more ms", |line: &Line| {
            let more = line.statement.beyond_ms(group, line.spread)?;
            Some(decimals(Some(more), 3))
        }));
        columns.push(figure("share", |line: &Line| {
            Beyond::of(&line.spread.change).map(|it| it.written())
        }));
    }
    Listing::of(lines.collect::<Vec<_>>().iter(), columns)
}
