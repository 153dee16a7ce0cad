CREATE FUNCTION pgperf.local_node() RETURNS uuid
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'local_node_wrapper';
COMMENT ON FUNCTION pgperf.local_node() IS
    'The node under which this installation stores its history; created on first use, and again in a copy of the database';

REVOKE ALL ON FUNCTION pgperf.local_node() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgperf.local_node() TO pg_monitor;

-- One sequence numbers the runs of a database, those that came with pg_upgrade or a dump among them. Two nodes share a number only
-- where a dump was restored into a database that had runs already.
CREATE FUNCTION pgperf_internal.find_run(run_id bigint, OUT node_id uuid, OUT found_id bigint) RETURNS SETOF record
    LANGUAGE sql VOLATILE ROWS 1
    BEGIN ATOMIC
    SELECT r.node_id, r.run_id
    FROM pgperf_internal.stored_runs r
    WHERE r.run_id = $1
       -- A part of a run on several nodes comes with the whole.
       OR $1 IS NULL AND r.origin_node_id IS NULL AND NOT r.spec ? 'share' AND r.node_id = (SELECT pgperf.local_node())
    ORDER BY r.origin_node_id IS NOT NULL OR r.node_id = (SELECT pgperf.local_node()) DESC, r.run_id DESC, r.requested_at DESC
    LIMIT 1;
    END;
COMMENT ON FUNCTION pgperf_internal.find_run(bigint) IS
    'The key of a run from its number here: of this node''s run or an imported one, otherwise of another node''s; NULL: the newest of this node';
REVOKE ALL ON FUNCTION pgperf_internal.find_run(bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgperf_internal.find_run(bigint) TO pg_monitor;

-- Executable by everybody: it checks that the caller may see the run.
CREATE FUNCTION pgperf_internal.find_run(run text, OUT node_id uuid, OUT found_id bigint) RETURNS SETOF record
    LANGUAGE c VOLATILE PARALLEL UNSAFE ROWS 1 AS 'MODULE_PATHNAME', 'find_run_by_name_wrapper';
COMMENT ON FUNCTION pgperf_internal.find_run(text) IS
    'The key of a run that the caller may see, from its number here, ''node name/run_id'' or label; NULL: the newest of this node';

CREATE FUNCTION pgperf.new_node() RETURNS uuid
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'new_node_wrapper';
COMMENT ON FUNCTION pgperf.new_node() IS
    'Begins a new node, to which history belongs from now on. For a promoted copy beside its original, which has the same node';
REVOKE ALL ON FUNCTION pgperf.new_node() FROM PUBLIC;

CREATE FUNCTION pgperf.set_node_name(name text) RETURNS uuid
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'set_node_name_wrapper';
COMMENT ON FUNCTION pgperf.set_node_name(text) IS
    'Names the node of this installation, and creates it if there is none yet; reports show the name, and ''name/run_id'' names its runs';
REVOKE ALL ON FUNCTION pgperf.set_node_name(text) FROM PUBLIC;

CREATE FUNCTION pgperf.set_node_group(group_name text, node text DEFAULT NULL) RETURNS uuid
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'set_node_group_wrapper';
COMMENT ON FUNCTION pgperf.set_node_group(text, text) IS
    'Adds a node, by its name or id (NULL: this installation''s), to a group, and removes it from the one that it was in; a group_name of NULL: no group. Returns its id';
REVOKE ALL ON FUNCTION pgperf.set_node_group(text, text) FROM PUBLIC;

CREATE FUNCTION pgperf_internal.leader_alive(node_id text, run_id bigint) RETURNS boolean
    LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'leader_alive_wrapper';
COMMENT ON FUNCTION pgperf_internal.leader_alive(text, bigint) IS
    'Whether the leader of a run of this installation is alive; used by the view pgperf.runs';
REVOKE ALL ON FUNCTION pgperf_internal.leader_alive(text, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgperf_internal.leader_alive(text, bigint) TO pg_monitor;

-- A rate is stored as jsonb, and any number is one.
CREATE TYPE pgperf.rate;
CREATE FUNCTION pgperf_internal.rate_in(cstring) RETURNS pgperf.rate LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'jsonb_in';
COMMENT ON FUNCTION pgperf_internal.rate_in(cstring) IS 'Input of the type pgperf.rate';
CREATE FUNCTION pgperf_internal.rate_out(pgperf.rate) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'jsonb_out';
COMMENT ON FUNCTION pgperf_internal.rate_out(pgperf.rate) IS 'Output of the type pgperf.rate';
CREATE TYPE pgperf.rate (INPUT = pgperf_internal.rate_in, OUTPUT = pgperf_internal.rate_out, INTERNALLENGTH = VARIABLE, ALIGNMENT = int4, STORAGE = extended);
COMMENT ON TYPE pgperf.rate IS
    'Transactions per second: a number, steps by the time of the run such as ''{"0 s": 100, "10 min": 800}'' (null: as fast as they go), or a wave such as ''{"low": 100, "high": 800, "period": "1 day"}''';
CREATE CAST (jsonb AS pgperf.rate) WITHOUT FUNCTION AS IMPLICIT;
-- Their bodies are texts: pg_dump creates functions before casts, and one in standard SQL would not find its cast.
CREATE FUNCTION pgperf_internal.to_rate(integer) RETURNS pgperf.rate LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path = pg_catalog, pg_temp AS 'SELECT pg_catalog.to_jsonb($1)::pgperf.rate';
COMMENT ON FUNCTION pgperf_internal.to_rate(integer) IS 'A number as a rate';
CREATE FUNCTION pgperf_internal.to_rate(bigint) RETURNS pgperf.rate LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path = pg_catalog, pg_temp AS 'SELECT pg_catalog.to_jsonb($1)::pgperf.rate';
COMMENT ON FUNCTION pgperf_internal.to_rate(bigint) IS 'A number as a rate';
CREATE FUNCTION pgperf_internal.to_rate(numeric) RETURNS pgperf.rate LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path = pg_catalog, pg_temp AS 'SELECT pg_catalog.to_jsonb($1)::pgperf.rate';
COMMENT ON FUNCTION pgperf_internal.to_rate(numeric) IS 'A number as a rate';
CREATE FUNCTION pgperf_internal.to_rate(float8) RETURNS pgperf.rate LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path = pg_catalog, pg_temp AS 'SELECT pg_catalog.to_jsonb($1)::pgperf.rate';
COMMENT ON FUNCTION pgperf_internal.to_rate(float8) IS 'A number as a rate';
CREATE CAST (integer AS pgperf.rate) WITH FUNCTION pgperf_internal.to_rate(integer) AS IMPLICIT;
CREATE CAST (bigint AS pgperf.rate) WITH FUNCTION pgperf_internal.to_rate(bigint) AS IMPLICIT;
CREATE CAST (numeric AS pgperf.rate) WITH FUNCTION pgperf_internal.to_rate(numeric) AS IMPLICIT;
CREATE CAST (float8 AS pgperf.rate) WITH FUNCTION pgperf_internal.to_rate(float8) AS IMPLICIT;
COMMENT ON CAST (jsonb AS pgperf.rate) IS 'A document as a rate';
COMMENT ON CAST (integer AS pgperf.rate) IS 'A number as a rate';
COMMENT ON CAST (bigint AS pgperf.rate) IS 'A number as a rate';
COMMENT ON CAST (numeric AS pgperf.rate) IS 'A number as a rate';
COMMENT ON CAST (float8 AS pgperf.rate) IS 'A number as a rate';

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
    rate pgperf.rate DEFAULT NULL,
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
    warmup interval DEFAULT '0 s',
    warmup_workload text DEFAULT NULL,
    sample_interval interval DEFAULT '1 s',
    collectors text[] DEFAULT NULL,
    transaction_log boolean DEFAULT false,
    sampling_rate double precision DEFAULT NULL,
    limits jsonb DEFAULT NULL,
    schema text DEFAULT NULL,
    label text DEFAULT NULL,
    expect jsonb DEFAULT NULL,
    resume boolean DEFAULT false,
    application_name text DEFAULT NULL,
    options jsonb DEFAULT NULL,
    hit_curve boolean DEFAULT false,
    drain jsonb DEFAULT NULL,
    drain_sql text DEFAULT NULL,
    drain_timeout interval DEFAULT NULL,
    alternate jsonb DEFAULT NULL,
    alternate_every interval DEFAULT NULL,
    settle interval DEFAULT NULL,
    disturbances jsonb DEFAULT NULL,
    caches text DEFAULT NULL,
    plans boolean DEFAULT NULL,
    until_precise text DEFAULT NULL,
    transport text DEFAULT 'inside',
    workers integer DEFAULT NULL,
    connect_each_transaction boolean DEFAULT false,
    reconnect_on_loss boolean DEFAULT false,
    server text DEFAULT NULL,
    servers text[] DEFAULT NULL,
    start_at timestamp with time zone DEFAULT NULL,
    nodes text[] DEFAULT NULL
) RETURNS bigint
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'start_run_wrapper';
COMMENT ON FUNCTION pgperf.start_run IS
    'Starts a run when the transaction commits, and returns its run_id. workload: a built-in one (default tpcb-like), a stored one, or a mix such as ''tpcb-like@1, select-only@9''; script, or scripts with weights: pgbench script text instead; duration or transactions_per_client (neither: 60 s); query_mode: simple, extended, prepared; result_mode: format, discard; rate: transactions per second, also in steps, ''{"0 s": 100, "10 min": 800}'', or as a wave, ''{"low": 100, "high": 800, "period": "1 day"}''; settings: session settings of the clients; limits: stop the run at wal, free_disk (default 5%, at most 10 GB), xid_age (default 1500000000), replication_lag, errors; schema: schema of the tables; expect: expectations such as ''{"latency_p99_ms": "<= 5", "failed": "= 0"}'', CALL pgperf.run raises an error if they are not met; resume: the run goes on after a crash or restart of the server, see resume_run; application_name: of the clients'' sessions, instead of ''pgperf run N client M''; options: of the built-in workloads, by name; hit_curve: estimate the hit ratio at larger shared_buffers, see pgperf.hit_curve; drain: what catches up after the clients'' end, ''{"standbys": "all", "until": "replay", "slots": ["sub1"]}''; drain_sql: a query that returns true when its receiver has caught up; drain_timeout: how long that may take (default 10 min); alternate: settings, or scripts or workloads of the mix, that take turns within the run, ''{"wal_compression": ["off", "lz4"]}'', see pgperf.alternation; alternate_every: length of a turn (default 5 s); settle: the part at its beginning that belongs to neither side (default 0.5 s); disturbances: what happens beside the load, ''[{"kind": "vacuum_full", "table": "pgbench_tellers", "at": "10 s"}, {"name": "job", "sql": "SELECT refresh()", "at": "5 s", "every": "30 s"}]'', see pgperf.disturbance_impact; caches: cold (emptied before the clients begin) or warm (tables and indexes are read before); until_precise: end as soon as the mean tps is known within this percentage (''2%''), after duration (default 10 min) at the latest; plans: whether to store the plans of its statements (pgperf.run_plans; NULL: those of tpch-like); transport: inside (the clients are sessions within the server) or wire (they have connections, as those of pgbench); workers: over the wire, the background workers that share the connections; connect_each_transaction: over the wire, a new connection for each transaction, as pgbench -C; reconnect_on_loss: over the wire, a client that loses its session gets another one; server: a target, a foreign server of pgperf_target, to which the clients connect; servers: several targets with weights, ''{primary@3, replica}'', over which the clients are spread; start_at: the moment at which the clients begin, ready beforehand; nodes: servers with pgperf, ''{here@1, db2@3}'', foreign servers or this node by its name, over which the clients are spread, each in a run of its own: all begin together, and one report has them all';

CREATE FUNCTION pgperf.start_load(
    workload text DEFAULT 'tpcb-like',
    scale double precision DEFAULT 1,
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
    options jsonb DEFAULT NULL,
    server text DEFAULT NULL
) RETURNS bigint
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'start_load_wrapper';
COMMENT ON FUNCTION pgperf.start_load IS
    'Starts loading a workload''s tables when the transaction commits, and returns the run_id of the load; the same as CALL pgperf.init, without waiting';

CREATE FUNCTION pgperf.stop_run(run_id bigint DEFAULT NULL) RETURNS boolean
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'stop_run_wrapper';
COMMENT ON FUNCTION pgperf.stop_run(bigint) IS
    'Stops a run (NULL: the newest): clients finish their transaction, and the last interval is stored. A second call cancels their statements. An interrupted run waiting to be resumed ends for good. False if there was nothing to stop';

CREATE FUNCTION pgperf.stop_run(run text) RETURNS boolean
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'stop_run_by_name_wrapper';
COMMENT ON FUNCTION pgperf.stop_run(text) IS
    'The same for a run by its number, ''node name/run_id'' or label; one that is under way on another node is an error';

CREATE FUNCTION pgperf.alter_run(run_id bigint DEFAULT NULL, rate float8 DEFAULT NULL) RETURNS bigint
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'alter_run_wrapper';
COMMENT ON FUNCTION pgperf.alter_run(bigint, float8) IS
    'Gives a run (NULL: the newest) whose clients work another rate of transactions per second (NULL: as fast as they go), at once, not when the transaction commits; what was due and has not begun is not made up for. Returns its run_id';

CREATE FUNCTION pgperf.alter_run(run text, rate float8 DEFAULT NULL) RETURNS bigint
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'alter_run_by_name_wrapper';
COMMENT ON FUNCTION pgperf.alter_run(text, float8) IS 'The same for a run of this node by its number, ''node name/run_id'' or label';

CREATE FUNCTION pgperf.resume_run(run_id bigint DEFAULT NULL) RETURNS bigint
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'resume_run_wrapper';
COMMENT ON FUNCTION pgperf.resume_run(bigint) IS
    'Resumes an interrupted run (NULL: the newest) that was started with resume => true, when the transaction commits: a new segment covers the rest of its duration or transactions. Returns its run_id';

CREATE FUNCTION pgperf.resume_run(run text) RETURNS bigint
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'resume_run_by_name_wrapper';
COMMENT ON FUNCTION pgperf.resume_run(text) IS 'The same for a run of this node by its number, ''node name/run_id'' or label';

CREATE FUNCTION pgperf.stop_all() RETURNS integer
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'stop_all_wrapper';
COMMENT ON FUNCTION pgperf.stop_all() IS 'Stops every run of this database that the caller may stop, and the sweep; returns how many runs';

CREATE FUNCTION pgperf.delete_run(run_id bigint) RETURNS boolean
    LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'delete_run_wrapper';
COMMENT ON FUNCTION pgperf.delete_run(bigint) IS
    'Removes a run that has ended and is in no baseline, with all its rows and samples; false if no run has that run_id';

CREATE FUNCTION pgperf.delete_run(run text) RETURNS boolean
    LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'delete_run_by_name_wrapper';
COMMENT ON FUNCTION pgperf.delete_run(text) IS 'The same for a run by its number, ''node name/run_id'' or label';

CREATE FUNCTION pgperf.run_status(run_id bigint DEFAULT NULL) RETURNS text
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'run_status_wrapper';
COMMENT ON FUNCTION pgperf.run_status(bigint) IS 'The status of a run (NULL: the newest), as in pgperf.runs';

CREATE FUNCTION pgperf.run_status(run text) RETURNS text
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'run_status_by_name_wrapper';
COMMENT ON FUNCTION pgperf.run_status(text) IS 'The same for a run by its number, ''node name/run_id'' or label';

CREATE PROCEDURE pgperf_internal.require_top_level(call text)
    LANGUAGE c AS 'MODULE_PATHNAME', 'require_top_level_wrapper';
COMMENT ON PROCEDURE pgperf_internal.require_top_level(text) IS
    'Raises an error inside a transaction block or function; called first by the procedures that wait';

-- The procedures below wait through this native procedure: it commits, then waits on its latch with neither
-- snapshot nor transaction id, so a waiting session does not hold back the server's horizon.
CREATE PROCEDURE pgperf_internal.await_run(run_id bigint, timeout interval, progress boolean, stops boolean)
    LANGUAGE c AS 'MODULE_PATHNAME', 'await_run_wrapper';
COMMENT ON PROCEDURE pgperf_internal.await_run(bigint, interval, boolean, boolean) IS
    'Commits, then waits for the end of a run; called by wait_run, run and init';

CREATE PROCEDURE pgperf_internal.await_run(run text, timeout interval, progress boolean)
    LANGUAGE c AS 'MODULE_PATHNAME', 'await_run_by_name_wrapper';
COMMENT ON PROCEDURE pgperf_internal.await_run(text, interval, boolean) IS 'The same for a run by name; called by wait_run';

CREATE FUNCTION pgperf_internal.print_report(run_id bigint) RETURNS void
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'print_report_wrapper';
COMMENT ON FUNCTION pgperf_internal.print_report(bigint) IS 'Sends the report of a run as a message; called by CALL pgperf.run';

CREATE PROCEDURE pgperf.wait_run(
    run_id bigint DEFAULT NULL,
    timeout interval DEFAULT NULL,
    progress boolean DEFAULT false,
    INOUT status text DEFAULT NULL
) LANGUAGE plpgsql AS $$
BEGIN
    CALL pgperf_internal.await_run(run_id, timeout, progress, false);
    status := pgperf.run_status(run_id);
END
$$;
COMMENT ON PROCEDURE pgperf.wait_run(bigint, interval, boolean, text) IS
    'Waits for the end of a run (NULL: the newest), at most for timeout; progress: one line for each interval. Ctrl-C leaves the run alone. Returns the status';

-- While it waits, another run may get the label.
CREATE PROCEDURE pgperf.wait_run(
    run text,
    timeout interval DEFAULT NULL,
    progress boolean DEFAULT false,
    INOUT status text DEFAULT NULL
) LANGUAGE plpgsql AS $$
BEGIN
    CALL pgperf_internal.require_top_level('pgperf.wait_run');
    run := (SELECT pg_catalog.concat(f.node_id, '/', f.found_id) FROM pgperf_internal.find_run(run) f);
    CALL pgperf_internal.await_run(run, timeout, progress);
    status := pgperf.run_status(run);
END
$$;
COMMENT ON PROCEDURE pgperf.wait_run(text, interval, boolean, text) IS
    'The same for a run by its number, ''node name/run_id'' or label; one that is under way on another node is an error';

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
    rate pgperf.rate DEFAULT NULL,
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
    warmup interval DEFAULT '0 s',
    warmup_workload text DEFAULT NULL,
    sample_interval interval DEFAULT '1 s',
    collectors text[] DEFAULT NULL,
    transaction_log boolean DEFAULT false,
    sampling_rate double precision DEFAULT NULL,
    limits jsonb DEFAULT NULL,
    schema text DEFAULT NULL,
    label text DEFAULT NULL,
    expect jsonb DEFAULT NULL,
    resume boolean DEFAULT false,
    application_name text DEFAULT NULL,
    options jsonb DEFAULT NULL,
    hit_curve boolean DEFAULT false,
    drain jsonb DEFAULT NULL,
    drain_sql text DEFAULT NULL,
    drain_timeout interval DEFAULT NULL,
    alternate jsonb DEFAULT NULL,
    alternate_every interval DEFAULT NULL,
    settle interval DEFAULT NULL,
    disturbances jsonb DEFAULT NULL,
    caches text DEFAULT NULL,
    plans boolean DEFAULT NULL,
    until_precise text DEFAULT NULL,
    INOUT run_id bigint DEFAULT NULL,
    transport text DEFAULT 'inside',
    workers integer DEFAULT NULL,
    connect_each_transaction boolean DEFAULT false,
    reconnect_on_loss boolean DEFAULT false,
    server text DEFAULT NULL,
    servers text[] DEFAULT NULL,
    start_at timestamp with time zone DEFAULT NULL,
    nodes text[] DEFAULT NULL
) LANGUAGE plpgsql AS $$
BEGIN
    CALL pgperf_internal.require_top_level('pgperf.run');
    run_id := pgperf.start_run(
        workload => workload, clients => clients, duration => duration, transactions_per_client => transactions_per_client,
        script => script, scripts => scripts, weights => weights, scale => scale, query_mode => query_mode,
        result_mode => result_mode, rate => rate, latency_limit => latency_limit, max_tries => max_tries,
        continue_on_error => continue_on_error, exit_on_abort => exit_on_abort, think_time => think_time,
        round_trip => round_trip, reconnect => reconnect, random_seed => random_seed, variables => variables,
        settings => settings, vacuum => vacuum, before_sql => before_sql, after_sql => after_sql, warmup => warmup,
        warmup_workload => warmup_workload, sample_interval => sample_interval, collectors => collectors,
        transaction_log => transaction_log, sampling_rate => sampling_rate, limits => limits, schema => schema, label => label,
        expect => expect, resume => resume, application_name => application_name, options => options, hit_curve => hit_curve,
        drain => drain, drain_sql => drain_sql, drain_timeout => drain_timeout, alternate => alternate,
        alternate_every => alternate_every, settle => settle, disturbances => disturbances, caches => caches, plans => plans,
        until_precise => until_precise, transport => transport, workers => workers,
        connect_each_transaction => connect_each_transaction, reconnect_on_loss => reconnect_on_loss, server => server,
        servers => servers, start_at => start_at, nodes => nodes);
    CALL pgperf_internal.await_run(run_id, NULL, true, true);
    PERFORM pgperf_internal.print_report(run_id);
    PERFORM pgperf.require_expectations(run_id);
END
$$;
COMMENT ON PROCEDURE pgperf.run IS
    'Starts a run, waits for its end with a line of progress for each interval, and prints its report; Ctrl-C stops the run. Arguments as start_run';

CREATE PROCEDURE pgperf.init(
    workload text DEFAULT 'tpcb-like',
    scale double precision DEFAULT 1,
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
    options jsonb DEFAULT NULL,
    INOUT run_id bigint DEFAULT NULL,
    server text DEFAULT NULL
) LANGUAGE plpgsql AS $$
BEGIN
    CALL pgperf_internal.require_top_level('pgperf.init');
    run_id := pgperf.start_load(
        workload => workload, scale => scale, steps => steps, fillfactor => fillfactor, foreign_keys => foreign_keys,
        unlogged => unlogged, tablespace => tablespace, index_tablespace => index_tablespace, partitions => partitions,
        partition_method => partition_method, jobs => jobs, schema => schema, replace => replace, limits => limits,
        label => label, options => options, server => server);
    CALL pgperf_internal.await_run(run_id, NULL, true, true);
    PERFORM pgperf_internal.require_finished(run_id);
END
$$;
COMMENT ON PROCEDURE pgperf.init IS
    'Creates and loads a workload''s tables, as pgbench -i does: steps from d t g G v p f (g fills in bulk, G by INSERT), fillfactor, partitions by partition_method range or hash, foreign keys, unlogged, tablespaces; jobs: number of workers that fill tables (default: the number of cores); options: of the workload, by name; server: a target to load them into, a foreign server of pgperf_target. Drops or truncates only tables that pgperf created, unless replace is true. Ctrl-C stops it';

CREATE FUNCTION pgperf_internal.require_finished(run_id bigint) RETURNS void
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'require_finished_wrapper';
COMMENT ON FUNCTION pgperf_internal.require_finished(bigint) IS 'Raises the error that ended a run; called by CALL pgperf.init';

-- The owner of a schema can put triggers on its tables: the name must not lure anybody into somebody else's schema.
CREATE FUNCTION pgperf_internal.make_quickstart_schema() RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    owner oid := (SELECT n.nspowner FROM pg_namespace n WHERE n.nspname = 'pgperf_quickstart');
BEGIN
    IF current_setting('transaction_read_only')::boolean THEN
        RAISE EXCEPTION 'cannot start a run %', CASE WHEN pg_is_in_recovery() THEN 'on a standby' ELSE 'in a read-only transaction' END
            USING ERRCODE = 'read_only_sql_transaction', HINT = 'The quickstart loads tables and stores a run, so it needs the primary and a transaction that may write.';
    END IF;
    IF owner IS NULL THEN
        CREATE SCHEMA pgperf_quickstart;
    ELSIF NOT EXISTS (SELECT FROM pg_roles r WHERE r.oid = owner AND (r.rolsuper OR r.rolname = CURRENT_USER)) THEN
        RAISE EXCEPTION 'schema "pgperf_quickstart" belongs to role "%"', pg_get_userbyid(owner)
            USING ERRCODE = 'insufficient_privilege',
                  HINT = 'Load and run in a schema of your own: CALL pgperf.init(schema => ''...''), then CALL pgperf.run(schema => ''...'').';
    END IF;
END
$$;
COMMENT ON FUNCTION pgperf_internal.make_quickstart_schema() IS 'Creates the schema of CALL pgperf.quickstart; fails if another role owns it';

CREATE PROCEDURE pgperf.quickstart(workload text DEFAULT 'tpcb-like', INOUT run_id bigint DEFAULT NULL) LANGUAGE plpgsql AS $$
BEGIN
    CALL pgperf_internal.require_top_level('pgperf.quickstart');
    workload := COALESCE(workload, 'tpcb-like');
    PERFORM pgperf_internal.make_quickstart_schema();
    -- bulk_insert has a table for each client, of which the next steps have four.
    CALL pgperf.init(workload, scale => CASE WHEN workload OPERATOR(pg_catalog.=) 'tpch-like' THEN 0.05 ELSE 1 END,
        schema => 'pgperf_quickstart', run_id => run_id,
        options => CASE WHEN workload OPERATOR(pg_catalog.=) 'bulk_insert' THEN '{"tables": 4}'::pg_catalog.jsonb END);
    CALL pgperf.run(workload, clients => 2, duration => '10 s', schema => 'pgperf_quickstart',
        label => 'quickstart', run_id => run_id);
    RAISE INFO E'What to try next:\n'
        '  SELECT * FROM pgperf.run_summary;                         -- all runs, a row each\n'
        '  SELECT pgperf.report(%);                                  -- this report again\n'
        '  CALL pgperf.run(%, clients => 4, schema => ''pgperf_quickstart'');\n'
        '  CALL pgperf.init(%, %);   -- a larger data set, in your own schema\n'
        '  SELECT * FROM pgperf.snapshot();                          -- the state of the server, into its history\n'
        '  DROP SCHEMA pgperf_quickstart CASCADE;                    -- when done', run_id, pg_catalog.quote_literal(workload), pg_catalog.quote_literal(workload),
        CASE WHEN workload OPERATOR(pg_catalog.=) 'bulk_insert' THEN 'options => ''{"tables": 8}'''
             WHEN workload OPERATOR(pg_catalog.=) 'tpch-like' THEN 'scale => 1' ELSE 'scale => 10' END;
END
$$;
COMMENT ON PROCEDURE pgperf.quickstart(text, bigint) IS
    'Loads a small data set of a workload in the schema pgperf_quickstart, runs for ten seconds, prints the report, and suggests next steps';

CREATE FUNCTION pgperf."check"(
    workload text DEFAULT 'tpcb-like',
    schema text DEFAULT NULL,
    "full" boolean DEFAULT false,
    server text DEFAULT NULL,
    OUT check_name text,
    OUT passed boolean,
    OUT detail text
) RETURNS SETOF record
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'check_tables_wrapper';
COMMENT ON FUNCTION pgperf."check"(text, text, boolean, text) IS
    'Checks the consistency conditions of a workload''s tables: row counts, and that the balances add up. They hold after a fresh load as long as only that workload writes and history is not truncated. full: also that its queries have the same answers with another plan. server: on this target';

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
    rate pgperf.rate DEFAULT NULL,
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
    sampling_rate double precision DEFAULT NULL,
    limits jsonb DEFAULT NULL,
    expect jsonb DEFAULT NULL,
    schema text DEFAULT NULL,
    application_name text DEFAULT NULL,
    options jsonb DEFAULT NULL,
    hit_curve boolean DEFAULT NULL,
    drain jsonb DEFAULT NULL,
    drain_sql text DEFAULT NULL,
    drain_timeout interval DEFAULT NULL,
    alternate jsonb DEFAULT NULL,
    alternate_every interval DEFAULT NULL,
    settle interval DEFAULT NULL,
    disturbances jsonb DEFAULT NULL,
    caches text DEFAULT NULL,
    plans boolean DEFAULT NULL,
    until_precise text DEFAULT NULL,
    max_repetitions integer DEFAULT NULL,
    transport text DEFAULT NULL,
    workers integer DEFAULT NULL,
    connect_each_transaction boolean DEFAULT NULL,
    reconnect_on_loss boolean DEFAULT NULL,
    server text DEFAULT NULL,
    transports text[] DEFAULT NULL,
    round_trips interval[] DEFAULT NULL,
    servers text[] DEFAULT NULL
) RETURNS bigint
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'start_sweep_wrapper';
COMMENT ON FUNCTION pgperf.start_sweep IS
    'Starts a sweep when the transaction commits, and returns its sweep_id: a worker runs every point of the grid that the arrays span (settings_grid: values of each setting, ''{"work_mem": ["4MB", "64MB"]}''), each repetitions times, one run after the other; until_precise: further runs until each mean tps is known within this percentage (''2%''), at most max_repetitions (30) of a point. run_order: random (each repetition in an order of its own), given; init: never, change, each: when the tables are loaded anew; checkpoint: before each run; run_tries: maximum tries of a failing run. transports: ''{inside,wire}'', round_trips: ''{0,1 ms}'': ways to the server. servers: ''{old,new}'': targets. The other arguments are those of start_run';

CREATE FUNCTION pgperf_internal.call_options(
    OUT call text, OUT "position" integer, OUT name text, OUT type_name text, OUT default_value text
) RETURNS SETOF record
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'call_options_wrapper';
COMMENT ON FUNCTION pgperf_internal.call_options() IS
    'The options of start_run, start_load and start_sweep as the library reads them; tests compare them with the declarations';
REVOKE ALL ON FUNCTION pgperf_internal.call_options() FROM PUBLIC;

REVOKE ALL ON FUNCTION pgperf.start_run, pgperf.start_load, pgperf.resume_run(bigint), pgperf.resume_run(text) FROM PUBLIC;
REVOKE ALL ON PROCEDURE pgperf.run, pgperf.init, pgperf.quickstart FROM PUBLIC;
