CREATE FUNCTION pgperf.metrics(node_id uuid DEFAULT NULL, format text DEFAULT 'openmetrics', findings boolean DEFAULT false,
    all_nodes boolean DEFAULT false) RETURNS text
    LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'metrics_in_format_wrapper';
COMMENT ON FUNCTION pgperf.metrics(uuid, text, boolean, boolean) IS
    'The newest samples of the history and the live runs as a text that Prometheus reads; nothing is measured for it. NULL: this node. format: openmetrics, or prometheus, the older text format. findings: with the number of findings of the last hour, which takes longer. all_nodes: of all nodes with samples of the last day, told apart by the label node. docs/openmetrics.md lists the metrics';
REVOKE EXECUTE ON FUNCTION pgperf.metrics(uuid, text, boolean, boolean) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgperf.metrics(uuid, text, boolean, boolean) TO pg_monitor;
