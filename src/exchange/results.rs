//! `pgperf.import_results`: what another program measured, as runs of a node of its own.
//!
//! The crate `results` reads the text; [`document`](super::results_document) makes of each run a document like those
//! of `pgperf.export_run`, which is stored as they are.

use super::results_document::{self as document, Facts};
use super::stored;
use crate::catalog::node::check_length;
use crate::error::{Error, Result, hinted, invalid};
use crate::pg::catalog::role::as_owner;
use crate::pg::error::say;
use crate::pg::process::latch::interrupts;
use crate::pg::server::timestamp_now;
use crate::pg::sql::document as jsonb;
use crate::pg::sql::text::{Json, Text};
use crate::show::text::one_line;
use pgrx::PgLogLevel;
use pgrx::datum::TimestampWithTimeZone;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use results::{Format, ReadError, Reading};
use serde::Deserialize;

const FORMATS: &str = "Known are the output and the logs of pgbench (pgbench), the output of sysbench (sysbench) and HammerDB (hammerdb), \
    a dump of pg_stat_statements as CSV with its header (pg_stat_statements), and the figures of docs/figures.sql before and after a run (psql).";

/// `pgperf.import_results`: the runs belong to the caller.
#[pg_extern(sql = false)]
#[allow(clippy::too_many_arguments)] // those of the SQL function
fn import_results(
    content: Option<Text>,
    format: Option<Text>,
    label: Option<Text>,
    node: Option<Text>,
    workload: Option<Text>,
    started: Option<TimestampWithTimeZone>,
    strict: Option<bool>,
    scale: Option<i32>,
    clients: Option<i32>,
    query_mode: Option<Text>,
    server_version: Option<Text>,
    transport: Option<Text>,
) -> std::result::Result<SetOfIterator<'static, i64>, ErrorReport> {
    let content = content.ok_or_else(|| invalid("content must not be NULL".to_owned()))?;
    let named = ImportArguments {
        label: label.as_deref(),
        node: not_empty("node", node.as_deref())?,
        workload: not_empty("workload", workload.as_deref())?,
        started_us: started.map(moment).transpose()?,
        facts: Facts {
            scale: positive("scale", scale)?,
            clients: positive("clients", clients)?,
            query_mode: one_of("query_mode", query_mode.as_deref(), &QUERY_MODES)?,
            server_version: not_empty("server_version", server_version.as_deref())?,
            transport: one_of("transport", transport.as_deref(), &TRANSPORTS)?,
        },
    };
    if let Some(name) = named.node {
        check_length("node", name)?;
    }
    let reading = read(&content, format.as_deref())?;
    tell(&reading, strict.unwrap_or(false))?;
    let source = fingerprint(&content);
    Ok(SetOfIterator::new(store(reading, &named, source)?))
}

/// What the caller knows and the text does not say.
struct ImportArguments<'a> {
    label: Option<&'a str>,
    node: Option<&'a str>,
    workload: Option<&'a str>,
    /// µs since 2000.
    started_us: Option<i64>,
    facts: Facts<'a>,
}

const QUERY_MODES: [&str; 3] = ["simple", "extended", "prepared"];
/// How a client program reaches the server.
const TRANSPORTS: [&str; 3] = ["socket", "tcp", "tls"];

fn positive(name: &str, value: Option<i32>) -> Result<Option<u64>> {
    match value.map(u64::try_from) {
        None => Ok(None),
        Some(Ok(value)) if value > 0 => Ok(Some(value)),
        Some(_) => Err(invalid(format!("{name} must be at least 1"))),
    }
}

fn one_of<'a>(name: &str, value: Option<&'a str>, known: &[&str]) -> Result<Option<&'a str>> {
    match value {
        Some(value) if !known.contains(&value) => Err(invalid(format!(
            "{name} must be one of {}, not \"{value}\"",
            known.join(", ")
        ))),
        value => Ok(value),
    }
}

fn not_empty<'a>(name: &str, value: Option<&'a str>) -> Result<Option<&'a str>> {
    match value {
        Some(value) if value.trim().is_empty() => Err(invalid(format!("{name} must not be empty"))),
        value => Ok(value),
    }
}

fn moment(started: TimestampWithTimeZone) -> Result<i64> {
    if started.is_infinity() || started.is_neg_infinity() {
        return Err(invalid("started must be finite".to_owned()));
    }
    let started: i64 = started.into();
    if started > timestamp_now() {
        return Err(invalid("started must not be in the future".to_owned()));
    }
    Ok(started)
}

fn read(content: &str, format: Option<&str>) -> Result<Reading> {
    let format = match format {
        None => None,
        Some(name) => Some(
            Format::named(name)
                .ok_or_else(|| hinted(format!("unknown format \"{name}\""), FORMATS))?,
        ),
    };
    results::read(content, format, &mut interrupts).map_err(|error| {
        let hint = match error {
            ReadError::LogOfWhich(_) => "Import each run with its own log.",
            ReadError::FiguresOnce | ReadError::FiguresOfWhich(_) => {
                "psql -f docs/figures.sql before and after each run prints them."
            }
            _ => FORMATS,
        };
        hinted(format!("content cannot be imported: {error}"), hint)
    })
}

/// What was left out.
fn tell(reading: &Reading, strict: bool) -> Result<()> {
    if let Some((number, line)) = &reading.unread.first {
        let line = one_line(line, 100);
        let lines = reading.unread.lines;
        if strict {
            return Err(invalid(format!(
                "line {number} of content was not understood: {line}"
            ))
            .hinting(
                "Nothing was imported. strict => false imports the lines that are understood.",
            ));
        }
        let others = if lines > 1 {
            format!(", the first of {lines} such lines")
        } else {
            String::new()
        };
        say(
            PgLogLevel::NOTICE,
            format!("line {number} was not understood{others}: {line}"),
        );
    }
    for note in &reading.notes {
        say(PgLogLevel::NOTICE, note.clone());
    }
    Ok(())
}

/// FNV-1a: the same text is not stored twice, also if it was copied with other empty lines, or with other spaces at the ends of lines.
fn fingerprint(text: &str) -> u64 {
    let lines = text
        .lines()
        .map(str::trim_end)
        .filter(|line| !line.is_empty());
    let bytes = lines.flat_map(|line| line.bytes().chain([b'\n']));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// A node, and the number of a run on it.
#[derive(Deserialize)]
struct Origin {
    node_id: String,
    node_name: String,
    run_id: i64,
}

fn store(reading: Reading, named: &ImportArguments, source: u64) -> Result<Vec<i64>> {
    if reading.runs.len() > 1 && named.started_us.is_some() {
        return Err(invalid(format!(
            "started is the beginning of one run, but content has {}",
            reading.runs.len()
        )));
    }
    let mut run_ids = Vec::with_capacity(reading.runs.len());
    for (number, run) in (1..).zip(reading.runs) {
        interrupts();
        let source = format!("{source:016x}.{number}");
        let node = named.node.unwrap_or(run.format.name());
        let origin: Option<Json> = as_owner(|| {
            jsonb::execute(
                "SELECT pg_catalog.to_jsonb(o) FROM pgperf_internal.results_origin($1, $2) o",
                &[node.into(), source.as_str().into()],
            )
        })?;
        let Json(origin) = origin.ok_or(Error::NotInstalled)?;
        let origin: Origin = serde_json::from_value(origin)?;
        if number == 1 && named.node.is_some_and(|wanted| wanted != origin.node_name) {
            let other = format!("the runs are stored under node \"{}\"", origin.node_name);
            say(PgLogLevel::NOTICE, other);
        }
        let document = document::of(
            run,
            &document::Place {
                node_id: origin.node_id,
                node_name: origin.node_name,
                run_id: origin.run_id,
                source,
                workload: named.workload,
                started_us: named.started_us,
                facts: &named.facts,
            },
        )?;
        run_ids.push(stored(Json(document).into(), named.label)?);
    }
    Ok(run_ids)
}
