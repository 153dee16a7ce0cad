WITH ends AS (
    SELECT p.sample_id, p.taken_at, p.at_s FROM {samples} WHERE p.at_s > 0 ORDER BY p.sample_id DESC LIMIT 1),
held AS (
    SELECT h.usage_count, h.buffers * pg_catalog.current_setting('block_size')::pg_catalog.int8 AS bytes
    FROM ends e
    JOIN pgperf.buffer_usage_history h ON h.node_id = $1::pg_catalog.uuid AND h.sample_id = e.sample_id AND h.taken_at = e.taken_at)
SELECT 'at the end' AS whole, pg_catalog.sum(h.bytes) AS all_bytes,
       COALESCE(pg_catalog.sum(h.bytes) FILTER (WHERE h.usage_count IS NOT NULL), 0) AS used_bytes,
       COALESCE(pg_catalog.sum(h.bytes) FILTER (WHERE h.usage_count >= 3), 0) AS hot_bytes,
       100 * COALESCE(pg_catalog.sum(h.bytes) FILTER (WHERE h.usage_count >= 3), 0) / pg_catalog.sum(h.bytes) AS hot_percent,
       100 * COALESCE(pg_catalog.sum(h.bytes) FILTER (WHERE h.usage_count < 2), 0) / pg_catalog.sum(h.bytes) AS cold_percent
FROM held h
HAVING pg_catalog.count(*) > 0
