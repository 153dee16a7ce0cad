WITH newest AS MATERIALIZED (
    SELECT h.sample_id, h.taken_at
      FROM pgperf.buffer_usage_history h
     WHERE h.node_id = $1::uuid AND h.taken_at > now() - interval '1 day'
     ORDER BY h.sample_id DESC
     LIMIT 1)
SELECT h.database_name AS database, h.schema_name AS schema, h.relation_name AS relation, h.relation_kind AS kind,
       (sum(h.buffers) * current_setting('block_size')::bigint)::bigint AS relation_cached_bytes
  FROM newest n JOIN pgperf.buffer_usage_history h USING (sample_id, taken_at)
 WHERE h.node_id = $1::uuid AND h.relation_name IS NOT NULL
 GROUP BY h.database_name, h.schema_name, h.relation_name, h.relation_kind
 ORDER BY sum(h.buffers) DESC
 LIMIT 20
