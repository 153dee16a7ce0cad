//! What has changed in a server over a run, as rows of the run.

use crate::facts::metrics::Metric;
use results::facts::{Relation, Server, ServerFigure};
use serde_json::{Map, Value, json};

/// Rows of `pgperf.run_metrics`.
pub fn metrics(server: &Server) -> Vec<Metric> {
    let metric = |figure: &ServerFigure| Metric::new(&figure.name, Some(figure.value));
    server.figures.iter().map(metric).collect()
}

/// Rows of `pgperf.run_relations`, without the run; each has the same columns.
pub fn relations(server: &Server) -> Vec<Map<String, Value>> {
    server.relations.iter().map(relation).collect()
}

fn relation(relation: &Relation) -> Map<String, Value> {
    let state = json!({
        "relation_oid": relation.oid.to_string(),
        "schema_name": relation.schema,
        "relation_name": relation.name,
        "relation_kind": relation.kind,
        "table_name": relation.table,
        "start_size_bytes": relation.start_size_bytes,
        "end_size_bytes": relation.end_size_bytes,
        "start_live_tuples": relation.start_live_tuples,
        "end_live_tuples": relation.end_live_tuples,
        "start_dead_tuples": relation.start_dead_tuples,
        "end_dead_tuples": relation.end_dead_tuples,
        "start_tuple_percent": relation.start_tuple_percent,
        "end_tuple_percent": relation.end_tuple_percent,
    });
    let counters = relation.counters.iter();
    let counters = counters.map(|(name, increase)| ((*name).to_owned(), (*increase).into()));
    let mut row = match state {
        Value::Object(state) => state,
        _ => Map::new(),
    };
    row.extend(counters);
    row
}
