//! The part of a source's history that a repository lacks, as it was when the source's slot began.

use super::source::Source;
use crate::error::{Error, Result};
use crate::pg::catalog::role;
use crate::pg::sql::quote::quote_literal;
use crate::pg::sql::spi;
use crate::target::origin::Origin;
use serde::{Deserialize, Serialize};

/// Rows of a batch.
const BATCH: usize = 2_000;
/// A sample that began so long before the newest one may still have been under way.
const OVERLAP: &str = "1 hour";

/// A stretch of time of which the source has no longer every sample.
#[derive(Debug, Serialize, Deserialize)]
pub struct Gap {
    pub from: String,
    pub to: String,
    pub reason: String,
}

/// Copies what is missing here. `again`: the source was subscribed before.
///
/// # Errors
/// Those of the source and of SQL.
pub fn copy(
    origin: &mut Origin,
    source: &Source,
    names: &[String; 2],
    again: bool,
) -> Result<Vec<Gap>> {
    let [runs, samples] = names;
    let (runs, samples) = (tables(origin, runs, false)?, tables(origin, samples, true)?);
    copy_runs(origin, source, &runs, again)?;
    let (history, texts): (Vec<_>, Vec<_>) = samples.iter().partition(|table| table.of_samples());
    let mut gaps = Vec::new();
    for node in &source.nodes {
        gaps.extend(copy_samples(origin, node, &history)?);
    }
    for table in texts {
        copy_texts(origin, source, table)?;
    }
    Ok(gaps)
}

/// A published table, with its columns on the source.
struct Table {
    name: String,
    columns: Vec<String>,
}

#[derive(Deserialize)]
struct Known {
    name: String,
}

/// Those of this repository that the source has, too; nothing that a source says is a name here.
fn tables(origin: &mut Origin, publication: &str, of_samples: bool) -> Result<Vec<Table>> {
    let known: Vec<Known> = role::as_owner(|| {
        spi::select(
            "SELECT t.relation::pg_catalog.text AS name FROM pgperf_internal.published_tables() t WHERE t.of_samples = $1 \
             ORDER BY t.relation::pg_catalog.text",
            &[of_samples.into()],
        )
    })?;
    let published = origin.column(&format!(
        "SELECT format('%I.%I', schemaname, tablename) FROM pg_publication_tables WHERE pubname = {}",
        quote_literal(publication)
    ))?;
    let table = |name: String| {
        let columns = origin.column(&format!(
            "SELECT attname FROM pg_attribute WHERE attrelid = {}::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum",
            quote_literal(&name)
        ))?;
        Ok(Table { name, columns })
    };
    let known = known.into_iter().map(|known| known.name);
    known
        .filter(|name| published.contains(name))
        .map(table)
        .collect()
}

impl Table {
    fn of_samples(&self) -> bool {
        self.columns.iter().any(|column| column == "sample_id")
    }

    /// Takes the rows of the source that fulfil a condition on a row `t`.
    fn take(&self, origin: &mut Origin, condition: &str) -> Result<()> {
        origin.run(&format!(
            "DECLARE pgperf_rows NO SCROLL CURSOR FOR SELECT to_json(t) FROM {} t WHERE {condition}",
            self.name
        ))?;
        loop {
            let rows = origin.column(&format!("FETCH {BATCH} FROM pgperf_rows"))?;
            if rows.is_empty() {
                return origin.run("CLOSE pgperf_rows");
            }
            spi::in_own_memory(|| self.store(&rows))?;
        }
    }

    fn store(&self, rows: &[String]) -> Result<()> {
        let rows = format!("[{}]", rows.join(","));
        role::as_owner(|| {
            spi::execute(
                "SELECT pgperf_internal.take_rows($1::pg_catalog.regclass, $2, $3::pg_catalog.json)",
                &[
                    self.name.as_str().into(),
                    self.columns.clone().into(),
                    rows.as_str().into(),
                ],
            )
        })?;
        Ok(())
    }
}

/// That a row `t` is of one of these nodes.
fn of_nodes(nodes: &str) -> String {
    format!("t.node_id = ANY ({}::uuid[])", quote_literal(nodes))
}

/// The tables of runs and sweeps are small: they are copied anew, except for the runs that the source has forgotten.
fn copy_runs(origin: &mut Origin, source: &Source, tables: &[Table], again: bool) -> Result<()> {
    let nodes = source.node_array();
    let condition = of_nodes(&nodes);
    let runs = origin.column(&format!(
        "SELECT COALESCE(json_agg(json_build_object('node_id', t.node_id, 'run_id', t.run_id)), '[]') FROM pgperf_internal.stored_runs t WHERE {condition}"
    ))?;
    let runs = runs.into_iter().next().ok_or(Error::NotInstalled)?;
    // What a run is deleted by needs the nodes, and what was forgotten.
    let first = ["pgperf.nodes", "pgperf_internal.forgotten_runs"];
    let is_first = |table: &&Table| first.contains(&table.name.as_str());
    let (first, others): (Vec<_>, Vec<_>) = tables.iter().partition(is_first);
    let groups = groups(&nodes)?;
    for table in first {
        drop_copied(&nodes, &runs, &[table])?;
        table.take(origin, &condition)?;
    }
    groups.iter().try_for_each(Group::restore)?;
    if again {
        role::as_owner(|| {
            spi::execute(
                "SELECT pgperf_internal.drop_runs_gone($1::pg_catalog.uuid[])",
                &[nodes.as_str().into()],
            )
        })?;
    }
    drop_copied(&nodes, &runs, &others)?;
    for table in others {
        table.take(origin, &condition)?;
    }
    Ok(())
}

/// The group in which a node is here.
#[derive(Deserialize)]
struct Group {
    node_id: String,
    group_name: String,
}

fn groups(nodes: &str) -> Result<Vec<Group>> {
    spi::select(
        "SELECT n.node_id, n.group_name FROM pgperf.nodes n \
          WHERE n.node_id = ANY ($1::pg_catalog.uuid[]) AND n.group_name IS NOT NULL",
        &[nodes.into()],
    )
}

impl Group {
    fn restore(&self) -> Result<()> {
        role::as_owner(|| {
            spi::execute(
                "UPDATE pgperf.nodes n SET group_name = $2 WHERE n.node_id = $1::pg_catalog.uuid AND n.group_name IS NULL",
                &[
                    self.node_id.as_str().into(),
                    self.group_name.as_str().into(),
                ],
            )
        })?;
        Ok(())
    }
}

fn drop_copied(nodes: &str, runs: &str, tables: &[&Table]) -> Result<()> {
    let names: Vec<String> = tables.iter().map(|table| table.name.clone()).collect();
    role::as_owner(|| {
        spi::execute(
            "SELECT pgperf_internal.drop_copied($1::pg_catalog.uuid[], $2::pg_catalog.json, $3::pg_catalog.regclass[])",
            &[nodes.into(), runs.into(), names.into()],
        )
    })?;
    Ok(())
}

/// What is here of a node's samples.
#[derive(Deserialize)]
struct Here {
    newest: Option<String>,
    /// From here on samples are compared one by one.
    since: Option<String>,
    complete: Vec<i64>,
}

/// The samples that came after those that are here, and those of which a part is here.
fn copy_samples(origin: &mut Origin, node: &str, tables: &[&Table]) -> Result<Option<Gap>> {
    let here = here(node)?;
    let node = quote_literal(node);
    let (condition, gap) = match (&here.newest, &here.since) {
        (Some(newest), Some(since)) => {
            let ids: Vec<String> = here.complete.iter().map(i64::to_string).collect();
            let missing = format!(
                "t.node_id = {node}::pg_catalog.uuid AND t.taken_at >= '{since}'::pg_catalog.timestamptz \
                 AND t.sample_id <> ALL ('{{{}}}'::pg_catalog.int8[])",
                ids.join(",")
            );
            for table in tables {
                role::as_owner(|| {
                    spi::execute_once(&format!("DELETE FROM {} t WHERE {missing}", table.name))
                })?;
            }
            (missing, gap(origin, newest)?)
        }
        _ => (format!("t.node_id = {node}::pg_catalog.uuid"), None),
    };
    for table in tables {
        table.take(origin, &condition)?;
    }
    Ok(gap)
}

fn here(node: &str) -> Result<Here> {
    let found: Option<Here> = spi::select_one(
        &format!(
            "SELECT n.newest, n.newest - '{OVERLAP}'::pg_catalog.interval AS since, \
                ARRAY(SELECT s.sample_id FROM pgperf.samples s WHERE s.node_id = $1::pg_catalog.uuid AND s.complete \
                        AND s.taken_at >= n.newest - '{OVERLAP}'::pg_catalog.interval) AS complete \
             FROM (SELECT pg_catalog.max(s.taken_at) AS newest FROM pgperf.samples s \
                    WHERE s.node_id = $1::pg_catalog.uuid AND s.complete) n"
        ),
        &[node.into()],
    )?;
    found.ok_or(Error::NotInstalled)
}

/// The time after the newest sample here of which the source has every sample no more.
fn gap(origin: &mut Origin, newest: &str) -> Result<Option<Gap>> {
    let raw = origin.column(&format!(
        "SELECT p.starts_at FROM (SELECT min(h.starts_at) AS starts_at FROM pgperf.history_partitions h \
            WHERE h.table_name = 'samples' AND h.level = 'raw') p WHERE p.starts_at > {}::timestamptz",
        quote_literal(newest)
    ))?;
    Ok(raw.into_iter().next().map(|to| Gap {
        from: newest.to_owned(),
        to,
        reason: "not subscribed, and rolled up on the source since".to_owned(),
    }))
}

/// The texts that are not here yet. Those that are stay: rows here may need them that the source has no more.
fn copy_texts(origin: &mut Origin, source: &Source, table: &Table) -> Result<()> {
    let nodes = source.node_array();
    table.take(origin, &of_nodes(&nodes))?;
    role::as_owner(|| {
        spi::execute(
            "SELECT pgperf_internal.drop_twins($1::pg_catalog.uuid[], $2::pg_catalog.regclass)",
            &[nodes.as_str().into(), table.name.as_str().into()],
        )
    })?;
    Ok(())
}
