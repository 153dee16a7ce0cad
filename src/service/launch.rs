//! The arguments of the worker of a run or sweep when it is registered; they fit into `bgw_extra`.

use crate::pg::process::worker::Extra;
use pgrx::pg_sys::Oid;

/// Facts that a leader needs before it can read its run's row; likewise for the worker of a sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeaderLaunch {
    pub database: Oid,
    /// The extension's owner: the role of a run's leader.
    pub owner: Oid,
    /// The caller of `start_run` or `start_sweep`: the role of the clients. Never taken from a table's row.
    pub caller: Oid,
    pub extension: Oid,
    /// The (sub)transaction that stores the run.
    pub xid: u32,
    /// Or the sweep_id.
    pub run_id: i64,
}

impl LeaderLaunch {
    pub fn encode(&self) -> Extra {
        let mut extra = Extra::default();
        let words = [
            word(self.database),
            word(self.owner),
            word(self.caller),
            word(self.extension),
            u64::from(self.xid),
            self.run_id as u64,
        ];
        extra[..words.len()].copy_from_slice(&words);
        extra
    }

    pub fn decode(extra: &Extra) -> LeaderLaunch {
        LeaderLaunch {
            database: oid(extra[0]),
            owner: oid(extra[1]),
            caller: oid(extra[2]),
            extension: oid(extra[3]),
            xid: extra[4] as u32,
            run_id: extra[5] as i64,
        }
    }
}

/// An oid as a word of `bgw_extra`.
pub fn word(oid: Oid) -> u64 {
    u64::from(u32::from(oid))
}

/// And back.
pub fn oid(word: u64) -> Oid {
    Oid::from(word as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_encoded_is_decoded() {
        let leader = LeaderLaunch {
            database: Oid::from(5),
            owner: Oid::from(10),
            caller: Oid::from(4_000_000_000),
            extension: Oid::from(16384),
            xid: u32::MAX,
            run_id: i64::MAX,
        };
        assert_eq!(LeaderLaunch::decode(&leader.encode()), leader);
    }
}
