//! The assignment of a sampler, as it is registered with the server: its arguments fit into `bgw_extra`.

use crate::pg::process::worker::{self, Extra, Worker};
use crate::service::as_owner::Launch;
use crate::service::launch::{oid, word};
use pgrx::pg_sys::{InvalidOid, Oid};

/// What a sampler is there for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Assignment {
    /// It stays: a session has started it.
    Stay,
    /// It stays, in the first database of `pgperf.sampler_databases` that has the extension.
    Home {
        /// There was no free worker slot for it before.
        was_short: bool,
    },
    /// It looks for the extension and its owner. `page`: the handle of the shared memory for what it finds.
    Find { page: u32 },
    /// It takes what is due, as the page says, and ends.
    Visit {
        page: u32,
        /// The database with the figures of the server.
        home: Option<Oid>,
        was_short: bool,
    },
    /// It samples the targets of its database.
    Targets,
    /// It looks whether its database has targets to sample, and then starts who does.
    FindTargets,
}

impl Assignment {
    /// Asks the server for a worker; None if there is no free slot.
    pub fn register(&self, launch: &Launch) -> Option<Worker> {
        let name = self.name();
        let mut extra = launch.encode();
        extra[Launch::WORDS..][..WORDS].copy_from_slice(&self.encode());
        worker::register(name, name, "pgperf_sampler_main", &extra)
    }

    /// That of the worker, as pg_stat_activity shows it.
    pub fn name(&self) -> &'static str {
        match self {
            Assignment::Targets | Assignment::FindTargets => "pgperf target sampler",
            _ => "pgperf sampler",
        }
    }

    /// That of this worker.
    pub fn own() -> Assignment {
        Assignment::decode(&worker::extra())
    }

    /// Whether the server starts it, not a session.
    pub fn is_listed(&self) -> bool {
        matches!(
            self,
            Assignment::Home { .. } | Assignment::Find { .. } | Assignment::Visit { .. }
        )
    }

    /// The part of `pgperf.sampler_budget_percent` that it may take, with that many databases in the setting: the home has half of it, the
    /// others share the other half.
    pub fn share(&self, databases: usize) -> f64 {
        let others = databases.saturating_sub(1);
        match self {
            Assignment::Home { .. } if others > 0 => 0.5,
            Assignment::Visit { .. } => 0.5 / others.max(1) as f64,
            _ => 1.0,
        }
    }

    fn encode(&self) -> [u64; WORDS] {
        match *self {
            Assignment::Stay => [0, 0, 0, 0],
            Assignment::Home { was_short } => [1, 0, 0, u64::from(was_short)],
            Assignment::Find { page } => [2, u64::from(page), 0, 0],
            Assignment::Visit {
                page,
                home,
                was_short,
            } => {
                let home = word(home.unwrap_or(InvalidOid));
                [3, u64::from(page), home, u64::from(was_short)]
            }
            Assignment::Targets => [4, 0, 0, 0],
            Assignment::FindTargets => [5, 0, 0, 0],
        }
    }

    fn decode(extra: &Extra) -> Assignment {
        let words = &extra[Launch::WORDS..];
        let (page, was_short) = (words[1] as u32, words[3] != 0);
        match words[0] {
            1 => Assignment::Home { was_short },
            2 => Assignment::Find { page },
            3 => Assignment::Visit {
                page,
                home: Some(oid(words[2])).filter(|home| *home != InvalidOid),
                was_short,
            },
            4 => Assignment::Targets,
            5 => Assignment::FindTargets,
            _ => Assignment::Stay,
        }
    }
}

const WORDS: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_encoded_is_decoded() {
        for assignment in [
            Assignment::Stay,
            Assignment::Targets,
            Assignment::FindTargets,
            Assignment::Home { was_short: true },
            Assignment::Find { page: u32::MAX },
            Assignment::Visit {
                page: 7,
                home: Some(Oid::from(4_000_000_000)),
                was_short: false,
            },
            Assignment::Visit {
                page: 7,
                home: None,
                was_short: true,
            },
        ] {
            let mut extra = Extra::default();
            extra[Launch::WORDS..][..WORDS].copy_from_slice(&assignment.encode());
            assert_eq!(Assignment::decode(&extra), assignment);
        }
    }

    #[test]
    fn the_budget_is_the_server_s() {
        let home = Assignment::Home { was_short: false };
        let visit = Assignment::Visit {
            page: 1,
            home: None,
            was_short: false,
        };
        assert_eq!((home.share(1), Assignment::Stay.share(5)), (1.0, 1.0));
        assert_eq!(home.share(5) + 4.0 * visit.share(5), 1.0);
        assert_eq!(visit.share(1), 0.5);
    }
}
