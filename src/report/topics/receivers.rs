//! The catch-up of standbys and subscribers.

use crate::report::model::receivers::{Lag, Receiver};
use crate::show::blocks::{Block, Listing, Topic, figure, name, plain, size, time};
use crate::show::charts::{Point, Series, Shape, TimeChart};
use crate::show::number::{Unit, duration};
use maud::{Markup, html};

/// So many receivers have a colour of their own.
const COLORS: usize = 8;

const NOTE: &str = "Sustainable tps: transactions / (seconds of the run + seconds until the receiver had caught up). The lag at the end \
    is that when the last client had ended, by position in the WAL; replay_lag is the server's own figure, of WAL that was replayed before: \
    it can be small while the lag by position is large.";

/// As reports name it.
pub fn label(receiver: &Receiver) -> String {
    match receiver.kind.as_str() {
        "sql" => receiver.name.clone(),
        kind => format!("{kind} {}", receiver.name),
    }
}

/// None: the run waited for nobody.
pub fn topic(receivers: &[Receiver]) -> Option<Topic> {
    let replay_lag = |receiver: &Receiver| {
        let lag = receiver.end_server_lag_ms;
        lag.map(|ms| Unit::Milliseconds.write(ms))
    };
    let columns = vec![
        name("receiver", label),
        name("until", |receiver: &Receiver| receiver.until.clone()),
        name("status", |receiver: &Receiver| receiver.status.clone()),
        time("caught up after", |it: &Receiver| it.catch_up_s),
        plain("sustainable tps", |it: &Receiver| it.sustainable_tps),
        size("lag at the end", |it: &Receiver| it.end_lag_bytes),
        time("in time", |it: &Receiver| it.end_lag_s),
        figure("replay_lag", replay_lag),
        size("most lag", |it: &Receiver| it.max_lag_bytes),
    ];
    let short = receivers.iter().filter_map(too_short).map(Block::Remark);
    let charts = Block::Page(charts(receivers));
    let rest = short.chain([charts, Block::Remark(NOTE.to_owned())]);
    let table = Listing::of(receivers, columns);
    Topic::of_rows("receivers", "Replication", table, rest)
}

/// What is not known of a receiver whose run was too short.
fn too_short(receiver: &Receiver) -> Option<String> {
    let percent = receiver.confirmation_percent?;
    let (catch_up, run) = (duration(receiver.catch_up_s?), duration(receiver.run_s?));
    Some(format!(
        "{}: it caught up after {catch_up}, {percent:.0} % of the run's {run}. The run is too short to tell whether that is the delay of \
         its confirmation or a lag: in a longer one a delay costs less.",
        label(receiver)
    ))
}

fn charts(receivers: &[Receiver]) -> Markup {
    let size = |lag: &Lag| lag.lag_bytes.map(|bytes| bytes as f64);
    let in_bytes = chart(receivers, "Lag by position", Unit::Bytes, size);
    let seconds = Unit::Count("seconds");
    let in_seconds = chart(receivers, "Lag in time", seconds, |lag| lag.lag_s);
    html! {
        div class="pair" { (in_bytes.render()) (in_seconds.render()) }
        @if let Some(end) = receivers.iter().find_map(|receiver| receiver.run_s) {
            p class="note" { "The clients ended after " (duration(end)) "; what follows in the charts is the drain." }
        }
    }
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
    let points = moments.iter().map(|lag| Point::moment(lag.at_s));
    let series = receivers.iter().enumerate().map(|(number, receiver)| {
        let lags = (0..moments.len()).map(|at| receiver.lag.get(at).and_then(&value));
        let color = (number % COLORS) as u8 + 1;
        Series::new(label(receiver), color, Shape::Line, lags)
    });
    TimeChart::new(title, unit, points.collect(), series.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_receiver_is_a_line() {
        assert!(topic(&[]).is_none());
        let receiver = json!({"receiver_no": 0, "kind": "standby", "name": "s1", "until": "replay", "status": "caught up",
            "catch_up_s": 2.5, "sustainable_tps": 100.04, "end_lag_bytes": 55_000_000, "end_lag_s": 2.75,
            "end_server_lag_ms": 22.4, "max_lag_bytes": 60_000_000, "run_s": 5.0, "confirmation_percent": 50.0});
        let topic = topic(&[serde_json::from_value(receiver).unwrap()]).unwrap();
        let text = topic.lines().join(" ");
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for part in [
            "standby s1",
            "until replay",
            "caught up after 2.5 s",
            "52.5 MB",
            "22.4 ms",
            "57.2 MB",
            "standby s1: it caught up after 2.5 s, 50 % of the run's 5 s.",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}
