//! The targets of a run, and which client connects to which: the arguments `server` and `servers`.

use super::weighted;
use crate::error::{Result, hinted};
use serde::{Deserialize, Serialize};

/// The targets to which a run's clients connect; none: this server.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(from = "StoredTargets", into = "StoredTargets")]
pub struct Targets(Vec<Target>);

/// One of several targets.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Target {
    pub server: String,
    /// In proportion to which it has clients.
    pub weight: u32,
    /// Of its sessions; empty: that of the role there.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub search_path: String,
}

/// One target is stored by its name alone, and its search_path is that of the run.
#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct StoredTargets {
    /// The target to which the clients connected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    server: Option<String>,
    /// Those of a run on several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    servers: Vec<Target>,
}

impl From<StoredTargets> for Targets {
    fn from(stored: StoredTargets) -> Targets {
        let one = |server: String| vec![Target::new(&server, 1)];
        Targets(stored.server.map_or(stored.servers, one))
    }
}

impl From<Targets> for StoredTargets {
    fn from(Targets(mut targets): Targets) -> StoredTargets {
        let only = match targets.len() {
            1 => targets.pop(),
            _ => None,
        };
        StoredTargets {
            server: only.map(|only| only.server),
            servers: targets,
        }
    }
}

impl Targets {
    /// Those that the arguments name.
    ///
    /// # Errors
    /// Both arguments are given; a name is missing or there twice, or a weight is none.
    pub fn new(server: Option<&str>, servers: Option<&[Option<String>]>) -> Result<Targets> {
        let named = match (server, servers) {
            (None, None) => return Ok(Targets::default()),
            (Some(_), Some(_)) => {
                return Err(hinted(
                    "server and servers exclude each other".to_owned(),
                    "Give the name of one server, or several with weights: servers => '{primary@3, replica}'.",
                ));
            }
            (Some(server), None) => return Ok(Targets(vec![Target::new(server, 1)])),
            (None, Some(servers)) => servers,
        };
        let servers = weighted::list("servers", "server", named)?;
        let targets = servers
            .iter()
            .map(|(server, weight)| Target::new(server, *weight));
        Ok(Targets(targets.collect()))
    }

    /// # Errors
    /// There are fewer clients than targets.
    pub fn check_clients(&self, clients: usize) -> Result<()> {
        weighted::check_clients("server", self.0.len(), clients)
    }

    /// Whether the clients connect to this server, or are within it.
    pub fn is_here(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether they are spread over several.
    pub fn are_several(&self) -> bool {
        self.0.len() > 1
    }

    pub fn all(&self) -> &[Target] {
        &self.0
    }

    /// The name of the first, on which the statements before and after the clients are executed.
    pub fn first(&self) -> Option<&str> {
        self.0.first().map(|target| target.server.as_str())
    }

    /// Whether one has this name; None: whether it is this server.
    pub fn include(&self, server: Option<&str>) -> bool {
        match server {
            None => self.is_here(),
            Some(server) => self.0.iter().any(|target| target.server == server),
        }
    }

    /// Sets the search_path of each of several, in their order.
    pub fn set_search_paths(&mut self, paths: impl Iterator<Item = String>) {
        if self.are_several() {
            for (target, path) in self.0.iter_mut().zip(paths) {
                target.search_path = path;
            }
        }
    }

    /// As they are written; None: this server.
    pub fn text(&self) -> Option<String> {
        let names = || (self.0.iter()).map(|target| (target.server.as_str(), target.weight));
        (!self.is_here()).then(|| weighted::joined(names()))
    }

    /// The number of the target of each of so many clients; empty: they have none. See [`weighted::spread`].
    pub fn of_clients(&self, clients: usize) -> Vec<usize> {
        let weights: Vec<u32> = self.0.iter().map(|target| target.weight).collect();
        weighted::spread(&weights, clients)
    }
}

impl Target {
    fn new(server: &str, weight: u32) -> Target {
        Target {
            server: server.to_owned(),
            weight,
            search_path: String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(servers: &[&str]) -> Result<Targets> {
        let element = |name: &&str| Some((*name).to_owned());
        Targets::new(None, Some(&servers.iter().map(element).collect::<Vec<_>>()))
    }

    fn counts(servers: &[&str], clients: usize) -> Vec<usize> {
        let targets = of(servers).unwrap();
        let of_clients = targets.of_clients(clients);
        let count = |number| of_clients.iter().filter(|it| **it == number).count();
        (0..servers.len()).map(count).collect()
    }

    #[test]
    fn clients_are_spread_by_weight() {
        assert_eq!(counts(&["a@3", "b"], 8), [6, 2]);
        assert_eq!(counts(&["a@3", "b"], 2), [1, 1]);
        assert_eq!(counts(&["a", "b", "c"], 9), [3, 3, 3]);
        assert_eq!(counts(&["a", "b@2147483647"], 100), [1, 99]);
        assert_eq!(counts(&["a@5", "b@3", "c@2"], 1000), [500, 300, 200]);
        assert_eq!(counts(&["a"], 3), [3]);
    }

    #[test]
    fn the_server_of_a_client_follows_from_its_number() {
        let targets = of(&["a@3", "b"]).unwrap();
        let all = targets.of_clients(8);
        assert_eq!(all, [0, 1, 0, 0, 0, 0, 1, 0]);
        for clients in 2..8 {
            assert_eq!(targets.of_clients(clients), all[..clients]);
        }
        assert!(Targets::default().of_clients(4).is_empty());
    }

    #[test]
    fn what_names_no_servers_is_refused() {
        let refused = |servers: &[&str]| of(servers).unwrap_err().to_string();
        assert_eq!(refused(&[]), "servers must not be empty");
        assert_eq!(refused(&["a", ""]), "servers must not have an empty name");
        assert_eq!(refused(&["a", "a@2"]), "server \"a\" is in servers twice");
        assert!(refused(&["a@0"]).starts_with("weight of server \"a\" must be an integer from 1"));
        let error = Targets::new(Some("a"), Some(&[])).unwrap_err().to_string();
        assert_eq!(error, "server and servers exclude each other");
        let few = of(&["a", "b"]).unwrap().check_clients(1).unwrap_err();
        assert_eq!(
            few.to_string(),
            "clients must be at least the number of servers, 2, not 1"
        );
    }

    #[test]
    fn one_is_stored_by_its_name() {
        for (targets, stored) in [
            (Targets::default(), json!({})),
            (of(&["a@3"]).unwrap(), json!({"server": "a"})),
            (
                of(&["a@3", "b"]).unwrap(),
                json!({"servers": [{"server": "a", "weight": 3}, {"server": "b", "weight": 1}]}),
            ),
        ] {
            assert_eq!(serde_json::to_value(&targets).unwrap(), stored);
            let read: Targets = serde_json::from_value(stored).unwrap();
            assert_eq!(read.text(), targets.text());
            assert_eq!(read.are_several(), targets.are_several());
        }
    }

    #[test]
    fn they_are_written_as_a_mix_is() {
        assert_eq!(Targets::default().text(), None);
        assert_eq!(of(&["a@3"]).unwrap().text().unwrap(), "a");
        assert_eq!(of(&["a@3", "b"]).unwrap().text().unwrap(), "a@3, b@1");
        let several = of(&["a", "b"]).unwrap();
        assert!(several.include(Some("b")) && !several.include(Some("c")));
        assert!(!several.include(None) && Targets::default().include(None));
    }
}
