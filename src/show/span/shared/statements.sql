-- What each statement counted in this window (no 0) and in each of the five before it of the same length; of the first of them, apart, in the
-- last day before the window (near). pg_stat_statements survives restarts, so epochs do not matter: a statement that was reset or evicted, and
-- came back, shows in its stats_since; before version 1.11 in any of its counters, which fell, or in its extremes, which only widen. It has a row
-- for each of its lives, which counted for itself.
WITH w AS MATERIALIZED (
    -- Seconds alone: days may have 23 hours.
    SELECT $1::pg_catalog.uuid AS node_id, pg_catalog.make_interval(secs => pg_catalog.date_part('epoch', $3::pg_catalog.timestamptz - $2::pg_catalog.timestamptz)) AS length),
-- Where stretches of time begin, the oldest first: a microsecond later, since a moment between two belongs to the first one.
beginnings AS MATERIALIZED (
    SELECT pg_catalog.array_agg(b.at + '1 microsecond'::pg_catalog.interval ORDER BY b.at) AS moments
    FROM w CROSS JOIN LATERAL (
        SELECT $2::pg_catalog.timestamptz - n.no * w.length AS at FROM pg_catalog.generate_series(0, 4) n(no)
        UNION ALL
        SELECT $2::pg_catalog.timestamptz - LEAST(w.length, '24 hours'::pg_catalog.interval)) b),
-- OFFSET 0: otherwise the server takes each moment for a stretch of its own, and sorts all rows.
counted AS MATERIALIZED (
    SELECT h.queryid, h.userid, h.dbid, h.toplevel, h.stretch,
           pg_catalog.min(h.sample_id) AS first_id, pg_catalog.max(h.sample_id) AS last_id,
           pg_catalog.min(h.taken_at) AS first_at, pg_catalog.max(h.taken_at) AS last_at,
           pg_catalog.max(h.calls) AS calls, pg_catalog.max(h.total_exec_time) AS time,
           pg_catalog.min(h.min_exec_time) AS shortest, pg_catalog.max(h.max_exec_time) AS longest
    FROM (SELECT x.queryid, x.userid, x.dbid, x.toplevel, x.sample_id, x.taken_at, x.calls, x.total_exec_time, x.min_exec_time, x.max_exec_time,
                 pg_catalog.width_bucket(x.taken_at, (SELECT b.moments FROM beginnings b)) AS stretch
          FROM pgperf.statement_history x
          WHERE x.node_id = $1::pg_catalog.uuid AND x.taken_at <= $3::pg_catalog.timestamptz AND x.queryid <> 0
            AND x.taken_at > $2::pg_catalog.timestamptz - 5 * ($3::pg_catalog.timestamptz - $2::pg_catalog.timestamptz) OFFSET 0) h
    GROUP BY 1, 2, 3, 4, 5),
objects AS MATERIALIZED (
    SELECT CASE c.stretch WHEN 6 THEN 0 WHEN 5 THEN 1 ELSE 5 - c.stretch END AS no, c.stretch >= 5 AS near, c.*
    FROM counted c),
-- The time of a row finds its partition.
ends AS MATERIALIZED (
    SELECT o.*, f.stats_since AS since, f.before_sample_id, f.calls AS first_calls, f.total_exec_time AS first_time, f.min_exec_time AS first_shortest, f.max_exec_time AS first_longest,
           COALESCE(l.calls < o.calls OR l.total_exec_time < o.time OR l.calls = f.calls AND l.total_exec_time <> f.total_exec_time OR {fell f l}
                    OR l.stats_since IS NULL AND (l.min_exec_time > o.shortest OR l.max_exec_time < o.longest), false)
               OR f.stats_since IS DISTINCT FROM l.stats_since AS broken
    FROM objects o CROSS JOIN w
    CROSS JOIN LATERAL (SELECT x.* FROM pgperf.statement_history x
        WHERE x.node_id = w.node_id AND x.queryid = o.queryid AND x.userid = o.userid AND x.dbid = o.dbid AND x.toplevel = o.toplevel
          AND x.sample_id = o.first_id AND x.taken_at = o.first_at LIMIT 1) f
    CROSS JOIN LATERAL (SELECT x.* FROM pgperf.statement_history x
        WHERE x.node_id = w.node_id AND x.queryid = o.queryid AND x.userid = o.userid AND x.dbid = o.dbid AND x.toplevel = o.toplevel
          AND x.sample_id = o.last_id AND x.taken_at = o.last_at LIMIT 1) l),
-- The rows of those that seem to have come back within the window. Samples may overlap: then the one with the lower number may have read the
-- counters last, and they seem to fall. Each row names the one it was compared with, the newest that its sample saw (NULL: none of the last
-- days). A row that a later one did not see is left out: what it counted is in a later one too.
seen AS (
    SELECT e.no, e.near, c.queryid, c.userid, c.dbid, c.toplevel, c.sample_id, c.taken_at, c.before_sample_id, c.calls,
           c.total_exec_time, c.min_exec_time, c.max_exec_time, c.stats_since,
           COALESCE(pg_catalog.min(c.before_sample_id) OVER later < c.sample_id, false)
               OR COALESCE(pg_catalog.bool_or(c.before_sample_id IS NULL) OVER soon, false) AS unseen
    FROM ends e CROSS JOIN w
    -- OFFSET 0: each is looked up, and there are few.
    CROSS JOIN LATERAL (SELECT x.* FROM pgperf.statement_history x
        WHERE x.node_id = w.node_id AND x.queryid = e.queryid AND x.userid = e.userid AND x.dbid = e.dbid AND x.toplevel = e.toplevel
          AND x.sample_id BETWEEN e.first_id AND e.last_id AND x.taken_at BETWEEN e.first_at AND e.last_at OFFSET 0) c
    WHERE e.broken
    WINDOW later AS (PARTITION BY e.no, e.near, c.queryid, c.userid, c.dbid, c.toplevel ORDER BY c.sample_id
                     ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING),
           soon AS (PARTITION BY e.no, e.near, c.queryid, c.userid, c.dbid, c.toplevel ORDER BY c.taken_at
                    RANGE BETWEEN '1 microsecond'::pg_catalog.interval FOLLOWING AND '1 day'::pg_catalog.interval FOLLOWING)),
-- The lives of those that did come back.
steps AS (
    SELECT c.*,
           COALESCE(CASE WHEN c.stats_since IS NOT NULL AND pg_catalog.lag(c.stats_since) OVER one IS NOT NULL
                         THEN c.stats_since <> pg_catalog.lag(c.stats_since) OVER one
                    ELSE c.calls < pg_catalog.lag(c.calls) OVER one OR c.total_exec_time < pg_catalog.lag(c.total_exec_time) OVER one
                         OR c.calls = pg_catalog.lag(c.calls) OVER one AND c.total_exec_time <> pg_catalog.lag(c.total_exec_time) OVER one
                         OR c.min_exec_time > pg_catalog.lag(c.min_exec_time) OVER one OR c.max_exec_time < pg_catalog.lag(c.max_exec_time) OVER one
                    END, false) AS again
    FROM seen c
    WHERE NOT c.unseen
    WINDOW one AS (PARTITION BY c.no, c.near, c.queryid, c.userid, c.dbid, c.toplevel ORDER BY c.sample_id)),
lives AS (
    SELECT s.*, pg_catalog.count(*) FILTER (WHERE s.again) OVER (
               PARTITION BY s.no, s.near, s.queryid, s.userid, s.dbid, s.toplevel ORDER BY s.sample_id) AS life
    FROM steps s),
stretches AS (
    SELECT e.no, e.near, e.queryid, e.userid, e.dbid, e.toplevel, e.first_id, e.first_at, e.before_sample_id, e.first_calls, e.first_time, e.first_shortest,
           e.first_longest, e.since, e.last_id, e.last_at, true AS is_first
    FROM ends e WHERE NOT e.broken
    UNION ALL
    (SELECT DISTINCT ON (v.no, v.near, v.queryid, v.userid, v.dbid, v.toplevel, v.life)
           v.no, v.near, v.queryid, v.userid, v.dbid, v.toplevel, pg_catalog.first_value(v.sample_id) OVER one,
           pg_catalog.first_value(v.taken_at) OVER one, pg_catalog.first_value(v.before_sample_id) OVER one,
           pg_catalog.first_value(v.calls) OVER one, pg_catalog.first_value(v.total_exec_time) OVER one,
           pg_catalog.first_value(v.min_exec_time) OVER one,
           pg_catalog.first_value(v.max_exec_time) OVER one, pg_catalog.first_value(v.stats_since) OVER one,
           v.sample_id, v.taken_at, v.life = 0
    FROM lives v
    WINDOW one AS (PARTITION BY v.no, v.near, v.queryid, v.userid, v.dbid, v.toplevel, v.life ORDER BY v.sample_id)
    ORDER BY v.no, v.near, v.queryid, v.userid, v.dbid, v.toplevel, v.life, v.sample_id DESC)),
-- Where counting began: at the row before, or at 0 if the statement provably came since the sample before. If that sample left statements out,
-- one without a row before may have been among them, but not with more time than any of them had taken that no row tells of: no matter, if
-- it has taken twenty times as much now. Where a sample that overlapped knew the statement, the sample before is that before both.
-- Where nothing is known, as of all statements at the first sample of a history, it began at the statement's own first row.
placed AS MATERIALIZED (
    SELECT s.no, s.near, s.queryid, s.userid, s.dbid, s.toplevel, s.is_first, s.first_id, s.first_at, s.last_id, s.last_at, s.since,
           b.sample_id AS base_id, b.taken_at AS base_at, c.taken_at AS new_after,
           p.sample_id IS NOT NULL OR NOT s.is_first OR COALESCE(s.since > c.taken_at, s.since IS NULL AND c.left_out = 0, false)
               OR COALESCE(s.first_time > 20 * c.max_left_out_time, false) AS known
    FROM stretches s CROSS JOIN w
    LEFT JOIN LATERAL (
        SELECT x.sample_id, x.taken_at, x.calls, x.total_exec_time, x.min_exec_time, x.max_exec_time, x.stats_since
        FROM pgperf.statement_history x
        WHERE s.is_first AND x.node_id = w.node_id AND x.queryid = s.queryid AND x.userid = s.userid AND x.dbid = s.dbid
          AND x.toplevel = s.toplevel AND x.sample_id <= s.before_sample_id
          AND x.taken_at <= s.first_at AND x.taken_at > s.first_at - '9 days'::pg_catalog.interval
        ORDER BY x.sample_id DESC LIMIT 1) p ON true
    LEFT JOIN LATERAL (
        SELECT p.* WHERE p.sample_id IS NOT NULL AND p.stats_since IS NOT DISTINCT FROM s.since
                     AND (s.since IS NOT NULL
                          OR ((p.calls < s.first_calls AND p.total_exec_time <= s.first_time OR p.calls = s.first_calls AND p.total_exec_time = s.first_time)
                              AND p.min_exec_time >= s.first_shortest AND p.max_exec_time <= s.first_longest) IS NOT FALSE)) b ON true
    LEFT JOIN LATERAL (
        SELECT pg_catalog.min(x.sample_id) AS sample_id FROM pgperf.statement_history x
        WHERE s.before_sample_id IS NULL AND s.is_first AND x.node_id = w.node_id AND x.queryid = s.queryid AND x.userid = s.userid
          AND x.dbid = s.dbid AND x.toplevel = s.toplevel AND x.sample_id < s.first_id
          AND x.taken_at <= s.first_at AND x.taken_at > s.first_at - '1 day'::pg_catalog.interval) o ON true
    LEFT JOIN LATERAL (
        SELECT x.taken_at, x.left_out, x.max_left_out_time FROM pgperf.statement_history x
        WHERE p.sample_id IS NULL AND s.is_first AND x.node_id = w.node_id AND x.queryid = 0 AND x.sample_id < COALESCE(o.sample_id, s.first_id)
          AND x.taken_at <= s.first_at AND x.taken_at > s.first_at - '9 days'::pg_catalog.interval
        ORDER BY x.sample_id DESC LIMIT 1) c ON true),
based AS MATERIALIZED (
    SELECT p.no, p.near, p.queryid, p.userid, p.dbid, p.toplevel, p.is_first, p.first_id, p.first_at, p.last_id, p.last_at, p.since,
           CASE WHEN p.known THEN p.base_id ELSE p.first_id END AS base_id, CASE WHEN p.known THEN p.base_at ELSE p.first_at END AS base_at,
           CASE WHEN p.known THEN p.new_after END AS new_after, p.known OR p.first_id <> p.last_id AS known
    FROM placed p)
-- A row of which nothing is known before has no counts.
SELECT b.no, b.near, b.queryid, b.userid, b.dbid, b.toplevel, l.database_name, b.first_id, b.first_at, b.last_id, b.last_at, b.since, b.known,
       CASE WHEN b.known AND b.is_first AND b.base_id IS NULL THEN b.new_after END AS new_after,
       COALESCE(x.wal_bytes, 0) AS base_wal_bytes,
       CASE WHEN b.known THEN l.calls - COALESCE(x.calls, 0) END AS calls,
       CASE WHEN b.known THEN l.total_exec_time - COALESCE(x.total_exec_time, 0) END AS exec_ms,
       CASE WHEN b.known THEN l.exec_time_squares - COALESCE(x.exec_time_squares, 0) END AS squares,
       CASE WHEN b.known THEN l.rows - COALESCE(x.rows, 0) END AS rows,
       CASE WHEN b.known THEN l.shared_blks_hit - COALESCE(x.shared_blks_hit, 0) END AS hit,
       CASE WHEN b.known THEN l.shared_blks_read - COALESCE(x.shared_blks_read, 0) END AS read,
       CASE WHEN b.known THEN l.shared_blk_read_time - COALESCE(x.shared_blk_read_time, 0) END AS read_ms,
       CASE WHEN b.known THEN l.wal_bytes - COALESCE(x.wal_bytes, 0) END AS wal_bytes,
       CASE WHEN b.known THEN l.temp_blks_read - COALESCE(x.temp_blks_read, 0) END AS temp_read,
       CASE WHEN b.known THEN l.temp_blks_written - COALESCE(x.temp_blks_written, 0) END AS temp_written,
       CASE WHEN b.known THEN l.jit_generation_time + l.jit_inlining_time + l.jit_optimization_time + l.jit_emission_time
           - COALESCE(x.jit_generation_time + x.jit_inlining_time + x.jit_optimization_time + x.jit_emission_time, 0) END AS jit_ms,
       CASE WHEN b.known THEN l.total_plan_time - COALESCE(x.total_plan_time, 0) END AS plan_ms,
       CASE WHEN b.known THEN l.plans - COALESCE(x.plans, 0) END AS plans,
       CASE WHEN k.cpu_ms >= 0 THEN k.cpu_ms END AS cpu_ms,
       CASE WHEN k.disk_read_bytes >= 0 THEN k.disk_read_bytes END AS disk_read_bytes
FROM based b CROSS JOIN w
-- LIMIT: each is looked up.
CROSS JOIN LATERAL (SELECT h.* FROM pgperf.statement_history h
    WHERE h.node_id = w.node_id AND h.queryid = b.queryid AND h.userid = b.userid AND h.dbid = b.dbid AND h.toplevel = b.toplevel
      AND h.sample_id = b.last_id AND h.taken_at = b.last_at LIMIT 1) l
-- If a counter fell since, it began again in between.
LEFT JOIN LATERAL (SELECT h.* FROM pgperf.statement_history h
    WHERE h.node_id = w.node_id AND h.queryid = b.queryid AND h.userid = b.userid AND h.dbid = b.dbid AND h.toplevel = b.toplevel
      AND h.sample_id = b.base_id AND h.taken_at = b.base_at AND (h.stats_since IS NOT NULL OR {fell h l} IS NOT TRUE) LIMIT 1) x ON true
-- pg_stat_kcache counts, is reset and evicts for itself, and may have counted what is new here for long: what it says is known from the row before on.
CROSS JOIN LATERAL (
    SELECT l.exec_user_time + l.exec_system_time - (x.exec_user_time + x.exec_system_time) AS cpu_ms,
           l.exec_reads - x.exec_reads AS disk_read_bytes) k
