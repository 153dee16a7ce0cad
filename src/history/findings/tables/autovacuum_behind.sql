-- At least 10,000 rows are dead, twice as many as should start autovacuum, in two samples without a finished vacuum between them, at the end or
-- until somebody called VACUUM. Smaller tables do no harm. The limits are those of the settings in the history, and the table's own in the catalog.
SELECT NULL, LEAST(99, 100.0 * v.dead / NULLIF(v.dead + v.live, 0)),
       'table', t.schema_name, t.relation_name, v.until, v.behind_at, v.until,
       format('%s dead rows beside %s live ones, %s autovacuum''s threshold of %s, and %s%s',
              to_char(v.dead, 'FM999,999,999,999,990'), to_char(v.live, 'FM999,999,999,999,990'),
              COALESCE(round((v.dead / NULLIF(b.threshold, 0))::numeric, 1) || ' times', 'above'), to_char(b.threshold, 'FM999,999,999,999,990'),
              CASE WHEN v.has_ended THEN format('autovacuum did not come from %s to %s; then somebody called VACUUM', to_char(v.since, 'YYYY-MM-DD HH24:MI'),
                                                 to_char(v.until, 'YYYY-MM-DD HH24:MI'))
                   ELSE 'no vacuum has ended since ' || to_char(v.since, 'YYYY-MM-DD HH24:MI') END,
              CASE WHEN b.off THEN '; autovacuum is switched off for it' ELSE '' END),
       jsonb_build_object('dead_rows', v.dead, 'live_rows', v.live, 'threshold', b.threshold, 'off', b.off),
       CASE WHEN NOT v.has_ended THEN format('VACUUM (ANALYZE) %I.%I', t.schema_name, t.relation_name)
            WHEN c.options ? 'autovacuum_enabled' AND b.off THEN format('ALTER TABLE %I.%I RESET (autovacuum_enabled)', t.schema_name, t.relation_name) END
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
-- The rows of these tables alone, from the last one before the window on, in parts that a finished vacuum divides; without those that show
-- one. The last part, or the one with most dead rows before a vacuum by hand.
CROSS JOIN LATERAL (
    SELECT p.* FROM (
        SELECT min(y.taken_at) AS since, min(y.taken_at) FILTER (WHERE y.n_dead_tup >= 2 * b.threshold) AS behind_at, max(y.taken_at) AS until, COALESCE(bool_or(y.ends), false) AS has_ended, COALESCE(bool_or(y.ends_by_hand), false) AS by_hand,
               (array_agg(y.n_dead_tup ORDER BY y.sample_id DESC))[1] AS dead, (array_agg(y.n_live_tup ORDER BY y.sample_id DESC))[1] AS live,
               count(*) FILTER (WHERE y.n_dead_tup >= 2 * b.threshold) AS samples
        FROM (SELECT x.*, count(*) FILTER (WHERE x.vacuumed) OVER w AS part, lead(x.vacuumed) OVER w AS ends, lead(x.by_hand) OVER w AS ends_by_hand
              FROM (SELECT h.sample_id, h.taken_at, h.n_dead_tup, h.n_live_tup,
                           h.autovacuum_count + h.vacuum_count <> lag(h.autovacuum_count + h.vacuum_count) OVER v AS vacuumed,
                           h.vacuum_count <> lag(h.vacuum_count) OVER v AS by_hand
                    FROM pgperf.relation_history h
                    WHERE h.node_id = $1::uuid AND h.relation_oid = t.relation_oid AND h.taken_at <= $3::timestamptz
                      AND h.taken_at >= COALESCE((SELECT max(z.taken_at) FROM pgperf.relation_history z
                                                  WHERE z.node_id = $1::uuid AND z.relation_oid = t.relation_oid
                                                    AND z.taken_at <= $2::timestamptz AND z.taken_at > $2::timestamptz - interval '25 hours'),
                                                 $2::timestamptz)
                    WINDOW v AS (ORDER BY h.sample_id)) x
              WINDOW w AS (ORDER BY x.sample_id)) y
        WHERE y.vacuumed IS NOT TRUE
        GROUP BY y.part) p
    WHERE p.samples >= 2 AND p.dead >= {threshold autovacuum_behind} AND p.dead >= 2 * b.threshold AND p.until > $2::timestamptz AND (NOT p.has_ended OR p.by_hand)
    ORDER BY p.has_ended, p.dead DESC LIMIT 1) v
WHERE t.relation_kind = 'table'
  AND (t.n_dead_tup >= {threshold autovacuum_behind} OR t.vacuums_by_hand > 0 AND t.updated + t.deleted >= {threshold autovacuum_behind})
