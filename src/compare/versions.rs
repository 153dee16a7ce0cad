//! The table of a version comparison: runs of two versions side by side, in a few lines.

use super::compared_run::Run;
use super::report::{method, title, value, verdict};
use super::row::{Comparison, Row};
use super::sections::{is_significant, reasons};
use super::statements::ALL;
use super::totals::{ALL_INDEXES, ALL_TABLES};
use crate::error::{Result, hinted, invalid};
use crate::show::blocks::{Block, Listing, Report, Topic, code, figure, name};
use crate::show::text::one_line;
use maud::html;
use std::collections::BTreeSet;

/// Whether the table is wanted as a comment, not as text.
///
/// # Errors No style has that name.
pub fn is_comment(style: Option<&str>) -> Result<bool> {
    match style.unwrap_or("text") {
        "text" => Ok(false),
        "markdown" => Ok(true),
        other => Err(invalid(format!(
            "style must be text or markdown, not \"{other}\""
        ))),
    }
}

/// A row's name, and where in a comparison it is found: object and metric.
const ROWS: [(&str, Option<&str>, &str); 8] = [
    ("mean statement time, ms", Some(ALL), "latency_avg_ms"),
    ("growth of the database", None, "database_growth_bytes"),
    ("WAL", None, "wal_bytes"),
    ("hit ratio, %", None, "hit_percent"),
    ("live tuples, %", Some(ALL_TABLES), "tuple_percent"),
    ("autovacuums", None, "autovacuum_count"),
    ("size of tables", Some(ALL_TABLES), "size_bytes"),
    ("size of indexes", Some(ALL_INDEXES), "size_bytes"),
];
/// Characters of a statement.
const STATEMENT: usize = 100;

/// A row's name, with the row.
type Found<'a> = (String, Option<&'a Row>);

/// The rows of a table that the caller names.
const OF_RELATION: [(&str, &str); 4] = [
    ("live tuples, %", "tuple_percent"),
    ("autovacuums", "autovacuum_count"),
    ("size", "size_bytes"),
    ("size of its indexes", "indexes_size_bytes"),
];

/// The report with the table. `relation`: a table that has rows of its own, with or without its schema.
///
/// # Errors
/// Neither side knows it, or it is in several schemas.
pub fn report(comparison: &Comparison, relation: Option<&str>) -> Result<Report> {
    Ok(Report {
        name: String::new(),
        title: title(comparison),
        summary: comparison.caution.iter().cloned().collect(),
        header: html! {},
        topics: topics(comparison, relation)?,
    })
}

/// Its table, and that of the statements.
///
/// # Errors
/// As [`report`].
pub fn topics(comparison: &Comparison, relation: Option<&str>) -> Result<Vec<Topic>> {
    let [baseline, candidate] = heads([&comparison.baseline, &comparison.candidate]);
    let of_all = ROWS.map(|(name, object, metric)| {
        let row = find(comparison, object, metric);
        (name.to_owned(), row)
    });
    let mut found = Vec::from(of_all);
    if let Some(relation) = relation {
        let object = object_of(comparison, relation)?;
        found.extend(OF_RELATION.map(|(name, metric)| {
            let row = find(comparison, Some(object), metric);
            (format!("{relation}: {name}"), row)
        }));
    }
    let columns = vec![
        name("", |(name, _): &Found| name.clone()),
        figure(&baseline, |(_, row): &Found| {
            row.and_then(|row| value(row, row.baseline))
        }),
        figure(&candidate, |(_, row): &Found| {
            row.and_then(|row| value(row, row.candidate))
        }),
        figure("change", |(_, row): &Found| (*row)?.delta.change()),
        figure("p", |(_, row): &Found| (*row)?.p()),
        verdict(|(_, row): &Found| *row),
    ];
    let reasons = found.iter().filter_map(|(name, row)| match row {
        Some(row) => Some((name.as_str(), row.verdict.obstacle()?)),
        None => Some((name.as_str(), "neither side has stored it")),
    });
    let reasons = self::reasons(reasons).into_iter();
    let notes = reasons.map(|(reason, names)| format!("{}: {reason}", names.join("; ")));
    let notes = notes.chain(method(comparison)).map(Block::Remark);
    let mut blocks = vec![Block::Table(Listing::of(&found, columns))];
    blocks.extend(notes);
    let mut topics = vec![Topic::new("figures", "Figures", blocks)];
    topics.extend(statements(comparison, [&baseline, &candidate]));
    Ok(topics)
}

/// The name under which a comparison has a relation.
fn object_of<'a>(comparison: &'a Comparison, relation: &str) -> Result<&'a str> {
    let of_sizes = comparison
        .rows
        .iter()
        .filter(|row| row.metric == "size_bytes");
    let objects = of_sizes.filter_map(|row| row.object.as_deref());
    let is_it = |object: &&str| {
        *object == relation || (object.split_once('.')).is_some_and(|(_, name)| name == relation)
    };
    let found: BTreeSet<&str> = objects.filter(is_it).collect();
    match Vec::from_iter(found).as_slice() {
        [one] => Ok(one),
        [] => Err(hinted(
            format!("no run has stored the size of a table \"{relation}\""),
            "pgperf.run_relations has the relations of a run: those whose statistics changed in it.",
        )),
        several => Err(
            invalid(format!("table \"{relation}\" is in several schemas"))
                .hinting(format!("Name one of: {}.", several.join(", "))),
        ),
    }
}

/// What tells the two sides apart: the versions of their servers or, where these are the same, the names of these, their labels, their
/// nodes, the numbers of their runs.
fn heads(sides: [&[Run]; 2]) -> [String; 2] {
    const WIDEST: usize = 12;
    let by = |name: fn(&Run) -> Option<String>| {
        let [baseline, candidate] = sides.map(|runs| {
            let names: Option<BTreeSet<String>> = runs.iter().map(name).collect();
            names.map(|names| names.into_iter().collect::<Vec<_>>().join(", "))
        });
        Some([one_line(&baseline?, WIDEST), one_line(&candidate?, WIDEST)])
    };
    // As packagers write it: "15.20 (Debian 15.20-1)".
    let version = |run: &Run| {
        run.server_version
            .split_whitespace()
            .next()
            .map(str::to_owned)
    };
    let number = |run: &Run| Some(format!("run {}", run.run_id));
    [
        by(version),
        by(|run| run.spec.targets.text()),
        by(|run| run.label.clone()),
        by(|run| run.node_name.clone()),
        by(number),
    ]
    .into_iter()
    .flatten()
    .find(|[baseline, candidate]| baseline != candidate)
    .unwrap_or_else(|| ["baseline", "candidate"].map(str::to_owned))
}

/// Figures of the run as a whole may be known from its summary and, more exactly, as metrics: the first one found.
fn find<'a>(comparison: &'a Comparison, object: Option<&str>, metric: &str) -> Option<&'a Row> {
    comparison.rows.iter().find(|row| {
        row.baseline_text.is_none() && row.object.as_deref() == object && row.metric == metric
    })
}

/// The mean latency on both sides of each statement that these have in common, its change, and that of its standard deviation. Of
/// others there is nothing to say but that they are there, which a note does.
fn statements(comparison: &Comparison, [baseline, candidate]: [&str; 2]) -> Option<Topic> {
    type Statement<'a> = (&'a Row, Option<&'a Row>);
    let of_metric = |metric: &'static str| {
        let rows = comparison.rows.iter();
        rows.filter(move |row| row.category == "statements" && row.metric == metric)
    };
    let statements: Vec<Statement> = of_metric("latency_avg_ms")
        .filter(|row| row.object.as_deref() != Some(ALL))
        .filter(|row| row.verdict.obstacle().is_none())
        .map(|row| {
            let stddev = of_metric("latency_stddev_ms").find(|other| other.object == row.object);
            (row, stddev)
        })
        .collect();
    let columns = vec![
        code("statement", |(row, _): &Statement| {
            one_line(row.object.as_deref().unwrap_or_default(), STATEMENT)
        }),
        figure(baseline, |(row, _): &Statement| value(row, row.baseline)),
        figure(candidate, |(row, _): &Statement| value(row, row.candidate)),
        figure("change", |(row, _): &Statement| row.delta.change()),
        figure("stddev", |(_, stddev): &Statement| {
            let stddev = (*stddev)?;
            let mark = if is_significant(stddev) { "*" } else { "" };
            Some(stddev.delta.change()? + mark)
        }),
        verdict(|(row, _): &Statement| Some(row)),
    ];
    let blocks = vec![
        Block::Table(Listing::of(&statements, columns)),
        Block::Remark(
            "stddev: the change of the standard deviation; * it is significant".to_owned(),
        ),
    ];
    let title = "Mean latency of statements, ms";
    (!statements.is_empty()).then(|| Topic::new("statements", title, blocks))
}
