-- What a node is asked for a run on several, by the pgperf of the server that the run was started on, as the user of its mapping. They do what
-- start_run does, for roles that may call it, and tell of their own runs.
CREATE FUNCTION pgperf_internal.check_part(arguments jsonb, first_client integer, all_clients integer) RETURNS jsonb
    LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'check_part_wrapper';
COMMENT ON FUNCTION pgperf_internal.check_part(jsonb, integer, integer) IS
    'Raises an error where the caller could not start this part of a run on several nodes here; tells which server this is';

CREATE FUNCTION pgperf_internal.start_part(arguments jsonb, first_client integer, all_clients integer, group_id text) RETURNS bigint
    LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'start_part_wrapper';
COMMENT ON FUNCTION pgperf_internal.start_part(jsonb, integer, integer, text) IS
    'Starts a part of a run on several nodes, as start_run would with these arguments; its clients are those from first_client on of all_clients. Returns its run_id';

CREATE FUNCTION pgperf_internal.part_progress(run_id bigint, from_interval integer) RETURNS jsonb
    LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'part_progress_wrapper';
COMMENT ON FUNCTION pgperf_internal.part_progress(bigint, integer) IS
    'How far a part of a run on several nodes is, with its intervals from a number on; for members of pg_monitor and the run''s role';
