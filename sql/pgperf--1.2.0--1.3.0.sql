-- From 1.2.0 to 1.3.0. Derived, and not to be edited: tests/upgrade/script.rs.

-- As in the install script: nothing that somebody has planted in another schema is found while the objects are made.
SET LOCAL search_path TO pg_catalog, pg_temp;

-- A function with other arguments is another function: at the end it is granted to whom the one before was.
SELECT pg_catalog.set_config('pgperf_update.functions', (
    SELECT pg_catalog.jsonb_agg(p.oid)::text FROM pg_catalog.pg_proc p WHERE p.pronamespace = 'pgperf'::regnamespace), true);
SELECT pg_catalog.set_config('pgperf_update.granted', (
    SELECT COALESCE(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('oid', p.oid, 'name', p.proname, 'role', x.grantee, 'grantable', x.is_grantable)), '[]')::text
    FROM pg_catalog.pg_proc p CROSS JOIN LATERAL pg_catalog.aclexplode(p.proacl) x
    WHERE p.pronamespace = 'pgperf'::regnamespace AND x.grantee <> p.proowner
      AND NOT EXISTS (SELECT FROM pg_catalog.pg_init_privs i CROSS JOIN LATERAL pg_catalog.aclexplode(i.initprivs) y
                      WHERE i.classoid = 'pg_catalog.pg_proc'::regclass AND i.objoid = p.oid AND y.grantee = x.grantee)), true);
-- Nor does it get privileges back that somebody has revoked.
SELECT pg_catalog.set_config('pgperf_update.revoked', (
    SELECT COALESCE(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('oid', p.oid, 'name', p.proname, 'role', y.grantee)), '[]')::text
    FROM pg_catalog.pg_proc p LEFT JOIN pg_catalog.pg_init_privs i ON i.classoid = 'pg_catalog.pg_proc'::regclass AND i.objoid = p.oid
    CROSS JOIN LATERAL pg_catalog.aclexplode(COALESCE(i.initprivs, pg_catalog.acldefault('f', p.proowner))) y
    WHERE p.pronamespace = 'pgperf'::regnamespace AND y.grantee <> p.proowner AND p.proacl IS NOT NULL
      -- An owner of before may be gone, whom the server has not forgotten.
      AND (y.grantee = 0 OR EXISTS (SELECT FROM pg_catalog.pg_roles r WHERE r.oid = y.grantee))
      AND NOT EXISTS (SELECT FROM pg_catalog.aclexplode(p.proacl) x WHERE x.grantee = y.grantee)), true);

-- From 1.2.0 to 1.3.0, by hand: what cannot be derived, such as rows and tables that move.

CREATE FUNCTION pgperf_internal.target_validator(options text[], catalog oid)
RETURNS void LANGUAGE c STABLE STRICT
    AS 'MODULE_PATHNAME', 'target_validator_wrapper';
CREATE FOREIGN DATA WRAPPER pgperf_target NO HANDLER VALIDATOR pgperf_internal.target_validator;
COMMENT ON FOREIGN DATA WRAPPER pgperf_target IS
    'Other PostgreSQL servers as targets of pgperf; they have no foreign tables';

-- A target does not tell all that this server knows of itself, and a standby tells of its own replay.
ALTER TABLE pgperf.checkpoint_history ALTER in_progress DROP NOT NULL, ALTER redo_lsn DROP NOT NULL,
    ALTER checkpoint_lsn DROP NOT NULL, ALTER checkpoint_time DROP NOT NULL;
ALTER TABLE pgperf.replication_history DROP CONSTRAINT replication_history_kind_check,
    ADD CONSTRAINT replication_history_kind_check CHECK (kind IN ('standby', 'slot', 'subscription', 'replay'));

-- Columns as in a fresh extension. The trigger keeps groups of nodes, too, which may change without the name.
CREATE OR REPLACE TRIGGER number_node_name BEFORE INSERT OR UPDATE ON pgperf.nodes
    FOR EACH ROW EXECUTE FUNCTION pgperf_internal.number_node_name();
ALTER TABLE pgperf.nodes ENABLE ALWAYS TRIGGER number_node_name;
ALTER TABLE pgperf.nodes ADD sampled_by uuid, ADD group_name text, ADD first_timeline bigint, ADD timeline bigint, ADD timeline_since timestamptz;
CREATE TABLE pgperf.plan_history (
    node_id         uuid NOT NULL,
    sample_id       bigint NOT NULL,
    taken_at        timestamptz NOT NULL,
    run_id          bigint,
    queryid         bigint NOT NULL,
    userid          oid NOT NULL,
    dbid            oid NOT NULL,
    role_name       text,
    database_name   text,
    cause           text NOT NULL,
    plan_hash       bigint,
    reason          text,
    total_cost      float8,
    plan_rows       float8,
    relations       text,
    since           timestamptz,
    calls           bigint,
    mean_exec_time  float8,
    blocks_per_call float8,
    index_relation  oid,
    index_columns   text,
    index_rows      float8,
    index_cost      float8
) PARTITION BY RANGE (taken_at);
SELECT pgperf_internal.add_history('plan_history', 'plans', object => '{queryid,userid,dbid}', indexes => '{"(node_id, queryid, sample_id)", USING brin (taken_at)}');
CREATE TABLE pgperf.sequence_history (
    node_id       uuid NOT NULL,
    sample_id     bigint NOT NULL,
    taken_at      timestamptz NOT NULL,
    run_id        bigint,
    sequence_oid  oid NOT NULL,
    last_value    bigint NOT NULL,
    limit_value   bigint NOT NULL,
    increment     bigint NOT NULL,
    used_percent  float8 NOT NULL,
    schema_name   text NOT NULL,
    sequence_name text NOT NULL,
    table_name    text,
    column_name   text,
    column_type   text
) PARTITION BY RANGE (taken_at);
SELECT pgperf_internal.add_history('sequence_history', 'sequences');
CREATE TABLE pgperf.session_history (
    node_id               uuid NOT NULL,
    sample_id             bigint NOT NULL,
    taken_at              timestamptz NOT NULL,
    run_id                bigint,
    query_id              bigint,
    longest_statement_s   float8,
    longest_transaction_s float8,
    looks                 integer NOT NULL,
    seen                  integer NOT NULL,
    most                  integer NOT NULL,
    database_name         text,
    role_name             text,
    application_name      text,
    backend_type          text,
    state                 text,
    wait_event_type       text,
    wait_event            text
) PARTITION BY RANGE (taken_at);
SELECT pgperf_internal.add_history('session_history', 'sessions');
CREATE TABLE pgperf.connection_history (
    node_id          uuid NOT NULL,
    sample_id        bigint NOT NULL,
    taken_at         timestamptz NOT NULL,
    run_id           bigint,
    looks            integer NOT NULL,
    seen             integer NOT NULL,
    most             integer NOT NULL,
    most_together    integer,
    database_name    text,
    role_name        text,
    application_name text
) PARTITION BY RANGE (taken_at);
SELECT pgperf_internal.add_history('connection_history', 'sessions');
CREATE TABLE pgperf.blocking_history (
    node_id           uuid NOT NULL,
    sample_id         bigint NOT NULL,
    taken_at          timestamptz NOT NULL,
    run_id            bigint,
    waiting_since     timestamptz,
    session_start     timestamptz,
    transaction_start timestamptz,
    statement_start   timestamptz,
    waited_s          float8,
    query_id          bigint,
    head_pid          integer NOT NULL,
    pid               integer NOT NULL,
    depth             integer NOT NULL,
    victims           integer NOT NULL,
    looks             integer NOT NULL,
    seen              integer NOT NULL,
    blocked_by        integer[],
    database_name     text,
    role_name         text,
    application_name  text,
    backend_type      text,
    state             text,
    wait_event_type   text,
    wait_event        text,
    lock_type         text,
    lock_mode         text,
    lock_object       text,
    schema_name       text,
    relation_name     text,
    statement         text
) PARTITION BY RANGE (taken_at);
SELECT pgperf_internal.add_history('blocking_history', 'sessions');
CREATE TABLE pgperf.wait_profile_history (
    node_id         uuid NOT NULL,
    sample_id       bigint NOT NULL,
    taken_at        timestamptz NOT NULL,
    run_id          bigint,
    samples         bigint NOT NULL,
    period_ms       integer NOT NULL,
    in_statement    boolean NOT NULL,
    wait_event_type text,
    wait_event      text
) PARTITION BY RANGE (taken_at);
SELECT pgperf_internal.add_history('wait_profile_history', 'wait_profile');

DROP FUNCTION pgperf.findings(text);
DROP FUNCTION pgperf_internal.move_strays(pgperf_internal.history_tables,timestamp with time zone);
DROP FUNCTION pgperf.findings(timestamp with time zone,timestamp with time zone);
DROP FUNCTION pgperf_internal.judge_window(timestamp with time zone,timestamp with time zone);
DROP FUNCTION pgperf.history_compare_json(timestamp with time zone,timestamp with time zone,timestamp with time zone,timestamp with time zone);
DROP FUNCTION pgperf.history_compare_html(timestamp with time zone,timestamp with time zone,timestamp with time zone,timestamp with time zone);
DROP FUNCTION pgperf.history_compare(timestamp with time zone,timestamp with time zone,timestamp with time zone,timestamp with time zone);
DROP FUNCTION pgperf.history_json(timestamp with time zone,timestamp with time zone);
DROP FUNCTION pgperf.history_html(timestamp with time zone,timestamp with time zone);
DROP FUNCTION pgperf.history_report(timestamp with time zone,timestamp with time zone);
DROP FUNCTION pgperf.metrics(uuid);
DROP FUNCTION pgperf."check"(text,text,boolean);
DROP PROCEDURE pgperf.init(text,double precision,text,integer,boolean,boolean,text,text,integer,text,integer,text,boolean,jsonb,text,jsonb,bigint);
DROP FUNCTION pgperf.start_load(text,double precision,text,integer,boolean,boolean,text,text,integer,text,integer,text,boolean,jsonb,text,jsonb);
DROP PROCEDURE pgperf.run(text,integer,interval,bigint,text,text[],integer[],integer,text,text,pgperf.rate,interval,integer,boolean,boolean,interval,interval,bigint,bigint,jsonb,jsonb,text,text,text,interval,text,interval,text[],boolean,double precision,jsonb,text,text,jsonb,boolean,text,jsonb,boolean,jsonb,text,interval,jsonb,interval,interval,jsonb,text,boolean,text,bigint);
DROP FUNCTION pgperf.start_sweep(text,integer[],integer,jsonb,text[],integer[],integer[],integer[],text[],text,interval,interval,text,jsonb,boolean,integer,bigint,text,bigint,text,text[],integer[],integer,text,text,pgperf.rate,interval,integer,boolean,boolean,interval,interval,bigint,jsonb,jsonb,text,text,text,text,interval,text[],boolean,double precision,jsonb,jsonb,text,text,jsonb,boolean,jsonb,text,interval,jsonb,interval,interval,jsonb,text,boolean,text,integer);
DROP FUNCTION pgperf.start_run(text,integer,interval,bigint,text,text[],integer[],integer,text,text,pgperf.rate,interval,integer,boolean,boolean,interval,interval,bigint,bigint,jsonb,jsonb,text,text,text,interval,text,interval,text[],boolean,double precision,jsonb,text,text,jsonb,boolean,text,jsonb,boolean,jsonb,text,interval,jsonb,interval,interval,jsonb,text,boolean,text);
DROP FUNCTION pgperf.version_table(text[],text[],text,text);
DROP FUNCTION pgperf.version_table(text,text,text,text);
DROP FUNCTION pgperf.version_table(bigint[],bigint[],text,text);
DROP FUNCTION pgperf.version_table(bigint,bigint,text);
DROP FUNCTION pgperf_internal.version_lines(text[],text[],text,text);
DROP FUNCTION pgperf_internal.create_delta_view(text,text[],text[],boolean,text,text);
CREATE SEQUENCE pgperf_internal.capture_id_seq;
ALTER TABLE pgperf_internal.run_totals ADD COLUMN first_byte_ms double precision;
ALTER TABLE pgperf_internal.run_totals ADD COLUMN receive_ms double precision;
CREATE TABLE pgperf.run_servers (
    node_id uuid NOT NULL,
    run_id bigint NOT NULL,
    server_no integer NOT NULL,
    server text NOT NULL,
    weight integer NOT NULL,
    clients integer NOT NULL,
    aborted integer NOT NULL,
    seconds double precision NOT NULL,
    transactions bigint NOT NULL,
    tps double precision NOT NULL,
    failed bigint NOT NULL,
    serialization_failures bigint NOT NULL,
    deadlock_failures bigint NOT NULL,
    other_failures bigint NOT NULL,
    retried bigint NOT NULL,
    retries bigint NOT NULL,
    skipped bigint NOT NULL,
    late bigint NOT NULL,
    latency_avg_ms double precision,
    latency_stddev_ms double precision,
    latency_p50_ms double precision,
    latency_p90_ms double precision,
    latency_p95_ms double precision,
    latency_p99_ms double precision,
    latency_p999_ms double precision,
    latency_p9999_ms double precision,
    latency_max_ms double precision,
    histogram bytea,
    server_version text,
    in_recovery boolean,
    CONSTRAINT run_servers_pkey PRIMARY KEY (node_id, run_id, server_no)
);
CREATE TABLE pgperf.run_server_intervals (
    node_id uuid NOT NULL,
    run_id bigint NOT NULL,
    interval_no integer NOT NULL,
    server_no integer NOT NULL,
    transactions bigint NOT NULL,
    tps double precision NOT NULL,
    latency_avg_ms double precision,
    latency_stddev_ms double precision,
    latency_p50_ms double precision,
    latency_p90_ms double precision,
    latency_p95_ms double precision,
    latency_p99_ms double precision,
    latency_p999_ms double precision,
    latency_p9999_ms double precision,
    latency_max_ms double precision,
    failed bigint NOT NULL,
    retried bigint NOT NULL,
    retries bigint NOT NULL,
    skipped bigint NOT NULL,
    late bigint NOT NULL,
    CONSTRAINT run_server_intervals_pkey PRIMARY KEY (node_id, run_id, interval_no, server_no)
);
ALTER TABLE pgperf.run_statements ADD COLUMN first_byte_ms double precision;
ALTER TABLE pgperf.run_statements ADD COLUMN receive_ms double precision;
ALTER TABLE pgperf.run_statements ADD COLUMN started_at timestamp with time zone;
CREATE TABLE pgperf.run_replays (
    node_id uuid NOT NULL,
    run_id bigint NOT NULL,
    capture text NOT NULL,
    speed double precision,
    commit_order boolean NOT NULL,
    sessions bigint NOT NULL,
    transactions bigint NOT NULL,
    statements bigint NOT NULL,
    transactions_alike bigint NOT NULL,
    transactions_diverged bigint NOT NULL,
    statements_alike bigint NOT NULL,
    statements_diverged bigint NOT NULL,
    statements_left_out bigint NOT NULL,
    transactions_dropped bigint NOT NULL,
    broken_waits bigint NOT NULL,
    late_avg_ms double precision,
    late_max_ms double precision,
    lost_sessions bigint NOT NULL,
    refused_settings bigint NOT NULL,
    CONSTRAINT run_replays_pkey PRIMARY KEY (node_id, run_id)
);
CREATE TABLE pgperf.run_replay_statements (
    node_id uuid NOT NULL,
    run_id bigint NOT NULL,
    command_no integer NOT NULL,
    statement text NOT NULL,
    alike bigint NOT NULL,
    error_new bigint NOT NULL,
    error_gone bigint NOT NULL,
    error_other bigint NOT NULL,
    rows_other bigint NOT NULL,
    not_reached bigint NOT NULL,
    positions jsonb NOT NULL,
    captured_avg_ms double precision,
    captured_p50_ms double precision,
    captured_p95_ms double precision,
    captured_p99_ms double precision,
    captured_max_ms double precision,
    captured_histogram bytea,
    CONSTRAINT run_replay_statements_pkey PRIMARY KEY (node_id, run_id, command_no)
);
CREATE TABLE pgperf_internal.publications (
    publication text NOT NULL,
    of_samples boolean NOT NULL,
    nodes uuid[] NOT NULL DEFAULT '{}'::uuid[],
    CONSTRAINT publications_pkey PRIMARY KEY (publication)
);
CREATE TABLE pgperf_internal.forgotten_runs (
    node_id uuid NOT NULL,
    run_id bigint NOT NULL,
    deleted boolean NOT NULL DEFAULT false,
    CONSTRAINT forgotten_runs_pkey PRIMARY KEY (node_id, run_id)
);
CREATE TABLE pgperf_internal.sources (
    node_id uuid NOT NULL,
    server text NOT NULL,
    publication text NOT NULL,
    subscription text,
    slot_name text NOT NULL,
    subscribed_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
    run_retention interval,
    gaps jsonb NOT NULL DEFAULT '[]'::jsonb,
    CONSTRAINT sources_subscription_key UNIQUE (subscription),
    CONSTRAINT sources_pkey PRIMARY KEY (node_id),
    CONSTRAINT sources_run_retention_check CHECK ((run_retention > '00:00:00'::interval))
);
ALTER TABLE pgperf.samples ADD COLUMN home text;
ALTER TABLE pgperf.samples ADD COLUMN short_of_workers boolean;
ALTER TABLE pgperf.relation_history ADD COLUMN frozen_xid xid8;
ALTER TABLE pgperf.relation_history ADD COLUMN postponed_since timestamp with time zone;
ALTER TABLE pgperf.statement_history ADD COLUMN exec_reads bigint;
ALTER TABLE pgperf.statement_history ADD COLUMN exec_system_time double precision;
ALTER TABLE pgperf.statement_history ADD COLUMN exec_user_time double precision;
ALTER TABLE pgperf.statement_history ADD COLUMN exec_writes bigint;
ALTER TABLE pgperf.statement_history ADD COLUMN postponed_since timestamp with time zone;
CREATE TABLE pgperf.plan_texts (
    node_id uuid NOT NULL,
    plan_hash bigint NOT NULL,
    taken_at timestamp with time zone NOT NULL,
    plan text
);
ALTER TABLE pgperf.plan_texts REPLICA IDENTITY FULL;
CREATE TABLE pgperf_internal.sampled_targets (
    node_id uuid NOT NULL,
    server oid NOT NULL,
    role oid NOT NULL,
    started_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
    connected boolean NOT NULL DEFAULT false,
    since timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
    target_node_id uuid,
    error text,
    failed_at timestamp with time zone,
    unknown jsonb,
    CONSTRAINT sampled_targets_pkey PRIMARY KEY (node_id, server)
);
CREATE TABLE pgperf.notes (
    node_id uuid NOT NULL,
    at timestamp with time zone NOT NULL,
    note text NOT NULL,
    role_name text NOT NULL,
    CONSTRAINT notes_pkey PRIMARY KEY (node_id, at, note)
);
CREATE TABLE pgperf_internal.finding_rule_settings (
    rule text NOT NULL,
    object text NOT NULL DEFAULT '%'::text,
    enabled boolean NOT NULL DEFAULT true,
    threshold double precision,
    muted_until timestamp with time zone,
    note text,
    CONSTRAINT finding_rule_settings_pkey PRIMARY KEY (rule, object),
    CONSTRAINT finding_rule_settings_threshold_check CHECK (((threshold > (0)::double precision) AND (threshold <= ('1000000000000'::numeric)::double precision)))
);
CREATE TABLE pgperf_internal.stored_captures (
    capture_id bigint NOT NULL,
    node_id uuid NOT NULL,
    name text NOT NULL,
    role text NOT NULL,
    scope jsonb NOT NULL,
    duration_s double precision NOT NULL,
    max_bytes bigint NOT NULL,
    requested_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
    started_at timestamp with time zone,
    ended_at timestamp with time zone,
    stored_status text NOT NULL DEFAULT 'waiting'::text,
    reason text,
    bytes bigint NOT NULL DEFAULT 0,
    sessions bigint NOT NULL DEFAULT 0,
    sessions_left_out bigint NOT NULL DEFAULT 0,
    transactions bigint NOT NULL DEFAULT 0,
    statements bigint NOT NULL DEFAULT 0,
    dropped bigint NOT NULL DEFAULT 0,
    imported_from text,
    CONSTRAINT stored_captures_name_key UNIQUE (name),
    CONSTRAINT stored_captures_pkey PRIMARY KEY (capture_id),
    CONSTRAINT stored_captures_duration_s_check CHECK ((duration_s > (0)::double precision)),
    CONSTRAINT stored_captures_max_bytes_check CHECK ((max_bytes > 0)),
    CONSTRAINT stored_captures_stored_status_check CHECK ((stored_status = ANY (ARRAY['waiting'::text, 'capturing'::text, 'finished'::text, 'stopped'::text, 'failed'::text])))
);
CREATE OR REPLACE FUNCTION pgperf_internal.number_node_name()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    wanted text := NEW.name;
    number integer := 1;
BEGIN
    IF current_setting('session_replication_role') <> 'replica' THEN
        IF TG_OP = 'UPDATE' THEN
            RETURN NEW;
        END IF;
    ELSE
        -- These are of use only where the node lives: a server made from the same image has the same ones.
        NEW.first_of := NULL;
        NEW.database_oid := 0;
        IF TG_OP = 'UPDATE' THEN
            NEW.group_name := COALESCE(NEW.group_name, OLD.group_name);
        END IF;
    END IF;
    WHILE EXISTS (SELECT FROM pgperf.nodes n WHERE n.name = NEW.name AND n.node_id <> NEW.node_id) LOOP
        number := number + 1;
        NEW.name := format('%s (%s)', wanted, number);
    END LOOP;
    RETURN NEW;
END
$function$;
CREATE FUNCTION pgperf_internal.range_of_numbers()
 RETURNS bigint
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$range_of_numbers_wrapper$function$;
CREATE FUNCTION pgperf_internal.next_number(sequence regclass)
 RETURNS bigint
 LANGUAGE sql
RETURN (nextval(sequence) + pgperf_internal.range_of_numbers());
CREATE OR REPLACE FUNCTION pgperf_internal.find_run(run_id bigint, OUT node_id uuid, OUT found_id bigint)
 RETURNS SETOF record
 LANGUAGE sql
 ROWS 1
BEGIN ATOMIC
 SELECT r.node_id,
     r.run_id
    FROM pgperf_internal.stored_runs r
   WHERE ((r.run_id = find_run.run_id) OR ((find_run.run_id IS NULL) AND (r.origin_node_id IS NULL) AND (NOT (r.spec ? 'share'::text)) AND (r.node_id = ( SELECT pgperf.local_node() AS local_node))))
   ORDER BY ((r.origin_node_id IS NOT NULL) OR (r.node_id = ( SELECT pgperf.local_node() AS local_node))) DESC, r.run_id DESC, r.requested_at DESC
  LIMIT 1;
END;
CREATE FUNCTION pgperf_internal.find_run(run text, OUT node_id uuid, OUT found_id bigint)
 RETURNS SETOF record
 LANGUAGE c
 ROWS 1
AS 'MODULE_PATHNAME', $function$find_run_by_name_wrapper$function$;
CREATE FUNCTION pgperf.set_node_group(group_name text, node text DEFAULT NULL::text)
 RETURNS uuid
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$set_node_group_wrapper$function$;
CREATE FUNCTION pgperf.start_run(workload text DEFAULT NULL::text, clients integer DEFAULT 1, duration interval DEFAULT NULL::interval, transactions_per_client bigint DEFAULT NULL::bigint, script text DEFAULT NULL::text, scripts text[] DEFAULT NULL::text[], weights integer[] DEFAULT NULL::integer[], scale integer DEFAULT NULL::integer, query_mode text DEFAULT 'prepared'::text, result_mode text DEFAULT 'format'::text, rate pgperf.rate DEFAULT NULL::pgperf.rate, latency_limit interval DEFAULT NULL::interval, max_tries integer DEFAULT 1, continue_on_error boolean DEFAULT false, exit_on_abort boolean DEFAULT false, think_time interval DEFAULT NULL::interval, round_trip interval DEFAULT NULL::interval, reconnect bigint DEFAULT NULL::bigint, random_seed bigint DEFAULT NULL::bigint, variables jsonb DEFAULT NULL::jsonb, settings jsonb DEFAULT NULL::jsonb, vacuum text DEFAULT 'none'::text, before_sql text DEFAULT NULL::text, after_sql text DEFAULT NULL::text, warmup interval DEFAULT '00:00:00'::interval, warmup_workload text DEFAULT NULL::text, sample_interval interval DEFAULT '00:00:01'::interval, collectors text[] DEFAULT NULL::text[], transaction_log boolean DEFAULT false, sampling_rate double precision DEFAULT NULL::double precision, limits jsonb DEFAULT NULL::jsonb, schema text DEFAULT NULL::text, label text DEFAULT NULL::text, expect jsonb DEFAULT NULL::jsonb, resume boolean DEFAULT false, application_name text DEFAULT NULL::text, options jsonb DEFAULT NULL::jsonb, hit_curve boolean DEFAULT false, drain jsonb DEFAULT NULL::jsonb, drain_sql text DEFAULT NULL::text, drain_timeout interval DEFAULT NULL::interval, alternate jsonb DEFAULT NULL::jsonb, alternate_every interval DEFAULT NULL::interval, settle interval DEFAULT NULL::interval, disturbances jsonb DEFAULT NULL::jsonb, caches text DEFAULT NULL::text, plans boolean DEFAULT NULL::boolean, until_precise text DEFAULT NULL::text, transport text DEFAULT 'inside'::text, workers integer DEFAULT NULL::integer, connect_each_transaction boolean DEFAULT false, reconnect_on_loss boolean DEFAULT false, server text DEFAULT NULL::text, servers text[] DEFAULT NULL::text[], start_at timestamp with time zone DEFAULT NULL::timestamp with time zone, nodes text[] DEFAULT NULL::text[])
 RETURNS bigint
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$start_run_wrapper$function$;
CREATE FUNCTION pgperf.start_load(workload text DEFAULT 'tpcb-like'::text, scale double precision DEFAULT 1, steps text DEFAULT 'dtgvp'::text, fillfactor integer DEFAULT 100, foreign_keys boolean DEFAULT false, unlogged boolean DEFAULT false, tablespace text DEFAULT NULL::text, index_tablespace text DEFAULT NULL::text, partitions integer DEFAULT 0, partition_method text DEFAULT NULL::text, jobs integer DEFAULT NULL::integer, schema text DEFAULT NULL::text, replace boolean DEFAULT false, limits jsonb DEFAULT NULL::jsonb, label text DEFAULT NULL::text, options jsonb DEFAULT NULL::jsonb, server text DEFAULT NULL::text)
 RETURNS bigint
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$start_load_wrapper$function$;
CREATE FUNCTION pgperf.stop_run(run text)
 RETURNS boolean
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$stop_run_by_name_wrapper$function$;
CREATE FUNCTION pgperf.alter_run(run text, rate double precision DEFAULT NULL::double precision)
 RETURNS bigint
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$alter_run_by_name_wrapper$function$;
CREATE FUNCTION pgperf.resume_run(run text)
 RETURNS bigint
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$resume_run_by_name_wrapper$function$;
CREATE FUNCTION pgperf.delete_run(run text)
 RETURNS boolean
 LANGUAGE c
 STRICT
AS 'MODULE_PATHNAME', $function$delete_run_by_name_wrapper$function$;
CREATE FUNCTION pgperf.run_status(run text)
 RETURNS text
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$run_status_by_name_wrapper$function$;
CREATE PROCEDURE pgperf_internal.await_run(IN run text, IN timeout interval, IN progress boolean)
 LANGUAGE c
AS 'MODULE_PATHNAME', $procedure$await_run_by_name_wrapper$procedure$;
CREATE PROCEDURE pgperf.wait_run(IN run text, IN timeout interval DEFAULT NULL::interval, IN progress boolean DEFAULT false, INOUT status text DEFAULT NULL::text)
 LANGUAGE plpgsql
AS $procedure$
BEGIN
    CALL pgperf_internal.require_top_level('pgperf.wait_run');
    run := (SELECT pg_catalog.concat(f.node_id, '/', f.found_id) FROM pgperf_internal.find_run(run) f);
    CALL pgperf_internal.await_run(run, timeout, progress);
    status := pgperf.run_status(run);
END
$procedure$;
CREATE PROCEDURE pgperf.run(IN workload text DEFAULT NULL::text, IN clients integer DEFAULT 1, IN duration interval DEFAULT NULL::interval, IN transactions_per_client bigint DEFAULT NULL::bigint, IN script text DEFAULT NULL::text, IN scripts text[] DEFAULT NULL::text[], IN weights integer[] DEFAULT NULL::integer[], IN scale integer DEFAULT NULL::integer, IN query_mode text DEFAULT 'prepared'::text, IN result_mode text DEFAULT 'format'::text, IN rate pgperf.rate DEFAULT NULL::pgperf.rate, IN latency_limit interval DEFAULT NULL::interval, IN max_tries integer DEFAULT 1, IN continue_on_error boolean DEFAULT false, IN exit_on_abort boolean DEFAULT false, IN think_time interval DEFAULT NULL::interval, IN round_trip interval DEFAULT NULL::interval, IN reconnect bigint DEFAULT NULL::bigint, IN random_seed bigint DEFAULT NULL::bigint, IN variables jsonb DEFAULT NULL::jsonb, IN settings jsonb DEFAULT NULL::jsonb, IN vacuum text DEFAULT 'none'::text, IN before_sql text DEFAULT NULL::text, IN after_sql text DEFAULT NULL::text, IN warmup interval DEFAULT '00:00:00'::interval, IN warmup_workload text DEFAULT NULL::text, IN sample_interval interval DEFAULT '00:00:01'::interval, IN collectors text[] DEFAULT NULL::text[], IN transaction_log boolean DEFAULT false, IN sampling_rate double precision DEFAULT NULL::double precision, IN limits jsonb DEFAULT NULL::jsonb, IN schema text DEFAULT NULL::text, IN label text DEFAULT NULL::text, IN expect jsonb DEFAULT NULL::jsonb, IN resume boolean DEFAULT false, IN application_name text DEFAULT NULL::text, IN options jsonb DEFAULT NULL::jsonb, IN hit_curve boolean DEFAULT false, IN drain jsonb DEFAULT NULL::jsonb, IN drain_sql text DEFAULT NULL::text, IN drain_timeout interval DEFAULT NULL::interval, IN alternate jsonb DEFAULT NULL::jsonb, IN alternate_every interval DEFAULT NULL::interval, IN settle interval DEFAULT NULL::interval, IN disturbances jsonb DEFAULT NULL::jsonb, IN caches text DEFAULT NULL::text, IN plans boolean DEFAULT NULL::boolean, IN until_precise text DEFAULT NULL::text, INOUT run_id bigint DEFAULT NULL::bigint, IN transport text DEFAULT 'inside'::text, IN workers integer DEFAULT NULL::integer, IN connect_each_transaction boolean DEFAULT false, IN reconnect_on_loss boolean DEFAULT false, IN server text DEFAULT NULL::text, IN servers text[] DEFAULT NULL::text[], IN start_at timestamp with time zone DEFAULT NULL::timestamp with time zone, IN nodes text[] DEFAULT NULL::text[])
 LANGUAGE plpgsql
AS $procedure$
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
$procedure$;
CREATE PROCEDURE pgperf.init(IN workload text DEFAULT 'tpcb-like'::text, IN scale double precision DEFAULT 1, IN steps text DEFAULT 'dtgvp'::text, IN fillfactor integer DEFAULT 100, IN foreign_keys boolean DEFAULT false, IN unlogged boolean DEFAULT false, IN tablespace text DEFAULT NULL::text, IN index_tablespace text DEFAULT NULL::text, IN partitions integer DEFAULT 0, IN partition_method text DEFAULT NULL::text, IN jobs integer DEFAULT NULL::integer, IN schema text DEFAULT NULL::text, IN replace boolean DEFAULT false, IN limits jsonb DEFAULT NULL::jsonb, IN label text DEFAULT NULL::text, IN options jsonb DEFAULT NULL::jsonb, INOUT run_id bigint DEFAULT NULL::bigint, IN server text DEFAULT NULL::text)
 LANGUAGE plpgsql
AS $procedure$
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
$procedure$;
CREATE FUNCTION pgperf."check"(workload text DEFAULT 'tpcb-like'::text, schema text DEFAULT NULL::text, "full" boolean DEFAULT false, server text DEFAULT NULL::text, OUT check_name text, OUT passed boolean, OUT detail text)
 RETURNS SETOF record
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$check_tables_wrapper$function$;
CREATE FUNCTION pgperf.start_sweep(workload text DEFAULT NULL::text, clients integer[] DEFAULT '{1,2,4,8}'::integer[], repetitions integer DEFAULT 5, settings_grid jsonb DEFAULT NULL::jsonb, workloads text[] DEFAULT NULL::text[], scales integer[] DEFAULT NULL::integer[], partitions integer[] DEFAULT NULL::integer[], fillfactors integer[] DEFAULT NULL::integer[], query_modes text[] DEFAULT NULL::text[], run_order text DEFAULT 'random'::text, duration interval DEFAULT NULL::interval, warmup interval DEFAULT NULL::interval, init text DEFAULT NULL::text, init_options jsonb DEFAULT NULL::jsonb, checkpoint boolean DEFAULT false, run_tries integer DEFAULT 2, random_seed bigint DEFAULT NULL::bigint, label text DEFAULT NULL::text, transactions_per_client bigint DEFAULT NULL::bigint, script text DEFAULT NULL::text, scripts text[] DEFAULT NULL::text[], weights integer[] DEFAULT NULL::integer[], scale integer DEFAULT NULL::integer, query_mode text DEFAULT NULL::text, result_mode text DEFAULT NULL::text, rate pgperf.rate DEFAULT NULL::pgperf.rate, latency_limit interval DEFAULT NULL::interval, max_tries integer DEFAULT NULL::integer, continue_on_error boolean DEFAULT NULL::boolean, exit_on_abort boolean DEFAULT NULL::boolean, think_time interval DEFAULT NULL::interval, round_trip interval DEFAULT NULL::interval, reconnect bigint DEFAULT NULL::bigint, variables jsonb DEFAULT NULL::jsonb, settings jsonb DEFAULT NULL::jsonb, vacuum text DEFAULT NULL::text, before_sql text DEFAULT NULL::text, after_sql text DEFAULT NULL::text, warmup_workload text DEFAULT NULL::text, sample_interval interval DEFAULT NULL::interval, collectors text[] DEFAULT NULL::text[], transaction_log boolean DEFAULT NULL::boolean, sampling_rate double precision DEFAULT NULL::double precision, limits jsonb DEFAULT NULL::jsonb, expect jsonb DEFAULT NULL::jsonb, schema text DEFAULT NULL::text, application_name text DEFAULT NULL::text, options jsonb DEFAULT NULL::jsonb, hit_curve boolean DEFAULT NULL::boolean, drain jsonb DEFAULT NULL::jsonb, drain_sql text DEFAULT NULL::text, drain_timeout interval DEFAULT NULL::interval, alternate jsonb DEFAULT NULL::jsonb, alternate_every interval DEFAULT NULL::interval, settle interval DEFAULT NULL::interval, disturbances jsonb DEFAULT NULL::jsonb, caches text DEFAULT NULL::text, plans boolean DEFAULT NULL::boolean, until_precise text DEFAULT NULL::text, max_repetitions integer DEFAULT NULL::integer, transport text DEFAULT NULL::text, workers integer DEFAULT NULL::integer, connect_each_transaction boolean DEFAULT NULL::boolean, reconnect_on_loss boolean DEFAULT NULL::boolean, server text DEFAULT NULL::text, transports text[] DEFAULT NULL::text[], round_trips interval[] DEFAULT NULL::interval[], servers text[] DEFAULT NULL::text[])
 RETURNS bigint
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$start_sweep_wrapper$function$;
CREATE FUNCTION pgperf_internal.is_of_source(node_id uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT (EXISTS ( SELECT
            FROM pgperf_internal.sources s
           WHERE (s.node_id = ANY (ARRAY[is_of_source.node_id, ( SELECT n.sampled_by
                    FROM pgperf.nodes n
                   WHERE (n.node_id = is_of_source.node_id))])))) AS "exists";
END;
CREATE FUNCTION pgperf_internal.take_out(source regclass, target regclass, starts_at timestamp with time zone, ends_at timestamp with time zone)
 RETURNS bigint
 LANGUAGE c
 STRICT
AS 'MODULE_PATHNAME', $function$take_out_wrapper$function$;
CREATE OR REPLACE FUNCTION pgperf_internal.make_partition(history text, parent text, partition text, starts timestamp without time zone, ends timestamp without time zone)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    low text := to_char(starts, 'YYYY-MM-DD') || ' 00:00:00+00';
    high text := to_char(ends, 'YYYY-MM-DD') || ' 00:00:00+00';
    -- Rows that came before it lie in a default partition.
    default_partition text := CASE parent WHEN history THEN history || '_kept' ELSE history || '_rest' END;
    parent_schema text := CASE parent WHEN history THEN 'pgperf' ELSE 'pgperf_internal' END;
    aside text := partition || '_moved';
    leaves regclass[];
    leaf regclass;
    index text;
BEGIN
    EXECUTE format('CREATE TABLE pgperf_internal.%I (LIKE pgperf.%I INCLUDING DEFAULTS INCLUDING CONSTRAINTS,
        CONSTRAINT %I CHECK (taken_at >= %L AND taken_at < %L))', partition, history, partition || '_range', low, high);
    PERFORM pgperf_internal.make_private(format('pgperf_internal.%I', partition)::regclass);
    FOREACH index IN ARRAY (SELECT t.indexes FROM pgperf_internal.history_tables t WHERE t.table_name = history) LOOP
        EXECUTE format('CREATE INDEX ON pgperf_internal.%I %s', partition, index);
    END LOOP;
    PERFORM pgperf_internal.identify_rows(format('pgperf_internal.%I', partition)::regclass, (SELECT t.key FROM pgperf_internal.history_tables t WHERE t.table_name = history));
    EXECUTE format('SELECT array_agg(DISTINCT tableoid::regclass) FROM pgperf_internal.%I WHERE taken_at >= %L AND taken_at < %L', default_partition, low, high)
        INTO leaves;
    -- A subscriber of the table has the rows already: nothing of their move is sent.
    IF leaves IS NOT NULL THEN
        EXECUTE format('CREATE UNLOGGED TABLE pgperf_internal.%I (LIKE pgperf.%I)', aside, history);
        FOREACH leaf IN ARRAY leaves LOOP
            EXECUTE format('ALTER TABLE %s REPLICA IDENTITY NOTHING', leaf);
            PERFORM pgperf_internal.take_out(leaf, format('pgperf_internal.%I', aside)::regclass, low::timestamptz, high::timestamptz);
            EXECUTE format('ALTER TABLE %s REPLICA IDENTITY %s', leaf,
                (SELECT CASE WHEN t.key IS NULL THEN 'FULL' ELSE 'DEFAULT' END FROM pgperf_internal.history_tables t WHERE t.table_name = history));
        END LOOP;
    END IF;
    EXECUTE format('ALTER TABLE %I.%I ATTACH PARTITION pgperf_internal.%I FOR VALUES FROM (%L) TO (%L)', parent_schema, parent, partition, low, high);
    IF leaves IS NOT NULL THEN
        PERFORM pgperf_internal.move_rows(format('pgperf_internal.%I', aside)::regclass, format('pgperf_internal.%I', partition)::regclass,
                                          low::timestamptz, high::timestamptz);
        EXECUTE format('DROP TABLE pgperf_internal.%I', aside);
    END IF;
END
$function$;
CREATE FUNCTION pgperf.pin_run(run text, pinned boolean DEFAULT true)
 RETURNS boolean
 LANGUAGE c
 STRICT
AS 'MODULE_PATHNAME', $function$pin_run_by_name_wrapper$function$;
CREATE FUNCTION pgperf_internal.collector_visits(OUT name text, OUT in_visits text)
 RETURNS SETOF record
 LANGUAGE c
 STABLE STRICT ROWS 4
AS 'MODULE_PATHNAME', $function$collector_visits_wrapper$function$;
CREATE OR REPLACE VIEW pgperf.collectors AS
 SELECT d.name,
    COALESCE(s.enabled, d.enabled) AS enabled,
        CASE
            WHEN s.name IS NULL THEN d.sample_interval
            ELSE s.sample_interval
        END AS sample_interval,
        CASE
            WHEN s.name IS NOT NULL THEN s.retention
            WHEN h.rolled_up THEN '7 days'::interval
            ELSE NULL::interval
        END AS retention,
        CASE
            WHEN s.name IS NOT NULL THEN s.hourly_retention
            WHEN h.rolled_up THEN '90 days'::interval
            ELSE NULL::interval
        END AS hourly_retention,
        CASE
            WHEN s.name IS NOT NULL THEN s.daily_retention
            WHEN h.rolled_up THEN '2 years'::interval
            ELSE NULL::interval
        END AS daily_retention,
    d.cost,
    d.in_runs,
    d.needs,
    d.history_tables,
    d.description,
    v.in_visits
   FROM pgperf_internal.collector_definitions() WITH ORDINALITY d(name, enabled, sample_interval, cost, in_runs, needs, history_tables, description, ordinality)
     JOIN pgperf_internal.collector_visits() v(name, in_visits) ON v.name = d.name
     LEFT JOIN pgperf_internal.collector_settings s ON s.name = d.name
     CROSS JOIN LATERAL ( SELECT COALESCE(bool_or(t.rolled_up), true) AS rolled_up
           FROM pgperf_internal.history_tables t
          WHERE t.collector = d.name) h
  ORDER BY d.ordinality;
CREATE OR REPLACE FUNCTION pgperf_internal.collectors_update()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    IF (NEW.name, NEW.cost, NEW.in_runs, NEW.needs, NEW.history_tables, NEW.description, NEW.in_visits)
        IS DISTINCT FROM (OLD.name, OLD.cost, OLD.in_runs, OLD.needs, OLD.history_tables, OLD.description, OLD.in_visits) THEN
        RAISE EXCEPTION 'only "enabled", "sample_interval" and the retentions of pgperf.collectors can be changed'
            USING ERRCODE = 'feature_not_supported';
    END IF;
    IF NEW.sample_interval < '1 second'::interval THEN
        RAISE EXCEPTION 'the interval of collector "%" must be at least 1 second', NEW.name
            USING ERRCODE = 'invalid_parameter_value', HINT = 'With NULL, the sampler leaves it out.';
    END IF;
    IF NEW.enabled IS NULL THEN
        RAISE EXCEPTION '"enabled" of collector "%" must be true or false', NEW.name USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF LEAST(NEW.retention, NEW.hourly_retention, NEW.daily_retention) < '0' THEN
        RAISE EXCEPTION 'the retentions of collector "%" must not be negative', NEW.name
            USING ERRCODE = 'invalid_parameter_value', HINT = 'With NULL, samples are kept for ever.';
    END IF;
    INSERT INTO pgperf_internal.collector_settings AS s (name, enabled, sample_interval, retention, hourly_retention, daily_retention)
    VALUES (NEW.name, NEW.enabled, NEW.sample_interval, NEW.retention, NEW.hourly_retention, NEW.daily_retention)
    ON CONFLICT (name) DO UPDATE SET (enabled, sample_interval, retention, hourly_retention, daily_retention)
        = (EXCLUDED.enabled, EXCLUDED.sample_interval, EXCLUDED.retention, EXCLUDED.hourly_retention, EXCLUDED.daily_retention);
    RETURN NEW;
END
$function$;
CREATE FUNCTION pgperf_internal.create_delta_view(history text, object text[], gauges text[] DEFAULT '{}'::text[], sparse boolean DEFAULT false, lived_on text DEFAULT 's.epoch = ps.epoch'::text, began text DEFAULT NULL::text, later text[] DEFAULT '{}'::text[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    view_name text := replace(history, '_history', '_deltas');
    same_object text := (SELECT string_agg(format(
        CASE WHEN sparse THEN 'x.%1$I = h.%1$I' ELSE 'x.%1$I IS NOT DISTINCT FROM h.%1$I' END, k), ' AND ') FROM unnest(object) k);
    counters text[];
    lived text := 'CASE WHEN m.lived_on AND h.%1$I >= p.%1$I THEN h.%1$I - p.%1$I ';
    difference text := lived || CASE WHEN began IS NULL THEN '' ELSE 'WHEN m.began THEN h.%1$I ' END || 'END';
    later_difference text := lived || 'END';
BEGIN
    SELECT array_agg(a.attname ORDER BY a.attnum) INTO counters
    FROM pg_attribute a
    WHERE a.attrelid = format('pgperf.%I', history)::regclass AND a.attnum > 0 AND NOT a.attisdropped
      AND a.atttypid IN ('int8'::regtype, 'float8'::regtype)
      AND a.attname !~ '^(min|max|mean|stddev)_|_mark$' AND a.attname <> ALL (object || gauges || later || '{sample_id,run_id,before_sample_id}'::text[]);
    EXECUTE format('CREATE OR REPLACE VIEW pgperf.%I AS SELECT h.node_id, h.sample_id, h.taken_at, h.run_id%s, m.seconds%s%s%s%s%s
        FROM pgperf.%I h JOIN pgperf.samples s ON s.node_id = h.node_id AND s.sample_id = h.sample_id AND s.taken_at = h.taken_at %s
        LEFT JOIN pgperf.samples ps ON ps.node_id = h.node_id AND ps.sample_id = p.sample_id AND ps.taken_at = p.taken_at %s
        CROSS JOIN LATERAL (SELECT (%s) AS lived_on, (%s) AS began) l
        CROSS JOIN LATERAL (SELECT l.lived_on, l.began, NULLIF(GREATEST(EXTRACT(epoch FROM h.taken_at
            - CASE WHEN l.began THEN c.taken_at ELSE %s END)::float8, 0), 0) AS seconds) m',
        view_name,
        (SELECT string_agg(format(', h.%I', k), '' ORDER BY n) FROM unnest(object) WITH ORDINALITY o(k, n)),
        (SELECT string_agg(format(', h.%I', k), '' ORDER BY n) FROM unnest(gauges) WITH ORDINALITY o(k, n)),
        (SELECT string_agg(format(', ' || difference || ' AS %1$I', k), '' ORDER BY n)
           FROM unnest(counters) WITH ORDINALITY o(k, n)),
        (SELECT string_agg(format(', (' || difference || ') / m.seconds AS %2$I', k, k || '_per_s'), '' ORDER BY n)
           FROM unnest(counters) WITH ORDINALITY o(k, n)),
        (SELECT string_agg(format(', ' || later_difference || ' AS %1$I', k), '' ORDER BY n)
           FROM unnest(later) WITH ORDINALITY o(k, n)),
        (SELECT string_agg(format(', (' || later_difference || ') / m.seconds AS %2$I', k, k || '_per_s'), '' ORDER BY n)
           FROM unnest(later) WITH ORDINALITY o(k, n)),
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
        CASE WHEN sparse THEN format('CASE WHEN c.left_out = 0%s THEN GREATEST(c.taken_at, p.taken_at) ELSE p.taken_at END',
            CASE WHEN EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = format('pgperf.%I', history)::regclass
                                       AND a.attname = 'postponed_since')
                 THEN ' AND (c.postponed_since > p.taken_at) IS NOT FALSE' ELSE '' END)
             ELSE 'p.taken_at' END);
    EXECUTE format('COMMENT ON VIEW pgperf.%I IS %L', view_name, format(
        'Differences of the counters of pgperf.%s from the previous sample, over seconds; ..._per_s: the same per second. NULL: no previous sample, or the counters began again in between; an object without a previous row that provably began since counts from 0', history)
        || CASE later WHEN '{}' THEN '' ELSE ', but not in ' || array_to_string(later, ', ') END);
    EXECUTE format('GRANT SELECT ON pgperf.%I TO pg_monitor', view_name);
END
$function$;
CREATE OR REPLACE FUNCTION pgperf.working_set(sample_id bigint DEFAULT NULL::bigint, node_id uuid DEFAULT NULL::uuid, OUT taken_at timestamp with time zone, OUT scope text, OUT database_name text, OUT schema_name text, OUT relation_name text, OUT usage_count smallint, OUT buffers bigint, OUT bytes bigint, OUT percent double precision, OUT cache_percent double precision, OUT low_bytes bigint, OUT high_bytes bigint, OUT reason text)
 RETURNS SETOF record
 LANGUAGE sql
 STABLE ROWS 100
BEGIN ATOMIC
 SELECT pgperf_internal.require_buffers(sample_id, node_id) AS require_buffers;
 WITH chosen AS MATERIALIZED (
          SELECT h.node_id,
             h.sample_id
            FROM pgperf.buffer_usage_history h
           WHERE ((h.node_id = COALESCE(working_set.node_id, ( SELECT pgperf.local_node() AS local_node))) AND (h.sample_id = COALESCE(working_set.sample_id, h.sample_id)) AND ((working_set.sample_id IS NOT NULL) OR (h.relation_name IS NOT NULL)))
           ORDER BY h.sample_id DESC
          LIMIT 1
         ), held AS MATERIALIZED (
          SELECT h.taken_at,
             h.database_name,
             h.schema_name,
             h.relation_name,
             h.usage_count,
             h.buffers,
             (h.buffers * (current_setting('block_size'::text))::bigint) AS bytes
            FROM (pgperf.buffer_usage_history h
              JOIN chosen USING (node_id, sample_id))
         ), whole AS MATERIALIZED (
          SELECT sum(h.buffers) AS buffers,
             (sum(h.bytes))::bigint AS bytes,
             (COALESCE(sum(h.bytes) FILTER (WHERE (h.usage_count IS NOT NULL)), (0)::numeric))::bigint AS used,
             (COALESCE(sum(h.bytes) FILTER (WHERE (h.usage_count >= 2)), (0)::numeric))::bigint AS twice,
             (COALESCE(sum(h.bytes) FILTER (WHERE (h.usage_count >= 3)), (0)::numeric))::bigint AS hot
            FROM held h
         ), bracket AS (
          SELECT w_1.hot AS low,
             b_1.high,
             b_1.reason
            FROM whole w_1,
             LATERAL ( SELECT w_1.used AS high,
                     'Not full: every page found room, but for those of large scans, which pass through a small ring'::text AS reason
                   WHERE (((w_1.used)::numeric < (0.99 * (w_1.bytes)::numeric)) AND (w_1.hot < w_1.used))
                 UNION ALL
                  SELECT w_1.bytes AS high,
                     'Not full, and every page that it holds is in frequent use'::text AS reason
                   WHERE (((w_1.used)::numeric < (0.99 * (w_1.bytes)::numeric)) AND (w_1.hot = w_1.used))
                 UNION ALL
                  SELECT w_1.bytes AS high,
                     'Full, but more than half of it is not asked for twice while the clock hand goes round'::text AS reason
                   WHERE (((w_1.used)::numeric >= (0.99 * (w_1.bytes)::numeric)) AND ((w_1.twice)::numeric < (0.5 * (w_1.used)::numeric)))
                 UNION ALL
                  SELECT NULL::bigint AS high,
                     'Full of pages in frequent use: what does not fit cannot be seen from here, look at reads and evictions'::text AS reason
                   WHERE (((w_1.used)::numeric >= (0.99 * (w_1.bytes)::numeric)) AND ((w_1.twice)::numeric >= (0.5 * (w_1.used)::numeric)))) b_1
         ), counted AS (
          SELECT max(h.taken_at) AS taken_at,
                 CASE
                     WHEN (GROUPING(h.relation_name) = 1) THEN 'server'::text
                     ELSE 'relation'::text
                 END AS scope,
             h.database_name,
             h.schema_name,
             h.relation_name,
             h.usage_count,
             sum(h.buffers) AS buffers,
             sum(h.bytes) AS bytes
            FROM held h
           WHERE (h.usage_count IS NOT NULL)
           GROUP BY GROUPING SETS ((h.usage_count), (h.database_name, h.schema_name, h.relation_name, h.usage_count))
         ), cumulated AS (
          SELECT c_1.taken_at,
             c_1.scope,
             c_1.database_name,
             c_1.schema_name,
             c_1.relation_name,
             c_1.usage_count,
             sum(c_1.buffers) OVER down AS buffers,
             sum(c_1.bytes) OVER down AS bytes,
             sum(c_1.buffers) OVER every AS all_buffers
            FROM counted c_1
           WINDOW every AS (PARTITION BY c_1.scope, c_1.database_name, c_1.schema_name, c_1.relation_name), down AS (PARTITION BY c_1.scope, c_1.database_name, c_1.schema_name, c_1.relation_name ORDER BY c_1.usage_count DESC)
         )
  SELECT c.taken_at,
     c.scope,
     c.database_name,
     c.schema_name,
     c.relation_name,
     c.usage_count,
     (c.buffers)::bigint AS buffers,
     (c.bytes)::bigint AS bytes,
     ((((100)::numeric * c.buffers) / c.all_buffers))::double precision AS float8,
     ((((100)::numeric * c.buffers) / w.buffers))::double precision AS float8,
         CASE
             WHEN (c.scope = 'server'::text) THEN b.low
             ELSE NULL::bigint
         END AS "case",
         CASE
             WHEN (c.scope = 'server'::text) THEN b.high
             ELSE NULL::bigint
         END AS "case",
         CASE
             WHEN (c.scope = 'server'::text) THEN b.reason
             ELSE NULL::text
         END AS "case"
    FROM ((cumulated c
      CROSS JOIN whole w)
      CROSS JOIN bracket b)
   ORDER BY c.scope DESC, c.all_buffers DESC, c.database_name, c.schema_name, c.relation_name, c.usage_count DESC;
END;
CREATE VIEW pgperf.load_devices AS
 SELECT s.node_id,
    s.run_id,
    s.step_no,
    s.step,
    s.started_at,
    s.seconds,
    d.holds,
    d.device,
    d.level,
    sum(o.share * d.read_ios::double precision) / sum(o.seconds) AS r_s,
    sum(o.share * d.read_sectors::double precision) / (2::double precision * sum(o.seconds)) AS rkb_s,
    sum(o.share * d.read_ticks::double precision) / NULLIF(sum(o.share * d.read_ios::double precision), 0::double precision) AS r_await,
    sum(o.share * d.read_sectors::double precision) / NULLIF(2::double precision * sum(o.share * d.read_ios::double precision), 0::double precision) AS rareq_sz,
    sum(o.share * d.write_ios::double precision) / sum(o.seconds) AS w_s,
    sum(o.share * d.write_sectors::double precision) / (2::double precision * sum(o.seconds)) AS wkb_s,
    sum(o.share * d.write_ticks::double precision) / NULLIF(sum(o.share * d.write_ios::double precision), 0::double precision) AS w_await,
    sum(o.share * d.write_sectors::double precision) / NULLIF(2::double precision * sum(o.share * d.write_ios::double precision), 0::double precision) AS wareq_sz,
    sum(o.share * d.flush_ios::double precision) / sum(o.seconds) AS f_s,
    sum(o.share * d.flush_ticks::double precision) / NULLIF(sum(o.share * d.flush_ios::double precision), 0::double precision) AS f_await,
    sum(o.share * d.time_in_queue::double precision) / (1000::double precision * sum(o.seconds)) AS aqu_sz,
    LEAST(100::double precision, sum(o.share * d.io_ticks::double precision) / (10::double precision * sum(o.seconds))) AS util
   FROM ( SELECT t.node_id,
            t.run_id,
            t.command_no AS step_no,
            t.statement AS step,
            t.started_at,
            t.calls::double precision * t.latency_avg_ms / 1000::double precision AS seconds
           FROM pgperf.run_statements t
          WHERE t.started_at IS NOT NULL AND t.calls > 0) s
     JOIN pgperf.device_deltas d ON d.node_id = s.node_id AND d.run_id = s.run_id
     CROSS JOIN LATERAL ( SELECT EXTRACT(epoch FROM LEAST(d.taken_at, s.started_at + s.seconds * '00:00:01'::interval) - GREATEST(d.taken_at - d.seconds * '00:00:01'::interval, s.started_at))::double precision AS seconds) i
     CROSS JOIN LATERAL ( SELECT i.seconds,
            i.seconds / d.seconds AS share) o
  WHERE o.seconds > 0::double precision AND d.read_ios IS NOT NULL AND d.write_ios IS NOT NULL
  GROUP BY s.node_id, s.run_id, s.step_no, s.step, s.started_at, s.seconds, d.holds, d.device, d.level;
CREATE OR REPLACE VIEW pgperf.relation_deltas AS
 SELECT h.node_id,
    h.sample_id,
    h.taken_at,
    h.run_id,
    h.relation_oid,
    m.seconds,
    h.schema_name,
    h.relation_name,
    h.relation_kind,
    h.table_name,
    h.relations,
    h.left_out,
    h.size_bytes,
    h.relpages,
    h.reltuples,
    h.n_live_tup,
    h.n_dead_tup,
    h.n_mod_since_analyze,
    h.n_ins_since_vacuum,
        CASE
            WHEN m.lived_on AND h.seq_scan >= p.seq_scan THEN h.seq_scan - p.seq_scan
            WHEN m.began THEN h.seq_scan
            ELSE NULL::bigint
        END AS seq_scan,
        CASE
            WHEN m.lived_on AND h.seq_tup_read >= p.seq_tup_read THEN h.seq_tup_read - p.seq_tup_read
            WHEN m.began THEN h.seq_tup_read
            ELSE NULL::bigint
        END AS seq_tup_read,
        CASE
            WHEN m.lived_on AND h.idx_scan >= p.idx_scan THEN h.idx_scan - p.idx_scan
            WHEN m.began THEN h.idx_scan
            ELSE NULL::bigint
        END AS idx_scan,
        CASE
            WHEN m.lived_on AND h.idx_tup_read >= p.idx_tup_read THEN h.idx_tup_read - p.idx_tup_read
            WHEN m.began THEN h.idx_tup_read
            ELSE NULL::bigint
        END AS idx_tup_read,
        CASE
            WHEN m.lived_on AND h.idx_tup_fetch >= p.idx_tup_fetch THEN h.idx_tup_fetch - p.idx_tup_fetch
            WHEN m.began THEN h.idx_tup_fetch
            ELSE NULL::bigint
        END AS idx_tup_fetch,
        CASE
            WHEN m.lived_on AND h.n_tup_ins >= p.n_tup_ins THEN h.n_tup_ins - p.n_tup_ins
            WHEN m.began THEN h.n_tup_ins
            ELSE NULL::bigint
        END AS n_tup_ins,
        CASE
            WHEN m.lived_on AND h.n_tup_upd >= p.n_tup_upd THEN h.n_tup_upd - p.n_tup_upd
            WHEN m.began THEN h.n_tup_upd
            ELSE NULL::bigint
        END AS n_tup_upd,
        CASE
            WHEN m.lived_on AND h.n_tup_del >= p.n_tup_del THEN h.n_tup_del - p.n_tup_del
            WHEN m.began THEN h.n_tup_del
            ELSE NULL::bigint
        END AS n_tup_del,
        CASE
            WHEN m.lived_on AND h.n_tup_hot_upd >= p.n_tup_hot_upd THEN h.n_tup_hot_upd - p.n_tup_hot_upd
            WHEN m.began THEN h.n_tup_hot_upd
            ELSE NULL::bigint
        END AS n_tup_hot_upd,
        CASE
            WHEN m.lived_on AND h.n_tup_newpage_upd >= p.n_tup_newpage_upd THEN h.n_tup_newpage_upd - p.n_tup_newpage_upd
            WHEN m.began THEN h.n_tup_newpage_upd
            ELSE NULL::bigint
        END AS n_tup_newpage_upd,
        CASE
            WHEN m.lived_on AND h.vacuum_count >= p.vacuum_count THEN h.vacuum_count - p.vacuum_count
            WHEN m.began THEN h.vacuum_count
            ELSE NULL::bigint
        END AS vacuum_count,
        CASE
            WHEN m.lived_on AND h.autovacuum_count >= p.autovacuum_count THEN h.autovacuum_count - p.autovacuum_count
            WHEN m.began THEN h.autovacuum_count
            ELSE NULL::bigint
        END AS autovacuum_count,
        CASE
            WHEN m.lived_on AND h.analyze_count >= p.analyze_count THEN h.analyze_count - p.analyze_count
            WHEN m.began THEN h.analyze_count
            ELSE NULL::bigint
        END AS analyze_count,
        CASE
            WHEN m.lived_on AND h.autoanalyze_count >= p.autoanalyze_count THEN h.autoanalyze_count - p.autoanalyze_count
            WHEN m.began THEN h.autoanalyze_count
            ELSE NULL::bigint
        END AS autoanalyze_count,
        CASE
            WHEN m.lived_on AND h.total_vacuum_time >= p.total_vacuum_time THEN h.total_vacuum_time - p.total_vacuum_time
            WHEN m.began THEN h.total_vacuum_time
            ELSE NULL::double precision
        END AS total_vacuum_time,
        CASE
            WHEN m.lived_on AND h.total_autovacuum_time >= p.total_autovacuum_time THEN h.total_autovacuum_time - p.total_autovacuum_time
            WHEN m.began THEN h.total_autovacuum_time
            ELSE NULL::double precision
        END AS total_autovacuum_time,
        CASE
            WHEN m.lived_on AND h.total_analyze_time >= p.total_analyze_time THEN h.total_analyze_time - p.total_analyze_time
            WHEN m.began THEN h.total_analyze_time
            ELSE NULL::double precision
        END AS total_analyze_time,
        CASE
            WHEN m.lived_on AND h.total_autoanalyze_time >= p.total_autoanalyze_time THEN h.total_autoanalyze_time - p.total_autoanalyze_time
            WHEN m.began THEN h.total_autoanalyze_time
            ELSE NULL::double precision
        END AS total_autoanalyze_time,
        CASE
            WHEN m.lived_on AND h.blks_read >= p.blks_read THEN h.blks_read - p.blks_read
            WHEN m.began THEN h.blks_read
            ELSE NULL::bigint
        END AS blks_read,
        CASE
            WHEN m.lived_on AND h.blks_hit >= p.blks_hit THEN h.blks_hit - p.blks_hit
            WHEN m.began THEN h.blks_hit
            ELSE NULL::bigint
        END AS blks_hit,
        CASE
            WHEN m.lived_on AND h.seq_scan >= p.seq_scan THEN h.seq_scan - p.seq_scan
            WHEN m.began THEN h.seq_scan
            ELSE NULL::bigint
        END::double precision / m.seconds AS seq_scan_per_s,
        CASE
            WHEN m.lived_on AND h.seq_tup_read >= p.seq_tup_read THEN h.seq_tup_read - p.seq_tup_read
            WHEN m.began THEN h.seq_tup_read
            ELSE NULL::bigint
        END::double precision / m.seconds AS seq_tup_read_per_s,
        CASE
            WHEN m.lived_on AND h.idx_scan >= p.idx_scan THEN h.idx_scan - p.idx_scan
            WHEN m.began THEN h.idx_scan
            ELSE NULL::bigint
        END::double precision / m.seconds AS idx_scan_per_s,
        CASE
            WHEN m.lived_on AND h.idx_tup_read >= p.idx_tup_read THEN h.idx_tup_read - p.idx_tup_read
            WHEN m.began THEN h.idx_tup_read
            ELSE NULL::bigint
        END::double precision / m.seconds AS idx_tup_read_per_s,
        CASE
            WHEN m.lived_on AND h.idx_tup_fetch >= p.idx_tup_fetch THEN h.idx_tup_fetch - p.idx_tup_fetch
            WHEN m.began THEN h.idx_tup_fetch
            ELSE NULL::bigint
        END::double precision / m.seconds AS idx_tup_fetch_per_s,
        CASE
            WHEN m.lived_on AND h.n_tup_ins >= p.n_tup_ins THEN h.n_tup_ins - p.n_tup_ins
            WHEN m.began THEN h.n_tup_ins
            ELSE NULL::bigint
        END::double precision / m.seconds AS n_tup_ins_per_s,
        CASE
            WHEN m.lived_on AND h.n_tup_upd >= p.n_tup_upd THEN h.n_tup_upd - p.n_tup_upd
            WHEN m.began THEN h.n_tup_upd
            ELSE NULL::bigint
        END::double precision / m.seconds AS n_tup_upd_per_s,
        CASE
            WHEN m.lived_on AND h.n_tup_del >= p.n_tup_del THEN h.n_tup_del - p.n_tup_del
            WHEN m.began THEN h.n_tup_del
            ELSE NULL::bigint
        END::double precision / m.seconds AS n_tup_del_per_s,
        CASE
            WHEN m.lived_on AND h.n_tup_hot_upd >= p.n_tup_hot_upd THEN h.n_tup_hot_upd - p.n_tup_hot_upd
            WHEN m.began THEN h.n_tup_hot_upd
            ELSE NULL::bigint
        END::double precision / m.seconds AS n_tup_hot_upd_per_s,
        CASE
            WHEN m.lived_on AND h.n_tup_newpage_upd >= p.n_tup_newpage_upd THEN h.n_tup_newpage_upd - p.n_tup_newpage_upd
            WHEN m.began THEN h.n_tup_newpage_upd
            ELSE NULL::bigint
        END::double precision / m.seconds AS n_tup_newpage_upd_per_s,
        CASE
            WHEN m.lived_on AND h.vacuum_count >= p.vacuum_count THEN h.vacuum_count - p.vacuum_count
            WHEN m.began THEN h.vacuum_count
            ELSE NULL::bigint
        END::double precision / m.seconds AS vacuum_count_per_s,
        CASE
            WHEN m.lived_on AND h.autovacuum_count >= p.autovacuum_count THEN h.autovacuum_count - p.autovacuum_count
            WHEN m.began THEN h.autovacuum_count
            ELSE NULL::bigint
        END::double precision / m.seconds AS autovacuum_count_per_s,
        CASE
            WHEN m.lived_on AND h.analyze_count >= p.analyze_count THEN h.analyze_count - p.analyze_count
            WHEN m.began THEN h.analyze_count
            ELSE NULL::bigint
        END::double precision / m.seconds AS analyze_count_per_s,
        CASE
            WHEN m.lived_on AND h.autoanalyze_count >= p.autoanalyze_count THEN h.autoanalyze_count - p.autoanalyze_count
            WHEN m.began THEN h.autoanalyze_count
            ELSE NULL::bigint
        END::double precision / m.seconds AS autoanalyze_count_per_s,
        CASE
            WHEN m.lived_on AND h.total_vacuum_time >= p.total_vacuum_time THEN h.total_vacuum_time - p.total_vacuum_time
            WHEN m.began THEN h.total_vacuum_time
            ELSE NULL::double precision
        END / m.seconds AS total_vacuum_time_per_s,
        CASE
            WHEN m.lived_on AND h.total_autovacuum_time >= p.total_autovacuum_time THEN h.total_autovacuum_time - p.total_autovacuum_time
            WHEN m.began THEN h.total_autovacuum_time
            ELSE NULL::double precision
        END / m.seconds AS total_autovacuum_time_per_s,
        CASE
            WHEN m.lived_on AND h.total_analyze_time >= p.total_analyze_time THEN h.total_analyze_time - p.total_analyze_time
            WHEN m.began THEN h.total_analyze_time
            ELSE NULL::double precision
        END / m.seconds AS total_analyze_time_per_s,
        CASE
            WHEN m.lived_on AND h.total_autoanalyze_time >= p.total_autoanalyze_time THEN h.total_autoanalyze_time - p.total_autoanalyze_time
            WHEN m.began THEN h.total_autoanalyze_time
            ELSE NULL::double precision
        END / m.seconds AS total_autoanalyze_time_per_s,
        CASE
            WHEN m.lived_on AND h.blks_read >= p.blks_read THEN h.blks_read - p.blks_read
            WHEN m.began THEN h.blks_read
            ELSE NULL::bigint
        END::double precision / m.seconds AS blks_read_per_s,
        CASE
            WHEN m.lived_on AND h.blks_hit >= p.blks_hit THEN h.blks_hit - p.blks_hit
            WHEN m.began THEN h.blks_hit
            ELSE NULL::bigint
        END::double precision / m.seconds AS blks_hit_per_s
   FROM pgperf.relation_history h
     JOIN pgperf.samples s ON s.node_id = h.node_id AND s.sample_id = h.sample_id AND s.taken_at = h.taken_at
     LEFT JOIN LATERAL ( SELECT x.node_id,
            x.sample_id,
            x.taken_at,
            x.run_id,
            x.relation_oid,
            x.before_sample_id,
            x.schema_name,
            x.relation_name,
            x.relation_kind,
            x.table_name,
            x.relations,
            x.left_out,
            x.size_bytes,
            x.relpages,
            x.reltuples,
            x.n_live_tup,
            x.n_dead_tup,
            x.n_mod_since_analyze,
            x.n_ins_since_vacuum,
            x.last_seq_scan,
            x.last_idx_scan,
            x.last_vacuum,
            x.last_autovacuum,
            x.last_analyze,
            x.last_autoanalyze,
            x.seq_scan,
            x.seq_tup_read,
            x.idx_scan,
            x.idx_tup_read,
            x.idx_tup_fetch,
            x.n_tup_ins,
            x.n_tup_upd,
            x.n_tup_del,
            x.n_tup_hot_upd,
            x.n_tup_newpage_upd,
            x.vacuum_count,
            x.autovacuum_count,
            x.analyze_count,
            x.autoanalyze_count,
            x.total_vacuum_time,
            x.total_autovacuum_time,
            x.total_analyze_time,
            x.total_autoanalyze_time,
            x.blks_read,
            x.blks_hit,
            x.last_oid,
            x.relations_mark,
            x.remaining_mark,
            x.stats_reset,
            x.frozen_xid,
            x.postponed_since
           FROM pgperf.relation_history x
          WHERE x.node_id = h.node_id AND x.relation_oid = h.relation_oid AND x.sample_id < h.sample_id
          ORDER BY x.sample_id DESC
         LIMIT 1) p ON true
     LEFT JOIN LATERAL ( SELECT x.node_id,
            x.sample_id,
            x.taken_at,
            x.run_id,
            x.relation_oid,
            x.before_sample_id,
            x.schema_name,
            x.relation_name,
            x.relation_kind,
            x.table_name,
            x.relations,
            x.left_out,
            x.size_bytes,
            x.relpages,
            x.reltuples,
            x.n_live_tup,
            x.n_dead_tup,
            x.n_mod_since_analyze,
            x.n_ins_since_vacuum,
            x.last_seq_scan,
            x.last_idx_scan,
            x.last_vacuum,
            x.last_autovacuum,
            x.last_analyze,
            x.last_autoanalyze,
            x.seq_scan,
            x.seq_tup_read,
            x.idx_scan,
            x.idx_tup_read,
            x.idx_tup_fetch,
            x.n_tup_ins,
            x.n_tup_upd,
            x.n_tup_del,
            x.n_tup_hot_upd,
            x.n_tup_newpage_upd,
            x.vacuum_count,
            x.autovacuum_count,
            x.analyze_count,
            x.autoanalyze_count,
            x.total_vacuum_time,
            x.total_autovacuum_time,
            x.total_analyze_time,
            x.total_autoanalyze_time,
            x.blks_read,
            x.blks_hit,
            x.last_oid,
            x.relations_mark,
            x.remaining_mark,
            x.stats_reset,
            x.frozen_xid,
            x.postponed_since
           FROM pgperf.relation_history x
          WHERE x.node_id = h.node_id AND x.relation_oid = 0::oid AND x.sample_id < h.sample_id
          ORDER BY x.sample_id DESC
         LIMIT 1) c ON true
     LEFT JOIN pgperf.samples ps ON ps.node_id = h.node_id AND ps.sample_id = p.sample_id AND ps.taken_at = p.taken_at
     LEFT JOIN pgperf.samples cs ON cs.node_id = h.node_id AND cs.sample_id = c.sample_id AND cs.taken_at = c.taken_at
     CROSS JOIN LATERAL ( SELECT s.epoch = ps.epoch AND (h.relation_oid <> 0::oid OR h.remaining_mark = p.relations_mark) AND (NOT (s.counting ->> 'reset'::text) IS DISTINCT FROM (ps.counting ->> 'reset'::text) OR h.relation_oid <> 0::oid AND COALESCE(NULLIF(p.seq_scan, 0) = h.seq_scan OR NULLIF(p.idx_scan, 0) = h.idx_scan OR NULLIF(p.n_tup_ins, 0) = h.n_tup_ins OR NULLIF(p.n_tup_upd, 0) = h.n_tup_upd OR NULLIF(p.n_tup_del, 0) = h.n_tup_del OR NULLIF(p.blks_read, 0) = h.blks_read OR p.last_vacuum = h.last_vacuum OR p.last_autovacuum = h.last_autovacuum OR p.last_analyze = h.last_analyze OR p.last_autoanalyze = h.last_autoanalyze OR p.stats_reset = h.stats_reset, false)) AND (h.relation_oid = 0::oid OR h.before_sample_id = p.sample_id) AND NOT h.stats_reset IS DISTINCT FROM p.stats_reset AS lived_on,
            p.sample_id IS NULL AND h.relation_oid > c.last_oid AND h.relation_kind <> 'index'::text AND s.epoch = cs.epoch AND NOT (s.counting ->> 'reset'::text) IS DISTINCT FROM (cs.counting ->> 'reset'::text) AS began) l
     CROSS JOIN LATERAL ( SELECT l.lived_on,
            l.began,
            NULLIF(GREATEST(EXTRACT(epoch FROM h.taken_at -
                CASE
                    WHEN l.began THEN c.taken_at
                    ELSE
                    CASE
                        WHEN c.left_out = 0 AND (c.postponed_since > p.taken_at) IS NOT FALSE THEN GREATEST(c.taken_at, p.taken_at)
                        ELSE p.taken_at
                    END
                END)::double precision, 0::double precision), 0::double precision) AS seconds) m;
CREATE OR REPLACE VIEW pgperf.statement_deltas AS
 SELECT h.node_id,
    h.sample_id,
    h.taken_at,
    h.run_id,
    h.queryid,
    h.userid,
    h.dbid,
    h.toplevel,
    m.seconds,
    h.role_name,
    h.database_name,
    h.statements,
    h.left_out,
    h.dealloc,
        CASE
            WHEN m.lived_on AND h.plans >= p.plans THEN h.plans - p.plans
            WHEN m.began THEN h.plans
            ELSE NULL::bigint
        END AS plans,
        CASE
            WHEN m.lived_on AND h.total_plan_time >= p.total_plan_time THEN h.total_plan_time - p.total_plan_time
            WHEN m.began THEN h.total_plan_time
            ELSE NULL::double precision
        END AS total_plan_time,
        CASE
            WHEN m.lived_on AND h.plan_time_squares >= p.plan_time_squares THEN h.plan_time_squares - p.plan_time_squares
            WHEN m.began THEN h.plan_time_squares
            ELSE NULL::double precision
        END AS plan_time_squares,
        CASE
            WHEN m.lived_on AND h.calls >= p.calls THEN h.calls - p.calls
            WHEN m.began THEN h.calls
            ELSE NULL::bigint
        END AS calls,
        CASE
            WHEN m.lived_on AND h.total_exec_time >= p.total_exec_time THEN h.total_exec_time - p.total_exec_time
            WHEN m.began THEN h.total_exec_time
            ELSE NULL::double precision
        END AS total_exec_time,
        CASE
            WHEN m.lived_on AND h.exec_time_squares >= p.exec_time_squares THEN h.exec_time_squares - p.exec_time_squares
            WHEN m.began THEN h.exec_time_squares
            ELSE NULL::double precision
        END AS exec_time_squares,
        CASE
            WHEN m.lived_on AND h.rows >= p.rows THEN h.rows - p.rows
            WHEN m.began THEN h.rows
            ELSE NULL::bigint
        END AS rows,
        CASE
            WHEN m.lived_on AND h.shared_blks_hit >= p.shared_blks_hit THEN h.shared_blks_hit - p.shared_blks_hit
            WHEN m.began THEN h.shared_blks_hit
            ELSE NULL::bigint
        END AS shared_blks_hit,
        CASE
            WHEN m.lived_on AND h.shared_blks_read >= p.shared_blks_read THEN h.shared_blks_read - p.shared_blks_read
            WHEN m.began THEN h.shared_blks_read
            ELSE NULL::bigint
        END AS shared_blks_read,
        CASE
            WHEN m.lived_on AND h.shared_blks_dirtied >= p.shared_blks_dirtied THEN h.shared_blks_dirtied - p.shared_blks_dirtied
            WHEN m.began THEN h.shared_blks_dirtied
            ELSE NULL::bigint
        END AS shared_blks_dirtied,
        CASE
            WHEN m.lived_on AND h.shared_blks_written >= p.shared_blks_written THEN h.shared_blks_written - p.shared_blks_written
            WHEN m.began THEN h.shared_blks_written
            ELSE NULL::bigint
        END AS shared_blks_written,
        CASE
            WHEN m.lived_on AND h.local_blks_hit >= p.local_blks_hit THEN h.local_blks_hit - p.local_blks_hit
            WHEN m.began THEN h.local_blks_hit
            ELSE NULL::bigint
        END AS local_blks_hit,
        CASE
            WHEN m.lived_on AND h.local_blks_read >= p.local_blks_read THEN h.local_blks_read - p.local_blks_read
            WHEN m.began THEN h.local_blks_read
            ELSE NULL::bigint
        END AS local_blks_read,
        CASE
            WHEN m.lived_on AND h.local_blks_dirtied >= p.local_blks_dirtied THEN h.local_blks_dirtied - p.local_blks_dirtied
            WHEN m.began THEN h.local_blks_dirtied
            ELSE NULL::bigint
        END AS local_blks_dirtied,
        CASE
            WHEN m.lived_on AND h.local_blks_written >= p.local_blks_written THEN h.local_blks_written - p.local_blks_written
            WHEN m.began THEN h.local_blks_written
            ELSE NULL::bigint
        END AS local_blks_written,
        CASE
            WHEN m.lived_on AND h.temp_blks_read >= p.temp_blks_read THEN h.temp_blks_read - p.temp_blks_read
            WHEN m.began THEN h.temp_blks_read
            ELSE NULL::bigint
        END AS temp_blks_read,
        CASE
            WHEN m.lived_on AND h.temp_blks_written >= p.temp_blks_written THEN h.temp_blks_written - p.temp_blks_written
            WHEN m.began THEN h.temp_blks_written
            ELSE NULL::bigint
        END AS temp_blks_written,
        CASE
            WHEN m.lived_on AND h.shared_blk_read_time >= p.shared_blk_read_time THEN h.shared_blk_read_time - p.shared_blk_read_time
            WHEN m.began THEN h.shared_blk_read_time
            ELSE NULL::double precision
        END AS shared_blk_read_time,
        CASE
            WHEN m.lived_on AND h.shared_blk_write_time >= p.shared_blk_write_time THEN h.shared_blk_write_time - p.shared_blk_write_time
            WHEN m.began THEN h.shared_blk_write_time
            ELSE NULL::double precision
        END AS shared_blk_write_time,
        CASE
            WHEN m.lived_on AND h.local_blk_read_time >= p.local_blk_read_time THEN h.local_blk_read_time - p.local_blk_read_time
            WHEN m.began THEN h.local_blk_read_time
            ELSE NULL::double precision
        END AS local_blk_read_time,
        CASE
            WHEN m.lived_on AND h.local_blk_write_time >= p.local_blk_write_time THEN h.local_blk_write_time - p.local_blk_write_time
            WHEN m.began THEN h.local_blk_write_time
            ELSE NULL::double precision
        END AS local_blk_write_time,
        CASE
            WHEN m.lived_on AND h.temp_blk_read_time >= p.temp_blk_read_time THEN h.temp_blk_read_time - p.temp_blk_read_time
            WHEN m.began THEN h.temp_blk_read_time
            ELSE NULL::double precision
        END AS temp_blk_read_time,
        CASE
            WHEN m.lived_on AND h.temp_blk_write_time >= p.temp_blk_write_time THEN h.temp_blk_write_time - p.temp_blk_write_time
            WHEN m.began THEN h.temp_blk_write_time
            ELSE NULL::double precision
        END AS temp_blk_write_time,
        CASE
            WHEN m.lived_on AND h.wal_records >= p.wal_records THEN h.wal_records - p.wal_records
            WHEN m.began THEN h.wal_records
            ELSE NULL::bigint
        END AS wal_records,
        CASE
            WHEN m.lived_on AND h.wal_fpi >= p.wal_fpi THEN h.wal_fpi - p.wal_fpi
            WHEN m.began THEN h.wal_fpi
            ELSE NULL::bigint
        END AS wal_fpi,
        CASE
            WHEN m.lived_on AND h.wal_bytes >= p.wal_bytes THEN h.wal_bytes - p.wal_bytes
            WHEN m.began THEN h.wal_bytes
            ELSE NULL::bigint
        END AS wal_bytes,
        CASE
            WHEN m.lived_on AND h.wal_buffers_full >= p.wal_buffers_full THEN h.wal_buffers_full - p.wal_buffers_full
            WHEN m.began THEN h.wal_buffers_full
            ELSE NULL::bigint
        END AS wal_buffers_full,
        CASE
            WHEN m.lived_on AND h.jit_functions >= p.jit_functions THEN h.jit_functions - p.jit_functions
            WHEN m.began THEN h.jit_functions
            ELSE NULL::bigint
        END AS jit_functions,
        CASE
            WHEN m.lived_on AND h.jit_generation_time >= p.jit_generation_time THEN h.jit_generation_time - p.jit_generation_time
            WHEN m.began THEN h.jit_generation_time
            ELSE NULL::double precision
        END AS jit_generation_time,
        CASE
            WHEN m.lived_on AND h.jit_inlining_count >= p.jit_inlining_count THEN h.jit_inlining_count - p.jit_inlining_count
            WHEN m.began THEN h.jit_inlining_count
            ELSE NULL::bigint
        END AS jit_inlining_count,
        CASE
            WHEN m.lived_on AND h.jit_inlining_time >= p.jit_inlining_time THEN h.jit_inlining_time - p.jit_inlining_time
            WHEN m.began THEN h.jit_inlining_time
            ELSE NULL::double precision
        END AS jit_inlining_time,
        CASE
            WHEN m.lived_on AND h.jit_optimization_count >= p.jit_optimization_count THEN h.jit_optimization_count - p.jit_optimization_count
            WHEN m.began THEN h.jit_optimization_count
            ELSE NULL::bigint
        END AS jit_optimization_count,
        CASE
            WHEN m.lived_on AND h.jit_optimization_time >= p.jit_optimization_time THEN h.jit_optimization_time - p.jit_optimization_time
            WHEN m.began THEN h.jit_optimization_time
            ELSE NULL::double precision
        END AS jit_optimization_time,
        CASE
            WHEN m.lived_on AND h.jit_emission_count >= p.jit_emission_count THEN h.jit_emission_count - p.jit_emission_count
            WHEN m.began THEN h.jit_emission_count
            ELSE NULL::bigint
        END AS jit_emission_count,
        CASE
            WHEN m.lived_on AND h.jit_emission_time >= p.jit_emission_time THEN h.jit_emission_time - p.jit_emission_time
            WHEN m.began THEN h.jit_emission_time
            ELSE NULL::double precision
        END AS jit_emission_time,
        CASE
            WHEN m.lived_on AND h.jit_deform_count >= p.jit_deform_count THEN h.jit_deform_count - p.jit_deform_count
            WHEN m.began THEN h.jit_deform_count
            ELSE NULL::bigint
        END AS jit_deform_count,
        CASE
            WHEN m.lived_on AND h.jit_deform_time >= p.jit_deform_time THEN h.jit_deform_time - p.jit_deform_time
            WHEN m.began THEN h.jit_deform_time
            ELSE NULL::double precision
        END AS jit_deform_time,
        CASE
            WHEN m.lived_on AND h.parallel_workers_to_launch >= p.parallel_workers_to_launch THEN h.parallel_workers_to_launch - p.parallel_workers_to_launch
            WHEN m.began THEN h.parallel_workers_to_launch
            ELSE NULL::bigint
        END AS parallel_workers_to_launch,
        CASE
            WHEN m.lived_on AND h.parallel_workers_launched >= p.parallel_workers_launched THEN h.parallel_workers_launched - p.parallel_workers_launched
            WHEN m.began THEN h.parallel_workers_launched
            ELSE NULL::bigint
        END AS parallel_workers_launched,
        CASE
            WHEN m.lived_on AND h.generic_plan_calls >= p.generic_plan_calls THEN h.generic_plan_calls - p.generic_plan_calls
            WHEN m.began THEN h.generic_plan_calls
            ELSE NULL::bigint
        END AS generic_plan_calls,
        CASE
            WHEN m.lived_on AND h.custom_plan_calls >= p.custom_plan_calls THEN h.custom_plan_calls - p.custom_plan_calls
            WHEN m.began THEN h.custom_plan_calls
            ELSE NULL::bigint
        END AS custom_plan_calls,
        CASE
            WHEN m.lived_on AND h.plans >= p.plans THEN h.plans - p.plans
            WHEN m.began THEN h.plans
            ELSE NULL::bigint
        END::double precision / m.seconds AS plans_per_s,
        CASE
            WHEN m.lived_on AND h.total_plan_time >= p.total_plan_time THEN h.total_plan_time - p.total_plan_time
            WHEN m.began THEN h.total_plan_time
            ELSE NULL::double precision
        END / m.seconds AS total_plan_time_per_s,
        CASE
            WHEN m.lived_on AND h.plan_time_squares >= p.plan_time_squares THEN h.plan_time_squares - p.plan_time_squares
            WHEN m.began THEN h.plan_time_squares
            ELSE NULL::double precision
        END / m.seconds AS plan_time_squares_per_s,
        CASE
            WHEN m.lived_on AND h.calls >= p.calls THEN h.calls - p.calls
            WHEN m.began THEN h.calls
            ELSE NULL::bigint
        END::double precision / m.seconds AS calls_per_s,
        CASE
            WHEN m.lived_on AND h.total_exec_time >= p.total_exec_time THEN h.total_exec_time - p.total_exec_time
            WHEN m.began THEN h.total_exec_time
            ELSE NULL::double precision
        END / m.seconds AS total_exec_time_per_s,
        CASE
            WHEN m.lived_on AND h.exec_time_squares >= p.exec_time_squares THEN h.exec_time_squares - p.exec_time_squares
            WHEN m.began THEN h.exec_time_squares
            ELSE NULL::double precision
        END / m.seconds AS exec_time_squares_per_s,
        CASE
            WHEN m.lived_on AND h.rows >= p.rows THEN h.rows - p.rows
            WHEN m.began THEN h.rows
            ELSE NULL::bigint
        END::double precision / m.seconds AS rows_per_s,
        CASE
            WHEN m.lived_on AND h.shared_blks_hit >= p.shared_blks_hit THEN h.shared_blks_hit - p.shared_blks_hit
            WHEN m.began THEN h.shared_blks_hit
            ELSE NULL::bigint
        END::double precision / m.seconds AS shared_blks_hit_per_s,
        CASE
            WHEN m.lived_on AND h.shared_blks_read >= p.shared_blks_read THEN h.shared_blks_read - p.shared_blks_read
            WHEN m.began THEN h.shared_blks_read
            ELSE NULL::bigint
        END::double precision / m.seconds AS shared_blks_read_per_s,
        CASE
            WHEN m.lived_on AND h.shared_blks_dirtied >= p.shared_blks_dirtied THEN h.shared_blks_dirtied - p.shared_blks_dirtied
            WHEN m.began THEN h.shared_blks_dirtied
            ELSE NULL::bigint
        END::double precision / m.seconds AS shared_blks_dirtied_per_s,
        CASE
            WHEN m.lived_on AND h.shared_blks_written >= p.shared_blks_written THEN h.shared_blks_written - p.shared_blks_written
            WHEN m.began THEN h.shared_blks_written
            ELSE NULL::bigint
        END::double precision / m.seconds AS shared_blks_written_per_s,
        CASE
            WHEN m.lived_on AND h.local_blks_hit >= p.local_blks_hit THEN h.local_blks_hit - p.local_blks_hit
            WHEN m.began THEN h.local_blks_hit
            ELSE NULL::bigint
        END::double precision / m.seconds AS local_blks_hit_per_s,
        CASE
            WHEN m.lived_on AND h.local_blks_read >= p.local_blks_read THEN h.local_blks_read - p.local_blks_read
            WHEN m.began THEN h.local_blks_read
            ELSE NULL::bigint
        END::double precision / m.seconds AS local_blks_read_per_s,
        CASE
            WHEN m.lived_on AND h.local_blks_dirtied >= p.local_blks_dirtied THEN h.local_blks_dirtied - p.local_blks_dirtied
            WHEN m.began THEN h.local_blks_dirtied
            ELSE NULL::bigint
        END::double precision / m.seconds AS local_blks_dirtied_per_s,
        CASE
            WHEN m.lived_on AND h.local_blks_written >= p.local_blks_written THEN h.local_blks_written - p.local_blks_written
            WHEN m.began THEN h.local_blks_written
            ELSE NULL::bigint
        END::double precision / m.seconds AS local_blks_written_per_s,
        CASE
            WHEN m.lived_on AND h.temp_blks_read >= p.temp_blks_read THEN h.temp_blks_read - p.temp_blks_read
            WHEN m.began THEN h.temp_blks_read
            ELSE NULL::bigint
        END::double precision / m.seconds AS temp_blks_read_per_s,
        CASE
            WHEN m.lived_on AND h.temp_blks_written >= p.temp_blks_written THEN h.temp_blks_written - p.temp_blks_written
            WHEN m.began THEN h.temp_blks_written
            ELSE NULL::bigint
        END::double precision / m.seconds AS temp_blks_written_per_s,
        CASE
            WHEN m.lived_on AND h.shared_blk_read_time >= p.shared_blk_read_time THEN h.shared_blk_read_time - p.shared_blk_read_time
            WHEN m.began THEN h.shared_blk_read_time
            ELSE NULL::double precision
        END / m.seconds AS shared_blk_read_time_per_s,
        CASE
            WHEN m.lived_on AND h.shared_blk_write_time >= p.shared_blk_write_time THEN h.shared_blk_write_time - p.shared_blk_write_time
            WHEN m.began THEN h.shared_blk_write_time
            ELSE NULL::double precision
        END / m.seconds AS shared_blk_write_time_per_s,
        CASE
            WHEN m.lived_on AND h.local_blk_read_time >= p.local_blk_read_time THEN h.local_blk_read_time - p.local_blk_read_time
            WHEN m.began THEN h.local_blk_read_time
            ELSE NULL::double precision
        END / m.seconds AS local_blk_read_time_per_s,
        CASE
            WHEN m.lived_on AND h.local_blk_write_time >= p.local_blk_write_time THEN h.local_blk_write_time - p.local_blk_write_time
            WHEN m.began THEN h.local_blk_write_time
            ELSE NULL::double precision
        END / m.seconds AS local_blk_write_time_per_s,
        CASE
            WHEN m.lived_on AND h.temp_blk_read_time >= p.temp_blk_read_time THEN h.temp_blk_read_time - p.temp_blk_read_time
            WHEN m.began THEN h.temp_blk_read_time
            ELSE NULL::double precision
        END / m.seconds AS temp_blk_read_time_per_s,
        CASE
            WHEN m.lived_on AND h.temp_blk_write_time >= p.temp_blk_write_time THEN h.temp_blk_write_time - p.temp_blk_write_time
            WHEN m.began THEN h.temp_blk_write_time
            ELSE NULL::double precision
        END / m.seconds AS temp_blk_write_time_per_s,
        CASE
            WHEN m.lived_on AND h.wal_records >= p.wal_records THEN h.wal_records - p.wal_records
            WHEN m.began THEN h.wal_records
            ELSE NULL::bigint
        END::double precision / m.seconds AS wal_records_per_s,
        CASE
            WHEN m.lived_on AND h.wal_fpi >= p.wal_fpi THEN h.wal_fpi - p.wal_fpi
            WHEN m.began THEN h.wal_fpi
            ELSE NULL::bigint
        END::double precision / m.seconds AS wal_fpi_per_s,
        CASE
            WHEN m.lived_on AND h.wal_bytes >= p.wal_bytes THEN h.wal_bytes - p.wal_bytes
            WHEN m.began THEN h.wal_bytes
            ELSE NULL::bigint
        END::double precision / m.seconds AS wal_bytes_per_s,
        CASE
            WHEN m.lived_on AND h.wal_buffers_full >= p.wal_buffers_full THEN h.wal_buffers_full - p.wal_buffers_full
            WHEN m.began THEN h.wal_buffers_full
            ELSE NULL::bigint
        END::double precision / m.seconds AS wal_buffers_full_per_s,
        CASE
            WHEN m.lived_on AND h.jit_functions >= p.jit_functions THEN h.jit_functions - p.jit_functions
            WHEN m.began THEN h.jit_functions
            ELSE NULL::bigint
        END::double precision / m.seconds AS jit_functions_per_s,
        CASE
            WHEN m.lived_on AND h.jit_generation_time >= p.jit_generation_time THEN h.jit_generation_time - p.jit_generation_time
            WHEN m.began THEN h.jit_generation_time
            ELSE NULL::double precision
        END / m.seconds AS jit_generation_time_per_s,
        CASE
            WHEN m.lived_on AND h.jit_inlining_count >= p.jit_inlining_count THEN h.jit_inlining_count - p.jit_inlining_count
            WHEN m.began THEN h.jit_inlining_count
            ELSE NULL::bigint
        END::double precision / m.seconds AS jit_inlining_count_per_s,
        CASE
            WHEN m.lived_on AND h.jit_inlining_time >= p.jit_inlining_time THEN h.jit_inlining_time - p.jit_inlining_time
            WHEN m.began THEN h.jit_inlining_time
            ELSE NULL::double precision
        END / m.seconds AS jit_inlining_time_per_s,
        CASE
            WHEN m.lived_on AND h.jit_optimization_count >= p.jit_optimization_count THEN h.jit_optimization_count - p.jit_optimization_count
            WHEN m.began THEN h.jit_optimization_count
            ELSE NULL::bigint
        END::double precision / m.seconds AS jit_optimization_count_per_s,
        CASE
            WHEN m.lived_on AND h.jit_optimization_time >= p.jit_optimization_time THEN h.jit_optimization_time - p.jit_optimization_time
            WHEN m.began THEN h.jit_optimization_time
            ELSE NULL::double precision
        END / m.seconds AS jit_optimization_time_per_s,
        CASE
            WHEN m.lived_on AND h.jit_emission_count >= p.jit_emission_count THEN h.jit_emission_count - p.jit_emission_count
            WHEN m.began THEN h.jit_emission_count
            ELSE NULL::bigint
        END::double precision / m.seconds AS jit_emission_count_per_s,
        CASE
            WHEN m.lived_on AND h.jit_emission_time >= p.jit_emission_time THEN h.jit_emission_time - p.jit_emission_time
            WHEN m.began THEN h.jit_emission_time
            ELSE NULL::double precision
        END / m.seconds AS jit_emission_time_per_s,
        CASE
            WHEN m.lived_on AND h.jit_deform_count >= p.jit_deform_count THEN h.jit_deform_count - p.jit_deform_count
            WHEN m.began THEN h.jit_deform_count
            ELSE NULL::bigint
        END::double precision / m.seconds AS jit_deform_count_per_s,
        CASE
            WHEN m.lived_on AND h.jit_deform_time >= p.jit_deform_time THEN h.jit_deform_time - p.jit_deform_time
            WHEN m.began THEN h.jit_deform_time
            ELSE NULL::double precision
        END / m.seconds AS jit_deform_time_per_s,
        CASE
            WHEN m.lived_on AND h.parallel_workers_to_launch >= p.parallel_workers_to_launch THEN h.parallel_workers_to_launch - p.parallel_workers_to_launch
            WHEN m.began THEN h.parallel_workers_to_launch
            ELSE NULL::bigint
        END::double precision / m.seconds AS parallel_workers_to_launch_per_s,
        CASE
            WHEN m.lived_on AND h.parallel_workers_launched >= p.parallel_workers_launched THEN h.parallel_workers_launched - p.parallel_workers_launched
            WHEN m.began THEN h.parallel_workers_launched
            ELSE NULL::bigint
        END::double precision / m.seconds AS parallel_workers_launched_per_s,
        CASE
            WHEN m.lived_on AND h.generic_plan_calls >= p.generic_plan_calls THEN h.generic_plan_calls - p.generic_plan_calls
            WHEN m.began THEN h.generic_plan_calls
            ELSE NULL::bigint
        END::double precision / m.seconds AS generic_plan_calls_per_s,
        CASE
            WHEN m.lived_on AND h.custom_plan_calls >= p.custom_plan_calls THEN h.custom_plan_calls - p.custom_plan_calls
            WHEN m.began THEN h.custom_plan_calls
            ELSE NULL::bigint
        END::double precision / m.seconds AS custom_plan_calls_per_s,
        CASE
            WHEN m.lived_on AND h.exec_user_time >= p.exec_user_time THEN h.exec_user_time - p.exec_user_time
            ELSE NULL::double precision
        END AS exec_user_time,
        CASE
            WHEN m.lived_on AND h.exec_system_time >= p.exec_system_time THEN h.exec_system_time - p.exec_system_time
            ELSE NULL::double precision
        END AS exec_system_time,
        CASE
            WHEN m.lived_on AND h.exec_reads >= p.exec_reads THEN h.exec_reads - p.exec_reads
            ELSE NULL::bigint
        END AS exec_reads,
        CASE
            WHEN m.lived_on AND h.exec_writes >= p.exec_writes THEN h.exec_writes - p.exec_writes
            ELSE NULL::bigint
        END AS exec_writes,
        CASE
            WHEN m.lived_on AND h.exec_user_time >= p.exec_user_time THEN h.exec_user_time - p.exec_user_time
            ELSE NULL::double precision
        END / m.seconds AS exec_user_time_per_s,
        CASE
            WHEN m.lived_on AND h.exec_system_time >= p.exec_system_time THEN h.exec_system_time - p.exec_system_time
            ELSE NULL::double precision
        END / m.seconds AS exec_system_time_per_s,
        CASE
            WHEN m.lived_on AND h.exec_reads >= p.exec_reads THEN h.exec_reads - p.exec_reads
            ELSE NULL::bigint
        END::double precision / m.seconds AS exec_reads_per_s,
        CASE
            WHEN m.lived_on AND h.exec_writes >= p.exec_writes THEN h.exec_writes - p.exec_writes
            ELSE NULL::bigint
        END::double precision / m.seconds AS exec_writes_per_s
   FROM pgperf.statement_history h
     JOIN pgperf.samples s ON s.node_id = h.node_id AND s.sample_id = h.sample_id AND s.taken_at = h.taken_at
     LEFT JOIN LATERAL ( SELECT x.node_id,
            x.sample_id,
            x.taken_at,
            x.run_id,
            x.queryid,
            x.userid,
            x.dbid,
            x.toplevel,
            x.before_sample_id,
            x.role_name,
            x.database_name,
            x.statements,
            x.left_out,
            x.dealloc,
            x.min_plan_time,
            x.max_plan_time,
            x.mean_plan_time,
            x.stddev_plan_time,
            x.min_exec_time,
            x.max_exec_time,
            x.mean_exec_time,
            x.stddev_exec_time,
            x.plans,
            x.total_plan_time,
            x.plan_time_squares,
            x.calls,
            x.total_exec_time,
            x.exec_time_squares,
            x.rows,
            x.shared_blks_hit,
            x.shared_blks_read,
            x.shared_blks_dirtied,
            x.shared_blks_written,
            x.local_blks_hit,
            x.local_blks_read,
            x.local_blks_dirtied,
            x.local_blks_written,
            x.temp_blks_read,
            x.temp_blks_written,
            x.shared_blk_read_time,
            x.shared_blk_write_time,
            x.local_blk_read_time,
            x.local_blk_write_time,
            x.temp_blk_read_time,
            x.temp_blk_write_time,
            x.wal_records,
            x.wal_fpi,
            x.wal_bytes,
            x.wal_buffers_full,
            x.jit_functions,
            x.jit_generation_time,
            x.jit_inlining_count,
            x.jit_inlining_time,
            x.jit_optimization_count,
            x.jit_optimization_time,
            x.jit_emission_count,
            x.jit_emission_time,
            x.jit_deform_count,
            x.jit_deform_time,
            x.parallel_workers_to_launch,
            x.parallel_workers_launched,
            x.generic_plan_calls,
            x.custom_plan_calls,
            x.stats_since,
            x.minmax_stats_since,
            x.stats_reset,
            x.max_left_out_time,
            x.exec_reads,
            x.exec_system_time,
            x.exec_user_time,
            x.exec_writes,
            x.postponed_since
           FROM pgperf.statement_history x
          WHERE x.node_id = h.node_id AND x.queryid = h.queryid AND x.userid = h.userid AND x.dbid = h.dbid AND x.toplevel = h.toplevel AND x.sample_id < h.sample_id
          ORDER BY x.sample_id DESC
         LIMIT 1) p ON true
     LEFT JOIN LATERAL ( SELECT x.node_id,
            x.sample_id,
            x.taken_at,
            x.run_id,
            x.queryid,
            x.userid,
            x.dbid,
            x.toplevel,
            x.before_sample_id,
            x.role_name,
            x.database_name,
            x.statements,
            x.left_out,
            x.dealloc,
            x.min_plan_time,
            x.max_plan_time,
            x.mean_plan_time,
            x.stddev_plan_time,
            x.min_exec_time,
            x.max_exec_time,
            x.mean_exec_time,
            x.stddev_exec_time,
            x.plans,
            x.total_plan_time,
            x.plan_time_squares,
            x.calls,
            x.total_exec_time,
            x.exec_time_squares,
            x.rows,
            x.shared_blks_hit,
            x.shared_blks_read,
            x.shared_blks_dirtied,
            x.shared_blks_written,
            x.local_blks_hit,
            x.local_blks_read,
            x.local_blks_dirtied,
            x.local_blks_written,
            x.temp_blks_read,
            x.temp_blks_written,
            x.shared_blk_read_time,
            x.shared_blk_write_time,
            x.local_blk_read_time,
            x.local_blk_write_time,
            x.temp_blk_read_time,
            x.temp_blk_write_time,
            x.wal_records,
            x.wal_fpi,
            x.wal_bytes,
            x.wal_buffers_full,
            x.jit_functions,
            x.jit_generation_time,
            x.jit_inlining_count,
            x.jit_inlining_time,
            x.jit_optimization_count,
            x.jit_optimization_time,
            x.jit_emission_count,
            x.jit_emission_time,
            x.jit_deform_count,
            x.jit_deform_time,
            x.parallel_workers_to_launch,
            x.parallel_workers_launched,
            x.generic_plan_calls,
            x.custom_plan_calls,
            x.stats_since,
            x.minmax_stats_since,
            x.stats_reset,
            x.max_left_out_time,
            x.exec_reads,
            x.exec_system_time,
            x.exec_user_time,
            x.exec_writes,
            x.postponed_since
           FROM pgperf.statement_history x
          WHERE x.node_id = h.node_id AND x.queryid = 0 AND x.sample_id < h.sample_id
          ORDER BY x.sample_id DESC
         LIMIT 1) c ON true
     LEFT JOIN pgperf.samples ps ON ps.node_id = h.node_id AND ps.sample_id = p.sample_id AND ps.taken_at = p.taken_at
     LEFT JOIN pgperf.samples cs ON cs.node_id = h.node_id AND cs.sample_id = c.sample_id AND cs.taken_at = c.taken_at
     CROSS JOIN LATERAL ( SELECT
                CASE
                    WHEN h.queryid = 0 THEN h.dealloc = p.dealloc
                    WHEN h.stats_since IS NOT NULL THEN h.stats_since = p.stats_since
                    ELSE LEAST((h.calls - p.calls)::double precision, h.total_exec_time - p.total_exec_time, (h.rows - p.rows)::double precision, (h.shared_blks_hit - p.shared_blks_hit)::double precision, (h.shared_blks_read - p.shared_blks_read)::double precision, (h.temp_blks_written - p.temp_blks_written)::double precision, (h.wal_bytes - p.wal_bytes)::double precision) >= 0::double precision AND h.min_exec_time <= p.min_exec_time AND h.max_exec_time >= p.max_exec_time
                END AND (h.queryid = 0 OR h.before_sample_id = p.sample_id) AND NOT h.stats_reset IS DISTINCT FROM p.stats_reset AS lived_on,
            p.sample_id IS NULL AND h.queryid <> 0 AND
                CASE
                    WHEN h.stats_since IS NOT NULL THEN h.stats_since > c.taken_at
                    ELSE c.left_out = 0
                END AS began) l
     CROSS JOIN LATERAL ( SELECT l.lived_on,
            l.began,
            NULLIF(GREATEST(EXTRACT(epoch FROM h.taken_at -
                CASE
                    WHEN l.began THEN c.taken_at
                    ELSE
                    CASE
                        WHEN c.left_out = 0 AND (c.postponed_since > p.taken_at) IS NOT FALSE THEN GREATEST(c.taken_at, p.taken_at)
                        ELSE p.taken_at
                    END
                END)::double precision, 0::double precision), 0::double precision) AS seconds) m;
CREATE OR REPLACE VIEW pgperf.statement_rates AS
 SELECT d.node_id,
    d.sample_id,
    d.taken_at,
    d.run_id,
    d.queryid,
    d.userid,
    d.dbid,
    d.toplevel,
    d.seconds,
    d.role_name,
    d.database_name,
    d.statements,
    d.left_out,
    d.dealloc,
    d.plans,
    d.total_plan_time,
    d.plan_time_squares,
    d.calls,
    d.total_exec_time,
    d.exec_time_squares,
    d.rows,
    d.shared_blks_hit,
    d.shared_blks_read,
    d.shared_blks_dirtied,
    d.shared_blks_written,
    d.local_blks_hit,
    d.local_blks_read,
    d.local_blks_dirtied,
    d.local_blks_written,
    d.temp_blks_read,
    d.temp_blks_written,
    d.shared_blk_read_time,
    d.shared_blk_write_time,
    d.local_blk_read_time,
    d.local_blk_write_time,
    d.temp_blk_read_time,
    d.temp_blk_write_time,
    d.wal_records,
    d.wal_fpi,
    d.wal_bytes,
    d.wal_buffers_full,
    d.jit_functions,
    d.jit_generation_time,
    d.jit_inlining_count,
    d.jit_inlining_time,
    d.jit_optimization_count,
    d.jit_optimization_time,
    d.jit_emission_count,
    d.jit_emission_time,
    d.jit_deform_count,
    d.jit_deform_time,
    d.parallel_workers_to_launch,
    d.parallel_workers_launched,
    d.generic_plan_calls,
    d.custom_plan_calls,
    d.plans_per_s,
    d.total_plan_time_per_s,
    d.plan_time_squares_per_s,
    d.calls_per_s,
    d.total_exec_time_per_s,
    d.exec_time_squares_per_s,
    d.rows_per_s,
    d.shared_blks_hit_per_s,
    d.shared_blks_read_per_s,
    d.shared_blks_dirtied_per_s,
    d.shared_blks_written_per_s,
    d.local_blks_hit_per_s,
    d.local_blks_read_per_s,
    d.local_blks_dirtied_per_s,
    d.local_blks_written_per_s,
    d.temp_blks_read_per_s,
    d.temp_blks_written_per_s,
    d.shared_blk_read_time_per_s,
    d.shared_blk_write_time_per_s,
    d.local_blk_read_time_per_s,
    d.local_blk_write_time_per_s,
    d.temp_blk_read_time_per_s,
    d.temp_blk_write_time_per_s,
    d.wal_records_per_s,
    d.wal_fpi_per_s,
    d.wal_bytes_per_s,
    d.wal_buffers_full_per_s,
    d.jit_functions_per_s,
    d.jit_generation_time_per_s,
    d.jit_inlining_count_per_s,
    d.jit_inlining_time_per_s,
    d.jit_optimization_count_per_s,
    d.jit_optimization_time_per_s,
    d.jit_emission_count_per_s,
    d.jit_emission_time_per_s,
    d.jit_deform_count_per_s,
    d.jit_deform_time_per_s,
    d.parallel_workers_to_launch_per_s,
    d.parallel_workers_launched_per_s,
    d.generic_plan_calls_per_s,
    d.custom_plan_calls_per_s,
    d.total_exec_time / NULLIF(d.calls, 0)::double precision AS mean_exec_time,
        CASE
            WHEN d.calls > 0 AND d.exec_time_squares IS NOT NULL AND d.total_exec_time IS NOT NULL THEN sqrt(GREATEST(0::double precision, d.exec_time_squares / d.calls::double precision - d.total_exec_time / d.calls::double precision * (d.total_exec_time / d.calls::double precision)))
            ELSE NULL::double precision
        END AS stddev_exec_time,
    d.total_plan_time / NULLIF(d.plans, 0)::double precision AS mean_plan_time,
    (100 * d.shared_blks_hit)::double precision / NULLIF(d.shared_blks_hit + d.shared_blks_read, 0)::double precision AS hit_percent,
    t.query,
    d.exec_user_time,
    d.exec_system_time,
    d.exec_reads,
    d.exec_writes,
    d.exec_user_time_per_s,
    d.exec_system_time_per_s,
    d.exec_reads_per_s,
    d.exec_writes_per_s
   FROM pgperf.statement_deltas d
     LEFT JOIN LATERAL ( SELECT x.query
           FROM pgperf.statement_texts x
          WHERE x.node_id = d.node_id AND x.queryid = d.queryid AND x.dbid = d.dbid
         LIMIT 1) t ON true;
CREATE INDEX plan_texts_object_idx ON pgperf.plan_texts USING btree (node_id, plan_hash);
CREATE VIEW pgperf.statement_plans AS
 SELECT h.node_id,
    h.queryid,
    h.userid,
    h.dbid,
    h.plan_hash,
    (array_agg(h.role_name ORDER BY h.sample_id DESC))[1] AS role_name,
    (array_agg(h.database_name ORDER BY h.sample_id DESC))[1] AS database_name,
    min(h.taken_at) AS first_seen_at,
    max(h.taken_at) AS last_seen_at,
    count(*) AS times_seen,
    sum(h.mean_exec_time * h.calls::double precision) / NULLIF(sum(h.calls), 0::numeric)::double precision AS mean_exec_time,
    sum(h.blocks_per_call * h.calls::double precision) / NULLIF(sum(h.calls), 0::numeric)::double precision AS blocks_per_call,
    (array_agg(h.total_cost ORDER BY h.sample_id DESC))[1] AS total_cost,
    ( SELECT x.plan
           FROM pgperf.plan_texts x
          WHERE x.node_id = h.node_id AND x.plan_hash = h.plan_hash
         LIMIT 1) AS plan,
    ( SELECT x.query
           FROM pgperf.statement_texts x
          WHERE x.node_id = h.node_id AND x.queryid = h.queryid AND x.dbid = h.dbid
         LIMIT 1) AS query
   FROM pgperf.plan_history h
  WHERE h.plan_hash IS NOT NULL
  GROUP BY h.node_id, h.queryid, h.userid, h.dbid, h.plan_hash;
CREATE VIEW pgperf.wait_profile_deltas AS
 SELECT h.node_id,
    h.sample_id,
    h.taken_at,
    h.run_id,
    h.wait_event_type,
    h.wait_event,
    h.in_statement,
    m.seconds,
    h.period_ms,
        CASE
            WHEN m.lived_on AND h.samples >= p.samples THEN h.samples - p.samples
            WHEN m.began THEN h.samples
            ELSE NULL::bigint
        END AS samples,
        CASE
            WHEN m.lived_on AND h.samples >= p.samples THEN h.samples - p.samples
            WHEN m.began THEN h.samples
            ELSE NULL::bigint
        END::double precision / m.seconds AS samples_per_s
   FROM pgperf.wait_profile_history h
     JOIN pgperf.samples s ON s.node_id = h.node_id AND s.sample_id = h.sample_id AND s.taken_at = h.taken_at
     LEFT JOIN LATERAL ( SELECT x.sample_id,
            x.taken_at
           FROM pgperf.wait_profile_history x
          WHERE x.node_id = h.node_id AND x.sample_id < h.sample_id
          ORDER BY x.sample_id DESC
         LIMIT 1) c ON true
     LEFT JOIN LATERAL ( SELECT x.node_id,
            x.sample_id,
            x.taken_at,
            x.run_id,
            x.samples,
            x.period_ms,
            x.in_statement,
            x.wait_event_type,
            x.wait_event
           FROM pgperf.wait_profile_history x
          WHERE x.node_id = h.node_id AND x.sample_id = c.sample_id AND x.taken_at = c.taken_at AND NOT x.wait_event_type IS DISTINCT FROM h.wait_event_type AND NOT x.wait_event IS DISTINCT FROM h.wait_event AND NOT x.in_statement IS DISTINCT FROM h.in_statement
         OFFSET 0) p ON true
     LEFT JOIN pgperf.samples ps ON ps.node_id = h.node_id AND ps.sample_id = p.sample_id AND ps.taken_at = p.taken_at
     LEFT JOIN pgperf.samples cs ON cs.node_id = h.node_id AND cs.sample_id = c.sample_id AND cs.taken_at = c.taken_at
     CROSS JOIN LATERAL ( SELECT s.epoch = ps.epoch AS lived_on,
            p.sample_id IS NULL AND s.epoch = cs.epoch AS began) l
     CROSS JOIN LATERAL ( SELECT l.lived_on,
            l.began,
            NULLIF(GREATEST(EXTRACT(epoch FROM h.taken_at -
                CASE
                    WHEN l.began THEN c.taken_at
                    ELSE p.taken_at
                END)::double precision, 0::double precision), 0::double precision) AS seconds) m;
CREATE OR REPLACE VIEW pgperf.runs AS
 SELECT r.node_id,
    r.run_id,
    r.kind,
    r.label,
    r.workload,
    r.role,
        CASE
            WHEN r.stored_status = ANY (ARRAY['finished'::text, 'stopped'::text, 'failed'::text]) THEN r.stored_status
            WHEN r.origin_node_id IS NULL AND h.heard_at IS NULL AND pgperf_internal.leader_alive(r.node_id::text, r.run_id) THEN r.stored_status
            WHEN h.heard_at > (clock_timestamp() - GREATEST('00:01:00'::interval, 3::double precision * ((r.spec ->> 'sample_interval_s'::text)::double precision) * '00:00:01'::interval)) THEN r.stored_status
            ELSE 'interrupted'::text
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
    a.repetition AS sweep_repetition,
    r.resumed_at,
    COALESCE((r.spec ->> 'resume'::text)::boolean, false) AS resume,
    r.history_error,
    COALESCE(r.spec ->> 'server'::text, ( SELECT string_agg(concat(t.target ->> 'server'::text, '@', t.target ->> 'weight'::text), ', '::text ORDER BY t.place) AS string_agg
           FROM jsonb_path_query(r.spec, '$."servers"[*]'::jsonpath) WITH ORDINALITY t(target, place))) AS server,
    h.heard_at
   FROM pgperf_internal.stored_runs r
     LEFT JOIN pgperf_internal.sweep_attempts a USING (node_id, run_id)
     LEFT JOIN LATERAL ( SELECT GREATEST(r.requested_at, r.started_at, r.measured_at, r.resumed_at, ( SELECT i.started_at + i.seconds * '00:00:01'::interval
                   FROM pgperf.run_intervals i
                  WHERE i.node_id = r.node_id AND i.run_id = r.run_id
                  ORDER BY i.interval_no DESC
                 LIMIT 1), ( SELECT max(l.taken_at) AS max
                   FROM pgperf.run_receiver_lag l
                  WHERE l.node_id = r.node_id AND l.run_id = r.run_id)) AS heard_at
           FROM pgperf_internal.sources s
          WHERE s.node_id = r.node_id AND (r.stored_status <> ALL (ARRAY['finished'::text, 'stopped'::text, 'failed'::text]))) h ON true;
CREATE OR REPLACE VIEW pgperf.run_summary AS
 SELECT r.node_id,
    r.run_id,
    r.kind,
    r.label,
    r.workload,
    r.clients,
    r.status,
    f.transactions,
    f.seconds AS duration_s,
    f.transactions::double precision / NULLIF(f.seconds, 0::double precision) AS tps,
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
    f.wal_bytes::double precision / NULLIF(f.transactions, 0)::double precision AS wal_bytes_per_tx,
    100.0::double precision * f.shared_blks_hit::double precision / NULLIF(f.shared_blks_hit + f.shared_blks_read, 0)::double precision AS hit_percent,
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
    t.retry_ms,
    t.first_byte_ms,
    t.receive_ms
   FROM pgperf.runs r
     LEFT JOIN pgperf_internal.run_totals t USING (node_id, run_id)
     CROSS JOIN LATERAL ( SELECT t.seconds,
            t.transactions,
            t.failed,
            t.serialization_failures,
            t.deadlock_failures,
            t.other_failures,
            t.retried,
            t.retries,
            t.skipped,
            t.late,
            t.warmup_transactions,
            t.latency_avg_ms,
            t.latency_stddev_ms,
            t.latency_p50_ms,
            t.latency_p90_ms,
            t.latency_p95_ms,
            t.latency_p99_ms,
            t.latency_p999_ms,
            t.latency_p9999_ms,
            t.latency_max_ms,
            t.lag_avg_ms,
            t.lag_max_ms,
            t.connect_ms,
            t.reconnects,
            t.reconnect_avg_ms,
            t.rows_returned,
            t.bytes_returned,
            t.wal_bytes,
            t.wal_records,
            t.wal_fpi,
            t.shared_blks_hit,
            t.shared_blks_read,
            t.shared_blks_dirtied
          WHERE t.run_id IS NOT NULL
        UNION ALL
         SELECT s.seconds,
            s.transactions,
            s.failed,
            NULL::bigint AS int8,
            NULL::bigint AS int8,
            NULL::bigint AS int8,
            s.retried,
            s.retries,
            s.skipped,
            s.late,
            NULL::bigint AS int8,
            s.latency_avg_ms,
                CASE
                    WHEN s.latency_square_ms2 IS NOT NULL THEN sqrt(GREATEST(s.latency_square_ms2 - (s.latency_avg_ms ^ 2::double precision), 0::double precision))
                    ELSE NULL::double precision
                END AS "case",
            q.ms[1] AS ms,
            q.ms[2] AS ms,
            q.ms[3] AS ms,
            q.ms[4] AS ms,
            q.ms[5] AS ms,
            q.ms[6] AS ms,
            s.latency_max_ms,
            s.lag_avg_ms,
            s.lag_max_ms,
            NULL::double precision AS float8,
            NULL::bigint AS int8,
            NULL::double precision AS float8,
            NULL::bigint AS int8,
            NULL::bigint AS int8,
            s.wal_bytes,
            NULL::bigint AS int8,
            NULL::bigint AS int8,
            s.shared_blks_hit,
            s.shared_blks_read,
            NULL::bigint AS int8
           FROM ( SELECT sum(i.seconds) AS seconds,
                    sum(i.transactions)::bigint AS transactions,
                    sum(i.failed)::bigint AS failed,
                    sum(i.retried)::bigint AS retried,
                    sum(i.retries)::bigint AS retries,
                    sum(i.skipped)::bigint AS skipped,
                    sum(i.late)::bigint AS late,
                    sum(i.transactions::double precision * i.latency_avg_ms) / NULLIF(sum(i.transactions) FILTER (WHERE i.latency_avg_ms IS NOT NULL), 0::numeric)::double precision AS latency_avg_ms,
                    sum(i.transactions::double precision * ((i.latency_stddev_ms ^ 2::double precision) + (i.latency_avg_ms ^ 2::double precision))) / NULLIF(sum(i.transactions) FILTER (WHERE i.latency_stddev_ms IS NOT NULL), 0::numeric)::double precision AS latency_square_ms2,
                    pgperf.histogram_quantiles(array_agg(i.histogram), '{0.5,0.9,0.95,0.99,0.999,0.9999}'::double precision[]) AS quantiles_ms,
                    max(i.latency_max_ms) AS latency_max_ms,
                    sum(i.transactions::double precision * i.lag_avg_ms) / NULLIF(sum(i.transactions) FILTER (WHERE i.lag_avg_ms IS NOT NULL), 0::numeric)::double precision AS lag_avg_ms,
                    max(i.lag_max_ms) AS lag_max_ms,
                    sum(i.wal_bytes)::bigint AS wal_bytes,
                    sum(i.shared_blks_hit)::bigint AS shared_blks_hit,
                    sum(i.shared_blks_read)::bigint AS shared_blks_read
                   FROM pgperf.run_intervals i
                  WHERE i.node_id = r.node_id AND i.run_id = r.run_id) s
             CROSS JOIN LATERAL ( SELECT array_agg(
                        CASE
                            WHEN u.ms > s.latency_max_ms THEN s.latency_max_ms
                            ELSE u.ms
                        END ORDER BY u.n) AS ms
                   FROM unnest(s.quantiles_ms) WITH ORDINALITY u(ms, n)) q
          WHERE t.run_id IS NULL) f
     LEFT JOIN LATERAL ( SELECT max(m_1.value) FILTER (WHERE m_1.metric = 'database_growth_bytes'::text)::bigint AS database_growth_bytes,
            max(m_1.value) FILTER (WHERE m_1.metric = 'pgperf_history_bytes'::text)::bigint AS own_history_bytes,
            max(m_1.value) FILTER (WHERE m_1.metric = 'pgperf_wal_bytes'::text)::bigint AS own_wal_bytes,
            max(m_1.value) FILTER (WHERE m_1.metric = 'pgperf_xids'::text)::bigint AS own_xids
           FROM pgperf.run_metrics m_1
          WHERE m_1.node_id = r.node_id AND m_1.run_id = r.run_id) m ON true;
CREATE FUNCTION pgperf_internal.transaction_lines(node_id uuid, run_id bigint, failures_detailed boolean)
 RETURNS SETOF text
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT concat_ws(' '::text, t.client_id, t.transaction_no,
         CASE
             WHEN (t.outcome = 'done'::text) THEN (round(((t.latency_ms * (1000)::double precision))::numeric))::text
             WHEN ((t.outcome = 'skipped'::text) OR transaction_lines.failures_detailed) THEN t.outcome
             ELSE 'failed'::text
         END, t.script_no, floor(EXTRACT(epoch FROM t.ended_at)), ((EXTRACT(microseconds FROM t.ended_at) % (1000000)::numeric))::bigint,
         CASE
             WHEN ((r.spec ->> 'rate'::text) IS NOT NULL) THEN round(((COALESCE(t.lag_ms, (0)::double precision) * (1000)::double precision))::numeric)
             ELSE NULL::numeric
         END,
         CASE
             WHEN (((r.spec ->> 'max_tries'::text))::bigint <> 1) THEN t.retries
             ELSE NULL::integer
         END) AS concat_ws
    FROM (pgperf.run_transactions t
      JOIN pgperf_internal.stored_runs r USING (node_id, run_id))
   WHERE ((t.node_id = transaction_lines.node_id) AND (t.run_id = transaction_lines.run_id))
   ORDER BY t.ended_at, t.client_id, t.transaction_no;
END;
CREATE OR REPLACE FUNCTION pgperf.transaction_log(run_id bigint, failures_detailed boolean DEFAULT false)
 RETURNS SETOF text
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT pgperf_internal.require_run(run_id) AS require_run;
 SELECT l.line
    FROM (pgperf_internal.find_run(transaction_log.run_id) f(node_id, found_id)
      CROSS JOIN LATERAL pgperf_internal.transaction_lines(f.node_id, f.found_id, transaction_log.failures_detailed) WITH ORDINALITY l(line, line_no))
   ORDER BY l.line_no;
END;
CREATE FUNCTION pgperf.transaction_log(run text, failures_detailed boolean DEFAULT false)
 RETURNS SETOF text
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT l.line
    FROM (pgperf_internal.find_run(transaction_log.run) f(node_id, found_id)
      CROSS JOIN LATERAL pgperf_internal.transaction_lines(f.node_id, f.found_id, transaction_log.failures_detailed) WITH ORDINALITY l(line, line_no))
   ORDER BY l.line_no;
END;
CREATE FUNCTION pgperf_internal.target_sampler_alive()
 RETURNS boolean
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$target_sampler_alive_wrapper$function$;
CREATE FUNCTION pgperf.start_sampler(server text)
 RETURNS boolean
 LANGUAGE c
 STRICT
AS 'MODULE_PATHNAME', $function$start_target_sampler_wrapper$function$;
CREATE FUNCTION pgperf.stop_sampler(server text)
 RETURNS boolean
 LANGUAGE c
 STRICT
AS 'MODULE_PATHNAME', $function$stop_target_sampler_wrapper$function$;
CREATE VIEW pgperf.sampled_servers AS
 SELECT s.srvname AS server,
    pg_get_userbyid(t.role) AS role,
    t.started_at,
    a.alive AS running,
    t.connected AND a.alive AS connected,
    t.since,
    l.taken_at AS last_sample_at,
    t.error,
    t.failed_at,
    t.unknown,
    t.target_node_id AS node_id
   FROM pgperf_internal.sampled_targets t
     JOIN pg_foreign_server s ON s.oid = t.server
     CROSS JOIN ( SELECT pgperf_internal.target_sampler_alive() AS alive) a
     LEFT JOIN LATERAL ( SELECT m.taken_at
           FROM pgperf.samples m
          WHERE m.node_id = t.target_node_id AND m.cadence IS NOT NULL AND m.run_id IS NULL
          ORDER BY m.sample_id DESC
         LIMIT 1) l ON true
  WHERE t.node_id = (( SELECT n.node_id
           FROM pgperf.nodes n
          WHERE n.system_identifier = (( SELECT c.system_identifier
                   FROM pg_control_system() c(pg_control_version, catalog_version_no, system_identifier, pg_control_last_modified))) AND n.database_oid = (( SELECT d.oid
                   FROM pg_database d
                  WHERE d.datname = current_database())) AND n.sampled_by IS NULL
          ORDER BY n.created_at DESC, n.node_id
         LIMIT 1));
CREATE OR REPLACE VIEW pgperf.sampler_gaps AS
 WITH outcomes AS (
         SELECT s.node_id,
            c.key AS collector,
            s.taken_at,
            s.cadence,
            s.epoch,
            c.value ->> 'status'::text AS status,
            c.value ->> 'reason'::text AS reason
           FROM pgperf.samples s
             CROSS JOIN LATERAL jsonb_each(s.outcomes) c(key, value)
          WHERE s.cadence IS NOT NULL AND s.run_id IS NULL
        ), pauses AS (
         SELECT o.node_id,
            o.collector,
            o.taken_at AS last_at,
            lead(o.taken_at) OVER later AS next_at,
            o.cadence AS last_cadence,
            GREATEST(o.cadence, lead(o.cadence) OVER later) AS cadence,
            o.epoch,
            lead(o.epoch) OVER later AS next_epoch
           FROM outcomes o
          WHERE o.status = 'ok'::text
          WINDOW later AS (PARTITION BY o.node_id, o.collector ORDER BY o.taken_at)
        ), gaps AS (
         SELECT p.node_id,
            p.collector,
            p.last_at,
            p.next_at,
            p.last_cadence,
            GREATEST(p.cadence, n.sample_interval) AS cadence,
            p.epoch,
            p.next_epoch,
            EXTRACT(epoch FROM COALESCE(p.next_at, clock_timestamp()) - p.last_at)::double precision AS seconds
           FROM pauses p
             LEFT JOIN pgperf.collectors n ON n.name = p.collector AND p.next_at IS NULL
          WHERE p.next_at IS NOT NULL OR (p.node_id = (( SELECT n_1.node_id
                   FROM pgperf.nodes n_1
                  WHERE n_1.system_identifier = (( SELECT c.system_identifier
                           FROM pg_control_system() c(pg_control_version, catalog_version_no, system_identifier, pg_control_last_modified))) AND n_1.database_oid = (( SELECT d.oid
                           FROM pg_database d
                          WHERE d.datname = current_database())) AND n_1.sampled_by IS NULL
                  ORDER BY n_1.created_at DESC, n_1.node_id
                 LIMIT 1)) OR (p.node_id IN ( SELECT t.target_node_id
                   FROM pgperf_internal.sampled_targets t))) AND (EXISTS ( SELECT
                   FROM pgperf.collectors w
                  WHERE w.name = p.collector AND w.enabled AND w.sample_interval IS NOT NULL))
        )
 SELECT g.node_id,
    g.collector,
    g.cadence,
    g.last_at,
    g.next_at,
    g.seconds,
        CASE
            WHEN m.status IS NOT NULL THEN m.status || COALESCE(': '::text || m.reason, ''::text)
            WHEN (EXISTS ( SELECT
               FROM pgperf.samples s
              WHERE s.node_id = g.node_id AND s.cadence IS NOT NULL AND s.run_id IS NULL AND s.outcomes <> '{}'::jsonb AND s.epoch = g.epoch AND s.taken_at > g.last_at AND s.taken_at <= (g.last_at + 1.5::double precision * g.last_cadence) AND (s.taken_at + s.elapsed_ms * '00:00:00.001'::interval) >= (g.last_at + g.last_cadence))) THEN 'the sampler ran without it: it was switched off, or the sampler was busy'::text
            WHEN (EXISTS ( SELECT
               FROM pgperf.nodes n
              WHERE n.node_id = g.node_id AND n.sampled_by IS NOT NULL)) THEN 'the target did not answer, or no sampler ran'::text ||
            CASE
                WHEN g.next_epoch <> g.epoch THEN ': it was restarted, or its statistics were reset meanwhile'::text
                ELSE ''::text
            END
            WHEN g.next_epoch <> g.epoch OR g.next_at IS NULL AND pg_postmaster_start_time() > g.last_at THEN 'no sampler ran: the server was restarted, or its statistics were reset meanwhile'::text
            ELSE 'no sampler ran'::text
        END AS reason
   FROM gaps g
     LEFT JOIN LATERAL ( SELECT o.status,
            o.reason
           FROM outcomes o
          WHERE o.node_id = g.node_id AND o.collector = g.collector AND o.taken_at > g.last_at AND (g.next_at IS NULL OR o.taken_at < g.next_at)
          ORDER BY o.taken_at DESC
         LIMIT 1) m ON true
  WHERE g.seconds > (1.5 * EXTRACT(epoch FROM g.cadence))::double precision AND NOT ((EXISTS ( SELECT
           FROM pgperf.collectors v
          WHERE v.name = g.collector AND v.in_visits = 'never'::text)) AND (EXISTS ( SELECT
           FROM pgperf.samples v
          WHERE v.node_id = g.node_id AND v.home IS NOT NULL AND v.taken_at > g.last_at AND (g.next_at IS NULL OR v.taken_at < g.next_at))));
CREATE OR REPLACE FUNCTION pgperf_internal.kept_condition(history text, object text[], source text, level text, starts_at timestamp with time zone, ends_at timestamp with time zone)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    -- The samples of a run on a target belong to the target's node.
    condition text := '(h.node_id, h.run_id) IN (SELECT k.node_id, k.run_id FROM pgperf.kept_runs k
        UNION ALL SELECT n.node_id, k.run_id FROM pgperf.kept_runs k JOIN pgperf.nodes n ON n.sampled_by = k.node_id)';
    bucket text := format('s.epoch, date_trunc(%L, x.taken_at AT TIME ZONE ''UTC'')', CASE level WHEN 'hourly' THEN 'hour' ELSE 'day' END);
    sample text := format('LEFT JOIN pgperf.samples s ON s.node_id = x.node_id AND s.sample_id = x.sample_id
        AND s.taken_at = x.taken_at AND s.taken_at >= %L AND s.taken_at < %L', starts_at, ends_at);
    in_intervals text := '(s.run_id IS NOT NULL AND s.cadence IS NOT NULL)';
    nameless text := CASE WHEN EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = format('pgperf.%I', history)::regclass
                                       AND a.attname = 'relation_name') THEN 'bool_and(r.relation_name IS NULL)' ELSE 'false' END;
BEGIN
    IF history = 'samples' THEN
        RETURN condition || ' OR (h.node_id, h.sample_id) IN (' || (
            SELECT string_agg(format('SELECT x.node_id, x.sample_id FROM pgperf.%I x WHERE x.taken_at >= %L AND x.taken_at < %L',
                                     t.table_name, starts_at, ends_at), ' UNION ')
            FROM pgperf_internal.history_tables t WHERE t.collector IS NOT NULL) || ')';
    ELSIF level = 'pinned' THEN
        RETURN condition;
    ELSIF object IS NULL THEN
        RETURN condition || format(' OR (h.node_id, h.sample_id) IN (
            SELECT DISTINCT ON (x.node_id, %1$s) x.node_id, x.sample_id
            FROM (SELECT r.node_id, r.sample_id, r.taken_at, %5$s AS nameless FROM pgperf_internal.%2$I r GROUP BY 1, 2, 3) x %3$s
            ORDER BY x.node_id, %1$s, %4$s, x.nameless, x.taken_at DESC, x.sample_id DESC)', bucket, source, sample, in_intervals, nameless);
    ELSE
        RETURN condition || format(' OR h.ctid IN (
            SELECT DISTINCT ON (x.node_id, %5$s, %1$s) x.ctid
            FROM pgperf_internal.%2$I x %3$s
            ORDER BY x.node_id, %5$s, %1$s, %4$s, x.taken_at DESC, x.sample_id DESC)', bucket, source, sample, in_intervals,
            (SELECT string_agg(format('x.%I', k), ', ') FROM unnest(object) k));
    END IF;
END
$function$;
CREATE FUNCTION pgperf_internal.move_strays(history pgperf_internal.history_tables, until timestamp with time zone, OUT action text, OUT table_name text, OUT object text, OUT rows bigint, OUT note text)
 RETURNS SETOF record
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
#variable_conflict use_column
DECLARE
    found jsonb;
    missing timestamp;
BEGIN
    table_name := history.table_name;
    -- All at once: a partition that a query still reads cannot be altered.
    EXECUTE format(
        'SELECT COALESCE(jsonb_agg(to_jsonb(d) ORDER BY d.missing), ''[]'')
         FROM (SELECT date_trunc(%L, s.taken_at AT TIME ZONE ''UTC'') AS missing, count(*) AS rows
         FROM (SELECT r.taken_at FROM pgperf_internal.%I r UNION ALL
               SELECT k.taken_at FROM pgperf_internal.%I k WHERE k.taken_at >= %L AND k.tableoid <> %L::regclass) s
         WHERE s.taken_at >= ''2000-01-01 00:00:00+00'' AND s.taken_at < %L GROUP BY 1) d',
        history.width, history.table_name || '_rest', history.table_name || '_kept',
        (SELECT clock_timestamp() - max(c.retention) FROM pgperf.collectors c WHERE c.name = history.collector OR history.collector IS NULL),
        format('pgperf_internal.%I', history.table_name || '_rest'), clock_timestamp() + interval '1 day') INTO found;
    FOR missing, rows IN SELECT d.missing, d.rows FROM jsonb_to_recordset(found) d (missing timestamp, rows bigint) LOOP
        object := history.table_name || to_char(missing, CASE history.width WHEN 'day' THEN '_YYYYMMDD' WHEN 'month' THEN '_YYYYMM' ELSE '_YYYY' END);
        CONTINUE WHEN to_regclass(format('pgperf_internal.%I', object)) IS NOT NULL;
        note := pgperf_internal.must_stop(until);
        action := CASE WHEN note IS NULL THEN 'moved' ELSE 'left' END;
        IF note IS NULL THEN
            PERFORM pgperf_internal.make_partition(history.table_name, history.table_name, object, missing, missing + ('1 ' || history.width)::interval);
        END IF;
        RETURN NEXT;
    END LOOP;
END
$function$;
CREATE OR REPLACE FUNCTION pgperf.maintain(days_ahead integer DEFAULT 3, budget interval DEFAULT '00:00:30'::interval, OUT action text, OUT table_name text, OUT object text, OUT rows bigint, OUT bytes bigint, OUT note text)
 RETURNS SETOF record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET lock_timeout TO '100ms'
 SET jit TO 'off'
 SET work_mem TO '64MB'
 SET client_min_messages TO 'warning'
AS $function$
#variable_conflict use_column
DECLARE
    until timestamptz := clock_timestamp() + budget;
    t pgperf_internal.history_tables;
BEGIN
    IF current_setting('transaction_read_only')::boolean THEN
        RAISE EXCEPTION 'cannot maintain the history %', CASE WHEN pg_is_in_recovery() THEN 'on a standby' ELSE 'in a read-only transaction' END
            USING ERRCODE = 'read_only_sql_transaction', HINT = 'Call it on the primary, in a transaction that may write: a standby gets the result by replication.';
    END IF;
    IF (days_ahead BETWEEN 0 AND 366) IS NOT TRUE OR (budget > '0') IS NOT TRUE THEN
        RAISE EXCEPTION 'days_ahead must be from 0 to 366, and the budget greater than zero'
            USING ERRCODE = 'invalid_parameter_value', HINT = 'SELECT * FROM pgperf.maintain(days_ahead => 3, budget => ''30 s'');';
    END IF;
    -- A sample would make those of today, too.
    IF to_regclass('pgperf_internal.samples_' || to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYYMMDD')) IS NULL THEN
        PERFORM pgperf_internal.claim_partitions();
    END IF;
    FOR t IN SELECT h.* FROM pgperf_internal.history_tables h ORDER BY h.collector IS NULL, h.table_name LOOP
        table_name := t.table_name;
        BEGIN
            FOR object IN SELECT m.partition_name FROM pgperf_internal.make_partitions(LEAST(days_ahead, 1), t.table_name) m LOOP
                action := 'created';
                RETURN NEXT;
            END LOOP;
            FOR action, object, rows, note IN SELECT m.action, m.object, m.rows, m.note FROM pgperf_internal.move_strays(t, until) m LOOP
                RETURN NEXT;
            END LOOP;
        EXCEPTION WHEN OTHERS THEN
            action := 'left'; object := NULL; rows := NULL; note := SQLERRM;
            RETURN NEXT;
        END;
        rows := NULL; note := NULL;
    END LOOP;

    -- The samples after all others: those stay that others still need.
    RETURN QUERY SELECT r.* FROM pgperf_internal.roll_up(false, until) r;
    RETURN QUERY SELECT r.* FROM pgperf_internal.roll_up(true, until) r;
    RETURN QUERY SELECT f.action, f.table_name, f.object, f.rows, NULL::bigint, f.note FROM pgperf_internal.forget_runs(until) f;
    RETURN QUERY SELECT a.action, a.table_name, a.object, NULL::bigint, NULL::bigint, a.note FROM pgperf_internal.make_ahead(days_ahead, until) a;
    RETURN QUERY SELECT p.action, NULL::text, p.object, NULL::bigint, NULL::bigint, p.note FROM pgperf_internal.maintain_publications() p;
END
$function$;
CREATE OR REPLACE VIEW pgperf.history_size AS
 WITH partitions AS MATERIALIZED (
         SELECT p.table_name,
            p.level,
            p.starts_at,
            p.ends_at,
            c.reltuples::double precision AS reltuples,
            pg_total_relation_size(p.partition) AS bytes,
            pg_relation_size(p.partition) > 0 AS filled,
            LEAST(p.ends_at,
                CASE
                    WHEN p.level <> 'raw'::text THEN min(p.starts_at) FILTER (WHERE p.level = 'raw'::text) OVER (PARTITION BY p.table_name)
                    ELSE NULL::timestamp with time zone
                END) AS covers_until
           FROM pgperf.history_partitions p
             JOIN pg_class c ON c.oid = p.partition::oid
        ), covered AS MATERIALIZED (
         SELECT r.starts_at,
            r.covers_until,
            NULLIF(EXTRACT(epoch FROM max(GREATEST(f.taken_at, l_1.taken_at)) - min(LEAST(f.taken_at, l_1.taken_at))), 0::numeric)::double precision AS seconds
           FROM ( SELECT DISTINCT p.starts_at,
                    p.covers_until
                   FROM partitions p
                  WHERE p.filled AND p.starts_at < p.covers_until) r
             CROSS JOIN pgperf.nodes n
             CROSS JOIN LATERAL ( SELECT s.taken_at
                   FROM pgperf.samples s
                  WHERE s.node_id = n.node_id AND s.taken_at >= r.starts_at AND s.taken_at < r.covers_until
                  ORDER BY s.sample_id
                 LIMIT 1) f
             CROSS JOIN LATERAL ( SELECT s.taken_at
                   FROM pgperf.samples s
                  WHERE s.node_id = n.node_id AND s.taken_at >= r.starts_at AND s.taken_at < r.covers_until
                  ORDER BY s.sample_id DESC
                 LIMIT 1) l_1
          GROUP BY r.starts_at, r.covers_until
        ), levels AS MATERIALIZED (
         SELECT s.table_name,
            s.level,
            count(*) AS partitions,
            sum(s.bytes)::bigint AS bytes,
            sum(NULLIF(s.reltuples, '-1'::integer::double precision))::bigint AS rows,
            min(s.starts_at) FILTER (WHERE s.filled) AS oldest_at,
            max(LEAST(s.ends_at, clock_timestamp())) FILTER (WHERE s.filled) AS newest_at,
                CASE
                    WHEN sum(c.seconds) FILTER (WHERE s.filled) >= 3600::double precision THEN sum(s.bytes) FILTER (WHERE s.filled AND c.seconds IS NOT NULL)::double precision * 86400::double precision / sum(c.seconds) FILTER (WHERE s.filled)
                    ELSE NULL::double precision
                END AS bytes_per_day
           FROM partitions s
             LEFT JOIN covered c USING (starts_at, covers_until)
          GROUP BY s.table_name, s.level
        UNION ALL
         SELECT c.relname AS table_name,
            'runs'::text AS level,
            1 AS partitions,
            pg_total_relation_size(c.oid::regclass) AS bytes,
            NULLIF(c.reltuples, '-1'::integer::double precision)::bigint AS rows,
            r.oldest_at,
            r.newest_at,
            NULL::double precision AS bytes_per_day
           FROM pg_class c,
            ( SELECT min(stored_runs.requested_at) AS oldest_at,
                    max(stored_runs.requested_at) AS newest_at
                   FROM pgperf_internal.stored_runs) r
          WHERE (c.relnamespace = ANY (ARRAY['pgperf'::regnamespace::oid, 'pgperf_internal'::regnamespace::oid])) AND c.relkind = 'r'::"char" AND NOT c.relispartition AND c.relname <> 'data_sets'::name AND (EXISTS ( SELECT
                   FROM pg_attribute a
                  WHERE a.attrelid = c.oid AND a.attname = 'run_id'::name AND NOT a.attisdropped))
        UNION ALL
         SELECT c.relname AS table_name,
            'texts'::text AS level,
            1 AS partitions,
            pg_total_relation_size(c.oid::regclass) AS bytes,
            NULLIF(c.reltuples, '-1'::integer::double precision)::bigint AS rows,
            t.oldest_at,
            t.newest_at,
            NULL::double precision AS bytes_per_day
           FROM ( SELECT 'pgperf.statement_texts'::regclass AS relation,
                    min(statement_texts.taken_at) AS oldest_at,
                    max(statement_texts.taken_at) AS newest_at
                   FROM pgperf.statement_texts
                UNION ALL
                 SELECT 'pgperf.plan_texts'::regclass AS regclass,
                    min(plan_texts.taken_at) AS min,
                    max(plan_texts.taken_at) AS max
                   FROM pgperf.plan_texts) t
             JOIN pg_class c ON c.oid = t.relation::oid
        ), kept AS MATERIALIZED (
         SELECT t.table_name,
            t.collector,
            r.raw_s / 86400::double precision AS raw_days,
                CASE
                    WHEN r.hourly_s IS NOT NULL THEN GREATEST(r.hourly_s - r.raw_s, 0::double precision) / 86400::double precision
                    ELSE NULL::double precision
                END AS hourly_days,
            LEAST(r.alike::double precision * r.interval_s / 3600::double precision, 1::double precision) AS hourly_share,
                CASE
                    WHEN r.daily_s IS NOT NULL THEN GREATEST(r.daily_s - GREATEST(r.raw_s, r.hourly_s), 0::double precision) / 86400::double precision
                    ELSE NULL::double precision
                END AS daily_days,
            LEAST(r.alike::double precision * r.interval_s / 86400::double precision, 1::double precision) AS daily_share
           FROM pgperf_internal.history_tables t
             CROSS JOIN LATERAL ( SELECT EXTRACT(epoch FROM max(c.retention))::double precision AS raw_s,
                    EXTRACT(epoch FROM max(c.hourly_retention))::double precision AS hourly_s,
                    EXTRACT(epoch FROM max(c.daily_retention))::double precision AS daily_s,
                    EXTRACT(epoch FROM COALESCE(min(c.sample_interval), '00:05:00'::interval))::double precision AS interval_s,
                        CASE
                            WHEN t.object IS NOT NULL OR (EXISTS ( SELECT
                               FROM pg_attribute a
                              WHERE a.attrelid = ('pgperf.'::text || t.table_name)::regclass::oid AND a.attname = 'relation_name'::name)) THEN 10
                            ELSE 1
                        END AS alike
                   FROM pgperf.collectors c
                  WHERE c.name = t.collector OR t.collector IS NULL) r
        )
 SELECT l.table_name,
    l.level,
    l.partitions,
    l.bytes,
    l.rows,
    l.oldest_at,
    l.newest_at,
    l.bytes_per_day,
    k.collector,
        CASE
            WHEN l.level = 'raw'::text THEN (l.bytes_per_day * k.raw_days + COALESCE(h.bytes_per_day, l.bytes_per_day * k.hourly_share) * k.hourly_days + COALESCE(d.bytes_per_day, l.bytes_per_day * k.daily_share) * k.daily_days)::bigint
            ELSE NULL::bigint
        END AS forecast_bytes
   FROM levels l
     LEFT JOIN kept k ON k.table_name = l.table_name
     LEFT JOIN levels h ON h.table_name = l.table_name AND h.level = 'hourly'::text
     LEFT JOIN levels d ON d.table_name = l.table_name AND d.level = 'daily'::text;
CREATE FUNCTION pgperf_internal.histogram_lines(node_id uuid, run_id bigint)
 RETURNS SETOF text
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT l.line
    FROM (pgperf_internal.stored_runs r
      CROSS JOIN LATERAL ( SELECT h.line,
             h.line_no
            FROM unnest(ARRAY['#[Logged with pgperf]'::text, '#[Histogram log format version 1.3]'::text, format('#[StartTime: %s (seconds since epoch), %s]'::text, round(EXTRACT(epoch FROM r.measured_at), 3), to_char((r.measured_at AT TIME ZONE 'UTC'::text), 'Dy Mon DD HH24:MI:SS "UTC" YYYY'::text)), '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"'::text]) WITH ORDINALITY h(line, line_no)
         UNION ALL
          SELECT concat_ws(','::text, round(EXTRACT(epoch FROM i.started_at), 3), round((i.seconds)::numeric, 3), round((COALESCE(i.latency_max_ms, (0)::double precision))::numeric, 6), translate(encode(pgperf.histogram_compress(i.histogram), 'base64'::text), '
'::text, ''::text)) AS concat_ws,
             (5 + i.interval_no)
            FROM pgperf.run_intervals i
           WHERE ((i.node_id = r.node_id) AND (i.run_id = r.run_id) AND (i.histogram IS NOT NULL))) l)
   WHERE ((r.node_id = histogram_lines.node_id) AND (r.run_id = histogram_lines.run_id))
   ORDER BY l.line_no;
END;
CREATE OR REPLACE FUNCTION pgperf.histogram_log(run_id bigint)
 RETURNS SETOF text
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT pgperf_internal.require_run(run_id) AS require_run;
 SELECT l.line
    FROM (pgperf_internal.find_run(histogram_log.run_id) f(node_id, found_id)
      CROSS JOIN LATERAL pgperf_internal.histogram_lines(f.node_id, f.found_id) WITH ORDINALITY l(line, line_no))
   ORDER BY l.line_no;
END;
CREATE FUNCTION pgperf.histogram_log(run text)
 RETURNS SETOF text
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT l.line
    FROM (pgperf_internal.find_run(histogram_log.run) f(node_id, found_id)
      CROSS JOIN LATERAL pgperf_internal.histogram_lines(f.node_id, f.found_id) WITH ORDINALITY l(line, line_no))
   ORDER BY l.line_no;
END;
CREATE FUNCTION pgperf.doctor(server text, OUT check_name text, OUT status text, OUT detail text, OUT remedy text)
 RETURNS SETOF record
 LANGUAGE c
 STRICT ROWS 20
 SET search_path TO 'pg_catalog', 'pg_temp'
AS 'MODULE_PATHNAME', $function$doctor_of_target_wrapper$function$;
CREATE FUNCTION pgperf.target_facts(server text, OUT category text, OUT name text, OUT value text, OUT unit text, OUT note text)
 RETURNS SETOF record
 LANGUAGE c
 STRICT ROWS 60
 SET search_path TO 'pg_catalog', 'pg_temp'
AS 'MODULE_PATHNAME', $function$target_facts_wrapper$function$;
CREATE FUNCTION pgperf.target_figures(server text)
 RETURNS text
 LANGUAGE c
 STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS 'MODULE_PATHNAME', $function$target_figures_wrapper$function$;
CREATE FUNCTION pgperf_internal.check_part(arguments jsonb, first_client integer, all_clients integer)
 RETURNS jsonb
 LANGUAGE c
 STRICT
AS 'MODULE_PATHNAME', $function$check_part_wrapper$function$;
CREATE FUNCTION pgperf_internal.start_part(arguments jsonb, first_client integer, all_clients integer, group_id text)
 RETURNS bigint
 LANGUAGE c
 STRICT
AS 'MODULE_PATHNAME', $function$start_part_wrapper$function$;
CREATE FUNCTION pgperf_internal.part_progress(run_id bigint, from_interval integer)
 RETURNS jsonb
 LANGUAGE c
 STRICT
AS 'MODULE_PATHNAME', $function$part_progress_wrapper$function$;
CREATE FUNCTION pgperf_internal.version_rows(baseline text[], candidate text[], pair_by text, style text, relation text)
 RETURNS SETOF text
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$version_rows_wrapper$function$;
CREATE FUNCTION pgperf.version_table(baseline bigint, candidate bigint, style text DEFAULT 'text'::text, relation text DEFAULT NULL::text)
 RETURNS SETOF text
 LANGUAGE sql
BEGIN ATOMIC
 SELECT pgperf_internal.version_rows(pgperf_internal.run_names(ARRAY[baseline]), pgperf_internal.run_names(ARRAY[candidate]), NULL::text, style, relation) AS version_rows;
END;
CREATE FUNCTION pgperf.version_table(baseline bigint[], candidate bigint[], style text DEFAULT 'text'::text, pair_by text DEFAULT NULL::text, relation text DEFAULT NULL::text)
 RETURNS SETOF text
 LANGUAGE sql
BEGIN ATOMIC
 SELECT pgperf_internal.version_rows(pgperf_internal.run_names(baseline), pgperf_internal.run_names(candidate), pair_by, style, relation) AS version_rows;
END;
CREATE FUNCTION pgperf.version_table(baseline text, candidate text, style text DEFAULT 'text'::text, pair_by text DEFAULT NULL::text, relation text DEFAULT NULL::text)
 RETURNS SETOF text
 LANGUAGE sql
BEGIN ATOMIC
 SELECT pgperf_internal.version_rows(ARRAY[baseline], ARRAY[candidate], pair_by, style, relation) AS version_rows;
END;
CREATE FUNCTION pgperf.version_table(baseline text[], candidate text[], style text DEFAULT 'text'::text, pair_by text DEFAULT NULL::text, relation text DEFAULT NULL::text)
 RETURNS SETOF text
 LANGUAGE sql
BEGIN ATOMIC
 SELECT pgperf_internal.version_rows(COALESCE(baseline, '{}'::text[]), COALESCE(candidate, '{}'::text[]), pair_by, style, relation) AS version_rows;
END;
CREATE FUNCTION pgperf.set_baseline(name text, run text)
 RETURNS bigint
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$set_baseline_name_wrapper$function$;
CREATE FUNCTION pgperf.require_expectations(run text)
 RETURNS void
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$require_expectations_by_name_wrapper$function$;
CREATE FUNCTION pgperf.report_junit(run text, baseline text DEFAULT NULL::text, max_regression text DEFAULT '5%'::text)
 RETURNS text
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$report_junit_by_name_wrapper$function$;
CREATE PROCEDURE pgperf_internal.await_own_sweep(IN sweep_id bigint, IN called text)
 LANGUAGE c
AS 'MODULE_PATHNAME', $procedure$await_own_sweep_wrapper$procedure$;
CREATE FUNCTION pgperf_internal.print_sweep_report(sweep_id bigint)
 RETURNS void
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$print_sweep_report_wrapper$function$;
CREATE PROCEDURE pgperf.calibrate(IN workload text DEFAULT NULL::text, IN clients integer[] DEFAULT '{1}'::integer[], IN repetitions integer DEFAULT 5, IN duration interval DEFAULT '00:00:10'::interval, IN round_trips interval[] DEFAULT NULL::interval[], IN script text DEFAULT NULL::text, IN query_mode text DEFAULT NULL::text, IN schema text DEFAULT NULL::text, IN label text DEFAULT NULL::text, INOUT sweep_id bigint DEFAULT NULL::bigint)
 LANGUAGE plpgsql
AS $procedure$
BEGIN
    CALL pgperf_internal.require_top_level('pgperf.calibrate');
    sweep_id := pgperf.start_sweep(workload => workload, clients => clients, repetitions => repetitions, duration => duration, script => script,
        query_mode => query_mode, schema => schema, label => label, transports => '{inside,wire}', round_trips => round_trips);
    CALL pgperf_internal.await_own_sweep(sweep_id, 'pgperf.calibrate');
    PERFORM pgperf_internal.print_sweep_report(sweep_id);
END
$procedure$;
CREATE PROCEDURE pgperf.compare_servers(IN servers text[], IN workload text DEFAULT NULL::text, IN clients integer[] DEFAULT '{8}'::integer[], IN scale integer DEFAULT NULL::integer, IN repetitions integer DEFAULT 3, IN duration interval DEFAULT NULL::interval, IN transactions_per_client bigint DEFAULT NULL::bigint, IN script text DEFAULT NULL::text, IN query_mode text DEFAULT NULL::text, IN settings jsonb DEFAULT NULL::jsonb, IN before_sql text DEFAULT NULL::text, IN after_sql text DEFAULT NULL::text, IN warmup interval DEFAULT NULL::interval, IN init text DEFAULT NULL::text, IN init_options jsonb DEFAULT NULL::jsonb, IN checkpoint boolean DEFAULT false, IN schema text DEFAULT NULL::text, IN label text DEFAULT NULL::text, INOUT sweep_id bigint DEFAULT NULL::bigint)
 LANGUAGE plpgsql
AS $procedure$
BEGIN
    CALL pgperf_internal.require_top_level('pgperf.compare_servers');
    sweep_id := pgperf.start_sweep(servers => servers, workload => workload, clients => clients,
        scales => CASE WHEN scale IS NOT NULL THEN ARRAY[scale] END, init => COALESCE(init, CASE WHEN scale IS NOT NULL THEN 'each' END),
        repetitions => repetitions, duration => duration, transactions_per_client => transactions_per_client, script => script,
        query_mode => query_mode, settings => settings, before_sql => before_sql, after_sql => after_sql, warmup => warmup,
        init_options => init_options, checkpoint => checkpoint, schema => schema, label => label);
    CALL pgperf_internal.await_own_sweep(sweep_id, 'pgperf.compare_servers');
    PERFORM pgperf_internal.print_sweep_report(sweep_id);
END
$procedure$;
CREATE VIEW pgperf.sweep_buffers AS
 SELECT l.node_id,
    l.sweep_id,
    l.point_no,
    l.run_id,
    e.sample_id,
    e.taken_at,
    h.database_name,
    h.schema_name,
    h.relation_name,
    h.usage_count,
    sum(h.buffers)::bigint AS buffers,
    (sum(h.buffers) * current_setting('block_size'::text)::bigint::numeric)::bigint AS bytes,
    (100::numeric * sum(h.buffers) / sum(sum(h.buffers)) OVER (PARTITION BY l.node_id, l.sweep_id, l.point_no))::double precision AS percent
   FROM ( SELECT DISTINCT ON (r.node_id, r.sweep_id, r.point_no) r.node_id,
            r.sweep_id,
            r.point_no,
            r.run_id
           FROM pgperf.sweep_runs r
          WHERE r.status = 'finished'::text
          ORDER BY r.node_id, r.sweep_id, r.point_no, r.ended_at DESC, r.run_id DESC) l
     CROSS JOIN LATERAL ( SELECT s.sample_id,
            s.taken_at
           FROM pgperf.samples s
          WHERE s.node_id = l.node_id AND s.run_id = l.run_id AND s.complete AND (EXISTS ( SELECT
                   FROM pgperf.buffer_usage_history b
                  WHERE b.node_id = s.node_id AND b.sample_id = s.sample_id AND b.taken_at = s.taken_at))
          ORDER BY s.sample_id DESC
         LIMIT 1) e
     JOIN pgperf.buffer_usage_history h ON h.node_id = l.node_id AND h.sample_id = e.sample_id AND h.taken_at = e.taken_at
  GROUP BY l.node_id, l.sweep_id, l.point_no, l.run_id, e.sample_id, e.taken_at, h.database_name, h.schema_name, h.relation_name, h.usage_count;
CREATE FUNCTION pgperf.sweep_values(sweep_id bigint DEFAULT NULL::bigint, margin_percent double precision DEFAULT 5, OUT point_no integer, OUT workload text, OUT clients integer, OUT value text, OUT is_baseline boolean, OUT metric text, OUT unit text, OUT is_headline boolean, OUT n integer, OUT mean double precision, OUT ci_low double precision, OUT ci_high double precision, OUT change_percent double precision, OUT ci_low_percent double precision, OUT ci_high_percent double precision, OUT p_value double precision, OUT p_adjusted double precision, OUT verdict text)
 RETURNS SETOF record
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$sweep_values_wrapper$function$;
CREATE FUNCTION pgperf.sweep_statements(sweep_id bigint DEFAULT NULL::bigint, OUT point_no integer, OUT workload text, OUT clients integer, OUT value text, OUT is_baseline boolean, OUT script_no integer, OUT script text, OUT command_no integer, OUT statement text, OUT n integer, OUT mean_ms double precision, OUT ci_low_ms double precision, OUT ci_high_ms double precision, OUT change_percent double precision, OUT ci_low_percent double precision, OUT ci_high_percent double precision, OUT p_value double precision, OUT p_adjusted double precision, OUT beyond_ms double precision, OUT share_percent double precision, OUT share_low_percent double precision, OUT share_high_percent double precision)
 RETURNS SETOF record
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$sweep_statements_wrapper$function$;
CREATE OR REPLACE VIEW pgperf.run_tables AS
 SELECT c.relname::text AS table_name,
    'run'::text AS kind,
    't.node_id = $1 AND t.run_id = $2'::text AS of_run,
    NULL::text[] AS object,
    c.oid::regclass AS relation
   FROM pg_constraint k
     JOIN pg_class c ON c.oid = k.conrelid
  WHERE k.contype = 'p'::"char" AND NOT c.relispartition AND (( SELECT array_agg(a.attname ORDER BY o.place) AS array_agg
           FROM unnest(k.conkey[1:2]) WITH ORDINALITY o(attnum, place)
             JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = o.attnum)) = '{node_id,run_id}'::name[] AND (c.relname <> ALL ('{stored_runs,pinned_runs,resume_points,forgotten_runs}'::name[])) AND (EXISTS ( SELECT
           FROM pg_depend d
             JOIN pg_extension e ON e.oid = d.refobjid
          WHERE d.classid = 'pg_class'::regclass::oid AND d.objid = c.oid AND d.deptype = 'e'::"char" AND e.extname = 'pgperf'::name))
UNION ALL
 SELECT h.table_name,
    'history'::text AS kind,
    't.node_id = $1 AND t.run_id = $2'::text AS of_run,
    NULL::text[] AS object,
    to_regclass(format('pgperf.%I'::text, h.table_name)) AS relation
   FROM pgperf_internal.history_tables h
UNION ALL
 SELECT 'statement_texts'::text AS table_name,
    'shared'::text AS kind,
    't.node_id = $1 AND (t.queryid, t.dbid) IN (SELECT h.queryid, h.dbid FROM pgperf.statement_history h WHERE h.node_id = $1 AND h.run_id = $2)'::text AS of_run,
    '{queryid,dbid}'::text[] AS object,
    'pgperf.statement_texts'::regclass AS relation
UNION ALL
 SELECT 'plan_texts'::text AS table_name,
    'shared'::text AS kind,
    't.node_id = $1 AND t.plan_hash IN (SELECT h.plan_hash FROM pgperf.plan_history h WHERE h.node_id = $1 AND h.run_id = $2)'::text AS of_run,
    '{plan_hash}'::text[] AS object,
    'pgperf.plan_texts'::regclass AS relation;
CREATE OR REPLACE FUNCTION pgperf_internal.run_document(node_id uuid, run_id bigint, transactions boolean, samples boolean)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET jit TO 'off'
 SET "TimeZone" TO 'UTC'
 SET "DateStyle" TO 'ISO'
 SET "IntervalStyle" TO 'postgres'
 SET extra_float_digits TO '1'
AS $function$
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
            CONTINUE WHEN t.table_name = 'run_transactions' AND NOT transactions OR t.kind <> 'run' AND NOT samples;
            EXECUTE format('SELECT jsonb_agg(jsonb_build_array(%s)) FROM %s t WHERE %s',
                           (SELECT string_agg(c.written, ', ') FROM pgperf_internal.document_columns(t.relation) c), t.relation, t.of_run)
                INTO rows USING node_id, run_id;
            CONTINUE WHEN rows IS NULL;
            names := names || t.table_name;
            parts := parts || jsonb_build_object('rows', rows,
                'columns', (SELECT jsonb_agg(c.name) FROM pgperf_internal.document_columns(t.relation) c));
        END LOOP;
        RETURN jsonb_build_object(
            'format', 'pgperf-run',
            'version', 1,
            'exported_at', clock_timestamp(),
            'pgperf_version', (SELECT e.extversion FROM pg_extension e WHERE e.extname = 'pgperf'),
            'node', (SELECT to_jsonb(n) - '{group_name,first_timeline,timeline,timeline_since}'::text[] FROM pgperf.nodes n WHERE n.node_id = run.node_id),
            -- An imported run is written as its origin would write it.
            'run', (SELECT to_jsonb(s) - '{leader_pid,origin_node_id,origin_run_id,origin_role}'::text[]
                           || jsonb_build_object('run_id', COALESCE(s.origin_run_id, s.run_id), 'role', COALESCE(s.origin_role, s.role))
                    FROM pgperf_internal.stored_runs s WHERE s.node_id = node_id AND s.run_id = run_id),
            'contents', (SELECT COALESCE(jsonb_object_agg(p.name, jsonb_array_length(p.part -> 'rows')), '{}') FROM unnest(names, parts) p (name, part)),
            'tables', (SELECT COALESCE(jsonb_object_agg(p.name, p.part), '{}') FROM unnest(names, parts) p (name, part)));
    EXCEPTION WHEN program_limit_exceeded OR out_of_memory THEN
        RAISE EXCEPTION 'run % is too large for a document: %', run_id, SQLERRM
            USING ERRCODE = 'program_limit_exceeded',
                  HINT = CASE WHEN transactions THEN 'Leave out the transactions: transactions => false.'
                              ELSE 'A jsonb value holds at most 256 MB. Copy the tables of pgperf.run_tables themselves.' END;
    END;
END
$function$;
CREATE OR REPLACE FUNCTION pgperf_internal.store_node(node jsonb)
 RETURNS void
 LANGUAGE sql
BEGIN ATOMIC
 INSERT INTO pgperf.nodes (node_id, name, system_identifier, database_oid, database_name, host, created_at)  SELECT n.node_id,
             n.name,
             n.system_identifier,
             0,
             n.database_name,
             n.host,
             n.created_at
            FROM jsonb_populate_record(NULL::pgperf.nodes, store_node.node) n(node_id, name, system_identifier, database_oid, database_name, host, created_at, first_of, sampled_by, group_name, first_timeline, timeline, timeline_since) ON CONFLICT(node_id) DO NOTHING;
END;
CREATE OR REPLACE FUNCTION pgperf_internal.store_document(document jsonb, label text, role text)
 RETURNS bigint
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET jit TO 'off'
 SET "TimeZone" TO 'UTC'
 SET "DateStyle" TO 'ISO'
 SET "IntervalStyle" TO 'postgres'
AS $function$
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
    endless text;
    unknown text;
    place integer;
    strays boolean;
    measured text;
    part_of text;
    lacking text;
BEGIN
    IF jsonb_typeof(document) <> 'object' OR document ->> 'format' IS DISTINCT FROM 'pgperf-run' THEN
        RAISE EXCEPTION 'document is not a run written by pgperf.export_run'
            USING ERRCODE = 'invalid_parameter_value', HINT = 'Export the run on the server that stores it: SELECT pgperf.export_run(run_id).';
    ELSIF document -> 'version' IS DISTINCT FROM '1' THEN
        RAISE EXCEPTION 'document has version %, but this pgperf reads version 1', COALESCE((document -> 'version')::text, 'none')
            USING ERRCODE = 'feature_not_supported', HINT = 'If a newer pgperf wrote it, update this one. Otherwise export it again.';
    END IF;
    BEGIN
        node := run ->> 'node_id';
        number := run ->> 'run_id';
        IF node IS NULL OR number IS NULL OR jsonb_typeof(run -> 'spec') IS DISTINCT FROM 'object'
           OR number < 1 OR jsonb_typeof(document -> 'contents') IS DISTINCT FROM 'object' OR jsonb_typeof(document -> 'tables') IS DISTINCT FROM 'object'
           OR document -> 'node' ->> 'node_id' IS DISTINCT FROM node::text THEN
            RAISE EXCEPTION USING ERRCODE = 'data_exception', MESSAGE = 'it does not identify its run';
        END IF;
        SELECT min(k.name) INTO unknown FROM jsonb_object_keys(document -> 'tables') k (name) WHERE NOT document -> 'contents' ? k.name;
        IF unknown IS NOT NULL THEN
            RAISE EXCEPTION USING ERRCODE = 'data_exception', MESSAGE = format('its contents lack %s', unknown);
        END IF;
        run_id := pgperf_internal.run_of_origin(node, number);
        IF run_id IS NOT NULL THEN
            IF label IS DISTINCT FROM (SELECT s.label FROM pgperf_internal.stored_runs s WHERE s.node_id = node AND s.run_id = run_id) AND label IS NOT NULL THEN
                RAISE NOTICE 'run % exists here already and keeps its label', run_id;
            END IF;
            RETURN run_id;
        END IF;
        -- What is stored as this node's was measured here, and nobody can write it.
        IF node = pgperf.local_node() THEN
            RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state',
                MESSAGE = format('run %s of this node cannot be imported: it is not stored here any more', number),
                HINT = 'Documents are for other servers. To keep a run here: SELECT pgperf.pin_run(run_id).';
        END IF;
        IF pgperf_internal.is_of_source(node) THEN
            RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state',
                MESSAGE = format('runs of node "%s" come by its subscription', document -> 'node' ->> 'name'),
                HINT = 'repository_status() tells how that is.';
        END IF;
        PERFORM pgperf_internal.store_node(document -> 'node');
        LOOP
            run_id := pgperf_internal.next_number('pgperf_internal.run_id_seq');
            EXIT WHEN NOT EXISTS (SELECT FROM pgperf_internal.stored_runs s WHERE s.node_id = node AND s.run_id = run_id);
        END LOOP;
        INSERT INTO pgperf_internal.stored_runs
        SELECT r.* FROM jsonb_populate_record(NULL::pgperf_internal.stored_runs, run || jsonb_build_object(
            'run_id', run_id, 'origin_node_id', node, 'origin_run_id', number, 'label', COALESCE(label, run ->> 'label'),
            'role', role, 'origin_role', run ->> 'role', 'leader_pid', NULL)) r
        ON CONFLICT DO NOTHING;
        IF NOT FOUND THEN
            -- Somebody else has just imported it.
            RETURN pgperf_internal.run_of_origin(node, number);
        END IF;
        IF EXISTS (SELECT FROM pgperf_internal.stored_runs s, LATERAL unnest(ARRAY[s.requested_at, s.started_at, s.measured_at, s.ended_at, s.resumed_at]) a (at)
                   WHERE s.node_id = node AND s.run_id = run_id AND pgperf_internal.is_impossible(a.at)) THEN
            RAISE EXCEPTION USING ERRCODE = 'data_exception', MESSAGE = 'the run has an impossible time';
        END IF;
        IF jsonb_typeof(run -> 'spec' -> 'results') IS DISTINCT FROM 'object' AND EXISTS (
               SELECT FROM pgperf_internal.stored_runs s WHERE s.node_id = node AND s.run_id = run_id AND num_nulls(s.clients, s.query_mode, s.server_version) > 0) THEN
            RAISE EXCEPTION USING ERRCODE = 'data_exception', MESSAGE = 'the run lacks its clients, query mode or server version';
        END IF;
        FOR t IN SELECT d.* FROM pgperf.run_tables d WHERE document -> 'contents' ? d.table_name ORDER BY d.table_name LOOP
            part := document -> 'tables' -> t.table_name;
            rows := part -> 'rows';
            IF jsonb_typeof(rows) IS DISTINCT FROM 'array' OR jsonb_typeof(part -> 'columns') IS DISTINCT FROM 'array' THEN
                RAISE EXCEPTION USING ERRCODE = 'data_exception', MESSAGE = format('%s is missing', t.table_name);
            END IF;
            SELECT min(d.name) INTO unknown FROM jsonb_array_elements_text(part -> 'columns') d (name)
            GROUP BY d.name HAVING count(*) > 1 LIMIT 1;
            IF unknown IS NOT NULL THEN
                RAISE EXCEPTION USING ERRCODE = 'data_exception', MESSAGE = format('%s has its column %s twice', t.table_name, unknown);
            END IF;
            SELECT CASE WHEN count(*) > 0 THEN format('INSERT INTO %s (node_id, %s%s) SELECT $1, %s%s FROM jsonb_array_elements($3) r WHERE jsonb_array_length(r) = $4',
                          t.relation, CASE WHEN t.kind <> 'shared' THEN 'run_id, ' END, string_agg(format('%I', c.name), ', '),
                          CASE WHEN t.kind <> 'shared' THEN '$2, ' END, string_agg(format(c.read, d.position - 1), ', '))
                   || CASE WHEN t.kind = 'shared' THEN format(' AND NOT EXISTS (SELECT FROM %s x WHERE x.node_id = $1 AND %s)', t.relation,
                          string_agg(format('x.%I = ', c.name) || format(c.read, d.position - 1), ' AND ') FILTER (WHERE c.name = ANY (t.object)))
                      ELSE '' END END
              INTO insertion
            FROM jsonb_array_elements_text(part -> 'columns') WITH ORDINALITY d (name, position)
            JOIN pgperf_internal.document_columns(t.relation) c USING (name);
            IF insertion IS NULL THEN
                RAISE EXCEPTION USING ERRCODE = 'data_exception', MESSAGE = format('%s is missing', t.table_name);
            END IF;
            IF t.kind <> 'run' THEN
                SELECT d.position - 1 INTO place FROM jsonb_array_elements_text(part -> 'columns') WITH ORDINALITY d (name, position) WHERE d.name = 'taken_at';
                SELECT count(*) INTO stored FROM jsonb_array_elements(rows) r WHERE pgperf_internal.is_impossible((r ->> place)::timestamptz);
                IF stored > 0 THEN
                    RAISE EXCEPTION USING ERRCODE = 'data_exception', MESSAGE = format('%s has an impossible time of measurement', t.table_name);
                END IF;
            END IF;
            IF t.table_name = 'samples' THEN
                SELECT d.position - 1 INTO place FROM jsonb_array_elements_text(part -> 'columns') WITH ORDINALITY d (name, position) WHERE d.name = 'sample_id';
                SELECT min(s.sample_id) INTO stored FROM jsonb_array_elements(rows) r JOIN pgperf.samples s ON s.node_id = node AND s.sample_id = (r ->> place)::bigint;
                IF stored IS NOT NULL THEN
                    RAISE EXCEPTION USING ERRCODE = 'data_exception', MESSAGE = format('sample %s of its node is stored here already', stored);
                END IF;
            END IF;
            EXECUTE insertion USING node, run_id, rows, jsonb_array_length(part -> 'columns');
            GET DIAGNOSTICS stored = ROW_COUNT;
            IF jsonb_array_length(rows) IS DISTINCT FROM (document -> 'contents' ->> t.table_name)::bigint
               OR stored <> jsonb_array_length(rows) AND t.kind <> 'shared' THEN
                RAISE EXCEPTION USING ERRCODE = 'data_exception', MESSAGE = format('rows of %s are missing', t.table_name);
            END IF;
            -- No measured value is infinite or not a number: no report could calculate with it.
            SELECT string_agg(format(CASE WHEN a.atttypid = 'float8'::regtype THEN 't.%I IN (''NaN'', ''Infinity'', ''-Infinity'')'
                                          WHEN a.attname = 'server_started_at' THEN 'NOT isfinite(t.%I)'
                                          ELSE 'pgperf_internal.is_impossible(t.%I)' END, a.attname), ' OR ') INTO endless
            FROM pg_attribute a
            WHERE a.attrelid = t.relation AND a.attnum > 0 AND NOT a.attisdropped
              AND a.atttypid IN ('float8'::regtype, 'timestamptz'::regtype);
            IF t.kind = 'run' AND endless IS NOT NULL THEN
                EXECUTE format('SELECT count(*) FROM %s t WHERE t.node_id = $1 AND t.run_id = $2 AND (%s)', t.relation, endless)
                    INTO stored USING node, run_id;
                IF stored > 0 THEN
                    RAISE EXCEPTION USING ERRCODE = 'data_exception', MESSAGE = format('%s has an impossible value', t.table_name);
                END IF;
            END IF;
            -- Only results of other programs (import_results) may lack these.
            measured := CASE t.table_name
                WHEN 'run_totals' THEN 'seconds, transactions, failed, serialization_failures, deadlock_failures, other_failures, retried, retries, skipped, late, warmup_transactions, reconnects'
                WHEN 'run_intervals' THEN 'failed, retried, retries, skipped, late'
                WHEN 'run_scripts' THEN 'weight, transactions, tps, failed, serialization_failures, deadlock_failures, other_failures, retried, retries, skipped, late'
                WHEN 'run_statements' THEN 'calls, failed, retries' END;
            IF measured IS NOT NULL AND jsonb_typeof(run -> 'spec' -> 'results') IS DISTINCT FROM 'object' THEN
                EXECUTE format('SELECT count(*) FROM %s t WHERE t.node_id = $1 AND t.run_id = $2 AND num_nulls(%s) > 0', t.relation, measured)
                    INTO stored USING node, run_id;
                IF stored > 0 THEN
                    RAISE EXCEPTION USING ERRCODE = 'data_exception', MESSAGE = format('%s has a null value in columns that every run of pgperf has', t.table_name);
                END IF;
            END IF;
            IF EXISTS (SELECT FROM pgperf_internal.document_columns(t.relation) c WHERE c.name = 'histogram') THEN
                EXECUTE format('SELECT count(pgperf.histogram_count(t.histogram)) FROM %s t WHERE t.node_id = $1 AND t.run_id = $2', t.relation)
                    INTO stored USING node, run_id;
            END IF;
        END LOOP;
        -- A row of another sample would be deleted with this run, or be mistaken for a measurement of that sample.
        FOR t IN SELECT d.* FROM pgperf.run_tables d WHERE d.kind = 'history' AND d.table_name <> 'samples'
                 AND document -> 'contents' ? d.table_name ORDER BY d.table_name LOOP
            EXECUTE format('SELECT EXISTS (SELECT FROM %s t WHERE t.node_id = $1 AND t.run_id = $2 AND NOT EXISTS (
                SELECT FROM pgperf.samples s WHERE s.node_id = $1 AND s.run_id = $2 AND s.sample_id = t.sample_id AND s.taken_at = t.taken_at))',
                t.relation) INTO strays USING node, run_id;
            IF strays THEN
                RAISE EXCEPTION USING ERRCODE = 'data_exception', MESSAGE = format('%s has rows that belong to no sample of the run', t.table_name);
            END IF;
        END LOOP;
        IF EXISTS (SELECT FROM pgperf.run_intervals i WHERE i.node_id = node AND i.run_id = run_id AND (i.seconds < 0 OR i.transactions < 0))
           OR EXISTS (SELECT FROM pgperf_internal.run_totals c WHERE c.node_id = node AND c.run_id = run_id AND (c.seconds < 0 OR c.transactions < 0)) THEN
            RAISE EXCEPTION USING ERRCODE = 'data_exception', MESSAGE = 'the run has a negative duration or a negative count';
        END IF;
        IF EXISTS (SELECT FROM pgperf.samples s WHERE s.node_id = node AND s.run_id = run_id AND jsonb_typeof(s.outcomes) <> 'object') THEN
            RAISE EXCEPTION USING ERRCODE = 'data_exception', MESSAGE = 'a sample has no outcomes';
        END IF;
        -- A run that cannot be shown would break views and reports of the others.
        PERFORM s::text FROM pgperf.run_summary s WHERE s.node_id = node AND s.run_id = run_id;
        -- An imported run stays until somebody deletes it.
        INSERT INTO pgperf_internal.pinned_runs VALUES (node, run_id);
    EXCEPTION WHEN data_exception OR integrity_constraint_violation OR feature_not_supported THEN
        GET STACKED DIAGNOSTICS part_of = TABLE_NAME, lacking = COLUMN_NAME;
        RAISE EXCEPTION 'the document is damaged: %', pgperf_internal.defect(SQLSTATE, part_of, lacking, SQLERRM)
            USING ERRCODE = 'invalid_parameter_value', HINT = 'Nothing of it was stored. Export the run again.';
    END;
    SELECT string_agg(u.name, ', ') INTO unknown
    FROM (SELECT k.name FROM jsonb_object_keys(document -> 'contents') k (name)
          WHERE NOT EXISTS (SELECT FROM pgperf.run_tables d WHERE d.table_name = k.name)
          UNION ALL
          SELECT format('%s.%s', d.table_name, k.name)
          FROM pgperf.run_tables d, jsonb_array_elements_text(document -> 'tables' -> d.table_name -> 'columns') k (name)
          WHERE NOT EXISTS (SELECT FROM pgperf_internal.document_columns(d.relation) c WHERE c.name = k.name)) u;
    IF unknown IS NOT NULL THEN
        RAISE NOTICE 'left out, because this version of pgperf does not know it: %', left(unknown, 1000);
    END IF;
    RETURN run_id;
END
$function$;
CREATE FUNCTION pgperf.export_run(run text, transactions boolean DEFAULT false)
 RETURNS jsonb
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$export_run_by_name_wrapper$function$;
CREATE FUNCTION pgperf_internal.remove_samples(node_id uuid, run_id bigint)
 RETURNS bigint
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
#variable_conflict use_variable
DECLARE
    own text;
    sampled uuid;
    first_at timestamptz;
    last_at timestamptz;
    removed bigint;
    total bigint := 0;
BEGIN
    -- The samples of a run on a target belong to the target's node.
    FOR sampled IN SELECT node_id UNION ALL SELECT n.node_id FROM pgperf.nodes n WHERE n.sampled_by = node_id LOOP
        SELECT min(s.taken_at), max(s.taken_at) INTO first_at, last_at FROM pgperf.samples s WHERE s.node_id = sampled AND s.run_id = run_id;
        FOR own IN SELECT t.table_name FROM pgperf_internal.history_tables t WHERE first_at IS NOT NULL ORDER BY t.collector IS NULL, t.table_name LOOP
            EXECUTE format('DELETE FROM pgperf.%1$I h '
                || CASE WHEN own = 'samples' THEN 'WHERE true' ELSE 'USING pgperf.samples s
                    WHERE s.node_id = h.node_id AND s.sample_id = h.sample_id AND s.taken_at = h.taken_at
                      AND s.node_id = $1 AND s.run_id = $2 AND s.taken_at >= %2$L AND s.taken_at <= %3$L' END
                || ' AND h.node_id = $1 AND h.run_id = $2 AND h.taken_at >= %2$L AND h.taken_at <= %3$L', own, first_at, last_at)
                USING sampled, run_id;
            GET DIAGNOSTICS removed = ROW_COUNT;
            total := total + removed;
        END LOOP;
    END LOOP;
    RETURN total;
END
$function$;
CREATE OR REPLACE FUNCTION pgperf_internal.remove_run(node_id uuid, run_id bigint)
 RETURNS bigint
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
#variable_conflict use_variable
DECLARE
    status text;
    own text;
    total bigint;
BEGIN
    PERFORM FROM pgperf_internal.resume_points p WHERE p.node_id = node_id AND p.run_id = run_id FOR UPDATE;
    PERFORM FROM pgperf_internal.stored_runs r WHERE r.node_id = node_id AND r.run_id = run_id FOR UPDATE;
    SELECT r.status INTO status FROM pgperf.runs r WHERE r.node_id = node_id AND r.run_id = run_id;
    IF NOT FOUND THEN
        RETURN 0;
    ELSIF status NOT IN ('finished', 'stopped', 'failed', 'interrupted') THEN
        RAISE EXCEPTION 'run % cannot be deleted: it is %', run_id, status USING ERRCODE = 'object_in_use';
    END IF;
    total := pgperf_internal.remove_samples(node_id, run_id);
    FOR own IN SELECT t.relation FROM pgperf.run_tables t WHERE t.kind = 'run'
               UNION ALL VALUES ('pgperf_internal.pinned_runs'::regclass), ('pgperf_internal.resume_points'),
                                ('pgperf.baselines'), ('pgperf_internal.stored_runs') LOOP
        EXECUTE format('DELETE FROM %s t WHERE t.node_id = $1 AND t.run_id = $2', own) USING node_id, run_id;
    END LOOP;
    UPDATE pgperf_internal.sweep_attempts a SET run_id = NULL WHERE a.node_id = node_id AND a.run_id = run_id;
    UPDATE pgperf_internal.sweep_attempts a SET load_run_id = NULL WHERE a.node_id = node_id AND a.load_run_id = run_id;
    RETURN total;
END
$function$;
CREATE OR REPLACE FUNCTION pgperf_internal.due_runs(OUT node_id uuid, OUT run_id bigint)
 RETURNS SETOF record
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT r.node_id,
     r.run_id
    FROM (pgperf.runs r
      CROSS JOIN LATERAL ( SELECT
                 CASE
                     WHEN (r.node_id = ( SELECT pgperf.local_node() AS local_node)) THEN (NULLIF(current_setting('pgperf.run_retention'::text, true), '0'::text))::interval
                     ELSE ( SELECT s.run_retention
                        FROM pgperf_internal.sources s
                       WHERE (s.node_id = r.node_id))
                 END AS retention) g)
   WHERE ((r.status = ANY (ARRAY['finished'::text, 'stopped'::text, 'failed'::text, 'interrupted'::text])) AND (r.origin_node_id IS NULL) AND (COALESCE(r.ended_at, r.measured_at, r.started_at, r.requested_at) < (clock_timestamp() - g.retention)) AND (NOT (EXISTS ( SELECT
            FROM pgperf.kept_runs k
           WHERE ((k.node_id = r.node_id) AND (k.run_id = r.run_id))))))
   ORDER BY r.requested_at, r.node_id, r.run_id;
END;
CREATE FUNCTION pgperf_internal.note_gone(node_id uuid, run_id bigint, deleted boolean)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    INSERT INTO pgperf_internal.forgotten_runs
    SELECT note_gone.node_id, note_gone.run_id, note_gone.deleted
    WHERE note_gone.node_id = pgperf.local_node() AND EXISTS (SELECT FROM pgperf_internal.publications) ON CONFLICT DO NOTHING;
END
$function$;
CREATE OR REPLACE FUNCTION pgperf_internal.forget_runs(until timestamp with time zone, OUT action text, OUT table_name text, OUT object text, OUT rows bigint, OUT note text)
 RETURNS SETOF record
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
#variable_conflict use_column
DECLARE
    due record;
BEGIN
    table_name := 'runs';
    FOR due IN SELECT * FROM pgperf_internal.due_runs() LOOP
        object := due.run_id; rows := NULL; note := NULL;
        BEGIN
            note := pgperf_internal.must_stop(until);
            IF note IS NOT NULL THEN
                action := 'left';
            ELSE
                PERFORM pgperf_internal.note_gone(due.node_id, due.run_id, false);
                rows := pgperf_internal.remove_run(due.node_id, due.run_id);
                action := 'deleted';
            END IF;
        EXCEPTION WHEN OTHERS THEN
            action := 'left'; note := SQLERRM;
        END;
        RETURN NEXT;
    END LOOP;
    -- A sample that is stored at this moment may still count on a text: that statement's next row brings it back. A source does not send its
    -- texts again.
    FOREACH table_name IN ARRAY ARRAY['statement_texts', 'plan_texts'] LOOP
        object := NULL; note := NULL; rows := NULL;
        BEGIN
            note := pgperf_internal.must_stop(until);
            action := CASE WHEN note IS NULL THEN 'deleted' ELSE 'left' END;
            IF note IS NOT NULL THEN
                NULL;
            ELSIF table_name = 'statement_texts' THEN
                DELETE FROM pgperf.statement_texts t WHERE NOT EXISTS (
                    SELECT FROM pgperf.statement_history h
                    WHERE h.node_id = t.node_id AND h.queryid = t.queryid AND h.dbid = t.dbid)
                    AND NOT pgperf_internal.is_of_source(t.node_id);
            ELSE
                DELETE FROM pgperf.plan_texts t WHERE NOT EXISTS (
                    SELECT FROM pgperf.plan_history h WHERE h.node_id = t.node_id AND h.plan_hash = t.plan_hash)
                    AND NOT pgperf_internal.is_of_source(t.node_id);
            END IF;
            IF note IS NULL THEN
                GET DIAGNOSTICS rows = ROW_COUNT;
            END IF;
        EXCEPTION WHEN OTHERS THEN
            action := 'left'; rows := NULL; note := SQLERRM;
        END;
        IF rows > 0 OR action = 'left' THEN
            RETURN NEXT;
        END IF;
    END LOOP;
END
$function$;
CREATE OR REPLACE FUNCTION pgperf_internal.results_origin(wanted_name text, source text, OUT node_id uuid, OUT node_name text, OUT run_id bigint)
 RETURNS record
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
#variable_conflict use_variable
DECLARE
    seed text COLLATE "C" := pgperf.local_node()::text || ' ' || wanted_name;
BEGIN
    SELECT n.node_id INTO node_id FROM pgperf.nodes n WHERE n.name = wanted_name AND n.system_identifier IS NULL AND n.sampled_by IS NULL;
    IF NOT FOUND THEN
        -- Not random: of sessions that make it at the same time one succeeds, and the others find it. Renamed, it stays the same node.
        node_id := (lpad(to_hex(hashtextextended(seed, 0)), 16, '0') || lpad(to_hex(hashtextextended(seed, 1)), 16, '0'))::uuid;
        INSERT INTO pgperf.nodes (node_id, name, database_oid) VALUES (node_id, wanted_name, 0) ON CONFLICT ON CONSTRAINT nodes_pkey DO NOTHING;
    END IF;
    -- Numbers are given one after the other.
    SELECT n.name INTO node_name FROM pgperf.nodes n WHERE n.node_id = node_id FOR NO KEY UPDATE;
    SELECT s.origin_run_id INTO run_id FROM pgperf_internal.stored_runs s
    WHERE s.origin_node_id = node_id AND s.spec ->> 'source' = source;
    IF NOT FOUND THEN
        SELECT COALESCE(max(s.origin_run_id), 0) + 1 INTO run_id FROM pgperf_internal.stored_runs s WHERE s.origin_node_id = node_id;
    END IF;
END
$function$;
CREATE FUNCTION pgperf.rate_search_report(run text)
 RETURNS SETOF text
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$rate_search_report_by_name_wrapper$function$;
CREATE FUNCTION pgperf.rate_search_json(run text)
 RETURNS jsonb
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$rate_search_json_by_name_wrapper$function$;
CREATE OR REPLACE FUNCTION pgperf_internal.sweep_document(node_id uuid, sweep_id bigint, transactions boolean, runs boolean, samples boolean)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET jit TO 'off'
 SET "TimeZone" TO 'UTC'
 SET "DateStyle" TO 'ISO'
 SET "IntervalStyle" TO 'postgres'
 SET extra_float_digits TO '1'
AS $function$
#variable_conflict use_variable
DECLARE
    status text;
    points jsonb;
    attempts jsonb;
    documents jsonb[] := '{}';
    run bigint;
BEGIN
    SELECT w.status INTO status FROM pgperf.sweeps w WHERE w.node_id = node_id AND w.sweep_id = sweep_id;
    IF status NOT IN ('finished', 'stopped', 'failed', 'interrupted') THEN
        RAISE EXCEPTION 'sweep % cannot be exported: it is %', sweep_id, status
            USING ERRCODE = 'object_in_use', HINT = format('Wait for its end: CALL pgperf.wait_sweep(%s)', sweep_id);
    END IF;
    SELECT COALESCE(jsonb_agg(to_jsonb(p) - '{node_id,sweep_id}'::text[] ORDER BY p.point_no), '[]') INTO points
    FROM pgperf_internal.stored_sweep_points p WHERE p.node_id = node_id AND p.sweep_id = sweep_id;
    -- Runs have the numbers that they have on their node.
    SELECT COALESCE(jsonb_agg(to_jsonb(a) - '{node_id,sweep_id}'::text[] || jsonb_build_object(
               'run_id', COALESCE(r.origin_run_id, r.run_id), 'load_run_id', COALESCE(l.origin_run_id, l.run_id)) ORDER BY a.position, a.attempt), '[]') INTO attempts
    FROM pgperf_internal.sweep_attempts a
    LEFT JOIN pgperf_internal.stored_runs r ON r.node_id = a.node_id AND r.run_id = a.run_id
    LEFT JOIN pgperf_internal.stored_runs l ON l.node_id = a.node_id AND l.run_id = a.load_run_id
    WHERE a.node_id = node_id AND a.sweep_id = sweep_id;
    BEGIN
        IF runs THEN
            FOR run IN SELECT r.run_id FROM pgperf_internal.sweep_attempts a, LATERAL unnest(ARRAY[a.load_run_id, a.run_id]) r (run_id)
                       WHERE a.node_id = node_id AND a.sweep_id = sweep_id AND r.run_id IS NOT NULL ORDER BY r.run_id LOOP
                documents := documents || pgperf_internal.run_document(node_id, run, transactions, samples);
            END LOOP;
        END IF;
        RETURN jsonb_build_object(
            'format', 'pgperf-sweep',
            'version', 1,
            'exported_at', clock_timestamp(),
            'pgperf_version', (SELECT e.extversion FROM pg_extension e WHERE e.extname = 'pgperf'),
            'node', (SELECT to_jsonb(n) - '{group_name,first_timeline,timeline,timeline_since}'::text[] FROM pgperf.nodes n WHERE n.node_id = node_id),
            -- An imported sweep is written as its origin would write it.
            'sweep', (SELECT to_jsonb(s) - '{worker_pid,origin_node_id,origin_sweep_id,origin_role,role_oid}'::text[]
                             || jsonb_build_object('sweep_id', COALESCE(s.origin_sweep_id, s.sweep_id), 'role', COALESCE(s.origin_role, s.role))
                      FROM pgperf_internal.stored_sweeps s WHERE s.node_id = node_id AND s.sweep_id = sweep_id),
            'contents', jsonb_build_object('points', jsonb_array_length(points), 'attempts', jsonb_array_length(attempts), 'runs', cardinality(documents)),
            'points', points,
            'attempts', attempts,
            'runs', to_jsonb(documents));
    EXCEPTION WHEN program_limit_exceeded OR out_of_memory THEN
        RAISE EXCEPTION 'sweep % is too large for a document: %', sweep_id, SQLERRM
            USING ERRCODE = 'program_limit_exceeded',
                  HINT = 'A jsonb value holds at most 256 MB. Export its runs one by one, import them, and then the sweep without them: runs => false.';
    END;
END
$function$;
CREATE OR REPLACE FUNCTION pgperf_internal.store_sweep_document(document jsonb, label text, role text)
 RETURNS bigint
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET jit TO 'off'
 SET "TimeZone" TO 'UTC'
 SET "DateStyle" TO 'ISO'
 SET "IntervalStyle" TO 'postgres'
AS $function$
#variable_conflict use_variable
DECLARE
    sweep jsonb := document -> 'sweep';
    node uuid;
    number bigint;
    sweep_id bigint;
    stored_label text;
    part text;
    run jsonb;
    missing bigint;
    part_of text;
    lacking text;
BEGIN
    IF jsonb_typeof(document) <> 'object' OR document ->> 'format' IS DISTINCT FROM 'pgperf-sweep' THEN
        RAISE EXCEPTION 'document is not a sweep written by pgperf.export_sweep'
            USING ERRCODE = 'invalid_parameter_value', HINT = 'Export the sweep on the server that stores it: SELECT pgperf.export_sweep(sweep_id).';
    ELSIF document -> 'version' IS DISTINCT FROM '1' THEN
        RAISE EXCEPTION 'document has version %, but this pgperf reads version 1', COALESCE((document -> 'version')::text, 'none')
            USING ERRCODE = 'feature_not_supported', HINT = 'If a newer pgperf wrote it, update this one. Otherwise export it again.';
    END IF;
    BEGIN
        node := sweep ->> 'node_id';
        number := sweep ->> 'sweep_id';
        IF node IS NULL OR number IS NULL OR jsonb_typeof(sweep -> 'spec') IS DISTINCT FROM 'object' OR number < 1
           OR document -> 'node' ->> 'node_id' IS DISTINCT FROM node::text THEN
            RAISE EXCEPTION USING ERRCODE = 'data_exception', MESSAGE = 'it does not identify its sweep';
        END IF;
        SELECT s.sweep_id, s.label INTO sweep_id, stored_label FROM pgperf_internal.stored_sweeps s
        WHERE s.origin_node_id = node AND s.origin_sweep_id = number
           OR s.node_id = node AND s.sweep_id = number AND s.origin_node_id IS NULL;
        IF FOUND THEN
            IF label IS DISTINCT FROM stored_label AND label IS NOT NULL THEN
                RAISE NOTICE 'sweep % exists here already and keeps its label', sweep_id;
            END IF;
            RETURN sweep_id;
        END IF;
        IF node = pgperf.local_node() THEN
            RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state',
                MESSAGE = format('sweep %s of this node cannot be imported: it is not stored here any more', number),
                HINT = 'Documents are for other servers.';
        END IF;
        FOREACH part IN ARRAY '{points,attempts,runs}'::text[] LOOP
            IF jsonb_typeof(document -> part) IS DISTINCT FROM 'array'
               OR jsonb_array_length(document -> part) IS DISTINCT FROM (document -> 'contents' ->> part)::bigint THEN
                RAISE EXCEPTION USING ERRCODE = 'data_exception', MESSAGE = format('rows of %s are missing', part);
            END IF;
        END LOOP;
        PERFORM pgperf_internal.store_node(document -> 'node');
        LOOP
            sweep_id := pgperf_internal.next_number('pgperf_internal.sweep_id_seq');
            EXIT WHEN NOT EXISTS (SELECT FROM pgperf_internal.stored_sweeps s WHERE s.node_id = node AND s.sweep_id = sweep_id);
        END LOOP;
        INSERT INTO pgperf_internal.stored_sweeps
        SELECT r.* FROM jsonb_populate_record(NULL::pgperf_internal.stored_sweeps, sweep || jsonb_build_object(
            'sweep_id', sweep_id, 'origin_node_id', node, 'origin_sweep_id', number, 'label', COALESCE(label, sweep ->> 'label'),
            'role', role, 'origin_role', sweep ->> 'role', 'worker_pid', NULL, 'role_oid', NULL)) r
        ON CONFLICT DO NOTHING;
        IF NOT FOUND THEN
            -- Somebody else has just imported it.
            RETURN (SELECT s.sweep_id FROM pgperf_internal.stored_sweeps s WHERE s.origin_node_id = node AND s.origin_sweep_id = number);
        END IF;
        FOR run IN SELECT d.run FROM jsonb_array_elements(document -> 'runs') d (run) LOOP
            IF run -> 'run' ->> 'node_id' IS DISTINCT FROM node::text THEN
                RAISE EXCEPTION USING ERRCODE = 'data_exception', MESSAGE = 'it has a run of another node';
            END IF;
            PERFORM pgperf_internal.store_document(run, NULL, role);
        END LOOP;
        INSERT INTO pgperf_internal.stored_sweep_points
        SELECT r.* FROM jsonb_array_elements(document -> 'points') e (point), LATERAL jsonb_populate_record(
            NULL::pgperf_internal.stored_sweep_points, e.point || jsonb_build_object('node_id', node, 'sweep_id', sweep_id)) r;
        SELECT min(n.number) INTO missing
        FROM jsonb_array_elements(document -> 'attempts') e (attempt), LATERAL (VALUES ((e.attempt ->> 'run_id')::bigint), ((e.attempt ->> 'load_run_id')::bigint)) n (number)
        WHERE n.number IS NOT NULL AND pgperf_internal.run_of_origin(node, n.number) IS NULL;
        IF missing IS NOT NULL THEN
            RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state',
                MESSAGE = format('run %s of the sweep is neither in the document nor stored here', missing),
                HINT = 'Import its runs first (pgperf.export_run, pgperf.import_run), or export the sweep with them.';
        END IF;
        INSERT INTO pgperf_internal.sweep_attempts
        SELECT r.* FROM jsonb_array_elements(document -> 'attempts') e (attempt), LATERAL jsonb_populate_record(
            NULL::pgperf_internal.sweep_attempts, e.attempt || jsonb_build_object('node_id', node, 'sweep_id', sweep_id,
                'run_id', pgperf_internal.run_of_origin(node, (e.attempt ->> 'run_id')::bigint),
                'load_run_id', pgperf_internal.run_of_origin(node, (e.attempt ->> 'load_run_id')::bigint))) r;
        IF EXISTS (SELECT FROM (SELECT unnest(s.run_order) FROM pgperf_internal.stored_sweeps s WHERE s.node_id = node AND s.sweep_id = sweep_id
                                UNION ALL SELECT a.point_no FROM pgperf_internal.sweep_attempts a WHERE a.node_id = node AND a.sweep_id = sweep_id) u (point_no)
                   WHERE NOT EXISTS (SELECT FROM pgperf_internal.stored_sweep_points p WHERE p.node_id = node AND p.sweep_id = sweep_id AND p.point_no = u.point_no)) THEN
            RAISE EXCEPTION USING ERRCODE = 'data_exception', MESSAGE = 'it has a run of a point that it does not have';
        END IF;
        IF EXISTS (SELECT FROM pgperf_internal.stored_sweeps s, LATERAL unnest(ARRAY[s.requested_at, s.started_at, s.ended_at, s.resumed_at]) a (at)
                   WHERE s.node_id = node AND s.sweep_id = sweep_id AND pgperf_internal.is_impossible(a.at))
           OR EXISTS (SELECT FROM pgperf_internal.sweep_attempts s, LATERAL unnest(ARRAY[s.started_at, s.ended_at]) a (at)
                      WHERE s.node_id = node AND s.sweep_id = sweep_id AND pgperf_internal.is_impossible(a.at)) THEN
            RAISE EXCEPTION USING ERRCODE = 'data_exception', MESSAGE = 'the sweep has an impossible time';
        END IF;
        -- A sweep that cannot be shown would break views and reports of the others.
        PERFORM s::text FROM pgperf.sweeps s WHERE s.node_id = node AND s.sweep_id = sweep_id;
        PERFORM s::text FROM pgperf.sweep_runs s WHERE s.node_id = node AND s.sweep_id = sweep_id;
        PERFORM s::text FROM pgperf.sweep_points s WHERE s.node_id = node AND s.sweep_id = sweep_id;
        PERFORM s::text FROM pgperf.sweep_peak s WHERE s.node_id = node AND s.sweep_id = sweep_id;
    EXCEPTION WHEN data_exception OR integrity_constraint_violation OR feature_not_supported THEN
        GET STACKED DIAGNOSTICS part_of = TABLE_NAME, lacking = COLUMN_NAME;
        RAISE EXCEPTION 'the document is damaged: %', pgperf_internal.defect(SQLSTATE, part_of, lacking, SQLERRM)
            USING ERRCODE = 'invalid_parameter_value', HINT = 'Nothing of it was stored. Export the sweep again.';
    END;
    RETURN sweep_id;
END
$function$;
CREATE FUNCTION pgperf.note(note text, at timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS timestamp with time zone
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$note_wrapper$function$;
CREATE FUNCTION pgperf_internal.published_tables(OUT relation regclass, OUT of_samples boolean)
 RETURNS SETOF record
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT t.relation,
     (t.kind <> 'run'::text)
    FROM pgperf.run_tables t
 UNION ALL
  SELECT o.relation,
     false
    FROM ( VALUES ('pgperf.nodes'::regclass), ('pgperf_internal.stored_runs'::regclass), ('pgperf_internal.stored_sweeps'::regclass), ('pgperf_internal.stored_sweep_points'::regclass), ('pgperf_internal.sweep_attempts'::regclass), ('pgperf.notes'::regclass), ('pgperf_internal.forgotten_runs'::regclass)) o(relation);
END;
CREATE FUNCTION pgperf_internal.complete_publications(adding uuid DEFAULT NULL::uuid, OUT altered text)
 RETURNS SETOF text
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    own uuid[];
    p record;
BEGIN
    IF NOT EXISTS (SELECT FROM pgperf_internal.publications) THEN
        RETURN;
    END IF;
    own := ARRAY(SELECT n.node_id FROM pgperf.nodes n CROSS JOIN pgperf.local_node() l WHERE l IN (n.node_id, n.sampled_by)
                 UNION SELECT adding WHERE adding IS NOT NULL ORDER BY 1);
    FOR p IN SELECT k.publication, k.of_samples, k.nodes, b.oid FROM pgperf_internal.publications k JOIN pg_publication b ON b.pubname = k.publication LOOP
        CONTINUE WHEN p.nodes = own AND NOT EXISTS (
            SELECT t.relation::oid FROM pgperf_internal.published_tables() t WHERE t.of_samples = p.of_samples
            EXCEPT SELECT r.prrelid FROM pg_publication_rel r WHERE r.prpubid = p.oid);
        EXECUTE format('ALTER PUBLICATION %I SET TABLE %s', p.publication,
            (SELECT string_agg(format('%s WHERE (node_id = ANY (%L::uuid[]))', t.relation, own), ', ' ORDER BY t.relation::text)
             FROM pgperf_internal.published_tables() t WHERE t.of_samples = p.of_samples));
        UPDATE pgperf_internal.publications k SET nodes = own WHERE k.publication = p.publication;
        altered := p.publication;
        RETURN NEXT;
    END LOOP;
END
$function$;
CREATE FUNCTION pgperf_internal.maintain_publications(OUT action text, OUT object text, OUT note text)
 RETURNS SETOF record
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    FOR object IN SELECT pgperf_internal.complete_publications() LOOP
        action := 'published';
        RETURN NEXT;
    END LOOP;
EXCEPTION WHEN OTHERS THEN
    action := 'left'; object := NULL; note := SQLERRM;
    RETURN NEXT;
END
$function$;
CREATE FUNCTION pgperf_internal.publish_target()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    IF NEW.sampled_by = pgperf.local_node() THEN
        PERFORM pgperf_internal.complete_publications(NEW.node_id);
    END IF;
    RETURN NEW;
END
$function$;
CREATE TRIGGER publish_target BEFORE INSERT ON pgperf.nodes FOR EACH ROW WHEN ((new.sampled_by IS NOT NULL)) EXECUTE FUNCTION pgperf_internal.publish_target();
CREATE FUNCTION pgperf_internal.publish_node()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    PERFORM pgperf_internal.complete_publications();
    RETURN NULL;
END
$function$;
CREATE TRIGGER publish_node AFTER INSERT ON pgperf.nodes FOR EACH STATEMENT EXECUTE FUNCTION pgperf_internal.publish_node();
CREATE FUNCTION pgperf.publish_history(publication text DEFAULT 'pgperf_history'::text)
 RETURNS text[]
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
#variable_conflict use_variable
DECLARE
    samples text := publication || '_samples';
    wanted record;
BEGIN
    IF publication IS NULL OR publication = '' OR octet_length(samples) > 63 THEN
        RAISE EXCEPTION 'publication must be a name of 1 to 55 bytes'
            USING ERRCODE = 'invalid_parameter_value', HINT = 'Without an argument it is pgperf_history.';
    END IF;
    IF pg_is_in_recovery() THEN
        RAISE EXCEPTION 'cannot publish the history on a standby'
            USING ERRCODE = 'read_only_sql_transaction', HINT = 'Call it on the primary.';
    END IF;
    PERFORM pgperf.local_node();
    FOR wanted IN SELECT * FROM (VALUES (publication, false, 'insert, update, delete'), (samples, true, 'insert, update')) w (name, of_samples, actions) LOOP
        CONTINUE WHEN EXISTS (SELECT FROM pg_publication b JOIN pgperf_internal.publications p ON p.publication = b.pubname
                              WHERE b.pubname = wanted.name AND p.of_samples = wanted.of_samples);
        EXECUTE format('CREATE PUBLICATION %I WITH (publish = %L, publish_via_partition_root = true)', wanted.name, wanted.actions);
        INSERT INTO pgperf_internal.publications AS p (publication, of_samples) VALUES (wanted.name, wanted.of_samples)
        ON CONFLICT ON CONSTRAINT publications_pkey DO UPDATE SET (of_samples, nodes) = (EXCLUDED.of_samples, '{}');
    END LOOP;
    PERFORM pgperf_internal.complete_publications();
    RETURN ARRAY[publication, samples];
END
$function$;
CREATE FUNCTION pgperf.unpublish_history(publication text DEFAULT 'pgperf_history'::text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
#variable_conflict use_variable
DECLARE
    gone text;
    found boolean := false;
BEGIN
    FOR gone IN DELETE FROM pgperf_internal.publications p WHERE p.publication IN (publication, publication || '_samples') RETURNING p.publication LOOP
        found := true;
        EXECUTE format('DROP PUBLICATION IF EXISTS %I', gone);
    END LOOP;
    RETURN found;
END
$function$;
CREATE FUNCTION pgperf_internal.is_forgotten(node_id uuid, run_id bigint)
 RETURNS boolean
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT (EXISTS ( SELECT
            FROM pgperf_internal.forgotten_runs f
           WHERE ((f.node_id = is_forgotten.node_id) AND (f.run_id = is_forgotten.run_id) AND (NOT f.deleted)))) AS "exists";
END;
CREATE FUNCTION pgperf_internal.keep_forgotten()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    IF pgperf_internal.is_forgotten(OLD.node_id, OLD.run_id) THEN
        RETURN NULL;
    END IF;
    RETURN OLD;
END
$function$;
CREATE FUNCTION pgperf_internal.keep_attempted()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    IF NEW.run_id IS NULL AND pgperf_internal.is_forgotten(OLD.node_id, OLD.run_id) THEN
        NEW.run_id := OLD.run_id;
    END IF;
    IF NEW.load_run_id IS NULL AND pgperf_internal.is_forgotten(OLD.node_id, OLD.load_run_id) THEN
        NEW.load_run_id := OLD.load_run_id;
    END IF;
    RETURN NEW;
END
$function$;
CREATE FUNCTION pgperf_internal.remove_samples_too()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    PERFORM pgperf_internal.remove_samples(OLD.node_id, OLD.run_id);
    DELETE FROM pgperf_internal.pinned_runs p WHERE p.node_id = OLD.node_id AND p.run_id = OLD.run_id;
    DELETE FROM pgperf.baselines b WHERE b.node_id = OLD.node_id AND b.run_id = OLD.run_id;
    RETURN NULL;
END
$function$;
CREATE FUNCTION pgperf_internal.own_what_comes()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    NEW.origin_role := COALESCE(NEW.origin_role, NEW.role);
    NEW.role := current_user;
    IF TG_TABLE_NAME = 'stored_sweeps' THEN
        NEW.role_oid := NULL;
    END IF;
    RETURN NEW;
END
$function$;
CREATE TRIGGER own_what_comes BEFORE INSERT OR UPDATE ON pgperf_internal.stored_runs FOR EACH ROW EXECUTE FUNCTION pgperf_internal.own_what_comes();
ALTER TABLE pgperf_internal.stored_runs ENABLE REPLICA TRIGGER own_what_comes;
CREATE TRIGGER own_what_comes BEFORE INSERT OR UPDATE ON pgperf_internal.stored_sweeps FOR EACH ROW EXECUTE FUNCTION pgperf_internal.own_what_comes();
ALTER TABLE pgperf_internal.stored_sweeps ENABLE REPLICA TRIGGER own_what_comes;
CREATE TRIGGER keep_attempted BEFORE UPDATE ON pgperf_internal.sweep_attempts FOR EACH ROW EXECUTE FUNCTION pgperf_internal.keep_attempted();
ALTER TABLE pgperf_internal.sweep_attempts ENABLE REPLICA TRIGGER keep_attempted;
CREATE TRIGGER remove_samples_too AFTER DELETE ON pgperf_internal.stored_runs FOR EACH ROW EXECUTE FUNCTION pgperf_internal.remove_samples_too();
ALTER TABLE pgperf_internal.stored_runs ENABLE REPLICA TRIGGER remove_samples_too;
CREATE TRIGGER keep_forgotten BEFORE DELETE ON pgperf_internal.run_totals FOR EACH ROW EXECUTE FUNCTION pgperf_internal.keep_forgotten();
ALTER TABLE pgperf_internal.run_totals ENABLE REPLICA TRIGGER keep_forgotten;
CREATE TRIGGER keep_forgotten BEFORE DELETE ON pgperf.run_intervals FOR EACH ROW EXECUTE FUNCTION pgperf_internal.keep_forgotten();
ALTER TABLE pgperf.run_intervals ENABLE REPLICA TRIGGER keep_forgotten;
CREATE TRIGGER keep_forgotten BEFORE DELETE ON pgperf.run_scripts FOR EACH ROW EXECUTE FUNCTION pgperf_internal.keep_forgotten();
ALTER TABLE pgperf.run_scripts ENABLE REPLICA TRIGGER keep_forgotten;
CREATE TRIGGER keep_forgotten BEFORE DELETE ON pgperf.run_servers FOR EACH ROW EXECUTE FUNCTION pgperf_internal.keep_forgotten();
ALTER TABLE pgperf.run_servers ENABLE REPLICA TRIGGER keep_forgotten;
CREATE TRIGGER keep_forgotten BEFORE DELETE ON pgperf.run_server_intervals FOR EACH ROW EXECUTE FUNCTION pgperf_internal.keep_forgotten();
ALTER TABLE pgperf.run_server_intervals ENABLE REPLICA TRIGGER keep_forgotten;
CREATE TRIGGER keep_forgotten BEFORE DELETE ON pgperf.run_statements FOR EACH ROW EXECUTE FUNCTION pgperf_internal.keep_forgotten();
ALTER TABLE pgperf.run_statements ENABLE REPLICA TRIGGER keep_forgotten;
CREATE TRIGGER keep_forgotten BEFORE DELETE ON pgperf.run_replays FOR EACH ROW EXECUTE FUNCTION pgperf_internal.keep_forgotten();
ALTER TABLE pgperf.run_replays ENABLE REPLICA TRIGGER keep_forgotten;
CREATE TRIGGER keep_forgotten BEFORE DELETE ON pgperf.run_replay_statements FOR EACH ROW EXECUTE FUNCTION pgperf_internal.keep_forgotten();
ALTER TABLE pgperf.run_replay_statements ENABLE REPLICA TRIGGER keep_forgotten;
CREATE TRIGGER keep_forgotten BEFORE DELETE ON pgperf.run_transactions FOR EACH ROW EXECUTE FUNCTION pgperf_internal.keep_forgotten();
ALTER TABLE pgperf.run_transactions ENABLE REPLICA TRIGGER keep_forgotten;
CREATE TRIGGER keep_forgotten BEFORE DELETE ON pgperf.run_errors FOR EACH ROW EXECUTE FUNCTION pgperf_internal.keep_forgotten();
ALTER TABLE pgperf.run_errors ENABLE REPLICA TRIGGER keep_forgotten;
CREATE TRIGGER keep_forgotten BEFORE DELETE ON pgperf.run_receivers FOR EACH ROW EXECUTE FUNCTION pgperf_internal.keep_forgotten();
ALTER TABLE pgperf.run_receivers ENABLE REPLICA TRIGGER keep_forgotten;
CREATE TRIGGER keep_forgotten BEFORE DELETE ON pgperf.run_receiver_lag FOR EACH ROW EXECUTE FUNCTION pgperf_internal.keep_forgotten();
ALTER TABLE pgperf.run_receiver_lag ENABLE REPLICA TRIGGER keep_forgotten;
CREATE TRIGGER keep_forgotten BEFORE DELETE ON pgperf.run_disturbances FOR EACH ROW EXECUTE FUNCTION pgperf_internal.keep_forgotten();
ALTER TABLE pgperf.run_disturbances ENABLE REPLICA TRIGGER keep_forgotten;
CREATE TRIGGER keep_forgotten BEFORE DELETE ON pgperf_internal.stored_segments FOR EACH ROW EXECUTE FUNCTION pgperf_internal.keep_forgotten();
ALTER TABLE pgperf_internal.stored_segments ENABLE REPLICA TRIGGER keep_forgotten;
CREATE TRIGGER keep_forgotten BEFORE DELETE ON pgperf.run_settings FOR EACH ROW EXECUTE FUNCTION pgperf_internal.keep_forgotten();
ALTER TABLE pgperf.run_settings ENABLE REPLICA TRIGGER keep_forgotten;
CREATE TRIGGER keep_forgotten BEFORE DELETE ON pgperf.run_environment FOR EACH ROW EXECUTE FUNCTION pgperf_internal.keep_forgotten();
ALTER TABLE pgperf.run_environment ENABLE REPLICA TRIGGER keep_forgotten;
CREATE TRIGGER keep_forgotten BEFORE DELETE ON pgperf.run_metrics FOR EACH ROW EXECUTE FUNCTION pgperf_internal.keep_forgotten();
ALTER TABLE pgperf.run_metrics ENABLE REPLICA TRIGGER keep_forgotten;
CREATE TRIGGER keep_forgotten BEFORE DELETE ON pgperf.run_relations FOR EACH ROW EXECUTE FUNCTION pgperf_internal.keep_forgotten();
ALTER TABLE pgperf.run_relations ENABLE REPLICA TRIGGER keep_forgotten;
CREATE TRIGGER keep_forgotten BEFORE DELETE ON pgperf.run_plans FOR EACH ROW EXECUTE FUNCTION pgperf_internal.keep_forgotten();
ALTER TABLE pgperf.run_plans ENABLE REPLICA TRIGGER keep_forgotten;
CREATE TRIGGER keep_forgotten BEFORE DELETE ON pgperf_internal.stored_rate_searches FOR EACH ROW EXECUTE FUNCTION pgperf_internal.keep_forgotten();
ALTER TABLE pgperf_internal.stored_rate_searches ENABLE REPLICA TRIGGER keep_forgotten;
CREATE TRIGGER keep_forgotten BEFORE DELETE ON pgperf.rate_search_steps FOR EACH ROW EXECUTE FUNCTION pgperf_internal.keep_forgotten();
ALTER TABLE pgperf.rate_search_steps ENABLE REPLICA TRIGGER keep_forgotten;
CREATE TRIGGER keep_forgotten BEFORE DELETE ON pgperf_internal.stored_runs FOR EACH ROW EXECUTE FUNCTION pgperf_internal.keep_forgotten();
ALTER TABLE pgperf_internal.stored_runs ENABLE REPLICA TRIGGER keep_forgotten;
CREATE FUNCTION pgperf_internal.take_rows(relation regclass, columns text[], rows json)
 RETURNS bigint
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET session_replication_role TO 'replica'
 SET "IntervalStyle" TO 'postgres'
AS $function$
DECLARE
    taken bigint;
BEGIN
    EXECUTE format('INSERT INTO %1$s (%2$s) SELECT %2$s FROM json_populate_recordset(NULL::%1$s, $1)', relation,
                   (SELECT string_agg(quote_ident(c.name), ', ' ORDER BY c.n) FROM unnest(columns) WITH ORDINALITY c (name, n))) USING rows;
    GET DIAGNOSTICS taken = ROW_COUNT;
    RETURN taken;
END
$function$;
CREATE FUNCTION pgperf_internal.drop_runs_gone(nodes uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET session_replication_role TO 'replica'
AS $function$
DECLARE
    own regclass;
BEGIN
    FOR own IN SELECT t.relation FROM pgperf.run_tables t WHERE t.kind = 'run'
               UNION ALL VALUES ('pgperf_internal.stored_runs'::regclass) LOOP
        EXECUTE format('DELETE FROM %s t USING pgperf_internal.forgotten_runs f
            WHERE t.node_id = ANY ($1) AND f.node_id = t.node_id AND f.run_id = t.run_id AND f.deleted', own) USING nodes;
    END LOOP;
END
$function$;
CREATE FUNCTION pgperf_internal.drop_copied(nodes uuid[], runs json, relations regclass[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    own regclass;
    of_run boolean;
BEGIN
    FOREACH own IN ARRAY relations LOOP
        of_run := own = 'pgperf_internal.stored_runs'::regclass OR EXISTS (SELECT FROM pgperf.run_tables t WHERE t.kind = 'run' AND t.relation = own);
        EXECUTE format('DELETE FROM %s t WHERE t.node_id = ANY ($1)', own) || CASE WHEN of_run THEN
            ' AND (t.node_id, t.run_id) IN (SELECT r.node_id, r.run_id FROM json_to_recordset($2) r (node_id uuid, run_id bigint))' ELSE '' END
            USING nodes, runs;
    END LOOP;
END
$function$;
CREATE FUNCTION pgperf_internal.drop_twins(nodes uuid[], texts regclass)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    EXECUTE (SELECT format('DELETE FROM %1$s t USING %1$s o WHERE t.node_id = ANY ($1) AND o.node_id = t.node_id AND o.ctid < t.ctid AND %2$s', texts,
                           (SELECT string_agg(format('o.%1$I = t.%1$I', k), ' AND ') FROM unnest(r.object) k))
             FROM pgperf.run_tables r WHERE r.relation = texts) USING nodes;
END
$function$;
CREATE FUNCTION pgperf_internal.make_day(day integer)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    PERFORM pgperf_internal.claim_partitions();
    PERFORM pgperf_internal.make_partitions(day, t.table_name, day) FROM pgperf_internal.history_tables t WHERE t.width = 'day' OR day >= 0;
EXCEPTION WHEN OTHERS THEN
    RAISE DEBUG 'no partitions of day %: %', day, SQLERRM;
END
$function$;
CREATE FUNCTION pgperf_internal.check_source(server text, publication text)
 RETURNS integer
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$check_source_wrapper$function$;
CREATE FUNCTION pgperf_internal.begin_subscription(server text, publication text, run_retention interval)
 RETURNS text
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$begin_subscription_wrapper$function$;
CREATE PROCEDURE pgperf.subscribe_history(IN server text, IN publication text DEFAULT 'pgperf_history'::text, IN run_retention interval DEFAULT NULL::interval, INOUT subscription text DEFAULT NULL::text)
 LANGUAGE plpgsql
AS $procedure$
DECLARE
    first_day integer;
BEGIN
    CALL pgperf_internal.require_top_level('pgperf.subscribe_history');
    PERFORM pgperf.local_node();
    first_day := pgperf_internal.check_source(server, publication);
    FOR day IN first_day .. 1 LOOP
        PERFORM pgperf_internal.make_day(day);
        COMMIT;
    END LOOP;
    subscription := pgperf_internal.begin_subscription(server, publication, run_retention);
END
$procedure$;
CREATE FUNCTION pgperf.unsubscribe_history(server text, keep_slot boolean DEFAULT false)
 RETURNS boolean
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$unsubscribe_history_wrapper$function$;
CREATE FUNCTION pgperf.repository_status(ask boolean DEFAULT true, OUT node_name text, OUT node_id uuid, OUT server text, OUT subscription text, OUT status text, OUT last_heard_at timestamp with time zone, OUT behind_bytes bigint, OUT behind_s double precision, OUT slot_bytes bigint, OUT slot_status text, OUT slot_room_bytes bigint, OUT apply_errors bigint, OUT gaps text, OUT remedy text)
 RETURNS SETOF record
 LANGUAGE c
 STRICT ROWS 10
AS 'MODULE_PATHNAME', $function$repository_status_wrapper$function$;
CREATE FUNCTION pgperf.history_report(from_time timestamp with time zone DEFAULT NULL::timestamp with time zone, to_time timestamp with time zone DEFAULT NULL::timestamp with time zone, node text DEFAULT NULL::text)
 RETURNS SETOF text
 LANGUAGE c
 SET jit TO 'off'
 SET work_mem TO '32MB'
AS 'MODULE_PATHNAME', $function$history_report_between_wrapper$function$;
CREATE FUNCTION pgperf.history_html(from_time timestamp with time zone DEFAULT NULL::timestamp with time zone, to_time timestamp with time zone DEFAULT NULL::timestamp with time zone, node text DEFAULT NULL::text)
 RETURNS text
 LANGUAGE c
 SET jit TO 'off'
 SET work_mem TO '32MB'
AS 'MODULE_PATHNAME', $function$history_html_between_wrapper$function$;
CREATE FUNCTION pgperf.history_json(from_time timestamp with time zone DEFAULT NULL::timestamp with time zone, to_time timestamp with time zone DEFAULT NULL::timestamp with time zone, node text DEFAULT NULL::text)
 RETURNS jsonb
 LANGUAGE c
 SET jit TO 'off'
 SET work_mem TO '32MB'
AS 'MODULE_PATHNAME', $function$history_json_between_wrapper$function$;
CREATE FUNCTION pgperf.metrics(node_id uuid DEFAULT NULL::uuid, format text DEFAULT 'openmetrics'::text, findings boolean DEFAULT false, all_nodes boolean DEFAULT false)
 RETURNS text
 LANGUAGE c
 STABLE
AS 'MODULE_PATHNAME', $function$metrics_in_format_wrapper$function$;
CREATE FUNCTION pgperf_internal.judge_window(from_time timestamp with time zone, to_time timestamp with time zone, node text)
 RETURNS jsonb
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$findings_between_wrapper$function$;
CREATE FUNCTION pgperf.findings(from_time timestamp with time zone DEFAULT NULL::timestamp with time zone, to_time timestamp with time zone DEFAULT NULL::timestamp with time zone, node text DEFAULT NULL::text, OUT rule text, OUT severity pgperf.severity, OUT weight double precision, OUT title text, OUT object_kind text, OUT schema_name text, OUT object_name text, OUT at timestamp with time zone, OUT since timestamp with time zone, OUT until timestamp with time zone, OUT evidence text, OUT advice text, OUT fix_sql text, OUT figures jsonb, OUT part_of text, OUT time_percent double precision, OUT node_name text)
 RETURNS SETOF record
 LANGUAGE sql
 ROWS 10
BEGIN ATOMIC
 SELECT f.rule,
     f.severity,
     f.weight,
     f.title,
     f.object_kind,
     f.schema_name,
     f.object_name,
     f.at,
     f.since,
     f.until,
     f.evidence,
     f.advice,
     f.fix_sql,
     f.figures,
     f.part_of,
     f.time_percent,
     f.node_name
    FROM jsonb_to_recordset(pgperf_internal.judge_window(findings.from_time, findings.to_time, findings.node)) f(rule text, severity pgperf.severity, weight double precision, title text, object_kind text, schema_name text, object_name text, at timestamp with time zone, since timestamp with time zone, until timestamp with time zone, evidence text, advice text, fix_sql text, figures jsonb, part_of text, time_percent double precision, node_name text)
   ORDER BY f.severity DESC, f.time_percent DESC NULLS LAST, f.weight DESC, f.rule, f.schema_name, f.object_name, f.node_name;
END;
CREATE FUNCTION pgperf.findings(run text, OUT rule text, OUT severity pgperf.severity, OUT weight double precision, OUT title text, OUT object_kind text, OUT schema_name text, OUT object_name text, OUT at timestamp with time zone, OUT since timestamp with time zone, OUT until timestamp with time zone, OUT evidence text, OUT advice text, OUT fix_sql text, OUT figures jsonb, OUT part_of text, OUT time_percent double precision, OUT node_name text)
 RETURNS SETOF record
 LANGUAGE sql
 ROWS 10
BEGIN ATOMIC
 SELECT f.rule,
     f.severity,
     f.weight,
     f.title,
     f.object_kind,
     f.schema_name,
     f.object_name,
     f.at,
     f.since,
     f.until,
     f.evidence,
     f.advice,
     f.fix_sql,
     f.figures,
     f.part_of,
     f.time_percent,
     f.node_name
    FROM jsonb_to_recordset(pgperf_internal.judge_window(findings.run)) f(rule text, severity pgperf.severity, weight double precision, title text, object_kind text, schema_name text, object_name text, at timestamp with time zone, since timestamp with time zone, until timestamp with time zone, evidence text, advice text, fix_sql text, figures jsonb, part_of text, time_percent double precision, node_name text)
   ORDER BY f.severity DESC, f.time_percent DESC NULLS LAST, f.weight DESC, f.rule, f.schema_name, f.object_name, f.node_name;
END;
CREATE FUNCTION pgperf_internal.finding_rule_definitions(OUT rule text, OUT severity text, OUT threshold double precision, OUT unit text, OUT title text)
 RETURNS SETOF record
 LANGUAGE c
 STABLE STRICT ROWS 50
AS 'MODULE_PATHNAME', $function$finding_rule_definitions_wrapper$function$;
CREATE VIEW pgperf.finding_rules AS
 SELECT d.rule,
    o.object,
    COALESCE(s.enabled, true) AS enabled,
        CASE
            WHEN o.object = '%'::text THEN COALESCE(s.threshold, d.threshold)
            ELSE NULL::double precision
        END AS threshold,
        CASE
            WHEN o.object = '%'::text THEN d.unit
            ELSE NULL::text
        END AS unit,
    s.muted_until,
    s.note,
    d.severity::pgperf.severity AS severity,
    d.title
   FROM pgperf_internal.finding_rule_definitions() WITH ORDINALITY d(rule, severity, threshold, unit, title, ordinality)
     CROSS JOIN LATERAL ( SELECT '%'::text AS object
        UNION
         SELECT x.object
           FROM pgperf_internal.finding_rule_settings x
          WHERE x.rule = d.rule) o
     LEFT JOIN pgperf_internal.finding_rule_settings s ON s.rule = d.rule AND s.object = o.object
  ORDER BY d.ordinality, (o.object <> '%'::text), o.object;
CREATE FUNCTION pgperf_internal.finding_rules_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    defined record;
BEGIN
    IF TG_OP = 'DELETE' THEN
        DELETE FROM pgperf_internal.finding_rule_settings s WHERE s.rule = OLD.rule AND s.object = OLD.object;
        RETURN OLD;
    END IF;
    SELECT d.rule, d.threshold INTO defined FROM pgperf_internal.finding_rule_definitions() d WHERE d.rule = NEW.rule;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'unknown rule: "%"', NEW.rule USING ERRCODE = 'invalid_parameter_value', HINT = 'pgperf.finding_rules lists all of them.';
    END IF;
    NEW.object := COALESCE(NEW.object, '%');
    NEW.enabled := COALESCE(NEW.enabled, true);
    IF TG_OP = 'UPDATE' AND (NEW.rule, NEW.object, NEW.unit, NEW.severity, NEW.title) IS DISTINCT FROM (OLD.rule, OLD.object, OLD.unit, OLD.severity, OLD.title) THEN
        RAISE EXCEPTION 'only "enabled", "threshold", "muted_until" and "note" of pgperf.finding_rules can be changed'
            USING ERRCODE = 'feature_not_supported', HINT = 'DELETE the row and INSERT another one for other objects.';
    END IF;
    IF TG_OP = 'INSERT' AND EXISTS (SELECT FROM pgperf_internal.finding_rule_settings s WHERE s.rule = NEW.rule AND s.object = NEW.object) THEN
        RAISE EXCEPTION 'rule "%" has a row for objects "%" already', NEW.rule, NEW.object USING ERRCODE = 'unique_violation', HINT = 'UPDATE that one.';
    END IF;
    IF NEW.object ~ '(^|[^\\])(\\\\)*\\$' THEN
        RAISE EXCEPTION 'the pattern "%" ends with an escape character', NEW.object
            USING ERRCODE = 'invalid_escape_sequence', HINT = 'A backslash itself is written twice.';
    END IF;
    IF NEW.threshold IS NOT NULL AND NEW.object <> '%' THEN
        RAISE EXCEPTION 'a threshold is that of all objects' USING ERRCODE = 'invalid_parameter_value', HINT = 'Set it in the row of the rule whose "object" is %.';
    END IF;
    IF NEW.threshold IS NOT NULL AND defined.threshold IS NULL THEN
        RAISE EXCEPTION 'rule "%" has no threshold', NEW.rule USING ERRCODE = 'invalid_parameter_value', HINT = 'It can be switched off, or muted.';
    END IF;
    IF NEW.threshold <= 0 OR NEW.threshold > 1e12 OR NEW.threshold = 'NaN' THEN
        RAISE EXCEPTION 'the threshold of rule "%" must be greater than zero, and at most 1e12', NEW.rule USING ERRCODE = 'invalid_parameter_value';
    END IF;
    INSERT INTO pgperf_internal.finding_rule_settings AS s (rule, object, enabled, threshold, muted_until, note)
    VALUES (NEW.rule, NEW.object, NEW.enabled, NULLIF(NEW.threshold, defined.threshold), NEW.muted_until, NEW.note)
    ON CONFLICT (rule, object) DO UPDATE SET (enabled, threshold, muted_until, note) = (EXCLUDED.enabled, EXCLUDED.threshold, EXCLUDED.muted_until, EXCLUDED.note);
    RETURN NEW;
END
$function$;
CREATE TRIGGER finding_rules_change INSTEAD OF INSERT OR DELETE OR UPDATE ON pgperf.finding_rules FOR EACH ROW EXECUTE FUNCTION pgperf_internal.finding_rules_change();
CREATE FUNCTION pgperf.history_compare(from_a timestamp with time zone, to_a timestamp with time zone, from_b timestamp with time zone, to_b timestamp with time zone, node_a text DEFAULT NULL::text, node_b text DEFAULT NULL::text)
 RETURNS SETOF text
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$history_compare_windows_wrapper$function$;
CREATE FUNCTION pgperf.history_compare_html(from_a timestamp with time zone, to_a timestamp with time zone, from_b timestamp with time zone, to_b timestamp with time zone, node_a text DEFAULT NULL::text, node_b text DEFAULT NULL::text)
 RETURNS text
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$history_compare_html_windows_wrapper$function$;
CREATE FUNCTION pgperf.history_compare_json(from_a timestamp with time zone, to_a timestamp with time zone, from_b timestamp with time zone, to_b timestamp with time zone, node_a text DEFAULT NULL::text, node_b text DEFAULT NULL::text)
 RETURNS jsonb
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$history_compare_json_windows_wrapper$function$;
CREATE FUNCTION pgperf.fleet_report(from_time timestamp with time zone DEFAULT NULL::timestamp with time zone, to_time timestamp with time zone DEFAULT NULL::timestamp with time zone, group_name text DEFAULT NULL::text)
 RETURNS SETOF text
 LANGUAGE c
 SET jit TO 'off'
 SET work_mem TO '32MB'
AS 'MODULE_PATHNAME', $function$fleet_report_wrapper$function$;
CREATE FUNCTION pgperf.fleet_html(from_time timestamp with time zone DEFAULT NULL::timestamp with time zone, to_time timestamp with time zone DEFAULT NULL::timestamp with time zone, group_name text DEFAULT NULL::text)
 RETURNS text
 LANGUAGE c
 SET jit TO 'off'
 SET work_mem TO '32MB'
AS 'MODULE_PATHNAME', $function$fleet_html_wrapper$function$;
CREATE FUNCTION pgperf_internal.capture_alive(capture_id bigint)
 RETURNS boolean
 LANGUAGE c
 STRICT
AS 'MODULE_PATHNAME', $function$capture_alive_wrapper$function$;
CREATE FUNCTION pgperf.start_capture(name text, duration interval DEFAULT '00:10:00'::interval, roles text[] DEFAULT NULL::text[], application_names text[] DEFAULT NULL::text[], share double precision DEFAULT 1, share_of text DEFAULT 'sessions'::text, max_bytes text DEFAULT '1GB'::text)
 RETURNS bigint
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$start_capture_wrapper$function$;
CREATE FUNCTION pgperf.stop_capture()
 RETURNS boolean
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$stop_capture_wrapper$function$;
CREATE FUNCTION pgperf.drop_capture(name text)
 RETURNS boolean
 LANGUAGE c
 STRICT
AS 'MODULE_PATHNAME', $function$drop_capture_wrapper$function$;
CREATE FUNCTION pgperf.capture_report(name text)
 RETURNS SETOF text
 LANGUAGE c
 STABLE STRICT ROWS 40
AS 'MODULE_PATHNAME', $function$capture_report_wrapper$function$;
CREATE FUNCTION pgperf.export_capture(name text)
 RETURNS bytea
 LANGUAGE c
 STRICT
AS 'MODULE_PATHNAME', $function$export_capture_wrapper$function$;
CREATE FUNCTION pgperf.export_capture(name text, file text)
 RETURNS bigint
 LANGUAGE c
 STRICT
AS 'MODULE_PATHNAME', $function$export_capture_to_file_wrapper$function$;
CREATE FUNCTION pgperf.import_capture(document bytea, name text DEFAULT NULL::text)
 RETURNS bigint
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$import_capture_wrapper$function$;
CREATE FUNCTION pgperf.import_capture(file text, name text DEFAULT NULL::text)
 RETURNS bigint
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$import_capture_from_file_wrapper$function$;
CREATE FUNCTION pgperf.test_statements(capture text, baseline jsonb DEFAULT '{}'::jsonb, candidate jsonb DEFAULT '{}'::jsonb, baseline_sql text DEFAULT NULL::text, candidate_sql text DEFAULT NULL::text, statements integer DEFAULT 20, samples integer DEFAULT 20, repetitions integer DEFAULT 3, writes boolean DEFAULT false, budget interval DEFAULT '00:01:00'::interval)
 RETURNS TABLE(statement text, calls bigint, captured_ms double precision, tested integer, baseline_ms double precision, candidate_ms double precision, change_percent double precision, ci_low_percent double precision, ci_high_percent double precision, verdict text, baseline_blocks double precision, candidate_blocks double precision, plan_changed boolean, error text)
 LANGUAGE c
 ROWS 20
AS 'MODULE_PATHNAME', $function$test_statements_wrapper$function$;
CREATE VIEW pgperf.captures AS
 SELECT c.name,
        CASE
            WHEN (c.stored_status = ANY (ARRAY['waiting'::text, 'capturing'::text])) AND NOT pgperf_internal.capture_alive(c.capture_id) THEN 'interrupted'::text
            ELSE c.stored_status
        END AS status,
    c.capture_id,
    c.role,
    c.requested_at,
    c.started_at,
    c.ended_at,
    c.reason,
    c.bytes,
    c.sessions,
    c.sessions_left_out,
    c.transactions,
    c.statements,
    c.dropped,
    make_interval(secs => c.duration_s) AS duration,
    c.max_bytes,
    ( SELECT array_agg(r.name) AS array_agg
           FROM jsonb_array_elements_text(c.scope -> 'roles'::text) r(name)) AS roles,
    ( SELECT array_agg(a.name) AS array_agg
           FROM jsonb_array_elements_text(c.scope -> 'applications'::text) a(name)) AS application_names,
    (c.scope ->> 'share'::text)::double precision AS share,
    c.scope ->> 'share_of'::text AS share_of,
    c.imported_from
   FROM pgperf_internal.stored_captures c;
COMMENT ON TABLE pgperf.nodes IS 'The installations whose history is stored here, and the targets that they sample; the local one is the newest row with this server''s system identifier and this database and no sampled_by';
COMMENT ON COLUMN pgperf.nodes.first_of IS 'On the first node of a server and database: system identifier and database; for a target after its sampled_by, and with the name of the foreign server where it does not tell its identifier. NULL: a later node';
COMMENT ON COLUMN pgperf.nodes.first_timeline IS 'The timeline of the server''s WAL on which the node began; each later one adds 1000000000 to the numbers of its runs, sweeps and samples. NULL: 1';
COMMENT ON COLUMN pgperf.nodes.group_name IS 'The group to which set_node_group has added it here; NULL: none';
COMMENT ON COLUMN pgperf.nodes.name IS 'Name of the node, initially host:port/database, of a target the name of its foreign server; it may be changed';
COMMENT ON COLUMN pgperf.nodes.sampled_by IS 'Of a target: the node that samples it over a connection (pgperf_target); NULL: pgperf is installed there';
COMMENT ON COLUMN pgperf.nodes.system_identifier IS 'System identifier of the server, as in pg_control_system(); NULL: not known, a node of import_results, or a target whose role there may not read it';
COMMENT ON COLUMN pgperf.nodes.timeline IS 'The timeline of the server''s WAL when the node was last in use: another one after a promotion';
COMMENT ON COLUMN pgperf.nodes.timeline_since IS 'When the node was first in use on this timeline';
COMMENT ON FUNCTION pgperf_internal.number_node_name() IS 'Appends a number to the name of a node from elsewhere if the name is taken, and keeps its group';
COMMENT ON FUNCTION pgperf_internal.range_of_numbers() IS 'What the present timeline of the server''s WAL adds to numbers of this node''s runs, sweeps and samples: 0 on the timeline on which the node began';
COMMENT ON FUNCTION pgperf_internal.next_number(regclass) IS 'The next number of a run, sweep or sample';
COMMENT ON COLUMN pgperf_internal.run_totals.first_byte_ms IS 'Over the wire: average time in ms per transaction from sending its statements to the first byte of their answers; NULL: inside the server, or with pipelines';
COMMENT ON COLUMN pgperf_internal.run_totals.receive_ms IS 'Over the wire: average time in ms per transaction from the first byte of the answers to its statements to the last';
COMMENT ON TABLE pgperf.run_servers IS 'One row for each server of a run on several (servers => ...): the outcome of the transactions of its clients';
COMMENT ON COLUMN pgperf.run_servers.aborted IS 'How many of them an error ended';
COMMENT ON COLUMN pgperf.run_servers.clients IS 'Number of its clients';
COMMENT ON COLUMN pgperf.run_servers.deadlock_failures IS 'Failed transactions whose last error was a deadlock';
COMMENT ON COLUMN pgperf.run_servers.failed IS 'Transactions that were given up: after the last try, or, with continue_on_error, because of another error';
COMMENT ON COLUMN pgperf.run_servers.histogram IS 'Latencies of successful transactions: HdrHistogram V2 in nanoseconds';
COMMENT ON COLUMN pgperf.run_servers.in_recovery IS 'Whether it was a standby when the run began; NULL: not known';
COMMENT ON COLUMN pgperf.run_servers.late IS 'Transactions that took longer than latency_limit';
COMMENT ON COLUMN pgperf.run_servers.latency_avg_ms IS 'Mean latency of successful transactions in ms; with a rate, measured from the time at which each was due';
COMMENT ON COLUMN pgperf.run_servers.latency_max_ms IS 'Highest latency in ms';
COMMENT ON COLUMN pgperf.run_servers.latency_p50_ms IS 'Median latency in ms';
COMMENT ON COLUMN pgperf.run_servers.latency_p90_ms IS '90th percentile of the latency in ms';
COMMENT ON COLUMN pgperf.run_servers.latency_p95_ms IS '95th percentile of the latency in ms';
COMMENT ON COLUMN pgperf.run_servers.latency_p9999_ms IS '99.99th percentile of the latency in ms';
COMMENT ON COLUMN pgperf.run_servers.latency_p999_ms IS '99.9th percentile of the latency in ms';
COMMENT ON COLUMN pgperf.run_servers.latency_p99_ms IS '99th percentile of the latency in ms';
COMMENT ON COLUMN pgperf.run_servers.latency_stddev_ms IS 'Standard deviation of the latency in ms';
COMMENT ON COLUMN pgperf.run_servers.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.run_servers.other_failures IS 'Transactions that failed with any other error (continue_on_error)';
COMMENT ON COLUMN pgperf.run_servers.retried IS 'Transactions that were tried more than once';
COMMENT ON COLUMN pgperf.run_servers.retries IS 'Retries of all transactions together';
COMMENT ON COLUMN pgperf.run_servers.run_id IS 'Number of the run on its node';
COMMENT ON COLUMN pgperf.run_servers.seconds IS 'Seconds of the measured part until the last of its clients had ended';
COMMENT ON COLUMN pgperf.run_servers.serialization_failures IS 'Failed transactions whose last error was a serialization failure';
COMMENT ON COLUMN pgperf.run_servers.server IS 'Name of the server, a foreign server (pgperf_target)';
COMMENT ON COLUMN pgperf.run_servers.server_no IS 'Place of the server in the argument servers, from 0';
COMMENT ON COLUMN pgperf.run_servers.server_version IS 'Its version when the run began; NULL: not known';
COMMENT ON COLUMN pgperf.run_servers.skipped IS 'With a rate: transactions not begun because they would have exceeded latency_limit';
COMMENT ON COLUMN pgperf.run_servers.tps IS 'Successful transactions of its clients per second of the run';
COMMENT ON COLUMN pgperf.run_servers.transactions IS 'Successful transactions; for a load, rows';
COMMENT ON COLUMN pgperf.run_servers.weight IS 'The weight by which it had clients';
COMMENT ON TABLE pgperf.run_server_intervals IS 'One row for each sample interval of a run on several servers and each of these; pgperf.run_intervals has the interval';
COMMENT ON COLUMN pgperf.run_server_intervals.failed IS 'Transactions that were given up: after the last try, or, with continue_on_error, because of another error';
COMMENT ON COLUMN pgperf.run_server_intervals.interval_no IS 'Number of the interval, from 0';
COMMENT ON COLUMN pgperf.run_server_intervals.late IS 'Transactions that took longer than latency_limit';
COMMENT ON COLUMN pgperf.run_server_intervals.latency_avg_ms IS 'Mean latency of successful transactions in ms; with a rate, measured from the time at which each was due';
COMMENT ON COLUMN pgperf.run_server_intervals.latency_max_ms IS 'Highest latency in ms';
COMMENT ON COLUMN pgperf.run_server_intervals.latency_p50_ms IS 'Median latency in ms';
COMMENT ON COLUMN pgperf.run_server_intervals.latency_p90_ms IS '90th percentile of the latency in ms';
COMMENT ON COLUMN pgperf.run_server_intervals.latency_p95_ms IS '95th percentile of the latency in ms';
COMMENT ON COLUMN pgperf.run_server_intervals.latency_p9999_ms IS '99.99th percentile of the latency in ms';
COMMENT ON COLUMN pgperf.run_server_intervals.latency_p999_ms IS '99.9th percentile of the latency in ms';
COMMENT ON COLUMN pgperf.run_server_intervals.latency_p99_ms IS '99th percentile of the latency in ms';
COMMENT ON COLUMN pgperf.run_server_intervals.latency_stddev_ms IS 'Standard deviation of the latency in ms';
COMMENT ON COLUMN pgperf.run_server_intervals.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.run_server_intervals.retried IS 'Transactions that were tried more than once';
COMMENT ON COLUMN pgperf.run_server_intervals.retries IS 'Retries of all transactions together';
COMMENT ON COLUMN pgperf.run_server_intervals.run_id IS 'Number of the run on its node';
COMMENT ON COLUMN pgperf.run_server_intervals.server_no IS 'Place of the server in the argument servers, from 0';
COMMENT ON COLUMN pgperf.run_server_intervals.skipped IS 'With a rate: transactions not begun because they would have exceeded latency_limit';
COMMENT ON COLUMN pgperf.run_server_intervals.tps IS 'Successful transactions of its clients per second in the interval';
COMMENT ON COLUMN pgperf.run_server_intervals.transactions IS 'Successful transactions; for a load, rows';
COMMENT ON TABLE pgperf.run_statements IS 'One row for each command of each script of a run, meta-commands too (their row and block columns are NULL); of a load, for each step';
COMMENT ON COLUMN pgperf.run_statements.first_byte_ms IS 'Over the wire: average per call in ms from sending to the first byte of the answer; NULL: inside the server, or in a pipeline';
COMMENT ON COLUMN pgperf.run_statements.receive_ms IS 'Over the wire: average per call in ms from the first byte of the answer until all of it is read';
COMMENT ON COLUMN pgperf.run_statements.started_at IS 'When the step of a load began; NULL: it did not, or the run is no load';
COMMENT ON TABLE pgperf.run_replays IS 'One row for each run that played a capture again: how far it did what the capture did';
COMMENT ON COLUMN pgperf.run_replays.broken_waits IS 'Waits for a commit that were broken, since that commit waited for a lock of the one who waited';
COMMENT ON COLUMN pgperf.run_replays.capture IS 'Name of the capture';
COMMENT ON COLUMN pgperf.run_replays.commit_order IS 'Whether statements waited for the commits that they had seen in the capture';
COMMENT ON COLUMN pgperf.run_replays.late_avg_ms IS 'How far behind the timetable of the capture transactions began, in ms; NULL: there was none';
COMMENT ON COLUMN pgperf.run_replays.late_max_ms IS 'How far at most, in ms; NULL: there was no timetable';
COMMENT ON COLUMN pgperf.run_replays.lost_sessions IS 'Sessions that could not connect, or were lost';
COMMENT ON COLUMN pgperf.run_replays.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.run_replays.refused_settings IS 'Roles and settings of sessions that the server did not take';
COMMENT ON COLUMN pgperf.run_replays.run_id IS 'Number of the run on its node';
COMMENT ON COLUMN pgperf.run_replays.sessions IS 'Sessions to be played';
COMMENT ON COLUMN pgperf.run_replays.speed IS 'By which its pauses were divided; NULL: there were none';
COMMENT ON COLUMN pgperf.run_replays.statements IS 'Statements to be played';
COMMENT ON COLUMN pgperf.run_replays.statements_alike IS 'Statements that ended as in the capture: with as many rows, or the same SQLSTATE';
COMMENT ON COLUMN pgperf.run_replays.statements_diverged IS 'Statements that ended otherwise, or were not reached';
COMMENT ON COLUMN pgperf.run_replays.statements_left_out IS 'Statements that cannot be run again: COPY with the client, texts and values that the capture does not have, transactions that it does not have to their end';
COMMENT ON COLUMN pgperf.run_replays.transactions IS 'Transactions to be played';
COMMENT ON COLUMN pgperf.run_replays.transactions_alike IS 'Transactions that ended as in the capture, with all of their statements';
COMMENT ON COLUMN pgperf.run_replays.transactions_diverged IS 'Transactions with a statement that ended otherwise, or was not reached';
COMMENT ON COLUMN pgperf.run_replays.transactions_dropped IS 'Transactions that the capture itself does not have, since it found no room for them';
COMMENT ON TABLE pgperf.run_replay_statements IS 'One row for each statement of a capture that a run played again, without constants: what differed, and its times in the capture; those of the run are in pgperf.run_statements';
COMMENT ON COLUMN pgperf.run_replay_statements.alike IS 'Executions that ended as in the capture';
COMMENT ON COLUMN pgperf.run_replay_statements.captured_avg_ms IS 'Mean time in ms in the capture, within the server, of the executions that the run repeated';
COMMENT ON COLUMN pgperf.run_replay_statements.captured_histogram IS 'These times: HdrHistogram V2 in nanoseconds';
COMMENT ON COLUMN pgperf.run_replay_statements.captured_max_ms IS 'Longest of these times in ms';
COMMENT ON COLUMN pgperf.run_replay_statements.captured_p50_ms IS 'Median of these times in ms';
COMMENT ON COLUMN pgperf.run_replay_statements.captured_p95_ms IS '95th percentile of these times in ms';
COMMENT ON COLUMN pgperf.run_replay_statements.captured_p99_ms IS '99th percentile of these times in ms';
COMMENT ON COLUMN pgperf.run_replay_statements.command_no IS 'Its number, as in pgperf.run_statements';
COMMENT ON COLUMN pgperf.run_replay_statements.error_gone IS 'Executions without an error that had one';
COMMENT ON COLUMN pgperf.run_replay_statements.error_new IS 'Executions with an error that had none in the capture';
COMMENT ON COLUMN pgperf.run_replay_statements.error_other IS 'Executions with another SQLSTATE';
COMMENT ON COLUMN pgperf.run_replay_statements.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.run_replay_statements.not_reached IS 'Executions that did not come about: their transaction had failed before, or their session was lost';
COMMENT ON COLUMN pgperf.run_replay_statements.positions IS 'The first places of each kind of difference in the capture: {"rows_other": [{"session": 1, "statement": 2}]}, both from 1';
COMMENT ON COLUMN pgperf.run_replay_statements.rows_other IS 'Executions that returned or changed another number of rows';
COMMENT ON COLUMN pgperf.run_replay_statements.run_id IS 'Number of the run on its node';
COMMENT ON COLUMN pgperf.run_replay_statements.statement IS 'The text with ? in place of constants; (other statements): all beyond the first 499';
COMMENT ON FUNCTION pgperf_internal.find_run(text) IS 'The key of a run that the caller may see, from its number here, ''node name/run_id'' or label; NULL: the newest of this node';
COMMENT ON FUNCTION pgperf.new_node() IS 'Begins a new node, to which history belongs from now on. For a promoted copy beside its original, which has the same node';
COMMENT ON FUNCTION pgperf.set_node_group(text,text) IS 'Adds a node, by its name or id (NULL: this installation''s), to a group, and removes it from the one that it was in; a group_name of NULL: no group. Returns its id';
COMMENT ON FUNCTION pgperf.start_run(text,integer,interval,bigint,text,text[],integer[],integer,text,text,pgperf.rate,interval,integer,boolean,boolean,interval,interval,bigint,bigint,jsonb,jsonb,text,text,text,interval,text,interval,text[],boolean,double precision,jsonb,text,text,jsonb,boolean,text,jsonb,boolean,jsonb,text,interval,jsonb,interval,interval,jsonb,text,boolean,text,text,integer,boolean,boolean,text,text[],timestamp with time zone,text[]) IS 'Starts a run when the transaction commits, and returns its run_id. workload: a built-in one (default tpcb-like), a stored one, or a mix such as ''tpcb-like@1, select-only@9''; script, or scripts with weights: pgbench script text instead; duration or transactions_per_client (neither: 60 s); query_mode: simple, extended, prepared; result_mode: format, discard; rate: transactions per second, also in steps, ''{"0 s": 100, "10 min": 800}'', or as a wave, ''{"low": 100, "high": 800, "period": "1 day"}''; settings: session settings of the clients; limits: stop the run at wal, free_disk (default 5%, at most 10 GB), xid_age (default 1500000000), replication_lag, errors; schema: schema of the tables; expect: expectations such as ''{"latency_p99_ms": "<= 5", "failed": "= 0"}'', CALL pgperf.run raises an error if they are not met; resume: the run goes on after a crash or restart of the server, see resume_run; application_name: of the clients'' sessions, instead of ''pgperf run N client M''; options: of the built-in workloads, by name; hit_curve: estimate the hit ratio at larger shared_buffers, see pgperf.hit_curve; drain: what catches up after the clients'' end, ''{"standbys": "all", "until": "replay", "slots": ["sub1"]}''; drain_sql: a query that returns true when its receiver has caught up; drain_timeout: how long that may take (default 10 min); alternate: settings, or scripts or workloads of the mix, that take turns within the run, ''{"wal_compression": ["off", "lz4"]}'', see pgperf.alternation; alternate_every: length of a turn (default 5 s); settle: the part at its beginning that belongs to neither side (default 0.5 s); disturbances: what happens beside the load, ''[{"kind": "vacuum_full", "table": "pgbench_tellers", "at": "10 s"}, {"name": "job", "sql": "SELECT refresh()", "at": "5 s", "every": "30 s"}]'', see pgperf.disturbance_impact; caches: cold (emptied before the clients begin) or warm (tables and indexes are read before); until_precise: end as soon as the mean tps is known within this percentage (''2%''), after duration (default 10 min) at the latest; plans: whether to store the plans of its statements (pgperf.run_plans; NULL: those of tpch-like); transport: inside (the clients are sessions within the server) or wire (they have connections, as those of pgbench); workers: over the wire, the background workers that share the connections; connect_each_transaction: over the wire, a new connection for each transaction, as pgbench -C; reconnect_on_loss: over the wire, a client that loses its session gets another one; server: a target, a foreign server of pgperf_target, to which the clients connect; servers: several targets with weights, ''{primary@3, replica}'', over which the clients are spread; start_at: the moment at which the clients begin, ready beforehand; nodes: servers with pgperf, ''{here@1, db2@3}'', foreign servers or this node by its name, over which the clients are spread, each in a run of its own: all begin together, and one report has them all';
COMMENT ON FUNCTION pgperf.start_load(text,double precision,text,integer,boolean,boolean,text,text,integer,text,integer,text,boolean,jsonb,text,jsonb,text) IS 'Starts loading a workload''s tables when the transaction commits, and returns the run_id of the load; the same as CALL pgperf.init, without waiting';
COMMENT ON FUNCTION pgperf.stop_run(text) IS 'The same for a run by its number, ''node name/run_id'' or label; one that is under way on another node is an error';
COMMENT ON FUNCTION pgperf.alter_run(text,double precision) IS 'The same for a run of this node by its number, ''node name/run_id'' or label';
COMMENT ON FUNCTION pgperf.resume_run(text) IS 'The same for a run of this node by its number, ''node name/run_id'' or label';
COMMENT ON FUNCTION pgperf.delete_run(text) IS 'The same for a run by its number, ''node name/run_id'' or label';
COMMENT ON FUNCTION pgperf.run_status(text) IS 'The same for a run by its number, ''node name/run_id'' or label';
COMMENT ON PROCEDURE pgperf_internal.await_run(text,interval,boolean) IS 'The same for a run by name; called by wait_run';
COMMENT ON PROCEDURE pgperf.wait_run(text,interval,boolean,text) IS 'The same for a run by its number, ''node name/run_id'' or label; one that is under way on another node is an error';
COMMENT ON PROCEDURE pgperf.run(text,integer,interval,bigint,text,text[],integer[],integer,text,text,pgperf.rate,interval,integer,boolean,boolean,interval,interval,bigint,bigint,jsonb,jsonb,text,text,text,interval,text,interval,text[],boolean,double precision,jsonb,text,text,jsonb,boolean,text,jsonb,boolean,jsonb,text,interval,jsonb,interval,interval,jsonb,text,boolean,text,bigint,text,integer,boolean,boolean,text,text[],timestamp with time zone,text[]) IS 'Starts a run, waits for its end with a line of progress for each interval, and prints its report; Ctrl-C stops the run. Arguments as start_run';
COMMENT ON PROCEDURE pgperf.init(text,double precision,text,integer,boolean,boolean,text,text,integer,text,integer,text,boolean,jsonb,text,jsonb,bigint,text) IS 'Creates and loads a workload''s tables, as pgbench -i does: steps from d t g G v p f (g fills in bulk, G by INSERT), fillfactor, partitions by partition_method range or hash, foreign keys, unlogged, tablespaces; jobs: number of workers that fill tables (default: the number of cores); options: of the workload, by name; server: a target to load them into, a foreign server of pgperf_target. Drops or truncates only tables that pgperf created, unless replace is true. Ctrl-C stops it';
COMMENT ON FUNCTION pgperf."check"(text,text,boolean,text) IS 'Checks the consistency conditions of a workload''s tables: row counts, and that the balances add up. They hold after a fresh load as long as only that workload writes and history is not truncated. full: also that its queries have the same answers with another plan. server: on this target';
COMMENT ON FUNCTION pgperf.start_sweep(text,integer[],integer,jsonb,text[],integer[],integer[],integer[],text[],text,interval,interval,text,jsonb,boolean,integer,bigint,text,bigint,text,text[],integer[],integer,text,text,pgperf.rate,interval,integer,boolean,boolean,interval,interval,bigint,jsonb,jsonb,text,text,text,text,interval,text[],boolean,double precision,jsonb,jsonb,text,text,jsonb,boolean,jsonb,text,interval,jsonb,interval,interval,jsonb,text,boolean,text,integer,text,integer,boolean,boolean,text,text[],interval[],text[]) IS 'Starts a sweep when the transaction commits, and returns its sweep_id: a worker runs every point of the grid that the arrays span (settings_grid: values of each setting, ''{"work_mem": ["4MB", "64MB"]}''), each repetitions times, one run after the other; until_precise: further runs until each mean tps is known within this percentage (''2%''), at most max_repetitions (30) of a point. run_order: random (each repetition in an order of its own), given; init: never, change, each: when the tables are loaded anew; checkpoint: before each run; run_tries: maximum tries of a failing run. transports: ''{inside,wire}'', round_trips: ''{0,1 ms}'': ways to the server. servers: ''{old,new}'': targets. The other arguments are those of start_run';
COMMENT ON COLUMN pgperf.run_metrics.value IS 'Value; NULL: the counters began again in between (reset, crash), or Citus distributes the tables and not all nodes can tell';
COMMENT ON TABLE pgperf_internal.publications IS 'The publications that pgperf.publish_history made, which pgperf.maintain() keeps current';
COMMENT ON COLUMN pgperf_internal.publications.nodes IS 'The nodes whose rows it publishes: the local one, and the targets that it samples';
COMMENT ON COLUMN pgperf_internal.publications.of_samples IS 'Whether it has the samples and texts, which are only added, or the other tables';
COMMENT ON COLUMN pgperf_internal.publications.publication IS 'Its name';
COMMENT ON TABLE pgperf_internal.forgotten_runs IS 'The runs that are no longer stored while the history is published: a repository keeps those that only pgperf.run_retention deleted';
COMMENT ON COLUMN pgperf_internal.forgotten_runs.deleted IS 'Whether pgperf.delete_run() deleted it';
COMMENT ON COLUMN pgperf_internal.forgotten_runs.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf_internal.forgotten_runs.run_id IS 'Number of the run';
COMMENT ON TABLE pgperf_internal.sources IS 'The sources of this repository, a row each; written by pgperf.subscribe_history';
COMMENT ON COLUMN pgperf_internal.sources.gaps IS 'Stretches of time whose samples were lost between two subscriptions: from, to, reason';
COMMENT ON COLUMN pgperf_internal.sources.node_id IS 'The node of the source';
COMMENT ON COLUMN pgperf_internal.sources.publication IS 'Its publication of runs; that of samples has the same name and _samples';
COMMENT ON COLUMN pgperf_internal.sources.run_retention IS 'How long its runs are kept here; NULL: for ever';
COMMENT ON COLUMN pgperf_internal.sources.server IS 'The foreign server (pgperf_target) that says where it is';
COMMENT ON COLUMN pgperf_internal.sources.slot_name IS 'The replication slot on the source';
COMMENT ON COLUMN pgperf_internal.sources.subscribed_at IS 'When it was last subscribed';
COMMENT ON COLUMN pgperf_internal.sources.subscription IS 'The subscription here; NULL: no longer subscribed';
COMMENT ON FUNCTION pgperf_internal.is_of_source(uuid) IS 'Whether a node is a source of this repository, or a target that one samples';
COMMENT ON FUNCTION pgperf_internal.take_out(regclass,regclass,timestamp with time zone,timestamp with time zone) IS 'Moves the rows of a period into another table without sending anything to subscribers, if the source has no replica identity; for pgperf_internal.make_partition';
COMMENT ON FUNCTION pgperf.pin_run(text,boolean) IS 'The same for a run by its number, ''node name/run_id'' or label';
COMMENT ON COLUMN pgperf.samples.home IS 'Of a visit of the continuous sampler: the database whose history has the figures of the server as a whole; NULL: this sample has them, if its collectors do';
COMMENT ON COLUMN pgperf.samples.short_of_workers IS 'True: since the sample before, a sampler of the server could not be started, because no worker slot was free';
COMMENT ON FUNCTION pgperf_internal.collector_visits() IS 'Whether visits of the continuous sampler take a collector; read pgperf.collectors';
COMMENT ON COLUMN pgperf.collectors.in_visits IS 'When the sampler takes it in a database that it visits: when due, with others that are due, or never, as what it reads is the server''s';
COMMENT ON FUNCTION pgperf_internal.create_delta_view(text,text[],text[],boolean,text,text,text[]) IS 'Creates the view ..._deltas of a history table; called when the extension is created or updated';
COMMENT ON COLUMN pgperf.bloat_history.table_name IS 'The table that an index or TOAST table (or the index of that) belongs to, or the distributed table of which a table is a shard; NULL for a table itself';
COMMENT ON COLUMN pgperf.bloat_history.table_schema IS 'Schema of the table of table_name';
COMMENT ON TABLE pgperf.buffer_usage_history IS 'Contents of shared_buffers: buffers by relation, fork and usage count. The buffers of a sample add up to shared_buffers. The sampler tells relations apart in every tenth sample, whose rows alone have names; the others have the sums by usage count';
COMMENT ON COLUMN pgperf.buffer_usage_history.database_name IS 'Database of the relation; NULL: unused buffers, a catalog that all databases share, or a sample that tells no relations apart';
COMMENT ON COLUMN pgperf.buffer_usage_history.fork IS 'main, fsm (free space map), vm (visibility map) or init; NULL with a usage_count: all of them, in a sample that tells no relations apart; or buffers so busy at that moment that their contents could not be seen without a lock';
COMMENT ON COLUMN pgperf.buffer_usage_history.relation_name IS 'Name of the relation; NULL: it is in another database, dropped, not committed yet, or has few buffers, or the sample tells none apart. Few: less than a 32,768th of shared_buffers, or not among the 2,000 files with the most; in a sample of the sampler, less than a 4,096th unless it is among the 50 files with the most, or not among the 500';
COMMENT ON FUNCTION pgperf.working_set(bigint,uuid) IS 'How much of shared_buffers is in frequent use, from the usage counts of a sample (default: the newest of this node that tells relations apart): for the server and each relation the buffers whose count is at least usage_count, in buffers, bytes, percent of the object''s own buffers and of the whole cache. low_bytes to high_bytes is a range for a useful shared_buffers, never one number. A usage count rises with each use, to 5 at most, and falls by one whenever the clock hand passes in search of room: low_bytes are the pages with 3 or more, used again and again between two rounds. high_bytes is everything held while unused buffers are left (the clock hand has then hardly moved, and the counts are those since the pages were read), the present size if most pages are not used twice in a round, and NULL (more than now, by an amount that cannot be seen) if the cache is full of pages in frequent use. Usage counts cannot show how often a page above 5 is used, the contents of the operating system''s cache, or the benefit of pages that did not fit. One sample is one moment: compare samples of busy hours';
COMMENT ON COLUMN pgperf.checkpoint_history.in_progress IS 'Whether a checkpoint (on a standby: a restartpoint) was being written; NULL: a target, of which nobody here can see it';
COMMENT ON COLUMN pgperf.checkpoint_history.redo_lsn IS 'Redo position of the latest complete checkpoint, where recovery after a crash would begin; NULL: a target whose role may not read the control file';
COMMENT ON VIEW pgperf.load_devices IS 'Activity of the block devices under the server''s files in each step of a load, under the names of iostat -x. Between two samples it is spread evenly: the figures of a step that is shorter than a sample interval are estimates';
COMMENT ON COLUMN pgperf.load_devices.aqu_sz IS 'Average number of requests in flight or waiting';
COMMENT ON COLUMN pgperf.load_devices.device IS 'Its name in the kernel';
COMMENT ON COLUMN pgperf.load_devices.f_await IS 'Average time of a flush in milliseconds, waiting included';
COMMENT ON COLUMN pgperf.load_devices.f_s IS 'Flushes per second; NULL: this kernel counts none';
COMMENT ON COLUMN pgperf.load_devices.holds IS 'Contents of the device, or of a device of which it is a part: data, wal, tablespaces';
COMMENT ON COLUMN pgperf.load_devices.level IS '0: it holds the files itself; 1 and more: it lies beneath';
COMMENT ON COLUMN pgperf.load_devices.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.load_devices.r_await IS 'Average time of a read in milliseconds, waiting included';
COMMENT ON COLUMN pgperf.load_devices.r_s IS 'Reads per second';
COMMENT ON COLUMN pgperf.load_devices.rareq_sz IS 'Average size of a read in kilobytes (1024)';
COMMENT ON COLUMN pgperf.load_devices.rkb_s IS 'Kilobytes (1024) read per second';
COMMENT ON COLUMN pgperf.load_devices.run_id IS 'Number of the run on its node';
COMMENT ON COLUMN pgperf.load_devices.seconds IS 'How long it took';
COMMENT ON COLUMN pgperf.load_devices.started_at IS 'When the step began';
COMMENT ON COLUMN pgperf.load_devices.step IS 'Name of the step';
COMMENT ON COLUMN pgperf.load_devices.step_no IS 'Place of the step in the load, from 0';
COMMENT ON COLUMN pgperf.load_devices.util IS 'Share of the time during which the device had requests in flight, in percent';
COMMENT ON COLUMN pgperf.load_devices.w_await IS 'Average time of a write in milliseconds, waiting included';
COMMENT ON COLUMN pgperf.load_devices.w_s IS 'Writes per second';
COMMENT ON COLUMN pgperf.load_devices.wareq_sz IS 'Average size of a write in kilobytes (1024)';
COMMENT ON COLUMN pgperf.load_devices.wkb_s IS 'Kilobytes (1024) written per second';
COMMENT ON TABLE pgperf.relation_history IS 'Tables, TOAST tables, materialized views and indexes, under the names of pg_stat_all_tables and pg_stat_all_indexes: those whose counters have changed since their previous row, and each at least once a day. The sampler postpones the row of one of pgperf''s own relations, and of a catalog that was only read and did less than a 50th of what all did, for up to thirty samples. Columns that the server''s version lacks are NULL';
COMMENT ON COLUMN pgperf.relation_history.frozen_xid IS 'relfrozenxid of a table with its epoch: all older transaction ids are frozen in it';
COMMENT ON COLUMN pgperf.relation_history.postponed_since IS 'For all together: rows were postponed, of relations whose previous row is not older than this; NULL: none was';
COMMENT ON COLUMN pgperf.relation_history.relation_kind IS 'table, index, TOAST table or materialized view; distributed table: the shell of one whose rows Citus has in shards, without size and rows, as its indexes are; NULL: all relations together';
COMMENT ON COLUMN pgperf.relation_history.table_name IS 'The table to which an index or TOAST table belongs, or the distributed table of which a table is a shard';
COMMENT ON COLUMN pgperf.relation_deltas.relation_kind IS 'table, index, TOAST table or materialized view; distributed table: the shell of one whose rows Citus has in shards, without size and rows, as its indexes are; NULL: all relations together';
COMMENT ON COLUMN pgperf.relation_deltas.table_name IS 'The table to which an index or TOAST table belongs, or the distributed table of which a table is a shard';
COMMENT ON COLUMN pgperf.relation_rates.relation_kind IS 'table, index, TOAST table or materialized view; distributed table: the shell of one whose rows Citus has in shards, without size and rows, as its indexes are; NULL: all relations together';
COMMENT ON COLUMN pgperf.relation_rates.table_name IS 'The table to which an index or TOAST table belongs, or the distributed table of which a table is a shard';
COMMENT ON TABLE pgperf.replication_history IS 'Standbys, replication slots and this database''s subscriptions, under the names of the server''s views; of a target that is a standby a row of kind replay: what it has received and not replayed, and how old the last transaction is that it has replayed (0: it has replayed all). Columns that the server''s version or the kind lacks are NULL';
COMMENT ON TABLE pgperf.sequence_history IS 'Sequences that have used at least 1 % of their values, or of those of their column''s type: the 100 with most. Those that begin again (CYCLE) are left out, unless their column ends before them';
COMMENT ON COLUMN pgperf.sequence_history.column_name IS 'The column that takes its values from it';
COMMENT ON COLUMN pgperf.sequence_history.column_type IS 'The type of that column; of several the smallest';
COMMENT ON COLUMN pgperf.sequence_history.increment IS 'The step from one value to the next; below 0: it counts down';
COMMENT ON COLUMN pgperf.sequence_history.last_value IS 'The value that it gave last';
COMMENT ON COLUMN pgperf.sequence_history.limit_value IS 'The last value that can be used: that of the sequence or of its column''s type, whichever comes first';
COMMENT ON COLUMN pgperf.sequence_history.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.sequence_history.run_id IS 'The run during which the sample was taken; NULL: none';
COMMENT ON COLUMN pgperf.sequence_history.sample_id IS 'The sample to which the row belongs (pgperf.samples); numbers grow with time within a node';
COMMENT ON COLUMN pgperf.sequence_history.schema_name IS 'Its schema';
COMMENT ON COLUMN pgperf.sequence_history.sequence_name IS 'Its name';
COMMENT ON COLUMN pgperf.sequence_history.sequence_oid IS 'The sequence';
COMMENT ON COLUMN pgperf.sequence_history.table_name IS 'The table, with its schema, of the column that takes its values from the sequence; NULL: none is known';
COMMENT ON COLUMN pgperf.sequence_history.taken_at IS 'When the sample began';
COMMENT ON COLUMN pgperf.sequence_history.used_percent IS 'How far it has come from its first possible value to the limit';
COMMENT ON TABLE pgperf.session_history IS 'Sessions that worked or were in a transaction, of the whole server: counted by database, role, application, statement and wait event. The sampler looks every second. Of a sample with more than 200 rows, the smallest are together, with the application (others)';
COMMENT ON COLUMN pgperf.session_history.application_name IS 'The clients of a run are one application, pgperf run 7';
COMMENT ON COLUMN pgperf.session_history.backend_type IS 'As pg_stat_activity.backend_type';
COMMENT ON COLUMN pgperf.session_history.database_name IS 'The database; NULL: a process that has none';
COMMENT ON COLUMN pgperf.session_history.longest_statement_s IS 'Age in seconds of the oldest statement that was active';
COMMENT ON COLUMN pgperf.session_history.longest_transaction_s IS 'Age in seconds of the oldest transaction';
COMMENT ON COLUMN pgperf.session_history.looks IS 'Number of observations since the previous sample, one every second';
COMMENT ON COLUMN pgperf.session_history.most IS 'Most of them at one look';
COMMENT ON COLUMN pgperf.session_history.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.session_history.query_id IS 'Of the top-level statement, as pg_stat_statements has it; NULL: it is not computed (compute_query_id), or the process has none';
COMMENT ON COLUMN pgperf.session_history.role_name IS 'The role; NULL: a process of the server';
COMMENT ON COLUMN pgperf.session_history.run_id IS 'The run during which the sample was taken; NULL: none';
COMMENT ON COLUMN pgperf.session_history.sample_id IS 'The sample to which the row belongs (pgperf.samples); numbers grow with time within a node';
COMMENT ON COLUMN pgperf.session_history.seen IS 'Sessions seen, summed over all looks; seen / looks is their average number. A row with 0 says that nobody was seen';
COMMENT ON COLUMN pgperf.session_history.state IS 'As pg_stat_activity.state, without idle; NULL: a process of the server that keeps none';
COMMENT ON COLUMN pgperf.session_history.taken_at IS 'When the sample began';
COMMENT ON COLUMN pgperf.session_history.wait_event IS 'NULL: it did not wait; while active, it was on a CPU or ready for one. Processes that wait for work (type Activity) are left out';
COMMENT ON COLUMN pgperf.session_history.wait_event_type IS 'The type of the wait event';
COMMENT ON TABLE pgperf.connection_history IS 'Connections of clients to the whole server, idle ones among them, by database, role and application. Background workers, such as the clients of runs, have none';
COMMENT ON COLUMN pgperf.connection_history.application_name IS 'The application, as the client names it';
COMMENT ON COLUMN pgperf.connection_history.database_name IS 'The database';
COMMENT ON COLUMN pgperf.connection_history.looks IS 'Number of observations since the previous sample, one every second';
COMMENT ON COLUMN pgperf.connection_history.most IS 'Most of them at one look';
COMMENT ON COLUMN pgperf.connection_history.most_together IS 'Most connections at one look, of all clients: the same in all rows of a sample';
COMMENT ON COLUMN pgperf.connection_history.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.connection_history.role_name IS 'The role';
COMMENT ON COLUMN pgperf.connection_history.run_id IS 'The run during which the sample was taken; NULL: none';
COMMENT ON COLUMN pgperf.connection_history.sample_id IS 'The sample to which the row belongs (pgperf.samples); numbers grow with time within a node';
COMMENT ON COLUMN pgperf.connection_history.seen IS 'Connections seen, summed over all looks; seen / looks is their average number';
COMMENT ON COLUMN pgperf.connection_history.taken_at IS 'When the sample began';
COMMENT ON TABLE pgperf.blocking_history IS 'Chains of sessions that waited for locks, of the whole server: one row for each head, which waits for nobody, and for each wait behind it; without the chains in which nobody had waited for a second. 100 rows of a sample at most: heads first, then those that waited longest';
COMMENT ON COLUMN pgperf.blocking_history.application_name IS 'Its application, as the client names it';
COMMENT ON COLUMN pgperf.blocking_history.backend_type IS 'As pg_stat_activity.backend_type';
COMMENT ON COLUMN pgperf.blocking_history.blocked_by IS 'All that it waits for, also those ahead of it in the queue: pg_blocking_pids()';
COMMENT ON COLUMN pgperf.blocking_history.database_name IS 'Its database';
COMMENT ON COLUMN pgperf.blocking_history.depth IS '0: the head; 1: waits for the head; 2: waits for one that waits for the head';
COMMENT ON COLUMN pgperf.blocking_history.head_pid IS 'The process at the head of the chain; 0: a prepared transaction';
COMMENT ON COLUMN pgperf.blocking_history.lock_mode IS 'The mode in which it wants it, or holds it';
COMMENT ON COLUMN pgperf.blocking_history.lock_object IS 'The key of an advisory lock, or the id of a transaction';
COMMENT ON COLUMN pgperf.blocking_history.lock_type IS 'Of the lock that it waits for; of the head: of that which it holds and others wait for. transactionid: a row that another transaction has changed';
COMMENT ON COLUMN pgperf.blocking_history.looks IS 'Looks at the queues since the previous sample: at those seconds at which somebody still waited for a lock; fewer on a server with many locks';
COMMENT ON COLUMN pgperf.blocking_history.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.blocking_history.pid IS 'The process; 0: a prepared transaction';
COMMENT ON COLUMN pgperf.blocking_history.query_id IS 'Of the statement that it executes, or executed last';
COMMENT ON COLUMN pgperf.blocking_history.relation_name IS 'The relation of the lock, or of the row; of other databases: its OID. NULL: not known, as the row''s is of those that share a row''s lock';
COMMENT ON COLUMN pgperf.blocking_history.role_name IS 'Its role';
COMMENT ON COLUMN pgperf.blocking_history.run_id IS 'The run during which the sample was taken; NULL: none';
COMMENT ON COLUMN pgperf.blocking_history.sample_id IS 'The sample to which the row belongs (pgperf.samples); numbers grow with time within a node';
COMMENT ON COLUMN pgperf.blocking_history.schema_name IS 'The schema of the relation';
COMMENT ON COLUMN pgperf.blocking_history.seen IS 'In how many of them it was part of the chain';
COMMENT ON COLUMN pgperf.blocking_history.session_start IS 'When the session began';
COMMENT ON COLUMN pgperf.blocking_history.state IS 'As pg_stat_activity.state';
COMMENT ON COLUMN pgperf.blocking_history.statement IS 'What it executes, or executed last, without its constants; as long as track_activity_query_size allows';
COMMENT ON COLUMN pgperf.blocking_history.statement_start IS 'When its statement began';
COMMENT ON COLUMN pgperf.blocking_history.taken_at IS 'When the sample began';
COMMENT ON COLUMN pgperf.blocking_history.transaction_start IS 'When its transaction began';
COMMENT ON COLUMN pgperf.blocking_history.victims IS 'Most sessions behind it at one look';
COMMENT ON COLUMN pgperf.blocking_history.wait_event IS 'Its wait event';
COMMENT ON COLUMN pgperf.blocking_history.wait_event_type IS 'The type of its wait event';
COMMENT ON COLUMN pgperf.blocking_history.waited_s IS 'Seconds that it had waited at the last look; NULL: the head';
COMMENT ON COLUMN pgperf.blocking_history.waiting_since IS 'Since when it waited; NULL: the head';
COMMENT ON TABLE pgperf.statement_history IS 'pg_stat_statements, under its own names (those of its version 1.11 and later): the statements called since their previous row, the 500 that took most of the time. The sampler postpones the row of a statement that came to less than a 50th of all calls, time, blocks read, WAL and temporary files of an interval, or is its own, for up to ten samples. Columns that the installed version of the extension lacks are NULL, as are those of pg_stat_kcache where it is not installed';
COMMENT ON COLUMN pgperf.statement_history.exec_reads IS 'Bytes that the kernel read from devices for it, so that its cache did not have them; from pg_stat_kcache';
COMMENT ON COLUMN pgperf.statement_history.exec_system_time IS 'The same in the kernel; from pg_stat_kcache';
COMMENT ON COLUMN pgperf.statement_history.exec_user_time IS 'CPU time in milliseconds that it took to execute, in user mode; from pg_stat_kcache, NULL: that is not installed, or does not count it';
COMMENT ON COLUMN pgperf.statement_history.exec_writes IS 'Bytes that the kernel has to write to devices for it; from pg_stat_kcache';
COMMENT ON COLUMN pgperf.statement_history.postponed_since IS 'For all together: rows were postponed, of statements whose previous row is not older than this; NULL: none was';
COMMENT ON VIEW pgperf.statement_deltas IS 'Differences of the counters of pgperf.statement_history from the previous sample, over seconds; ..._per_s: the same per second. NULL: no previous sample, or the counters began again in between; an object without a previous row that provably began since counts from 0, but not in exec_user_time, exec_system_time, exec_reads, exec_writes';
COMMENT ON COLUMN pgperf.statement_deltas.exec_reads IS 'Difference from the previous sample: Bytes that the kernel read from devices for it, so that its cache did not have them; from pg_stat_kcache';
COMMENT ON COLUMN pgperf.statement_deltas.exec_reads_per_s IS 'exec_reads per second';
COMMENT ON COLUMN pgperf.statement_deltas.exec_system_time IS 'Difference from the previous sample: The same in the kernel; from pg_stat_kcache';
COMMENT ON COLUMN pgperf.statement_deltas.exec_system_time_per_s IS 'exec_system_time per second';
COMMENT ON COLUMN pgperf.statement_deltas.exec_user_time IS 'Difference from the previous sample: CPU time in milliseconds that it took to execute, in user mode; from pg_stat_kcache, NULL: that is not installed, or does not count it';
COMMENT ON COLUMN pgperf.statement_deltas.exec_user_time_per_s IS 'exec_user_time per second';
COMMENT ON COLUMN pgperf.statement_deltas.exec_writes IS 'Difference from the previous sample: Bytes that the kernel has to write to devices for it; from pg_stat_kcache';
COMMENT ON COLUMN pgperf.statement_deltas.exec_writes_per_s IS 'exec_writes per second';
COMMENT ON COLUMN pgperf.statement_rates.exec_reads IS 'Difference from the previous sample: Bytes that the kernel read from devices for it, so that its cache did not have them; from pg_stat_kcache';
COMMENT ON COLUMN pgperf.statement_rates.exec_reads_per_s IS 'exec_reads per second';
COMMENT ON COLUMN pgperf.statement_rates.exec_system_time IS 'Difference from the previous sample: The same in the kernel; from pg_stat_kcache';
COMMENT ON COLUMN pgperf.statement_rates.exec_system_time_per_s IS 'exec_system_time per second';
COMMENT ON COLUMN pgperf.statement_rates.exec_user_time IS 'Difference from the previous sample: CPU time in milliseconds that it took to execute, in user mode; from pg_stat_kcache, NULL: that is not installed, or does not count it';
COMMENT ON COLUMN pgperf.statement_rates.exec_user_time_per_s IS 'exec_user_time per second';
COMMENT ON COLUMN pgperf.statement_rates.exec_writes IS 'Difference from the previous sample: Bytes that the kernel has to write to devices for it; from pg_stat_kcache';
COMMENT ON COLUMN pgperf.statement_rates.exec_writes_per_s IS 'exec_writes per second';
COMMENT ON TABLE pgperf.plan_history IS 'Plans of the statements that take most of the time, by EXPLAIN with any values (a generic plan): at their first appearance, a day later, and when their mean time or blocks per call leave their spread';
COMMENT ON COLUMN pgperf.plan_history.blocks_per_call IS 'Shared blocks hit and read per call in that interval';
COMMENT ON COLUMN pgperf.plan_history.calls IS 'Calls in that interval';
COMMENT ON COLUMN pgperf.plan_history.cause IS 'Why it was planned. top: it is among the statements with most time, and no plan of the last day is known; changed: its mean time or its blocks per call left their spread; again: some time after that';
COMMENT ON COLUMN pgperf.plan_history.database_name IS 'Name of the database';
COMMENT ON COLUMN pgperf.plan_history.dbid IS 'Oid of the database';
COMMENT ON COLUMN pgperf.plan_history.index_columns IS 'The columns of that index, as SQL names them';
COMMENT ON COLUMN pgperf.plan_history.index_cost IS 'Cost of the plan with that index, as hypopg has the planner estimate it; no lower than total_cost: the planner would not use it; NULL: hypopg is not installed';
COMMENT ON COLUMN pgperf.plan_history.index_relation IS 'Oid of the table on which the plan lacks an index, as the rule missing_index proposes it; NULL: none';
COMMENT ON COLUMN pgperf.plan_history.index_rows IS 'Rows of that table that passed the filter of the plan, per call, as pg_qualstats counted them until then; NULL: it is not installed, or did not look at the statement';
COMMENT ON COLUMN pgperf.plan_history.mean_exec_time IS 'Average execution time in that interval, in milliseconds';
COMMENT ON COLUMN pgperf.plan_history.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.plan_history.plan_hash IS 'Hash of the plan in pgperf.plan_texts; NULL: see reason';
COMMENT ON COLUMN pgperf.plan_history.plan_rows IS 'Number of rows that the planner expected then';
COMMENT ON COLUMN pgperf.plan_history.queryid IS 'Identifier of the statement, as in pg_stat_statements';
COMMENT ON COLUMN pgperf.plan_history.reason IS 'Why there is no plan: the error of EXPLAIN, as for a table that is gone, a temporary one, or a text that was cut off';
COMMENT ON COLUMN pgperf.plan_history.relations IS 'Tables that the plan reads or writes, as SQL names them: 20 at most';
COMMENT ON COLUMN pgperf.plan_history.role_name IS 'Name of the role';
COMMENT ON COLUMN pgperf.plan_history.run_id IS 'The run during which the sample was taken; NULL: none';
COMMENT ON COLUMN pgperf.plan_history.sample_id IS 'The sample to which the row belongs (pgperf.samples); numbers grow with time within a node';
COMMENT ON COLUMN pgperf.plan_history.since IS 'The sample before that of the statement''s last row: between the two it had the figures of this row; NULL: it had no row before';
COMMENT ON COLUMN pgperf.plan_history.taken_at IS 'When the sample began';
COMMENT ON COLUMN pgperf.plan_history.total_cost IS 'Cost of the plan, as the planner estimated it then';
COMMENT ON COLUMN pgperf.plan_history.userid IS 'Oid of the role that ran it, with whose rights and settings it was planned';
COMMENT ON TABLE pgperf.plan_texts IS 'The plans of plan_history, each once: a line for each node, below it its conditions, without costs and with ? in place of constants; at most 10,000 characters';
COMMENT ON COLUMN pgperf.plan_texts.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.plan_texts.plan IS 'The plan';
COMMENT ON COLUMN pgperf.plan_texts.plan_hash IS 'Hash of the whole text: nodes, relations, indexes, their order, and conditions without constants';
COMMENT ON COLUMN pgperf.plan_texts.taken_at IS 'When it was first seen';
COMMENT ON VIEW pgperf.statement_plans IS 'Each plan that a statement had in pgperf.plan_history, with its text, when it was seen, and the mean figures of the intervals in which it was';
COMMENT ON COLUMN pgperf.statement_plans.blocks_per_call IS 'Shared blocks hit and read per call, in the intervals in which it was seen';
COMMENT ON COLUMN pgperf.statement_plans.database_name IS 'Name of the database';
COMMENT ON COLUMN pgperf.statement_plans.dbid IS 'Oid of the database';
COMMENT ON COLUMN pgperf.statement_plans.first_seen_at IS 'When a sample first had it';
COMMENT ON COLUMN pgperf.statement_plans.last_seen_at IS 'When a sample last had it';
COMMENT ON COLUMN pgperf.statement_plans.mean_exec_time IS 'Average execution time in milliseconds, in the intervals in which it was seen';
COMMENT ON COLUMN pgperf.statement_plans.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.statement_plans.plan IS 'The plan: a line for each node, below it its conditions';
COMMENT ON COLUMN pgperf.statement_plans.plan_hash IS 'Hash of the plan';
COMMENT ON COLUMN pgperf.statement_plans.query IS 'Text of the statement';
COMMENT ON COLUMN pgperf.statement_plans.queryid IS 'Identifier of the statement, as in pg_stat_statements';
COMMENT ON COLUMN pgperf.statement_plans.role_name IS 'Name of the role';
COMMENT ON COLUMN pgperf.statement_plans.times_seen IS 'How many rows of pgperf.plan_history have it';
COMMENT ON COLUMN pgperf.statement_plans.total_cost IS 'Its cost, as the planner estimated it last';
COMMENT ON COLUMN pgperf.statement_plans.userid IS 'Oid of the role that ran it';
COMMENT ON TABLE pgperf.wait_profile_history IS 'Waits of all processes by event, as pg_wait_sampling counts them; without rows where it is not installed. Processes waiting for work (type Activity) are left out';
COMMENT ON COLUMN pgperf.wait_profile_history.in_statement IS 'Whether it waited while it executed a statement; false: also where pg_wait_sampling.profile_queries is off';
COMMENT ON COLUMN pgperf.wait_profile_history.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.wait_profile_history.period_ms IS 'Milliseconds between two looks: pg_wait_sampling.profile_period';
COMMENT ON COLUMN pgperf.wait_profile_history.run_id IS 'The run during which the sample was taken; NULL: none';
COMMENT ON COLUMN pgperf.wait_profile_history.sample_id IS 'The sample to which the row belongs (pgperf.samples); numbers grow with time within a node';
COMMENT ON COLUMN pgperf.wait_profile_history.samples IS 'How often a process was seen waiting so since the profile began; times period_ms: how long they waited';
COMMENT ON COLUMN pgperf.wait_profile_history.taken_at IS 'When the sample began';
COMMENT ON COLUMN pgperf.wait_profile_history.wait_event IS 'The wait event';
COMMENT ON COLUMN pgperf.wait_profile_history.wait_event_type IS 'The type of the wait event; NULL: it did not wait (pg_wait_sampling.sample_cpu)';
COMMENT ON VIEW pgperf.wait_profile_deltas IS 'Differences of the counters of pgperf.wait_profile_history from the previous sample, over seconds; ..._per_s: the same per second. NULL: no previous sample, or the counters began again in between; an object without a previous row that provably began since counts from 0';
COMMENT ON COLUMN pgperf.wait_profile_deltas.in_statement IS 'Whether it waited while it executed a statement; false: also where pg_wait_sampling.profile_queries is off';
COMMENT ON COLUMN pgperf.wait_profile_deltas.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.wait_profile_deltas.period_ms IS 'Milliseconds between two looks: pg_wait_sampling.profile_period';
COMMENT ON COLUMN pgperf.wait_profile_deltas.run_id IS 'The run during which the sample was taken; NULL: none';
COMMENT ON COLUMN pgperf.wait_profile_deltas.sample_id IS 'The sample to which the row belongs (pgperf.samples); numbers grow with time within a node';
COMMENT ON COLUMN pgperf.wait_profile_deltas.samples IS 'Difference from the previous sample: How often a process was seen waiting so since the profile began; times period_ms: how long they waited';
COMMENT ON COLUMN pgperf.wait_profile_deltas.samples_per_s IS 'samples per second';
COMMENT ON COLUMN pgperf.wait_profile_deltas.seconds IS 'Seconds since the previous sample, the time that the differences cover; NULL: there is none, or the clock was set back meanwhile';
COMMENT ON COLUMN pgperf.wait_profile_deltas.taken_at IS 'When the sample began';
COMMENT ON COLUMN pgperf.wait_profile_deltas.wait_event IS 'The wait event';
COMMENT ON COLUMN pgperf.wait_profile_deltas.wait_event_type IS 'The type of the wait event; NULL: it did not wait (pg_wait_sampling.sample_cpu)';
COMMENT ON COLUMN pgperf.runs.heard_at IS 'Of a run of a source (pgperf.subscribe_history) that has not ended: when it was last heard of; it shows as interrupted a minute or three of its sample intervals later. NULL: any other run';
COMMENT ON COLUMN pgperf.runs.server IS 'The target to which its clients connected, a foreign server (pgperf_target); several with their weights: a@3, b@1 (see pgperf.run_servers); NULL: this server';
COMMENT ON COLUMN pgperf.run_summary.first_byte_ms IS 'Over the wire: average time in ms per transaction from sending its statements to the first byte of their answers; NULL: inside the server, or with pipelines';
COMMENT ON COLUMN pgperf.run_summary.receive_ms IS 'Over the wire: average time in ms per transaction from the first byte of the answers to its statements to the last';
COMMENT ON FUNCTION pgperf_internal.transaction_lines(uuid,bigint,boolean) IS 'Implements pgperf.transaction_log';
COMMENT ON FUNCTION pgperf.transaction_log(text,boolean) IS 'The same for a run by its number, ''node name/run_id'' or label';
COMMENT ON TABLE pgperf_internal.sampled_targets IS 'The targets that are sampled, written by start_sampler(server) and the sampler of targets; read pgperf.sampled_servers';
COMMENT ON COLUMN pgperf_internal.sampled_targets.connected IS 'Whether the last sample came';
COMMENT ON COLUMN pgperf_internal.sampled_targets.error IS 'The last error; NULL: none so far';
COMMENT ON COLUMN pgperf_internal.sampled_targets.failed_at IS 'When that began';
COMMENT ON COLUMN pgperf_internal.sampled_targets.node_id IS 'The installation that samples it';
COMMENT ON COLUMN pgperf_internal.sampled_targets.role IS 'Oid of the role whose user mapping is used';
COMMENT ON COLUMN pgperf_internal.sampled_targets.server IS 'Oid of the foreign server';
COMMENT ON COLUMN pgperf_internal.sampled_targets.since IS 'Since when it is, or is not';
COMMENT ON COLUMN pgperf_internal.sampled_targets.started_at IS 'When sampling was asked for';
COMMENT ON COLUMN pgperf_internal.sampled_targets.target_node_id IS 'The node of its samples; NULL: none came yet';
COMMENT ON COLUMN pgperf_internal.sampled_targets.unknown IS 'What it cannot tell, with the reasons';
COMMENT ON FUNCTION pgperf_internal.target_sampler_alive() IS 'Whether the sampler of this database''s targets is alive; used by the view pgperf.sampled_servers';
COMMENT ON FUNCTION pgperf.start_sampler(text) IS 'Has a target, a foreign server of pgperf_target, sampled over a connection of the caller''s user mapping when the transaction commits, until it is stopped or the foreign server dropped. False if it is already';
COMMENT ON FUNCTION pgperf.stop_sampler(text) IS 'Has a target sampled no more when the transaction commits; its history stays. False if it was not';
COMMENT ON VIEW pgperf.sampled_servers IS 'The targets that start_sampler(server) has sampled: a row each, with the last sample, the last error and what it cannot tell';
COMMENT ON COLUMN pgperf.sampled_servers.connected IS 'Whether its last sample came: it is connected to, and answers';
COMMENT ON COLUMN pgperf.sampled_servers.error IS 'The last error, also where it is over; NULL: none so far';
COMMENT ON COLUMN pgperf.sampled_servers.failed_at IS 'When that error began';
COMMENT ON COLUMN pgperf.sampled_servers.last_sample_at IS 'When its last sample was taken; NULL: none yet';
COMMENT ON COLUMN pgperf.sampled_servers.node_id IS 'The node of its samples; NULL: none came yet';
COMMENT ON COLUMN pgperf.sampled_servers.role IS 'The role whose user mapping is used';
COMMENT ON COLUMN pgperf.sampled_servers.running IS 'Whether the sampler of targets is alive; the same in each row';
COMMENT ON COLUMN pgperf.sampled_servers.server IS 'The foreign server';
COMMENT ON COLUMN pgperf.sampled_servers.since IS 'Since when that is so';
COMMENT ON COLUMN pgperf.sampled_servers.started_at IS 'When sampling was asked for';
COMMENT ON COLUMN pgperf.sampled_servers.unknown IS 'What it cannot tell, each with the reason: by collector, and under rights what its role there may not see; NULL: not known yet';
COMMENT ON FUNCTION pgperf_internal.move_strays(pgperf_internal.history_tables,timestamp with time zone) IS 'Moves rows that came before their partition into one; for pgperf.maintain()';
COMMENT ON FUNCTION pgperf.maintain(integer,interval) IS 'Creates the history''s partitions of the next days; reduces partitions whose retention is over to one sample of each hour, later of each day, and the samples of pinned runs and baselines; deletes runs that ended longer ago than pgperf.run_retention unless they are pinned or in a baseline, and texts of statements to which no row refers any more. One row for each action: created, moved (rows that came before their partition), rolled up (rows: number kept; bytes: size freed), dropped, deleted, published (a publication of pgperf.publish_history lacked tables); left: for the next call, for the reason in note (the budget is over, it holds many locks, or a lock was not free within 100 ms)';
COMMENT ON VIEW pgperf.history_size IS 'Disk space of the history, one row for each table and level: those of pgperf.history_partitions, runs (the rows of runs other than their samples) and texts (of statements and plans)';
COMMENT ON COLUMN pgperf.history_size.collector IS 'The collector that fills the table; NULL: the samples themselves, runs and texts';
COMMENT ON COLUMN pgperf.history_size.forecast_bytes IS 'Of level raw: what all levels of the table come to once its retention is full, at the present bytes_per_day; NULL: not known yet, or kept for ever';
COMMENT ON FUNCTION pgperf_internal.histogram_lines(uuid,bigint) IS 'Implements pgperf.histogram_log';
COMMENT ON FUNCTION pgperf.histogram_log(text) IS 'The same for a run by its number, ''node name/run_id'' or label';
COMMENT ON FUNCTION pgperf_internal.target_validator(text[],oid) IS 'Checks the options of servers and user mappings of pgperf_target: libpq''s keywords, by the rules of postgres_fdw';
COMMENT ON FUNCTION pgperf.doctor(text) IS 'The same of a target, a foreign server of pgperf_target: whether it can be reached, what can be known of it, and settings that would spoil a measurement; remedy: what helps, in words, most of it SQL for the target';
COMMENT ON FUNCTION pgperf.target_facts(text) IS 'What a target, a foreign server of pgperf_target, tells of itself: its build, extensions, database size, and settings that are not at their defaults';
COMMENT ON FUNCTION pgperf.target_figures(text) IS 'Sizes and counters of a target at this moment, as the line that docs/figures.sql prints: two of them, before and after a run, are what pgperf.import_results reads';
COMMENT ON FUNCTION pgperf_internal.check_part(jsonb,integer,integer) IS 'Raises an error where the caller could not start this part of a run on several nodes here; tells which server this is';
COMMENT ON FUNCTION pgperf_internal.start_part(jsonb,integer,integer,text) IS 'Starts a part of a run on several nodes, as start_run would with these arguments; its clients are those from first_client on of all_clients. Returns its run_id';
COMMENT ON FUNCTION pgperf_internal.part_progress(bigint,integer) IS 'How far a part of a run on several nodes is, with its intervals from a number on; for members of pg_monitor and the run''s role';
COMMENT ON FUNCTION pgperf_internal.version_rows(text[],text[],text,text,text) IS 'Implements pgperf.version_table; runs are named as there, or as #run_id';
COMMENT ON FUNCTION pgperf.version_table(bigint,bigint,text,text) IS 'A comparison of two server versions, from two runs of this node (NULL: the newest): mean statement time, growth, WAL, hit ratio, live tuples, autovacuums, sizes of tables and indexes; live tuples, autovacuums and sizes of the table relation; for each statement, its mean latency, and the changes of the mean and the standard deviation. style: text or markdown';
COMMENT ON FUNCTION pgperf.version_table(bigint[],bigint[],text,text,text) IS 'The same for repeated runs';
COMMENT ON FUNCTION pgperf.version_table(text,text,text,text,text) IS 'The same for runs or baselines by name';
COMMENT ON FUNCTION pgperf.version_table(text[],text[],text,text,text) IS 'The same for repeated runs of any node by name';
COMMENT ON FUNCTION pgperf.set_baseline(text,text) IS 'The same for a run, or a label''s repetitions, named as in pgperf.compare';
COMMENT ON FUNCTION pgperf.require_expectations(text) IS 'The same for a run by its number, ''node name/run_id'' or label';
COMMENT ON FUNCTION pgperf.report_junit(text,text,text) IS 'The same for a run by its number, ''node name/run_id'' or label';
COMMENT ON PROCEDURE pgperf_internal.await_own_sweep(bigint,text) IS 'Commits, then waits for the end of a sweep with progress; Ctrl-C stops it; called by calibrate and compare_servers';
COMMENT ON FUNCTION pgperf_internal.print_sweep_report(bigint) IS 'Sends the report of a sweep as a message; called by CALL pgperf.calibrate';
COMMENT ON PROCEDURE pgperf.calibrate(text,integer[],integer,interval,interval[],text,text,text,text,bigint) IS 'Measures what client, protocol and network cost: runs a workload in turns inside the server and over the wire, each repetitions times at each number of clients, and prints the report, with the share of the way in the time of each statement (pgperf.sweep_statements). round_trips: with these round trips added to each message, ''{0,1 ms}''. Ctrl-C stops it. Further arguments: start_sweep(transports => ''{inside,wire}'')';
COMMENT ON PROCEDURE pgperf.compare_servers(text[],text,integer[],integer,integer,interval,bigint,text,text,jsonb,text,text,interval,text,jsonb,boolean,text,text,bigint) IS 'Compares servers: runs a workload on each of these targets in turns, repetitions times at each number of clients, and prints the report: rates with intervals, and with one number of clients a table of versions for each server beside the first (growth, WAL, hit ratio, autovacuums, sizes, each statement). scale: loads the tables anew before each run (init => ''change'': before the first). Ctrl-C stops it. Further arguments: start_sweep(servers => ...)';
COMMENT ON VIEW pgperf.sweep_buffers IS 'Contents of shared_buffers at each point of a sweep, at the end of its last finished run, by relation and usage count; a point whose runs have no sample of the collector buffers has no rows';
COMMENT ON COLUMN pgperf.sweep_buffers.buffers IS 'Number of buffers';
COMMENT ON COLUMN pgperf.sweep_buffers.bytes IS 'Their size in bytes';
COMMENT ON COLUMN pgperf.sweep_buffers.database_name IS 'Database of the relation; NULL: unused buffers, or a catalog that all databases share';
COMMENT ON COLUMN pgperf.sweep_buffers.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.sweep_buffers.percent IS 'Their share of shared_buffers in percent';
COMMENT ON COLUMN pgperf.sweep_buffers.point_no IS 'Number of the point (pgperf.sweep_points)';
COMMENT ON COLUMN pgperf.sweep_buffers.relation_name IS 'Name of the relation; NULL: unused buffers, or one that is not told apart';
COMMENT ON COLUMN pgperf.sweep_buffers.run_id IS 'Its last finished run';
COMMENT ON COLUMN pgperf.sweep_buffers.sample_id IS 'The last sample of that run (pgperf.buffer_usage_history)';
COMMENT ON COLUMN pgperf.sweep_buffers.schema_name IS 'Schema of the relation; NULL: as for relation_name';
COMMENT ON COLUMN pgperf.sweep_buffers.sweep_id IS 'Number of the sweep';
COMMENT ON COLUMN pgperf.sweep_buffers.taken_at IS 'When the sample began';
COMMENT ON COLUMN pgperf.sweep_buffers.usage_count IS '0 to 5; NULL: buffers that hold no page';
COMMENT ON FUNCTION pgperf.sweep_values(bigint,double precision) IS 'A sweep (NULL: the newest of this node) by the values that vary besides the clients: for each metric (the workload''s headline first, tps, p95, hit ratio) and value the mean over runs with its 95 % interval, the change from the baseline (the value that the setting had before the sweep, or the first) with its interval and p, and whether the value is best, as good within margin_percent, undecided or worse; for the sweep''s role and members of pg_monitor';
COMMENT ON FUNCTION pgperf.sweep_statements(bigint) IS 'The mean times of statements in a sweep (NULL: the newest of this node) by the values that vary besides the clients, and of each script''s transaction (command_no NULL): over runs with 95 % interval, the change from the baseline with its interval and p, how many ms that is, and its share of the mean with the ends of its interval: with transports => ''{inside,wire}'' the share of client, protocol and network; for the sweep''s role and members of pg_monitor';
COMMENT ON FUNCTION pgperf.export_run(text,boolean) IS 'The same for a run by its number, ''node name/run_id'' or label';
COMMENT ON FUNCTION pgperf_internal.remove_samples(uuid,bigint) IS 'Removes the samples of a run with their rows; returns the number of both';
COMMENT ON FUNCTION pgperf_internal.due_runs() IS 'The runs of this node that ended longer ago than pgperf.run_retention, and of sources that ended longer ago than their run_retention here, which are neither pinned nor in a baseline, oldest first; for pgperf.maintain()';
COMMENT ON FUNCTION pgperf_internal.note_gone(uuid,bigint,boolean) IS 'Notes for repositories that a run of this node is about to be removed. deleted: by pgperf.delete_run(), not by its age';
COMMENT ON FUNCTION pgperf_internal.forget_runs(timestamp with time zone) IS 'Deletes the runs that are due, as far as the time allows, and the texts of statements and plans without rows; for pgperf.maintain()';
COMMENT ON FUNCTION pgperf.rate_search_report(text) IS 'The same for a run by its number, ''node name/run_id'' or label';
COMMENT ON FUNCTION pgperf.rate_search_json(text) IS 'The same for a run by its number, ''node name/run_id'' or label';
COMMENT ON TABLE pgperf.notes IS 'What users noted with pgperf.note(): marks on the timeline of reports. DELETE removes one';
COMMENT ON COLUMN pgperf.notes.at IS 'The time that it is about';
COMMENT ON COLUMN pgperf.notes.node_id IS 'The node that it is about';
COMMENT ON COLUMN pgperf.notes.note IS 'The text';
COMMENT ON COLUMN pgperf.notes.role_name IS 'The role that noted it';
COMMENT ON FUNCTION pgperf.note(text,timestamp with time zone) IS 'Notes something about this server, such as ''release 42'', for the timeline of reports: at this time (default: now), which it returns';
COMMENT ON FUNCTION pgperf_internal.published_tables() IS 'The tables of which a repository has the rows; others are about one installation alone, such as its settings';
COMMENT ON FUNCTION pgperf_internal.complete_publications(uuid) IS 'Has the publications of pgperf.publish_history publish all tables of a repository, of the local node and its targets; returns those that it altered. adding: a target whose row is about to be stored';
COMMENT ON FUNCTION pgperf_internal.maintain_publications() IS 'Completes the publications of the history; for pgperf.maintain()';
COMMENT ON FUNCTION pgperf_internal.publish_target() IS 'Has the publications of the history publish a new target';
COMMENT ON FUNCTION pgperf_internal.publish_node() IS 'Has the publications of the history publish a new node';
COMMENT ON FUNCTION pgperf.publish_history(text) IS 'Publishes the history of this server for a repository (pgperf.subscribe_history there): runs with deletions under this name, samples under the same name and _samples. Completes publications that exist; pgperf.maintain() and updates do the same. Returns both names';
COMMENT ON FUNCTION pgperf.unpublish_history(text) IS 'Drops what publish_history made; false if there is nothing. Repositories unsubscribe first: their slots stay until they do';
COMMENT ON FUNCTION pgperf_internal.is_forgotten(uuid,bigint) IS 'Whether a source deleted a run because of its retention alone, so that a repository keeps it';
COMMENT ON FUNCTION pgperf_internal.keep_forgotten() IS 'Keeps the rows of a run that its source deleted because of its retention';
COMMENT ON FUNCTION pgperf_internal.keep_attempted() IS 'Keeps which runs of a sweep its source deleted because of its retention';
COMMENT ON FUNCTION pgperf_internal.remove_samples_too() IS 'Deletes the samples of a run that its source has deleted, and what names it here';
COMMENT ON FUNCTION pgperf_internal.own_what_comes() IS 'Gives the runs of a source to the role that stores them here; that of the source is origin_role';
COMMENT ON FUNCTION pgperf_internal.take_rows(regclass,text[],json) IS 'Stores rows that were copied from a source';
COMMENT ON FUNCTION pgperf_internal.drop_runs_gone(uuid[]) IS 'Deletes the runs of a source that it has deleted since it was last subscribed, as its subscription would have';
COMMENT ON FUNCTION pgperf_internal.drop_copied(uuid[],json,regclass[]) IS 'Deletes the rows here that are copied from a source anew';
COMMENT ON FUNCTION pgperf_internal.drop_twins(uuid[],regclass) IS 'Deletes the texts that are there twice';
COMMENT ON FUNCTION pgperf_internal.make_day(integer) IS 'Makes the partitions of a day, counted from today, for what a source sends';
COMMENT ON FUNCTION pgperf_internal.check_source(text,text) IS 'Whether a source can be subscribed; the first day of which samples are copied, counted from today';
COMMENT ON FUNCTION pgperf_internal.begin_subscription(text,text,interval) IS 'Copies what is missing here of a source and creates the subscription; for pgperf.subscribe_history';
COMMENT ON PROCEDURE pgperf.subscribe_history(text,text,interval,text) IS 'Has the history of a source kept here: copies what this repository lacks of it, and subscribes to what follows. server: a foreign server of pgperf_target that leads to it; run_retention: how long its runs are kept here (default: for ever). Returns the name of the subscription';
COMMENT ON FUNCTION pgperf.unsubscribe_history(text,boolean) IS 'Drops the subscription of a source, and its replication slot there, which otherwise keeps WAL for ever; false if there is none. What has come stays. keep_slot: of a source that is gone';
COMMENT ON FUNCTION pgperf.repository_status(boolean) IS 'The sources of this repository, a row each: when it was last heard of, how far its subscription is behind, what its slot holds back on the source, errors, gaps; status: ok, or what is wrong, with the remedy. ask => false: without connecting to the sources';
COMMENT ON FUNCTION pgperf.history_report(timestamp with time zone,timestamp with time zone,text) IS 'What the server did after from_time, up to to_time, as text of 80 columns: NULL: the last hour, or the hour before to_time; of a node by its name or id, NULL: this one';
COMMENT ON FUNCTION pgperf.history_html(timestamp with time zone,timestamp with time zone,text) IS 'pgperf.history_report as one self-contained HTML page with charts';
COMMENT ON FUNCTION pgperf.history_json(timestamp with time zone,timestamp with time zone,text) IS 'The contents of that page as a document described by docs/history.schema.json';
COMMENT ON FUNCTION pgperf.metrics(uuid,text,boolean,boolean) IS 'The newest samples of the history and the live runs as a text that Prometheus reads; nothing is measured for it. NULL: this node. format: openmetrics, or prometheus, the older text format. findings: with the number of findings of the last hour, which takes longer. all_nodes: of all nodes with samples of the last day, told apart by the label node. docs/openmetrics.md lists the metrics';
COMMENT ON FUNCTION pgperf_internal.judge_window(timestamp with time zone,timestamp with time zone,text) IS 'The rows of pgperf.findings as one array';
COMMENT ON FUNCTION pgperf.findings(timestamp with time zone,timestamp with time zone,text) IS 'What stands out in the history after from_time, up to to_time, the most urgent first: rule and severity, object, times, evidence, what to do, share of database time. NULL: the last hour, or the hour before to_time; of a node by its name or id, NULL: this one, ''*'': of all nodes that have samples then. For alerts: WHERE severity >= ''warning''';
COMMENT ON FUNCTION pgperf.findings(text) IS 'The same over the measured part of a run, named by its label, number or ''node name/run_id''';
COMMENT ON FUNCTION pgperf_internal.finding_rule_definitions() IS 'The rules of pgperf.findings with their defaults; read pgperf.finding_rules';
COMMENT ON TABLE pgperf_internal.finding_rule_settings IS 'Changes to the rules'' defaults; written through pgperf.finding_rules';
COMMENT ON COLUMN pgperf_internal.finding_rule_settings.enabled IS 'Whether the rule speaks of these objects';
COMMENT ON COLUMN pgperf_internal.finding_rule_settings.muted_until IS 'Until then it does not speak of these objects';
COMMENT ON COLUMN pgperf_internal.finding_rule_settings.note IS 'Why';
COMMENT ON COLUMN pgperf_internal.finding_rule_settings.object IS 'A pattern as for LIKE: the objects that the row is for';
COMMENT ON COLUMN pgperf_internal.finding_rule_settings.rule IS 'The rule';
COMMENT ON COLUMN pgperf_internal.finding_rule_settings.threshold IS 'Where it begins to speak; NULL: at its default';
COMMENT ON VIEW pgperf.finding_rules IS 'Every rule of pgperf.findings(): UPDATE pgperf.finding_rules SET enabled = false, threshold = ..., or muted_until = ... WHERE rule = ... changes one; INSERT adds a row for objects of one name; DELETE restores the default';
COMMENT ON COLUMN pgperf.finding_rules.enabled IS 'Whether the rule speaks of these objects';
COMMENT ON COLUMN pgperf.finding_rules.muted_until IS 'Until then the rule does not speak of these objects';
COMMENT ON COLUMN pgperf.finding_rules.note IS 'Why, for other readers';
COMMENT ON COLUMN pgperf.finding_rules.object IS 'A pattern as for LIKE: the objects that the row is for, by schema and name; %: all of them';
COMMENT ON COLUMN pgperf.finding_rules.rule IS 'The rule, as pgperf.findings() names it';
COMMENT ON COLUMN pgperf.finding_rules.severity IS 'Severity of its findings, unless one is more urgent';
COMMENT ON COLUMN pgperf.finding_rules.threshold IS 'Where the rule begins to speak; NULL: it has no single number, or the row is for some objects only';
COMMENT ON COLUMN pgperf.finding_rules.title IS 'Its findings in a few words';
COMMENT ON COLUMN pgperf.finding_rules.unit IS 'The unit of the threshold';
COMMENT ON FUNCTION pgperf_internal.finding_rules_change() IS 'What INSERT, UPDATE and DELETE on pgperf.finding_rules do';
COMMENT ON FUNCTION pgperf.history_compare(timestamp with time zone,timestamp with time zone,timestamp with time zone,timestamp with time zone,text,text) IS 'The same of any two windows, each of a node by its name or id; NULL: this one';
COMMENT ON FUNCTION pgperf.history_compare_html(timestamp with time zone,timestamp with time zone,timestamp with time zone,timestamp with time zone,text,text) IS 'The same of any two windows, each of a node by its name or id; NULL: this one';
COMMENT ON FUNCTION pgperf.history_compare_json(timestamp with time zone,timestamp with time zone,timestamp with time zone,timestamp with time zone,text,text) IS 'The same of any two windows, each of a node by its name or id; NULL: this one';
COMMENT ON FUNCTION pgperf.fleet_report(timestamp with time zone,timestamp with time zone,text) IS 'All nodes whose history is stored here, after from_time, up to to_time, those that need attention first: a row for each with its findings and figures, and the call of its own report. NULL: the last hour, or the hour before to_time; group_name: of the nodes of a group, NULL: of all';
COMMENT ON FUNCTION pgperf.fleet_html(timestamp with time zone,timestamp with time zone,text) IS 'pgperf.fleet_report as one self-contained HTML page with charts of each node';
COMMENT ON SEQUENCE pgperf_internal.capture_id_seq IS 'Numbers the captures of this database';
COMMENT ON TABLE pgperf_internal.stored_captures IS 'The captures as stored; read pgperf.captures for their true status';
COMMENT ON COLUMN pgperf_internal.stored_captures.bytes IS 'Size of its files; while it is under way, five seconds old at most, as the counts are';
COMMENT ON COLUMN pgperf_internal.stored_captures.capture_id IS 'Its number in this database';
COMMENT ON COLUMN pgperf_internal.stored_captures.dropped IS 'Transactions that are missing: their sessions left more than the writer could take';
COMMENT ON COLUMN pgperf_internal.stored_captures.duration_s IS 'Seconds after which it ends';
COMMENT ON COLUMN pgperf_internal.stored_captures.ended_at IS 'When it ended';
COMMENT ON COLUMN pgperf_internal.stored_captures.imported_from IS 'The node from which it came by import_capture; NULL: it was recorded here';
COMMENT ON COLUMN pgperf_internal.stored_captures.max_bytes IS 'Size at which it ends';
COMMENT ON COLUMN pgperf_internal.stored_captures.name IS 'As start_capture named it';
COMMENT ON COLUMN pgperf_internal.stored_captures.node_id IS 'The installation that it is of';
COMMENT ON COLUMN pgperf_internal.stored_captures.reason IS 'Why it ended, if not by its duration or by stop_capture';
COMMENT ON COLUMN pgperf_internal.stored_captures.requested_at IS 'When start_capture was called';
COMMENT ON COLUMN pgperf_internal.stored_captures.role IS 'The role that started it, and controls it';
COMMENT ON COLUMN pgperf_internal.stored_captures.scope IS 'Which sessions and transactions are recorded';
COMMENT ON COLUMN pgperf_internal.stored_captures.sessions IS 'Sessions that took part';
COMMENT ON COLUMN pgperf_internal.stored_captures.sessions_left_out IS 'Sessions that did not for want of pgperf.capture_memory';
COMMENT ON COLUMN pgperf_internal.stored_captures.started_at IS 'When sessions began to take part';
COMMENT ON COLUMN pgperf_internal.stored_captures.statements IS 'Their statements at top level';
COMMENT ON COLUMN pgperf_internal.stored_captures.stored_status IS 'Its status, unless its writer went away';
COMMENT ON COLUMN pgperf_internal.stored_captures.transactions IS 'Transactions recorded';
COMMENT ON FUNCTION pgperf_internal.capture_alive(bigint) IS 'Whether the writer of this capture is alive; used by the view pgperf.captures';
COMMENT ON FUNCTION pgperf.start_capture(text,interval,text[],text[],double precision,text,text) IS 'Records the transactions of this database''s sessions, with their values, from the commit of this call until the duration is over; returns the capture''s number';
COMMENT ON FUNCTION pgperf.stop_capture() IS 'Ends the capture of this database that is under way; false if none is';
COMMENT ON FUNCTION pgperf.drop_capture(text) IS 'Removes a capture and, when the transaction commits, its files';
COMMENT ON FUNCTION pgperf.capture_report(text) IS 'What a capture has: sessions, transactions, and its statements by the time that they took, without any value';
COMMENT ON FUNCTION pgperf.export_capture(text) IS 'A capture with all its values as one value, for import_capture on another server';
COMMENT ON FUNCTION pgperf.export_capture(text,text) IS 'Writes a capture to a new file of the server; its length in bytes';
COMMENT ON FUNCTION pgperf.import_capture(bytea,text) IS 'Takes a capture that export_capture made, under its name or another one; its number here';
COMMENT ON FUNCTION pgperf.import_capture(text,text) IS 'The same from a file of the server';
COMMENT ON FUNCTION pgperf.test_statements(text,jsonb,jsonb,text,text,integer,integer,integer,boolean,interval) IS 'The statements of a capture that took most of the time, each with values that it had, under two configurations in turns: time, blocks, plan';
COMMENT ON VIEW pgperf.captures IS 'The captures of this database: what is recorded, and how each goes or ended';
COMMENT ON COLUMN pgperf.captures.application_names IS 'Values of application_name whose sessions are recorded; NULL: all';
COMMENT ON COLUMN pgperf.captures.bytes IS 'Size of its files; while it is under way, five seconds old at most, as the counts are';
COMMENT ON COLUMN pgperf.captures.capture_id IS 'Its number in this database';
COMMENT ON COLUMN pgperf.captures.dropped IS 'Transactions that are missing: their sessions left more than the writer could take';
COMMENT ON COLUMN pgperf.captures.duration IS 'After which it ends';
COMMENT ON COLUMN pgperf.captures.ended_at IS 'When it ended';
COMMENT ON COLUMN pgperf.captures.imported_from IS 'The node from which it came by import_capture; NULL: it was recorded here';
COMMENT ON COLUMN pgperf.captures.max_bytes IS 'Size at which it ends';
COMMENT ON COLUMN pgperf.captures.name IS 'As start_capture named it';
COMMENT ON COLUMN pgperf.captures.reason IS 'Why it ended, if not by its duration or by stop_capture';
COMMENT ON COLUMN pgperf.captures.requested_at IS 'When start_capture was called';
COMMENT ON COLUMN pgperf.captures.role IS 'The role that started it, and controls it';
COMMENT ON COLUMN pgperf.captures.roles IS 'Roles whose sessions are recorded; NULL: all';
COMMENT ON COLUMN pgperf.captures.sessions IS 'Sessions that took part';
COMMENT ON COLUMN pgperf.captures.sessions_left_out IS 'Sessions that did not for want of pgperf.capture_memory';
COMMENT ON COLUMN pgperf.captures.share IS 'The part of sessions or transactions that is recorded';
COMMENT ON COLUMN pgperf.captures.share_of IS 'Of what it is a part: sessions or transactions';
COMMENT ON COLUMN pgperf.captures.started_at IS 'When sessions began to take part';
COMMENT ON COLUMN pgperf.captures.statements IS 'Their statements at top level';
COMMENT ON COLUMN pgperf.captures.status IS 'waiting (for the commit of its start), capturing, finished, stopped, failed, or interrupted: the server or its writer went away';
COMMENT ON COLUMN pgperf.captures.transactions IS 'Transactions recorded';
REVOKE ALL ON ROUTINE pgperf_internal.range_of_numbers() FROM PUBLIC;
REVOKE ALL ON ROUTINE pgperf_internal.next_number(regclass) FROM PUBLIC;
GRANT SELECT ON TABLE pgperf.run_servers TO pg_monitor;
GRANT SELECT ON TABLE pgperf.run_server_intervals TO pg_monitor;
GRANT SELECT ON TABLE pgperf.run_replays TO pg_monitor;
GRANT SELECT ON TABLE pgperf.run_replay_statements TO pg_monitor;
REVOKE ALL ON ROUTINE pgperf.set_node_group(text,text) FROM PUBLIC;
REVOKE ALL ON ROUTINE pgperf.start_run(text,integer,interval,bigint,text,text[],integer[],integer,text,text,pgperf.rate,interval,integer,boolean,boolean,interval,interval,bigint,bigint,jsonb,jsonb,text,text,text,interval,text,interval,text[],boolean,double precision,jsonb,text,text,jsonb,boolean,text,jsonb,boolean,jsonb,text,interval,jsonb,interval,interval,jsonb,text,boolean,text,text,integer,boolean,boolean,text,text[],timestamp with time zone,text[]) FROM PUBLIC;
REVOKE ALL ON ROUTINE pgperf.start_load(text,double precision,text,integer,boolean,boolean,text,text,integer,text,integer,text,boolean,jsonb,text,jsonb,text) FROM PUBLIC;
REVOKE ALL ON ROUTINE pgperf.resume_run(text) FROM PUBLIC;
REVOKE ALL ON ROUTINE pgperf.run(text,integer,interval,bigint,text,text[],integer[],integer,text,text,pgperf.rate,interval,integer,boolean,boolean,interval,interval,bigint,bigint,jsonb,jsonb,text,text,text,interval,text,interval,text[],boolean,double precision,jsonb,text,text,jsonb,boolean,text,jsonb,boolean,jsonb,text,interval,jsonb,interval,interval,jsonb,text,boolean,text,bigint,text,integer,boolean,boolean,text,text[],timestamp with time zone,text[]) FROM PUBLIC;
REVOKE ALL ON ROUTINE pgperf.init(text,double precision,text,integer,boolean,boolean,text,text,integer,text,integer,text,boolean,jsonb,text,jsonb,bigint,text) FROM PUBLIC;
REVOKE ALL ON ROUTINE pgperf.start_sweep(text,integer[],integer,jsonb,text[],integer[],integer[],integer[],text[],text,interval,interval,text,jsonb,boolean,integer,bigint,text,bigint,text,text[],integer[],integer,text,text,pgperf.rate,interval,integer,boolean,boolean,interval,interval,bigint,jsonb,jsonb,text,text,text,text,interval,text[],boolean,double precision,jsonb,jsonb,text,text,jsonb,boolean,jsonb,text,interval,jsonb,interval,interval,jsonb,text,boolean,text,integer,text,integer,boolean,boolean,text,text[],interval[],text[]) FROM PUBLIC;
GRANT SELECT ON TABLE pgperf_internal.publications TO pg_monitor;
GRANT SELECT ON TABLE pgperf_internal.forgotten_runs TO pg_monitor;
GRANT SELECT ON TABLE pgperf_internal.sources TO pg_monitor;
REVOKE ALL ON ROUTINE pgperf_internal.is_of_source(uuid) FROM PUBLIC;
REVOKE ALL ON ROUTINE pgperf_internal.take_out(regclass,regclass,timestamp with time zone,timestamp with time zone) FROM PUBLIC;
REVOKE ALL ON ROUTINE pgperf_internal.create_delta_view(text,text[],text[],boolean,text,text,text[]) FROM PUBLIC;
GRANT SELECT ON TABLE pgperf.load_devices TO pg_monitor;
GRANT SELECT ON TABLE pgperf.plan_texts TO pg_monitor;
GRANT SELECT ON TABLE pgperf.statement_plans TO pg_monitor;
GRANT SELECT ON TABLE pgperf.wait_profile_deltas TO pg_monitor;
REVOKE ALL ON ROUTINE pgperf_internal.transaction_lines(uuid,bigint,boolean) FROM PUBLIC;
GRANT EXECUTE ON ROUTINE pgperf_internal.transaction_lines(uuid,bigint,boolean) TO pg_monitor;
REVOKE ALL ON ROUTINE pgperf.transaction_log(text,boolean) FROM PUBLIC;
GRANT EXECUTE ON ROUTINE pgperf.transaction_log(text,boolean) TO pg_monitor;
GRANT SELECT ON TABLE pgperf_internal.sampled_targets TO pg_monitor;
REVOKE ALL ON ROUTINE pgperf_internal.target_sampler_alive() FROM PUBLIC;
GRANT EXECUTE ON ROUTINE pgperf_internal.target_sampler_alive() TO pg_monitor;
REVOKE ALL ON ROUTINE pgperf.start_sampler(text) FROM PUBLIC;
GRANT EXECUTE ON ROUTINE pgperf.start_sampler(text) TO pg_monitor;
REVOKE ALL ON ROUTINE pgperf.stop_sampler(text) FROM PUBLIC;
GRANT EXECUTE ON ROUTINE pgperf.stop_sampler(text) TO pg_monitor;
GRANT SELECT ON TABLE pgperf.sampled_servers TO pg_monitor;
REVOKE ALL ON ROUTINE pgperf_internal.move_strays(pgperf_internal.history_tables,timestamp with time zone) FROM PUBLIC;
REVOKE ALL ON ROUTINE pgperf_internal.histogram_lines(uuid,bigint) FROM PUBLIC;
GRANT EXECUTE ON ROUTINE pgperf_internal.histogram_lines(uuid,bigint) TO pg_monitor;
REVOKE ALL ON ROUTINE pgperf.histogram_log(text) FROM PUBLIC;
GRANT EXECUTE ON ROUTINE pgperf.histogram_log(text) TO pg_monitor;
REVOKE ALL ON ROUTINE pgperf.doctor(text) FROM PUBLIC;
GRANT EXECUTE ON ROUTINE pgperf.doctor(text) TO PUBLIC;
REVOKE ALL ON ROUTINE pgperf.target_facts(text) FROM PUBLIC;
GRANT EXECUTE ON ROUTINE pgperf.target_facts(text) TO PUBLIC;
REVOKE ALL ON ROUTINE pgperf.target_figures(text) FROM PUBLIC;
GRANT EXECUTE ON ROUTINE pgperf.target_figures(text) TO PUBLIC;
REVOKE ALL ON ROUTINE pgperf.set_baseline(text,text) FROM PUBLIC;
REVOKE ALL ON ROUTINE pgperf.calibrate(text,integer[],integer,interval,interval[],text,text,text,text,bigint) FROM PUBLIC;
REVOKE ALL ON ROUTINE pgperf.compare_servers(text[],text,integer[],integer,integer,interval,bigint,text,text,jsonb,text,text,interval,text,jsonb,boolean,text,text,bigint) FROM PUBLIC;
GRANT SELECT ON TABLE pgperf.sweep_buffers TO pg_monitor;
REVOKE ALL ON ROUTINE pgperf_internal.remove_samples(uuid,bigint) FROM PUBLIC;
REVOKE ALL ON ROUTINE pgperf_internal.note_gone(uuid,bigint,boolean) FROM PUBLIC;
GRANT SELECT ON TABLE pgperf.notes TO pg_monitor;
REVOKE ALL ON ROUTINE pgperf.note(text,timestamp with time zone) FROM PUBLIC;
GRANT EXECUTE ON ROUTINE pgperf.note(text,timestamp with time zone) TO pg_monitor;
REVOKE ALL ON ROUTINE pgperf_internal.published_tables() FROM PUBLIC;
REVOKE ALL ON ROUTINE pgperf_internal.complete_publications(uuid) FROM PUBLIC;
REVOKE ALL ON ROUTINE pgperf_internal.maintain_publications() FROM PUBLIC;
REVOKE ALL ON ROUTINE pgperf_internal.publish_target() FROM PUBLIC;
REVOKE ALL ON ROUTINE pgperf_internal.publish_node() FROM PUBLIC;
REVOKE ALL ON ROUTINE pgperf.publish_history(text) FROM PUBLIC;
REVOKE ALL ON ROUTINE pgperf.unpublish_history(text) FROM PUBLIC;
REVOKE ALL ON ROUTINE pgperf_internal.is_forgotten(uuid,bigint) FROM PUBLIC;
REVOKE ALL ON ROUTINE pgperf_internal.keep_forgotten() FROM PUBLIC;
REVOKE ALL ON ROUTINE pgperf_internal.keep_attempted() FROM PUBLIC;
REVOKE ALL ON ROUTINE pgperf_internal.remove_samples_too() FROM PUBLIC;
REVOKE ALL ON ROUTINE pgperf_internal.own_what_comes() FROM PUBLIC;
REVOKE ALL ON ROUTINE pgperf_internal.take_rows(regclass,text[],json) FROM PUBLIC;
REVOKE ALL ON ROUTINE pgperf_internal.drop_runs_gone(uuid[]) FROM PUBLIC;
REVOKE ALL ON ROUTINE pgperf_internal.drop_copied(uuid[],json,regclass[]) FROM PUBLIC;
REVOKE ALL ON ROUTINE pgperf_internal.drop_twins(uuid[],regclass) FROM PUBLIC;
REVOKE ALL ON ROUTINE pgperf_internal.make_day(integer) FROM PUBLIC;
REVOKE ALL ON ROUTINE pgperf_internal.check_source(text,text) FROM PUBLIC;
REVOKE ALL ON ROUTINE pgperf_internal.begin_subscription(text,text,interval) FROM PUBLIC;
REVOKE ALL ON ROUTINE pgperf.subscribe_history(text,text,interval,text) FROM PUBLIC;
REVOKE ALL ON ROUTINE pgperf.unsubscribe_history(text,boolean) FROM PUBLIC;
REVOKE ALL ON ROUTINE pgperf.repository_status(boolean) FROM PUBLIC;
GRANT EXECUTE ON ROUTINE pgperf.repository_status(boolean) TO pg_monitor;
REVOKE ALL ON ROUTINE pgperf.history_report(timestamp with time zone,timestamp with time zone,text) FROM PUBLIC;
GRANT EXECUTE ON ROUTINE pgperf.history_report(timestamp with time zone,timestamp with time zone,text) TO pg_monitor;
REVOKE ALL ON ROUTINE pgperf.history_html(timestamp with time zone,timestamp with time zone,text) FROM PUBLIC;
GRANT EXECUTE ON ROUTINE pgperf.history_html(timestamp with time zone,timestamp with time zone,text) TO pg_monitor;
REVOKE ALL ON ROUTINE pgperf.history_json(timestamp with time zone,timestamp with time zone,text) FROM PUBLIC;
GRANT EXECUTE ON ROUTINE pgperf.history_json(timestamp with time zone,timestamp with time zone,text) TO pg_monitor;
REVOKE ALL ON ROUTINE pgperf.metrics(uuid,text,boolean,boolean) FROM PUBLIC;
GRANT EXECUTE ON ROUTINE pgperf.metrics(uuid,text,boolean,boolean) TO pg_monitor;
REVOKE ALL ON ROUTINE pgperf_internal.judge_window(timestamp with time zone,timestamp with time zone,text) FROM PUBLIC;
GRANT EXECUTE ON ROUTINE pgperf_internal.judge_window(timestamp with time zone,timestamp with time zone,text) TO pg_monitor;
REVOKE ALL ON ROUTINE pgperf.findings(timestamp with time zone,timestamp with time zone,text) FROM PUBLIC;
GRANT EXECUTE ON ROUTINE pgperf.findings(timestamp with time zone,timestamp with time zone,text) TO pg_monitor;
REVOKE ALL ON ROUTINE pgperf.findings(text) FROM PUBLIC;
GRANT EXECUTE ON ROUTINE pgperf.findings(text) TO pg_monitor;
GRANT SELECT ON TABLE pgperf_internal.finding_rule_settings TO pg_monitor;
GRANT SELECT ON TABLE pgperf.finding_rules TO pg_monitor;
REVOKE ALL ON ROUTINE pgperf_internal.finding_rules_change() FROM PUBLIC;
REVOKE ALL ON ROUTINE pgperf.history_compare(timestamp with time zone,timestamp with time zone,timestamp with time zone,timestamp with time zone,text,text) FROM PUBLIC;
GRANT EXECUTE ON ROUTINE pgperf.history_compare(timestamp with time zone,timestamp with time zone,timestamp with time zone,timestamp with time zone,text,text) TO pg_monitor;
REVOKE ALL ON ROUTINE pgperf.history_compare_html(timestamp with time zone,timestamp with time zone,timestamp with time zone,timestamp with time zone,text,text) FROM PUBLIC;
GRANT EXECUTE ON ROUTINE pgperf.history_compare_html(timestamp with time zone,timestamp with time zone,timestamp with time zone,timestamp with time zone,text,text) TO pg_monitor;
REVOKE ALL ON ROUTINE pgperf.history_compare_json(timestamp with time zone,timestamp with time zone,timestamp with time zone,timestamp with time zone,text,text) FROM PUBLIC;
GRANT EXECUTE ON ROUTINE pgperf.history_compare_json(timestamp with time zone,timestamp with time zone,timestamp with time zone,timestamp with time zone,text,text) TO pg_monitor;
REVOKE ALL ON ROUTINE pgperf.fleet_report(timestamp with time zone,timestamp with time zone,text) FROM PUBLIC;
GRANT EXECUTE ON ROUTINE pgperf.fleet_report(timestamp with time zone,timestamp with time zone,text) TO pg_monitor;
REVOKE ALL ON ROUTINE pgperf.fleet_html(timestamp with time zone,timestamp with time zone,text) FROM PUBLIC;
GRANT EXECUTE ON ROUTINE pgperf.fleet_html(timestamp with time zone,timestamp with time zone,text) TO pg_monitor;
GRANT SELECT ON TABLE pgperf_internal.stored_captures TO pg_monitor;
REVOKE ALL ON ROUTINE pgperf_internal.capture_alive(bigint) FROM PUBLIC;
GRANT EXECUTE ON ROUTINE pgperf_internal.capture_alive(bigint) TO pg_monitor;
REVOKE ALL ON ROUTINE pgperf.start_capture(text,interval,text[],text[],double precision,text,text) FROM PUBLIC;
REVOKE ALL ON ROUTINE pgperf.stop_capture() FROM PUBLIC;
REVOKE ALL ON ROUTINE pgperf.drop_capture(text) FROM PUBLIC;
REVOKE ALL ON ROUTINE pgperf.capture_report(text) FROM PUBLIC;
GRANT EXECUTE ON ROUTINE pgperf.capture_report(text) TO pg_monitor;
REVOKE ALL ON ROUTINE pgperf.export_capture(text) FROM PUBLIC;
REVOKE ALL ON ROUTINE pgperf.export_capture(text,text) FROM PUBLIC;
REVOKE ALL ON ROUTINE pgperf.import_capture(bytea,text) FROM PUBLIC;
REVOKE ALL ON ROUTINE pgperf.import_capture(text,text) FROM PUBLIC;
REVOKE ALL ON ROUTINE pgperf.test_statements(text,jsonb,jsonb,text,text,integer,integer,integer,boolean,interval) FROM PUBLIC;
GRANT SELECT ON TABLE pgperf.captures TO pg_monitor;
SELECT pg_catalog.pg_extension_config_dump('pgperf.run_servers', '');
SELECT pg_catalog.pg_extension_config_dump('pgperf.run_server_intervals', '');
SELECT pg_catalog.pg_extension_config_dump('pgperf.run_replays', '');
SELECT pg_catalog.pg_extension_config_dump('pgperf.run_replay_statements', '');
SELECT pg_catalog.pg_extension_config_dump('pgperf_internal.publications', '');
SELECT pg_catalog.pg_extension_config_dump('pgperf_internal.forgotten_runs', '');
SELECT pg_catalog.pg_extension_config_dump('pgperf_internal.sources', '');
SELECT pg_catalog.pg_extension_config_dump('pgperf.plan_texts', '');
SELECT pg_catalog.pg_extension_config_dump('pgperf_internal.sampled_targets', 'WHERE false');
SELECT pg_catalog.pg_extension_config_dump('pgperf.notes', '');
SELECT pg_catalog.pg_extension_config_dump('pgperf_internal.finding_rule_settings', '');
SELECT pg_catalog.pg_extension_config_dump('pgperf_internal.capture_id_seq', '');
SELECT pg_catalog.pg_extension_config_dump('pgperf_internal.stored_captures', 'WHERE false');

-- What default privileges have given on partitions that were made since, and on what came with the extension.
SELECT pgperf_internal.make_private(c.oid::regclass)
FROM pg_catalog.pg_class c
WHERE c.relnamespace = 'pgperf_internal'::regnamespace AND c.relispartition AND c.relkind IN ('r', 'p')
  AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_catalog.pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e');
SELECT pgperf_internal.withdraw_default_privileges();

-- What the server takes for privileges that come with the extension is not dumped: these are the user's own.
DO $$
DECLARE
    grants record;
    initial aclitem[];
BEGIN
    FOR grants IN
        SELECT p.oid, g.role, format(CASE WHEN g.is_revoked THEN 'REVOKE EXECUTE ON ROUTINE %s FROM %s' ELSE 'GRANT EXECUTE ON ROUTINE %s TO %s %s' END,
                                     p.oid::regprocedure, CASE g.role WHEN 0 THEN 'PUBLIC' ELSE g.role::regrole::text END,
                                     CASE WHEN g.grantable THEN 'WITH GRANT OPTION' END) AS command
        FROM (SELECT x.*, false FROM jsonb_to_recordset(current_setting('pgperf_update.granted')::jsonb) x (oid oid, name name, role oid, grantable boolean)
              UNION ALL
              SELECT x.*, NULL, true FROM jsonb_to_recordset(current_setting('pgperf_update.revoked')::jsonb) x (oid oid, name name, role oid)
             ) g (oid, name, role, grantable, is_revoked)
        JOIN pg_proc p ON p.proname = g.name AND p.pronamespace IN ('pgperf'::regnamespace, 'pgperf_internal'::regnamespace)
        WHERE NOT EXISTS (SELECT FROM pg_proc o WHERE o.oid = g.oid)
          AND NOT current_setting('pgperf_update.functions')::jsonb @> to_jsonb(p.oid)
    LOOP
        initial := (SELECT i.initprivs FROM pg_init_privs i WHERE i.classoid = 'pg_proc'::regclass AND i.objoid = grants.oid);
        EXECUTE grants.command;
        UPDATE pg_init_privs i SET initprivs = initial WHERE i.classoid = 'pg_proc'::regclass AND i.objoid = grants.oid AND initial IS NOT NULL;
        DELETE FROM pg_init_privs i WHERE i.classoid = 'pg_proc'::regclass AND i.objoid = grants.oid AND initial IS NULL;
        DELETE FROM pg_shdepend d WHERE d.dbid = (SELECT b.oid FROM pg_database b WHERE b.datname = current_database())
            AND d.classid = 'pg_proc'::regclass AND d.objid = grants.oid AND d.refobjid = grants.role AND d.deptype = 'i';
    END LOOP;
END
$$;
