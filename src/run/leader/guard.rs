//! Stops a run before it harms its server: checks the run's limits and the server's own settings. The session that
//! starts a run checks once, the leader all the time, without SQL where possible.

use crate::error::Result;
use crate::guc;
use crate::pg::process::clock;
use crate::pg::server;
use crate::pg::sql::spi;
use crate::run::request::limits::{Approach, Limits};
use crate::run::resume::state::Carried;
use crate::service::permission::{Reason, forbidden};
use crate::subject::host::collector::{Room, room};
use serde::Deserialize;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

/// The values that a leader watches.
pub struct Guard {
    limits: Limits,
    began_at: u64,
    /// How long earlier segments of the run lasted.
    before: Duration,
    /// See [`Carried::start_lsn`].
    start_lsn: u64,
    wal: Approach,
    disks: Vec<Disk>,
    xid_age: Approach,
    lag: Approach,
    looked_at: u64,
    asked_at: u64,
    /// The last answer of [`Guard::ask`].
    asked: Option<Asked>,
}

/// A file system that the run writes to.
struct Disk {
    holds: String,
    path: PathBuf,
    used: Approach,
}

/// Values that only SQL provides.
#[derive(Debug, Clone, Deserialize)]
struct Asked {
    /// The age of the oldest database's datfrozenxid.
    xid_age: i64,
    /// The greatest lag of a standby, or of a slot whose standby is away; None if there is none.
    lag_bytes: Option<i64>,
    /// The time of the answer (monotonic ns), and the next transaction id then.
    #[serde(skip)]
    at: u64,
    #[serde(skip)]
    next_xid: u64,
}

/// How often to check, and how often to ask by SQL.
const LOOK_NS: u64 = 100_000_000;
const ASK_LAG_NS: u64 = 1_000_000_000;
const ASK_AGE_NS: u64 = 10_000_000_000;

const ASK: &str = "SELECT (SELECT pg_catalog.max(pg_catalog.age(d.datfrozenxid))::pg_catalog.int8 \
                             FROM pg_catalog.pg_database d) AS xid_age, \
     (SELECT pg_catalog.max(pg_catalog.pg_wal_lsn_diff(pg_catalog.pg_current_wal_lsn(), s.lsn))::pg_catalog.int8 \
        FROM (SELECT r.replay_lsn FROM pg_catalog.pg_stat_replication r \
              UNION ALL SELECT l.restart_lsn FROM pg_catalog.pg_replication_slots l WHERE NOT l.active) s (lsn)) \
     AS lag_bytes";

impl Guard {
    /// For a run whose earlier segments have the sums `carried`.
    pub fn new(limits: &Limits, carried: &Carried) -> Guard {
        let disks = match limits.free_disk {
            Some(_) => disks(),
            None => Vec::new(),
        };
        Guard {
            limits: limits.clone(),
            began_at: clock::now(),
            before: Duration::from_secs_f64(carried.seconds.max(0.0)),
            start_lsn: carried.start_lsn(),
            wal: Approach::default(),
            disks,
            xid_age: Approach::default(),
            lag: Approach::default(),
            looked_at: 0,
            asked_at: 0,
            asked: None,
        }
    }

    /// Whether it is time to check again.
    pub fn is_due(&self, now: u64) -> bool {
        now >= self.looked_at + LOOK_NS
    }

    /// Whether it is time to [`Guard::ask`] again.
    pub fn is_curious(&self, now: u64) -> bool {
        let every = match (self.limits.replication_lag, self.limits.xid_age) {
            (Some(_), _) => ASK_LAG_NS,
            (None, Some(_)) => ASK_AGE_NS,
            (None, None) => return false,
        };
        self.asked_at == 0 || now >= self.asked_at + every
    }

    /// Asks for the values that only SQL provides, as the extension's owner.
    ///
    /// # Errors
    /// The query failed; then the earlier values still count.
    pub fn ask(&mut self, now: u64) -> Result<()> {
        self.asked_at = now;
        self.asked = spi::select_one(ASK, &[])?.map(|asked| Asked {
            at: now,
            next_xid: server::next_xid(),
            ..asked
        });
        Ok(())
    }

    /// The reason to stop the run now, if there is one; `failed`: its failed transactions so far.
    pub fn look(&mut self, now: u64, failed: u64) -> Option<Reason> {
        self.looked_at = now;
        forbidden()
            .or_else(|| self.too_long(now))
            .or_else(|| self.too_many_errors(failed))
            .or_else(|| self.too_much_wal(now))
            .or_else(|| self.disk_too_full(now))
            .or_else(|| self.ids_too_old(now))
            .or_else(|| self.standby_too_late(now))
    }

    fn too_long(&self, now: u64) -> Option<Reason> {
        let limit = guc::max_run_time()?;
        let lasts = Duration::from_nanos(now.saturating_sub(self.began_at));
        (lasts + self.before >= limit).then(|| too_long(limit.as_secs()))
    }

    fn too_many_errors(&self, failed: u64) -> Option<Reason> {
        let limit = self.limits.errors?;
        (failed >= limit).then(|| {
            of_limit(
                "errors",
                format!("{failed} transactions failed, the limit is {limit}"),
            )
        })
    }

    fn too_much_wal(&mut self, now: u64) -> Option<Reason> {
        let limit = self.limits.wal?;
        let written = server::insert_position().saturating_sub(self.start_lsn);
        let near = self.wal.is_near(now, written as f64, limit as f64);
        near.then(|| {
            let text = format!(
                "{} of WAL were written, the limit is {}",
                mb(written),
                mb(limit)
            );
            of_limit("wal", text)
        })
    }

    fn disk_too_full(&mut self, now: u64) -> Option<Reason> {
        let limit = self.limits.free_disk?;
        self.disks.iter_mut().find_map(|disk| {
            let Room { free, total, .. } = room(&disk.path).ok()?;
            let keep = limit.bytes(total);
            let (used, usable) = (total - free.min(total), total - keep.min(total));
            let near = disk.used.is_near(now, used as f64, usable as f64);
            near.then(|| Reason {
                sqlstate: "53100",
                ..of_limit(
                    "free_disk",
                    format!(
                        "{} are free on the file system of {}, the limit is {}",
                        mb(free),
                        disk.holds,
                        mb(keep)
                    ),
                )
            })
        })
    }

    /// The oldest id gets no younger by itself, so between two queries its age grows with the next id.
    fn ids_too_old(&mut self, now: u64) -> Option<Reason> {
        let limit = self.limits.xid_age?;
        let asked = self.asked.as_ref()?;
        let taken = server::next_xid().saturating_sub(asked.next_xid);
        let age = u64::try_from(asked.xid_age).unwrap_or(0) + taken;
        let near = self.xid_age.is_near(now, age as f64, limit as f64);
        near.then(|| {
            let text = format!("the oldest transaction id is {age} old, the limit is {limit}");
            of_limit("xid_age", text)
        })
    }

    /// The lag is known only as of the last query.
    fn standby_too_late(&mut self, now: u64) -> Option<Reason> {
        let limit = self.limits.replication_lag?;
        let asked = self.asked.as_ref()?;
        let behind = u64::try_from(asked.lag_bytes?).unwrap_or(0);
        let near = (self.lag).was_near(asked.at, behind as f64, now, limit as f64);
        near.then(|| {
            let text = format!(
                "a standby is {} behind, the limit is {}",
                mb(behind),
                mb(limit)
            );
            of_limit("replication_lag", text)
        })
    }
}

/// The reason for refusing a run longer than `pgperf.max_run_time`.
pub fn too_long(limit_s: u64) -> Reason {
    Reason {
        sqlstate: "53400",
        message: format!("a run on this server lasts at most {limit_s} s (pgperf.max_run_time)"),
        hint: "Request a shorter run, or raise pgperf.max_run_time; a reload suffices.".to_owned(),
    }
}

fn of_limit(name: &str, text: String) -> Reason {
    Reason {
        sqlstate: "53400",
        message: format!("limit {name}: {text}"),
        hint: format!(
            "Choose the limit for the run: limits => '{{\"{name}\": ...}}'; null lifts it."
        ),
    }
}

fn mb(bytes: u64) -> String {
    format!("{} MB", bytes / 1_000_000)
}

/// The file systems of the data directory, of the WAL, and of the tablespaces in which this database has files, once
/// each. Every process of the server works in its data directory.
fn disks() -> Vec<Disk> {
    let database = server::database().to_u32().to_string();
    let tablespaces = fs::read_dir("pg_tblspc").into_iter().flatten().flatten();
    let used = tablespaces.filter(|space| {
        let versions = fs::read_dir(space.path()).into_iter().flatten().flatten();
        versions
            .map(|version| version.path().join(&database))
            .any(|folder| folder.is_dir())
    });
    let places = [("data", "."), ("WAL", "pg_wal")]
        .map(|(holds, path)| (holds.to_owned(), PathBuf::from(path)))
        .into_iter()
        .chain(used.map(|space| {
            let name = space.file_name().to_string_lossy().into_owned();
            (format!("tablespace {name}"), space.path())
        }));
    let mut seen = Vec::new();
    let mut disks = Vec::new();
    for (holds, path) in places {
        // The same device is the same file system, as far as that can be known.
        let Ok(device) = rustix::fs::stat(&path).map(|stat| stat.st_dev) else {
            continue;
        };
        if !seen.contains(&device) {
            seen.push(device);
            disks.push(Disk {
                holds,
                path,
                used: Approach::default(),
            });
        }
    }
    disks
}
