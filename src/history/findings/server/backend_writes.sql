-- Sessions wrote at least half of all pages that were written, and 1 GB an hour: they wait for each. A run's clients are among them. Until
-- PostgreSQL 15, which counts no better, the new pages of relations that grow are, too; later versions count those, and the pages that
-- VACUUM and COPY pass through a ring of their own, elsewhere.
WITH counted AS (
    SELECT 'io' AS source, h.backend_type || ' ' || h.context AS object, {sixtieth} AS part, h.backend_type IN ('client backend', 'background worker') AND h.context = 'normal' AS by_sessions,
           h.stats_reset, max(h.taken_at) AS taken_at, max(COALESCE(h.write_bytes, h.writes * h.op_bytes)) AS bytes, min(COALESCE(h.write_bytes, h.writes * h.op_bytes)) AS first_bytes
    FROM pgperf.io_history h
    WHERE h.node_id = $1::uuid AND h.taken_at > $2::timestamptz AND h.taken_at <= $3::timestamptz AND h.object = 'relation'
    GROUP BY 2, 3, 4, 5
    UNION ALL
    SELECT 'buffers', w.object, {sixtieth}, w.object = 'sessions', h.stats_reset, max(h.taken_at),
           max(w.buffers * b.bytes), min(w.buffers * b.bytes)
    FROM pgperf.checkpoint_history h
    CROSS JOIN LATERAL (VALUES ('sessions', h.buffers_backend), ('checkpoints', h.buffers_written), ('background writer', h.buffers_clean)) w(object, buffers)
    CROSS JOIN (SELECT current_setting('block_size')::bigint AS bytes) b
    WHERE h.node_id = $1::uuid AND h.taken_at > $2::timestamptz AND h.taken_at <= $3::timestamptz AND h.buffers_backend IS NOT NULL
    GROUP BY 2, 3, 4, 5),
steps AS (
    SELECT c.source, c.by_sessions, c.taken_at, c.bytes - lag(c.bytes, 1, c.first_bytes) OVER w AS bytes
    FROM counted c
    WINDOW w AS (PARTITION BY c.source, c.object, c.stats_reset ORDER BY c.part)),
sums AS (
    SELECT s.source, sum(s.bytes)::numeric AS bytes, sum(s.bytes) FILTER (WHERE s.by_sessions)::numeric AS by_sessions, max(s.taken_at) FILTER (WHERE s.by_sessions) AS last_at
    FROM steps s WHERE s.bytes > 0 GROUP BY s.source ORDER BY s.source DESC LIMIT 1)
SELECT NULL, LEAST(99, 100 * x.by_sessions / x.bytes),
       'server', NULL, 'shared_buffers', x.last_at, $2::timestamptz, x.last_at,
       format('sessions wrote %s of %s of pages themselves, %s %%', pg_size_pretty(x.by_sessions), pg_size_pretty(x.bytes), round(100 * x.by_sessions / x.bytes)),
       jsonb_build_object('session_bytes', x.by_sessions, 'written_bytes', x.bytes),
       NULL
FROM sums x
WHERE x.by_sessions >= 0.5 * x.bytes
  AND x.by_sessions >= 1073741824.0 * GREATEST(EXTRACT(epoch FROM $3::timestamptz - $2::timestamptz) / 3600, 0.125)
