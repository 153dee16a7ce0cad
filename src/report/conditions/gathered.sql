-- The conditions of the runs whose nodes are $1 and whose numbers are $2: all values that each has, without order.
WITH chosen AS MATERIALIZED (
    SELECT r.*
      FROM ROWS FROM (pg_catalog.unnest($1::pg_catalog.text[]), pg_catalog.unnest($2::pg_catalog.int8[])) k(node_id, run_id)
      JOIN pgperf.runs r ON r.node_id = k.node_id::pg_catalog.uuid AND r.run_id = k.run_id
)
SELECT 'run' AS category, v.name, pg_catalog.array_agg(DISTINCT v.value) AS values, NULL AS unit
  FROM chosen r
 CROSS JOIN LATERAL (
    SELECT pg_catalog.sum(x.start_size_bytes) AS bytes FROM pgperf.run_relations x WHERE x.node_id = r.node_id AND x.run_id = r.run_id
 ) s
 CROSS JOIN LATERAL (VALUES
    ('run', r.node_id || ' ' || r.run_id),
    ('server_version', r.server_version),
    ('workload', r.workload),
    ('clients', r.clients::pg_catalog.text),
    ('scale', r.scale::pg_catalog.text),
    ('data', r.spec ->> 'data'),
    ('data_bytes', s.bytes::pg_catalog.text),
    ('duration_s', r.spec ->> 'duration_s'),
    ('transactions_per_client', r.spec ->> 'transactions_per_client'),
    ('warmup_s', r.spec ->> 'warmup_s'),
    ('query_mode', r.query_mode),
    ('caches', COALESCE(r.spec ->> 'caches', 'as they were'))
 ) v(name, value)
 WHERE v.value IS NOT NULL
 GROUP BY v.name
UNION ALL
SELECT 'run', 'dates',
       ARRAY[pg_catalog.to_char(pg_catalog.min(r.started_at), 'YYYY-MM-DD HH24:MI'), pg_catalog.to_char(pg_catalog.max(r.ended_at), 'YYYY-MM-DD HH24:MI')],
       NULL
  FROM chosen r
UNION ALL
SELECT e.category, e.name, pg_catalog.array_agg(DISTINCT e.value), pg_catalog.min(e.unit)
  FROM chosen r
  JOIN pgperf.run_environment e USING (node_id, run_id)
 WHERE e.value IS NOT NULL
 GROUP BY e.category, e.name
UNION ALL
-- A run has only those that were not at their defaults.
SELECT 'setting', s.name,
       -- Of one that a run's role was not allowed to see nothing is known.
       CASE WHEN NOT pg_catalog.bool_or(s.setting IS NULL) THEN pg_catalog.array_agg(DISTINCT s.setting) ELSE '{}' END
           || CASE WHEN pg_catalog.count(*) < (SELECT pg_catalog.count(*) FROM chosen c
                                                  WHERE EXISTS (SELECT FROM pgperf.run_settings x WHERE x.node_id = c.node_id AND x.run_id = c.run_id))
                    AND NOT pg_catalog.bool_or(s.setting IS NULL)
                   THEN pg_catalog.min(s.default_setting) END,
       pg_catalog.min(s.unit)
  FROM chosen r
  JOIN pgperf.run_settings s USING (node_id, run_id)
 GROUP BY s.name
