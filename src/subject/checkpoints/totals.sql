SELECT 'the server' AS whole, pg_catalog.sum(h.num_timed - b.num_timed) AS timed, pg_catalog.sum(h.num_requested - b.num_requested) AS requested,
       pg_catalog.sum(h.num_done - b.num_done) AS done,
       pg_catalog.sum(h.restartpoints_done - b.restartpoints_done) AS restartpoints,
       pg_catalog.sum(p.seconds) / NULLIF(pg_catalog.sum(h.num_timed - b.num_timed + h.num_requested - b.num_requested), 0) AS apart_s,
       pg_catalog.sum(h.buffers_written - b.buffers_written) * z.block AS written_bytes,
       pg_catalog.sum(h.write_time - b.write_time) / 1000 AS write_s, pg_catalog.sum(h.sync_time - b.sync_time) AS sync_ms,
       pg_catalog.sum(h.buffers_clean - b.buffers_clean) * z.block AS cleaned_bytes,
       pg_catalog.sum(h.maxwritten_clean - b.maxwritten_clean) AS cleaner_stopped,
       pg_catalog.sum(h.buffers_backend - b.buffers_backend) * z.block AS backends_bytes,
       pg_catalog.sum(h.buffers_backend_fsync - b.buffers_backend_fsync) AS backend_syncs,
       pg_catalog.sum(h.slru_written - b.slru_written) * z.block AS slru_bytes
FROM {samples}
JOIN pgperf.checkpoint_history h ON h.node_id = $1::pg_catalog.uuid AND h.sample_id = p.sample_id AND h.taken_at = p.taken_at
JOIN pgperf.checkpoint_history b ON b.node_id = $1::pg_catalog.uuid AND b.sample_id = p.before_id AND b.taken_at = p.before_at
CROSS JOIN (SELECT pg_catalog.current_setting('block_size')::pg_catalog.int8 AS block) z
WHERE p.seconds > 0 AND h.stats_reset IS NOT DISTINCT FROM b.stats_reset
GROUP BY z.block
HAVING pg_catalog.count(*) > 0
