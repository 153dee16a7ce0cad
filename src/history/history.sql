-- They read with the caller's rights, so a role that may not read the history learns nothing from them. Compiling their statements
-- would take longer than running them (jit); the history of a month is sorted and hashed in memory.
CREATE FUNCTION pgperf.history_report(from_time timestamptz DEFAULT NULL, to_time timestamptz DEFAULT NULL, node text DEFAULT NULL) RETURNS SETOF text
    LANGUAGE c VOLATILE PARALLEL UNSAFE SET jit = off SET work_mem = '32MB'
    AS 'MODULE_PATHNAME', 'history_report_between_wrapper';
COMMENT ON FUNCTION pgperf.history_report(timestamptz, timestamptz, text) IS
    'What the server did after from_time, up to to_time, as text of 80 columns: NULL: the last hour, or the hour before to_time; of a node by its name or id, NULL: this one';

CREATE FUNCTION pgperf.history_report(run text) RETURNS SETOF text
    LANGUAGE c VOLATILE PARALLEL UNSAFE SET jit = off SET work_mem = '32MB'
    AS 'MODULE_PATHNAME', 'history_report_by_name_wrapper';
COMMENT ON FUNCTION pgperf.history_report(text) IS
    'The same over the measured part of a run, named by its label, number or ''node name/run_id''';

CREATE FUNCTION pgperf.history_html(from_time timestamptz DEFAULT NULL, to_time timestamptz DEFAULT NULL, node text DEFAULT NULL) RETURNS text
    LANGUAGE c VOLATILE PARALLEL UNSAFE SET jit = off SET work_mem = '32MB'
    AS 'MODULE_PATHNAME', 'history_html_between_wrapper';
COMMENT ON FUNCTION pgperf.history_html(timestamptz, timestamptz, text) IS
    'pgperf.history_report as one self-contained HTML page with charts';

CREATE FUNCTION pgperf.history_html(run text) RETURNS text
    LANGUAGE c VOLATILE PARALLEL UNSAFE SET jit = off SET work_mem = '32MB'
    AS 'MODULE_PATHNAME', 'history_html_by_name_wrapper';
COMMENT ON FUNCTION pgperf.history_html(text) IS 'The same page over the measured part of a run';

CREATE FUNCTION pgperf.history_json(from_time timestamptz DEFAULT NULL, to_time timestamptz DEFAULT NULL, node text DEFAULT NULL) RETURNS jsonb
    LANGUAGE c VOLATILE PARALLEL UNSAFE SET jit = off SET work_mem = '32MB'
    AS 'MODULE_PATHNAME', 'history_json_between_wrapper';
COMMENT ON FUNCTION pgperf.history_json(timestamptz, timestamptz, text) IS
    'The contents of that page as a document described by docs/history.schema.json';

CREATE FUNCTION pgperf.history_json(run text) RETURNS jsonb
    LANGUAGE c VOLATILE PARALLEL UNSAFE SET jit = off SET work_mem = '32MB'
    AS 'MODULE_PATHNAME', 'history_json_by_name_wrapper';
COMMENT ON FUNCTION pgperf.history_json(text) IS 'The same document over the measured part of a run';

REVOKE EXECUTE ON FUNCTION pgperf.history_report(timestamptz, timestamptz, text), pgperf.history_report(text),
    pgperf.history_html(timestamptz, timestamptz, text), pgperf.history_html(text),
    pgperf.history_json(timestamptz, timestamptz, text), pgperf.history_json(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgperf.history_report(timestamptz, timestamptz, text), pgperf.history_report(text),
    pgperf.history_html(timestamptz, timestamptz, text), pgperf.history_html(text),
    pgperf.history_json(timestamptz, timestamptz, text), pgperf.history_json(text) TO pg_monitor;

CREATE FUNCTION pgperf_internal.index_column(index_oid oid, number integer) RETURNS text
    LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'index_column_wrapper';
COMMENT ON FUNCTION pgperf_internal.index_column(oid, integer) IS
    'pg_get_indexdef of a column, without waiting for a lock on the table; NULL: another session has locked it, or there is no such column';

CREATE FUNCTION pgperf_internal.outcome_counts_add(state internal, outcomes jsonb, sample_id bigint, taken_at timestamptz) RETURNS internal
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'outcome_counts_add_wrapper';
COMMENT ON FUNCTION pgperf_internal.outcome_counts_add(internal, jsonb, bigint, timestamptz) IS 'Part of pgperf_internal.outcome_counts: adds a sample';

CREATE FUNCTION pgperf_internal.outcome_counts_rows(state internal) RETURNS jsonb
    LANGUAGE c STABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'outcome_counts_rows_wrapper';
COMMENT ON FUNCTION pgperf_internal.outcome_counts_rows(internal) IS 'Part of pgperf_internal.outcome_counts: its result';

CREATE AGGREGATE pgperf_internal.outcome_counts(outcomes jsonb, sample_id bigint, taken_at timestamptz) (
    SFUNC = pgperf_internal.outcome_counts_add,
    STYPE = internal,
    SSPACE = 4000,
    FINALFUNC = pgperf_internal.outcome_counts_rows,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE pgperf_internal.outcome_counts(jsonb, bigint, timestamptz) IS
    'The outcomes of samples, counted: an array with an object for each collector, status and reason, with its samples, the first and the last of them, its rows and its time';
