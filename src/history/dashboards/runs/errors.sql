SELECT pg_catalog.concat_ws(' ', e.run_id, r.label) AS run, e.sqlstate, e.message, pg_catalog.sum(e.occurrences) AS count
FROM pgperf.run_errors e JOIN pgperf.runs r USING (node_id, run_id)
WHERE e.node_id = $1::pg_catalog.uuid AND r.started_at <= $3::pg_catalog.timestamptz
  AND COALESCE(r.ended_at, pg_catalog.clock_timestamp()) >= $2::pg_catalog.timestamptz
GROUP BY e.run_id, r.label, e.sqlstate, e.message
ORDER BY pg_catalog.sum(e.occurrences) DESC
