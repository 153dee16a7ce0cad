WITH newest AS MATERIALIZED (
    SELECT h.sample_id, h.taken_at
      FROM pgperf.buffer_usage_history h
     WHERE h.node_id = $1::uuid AND h.taken_at > now() - interval '1 day'
     ORDER BY h.sample_id DESC
     LIMIT 1)
-- Unused buffers have no usage count.
SELECT COALESCE(h.usage_count::text, 'unused') AS usage_count,
       (sum(h.buffers) * current_setting('block_size')::bigint)::bigint AS shared_buffers_bytes,
       (sum(h.dirty) * current_setting('block_size')::bigint)::bigint AS shared_buffers_dirty_bytes,
       sum(h.pinned)::bigint AS shared_buffers_pinned
  FROM newest n JOIN pgperf.buffer_usage_history h USING (sample_id, taken_at)
 WHERE h.node_id = $1::uuid
 GROUP BY h.usage_count
