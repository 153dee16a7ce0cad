SELECT p.at_s, 0 AS seconds, h.memory_available_bytes AS available, h.memory_cached_bytes AS cached, h.memory_dirty_bytes AS dirty,
       h.swap_total_bytes - h.swap_free_bytes AS swapped, h.server_private_bytes AS server
FROM {samples}
JOIN pgperf.host_history h ON h.node_id = $1::pg_catalog.uuid AND h.sample_id = p.sample_id AND h.taken_at = p.taken_at
WHERE p.at_s > 0
ORDER BY p.sample_id
