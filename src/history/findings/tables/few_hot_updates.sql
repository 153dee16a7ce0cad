-- At least 50,000 updates, as many as the table has rows, less than 30 % of them heap-only, and at least two indexes: updates of a
-- freshly loaded table, whose pages are full, start like that.
SELECT NULL, LEAST(99, 100.0 - 100.0 * t.hot / t.updated),
       'table', t.schema_name, t.relation_name, t.last_at, t.since, t.last_at,
       format('%s updates, %s %% of them heap-only: the others wrote into all %s indexes of the table',
              to_char(t.updated, 'FM999,999,999,999,990'), round(100.0 * t.hot / t.updated), i.indexes),
       jsonb_build_object('updates', t.updated, 'hot_percent', round(100.0 * t.hot / t.updated, 1), 'indexes', i.indexes),
       NULL
FROM totals t
JOIN (SELECT x.schema_name, x.table_name, count(*) AS indexes FROM totals x WHERE x.relation_kind = 'index' GROUP BY x.schema_name, x.table_name) i
  ON i.schema_name = t.schema_name AND i.table_name = t.relation_name
WHERE t.relation_kind = 'table' AND t.schema_name NOT IN ('pg_catalog', 'pg_toast')
  AND t.updated >= 50000 AND t.updated >= t.n_live_tup AND t.hot < 0.3 * t.updated AND i.indexes >= 2
