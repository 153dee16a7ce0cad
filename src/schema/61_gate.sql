-- For CI: functions that raise an error if a run is not good enough.
CREATE FUNCTION pgperf.set_baseline(name text, runs bigint[]) RETURNS bigint
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'set_baseline_wrapper';
COMMENT ON FUNCTION pgperf.set_baseline(text, bigint[]) IS
    'Lets a name stand for these runs of this node in compare and gate, replacing earlier runs of that name; returns the number of runs';

CREATE FUNCTION pgperf.set_baseline(name text, run bigint) RETURNS bigint
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'set_baseline_run_wrapper';
COMMENT ON FUNCTION pgperf.set_baseline(text, bigint) IS 'The same for one run';

CREATE FUNCTION pgperf.set_baseline(name text, run text) RETURNS bigint
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'set_baseline_name_wrapper';
COMMENT ON FUNCTION pgperf.set_baseline(text, text) IS 'The same for a run, or a label''s repetitions, named as in pgperf.compare';

CREATE FUNCTION pgperf.set_baseline(name text, runs text[]) RETURNS bigint
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'set_baseline_names_wrapper';
COMMENT ON FUNCTION pgperf.set_baseline(text, text[]) IS 'The same for runs named as in pgperf.compare';

CREATE FUNCTION pgperf.drop_baseline(name text) RETURNS boolean
    LANGUAGE c STRICT VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'drop_baseline_wrapper';
COMMENT ON FUNCTION pgperf.drop_baseline(text) IS 'Removes a named baseline, not its runs; false if no baseline has that name';

REVOKE ALL ON FUNCTION pgperf.set_baseline(text, bigint[]), pgperf.set_baseline(text, bigint),
    pgperf.set_baseline(text, text), pgperf.set_baseline(text, text[]), pgperf.drop_baseline(text) FROM PUBLIC;

CREATE FUNCTION pgperf_internal.gate_runs(candidate text[], baseline text[], max_regression text, metrics text[]) RETURNS SETOF text
    LANGUAGE c AS 'MODULE_PATHNAME', 'gate_runs_wrapper';
COMMENT ON FUNCTION pgperf_internal.gate_runs(text[], text[], text, text[]) IS 'Implements pgperf.gate; runs are named as in pgperf.compare, or as #run_id';

CREATE FUNCTION pgperf.gate(candidate bigint, baseline bigint, max_regression text DEFAULT '5%', metrics text[] DEFAULT NULL)
    RETURNS SETOF text
    LANGUAGE sql
BEGIN ATOMIC
    SELECT pgperf_internal.gate_runs(pgperf_internal.run_names(ARRAY[candidate]), pgperf_internal.run_names(ARRAY[baseline]), COALESCE(max_regression, '5%'), metrics);
END;
COMMENT ON FUNCTION pgperf.gate(bigint, bigint, text, text[]) IS
    'Raises an error (SQLSTATE P0004) if the candidate is significantly worse than the baseline by more than max_regression in one of the metrics (default: tps, latency average, p95 and p99, failed_percent), or cannot be compared; otherwise returns the result as text';

CREATE FUNCTION pgperf.gate(candidate bigint[], baseline bigint[], max_regression text DEFAULT '5%', metrics text[] DEFAULT NULL)
    RETURNS SETOF text
    LANGUAGE sql
BEGIN ATOMIC
    SELECT pgperf_internal.gate_runs(pgperf_internal.run_names(candidate), pgperf_internal.run_names(baseline), COALESCE(max_regression, '5%'), metrics);
END;
COMMENT ON FUNCTION pgperf.gate(bigint[], bigint[], text, text[]) IS 'The same for repeated runs';

CREATE FUNCTION pgperf.gate(candidate bigint, baseline text, max_regression text DEFAULT '5%', metrics text[] DEFAULT NULL)
    RETURNS SETOF text
    LANGUAGE sql
BEGIN ATOMIC
    SELECT pgperf_internal.gate_runs(pgperf_internal.run_names(ARRAY[candidate]), ARRAY[baseline], COALESCE(max_regression, '5%'), metrics);
END;
COMMENT ON FUNCTION pgperf.gate(bigint, text, text, text[]) IS 'The same against a named baseline, or a run by name';

CREATE FUNCTION pgperf.gate(candidate text, baseline text, max_regression text DEFAULT '5%', metrics text[] DEFAULT NULL)
    RETURNS SETOF text
    LANGUAGE sql
BEGIN ATOMIC
    SELECT pgperf_internal.gate_runs(ARRAY[candidate], ARRAY[baseline], COALESCE(max_regression, '5%'), metrics);
END;
COMMENT ON FUNCTION pgperf.gate(text, text, text, text[]) IS 'The same for runs or baselines by name';

CREATE FUNCTION pgperf.gate(candidate bigint[], baseline text, max_regression text DEFAULT '5%', metrics text[] DEFAULT NULL)
    RETURNS SETOF text
    LANGUAGE sql
BEGIN ATOMIC
    SELECT pgperf_internal.gate_runs(pgperf_internal.run_names(candidate), ARRAY[baseline], COALESCE(max_regression, '5%'), metrics);
END;
COMMENT ON FUNCTION pgperf.gate(bigint[], text, text, text[]) IS 'The same for repeated runs against a named baseline';

CREATE FUNCTION pgperf.require_expectations(run_id bigint DEFAULT NULL) RETURNS void
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'require_expectations_wrapper';
COMMENT ON FUNCTION pgperf.require_expectations(bigint) IS
    'Raises an error (SQLSTATE P0004) if a run (NULL: the newest) does not meet the expectations in its argument expect; for a failed run without expect, raises the error that made it fail; called by CALL pgperf.run';

CREATE FUNCTION pgperf.require_expectations(run text) RETURNS void
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'require_expectations_by_name_wrapper';
COMMENT ON FUNCTION pgperf.require_expectations(text) IS 'The same for a run by its number, ''node name/run_id'' or label';

CREATE FUNCTION pgperf.report_junit(run_id bigint DEFAULT NULL, baseline text DEFAULT NULL, max_regression text DEFAULT '5%')
    RETURNS text
    LANGUAGE c AS 'MODULE_PATHNAME', 'report_junit_wrapper';
COMMENT ON FUNCTION pgperf.report_junit(bigint, text, text) IS
    'A run''s expectations and, with baseline, its comparison with that baseline as in pgperf.gate, as one JUnit XML document';

CREATE FUNCTION pgperf.report_junit(run text, baseline text DEFAULT NULL, max_regression text DEFAULT '5%')
    RETURNS text
    LANGUAGE c AS 'MODULE_PATHNAME', 'report_junit_by_name_wrapper';
COMMENT ON FUNCTION pgperf.report_junit(text, text, text) IS 'The same for a run by its number, ''node name/run_id'' or label';
