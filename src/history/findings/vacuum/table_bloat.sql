-- At least 30 % without its margin: by default autovacuum lets a sixth of a table go dead before it starts. It grew by at least 8 MB
-- and 10 % of the table, beyond both margins: only growth is news. Critical from 60 % and 1 GB on.
SELECT CASE WHEN m.bloat_percent >= 60 AND m.bloat_bytes >= 1073741824 THEN 'critical' END,
       LEAST(99, m.bloat_percent),
       m.relation_kind, COALESCE(m.table_schema, m.schema_name), COALESCE(m.table_name, m.relation_name),
       m.taken_at, m.earlier_at, m.taken_at,
       format('%s of its %s are bloat, %s %%%s; since %s it grew by %s',
              pg_size_pretty(m.bloat_bytes), pg_size_pretty(m.size_bytes), round(m.bloat_percent::numeric, 1),
              -- Not known of a table that pgstattuple_approx has read.
              COALESCE(' (margin ' || round(m.error_margin_percent::numeric, 1) || ' points)', ''), to_char(m.earlier_at, 'YYYY-MM-DD HH24:MI'), pg_size_pretty(m.growth)),
       jsonb_build_object('bloat_bytes', m.bloat_bytes, 'size_bytes', m.size_bytes, 'bloat_percent', round(m.bloat_percent::numeric, 1),
                          'growth_bytes', m.growth, 'margin_percent', round(m.error_margin_percent::numeric, 1), 'dead_rows', m.dead_tuples),
       format('VACUUM (ANALYZE) %I.%I', COALESCE(m.table_schema, m.schema_name), COALESCE(m.table_name, m.relation_name))
FROM measured m
WHERE m.relation_kind <> 'index' AND m.bloat_percent - COALESCE(m.error_margin_percent, 0) >= {threshold table_bloat}
  AND m.growth - m.margin >= GREATEST(8388608, 0.1 * m.size_bytes)
