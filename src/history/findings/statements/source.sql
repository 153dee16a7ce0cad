-- What statement_history counted in sixtieths of the window, over the window and as long before it, but no more than a day. Counters only grow
-- in a statement's life (stats_since, from version 1.11 of pg_stat_statements on), so the last row of a part is the one with the highest ones. A
-- statement that pg_stat_statements did not have before has counted from 0: stats_since says so; before 1.11, it is new if every sample has stored all
-- statements and none was evicted meanwhile. pgperf's own statements are marked.
bounds AS MATERIALIZED (
    SELECT array_agg($2::timestamptz + interval '1 us' + n * ($3::timestamptz - $2::timestamptz) / 60 ORDER BY n) AS moments FROM generate_series(-60, 60) n),
together AS MATERIALIZED (
    SELECT z.sample_id, z.taken_at, z.dealloc, lag(z.taken_at) OVER w AS previous_at, lag(z.dealloc) OVER w AS previous_dealloc,
           max(z.left_out) OVER w AS left_out_so_far
    FROM pgperf.statement_history z
    WHERE z.node_id = $1::uuid AND z.queryid = 0 AND z.taken_at <= $3::timestamptz
      AND z.taken_at > $2::timestamptz - LEAST($3::timestamptz - $2::timestamptz, interval '1 day') - interval '1 hour'
    WINDOW w AS (ORDER BY z.sample_id)),
grouped AS MATERIALIZED (
    SELECT h.queryid, h.userid, h.dbid, h.stats_since,
           width_bucket(h.taken_at, b.moments) - 61 AS part,
           min(h.sample_id) AS first_id, max(h.taken_at) AS taken_at, min(h.taken_at) AS first_at, min(h.before_sample_id) AS before_id,
           bool_or(h.before_sample_id IS NULL) AS is_first,
           max(h.calls) AS calls, max(h.total_exec_time) AS time, max(h.exec_time_squares) AS squares, max(h.wal_bytes) AS wal_bytes,
           max(h.temp_blks_written) AS temp_blks
    FROM pgperf.statement_history h CROSS JOIN bounds b
    WHERE h.node_id = $1::uuid AND h.queryid <> 0 AND h.toplevel AND h.taken_at <= $3::timestamptz
      AND h.taken_at > $2::timestamptz - LEAST($3::timestamptz - $2::timestamptz, interval '1 day')
    GROUP BY 1, 2, 3, 4, 5),
-- A statement's first row here may follow one from before.
firsts AS (
    SELECT DISTINCT ON (g.queryid, g.userid, g.dbid, g.stats_since) g.* FROM grouped g
    ORDER BY g.queryid, g.userid, g.dbid, g.stats_since, g.part),
parts AS (
    SELECT g.queryid, g.userid, g.dbid, g.stats_since, g.part, g.first_id, g.taken_at, g.first_at, g.is_first,
           g.calls, g.time, g.squares, g.wal_bytes, g.temp_blks
    FROM grouped g
    UNION ALL
    SELECT f.queryid, f.userid, f.dbid, f.stats_since, -100000, h.sample_id, h.taken_at, h.taken_at, false,
           h.calls, h.total_exec_time, h.exec_time_squares, h.wal_bytes, h.temp_blks_written
    FROM firsts f JOIN pgperf.statement_history h
      ON h.node_id = $1::uuid AND h.queryid = f.queryid AND h.sample_id = f.before_id AND h.userid = f.userid AND h.dbid = f.dbid AND h.toplevel
         AND h.stats_since IS NOT DISTINCT FROM f.stats_since
    WHERE NOT f.is_first
    UNION ALL
    SELECT f.queryid, f.userid, f.dbid, f.stats_since, -100000, t.sample_id, t.previous_at, t.previous_at, true, 0, 0, 0, 0, 0
    FROM firsts f JOIN together t ON t.sample_id = f.first_id
    WHERE CASE WHEN f.stats_since IS NOT NULL THEN f.stats_since > t.previous_at
               ELSE f.is_first AND t.previous_at IS NOT NULL AND t.left_out_so_far = 0 AND t.dealloc = t.previous_dealloc END),
compared AS (
    SELECT p.queryid, p.userid, p.dbid, p.part, p.taken_at, p.part >= 0 AS inside, lag(p.taken_at) OVER w AS since,
           CASE WHEN lag(p.is_first AND p.calls = 0) OVER w THEN p.first_at END AS began_at,
           p.calls - lag(p.calls) OVER w AS calls, p.time - lag(p.time) OVER w AS time, p.squares - lag(p.squares) OVER w AS squares,
           p.wal_bytes - lag(p.wal_bytes) OVER w AS wal_bytes, p.temp_blks - lag(p.temp_blks) OVER w AS temp_blks
    FROM parts p WINDOW w AS (PARTITION BY p.queryid, p.userid, p.dbid, p.stats_since ORDER BY p.part)),
steps AS MATERIALIZED (SELECT c.* FROM compared c WHERE c.calls >= 0 AND c.time >= 0),
texts AS MATERIALIZED (
    SELECT DISTINCT ON (t.queryid, t.dbid) t.queryid, t.dbid, left(regexp_replace(btrim(left(t.query, 1000)), '\s+', ' ', 'g'), 200) AS query,
           -- Those of its workers, and calls of its functions.
           t.query ~* 'pgperf' OR t.query LIKE 'SELECT pg_catalog.to_jsonb(q) FROM (%' AS own
    FROM pgperf.statement_texts t WHERE t.node_id = $1::uuid ORDER BY t.queryid, t.dbid, t.taken_at),
totals AS MATERIALIZED (
    SELECT s.*, t.query, COALESCE(t.own, false) AS own
    FROM (SELECT x.queryid, x.userid, x.dbid,
                 min(x.taken_at) FILTER (WHERE x.inside) AS first_at, max(x.taken_at) FILTER (WHERE x.inside) AS last_at,
                 min(x.since) FILTER (WHERE x.inside AND x.began_at IS NOT NULL) AS appeared_after, min(x.began_at) FILTER (WHERE x.inside) AS appeared_at,
                 bool_or(NOT x.inside) AS known_before,
                 sum(x.calls) FILTER (WHERE x.inside) AS calls, sum(x.time) FILTER (WHERE x.inside) AS time,
                 sum(x.squares) FILTER (WHERE x.inside) AS squares, sum(x.temp_blks) FILTER (WHERE x.inside) AS temp_blks,
                 sum(x.calls) FILTER (WHERE NOT x.inside) AS calls_before, sum(x.time) FILTER (WHERE NOT x.inside) AS time_before,
                 sum(x.squares) FILTER (WHERE NOT x.inside) AS squares_before
          FROM steps x GROUP BY x.queryid, x.userid, x.dbid) s
    LEFT JOIN texts t USING (queryid, dbid)),
everything AS MATERIALIZED (
    SELECT sum(t.time) FILTER (WHERE NOT t.own) AS time,
           sum(t.time) FILTER (WHERE NOT t.own AND t.calls_before > 0 AND t.calls > 0) AS time_of_both,
           sum(t.time_before * t.calls / t.calls_before) FILTER (WHERE NOT t.own AND t.calls_before > 0 AND t.calls > 0) AS time_expected
    FROM totals t)
