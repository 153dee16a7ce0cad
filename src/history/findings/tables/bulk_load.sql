-- Between two samples a table grew by at least 128 MB, and by 10 % of the database, which it still has at the end: less is everyday work. That is
-- more than half of its growth in the window: a table of events grows steadily. A warning from half of the database and 1 GB on.
WITH large AS MATERIALIZED (
    SELECT t.relation_oid, t.growth, s.size_bytes
    FROM totals t
    CROSS JOIN (SELECT h.size_bytes FROM pgperf.database_history h
                WHERE h.node_id = $1::uuid AND h.taken_at <= $3::timestamptz AND h.taken_at > $2::timestamptz AND h.database_name IS NOT NULL AND h.size_bytes > 0
                ORDER BY h.sample_id DESC LIMIT 1) s
    WHERE t.relation_kind = 'table' AND t.schema_name <> 'pg_catalog' AND t.growth >= {threshold bulk_load} AND t.size_bytes >= 0.1 * s.size_bytes)
SELECT CASE WHEN d.grown >= 0.5 * s.size_bytes AND d.grown >= 1073741824 THEN 'warning' END, LEAST(99, 100.0 * d.grown / s.size_bytes),
       'table', d.schema_name, d.relation_name, d.taken_at, b.at, d.taken_at,
       format('the table grew by %s between %s and %s, %s %% of the database; %s rows were inserted', pg_size_pretty(d.grown),
              to_char(b.at, 'YYYY-MM-DD HH24:MI:SS'), to_char(d.taken_at, 'HH24:MI:SS'), round(100.0 * d.grown / s.size_bytes),
              to_char(d.inserted, 'FM999,999,999,999,990')),
       jsonb_build_object('grown_bytes', d.grown, 'rows_inserted', d.inserted, 'database_bytes', s.size_bytes),
       format('ANALYZE %I.%I', d.schema_name, d.relation_name)
FROM large s
-- The rows of the window, each with the one before it.
CROSS JOIN LATERAL (
    SELECT x.*
    FROM (SELECT h.schema_name, h.relation_name, h.sample_id, h.taken_at, h.size_bytes - lag(h.size_bytes) OVER w AS grown,
                 h.n_tup_ins - lag(h.n_tup_ins) OVER w AS inserted, lag(h.taken_at) OVER w AS previous_at
          FROM pgperf.relation_history h
          WHERE h.node_id = $1::uuid AND h.relation_oid = s.relation_oid AND h.taken_at <= $3::timestamptz
            AND h.taken_at > $2::timestamptz - interval '25 hours'
          WINDOW w AS (ORDER BY h.sample_id)) x
    WHERE x.taken_at > $2::timestamptz
    ORDER BY x.grown DESC NULLS LAST LIMIT 1) d
-- The collector's sample before it; of those found alone. OFFSET 0: once for each.
CROSS JOIN LATERAL (
    SELECT COALESCE((SELECT max(z.taken_at) FROM pgperf.relation_history z
                     WHERE z.node_id = $1::uuid AND z.relation_oid = 0 AND z.sample_id < d.sample_id
                       AND z.taken_at >= d.previous_at AND z.taken_at < d.taken_at), d.previous_at) AS at OFFSET 0) b
WHERE d.grown >= {threshold bulk_load} AND d.grown >= 0.1 * s.size_bytes AND d.grown > 0.5 * s.growth
