SELECT extract(epoch FROM clock_timestamp() - s.taken_at)::float8 AS newest_sample_age_seconds
  FROM pgperf.samples s
 WHERE s.node_id = $1::uuid AND {part s}
 ORDER BY s.sample_id DESC
 LIMIT 1
