-- Sweeps by what varies besides the clients: figures at its values, and what shared_buffers held there.
CREATE VIEW pgperf.sweep_buffers AS
SELECT l.node_id,
       l.sweep_id,
       l.point_no,
       l.run_id,
       e.sample_id,
       e.taken_at,
       h.database_name,
       h.schema_name,
       h.relation_name,
       h.usage_count,
       pg_catalog.sum(h.buffers)::bigint AS buffers,
       (pg_catalog.sum(h.buffers) * pg_catalog.current_setting('block_size')::bigint)::bigint AS bytes,
       (100 * pg_catalog.sum(h.buffers) / pg_catalog.sum(pg_catalog.sum(h.buffers)) OVER (PARTITION BY l.node_id, l.sweep_id, l.point_no))::float8 AS percent
FROM (
    SELECT DISTINCT ON (r.node_id, r.sweep_id, r.point_no) r.node_id, r.sweep_id, r.point_no, r.run_id
    FROM pgperf.sweep_runs r
    WHERE r.status = 'finished'
    ORDER BY r.node_id, r.sweep_id, r.point_no, r.ended_at DESC, r.run_id DESC
) l
CROSS JOIN LATERAL (
    SELECT s.sample_id, s.taken_at
    FROM pgperf.samples s
    WHERE s.node_id = l.node_id AND s.run_id = l.run_id AND s.complete
      AND EXISTS (SELECT FROM pgperf.buffer_usage_history b WHERE b.node_id = s.node_id AND b.sample_id = s.sample_id AND b.taken_at = s.taken_at)
    ORDER BY s.sample_id DESC
    LIMIT 1
) e
JOIN pgperf.buffer_usage_history h ON h.node_id = l.node_id AND h.sample_id = e.sample_id AND h.taken_at = e.taken_at
GROUP BY l.node_id, l.sweep_id, l.point_no, l.run_id, e.sample_id, e.taken_at, h.database_name, h.schema_name, h.relation_name, h.usage_count;
COMMENT ON VIEW pgperf.sweep_buffers IS
    'Contents of shared_buffers at each point of a sweep, at the end of its last finished run, by relation and usage count; a point whose runs have no sample of the collector buffers has no rows';
COMMENT ON COLUMN pgperf.sweep_buffers.sweep_id IS 'Number of the sweep';
COMMENT ON COLUMN pgperf.sweep_buffers.point_no IS 'Number of the point (pgperf.sweep_points)';
COMMENT ON COLUMN pgperf.sweep_buffers.run_id IS 'Its last finished run';
COMMENT ON COLUMN pgperf.sweep_buffers.sample_id IS 'The last sample of that run (pgperf.buffer_usage_history)';
COMMENT ON COLUMN pgperf.sweep_buffers.taken_at IS 'When the sample began';
COMMENT ON COLUMN pgperf.sweep_buffers.database_name IS 'Database of the relation; NULL: unused buffers, or a catalog that all databases share';
COMMENT ON COLUMN pgperf.sweep_buffers.schema_name IS 'Schema of the relation; NULL: as for relation_name';
COMMENT ON COLUMN pgperf.sweep_buffers.relation_name IS 'Name of the relation; NULL: unused buffers, or one that is not told apart';
COMMENT ON COLUMN pgperf.sweep_buffers.usage_count IS '0 to 5; NULL: buffers that hold no page';
COMMENT ON COLUMN pgperf.sweep_buffers.buffers IS 'Number of buffers';
COMMENT ON COLUMN pgperf.sweep_buffers.bytes IS 'Their size in bytes';
COMMENT ON COLUMN pgperf.sweep_buffers.percent IS 'Their share of shared_buffers in percent';

CREATE FUNCTION pgperf.sweep_values(
    sweep_id bigint DEFAULT NULL,
    margin_percent float8 DEFAULT 5,
    OUT point_no integer, OUT workload text, OUT clients integer, OUT value text, OUT is_baseline boolean,
    OUT metric text, OUT unit text, OUT is_headline boolean,
    OUT n integer, OUT mean float8, OUT ci_low float8, OUT ci_high float8,
    OUT change_percent float8, OUT ci_low_percent float8, OUT ci_high_percent float8, OUT p_value float8, OUT p_adjusted float8,
    OUT verdict text
) RETURNS SETOF record
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'sweep_values_wrapper';
COMMENT ON FUNCTION pgperf.sweep_values(bigint, float8) IS
    'A sweep (NULL: the newest of this node) by the values that vary besides the clients: for each metric (the workload''s headline first, tps, p95, hit ratio) and value the mean over runs with its 95 % interval, the change from the baseline (the value that the setting had before the sweep, or the first) with its interval and p, and whether the value is best, as good within margin_percent, undecided or worse; for the sweep''s role and members of pg_monitor';

CREATE FUNCTION pgperf.sweep_statements(
    sweep_id bigint DEFAULT NULL,
    OUT point_no integer, OUT workload text, OUT clients integer, OUT value text, OUT is_baseline boolean,
    OUT script_no integer, OUT script text, OUT command_no integer, OUT statement text,
    OUT n integer, OUT mean_ms float8, OUT ci_low_ms float8, OUT ci_high_ms float8,
    OUT change_percent float8, OUT ci_low_percent float8, OUT ci_high_percent float8, OUT p_value float8, OUT p_adjusted float8,
    OUT beyond_ms float8, OUT share_percent float8, OUT share_low_percent float8, OUT share_high_percent float8
) RETURNS SETOF record
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'sweep_statements_wrapper';
COMMENT ON FUNCTION pgperf.sweep_statements(bigint) IS
    'The mean times of statements in a sweep (NULL: the newest of this node) by the values that vary besides the clients, and of each script''s transaction (command_no NULL): over runs with 95 % interval, the change from the baseline with its interval and p, how many ms that is, and its share of the mean with the ends of its interval: with transports => ''{inside,wire}'' the share of client, protocol and network; for the sweep''s role and members of pg_monitor';
GRANT SELECT ON pgperf.sweep_buffers TO pg_monitor;
