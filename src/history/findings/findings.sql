-- The order of the names is that of the severities, so that WHERE severity >= 'warning' means what it says: as text,
-- 'critical' would come first. Nothing is stored with this type: its values can be added to without touching a table.
CREATE TYPE pgperf.severity AS ENUM ('note', 'warning', 'critical');
COMMENT ON TYPE pgperf.severity IS 'Severity of a finding, in ascending order';

CREATE FUNCTION pgperf_internal.judge_window(from_time timestamptz, to_time timestamptz, node text) RETURNS jsonb
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'findings_between_wrapper';
COMMENT ON FUNCTION pgperf_internal.judge_window(timestamptz, timestamptz, text) IS 'The rows of pgperf.findings as one array';
CREATE FUNCTION pgperf_internal.judge_window(run text) RETURNS jsonb
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'findings_by_name_wrapper';
COMMENT ON FUNCTION pgperf_internal.judge_window(text) IS 'The rows of pgperf.findings as one array';

CREATE FUNCTION pgperf.findings(
    from_time timestamptz DEFAULT NULL, to_time timestamptz DEFAULT NULL, node text DEFAULT NULL,
    OUT rule text, OUT severity pgperf.severity, OUT weight float8, OUT title text, OUT object_kind text, OUT schema_name text, OUT object_name text,
    OUT "at" timestamptz, OUT since timestamptz, OUT until timestamptz, OUT evidence text, OUT advice text, OUT fix_sql text, OUT figures jsonb, OUT part_of text,
    OUT time_percent float8, OUT node_name text)
RETURNS SETOF record LANGUAGE sql VOLATILE PARALLEL UNSAFE ROWS 10
BEGIN ATOMIC
    SELECT f.rule, f.severity, f.weight, f.title, f.object_kind, f.schema_name, f.object_name, f."at", f.since, f.until, f.evidence,
           f.advice, f.fix_sql, f.figures, f.part_of, f.time_percent, f.node_name
    FROM pg_catalog.jsonb_to_recordset(pgperf_internal.judge_window(findings.from_time, findings.to_time, findings.node)) AS f(
        rule text, severity pgperf.severity, weight float8, title text, object_kind text, schema_name text, object_name text,
        "at" timestamptz, since timestamptz, until timestamptz, evidence text, advice text, fix_sql text, figures jsonb, part_of text,
        time_percent float8, node_name text)
    ORDER BY f.severity DESC, f.time_percent DESC NULLS LAST, f.weight DESC, f.rule, f.schema_name, f.object_name, f.node_name;
END;
COMMENT ON FUNCTION pgperf.findings(timestamptz, timestamptz, text) IS
    'What stands out in the history after from_time, up to to_time, the most urgent first: rule and severity, object, times, evidence, what to do, share of database time. NULL: the last hour, or the hour before to_time; of a node by its name or id, NULL: this one, ''*'': of all nodes that have samples then. For alerts: WHERE severity >= ''warning''';

CREATE FUNCTION pgperf.findings(
    run text,
    OUT rule text, OUT severity pgperf.severity, OUT weight float8, OUT title text, OUT object_kind text, OUT schema_name text, OUT object_name text,
    OUT "at" timestamptz, OUT since timestamptz, OUT until timestamptz, OUT evidence text, OUT advice text, OUT fix_sql text, OUT figures jsonb, OUT part_of text,
    OUT time_percent float8, OUT node_name text)
RETURNS SETOF record LANGUAGE sql VOLATILE PARALLEL UNSAFE ROWS 10
BEGIN ATOMIC
    SELECT f.rule, f.severity, f.weight, f.title, f.object_kind, f.schema_name, f.object_name, f."at", f.since, f.until, f.evidence,
           f.advice, f.fix_sql, f.figures, f.part_of, f.time_percent, f.node_name
    FROM pg_catalog.jsonb_to_recordset(pgperf_internal.judge_window(findings.run)) AS f(
        rule text, severity pgperf.severity, weight float8, title text, object_kind text, schema_name text, object_name text,
        "at" timestamptz, since timestamptz, until timestamptz, evidence text, advice text, fix_sql text, figures jsonb, part_of text,
        time_percent float8, node_name text)
    ORDER BY f.severity DESC, f.time_percent DESC NULLS LAST, f.weight DESC, f.rule, f.schema_name, f.object_name, f.node_name;
END;
COMMENT ON FUNCTION pgperf.findings(text) IS
    'The same over the measured part of a run, named by its label, number or ''node name/run_id''';

REVOKE EXECUTE ON FUNCTION pgperf_internal.judge_window(timestamptz, timestamptz, text), pgperf_internal.judge_window(text),
    pgperf.findings(timestamptz, timestamptz, text), pgperf.findings(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgperf_internal.judge_window(timestamptz, timestamptz, text), pgperf_internal.judge_window(text),
    pgperf.findings(timestamptz, timestamptz, text), pgperf.findings(text) TO pg_monitor;
