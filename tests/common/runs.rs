//! Common steps of tests of runs: starting one, watching it, and checking that nothing remains.

use std::time::{Duration, Instant};

use postgres::{Client, SimpleQueryMessage};

use super::aftermath::Aftermath;
use super::{Cluster, templates, wait_for, wait_until};

/// How long a shutdown, a drop or the end of a run's processes may take.
pub const AT_ONCE: Duration = Duration::from_secs(2);
/// Time limit for anything that is not measured: the machine may be busy.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A sampler keeps its cadence also on a busy machine, where samples take more than 1 % of the time.
pub const NO_BUDGET: &str = "pgperf.sampler_budget_percent = 100";

/// A script of one statement that lasts as long as nobody ends it.
pub const ENDLESS: &str = "script => 'SELECT pg_catalog.pg_sleep(600);', duration => '1 h'";
/// A run that lasts as long as nobody ends it, with intervals coming fast.
pub const BUSY: &str = "'tpcb-like', clients => 4, duration => '1 h', sample_interval => '0.1 s'";
/// The same at a rate that leaves the processors to other tests: where a run only has to be there.
pub const CALM: &str =
    "'tpcb-like', clients => 4, rate => 400, duration => '1 h', sample_interval => '0.1 s'";

impl Cluster {
    /// Starts a cluster with the extension and the tables of tpcb-like at scale 1.
    pub fn with_data(conf: &[&str]) -> Cluster {
        let cluster = Cluster::copied(templates::with_data(), conf);
        cluster.start();
        cluster
    }

    /// For tests of runs that ask nothing about the history: collectors that are not light are off. With them a short run takes
    /// twice the CPU time.
    pub fn for_runs(conf: &[&str]) -> Cluster {
        Cluster::with_data(conf).with_light_collectors()
    }

    /// The same without tables.
    pub fn for_scripts(conf: &[&str]) -> Cluster {
        Cluster::with_pgperf(conf).with_light_collectors()
    }

    fn with_light_collectors(self) -> Cluster {
        self.run_sql("UPDATE pgperf.collectors SET enabled = false WHERE cost <> 'light'");
        self
    }

    /// A cluster with the tables of tpcc-like of two warehouses.
    pub fn with_warehouses(conf: &[&str]) -> Cluster {
        let cluster = Cluster::copied(templates::with_warehouses(), conf);
        cluster.start();
        cluster
    }
}

/// Questions about runs that tests ask a session.
pub trait Runs {
    /// The first column of the first row as text; empty if it is NULL or there is no row.
    fn value(&mut self, sql: &str) -> String;

    fn number(&mut self, sql: &str) -> i64;

    fn float(&mut self, sql: &str) -> f64;

    /// The page that a call makes, as one line: its own are broken at spaces, between any two words.
    fn page(&mut self, call: &str) -> String {
        self.value(&format!("SELECT {call}")).replace('\n', " ")
    }

    /// Starts a run with these arguments; returns its run_id.
    fn start_run(&mut self, arguments: &str) -> i64 {
        self.number(&format!("SELECT pgperf.start_run({arguments})"))
    }

    /// Starts a run and waits until it is measuring and has stored two intervals.
    fn start_busy_run(&mut self, arguments: &str) -> i64 {
        let run = self.start_run(arguments);
        wait_until("two intervals", PATIENCE, || self.intervals(run) >= 2);
        run
    }

    fn status(&mut self, run: i64) -> String {
        self.value(&format!(
            "SELECT status FROM pgperf.runs WHERE run_id = {run}"
        ))
    }

    fn wait_for_status(&mut self, run: i64, status: &str) {
        let status_or_error = format!(
            "SELECT CASE status WHEN '{status}' THEN status ELSE concat_ws(': ', status, error) END \
             FROM pgperf.runs WHERE run_id = {run}"
        );
        wait_for(&format!("run {run}"), status, PATIENCE, || {
            self.value(&status_or_error)
        });
    }

    /// Runs to the end and expects it to be a good one.
    fn finish_run(&mut self, arguments: &str) -> i64 {
        let run = self.start_run(arguments);
        self.wait_for_status(run, "finished");
        run
    }

    /// The same for one of minutes.
    fn finish_long_run(&mut self, arguments: &str) -> i64 {
        let run = self.start_run(arguments);
        self.value(&format!("CALL pgperf.wait_run({run})"));
        self.wait_for_status(run, "finished");
        run
    }

    fn intervals(&mut self, run: i64) -> i64 {
        self.number(&format!(
            "SELECT count(*) FROM pgperf.run_intervals WHERE run_id = {run}"
        ))
    }

    /// Waits until a run has stored this many more intervals.
    fn await_intervals(&mut self, run: i64, more: i64) {
        let before = self.intervals(run);
        wait_until("further intervals", PATIENCE, || {
            self.intervals(run) >= before + more
        });
    }

    /// A column of the run's row of `pgperf.run_summary`.
    fn total(&mut self, run: i64, column: &str) -> i64 {
        self.number(&format!(
            "SELECT {column} FROM pgperf.run_summary WHERE run_id = {run}"
        ))
    }

    /// Makes all samples so far older than they are.
    fn age_history(&mut self, by: &str) {
        self.value(&format!(
            "DO $$ DECLARE t text; BEGIN FOR t IN SELECT table_name FROM pgperf_internal.history_tables LOOP \
             EXECUTE format('UPDATE pgperf.%I SET taken_at = taken_at - interval ''{by}''', t); END LOOP; END $$"
        ));
    }

    fn leader(&mut self, run: i64) -> i64 {
        self.number(&format!(
            "SELECT pid FROM pg_catalog.pg_stat_activity WHERE application_name = 'pgperf run {run} leader'"
        ))
    }

    /// The process of one of a run's clients.
    fn client(&mut self, run: i64, client: i64) -> i64 {
        self.number(&format!(
            "SELECT pid FROM pg_catalog.pg_stat_activity \
             WHERE application_name = 'pgperf run {run} client {client}'"
        ))
    }

    /// The number of live workers of pgperf, of any run and database.
    fn workers(&mut self) -> i64 {
        self.number(
            "SELECT count(*) FROM pg_catalog.pg_stat_activity WHERE backend_type LIKE 'pgperf%'",
        )
    }

    /// Expects that all workers of pgperf are gone, now or very soon.
    fn expect_no_workers(&mut self, after: &str) {
        let began = Instant::now();
        wait_until(&format!("no worker left after {after}"), AT_ONCE, || {
            self.workers() == 0
        });
        println!("{after}: no worker left after {:?}", began.elapsed());
    }

    /// Waits until this many clients of a run are as the condition on pg_stat_activity says.
    fn wait_for_clients(&mut self, run: i64, count: i64, condition: &str) {
        wait_until(
            &format!("{count} clients with {condition}"),
            PATIENCE,
            || {
                self.number(&format!(
                    "SELECT count(*) FROM pg_catalog.pg_stat_activity \
                 WHERE application_name LIKE 'pgperf run {run} client %' AND {condition}"
                )) == count
            },
        );
    }
}

impl Runs for Client {
    fn value(&mut self, sql: &str) -> String {
        let messages = self
            .simple_query(sql)
            .unwrap_or_else(|error| panic!("{sql}\n{error:?}"));
        messages
            .iter()
            .find_map(|message| match message {
                SimpleQueryMessage::Row(row) => Some(row.get(0).unwrap_or_default().to_owned()),
                _ => None,
            })
            .unwrap_or_default()
    }

    fn number(&mut self, sql: &str) -> i64 {
        let value = self.value(sql);
        value
            .parse()
            .unwrap_or_else(|_| panic!("{sql}\nnot a whole number: \"{value}\""))
    }

    fn float(&mut self, sql: &str) -> f64 {
        let value = self.value(sql);
        value
            .parse()
            .unwrap_or_else(|_| panic!("{sql}\nnot a number: {value:?}"))
    }
}

/// Does it, prints the time taken, and expects it to be within the limit.
pub fn at_once<T>(what: &str, action: impl FnOnce() -> T) -> T {
    let began = Instant::now();
    let result = action();
    let took = began.elapsed();
    println!("{what}: {took:?}");
    assert!(took < AT_ONCE, "{what} took {took:?}");
    result
}

/// The server's error for a statement: its SQLSTATE, message and hint.
pub fn error_of(client: &mut Client, sql: &str) -> (String, String, String) {
    match client.simple_query(sql) {
        Ok(_) => panic!("no error from: {sql}"),
        Err(error) => {
            let error = error
                .as_db_error()
                .unwrap_or_else(|| panic!("{sql}\n{error:?}"));
            (
                error.code().code().to_owned(),
                error.message().to_owned(),
                error.hint().unwrap_or_default().to_owned(),
            )
        }
    }
}

/// Expects that a run works, whatever happened before, and that nothing is left of it or of what was before.
pub fn expect_next_run(session: &mut Client) {
    let run = session.finish_run("'tpcb-like', clients => 4, transactions_per_client => 20");
    assert_eq!(session.total(run, "transactions"), 80);
    assert_eq!(
        session.number("SELECT count(*) FROM pgperf.\"check\"() WHERE NOT passed"),
        0
    );
    session.expect_nothing_left("the next run");
}
