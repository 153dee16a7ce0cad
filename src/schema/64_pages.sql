-- Executable by everybody: each checks that the caller may see the run.
CREATE FUNCTION pgperf.report_html(run_id bigint = NULL) RETURNS text
    LANGUAGE c AS 'MODULE_PATHNAME', 'report_html_wrapper';
COMMENT ON FUNCTION pgperf.report_html(bigint) IS
    'A run as one self-contained HTML page with charts; NULL: the newest run of this node; for the run''s role and members of pg_monitor';

CREATE FUNCTION pgperf.report_html(run text) RETURNS text
    LANGUAGE c AS 'MODULE_PATHNAME', 'report_html_by_name_wrapper';
COMMENT ON FUNCTION pgperf.report_html(text) IS
    'The page of the newest run with this label, or of the run named as ''node name/run_id''';

CREATE FUNCTION pgperf.report_json(run_id bigint = NULL) RETURNS jsonb
    LANGUAGE c AS 'MODULE_PATHNAME', 'report_json_wrapper';
COMMENT ON FUNCTION pgperf.report_json(bigint) IS
    'The contents of a run''s page as a document described by docs/report.schema.json; NULL: the newest run of this node; for the run''s role and members of pg_monitor';

CREATE FUNCTION pgperf.report_json(run text) RETURNS jsonb
    LANGUAGE c AS 'MODULE_PATHNAME', 'report_json_by_name_wrapper';
COMMENT ON FUNCTION pgperf.report_json(text) IS
    'The document of the newest run with this label, or of the run named as ''node name/run_id''';

CREATE FUNCTION pgperf.report_markdown(run_id bigint = NULL) RETURNS text
    LANGUAGE c AS 'MODULE_PATHNAME', 'report_markdown_wrapper';
COMMENT ON FUNCTION pgperf.report_markdown(bigint) IS
    'A summary of a run as Markdown, for a pull request; NULL: the newest run of this node; for the run''s role and members of pg_monitor';

CREATE FUNCTION pgperf.report_markdown(run text) RETURNS text
    LANGUAGE c AS 'MODULE_PATHNAME', 'report_markdown_by_name_wrapper';
COMMENT ON FUNCTION pgperf.report_markdown(text) IS
    'The same for the newest run with this label, or for the run named as ''node name/run_id''';

GRANT EXECUTE ON FUNCTION pgperf.report_html(bigint), pgperf.report_html(text), pgperf.report_json(bigint), pgperf.report_json(text),
    pgperf.report_markdown(bigint), pgperf.report_markdown(text) TO PUBLIC;

CREATE FUNCTION pgperf_internal.compare_page(baseline text[], candidate text[], pair_by text) RETURNS text
    LANGUAGE c AS 'MODULE_PATHNAME', 'compare_page_wrapper';
COMMENT ON FUNCTION pgperf_internal.compare_page(text[], text[], text) IS
    'Implements pgperf.compare_html; runs are named as there, or as #run_id';

CREATE FUNCTION pgperf.compare_html(baseline bigint, candidate bigint) RETURNS text
    LANGUAGE sql
    RETURN pgperf_internal.compare_page(pgperf_internal.run_names(ARRAY[baseline]), pgperf_internal.run_names(ARRAY[candidate]), NULL);
COMMENT ON FUNCTION pgperf.compare_html(bigint, bigint) IS 'pgperf.compare as one self-contained HTML page';

CREATE FUNCTION pgperf.compare_html(baseline bigint[], candidate bigint[], pair_by text DEFAULT NULL) RETURNS text
    LANGUAGE sql
    RETURN pgperf_internal.compare_page(pgperf_internal.run_names(baseline), pgperf_internal.run_names(candidate), pair_by);
COMMENT ON FUNCTION pgperf.compare_html(bigint[], bigint[], text) IS 'The same for repeated runs';

CREATE FUNCTION pgperf.compare_html(baseline text, candidate text) RETURNS text
    LANGUAGE sql
    RETURN pgperf_internal.compare_page(ARRAY[baseline], ARRAY[candidate], NULL);
COMMENT ON FUNCTION pgperf.compare_html(text, text) IS 'The same for runs or baselines by name';

CREATE FUNCTION pgperf.compare_html(baseline text, candidate text, pair_by text) RETURNS text
    LANGUAGE sql
    RETURN pgperf_internal.compare_page(ARRAY[baseline], ARRAY[candidate], pair_by);
COMMENT ON FUNCTION pgperf.compare_html(text, text, text) IS 'The same for repetitions or baselines in pairs';

CREATE FUNCTION pgperf.compare_html(baseline text[], candidate text[], pair_by text DEFAULT NULL) RETURNS text
    LANGUAGE sql
    RETURN pgperf_internal.compare_page(COALESCE(baseline, '{}'), COALESCE(candidate, '{}'), pair_by);
COMMENT ON FUNCTION pgperf.compare_html(text[], text[], text) IS 'The same for repeated runs, each by name';

GRANT EXECUTE ON FUNCTION pgperf_internal.compare_page(text[], text[], text), pgperf.compare_html(bigint, bigint),
    pgperf.compare_html(bigint[], bigint[], text), pgperf.compare_html(text, text), pgperf.compare_html(text, text, text),
    pgperf.compare_html(text[], text[], text) TO PUBLIC;

CREATE FUNCTION pgperf.sweep_html(sweep_id bigint = NULL) RETURNS text
    LANGUAGE c AS 'MODULE_PATHNAME', 'sweep_html_wrapper';
COMMENT ON FUNCTION pgperf.sweep_html(bigint) IS
    'A sweep as one self-contained HTML page: tps by number of clients with 95 % intervals, the scalability law, peaks; NULL: the newest of this node; for the sweep''s role and members of pg_monitor';
GRANT EXECUTE ON FUNCTION pgperf.sweep_html(bigint) TO PUBLIC;
