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

DROP FUNCTION pgperf.metrics(uuid);
ALTER TABLE pgperf.samples ADD COLUMN home text;
ALTER TABLE pgperf.samples ADD COLUMN short_of_workers boolean;
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
CREATE OR REPLACE PROCEDURE pgperf.run(IN workload text DEFAULT NULL::text, IN clients integer DEFAULT 1, IN duration interval DEFAULT NULL::interval, IN transactions_per_client bigint DEFAULT NULL::bigint, IN script text DEFAULT NULL::text, IN scripts text[] DEFAULT NULL::text[], IN weights integer[] DEFAULT NULL::integer[], IN scale integer DEFAULT NULL::integer, IN query_mode text DEFAULT 'prepared'::text, IN result_mode text DEFAULT 'format'::text, IN rate pgperf.rate DEFAULT NULL::pgperf.rate, IN latency_limit interval DEFAULT NULL::interval, IN max_tries integer DEFAULT 1, IN continue_on_error boolean DEFAULT false, IN exit_on_abort boolean DEFAULT false, IN think_time interval DEFAULT NULL::interval, IN round_trip interval DEFAULT NULL::interval, IN reconnect bigint DEFAULT NULL::bigint, IN random_seed bigint DEFAULT NULL::bigint, IN variables jsonb DEFAULT NULL::jsonb, IN settings jsonb DEFAULT NULL::jsonb, IN vacuum text DEFAULT 'none'::text, IN before_sql text DEFAULT NULL::text, IN after_sql text DEFAULT NULL::text, IN warmup interval DEFAULT '00:00:00'::interval, IN warmup_workload text DEFAULT NULL::text, IN sample_interval interval DEFAULT '00:00:01'::interval, IN collectors text[] DEFAULT NULL::text[], IN transaction_log boolean DEFAULT false, IN sampling_rate double precision DEFAULT NULL::double precision, IN limits jsonb DEFAULT NULL::jsonb, IN schema text DEFAULT NULL::text, IN label text DEFAULT NULL::text, IN expect jsonb DEFAULT NULL::jsonb, IN resume boolean DEFAULT false, IN application_name text DEFAULT NULL::text, IN options jsonb DEFAULT NULL::jsonb, IN hit_curve boolean DEFAULT false, IN drain jsonb DEFAULT NULL::jsonb, IN drain_sql text DEFAULT NULL::text, IN drain_timeout interval DEFAULT NULL::interval, IN alternate jsonb DEFAULT NULL::jsonb, IN alternate_every interval DEFAULT NULL::interval, IN settle interval DEFAULT NULL::interval, IN disturbances jsonb DEFAULT NULL::jsonb, IN caches text DEFAULT NULL::text, IN plans boolean DEFAULT NULL::boolean, IN until_precise text DEFAULT NULL::text, INOUT run_id bigint DEFAULT NULL::bigint)
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
        until_precise => until_precise);
    CALL pgperf_internal.await_run(run_id, NULL, true, true);
    PERFORM pgperf_internal.print_report(run_id);
    PERFORM pgperf.require_expectations(run_id);
END
$procedure$;
CREATE OR REPLACE PROCEDURE pgperf.init(IN workload text DEFAULT 'tpcb-like'::text, IN scale double precision DEFAULT 1, IN steps text DEFAULT 'dtgvp'::text, IN fillfactor integer DEFAULT 100, IN foreign_keys boolean DEFAULT false, IN unlogged boolean DEFAULT false, IN tablespace text DEFAULT NULL::text, IN index_tablespace text DEFAULT NULL::text, IN partitions integer DEFAULT 0, IN partition_method text DEFAULT NULL::text, IN jobs integer DEFAULT NULL::integer, IN schema text DEFAULT NULL::text, IN replace boolean DEFAULT false, IN limits jsonb DEFAULT NULL::jsonb, IN label text DEFAULT NULL::text, IN options jsonb DEFAULT NULL::jsonb, INOUT run_id bigint DEFAULT NULL::bigint)
 LANGUAGE plpgsql
AS $procedure$
BEGIN
    CALL pgperf_internal.require_top_level('pgperf.init');
    run_id := pgperf.start_load(
        workload => workload, scale => scale, steps => steps, fillfactor => fillfactor, foreign_keys => foreign_keys,
        unlogged => unlogged, tablespace => tablespace, index_tablespace => index_tablespace, partitions => partitions,
        partition_method => partition_method, jobs => jobs, schema => schema, replace => replace, limits => limits,
        label => label, options => options);
    CALL pgperf_internal.await_run(run_id, NULL, true, true);
    PERFORM pgperf_internal.require_finished(run_id);
END
$procedure$;
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
          WHERE p.next_at IS NOT NULL OR p.node_id = (( SELECT n_1.node_id
                   FROM pgperf.nodes n_1
                  WHERE n_1.system_identifier = (( SELECT c.system_identifier
                           FROM pg_control_system() c(pg_control_version, catalog_version_no, system_identifier, pg_control_last_modified))) AND n_1.database_oid = (( SELECT d.oid
                           FROM pg_database d
                          WHERE d.datname = current_database()))
                  ORDER BY n_1.created_at DESC, n_1.node_id
                 LIMIT 1)) AND (EXISTS ( SELECT
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
CREATE FUNCTION pgperf.metrics(node_id uuid DEFAULT NULL::uuid, format text DEFAULT 'openmetrics'::text, findings boolean DEFAULT false)
 RETURNS text
 LANGUAGE c
 STABLE
AS 'MODULE_PATHNAME', $function$metrics_in_format_wrapper$function$;
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
COMMENT ON COLUMN pgperf.samples.home IS 'Of a visit of the continuous sampler: the database whose history has the figures of the server as a whole; NULL: this sample has them, if its collectors do';
COMMENT ON COLUMN pgperf.samples.short_of_workers IS 'True: since the sample before, a sampler of the server could not be started, because no worker slot was free';
COMMENT ON FUNCTION pgperf_internal.collector_visits() IS 'Whether visits of the continuous sampler take a collector; read pgperf.collectors';
COMMENT ON COLUMN pgperf.collectors.in_visits IS 'When the sampler takes it in a database that it visits: when due, with others that are due, or never, as what it reads is the server''s';
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
COMMENT ON FUNCTION pgperf.metrics(uuid,text,boolean) IS 'The newest samples of the history and the live runs as a text that Prometheus reads; nothing is measured for it. NULL: this node. format: openmetrics, or prometheus, the older text format. findings: with the number of findings of the last hour, which takes longer. docs/openmetrics.md lists the metrics';
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
REVOKE ALL ON ROUTINE pgperf.metrics(uuid,text,boolean) FROM PUBLIC;
GRANT EXECUTE ON ROUTINE pgperf.metrics(uuid,text,boolean) TO pg_monitor;
GRANT SELECT ON TABLE pgperf_internal.finding_rule_settings TO pg_monitor;
GRANT SELECT ON TABLE pgperf.finding_rules TO pg_monitor;
REVOKE ALL ON ROUTINE pgperf_internal.finding_rules_change() FROM PUBLIC;
SELECT pg_catalog.pg_extension_config_dump('pgperf_internal.finding_rule_settings', '');

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
