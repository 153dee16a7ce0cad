-- Any.
SELECT NULL, 99, 'database', NULL, c.database_name, d.until, d.since, d.until,
       format('pages that failed their checksum between %s and %s: %s', to_char(d.since, 'YYYY-MM-DD HH24:MI:SS'), to_char(d.until, 'HH24:MI:SS'), c.checksum_failures),
       jsonb_build_object('checksum_failures', c.checksum_failures), NULL
FROM counted c
CROSS JOIN LATERAL (SELECT min(s.since) AS since, max(s.taken_at) AS until FROM steps s
                    WHERE s.database_name = c.database_name AND s.inside AND s.checksum_failures > 0) d
WHERE c.inside AND c.checksum_failures > 0
UNION ALL
SELECT NULL, 99, 'server', NULL, 'other databases and shared catalogs', f.until, f.since, f.until,
       format('pages that failed their checksum between %s and %s: %s', to_char(f.since, 'YYYY-MM-DD HH24:MI:SS'), to_char(f.until, 'HH24:MI:SS'), f.failures - o.failures),
       jsonb_build_object('checksum_failures', f.failures - o.failures), NULL
FROM failures f CROSS JOIN (SELECT COALESCE(sum(c.checksum_failures) FILTER (WHERE c.inside), 0) AS failures FROM counted c) o
WHERE f.failures > o.failures
