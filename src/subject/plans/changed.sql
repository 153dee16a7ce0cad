-- A day before the window at the latest a statement among those with most time had its plan read.
WITH read AS (
    SELECT x.queryid, x.dbid, x.database_name, x.role_name, x.taken_at, x.plan_hash, x.mean_exec_time, x.blocks_per_call, x.total_cost,
           pg_catalog.lag(x.taken_at) OVER w AS before_at, pg_catalog.lag(x.plan_hash) OVER w AS hash_before,
           pg_catalog.lag(x.mean_exec_time) OVER w AS mean_before, pg_catalog.lag(x.blocks_per_call) OVER w AS blocks_before,
           pg_catalog.lag(x.total_cost) OVER w AS cost_before
    FROM pgperf.plan_history x
    WHERE x.node_id = $1::pg_catalog.uuid AND x.plan_hash IS NOT NULL AND x.taken_at <= $3::pg_catalog.timestamptz
      AND x.taken_at > $2::pg_catalog.timestamptz - '2 days'::pg_catalog.interval
    WINDOW w AS (PARTITION BY x.queryid, x.userid, x.dbid ORDER BY x.sample_id))
SELECT COALESCE(pg_catalog.left(t.query, 500), '(no text)') AS query, r.database_name, r.role_name, r.before_at, r.taken_at AS seen_at,
       r.mean_before, r.mean_exec_time AS mean_ms, r.blocks_before, r.blocks_per_call AS blocks, r.cost_before, r.total_cost AS cost,
       o.plan AS plan_before, n.plan, r.queryid::pg_catalog.text AS queryid
FROM read r
LEFT JOIN LATERAL (SELECT x.query FROM pgperf.statement_texts x
    WHERE x.node_id = $1::pg_catalog.uuid AND x.queryid = r.queryid AND x.dbid = r.dbid LIMIT 1) t ON true
LEFT JOIN LATERAL (SELECT x.plan FROM pgperf.plan_texts x WHERE x.node_id = $1::pg_catalog.uuid AND x.plan_hash = r.hash_before LIMIT 1) o ON true
LEFT JOIN LATERAL (SELECT x.plan FROM pgperf.plan_texts x WHERE x.node_id = $1::pg_catalog.uuid AND x.plan_hash = r.plan_hash LIMIT 1) n ON true
WHERE r.taken_at > $2::pg_catalog.timestamptz AND r.plan_hash <> r.hash_before
ORDER BY r.taken_at DESC, r.queryid, r.role_name
