-- Any. A warning if the WAL counters started again as well: a clean stop keeps them, so it was a crash, an immediate stop or a reset
-- of these statistics. Samples of version 1.2 and later tell a reset: see statistics_reset.
SELECT CASE WHEN w.fell THEN 'warning' END, CASE WHEN w.fell THEN 70 ELSE 20 END,
       'server', NULL, CASE WHEN w.fell THEN 'crash' ELSE 'restart' END, t.taken_at, t.since, t.taken_at,
       format(CASE WHEN w.fell THEN 'the server''s counters began again between %s and %s: a crash, an immediate stop, or a reset of the WAL statistics'
                   ELSE 'the server was restarted between %s and %s, or some of its statistics were reset' END,
              to_char(t.since, 'YYYY-MM-DD HH24:MI:SS'), to_char(t.taken_at, 'HH24:MI:SS'))
       || CASE WHEN $1::uuid = (SELECT pgperf.local_node()) AND pg_postmaster_start_time() > t.since AND pg_postmaster_start_time() <= t.taken_at
               THEN format('; it started at %s', to_char(pg_postmaster_start_time(), 'YYYY-MM-DD HH24:MI:SS')) ELSE '' END,
       jsonb_build_object('counters_began_again', w.fell), NULL
FROM breaks t
CROSS JOIN LATERAL (
    SELECT COALESCE((SELECT h.wal_records FROM pgperf.wal_history h WHERE h.node_id = $1::uuid AND h.taken_at >= t.taken_at AND h.taken_at <= $3::timestamptz ORDER BY h.taken_at LIMIT 1)
                    < (SELECT h.wal_records FROM pgperf.wal_history h WHERE h.node_id = $1::uuid AND h.taken_at <= t.since AND h.taken_at > t.since - interval '1 day' ORDER BY h.taken_at DESC LIMIT 1),
                    false) AS fell) w
WHERE t.was_reset IS NULL
