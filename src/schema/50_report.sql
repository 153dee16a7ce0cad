-- Executable by everybody: each checks that the caller may see the run.
CREATE FUNCTION pgperf.report(run_id bigint = NULL) RETURNS SETOF text
    LANGUAGE c AS 'MODULE_PATHNAME', 'report_wrapper';
COMMENT ON FUNCTION pgperf.report(bigint) IS
    'A run''s report, pgbench''s lines first; NULL: the newest run of this node; for the run''s role and members of pg_monitor';

CREATE FUNCTION pgperf.report(run text) RETURNS SETOF text
    LANGUAGE c AS 'MODULE_PATHNAME', 'report_by_name_wrapper';
COMMENT ON FUNCTION pgperf.report(text) IS
    'The report of the newest run with this label, or of the run named as ''node name/run_id''';

CREATE FUNCTION pgperf.report(run_id bigint, style text) RETURNS SETOF text
    LANGUAGE c AS 'MODULE_PATHNAME', 'report_in_style_wrapper';
COMMENT ON FUNCTION pgperf.report(bigint, text) IS
    'The report of a run in the words of a program: pgbench, with pgperf''s own lines, or sysbench';

CREATE FUNCTION pgperf.report(run text, style text) RETURNS SETOF text
    LANGUAGE c AS 'MODULE_PATHNAME', 'report_by_name_in_style_wrapper';
COMMENT ON FUNCTION pgperf.report(text, text) IS
    'The same of the newest run with this label, or of the run named as ''node name/run_id''';

GRANT EXECUTE ON FUNCTION pgperf.report(bigint), pgperf.report(text), pgperf.report(bigint, text), pgperf.report(text, text) TO PUBLIC;
