-- Of the statements of this database with most time in the newest interval, those whose plan is to be read, most time first. $1: the node, $2: the database.
WITH newest AS MATERIALIZED (
    SELECT z.sample_id, z.taken_at FROM pgperf.statement_history z
    WHERE z.node_id = $1::pg_catalog.uuid AND z.queryid = 0 AND z.taken_at > pg_catalog.statement_timestamp() - '1 hour'::pg_catalog.interval
    ORDER BY z.sample_id DESC LIMIT 1),
called AS MATERIALIZED (
    SELECT DISTINCT ON (h.queryid, h.userid) h.queryid, h.userid, h.dbid, h.toplevel, h.role_name, h.database_name, h.sample_id, p.taken_at AS since,
           d.calls, d.time / d.calls AS mean, d.blocks::pg_catalog.float8 / d.calls AS blocks, d.rows::pg_catalog.float8 / d.calls AS rows, d.time
    FROM newest n
    JOIN pgperf.statement_history h ON h.node_id = $1::pg_catalog.uuid AND h.sample_id = n.sample_id AND h.taken_at = n.taken_at
    LEFT JOIN LATERAL (
        SELECT x.taken_at, x.calls, x.total_exec_time, x.rows, x.shared_blks_hit + x.shared_blks_read AS blocks
        FROM pgperf.statement_history x
        WHERE x.node_id = h.node_id AND x.queryid = h.queryid AND x.userid = h.userid AND x.dbid = h.dbid AND x.toplevel = h.toplevel
          AND x.sample_id = h.before_sample_id AND x.taken_at > pg_catalog.statement_timestamp() - '2 days'::pg_catalog.interval
          -- Otherwise it began again.
          AND x.calls <= h.calls AND x.total_exec_time <= h.total_exec_time AND x.shared_blks_hit <= h.shared_blks_hit LIMIT 1) p ON true
    CROSS JOIN LATERAL (
        SELECT h.calls - COALESCE(p.calls, 0) AS calls, h.total_exec_time - COALESCE(p.total_exec_time, 0) AS time,
               h.rows - COALESCE(p.rows, 0) AS rows,
               h.shared_blks_hit + h.shared_blks_read - COALESCE(p.blocks, 0) AS blocks) d
    WHERE h.queryid <> 0 AND h.dbid = $2 AND d.calls > 0
    ORDER BY h.queryid, h.userid, d.time DESC),
top AS MATERIALIZED (
    SELECT c.*, t.query
    FROM called c
    CROSS JOIN LATERAL (
        SELECT x.query FROM pgperf.statement_texts x
        WHERE x.node_id = $1::pg_catalog.uuid AND x.queryid = c.queryid AND x.dbid = c.dbid LIMIT 1) t
    -- What has a plan, and is not pgperf's own.
    WHERE t.query ~* '^(\s|--[^\n]*\n|/\*.*?\*/|\()*(select|insert|update|delete|merge|with|values|table)\M'
      AND t.query !~* 'pgperf' AND t.query NOT LIKE 'SELECT pg_catalog.to_jsonb(q) FROM (%'
    ORDER BY c.time DESC LIMIT 20),
judged AS MATERIALIZED (
    SELECT t.*, COALESCE(pg_catalog.cardinality(b.means) >= 5
        AND ((t.mean >= 1.5 * m.mean OR m.mean >= 1.5 * t.mean) AND pg_catalog.abs(t.mean - m.mean) > 6 * d.mean
             OR (t.blocks >= 1.5 * m.blocks OR m.blocks >= 1.5 * t.blocks) AND pg_catalog.abs(t.blocks - m.blocks) > 6 * d.blocks), false) AS is_outside
    FROM top t
    -- The 30 intervals before.
    CROSS JOIN LATERAL (
        SELECT pg_catalog.array_agg(s.time / s.calls) AS means, pg_catalog.array_agg(s.blocks::pg_catalog.float8 / s.calls) AS blocks
        FROM (SELECT x.calls - pg_catalog.lead(x.calls) OVER w AS calls, x.total_exec_time - pg_catalog.lead(x.total_exec_time) OVER w AS time,
                     x.shared_blks_hit + x.shared_blks_read - pg_catalog.lead(x.shared_blks_hit + x.shared_blks_read) OVER w AS blocks
              FROM (SELECT h.sample_id, h.calls, h.total_exec_time, h.shared_blks_hit, h.shared_blks_read
                    FROM pgperf.statement_history h
                    WHERE h.node_id = $1::pg_catalog.uuid AND h.queryid = t.queryid AND h.userid = t.userid AND h.dbid = t.dbid AND h.toplevel = t.toplevel
                      AND h.sample_id < t.sample_id AND h.taken_at > pg_catalog.statement_timestamp() - '1 day'::pg_catalog.interval
                    ORDER BY h.sample_id DESC LIMIT 31) x
              WINDOW w AS (ORDER BY x.sample_id DESC)) s
        WHERE s.calls > 0 AND s.time >= 0 AND s.blocks >= 0) b
    CROSS JOIN LATERAL (
        SELECT pg_catalog.percentile_cont(0.5) WITHIN GROUP (ORDER BY v.mean) AS mean, pg_catalog.percentile_cont(0.5) WITHIN GROUP (ORDER BY v.blocks) AS blocks
        FROM ROWS FROM (pg_catalog.unnest(b.means), pg_catalog.unnest(b.blocks)) v(mean, blocks)) m
    CROSS JOIN LATERAL (
        SELECT pg_catalog.percentile_cont(0.5) WITHIN GROUP (ORDER BY pg_catalog.abs(v.mean - m.mean)) AS mean,
               pg_catalog.percentile_cont(0.5) WITHIN GROUP (ORDER BY pg_catalog.abs(v.blocks - m.blocks)) AS blocks
        FROM ROWS FROM (pg_catalog.unnest(b.means), pg_catalog.unnest(b.blocks)) v(mean, blocks)) d),
caused AS (
    SELECT j.*,
           CASE WHEN l.taken_at IS NULL OR l.taken_at < pg_catalog.statement_timestamp() - '1 day'::pg_catalog.interval THEN 'top'
                -- What has no plan is not tried again and again, and one that has just been planned for such a change has that plan.
                WHEN l.reason IS NOT NULL
                     OR l.cause <> 'top' AND l.taken_at > pg_catalog.statement_timestamp() - '10 minutes'::pg_catalog.interval
                        AND 1.5 * LEAST(j.mean, l.mean_exec_time) >= GREATEST(j.mean, l.mean_exec_time)
                        AND 1.5 * LEAST(j.blocks, l.blocks_per_call) >= GREATEST(j.blocks, l.blocks_per_call) THEN NULL
                WHEN l.cause = 'changed' AND l.taken_at <= pg_catalog.statement_timestamp() - '10 minutes'::pg_catalog.interval THEN 'again'
                WHEN j.is_outside THEN 'changed' END AS cause
    FROM judged j
    LEFT JOIN LATERAL (
        SELECT x.taken_at, x.cause, x.reason, x.mean_exec_time, x.blocks_per_call FROM pgperf.plan_history x
        WHERE x.node_id = $1::pg_catalog.uuid AND x.queryid = j.queryid AND x.userid = j.userid AND x.dbid = j.dbid
          AND x.taken_at > pg_catalog.statement_timestamp() - '2 days'::pg_catalog.interval
        ORDER BY x.sample_id DESC LIMIT 1) l ON true)
SELECT c.query, c.queryid, c.userid::pg_catalog.int8 AS userid, c.dbid::pg_catalog.int8 AS dbid, c.role_name, c.database_name, c.cause, c.since,
       c.calls, c.mean AS mean_exec_time, c.blocks AS blocks_per_call, c.rows AS rows_per_call,
       CASE WHEN r.oid IS NULL THEN 'its role was dropped'
            WHEN pg_catalog.length(c.query) >= 10000 THEN 'its text was cut off' END AS reason
FROM caused c
LEFT JOIN pg_catalog.pg_roles r ON r.oid = c.userid
WHERE c.cause IS NOT NULL
ORDER BY c.time DESC
