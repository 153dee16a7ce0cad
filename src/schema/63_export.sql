-- Runs as documents: docs/export.md describes them.
--
-- The tables of a run are defined here alone, for deleting a run as well: the tables whose key begins with
-- that of the run, and the history, whose rows carry its run_id.
CREATE VIEW pgperf.run_tables AS
SELECT c.relname::text AS table_name,
       'run' AS kind,
       't.node_id = $1 AND t.run_id = $2' AS of_run,
       NULL::text[] AS object,
       c.oid::regclass AS relation
FROM pg_catalog.pg_constraint k
JOIN pg_catalog.pg_class c ON c.oid = k.conrelid
WHERE k.contype = 'p' AND NOT c.relispartition
  AND (SELECT array_agg(a.attname ORDER BY o.place)
       FROM unnest(k.conkey[1:2]) WITH ORDINALITY o (attnum, place)
       JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum = o.attnum) = '{node_id,run_id}'::name[]
  -- These are the run itself, and tables about the activity of this installation.
  AND c.relname <> ALL ('{stored_runs,pinned_runs,resume_points,forgotten_runs}')
  -- Tables of others that refer to runs are their own.
  AND EXISTS (SELECT FROM pg_catalog.pg_depend d JOIN pg_catalog.pg_extension e ON e.oid = d.refobjid
              WHERE d.classid = 'pg_catalog.pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e' AND e.extname = 'pgperf')
UNION ALL
SELECT h.table_name, 'history', 't.node_id = $1 AND t.run_id = $2', NULL, pg_catalog.to_regclass(pg_catalog.format('pgperf.%I', h.table_name))
FROM pgperf_internal.history_tables h
UNION ALL
SELECT 'statement_texts', 'shared',
       't.node_id = $1 AND (t.queryid, t.dbid) IN (SELECT h.queryid, h.dbid FROM pgperf.statement_history h WHERE h.node_id = $1 AND h.run_id = $2)',
       '{queryid,dbid}', 'pgperf.statement_texts'
UNION ALL
SELECT 'plan_texts', 'shared',
       't.node_id = $1 AND t.plan_hash IN (SELECT h.plan_hash FROM pgperf.plan_history h WHERE h.node_id = $1 AND h.run_id = $2)',
       '{plan_hash}', 'pgperf.plan_texts';
COMMENT ON VIEW pgperf.run_tables IS 'The tables in a run''s document: the run''s own, the history, and those that runs share';
COMMENT ON COLUMN pgperf.run_tables.kind IS 'run: deleted with the run; history: rows of its samples; shared: rows that other runs may need too';
COMMENT ON COLUMN pgperf.run_tables.of_run IS 'The condition on a row t of the run, for node $1 and run $2';
COMMENT ON COLUMN pgperf.run_tables.object IS 'For shared rows: the columns that identify them within a node';
COMMENT ON COLUMN pgperf.run_tables.relation IS 'The table itself, with its schema';
GRANT SELECT ON pgperf.run_tables TO pg_monitor;

-- How a column is written, and read from element number %s of a row r. All names come from this catalog: names in a
-- document are only compared.
CREATE FUNCTION pgperf_internal.document_columns(relation regclass, OUT name text, OUT written text, OUT read text)
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
    WHERE a.attrelid = document_columns.relation AND a.attnum > 0 AND NOT a.attisdropped
      AND a.attname <> ALL ('{node_id,run_id}'::name[])
    ORDER BY a.attnum
$$;
COMMENT ON FUNCTION pgperf_internal.document_columns(regclass) IS 'The columns of a table in a run''s document; for export_run and import_run';

CREATE FUNCTION pgperf_internal.run_document(node_id uuid, run_id bigint, transactions boolean, samples boolean) RETURNS jsonb
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
$$;
COMMENT ON FUNCTION pgperf_internal.run_document(uuid, bigint, boolean, boolean) IS 'A run as a document, without a check of the caller; for pgperf.export_run, which checks';

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

-- All or nothing. The rows keep their node, so they never mix with local measurements.
CREATE FUNCTION pgperf_internal.store_document(document jsonb, label text, role text) RETURNS bigint
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
$$;
COMMENT ON FUNCTION pgperf_internal.store_document(jsonb, text, text) IS 'Stores a document as a run of the given role; for pgperf.import_run';

CREATE FUNCTION pgperf.export_run(run_id bigint DEFAULT NULL, transactions boolean DEFAULT false) RETURNS jsonb
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'export_run_wrapper';
COMMENT ON FUNCTION pgperf.export_run(bigint, boolean) IS
    'Exports a run that has ended (NULL: the newest) with everything that belongs to it, for pgperf.import_run on any server; transactions: with its transaction log. For members of pg_monitor, and without its samples for the run''s role';

CREATE FUNCTION pgperf.export_run(run text, transactions boolean DEFAULT false) RETURNS jsonb
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'export_run_by_name_wrapper';
COMMENT ON FUNCTION pgperf.export_run(text, boolean) IS 'The same for a run by its number, ''node name/run_id'' or label';

CREATE FUNCTION pgperf.import_run(document jsonb, label text DEFAULT NULL) RETURNS bigint
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'import_run_wrapper';
COMMENT ON FUNCTION pgperf.import_run(jsonb, text) IS
    'Imports a document of pgperf.export_run as a run of the current role, and returns its run_id; a run that exists here already stays as it is. label: replaces the run''s own';

REVOKE ALL ON FUNCTION pgperf_internal.document_columns(regclass), pgperf_internal.run_document(uuid, bigint, boolean, boolean), pgperf_internal.store_document(jsonb, text, text),
    pgperf.import_run(jsonb, text) FROM PUBLIC;
