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
