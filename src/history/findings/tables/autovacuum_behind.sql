-- At least 10,000 rows are dead, twice as many as should start autovacuum, in two samples without a finished vacuum between them.
-- Smaller tables do no harm. The limits are those of the settings in the history, and the table's own in the catalog.
SELECT NULL, LEAST(99, 100.0 * t.n_dead_tup / NULLIF(t.n_dead_tup + t.n_live_tup, 0)),
       'table', t.schema_name, t.relation_name, t.last_at, v.since, t.last_at,
       format('%s dead rows beside %s live ones, %s autovacuum''s threshold of %s, and no vacuum has ended since %s%s',
              to_char(t.n_dead_tup, 'FM999,999,999,999,990'), to_char(t.n_live_tup, 'FM999,999,999,999,990'),
              COALESCE(round((t.n_dead_tup / NULLIF(b.threshold, 0))::numeric, 1) || ' times', 'above'), to_char(b.threshold, 'FM999,999,999,999,990'),
              to_char(v.since, 'YYYY-MM-DD HH24:MI'), CASE WHEN b.off THEN '; autovacuum is switched off for it' ELSE '' END),
       jsonb_build_object('dead_rows', t.n_dead_tup, 'live_rows', t.n_live_tup, 'threshold', b.threshold, 'off', b.off),
       format('VACUUM (ANALYZE) %I.%I', t.schema_name, t.relation_name)
FROM totals t
LEFT JOIN LATERAL (SELECT jsonb_object_agg(o.option_name, o.option_value) AS options
                   FROM pg_class c, pg_options_to_table(c.reloptions) o
                   WHERE c.oid = t.relation_oid AND $1::uuid = (SELECT pgperf.local_node())) c ON true
CROSS JOIN (SELECT jsonb_object_agg(s.name, s.value) AS server
            FROM (SELECT DISTINCT ON (h.name) h.name, h.value FROM pgperf.settings_history h
                  WHERE h.node_id = $1::uuid AND h.taken_at <= $3::timestamptz AND h.database_name IS NULL AND h.role_name IS NULL
                    AND h.name IN ('autovacuum', 'autovacuum_vacuum_threshold', 'autovacuum_vacuum_scale_factor', 'autovacuum_vacuum_max_threshold')
                  ORDER BY h.name, h.sample_id DESC) s) s
CROSS JOIN LATERAL (
    SELECT LEAST(
               COALESCE(c.options ->> 'autovacuum_vacuum_threshold', s.server ->> 'autovacuum_vacuum_threshold', '50')::float8
               + COALESCE(c.options ->> 'autovacuum_vacuum_scale_factor', s.server ->> 'autovacuum_vacuum_scale_factor', '0.2')::float8
                   * GREATEST(t.reltuples, 0),
               NULLIF(COALESCE(c.options ->> 'autovacuum_vacuum_max_threshold', s.server ->> 'autovacuum_vacuum_max_threshold')::float8, -1)) AS threshold,
           COALESCE(c.options ->> 'autovacuum_enabled', s.server ->> 'autovacuum', 'on') IN ('off', 'false', 'no', '0') AS off) b
-- The rows of these tables alone, from the last one before the window on: those after the last one that shows a finished vacuum.
CROSS JOIN LATERAL (
    SELECT min(x.taken_at) AS since, count(*) FILTER (WHERE x.n_dead_tup >= 2 * b.threshold) AS samples
    FROM (SELECT y.*, max(y.sample_id) FILTER (WHERE y.vacuumed) OVER () AS vacuumed_id
          FROM (SELECT h.sample_id, h.taken_at, h.n_dead_tup,
                       h.autovacuum_count + h.vacuum_count <> lag(h.autovacuum_count + h.vacuum_count) OVER (ORDER BY h.sample_id) AS vacuumed
                FROM pgperf.relation_history h
                WHERE h.node_id = $1::uuid AND h.relation_oid = t.relation_oid AND h.taken_at <= $3::timestamptz
                  AND h.taken_at >= COALESCE((SELECT max(z.taken_at) FROM pgperf.relation_history z
                                              WHERE z.node_id = $1::uuid AND z.relation_oid = t.relation_oid
                                                AND z.taken_at <= $2::timestamptz AND z.taken_at > $2::timestamptz - interval '25 hours'),
                                             $2::timestamptz)) y) x
    WHERE x.sample_id > COALESCE(x.vacuumed_id, 0)) v
WHERE t.relation_kind = 'table' AND t.n_dead_tup >= {threshold autovacuum_behind} AND t.n_dead_tup >= 2 * b.threshold AND v.samples >= 2
