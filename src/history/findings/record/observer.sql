-- At least 2 % of one CPU, twice the sampler's budget, and 10 s.
SELECT NULL, LEAST(99, 100 * x.cpu_s / x.seconds), 'history', NULL, 'samples', x.until, x.since, x.until,
       format('pgperf''s samples took %s s of CPU time, %s %% of one CPU, and wrote %s of WAL', round(x.cpu_s, 1), round(100 * x.cpu_s / x.seconds, 1), pg_size_pretty(x.wal_bytes)),
       jsonb_build_object('cpu_s', round(x.cpu_s, 1), 'cpu_percent', round(100 * x.cpu_s / x.seconds, 1), 'wal_bytes', x.wal_bytes), NULL
FROM (SELECT sum(t.cpu_ms)::numeric / 1000 AS cpu_s, sum(t.wal_bytes)::numeric AS wal_bytes, max(t.last_at) AS until, min(t.first_at) AS since,
             GREATEST(60, EXTRACT(epoch FROM max(t.last_at) - min(t.first_at))) AS seconds
      FROM counted t WHERE NOT t.of_run) x
WHERE x.cpu_s >= {threshold observer} / 100 * x.seconds AND x.cpu_s >= 10
