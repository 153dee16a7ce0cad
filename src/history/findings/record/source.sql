-- All samples of the window.
counted AS (
    SELECT o.epoch, o.of_run, o.samples, o.first_id, o.first_at, o.last_at, o.cpu_ms, o.wal_bytes
    FROM {outcomes} o WHERE o.collector IS NULL AND o.stretch >= 0),
-- Where an epoch ended, and which statistics were reset alone, if the samples tell: then the server was neither restarted nor did it crash,
-- which begins all of them again.
breaks AS MATERIALIZED (
    SELECT n.taken_at, b.taken_at AS since,
           CASE WHEN n.counting ->> 'server' = b.counting ->> 'server' AND NOT (n.counting ->> 'wal' <> b.counting ->> 'wal'
                                                                               AND n.counting ->> 'background_writer' <> b.counting ->> 'background_writer')
                THEN (SELECT string_agg(CASE k.key WHEN 'database' THEN 'this database' WHEN 'wal' THEN 'the WAL' WHEN 'io' THEN 'I/O'
                                                   ELSE 'the ' || replace(k.key, '_', ' ') END, ', ' ORDER BY k.key)
                      FROM jsonb_object_keys(n.counting) k(key)
                      WHERE k.key NOT IN ('reset', 'transactions', 'blocks') AND n.counting -> k.key IS DISTINCT FROM b.counting -> k.key) END AS was_reset
    FROM (SELECT c.epoch, min(c.first_id) AS first_id, min(c.first_at) AS first_at FROM counted c GROUP BY c.epoch) c
    CROSS JOIN LATERAL (SELECT s.taken_at, s.epoch, s.counting FROM pgperf.samples s
                        WHERE s.node_id = $1::uuid AND s.sample_id < c.first_id AND s.taken_at <= c.first_at AND s.taken_at > $2::timestamptz - interval '1 day'
                        ORDER BY s.sample_id DESC LIMIT 1) b
    CROSS JOIN LATERAL (SELECT s.taken_at, s.counting FROM pgperf.samples s
                        WHERE s.node_id = $1::uuid AND s.sample_id = c.first_id AND s.taken_at = c.first_at) n
    WHERE b.epoch <> c.epoch)
