CREATE TABLE pgperf_internal.stored_rate_searches (
    node_id      uuid NOT NULL,
    run_id       bigint NOT NULL,
    spec         jsonb NOT NULL,
    requested_at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    ended_at     timestamptz,
    outcome      text CHECK (outcome IN ('found', 'max_rate holds', 'none holds', 'time over', 'stopped', 'failed')),
    rate         float8,
    rate_low     float8,
    rate_high    float8,
    criterion    text,
    PRIMARY KEY (node_id, run_id)
);
COMMENT ON TABLE pgperf_internal.stored_rate_searches IS 'The searches of find_rate as stored, one for each of their runs; read pgperf.rate_searches';
COMMENT ON COLUMN pgperf_internal.stored_rate_searches.spec IS 'The arguments of the search';
COMMENT ON COLUMN pgperf_internal.stored_rate_searches.run_id IS 'The run of the search';
COMMENT ON COLUMN pgperf_internal.stored_rate_searches.requested_at IS 'When it was started';
COMMENT ON COLUMN pgperf_internal.stored_rate_searches.ended_at IS 'When it ended; NULL: it has not';
COMMENT ON COLUMN pgperf_internal.stored_rate_searches.rate IS 'The highest rate that holds; NULL: none';
COMMENT ON COLUMN pgperf_internal.stored_rate_searches.rate_low IS 'The highest rate that certainly holds';
COMMENT ON COLUMN pgperf_internal.stored_rate_searches.rate_high IS 'The lowest rate that certainly fails; NULL: none did';
COMMENT ON COLUMN pgperf_internal.stored_rate_searches.criterion IS 'The criterion that gives way above the highest rate that holds';
COMMENT ON COLUMN pgperf_internal.stored_rate_searches.outcome IS 'How it ended; NULL: it has not';
SELECT pg_catalog.pg_extension_config_dump('pgperf_internal.stored_rate_searches', '');

CREATE TABLE pgperf.rate_search_steps (
    node_id             uuid NOT NULL,
    run_id              bigint NOT NULL,
    step_no             integer NOT NULL,
    rate                float8 NOT NULL,
    began_at            timestamptz NOT NULL,
    seconds             float8 NOT NULL,
    verdict             text NOT NULL CHECK (verdict IN ('holds', 'fails', 'open')),
    decided             boolean NOT NULL,
    criterion           text,
    growth_percent      float8,
    growth_low_percent  float8,
    growth_high_percent float8,
    tps                 float8,
    latency_p99_ms      float8,
    observed            jsonb,
    PRIMARY KEY (node_id, run_id, step_no)
);
COMMENT ON TABLE pgperf.rate_search_steps IS 'The rates that find_rate has tried, in order';
COMMENT ON COLUMN pgperf.rate_search_steps.run_id IS 'The run of the search';
COMMENT ON COLUMN pgperf.rate_search_steps.step_no IS 'Counted from 1';
COMMENT ON COLUMN pgperf.rate_search_steps.rate IS 'Transactions per second that were scheduled';
COMMENT ON COLUMN pgperf.rate_search_steps.began_at IS 'When the rate was altered';
COMMENT ON COLUMN pgperf.rate_search_steps.seconds IS 'How long it was observed, after it had settled';
COMMENT ON COLUMN pgperf.rate_search_steps.verdict IS 'holds: all criteria hold; fails: one does not';
COMMENT ON COLUMN pgperf.rate_search_steps.decided IS 'Whether the tests decided; otherwise the time of the step was over, and the estimates did';
COMMENT ON COLUMN pgperf.rate_search_steps.criterion IS 'The criterion that gave way; NULL: all hold, or no transaction has ended';
COMMENT ON COLUMN pgperf.rate_search_steps.growth_percent IS 'Of that criterion: the share of what comes that stays; NULL: it has a bound';
COMMENT ON COLUMN pgperf.rate_search_steps.growth_low_percent IS 'Lower end of its 99 % interval';
COMMENT ON COLUMN pgperf.rate_search_steps.growth_high_percent IS 'Upper end of its 99 % interval';
COMMENT ON COLUMN pgperf.rate_search_steps.tps IS 'Transactions per second that were reached';
COMMENT ON COLUMN pgperf.rate_search_steps.latency_p99_ms IS 'The mean of the intervals'' 99th percentiles of latency in ms, by their transactions';
COMMENT ON COLUMN pgperf.rate_search_steps.observed IS 'Each criterion with its verdict, its last level or mean, and its growth as a share with its interval';
SELECT pg_catalog.pg_extension_config_dump('pgperf.rate_search_steps', '');

CREATE VIEW pgperf.rate_searches AS
SELECT s.node_id,
       s.run_id,
       r.label,
       r.workload,
       r.clients,
       COALESCE(s.outcome, CASE WHEN r.status IN ('finished', 'stopped', 'failed', 'interrupted') THEN 'interrupted' ELSE 'searching' END) AS status,
       s.rate,
       s.rate_low,
       s.rate_high,
       s.criterion,
       (SELECT pg_catalog.count(*) FROM pgperf.rate_search_steps t WHERE t.node_id = s.node_id AND t.run_id = s.run_id) AS steps,
       s.requested_at,
       s.ended_at,
       s.spec
FROM pgperf_internal.stored_rate_searches s
JOIN pgperf.runs r ON r.node_id = s.node_id AND r.run_id = s.run_id;
COMMENT ON VIEW pgperf.rate_searches IS 'The searches of find_rate with their results, one for each of their runs';
COMMENT ON COLUMN pgperf.rate_searches.run_id IS 'The run of the search';
COMMENT ON COLUMN pgperf.rate_searches.label IS 'The label of the run';
COMMENT ON COLUMN pgperf.rate_searches.workload IS 'The workload of the run';
COMMENT ON COLUMN pgperf.rate_searches.clients IS 'The clients of the run';
COMMENT ON COLUMN pgperf.rate_searches.status IS
    'searching; found: the ends are as close as asked for; max_rate holds; none holds: even the lowest rate fails; time over, stopped, failed; interrupted: the session or the server ended';
COMMENT ON COLUMN pgperf.rate_searches.rate IS 'The highest rate that holds, in transactions per second; NULL: none so far';
COMMENT ON COLUMN pgperf.rate_searches.rate_low IS 'Lower end of the interval of the highest sustainable rate: the highest rate that certainly holds';
COMMENT ON COLUMN pgperf.rate_searches.rate_high IS 'Upper end: the lowest rate that certainly fails; NULL: none did';
COMMENT ON COLUMN pgperf.rate_searches.criterion IS 'The criterion that gives way above it';
COMMENT ON COLUMN pgperf.rate_searches.steps IS 'Number of rates tried';
COMMENT ON COLUMN pgperf.rate_searches.requested_at IS 'When it was started';
COMMENT ON COLUMN pgperf.rate_searches.ended_at IS 'When it ended';
COMMENT ON COLUMN pgperf.rate_searches.spec IS 'The arguments of the search';

CREATE FUNCTION pgperf_internal.start_rate_search(
    workload text, criteria jsonb, clients integer, script text, start_rate float8, max_rate float8, precision_percent float8,
    step interval, max_step interval, settle interval, max_time interval, label text, run_options jsonb
) RETURNS bigint
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'start_rate_search_wrapper';
COMMENT ON FUNCTION pgperf_internal.start_rate_search IS 'Checks the arguments of find_rate and starts its run when the transaction commits; for roles that may call find_rate';

CREATE PROCEDURE pgperf_internal.drive_rate_search(run_id bigint)
    LANGUAGE c AS 'MODULE_PATHNAME', 'drive_rate_search_wrapper';
COMMENT ON PROCEDURE pgperf_internal.drive_rate_search(bigint) IS 'Commits, then searches, altering the rate of the run; called by find_rate, for the run''s role';

CREATE PROCEDURE pgperf.find_rate(
    workload text DEFAULT NULL,
    criteria jsonb DEFAULT NULL,
    clients integer DEFAULT 1,
    script text DEFAULT NULL,
    start_rate float8 DEFAULT 100,
    max_rate float8 DEFAULT NULL,
    precision_percent float8 DEFAULT 5,
    step interval DEFAULT NULL,
    max_step interval DEFAULT NULL,
    settle interval DEFAULT '2 s',
    max_time interval DEFAULT '1 h',
    label text DEFAULT NULL,
    run_options jsonb DEFAULT NULL,
    INOUT run_id bigint DEFAULT NULL
) LANGUAGE plpgsql AS $$
BEGIN
    CALL pgperf_internal.require_top_level('pgperf.find_rate');
    run_id := pgperf_internal.start_rate_search(workload => workload, criteria => criteria, clients => clients, script => script,
        start_rate => start_rate, max_rate => max_rate, precision_percent => precision_percent, step => step, max_step => max_step,
        settle => settle, max_time => max_time, label => label, run_options => run_options);
    CALL pgperf_internal.drive_rate_search(run_id);
END
$$;
COMMENT ON PROCEDURE pgperf.find_rate IS
    'Searches the highest rate at which nothing piles up, within one run whose rate it alters: upward until a criterion gives way, then in between. criteria: ''{"latency_p99_ms": "<= 10", "replication_lag": "steady", "dead_rows": "steady", "wal_kept": "steady", "oldest_xid": "steady"}''; that clients keep up with their schedule is always one. precision_percent: distance of the ends of the result; step, max_step: how long a rate is observed; settle: what is not looked at after a change; run_options: further arguments of start_run, as JSON. Prints each step and the result; Ctrl-C stops the run';

CREATE FUNCTION pgperf.rate_search_report(run_id bigint DEFAULT NULL) RETURNS SETOF text
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'rate_search_report_wrapper';
COMMENT ON FUNCTION pgperf.rate_search_report(bigint) IS
    'The result of a search of find_rate and its steps as text, by its run; NULL: the newest run of this node; for the run''s role and members of pg_monitor';

CREATE FUNCTION pgperf.rate_search_report(run text) RETURNS SETOF text
    LANGUAGE c AS 'MODULE_PATHNAME', 'rate_search_report_by_name_wrapper';
COMMENT ON FUNCTION pgperf.rate_search_report(text) IS 'The same for a run by its number, ''node name/run_id'' or label';

CREATE FUNCTION pgperf.rate_search_json(run_id bigint DEFAULT NULL) RETURNS jsonb
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'rate_search_json_wrapper';
COMMENT ON FUNCTION pgperf.rate_search_json(bigint) IS
    'The result of a search of find_rate and its steps as JSON, by its run; NULL: the newest run of this node; for the run''s role and members of pg_monitor';

CREATE FUNCTION pgperf.rate_search_json(run text) RETURNS jsonb
    LANGUAGE c AS 'MODULE_PATHNAME', 'rate_search_json_by_name_wrapper';
COMMENT ON FUNCTION pgperf.rate_search_json(text) IS 'The same for a run by its number, ''node name/run_id'' or label';

REVOKE ALL ON PROCEDURE pgperf.find_rate FROM PUBLIC;
GRANT SELECT ON pgperf_internal.stored_rate_searches, pgperf.rate_search_steps, pgperf.rate_searches TO pg_monitor;
