CREATE SEQUENCE pgperf_internal.sweep_id_seq;
COMMENT ON SEQUENCE pgperf_internal.sweep_id_seq IS 'Numbers the sweeps of this database';
SELECT pg_catalog.pg_extension_config_dump('pgperf_internal.sweep_id_seq', '');

-- Written by start_sweep, updated by the sweep's worker. Read pgperf.sweeps, which also checks whether the worker is alive.
CREATE TABLE pgperf_internal.stored_sweeps (
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
    origin_node_id  uuid,
    origin_sweep_id bigint,
    origin_role     text,
    role_oid        oid,
    PRIMARY KEY (node_id, sweep_id)
);
CREATE UNIQUE INDEX stored_sweeps_origin_idx ON pgperf_internal.stored_sweeps (origin_node_id, origin_sweep_id);
COMMENT ON TABLE pgperf_internal.stored_sweeps IS 'The sweeps as stored; read pgperf.sweeps for their true status';
COMMENT ON COLUMN pgperf_internal.stored_sweeps.role_oid IS 'The role that started it here: another one of its name does not run its scripts';
COMMENT ON COLUMN pgperf_internal.stored_sweeps.run_order IS 'The point of each run, in the order in which they run';
SELECT pg_catalog.pg_extension_config_dump('pgperf_internal.stored_sweeps', '');

CREATE TABLE pgperf_internal.stored_sweep_points (
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
    PRIMARY KEY (node_id, sweep_id, point_no)
);
COMMENT ON TABLE pgperf_internal.stored_sweep_points IS 'The points of each sweep''s grid; read pgperf.sweep_points for their results';
COMMENT ON COLUMN pgperf_internal.stored_sweep_points.combination IS 'Dimensions other than the number of clients, as ''name=value, ...''; points of one combination differ only in their clients';
COMMENT ON COLUMN pgperf_internal.stored_sweep_points.arguments IS 'The arguments of start_run';
COMMENT ON COLUMN pgperf_internal.stored_sweep_points.load IS 'The arguments of start_load; NULL: the tables stay as they are';
SELECT pg_catalog.pg_extension_config_dump('pgperf_internal.stored_sweep_points', '');

CREATE TABLE pgperf_internal.sweep_attempts (
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
    UNIQUE (node_id, run_id)
);
-- For the deletion of runs.
CREATE INDEX ON pgperf_internal.sweep_attempts (node_id, load_run_id) WHERE load_run_id IS NOT NULL;
COMMENT ON TABLE pgperf_internal.sweep_attempts IS 'Each attempt at a run of a sweep: the run, the load before it, and the outcome; pgperf.sweep_runs has the latest attempt at each run';
COMMENT ON COLUMN pgperf_internal.sweep_attempts.run_id IS 'The run; NULL: the attempt did not get that far, or the run has been deleted since';
COMMENT ON COLUMN pgperf_internal.sweep_attempts.outcome IS 'Outcome of the attempt; NULL: not known yet';
SELECT pg_catalog.pg_extension_config_dump('pgperf_internal.sweep_attempts', '');

-- Rows of a sweep or run that changes settings of the server, as long as it does. They are about this server alone: a dump has none.
CREATE TABLE pgperf_internal.altered_settings (
    node_id      uuid NOT NULL,
    sweep_id     bigint,
    name         text NOT NULL,
    before_value text,
    given_values text[] NOT NULL,
    in_force     text,
    run_id       bigint,
    UNIQUE NULLS NOT DISTINCT (node_id, sweep_id, run_id, name),
    CHECK (sweep_id IS NULL AND run_id IS NOT NULL OR sweep_id IS NOT NULL AND run_id IS NULL)
);
-- Its key has nulls: rows are found by all of their values.
ALTER TABLE pgperf_internal.altered_settings REPLICA IDENTITY FULL;
COMMENT ON TABLE pgperf_internal.altered_settings IS 'The settings of the server that a sweep or run changes by ALTER SYSTEM, to be put back';
COMMENT ON COLUMN pgperf_internal.altered_settings.sweep_id IS 'Number of the sweep; NULL: of a run';
COMMENT ON COLUMN pgperf_internal.altered_settings.name IS 'Name of the setting';
COMMENT ON COLUMN pgperf_internal.altered_settings.before_value IS 'Its value in postgresql.auto.conf before; NULL: none';
COMMENT ON COLUMN pgperf_internal.altered_settings.given_values IS 'The values that it is given; any other one is somebody else''s, and stays';
COMMENT ON COLUMN pgperf_internal.altered_settings.in_force IS 'Its value in the server before; NULL: it needs no restart';
COMMENT ON COLUMN pgperf_internal.altered_settings.run_id IS 'The run; NULL: of a sweep';
SELECT pg_catalog.pg_extension_config_dump('pgperf_internal.altered_settings', 'WHERE false');

-- As long as it has to be. About this server alone, too.
CREATE TABLE pgperf_internal.sweep_restarts (
    node_id           uuid NOT NULL,
    sweep_id          bigint NOT NULL,
    server_started_at timestamptz NOT NULL DEFAULT pg_catalog.pg_postmaster_start_time(),
    settings          jsonb,
    reason            text NOT NULL,
    in_force          jsonb,
    PRIMARY KEY (node_id, sweep_id)
);
COMMENT ON TABLE pgperf_internal.sweep_restarts IS 'The sweeps for which the server has to be restarted';
COMMENT ON COLUMN pgperf_internal.sweep_restarts.sweep_id IS 'Number of the sweep';
COMMENT ON COLUMN pgperf_internal.sweep_restarts.server_started_at IS 'The start of the server that has to be restarted; once it has another one, it has been';
COMMENT ON COLUMN pgperf_internal.sweep_restarts.settings IS 'The values that the sweep''s next point waits for; empty: those before the sweep, which ends after the restart; NULL: the sweep has ended, and the values before it are to be in force again';
COMMENT ON COLUMN pgperf_internal.sweep_restarts.reason IS 'What is to be done, for people';
COMMENT ON COLUMN pgperf_internal.sweep_restarts.in_force IS 'The values that are to be in force again after the restart, by the names of their settings; NULL: none has changed yet';
SELECT pg_catalog.pg_extension_config_dump('pgperf_internal.sweep_restarts', 'WHERE false');

GRANT SELECT ON pgperf_internal.altered_settings, pgperf_internal.sweep_restarts TO pg_monitor;
GRANT SELECT ON pgperf_internal.stored_sweeps, pgperf_internal.stored_sweep_points, pgperf_internal.sweep_attempts TO pg_monitor;
