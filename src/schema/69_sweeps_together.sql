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
