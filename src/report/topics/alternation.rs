//! The two sides of a run that alternated.

use crate::report::alternation::settings;
use crate::report::model::alternation::{Alternation, Difference};
use crate::show::blocks::{Block, Listing, Topic, figure, name};
use crate::show::charts::{Point, Series, Shape, TimeChart};
use crate::show::delta::Delta;
use crate::show::number::{Unit, bytes, duration, integer, number};
use maud::html;
use measure::turns::Side;

/// The sides, and each metric on both.
pub fn topic(alternation: &Alternation) -> Topic {
    let mut columns = vec![
        name("", |row: &Difference| row.metric.to_owned()),
        figure("A", |row: &Difference| row.a.map(|a| value(row, a))),
        figure("B", |row: &Difference| row.b.map(|b| value(row, b))),
    ];
    columns.extend(Delta::columns(|row: &Difference| &row.delta));
    columns.push(name("B beside A", |row: &Difference| {
        row.verdict.to_owned()
    }));
    let turns = &alternation.turns;
    let note = format!(
        "The sides took turns of {}, in blocks of four: A B B A or B A A B. The change is that within blocks, over {} of them, so a drift \
         of the machine is not in it. {} at the beginning of each turn belong to neither side. The p of all but the first row is \
         corrected for their number.",
        duration(turns.every_s),
        integer(alternation.blocks as i64),
        duration(turns.settle_s)
    );
    let side =
        |side: Side| Block::Remark(format!("{}: {}", side.name(), settings(alternation, side)));
    let blocks = vec![
        side(Side::A),
        side(Side::B),
        Block::Table(Listing::of(&alternation.differences, columns)),
        Block::Page(html! { (chart(alternation).render()) }),
        Block::Remark(note),
    ];
    Topic::new("alternation", "Sides in turns", blocks)
}

fn value(row: &Difference, value: f64) -> String {
    match row.unit {
        "bytes" => bytes(value),
        "ms" => Unit::Milliseconds.write(value),
        _ => number(value),
    }
}

/// The rates of both sides, block by block.
fn chart(alternation: &Alternation) -> TimeChart {
    let over_time = || alternation.over_time.iter();
    let points = over_time().map(|point| Point::moment(point.at_s));
    let series = |side: Side, color| {
        let rates = over_time().map(|point| match side {
            Side::A => Some(point.tps_a),
            Side::B => Some(point.tps_b),
        });
        Series::new(side.name(), color, Shape::Line, rates)
    };
    TimeChart::new(
        "Transactions of both sides",
        Unit::Count("per second"),
        points.collect(),
        vec![series(Side::A, 1), series(Side::B, 2)],
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::request::alternate::Alternation as Turns;
    use crate::show::text::WIDTH;
    use std::collections::BTreeMap;

    #[test]
    fn there_is_a_line_for_each_metric() {
        let difference = Difference {
            metric: "wal_bytes_per_tx",
            unit: "bytes",
            direction: Some("lower"),
            a: Some(123_456.7),
            b: Some(99_999.94),
            delta: Delta {
                change_percent: Some(-19.0),
                ci_low_percent: Some(-123.4),
                ci_high_percent: Some(100.04),
                p_value: Some(0.0123),
                p_adjusted: Some(0.0123),
            },
            blocks: 12,
            verdict: "better",
        };
        let unknown = Difference {
            a: None,
            b: None,
            delta: Delta::default(),
            verdict: "too few blocks",
            ..difference.clone()
        };
        let alternation = Alternation {
            turns: Turns {
                of_server: Default::default(),
                scripts: None,
                settings: BTreeMap::from([(
                    "wal_compression".to_owned(),
                    ["off".to_owned(), "lz4".to_owned()],
                )]),
                every_s: 5.0,
                settle_s: 0.5,
            },
            blocks: 12,
            differences: vec![difference, unknown],
            over_time: Vec::new(),
        };
        let lines = topic(&alternation).lines();
        assert!(
            lines.iter().all(|line| line.chars().count() <= WIDTH),
            "{lines:#?}"
        );
        let text = lines.join("\n");
        for part in [
            "A: wal_compression = off",
            "B: wal_compression = lz4",
            "-19.0 %",
            "-123 to +100",
            "0.012",
            "better",
            "too few blocks",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}
