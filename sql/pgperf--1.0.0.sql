-- The install script of the first release, as it was made from src/schema then. It never changes: updates begin here.

-- Nothing that somebody has planted in another schema is found while the objects below are made: what they refer to is the
-- catalog or named with its schema. Their own names are bound now, for ever.
SET LOCAL search_path TO pg_catalog, pg_temp;

-- Fails if a schema of that name is there already: pgperf never adopts somebody else's schema.
CREATE SCHEMA pgperf;
COMMENT ON SCHEMA pgperf IS 'pgperf: synthetic load, snapshots and their history';
GRANT USAGE ON SCHEMA pgperf TO PUBLIC;

CREATE TABLE pgperf.nodes (
    node_id           uuid PRIMARY KEY DEFAULT pg_catalog.gen_random_uuid(),
    name              text NOT NULL,
    system_identifier bigint NOT NULL,
    database_oid      oid NOT NULL,
    database_name     text NOT NULL,
    host              text,
    created_at        timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    first_of          text UNIQUE
);
COMMENT ON COLUMN pgperf.nodes.first_of IS 'System identifier and database of which this is the first node here; NULL: a later one';
COMMENT ON TABLE pgperf.nodes IS 'The installations whose history is stored here; the newest row with this server''s system identifier and this database is the local one';
SELECT pg_catalog.pg_extension_config_dump('pgperf.nodes', '');
GRANT SELECT ON pgperf.nodes TO pg_monitor;

CREATE SEQUENCE pgperf.run_id_seq;
SELECT pg_catalog.pg_extension_config_dump('pgperf.run_id_seq', '');

-- What start_run wrote and the leader updates. Read pgperf.runs: whether a leader lives is derived there.
CREATE TABLE pgperf.stored_runs (
    node_id        uuid NOT NULL,
    run_id         bigint NOT NULL,
    kind           text NOT NULL CHECK (kind IN ('run', 'load')),
    label          text,
    workload       text NOT NULL,
    role           text NOT NULL,
    clients        integer NOT NULL CHECK (clients > 0),
    query_mode     text NOT NULL CHECK (query_mode IN ('simple', 'extended', 'prepared')),
    scale          integer,
    random_seed    bigint,
    spec           jsonb NOT NULL,
    stored_status  text NOT NULL DEFAULT 'waiting'
                   CHECK (stored_status IN ('waiting', 'preparing', 'warming up', 'running', 'draining', 'finished', 'stopped', 'failed')),
    requested_at   timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    started_at     timestamptz,
    measured_at    timestamptz,
    ended_at       timestamptz,
    start_lsn      pg_lsn,
    end_lsn        pg_lsn,
    start_full_xid xid8,
    end_full_xid   xid8,
    server_version text NOT NULL DEFAULT pg_catalog.current_setting('server_version'),
    leader_pid     integer,
    origin_node_id uuid,
    origin_run_id  bigint,
    origin_role    text,
    sqlstate       text,
    error          text,
    PRIMARY KEY (node_id, run_id)
);
-- A run is imported once.
CREATE UNIQUE INDEX stored_runs_origin_idx ON pgperf.stored_runs (origin_node_id, origin_run_id);
COMMENT ON TABLE pgperf.stored_runs IS 'The runs as stored; read pgperf.runs for their true status';
COMMENT ON COLUMN pgperf.stored_runs.origin_run_id IS 'Of an imported run: its number on the node that it ran on; run_id is its number here';
COMMENT ON COLUMN pgperf.stored_runs.origin_role IS 'Of an imported run: the role that ran it; role is the one that imported it';
SELECT pg_catalog.pg_extension_config_dump('pgperf.stored_runs', '');

-- Totals of the measured part, written once by the leader at the end. A run that was interrupted has none:
-- pgperf.run_summary then adds up its intervals.
CREATE TABLE pgperf.run_totals (
    node_id            uuid NOT NULL,
    run_id             bigint NOT NULL,
    seconds            float8 NOT NULL,
    transactions       bigint NOT NULL,
    failed             bigint NOT NULL,
    serialization_failures bigint NOT NULL,
    deadlock_failures  bigint NOT NULL,
    other_failures     bigint NOT NULL DEFAULT 0,
    retried            bigint NOT NULL,
    retries            bigint NOT NULL,
    skipped            bigint NOT NULL,
    late               bigint NOT NULL,
    warmup_transactions bigint NOT NULL,
    latency_avg_ms     float8,
    latency_stddev_ms  float8,
    latency_p50_ms     float8,
    latency_p90_ms     float8,
    latency_p95_ms     float8,
    latency_p99_ms     float8,
    latency_p999_ms    float8,
    latency_p9999_ms   float8,
    latency_max_ms     float8,
    lag_avg_ms         float8,
    lag_max_ms         float8,
    connect_ms         float8,
    reconnects         bigint NOT NULL DEFAULT 0,
    reconnect_avg_ms   float8,
    bytes_returned     bigint,
    rows_returned      bigint,
    wal_bytes          bigint,
    wal_records        bigint,
    wal_fpi            bigint,
    shared_blks_hit    bigint,
    shared_blks_read   bigint,
    shared_blks_dirtied bigint,
    histogram          bytea,
    parse_ms           float8,
    plan_ms            float8,
    execute_ms         float8,
    commit_ms          float8,
    retry_ms           float8,
    PRIMARY KEY (node_id, run_id),
    FOREIGN KEY (node_id, run_id) REFERENCES pgperf.stored_runs ON DELETE CASCADE
);
COMMENT ON TABLE pgperf.run_totals IS 'Totals of the measured part of each run that came to an orderly end; wal_* and shared_blks_* are the clients'' own statements and commits';
COMMENT ON COLUMN pgperf.run_totals.execute_ms IS 'Of the average transaction: what its statements took besides parse_ms, plan_ms and commit_ms; without meta-commands and pauses';
COMMENT ON COLUMN pgperf.run_totals.commit_ms IS 'Of the average transaction: committing what it wrote, also where a statement commits by itself';
COMMENT ON COLUMN pgperf.run_totals.retry_ms IS 'Of the average transaction: tries that another one followed; NULL: a run with one try';
SELECT pg_catalog.pg_extension_config_dump('pgperf.run_totals', '');

CREATE TABLE pgperf.run_intervals (
    node_id           uuid NOT NULL,
    run_id            bigint NOT NULL,
    interval_no       integer NOT NULL,
    started_at        timestamptz NOT NULL,
    seconds           float8 NOT NULL,
    transactions      bigint NOT NULL,
    tps               float8 NOT NULL,
    latency_avg_ms    float8,
    latency_stddev_ms float8,
    latency_p50_ms    float8,
    latency_p90_ms    float8,
    latency_p95_ms    float8,
    latency_p99_ms    float8,
    latency_p999_ms   float8,
    latency_p9999_ms  float8,
    latency_max_ms    float8,
    failed            bigint NOT NULL,
    retried           bigint NOT NULL,
    retries           bigint NOT NULL,
    skipped           bigint NOT NULL,
    late              bigint NOT NULL,
    lag_avg_ms        float8,
    lag_max_ms        float8,
    wal_bytes         bigint NOT NULL,
    shared_blks_hit   bigint NOT NULL,
    shared_blks_read  bigint NOT NULL,
    in_checkpoint     boolean,
    step              text,
    histogram         bytea,
    PRIMARY KEY (node_id, run_id, interval_no),
    FOREIGN KEY (node_id, run_id) REFERENCES pgperf.stored_runs ON DELETE CASCADE
);
COMMENT ON TABLE pgperf.run_intervals IS 'One row for each sample interval of a run';
COMMENT ON COLUMN pgperf.run_intervals.step IS 'Of a load: the step that it was at when the interval ended, and how far the server says it was';
SELECT pg_catalog.pg_extension_config_dump('pgperf.run_intervals', '');

CREATE TABLE pgperf.run_scripts (
    node_id                uuid NOT NULL,
    run_id                 bigint NOT NULL,
    script_no              integer NOT NULL,
    script                 text NOT NULL,
    weight                 integer NOT NULL,
    transactions           bigint NOT NULL,
    tps                    float8 NOT NULL,
    failed                 bigint NOT NULL,
    serialization_failures bigint NOT NULL,
    deadlock_failures      bigint NOT NULL,
    other_failures         bigint NOT NULL,
    retried                bigint NOT NULL,
    retries                bigint NOT NULL,
    skipped                bigint NOT NULL,
    late                   bigint NOT NULL,
    latency_avg_ms         float8,
    latency_stddev_ms      float8,
    latency_p50_ms         float8,
    latency_p90_ms         float8,
    latency_p95_ms         float8,
    latency_p99_ms         float8,
    latency_p999_ms        float8,
    latency_p9999_ms       float8,
    latency_max_ms         float8,
    histogram              bytea,
    PRIMARY KEY (node_id, run_id, script_no),
    FOREIGN KEY (node_id, run_id) REFERENCES pgperf.stored_runs ON DELETE CASCADE
);
COMMENT ON TABLE pgperf.run_scripts IS 'One row for each script of a run: what became of its transactions';
SELECT pg_catalog.pg_extension_config_dump('pgperf.run_scripts', '');

CREATE TABLE pgperf.run_statements (
    node_id             uuid NOT NULL,
    run_id              bigint NOT NULL,
    script_no           integer NOT NULL,
    script              text NOT NULL,
    command_no          integer NOT NULL,
    statement           text NOT NULL,
    is_sql              boolean NOT NULL,
    calls               bigint NOT NULL,
    failed              bigint NOT NULL,
    retries             bigint NOT NULL DEFAULT 0,
    latency_avg_ms      float8,
    latency_stddev_ms   float8,
    latency_p50_ms      float8,
    latency_p90_ms      float8,
    latency_p95_ms      float8,
    latency_p99_ms      float8,
    latency_p999_ms     float8,
    latency_p9999_ms    float8,
    latency_max_ms      float8,
    rows                bigint,
    shared_blks_hit     bigint,
    shared_blks_read    bigint,
    shared_blks_dirtied bigint,
    shared_blks_written bigint,
    wal_records         bigint,
    wal_fpi             bigint,
    wal_bytes           bigint,
    histogram           bytea,
    parse_ms            float8,
    plan_ms             float8,
    execute_ms          float8,
    commit_ms           float8,
    PRIMARY KEY (node_id, run_id, script_no, command_no),
    FOREIGN KEY (node_id, run_id) REFERENCES pgperf.stored_runs ON DELETE CASCADE
);
COMMENT ON TABLE pgperf.run_statements IS 'One row for each command of each script of a run, meta-commands too (their row and block columns are NULL)';
COMMENT ON COLUMN pgperf.run_statements.parse_ms IS 'Of the average call; 0 for a prepared statement, which was parsed before';
COMMENT ON COLUMN pgperf.run_statements.plan_ms IS 'Of the average call; 0 where a generic plan was used';
COMMENT ON COLUMN pgperf.run_statements.execute_ms IS 'What is left of latency_avg_ms; in a pipeline all of it';
COMMENT ON COLUMN pgperf.run_statements.commit_ms IS 'Of the average call: committing what was written, of COMMIT or of a statement that commits by itself';
SELECT pg_catalog.pg_extension_config_dump('pgperf.run_statements', '');

CREATE TABLE pgperf.run_transactions (
    node_id        uuid NOT NULL,
    run_id         bigint NOT NULL,
    client_id      integer NOT NULL,
    transaction_no bigint NOT NULL,
    script_no      integer NOT NULL,
    outcome        text NOT NULL CHECK (outcome IN ('done', 'skipped', 'serialization', 'deadlock', 'other')),
    ended_at       timestamptz NOT NULL,
    latency_ms     float8,
    lag_ms         float8,
    retries        integer NOT NULL,
    PRIMARY KEY (node_id, run_id, client_id, transaction_no),
    FOREIGN KEY (node_id, run_id) REFERENCES pgperf.stored_runs ON DELETE CASCADE
);
COMMENT ON TABLE pgperf.run_transactions IS 'One row for each transaction of a run with transaction_log => true, or for the part that sampling_rate says';
SELECT pg_catalog.pg_extension_config_dump('pgperf.run_transactions', '');

CREATE TABLE pgperf.run_errors (
    node_id     uuid NOT NULL,
    run_id      bigint NOT NULL,
    error_no    integer NOT NULL,
    occurred_at timestamptz NOT NULL,
    first_occurred_at timestamptz,
    client_id   integer,
    script      text,
    command_no  integer,
    sqlstate    text NOT NULL,
    message     text NOT NULL,
    detail      text,
    occurrences bigint NOT NULL,
    PRIMARY KEY (node_id, run_id, error_no),
    FOREIGN KEY (node_id, run_id) REFERENCES pgperf.stored_runs ON DELETE CASCADE
);
COMMENT ON TABLE pgperf.run_errors IS 'Errors of a run''s clients, one row for each client and SQLSTATE, with the last one''s message; client_id NULL: the leader''s';
SELECT pg_catalog.pg_extension_config_dump('pgperf.run_errors', '');

-- The tables that pgperf made, and so may drop or truncate.
CREATE TABLE pgperf.data_sets (
    node_id     uuid NOT NULL,
    schema_name text NOT NULL,
    data_set    text NOT NULL,
    scale       integer NOT NULL,
    relations   oid[] NOT NULL,
    run_id      bigint,
    created_at  timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    PRIMARY KEY (node_id, schema_name, data_set)
);
COMMENT ON TABLE pgperf.data_sets IS 'The tables that pgperf.init created: only these are dropped or truncated without replace => true';
SELECT pg_catalog.pg_extension_config_dump('pgperf.data_sets', '');

GRANT SELECT ON pgperf.stored_runs, pgperf.run_totals, pgperf.run_intervals, pgperf.run_scripts, pgperf.run_statements,
    pgperf.run_transactions, pgperf.run_errors, pgperf.data_sets TO pg_monitor;

CREATE FUNCTION pgperf.local_node() RETURNS uuid
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'local_node_wrapper';
COMMENT ON FUNCTION pgperf.local_node() IS
    'The node under which this installation stores its history; created on first use, and again in a copy of the database';

REVOKE ALL ON FUNCTION pgperf.local_node() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgperf.local_node() TO pg_monitor;

CREATE FUNCTION pgperf.new_node() RETURNS uuid
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'new_node_wrapper';
COMMENT ON FUNCTION pgperf.new_node() IS
    'Begins a new node: history from now on belongs to it. For a promoted copy, which pgperf cannot tell from its original';
REVOKE ALL ON FUNCTION pgperf.new_node() FROM PUBLIC;

CREATE FUNCTION pgperf.leader_alive(node_id text, run_id bigint) RETURNS boolean
    LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'leader_alive_wrapper';
COMMENT ON FUNCTION pgperf.leader_alive(text, bigint) IS
    'Whether the leader of a run of this installation lives; asked by the view pgperf.runs';

CREATE FUNCTION pgperf.start_run(
    workload text DEFAULT NULL,
    clients integer DEFAULT 1,
    duration interval DEFAULT NULL,
    transactions_per_client bigint DEFAULT NULL,
    script text DEFAULT NULL,
    scripts text[] DEFAULT NULL,
    weights integer[] DEFAULT NULL,
    scale integer DEFAULT NULL,
    query_mode text DEFAULT 'prepared',
    result_mode text DEFAULT 'format',
    rate float8 DEFAULT NULL,
    latency_limit interval DEFAULT NULL,
    max_tries integer DEFAULT 1,
    continue_on_error boolean DEFAULT false,
    exit_on_abort boolean DEFAULT false,
    think_time interval DEFAULT NULL,
    round_trip interval DEFAULT NULL,
    reconnect bigint DEFAULT NULL,
    random_seed bigint DEFAULT NULL,
    variables jsonb DEFAULT NULL,
    settings jsonb DEFAULT NULL,
    vacuum text DEFAULT 'none',
    before_sql text DEFAULT NULL,
    after_sql text DEFAULT NULL,
    warmup interval DEFAULT '0',
    warmup_workload text DEFAULT NULL,
    sample_interval interval DEFAULT '1 s',
    collectors text[] DEFAULT NULL,
    transaction_log boolean DEFAULT false,
    sampling_rate float8 DEFAULT NULL,
    limits jsonb DEFAULT NULL,
    schema text DEFAULT NULL,
    label text DEFAULT NULL,
    expect jsonb DEFAULT NULL
) RETURNS bigint
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'start_run_wrapper';
COMMENT ON FUNCTION pgperf.start_run IS
    'Starts a run when the transaction commits, and returns its run_id. workload: a built-in one (default tpcb-like), a stored one, or a mix such as ''tpcb-like@1, select-only@9''; script, or scripts with weights: pgbench script text in its place; duration or transactions_per_client (neither: 60 s); query_mode: simple, extended, prepared; result_mode: format, discard; rate: transactions per second; settings: session settings of the clients; limits: what stops the run, wal, free_disk (default 5%, at most 10 GB), xid_age (default 1500000000), replication_lag, errors; schema: where the tables are; expect: what the run is to reach, such as ''{"latency_p99_ms": "<= 5", "failed": "= 0"}'', an error of CALL pgperf.run otherwise';

CREATE FUNCTION pgperf.start_load(
    workload text DEFAULT 'tpcb-like',
    scale integer DEFAULT 1,
    steps text DEFAULT 'dtgvp',
    fillfactor integer DEFAULT 100,
    foreign_keys boolean DEFAULT false,
    unlogged boolean DEFAULT false,
    tablespace text DEFAULT NULL,
    index_tablespace text DEFAULT NULL,
    partitions integer DEFAULT 0,
    partition_method text DEFAULT NULL,
    jobs integer DEFAULT NULL,
    schema text DEFAULT NULL,
    replace boolean DEFAULT false,
    limits jsonb DEFAULT NULL,
    label text DEFAULT NULL
) RETURNS bigint
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'start_load_wrapper';
COMMENT ON FUNCTION pgperf.start_load IS
    'Starts loading a workload''s tables when the transaction commits, and returns the run_id of the load: what CALL pgperf.init does, without waiting';

CREATE FUNCTION pgperf.stop_run(run_id bigint DEFAULT NULL) RETURNS boolean
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'stop_run_wrapper';
COMMENT ON FUNCTION pgperf.stop_run(bigint) IS
    'Stops a run (NULL: the newest): clients finish their transaction, the last interval is stored. Called again, their statements are cancelled. False if it was not running';

CREATE FUNCTION pgperf.stop_all() RETURNS integer
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'stop_all_wrapper';
COMMENT ON FUNCTION pgperf.stop_all() IS 'Stops every run of this database that the caller may stop, and the sweep; returns how many runs';

CREATE FUNCTION pgperf.delete_run(run_id bigint) RETURNS boolean
    LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'delete_run_wrapper';
COMMENT ON FUNCTION pgperf.delete_run(bigint) IS
    'Removes a run that has ended, with all its rows and samples; false if there is none of that run_id';

CREATE FUNCTION pgperf.run_status(run_id bigint DEFAULT NULL) RETURNS text
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'run_status_wrapper';
COMMENT ON FUNCTION pgperf.run_status(bigint) IS 'The status of a run (NULL: the newest) as pgperf.runs shows it';

CREATE PROCEDURE pgperf.require_top_level(call text)
    LANGUAGE c AS 'MODULE_PATHNAME', 'require_top_level_wrapper';
COMMENT ON PROCEDURE pgperf.require_top_level(text) IS
    'Raises an error inside a transaction block or function; called first by the procedures that wait';

-- The procedures below wait through this native one: it commits, then waits on its latch with neither
-- snapshot nor transaction id, so that a waiting session does not hold back the horizon of the server.
CREATE PROCEDURE pgperf.await_run(run_id bigint, timeout interval, progress boolean, stops boolean)
    LANGUAGE c AS 'MODULE_PATHNAME', 'await_run_wrapper';
COMMENT ON PROCEDURE pgperf.await_run(bigint, interval, boolean, boolean) IS
    'Commits, then waits for the end of a run; called by wait_run, run and init';

CREATE FUNCTION pgperf.print_report(run_id bigint) RETURNS void
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'print_report_wrapper';
COMMENT ON FUNCTION pgperf.print_report(bigint) IS 'Sends the report of a run as a message; called by CALL pgperf.run';

CREATE PROCEDURE pgperf.wait_run(
    run_id bigint DEFAULT NULL,
    timeout interval DEFAULT NULL,
    progress boolean DEFAULT false,
    INOUT status text DEFAULT NULL
) LANGUAGE plpgsql AS $$
BEGIN
    CALL pgperf.await_run(run_id, timeout, progress, false);
    status := pgperf.run_status(run_id);
END
$$;
COMMENT ON PROCEDURE pgperf.wait_run(bigint, interval, boolean, text) IS
    'Waits for the end of a run (NULL: the newest), at most for timeout; progress: one line for each interval. Ctrl-C leaves the run alone. Returns the status';

CREATE PROCEDURE pgperf.run(
    workload text DEFAULT NULL,
    clients integer DEFAULT 1,
    duration interval DEFAULT NULL,
    transactions_per_client bigint DEFAULT NULL,
    script text DEFAULT NULL,
    scripts text[] DEFAULT NULL,
    weights integer[] DEFAULT NULL,
    scale integer DEFAULT NULL,
    query_mode text DEFAULT 'prepared',
    result_mode text DEFAULT 'format',
    rate float8 DEFAULT NULL,
    latency_limit interval DEFAULT NULL,
    max_tries integer DEFAULT 1,
    continue_on_error boolean DEFAULT false,
    exit_on_abort boolean DEFAULT false,
    think_time interval DEFAULT NULL,
    round_trip interval DEFAULT NULL,
    reconnect bigint DEFAULT NULL,
    random_seed bigint DEFAULT NULL,
    variables jsonb DEFAULT NULL,
    settings jsonb DEFAULT NULL,
    vacuum text DEFAULT 'none',
    before_sql text DEFAULT NULL,
    after_sql text DEFAULT NULL,
    warmup interval DEFAULT '0',
    warmup_workload text DEFAULT NULL,
    sample_interval interval DEFAULT '1 s',
    collectors text[] DEFAULT NULL,
    transaction_log boolean DEFAULT false,
    sampling_rate float8 DEFAULT NULL,
    limits jsonb DEFAULT NULL,
    schema text DEFAULT NULL,
    label text DEFAULT NULL,
    expect jsonb DEFAULT NULL,
    INOUT run_id bigint DEFAULT NULL
) LANGUAGE plpgsql AS $$
BEGIN
    CALL pgperf.require_top_level('pgperf.run');
    run_id := pgperf.start_run(workload => workload, clients => clients, duration => duration, transactions_per_client =>
        transactions_per_client, script => script, scripts => scripts, weights => weights, scale => scale,
        query_mode => query_mode, result_mode => result_mode, rate => rate, latency_limit => latency_limit,
        max_tries => max_tries, continue_on_error => continue_on_error, exit_on_abort => exit_on_abort,
        think_time => think_time, round_trip => round_trip, reconnect => reconnect, random_seed =>
        random_seed, variables => variables, settings => settings, vacuum => vacuum, before_sql =>
        before_sql, after_sql => after_sql, warmup => warmup, warmup_workload => warmup_workload,
        sample_interval => sample_interval, collectors => collectors, transaction_log => transaction_log, sampling_rate =>
        sampling_rate, limits => limits, schema => schema, label => label, expect => expect);
    CALL pgperf.await_run(run_id, NULL, true, true);
    PERFORM pgperf.print_report(run_id);
    PERFORM pgperf.require_expectations(run_id);
END
$$;
COMMENT ON PROCEDURE pgperf.run IS
    'Starts a run, waits for its end with a line of progress for each interval, and prints its report; Ctrl-C stops the run. Arguments as start_run';

CREATE PROCEDURE pgperf.init(
    workload text DEFAULT 'tpcb-like',
    scale integer DEFAULT 1,
    steps text DEFAULT 'dtgvp',
    fillfactor integer DEFAULT 100,
    foreign_keys boolean DEFAULT false,
    unlogged boolean DEFAULT false,
    tablespace text DEFAULT NULL,
    index_tablespace text DEFAULT NULL,
    partitions integer DEFAULT 0,
    partition_method text DEFAULT NULL,
    jobs integer DEFAULT NULL,
    schema text DEFAULT NULL,
    replace boolean DEFAULT false,
    limits jsonb DEFAULT NULL,
    label text DEFAULT NULL,
    INOUT run_id bigint DEFAULT NULL
) LANGUAGE plpgsql AS $$
BEGIN
    CALL pgperf.require_top_level('pgperf.init');
    run_id := pgperf.start_load(workload => workload, scale => scale, steps => steps, fillfactor => fillfactor,
        foreign_keys => foreign_keys, unlogged => unlogged, tablespace => tablespace, index_tablespace =>
        index_tablespace, partitions => partitions, partition_method => partition_method, jobs => jobs,
        schema => schema, replace => replace, limits => limits, label => label);
    CALL pgperf.await_run(run_id, NULL, true, true);
    PERFORM pgperf.require_finished(run_id);
END
$$;
COMMENT ON PROCEDURE pgperf.init IS
    'Creates and loads a workload''s tables, what pgbench -i does: steps from d t g G v p f (g fills in bulk, G by INSERT), fillfactor, partitions by partition_method range or hash, foreign keys, unlogged, tablespaces; jobs: how many workers fill (default: as many as there are cores). Drops or truncates only tables that pgperf made, unless replace. Ctrl-C stops it';

CREATE FUNCTION pgperf.require_finished(run_id bigint) RETURNS void
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'require_finished_wrapper';
COMMENT ON FUNCTION pgperf.require_finished(bigint) IS 'Raises the error that a run has ended with; called by CALL pgperf.init';

CREATE PROCEDURE pgperf.quickstart(INOUT run_id bigint DEFAULT NULL) LANGUAGE plpgsql AS $$
BEGIN
    CALL pgperf.require_top_level('pgperf.quickstart');
    IF pg_catalog.to_regnamespace('pgperf_quickstart') IS NULL THEN
        CREATE SCHEMA pgperf_quickstart;
    END IF;
    CALL pgperf.init('tpcb-like', scale => 1, schema => 'pgperf_quickstart', run_id => run_id);
    CALL pgperf.run('tpcb-like', clients => 2, duration => '10 s', schema => 'pgperf_quickstart',
        label => 'quickstart', run_id => run_id);
    RAISE INFO E'What to try next:\n'
        '  SELECT * FROM pgperf.run_summary;                         -- all runs, a row each\n'
        '  SELECT pgperf.report(%);                                  -- this report again\n'
        '  CALL pgperf.run(''select-only'', clients => 4, schema => ''pgperf_quickstart'');\n'
        '  CALL pgperf.init(''tpcb-like'', scale => 100);              -- a larger data set, in your own schema\n'
        '  SELECT * FROM pgperf.snapshot();                          -- the state of the server, into its history\n'
        '  DROP SCHEMA pgperf_quickstart CASCADE;                    -- when done', run_id;
END
$$;
COMMENT ON PROCEDURE pgperf.quickstart(bigint) IS
    'A small data set in the schema pgperf_quickstart, a ten-second run, its report, and what to try next';

CREATE FUNCTION pgperf."check"(
    workload text DEFAULT 'tpcb-like',
    schema text DEFAULT NULL,
    OUT check_name text,
    OUT passed boolean,
    OUT detail text
) RETURNS SETOF record
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'check_wrapper';
COMMENT ON FUNCTION pgperf."check"(text, text) IS
    'Checks the consistency conditions of a workload''s tables: row counts, and that the balances add up. They hold from a fresh load on while only that workload writes, and history is not truncated';

REVOKE ALL ON FUNCTION pgperf.start_run, pgperf.start_load FROM PUBLIC;
REVOKE ALL ON PROCEDURE pgperf.run, pgperf.init, pgperf.quickstart FROM PUBLIC;

-- Definitions, not history: like settings they belong to the installation, so that a restored or cloned
-- database, which is a new node, still has its workloads. Hence no node_id.
CREATE TABLE pgperf.stored_workloads (
    name        text PRIMARY KEY,
    role        text NOT NULL,
    description text,
    scripts     jsonb NOT NULL,
    variables   jsonb NOT NULL,
    settings    jsonb NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp()
);
COMMENT ON TABLE pgperf.stored_workloads IS 'What create_workload has stored; read pgperf.workloads, which has the built-in ones too';
SELECT pg_catalog.pg_extension_config_dump('pgperf.stored_workloads', '');

CREATE FUNCTION pgperf.create_workload(
    name text,
    script text DEFAULT NULL,
    scripts text[] DEFAULT NULL,
    weights integer[] DEFAULT NULL,
    variables jsonb DEFAULT NULL,
    settings jsonb DEFAULT NULL,
    description text DEFAULT NULL,
    replace boolean DEFAULT false
) RETURNS void
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'create_workload_wrapper';
COMMENT ON FUNCTION pgperf.create_workload(text, text, text[], integer[], jsonb, jsonb, text, boolean) IS
    'Stores a workload under a name: a pgbench script, or several with weights, and the variables and settings that a run of it has unless start_run says otherwise';

CREATE FUNCTION pgperf.drop_workload(name text) RETURNS boolean
    LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'drop_workload_wrapper';
COMMENT ON FUNCTION pgperf.drop_workload(text) IS
    'Removes a stored workload; runs of it stay as they were. False if there is none of that name';

CREATE FUNCTION pgperf.builtin_workloads(OUT name text, OUT description text, OUT script text)
RETURNS SETOF record
    LANGUAGE c IMMUTABLE PARALLEL SAFE ROWS 3 AS 'MODULE_PATHNAME', 'builtin_workloads_wrapper';
COMMENT ON FUNCTION pgperf.builtin_workloads() IS 'The built-in workloads; read pgperf.workloads';

CREATE VIEW pgperf.workloads AS
SELECT b.name,
       'built-in' AS kind,
       b.description,
       pg_catalog.jsonb_build_array(pg_catalog.jsonb_build_object('name', b.name, 'text', b.script, 'weight', 1)) AS scripts,
       NULL::jsonb AS variables,
       NULL::jsonb AS settings,
       NULL::text AS role,
       NULL::timestamptz AS created_at
FROM pgperf.builtin_workloads() b
UNION ALL
SELECT s.name, 'stored', s.description, s.scripts, s.variables, s.settings, s.role, s.created_at
FROM pgperf.stored_workloads s;
COMMENT ON VIEW pgperf.workloads IS 'What start_run can run: the built-in workloads, and those that create_workload has stored';

REVOKE ALL ON FUNCTION pgperf.create_workload, pgperf.drop_workload FROM PUBLIC;
GRANT SELECT ON pgperf.stored_workloads, pgperf.workloads TO pg_monitor;

-- Under what circumstances a run ran, and what it did to the server: what a comparison needs to know of it besides its
-- speed. The leader writes settings and environment before the load begins, metrics and relations after its end.

CREATE TABLE pgperf.run_settings (
    node_id         uuid NOT NULL,
    run_id          bigint NOT NULL,
    name            text NOT NULL,
    setting         text,
    unit            text,
    source          text NOT NULL,
    default_setting text,
    PRIMARY KEY (node_id, run_id, name),
    FOREIGN KEY (node_id, run_id) REFERENCES pgperf.stored_runs ON DELETE CASCADE
);
COMMENT ON TABLE pgperf.run_settings IS 'The settings of a run''s clients that were not at their defaults: of the server, the database, the role, and those that the run was given';
COMMENT ON COLUMN pgperf.run_settings.setting IS 'As in pg_settings, in unit; passwords in connection strings are left out';
COMMENT ON COLUMN pgperf.run_settings.source IS 'As in pg_settings; run: given by the call (settings => …)';
COMMENT ON COLUMN pgperf.run_settings.default_setting IS 'What the server would use if nobody had set it; NULL: it has none (a setting of an extension that nobody declared)';
SELECT pg_catalog.pg_extension_config_dump('pgperf.run_settings', '');

CREATE TABLE pgperf.run_environment (
    node_id  uuid NOT NULL,
    run_id   bigint NOT NULL,
    category text NOT NULL CHECK (category IN ('server', 'extension', 'system', 'cpu', 'memory', 'file system', 'device')),
    name     text NOT NULL,
    value    text,
    unit     text,
    note     text,
    PRIMARY KEY (node_id, run_id, category, name),
    FOREIGN KEY (node_id, run_id) REFERENCES pgperf.stored_runs ON DELETE CASCADE
);
COMMENT ON TABLE pgperf.run_environment IS 'The server and the machine that a run ran on, one row a fact';
COMMENT ON COLUMN pgperf.run_environment.name IS 'Of file systems with what they hold in front (data, wal, tablespace NAME), of devices with their name: data.mount_options, sda.rotational';
COMMENT ON COLUMN pgperf.run_environment.value IS 'NULL: it could not be read, for the reason in note';
COMMENT ON COLUMN pgperf.run_environment.unit IS 'Of a number: bytes, kB, kHz; NULL: a count, or no number';
SELECT pg_catalog.pg_extension_config_dump('pgperf.run_environment', '');

CREATE TABLE pgperf.run_metrics (
    node_id   uuid NOT NULL,
    run_id    bigint NOT NULL,
    metric    text NOT NULL,
    value     float8 CHECK (value > '-Infinity' AND value < 'Infinity'),
    unit      text NOT NULL,
    direction text CHECK (direction IN ('higher', 'lower')),
    category  text NOT NULL DEFAULT 'workload'
              CHECK (category IN ('workload', 'size', 'wal', 'checkpoint', 'vacuum', 'database', 'host', 'device', 'pgperf')),
    PRIMARY KEY (node_id, run_id, metric),
    FOREIGN KEY (node_id, run_id) REFERENCES pgperf.stored_runs ON DELETE CASCADE
);
COMMENT ON TABLE pgperf.run_metrics IS 'Further figures of a run: what the workload defines, and what happened in the server and the machine between the sample at its start (before a warm-up) and the one at its end. pgperf''s own part is taken off where it is known, and is a metric by itself';
COMMENT ON COLUMN pgperf.run_metrics.metric IS 'With the part that it is of behind a dot: wal_bytes.Heap, device_read_bytes.sda';
COMMENT ON COLUMN pgperf.run_metrics.value IS 'NULL: the counters started again in between (reset, crash)';
COMMENT ON COLUMN pgperf.run_metrics.direction IS 'Which is better; NULL: neither by itself';
COMMENT ON COLUMN pgperf.run_metrics.category IS 'workload: what the workload defines; pgperf: what pgperf itself added';
SELECT pg_catalog.pg_extension_config_dump('pgperf.run_metrics', '');

CREATE TABLE pgperf.run_relations (
    node_id              uuid NOT NULL,
    run_id               bigint NOT NULL,
    relation_oid         oid NOT NULL,
    schema_name          text NOT NULL,
    relation_name        text NOT NULL,
    relation_kind        text NOT NULL,
    table_name           text,
    start_size_bytes     bigint,
    end_size_bytes       bigint,
    start_live_tuples    bigint,
    end_live_tuples      bigint,
    start_dead_tuples    bigint,
    end_dead_tuples      bigint,
    start_tuple_percent  float8,
    end_tuple_percent    float8,
    start_bloat_percent  float8,
    end_bloat_percent    float8,
    seq_scan             bigint,
    idx_scan             bigint,
    n_tup_ins            bigint,
    n_tup_upd            bigint,
    n_tup_hot_upd        bigint,
    n_tup_del            bigint,
    vacuum_count         bigint,
    autovacuum_count     bigint,
    analyze_count        bigint,
    autoanalyze_count    bigint,
    blks_read            bigint,
    blks_hit             bigint,
    PRIMARY KEY (node_id, run_id, relation_oid),
    FOREIGN KEY (node_id, run_id) REFERENCES pgperf.stored_runs ON DELETE CASCADE
);
COMMENT ON TABLE pgperf.run_relations IS 'The tables, indexes, TOAST tables and materialized views whose statistics changed during a run, without the system catalogs and pgperf''s own: as they were at its start and end, and what happened to them in between (seq_scan to blks_hit)';
COMMENT ON COLUMN pgperf.run_relations.table_name IS 'The table of an index or TOAST table';
COMMENT ON COLUMN pgperf.run_relations.start_size_bytes IS 'Of the main fork; NULL, as the other start columns: the relation was not there yet, or had not been seen';
COMMENT ON COLUMN pgperf.run_relations.start_live_tuples IS 'As the statistics estimate them; NULL, as dead_tuples and n_tup_…: an index has none of its own';
COMMENT ON COLUMN pgperf.run_relations.start_tuple_percent IS 'Live rows'' share of the size; NULL, as bloat_percent: the sample did not measure it';
COMMENT ON COLUMN pgperf.run_relations.start_bloat_percent IS 'The share of the size that rewriting it would give back';
COMMENT ON COLUMN pgperf.run_relations.seq_scan IS 'NULL, as the following: the counters started again in between (reset, crash), or it is not known what they were at the start';
SELECT pg_catalog.pg_extension_config_dump('pgperf.run_relations', '');

GRANT SELECT ON pgperf.run_settings, pgperf.run_environment, pgperf.run_metrics, pgperf.run_relations TO pg_monitor;

CREATE SEQUENCE pgperf.sweep_id_seq;
SELECT pg_catalog.pg_extension_config_dump('pgperf.sweep_id_seq', '');

-- What start_sweep wrote and the sweep's worker updates. Read pgperf.sweeps: whether the worker lives is derived there.
CREATE TABLE pgperf.stored_sweeps (
    node_id        uuid NOT NULL,
    sweep_id       bigint NOT NULL,
    label          text,
    role           text NOT NULL,
    repetitions    integer NOT NULL CHECK (repetitions > 0),
    random_seed    bigint NOT NULL,
    run_order      integer[] NOT NULL,
    spec           jsonb NOT NULL,
    stored_status  text NOT NULL DEFAULT 'waiting' CHECK (stored_status IN ('waiting', 'running', 'finished', 'stopped', 'failed')),
    requested_at   timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    resumed_at     timestamptz,
    started_at     timestamptz,
    ended_at       timestamptz,
    server_version text NOT NULL DEFAULT pg_catalog.current_setting('server_version'),
    worker_pid     integer,
    sqlstate       text,
    error          text,
    PRIMARY KEY (node_id, sweep_id)
);
COMMENT ON TABLE pgperf.stored_sweeps IS 'The sweeps as stored; read pgperf.sweeps for their true status';
COMMENT ON COLUMN pgperf.stored_sweeps.run_order IS 'The point of each run, in the order in which they run';
SELECT pg_catalog.pg_extension_config_dump('pgperf.stored_sweeps', '');

CREATE TABLE pgperf.stored_sweep_points (
    node_id     uuid NOT NULL,
    sweep_id    bigint NOT NULL,
    point_no    integer NOT NULL,
    workload    text NOT NULL,
    clients     integer NOT NULL,
    scale       integer,
    partitions  integer,
    fillfactor  integer,
    query_mode  text NOT NULL,
    settings    jsonb NOT NULL,
    combination text NOT NULL,
    arguments   jsonb NOT NULL,
    load        jsonb,
    PRIMARY KEY (node_id, sweep_id, point_no),
    FOREIGN KEY (node_id, sweep_id) REFERENCES pgperf.stored_sweeps ON DELETE CASCADE
);
COMMENT ON TABLE pgperf.stored_sweep_points IS 'The points of each sweep''s grid; read pgperf.sweep_points for their results';
COMMENT ON COLUMN pgperf.stored_sweep_points.combination IS 'What varies beside the number of clients, as ''name=value, ...''; points of one combination differ in their clients only';
COMMENT ON COLUMN pgperf.stored_sweep_points.arguments IS 'The arguments of start_run';
COMMENT ON COLUMN pgperf.stored_sweep_points.load IS 'The arguments of start_load; NULL: the tables stay as they are';
SELECT pg_catalog.pg_extension_config_dump('pgperf.stored_sweep_points', '');

CREATE TABLE pgperf.sweep_attempts (
    node_id     uuid NOT NULL,
    sweep_id    bigint NOT NULL,
    position    integer NOT NULL,
    attempt     integer NOT NULL,
    point_no    integer NOT NULL,
    repetition  integer NOT NULL,
    load_run_id bigint,
    run_id      bigint,
    started_at  timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    ended_at    timestamptz,
    outcome     text CHECK (outcome IN ('finished', 'stopped', 'failed', 'interrupted')),
    sqlstate    text,
    error       text,
    PRIMARY KEY (node_id, sweep_id, position, attempt),
    UNIQUE (node_id, run_id),
    FOREIGN KEY (node_id, sweep_id) REFERENCES pgperf.stored_sweeps ON DELETE CASCADE,
    FOREIGN KEY (node_id, run_id) REFERENCES pgperf.stored_runs ON DELETE SET NULL (run_id),
    FOREIGN KEY (node_id, load_run_id) REFERENCES pgperf.stored_runs ON DELETE SET NULL (load_run_id)
);
-- For the foreign key, where runs are deleted.
CREATE INDEX ON pgperf.sweep_attempts (node_id, load_run_id) WHERE load_run_id IS NOT NULL;
COMMENT ON TABLE pgperf.sweep_attempts IS 'Each attempt at a run of a sweep: the run, the load before it, and what came of it; pgperf.sweep_runs has the newest of each';
COMMENT ON COLUMN pgperf.sweep_attempts.run_id IS 'NULL: it did not come so far, or the run was deleted since';
COMMENT ON COLUMN pgperf.sweep_attempts.outcome IS 'NULL: not known yet';
SELECT pg_catalog.pg_extension_config_dump('pgperf.sweep_attempts', '');

GRANT SELECT ON pgperf.stored_sweeps, pgperf.stored_sweep_points, pgperf.sweep_attempts TO pg_monitor;

CREATE FUNCTION pgperf.histogram_quantiles(histograms bytea[], quantiles float8[]) RETURNS float8[]
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'histogram_quantiles_wrapper';
COMMENT ON FUNCTION pgperf.histogram_quantiles(bytea[], float8[]) IS
    'Quantiles (0 to 1) in milliseconds of the sum of several HdrHistogram V2 histograms in nanoseconds; NULL elements are left out';

CREATE VIEW pgperf.runs AS
SELECT r.node_id,
       r.run_id,
       r.kind,
       r.label,
       r.workload,
       r.role,
       CASE WHEN r.stored_status IN ('finished', 'stopped', 'failed') THEN r.stored_status
            -- The leader of an imported run never lived here; what has not ended is not exported.
            WHEN r.origin_node_id IS NULL AND pgperf.leader_alive(r.node_id::text, r.run_id) THEN r.stored_status
            ELSE 'interrupted'
       END AS status,
       r.clients,
       r.query_mode,
       r.scale,
       r.random_seed,
       r.spec,
       r.requested_at,
       r.started_at,
       r.measured_at,
       r.ended_at,
       r.start_lsn,
       r.end_lsn,
       r.start_full_xid,
       r.end_full_xid,
       r.server_version,
       r.origin_node_id,
       r.origin_run_id,
       r.origin_role,
       r.sqlstate,
       r.error,
       a.sweep_id,
       a.point_no AS sweep_point,
       a.repetition AS sweep_repetition
FROM pgperf.stored_runs r
LEFT JOIN pgperf.sweep_attempts a USING (node_id, run_id);
COMMENT ON VIEW pgperf.runs IS
    'All runs; a run that has not ended and whose leader is gone (it, or the server, went down) shows as interrupted';

-- Totals as the leader wrote them at the end; of a run that has none (it is running, or was interrupted)
-- the sums over its intervals so far. Means and variances are pooled with the transactions as weights,
-- percentiles come from the merged histograms.
CREATE VIEW pgperf.run_summary AS
SELECT r.node_id,
       r.run_id,
       r.kind,
       r.label,
       r.workload,
       r.clients,
       r.status,
       f.transactions,
       f.seconds AS duration_s,
       f.transactions / NULLIF(f.seconds, 0) AS tps,
       f.latency_avg_ms,
       f.latency_stddev_ms,
       f.latency_p50_ms,
       f.latency_p95_ms,
       f.latency_p99_ms,
       f.latency_p999_ms,
       f.latency_max_ms,
       f.failed,
       f.retried,
       f.retries,
       f.skipped,
       f.late,
       f.wal_bytes,
       f.wal_bytes::float8 / NULLIF(f.transactions, 0) AS wal_bytes_per_tx,
       100.0::float8 * f.shared_blks_hit / NULLIF(f.shared_blks_hit + f.shared_blks_read, 0) AS hit_percent,
       r.started_at,
       r.measured_at,
       r.ended_at,
       r.scale,
       r.query_mode,
       f.serialization_failures,
       f.deadlock_failures,
       f.other_failures,
       f.warmup_transactions,
       f.latency_p90_ms,
       f.latency_p9999_ms,
       f.lag_avg_ms,
       f.lag_max_ms,
       f.connect_ms,
       f.reconnects,
       f.reconnect_avg_ms,
       f.rows_returned,
       f.bytes_returned,
       f.wal_records,
       f.wal_fpi,
       f.shared_blks_hit,
       f.shared_blks_read,
       f.shared_blks_dirtied,
       m.database_growth_bytes,
       m.own_history_bytes,
       m.own_wal_bytes,
       m.own_xids,
       t.run_id IS NOT NULL AS has_totals,
       t.parse_ms,
       t.plan_ms,
       t.execute_ms,
       t.commit_ms,
       t.retry_ms
FROM pgperf.runs r
LEFT JOIN pgperf.run_totals t USING (node_id, run_id)
CROSS JOIN LATERAL (
    SELECT t.seconds, t.transactions, t.failed, t.serialization_failures, t.deadlock_failures, t.other_failures,
           t.retried, t.retries, t.skipped, t.late, t.warmup_transactions,
           t.latency_avg_ms, t.latency_stddev_ms,
           t.latency_p50_ms, t.latency_p90_ms, t.latency_p95_ms, t.latency_p99_ms, t.latency_p999_ms, t.latency_p9999_ms,
           t.latency_max_ms, t.lag_avg_ms, t.lag_max_ms, t.connect_ms, t.reconnects, t.reconnect_avg_ms, t.rows_returned, t.bytes_returned,
           t.wal_bytes, t.wal_records, t.wal_fpi, t.shared_blks_hit, t.shared_blks_read, t.shared_blks_dirtied
    WHERE t.run_id IS NOT NULL
    UNION ALL
    SELECT s.seconds, s.transactions, s.failed, NULL, NULL, NULL,
           s.retried, s.retries, s.skipped, s.late, NULL,
           s.latency_avg_ms,
           -- Rounding can leave a tiny negative difference where all latencies are equal.
           pg_catalog.sqrt(GREATEST(s.latency_square_ms2 - s.latency_avg_ms ^ 2, 0)),
           q.ms[1], q.ms[2], q.ms[3], q.ms[4], q.ms[5], q.ms[6],
           s.latency_max_ms, s.lag_avg_ms, s.lag_max_ms, NULL, NULL, NULL, NULL, NULL,
           s.wal_bytes, NULL, NULL, s.shared_blks_hit, s.shared_blks_read, NULL
    FROM (
        SELECT pg_catalog.sum(i.seconds) AS seconds,
               pg_catalog.sum(i.transactions)::bigint AS transactions,
               pg_catalog.sum(i.failed)::bigint AS failed,
               pg_catalog.sum(i.retried)::bigint AS retried,
               pg_catalog.sum(i.retries)::bigint AS retries,
               pg_catalog.sum(i.skipped)::bigint AS skipped,
               pg_catalog.sum(i.late)::bigint AS late,
               pg_catalog.sum(i.transactions * i.latency_avg_ms)
                   / NULLIF(pg_catalog.sum(i.transactions) FILTER (WHERE i.latency_avg_ms IS NOT NULL), 0)::float8
                   AS latency_avg_ms,
               pg_catalog.sum(i.transactions * (i.latency_stddev_ms ^ 2 + i.latency_avg_ms ^ 2))
                   / NULLIF(pg_catalog.sum(i.transactions) FILTER (WHERE i.latency_stddev_ms IS NOT NULL), 0)::float8
                   AS latency_square_ms2,
               pgperf.histogram_quantiles(pg_catalog.array_agg(i.histogram),
                   '{0.5, 0.9, 0.95, 0.99, 0.999, 0.9999}') AS quantiles_ms,
               pg_catalog.max(i.latency_max_ms) AS latency_max_ms,
               pg_catalog.sum(i.transactions * i.lag_avg_ms)
                   / NULLIF(pg_catalog.sum(i.transactions) FILTER (WHERE i.lag_avg_ms IS NOT NULL), 0)::float8
                   AS lag_avg_ms,
               pg_catalog.max(i.lag_max_ms) AS lag_max_ms,
               pg_catalog.sum(i.wal_bytes)::bigint AS wal_bytes,
               pg_catalog.sum(i.shared_blks_hit)::bigint AS shared_blks_hit,
               pg_catalog.sum(i.shared_blks_read)::bigint AS shared_blks_read
        FROM pgperf.run_intervals i
        WHERE i.node_id = r.node_id AND i.run_id = r.run_id
    ) s
    CROSS JOIN LATERAL (
        -- A quantile is the top of its counter, which can lie above the true maximum.
        SELECT pg_catalog.array_agg(CASE WHEN u.ms > s.latency_max_ms THEN s.latency_max_ms ELSE u.ms END ORDER BY u.n) AS ms
        FROM pg_catalog.unnest(s.quantiles_ms) WITH ORDINALITY AS u (ms, n)
    ) q
    WHERE t.run_id IS NULL
) f
LEFT JOIN LATERAL (
    SELECT pg_catalog.max(m.value) FILTER (WHERE m.metric = 'database_growth_bytes')::bigint AS database_growth_bytes,
           pg_catalog.max(m.value) FILTER (WHERE m.metric = 'pgperf_history_bytes')::bigint AS own_history_bytes,
           pg_catalog.max(m.value) FILTER (WHERE m.metric = 'pgperf_wal_bytes')::bigint AS own_wal_bytes,
           pg_catalog.max(m.value) FILTER (WHERE m.metric = 'pgperf_xids')::bigint AS own_xids
    FROM pgperf.run_metrics m
    WHERE m.node_id = r.node_id AND m.run_id = r.run_id
) m ON true;
COMMENT ON VIEW pgperf.run_summary IS
    'The figures of each run in one row, of running and interrupted ones as far as they came; own_*: what pgperf itself added, not part of the other figures';

-- pgbench writes seconds and microseconds since 1970; the lag only with a rate, retries only where there may be any.
CREATE FUNCTION pgperf.transaction_log(run_id bigint, failures_detailed boolean DEFAULT false) RETURNS SETOF text
    LANGUAGE sql STABLE
    BEGIN ATOMIC
    SELECT pg_catalog.concat_ws(' ',
        t.client_id,
        t.transaction_no,
        CASE WHEN t.outcome = 'done' THEN pg_catalog.round((t.latency_ms * 1000)::numeric)::text
             WHEN t.outcome = 'skipped' OR $2 THEN t.outcome
             ELSE 'failed'
        END,
        t.script_no,
        pg_catalog.floor(EXTRACT(epoch FROM t.ended_at)),
        (EXTRACT(microseconds FROM t.ended_at) % 1000000)::bigint,
        CASE WHEN r.spec ->> 'rate' IS NOT NULL THEN pg_catalog.round((COALESCE(t.lag_ms, 0) * 1000)::numeric) END,
        CASE WHEN (r.spec ->> 'max_tries')::bigint <> 1 THEN t.retries END)
    FROM pgperf.run_transactions t
    JOIN pgperf.stored_runs r USING (node_id, run_id)
    WHERE t.run_id = $1 AND (r.origin_node_id IS NOT NULL OR t.node_id = (SELECT pgperf.local_node()))
    ORDER BY t.ended_at, t.client_id, t.transaction_no;
    END;
COMMENT ON FUNCTION pgperf.transaction_log(bigint, boolean) IS
    'The transaction log of a run of this node as lines in the format of pgbench -l; failures_detailed: failed transactions by their kind';

REVOKE ALL ON FUNCTION pgperf.transaction_log(bigint, boolean) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgperf.transaction_log(bigint, boolean) TO pg_monitor;

-- Only runs that are alive here: an ended run has no progress, an imported one ran elsewhere.
CREATE VIEW pgperf.progress AS
SELECT p.node_id,
       p.run_id,
       p.label,
       p.workload,
       p.status,
       p.clients,
       p.elapsed_s,
       100 * p.done AS percent,
       -- By time what is left of it, by count as long again as it took so far.
       CASE WHEN p.duration_s IS NOT NULL THEN GREATEST(p.duration_s - p.elapsed_s, 0)
            ELSE p.elapsed_s * (1 - p.done) / NULLIF(p.done, 0)
       END AS eta_s,
       p.transactions,
       p.tps,
       p.latency_avg_ms,
       p.latency_stddev_ms,
       p.failed,
       p.lag_avg_ms
FROM (
    SELECT r.node_id, r.run_id, r.label, r.workload, r.status, r.clients,
           c.elapsed_s, c.duration_s,
           LEAST(COALESCE(c.elapsed_s / NULLIF(c.duration_s, 0), s.attempts / NULLIF(c.wanted, 0)), 1) AS done,
           s.transactions, l.tps, l.latency_avg_ms, l.latency_stddev_ms, l.failed, l.lag_avg_ms
    FROM pgperf.runs r
    CROSS JOIN LATERAL (
        SELECT EXTRACT(epoch FROM pg_catalog.clock_timestamp() - r.measured_at)::float8 AS elapsed_s,
               (r.spec ->> 'duration_s')::float8 AS duration_s,
               r.clients * (r.spec ->> 'transactions_per_client')::float8 AS wanted
    ) c
    CROSS JOIN LATERAL (
        SELECT pg_catalog.sum(i.transactions)::bigint AS transactions,
               pg_catalog.sum(i.transactions + i.failed + i.skipped)::float8 AS attempts
        FROM pgperf.run_intervals i
        WHERE i.node_id = r.node_id AND i.run_id = r.run_id
    ) s
    LEFT JOIN LATERAL (
        SELECT i.tps, i.latency_avg_ms, i.latency_stddev_ms, i.failed, i.lag_avg_ms
        FROM pgperf.run_intervals i
        WHERE i.node_id = r.node_id AND i.run_id = r.run_id
        ORDER BY i.interval_no DESC
        LIMIT 1
    ) l ON true
    WHERE r.origin_node_id IS NULL
      AND r.status IN ('waiting', 'preparing', 'warming up', 'running', 'draining')
) p;
COMMENT ON VIEW pgperf.progress IS
    'The runs alive now: how far they are, when they will end, and their last interval (tps, latency, failed, lag)';

GRANT SELECT ON pgperf.runs, pgperf.run_summary, pgperf.progress TO pg_monitor;

-- The history is partitioned by time: what is old is dropped, never deleted row by row.
--
--   wal_history                  every sample, in partitions of a day (UTC): wal_history_20261121
--     wal_history_kept           the default partition: what is kept of days that are over, by months
--       wal_history_hourly_202611, …_daily_202611, …_pinned_202611
--       wal_history_rest         its default partition, so that no sample is ever refused
--
-- What the extension owns is bare: with a primary key, an index or a foreign key on the parent pg_restore fails, because
-- the partitions made later are dumped as tables of their own, to be attached again. So each partition has its own indexes.
CREATE TABLE pgperf.history_tables (
    table_name text PRIMARY KEY,
    collector  text,
    width      text NOT NULL CHECK (width IN ('day', 'month', 'year')),
    rolled_up  boolean NOT NULL,
    object     text[],
    indexes    text[] NOT NULL
);
COMMENT ON TABLE pgperf.history_tables IS 'Which tables are history, and how they are partitioned';
COMMENT ON COLUMN pgperf.history_tables.collector IS 'Whose retention holds; NULL: the samples themselves, of which those stay that history rows belong to';
COMMENT ON COLUMN pgperf.history_tables.width IS 'How long a partition lasts';
COMMENT ON COLUMN pgperf.history_tables.rolled_up IS 'Whether one sample of each hour, then of each day, is kept when the rest is dropped';
COMMENT ON COLUMN pgperf.history_tables.object IS 'Of a table that holds what changed: the columns that tell its objects, of each of which the last row of an hour or day is kept; NULL: whole samples are';
COMMENT ON COLUMN pgperf.history_tables.indexes IS 'What each partition is indexed by';
SELECT pg_catalog.pg_extension_config_dump('pgperf.history_tables', 'WHERE false');
GRANT SELECT ON pgperf.history_tables TO pg_monitor;

CREATE FUNCTION pgperf.add_history(
    table_name text, collector text, object text[] DEFAULT NULL,
    indexes text[] DEFAULT '{"(node_id, sample_id)", USING brin (taken_at)}',
    width text DEFAULT 'day', rolled_up boolean DEFAULT true)
RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    kept text := table_name || '_kept';
    rest text := table_name || '_rest';
    member text;
    index text;
BEGIN
    INSERT INTO pgperf.history_tables VALUES (table_name, collector, width, rolled_up, object, indexes);
    EXECUTE format('CREATE TABLE pgperf.%I PARTITION OF pgperf.%I DEFAULT PARTITION BY RANGE (taken_at)', kept, table_name);
    EXECUTE format('COMMENT ON TABLE pgperf.%I IS %L', kept, format('Part of pgperf.%s: what is kept of days that are over', table_name));
    EXECUTE format('CREATE TABLE pgperf.%I PARTITION OF pgperf.%I DEFAULT', rest, kept);
    EXECUTE format('COMMENT ON TABLE pgperf.%I IS %L', rest, format('Part of pgperf.%s: rows for which no partition was there', table_name));
    FOREACH index IN ARRAY indexes LOOP
        EXECUTE format('CREATE INDEX ON pgperf.%I %s', rest, index);
    END LOOP;
    FOREACH member IN ARRAY ARRAY[table_name, kept, rest] LOOP
        PERFORM pg_extension_config_dump(format('pgperf.%I', member)::regclass, '');
        EXECUTE format('GRANT SELECT ON pgperf.%I TO pg_monitor', member);
    END LOOP;
END
$$;
COMMENT ON FUNCTION pgperf.add_history(text, text, text[], text[], text, boolean) IS
    'Makes a partitioned table part of the history; called when the extension is created or updated';
REVOKE ALL ON FUNCTION pgperf.add_history(text, text, text[], text[], text, boolean) FROM PUBLIC;

CREATE VIEW pgperf.history_partitions AS
SELECT t.table_name,
       CASE WHEN n.suffix ~ '^\d+$' THEN 'raw' ELSE pg_catalog.split_part(n.suffix, '_', 1) END AS level,
       c.relname::text AS partition_name,
       c.oid::regclass AS partition,
       n.starts AT TIME ZONE 'UTC' AS starts_at,
       (n.starts + CASE pg_catalog.length(n.digits) WHEN 8 THEN interval '1 day' WHEN 6 THEN interval '1 month'
                                        ELSE interval '1 year' END) AT TIME ZONE 'UTC' AS ends_at
FROM pgperf.history_tables t
JOIN pg_catalog.pg_class h ON h.relnamespace = 'pgperf'::regnamespace
     AND h.relname::text IN (t.table_name, t.table_name || '_kept')
JOIN pg_catalog.pg_inherits i ON i.inhparent = h.oid
JOIN pg_catalog.pg_class c ON c.oid = i.inhrelid AND c.relkind = 'r'
CROSS JOIN LATERAL (
    SELECT s.suffix, s.digits,
           pg_catalog.make_timestamp(pg_catalog.left(s.digits, 4)::int,
               COALESCE(NULLIF(pg_catalog.substr(s.digits, 5, 2), ''), '1')::int,
               COALESCE(NULLIF(pg_catalog.substr(s.digits, 7, 2), ''), '1')::int, 0, 0, 0) AS starts
    FROM (SELECT pg_catalog.substr(c.relname::text, pg_catalog.length(t.table_name) + 2) AS suffix,
                 pg_catalog.substring(c.relname::text, '_(\d{4}(?:\d\d){0,2})$') AS digits) s) n;
COMMENT ON VIEW pgperf.history_partitions IS 'The partitions of the history; level: raw (every sample), hourly, daily, pinned (of pinned runs), rest (no partition was there)';
GRANT SELECT ON pgperf.history_partitions TO pg_monitor;

-- Made apart and then attached: that locks the parent against other changes of its partitions only, and the default
-- partition for a moment. With the CHECK the server knows without looking that neither holds rows of the other.
CREATE FUNCTION pgperf.make_partition(history text, parent text, partition text, starts timestamp, ends timestamp)
RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    low text := to_char(starts, 'YYYY-MM-DD') || ' 00:00:00+00';
    high text := to_char(ends, 'YYYY-MM-DD') || ' 00:00:00+00';
    index text;
BEGIN
    EXECUTE format('CREATE TABLE pgperf.%I (LIKE pgperf.%I INCLUDING DEFAULTS INCLUDING CONSTRAINTS,
        CONSTRAINT %I CHECK (taken_at >= %L AND taken_at < %L))', partition, history, partition || '_range', low, high);
    FOREACH index IN ARRAY (SELECT t.indexes FROM pgperf.history_tables t WHERE t.table_name = history) LOOP
        EXECUTE format('CREATE INDEX ON pgperf.%I %s', partition, index);
    END LOOP;
    -- Rows that came before it.
    EXECUTE format('WITH gone AS (DELETE FROM pgperf.%I WHERE taken_at >= %L AND taken_at < %L RETURNING *)
        INSERT INTO pgperf.%I SELECT * FROM gone', CASE parent WHEN history THEN history || '_kept' ELSE history || '_rest' END,
        low, high, partition);
    EXECUTE format('ALTER TABLE pgperf.%I ATTACH PARTITION pgperf.%I FOR VALUES FROM (%L) TO (%L)', parent, partition, low, high);
END
$$;
COMMENT ON FUNCTION pgperf.make_partition(text, text, text, timestamp, timestamp) IS 'Makes a partition of a history table with its indexes and moves what belongs there into it';
REVOKE ALL ON FUNCTION pgperf.make_partition(text, text, text, timestamp, timestamp) FROM PUBLIC;

-- The samples' own come last: where they are missing, the next sample tries again.
CREATE FUNCTION pgperf.make_partitions(ahead integer, history text DEFAULT NULL, OUT table_name text, OUT partition_name text)
RETURNS SETOF record LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET lock_timeout = '100ms' AS $$
#variable_conflict use_column
DECLARE
    starts timestamp;
    step interval;
    width text;
BEGIN
    FOR table_name, width IN
        SELECT t.table_name, t.width FROM pgperf.history_tables t WHERE t.table_name = history OR history IS NULL
        ORDER BY t.collector IS NULL, t.table_name
    LOOP
        step := ('1 ' || width)::interval;
        FOR n IN 0..CASE width WHEN 'day' THEN ahead ELSE least(ahead, 1) END LOOP
            starts := date_trunc(width, clock_timestamp() AT TIME ZONE 'UTC') + n * step;
            partition_name := table_name || to_char(starts, CASE width WHEN 'day' THEN '_YYYYMMDD' WHEN 'month' THEN '_YYYYMM' ELSE '_YYYY' END);
            IF to_regclass(format('pgperf.%I', partition_name)) IS NULL THEN
                PERFORM pgperf.make_partition(table_name, table_name, partition_name, starts, starts + step);
                RETURN NEXT;
            END IF;
        END LOOP;
    END LOOP;
END
$$;
COMMENT ON FUNCTION pgperf.make_partitions(integer, text) IS 'Makes the history''s partitions of now and of some days ahead that are not there yet; snapshot() does it when those of now are missing';
REVOKE ALL ON FUNCTION pgperf.make_partitions(integer, text) FROM PUBLIC;

CREATE TABLE pgperf.pinned_runs (
    node_id uuid NOT NULL,
    run_id  bigint NOT NULL,
    PRIMARY KEY (node_id, run_id),
    FOREIGN KEY (node_id, run_id) REFERENCES pgperf.stored_runs ON DELETE CASCADE
);
COMMENT ON TABLE pgperf.pinned_runs IS 'The runs whose samples are kept whatever the retention; pgperf.pin_run writes it';
SELECT pg_catalog.pg_extension_config_dump('pgperf.pinned_runs', '');
GRANT SELECT ON pgperf.pinned_runs TO pg_monitor;

CREATE FUNCTION pgperf.pin_run(run_id bigint, pinned boolean DEFAULT true) RETURNS boolean
    LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pin_run_wrapper';
COMMENT ON FUNCTION pgperf.pin_run(bigint, boolean) IS
    'Keeps all samples of a run whatever the retention, or no longer (pinned => false); false if it was so already';

CREATE SEQUENCE pgperf.sample_id_seq;
COMMENT ON SEQUENCE pgperf.sample_id_seq IS 'Numbers the samples of this database';
SELECT pg_catalog.pg_extension_config_dump('pgperf.sample_id_seq', '');

CREATE TABLE pgperf.samples (
    node_id    uuid NOT NULL,
    sample_id  bigint NOT NULL,
    taken_at   timestamptz NOT NULL,
    run_id     bigint,
    epoch      bigint NOT NULL,
    cadence    interval,
    elapsed_ms float8 NOT NULL,
    cpu_ms     float8,
    rows       bigint NOT NULL,
    pages      bigint NOT NULL,
    wal_bytes  bigint NOT NULL,
    outcomes   jsonb NOT NULL,
    complete   boolean NOT NULL DEFAULT true
) PARTITION BY RANGE (taken_at);
SELECT pgperf.add_history('samples', NULL, indexes => '{"(node_id, sample_id)", USING brin (taken_at), "(node_id, run_id) WHERE run_id IS NOT NULL"}');
COMMENT ON TABLE pgperf.samples IS 'One row for each sample: when, for which run, at what cost, and what became of each collector';
COMMENT ON COLUMN pgperf.samples.taken_at IS 'When the sample began; every row of the sample carries it';
COMMENT ON COLUMN pgperf.samples.run_id IS 'The run during which the sample was taken; NULL: none';
COMMENT ON COLUMN pgperf.samples.epoch IS 'Differs from the sample before when the server''s counters may have started again: hash of the server''s start and of the reset times of its WAL, background writer, checkpointer and I/O statistics (a crash changes these) and of this database''s statistics. Subtract counters only within one epoch';
COMMENT ON COLUMN pgperf.samples.cadence IS 'The interval at which such samples were due; NULL: taken on demand';
COMMENT ON COLUMN pgperf.samples.elapsed_ms IS 'Time that taking and storing the sample took, this row excepted';
COMMENT ON COLUMN pgperf.samples.cpu_ms IS 'Time on a CPU of the process that took the sample: what it took from others where all CPUs are busy, which elapsed_ms (it waited its turn, too) is not';
COMMENT ON COLUMN pgperf.samples.rows IS 'Rows that the sample wrote to the history, this one excepted';
COMMENT ON COLUMN pgperf.samples.pages IS 'Pages that the sample looked at in shared_buffers, or read into them';
COMMENT ON COLUMN pgperf.samples.wal_bytes IS 'WAL that the sample wrote, this row and the commit excepted';
COMMENT ON COLUMN pgperf.samples.outcomes IS 'For each collector its status, rows, elapsed_ms and reason; pgperf.sample_outcomes shows it as rows';

COMMENT ON COLUMN pgperf.samples.complete IS 'False: it is still being taken, or was broken off; what is told of it, and what its collectors stored, is as far as it came';

CREATE VIEW pgperf.sample_outcomes AS
SELECT s.node_id, s.sample_id, s.taken_at, s.run_id, c.key AS collector,
       c.value OPERATOR(pg_catalog.->>) 'status' AS status,
       (c.value OPERATOR(pg_catalog.->>) 'rows')::bigint AS rows,
       (c.value OPERATOR(pg_catalog.->>) 'elapsed_ms')::float8 AS elapsed_ms,
       c.value OPERATOR(pg_catalog.->>) 'reason' AS reason
FROM pgperf.samples s, LATERAL pg_catalog.jsonb_each(s.outcomes) c;
COMMENT ON VIEW pgperf.sample_outcomes IS 'One row for each collector of each sample: ok, skipped (it could not run, see reason), failed, or incomplete (a part of its rows is stored: it goes on, or was broken off)';

-- What a collector is, is known to the library; what the user changed is a row here.
CREATE FUNCTION pgperf.collector_definitions(
    OUT name text, OUT enabled boolean, OUT sample_interval interval, OUT cost text, OUT in_runs text, OUT needs text,
    OUT history_tables text[], OUT description text)
RETURNS SETOF record LANGUAGE c STABLE STRICT ROWS 4 AS 'MODULE_PATHNAME', 'collector_definitions_wrapper';
COMMENT ON FUNCTION pgperf.collector_definitions() IS 'The collectors as they come; read pgperf.collectors';

CREATE TABLE pgperf.collector_settings (
    name             text PRIMARY KEY,
    enabled          boolean NOT NULL,
    sample_interval  interval CHECK (sample_interval >= '1 second'::interval),
    retention        interval CHECK (retention >= '0'),
    hourly_retention interval CHECK (hourly_retention >= '0'),
    daily_retention  interval CHECK (daily_retention >= '0')
);
COMMENT ON TABLE pgperf.collector_settings IS 'What was changed from the collectors'' defaults; UPDATE pgperf.collectors writes it';
SELECT pg_catalog.pg_extension_config_dump('pgperf.collector_settings', '');

CREATE VIEW pgperf.collectors AS
SELECT d.name, COALESCE(s.enabled, d.enabled) AS enabled,
       CASE WHEN s.name IS NULL THEN d.sample_interval ELSE s.sample_interval END AS sample_interval,
       -- Settings are stored when they change; those of years fit in a few megabytes.
       CASE WHEN s.name IS NOT NULL THEN s.retention WHEN d.name <> 'settings' THEN interval '7 days' END AS retention,
       CASE WHEN s.name IS NOT NULL THEN s.hourly_retention WHEN d.name <> 'settings' THEN interval '90 days' END AS hourly_retention,
       CASE WHEN s.name IS NOT NULL THEN s.daily_retention WHEN d.name <> 'settings' THEN interval '2 years' END AS daily_retention,
       d.cost, d.in_runs, d.needs, d.history_tables, d.description
FROM pgperf.collector_definitions() WITH ORDINALITY d
LEFT JOIN pgperf.collector_settings s ON s.name OPERATOR(pg_catalog.=) d.name
ORDER BY d.ordinality;
COMMENT ON VIEW pgperf.collectors IS 'Every collector of pgperf.snapshot(); UPDATE pgperf.collectors SET enabled = false, or sample_interval = …, WHERE name = … changes one';
COMMENT ON COLUMN pgperf.collectors.enabled IS 'Whether snapshot() takes it when none are named, and the continuous sampler at all';
COMMENT ON COLUMN pgperf.collectors.sample_interval IS 'How often the continuous sampler takes it, at least 1 s; NULL: never';
COMMENT ON COLUMN pgperf.collectors.retention IS 'How long pgperf.maintain() keeps every sample; NULL: for ever';
COMMENT ON COLUMN pgperf.collectors.hourly_retention IS 'How long it keeps one sample of each hour; NULL: for ever; not longer than retention: none';
COMMENT ON COLUMN pgperf.collectors.daily_retention IS 'How long it keeps one sample of each day; NULL: for ever; not longer than hourly_retention: none';
COMMENT ON COLUMN pgperf.collectors.cost IS 'light: shared memory only; medium: grows with shared_buffers; heavy: reads relations, within a budget';
COMMENT ON COLUMN pgperf.collectors.in_runs IS 'When a run takes it';
COMMENT ON COLUMN pgperf.collectors.needs IS 'The extension it reads through; NULL: none';
-- A trigger and not a rule, so that UPDATE reports the rows it changed.
CREATE FUNCTION pgperf.collectors_update() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF (NEW.name, NEW.cost, NEW.in_runs, NEW.needs, NEW.history_tables, NEW.description)
        IS DISTINCT FROM (OLD.name, OLD.cost, OLD.in_runs, OLD.needs, OLD.history_tables, OLD.description) THEN
        RAISE EXCEPTION 'only "enabled", "sample_interval" and the retentions of pgperf.collectors can be changed'
            USING ERRCODE = 'feature_not_supported';
    END IF;
    IF NEW.sample_interval < '1 second'::interval THEN
        RAISE EXCEPTION 'the interval of collector "%" must be at least 1 second', NEW.name
            USING ERRCODE = 'invalid_parameter_value', HINT = 'NULL: the sampler leaves it out.';
    END IF;
    INSERT INTO pgperf.collector_settings AS s (name, enabled, sample_interval, retention, hourly_retention, daily_retention)
    VALUES (NEW.name, NEW.enabled, NEW.sample_interval, NEW.retention, NEW.hourly_retention, NEW.daily_retention)
    ON CONFLICT (name) DO UPDATE SET (enabled, sample_interval, retention, hourly_retention, daily_retention)
        = (EXCLUDED.enabled, EXCLUDED.sample_interval, EXCLUDED.retention, EXCLUDED.hourly_retention, EXCLUDED.daily_retention);
    RETURN NEW;
END
$$;
COMMENT ON FUNCTION pgperf.collectors_update() IS 'What UPDATE pgperf.collectors does';
CREATE TRIGGER collectors_update INSTEAD OF UPDATE ON pgperf.collectors
    FOR EACH ROW EXECUTE FUNCTION pgperf.collectors_update();

CREATE FUNCTION pgperf.snapshot(
    collectors text[] DEFAULT NULL,
    OUT sample_id bigint, OUT collector text, OUT status text, OUT rows bigint, OUT elapsed_ms float8, OUT reason text)
RETURNS SETOF record LANGUAGE c VOLATILE ROWS 4 AS 'MODULE_PATHNAME', 'snapshot_wrapper';
COMMENT ON FUNCTION pgperf.snapshot(text[]) IS 'Takes one sample of the named collectors (default: all enabled) into the history; one row for each with its status';
REVOKE EXECUTE ON FUNCTION pgperf.snapshot(text[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgperf.snapshot(text[]) TO pg_monitor;

-- The number of the sample is drawn inside and only told here: nobody can write into a sample that is not his own.
CREATE PROCEDURE pgperf.collect_sample(collectors text[])
LANGUAGE c AS 'MODULE_PATHNAME', 'collect_sample_wrapper';
COMMENT ON PROCEDURE pgperf.collect_sample(text[]) IS 'Takes a sample in many transactions; called by CALL pgperf.take_snapshot';
CREATE PROCEDURE pgperf.take_snapshot(collectors text[] DEFAULT NULL, INOUT sample_id bigint DEFAULT NULL)
LANGUAGE plpgsql AS $$
BEGIN
    CALL pgperf.require_top_level('pgperf.take_snapshot');
    CALL pgperf.collect_sample(collectors);
    sample_id := pg_catalog.currval('pgperf.sample_id_seq'::pg_catalog.regclass);
END
$$;
COMMENT ON PROCEDURE pgperf.take_snapshot(text[], bigint) IS 'Takes one sample of the named collectors (default: all enabled) for as long as it takes: every relation is measured, and no snapshot is held meanwhile; returns the sample_id';
REVOKE EXECUTE ON PROCEDURE pgperf.collect_sample(text[]), pgperf.take_snapshot(text[], bigint) FROM PUBLIC;
GRANT EXECUTE ON PROCEDURE pgperf.collect_sample(text[]), pgperf.take_snapshot(text[], bigint) TO pg_monitor;

GRANT SELECT ON pgperf.samples, pgperf.sample_outcomes, pgperf.collectors, pgperf.collector_settings, pgperf.sample_id_seq
    TO pg_monitor;

CREATE FUNCTION pgperf.start_sampler() RETURNS boolean
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'start_sampler_wrapper';
COMMENT ON FUNCTION pgperf.start_sampler() IS
    'Starts the continuous sampler of this database when the transaction commits; it runs until it is stopped or the server restarts. False if there is one';
CREATE FUNCTION pgperf.stop_sampler() RETURNS boolean
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'stop_sampler_wrapper';
COMMENT ON FUNCTION pgperf.stop_sampler() IS
    'Stops the continuous sampler of this database at once; one that pgperf.sampler_databases asks for starts again. False if there is none';
REVOKE EXECUTE ON FUNCTION pgperf.start_sampler(), pgperf.stop_sampler() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgperf.start_sampler(), pgperf.stop_sampler() TO pg_monitor;

-- The heartbeat of the sampler is its samples: each says at which cadence it was due, so that a pause shows. A pause
-- that has not ended is one only here (another node's history just ends), and of a collector that is still wanted.
CREATE VIEW pgperf.sampler_gaps AS
WITH outcomes AS (
    SELECT s.node_id, c.key AS collector, s.taken_at, s.cadence, s.epoch, c.value ->> 'status' AS status, c.value ->> 'reason' AS reason
    FROM pgperf.samples s CROSS JOIN LATERAL pg_catalog.jsonb_each(s.outcomes) c
    WHERE s.cadence IS NOT NULL AND s.run_id IS NULL),
pauses AS (
    SELECT o.node_id, o.collector, o.taken_at AS last_at, pg_catalog.lead(o.taken_at) OVER later AS next_at,
           o.cadence AS last_cadence, GREATEST(o.cadence, pg_catalog.lead(o.cadence) OVER later) AS cadence,
           o.epoch, pg_catalog.lead(o.epoch) OVER later AS next_epoch
    FROM outcomes o WHERE o.status = 'ok'
    WINDOW later AS (PARTITION BY o.node_id, o.collector ORDER BY o.taken_at)),
gaps AS (
    SELECT p.*, EXTRACT(epoch FROM COALESCE(p.next_at, pg_catalog.clock_timestamp()) - p.last_at)::float8 AS seconds
    FROM pauses p
    WHERE p.next_at IS NOT NULL
       OR p.node_id = (SELECT n.node_id FROM pgperf.nodes n
                       WHERE n.system_identifier = (SELECT c.system_identifier FROM pg_catalog.pg_control_system() c)
                         AND n.database_oid = (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = pg_catalog.current_database())
                       ORDER BY n.created_at DESC, n.node_id LIMIT 1)
          AND EXISTS (SELECT FROM pgperf.collectors w WHERE w.name = p.collector AND w.enabled AND w.sample_interval IS NOT NULL))
SELECT g.node_id, g.collector, g.cadence, g.last_at, g.next_at, g.seconds,
       CASE WHEN m.status IS NOT NULL THEN m.status || COALESCE(': ' || m.reason, '')
            WHEN EXISTS (SELECT FROM pgperf.samples s
                         WHERE s.node_id = g.node_id AND s.cadence IS NOT NULL AND s.run_id IS NULL
                           AND s.taken_at > g.last_at AND s.taken_at <= g.last_at + 1.5 * g.last_cadence
                           AND s.taken_at + s.elapsed_ms * '1 ms'::interval >= g.last_at + g.last_cadence)
                THEN 'the sampler ran without it: it was switched off, or the sampler was busy'
            WHEN g.next_epoch <> g.epoch OR g.next_at IS NULL AND pg_catalog.pg_postmaster_start_time() > g.last_at
                THEN 'no sampler ran: the server was restarted, or its statistics were reset meanwhile'
            ELSE 'no sampler ran' END AS reason
FROM gaps g
LEFT JOIN LATERAL (SELECT o.status, o.reason FROM outcomes o
                   WHERE o.node_id = g.node_id AND o.collector = g.collector
                     AND o.taken_at > g.last_at AND (g.next_at IS NULL OR o.taken_at < g.next_at)
                   ORDER BY o.taken_at DESC LIMIT 1) m ON true
WHERE g.seconds > 1.5 * EXTRACT(epoch FROM g.cadence);
COMMENT ON VIEW pgperf.sampler_gaps IS 'Where the history of the continuous sampler has gaps: one row for each collector and pause of more than 1.5 times the cadence, and why as far as the samples tell';
COMMENT ON COLUMN pgperf.sampler_gaps.cadence IS 'The interval at which samples with this collector were due; the longer one if it changed in between';
COMMENT ON COLUMN pgperf.sampler_gaps.next_at IS 'The sample that ended the gap; NULL: it goes on';
GRANT SELECT ON pgperf.sampler_gaps TO pg_monitor;

CREATE TABLE pgperf.bloat_history (
    node_id                    uuid NOT NULL,
    sample_id                  bigint NOT NULL,
    taken_at                   timestamptz NOT NULL,
    run_id                     bigint,
    schema_name                text NOT NULL,
    relation_name              text NOT NULL,
    relation_kind              text NOT NULL,
    table_schema               text,
    table_name                 text,
    method                     text NOT NULL CHECK (method IN ('exact', 'approx', 'sampled')),
    size_bytes                 bigint NOT NULL,
    pages_read                 bigint NOT NULL,
    live_tuples                bigint,
    live_bytes                 bigint,
    live_percent               float8,
    dead_tuples                bigint,
    dead_bytes                 bigint,
    dead_percent               float8,
    free_bytes                 bigint,
    free_percent               float8,
    bloat_bytes                bigint,
    bloat_percent              float8,
    leaf_density_percent       float8,
    leaf_fragmentation_percent float8,
    deleted_pages              bigint,
    error_margin_percent       float8,
    changes                    bigint
) PARTITION BY RANGE (taken_at);
SELECT pgperf.add_history('bloat_history', 'bloat', object => '{schema_name,relation_name}', indexes => '{"(node_id, sample_id)", USING brin (taken_at), "(node_id, schema_name, relation_name, taken_at)"}');
COMMENT ON TABLE pgperf.bloat_history IS 'Live, dead, free and wasted space of tables, TOAST tables, materialized views and indexes, one row for each relation that a sample measured';
COMMENT ON COLUMN pgperf.bloat_history.table_schema IS 'Schema of the table that an index or TOAST table belongs to; NULL for a table itself';
COMMENT ON COLUMN pgperf.bloat_history.table_name IS 'The table that an index or TOAST table (or the index of that) belongs to; NULL for a table itself';
COMMENT ON COLUMN pgperf.bloat_history.method IS 'exact: every page was read; sampled: random pages were read, all of them if it is small; approx: pages that are all visible were taken from the free space map (where most rows of a page are gone, this understates bloat by some percentage points)';
COMMENT ON COLUMN pgperf.bloat_history.size_bytes IS 'Size of the main fork';
COMMENT ON COLUMN pgperf.bloat_history.pages_read IS 'Pages that were read to find out';
COMMENT ON COLUMN pgperf.bloat_history.live_bytes IS 'Bytes of live tuples; with approx, all-visible pages count whole but for their free space';
COMMENT ON COLUMN pgperf.bloat_history.dead_bytes IS 'Bytes of tuples whose deletion has committed (or whose insertion never did) and that vacuum has not removed yet; of a B-tree, entries that a scan has marked as dead';
COMMENT ON COLUMN pgperf.bloat_history.free_bytes IS 'Free space, what the fillfactor sets aside included';
COMMENT ON COLUMN pgperf.bloat_history.bloat_bytes IS 'What rewriting it at its own fillfactor (VACUUM FULL, REINDEX) would give back: the pages less those that the live tuples fill when packed anew; for B-trees of the leaf pages, and all deleted pages. 0 for a freshly loaded table or built index. With approx from the average size of a tuple';
COMMENT ON COLUMN pgperf.bloat_history.bloat_percent IS 'bloat_bytes as a share of size_bytes; NULL if it has no pages';
COMMENT ON COLUMN pgperf.bloat_history.leaf_density_percent IS 'How full a B-tree''s leaf pages are on average; a fresh one is as full as its fillfactor';
COMMENT ON COLUMN pgperf.bloat_history.leaf_fragmentation_percent IS 'Leaf pages whose right sibling lies before them in the file';
COMMENT ON COLUMN pgperf.bloat_history.deleted_pages IS 'Pages of an index that hold nothing: of a B-tree those that are deleted or half dead, of others those without an entry';
COMMENT ON COLUMN pgperf.bloat_history.error_margin_percent IS 'Half the width of the 95 % interval, in percentage points, that holds for each of the percentages; 0: every page was read; NULL: not known';
COMMENT ON COLUMN pgperf.bloat_history.changes IS 'Rows of the table inserted, updated and deleted since its statistics began, by which is decided what to measure next';

-- Its rows are not dumped: the next call chooses anew.
CREATE UNLOGGED TABLE pgperf.bloat_cursor (
    node_id     uuid NOT NULL,
    tables_only boolean NOT NULL,
    relations   oid[] NOT NULL,
    next        integer NOT NULL,
    PRIMARY KEY (node_id, tables_only)
);
COMMENT ON TABLE pgperf.bloat_cursor IS 'Where snapshot_bloat goes on: the relations of this round in their order, and how many of them are done';
SELECT pg_catalog.pg_extension_config_dump('pgperf.bloat_cursor', 'WHERE false');
GRANT SELECT ON pgperf.bloat_history, pgperf.bloat_cursor TO pg_monitor;

CREATE FUNCTION pgperf.snapshot_bloat(
    relations regclass[] DEFAULT NULL, method text DEFAULT 'auto', budget interval DEFAULT NULL, max_pages bigint DEFAULT NULL)
RETURNS bigint LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'snapshot_bloat_wrapper';
COMMENT ON FUNCTION pgperf.snapshot_bloat(regclass[], text, interval, bigint) IS 'Measures the named relations (default: those of this database whose figures are oldest, for 2 s) into pgperf.bloat_history, for at most that time and that many pages; method: auto, exact, approx, sampled; returns the sample_id';
REVOKE EXECUTE ON FUNCTION pgperf.snapshot_bloat(regclass[], text, interval, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgperf.snapshot_bloat(regclass[], text, interval, bigint) TO pg_monitor;

-- What the cumulative counters of a history table come to between two samples. One rule for all tables, written once:
-- the views differ only in their columns.
--
-- The row before is that of the same object in the collector's sample before. Where a table holds only what changed
-- (sparse), it is the object's own row before, however old; what lies between had not changed, so the time counts
-- from the collector's sample before, which the row of all objects together (key 0) tells, unless that sample left
-- something out. Each row says which one it was compared with (before_sample_id): if that was deleted, an older one
-- does not take its place. A difference is NULL without a row before, where the counters may have started again in between
-- (lived_on does not hold), and where a counter fell. Minima, maxima, means and deviations have no difference.
--
-- An object without a row before is one that began since, if that can be proved (began): then it counted from 0, and the
-- difference is the counter itself. In began, c is the collector's sample before and cs its row in pgperf.samples.
--
-- A row of all objects together is the sum of what they counted, so it falls by what one had counted when that is
-- dropped. Sums of the members' differences would miss those that got no row, so there is no difference instead where
-- a member went; the rows tell by a fingerprint of their members (a column …_mark, which is no counter).
--
-- The sample's time is among the join's conditions so that only its partition is looked into (OFFSET 0: once it is known).
CREATE FUNCTION pgperf.create_delta_view(
    history text, object text[], gauges text[] DEFAULT '{}', sparse boolean DEFAULT false,
    lived_on text DEFAULT 's.epoch = ps.epoch', began text DEFAULT NULL)
RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    view_name text := replace(history, '_history', '_deltas');
    same_object text := (SELECT string_agg(format(
        CASE WHEN sparse THEN 'x.%1$I = h.%1$I' ELSE 'x.%1$I IS NOT DISTINCT FROM h.%1$I' END, k), ' AND ') FROM unnest(object) k);
    counters text[];
    difference text := 'CASE WHEN m.lived_on AND h.%1$I >= p.%1$I THEN h.%1$I - p.%1$I '
        || CASE WHEN began IS NULL THEN '' ELSE 'WHEN m.began THEN h.%1$I ' END || 'END';
BEGIN
    SELECT array_agg(a.attname ORDER BY a.attnum) INTO counters
    FROM pg_attribute a
    WHERE a.attrelid = format('pgperf.%I', history)::regclass AND a.attnum > 0 AND NOT a.attisdropped
      AND a.atttypid IN ('int8'::regtype, 'float8'::regtype)
      AND a.attname !~ '^(min|max|mean|stddev)_|_mark$' AND a.attname <> ALL (object || gauges || '{sample_id,run_id,before_sample_id}'::text[]);
    EXECUTE format('CREATE VIEW pgperf.%I AS SELECT h.node_id, h.sample_id, h.taken_at, h.run_id%s, m.seconds%s%s%s
        FROM pgperf.%I h JOIN pgperf.samples s ON s.node_id = h.node_id AND s.sample_id = h.sample_id AND s.taken_at = h.taken_at %s
        LEFT JOIN pgperf.samples ps ON ps.node_id = h.node_id AND ps.sample_id = p.sample_id AND ps.taken_at = p.taken_at %s
        CROSS JOIN LATERAL (SELECT (%s) AS lived_on, (%s) AS began) l
        CROSS JOIN LATERAL (SELECT l.lived_on, l.began, EXTRACT(epoch FROM h.taken_at
            - CASE WHEN l.began THEN c.taken_at ELSE %s END)::float8 AS seconds) m',
        view_name,
        (SELECT string_agg(format(', h.%I', k), '' ORDER BY n) FROM unnest(object) WITH ORDINALITY o(k, n)),
        (SELECT string_agg(format(', h.%I', k), '' ORDER BY n) FROM unnest(gauges) WITH ORDINALITY o(k, n)),
        (SELECT string_agg(format(', ' || difference || ' AS %1$I', k), '' ORDER BY n)
           FROM unnest(counters) WITH ORDINALITY o(k, n)),
        (SELECT string_agg(format(', (' || difference || ') / NULLIF(m.seconds, 0) AS %2$I', k, k || '_per_s'), '' ORDER BY n)
           FROM unnest(counters) WITH ORDINALITY o(k, n)),
        history,
        CASE WHEN sparse THEN format(
            'LEFT JOIN LATERAL (SELECT x.* FROM pgperf.%1$I x WHERE x.node_id = h.node_id AND %2$s
                AND x.sample_id < h.sample_id ORDER BY x.sample_id DESC LIMIT 1) p ON true
             LEFT JOIN LATERAL (SELECT x.* FROM pgperf.%1$I x WHERE x.node_id = h.node_id AND x.%3$I = 0
                AND x.sample_id < h.sample_id ORDER BY x.sample_id DESC LIMIT 1) c ON true', history, same_object, object[1])
        ELSE format(
            'LEFT JOIN LATERAL (SELECT x.sample_id, x.taken_at FROM pgperf.%1$I x
                WHERE x.node_id = h.node_id AND x.sample_id < h.sample_id ORDER BY x.sample_id DESC LIMIT 1) c ON true
             LEFT JOIN LATERAL (SELECT x.* FROM pgperf.%1$I x WHERE x.node_id = h.node_id AND x.sample_id = c.sample_id
                AND x.taken_at = c.taken_at AND %2$s OFFSET 0) p ON true', history, coalesce(same_object, 'true'))
        END,
        CASE WHEN began IS NOT NULL THEN
            'LEFT JOIN pgperf.samples cs ON cs.node_id = h.node_id AND cs.sample_id = c.sample_id AND cs.taken_at = c.taken_at' END,
        lived_on || CASE WHEN sparse THEN format(' AND (h.%I = 0 OR h.before_sample_id = p.sample_id)', object[1]) ELSE '' END
        || CASE WHEN EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = format('pgperf.%I', history)::regclass
                                        AND a.attname = 'stats_reset')
                         THEN ' AND h.stats_reset IS NOT DISTINCT FROM p.stats_reset' ELSE '' END,
        COALESCE('p.sample_id IS NULL AND ' || began, 'false'),
        CASE WHEN sparse THEN 'CASE WHEN c.left_out = 0 THEN GREATEST(c.taken_at, p.taken_at) ELSE p.taken_at END'
             ELSE 'p.taken_at' END);
    EXECUTE format('COMMENT ON VIEW pgperf.%I IS %L', view_name, format(
        'What the counters of pgperf.%s came to since the sample before, in seconds; …_per_s: the same per second. NULL: no sample before, or the counters started again in between; what has no row before but can be proved to have begun since counts from 0', history));
    EXECUTE format('GRANT SELECT ON pgperf.%I TO pg_monitor', view_name);
END
$$;
COMMENT ON FUNCTION pgperf.create_delta_view(text, text[], text[], boolean, text, text) IS
    'Makes the view …_deltas of a history table; called when the extension is created or updated';
REVOKE ALL ON FUNCTION pgperf.create_delta_view(text, text[], text[], boolean, text, text) FROM PUBLIC;

CREATE TABLE pgperf.database_history (
    node_id                    uuid NOT NULL,
    sample_id                  bigint NOT NULL,
    taken_at                   timestamptz NOT NULL,
    run_id                     bigint,
    database_name              text,
    size_bytes                 bigint,
    numbackends                bigint,
    xact_commit                bigint,
    xact_rollback              bigint,
    blks_read                  bigint,
    blks_hit                   bigint,
    tup_returned               bigint,
    tup_fetched                bigint,
    tup_inserted               bigint,
    tup_updated                bigint,
    tup_deleted                bigint,
    temp_files                 bigint,
    temp_bytes                 bigint,
    deadlocks                  bigint,
    checksum_failures          bigint,
    checksum_last_failure      timestamptz,
    blk_read_time              float8,
    blk_write_time             float8,
    session_time               float8,
    active_time                float8,
    idle_in_transaction_time   float8,
    sessions                   bigint,
    sessions_abandoned         bigint,
    sessions_fatal             bigint,
    sessions_killed            bigint,
    parallel_workers_to_launch bigint,
    parallel_workers_launched  bigint,
    conflicts                  bigint,
    confl_tablespace           bigint,
    confl_lock                 bigint,
    confl_snapshot             bigint,
    confl_bufferpin            bigint,
    confl_deadlock             bigint,
    confl_active_logicalslot   bigint,
    stats_reset                timestamptz,
    databases_mark             bigint
) PARTITION BY RANGE (taken_at);
SELECT pgperf.add_history('database_history', 'database');
COMMENT ON TABLE pgperf.database_history IS 'pg_stat_database and pg_stat_database_conflicts, under their own names: this database, and all databases together. What the server''s version has not is NULL';
COMMENT ON COLUMN pgperf.database_history.database_name IS 'NULL: all databases together, and what belongs to none (shared catalogs)';
COMMENT ON COLUMN pgperf.database_history.size_bytes IS 'Not in a run''s samples each interval';
COMMENT ON COLUMN pgperf.database_history.blk_read_time IS 'Milliseconds; NULL unless track_io_timing is or was on';
COMMENT ON COLUMN pgperf.database_history.blk_write_time IS 'Milliseconds; NULL unless track_io_timing is or was on';
COMMENT ON COLUMN pgperf.database_history.session_time IS 'Milliseconds, as active_time and idle_in_transaction_time; the clients of a run are background workers and not counted here';
COMMENT ON COLUMN pgperf.database_history.stats_reset IS 'All databases together: the newest';
COMMENT ON COLUMN pgperf.database_history.databases_mark IS 'Of all databases together: changes when one came, went or had its statistics reset; counters can be subtracted only between equal marks';
GRANT SELECT ON pgperf.database_history TO pg_monitor;
SELECT pgperf.create_delta_view('database_history', '{database_name}', '{size_bytes,numbackends}',
    lived_on => 's.epoch = ps.epoch AND h.databases_mark IS NOT DISTINCT FROM p.databases_mark');

CREATE TABLE pgperf.relation_history (
    node_id                uuid NOT NULL,
    sample_id              bigint NOT NULL,
    taken_at               timestamptz NOT NULL,
    run_id                 bigint,
    relation_oid           oid NOT NULL,
    before_sample_id       bigint,
    schema_name            text,
    relation_name          text,
    relation_kind          text,
    table_name             text,
    relations              bigint,
    left_out               bigint,
    size_bytes             bigint,
    relpages               bigint,
    reltuples              float8,
    n_live_tup             bigint,
    n_dead_tup             bigint,
    n_mod_since_analyze    bigint,
    n_ins_since_vacuum     bigint,
    last_seq_scan          timestamptz,
    last_idx_scan          timestamptz,
    last_vacuum            timestamptz,
    last_autovacuum        timestamptz,
    last_analyze           timestamptz,
    last_autoanalyze       timestamptz,
    seq_scan               bigint,
    seq_tup_read           bigint,
    idx_scan               bigint,
    idx_tup_read           bigint,
    idx_tup_fetch          bigint,
    n_tup_ins              bigint,
    n_tup_upd              bigint,
    n_tup_del              bigint,
    n_tup_hot_upd          bigint,
    n_tup_newpage_upd      bigint,
    vacuum_count           bigint,
    autovacuum_count       bigint,
    analyze_count          bigint,
    autoanalyze_count      bigint,
    total_vacuum_time      float8,
    total_autovacuum_time  float8,
    total_analyze_time     float8,
    total_autoanalyze_time float8,
    blks_read              bigint,
    blks_hit               bigint,
    last_oid               oid,
    relations_mark         bigint,
    remaining_mark         bigint
) PARTITION BY RANGE (taken_at);
SELECT pgperf.add_history('relation_history', 'tables', object => '{relation_oid}', indexes => '{"(node_id, relation_oid, sample_id)", USING brin (taken_at)}');
COMMENT ON TABLE pgperf.relation_history IS 'Tables, TOAST tables, materialized views and indexes, under the names of pg_stat_all_tables and pg_stat_all_indexes: those whose counters have changed since their row before, and each at least once a day. What the server''s version has not is NULL';
COMMENT ON COLUMN pgperf.relation_history.relation_oid IS '0: all relations of the database together';
COMMENT ON COLUMN pgperf.relation_history.table_name IS 'The table of an index or TOAST table';
COMMENT ON COLUMN pgperf.relation_history.relations IS 'Of all together: how many there are';
COMMENT ON COLUMN pgperf.relation_history.before_sample_id IS 'The sample of the row that this one was compared with; NULL: the first';
COMMENT ON COLUMN pgperf.relation_history.left_out IS 'Of all together: how many had changed but got no row; a sample stores the 2000 that changed most';
COMMENT ON COLUMN pgperf.relation_history.size_bytes IS 'Of the files of the main fork; no lock is taken for it';
COMMENT ON COLUMN pgperf.relation_history.relpages IS 'As pg_class has it since the last VACUUM or ANALYZE, as reltuples';
COMMENT ON COLUMN pgperf.relation_history.idx_scan IS 'Of a table: over all its indexes';
COMMENT ON COLUMN pgperf.relation_history.total_vacuum_time IS 'Milliseconds, as the other times; PostgreSQL 18';
COMMENT ON COLUMN pgperf.relation_history.blks_read IS 'Blocks of the relation itself, without its indexes and TOAST table; as blks_hit';
COMMENT ON COLUMN pgperf.relation_history.last_oid IS 'Of all together: the highest oid; a relation with a higher one came later';
COMMENT ON COLUMN pgperf.relation_history.relations_mark IS 'Of all together: a fingerprint of the set of relations';
COMMENT ON COLUMN pgperf.relation_history.remaining_mark IS 'Of all together: the same of those up to last_oid of the sample before; equal to its relations_mark if none was dropped since';
GRANT SELECT ON pgperf.relation_history TO pg_monitor;
-- An index is no proof: the one that REINDEX CONCURRENTLY makes takes over the counters of the old one.
SELECT pgperf.create_delta_view('relation_history', '{relation_oid}',
    '{schema_name,relation_name,relation_kind,table_name,relations,left_out,size_bytes,relpages,reltuples,n_live_tup,n_dead_tup,n_mod_since_analyze,n_ins_since_vacuum}',
    sparse => true,
    lived_on => 's.epoch = ps.epoch AND (h.relation_oid <> 0 OR h.remaining_mark = p.relations_mark)',
    began => 'h.relation_oid > c.last_oid AND h.relation_kind <> ''index'' AND s.epoch = cs.epoch');

CREATE VIEW pgperf.relation_rates AS
SELECT d.*,
       100 * d.n_tup_hot_upd / NULLIF(d.n_tup_upd, 0)::float8 AS hot_percent,
       100 * d.n_dead_tup / NULLIF(d.n_live_tup + d.n_dead_tup, 0)::float8 AS dead_percent,
       100 * d.blks_hit / NULLIF(d.blks_hit + d.blks_read, 0)::float8 AS hit_percent
FROM pgperf.relation_deltas d;
COMMENT ON VIEW pgperf.relation_rates IS 'pgperf.relation_deltas with the share of heap-only updates and of buffer hits since the sample before, and the share of dead rows now';
GRANT SELECT ON pgperf.relation_rates TO pg_monitor;

CREATE TABLE pgperf.checkpoint_history (
    node_id               uuid NOT NULL,
    sample_id             bigint NOT NULL,
    taken_at              timestamptz NOT NULL,
    run_id                bigint,
    in_progress           boolean NOT NULL,
    redo_lsn              pg_lsn NOT NULL,
    checkpoint_lsn        pg_lsn NOT NULL,
    checkpoint_time       timestamptz NOT NULL,
    num_timed             bigint,
    num_requested         bigint,
    num_done              bigint,
    restartpoints_timed   bigint,
    restartpoints_req     bigint,
    restartpoints_done    bigint,
    write_time            float8,
    sync_time             float8,
    buffers_written       bigint,
    slru_written          bigint,
    buffers_clean         bigint,
    maxwritten_clean      bigint,
    buffers_backend       bigint,
    buffers_backend_fsync bigint,
    buffers_alloc         bigint,
    stats_reset           timestamptz
) PARTITION BY RANGE (taken_at);
SELECT pgperf.add_history('checkpoint_history', 'checkpoints');
COMMENT ON TABLE pgperf.checkpoint_history IS 'Checkpoints and the background writer, under the names of pg_stat_checkpointer and pg_stat_bgwriter of PostgreSQL 17 and later. What the server''s version has not is NULL';
COMMENT ON COLUMN pgperf.checkpoint_history.in_progress IS 'Whether a checkpoint (on a standby: a restartpoint) was being written';
COMMENT ON COLUMN pgperf.checkpoint_history.redo_lsn IS 'Where recovery after a crash would begin: the newest checkpoint''s that is complete';
COMMENT ON COLUMN pgperf.checkpoint_history.checkpoint_lsn IS 'The newest complete checkpoint''s own record';
COMMENT ON COLUMN pgperf.checkpoint_history.checkpoint_time IS 'When the newest complete checkpoint began';
COMMENT ON COLUMN pgperf.checkpoint_history.write_time IS 'Milliseconds, as sync_time';
COMMENT ON COLUMN pgperf.checkpoint_history.buffers_backend IS 'PostgreSQL 15 and 16; later in io_history';
GRANT SELECT ON pgperf.checkpoint_history TO pg_monitor;
SELECT pgperf.create_delta_view('checkpoint_history', '{}', '{}');

CREATE TABLE pgperf.io_history (
    node_id        uuid NOT NULL,
    sample_id      bigint NOT NULL,
    taken_at       timestamptz NOT NULL,
    run_id         bigint,
    backend_type   text NOT NULL,
    object         text NOT NULL,
    context        text NOT NULL,
    op_bytes       bigint,
    reads          bigint,
    read_bytes     bigint,
    read_time      float8,
    writes         bigint,
    write_bytes    bigint,
    write_time     float8,
    writebacks     bigint,
    writeback_time float8,
    extends        bigint,
    extend_bytes   bigint,
    extend_time    float8,
    hits           bigint,
    evictions      bigint,
    reuses         bigint,
    fsyncs         bigint,
    fsync_time     float8,
    stats_reset    timestamptz
) PARTITION BY RANGE (taken_at);
SELECT pgperf.add_history('io_history', 'io');
COMMENT ON TABLE pgperf.io_history IS 'pg_stat_io (PostgreSQL 16 and later), under its own names: the rows in which something was counted. What the server''s version has not is NULL';
COMMENT ON COLUMN pgperf.io_history.backend_type IS 'The clients of a run are background workers';
COMMENT ON COLUMN pgperf.io_history.op_bytes IS 'Bytes of one operation; PostgreSQL 16 and 17, later counted in read_bytes, write_bytes and extend_bytes';
COMMENT ON COLUMN pgperf.io_history.read_time IS 'Milliseconds, as all times; NULL unless track_io_timing (of WAL: track_wal_io_timing) is or was on';
GRANT SELECT ON pgperf.io_history TO pg_monitor;
-- What has no row had counted nothing.
SELECT pgperf.create_delta_view('io_history', '{backend_type,object,context}', '{op_bytes}',
    began => 's.epoch = cs.epoch');

CREATE TABLE pgperf.wait_history (
    node_id         uuid NOT NULL,
    sample_id       bigint NOT NULL,
    taken_at        timestamptz NOT NULL,
    run_id          bigint,
    source          text NOT NULL CHECK (source IN ('activity', 'run clients')),
    backend_type    text,
    state           text,
    wait_event_type text,
    wait_event      text,
    looks           bigint NOT NULL,
    seen            bigint NOT NULL
) PARTITION BY RANGE (taken_at);
SELECT pgperf.add_history('wait_history', 'waits');
COMMENT ON TABLE pgperf.wait_history IS 'What sessions were seen waiting for; processes that wait for work (type Activity) are left out';
COMMENT ON COLUMN pgperf.wait_history.source IS 'activity: one look at pg_stat_activity, the clients of runs among the others; run clients: the run''s own clients, looked at each 10 ms since the sample before';
COMMENT ON COLUMN pgperf.wait_history.wait_event IS 'NULL: it did not wait; while active, it was on a CPU or wanted one. Extension: a client of a run between its transactions (rate, think time, \sleep)';
COMMENT ON COLUMN pgperf.wait_history.looks IS 'How often was looked';
COMMENT ON COLUMN pgperf.wait_history.seen IS 'How many sessions were seen so, over all looks; seen / looks is their average number';
GRANT SELECT ON pgperf.wait_history TO pg_monitor;

CREATE VIEW pgperf.wait_rates AS
SELECT w.*, w.seen::float8 / w.looks AS average_sessions,
       100 * w.seen / pg_catalog.sum(w.seen) OVER (PARTITION BY w.node_id, w.sample_id, w.source)::float8 AS percent
FROM pgperf.wait_history w;
COMMENT ON VIEW pgperf.wait_rates IS 'pgperf.wait_history with the average number of sessions, and their share of all of the sample and source';
GRANT SELECT ON pgperf.wait_rates TO pg_monitor;

CREATE TABLE pgperf.buffer_usage_history (
    node_id       uuid NOT NULL,
    sample_id     bigint NOT NULL,
    taken_at      timestamptz NOT NULL,
    run_id        bigint,
    database_name text,
    schema_name   text,
    relation_name text,
    relation_kind text,
    fork          text,
    usage_count   smallint,
    buffers       bigint NOT NULL,
    dirty         bigint NOT NULL,
    pinned        bigint NOT NULL
) PARTITION BY RANGE (taken_at);
SELECT pgperf.add_history('buffer_usage_history', 'buffers');
COMMENT ON TABLE pgperf.buffer_usage_history IS 'What shared_buffers held: buffers by relation, fork and usage count. The buffers of a sample add up to shared_buffers';
COMMENT ON COLUMN pgperf.buffer_usage_history.database_name IS 'NULL: unused buffers, or a catalog that all databases share';
COMMENT ON COLUMN pgperf.buffer_usage_history.relation_name IS 'NULL: of another database, dropped, not committed yet, or (of a sample with more than 2,000 files) of one with few buffers';
COMMENT ON COLUMN pgperf.buffer_usage_history.fork IS 'main, fsm (free space map), vm (visibility map) or init; NULL with a usage_count: buffers that others used so busily at that moment that it could not be told, without a lock, what they hold';
COMMENT ON COLUMN pgperf.buffer_usage_history.usage_count IS '0 to 5; NULL: buffers that hold no page';
COMMENT ON COLUMN pgperf.buffer_usage_history.pinned IS 'Buffers in use at that moment';

CREATE TABLE pgperf.buffer_counter_history (
    node_id            uuid NOT NULL,
    sample_id          bigint NOT NULL,
    taken_at           timestamptz NOT NULL,
    run_id             bigint,
    blks_hit           bigint,
    blks_read          bigint,
    buffers_checkpoint bigint,
    buffers_clean      bigint,
    maxwritten_clean   bigint,
    buffers_backend    bigint,
    buffers_alloc      bigint,
    evictions          bigint,
    databases_mark     bigint NOT NULL
) PARTITION BY RANGE (taken_at);
SELECT pgperf.add_history('buffer_counter_history', 'buffers');
COMMENT ON TABLE pgperf.buffer_counter_history IS 'The whole server''s buffer counters, cumulative as the server gave them; pgperf.buffer_counter_deltas subtracts them';
COMMENT ON COLUMN pgperf.buffer_counter_history.blks_hit IS 'Blocks found in shared_buffers, all databases together';
COMMENT ON COLUMN pgperf.buffer_counter_history.blks_read IS 'Blocks read into shared_buffers, all databases together';
COMMENT ON COLUMN pgperf.buffer_counter_history.buffers_checkpoint IS 'Buffers written by checkpoints';
COMMENT ON COLUMN pgperf.buffer_counter_history.buffers_clean IS 'Buffers written by the background writer';
COMMENT ON COLUMN pgperf.buffer_counter_history.maxwritten_clean IS 'How often the background writer stopped because it had written bgwriter_lru_maxpages';
COMMENT ON COLUMN pgperf.buffer_counter_history.buffers_backend IS 'Buffers that others had to write themselves, and blocks by which they extended files; from PostgreSQL 17 on as counted in pg_stat_io';
COMMENT ON COLUMN pgperf.buffer_counter_history.buffers_alloc IS 'Buffers that were given a new page';
COMMENT ON COLUMN pgperf.buffer_counter_history.evictions IS 'Buffers that gave up a page for another one; NULL before PostgreSQL 16';
COMMENT ON COLUMN pgperf.buffer_counter_history.databases_mark IS 'Changes when a database came, went or had its statistics reset: blks_hit and blks_read can be subtracted only between equal marks';

-- A difference below zero becomes NULL: that counter began again.
CREATE VIEW pgperf.buffer_counter_deltas AS
SELECT (d.h).node_id, (d.h).sample_id, (d.h).taken_at, (d.h).run_id, d.seconds,
       CASE WHEN d.same AND d.same_databases THEN NULLIF(GREATEST((d.h).blks_hit - (d.p).blks_hit, -1), -1) END AS blks_hit,
       CASE WHEN d.same AND d.same_databases THEN NULLIF(GREATEST((d.h).blks_read - (d.p).blks_read, -1), -1) END AS blks_read,
       CASE WHEN d.same THEN NULLIF(GREATEST((d.h).buffers_checkpoint - (d.p).buffers_checkpoint, -1), -1) END AS buffers_checkpoint,
       CASE WHEN d.same THEN NULLIF(GREATEST((d.h).buffers_clean - (d.p).buffers_clean, -1), -1) END AS buffers_clean,
       CASE WHEN d.same THEN NULLIF(GREATEST((d.h).maxwritten_clean - (d.p).maxwritten_clean, -1), -1) END AS maxwritten_clean,
       CASE WHEN d.same THEN NULLIF(GREATEST((d.h).buffers_backend - (d.p).buffers_backend, -1), -1) END AS buffers_backend,
       CASE WHEN d.same THEN NULLIF(GREATEST((d.h).buffers_alloc - (d.p).buffers_alloc, -1), -1) END AS buffers_alloc,
       CASE WHEN d.same THEN NULLIF(GREATEST((d.h).evictions - (d.p).evictions, -1), -1) END AS evictions
FROM (SELECT h, pg_catalog.lag(h) OVER w AS p,
             EXTRACT(epoch FROM h.taken_at - pg_catalog.lag(h.taken_at) OVER w)::float8 AS seconds,
             s.epoch = pg_catalog.lag(s.epoch) OVER w AS same,
             h.databases_mark = pg_catalog.lag(h.databases_mark) OVER w AS same_databases
      FROM pgperf.buffer_counter_history h JOIN pgperf.samples s USING (node_id, sample_id, taken_at)
      WINDOW w AS (PARTITION BY h.node_id ORDER BY h.taken_at, h.sample_id)) d;
COMMENT ON VIEW pgperf.buffer_counter_deltas IS 'What the counters of pgperf.buffer_counter_history rose by since the node''s sample before; NULL for the first one and where a counter began again in between';
COMMENT ON COLUMN pgperf.buffer_counter_deltas.seconds IS 'Since the sample before';

CREATE FUNCTION pgperf.working_set(
    sample_id bigint DEFAULT NULL, node_id uuid DEFAULT NULL,
    OUT taken_at timestamptz, OUT scope text, OUT database_name text, OUT schema_name text, OUT relation_name text,
    OUT usage_count smallint, OUT buffers bigint, OUT bytes bigint, OUT percent float8, OUT cache_percent float8,
    OUT low_bytes bigint, OUT high_bytes bigint, OUT reason text)
RETURNS SETOF record LANGUAGE sql STABLE ROWS 100
BEGIN ATOMIC
    WITH chosen AS MATERIALIZED (
        SELECT h.node_id, h.sample_id FROM pgperf.buffer_usage_history h
        WHERE h.node_id = COALESCE(working_set.node_id, (SELECT pgperf.local_node()))
          AND h.sample_id = COALESCE(working_set.sample_id, h.sample_id)
        ORDER BY h.sample_id DESC LIMIT 1),
    held AS MATERIALIZED (
        SELECT h.taken_at, h.database_name, h.schema_name, h.relation_name, h.usage_count, h.buffers,
               h.buffers * pg_catalog.current_setting('block_size')::bigint AS bytes
        FROM pgperf.buffer_usage_history h JOIN chosen USING (node_id, sample_id)),
    whole AS MATERIALIZED (
        SELECT sum(h.buffers) AS buffers, sum(h.bytes)::bigint AS bytes,
               COALESCE(sum(h.bytes) FILTER (WHERE h.usage_count IS NOT NULL), 0)::bigint AS used,
               COALESCE(sum(h.bytes) FILTER (WHERE h.usage_count >= 2), 0)::bigint AS twice,
               COALESCE(sum(h.bytes) FILTER (WHERE h.usage_count >= 3), 0)::bigint AS hot
        FROM held h),
    bracket AS (
        SELECT w.hot AS low, b.*
        FROM whole w,
             LATERAL (SELECT w.used AS high,
                             'Not full: every page found room, but for those of large scans, which pass through a small ring' AS reason
                      WHERE w.used < 0.99 * w.bytes AND w.hot < w.used
                      UNION ALL
                      SELECT w.bytes, 'Not full, and every page that it holds is in frequent use'
                      WHERE w.used < 0.99 * w.bytes AND w.hot = w.used
                      UNION ALL
                      SELECT w.bytes, 'Full, but more than half of it is not asked for twice while the clock hand goes round'
                      WHERE w.used >= 0.99 * w.bytes AND w.twice < 0.5 * w.used
                      UNION ALL
                      SELECT NULL, 'Full of pages in frequent use: what does not fit cannot be seen from here, look at reads and evictions'
                      WHERE w.used >= 0.99 * w.bytes AND w.twice >= 0.5 * w.used) b),
    counted AS (
        SELECT max(h.taken_at) AS taken_at,
               CASE WHEN GROUPING(h.relation_name) = 1 THEN 'server' ELSE 'relation' END AS scope,
               h.database_name, h.schema_name, h.relation_name, h.usage_count,
               sum(h.buffers) AS buffers, sum(h.bytes) AS bytes
        FROM held h WHERE h.usage_count IS NOT NULL
        GROUP BY GROUPING SETS ((h.usage_count), (h.database_name, h.schema_name, h.relation_name, h.usage_count))),
    cumulated AS (
        SELECT c.taken_at, c.scope, c.database_name, c.schema_name, c.relation_name, c.usage_count,
               sum(c.buffers) OVER down AS buffers, sum(c.bytes) OVER down AS bytes, sum(c.buffers) OVER every AS all_buffers
        FROM counted c
        WINDOW every AS (PARTITION BY c.scope, c.database_name, c.schema_name, c.relation_name),
               down AS (PARTITION BY c.scope, c.database_name, c.schema_name, c.relation_name ORDER BY c.usage_count DESC))
    SELECT c.taken_at, c.scope, c.database_name, c.schema_name, c.relation_name, c.usage_count,
           c.buffers::bigint, c.bytes::bigint, (100 * c.buffers / c.all_buffers)::float8, (100 * c.buffers / w.buffers)::float8,
           CASE WHEN c.scope = 'server' THEN b.low END, CASE WHEN c.scope = 'server' THEN b.high END,
           CASE WHEN c.scope = 'server' THEN b.reason END
    FROM cumulated c CROSS JOIN whole w CROSS JOIN bracket b
    ORDER BY c.scope DESC, c.all_buffers DESC, c.database_name, c.schema_name, c.relation_name, c.usage_count DESC;
END;
COMMENT ON FUNCTION pgperf.working_set(bigint, uuid) IS 'How much of shared_buffers is in frequent use, from the usage counts of a sample (default: the newest of this node): for the server and each relation the buffers whose count is at least usage_count, in buffers, bytes, percent of the object''s own buffers and of the whole cache. low_bytes to high_bytes is a bracket for a useful shared_buffers and never one number. A usage count rises with each use, to 5 at most, and falls by one whenever the clock hand passes in search of room: low_bytes are the pages with 3 or more, used again and again between two rounds. high_bytes is what is held at all while unused buffers are left (the clock hand has then hardly moved, and the counts are those since the pages were read), the present size if most pages are not used twice in a round, and NULL (more than now, how much cannot be seen) if the cache is full of pages in frequent use. What counts cannot say: how often a page above 5 is used, what the operating system''s cache holds, what pages that did not fit would have brought. One sample is one moment: compare those of busy hours';
REVOKE EXECUTE ON FUNCTION pgperf.working_set(bigint, uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgperf.working_set(bigint, uuid) TO pg_monitor;
GRANT SELECT ON pgperf.buffer_usage_history, pgperf.buffer_counter_history, pgperf.buffer_counter_deltas TO pg_monitor;

CREATE FUNCTION pgperf.snapshot_buffers()
RETURNS bigint LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'snapshot_buffers_wrapper';
COMMENT ON FUNCTION pgperf.snapshot_buffers() IS 'Records what shared_buffers holds in pgperf.buffer_usage_history and its counters in pgperf.buffer_counter_history; returns the sample_id';
REVOKE EXECUTE ON FUNCTION pgperf.snapshot_buffers() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgperf.snapshot_buffers() TO pg_monitor;

CREATE TABLE pgperf.settings_history (
    node_id         uuid NOT NULL,
    sample_id       bigint NOT NULL,
    taken_at        timestamptz NOT NULL,
    run_id          bigint,
    name            text NOT NULL,
    database_name   text,
    role_name       text,
    value           text,
    unit            text,
    source          text NOT NULL,
    pending_restart boolean NOT NULL
) PARTITION BY RANGE (taken_at);
SELECT pgperf.add_history('settings_history', 'settings', indexes => '{"(node_id, name, sample_id)", USING brin (taken_at)}', width => 'year', rolled_up => false);
COMMENT ON TABLE pgperf.settings_history IS 'Settings that were not at their defaults at the first sample, then each change: the newest row of a setting is what holds; without a row it has always been at its default';
COMMENT ON COLUMN pgperf.settings_history.database_name IS 'Set for a database by ALTER DATABASE or ALTER ROLE … IN DATABASE; NULL: for all';
COMMENT ON COLUMN pgperf.settings_history.role_name IS 'Set for a role by ALTER ROLE; NULL: for all';
COMMENT ON COLUMN pgperf.settings_history.value IS 'Passwords in connection strings are left out; NULL: what was set for a database or role was taken back';
COMMENT ON COLUMN pgperf.settings_history.source IS 'As in pg_settings';
GRANT SELECT ON pgperf.settings_history TO pg_monitor;

-- Runs that later ones are measured against, by a name of their own.
CREATE TABLE pgperf.baselines (
    name       text NOT NULL,
    run_no     integer NOT NULL,
    node_id    uuid NOT NULL,
    run_id     bigint NOT NULL,
    role       text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    PRIMARY KEY (name, run_no),
    FOREIGN KEY (node_id, run_id) REFERENCES pgperf.stored_runs ON DELETE CASCADE
);
COMMENT ON TABLE pgperf.baselines IS 'Named baselines: the runs that a name stands for in compare and gate; written by set_baseline';
SELECT pg_catalog.pg_extension_config_dump('pgperf.baselines', '');
GRANT SELECT ON pgperf.baselines TO pg_monitor;

CREATE TYPE pgperf.comparison AS (
    category        text,
    object          text,
    metric          text,
    unit            text,
    direction       text,
    baseline        float8,
    candidate       float8,
    change_percent  float8,
    ci_low_percent  float8,
    ci_high_percent float8,
    p_value         float8,
    n_baseline      integer,
    n_candidate     integer,
    verdict         text,
    p_adjusted      float8,
    method          text,
    baseline_text   text,
    candidate_text  text
);
COMMENT ON TYPE pgperf.comparison IS 'A metric of two sides of runs, or a setting or circumstance that differs: what compare returns';
COMMENT ON COLUMN pgperf.comparison.object IS 'What the metric is of: a statement by script and place, a relation, a part; NULL: the run as a whole';
COMMENT ON COLUMN pgperf.comparison.direction IS 'Which is better: higher, lower; NULL: neither by itself';
COMMENT ON COLUMN pgperf.comparison.change_percent IS 'Of the baseline; of pairs the mean over them';
COMMENT ON COLUMN pgperf.comparison.ci_low_percent IS 'The change''s 95 % interval; NULL: it cannot be told';
COMMENT ON COLUMN pgperf.comparison.p_value IS 'How likely such a change would be by chance alone, tested by itself';
COMMENT ON COLUMN pgperf.comparison.n_baseline IS 'Runs, or, as method says, intervals or pairs';
COMMENT ON COLUMN pgperf.comparison.verdict IS 'better, worse, differs (neither is better), no significant difference, single observation, or not comparable: with the reason';
COMMENT ON COLUMN pgperf.comparison.p_adjusted IS 'Corrected for the number of metrics tested; below 0.05 the change is significant';
COMMENT ON COLUMN pgperf.comparison.baseline_text IS 'Of settings and environment';

-- Executable by everybody, as pgperf.report: each checks that the caller may see the runs.
CREATE FUNCTION pgperf.compare_runs(baseline text[], candidate text[], pair_by text) RETURNS SETOF pgperf.comparison
    LANGUAGE c AS 'MODULE_PATHNAME', 'compare_runs_wrapper';
COMMENT ON FUNCTION pgperf.compare_runs(text[], text[], text) IS
    'What pgperf.compare does; runs are named as there, or as #run_id';

CREATE FUNCTION pgperf.compare_lines(baseline text[], candidate text[], pair_by text) RETURNS SETOF text
    LANGUAGE c AS 'MODULE_PATHNAME', 'compare_lines_wrapper';
COMMENT ON FUNCTION pgperf.compare_lines(text[], text[], text) IS
    'What pgperf.compare_report does; runs are named as there, or as #run_id';

CREATE FUNCTION pgperf.run_names(runs bigint[]) RETURNS text[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT ARRAY(SELECT '#' || u.run FROM pg_catalog.unnest(runs) WITH ORDINALITY AS u (run, n) ORDER BY u.n);
END;
COMMENT ON FUNCTION pgperf.run_names(bigint[]) IS 'Runs of this node as compare_runs names them';

CREATE FUNCTION pgperf.compare(baseline bigint, candidate bigint) RETURNS SETOF pgperf.comparison
    LANGUAGE sql
BEGIN ATOMIC
    SELECT * FROM pgperf.compare_runs(pgperf.run_names(ARRAY[baseline]), pgperf.run_names(ARRAY[candidate]), NULL);
END;
COMMENT ON FUNCTION pgperf.compare(bigint, bigint) IS
    'What differs between two runs of this node (NULL: the newest): settings and environment first, then each metric with its change, 95 % interval and verdict. How much is noise is estimated from the intervals of each run';

CREATE FUNCTION pgperf.compare(baseline bigint[], candidate bigint[], pair_by text DEFAULT NULL) RETURNS SETOF pgperf.comparison
    LANGUAGE sql
BEGIN ATOMIC
    SELECT * FROM pgperf.compare_runs(pgperf.run_names(baseline), pgperf.run_names(candidate), pair_by);
END;
COMMENT ON FUNCTION pgperf.compare(bigint[], bigint[], text) IS
    'The same for repeated runs, whose spread tells how much is noise. pair_by: node, label or repetition, for runs that belong together in pairs';

CREATE FUNCTION pgperf.compare(baseline text, candidate text) RETURNS SETOF pgperf.comparison
    LANGUAGE sql
BEGIN ATOMIC
    SELECT * FROM pgperf.compare_runs(ARRAY[baseline], ARRAY[candidate], NULL);
END;
COMMENT ON FUNCTION pgperf.compare(text, text) IS
    'The same for runs named by their label, as ''node name/run_id'', by run_id, or by the name of a baseline, which may stand for several runs';

CREATE FUNCTION pgperf.compare(baseline text[], candidate text[], pair_by text DEFAULT NULL) RETURNS SETOF pgperf.comparison
    LANGUAGE sql
BEGIN ATOMIC
    SELECT * FROM pgperf.compare_runs(COALESCE(baseline, '{}'), COALESCE(candidate, '{}'), pair_by);
END;
COMMENT ON FUNCTION pgperf.compare(text[], text[], text) IS
    'The same for repeated runs, of whatever node, each named by its label, as ''node name/run_id'', or by run_id';

CREATE FUNCTION pgperf.compare_report(baseline bigint, candidate bigint) RETURNS SETOF text
    LANGUAGE sql
BEGIN ATOMIC
    SELECT pgperf.compare_lines(pgperf.run_names(ARRAY[baseline]), pgperf.run_names(ARRAY[candidate]), NULL);
END;
COMMENT ON FUNCTION pgperf.compare_report(bigint, bigint) IS 'pgperf.compare as text: the answer, what else differs, the summary, and of the details what differs';

CREATE FUNCTION pgperf.compare_report(baseline bigint[], candidate bigint[], pair_by text DEFAULT NULL) RETURNS SETOF text
    LANGUAGE sql
BEGIN ATOMIC
    SELECT pgperf.compare_lines(pgperf.run_names(baseline), pgperf.run_names(candidate), pair_by);
END;
COMMENT ON FUNCTION pgperf.compare_report(bigint[], bigint[], text) IS 'The same for repeated runs';

CREATE FUNCTION pgperf.compare_report(baseline text, candidate text) RETURNS SETOF text
    LANGUAGE sql
BEGIN ATOMIC
    SELECT pgperf.compare_lines(ARRAY[baseline], ARRAY[candidate], NULL);
END;
COMMENT ON FUNCTION pgperf.compare_report(text, text) IS 'The same for runs or baselines by name';

CREATE FUNCTION pgperf.compare_report(baseline text[], candidate text[], pair_by text DEFAULT NULL) RETURNS SETOF text
    LANGUAGE sql
BEGIN ATOMIC
    SELECT pgperf.compare_lines(COALESCE(baseline, '{}'), COALESCE(candidate, '{}'), pair_by);
END;
COMMENT ON FUNCTION pgperf.compare_report(text[], text[], text) IS 'The same for repeated runs by name';

CREATE TYPE pgperf.steadiness AS (
    steady        boolean,
    from_interval integer,
    warmup_s      float8,
    tps_before    float8,
    tps           float8,
    advice        text
);
COMMENT ON TYPE pgperf.steadiness IS 'What steady_state returns';
COMMENT ON COLUMN pgperf.steadiness.steady IS 'NULL: too few intervals to tell';
COMMENT ON COLUMN pgperf.steadiness.warmup_s IS 'How long the rate took to become steady; tps_before is the rate meanwhile, tps the one from then on';

CREATE FUNCTION pgperf.steady_state_of(run text) RETURNS SETOF pgperf.steadiness
    LANGUAGE c AS 'MODULE_PATHNAME', 'steady_state_of_wrapper';
COMMENT ON FUNCTION pgperf.steady_state_of(text) IS 'What pgperf.steady_state does; the run is named as in pgperf.compare, or as #run_id';

CREATE FUNCTION pgperf.steady_state(run_id bigint DEFAULT NULL) RETURNS SETOF pgperf.steadiness
    LANGUAGE sql
BEGIN ATOMIC
    SELECT * FROM pgperf.steady_state_of('#' || run_id);
END;
COMMENT ON FUNCTION pgperf.steady_state(bigint) IS
    'Advice from which interval on the rate of a run (NULL: the newest) is steady, and how long a warm-up would have left the rest out (MSER-5)';

CREATE FUNCTION pgperf.steady_state(run text) RETURNS SETOF pgperf.steadiness
    LANGUAGE sql
BEGIN ATOMIC
    SELECT * FROM pgperf.steady_state_of(run);
END;
COMMENT ON FUNCTION pgperf.steady_state(text) IS 'The same for a run by name';

-- Whole cycles only: from the begin of one checkpoint to that of the next.
CREATE VIEW pgperf.run_checkpoint_cycle AS
SELECT p.node_id,
       p.run_id,
       p.tenth,
       pg_catalog.count(DISTINCT p.cycle) AS cycles,
       pg_catalog.count(*) AS intervals,
       pg_catalog.sum(p.seconds) AS seconds,
       pg_catalog.sum(p.transactions) / NULLIF(pg_catalog.sum(p.seconds), 0) AS tps,
       pg_catalog.sum(p.transactions * p.latency_avg_ms) / NULLIF(pg_catalog.sum(p.transactions), 0)::float8 AS latency_avg_ms,
       pg_catalog.sum(p.transactions * p.latency_p99_ms) / NULLIF(pg_catalog.sum(p.transactions), 0)::float8 AS latency_p99_ms,
       pg_catalog.sum(p.wal_bytes) / NULLIF(pg_catalog.sum(p.transactions), 0) AS wal_bytes_per_tx,
       100.0::float8 * COALESCE(pg_catalog.sum(p.seconds) FILTER (WHERE p.in_checkpoint), 0)
           / NULLIF(pg_catalog.sum(p.seconds), 0) AS in_checkpoint_percent
FROM (
    SELECT c.*,
           1 + LEAST(9, pg_catalog.floor(10 * c.since_s / NULLIF(c.length_s, 0)))::integer AS tenth
    FROM (
        SELECT n.*,
               pg_catalog.sum(n.seconds) OVER cycle AS length_s,
               pg_catalog.sum(n.seconds) OVER (cycle ORDER BY n.interval_no) - n.seconds AS since_s,
               pg_catalog.max(n.cycle) OVER (PARTITION BY n.node_id, n.run_id) AS last_cycle
        FROM (
            SELECT b.*,
                   pg_catalog.count(*) FILTER (WHERE b.begins)
                       OVER (PARTITION BY b.node_id, b.run_id ORDER BY b.interval_no) AS cycle
            FROM (
                SELECT i.node_id, i.run_id, i.interval_no, i.seconds, i.transactions, i.latency_avg_ms, i.latency_p99_ms,
                       i.wal_bytes, i.in_checkpoint,
                       i.in_checkpoint
                           AND pg_catalog.lag(i.in_checkpoint) OVER (PARTITION BY i.node_id, i.run_id ORDER BY i.interval_no)
                           IS FALSE AS begins
                FROM pgperf.run_intervals i
            ) b
        ) n
        WINDOW cycle AS (PARTITION BY n.node_id, n.run_id, n.cycle)
    ) c
    WHERE c.cycle > 0 AND c.cycle < c.last_cycle
) p
GROUP BY p.node_id, p.run_id, p.tenth;
COMMENT ON VIEW pgperf.run_checkpoint_cycle IS
    'A run''s averages by position in the checkpoint cycle, in tenths from the begin of a checkpoint to that of the next, over all whole cycles';
COMMENT ON COLUMN pgperf.run_checkpoint_cycle.latency_p99_ms IS 'The mean of the intervals'' percentiles';
GRANT SELECT ON pgperf.run_checkpoint_cycle TO pg_monitor;

-- Histograms as the run tables have them: HdrHistogram V2, nanoseconds. All times here are milliseconds.
CREATE FUNCTION pgperf.histogram_merge_add(state internal, histogram bytea) RETURNS internal
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'histogram_merge_add_wrapper';
COMMENT ON FUNCTION pgperf.histogram_merge_add(internal, bytea) IS 'Part of pgperf.histogram_merge: adds a histogram';

CREATE FUNCTION pgperf.histogram_merge_combine(state internal, other internal) RETURNS internal
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'histogram_merge_combine_wrapper';
COMMENT ON FUNCTION pgperf.histogram_merge_combine(internal, internal) IS 'Part of pgperf.histogram_merge: adds what another process has merged';

CREATE FUNCTION pgperf.histogram_merge_encode(state internal) RETURNS bytea
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'histogram_merge_encode_wrapper';
COMMENT ON FUNCTION pgperf.histogram_merge_encode(internal) IS 'Part of pgperf.histogram_merge: its result';

CREATE FUNCTION pgperf.histogram_merge_decode(encoded bytea, state internal) RETURNS internal
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'histogram_merge_decode_wrapper';
COMMENT ON FUNCTION pgperf.histogram_merge_decode(bytea, internal) IS 'Part of pgperf.histogram_merge: reads what another process has merged';

CREATE AGGREGATE pgperf.histogram_merge(histogram bytea) (
    SFUNC = pgperf.histogram_merge_add,
    STYPE = internal,
    SSPACE = 34000,
    COMBINEFUNC = pgperf.histogram_merge_combine,
    SERIALFUNC = pgperf.histogram_merge_encode,
    DESERIALFUNC = pgperf.histogram_merge_decode,
    FINALFUNC = pgperf.histogram_merge_encode,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE pgperf.histogram_merge(bytea) IS
    'The histogram of all latencies of several histograms: what has a run''s percentiles, and not their average; NULLs are left out';

CREATE FUNCTION pgperf.histogram_quantile(histogram bytea, quantile float8) RETURNS float8
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'histogram_quantile_wrapper';
COMMENT ON FUNCTION pgperf.histogram_quantile(bytea, float8) IS
    'The latency in milliseconds that the share quantile (0 to 1) of a histogram does not exceed; NULL of an empty one';

CREATE FUNCTION pgperf.histogram_quantile(histogram bytea, quantiles float8[]) RETURNS float8[]
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'histogram_quantile_each_wrapper';
COMMENT ON FUNCTION pgperf.histogram_quantile(bytea, float8[]) IS 'The same for several quantiles at once';

CREATE FUNCTION pgperf.histogram_buckets(
    histogram bytea, buckets integer DEFAULT NULL,
    OUT from_ms float8, OUT to_ms float8, OUT count bigint, OUT cumulative_percent float8)
RETURNS SETOF record
    LANGUAGE c IMMUTABLE PARALLEL SAFE ROWS 100 AS 'MODULE_PATHNAME', 'histogram_buckets_wrapper';
COMMENT ON FUNCTION pgperf.histogram_buckets(bytea, integer) IS
    'How many latencies lie from from_ms up to (not including) to_ms. NULL: a row for each counter in use; otherwise at most so many rows, one after the other from the lowest to the highest latency, wider ones for longer latencies';

CREATE FUNCTION pgperf.histogram_count(histogram bytea) RETURNS bigint
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'histogram_count_wrapper';
COMMENT ON FUNCTION pgperf.histogram_count(bytea) IS 'How many latencies a histogram holds';

CREATE FUNCTION pgperf.histogram_mean(histogram bytea) RETURNS float8
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'histogram_mean_wrapper';
COMMENT ON FUNCTION pgperf.histogram_mean(bytea) IS 'Their average in milliseconds, to within 0.4 %; latency_avg_ms is exact';

CREATE FUNCTION pgperf.histogram_max(histogram bytea) RETURNS float8
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'histogram_max_wrapper';
COMMENT ON FUNCTION pgperf.histogram_max(bytea) IS 'The longest in milliseconds, at most 0.8 % too high; latency_max_ms is exact';

CREATE FUNCTION pgperf.histogram_compress(histogram bytea) RETURNS bytea
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'histogram_compress_wrapper';
COMMENT ON FUNCTION pgperf.histogram_compress(bytea) IS 'A histogram in HdrHistogram''s compressed V2 encoding, which its logs have; every function here reads both';

-- Times in seconds, latencies in milliseconds: the usual divisor of 1,000,000 from nanoseconds. Without a base time
-- the interval's times are since the epoch.
CREATE FUNCTION pgperf.histogram_log(run_id bigint) RETURNS SETOF text
    LANGUAGE sql STABLE
    BEGIN ATOMIC
    SELECT l.line
    FROM pgperf.stored_runs r
    CROSS JOIN LATERAL (
        SELECT h.line, h.line_no AS line_no
        FROM pg_catalog.unnest(ARRAY[
            '#[Logged with pgperf]',
            '#[Histogram log format version 1.3]',
            pg_catalog.format('#[StartTime: %s (seconds since epoch), %s]',
                pg_catalog.round(EXTRACT(epoch FROM r.measured_at), 3),
                pg_catalog.to_char(r.measured_at AT TIME ZONE 'UTC', 'Dy Mon DD HH24:MI:SS "UTC" YYYY')),
            '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"']) WITH ORDINALITY h (line, line_no)
        UNION ALL
        SELECT pg_catalog.concat_ws(',',
                   pg_catalog.round(EXTRACT(epoch FROM i.started_at), 3),
                   pg_catalog.round(i.seconds::numeric, 3),
                   pg_catalog.round(COALESCE(i.latency_max_ms, 0)::numeric, 6),
                   pg_catalog.translate(pg_catalog.encode(pgperf.histogram_compress(i.histogram), 'base64'), E'\n', '')),
               5 + i.interval_no
        FROM pgperf.run_intervals i
        WHERE i.node_id = r.node_id AND i.run_id = r.run_id AND i.histogram IS NOT NULL
    ) l
    WHERE r.run_id = $1 AND (r.origin_node_id IS NOT NULL OR r.node_id = (SELECT pgperf.local_node()))
    ORDER BY l.line_no;
    END;
COMMENT ON FUNCTION pgperf.histogram_log(bigint) IS
    'The latency histograms of a run''s intervals as a log (version 1.3) that HdrHistogram''s tools read';
REVOKE ALL ON FUNCTION pgperf.histogram_log(bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgperf.histogram_log(bigint) TO pg_monitor;

CREATE TABLE pgperf.statement_history (
    node_id                uuid NOT NULL,
    sample_id              bigint NOT NULL,
    taken_at               timestamptz NOT NULL,
    run_id                 bigint,
    queryid                bigint NOT NULL,
    userid                 oid NOT NULL,
    dbid                   oid NOT NULL,
    toplevel               boolean NOT NULL,
    before_sample_id       bigint,
    role_name              text,
    database_name          text,
    statements             bigint,
    left_out               bigint,
    dealloc                bigint,
    min_plan_time          float8,
    max_plan_time          float8,
    mean_plan_time         float8,
    stddev_plan_time       float8,
    min_exec_time          float8,
    max_exec_time          float8,
    mean_exec_time         float8,
    stddev_exec_time       float8,
    plans                  bigint,
    total_plan_time        float8,
    plan_time_squares      float8,
    calls                  bigint,
    total_exec_time        float8,
    exec_time_squares      float8,
    rows                   bigint,
    shared_blks_hit        bigint,
    shared_blks_read       bigint,
    shared_blks_dirtied    bigint,
    shared_blks_written    bigint,
    local_blks_hit         bigint,
    local_blks_read        bigint,
    local_blks_dirtied     bigint,
    local_blks_written     bigint,
    temp_blks_read         bigint,
    temp_blks_written      bigint,
    shared_blk_read_time   float8,
    shared_blk_write_time  float8,
    local_blk_read_time    float8,
    local_blk_write_time   float8,
    temp_blk_read_time     float8,
    temp_blk_write_time    float8,
    wal_records            bigint,
    wal_fpi                bigint,
    wal_bytes              bigint,
    wal_buffers_full       bigint,
    jit_functions          bigint,
    jit_generation_time    float8,
    jit_inlining_count     bigint,
    jit_inlining_time      float8,
    jit_optimization_count bigint,
    jit_optimization_time  float8,
    jit_emission_count     bigint,
    jit_emission_time      float8,
    jit_deform_count       bigint,
    jit_deform_time        float8,
    parallel_workers_to_launch bigint,
    parallel_workers_launched  bigint,
    generic_plan_calls     bigint,
    custom_plan_calls      bigint,
    stats_since            timestamptz,
    minmax_stats_since     timestamptz,
    stats_reset            timestamptz
) PARTITION BY RANGE (taken_at);
SELECT pgperf.add_history('statement_history', 'statements', object => '{queryid,userid,dbid,toplevel}', indexes => '{"(node_id, queryid, sample_id)", USING brin (taken_at)}');
COMMENT ON TABLE pgperf.statement_history IS 'pg_stat_statements, under its own names (those of its version 1.11 and later): the statements that were called since their row before, the 500 that took most of the time. What the installed version of the extension has not is NULL';
COMMENT ON COLUMN pgperf.statement_history.queryid IS '0: all statements together';
COMMENT ON COLUMN pgperf.statement_history.statements IS 'Of all together: how many pg_stat_statements holds';
COMMENT ON COLUMN pgperf.statement_history.before_sample_id IS 'The sample of the row that this one was compared with; NULL: the first';
COMMENT ON COLUMN pgperf.statement_history.left_out IS 'Of all together: how many were called but got no row';
COMMENT ON COLUMN pgperf.statement_history.dealloc IS 'Of all together: how often pg_stat_statements has thrown out the least used';
COMMENT ON COLUMN pgperf.statement_history.mean_exec_time IS 'Since the statement was first seen; of an interval: pgperf.statement_rates';
COMMENT ON COLUMN pgperf.statement_history.exec_time_squares IS 'Sum of the squares of the execution times, ms²: from calls, mean and standard deviation; as plan_time_squares';
COMMENT ON COLUMN pgperf.statement_history.shared_blk_read_time IS 'Milliseconds, as all times; NULL unless track_io_timing is or was on';
COMMENT ON COLUMN pgperf.statement_history.stats_reset IS 'When all of pg_stat_statements was last reset';

CREATE TABLE pgperf.statement_texts (
    node_id  uuid NOT NULL,
    queryid  bigint NOT NULL,
    dbid     oid NOT NULL,
    taken_at timestamptz NOT NULL,
    query    text
);
-- Not unique: a sample must not wait for another one that stores the same text.
CREATE INDEX statement_texts_object_idx ON pgperf.statement_texts (node_id, queryid, dbid);
COMMENT ON TABLE pgperf.statement_texts IS 'The texts of the statements in statement_history, as pg_stat_statements had them when first seen; at most 10,000 characters';
COMMENT ON COLUMN pgperf.statement_texts.taken_at IS 'When it was first seen';
SELECT pg_catalog.pg_extension_config_dump('pgperf.statement_texts', '');
GRANT SELECT ON pgperf.statement_history, pgperf.statement_texts TO pg_monitor;

-- pg_stat_statements survives a restart, so the epoch of the sample says nothing. From its version 1.11 on it tells since
-- when it counts a statement; before, a statement that was thrown out and came back shows by its extremes, which only widen.
SELECT pgperf.create_delta_view('statement_history', '{queryid,userid,dbid,toplevel}',
    '{role_name,database_name,statements,left_out,dealloc}', sparse => true,
    lived_on => 'CASE WHEN h.queryid = 0 THEN h.dealloc = p.dealloc
                      WHEN h.stats_since IS NOT NULL THEN h.stats_since = p.stats_since
                      ELSE h.calls >= p.calls AND h.min_exec_time <= p.min_exec_time AND h.max_exec_time >= p.max_exec_time END',
    began => 'h.stats_since > c.taken_at');

CREATE VIEW pgperf.statement_rates AS
SELECT d.*,
       d.total_exec_time / NULLIF(d.calls, 0) AS mean_exec_time,
       pg_catalog.sqrt(GREATEST(0, d.exec_time_squares / NULLIF(d.calls, 0)
                                   - (d.total_exec_time / NULLIF(d.calls, 0)) * (d.total_exec_time / NULLIF(d.calls, 0)))) AS stddev_exec_time,
       d.total_plan_time / NULLIF(d.plans, 0) AS mean_plan_time,
       100 * d.shared_blks_hit / NULLIF(d.shared_blks_hit + d.shared_blks_read, 0)::float8 AS hit_percent,
       t.query
FROM pgperf.statement_deltas d
LEFT JOIN LATERAL (SELECT x.query FROM pgperf.statement_texts x
                   WHERE x.node_id = d.node_id AND x.queryid = d.queryid AND x.dbid = d.dbid LIMIT 1) t ON true;
COMMENT ON VIEW pgperf.statement_rates IS 'pgperf.statement_deltas with the mean and standard deviation of the time since the sample before, and the text';
GRANT SELECT ON pgperf.statement_rates TO pg_monitor;

CREATE TABLE pgperf.wraparound_history (
    node_id                  uuid NOT NULL,
    sample_id                bigint NOT NULL,
    taken_at                 timestamptz NOT NULL,
    run_id                   bigint,
    database_name            text NOT NULL,
    schema_name              text,
    relation_name            text,
    next_xid                 xid8 NOT NULL,
    frozen_xid_age           bigint,
    next_multixid            bigint NOT NULL,
    multixact_age            bigint,
    horizon_holder           text,
    horizon_age              bigint,
    horizon_since            timestamptz,
    freeze_max_age           bigint,
    failsafe_age             bigint,
    multixact_freeze_max_age bigint,
    multixact_failsafe_age   bigint,
    multixact_members        bigint
) PARTITION BY RANGE (taken_at);
SELECT pgperf.add_history('wraparound_history', 'wraparound');
COMMENT ON TABLE pgperf.wraparound_history IS 'How far each database, and the oldest relations of this one, are from transaction id wraparound. A run''s samples each interval hold this database, and the oldest one if that is another; other samples all databases and this one''s ten oldest relations by transaction id and by multixact';
COMMENT ON COLUMN pgperf.wraparound_history.relation_name IS 'NULL: the database as a whole';
COMMENT ON COLUMN pgperf.wraparound_history.next_xid IS 'The next transaction id, with its epoch';
COMMENT ON COLUMN pgperf.wraparound_history.frozen_xid_age IS 'Transactions since datfrozenxid or relfrozenxid; the server stops assigning ids near 2.1 billion. NULL: a relation whose access method keeps none';
COMMENT ON COLUMN pgperf.wraparound_history.next_multixid IS 'The next multixact id: 32 bits, it wraps';
COMMENT ON COLUMN pgperf.wraparound_history.multixact_age IS 'Multixacts since datminmxid or relminmxid; NULL as above';
COMMENT ON COLUMN pgperf.wraparound_history.horizon_holder IS 'What keeps vacuum in that database from removing newer dead rows: a backend, a prepared transaction, a replication slot (of logical replication: of catalogs only, which counts for datfrozenxid) or a standby''s feedback; NULL: nothing older than the sample itself. More of it in pgperf.horizon_history';
COMMENT ON COLUMN pgperf.wraparound_history.horizon_age IS 'Transactions since the one that horizon_holder still needs';
COMMENT ON COLUMN pgperf.wraparound_history.horizon_since IS 'When its transaction began or was prepared, or (from PostgreSQL 17 on) its slot became inactive';
COMMENT ON COLUMN pgperf.wraparound_history.freeze_max_age IS 'The age at which autovacuum freezes in any case; a table''s own setting may be lower. This and what follows: NULL in the rows of relations';
COMMENT ON COLUMN pgperf.wraparound_history.failsafe_age IS 'The age at which vacuum leaves out all that is not freezing: vacuum_failsafe_age, but not below 1.05 times freeze_max_age';
COMMENT ON COLUMN pgperf.wraparound_history.multixact_freeze_max_age IS 'The same for multixacts; the server lowers it when their members take up much room';
COMMENT ON COLUMN pgperf.wraparound_history.multixact_failsafe_age IS 'The same for multixacts';
COMMENT ON COLUMN pgperf.wraparound_history.multixact_members IS 'Members of multixacts that are kept, of all databases together, counted by the files they lie in (52,352 each): up to two files too many. Until PostgreSQL 18 there is room for 4.3 billion. NULL in a run''s samples each interval';

CREATE TABLE pgperf.horizon_history (
    node_id       uuid NOT NULL,
    sample_id     bigint NOT NULL,
    taken_at      timestamptz NOT NULL,
    run_id        bigint,
    holder_kind   text NOT NULL CHECK (holder_kind IN ('backend', 'standby feedback', 'prepared transaction', 'replication slot')),
    database_name text,
    pid           integer,
    name          text,
    role_name     text,
    state         text,
    since         timestamptz,
    age           bigint NOT NULL,
    catalogs_only boolean NOT NULL
) PARTITION BY RANGE (taken_at);
SELECT pgperf.add_history('horizon_history', 'wraparound');
COMMENT ON TABLE pgperf.horizon_history IS 'What holds back vacuum''s horizon, the twenty oldest of each sample (but not of a run''s samples each interval)';
COMMENT ON COLUMN pgperf.horizon_history.database_name IS 'NULL: it holds back all databases';
COMMENT ON COLUMN pgperf.horizon_history.pid IS 'The process: to be ended with pg_terminate_backend; of a slot the one that uses it';
COMMENT ON COLUMN pgperf.horizon_history.name IS 'application_name, the prepared transaction''s gid, or the slot''s name';
COMMENT ON COLUMN pgperf.horizon_history.since IS 'When its transaction began or was prepared, or (from PostgreSQL 17 on) its slot became inactive';
COMMENT ON COLUMN pgperf.horizon_history.age IS 'Transactions since the one that it still needs';
COMMENT ON COLUMN pgperf.horizon_history.catalogs_only IS 'It holds back vacuum of catalogs only (or further than of other tables)';
GRANT SELECT ON pgperf.wraparound_history, pgperf.horizon_history TO pg_monitor;

-- The window is cut into 24 parts and a rate taken from each, so that many samples close together do not
-- make it look surer than it is. Ids are never reset, so restarts and crashes do not matter here.
-- 1.96 + 2.372/f + … is Student's t for f degrees of freedom. An id counts for half the circle of 2^32;
-- the margins of 40 and 3 million before that are SetTransactionIdLimit's and SetMultiXactIdLimit's since 14.
CREATE FUNCTION pgperf.wraparound_forecast(
    history interval DEFAULT '1 day', node_id uuid DEFAULT NULL,
    OUT database_name text, OUT id_kind text, OUT limit_name text, OUT limit_age bigint, OUT age bigint, OUT ids_left bigint,
    OUT per_s float8, OUT per_s_low float8, OUT per_s_high float8, OUT intervals integer,
    OUT time_left interval, OUT time_left_low interval, OUT time_left_high interval)
RETURNS SETOF record LANGUAGE sql STABLE ROWS 32
BEGIN ATOMIC
    WITH node AS MATERIALIZED (
        SELECT COALESCE(wraparound_forecast.node_id, (SELECT pgperf.local_node())) AS node_id),
    newest AS MATERIALIZED (
        SELECT h.taken_at, h.next_xid::text::bigint AS xid, h.next_multixid AS multixid
        FROM pgperf.wraparound_history h JOIN node USING (node_id) WHERE h.relation_name IS NULL
        ORDER BY h.sample_id DESC LIMIT 1),
    looked_at AS MATERIALIZED (
        SELECT h.*, h.next_xid::text::bigint AS xid
        FROM newest n, pgperf.wraparound_history h JOIN node USING (node_id)
        WHERE h.taken_at > n.taken_at - wraparound_forecast.history AND h.taken_at <= n.taken_at),
    parts AS (
        SELECT DISTINCT ON (part) p.taken_at, p.xid, p.next_multixid AS multixid
        FROM (SELECT h.*, pg_catalog.floor(24 * EXTRACT(epoch FROM n.taken_at - h.taken_at)
                                           / EXTRACT(epoch FROM wraparound_forecast.history)) AS part
              FROM looked_at h, newest n WHERE h.relation_name IS NULL) p
        ORDER BY part, p.taken_at),
    steps AS (
        SELECT EXTRACT(epoch FROM p.taken_at - pg_catalog.lag(p.taken_at) OVER w)::float8 AS seconds,
               p.xid - pg_catalog.lag(p.xid) OVER w AS xids,
               (p.multixid - pg_catalog.lag(p.multixid) OVER w + 4294967296) % 4294967296 AS multixids
        FROM (SELECT * FROM parts UNION SELECT n.taken_at, n.xid, n.multixid FROM newest n) p
        WINDOW w AS (ORDER BY p.taken_at)),
    used AS (
        SELECT k.id_kind, s.seconds, k.ids::float8 AS ids
        FROM steps s, LATERAL (VALUES ('xid', s.xids), ('multixact', s.multixids)) k(id_kind, ids)
        WHERE s.seconds > 0 AND k.ids BETWEEN 0 AND 2147483647),
    rates AS (
        SELECT r.id_kind, r.count, r.ids / r.seconds AS rate,
               (1.96 + 2.372 / (r.count - 1) + 2.823 / (r.count - 1) ^ 2 + 2.556 / (r.count - 1) ^ 3)
                   * pg_catalog.sqrt(r.count / (r.count - 1) * (
                       SELECT sum((u.ids - r.ids / r.seconds * u.seconds) ^ 2) FROM used u WHERE u.id_kind = r.id_kind))
                   / r.seconds AS margin
        FROM (SELECT u.id_kind, count(*)::float8 AS count, sum(u.ids) AS ids, sum(u.seconds) AS seconds
              FROM used u GROUP BY u.id_kind HAVING count(*) >= 4) r),
    databases AS (
        SELECT DISTINCT ON (h.database_name) h.*, n.xid - h.xid AS xids_since,
               (n.multixid - h.next_multixid + 4294967296) % 4294967296 AS multixids_since
        FROM looked_at h, newest n
        WHERE h.relation_name IS NULL
          -- What the newest complete sample no longer has was dropped.
          AND h.sample_id >= COALESCE((SELECT max(c.sample_id) FROM looked_at c WHERE c.relation_name IS NOT NULL), 0)
        ORDER BY h.database_name, h.sample_id DESC),
    limits AS (
        SELECT d.database_name, l.*
        FROM databases d,
             LATERAL (VALUES
                 ('xid', d.frozen_xid_age + d.xids_since, 'autovacuum', d.freeze_max_age),
                 ('xid', d.frozen_xid_age + d.xids_since, 'failsafe', d.failsafe_age),
                 ('xid', d.frozen_xid_age + d.xids_since, 'warning', 2147483647 - 40000000),
                 ('xid', d.frozen_xid_age + d.xids_since, 'stop', 2147483647 - 3000000),
                 ('multixact', d.multixact_age + d.multixids_since, 'autovacuum', d.multixact_freeze_max_age),
                 ('multixact', d.multixact_age + d.multixids_since, 'failsafe', d.multixact_failsafe_age),
                 ('multixact', d.multixact_age + d.multixids_since, 'warning', 2147483647 - 40000000),
                 ('multixact', d.multixact_age + d.multixids_since, 'stop', 2147483647 - 3000000))
                 l(id_kind, age, limit_name, limit_age)),
    forecasts AS (
        SELECT l.database_name, l.id_kind, l.limit_name, l.limit_age, l.age, GREATEST(l.limit_age - l.age, 0) AS ids_left,
               r.rate, CASE WHEN r.rate > r.margin THEN r.rate - r.margin WHEN r.rate IS NOT NULL THEN 0 END AS low, r.rate + r.margin AS high, r.count
        FROM limits l LEFT JOIN rates r USING (id_kind))
    SELECT f.database_name, f.id_kind, f.limit_name, f.limit_age, f.age, f.ids_left, f.rate, f.low, f.high, f.count::integer,
           -- Beyond 30,000 years an interval overflows: that is never.
           CASE WHEN f.ids_left < 1e12 * f.rate OR f.ids_left = 0 AND f.rate IS NOT NULL
                THEN pg_catalog.justify_hours(pg_catalog.make_interval(secs => COALESCE(f.ids_left / NULLIF(f.rate, 0), 0))) END,
           CASE WHEN f.ids_left < 1e12 * f.high OR f.ids_left = 0 AND f.rate IS NOT NULL
                THEN pg_catalog.justify_hours(pg_catalog.make_interval(secs => COALESCE(f.ids_left / NULLIF(f.high, 0), 0))) END,
           CASE WHEN f.ids_left < 1e12 * f.low OR f.ids_left = 0 AND f.rate IS NOT NULL
                THEN pg_catalog.justify_hours(pg_catalog.make_interval(secs => COALESCE(f.ids_left / NULLIF(f.low, 0), 0))) END
    FROM forecasts f
    ORDER BY f.database_name, f.id_kind DESC, f.limit_age;
END;
COMMENT ON FUNCTION pgperf.wraparound_forecast(interval, uuid) IS 'When each database reaches the limits of transaction ids and multixacts if nothing is frozen meanwhile and ids are used as fast as over the given stretch of history: autovacuum (it freezes in any case), failsafe (vacuum leaves out all else), warning (the server warns), stop (it assigns no more ids). per_s_low to per_s_high is the 95 % interval of the rate, from how the rates of up to 24 parts of the history differ; a load that only changes more slowly than that (by the week) needs a longer history. time_left_low goes with the high rate. NULL: too little history (fewer than four parts with samples), or never at that rate';
REVOKE EXECUTE ON FUNCTION pgperf.wraparound_forecast(interval, uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgperf.wraparound_forecast(interval, uuid) TO pg_monitor;

CREATE FUNCTION pgperf.snapshot_wraparound()
RETURNS bigint LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'snapshot_wraparound_wrapper';
COMMENT ON FUNCTION pgperf.snapshot_wraparound() IS 'Records the transaction id ages and what holds them back in pgperf.wraparound_history and pgperf.horizon_history; returns the sample_id';
REVOKE EXECUTE ON FUNCTION pgperf.snapshot_wraparound() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgperf.snapshot_wraparound() TO pg_monitor;

-- With the caller's rights and settings: a run's clients are sessions of the caller's role.
CREATE FUNCTION pgperf.doctor(OUT check_name text, OUT status text, OUT detail text, OUT fix_sql text)
RETURNS SETOF record LANGUAGE c VOLATILE ROWS 30 SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'doctor_wrapper';
COMMENT ON FUNCTION pgperf.doctor() IS
    'What would make a measurement on this server bad: a row for each thing looked at, with its status (ok, warning, problem, or unknown where it cannot be seen, for the reason in detail) and, where one can, the statement that mends it, for psql''s \gexec';
GRANT EXECUTE ON FUNCTION pgperf.doctor() TO PUBLIC;

CREATE TABLE pgperf.wal_history (
    node_id              uuid NOT NULL,
    sample_id            bigint NOT NULL,
    taken_at             timestamptz NOT NULL,
    run_id               bigint,
    insert_lsn           pg_lsn NOT NULL,
    flush_lsn            pg_lsn NOT NULL,
    wal_records          bigint,
    wal_fpi              bigint,
    wal_bytes            bigint,
    wal_fpi_bytes        bigint,
    wal_buffers_full     bigint,
    wal_write            bigint,
    wal_sync             bigint,
    wal_write_time_ms    float8,
    wal_sync_time_ms     float8,
    next_xid             xid8 NOT NULL,
    xact_commit          bigint,
    redo_lsn             pg_lsn,
    checkpoint_began_at  timestamptz,
    rmgr_start_lsn       pg_lsn,
    rmgr_end_lsn         pg_lsn,
    rmgr_sampled_percent float8,
    rmgr_lost_percent    float8
) PARTITION BY RANGE (taken_at);
SELECT pgperf.add_history('wal_history', 'wal');
COMMENT ON TABLE pgperf.wal_history IS 'The whole server''s WAL: position, and the cumulative counters as the server gave them; pgperf.wal_deltas subtracts them';
COMMENT ON COLUMN pgperf.wal_history.wal_bytes IS 'Bytes of records; the distance between two LSNs is 1 to 4 % more (page headers, alignment)';
COMMENT ON COLUMN pgperf.wal_history.wal_fpi_bytes IS 'Bytes of full-page images; NULL before PostgreSQL 19';
COMMENT ON COLUMN pgperf.wal_history.wal_write IS 'Writes of WAL buffers; from PostgreSQL 18 on as counted in pg_stat_io (WAL receiver excluded)';
COMMENT ON COLUMN pgperf.wal_history.wal_sync IS 'Syncs of WAL files; from PostgreSQL 18 on as counted in pg_stat_io (WAL receiver excluded)';
COMMENT ON COLUMN pgperf.wal_history.wal_write_time_ms IS 'NULL unless track_wal_io_timing is on';
COMMENT ON COLUMN pgperf.wal_history.wal_sync_time_ms IS 'NULL unless track_wal_io_timing is on';
COMMENT ON COLUMN pgperf.wal_history.next_xid IS 'The next transaction id, with its epoch';
COMMENT ON COLUMN pgperf.wal_history.xact_commit IS 'Transactions that committed in this database, as its sessions have reported them (about once a second)';
COMMENT ON COLUMN pgperf.wal_history.redo_lsn IS 'Where recovery would begin: the start of the last checkpoint that has ended';
COMMENT ON COLUMN pgperf.wal_history.checkpoint_began_at IS 'When that checkpoint began';
COMMENT ON COLUMN pgperf.wal_history.rmgr_start_lsn IS 'From here to rmgr_end_lsn it was looked what the WAL consisted of (wal_rmgr_history); NULL: it was not looked';
COMMENT ON COLUMN pgperf.wal_history.rmgr_sampled_percent IS 'The share of that range that was read';
COMMENT ON COLUMN pgperf.wal_history.rmgr_lost_percent IS 'The share of the windows in that range whose WAL had been removed before it was read';

CREATE TABLE pgperf.wal_rmgr_history (
    node_id              uuid NOT NULL,
    sample_id            bigint NOT NULL,
    taken_at             timestamptz NOT NULL,
    run_id               bigint,
    start_lsn            pg_lsn NOT NULL,
    end_lsn              pg_lsn NOT NULL,
    resource_manager     text NOT NULL,
    record_type          text NOT NULL,
    records              bigint NOT NULL,
    record_bytes         bigint NOT NULL,
    fpi_bytes            bigint NOT NULL,
    sampled_percent      float8 NOT NULL,
    error_margin_percent float8
) PARTITION BY RANGE (taken_at);
SELECT pgperf.add_history('wal_rmgr_history', 'wal');
COMMENT ON TABLE pgperf.wal_rmgr_history IS 'What the WAL between two samples consisted of, read through pg_walinspect where that is installed: up to 16 MB all of it, of more 16 windows of 1 MB and 16 more for each gigabyte, at most 64, spread over the range, within 50 ms. The figures are those of the windows; pgperf.wal_rmgr_estimates scales them up';
COMMENT ON COLUMN pgperf.wal_rmgr_history.start_lsn IS 'Where the range begins: the end of the sample before';
COMMENT ON COLUMN pgperf.wal_rmgr_history.record_bytes IS 'Bytes of the records without their full-page images';
COMMENT ON COLUMN pgperf.wal_rmgr_history.fpi_bytes IS 'Bytes of full-page images';
COMMENT ON COLUMN pgperf.wal_rmgr_history.sampled_percent IS 'The share of the range that was read; 100: all of it';
COMMENT ON COLUMN pgperf.wal_rmgr_history.error_margin_percent IS 'Half the width of the 95 % interval of the record type''s share in all bytes, in percentage points; 0: all was read; NULL: one window only';

CREATE VIEW pgperf.wal_rmgr_estimates AS
SELECT r.node_id, r.sample_id, r.taken_at, r.run_id, r.start_lsn, r.end_lsn, r.resource_manager, r.record_type,
       r.records * 100 / r.sampled_percent AS records,
       r.record_bytes * 100 / r.sampled_percent AS record_bytes,
       r.fpi_bytes * 100 / r.sampled_percent AS fpi_bytes,
       100 * (r.record_bytes + r.fpi_bytes)::float8
           / NULLIF(pg_catalog.sum(r.record_bytes + r.fpi_bytes) OVER s, 0)::float8 AS bytes_percent,
       r.error_margin_percent, r.sampled_percent
FROM pgperf.wal_rmgr_history r
WINDOW s AS (PARTITION BY r.node_id, r.sample_id);
COMMENT ON VIEW pgperf.wal_rmgr_estimates IS 'What the whole range of each sample of pgperf.wal_rmgr_history consisted of, if the part that was not read was like the part that was';
COMMENT ON COLUMN pgperf.wal_rmgr_estimates.bytes_percent IS 'The share of this record type in all bytes';
COMMENT ON COLUMN pgperf.wal_rmgr_estimates.error_margin_percent IS 'Half the width of the 95 % interval of bytes_percent, in percentage points';

-- A difference below zero becomes NULL: that counter began again. Positions and transaction ids go on
-- through restarts and crashes, so their differences need no common epoch.
CREATE VIEW pgperf.wal_deltas AS
SELECT x.node_id, x.sample_id, x.taken_at, x.run_id, x.seconds,
       x.lsn_bytes, x.wal_records, x.wal_fpi, x.wal_bytes, x.wal_fpi_bytes, x.wal_buffers_full, x.wal_write, x.wal_sync,
       x.wal_write_time_ms, x.wal_sync_time_ms, x.xids, x.xact_commit,
       x.lsn_bytes / NULLIF(x.seconds, 0) AS lsn_bytes_per_s,
       x.wal_records / NULLIF(x.seconds, 0) AS wal_records_per_s,
       x.wal_bytes::float8 / NULLIF(x.wal_records, 0) AS bytes_per_record,
       x.wal_bytes::float8 / NULLIF(x.xids, 0) AS bytes_per_xid,
       x.wal_bytes::float8 / NULLIF(x.xact_commit, 0) AS bytes_per_commit,
       COALESCE(100 * x.wal_fpi_bytes::float8 / NULLIF(x.wal_bytes, 0), r.fpi_percent) AS fpi_percent,
       CASE WHEN x.wal_bytes > 0
            THEN LEAST(100, 100 * x.wal_fpi * pg_catalog.current_setting('block_size')::float8 / x.wal_bytes) END AS fpi_max_percent,
       x.redo_bytes, x.checkpoint_age_s
FROM (SELECT (d.h).node_id, (d.h).sample_id, (d.h).taken_at, (d.h).run_id, d.seconds,
             NULLIF(GREATEST((d.h).insert_lsn - (d.p).insert_lsn, -1), -1)::bigint AS lsn_bytes,
             CASE WHEN d.same THEN NULLIF(GREATEST((d.h).wal_records - (d.p).wal_records, -1), -1) END AS wal_records,
             CASE WHEN d.same THEN NULLIF(GREATEST((d.h).wal_fpi - (d.p).wal_fpi, -1), -1) END AS wal_fpi,
             CASE WHEN d.same THEN NULLIF(GREATEST((d.h).wal_bytes - (d.p).wal_bytes, -1), -1) END AS wal_bytes,
             CASE WHEN d.same THEN NULLIF(GREATEST((d.h).wal_fpi_bytes - (d.p).wal_fpi_bytes, -1), -1) END AS wal_fpi_bytes,
             CASE WHEN d.same THEN NULLIF(GREATEST((d.h).wal_buffers_full - (d.p).wal_buffers_full, -1), -1) END AS wal_buffers_full,
             CASE WHEN d.same THEN NULLIF(GREATEST((d.h).wal_write - (d.p).wal_write, -1), -1) END AS wal_write,
             CASE WHEN d.same THEN NULLIF(GREATEST((d.h).wal_sync - (d.p).wal_sync, -1), -1) END AS wal_sync,
             CASE WHEN d.same AND (d.h).wal_write_time_ms >= (d.p).wal_write_time_ms
                  THEN (d.h).wal_write_time_ms - (d.p).wal_write_time_ms END AS wal_write_time_ms,
             CASE WHEN d.same AND (d.h).wal_sync_time_ms >= (d.p).wal_sync_time_ms
                  THEN (d.h).wal_sync_time_ms - (d.p).wal_sync_time_ms END AS wal_sync_time_ms,
             NULLIF(GREATEST((d.h).next_xid::text::bigint - (d.p).next_xid::text::bigint, -1), -1) AS xids,
             CASE WHEN d.same THEN NULLIF(GREATEST((d.h).xact_commit - (d.p).xact_commit, -1), -1) END AS xact_commit,
             ((d.h).insert_lsn - (d.h).redo_lsn)::bigint AS redo_bytes,
             EXTRACT(epoch FROM (d.h).taken_at - (d.h).checkpoint_began_at)::float8 AS checkpoint_age_s
      FROM (SELECT h, pg_catalog.lag(h) OVER w AS p,
                   EXTRACT(epoch FROM h.taken_at - pg_catalog.lag(h.taken_at) OVER w)::float8 AS seconds,
                   s.epoch = pg_catalog.lag(s.epoch) OVER w AS same
            FROM pgperf.wal_history h JOIN pgperf.samples s USING (node_id, sample_id, taken_at)
            WINDOW w AS (PARTITION BY h.node_id ORDER BY h.taken_at, h.sample_id)) d) x
LEFT JOIN LATERAL (SELECT 100 * sum(b.fpi_bytes)::float8 / NULLIF(sum(b.record_bytes + b.fpi_bytes), 0)::float8 AS fpi_percent
                   FROM pgperf.wal_rmgr_history b
                   WHERE b.node_id = x.node_id AND b.sample_id = x.sample_id AND b.taken_at = x.taken_at) r ON true;
COMMENT ON VIEW pgperf.wal_deltas IS 'What WAL the server wrote since the node''s sample before, and where in the checkpoint''s cycle that was. Counters are NULL for the first sample and where they began again in between (crash, restart, reset); lsn_bytes and xids are not, since positions and transaction ids go on';
COMMENT ON COLUMN pgperf.wal_deltas.seconds IS 'Since the sample before';
COMMENT ON COLUMN pgperf.wal_deltas.lsn_bytes IS 'How far the WAL''s position moved: wal_bytes, page headers and alignment';
COMMENT ON COLUMN pgperf.wal_deltas.xids IS 'Transaction ids that were used: transactions and subtransactions that wrote, in all databases';
COMMENT ON COLUMN pgperf.wal_deltas.xact_commit IS 'Transactions that committed in this database, whether they wrote or not; the sessions report them about once a second, so over a few seconds it is inexact';
COMMENT ON COLUMN pgperf.wal_deltas.bytes_per_xid IS 'Of the whole server; of a run''s own transactions see wal_bytes_per_tx in pgperf.run_summary';
COMMENT ON COLUMN pgperf.wal_deltas.bytes_per_commit IS 'The server''s WAL by the commits of this database: it says something if this is the database that writes';
COMMENT ON COLUMN pgperf.wal_deltas.fpi_percent IS 'The share of full-page images in the bytes: as counted by PostgreSQL 19, else as read through pg_walinspect with that sample; NULL: neither';
COMMENT ON COLUMN pgperf.wal_deltas.fpi_max_percent IS 'That share if every image were a whole page; compression and left-out holes make images smaller';
COMMENT ON COLUMN pgperf.wal_deltas.redo_bytes IS 'WAL since the start of the last checkpoint that has ended: just after one, pages are written as full-page images again';
COMMENT ON COLUMN pgperf.wal_deltas.checkpoint_age_s IS 'Seconds since that checkpoint began';

GRANT SELECT ON pgperf.wal_history, pgperf.wal_rmgr_history, pgperf.wal_rmgr_estimates, pgperf.wal_deltas TO pg_monitor;

CREATE FUNCTION pgperf.snapshot_wal()
RETURNS bigint LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'snapshot_wal_wrapper';
COMMENT ON FUNCTION pgperf.snapshot_wal() IS 'Records the WAL counters in pgperf.wal_history and, with pg_walinspect, what the WAL consisted of in pgperf.wal_rmgr_history; returns the sample_id';
REVOKE EXECUTE ON FUNCTION pgperf.snapshot_wal() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgperf.snapshot_wal() TO pg_monitor;

-- What is kept of a partition when the days that it holds are over; the rest goes with it.
--
-- Counters are never averaged: of each hour (day), and of each epoch of the counters in it, the last sample is kept as it
-- is, so that differences of what is kept add up to the same. Samples of a run's intervals hold less than others: these
-- go first. Of a table that holds what changed, it is the last row of each object. Rows of pinned runs all stay.
CREATE FUNCTION pgperf.kept_condition(history text, object text[], source text, level text, starts_at timestamptz, ends_at timestamptz)
RETURNS text LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    condition text := '(h.node_id, h.run_id) IN (SELECT p.node_id, p.run_id FROM pgperf.pinned_runs p)';
    bucket text := format('s.epoch, date_trunc(%L, x.taken_at AT TIME ZONE ''UTC'')', CASE level WHEN 'hourly' THEN 'hour' ELSE 'day' END);
    sample text := format('LEFT JOIN pgperf.samples s ON s.node_id = x.node_id AND s.sample_id = x.sample_id
        AND s.taken_at = x.taken_at AND s.taken_at >= %L AND s.taken_at < %L', starts_at, ends_at);
    in_intervals text := '(s.run_id IS NOT NULL AND s.cadence IS NOT NULL)';
BEGIN
    IF history = 'samples' THEN
        RETURN condition || ' OR (h.node_id, h.sample_id) IN (' || (
            SELECT string_agg(format('SELECT x.node_id, x.sample_id FROM pgperf.%I x WHERE x.taken_at >= %L AND x.taken_at < %L',
                                     t.table_name, starts_at, ends_at), ' UNION ')
            FROM pgperf.history_tables t WHERE t.collector IS NOT NULL) || ')';
    ELSIF level = 'pinned' THEN
        RETURN condition;
    ELSIF object IS NULL THEN
        RETURN condition || format(' OR (h.node_id, h.sample_id) IN (
            SELECT DISTINCT ON (x.node_id, %1$s) x.node_id, x.sample_id
            FROM (SELECT DISTINCT r.node_id, r.sample_id, r.taken_at FROM pgperf.%2$I r) x %3$s
            ORDER BY x.node_id, %1$s, %4$s, x.taken_at DESC, x.sample_id DESC)', bucket, source, sample, in_intervals);
    ELSE
        RETURN condition || format(' OR h.ctid IN (
            SELECT DISTINCT ON (x.node_id, %5$s, %1$s) x.ctid
            FROM pgperf.%2$I x %3$s
            ORDER BY x.node_id, %5$s, %1$s, %4$s, x.taken_at DESC, x.sample_id DESC)', bucket, source, sample, in_intervals,
            (SELECT string_agg(format('x.%I', k), ', ') FROM unnest(object) k));
    END IF;
END
$$;
COMMENT ON FUNCTION pgperf.kept_condition(text, text[], text, text, timestamptz, timestamptz) IS 'Which rows h of a partition are kept; for pgperf.maintain()';

CREATE FUNCTION pgperf.due_partitions(
    OUT table_name text, OUT object text[], OUT level text, OUT partition_name text, OUT starts_at timestamptz, OUT ends_at timestamptz,
    OUT becomes text)
RETURNS SETOF record LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT p.table_name, t.object, p.level, p.partition_name, p.starts_at, p.ends_at, d.becomes
    FROM pgperf.history_partitions p
    JOIN pgperf.history_tables t USING (table_name)
    -- Of the samples those stay that rows belong to, so the longest of the others' is right.
    CROSS JOIN LATERAL (
        SELECT max(c.retention) AS retention, max(c.hourly_retention) AS hourly_retention, max(c.daily_retention) AS daily_retention
        FROM pgperf.collectors c WHERE c.name = t.collector OR t.collector IS NULL) r
    CROSS JOIN LATERAL (
        SELECT p.ends_at < pg_catalog.clock_timestamp() - r.retention AS raw,
               NOT t.rolled_up OR p.ends_at < pg_catalog.clock_timestamp() - r.hourly_retention AS hourly,
               NOT t.rolled_up OR p.ends_at < pg_catalog.clock_timestamp() - r.daily_retention AS daily) is_over
    CROSS JOIN LATERAL (
        SELECT CASE WHEN p.level = 'raw' AND is_over.raw IS NOT TRUE OR p.level = 'hourly' AND is_over.hourly IS NOT TRUE
                         OR p.level = 'daily' AND is_over.daily IS NOT TRUE THEN NULL
                    WHEN p.level = 'raw' AND is_over.hourly IS NOT TRUE THEN 'hourly'
                    WHEN p.level IN ('raw', 'hourly') AND is_over.daily IS NOT TRUE THEN 'daily'
                    ELSE 'pinned' END AS becomes) d
    WHERE p.level <> 'rest' AND p.ends_at IS NOT NULL AND d.becomes IS NOT NULL
    ORDER BY t.collector IS NULL, p.starts_at, p.table_name;
END;
COMMENT ON FUNCTION pgperf.due_partitions() IS 'The partitions of the history whose retention is over, and what they become; for pgperf.maintain()';

-- Copies what is kept; nobody is locked out, but nobody may write into the partition any more.
CREATE FUNCTION pgperf.copy_kept(history text, object text[], partition text, becomes text, starts_at timestamptz, ends_at timestamptz, copy text)
RETURNS bigint LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    kept bigint;
BEGIN
    EXECUTE format('LOCK TABLE pgperf.%I IN SHARE MODE', partition);
    EXECUTE format('CREATE UNLOGGED TABLE pgperf.%I (LIKE pgperf.%I)', copy, history);
    EXECUTE format('INSERT INTO pgperf.%I SELECT h.* FROM pgperf.%I h WHERE ', copy, partition)
        || pgperf.kept_condition(history, object, partition, becomes, starts_at, ends_at);
    GET DIAGNOSTICS kept = ROW_COUNT;
    -- A row of what changed says which one it was compared with: now that is the one kept before it.
    IF object IS NOT NULL AND EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = format('pgperf.%I', history)::regclass
                                      AND a.attname = 'before_sample_id') THEN
        EXECUTE format('
            UPDATE pgperf.%1$I k SET before_sample_id = b.before_sample_id
            FROM (SELECT c.ctid AS tid, COALESCE(lag(c.sample_id) OVER (PARTITION BY c.node_id, %3$s ORDER BY c.sample_id), f.before_sample_id) AS before_sample_id
                  FROM pgperf.%1$I c
                  CROSS JOIN LATERAL (SELECT x.before_sample_id FROM pgperf.%2$I x WHERE x.node_id = c.node_id AND %4$s
                                      ORDER BY x.sample_id LIMIT 1) f) b
            WHERE k.ctid = b.tid AND k.before_sample_id IS NOT NULL', copy, partition,
            (SELECT string_agg(format('c.%I', k), ', ') FROM unnest(object) k),
            (SELECT string_agg(format('x.%1$I = c.%1$I', k), ' AND ') FROM unnest(object) k));
    END IF;
    RETURN kept;
END
$$;
COMMENT ON FUNCTION pgperf.copy_kept(text, text[], text, text, timestamptz, timestamptz, text) IS 'Copies what is kept of a partition; for pgperf.maintain()';

-- Puts the copy in the partition's place; the bytes that the partition had.
CREATE FUNCTION pgperf.replace_partition(history text, level text, partition text, becomes text, copy text)
RETURNS bigint LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    freed bigint := pg_total_relation_size(format('pgperf.%I', partition)::regclass);
    kept text := history || '_kept';
    month timestamp;
BEGIN
    EXECUTE format('ALTER TABLE pgperf.%I DETACH PARTITION pgperf.%I', CASE level WHEN 'raw' THEN history ELSE kept END, partition);
    EXECUTE format('DROP TABLE pgperf.%I', partition);
    FOR month IN EXECUTE format('SELECT DISTINCT date_trunc(''month'', taken_at AT TIME ZONE ''UTC'') FROM pgperf.%I', copy) LOOP
        IF NOT EXISTS (SELECT FROM pgperf.history_partitions p WHERE p.table_name = history AND p.level NOT IN ('raw', 'rest')
                         AND p.starts_at = month AT TIME ZONE 'UTC') THEN
            PERFORM pgperf.make_partition(history, kept, format('%s_%s_%s', history, becomes, to_char(month, 'YYYYMM')),
                                          month, month + interval '1 month');
        END IF;
    END LOOP;
    EXECUTE format('INSERT INTO pgperf.%I SELECT * FROM pgperf.%I', history, copy);
    EXECUTE format('DROP TABLE pgperf.%I', copy);
    RETURN freed;
END
$$;
COMMENT ON FUNCTION pgperf.replace_partition(text, text, text, text, text) IS 'Drops a partition and stores what is kept of it; for pgperf.maintain()';

-- First all copies, which lock nobody out, then all replacements: these lock their tables until the transaction ends.
CREATE FUNCTION pgperf.maintain(
    days_ahead integer DEFAULT 3, budget interval DEFAULT '30 s',
    OUT action text, OUT table_name text, OUT object text, OUT rows bigint, OUT bytes bigint, OUT note text)
RETURNS SETOF record LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET lock_timeout = '100ms' SET jit = off SET client_min_messages = warning AS $$
#variable_conflict use_column
DECLARE
    started timestamptz := clock_timestamp();
    t pgperf.history_tables;
    due record;
    missing timestamp;
    copies jsonb[];
    item jsonb;
    changed boolean;
BEGIN
    IF (days_ahead BETWEEN 0 AND 366) IS NOT TRUE OR (budget > '0') IS NOT TRUE THEN
        RAISE EXCEPTION 'days_ahead must be from 0 to 366, and the budget greater than zero'
            USING ERRCODE = 'invalid_parameter_value', HINT = 'SELECT * FROM pgperf.maintain(days_ahead => 3, budget => ''30 s'');';
    END IF;
    FOR t IN SELECT h.* FROM pgperf.history_tables h ORDER BY h.collector IS NULL, h.table_name LOOP
        table_name := t.table_name;
        BEGIN
            FOR object IN SELECT m.partition_name FROM pgperf.make_partitions(days_ahead, t.table_name) m LOOP
                action := 'created';
                RETURN NEXT;
            END LOOP;
        EXCEPTION WHEN OTHERS THEN
            action := 'left'; object := NULL; note := SQLERRM;
            RETURN NEXT;
            note := NULL;
        END;
        -- Rows for which no partition was there when they came.
        BEGIN
            FOR missing, rows IN EXECUTE format(
                'SELECT date_trunc(%L, taken_at AT TIME ZONE ''UTC''), count(*) FROM pgperf.%I
                 WHERE tableoid = %L::regclass OR taken_at >= (SELECT clock_timestamp() - max(c.retention) FROM pgperf.collectors c
                                                               WHERE c.name = %L OR %4$L IS NULL)
                 GROUP BY 1 ORDER BY 1', t.width, t.table_name || '_kept', format('pgperf.%I', t.table_name || '_rest'), t.collector)
            LOOP
                EXIT WHEN clock_timestamp() - started > budget;
                object := t.table_name || to_char(missing, CASE t.width WHEN 'day' THEN '_YYYYMMDD' WHEN 'month' THEN '_YYYYMM' ELSE '_YYYY' END);
                IF to_regclass(format('pgperf.%I', object)) IS NULL THEN
                    PERFORM pgperf.make_partition(t.table_name, t.table_name, object, missing, missing + ('1 ' || t.width)::interval);
                    action := 'moved';
                    RETURN NEXT;
                END IF;
            END LOOP;
        EXCEPTION WHEN OTHERS THEN
            action := 'left'; note := SQLERRM;
            RETURN NEXT;
        END;
        rows := NULL; note := NULL;
    END LOOP;

    -- The samples after all others: those stay that others still need.
    FOR round IN 1..2 LOOP
        copies := '{}';
        FOR due IN SELECT d.* FROM pgperf.due_partitions() d WHERE (d.table_name = 'samples') = (round = 2) LOOP
            table_name := due.table_name; object := due.partition_name; bytes := NULL; rows := NULL; note := NULL;
            IF clock_timestamp() - started > budget THEN
                action := 'left'; note := 'the time is over';
                RETURN NEXT;
                CONTINUE;
            END IF;
            BEGIN
                changed := due.level <> due.becomes;
                IF NOT changed THEN
                    EXECUTE format('SELECT EXISTS (SELECT FROM pgperf.%I h WHERE (%s) IS NOT TRUE)', due.partition_name,
                        pgperf.kept_condition(due.table_name, due.object, due.partition_name, due.becomes, due.starts_at, due.ends_at)) INTO changed;
                END IF;
                IF changed THEN
                    rows := pgperf.copy_kept(due.table_name, due.object, due.partition_name, due.becomes, due.starts_at, due.ends_at,
                                             due.partition_name || '_copy');
                    copies := copies || (to_jsonb(due) || jsonb_build_object('rows', rows));
                END IF;
            EXCEPTION WHEN OTHERS THEN
                action := 'left'; rows := NULL; note := SQLERRM;
                RETURN NEXT;
            END;
        END LOOP;
        FOREACH item IN ARRAY copies LOOP
            table_name := item ->> 'table_name'; object := item ->> 'partition_name'; rows := (item ->> 'rows')::bigint; note := NULL;
            BEGIN
                bytes := pgperf.replace_partition(table_name, item ->> 'level', object, item ->> 'becomes', object || '_copy');
                action := CASE WHEN rows > 0 THEN 'rolled up' ELSE 'dropped' END;
                note := CASE WHEN rows > 0 THEN item ->> 'becomes' END;
            EXCEPTION WHEN OTHERS THEN
                action := 'left'; bytes := NULL; rows := NULL; note := SQLERRM;
                EXECUTE format('DROP TABLE pgperf.%I', object || '_copy');
            END;
            RETURN NEXT;
        END LOOP;
    END LOOP;

    bytes := NULL;
    FOR action, table_name, object, rows, note IN SELECT f.* FROM pgperf.forget_runs(started + budget) f LOOP
        RETURN NEXT;
    END LOOP;
END
$$;
COMMENT ON FUNCTION pgperf.maintain(integer, interval) IS 'Makes the history''s partitions of the next days, and of those whose retention is over keeps one sample of each hour, then of each day, and those of pinned runs; deletes runs that ended longer ago than pgperf.run_retention unless they are pinned, and texts of statements that no row refers to any more. One row for each thing done: created, moved (rows that came before their partition), rolled up (rows: what was kept; bytes: what was freed), dropped, deleted; left: to be done by the next call, for the reason in note (a lock is not waited for longer than 100 ms)';
REVOKE ALL ON FUNCTION pgperf.kept_condition(text, text[], text, text, timestamptz, timestamptz), pgperf.due_partitions(),
    pgperf.copy_kept(text, text[], text, text, timestamptz, timestamptz, text),
    pgperf.replace_partition(text, text, text, text, text), pgperf.maintain(integer, interval) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgperf.maintain(integer, interval) TO pg_monitor;

CREATE VIEW pgperf.history_size AS
SELECT s.table_name, s.level, count(*) AS partitions, sum(s.bytes)::bigint AS bytes,
       sum(NULLIF(s.reltuples, -1))::bigint AS rows,
       min(s.starts_at) FILTER (WHERE s.filled) AS oldest_at,
       max(LEAST(s.ends_at, pg_catalog.clock_timestamp())) FILTER (WHERE s.filled) AS newest_at,
       sum(s.bytes) FILTER (WHERE s.filled)::float8 * 86400
           / EXTRACT(epoch FROM sum(LEAST(s.ends_at, pg_catalog.clock_timestamp()) - s.starts_at) FILTER (WHERE s.filled))::float8 AS bytes_per_day
FROM (SELECT p.table_name, p.level, p.starts_at, p.ends_at, c.reltuples::float8 AS reltuples,
             pg_catalog.pg_total_relation_size(p.partition) AS bytes,
             pg_catalog.pg_relation_size(p.partition) > 0 AS filled
      FROM pgperf.history_partitions p JOIN pg_catalog.pg_class c ON c.oid = p.partition) s
GROUP BY s.table_name, s.level
UNION ALL
SELECT c.relname, 'runs', 1, pg_catalog.pg_total_relation_size(c.oid), NULLIF(c.reltuples, -1)::bigint, r.oldest_at, r.newest_at, NULL
FROM pg_catalog.pg_class c, (SELECT min(requested_at) AS oldest_at, max(requested_at) AS newest_at FROM pgperf.stored_runs) r
WHERE c.oid = 'pgperf.stored_runs'::regclass
   OR c.oid IN (SELECT k.conrelid FROM pg_catalog.pg_constraint k WHERE k.confrelid = 'pgperf.stored_runs'::regclass)
UNION ALL
SELECT c.relname, 'texts', 1, pg_catalog.pg_total_relation_size(c.oid), NULLIF(c.reltuples, -1)::bigint, t.oldest_at, t.newest_at, NULL
FROM pg_catalog.pg_class c, (SELECT min(taken_at) AS oldest_at, max(taken_at) AS newest_at FROM pgperf.statement_texts) t
WHERE c.oid = 'pgperf.statement_texts'::regclass;
COMMENT ON VIEW pgperf.history_size IS 'How much room the history takes: a row for each table and level: those of pgperf.history_partitions, runs (what is stored of runs beside their samples) and texts (of statements)';
COMMENT ON COLUMN pgperf.history_size.rows IS 'As of the last ANALYZE or VACUUM of each partition; NULL: none was analyzed yet';
COMMENT ON COLUMN pgperf.history_size.oldest_at IS 'Where the oldest partition begins that holds rows; when the oldest run was requested, or the oldest text first seen';
COMMENT ON COLUMN pgperf.history_size.bytes_per_day IS 'Of the partitions that hold rows; NULL for runs and texts';
GRANT SELECT ON pgperf.history_size TO pg_monitor;

-- What is stored of a run goes with it: what the leader stored by foreign key, the rows of its samples here.
CREATE FUNCTION pgperf.remove_run(node_id uuid, run_id bigint) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    history text;
    removed bigint;
    total bigint := 0;
BEGIN
    FOR history IN SELECT t.table_name FROM pgperf.history_tables t WHERE t.collector IS NOT NULL LOOP
        EXECUTE format('DELETE FROM pgperf.%I h USING pgperf.samples s
            WHERE h.node_id = s.node_id AND h.sample_id = s.sample_id AND h.taken_at = s.taken_at
              AND s.node_id = $1 AND s.run_id = $2', history) USING node_id, run_id;
        GET DIAGNOSTICS removed = ROW_COUNT;
        total := total + removed;
    END LOOP;
    DELETE FROM pgperf.samples s WHERE s.node_id = remove_run.node_id AND s.run_id = remove_run.run_id;
    GET DIAGNOSTICS removed = ROW_COUNT;
    DELETE FROM pgperf.stored_runs r WHERE r.node_id = remove_run.node_id AND r.run_id = remove_run.run_id;
    RETURN total + removed;
END
$$;
COMMENT ON FUNCTION pgperf.remove_run(uuid, bigint) IS 'Removes a run with all its rows and samples; the number of samples and their rows. For pgperf.delete_run and pgperf.maintain';

-- Runs that were imported stay: they are somebody's collection.
CREATE FUNCTION pgperf.due_runs(OUT node_id uuid, OUT run_id bigint) RETURNS SETOF record
LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT r.node_id, r.run_id
    FROM pgperf.runs r
    CROSS JOIN (SELECT NULLIF(pg_catalog.current_setting('pgperf.run_retention', true), '0')::interval AS retention) g
    WHERE r.status IN ('finished', 'stopped', 'failed', 'interrupted') AND r.origin_node_id IS NULL
      AND COALESCE(r.ended_at, r.measured_at, r.started_at, r.requested_at) < pg_catalog.clock_timestamp() - g.retention
      AND NOT EXISTS (SELECT FROM pgperf.pinned_runs p WHERE p.node_id = r.node_id AND p.run_id = r.run_id)
    ORDER BY r.requested_at, r.node_id, r.run_id;
END;
COMMENT ON FUNCTION pgperf.due_runs() IS 'The runs that ended longer ago than pgperf.run_retention and are not pinned, oldest first; for pgperf.maintain()';

CREATE FUNCTION pgperf.forget_runs(
    until timestamptz, OUT action text, OUT table_name text, OUT object text, OUT rows bigint, OUT note text)
RETURNS SETOF record LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    due record;
BEGIN
    table_name := 'runs';
    FOR due IN SELECT * FROM pgperf.due_runs() LOOP
        object := due.run_id; rows := NULL; note := NULL;
        BEGIN
            IF clock_timestamp() > until THEN
                action := 'left'; note := 'the time is over';
            ELSE
                rows := pgperf.remove_run(due.node_id, due.run_id);
                action := 'deleted';
            END IF;
        EXCEPTION WHEN OTHERS THEN
            action := 'left'; note := SQLERRM;
        END;
        RETURN NEXT;
    END LOOP;
    -- A sample that is stored at this moment may still count on a text: that statement's next row brings it back.
    table_name := 'statement_texts'; object := NULL; note := NULL;
    BEGIN
        DELETE FROM pgperf.statement_texts t WHERE NOT EXISTS (
            SELECT FROM pgperf.statement_history h
            WHERE h.node_id = t.node_id AND h.queryid = t.queryid AND h.dbid = t.dbid);
        GET DIAGNOSTICS rows = ROW_COUNT;
        action := 'deleted';
    EXCEPTION WHEN OTHERS THEN
        action := 'left'; rows := NULL; note := SQLERRM;
    END;
    IF rows > 0 OR action = 'left' THEN
        RETURN NEXT;
    END IF;
END
$$;
COMMENT ON FUNCTION pgperf.forget_runs(timestamptz) IS 'Deletes the runs that are due, as far as the time reaches, and the texts of statements of which no row is left; for pgperf.maintain()';
REVOKE ALL ON FUNCTION pgperf.remove_run(uuid, bigint), pgperf.due_runs(), pgperf.forget_runs(timestamptz) FROM PUBLIC;

-- Runs as documents: docs/export.md describes them.
--
-- What belongs to a run is said in one place each, which deleting a run goes by as well: the tables whose rows go with it
-- (a foreign key to it with ON DELETE CASCADE, and none to anything else), and the history, whose rows carry its run_id.
CREATE VIEW pgperf.run_tables AS
SELECT c.relname::text AS table_name,
       'run' AS kind,
       't.node_id = $1 AND t.run_id = $2' AS of_run,
       NULL::text[] AS object
FROM pg_catalog.pg_constraint f
JOIN pg_catalog.pg_class c ON c.oid = f.conrelid
WHERE f.contype = 'f' AND f.confrelid = 'pgperf.stored_runs'::regclass AND f.confdeltype = 'c'
  AND c.relname <> 'pinned_runs'
  -- What others have made to refer to runs is theirs.
  AND EXISTS (SELECT FROM pg_catalog.pg_depend d JOIN pg_catalog.pg_extension e ON e.oid = d.refobjid
              WHERE d.classid = 'pg_catalog.pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e' AND e.extname = 'pgperf')
  AND NOT EXISTS (SELECT FROM pg_catalog.pg_constraint o
                  WHERE o.conrelid = f.conrelid AND o.contype = 'f' AND o.confrelid <> f.confrelid)
UNION ALL
SELECT h.table_name, 'history', 't.node_id = $1 AND t.run_id = $2', NULL
FROM pgperf.history_tables h
UNION ALL
SELECT 'statement_texts', 'shared',
       't.node_id = $1 AND (t.queryid, t.dbid) IN (SELECT h.queryid, h.dbid FROM pgperf.statement_history h WHERE h.node_id = $1 AND h.run_id = $2)',
       '{queryid,dbid}';
COMMENT ON VIEW pgperf.run_tables IS 'The tables that a run''s document has: its own, the history, and what runs share';
COMMENT ON COLUMN pgperf.run_tables.kind IS 'run: goes with the run; history: rows of its samples; shared: rows that other runs may need too';
COMMENT ON COLUMN pgperf.run_tables.of_run IS 'The condition for a row t of the run, by node ($1) and run ($2)';
COMMENT ON COLUMN pgperf.run_tables.object IS 'Of shared rows: what tells them apart within a node';
GRANT SELECT ON pgperf.run_tables TO pg_monitor;

-- How a column is written, and read from element number %s of a row r. All of it comes from this catalog: names in a
-- document are only compared.
CREATE FUNCTION pgperf.document_columns(table_name text, OUT name text, OUT written text, OUT read text)
RETURNS SETOF record LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT a.attname::text,
           format(CASE WHEN a.atttypid = 'bytea'::regtype THEN 'translate(encode(t.%I, ''base64''), E''\n'', '''')' ELSE 't.%I' END, a.attname),
           CASE WHEN a.atttypid = 'bytea'::regtype THEN 'decode(r ->> %1$s, ''base64'')'
                WHEN a.atttypid = 'jsonb'::regtype THEN 'NULLIF(r -> %1$s, ''null'')'
                WHEN y.typcategory = 'A' THEN
                    'CASE jsonb_typeof(r -> %1$s) WHEN ''array'' THEN ARRAY(SELECT jsonb_array_elements_text(r -> %1$s))::'
                    || format_type(a.atttypid, NULL) || ' END'
                ELSE '(r ->> %1$s)::' || format_type(a.atttypid, NULL)
           END
    FROM pg_attribute a JOIN pg_type y ON y.oid = a.atttypid
    WHERE a.attrelid = format('pgperf.%I', document_columns.table_name)::regclass AND a.attnum > 0 AND NOT a.attisdropped
      AND a.attname <> ALL ('{node_id,run_id}'::name[])
    ORDER BY a.attnum
$$;
COMMENT ON FUNCTION pgperf.document_columns(text) IS 'The columns of a table in a run''s document; for export_run and import_run';

CREATE FUNCTION pgperf.run_document(node_id uuid, run_id bigint, transactions boolean) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET jit = off
SET timezone = 'UTC' SET datestyle = 'ISO' SET intervalstyle = 'postgres' SET extra_float_digits = 1 AS $$
#variable_conflict use_variable
DECLARE
    run pgperf.runs;
    t pgperf.run_tables;
    names text[] := '{}';
    parts jsonb[] := '{}';
    rows jsonb;
BEGIN
    SELECT r.* INTO run FROM pgperf.runs r WHERE r.node_id = node_id AND r.run_id = run_id;
    IF run.status NOT IN ('finished', 'stopped', 'failed', 'interrupted') THEN
        RAISE EXCEPTION 'run % cannot be exported: it is %', run_id, run.status
            USING ERRCODE = 'object_in_use', HINT = format('Wait for its end: CALL pgperf.wait_run(%s)', run_id);
    END IF;
    BEGIN
        FOR t IN SELECT d.* FROM pgperf.run_tables d ORDER BY d.table_name LOOP
            CONTINUE WHEN t.table_name = 'run_transactions' AND NOT transactions;
            EXECUTE format('SELECT jsonb_agg(jsonb_build_array(%s)) FROM pgperf.%I t WHERE %s',
                           (SELECT string_agg(c.written, ', ') FROM pgperf.document_columns(t.table_name) c), t.table_name, t.of_run)
                INTO rows USING node_id, run_id;
            CONTINUE WHEN rows IS NULL;
            names := names || t.table_name;
            parts := parts || jsonb_build_object('rows', rows,
                'columns', (SELECT jsonb_agg(c.name) FROM pgperf.document_columns(t.table_name) c));
        END LOOP;
        RETURN jsonb_build_object(
            'format', 'pgperf-run',
            'version', 1,
            'exported_at', clock_timestamp(),
            'pgperf_version', (SELECT e.extversion FROM pg_extension e WHERE e.extname = 'pgperf'),
            'node', (SELECT to_jsonb(n) FROM pgperf.nodes n WHERE n.node_id = run.node_id),
            -- An imported run as its origin would write it.
            'run', (SELECT to_jsonb(s) - '{leader_pid,origin_node_id,origin_run_id,origin_role}'::text[]
                           || jsonb_build_object('run_id', COALESCE(s.origin_run_id, s.run_id), 'role', COALESCE(s.origin_role, s.role))
                    FROM pgperf.stored_runs s WHERE s.node_id = node_id AND s.run_id = run_id),
            'contents', (SELECT COALESCE(jsonb_object_agg(p.name, jsonb_array_length(p.part -> 'rows')), '{}') FROM unnest(names, parts) p (name, part)),
            'tables', (SELECT COALESCE(jsonb_object_agg(p.name, p.part), '{}') FROM unnest(names, parts) p (name, part)));
    EXCEPTION WHEN program_limit_exceeded OR out_of_memory THEN
        RAISE EXCEPTION 'run % is too large for a document: %', run_id, SQLERRM
            USING ERRCODE = 'program_limit_exceeded',
                  HINT = CASE WHEN transactions THEN 'Leave out the transactions: transactions => false.'
                              ELSE 'A jsonb value holds at most 256 MB. Copy the tables of pgperf.run_tables themselves.' END;
    END;
END
$$;
COMMENT ON FUNCTION pgperf.run_document(uuid, bigint, boolean) IS 'A run as a document, whoever asks; for pgperf.export_run, which checks that';

-- All or nothing. The rows keep the node that they come from, so that they never mix with what was measured here.
CREATE FUNCTION pgperf.store_document(document jsonb, label text, role text) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET jit = off
SET timezone = 'UTC' SET datestyle = 'ISO' SET intervalstyle = 'postgres' AS $$
#variable_conflict use_variable
DECLARE
    run jsonb := document -> 'run';
    node uuid;
    number bigint;
    run_id bigint;
    t pgperf.run_tables;
    part jsonb;
    rows jsonb;
    stored bigint;
    insertion text;
    unknown text;
BEGIN
    IF jsonb_typeof(document) <> 'object' OR document ->> 'format' IS DISTINCT FROM 'pgperf-run' THEN
        RAISE EXCEPTION 'this is not a run that pgperf.export_run has written'
            USING ERRCODE = 'invalid_parameter_value', HINT = 'SELECT pgperf.export_run(run_id) on the server that the run is stored on makes one.';
    ELSIF document -> 'version' IS DISTINCT FROM '1' THEN
        RAISE EXCEPTION 'the document has version %, this pgperf reads version 1', COALESCE(document ->> 'version', 'none')
            USING ERRCODE = 'feature_not_supported', HINT = 'It was written by a newer pgperf: update this one.';
    END IF;
    BEGIN
        node := run ->> 'node_id';
        number := run ->> 'run_id';
        IF node IS NULL OR number IS NULL OR jsonb_typeof(run -> 'spec') IS DISTINCT FROM 'object'
           OR jsonb_typeof(document -> 'contents') IS DISTINCT FROM 'object' OR document -> 'node' ->> 'node_id' IS DISTINCT FROM node::text THEN
            RAISE EXCEPTION USING ERRCODE = 'data_exception', MESSAGE = 'it does not say what run it is';
        END IF;
        SELECT s.run_id INTO run_id FROM pgperf.stored_runs s
        WHERE s.origin_node_id = node AND s.origin_run_id = number
           OR s.node_id = node AND s.run_id = number AND s.origin_node_id IS NULL;
        IF FOUND THEN
            RETURN run_id;
        END IF;
        -- An identifier of a database means nothing elsewhere; with it a copy of this server would be taken for this one.
        INSERT INTO pgperf.nodes (node_id, name, system_identifier, database_oid, database_name, host, created_at)
        SELECT n.node_id, n.name, n.system_identifier, 0, n.database_name, n.host, n.created_at
        FROM jsonb_populate_record(NULL::pgperf.nodes, document -> 'node') n
        ON CONFLICT DO NOTHING;
        LOOP
            run_id := nextval('pgperf.run_id_seq');
            EXIT WHEN NOT EXISTS (SELECT FROM pgperf.stored_runs s WHERE s.node_id = node AND s.run_id = run_id);
        END LOOP;
        INSERT INTO pgperf.stored_runs
        SELECT r.* FROM jsonb_populate_record(NULL::pgperf.stored_runs, run || jsonb_build_object(
            'run_id', run_id, 'origin_node_id', node, 'origin_run_id', number, 'label', COALESCE(label, run ->> 'label'),
            'role', role, 'origin_role', run ->> 'role', 'leader_pid', NULL)) r
        ON CONFLICT DO NOTHING;
        IF NOT FOUND THEN
            -- Somebody else has just imported it.
            RETURN (SELECT s.run_id FROM pgperf.stored_runs s WHERE s.origin_node_id = node AND s.origin_run_id = number);
        END IF;
        FOR t IN SELECT d.* FROM pgperf.run_tables d WHERE document -> 'contents' ? d.table_name ORDER BY d.table_name LOOP
            part := document -> 'tables' -> t.table_name;
            rows := part -> 'rows';
            SELECT CASE WHEN count(*) > 0 THEN format('INSERT INTO pgperf.%I (node_id, %s%s) SELECT $1, %s%s FROM jsonb_array_elements($3) r WHERE jsonb_array_length(r) = $4',
                          t.table_name, CASE WHEN t.kind <> 'shared' THEN 'run_id, ' END, string_agg(format('%I', c.name), ', '),
                          CASE WHEN t.kind <> 'shared' THEN '$2, ' END, string_agg(format(c.read, d.position - 1), ', '))
                   || CASE WHEN t.kind = 'shared' THEN format(' AND NOT EXISTS (SELECT FROM pgperf.%I x WHERE x.node_id = $1 AND %s)', t.table_name,
                          string_agg(format('x.%I = ', c.name) || format(c.read, d.position - 1), ' AND ') FILTER (WHERE c.name = ANY (t.object)))
                      ELSE '' END END
              INTO insertion
            FROM jsonb_array_elements_text(part -> 'columns') WITH ORDINALITY d (name, position)
            JOIN pgperf.document_columns(t.table_name) c USING (name);
            IF insertion IS NULL THEN
                RAISE EXCEPTION USING ERRCODE = 'data_exception', MESSAGE = format('%s is missing', t.table_name);
            END IF;
            EXECUTE insertion USING node, run_id, rows, jsonb_array_length(part -> 'columns');
            GET DIAGNOSTICS stored = ROW_COUNT;
            IF jsonb_array_length(rows) IS DISTINCT FROM (document -> 'contents' ->> t.table_name)::bigint
               OR stored <> jsonb_array_length(rows) AND t.kind <> 'shared' THEN
                RAISE EXCEPTION USING ERRCODE = 'data_exception', MESSAGE = format('rows of %s are missing', t.table_name);
            END IF;
            IF EXISTS (SELECT FROM pgperf.document_columns(t.table_name) c WHERE c.name = 'histogram') THEN
                EXECUTE format('SELECT count(pgperf.histogram_count(t.histogram)) FROM pgperf.%I t WHERE t.node_id = $1 AND t.run_id = $2', t.table_name)
                    INTO stored USING node, run_id;
            END IF;
        END LOOP;
        IF EXISTS (SELECT FROM pgperf.samples s WHERE s.node_id = node AND s.run_id = run_id AND jsonb_typeof(s.outcomes) <> 'object') THEN
            RAISE EXCEPTION USING ERRCODE = 'data_exception', MESSAGE = 'a sample has no outcomes';
        END IF;
        -- What cannot be shown would be in the way of the others.
        PERFORM s::text FROM pgperf.run_summary s WHERE s.node_id = node AND s.run_id = run_id;
        -- What somebody has brought here stays until he deletes it.
        INSERT INTO pgperf.pinned_runs VALUES (node, run_id);
    EXCEPTION WHEN data_exception OR integrity_constraint_violation OR feature_not_supported THEN
        RAISE EXCEPTION 'the document is damaged: %', SQLERRM
            USING ERRCODE = 'invalid_parameter_value', HINT = 'Nothing of it was stored. Export the run again.';
    END;
    SELECT string_agg(u.name, ', ') INTO unknown
    FROM (SELECT k.name FROM jsonb_object_keys(document -> 'contents') k (name)
          WHERE NOT EXISTS (SELECT FROM pgperf.run_tables d WHERE d.table_name = k.name)
          UNION ALL
          SELECT format('%s.%s', d.table_name, k.name)
          FROM pgperf.run_tables d, jsonb_array_elements_text(document -> 'tables' -> d.table_name -> 'columns') k (name)
          WHERE NOT EXISTS (SELECT FROM pgperf.document_columns(d.table_name) c WHERE c.name = k.name)) u;
    IF unknown IS NOT NULL THEN
        RAISE NOTICE 'left out, because this version of pgperf does not know it: %', left(unknown, 1000);
    END IF;
    RETURN run_id;
END
$$;
COMMENT ON FUNCTION pgperf.store_document(jsonb, text, text) IS 'Stores a document as a run of that role; for pgperf.import_run';

CREATE FUNCTION pgperf.export_run(run_id bigint DEFAULT NULL, transactions boolean DEFAULT false) RETURNS jsonb
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'export_run_wrapper';
COMMENT ON FUNCTION pgperf.export_run(bigint, boolean) IS
    'A run that has ended (NULL: the newest) with everything that belongs to it, for pgperf.import_run on any server; transactions: with its transaction log. For the run''s role and members of pg_monitor';

CREATE FUNCTION pgperf.import_run(document jsonb, label text DEFAULT NULL) RETURNS bigint
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'import_run_wrapper';
COMMENT ON FUNCTION pgperf.import_run(jsonb, text) IS
    'Stores what pgperf.export_run has written, as a run of the current role, whose run_id it returns; a run that is here already stays as it is. label: in place of the run''s own';

REVOKE ALL ON FUNCTION pgperf.document_columns(text), pgperf.run_document(uuid, bigint, boolean), pgperf.store_document(jsonb, text, text),
    pgperf.import_run(jsonb, text) FROM PUBLIC;

-- Executable by everybody: each checks that the caller may see the run.
CREATE FUNCTION pgperf.report(run_id bigint = NULL) RETURNS SETOF text
    LANGUAGE c AS 'MODULE_PATHNAME', 'report_wrapper';
COMMENT ON FUNCTION pgperf.report(bigint) IS
    'A run''s report, pgbench''s lines first; NULL: the newest run of this node; for the run''s role and members of pg_monitor';

CREATE FUNCTION pgperf.report(run text) RETURNS SETOF text
    LANGUAGE c AS 'MODULE_PATHNAME', 'report_by_name_wrapper';
COMMENT ON FUNCTION pgperf.report(text) IS
    'The report of the newest run with this label, or of the run named as ''node name/run_id''';

GRANT EXECUTE ON FUNCTION pgperf.report(bigint), pgperf.report(text) TO PUBLIC;

CREATE FUNCTION pgperf.start_sweep(
    workload text DEFAULT NULL,
    clients integer[] DEFAULT '{1,2,4,8}',
    repetitions integer DEFAULT 5,
    settings_grid jsonb DEFAULT NULL,
    workloads text[] DEFAULT NULL,
    scales integer[] DEFAULT NULL,
    partitions integer[] DEFAULT NULL,
    fillfactors integer[] DEFAULT NULL,
    query_modes text[] DEFAULT NULL,
    run_order text DEFAULT 'random',
    duration interval DEFAULT NULL,
    warmup interval DEFAULT NULL,
    init text DEFAULT NULL,
    init_options jsonb DEFAULT NULL,
    checkpoint boolean DEFAULT false,
    run_tries integer DEFAULT 2,
    random_seed bigint DEFAULT NULL,
    label text DEFAULT NULL,
    transactions_per_client bigint DEFAULT NULL,
    script text DEFAULT NULL,
    scripts text[] DEFAULT NULL,
    weights integer[] DEFAULT NULL,
    scale integer DEFAULT NULL,
    query_mode text DEFAULT NULL,
    result_mode text DEFAULT NULL,
    rate float8 DEFAULT NULL,
    latency_limit interval DEFAULT NULL,
    max_tries integer DEFAULT NULL,
    continue_on_error boolean DEFAULT NULL,
    exit_on_abort boolean DEFAULT NULL,
    think_time interval DEFAULT NULL,
    round_trip interval DEFAULT NULL,
    reconnect bigint DEFAULT NULL,
    variables jsonb DEFAULT NULL,
    settings jsonb DEFAULT NULL,
    vacuum text DEFAULT NULL,
    before_sql text DEFAULT NULL,
    after_sql text DEFAULT NULL,
    warmup_workload text DEFAULT NULL,
    sample_interval interval DEFAULT NULL,
    collectors text[] DEFAULT NULL,
    transaction_log boolean DEFAULT NULL,
    sampling_rate float8 DEFAULT NULL,
    limits jsonb DEFAULT NULL,
    expect jsonb DEFAULT NULL,
    schema text DEFAULT NULL
) RETURNS bigint
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'start_sweep_wrapper';
COMMENT ON FUNCTION pgperf.start_sweep IS
    'Starts a sweep when the transaction commits, and returns its sweep_id: a worker runs every point of the grid that the arrays span (settings_grid: values of each setting, ''{"work_mem": ["4MB", "64MB"]}''), each repetitions times, one run after the other. run_order: random (each repetition in an order of its own), given; init: never, change, each: when the tables are loaded anew; checkpoint: before each run; run_tries: how often a run that fails is tried. The other arguments are those of start_run';

CREATE FUNCTION pgperf.resume_sweep(sweep_id bigint DEFAULT NULL) RETURNS boolean
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'resume_sweep_wrapper';
COMMENT ON FUNCTION pgperf.resume_sweep(bigint) IS
    'Goes on with a sweep (NULL: the newest) that was interrupted or stopped, or whose runs failed: with the runs that are missing. False if none is missing, or it runs';

CREATE FUNCTION pgperf.stop_sweep(sweep_id bigint DEFAULT NULL) RETURNS boolean
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'stop_sweep_wrapper';
COMMENT ON FUNCTION pgperf.stop_sweep(bigint) IS
    'Stops a sweep (NULL: the newest) and its current run; an interrupted one will not be resumed by itself. False if it had ended';

CREATE FUNCTION pgperf.delete_sweep(sweep_id bigint, runs boolean DEFAULT false) RETURNS boolean
    LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'delete_sweep_wrapper';
COMMENT ON FUNCTION pgperf.delete_sweep(bigint, boolean) IS
    'Removes a sweep that has ended; runs: with its runs and loads, which otherwise stay. False if there is none of that sweep_id';

CREATE FUNCTION pgperf.sweep_alive(node_id text, sweep_id bigint) RETURNS boolean
    LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'sweep_alive_wrapper';
COMMENT ON FUNCTION pgperf.sweep_alive(text, bigint) IS
    'Whether the worker of a sweep of this installation lives; asked by the view pgperf.sweeps';

CREATE FUNCTION pgperf.sweep_status(sweep_id bigint DEFAULT NULL) RETURNS text
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'sweep_status_wrapper';
COMMENT ON FUNCTION pgperf.sweep_status(bigint) IS 'The status of a sweep (NULL: the newest) as pgperf.sweeps shows it';

-- As pgperf.await_run: waits with neither snapshot nor transaction id.
CREATE PROCEDURE pgperf.await_sweep(sweep_id bigint, timeout interval, progress boolean)
    LANGUAGE c AS 'MODULE_PATHNAME', 'await_sweep_wrapper';
COMMENT ON PROCEDURE pgperf.await_sweep(bigint, interval, boolean) IS
    'Commits, then waits for the end of a sweep; called by wait_sweep';

CREATE PROCEDURE pgperf.wait_sweep(
    sweep_id bigint DEFAULT NULL,
    timeout interval DEFAULT NULL,
    progress boolean DEFAULT false,
    INOUT status text DEFAULT NULL
) LANGUAGE plpgsql AS $$
BEGIN
    CALL pgperf.await_sweep(sweep_id, timeout, progress);
    status := pgperf.sweep_status(sweep_id);
END
$$;
COMMENT ON PROCEDURE pgperf.wait_sweep(bigint, interval, boolean, text) IS
    'Waits for the end of a sweep (NULL: the newest), at most for timeout; progress: one line for each run that has ended, with the time left. Ctrl-C leaves the sweep alone. Returns the status';

-- The runs that a sweep is to do, in their order.
CREATE VIEW pgperf.sweep_plan AS
SELECT p.node_id, p.sweep_id, p.position, p.point_no, p.repetition, a.attempts, a.tries, a.done
FROM (
    SELECT s.node_id, s.sweep_id, COALESCE(s.resumed_at, s.requested_at) AS begun_at, o.position::integer, o.point_no,
           pg_catalog.row_number() OVER (PARTITION BY s.node_id, s.sweep_id, o.point_no ORDER BY o.position)::integer AS repetition
    FROM pgperf.stored_sweeps s
    CROSS JOIN LATERAL pg_catalog.unnest(s.run_order) WITH ORDINALITY o (point_no, position)
) p
CROSS JOIN LATERAL (
    SELECT pg_catalog.count(*)::integer AS attempts,
           pg_catalog.count(*) FILTER (WHERE t.started_at >= p.begun_at)::integer AS tries,
           COALESCE(pg_catalog.bool_or(t.outcome = 'finished' AND t.run_id IS NOT NULL), false) AS done
    FROM pgperf.sweep_attempts t
    WHERE t.node_id = p.node_id AND t.sweep_id = p.sweep_id AND t.position = p.position
) a;
COMMENT ON VIEW pgperf.sweep_plan IS 'The runs of each sweep in their order: which point, which repetition of it, how often it was tried, and whether it is done';
COMMENT ON COLUMN pgperf.sweep_plan.tries IS 'The attempts since the sweep was started or resumed';

CREATE VIEW pgperf.sweep_runs AS
SELECT p.node_id,
       p.sweep_id,
       p.position,
       p.point_no,
       p.repetition,
       p.attempts,
       CASE WHEN p.attempts = 0 THEN 'waiting'
            WHEN a.outcome = 'finished' AND a.run_id IS NULL THEN 'deleted'
            WHEN a.outcome IS NOT NULL THEN a.outcome
            WHEN pgperf.sweep_alive(p.node_id::text, p.sweep_id) THEN 'running'
            ELSE 'interrupted'
       END AS status,
       a.run_id,
       a.load_run_id,
       a.started_at,
       a.ended_at,
       r.transactions,
       r.tps,
       r.latency_avg_ms,
       r.latency_p50_ms,
       r.latency_p95_ms,
       r.latency_p99_ms,
       r.latency_p999_ms,
       r.latency_max_ms,
       r.failed,
       r.retries,
       r.wal_bytes_per_tx,
       r.hit_percent,
       a.sqlstate,
       a.error
FROM pgperf.sweep_plan p
LEFT JOIN LATERAL (
    SELECT t.* FROM pgperf.sweep_attempts t
    WHERE t.node_id = p.node_id AND t.sweep_id = p.sweep_id AND t.position = p.position
    ORDER BY t.outcome = 'finished' AND t.run_id IS NOT NULL DESC NULLS LAST, t.attempt DESC
    LIMIT 1
) a ON true
LEFT JOIN pgperf.run_summary r ON r.node_id = a.node_id AND r.run_id = a.run_id;
COMMENT ON VIEW pgperf.sweep_runs IS
    'One row for each run of a sweep''s plan, with the figures of its last attempt (of the one that finished, if one did); all attempts are in pgperf.sweep_attempts';
COMMENT ON COLUMN pgperf.sweep_runs.status IS 'waiting, running, finished, stopped, failed, interrupted; deleted: the run was finished, and deleted since';

CREATE VIEW pgperf.sweeps AS
SELECT s.node_id,
       s.sweep_id,
       s.label,
       s.role,
       s.status,
       p.points,
       s.repetitions,
       s.runs,
       n.finished,
       n.failed,
       n.attempts,
       c.run_id,
       c.load_run_id,
       n.elapsed_s,
       CASE WHEN s.status IN ('waiting', 'running') THEN
           GREATEST((s.runs - n.finished - n.failed) * COALESCE(n.seconds_per_run, p.seconds_per_run) - COALESCE(c.elapsed_s, 0), 0)
       END AS eta_s,
       s.random_seed,
       s.spec,
       s.requested_at,
       s.started_at,
       s.resumed_at,
       s.ended_at,
       s.server_version,
       s.sqlstate,
       s.error
FROM (
    SELECT t.*, pg_catalog.cardinality(t.run_order) AS runs,
           CASE WHEN t.stored_status IN ('finished', 'stopped', 'failed') THEN t.stored_status
                WHEN pgperf.sweep_alive(t.node_id::text, t.sweep_id) THEN t.stored_status
                ELSE 'interrupted'
           END AS status
    FROM pgperf.stored_sweeps t
) s
CROSS JOIN LATERAL (
    SELECT pg_catalog.count(*)::integer AS points,
           -- As long as the arguments say, before a run tells how long it takes.
           pg_catalog.avg(CASE WHEN q.arguments ->> 'transactions_per_client' IS NULL
                               THEN EXTRACT(epoch FROM COALESCE((q.arguments ->> 'duration')::interval, '60 s')
                                                       + COALESCE((q.arguments ->> 'warmup')::interval, '0 s')) END)::float8 AS seconds_per_run
    FROM pgperf.stored_sweep_points q
    WHERE q.node_id = s.node_id AND q.sweep_id = s.sweep_id
) p
CROSS JOIN LATERAL (
    SELECT pg_catalog.count(*) FILTER (WHERE l.done)::integer AS finished,
           -- None left of its tries, or the sweep has ended without it.
           pg_catalog.count(*) FILTER (WHERE NOT l.done AND (l.bad > 0 OR s.status = 'failed' AND l.ended > 0)
               AND (l.tries >= (s.spec ->> 'run_tries')::integer OR s.status NOT IN ('waiting', 'running')))::integer AS failed,
           COALESCE(pg_catalog.sum(l.ended), 0)::integer AS attempts,
           COALESCE(pg_catalog.sum(l.seconds), 0)::float8 AS elapsed_s,
           (pg_catalog.sum(l.finished_s) / NULLIF(pg_catalog.count(*) FILTER (WHERE l.done), 0))::float8 AS seconds_per_run
    FROM (
        SELECT q.done, q.tries,
               pg_catalog.count(a.outcome) AS ended,
               pg_catalog.count(*) FILTER (WHERE a.outcome IN ('failed', 'interrupted')) AS bad,
               EXTRACT(epoch FROM pg_catalog.sum(a.ended_at - a.started_at)) AS seconds,
               EXTRACT(epoch FROM pg_catalog.sum(a.ended_at - a.started_at) FILTER (WHERE a.outcome = 'finished')) AS finished_s
        FROM pgperf.sweep_plan q
        LEFT JOIN pgperf.sweep_attempts a USING (node_id, sweep_id, position)
        WHERE q.node_id = s.node_id AND q.sweep_id = s.sweep_id
        GROUP BY q.position, q.done, q.tries
    ) l
) n
LEFT JOIN LATERAL (
    SELECT a.run_id, a.load_run_id, EXTRACT(epoch FROM pg_catalog.clock_timestamp() - a.started_at)::float8 AS elapsed_s
    FROM pgperf.sweep_attempts a
    WHERE a.node_id = s.node_id AND a.sweep_id = s.sweep_id AND a.outcome IS NULL AND s.status = 'running'
    ORDER BY a.started_at DESC
    LIMIT 1
) c ON true;
COMMENT ON VIEW pgperf.sweeps IS
    'All sweeps, and how far they are; one that has not ended and whose worker is gone (it, or the server, went down) shows as interrupted';
COMMENT ON COLUMN pgperf.sweeps.runs IS 'How many runs it is to do: points times repetitions';
COMMENT ON COLUMN pgperf.sweeps.failed IS 'How many of these it could not do';
COMMENT ON COLUMN pgperf.sweeps.run_id IS 'The run that it is at; NULL: at a load (load_run_id) or between two';
COMMENT ON COLUMN pgperf.sweeps.elapsed_s IS 'Seconds spent on the attempts that have ended';
COMMENT ON COLUMN pgperf.sweeps.eta_s IS 'Seconds until it ends if its runs go on to take as long; NULL: it does not run';

CREATE FUNCTION pgperf.mean_interval(sample float8[], OUT n integer, OUT mean float8, OUT ci_low float8, OUT ci_high float8)
RETURNS SETOF record
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE ROWS 1 AS 'MODULE_PATHNAME', 'mean_interval_wrapper';
COMMENT ON FUNCTION pgperf.mean_interval(float8[]) IS
    'The mean of independent values and its 95 % interval by Student''s t; NULL bounds: fewer than two values. NULL elements are left out';

CREATE FUNCTION pgperf.welch_p_value(a float8[], b float8[]) RETURNS float8
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'welch_p_value_wrapper';
COMMENT ON FUNCTION pgperf.welch_p_value(float8[], float8[]) IS
    'How probable a difference of means as large as this is where there is none, by Welch''s t-test (two-sided); NULL: fewer than two values on a side. NULL elements are left out';

CREATE VIEW pgperf.sweep_points AS
SELECT p.node_id,
       p.sweep_id,
       p.point_no,
       p.combination,
       p.workload,
       p.clients,
       p.scale,
       p.partitions,
       p.fillfactor,
       p.query_mode,
       p.settings,
       m.n,
       m.mean AS tps,
       m.ci_low AS tps_ci_low,
       m.ci_high AS tps_ci_high,
       r.tps_values,
       r.run_ids,
       r.latency_avg_ms,
       r.latency_p50_ms,
       r.latency_p95_ms,
       r.latency_p99_ms,
       r.latency_p999_ms,
       r.failed_transactions,
       r.failed_runs,
       r.error
FROM pgperf.stored_sweep_points p
LEFT JOIN (
    SELECT u.node_id, u.sweep_id, u.point_no,
           pg_catalog.array_agg(u.tps ORDER BY u.repetition) FILTER (WHERE u.status = 'finished') AS tps_values,
           pg_catalog.array_agg(u.run_id ORDER BY u.repetition) FILTER (WHERE u.status = 'finished') AS run_ids,
           pg_catalog.avg(u.latency_avg_ms) FILTER (WHERE u.status = 'finished') AS latency_avg_ms,
           pg_catalog.avg(u.latency_p50_ms) FILTER (WHERE u.status = 'finished') AS latency_p50_ms,
           pg_catalog.avg(u.latency_p95_ms) FILTER (WHERE u.status = 'finished') AS latency_p95_ms,
           pg_catalog.avg(u.latency_p99_ms) FILTER (WHERE u.status = 'finished') AS latency_p99_ms,
           pg_catalog.avg(u.latency_p999_ms) FILTER (WHERE u.status = 'finished') AS latency_p999_ms,
           (pg_catalog.sum(u.failed) FILTER (WHERE u.status = 'finished'))::bigint AS failed_transactions,
           pg_catalog.count(*) FILTER (WHERE u.status IN ('failed', 'interrupted', 'stopped'))::integer AS failed_runs,
           pg_catalog.max(u.error) AS error
    FROM pgperf.sweep_runs u
    GROUP BY u.node_id, u.sweep_id, u.point_no
) r USING (node_id, sweep_id, point_no)
CROSS JOIN LATERAL pgperf.mean_interval(COALESCE(r.tps_values, '{}')) m;
COMMENT ON VIEW pgperf.sweep_points IS
    'One row for each point of a sweep''s grid: the mean tps of its finished runs with its 95 % interval by Student''s t, all values, and means over these runs of their latencies';
COMMENT ON COLUMN pgperf.sweep_points.combination IS 'What varies beside the number of clients, as ''name=value, ...''; empty: nothing';
COMMENT ON COLUMN pgperf.sweep_points.n IS 'How many runs have finished';
COMMENT ON COLUMN pgperf.sweep_points.tps_ci_low IS 'NULL: from one run no error can be told';
COMMENT ON COLUMN pgperf.sweep_points.tps_values IS 'The tps of each run, in the order of repetitions; run_ids: of these runs';
COMMENT ON COLUMN pgperf.sweep_points.settings IS 'The values of settings_grid at this point';

-- The p-values of one combination are corrected by Holm's method for being several.
CREATE VIEW pgperf.sweep_peak AS
WITH ranked AS (
    SELECT p.*, pg_catalog.row_number() OVER (PARTITION BY p.node_id, p.sweep_id, p.combination ORDER BY p.tps DESC, p.clients) AS place
    FROM pgperf.sweep_points p
    WHERE p.n > 0
), tested AS (
    SELECT o.node_id, o.sweep_id, o.combination, o.clients, o.p_value,
           LEAST(pg_catalog.max((o.tests - o.step + 1) * o.p_value) OVER (PARTITION BY o.node_id, o.sweep_id, o.combination ORDER BY o.step), 1) AS corrected
    FROM (
        SELECT t.*, pg_catalog.count(t.p_value) OVER (PARTITION BY t.node_id, t.sweep_id, t.combination) AS tests,
               pg_catalog.row_number() OVER (PARTITION BY t.node_id, t.sweep_id, t.combination ORDER BY t.p_value) AS step
        FROM (
            SELECT r.node_id, r.sweep_id, r.combination, r.clients, pgperf.welch_p_value(b.tps_values, r.tps_values) AS p_value
            FROM ranked r
            JOIN ranked b USING (node_id, sweep_id, combination)
            WHERE b.place = 1 AND r.place > 1
        ) t
    ) o
)
SELECT b.node_id,
       b.sweep_id,
       b.combination,
       b.workload,
       b.scale,
       b.partitions,
       b.fillfactor,
       b.query_mode,
       b.settings,
       b.point_no,
       b.clients,
       b.n,
       b.tps,
       b.tps_ci_low,
       b.tps_ci_high,
       CASE WHEN b.n > 1 THEN (
           SELECT pg_catalog.array_agg(c.clients ORDER BY c.clients)
           FROM (SELECT b.clients
                 UNION ALL
                 SELECT t.clients FROM tested t
                 WHERE t.node_id = b.node_id AND t.sweep_id = b.sweep_id AND t.combination = b.combination AND t.corrected >= 0.05) c)
       END AS as_good_clients,
       (SELECT pg_catalog.array_agg(t.clients ORDER BY t.clients) FROM tested t
        WHERE t.node_id = b.node_id AND t.sweep_id = b.sweep_id AND t.combination = b.combination AND t.p_value IS NULL) AS untested_clients
FROM ranked b
WHERE b.place = 1;
COMMENT ON VIEW pgperf.sweep_peak IS
    'The peak of each combination of a sweep: the highest mean tps and at how many clients it was';
COMMENT ON COLUMN pgperf.sweep_peak.as_good_clients IS
    'The numbers of clients whose tps is not significantly worse (Welch''s t at 5 %, corrected by Holm for several tests), the peak''s own among them; NULL: one run a point tells nothing about that';
COMMENT ON COLUMN pgperf.sweep_peak.untested_clients IS 'The numbers of clients that could not be compared: fewer than two runs have finished';

CREATE FUNCTION pgperf.fit_scalability(
    clients float8[], tps float8[],
    OUT lambda float8, OUT sigma float8, OUT kappa float8,
    OUT lambda_error float8, OUT sigma_error float8, OUT kappa_error float8,
    OUT r_squared float8, OUT residual_tps float8,
    OUT peak_clients float8, OUT peak_tps float8, OUT limit_tps float8, OUT reason text
) RETURNS SETOF record
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE ROWS 1 AS 'MODULE_PATHNAME', 'fit_scalability_wrapper';
COMMENT ON FUNCTION pgperf.fit_scalability(float8[], float8[]) IS
    'Fits the Universal Scalability Law, tps = lambda N / (1 + sigma (N - 1) + kappa N (N - 1)), to pairs of clients and tps by least squares; *_error: standard errors; all NULL but the reason where it cannot be fitted';

CREATE FUNCTION pgperf.sweep_scalability(
    sweep_id bigint DEFAULT NULL,
    OUT combination text, OUT loads integer, OUT n integer,
    OUT lambda float8, OUT sigma float8, OUT kappa float8,
    OUT lambda_error float8, OUT sigma_error float8, OUT kappa_error float8,
    OUT r_squared float8, OUT residual_tps float8,
    OUT peak_clients float8, OUT peak_tps float8, OUT limit_tps float8, OUT reason text
) RETURNS SETOF record
    LANGUAGE sql VOLATILE
    BEGIN ATOMIC
    SELECT c.combination, c.loads, COALESCE(pg_catalog.cardinality(c.tps), 0), f.*
    FROM (
        SELECT p.combination, pg_catalog.count(DISTINCT p.clients) FILTER (WHERE v.tps IS NOT NULL)::integer AS loads,
               pg_catalog.array_agg(p.clients::float8) FILTER (WHERE v.tps IS NOT NULL) AS clients,
               pg_catalog.array_agg(v.tps) FILTER (WHERE v.tps IS NOT NULL) AS tps
        FROM pgperf.sweep_points p
        LEFT JOIN LATERAL pg_catalog.unnest(p.tps_values) v (tps) ON true
        WHERE p.node_id = (SELECT pgperf.local_node())
          AND p.sweep_id = COALESCE($1, (SELECT pg_catalog.max(s.sweep_id) FROM pgperf.stored_sweeps s WHERE s.node_id = (SELECT pgperf.local_node())))
        GROUP BY p.combination
    ) c
    CROSS JOIN LATERAL pgperf.fit_scalability(COALESCE(c.clients, '{}'), COALESCE(c.tps, '{}')) f
    ORDER BY c.combination;
    END;
COMMENT ON FUNCTION pgperf.sweep_scalability(bigint) IS
    'The Universal Scalability Law fitted to the runs of each combination of a sweep of this node (NULL: the newest): lambda: tps of one client; sigma: contention; kappa: coherency; their standard errors; the part of the variance explained; the predicted peak, or without one the limit. reason: why there is no fit';

CREATE FUNCTION pgperf.sweep_report(sweep_id bigint DEFAULT NULL) RETURNS SETOF text
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'sweep_report_wrapper';
COMMENT ON FUNCTION pgperf.sweep_report(bigint) IS
    'A sweep''s results as text; NULL: the newest of this node; for the sweep''s role and members of pg_monitor';

REVOKE ALL ON FUNCTION pgperf.start_sweep, pgperf.resume_sweep(bigint) FROM PUBLIC;
REVOKE ALL ON FUNCTION pgperf.sweep_scalability(bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgperf.sweep_scalability(bigint) TO pg_monitor;
GRANT SELECT ON pgperf.sweeps, pgperf.sweep_plan, pgperf.sweep_runs, pgperf.sweep_points, pgperf.sweep_peak TO pg_monitor;

CREATE TABLE pgperf.replication_history (
    node_id             uuid NOT NULL,
    sample_id           bigint NOT NULL,
    taken_at            timestamptz NOT NULL,
    run_id              bigint,
    kind                text NOT NULL CHECK (kind IN ('standby', 'slot', 'subscription')),
    name                text,
    database_name       text,
    client              text,
    active              boolean,
    state               text,
    sync_state          text,
    sent_lag_bytes      bigint,
    write_lag_bytes     bigint,
    flush_lag_bytes     bigint,
    replay_lag_bytes    bigint,
    write_lag_ms        float8,
    flush_lag_ms        float8,
    replay_lag_ms       float8,
    silent_ms           float8,
    slot_type           text,
    plugin              text,
    wal_status          text,
    retained_bytes      bigint,
    safe_wal_size       bigint,
    xmin_age            bigint,
    catalog_xmin_age    bigint,
    inactive_since      timestamptz,
    conflicting         boolean,
    invalidation_reason text,
    failover            boolean,
    synced              boolean,
    spill_txns          bigint,
    spill_count         bigint,
    spill_bytes         bigint,
    stream_txns         bigint,
    stream_count        bigint,
    stream_bytes        bigint,
    total_txns          bigint,
    total_bytes         bigint,
    apply_error_count   bigint,
    sync_error_count    bigint,
    confl_insert_exists bigint,
    confl_update_origin_differs bigint,
    confl_update_exists bigint,
    confl_update_missing bigint,
    confl_delete_origin_differs bigint,
    confl_delete_missing bigint,
    confl_multiple_unique_conflicts bigint,
    stats_reset         timestamptz
) PARTITION BY RANGE (taken_at);
SELECT pgperf.add_history('replication_history', 'replication');
COMMENT ON TABLE pgperf.replication_history IS 'Standbys, replication slots and this database''s subscriptions, under the names of the server''s views. What the server''s version or the kind has not is NULL';
COMMENT ON COLUMN pgperf.replication_history.name IS 'application_name of a standby, else the name of the slot or subscription';
COMMENT ON COLUMN pgperf.replication_history.sent_lag_bytes IS 'From the current WAL position to what was sent; as write_, flush_ and replay_lag_bytes. Slot: flush_lag_bytes to what its consumer confirmed; subscription: from what was received to what was reported as flushed';
COMMENT ON COLUMN pgperf.replication_history.write_lag_ms IS 'Of a standby as the server measures it; NULL when there is nothing to wait for. Of a subscription: from sending to receipt of the last message';
COMMENT ON COLUMN pgperf.replication_history.silent_ms IS 'Subscription: since the last message from the publisher';
COMMENT ON COLUMN pgperf.replication_history.retained_bytes IS 'WAL that the slot keeps from being removed';
GRANT SELECT ON pgperf.replication_history TO pg_monitor;
-- A sample holds all slots, and their names do not change; those of subscriptions may.
SELECT pgperf.create_delta_view('replication_history', '{kind,name}',
    '{sent_lag_bytes,write_lag_bytes,flush_lag_bytes,replay_lag_bytes,write_lag_ms,flush_lag_ms,replay_lag_ms,silent_ms,retained_bytes,safe_wal_size,xmin_age,catalog_xmin_age}',
    began => 'h.kind = ''slot'' AND s.epoch = cs.epoch');

-- For CI: what raises an error if a run is not good enough.
CREATE FUNCTION pgperf.set_baseline(name text, runs bigint[]) RETURNS bigint
    LANGUAGE c STRICT VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'set_baseline_wrapper';
COMMENT ON FUNCTION pgperf.set_baseline(text, bigint[]) IS
    'Has a name stand for these runs of this node in compare and gate, in place of those it stood for; returns how many they are';

CREATE FUNCTION pgperf.set_baseline(name text, run bigint) RETURNS bigint
    LANGUAGE c STRICT VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'set_baseline_run_wrapper';
COMMENT ON FUNCTION pgperf.set_baseline(text, bigint) IS 'The same for one run';

CREATE FUNCTION pgperf.set_baseline(name text, runs text[]) RETURNS bigint
    LANGUAGE c STRICT VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'set_baseline_names_wrapper';
COMMENT ON FUNCTION pgperf.set_baseline(text, text[]) IS 'The same for runs named as in pgperf.compare';

CREATE FUNCTION pgperf.drop_baseline(name text) RETURNS boolean
    LANGUAGE c STRICT VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'drop_baseline_wrapper';
COMMENT ON FUNCTION pgperf.drop_baseline(text) IS 'Forgets a named baseline, not its runs; false if there is none of that name';

REVOKE ALL ON FUNCTION pgperf.set_baseline(text, bigint[]), pgperf.set_baseline(text, bigint),
    pgperf.set_baseline(text, text[]), pgperf.drop_baseline(text) FROM PUBLIC;

CREATE FUNCTION pgperf.gate_runs(candidate text[], baseline text[], max_regression text, metrics text[]) RETURNS SETOF text
    LANGUAGE c AS 'MODULE_PATHNAME', 'gate_runs_wrapper';
COMMENT ON FUNCTION pgperf.gate_runs(text[], text[], text, text[]) IS 'What pgperf.gate does; runs are named as in pgperf.compare, or as #run_id';

CREATE FUNCTION pgperf.gate(candidate bigint, baseline bigint, max_regression text DEFAULT '5%', metrics text[] DEFAULT NULL)
    RETURNS SETOF text
    LANGUAGE sql
BEGIN ATOMIC
    SELECT pgperf.gate_runs(pgperf.run_names(ARRAY[candidate]), pgperf.run_names(ARRAY[baseline]), COALESCE(max_regression, '5%'), metrics);
END;
COMMENT ON FUNCTION pgperf.gate(bigint, bigint, text, text[]) IS
    'Raises an error (SQLSTATE P0004) if the candidate is significantly worse than the baseline by more than max_regression in one of the metrics (default: tps, latency average, p95 and p99, failed), or cannot be compared; returns what was seen';

CREATE FUNCTION pgperf.gate(candidate bigint[], baseline bigint[], max_regression text DEFAULT '5%', metrics text[] DEFAULT NULL)
    RETURNS SETOF text
    LANGUAGE sql
BEGIN ATOMIC
    SELECT pgperf.gate_runs(pgperf.run_names(candidate), pgperf.run_names(baseline), COALESCE(max_regression, '5%'), metrics);
END;
COMMENT ON FUNCTION pgperf.gate(bigint[], bigint[], text, text[]) IS 'The same for repeated runs';

CREATE FUNCTION pgperf.gate(candidate bigint, baseline text, max_regression text DEFAULT '5%', metrics text[] DEFAULT NULL)
    RETURNS SETOF text
    LANGUAGE sql
BEGIN ATOMIC
    SELECT pgperf.gate_runs(pgperf.run_names(ARRAY[candidate]), ARRAY[baseline], COALESCE(max_regression, '5%'), metrics);
END;
COMMENT ON FUNCTION pgperf.gate(bigint, text, text, text[]) IS 'The same against a named baseline, or a run by name';

CREATE FUNCTION pgperf.gate(candidate text, baseline text, max_regression text DEFAULT '5%', metrics text[] DEFAULT NULL)
    RETURNS SETOF text
    LANGUAGE sql
BEGIN ATOMIC
    SELECT pgperf.gate_runs(ARRAY[candidate], ARRAY[baseline], COALESCE(max_regression, '5%'), metrics);
END;
COMMENT ON FUNCTION pgperf.gate(text, text, text, text[]) IS 'The same for runs or baselines by name';

CREATE FUNCTION pgperf.gate(candidate bigint[], baseline text, max_regression text DEFAULT '5%', metrics text[] DEFAULT NULL)
    RETURNS SETOF text
    LANGUAGE sql
BEGIN ATOMIC
    SELECT pgperf.gate_runs(pgperf.run_names(candidate), ARRAY[baseline], COALESCE(max_regression, '5%'), metrics);
END;
COMMENT ON FUNCTION pgperf.gate(bigint[], text, text, text[]) IS 'The same for repeated runs against a named baseline';

CREATE FUNCTION pgperf.require_expectations(run_id bigint DEFAULT NULL) RETURNS void
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'require_expectations_wrapper';
COMMENT ON FUNCTION pgperf.require_expectations(bigint) IS
    'Raises an error (SQLSTATE P0004) if a run (NULL: the newest) does not meet what its argument expect says; called by CALL pgperf.run';

CREATE FUNCTION pgperf.report_junit(run_id bigint DEFAULT NULL, baseline text DEFAULT NULL, max_regression text DEFAULT '5%')
    RETURNS text
    LANGUAGE c AS 'MODULE_PATHNAME', 'report_junit_wrapper';
COMMENT ON FUNCTION pgperf.report_junit(bigint, text, text) IS
    'A run''s expectations, and with baseline its comparison with that as in pgperf.gate, as one JUnit XML document';

CREATE TABLE pgperf.host_history (
    node_id                uuid NOT NULL,
    sample_id              bigint NOT NULL,
    taken_at               timestamptz NOT NULL,
    run_id                 bigint,
    boot_id                uuid,
    cpus                   bigint,
    load_1                 float8,
    load_5                 float8,
    load_15                float8,
    processes_running      bigint,
    processes_blocked      bigint,
    memory_total_bytes     bigint,
    memory_free_bytes      bigint,
    memory_available_bytes bigint,
    memory_cached_bytes    bigint,
    memory_dirty_bytes     bigint,
    memory_writeback_bytes bigint,
    huge_pages_total       bigint,
    huge_pages_free        bigint,
    swap_total_bytes       bigint,
    swap_free_bytes        bigint,
    server_processes       bigint,
    server_private_bytes   bigint,
    cpu_user_ms            bigint,
    cpu_nice_ms            bigint,
    cpu_system_ms          bigint,
    cpu_idle_ms            bigint,
    cpu_iowait_ms          bigint,
    cpu_irq_ms             bigint,
    cpu_softirq_ms         bigint,
    cpu_steal_ms           bigint,
    context_switches       bigint,
    forks                  bigint,
    swap_in_pages          bigint,
    swap_out_pages         bigint,
    major_faults           bigint,
    oom_kills              bigint
) PARTITION BY RANGE (taken_at);
SELECT pgperf.add_history('host_history', 'host');
COMMENT ON TABLE pgperf.host_history IS 'The machine (in a container: its host), as /proc has it: gauges, and counters since the machine was started';
COMMENT ON COLUMN pgperf.host_history.boot_id IS 'Another one: the machine was started again, and its counters with it';
COMMENT ON COLUMN pgperf.host_history.memory_cached_bytes IS 'Cached and buffers: the page cache, shared memory among it';
COMMENT ON COLUMN pgperf.host_history.server_private_bytes IS 'What the server''s processes (server_processes) have for themselves: resident, and neither shared nor of files. Not in a run''s samples each interval';
COMMENT ON COLUMN pgperf.host_history.cpu_user_ms IS 'Milliseconds of all CPUs together, as the other cpu columns; guests are part of it';
GRANT SELECT ON pgperf.host_history TO pg_monitor;
SELECT pgperf.create_delta_view('host_history', '{}',
    '{cpus,load_1,load_5,load_15,processes_running,processes_blocked,memory_total_bytes,memory_free_bytes,memory_available_bytes,memory_cached_bytes,memory_dirty_bytes,memory_writeback_bytes,huge_pages_total,huge_pages_free,swap_total_bytes,swap_free_bytes,server_processes,server_private_bytes}',
    lived_on => 'h.boot_id = p.boot_id');

CREATE VIEW pgperf.host_rates AS
SELECT d.*,
       100 * (d.cpu_user_ms + d.cpu_nice_ms) / t.total AS cpu_user_percent,
       100 * (d.cpu_system_ms + d.cpu_irq_ms + d.cpu_softirq_ms) / t.total AS cpu_system_percent,
       100 * d.cpu_idle_ms / t.total AS cpu_idle_percent,
       100 * d.cpu_iowait_ms / t.total AS cpu_iowait_percent,
       100 * d.cpu_steal_ms / t.total AS cpu_steal_percent
FROM pgperf.host_deltas d
CROSS JOIN LATERAL (
    SELECT NULLIF(d.cpu_user_ms + d.cpu_nice_ms + d.cpu_system_ms + d.cpu_idle_ms + COALESCE(d.cpu_iowait_ms, 0)
                  + COALESCE(d.cpu_irq_ms, 0) + COALESCE(d.cpu_softirq_ms, 0) + COALESCE(d.cpu_steal_ms, 0), 0)::float8 AS total) t;
COMMENT ON VIEW pgperf.host_rates IS 'pgperf.host_deltas with the share of the CPUs'' time since the sample before';
GRANT SELECT ON pgperf.host_rates TO pg_monitor;

CREATE TABLE pgperf.device_history (
    node_id         uuid NOT NULL,
    sample_id       bigint NOT NULL,
    taken_at        timestamptz NOT NULL,
    run_id          bigint,
    boot_id         uuid,
    device          text NOT NULL,
    holds           text NOT NULL,
    level           integer NOT NULL,
    in_flight       bigint,
    read_ios        bigint,
    read_merges     bigint,
    read_sectors    bigint,
    read_ticks      bigint,
    write_ios       bigint,
    write_merges    bigint,
    write_sectors   bigint,
    write_ticks     bigint,
    io_ticks        bigint,
    time_in_queue   bigint,
    discard_ios     bigint,
    discard_merges  bigint,
    discard_sectors bigint,
    discard_ticks   bigint,
    flush_ios       bigint,
    flush_ticks     bigint
) PARTITION BY RANGE (taken_at);
SELECT pgperf.add_history('device_history', 'host');
COMMENT ON TABLE pgperf.device_history IS 'The block devices under the server''s files, with the kernel''s cumulative counters under the names of its documentation; iostat''s figures: pgperf.device_rates';
COMMENT ON COLUMN pgperf.device_history.holds IS 'What lies on it, or on a device that it is part of: data, wal, tablespaces';
COMMENT ON COLUMN pgperf.device_history.level IS '0: it holds the files itself; 1 and more: it lies beneath (the disk of a partition, a member of a device-mapper or md device)';
COMMENT ON COLUMN pgperf.device_history.read_sectors IS 'Of 512 bytes, as the other sectors';
COMMENT ON COLUMN pgperf.device_history.read_ticks IS 'Milliseconds, as the other ticks, io_ticks and time_in_queue';
GRANT SELECT ON pgperf.device_history TO pg_monitor;
SELECT pgperf.create_delta_view('device_history', '{device}', '{holds,level,in_flight}', lived_on => 'h.boot_id = p.boot_id');

CREATE VIEW pgperf.device_rates AS
SELECT d.node_id, d.sample_id, d.taken_at, d.run_id, d.seconds, d.device, d.holds, d.level,
       d.read_ios_per_s AS r_s, d.read_sectors_per_s / 2 AS rkb_s, d.read_merges_per_s AS rrqm_s,
       100 * d.read_merges / NULLIF(d.read_merges + d.read_ios, 0)::float8 AS rrqm,
       d.read_ticks / NULLIF(d.read_ios, 0)::float8 AS r_await, d.read_sectors / 2.0 / NULLIF(d.read_ios, 0)::float8 AS rareq_sz,
       d.write_ios_per_s AS w_s, d.write_sectors_per_s / 2 AS wkb_s, d.write_merges_per_s AS wrqm_s,
       100 * d.write_merges / NULLIF(d.write_merges + d.write_ios, 0)::float8 AS wrqm,
       d.write_ticks / NULLIF(d.write_ios, 0)::float8 AS w_await, d.write_sectors / 2.0 / NULLIF(d.write_ios, 0)::float8 AS wareq_sz,
       d.discard_ios_per_s AS d_s, d.discard_sectors_per_s / 2 AS dkb_s, d.discard_merges_per_s AS drqm_s,
       100 * d.discard_merges / NULLIF(d.discard_merges + d.discard_ios, 0)::float8 AS drqm,
       d.discard_ticks / NULLIF(d.discard_ios, 0)::float8 AS d_await, d.discard_sectors / 2.0 / NULLIF(d.discard_ios, 0)::float8 AS dareq_sz,
       d.flush_ios_per_s AS f_s, d.flush_ticks / NULLIF(d.flush_ios, 0)::float8 AS f_await,
       d.time_in_queue_per_s / 1000 AS aqu_sz, LEAST(100, d.io_ticks_per_s / 10) AS util
FROM pgperf.device_deltas d;
COMMENT ON VIEW pgperf.device_rates IS 'The block devices under the server''s files since the sample before, in the words of iostat -x: r_s, rkb_s, … aqu_sz, util. NULL: nothing to be divided by';
GRANT SELECT ON pgperf.device_rates TO pg_monitor;

-- Executable by everybody: each checks that the caller may see the run.
CREATE FUNCTION pgperf.report_html(run_id bigint = NULL) RETURNS text
    LANGUAGE c AS 'MODULE_PATHNAME', 'report_html_wrapper';
COMMENT ON FUNCTION pgperf.report_html(bigint) IS
    'A run as one HTML page that needs nothing else, with charts; NULL: the newest run of this node; for the run''s role and members of pg_monitor';

CREATE FUNCTION pgperf.report_html(run text) RETURNS text
    LANGUAGE c AS 'MODULE_PATHNAME', 'report_html_by_name_wrapper';
COMMENT ON FUNCTION pgperf.report_html(text) IS
    'The page of the newest run with this label, or of the run named as ''node name/run_id''';

CREATE FUNCTION pgperf.report_json(run_id bigint = NULL) RETURNS jsonb
    LANGUAGE c AS 'MODULE_PATHNAME', 'report_json_wrapper';
COMMENT ON FUNCTION pgperf.report_json(bigint) IS
    'What the page of a run shows, as a document that docs/report.schema.json describes; NULL: the newest run of this node; for the run''s role and members of pg_monitor';

CREATE FUNCTION pgperf.report_json(run text) RETURNS jsonb
    LANGUAGE c AS 'MODULE_PATHNAME', 'report_json_by_name_wrapper';
COMMENT ON FUNCTION pgperf.report_json(text) IS
    'The document of the newest run with this label, or of the run named as ''node name/run_id''';

CREATE FUNCTION pgperf.report_markdown(run_id bigint = NULL) RETURNS text
    LANGUAGE c AS 'MODULE_PATHNAME', 'report_markdown_wrapper';
COMMENT ON FUNCTION pgperf.report_markdown(bigint) IS
    'A run in short as Markdown, for a pull request; NULL: the newest run of this node; for the run''s role and members of pg_monitor';

CREATE FUNCTION pgperf.report_markdown(run text) RETURNS text
    LANGUAGE c AS 'MODULE_PATHNAME', 'report_markdown_by_name_wrapper';
COMMENT ON FUNCTION pgperf.report_markdown(text) IS
    'The same of the newest run with this label, or of the run named as ''node name/run_id''';

GRANT EXECUTE ON FUNCTION pgperf.report_html(bigint), pgperf.report_html(text), pgperf.report_json(bigint), pgperf.report_json(text),
    pgperf.report_markdown(bigint), pgperf.report_markdown(text) TO PUBLIC;

CREATE FUNCTION pgperf.compare_page(baseline text[], candidate text[], pair_by text) RETURNS text
    LANGUAGE c AS 'MODULE_PATHNAME', 'compare_page_wrapper';
COMMENT ON FUNCTION pgperf.compare_page(text[], text[], text) IS
    'What pgperf.compare_html does; runs are named as there, or as #run_id';

CREATE FUNCTION pgperf.compare_html(baseline bigint, candidate bigint) RETURNS text
    LANGUAGE sql
    RETURN pgperf.compare_page(pgperf.run_names(ARRAY[baseline]), pgperf.run_names(ARRAY[candidate]), NULL);
COMMENT ON FUNCTION pgperf.compare_html(bigint, bigint) IS 'pgperf.compare as one HTML page that needs nothing else';

CREATE FUNCTION pgperf.compare_html(baseline bigint[], candidate bigint[], pair_by text DEFAULT NULL) RETURNS text
    LANGUAGE sql
    RETURN pgperf.compare_page(pgperf.run_names(baseline), pgperf.run_names(candidate), pair_by);
COMMENT ON FUNCTION pgperf.compare_html(bigint[], bigint[], text) IS 'The same for repeated runs';

CREATE FUNCTION pgperf.compare_html(baseline text, candidate text) RETURNS text
    LANGUAGE sql
    RETURN pgperf.compare_page(ARRAY[baseline], ARRAY[candidate], NULL);
COMMENT ON FUNCTION pgperf.compare_html(text, text) IS 'The same for runs or baselines by name';

CREATE FUNCTION pgperf.compare_html(baseline text[], candidate text[], pair_by text DEFAULT NULL) RETURNS text
    LANGUAGE sql
    RETURN pgperf.compare_page(COALESCE(baseline, '{}'), COALESCE(candidate, '{}'), pair_by);
COMMENT ON FUNCTION pgperf.compare_html(text[], text[], text) IS 'The same for repeated runs, each by name';

GRANT EXECUTE ON FUNCTION pgperf.compare_page(text[], text[], text), pgperf.compare_html(bigint, bigint),
    pgperf.compare_html(bigint[], bigint[], text), pgperf.compare_html(text, text), pgperf.compare_html(text[], text[], text) TO PUBLIC;

CREATE FUNCTION pgperf.sweep_html(sweep_id bigint = NULL) RETURNS text
    LANGUAGE c AS 'MODULE_PATHNAME', 'sweep_html_wrapper';
COMMENT ON FUNCTION pgperf.sweep_html(bigint) IS
    'A sweep as one HTML page that needs nothing else: tps by number of clients with 95 % intervals, the scalability law, peaks; NULL: the newest of this node; for the sweep''s role and members of pg_monitor';
GRANT EXECUTE ON FUNCTION pgperf.sweep_html(bigint) TO PUBLIC;
