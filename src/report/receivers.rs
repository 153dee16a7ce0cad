//! The catch-up of standbys and subscribers, in the text of a report.

use super::model::receivers::Receiver;
use crate::show::number::{bytes, decimals};
use crate::show::text::{WIDTH, narrow_table, one_line};

/// As reports name it.
pub fn label(receiver: &Receiver) -> String {
    match receiver.kind.as_str() {
        "sql" => receiver.name.clone(),
        kind => format!("{kind} {}", receiver.name),
    }
}

/// Nothing where the run waited for nobody.
pub fn lines(receivers: &[Receiver]) -> Vec<String> {
    if receivers.is_empty() {
        return Vec::new();
    }
    let rows: Vec<_> = receivers
        .iter()
        .map(|receiver| {
            [
                decimals(receiver.catch_up_s, 2),
                decimals(receiver.sustainable_tps, 1),
                size(receiver.end_lag_bytes),
                decimals(receiver.end_lag_s, 2),
                decimals(receiver.end_server_lag_ms, 0),
                size(receiver.max_lag_bytes),
                // The last column is aligned to the left.
                String::new(),
            ]
        })
        .collect();
    let heads = [
        "after s",
        "sustained tps",
        "lag",
        "lag s",
        "replay_lag ms",
        "most lag",
        "",
    ];
    let mut figures = narrow_table(heads, &rows).into_iter();
    let mut lines = vec![
        String::new(),
        "catch-up of receivers after the clients had ended:".to_owned(),
    ];
    lines.extend(figures.next().map(|heads| heads.trim_end().to_owned()));
    for (receiver, figures) in receivers.iter().zip(figures) {
        let Receiver { until, status, .. } = receiver;
        let text = format!("{}, until {until}: {status}", label(receiver));
        lines.push(format!("  {}", one_line(&text, WIDTH - 2)));
        lines.push(figures.trim_end().to_owned());
    }
    lines.extend(NOTE.map(str::to_owned));
    lines.push(String::new());
    lines
}

/// What the columns are.
const NOTE: [&str; 3] = [
    "Sustained tps: transactions / (seconds of the run + seconds until caught up).",
    "Lag is by position, at the end of the clients. replay_lag is the server's own,",
    "of WAL that was replayed before: it can be small beside a large lag.",
];

fn size(lag: Option<i64>) -> String {
    lag.map_or_else(|| "-".to_owned(), |lag| bytes(lag as f64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_receiver_is_a_line() {
        assert!(lines(&[]).is_empty());
        let receiver = json!({"receiver_no": 0, "kind": "standby", "name": "s1", "until": "replay", "status": "caught up",
            "catch_up_s": 2.5, "sustainable_tps": 100.04, "end_lag_bytes": 55_000_000, "end_lag_s": 2.75,
            "end_server_lag_ms": 22.4, "max_lag_bytes": 60_000_000});
        let lines = lines(&[serde_json::from_value(receiver).unwrap()]);
        assert!(lines.iter().all(|line| line.len() <= WIDTH), "{lines:?}");
        assert_eq!(lines[3], "  standby s1, until replay: caught up");
        let cells: Vec<&str> = lines[4].split_ascii_whitespace().collect();
        assert_eq!(cells.join(" "), "2.50 100.0 52.5 MB 2.75 22 57.2 MB");
    }
}
