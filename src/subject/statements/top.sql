-- Nested statements, which functions call where pg_stat_statements.track is all, are a part of those that call them: they have a list of their own,
-- and no share in the others.
-- How often each was among the first ten by time in the windows before.
WITH before AS MATERIALIZED (
    SELECT x.queryid, x.dbid, pg_catalog.count(*) FILTER (WHERE x.rank <= 10) AS at_top
    FROM (SELECT b.no, b.queryid, b.dbid, pg_catalog.rank() OVER (
                     PARTITION BY b.no ORDER BY pg_catalog.sum(b.exec_ms) DESC) AS rank
          FROM {statements} b WHERE b.no > 0 AND b.known AND b.toplevel GROUP BY b.no, b.queryid, b.dbid) x
    GROUP BY x.queryid, x.dbid),
windows AS MATERIALIZED (SELECT pg_catalog.count(DISTINCT o.no) AS count FROM {statements} o WHERE o.no > 0),
totals AS MATERIALIZED (
    SELECT b.queryid, b.dbid, b.toplevel, pg_catalog.max(b.database_name) AS database_name, pg_catalog.sum(b.calls)::pg_catalog.int8 AS calls,
           pg_catalog.sum(b.exec_ms) AS exec_ms, pg_catalog.sum(b.rows)::pg_catalog.int8 AS rows, pg_catalog.sum(b.hit)::pg_catalog.int8 AS hit,
           pg_catalog.sum(b.read)::pg_catalog.int8 AS read, pg_catalog.sum(b.read_ms) AS read_ms,
           pg_catalog.sum(b.wal_bytes)::pg_catalog.int8 AS wal_bytes, pg_catalog.sum(b.temp_read + b.temp_written)::pg_catalog.int8 AS temp,
           pg_catalog.sum(b.jit_ms) AS jit_ms, pg_catalog.sum(b.plan_ms) AS plan_ms, pg_catalog.sum(b.plans)::pg_catalog.int8 AS plans,
           -- Of all of it, or not known.
           CASE WHEN pg_catalog.count(b.cpu_ms) = pg_catalog.count(*) THEN pg_catalog.sum(b.cpu_ms) END AS cpu_ms,
           CASE WHEN pg_catalog.count(b.disk_read_bytes) = pg_catalog.count(*) THEN pg_catalog.sum(b.disk_read_bytes)::pg_catalog.int8 END AS disk_read_bytes
    FROM {statements} b WHERE b.no = 0 AND b.known
    GROUP BY b.queryid, b.dbid, b.toplevel),
gone AS (
    SELECT b.queryid, b.dbid, pg_catalog.sum(b.calls)::pg_catalog.int8 AS calls, pg_catalog.sum(b.exec_ms) AS exec_ms
    FROM {statements} b WHERE b.no = 1 AND b.known AND b.toplevel AND NOT EXISTS (SELECT FROM totals t WHERE t.queryid = b.queryid AND t.dbid = b.dbid)
    GROUP BY b.queryid, b.dbid),
lists AS (
    SELECT m.no, m.list, t.*, m.amount,
           pg_catalog.row_number() OVER (PARTITION BY m.no ORDER BY m.amount DESC, t.queryid, t.dbid) AS place,
           -- New and nested ones have their share of the time of all.
           100 * m.amount / NULLIF(CASE WHEN m.no >= 8 THEN a.exec_ms ELSE pg_catalog.sum(m.amount) OVER (PARTITION BY m.no) END, 0) AS percent
    FROM totals t
    CROSS JOIN (SELECT pg_catalog.sum(x.exec_ms) AS exec_ms FROM totals x WHERE x.toplevel) a
    CROSS JOIN LATERAL (VALUES
        (1, 'By time', t.exec_ms), (2, 'By calls', t.calls::pg_catalog.float8), (3, 'By blocks read', t.read::pg_catalog.float8),
        (4, 'By WAL', t.wal_bytes::pg_catalog.float8), (5, 'By temporary files', t.temp::pg_catalog.float8), (6, 'By JIT', t.jit_ms),
        (7, 'By planning', t.plan_ms),
        (8, 'New: not called in the window before', CASE WHEN EXISTS (SELECT FROM {statements} o WHERE o.no = 1) AND NOT EXISTS (
                SELECT FROM {statements} o WHERE o.no = 1 AND o.queryid = t.queryid AND o.dbid = t.dbid) THEN t.exec_ms END),
        (9, 'Nested: called by functions, and a part of the time of their callers', t.exec_ms)) m(no, list, amount)
    WHERE m.amount > 0 AND t.calls > 0 AND t.toplevel = (m.no < 9))
SELECT q.list, q.place, q.percent, q.exec_ms / 1000 AS exec_s, CASE WHEN q.no IN (1, 8, 9) THEN q.cpu_ms / 1000 END AS cpu_s,
       q.calls, q.exec_ms / NULLIF(q.calls, 0) AS mean_ms,
       q.rows, 100 * q.hit::pg_catalog.float8 / NULLIF(q.hit + q.read, 0) AS hit_percent,
       CASE WHEN q.no IN (1, 3, 8, 9) THEN q.read * z.block END AS read_bytes, CASE WHEN q.no = 3 THEN q.read_ms END AS read_ms,
       CASE WHEN q.no IN (1, 3, 8, 9) THEN q.disk_read_bytes END AS disk_read_bytes,
       CASE WHEN q.no IN (1, 4, 8, 9) THEN q.wal_bytes END AS wal_bytes, CASE WHEN q.no IN (5, 8, 9) THEN q.temp * z.block END AS temp_bytes,
       CASE WHEN q.no = 6 THEN q.jit_ms END AS jit_ms, CASE WHEN q.no = 7 THEN q.plan_ms END AS plan_ms,
       CASE WHEN q.no = 7 THEN q.plans END AS plans,
       CASE WHEN q.no = 1 AND n.count > 0 THEN COALESCE(b.at_top, 0) || ' of ' || n.count END AS at_top,
       q.database_name, q.queryid::pg_catalog.text AS queryid,
       COALESCE(pg_catalog.left(t.query, 500), '(no text)') AS query
FROM (SELECT l.no, l.list, l.place, l.percent, l.exec_ms, l.calls, l.rows, l.hit, l.read, l.read_ms, l.wal_bytes, l.temp,
             l.jit_ms, l.plan_ms, l.plans, l.cpu_ms, l.disk_read_bytes, l.database_name, l.queryid, l.dbid
      FROM lists l WHERE l.place <= {first}
      UNION ALL
      SELECT 10, 'Vanished: called in the window before only', g.place, NULL, g.exec_ms, g.calls, NULL, NULL, NULL, NULL, NULL, NULL,
             NULL, NULL, NULL, NULL, NULL, NULL, g.queryid, g.dbid
      FROM (SELECT g.*, pg_catalog.row_number() OVER (ORDER BY g.exec_ms DESC, g.queryid, g.dbid) AS place FROM gone g) g
      WHERE g.place <= {first} AND g.calls > 0 AND EXISTS (SELECT FROM totals)) q
CROSS JOIN windows n
CROSS JOIN (SELECT pg_catalog.current_setting('block_size')::pg_catalog.int8 AS block) z
LEFT JOIN before b ON b.queryid = q.queryid AND b.dbid = q.dbid
LEFT JOIN LATERAL (SELECT x.query FROM pgperf.statement_texts x
    WHERE x.node_id = $1::pg_catalog.uuid AND x.queryid = q.queryid AND x.dbid = q.dbid LIMIT 1) t ON true
ORDER BY q.no, q.place
