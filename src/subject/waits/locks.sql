SELECT h.lock_type, pg_catalog.sum(h.waits - b.waits) AS waits, pg_catalog.sum(h.wait_time - b.wait_time) / 1000 AS wait_s,
       pg_catalog.sum(h.wait_time - b.wait_time) / 1000 / NULLIF(pg_catalog.sum(h.waits - b.waits), 0) AS mean_s,
       pg_catalog.sum(h.fastpath_exceeded - b.fastpath_exceeded) AS past_fast_path
FROM {samples}
JOIN pgperf.lock_history h ON h.node_id = $1::pg_catalog.uuid AND h.sample_id = p.sample_id AND h.taken_at = p.taken_at
JOIN pgperf.lock_history b ON b.node_id = $1::pg_catalog.uuid AND b.sample_id = p.before_id AND b.taken_at = p.before_at AND b.lock_type = h.lock_type
WHERE h.stats_reset IS NOT DISTINCT FROM b.stats_reset
GROUP BY h.lock_type
HAVING pg_catalog.sum(h.waits - b.waits + h.fastpath_exceeded - b.fastpath_exceeded) > 0
ORDER BY pg_catalog.sum(h.wait_time - b.wait_time) DESC, h.lock_type
