-- What 1.1 has that 1.0 had not. `tools/integration --test upgrade` tells what is missing here; docs/upgrading.md how to write it.

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

DROP FUNCTION pgperf.run_document(uuid,bigint,boolean);
DROP PROCEDURE pgperf.run(text,integer,interval,bigint,text,text[],integer[],integer,text,text,double precision,interval,integer,boolean,boolean,interval,interval,bigint,bigint,jsonb,jsonb,text,text,text,interval,text,interval,text[],boolean,double precision,jsonb,text,text,jsonb,bigint);
DROP FUNCTION pgperf.start_run(text,integer,interval,bigint,text,text[],integer[],integer,text,text,double precision,interval,integer,boolean,boolean,interval,interval,bigint,bigint,jsonb,jsonb,text,text,text,interval,text,interval,text[],boolean,double precision,jsonb,text,text,jsonb);
ALTER TABLE pgperf.stored_runs ADD COLUMN resumed_at timestamp with time zone;
ALTER TABLE pgperf.run_intervals ADD COLUMN checkpoint_began boolean;
CREATE TABLE pgperf.stored_segments (
    node_id uuid NOT NULL,
    run_id bigint NOT NULL,
    segment_no integer NOT NULL,
    started_at timestamp with time zone NOT NULL,
    first_interval_no integer NOT NULL,
    server_started_at timestamp with time zone NOT NULL,
    CONSTRAINT stored_segments_pkey PRIMARY KEY (node_id, run_id, segment_no),
    CONSTRAINT stored_segments_node_id_run_id_fkey FOREIGN KEY (node_id, run_id) REFERENCES pgperf.stored_runs(node_id, run_id) ON DELETE CASCADE
);
CREATE TABLE pgperf.resume_points (
    node_id uuid NOT NULL,
    run_id bigint NOT NULL,
    place text NOT NULL,
    tries integer NOT NULL DEFAULT 0,
    state jsonb,
    details jsonb,
    CONSTRAINT resume_points_pkey PRIMARY KEY (node_id, run_id),
    CONSTRAINT resume_points_node_id_run_id_fkey FOREIGN KEY (node_id, run_id) REFERENCES pgperf.stored_runs(node_id, run_id) ON DELETE CASCADE
);

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
    expect jsonb DEFAULT NULL,
    resume boolean DEFAULT false
) RETURNS bigint
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'start_run_wrapper';

CREATE FUNCTION pgperf.resume_run(run_id bigint DEFAULT NULL) RETURNS bigint
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'resume_run_wrapper';

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
    resume boolean DEFAULT false,
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
        sampling_rate, limits => limits, schema => schema, label => label, expect => expect, resume => resume);
    CALL pgperf.await_run(run_id, NULL, true, true);
    PERFORM pgperf.print_report(run_id);
    PERFORM pgperf.require_expectations(run_id);
END
$$;

CREATE FUNCTION pgperf.make_quickstart_schema() RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    owner oid := (SELECT n.nspowner FROM pg_namespace n WHERE n.nspname = 'pgperf_quickstart');
BEGIN
    IF owner IS NULL THEN
        CREATE SCHEMA pgperf_quickstart;
    ELSIF NOT EXISTS (SELECT FROM pg_roles r WHERE r.oid = owner AND (r.rolsuper OR r.rolname = CURRENT_USER)) THEN
        RAISE EXCEPTION 'schema "pgperf_quickstart" belongs to role "%"', pg_get_userbyid(owner)
            USING ERRCODE = 'insufficient_privilege',
                  HINT = 'Load and run in a schema of your own: CALL pgperf.init(schema => ''...''), then CALL pgperf.run(schema => ''...'').';
    END IF;
END
$$;

CREATE OR REPLACE PROCEDURE pgperf.quickstart(INOUT run_id bigint DEFAULT NULL) LANGUAGE plpgsql AS $$
BEGIN
    CALL pgperf.require_top_level('pgperf.quickstart');
    PERFORM pgperf.make_quickstart_schema();
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

CREATE OR REPLACE VIEW pgperf.buffer_counter_deltas AS
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
             NULLIF(GREATEST(EXTRACT(epoch FROM h.taken_at - pg_catalog.lag(h.taken_at) OVER w)::float8, 0), 0) AS seconds,
             s.epoch = pg_catalog.lag(s.epoch) OVER w AS same,
             h.databases_mark = pg_catalog.lag(h.databases_mark) OVER w AS same_databases
      FROM pgperf.buffer_counter_history h JOIN pgperf.samples s USING (node_id, sample_id, taken_at)
      WINDOW w AS (PARTITION BY h.node_id ORDER BY h.sample_id)) d;

CREATE OR REPLACE VIEW pgperf.wal_deltas AS
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
                   NULLIF(GREATEST(EXTRACT(epoch FROM h.taken_at - pg_catalog.lag(h.taken_at) OVER w)::float8, 0), 0) AS seconds,
                   s.epoch = pg_catalog.lag(s.epoch) OVER w AS same
            FROM pgperf.wal_history h JOIN pgperf.samples s USING (node_id, sample_id, taken_at)
            WINDOW w AS (PARTITION BY h.node_id ORDER BY h.sample_id)) d) x
LEFT JOIN LATERAL (SELECT 100 * sum(b.fpi_bytes)::float8 / NULLIF(sum(b.record_bytes + b.fpi_bytes), 0)::float8 AS fpi_percent
                   FROM pgperf.wal_rmgr_history b
                   WHERE b.node_id = x.node_id AND b.sample_id = x.sample_id AND b.taken_at = x.taken_at) r ON true;

CREATE OR REPLACE FUNCTION pgperf.create_delta_view(
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
    EXECUTE format('CREATE OR REPLACE VIEW pgperf.%I AS SELECT h.node_id, h.sample_id, h.taken_at, h.run_id%s, m.seconds%s%s%s
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

SELECT pgperf.create_delta_view('database_history', '{database_name}', '{size_bytes,numbackends}',
    lived_on => 's.epoch = ps.epoch AND h.databases_mark IS NOT DISTINCT FROM p.databases_mark');
SELECT pgperf.create_delta_view('checkpoint_history', '{}', '{}');
SELECT pgperf.create_delta_view('relation_history', '{relation_oid}',
    '{schema_name,relation_name,relation_kind,table_name,relations,left_out,size_bytes,relpages,reltuples,n_live_tup,n_dead_tup,n_mod_since_analyze,n_ins_since_vacuum}',
    sparse => true,
    lived_on => 's.epoch = ps.epoch AND (h.relation_oid <> 0 OR h.remaining_mark = p.relations_mark)',
    began => 'h.relation_oid > c.last_oid AND h.relation_kind <> ''index'' AND s.epoch = cs.epoch');
SELECT pgperf.create_delta_view('statement_history', '{queryid,userid,dbid,toplevel}',
    '{role_name,database_name,statements,left_out,dealloc}', sparse => true,
    lived_on => 'CASE WHEN h.queryid = 0 THEN h.dealloc = p.dealloc
                      WHEN h.stats_since IS NOT NULL THEN h.stats_since = p.stats_since
                      ELSE h.calls >= p.calls AND h.min_exec_time <= p.min_exec_time AND h.max_exec_time >= p.max_exec_time END',
    began => 'h.stats_since > c.taken_at');
SELECT pgperf.create_delta_view('io_history', '{backend_type,object,context}', '{op_bytes}',
    began => 's.epoch = cs.epoch');
SELECT pgperf.create_delta_view('host_history', '{}',
    '{cpus,load_1,load_5,load_15,processes_running,processes_blocked,memory_total_bytes,memory_free_bytes,memory_available_bytes,memory_cached_bytes,memory_dirty_bytes,memory_writeback_bytes,huge_pages_total,huge_pages_free,swap_total_bytes,swap_free_bytes,server_processes,server_private_bytes}',
    lived_on => 'h.boot_id = p.boot_id');
SELECT pgperf.create_delta_view('device_history', '{device}', '{holds,level,in_flight}', lived_on => 'h.boot_id = p.boot_id');
SELECT pgperf.create_delta_view('replication_history', '{kind,name}',
    '{sent_lag_bytes,write_lag_bytes,flush_lag_bytes,replay_lag_bytes,write_lag_ms,flush_lag_ms,replay_lag_ms,silent_ms,retained_bytes,safe_wal_size,xmin_age,catalog_xmin_age}',
    began => 'h.kind = ''slot'' AND s.epoch = cs.epoch');

CREATE OR REPLACE VIEW pgperf.runs AS
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
       a.repetition AS sweep_repetition,
       r.resumed_at,
       COALESCE((r.spec ->> 'resume')::boolean, false) AS resume
FROM pgperf.stored_runs r
LEFT JOIN pgperf.sweep_attempts a USING (node_id, run_id);

CREATE VIEW pgperf.run_segments AS
SELECT s.node_id,
       s.run_id,
       s.segment_no,
       s.started_at,
       i.ended_at,
       COALESCE(i.seconds, 0) AS seconds,
       COALESCE(i.transactions, 0) AS transactions,
       EXTRACT(epoch FROM s.started_at - COALESCE(b.ended_at, s.previous_started_at))::float8 AS gap_s,
       CASE WHEN s.next_interval_no IS NOT NULL THEN 'interrupted'
            WHEN r.status IN ('finished', 'stopped', 'failed', 'interrupted') THEN r.status
       END AS ended_by,
       CASE WHEN s.next_server_started_at > s.server_started_at THEN 'the server was started again'
            WHEN s.next_interval_no IS NOT NULL THEN 'the leader went away, or all processes after a crash'
            WHEN r.status <> 'finished' AND r.status IN ('stopped', 'failed', 'interrupted') THEN r.error
       END AS reason,
       s.first_interval_no,
       s.server_started_at
FROM (
    SELECT t.*, pg_catalog.lead(t.first_interval_no) OVER w AS next_interval_no,
           pg_catalog.lead(t.server_started_at) OVER w AS next_server_started_at,
           pg_catalog.lag(t.started_at) OVER w AS previous_started_at
    FROM pgperf.stored_segments t
    WINDOW w AS (PARTITION BY t.node_id, t.run_id ORDER BY t.segment_no)
) s
JOIN pgperf.runs r USING (node_id, run_id)
LEFT JOIN LATERAL (
    SELECT pg_catalog.max(n.started_at + n.seconds * '1 s'::interval) AS ended_at,
           pg_catalog.sum(n.seconds) AS seconds,
           pg_catalog.sum(n.transactions)::bigint AS transactions
    FROM pgperf.run_intervals n
    WHERE n.node_id = s.node_id AND n.run_id = s.run_id AND n.interval_no >= s.first_interval_no
      AND (n.interval_no < s.next_interval_no OR s.next_interval_no IS NULL)
) i ON true
LEFT JOIN LATERAL (
    -- The last interval of the segments before.
    SELECT n.started_at + n.seconds * '1 s'::interval AS ended_at
    FROM pgperf.run_intervals n
    WHERE n.node_id = s.node_id AND n.run_id = s.run_id AND s.segment_no > 0 AND n.interval_no = s.first_interval_no - 1
) b ON true;

CREATE FUNCTION pgperf.require_run(run_id bigint) RETURNS void
    LANGUAGE c STABLE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'require_run_wrapper';
COMMENT ON FUNCTION pgperf.require_run(bigint) IS 'Fails unless there is a run of that number';
REVOKE ALL ON FUNCTION pgperf.require_run(bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgperf.require_run(bigint) TO pg_monitor;

CREATE OR REPLACE FUNCTION pgperf.transaction_log(run_id bigint, failures_detailed boolean DEFAULT false) RETURNS SETOF text
    LANGUAGE sql STABLE
    BEGIN ATOMIC
    SELECT pgperf.require_run($1);
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

CREATE OR REPLACE FUNCTION pgperf.histogram_log(run_id bigint) RETURNS SETOF text
    LANGUAGE sql STABLE
    BEGIN ATOMIC
    SELECT pgperf.require_run($1);
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

CREATE OR REPLACE VIEW pgperf.progress AS
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
    LEFT JOIN LATERAL (
        SELECT s.started_at, s.first_interval_no FROM pgperf.stored_segments s
        WHERE s.node_id = r.node_id AND s.run_id = r.run_id
        ORDER BY s.segment_no DESC
        LIMIT 1
    ) g ON r.resumed_at IS NOT NULL
    CROSS JOIN LATERAL (
        -- Of a resumed run, seconds_here are those of this segment.
        SELECT pg_catalog.sum(i.transactions)::bigint AS transactions,
               pg_catalog.sum(i.transactions + i.failed + i.skipped)::float8 AS attempts,
               COALESCE(pg_catalog.sum(i.seconds), 0) AS seconds,
               COALESCE(pg_catalog.sum(i.seconds) FILTER (WHERE i.interval_no >= COALESCE(g.first_interval_no, 0)), 0) AS seconds_here
        FROM pgperf.run_intervals i
        WHERE i.node_id = r.node_id AND i.run_id = r.run_id
    ) s
    -- What the intervals have measured; the wall clock, which may be set, tells but what came since.
    CROSS JOIN LATERAL (
        SELECT CASE WHEN r.measured_at IS NOT NULL THEN s.seconds + CASE WHEN g.started_at < r.resumed_at THEN 0 ELSE
                    LEAST(GREATEST(EXTRACT(epoch FROM pg_catalog.clock_timestamp() - COALESCE(g.started_at, r.measured_at))::float8
                                   - s.seconds_here, 0),
                          (r.spec ->> 'sample_interval_s')::float8 + 2) END END AS elapsed_s,
               (r.spec ->> 'duration_s')::float8 AS duration_s,
               r.clients * (r.spec ->> 'transactions_per_client')::float8 AS wanted
    ) c
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

CREATE OR REPLACE FUNCTION pgperf.kept_condition(history text, object text[], source text, level text, starts_at timestamptz, ends_at timestamptz)
RETURNS text LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    condition text := '(h.node_id, h.run_id) IN (SELECT k.node_id, k.run_id FROM pgperf.kept_runs k)';
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

CREATE OR REPLACE VIEW pgperf.history_size AS
SELECT s.table_name, s.level, count(*) AS partitions, sum(s.bytes)::bigint AS bytes,
       sum(NULLIF(s.reltuples, -1))::bigint AS rows,
       min(s.starts_at) FILTER (WHERE s.filled) AS oldest_at,
       max(LEAST(s.ends_at, pg_catalog.clock_timestamp())) FILTER (WHERE s.filled) AS newest_at,
       sum(s.bytes) FILTER (WHERE s.filled)::float8 * 86400
           / NULLIF(EXTRACT(epoch FROM sum(GREATEST(LEAST(s.ends_at, pg_catalog.clock_timestamp()) - s.starts_at, '0'::interval))
                                       FILTER (WHERE s.filled))::float8, 0) AS bytes_per_day
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

CREATE OR REPLACE VIEW pgperf.run_tables AS
SELECT c.relname::text AS table_name,
       'run' AS kind,
       't.node_id = $1 AND t.run_id = $2' AS of_run,
       NULL::text[] AS object
FROM pg_catalog.pg_constraint f
JOIN pg_catalog.pg_class c ON c.oid = f.conrelid
WHERE f.contype = 'f' AND f.confrelid = 'pgperf.stored_runs'::regclass AND f.confdeltype = 'c'
  -- These are about what goes on here.
  AND c.relname <> ALL ('{pinned_runs,resume_points,baselines}')
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

CREATE FUNCTION pgperf.run_document(node_id uuid, run_id bigint, transactions boolean, samples boolean) RETURNS jsonb
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
            CONTINUE WHEN t.table_name = 'run_transactions' AND NOT transactions OR t.kind <> 'run' AND NOT samples;
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

CREATE VIEW pgperf.kept_runs AS
SELECT p.node_id, p.run_id FROM pgperf.pinned_runs p
UNION
SELECT b.node_id, b.run_id FROM pgperf.baselines b;

CREATE OR REPLACE FUNCTION pgperf.due_runs(OUT node_id uuid, OUT run_id bigint) RETURNS SETOF record
LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT r.node_id, r.run_id
    FROM pgperf.runs r
    CROSS JOIN (SELECT NULLIF(pg_catalog.current_setting('pgperf.run_retention', true), '0')::interval AS retention) g
    WHERE r.status IN ('finished', 'stopped', 'failed', 'interrupted') AND r.origin_node_id IS NULL
      AND COALESCE(r.ended_at, r.measured_at, r.started_at, r.requested_at) < pg_catalog.clock_timestamp() - g.retention
      AND NOT EXISTS (SELECT FROM pgperf.kept_runs k WHERE k.node_id = r.node_id AND k.run_id = r.run_id)
    ORDER BY r.requested_at, r.node_id, r.run_id;
END;
CREATE OR REPLACE FUNCTION pgperf.store_document(document jsonb, label text, role text) RETURNS bigint
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
    stored_label text;
    insertion text;
    endless text;
    unknown text;
BEGIN
    IF jsonb_typeof(document) <> 'object' OR document ->> 'format' IS DISTINCT FROM 'pgperf-run' THEN
        RAISE EXCEPTION 'this is not a run that pgperf.export_run has written'
            USING ERRCODE = 'invalid_parameter_value', HINT = 'SELECT pgperf.export_run(run_id) on the server that the run is stored on makes one.';
    ELSIF document -> 'version' IS DISTINCT FROM '1' THEN
        RAISE EXCEPTION 'the document has version %, this pgperf reads version 1', COALESCE((document -> 'version')::text, 'none')
            USING ERRCODE = 'feature_not_supported', HINT = 'It was written by a newer pgperf: update this one.';
    END IF;
    BEGIN
        node := run ->> 'node_id';
        number := run ->> 'run_id';
        IF node IS NULL OR number IS NULL OR jsonb_typeof(run -> 'spec') IS DISTINCT FROM 'object'
           OR number < 1 OR jsonb_typeof(document -> 'contents') IS DISTINCT FROM 'object'
           OR document -> 'node' ->> 'node_id' IS DISTINCT FROM node::text THEN
            RAISE EXCEPTION USING ERRCODE = 'data_exception', MESSAGE = 'it does not say what run it is';
        END IF;
        SELECT min(k.name) INTO unknown FROM jsonb_object_keys(document -> 'tables') k (name) WHERE NOT document -> 'contents' ? k.name;
        IF unknown IS NOT NULL THEN
            RAISE EXCEPTION USING ERRCODE = 'data_exception', MESSAGE = format('its contents lack %s', unknown);
        END IF;
        SELECT s.run_id, s.label INTO run_id, stored_label FROM pgperf.stored_runs s
        WHERE s.origin_node_id = node AND s.origin_run_id = number
           OR s.node_id = node AND s.run_id = number AND s.origin_node_id IS NULL;
        IF FOUND THEN
            IF label IS DISTINCT FROM stored_label AND label IS NOT NULL THEN
                RAISE NOTICE 'run % is here already and keeps its label', run_id;
            END IF;
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
            IF jsonb_typeof(rows) IS DISTINCT FROM 'array' OR jsonb_typeof(part -> 'columns') IS DISTINCT FROM 'array' THEN
                RAISE EXCEPTION USING ERRCODE = 'data_exception', MESSAGE = format('%s is missing', t.table_name);
            END IF;
            SELECT min(d.name) INTO unknown FROM jsonb_array_elements_text(part -> 'columns') d (name)
            GROUP BY d.name HAVING count(*) > 1 LIMIT 1;
            IF unknown IS NOT NULL THEN
                RAISE EXCEPTION USING ERRCODE = 'data_exception', MESSAGE = format('%s has its column %s twice', t.table_name, unknown);
            END IF;
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
            -- Nothing that is measured is endless or not a number: no report could reckon with it.
            SELECT string_agg(format(CASE WHEN a.atttypid = 'float8'::regtype THEN 't.%I IN (''NaN'', ''Infinity'', ''-Infinity'')'
                                          ELSE 'NOT isfinite(t.%I)' END, a.attname), ' OR ') INTO endless
            FROM pg_attribute a
            WHERE a.attrelid = format('pgperf.%I', t.table_name)::regclass AND a.attnum > 0 AND NOT a.attisdropped
              AND a.atttypid IN ('float8'::regtype, 'timestamptz'::regtype);
            IF t.kind = 'run' AND endless IS NOT NULL THEN
                EXECUTE format('SELECT count(*) FROM pgperf.%I t WHERE t.node_id = $1 AND t.run_id = $2 AND (%s)', t.table_name, endless)
                    INTO stored USING node, run_id;
                IF stored > 0 THEN
                    RAISE EXCEPTION USING ERRCODE = 'data_exception', MESSAGE = format('%s has a value that nothing can have', t.table_name);
                END IF;
            END IF;
            IF EXISTS (SELECT FROM pgperf.document_columns(t.table_name) c WHERE c.name = 'histogram') THEN
                EXECUTE format('SELECT count(pgperf.histogram_count(t.histogram)) FROM pgperf.%I t WHERE t.node_id = $1 AND t.run_id = $2', t.table_name)
                    INTO stored USING node, run_id;
            END IF;
        END LOOP;
        IF EXISTS (SELECT FROM pgperf.run_intervals i WHERE i.node_id = node AND i.run_id = run_id AND (i.seconds < 0 OR i.transactions < 0))
           OR EXISTS (SELECT FROM pgperf.run_totals c WHERE c.node_id = node AND c.run_id = run_id AND (c.seconds < 0 OR c.transactions < 0)) THEN
            RAISE EXCEPTION USING ERRCODE = 'data_exception', MESSAGE = 'it lasted less than no time, or did less than nothing';
        END IF;
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
CREATE OR REPLACE VIEW pgperf.sampler_gaps AS
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
                           -- One that a crash broke off has no outcomes.
                           AND s.outcomes <> '{}'
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
CREATE OR REPLACE VIEW pgperf.run_checkpoint_cycle AS
SELECT p.node_id,
       p.run_id,
       p.tenth,
       pg_catalog.count(DISTINCT p.cycle) AS cycles,
       pg_catalog.count(*) AS intervals,
       pg_catalog.sum(p.seconds) AS seconds,
       pg_catalog.sum(p.transactions) / NULLIF(pg_catalog.sum(p.seconds), 0) AS tps,
       pg_catalog.sum(p.transactions * p.latency_avg_ms) / NULLIF(pg_catalog.sum(p.transactions), 0)::float8 AS latency_avg_ms,
       pgperf.histogram_quantile(pgperf.histogram_merge(p.histogram), 0.99) AS latency_p99_ms,
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
                SELECT i.node_id, i.run_id, i.interval_no, i.seconds, i.transactions, i.latency_avg_ms, i.histogram,
                       i.wal_bytes, i.in_checkpoint,
                       -- Runs of 1.0 know only whether one was being written.
                       COALESCE(i.checkpoint_began, i.in_checkpoint
                           AND pg_catalog.lag(i.in_checkpoint) OVER (PARTITION BY i.node_id, i.run_id ORDER BY i.interval_no)
                           IS FALSE) AS begins
                FROM pgperf.run_intervals i
            ) b
        ) n
        WINDOW cycle AS (PARTITION BY n.node_id, n.run_id, n.cycle)
    ) c
    WHERE c.cycle > 0 AND c.cycle < c.last_cycle
) p
GROUP BY p.node_id, p.run_id, p.tenth;
COMMENT ON COLUMN pgperf.run_checkpoint_cycle.latency_p99_ms IS 'Of the intervals'' histograms together';
COMMENT ON FUNCTION pgperf.require_expectations(bigint) IS 'Raises an error (SQLSTATE P0004) if a run (NULL: the newest) does not meet what its argument expect says; of a run without expect, the error that it failed with; called by CALL pgperf.run';
CREATE OR REPLACE VIEW pgperf.sweep_points AS
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
       CASE WHEN m.ci_low < 0 THEN 0 ELSE m.ci_low END AS tps_ci_low,
       m.ci_high AS tps_ci_high,
       r.tps_values,
       r.run_ids,
       r.latency_avg_ms,
       q.ms[1] AS latency_p50_ms,
       q.ms[2] AS latency_p95_ms,
       q.ms[3] AS latency_p99_ms,
       q.ms[4] AS latency_p999_ms,
       r.failed_transactions,
       r.failed_runs,
       r.error
FROM pgperf.stored_sweep_points p
LEFT JOIN (
    SELECT u.node_id, u.sweep_id, u.point_no,
           pg_catalog.array_agg(u.tps ORDER BY u.repetition) FILTER (WHERE u.status = 'finished') AS tps_values,
           pg_catalog.array_agg(u.run_id ORDER BY u.repetition) FILTER (WHERE u.status = 'finished') AS run_ids,
           pg_catalog.avg(u.latency_avg_ms) FILTER (WHERE u.status = 'finished') AS latency_avg_ms,
           pgperf.histogram_merge(t.histogram) FILTER (WHERE u.status = 'finished') AS histogram,
           pg_catalog.max(u.latency_max_ms) FILTER (WHERE u.status = 'finished') AS latency_max_ms,
           (pg_catalog.sum(u.failed) FILTER (WHERE u.status = 'finished'))::bigint AS failed_transactions,
           -- A run that was stopped with its sweep has not failed; stopped by itself, it is one that the sweep could not do.
           pg_catalog.count(*) FILTER (WHERE u.status IN ('failed', 'interrupted')
               OR u.status = 'stopped' AND s.stored_status = 'failed')::integer AS failed_runs,
           pg_catalog.max(u.error) AS error
    FROM pgperf.sweep_runs u
    JOIN pgperf.stored_sweeps s USING (node_id, sweep_id)
    LEFT JOIN pgperf.run_totals t ON t.node_id = u.node_id AND t.run_id = u.run_id
    GROUP BY u.node_id, u.sweep_id, u.point_no
) r USING (node_id, sweep_id, point_no)
CROSS JOIN LATERAL pgperf.mean_interval(COALESCE(r.tps_values, '{}')) m
CROSS JOIN LATERAL (
    -- A quantile is the top of its counter, which can lie above the true maximum.
    SELECT pg_catalog.array_agg(CASE WHEN h.ms > r.latency_max_ms THEN r.latency_max_ms ELSE h.ms END ORDER BY h.n) AS ms
    FROM pg_catalog.unnest(pgperf.histogram_quantile(r.histogram, '{0.5, 0.95, 0.99, 0.999}'::float8[])) WITH ORDINALITY AS h (ms, n)
) q;

-- Among the untested numbers of clients those of which no run has finished.
CREATE OR REPLACE VIEW pgperf.sweep_peak AS
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
       -- Among them those of which no run has finished.
       (SELECT pg_catalog.array_agg(p.clients ORDER BY p.clients)
        FROM pgperf.stored_sweep_points p
        LEFT JOIN tested t USING (node_id, sweep_id, combination, clients)
        WHERE p.node_id = b.node_id AND p.sweep_id = b.sweep_id AND p.combination = b.combination AND p.point_no <> b.point_no
          AND t.p_value IS NULL) AS untested_clients
FROM ranked b
WHERE b.place = 1;

COMMENT ON VIEW pgperf.sweep_points IS
    'One row for each point of a sweep''s grid: the mean tps of its finished runs with its 95 % interval by Student''s t, all values, the mean of these runs'' average latencies, and the percentiles of all their latencies together';
COMMENT ON COLUMN pgperf.sweep_points.tps_ci_low IS 'Not below 0; NULL: from one run no error can be told';
COMMENT ON COLUMN pgperf.sweep_points.failed_runs IS 'Runs whose last attempt failed or was interrupted; not those that were stopped with their sweep';
COMMENT ON SEQUENCE pgperf.run_id_seq IS 'Numbers the runs and loads of this database';
COMMENT ON COLUMN pgperf.comparison.p_adjusted IS 'Corrected for the number of metrics tested; the change is significant below 0.05, or what method says';
COMMENT ON COLUMN pgperf.run_intervals.checkpoint_began IS 'Whether a checkpoint began in it; NULL: not known';
COMMENT ON COLUMN pgperf.stored_runs.measured_at IS 'When the measured part began; of a resumed run, that of its first segment';
COMMENT ON COLUMN pgperf.stored_runs.resumed_at IS 'When it was last resumed; NULL: never';
COMMENT ON TABLE pgperf.stored_segments IS 'The segments of each run with resume => true, as stored; read pgperf.run_segments';
COMMENT ON TABLE pgperf.resume_points IS 'One row for each run with resume => true that has not ended: what it has come to, for its next segment';
COMMENT ON COLUMN pgperf.resume_points.details IS 'Sums of scripts, commands and errors, stored every ten seconds';
COMMENT ON COLUMN pgperf.resume_points.place IS 'Host, data directory and timeline of the server that it ran on: elsewhere it does not go on by itself';
COMMENT ON COLUMN pgperf.resume_points.state IS 'Sums over all intervals so far; NULL: the measured part has not begun';
COMMENT ON COLUMN pgperf.resume_points.tries IS 'How often the server has resumed it since an interval was last stored';
COMMENT ON SEQUENCE pgperf.sweep_id_seq IS 'Numbers the sweeps of this database';
COMMENT ON FUNCTION pgperf.start_run(text,integer,interval,bigint,text,text[],integer[],integer,text,text,double precision,interval,integer,boolean,boolean,interval,interval,bigint,bigint,jsonb,jsonb,text,text,text,interval,text,interval,text[],boolean,double precision,jsonb,text,text,jsonb,boolean) IS 'Starts a run when the transaction commits, and returns its run_id. workload: a built-in one (default tpcb-like), a stored one, or a mix such as ''tpcb-like@1, select-only@9''; script, or scripts with weights: pgbench script text in its place; duration or transactions_per_client (neither: 60 s); query_mode: simple, extended, prepared; result_mode: format, discard; rate: transactions per second; settings: session settings of the clients; limits: what stops the run, wal, free_disk (default 5%, at most 10 GB), xid_age (default 1500000000), replication_lag, errors; schema: where the tables are; expect: what the run is to reach, such as ''{"latency_p99_ms": "<= 5", "failed": "= 0"}'', an error of CALL pgperf.run otherwise; resume: goes on after a crash or restart of the server, see resume_run';
COMMENT ON FUNCTION pgperf.gate(bigint,bigint,text,text[]) IS 'Raises an error (SQLSTATE P0004) if the candidate is significantly worse than the baseline by more than max_regression in one of the metrics (default: tps, latency average, p95 and p99, failed_percent), or cannot be compared; returns what was seen';
ALTER FUNCTION pgperf.set_baseline(text,bigint[]) CALLED ON NULL INPUT;
ALTER FUNCTION pgperf.set_baseline(text,bigint) CALLED ON NULL INPUT;
ALTER FUNCTION pgperf.set_baseline(text,text[]) CALLED ON NULL INPUT;
COMMENT ON FUNCTION pgperf.delete_run(bigint) IS 'Removes a run that has ended and is in no baseline, with all its rows and samples; false if there is none of that run_id';
COMMENT ON FUNCTION pgperf.stop_run(bigint) IS 'Stops a run (NULL: the newest): clients finish their transaction, the last interval is stored. Called again, their statements are cancelled. An interrupted run that is to be resumed ends for good. False if there was nothing to stop';
COMMENT ON FUNCTION pgperf.resume_run(bigint) IS 'Goes on with an interrupted run (NULL: the newest) that was started with resume => true, when the transaction commits: a further segment does what is left of its duration or transactions. Returns its run_id';
COMMENT ON PROCEDURE pgperf.run(text,integer,interval,bigint,text,text[],integer[],integer,text,text,double precision,interval,integer,boolean,boolean,interval,interval,bigint,bigint,jsonb,jsonb,text,text,text,interval,text,interval,text[],boolean,double precision,jsonb,text,text,jsonb,boolean,bigint) IS 'Starts a run, waits for its end with a line of progress for each interval, and prints its report; Ctrl-C stops the run. Arguments as start_run';
COMMENT ON FUNCTION pgperf.make_quickstart_schema() IS 'Makes the schema of CALL pgperf.quickstart; fails if another role has';
COMMENT ON COLUMN pgperf.run_settings.setting IS 'As in pg_settings, in unit; passwords in connection strings are left out. NULL: the run''s role may not see it';
COMMENT ON TABLE pgperf.pinned_runs IS 'The runs that are kept with their samples whatever the retention; pgperf.pin_run writes it';
COMMENT ON COLUMN pgperf.buffer_usage_history.relation_name IS 'NULL: of another database, dropped, not committed yet, or of one with few buffers: less than a 65,536th of shared_buffers, or not among the 2,000 files with the most';
COMMENT ON COLUMN pgperf.buffer_counter_deltas.seconds IS 'Since the sample before; NULL: the clock was set back meanwhile';
COMMENT ON COLUMN pgperf.wal_deltas.seconds IS 'Since the sample before; NULL: the clock was set back meanwhile';
COMMENT ON COLUMN pgperf.runs.measured_at IS 'When the measured part began; of a resumed run, that of its first segment';
COMMENT ON COLUMN pgperf.runs.resume IS 'Whether it goes on after an interruption';
COMMENT ON COLUMN pgperf.runs.resumed_at IS 'When it was last resumed; NULL: never. pgperf.run_segments has its segments';
COMMENT ON VIEW pgperf.run_segments IS 'One row for each segment of a run with resume => true: a run is interrupted between two of them, and its figures are the sums over all';
COMMENT ON COLUMN pgperf.run_segments.ended_at IS 'The end of its last stored interval: what came after that is not counted';
COMMENT ON COLUMN pgperf.run_segments.ended_by IS 'finished, stopped, failed, interrupted; NULL: it goes on';
COMMENT ON COLUMN pgperf.run_segments.first_interval_no IS 'Where it begins in pgperf.run_intervals, which count over all segments';
COMMENT ON COLUMN pgperf.run_segments.gap_s IS 'Seconds since the last stored interval of the segment before; NULL: the first segment';
COMMENT ON COLUMN pgperf.run_segments.started_at IS 'When its measured part began, after connecting and a warm-up';
COMMENT ON FUNCTION pgperf.maintain(integer,interval) IS 'Makes the history''s partitions of the next days, and of those whose retention is over keeps one sample of each hour, then of each day, and those of pinned runs and baselines; deletes runs that ended longer ago than pgperf.run_retention unless they are pinned or in a baseline, and texts of statements that no row refers to any more. One row for each thing done: created, moved (rows that came before their partition), rolled up (rows: what was kept; bytes: what was freed), dropped, deleted; left: to be done by the next call, for the reason in note (a lock is not waited for longer than 100 ms)';
COMMENT ON FUNCTION pgperf.run_document(uuid,bigint,boolean,boolean) IS 'A run as a document, whoever asks; for pgperf.export_run, which checks that';
COMMENT ON FUNCTION pgperf.export_run(bigint,boolean) IS 'A run that has ended (NULL: the newest) with everything that belongs to it, for pgperf.import_run on any server; transactions: with its transaction log. For members of pg_monitor, and without its samples for the run''s role';
COMMENT ON VIEW pgperf.kept_runs IS 'The runs that pgperf.maintain() leaves whole, with all samples: pinned ones and those of named baselines';
COMMENT ON FUNCTION pgperf.due_runs() IS 'The runs that ended longer ago than pgperf.run_retention and are neither pinned nor in a baseline, oldest first; for pgperf.maintain()';
GRANT SELECT ON TABLE pgperf.stored_segments TO pg_monitor;
GRANT SELECT ON TABLE pgperf.resume_points TO pg_monitor;
REVOKE ALL ON ROUTINE pgperf.leader_alive(text,bigint) FROM PUBLIC;
GRANT EXECUTE ON ROUTINE pgperf.leader_alive(text,bigint) TO pg_monitor;
REVOKE ALL ON ROUTINE pgperf.start_run(text,integer,interval,bigint,text,text[],integer[],integer,text,text,double precision,interval,integer,boolean,boolean,interval,interval,bigint,bigint,jsonb,jsonb,text,text,text,interval,text,interval,text[],boolean,double precision,jsonb,text,text,jsonb,boolean) FROM PUBLIC;
REVOKE ALL ON ROUTINE pgperf.resume_run(bigint) FROM PUBLIC;
REVOKE ALL ON ROUTINE pgperf.run(text,integer,interval,bigint,text,text[],integer[],integer,text,text,double precision,interval,integer,boolean,boolean,interval,interval,bigint,bigint,jsonb,jsonb,text,text,text,interval,text,interval,text[],boolean,double precision,jsonb,text,text,jsonb,boolean,bigint) FROM PUBLIC;
REVOKE ALL ON ROUTINE pgperf.collectors_update() FROM PUBLIC;
GRANT SELECT ON TABLE pgperf.run_segments TO pg_monitor;
REVOKE ALL ON ROUTINE pgperf.sweep_alive(text,bigint) FROM PUBLIC;
GRANT EXECUTE ON ROUTINE pgperf.sweep_alive(text,bigint) TO pg_monitor;
REVOKE ALL ON ROUTINE pgperf.run_document(uuid,bigint,boolean,boolean) FROM PUBLIC;
GRANT SELECT ON TABLE pgperf.kept_runs TO pg_monitor;
SELECT pg_catalog.pg_extension_config_dump('pgperf.stored_segments', '');
SELECT pg_catalog.pg_extension_config_dump('pgperf.resume_points', '');

-- What the server takes for privileges that come with the extension is not dumped: these are the user's own.
DO $$
DECLARE
    grants record;
    initial aclitem[];
BEGIN
    FOR grants IN
        SELECT p.oid, p.oid::regprocedure AS function, g.role, g.grantable
        FROM jsonb_to_recordset(current_setting('pgperf_update.granted')::jsonb) g (oid oid, name name, role oid, grantable boolean)
        JOIN pg_proc p ON p.proname = g.name AND p.pronamespace = 'pgperf'::regnamespace
        WHERE NOT EXISTS (SELECT FROM pg_proc o WHERE o.oid = g.oid)
          AND NOT current_setting('pgperf_update.functions')::jsonb @> to_jsonb(p.oid)
    LOOP
        initial := (SELECT i.initprivs FROM pg_init_privs i WHERE i.classoid = 'pg_proc'::regclass AND i.objoid = grants.oid);
        EXECUTE format('GRANT EXECUTE ON ROUTINE %s TO %s %s', grants.function,
                       CASE grants.role WHEN 0 THEN 'PUBLIC' ELSE grants.role::regrole::text END,
                       CASE WHEN grants.grantable THEN 'WITH GRANT OPTION' END);
        UPDATE pg_init_privs i SET initprivs = initial WHERE i.classoid = 'pg_proc'::regclass AND i.objoid = grants.oid AND initial IS NOT NULL;
        DELETE FROM pg_init_privs i WHERE i.classoid = 'pg_proc'::regclass AND i.objoid = grants.oid AND initial IS NULL;
        DELETE FROM pg_shdepend d WHERE d.dbid = (SELECT b.oid FROM pg_database b WHERE b.datname = current_database())
            AND d.classid = 'pg_proc'::regclass AND d.objid = grants.oid AND d.refobjid = grants.role AND d.deptype = 'i';
    END LOOP;
END
$$;
