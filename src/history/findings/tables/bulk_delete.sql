-- Between two samples at least 10,000 rows were deleted, 10 % of the table: less is everyday work. These are more than half of all
-- rows that it lost in the window: a queue loses its rows steadily. A warning from half of the table and 1 million rows on.
WITH losers AS MATERIALIZED (
    SELECT t.relation_oid, t.deleted, t.deleted_ever
    FROM totals t
    WHERE t.relation_kind = 'table' AND t.schema_name <> 'pg_catalog' AND t.deleted >= {threshold bulk_delete}),
thirds AS MATERIALIZED (
    -- Where they are many: how far their counters were after a third of the window and after two. A table that lost its rows steadily is not
    -- looked at row by row.
    SELECT x.relation_oid, max(x.deleted) FILTER (WHERE m.no = 1) AS first, max(x.deleted) FILTER (WHERE m.no = 2) AS second
    FROM (SELECT n AS no, $2::timestamptz + n * ($3::timestamptz - $2::timestamptz) / 3 AS moment FROM generate_series(1, 2) n
          WHERE (SELECT count(*) FROM losers) > 100) m
    CROSS JOIN LATERAL (
        SELECT h.relation_oid, h.n_tup_del AS deleted
        FROM pgperf.relation_history h
        WHERE h.node_id = $1::uuid AND h.relation_kind = 'table' AND h.taken_at <= m.moment AND h.taken_at > m.moment - interval '26 hours') x
    GROUP BY x.relation_oid),
candidates AS MATERIALIZED (
    SELECT t.relation_oid, t.deleted
    FROM losers t LEFT JOIN thirds m ON m.relation_oid = t.relation_oid
    WHERE NOT COALESCE(m.second - m.first BETWEEN 0 AND 0.5 * t.deleted AND t.deleted_ever - m.second BETWEEN 0 AND 0.5 * t.deleted
                       AND t.deleted - (t.deleted_ever - m.first) <= 0.5 * t.deleted, false))
SELECT CASE WHEN d.deleted >= 0.5 * (d.n_live_tup + d.deleted) AND d.deleted >= 1000000 THEN 'warning' END,
       100.0 * d.deleted / (d.n_live_tup + d.deleted),
       'table', d.schema_name, d.relation_name, d.taken_at, b.at, d.taken_at,
       format('%s rows were deleted between %s and %s, %s %% of the table; %s rows were dead then',
              to_char(d.deleted, 'FM999,999,999,999,990'), to_char(b.at, 'YYYY-MM-DD HH24:MI:SS'),
              to_char(d.taken_at, 'HH24:MI:SS'), round(100.0 * d.deleted / (d.n_live_tup + d.deleted)),
              to_char(d.n_dead_tup, 'FM999,999,999,999,990')),
       jsonb_build_object('rows_deleted', d.deleted, 'live_rows', d.n_live_tup, 'dead_rows', d.n_dead_tup),
       format('VACUUM (ANALYZE) %I.%I', d.schema_name, d.relation_name)
FROM candidates t
-- The rows of the window, each with the one before it.
CROSS JOIN LATERAL (
    SELECT x.*
    FROM (SELECT h.schema_name, h.relation_name, h.sample_id, h.taken_at, h.n_live_tup, h.n_dead_tup,
                 h.n_tup_del - lag(h.n_tup_del) OVER w AS deleted, lag(h.taken_at) OVER w AS previous_at
          FROM pgperf.relation_history h
          WHERE h.node_id = $1::uuid AND h.relation_oid = t.relation_oid AND h.taken_at <= $3::timestamptz
            AND h.taken_at > $2::timestamptz - interval '25 hours'
          WINDOW w AS (ORDER BY h.sample_id)) x
    WHERE x.taken_at > $2::timestamptz
    ORDER BY x.deleted DESC NULLS LAST LIMIT 1) d
-- The collector's sample before it; of those found alone. OFFSET 0: once for each.
CROSS JOIN LATERAL (
    SELECT COALESCE((SELECT max(z.taken_at) FROM pgperf.relation_history z
                     WHERE z.node_id = $1::uuid AND z.relation_oid = 0 AND z.sample_id < d.sample_id
                       AND z.taken_at >= d.previous_at AND z.taken_at < d.taken_at), d.previous_at) AS at OFFSET 0) b
WHERE d.deleted >= {threshold bulk_delete} AND d.deleted >= 0.1 * (d.n_live_tup + d.deleted) AND d.deleted > 0.5 * t.deleted
