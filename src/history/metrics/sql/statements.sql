-- Of the statements called within an hour before the newest sample, those with the most time. No texts: a label of 10,000
-- characters helps nobody; pgperf.statement_texts has them.
WITH newest AS MATERIALIZED (
    SELECT h.taken_at
      FROM pgperf.statement_history h
     WHERE h.node_id = $1::uuid AND h.queryid = 0 AND h.taken_at > now() - interval '1 day'
     ORDER BY h.sample_id DESC
     LIMIT 1),
called AS (
    SELECT DISTINCT ON (h.queryid, h.userid, h.dbid, h.toplevel) h.*
      FROM pgperf.statement_history h
     WHERE h.node_id = $1::uuid AND h.queryid <> 0 AND h.taken_at > now() - interval '25 hours'
       AND h.taken_at > (SELECT n.taken_at - interval '1 hour' FROM newest n)
     ORDER BY h.queryid, h.userid, h.dbid, h.toplevel, h.sample_id DESC)
SELECT c.queryid::text AS queryid, c.role_name AS role, c.database_name AS database, c.toplevel::text AS toplevel,
       c.calls AS statement_calls,
       c.total_exec_time / 1000 AS statement_execution_seconds,
       c.total_plan_time / 1000 AS statement_planning_seconds,
       c.rows AS statement_rows,
       c.shared_blks_hit AS statement_blocks_hit,
       c.shared_blks_read AS statement_blocks_read,
       c.shared_blks_dirtied AS statement_blocks_dirtied,
       (c.temp_blks_read + c.temp_blks_written) * current_setting('block_size')::bigint AS statement_temp_bytes,
       c.wal_bytes AS statement_wal_bytes
  FROM called c
 ORDER BY c.total_exec_time DESC NULLS LAST, c.queryid
 LIMIT 20
