//! The nodes of a cluster of Citus: the sizes and counters of each at a moment, and what has changed in all of them together. Each is asked
//! by Citus itself, as the extension's owner, with a statement that has no name or value of a user in it.

use super::Footprint;
use super::target::moment;
use crate::collect::SERVER_MAJOR;
use crate::error::Result;
use crate::pg::sql::spi;
use crate::pg::sql::subxact::subtransaction;
use results::facts::ServerFigure;
use results::figures::Moment;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The nodes at a moment, by their numbers.
#[derive(Debug)]
pub struct Nodes(BTreeMap<i64, Moment>);

/// What has changed in all of them together. A figure that is not known of each is missing.
#[derive(Debug, Default, PartialEq)]
pub struct Together {
    pub nodes: usize,
    /// By the metric that each is.
    pub figures: BTreeMap<String, f64>,
    /// Blocks that sessions of the database have found in shared buffers, and others.
    pub hit: Option<u64>,
    pub read: Option<u64>,
}

/// Why a figure of all nodes is not known.
pub type Unknown = String;

#[derive(Deserialize)]
struct Answer {
    node: i64,
    name: Option<String>,
    success: bool,
    result: String,
}

const CAN_ASK: &str = "pg_catalog.to_regprocedure('pg_catalog.run_command_on_all_nodes(text,boolean,boolean)') IS NOT NULL";

/// All nodes answer, or the whole is not known.
const ASK: &str = "SELECT r.nodeid AS node, n.nodename || ':' || n.nodeport AS name, r.success, \
        COALESCE(r.result, '') AS result \
     FROM pg_catalog.run_command_on_all_nodes($1, true, false) r \
     LEFT JOIN pg_catalog.pg_dist_node n ON n.nodeid = r.nodeid";

impl Nodes {
    /// Asks all of them, in a transaction.
    pub fn read() -> std::result::Result<Nodes, Unknown> {
        let answers = subtransaction(Nodes::ask).map_err(|error| error.message)?;
        let mut nodes = BTreeMap::new();
        for answer in answers.map_err(|error| error.to_string())? {
            let name = answer.name.unwrap_or_else(|| "this node".to_owned());
            let moment = Moment::read(&answer.result).filter(|_| answer.success);
            let said = answer.result.lines().next().unwrap_or_default();
            let moment = moment.ok_or_else(|| format!("{name}: {said}"))?;
            nodes.insert(answer.node, moment);
        }
        match nodes.is_empty() {
            true => Err("Citus knows no node".to_owned()),
            false => Ok(Nodes(nodes)),
        }
    }

    fn ask() -> Result<Vec<Answer>> {
        if !spi::holds(CAN_ASK, &[])? {
            return Ok(Vec::new());
        }
        let sql = moment::of_server(10_000 * SERVER_MAJOR);
        spi::select(ASK, &[sql.as_str().into()])
    }

    /// What has changed since an earlier moment, without what pgperf itself has done here in between.
    pub fn since(&self, first: &Nodes, own: &Footprint) -> std::result::Result<Together, Unknown> {
        if self.0.keys().ne(first.0.keys()) {
            return Err("nodes came or went".to_owned());
        }
        let servers = self.0.iter().filter_map(|(node, last)| {
            let first = first.0.get(node)?;
            Some(last.since(first).server)
        });
        let mut together = Together {
            hit: Some(0),
            read: Some(0),
            ..Together::default()
        };
        let mut known: BTreeMap<String, usize> = BTreeMap::new();
        let add = |sum: Option<u64>, blocks: Option<u64>| Some(sum?.saturating_add(blocks?));
        for server in servers {
            together.nodes += 1;
            together.hit = add(together.hit, server.shared_blks_hit);
            together.read = add(together.read, server.shared_blks_read);
            for figure in server.figures.into_iter().filter(is_sum) {
                *known.entry(figure.name.clone()).or_default() += 1;
                *together.figures.entry(figure.name).or_default() += figure.value;
            }
        }
        let nodes = together.nodes;
        together.figures.retain(|name, _| known[name] == nodes);
        together.without(own);
        Ok(together)
    }
}

/// Whether the figures of several servers can be added up, and the statement has asked for it: it asks for no relations.
fn is_sum(figure: &ServerFigure) -> bool {
    let of_relations = ["table_growth_bytes", "index_growth_bytes"];
    figure.category != "vacuum"
        && figure.unit != "percent"
        && !of_relations.contains(&figure.name.as_str())
}

impl Together {
    /// Takes off what is not the run's; an unknown figure stays unknown.
    pub fn take_off(&mut self, metric: &str, own: i64) {
        if let Some(value) = self.figures.get_mut(metric) {
            *value -= own as f64;
        }
    }

    /// For the totals of a run.
    pub fn usage(&self) -> Usage {
        let count = |metric: &str| self.figures.get(metric).map(|&value| value as i64);
        let blocks = |blocks: Option<u64>| blocks.and_then(|blocks| i64::try_from(blocks).ok());
        Usage {
            shared_blks_hit: blocks(self.hit),
            shared_blks_read: blocks(self.read),
            wal_bytes: count("wal_bytes"),
            wal_records: count("wal_records"),
            wal_fpi: count("wal_fpi"),
        }
    }

    fn without(&mut self, own: &Footprint) {
        let usage = &own.usage;
        for (name, own) in [
            ("wal_bytes", usage.wal_bytes),
            ("wal_records", usage.wal_records),
            ("wal_fpi", usage.wal_fpi),
            ("xids", own.xids),
        ] {
            if let Some(value) = self.figures.get_mut(name) {
                *value = (*value - own as f64).max(0.0);
            }
        }
        self.hit = self
            .hit
            .map(|all| all.saturating_sub(usage.shared_blks_hit));
        self.read = self
            .read
            .map(|all| all.saturating_sub(usage.shared_blks_read));
        if let (Some(hit), Some(read)) = (self.hit, self.read)
            && hit + read > 0
        {
            let percent = 100.0 * hit as f64 / (hit + read) as f64;
            self.figures
                .insert("database_hit_percent".to_owned(), percent);
        }
    }
}

/// What a run has used as its servers count it: all of their sessions.
#[derive(Debug, Default)]
pub struct Usage {
    pub shared_blks_hit: Option<i64>,
    pub shared_blks_read: Option<i64>,
    pub wal_bytes: Option<i64>,
    pub wal_records: Option<i64>,
    pub wal_fpi: Option<i64>,
}

/// Stores whose figures those of the run are.
pub fn store_note(node_id: &str, run_id: i64, note: &str) -> Result<()> {
    spi::execute(
        "INSERT INTO pgperf.run_environment (node_id, run_id, category, name, value, note) \
         SELECT $1::pg_catalog.uuid, $2, 'server', 'distributed_tables', pg_catalog.count(*), $3 FROM pg_catalog.pg_dist_partition \
         ON CONFLICT (node_id, run_id, category, name) DO UPDATE SET note = EXCLUDED.note",
        &[node_id.into(), run_id.into(), note.into()],
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// A node that has written so much WAL, and found so many of a hundred blocks.
    fn node(wal: i64, hit: i64, records: Option<i64>) -> Moment {
        let moment = json!({"version": 1, "taken_at": 0.0, "server_version": "15.1", "wal": wal, "database_size": wal,
            "hit": hit, "read": 100 - hit, "reset": null, "counters": {
                "wal": {"reset": 1.0, "values": {"wal_records": records}},
                "ids": {"reset": null, "values": {"xids": wal}}}});
        Moment::read(&moment.to_string()).unwrap()
    }

    fn nodes(nodes: Vec<Moment>) -> Nodes {
        Nodes((1..).zip(nodes).collect())
    }

    #[test]
    fn figures_of_nodes_are_added_up_without_those_of_pgperf() {
        let first = nodes(vec![node(0, 0, Some(0)), node(1_000, 0, Some(5))]);
        let last = nodes(vec![node(500, 0, Some(7)), node(1_700, 0, Some(6))]);
        let mut own = Footprint::default();
        (own.usage.wal_bytes, own.usage.wal_records, own.xids) = (100, 3, 10);
        let together = last.since(&first, &own).unwrap();
        assert_eq!(together.nodes, 2);
        let figure = |name: &str| together.figures.get(name).copied();
        assert_eq!(figure("wal_bytes"), Some(1_100.0));
        assert_eq!(figure("wal_records"), Some(5.0));
        assert_eq!(figure("xids"), Some(1_190.0));
        assert_eq!(figure("database_growth_bytes"), Some(1_200.0));
        assert_eq!(figure("table_growth_bytes"), None, "nobody has asked");
        assert_eq!(figure("autovacuum_count"), None);
        assert_eq!(together.usage().wal_bytes, Some(1_100));
    }

    #[test]
    fn a_figure_that_one_node_does_not_know_is_unknown() {
        let first = nodes(vec![node(0, 50, Some(1)), node(0, 60, Some(1))]);
        let reset = nodes(vec![node(10, 50, Some(3)), node(10, 10, None)]);
        let together = reset.since(&first, &Footprint::default()).unwrap();
        assert!(!together.figures.contains_key("wal_records"));
        assert!(!together.figures.contains_key("database_hit_percent"));
        assert_eq!(together.usage().shared_blks_hit, None);
        assert_eq!(together.usage().wal_bytes, Some(20));
        let fewer = nodes(vec![node(10, 50, Some(3))]);
        assert!(fewer.since(&first, &Footprint::default()).is_err());
    }
}
