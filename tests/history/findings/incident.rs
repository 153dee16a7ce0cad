//! An incident of eighteen causes, in real time, with the sampler at its defaults: the history alone names each cause once, with its
//! object, its onset and who did it; nothing that nobody did; and nothing in the quiet time before. It takes three quarters of an hour.
//!
//! A variation (PGPERF_INCIDENT=3) has other names, sizes and another order of the causes, which follow each other twice as fast after a shorter
//! quiet time: half an hour. The sampler's intervals are the defaults, and whatever lasts lasts as long. PGPERF_INCIDENT_KEPT=/tmp/incident
//! copies the data directory to that folder, which the server's user must be able to make.

use std::process::{Child, Stdio};
use std::thread::{JoinHandle, sleep, spawn};
use std::time::{Duration, Instant};

use crate::common::runs::Runs;
use crate::common::{Cluster, StopMode, as_server, run};
use postgres::{Client, NoTls};
use serde_json::Value;

const MINUTE: Duration = Duration::from_secs(60);
/// Minutes after the last one: each collector has come once more.
const AFTER: u32 = 11;

const SETTINGS: [&str; 11] = [
    "shared_preload_libraries = 'pg_stat_statements, pgperf'",
    "compute_query_id = on",
    "pgperf.sampler_databases = 'postgres'",
    "shared_buffers = 256MB",
    "max_connections = 50",
    "archive_mode = on",
    "max_slot_wal_keep_size = 64MB",
    "autovacuum_naptime = 20s",
    "max_parallel_workers_per_gather = 0",
    // What the machine's disk does meanwhile is not the incident.
    "fsync = off",
    "checkpoint_timeout = 5min",
];

/// What somebody does, and what has to be told of it.
struct Cause {
    rule: &'static str,
    /// Its name; of a statement a part of its text.
    object: &'static str,
    /// Parts of the evidence: who, and what.
    told: &'static [&'static str],
    /// Seconds between two samples of its collector; None: it is seen in the catalog, at the window's end.
    interval: Option<u64>,
    act: fn(&mut Stage),
}

/// In their order. `{v}` stands for the variation.
const CAUSES: [Cause; 18] = [
    Cause {
        rule: "idle_in_transaction",
        object: "report{v}",
        told: &["role analyst", "idle in transaction"],
        interval: Some(60),
        act: |stage| {
            let mut session = stage.session("analyst", "report{v}");
            session.value(&stage.named("BEGIN; SELECT count(*) FROM customers{v} WHERE id < 10"));
            stage.keep(session, 7 * MINUTE);
        },
    },
    Cause {
        rule: "archive_failures",
        object: "archive_command",
        told: &["none has succeeded since"],
        interval: Some(60),
        act: |stage| {
            std::fs::write(stage.cluster.socket_dir().join("broken"), "").expect("a file");
            stage.admin.value("SELECT pg_switch_wal()");
        },
    },
    Cause {
        rule: "blocking",
        object: "public.orders{v}",
        told: &[
            "role loader, application etl{v}",
            "ALTER TABLE orders{v}",
            "role deploy",
        ],
        interval: Some(10),
        act: |stage| {
            let mut head = stage.session("loader", "etl{v}");
            head.value(&stage.named("BEGIN; SELECT * FROM orders{v} WHERE id = 1"));
            let mut ddl = stage.session("deploy", "migration{v}");
            let add = stage.named("ALTER TABLE orders{v} ADD COLUMN note text");
            stage.go_on(move || {
                ddl.value(&add);
            });
            stage.keep(head, MINUTE);
        },
    },
    Cause {
        rule: "bulk_delete",
        object: "public.audit{v}",
        told: &["60 % of the table"],
        interval: Some(300),
        act: |stage| stage.run("DELETE FROM audit{v} WHERE id % 10 < 6"),
    },
    Cause {
        rule: "bulk_load",
        object: "public.archive{v}",
        told: &["% of the database"],
        interval: Some(300),
        act: |stage| {
            stage.run("INSERT INTO archive{v} SELECT i, repeat(md5(i::text), 4) FROM generate_series(1, 1000000) i");
        },
    },
    Cause {
        rule: "slower_statement",
        object: "SELECT count(*) FROM events{v} WHERE kind =",
        told: &["times the"],
        interval: Some(60),
        act: |stage| stage.run("DROP INDEX events{v}_kind_idx"),
    },
    Cause {
        rule: "sequence_exhaustion",
        object: "public.tickets{v}_id_seq",
        told: &["smallint"],
        interval: Some(600),
        act: |stage| stage.run("SELECT setval('tickets{v}_id_seq', 31000)"),
    },
    Cause {
        rule: "rollbacks",
        object: "postgres",
        told: &["were rolled back"],
        interval: Some(60),
        act: |stage| {
            let mut import = stage.session("loader", "import{v}");
            let again = stage.named("INSERT INTO customers{v} (id) VALUES (1)");
            stage.go_on(move || {
                for _ in 0..1500 {
                    import.simple_query(&again).expect_err("a duplicate key");
                }
            });
        },
    },
    Cause {
        rule: "deadlocks",
        object: "postgres",
        told: &["deadlocks between"],
        interval: Some(60),
        act: |stage| {
            let [mut one, mut other] =
                ["transfer", "refund"].map(|name| stage.session("loader", name));
            let of = |id: i32| {
                stage.named(&format!(
                    "UPDATE customers{{v}} SET id = id WHERE id = {id}"
                ))
            };
            let (first, second) = (of(11), of(12));
            one.value(&format!("BEGIN; {first}"));
            other.value(&format!("BEGIN; {second}"));
            let crossing = spawn(move || one.simple_query(&second).is_ok());
            let is_fine = other.simple_query(&first).is_ok();
            assert!(
                !(is_fine && crossing.join().expect("it ends")),
                "a deadlock"
            );
        },
    },
    Cause {
        rule: "connections",
        object: "max_connections",
        told: &["role intern, application leaky{v}"],
        interval: Some(10),
        act: |stage| {
            for _ in 0..43 {
                let session = stage.session("intern", "leaky{v}");
                // Shorter than the time between two samples.
                stage.keep(session, MINUTE / 8);
            }
        },
    },
    Cause {
        rule: "temp_files",
        object: "ORDER BY payload",
        told: &["most by"],
        interval: Some(60),
        act: |stage| {
            let mut session = stage.session("analyst", "export{v}");
            let sort = stage.named("SELECT count(*) FROM (SELECT payload, id FROM events{v} ORDER BY payload DESC OFFSET 0) x");
            stage.go_on(move || {
                for _ in 0..30 {
                    session.value(&sort);
                }
            });
        },
    },
    Cause {
        rule: "autovacuum_behind",
        object: "public.queue{v}",
        told: &["autovacuum is switched off for it"],
        interval: Some(300),
        act: |stage| stage.run("UPDATE queue{v} SET state = state + 1"),
    },
    Cause {
        rule: "unindexed_foreign_key",
        object: "public.invoices{v}",
        told: &[
            "invoices{v}_customer_fkey",
            "30 rows were deleted from customers{v}",
        ],
        interval: None,
        act: |stage| stage.run("DELETE FROM customers{v} WHERE id BETWEEN 20001 AND 20030"),
    },
    Cause {
        rule: "invalid_index",
        object: "public.documents{v}_kind_idx",
        told: &["which no query can use"],
        interval: None,
        act: |stage| {
            let build = stage.named(
                "CREATE UNIQUE INDEX CONCURRENTLY documents{v}_kind_idx ON documents{v} (kind)",
            );
            stage.admin.simple_query(&build).expect_err("duplicates");
        },
    },
    Cause {
        rule: "slot_holds_wal",
        object: "old_standby{v}",
        told: &["nobody uses it"],
        interval: Some(10),
        act: |stage| {
            stage.run(
                "SELECT pg_create_physical_replication_slot('old_standby{v}', true); \
                 SELECT count(pg_logical_emit_message(false, 'others', repeat('x', 1000000))) FROM generate_series(1, 40)",
            )
        },
    },
    Cause {
        rule: "duplicate_index",
        object: "public.orders{v}_again",
        told: &["its columns are those of orders{v}_pkey"],
        interval: None,
        act: |stage| stage.run("CREATE INDEX orders{v}_again ON orders{v} (id)"),
    },
    Cause {
        rule: "setting_changed",
        object: "random_page_cost",
        told: &["4, the default, became 8"],
        interval: Some(600),
        act: |stage| {
            stage.run("ALTER SYSTEM SET random_page_cost = 8");
            stage.run("SELECT pg_reload_conf()");
        },
    },
    Cause {
        rule: "new_statement",
        object: "count(DISTINCT md5(payload))",
        told: &["% of the time of all statements"],
        interval: Some(60),
        act: |stage| {
            let mut session = stage.session("shop", "release{v}");
            let query = stage.named("SELECT count(DISTINCT md5(payload)) FROM documents{v}");
            stage.go_on(move || {
                for _ in 0..200 {
                    session.value(&query);
                    sleep(Duration::from_millis(400));
                }
            });
        },
    },
];

/// Where it happens.
struct Stage {
    cluster: Cluster,
    admin: Client,
    variation: u32,
    kept: Vec<(Instant, Client)>,
    going_on: Vec<JoinHandle<()>>,
}

impl Stage {
    fn new(variation: u32) -> Stage {
        let cluster = Cluster::with_pgperf(&SETTINGS);
        let archive = format!(
            "archive_command = 'test ! -e {}'",
            cluster.socket_dir().join("broken").display()
        );
        cluster.reconfigure(&[&archive]);
        let admin = cluster.connect();
        let mut stage = Stage {
            cluster,
            admin,
            variation,
            kept: Vec::new(),
            going_on: Vec::new(),
        };
        for role in ["shop", "analyst", "loader", "deploy", "intern"] {
            stage.run(&format!("CREATE ROLE {role} LOGIN SUPERUSER"));
        }
        let more = 1.0 + f64::from(variation % 5) / 10.0;
        let rows = |number: f64| (number * more).round();
        stage.run(&format!(
            "CREATE TABLE orders{{v}} AS SELECT i AS id, 0 AS changes FROM generate_series(1, {}) i; ALTER TABLE orders{{v}} ADD PRIMARY KEY (id)",
            rows(500_000.0)
        ));
        for (name, number) in [
            ("events", 250_000.0),
            ("documents", 100_000.0),
            ("audit", 200_000.0),
            ("archive", 1000.0),
        ] {
            stage.run(&format!(
                "CREATE TABLE {name}{{v}} AS SELECT i AS id, repeat(md5(i::text), 4) AS payload, i % 20000 AS kind FROM generate_series(1, {}) i",
                rows(number)
            ));
        }
        stage.run(
            "CREATE INDEX events{v}_kind_idx ON events{v} (kind); ALTER TABLE archive{v} DROP COLUMN kind; \
             CREATE TABLE customers{v} AS SELECT i AS id FROM generate_series(1, 30000) i; ALTER TABLE customers{v} ADD PRIMARY KEY (id); \
             CREATE TABLE invoices{v} AS SELECT i AS id, 1 + i % 20000 AS customer, repeat('x', 60) AS label FROM generate_series(1, 150000) i; \
             ALTER TABLE invoices{v} ADD CONSTRAINT invoices{v}_customer_fkey FOREIGN KEY (customer) REFERENCES customers{v}; \
             CREATE TABLE queue{v} WITH (autovacuum_enabled = off) AS SELECT i AS id, 0 AS state FROM generate_series(1, 40000) i; \
             CREATE TABLE tickets{v} (id smallserial, label text); CREATE TABLE visits{v} (id bigserial, visitor int)",
        );
        stage.run("VACUUM ANALYZE");
        stage
    }

    /// A text with the variation's names.
    fn named(&self, text: &str) -> String {
        let suffix = match self.variation {
            0 => String::new(),
            variation => format!("_{variation}"),
        };
        text.replace("{v}", &suffix)
    }

    fn run(&mut self, sql: &str) {
        let sql = self.named(sql);
        self.admin
            .batch_execute(&sql)
            .unwrap_or_else(|error| panic!("{sql}: {error}"));
    }

    fn session(&self, role: &str, application: &str) -> Client {
        let mut config = self.cluster.config();
        config.user(role).application_name(&self.named(application));
        config.connect(NoTls).expect("a session")
    }

    /// The session lasts that long.
    fn keep(&mut self, session: Client, time: Duration) {
        self.kept.push((Instant::now() + time, session));
    }

    /// Minutes before the first cause. Rules that compare look as far back as their window is long.
    fn quiet(&self) -> u32 {
        if self.variation == 0 { 16 } else { 10 }
    }

    /// Between two causes.
    fn pace(&self) -> Duration {
        if self.variation == 0 {
            MINUTE
        } else {
            MINUTE / 2
        }
    }

    fn go_on(&mut self, work: impl FnOnce() + Send + 'static) {
        self.going_on.push(spawn(work));
    }

    /// Lets time pass, and ends what ends meanwhile.
    fn wait_until(&mut self, moment: Instant) {
        while Instant::now() < moment {
            sleep(Duration::from_millis(100));
            self.kept.retain(|(end, _)| Instant::now() < *end);
        }
    }

    /// The application: all the time, a few transactions a second.
    fn application(&self) -> Child {
        let script = self.named(
            "\\set id random(1, 500000)\n\\set kind random(0, 19999)\n\
             SELECT changes FROM orders{v} WHERE id = :id;\nUPDATE orders{v} SET changes = changes + 1 WHERE id = :id;\n\
             SELECT count(*) FROM events{v} WHERE kind = :kind;\nINSERT INTO visits{v} (visitor) VALUES (:id);\n\
             SELECT state FROM queue{v} WHERE id = 1 LIMIT 1;\nINSERT INTO tickets{v} (label) SELECT 'x' WHERE random() < 0.001;\n",
        );
        let file = self.cluster.socket_dir().join("application.sql");
        std::fs::write(&file, script).expect("the script");
        let mut pgbench = self.cluster.program("pgbench");
        pgbench
            .args([
                "-n", "-c", "4", "-R", "3", "-T", "7200", "-M", "prepared", "-f",
            ])
            .arg(&file);
        pgbench.env("PGAPPNAME", "shop").env("PGUSER", "shop");
        pgbench
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("pgbench")
    }
}

/// A finding, as the extension gives it.
#[derive(serde::Deserialize, Debug)]
struct Finding {
    rule: String,
    object: String,
    query: Option<String>,
    evidence: String,
    /// Seconds since the epoch.
    since: Option<f64>,
    at: f64,
    fix_sql: Option<String>,
    part_of: Option<String>,
}

fn findings(session: &mut Client, from: &str, to: &str) -> Vec<Finding> {
    let rows = session.value(&format!(
        "SELECT coalesce(jsonb_agg(jsonb_build_object('rule', rule, 'object', concat_ws('.', schema_name, object_name), 'query', figures ->> 'query', \
                'evidence', evidence, 'since', extract(epoch FROM since), 'at', extract(epoch FROM at), 'fix_sql', fix_sql, 'part_of', part_of)), '[]') \
         FROM pgperf.findings('{from}', '{to}')"
    ));
    let rows: Value = serde_json::from_str(&rows).expect("findings");
    serde_json::from_value(rows).expect("rows")
}

/// What the machine or the test's own pace brings: true, but nobody's doing here.
fn is_of_the_machine(finding: &Finding) -> bool {
    [
        "cpu_saturated",
        "device_saturated",
        "swapping",
        "file_system_full",
        "gap",
        "backend_writes",
    ]
    .contains(&finding.rule.as_str())
}

impl Cause {
    /// What is wrong with what is told of it.
    fn mistakes(&self, stage: &Stage, planted: f64, found: &[Finding]) -> Vec<String> {
        let object = stage.named(self.object);
        let is_it = |finding: &&Finding| {
            let text = finding.query.as_deref().unwrap_or_default();
            finding.rule == self.rule && (finding.object == object || text.contains(&object))
        };
        let of_it: Vec<&Finding> = found.iter().filter(is_it).collect();
        let [finding] = of_it.as_slice() else {
            return vec![format!(
                "{} {object}: told {} times",
                self.rule,
                of_it.len()
            )];
        };
        let mut wrong = Vec::new();
        for text in self.told.iter().map(|text| stage.named(text)) {
            if !finding.evidence.contains(&text) {
                wrong.push(format!(
                    "{} {object}: no \"{text}\": {}",
                    self.rule, finding.evidence
                ));
            }
        }
        if let Some(interval) = self.interval {
            // A sample takes a moment, too.
            let limit = interval as f64 + 15.0;
            let onset = [finding.since, Some(finding.at)].into_iter().flatten();
            let distance = onset
                .map(|onset| (onset - planted).abs())
                .fold(f64::INFINITY, f64::min);
            if distance > limit {
                wrong.push(format!(
                    "{} {object}: {distance} s from its time: {finding:?}",
                    self.rule
                ));
            }
        }
        wrong
    }
}

#[test]
fn an_incident_of_eighteen_causes_is_told() {
    let variation =
        std::env::var("PGPERF_INCIDENT").map_or(0, |text| text.parse().expect("a number"));
    let mut stage = Stage::new(variation);
    let now = "SELECT extract(epoch FROM clock_timestamp())";
    let moment = "SELECT clock_timestamp()";
    let mut application = stage.application();
    let began = Instant::now();
    // The first samples of each collector.
    stage.wait_until(began + MINUTE / 2);
    let quiet = stage.admin.value(moment);
    stage.wait_until(began + stage.quiet() * MINUTE);
    let incident = stage.admin.value(moment);
    let quiet_findings = findings(&mut stage.admin, &quiet, &incident);

    let first = Instant::now();
    let mut order: Vec<&Cause> = CAUSES.iter().collect();
    // The slot and the transaction that stays open take their time.
    order.rotate_left(variation as usize * 5 % CAUSES.len());
    let mut planted = Vec::new();
    for (number, cause) in (0..).zip(order) {
        stage.wait_until(first + number * stage.pace());
        planted.push((cause, stage.admin.float(now)));
        (cause.act)(&mut stage);
    }
    let last = Instant::now();
    stage.wait_until(last + AFTER * MINUTE);
    let end = stage.admin.value(moment);
    application.kill().expect("pgbench");
    application.wait().expect("its end");
    for work in stage.going_on.drain(..) {
        work.join().expect("it succeeds");
    }

    let found = findings(&mut stage.admin, &incident, &end);
    for finding in &found {
        println!("{finding:?}");
    }
    let mut wrong: Vec<String> = (quiet_findings.iter())
        .filter(|finding| !is_of_the_machine(finding))
        .map(|finding| format!("in quiet: {finding:?}"))
        .collect();
    for (cause, at) in &planted {
        wrong.extend(cause.mistakes(&stage, *at, &found));
    }
    let is_cause = |finding: &Finding| {
        CAUSES.iter().any(|cause| {
            let object = stage.named(cause.object);
            let query = finding.query.as_deref().unwrap_or_default();
            cause.rule == finding.rule && (finding.object == object || query.contains(&object))
        })
    };
    // A cause may be a part of what else is true of it, as its spilling sorts are of a statement that is new.
    let has_cause = |whole: &Finding| {
        let name = format!("{} {}", whole.rule, whole.object);
        (found.iter()).any(|part| part.part_of.as_deref() == Some(&name) && is_cause(part))
    };
    let is_planted = |finding: &&Finding| {
        finding.part_of.is_some()
            || is_of_the_machine(finding)
            || is_cause(finding)
            || has_cause(finding)
    };
    let others = found.iter().filter(|finding| !is_planted(finding));
    wrong.extend(others.map(|finding| format!("nobody did this: {finding:?}")));
    for fix in found
        .iter()
        .filter_map(|finding| finding.fix_sql.as_deref())
    {
        if let Err(error) = stage.admin.simple_query(fix) {
            wrong.push(format!("{fix}: {error}"));
        }
    }
    println!(
        "{}",
        stage.admin.value(&format!(
            "SELECT string_agg(line, E'\\n') FROM pgperf.history_report('{incident}', '{end}') line"
        ))
    );
    stage.cluster.expect_trouble("deadlock detected");
    if let Some(kept) = std::env::var_os("PGPERF_INCIDENT_KEPT") {
        println!("{} from {incident} to {end}", kept.display());
        stage.cluster.stop(StopMode::Fast);
        run(as_server("cp")
            .args(["-a", "--"])
            .args([stage.cluster.data_dir().into_os_string(), kept]));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
