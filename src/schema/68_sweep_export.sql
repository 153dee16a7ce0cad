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
