SELECT h.holder_kind || CASE WHEN h.pid IS NOT NULL THEN ' ' || h.pid ELSE '' END AS holder,
       pg_catalog.concat_ws(', ', NULLIF(h.name, ''), 'role ' || h.role_name, 'database ' || h.database_name, h.state) AS detail,
       h.age, h.held_s, h.since, h.taken_at AS seen_at
FROM (SELECT x.*, EXTRACT(epoch FROM x.taken_at - x.since) AS held_s,
             pg_catalog.row_number() OVER (PARTITION BY x.holder_kind, x.pid, x.name, x.since ORDER BY x.sample_id DESC) AS place
      FROM pgperf.horizon_history x
      WHERE x.node_id = $1::pg_catalog.uuid AND x.taken_at > $2::pg_catalog.timestamptz AND x.taken_at <= $3::pg_catalog.timestamptz) h
-- A transaction of seconds holds nothing back that vacuum would not get soon.
WHERE h.place = 1 AND h.age > 0 AND (h.since IS NULL OR h.held_s >= 60)
ORDER BY h.age DESC, h.taken_at DESC
