//! The catch-up of standbys and subscribers, on a run's page.

use crate::report::model::receivers::{Lag, Receiver};
use crate::report::receivers::label;
use crate::show::charts::{Point, Series, Shape, TimeChart};
use crate::show::number::{Unit, bytes, duration, number};
use crate::show::page::Chapter;
use crate::show::page::table::{Cell, table};
use maud::html;

/// So many receivers have a colour of their own.
const COLORS: usize = 8;

/// None: the run waited for nobody.
pub fn section(receivers: &[Receiver]) -> Option<Chapter> {
    if receivers.is_empty() {
        return None;
    }
    let seconds = |value: Option<f64>| Cell::number(value.map(duration));
    let size = |value: Option<i64>| Cell::number(value.map(|value| bytes(value as f64)));
    let row = |receiver: &Receiver| {
        vec![
            Cell::text(label(receiver)),
            Cell::text(&receiver.until),
            Cell::text(&receiver.status),
            seconds(receiver.catch_up_s),
            Cell::number(receiver.sustainable_tps.map(number)),
            size(receiver.end_lag_bytes),
            seconds(receiver.end_lag_s),
            seconds(receiver.end_server_lag_ms.map(|ms| ms / 1e3)),
            size(receiver.max_lag_bytes),
        ]
    };
    let rows: Vec<Vec<Cell>> = receivers.iter().map(row).collect();
    let heads = [
        "receiver",
        "until",
        "status",
        "caught up after",
        "sustainable tps",
        "lag at the end",
        "in time",
        "replay_lag",
        "most lag",
    ];
    let in_bytes = chart(receivers, "Lag by position", Unit::Bytes, |lag| {
        lag.lag_bytes.map(|bytes| bytes as f64)
    });
    let in_seconds = chart(receivers, "Lag in time", Unit::Count("seconds"), |lag| {
        lag.lag_s
    });
    let content = html! {
        (table(&heads, &rows))
        div class="pair" { (in_bytes.render()) (in_seconds.render()) }
        p class="note" {
            "Sustainable tps: transactions / (seconds of the run + seconds until the receiver had caught up). The lag at the end is that \
             when the last client had ended, by position in the WAL; replay_lag is the server's own figure, of WAL that was replayed before: \
             it can be small while the lag by position is large."
            @if let Some(end) = receivers.iter().find_map(|receiver| receiver.run_s) {
                " The clients ended after " (duration(end)) "; what follows in the charts is the drain."
            }
        }
    };
    Some(Chapter::new("receivers", "Replication", content))
}

/// The receivers are looked at together, so they have their moments in common; of a long run the stretches.
fn chart(
    receivers: &[Receiver],
    title: &str,
    unit: Unit,
    value: impl Fn(&Lag) -> Option<f64>,
) -> TimeChart {
    let longest = receivers.iter().max_by_key(|receiver| receiver.lag.len());
    let moments = longest.map_or(&[][..], |receiver| receiver.lag.as_slice());
    let points = moments.iter().map(|lag| Point {
        at_s: lag.at_s,
        seconds: 0.0,
    });
    let series = receivers
        .iter()
        .enumerate()
        .map(|(number, receiver)| Series {
            name: label(receiver),
            color: (number % COLORS) as u8 + 1,
            shape: Shape::Line,
            values: (0..moments.len())
                .map(|at| receiver.lag.get(at).and_then(&value))
                .collect(),
        });
    TimeChart::new(title, unit, points.collect(), series.collect())
}
