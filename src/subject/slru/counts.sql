SELECT h.name, pg_catalog.sum(h.blks_hit - b.blks_hit) AS hits, pg_catalog.sum(h.blks_read - b.blks_read) AS reads,
       100 * pg_catalog.sum(h.blks_hit - b.blks_hit) / NULLIF(pg_catalog.sum(h.blks_hit - b.blks_hit + h.blks_read - b.blks_read), 0) AS hit_percent,
       pg_catalog.sum(h.blks_written - b.blks_written) AS written, pg_catalog.sum(h.blks_zeroed - b.blks_zeroed) AS zeroed,
       pg_catalog.sum(h.blks_exists - b.blks_exists) AS looked_up, pg_catalog.sum(h.truncates - b.truncates) AS truncates
FROM {samples}
JOIN pgperf.slru_history h ON h.node_id = $1::pg_catalog.uuid AND h.sample_id = p.sample_id AND h.taken_at = p.taken_at
JOIN pgperf.slru_history b ON b.node_id = $1::pg_catalog.uuid AND b.sample_id = p.before_id AND b.taken_at = p.before_at AND b.name = h.name
WHERE h.stats_reset IS NOT DISTINCT FROM b.stats_reset
GROUP BY h.name
HAVING pg_catalog.sum(h.blks_hit - b.blks_hit + h.blks_read - b.blks_read + h.blks_written - b.blks_written + h.blks_zeroed - b.blks_zeroed) > 0
ORDER BY pg_catalog.sum(h.blks_read - b.blks_read) DESC, pg_catalog.sum(h.blks_hit - b.blks_hit) DESC, h.name
