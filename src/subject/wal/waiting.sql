SELECT p.at_s, 0 AS seconds, h.ready_files AS waiting
FROM {samples}
JOIN pgperf.archiver_history h ON h.node_id = $1::pg_catalog.uuid AND h.sample_id = p.sample_id AND h.taken_at = p.taken_at
WHERE p.at_s > 0 AND h.archive_mode <> 'off'
ORDER BY p.sample_id
