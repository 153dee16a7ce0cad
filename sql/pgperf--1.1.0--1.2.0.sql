-- What 1.2 has that 1.1 had not. `tools/integration upgrade::fresh_and_updated::` lists what is missing here; docs/upgrading.md says how to write it.

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

-- A run stores its end in tables that move below, and its leader has the library of before. So it ends first, as after
-- pg_cancel_backend: stopped, with all that it has measured. A sweep's worker goes before it and starts no other run;
-- pgperf.resume_sweep goes on with it.
DO $$
DECLARE
    deadline timestamptz := clock_timestamp() + interval '30 s';
    told integer[] := '{}';
    worker record;
BEGIN
    LOOP
        BEGIN
            -- Kept once nothing runs: nobody starts a run until this has committed.
            LOCK TABLE pgperf.stored_runs IN SHARE ROW EXCLUSIVE MODE;
            PERFORM pg_stat_clear_snapshot();
            SELECT a.pid, a.backend_type INTO worker FROM pg_stat_activity a
            WHERE a.datname = current_database() AND a.backend_type IN ('pgperf sweep', 'pgperf leader')
            ORDER BY a.backend_type DESC, a.pid = ANY (told) LIMIT 1;
            EXIT WHEN NOT FOUND;
            RAISE object_in_use;
        EXCEPTION WHEN object_in_use THEN
            IF clock_timestamp() > deadline THEN
                RAISE EXCEPTION 'the extension cannot be updated while process % (%) is at work', worker.pid, worker.backend_type
                    USING ERRCODE = 'object_in_use', HINT = format('Stop it first: SELECT pg_cancel_backend(%s)', worker.pid);
            END IF;
        END;
        IF worker.pid <> ALL (told) THEN
            told := told || worker.pid;
            PERFORM CASE worker.backend_type WHEN 'pgperf sweep' THEN pg_terminate_backend(worker.pid) ELSE pg_cancel_backend(worker.pid) END;
        END IF;
        PERFORM pg_sleep(0.05);
    END LOOP;
END
$$;

-- What is not meant to be called or read gets a schema of its own: rows, privileges and what pg_dump takes stay as they are.
DROP FUNCTION pgperf.make_partitions(integer,text);
DROP FUNCTION pgperf.add_history(text,text,text[],text[],text,boolean);
DROP FUNCTION pgperf.document_columns(text);
CREATE SCHEMA pgperf_internal;
COMMENT ON SCHEMA pgperf_internal IS 'Internal parts of pgperf, not meant to be used: they may change with any release';
GRANT USAGE ON SCHEMA pgperf_internal TO PUBLIC;
ALTER TABLE pgperf.stored_runs SET SCHEMA pgperf_internal;
ALTER TABLE pgperf.stored_segments SET SCHEMA pgperf_internal;
ALTER TABLE pgperf.resume_points SET SCHEMA pgperf_internal;
ALTER TABLE pgperf.stored_workloads SET SCHEMA pgperf_internal;
ALTER TABLE pgperf.stored_sweeps SET SCHEMA pgperf_internal;
ALTER TABLE pgperf.stored_sweep_points SET SCHEMA pgperf_internal;
ALTER TABLE pgperf.sweep_attempts SET SCHEMA pgperf_internal;
ALTER VIEW pgperf.sweep_plan SET SCHEMA pgperf_internal;
ALTER TABLE pgperf.run_totals SET SCHEMA pgperf_internal;
ALTER TABLE pgperf.collector_settings SET SCHEMA pgperf_internal;
ALTER TABLE pgperf.history_tables SET SCHEMA pgperf_internal;
ALTER TABLE pgperf.pinned_runs SET SCHEMA pgperf_internal;
ALTER TABLE pgperf.bloat_cursor SET SCHEMA pgperf_internal;
ALTER SEQUENCE pgperf.run_id_seq SET SCHEMA pgperf_internal;
ALTER SEQUENCE pgperf.sweep_id_seq SET SCHEMA pgperf_internal;
ALTER SEQUENCE pgperf.sample_id_seq SET SCHEMA pgperf_internal;
ALTER ROUTINE pgperf.await_run SET SCHEMA pgperf_internal;
ALTER ROUTINE pgperf.await_sweep SET SCHEMA pgperf_internal;
ALTER ROUTINE pgperf.builtin_workloads SET SCHEMA pgperf_internal;
ALTER ROUTINE pgperf.collect_sample SET SCHEMA pgperf_internal;
ALTER ROUTINE pgperf.collector_definitions SET SCHEMA pgperf_internal;
ALTER ROUTINE pgperf.collectors_update SET SCHEMA pgperf_internal;
ALTER ROUTINE pgperf.compare_lines SET SCHEMA pgperf_internal;
ALTER ROUTINE pgperf.compare_page SET SCHEMA pgperf_internal;
ALTER ROUTINE pgperf.compare_runs SET SCHEMA pgperf_internal;
ALTER ROUTINE pgperf.copy_kept SET SCHEMA pgperf_internal;
ALTER ROUTINE pgperf.create_delta_view SET SCHEMA pgperf_internal;
ALTER ROUTINE pgperf.due_partitions SET SCHEMA pgperf_internal;
ALTER ROUTINE pgperf.due_runs SET SCHEMA pgperf_internal;
ALTER ROUTINE pgperf.forget_runs SET SCHEMA pgperf_internal;
ALTER ROUTINE pgperf.gate_runs SET SCHEMA pgperf_internal;
ALTER ROUTINE pgperf.histogram_merge_add SET SCHEMA pgperf_internal;
ALTER ROUTINE pgperf.histogram_merge_combine SET SCHEMA pgperf_internal;
ALTER ROUTINE pgperf.histogram_merge_decode SET SCHEMA pgperf_internal;
ALTER ROUTINE pgperf.histogram_merge_encode SET SCHEMA pgperf_internal;
ALTER ROUTINE pgperf.kept_condition SET SCHEMA pgperf_internal;
ALTER ROUTINE pgperf.leader_alive SET SCHEMA pgperf_internal;
ALTER ROUTINE pgperf.make_partition SET SCHEMA pgperf_internal;
ALTER ROUTINE pgperf.make_quickstart_schema SET SCHEMA pgperf_internal;
ALTER ROUTINE pgperf.print_report SET SCHEMA pgperf_internal;
ALTER ROUTINE pgperf.remove_run SET SCHEMA pgperf_internal;
ALTER ROUTINE pgperf.replace_partition SET SCHEMA pgperf_internal;
ALTER ROUTINE pgperf.require_finished SET SCHEMA pgperf_internal;
ALTER ROUTINE pgperf.require_run SET SCHEMA pgperf_internal;
ALTER ROUTINE pgperf.require_top_level SET SCHEMA pgperf_internal;
ALTER ROUTINE pgperf.run_document SET SCHEMA pgperf_internal;
ALTER ROUTINE pgperf.run_names SET SCHEMA pgperf_internal;
ALTER ROUTINE pgperf.steady_state_of SET SCHEMA pgperf_internal;
ALTER ROUTINE pgperf.store_document SET SCHEMA pgperf_internal;
ALTER ROUTINE pgperf.sweep_alive SET SCHEMA pgperf_internal;

-- All partitions, those that were made since the extension was among them.
DO $$
DECLARE
    part pg_catalog.regclass;
BEGIN
    FOR part IN
        SELECT t.relid FROM pgperf_internal.history_tables h
        CROSS JOIN LATERAL pg_catalog.pg_partition_tree(pg_catalog.format('pgperf.%I', h.table_name)::pg_catalog.regclass) t
        WHERE t.level OPERATOR(pg_catalog.>) 0
    LOOP
        EXECUTE pg_catalog.format('ALTER TABLE %s SET SCHEMA pgperf_internal', part);
    END LOOP;
END
$$;

-- Who publishes the tables of the schema goes on publishing all of them.
DO $$
DECLARE
    publication name;
BEGIN
    FOR publication IN
        SELECT b.pubname FROM pg_catalog.pg_publication b JOIN pg_catalog.pg_publication_namespace n ON n.pnpubid = b.oid
        WHERE n.pnnspid = 'pgperf'::regnamespace
    LOOP
        EXECUTE format('ALTER PUBLICATION %I ADD TABLES IN SCHEMA pgperf_internal', publication);
    END LOOP;
END
$$;

-- Foreign keys among dumped tables, by which a parallel pg_restore loses rows; and a function with other columns.
ALTER TABLE pgperf_internal.resume_points DROP CONSTRAINT resume_points_node_id_run_id_fkey;
ALTER TABLE pgperf_internal.stored_segments DROP CONSTRAINT stored_segments_node_id_run_id_fkey;
ALTER TABLE pgperf.baselines DROP CONSTRAINT baselines_node_id_run_id_fkey;
ALTER TABLE pgperf_internal.pinned_runs DROP CONSTRAINT pinned_runs_node_id_run_id_fkey;
ALTER TABLE pgperf_internal.sweep_attempts DROP CONSTRAINT sweep_attempts_node_id_sweep_id_fkey;
ALTER TABLE pgperf_internal.sweep_attempts DROP CONSTRAINT sweep_attempts_node_id_run_id_fkey;
ALTER TABLE pgperf_internal.sweep_attempts DROP CONSTRAINT sweep_attempts_node_id_load_run_id_fkey;
ALTER TABLE pgperf_internal.stored_sweep_points DROP CONSTRAINT stored_sweep_points_node_id_sweep_id_fkey;
ALTER TABLE pgperf.run_relations DROP CONSTRAINT run_relations_node_id_run_id_fkey;
ALTER TABLE pgperf.run_metrics DROP CONSTRAINT run_metrics_node_id_run_id_fkey;
ALTER TABLE pgperf.run_environment DROP CONSTRAINT run_environment_node_id_run_id_fkey;
ALTER TABLE pgperf.run_settings DROP CONSTRAINT run_settings_node_id_run_id_fkey;
ALTER TABLE pgperf.run_errors DROP CONSTRAINT run_errors_node_id_run_id_fkey;
ALTER TABLE pgperf.run_transactions DROP CONSTRAINT run_transactions_node_id_run_id_fkey;
ALTER TABLE pgperf.run_statements DROP CONSTRAINT run_statements_node_id_run_id_fkey;
ALTER TABLE pgperf.run_scripts DROP CONSTRAINT run_scripts_node_id_run_id_fkey;
ALTER TABLE pgperf.run_intervals DROP CONSTRAINT run_intervals_node_id_run_id_fkey;
ALTER TABLE pgperf_internal.run_totals DROP CONSTRAINT run_totals_node_id_run_id_fkey;
DROP FUNCTION pgperf.wraparound_forecast(interval,uuid);

-- Unknown on a coordinator of Citus.
ALTER TABLE pgperf.run_intervals ALTER wal_bytes DROP NOT NULL, ALTER shared_blks_hit DROP NOT NULL, ALTER shared_blks_read DROP NOT NULL;
ALTER TABLE pgperf_internal.stored_runs ADD COLUMN history_error text;
ALTER TABLE pgperf_internal.history_tables ADD COLUMN key text[];
ALTER TABLE pgperf.run_relations ADD COLUMN note text;
ALTER TABLE pgperf.statement_history ADD COLUMN max_left_out_time float8;
COMMENT ON COLUMN pgperf.statement_history.max_left_out_time IS 'For all together: the most milliseconds that one of those left out whose time no recent row tells has taken in all; NULL: none was left out';
ALTER TABLE pgperf.run_intervals ADD COLUMN turn_no integer CHECK (turn_no >= 0), ADD COLUMN side text CHECK (side IN ('A', 'B')), ADD COLUMN done_percent float8;
COMMENT ON COLUMN pgperf.run_intervals.done_percent IS 'For a load: how much of its work was done when the interval ended, by what its steps are expected to take; NULL: not known';
COMMENT ON COLUMN pgperf.run_intervals.turn_no IS 'Of a run with alternate: the turn that it is in, from 0';
COMMENT ON COLUMN pgperf.run_intervals.side IS 'The side that the turn belongs to; NULL: no turns, or it overlaps the beginning of a turn';

-- One sample has one row.
UPDATE pgperf_internal.history_tables
SET key = '{node_id,sample_id,taken_at}',
    indexes = '{USING brin (taken_at),"(node_id, run_id) WHERE run_id IS NOT NULL"}'
WHERE table_name = 'samples';
ALTER TABLE pgperf.statement_texts REPLICA IDENTITY FULL;

CREATE FUNCTION pgperf_internal.number_node_name()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    wanted text := NEW.name;
    number integer := 1;
BEGIN
    IF TG_OP = 'UPDATE' AND current_setting('session_replication_role') <> 'replica' THEN
        RETURN NEW;
    END IF;
    WHILE EXISTS (SELECT FROM pgperf.nodes n WHERE n.name = NEW.name AND n.node_id <> NEW.node_id) LOOP
        number := number + 1;
        NEW.name := format('%s (%s)', wanted, number);
    END LOOP;
    RETURN NEW;
END
$function$;

-- Names of nodes become unique. A name stands for the newest node that has it, which keeps it; the others get a number.
DO $$
DECLARE
    node record;
    number integer;
BEGIN
    FOR node IN
        SELECT n.node_id, n.name
        FROM (SELECT x.node_id, x.name, x.created_at,
                     pg_catalog.row_number() OVER (PARTITION BY x.name ORDER BY x.created_at DESC, x.node_id) AS place
              FROM pgperf.nodes x) n
        WHERE n.place > 1
        ORDER BY n.name, n.place
    LOOP
        number := 2;
        WHILE EXISTS (SELECT FROM pgperf.nodes n WHERE n.name = pg_catalog.format('%s (%s)', node.name, number)) LOOP
            number := number + 1;
        END LOOP;
        UPDATE pgperf.nodes n SET name = pg_catalog.format('%s (%s)', node.name, number) WHERE n.node_id = node.node_id;
    END LOOP;
END
$$;
ALTER TABLE pgperf.nodes ADD CONSTRAINT nodes_name_key UNIQUE (name);
CREATE TRIGGER number_node_name BEFORE INSERT OR UPDATE OF name ON pgperf.nodes
    FOR EACH ROW EXECUTE FUNCTION pgperf_internal.number_node_name();
ALTER TABLE pgperf.nodes ENABLE ALWAYS TRIGGER number_node_name;

CREATE FUNCTION pgperf_internal.identify_rows(member regclass, key text[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    IF key IS NULL THEN
        EXECUTE format('ALTER TABLE %s REPLICA IDENTITY FULL', member);
    ELSE
        EXECUTE format('ALTER TABLE %s ADD PRIMARY KEY (%s)', member,
                       (SELECT string_agg(quote_ident(k), ', ' ORDER BY n) FROM unnest(key) WITH ORDINALITY o (k, n)));
    END IF;
END
$function$;
CREATE FUNCTION pgperf_internal.withdraw_default_privileges()
RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    command text;
BEGIN
    FOR command IN
        SELECT format('REVOKE %s ON %s %s FROM %s CASCADE', x.privilege_type, o.kind, o.name,
                      CASE x.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(x.grantee)) END)
        FROM (SELECT 'pg_class'::regclass, c.oid, CASE c.relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END,
                     CASE c.relkind WHEN 'S' THEN 'S' ELSE 'r' END, c.oid::regclass::text, c.relnamespace, c.relowner, c.relacl,
                     'SELECT', ARRAY['pg_monitor'::regrole::oid]
              FROM pg_class c
              UNION ALL
              SELECT 'pg_proc'::regclass, p.oid, 'ROUTINE', 'f', p.oid::regprocedure::text, p.pronamespace, p.proowner, p.proacl,
                     'EXECUTE', ARRAY[0, 'pg_monitor'::regrole::oid]
              FROM pg_proc p
              UNION ALL
              SELECT 'pg_namespace'::regclass, n.oid, 'SCHEMA', 'n', quote_ident(n.nspname), n.oid, n.nspowner, n.nspacl, 'USAGE', ARRAY[0::oid]
              FROM pg_namespace n) o (classid, oid, kind, type, name, schema, owner, acl, documented, grantees)
        LEFT JOIN pg_init_privs i ON i.classoid = o.classid::oid AND i.objoid = o.oid AND i.objsubid = 0
        CROSS JOIN LATERAL aclexplode(o.acl) x
        WHERE o.schema IN ('pgperf'::regnamespace::oid, 'pgperf_internal'::regnamespace::oid) AND x.grantee <> o.owner
          AND NOT (x.privilege_type = o.documented AND x.grantee = ANY (o.grantees))
          AND (i.initprivs IS NULL OR EXISTS (
              SELECT FROM aclexplode(i.initprivs) y WHERE y.grantee = x.grantee AND y.privilege_type = x.privilege_type))
          AND EXISTS (SELECT FROM pg_default_acl d CROSS JOIN LATERAL aclexplode(d.defaclacl) y
                      WHERE d.defaclrole = o.owner AND d.defaclobjtype::text = o.type AND d.defaclnamespace IN (0, o.schema)
                        AND y.grantee = x.grantee AND y.privilege_type = x.privilege_type)
    LOOP
        EXECUTE command;
    END LOOP;
END
$$;
COMMENT ON FUNCTION pgperf_internal.withdraw_default_privileges() IS 'Revokes what the owner''s default privileges have given on the extension''s objects; called when the extension is created or updated';
REVOKE ALL ON FUNCTION pgperf_internal.withdraw_default_privileges() FROM PUBLIC;

CREATE FUNCTION pgperf_internal.make_private(member regclass)
RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    grantee text;
BEGIN
    FOR grantee IN SELECT DISTINCT CASE x.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(x.grantee)) END
                   FROM pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) x WHERE c.oid = member::oid AND x.grantee <> c.relowner LOOP
        EXECUTE format('REVOKE ALL ON TABLE %s FROM %s CASCADE', member, grantee);
    END LOOP;
END
$$;
COMMENT ON FUNCTION pgperf_internal.make_private(regclass) IS 'Revokes what others may do with a partition of the history: they read it through its table';
REVOKE ALL ON FUNCTION pgperf_internal.make_private(regclass) FROM PUBLIC;

CREATE OR REPLACE FUNCTION pgperf_internal.add_history(table_name text, collector text, object text[] DEFAULT NULL::text[], indexes text[] DEFAULT '{"(node_id, sample_id)","USING brin (taken_at)"}'::text[], width text DEFAULT 'day'::text, rolled_up boolean DEFAULT true, key text[] DEFAULT NULL::text[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    kept text := table_name || '_kept';
    rest text := table_name || '_rest';
    member regclass;
    index text;
BEGIN
    INSERT INTO pgperf_internal.history_tables VALUES (table_name, collector, width, rolled_up, object, indexes, key);
    EXECUTE format('CREATE TABLE pgperf_internal.%I PARTITION OF pgperf.%I DEFAULT PARTITION BY RANGE (taken_at)', kept, table_name);
    EXECUTE format('COMMENT ON TABLE pgperf_internal.%I IS %L', kept, format('Part of pgperf.%s: rows kept of past days', table_name));
    EXECUTE format('CREATE TABLE pgperf_internal.%I PARTITION OF pgperf_internal.%I DEFAULT', rest, kept);
    EXECUTE format('COMMENT ON TABLE pgperf_internal.%I IS %L', rest, format('Part of pgperf.%s: rows that came before their partition', table_name));
    FOREACH index IN ARRAY indexes LOOP
        EXECUTE format('CREATE INDEX ON pgperf_internal.%I %s', rest, index);
    END LOOP;
    PERFORM pgperf_internal.identify_rows(format('pgperf_internal.%I', rest)::regclass, key);
    -- Parents without rows need one as well: a subscriber to whom all partitions are published as one table gets the parent's.
    PERFORM pgperf_internal.identify_rows(name::regclass, NULL)
    FROM unnest(ARRAY[format('pgperf.%I', table_name), format('pgperf_internal.%I', kept)]) name;
    FOREACH member IN ARRAY ARRAY[format('pgperf.%I', table_name), format('pgperf_internal.%I', kept),
                                  format('pgperf_internal.%I', rest)]::regclass[] LOOP
        PERFORM pg_extension_config_dump(member, '');
        EXECUTE format('GRANT SELECT ON %s TO pg_monitor', member);
    END LOOP;
END
$function$;
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
    moved boolean;
    index text;
BEGIN
    EXECUTE format('CREATE TABLE pgperf_internal.%I (LIKE pgperf.%I INCLUDING DEFAULTS INCLUDING CONSTRAINTS,
        CONSTRAINT %I CHECK (taken_at >= %L AND taken_at < %L))', partition, history, partition || '_range', low, high);
    PERFORM pgperf_internal.make_private(format('pgperf_internal.%I', partition)::regclass);
    FOREACH index IN ARRAY (SELECT t.indexes FROM pgperf_internal.history_tables t WHERE t.table_name = history) LOOP
        EXECUTE format('CREATE INDEX ON pgperf_internal.%I %s', partition, index);
    END LOOP;
    PERFORM pgperf_internal.identify_rows(format('pgperf_internal.%I', partition)::regclass, (SELECT t.key FROM pgperf_internal.history_tables t WHERE t.table_name = history));
    EXECUTE format('SELECT EXISTS (SELECT FROM pgperf_internal.%I WHERE taken_at >= %L AND taken_at < %L)', default_partition, low, high) INTO moved;
    -- Into the partition only once it is one: a subscriber gets the rows as those of the table.
    IF moved THEN
        EXECUTE format('CREATE UNLOGGED TABLE pgperf_internal.%I (LIKE pgperf.%I)', aside, history);
        EXECUTE format('WITH gone AS (DELETE FROM pgperf_internal.%I WHERE taken_at >= %L AND taken_at < %L RETURNING *)
            INSERT INTO pgperf_internal.%I SELECT * FROM gone', default_partition, low, high, aside);
    END IF;
    EXECUTE format('ALTER TABLE %I.%I ATTACH PARTITION pgperf_internal.%I FOR VALUES FROM (%L) TO (%L)', parent_schema, parent, partition, low, high);
    IF moved THEN
        EXECUTE format('INSERT INTO pgperf_internal.%I SELECT * FROM pgperf_internal.%I', partition, aside);
        EXECUTE format('DROP TABLE pgperf_internal.%I', aside);
    END IF;
END
$function$;
CREATE FUNCTION pgperf_internal.claim_partitions() RETURNS boolean
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'claim_partitions_wrapper';
COMMENT ON FUNCTION pgperf_internal.claim_partitions() IS 'Makes samples wait until the transaction ends; false: another session does the same, and half a minute was not enough';
REVOKE ALL ON FUNCTION pgperf_internal.claim_partitions() FROM PUBLIC;

CREATE FUNCTION pgperf_internal.make_partitions(ahead integer, history text DEFAULT NULL::text, from_day integer DEFAULT 0, OUT table_name text, OUT partition_name text)
 RETURNS SETOF record
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET lock_timeout TO '100ms'
AS $function$
#variable_conflict use_column
DECLARE
    starts timestamp;
    step interval;
    width text;
BEGIN
    FOR table_name, width IN
        SELECT t.table_name, t.width FROM pgperf_internal.history_tables t WHERE t.table_name = history OR history IS NULL
        ORDER BY t.collector IS NULL, t.table_name
    LOOP
        step := ('1 ' || width)::interval;
        FOR n IN from_day..CASE width WHEN 'day' THEN ahead ELSE least(ahead, 1) END LOOP
            starts := date_trunc(width, clock_timestamp() AT TIME ZONE 'UTC') + n * step;
            partition_name := table_name || to_char(starts, CASE width WHEN 'day' THEN '_YYYYMMDD' WHEN 'month' THEN '_YYYYMM' ELSE '_YYYY' END);
            IF to_regclass(format('pgperf_internal.%I', partition_name)) IS NULL THEN
                PERFORM pgperf_internal.make_partition(table_name, table_name, partition_name, starts, starts + step);
                RETURN NEXT;
            END IF;
        END LOOP;
    END LOOP;
END
$function$;
CREATE OR REPLACE FUNCTION pgperf_internal.create_delta_view(history text, object text[], gauges text[] DEFAULT '{}'::text[], sparse boolean DEFAULT false, lived_on text DEFAULT 's.epoch = ps.epoch'::text, began text DEFAULT NULL::text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
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
        'Differences of the counters of pgperf.%s from the previous sample, over seconds; ..._per_s: the same per second. NULL: no previous sample, or the counters began again in between; an object without a previous row that provably began since counts from 0', history));
    EXECUTE format('GRANT SELECT ON pgperf.%I TO pg_monitor', view_name);
END
$function$;
CREATE FUNCTION pgperf_internal.move_rows(source regclass, target regclass, starts_at timestamp with time zone, ends_at timestamp with time zone)
 RETURNS bigint
 LANGUAGE c
 STRICT
AS 'MODULE_PATHNAME', $function$move_rows_wrapper$function$;
CREATE OR REPLACE FUNCTION pgperf_internal.replace_partition(history text, level text, partition text, becomes text, copy text)
 RETURNS bigint
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    freed bigint := pg_total_relation_size(format('pgperf_internal.%I', partition)::regclass);
    kept text := history || '_kept';
    month timestamp;
    target text;
BEGIN
    EXECUTE format('ALTER TABLE %s DETACH PARTITION pgperf_internal.%I',
                   CASE level WHEN 'raw' THEN format('pgperf.%I', history) ELSE format('pgperf_internal.%I', kept) END, partition);
    EXECUTE format('DROP TABLE pgperf_internal.%I', partition);
    FOR month IN EXECUTE format('SELECT DISTINCT date_trunc(''month'', taken_at AT TIME ZONE ''UTC'') FROM pgperf_internal.%I', copy) LOOP
        target := (SELECT p.partition_name FROM pgperf.history_partitions p
                   WHERE p.table_name = history AND p.level NOT IN ('raw', 'rest') AND p.starts_at = month AT TIME ZONE 'UTC');
        IF target IS NULL THEN
            target := format('%s_%s_%s', history, becomes, to_char(month, 'YYYYMM'));
            PERFORM pgperf_internal.make_partition(history, kept, target, month, month + interval '1 month');
        END IF;
        PERFORM pgperf_internal.move_rows(format('pgperf_internal.%I', copy)::regclass, format('pgperf_internal.%I', target)::regclass,
                                 month AT TIME ZONE 'UTC', (month + interval '1 month') AT TIME ZONE 'UTC');
    END LOOP;
    EXECUTE format('DROP TABLE pgperf_internal.%I', copy);
    RETURN freed;
END
$function$;
CREATE FUNCTION pgperf_internal.must_stop(until timestamp with time zone)
 RETURNS text
 LANGUAGE sql
BEGIN ATOMIC
 SELECT
         CASE
             WHEN (clock_timestamp() > until) THEN 'the time is over'::text
             WHEN (( SELECT count(*) AS count
                FROM pg_locks l
               WHERE (l.pid = pg_backend_pid())) > (((current_setting('max_locks_per_transaction'::text))::bigint * ((current_setting('max_connections'::text))::bigint + (current_setting('max_prepared_transactions'::text))::bigint)) / 4)) THEN 'the transaction holds a quarter of the locks that the server has room for'::text
             ELSE NULL::text
         END AS "case";
END;
CREATE FUNCTION pgperf_internal.move_strays(history pgperf_internal.history_tables, until timestamp with time zone, OUT action text, OUT table_name text, OUT object text, OUT rows bigint, OUT note text)
 RETURNS SETOF record
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
#variable_conflict use_column
DECLARE
    missing timestamp;
BEGIN
    table_name := history.table_name;
    FOR missing, rows IN EXECUTE format(
        'SELECT date_trunc(%L, s.taken_at AT TIME ZONE ''UTC''), count(*)
         FROM (SELECT r.taken_at FROM pgperf_internal.%I r UNION ALL
               SELECT k.taken_at FROM pgperf_internal.%I k WHERE k.taken_at >= %L AND k.tableoid <> %L::regclass) s
         WHERE s.taken_at >= ''2000-01-01 00:00:00+00'' AND s.taken_at < %L GROUP BY 1 ORDER BY 1',
        history.width, history.table_name || '_rest', history.table_name || '_kept',
        (SELECT clock_timestamp() - max(c.retention) FROM pgperf.collectors c WHERE c.name = history.collector OR history.collector IS NULL),
        format('pgperf_internal.%I', history.table_name || '_rest'), clock_timestamp() + interval '1 day')
    LOOP
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
CREATE FUNCTION pgperf_internal.roll_up(of_samples boolean, until timestamp with time zone, OUT action text, OUT table_name text, OUT object text, OUT rows bigint, OUT bytes bigint, OUT note text)
 RETURNS SETOF record
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
#variable_conflict use_column
DECLARE
    half timestamptz := clock_timestamp() + GREATEST(until - clock_timestamp(), '0') / 2;
    due record;
    copies jsonb[] := '{}';
    item jsonb;
    changed boolean;
BEGIN
    FOR due IN SELECT d.* FROM pgperf_internal.due_partitions() d WHERE (d.table_name = 'samples') = of_samples LOOP
        table_name := due.table_name; object := due.partition_name; bytes := NULL; rows := NULL;
        note := pgperf_internal.must_stop(half);
        IF note IS NOT NULL THEN
            action := 'left';
            RETURN NEXT;
            CONTINUE;
        END IF;
        BEGIN
            changed := due.level <> due.becomes;
            IF NOT changed THEN
                EXECUTE format('SELECT EXISTS (SELECT FROM pgperf_internal.%I h WHERE (%s) IS NOT TRUE)', due.partition_name,
                    pgperf_internal.kept_condition(due.table_name, due.object, due.partition_name, due.becomes, due.starts_at, due.ends_at)) INTO changed;
            END IF;
            IF changed THEN
                rows := pgperf_internal.copy_kept(due.table_name, due.object, due.partition_name, due.becomes, due.starts_at, due.ends_at,
                                         due.partition_name || '_copy');
                copies := copies || (to_jsonb(due) || jsonb_build_object('rows', rows));
            END IF;
        EXCEPTION WHEN OTHERS THEN
            action := 'left'; rows := NULL; note := SQLERRM;
            RETURN NEXT;
        END;
    END LOOP;
    IF copies <> '{}' THEN
        PERFORM pgperf_internal.claim_partitions();
    END IF;
    FOREACH item IN ARRAY copies LOOP
        table_name := item ->> 'table_name'; object := item ->> 'partition_name'; rows := (item ->> 'rows')::bigint;
        BEGIN
            bytes := pgperf_internal.replace_partition(table_name, item ->> 'level', object, item ->> 'becomes', object || '_copy');
            action := CASE WHEN rows > 0 THEN 'rolled up' ELSE 'dropped' END;
            note := CASE WHEN rows > 0 THEN item ->> 'becomes' END;
        EXCEPTION WHEN OTHERS THEN
            action := 'left'; bytes := NULL; rows := NULL; note := SQLERRM;
            EXECUTE format('DROP TABLE pgperf_internal.%I', object || '_copy');
        END;
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
END
$function$;
CREATE FUNCTION pgperf_internal.make_ahead(days_ahead integer, until timestamp with time zone, OUT action text, OUT table_name text, OUT object text, OUT note text)
 RETURNS SETOF record
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
#variable_conflict use_column
DECLARE
    tables text[] := ARRAY(SELECT h.table_name FROM pgperf_internal.history_tables h WHERE h.width = 'day' ORDER BY h.table_name);
    failed text[] := '{}';
    reason text;
BEGIN
    <<days>>
    FOR n IN 2..days_ahead LOOP
        FOREACH table_name IN ARRAY tables LOOP
            CONTINUE WHEN table_name = ANY (failed);
            reason := pgperf_internal.must_stop(until);
            EXIT days WHEN reason IS NOT NULL;
            BEGIN
                FOR object IN SELECT m.partition_name FROM pgperf_internal.make_partitions(n, table_name, n) m LOOP
                    action := 'created'; note := NULL;
                    RETURN NEXT;
                END LOOP;
            EXCEPTION WHEN OTHERS THEN
                action := 'left'; object := NULL; note := SQLERRM;
                failed := failed || table_name;
                RETURN NEXT;
            END;
        END LOOP;
    END LOOP;
    IF reason IS NULL THEN
        RETURN;
    END IF;
    object := NULL; action := 'left';
    FOR table_name, note IN
        SELECT h.name, format('%s partitions of days ahead: %s', count(*), reason)
        FROM unnest(tables) h (name), generate_series(2, days_ahead) n
        WHERE to_regclass(format('pgperf_internal.%I', h.name || to_char((clock_timestamp() AT TIME ZONE 'UTC') + n * interval '1 day', '_YYYYMMDD'))) IS NULL
          AND h.name <> ALL (failed)
        GROUP BY h.name ORDER BY h.name
    LOOP
        RETURN NEXT;
    END LOOP;
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
            NULLIF(EXTRACT(epoch FROM max(GREATEST(f.taken_at, l.taken_at)) - min(LEAST(f.taken_at, l.taken_at))), 0::numeric)::double precision AS seconds
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
                 LIMIT 1) l
          GROUP BY r.starts_at, r.covers_until
        )
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
   FROM pg_class c,
    ( SELECT min(statement_texts.taken_at) AS oldest_at,
            max(statement_texts.taken_at) AS newest_at
           FROM pgperf.statement_texts) t
  WHERE c.oid = 'pgperf.statement_texts'::regclass::oid;
CREATE FUNCTION pgperf.set_node_name(name text)
 RETURNS uuid
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$set_node_name_wrapper$function$;
CREATE OR REPLACE FUNCTION pgperf_internal.make_quickstart_schema()
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
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
$function$;
CREATE FUNCTION pgperf_internal.require_buffers(sample_id bigint, node_id uuid) RETURNS void
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF $1 IS NULL AND $2 IS NULL
       OR EXISTS (SELECT FROM pgperf.buffer_usage_history h
                  WHERE h.node_id = COALESCE($2, (SELECT pgperf.local_node())) AND h.sample_id = COALESCE($1, h.sample_id)) THEN
        RETURN;
    END IF;
    IF NOT EXISTS (SELECT FROM pgperf.nodes n WHERE n.node_id = $2) AND $2 IS NOT NULL THEN
        RAISE EXCEPTION 'there is no node %', $2
            USING ERRCODE = 'invalid_parameter_value', HINT = 'SELECT node_id, name FROM pgperf.nodes lists the nodes.';
    ELSIF $1 IS NOT NULL THEN
        RAISE EXCEPTION 'sample % has no contents of shared_buffers', $1
            USING ERRCODE = 'invalid_parameter_value',
                  HINT = 'SELECT DISTINCT node_id, sample_id FROM pgperf.buffer_usage_history lists the samples that do.';
    END IF;
END
$$;
COMMENT ON FUNCTION pgperf_internal.require_buffers(bigint, uuid) IS 'Fails unless the arguments of pgperf.working_set name a sample or a node that exists';
REVOKE ALL ON FUNCTION pgperf_internal.require_buffers(bigint, uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgperf_internal.require_buffers(bigint, uuid) TO pg_monitor;
CREATE OR REPLACE FUNCTION pgperf.working_set(
    sample_id bigint DEFAULT NULL, node_id uuid DEFAULT NULL,
    OUT taken_at timestamptz, OUT scope text, OUT database_name text, OUT schema_name text, OUT relation_name text,
    OUT usage_count smallint, OUT buffers bigint, OUT bytes bigint, OUT percent float8, OUT cache_percent float8,
    OUT low_bytes bigint, OUT high_bytes bigint, OUT reason text)
RETURNS SETOF record LANGUAGE sql STABLE ROWS 100
BEGIN ATOMIC
    SELECT pgperf_internal.require_buffers($1, $2);
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
CREATE FUNCTION pgperf_internal.require_stretch(history interval) RETURNS void
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF history > '0'::interval THEN
        RETURN;
    END IF;
    RAISE EXCEPTION 'history must be greater than zero'
        USING ERRCODE = 'invalid_parameter_value',
              HINT = 'It is an interval such as ''1 day'' or ''1 week''.';
END
$$;
COMMENT ON FUNCTION pgperf_internal.require_stretch(interval) IS 'Fails unless the argument of pgperf.wraparound_forecast is greater than zero';
REVOKE ALL ON FUNCTION pgperf_internal.require_stretch(interval) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgperf_internal.require_stretch(interval) TO pg_monitor;
CREATE FUNCTION pgperf.wraparound_forecast(
    history interval DEFAULT '1 day', node_id uuid DEFAULT NULL,
    OUT database_name text, OUT id_kind text, OUT limit_name text, OUT limit_age bigint, OUT age bigint, OUT ids_left bigint,
    OUT per_s float8, OUT per_s_low float8, OUT per_s_high float8, OUT intervals integer,
    OUT time_left interval, OUT time_left_low interval, OUT time_left_high interval, OUT covered interval, OUT reason text)
RETURNS SETOF record LANGUAGE sql STABLE ROWS 32
BEGIN ATOMIC
    SELECT pgperf_internal.require_stretch($1);
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
    stretch AS MATERIALIZED (
        SELECT min(h.taken_at) AS starts_at, NULLIF(n.taken_at - min(h.taken_at), '0') AS covered,
               LEAST('10 minutes', wraparound_forecast.history / 2) AS needed
        FROM looked_at h, newest n WHERE h.relation_name IS NULL GROUP BY n.taken_at),
    parts AS (
        SELECT DISTINCT ON (part) p.taken_at, p.xid, p.next_multixid AS multixid
        FROM (SELECT h.*, pg_catalog.floor(24 * EXTRACT(epoch FROM n.taken_at - h.taken_at)
                                           / EXTRACT(epoch FROM s.covered)) AS part
              FROM looked_at h, newest n, stretch s WHERE h.relation_name IS NULL) p
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
    counted AS (
        SELECT k.id_kind, (SELECT count(*) FROM used u WHERE u.id_kind = k.id_kind) AS intervals
        FROM (VALUES ('xid'), ('multixact')) k(id_kind)),
    rates AS (
        SELECT r.id_kind, r.count, r.ids / r.seconds AS rate,
               (1.96 + 2.372 / (r.count - 1) + 2.823 / (r.count - 1) ^ 2 + 2.556 / (r.count - 1) ^ 3)
                   * pg_catalog.sqrt(r.count / (r.count - 1) * (
                       SELECT sum((u.ids - r.ids / r.seconds * u.seconds) ^ 2) FROM used u WHERE u.id_kind = r.id_kind))
                   / r.seconds AS margin
        FROM (SELECT u.id_kind, count(*)::float8 AS count, sum(u.ids) AS ids, sum(u.seconds) AS seconds
              FROM used u, stretch s WHERE s.covered > 0.9 * s.needed GROUP BY u.id_kind HAVING count(*) >= 4) r),
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
        SELECT l.database_name, l.id_kind, l.limit_name, l.limit_age, l.age, CASE WHEN l.age IS NOT NULL THEN GREATEST(l.limit_age - l.age, 0) END AS ids_left,
               r.rate, CASE WHEN r.rate > r.margin THEN r.rate - r.margin WHEN r.rate IS NOT NULL THEN 0 END AS low, r.rate + r.margin AS high, r.count
        FROM limits l LEFT JOIN rates r USING (id_kind)),
    -- Why there is no rate, and from when on there will be one.
    missing AS (
        SELECT c.id_kind, c.intervals, s.covered,
               CASE WHEN EXISTS (SELECT FROM pgperf.wraparound_history h JOIN node USING (node_id), newest n
                                 WHERE h.relation_name IS NULL AND h.taken_at <= n.taken_at - wraparound_forecast.history)
                    THEN 'ask for a longer history'
                    ELSE pg_catalog.format('if samples go on, there will be an answer from %s on', pg_catalog.to_char(
                        GREATEST(pg_catalog.now(), s.starts_at + s.needed,
                                 s.starts_at + 4 * s.covered / NULLIF(c.intervals, 0)), 'YYYY-MM-DD HH24:MI:SS TZ')) END AS hint,
               pg_catalog.format('too little history: %s of %s minutes, %s of 4 intervals',
                   pg_catalog.round(COALESCE(EXTRACT(epoch FROM s.covered) / 60, 0), 1),
                   pg_catalog.round(EXTRACT(epoch FROM s.needed) / 60, 1), c.intervals) AS reason
        FROM counted c, stretch s)
    SELECT f.database_name, f.id_kind, f.limit_name, f.limit_age, f.age, f.ids_left, f.rate, f.low, f.high, f.count::integer,
           -- Beyond 30,000 years an interval overflows: that is never.
           CASE WHEN f.ids_left < 1e12 * f.rate OR f.ids_left = 0 AND f.rate IS NOT NULL
                THEN pg_catalog.justify_hours(pg_catalog.make_interval(secs => COALESCE(f.ids_left / NULLIF(f.rate, 0), 0))) END,
           CASE WHEN f.ids_left < 1e12 * f.high OR f.ids_left = 0 AND f.rate IS NOT NULL
                THEN pg_catalog.justify_hours(pg_catalog.make_interval(secs => COALESCE(f.ids_left / NULLIF(f.high, 0), 0))) END,
           CASE WHEN f.ids_left < 1e12 * f.low OR f.ids_left = 0 AND f.rate IS NOT NULL
                THEN pg_catalog.justify_hours(pg_catalog.make_interval(secs => COALESCE(f.ids_left / NULLIF(f.low, 0), 0))) END,
           m.covered,
           CASE WHEN f.rate IS NULL THEN m.reason || '; ' || m.hint
                WHEN f.ids_left IS NULL THEN 'the newest sample does not have this limit'
                WHEN f.ids_left > 0 AND f.rate = 0 THEN 'no ids were used in that time'
                WHEN f.ids_left >= 1e12 * f.rate AND f.ids_left > 0 THEN 'not within 30,000 years at that rate' END
    FROM forecasts f JOIN missing m USING (id_kind)
    UNION ALL
    SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
           'no samples of collector wraparound: SELECT pgperf.start_sampler(); after ten minutes there will be an answer'
    WHERE NOT EXISTS (SELECT FROM newest)
    ORDER BY 1, 2 DESC, 4;
END;
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
    SELECT p.node_id, p.collector, p.last_at, p.next_at, p.last_cadence, GREATEST(p.cadence, n.sample_interval) AS cadence, p.epoch, p.next_epoch,
           EXTRACT(epoch FROM COALESCE(p.next_at, pg_catalog.clock_timestamp()) - p.last_at)::float8 AS seconds
    FROM pauses p
    -- It may be due later since.
    LEFT JOIN pgperf.collectors n ON n.name = p.collector AND p.next_at IS NULL
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
                           -- Nor does one after a restart prove anything.
                           AND s.epoch = g.epoch
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
CREATE OR REPLACE VIEW pgperf.runs AS
 SELECT r.node_id,
    r.run_id,
    r.kind,
    r.label,
    r.workload,
    r.role,
        CASE
            WHEN r.stored_status = ANY (ARRAY['finished'::text, 'stopped'::text, 'failed'::text]) THEN r.stored_status
            WHEN r.origin_node_id IS NULL AND pgperf_internal.leader_alive(r.node_id::text, r.run_id) THEN r.stored_status
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
    r.history_error
   FROM pgperf_internal.stored_runs r
     LEFT JOIN pgperf_internal.sweep_attempts a USING (node_id, run_id);
CREATE FUNCTION pgperf.round(value double precision, digits integer)
 RETURNS numeric
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN round((value)::numeric, digits);
CREATE FUNCTION pgperf.round(value bigint, digits integer)
 RETURNS numeric
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN round((value)::numeric, digits);
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
             JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = o.attnum)) = '{node_id,run_id}'::name[] AND (c.relname <> ALL ('{stored_runs,pinned_runs,resume_points}'::name[])) AND (EXISTS ( SELECT
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
    'pgperf.statement_texts'::regclass AS relation;
-- The oid of a database means nothing elsewhere; with it, a copy of this server would be taken for this server.
CREATE FUNCTION pgperf_internal.store_node(node jsonb) RETURNS void
    LANGUAGE sql
BEGIN ATOMIC
    INSERT INTO pgperf.nodes (node_id, name, system_identifier, database_oid, database_name, host, created_at)
    SELECT n.node_id, n.name, n.system_identifier, 0, n.database_name, n.host, n.created_at
    FROM pg_catalog.jsonb_populate_record(NULL::pgperf.nodes, node) n
    ON CONFLICT (node_id) DO NOTHING;
END;
COMMENT ON FUNCTION pgperf_internal.store_node(jsonb) IS 'Stores the node of a document, unless it is known here';

CREATE FUNCTION pgperf_internal.run_of_origin(node uuid, number bigint) RETURNS bigint
    LANGUAGE sql STABLE
    RETURN (SELECT s.run_id FROM pgperf_internal.stored_runs s
            WHERE s.origin_node_id OPERATOR(pg_catalog.=) node AND s.origin_run_id OPERATOR(pg_catalog.=) number
               OR s.node_id OPERATOR(pg_catalog.=) node AND s.run_id OPERATOR(pg_catalog.=) number AND s.origin_node_id IS NULL);
COMMENT ON FUNCTION pgperf_internal.run_of_origin(uuid, bigint) IS 'The run that has this number on its own node, run there or imported from it; NULL: it is not stored here';

REVOKE ALL ON FUNCTION pgperf_internal.store_node(jsonb), pgperf_internal.run_of_origin(uuid, bigint) FROM PUBLIC;

CREATE FUNCTION pgperf_internal.is_impossible(at timestamptz) RETURNS boolean
    LANGUAGE sql VOLATILE
    RETURN at OPERATOR(pg_catalog.<) '2000-01-01 00:00:00+00' OR at OPERATOR(pg_catalog.>) (pg_catalog.clock_timestamp() OPERATOR(pg_catalog.+) '1 hour'::interval);
COMMENT ON FUNCTION pgperf_internal.is_impossible(timestamptz) IS 'Whether nobody can have measured anything then: before the year 2000, or later than an hour from now, since clocks differ. For pgperf.import_run';
CREATE FUNCTION pgperf_internal.defect(state text, relation text, attribute text, message text) RETURNS text
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    part text := regexp_replace(relation, '^stored_|_[0-9]{8}$|_rest$|_kept$', '', 'g');
BEGIN
    RETURN CASE state
        WHEN '23502' THEN format('%s lacks a value of %s', part, attribute)
        WHEN '23505' THEN format('%s has a row twice', part)
        WHEN '23514' THEN format('%s has an impossible value', part)
        -- A run's document in a sweep's says so itself.
        ELSE replace(message, 'the document is damaged: ', '')
    END;
END
$$;
COMMENT ON FUNCTION pgperf_internal.defect(text, text, text, text) IS 'What is wrong with a document, from the error of its storing: the SQLSTATE, the table, the column and the message';
REVOKE ALL ON FUNCTION pgperf_internal.is_impossible(timestamptz), pgperf_internal.defect(text, text, text, text) FROM PUBLIC;

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
        PERFORM pgperf_internal.store_node(document -> 'node');
        LOOP
            run_id := nextval('pgperf_internal.run_id_seq');
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
CREATE FUNCTION pgperf_internal.peak_of(clients integer[], tps double precision[], margin_percent double precision, OUT clients integer, OUT as_good_clients integer[], OUT undecided_clients integer[])
 RETURNS SETOF record
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT ROWS 1
AS 'MODULE_PATHNAME', $function$peak_of_wrapper$function$;
-- Sweeps that were imported.
ALTER TABLE pgperf_internal.stored_sweeps ADD COLUMN origin_node_id uuid, ADD COLUMN origin_sweep_id bigint, ADD COLUMN origin_role text, ADD COLUMN role_oid oid;
ALTER TABLE pgperf_internal.resume_points ADD COLUMN role_oid oid;
-- Who has the name now is who started them, as far as is known.
UPDATE pgperf_internal.stored_sweeps s SET role_oid = COALESCE((SELECT r.oid FROM pg_roles r WHERE r.rolname = s.role), 0) WHERE s.origin_node_id IS NULL;
UPDATE pgperf_internal.resume_points p SET role_oid = COALESCE((SELECT r.oid FROM pg_roles r WHERE r.rolname = s.role), 0)
FROM pgperf_internal.stored_runs s WHERE s.node_id = p.node_id AND s.run_id = p.run_id;
COMMENT ON COLUMN pgperf_internal.resume_points.role_oid IS 'The role that started it: another one of its name does not run its script';
COMMENT ON COLUMN pgperf_internal.stored_sweeps.role_oid IS 'The role that started it here: another one of its name does not run its scripts';
CREATE UNIQUE INDEX stored_sweeps_origin_idx ON pgperf_internal.stored_sweeps (origin_node_id, origin_sweep_id);
COMMENT ON COLUMN pgperf_internal.stored_sweeps.origin_node_id IS 'For an imported sweep: the node on which it ran; NULL: it ran here';
COMMENT ON COLUMN pgperf_internal.stored_sweeps.origin_sweep_id IS 'For an imported sweep: its number on the node on which it ran; sweep_id is its number here';
COMMENT ON COLUMN pgperf_internal.stored_sweeps.origin_role IS 'For an imported sweep: the role that ran it; role is the role that imported it';
-- One sequence numbers the runs of a database, those that came with pg_upgrade or a dump among them. Two nodes share a number only
-- where a dump was restored into a database that had runs already.
CREATE FUNCTION pgperf_internal.find_run(run_id bigint, OUT node_id uuid, OUT found_id bigint) RETURNS SETOF record
    LANGUAGE sql VOLATILE ROWS 1
    BEGIN ATOMIC
    SELECT r.node_id, r.run_id
    FROM pgperf_internal.stored_runs r
    WHERE r.run_id = $1
       OR $1 IS NULL AND r.origin_node_id IS NULL AND r.node_id = (SELECT pgperf.local_node())
    ORDER BY r.origin_node_id IS NOT NULL OR r.node_id = (SELECT pgperf.local_node()) DESC, r.run_id DESC, r.requested_at DESC
    LIMIT 1;
    END;
COMMENT ON FUNCTION pgperf_internal.find_run(bigint) IS
    'The key of a run from its number here: of this node''s run or an imported one, otherwise of another node''s; NULL: the newest of this node';
REVOKE ALL ON FUNCTION pgperf_internal.find_run(bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgperf_internal.find_run(bigint) TO pg_monitor;

CREATE OR REPLACE FUNCTION pgperf.transaction_log(run_id bigint, failures_detailed boolean DEFAULT false) RETURNS SETOF text
    LANGUAGE sql STABLE
    BEGIN ATOMIC
    SELECT pgperf_internal.require_run($1);
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
    JOIN pgperf_internal.stored_runs r USING (node_id, run_id)
    WHERE (t.node_id, t.run_id) = (SELECT f.node_id, f.found_id FROM pgperf_internal.find_run($1) f)
    ORDER BY t.ended_at, t.client_id, t.transaction_no;
    END;

CREATE OR REPLACE FUNCTION pgperf.histogram_log(run_id bigint) RETURNS SETOF text
    LANGUAGE sql STABLE
    BEGIN ATOMIC
    SELECT pgperf_internal.require_run($1);
    SELECT l.line
    FROM pgperf_internal.stored_runs r
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
    WHERE (r.node_id, r.run_id) = (SELECT f.node_id, f.found_id FROM pgperf_internal.find_run($1) f)
    ORDER BY l.line_no;
    END;

CREATE FUNCTION pgperf_internal.find_sweep(sweep_id bigint, OUT node_id uuid, OUT found_id bigint) RETURNS SETOF record
    LANGUAGE sql VOLATILE ROWS 1
    BEGIN ATOMIC
    SELECT s.node_id, s.sweep_id
    FROM pgperf_internal.stored_sweeps s
    WHERE s.sweep_id = $1
       OR $1 IS NULL AND s.origin_node_id IS NULL AND s.node_id = (SELECT pgperf.local_node())
    ORDER BY s.origin_node_id IS NOT NULL OR s.node_id = (SELECT pgperf.local_node()) DESC, s.sweep_id DESC, s.requested_at DESC
    LIMIT 1;
    END;
COMMENT ON FUNCTION pgperf_internal.find_sweep(bigint) IS
    'The key of a sweep from its number here: of this node''s sweep or an imported one, otherwise of another node''s; NULL: the newest of this node';
REVOKE ALL ON FUNCTION pgperf_internal.find_sweep(bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgperf_internal.find_sweep(bigint) TO pg_monitor;

CREATE OR REPLACE VIEW pgperf.sweep_peak AS
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
    f.as_good_clients,
    NULLIF(array_remove(c.few, b.clients), '{}'::integer[]) AS untested_clients,
    f.undecided_clients,
    c.margin_percent
   FROM ( SELECT p.node_id,
            p.sweep_id,
            p.combination,
            5::double precision AS margin_percent,
            array_agg(p.clients) AS clients,
            array_agg(v.tps) AS tps,
            array_agg(DISTINCT p.clients) FILTER (WHERE p.n < 2) AS few
           FROM pgperf.sweep_points p
             LEFT JOIN LATERAL unnest(p.tps_values) v(tps) ON true
          GROUP BY p.node_id, p.sweep_id, p.combination) c
     CROSS JOIN LATERAL pgperf_internal.peak_of(c.clients, c.tps, c.margin_percent) f(clients, as_good_clients, undecided_clients)
     JOIN pgperf.sweep_points b ON b.node_id = c.node_id AND b.sweep_id = c.sweep_id AND b.combination = c.combination AND b.clients = f.clients;
CREATE FUNCTION pgperf.sweep_peak(sweep_id bigint DEFAULT NULL::bigint, margin_percent double precision DEFAULT 5, OUT combination text, OUT settings jsonb, OUT clients integer, OUT n integer, OUT tps double precision, OUT tps_ci_low double precision, OUT tps_ci_high double precision, OUT as_good_clients integer[], OUT undecided_clients integer[], OUT untested_clients integer[])
 RETURNS SETOF record
 LANGUAGE sql
BEGIN ATOMIC
 SELECT pgperf.sweep_status(sweep_peak.sweep_id) AS sweep_status;
 SELECT p.combination,
     p.settings,
     p.clients,
     p.n,
     p.tps,
     p.tps_ci_low,
     p.tps_ci_high,
     f.as_good_clients,
     f.undecided_clients,
     p.untested_clients
    FROM ((pgperf.sweep_peak p
      CROSS JOIN LATERAL ( SELECT array_agg(q.clients) AS clients,
             array_agg(v.tps) AS tps
            FROM (pgperf.sweep_points q
              CROSS JOIN LATERAL unnest(q.tps_values) v(tps))
           WHERE ((q.node_id = p.node_id) AND (q.sweep_id = p.sweep_id) AND (q.combination = p.combination))) c)
      CROSS JOIN LATERAL pgperf_internal.peak_of(c.clients, c.tps, COALESCE(sweep_peak.margin_percent, (5)::double precision)) f(clients, as_good_clients, undecided_clients))
   WHERE ((p.node_id, p.sweep_id) = ( SELECT f_1.node_id, f_1.found_id FROM pgperf_internal.find_sweep(sweep_peak.sweep_id) f_1(node_id, found_id)))
  ORDER BY p.combination;
END;
CREATE FUNCTION pgperf.sweep_markdown(sweep_id bigint DEFAULT NULL::bigint)
 RETURNS text
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$sweep_markdown_wrapper$function$;
CREATE FUNCTION pgperf_internal.compare_comment(baseline text[], candidate text[], pair_by text)
 RETURNS text
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$compare_comment_wrapper$function$;
CREATE FUNCTION pgperf.compare_markdown(baseline bigint, candidate bigint)
 RETURNS text
 LANGUAGE sql
RETURN pgperf_internal.compare_comment(pgperf_internal.run_names(ARRAY[baseline]), pgperf_internal.run_names(ARRAY[candidate]), NULL::text);
CREATE FUNCTION pgperf.compare_markdown(baseline bigint[], candidate bigint[], pair_by text DEFAULT NULL::text)
 RETURNS text
 LANGUAGE sql
RETURN pgperf_internal.compare_comment(pgperf_internal.run_names(baseline), pgperf_internal.run_names(candidate), pair_by);
CREATE FUNCTION pgperf.compare_markdown(baseline text, candidate text, pair_by text DEFAULT NULL::text)
 RETURNS text
 LANGUAGE sql
RETURN pgperf_internal.compare_comment(ARRAY[baseline], ARRAY[candidate], pair_by);
CREATE FUNCTION pgperf.compare_markdown(baseline text[], candidate text[], pair_by text DEFAULT NULL::text)
 RETURNS text
 LANGUAGE sql
RETURN pgperf_internal.compare_comment(COALESCE(baseline, '{}'::text[]), COALESCE(candidate, '{}'::text[]), pair_by);
CREATE FUNCTION pgperf_internal.version_lines(baseline text[], candidate text[], pair_by text, style text)
 RETURNS SETOF text
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$version_lines_wrapper$function$;
CREATE FUNCTION pgperf.version_table(baseline bigint, candidate bigint, style text DEFAULT 'text'::text)
 RETURNS SETOF text
 LANGUAGE sql
BEGIN ATOMIC
 SELECT pgperf_internal.version_lines(pgperf_internal.run_names(ARRAY[baseline]), pgperf_internal.run_names(ARRAY[candidate]), NULL::text, style) AS version_lines;
END;
CREATE FUNCTION pgperf.version_table(baseline bigint[], candidate bigint[], style text DEFAULT 'text'::text, pair_by text DEFAULT NULL::text)
 RETURNS SETOF text
 LANGUAGE sql
BEGIN ATOMIC
 SELECT pgperf_internal.version_lines(pgperf_internal.run_names(baseline), pgperf_internal.run_names(candidate), pair_by, style) AS version_lines;
END;
CREATE FUNCTION pgperf.version_table(baseline text, candidate text, style text DEFAULT 'text'::text, pair_by text DEFAULT NULL::text)
 RETURNS SETOF text
 LANGUAGE sql
BEGIN ATOMIC
 SELECT pgperf_internal.version_lines(ARRAY[baseline], ARRAY[candidate], pair_by, style) AS version_lines;
END;
CREATE FUNCTION pgperf.version_table(baseline text[], candidate text[], style text DEFAULT 'text'::text, pair_by text DEFAULT NULL::text)
 RETURNS SETOF text
 LANGUAGE sql
BEGIN ATOMIC
 SELECT pgperf_internal.version_lines(COALESCE(baseline, '{}'::text[]), COALESCE(candidate, '{}'::text[]), pair_by, style) AS version_lines;
END;
CREATE OR REPLACE FUNCTION pgperf_internal.remove_run(node_id uuid, run_id bigint)
 RETURNS bigint
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
#variable_conflict use_variable
DECLARE
    status text;
    own text;
    first_at timestamptz;
    last_at timestamptz;
    removed bigint;
    total bigint := 0;
BEGIN
    PERFORM FROM pgperf_internal.resume_points p WHERE p.node_id = node_id AND p.run_id = run_id FOR UPDATE;
    PERFORM FROM pgperf_internal.stored_runs r WHERE r.node_id = node_id AND r.run_id = run_id FOR UPDATE;
    SELECT r.status INTO status FROM pgperf.runs r WHERE r.node_id = node_id AND r.run_id = run_id;
    IF NOT FOUND THEN
        RETURN 0;
    ELSIF status NOT IN ('finished', 'stopped', 'failed', 'interrupted') THEN
        RAISE EXCEPTION 'run % cannot be deleted: it is %', run_id, status USING ERRCODE = 'object_in_use';
    END IF;
    SELECT min(s.taken_at), max(s.taken_at) INTO first_at, last_at FROM pgperf.samples s WHERE s.node_id = node_id AND s.run_id = run_id;
    FOR own IN SELECT t.table_name FROM pgperf_internal.history_tables t WHERE first_at IS NOT NULL ORDER BY t.collector IS NULL, t.table_name LOOP
        EXECUTE format('DELETE FROM pgperf.%1$I h '
            || CASE WHEN own = 'samples' THEN 'WHERE true' ELSE 'USING pgperf.samples s
                WHERE s.node_id = h.node_id AND s.sample_id = h.sample_id AND s.taken_at = h.taken_at
                  AND s.node_id = $1 AND s.run_id = $2 AND s.taken_at >= %2$L AND s.taken_at <= %3$L' END
            || ' AND h.node_id = $1 AND h.run_id = $2 AND h.taken_at >= %2$L AND h.taken_at <= %3$L', own, first_at, last_at)
            USING node_id, run_id;
        GET DIAGNOSTICS removed = ROW_COUNT;
        total := total + removed;
    END LOOP;
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
-- Imported runs stay, and those that a database has from before it was restored or upgraded: they are somebody's collection.
CREATE OR REPLACE FUNCTION pgperf_internal.due_runs(OUT node_id uuid, OUT run_id bigint) RETURNS SETOF record
LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT r.node_id, r.run_id
    FROM pgperf.runs r
    CROSS JOIN (SELECT NULLIF(pg_catalog.current_setting('pgperf.run_retention', true), '0')::interval AS retention) g
    WHERE r.status IN ('finished', 'stopped', 'failed', 'interrupted') AND r.origin_node_id IS NULL AND r.node_id = (SELECT pgperf.local_node())
      AND COALESCE(r.ended_at, r.measured_at, r.started_at, r.requested_at) < pg_catalog.clock_timestamp() - g.retention
      AND NOT EXISTS (SELECT FROM pgperf.kept_runs k WHERE k.node_id = r.node_id AND k.run_id = r.run_id)
    ORDER BY r.requested_at, r.node_id, r.run_id;
END;
COMMENT ON FUNCTION pgperf_internal.due_runs() IS 'The runs of this node that ended longer ago than pgperf.run_retention and are neither pinned nor in a baseline, oldest first; for pgperf.maintain()';

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
                rows := pgperf_internal.remove_run(due.node_id, due.run_id);
                action := 'deleted';
            END IF;
        EXCEPTION WHEN OTHERS THEN
            action := 'left'; note := SQLERRM;
        END;
        RETURN NEXT;
    END LOOP;
    -- A sample that is stored at this moment may still count on a text: that statement's next row brings it back.
    table_name := 'statement_texts'; object := NULL; note := NULL;
    rows := NULL;
    BEGIN
        note := pgperf_internal.must_stop(until);
        action := CASE WHEN note IS NULL THEN 'deleted' ELSE 'left' END;
        IF note IS NULL THEN
            DELETE FROM pgperf.statement_texts t WHERE NOT EXISTS (
                SELECT FROM pgperf.statement_history h
                WHERE h.node_id = t.node_id AND h.queryid = t.queryid AND h.dbid = t.dbid);
            GET DIAGNOSTICS rows = ROW_COUNT;
        END IF;
    EXCEPTION WHEN OTHERS THEN
        action := 'left'; rows := NULL; note := SQLERRM;
    END;
    IF rows > 0 OR action = 'left' THEN
        RETURN NEXT;
    END IF;
END
$function$;

-- Bodies that name what has moved.
CREATE OR REPLACE VIEW pgperf.history_partitions AS
 SELECT t.table_name,
        CASE
            WHEN n.suffix ~ '^\d+$'::text THEN 'raw'::text
            ELSE split_part(n.suffix, '_'::text, 1)
        END AS level,
    c.relname::text AS partition_name,
    c.oid::regclass AS partition,
    (n.starts AT TIME ZONE 'UTC'::text) AS starts_at,
    ((n.starts +
        CASE length(n.digits)
            WHEN 8 THEN '1 day'::interval
            WHEN 6 THEN '1 mon'::interval
            ELSE '1 year'::interval
        END) AT TIME ZONE 'UTC'::text) AS ends_at
   FROM pgperf_internal.history_tables t
     JOIN pg_class h ON h.relnamespace = 'pgperf'::regnamespace::oid AND h.relname::text = t.table_name OR h.relnamespace = 'pgperf_internal'::regnamespace::oid AND h.relname::text = (t.table_name || '_kept'::text)
     JOIN pg_inherits i ON i.inhparent = h.oid
     JOIN pg_class c ON c.oid = i.inhrelid AND c.relkind = 'r'::"char"
     CROSS JOIN LATERAL ( SELECT s.suffix,
            s.digits,
            make_timestamp("left"(s.digits, 4)::integer, COALESCE(NULLIF(substr(s.digits, 5, 2), ''::text), '1'::text)::integer, COALESCE(NULLIF(substr(s.digits, 7, 2), ''::text), '1'::text)::integer, 0, 0, 0::double precision) AS starts
           FROM ( SELECT substr(c.relname::text, length(t.table_name) + 2) AS suffix,
                    "substring"(c.relname::text, '_(\d{4}(?:\d\d){0,2})$'::text) AS digits) s) n;
CREATE OR REPLACE FUNCTION pgperf_internal.collectors_update()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    IF (NEW.name, NEW.cost, NEW.in_runs, NEW.needs, NEW.history_tables, NEW.description)
        IS DISTINCT FROM (OLD.name, OLD.cost, OLD.in_runs, OLD.needs, OLD.history_tables, OLD.description) THEN
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
CREATE OR REPLACE PROCEDURE pgperf.take_snapshot(IN collectors text[] DEFAULT NULL::text[], INOUT sample_id bigint DEFAULT NULL::bigint)
 LANGUAGE plpgsql
AS $procedure$
BEGIN
    CALL pgperf_internal.require_top_level('pgperf.take_snapshot');
    CALL pgperf_internal.collect_sample(collectors);
    sample_id := pg_catalog.currval('pgperf_internal.sample_id_seq'::pg_catalog.regclass);
END
$procedure$;
CREATE OR REPLACE FUNCTION pgperf_internal.kept_condition(history text, object text[], source text, level text, starts_at timestamp with time zone, ends_at timestamp with time zone)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
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
            FROM pgperf_internal.history_tables t WHERE t.collector IS NOT NULL) || ')';
    ELSIF level = 'pinned' THEN
        RETURN condition;
    ELSIF object IS NULL THEN
        RETURN condition || format(' OR (h.node_id, h.sample_id) IN (
            SELECT DISTINCT ON (x.node_id, %1$s) x.node_id, x.sample_id
            FROM (SELECT DISTINCT r.node_id, r.sample_id, r.taken_at FROM pgperf_internal.%2$I r) x %3$s
            ORDER BY x.node_id, %1$s, %4$s, x.taken_at DESC, x.sample_id DESC)', bucket, source, sample, in_intervals);
    ELSE
        RETURN condition || format(' OR h.ctid IN (
            SELECT DISTINCT ON (x.node_id, %5$s, %1$s) x.ctid
            FROM pgperf_internal.%2$I x %3$s
            ORDER BY x.node_id, %5$s, %1$s, %4$s, x.taken_at DESC, x.sample_id DESC)', bucket, source, sample, in_intervals,
            (SELECT string_agg(format('x.%I', k), ', ') FROM unnest(object) k));
    END IF;
END
$function$;
CREATE OR REPLACE FUNCTION pgperf_internal.copy_kept(history text, object text[], partition text, becomes text, starts_at timestamp with time zone, ends_at timestamp with time zone, copy text)
 RETURNS bigint
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
DECLARE
    kept bigint;
BEGIN
    EXECUTE format('LOCK TABLE pgperf_internal.%I IN SHARE MODE', partition);
    EXECUTE format('CREATE UNLOGGED TABLE pgperf_internal.%I (LIKE pgperf.%I)', copy, history);
    EXECUTE format('INSERT INTO pgperf_internal.%I SELECT h.* FROM pgperf_internal.%I h WHERE ', copy, partition)
        || pgperf_internal.kept_condition(history, object, partition, becomes, starts_at, ends_at);
    GET DIAGNOSTICS kept = ROW_COUNT;
    -- A row of what changed says which one it was compared with: now that is the one kept before it.
    IF object IS NOT NULL AND EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = format('pgperf.%I', history)::regclass
                                      AND a.attname = 'before_sample_id') THEN
        EXECUTE format('
            UPDATE pgperf_internal.%1$I k SET before_sample_id = b.before_sample_id
            FROM (SELECT c.ctid AS tid, COALESCE(lag(c.sample_id) OVER (PARTITION BY c.node_id, %3$s ORDER BY c.sample_id), f.before_sample_id) AS before_sample_id
                  FROM pgperf_internal.%1$I c
                  CROSS JOIN LATERAL (SELECT x.before_sample_id FROM pgperf_internal.%2$I x WHERE x.node_id = c.node_id AND %4$s
                                      ORDER BY x.sample_id LIMIT 1) f) b
            WHERE k.ctid = b.tid AND k.before_sample_id IS NOT NULL', copy, partition,
            (SELECT string_agg(format('c.%I', k), ', ') FROM unnest(object) k),
            (SELECT string_agg(format('x.%1$I = c.%1$I', k), ' AND ') FROM unnest(object) k));
    END IF;
    RETURN kept;
END
$function$;
CREATE OR REPLACE PROCEDURE pgperf.wait_run(IN run_id bigint DEFAULT NULL::bigint, IN timeout interval DEFAULT NULL::interval, IN progress boolean DEFAULT false, INOUT status text DEFAULT NULL::text)
 LANGUAGE plpgsql
AS $procedure$
BEGIN
    CALL pgperf_internal.await_run(run_id, timeout, progress, false);
    status := pgperf.run_status(run_id);
END
$procedure$;

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

CREATE FUNCTION pgperf.alter_run(run_id bigint DEFAULT NULL, rate float8 DEFAULT NULL) RETURNS bigint
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'alter_run_wrapper';
COMMENT ON FUNCTION pgperf.alter_run(bigint, float8) IS
    'Gives a run (NULL: the newest) whose clients work another rate of transactions per second (NULL: as fast as they go), at once, not when the transaction commits; what was due and has not begun is not made up for. Returns its run_id';

-- With application_name, options, hit_curve and what is to catch up.
DROP PROCEDURE pgperf.run(text,integer,interval,bigint,text,text[],integer[],integer,text,text,double precision,interval,integer,boolean,boolean,interval,interval,bigint,bigint,jsonb,jsonb,text,text,text,interval,text,interval,text[],boolean,double precision,jsonb,text,text,jsonb,boolean,bigint);
DROP FUNCTION pgperf.start_run(text,integer,interval,bigint,text,text[],integer[],integer,text,text,double precision,interval,integer,boolean,boolean,interval,interval,bigint,bigint,jsonb,jsonb,text,text,text,interval,text,interval,text[],boolean,double precision,jsonb,text,text,jsonb,boolean);
DROP FUNCTION pgperf.start_sweep(text,integer[],integer,jsonb,text[],integer[],integer[],integer[],text[],text,interval,interval,text,jsonb,boolean,integer,bigint,text,bigint,text,text[],integer[],integer,text,text,double precision,interval,integer,boolean,boolean,interval,interval,bigint,jsonb,jsonb,text,text,text,text,interval,text[],boolean,double precision,jsonb,jsonb,text);
CREATE FUNCTION pgperf.start_run(workload text DEFAULT NULL::text, clients integer DEFAULT 1, duration interval DEFAULT NULL::interval, transactions_per_client bigint DEFAULT NULL::bigint, script text DEFAULT NULL::text, scripts text[] DEFAULT NULL::text[], weights integer[] DEFAULT NULL::integer[], scale integer DEFAULT NULL::integer, query_mode text DEFAULT 'prepared'::text, result_mode text DEFAULT 'format'::text, rate pgperf.rate DEFAULT NULL::pgperf.rate, latency_limit interval DEFAULT NULL::interval, max_tries integer DEFAULT 1, continue_on_error boolean DEFAULT false, exit_on_abort boolean DEFAULT false, think_time interval DEFAULT NULL::interval, round_trip interval DEFAULT NULL::interval, reconnect bigint DEFAULT NULL::bigint, random_seed bigint DEFAULT NULL::bigint, variables jsonb DEFAULT NULL::jsonb, settings jsonb DEFAULT NULL::jsonb, vacuum text DEFAULT 'none'::text, before_sql text DEFAULT NULL::text, after_sql text DEFAULT NULL::text, warmup interval DEFAULT '00:00:00'::interval, warmup_workload text DEFAULT NULL::text, sample_interval interval DEFAULT '00:00:01'::interval, collectors text[] DEFAULT NULL::text[], transaction_log boolean DEFAULT false, sampling_rate double precision DEFAULT NULL::double precision, limits jsonb DEFAULT NULL::jsonb, schema text DEFAULT NULL::text, label text DEFAULT NULL::text, expect jsonb DEFAULT NULL::jsonb, resume boolean DEFAULT false, application_name text DEFAULT NULL::text, options jsonb DEFAULT NULL::jsonb, hit_curve boolean DEFAULT false, drain jsonb DEFAULT NULL::jsonb, drain_sql text DEFAULT NULL::text, drain_timeout interval DEFAULT NULL::interval, alternate jsonb DEFAULT NULL::jsonb, alternate_every interval DEFAULT NULL::interval, settle interval DEFAULT NULL::interval, disturbances jsonb DEFAULT NULL::jsonb, caches text DEFAULT NULL::text, plans boolean DEFAULT NULL::boolean, until_precise text DEFAULT NULL::text)
 RETURNS bigint
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$start_run_wrapper$function$;
CREATE FUNCTION pgperf.start_sweep(workload text DEFAULT NULL::text, clients integer[] DEFAULT '{1,2,4,8}'::integer[], repetitions integer DEFAULT 5, settings_grid jsonb DEFAULT NULL::jsonb, workloads text[] DEFAULT NULL::text[], scales integer[] DEFAULT NULL::integer[], partitions integer[] DEFAULT NULL::integer[], fillfactors integer[] DEFAULT NULL::integer[], query_modes text[] DEFAULT NULL::text[], run_order text DEFAULT 'random'::text, duration interval DEFAULT NULL::interval, warmup interval DEFAULT NULL::interval, init text DEFAULT NULL::text, init_options jsonb DEFAULT NULL::jsonb, checkpoint boolean DEFAULT false, run_tries integer DEFAULT 2, random_seed bigint DEFAULT NULL::bigint, label text DEFAULT NULL::text, transactions_per_client bigint DEFAULT NULL::bigint, script text DEFAULT NULL::text, scripts text[] DEFAULT NULL::text[], weights integer[] DEFAULT NULL::integer[], scale integer DEFAULT NULL::integer, query_mode text DEFAULT NULL::text, result_mode text DEFAULT NULL::text, rate pgperf.rate DEFAULT NULL::pgperf.rate, latency_limit interval DEFAULT NULL::interval, max_tries integer DEFAULT NULL::integer, continue_on_error boolean DEFAULT NULL::boolean, exit_on_abort boolean DEFAULT NULL::boolean, think_time interval DEFAULT NULL::interval, round_trip interval DEFAULT NULL::interval, reconnect bigint DEFAULT NULL::bigint, variables jsonb DEFAULT NULL::jsonb, settings jsonb DEFAULT NULL::jsonb, vacuum text DEFAULT NULL::text, before_sql text DEFAULT NULL::text, after_sql text DEFAULT NULL::text, warmup_workload text DEFAULT NULL::text, sample_interval interval DEFAULT NULL::interval, collectors text[] DEFAULT NULL::text[], transaction_log boolean DEFAULT NULL::boolean, sampling_rate double precision DEFAULT NULL::double precision, limits jsonb DEFAULT NULL::jsonb, expect jsonb DEFAULT NULL::jsonb, schema text DEFAULT NULL::text, application_name text DEFAULT NULL::text, options jsonb DEFAULT NULL::jsonb, hit_curve boolean DEFAULT NULL::boolean, drain jsonb DEFAULT NULL::jsonb, drain_sql text DEFAULT NULL::text, drain_timeout interval DEFAULT NULL::interval, alternate jsonb DEFAULT NULL::jsonb, alternate_every interval DEFAULT NULL::interval, settle interval DEFAULT NULL::interval, disturbances jsonb DEFAULT NULL::jsonb, caches text DEFAULT NULL::text, plans boolean DEFAULT NULL::boolean, until_precise text DEFAULT NULL::text, max_repetitions integer DEFAULT NULL::integer)
 RETURNS bigint
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$start_sweep_wrapper$function$;
CREATE PROCEDURE pgperf.run(IN workload text DEFAULT NULL::text, IN clients integer DEFAULT 1, IN duration interval DEFAULT NULL::interval, IN transactions_per_client bigint DEFAULT NULL::bigint, IN script text DEFAULT NULL::text, IN scripts text[] DEFAULT NULL::text[], IN weights integer[] DEFAULT NULL::integer[], IN scale integer DEFAULT NULL::integer, IN query_mode text DEFAULT 'prepared'::text, IN result_mode text DEFAULT 'format'::text, IN rate pgperf.rate DEFAULT NULL::pgperf.rate, IN latency_limit interval DEFAULT NULL::interval, IN max_tries integer DEFAULT 1, IN continue_on_error boolean DEFAULT false, IN exit_on_abort boolean DEFAULT false, IN think_time interval DEFAULT NULL::interval, IN round_trip interval DEFAULT NULL::interval, IN reconnect bigint DEFAULT NULL::bigint, IN random_seed bigint DEFAULT NULL::bigint, IN variables jsonb DEFAULT NULL::jsonb, IN settings jsonb DEFAULT NULL::jsonb, IN vacuum text DEFAULT 'none'::text, IN before_sql text DEFAULT NULL::text, IN after_sql text DEFAULT NULL::text, IN warmup interval DEFAULT '00:00:00'::interval, IN warmup_workload text DEFAULT NULL::text, IN sample_interval interval DEFAULT '00:00:01'::interval, IN collectors text[] DEFAULT NULL::text[], IN transaction_log boolean DEFAULT false, IN sampling_rate double precision DEFAULT NULL::double precision, IN limits jsonb DEFAULT NULL::jsonb, IN schema text DEFAULT NULL::text, IN label text DEFAULT NULL::text, IN expect jsonb DEFAULT NULL::jsonb, IN resume boolean DEFAULT false, IN application_name text DEFAULT NULL::text, IN options jsonb DEFAULT NULL::jsonb, IN hit_curve boolean DEFAULT false, IN drain jsonb DEFAULT NULL::jsonb, IN drain_sql text DEFAULT NULL::text, IN drain_timeout interval DEFAULT NULL::interval, IN alternate jsonb DEFAULT NULL::jsonb, IN alternate_every interval DEFAULT NULL::interval, IN settle interval DEFAULT NULL::interval, IN disturbances jsonb DEFAULT NULL::jsonb, IN caches text DEFAULT NULL::text, plans boolean DEFAULT NULL::boolean, IN until_precise text DEFAULT NULL::text, INOUT run_id bigint DEFAULT NULL::bigint)
 LANGUAGE plpgsql
AS $procedure$
BEGIN
    CALL pgperf_internal.require_top_level('pgperf.run');
    run_id := pgperf.start_run(workload => workload, clients => clients, duration => duration, transactions_per_client =>
        transactions_per_client, script => script, scripts => scripts, weights => weights, scale => scale,
        query_mode => query_mode, result_mode => result_mode, rate => rate, latency_limit => latency_limit,
        max_tries => max_tries, continue_on_error => continue_on_error, exit_on_abort => exit_on_abort,
        think_time => think_time, round_trip => round_trip, reconnect => reconnect, random_seed =>
        random_seed, variables => variables, settings => settings, vacuum => vacuum, before_sql =>
        before_sql, after_sql => after_sql, warmup => warmup, warmup_workload => warmup_workload,
        sample_interval => sample_interval, collectors => collectors, transaction_log => transaction_log, sampling_rate =>
        sampling_rate, limits => limits, schema => schema, label => label, expect => expect, resume => resume,
        application_name => application_name, options => options, hit_curve => hit_curve,
        drain => drain, drain_sql => drain_sql, drain_timeout => drain_timeout,
        alternate => alternate, alternate_every => alternate_every, settle => settle, disturbances => disturbances, caches => caches, plans => plans,
        until_precise => until_precise);
    CALL pgperf_internal.await_run(run_id, NULL, true, true);
    PERFORM pgperf_internal.print_report(run_id);
    PERFORM pgperf.require_expectations(run_id);
END
$procedure$;
REVOKE ALL ON ROUTINE pgperf.start_run(text,integer,interval,bigint,text,text[],integer[],integer,text,text,pgperf.rate,interval,integer,boolean,boolean,interval,interval,bigint,bigint,jsonb,jsonb,text,text,text,interval,text,interval,text[],boolean,double precision,jsonb,text,text,jsonb,boolean,text,jsonb,boolean,jsonb,text,interval,jsonb,interval,interval,jsonb,text,boolean,text) FROM PUBLIC;
REVOKE ALL ON ROUTINE pgperf.run(text,integer,interval,bigint,text,text[],integer[],integer,text,text,pgperf.rate,interval,integer,boolean,boolean,interval,interval,bigint,bigint,jsonb,jsonb,text,text,text,interval,text,interval,text[],boolean,double precision,jsonb,text,text,jsonb,boolean,text,jsonb,boolean,jsonb,text,interval,jsonb,interval,interval,jsonb,text,boolean,text,bigint) FROM PUBLIC;
REVOKE ALL ON ROUTINE pgperf.start_sweep(text,integer[],integer,jsonb,text[],integer[],integer[],integer[],text[],text,interval,interval,text,jsonb,boolean,integer,bigint,text,bigint,text,text[],integer[],integer,text,text,pgperf.rate,interval,integer,boolean,boolean,interval,interval,bigint,jsonb,jsonb,text,text,text,text,interval,text[],boolean,double precision,jsonb,jsonb,text,text,jsonb,boolean,jsonb,text,interval,jsonb,interval,interval,jsonb,text,boolean,text,integer) FROM PUBLIC;

-- With options.
ALTER TABLE pgperf.data_sets ADD COLUMN options jsonb NOT NULL DEFAULT '{}', ADD COLUMN relation_names text[];
DROP PROCEDURE pgperf.init(text,integer,text,integer,boolean,boolean,text,text,integer,text,integer,text,boolean,jsonb,text,bigint);
DROP FUNCTION pgperf.start_load(text,integer,text,integer,boolean,boolean,text,text,integer,text,integer,text,boolean,jsonb,text);
CREATE FUNCTION pgperf.start_load(workload text DEFAULT 'tpcb-like'::text, scale double precision DEFAULT 1, steps text DEFAULT 'dtgvp'::text, fillfactor integer DEFAULT 100, foreign_keys boolean DEFAULT false, unlogged boolean DEFAULT false, tablespace text DEFAULT NULL::text, index_tablespace text DEFAULT NULL::text, partitions integer DEFAULT 0, partition_method text DEFAULT NULL::text, jobs integer DEFAULT NULL::integer, schema text DEFAULT NULL::text, replace boolean DEFAULT false, limits jsonb DEFAULT NULL::jsonb, label text DEFAULT NULL::text, options jsonb DEFAULT NULL::jsonb)
 RETURNS bigint
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$start_load_wrapper$function$;
CREATE PROCEDURE pgperf.init(IN workload text DEFAULT 'tpcb-like'::text, IN scale double precision DEFAULT 1, IN steps text DEFAULT 'dtgvp'::text, IN fillfactor integer DEFAULT 100, IN foreign_keys boolean DEFAULT false, IN unlogged boolean DEFAULT false, IN tablespace text DEFAULT NULL::text, IN index_tablespace text DEFAULT NULL::text, IN partitions integer DEFAULT 0, IN partition_method text DEFAULT NULL::text, IN jobs integer DEFAULT NULL::integer, IN schema text DEFAULT NULL::text, IN replace boolean DEFAULT false, IN limits jsonb DEFAULT NULL::jsonb, IN label text DEFAULT NULL::text, IN options jsonb DEFAULT NULL::jsonb, INOUT run_id bigint DEFAULT NULL::bigint)
 LANGUAGE plpgsql
AS $procedure$
BEGIN
    CALL pgperf_internal.require_top_level('pgperf.init');
    run_id := pgperf.start_load(workload => workload, scale => scale, steps => steps, fillfactor => fillfactor,
        foreign_keys => foreign_keys, unlogged => unlogged, tablespace => tablespace, index_tablespace =>
        index_tablespace, partitions => partitions, partition_method => partition_method, jobs => jobs,
        schema => schema, replace => replace, limits => limits, label => label, options => options);
    CALL pgperf_internal.await_run(run_id, NULL, true, true);
    PERFORM pgperf_internal.require_finished(run_id);
END
$procedure$;
REVOKE ALL ON ROUTINE pgperf.start_load(text,double precision,text,integer,boolean,boolean,text,text,integer,text,integer,text,boolean,jsonb,text,jsonb) FROM PUBLIC;
REVOKE ALL ON ROUTINE pgperf.init(text,double precision,text,integer,boolean,boolean,text,text,integer,text,integer,text,boolean,jsonb,text,jsonb,bigint) FROM PUBLIC;
DROP FUNCTION pgperf."check"(text, text);
CREATE FUNCTION pgperf."check"(
    workload text DEFAULT 'tpcb-like',
    schema text DEFAULT NULL,
    "full" boolean DEFAULT false,
    OUT check_name text,
    OUT passed boolean,
    OUT detail text
) RETURNS SETOF record
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'check_data_wrapper';
COMMENT ON FUNCTION pgperf."check"(text, text, boolean) IS
    'Checks the consistency conditions of a workload''s tables: row counts, and that the balances add up. They hold after a fresh load as long as only that workload writes and history is not truncated. full: also that its queries have the same answers with another plan';
DROP PROCEDURE pgperf.quickstart(bigint);
CREATE PROCEDURE pgperf.quickstart(IN workload text DEFAULT 'tpcb-like'::text, INOUT run_id bigint DEFAULT NULL::bigint)
 LANGUAGE plpgsql
AS $procedure$
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
$procedure$;
REVOKE ALL ON ROUTINE pgperf.quickstart(text,bigint) FROM PUBLIC;
CREATE OR REPLACE PROCEDURE pgperf.wait_sweep(IN sweep_id bigint DEFAULT NULL::bigint, IN timeout interval DEFAULT NULL::interval, IN progress boolean DEFAULT false, INOUT status text DEFAULT NULL::text)
 LANGUAGE plpgsql
AS $procedure$
BEGIN
    CALL pgperf_internal.await_sweep(sweep_id, timeout, progress);
    status := pgperf.sweep_status(sweep_id);
END
$procedure$;
CREATE FUNCTION pgperf_internal.document_columns(relation regclass, OUT name text, OUT written text, OUT read text)
 RETURNS SETOF record
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
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
    WHERE a.attrelid = document_columns.relation AND a.attnum > 0 AND NOT a.attisdropped
      AND a.attname <> ALL ('{node_id,run_id}'::name[])
    ORDER BY a.attnum
$function$;
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
            'node', (SELECT to_jsonb(n) FROM pgperf.nodes n WHERE n.node_id = run.node_id),
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
REVOKE ALL ON FUNCTION pgperf_internal.document_columns(regclass) FROM PUBLIC;
COMMENT ON COLUMN pgperf.run_tables.relation IS 'The table itself, with its schema';

-- After pgperf_internal.identify_rows is there. Partitions of the history that are there already get the replica identity that new
-- ones have. First the whole row: with a publication of all tables nothing could be deleted otherwise. A subscriber of 1.1
-- may have had samples twice, of which one stays.
DO $$
DECLARE
    h pgperf_internal.history_tables;
    leaf pg_catalog.regclass;
    old_index pg_catalog.regclass;
BEGIN
    FOR h IN SELECT * FROM pgperf_internal.history_tables LOOP
        EXECUTE pg_catalog.format('ALTER TABLE pgperf.%I REPLICA IDENTITY FULL', h.table_name);
        EXECUTE pg_catalog.format('ALTER TABLE pgperf_internal.%I REPLICA IDENTITY FULL', h.table_name || '_kept');
        FOR leaf IN SELECT t.relid FROM pg_catalog.pg_partition_tree(pg_catalog.format('pgperf.%I', h.table_name)::pg_catalog.regclass) t WHERE t.isleaf LOOP
            EXECUTE pg_catalog.format('ALTER TABLE %s REPLICA IDENTITY FULL', leaf);
            CONTINUE WHEN h.key IS NULL;
            EXECUTE pg_catalog.format('DELETE FROM %1$s a USING %1$s b
                WHERE a.node_id OPERATOR(pg_catalog.=) b.node_id AND a.sample_id OPERATOR(pg_catalog.=) b.sample_id
                  AND a.taken_at OPERATOR(pg_catalog.=) b.taken_at AND a.ctid OPERATOR(pg_catalog.>) b.ctid', leaf);
            PERFORM pgperf_internal.identify_rows(leaf, h.key);
            EXECUTE pg_catalog.format('ALTER TABLE %s REPLICA IDENTITY DEFAULT', leaf);
            -- What the primary key makes needless.
            FOR old_index IN
                SELECT i.indexrelid FROM pg_catalog.pg_index i
                WHERE i.indrelid OPERATOR(pg_catalog.=) leaf AND NOT i.indisunique AND i.indpred IS NULL
                  AND (SELECT pg_catalog.array_agg(a.attname::text ORDER BY k.n) FROM pg_catalog.unnest(i.indkey::pg_catalog.int2[]) WITH ORDINALITY k (attnum, n)
                       JOIN pg_catalog.pg_attribute a ON a.attrelid OPERATOR(pg_catalog.=) leaf AND a.attnum OPERATOR(pg_catalog.=) k.attnum)
                      OPERATOR(pg_catalog.=) '{node_id,sample_id}'::text[]
            LOOP
                EXECUTE pg_catalog.format('DROP INDEX %s', old_index);
            END LOOP;
        END LOOP;
    END LOOP;
END
$$;

COMMENT ON FUNCTION pgperf_internal.number_node_name() IS 'Appends a number to the name of a node from elsewhere if the name is taken';
COMMENT ON FUNCTION pgperf_internal.identify_rows(regclass,text[]) IS 'Gives a partition of the history its replica identity: a primary key, or the whole row';
COMMENT ON FUNCTION pgperf_internal.make_partitions(integer,text,integer) IS 'Creates the missing partitions of the history for now and for some days ahead (from_day: not for earlier days); snapshot() calls it when those for now are missing';
COMMENT ON VIEW pgperf.collectors IS 'Every collector of pgperf.snapshot(); UPDATE pgperf.collectors SET enabled = false, or sample_interval = ... WHERE name = ... changes one';
COMMENT ON FUNCTION pgperf_internal.move_rows(regclass,regclass,timestamp with time zone,timestamp with time zone) IS 'Inserts the rows of a period without sending them to subscribers of the table, who have them already; for pgperf.maintain()';
COMMENT ON FUNCTION pgperf_internal.must_stop(timestamp with time zone) IS 'Why pgperf.maintain() must leave the rest to its next call; NULL: it may go on';
COMMENT ON FUNCTION pgperf_internal.move_strays(pgperf_internal.history_tables,timestamp with time zone) IS 'Moves rows that came before their partition into one; for pgperf.maintain()';
COMMENT ON FUNCTION pgperf_internal.roll_up(boolean,timestamp with time zone) IS 'Rolls up or drops the partitions that are due: those of the samples, or all others; for pgperf.maintain()';
COMMENT ON FUNCTION pgperf.maintain(integer,interval) IS 'Creates the history''s partitions of the next days; reduces partitions whose retention is over to one sample of each hour, later of each day, and the samples of pinned runs and baselines; deletes runs that ended longer ago than pgperf.run_retention unless they are pinned or in a baseline, and texts of statements to which no row refers any more. One row for each action: created, moved (rows that came before their partition), rolled up (rows: number kept; bytes: size freed), dropped, deleted; left: for the next call, for the reason in note (the budget is over, it holds many locks, or a lock was not free within 100 ms)';
COMMENT ON FUNCTION pgperf_internal.make_ahead(integer,timestamp with time zone) IS 'Creates the partitions of the days after tomorrow; for pgperf.maintain()';
COMMENT ON VIEW pgperf.device_rates IS 'Activity of the block devices under the server''s files since the previous sample, under the names of iostat -x: r_s, rkb_s, ... aqu_sz, util. NULL: the divisor is 0';
COMMENT ON FUNCTION pgperf.set_node_name(text) IS 'Names the node of this installation, and creates it if there is none yet; reports show the name, and ''name/run_id'' names its runs';
COMMENT ON TABLE pgperf.wraparound_history IS 'Distance of each database, and of the oldest relations of this one, from transaction id wraparound. Interval samples of a run hold this database, and the oldest one if that is another; other samples hold all databases and, of this one, the ten oldest relations of all and the ten oldest of the user''s tables (without the server''s own and pgperf''s), by transaction id and by multixact';
COMMENT ON FUNCTION pgperf.wraparound_forecast(interval,uuid) IS 'When each database reaches the limits of transaction ids and multixacts if nothing is frozen meanwhile and ids are used as fast as over the given stretch of history: autovacuum (it freezes in any case), failsafe (vacuum does nothing but freeze), warning (the server warns), stop (it assigns no more ids). per_s_low to per_s_high is the 95 % interval of the rate, from the differences between the rates of up to 24 parts of the covered time; a load that changes more slowly than that (by the week) needs a longer history. time_left_low goes with the high rate. time_left is NULL for the reason in reason: too little history (less than ten minutes or four intervals, and when it will be enough), or never at that rate. covered is the time between the first and the last sample used';
COMMENT ON FUNCTION pgperf.round(bigint,integer) IS 'The same for a count';
COMMENT ON VIEW pgperf.sweep_runs IS 'One row for each planned run of a sweep, with the figures of its finished attempt, or of its last one; the runs of all attempts are in pgperf.runs (sweep_id, sweep_point, sweep_repetition)';
COMMENT ON FUNCTION pgperf_internal.peak_of(integer[],double precision[],double precision) IS 'From pairs of clients and tps: the number of clients with the highest mean, the numbers that are as good within a margin, and the undecided ones; used by pgperf.sweep_peak';
COMMENT ON VIEW pgperf.sweep_peak IS 'The peak of each combination of a sweep: the highest mean tps, its number of clients, and other numbers of clients that are as good; the function of the same name takes another margin';
COMMENT ON FUNCTION pgperf.sweep_peak(bigint,double precision) IS 'The view pgperf.sweep_peak for one sweep of this node (NULL: the newest) with another margin: the numbers of clients with a tps within margin_percent of the peak''s';
COMMENT ON FUNCTION pgperf.sweep_markdown(bigint) IS 'A sweep''s results as Markdown, for a pull request; NULL: the newest of this node; for the sweep''s role and members of pg_monitor';
COMMENT ON FUNCTION pgperf_internal.compare_comment(text[],text[],text) IS 'Implements pgperf.compare_markdown; runs are named as there, or as #run_id';
COMMENT ON FUNCTION pgperf.compare_markdown(bigint,bigint) IS 'pgperf.compare_report as Markdown, for a pull request';
COMMENT ON FUNCTION pgperf.compare_markdown(bigint[],bigint[],text) IS 'The same for repeated runs';
COMMENT ON FUNCTION pgperf.compare_markdown(text,text,text) IS 'The same for runs or baselines by name';
COMMENT ON FUNCTION pgperf.compare_markdown(text[],text[],text) IS 'The same for repeated runs by name';
COMMENT ON FUNCTION pgperf_internal.version_lines(text[],text[],text,text) IS 'Implements pgperf.version_table; runs are named as there, or as #run_id';
COMMENT ON FUNCTION pgperf.version_table(bigint[],bigint[],text,text) IS 'The same for repeated runs';
COMMENT ON FUNCTION pgperf.version_table(text,text,text,text) IS 'The same for runs or baselines by name';
COMMENT ON FUNCTION pgperf_internal.remove_run(uuid,bigint) IS 'Removes a run that has ended with all its rows and samples; returns the number of samples and of their rows. For pgperf.delete_run and pgperf.maintain';

REVOKE ALL ON ROUTINE pgperf_internal.number_node_name() FROM PUBLIC;
REVOKE ALL ON ROUTINE pgperf_internal.identify_rows(regclass,text[]) FROM PUBLIC;
REVOKE ALL ON ROUTINE pgperf_internal.add_history(text,text,text[],text[],text,boolean,text[]) FROM PUBLIC;
REVOKE ALL ON ROUTINE pgperf_internal.make_partitions(integer,text,integer) FROM PUBLIC;
REVOKE ALL ON ROUTINE pgperf_internal.move_rows(regclass,regclass,timestamp with time zone,timestamp with time zone) FROM PUBLIC;
REVOKE ALL ON ROUTINE pgperf_internal.must_stop(timestamp with time zone) FROM PUBLIC;
REVOKE ALL ON ROUTINE pgperf_internal.move_strays(pgperf_internal.history_tables,timestamp with time zone) FROM PUBLIC;
REVOKE ALL ON ROUTINE pgperf_internal.roll_up(boolean,timestamp with time zone) FROM PUBLIC;
REVOKE ALL ON ROUTINE pgperf_internal.make_ahead(integer,timestamp with time zone) FROM PUBLIC;
REVOKE ALL ON ROUTINE pgperf.set_node_name(text) FROM PUBLIC;
REVOKE ALL ON ROUTINE pgperf.round(double precision,integer) FROM PUBLIC;
GRANT EXECUTE ON ROUTINE pgperf.round(double precision,integer) TO PUBLIC;
REVOKE ALL ON ROUTINE pgperf.round(bigint,integer) FROM PUBLIC;
GRANT EXECUTE ON ROUTINE pgperf.round(bigint,integer) TO PUBLIC;
REVOKE ALL ON ROUTINE pgperf.sweep_peak(bigint,double precision) FROM PUBLIC;
GRANT EXECUTE ON ROUTINE pgperf.sweep_peak(bigint,double precision) TO pg_monitor;
REVOKE EXECUTE ON FUNCTION pgperf.wraparound_forecast(interval, uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgperf.wraparound_forecast(interval, uuid) TO pg_monitor;

COMMENT ON COLUMN pgperf_internal.stored_runs.history_error IS 'The part of its history that could not be stored, and why; NULL: nothing is missing';
COMMENT ON COLUMN pgperf_internal.history_tables.key IS 'The primary key of each partition, which is its replica identity; NULL: none, the whole row is';
COMMENT ON COLUMN pgperf.wal_history.wal_sync_time_ms IS 'Milliseconds spent syncing WAL files; NULL unless track_wal_io_timing is on';
COMMENT ON COLUMN pgperf.wal_history.wal_write_time_ms IS 'Milliseconds spent writing WAL; NULL unless track_wal_io_timing is on';
COMMENT ON COLUMN pgperf.wait_history.looks IS 'Number of observations';
COMMENT ON COLUMN pgperf.settings_history.database_name IS 'Set for a database by ALTER DATABASE or ALTER ROLE ... IN DATABASE; NULL: for all';
COMMENT ON COLUMN pgperf.run_settings.source IS 'Source as in pg_settings; run: given by the call (settings => ...)';
COMMENT ON COLUMN pgperf.run_metrics.value IS 'Value; NULL: the counters began again in between (reset, crash), or Citus distributes the tables';
COMMENT ON COLUMN pgperf.run_relations.note IS 'Why all figures are NULL: Citus distributes the table';
COMMENT ON COLUMN pgperf.run_relations.start_live_tuples IS 'Live rows at the start, estimated by the statistics; NULL, as dead_tuples and n_tup_...: an index has none of its own';
COMMENT ON COLUMN pgperf.statement_history.exec_time_squares IS 'Sum of the squares of the execution times in square milliseconds: from calls, mean and standard deviation';
COMMENT ON COLUMN pgperf.statement_history.mean_exec_time IS 'Average execution time in milliseconds since the statement was first seen; for an interval see pgperf.statement_rates';
COMMENT ON COLUMN pgperf.statement_history.shared_blk_read_time IS 'Milliseconds spent reading blocks; NULL unless track_io_timing is or was on';
COMMENT ON COLUMN pgperf.history_size.bytes_per_day IS 'Bytes per day of the partitions that hold rows, by the time from the first sample in each to the last; NULL: less than an hour, and for runs and texts';
COMMENT ON COLUMN pgperf.checkpoint_history.buffers_backend IS 'Buffers that backends had to write themselves; PostgreSQL 15 and 16, later in io_history';
COMMENT ON COLUMN pgperf.checkpoint_history.write_time IS 'Milliseconds that checkpoints spent writing buffers';
COMMENT ON COLUMN pgperf.host_history.cpu_user_ms IS 'Milliseconds of all CPUs in programs, guests included';
COMMENT ON COLUMN pgperf.device_history.read_sectors IS 'Sectors of 512 bytes read';
COMMENT ON COLUMN pgperf.device_history.read_ticks IS 'Milliseconds that all reads together waited';
COMMENT ON COLUMN pgperf.database_history.blk_read_time IS 'Milliseconds spent reading blocks; NULL unless track_io_timing is or was on';
COMMENT ON COLUMN pgperf.database_history.blk_write_time IS 'Milliseconds spent writing blocks; NULL unless track_io_timing is or was on';
COMMENT ON COLUMN pgperf.database_history.session_time IS 'Milliseconds that sessions lasted; the clients of a run are background workers and are not counted';
COMMENT ON COLUMN pgperf.database_history.size_bytes IS 'Size of the database; not in a run''s interval samples';
COMMENT ON COLUMN pgperf.database_history.stats_reset IS 'When these statistics were last reset, other than those of a single table; for all databases together, the latest reset';
COMMENT ON COLUMN pgperf.runs.history_error IS 'The part of its history that could not be stored, and why; NULL: nothing is missing';
COMMENT ON COLUMN pgperf.sweep_peak.as_good_clients IS 'The numbers of clients whose tps is within margin_percent of the peak''s (an equivalence test at 5 %, corrected by Holm for several tests), including the peak''s own; NULL: one run at the peak is too few';
COMMENT ON COLUMN pgperf.sweep_peak.margin_percent IS 'Largest distance from the peak''s tps that counts as equally good';
COMMENT ON COLUMN pgperf.sweep_peak.undecided_clients IS 'The numbers of clients that are neither certainly as good nor significantly worse (t test at 5 %, corrected by Holm): more repetitions decide. Numbers in none of the three lists are worse';
COMMENT ON COLUMN pgperf.io_history.read_time IS 'Milliseconds spent reading; NULL, like all times, unless track_io_timing (for WAL: track_wal_io_timing) is or was on';
COMMENT ON COLUMN pgperf.relation_history.blks_read IS 'Blocks of the relation itself, without its indexes and TOAST table, read into shared_buffers';
COMMENT ON COLUMN pgperf.relation_history.idx_scan IS 'Index scans; for a table, over all its indexes';
COMMENT ON COLUMN pgperf.relation_history.relpages IS 'Pages as of the last VACUUM, ANALYZE or CREATE INDEX';
COMMENT ON COLUMN pgperf.relation_history.size_bytes IS 'Size of the main fork; no lock is taken for it';
COMMENT ON COLUMN pgperf.relation_history.total_vacuum_time IS 'Milliseconds that manual vacuums took; PostgreSQL 18';

-- The collector locks.
CREATE TABLE pgperf.lock_history (
    node_id           uuid NOT NULL,
    sample_id         bigint NOT NULL,
    taken_at          timestamptz NOT NULL,
    run_id            bigint,
    lock_type         text NOT NULL,
    waits             bigint,
    wait_time         float8,
    fastpath_exceeded bigint,
    stats_reset       timestamptz
) PARTITION BY RANGE (taken_at);
SELECT pgperf_internal.add_history('lock_history', 'locks');
COMMENT ON TABLE pgperf.lock_history IS 'Long waits for locks by type of lock, from pg_stat_lock, of the whole server; PostgreSQL 19';
COMMENT ON COLUMN pgperf.lock_history.lock_type IS 'What was locked: relation, transactionid (a row that another transaction changes), tuple, extend, advisory and others';
COMMENT ON COLUMN pgperf.lock_history.waits IS 'Waits that were longer than deadlock_timeout and ended with the lock';
COMMENT ON COLUMN pgperf.lock_history.wait_time IS 'Their time in milliseconds';
COMMENT ON COLUMN pgperf.lock_history.fastpath_exceeded IS 'Locks of relations that had no place left in the fast path of their session and went through the lock table that all share';
COMMENT ON COLUMN pgperf.lock_history.stats_reset IS 'When these statistics were last reset';
GRANT SELECT ON pgperf.lock_history TO pg_monitor;

-- The collector autovacuum.
CREATE TABLE pgperf.autovacuum_history (
    node_id             uuid NOT NULL,
    sample_id           bigint NOT NULL,
    taken_at            timestamptz NOT NULL,
    run_id              bigint,
    relation_oid        oid NOT NULL,
    schema_name         text,
    relation_name       text,
    score               float8,
    xid_score           float8,
    mxid_score          float8,
    vacuum_score        float8,
    vacuum_insert_score float8,
    analyze_score       float8,
    do_vacuum           boolean,
    do_analyze          boolean,
    for_wraparound      boolean
) PARTITION BY RANGE (taken_at);
SELECT pgperf_internal.add_history('autovacuum_history', 'autovacuum');
COMMENT ON TABLE pgperf.autovacuum_history IS 'The tables of this database that autovacuum would take next, from pg_stat_autovacuum_scores: the 100 with the highest score, those that are due or have 0.5; without TOAST tables; PostgreSQL 19';
COMMENT ON COLUMN pgperf.autovacuum_history.relation_oid IS 'The table''s OID';
COMMENT ON COLUMN pgperf.autovacuum_history.schema_name IS 'The table''s schema';
COMMENT ON COLUMN pgperf.autovacuum_history.relation_name IS 'The table';
COMMENT ON COLUMN pgperf.autovacuum_history.score IS 'The highest of its parts: autovacuum takes tables in this order; 1: a threshold is reached, unless autovacuum_..._score_weight is not 1';
COMMENT ON COLUMN pgperf.autovacuum_history.xid_score IS 'Age of its oldest transaction id against autovacuum_freeze_max_age';
COMMENT ON COLUMN pgperf.autovacuum_history.mxid_score IS 'Age of its oldest multixact against autovacuum_multixact_freeze_max_age';
COMMENT ON COLUMN pgperf.autovacuum_history.vacuum_score IS 'Dead rows against the threshold for a vacuum';
COMMENT ON COLUMN pgperf.autovacuum_history.vacuum_insert_score IS 'Rows inserted since the last vacuum against their threshold';
COMMENT ON COLUMN pgperf.autovacuum_history.analyze_score IS 'Rows changed since the last analyze against its threshold';
COMMENT ON COLUMN pgperf.autovacuum_history.do_vacuum IS 'Whether autovacuum would vacuum it';
COMMENT ON COLUMN pgperf.autovacuum_history.do_analyze IS 'Whether autovacuum would analyze it';
COMMENT ON COLUMN pgperf.autovacuum_history.for_wraparound IS 'Whether it must be vacuumed to prevent wraparound';
GRANT SELECT ON pgperf.autovacuum_history TO pg_monitor;

-- The collector slru.
CREATE TABLE pgperf.slru_history (
    node_id      uuid NOT NULL,
    sample_id    bigint NOT NULL,
    taken_at     timestamptz NOT NULL,
    run_id       bigint,
    name         text NOT NULL,
    blks_zeroed  bigint,
    blks_hit     bigint,
    blks_read    bigint,
    blks_written bigint,
    blks_exists  bigint,
    flushes      bigint,
    truncates    bigint,
    stats_reset  timestamptz
) PARTITION BY RANGE (taken_at);
SELECT pgperf_internal.add_history('slru_history', 'slru');
COMMENT ON TABLE pgperf.slru_history IS 'The SLRU caches of pg_stat_slru: transaction status, subtransactions, multixacts, notifications and others, of the whole server';
COMMENT ON COLUMN pgperf.slru_history.name IS 'As the server names it: Subtrans, from PostgreSQL 17 on subtransaction';
COMMENT ON COLUMN pgperf.slru_history.blks_zeroed IS 'Pages that began empty';
COMMENT ON COLUMN pgperf.slru_history.blks_hit IS 'Pages that were found in the cache';
COMMENT ON COLUMN pgperf.slru_history.blks_read IS 'Pages that had to be read from their file';
COMMENT ON COLUMN pgperf.slru_history.blks_written IS 'Pages that were written to their file';
COMMENT ON COLUMN pgperf.slru_history.blks_exists IS 'How often the server looked whether a page exists';
COMMENT ON COLUMN pgperf.slru_history.flushes IS 'How often all dirty pages were flushed';
COMMENT ON COLUMN pgperf.slru_history.truncates IS 'How often old pages were removed';
COMMENT ON COLUMN pgperf.slru_history.stats_reset IS 'When these statistics were last reset';
GRANT SELECT ON pgperf.slru_history TO pg_monitor;

-- The collector archiver.
CREATE TABLE pgperf.archiver_history (
    node_id            uuid NOT NULL,
    sample_id          bigint NOT NULL,
    taken_at           timestamptz NOT NULL,
    run_id             bigint,
    archive_mode       text,
    archived_count     bigint,
    failed_count       bigint,
    last_archived_wal  text,
    last_archived_time timestamptz,
    last_failed_wal    text,
    last_failed_time   timestamptz,
    ready_files        bigint,
    oldest_ready_s     float8,
    current_lsn        pg_lsn,
    behind_bytes       bigint,
    stats_reset        timestamptz
) PARTITION BY RANGE (taken_at);
SELECT pgperf_internal.add_history('archiver_history', 'archiver');
COMMENT ON TABLE pgperf.archiver_history IS 'The archive of the WAL, from pg_stat_archiver, and the files of the WAL that wait for it';
COMMENT ON COLUMN pgperf.archiver_history.archive_mode IS 'The setting: off, on or always';
COMMENT ON COLUMN pgperf.archiver_history.archived_count IS 'Files that were archived';
COMMENT ON COLUMN pgperf.archiver_history.failed_count IS 'Attempts to archive a file that failed';
COMMENT ON COLUMN pgperf.archiver_history.last_archived_wal IS 'The file that was archived last';
COMMENT ON COLUMN pgperf.archiver_history.last_archived_time IS 'When that was';
COMMENT ON COLUMN pgperf.archiver_history.last_failed_wal IS 'The file whose archiving failed last';
COMMENT ON COLUMN pgperf.archiver_history.last_failed_time IS 'When that was';
COMMENT ON COLUMN pgperf.archiver_history.ready_files IS 'Files that wait to be archived; NULL: unknown';
COMMENT ON COLUMN pgperf.archiver_history.oldest_ready_s IS 'For how many seconds the oldest of these has waited; NULL: none waits';
COMMENT ON COLUMN pgperf.archiver_history.current_lsn IS 'Where the server wrote WAL';
COMMENT ON COLUMN pgperf.archiver_history.behind_bytes IS 'WAL from the end of the segment archived last up to there. The segment that is being written is a part of it; NULL: no segment was archived last';
COMMENT ON COLUMN pgperf.archiver_history.stats_reset IS 'When these statistics were last reset';
GRANT SELECT ON pgperf.archiver_history TO pg_monitor;
SELECT pgperf_internal.create_delta_view('archiver_history', '{}', '{ready_files,oldest_ready_s,behind_bytes}');

-- The collector tablespaces.
CREATE TABLE pgperf.tablespace_history (
    node_id           uuid NOT NULL,
    sample_id         bigint NOT NULL,
    taken_at          timestamptz NOT NULL,
    run_id            bigint,
    kind              text NOT NULL CHECK (kind IN ('tablespace', 'WAL')),
    name              text NOT NULL,
    location          text,
    size_bytes        bigint,
    file_system       text,
    file_system_bytes bigint,
    free_bytes        bigint
) PARTITION BY RANGE (taken_at);
SELECT pgperf_internal.add_history('tablespace_history', 'tablespaces');
COMMENT ON TABLE pgperf.tablespace_history IS 'Tablespaces and the WAL''s folder, pg_wal: their sizes, and the room on the file systems that hold them';
COMMENT ON COLUMN pgperf.tablespace_history.kind IS 'tablespace, or WAL for the folder pg_wal';
COMMENT ON COLUMN pgperf.tablespace_history.name IS 'Name of the tablespace, or pg_wal';
COMMENT ON COLUMN pgperf.tablespace_history.location IS 'Folder of the tablespace; NULL: in the data directory';
COMMENT ON COLUMN pgperf.tablespace_history.size_bytes IS 'Bytes in its files, of all databases; NULL: they could not be read';
COMMENT ON COLUMN pgperf.tablespace_history.file_system IS 'Number of the device of its file system: the same for all that share one';
COMMENT ON COLUMN pgperf.tablespace_history.file_system_bytes IS 'Size of its file system';
COMMENT ON COLUMN pgperf.tablespace_history.free_bytes IS 'Room on its file system for the server, which is not root';
GRANT SELECT ON pgperf.tablespace_history TO pg_monitor;

-- The receivers of runs that wait for their catch-up.
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
GRANT SELECT ON pgperf.run_receivers, pgperf.run_receiver_lag TO pg_monitor;

-- What happens beside the load of runs.
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
GRANT SELECT ON pgperf.run_disturbances TO pg_monitor;

-- The plans of a run's statements.
CREATE TABLE pgperf.run_plans (
    node_id    uuid NOT NULL,
    run_id     bigint NOT NULL,
    script_no  integer NOT NULL,
    script     text NOT NULL,
    command_no integer NOT NULL,
    statement  text NOT NULL,
    plan       jsonb,
    shape      text,
    reason     text,
    PRIMARY KEY (node_id, run_id, script_no, command_no)
);
COMMENT ON TABLE pgperf.run_plans IS 'The plans that the statements of a run had before it began, with the role and the settings of its clients, and values as its first transactions draw them (plans => true)';
COMMENT ON COLUMN pgperf.run_plans.plan IS 'As EXPLAIN (FORMAT JSON) has it; NULL: see reason';
COMMENT ON COLUMN pgperf.run_plans.shape IS 'The nodes of the plan, a line each, without costs, conditions and values: plans with the same shape do the same';
COMMENT ON COLUMN pgperf.run_plans.reason IS 'Why there is no plan: the error of EXPLAIN, as where a value comes from the result of another statement';
COMMENT ON COLUMN pgperf.run_plans.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.run_plans.run_id IS 'Number of the run on its node';
COMMENT ON COLUMN pgperf.run_plans.script_no IS 'Number of the script, from 0';
COMMENT ON COLUMN pgperf.run_plans.script IS 'Name of the script';
COMMENT ON COLUMN pgperf.run_plans.command_no IS 'Number of the command in its script, from 0';
COMMENT ON COLUMN pgperf.run_plans.statement IS 'Text of the statement, with its variables';
SELECT pg_catalog.pg_extension_config_dump('pgperf.run_plans', '');
GRANT SELECT ON pgperf.run_plans TO pg_monitor;

-- The collector hit_curve.
CREATE TABLE pgperf.hit_curve_history (
    node_id              uuid NOT NULL,
    sample_id            bigint NOT NULL,
    taken_at             timestamptz NOT NULL,
    run_id               bigint,
    shared_buffers_bytes bigint NOT NULL,
    times                float8 NOT NULL,
    hit_percent          float8,
    low                  float8,
    high                 float8,
    seconds              float8,
    blks_hit             bigint,
    blks_read            bigint,
    followed             bigint,
    arrivals             bigint,
    looks                bigint,
    looks_ms             float8,
    note                 text
) PARTITION BY RANGE (taken_at);
SELECT pgperf_internal.add_history('hit_curve_history', 'hit_curve');
COMMENT ON TABLE pgperf.hit_curve_history IS 'The hit ratio that larger shared_buffers would have had since the previous sample, or over a run, up to four times the present size: one row for each size';
COMMENT ON COLUMN pgperf.hit_curve_history.shared_buffers_bytes IS 'The size';
COMMENT ON COLUMN pgperf.hit_curve_history.times IS 'The size as a multiple of the present one; 1: the present one, with the hit ratio that was counted';
COMMENT ON COLUMN pgperf.hit_curve_history.hit_percent IS 'Share of the accessed blocks that would have been found in shared_buffers; NULL: it cannot be said, see note, or the bounds are more than 20 points apart';
COMMENT ON COLUMN pgperf.hit_curve_history.low IS 'Lower bound of the 95 % confidence interval; NULL where nothing is estimated';
COMMENT ON COLUMN pgperf.hit_curve_history.high IS 'Upper bound of the 95 % confidence interval';
COMMENT ON COLUMN pgperf.hit_curve_history.seconds IS 'How long the buffers were followed';
COMMENT ON COLUMN pgperf.hit_curve_history.blks_hit IS 'Blocks that were found in shared_buffers: by the clients of the run, else by all sessions of the database';
COMMENT ON COLUMN pgperf.hit_curve_history.blks_read IS 'Blocks that were read, likewise; in PostgreSQL 15, outside of runs, also blocks added to relations';
COMMENT ON COLUMN pgperf.hit_curve_history.followed IS 'Buffers with a page of the followed sample at the last look';
COMMENT ON COLUMN pgperf.hit_curve_history.arrivals IS 'How often a followed page of the database was seen to have been read';
COMMENT ON COLUMN pgperf.hit_curve_history.looks IS 'Looks at all buffers';
COMMENT ON COLUMN pgperf.hit_curve_history.looks_ms IS 'Time on a CPU that the looks took';
COMMENT ON COLUMN pgperf.hit_curve_history.note IS 'What limits the estimate';
GRANT SELECT ON pgperf.hit_curve_history TO pg_monitor;

CREATE FUNCTION pgperf.hit_curve(
    run_id bigint DEFAULT NULL,
    OUT shared_buffers text,
    OUT hit_percent float8,
    OUT low float8,
    OUT high float8,
    OUT note text
) RETURNS SETOF record
    LANGUAGE c AS 'MODULE_PATHNAME', 'hit_curve_wrapper';
COMMENT ON FUNCTION pgperf.hit_curve(bigint) IS
    'The buffer hit ratio that larger shared_buffers would have had over a run started with hit_curve => true, with a 95 % interval; NULL: the newest run of this node; for the run''s role and members of pg_monitor';

CREATE FUNCTION pgperf.hit_curve(
    run text,
    OUT shared_buffers text,
    OUT hit_percent float8,
    OUT low float8,
    OUT high float8,
    OUT note text
) RETURNS SETOF record
    LANGUAGE c AS 'MODULE_PATHNAME', 'hit_curve_by_name_wrapper';
COMMENT ON FUNCTION pgperf.hit_curve(text) IS
    'The same of the newest run with this label, or of the run named as ''node name/run_id''';

GRANT EXECUTE ON FUNCTION pgperf.hit_curve(bigint), pgperf.hit_curve(text) TO PUBLIC;

-- Sides in turns.
CREATE FUNCTION pgperf.alternation(
    run_id bigint DEFAULT NULL,
    OUT metric text,
    OUT unit text,
    OUT direction text,
    OUT a float8,
    OUT b float8,
    OUT change_percent float8,
    OUT ci_low_percent float8,
    OUT ci_high_percent float8,
    OUT p_value float8,
    OUT p_adjusted float8,
    OUT blocks integer,
    OUT verdict text
) RETURNS SETOF record
    LANGUAGE c AS 'MODULE_PATHNAME', 'alternation_wrapper';
COMMENT ON FUNCTION pgperf.alternation(bigint) IS
    'How the sides of a run with alternate differ: means of both, the change from A to B by blocks of four turns with its 95 % interval and p-value, and whether B is better; NULL: the newest run of this node; for the run''s role and members of pg_monitor';

CREATE FUNCTION pgperf.alternation(
    run text,
    OUT metric text,
    OUT unit text,
    OUT direction text,
    OUT a float8,
    OUT b float8,
    OUT change_percent float8,
    OUT ci_low_percent float8,
    OUT ci_high_percent float8,
    OUT p_value float8,
    OUT p_adjusted float8,
    OUT blocks integer,
    OUT verdict text
) RETURNS SETOF record
    LANGUAGE c AS 'MODULE_PATHNAME', 'alternation_by_name_wrapper';
COMMENT ON FUNCTION pgperf.alternation(text) IS
    'The same of the newest run with this label, or of the run named as ''node name/run_id''';

GRANT EXECUTE ON FUNCTION pgperf.alternation(bigint), pgperf.alternation(text) TO PUBLIC;
CREATE FUNCTION pgperf.disturbance_impact(
    run_id bigint DEFAULT NULL,
    OUT name text,
    OUT kind text,
    OUT occurrences bigint,
    OUT metric text,
    OUT unit text,
    OUT inside float8,
    OUT inside_low float8,
    OUT inside_high float8,
    OUT after float8,
    OUT after_low float8,
    OUT after_high float8,
    OUT outside float8,
    OUT outside_low float8,
    OUT outside_high float8,
    OUT change_percent float8,
    OUT change_low float8,
    OUT change_high float8,
    OUT p_value float8,
    OUT recovered bigint,
    OUT recovery_s float8
) RETURNS SETOF record
    LANGUAGE c AS 'MODULE_PATHNAME', 'disturbance_impact_wrapper';
COMMENT ON FUNCTION pgperf.disturbance_impact(bigint) IS
    'What the disturbances of a run cost: for each and for tps, latency percentiles and WAL of the clients the figure in the intervals inside its occurrences, after them, and outside of all disturbances, with 95 % intervals, the change from outside to inside, and how long it took at most until the figure was as outside again; NULL: the newest run of this node; for the run''s role and members of pg_monitor';

CREATE FUNCTION pgperf.disturbance_impact(
    run text,
    OUT name text,
    OUT kind text,
    OUT occurrences bigint,
    OUT metric text,
    OUT unit text,
    OUT inside float8,
    OUT inside_low float8,
    OUT inside_high float8,
    OUT after float8,
    OUT after_low float8,
    OUT after_high float8,
    OUT outside float8,
    OUT outside_low float8,
    OUT outside_high float8,
    OUT change_percent float8,
    OUT change_low float8,
    OUT change_high float8,
    OUT p_value float8,
    OUT recovered bigint,
    OUT recovery_s float8
) RETURNS SETOF record
    LANGUAGE c AS 'MODULE_PATHNAME', 'disturbance_impact_by_name_wrapper';
COMMENT ON FUNCTION pgperf.disturbance_impact(text) IS
    'The same of the newest run with this label, or of the run named as ''node name/run_id''';

GRANT EXECUTE ON FUNCTION pgperf.disturbance_impact(bigint), pgperf.disturbance_impact(text) TO PUBLIC;

-- Further runs of sweeps.
CREATE FUNCTION pgperf_internal.precision_of(
    tps float8[], wanted float8, fewest integer, most integer,
    OUT precision_percent float8, OUT precise boolean, OUT missing integer
) RETURNS SETOF record
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE ROWS 1 AS 'MODULE_PATHNAME', 'precision_of_wrapper';
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
COMMENT ON COLUMN pgperf_internal.sweep_restarts.node_id IS 'The node to which the row belongs (pgperf.nodes)';
GRANT SELECT ON pgperf_internal.sweep_restarts TO pg_monitor;

CREATE OR REPLACE VIEW pgperf.device_rates AS
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
       d.time_in_queue_per_s / 1000 AS aqu_sz, CASE WHEN d.io_ticks_per_s IS NOT NULL THEN LEAST(100, d.io_ticks_per_s / 10) END AS util
FROM pgperf.device_deltas d;

CREATE OR REPLACE VIEW pgperf.statement_rates AS
SELECT d.*,
       d.total_exec_time / NULLIF(d.calls, 0) AS mean_exec_time,
       CASE WHEN d.calls > 0 AND d.exec_time_squares IS NOT NULL AND d.total_exec_time IS NOT NULL
            THEN pg_catalog.sqrt(GREATEST(0, d.exec_time_squares / d.calls - (d.total_exec_time / d.calls) * (d.total_exec_time / d.calls))) END AS stddev_exec_time,
       d.total_plan_time / NULLIF(d.plans, 0) AS mean_plan_time,
       100 * d.shared_blks_hit / NULLIF(d.shared_blks_hit + d.shared_blks_read, 0)::float8 AS hit_percent,
       t.query
FROM pgperf.statement_deltas d
LEFT JOIN LATERAL (SELECT x.query FROM pgperf.statement_texts x
                   WHERE x.node_id = d.node_id AND x.queryid = d.queryid AND x.dbid = d.dbid LIMIT 1) t ON true;

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
       CASE WHEN x.wal_bytes > 0 AND x.wal_fpi IS NOT NULL
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

CREATE OR REPLACE VIEW pgperf.sweeps AS
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
       CASE WHEN s.status IN ('waiting', 'running') AND COALESCE(n.seconds_per_run, p.seconds_per_run) IS NOT NULL THEN
           GREATEST((s.runs - n.finished - n.failed + COALESCE(f.further_runs, 0)) * COALESCE(n.seconds_per_run, p.seconds_per_run) - COALESCE(c.elapsed_s, 0), 0)
       END AS eta_s,
       s.random_seed,
       s.spec,
       s.requested_at,
       s.started_at,
       s.resumed_at,
       s.ended_at,
       s.server_version,
       s.sqlstate,
       s.error,
       f.further_runs,
       s.origin_node_id,
       s.origin_sweep_id,
       s.origin_role,
       s.restart
FROM (
    SELECT t.*, pg_catalog.cardinality(t.run_order) AS runs,
           CASE WHEN w.server_started_at = pg_catalog.pg_postmaster_start_time() THEN w.reason END AS restart,
           CASE WHEN t.stored_status IN ('finished', 'stopped', 'failed') THEN t.stored_status
                WHEN pgperf_internal.sweep_alive(t.node_id::text, t.sweep_id) THEN t.stored_status
                WHEN w.settings IS NOT NULL AND w.server_started_at = pg_catalog.pg_postmaster_start_time() THEN 'needs restart'
                ELSE 'interrupted'
           END AS status
    FROM pgperf_internal.stored_sweeps t
    LEFT JOIN pgperf_internal.sweep_restarts w USING (node_id, sweep_id)
) s
CROSS JOIN LATERAL (
    SELECT pg_catalog.count(*)::integer AS points,
           -- The duration from the arguments, until a run shows how long it takes.
           pg_catalog.avg(CASE WHEN q.arguments ->> 'transactions_per_client' IS NULL
                               THEN EXTRACT(epoch FROM COALESCE((q.arguments ->> 'duration')::interval, '60 s')
                                                       + COALESCE((q.arguments ->> 'warmup')::interval, '0 s')) END)::float8 AS seconds_per_run
    FROM pgperf_internal.stored_sweep_points q
    WHERE q.node_id = s.node_id AND q.sweep_id = s.sweep_id
) p
CROSS JOIN LATERAL (
    SELECT pg_catalog.count(*) FILTER (WHERE l.done)::integer AS finished,
           -- No tries left, or the sweep has ended without it.
           pg_catalog.count(*) FILTER (WHERE NOT l.done AND (l.bad > 0 OR s.status = 'failed' AND l.ended > 0)
               AND (l.tries >= (s.spec ->> 'run_tries')::integer OR s.status NOT IN ('waiting', 'running', 'needs restart')))::integer AS failed,
           COALESCE(pg_catalog.sum(l.ended), 0)::integer AS attempts,
           COALESCE(pg_catalog.sum(l.seconds), 0)::float8 AS elapsed_s,
           (pg_catalog.sum(l.finished_s) / NULLIF(pg_catalog.count(*) FILTER (WHERE l.done), 0))::float8 AS seconds_per_run
    FROM (
        SELECT q.done, q.tries,
               pg_catalog.count(a.outcome) AS ended,
               pg_catalog.count(*) FILTER (WHERE a.outcome IN ('failed', 'interrupted')) AS bad,
               EXTRACT(epoch FROM pg_catalog.sum(a.ended_at - a.started_at)) AS seconds,
               EXTRACT(epoch FROM pg_catalog.sum(a.ended_at - a.started_at) FILTER (WHERE a.outcome = 'finished')) AS finished_s
        FROM pgperf_internal.sweep_plan q
        LEFT JOIN pgperf_internal.sweep_attempts a USING (node_id, sweep_id, position)
        WHERE q.node_id = s.node_id AND q.sweep_id = s.sweep_id
        GROUP BY q.position, q.done, q.tries
    ) l
) n
LEFT JOIN LATERAL (
    SELECT a.run_id, a.load_run_id, EXTRACT(epoch FROM pg_catalog.clock_timestamp() - a.started_at)::float8 AS elapsed_s
    FROM pgperf_internal.sweep_attempts a
    WHERE a.node_id = s.node_id AND a.sweep_id = s.sweep_id AND a.outcome IS NULL AND s.status = 'running'
    ORDER BY a.started_at DESC
    LIMIT 1
) c ON true
LEFT JOIN LATERAL (
    -- What each point is missing beyond its planned runs.
    SELECT pg_catalog.sum(GREATEST(w.missing - v.planned, 0))::integer AS further_runs
    FROM (
        SELECT pg_catalog.array_agg(u.tps) FILTER (WHERE u.status = 'finished') AS tps_values,
               pg_catalog.count(*) FILTER (WHERE u.status <> 'finished') AS planned
        FROM pgperf.sweep_runs u
        WHERE u.node_id = s.node_id AND u.sweep_id = s.sweep_id
        GROUP BY u.point_no
    ) v
    CROSS JOIN LATERAL pgperf_internal.precision_of(COALESCE(v.tps_values, '{}'), (s.spec #>> '{precision,wanted}')::float8,
                                                    (s.spec #>> '{precision,fewest}')::integer, (s.spec #>> '{precision,most}')::integer) w
    WHERE s.status IN ('waiting', 'running') AND s.spec -> 'precision' IS NOT NULL
) f ON true;
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
       r.error,
       w.precision_percent,
       w.precise,
       r.caches || CASE WHEN r.unprepared > 0 THEN pg_catalog.format(' in %s of %s runs: %s', m.n - r.unprepared, m.n, r.obstacle) ELSE '' END AS caches
FROM pgperf_internal.stored_sweep_points p
LEFT JOIN pgperf_internal.stored_sweeps s USING (node_id, sweep_id)
LEFT JOIN (
    SELECT u.node_id, u.sweep_id, u.point_no,
           pg_catalog.array_agg(u.tps ORDER BY u.repetition) FILTER (WHERE u.status = 'finished') AS tps_values,
           pg_catalog.array_agg(u.run_id ORDER BY u.repetition) FILTER (WHERE u.status = 'finished') AS run_ids,
           pg_catalog.avg(u.latency_avg_ms) FILTER (WHERE u.status = 'finished') AS latency_avg_ms,
           pgperf.histogram_merge(t.histogram) FILTER (WHERE u.status = 'finished') AS histogram,
           pg_catalog.max(u.latency_max_ms) FILTER (WHERE u.status = 'finished') AS latency_max_ms,
           (pg_catalog.sum(u.failed) FILTER (WHERE u.status = 'finished'))::bigint AS failed_transactions,
           -- A run stopped with its sweep has not failed; a run stopped by itself is one that the sweep could not do.
           pg_catalog.count(*) FILTER (WHERE u.status IN ('failed', 'interrupted')
               OR u.status = 'stopped' AND s.stored_status = 'failed')::integer AS failed_runs,
           pg_catalog.max(u.error) AS error,
           pg_catalog.max(e.value) FILTER (WHERE u.status = 'finished') AS caches,
           pg_catalog.count(e.note) FILTER (WHERE u.status = 'finished') AS unprepared,
           pg_catalog.max(e.note) FILTER (WHERE u.status = 'finished') AS obstacle
    FROM pgperf.sweep_runs u
    JOIN pgperf_internal.stored_sweeps s USING (node_id, sweep_id)
    LEFT JOIN pgperf_internal.run_totals t ON t.node_id = u.node_id AND t.run_id = u.run_id
    LEFT JOIN pgperf.run_environment e ON e.node_id = u.node_id AND e.run_id = u.run_id AND e.category = 'memory' AND e.name = 'caches'
    GROUP BY u.node_id, u.sweep_id, u.point_no
) r USING (node_id, sweep_id, point_no)
CROSS JOIN LATERAL pgperf.mean_interval(COALESCE(r.tps_values, '{}')) m
CROSS JOIN LATERAL (
    -- A quantile is the upper end of its bucket, which can lie above the true maximum.
    SELECT pg_catalog.array_agg(CASE WHEN h.ms > r.latency_max_ms THEN r.latency_max_ms ELSE h.ms END ORDER BY h.n) AS ms
    FROM pg_catalog.unnest(pgperf.histogram_quantile(r.histogram, '{0.5, 0.95, 0.99, 0.999}'::float8[])) WITH ORDINALITY AS h (ms, n)
) q
LEFT JOIN LATERAL pgperf_internal.precision_of(COALESCE(r.tps_values, '{}'), (s.spec #>> '{precision,wanted}')::float8,
                                               (s.spec #>> '{precision,fewest}')::integer, (s.spec #>> '{precision,most}')::integer) w ON true;
COMMENT ON FUNCTION pgperf_internal.precision_of(double precision[],double precision,integer,integer) IS 'How well the mean of a point''s runs is known, whether that is as well as wanted (a share), and about how many runs are missing; used by the views of sweeps';
COMMENT ON COLUMN pgperf.sweeps.restart IS 'Why the server has to be restarted: for the next point, or for the settings that the sweep found; NULL: it has not to be';
COMMENT ON COLUMN pgperf.sweeps.further_runs IS 'About how many runs are still to be planned until each point is precise, if runs vary as so far; NULL: it is not running, has no until_precise, or its runs say nothing yet';
COMMENT ON COLUMN pgperf.sweep_points.precision_percent IS 'With until_precise: how far the mean tps may be off, in percent of it: half of its 98 % interval, wider than that of 95 % for the looks in between; NULL: fewer than two runs, or no until_precise';
COMMENT ON COLUMN pgperf.sweep_points.precise IS 'Whether that is as little as until_precise asks for; NULL: no until_precise';
COMMENT ON COLUMN pgperf.sweep_points.caches IS 'cold or warm, as the runs asked for, and in how many of them it was so, if not in all, and why; NULL: they did not ask';

CREATE VIEW pgperf.sweep_metrics AS
SELECT r.node_id, r.sweep_id, r.point_no, r.metric, r.unit, m.n, m.mean, m.ci_low, m.ci_high, r.metric_values, r.run_ids
FROM (
    SELECT u.node_id, u.sweep_id, u.point_no, t.metric, pg_catalog.max(t.unit) AS unit,
           pg_catalog.array_agg(t.value ORDER BY u.repetition) AS metric_values,
           pg_catalog.array_agg(u.run_id ORDER BY u.repetition) AS run_ids
    FROM pgperf.sweep_runs u
    JOIN pgperf.run_metrics t ON t.node_id = u.node_id AND t.run_id = u.run_id
    WHERE u.status = 'finished' AND t.category = 'workload' AND t.value IS NOT NULL
    GROUP BY u.node_id, u.sweep_id, u.point_no, t.metric
) r
CROSS JOIN LATERAL pgperf.mean_interval(r.metric_values) m;
COMMENT ON VIEW pgperf.sweep_metrics IS
    'One row for each point of a sweep''s grid and each metric that its workload defines, such as nopm: the mean over its finished runs with its 95 % interval by Student''s t';
COMMENT ON COLUMN pgperf.sweep_metrics.sweep_id IS 'Number of the sweep';
COMMENT ON COLUMN pgperf.sweep_metrics.point_no IS 'Number of the point (pgperf.sweep_points)';
COMMENT ON COLUMN pgperf.sweep_metrics.metric IS 'Name of the metric';
COMMENT ON COLUMN pgperf.sweep_metrics.unit IS 'Unit of the values';
COMMENT ON COLUMN pgperf.sweep_metrics.n IS 'Number of finished runs that have it';
COMMENT ON COLUMN pgperf.sweep_metrics.mean IS 'Mean over these runs';
COMMENT ON COLUMN pgperf.sweep_metrics.ci_low IS 'Lower end of the 95 % interval of that mean; NULL: one run gives no interval';
COMMENT ON COLUMN pgperf.sweep_metrics.ci_high IS 'Upper end of that interval; NULL: one run gives no interval';
COMMENT ON COLUMN pgperf.sweep_metrics.metric_values IS 'The value of each run, in the order of repetitions, as in run_ids';
COMMENT ON COLUMN pgperf.sweep_metrics.run_ids IS 'The runs, in the order of repetitions';
GRANT SELECT ON pgperf.sweep_metrics TO pg_monitor;
SELECT pgperf_internal.create_delta_view('statement_history', '{queryid,userid,dbid,toplevel}',
    '{role_name,database_name,statements,left_out,dealloc}', sparse => true,
    lived_on => 'CASE WHEN h.queryid = 0 THEN h.dealloc = p.dealloc
                      WHEN h.stats_since IS NOT NULL THEN h.stats_since = p.stats_since
                      ELSE LEAST(h.calls - p.calls, h.total_exec_time - p.total_exec_time, h.rows - p.rows, h.shared_blks_hit - p.shared_blks_hit,
                                 h.shared_blks_read - p.shared_blks_read, h.temp_blks_written - p.temp_blks_written, h.wal_bytes - p.wal_bytes) >= 0
                           AND h.min_exec_time <= p.min_exec_time AND h.max_exec_time >= p.max_exec_time END',
    began => 'h.queryid <> 0 AND CASE WHEN h.stats_since IS NOT NULL THEN h.stats_since > c.taken_at ELSE c.left_out = 0 END');
-- What an epoch is made of, and standbys of one name.
ALTER TABLE pgperf.samples ADD COLUMN counting jsonb;
COMMENT ON COLUMN pgperf.samples.counting IS 'What the epoch is made of: seconds since 1970 of the server''s start, and of the last reset of each kind of statistics; and two counters of this database, which tell its reset from that of a single table';
ALTER TABLE pgperf.replication_history ADD COLUMN instance integer;
COMMENT ON COLUMN pgperf.replication_history.instance IS 'Standby: its number, from 1, among those with the same name and client, in the order in which they connected';
ALTER TABLE pgperf.relation_history ADD COLUMN stats_reset timestamptz;
SELECT pgperf_internal.create_delta_view('relation_history', '{relation_oid}',
    '{schema_name,relation_name,relation_kind,table_name,relations,left_out,size_bytes,relpages,reltuples,n_live_tup,n_dead_tup,n_mod_since_analyze,n_ins_since_vacuum}',
    sparse => true,
    lived_on => 's.epoch = ps.epoch AND (h.relation_oid <> 0 OR h.remaining_mark = p.relations_mark)
                 AND (s.counting ->> ''reset'' IS NOT DISTINCT FROM ps.counting ->> ''reset'' OR h.relation_oid <> 0 AND COALESCE(
                      NULLIF(p.seq_scan, 0) = h.seq_scan OR NULLIF(p.idx_scan, 0) = h.idx_scan OR NULLIF(p.n_tup_ins, 0) = h.n_tup_ins
                      OR NULLIF(p.n_tup_upd, 0) = h.n_tup_upd OR NULLIF(p.n_tup_del, 0) = h.n_tup_del OR NULLIF(p.blks_read, 0) = h.blks_read
                      OR p.last_vacuum = h.last_vacuum OR p.last_autovacuum = h.last_autovacuum OR p.last_analyze = h.last_analyze
                      OR p.last_autoanalyze = h.last_autoanalyze OR p.stats_reset = h.stats_reset, false))',
    began => 'h.relation_oid > c.last_oid AND h.relation_kind <> ''index'' AND s.epoch = cs.epoch
              AND s.counting ->> ''reset'' IS NOT DISTINCT FROM cs.counting ->> ''reset''');
DROP VIEW pgperf.replication_deltas;
SELECT pgperf_internal.create_delta_view('replication_history', '{kind,name,client,instance}',
    '{sent_lag_bytes,write_lag_bytes,flush_lag_bytes,replay_lag_bytes,write_lag_ms,flush_lag_ms,replay_lag_ms,silent_ms,retained_bytes,safe_wal_size,xmin_age,catalog_xmin_age}',
    began => 'h.kind = ''slot'' AND s.epoch = cs.epoch');
SELECT pgperf_internal.create_delta_view('slru_history', '{name}');
SELECT pgperf_internal.create_delta_view('lock_history', '{lock_type}');
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
    d.description
   FROM pgperf_internal.collector_definitions() WITH ORDINALITY d(name, enabled, sample_interval, cost, in_runs, needs, history_tables, description, ordinality)
     LEFT JOIN pgperf_internal.collector_settings s ON s.name = d.name
     CROSS JOIN LATERAL ( SELECT COALESCE(bool_or(t.rolled_up), true) AS rolled_up
           FROM pgperf_internal.history_tables t
          WHERE t.collector = d.name) h
  ORDER BY d.ordinality;

-- Stored workloads may have data sets.
ALTER TABLE pgperf_internal.stored_workloads ADD COLUMN options jsonb NOT NULL DEFAULT '{}', ADD COLUMN setup_sql text,
    ADD COLUMN load_sql text, ADD COLUMN check_sql text, ADD COLUMN metrics_sql text, ADD COLUMN origin jsonb;
DROP FUNCTION pgperf.create_workload(text,text,text[],integer[],jsonb,jsonb,text,boolean);
CREATE FUNCTION pgperf.create_workload(name text, script text DEFAULT NULL::text, scripts text[] DEFAULT NULL::text[], weights integer[] DEFAULT NULL::integer[], variables jsonb DEFAULT NULL::jsonb, settings jsonb DEFAULT NULL::jsonb, description text DEFAULT NULL::text, replace boolean DEFAULT false, setup_sql text DEFAULT NULL::text, load_sql text DEFAULT NULL::text, check_sql text DEFAULT NULL::text, metrics_sql text DEFAULT NULL::text, options jsonb DEFAULT NULL::jsonb)
 RETURNS void
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$create_workload_wrapper$function$;
REVOKE ALL ON ROUTINE pgperf.create_workload(text,text,text[],integer[],jsonb,jsonb,text,boolean,text,text,text,text,jsonb) FROM PUBLIC;

-- Workloads out of observed statements.
CREATE FUNCTION pgperf.create_workload_from_statements(name text, top integer DEFAULT 20, by text DEFAULT 'time'::text, from_time timestamp with time zone DEFAULT NULL::timestamp with time zone, to_time timestamp with time zone DEFAULT NULL::timestamp with time zone, writes boolean DEFAULT false, transactions boolean DEFAULT NULL::boolean, pool_rows integer DEFAULT 10000, replace boolean DEFAULT false, description text DEFAULT NULL::text)
 RETURNS TABLE(queryid bigint, share_percent double precision, calls bigint, script text, outcome text, statement text)
 LANGUAGE c
 ROWS 20
AS 'MODULE_PATHNAME', $function$create_workload_from_statements_wrapper$function$;
REVOKE ALL ON ROUTINE pgperf.create_workload_from_statements(text,integer,text,timestamp with time zone,timestamp with time zone,boolean,boolean,integer,boolean,text) FROM PUBLIC;
CREATE FUNCTION pgperf.observed_rate(workload text)
 RETURNS double precision
 LANGUAGE c
 STABLE STRICT
AS 'MODULE_PATHNAME', $function$observed_rate_wrapper$function$;
CREATE FUNCTION pgperf.workload_fidelity(run_id bigint DEFAULT NULL::bigint, from_time timestamp with time zone DEFAULT NULL::timestamp with time zone, to_time timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS TABLE(queryid bigint, script text, statement text, calls bigint, original_calls bigint, calls_percent double precision, original_calls_percent double precision, mean_ms double precision, original_mean_ms double precision, rows_per_call double precision, original_rows_per_call double precision, blocks_per_call double precision, original_blocks_per_call double precision, hit_percent double precision, original_hit_percent double precision, likeness_percent double precision)
 LANGUAGE c
 STABLE ROWS 20
AS 'MODULE_PATHNAME', $function$workload_fidelity_wrapper$function$;
CREATE FUNCTION pgperf.workload_fidelity(run text, from_time timestamp with time zone DEFAULT NULL::timestamp with time zone, to_time timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS TABLE(queryid bigint, script text, statement text, calls bigint, original_calls bigint, calls_percent double precision, original_calls_percent double precision, mean_ms double precision, original_mean_ms double precision, rows_per_call double precision, original_rows_per_call double precision, blocks_per_call double precision, original_blocks_per_call double precision, hit_percent double precision, original_hit_percent double precision, likeness_percent double precision)
 LANGUAGE c
 STABLE ROWS 20
AS 'MODULE_PATHNAME', $function$workload_fidelity_wrapper$function$;

-- Built-in workloads may have several scripts.
CREATE FUNCTION pgperf_internal.built_in_workloads(OUT name text, OUT description text, OUT scripts jsonb)
 RETURNS SETOF record
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE ROWS 3
AS 'MODULE_PATHNAME', $function$built_in_workloads_wrapper$function$;
CREATE OR REPLACE VIEW pgperf.workloads AS
 SELECT b.name,
    'built-in'::text AS kind,
    b.description,
    b.scripts,
    NULL::jsonb AS variables,
    NULL::jsonb AS settings,
    NULL::text AS role,
    NULL::timestamp with time zone AS created_at,
    NULL::jsonb AS options,
    NULL::text AS setup_sql,
    NULL::text AS load_sql,
    NULL::text AS check_sql,
    NULL::text AS metrics_sql
   FROM pgperf_internal.built_in_workloads() b(name, description, scripts)
UNION ALL
 SELECT s.name,
    'stored'::text AS kind,
    s.description,
    s.scripts,
    s.variables,
    s.settings,
    s.role,
    s.created_at,
    s.options,
    s.setup_sql,
    s.load_sql,
    s.check_sql,
    s.metrics_sql
   FROM pgperf_internal.stored_workloads s;
DROP FUNCTION pgperf_internal.builtin_workloads();

CREATE FUNCTION pgperf_internal.call_options(OUT call text, OUT "position" integer, OUT name text, OUT type_name text, OUT default_value text)
 RETURNS SETOF record
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', $function$call_options_wrapper$function$;
REVOKE ALL ON ROUTINE pgperf_internal.call_options() FROM PUBLIC;

-- Columns of what belongs to runs. Views take what they pass on from here: 90_derived.sql.
COMMENT ON COLUMN pgperf_internal.stored_runs.kind IS 'run or load';
COMMENT ON COLUMN pgperf_internal.stored_runs.label IS 'Name given by the call; NULL: none';
COMMENT ON COLUMN pgperf_internal.stored_runs.workload IS 'The workload or weighted mix that it ran; for a load, the workload whose tables it made';
COMMENT ON COLUMN pgperf_internal.stored_runs.role IS 'The role that started it; its clients are sessions of this role';
COMMENT ON COLUMN pgperf_internal.stored_runs.clients IS 'Number of client sessions; for a load, of workers';
COMMENT ON COLUMN pgperf_internal.stored_runs.query_mode IS 'simple, extended or prepared, as for pgbench -M';
COMMENT ON COLUMN pgperf_internal.stored_runs.scale IS 'Scale of the workload''s tables, rounded up, or the value of :scale in scripts';
COMMENT ON COLUMN pgperf_internal.stored_runs.random_seed IS 'Seed of its random values';
COMMENT ON COLUMN pgperf_internal.stored_runs.spec IS 'All options in force, as a document; the key call holds the arguments as given';
COMMENT ON COLUMN pgperf_internal.stored_runs.stored_status IS 'The last status that its leader stored: waiting, preparing, warming up, running, draining, finished, stopped or failed';
COMMENT ON COLUMN pgperf_internal.stored_runs.requested_at IS 'When it was requested';
COMMENT ON COLUMN pgperf_internal.stored_runs.started_at IS 'When its leader began; NULL: not yet';
COMMENT ON COLUMN pgperf_internal.stored_runs.ended_at IS 'When it ended; NULL: it has not, or it was interrupted';
COMMENT ON COLUMN pgperf_internal.stored_runs.start_lsn IS 'WAL position of the server when the measured part began';
COMMENT ON COLUMN pgperf_internal.stored_runs.end_lsn IS 'WAL position of the server when the measured part ended';
COMMENT ON COLUMN pgperf_internal.stored_runs.start_full_xid IS 'Next transaction id of the server, with its epoch, when the measured part began';
COMMENT ON COLUMN pgperf_internal.stored_runs.end_full_xid IS 'Next transaction id of the server, with its epoch, when the measured part ended';
COMMENT ON COLUMN pgperf_internal.stored_runs.server_version IS 'Version of the server on which it ran';
COMMENT ON COLUMN pgperf_internal.stored_runs.leader_pid IS 'Process id of its leader on this server; once the run has ended, another process may have it';
COMMENT ON COLUMN pgperf_internal.stored_runs.origin_node_id IS 'For an imported run: the node on which it ran; NULL: it ran here';
COMMENT ON COLUMN pgperf_internal.stored_runs.sqlstate IS 'SQLSTATE of the error that made it fail; NULL: none';
COMMENT ON COLUMN pgperf_internal.stored_runs.error IS 'Why it failed, was stopped, or is not resumed automatically; NULL: no such reason';

COMMENT ON COLUMN pgperf.runs.status IS 'waiting, preparing, warming up, running, draining, finished, stopped, failed, or interrupted (its leader or the server went away)';
COMMENT ON COLUMN pgperf.runs.sweep_id IS 'The sweep to which it belongs (pgperf.sweeps); NULL: none';
COMMENT ON COLUMN pgperf.runs.sweep_point IS 'In a sweep: number of its point (pgperf.sweep_points)';
COMMENT ON COLUMN pgperf.runs.sweep_repetition IS 'In a sweep: number of the repetition of its point, from 1';

COMMENT ON COLUMN pgperf_internal.run_totals.seconds IS 'Length of the measured part in seconds';
COMMENT ON COLUMN pgperf_internal.run_totals.transactions IS 'Successful transactions; for a load, rows';
COMMENT ON COLUMN pgperf_internal.run_totals.failed IS 'Transactions that were given up: after the last try, or, with continue_on_error, because of another error';
COMMENT ON COLUMN pgperf_internal.run_totals.serialization_failures IS 'Failed transactions whose last error was a serialization failure';
COMMENT ON COLUMN pgperf_internal.run_totals.deadlock_failures IS 'Failed transactions whose last error was a deadlock';
COMMENT ON COLUMN pgperf_internal.run_totals.other_failures IS 'Transactions that failed with any other error (continue_on_error)';
COMMENT ON COLUMN pgperf_internal.run_totals.retried IS 'Transactions that were tried more than once';
COMMENT ON COLUMN pgperf_internal.run_totals.retries IS 'Retries of all transactions together';
COMMENT ON COLUMN pgperf_internal.run_totals.skipped IS 'With a rate: transactions not begun because they would have exceeded latency_limit';
COMMENT ON COLUMN pgperf_internal.run_totals.late IS 'Transactions that took longer than latency_limit';
COMMENT ON COLUMN pgperf_internal.run_totals.warmup_transactions IS 'Transactions of the warm-up; no other figure includes them';
COMMENT ON COLUMN pgperf_internal.run_totals.latency_avg_ms IS 'Mean latency of successful transactions in ms; with a rate, measured from the time at which each was due';
COMMENT ON COLUMN pgperf_internal.run_totals.latency_stddev_ms IS 'Standard deviation of the latency in ms';
COMMENT ON COLUMN pgperf_internal.run_totals.latency_p50_ms IS 'Median latency in ms';
COMMENT ON COLUMN pgperf_internal.run_totals.latency_p90_ms IS '90th percentile of the latency in ms';
COMMENT ON COLUMN pgperf_internal.run_totals.latency_p95_ms IS '95th percentile of the latency in ms';
COMMENT ON COLUMN pgperf_internal.run_totals.latency_p99_ms IS '99th percentile of the latency in ms';
COMMENT ON COLUMN pgperf_internal.run_totals.latency_p999_ms IS '99.9th percentile of the latency in ms';
COMMENT ON COLUMN pgperf_internal.run_totals.latency_p9999_ms IS '99.99th percentile of the latency in ms';
COMMENT ON COLUMN pgperf_internal.run_totals.latency_max_ms IS 'Highest latency in ms';
COMMENT ON COLUMN pgperf_internal.run_totals.lag_avg_ms IS 'Average delay in ms of successful transactions behind the schedule of the rate; NULL: no rate';
COMMENT ON COLUMN pgperf_internal.run_totals.lag_max_ms IS 'Longest delay in ms of a successful transaction behind the schedule; NULL: no rate';
COMMENT ON COLUMN pgperf_internal.run_totals.connect_ms IS 'Time in ms from the first client''s start until all clients were ready';
COMMENT ON COLUMN pgperf_internal.run_totals.reconnects IS 'Number of new client sessions (reconnect)';
COMMENT ON COLUMN pgperf_internal.run_totals.reconnect_avg_ms IS 'Average time in ms to open a new session; NULL: there was none';
COMMENT ON COLUMN pgperf_internal.run_totals.bytes_returned IS 'Bytes of the rows that the clients received';
COMMENT ON COLUMN pgperf_internal.run_totals.rows_returned IS 'Rows that the clients received';
COMMENT ON COLUMN pgperf_internal.run_totals.wal_bytes IS 'Bytes of WAL records that the clients wrote';
COMMENT ON COLUMN pgperf_internal.run_totals.wal_records IS 'WAL records that the clients wrote';
COMMENT ON COLUMN pgperf_internal.run_totals.wal_fpi IS 'Full-page images in the clients'' WAL';
COMMENT ON COLUMN pgperf_internal.run_totals.shared_blks_hit IS 'Blocks that the clients found in shared_buffers';
COMMENT ON COLUMN pgperf_internal.run_totals.shared_blks_read IS 'Blocks that the clients had to read into shared_buffers';
COMMENT ON COLUMN pgperf_internal.run_totals.shared_blks_dirtied IS 'Clean blocks that the clients changed';
COMMENT ON COLUMN pgperf_internal.run_totals.histogram IS 'Latencies of successful transactions: HdrHistogram V2 in nanoseconds';
COMMENT ON COLUMN pgperf_internal.run_totals.parse_ms IS 'Average time in ms per transaction for parse analysis and rewriting of its statements; 0 for prepared ones';
COMMENT ON COLUMN pgperf_internal.run_totals.plan_ms IS 'Average time in ms per transaction for planning its statements; 0 where generic plans were used';

COMMENT ON COLUMN pgperf.run_summary.duration_s IS 'Length of the measured part in seconds';
COMMENT ON COLUMN pgperf.run_summary.tps IS 'Successful transactions per second; for a load, rows per second';
COMMENT ON COLUMN pgperf.run_summary.wal_bytes_per_tx IS 'Bytes of the clients'' WAL per successful transaction';
COMMENT ON COLUMN pgperf.run_summary.hit_percent IS 'Share of the blocks accessed by the clients that were found in shared_buffers';
COMMENT ON COLUMN pgperf.run_summary.database_growth_bytes IS 'Growth of the database, without pgperf''s history; NULL: not measured';
COMMENT ON COLUMN pgperf.run_summary.own_history_bytes IS 'Growth of pgperf''s history meanwhile; NULL: not measured';
COMMENT ON COLUMN pgperf.run_summary.own_wal_bytes IS 'Bytes of WAL that pgperf itself wrote; NULL: not measured';
COMMENT ON COLUMN pgperf.run_summary.own_xids IS 'Transaction ids that pgperf itself used; NULL: not measured';
COMMENT ON COLUMN pgperf.run_summary.has_totals IS 'Whether the figures are its final totals; false: sums over its intervals so far, with NULL for figures that intervals do not have';

COMMENT ON COLUMN pgperf.run_intervals.interval_no IS 'Number of the interval, from 0';
COMMENT ON COLUMN pgperf.run_intervals.started_at IS 'When the interval began';
COMMENT ON COLUMN pgperf.run_intervals.seconds IS 'Length of the interval in seconds';
COMMENT ON COLUMN pgperf.run_intervals.tps IS 'Successful transactions per second in the interval';
COMMENT ON COLUMN pgperf.run_intervals.in_checkpoint IS 'Whether a checkpoint was being written at any time in the interval; NULL: not known';

CREATE FUNCTION pgperf_internal.rate_at(rate text, seconds float8) RETURNS float8
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'rate_at_wrapper';
COMMENT ON FUNCTION pgperf_internal.rate_at(text, float8) IS
    'The rate of a run, from its spec, at a moment of its measured part; NULL: as fast as they go. Used by the view pgperf.progress';

CREATE FUNCTION pgperf_internal.series_precision(
    tps float8[], wanted float8, OUT precision_percent float8, OUT last_interval integer
) RETURNS SETOF record
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE ROWS 1 AS 'MODULE_PATHNAME', 'series_precision_wrapper';
COMMENT ON FUNCTION pgperf_internal.series_precision(float8[], float8) IS
    'How well the mean of a run''s intervals is known, and after about how many of them it is known as well as wanted (a share). Used by the view pgperf.progress';

CREATE OR REPLACE VIEW pgperf.progress AS
SELECT p.node_id,
       p.run_id,
       p.label,
       p.workload,
       p.status,
       p.clients,
       p.elapsed_s,
       100 * p.done AS percent,
       -- How long the last transactions take, and receivers to catch up, is not known.
       CASE WHEN p.status = 'draining' THEN NULL WHEN p.ends_s < p.elapsed_s THEN 0 ELSE p.ends_s - p.elapsed_s END AS eta_s,
       p.transactions,
       p.tps,
       p.latency_avg_ms,
       p.latency_stddev_ms,
       p.failed,
       p.lag_avg_ms,
       p.rate,
       p.precision_percent
FROM (
    SELECT r.node_id, r.run_id, r.label, r.workload, r.status, r.clients,
           c.elapsed_s,
           CASE WHEN d.done > 1 THEN 1 ELSE d.done END AS done,
           -- By time: after the duration. By count: at the pace so far.
           COALESCE(c.duration_s, s.seconds / NULLIF(d.done, 0)) AS ends_s,
           s.transactions, l.tps, l.latency_avg_ms, l.latency_stddev_ms, l.failed, l.lag_avg_ms,
           pgperf_internal.rate_at(r.spec ->> 'rate', COALESCE(c.elapsed_s, 0)) AS rate,
           c.precision_percent
    FROM pgperf.runs r
    LEFT JOIN LATERAL (
        SELECT s.started_at, s.first_interval_no FROM pgperf_internal.stored_segments s
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
    -- A run that ends as soon as its mean is known well enough.
    LEFT JOIN LATERAL (
        SELECT v.precision_percent, v.last_interval
        FROM (
            SELECT pg_catalog.array_agg(i.tps ORDER BY i.interval_no) AS tps
            FROM pgperf.run_intervals i
            WHERE i.node_id = r.node_id AND i.run_id = r.run_id AND r.spec ->> 'until_precise' IS NOT NULL
        ) t
        CROSS JOIN LATERAL pgperf_internal.series_precision(t.tps, (r.spec ->> 'until_precise')::float8) v
    ) u ON true
    -- What the intervals have measured; the wall clock, which may be set, tells but what came since.
    CROSS JOIN LATERAL (
        SELECT CASE WHEN r.measured_at IS NOT NULL THEN s.seconds + CASE WHEN g.started_at < r.resumed_at THEN 0 ELSE
                    LEAST(GREATEST(EXTRACT(epoch FROM pg_catalog.clock_timestamp() - COALESCE(g.started_at, r.measured_at))::float8
                                   - s.seconds_here, 0),
                          (r.spec ->> 'sample_interval_s')::float8 + 2) END END AS elapsed_s,
               LEAST((r.spec ->> 'duration_s')::float8, u.last_interval * (r.spec ->> 'sample_interval_s')::float8) AS duration_s,
               u.precision_percent,
               COALESCE((r.spec ->> 'transactions')::float8, r.clients * (r.spec ->> 'transactions_per_client')::float8) AS wanted
    ) c
    LEFT JOIN LATERAL (
        SELECT i.tps, i.latency_avg_ms, i.latency_stddev_ms, i.failed, i.lag_avg_ms, i.done_percent
        FROM pgperf.run_intervals i
        WHERE i.node_id = r.node_id AND i.run_id = r.run_id
        ORDER BY i.interval_no DESC
        LIMIT 1
    ) l ON true
    CROSS JOIN LATERAL (
        SELECT COALESCE(c.elapsed_s / NULLIF(c.duration_s, 0), s.attempts / NULLIF(c.wanted, 0), l.done_percent / 100) AS done
    ) d
    WHERE r.origin_node_id IS NULL
      AND r.status IN ('waiting', 'preparing', 'warming up', 'running', 'draining')
) p;
COMMENT ON COLUMN pgperf.progress.precision_percent IS 'How far the mean tps so far may be off; NULL: the run has no until_precise, or fewer than ten intervals';
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
COMMENT ON COLUMN pgperf_internal.altered_settings.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf_internal.altered_settings.sweep_id IS 'Number of the sweep; NULL: of a run';
COMMENT ON COLUMN pgperf_internal.altered_settings.name IS 'Name of the setting';
COMMENT ON COLUMN pgperf_internal.altered_settings.before_value IS 'Its value in postgresql.auto.conf before; NULL: none';
COMMENT ON COLUMN pgperf_internal.altered_settings.given_values IS 'The values that it is given; any other one is somebody else''s, and stays';
COMMENT ON COLUMN pgperf_internal.altered_settings.in_force IS 'Its value in the server before; NULL: it needs no restart';
COMMENT ON COLUMN pgperf_internal.altered_settings.run_id IS 'The run; NULL: of a sweep';
SELECT pg_catalog.pg_extension_config_dump('pgperf_internal.altered_settings', 'WHERE false');

GRANT SELECT ON pgperf_internal.altered_settings TO pg_monitor;

-- The best of many.
CREATE FUNCTION pgperf.find_best(
    settings_grid jsonb DEFAULT NULL,
    metric text DEFAULT 'tps',
    margin text DEFAULT '1%',
    workload text DEFAULT NULL,
    clients integer[] DEFAULT '{1}',
    repetitions integer DEFAULT 10,
    duration interval DEFAULT NULL,
    script text DEFAULT NULL,
    label text DEFAULT NULL,
    sweep_options jsonb DEFAULT NULL
) RETURNS bigint
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'find_best_wrapper';
COMMENT ON FUNCTION pgperf.find_best IS
    'Starts a sweep that searches the best point of a grid when the transaction commits, and returns its sweep_id: all points run in rounds, at most repetitions of them, and those significantly worse than the leader leave. metric: of pgperf.run_summary or pgperf.run_metrics; margin: who is worse by no more is as good; sweep_options: further arguments of start_sweep, by name. See pgperf.sweep_race';

CREATE FUNCTION pgperf.sweep_race(
    sweep_id bigint DEFAULT NULL,
    OUT point_no integer, OUT combination text, OUT clients integer, OUT runs integer, OUT mean float8,
    OUT change_percent float8, OUT worst_percent float8, OUT left_after integer, OUT verdict text
) RETURNS SETOF record
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'sweep_race_wrapper';
COMMENT ON FUNCTION pgperf.sweep_race(bigint) IS
    'How a search of find_best stands (NULL: the newest sweep of this node), the best first: each point''s runs, their mean, the difference from the leader over the rounds that both ran and the worst that it may be, the round after which it left, and a verdict; for the sweep''s role and members of pg_monitor. Other sweeps have no rows';

REVOKE ALL ON FUNCTION pgperf.find_best(jsonb,text,text,text,integer[],integer,interval,text,text,jsonb) FROM PUBLIC;

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
COMMENT ON COLUMN pgperf_internal.stored_rate_searches.node_id IS 'The node to which the row belongs (pgperf.nodes)';
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
COMMENT ON COLUMN pgperf.rate_search_steps.node_id IS 'The node to which the row belongs (pgperf.nodes)';
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
COMMENT ON COLUMN pgperf.rate_searches.node_id IS 'The node to which the row belongs (pgperf.nodes)';
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

CREATE FUNCTION pgperf.rate_search_json(run_id bigint DEFAULT NULL) RETURNS jsonb
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'rate_search_json_wrapper';
COMMENT ON FUNCTION pgperf.rate_search_json(bigint) IS
    'The result of a search of find_rate and its steps as JSON, by its run; NULL: the newest run of this node; for the run''s role and members of pg_monitor';

REVOKE ALL ON PROCEDURE pgperf.find_rate FROM PUBLIC;
GRANT SELECT ON pgperf_internal.stored_rate_searches, pgperf.rate_search_steps, pgperf.rate_searches TO pg_monitor;

CREATE OR REPLACE FUNCTION pgperf.sweep_scalability(
    sweep_id bigint DEFAULT NULL,
    OUT combination text, OUT loads integer, OUT n integer,
    OUT lambda float8, OUT sigma float8, OUT kappa float8,
    OUT lambda_error float8, OUT sigma_error float8, OUT kappa_error float8,
    OUT r_squared float8, OUT residual_tps float8,
    OUT peak_clients float8, OUT peak_tps float8, OUT limit_tps float8, OUT reason text
) RETURNS SETOF record
    LANGUAGE sql VOLATILE
    BEGIN ATOMIC
    SELECT pgperf.sweep_status($1);
    SELECT c.combination, c.loads, COALESCE(pg_catalog.cardinality(c.tps), 0), f.*
    FROM (
        SELECT p.combination, pg_catalog.count(DISTINCT p.clients) FILTER (WHERE v.tps IS NOT NULL)::integer AS loads,
               pg_catalog.array_agg(p.clients::float8) FILTER (WHERE v.tps IS NOT NULL) AS clients,
               pg_catalog.array_agg(v.tps) FILTER (WHERE v.tps IS NOT NULL) AS tps
        FROM pgperf.sweep_points p
        LEFT JOIN LATERAL pg_catalog.unnest(p.tps_values) v (tps) ON true
        WHERE (p.node_id, p.sweep_id) = (SELECT f.node_id, f.found_id FROM pgperf_internal.find_sweep($1) f)
        GROUP BY p.combination
    ) c
    CROSS JOIN LATERAL pgperf.fit_scalability(COALESCE(c.clients, '{}'), COALESCE(c.tps, '{}')) f
    ORDER BY c.combination;
    END;

-- Sweeps as documents: docs/export.md describes them. Their runs are documents of their own in them (63_export.sql).
CREATE FUNCTION pgperf_internal.sweep_document(node_id uuid, sweep_id bigint, transactions boolean, runs boolean, samples boolean) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET jit = off
SET timezone = 'UTC' SET datestyle = 'ISO' SET intervalstyle = 'postgres' SET extra_float_digits = 1 AS $$
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
            'node', (SELECT to_jsonb(n) FROM pgperf.nodes n WHERE n.node_id = node_id),
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
$$;
COMMENT ON FUNCTION pgperf_internal.sweep_document(uuid, bigint, boolean, boolean, boolean) IS 'A sweep as a document, without a check of the caller; for pgperf.export_sweep, which checks';

-- All or nothing, as with runs. Its rows keep their node.
CREATE FUNCTION pgperf_internal.store_sweep_document(document jsonb, label text, role text) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET jit = off
SET timezone = 'UTC' SET datestyle = 'ISO' SET intervalstyle = 'postgres' AS $$
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
            sweep_id := nextval('pgperf_internal.sweep_id_seq');
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
$$;
COMMENT ON FUNCTION pgperf_internal.store_sweep_document(jsonb, text, text) IS 'Stores a document as a sweep of the given role, with its runs; for pgperf.import_sweep';

CREATE FUNCTION pgperf.export_sweep(sweep_id bigint DEFAULT NULL, transactions boolean DEFAULT false, runs boolean DEFAULT true) RETURNS jsonb
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'export_sweep_wrapper';
COMMENT ON FUNCTION pgperf.export_sweep(bigint, boolean, boolean) IS
    'Exports a sweep that has ended (NULL: the newest) with its points, attempts and runs, for pgperf.import_sweep on any server; transactions: with the transaction logs; runs => false: without the runs. For members of pg_monitor, and without samples for the sweep''s role';

CREATE FUNCTION pgperf.import_sweep(document jsonb, label text DEFAULT NULL) RETURNS bigint
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'import_sweep_wrapper';
COMMENT ON FUNCTION pgperf.import_sweep(jsonb, text) IS
    'Imports a document of pgperf.export_sweep, with its runs, as a sweep of the current role, and returns its sweep_id; a sweep that exists here already stays as it is. label: replaces the sweep''s own';

REVOKE ALL ON FUNCTION pgperf_internal.sweep_document(uuid, bigint, boolean, boolean, boolean), pgperf_internal.store_sweep_document(jsonb, text, text),
    pgperf.import_sweep(jsonb, text) FROM PUBLIC;

-- Several sweeps side by side. Executable by everybody, as pgperf.sweep_report: each checks that the caller may see the sweeps.
CREATE FUNCTION pgperf_internal.sweep_lines(sweeps text[]) RETURNS SETOF text
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'sweep_lines_wrapper';
COMMENT ON FUNCTION pgperf_internal.sweep_lines(text[]) IS 'Implements pgperf.sweep_report; sweeps are named as there, or as #sweep_id';

CREATE FUNCTION pgperf_internal.sweep_comment(sweeps text[]) RETURNS text
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'sweep_comment_wrapper';
COMMENT ON FUNCTION pgperf_internal.sweep_comment(text[]) IS 'Implements pgperf.sweep_markdown; sweeps are named as there, or as #sweep_id';

CREATE FUNCTION pgperf_internal.sweep_page(sweeps text[]) RETURNS text
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'sweep_page_wrapper';
COMMENT ON FUNCTION pgperf_internal.sweep_page(text[]) IS 'Implements pgperf.sweep_html; sweeps are named as there, or as #sweep_id';

CREATE FUNCTION pgperf.sweep_report(sweep text) RETURNS SETOF text
    LANGUAGE sql
BEGIN ATOMIC
    SELECT pgperf_internal.sweep_lines(ARRAY[sweep]);
END;
COMMENT ON FUNCTION pgperf.sweep_report(text) IS
    'The same for a sweep named as ''node name/sweep_id'', or by its label: if sweeps of several nodes have it, the newest of each, side by side';

CREATE FUNCTION pgperf.sweep_report(sweeps bigint[]) RETURNS SETOF text
    LANGUAGE sql
BEGIN ATOMIC
    SELECT pgperf_internal.sweep_lines(pgperf_internal.run_names(sweeps));
END;
COMMENT ON FUNCTION pgperf.sweep_report(bigint[]) IS
    'Several sweeps side by side, such as those of several versions: for each workload the peak of each with its 95 % interval and its change from the first, and the tps by number of clients';

CREATE FUNCTION pgperf.sweep_report(sweeps text[]) RETURNS SETOF text
    LANGUAGE sql
BEGIN ATOMIC
    SELECT pgperf_internal.sweep_lines(COALESCE(sweeps, '{}'));
END;
COMMENT ON FUNCTION pgperf.sweep_report(text[]) IS 'The same for sweeps by name';

CREATE FUNCTION pgperf.sweep_markdown(sweep text) RETURNS text
    LANGUAGE sql
    RETURN pgperf_internal.sweep_comment(ARRAY[sweep]);
COMMENT ON FUNCTION pgperf.sweep_markdown(text) IS
    'The same for a sweep named as ''node name/sweep_id'', or by its label: if sweeps of several nodes have it, the newest of each, side by side';

CREATE FUNCTION pgperf.sweep_markdown(sweeps bigint[]) RETURNS text
    LANGUAGE sql
    RETURN pgperf_internal.sweep_comment(pgperf_internal.run_names(sweeps));
COMMENT ON FUNCTION pgperf.sweep_markdown(bigint[]) IS 'Several sweeps side by side as Markdown, for a pull request';

CREATE FUNCTION pgperf.sweep_markdown(sweeps text[]) RETURNS text
    LANGUAGE sql
    RETURN pgperf_internal.sweep_comment(COALESCE(sweeps, '{}'));
COMMENT ON FUNCTION pgperf.sweep_markdown(text[]) IS 'The same for sweeps by name';

CREATE FUNCTION pgperf.sweep_html(sweep text) RETURNS text
    LANGUAGE sql
    RETURN pgperf_internal.sweep_page(ARRAY[sweep]);
COMMENT ON FUNCTION pgperf.sweep_html(text) IS
    'The same for a sweep named as ''node name/sweep_id'', or by its label: if sweeps of several nodes have it, the newest of each, side by side';

CREATE FUNCTION pgperf.sweep_html(sweeps bigint[]) RETURNS text
    LANGUAGE sql
    RETURN pgperf_internal.sweep_page(pgperf_internal.run_names(sweeps));
COMMENT ON FUNCTION pgperf.sweep_html(bigint[]) IS 'Several sweeps side by side as one self-contained HTML page: a panel for each workload, a curve for each sweep';

CREATE FUNCTION pgperf.sweep_html(sweeps text[]) RETURNS text
    LANGUAGE sql
    RETURN pgperf_internal.sweep_page(COALESCE(sweeps, '{}'));
COMMENT ON FUNCTION pgperf.sweep_html(text[]) IS 'The same for sweeps by name';

CREATE FUNCTION pgperf_internal.sweep_json_of(sweeps text[]) RETURNS jsonb
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'sweep_json_wrapper';
COMMENT ON FUNCTION pgperf_internal.sweep_json_of(text[]) IS 'Implements pgperf.sweep_json; sweeps are named as there, or as #sweep_id';

CREATE FUNCTION pgperf.sweep_json(sweep_id bigint DEFAULT NULL) RETURNS jsonb
    LANGUAGE sql
    RETURN pgperf_internal.sweep_json_of(pgperf_internal.run_names(ARRAY[sweep_id]));
COMMENT ON FUNCTION pgperf.sweep_json(bigint) IS
    'A sweep as a document for programs (docs/sweep-report.schema.json): its points, peaks, laws, and its call; NULL: the newest of this node; for the sweep''s role and members of pg_monitor';

CREATE FUNCTION pgperf.sweep_json(sweep text) RETURNS jsonb
    LANGUAGE sql
    RETURN pgperf_internal.sweep_json_of(ARRAY[sweep]);
COMMENT ON FUNCTION pgperf.sweep_json(text) IS
    'The same for a sweep named as ''node name/sweep_id'', or by its label: if sweeps of several nodes have it, the newest of each, side by side';

CREATE FUNCTION pgperf.sweep_json(sweeps bigint[]) RETURNS jsonb
    LANGUAGE sql
    RETURN pgperf_internal.sweep_json_of(pgperf_internal.run_names(sweeps));
COMMENT ON FUNCTION pgperf.sweep_json(bigint[]) IS 'Several sweeps side by side as a document for programs, with the change of each peak from that of the first';

CREATE FUNCTION pgperf.sweep_json(sweeps text[]) RETURNS jsonb
    LANGUAGE sql
    RETURN pgperf_internal.sweep_json_of(COALESCE(sweeps, '{}'));
COMMENT ON FUNCTION pgperf.sweep_json(text[]) IS 'The same for sweeps by name';

CREATE FUNCTION pgperf_internal.compare_points(
    baseline text, candidate text,
    OUT workload text, OUT combination text, OUT clients integer,
    OUT baseline_tps float8, OUT candidate_tps float8,
    OUT change_percent float8, OUT ci_low_percent float8, OUT ci_high_percent float8,
    OUT p_value float8, OUT p_adjusted float8,
    OUT n_baseline integer, OUT n_candidate integer, OUT verdict text
) RETURNS SETOF record
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'compare_points_wrapper';
COMMENT ON FUNCTION pgperf_internal.compare_points(text, text) IS 'Implements pgperf.compare_sweeps; sweeps are named as there, or as #sweep_id';

CREATE FUNCTION pgperf.compare_sweeps(
    baseline bigint, candidate bigint,
    OUT workload text, OUT combination text, OUT clients integer,
    OUT baseline_tps float8, OUT candidate_tps float8,
    OUT change_percent float8, OUT ci_low_percent float8, OUT ci_high_percent float8,
    OUT p_value float8, OUT p_adjusted float8,
    OUT n_baseline integer, OUT n_candidate integer, OUT verdict text
) RETURNS SETOF record
    LANGUAGE sql
BEGIN ATOMIC
    SELECT p.* FROM pgperf_internal.compare_points('#' || baseline, '#' || candidate) p;
END;
COMMENT ON FUNCTION pgperf.compare_sweeps(bigint, bigint) IS
    'Two sweeps point by point (NULL: the newest): the mean tps of both, the change in percent with its 95 % interval, and whether it is significant, corrected for the number of points';

CREATE FUNCTION pgperf.compare_sweeps(
    baseline text, candidate text,
    OUT workload text, OUT combination text, OUT clients integer,
    OUT baseline_tps float8, OUT candidate_tps float8,
    OUT change_percent float8, OUT ci_low_percent float8, OUT ci_high_percent float8,
    OUT p_value float8, OUT p_adjusted float8,
    OUT n_baseline integer, OUT n_candidate integer, OUT verdict text
) RETURNS SETOF record
    LANGUAGE sql
BEGIN ATOMIC
    SELECT p.* FROM pgperf_internal.compare_points(baseline, candidate) p;
END;
COMMENT ON FUNCTION pgperf.compare_sweeps(text, text) IS 'The same for sweeps by label, ''node name/sweep_id'' or sweep_id';

COMMENT ON COLUMN pgperf.progress.elapsed_s IS 'Seconds of the measured part so far; NULL: it has not begun';
COMMENT ON COLUMN pgperf.progress.percent IS 'Percent done, by time, by the number of transactions, or of a load by what its steps are expected to take; NULL: not known yet';
COMMENT ON COLUMN pgperf.progress.eta_s IS 'Seconds until it ends, from the rest of the duration or the pace so far; NULL: not known yet';
COMMENT ON COLUMN pgperf.progress.transactions IS 'Transactions so far';
COMMENT ON COLUMN pgperf.progress.tps IS 'Transactions per second in the last interval';
COMMENT ON COLUMN pgperf.progress.latency_avg_ms IS 'Mean latency in ms in the last interval';
COMMENT ON COLUMN pgperf.progress.latency_stddev_ms IS 'Standard deviation of the latency in ms in the last interval';
COMMENT ON COLUMN pgperf.progress.failed IS 'Failed transactions in the last interval';
COMMENT ON COLUMN pgperf.progress.lag_avg_ms IS 'Average delay in ms of the last interval''s transactions behind the schedule; NULL: no rate';
COMMENT ON COLUMN pgperf.progress.rate IS 'Transactions per second that are scheduled now; NULL: as fast as they go';

COMMENT ON COLUMN pgperf.run_scripts.script_no IS 'Number of the script, from 0';
COMMENT ON COLUMN pgperf.run_scripts.script IS 'Name of the script: a workload, or script 1, script 2 and so on';
COMMENT ON COLUMN pgperf.run_scripts.weight IS 'Relative frequency with which it is chosen';
COMMENT ON COLUMN pgperf.run_scripts.tps IS 'Successful transactions of the script per second';

COMMENT ON COLUMN pgperf.run_statements.script_no IS 'Number of the script, from 0';
COMMENT ON COLUMN pgperf.run_statements.script IS 'Name of the script';
COMMENT ON COLUMN pgperf.run_statements.command_no IS 'Place of the command in its script, from 0';
COMMENT ON COLUMN pgperf.run_statements.statement IS 'The command as written in the script; for a load, the step';
COMMENT ON COLUMN pgperf.run_statements.is_sql IS 'Whether the server executes it: true for statements, \syncpipeline and \endpipeline, false for other meta-commands';
COMMENT ON COLUMN pgperf.run_statements.calls IS 'How often it succeeded';
COMMENT ON COLUMN pgperf.run_statements.failed IS 'How often its error ended the transaction or the client';
COMMENT ON COLUMN pgperf.run_statements.retries IS 'How often its error caused a retry of the transaction';
COMMENT ON COLUMN pgperf.run_statements.latency_avg_ms IS 'Mean time of a successful call in ms';
COMMENT ON COLUMN pgperf.run_statements.latency_stddev_ms IS 'Standard deviation of the time of a successful call in ms';
COMMENT ON COLUMN pgperf.run_statements.latency_p50_ms IS 'Median time of a successful call in ms';
COMMENT ON COLUMN pgperf.run_statements.latency_p90_ms IS '90th percentile of the time of a successful call in ms';
COMMENT ON COLUMN pgperf.run_statements.latency_p95_ms IS '95th percentile of the time of a successful call in ms';
COMMENT ON COLUMN pgperf.run_statements.latency_p99_ms IS '99th percentile of the time of a successful call in ms';
COMMENT ON COLUMN pgperf.run_statements.latency_p999_ms IS '99.9th percentile of the time of a successful call in ms';
COMMENT ON COLUMN pgperf.run_statements.latency_p9999_ms IS '99.99th percentile of the time of a successful call in ms';
COMMENT ON COLUMN pgperf.run_statements.latency_max_ms IS 'Longest time of a successful call in ms';
COMMENT ON COLUMN pgperf.run_statements.rows IS 'Rows that all calls returned or changed';
COMMENT ON COLUMN pgperf.run_statements.shared_blks_hit IS 'Blocks found in shared_buffers, all calls together';
COMMENT ON COLUMN pgperf.run_statements.shared_blks_read IS 'Blocks read into shared_buffers, all calls together';
COMMENT ON COLUMN pgperf.run_statements.shared_blks_dirtied IS 'Clean blocks changed, all calls together';
COMMENT ON COLUMN pgperf.run_statements.shared_blks_written IS 'Blocks that the client had to write itself, all calls together';
COMMENT ON COLUMN pgperf.run_statements.wal_records IS 'WAL records, all calls together; those of a commit belong to END or COMMIT';
COMMENT ON COLUMN pgperf.run_statements.wal_fpi IS 'Full-page images in the WAL, all calls together';
COMMENT ON COLUMN pgperf.run_statements.wal_bytes IS 'Bytes of WAL records, all calls together';
COMMENT ON COLUMN pgperf.run_statements.histogram IS 'Times of successful calls: HdrHistogram V2 in nanoseconds';

COMMENT ON COLUMN pgperf.run_transactions.client_id IS 'Number of the client, from 0';
COMMENT ON COLUMN pgperf.run_transactions.transaction_no IS 'Number of the transaction within its client, from 1; skipped and failed ones count too';
COMMENT ON COLUMN pgperf.run_transactions.script_no IS 'Number of its script, from 0';
COMMENT ON COLUMN pgperf.run_transactions.outcome IS 'done, skipped, or the reason for its failure: serialization, deadlock, other';
COMMENT ON COLUMN pgperf.run_transactions.ended_at IS 'When it ended';
COMMENT ON COLUMN pgperf.run_transactions.latency_ms IS 'Latency in ms if it was done; with a rate, from the time at which it was due';
COMMENT ON COLUMN pgperf.run_transactions.lag_ms IS 'Delay in ms behind the schedule; NULL: no rate, or it was not done';
COMMENT ON COLUMN pgperf.run_transactions.retries IS 'Number of retries';

COMMENT ON COLUMN pgperf.run_errors.error_no IS 'Number of the row within the run, from 0';
COMMENT ON COLUMN pgperf.run_errors.occurred_at IS 'When the error last occurred';
COMMENT ON COLUMN pgperf.run_errors.first_occurred_at IS 'When it first occurred';
COMMENT ON COLUMN pgperf.run_errors.client_id IS 'Number of the client, from 0; NULL: no client';
COMMENT ON COLUMN pgperf.run_errors.script IS 'The script, or vacuum, before_sql or after_sql; NULL: none of these';
COMMENT ON COLUMN pgperf.run_errors.command_no IS 'Place of the command in its script, from 0; for before_sql and after_sql, place of the statement; NULL: none of these';
COMMENT ON COLUMN pgperf.run_errors.sqlstate IS 'SQLSTATE of the error';
COMMENT ON COLUMN pgperf.run_errors.message IS 'Message of the last occurrence';
COMMENT ON COLUMN pgperf.run_errors.detail IS 'Detail of the last occurrence';
COMMENT ON COLUMN pgperf.run_errors.occurrences IS 'How often it occurred; from the ninth kind on, a client''s errors are counted with its eighth';

COMMENT ON COLUMN pgperf_internal.stored_segments.segment_no IS 'Number of the segment, from 0';
COMMENT ON COLUMN pgperf_internal.stored_segments.started_at IS 'When its measured part began, after connecting and a warm-up';
COMMENT ON COLUMN pgperf_internal.stored_segments.first_interval_no IS 'Its first row in pgperf.run_intervals';
COMMENT ON COLUMN pgperf_internal.stored_segments.server_started_at IS 'Start time of the server on which it ran';

COMMENT ON COLUMN pgperf.run_segments.seconds IS 'Length of its stored intervals in seconds';
COMMENT ON COLUMN pgperf.run_segments.transactions IS 'Transactions in its stored intervals';
COMMENT ON COLUMN pgperf.run_segments.reason IS 'Why it ended early; NULL: it did not, or no reason is known';

COMMENT ON COLUMN pgperf.data_sets.schema_name IS 'Schema of the tables';
COMMENT ON COLUMN pgperf.data_sets.data_set IS 'Name of the data set, which several built-in workloads may share; that of a stored workload has its name';
COMMENT ON COLUMN pgperf.data_sets.scale IS 'Scale of their rows, rounded up: options has one with a fraction; 0: the tables exist, but are not filled';
COMMENT ON COLUMN pgperf.data_sets.relations IS 'Oids of the tables, and of the views and sequences that the setup_sql of a stored workload has created';
COMMENT ON COLUMN pgperf.data_sets.relation_names IS 'Names of the tables when they were created; NULL: loaded before 1.2';
COMMENT ON COLUMN pgperf.data_sets.run_id IS 'The load that last created or filled them; it may have been deleted since';
COMMENT ON COLUMN pgperf.data_sets.created_at IS 'When they were created';
COMMENT ON COLUMN pgperf.data_sets.options IS 'Options of the workload with which they were created; runs take those that apply to both';

COMMENT ON COLUMN pgperf.run_settings.name IS 'Name of the setting';
COMMENT ON COLUMN pgperf.run_settings.unit IS 'Unit of setting and default_setting, as in pg_settings; NULL: none';

COMMENT ON COLUMN pgperf.run_environment.category IS 'server, extension, system, cpu, memory, file system or device';
COMMENT ON COLUMN pgperf.run_environment.note IS 'Why the value could not be read';

COMMENT ON COLUMN pgperf.run_metrics.unit IS 'Unit of the value';

COMMENT ON COLUMN pgperf.run_relations.relation_oid IS 'Oid of the relation';
COMMENT ON COLUMN pgperf.run_relations.schema_name IS 'Schema of the relation';
COMMENT ON COLUMN pgperf.run_relations.relation_name IS 'Name of the relation';
COMMENT ON COLUMN pgperf.run_relations.relation_kind IS 'table, index, TOAST table or materialized view';
COMMENT ON COLUMN pgperf.run_relations.end_size_bytes IS 'Size of the main fork in bytes at the end';
COMMENT ON COLUMN pgperf.run_relations.end_live_tuples IS 'Live rows at the end, estimated by the statistics; NULL: an index';
COMMENT ON COLUMN pgperf.run_relations.start_dead_tuples IS 'Dead rows at the start, estimated by the statistics; NULL: an index';
COMMENT ON COLUMN pgperf.run_relations.end_dead_tuples IS 'Dead rows at the end, estimated by the statistics; NULL: an index';
COMMENT ON COLUMN pgperf.run_relations.end_tuple_percent IS 'Share of the size taken by live rows at the end; NULL: the sample did not measure it';
COMMENT ON COLUMN pgperf.run_relations.end_bloat_percent IS 'Share of the size that rewriting it at the end would free; NULL: the sample did not measure it';
COMMENT ON COLUMN pgperf.run_relations.idx_scan IS 'Index scans during the run; for a table, over all its indexes';
COMMENT ON COLUMN pgperf.run_relations.n_tup_ins IS 'Rows inserted during the run';
COMMENT ON COLUMN pgperf.run_relations.n_tup_upd IS 'Rows updated during the run, including HOT updates';
COMMENT ON COLUMN pgperf.run_relations.n_tup_hot_upd IS 'Rows updated during the run without new index entries (HOT)';
COMMENT ON COLUMN pgperf.run_relations.n_tup_del IS 'Rows deleted during the run';
COMMENT ON COLUMN pgperf.run_relations.vacuum_count IS 'Manual vacuums during the run, VACUUM FULL excepted';
COMMENT ON COLUMN pgperf.run_relations.autovacuum_count IS 'Vacuums by autovacuum during the run';
COMMENT ON COLUMN pgperf.run_relations.analyze_count IS 'Manual analyzes during the run';
COMMENT ON COLUMN pgperf.run_relations.autoanalyze_count IS 'Analyzes by autovacuum during the run';
COMMENT ON COLUMN pgperf.run_relations.blks_read IS 'Blocks of the relation read into shared_buffers during the run';
COMMENT ON COLUMN pgperf.run_relations.blks_hit IS 'Blocks of the relation found in shared_buffers during the run';

COMMENT ON COLUMN pgperf.run_checkpoint_cycle.tenth IS 'Position in the cycle: 1 (a checkpoint has just begun) to 10';
COMMENT ON COLUMN pgperf.run_checkpoint_cycle.cycles IS 'Number of checkpoint cycles with intervals in this tenth';
COMMENT ON COLUMN pgperf.run_checkpoint_cycle.intervals IS 'Number of intervals in this tenth';
COMMENT ON COLUMN pgperf.run_checkpoint_cycle.seconds IS 'Total length of these intervals in seconds';
COMMENT ON COLUMN pgperf.run_checkpoint_cycle.tps IS 'Transactions per second in these intervals';
COMMENT ON COLUMN pgperf.run_checkpoint_cycle.latency_avg_ms IS 'Mean latency in ms in these intervals';
COMMENT ON COLUMN pgperf.run_checkpoint_cycle.wal_bytes_per_tx IS 'Bytes of the clients'' WAL per transaction in these intervals';
COMMENT ON COLUMN pgperf.run_checkpoint_cycle.in_checkpoint_percent IS 'Share of the time during which a checkpoint was being written';

COMMENT ON COLUMN pgperf.run_tables.table_name IS 'Name of the table in schema pgperf';

COMMENT ON COLUMN pgperf_internal.pinned_runs.run_id IS 'The run';

COMMENT ON COLUMN pgperf.kept_runs.run_id IS 'The run';

COMMENT ON COLUMN pgperf_internal.resume_points.run_id IS 'The run';

COMMENT ON COLUMN pgperf.baselines.name IS 'Name of the baseline';
COMMENT ON COLUMN pgperf.baselines.run_no IS 'Place of the run in the baseline, from 1';
COMMENT ON COLUMN pgperf.baselines.role IS 'The role that set the baseline';
COMMENT ON COLUMN pgperf.baselines.created_at IS 'When the baseline was set';

-- Columns of the history. Counters are cumulative; the views that take differences have theirs from here: 90_derived.sql.
COMMENT ON COLUMN pgperf.wal_history.insert_lsn IS 'Position of the next WAL record';
COMMENT ON COLUMN pgperf.wal_history.flush_lsn IS 'Position up to which the WAL has been flushed to disk';
COMMENT ON COLUMN pgperf.wal_history.wal_records IS 'WAL records written';
COMMENT ON COLUMN pgperf.wal_history.wal_fpi IS 'Full-page images in the WAL';
COMMENT ON COLUMN pgperf.wal_history.wal_buffers_full IS 'How often WAL was written because its buffers were full';
COMMENT ON COLUMN pgperf.wal_history.rmgr_end_lsn IS 'End of that range: the position of this sample';

COMMENT ON COLUMN pgperf.wal_rmgr_history.end_lsn IS 'End of the range: the position of this sample';
COMMENT ON COLUMN pgperf.wal_rmgr_history.resource_manager IS 'The part of the server that wrote the records: Heap, Btree, Transaction and so on';
COMMENT ON COLUMN pgperf.wal_rmgr_history.record_type IS 'Type of the records, as pg_walinspect names it';
COMMENT ON COLUMN pgperf.wal_rmgr_history.records IS 'Records in the part that was read';

COMMENT ON COLUMN pgperf.wal_rmgr_estimates.records IS 'Records in the whole range, estimated';
COMMENT ON COLUMN pgperf.wal_rmgr_estimates.record_bytes IS 'Bytes of the records in the whole range without their full-page images, estimated';
COMMENT ON COLUMN pgperf.wal_rmgr_estimates.fpi_bytes IS 'Bytes of full-page images in the whole range, estimated';

COMMENT ON COLUMN pgperf.wal_deltas.lsn_bytes_per_s IS 'lsn_bytes per second';
COMMENT ON COLUMN pgperf.wal_deltas.wal_records_per_s IS 'wal_records per second';
COMMENT ON COLUMN pgperf.wal_deltas.bytes_per_record IS 'Average bytes of a WAL record, full-page images included';

COMMENT ON COLUMN pgperf.bloat_history.schema_name IS 'Schema of the relation';
COMMENT ON COLUMN pgperf.bloat_history.relation_name IS 'Name of the relation';
COMMENT ON COLUMN pgperf.bloat_history.relation_kind IS 'table, index, TOAST table or materialized view';
COMMENT ON COLUMN pgperf.bloat_history.live_tuples IS 'Live rows; for an index, entries';
COMMENT ON COLUMN pgperf.bloat_history.live_percent IS 'live_bytes as a share of size_bytes';
COMMENT ON COLUMN pgperf.bloat_history.dead_tuples IS 'Dead rows that vacuum has not removed yet; for a B-tree, entries marked as dead';
COMMENT ON COLUMN pgperf.bloat_history.dead_percent IS 'dead_bytes as a share of size_bytes';
COMMENT ON COLUMN pgperf.bloat_history.free_percent IS 'free_bytes as a share of size_bytes';

COMMENT ON COLUMN pgperf_internal.bloat_cursor.tables_only IS 'Whether the round covers tables only (method approx)';
COMMENT ON COLUMN pgperf_internal.bloat_cursor.relations IS 'Oids of the relations of this round, in order';
COMMENT ON COLUMN pgperf_internal.bloat_cursor.next IS 'Number of them that are done';

COMMENT ON COLUMN pgperf.buffer_usage_history.schema_name IS 'Schema of the relation; NULL where relation_name is';
COMMENT ON COLUMN pgperf.buffer_usage_history.relation_kind IS 'Kind of the relation; NULL where relation_name is';
COMMENT ON COLUMN pgperf.buffer_usage_history.buffers IS 'Number of buffers';
COMMENT ON COLUMN pgperf.buffer_usage_history.dirty IS 'Number of these buffers with changes not written yet';

COMMENT ON COLUMN pgperf.database_history.numbackends IS 'Sessions connected now';
COMMENT ON COLUMN pgperf.database_history.xact_commit IS 'Transactions committed';
COMMENT ON COLUMN pgperf.database_history.xact_rollback IS 'Transactions rolled back';
COMMENT ON COLUMN pgperf.database_history.blks_read IS 'Blocks read into shared_buffers';
COMMENT ON COLUMN pgperf.database_history.blks_hit IS 'Blocks found in shared_buffers';
COMMENT ON COLUMN pgperf.database_history.tup_returned IS 'Live rows fetched by sequential scans and index entries returned by index scans';
COMMENT ON COLUMN pgperf.database_history.tup_fetched IS 'Live rows fetched by index scans';
COMMENT ON COLUMN pgperf.database_history.tup_inserted IS 'Rows inserted';
COMMENT ON COLUMN pgperf.database_history.tup_updated IS 'Rows updated';
COMMENT ON COLUMN pgperf.database_history.tup_deleted IS 'Rows deleted';
COMMENT ON COLUMN pgperf.database_history.temp_files IS 'Temporary files that queries created';
COMMENT ON COLUMN pgperf.database_history.temp_bytes IS 'Bytes written to temporary files';
COMMENT ON COLUMN pgperf.database_history.deadlocks IS 'Deadlocks detected';
COMMENT ON COLUMN pgperf.database_history.checksum_failures IS 'Page checksum failures; NULL: checksums are off';
COMMENT ON COLUMN pgperf.database_history.checksum_last_failure IS 'When a page checksum last failed';
COMMENT ON COLUMN pgperf.database_history.active_time IS 'Milliseconds that sessions spent executing statements';
COMMENT ON COLUMN pgperf.database_history.idle_in_transaction_time IS 'Milliseconds that sessions were idle in a transaction';
COMMENT ON COLUMN pgperf.database_history.sessions IS 'Sessions begun';
COMMENT ON COLUMN pgperf.database_history.sessions_abandoned IS 'Sessions that ended because the client was lost';
COMMENT ON COLUMN pgperf.database_history.sessions_fatal IS 'Sessions that a fatal error ended';
COMMENT ON COLUMN pgperf.database_history.sessions_killed IS 'Sessions ended by termination';
COMMENT ON COLUMN pgperf.database_history.parallel_workers_to_launch IS 'Parallel workers that queries planned to have; PostgreSQL 18';
COMMENT ON COLUMN pgperf.database_history.parallel_workers_launched IS 'Parallel workers that queries got; PostgreSQL 18';
COMMENT ON COLUMN pgperf.database_history.conflicts IS 'Queries cancelled by conflicts with recovery, on a standby';
COMMENT ON COLUMN pgperf.database_history.confl_tablespace IS 'Queries cancelled because their tablespace was dropped';
COMMENT ON COLUMN pgperf.database_history.confl_lock IS 'Queries cancelled by lock timeouts of recovery';
COMMENT ON COLUMN pgperf.database_history.confl_snapshot IS 'Queries cancelled because their snapshot was too old';
COMMENT ON COLUMN pgperf.database_history.confl_bufferpin IS 'Queries cancelled because they had a page pinned';
COMMENT ON COLUMN pgperf.database_history.confl_deadlock IS 'Queries cancelled by deadlocks with recovery';
COMMENT ON COLUMN pgperf.database_history.confl_active_logicalslot IS 'Uses of logical slots cancelled by recovery; PostgreSQL 16';

COMMENT ON COLUMN pgperf.checkpoint_history.num_timed IS 'Checkpoints caused by checkpoint_timeout';
COMMENT ON COLUMN pgperf.checkpoint_history.num_requested IS 'Checkpoints requested because of the amount of WAL or by a command';
COMMENT ON COLUMN pgperf.checkpoint_history.num_done IS 'Checkpoints completed; PostgreSQL 18';
COMMENT ON COLUMN pgperf.checkpoint_history.restartpoints_timed IS 'Restartpoints caused by checkpoint_timeout, on a standby; PostgreSQL 17';
COMMENT ON COLUMN pgperf.checkpoint_history.restartpoints_req IS 'Restartpoints requested, on a standby; PostgreSQL 17';
COMMENT ON COLUMN pgperf.checkpoint_history.restartpoints_done IS 'Restartpoints completed, on a standby; PostgreSQL 17';
COMMENT ON COLUMN pgperf.checkpoint_history.sync_time IS 'Milliseconds that checkpoints spent syncing files';
COMMENT ON COLUMN pgperf.checkpoint_history.buffers_written IS 'Buffers that checkpoints wrote';
COMMENT ON COLUMN pgperf.checkpoint_history.slru_written IS 'SLRU buffers that checkpoints wrote; PostgreSQL 18';
COMMENT ON COLUMN pgperf.checkpoint_history.buffers_clean IS 'Buffers that the background writer wrote';
COMMENT ON COLUMN pgperf.checkpoint_history.maxwritten_clean IS 'How often the background writer stopped because it had written bgwriter_lru_maxpages';
COMMENT ON COLUMN pgperf.checkpoint_history.buffers_backend_fsync IS 'How often a backend had to sync a file itself; PostgreSQL 15 and 16';
COMMENT ON COLUMN pgperf.checkpoint_history.buffers_alloc IS 'Buffers allocated for another page';
COMMENT ON COLUMN pgperf.checkpoint_history.stats_reset IS 'When these statistics were last reset';

COMMENT ON COLUMN pgperf.relation_history.schema_name IS 'Schema of the relation; NULL: all relations together';
COMMENT ON COLUMN pgperf.relation_history.relation_name IS 'Name of the relation; NULL: all relations together';
COMMENT ON COLUMN pgperf.relation_history.relation_kind IS 'table, index, TOAST table or materialized view; NULL: all relations together';
COMMENT ON COLUMN pgperf.relation_history.reltuples IS 'Rows as of the last VACUUM, ANALYZE or CREATE INDEX; -1: never counted';
COMMENT ON COLUMN pgperf.relation_history.n_live_tup IS 'Live rows, estimated';
COMMENT ON COLUMN pgperf.relation_history.n_dead_tup IS 'Dead rows, estimated';
COMMENT ON COLUMN pgperf.relation_history.n_mod_since_analyze IS 'Rows changed since the last ANALYZE, estimated';
COMMENT ON COLUMN pgperf.relation_history.n_ins_since_vacuum IS 'Rows inserted since the last VACUUM, estimated';
COMMENT ON COLUMN pgperf.relation_history.last_seq_scan IS 'When it was last scanned sequentially; PostgreSQL 16';
COMMENT ON COLUMN pgperf.relation_history.last_idx_scan IS 'When one of its indexes was last scanned; PostgreSQL 16';
COMMENT ON COLUMN pgperf.relation_history.last_vacuum IS 'When it was last vacuumed manually, VACUUM FULL excepted';
COMMENT ON COLUMN pgperf.relation_history.last_autovacuum IS 'When autovacuum last vacuumed it';
COMMENT ON COLUMN pgperf.relation_history.last_analyze IS 'When it was last analyzed manually';
COMMENT ON COLUMN pgperf.relation_history.last_autoanalyze IS 'When autovacuum last analyzed it';
COMMENT ON COLUMN pgperf.relation_history.stats_reset IS 'When its counters were last reset, alone or with the database''s; PostgreSQL 19';
COMMENT ON COLUMN pgperf.relation_history.seq_scan IS 'Sequential scans';
COMMENT ON COLUMN pgperf.relation_history.seq_tup_read IS 'Live rows that sequential scans read';
COMMENT ON COLUMN pgperf.relation_history.idx_tup_read IS 'Entries that scans of this index returned';
COMMENT ON COLUMN pgperf.relation_history.idx_tup_fetch IS 'Live rows that index scans fetched';
COMMENT ON COLUMN pgperf.relation_history.n_tup_ins IS 'Rows inserted';
COMMENT ON COLUMN pgperf.relation_history.n_tup_upd IS 'Rows updated, including HOT updates';
COMMENT ON COLUMN pgperf.relation_history.n_tup_del IS 'Rows deleted';
COMMENT ON COLUMN pgperf.relation_history.n_tup_hot_upd IS 'Rows updated without new index entries (HOT)';
COMMENT ON COLUMN pgperf.relation_history.n_tup_newpage_upd IS 'Rows updated whose new version went to another page; PostgreSQL 16';
COMMENT ON COLUMN pgperf.relation_history.vacuum_count IS 'Manual vacuums, VACUUM FULL excepted';
COMMENT ON COLUMN pgperf.relation_history.autovacuum_count IS 'Vacuums by autovacuum';
COMMENT ON COLUMN pgperf.relation_history.analyze_count IS 'Manual analyzes';
COMMENT ON COLUMN pgperf.relation_history.autoanalyze_count IS 'Analyzes by autovacuum';
COMMENT ON COLUMN pgperf.relation_history.total_autovacuum_time IS 'Milliseconds that autovacuum spent vacuuming it; PostgreSQL 18';
COMMENT ON COLUMN pgperf.relation_history.total_analyze_time IS 'Milliseconds that manual analyzes took; PostgreSQL 18';
COMMENT ON COLUMN pgperf.relation_history.total_autoanalyze_time IS 'Milliseconds that autovacuum spent analyzing it; PostgreSQL 18';
COMMENT ON COLUMN pgperf.relation_history.blks_hit IS 'Blocks of the relation itself found in shared_buffers';

COMMENT ON COLUMN pgperf.relation_rates.hot_percent IS 'Share of HOT updates among the updates since the previous sample';
COMMENT ON COLUMN pgperf.relation_rates.dead_percent IS 'Current share of dead rows, estimated by the statistics';
COMMENT ON COLUMN pgperf.relation_rates.hit_percent IS 'Share of its blocks found in shared_buffers since the previous sample';

COMMENT ON COLUMN pgperf.wraparound_history.database_name IS 'The database';
COMMENT ON COLUMN pgperf.wraparound_history.schema_name IS 'Schema of the relation; NULL: the database as a whole';

COMMENT ON COLUMN pgperf.horizon_history.holder_kind IS 'backend, standby feedback, prepared transaction or replication slot';
COMMENT ON COLUMN pgperf.horizon_history.role_name IS 'Role of the session or prepared transaction; NULL: a slot';
COMMENT ON COLUMN pgperf.horizon_history.state IS 'State of the session as in pg_stat_activity; for a slot, active or inactive; NULL: a prepared transaction';

COMMENT ON COLUMN pgperf.io_history.object IS 'What was read or written: relation, temp relation or wal';
COMMENT ON COLUMN pgperf.io_history.context IS 'normal, vacuum, bulkread, bulkwrite or init';
COMMENT ON COLUMN pgperf.io_history.reads IS 'Read operations';
COMMENT ON COLUMN pgperf.io_history.read_bytes IS 'Bytes read; PostgreSQL 18';
COMMENT ON COLUMN pgperf.io_history.writes IS 'Write operations';
COMMENT ON COLUMN pgperf.io_history.write_bytes IS 'Bytes written; PostgreSQL 18';
COMMENT ON COLUMN pgperf.io_history.write_time IS 'Milliseconds spent writing';
COMMENT ON COLUMN pgperf.io_history.writebacks IS 'Blocks that the kernel was asked to write to disk';
COMMENT ON COLUMN pgperf.io_history.writeback_time IS 'Milliseconds spent on these requests';
COMMENT ON COLUMN pgperf.io_history.extends IS 'Operations that extended files';
COMMENT ON COLUMN pgperf.io_history.extend_bytes IS 'Bytes by which files were extended; PostgreSQL 18';
COMMENT ON COLUMN pgperf.io_history.extend_time IS 'Milliseconds spent extending files';
COMMENT ON COLUMN pgperf.io_history.hits IS 'Blocks found in shared_buffers';
COMMENT ON COLUMN pgperf.io_history.evictions IS 'Blocks evicted from a buffer to reuse it';
COMMENT ON COLUMN pgperf.io_history.reuses IS 'Reused buffers of the rings of bulk reads, bulk writes and vacuum';
COMMENT ON COLUMN pgperf.io_history.fsyncs IS 'Syncs of files';
COMMENT ON COLUMN pgperf.io_history.fsync_time IS 'Milliseconds spent syncing files';
COMMENT ON COLUMN pgperf.io_history.stats_reset IS 'When these statistics were last reset';

COMMENT ON COLUMN pgperf.wait_history.backend_type IS 'Type of the process, as in pg_stat_activity';
COMMENT ON COLUMN pgperf.wait_history.state IS 'State of the session, as in pg_stat_activity';
COMMENT ON COLUMN pgperf.wait_history.wait_event_type IS 'Type of the wait event, as in pg_stat_activity; NULL: it did not wait';

COMMENT ON COLUMN pgperf.wait_rates.average_sessions IS 'Average number of sessions seen in this state';
COMMENT ON COLUMN pgperf.wait_rates.percent IS 'Their share of all sessions of the sample and source';

COMMENT ON COLUMN pgperf.host_history.cpus IS 'Number of CPUs';
COMMENT ON COLUMN pgperf.host_history.load_1 IS 'Load average over 1 minute';
COMMENT ON COLUMN pgperf.host_history.load_5 IS 'Load average over 5 minutes';
COMMENT ON COLUMN pgperf.host_history.load_15 IS 'Load average over 15 minutes';
COMMENT ON COLUMN pgperf.host_history.processes_running IS 'Processes running or ready to run now';
COMMENT ON COLUMN pgperf.host_history.processes_blocked IS 'Processes waiting for I/O now';
COMMENT ON COLUMN pgperf.host_history.memory_total_bytes IS 'Memory of the machine';
COMMENT ON COLUMN pgperf.host_history.memory_free_bytes IS 'Unused memory';
COMMENT ON COLUMN pgperf.host_history.memory_available_bytes IS 'Memory available to programs without swapping, as the kernel estimates it';
COMMENT ON COLUMN pgperf.host_history.memory_dirty_bytes IS 'Page cache waiting to be written to disk';
COMMENT ON COLUMN pgperf.host_history.memory_writeback_bytes IS 'Page cache being written to disk';
COMMENT ON COLUMN pgperf.host_history.huge_pages_total IS 'Huge pages in the pool (a number, not bytes)';
COMMENT ON COLUMN pgperf.host_history.huge_pages_free IS 'Unused huge pages of the pool';
COMMENT ON COLUMN pgperf.host_history.swap_total_bytes IS 'Swap space';
COMMENT ON COLUMN pgperf.host_history.swap_free_bytes IS 'Free swap space';
COMMENT ON COLUMN pgperf.host_history.server_processes IS 'Processes of this server';
COMMENT ON COLUMN pgperf.host_history.cpu_nice_ms IS 'Milliseconds of all CPUs in programs of lowered priority';
COMMENT ON COLUMN pgperf.host_history.cpu_system_ms IS 'Milliseconds of all CPUs in the kernel';
COMMENT ON COLUMN pgperf.host_history.cpu_idle_ms IS 'Idle milliseconds of all CPUs';
COMMENT ON COLUMN pgperf.host_history.cpu_iowait_ms IS 'Idle milliseconds of all CPUs while I/O was outstanding';
COMMENT ON COLUMN pgperf.host_history.cpu_irq_ms IS 'Milliseconds of all CPUs in interrupts';
COMMENT ON COLUMN pgperf.host_history.cpu_softirq_ms IS 'Milliseconds of all CPUs in software interrupts';
COMMENT ON COLUMN pgperf.host_history.cpu_steal_ms IS 'Milliseconds that the hypervisor gave to others';
COMMENT ON COLUMN pgperf.host_history.context_switches IS 'Context switches of all CPUs';
COMMENT ON COLUMN pgperf.host_history.forks IS 'Processes and threads created';
COMMENT ON COLUMN pgperf.host_history.swap_in_pages IS 'Memory pages read from swap';
COMMENT ON COLUMN pgperf.host_history.swap_out_pages IS 'Memory pages written to swap';
COMMENT ON COLUMN pgperf.host_history.major_faults IS 'Page faults that had to read from disk';
COMMENT ON COLUMN pgperf.host_history.oom_kills IS 'Processes killed because memory ran out';

COMMENT ON COLUMN pgperf.host_rates.cpu_user_percent IS 'Share of the CPUs'' time in programs since the previous sample, those of lowered priority included';
COMMENT ON COLUMN pgperf.host_rates.cpu_system_percent IS 'Share of the CPUs'' time in the kernel since the previous sample, interrupts included';
COMMENT ON COLUMN pgperf.host_rates.cpu_idle_percent IS 'Idle share of the CPUs'' time since the previous sample';
COMMENT ON COLUMN pgperf.host_rates.cpu_iowait_percent IS 'Idle share of the CPUs'' time since the previous sample while I/O was outstanding';
COMMENT ON COLUMN pgperf.host_rates.cpu_steal_percent IS 'Share of the CPUs'' time that the hypervisor gave to others since the previous sample';

COMMENT ON COLUMN pgperf.device_history.boot_id IS 'A new value: the machine was restarted, and its counters began again';
COMMENT ON COLUMN pgperf.device_history.device IS 'Name of the block device';
COMMENT ON COLUMN pgperf.device_history.in_flight IS 'Requests in flight now';
COMMENT ON COLUMN pgperf.device_history.read_ios IS 'Reads completed';
COMMENT ON COLUMN pgperf.device_history.read_merges IS 'Reads that were merged with another one';
COMMENT ON COLUMN pgperf.device_history.write_ios IS 'Writes completed';
COMMENT ON COLUMN pgperf.device_history.write_merges IS 'Writes that were merged with another one';
COMMENT ON COLUMN pgperf.device_history.write_sectors IS 'Sectors of 512 bytes written';
COMMENT ON COLUMN pgperf.device_history.write_ticks IS 'Milliseconds that all writes together waited';
COMMENT ON COLUMN pgperf.device_history.io_ticks IS 'Milliseconds during which the device had requests in flight';
COMMENT ON COLUMN pgperf.device_history.time_in_queue IS 'Milliseconds that all requests together waited';
COMMENT ON COLUMN pgperf.device_history.discard_ios IS 'Discards completed';
COMMENT ON COLUMN pgperf.device_history.discard_merges IS 'Discards that were merged with another one';
COMMENT ON COLUMN pgperf.device_history.discard_sectors IS 'Sectors of 512 bytes discarded';
COMMENT ON COLUMN pgperf.device_history.discard_ticks IS 'Milliseconds that all discards together waited';
COMMENT ON COLUMN pgperf.device_history.flush_ios IS 'Flushes completed';
COMMENT ON COLUMN pgperf.device_history.flush_ticks IS 'Milliseconds that all flushes together waited';

COMMENT ON COLUMN pgperf.device_rates.seconds IS 'Seconds since the previous sample; NULL: there is none, or the clock was set back meanwhile';
COMMENT ON COLUMN pgperf.device_rates.r_s IS 'Reads per second';
COMMENT ON COLUMN pgperf.device_rates.rkb_s IS 'Kilobytes (1024) read per second';
COMMENT ON COLUMN pgperf.device_rates.rrqm_s IS 'Merged reads per second';
COMMENT ON COLUMN pgperf.device_rates.rrqm IS 'Share of the reads that were merged, in percent';
COMMENT ON COLUMN pgperf.device_rates.r_await IS 'Average time of a read in milliseconds, waiting included';
COMMENT ON COLUMN pgperf.device_rates.rareq_sz IS 'Average size of a read in kilobytes (1024)';
COMMENT ON COLUMN pgperf.device_rates.w_s IS 'Writes per second';
COMMENT ON COLUMN pgperf.device_rates.wkb_s IS 'Kilobytes (1024) written per second';
COMMENT ON COLUMN pgperf.device_rates.wrqm_s IS 'Merged writes per second';
COMMENT ON COLUMN pgperf.device_rates.wrqm IS 'Share of the writes that were merged, in percent';
COMMENT ON COLUMN pgperf.device_rates.w_await IS 'Average time of a write in milliseconds, waiting included';
COMMENT ON COLUMN pgperf.device_rates.wareq_sz IS 'Average size of a write in kilobytes (1024)';
COMMENT ON COLUMN pgperf.device_rates.d_s IS 'Discards per second';
COMMENT ON COLUMN pgperf.device_rates.dkb_s IS 'Kilobytes (1024) discarded per second';
COMMENT ON COLUMN pgperf.device_rates.drqm_s IS 'Merged discards per second';
COMMENT ON COLUMN pgperf.device_rates.drqm IS 'Share of the discards that were merged, in percent';
COMMENT ON COLUMN pgperf.device_rates.d_await IS 'Average time of a discard in milliseconds, waiting included';
COMMENT ON COLUMN pgperf.device_rates.dareq_sz IS 'Average size of a discard in kilobytes (1024)';
COMMENT ON COLUMN pgperf.device_rates.f_s IS 'Flushes per second';
COMMENT ON COLUMN pgperf.device_rates.f_await IS 'Average time of a flush in milliseconds, waiting included';
COMMENT ON COLUMN pgperf.device_rates.aqu_sz IS 'Average number of requests in flight or waiting';
COMMENT ON COLUMN pgperf.device_rates.util IS 'Share of the time during which the device had requests in flight, in percent';

-- Columns of the history of statements, replication and settings.
COMMENT ON COLUMN pgperf.statement_history.userid IS 'Oid of the role that executed it';
COMMENT ON COLUMN pgperf.statement_history.dbid IS 'Oid of the database in which it was executed';
COMMENT ON COLUMN pgperf.statement_history.toplevel IS 'Whether it was executed at top level, not within a function (pg_stat_statements.track = all)';
COMMENT ON COLUMN pgperf.statement_history.role_name IS 'Name of that role; NULL: it was dropped, or all statements together';
COMMENT ON COLUMN pgperf.statement_history.database_name IS 'Name of that database; NULL: it was dropped, or all statements together';
COMMENT ON COLUMN pgperf.statement_history.min_plan_time IS 'Shortest planning time in milliseconds';
COMMENT ON COLUMN pgperf.statement_history.max_plan_time IS 'Longest planning time in milliseconds';
COMMENT ON COLUMN pgperf.statement_history.mean_plan_time IS 'Average planning time in milliseconds since the statement was first seen';
COMMENT ON COLUMN pgperf.statement_history.stddev_plan_time IS 'Standard deviation of the planning time in milliseconds';
COMMENT ON COLUMN pgperf.statement_history.min_exec_time IS 'Shortest execution time in milliseconds';
COMMENT ON COLUMN pgperf.statement_history.max_exec_time IS 'Longest execution time in milliseconds';
COMMENT ON COLUMN pgperf.statement_history.stddev_exec_time IS 'Standard deviation of the execution time in milliseconds';
COMMENT ON COLUMN pgperf.statement_history.plans IS 'How often it was planned; counted with pg_stat_statements.track_planning';
COMMENT ON COLUMN pgperf.statement_history.total_plan_time IS 'Milliseconds spent planning it; counted with pg_stat_statements.track_planning';
COMMENT ON COLUMN pgperf.statement_history.plan_time_squares IS 'Sum of the squares of the planning times in square milliseconds';
COMMENT ON COLUMN pgperf.statement_history.calls IS 'How often it was executed';
COMMENT ON COLUMN pgperf.statement_history.total_exec_time IS 'Milliseconds spent executing it';
COMMENT ON COLUMN pgperf.statement_history.rows IS 'Rows that it returned or changed';
COMMENT ON COLUMN pgperf.statement_history.shared_blks_hit IS 'Blocks that it found in shared_buffers';
COMMENT ON COLUMN pgperf.statement_history.shared_blks_read IS 'Blocks that it had to read into shared_buffers';
COMMENT ON COLUMN pgperf.statement_history.shared_blks_dirtied IS 'Clean blocks that it changed';
COMMENT ON COLUMN pgperf.statement_history.shared_blks_written IS 'Blocks that it had to write itself';
COMMENT ON COLUMN pgperf.statement_history.local_blks_hit IS 'Blocks of temporary tables that it found in its local buffers';
COMMENT ON COLUMN pgperf.statement_history.local_blks_read IS 'Blocks of temporary tables that it had to read';
COMMENT ON COLUMN pgperf.statement_history.local_blks_dirtied IS 'Clean blocks of temporary tables that it changed';
COMMENT ON COLUMN pgperf.statement_history.local_blks_written IS 'Blocks of temporary tables that it wrote';
COMMENT ON COLUMN pgperf.statement_history.temp_blks_read IS 'Blocks of temporary files (sorts, hashes) that it read';
COMMENT ON COLUMN pgperf.statement_history.temp_blks_written IS 'Blocks of temporary files (sorts, hashes) that it wrote';
COMMENT ON COLUMN pgperf.statement_history.shared_blk_write_time IS 'Milliseconds spent writing blocks; NULL unless track_io_timing is or was on';
COMMENT ON COLUMN pgperf.statement_history.local_blk_read_time IS 'Milliseconds spent reading blocks of temporary tables; NULL unless track_io_timing is or was on';
COMMENT ON COLUMN pgperf.statement_history.local_blk_write_time IS 'Milliseconds spent writing blocks of temporary tables; NULL unless track_io_timing is or was on';
COMMENT ON COLUMN pgperf.statement_history.temp_blk_read_time IS 'Milliseconds spent reading temporary files; NULL unless track_io_timing is or was on';
COMMENT ON COLUMN pgperf.statement_history.temp_blk_write_time IS 'Milliseconds spent writing temporary files; NULL unless track_io_timing is or was on';
COMMENT ON COLUMN pgperf.statement_history.wal_records IS 'WAL records that it wrote';
COMMENT ON COLUMN pgperf.statement_history.wal_fpi IS 'Full-page images in its WAL';
COMMENT ON COLUMN pgperf.statement_history.wal_bytes IS 'Bytes of its WAL';
COMMENT ON COLUMN pgperf.statement_history.wal_buffers_full IS 'How often the WAL buffers were full while it ran; pg_stat_statements 1.12';
COMMENT ON COLUMN pgperf.statement_history.jit_functions IS 'Functions that JIT compiled for it';
COMMENT ON COLUMN pgperf.statement_history.jit_generation_time IS 'Milliseconds spent generating code';
COMMENT ON COLUMN pgperf.statement_history.jit_inlining_count IS 'How often functions were inlined';
COMMENT ON COLUMN pgperf.statement_history.jit_inlining_time IS 'Milliseconds spent inlining functions';
COMMENT ON COLUMN pgperf.statement_history.jit_optimization_count IS 'How often its code was optimized';
COMMENT ON COLUMN pgperf.statement_history.jit_optimization_time IS 'Milliseconds spent optimizing its code';
COMMENT ON COLUMN pgperf.statement_history.jit_emission_count IS 'How often code was emitted';
COMMENT ON COLUMN pgperf.statement_history.jit_emission_time IS 'Milliseconds spent emitting code';
COMMENT ON COLUMN pgperf.statement_history.jit_deform_count IS 'Compiled functions that deform tuples; pg_stat_statements 1.11';
COMMENT ON COLUMN pgperf.statement_history.jit_deform_time IS 'Milliseconds spent compiling them; pg_stat_statements 1.11';
COMMENT ON COLUMN pgperf.statement_history.parallel_workers_to_launch IS 'Parallel workers that its plans requested; pg_stat_statements 1.12';
COMMENT ON COLUMN pgperf.statement_history.parallel_workers_launched IS 'Parallel workers that it got; pg_stat_statements 1.12';
COMMENT ON COLUMN pgperf.statement_history.generic_plan_calls IS 'Executions with a generic plan; pg_stat_statements 1.13';
COMMENT ON COLUMN pgperf.statement_history.custom_plan_calls IS 'Executions with a custom plan; pg_stat_statements 1.13';
COMMENT ON COLUMN pgperf.statement_history.stats_since IS 'When its counters began; pg_stat_statements 1.11';
COMMENT ON COLUMN pgperf.statement_history.minmax_stats_since IS 'When its minima and maxima began; pg_stat_statements 1.11';

COMMENT ON COLUMN pgperf.statement_rates.mean_exec_time IS 'Average execution time in milliseconds since the previous sample';
COMMENT ON COLUMN pgperf.statement_rates.stddev_exec_time IS 'Standard deviation of the execution time in milliseconds since the previous sample';
COMMENT ON COLUMN pgperf.statement_rates.mean_plan_time IS 'Average planning time in milliseconds since the previous sample';
COMMENT ON COLUMN pgperf.statement_rates.hit_percent IS 'Share of the blocks it accessed since the previous sample that were found in shared_buffers';
COMMENT ON COLUMN pgperf.statement_rates.query IS 'Text of the statement, at most 10,000 characters; NULL: all statements together, or not stored';

COMMENT ON COLUMN pgperf.statement_texts.queryid IS 'Identifier of the statement, as in pg_stat_statements';
COMMENT ON COLUMN pgperf.statement_texts.dbid IS 'Oid of the database';
COMMENT ON COLUMN pgperf.statement_texts.query IS 'Text of the statement, at most 10,000 characters';

COMMENT ON COLUMN pgperf.replication_history.kind IS 'standby, slot or subscription';
COMMENT ON COLUMN pgperf.replication_history.database_name IS 'Database of a logical slot or a subscription';
COMMENT ON COLUMN pgperf.replication_history.client IS 'Address of the standby; NULL: a local socket';
COMMENT ON COLUMN pgperf.replication_history.active IS 'Whether it is connected: the standby, the consumer of a slot, the worker of a subscription';
COMMENT ON COLUMN pgperf.replication_history.state IS 'State of a standby''s WAL sender: startup, catchup, streaming, backup or stopping';
COMMENT ON COLUMN pgperf.replication_history.sync_state IS 'How commits wait for the standby: async, potential, sync or quorum';
COMMENT ON COLUMN pgperf.replication_history.write_lag_bytes IS 'WAL from what the standby has written to the current position, in bytes';
COMMENT ON COLUMN pgperf.replication_history.flush_lag_bytes IS 'WAL not flushed yet, in bytes: by a standby, or not confirmed by a slot''s consumer; for a subscription, received but not reported as flushed';
COMMENT ON COLUMN pgperf.replication_history.replay_lag_bytes IS 'WAL from what the standby has replayed to the current position, in bytes';
COMMENT ON COLUMN pgperf.replication_history.flush_lag_ms IS 'Milliseconds until recent WAL was flushed on the standby; NULL: nothing to wait for';
COMMENT ON COLUMN pgperf.replication_history.replay_lag_ms IS 'Milliseconds until recent WAL was replayed on the standby; NULL: nothing to wait for';
COMMENT ON COLUMN pgperf.replication_history.slot_type IS 'physical or logical';
COMMENT ON COLUMN pgperf.replication_history.plugin IS 'Output plugin of a logical slot';
COMMENT ON COLUMN pgperf.replication_history.wal_status IS 'Availability of the WAL that the slot needs: reserved, extended, unreserved or lost';
COMMENT ON COLUMN pgperf.replication_history.safe_wal_size IS 'Bytes of WAL that can be written before the slot is in danger of being lost; NULL: no limit, or lost';
COMMENT ON COLUMN pgperf.replication_history.xmin_age IS 'Age in transactions of the xmin that the slot holds: vacuum keeps rows deleted since';
COMMENT ON COLUMN pgperf.replication_history.catalog_xmin_age IS 'The same for rows of the system catalogs';
COMMENT ON COLUMN pgperf.replication_history.inactive_since IS 'When the slot became inactive; PostgreSQL 17';
COMMENT ON COLUMN pgperf.replication_history.conflicting IS 'Whether the logical slot was invalidated by a conflict with recovery; PostgreSQL 16';
COMMENT ON COLUMN pgperf.replication_history.invalidation_reason IS 'Why the slot was invalidated; PostgreSQL 17';
COMMENT ON COLUMN pgperf.replication_history.failover IS 'Whether the slot is synchronized to standbys; PostgreSQL 17';
COMMENT ON COLUMN pgperf.replication_history.synced IS 'Whether the slot was synchronized from a primary; PostgreSQL 17';
COMMENT ON COLUMN pgperf.replication_history.spill_txns IS 'Transactions that decoding spilled to disk';
COMMENT ON COLUMN pgperf.replication_history.spill_count IS 'How often decoding spilled transactions to disk';
COMMENT ON COLUMN pgperf.replication_history.spill_bytes IS 'Bytes of decoded transactions spilled to disk';
COMMENT ON COLUMN pgperf.replication_history.stream_txns IS 'In-progress transactions that decoding streamed';
COMMENT ON COLUMN pgperf.replication_history.stream_count IS 'How often in-progress transactions were streamed';
COMMENT ON COLUMN pgperf.replication_history.stream_bytes IS 'Bytes of in-progress transactions that were streamed';
COMMENT ON COLUMN pgperf.replication_history.total_txns IS 'Decoded transactions sent to the output plugin';
COMMENT ON COLUMN pgperf.replication_history.total_bytes IS 'Bytes of decoded transactions sent to the output plugin';
COMMENT ON COLUMN pgperf.replication_history.apply_error_count IS 'Errors while the subscription applied changes';
COMMENT ON COLUMN pgperf.replication_history.sync_error_count IS 'Errors while the subscription copied tables';
COMMENT ON COLUMN pgperf.replication_history.confl_insert_exists IS 'Rows to insert whose key already existed; PostgreSQL 18';
COMMENT ON COLUMN pgperf.replication_history.confl_update_origin_differs IS 'Rows to update that had been changed by another origin; PostgreSQL 18';
COMMENT ON COLUMN pgperf.replication_history.confl_update_exists IS 'Updates to a key that already existed; PostgreSQL 18';
COMMENT ON COLUMN pgperf.replication_history.confl_update_missing IS 'Rows to update that did not exist; PostgreSQL 18';
COMMENT ON COLUMN pgperf.replication_history.confl_delete_origin_differs IS 'Rows to delete that had been changed by another origin; PostgreSQL 18';
COMMENT ON COLUMN pgperf.replication_history.confl_delete_missing IS 'Rows to delete that did not exist; PostgreSQL 18';
COMMENT ON COLUMN pgperf.replication_history.confl_multiple_unique_conflicts IS 'Rows whose values already existed under several unique keys; PostgreSQL 18';
COMMENT ON COLUMN pgperf.replication_history.stats_reset IS 'When the counters of the slot or subscription were last reset';

COMMENT ON COLUMN pgperf.settings_history.name IS 'Name of the setting';
COMMENT ON COLUMN pgperf.settings_history.unit IS 'Unit of value, as in pg_settings; NULL: none';
COMMENT ON COLUMN pgperf.settings_history.pending_restart IS 'Whether a new value takes effect only after a restart';

-- Columns of what keeps samples and nodes.
COMMENT ON COLUMN pgperf.sample_outcomes.collector IS 'Name of the collector';
COMMENT ON COLUMN pgperf.sample_outcomes.status IS 'ok, skipped, failed or incomplete';
COMMENT ON COLUMN pgperf.sample_outcomes.rows IS 'Rows that it stored';
COMMENT ON COLUMN pgperf.sample_outcomes.elapsed_ms IS 'Milliseconds that it took';
COMMENT ON COLUMN pgperf.sample_outcomes.reason IS 'Why it was skipped or failed, or a note; NULL: none';

COMMENT ON COLUMN pgperf.sampler_gaps.collector IS 'Name of the collector';
COMMENT ON COLUMN pgperf.sampler_gaps.last_at IS 'The last sample before the gap with this collector ok';
COMMENT ON COLUMN pgperf.sampler_gaps.seconds IS 'Length of the gap in seconds; until now if it has not ended';
COMMENT ON COLUMN pgperf.sampler_gaps.reason IS 'Why there was no sample, as far as the samples show';

COMMENT ON COLUMN pgperf.collectors.name IS 'Name of the collector';
COMMENT ON COLUMN pgperf.collectors.history_tables IS 'The tables that it writes';
COMMENT ON COLUMN pgperf.collectors.description IS 'Short description of what it stores';

COMMENT ON COLUMN pgperf_internal.history_tables.table_name IS 'Name of the table in schema pgperf';

COMMENT ON COLUMN pgperf.history_partitions.table_name IS 'The history table';
COMMENT ON COLUMN pgperf.history_partitions.level IS 'raw, hourly, daily, pinned or rest';
COMMENT ON COLUMN pgperf.history_partitions.partition_name IS 'Name of the partition';
COMMENT ON COLUMN pgperf.history_partitions.partition IS 'The partition';
COMMENT ON COLUMN pgperf.history_partitions.starts_at IS 'Start of its range; NULL: it has no range';
COMMENT ON COLUMN pgperf.history_partitions.ends_at IS 'End of its range; NULL: it has no range';

COMMENT ON COLUMN pgperf.history_size.table_name IS 'The table';
COMMENT ON COLUMN pgperf.history_size.level IS 'raw, hourly, daily, pinned, rest, runs or texts';
COMMENT ON COLUMN pgperf.history_size.partitions IS 'Number of its partitions on that level';
COMMENT ON COLUMN pgperf.history_size.bytes IS 'Their size with indexes and TOAST';
COMMENT ON COLUMN pgperf.history_size.newest_at IS 'End of the newest partition that holds rows, at most now; for runs and texts, when the newest run was requested or the newest text first seen';

COMMENT ON COLUMN pgperf.nodes.name IS 'Name of the node, initially host:port/database; it may be changed';
COMMENT ON COLUMN pgperf.nodes.system_identifier IS 'System identifier of the server, as in pg_control_system()';
COMMENT ON COLUMN pgperf.nodes.database_oid IS 'Oid of the database on that server; 0: an imported node';
COMMENT ON COLUMN pgperf.nodes.database_name IS 'Name of the database';
COMMENT ON COLUMN pgperf.nodes.host IS 'Name of the machine; NULL: not known';
COMMENT ON COLUMN pgperf.nodes.created_at IS 'When the node was first seen';

-- Columns of workloads and sweeps.
COMMENT ON FUNCTION pgperf.create_workload_from_statements(text, integer, text, timestamptz, timestamptz, boolean, boolean, integer, boolean, text) IS
    'Stores a workload made of the statements of this database that took most of the time (by: time or calls): those in pg_stat_statements or, with from_time, in statement_history up to to_time. Values come from the tables. One row for each statement: what became of it';
COMMENT ON FUNCTION pgperf.observed_rate(text) IS
    'Transactions per second of the statements that a workload was made of by create_workload_from_statements, for the argument rate of a run; NULL for other workloads';
COMMENT ON FUNCTION pgperf.workload_fidelity(bigint, timestamptz, timestamptz) IS
    'How alike a run of a workload from create_workload_from_statements is: mix, time, rows and blocks per call beside those of the statements when they were observed or, with from_time, in that window of the history. The last row is of all together';
COMMENT ON FUNCTION pgperf.workload_fidelity(text, timestamptz, timestamptz) IS 'The same for a run by its label, or as ''node name/run_id''';
COMMENT ON COLUMN pgperf_internal.stored_workloads.origin IS 'Of a workload made of observed statements: what they did then; NULL: it is none';
COMMENT ON COLUMN pgperf_internal.stored_workloads.name IS 'Name of the workload';
COMMENT ON COLUMN pgperf_internal.stored_workloads.role IS 'The role that stored it; NULL: a built-in one';
COMMENT ON COLUMN pgperf_internal.stored_workloads.description IS 'Short description; NULL: none';
COMMENT ON COLUMN pgperf_internal.stored_workloads.scripts IS 'Its scripts: an array of name, text and weight';
COMMENT ON COLUMN pgperf_internal.stored_workloads.variables IS 'Default script variables of its runs';
COMMENT ON COLUMN pgperf_internal.stored_workloads.settings IS 'Default settings of the clients of its runs';
COMMENT ON COLUMN pgperf_internal.stored_workloads.options IS 'Options of its loads and runs, with their defaults';
COMMENT ON COLUMN pgperf_internal.stored_workloads.setup_sql IS 'Statements that create its tables; NULL: it has none';
COMMENT ON COLUMN pgperf_internal.stored_workloads.load_sql IS 'Statements that fill a part of its tables';
COMMENT ON COLUMN pgperf_internal.stored_workloads.check_sql IS 'Query of the conditions that its tables meet';
COMMENT ON COLUMN pgperf_internal.stored_workloads.metrics_sql IS 'Query of the metrics of a run';
COMMENT ON COLUMN pgperf_internal.stored_workloads.created_at IS 'When it was stored; NULL: a built-in one';

COMMENT ON COLUMN pgperf.workloads.kind IS 'built-in or stored';

COMMENT ON COLUMN pgperf_internal.stored_sweeps.sweep_id IS 'Number of the sweep';
COMMENT ON COLUMN pgperf_internal.stored_sweeps.label IS 'Name given by the call; NULL: none';
COMMENT ON COLUMN pgperf_internal.stored_sweeps.role IS 'The role that started it';
COMMENT ON COLUMN pgperf_internal.stored_sweeps.repetitions IS 'Number of runs planned for each point; with until_precise there may be more';
COMMENT ON COLUMN pgperf_internal.stored_sweeps.random_seed IS 'Seed of the order of runs and of the runs'' random values';
COMMENT ON COLUMN pgperf_internal.stored_sweeps.spec IS 'All options of the sweep as a document';
COMMENT ON COLUMN pgperf_internal.stored_sweeps.stored_status IS 'The last status that was stored: waiting, running, finished, stopped or failed';
COMMENT ON COLUMN pgperf_internal.stored_sweeps.requested_at IS 'When it was requested';
COMMENT ON COLUMN pgperf_internal.stored_sweeps.resumed_at IS 'When it was last resumed; NULL: never';
COMMENT ON COLUMN pgperf_internal.stored_sweeps.started_at IS 'When its worker began; NULL: not yet';
COMMENT ON COLUMN pgperf_internal.stored_sweeps.ended_at IS 'When it ended; NULL: it has not, or it was interrupted';
COMMENT ON COLUMN pgperf_internal.stored_sweeps.server_version IS 'Version of the server on which it ran';
COMMENT ON COLUMN pgperf_internal.stored_sweeps.worker_pid IS 'Process id of its worker on this server; once the sweep has ended, another process may have it';
COMMENT ON COLUMN pgperf_internal.stored_sweeps.sqlstate IS 'SQLSTATE of the error that made it fail; NULL: none';
COMMENT ON COLUMN pgperf_internal.stored_sweeps.error IS 'Why it failed or was stopped; NULL: no such reason';

COMMENT ON COLUMN pgperf.sweeps.status IS 'waiting, running, finished, stopped, failed, needs restart (of the server, for its next point), or interrupted (its worker or the server went away)';
COMMENT ON COLUMN pgperf.sweeps.points IS 'Number of points of the grid';
COMMENT ON COLUMN pgperf.sweeps.finished IS 'Number of runs done';
COMMENT ON COLUMN pgperf.sweeps.attempts IS 'Number of attempts at runs';
COMMENT ON COLUMN pgperf.sweeps.load_run_id IS 'The load that is running; NULL: none';

COMMENT ON COLUMN pgperf_internal.stored_sweep_points.sweep_id IS 'Number of the sweep';
COMMENT ON COLUMN pgperf_internal.stored_sweep_points.point_no IS 'Number of the point, from 1';
COMMENT ON COLUMN pgperf_internal.stored_sweep_points.workload IS 'Workload of the point''s runs';
COMMENT ON COLUMN pgperf_internal.stored_sweep_points.clients IS 'Client sessions of the point''s runs';
COMMENT ON COLUMN pgperf_internal.stored_sweep_points.scale IS 'Scale of the tables, whether loaded for the point or found; without tables, the value of :scale in scripts';
COMMENT ON COLUMN pgperf_internal.stored_sweep_points.partitions IS 'Partitions of accounts as loaded for the point; NULL: the point loads nothing, or gives no number';
COMMENT ON COLUMN pgperf_internal.stored_sweep_points.fillfactor IS 'Fillfactor of the tables as loaded for the point; NULL: the point loads nothing, or gives none';
COMMENT ON COLUMN pgperf_internal.stored_sweep_points.query_mode IS 'Query mode of the point''s runs';
COMMENT ON COLUMN pgperf_internal.stored_sweep_points.settings IS 'Settings of the clients that vary with the point';

COMMENT ON COLUMN pgperf_internal.sweep_attempts.sweep_id IS 'Number of the sweep';
COMMENT ON COLUMN pgperf_internal.sweep_attempts.position IS 'Place of the run in the order of runs, from 1';
COMMENT ON COLUMN pgperf_internal.sweep_attempts.attempt IS 'Number of the attempt at this run, from 1';
COMMENT ON COLUMN pgperf_internal.sweep_attempts.point_no IS 'Number of the point';
COMMENT ON COLUMN pgperf_internal.sweep_attempts.repetition IS 'Number of the repetition of the point, from 1';
COMMENT ON COLUMN pgperf_internal.sweep_attempts.load_run_id IS 'The load before it; NULL: none, or it has been deleted since';
COMMENT ON COLUMN pgperf_internal.sweep_attempts.started_at IS 'When the attempt began';
COMMENT ON COLUMN pgperf_internal.sweep_attempts.ended_at IS 'When the attempt ended; NULL: not known yet';
COMMENT ON COLUMN pgperf_internal.sweep_attempts.sqlstate IS 'SQLSTATE of the error; NULL: none';
COMMENT ON COLUMN pgperf_internal.sweep_attempts.error IS 'Why it failed; NULL: it did not';

COMMENT ON COLUMN pgperf_internal.sweep_plan.attempts IS 'Number of attempts';
COMMENT ON COLUMN pgperf_internal.sweep_plan.done IS 'Whether one of them finished and its run still exists';

COMMENT ON COLUMN pgperf.sweep_points.tps IS 'Mean tps of its finished runs';
COMMENT ON COLUMN pgperf.sweep_points.tps_ci_high IS 'Upper end of the 95 % interval of that mean; NULL: one run gives no interval';
COMMENT ON COLUMN pgperf.sweep_points.run_ids IS 'The finished runs, in the order of repetitions';
COMMENT ON COLUMN pgperf.sweep_points.latency_avg_ms IS 'Average of the runs'' mean latencies in ms';
COMMENT ON COLUMN pgperf.sweep_points.latency_p50_ms IS 'Median latency in ms over the transactions of all runs';
COMMENT ON COLUMN pgperf.sweep_points.latency_p95_ms IS '95th percentile of the latency in ms over the transactions of all runs';
COMMENT ON COLUMN pgperf.sweep_points.latency_p99_ms IS '99th percentile of the latency in ms over the transactions of all runs';
COMMENT ON COLUMN pgperf.sweep_points.latency_p999_ms IS '99.9th percentile of the latency in ms over the transactions of all runs';
COMMENT ON COLUMN pgperf.sweep_points.failed_transactions IS 'Failed transactions of the finished runs together';
COMMENT ON COLUMN pgperf.sweep_points.error IS 'An error of a run of the point; NULL: none';

COMMENT ON COLUMN pgperf.sweep_peak.combination IS 'Dimensions other than the number of clients, as ''name=value, ...''; empty: nothing';
COMMENT ON COLUMN pgperf.sweep_peak.point_no IS 'Number of the point with the highest mean tps';
COMMENT ON COLUMN pgperf.sweep_peak.clients IS 'Number of clients at that point';
COMMENT ON COLUMN pgperf.sweep_peak.n IS 'Number of its finished runs';

-- What views pass on from tables is described where it comes from. This comes last and fills what has no comment yet.
DO $$
DECLARE
    place record;
BEGIN
    -- What is called so means the same everywhere.
    FOR place IN
        SELECT c.oid::regclass AS relation, a.attname, CASE
            WHEN a.attname = 'node_id' THEN 'The node that the row belongs to (pgperf.nodes)'
            WHEN a.attname = 'sample_id' THEN 'The sample that the row belongs to (pgperf.samples); numbers grow with time within a node'
            WHEN a.attname = 'taken_at' THEN 'When the sample began'
            WHEN a.attname = 'seconds' THEN 'Seconds since the sample before, which the differences cover; NULL: there is none, or the clock was set back meanwhile'
            WHEN EXISTS (SELECT FROM pg_catalog.pg_attribute s WHERE s.attrelid = c.oid AND s.attname = 'sample_id')
                THEN 'The run during which the sample was taken; NULL: none'
            ELSE 'Number of the run on its node' END AS comment
        FROM pg_catalog.pg_class c JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        WHERE c.relnamespace IN ('pgperf'::regnamespace, 'pgperf_internal'::regnamespace)
          AND c.relkind IN ('r', 'p', 'v') AND NOT c.relispartition
          AND (a.attname IN ('node_id', 'sample_id', 'taken_at', 'run_id') OR a.attname = 'seconds' AND c.relname ~ '_deltas$')
          AND pg_catalog.col_description(c.oid, a.attnum) IS NULL
    LOOP
        EXECUTE pg_catalog.format('COMMENT ON COLUMN %s.%I IS %L', place.relation, place.attname, place.comment);
    END LOOP;

    -- A column of a view that has the name of one of its source is that column; one that another called ..._per_s goes with
    -- (and all of the two views that have none of these) is a difference.
    FOR place IN
        WITH pairs AS (
            SELECT v.relname AS view_name, pg_catalog.replace(v.relname, '_deltas', '_history') AS source, 1 AS step
            FROM pg_catalog.pg_class v WHERE v.relnamespace = 'pgperf'::regnamespace AND v.relname ~ '_deltas$'
            UNION ALL
            SELECT v.relname, d.relname, 2
            FROM pg_catalog.pg_class v JOIN pg_catalog.pg_class d ON d.relnamespace = v.relnamespace
                 AND d.relname = pg_catalog.replace(v.relname, '_rates', '_deltas')
            WHERE v.relnamespace = 'pgperf'::regnamespace AND v.relname ~ '_rates$'
            UNION ALL
            SELECT * FROM (VALUES
                ('wait_rates', 'wait_history', 1), ('wal_rmgr_estimates', 'wal_rmgr_history', 1),
                ('runs', 'stored_runs', 1), ('run_intervals', 'run_totals', 1), ('run_scripts', 'run_totals', 1),
                ('run_summary', 'run_totals', 1), ('run_summary', 'runs', 2), ('run_segments', 'stored_segments', 1), ('progress', 'runs', 2),
                ('stored_workloads', 'workloads', 1), ('workloads', 'stored_workloads', 2), ('collector_settings', 'collectors', 1),
                ('sweeps', 'stored_sweeps', 1), ('sweep_plan', 'sweep_attempts', 1), ('sweep_runs', 'sweep_attempts', 1),
                ('sweep_runs', 'sweep_plan', 2), ('sweep_runs', 'run_summary', 3), ('sweep_points', 'stored_sweep_points', 1),
                ('sweep_peak', 'sweep_points', 2)) p (view_name, source, step))
        SELECT p.view_name, p.source, v.oid::regclass AS view_oid, s.oid AS source_oid
        FROM pairs p
        JOIN pg_catalog.pg_class v ON v.relname = p.view_name
             AND v.relnamespace IN ('pgperf'::regnamespace, 'pgperf_internal'::regnamespace)
        JOIN pg_catalog.pg_class s ON s.relname = p.source
             AND s.relnamespace IN ('pgperf'::regnamespace, 'pgperf_internal'::regnamespace)
        ORDER BY p.step, p.view_name
    LOOP
        DECLARE
            same record;
        BEGIN
            FOR same IN
                SELECT a.attname, CASE
                    WHEN o.attname <> a.attname THEN pg_catalog.format('%s per second', o.attname)
                    WHEN place.view_name ~ '_deltas$' AND (d.attname IS NOT NULL OR place.view_name IN ('wal_deltas', 'buffer_counter_deltas'))
                        THEN 'Difference from the sample before: ' || pg_catalog.col_description(place.source_oid, o.attnum)
                    ELSE pg_catalog.col_description(place.source_oid, o.attnum) END AS comment
                FROM pg_catalog.pg_attribute a
                JOIN pg_catalog.pg_attribute o ON o.attrelid = place.source_oid AND o.attnum > 0 AND NOT o.attisdropped
                     AND a.attname IN (o.attname, CASE WHEN place.view_name ~ '_deltas$' THEN o.attname || '_per_s' END)
                LEFT JOIN pg_catalog.pg_attribute d ON d.attrelid = a.attrelid AND d.attname = a.attname || '_per_s'
                WHERE a.attrelid = place.view_oid AND a.attnum > 0 AND NOT a.attisdropped
                  AND pg_catalog.col_description(a.attrelid, a.attnum) IS NULL
                  AND pg_catalog.col_description(place.source_oid, o.attnum) IS NOT NULL
            LOOP
                EXECUTE pg_catalog.format('COMMENT ON COLUMN %s.%I IS %L', place.view_oid, same.attname, same.comment);
            END LOOP;
        END;
    END LOOP;
END
$$;

-- Comments in other words.
COMMENT ON TABLE pgperf_internal.stored_workloads IS 'Workloads stored by create_workload; read pgperf.workloads, which has the built-in ones too';
COMMENT ON FUNCTION pgperf.create_workload(text,text,text[],integer[],jsonb,jsonb,text,boolean,text,text,text,text,jsonb) IS 'Stores a workload under a name: a pgbench script, or several with weights, with default variables and settings for its runs. With setup_sql it has a data set of its own: init runs setup_sql (creates the tables) and load_sql (fills them, once for each of :parts parts, in parallel); check_sql: query of (check_name, passed, detail); metrics_sql: query of (metric, value, unit, direction) at the end of a run; options: options of its loads and runs with their defaults, variables of all of these';
COMMENT ON FUNCTION pgperf.drop_workload(text) IS 'Removes a stored workload; its runs stay as they were. False if no workload has that name';
COMMENT ON FUNCTION pgperf_internal.built_in_workloads() IS 'The built-in workloads; read pgperf.workloads';
COMMENT ON VIEW pgperf.workloads IS 'The workloads that start_run can run: the built-in ones and those stored by create_workload';
COMMENT ON FUNCTION pgperf.doctor() IS E'Conditions that would spoil a measurement on this server: one row for each check, with its status (ok, warning, problem, or unknown where it cannot be seen, for the reason in detail) and, if there is one, the statement that fixes it, for psql''s \\gexec';
COMMENT ON TABLE pgperf.nodes IS 'The installations whose history is stored here; the local one is the newest row with this server''s system identifier and this database';
COMMENT ON COLUMN pgperf.nodes.first_of IS 'On the first node of a server and database: system identifier and database; NULL: a later node';
COMMENT ON COLUMN pgperf.nodes.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf_internal.stored_runs.measured_at IS 'When the measured part began; for a resumed run, in its first segment';
COMMENT ON COLUMN pgperf_internal.stored_runs.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf_internal.stored_runs.origin_role IS 'For an imported run: the role that ran it; role is the role that imported it';
COMMENT ON COLUMN pgperf_internal.stored_runs.origin_run_id IS 'For an imported run: its number on the node on which it ran; run_id is its number here';
COMMENT ON TABLE pgperf_internal.run_totals IS 'Totals of the measured part of each run that ended normally; wal_* and shared_blks_* cover the clients'' own statements and commits';
COMMENT ON COLUMN pgperf_internal.run_totals.commit_ms IS 'Average time in ms per transaction for committing its changes, including statements that commit by themselves';
COMMENT ON COLUMN pgperf_internal.run_totals.execute_ms IS 'Average time in ms per transaction in its statements, without parse_ms, plan_ms and commit_ms, and without meta-commands and pauses';
COMMENT ON COLUMN pgperf_internal.run_totals.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf_internal.run_totals.retry_ms IS 'Average time in ms per transaction for tries that were retried; NULL: a run with one try';
COMMENT ON COLUMN pgperf.run_intervals.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.run_intervals.step IS 'For a load: its step when the interval ended, and the progress that the server reported';
COMMENT ON TABLE pgperf.run_scripts IS 'One row for each script of a run: the outcome of its transactions';
COMMENT ON COLUMN pgperf.run_scripts.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.run_receivers.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.run_disturbances.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.run_receiver_lag.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.run_statements.commit_ms IS 'Average per call in ms for committing changes: in COMMIT, or in a statement that commits by itself';
COMMENT ON COLUMN pgperf.run_statements.execute_ms IS 'The rest of latency_avg_ms; in a pipeline, all of it';
COMMENT ON COLUMN pgperf.run_statements.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.run_statements.parse_ms IS 'Average per call in ms; 0 for a prepared statement, which was parsed before';
COMMENT ON COLUMN pgperf.run_statements.plan_ms IS 'Average per call in ms; 0 where a generic plan was used';
COMMENT ON TABLE pgperf.run_transactions IS 'One row for each transaction of a run with transaction_log => true, or for the share given by sampling_rate';
COMMENT ON COLUMN pgperf.run_transactions.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON TABLE pgperf.run_errors IS 'Errors of a run''s clients: one row for each client and SQLSTATE, with the last message; client_id NULL: errors of the leader';
COMMENT ON COLUMN pgperf.run_errors.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf_internal.stored_segments.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON TABLE pgperf_internal.resume_points IS 'One row for each run with resume => true that has not ended: its figures so far, for its next segment';
COMMENT ON COLUMN pgperf_internal.resume_points.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf_internal.resume_points.place IS 'Host, data directory and timeline of the server on which it ran: elsewhere it is not resumed automatically';
COMMENT ON COLUMN pgperf.data_sets.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf_internal.stored_sweeps.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf_internal.stored_sweep_points.combination IS 'Dimensions other than the number of clients, as ''name=value, ...''; points of one combination differ only in their clients';
COMMENT ON COLUMN pgperf_internal.stored_sweep_points.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON TABLE pgperf_internal.sweep_attempts IS 'Each attempt at a run of a sweep: the run, the load before it, and the outcome; pgperf.sweep_runs has the latest attempt at each run';
COMMENT ON COLUMN pgperf_internal.sweep_attempts.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf_internal.sweep_attempts.outcome IS 'Outcome of the attempt; NULL: not known yet';
COMMENT ON COLUMN pgperf_internal.sweep_attempts.run_id IS 'The run; NULL: the attempt did not get that far, or the run has been deleted since';
COMMENT ON TABLE pgperf_internal.history_tables IS 'The history tables, and how each is partitioned';
COMMENT ON COLUMN pgperf_internal.history_tables.collector IS 'The collector whose retention applies; NULL: the samples themselves, which stay as long as history rows belong to them';
COMMENT ON COLUMN pgperf_internal.history_tables.indexes IS 'Indexes of each partition';
COMMENT ON COLUMN pgperf_internal.history_tables.object IS 'For a table that holds only changes: the columns that identify its objects; the last row of each object in an hour or day is kept; NULL: whole samples are kept';
COMMENT ON COLUMN pgperf_internal.history_tables.rolled_up IS 'Whether one sample of each hour, later of each day, is kept when the rest is dropped';
COMMENT ON COLUMN pgperf_internal.history_tables.width IS 'Period that a partition covers';
COMMENT ON FUNCTION pgperf_internal.add_history(text,text,text[],text[],text,boolean,text[]) IS 'Adds a partitioned table to the history; called when the extension is created or updated';
COMMENT ON VIEW pgperf.history_partitions IS 'The partitions of the history; level: raw (every sample), hourly, daily, pinned (of pinned runs), rest (rows that came before their partition)';
COMMENT ON FUNCTION pgperf_internal.make_partition(text,text,text,timestamp without time zone,timestamp without time zone) IS 'Creates a partition of a history table with its indexes and moves the rows that belong there into it';
COMMENT ON TABLE pgperf_internal.pinned_runs IS 'The runs that are kept with their samples regardless of the retention; written by pgperf.pin_run';
COMMENT ON COLUMN pgperf_internal.pinned_runs.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON FUNCTION pgperf.pin_run(bigint,boolean) IS 'Keeps all samples of a run regardless of the retention, or no longer (pinned => false); false if that was the case already';
COMMENT ON TABLE pgperf.run_settings IS 'The settings of a run''s clients that were not at their defaults: of the server, the database, the role, and those given by the call';
COMMENT ON COLUMN pgperf.run_settings.default_setting IS 'Value that the server would use if nobody had set it; NULL: none (an extension''s setting that nobody declared)';
COMMENT ON COLUMN pgperf.run_settings.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.run_settings.setting IS 'Value as in pg_settings, in unit, without passwords in connection strings. NULL: the run''s role may not see it';
COMMENT ON TABLE pgperf.run_environment IS 'The server and the machine of a run, one row for each fact';
COMMENT ON COLUMN pgperf.run_environment.name IS 'Name of the fact; for file systems after their contents (data, wal, tablespace NAME), for devices after their name: data.mount_options, sda.rotational';
COMMENT ON COLUMN pgperf.run_environment.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.run_environment.unit IS 'Unit of a number: bytes, kB, kHz; NULL: a count, or no number';
COMMENT ON COLUMN pgperf.run_environment.value IS 'Value of the fact; NULL: it could not be read, for the reason in note';
COMMENT ON TABLE pgperf.run_metrics IS 'Further figures of a run: those that the workload defines, and the activity of the server and the machine between the sample at its start (before a warm-up) and the one at its end. pgperf''s own part is subtracted where it is known, and is a metric by itself';
COMMENT ON COLUMN pgperf.run_metrics.category IS 'Kind of metric; workload: defined by the workload; pgperf: the part of pgperf itself';
COMMENT ON COLUMN pgperf.run_metrics.direction IS 'The better direction; NULL: neither by itself';
COMMENT ON COLUMN pgperf.run_metrics.metric IS 'Name of the metric, followed by a dot and the part it covers, if any: wal_bytes.Heap, device_read_bytes.sda';
COMMENT ON COLUMN pgperf.run_metrics.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON TABLE pgperf.run_relations IS 'The tables, indexes, TOAST tables and materialized views whose statistics changed during a run, without the system catalogs and pgperf''s own: their state at its start and end, and their activity in between (seq_scan to blks_hit)';
COMMENT ON COLUMN pgperf.run_relations.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.run_relations.seq_scan IS 'Sequential scans during the run; this and the following are NULL if the counters began again in between (reset, crash) or their start values are not known';
COMMENT ON COLUMN pgperf.run_relations.start_bloat_percent IS 'Share of the size that rewriting it at the start would have freed';
COMMENT ON COLUMN pgperf.run_relations.start_size_bytes IS 'Size of the main fork in bytes at the start; this and the other start columns are NULL if the relation did not exist or had not been seen yet';
COMMENT ON COLUMN pgperf.run_relations.start_tuple_percent IS 'Share of the size taken by live rows at the start; NULL, as bloat_percent: the sample did not measure it';
COMMENT ON COLUMN pgperf.run_relations.table_name IS 'The table to which an index or TOAST table belongs';
COMMENT ON FUNCTION pgperf.new_node() IS 'Begins a new node, to which history belongs from now on. For a promoted copy, which pgperf cannot tell from its original';
COMMENT ON FUNCTION pgperf_internal.leader_alive(text,bigint) IS 'Whether the leader of a run of this installation is alive; used by the view pgperf.runs';
COMMENT ON FUNCTION pgperf.start_run(text,integer,interval,bigint,text,text[],integer[],integer,text,text,pgperf.rate,interval,integer,boolean,boolean,interval,interval,bigint,bigint,jsonb,jsonb,text,text,text,interval,text,interval,text[],boolean,double precision,jsonb,text,text,jsonb,boolean,text,jsonb,boolean,jsonb,text,interval,jsonb,interval,interval,jsonb,text,boolean,text) IS 'Starts a run when the transaction commits, and returns its run_id. workload: a built-in one (default tpcb-like), a stored one, or a mix such as ''tpcb-like@1, select-only@9''; script, or scripts with weights: pgbench script text instead; duration or transactions_per_client (neither: 60 s); query_mode: simple, extended, prepared; result_mode: format, discard; rate: transactions per second, also in steps, ''{"0 s": 100, "10 min": 800}'', or as a wave, ''{"low": 100, "high": 800, "period": "1 day"}''; settings: session settings of the clients; limits: stop the run at wal, free_disk (default 5%, at most 10 GB), xid_age (default 1500000000), replication_lag, errors; schema: schema of the tables; expect: expectations such as ''{"latency_p99_ms": "<= 5", "failed": "= 0"}'', CALL pgperf.run raises an error if they are not met; resume: the run goes on after a crash or restart of the server, see resume_run; application_name: of the clients'' sessions, instead of ''pgperf run N client M''; options: of the built-in workloads, by name; hit_curve: estimate the hit ratio at larger shared_buffers, see pgperf.hit_curve; drain: what catches up after the clients'' end, ''{"standbys": "all", "until": "replay", "slots": ["sub1"]}''; drain_sql: a query that returns true when its receiver has caught up; drain_timeout: how long that may take (default 10 min); alternate: settings, or scripts or workloads of the mix, that take turns within the run, ''{"wal_compression": ["off", "lz4"]}'', see pgperf.alternation; alternate_every: length of a turn (default 5 s); settle: the part at its beginning that belongs to neither side (default 0.5 s); disturbances: what happens beside the load, ''[{"kind": "vacuum_full", "table": "pgbench_tellers", "at": "10 s"}, {"name": "job", "sql": "SELECT refresh()", "at": "5 s", "every": "30 s"}]'', see pgperf.disturbance_impact; caches: cold (emptied before the clients begin) or warm (tables and indexes are read before); until_precise: end as soon as the mean tps is known within this percentage (''2%''), after duration (default 10 min) at the latest; plans: whether to store the plans of its statements (pgperf.run_plans; NULL: those of tpch-like)';
COMMENT ON FUNCTION pgperf.start_load(text,double precision,text,integer,boolean,boolean,text,text,integer,text,integer,text,boolean,jsonb,text,jsonb) IS 'Starts loading a workload''s tables when the transaction commits, and returns the run_id of the load; the same as CALL pgperf.init, without waiting';
COMMENT ON FUNCTION pgperf.stop_run(bigint) IS 'Stops a run (NULL: the newest): clients finish their transaction, and the last interval is stored. A second call cancels their statements. An interrupted run waiting to be resumed ends for good. False if there was nothing to stop';
COMMENT ON FUNCTION pgperf.resume_run(bigint) IS 'Resumes an interrupted run (NULL: the newest) that was started with resume => true, when the transaction commits: a new segment covers the rest of its duration or transactions. Returns its run_id';
COMMENT ON FUNCTION pgperf.delete_run(bigint) IS 'Removes a run that has ended and is in no baseline, with all its rows and samples; false if no run has that run_id';
COMMENT ON FUNCTION pgperf.run_status(bigint) IS 'The status of a run (NULL: the newest), as in pgperf.runs';
COMMENT ON PROCEDURE pgperf.run(text,integer,interval,bigint,text,text[],integer[],integer,text,text,pgperf.rate,interval,integer,boolean,boolean,interval,interval,bigint,bigint,jsonb,jsonb,text,text,text,interval,text,interval,text[],boolean,double precision,jsonb,text,text,jsonb,boolean,text,jsonb,boolean,jsonb,text,interval,jsonb,interval,interval,jsonb,text,boolean,text,bigint) IS 'Starts a run, waits for its end with a line of progress for each interval, and prints its report; Ctrl-C stops the run. Arguments as start_run';
COMMENT ON PROCEDURE pgperf.init(text,double precision,text,integer,boolean,boolean,text,text,integer,text,integer,text,boolean,jsonb,text,jsonb,bigint) IS 'Creates and loads a workload''s tables, as pgbench -i does: steps from d t g G v p f (g fills in bulk, G by INSERT), fillfactor, partitions by partition_method range or hash, foreign keys, unlogged, tablespaces; jobs: number of workers that fill tables (default: the number of cores); options: of the workload, by name. Drops or truncates only tables that pgperf created, unless replace is true. Ctrl-C stops it';
COMMENT ON FUNCTION pgperf_internal.require_finished(bigint) IS 'Raises the error that ended a run; called by CALL pgperf.init';
COMMENT ON FUNCTION pgperf_internal.make_quickstart_schema() IS 'Creates the schema of CALL pgperf.quickstart; fails if another role owns it';
COMMENT ON PROCEDURE pgperf.quickstart(text,bigint) IS 'Loads a small data set of a workload in the schema pgperf_quickstart, runs for ten seconds, prints the report, and suggests next steps';
COMMENT ON FUNCTION pgperf.start_sweep(text,integer[],integer,jsonb,text[],integer[],integer[],integer[],text[],text,interval,interval,text,jsonb,boolean,integer,bigint,text,bigint,text,text[],integer[],integer,text,text,pgperf.rate,interval,integer,boolean,boolean,interval,interval,bigint,jsonb,jsonb,text,text,text,text,interval,text[],boolean,double precision,jsonb,jsonb,text,text,jsonb,boolean,jsonb,text,interval,jsonb,interval,interval,jsonb,text,boolean,text,integer) IS 'Starts a sweep when the transaction commits, and returns its sweep_id: a worker runs every point of the grid that the arrays span (settings_grid: values of each setting, ''{"work_mem": ["4MB", "64MB"]}''), each repetitions times, one run after the other; until_precise: further runs until each mean tps is known within this percentage (''2%''), at most max_repetitions (30) of a point. run_order: random (each repetition in an order of its own), given; init: never, change, each: when the tables are loaded anew; checkpoint: before each run; run_tries: maximum tries of a failing run. The other arguments are those of start_run';
COMMENT ON FUNCTION pgperf_internal.call_options() IS 'The options of start_run, start_load and start_sweep as the library reads them; tests compare them with the declarations';
COMMENT ON VIEW pgperf.runs IS 'All runs; a run that has not ended and whose leader is gone (the leader or the server went down) shows as interrupted';
COMMENT ON COLUMN pgperf.runs.measured_at IS 'When the measured part began; for a resumed run, in its first segment';
COMMENT ON COLUMN pgperf.runs.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.runs.origin_role IS 'For an imported run: the role that ran it; role is the role that imported it';
COMMENT ON COLUMN pgperf.runs.origin_run_id IS 'For an imported run: its number on the node on which it ran; run_id is its number here';
COMMENT ON COLUMN pgperf.runs.resume IS 'Whether it is resumed after an interruption';
COMMENT ON COLUMN pgperf.runs.resumed_at IS 'When it was last resumed (see pgperf.run_segments); NULL: never';
COMMENT ON VIEW pgperf.run_segments IS 'One row for each segment of a run with resume => true: interruptions lie between segments, and the figures of the run are the sums over all';
COMMENT ON COLUMN pgperf.run_segments.ended_at IS 'The end of its last stored interval; later work is not counted';
COMMENT ON COLUMN pgperf.run_segments.first_interval_no IS 'Its first interval in pgperf.run_intervals, which are numbered over all segments';
COMMENT ON COLUMN pgperf.run_segments.gap_s IS 'Seconds since the last stored interval of the previous segment; NULL: the first segment';
COMMENT ON COLUMN pgperf.run_segments.node_id IS 'The node to which the row belongs (pgperf.nodes)';
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
LEFT JOIN pgperf_internal.run_totals t USING (node_id, run_id)
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
           CASE WHEN s.latency_square_ms2 IS NOT NULL THEN pg_catalog.sqrt(GREATEST(s.latency_square_ms2 - s.latency_avg_ms ^ 2, 0)) END,
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
        -- A quantile is the upper end of its bucket, which can lie above the true maximum.
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
COMMENT ON VIEW pgperf.run_summary IS 'The figures of each run in one row, for running and interrupted runs so far; own_*: the share of pgperf itself, not part of the other figures';
COMMENT ON COLUMN pgperf.run_summary.commit_ms IS 'Average time in ms per transaction for committing its changes, including statements that commit by themselves';
COMMENT ON COLUMN pgperf.run_summary.execute_ms IS 'Average time in ms per transaction in its statements, without parse_ms, plan_ms and commit_ms, and without meta-commands and pauses';
COMMENT ON COLUMN pgperf.run_summary.measured_at IS 'When the measured part began; for a resumed run, in its first segment';
COMMENT ON COLUMN pgperf.run_summary.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.run_summary.retry_ms IS 'Average time in ms per transaction for tries that were retried; NULL: a run with one try';
COMMENT ON FUNCTION pgperf.round(double precision,integer) IS 'A figure rounded to the given number of decimal places';
COMMENT ON FUNCTION pgperf_internal.require_run(bigint) IS 'Fails unless a run has that number';
COMMENT ON FUNCTION pgperf.transaction_log(bigint,boolean) IS 'The transaction log of a run as lines in the format of pgbench -l; failures_detailed: failed transactions by kind of failure';
COMMENT ON VIEW pgperf.progress IS 'The runs alive now: their progress, the time left, and their last interval (tps, latency, failed, lag), and the rate that they are to have now';
COMMENT ON COLUMN pgperf.progress.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON FUNCTION pgperf_internal.histogram_merge_combine(internal,internal) IS 'Part of pgperf.histogram_merge: adds the state of another process';
COMMENT ON FUNCTION pgperf_internal.histogram_merge_encode(internal) IS 'Part of pgperf.histogram_merge: encodes the state, as its result or for another process';
COMMENT ON FUNCTION pgperf_internal.histogram_merge_decode(bytea,internal) IS 'Part of pgperf.histogram_merge: reads the state of another process';
COMMENT ON AGGREGATE pgperf.histogram_merge(bytea) IS 'The histogram of all latencies of several histograms, for percentiles over several runs (averages of percentiles would be wrong); NULLs are left out';
COMMENT ON FUNCTION pgperf.histogram_quantile(bytea,double precision) IS 'The latency in milliseconds that the share quantile (0 to 1) of a histogram does not exceed; NULL for an empty histogram';
COMMENT ON FUNCTION pgperf.histogram_buckets(bytea,integer) IS 'The number of latencies from from_ms up to, but not including, to_ms. NULL: one row for each counter in use; otherwise at most that many rows from the lowest to the highest latency without gaps, wider for longer latencies';
COMMENT ON FUNCTION pgperf.histogram_count(bytea) IS 'The number of latencies in a histogram';
COMMENT ON FUNCTION pgperf.histogram_mean(bytea) IS 'The average latency of a histogram in milliseconds, to within 0.4 %; latency_avg_ms is exact';
COMMENT ON FUNCTION pgperf.histogram_max(bytea) IS 'The longest latency of a histogram in milliseconds, at most 0.8 % too high; latency_max_ms is exact';
COMMENT ON FUNCTION pgperf.histogram_compress(bytea) IS 'A histogram in HdrHistogram''s compressed V2 encoding, as used in its logs; every function here reads both encodings';
COMMENT ON TABLE pgperf.baselines IS 'Named baselines: the runs for which a name stands in compare and gate; written by set_baseline';
COMMENT ON COLUMN pgperf.baselines.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON TYPE pgperf.comparison IS 'Result of compare: a metric on both sides, or a setting or circumstance that differs';
COMMENT ON FUNCTION pgperf_internal.compare_runs(text[],text[],text) IS 'Implements pgperf.compare; runs are named as there, or as #run_id';
COMMENT ON FUNCTION pgperf_internal.compare_lines(text[],text[],text) IS 'Implements pgperf.compare_report; runs are named as there, or as #run_id';
COMMENT ON FUNCTION pgperf.compare(bigint,bigint) IS 'Differences between two runs of this node (NULL: the newest): settings and environment first, then each metric with its change, 95 % interval and verdict. Noise is estimated from the intervals of each run';
COMMENT ON FUNCTION pgperf.compare(bigint[],bigint[],text) IS 'The same for repeated runs, with noise estimated from their spread. pair_by: node, label or repetition, for runs that belong together in pairs';
COMMENT ON FUNCTION pgperf.compare(text,text) IS 'The same for runs named by label, which stands for the newest run that has it and the repetitions of that, ''node name/run_id'', run_id, or the name of a baseline';
COMMENT ON FUNCTION pgperf.compare(text[],text[],text) IS 'The same for repeated runs of any node, each named by label, ''node name/run_id'' or run_id';
CREATE FUNCTION pgperf.compare(baseline text, candidate text, pair_by text)
 RETURNS SETOF pgperf.comparison
 LANGUAGE sql
BEGIN ATOMIC
 SELECT * FROM pgperf_internal.compare_runs(ARRAY[baseline], ARRAY[candidate], pair_by);
END;
COMMENT ON FUNCTION pgperf.compare(text,text,text) IS 'The same for the repetitions of two labels, or two baselines, that belong together in pairs';
CREATE FUNCTION pgperf.compare_report(baseline text, candidate text, pair_by text)
 RETURNS SETOF text
 LANGUAGE sql
BEGIN ATOMIC
 SELECT pgperf_internal.compare_lines(ARRAY[baseline], ARRAY[candidate], pair_by);
END;
COMMENT ON FUNCTION pgperf.compare_report(text,text,text) IS 'The same for repetitions or baselines in pairs';
CREATE FUNCTION pgperf.compare_html(baseline text, candidate text, pair_by text)
 RETURNS text
 LANGUAGE sql
RETURN pgperf_internal.compare_page(ARRAY[baseline], ARRAY[candidate], pair_by);
COMMENT ON FUNCTION pgperf.compare_html(text,text,text) IS 'The same for repetitions or baselines in pairs';
GRANT EXECUTE ON FUNCTION pgperf.compare_html(text,text,text) TO PUBLIC;
COMMENT ON FUNCTION pgperf.compare_report(bigint,bigint) IS 'pgperf.compare as text: the answer, other differences, the summary, and the details that differ';
COMMENT ON FUNCTION pgperf.version_table(bigint,bigint,text) IS 'A comparison of two server versions, from two runs of this node (NULL: the newest): mean statement time, growth, WAL, hit ratio, live tuples, autovacuums, sizes of tables and indexes; for each statement, its mean latency, and the changes of the mean and the standard deviation. style: text or markdown';
COMMENT ON FUNCTION pgperf.version_table(text[],text[],text,text) IS 'The same for repeated runs of any node by name';
COMMENT ON TYPE pgperf.steadiness IS 'Result of steady_state';
COMMENT ON FUNCTION pgperf_internal.steady_state_of(text) IS 'Implements pgperf.steady_state; the run is named as in pgperf.compare, or as #run_id';
COMMENT ON FUNCTION pgperf.steady_state(bigint) IS 'Estimates the interval from which the rate of a run (NULL: the newest) is steady, and the warm-up that would have excluded the intervals before (MSER-5)';
COMMENT ON VIEW pgperf.run_checkpoint_cycle IS 'A run''s averages by position in the checkpoint cycle, in tenths from the start of a checkpoint to the start of the next, over all whole cycles';
COMMENT ON COLUMN pgperf.run_checkpoint_cycle.latency_p99_ms IS '99th percentile of the latency in ms, from the merged histograms of the intervals';
COMMENT ON COLUMN pgperf.run_checkpoint_cycle.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON FUNCTION pgperf.set_baseline(text,bigint[]) IS 'Lets a name stand for these runs of this node in compare and gate, replacing earlier runs of that name; returns the number of runs';
COMMENT ON FUNCTION pgperf.drop_baseline(text) IS 'Removes a named baseline, not its runs; false if no baseline has that name';
COMMENT ON FUNCTION pgperf_internal.gate_runs(text[],text[],text,text[]) IS 'Implements pgperf.gate; runs are named as in pgperf.compare, or as #run_id';
COMMENT ON FUNCTION pgperf.gate(bigint,bigint,text,text[]) IS 'Raises an error (SQLSTATE P0004) if the candidate is significantly worse than the baseline by more than max_regression in one of the metrics (default: tps, latency average, p95 and p99, failed_percent), or cannot be compared; otherwise returns the result as text';
COMMENT ON FUNCTION pgperf.require_expectations(bigint) IS 'Raises an error (SQLSTATE P0004) if a run (NULL: the newest) does not meet the expectations in its argument expect; for a failed run without expect, raises the error that made it fail; called by CALL pgperf.run';
COMMENT ON FUNCTION pgperf.report_junit(bigint,text,text) IS 'A run''s expectations and, with baseline, its comparison with that baseline as in pgperf.gate, as one JUnit XML document';
COMMENT ON FUNCTION pgperf.resume_sweep(bigint) IS 'Resumes a sweep (NULL: the newest) that was interrupted or stopped, or whose runs failed: it does the missing runs. False if none is missing, or the sweep is running';
COMMENT ON FUNCTION pgperf.stop_sweep(bigint) IS 'Stops a sweep (NULL: the newest) and its current run; an interrupted sweep is no longer resumed automatically. False if it had ended';
COMMENT ON FUNCTION pgperf.delete_sweep(bigint,boolean) IS 'Removes a sweep that has ended; runs: also removes its runs and loads, which otherwise stay. False if no sweep has that sweep_id';
COMMENT ON FUNCTION pgperf_internal.sweep_alive(text,bigint) IS 'Whether the worker of a sweep of this installation is alive; used by the view pgperf.sweeps';
COMMENT ON FUNCTION pgperf.sweep_status(bigint) IS 'The status of a sweep (NULL: the newest), as in pgperf.sweeps';
COMMENT ON VIEW pgperf_internal.sweep_plan IS 'The planned runs of each sweep in order: point, repetition, number of attempts, and whether the run is done';
COMMENT ON COLUMN pgperf_internal.sweep_plan.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.sweep_runs.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.sweep_runs.status IS 'waiting, running, finished, stopped, failed, interrupted; deleted: the run finished and has been deleted since';
COMMENT ON VIEW pgperf.sweeps IS 'All sweeps and their progress; a sweep that has not ended and whose worker is gone (the worker or the server went down) shows as interrupted, or as needs restart if its next point waits for one';
COMMENT ON COLUMN pgperf.sweeps.eta_s IS 'Seconds until it ends if its runs keep taking as long; NULL: it is not running';
COMMENT ON COLUMN pgperf.sweeps.failed IS 'Number of these that it could not do';
COMMENT ON COLUMN pgperf.sweeps.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.sweeps.run_id IS 'The current run; NULL: loading (load_run_id) or between two runs';
COMMENT ON COLUMN pgperf.sweeps.runs IS 'Number of planned runs: points times repetitions, and the further ones so far where start_sweep has until_precise';
COMMENT ON FUNCTION pgperf.welch_p_value(double precision[],double precision[]) IS 'The probability of a difference of means at least this large if there is none, by Welch''s t-test (two-sided); NULL: fewer than two values on a side. NULL elements are left out';
COMMENT ON VIEW pgperf.sweep_points IS 'One row for each point of a sweep''s grid: the mean tps of its finished runs with its 95 % interval by Student''s t, all values, the mean of the runs'' average latencies, and the percentiles of their merged latencies';
COMMENT ON COLUMN pgperf.sweep_points.combination IS 'Dimensions other than the number of clients, as ''name=value, ...''; empty: none';
COMMENT ON COLUMN pgperf.sweep_points.n IS 'Number of finished runs';
COMMENT ON COLUMN pgperf.sweep_points.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.sweep_metrics.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.sweep_points.tps_ci_low IS 'Lower end of the 95 % interval of the mean tps, at least 0; NULL: one run gives no interval';
COMMENT ON COLUMN pgperf.sweep_points.tps_values IS 'The tps of each finished run, in the order of repetitions, as in run_ids';
COMMENT ON COLUMN pgperf.sweep_peak.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.sweep_peak.tps_ci_low IS 'Lower end of the 95 % interval of the mean tps, at least 0; NULL: one run gives no interval';
COMMENT ON FUNCTION pgperf.fit_scalability(double precision[],double precision[]) IS 'Fits the Universal Scalability Law, tps = lambda N / (1 + sigma (N - 1) + kappa N (N - 1)), to pairs of clients and tps by least squares; *_error: standard errors; all NULL except the reason if it cannot be fitted';
COMMENT ON FUNCTION pgperf.sweep_scalability(bigint) IS 'The Universal Scalability Law fitted to the runs of each combination of a sweep of this node (NULL: the newest): lambda: tps of one client; sigma: contention; kappa: coherency; their standard errors; the share of the variance explained; the predicted peak, or the limit if there is none. reason: why there is no fit';
COMMENT ON FUNCTION pgperf.report_html(bigint) IS 'A run as one self-contained HTML page with charts; NULL: the newest run of this node; for the run''s role and members of pg_monitor';
COMMENT ON FUNCTION pgperf.report_json(bigint) IS 'The contents of a run''s page as a document described by docs/report.schema.json; NULL: the newest run of this node; for the run''s role and members of pg_monitor';
COMMENT ON FUNCTION pgperf.report_markdown(bigint) IS 'A summary of a run as Markdown, for a pull request; NULL: the newest run of this node; for the run''s role and members of pg_monitor';
COMMENT ON FUNCTION pgperf.report_markdown(text) IS 'The same for the newest run with this label, or for the run named as ''node name/run_id''';
COMMENT ON FUNCTION pgperf_internal.compare_page(text[],text[],text) IS 'Implements pgperf.compare_html; runs are named as there, or as #run_id';
COMMENT ON FUNCTION pgperf.compare_html(bigint,bigint) IS 'pgperf.compare as one self-contained HTML page';
COMMENT ON FUNCTION pgperf.sweep_html(bigint) IS 'A sweep as one self-contained HTML page: tps by number of clients with 95 % intervals, the scalability law, peaks; NULL: the newest of this node; for the sweep''s role and members of pg_monitor';
COMMENT ON TABLE pgperf.samples IS 'One row for each sample: its time, run and cost, and the outcome of each collector';
COMMENT ON COLUMN pgperf.samples.complete IS 'False: it is still being taken, or was broken off; its figures and the rows of its collectors are incomplete';
COMMENT ON COLUMN pgperf.samples.cpu_ms IS 'CPU time in ms of the process that took the sample: its cost to others where all CPUs are busy; elapsed_ms includes waiting as well';
COMMENT ON COLUMN pgperf.samples.elapsed_ms IS 'Time in ms for taking and storing the sample, this row excepted';
COMMENT ON COLUMN pgperf.samples.epoch IS 'Differs from the previous sample''s when the server''s counters may have begun again: hash of the server''s start and of the reset times of its WAL, background writer, checkpointer and I/O statistics (a crash changes these) and of this database''s statistics (not those of a single table). Subtract counters only within one epoch';
COMMENT ON COLUMN pgperf.samples.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.samples.pages IS 'Pages that the sample accessed in shared_buffers, or read into them';
COMMENT ON COLUMN pgperf.samples.sample_id IS 'The sample to which the row belongs (pgperf.samples); numbers grow with time within a node';
COMMENT ON TABLE pgperf_internal.samples_kept IS 'Part of pgperf.samples: rows kept of past days';
COMMENT ON TABLE pgperf_internal.samples_rest IS 'Part of pgperf.samples: rows that came before their partition';
COMMENT ON COLUMN pgperf.sample_outcomes.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.sample_outcomes.sample_id IS 'The sample to which the row belongs (pgperf.samples); numbers grow with time within a node';
COMMENT ON FUNCTION pgperf_internal.collector_definitions() IS 'The collectors with their defaults; read pgperf.collectors';
COMMENT ON TABLE pgperf_internal.collector_settings IS 'Changes to the collectors'' defaults; written by UPDATE pgperf.collectors';
COMMENT ON COLUMN pgperf.collectors.in_runs IS 'When runs take it';
COMMENT ON PROCEDURE pgperf.take_snapshot(text[],bigint) IS 'Takes one sample of the named collectors (default: all enabled) without a time limit: every relation is measured, and no snapshot is held meanwhile; returns the sample_id';
COMMENT ON FUNCTION pgperf_internal.create_delta_view(text,text[],text[],boolean,text,text) IS 'Creates the view ..._deltas of a history table; called when the extension is created or updated';
COMMENT ON TABLE pgperf.replication_history IS 'Standbys, replication slots and this database''s subscriptions, under the names of the server''s views. Columns that the server''s version or the kind lacks are NULL';
COMMENT ON COLUMN pgperf.replication_history.name IS 'application_name of a standby, or the name of the slot or subscription';
COMMENT ON COLUMN pgperf.replication_history.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.replication_history.retained_bytes IS 'Bytes of WAL that the slot keeps from removal';
COMMENT ON COLUMN pgperf.replication_history.sample_id IS 'The sample to which the row belongs (pgperf.samples); numbers grow with time within a node';
COMMENT ON COLUMN pgperf.replication_history.sent_lag_bytes IS 'WAL not sent yet, in bytes up to the current position; write_, flush_ and replay_lag_bytes likewise. Slot: flush_lag_bytes is WAL not confirmed by its consumer; subscription: received but not reported as flushed';
COMMENT ON COLUMN pgperf.replication_history.silent_ms IS 'Subscription: milliseconds since the last message from the publisher';
COMMENT ON COLUMN pgperf.replication_history.write_lag_ms IS 'Standby: milliseconds until recent WAL was written, as the server measures it; NULL: nothing to wait for. Subscription: milliseconds between sending and receipt of the last message';
COMMENT ON TABLE pgperf_internal.replication_history_kept IS 'Part of pgperf.replication_history: rows kept of past days';
COMMENT ON TABLE pgperf_internal.replication_history_rest IS 'Part of pgperf.replication_history: rows that came before their partition';
COMMENT ON VIEW pgperf.replication_deltas IS 'Differences of the counters of pgperf.replication_history from the previous sample, over seconds; ..._per_s: the same per second. NULL: no previous sample, or the counters began again in between; an object without a previous row that provably began since counts from 0';
COMMENT ON COLUMN pgperf.replication_deltas.apply_error_count IS 'Difference from the previous sample: Errors while the subscription applied changes';
COMMENT ON COLUMN pgperf.replication_deltas.confl_delete_missing IS 'Difference from the previous sample: Rows to delete that did not exist; PostgreSQL 18';
COMMENT ON COLUMN pgperf.replication_deltas.confl_delete_origin_differs IS 'Difference from the previous sample: Rows to delete that had been changed by another origin; PostgreSQL 18';
COMMENT ON COLUMN pgperf.replication_deltas.confl_insert_exists IS 'Difference from the previous sample: Rows to insert whose key already existed; PostgreSQL 18';
COMMENT ON COLUMN pgperf.replication_deltas.confl_multiple_unique_conflicts IS 'Difference from the previous sample: Rows whose values already existed under several unique keys; PostgreSQL 18';
COMMENT ON COLUMN pgperf.replication_deltas.confl_update_exists IS 'Difference from the previous sample: Updates to a key that already existed; PostgreSQL 18';
COMMENT ON COLUMN pgperf.replication_deltas.confl_update_missing IS 'Difference from the previous sample: Rows to update that did not exist; PostgreSQL 18';
COMMENT ON COLUMN pgperf.replication_deltas.confl_update_origin_differs IS 'Difference from the previous sample: Rows to update that had been changed by another origin; PostgreSQL 18';
COMMENT ON COLUMN pgperf.replication_deltas.client IS 'Address of the standby; NULL: a local socket';
COMMENT ON COLUMN pgperf.replication_deltas.instance IS 'Standby: its number, from 1, among those with the same name and client, in the order in which they connected';
COMMENT ON COLUMN pgperf.replication_deltas.name IS 'application_name of a standby, or the name of the slot or subscription';
COMMENT ON COLUMN pgperf.replication_deltas.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.replication_deltas.retained_bytes IS 'Bytes of WAL that the slot keeps from removal';
COMMENT ON COLUMN pgperf.replication_deltas.sample_id IS 'The sample to which the row belongs (pgperf.samples); numbers grow with time within a node';
COMMENT ON COLUMN pgperf.replication_deltas.seconds IS 'Seconds since the previous sample, the time that the differences cover; NULL: there is none, or the clock was set back meanwhile';
COMMENT ON COLUMN pgperf.replication_deltas.sent_lag_bytes IS 'WAL not sent yet, in bytes up to the current position; write_, flush_ and replay_lag_bytes likewise. Slot: flush_lag_bytes is WAL not confirmed by its consumer; subscription: received but not reported as flushed';
COMMENT ON COLUMN pgperf.replication_deltas.silent_ms IS 'Subscription: milliseconds since the last message from the publisher';
COMMENT ON COLUMN pgperf.replication_deltas.spill_bytes IS 'Difference from the previous sample: Bytes of decoded transactions spilled to disk';
COMMENT ON COLUMN pgperf.replication_deltas.spill_count IS 'Difference from the previous sample: How often decoding spilled transactions to disk';
COMMENT ON COLUMN pgperf.replication_deltas.spill_txns IS 'Difference from the previous sample: Transactions that decoding spilled to disk';
COMMENT ON COLUMN pgperf.replication_deltas.stream_bytes IS 'Difference from the previous sample: Bytes of in-progress transactions that were streamed';
COMMENT ON COLUMN pgperf.replication_deltas.stream_count IS 'Difference from the previous sample: How often in-progress transactions were streamed';
COMMENT ON COLUMN pgperf.replication_deltas.stream_txns IS 'Difference from the previous sample: In-progress transactions that decoding streamed';
COMMENT ON COLUMN pgperf.replication_deltas.sync_error_count IS 'Difference from the previous sample: Errors while the subscription copied tables';
COMMENT ON COLUMN pgperf.replication_deltas.total_bytes IS 'Difference from the previous sample: Bytes of decoded transactions sent to the output plugin';
COMMENT ON COLUMN pgperf.replication_deltas.total_txns IS 'Difference from the previous sample: Decoded transactions sent to the output plugin';
COMMENT ON COLUMN pgperf.replication_deltas.write_lag_ms IS 'Standby: milliseconds until recent WAL was written, as the server measures it; NULL: nothing to wait for. Subscription: milliseconds between sending and receipt of the last message';
COMMENT ON TABLE pgperf.io_history IS 'pg_stat_io (PostgreSQL 16 and later), under its own names: the rows in which something was counted. Columns that the server''s version lacks are NULL';
COMMENT ON COLUMN pgperf.io_history.backend_type IS 'Type of the process; the clients of a run are background workers';
COMMENT ON COLUMN pgperf.io_history.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.io_history.op_bytes IS 'Bytes of one operation; PostgreSQL 16 and 17; later versions count read_bytes, write_bytes and extend_bytes';
COMMENT ON COLUMN pgperf.io_history.sample_id IS 'The sample to which the row belongs (pgperf.samples); numbers grow with time within a node';
COMMENT ON TABLE pgperf_internal.io_history_kept IS 'Part of pgperf.io_history: rows kept of past days';
COMMENT ON TABLE pgperf_internal.io_history_rest IS 'Part of pgperf.io_history: rows that came before their partition';
COMMENT ON VIEW pgperf.io_deltas IS 'Differences of the counters of pgperf.io_history from the previous sample, over seconds; ..._per_s: the same per second. NULL: no previous sample, or the counters began again in between; an object without a previous row that provably began since counts from 0';
COMMENT ON COLUMN pgperf.io_deltas.backend_type IS 'Type of the process; the clients of a run are background workers';
COMMENT ON COLUMN pgperf.io_deltas.evictions IS 'Difference from the previous sample: Blocks evicted from a buffer to reuse it';
COMMENT ON COLUMN pgperf.io_deltas.extend_bytes IS 'Difference from the previous sample: Bytes by which files were extended; PostgreSQL 18';
COMMENT ON COLUMN pgperf.io_deltas.extend_time IS 'Difference from the previous sample: Milliseconds spent extending files';
COMMENT ON COLUMN pgperf.io_deltas.extends IS 'Difference from the previous sample: Operations that extended files';
COMMENT ON COLUMN pgperf.io_deltas.fsync_time IS 'Difference from the previous sample: Milliseconds spent syncing files';
COMMENT ON COLUMN pgperf.io_deltas.fsyncs IS 'Difference from the previous sample: Syncs of files';
COMMENT ON COLUMN pgperf.io_deltas.hits IS 'Difference from the previous sample: Blocks found in shared_buffers';
COMMENT ON COLUMN pgperf.io_deltas.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.io_deltas.op_bytes IS 'Bytes of one operation; PostgreSQL 16 and 17; later versions count read_bytes, write_bytes and extend_bytes';
COMMENT ON COLUMN pgperf.io_deltas.read_bytes IS 'Difference from the previous sample: Bytes read; PostgreSQL 18';
COMMENT ON COLUMN pgperf.io_deltas.read_time IS 'Difference from the previous sample: Milliseconds spent reading; NULL, like all times, unless track_io_timing (for WAL: track_wal_io_timing) is or was on';
COMMENT ON COLUMN pgperf.io_deltas.reads IS 'Difference from the previous sample: Read operations';
COMMENT ON COLUMN pgperf.io_deltas.reuses IS 'Difference from the previous sample: Reused buffers of the rings of bulk reads, bulk writes and vacuum';
COMMENT ON COLUMN pgperf.io_deltas.sample_id IS 'The sample to which the row belongs (pgperf.samples); numbers grow with time within a node';
COMMENT ON COLUMN pgperf.io_deltas.seconds IS 'Seconds since the previous sample, the time that the differences cover; NULL: there is none, or the clock was set back meanwhile';
COMMENT ON COLUMN pgperf.io_deltas.write_bytes IS 'Difference from the previous sample: Bytes written; PostgreSQL 18';
COMMENT ON COLUMN pgperf.io_deltas.write_time IS 'Difference from the previous sample: Milliseconds spent writing';
COMMENT ON COLUMN pgperf.io_deltas.writeback_time IS 'Difference from the previous sample: Milliseconds spent on these requests';
COMMENT ON COLUMN pgperf.io_deltas.writebacks IS 'Difference from the previous sample: Blocks that the kernel was asked to write to disk';
COMMENT ON COLUMN pgperf.io_deltas.writes IS 'Difference from the previous sample: Write operations';
COMMENT ON COLUMN pgperf.archiver_deltas.archived_count IS 'Difference from the previous sample: Files that were archived';
COMMENT ON COLUMN pgperf.archiver_deltas.failed_count IS 'Difference from the previous sample: Attempts to archive a file that failed';
COMMENT ON COLUMN pgperf.archiver_deltas.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.archiver_deltas.sample_id IS 'The sample to which the row belongs (pgperf.samples); numbers grow with time within a node';
COMMENT ON COLUMN pgperf.archiver_deltas.seconds IS 'Seconds since the previous sample, the time that the differences cover; NULL: there is none, or the clock was set back meanwhile';
COMMENT ON COLUMN pgperf.archiver_history.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.archiver_history.sample_id IS 'The sample to which the row belongs (pgperf.samples); numbers grow with time within a node';
COMMENT ON COLUMN pgperf.tablespace_history.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.tablespace_history.sample_id IS 'The sample to which the row belongs (pgperf.samples); numbers grow with time within a node';
COMMENT ON COLUMN pgperf.hit_curve_history.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.hit_curve_history.sample_id IS 'The sample to which the row belongs (pgperf.samples); numbers grow with time within a node';
COMMENT ON COLUMN pgperf.slru_history.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.slru_history.sample_id IS 'The sample to which the row belongs (pgperf.samples); numbers grow with time within a node';
COMMENT ON COLUMN pgperf.slru_deltas.blks_exists IS 'Difference from the previous sample: How often the server looked whether a page exists';
COMMENT ON COLUMN pgperf.slru_deltas.blks_hit IS 'Difference from the previous sample: Pages that were found in the cache';
COMMENT ON COLUMN pgperf.slru_deltas.blks_read IS 'Difference from the previous sample: Pages that had to be read from their file';
COMMENT ON COLUMN pgperf.slru_deltas.blks_written IS 'Difference from the previous sample: Pages that were written to their file';
COMMENT ON COLUMN pgperf.slru_deltas.blks_zeroed IS 'Difference from the previous sample: Pages that began empty';
COMMENT ON COLUMN pgperf.slru_deltas.flushes IS 'Difference from the previous sample: How often all dirty pages were flushed';
COMMENT ON COLUMN pgperf.slru_deltas.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.slru_deltas.sample_id IS 'The sample to which the row belongs (pgperf.samples); numbers grow with time within a node';
COMMENT ON COLUMN pgperf.slru_deltas.seconds IS 'Seconds since the previous sample, the time that the differences cover; NULL: there is none, or the clock was set back meanwhile';
COMMENT ON COLUMN pgperf.slru_deltas.truncates IS 'Difference from the previous sample: How often old pages were removed';
COMMENT ON COLUMN pgperf.lock_history.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.lock_history.sample_id IS 'The sample to which the row belongs (pgperf.samples); numbers grow with time within a node';
COMMENT ON COLUMN pgperf.lock_deltas.fastpath_exceeded IS 'Difference from the previous sample: Locks of relations that had no place left in the fast path of their session and went through the lock table that all share';
COMMENT ON COLUMN pgperf.lock_deltas.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.lock_deltas.sample_id IS 'The sample to which the row belongs (pgperf.samples); numbers grow with time within a node';
COMMENT ON COLUMN pgperf.lock_deltas.seconds IS 'Seconds since the previous sample, the time that the differences cover; NULL: there is none, or the clock was set back meanwhile';
COMMENT ON COLUMN pgperf.lock_deltas.wait_time IS 'Difference from the previous sample: Their time in milliseconds';
COMMENT ON COLUMN pgperf.lock_deltas.waits IS 'Difference from the previous sample: Waits that were longer than deadlock_timeout and ended with the lock';
COMMENT ON COLUMN pgperf.autovacuum_history.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.autovacuum_history.sample_id IS 'The sample to which the row belongs (pgperf.samples); numbers grow with time within a node';
COMMENT ON TABLE pgperf.relation_history IS 'Tables, TOAST tables, materialized views and indexes, under the names of pg_stat_all_tables and pg_stat_all_indexes: those whose counters have changed since their previous row, and each at least once a day. Columns that the server''s version lacks are NULL';
COMMENT ON COLUMN pgperf.relation_history.before_sample_id IS 'The sample of the row with which this one was compared; NULL: the first';
COMMENT ON COLUMN pgperf.relation_history.last_oid IS 'For all together: the highest oid; a relation with a higher one came later';
COMMENT ON COLUMN pgperf.relation_history.left_out IS 'For all together: number of relations that had changed but got no row; a sample stores the 2000 that changed most';
COMMENT ON COLUMN pgperf.relation_history.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.relation_history.relation_oid IS 'Oid of the relation; 0: all relations of the database together';
COMMENT ON COLUMN pgperf.relation_history.relations IS 'For all together: number of relations';
COMMENT ON COLUMN pgperf.relation_history.relations_mark IS 'For all together: a fingerprint of the set of relations';
COMMENT ON COLUMN pgperf.relation_history.remaining_mark IS 'For all together: the same for the relations up to last_oid of the previous sample; equal to its relations_mark if none was dropped since';
COMMENT ON COLUMN pgperf.relation_history.sample_id IS 'The sample to which the row belongs (pgperf.samples); numbers grow with time within a node';
COMMENT ON COLUMN pgperf.relation_history.table_name IS 'The table to which an index or TOAST table belongs';
COMMENT ON TABLE pgperf_internal.relation_history_kept IS 'Part of pgperf.relation_history: rows kept of past days';
COMMENT ON TABLE pgperf_internal.relation_history_rest IS 'Part of pgperf.relation_history: rows that came before their partition';
COMMENT ON VIEW pgperf.relation_deltas IS 'Differences of the counters of pgperf.relation_history from the previous sample, over seconds; ..._per_s: the same per second. NULL: no previous sample, or the counters began again in between; an object without a previous row that provably began since counts from 0';
COMMENT ON COLUMN pgperf.relation_deltas.analyze_count IS 'Difference from the previous sample: Manual analyzes';
COMMENT ON COLUMN pgperf.relation_deltas.autoanalyze_count IS 'Difference from the previous sample: Analyzes by autovacuum';
COMMENT ON COLUMN pgperf.relation_deltas.autovacuum_count IS 'Difference from the previous sample: Vacuums by autovacuum';
COMMENT ON COLUMN pgperf.relation_deltas.blks_hit IS 'Difference from the previous sample: Blocks of the relation itself found in shared_buffers';
COMMENT ON COLUMN pgperf.relation_deltas.blks_read IS 'Difference from the previous sample: Blocks of the relation itself, without its indexes and TOAST table, read into shared_buffers';
COMMENT ON COLUMN pgperf.relation_deltas.idx_scan IS 'Difference from the previous sample: Index scans; for a table, over all its indexes';
COMMENT ON COLUMN pgperf.relation_deltas.idx_tup_fetch IS 'Difference from the previous sample: Live rows that index scans fetched';
COMMENT ON COLUMN pgperf.relation_deltas.idx_tup_read IS 'Difference from the previous sample: Entries that scans of this index returned';
COMMENT ON COLUMN pgperf.relation_deltas.left_out IS 'For all together: number of relations that had changed but got no row; a sample stores the 2000 that changed most';
COMMENT ON COLUMN pgperf.relation_deltas.n_tup_del IS 'Difference from the previous sample: Rows deleted';
COMMENT ON COLUMN pgperf.relation_deltas.n_tup_hot_upd IS 'Difference from the previous sample: Rows updated without new index entries (HOT)';
COMMENT ON COLUMN pgperf.relation_deltas.n_tup_ins IS 'Difference from the previous sample: Rows inserted';
COMMENT ON COLUMN pgperf.relation_deltas.n_tup_newpage_upd IS 'Difference from the previous sample: Rows updated whose new version went to another page; PostgreSQL 16';
COMMENT ON COLUMN pgperf.relation_deltas.n_tup_upd IS 'Difference from the previous sample: Rows updated, including HOT updates';
COMMENT ON COLUMN pgperf.relation_deltas.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.relation_deltas.relation_oid IS 'Oid of the relation; 0: all relations of the database together';
COMMENT ON COLUMN pgperf.relation_deltas.relations IS 'For all together: number of relations';
COMMENT ON COLUMN pgperf.relation_deltas.sample_id IS 'The sample to which the row belongs (pgperf.samples); numbers grow with time within a node';
COMMENT ON COLUMN pgperf.relation_deltas.seconds IS 'Seconds since the previous sample, the time that the differences cover; NULL: there is none, or the clock was set back meanwhile';
COMMENT ON COLUMN pgperf.relation_deltas.seq_scan IS 'Difference from the previous sample: Sequential scans';
COMMENT ON COLUMN pgperf.relation_deltas.seq_tup_read IS 'Difference from the previous sample: Live rows that sequential scans read';
COMMENT ON COLUMN pgperf.relation_deltas.table_name IS 'The table to which an index or TOAST table belongs';
COMMENT ON COLUMN pgperf.relation_deltas.total_analyze_time IS 'Difference from the previous sample: Milliseconds that manual analyzes took; PostgreSQL 18';
COMMENT ON COLUMN pgperf.relation_deltas.total_autoanalyze_time IS 'Difference from the previous sample: Milliseconds that autovacuum spent analyzing it; PostgreSQL 18';
COMMENT ON COLUMN pgperf.relation_deltas.total_autovacuum_time IS 'Difference from the previous sample: Milliseconds that autovacuum spent vacuuming it; PostgreSQL 18';
COMMENT ON COLUMN pgperf.relation_deltas.total_vacuum_time IS 'Difference from the previous sample: Milliseconds that manual vacuums took; PostgreSQL 18';
COMMENT ON COLUMN pgperf.relation_deltas.vacuum_count IS 'Difference from the previous sample: Manual vacuums, VACUUM FULL excepted';
COMMENT ON VIEW pgperf.relation_rates IS 'pgperf.relation_deltas with the share of heap-only updates and of buffer hits since the previous sample, and the current share of dead rows';
COMMENT ON COLUMN pgperf.relation_rates.analyze_count IS 'Difference from the previous sample: Manual analyzes';
COMMENT ON COLUMN pgperf.relation_rates.autoanalyze_count IS 'Difference from the previous sample: Analyzes by autovacuum';
COMMENT ON COLUMN pgperf.relation_rates.autovacuum_count IS 'Difference from the previous sample: Vacuums by autovacuum';
COMMENT ON COLUMN pgperf.relation_rates.blks_hit IS 'Difference from the previous sample: Blocks of the relation itself found in shared_buffers';
COMMENT ON COLUMN pgperf.relation_rates.blks_read IS 'Difference from the previous sample: Blocks of the relation itself, without its indexes and TOAST table, read into shared_buffers';
COMMENT ON COLUMN pgperf.relation_rates.idx_scan IS 'Difference from the previous sample: Index scans; for a table, over all its indexes';
COMMENT ON COLUMN pgperf.relation_rates.idx_tup_fetch IS 'Difference from the previous sample: Live rows that index scans fetched';
COMMENT ON COLUMN pgperf.relation_rates.idx_tup_read IS 'Difference from the previous sample: Entries that scans of this index returned';
COMMENT ON COLUMN pgperf.relation_rates.left_out IS 'For all together: number of relations that had changed but got no row; a sample stores the 2000 that changed most';
COMMENT ON COLUMN pgperf.relation_rates.n_tup_del IS 'Difference from the previous sample: Rows deleted';
COMMENT ON COLUMN pgperf.relation_rates.n_tup_hot_upd IS 'Difference from the previous sample: Rows updated without new index entries (HOT)';
COMMENT ON COLUMN pgperf.relation_rates.n_tup_ins IS 'Difference from the previous sample: Rows inserted';
COMMENT ON COLUMN pgperf.relation_rates.n_tup_newpage_upd IS 'Difference from the previous sample: Rows updated whose new version went to another page; PostgreSQL 16';
COMMENT ON COLUMN pgperf.relation_rates.n_tup_upd IS 'Difference from the previous sample: Rows updated, including HOT updates';
COMMENT ON COLUMN pgperf.relation_rates.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.relation_rates.relation_oid IS 'Oid of the relation; 0: all relations of the database together';
COMMENT ON COLUMN pgperf.relation_rates.relations IS 'For all together: number of relations';
COMMENT ON COLUMN pgperf.relation_rates.sample_id IS 'The sample to which the row belongs (pgperf.samples); numbers grow with time within a node';
COMMENT ON COLUMN pgperf.relation_rates.seconds IS 'Seconds since the previous sample, the time that the differences cover; NULL: there is none, or the clock was set back meanwhile';
COMMENT ON COLUMN pgperf.relation_rates.seq_scan IS 'Difference from the previous sample: Sequential scans';
COMMENT ON COLUMN pgperf.relation_rates.seq_tup_read IS 'Difference from the previous sample: Live rows that sequential scans read';
COMMENT ON COLUMN pgperf.relation_rates.table_name IS 'The table to which an index or TOAST table belongs';
COMMENT ON COLUMN pgperf.relation_rates.total_analyze_time IS 'Difference from the previous sample: Milliseconds that manual analyzes took; PostgreSQL 18';
COMMENT ON COLUMN pgperf.relation_rates.total_autoanalyze_time IS 'Difference from the previous sample: Milliseconds that autovacuum spent analyzing it; PostgreSQL 18';
COMMENT ON COLUMN pgperf.relation_rates.total_autovacuum_time IS 'Difference from the previous sample: Milliseconds that autovacuum spent vacuuming it; PostgreSQL 18';
COMMENT ON COLUMN pgperf.relation_rates.total_vacuum_time IS 'Difference from the previous sample: Milliseconds that manual vacuums took; PostgreSQL 18';
COMMENT ON COLUMN pgperf.relation_rates.vacuum_count IS 'Difference from the previous sample: Manual vacuums, VACUUM FULL excepted';
COMMENT ON TABLE pgperf.database_history IS 'pg_stat_database and pg_stat_database_conflicts, under their own names: this database, and all databases together. Columns that the server''s version lacks are NULL';
COMMENT ON COLUMN pgperf.database_history.database_name IS 'Name of the database; NULL: all databases together, including what belongs to none (shared catalogs)';
COMMENT ON COLUMN pgperf.database_history.databases_mark IS 'For all databases together: changes when one is created, dropped or has its statistics reset; counters can be subtracted only between equal marks';
COMMENT ON COLUMN pgperf.database_history.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.database_history.sample_id IS 'The sample to which the row belongs (pgperf.samples); numbers grow with time within a node';
COMMENT ON TABLE pgperf_internal.database_history_kept IS 'Part of pgperf.database_history: rows kept of past days';
COMMENT ON TABLE pgperf_internal.database_history_rest IS 'Part of pgperf.database_history: rows that came before their partition';
COMMENT ON VIEW pgperf.database_deltas IS 'Differences of the counters of pgperf.database_history from the previous sample, over seconds; ..._per_s: the same per second. NULL: no previous sample, or the counters began again in between; an object without a previous row that provably began since counts from 0';
COMMENT ON COLUMN pgperf.database_deltas.active_time IS 'Difference from the previous sample: Milliseconds that sessions spent executing statements';
COMMENT ON COLUMN pgperf.database_deltas.blk_read_time IS 'Difference from the previous sample: Milliseconds spent reading blocks; NULL unless track_io_timing is or was on';
COMMENT ON COLUMN pgperf.database_deltas.blk_write_time IS 'Difference from the previous sample: Milliseconds spent writing blocks; NULL unless track_io_timing is or was on';
COMMENT ON COLUMN pgperf.database_deltas.blks_hit IS 'Difference from the previous sample: Blocks found in shared_buffers';
COMMENT ON COLUMN pgperf.database_deltas.blks_read IS 'Difference from the previous sample: Blocks read into shared_buffers';
COMMENT ON COLUMN pgperf.database_deltas.checksum_failures IS 'Difference from the previous sample: Page checksum failures; NULL: checksums are off';
COMMENT ON COLUMN pgperf.database_deltas.confl_active_logicalslot IS 'Difference from the previous sample: Uses of logical slots cancelled by recovery; PostgreSQL 16';
COMMENT ON COLUMN pgperf.database_deltas.confl_bufferpin IS 'Difference from the previous sample: Queries cancelled because they had a page pinned';
COMMENT ON COLUMN pgperf.database_deltas.confl_deadlock IS 'Difference from the previous sample: Queries cancelled by deadlocks with recovery';
COMMENT ON COLUMN pgperf.database_deltas.confl_lock IS 'Difference from the previous sample: Queries cancelled by lock timeouts of recovery';
COMMENT ON COLUMN pgperf.database_deltas.confl_snapshot IS 'Difference from the previous sample: Queries cancelled because their snapshot was too old';
COMMENT ON COLUMN pgperf.database_deltas.confl_tablespace IS 'Difference from the previous sample: Queries cancelled because their tablespace was dropped';
COMMENT ON COLUMN pgperf.database_deltas.conflicts IS 'Difference from the previous sample: Queries cancelled by conflicts with recovery, on a standby';
COMMENT ON COLUMN pgperf.database_deltas.database_name IS 'Name of the database; NULL: all databases together, including what belongs to none (shared catalogs)';
COMMENT ON COLUMN pgperf.database_deltas.deadlocks IS 'Difference from the previous sample: Deadlocks detected';
COMMENT ON COLUMN pgperf.database_deltas.idle_in_transaction_time IS 'Difference from the previous sample: Milliseconds that sessions were idle in a transaction';
COMMENT ON COLUMN pgperf.database_deltas.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.database_deltas.parallel_workers_launched IS 'Difference from the previous sample: Parallel workers that queries got; PostgreSQL 18';
COMMENT ON COLUMN pgperf.database_deltas.parallel_workers_to_launch IS 'Difference from the previous sample: Parallel workers that queries planned to have; PostgreSQL 18';
COMMENT ON COLUMN pgperf.database_deltas.sample_id IS 'The sample to which the row belongs (pgperf.samples); numbers grow with time within a node';
COMMENT ON COLUMN pgperf.database_deltas.seconds IS 'Seconds since the previous sample, the time that the differences cover; NULL: there is none, or the clock was set back meanwhile';
COMMENT ON COLUMN pgperf.database_deltas.session_time IS 'Difference from the previous sample: Milliseconds that sessions lasted; the clients of a run are background workers and are not counted';
COMMENT ON COLUMN pgperf.database_deltas.sessions IS 'Difference from the previous sample: Sessions begun';
COMMENT ON COLUMN pgperf.database_deltas.sessions_abandoned IS 'Difference from the previous sample: Sessions that ended because the client was lost';
COMMENT ON COLUMN pgperf.database_deltas.sessions_fatal IS 'Difference from the previous sample: Sessions that a fatal error ended';
COMMENT ON COLUMN pgperf.database_deltas.sessions_killed IS 'Difference from the previous sample: Sessions ended by termination';
COMMENT ON COLUMN pgperf.database_deltas.temp_bytes IS 'Difference from the previous sample: Bytes written to temporary files';
COMMENT ON COLUMN pgperf.database_deltas.temp_files IS 'Difference from the previous sample: Temporary files that queries created';
COMMENT ON COLUMN pgperf.database_deltas.tup_deleted IS 'Difference from the previous sample: Rows deleted';
COMMENT ON COLUMN pgperf.database_deltas.tup_fetched IS 'Difference from the previous sample: Live rows fetched by index scans';
COMMENT ON COLUMN pgperf.database_deltas.tup_inserted IS 'Difference from the previous sample: Rows inserted';
COMMENT ON COLUMN pgperf.database_deltas.tup_returned IS 'Difference from the previous sample: Live rows fetched by sequential scans and index entries returned by index scans';
COMMENT ON COLUMN pgperf.database_deltas.tup_updated IS 'Difference from the previous sample: Rows updated';
COMMENT ON COLUMN pgperf.database_deltas.xact_commit IS 'Difference from the previous sample: Transactions committed';
COMMENT ON COLUMN pgperf.database_deltas.xact_rollback IS 'Difference from the previous sample: Transactions rolled back';
COMMENT ON TABLE pgperf.host_history IS 'The machine (in a container: its host), from /proc: gauges, and counters since the machine was started';
COMMENT ON COLUMN pgperf.host_history.boot_id IS 'A new value: the machine was restarted, and its counters began again';
COMMENT ON COLUMN pgperf.host_history.memory_cached_bytes IS 'Cached and Buffers: the page cache, including shared memory';
COMMENT ON COLUMN pgperf.host_history.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.host_history.sample_id IS 'The sample to which the row belongs (pgperf.samples); numbers grow with time within a node';
COMMENT ON COLUMN pgperf.host_history.server_private_bytes IS 'Private memory of the server''s processes (server_processes): resident, neither shared nor backed by files. Not in a run''s interval samples';
COMMENT ON TABLE pgperf_internal.host_history_kept IS 'Part of pgperf.host_history: rows kept of past days';
COMMENT ON TABLE pgperf_internal.host_history_rest IS 'Part of pgperf.host_history: rows that came before their partition';
COMMENT ON VIEW pgperf.host_deltas IS 'Differences of the counters of pgperf.host_history from the previous sample, over seconds; ..._per_s: the same per second. NULL: no previous sample, or the counters began again in between; an object without a previous row that provably began since counts from 0';
COMMENT ON COLUMN pgperf.host_deltas.context_switches IS 'Difference from the previous sample: Context switches of all CPUs';
COMMENT ON COLUMN pgperf.host_deltas.cpu_idle_ms IS 'Difference from the previous sample: Idle milliseconds of all CPUs';
COMMENT ON COLUMN pgperf.host_deltas.cpu_iowait_ms IS 'Difference from the previous sample: Idle milliseconds of all CPUs while I/O was outstanding';
COMMENT ON COLUMN pgperf.host_deltas.cpu_irq_ms IS 'Difference from the previous sample: Milliseconds of all CPUs in interrupts';
COMMENT ON COLUMN pgperf.host_deltas.cpu_nice_ms IS 'Difference from the previous sample: Milliseconds of all CPUs in programs of lowered priority';
COMMENT ON COLUMN pgperf.host_deltas.cpu_softirq_ms IS 'Difference from the previous sample: Milliseconds of all CPUs in software interrupts';
COMMENT ON COLUMN pgperf.host_deltas.cpu_steal_ms IS 'Difference from the previous sample: Milliseconds that the hypervisor gave to others';
COMMENT ON COLUMN pgperf.host_deltas.cpu_system_ms IS 'Difference from the previous sample: Milliseconds of all CPUs in the kernel';
COMMENT ON COLUMN pgperf.host_deltas.cpu_user_ms IS 'Difference from the previous sample: Milliseconds of all CPUs in programs, guests included';
COMMENT ON COLUMN pgperf.host_deltas.forks IS 'Difference from the previous sample: Processes and threads created';
COMMENT ON COLUMN pgperf.host_deltas.major_faults IS 'Difference from the previous sample: Page faults that had to read from disk';
COMMENT ON COLUMN pgperf.host_deltas.memory_cached_bytes IS 'Cached and Buffers: the page cache, including shared memory';
COMMENT ON COLUMN pgperf.host_deltas.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.host_deltas.oom_kills IS 'Difference from the previous sample: Processes killed because memory ran out';
COMMENT ON COLUMN pgperf.host_deltas.sample_id IS 'The sample to which the row belongs (pgperf.samples); numbers grow with time within a node';
COMMENT ON COLUMN pgperf.host_deltas.seconds IS 'Seconds since the previous sample, the time that the differences cover; NULL: there is none, or the clock was set back meanwhile';
COMMENT ON COLUMN pgperf.host_deltas.server_private_bytes IS 'Private memory of the server''s processes (server_processes): resident, neither shared nor backed by files. Not in a run''s interval samples';
COMMENT ON COLUMN pgperf.host_deltas.swap_in_pages IS 'Difference from the previous sample: Memory pages read from swap';
COMMENT ON COLUMN pgperf.host_deltas.swap_out_pages IS 'Difference from the previous sample: Memory pages written to swap';
COMMENT ON VIEW pgperf.host_rates IS 'pgperf.host_deltas with the shares of the CPUs'' time since the previous sample';
COMMENT ON COLUMN pgperf.host_rates.context_switches IS 'Difference from the previous sample: Context switches of all CPUs';
COMMENT ON COLUMN pgperf.host_rates.cpu_idle_ms IS 'Difference from the previous sample: Idle milliseconds of all CPUs';
COMMENT ON COLUMN pgperf.host_rates.cpu_iowait_ms IS 'Difference from the previous sample: Idle milliseconds of all CPUs while I/O was outstanding';
COMMENT ON COLUMN pgperf.host_rates.cpu_irq_ms IS 'Difference from the previous sample: Milliseconds of all CPUs in interrupts';
COMMENT ON COLUMN pgperf.host_rates.cpu_nice_ms IS 'Difference from the previous sample: Milliseconds of all CPUs in programs of lowered priority';
COMMENT ON COLUMN pgperf.host_rates.cpu_softirq_ms IS 'Difference from the previous sample: Milliseconds of all CPUs in software interrupts';
COMMENT ON COLUMN pgperf.host_rates.cpu_steal_ms IS 'Difference from the previous sample: Milliseconds that the hypervisor gave to others';
COMMENT ON COLUMN pgperf.host_rates.cpu_system_ms IS 'Difference from the previous sample: Milliseconds of all CPUs in the kernel';
COMMENT ON COLUMN pgperf.host_rates.cpu_user_ms IS 'Difference from the previous sample: Milliseconds of all CPUs in programs, guests included';
COMMENT ON COLUMN pgperf.host_rates.forks IS 'Difference from the previous sample: Processes and threads created';
COMMENT ON COLUMN pgperf.host_rates.major_faults IS 'Difference from the previous sample: Page faults that had to read from disk';
COMMENT ON COLUMN pgperf.host_rates.memory_cached_bytes IS 'Cached and Buffers: the page cache, including shared memory';
COMMENT ON COLUMN pgperf.host_rates.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.host_rates.oom_kills IS 'Difference from the previous sample: Processes killed because memory ran out';
COMMENT ON COLUMN pgperf.host_rates.sample_id IS 'The sample to which the row belongs (pgperf.samples); numbers grow with time within a node';
COMMENT ON COLUMN pgperf.host_rates.seconds IS 'Seconds since the previous sample, the time that the differences cover; NULL: there is none, or the clock was set back meanwhile';
COMMENT ON COLUMN pgperf.host_rates.server_private_bytes IS 'Private memory of the server''s processes (server_processes): resident, neither shared nor backed by files. Not in a run''s interval samples';
COMMENT ON COLUMN pgperf.host_rates.swap_in_pages IS 'Difference from the previous sample: Memory pages read from swap';
COMMENT ON COLUMN pgperf.host_rates.swap_out_pages IS 'Difference from the previous sample: Memory pages written to swap';
COMMENT ON COLUMN pgperf.device_history.holds IS 'Contents of the device, or of a device of which it is a part: data, wal, tablespaces';
COMMENT ON COLUMN pgperf.device_history.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.device_history.sample_id IS 'The sample to which the row belongs (pgperf.samples); numbers grow with time within a node';
COMMENT ON TABLE pgperf_internal.device_history_kept IS 'Part of pgperf.device_history: rows kept of past days';
COMMENT ON TABLE pgperf_internal.device_history_rest IS 'Part of pgperf.device_history: rows that came before their partition';
COMMENT ON VIEW pgperf.device_deltas IS 'Differences of the counters of pgperf.device_history from the previous sample, over seconds; ..._per_s: the same per second. NULL: no previous sample, or the counters began again in between; an object without a previous row that provably began since counts from 0';
COMMENT ON COLUMN pgperf.device_deltas.discard_ios IS 'Difference from the previous sample: Discards completed';
COMMENT ON COLUMN pgperf.device_deltas.discard_merges IS 'Difference from the previous sample: Discards that were merged with another one';
COMMENT ON COLUMN pgperf.device_deltas.discard_sectors IS 'Difference from the previous sample: Sectors of 512 bytes discarded';
COMMENT ON COLUMN pgperf.device_deltas.discard_ticks IS 'Difference from the previous sample: Milliseconds that all discards together waited';
COMMENT ON COLUMN pgperf.device_deltas.flush_ios IS 'Difference from the previous sample: Flushes completed';
COMMENT ON COLUMN pgperf.device_deltas.flush_ticks IS 'Difference from the previous sample: Milliseconds that all flushes together waited';
COMMENT ON COLUMN pgperf.device_deltas.holds IS 'Contents of the device, or of a device of which it is a part: data, wal, tablespaces';
COMMENT ON COLUMN pgperf.device_deltas.io_ticks IS 'Difference from the previous sample: Milliseconds during which the device had requests in flight';
COMMENT ON COLUMN pgperf.device_deltas.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.device_deltas.read_ios IS 'Difference from the previous sample: Reads completed';
COMMENT ON COLUMN pgperf.device_deltas.read_merges IS 'Difference from the previous sample: Reads that were merged with another one';
COMMENT ON COLUMN pgperf.device_deltas.read_sectors IS 'Difference from the previous sample: Sectors of 512 bytes read';
COMMENT ON COLUMN pgperf.device_deltas.read_ticks IS 'Difference from the previous sample: Milliseconds that all reads together waited';
COMMENT ON COLUMN pgperf.device_deltas.sample_id IS 'The sample to which the row belongs (pgperf.samples); numbers grow with time within a node';
COMMENT ON COLUMN pgperf.device_deltas.seconds IS 'Seconds since the previous sample, the time that the differences cover; NULL: there is none, or the clock was set back meanwhile';
COMMENT ON COLUMN pgperf.device_deltas.time_in_queue IS 'Difference from the previous sample: Milliseconds that all requests together waited';
COMMENT ON COLUMN pgperf.device_deltas.write_ios IS 'Difference from the previous sample: Writes completed';
COMMENT ON COLUMN pgperf.device_deltas.write_merges IS 'Difference from the previous sample: Writes that were merged with another one';
COMMENT ON COLUMN pgperf.device_deltas.write_sectors IS 'Difference from the previous sample: Sectors of 512 bytes written';
COMMENT ON COLUMN pgperf.device_deltas.write_ticks IS 'Difference from the previous sample: Milliseconds that all writes together waited';
COMMENT ON COLUMN pgperf.device_rates.holds IS 'Contents of the device, or of a device of which it is a part: data, wal, tablespaces';
COMMENT ON COLUMN pgperf.device_rates.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.device_rates.sample_id IS 'The sample to which the row belongs (pgperf.samples); numbers grow with time within a node';
COMMENT ON TABLE pgperf.statement_history IS 'pg_stat_statements, under its own names (those of its version 1.11 and later): the statements called since their previous row, the 500 that took most of the time. Columns that the installed version of the extension lacks are NULL';
COMMENT ON COLUMN pgperf.statement_history.before_sample_id IS 'The sample of the row with which this one was compared; NULL: the first';
COMMENT ON COLUMN pgperf.statement_history.dealloc IS 'For all together: how often pg_stat_statements has evicted the least used statements';
COMMENT ON COLUMN pgperf.statement_history.left_out IS 'For all together: number of statements that were called but got no row';
COMMENT ON COLUMN pgperf.statement_history.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.statement_history.queryid IS 'Identifier of the statement; 0: all statements together, without nested ones, which are part of those that call them';
COMMENT ON COLUMN pgperf.statement_history.sample_id IS 'The sample to which the row belongs (pgperf.samples); numbers grow with time within a node';
COMMENT ON COLUMN pgperf.statement_history.statements IS 'For all together: number of statements in pg_stat_statements';
COMMENT ON TABLE pgperf_internal.statement_history_kept IS 'Part of pgperf.statement_history: rows kept of past days';
COMMENT ON TABLE pgperf_internal.statement_history_rest IS 'Part of pgperf.statement_history: rows that came before their partition';
COMMENT ON TABLE pgperf.statement_texts IS 'Texts of the statements in statement_history, as in pg_stat_statements when first seen; at most 10,000 characters';
COMMENT ON COLUMN pgperf.statement_texts.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON VIEW pgperf.statement_deltas IS 'Differences of the counters of pgperf.statement_history from the previous sample, over seconds; ..._per_s: the same per second. NULL: no previous sample, or the counters began again in between; an object without a previous row that provably began since counts from 0';
COMMENT ON COLUMN pgperf.statement_deltas.calls IS 'Difference from the previous sample: How often it was executed';
COMMENT ON COLUMN pgperf.statement_deltas.custom_plan_calls IS 'Difference from the previous sample: Executions with a custom plan; pg_stat_statements 1.13';
COMMENT ON COLUMN pgperf.statement_deltas.dealloc IS 'For all together: how often pg_stat_statements has evicted the least used statements';
COMMENT ON COLUMN pgperf.statement_deltas.exec_time_squares IS 'Difference from the previous sample: Sum of the squares of the execution times in square milliseconds: from calls, mean and standard deviation';
COMMENT ON COLUMN pgperf.statement_deltas.generic_plan_calls IS 'Difference from the previous sample: Executions with a generic plan; pg_stat_statements 1.13';
COMMENT ON COLUMN pgperf.statement_deltas.jit_deform_count IS 'Difference from the previous sample: Compiled functions that deform tuples; pg_stat_statements 1.11';
COMMENT ON COLUMN pgperf.statement_deltas.jit_deform_time IS 'Difference from the previous sample: Milliseconds spent compiling them; pg_stat_statements 1.11';
COMMENT ON COLUMN pgperf.statement_deltas.jit_emission_count IS 'Difference from the previous sample: How often code was emitted';
COMMENT ON COLUMN pgperf.statement_deltas.jit_emission_time IS 'Difference from the previous sample: Milliseconds spent emitting code';
COMMENT ON COLUMN pgperf.statement_deltas.jit_functions IS 'Difference from the previous sample: Functions that JIT compiled for it';
COMMENT ON COLUMN pgperf.statement_deltas.jit_generation_time IS 'Difference from the previous sample: Milliseconds spent generating code';
COMMENT ON COLUMN pgperf.statement_deltas.jit_inlining_count IS 'Difference from the previous sample: How often functions were inlined';
COMMENT ON COLUMN pgperf.statement_deltas.jit_inlining_time IS 'Difference from the previous sample: Milliseconds spent inlining functions';
COMMENT ON COLUMN pgperf.statement_deltas.jit_optimization_count IS 'Difference from the previous sample: How often its code was optimized';
COMMENT ON COLUMN pgperf.statement_deltas.jit_optimization_time IS 'Difference from the previous sample: Milliseconds spent optimizing its code';
COMMENT ON COLUMN pgperf.statement_deltas.left_out IS 'For all together: number of statements that were called but got no row';
COMMENT ON COLUMN pgperf.statement_deltas.local_blk_read_time IS 'Difference from the previous sample: Milliseconds spent reading blocks of temporary tables; NULL unless track_io_timing is or was on';
COMMENT ON COLUMN pgperf.statement_deltas.local_blk_write_time IS 'Difference from the previous sample: Milliseconds spent writing blocks of temporary tables; NULL unless track_io_timing is or was on';
COMMENT ON COLUMN pgperf.statement_deltas.local_blks_dirtied IS 'Difference from the previous sample: Clean blocks of temporary tables that it changed';
COMMENT ON COLUMN pgperf.statement_deltas.local_blks_hit IS 'Difference from the previous sample: Blocks of temporary tables that it found in its local buffers';
COMMENT ON COLUMN pgperf.statement_deltas.local_blks_read IS 'Difference from the previous sample: Blocks of temporary tables that it had to read';
COMMENT ON COLUMN pgperf.statement_deltas.local_blks_written IS 'Difference from the previous sample: Blocks of temporary tables that it wrote';
COMMENT ON COLUMN pgperf.statement_deltas.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.statement_deltas.parallel_workers_launched IS 'Difference from the previous sample: Parallel workers that it got; pg_stat_statements 1.12';
COMMENT ON COLUMN pgperf.statement_deltas.parallel_workers_to_launch IS 'Difference from the previous sample: Parallel workers that its plans requested; pg_stat_statements 1.12';
COMMENT ON COLUMN pgperf.statement_deltas.plan_time_squares IS 'Difference from the previous sample: Sum of the squares of the planning times in square milliseconds';
COMMENT ON COLUMN pgperf.statement_deltas.plans IS 'Difference from the previous sample: How often it was planned; counted with pg_stat_statements.track_planning';
COMMENT ON COLUMN pgperf.statement_deltas.queryid IS 'Identifier of the statement; 0: all statements together, without nested ones, which are part of those that call them';
COMMENT ON COLUMN pgperf.statement_deltas.rows IS 'Difference from the previous sample: Rows that it returned or changed';
COMMENT ON COLUMN pgperf.statement_deltas.sample_id IS 'The sample to which the row belongs (pgperf.samples); numbers grow with time within a node';
COMMENT ON COLUMN pgperf.statement_deltas.seconds IS 'Seconds since the previous sample, the time that the differences cover; NULL: there is none, or the clock was set back meanwhile';
COMMENT ON COLUMN pgperf.statement_deltas.shared_blk_read_time IS 'Difference from the previous sample: Milliseconds spent reading blocks; NULL unless track_io_timing is or was on';
COMMENT ON COLUMN pgperf.statement_deltas.shared_blk_write_time IS 'Difference from the previous sample: Milliseconds spent writing blocks; NULL unless track_io_timing is or was on';
COMMENT ON COLUMN pgperf.statement_deltas.shared_blks_dirtied IS 'Difference from the previous sample: Clean blocks that it changed';
COMMENT ON COLUMN pgperf.statement_deltas.shared_blks_hit IS 'Difference from the previous sample: Blocks that it found in shared_buffers';
COMMENT ON COLUMN pgperf.statement_deltas.shared_blks_read IS 'Difference from the previous sample: Blocks that it had to read into shared_buffers';
COMMENT ON COLUMN pgperf.statement_deltas.shared_blks_written IS 'Difference from the previous sample: Blocks that it had to write itself';
COMMENT ON COLUMN pgperf.statement_deltas.statements IS 'For all together: number of statements in pg_stat_statements';
COMMENT ON COLUMN pgperf.statement_deltas.temp_blk_read_time IS 'Difference from the previous sample: Milliseconds spent reading temporary files; NULL unless track_io_timing is or was on';
COMMENT ON COLUMN pgperf.statement_deltas.temp_blk_write_time IS 'Difference from the previous sample: Milliseconds spent writing temporary files; NULL unless track_io_timing is or was on';
COMMENT ON COLUMN pgperf.statement_deltas.temp_blks_read IS 'Difference from the previous sample: Blocks of temporary files (sorts, hashes) that it read';
COMMENT ON COLUMN pgperf.statement_deltas.temp_blks_written IS 'Difference from the previous sample: Blocks of temporary files (sorts, hashes) that it wrote';
COMMENT ON COLUMN pgperf.statement_deltas.total_exec_time IS 'Difference from the previous sample: Milliseconds spent executing it';
COMMENT ON COLUMN pgperf.statement_deltas.total_plan_time IS 'Difference from the previous sample: Milliseconds spent planning it; counted with pg_stat_statements.track_planning';
COMMENT ON COLUMN pgperf.statement_deltas.wal_buffers_full IS 'Difference from the previous sample: How often the WAL buffers were full while it ran; pg_stat_statements 1.12';
COMMENT ON COLUMN pgperf.statement_deltas.wal_bytes IS 'Difference from the previous sample: Bytes of its WAL';
COMMENT ON COLUMN pgperf.statement_deltas.wal_fpi IS 'Difference from the previous sample: Full-page images in its WAL';
COMMENT ON COLUMN pgperf.statement_deltas.wal_records IS 'Difference from the previous sample: WAL records that it wrote';
COMMENT ON VIEW pgperf.statement_rates IS 'pgperf.statement_deltas with the mean and standard deviation of the time since the previous sample, and the text';
COMMENT ON COLUMN pgperf.statement_rates.calls IS 'Difference from the previous sample: How often it was executed';
COMMENT ON COLUMN pgperf.statement_rates.custom_plan_calls IS 'Difference from the previous sample: Executions with a custom plan; pg_stat_statements 1.13';
COMMENT ON COLUMN pgperf.statement_rates.dealloc IS 'For all together: how often pg_stat_statements has evicted the least used statements';
COMMENT ON COLUMN pgperf.statement_rates.exec_time_squares IS 'Difference from the previous sample: Sum of the squares of the execution times in square milliseconds: from calls, mean and standard deviation';
COMMENT ON COLUMN pgperf.statement_rates.generic_plan_calls IS 'Difference from the previous sample: Executions with a generic plan; pg_stat_statements 1.13';
COMMENT ON COLUMN pgperf.statement_rates.jit_deform_count IS 'Difference from the previous sample: Compiled functions that deform tuples; pg_stat_statements 1.11';
COMMENT ON COLUMN pgperf.statement_rates.jit_deform_time IS 'Difference from the previous sample: Milliseconds spent compiling them; pg_stat_statements 1.11';
COMMENT ON COLUMN pgperf.statement_rates.jit_emission_count IS 'Difference from the previous sample: How often code was emitted';
COMMENT ON COLUMN pgperf.statement_rates.jit_emission_time IS 'Difference from the previous sample: Milliseconds spent emitting code';
COMMENT ON COLUMN pgperf.statement_rates.jit_functions IS 'Difference from the previous sample: Functions that JIT compiled for it';
COMMENT ON COLUMN pgperf.statement_rates.jit_generation_time IS 'Difference from the previous sample: Milliseconds spent generating code';
COMMENT ON COLUMN pgperf.statement_rates.jit_inlining_count IS 'Difference from the previous sample: How often functions were inlined';
COMMENT ON COLUMN pgperf.statement_rates.jit_inlining_time IS 'Difference from the previous sample: Milliseconds spent inlining functions';
COMMENT ON COLUMN pgperf.statement_rates.jit_optimization_count IS 'Difference from the previous sample: How often its code was optimized';
COMMENT ON COLUMN pgperf.statement_rates.jit_optimization_time IS 'Difference from the previous sample: Milliseconds spent optimizing its code';
COMMENT ON COLUMN pgperf.statement_rates.left_out IS 'For all together: number of statements that were called but got no row';
COMMENT ON COLUMN pgperf.statement_rates.local_blk_read_time IS 'Difference from the previous sample: Milliseconds spent reading blocks of temporary tables; NULL unless track_io_timing is or was on';
COMMENT ON COLUMN pgperf.statement_rates.local_blk_write_time IS 'Difference from the previous sample: Milliseconds spent writing blocks of temporary tables; NULL unless track_io_timing is or was on';
COMMENT ON COLUMN pgperf.statement_rates.local_blks_dirtied IS 'Difference from the previous sample: Clean blocks of temporary tables that it changed';
COMMENT ON COLUMN pgperf.statement_rates.local_blks_hit IS 'Difference from the previous sample: Blocks of temporary tables that it found in its local buffers';
COMMENT ON COLUMN pgperf.statement_rates.local_blks_read IS 'Difference from the previous sample: Blocks of temporary tables that it had to read';
COMMENT ON COLUMN pgperf.statement_rates.local_blks_written IS 'Difference from the previous sample: Blocks of temporary tables that it wrote';
COMMENT ON COLUMN pgperf.statement_rates.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.statement_rates.parallel_workers_launched IS 'Difference from the previous sample: Parallel workers that it got; pg_stat_statements 1.12';
COMMENT ON COLUMN pgperf.statement_rates.parallel_workers_to_launch IS 'Difference from the previous sample: Parallel workers that its plans requested; pg_stat_statements 1.12';
COMMENT ON COLUMN pgperf.statement_rates.plan_time_squares IS 'Difference from the previous sample: Sum of the squares of the planning times in square milliseconds';
COMMENT ON COLUMN pgperf.statement_rates.plans IS 'Difference from the previous sample: How often it was planned; counted with pg_stat_statements.track_planning';
COMMENT ON COLUMN pgperf.statement_rates.queryid IS 'Identifier of the statement; 0: all statements together, without nested ones, which are part of those that call them';
COMMENT ON COLUMN pgperf.statement_rates.rows IS 'Difference from the previous sample: Rows that it returned or changed';
COMMENT ON COLUMN pgperf.statement_rates.sample_id IS 'The sample to which the row belongs (pgperf.samples); numbers grow with time within a node';
COMMENT ON COLUMN pgperf.statement_rates.seconds IS 'Seconds since the previous sample, the time that the differences cover; NULL: there is none, or the clock was set back meanwhile';
COMMENT ON COLUMN pgperf.statement_rates.shared_blk_read_time IS 'Difference from the previous sample: Milliseconds spent reading blocks; NULL unless track_io_timing is or was on';
COMMENT ON COLUMN pgperf.statement_rates.shared_blk_write_time IS 'Difference from the previous sample: Milliseconds spent writing blocks; NULL unless track_io_timing is or was on';
COMMENT ON COLUMN pgperf.statement_rates.shared_blks_dirtied IS 'Difference from the previous sample: Clean blocks that it changed';
COMMENT ON COLUMN pgperf.statement_rates.shared_blks_hit IS 'Difference from the previous sample: Blocks that it found in shared_buffers';
COMMENT ON COLUMN pgperf.statement_rates.shared_blks_read IS 'Difference from the previous sample: Blocks that it had to read into shared_buffers';
COMMENT ON COLUMN pgperf.statement_rates.shared_blks_written IS 'Difference from the previous sample: Blocks that it had to write itself';
COMMENT ON COLUMN pgperf.statement_rates.statements IS 'For all together: number of statements in pg_stat_statements';
COMMENT ON COLUMN pgperf.statement_rates.temp_blk_read_time IS 'Difference from the previous sample: Milliseconds spent reading temporary files; NULL unless track_io_timing is or was on';
COMMENT ON COLUMN pgperf.statement_rates.temp_blk_write_time IS 'Difference from the previous sample: Milliseconds spent writing temporary files; NULL unless track_io_timing is or was on';
COMMENT ON COLUMN pgperf.statement_rates.temp_blks_read IS 'Difference from the previous sample: Blocks of temporary files (sorts, hashes) that it read';
COMMENT ON COLUMN pgperf.statement_rates.temp_blks_written IS 'Difference from the previous sample: Blocks of temporary files (sorts, hashes) that it wrote';
COMMENT ON COLUMN pgperf.statement_rates.total_exec_time IS 'Difference from the previous sample: Milliseconds spent executing it';
COMMENT ON COLUMN pgperf.statement_rates.total_plan_time IS 'Difference from the previous sample: Milliseconds spent planning it; counted with pg_stat_statements.track_planning';
COMMENT ON COLUMN pgperf.statement_rates.wal_buffers_full IS 'Difference from the previous sample: How often the WAL buffers were full while it ran; pg_stat_statements 1.12';
COMMENT ON COLUMN pgperf.statement_rates.wal_bytes IS 'Difference from the previous sample: Bytes of its WAL';
COMMENT ON COLUMN pgperf.statement_rates.wal_fpi IS 'Difference from the previous sample: Full-page images in its WAL';
COMMENT ON COLUMN pgperf.statement_rates.wal_records IS 'Difference from the previous sample: WAL records that it wrote';
COMMENT ON TABLE pgperf.checkpoint_history IS 'Checkpoints and the background writer, under the names of pg_stat_checkpointer and pg_stat_bgwriter of PostgreSQL 17 and later. Columns that the server''s version lacks are NULL';
COMMENT ON COLUMN pgperf.checkpoint_history.checkpoint_lsn IS 'Position of the latest complete checkpoint''s own record';
COMMENT ON COLUMN pgperf.checkpoint_history.checkpoint_time IS 'When the latest complete checkpoint began';
COMMENT ON COLUMN pgperf.checkpoint_history.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.checkpoint_history.redo_lsn IS 'Redo position of the latest complete checkpoint, where recovery after a crash would begin';
COMMENT ON COLUMN pgperf.checkpoint_history.sample_id IS 'The sample to which the row belongs (pgperf.samples); numbers grow with time within a node';
COMMENT ON TABLE pgperf_internal.checkpoint_history_kept IS 'Part of pgperf.checkpoint_history: rows kept of past days';
COMMENT ON TABLE pgperf_internal.checkpoint_history_rest IS 'Part of pgperf.checkpoint_history: rows that came before their partition';
COMMENT ON VIEW pgperf.checkpoint_deltas IS 'Differences of the counters of pgperf.checkpoint_history from the previous sample, over seconds; ..._per_s: the same per second. NULL: no previous sample, or the counters began again in between; an object without a previous row that provably began since counts from 0';
COMMENT ON COLUMN pgperf.checkpoint_deltas.buffers_alloc IS 'Difference from the previous sample: Buffers allocated for another page';
COMMENT ON COLUMN pgperf.checkpoint_deltas.buffers_backend IS 'Difference from the previous sample: Buffers that backends had to write themselves; PostgreSQL 15 and 16, later in io_history';
COMMENT ON COLUMN pgperf.checkpoint_deltas.buffers_backend_fsync IS 'Difference from the previous sample: How often a backend had to sync a file itself; PostgreSQL 15 and 16';
COMMENT ON COLUMN pgperf.checkpoint_deltas.buffers_clean IS 'Difference from the previous sample: Buffers that the background writer wrote';
COMMENT ON COLUMN pgperf.checkpoint_deltas.buffers_written IS 'Difference from the previous sample: Buffers that checkpoints wrote';
COMMENT ON COLUMN pgperf.checkpoint_deltas.maxwritten_clean IS 'Difference from the previous sample: How often the background writer stopped because it had written bgwriter_lru_maxpages';
COMMENT ON COLUMN pgperf.checkpoint_deltas.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.checkpoint_deltas.num_done IS 'Difference from the previous sample: Checkpoints completed; PostgreSQL 18';
COMMENT ON COLUMN pgperf.checkpoint_deltas.num_requested IS 'Difference from the previous sample: Checkpoints requested because of the amount of WAL or by a command';
COMMENT ON COLUMN pgperf.checkpoint_deltas.num_timed IS 'Difference from the previous sample: Checkpoints caused by checkpoint_timeout';
COMMENT ON COLUMN pgperf.checkpoint_deltas.restartpoints_done IS 'Difference from the previous sample: Restartpoints completed, on a standby; PostgreSQL 17';
COMMENT ON COLUMN pgperf.checkpoint_deltas.restartpoints_req IS 'Difference from the previous sample: Restartpoints requested, on a standby; PostgreSQL 17';
COMMENT ON COLUMN pgperf.checkpoint_deltas.restartpoints_timed IS 'Difference from the previous sample: Restartpoints caused by checkpoint_timeout, on a standby; PostgreSQL 17';
COMMENT ON COLUMN pgperf.checkpoint_deltas.sample_id IS 'The sample to which the row belongs (pgperf.samples); numbers grow with time within a node';
COMMENT ON COLUMN pgperf.checkpoint_deltas.seconds IS 'Seconds since the previous sample, the time that the differences cover; NULL: there is none, or the clock was set back meanwhile';
COMMENT ON COLUMN pgperf.checkpoint_deltas.slru_written IS 'Difference from the previous sample: SLRU buffers that checkpoints wrote; PostgreSQL 18';
COMMENT ON COLUMN pgperf.checkpoint_deltas.sync_time IS 'Difference from the previous sample: Milliseconds that checkpoints spent syncing files';
COMMENT ON COLUMN pgperf.checkpoint_deltas.write_time IS 'Difference from the previous sample: Milliseconds that checkpoints spent writing buffers';
COMMENT ON TABLE pgperf.wal_history IS 'The whole server''s WAL: position, and cumulative counters as read from the server; pgperf.wal_deltas has the differences';
COMMENT ON COLUMN pgperf.wal_history.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.wal_history.redo_lsn IS 'Position where recovery would begin: the start of the last completed checkpoint';
COMMENT ON COLUMN pgperf.wal_history.rmgr_start_lsn IS 'Start of the range whose contents were read (wal_rmgr_history), up to rmgr_end_lsn; NULL: not read';
COMMENT ON COLUMN pgperf.wal_history.sample_id IS 'The sample to which the row belongs (pgperf.samples); numbers grow with time within a node';
COMMENT ON TABLE pgperf_internal.wal_history_kept IS 'Part of pgperf.wal_history: rows kept of past days';
COMMENT ON TABLE pgperf_internal.wal_history_rest IS 'Part of pgperf.wal_history: rows that came before their partition';
COMMENT ON TABLE pgperf.wal_rmgr_history IS 'Contents of the WAL between two samples, read through pg_walinspect if that is installed: up to 16 MB all of it, of more 16 windows of 1 MB and 16 more for each gigabyte, at most 64, spread over the range, within 50 ms; at the end of a run up to 1 GB all of it, of more windows of 16 MB, within 1 s. The figures are those of the windows; pgperf.wal_rmgr_estimates scales them up';
COMMENT ON COLUMN pgperf.wal_rmgr_history.error_margin_percent IS 'Half the width of the 95 % interval of the record type''s share of all bytes, in percentage points; 0: all was read; NULL: one window only';
COMMENT ON COLUMN pgperf.wal_rmgr_history.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.wal_rmgr_history.sample_id IS 'The sample to which the row belongs (pgperf.samples); numbers grow with time within a node';
COMMENT ON COLUMN pgperf.wal_rmgr_history.start_lsn IS 'Start of the range: the end of the previous sample''s';
COMMENT ON TABLE pgperf_internal.wal_rmgr_history_kept IS 'Part of pgperf.wal_rmgr_history: rows kept of past days';
COMMENT ON TABLE pgperf_internal.wal_rmgr_history_rest IS 'Part of pgperf.wal_rmgr_history: rows that came before their partition';
COMMENT ON VIEW pgperf.wal_rmgr_estimates IS 'Estimated contents of the whole range of each sample of pgperf.wal_rmgr_history, assuming that the unread part is like the part that was read';
COMMENT ON COLUMN pgperf.wal_rmgr_estimates.bytes_percent IS 'Share of this record type in all bytes';
COMMENT ON COLUMN pgperf.wal_rmgr_estimates.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.wal_rmgr_estimates.sample_id IS 'The sample to which the row belongs (pgperf.samples); numbers grow with time within a node';
COMMENT ON COLUMN pgperf.wal_rmgr_estimates.start_lsn IS 'Start of the range: the end of the previous sample''s';
COMMENT ON VIEW pgperf.wal_deltas IS 'WAL that the server wrote since the node''s previous sample, and the position in the checkpoint cycle. Counters are NULL for the first sample and where they began again in between (crash, restart, reset); lsn_bytes and xids are not, because positions and transaction ids go on';
COMMENT ON COLUMN pgperf.wal_deltas.bytes_per_commit IS 'Bytes of the server''s WAL per commit in this database: meaningful if this is the database that writes';
COMMENT ON COLUMN pgperf.wal_deltas.bytes_per_xid IS 'Bytes of WAL per transaction id on the whole server; for a run''s own transactions see wal_bytes_per_tx in pgperf.run_summary';
COMMENT ON COLUMN pgperf.wal_deltas.fpi_max_percent IS 'That share if every image were a whole page; compression and omitted holes make images smaller';
COMMENT ON COLUMN pgperf.wal_deltas.fpi_percent IS 'Share of full-page images in the bytes: counted by PostgreSQL 19, otherwise read through pg_walinspect with that sample; NULL: neither';
COMMENT ON COLUMN pgperf.wal_deltas.lsn_bytes IS 'Bytes by which the WAL position moved: wal_bytes, page headers and alignment';
COMMENT ON COLUMN pgperf.wal_deltas.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.wal_deltas.redo_bytes IS 'Bytes of WAL since the start of the last completed checkpoint: just after one, pages are written as full-page images again';
COMMENT ON COLUMN pgperf.wal_deltas.sample_id IS 'The sample to which the row belongs (pgperf.samples); numbers grow with time within a node';
COMMENT ON COLUMN pgperf.wal_deltas.seconds IS 'Seconds since the previous sample; NULL: the clock was set back meanwhile';
COMMENT ON COLUMN pgperf.wal_deltas.wal_buffers_full IS 'Difference from the previous sample: How often WAL was written because its buffers were full';
COMMENT ON COLUMN pgperf.wal_deltas.wal_bytes IS 'Difference from the previous sample: Bytes of records; the distance between two LSNs is 1 to 4 % more (page headers, alignment)';
COMMENT ON COLUMN pgperf.wal_deltas.wal_fpi IS 'Difference from the previous sample: Full-page images in the WAL';
COMMENT ON COLUMN pgperf.wal_deltas.wal_fpi_bytes IS 'Difference from the previous sample: Bytes of full-page images; NULL before PostgreSQL 19';
COMMENT ON COLUMN pgperf.wal_deltas.wal_records IS 'Difference from the previous sample: WAL records written';
COMMENT ON COLUMN pgperf.wal_deltas.wal_sync IS 'Difference from the previous sample: Syncs of WAL files; from PostgreSQL 18 on as counted in pg_stat_io (WAL receiver excluded)';
COMMENT ON COLUMN pgperf.wal_deltas.wal_sync_time_ms IS 'Difference from the previous sample: Milliseconds spent syncing WAL files; NULL unless track_wal_io_timing is on';
COMMENT ON COLUMN pgperf.wal_deltas.wal_write IS 'Difference from the previous sample: Writes of WAL buffers; from PostgreSQL 18 on as counted in pg_stat_io (WAL receiver excluded)';
COMMENT ON COLUMN pgperf.wal_deltas.wal_write_time_ms IS 'Difference from the previous sample: Milliseconds spent writing WAL; NULL unless track_wal_io_timing is on';
COMMENT ON COLUMN pgperf.wal_deltas.xact_commit IS 'Transactions that committed in this database, whether they wrote or not; sessions report them about once a second, so the figure is inexact over a few seconds';
COMMENT ON FUNCTION pgperf.snapshot_wal() IS 'Records the WAL counters in pgperf.wal_history and, with pg_walinspect, the contents of the WAL in pgperf.wal_rmgr_history; returns the sample_id';
COMMENT ON TABLE pgperf.wait_history IS 'Wait events in which sessions were seen; processes waiting for work (type Activity) are left out';
COMMENT ON COLUMN pgperf.wait_history.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.wait_history.sample_id IS 'The sample to which the row belongs (pgperf.samples); numbers grow with time within a node';
COMMENT ON COLUMN pgperf.wait_history.seen IS 'Sessions seen in this state, summed over all looks; seen / looks is their average number';
COMMENT ON COLUMN pgperf.wait_history.source IS 'activity: one look at pg_stat_activity, including the clients of runs; run clients: the run''s own clients, observed every 10 ms since the previous sample';
COMMENT ON COLUMN pgperf.wait_history.wait_event IS E'The wait event; NULL: it did not wait; while active, it was on a CPU or ready for one. Extension: a client of a run between its transactions (rate, think time, \\sleep); BgWorkerShutdown (from 17 on BgworkerShutdown): a session waits for a worker to end, as CALL pgperf.run does';
COMMENT ON TABLE pgperf_internal.wait_history_kept IS 'Part of pgperf.wait_history: rows kept of past days';
COMMENT ON TABLE pgperf_internal.wait_history_rest IS 'Part of pgperf.wait_history: rows that came before their partition';
COMMENT ON VIEW pgperf.wait_rates IS 'pgperf.wait_history with the average number of sessions, and their share of all sessions of the sample and source';
COMMENT ON COLUMN pgperf.wait_rates.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.wait_rates.sample_id IS 'The sample to which the row belongs (pgperf.samples); numbers grow with time within a node';
COMMENT ON COLUMN pgperf.wait_rates.seen IS 'Sessions seen in this state, summed over all looks; seen / looks is their average number';
COMMENT ON COLUMN pgperf.wait_rates.source IS 'activity: one look at pg_stat_activity, including the clients of runs; run clients: the run''s own clients, observed every 10 ms since the previous sample';
COMMENT ON COLUMN pgperf.wait_rates.wait_event IS E'The wait event; NULL: it did not wait; while active, it was on a CPU or ready for one. Extension: a client of a run between its transactions (rate, think time, \\sleep); BgWorkerShutdown (from 17 on BgworkerShutdown): a session waits for a worker to end, as CALL pgperf.run does';
COMMENT ON TABLE pgperf.buffer_usage_history IS 'Contents of shared_buffers: buffers by relation, fork and usage count. The buffers of a sample add up to shared_buffers';
COMMENT ON COLUMN pgperf.buffer_usage_history.database_name IS 'Database of the relation; NULL: unused buffers, or a catalog that all databases share';
COMMENT ON COLUMN pgperf.buffer_usage_history.fork IS 'main, fsm (free space map), vm (visibility map) or init; NULL with a usage_count: buffers so busy at that moment that their contents could not be seen without a lock';
COMMENT ON COLUMN pgperf.buffer_usage_history.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.buffer_usage_history.relation_name IS 'Name of the relation; NULL: it is in another database, dropped, not committed yet, or has few buffers: less than a 32,768th of shared_buffers, or not among the 2,000 files with the most';
COMMENT ON COLUMN pgperf.buffer_usage_history.sample_id IS 'The sample to which the row belongs (pgperf.samples); numbers grow with time within a node';
COMMENT ON TABLE pgperf_internal.buffer_usage_history_kept IS 'Part of pgperf.buffer_usage_history: rows kept of past days';
COMMENT ON TABLE pgperf_internal.buffer_usage_history_rest IS 'Part of pgperf.buffer_usage_history: rows that came before their partition';
COMMENT ON COLUMN pgperf.buffer_counter_history.buffers_backend IS 'Buffers that other processes had to write themselves, and blocks by which they extended files; from PostgreSQL 17 on, as counted in pg_stat_io';
COMMENT ON COLUMN pgperf.buffer_counter_history.databases_mark IS 'Changes when a database is created, dropped or has its statistics reset: blks_hit and blks_read can be subtracted only between equal marks';
COMMENT ON COLUMN pgperf.buffer_counter_history.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.buffer_counter_history.sample_id IS 'The sample to which the row belongs (pgperf.samples); numbers grow with time within a node';
COMMENT ON TABLE pgperf_internal.buffer_counter_history_kept IS 'Part of pgperf.buffer_counter_history: rows kept of past days';
COMMENT ON TABLE pgperf_internal.buffer_counter_history_rest IS 'Part of pgperf.buffer_counter_history: rows that came before their partition';
COMMENT ON VIEW pgperf.buffer_counter_deltas IS 'Increase of the counters of pgperf.buffer_counter_history since the node''s previous sample; NULL for the first one and where a counter began again in between';
COMMENT ON COLUMN pgperf.buffer_counter_deltas.blks_hit IS 'Difference from the previous sample: Blocks found in shared_buffers, all databases together';
COMMENT ON COLUMN pgperf.buffer_counter_deltas.blks_read IS 'Difference from the previous sample: Blocks read into shared_buffers, all databases together';
COMMENT ON COLUMN pgperf.buffer_counter_deltas.buffers_alloc IS 'Difference from the previous sample: Buffers that were given a new page';
COMMENT ON COLUMN pgperf.buffer_counter_deltas.buffers_backend IS 'Difference from the previous sample: Buffers that other processes had to write themselves, and blocks by which they extended files; from PostgreSQL 17 on, as counted in pg_stat_io';
COMMENT ON COLUMN pgperf.buffer_counter_deltas.buffers_checkpoint IS 'Difference from the previous sample: Buffers written by checkpoints';
COMMENT ON COLUMN pgperf.buffer_counter_deltas.buffers_clean IS 'Difference from the previous sample: Buffers written by the background writer';
COMMENT ON COLUMN pgperf.buffer_counter_deltas.evictions IS 'Difference from the previous sample: Buffers that gave up a page for another one; NULL before PostgreSQL 16';
COMMENT ON COLUMN pgperf.buffer_counter_deltas.maxwritten_clean IS 'Difference from the previous sample: How often the background writer stopped because it had written bgwriter_lru_maxpages';
COMMENT ON COLUMN pgperf.buffer_counter_deltas.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.buffer_counter_deltas.sample_id IS 'The sample to which the row belongs (pgperf.samples); numbers grow with time within a node';
COMMENT ON COLUMN pgperf.buffer_counter_deltas.seconds IS 'Seconds since the previous sample; NULL: the clock was set back meanwhile';
COMMENT ON FUNCTION pgperf.working_set(bigint,uuid) IS 'How much of shared_buffers is in frequent use, from the usage counts of a sample (default: the newest of this node): for the server and each relation the buffers whose count is at least usage_count, in buffers, bytes, percent of the object''s own buffers and of the whole cache. low_bytes to high_bytes is a range for a useful shared_buffers, never one number. A usage count rises with each use, to 5 at most, and falls by one whenever the clock hand passes in search of room: low_bytes are the pages with 3 or more, used again and again between two rounds. high_bytes is everything held while unused buffers are left (the clock hand has then hardly moved, and the counts are those since the pages were read), the present size if most pages are not used twice in a round, and NULL (more than now, by an amount that cannot be seen) if the cache is full of pages in frequent use. Usage counts cannot show how often a page above 5 is used, the contents of the operating system''s cache, or the benefit of pages that did not fit. One sample is one moment: compare samples of busy hours';
COMMENT ON FUNCTION pgperf.snapshot_buffers() IS 'Records the contents of shared_buffers in pgperf.buffer_usage_history and its counters in pgperf.buffer_counter_history; returns the sample_id';
COMMENT ON FUNCTION pgperf.start_sampler() IS 'Starts the continuous sampler of this database when the transaction commits; it runs until it is stopped or the server restarts. False if it runs already';
COMMENT ON FUNCTION pgperf.stop_sampler() IS 'Stops the continuous sampler of this database at once; it starts again if pgperf.sampler_databases names the database. False if none runs';
COMMENT ON VIEW pgperf.sampler_gaps IS 'Where the history of the continuous sampler has gaps: one row for each collector and pause of more than 1.5 times the cadence, with the reason as far as the samples show it';
COMMENT ON COLUMN pgperf.sampler_gaps.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.wraparound_history.failsafe_age IS 'The age at which vacuum does nothing but freeze: vacuum_failsafe_age, but not below 1.05 times freeze_max_age';
COMMENT ON COLUMN pgperf.wraparound_history.freeze_max_age IS 'The age at which autovacuum freezes in any case; a table''s own setting may be lower. This column and the following are NULL in the rows of relations';
COMMENT ON COLUMN pgperf.wraparound_history.horizon_holder IS 'The obstacle that keeps vacuum in that database from removing newer dead rows: a backend, a prepared transaction, a replication slot (a logical one: in catalogs only, which counts for datfrozenxid) or a standby''s feedback; NULL: nothing older than the sample itself. Details in pgperf.horizon_history';
COMMENT ON COLUMN pgperf.wraparound_history.multixact_age IS 'Multixacts since datminmxid or relminmxid; NULL: a relation whose access method keeps none';
COMMENT ON COLUMN pgperf.wraparound_history.multixact_failsafe_age IS 'The same as failsafe_age for multixacts';
COMMENT ON COLUMN pgperf.wraparound_history.multixact_freeze_max_age IS 'The same as freeze_max_age for multixacts; the server lowers it when their members take up much room';
COMMENT ON COLUMN pgperf.wraparound_history.multixact_members IS 'Stored members of multixacts, all databases together, counted by their files (52,352 each): up to two files too many. Up to PostgreSQL 18 there is room for 4.3 billion. NULL in a run''s interval samples';
COMMENT ON COLUMN pgperf.wraparound_history.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.wraparound_history.relation_name IS 'Name of the relation; NULL: the database as a whole';
COMMENT ON COLUMN pgperf.wraparound_history.sample_id IS 'The sample to which the row belongs (pgperf.samples); numbers grow with time within a node';
COMMENT ON TABLE pgperf_internal.wraparound_history_kept IS 'Part of pgperf.wraparound_history: rows kept of past days';
COMMENT ON TABLE pgperf_internal.wraparound_history_rest IS 'Part of pgperf.wraparound_history: rows that came before their partition';
COMMENT ON TABLE pgperf.horizon_history IS 'The obstacles that hold back vacuum''s horizon, the twenty oldest of each sample (not in a run''s interval samples)';
COMMENT ON COLUMN pgperf.horizon_history.catalogs_only IS 'Whether it holds back vacuum of catalogs only (or further than of other tables)';
COMMENT ON COLUMN pgperf.horizon_history.database_name IS 'Database that it holds back; NULL: all databases';
COMMENT ON COLUMN pgperf.horizon_history.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.horizon_history.pid IS 'Process id, for pg_terminate_backend; for a slot, the process that uses it';
COMMENT ON COLUMN pgperf.horizon_history.sample_id IS 'The sample to which the row belongs (pgperf.samples); numbers grow with time within a node';
COMMENT ON TABLE pgperf_internal.horizon_history_kept IS 'Part of pgperf.horizon_history: rows kept of past days';
COMMENT ON TABLE pgperf_internal.horizon_history_rest IS 'Part of pgperf.horizon_history: rows that came before their partition';
COMMENT ON FUNCTION pgperf.snapshot_wraparound() IS 'Records transaction id ages and the obstacles to freezing in pgperf.wraparound_history and pgperf.horizon_history; returns the sample_id';
COMMENT ON TABLE pgperf.settings_history IS 'Settings that were not at their defaults at the first sample, then each change: the newest row of a setting applies; a setting without a row has always been at its default';
COMMENT ON COLUMN pgperf.settings_history.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.settings_history.sample_id IS 'The sample to which the row belongs (pgperf.samples); numbers grow with time within a node';
COMMENT ON COLUMN pgperf.settings_history.source IS 'Source of the value, as in pg_settings';
COMMENT ON COLUMN pgperf.settings_history.value IS 'Value of the setting, without passwords in connection strings; NULL: a setting for a database or role was removed';
COMMENT ON TABLE pgperf_internal.settings_history_kept IS 'Part of pgperf.settings_history: rows kept of past days';
COMMENT ON TABLE pgperf_internal.settings_history_rest IS 'Part of pgperf.settings_history: rows that came before their partition';
COMMENT ON FUNCTION pgperf_internal.kept_condition(text,text[],text,text,timestamp with time zone,timestamp with time zone) IS 'The condition for the rows h of a partition that are kept; for pgperf.maintain()';
COMMENT ON FUNCTION pgperf_internal.due_partitions() IS 'The partitions of the history whose retention is over, and their next level; for pgperf.maintain()';
COMMENT ON FUNCTION pgperf_internal.copy_kept(text,text[],text,text,timestamp with time zone,timestamp with time zone,text) IS 'Copies the rows kept of a partition; for pgperf.maintain()';
COMMENT ON FUNCTION pgperf_internal.replace_partition(text,text,text,text,text) IS 'Drops a partition and stores the rows kept of it; for pgperf.maintain()';
COMMENT ON VIEW pgperf.history_size IS 'Disk space of the history, one row for each table and level: those of pgperf.history_partitions, runs (the rows of runs other than their samples) and texts (of statements)';
COMMENT ON COLUMN pgperf.history_size.oldest_at IS 'Start of the oldest partition that holds rows; for runs and texts, when the oldest run was requested or the oldest text first seen';
COMMENT ON COLUMN pgperf.history_size.rows IS 'Rows as of the last ANALYZE or VACUUM of each partition; NULL: none was analyzed yet';
COMMENT ON COLUMN pgperf.bloat_history.bloat_bytes IS 'Bytes that rewriting it at its own fillfactor (VACUUM FULL, REINDEX) would free: the pages minus those that the live tuples would fill when packed anew; for B-trees, of the leaf pages, plus all deleted pages. 0 for a freshly loaded table or built index. With approx, from the average size of a tuple';
COMMENT ON COLUMN pgperf.bloat_history.changes IS 'Rows of the table inserted, updated and deleted since its statistics began; decides which relation to measure next';
COMMENT ON COLUMN pgperf.bloat_history.dead_bytes IS 'Bytes of tuples whose deletion has committed (or whose insertion never did) and that vacuum has not removed yet; for a B-tree, entries that a scan has marked as dead';
COMMENT ON COLUMN pgperf.bloat_history.deleted_pages IS 'Empty pages of an index: in a B-tree, deleted or half-dead pages; in others, pages without an entry';
COMMENT ON COLUMN pgperf.bloat_history.error_margin_percent IS 'Half the width of the 95 % interval in percentage points, for each of the percentages; 0: every page was read; NULL: not known';
COMMENT ON COLUMN pgperf.bloat_history.free_bytes IS 'Free space, including the space that the fillfactor sets aside';
COMMENT ON COLUMN pgperf.bloat_history.leaf_density_percent IS 'Average fill of a B-tree''s leaf pages; after a build, the fillfactor';
COMMENT ON COLUMN pgperf.bloat_history.leaf_fragmentation_percent IS 'Share of leaf pages whose right sibling lies before them in the file';
COMMENT ON COLUMN pgperf.bloat_history.live_bytes IS 'Bytes of live tuples; with approx, all-visible pages count whole except their free space';
COMMENT ON COLUMN pgperf.bloat_history.method IS 'exact: every page was read; sampled: random pages were read, or all if it is small; approx: all-visible pages were taken from the free space map (where most rows of a page are gone, this understates bloat by some percentage points)';
COMMENT ON COLUMN pgperf.bloat_history.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON COLUMN pgperf.bloat_history.pages_read IS 'Pages that were read for this row';
COMMENT ON COLUMN pgperf.bloat_history.sample_id IS 'The sample to which the row belongs (pgperf.samples); numbers grow with time within a node';
COMMENT ON TABLE pgperf_internal.bloat_history_kept IS 'Part of pgperf.bloat_history: rows kept of past days';
COMMENT ON TABLE pgperf_internal.bloat_history_rest IS 'Part of pgperf.bloat_history: rows that came before their partition';
COMMENT ON TABLE pgperf_internal.bloat_cursor IS 'Where snapshot_bloat continues: the relations of this round in order, and the number that are done';
COMMENT ON COLUMN pgperf_internal.bloat_cursor.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON FUNCTION pgperf.snapshot_bloat(regclass[],text,interval,bigint) IS 'Measures the named relations (default: those of this database with the oldest figures, for 2 s) into pgperf.bloat_history, within the given time and number of pages; method: auto, exact, approx, sampled; returns the sample_id';
COMMENT ON VIEW pgperf.run_tables IS 'The tables in a run''s document: the run''s own, the history, and those that runs share';
COMMENT ON COLUMN pgperf.run_tables.kind IS 'run: deleted with the run; history: rows of its samples; shared: rows that other runs may need too';
COMMENT ON COLUMN pgperf.run_tables.object IS 'For shared rows: the columns that identify them within a node';
COMMENT ON COLUMN pgperf.run_tables.of_run IS 'The condition on a row t of the run, for node $1 and run $2';
COMMENT ON FUNCTION pgperf_internal.document_columns(regclass) IS 'The columns of a table in a run''s document; for export_run and import_run';
COMMENT ON FUNCTION pgperf_internal.run_document(uuid,bigint,boolean,boolean) IS 'A run as a document, without a check of the caller; for pgperf.export_run, which checks';
COMMENT ON FUNCTION pgperf_internal.store_document(jsonb,text,text) IS 'Stores a document as a run of the given role; for pgperf.import_run';
COMMENT ON FUNCTION pgperf.export_run(bigint,boolean) IS 'Exports a run that has ended (NULL: the newest) with everything that belongs to it, for pgperf.import_run on any server; transactions: with its transaction log. For members of pg_monitor, and without its samples for the run''s role';
COMMENT ON FUNCTION pgperf.import_run(jsonb,text) IS 'Imports a document of pgperf.export_run as a run of the current role, and returns its run_id; a run that exists here already stays as it is. label: replaces the run''s own';
COMMENT ON VIEW pgperf.kept_runs IS 'The runs that pgperf.maintain() leaves complete, with all samples: pinned runs and those of named baselines';
COMMENT ON COLUMN pgperf.kept_runs.node_id IS 'The node to which the row belongs (pgperf.nodes)';
COMMENT ON FUNCTION pgperf_internal.forget_runs(timestamp with time zone) IS 'Deletes the runs that are due, as far as the time allows, and the texts of statements without rows; for pgperf.maintain()';

CREATE FUNCTION pgperf.report(run_id bigint, style text)
 RETURNS SETOF text
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$report_in_style_wrapper$function$;
CREATE FUNCTION pgperf.report(run text, style text)
 RETURNS SETOF text
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$report_by_name_in_style_wrapper$function$;
COMMENT ON FUNCTION pgperf.report(bigint,text) IS 'The report of a run in the words of a program: pgbench, with pgperf''s own lines, or sysbench';
COMMENT ON FUNCTION pgperf.report(text,text) IS 'The same of the newest run with this label, or of the run named as ''node name/run_id''';
REVOKE ALL ON ROUTINE pgperf.report(bigint,text) FROM PUBLIC;
GRANT EXECUTE ON ROUTINE pgperf.report(bigint,text) TO PUBLIC;
REVOKE ALL ON ROUTINE pgperf.report(text,text) FROM PUBLIC;
GRANT EXECUTE ON ROUTINE pgperf.report(text,text) TO PUBLIC;

CREATE FUNCTION pgperf.metrics(node_id uuid DEFAULT NULL::uuid)
 RETURNS text
 LANGUAGE c
 STABLE
AS 'MODULE_PATHNAME', $function$metrics_wrapper$function$;
COMMENT ON FUNCTION pgperf.metrics(uuid) IS 'The newest samples of the history and the live runs in the OpenMetrics text format, which Prometheus reads; nothing is measured for it. NULL: this node. docs/openmetrics.md lists the metrics';
REVOKE ALL ON ROUTINE pgperf.metrics(uuid) FROM PUBLIC;
GRANT EXECUTE ON ROUTINE pgperf.metrics(uuid) TO pg_monitor;

-- A window of the history. They read with the caller's rights, so a role that may not read the history learns nothing from them.
CREATE FUNCTION pgperf.history_report(from_time timestamptz DEFAULT NULL, to_time timestamptz DEFAULT NULL) RETURNS SETOF text
    LANGUAGE c VOLATILE PARALLEL UNSAFE SET jit = off SET work_mem = '32MB'
    AS 'MODULE_PATHNAME', 'history_report_wrapper';
COMMENT ON FUNCTION pgperf.history_report(timestamptz, timestamptz) IS
    'What the server did after from_time, up to to_time, as text of 80 columns: NULL: the last hour, or the hour before to_time';

CREATE FUNCTION pgperf.history_report(run text) RETURNS SETOF text
    LANGUAGE c VOLATILE PARALLEL UNSAFE SET jit = off SET work_mem = '32MB'
    AS 'MODULE_PATHNAME', 'history_report_by_name_wrapper';
COMMENT ON FUNCTION pgperf.history_report(text) IS
    'The same over the measured part of a run, named by its label, number or ''node name/run_id''';

CREATE FUNCTION pgperf.history_html(from_time timestamptz DEFAULT NULL, to_time timestamptz DEFAULT NULL) RETURNS text
    LANGUAGE c VOLATILE PARALLEL UNSAFE SET jit = off SET work_mem = '32MB'
    AS 'MODULE_PATHNAME', 'history_html_wrapper';
COMMENT ON FUNCTION pgperf.history_html(timestamptz, timestamptz) IS
    'pgperf.history_report as one self-contained HTML page with charts';

CREATE FUNCTION pgperf.history_html(run text) RETURNS text
    LANGUAGE c VOLATILE PARALLEL UNSAFE SET jit = off SET work_mem = '32MB'
    AS 'MODULE_PATHNAME', 'history_html_by_name_wrapper';
COMMENT ON FUNCTION pgperf.history_html(text) IS 'The same page over the measured part of a run';

CREATE FUNCTION pgperf.history_json(from_time timestamptz DEFAULT NULL, to_time timestamptz DEFAULT NULL) RETURNS jsonb
    LANGUAGE c VOLATILE PARALLEL UNSAFE SET jit = off SET work_mem = '32MB'
    AS 'MODULE_PATHNAME', 'history_json_wrapper';
COMMENT ON FUNCTION pgperf.history_json(timestamptz, timestamptz) IS
    'The contents of that page as a document described by docs/history.schema.json';

CREATE FUNCTION pgperf.history_json(run text) RETURNS jsonb
    LANGUAGE c VOLATILE PARALLEL UNSAFE SET jit = off SET work_mem = '32MB'
    AS 'MODULE_PATHNAME', 'history_json_by_name_wrapper';
COMMENT ON FUNCTION pgperf.history_json(text) IS 'The same document over the measured part of a run';

REVOKE EXECUTE ON FUNCTION pgperf.history_report(timestamptz, timestamptz), pgperf.history_report(text),
    pgperf.history_html(timestamptz, timestamptz), pgperf.history_html(text),
    pgperf.history_json(timestamptz, timestamptz), pgperf.history_json(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgperf.history_report(timestamptz, timestamptz), pgperf.history_report(text),
    pgperf.history_html(timestamptz, timestamptz), pgperf.history_html(text),
    pgperf.history_json(timestamptz, timestamptz), pgperf.history_json(text) TO pg_monitor;
-- Results of other programs: what they do not print is not known.
ALTER TABLE pgperf.nodes ALTER COLUMN system_identifier DROP NOT NULL, ALTER COLUMN database_name DROP NOT NULL;
ALTER TABLE pgperf_internal.stored_runs ALTER COLUMN clients DROP NOT NULL, ALTER COLUMN query_mode DROP NOT NULL, ALTER COLUMN server_version DROP NOT NULL;
ALTER TABLE pgperf_internal.run_totals ALTER COLUMN seconds DROP NOT NULL, ALTER COLUMN transactions DROP NOT NULL, ALTER COLUMN failed DROP NOT NULL, ALTER COLUMN serialization_failures DROP NOT NULL, ALTER COLUMN deadlock_failures DROP NOT NULL, ALTER COLUMN other_failures DROP NOT NULL, ALTER COLUMN retried DROP NOT NULL, ALTER COLUMN retries DROP NOT NULL, ALTER COLUMN skipped DROP NOT NULL, ALTER COLUMN late DROP NOT NULL, ALTER COLUMN warmup_transactions DROP NOT NULL, ALTER COLUMN reconnects DROP NOT NULL;
ALTER TABLE pgperf.run_intervals ALTER COLUMN failed DROP NOT NULL, ALTER COLUMN retried DROP NOT NULL, ALTER COLUMN retries DROP NOT NULL, ALTER COLUMN skipped DROP NOT NULL, ALTER COLUMN late DROP NOT NULL;
ALTER TABLE pgperf.run_scripts ALTER COLUMN weight DROP NOT NULL, ALTER COLUMN transactions DROP NOT NULL, ALTER COLUMN tps DROP NOT NULL, ALTER COLUMN failed DROP NOT NULL, ALTER COLUMN serialization_failures DROP NOT NULL, ALTER COLUMN deadlock_failures DROP NOT NULL, ALTER COLUMN other_failures DROP NOT NULL, ALTER COLUMN retried DROP NOT NULL, ALTER COLUMN retries DROP NOT NULL, ALTER COLUMN skipped DROP NOT NULL, ALTER COLUMN late DROP NOT NULL;
ALTER TABLE pgperf.run_statements ALTER COLUMN calls DROP NOT NULL, ALTER COLUMN failed DROP NOT NULL, ALTER COLUMN retries DROP NOT NULL;
CREATE FUNCTION pgperf_internal.results_origin(wanted_name text, source text, OUT node_id uuid, OUT node_name text, OUT run_id bigint)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
    seed text COLLATE "C" := pgperf.local_node()::text || ' ' || wanted_name;
BEGIN
    SELECT n.node_id INTO node_id FROM pgperf.nodes n WHERE n.name = wanted_name AND n.system_identifier IS NULL;
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
$$;
COMMENT ON FUNCTION pgperf_internal.results_origin(text, text) IS 'The node of that name for results of other programs, which is made if it is missing, and the number of the run from that source; for pgperf.import_results';

CREATE FUNCTION pgperf.import_results(content text, format text DEFAULT NULL, label text DEFAULT NULL, node text DEFAULT NULL,
        workload text DEFAULT NULL, started timestamptz DEFAULT NULL, strict boolean DEFAULT false,
        scale integer DEFAULT NULL, clients integer DEFAULT NULL, query_mode text DEFAULT NULL, server_version text DEFAULT NULL,
        transport text DEFAULT NULL) RETURNS SETOF bigint
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'import_results_wrapper';
COMMENT ON FUNCTION pgperf.import_results(text, text, text, text, text, timestamptz, boolean, integer, integer, text, text, text) IS
    'Imports what another program printed or logged as runs of the current role, and returns their run_ids; content that is here already stays as it is. format: pgbench, sysbench, hammerdb or pg_stat_statements; NULL: recognised. node: name of the node to store them under, NULL: the program''s. workload: NULL: as the program says. started: when it began, NULL: as the program says. strict: fail on lines that are not understood, instead of a notice. scale, clients, query_mode, server_version: in place of what the program says or leaves out. transport: its way to the server: socket, tcp or tls';

COMMENT ON COLUMN pgperf.nodes.database_name IS 'Name of the database; NULL: not known';
COMMENT ON COLUMN pgperf.nodes.system_identifier IS 'System identifier of the server, as in pg_control_system(); NULL: not known, a node of import_results';
REVOKE ALL ON FUNCTION pgperf_internal.results_origin(text, text),
    pgperf.import_results(text, text, text, text, text, timestamptz, boolean, integer, integer, text, text, text) FROM PUBLIC;

CREATE FUNCTION pgperf.history_compare(from_time timestamp with time zone DEFAULT NULL::timestamp with time zone, to_time timestamp with time zone DEFAULT NULL::timestamp with time zone, back interval DEFAULT '1 day'::interval)
 RETURNS SETOF text
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$history_compare_wrapper$function$;
COMMENT ON FUNCTION pgperf.history_compare(timestamp with time zone,timestamp with time zone,interval) IS 'Window b of the history, from_time to to_time (NULL: the last hour), compared with the same window some time back, as text of 80 columns: what lies beyond the usual of the same hour on earlier days, settings that differ, and each figure of the report';
REVOKE ALL ON ROUTINE pgperf.history_compare(timestamp with time zone,timestamp with time zone,interval) FROM PUBLIC;
GRANT EXECUTE ON ROUTINE pgperf.history_compare(timestamp with time zone,timestamp with time zone,interval) TO pg_monitor;
CREATE FUNCTION pgperf.history_compare(from_a timestamp with time zone, to_a timestamp with time zone, from_b timestamp with time zone, to_b timestamp with time zone)
 RETURNS SETOF text
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$history_compare_between_wrapper$function$;
COMMENT ON FUNCTION pgperf.history_compare(timestamp with time zone,timestamp with time zone,timestamp with time zone,timestamp with time zone) IS 'The same of any two windows';
REVOKE ALL ON ROUTINE pgperf.history_compare(timestamp with time zone,timestamp with time zone,timestamp with time zone,timestamp with time zone) FROM PUBLIC;
GRANT EXECUTE ON ROUTINE pgperf.history_compare(timestamp with time zone,timestamp with time zone,timestamp with time zone,timestamp with time zone) TO pg_monitor;
CREATE FUNCTION pgperf.history_compare(a text, b text)
 RETURNS SETOF text
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$history_compare_by_name_wrapper$function$;
COMMENT ON FUNCTION pgperf.history_compare(text,text) IS 'The same of the measured parts of two runs, each named by its label, number or ''node name/run_id''; of two times: the window between them, and the same a day earlier';
REVOKE ALL ON ROUTINE pgperf.history_compare(text,text) FROM PUBLIC;
GRANT EXECUTE ON ROUTINE pgperf.history_compare(text,text) TO pg_monitor;
CREATE FUNCTION pgperf.history_compare_html(from_time timestamp with time zone DEFAULT NULL::timestamp with time zone, to_time timestamp with time zone DEFAULT NULL::timestamp with time zone, back interval DEFAULT '1 day'::interval)
 RETURNS text
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$history_compare_html_wrapper$function$;
COMMENT ON FUNCTION pgperf.history_compare_html(timestamp with time zone,timestamp with time zone,interval) IS 'pgperf.history_compare as one self-contained HTML page';
REVOKE ALL ON ROUTINE pgperf.history_compare_html(timestamp with time zone,timestamp with time zone,interval) FROM PUBLIC;
GRANT EXECUTE ON ROUTINE pgperf.history_compare_html(timestamp with time zone,timestamp with time zone,interval) TO pg_monitor;
CREATE FUNCTION pgperf.history_compare_html(from_a timestamp with time zone, to_a timestamp with time zone, from_b timestamp with time zone, to_b timestamp with time zone)
 RETURNS text
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$history_compare_html_between_wrapper$function$;
COMMENT ON FUNCTION pgperf.history_compare_html(timestamp with time zone,timestamp with time zone,timestamp with time zone,timestamp with time zone) IS 'The same of any two windows';
REVOKE ALL ON ROUTINE pgperf.history_compare_html(timestamp with time zone,timestamp with time zone,timestamp with time zone,timestamp with time zone) FROM PUBLIC;
GRANT EXECUTE ON ROUTINE pgperf.history_compare_html(timestamp with time zone,timestamp with time zone,timestamp with time zone,timestamp with time zone) TO pg_monitor;
CREATE FUNCTION pgperf.history_compare_html(a text, b text)
 RETURNS text
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$history_compare_html_by_name_wrapper$function$;
COMMENT ON FUNCTION pgperf.history_compare_html(text,text) IS 'The same of the measured parts of two runs, each named by its label, number or ''node name/run_id''; of two times: the window between them, and the same a day earlier';
REVOKE ALL ON ROUTINE pgperf.history_compare_html(text,text) FROM PUBLIC;
GRANT EXECUTE ON ROUTINE pgperf.history_compare_html(text,text) TO pg_monitor;
CREATE FUNCTION pgperf.history_compare_json(from_time timestamp with time zone DEFAULT NULL::timestamp with time zone, to_time timestamp with time zone DEFAULT NULL::timestamp with time zone, back interval DEFAULT '1 day'::interval)
 RETURNS jsonb
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$history_compare_json_wrapper$function$;
COMMENT ON FUNCTION pgperf.history_compare_json(timestamp with time zone,timestamp with time zone,interval) IS 'pgperf.history_compare as a document';
REVOKE ALL ON ROUTINE pgperf.history_compare_json(timestamp with time zone,timestamp with time zone,interval) FROM PUBLIC;
GRANT EXECUTE ON ROUTINE pgperf.history_compare_json(timestamp with time zone,timestamp with time zone,interval) TO pg_monitor;
CREATE FUNCTION pgperf.history_compare_json(from_a timestamp with time zone, to_a timestamp with time zone, from_b timestamp with time zone, to_b timestamp with time zone)
 RETURNS jsonb
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$history_compare_json_between_wrapper$function$;
COMMENT ON FUNCTION pgperf.history_compare_json(timestamp with time zone,timestamp with time zone,timestamp with time zone,timestamp with time zone) IS 'The same of any two windows';
REVOKE ALL ON ROUTINE pgperf.history_compare_json(timestamp with time zone,timestamp with time zone,timestamp with time zone,timestamp with time zone) FROM PUBLIC;
GRANT EXECUTE ON ROUTINE pgperf.history_compare_json(timestamp with time zone,timestamp with time zone,timestamp with time zone,timestamp with time zone) TO pg_monitor;
CREATE FUNCTION pgperf.history_compare_json(a text, b text)
 RETURNS jsonb
 LANGUAGE c
AS 'MODULE_PATHNAME', $function$history_compare_json_by_name_wrapper$function$;
COMMENT ON FUNCTION pgperf.history_compare_json(text,text) IS 'The same of the measured parts of two runs, each named by its label, number or ''node name/run_id''; of two times: the window between them, and the same a day earlier';
REVOKE ALL ON ROUTINE pgperf.history_compare_json(text,text) FROM PUBLIC;
GRANT EXECUTE ON ROUTINE pgperf.history_compare_json(text,text) TO pg_monitor;

-- The order of the names is that of the severities, so that WHERE severity >= 'warning' means what it says: as text,
-- 'critical' would come first. Nothing is stored with this type: its values can be added to without touching a table.
CREATE TYPE pgperf.severity AS ENUM ('note', 'warning', 'critical');
COMMENT ON TYPE pgperf.severity IS 'Severity of a finding, in ascending order';

CREATE FUNCTION pgperf_internal.judge_window(from_time timestamptz, to_time timestamptz) RETURNS jsonb
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'findings_wrapper';
COMMENT ON FUNCTION pgperf_internal.judge_window(timestamptz, timestamptz) IS 'The rows of pgperf.findings as one array';
CREATE FUNCTION pgperf_internal.judge_window(run text) RETURNS jsonb
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'findings_by_name_wrapper';
COMMENT ON FUNCTION pgperf_internal.judge_window(text) IS 'The rows of pgperf.findings as one array';

CREATE FUNCTION pgperf.findings(
    from_time timestamptz DEFAULT NULL, to_time timestamptz DEFAULT NULL,
    OUT rule text, OUT severity pgperf.severity, OUT weight float8, OUT title text, OUT object_kind text, OUT schema_name text, OUT object_name text,
    OUT "at" timestamptz, OUT since timestamptz, OUT until timestamptz, OUT evidence text, OUT advice text, OUT fix_sql text, OUT figures jsonb)
RETURNS SETOF record LANGUAGE sql VOLATILE PARALLEL UNSAFE ROWS 10
BEGIN ATOMIC
    SELECT f.rule, f.severity, f.weight, f.title, f.object_kind, f.schema_name, f.object_name, f."at", f.since, f.until, f.evidence,
           f.advice, f.fix_sql, f.figures
    FROM pg_catalog.jsonb_to_recordset(pgperf_internal.judge_window(findings.from_time, findings.to_time)) AS f(
        rule text, severity pgperf.severity, weight float8, title text, object_kind text, schema_name text, object_name text,
        "at" timestamptz, since timestamptz, until timestamptz, evidence text, advice text, fix_sql text, figures jsonb)
    ORDER BY f.weight DESC, f.rule, f.schema_name, f.object_name;
END;
COMMENT ON FUNCTION pgperf.findings(timestamptz, timestamptz) IS
    'What stands out in the history after from_time, up to to_time, the weightiest first: rule and severity, object, times, evidence, what to do. NULL: the last hour, or the hour before to_time. For alerts: WHERE severity >= ''warning''';

CREATE FUNCTION pgperf.findings(
    run text,
    OUT rule text, OUT severity pgperf.severity, OUT weight float8, OUT title text, OUT object_kind text, OUT schema_name text, OUT object_name text,
    OUT "at" timestamptz, OUT since timestamptz, OUT until timestamptz, OUT evidence text, OUT advice text, OUT fix_sql text, OUT figures jsonb)
RETURNS SETOF record LANGUAGE sql VOLATILE PARALLEL UNSAFE ROWS 10
BEGIN ATOMIC
    SELECT f.rule, f.severity, f.weight, f.title, f.object_kind, f.schema_name, f.object_name, f."at", f.since, f.until, f.evidence,
           f.advice, f.fix_sql, f.figures
    FROM pg_catalog.jsonb_to_recordset(pgperf_internal.judge_window(findings.run)) AS f(
        rule text, severity pgperf.severity, weight float8, title text, object_kind text, schema_name text, object_name text,
        "at" timestamptz, since timestamptz, until timestamptz, evidence text, advice text, fix_sql text, figures jsonb)
    ORDER BY f.weight DESC, f.rule, f.schema_name, f.object_name;
END;
COMMENT ON FUNCTION pgperf.findings(text) IS
    'The same over the measured part of a run, named by its label, number or ''node name/run_id''';

REVOKE EXECUTE ON FUNCTION pgperf_internal.judge_window(timestamptz, timestamptz), pgperf_internal.judge_window(text),
    pgperf.findings(timestamptz, timestamptz), pgperf.findings(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgperf_internal.judge_window(timestamptz, timestamptz), pgperf_internal.judge_window(text),
    pgperf.findings(timestamptz, timestamptz), pgperf.findings(text) TO pg_monitor;

CREATE FUNCTION pgperf_internal.index_column(index_oid oid, number integer) RETURNS text
    LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'index_column_wrapper';
COMMENT ON FUNCTION pgperf_internal.index_column(oid, integer) IS
    'pg_get_indexdef of a column, without waiting for a lock on the table; NULL: another session has locked it, or there is no such column';

CREATE FUNCTION pgperf_internal.outcome_counts_add(state internal, outcomes jsonb, sample_id bigint, taken_at timestamptz) RETURNS internal
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'outcome_counts_add_wrapper';
COMMENT ON FUNCTION pgperf_internal.outcome_counts_add(internal, jsonb, bigint, timestamptz) IS 'Part of pgperf_internal.outcome_counts: adds a sample';

CREATE FUNCTION pgperf_internal.outcome_counts_rows(state internal) RETURNS jsonb
    LANGUAGE c STABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'outcome_counts_rows_wrapper';
COMMENT ON FUNCTION pgperf_internal.outcome_counts_rows(internal) IS 'Part of pgperf_internal.outcome_counts: its result';

CREATE AGGREGATE pgperf_internal.outcome_counts(outcomes jsonb, sample_id bigint, taken_at timestamptz) (
    SFUNC = pgperf_internal.outcome_counts_add,
    STYPE = internal,
    SSPACE = 4000,
    FINALFUNC = pgperf_internal.outcome_counts_rows,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE pgperf_internal.outcome_counts(jsonb, bigint, timestamptz) IS
    'The outcomes of samples, counted: an array with an object for each collector, status and reason, with its samples, the first and the last of them, its rows and its time';

COMMENT ON COLUMN pgperf.comparison.object IS 'Object of the metric: a statement by script and place, a relation, a part; NULL: the run as a whole';
COMMENT ON COLUMN pgperf.comparison.direction IS 'The better direction: higher, lower; NULL: neither by itself';
COMMENT ON COLUMN pgperf.comparison.change_percent IS 'Change in percent of the baseline; with pairs, the mean over the pairs';
COMMENT ON COLUMN pgperf.comparison.ci_low_percent IS 'Lower end of the change''s 95 % interval; NULL: no interval can be computed, for example because the values are the same in all runs';
COMMENT ON COLUMN pgperf.comparison.p_value IS 'Probability of such a change by chance alone, uncorrected';
COMMENT ON COLUMN pgperf.comparison.n_baseline IS 'Number of runs or, depending on method, of intervals or pairs';
COMMENT ON COLUMN pgperf.comparison.verdict IS 'better, worse, differs (neither is better), no significant difference, single observation, or not comparable, with the reason';
COMMENT ON COLUMN pgperf.comparison.p_adjusted IS 'p_value corrected for the number of metrics tested; it decides the verdict: the change is significant below 0.05';
COMMENT ON COLUMN pgperf.comparison.baseline_text IS 'Value of a setting or environment fact';
COMMENT ON COLUMN pgperf.steadiness.steady IS 'Whether the rate became steady; NULL: too few intervals to decide';
COMMENT ON COLUMN pgperf.steadiness.warmup_s IS 'Seconds until the rate became steady; tps_before is the rate until then, tps the rate from then on';

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
