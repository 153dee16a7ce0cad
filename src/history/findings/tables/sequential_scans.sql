-- At least 64 MB, half of the default of shared_buffers; at least five scans, and two an hour, since a dump or a new index needs one;
-- at least half of the table per scan, since one with LIMIT stops early. A parallel scan counts once for each of its processes, so where up to
-- n workers are allowed (three at most are taken into account), half is divided by 1 + n. A warning from 1 GB on, if 90 % of all rows read are read
-- like this.
WITH planned AS MATERIALIZED (
    SELECT y.queryid, (SELECT x.plan FROM pgperf.plan_texts x WHERE x.node_id = $1::uuid AND x.plan_hash = y.plan_hash LIMIT 1) || E'\n' AS plan
    FROM (SELECT DISTINCT ON (h.queryid, h.userid, h.dbid) h.queryid, h.plan_hash FROM pgperf.plan_history h
          WHERE h.node_id = $1::uuid AND h.taken_at <= $3::timestamptz AND h.taken_at > $2::timestamptz - interval '2 days'
          ORDER BY h.queryid, h.userid, h.dbid, h.sample_id DESC) y),
-- Both are read only for tables that are named.
active AS MATERIALIZED (
    SELECT h.query_id, sum(h.seen) AS seconds FROM pgperf.session_history h
    WHERE h.node_id = $1::uuid AND h.taken_at > $2::timestamptz AND h.taken_at <= $3::timestamptz AND h.state = 'active'
      AND (h.wait_event_type, h.wait_event) IS DISTINCT FROM ('Client', 'ClientRead') AND (h.wait_event IN ('BgWorkerShutdown', 'BgworkerShutdown')) IS NOT TRUE
    GROUP BY h.query_id)
SELECT CASE WHEN t.seq_rows >= 0.9 * r.rows_read AND t.size_bytes >= 1073741824 THEN 'warning' END,
       100.0 * t.seq_rows / NULLIF(r.rows_read, 0),
       'table', t.schema_name, t.relation_name, t.last_at, t.since, t.last_at,
       format('%s sequential scans of %s read %s rows each: %s %% of all rows that the database read',
              to_char(t.seq_scans, 'FM999,999,999,999,990'), pg_size_pretty(t.size_bytes),
              to_char(t.seq_rows::numeric / t.seq_scans, 'FM999,999,999,999,990'), round(100.0 * t.seq_rows / NULLIF(r.rows_read, 0))),
       jsonb_build_object('scans', t.seq_scans, 'rows_read', t.seq_rows, 'size_bytes', t.size_bytes,
                          -- Sessions that executed statements whose plans have such a scan.
                          'time_percent', (SELECT round(100 * sum(a.seconds) FILTER (WHERE a.query_id IN (
                                               SELECT p.queryid FROM planned p CROSS JOIN (SELECT format('Seq Scan on %I.%I', t.schema_name, t.relation_name) AS scan) s
                                               WHERE strpos(p.plan, s.scan || ' ') > 0 OR strpos(p.plan, s.scan || E'\n') > 0)) / NULLIF(sum(a.seconds), 0), 1)
                                           FROM active a)),
       NULL
FROM totals t
CROSS JOIN (SELECT sum(x.seq_rows) AS rows_read FROM totals x WHERE x.relation_kind = 'table') r
CROSS JOIN (SELECT COALESCE((SELECT s.value::bigint FROM pgperf.settings_history s
                             WHERE s.node_id = $1::uuid AND s.name = 'max_parallel_workers_per_gather' AND s.database_name IS NULL AND s.role_name IS NULL
                               AND s.taken_at <= $3::timestamptz AND s.value ~ '^\d+$'
                             ORDER BY s.sample_id DESC LIMIT 1), 2) AS workers) w
WHERE t.relation_kind = 'table' AND t.schema_name NOT IN ('pg_catalog', 'pg_toast') AND t.size_bytes >= {threshold sequential_scans}
  AND t.seq_scans >= 5 AND t.seq_scans >= EXTRACT(epoch FROM $3::timestamptz - $2::timestamptz) / 1800
  AND t.seq_rows >= 0.5 / (1 + LEAST(w.workers, 3)) * t.reltuples * t.seq_scans
