-- At least 1 GB an hour, and 128 MB: less is written in passing. From 10 GB an hour on a warning.
SELECT CASE WHEN d.bytes >= 10 * 1073741824.0 * d.hours THEN 'warning' END, LEAST(99, 10.0 * d.bytes / (1073741824.0 * d.hours)),
       CASE WHEN t.queryid IS NULL THEN 'database' ELSE 'statement' END, NULL, COALESCE(t.queryid::text, d.database_name), d.until, d.since, d.until,
       format('%s temporary files, %s together%s', to_char(d.files, 'FM999,999,999,999,990'), pg_size_pretty(d.bytes),
              '; most by ' || to_char(t.calls, 'FM999,999,999,999,990') || CASE t.calls WHEN 1 THEN ' call' ELSE ' calls' END || ', which wrote ' || pg_size_pretty(t.temp_blks * current_setting('block_size')::bigint) || ': ' || t.query),
       jsonb_build_object('temp_bytes', d.bytes, 'temp_files', d.files, 'queryid', t.queryid, 'query', t.query,
                          'time_percent', round((100 * t.time / NULLIF((SELECT e.time FROM everything e), 0))::numeric, 1)),
       NULL
FROM (SELECT c.database_name, sum(c.temp_bytes) AS bytes, sum(c.temp_files) AS files,
             -- When most of it was written: where at least half as much was as if it were spread evenly.
             min(c.since) FILTER (WHERE 120 * c.temp_bytes >= c.together) AS since, max(c.taken_at) FILTER (WHERE 120 * c.temp_bytes >= c.together) AS until,
             GREATEST(EXTRACT(epoch FROM $3::timestamptz - $2::timestamptz) / 3600, 0.125) AS hours
      FROM (SELECT x.*, sum(x.temp_bytes) OVER (PARTITION BY x.database_name) AS together
            FROM (SELECT p.database_name, p.part, p.taken_at, lag(p.taken_at, 1, p.first_at) OVER w AS since,
                         p.temp_bytes - lag(p.temp_bytes, 1, p.first_bytes) OVER w AS temp_bytes,
                         p.temp_files - lag(p.temp_files, 1, p.first_files) OVER w AS temp_files
                  FROM (SELECT h.database_name, {sixtieth} AS part, max(h.taken_at) AS taken_at, max(h.temp_bytes) AS temp_bytes, max(h.temp_files) AS temp_files,
                               min(h.taken_at) AS first_at, min(h.temp_bytes) AS first_bytes, min(h.temp_files) AS first_files
                        FROM pgperf.database_history h
                        WHERE h.node_id = $1::uuid AND h.database_name IS NOT NULL AND h.taken_at <= $3::timestamptz
                          AND h.taken_at > $2::timestamptz - LEAST($3::timestamptz - $2::timestamptz, interval '1 day')
                        GROUP BY 1, 2) p
                  WINDOW w AS (PARTITION BY p.database_name ORDER BY p.part)) x
            WHERE x.part >= 0 AND x.temp_bytes >= 0) c
      GROUP BY c.database_name) d
LEFT JOIN LATERAL (SELECT x.* FROM totals x
                   WHERE NOT x.own AND x.temp_blks > 0 AND x.database_name = d.database_name ORDER BY x.temp_blks DESC LIMIT 1) t ON true
WHERE d.bytes >= {threshold temp_files} * d.hours
