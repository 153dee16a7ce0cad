SELECT p.since_s AS at_s, p.at_s - p.since_s AS seconds, 100 * d.hit / NULLIF(d.hit + d.read, 0) AS value
FROM {samples}
JOIN pgperf.database_history h ON h.node_id = $1::pg_catalog.uuid AND h.sample_id = p.sample_id AND h.taken_at = p.taken_at
JOIN pgperf.database_history b ON b.node_id = $1::pg_catalog.uuid AND b.sample_id = p.before_id AND b.taken_at = p.before_at
     AND b.database_name = h.database_name AND b.stats_reset IS NOT DISTINCT FROM h.stats_reset
CROSS JOIN LATERAL (
    SELECT (h.blks_hit - b.blks_hit)::pg_catalog.float8 AS hit, (h.blks_read - b.blks_read)::pg_catalog.float8 AS read) d
WHERE p.seconds > 0 AND d.hit >= 0 AND d.read >= 0
ORDER BY p.sample_id
