//! The two sides of an alternating run, on its page.

use crate::report::alternation::settings;
use crate::report::model::alternation::{Alternation, Difference};
use crate::show::charts::{Point, Series, Shape, TimeChart};
use crate::show::delta::{interval, percent, probability};
use crate::show::number::{Unit, bytes, duration, integer, number};
use crate::show::page::Chapter;
use crate::show::page::table::{Cell, table};
use maud::html;
use measure::turns::Side;

/// None: the run had no turns.
pub fn section(alternation: Option<&Alternation>) -> Option<Chapter> {
    let alternation = alternation?;
    let turns = &alternation.turns;
    let rows: Vec<Vec<Cell>> = alternation.differences.iter().map(row).collect();
    let heads = ["", "A", "B", "change", "95 % interval", "p", "B beside A"];
    let content = html! {
        ul {
            @for side in [Side::A, Side::B] {
                li { (side.name()) ": " code { (settings(alternation, side)) } }
            }
        }
        (table(&heads, &rows))
        (chart(alternation).render())
        p class="note" {
            "The sides took turns of " (duration(turns.every_s)) ", in blocks of four: A B B A or B A A B. The change is that within blocks, \
             over " (integer(alternation.blocks as i64)) " of them, so a drift of the machine is not in it. "
            (duration(turns.settle_s)) " at the beginning of each turn belong to neither side. The p of all but the first row is corrected \
             for their number."
        }
    };
    Some(Chapter::new("alternation", "Sides in turns", content))
}

fn row(difference: &Difference) -> Vec<Cell> {
    let figure = |value: Option<f64>| {
        Cell::number(value.map(|value| match difference.unit {
            "bytes" => bytes(value),
            "ms" => Unit::Milliseconds.write(value),
            _ => number(value),
        }))
    };
    let ends = (difference.ci_low_percent).zip(difference.ci_high_percent);
    vec![
        Cell::text(difference.metric),
        figure(difference.a),
        figure(difference.b),
        Cell::number(difference.change_percent.map(percent)),
        Cell::number(ends.map(|(low, high)| format!("{} %", interval(low, high)))),
        Cell::number(difference.p_adjusted.map(probability)),
        Cell::text(difference.verdict),
    ]
}

/// The rates of both sides, block by block.
fn chart(alternation: &Alternation) -> TimeChart {
    let points = alternation.over_time.iter().map(|point| Point {
        at_s: point.at_s,
        seconds: 0.0,
    });
    let series = |side: Side, color| Series {
        name: side.name().to_owned(),
        color,
        shape: Shape::Line,
        values: (alternation.over_time.iter())
            .map(|point| match side {
                Side::A => Some(point.tps_a),
                Side::B => Some(point.tps_b),
            })
            .collect(),
    };
    TimeChart::new(
        "Transactions of both sides",
        Unit::Count("per second"),
        points.collect(),
        vec![series(Side::A, 1), series(Side::B, 2)],
    )
}
