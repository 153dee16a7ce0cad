SELECT p.since_s AS at_s, p.at_s - p.since_s AS seconds,
       pg_catalog.max(d.commits) FILTER (WHERE h.database_name IS NOT NULL) AS commits,
       pg_catalog.max(d.rollbacks) FILTER (WHERE h.database_name IS NOT NULL) AS rollbacks,
       pg_catalog.max(d.commits) FILTER (WHERE h.database_name IS NULL) AS all_commits
FROM {samples}
JOIN pgperf.database_history h ON h.node_id = $1::pg_catalog.uuid AND h.sample_id = p.sample_id AND h.taken_at = p.taken_at
JOIN pgperf.database_history b ON b.node_id = $1::pg_catalog.uuid AND b.sample_id = p.before_id AND b.taken_at = p.before_at
     AND b.database_name IS NOT DISTINCT FROM h.database_name
     AND b.databases_mark IS NOT DISTINCT FROM h.databases_mark AND b.stats_reset IS NOT DISTINCT FROM h.stats_reset
CROSS JOIN LATERAL (
    SELECT (h.xact_commit - b.xact_commit) / p.seconds AS commits, (h.xact_rollback - b.xact_rollback) / p.seconds AS rollbacks) d
WHERE p.seconds > 0 AND d.commits >= 0
GROUP BY p.sample_id, p.since_s, p.at_s
ORDER BY p.sample_id
