//! Options that meet: runs in which each value of an option occurs with each value of each other one, and what each option promises
//! however it is combined. The rows that the runs' sessions write, and pgbench, are the judges.

mod around;
mod case;
mod conditions;
mod counts;
mod covering;
mod evidence;
mod options;
mod rules;

use self::case::Case;
use self::covering::{covering, pairs};
use self::evidence::Evidence;
use self::options::{ELSEWHERE, FACTORS, refusal};
use self::rules::Given;
use crate::common::aftermath::Aftermath;
use crate::common::runs::{PATIENCE, Runs, error_of};
use crate::common::{Cluster, output};
use postgres::Client;
use std::collections::BTreeSet;
use std::fs;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Runs side by side, each of up to three clients, two disturbances and a leader.
const SIDE_BY_SIDE: usize = 12;
/// More values of each client than any run draws.
const DRAWN: &str = "700";

fn cluster() -> (Cluster, Client) {
    let cluster = Cluster::for_scripts(&["max_worker_processes = 100"]);
    let mut session = cluster.connect();
    session
        .batch_execute(include_str!("tables.sql"))
        .expect("tables");
    // The partitions of today, which runs that begin together would make each for itself.
    session.value("SELECT count(*) FROM pgperf.snapshot('{wal}')");
    (cluster, session)
}

fn levels() -> Vec<usize> {
    FACTORS.iter().map(|factor| factor.levels.len()).collect()
}

/// The values that pgbench draws with the seed, of three clients.
fn drawn(cluster: &Cluster, session: &mut Client) -> Vec<Vec<i64>> {
    let script = cluster.socket_dir().join("drawn.sql");
    let text = "\\set value random(1, 1000000000)\nINSERT INTO drawn (client, value) VALUES (:client_id, :value);\n";
    fs::write(&script, text).expect("a script");
    let mut pgbench = cluster.program("pgbench");
    pgbench.args([
        "-n",
        "-c",
        "3",
        "-j",
        "3",
        "-t",
        DRAWN,
        "--random-seed=7",
        "-f",
    ]);
    let output = output(pgbench.arg(&script));
    assert!(output.status.success(), "{output:?}");
    let values = |client: i32| {
        let sql = "SELECT value FROM drawn WHERE client = $1 ORDER BY no";
        let rows = session.query(sql, &[&client]).expect("values");
        rows.iter().map(|row| row.get(0)).collect()
    };
    [0, 1, 2].map(values).to_vec()
}

/// A run that goes on.
struct Going {
    case: Case,
    run: i64,
    /// None: it is not to be interrupted, or has not been; the facts about its caches when it was.
    interrupted: Option<String>,
    resumed: bool,
}

impl Going {
    fn start(session: &mut Client, case: Case) -> Going {
        session
            .batch_execute(&case.preparation())
            .expect("preparation");
        let run = session.start_run(&case.arguments());
        Going {
            case,
            run,
            interrupted: None,
            resumed: false,
        }
    }

    /// Whether it has ended. One that is to be interrupted is, as soon as it has measured something, and resumed.
    fn follow(&mut self, session: &mut Client) -> bool {
        let (run, number) = (self.run, self.case.number);
        let status = session.status(run);
        if status == "interrupted" && self.interrupted.is_some() {
            if !self.resumed {
                session.value(&format!("SELECT pgperf.resume_run({run})"));
                self.resumed = true;
            }
            return false;
        }
        let is_due = self.case.is("resume", "interrupted") && self.interrupted.is_none();
        if is_due && status == "running" {
            let intervals = i64::from(!self.case.is("interval", "long"));
            let ready = format!(
                "SELECT count(*) >= 3 AND (SELECT count(*) FROM pgperf.run_intervals WHERE run_id = {run}) >= {intervals} \
                 FROM done WHERE run = {number} AND part = 0"
            );
            if session.value(&ready) == "t" {
                let facts = format!(
                    "SELECT coalesce(jsonb_object_agg(name, value), '{{}}') FROM pgperf.run_environment \
                      WHERE run_id = {run} AND category = 'memory' AND name LIKE 'caches%'"
                );
                self.interrupted = Some(session.value(&facts));
                let leader = session.leader(run);
                session.value(&format!("SELECT pg_terminate_backend({leader})"));
            }
        }
        ["finished", "stopped", "failed"].contains(&status.as_str())
    }

    /// What is wrong with it.
    fn judge(&self, session: &mut Client, drawn: &[Vec<i64>]) -> Vec<String> {
        let seen = Evidence::of(session, &self.case, self.run);
        let before = self.interrupted.as_deref().map(|text| {
            let facts: serde_json::Value = serde_json::from_str(text).expect("facts");
            facts.to_string()
        });
        let given = Given {
            case: &self.case,
            window: window(session, &self.case),
            seen: &seen,
            run: self.run,
            interrupted: self.interrupted.is_some(),
            drawn,
            caches_before: before.as_deref(),
        };
        let rules = [counts::RULES, conditions::RULES, around::RULES].concat();
        let broken = rules.into_iter().filter_map(|(name, rule)| {
            let why = rule(&given).err()?;
            Some(format!("{name}: {why}\n    {}", self.case.describe()))
        });
        broken.collect()
    }
}

/// The window of the history that the run's label names, of some that had a warm-up.
fn window(session: &mut Client, case: &Case) -> Option<(f64, f64)> {
    if !case.has("warmup") || case.number % 4 != 1 {
        return None;
    }
    let sql = format!(
        "SELECT extract(epoch FROM (w ->> 'from')::timestamptz)::float8, extract(epoch FROM (w ->> 'to')::timestamptz)::float8 \
         FROM (SELECT pgperf.history_json('{}') -> 'window' AS w OFFSET 0) d",
        case.label()
    );
    let row = session.query_one(&sql, &[]).expect("a window");
    Some((row.get(0), row.get(1)))
}

#[test]
fn each_two_options_keep_their_promises_together() {
    let (cluster, mut session) = cluster();
    let drawn = drawn(&cluster, &mut session);
    let rows = covering(&levels(), |a, b| refusal(a, b).is_some());
    println!("{} runs", rows.len());
    let cases = (0..).zip(rows).map(|(number, row)| Case { number, row });
    // The longest first.
    let mut waiting: Vec<Case> = cases.collect();
    waiting.sort_by(|a, b| a.duration_s().total_cmp(&b.duration_s()));
    let (mut going, mut broken, mut interruptions) = (Vec::<Going>::new(), Vec::new(), 0);
    let began = Instant::now();
    while !going.is_empty() || !waiting.is_empty() {
        while going.len() < SIDE_BY_SIDE
            && let Some(case) = waiting.pop()
        {
            going.push(Going::start(&mut session, case));
        }
        let (ended, others): (Vec<_>, Vec<_>) = going
            .into_iter()
            .map(|mut it| (it.follow(&mut session), it))
            .partition(|(has_ended, _)| *has_ended);
        going = others.into_iter().map(|(_, it)| it).collect();
        for (_, it) in ended {
            interruptions += usize::from(it.resumed);
            broken.extend(it.judge(&mut session, &drawn));
        }
        assert!(began.elapsed() < 2 * PATIENCE, "{} runs go on", going.len());
        sleep(Duration::from_millis(10));
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    assert!(interruptions > 0, "no run was interrupted");
    session.expect_nothing_left("all runs");
    for left in [
        "SELECT count(*) FROM pgperf_internal.resume_points",
        "SELECT count(*) FROM pgperf_internal.altered_settings",
        "SELECT count(*) FROM pg_file_settings WHERE sourcefile LIKE '%auto.conf'",
    ] {
        assert_eq!(session.number(left), 0, "{left}");
    }
}

#[test]
fn pairs_that_exclude_each_other_are_refused_before_anything_starts() {
    let (_cluster, mut session) = cluster();
    let excluded = pairs(&levels());
    let excluded = excluded
        .into_iter()
        .filter_map(|(a, b)| Some((a, b, refusal(a, b)?)));
    let mut refused = 0;
    for (a, b, said) in excluded {
        let mut row = vec![0; FACTORS.len()];
        (row[a.0], row[b.0]) = (a.1, b.1);
        // A refusal of this pair, not of one with the default.
        let case = Case {
            number: refused,
            row,
        };
        session
            .batch_execute(&case.preparation())
            .expect("preparation");
        let call = format!("SELECT pgperf.start_run({})", case.arguments());
        let (sqlstate, message, _) = error_of(&mut session, &call);
        assert!(message.contains(said), "{}: {message}", case.describe());
        assert_eq!(sqlstate, "22023", "{message}");
        refused += 1;
    }
    assert_eq!(refused, 18);
    assert_eq!(session.number("SELECT count(*) FROM pgperf.runs"), 0);
    assert_eq!(session.number("SELECT count(*) FROM done"), 0);
    session.expect_no_workers("refusals");
}

/// A new option has to meet the others, or to have a reason.
#[test]
fn every_option_of_a_run_is_among_them() {
    let (_cluster, mut session) = cluster();
    let names = session.value(
        "SELECT string_agg(name, ' ' ORDER BY name) FROM pgperf_internal.call_options() WHERE call = 'start_run'",
    );
    let there: BTreeSet<&str> = names.split(' ').collect();
    let varied = FACTORS.iter().flat_map(|factor| factor.options).copied();
    let elsewhere = ELSEWHERE.iter().map(|(name, _)| *name);
    let known: BTreeSet<&str> = varied.chain(elsewhere).collect();
    assert_eq!(there, known);
}
