-- Between two samples at least 10,000 rows were deleted, 10 % of the table: less is everyday work. These are more than half of all
-- rows that it lost in the window: a queue loses its rows steadily. A warning from half of the table and 1 million rows on.
SELECT CASE WHEN d.deleted >= 0.5 * (d.n_live_tup + d.deleted) AND d.deleted >= 1000000 THEN 'warning' END,
       100.0 * d.deleted / (d.n_live_tup + d.deleted),
       'table', d.schema_name, d.relation_name, d.taken_at, d.since, d.taken_at,
       format('%s rows were deleted between %s and %s, %s %% of the table; %s rows were dead then',
              to_char(d.deleted, 'FM999,999,999,999,990'), to_char(d.since, 'YYYY-MM-DD HH24:MI:SS'),
              to_char(d.taken_at, 'HH24:MI:SS'), round(100.0 * d.deleted / (d.n_live_tup + d.deleted)),
              to_char(d.n_dead_tup, 'FM999,999,999,999,990')),
       jsonb_build_object('rows_deleted', d.deleted, 'live_rows', d.n_live_tup, 'dead_rows', d.n_dead_tup),
       format('VACUUM (ANALYZE) %I.%I', d.schema_name, d.relation_name)
FROM totals t
JOIN steps s ON s.relation_oid = t.relation_oid AND s.part >= 0 AND s.deleted >= 10000 AND s.deleted > 0.5 * t.deleted
-- The rows of that part, each with the one before it and the collector's sample before it.
CROSS JOIN LATERAL (
    SELECT x.*, COALESCE((SELECT max(z.taken_at) FROM pgperf.relation_history z
                          WHERE z.node_id = $1::uuid AND z.relation_oid = 0 AND z.sample_id < x.sample_id
                            AND z.taken_at >= x.previous_at AND z.taken_at < x.taken_at), x.previous_at) AS since
    FROM (SELECT h.schema_name, h.relation_name, h.sample_id, h.taken_at, h.n_live_tup, h.n_dead_tup,
                 h.n_tup_del - lag(h.n_tup_del) OVER w AS deleted, lag(h.taken_at) OVER w AS previous_at
          FROM pgperf.relation_history h
          WHERE h.node_id = $1::uuid AND h.relation_oid = t.relation_oid AND h.taken_at <= s.taken_at AND h.taken_at >= s.first_at - interval '25 hours'
          WINDOW w AS (ORDER BY h.sample_id)) x
    WHERE x.taken_at >= s.first_at
    ORDER BY x.deleted DESC NULLS LAST LIMIT 1) d
WHERE t.relation_kind = 'table' AND t.schema_name <> 'pg_catalog'
  AND d.deleted >= 10000 AND d.deleted >= 0.1 * (d.n_live_tup + d.deleted) AND d.deleted > 0.5 * t.deleted
