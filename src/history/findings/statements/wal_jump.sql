-- A sixtieth of the window has at least three times the usual rate (that of the median part of the window and of as long before it,
-- without pgperf's own samples), and exceeds it by 32 MB (two segments) and by 20 % of the window's WAL: less does no harm. From half
-- of the window's WAL and 1 GB on a warning. The cause is a statement that wrote half of the excess and little at other times. Without
-- one, five times the rate and 30 %, and no checkpoint shortly before: after it pages are written whole.
WITH marked AS (
    SELECT {sixtieth} AS part, max(h.taken_at) AS taken_at, max(h.insert_lsn) AS insert_lsn, max(h.checkpoint_began_at) AS checkpoint_began_at
    FROM pgperf.wal_history h
    WHERE h.node_id = $1::uuid AND h.taken_at <= $3::timestamptz
      AND h.taken_at > $2::timestamptz - LEAST($3::timestamptz - $2::timestamptz, interval '1 day')
    GROUP BY 1),
parts AS (
    SELECT m.*, lag(m.taken_at) OVER w AS since, m.insert_lsn - lag(m.insert_lsn) OVER w AS lsn_bytes,
           EXTRACT(epoch FROM m.taken_at - lag(m.taken_at) OVER w)::float8 AS seconds
    FROM marked m WINDOW w AS (ORDER BY m.part)),
own AS (
    SELECT {sixtieth} AS part, sum(h.wal_bytes) AS bytes
    FROM pgperf.samples h
    WHERE h.node_id = $1::uuid AND h.taken_at <= $3::timestamptz
      AND h.taken_at > $2::timestamptz - LEAST($3::timestamptz - $2::timestamptz, interval '1 day')
    GROUP BY 1),
written AS MATERIALIZED (
    SELECT p.part, p.taken_at, p.since, p.seconds, p.checkpoint_began_at, GREATEST(0, p.lsn_bytes - COALESCE(o.bytes, 0))::float8 AS bytes
    FROM parts p
    LEFT JOIN own o USING (part)
    WHERE p.seconds > 0),
usual AS MATERIALIZED (
    SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY w.bytes / w.seconds) AS rate, count(*) AS parts,
           GREATEST(sum(w.bytes) FILTER (WHERE w.taken_at > $2::timestamptz), 1) AS total
    FROM written w),
high AS (
    SELECT w.*, w.part - row_number() OVER (ORDER BY w.part) AS island
    FROM written w, usual u
    WHERE w.taken_at > $2::timestamptz AND u.parts >= 8 AND w.bytes > 3 * u.rate * w.seconds),
jumps AS MATERIALIZED (
    SELECT min(h.since) AS since, max(h.taken_at) AS until, max(h.part) AS last_part, sum(h.bytes) AS bytes, sum(h.bytes) - max(u.rate) * sum(h.seconds) AS excess,
           (sum(h.bytes) / sum(h.seconds)) / NULLIF(max(u.rate), 0) AS times, max(u.total) AS total, max(h.checkpoint_began_at) AS checkpoint_began_at
    FROM high h, usual u GROUP BY h.island
    HAVING sum(h.bytes) - max(u.rate) * sum(h.seconds) >= GREATEST(33554432, 0.2 * max(u.total)))
SELECT CASE WHEN j.excess >= 0.5 * j.total AND j.excess >= 1073741824 THEN 'warning' END, LEAST(99, 100 * j.excess / j.total),
       CASE WHEN c.queryid IS NULL THEN 'server' WHEN c.named IS NOT NULL THEN 'index' ELSE 'statement' END,
       NULL, COALESCE(c.named, c.queryid::text), j.until, j.since, j.until,
       format('%s of WAL between %s and %s, %s times the usual rate and %s %% of the window''s WAL%s%s',
              pg_size_pretty(j.bytes::bigint), to_char(j.since, 'YYYY-MM-DD HH24:MI:SS'), to_char(j.until, 'HH24:MI:SS'),
              round(j.times::numeric, 1), round((100 * j.bytes / j.total)::numeric),
              '; ' || pg_size_pretty(c.wal_bytes) || ' by ' || c.query, '; most of it ' || m.records),
       jsonb_build_object('wal_bytes', j.bytes::bigint, 'excess_bytes', j.excess::bigint, 'times', round(j.times::numeric, 1),
                          'queryid', c.queryid, 'query', c.query, 'records', m.records),
       NULL
FROM jumps j
-- Statements may be sampled less often than WAL: what ended in the jump is in their first sample after it.
CROSS JOIN LATERAL (
    SELECT GREATEST(min(h.taken_at), $2::timestamptz + (j.last_part + 1) * ($3::timestamptz - $2::timestamptz) / 60) AS seen_at
    FROM pgperf.statement_history h
    WHERE h.node_id = $1::uuid AND h.queryid = 0 AND h.taken_at >= j.until AND h.taken_at <= $3::timestamptz) z
LEFT JOIN LATERAL (
    SELECT t.queryid, t.query, x.wal_bytes::bigint AS wal_bytes,
           COALESCE(substring(t.query FROM '(?i)^reindex\s*(?:\([^)]*\)\s*)?index\s+(?:concurrently\s+)?([^\s;]+)'),
                    substring(t.query FROM '(?i)^create\s+(?:unique\s+)?index\s+(?:concurrently\s+)?(?:if\s+not\s+exists\s+)?([^\s;]+)\s+on\s')) AS named
    FROM totals t
    -- Of those that wrote enough in the window: up to the end of the last part, without what came before the jump.
    CROSS JOIN LATERAL (
        SELECT sum(e.wal_bytes - COALESCE(s.wal_bytes, l.base_wal_bytes)) AS wal_bytes
        FROM lives l
        CROSS JOIN LATERAL (SELECT h.wal_bytes FROM pgperf.statement_history h
            WHERE h.node_id = $1::uuid AND h.queryid = l.queryid AND h.userid = l.userid AND h.dbid = l.dbid AND h.toplevel
              AND h.sample_id BETWEEN l.first_id AND l.last_id AND h.taken_at >= l.first_at AND h.taken_at <= z.seen_at
            ORDER BY h.sample_id DESC LIMIT 1) e
        LEFT JOIN LATERAL (SELECT h.wal_bytes FROM pgperf.statement_history h
            WHERE h.node_id = $1::uuid AND h.queryid = l.queryid AND h.userid = l.userid AND h.dbid = l.dbid AND h.toplevel
              AND h.sample_id BETWEEN l.first_id AND l.last_id AND h.taken_at >= l.first_at AND h.taken_at <= j.since
            ORDER BY h.sample_id DESC LIMIT 1) s ON true
        WHERE l.no = 0 AND l.queryid = t.queryid AND l.userid = t.userid AND l.dbid = t.dbid) x
    WHERE NOT t.own AND t.wal_bytes >= 0.5 * j.excess AND x.wal_bytes >= 0.5 * j.excess AND x.wal_bytes >= 0.5 * t.wal_bytes_always
    ORDER BY x.wal_bytes DESC LIMIT 1) c ON true
LEFT JOIN LATERAL (
    SELECT format('%s %s, %s %%', r.resource_manager, r.record_type, round((100 * r.bytes / r.everything)::numeric)) AS records
    FROM (SELECT e.resource_manager, e.record_type, sum(e.record_bytes + e.fpi_bytes) AS bytes, sum(sum(e.record_bytes + e.fpi_bytes)) OVER () AS everything
          FROM pgperf.wal_rmgr_estimates e
          WHERE e.node_id = $1::uuid AND e.taken_at > j.since AND e.taken_at <= j.until
          GROUP BY e.resource_manager, e.record_type) r
    WHERE r.bytes > 0.3 * r.everything ORDER BY r.bytes DESC LIMIT 1) m ON true
WHERE c.queryid IS NOT NULL
   OR j.excess >= 0.3 * j.total AND j.times >= 5
      AND COALESCE(j.checkpoint_began_at < j.since - GREATEST(interval '5 minutes', j.until - j.since), true)
