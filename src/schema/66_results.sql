-- Results of other programs: docs/others-results.md describes them.
--
-- They are stored as imported runs are (63_export.sql), under nodes of which neither server nor database are known.
CREATE FUNCTION pgperf_internal.results_origin(wanted_name text, source text, OUT node_id uuid, OUT node_name text, OUT run_id bigint)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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
$$;
COMMENT ON FUNCTION pgperf_internal.results_origin(text, text) IS 'The node of that name for results of other programs, which is made if it is missing, and the number of the run from that source; for pgperf.import_results';

CREATE FUNCTION pgperf.import_results(content text, format text DEFAULT NULL, label text DEFAULT NULL, node text DEFAULT NULL,
        workload text DEFAULT NULL, started timestamptz DEFAULT NULL, strict boolean DEFAULT false,
        scale integer DEFAULT NULL, clients integer DEFAULT NULL, query_mode text DEFAULT NULL, server_version text DEFAULT NULL,
        transport text DEFAULT NULL) RETURNS SETOF bigint
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'import_results_wrapper';
COMMENT ON FUNCTION pgperf.import_results(text, text, text, text, text, timestamptz, boolean, integer, integer, text, text, text) IS
    'Imports what another program printed or logged as runs of the current role, and returns their run_ids; content that is here already stays as it is. format: pgbench, sysbench, hammerdb or pg_stat_statements; NULL: recognised. node: name of the node to store them under, NULL: the program''s. workload: NULL: as the program says. started: when it began, NULL: as the program says. strict: fail on lines that are not understood, instead of a notice. scale, clients, query_mode, server_version: in place of what the program says or leaves out. transport: its way to the server: socket, tcp or tls';

REVOKE ALL ON FUNCTION pgperf_internal.results_origin(text, text),
    pgperf.import_results(text, text, text, text, text, timestamptz, boolean, integer, integer, text, text, text) FROM PUBLIC;
