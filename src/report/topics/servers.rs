//! The servers of a run on several, side by side.

use crate::report::model::servers::{Server, ServerInterval};
use crate::run::request::nodes::Node;
use crate::show::blocks::{Block, Listing, Topic, count, figure, name, plain};
use crate::show::charts::{Point, Series, Shape, TimeChart};
use crate::show::number::{Unit, duration, percent};
use crate::show::text;
use maud::{Markup, html};

/// So many servers have a colour of their own.
const COLORS: usize = 8;

/// Those of a run, which are nodes if it has its parts there. None: the run had but one.
pub fn topic(servers: &[Server], nodes: &[Node]) -> Option<Topic> {
    let (id, title, head) = match nodes.is_empty() {
        true => ("servers", "Servers", "server"),
        false => ("nodes", "Nodes", "node"),
    };
    let all: i64 = servers.iter().map(|it| it.transactions).sum();
    let share = |count: i64| format!("{:.1}", percent(count, all));
    let columns = vec![
        name(head, |server: &Server| server.server.clone()),
        count("weight", |server: &Server| Some(server.weight)).of_pages(),
        count("clients", |server: &Server| Some(server.clients)),
        count("transactions", |it: &Server| Some(it.transactions)).of_pages(),
        plain("tps", |server: &Server| Some(server.tps)),
        figure("share %", |server: &Server| {
            Some(share(server.transactions))
        }),
        count("failed", |server: &Server| server.failed),
        count("retried", |server: &Server| server.retried).of_pages(),
        plain("mean ms", |server: &Server| server.latency_avg_ms),
        plain("std. dev. ms", |server: &Server| server.latency_stddev_ms).of_pages(),
        plain("p50 ms", |server: &Server| server.latency_p50_ms).of_pages(),
        plain("p95 ms", |server: &Server| server.latency_p95_ms),
        plain("p99 ms", |server: &Server| server.latency_p99_ms),
        plain("max ms", |server: &Server| server.latency_max_ms).of_pages(),
    ];
    let lost = servers.iter().filter_map(lost);
    let elsewhere = match nodes.is_empty() {
        true => servers.first().map(of_first),
        false => of_parts(nodes),
    };
    let clocks = clocks(nodes);
    let remarks = lost.chain(versions(servers)).chain(elsewhere).chain(clocks);
    let rest = [Block::Page(charts(servers, head))].into_iter();
    let rest = rest.chain(remarks.map(Block::Remark));
    Topic::of_rows(id, title, Listing::of(servers, columns), rest)
}

/// Where the rest is to be found.
fn of_first(first: &Server) -> String {
    format!(
        "Settings, environment, plans, figures of the whole server and relations are those of {}.",
        first.server
    )
}

/// The same of nodes: the runs that are their parts. None: none of them is here.
fn of_parts(nodes: &[Node]) -> Option<String> {
    let part = |node: &Node| Some(format!("{}: run {}", node.node, node.run_id?));
    let parts: Vec<String> = nodes.iter().filter_map(part).collect();
    (!parts.is_empty()).then(|| {
        format!(
            "Settings, environment, samples and relations are those of the nodes' own runs: {}.",
            parts.join(", ")
        )
    })
}

/// Clocks that differ by more than can be measured. The parts began at the same moment all the same.
fn clocks(nodes: &[Node]) -> Option<String> {
    let apart = |node: &&Node| node.clock_ahead_ms.abs() > node.round_trip_ms.max(1.0);
    let apart: Vec<String> = nodes
        .iter()
        .filter(apart)
        .map(|node| match node.clock_ahead_ms < 0.0 {
            true => format!(
                "{} {} behind",
                node.node,
                duration(-node.clock_ahead_ms / 1e3)
            ),
            false => format!(
                "{} {} ahead",
                node.node,
                duration(node.clock_ahead_ms / 1e3)
            ),
        })
        .collect();
    (!apart.is_empty()).then(|| format!("Clocks, beside the one here: {}.", apart.join(", ")))
}

/// None: nothing is known of one.
fn versions(servers: &[Server]) -> Option<String> {
    let version = |server: &Server| {
        // As packagers write it: "15.20 (Debian 15.20-1)".
        let number = server
            .server_version
            .as_deref()?
            .split_whitespace()
            .next()?;
        let standby = match server.in_recovery {
            Some(true) => ", a standby",
            _ => "",
        };
        Some(format!("PostgreSQL {number}{standby}"))
    };
    let versions: Vec<String> = servers.iter().map(version).collect::<Option<_>>()?;
    let first = versions.first()?;
    if versions.iter().all(|version| version == first) {
        return Some(format!("All of them: {first}."));
    }
    let each = servers.iter().zip(&versions);
    let each = each.map(|(server, version)| format!("{}: {version}", server.server));
    Some(format!("{}.", each.collect::<Vec<_>>().join("; ")))
}

/// What has become of clients that did not get to the end.
fn lost(server: &Server) -> Option<String> {
    let Server {
        clients,
        aborted,
        seconds,
        ..
    } = server;
    let name = &server.server;
    match (*aborted)? {
        0 => None,
        all if all == *clients => Some(format!(
            "{name}: errors ended all of its {}, the last after {}. Its rate is that over the whole run.",
            text::count(all, "client"),
            duration(*seconds)
        )),
        some => Some(format!(
            "{name}: an error ended {some} of its {}.",
            text::count(*clients, "client")
        )),
    }
}

fn charts(servers: &[Server], head: &str) -> Markup {
    let rates = chart(
        servers,
        &format!("Transactions of each {head}"),
        Unit::Count("per second"),
        |it| Some(it.tps),
    );
    let means = chart(
        servers,
        &format!("Mean latency on each {head}"),
        Unit::Milliseconds,
        |it| it.latency_avg_ms,
    );
    html! { div class="pair" { (rates.render()) (means.render()) } }
}

/// All have the same intervals.
fn chart(
    servers: &[Server],
    title: &str,
    unit: Unit,
    value: impl Fn(&ServerInterval) -> Option<f64>,
) -> TimeChart {
    let intervals = servers
        .first()
        .map_or(&[][..], |it| it.intervals.as_slice());
    let points = intervals.iter().map(|interval| Point {
        at_s: interval.at_s,
        seconds: interval.seconds,
    });
    let series = servers.iter().enumerate().map(|(number, server)| {
        let values = (0..intervals.len()).map(|at| server.intervals.get(at).and_then(&value));
        let color = (number % COLORS) as u8 + 1;
        Series::new(server.server.clone(), color, Shape::Line, values)
    });
    TimeChart::new(title, unit, points.collect(), series.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::show::text::WIDTH;
    use serde_json::{Value, json};

    fn server(name: &str, more: Value) -> Server {
        let mut server = json!({"server_no": 0, "server": name, "weight": 1, "clients": 2, "aborted": 0, "seconds": 10.0,
            "transactions": 300, "tps": 30.0, "failed": 0, "latency_avg_ms": 1.5, "latency_p95_ms": 2.5, "latency_p99_ms": 3.5,
            "server_version": "15.20 (Debian 15.20-1)", "in_recovery": false});
        if let (Value::Object(server), Value::Object(more)) = (&mut server, more) {
            server.extend(more);
        }
        serde_json::from_value(server).unwrap()
    }

    #[test]
    fn a_server_is_a_line() {
        assert!(topic(&[], &[]).is_none());
        let interval = json!({"server_no": 0, "at_s": 0.0, "seconds": 1.0, "transactions": 3, "tps": 3.0,
            "latency_avg_ms": 1.0, "latency_max_ms": 2.0, "failed": 0});
        let servers = [
            server("primary", json!({"intervals": [interval]})),
            server(
                "replica",
                json!({"transactions": 100, "tps": 10.0, "aborted": 2, "seconds": 2.5, "in_recovery": true}),
            ),
        ];
        let topic = topic(&servers, &[]).unwrap();
        let lines = topic.lines();
        let widest = lines.iter().map(|line| line.chars().count()).max();
        assert!(widest <= Some(WIDTH), "{lines:#?}");
        let text = lines.join(" ");
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for part in [
            "primary 2 30 75.0 0 1.5 2.5 3.5",
            "replica 2 10 25.0 0 1.5",
            "primary: PostgreSQL 15.20; replica: PostgreSQL 15.20, a standby.",
            "replica: errors ended all of its 2 clients, the last after 2.5 s.",
            "are those of primary.",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }

    #[test]
    fn what_is_said_beside_the_table() {
        let some = server("a", json!({"clients": 3, "aborted": 1}));
        assert_eq!(
            lost(&some).unwrap(),
            "a: an error ended 1 of its 3 clients."
        );
        assert_eq!(lost(&server("a", json!({}))), None);
        let alike = [server("a", json!({})), server("b", json!({}))];
        assert_eq!(versions(&alike).unwrap(), "All of them: PostgreSQL 15.20.");
        let unknown = [server("a", json!({"server_version": null}))];
        assert_eq!(versions(&unknown), None);
    }
}
