-- They read with the caller's rights, so a role that may not read the history learns nothing from them. Two texts of unknown type are
-- taken for names of runs, or, if both are times, for the ends of a window.

CREATE FUNCTION pgperf.history_compare(from_time timestamptz DEFAULT NULL, to_time timestamptz DEFAULT NULL, back interval DEFAULT '1 day')
    RETURNS SETOF text LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'history_compare_wrapper';
COMMENT ON FUNCTION pgperf.history_compare(timestamptz, timestamptz, interval) IS
    'Window b of the history, from_time to to_time (NULL: the last hour), compared with the same window some time back, as text of 80 columns: what lies beyond the usual of the same hour on earlier days, settings that differ, and each figure of the report';

CREATE FUNCTION pgperf.history_compare(from_a timestamptz, to_a timestamptz, from_b timestamptz, to_b timestamptz,
    node_a text DEFAULT NULL, node_b text DEFAULT NULL)
    RETURNS SETOF text LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'history_compare_windows_wrapper';
COMMENT ON FUNCTION pgperf.history_compare(timestamptz, timestamptz, timestamptz, timestamptz, text, text) IS 'The same of any two windows, each of a node by its name or id; NULL: this one';

CREATE FUNCTION pgperf.history_compare(a text, b text)
    RETURNS SETOF text LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'history_compare_by_name_wrapper';
COMMENT ON FUNCTION pgperf.history_compare(text, text) IS
    'The same of the measured parts of two runs, each named by its label, number or ''node name/run_id''; of two times: the window between them, and the same a day earlier';

CREATE FUNCTION pgperf.history_compare_html(from_time timestamptz DEFAULT NULL, to_time timestamptz DEFAULT NULL, back interval DEFAULT '1 day')
    RETURNS text LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'history_compare_html_wrapper';
COMMENT ON FUNCTION pgperf.history_compare_html(timestamptz, timestamptz, interval) IS
    'pgperf.history_compare as one self-contained HTML page';

CREATE FUNCTION pgperf.history_compare_html(from_a timestamptz, to_a timestamptz, from_b timestamptz, to_b timestamptz,
    node_a text DEFAULT NULL, node_b text DEFAULT NULL)
    RETURNS text LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'history_compare_html_windows_wrapper';
COMMENT ON FUNCTION pgperf.history_compare_html(timestamptz, timestamptz, timestamptz, timestamptz, text, text) IS 'The same of any two windows, each of a node by its name or id; NULL: this one';

CREATE FUNCTION pgperf.history_compare_html(a text, b text)
    RETURNS text LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'history_compare_html_by_name_wrapper';
COMMENT ON FUNCTION pgperf.history_compare_html(text, text) IS
    'The same of the measured parts of two runs, each named by its label, number or ''node name/run_id''; of two times: the window between them, and the same a day earlier';

CREATE FUNCTION pgperf.history_compare_json(from_time timestamptz DEFAULT NULL, to_time timestamptz DEFAULT NULL, back interval DEFAULT '1 day')
    RETURNS jsonb LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'history_compare_json_wrapper';
COMMENT ON FUNCTION pgperf.history_compare_json(timestamptz, timestamptz, interval) IS
    'pgperf.history_compare as a document';

CREATE FUNCTION pgperf.history_compare_json(from_a timestamptz, to_a timestamptz, from_b timestamptz, to_b timestamptz,
    node_a text DEFAULT NULL, node_b text DEFAULT NULL)
    RETURNS jsonb LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'history_compare_json_windows_wrapper';
COMMENT ON FUNCTION pgperf.history_compare_json(timestamptz, timestamptz, timestamptz, timestamptz, text, text) IS 'The same of any two windows, each of a node by its name or id; NULL: this one';

CREATE FUNCTION pgperf.history_compare_json(a text, b text)
    RETURNS jsonb LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'history_compare_json_by_name_wrapper';
COMMENT ON FUNCTION pgperf.history_compare_json(text, text) IS
    'The same of the measured parts of two runs, each named by its label, number or ''node name/run_id''; of two times: the window between them, and the same a day earlier';

REVOKE EXECUTE ON FUNCTION pgperf.history_compare(timestamptz, timestamptz, interval),
    pgperf.history_compare(timestamptz, timestamptz, timestamptz, timestamptz, text, text),
    pgperf.history_compare(text, text),
    pgperf.history_compare_html(timestamptz, timestamptz, interval),
    pgperf.history_compare_html(timestamptz, timestamptz, timestamptz, timestamptz, text, text),
    pgperf.history_compare_html(text, text),
    pgperf.history_compare_json(timestamptz, timestamptz, interval),
    pgperf.history_compare_json(timestamptz, timestamptz, timestamptz, timestamptz, text, text),
    pgperf.history_compare_json(text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgperf.history_compare(timestamptz, timestamptz, interval),
    pgperf.history_compare(timestamptz, timestamptz, timestamptz, timestamptz, text, text),
    pgperf.history_compare(text, text),
    pgperf.history_compare_html(timestamptz, timestamptz, interval),
    pgperf.history_compare_html(timestamptz, timestamptz, timestamptz, timestamptz, text, text),
    pgperf.history_compare_html(text, text),
    pgperf.history_compare_json(timestamptz, timestamptz, interval),
    pgperf.history_compare_json(timestamptz, timestamptz, timestamptz, timestamptz, text, text),
    pgperf.history_compare_json(text, text) TO pg_monitor;
