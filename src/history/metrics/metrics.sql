CREATE FUNCTION pgperf.metrics(node_id uuid DEFAULT NULL) RETURNS text
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'metrics_wrapper';
COMMENT ON FUNCTION pgperf.metrics(uuid) IS
    'The newest samples of the history and the live runs in the OpenMetrics text format, which Prometheus reads; nothing is measured for it. NULL: this node. docs/openmetrics.md lists the metrics';
REVOKE EXECUTE ON FUNCTION pgperf.metrics(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgperf.metrics(uuid) TO pg_monitor;
