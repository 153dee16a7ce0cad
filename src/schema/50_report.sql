-- Executable by everybody: each checks that the caller may see the run.
CREATE FUNCTION pgperf.report(run_id bigint = NULL) RETURNS SETOF text
    LANGUAGE c AS 'MODULE_PATHNAME', 'report_wrapper';
COMMENT ON FUNCTION pgperf.report(bigint) IS
    'A run''s report, pgbench''s lines first; NULL: the newest run of this node; for the run''s role and members of pg_monitor';

CREATE FUNCTION pgperf.report(run text) RETURNS SETOF text
    LANGUAGE c AS 'MODULE_PATHNAME', 'report_by_name_wrapper';
COMMENT ON FUNCTION pgperf.report(text) IS
    'The report of the newest run with this label, or of the run named as ''node name/run_id''';

GRANT EXECUTE ON FUNCTION pgperf.report(bigint), pgperf.report(text) TO PUBLIC;
