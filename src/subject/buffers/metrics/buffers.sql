-- By usage count of the newest sample; by relation of the newest that tells relations apart, as not every one of the sampler does.
WITH newest AS MATERIALIZED (
    (SELECT false AS by_relation, h.sample_id, h.taken_at
       FROM pgperf.buffer_usage_history h
      WHERE h.node_id = $1::uuid AND {day h}
      ORDER BY h.sample_id DESC
      LIMIT 1)
    UNION ALL
    (SELECT true, h.sample_id, h.taken_at
       FROM pgperf.buffer_usage_history h
      WHERE h.node_id = $1::uuid AND {day h} AND h.relation_name IS NOT NULL
      ORDER BY h.sample_id DESC
      LIMIT 1)),
sums AS (
    SELECT n.by_relation, x.usage_count, x.database_name, x.schema_name, x.relation_name, x.relation_kind,
           sum(h.buffers) AS buffers, sum(h.dirty) AS dirty, sum(h.pinned) AS pinned
      FROM newest n JOIN pgperf.buffer_usage_history h USING (sample_id, taken_at)
     CROSS JOIN LATERAL (SELECT CASE WHEN NOT n.by_relation THEN h.usage_count END AS usage_count,
                                CASE WHEN n.by_relation THEN h.database_name END AS database_name,
                                CASE WHEN n.by_relation THEN h.schema_name END AS schema_name,
                                CASE WHEN n.by_relation THEN h.relation_name END AS relation_name,
                                CASE WHEN n.by_relation THEN h.relation_kind END AS relation_kind) x
     WHERE h.node_id = $1::uuid AND {day h}
     GROUP BY 1, 2, 3, 4, 5, 6),
ranked AS (
    SELECT s.*, row_number() OVER (PARTITION BY s.by_relation ORDER BY s.buffers DESC) AS place,
           count(*) OVER (PARTITION BY s.by_relation) AS of_all
      FROM sums s
     -- Of other databases the names are not known.
     WHERE NOT s.by_relation OR s.relation_name IS NOT NULL)
-- Unused buffers have no usage count.
SELECT CASE WHEN NOT r.by_relation THEN COALESCE(r.usage_count::text, 'unused') END AS usage_count,
       CASE WHEN NOT r.by_relation THEN (r.buffers * b.size)::bigint END AS shared_buffers_bytes,
       CASE WHEN NOT r.by_relation THEN (r.dirty * b.size)::bigint END AS shared_buffers_dirty_bytes,
       CASE WHEN NOT r.by_relation THEN r.pinned::bigint END AS shared_buffers_pinned,
       r.database_name AS database, r.schema_name AS schema, r.relation_name AS relation, r.relation_kind AS kind,
       CASE WHEN r.by_relation THEN (r.buffers * b.size)::bigint END AS relation_cached_bytes,
       CASE WHEN r.by_relation THEN GREATEST(r.of_all - 20, 0) END AS left_out
  FROM ranked r, (SELECT current_setting('block_size')::bigint) b(size)
 WHERE NOT r.by_relation OR r.place <= 20
 ORDER BY r.place
