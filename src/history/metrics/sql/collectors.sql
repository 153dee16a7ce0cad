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
              WHERE s.node_id = $1::uuid AND s.taken_at >= $4 AND s.taken_at < $3 AND s.cadence IS NOT NULL AND s.run_id IS NULL
              ORDER BY s.sample_id DESC
              LIMIT 1) sampler ON true
  LEFT JOIN LATERAL (
       SELECT s.outcomes -> c.name AS outcome, s.taken_at
         FROM pgperf.samples s
        WHERE s.node_id = $1::uuid AND s.taken_at >= $4 AND s.taken_at < $3 AND s.outcomes ? c.name
        ORDER BY s.sample_id DESC
        LIMIT 1) last ON true
  LEFT JOIN LATERAL (
       SELECT s.taken_at
         FROM pgperf.samples s
        WHERE s.node_id = $1::uuid AND s.taken_at >= $4 AND s.taken_at < $3 AND s.outcomes -> c.name ->> 'status' = 'ok'
        ORDER BY s.sample_id DESC
        LIMIT 1) good ON last.outcome ->> 'status' <> 'ok'
 WHERE c.enabled
