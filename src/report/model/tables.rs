//! What collectors counted over a run, as tables: each is described by its collector ([`ReportTable`]).

use crate::collect::{Collector, ReportTable};
use crate::error::Result;
use crate::pg::sql::spi;
use crate::subject::ALL;
use pgrx::datum::DatumWithOid;
use serde::{Deserialize, Serialize};

/// What a collector counted from its first sample of the run to its last.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Table {
    /// The collector's name.
    pub collector: String,
    pub title: String,
    /// What a row is about, and what is counted.
    pub object: String,
    pub counters: Vec<String>,
    /// Those with any count.
    pub rows: Vec<TableRow>,
}

/// What was counted of one object.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TableRow {
    pub object: String,
    /// In the order of the table's counters. Null: the counter began again in between.
    pub counts: Vec<Option<i64>>,
}

/// Of each collector that has a table, if there is anything in it. `key`: node and run.
pub fn load(key: &[DatumWithOid]) -> Result<Vec<Table>> {
    let described = ALL
        .into_iter()
        .filter_map(|collector| Some((collector, collector.report?)));
    let tables = described.map(|(collector, table)| {
        Ok(Table {
            collector: collector.name.to_owned(),
            title: table.title.to_owned(),
            object: table.object.1.to_owned(),
            counters: (table.counters.iter())
                .map(|(_, head)| (*head).to_owned())
                .collect(),
            rows: spi::select(&sql(collector, &table), key)?,
        })
    });
    let mut tables: Vec<Table> = tables.collect::<Result<_>>()?;
    tables.retain(|table| !table.rows.is_empty());
    Ok(tables)
}

/// From the collector's first sample of the run to its last: counters are cumulative, so nothing in between is lost. Where the
/// statistics began again in between there is no row, and no count of a counter that fell.
fn sql(collector: &Collector, table: &ReportTable) -> String {
    let Collector { name, .. } = collector;
    let ReportTable {
        history_table,
        object: (object, _),
        counters,
        ..
    } = table;
    let difference = |(counter, _): &(&str, &str)| {
        format!("CASE WHEN e.{counter} >= b.{counter} THEN e.{counter} - b.{counter} END")
    };
    let differences: Vec<String> = counters.iter().map(difference).collect();
    let rose: Vec<String> = (counters.iter())
        .map(|(counter, _)| format!("e.{counter} > b.{counter}"))
        .collect();
    format!(
        "WITH taken AS MATERIALIZED (SELECT s.sample_id, s.epoch FROM pgperf.samples s \
                WHERE s.node_id = $1::pg_catalog.uuid AND s.run_id = $2 \
                  AND s.outcomes OPERATOR(pg_catalog.#>>) '{{{name},status}}' = 'ok'), \
         ends AS (SELECT pg_catalog.min(t.sample_id) AS first, pg_catalog.max(t.sample_id) AS last FROM taken t) \
         SELECT e.{object} AS object, pg_catalog.jsonb_build_array({}) AS counts \
         FROM ends \
         JOIN taken f ON f.sample_id = ends.first JOIN taken l ON l.sample_id = ends.last AND l.epoch = f.epoch \
         JOIN pgperf.{history_table} b ON b.node_id = $1::pg_catalog.uuid AND b.sample_id = ends.first \
         JOIN pgperf.{history_table} e ON e.node_id = $1::pg_catalog.uuid AND e.sample_id = ends.last \
              AND e.{object} = b.{object} \
         WHERE {} ORDER BY e.{object}",
        differences.join(", "),
        rose.join(" OR "),
    )
}
