//! How the clients of a run reach the server: the arguments `transport`, `workers`, `connect_each_transaction`,
//! `reconnect_on_loss`.

use super::options::Options;
use crate::error::{Result, hinted, invalid};
use serde::{Deserialize, Serialize};
use std::thread::available_parallelism;

const WIRE: &str = "wire";

/// A way to the server. A stored specification says nothing of runs inside.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "StoredTransport", into = "StoredTransport")]
pub enum Transport {
    /// Each client is a session within the server, and a worker.
    #[default]
    Inside,
    /// Clients have connections. So many workers share them.
    Wire { workers: usize },
}

#[derive(Serialize, Deserialize)]
struct StoredTransport {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    transport: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    workers: Option<usize>,
}

impl From<StoredTransport> for Transport {
    fn from(stored: StoredTransport) -> Transport {
        match stored.transport.as_deref() {
            Some(WIRE) => Transport::Wire {
                workers: stored.workers.unwrap_or(1),
            },
            _ => Transport::Inside,
        }
    }
}

impl From<Transport> for StoredTransport {
    fn from(transport: Transport) -> StoredTransport {
        let workers = match transport {
            Transport::Inside => None,
            Transport::Wire { workers } => Some(workers),
        };
        StoredTransport {
            transport: workers.map(|_| WIRE.to_owned()),
            workers,
        }
    }
}

impl Transport {
    /// The arguments of a run with so many clients.
    ///
    /// # Errors
    /// An unknown name, or arguments that do not go together.
    pub fn new(options: &Options, clients: usize) -> Result<Transport> {
        match options.transport.as_str() {
            // Another server is reached in no other way.
            "inside" if options.server.is_none() && options.servers.is_none() => inside(options),
            "inside" | WIRE => wire(options, clients),
            name => Err(hinted(
                format!("unknown transport \"{name}\""),
                "Transports are: inside, wire.",
            )),
        }
    }

    pub fn is_inside(&self) -> bool {
        *self == Transport::Inside
    }

    /// Workers that so many clients take.
    pub fn workers(&self, clients: usize) -> usize {
        match *self {
            Transport::Inside => clients,
            Transport::Wire { workers } => workers,
        }
    }

    /// Whether clients know what their statements have used and where their time went: over a connection the server does not tell.
    pub fn tells_usage(&self) -> bool {
        self.is_inside()
    }
}

fn inside(options: &Options) -> Result<Transport> {
    let of_wire = [
        ("workers", options.workers.is_some()),
        ("connect_each_transaction", options.connect_each_transaction),
        ("reconnect_on_loss", options.reconnect_on_loss),
    ];
    match of_wire.iter().find(|(_, is_given)| *is_given) {
        Some((name, _)) => Err(hinted(
            format!("{name} needs transport => 'wire'"),
            "Clients inside the server are workers themselves; for new sessions there is reconnect.",
        )),
        None => Ok(Transport::Inside),
    }
}

fn wire(options: &Options, clients: usize) -> Result<Transport> {
    if options.result_mode == "discard" {
        return Err(hinted(
            "result_mode => 'discard' is not possible over the wire".to_owned(),
            "A connection gets all rows of its statements.",
        ));
    }
    if options.hit_curve {
        return Err(hinted(
            "hit_curve is not possible over the wire".to_owned(),
            "It needs to know which blocks the clients read, which only clients inside the server do.",
        ));
    }
    if options.connect_each_transaction && options.reconnect.is_some() {
        return Err(hinted(
            "connect_each_transaction and reconnect exclude each other".to_owned(),
            "connect_each_transaction is reconnect => 1.",
        ));
    }
    if let Some(workers) = options.workers.filter(|&workers| workers < 1) {
        return Err(invalid(format!(
            "workers must be at least 1, not {workers}"
        )));
    }
    let cpus = available_parallelism().map_or(1, usize::from);
    let workers = options.workers.map_or(cpus, |workers| workers as usize);
    Ok(Transport::Wire {
        workers: workers.min(clients),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(transport: &str, change: impl FnOnce(&mut Options)) -> Result<Transport> {
        let mut options = Options {
            transport: transport.to_owned(),
            ..Options::default()
        };
        change(&mut options);
        Transport::new(&options, 4)
    }

    #[test]
    fn a_worker_has_at_least_one_client() {
        let workers = |count| of("wire", |options| options.workers = Some(count)).unwrap();
        assert_eq!(workers(2), Transport::Wire { workers: 2 });
        assert_eq!(workers(9), Transport::Wire { workers: 4 });
        assert_eq!(
            (workers(2).workers(4), Transport::Inside.workers(4)),
            (2, 4)
        );
    }

    #[test]
    fn what_does_not_go_together_is_refused() {
        assert!(of("carrier pigeon", |_| ()).is_err());
        assert!(of("inside", |options| options.workers = Some(1)).is_err());
        assert!(of("inside", |options| options.connect_each_transaction = true).is_err());
        assert!(of("inside", |options| options.reconnect_on_loss = true).is_err());
        assert!(of("wire", |options| options.workers = Some(0)).is_err());
        assert!(of("wire", |options| options.result_mode = "discard".to_owned()).is_err());
        assert!(of("wire", |options| options.hit_curve = true).is_err());
        let both = |options: &mut Options| {
            options.connect_each_transaction = true;
            options.reconnect = Some(2);
        };
        assert!(of("wire", both).is_err());
    }

    #[test]
    fn it_is_stored_by_name() {
        let wire = Transport::Wire { workers: 2 };
        let stored = serde_json::json!({"transport": "wire", "workers": 2});
        assert_eq!(serde_json::to_value(wire).unwrap(), stored);
        assert_eq!(serde_json::from_value::<Transport>(stored).unwrap(), wire);
        let nothing = serde_json::json!({});
        assert_eq!(serde_json::to_value(Transport::Inside).unwrap(), nothing);
        let read = serde_json::from_value::<Transport>(nothing).unwrap();
        assert_eq!(read, Transport::Inside);
    }
}
