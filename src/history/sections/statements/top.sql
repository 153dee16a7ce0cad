-- Rows of this window (0) and of the five before it of the same length. pg_stat_statements survives restarts, so epochs do not matter:
-- a statement that was evicted and came back shows in its counters, which fell, or in its extremes, which only widen.
WITH w AS MATERIALIZED (
    SELECT $1::pg_catalog.uuid AS node_id, $2::pg_catalog.timestamptz AS starts, $3::pg_catalog.timestamptz AS ends,
           EXTRACT(epoch FROM $3::pg_catalog.timestamptz)::pg_catalog.float8 AS end_s,
           EXTRACT(epoch FROM $3::pg_catalog.timestamptz - $2::pg_catalog.timestamptz)::pg_catalog.float8 AS length_s),
objects AS MATERIALIZED (
    SELECT CASE WHEN h.taken_at > w.starts THEN 0
                ELSE LEAST(5, pg_catalog.floor((w.end_s - EXTRACT(epoch FROM h.taken_at)::pg_catalog.float8) / w.length_s))::pg_catalog.int4 END AS no,
           h.queryid, h.userid, h.dbid, h.toplevel, pg_catalog.min(h.sample_id) AS first_id, pg_catalog.max(h.sample_id) AS last_id,
           pg_catalog.min(h.taken_at) AS first_at, pg_catalog.max(h.taken_at) AS last_at,
           pg_catalog.max(h.calls) AS calls, pg_catalog.min(h.min_exec_time) AS shortest, pg_catalog.max(h.max_exec_time) AS longest,
           pg_catalog.min(h.stats_since) AS since, pg_catalog.max(h.stats_since) AS until
    FROM w JOIN pgperf.statement_history h ON h.node_id = w.node_id AND h.taken_at > w.starts - 5 * (w.ends - w.starts)
         AND h.taken_at <= w.ends AND h.queryid <> 0
    GROUP BY 1, 2, 3, 4, 5),
-- The time of a row finds its partition.
ends AS MATERIALIZED (
    SELECT o.*, f.before_sample_id, f.calls AS first_calls, f.min_exec_time AS first_shortest, f.max_exec_time AS first_longest,
           l.calls AS last_calls, l.total_exec_time AS last_time,
           l.calls < o.calls OR l.min_exec_time > o.shortest OR l.max_exec_time < o.longest
               OR o.since IS DISTINCT FROM o.until AS broken
    FROM objects o CROSS JOIN w
    CROSS JOIN LATERAL (SELECT x.* FROM pgperf.statement_history x
        WHERE x.node_id = w.node_id AND x.queryid = o.queryid AND x.userid = o.userid AND x.dbid = o.dbid AND x.toplevel = o.toplevel
          AND x.sample_id = o.first_id AND x.taken_at = o.first_at LIMIT 1) f
    CROSS JOIN LATERAL (SELECT x.* FROM pgperf.statement_history x
        WHERE x.node_id = w.node_id AND x.queryid = o.queryid AND x.userid = o.userid AND x.dbid = o.dbid AND x.toplevel = o.toplevel
          AND x.sample_id = o.last_id AND x.taken_at = o.last_at LIMIT 1) l),
-- The lives of those that came back within the window.
steps AS (
    SELECT e.no, c.queryid, c.userid, c.dbid, c.toplevel, c.sample_id, c.taken_at, c.before_sample_id, c.calls, c.total_exec_time,
           c.min_exec_time, c.max_exec_time, c.stats_since,
           COALESCE(c.calls < pg_catalog.lag(c.calls) OVER one OR c.min_exec_time > pg_catalog.lag(c.min_exec_time) OVER one
               OR c.max_exec_time < pg_catalog.lag(c.max_exec_time) OVER one
               OR c.stats_since <> pg_catalog.lag(c.stats_since) OVER one, false) AS again
    FROM ends e CROSS JOIN w
    -- OFFSET 0: each is looked up, and there are few.
    CROSS JOIN LATERAL (SELECT x.* FROM pgperf.statement_history x
        WHERE x.node_id = w.node_id AND x.queryid = e.queryid AND x.userid = e.userid AND x.dbid = e.dbid AND x.toplevel = e.toplevel
          AND x.sample_id BETWEEN e.first_id AND e.last_id AND x.taken_at BETWEEN e.first_at AND e.last_at OFFSET 0) c
    WHERE e.broken
    WINDOW one AS (PARTITION BY e.no, c.queryid, c.userid, c.dbid, c.toplevel ORDER BY c.sample_id)),
lives AS (
    SELECT s.*, pg_catalog.count(*) FILTER (WHERE s.again) OVER (
               PARTITION BY s.no, s.queryid, s.userid, s.dbid, s.toplevel ORDER BY s.sample_id) AS life
    FROM steps s),
stretches AS (
    SELECT e.no, e.queryid, e.userid, e.dbid, e.toplevel, e.first_id, e.first_at, e.before_sample_id, e.first_calls, e.first_shortest,
           e.first_longest, e.since, e.last_id, e.last_at, e.last_calls, e.last_time, true AS is_first
    FROM ends e WHERE NOT e.broken
    UNION ALL
    (SELECT DISTINCT ON (v.no, v.queryid, v.userid, v.dbid, v.toplevel, v.life)
           v.no, v.queryid, v.userid, v.dbid, v.toplevel, pg_catalog.first_value(v.sample_id) OVER one,
           pg_catalog.first_value(v.taken_at) OVER one, pg_catalog.first_value(v.before_sample_id) OVER one,
           pg_catalog.first_value(v.calls) OVER one, pg_catalog.first_value(v.min_exec_time) OVER one,
           pg_catalog.first_value(v.max_exec_time) OVER one, pg_catalog.first_value(v.stats_since) OVER one,
           v.sample_id, v.taken_at, v.calls, v.total_exec_time, v.life = 0
    FROM lives v
    WINDOW one AS (PARTITION BY v.no, v.queryid, v.userid, v.dbid, v.toplevel, v.life ORDER BY v.sample_id)
    ORDER BY v.no, v.queryid, v.userid, v.dbid, v.toplevel, v.life, v.sample_id DESC)),
-- Where counting began: at the row before, or at 0 if the statement provably came since the sample before.
based AS MATERIALIZED (
    SELECT s.*, b.sample_id AS base_id, b.taken_at AS base_at, COALESCE(b.calls, 0) AS base_calls,
           COALESCE(b.total_exec_time, 0) AS base_time
    FROM stretches s CROSS JOIN w
    LEFT JOIN LATERAL (
        SELECT x.sample_id, x.taken_at, x.calls, x.total_exec_time, x.min_exec_time, x.max_exec_time, x.stats_since
        FROM pgperf.statement_history x
        WHERE s.is_first AND x.node_id = w.node_id AND x.queryid = s.queryid AND x.userid = s.userid AND x.dbid = s.dbid
          AND x.toplevel = s.toplevel AND x.sample_id <= s.before_sample_id
          AND x.taken_at <= s.first_at AND x.taken_at > s.first_at - '9 days'::pg_catalog.interval
        ORDER BY x.sample_id DESC LIMIT 1) p ON true
    LEFT JOIN LATERAL (
        SELECT p.* WHERE p.sample_id IS NOT NULL AND p.calls <= s.first_calls AND p.min_exec_time >= s.first_shortest
                     AND p.max_exec_time <= s.first_longest AND p.stats_since IS NOT DISTINCT FROM s.since) b ON true
    LEFT JOIN LATERAL (
        SELECT x.taken_at, x.left_out FROM pgperf.statement_history x
        WHERE p.sample_id IS NULL AND s.is_first AND x.node_id = w.node_id AND x.queryid = 0 AND x.sample_id < s.first_id
          AND x.taken_at <= s.first_at AND x.taken_at > s.first_at - '9 days'::pg_catalog.interval
        ORDER BY x.sample_id DESC LIMIT 1) c ON true
    WHERE p.sample_id IS NOT NULL OR NOT s.is_first OR s.since > c.taken_at OR s.since IS NULL AND c.left_out = 0),
-- How often each was among the first ten by time in the windows before.
before AS MATERIALIZED (
    SELECT x.queryid, x.dbid, pg_catalog.count(*) FILTER (WHERE x.rank <= 10) AS at_top
    FROM (SELECT b.no, b.queryid, b.dbid, pg_catalog.rank() OVER (
                     PARTITION BY b.no ORDER BY pg_catalog.sum(b.last_time - b.base_time) DESC) AS rank
          FROM based b WHERE b.no > 0 GROUP BY b.no, b.queryid, b.dbid) x
    GROUP BY x.queryid, x.dbid),
windows AS MATERIALIZED (SELECT pg_catalog.count(DISTINCT o.no) AS count FROM objects o WHERE o.no > 0),
totals AS MATERIALIZED (
    SELECT b.queryid, b.dbid, pg_catalog.max(l.database_name) AS database_name,
           pg_catalog.sum(b.last_calls - b.base_calls)::pg_catalog.int8 AS calls, pg_catalog.sum(b.last_time - b.base_time) AS exec_ms,
           pg_catalog.sum(l.rows - COALESCE(x.rows, 0))::pg_catalog.int8 AS rows,
           pg_catalog.sum(l.shared_blks_hit - COALESCE(x.shared_blks_hit, 0))::pg_catalog.int8 AS hit,
           pg_catalog.sum(l.shared_blks_read - COALESCE(x.shared_blks_read, 0))::pg_catalog.int8 AS read,
           pg_catalog.sum(l.shared_blk_read_time - COALESCE(x.shared_blk_read_time, 0)) AS read_ms,
           pg_catalog.sum(l.wal_bytes - COALESCE(x.wal_bytes, 0))::pg_catalog.int8 AS wal_bytes,
           pg_catalog.sum(l.temp_blks_read + l.temp_blks_written
               - COALESCE(x.temp_blks_read + x.temp_blks_written, 0))::pg_catalog.int8 AS temp,
           pg_catalog.sum(l.jit_generation_time + l.jit_inlining_time + l.jit_optimization_time + l.jit_emission_time
               - COALESCE(x.jit_generation_time + x.jit_inlining_time + x.jit_optimization_time + x.jit_emission_time, 0)) AS jit_ms,
           pg_catalog.sum(l.total_plan_time - COALESCE(x.total_plan_time, 0)) AS plan_ms,
           pg_catalog.sum(l.plans - COALESCE(x.plans, 0))::pg_catalog.int8 AS plans
    FROM based b CROSS JOIN w
    JOIN pgperf.statement_history l ON l.node_id = w.node_id AND l.queryid = b.queryid AND l.userid = b.userid AND l.dbid = b.dbid
         AND l.toplevel = b.toplevel AND l.sample_id = b.last_id AND l.taken_at = b.last_at
    LEFT JOIN pgperf.statement_history x ON x.node_id = w.node_id AND x.queryid = b.queryid AND x.userid = b.userid AND x.dbid = b.dbid
         AND x.toplevel = b.toplevel AND x.sample_id = b.base_id AND x.taken_at = b.base_at
    WHERE b.no = 0
    GROUP BY b.queryid, b.dbid),
gone AS (
    SELECT b.queryid, b.dbid, pg_catalog.sum(b.last_calls - b.base_calls)::pg_catalog.int8 AS calls,
           pg_catalog.sum(b.last_time - b.base_time) AS exec_ms
    FROM based b WHERE b.no = 1 AND NOT EXISTS (SELECT FROM totals t WHERE t.queryid = b.queryid AND t.dbid = b.dbid)
    GROUP BY b.queryid, b.dbid),
lists AS (
    SELECT m.no, m.list, t.*, m.amount,
           pg_catalog.row_number() OVER (PARTITION BY m.no ORDER BY m.amount DESC, t.queryid, t.dbid) AS place,
           100 * m.amount / NULLIF(pg_catalog.sum(m.amount) OVER (PARTITION BY m.no), 0) AS percent
    FROM totals t
    CROSS JOIN LATERAL (VALUES
        (1, 'By time', t.exec_ms), (2, 'By calls', t.calls::pg_catalog.float8), (3, 'By blocks read', t.read::pg_catalog.float8),
        (4, 'By WAL', t.wal_bytes::pg_catalog.float8), (5, 'By temporary files', t.temp::pg_catalog.float8), (6, 'By JIT', t.jit_ms),
        (7, 'By planning', t.plan_ms),
        (8, 'New: not called in the window before', CASE WHEN EXISTS (SELECT FROM objects o WHERE o.no = 1) AND NOT EXISTS (
                SELECT FROM objects o WHERE o.no = 1 AND o.queryid = t.queryid AND o.dbid = t.dbid) THEN t.exec_ms END))
        m(no, list, amount)
    WHERE m.amount > 0 AND t.calls > 0)
SELECT q.list, q.place, q.percent, q.exec_ms / 1000 AS exec_s, q.calls, q.exec_ms / NULLIF(q.calls, 0) AS mean_ms,
       q.rows, 100 * q.hit::pg_catalog.float8 / NULLIF(q.hit + q.read, 0) AS hit_percent,
       CASE WHEN q.no IN (1, 3, 8) THEN q.read * z.block END AS read_bytes, CASE WHEN q.no = 3 THEN q.read_ms END AS read_ms,
       CASE WHEN q.no IN (1, 4, 8) THEN q.wal_bytes END AS wal_bytes, CASE WHEN q.no IN (5, 8) THEN q.temp * z.block END AS temp_bytes,
       CASE WHEN q.no = 6 THEN q.jit_ms END AS jit_ms, CASE WHEN q.no = 7 THEN q.plan_ms END AS plan_ms,
       CASE WHEN q.no = 7 THEN q.plans END AS plans,
       CASE WHEN q.no = 1 AND n.count > 0 THEN COALESCE(b.at_top, 0) || ' of ' || n.count END AS at_top,
       q.database_name, q.queryid::pg_catalog.text AS queryid,
       COALESCE(pg_catalog.left(t.query, 500), '(no text)') AS query
FROM (SELECT l.no, l.list, l.place, l.percent, l.exec_ms, l.calls, l.rows, l.hit, l.read, l.read_ms, l.wal_bytes, l.temp,
             l.jit_ms, l.plan_ms, l.plans, l.database_name, l.queryid, l.dbid
      FROM lists l WHERE l.place <= 10
      UNION ALL
      SELECT 9, 'Vanished: called in the window before only', g.place, NULL, g.exec_ms, g.calls, NULL, NULL, NULL, NULL, NULL, NULL,
             NULL, NULL, NULL, NULL, g.queryid, g.dbid
      FROM (SELECT g.*, pg_catalog.row_number() OVER (ORDER BY g.exec_ms DESC, g.queryid, g.dbid) AS place FROM gone g) g
      WHERE g.place <= 10 AND g.calls > 0 AND EXISTS (SELECT FROM totals)) q
CROSS JOIN windows n
CROSS JOIN (SELECT pg_catalog.current_setting('block_size')::pg_catalog.int8 AS block) z
LEFT JOIN before b ON b.queryid = q.queryid AND b.dbid = q.dbid
LEFT JOIN LATERAL (SELECT x.query FROM pgperf.statement_texts x
    WHERE x.node_id = $1::pg_catalog.uuid AND x.queryid = q.queryid AND x.dbid = q.dbid LIMIT 1) t ON true
ORDER BY q.no, q.place
