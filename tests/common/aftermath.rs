//! What a fault must leave behind: the stored rows, a correct status, and nothing else.

use std::thread::sleep;
use std::time::{Duration, Instant};

use postgres::Client;

use super::runs::{AT_ONCE, BUSY, PATIENCE, Runs, expect_next_run};
use super::{Cluster, wait_until};

/// Shared memory as files of the cluster itself, so that another server's are not mistaken for its own.
const OWN_SEGMENTS: &str = "dynamic_shared_memory_type = mmap";
/// First bytes of a run's segment (crates/memory/src/lib.rs), as the machine has them.
const SEGMENT_MAGIC: u64 = u64::from_be_bytes(*b"pgperf02");
/// Worker slots of a cluster (`SETTINGS`), less those of the logical replication launcher and a leader.
const ALL_SLOTS: i64 = 14;

impl Cluster {
    /// A cluster with data, in which the remains of a fault can be found.
    pub fn for_faults(conf: &[&str]) -> Cluster {
        Cluster::for_runs(&[&[OWN_SEGMENTS], conf].concat())
    }

    /// Expects that no process of the server has crashed in its whole life.
    pub fn expect_no_crash(&self) {
        let log = self.log();
        for sign in ["PANIC", "terminated by signal", "TRAP:", "panicked at"] {
            assert!(!log.contains(sign), "{sign} in the log:\n{log}");
        }
    }

    /// A session as soon as the server lets one in again.
    pub fn reconnect(&self) -> Client {
        let mut session = None;
        wait_until("a session", PATIENCE, || {
            session = self.config().connect(postgres::NoTls).ok();
            session.is_some()
        });
        session.expect("a session")
    }

    /// Kills a process of this cluster, and waits until the server has recovered from that.
    pub fn crash_process(&self, session: &mut Client, pid: i64) -> Client {
        self.kill(pid.try_into().expect("a process id"));
        wait_until("the crash to reach a session", PATIENCE, || {
            session.simple_query("").is_err()
        });
        self.reconnect()
    }
}

/// A run that is about to meet a fault.
pub struct Victim {
    pub run: i64,
    /// Its first intervals, which are there for good.
    kept: i64,
    print: String,
}

impl Victim {
    /// Starts a busy run.
    pub fn busy(session: &mut Client) -> Victim {
        Victim::start(session, BUSY)
    }

    /// Starts a run that commits, and waits until its first intervals are on disk: they are stored without waiting
    /// for it, but the commits of the clients take them along.
    pub fn start(session: &mut Client, arguments: &str) -> Victim {
        let run = session.start_run(arguments);
        Victim::of(session, run)
    }

    /// One that somebody has started.
    pub fn of(session: &mut Client, run: i64) -> Victim {
        wait_until("two intervals", PATIENCE, || session.intervals(run) >= 2);
        let kept = session.intervals(run);
        let print = print(session, run, kept);
        wait_until("a further interval", PATIENCE, || {
            session.intervals(run) > kept
        });
        Victim { run, kept, print }
    }

    /// Expects the right status, that its intervals have stayed and nothing else has, and that the next run works.
    pub fn expect_end(&self, session: &mut Client, status: &str, reason: &str) {
        self.expect_status(session, status, reason);
        session.expect_nothing_left(&format!("run {}", self.run));
        expect_next_run(session);
    }

    /// The first half of it: of the run alone.
    pub fn expect_status(&self, session: &mut Client, status: &str, reason: &str) {
        let run = self.run;
        session.wait_for_status(run, status);
        let stored = session.value(&format!(
            "SELECT concat_ws(' ', sqlstate, error) FROM pgperf.runs WHERE run_id = {run}"
        ));
        assert!(
            stored.contains(reason) && stored.is_empty() == reason.is_empty(),
            "\"{stored}\", not \"{reason}\""
        );
        assert_eq!(print(session, run, self.kept), self.print);
        let intervals = |expression: &str| {
            format!("SELECT {expression} FROM pgperf.run_intervals WHERE run_id = {run}")
        };
        let missing = session.number(&intervals("max(interval_no) + 1 - count(*)"));
        assert_eq!(missing, 0, "intervals are missing");
        let in_intervals = session.number(&intervals("sum(transactions)"));
        assert!(in_intervals > 0);
        if status == "stopped" {
            assert_eq!(session.total(run, "transactions"), in_intervals);
        }
    }
}

/// The contents of a run's first intervals.
fn print(session: &mut Client, run: i64, count: i64) -> String {
    session.value(&format!(
        "SELECT md5(string_agg(i::text, E'\\n' ORDER BY interval_no)) FROM pgperf.run_intervals i \
         WHERE run_id = {run} AND interval_no < {count}"
    ))
}

/// Questions about the remains.
pub trait Aftermath: Runs {
    /// Expects that, now or very soon, nothing is left of a run or sampler except its stored rows.
    fn expect_nothing_left(&mut self, after: &str) {
        let limit = Instant::now() + AT_ONCE;
        loop {
            let left = self.leftovers();
            if left.is_empty() {
                return;
            }
            assert!(Instant::now() < limit, "left after {after}: {left}");
            sleep(Duration::from_millis(20));
        }
    }

    /// Remains without a living session: processes, locks, shared memory, files.
    fn leftovers(&mut self) -> String {
        self.value(&format!(
            "WITH meant_to_stay AS ( \
                 SELECT pid FROM pg_stat_activity WHERE backend_type = 'pgperf launcher' OR backend_type = 'pgperf sampler' \
                    AND datname = ANY (regexp_split_to_array(current_setting('pgperf.sampler_databases', true), ', *'))) \
             SELECT string_agg(format('%s %s', n, what), ', ') FROM ( \
                 SELECT 'workers' AS what, count(*) AS n FROM pg_stat_activity \
                  WHERE backend_type LIKE 'pgperf%' AND pid NOT IN (SELECT pid FROM meant_to_stay) \
             UNION ALL SELECT 'locks', count(*) FROM pg_locks \
                  WHERE locktype = 'advisory' AND pid NOT IN (SELECT pid FROM meant_to_stay) \
                     OR pid NOT IN (SELECT pid FROM pg_stat_activity) \
             UNION ALL SELECT 'prepared transactions', count(*) FROM pg_prepared_xacts \
             UNION ALL SELECT 'replication slots', count(*) FROM pg_replication_slots WHERE active \
             UNION ALL SELECT 'temporary files', count(*) FROM pg_ls_tmpdir() \
             UNION ALL SELECT 'segments', count(*) FROM pg_ls_dir('pg_dynshmem') f \
                  WHERE pg_read_binary_file('pg_dynshmem/' || f, 0, 8, true) = '{}' \
             ) l WHERE n > 0",
            segment_head()
        ))
    }

    /// Expects that no file of a table is left that the catalog does not know; the first segment of one that was
    /// dropped stays until the next checkpoint, empty.
    fn expect_no_orphan_files(&mut self) {
        let orphans = self.value(
            "SELECT string_agg(f, ', ') FROM (SELECT 'base/' || oid || '/' AS dir FROM pg_database \
                 WHERE datname = current_database()) d, pg_ls_dir(dir) f \
             WHERE f ~ '^\\d+$' AND pg_filenode_relation(0, f::oid) IS NULL \
               AND (pg_stat_file(dir || f, true)).size > 0",
        );
        assert_eq!(orphans, "", "files of no table");
    }

    /// Expects that every worker slot is free: a run can have them all.
    fn expect_all_slots(&mut self) {
        let run = self.finish_run(&format!(
            "script => 'SELECT 1;', clients => {ALL_SLOTS}, transactions_per_client => 1, collectors => '{{}}'"
        ));
        assert_eq!(self.total(run, "transactions"), ALL_SLOTS);
    }
}

impl Aftermath for Client {}

fn segment_head() -> String {
    let bytes = SEGMENT_MAGIC.to_ne_bytes();
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("\\x{digits}")
}
