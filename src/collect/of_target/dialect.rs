//! Differences between servers in the SQL of collectors: names of functions and views, and what a standby answers.

use crate::target::standing::Standing;
use pgrx::pg_sys;

/// A server, as far as SQL for it depends on that.
#[derive(Debug, Clone, Copy)]
pub struct Dialect {
    /// As server_version_num.
    pub version: u32,
    pub in_recovery: bool,
    /// Whether the control file may be read.
    pub reads_control: bool,
}

impl From<&Standing> for Dialect {
    fn from(standing: &Standing) -> Dialect {
        Dialect {
            version: standing.version,
            in_recovery: standing.in_recovery,
            reads_control: standing.reads_control,
        }
    }
}

impl Dialect {
    /// This server, which takes samples as a primary only.
    pub const HERE: Dialect = Dialect {
        version: pg_sys::PG_VERSION_NUM,
        in_recovery: false,
        reads_control: true,
    };

    /// Whether it is of this major, as 14, or a later one.
    pub fn has(&self, major: u32) -> bool {
        self.version >= major * 10_000
    }

    /// One of two texts: the first from a major on.
    pub fn since<'t>(&self, major: u32, then: &'t str, before: &'t str) -> &'t str {
        if self.has(major) { then } else { before }
    }

    /// Where the WAL ends: on a standby, what it has replayed.
    pub fn insert_lsn(&self) -> &'static str {
        match (self.in_recovery, self.has(10)) {
            (false, true) => "pg_catalog.pg_current_wal_insert_lsn()",
            (false, false) => "pg_catalog.pg_current_xlog_insert_location()",
            (true, true) => "pg_catalog.pg_last_wal_replay_lsn()",
            (true, false) => "pg_catalog.pg_last_xlog_replay_location()",
        }
    }

    /// Up to where it is flushed: on a standby, what it has received, or replayed from an archive.
    pub fn flush_lsn(&self) -> &'static str {
        match (self.in_recovery, self.has(10)) {
            (false, true) => "pg_catalog.pg_current_wal_flush_lsn()",
            (false, false) => "pg_catalog.pg_current_xlog_flush_location()",
            (true, true) => {
                "GREATEST(pg_catalog.pg_last_wal_receive_lsn(), pg_catalog.pg_last_wal_replay_lsn())"
            }
            (true, false) => {
                "GREATEST(pg_catalog.pg_last_xlog_receive_location(), pg_catalog.pg_last_xlog_replay_location())"
            }
        }
    }

    /// Up to where it is written: on a standby as [`Dialect::flush_lsn`].
    pub fn current_lsn(&self) -> &'static str {
        match (self.in_recovery, self.has(10)) {
            (false, true) => "pg_catalog.pg_current_wal_lsn()",
            (false, false) => "pg_catalog.pg_current_xlog_location()",
            (true, _) => self.flush_lsn(),
        }
    }

    /// The function for the distance of two positions.
    pub fn lsn_diff(&self) -> &'static str {
        self.since(
            10,
            "pg_catalog.pg_wal_lsn_diff",
            "pg_catalog.pg_xlog_location_diff",
        )
    }

    /// What FROM takes for a row with the newest checkpoint: `checkpoint_lsn`, `redo_lsn`, `checkpoint_time`.
    pub fn checkpoint(&self) -> &'static str {
        match (self.reads_control, self.has(10)) {
            (true, true) => "pg_catalog.pg_control_checkpoint()",
            (true, false) => {
                "(SELECT c.checkpoint_location AS checkpoint_lsn, c.redo_location AS redo_lsn, c.checkpoint_time \
                    FROM pg_catalog.pg_control_checkpoint() c)"
            }
            (false, _) => {
                "(SELECT NULL::pg_catalog.pg_lsn AS checkpoint_lsn, NULL::pg_catalog.pg_lsn AS redo_lsn, \
                         NULL::pg_catalog.timestamptz AS checkpoint_time)"
            }
        }
    }

    /// A mark of a set, as a window's value: it changes with any of its members, each a text of a row, which are in order.
    pub fn mark(&self, member: &str) -> String {
        match self.has(14) {
            true => format!("pg_catalog.bit_xor(pg_catalog.hashtextextended({member}, 0)) OVER ()"),
            false => format!(
                "('x' || pg_catalog.substr(pg_catalog.md5(pg_catalog.string_agg({member}, ',') OVER ()), 1, 16))\
                 ::pg_catalog.bit(64)::pg_catalog.int8"
            ),
        }
    }

    /// The next transaction id with its epoch.
    pub fn next_xid(&self) -> &'static str {
        "pg_catalog.txid_snapshot_xmax(pg_catalog.txid_current_snapshot())"
    }
}

/// The database that a session is in.
pub const CURRENT_DATABASE: &str =
    "(SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = pg_catalog.current_database())";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_wal_changed_with_10() {
        for in_recovery in [false, true] {
            let of = |version| Dialect {
                version,
                in_recovery,
                reads_control: true,
            };
            for (version, there, gone) in [(90_624, "xlog", "_wal_"), (100_023, "_wal_", "xlog")] {
                let dialect = of(version);
                for name in [
                    dialect.insert_lsn(),
                    dialect.flush_lsn(),
                    dialect.current_lsn(),
                    dialect.lsn_diff(),
                ] {
                    assert!(name.contains(there) && !name.contains(gone), "{name}");
                }
            }
        }
    }
}
