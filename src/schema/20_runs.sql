-- A promoted standby and its former primary count on from the same number, under the same node. They have different timelines, and so different
-- ranges of numbers: no run, sweep or sample of the one has the number of another's.
CREATE FUNCTION pgperf_internal.range_of_numbers() RETURNS bigint
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'range_of_numbers_wrapper';
COMMENT ON FUNCTION pgperf_internal.range_of_numbers() IS 'What the present timeline of the server''s WAL adds to numbers of this node''s runs, sweeps and samples: 0 on the timeline on which the node began';
CREATE FUNCTION pgperf_internal.next_number(sequence regclass) RETURNS bigint
    LANGUAGE sql VOLATILE PARALLEL UNSAFE
    RETURN pg_catalog.nextval(sequence) OPERATOR(pg_catalog.+) pgperf_internal.range_of_numbers();
COMMENT ON FUNCTION pgperf_internal.next_number(regclass) IS 'The next number of a run, sweep or sample';
REVOKE ALL ON FUNCTION pgperf_internal.range_of_numbers(), pgperf_internal.next_number(regclass) FROM PUBLIC;

CREATE SEQUENCE pgperf_internal.run_id_seq;
COMMENT ON SEQUENCE pgperf_internal.run_id_seq IS 'Numbers the runs and loads of this database';
SELECT pg_catalog.pg_extension_config_dump('pgperf_internal.run_id_seq', '');

-- No dumped table has a foreign key: in an archive the data of an extension's tables have no order, and a parallel
-- restore would lose rows restored before their run. pgperf_internal.remove_run deletes the rows of a run, and
-- pgperf.doctor looks for rows without a run.
--
-- Written by start_run, updated by the leader. Read pgperf.runs, which also checks whether the leader is alive.
CREATE TABLE pgperf_internal.stored_runs (
    node_id        uuid NOT NULL,
    run_id         bigint NOT NULL,
    kind           text NOT NULL CHECK (kind IN ('run', 'load')),
    label          text,
    workload       text NOT NULL,
    role           text NOT NULL,
    clients        integer CHECK (clients > 0),
    query_mode     text CHECK (query_mode IN ('simple', 'extended', 'prepared')),
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
    server_version text DEFAULT pg_catalog.current_setting('server_version'),
    leader_pid     integer,
    origin_node_id uuid,
    origin_run_id  bigint,
    origin_role    text,
    sqlstate       text,
    error          text,
    resumed_at     timestamptz,
    history_error  text,
    PRIMARY KEY (node_id, run_id)
);
-- A run is imported once.
CREATE UNIQUE INDEX stored_runs_origin_idx ON pgperf_internal.stored_runs (origin_node_id, origin_run_id);
COMMENT ON TABLE pgperf_internal.stored_runs IS 'The runs as stored; read pgperf.runs for their true status';
COMMENT ON COLUMN pgperf_internal.stored_runs.measured_at IS 'When the measured part began; for a resumed run, in its first segment';
COMMENT ON COLUMN pgperf_internal.stored_runs.history_error IS 'The part of its history that could not be stored, and why; NULL: nothing is missing';
COMMENT ON COLUMN pgperf_internal.stored_runs.resumed_at IS 'When it was last resumed; NULL: never';
COMMENT ON COLUMN pgperf_internal.stored_runs.origin_run_id IS 'For an imported run: its number on the node on which it ran; run_id is its number here';
COMMENT ON COLUMN pgperf_internal.stored_runs.origin_role IS 'For an imported run: the role that ran it; role is the role that imported it';
SELECT pg_catalog.pg_extension_config_dump('pgperf_internal.stored_runs', '');

-- Totals of the measured part, written once by the leader at the end. A run that was interrupted has none:
-- pgperf.run_summary then adds up its intervals.
CREATE TABLE pgperf_internal.run_totals (
    node_id            uuid NOT NULL,
    run_id             bigint NOT NULL,
    seconds            float8,
    transactions       bigint,
    failed             bigint,
    serialization_failures bigint,
    deadlock_failures  bigint,
    other_failures     bigint DEFAULT 0,
    retried            bigint,
    retries            bigint,
    skipped            bigint,
    late               bigint,
    warmup_transactions bigint,
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
    reconnects         bigint DEFAULT 0,
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
    first_byte_ms      float8,
    receive_ms         float8,
    PRIMARY KEY (node_id, run_id)
);
COMMENT ON TABLE pgperf_internal.run_totals IS 'Totals of the measured part of each run that ended normally; wal_* and shared_blks_* cover the clients'' own statements and commits';
COMMENT ON COLUMN pgperf_internal.run_totals.execute_ms IS 'Average time in ms per transaction in its statements, without parse_ms, plan_ms and commit_ms, and without meta-commands and pauses';
COMMENT ON COLUMN pgperf_internal.run_totals.commit_ms IS 'Average time in ms per transaction for committing its changes, including statements that commit by themselves';
COMMENT ON COLUMN pgperf_internal.run_totals.retry_ms IS 'Average time in ms per transaction for tries that were retried; NULL: a run with one try';
COMMENT ON COLUMN pgperf_internal.run_totals.first_byte_ms IS 'Over the wire: average time in ms per transaction from sending its statements to the first byte of their answers; NULL: inside the server, or with pipelines';
COMMENT ON COLUMN pgperf_internal.run_totals.receive_ms IS 'Over the wire: average time in ms per transaction from the first byte of the answers to its statements to the last';
SELECT pg_catalog.pg_extension_config_dump('pgperf_internal.run_totals', '');

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
    failed            bigint,
    retried           bigint,
    retries           bigint,
    skipped           bigint,
    late              bigint,
    lag_avg_ms        float8,
    lag_max_ms        float8,
    wal_bytes         bigint,
    shared_blks_hit   bigint,
    shared_blks_read  bigint,
    in_checkpoint     boolean,
    step              text,
    histogram         bytea,
    checkpoint_began  boolean,
    turn_no           integer CHECK (turn_no >= 0),
    side              text CHECK (side IN ('A', 'B')),
    done_percent      float8,
    PRIMARY KEY (node_id, run_id, interval_no)
);
COMMENT ON TABLE pgperf.run_intervals IS 'One row for each sample interval of a run';
COMMENT ON COLUMN pgperf.run_intervals.checkpoint_began IS 'Whether a checkpoint began in it; NULL: not known';
COMMENT ON COLUMN pgperf.run_intervals.turn_no IS 'Of a run with alternate: the turn that it is in, from 0';
COMMENT ON COLUMN pgperf.run_intervals.side IS 'The side that the turn belongs to; NULL: no turns, or it overlaps the beginning of a turn';
COMMENT ON COLUMN pgperf.run_intervals.done_percent IS 'For a load: how much of its work was done when the interval ended, by what its steps are expected to take; NULL: not known';
COMMENT ON COLUMN pgperf.run_intervals.step IS 'For a load: its step when the interval ended, and the progress that the server reported';
SELECT pg_catalog.pg_extension_config_dump('pgperf.run_intervals', '');

CREATE TABLE pgperf.run_scripts (
    node_id                uuid NOT NULL,
    run_id                 bigint NOT NULL,
    script_no              integer NOT NULL,
    script                 text NOT NULL,
    weight                 integer,
    transactions           bigint,
    tps                    float8,
    failed                 bigint,
    serialization_failures bigint,
    deadlock_failures      bigint,
    other_failures         bigint,
    retried                bigint,
    retries                bigint,
    skipped                bigint,
    late                   bigint,
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
    PRIMARY KEY (node_id, run_id, script_no)
);
COMMENT ON TABLE pgperf.run_scripts IS 'One row for each script of a run: the outcome of its transactions';
SELECT pg_catalog.pg_extension_config_dump('pgperf.run_scripts', '');

CREATE TABLE pgperf.run_servers (
    node_id                uuid NOT NULL,
    run_id                 bigint NOT NULL,
    server_no              integer NOT NULL,
    server                 text NOT NULL,
    weight                 integer NOT NULL,
    clients                integer NOT NULL,
    aborted                integer NOT NULL,
    seconds                float8 NOT NULL,
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
    server_version         text,
    in_recovery            boolean,
    PRIMARY KEY (node_id, run_id, server_no)
);
COMMENT ON TABLE pgperf.run_servers IS 'One row for each server of a run on several (servers => ...): the outcome of the transactions of its clients';
SELECT pg_catalog.pg_extension_config_dump('pgperf.run_servers', '');

CREATE TABLE pgperf.run_server_intervals (
    node_id           uuid NOT NULL,
    run_id            bigint NOT NULL,
    interval_no       integer NOT NULL,
    server_no         integer NOT NULL,
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
    PRIMARY KEY (node_id, run_id, interval_no, server_no)
);
COMMENT ON TABLE pgperf.run_server_intervals IS 'One row for each sample interval of a run on several servers and each of these; pgperf.run_intervals has the interval';
SELECT pg_catalog.pg_extension_config_dump('pgperf.run_server_intervals', '');

CREATE TABLE pgperf.run_statements (
    node_id             uuid NOT NULL,
    run_id              bigint NOT NULL,
    script_no           integer NOT NULL,
    script              text NOT NULL,
    command_no          integer NOT NULL,
    statement           text NOT NULL,
    is_sql              boolean NOT NULL,
    calls               bigint,
    failed              bigint,
    retries             bigint DEFAULT 0,
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
    first_byte_ms       float8,
    receive_ms          float8,
    started_at          timestamptz,
    PRIMARY KEY (node_id, run_id, script_no, command_no)
);
COMMENT ON TABLE pgperf.run_statements IS 'One row for each command of each script of a run, meta-commands too (their row and block columns are NULL); of a load, for each step';
COMMENT ON COLUMN pgperf.run_statements.parse_ms IS 'Average per call in ms; 0 for a prepared statement, which was parsed before';
COMMENT ON COLUMN pgperf.run_statements.plan_ms IS 'Average per call in ms; 0 where a generic plan was used';
COMMENT ON COLUMN pgperf.run_statements.execute_ms IS 'The rest of latency_avg_ms; in a pipeline, all of it';
COMMENT ON COLUMN pgperf.run_statements.commit_ms IS 'Average per call in ms for committing changes: in COMMIT, or in a statement that commits by itself';
COMMENT ON COLUMN pgperf.run_statements.first_byte_ms IS 'Over the wire: average per call in ms from sending to the first byte of the answer; NULL: inside the server, or in a pipeline';
COMMENT ON COLUMN pgperf.run_statements.receive_ms IS 'Over the wire: average per call in ms from the first byte of the answer until all of it is read';
COMMENT ON COLUMN pgperf.run_statements.started_at IS 'When the step of a load began; NULL: it did not, or the run is no load';
SELECT pg_catalog.pg_extension_config_dump('pgperf.run_statements', '');

CREATE TABLE pgperf.run_replays (
    node_id               uuid NOT NULL,
    run_id                bigint NOT NULL,
    capture               text NOT NULL,
    speed                 float8,
    commit_order          boolean NOT NULL,
    sessions              bigint NOT NULL,
    transactions          bigint NOT NULL,
    statements            bigint NOT NULL,
    transactions_alike    bigint NOT NULL,
    transactions_diverged bigint NOT NULL,
    statements_alike      bigint NOT NULL,
    statements_diverged   bigint NOT NULL,
    statements_left_out   bigint NOT NULL,
    transactions_dropped  bigint NOT NULL,
    broken_waits          bigint NOT NULL,
    late_avg_ms           float8,
    late_max_ms           float8,
    lost_sessions         bigint NOT NULL,
    refused_settings      bigint NOT NULL,
    PRIMARY KEY (node_id, run_id)
);
COMMENT ON TABLE pgperf.run_replays IS 'One row for each run that played a capture again: how far it did what the capture did';
SELECT pg_catalog.pg_extension_config_dump('pgperf.run_replays', '');

CREATE TABLE pgperf.run_replay_statements (
    node_id            uuid NOT NULL,
    run_id             bigint NOT NULL,
    command_no         integer NOT NULL,
    statement          text NOT NULL,
    alike              bigint NOT NULL,
    error_new          bigint NOT NULL,
    error_gone         bigint NOT NULL,
    error_other        bigint NOT NULL,
    rows_other         bigint NOT NULL,
    not_reached        bigint NOT NULL,
    positions          jsonb NOT NULL,
    captured_avg_ms    float8,
    captured_p50_ms    float8,
    captured_p95_ms    float8,
    captured_p99_ms    float8,
    captured_max_ms    float8,
    captured_histogram bytea,
    PRIMARY KEY (node_id, run_id, command_no)
);
COMMENT ON TABLE pgperf.run_replay_statements IS 'One row for each statement of a capture that a run played again, without constants: what differed, and its times in the capture; those of the run are in pgperf.run_statements';
SELECT pg_catalog.pg_extension_config_dump('pgperf.run_replay_statements', '');

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
    PRIMARY KEY (node_id, run_id, client_id, transaction_no)
);
COMMENT ON TABLE pgperf.run_transactions IS 'One row for each transaction of a run with transaction_log => true, or for the share given by sampling_rate';
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
    PRIMARY KEY (node_id, run_id, error_no)
);
COMMENT ON TABLE pgperf.run_errors IS 'Errors of a run''s clients: one row for each client and SQLSTATE, with the last message; client_id NULL: errors of the leader';
SELECT pg_catalog.pg_extension_config_dump('pgperf.run_errors', '');

CREATE TABLE pgperf.run_receivers (
    node_id           uuid NOT NULL,
    run_id            bigint NOT NULL,
    receiver_no       integer NOT NULL,
    kind              text NOT NULL CHECK (kind IN ('standby', 'slot', 'sql')),
    name              text NOT NULL,
    until             text NOT NULL,
    status            text NOT NULL CHECK (status IN ('waiting', 'caught up', 'behind', 'lost', 'failed', 'stopped')),
    end_lsn           pg_lsn,
    run_s             float8,
    transactions      bigint,
    catch_up_s        float8,
    sustainable_tps   float8,
    end_lag_bytes     bigint,
    end_lag_s         float8,
    end_server_lag_ms float8,
    max_lag_bytes     bigint,
    max_lag_s         float8,
    last_lag_bytes    bigint,
    PRIMARY KEY (node_id, run_id, receiver_no)
);
COMMENT ON TABLE pgperf.run_receivers IS 'The standbys and consumers of logical slots that a run waited for after its clients had ended (drain, drain_sql): a row each';
COMMENT ON COLUMN pgperf.run_receivers.receiver_no IS 'Number of the receiver, from 0';
COMMENT ON COLUMN pgperf.run_receivers.kind IS 'standby, slot (the consumer of a logical slot), or sql (drain_sql)';
COMMENT ON COLUMN pgperf.run_receivers.name IS 'application_name of the standby, name of the slot, or drain_sql';
COMMENT ON COLUMN pgperf.run_receivers.until IS 'What it had to do with the WAL: flush, replay; a slot: confirmed flush; drain_sql: true';
COMMENT ON COLUMN pgperf.run_receivers.status IS 'waiting: the drain goes on, or was interrupted; caught up; behind: not within drain_timeout; lost: the same, and the server no longer knew it; failed: drain_sql raised an error; stopped: the run ended before';
COMMENT ON COLUMN pgperf.run_receivers.end_lsn IS 'End of the WAL of the clients, which it had to reach';
COMMENT ON COLUMN pgperf.run_receivers.run_s IS 'Seconds of the measured part';
COMMENT ON COLUMN pgperf.run_receivers.transactions IS 'Transactions of the measured part';
COMMENT ON COLUMN pgperf.run_receivers.catch_up_s IS 'Seconds from the end of the last client until it had caught up; NULL: it had not';
COMMENT ON COLUMN pgperf.run_receivers.sustainable_tps IS 'transactions / (run_s + catch_up_s): the rate that it would have kept up with';
COMMENT ON COLUMN pgperf.run_receivers.end_lag_bytes IS 'WAL that it was behind when the clients had ended, by position';
COMMENT ON COLUMN pgperf.run_receivers.end_lag_s IS 'The same in seconds: how long ago the server had written what the receiver had reached';
COMMENT ON COLUMN pgperf.run_receivers.end_server_lag_ms IS 'replay_lag as the server had it then. It is the lag of the last WAL that was reported as replayed, which may be long ago: it can be small while the lag by position is large';
COMMENT ON COLUMN pgperf.run_receivers.max_lag_bytes IS 'Greatest lag over run and drain, by position';
COMMENT ON COLUMN pgperf.run_receivers.max_lag_s IS 'The same in seconds';
COMMENT ON COLUMN pgperf.run_receivers.last_lag_bytes IS 'Lag at the end of the drain; NULL: the server did not know it';
SELECT pg_catalog.pg_extension_config_dump('pgperf.run_receivers', '');

CREATE TABLE pgperf.run_receiver_lag (
    node_id       uuid NOT NULL,
    run_id        bigint NOT NULL,
    receiver_no   integer NOT NULL,
    taken_at      timestamptz NOT NULL,
    at_s          float8 NOT NULL,
    phase         text NOT NULL CHECK (phase IN ('run', 'drain')),
    active        boolean NOT NULL,
    lag_bytes     bigint,
    lag_s         float8,
    server_lag_ms float8,
    PRIMARY KEY (node_id, run_id, receiver_no, taken_at)
);
COMMENT ON TABLE pgperf.run_receiver_lag IS 'The lag of the receivers of a run (run_receivers) at each sample interval, while its clients were at work and in the drain, there at least once a second';
COMMENT ON COLUMN pgperf.run_receiver_lag.receiver_no IS 'Number of the receiver (run_receivers)';
COMMENT ON COLUMN pgperf.run_receiver_lag.taken_at IS 'When it was looked at';
COMMENT ON COLUMN pgperf.run_receiver_lag.at_s IS 'The same in seconds since the measured part began';
COMMENT ON COLUMN pgperf.run_receiver_lag.phase IS 'run: clients were at work; drain: they had ended';
COMMENT ON COLUMN pgperf.run_receiver_lag.active IS 'Whether it was connected';
COMMENT ON COLUMN pgperf.run_receiver_lag.lag_bytes IS 'WAL that it was behind, by position: in the drain up to the end of the clients. NULL: it was not known';
COMMENT ON COLUMN pgperf.run_receiver_lag.lag_s IS 'The same in seconds: how long ago the server had written what the receiver had reached';
COMMENT ON COLUMN pgperf.run_receiver_lag.server_lag_ms IS 'replay_lag as the server has it (see run_receivers)';
SELECT pg_catalog.pg_extension_config_dump('pgperf.run_receiver_lag', '');

CREATE TABLE pgperf.run_disturbances (
    node_id        uuid NOT NULL,
    run_id         bigint NOT NULL,
    disturbance_no integer NOT NULL,
    occurrence_no  integer NOT NULL,
    name           text NOT NULL,
    kind           text NOT NULL,
    sessions       integer NOT NULL,
    began_at       timestamptz NOT NULL,
    at_s           float8 NOT NULL,
    ended_at       timestamptz,
    duration_s     float8,
    status         text NOT NULL CHECK (status IN ('going on', 'done', 'failed', 'cut off')),
    sqlstate       text,
    error          text,
    wal_bytes      bigint,
    PRIMARY KEY (node_id, run_id, disturbance_no, occurrence_no)
);
COMMENT ON TABLE pgperf.run_disturbances IS 'What happened beside the load of a run on purpose (disturbances): a row for each occurrence';
COMMENT ON COLUMN pgperf.run_disturbances.disturbance_no IS 'Number of the disturbance in the argument, from 0';
COMMENT ON COLUMN pgperf.run_disturbances.occurrence_no IS 'Number of the occurrence in its schedule, from 0. One that was due while the one before was still going on has no row';
COMMENT ON COLUMN pgperf.run_disturbances.name IS 'Name of the disturbance, after which its sessions are called: pgperf run N disturbance NAME';
COMMENT ON COLUMN pgperf.run_disturbances.kind IS 'Kind of the disturbance; sql: statements of the caller';
COMMENT ON COLUMN pgperf.run_disturbances.sessions IS 'Sessions that did it at once';
COMMENT ON COLUMN pgperf.run_disturbances.began_at IS 'When its sessions were started';
COMMENT ON COLUMN pgperf.run_disturbances.at_s IS 'The same in seconds since the measured part began';
COMMENT ON COLUMN pgperf.run_disturbances.ended_at IS 'When its last session had ended';
COMMENT ON COLUMN pgperf.run_disturbances.duration_s IS 'How long it lasted';
COMMENT ON COLUMN pgperf.run_disturbances.status IS 'going on, also where the server or the leader went away meanwhile; done; failed: see sqlstate and error; cut off: the run ended before its time';
COMMENT ON COLUMN pgperf.run_disturbances.sqlstate IS 'SQLSTATE of the first error of its sessions';
COMMENT ON COLUMN pgperf.run_disturbances.error IS 'Its message';
COMMENT ON COLUMN pgperf.run_disturbances.wal_bytes IS 'WAL that the whole server wrote meanwhile';
SELECT pg_catalog.pg_extension_config_dump('pgperf.run_disturbances', '');

-- Read pgperf.run_segments: the figures of a segment follow from its intervals.
CREATE TABLE pgperf_internal.stored_segments (
    node_id           uuid NOT NULL,
    run_id            bigint NOT NULL,
    segment_no        integer NOT NULL,
    started_at        timestamptz NOT NULL,
    first_interval_no integer NOT NULL,
    server_started_at timestamptz NOT NULL,
    PRIMARY KEY (node_id, run_id, segment_no)
);
COMMENT ON TABLE pgperf_internal.stored_segments IS 'The segments of each run with resume => true, as stored; read pgperf.run_segments';
SELECT pg_catalog.pg_extension_config_dump('pgperf_internal.stored_segments', '');

-- For runs that have not ended: the starting point of the next segment. The details are larger and stored less often, so
-- they have a column of their own, which stays in place while the state changes.
CREATE TABLE pgperf_internal.resume_points (
    node_id uuid NOT NULL,
    run_id  bigint NOT NULL,
    place   text NOT NULL,
    tries   integer NOT NULL DEFAULT 0,
    state   jsonb,
    details jsonb,
    role_oid oid,
    PRIMARY KEY (node_id, run_id)
);
COMMENT ON TABLE pgperf_internal.resume_points IS 'One row for each run with resume => true that has not ended: its figures so far, for its next segment';
COMMENT ON COLUMN pgperf_internal.resume_points.place IS 'Host, data directory and timeline of the server on which it ran: elsewhere it is not resumed automatically';
COMMENT ON COLUMN pgperf_internal.resume_points.tries IS 'How often the server has resumed it since an interval was last stored';
COMMENT ON COLUMN pgperf_internal.resume_points.role_oid IS 'The role that started it: another one of its name does not run its script';
COMMENT ON COLUMN pgperf_internal.resume_points.state IS 'Sums over all intervals so far; NULL: the measured part has not begun';
COMMENT ON COLUMN pgperf_internal.resume_points.details IS 'Sums of scripts, commands and errors, stored every ten seconds';
SELECT pg_catalog.pg_extension_config_dump('pgperf_internal.resume_points', '');

-- The tables that pgperf created, and so may drop or truncate.
CREATE TABLE pgperf.data_sets (
    node_id     uuid NOT NULL,
    schema_name text NOT NULL,
    data_set    text NOT NULL,
    scale       integer NOT NULL,
    relations   oid[] NOT NULL,
    run_id      bigint,
    created_at  timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    options     jsonb NOT NULL DEFAULT '{}',
    relation_names text[],
    PRIMARY KEY (node_id, schema_name, data_set)
);
COMMENT ON TABLE pgperf.data_sets IS 'The tables that pgperf.init created: only these are dropped or truncated without replace => true';
SELECT pg_catalog.pg_extension_config_dump('pgperf.data_sets', '');

GRANT SELECT ON pgperf_internal.stored_runs, pgperf_internal.run_totals, pgperf.run_intervals, pgperf.run_scripts, pgperf.run_servers, pgperf.run_server_intervals, pgperf.run_statements, pgperf.run_replays, pgperf.run_replay_statements,
    pgperf.run_transactions, pgperf.run_errors, pgperf.run_receivers, pgperf.run_receiver_lag, pgperf.run_disturbances, pgperf_internal.stored_segments, pgperf_internal.resume_points, pgperf.data_sets TO pg_monitor;
