//! The document of a run that another program measured: rows of the tables of runs, as `pgperf.export_run` writes them.

use crate::error::Result;
use crate::facts::target::changes;
use crate::pg::server;
use crate::report::stored_run::Results;
use crate::workload;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use measure::{Histogram, Latency};
use results::facts::{Interval, Outcomes, Run, Script, Server, Statement};
use serde_json::{Map, Value, json};

const US_PER_S: f64 = 1e6;
/// Seconds from 1970 to 2000, from where the server counts.
const EPOCH_S: f64 = 946_684_800.0;

/// What the caller knows of a run, in place of what its text says or leaves out.
pub struct Facts<'a> {
    pub scale: Option<u64>,
    pub clients: Option<u64>,
    pub query_mode: Option<&'a str>,
    pub server_version: Option<&'a str>,
    /// The program's way to the server, which none prints.
    pub transport: Option<&'a str>,
}

/// Where the run belongs, and what the text does not say.
pub struct Place<'a> {
    pub node_id: String,
    pub node_name: String,
    /// Its number on that node.
    pub run_id: i64,
    /// By which the same text is found again.
    pub source: String,
    pub workload: Option<&'a str>,
    /// µs since 2000.
    pub started_us: Option<i64>,
    pub facts: &'a Facts<'a>,
}

/// # Errors
/// A histogram does not fit its encoding.
pub fn of(run: Run, place: &Place) -> Result<Value> {
    let facts = place.facts;
    let now = server::timestamp_now();
    let known = place.started_us.or(run.started_s.map(|s| us(s - EPOCH_S)));
    let length = run.intervals.last();
    let length = us(length.map_or(0.0, |last| last.start_s + last.seconds));
    // Where nothing says when it ran, only the distances of its intervals mean something: they end now.
    let begin = known.unwrap_or(now - length);
    let text = |us: i64| server::timestamp_text(us);
    let mut tables = Tables::default();
    for (number, interval) in run.intervals.iter().enumerate() {
        let began = text(begin.saturating_add(us(interval.start_s)));
        tables.add("run_intervals", self::interval(interval, number, began)?);
    }
    if run.complete && run.totals != results::facts::Totals::default() {
        tables.add("run_totals", totals(&run)?);
    }
    for (number, script) in run.scripts.iter().enumerate() {
        tables.add("run_scripts", self::script(script, number)?);
    }
    let workload = own_name(run.workload.as_deref());
    let workload = place.workload.or(workload);
    let workload = workload.unwrap_or(run.format.name()).to_owned();
    for (number, statement) in run.statements.iter().enumerate() {
        let row = self::statement(statement, number, &workload);
        tables.add("run_statements", row);
    }
    for figure in &run.figures {
        tables.add(
            "run_metrics",
            json!({"metric": figure.name, "value": figure.value, "unit": figure.unit, "direction": null, "category": "workload"}),
        );
    }
    if let Some(server) = &run.server {
        self::server(&mut tables, server)?;
    }
    let end = known.map(|known| known.saturating_add(length));
    let seconds = run.totals.seconds.map(us).filter(|_| length == 0);
    let end = match (end, seconds) {
        (Some(end), Some(seconds)) => Some(end.saturating_add(seconds)),
        (end, _) => end,
    };
    let status = match (&run.error, run.complete) {
        (Some(_), _) => "failed",
        (None, true) => "finished",
        // It stopped in the middle: the view shows such a run as interrupted.
        (None, false) => "running",
    };
    let (contents, tables) = tables.into_parts();
    Ok(json!({
        "format": "pgperf-run",
        "version": 1,
        "node": {
            "node_id": place.node_id,
            "name": place.node_name,
            "created_at": text(now),
        },
        "run": {
            "node_id": place.node_id,
            "run_id": place.run_id,
            "kind": "run",
            "workload": workload,
            "clients": facts.clients.or(run.clients),
            "query_mode": facts.query_mode.or(run.query_mode.as_deref()),
            "scale": facts.scale.or(run.scale),
            "spec": spec(&run, place)?,
            "stored_status": status,
            "requested_at": text(now),
            "started_at": known.map(text),
            "measured_at": known.map(text),
            "ended_at": end.map(text),
            "server_version": facts.server_version.or(run.server_version.as_deref()),
            "error": run.error,
        },
        "contents": contents,
        "tables": tables,
    }))
}

fn us(seconds: f64) -> i64 {
    (seconds * US_PER_S).round() as i64
}

/// The name that a built-in workload of pgbench has here.
fn own_name(name: Option<&str>) -> Option<&str> {
    let name = name?;
    let own = workload::all().find(|workload| workload.description == name);
    Some(own.map_or(name, |workload| workload.name))
}

/// The options in effect, in the words of a run's own spec. `call` has those that comparisons list.
fn spec(run: &Run, place: &Place) -> Result<Value> {
    let parameters: Map<String, Value> = (run.parameters.iter())
        .map(|(name, value)| (name.clone(), value.as_str().into()))
        .collect();
    let mut call = parameters.clone();
    let mut option = |name: &str, value: Option<Value>| {
        call.extend(value.map(|value| (name.to_owned(), value)));
    };
    let seconds = |s: f64| Value::from(format!("{s} s"));
    option("duration", run.duration_s.map(seconds));
    option(
        "transactions_per_client",
        run.transactions_per_client.map(Value::from),
    );
    option("rate", run.rate.map(Value::from));
    option(
        "latency_limit",
        run.latency_limit_ms.map(|ms| format!("{ms} ms").into()),
    );
    let tries = run.max_tries.filter(|tries| *tries != 1);
    option("max_tries", tries.map(Value::from));
    option("threads", run.threads.map(Value::from));
    option("program", Some(run.format.name().into()));
    option("transport", place.facts.transport.map(Value::from));
    Ok(json!({
        "transaction_type": run.workload.as_deref().or(place.workload),
        "duration_s": run.duration_s,
        "transactions_per_client": run.transactions_per_client,
        "rate": run.rate,
        "latency_limit_ms": run.latency_limit_ms,
        "max_tries": run.max_tries,
        "reconnect": run.reconnects_each_time.then_some(1),
        "call": call,
        "results": serde_json::to_value(Results {
            program: run.format.title().to_owned(),
            version: run.program_version.clone(),
            threads: run.threads.and_then(|threads| i64::try_from(threads).ok()),
            transport: place.facts.transport.map(str::to_owned),
            parameters,
        })?,
        "source": place.source,
    }))
}

/// Rows by table; those of a table have the same columns.
#[derive(Default)]
struct Tables(Map<String, Value>);

impl Tables {
    fn add(&mut self, table: &str, row: Value) {
        let Value::Object(row) = row else {
            return;
        };
        let (columns, values): (Vec<String>, Vec<Value>) = row.into_iter().unzip();
        let part = self.0.entry(table);
        let part = part.or_insert_with(|| json!({"columns": columns, "rows": []}));
        if let Some(Value::Array(rows)) = part.get_mut("rows") {
            rows.push(values.into());
        }
    }

    /// The number of rows of each, and the tables themselves.
    fn into_parts(self) -> (Map<String, Value>, Map<String, Value>) {
        let rows = |part: &Value| part["rows"].as_array().map_or(0, Vec::len);
        let contents = (self.0.iter())
            .map(|(table, part)| (table.clone(), rows(part).into()))
            .collect();
        (contents, self.0)
    }
}

/// A row of several parts.
fn row<const N: usize>(parts: [Value; N]) -> Value {
    let mut all = Map::new();
    for part in parts {
        if let Value::Object(part) = part {
            all.extend(part);
        }
    }
    Value::Object(all)
}

fn latency(latency: &Latency, histogram: Option<&Histogram>) -> Result<Value> {
    let encoded = histogram.map(Histogram::encode_v2).transpose()?;
    let encoded = encoded.map(|bytes| STANDARD.encode(bytes));
    Ok(row([
        serde_json::to_value(latency)?,
        json!({"histogram": encoded}),
    ]))
}

fn outcomes(outcomes: &Outcomes) -> Value {
    json!({
        "failed": outcomes.failed,
        "retried": outcomes.retried,
        "retries": outcomes.retries,
        "skipped": outcomes.skipped,
        "late": outcomes.late,
    })
}

fn kinds(outcomes: &Outcomes) -> Value {
    json!({
        "serialization_failures": outcomes.serialization_failures,
        "deadlock_failures": outcomes.deadlock_failures,
        "other_failures": outcomes.other_failures,
    })
}

fn interval(interval: &Interval, number: usize, started_at: String) -> Result<Value> {
    Ok(row([
        json!({
            "interval_no": number,
            "started_at": started_at,
            "seconds": interval.seconds,
            "transactions": interval.transactions,
            "tps": interval.tps,
            "lag_avg_ms": interval.lag_avg_ms,
            "lag_max_ms": interval.lag_max_ms,
        }),
        outcomes(&interval.outcomes),
        latency(&interval.latency, interval.histogram.as_ref())?,
    ]))
}

fn totals(run: &Run) -> Result<Value> {
    let totals = &run.totals;
    Ok(row([
        json!({
            "seconds": totals.seconds,
            "transactions": totals.transactions,
            "lag_avg_ms": totals.lag_avg_ms,
            "lag_max_ms": totals.lag_max_ms,
            "connect_ms": totals.connect_ms,
            "shared_blks_hit": run.server.as_ref().and_then(|server| server.shared_blks_hit),
            "shared_blks_read": run.server.as_ref().and_then(|server| server.shared_blks_read),
            "reconnects": totals.reconnects,
            "reconnect_avg_ms": totals.reconnect_avg_ms,
        }),
        outcomes(&totals.outcomes),
        kinds(&totals.outcomes),
        latency(&totals.latency, totals.histogram.as_ref())?,
    ]))
}

/// What changed in the server meanwhile.
fn server(tables: &mut Tables, server: &Server) -> Result<()> {
    for metric in changes::metrics(server) {
        tables.add("run_metrics", serde_json::to_value(metric)?);
    }
    for relation in changes::relations(server) {
        tables.add("run_relations", relation.into());
    }
    Ok(())
}

fn script(script: &Script, number: usize) -> Result<Value> {
    Ok(row([
        json!({
            "script_no": number,
            "script": own_name(Some(&script.name)),
            "weight": script.weight,
            "transactions": script.transactions,
            "tps": script.tps,
        }),
        outcomes(&script.outcomes),
        kinds(&script.outcomes),
        latency(&script.latency, script.histogram.as_ref())?,
    ]))
}

fn statement(statement: &Statement, number: usize, workload: &str) -> Value {
    let script = own_name(statement.script.as_deref()).unwrap_or(workload);
    row([
        json!({
            "script_no": statement.script_no,
            "script": script,
            "command_no": number,
            "statement": statement.text,
            "is_sql": !statement.text.starts_with('\\'),
            "calls": statement.calls,
            "failed": statement.failed,
            "retries": statement.retries,
            "plan_ms": statement.plan_ms,
            "rows": statement.rows,
            "shared_blks_hit": statement.shared_blks_hit,
            "shared_blks_read": statement.shared_blks_read,
            "shared_blks_dirtied": statement.shared_blks_dirtied,
            "shared_blks_written": statement.shared_blks_written,
            "wal_records": statement.wal_records,
            "wal_fpi": statement.wal_fpi,
            "wal_bytes": statement.wal_bytes,
        }),
        serde_json::to_value(statement.latency).unwrap_or_default(),
    ])
}
