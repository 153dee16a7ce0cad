//! The options of `start_run`: what is written here is declared in `schema/25_run_calls.sql` and described in
//! `docs/reference/start_run.md`, which a test writes.

use crate::pg::sql::interval::Seconds;
use crate::pg::sql::moment::Moment;
use crate::pg::sql::options::options;
use crate::run::request::rate::RateArgument;
use serde::{Deserialize, Serialize};
use serde_json::Value;

options! {
    /// The options of `start_run`.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    pub struct Options {
        /// A built-in [workload](../workloads.md) (`tpcb-like` if there is neither this nor a script), a stored one (its full name), or a weighted mix
        /// `'tpcb-like@1, select-only@9'`, see [below](#names-of-workloads-and-clients); `'capture:NAME'`: the [replay of a capture](../replay.md)
        pub workload: Option<String> = None,
        /// Number of sessions
        pub clients: i32 = 1,
        /// How long to measure; neither this nor the next: 60 s, or, of a workload whose clients run its scripts in an order
        /// ([tpch-like](../workloads.md#tpch-like)), once through it
        pub duration: Option<Seconds> = None,
        /// How many transactions each client runs, in place of `duration`
        pub transactions_per_client: Option<i64> = None,
        /// pgbench script text, in place of `workload`
        pub script: Option<String> = None,
        /// Up to 128 scripts, in place of `workload`, as `pgbench -f`. Reports call them `script 1`, `script 2` …
        pub scripts: Option<Vec<Option<String>>> = None,
        /// The weights of `scripts`, as `pgbench -f file@weight`: 1 each without it; 0: never chosen
        pub weights: Option<Vec<Option<i32>>> = None,
        /// `:scale` of scripts, 1 if not given; with a built-in workload it is that of its tables, with a warning if another was given, as in pgbench
        pub scale: Option<i32> = None,
        /// `simple`, `extended` or `prepared`, as `pgbench -M`
        pub query_mode: String = "prepared".to_owned(),
        /// `format`: rows go through the output functions and the conversion to the client's encoding, and their bytes are counted; `discard`: rows are
        /// dropped
        pub result_mode: String = "format".to_owned(),
        /// Transactions per second of all clients, as `pgbench -R`: a number, steps or a wave, see [rates that change](../running.md#rates-that-change)
        pub rate: Option<RateArgument> = None,
        /// Slower transactions are counted as late; with `rate`, those that would begin too late are skipped; as `pgbench -L`. With `rate`, latency
        /// counts from the moment a transaction was due
        pub latency_limit: Option<Seconds> = None,
        /// How often a transaction is tried after a serialization failure or deadlock; 0: without limit, with `duration` or `latency_limit`. A retry
        /// draws the same random values; latency is over all tries. After a deadlock a client waits 1 ms before the retry
        pub max_tries: i32 = 1,
        /// Any error of a statement fails its transaction, which is counted under `other_failures`, and the client goes on with the next; as in pgbench
        /// 19. An error of a meta-command or of the script still ends the client
        pub continue_on_error: bool = false,
        /// The first client that an error ends takes the others with it at once, as in pgbench 17. Without it they go on, and the run ends `failed`
        pub exit_on_abort: bool = false,
        /// A pause of each client after each transaction, outside its latency. With `rate` the schedule does not wait for it: transactions due
        /// meanwhile lag
        pub think_time: Option<Seconds> = None,
        /// A wait after each statement that leaves a transaction block open, as if the next one had to come over a network: locks are held that long.
        /// It counts in the latency of the transaction, not of the statement; there is none after a commit and none within a pipeline
        pub round_trip: Option<Seconds> = None,
        /// Each client gets a new session (a new worker) after this number of transactions; `pgbench -C` is 1. Random values and variables go on as
        /// without it; a break lasts from the end of one session until the next has prepared its statements
        pub reconnect: Option<i64> = None,
        /// The same seed gives the same transactions; without it a random one is used and stored
        pub random_seed: Option<i64> = None,
        /// Script variables, as `pgbench -D`: `'{"name": 42}'`; `scale`, `client_id`, `default_seed` and `random_seed` too. Before those of a stored
        /// workload
        pub variables: Option<Value> = None,
        /// Settings of the clients' sessions: `'{"work_mem": "64MB"}'`. Before those of a stored workload
        pub settings: Option<Value> = None,
        /// `standard`: as pgbench before a run (vacuum branches and tellers, truncate history); `all`: also vacuum and analyze accounts, as `pgbench
        /// -v`. Only of tables that `init` made
        pub vacuum: String = "none".to_owned(),
        /// Statements to run before the clients start, after `vacuum`; see [below](#warm-up-and-statements-before-and-after)
        pub before_sql: Option<String> = None,
        /// Statements to run after the clients have ended; see [below](#warm-up-and-statements-before-and-after)
        pub after_sql: Option<String> = None,
        /// How long to run before measuring begins
        pub warmup: Seconds = Seconds(0.0),
        /// Workload or mix of the warm-up; without it the run's own scripts
        pub warmup_workload: Option<String> = None,
        /// Length of an interval; at least 0.1 s
        pub sample_interval: Seconds = Seconds(1.0),
        /// The run's collectors, each taken at the start and end and, where `pgperf.collectors.in_runs` says so, at every interval; `name@interval` for
        /// another cadence: `'{wal, waits, bloat@1h}'`. NULL: all, `enabled` or not; `'{}'`: nothing
        pub collectors: Option<Vec<Option<String>>> = None,
        /// A row in `run_transactions` for each transaction of the measured part, as `pgbench -l`. A client whose part of the log (4096 transactions)
        /// is full waits until the leader has stored it; the report shows how long clients waited
        pub transaction_log: bool = false,
        /// The share of transactions to log, above 0, at most 1; the same seed gives the same ones as `pgbench --sampling-rate` with as many threads as
        /// clients
        pub sampling_rate: Option<f64> = None,
        /// Limits that stop the run before it harms the server, see [below](#limits)
        pub limits: Option<Value> = None,
        /// Where the workload's tables are; it comes first in the clients' `search_path`. Without it the caller's `search_path` finds them. A table
        /// that is dropped there while the run goes on is found where the rest of the `search_path` has one of its name
        pub schema: Option<String> = None,
        /// A name for the run
        pub label: Option<String> = None,
        /// The run's targets, such as `{"latency_p99_ms": "<= 5", "failed": "= 0"}`; `CALL pgperf.run` raises an error otherwise, see
        /// [comparing](../comparing.md#in-ci)
        pub expect: Option<Value> = None,
        /// Whether the run goes on after a crash or restart of the server, see [resume](../resume.md)
        pub resume: bool = false,
        /// The clients' name in `pg_stat_activity` and the log, at most 63 printable ASCII characters; see [below](#names-of-workloads-and-clients).
        /// Default: `pgperf run N client M`
        pub application_name: Option<String> = None,
        /// Options of the built-in workloads, by name, `'{"name": 1}'`; see [below](#options-of-workloads). Those of a [replay](../replay.md#options)
        pub options: Option<Value> = None,
        /// Whether to estimate the [hit ratio that larger shared_buffers](../hit-curve.md) would have: `pgperf.hit_curve()`, the report
        pub hit_curve: bool = false,
        /// [standbys and consumers of slots](../replication.md) that the run waits for after its clients have ended: `'{"standbys": "all", "until":
        /// "replay", "slots": ["sub1"]}'`
        pub drain: Option<Value> = None,
        /// A query, repeated as the run's role until it returns true: for [other receivers](../replication.md#slony-londiste-and-others)
        pub drain_sql: Option<String> = None,
        /// How long that may take. Default: 10 min
        pub drain_timeout: Option<Seconds> = None,
        /// Settings of the clients' sessions, or for superusers [of the server](../turns.md#settings-of-the-server), that [take turns](../turns.md),
        /// two values each: `'{"wal_compression": ["off", "lz4"]}'`; or the run's `"workload"` or `"script"`. Not together with `resume`
        pub alternate: Option<Value> = None,
        /// Length of a turn. Default: 5 s
        pub alternate_every: Option<Seconds> = None,
        /// The part at the beginning of each turn that belongs to neither side; 0.5 s by default, but no more than a tenth of a turn
        pub settle: Option<Seconds> = None,
        /// What happens [beside the load on purpose](../disturbances.md), such as a vacuum, an old snapshot or your own SQL: `'[{"kind": "checkpoint",
        /// "at": "10 s"}]'`
        pub disturbances: Option<Value> = None,
        /// [`cold`](../caches.md): emptied before the clients begin; `warm`: tables and indexes are read before. Without it they stay as they are
        pub caches: Option<String> = None,
        /// Whether to store the [plans of the statements](../environment.md#run_plans) before the run; by default those of `tpch-like`
        pub plans: Option<bool> = None,
        /// A percentage above 0, at most 50, such as `'2%'`: the run ends [as soon as its mean tps is known that well](../running.md#until-precise),
        /// after `duration` (10 min) at the latest
        pub until_precise: Option<String> = None,
        /// How the clients' statements reach the server: `inside`: from sessions within it, without a client and a network; [`wire`](../wire.md): over
        /// connections, as those of pgbench do
        pub transport: String = "inside".to_owned(),
        /// Over the wire: background workers that share the connections, each with one thread for all of its own. Default: one for each CPU, and no more
        /// than clients
        pub workers: Option<i32> = None,
        /// Over the wire: a new connection for each transaction, as `pgbench -C`
        pub connect_each_transaction: bool = false,
        /// Over the wire: a client whose session is lost, as when its server restarts or fails over, connects again until it has another one, see
        /// [lost sessions](../wire.md#lost-sessions). Without it an error ends the client
        pub reconnect_on_loss: bool = false,
        /// A [target](../targets.md): a foreign server of `pgperf_target`, to which the clients connect as the caller's user mapping says; always over
        /// the wire. `before_sql` and `after_sql` run there, too
        pub server: Option<String> = None,
        /// Several [targets](../targets.md#several-servers-in-one-run) in place of one, over which the clients are spread by weight:
        /// `'{primary@3, replica}'`. Each client stays on its server; the report has the figures of each
        pub servers: Option<Vec<Option<String>>> = None,
        /// When the clients begin, all at once, with the warm-up if there is one: until then the run waits, its clients connected and its statements
        /// prepared. A run that is not ready by then fails, see [below](#a-start-at-a-given-time)
        pub start_at: Option<Moment> = None,
        /// [Nodes](../nodes.md) over which the clients are spread by weight, each a server with pgperf: a foreign server of `pgperf_target`, or this one by
        /// the name of its node: `'{here@1, db2@3}'`. Each has a run of its own, all begin together, and one report has them all
        pub nodes: Option<Vec<Option<String>>> = None,
    }
}
