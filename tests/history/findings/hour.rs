//! A production hour, made faster than the clock: an application (pgbench), what somebody did to its server, and the samples
//! that the sampler would have taken. A minute lasts as long as its work; afterwards all times of the history
//! are those of the script.

use std::thread::JoinHandle;

use crate::common::runs::{PATIENCE, Runs};
use crate::common::{Cluster, run, wait_until};
use postgres::Client;

/// Minutes before the hour: what was usual.
const BEFORE: i64 = 15;
/// The hour. Samples are at its minutes, the first one at its beginning.
const MINUTES: i64 = 60;
pub const FROM: &str = "2026-11-20 12:00+00";
pub const TO: &str = "2026-11-20 13:00+00";

/// Who holds a snapshot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Holder {
    /// A session that waits in its transaction.
    Idle,
    /// A statement that goes on.
    Query,
    /// A prepared transaction.
    Prepared,
}

/// Something planted. Minutes count from the beginning of the hour.
#[derive(Clone, Debug, PartialEq)]
pub enum Cause {
    /// An index that nobody uses, there from the beginning.
    UnusedIndex {
        table: &'static str,
    },
    /// Updates of a table that autovacuum leaves alone.
    Bloat {
        table: &'static str,
        from: i64,
    },
    /// Twenty minutes.
    HeldSnapshot {
        by: Holder,
        from: i64,
    },
    /// Of a part of a table's rows, in percent.
    BulkDelete {
        table: &'static str,
        percent: i64,
        at: i64,
    },
    Reindex {
        table: &'static str,
        at: i64,
    },
    Setting {
        name: &'static str,
        value: &'static str,
        at: i64,
    },
    /// A statement that reads all of a table, a few times a minute.
    SlowStatement {
        table: &'static str,
        from: i64,
    },
}

/// How long a snapshot is held.
pub const HELD: i64 = 20;
/// Under this name, as the application's or the transaction's.
pub const HOLDER: &str = "monthly report";

/// The tables with their numbers of rows, one for each part of the play: the application uses all of them all the time.
pub struct Hour {
    pub tables: [(&'static str, i64); 5],
    pub causes: Vec<Cause>,
}

impl Hour {
    /// Plays it in a cluster of its own.
    pub fn play(&self) -> Cluster {
        let cluster = Cluster::with_pgperf(&[
            "shared_buffers = 256MB",
            // Autovacuum comes every minute of the script.
            "autovacuum_naptime = 1s",
            "max_prepared_transactions = 2",
        ]);
        let mut session = cluster.connect();
        self.create(&cluster, &mut session);
        let mut held = None;
        for minute in -BEFORE..=MINUTES {
            self.application(&cluster);
            for cause in &self.causes {
                act(cause, minute, &cluster, &mut session, &mut held);
            }
            sample(minute, &mut session);
        }
        stretch(&mut session);
        cluster
    }

    fn create(&self, cluster: &Cluster, session: &mut Client) {
        run(cluster.program("pgbench").args(["-i", "-q", "-s", "1"]));
        session.value("CREATE EXTENSION IF NOT EXISTS pg_walinspect");
        for (table, rows) in self.tables {
            session.value(&format!(
                "CREATE TABLE {table} AS SELECT i::bigint AS id, 0 AS changes, i * 7 % 1009 AS kind, md5(i::text) || md5((i + 1)::text) AS label \
                 FROM generate_series(1, {rows}) i"
            ));
            session.value(&format!("ALTER TABLE {table} ADD PRIMARY KEY (id)"));
            session.value(&format!(
                "CREATE INDEX {table}_label_idx ON {table} (label)"
            ));
        }
        for cause in &self.causes {
            match cause {
                Cause::UnusedIndex { table } => {
                    session.value(&format!(
                        "CREATE INDEX {table}_unused_idx ON {table} ((id * 3))"
                    ));
                }
                Cause::Bloat { table, .. } => {
                    session.value(&format!(
                        "ALTER TABLE {table} SET (autovacuum_enabled = off)"
                    ));
                }
                _ => {}
            }
        }
        session.value("VACUUM ANALYZE");
        // The first measurement of every relation, which the sampler has made by then.
        session.value("CALL pgperf.take_snapshot('{bloat, tables, settings, statements}')");
    }

    /// A minute of it: pgbench's transactions, and searches and changes of all tables.
    fn application(&self, cluster: &Cluster) {
        let mut script = String::new();
        for (table, rows) in self.tables {
            script += &format!(
                "\\set id random(1, {rows})\n\
                 SELECT changes FROM {table} WHERE label = md5(:id::text) || md5((:id + 1)::text);\n\
                 UPDATE {table} SET changes = changes + 1 WHERE id = :id;\n"
            );
        }
        let file = cluster.socket_dir().join("application.sql");
        std::fs::write(&file, script).expect("the script");
        run(cluster
            .program("pgbench")
            .args(["-n", "-c", "2", "-t", "15", "-b", "tpcb-like", "-f"])
            .arg(&file));
    }
}

/// Does what a cause does in this minute.
fn act(
    cause: &Cause,
    minute: i64,
    cluster: &Cluster,
    session: &mut Client,
    held: &mut Option<Held>,
) {
    match *cause {
        Cause::UnusedIndex { .. } => {}
        Cause::Bloat { table, from } => {
            if minute >= from {
                session.value(&format!(
                    "UPDATE {table} SET kind = kind + 1 WHERE id BETWEEN 1 AND (SELECT reltuples / 20 FROM pg_class WHERE oid = '{table}'::regclass)"
                ));
            }
        }
        Cause::HeldSnapshot { by, from } => {
            if minute == from {
                *held = Some(Held::begin(by, cluster));
            }
            if minute == from + HELD {
                held.take().expect("it is held").end(session);
            }
        }
        Cause::BulkDelete { table, percent, at } => {
            if minute == at {
                session.value(&format!("DELETE FROM {table} WHERE id % 100 < {percent}"));
            }
        }
        Cause::Reindex { table, at } => {
            if minute == at {
                session.value(&format!("REINDEX INDEX {table}_label_idx"));
            }
        }
        Cause::Setting { name, value, at } => {
            if minute == at {
                session.value(&format!("ALTER SYSTEM SET {name} = '{value}'"));
                let before = session.value("SELECT pg_conf_load_time()");
                session.value("SELECT pg_reload_conf()");
                wait_until("the reload", PATIENCE, || {
                    session.value("SELECT pg_conf_load_time()") != before
                });
            }
        }
        Cause::SlowStatement { table, from } => {
            if minute >= from {
                for _ in 0..2 {
                    session.value(&format!(
                        "SELECT kind, count(DISTINCT label) FROM {table} WHERE kind < 200 GROUP BY kind ORDER BY 2 DESC LIMIT 3"
                    ));
                }
            }
        }
    }
}

/// A snapshot that is held.
enum Held {
    Idle(Box<Client>),
    Query(i32, JoinHandle<()>),
    Prepared,
}

impl Held {
    fn begin(by: Holder, cluster: &Cluster) -> Held {
        let mut config = cluster.config();
        let mut session = (config.application_name(HOLDER))
            .connect(postgres::NoTls)
            .expect("a connection");
        session.value("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1");
        match by {
            Holder::Idle => Held::Idle(Box::new(session)),
            Holder::Prepared => {
                session.value("CREATE TABLE prepared_by_report (id int)");
                session.value(&format!("PREPARE TRANSACTION '{HOLDER}'"));
                Held::Prepared
            }
            Holder::Query => {
                let pid = session.number("SELECT pg_backend_pid()");
                let query = std::thread::spawn(move || {
                    // Cancelled in the end.
                    session
                        .simple_query("SELECT pg_sleep(3600)")
                        .expect_err("a cancel");
                });
                Held::Query(i32::try_from(pid).expect("a process id"), query)
            }
        }
    }

    fn end(self, session: &mut Client) {
        match self {
            Held::Idle(client) => client.close().expect("the end of the session"),
            Held::Prepared => {
                session.value(&format!("ROLLBACK PREPARED '{HOLDER}'"));
            }
            Held::Query(pid, query) => {
                session.value(&format!("SELECT pg_cancel_backend({pid})"));
                query.join().expect("the query's end");
            }
        }
    }
}

/// The samples of a minute, by the sampler's default intervals. Not the machine's: it does other work than the script's.
fn sample(minute: i64, session: &mut Client) {
    let mut collectors =
        "wal,database,checkpoints,io,waits,replication,wraparound,slru,statements,buffers"
            .to_owned();
    if minute % 5 == 0 {
        collectors += ",tables";
    }
    if minute % 10 == 0 {
        collectors += ",settings,bloat";
    }
    session.value("SELECT pg_stat_force_next_flush()");
    let failed = session.value(&format!(
        "SELECT string_agg(concat_ws(' ', collector, reason), ', ') FROM pgperf.snapshot('{{{collectors}}}') WHERE status = 'failed'"
    ));
    assert_eq!(failed, "");
}

/// Gives every time in the history that of the script: sample n is that of minute n, and between two samples time passes evenly.
fn stretch(session: &mut Client) {
    session.value(&format!(
        "CREATE TABLE pace AS \
         SELECT taken_at AS real, timestamptz '{FROM}' + (row_number() OVER (ORDER BY sample_id) - {}) * interval '1 minute' AS scripted \
         FROM pgperf.samples",
        BEFORE + 2
    ));
    session.value(
        "INSERT INTO pace SELECT min(real) - interval '9 days', min(scripted) - interval '9 days' FROM pace \
         UNION ALL SELECT max(real) + interval '9 days', max(scripted) + interval '9 days' FROM pace",
    );
    session.value(
        "CREATE FUNCTION scripted(t timestamptz) RETURNS timestamptz LANGUAGE sql AS $$ \
         SELECT a.scripted + (b.scripted - a.scripted) * (extract(epoch FROM t - a.real) / extract(epoch FROM b.real - a.real))::float8 \
         FROM (SELECT * FROM pace WHERE real <= t ORDER BY real DESC LIMIT 1) a, (SELECT * FROM pace WHERE real > t ORDER BY real LIMIT 1) b $$",
    );
    session.value(
        "DO $$ DECLARE history text; BEGIN \
         FOR history IN SELECT table_name FROM pgperf_internal.history_tables UNION VALUES ('statement_texts'), ('plan_texts') LOOP \
             EXECUTE format('UPDATE pgperf.%I SET %s', history, \
                 (SELECT string_agg(format('%1$I = scripted(%1$I)', attname), ', ') FROM pg_attribute \
                  WHERE attrelid = format('pgperf.%I', history)::regclass AND attnum > 0 AND NOT attisdropped \
                    AND atttypid = 'timestamptz'::regtype)); \
         END LOOP; END $$",
    );
    session.value("DROP FUNCTION scripted; DROP TABLE pace");
}
