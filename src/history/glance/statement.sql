-- The mean time of the statement that is first by time (../../subject/statements/top.sql). value: between two samples; whole: of the window.
-- Where its counters began again nothing is known.
WITH top AS MATERIALIZED (
    SELECT b.queryid, b.dbid, pg_catalog.sum(b.exec_ms) / pg_catalog.sum(b.calls)::pg_catalog.float8 AS mean_ms
    FROM {statements} b WHERE b.no = 0 AND b.known AND b.toplevel
    GROUP BY b.queryid, b.dbid HAVING pg_catalog.sum(b.calls) > 0
    ORDER BY pg_catalog.sum(b.exec_ms) DESC, b.queryid, b.dbid LIMIT 1),
counted AS MATERIALIZED (
    SELECT {stretch} AS stretch, h.userid, h.sample_id, h.taken_at, h.calls, h.total_exec_time AS ms
    FROM top t JOIN pgperf.statement_history h ON h.queryid = t.queryid AND h.dbid = t.dbid
    WHERE h.node_id = $1::pg_catalog.uuid AND h.toplevel AND h.taken_at <= $3::pg_catalog.timestamptz
      AND h.taken_at > $2::pg_catalog.timestamptz - LEAST('1 day'::pg_catalog.interval, GREATEST('15 min'::pg_catalog.interval,
          $3::pg_catalog.timestamptz - $2::pg_catalog.timestamptz))),
ends AS (
    SELECT DISTINCT ON (c.userid, c.stretch) c.* FROM counted c ORDER BY c.userid, c.stretch, c.sample_id DESC),
steps AS (
    SELECT e.stretch, e.taken_at, pg_catalog.lag(e.taken_at) OVER one AS before_at,
           e.calls - pg_catalog.lag(e.calls) OVER one AS calls, e.ms - pg_catalog.lag(e.ms) OVER one AS ms
    FROM ends e WINDOW one AS (PARTITION BY e.userid ORDER BY e.sample_id)),
parts AS (
    SELECT s.stretch, GREATEST(EXTRACT(epoch FROM pg_catalog.min(s.before_at) - $2::pg_catalog.timestamptz), 0)::pg_catalog.float8 AS at_s,
           EXTRACT(epoch FROM pg_catalog.max(s.taken_at) - $2::pg_catalog.timestamptz)::pg_catalog.float8 AS end_s,
           pg_catalog.sum(s.ms) / pg_catalog.sum(s.calls)::pg_catalog.float8 AS mean_ms
    FROM steps s WHERE s.stretch >= 0 AND s.calls > 0 AND s.ms >= 0 GROUP BY s.stretch)
SELECT COALESCE(p.at_s, 0) AS at_s, COALESCE(p.end_s - p.at_s, 0) AS seconds, p.mean_ms AS value, t.mean_ms AS whole,
       COALESCE((SELECT pg_catalog.left(pg_catalog.regexp_replace(x.query, '\s+', ' ', 'g'), 60) FROM pgperf.statement_texts x
           WHERE x.node_id = $1::pg_catalog.uuid AND x.queryid = t.queryid AND x.dbid = t.dbid LIMIT 1), '(no text)') AS statement
FROM top t LEFT JOIN parts p ON true
ORDER BY p.stretch
