//! The argument `nodes`: the servers with pgperf on which a run has parts, and the share of each.

use super::weighted;
use crate::error::Result;
use serde::{Deserialize, Serialize};

/// A node of a run on several, and its part of the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Node {
    /// The name of a foreign server, or of this server's node.
    pub node: String,
    /// Whether it is this server.
    pub is_here: bool,
    /// In proportion to which it has clients.
    pub weight: u32,
    pub clients: usize,
    /// `:client_id` of the first of them.
    pub first_client: usize,
    pub random_seed: i64,
    /// How far its clock was ahead of the one here, in milliseconds.
    pub clock_ahead_ms: f64,
    /// The way there and back that this was measured with.
    pub round_trip_ms: f64,
    /// Its run, by its number there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_there: Option<i64>,
    /// The same by its number here, once it was brought here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<i64>,
}

/// Spreads clients over the nodes that an argument names. What is only known there is still to be asked. `seed`: that of the first.
///
/// # Errors
/// A name is missing or there twice, a weight is none, or there are fewer clients than nodes.
pub fn spread(named: &[Option<String>], clients: usize, seed: i64) -> Result<Vec<Node>> {
    let named = weighted::list("nodes", "node", named)?;
    weighted::check_clients("node", named.len(), clients)?;
    let weights: Vec<u32> = named.iter().map(|(_, weight)| *weight).collect();
    let places = weighted::spread(&weights, clients);
    let mut first_client = 0;
    let nodes = named
        .into_iter()
        .enumerate()
        .map(|(number, (node, weight))| {
            let clients = places.iter().filter(|place| **place == number).count();
            let before = first_client;
            first_client += clients;
            Node {
                node,
                is_here: false,
                weight,
                clients,
                first_client: before,
                random_seed: seed.wrapping_add(number as i64),
                clock_ahead_ms: 0.0,
                round_trip_ms: 0.0,
                run_there: None,
                run_id: None,
            }
        });
    Ok(nodes.collect())
}

/// As the argument is written; None: there are none.
pub fn text(nodes: &[Node]) -> Option<String> {
    let names = nodes.iter().map(|node| (node.node.as_str(), node.weight));
    (!nodes.is_empty()).then(|| weighted::joined(names))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(named: &[&str], clients: usize) -> Result<Vec<Node>> {
        let named: Vec<_> = named.iter().map(|name| Some((*name).to_owned())).collect();
        spread(&named, clients, i64::MAX)
    }

    #[test]
    fn clients_go_on_from_node_to_node() {
        let nodes = of(&["a@3", "b", "c"], 10).unwrap();
        let shares: Vec<_> = nodes
            .iter()
            .map(|it| (it.first_client, it.clients))
            .collect();
        assert_eq!(shares, [(0, 6), (6, 2), (8, 2)]);
        let seeds: Vec<_> = nodes.iter().map(|it| it.random_seed).collect();
        assert_eq!(seeds, [i64::MAX, i64::MIN, i64::MIN + 1]);
        assert_eq!(text(&nodes).unwrap(), "a@3, b@1, c@1");
    }

    #[test]
    fn what_names_no_nodes_is_refused() {
        let refused = |named: &[&str], clients| of(named, clients).unwrap_err().to_string();
        assert_eq!(refused(&[], 1), "nodes must not be empty");
        assert_eq!(refused(&["a", "a@2"], 2), "node \"a\" is in nodes twice");
        assert_eq!(
            refused(&["a", "b"], 1),
            "clients must be at least the number of nodes, 2, not 1"
        );
    }
}
