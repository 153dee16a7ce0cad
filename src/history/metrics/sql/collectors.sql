-- From sample to sample back in time, to the newest of those that are still missing.
WITH RECURSIVE walk AS (
    SELECT NULL::bigint AS sample_id, NULL::timestamptz AS taken_at, NULL::jsonb AS outcomes,
           ARRAY(SELECT c.name FROM pgperf.collectors c WHERE c.enabled AND c.name = ANY ($5)) AS missing
    UNION ALL
    SELECT o.sample_id, o.taken_at, o.outcomes, ARRAY(SELECT m.name FROM unnest(w.missing) m(name) WHERE NOT o.outcomes ? m.name)
      FROM walk w
     CROSS JOIN LATERAL (
           SELECT s.sample_id, s.taken_at, s.outcomes
             FROM pgperf.samples s
            WHERE s.node_id = $1::uuid AND {day s} AND s.outcomes ?| w.missing
              AND s.sample_id < COALESCE(w.sample_id, 9223372036854775807)
            ORDER BY s.sample_id DESC
            LIMIT 1) o
     WHERE cardinality(w.missing) > 0)
SELECT c.name AS collector,
       CASE WHEN c.in_visits <> 'never' OR sampler.home IS NULL THEN extract(epoch FROM c.sample_interval)::float8 END AS collector_interval_seconds,
       extract(epoch FROM clock_timestamp() - CASE last.outcome ->> 'status' WHEN 'ok' THEN last.taken_at ELSE good.taken_at END)::float8
           AS collector_sample_age_seconds,
       (last.outcome ->> 'elapsed_ms')::float8 / 1000 AS collector_elapsed_seconds,
       (last.outcome ->> 'rows')::bigint AS collector_rows,
       last.outcome ->> 'status' AS status, CASE WHEN last.outcome ->> 'status' IS NOT NULL THEN 1 END AS collector_status
  FROM pgperf.collectors c
  -- Where the sampler only visits this database, it takes some elsewhere.
  LEFT JOIN (SELECT s.home
               FROM pgperf.samples s
              WHERE s.node_id = $1::uuid AND {day s} AND s.cadence IS NOT NULL AND s.run_id IS NULL
              ORDER BY s.sample_id DESC
              LIMIT 1) sampler ON true
  LEFT JOIN LATERAL (
       SELECT w.outcomes -> c.name AS outcome, w.taken_at
         FROM walk w
        WHERE w.outcomes ? c.name
        ORDER BY w.sample_id DESC
        LIMIT 1) last ON true
  LEFT JOIN LATERAL (
       SELECT s.taken_at
         FROM pgperf.samples s
        WHERE last.outcome ->> 'status' <> 'ok' AND s.node_id = $1::uuid AND {day s}
          AND s.outcomes -> c.name ->> 'status' = 'ok'
        ORDER BY s.sample_id DESC
        LIMIT 1) good ON true
 WHERE c.enabled
