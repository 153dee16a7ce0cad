-- What each statement counted in the window, and as long before it, but no more than a day. A statement that pg_stat_statements did not have
-- before has counted from 0: stats_since says so; before version 1.11 it is new if every sample has stored all statements and none was
-- evicted meanwhile. pgperf's own statements are marked.
together AS MATERIALIZED (
    SELECT z.sample_id, z.taken_at, z.statements, z.dealloc, lag(z.taken_at) OVER w AS previous_at, lag(z.dealloc) OVER w AS previous_dealloc,
           max(z.left_out) OVER w AS left_out_so_far
    FROM pgperf.statement_history z
    WHERE z.node_id = $1::uuid AND z.queryid = 0 AND z.taken_at <= $3::timestamptz
      AND z.taken_at > $2::timestamptz - LEAST($3::timestamptz - $2::timestamptz, interval '1 day') - interval '1 hour'
    WINDOW w AS (ORDER BY z.sample_id)),
lives AS MATERIALIZED (
    SELECT b.*, t.previous_at
    FROM {statements} b
    LEFT JOIN together t ON t.sample_id = b.first_id AND b.no = 0 AND b.new_after IS NOT NULL
         AND CASE WHEN b.since IS NOT NULL THEN b.since > t.previous_at
                  ELSE t.previous_at IS NOT NULL AND t.left_out_so_far = 0 AND t.dealloc = t.previous_dealloc END
    WHERE b.toplevel AND b.known AND b.near AND b.calls >= 0 AND b.exec_ms >= 0),
texts AS MATERIALIZED (
    SELECT DISTINCT ON (t.queryid, t.dbid) t.queryid, t.dbid, left(regexp_replace(btrim(left(t.query, 1000)), '\s+', ' ', 'g'), 200) AS query,
           -- Those of its workers, and calls of its functions.
           t.query ~* 'pgperf' OR t.query LIKE 'SELECT pg_catalog.to_jsonb(q) FROM (%' AS own
    FROM pgperf.statement_texts t WHERE t.node_id = $1::uuid ORDER BY t.queryid, t.dbid, t.taken_at),
totals AS MATERIALIZED (
    SELECT s.*, t.query, COALESCE(t.own, false) AS own
    FROM (SELECT x.queryid, x.userid, x.dbid, max(x.database_name) AS database_name,
                 min(x.first_at) FILTER (WHERE x.no = 0) AS first_at, max(x.last_at) FILTER (WHERE x.no = 0) AS last_at,
                 min(x.previous_at) AS appeared_after, min(x.first_at) FILTER (WHERE x.previous_at IS NOT NULL) AS appeared_at,
                 bool_or(x.no > 0) AS known_before,
                 sum(x.calls) FILTER (WHERE x.no = 0) AS calls, sum(x.exec_ms) FILTER (WHERE x.no = 0) AS time,
                 sum(x.squares) FILTER (WHERE x.no = 0) AS squares, sum(x.temp_written) FILTER (WHERE x.no = 0) AS temp_blks,
                 sum(x.wal_bytes) FILTER (WHERE x.no = 0) AS wal_bytes, sum(x.wal_bytes) AS wal_bytes_always, sum(x.rows) FILTER (WHERE x.no = 0) AS rows,
                 sum(x.hit + x.read) FILTER (WHERE x.no = 0) AS blocks, sum(x.hit + x.read) FILTER (WHERE x.no > 0) AS blocks_before,
                 sum(x.calls) FILTER (WHERE x.no > 0) AS calls_before, sum(x.exec_ms) FILTER (WHERE x.no > 0) AS time_before,
                 sum(x.squares) FILTER (WHERE x.no > 0) AS squares_before
          FROM lives x GROUP BY x.queryid, x.userid, x.dbid) s
    LEFT JOIN texts t USING (queryid, dbid)),
everything AS MATERIALIZED (
    SELECT sum(t.time) FILTER (WHERE NOT t.own) AS time,
           sum(t.time) FILTER (WHERE NOT t.own AND t.calls_before > 0 AND t.calls > 0) AS time_of_both,
           sum(t.time_before * t.calls / t.calls_before) FILTER (WHERE NOT t.own AND t.calls_before > 0 AND t.calls > 0) AS time_expected
    FROM totals t)
