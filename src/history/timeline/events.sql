-- What is noted of the window, and the checkpoints that began in it, as long as they are few enough to be told apart.
SELECT 'note' AS kind, EXTRACT(epoch FROM n.at - $2::pg_catalog.timestamptz)::pg_catalog.float8 AS at_s,
       pg_catalog.concat(n.note, ' (role ', n.role_name, ')') AS text
FROM pgperf.notes n
WHERE n.node_id = $1::pg_catalog.uuid AND n.at > $2::pg_catalog.timestamptz AND n.at <= $3::pg_catalog.timestamptz
UNION ALL
SELECT 'checkpoint', EXTRACT(epoch FROM c.began_at - $2::pg_catalog.timestamptz)::pg_catalog.float8, 'a checkpoint began'
FROM (SELECT h.checkpoint_began_at AS began_at, pg_catalog.count(*) OVER () AS all_of_them FROM pgperf.wal_history h
      WHERE h.node_id = $1::pg_catalog.uuid AND h.taken_at > $2::pg_catalog.timestamptz AND h.taken_at <= $3::pg_catalog.timestamptz
        AND h.checkpoint_began_at > $2::pg_catalog.timestamptz
        AND $3::pg_catalog.timestamptz - $2::pg_catalog.timestamptz <= '1 day'::pg_catalog.interval
      GROUP BY 1) c
WHERE c.all_of_them <= 150
ORDER BY 2
