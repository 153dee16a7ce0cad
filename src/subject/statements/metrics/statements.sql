-- Of the statements called within an hour before the newest sample, those with the most time. No texts: a label of 10,000
-- characters helps nobody; pgperf.statement_texts has them.
WITH RECURSIVE newest AS MATERIALIZED (
    SELECT h.taken_at
      FROM pgperf.statement_history h
     WHERE h.node_id = $1::uuid AND h.queryid = 0 AND {part h}
     ORDER BY h.sample_id DESC
     LIMIT 1),
-- The last sample before that hour.
earlier AS MATERIALIZED (
    SELECT s.sample_id
      FROM pgperf.samples s
     WHERE s.node_id = $1::uuid AND {25 hours s} AND s.taken_at <= (SELECT n.taken_at - interval '1 hour' FROM newest n)
     ORDER BY s.sample_id DESC
     LIMIT 1),
-- The index leads from the newest row of a statement to the next statement.
known AS (
    (SELECT h.queryid, h.userid, h.dbid, h.toplevel, h.sample_id, h.taken_at
       FROM pgperf.statement_history h
      WHERE h.node_id = $1::uuid AND {25 hours h}
      ORDER BY h.queryid DESC, h.sample_id DESC
      LIMIT 1)
    UNION ALL
    SELECT o.*
      FROM known k
     CROSS JOIN LATERAL (
           SELECT h.queryid, h.userid, h.dbid, h.toplevel, h.sample_id, h.taken_at
             FROM pgperf.statement_history h
            WHERE h.node_id = $1::uuid AND h.queryid < k.queryid AND {25 hours h}
            ORDER BY h.queryid DESC, h.sample_id DESC
            LIMIT 1) o),
-- Several roles and databases may have one, which hardly ever is so.
called AS MATERIALIZED (
    SELECT h.sample_id, h.queryid, h.userid, h.dbid, h.toplevel, h.role_name, h.database_name,
           h.calls, h.total_exec_time, h.total_plan_time, h.rows, h.shared_blks_hit, h.shared_blks_read, h.shared_blks_dirtied, h.temp_blks_read,
           h.temp_blks_written, h.wal_bytes
      FROM newest n JOIN known k ON k.queryid <> 0 AND k.taken_at > n.taken_at - interval '1 hour'
     CROSS JOIN LATERAL (
           SELECT k.userid, k.dbid, k.toplevel, k.sample_id
           UNION ALL
           SELECT x.userid, x.dbid, x.toplevel, max(x.sample_id)
             FROM pgperf.statement_history x
            WHERE x.node_id = $1::uuid AND x.queryid = k.queryid AND {25 hours x}
              AND x.taken_at > n.taken_at - interval '1 hour' AND x.sample_id > COALESCE((SELECT e.sample_id FROM earlier e), 0)
              AND (x.userid, x.dbid, x.toplevel) IS DISTINCT FROM (k.userid, k.dbid, k.toplevel)
            GROUP BY x.userid, x.dbid, x.toplevel) c
      JOIN pgperf.statement_history h ON h.node_id = $1::uuid AND {25 hours h} AND h.queryid = k.queryid
       AND h.sample_id = c.sample_id AND h.userid = c.userid AND h.dbid = c.dbid AND h.toplevel = c.toplevel),
named AS (
    SELECT c.*,
           -- Both may have been renamed since, or dropped, which leaves their number.
           COALESCE(first_value(c.role_name) OVER (PARTITION BY c.userid ORDER BY c.sample_id DESC), c.userid::text) AS role,
           COALESCE(first_value(c.database_name) OVER (PARTITION BY c.dbid ORDER BY c.sample_id DESC), c.dbid::text) AS database
      FROM called c)
-- Another role may have got the name.
SELECT c.queryid::text AS queryid, c.role, c.database, c.toplevel::text AS toplevel,
       sum(c.calls)::bigint AS statement_calls,
       sum(c.total_exec_time) / 1000 AS statement_execution_seconds,
       sum(c.total_plan_time) / 1000 AS statement_planning_seconds,
       sum(c.rows)::bigint AS statement_rows,
       sum(c.shared_blks_hit)::bigint AS statement_blocks_hit,
       sum(c.shared_blks_read)::bigint AS statement_blocks_read,
       sum(c.shared_blks_dirtied)::bigint AS statement_blocks_dirtied,
       (sum(c.temp_blks_read + c.temp_blks_written) * current_setting('block_size')::bigint)::bigint AS statement_temp_bytes,
       sum(c.wal_bytes)::bigint AS statement_wal_bytes,
       GREATEST(count(*) OVER () - 20, 0) AS left_out
  FROM named c
 GROUP BY c.queryid, c.role, c.database, c.toplevel
 ORDER BY sum(c.total_exec_time) DESC NULLS LAST, c.queryid
 LIMIT 20
