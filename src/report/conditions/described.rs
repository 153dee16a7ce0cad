//! Each condition in words. What a line leaves out is in parentheses.

use super::gathered::{Gathered, listed};
use crate::show::number::duration;
use crate::show::text::count;
use crate::workload::{RunData, run_data};

/// A condition as its reader knows it.
pub struct DescribedCondition {
    pub name: &'static str,
    pub prominence: Prominence,
    /// All values, each once; empty: not known.
    pub of: fn(&Gathered) -> Vec<String>,
}

/// How prominently a condition is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prominence {
    /// In the line of the machine, in that of all, and in full.
    Machine,
    /// In the line of all, and in full.
    Line,
    /// The same; in the line as one range of all sides, where they differ in it alone.
    Range,
    /// In full alone.
    Full,
}
use Prominence::{Full, Line, Machine, Range};

const fn condition(
    name: &'static str,
    prominence: Prominence,
    of: fn(&Gathered) -> Vec<String>,
) -> DescribedCondition {
    DescribedCondition {
        name,
        prominence,
        of,
    }
}

pub const CONDITIONS: [DescribedCondition; 16] = [
    condition("server", Line, server),
    condition("host", Machine, |side| side.owned("system", "hostname")),
    condition("CPUs", Machine, cpus),
    condition("memory", Machine, memory),
    condition("storage", Machine, storage),
    condition("machine", Full, machine),
    condition("operating system", Full, |side| {
        side.owned("system", "operating_system")
    }),
    condition("kernel", Full, |side| side.owned("system", "kernel")),
    condition("workload", Full, |side| side.owned("run", "workload")),
    condition("data", Range, data),
    condition("clients", Full, clients),
    condition("duration", Line, length),
    condition("runs", Full, runs),
    condition("query mode", Full, |side| side.owned("run", "query_mode")),
    condition("caches", Full, |side| side.owned("run", "caches")),
    condition("date", Range, dates),
];

fn server(side: &Gathered) -> Vec<String> {
    let versions = side.all("run", "server_version").into_iter();
    versions
        .map(|version| format!("PostgreSQL {version}"))
        .collect()
}

fn cpus(side: &Gathered) -> Vec<String> {
    let model = listed(&side.all("cpu", "model"));
    let limit = side.one("cpu", "control_group_limit");
    let limit = limit.map(|limit| format!("limit {limit}"));
    let more = parenthesis(model.into_iter().chain(limit));
    let all = side.all("cpu", "cpus").into_iter();
    all.map(|cpus| match cpus.parse() {
        Ok(number) => format!("{}{more}", count(number, "CPU")),
        Err(_) => format!("{cpus} CPUs{more}"),
    })
    .collect()
}

fn memory(side: &Gathered) -> Vec<String> {
    let limit = side.bytes("memory", "control_group_limit");
    let huge_pages = side.one("memory", "transparent_huge_pages");
    let more = [
        limit.map(|limit| format!("limit {limit}")),
        huge_pages.map(|mode| format!("transparent huge pages: {mode}")),
    ];
    let more = parenthesis(more.into_iter().flatten());
    let total = side.bytes("memory", "total");
    let total = total.map(|total| format!("{total} of memory{more}"));
    total.into_iter().collect()
}

/// The file systems with what they hold.
fn storage(side: &Gathered) -> Vec<String> {
    const CATEGORY: &str = "file system";
    let mut file_systems: Vec<(String, Vec<&str>)> = Vec::new();
    for (name, _) in side.names(CATEGORY) {
        let Some(place) = name.strip_suffix(".type") else {
            continue;
        };
        let fact = |fact: &str| side.one(CATEGORY, &format!("{place}.{fact}"));
        let size = side.bytes(CATEGORY, &format!("{place}.size"));
        let options = fact("mount_options").map(str::to_owned);
        let more = parenthesis(size.into_iter().chain(options));
        let kind = fact("type").unwrap_or("different file systems");
        let device = match fact("device") {
            Some(device) if device != kind => format!(" on {device}"),
            _ => String::new(),
        };
        let text = format!("{kind}{device}{more}");
        let place = if place == "wal" { "WAL" } else { place };
        match file_systems.iter_mut().find(|(other, _)| *other == text) {
            Some((_, places)) => places.push(place),
            None => file_systems.push((text, vec![place])),
        }
    }
    match file_systems.as_slice() {
        [(only, _)] => vec![only.clone()],
        several => several
            .iter()
            .map(|(text, places)| format!("{}: {text}", places.join(", ")))
            .collect(),
    }
}

fn machine(side: &Gathered) -> Vec<String> {
    let known = ["vendor", "product"].map(|name| listed(&side.all("system", name)));
    let known: Vec<String> = known.into_iter().flatten().collect();
    Vec::from_iter((!known.is_empty()).then(|| known.join(" ")))
}

/// The tables with their scale and size.
fn data(side: &Gathered) -> Vec<String> {
    let size = side.bytes("run", "data_bytes");
    let size = size.map_or_else(String::new, |size| format!(", {size}"));
    let of_runs = side.all("run", "data").into_iter();
    let of_runs = of_runs.filter_map(|data| serde_json::from_str::<Vec<RunData>>(data).ok());
    let mut texts: Vec<String> = of_runs
        .filter_map(|data| {
            let loads = data.iter().map(|data| match &data.load {
                Some(load) => format!("{} scale {}", data.family, load.scale),
                None => data.family.clone(),
            });
            let loads: Vec<String> = loads.collect();
            let more = parenthesis(run_data::describe(&data));
            (!loads.is_empty()).then(|| format!("{}{size}{more}", loads.join(", ")))
        })
        .collect();
    texts.sort();
    texts.dedup();
    texts
}

fn clients(side: &Gathered) -> Vec<String> {
    listed(&side.all("run", "clients")).into_iter().collect()
}

fn length(side: &Gathered) -> Vec<String> {
    let seconds = |name: &str| {
        let all = side.all("run", name);
        let all: Vec<f64> = all.iter().filter_map(|it| it.parse().ok()).collect();
        let texts: Vec<String> = all
            .into_iter()
            .filter(|seconds| *seconds > 0.0)
            .map(duration)
            .collect();
        listed(&texts.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let transactions = listed(&side.all("run", "transactions_per_client"));
    let each = transactions.map(|number| format!("{number} transactions a client"));
    let lengths: Vec<String> = seconds("duration_s").into_iter().chain(each).collect();
    let warmup = seconds("warmup_s").map(|warmup| format!(" after {warmup} of warm-up"));
    let warmup = warmup.unwrap_or_default();
    Vec::from_iter((!lengths.is_empty()).then(|| format!("{}{warmup}", lengths.join(" or "))))
}

fn runs(side: &Gathered) -> Vec<String> {
    let runs = side.all("run", "run").len() as i64;
    Vec::from_iter((runs > 1).then(|| count(runs, "run")))
}

/// From the first beginning to the last end.
fn dates(side: &Gathered) -> Vec<String> {
    let all = side.all("run", "dates");
    let text = match all.as_slice() {
        [began, .., ended] => match ended.split_once(' ') {
            Some((day, time)) if began.starts_with(day) => Some(format!("{began} to {time}")),
            _ => Some(format!("{began} to {ended}")),
        },
        dates => dates.first().map(|began| (*began).to_owned()),
    };
    text.into_iter().collect()
}

/// What a line leaves out.
fn parenthesis(parts: impl IntoIterator<Item = String>) -> String {
    let parts: Vec<String> = parts.into_iter().collect();
    match parts.is_empty() {
        true => String::new(),
        false => format!(" ({})", parts.join("; ")),
    }
}
