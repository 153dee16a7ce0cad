SELECT p.since_s AS at_s, p.at_s - p.since_s AS seconds,
       (h.insert_lsn - b.insert_lsn)::pg_catalog.float8 / p.seconds AS bytes_per_s
FROM {samples}
JOIN pgperf.wal_history h ON h.node_id = $1::pg_catalog.uuid AND h.sample_id = p.sample_id AND h.taken_at = p.taken_at
JOIN pgperf.wal_history b ON b.node_id = $1::pg_catalog.uuid AND b.sample_id = p.before_id AND b.taken_at = p.before_at
WHERE p.seconds > 0 AND h.insert_lsn >= b.insert_lsn
ORDER BY p.sample_id
