SELECT COALESCE(pg_catalog.left(t.query, 500), '(no text)') AS query, l.database_name, l.role_name, l.mean_exec_time AS mean_ms, l.blocks_per_call AS blocks,
       p.plan, l.reason, l.queryid::pg_catalog.text AS queryid
FROM (SELECT DISTINCT ON (x.queryid, x.userid, x.dbid) x.*
      FROM pgperf.plan_history x
      WHERE x.node_id = $1::pg_catalog.uuid AND x.taken_at <= $3::pg_catalog.timestamptz
        AND x.taken_at > $2::pg_catalog.timestamptz - '1 day'::pg_catalog.interval
      ORDER BY x.queryid, x.userid, x.dbid, x.sample_id DESC) l
LEFT JOIN LATERAL (SELECT x.query FROM pgperf.statement_texts x
    WHERE x.node_id = $1::pg_catalog.uuid AND x.queryid = l.queryid AND x.dbid = l.dbid LIMIT 1) t ON true
LEFT JOIN LATERAL (SELECT x.plan FROM pgperf.plan_texts x WHERE x.node_id = $1::pg_catalog.uuid AND x.plan_hash = l.plan_hash LIMIT 1) p ON true
ORDER BY l.mean_exec_time * l.calls DESC NULLS LAST, l.queryid, l.role_name
