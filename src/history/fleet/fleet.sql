-- They read with the caller's rights, as the reports of single nodes do.
CREATE FUNCTION pgperf.fleet_report(from_time timestamptz DEFAULT NULL, to_time timestamptz DEFAULT NULL, group_name text DEFAULT NULL) RETURNS SETOF text
    LANGUAGE c VOLATILE PARALLEL UNSAFE SET jit = off SET work_mem = '32MB' AS 'MODULE_PATHNAME', 'fleet_report_wrapper';
COMMENT ON FUNCTION pgperf.fleet_report(timestamptz, timestamptz, text) IS
    'All nodes whose history is stored here, after from_time, up to to_time, those that need attention first: a row for each with its findings and figures, and the call of its own report. NULL: the last hour, or the hour before to_time; group_name: of the nodes of a group, NULL: of all';

CREATE FUNCTION pgperf.fleet_html(from_time timestamptz DEFAULT NULL, to_time timestamptz DEFAULT NULL, group_name text DEFAULT NULL) RETURNS text
    LANGUAGE c VOLATILE PARALLEL UNSAFE SET jit = off SET work_mem = '32MB' AS 'MODULE_PATHNAME', 'fleet_html_wrapper';
COMMENT ON FUNCTION pgperf.fleet_html(timestamptz, timestamptz, text) IS
    'pgperf.fleet_report as one self-contained HTML page with charts of each node';

REVOKE EXECUTE ON FUNCTION pgperf.fleet_report(timestamptz, timestamptz, text), pgperf.fleet_html(timestamptz, timestamptz, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgperf.fleet_report(timestamptz, timestamptz, text), pgperf.fleet_html(timestamptz, timestamptz, text) TO pg_monitor;
